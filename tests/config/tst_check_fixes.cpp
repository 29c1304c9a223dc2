// SPDX-License-Identifier: GPL-3.0-or-later
// Every fix that a finding offers: a patch that applies as RFC 6902 says, takes the finding away and makes nothing worse.
#include "verdict_rows.h"

#include "config/check.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

std::filesystem::path data()
{
    return std::filesystem::path(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString()) / "tests/data";
}

CheckAnswer answerFor(const std::string& text, const CheckContext& context = {})
{
    auto answer = checkConfig(text, context);
    if (!answer.hasValue()) {
        qFatal("%s", answer.error().message.c_str());
    }
    return std::move(answer.value());
}

/// How far DeepSpeed gets with it: 0 load, 1 parse, 2 engine and pipe, neither of which comes before all of the other, 4 all the way.
int reach(const CheckAnswer& answer)
{
    return answer.level.has_value() ? static_cast<int>(std::min(*answer.level, CheckLevel::Engine)) : 4;
}

bool touches(const std::string& pointer, const std::string& place)
{
    return pointer == place || pointer.starts_with(place + "/");
}

/// Empty when the fix of `finding` holds; else what is wrong with it.
std::string problemOf(const Json& config, const CheckAnswer& before, const CheckFinding& finding, const CheckContext& context)
{
    const Json patch = Json::parse(finding.fix, nullptr, false);
    if (!patch.is_array()) {
        return "is no patch";
    }
    Json after;
    try {
        after = config.patch(patch);
    } catch (const Json::exception& error) {
        return std::string("does not apply: ") + error.what();
    }
    const CheckAnswer answer = answerFor(after.dump(), context);
    const auto count = [&](const CheckAnswer& in) {
        return std::count_if(in.findings.begin(), in.findings.end(), [&](const CheckFinding& f) { return f.rule == finding.rule && f.pointer == finding.pointer && f.message == finding.message; });
    };
    if (count(answer) >= count(before)) {
        return "leaves the finding: " + after.dump();
    }
    if (reach(answer) < reach(before)) {
        return "makes it worse: " + after.dump();
    }
    for (const Json& step : patch) {
        const std::string at = step["path"];
        for (const CheckFinding& now : answer.findings) {
            // R66: the size is right, for more ranks than the row has.
            const bool known = std::any_of(before.findings.begin(), before.findings.end(), [&](const CheckFinding& f) { return f.pointer == now.pointer && f.rule == now.rule; });
            if (now.rule != "R66" && now.severity == CheckSeverity::Error && touches(now.pointer, at) && !known) {
                return "is refused where it writes (" + now.rule + "): " + after.dump();
            }
        }
    }
    return {};
}

/// Tries all fixes of one config; what fails is named in `failures`, once per rule and problem.
int tryAll(const std::string& id, const std::string& text, const CheckContext& context, std::map<std::string, std::string>& failures)
{
    const Json config = Json::parse(text, nullptr, false);
    if (!config.is_object()) {
        return 0;  // read with a kinder reader; the editor applies its fixes to the text, tested with it
    }
    const CheckAnswer answer = answerFor(text, context);
    int tried = 0;
    for (const CheckFinding& finding : answer.findings) {
        if (finding.fix.empty() || finding.level == CheckLevel::Load) {
            continue;
        }
        ++tried;
        if (const std::string problem = problemOf(config, answer, finding, context); !problem.empty()) {
            failures.emplace(finding.rule + " " + problem.substr(0, 22), id + ": " + finding.rule + " " + finding.pointer + " " + finding.fix + " " + problem);
        }
    }
    return tried;
}

void report(const std::map<std::string, std::string>& failures)
{
    for (const auto& [key, text] : failures) {
        qWarning("%s", text.c_str());
    }
    QVERIFY2(failures.empty(), (std::to_string(failures.size()) + " kinds of fixes do not hold").c_str());
}

CheckContext contextOf(const Json& row)
{
    std::vector<std::string> warnings;
    CheckContext context = readCheckContext(row.value("context", Json::object()).dump(), warnings).value();
    context.world = row.value("world", 1);
    context.release = row.value("release", "");
    context.pipelineModel = context.pipelineModel || row.value("pipeline", false);
    return context;
}

}  // namespace

