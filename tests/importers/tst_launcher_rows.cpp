// SPDX-License-Identifier: GPL-3.0-or-later
// What transformers and accelerate themselves make of a config, replayed: tests/oracle/launcher_configs.py wrote the rows
// with transformers 5.23.0, accelerate 1.15.0 and DeepSpeed 0.19.8, and tests/oracle/accelerate_starts.py those that train two steps.
#include "importers/foreign_config.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using nlohmann::json;

namespace {

std::vector<json> rowsOf(const char* name)
{
    QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/launchers/" + name);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", name);
    std::vector<json> rows;
    for (QByteArray line = file.readLine(); !line.isEmpty(); line = file.readLine()) rows.push_back(json::parse(line.toStdString()));
    return rows;
}

/// Pointers of "auto" in a config.
void autos(const json& value, const std::string& pointer, std::vector<std::string>& found)
{
    for (const auto& [key, member] : value.items()) {
        if (member.is_object()) autos(member, pointer + "/" + key, found);
        else if (member == "auto") found.push_back(pointer + "/" + key);
    }
}

bool refuses(const CheckAnswer& answer)
{
    return std::any_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) { return finding.severity == CheckSeverity::Error && (finding.rule == "R105" || finding.rule == "R107"); });
}

}  // namespace

class TstLauncherRows : public QObject {
    Q_OBJECT
private slots:
    void transformersFillsAuto();
    void accelerateBuildsTheConfig();
    void acceleratePreparesTheConfig();
};

void TstLauncherRows::transformersFillsAuto()
{
    int filled = 0, refused = 0;
    for (const json& row : rowsOf("trainer.jsonl")) {
        const std::string id = "row " + row["id"].dump();
        std::vector<std::string> warnings;
        auto context = readCheckContext(row["context"].dump(), warnings);
        QVERIFY2(context.hasValue(), id.c_str());
        context->launcher = CheckLauncher::Transformers;
        context->world = row["world"];
        const auto answer = checkConfig(row["text"].get<std::string>(), context.value());
        QVERIFY2(answer.hasValue(), id.c_str());
        QVERIFY2(refuses(answer.value()) == row.contains("error"), id.c_str());
        if (row.contains("error")) {
            ++refused;
            continue;
        }
        // The number of steps comes from the data where max_steps is not given: neither side's stand-in means anything.
        const json& trainer = row["context"]["trainer"];
        const bool steps = trainer.value("max_steps", -1) > 0;
        std::vector<std::string> pointers;
        autos(json::parse(row["text"].get<std::string>()), "", pointers);
        for (const std::string& pointer : pointers) {
            if (!steps && (pointer.find("total_num_steps") != std::string::npos || pointer.find("warmup_num_steps") != std::string::npos)) continue;
            const auto changed = std::find_if(answer->changed.begin(), answer->changed.end(), [&](const ChangedValue& change) { return change.pointer == pointer; });
            const bool byTrainer = std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) { return finding.pointer == pointer && finding.rule == "R103"; });
            const json ours = changed != answer->changed.end() && byTrainer ? json::parse(changed->json) : json("auto");
            json real = row["config"][json::json_pointer(pointer)];
            if (pointer == "/scheduler/params/warmup_num_steps" && real == 1) real = 2;  // DeepSpeed's scheduler makes two of one, which "changed" tells
            QVERIFY2(ours == real, (id + " " + pointer + ": " + ours.dump() + ", transformers has " + real.dump()).c_str());
            ++filled;
        }
    }
    QVERIFY(filled > 200 && refused > 100);
}

void TstLauncherRows::accelerateBuildsTheConfig()
{
    const auto rows = rowsOf("accelerate.jsonl");
    QVERIFY(rows.size() >= 50);
    for (const json& row : rows) {
        const auto imported = importForeignConfig({"default_config.yaml", row["text"].get<std::string>()}, {});
        QVERIFY2(imported.hasValue(), row["text"].get<std::string>().c_str());
        QCOMPARE(QString::fromStdString(json::parse(imported->dsConfigSource).dump(1)), QString::fromStdString(row["config"].dump(1)));
        QCOMPARE(imported->context.world, row["ranks"].get<int>());
    }
}

void TstLauncherRows::acceleratePreparesTheConfig()
{
    int filled = 0, refused = 0, taken = 0;
    for (const json& row : rowsOf("accelerate_starts.jsonl")) {
        const std::string text = row["text"], name = "row " + row["id"].dump() + ", " + row["name"].get<std::string>() + ": ";
        const json trainer = row["context"].value("trainer", json::object());
        const json file = json::parse(text, nullptr, false);
        std::vector<std::string> pointers, warnings;
        if (file.is_object()) autos(file, "", pointers);
        const auto asks = [&](const char* pointer) { return std::find(pointers.begin(), pointers.end(), pointer) != pointers.end(); };
        // What the script says of these three decides, and where the row has it not the check says so and takes a number of its own.
        const bool sizes = std::any_of(pointers.begin(), pointers.end(), [](const std::string& pointer) { return pointer.starts_with("/zero_optimization/") && (pointer.ends_with("_size") || pointer.ends_with("_threshold")) && !pointer.ends_with("allgather_bucket_size"); });
        if (sizes && !row["context"].contains("hidden_size")) continue;
        if (asks("/scheduler/params/total_num_steps") && !trainer.contains("max_steps")) continue;
        if (asks("/train_micro_batch_size_per_gpu") && !trainer.contains("per_device_train_batch_size") && file.value("train_batch_size", json()).is_number()) continue;
        auto context = readCheckContext(row["context"].dump(), warnings);
        QVERIFY2(context.hasValue() && warnings.empty(), name.c_str());
        context->launcher = CheckLauncher::Accelerate;
        context->world = row["world"];
        context->release = "0.19.8";
        const auto answer = checkConfig(text, context.value());
        QVERIFY2(answer.hasValue(), name.c_str());
        const bool half = !answer->findings.empty() && answer->findings.front().rule == "R52";   // fp16 on a CPU: some have instructions for it
        if (half) continue;
        const std::string by = row.value("by", "nobody");
        const std::string ours = answer->ok ? "nobody" : answer->level == CheckLevel::Load ? "load" : whoRefuses(*answer, CheckLauncher::Accelerate) == "accelerate" || !file.is_object() ? "accelerate" : "deepspeed";
        QVERIFY2(ours == by, (name + ours + " refuses; really " + by + ": " + row.value("error", "")).c_str());
        ++(answer->ok ? taken : refused);
        if (by != "nobody") continue;
        for (const std::string& pointer : pointers) {
            if (pointer == "/steps_per_print") continue;  // infinity
            const auto changed = std::find_if(answer->changed.begin(), answer->changed.end(), [&](const ChangedValue& change) { return change.pointer == pointer; });
            const json value = changed == answer->changed.end() ? json("auto") : json::parse(changed->json);
            json real = row["config"][json::json_pointer(pointer)];
            if (pointer == "/scheduler/params/warmup_num_steps" && real == 1) real = 2;  // DeepSpeed's scheduler makes two of one, which "changed" tells
            QVERIFY2(value == real, (name + pointer + " is " + value.dump() + ", accelerate has " + real.dump()).c_str());
            ++filled;
        }
    }
    QVERIFY2(filled > 200 && refused > 80 && taken > 80, qPrintable(QString("%1 filled, %2 refused, %3 taken").arg(filled).arg(refused).arg(taken)));
}

QTEST_GUILESS_MAIN(TstLauncherRows)
#include "tst_launcher_rows.moc"
