// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/machine_measure.h"

#include "base/atomic_file.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using nlohmann::json;

namespace {

MachineMeasure example()
{
    MachineMeasure m;
    m.host = {"A processor", 8, 3.5, std::int64_t{24} << 30, "1.2.3"};
    m.kernels = "avx2";
    m.torch = "2.11.0";
    m.measuredAt = "2026-11-21T15:40:00Z";
    m.seconds = 42.5;
    m.noise = 0.01;
    m.gemms = {{"bf16", "tn", 64, 128, 256, 2, 3, 1.25e-5, 0.03}};
    m.kernelRates = {{"rms_norm", "fp32", 1024, 64, 1 << 20, 2, 3e-6, 0.01}};
    m.collectives = {{"all_gather", 2, 4096, 5e-5, 4e-5, 0.2}};
    m.steps = {{"fp32", 2, 1, 128, 4, 4, 352, 1024, 128, 2, 0.05, 0.01, 0.02}};
    m.rates = {{"disk.write", 5e8, "B/s", 0.05, "64 MiB, fsync included"}};
    return m;
}

std::string text(const MachineMeasure& m) { return machineMeasureToJson(m).dump(); }

}  // namespace

class TstMachineMeasure : public QObject {
    Q_OBJECT
private slots:
    void writesAndReadsTheSame()
    {
        const auto read = machineMeasureFromJson(text(example()));
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(text(*read), text(example()));
        QVERIFY(read->host == example().host);
        QCOMPARE(read->gemms[0].copies, 3);
        QCOMPARE(read->gemms[0].flopsPerSecond(), 2.0 * 64 * 128 * 256 / 1.25e-5);
        QCOMPARE(read->kernelRates[0].footprint, std::int64_t{1 << 20});
        QCOMPARE(read->rate("disk.write")->value, 5e8);
        QVERIFY(read->rate("disk.read") == nullptr);
    }

    void refusesWhatCannotBe_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("a time of zero") << "/gemms/0/seconds" << "0" << "\"/gemms/0/seconds\" is no number";
        QTest::newRow("a time before now") << "/kernelRates/0/seconds" << "-1" << "/kernelRates/0/seconds";
        QTest::newRow("a time in words") << "/collectives/0/seconds" << "\"fast\"" << "/collectives/0/seconds";
        QTest::newRow("no columns") << "/gemms/0/n" << "0" << "\"/gemms/0/n\" is no whole number";
        QTest::newRow("a size beyond all memory") << "/gemms/0/k" << "18446744073709551615" << "/gemms/0/k";
        QTest::newRow("half a column") << "/gemms/0/m" << "1.5" << "/gemms/0/m";
        QTest::newRow("a list that is none") << "/gemms" << "{}" << "\"/gemms\" is no list";
        QTest::newRow("an entry that is none") << "/kernelRates/0" << "3" << "\"/kernelRates/0\" is no object";
        QTest::newRow("no host") << "/host" << "null" << "\"/host\" is no object";
        QTest::newRow("one rank alone") << "/collectives/0/world" << "1" << "/collectives/0/world";
        QTest::newRow("a step of no ranks") << "/steps/0/world" << "0" << "/steps/0/world";
        QTest::newRow("a step of a model wider than any") << "/steps/0/hidden" << "1e9" << "/steps/0/hidden";
        QTest::newRow("another format") << "/format" << "1" << "\"/format\"";
        QTest::newRow("an infinite rate") << "/rates/0/value" << "1e300" << "/rates/0/value";
    }

    void refusesWhatCannotBe()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, says);
        json changed = json::parse(text(example()));
        changed[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
        const auto read = machineMeasureFromJson(changed.dump());
        QVERIFY(!read.hasValue());
        QCOMPARE(read.error().code, ErrorCode::InvalidInput);
        QVERIFY2(read.error().message.find(says.toStdString()) != std::string::npos, read.error().message.c_str());
    }

    void missesEveryField()
    {
        const json whole = json::parse(text(example())).flatten();
        for (const auto& [pointer, value] : whole.items()) {
            if (pointer.ends_with("/gflops")) continue;  // for eyes; made again from the time
            json less = json::parse(text(example()));
            const json::json_pointer at(pointer);
            less[at.parent_pointer()].erase(at.back());
            QVERIFY2(!machineMeasureFromJson(less.dump()).hasValue(), pointer.c_str());
        }
    }

    void broken_data()
    {
        QTest::addColumn<QByteArray>("content");
        const std::string whole = text(example());
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("half written") << QByteArray::fromStdString(whole.substr(0, whole.size() / 2));
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("a number") << QByteArray("7");
        QTest::newRow("nested without end") << QByteArray(100'000, '[');
        QTest::newRow("not text") << QByteArray("\xff\xfe\x00\x01", 4);
    }

    void broken()
    {
        QFETCH(QByteArray, content);
        const QTemporaryDir folder;
        const auto file = machineMeasureFile((folder.path() + "/runs").toStdString());
        QVERIFY(writeFileAtomically(file, content.toStdString()).hasValue());
        std::string problem;
        QVERIFY(!usableMachineMeasure(file, example().host, &problem));
        QVERIFY2(problem.find(file.string()) != std::string::npos && problem.find("doctor --measure") != std::string::npos, problem.c_str());
    }

    void keptBesideTheRuns()
    {
        const QTemporaryDir folder;
        const auto file = machineMeasureFile((folder.path() + "/new/runs").toStdString());
        QCOMPARE(QString::fromStdString(file.string()), folder.path() + "/new/machine.json");
        std::string problem;
        QVERIFY(!usableMachineMeasure(file, example().host, &problem));
        QVERIFY(problem.empty());  // nothing was measured: no problem
        QVERIFY(saveMachineMeasure(file, example()).hasValue());
        const auto read = usableMachineMeasure(file, example().host, &problem);
        QVERIFY2(read.has_value(), problem.c_str());
        QCOMPARE(text(*read), text(example()));
    }

    void holdsOnTheSameMachineOnly()
    {
        const MachineHost here = example().host;
        MachineHost other = here;
        other.memoryBytes += other.memoryBytes / 100;
        QVERIFY(hostMismatch(here, other).empty());
        other.memoryBytes += other.memoryBytes / 10;
        QVERIFY(!hostMismatch(here, other).empty());
        other = here;
        other.cpu = "Another";
        QVERIFY(hostMismatch(here, other).find("Another") != std::string::npos);
        other = here;
        other.usableCores = 2;
        QVERIFY(hostMismatch(here, other).find("3.5 of 8") != std::string::npos);
        other = here;
        other.version = "1.2.4";
        QVERIFY(hostMismatch(here, other).find("1.2.4") != std::string::npos);

        const QTemporaryDir folder;
        const auto file = machineMeasureFile((folder.path() + "/runs").toStdString());
        QVERIFY(saveMachineMeasure(file, example()).hasValue());
        std::string problem;
        QVERIFY(!usableMachineMeasure(file, other, &problem));
        QVERIFY2(problem.find("does not hold on this machine") != std::string::npos, problem.c_str());
        QVERIFY(!hostMismatch(thisHost("1"), MachineHost{}).empty());
        QVERIFY(hostMismatch(thisHost("1"), thisHost("1")).empty());
    }
};

QTEST_APPLESS_MAIN(TstMachineMeasure)
#include "tst_machine_measure.moc"