class TstCheckFixes : public QObject {
    Q_OBJECT

private slots:
    void holdOnWhatDeepSpeedWasAsked_data();
    void holdOnWhatDeepSpeedWasAsked();
    void holdOnTheTutorials();
    void holdOnSlips_data();
    void holdOnSlips();
    void fixes_data();
    void fixes();
};

void TstCheckFixes::holdOnWhatDeepSpeedWasAsked_data()
{
    QTest::addColumn<QString>("file");
    for (const auto& entry : std::filesystem::directory_iterator(data() / "verdicts")) {
        QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
    }
}

void TstCheckFixes::holdOnWhatDeepSpeedWasAsked()
{
    QFETCH(QString, file);
    std::map<std::string, std::string> failures;
    int tried = 0;
    for (const Json& row : verdictRows(file.toStdString())) {
        tried += tryAll(row["id"], row["text"], contextOf(row), failures);
    }
    report(failures);
    QVERIFY(tried > 5);
}

void TstCheckFixes::holdOnTheTutorials()
{
    std::map<std::string, std::string> failures;
    int tried = 0;
    for (const Json& row : jsonLines((data() / "seed_configs.jsonl").string())) {
        for (const char* field : {"text", "config"}) {
            if (row.contains(field)) {
                tried += tryAll(row["id"], row[field].is_string() ? row[field].get<std::string>() : row[field].dump(), {}, failures);
            }
        }
    }
    report(failures);
    QVERIFY(tried > 5);
}

void TstCheckFixes::holdOnSlips_data()
{
    QTest::addColumn<QString>("text");
    // One config that is fine, and a slip at each place in it: another letter case, another word for a key, a wrong kind.
    const Json good = Json::parse(R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 1, "gradient_clipping": 1.0, "steps_per_print": 10,
        "bf16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.1}},
        "scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 1e-4, "warmup_num_steps": 100}},
        "zero_optimization": {"stage": 3, "overlap_comm": true, "reduce_bucket_size": 5e8, "offload_optimizer": {"device": "cpu", "pin_memory": true}, "offload_param": {"device": "cpu", "buffer_count": 5}},
        "activation_checkpointing": {"partition_activations": true}, "aio": {"block_size": 1048576}, "wall_clock_breakdown": false})");
    const Json flat = good.flatten();
    std::set<std::string> places;
    for (const auto& [pointer, value] : flat.items()) {
        for (Json::json_pointer at(pointer); !at.empty(); at = at.parent_pointer()) {
            places.insert(at.to_string());
        }
    }
    for (const std::string& place : places) {
        const Json::json_pointer at(place);
        if (!good.at(at.parent_pointer()).is_object()) {
            continue;
        }
        const auto renamed = [&](const std::string& name) {
            Json slip = good;
            Json& parent = slip[at.parent_pointer()];
            const Json value = parent[at.back()];
            parent.erase(at.back());
            parent[name] = value;
            return slip;
        };
        std::string upper = at.back();
        std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        std::map<std::string, Json> slips{{"upper case", renamed(upper)}, {"a letter more", renamed(at.back() + "s")}, {"a letter less", renamed(at.back().substr(1))}};
        for (const auto& [kind, wrong] : std::map<std::string, Json>{{"null", nullptr}, {"true", true}, {"minus one", -1}, {"a text", "x"}, {"auto", "auto"}, {"a list", Json::array()}, {"an object", Json::object()}}) {
            slips[kind] = good;
            slips[kind][at] = wrong;
        }
        if (const Json::json_pointer section = at.parent_pointer(); !section.empty() && !good.at(section.parent_pointer()).contains(at.back())) {
            Json& slip = slips["one level up"] = good;
            slip[section].erase(at.back());
            slip[section.parent_pointer()][at.back()] = good.at(at);
        }
        for (const auto& [kind, slip] : slips) {
            QTest::newRow((kind + " at " + place).c_str()) << QString::fromStdString(slip.dump());
        }
    }
}

void TstCheckFixes::holdOnSlips()
{
    QFETCH(QString, text);
    std::map<std::string, std::string> failures;
    for (const char* release : {"0.14.5", "0.19.8"}) {
        CheckContext context;
        context.release = release;
        (void)tryAll(release, text.toStdString(), context, failures);
    }
    report(failures);
}

