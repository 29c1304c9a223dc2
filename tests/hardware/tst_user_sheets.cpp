// SPDX-License-Identifier: GPL-3.0-or-later
// A program of its own: the sheets it takes in are those of the process.
#include "hardware/user_sheets.h"

#include "../planner/plan_documents.h"
#include "planner/plan.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace stagecraft;
using nlohmann::json;

class TstUserSheets : public QObject {
    Q_OBJECT
private slots:
    void noFileIsNoError() { QVERIFY(loadUserDeviceSheets("/nowhere/devices.json").empty()); }

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
        QTest::newRow("a wrong word in the peaks") << wrong("peakTflops", {{"fp32", 60}, {"bf61", 900}}) << "peakTflops.bf61";
        QTest::newRow("a source that is a number") << wrong("source", 5) << "source";
        QTest::newRow("an empty id") << wrong("id", "") << "id";
        QTest::newRow("more usable than there is") << wrong("memoryUsableGiB", 81) << "memoryUsableGiB";
        // Every number, each wrong in every way.
        for (const char* field : {"memoryNominalGB", "memoryUsableGiB", "memoryBandwidthGBs", "powerWatts", "year", "peakTflops.bf16", "link.perDirectionGBs", "link.maxDevices", "pcie.perDirectionGBs", "pcie.betweenDevicesGBs"})
            for (const json& value : {json(-1), json(1e-308), json(1e300), json(std::numeric_limits<std::int64_t>::max()), json("700"), json(true), json::array()}) {
                json sheet = deviceSheetToJson(*findDevice("H100-SXM-80GB"));
                sheet[pointerOf(field)] = value;
                QTest::addRow("%s of %s", field, value.dump().c_str()) << QByteArray::fromStdString(json::array({sheet}).dump()) << field;
            }
        for (const char* field : {"memoryNominalGB", "memoryUsableGiB", "memoryBandwidthGBs", "powerWatts", "year", "peakTflops.bf16", "link.perDirectionGBs", "link.maxDevices", "pcie.perDirectionGBs", "pcie.betweenDevicesGBs"}) {
            json sheet = deviceSheetToJson(*findDevice("H100-SXM-80GB"));
            sheet[pointerOf(field)] = 0;
            QTest::addRow("no %s", field) << QByteArray::fromStdString(json::array({sheet}).dump()) << field;
        }
        QTest::newRow("a year that is nothing") << wrong("year", nullptr) << "year";
        QTest::newRow("a link to two and a half") << wrong("link", {{"kind", "x"}, {"perDirectionGBs", 100}, {"maxDevices", 2.5}}) << "link.maxDevices";
        QTest::newRow("too long") << QByteArray(2 << 20, ' ') << "devices.json";
    }
    void refusesWhatIsNoSheet()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, word);
        const std::size_t before = deviceSheets().size();
        const auto problems = loadUserDeviceSheets(fileWith(text));
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY2(QString::fromStdString(problems[0].message).contains(word), problems[0].message.c_str());
        QCOMPARE(deviceSheets().size(), before);
        QCOMPARE(refusedDeviceSheets().size(), std::size_t{1});
        // Whoever plans is told, whatever the plan is of.
        const Plan plan = test::planOf(test::document("llama-3-8b", "deepspeed", 2, 1, 8, 4));
        QVERIFY(std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.rule == "plan.device_sheets" && f.message.find("devices.json") != std::string::npos; }));
        QVERIFY(loadUserDeviceSheets("/nowhere/devices.json").empty() && refusedDeviceSheets().empty());
    }

    // One wrong sheet takes no other with it, and says whose figures are planned with.
    void oneWrongSheetIsOne()
    {
        json bad = deviceSheetToJson(*findDevice("H100-SXM-80GB"));
        bad["link"]["perDirectionGBs"] = 1e-308;
        json other = deviceSheetToJson(*findDevice("A100-SXM-80GB"));
        other.erase("source");
        json good = deviceSheetToJson(*findDevice("L40S"));
        good["id"] = "Mine";
        QCOMPARE(loadUserDeviceSheets(fileWith(QByteArray::fromStdString(json::array({bad, good, other}).dump()))).size(), std::size_t{2});
        QVERIFY(findDevice("mine"));
        const Plan plan = test::planOf(test::document("llama-3-8b", "deepspeed", 2, 1, 8, 4));
        const PlanFinding* refused = test::findingOf(plan, "plan.device_sheets.range");
        QVERIFY(refused);
        QCOMPARE(refused->severity, std::string("warning"));
        QVERIFY2(refused->message.find("\"link.perDirectionGBs\" must be a number from 0.01 to 100000") != std::string::npos, refused->message.c_str());
        QVERIFY(test::findingOf(plan, "plan.device_sheets.replaced"));
        QVERIFY(test::findingOf(plan, "plan.device_sheets.field"));
        QCOMPARE(test::findingOf(plan, "plan.device_sheets.field")->severity, std::string("info"));   // not this plan's device
        const Plan onMine = test::planOf(test::with(test::document("llama-3-8b", "deepspeed", 2, 1, 8, 4), "/hardware/device", "Mine"));
        QVERIFY(onMine.forecast && !test::findingOf(onMine, "plan.device_sheets.replaced"));
        QVERIFY(loadUserDeviceSheets("/nowhere/devices.json").empty());
    }

    // Of two with one name the last counts, and it is said.
    void twoOfOneNameAreTold()
    {
        json first = deviceSheetToJson(*findDevice("L40S")), second = first;
        first["id"] = "Mine";
        second["id"] = "mine";
        second["memoryBandwidthGBs"] = 500;
        const auto problems = loadUserDeviceSheets(fileWith(QByteArray::fromStdString(json::array({first, second}).dump())));
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY2(problems[0].message.find("two data sheets of \"mine\"") != std::string::npos, problems[0].message.c_str());
        QCOMPARE(findDevice("Mine")->memoryBytesPerSecond, 500e9);
        const Plan plan = test::planOf(test::with(test::document("llama-3-8b", "deepspeed", 2, 1, 8, 4), "/hardware/device", "Mine"));
        QVERIFY(test::findingOf(plan, "plan.device_sheets.twice") && !test::findingOf(plan, "plan.device_sheets.replaced"));
        QVERIFY(loadUserDeviceSheets("/nowhere/devices.json").empty());
    }

    // A sheet without a name is called by its place, and takes no other with it.
    void oneWithoutAnIdIsCalledByItsPlace()
    {
        json good = deviceSheetToJson(*findDevice("L40S"));
        good["id"] = "Named";
        for (const json& id : {json(""), json(5), json(nullptr), json(std::string(200, 'x'))}) {
            json bad = good;
            bad["id"] = id;
            const auto problems = loadUserDeviceSheets(fileWith(QByteArray::fromStdString(json::array({good, bad}).dump())));
            QCOMPARE(problems.size(), std::size_t{1});
            QVERIFY2(problems[0].message.find("\"#2\"") != std::string::npos && problems[0].message.find("\"id\"") != std::string::npos, problems[0].message.c_str());
            const Plan plan = test::planOf(test::with(test::document("llama-3-8b", "deepspeed", 2, 1, 8, 4), "/hardware/device", "Named"));
            QVERIFY(plan.forecast && test::findingOf(plan, "plan.device_sheets.field") && !test::findingOf(plan, "plan.device_sheets.file"));
        }
        QVERIFY(loadUserDeviceSheets("/nowhere/devices.json").empty());
    }

    // What is written beside the fields there are has no effect, and is told: a slip of the pen may have been meant for one.
    void unknownFieldsAreTold()
    {
        json sheet = deviceSheetToJson(*findDevice("H100-SXM-80GB"));
        sheet["id"] = "Slipped";
        sheet["powerWats"] = 500;
        sheet["link"]["speed"] = 900;
        const auto problems = loadUserDeviceSheets(fileWith(QByteArray::fromStdString(json::array({sheet}).dump())));
        QCOMPARE(problems.size(), std::size_t{2});
        QVERIFY2(problems[0].message.find("\"powerWats\"") != std::string::npos, problems[0].message.c_str());
        QVERIFY2(problems[1].message.find("\"link.speed\"") != std::string::npos, problems[1].message.c_str());
        const json w = test::with(test::document("llama-3-8b", "deepspeed", 2, 1, 8, 4), "/hardware/device", "Slipped");
        const Plan plan = test::planOf(w), other = test::planOf(test::with(w, "/hardware/device", "A100-SXM-80GB"));
        QVERIFY(plan.forecast && findDevice("Slipped"));
        const PlanFinding* told = test::findingOf(plan, "plan.device_sheets.unknown");
        QVERIFY(told);
        QCOMPARE(told->severity, std::string("warning"));
        QCOMPARE(test::findingOf(other, "plan.device_sheets.unknown")->severity, std::string("info"));
        // It is that very sheet the plan is made with.
        QVERIFY(!test::findingOf(plan, "plan.device_sheets.replaced") && !test::findingOf(plan, "plan.device_sheets.field"));
        QVERIFY(loadUserDeviceSheets("/nowhere/devices.json").empty());
    }

    // The host's memory is the machine's own: a sheet may name what is usable of it alone.
    void theHostMaySayWhatIsUsable()
    {
        json sheet = deviceSheetToJson(*findDevice("cpu"));
        sheet["memoryUsableGiB"] = 64;
        const auto read = parseDeviceSheets(json::array({sheet}).dump());
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(read->front().usableBytes, std::int64_t{64} << 30);
        sheet["memoryNominalGB"] = 32;
        QVERIFY(!parseDeviceSheets(json::array({sheet}).dump()).hasValue());
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
        const auto problems = loadUserDeviceSheets(fileWith(QByteArray::fromStdString(json::array({mine, other, aWordOfTables}).dump())));
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems[0].message.c_str());
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

    // Whatever a sheet may say, nothing that is forecast with it leaves the numbers there are.
    void theOutermostSheetsPlan_data()
    {
        QTest::addColumn<QString>("least");   // the fields at their least, the others at their most
        QTest::newRow("all at the most") << QString();
        QTest::newRow("all at the least") << QStringLiteral("memoryBandwidthGBs powerWatts peakTflops.fp32 peakTflops.bf16 link.perDirectionGBs link.maxDevices pcie.perDirectionGBs");
        for (const char* field : {"memoryBandwidthGBs", "powerWatts", "peakTflops.bf16", "link.perDirectionGBs", "link.maxDevices", "pcie.perDirectionGBs", "pcie.betweenDevicesGBs"})
            QTest::newRow(field) << QString::fromLatin1(field);
    }
    void theOutermostSheetsPlan()
    {
        QFETCH(QString, least);
        json sheet = deviceSheetToJson(*findDevice("L40S"));
        sheet["id"] = "Outermost";
        sheet["memoryNominalGB"] = sheet["memoryUsableGiB"] = 1e6;
        sheet["link"] = {{"kind", "x"}};
        const struct { const char* field; double least, most; } kFields[] = {{"memoryBandwidthGBs", 0.1, 1e6}, {"powerWatts", 1, 1e5}, {"peakTflops.fp32", 1e-4, 1e6}, {"peakTflops.bf16", 1e-4, 1e6},
                                                                            {"link.perDirectionGBs", 0.01, 1e5}, {"link.maxDevices", 2, 65536}, {"pcie.perDirectionGBs", 0.01, 1e5}, {"pcie.betweenDevicesGBs", 0.01, 1e5}};
        for (const auto& [field, from, to] : kFields) sheet[pointerOf(field)] = least.split(QLatin1Char(' ')).contains(QLatin1String(field)) ? from : to;
        const auto problems = loadUserDeviceSheets(fileWith(QByteArray::fromStdString(json::array({sheet}).dump())));
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems[0].message.c_str());
        for (const char* model : {"llama-3-8b", "mixtral-8x7b"})
            for (const char* framework : {"deepspeed", "fsdp2", "megatron"})
                for (const int stage : {0, 3}) {
                    const Plan plan = test::planOf(test::with(test::document(model, framework, stage, 4, 8, 4), "/hardware/device", "Outermost"));
                    QVERIFY(plan.forecast);
                    const StepForecast& f = *plan.forecast;
                    for (const double value : {f.stepTime, f.tokensPerSecond, f.interval90[0], f.interval90[1]}) QVERIFY2(std::isfinite(value) && value > 0, framework);
                    QVERIFY(std::isfinite(f.mfu));
                    for (const auto& [what, seconds] : f.split) QVERIFY2(std::isfinite(seconds) && seconds >= 0, what.c_str());
                    if (plan.budget) QVERIFY(std::isfinite(plan.budget->seconds) && std::isfinite(plan.budget->joules));
                }
    }

private:
    static json::json_pointer pointerOf(std::string field)
    {
        std::replace(field.begin(), field.end(), '.', '/');
        return json::json_pointer('/' + field);
    }
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
