// SPDX-License-Identifier: GPL-3.0-or-later
// A program of its own: sheets are taken in once, and stay.
#include "hardware/user_sheets.h"
#include "planner/plan.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

using namespace stagecraft;
using nlohmann::json;

class TstUserSheets : public QObject {
    Q_OBJECT
private slots:
    void noFileIsNoError() { QVERIFY(!loadUserDeviceSheets("/nowhere/devices.json")); }

    void refusesWhatIsNoSheet_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("word");
        QTest::newRow("no list") << QByteArray("{}") << "list";
        QTest::newRow("no json") << QByteArray("[{") << "list";
        QTest::newRow("no id") << QByteArray("[{\"name\": \"x\"}]") << "id";
        QTest::newRow("no source") << QByteArray("[{\"id\": \"x\"}]") << "source";
        QTest::newRow("negative memory") << QByteArray("[{\"id\": \"x\", \"source\": \"s\", \"memoryNominalGB\": -1}]") << "memoryNominalGB";
        const auto wrong = [](const char* key, const json& value) {
            json sheet = deviceSheetToJson(*findDevice("H100-SXM-80GB"));
            if (value.is_discarded()) sheet.erase(key);
            else sheet[key] = value;
            return QByteArray::fromStdString(json::array({sheet}).dump());
        };
        QTest::newRow("a link whose kind is nothing") << wrong("link", {{"kind", nullptr}, {"perDirectionGBs", 100}, {"maxDevices", 8}}) << "link";
        QTest::newRow("a link whose kind is a number") << wrong("link", {{"kind", 5}, {"perDirectionGBs", 100}, {"maxDevices", 8}}) << "link";
        QTest::newRow("a link that is a word") << wrong("link", "NVLink") << "link";
        QTest::newRow("pcie that is a number") << wrong("pcie", 64) << "pcie";
        QTest::newRow("no way to the host") << wrong("pcie", json(json::value_t::discarded)) << "pcie";
        QTest::newRow("no memory") << wrong("memoryUsableGiB", 0) << "memoryUsableGiB";
        QTest::newRow("too long") << QByteArray(2 << 20, ' ') << "devices.json";
    }
    void refusesWhatIsNoSheet()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, word);
        const std::size_t before = deviceSheets().size();
        const auto problem = loadUserDeviceSheets(fileWith(text));
        QVERIFY(problem.has_value());
        QVERIFY2(QString::fromStdString(problem->message).contains(word), problem->message.c_str());
        QCOMPARE(deviceSheets().size(), before);
    }

    // Every sheet can be written out, corrected and read again.
    void everySheetCanBeWrittenAndRead()
    {
        json all = json::array();
        for (const DeviceSheet& sheet : deviceSheets()) all.push_back(deviceSheetToJson(sheet));
        const auto again = parseDeviceSheets(all.dump());
        QVERIFY2(again.hasValue(), again.hasValue() ? "" : again.error().message.c_str());
        for (std::size_t i = 0; i < again->size(); ++i) {
            const DeviceSheet &a = deviceSheets()[i], &b = (*again)[i];
            QCOMPARE(b.id, a.id);
            QVERIFY(std::abs(b.usableBytes - a.usableBytes) <= 1);
            QVERIFY(std::abs(b.peakFor("bf16") / a.peakFor("bf16") - 1) < 1e-9);
            QVERIFY(std::abs(b.memoryBytesPerSecond / a.memoryBytesPerSecond - 1) < 1e-9);
            QCOMPARE(b.link.has_value(), a.link.has_value());
        }
    }

    void ownSheetsAreFoundAndCorrectOthers()
    {
        json mine = deviceSheetToJson(*findDevice("H100-SXM-80GB"));
        mine["memoryUsableGiB"] = 40;   // half of it is somebody else's
        mine["source"] = "measured here";
        json other = mine;
        other["id"] = "Prototype-1";
        other["memoryNominalGB"] = 64;
        json aWordOfTables = mine;   // one that other sheets are called by too
        aWordOfTables["id"] = "H200";
        QCOMPARE(findDevice("h200")->id, std::string("H200-SXM-141GB"));
        const std::size_t before = deviceSheets().size();
        const auto problem = loadUserDeviceSheets(fileWith(QByteArray::fromStdString(json::array({mine, other, aWordOfTables}).dump())));
        QVERIFY2(!problem, problem ? problem->message.c_str() : "");
        QCOMPARE(deviceSheets().size(), before + 2);
        QCOMPARE(findDevice("h200")->id, std::string("H200"));
        QCOMPARE(findDevice("h100-sxm-80gb")->source, std::string("measured here"));
        QVERIFY(findDevice("prototype-1"));

        Workspace w;
        w.model.form = ModelSection::Form::ParameterCount;
        w.model.parameterCount = 3e9;   // 48 GB of states: over 40 GiB, under 80
        w.hardware = {.nodes = 1, .devicesPerNode = 1, .device = "H100-SXM-80GB"};
        w.framework.name = "deepspeed";
        const auto plan = makePlan(w, {});
        QVERIFY(plan.hasValue() && plan->fit);
        QVERIFY(plan->fit->verdict == Fit::Verdict::No);
    }

private:
    std::filesystem::path fileWith(const QByteArray& text)
    {
        QFile file(m_folder.filePath(QStringLiteral("devices.json")));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
        return file.fileName().toStdString();
    }
    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TstUserSheets)
#include "tst_user_sheets.moc"