void TstCheckFixes::fixes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("fix");
    QTest::addColumn<bool>("safe");
    QTest::newRow("a section in capitals") << R"({"train_batch_size": 1, "FP16": {"enabled": true}})" << "/FP16" << R"([{"op": "move", "from": "/FP16", "path": "/fp16"}])" << false;
    QTest::newRow("ZeRO in capitals") << R"({"train_batch_size": 1, "ZERO_OPTIMIZATION": {"stage": 1}})" << "/ZERO_OPTIMIZATION"
                                      << R"([{"op": "move", "from": "/ZERO_OPTIMIZATION", "path": "/zero_optimization"}])" << false;
    QTest::newRow("a batch size with capitals") << R"({"train_micro_batch_size_per_gpu": 1, "Train_Batch_Size": 1})" << "/Train_Batch_Size"
                                                << R"([{"op": "move", "from": "/Train_Batch_Size", "path": "/train_batch_size"}])" << false;
    QTest::newRow("capitals beside the key itself") << R"({"train_batch_size": 1, "FP16": {"enabled": true}, "fp16": {}})" << "/FP16" << R"([{"op": "move", "from": "/FP16", "path": "/fp16"}])" << false;
    QTest::newRow("capitals in a checked section") << R"({"train_batch_size": 1, "zero_optimization": {"STAGE": 1}})" << "/zero_optimization/STAGE"
                                                   << R"([{"op": "move", "from": "/zero_optimization/STAGE", "path": "/zero_optimization/stage"}])" << false;
    QTest::newRow("the old switch for fp32 gradients") << R"({"train_batch_size": 1, "fp32_allreduce": true})" << "/fp32_allreduce"
                                                       << R"([{"op": "add", "path": "/communication_data_type", "value": "fp32"}, {"op": "remove", "path": "/fp32_allreduce"}])" << false;
    QTest::newRow("the old switch, off") << R"({"train_batch_size": 1, "fp32_allreduce": false})" << "/fp32_allreduce" << R"([{"op": "remove", "path": "/fp32_allreduce"}])" << true;
    QTest::newRow("what tunes a section that is not there") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu", "fast_init": true}}})"
                                                            << "/zero_optimization/offload_param/fast_init" << R"([{"op": "remove", "path": "/zero_optimization/offload_param/fast_init"}])" << false;
    QTest::newRow("a device beside its section") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 2, "device": "cpu"}})" << "/zero_optimization/device" << "" << false;   // the optimizer or the parameters: the file does not say which
    QTest::newRow("a device beside its section that has one") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 2, "device": "cpu", "offload_optimizer": {"device": "none"}}})" << "/zero_optimization/device" << "" << false;
    QTest::newRow("a device beside a switch in place of its section") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 2, "device": "cpu", "offload_optimizer": null}})" << "/zero_optimization/device" << "" << false;
    QTest::newRow("clipping among ZeRO's keys and where it belongs, alike") << R"({"train_batch_size": 1, "gradient_clipping": 0.5, "zero_optimization": {"stage": 2, "gradient_clipping": 0.5}})" << "/zero_optimization/gradient_clipping"
        << R"([{"op": "remove", "path": "/zero_optimization/gradient_clipping"}])" << true;
    QTest::newRow("a misspelt key beside the right one") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 2, "overlap_com": true, "overlap_comm": false}})" << "/zero_optimization/overlap_com" << "" << false;
    QTest::newRow("a learning rate beside the parameters") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "lr": 2e-5}})" << "/optimizer/lr"
        << R"([{"op": "add", "path": "/optimizer/params", "value": {}}, {"op": "move", "from": "/optimizer/lr", "path": "/optimizer/params/lr"}])" << false;
    QTest::newRow("a schedule inside the optimizer") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {}, "scheduler": {"type": "WarmupLR", "params": {}}}})" << "/optimizer/scheduler"
        << R"([{"op": "move", "from": "/optimizer/scheduler", "path": "/scheduler"}])" << false;
    QTest::newRow("a stage at the top") << R"({"train_batch_size": 1, "stage": 3})" << "/stage"
        << R"([{"op": "add", "path": "/zero_optimization", "value": {}}, {"op": "move", "from": "/stage", "path": "/zero_optimization/stage"}])" << false;
    QTest::newRow("a key of ZeRO at the top") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {}}, "zero_optimization": {"stage": 3}, "zero_hpz_partition_size": 1})" << "/zero_hpz_partition_size"
        << R"([{"op": "move", "from": "/zero_hpz_partition_size", "path": "/zero_optimization/zero_hpz_partition_size"}])" << false;
    QTest::newRow("a stage at the top beside another") << R"({"train_batch_size": 1, "stage": 3, "zero_optimization": {"stage": 1}})" << "/stage" << "" << false;
    QTest::newRow("the old name of bf16") << R"({"train_batch_size": 1, "bfloat16": {"enabled": true, "bf16_master_weights_and_grads": true}})" << "/bfloat16/bf16_master_weights_and_grads"
        << R"([{"op": "remove", "path": "/bfloat16/bf16_master_weights_and_grads"}])" << false;
    QTest::newRow("wandb's own word") << R"({"train_batch_size": 1, "wandb": {"enabled": true, "entity": "x"}})" << "/wandb/entity" << R"([{"op": "move", "from": "/wandb/entity", "path": "/wandb/team"}])" << true;
    QTest::newRow("a step of autotuning") << R"({"train_batch_size": 1, "autotuning": {"enabled": true, "start_step": 3}})" << "/autotuning/start_step"
        << R"([{"op": "move", "from": "/autotuning/start_step", "path": "/autotuning/start_profile_step"}])" << false;
    const QString trial = R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {}}, "autotuning": {"enabled": true, %1}})";
    QTest::newRow("a figure no trial writes") << trial.arg(R"("metric": "FLOPS")") << "/autotuning/metric" << R"([{"op": "replace", "path": "/autotuning/metric", "value": "FLOPS_per_gpu"}])" << false;
    QTest::newRow("the slowest trial") << trial.arg(R"("metric": "latency")") << "/autotuning/metric" << R"([{"op": "remove", "path": "/autotuning/metric"}])" << false;
    QTest::newRow("a tuner's slip") << trial.arg(R"("tuner_type": "grid_search")") << "/autotuning/tuner_type" << R"([{"op": "replace", "path": "/autotuning/tuner_type", "value": "gridsearch"}])" << false;
    QTest::newRow("a class of whole modules") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 3, "leaf_module": {"class": ["a.B"]}}})" << "/zero_optimization/leaf_module/class"
        << R"([{"op": "move", "from": "/zero_optimization/leaf_module/class", "path": "/zero_optimization/leaf_module/classes"}])" << false;
    QTest::newRow("elastic training beside a batch") << R"({"train_batch_size": 1, "elasticity": {"enabled": true, "max_train_batch_size": 8, "micro_batch_sizes": [1]}})" << "/elasticity" << R"([{"op": "remove", "path": "/elasticity"}])" << false;
    QTest::newRow("a rate and no optimizer") << R"({"train_batch_size": 1, "lr": 1e-4})" << "/lr"
        << R"([{"op": "add", "path": "/optimizer", "value": {"type": "AdamW", "params": {}}}, {"op": "move", "from": "/lr", "path": "/optimizer/params/lr"}])" << false;
    QTest::newRow("a warm-up and no schedule") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "warmup_num_steps": 10})" << "/warmup_num_steps"
        << R"([{"op": "add", "path": "/scheduler", "value": {"type": "WarmupLR", "params": {}}}, {"op": "move", "from": "/warmup_num_steps", "path": "/scheduler/params/warmup_num_steps"}])" << false;
    QTest::newRow("an optimizer without a type") << R"({"train_batch_size": 1, "optimizer": {"params": {"lr": 1e-4}}})" << "/optimizer" << R"([{"op": "add", "path": "/optimizer/type", "value": "AdamW"}])" << false;
    QTest::newRow("an optimizer of type null") << R"({"train_batch_size": 1, "optimizer": {"type": null, "params": {"lr": 1e-4}}})" << "/optimizer" << R"([{"op": "test", "path": "/optimizer/type", "value": null}, {"op": "replace", "path": "/optimizer/type", "value": "AdamW"}])" << false;
    QTest::newRow("an optimizer with a name for a type") << R"({"train_batch_size": 1, "optimizer": {"name": "AdamW", "params": {"lr": 1e-4}}})" << "/optimizer/name"
        << R"([{"op": "test", "path": "/optimizer/name", "value": "AdamW"}, {"op": "move", "from": "/optimizer/name", "path": "/optimizer/type"}])" << false;
    QTest::newRow("an optimizer whose name is none") << R"({"train_batch_size": 1, "optimizer": {"name": "mine", "params": {"lr": 1e-4}}})" << "/optimizer/name" << R"([{"op": "add", "path": "/optimizer/type", "value": "AdamW"}])" << false;
    QTest::newRow("a rate beside the parameters of no type") << R"({"train_batch_size": 1, "optimizer": {"lr": 1e-4}})" << "/optimizer/lr"
        << R"([{"op": "add", "path": "/optimizer/params", "value": {}}, {"op": "move", "from": "/optimizer/lr", "path": "/optimizer/params/lr"}])" << false;
    QTest::newRow("a schedule without a type") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {}}, "scheduler": {"params": {"total_num_steps": 9, "warmup_num_steps": 2}}})" << "/scheduler"
        << R"([{"op": "add", "path": "/scheduler/type", "value": "WarmupDecayLR"}])" << false;
    QTest::newRow("a schedule with a name for a type") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {}}, "scheduler": {"name": "OneCycle", "params": {"cycle_min_lr": 1e-5, "cycle_max_lr": 1e-4}}})" << "/scheduler"
        << R"([{"op": "test", "path": "/scheduler/name", "value": "OneCycle"}, {"op": "move", "from": "/scheduler/name", "path": "/scheduler/type"}])" << false;
    QTest::newRow("a schedule that nothing tells apart") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {}}, "scheduler": {"params": {"gamma": 0.5}}})" << "/scheduler" << "" << false;
    QTest::newRow("a schedule and no optimizer") << R"({"train_batch_size": 1, "scheduler": {"type": "WarmupLR", "params": {}}})" << "/scheduler"
        << R"([{"op": "add", "path": "/optimizer", "value": {"type": "AdamW", "params": {"lr": 1e-4}}}])" << false;
    QTest::newRow("Adam's own switch beside its parameters") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}, "torch_adam": true}})" << "/optimizer/torch_adam"
        << R"([{"op": "move", "from": "/optimizer/torch_adam", "path": "/optimizer/params/torch_adam"}])" << false;
    QTest::newRow("a stage inside the optimizer") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}, "stage": 2}})" << "/optimizer/stage"
        << R"([{"op": "add", "path": "/zero_optimization", "value": {}}, {"op": "move", "from": "/optimizer/stage", "path": "/zero_optimization/stage"}])" << false;
    QTest::newRow("a stage among the optimizer's parameters") << R"({"train_batch_size": 1, "zero_optimization": {}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "stage": 2}}})" << "/optimizer/params/stage"
        << R"([{"op": "move", "from": "/optimizer/params/stage", "path": "/zero_optimization/stage"}])" << true;
    QTest::newRow("a warm-up inside the optimizer, beside a schedule") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}, "warmup_num_steps": 5}, "scheduler": {"type": "WarmupLR", "params": {}}})"
        << "/optimizer/warmup_num_steps" << R"([{"op": "move", "from": "/optimizer/warmup_num_steps", "path": "/scheduler/params/warmup_num_steps"}])" << false;
    QTest::newRow("a parameter of an optimizer that is not there") << R"({"train_batch_size": 1, "flops_profiler": {"muon_lr": 1e-3}})" << "/flops_profiler/muon_lr" << "" << false;
    QTest::newRow("a switch misspelt") << R"({"train_batch_size": 1, "fp16": {"enabled": "ture"}})" << "/fp16/enabled" << R"([{"op": "replace", "path": "/fp16/enabled", "value": true}])" << false;
    QTest::newRow("a word that is no switch") << R"({"train_batch_size": 1, "fp16": {"enabled": "perhaps"}})" << "/fp16/enabled" << "" << false;
    QTest::newRow("the old switch beside a section that says more") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 3, "cpu_offload": true, "offload_optimizer": {"device": "nvme", "nvme_path": "/x"}}})"
                                                                    << "/zero_optimization/cpu_offload" << R"([{"op": "remove", "path": "/zero_optimization/cpu_offload"}])" << false;
    QTest::newRow("the old switch beside a section that is off") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 3, "cpu_offload": true, "offload_optimizer": {"device": "none"}}})" << "/zero_optimization/cpu_offload" << "" << false;
    QTest::newRow("NVMe below stage 3") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {}}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "nvme"}}})"
                                        << "/zero_optimization/offload_optimizer/device" << R"([{"op": "replace", "path": "/zero_optimization/offload_optimizer/device", "value": "cpu"}])" << false;
    const auto left = [](const char* what, const char* params, const char* schedule, const char* key, const char* value) {
        const QString pointer(key);
        const QString fix = *value == '\0' ? QString() : QStringLiteral(R"([{"op": "replace", "path": "%1", "value": %2}])").arg(pointer, QString(value));
        QTest::newRow(what) << QStringLiteral(R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {%1}}, "scheduler": {%2}, "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "sub_group_size": "auto"}})").arg(QString(params), QString(schedule))
                            << pointer << fix << (pointer.endsWith("sub_group_size"));
    };
    const char* const warm = R"("type": "WarmupLR", "params": {"warmup_min_lr": "auto", "warmup_max_lr": "auto", "warmup_num_steps": "auto"})";
    left("a rate left to the Trainer", R"("lr": "auto")", "", "/optimizer/params/lr", "0.001");
    left("an epsilon left to the Trainer", R"("eps": "auto")", "", "/optimizer/params/eps", "1e-8");
    left("a decay left to the Trainer", R"("weight_decay": "auto")", "", "/optimizer/params/weight_decay", "0.0");
    left("a warm-up left to the Trainer", R"("lr": 2e-5)", warm, "/scheduler/params/warmup_num_steps", "1000");
    left("the start of a warm-up left to the Trainer", R"("lr": 2e-5)", warm, "/scheduler/params/warmup_min_lr", "0.0");
    left("the peak of a warm-up left to the Trainer", R"("lr": 2e-5)", warm, "/scheduler/params/warmup_max_lr", "2e-05");
    left("the peak of a warm-up, and the rate", R"("lr": "auto")", warm, "/scheduler/params/warmup_max_lr", "0.001");
    left("the length of a training has no default", R"("lr": 2e-5)", R"("type": "WarmupDecayLR", "params": {"total_num_steps": "auto"})", "/scheduler/params/total_num_steps", "");
    left("a bucket left to the Trainer", R"("lr": 2e-5)", "", "/zero_optimization/reduce_bucket_size", "500000000");
    left("a size that nobody fills in", R"("lr": 2e-5)", "", "/zero_optimization/sub_group_size", "1000000000");
    QTest::newRow("an accumulation left to the Trainer") << R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": "auto"})" << "/gradient_accumulation_steps"
        << R"([{"op": "remove", "path": "/gradient_accumulation_steps"}])" << false;
    QTest::newRow("batch sizes left to the Trainer, one and all") << R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto"})" << "/train_batch_size" << "" << false;
    QTest::newRow("one beta where two are taken") << R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"beta1": 0.9}}})" << "/optimizer/params/beta1"
                                                  << R"([{"op": "add", "path": "/optimizer/params/betas", "value": [0.9, 0.999]}, {"op": "remove", "path": "/optimizer/params/beta1"}])" << false;
}

void TstCheckFixes::fixes()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, fix);
    QFETCH(bool, safe);
    const CheckAnswer answer = answerFor(text.toStdString());
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer.toStdString(); });
    QVERIFY(found != answer.findings.end());
    const auto shown = [](const std::string& patch) { return patch.empty() ? QString() : QString::fromStdString(Json::parse(patch).dump()); };
    QCOMPARE(shown(found->fix), shown(fix.toStdString()));
    QCOMPARE(found->safe, safe);
}

QTEST_APPLESS_MAIN(TstCheckFixes)
#include "tst_check_fixes.moc"
