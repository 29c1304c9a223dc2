// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing, part one: removed keys, the ZeRO block, number formats and the other pydantic sections.
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/meaning.h"

#include <array>
#include <cmath>

namespace stagecraft::rules {

namespace {

/// A section read with `**section`: null and anything but an object is a TypeError.
ConfigValue readSection(Judge& judge, std::string_view section, const ConfigValue* written)
{
    const ModelFacts* model = judge.facts.sectionModel(section);
    if (model == nullptr) {
        return ConfigValue::ofObject();
    }
    if (written == nullptr) {
        return modelDefaults(judge.facts, *model);
    }
    return validateModel(judge, *model, *written, "/" + std::string(section));
}

}  // namespace

namespace {

/// The legacy curriculum in the section that took its place: the same rise under the name of its metric, for all samples in one cluster.
std::string curriculumPatch(const Judge& judge, const ConfigValue& legacy)
{
    const ConfigValue* on = legacy.find("enabled");
    const auto lacks = [&](const char* key) { return legacy.find(key) == nullptr; };
    const bool partial = lacks("min_difficulty") || lacks("max_difficulty") || lacks("schedule_type");  // the scheduler asks for all three, and nobody knows them
    if (judge.root.find("data_efficiency") != nullptr || on == nullptr || !pythonTruth(*on) || partial) {
        return {};
    }
    ConfigValue metric = ConfigValue::ofObject();
    metric.set("difficulty_type", ConfigValue::ofString("value"));
    metric.set("clustering_type", ConfigValue::ofString("single_cluster"));
    for (const char* key : {"min_difficulty", "max_difficulty", "schedule_type", "schedule_config"}) {
        if (const ConfigValue* value = legacy.find(key)) {
            metric.set(key, *value);
        }
    }
    const ConfigValue* name = legacy.find("curriculum_type");
    const auto holding = [](const std::string& key, ConfigValue value, bool switched) {
        ConfigValue section = ConfigValue::ofObject();
        if (switched) {
            section.set("enabled", ConfigValue::ofBool(true));
        }
        section.set(key, std::move(value));
        return section;
    };
    ConfigValue curriculum = holding("curriculum_metrics", holding(name != nullptr && name->isString() ? name->text : "seqlen", std::move(metric), false), true);
    curriculum.set("data_cluster_path", ConfigValue::ofString("curriculum_clusters"));
    const std::string section = toJson(holding("data_sampling", holding("curriculum_learning", std::move(curriculum), true), true));
    const std::string add = patchAdd("/data_efficiency", section);
    return add.substr(0, add.size() - 1) + ", " + patchRemove("/curriculum_learning").substr(1);
}

}  // namespace

void checkRemovedKeys(Judge& judge)
{
    for (const ConfigMember& member : judge.root.members) {
        if (judge.facts.removedTop.count(member.key) > 0) {
            const std::string own = "release.removed." + member.key;
            const std::string converted = member.key == "curriculum_learning" ? curriculumPatch(judge, member.value) : std::string();
            const bool batchesGiven = member.key == "elasticity" && (judge.root.find("train_batch_size") != nullptr || judge.root.find("train_micro_batch_size_per_gpu") != nullptr);
            const bool goes = !hasMessage(own) || asksForNothing(member.value) || batchesGiven;  // a message of its own says what does its work
            judge.refuse(CheckLevel::Parse, "release.removed", hasMessage(own) ? own : "release.removed", "/" + pointerToken(member.key),
                         {{"key", member.key}, {"release", judge.facts.version}},
                         !converted.empty() ? converted : goes ? patchRemove("/" + pointerToken(member.key)) : std::string(), Judge::At::Key);
        }
    }
    const ConfigValue* zero = judge.root.find("zero_optimization");
    if (zero == nullptr) {
        return;
    }
    for (const ConfigMember& member : zero->members) {
        if (judge.facts.removedZero.count(member.key) > 0) {
            const std::string at = "/zero_optimization/" + pointerToken(member.key);
            judge.refuse(CheckLevel::Parse, "release.removed", "release.removed.zero", at,
                         {{"key", member.key}, {"release", judge.facts.version}}, patchRemove(at), Judge::At::Key);
        }
    }
}

void checkZero(Judge& judge)
{
    const ModelFacts* model = judge.facts.sectionModel("zero_optimization");
    const ConfigValue* written = judge.root.find("zero_optimization");
    if (model == nullptr) {
        return;
    }
    static const std::string kAt = "/zero_optimization";
    ConfigValue& zero = judge.parsed.zero;
    if (written == nullptr) {
        zero = modelDefaults(judge.facts, *model);
    } else if (written->isBool()) {  // R19: the form of 2020
        zero = modelDefaults(judge.facts, *model);
        zero.set("stage", ConfigValue::ofInt(written->boolean ? 1 : 0));
        const std::string stage = written->boolean ? "1" : "0";
        if (CheckFinding* finding = judge.change(CheckLevel::Parse, "R19", "R19", kAt + "/stage", stage, {{"stage", stage}, {"value", toJson(*written)}})) {
            finding->fix = patchReplace(kAt, "{\"stage\": " + stage + "}");
        }
        if (written->boolean) {
            if (const ConfigValue* bucket = judge.root.find("allgather_size")) {
                zero.set("allgather_bucket_size", *bucket);
                judge.change(CheckLevel::Parse, "R19", "R19.bucket", kAt + "/allgather_bucket_size", toJson(*bucket), {}, CheckSeverity::Info);
            }
        }
    } else {
        zero = validateModel(judge, *model, *written, kAt);
    }
    const int stage = judge.parsed.stage();
    const ConfigValue* overlap = zero.find("overlap_comm");
    if (overlap != nullptr && overlap->isNull()) {  // R23
        zero.set("overlap_comm", ConfigValue::ofBool(stage == 3));
        const ConfigValue* given = written == nullptr ? nullptr : written->find("overlap_comm");
        if (given != nullptr && given->isString("auto")) {
            judge.change(CheckLevel::Parse, "R16", "R16.nobody", kAt + "/overlap_comm", stage == 3 ? "true" : "false", {{"key", "overlap_comm"}});
        } else if (given != nullptr && given->isNull()) {
            judge.change(CheckLevel::Parse, "R23", "R23", kAt + "/overlap_comm", stage == 3 ? "true" : "false", {{"stage", std::to_string(stage)}},
                         CheckSeverity::Info);
        }
    }
    if (model->validators.count("compute_grad_norm_valid") > 0 && zero.find("compute_grad_norm") != nullptr &&
        !judge.parsed.flag(zero, "compute_grad_norm") && stage != 1 && stage != 2) {
        judge.refuse(CheckLevel::Parse, "R13", "zero.compute_grad_norm", kAt + "/compute_grad_norm", {{"stage", std::to_string(stage)}},
                     patchRemove(kAt + "/compute_grad_norm"));
    }
    const ConfigValue* offload = zero.find("offload_optimizer");
    if (offload != nullptr && offload->isObject() && offload->find("ratio") != nullptr && offload->find("ratio")->asDouble() < 1.0 && stage != 3 &&
        judge.facts.pydantic >= 2) {
        judge.refuse(CheckLevel::Parse, "R24", "R24", kAt + "/offload_optimizer/ratio", {{"stage", std::to_string(stage)}},
                     patchRemove(kAt + "/offload_optimizer/ratio"));
    }
    if (stage == 3 && judge.parsed.flag(zero, "elastic_checkpoint")) {
        judge.warn(CheckLevel::Parse, "R22", "R22", kAt + "/elastic_checkpoint", {}, patchRemove(kAt + "/elastic_checkpoint"));
    }
    const ConfigValue* zenflow = zero.find("zenflow");
    if (zenflow == nullptr || !zenflow->isObject()) {
        return;
    }
    const auto interval = [&](const char* key, bool positive) {
        const ConfigValue* value = zenflow->find(key);
        if (value == nullptr) {
            return;
        }
        if (value->isString() && value->text != "auto") {
            judge.refuse(CheckLevel::Parse, "R39", "R39.interval", kAt + "/zenflow/" + key, {{"key", key}, {"value", toJson(*value)}});
        } else if (positive && value->isIntLike() && value->asDouble() < 1.0) {
            judge.refuse(CheckLevel::Parse, "R39", "R39.interval", kAt + "/zenflow/" + key, {{"key", key}, {"value", toJson(*value)}});
        }
    };
    interval("select_interval", false);
    interval("update_interval", judge.facts.atLeast(0, 19, 0));  // 0.18 leaves it to its first step (engine_zero.cpp)
    const std::string strategy = judge.parsed.word(*zenflow, "select_strategy");
    if (strategy != "auto" && strategy != "step" && strategy != "epoch") {
        judge.refuse(CheckLevel::Parse, "R39", "R39.strategy", kAt + "/zenflow/select_strategy", {{"value", strategy}});
    }
}

namespace {

/// fp16's own field checks, which come before pydantic's (R43, R44).
bool checkLossScale(Judge& judge, const ModelFacts& model, const ConfigValue& written)
{
    bool ok = true;
    const ConfigValue* strict = written.find("strict");
    const bool keepAuto = strict != nullptr && pythonTruth(*strict);
    if (const ConfigValue* scale = written.find("loss_scale"); scale != nullptr && (keepAuto || !scale->isString("auto"))) {
        std::optional<double> number;
        if (scale->isNumber() && !scale->isBool()) {
            number = scale->asDouble();
        } else if (scale->isString()) {
            number = pythonFloat(scale->text);
        }
        if (!number.has_value() || !std::isfinite(*number) || *number < 0.0) {
            judge.refuse(CheckLevel::Parse, "R43", "R43", "/fp16/loss_scale", {{"value", toJson(*scale)}}, patchReplace("/fp16/loss_scale", "0"));
            ok = false;
        }
    }
    for (const char* key : {"loss_scale_window", "min_loss_scale"}) {
        const bool refusesBool = model.validators.count("_reject_non_integer_scale_params") > 0;  // before that true passed as 1
        if (const ConfigValue* value = written.find(key); refusesBool && value != nullptr && value->isBool()) {
            judge.refuse(CheckLevel::Parse, "R44", "R44.type", "/fp16/" + std::string(key), {{"key", key}, {"value", toJson(*value)}});
            ok = false;
        }
    }
    return ok;
}

void checkFp16(Judge& judge)
{
    const ConfigValue* written = judge.root.find("fp16");
    Parsed& parsed = judge.parsed;
    if (const ModelFacts* model = judge.facts.sectionModel("fp16")) {
        if (written != nullptr && written->isObject() && model->validators.count("_validate_loss_scale") > 0 && !checkLossScale(judge, *model, *written)) {
            if (const ConfigValue* enabled = written->find("enabled")) {  // bf16 beside it is a fault of its own
                parsed.fp16 = ConfigValue::ofObject();
                parsed.fp16.set("enabled", *enabled);
            }
            return;
        }
        parsed.fp16 = readSection(judge, "fp16", written);
        const ConfigValue* scale = parsed.fp16.find("loss_scale");
        if (model->validators.count("_validate_dynamic_loss_scale_params") > 0 && parsed.flag(parsed.fp16, "enabled") && scale != nullptr &&
            scale->asDouble() == 0.0) {
            for (const char* key : {"loss_scale_window", "min_loss_scale"}) {
                const ConfigValue* value = parsed.fp16.find(key);
                if (value != nullptr && value->isNumber() && value->asDouble() <= 0.0) {
                    judge.refuse(CheckLevel::Parse, "R44", "R44", "/fp16/" + std::string(key), {{"key", key}, {"value", toJson(*value)}},
                                 patchRemove("/fp16/" + std::string(key)));
                }
            }
        }
        return;
    }
    // Before 0.17 the section was read by hand: no types, no unknown keys.
    parsed.fp16 = ConfigValue::ofObject();
    if (written == nullptr) {
        return;
    }
    if (!written->isObject()) {
        judge.refuse(CheckLevel::Parse, "R14", "R14.object", "/fp16", {{"key", "fp16"}, {"kind", kindName(*written)}});
        return;
    }
    parsed.fp16 = *written;
    const ConfigValue* power = written->find("initial_scale_power");
    if (parsed.flag(parsed.fp16, "enabled") && power != nullptr && !power->isNumber()) {  // 2 ** power
        judge.refuse(CheckLevel::Parse, "R44", "R44.power", "/fp16/initial_scale_power", {{"value", toJson(*power)}},
                     patchReplace("/fp16/initial_scale_power", "16"));
    } else if (parsed.flag(parsed.fp16, "enabled") && power != nullptr && power->kind == ConfigValue::Kind::Float && power->asDouble() >= 1024.0) {  // 2 ** power is a float as well
        judge.refuse(CheckLevel::Parse, "R44", "R44.overflow", "/fp16/initial_scale_power", {{"value", toJson(*power)}}, patchReplace("/fp16/initial_scale_power", "16"));
    }
}

/// The name under which the section of bf16 stands, the new one or the old, and what it holds.
std::pair<std::string, const ConfigValue*> writtenBf16(const Judge& judge)
{
    const ConfigValue* written = judge.root.find("bf16");
    if (written == nullptr || (written->isNull() && judge.facts.sectionModel("bf16") != nullptr)) {
        return {"bfloat16", judge.root.find("bfloat16")};
    }
    return {"bf16", written};
}

void checkBf16(Judge& judge)
{
    Parsed& parsed = judge.parsed;
    const ModelFacts* model = judge.facts.sectionModel("bf16");
    const auto [name, written] = writtenBf16(judge);
    if (model != nullptr) {
        parsed.bf16 = written == nullptr ? modelDefaults(judge.facts, *model) : validateModel(judge, *model, *written, "/" + name);
        return;
    }
    parsed.bf16 = ConfigValue::ofObject();
    if (written == nullptr) {
        return;
    }
    if (!written->isObject()) {
        judge.refuse(CheckLevel::Parse, "R14", "R14.object", "/" + name, {{"key", name}, {"kind", kindName(*written)}});
        return;
    }
    parsed.bf16 = *written;
}

}  // namespace

void checkPrecision(Judge& judge)
{
    checkFp16(judge);
    checkBf16(judge);
    Parsed& parsed = judge.parsed;
    if (parsed.flag(parsed.fp16, "enabled") && parsed.flag(parsed.bf16, "enabled")) {
        judge.refuse(CheckLevel::Parse, "R41", "R41", "/fp16/enabled", {}, patchReplace("/fp16/enabled", "false"));
    }
}

void checkModelSections(Judge& judge)
{
    if (const ConfigValue* comms = judge.root.find("comms_logger")) {
        (void)readSection(judge, "comms_logger", comms);
    }
    for (const char* monitor : {"tensorboard", "wandb", "csv_monitor", "comet"}) {
        const ConfigValue* written = judge.root.find(monitor);
        const bool emptyList = written != nullptr && written->isList() && written->items.empty() && judge.facts.pydantic == 1;  // dict([])
        if (written != nullptr && !written->isString("auto") && !emptyList) {  // the class round the four drops "auto" itself
            ConfigValue read = readSection(judge, monitor, written);
            if (std::string_view(monitor) == "csv_monitor") {
                judge.parsed.csvMonitor = std::move(read);
            }
        }
    }
    judge.parsed.hybridEngine = readSection(judge, "hybrid_engine", judge.root.find("hybrid_engine"));
    if (judge.facts.sectionModel("weight_quantization") != nullptr && judge.root.find("weight_quantization") != nullptr) {
        (void)readSection(judge, "weight_quantization", judge.root.find("weight_quantization"));
    }
    if (judge.facts.reads("", "compile")) {
        judge.parsed.compile = readSection(judge, "compile", judge.root.find("compile"));
    }
    if (judge.facts.reads("", "tensor_parallel")) {
        judge.parsed.tensorParallel = readSection(judge, "tensor_parallel", judge.root.find("tensor_parallel"));
    }
    if (const ConfigValue* timers = judge.root.find("timers")) {
        if (timers->isObject()) {
            if (const ConfigValue* throughput = timers->find("throughput")) {
                (void)readSection(judge, "timers/throughput", throughput);
            }
        } else if (!timers->isList() && !timers->isString()) {
            judge.refuse(CheckLevel::Parse, "R14", "R14.object", "/timers", {{"key", "timers"}, {"kind", kindName(*timers)}});
        }
    }
}

void checkParsedWhole(Judge& judge)
{
    Parsed& parsed = judge.parsed;
    const bool zeroOn = parsed.stage() >= 1 && parsed.stage() <= 3;
    if (const ConfigValue* op = judge.root.find("gradient_allreduce_op"); op != nullptr && judge.facts.reads("", "gradient_allreduce_op")) {
        std::string word = op->isString() ? op->text : std::string();
        for (char& c : word) {
            c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        static const std::string kAt = "/gradient_allreduce_op";
        if (word != "mean" && word != "sum") {
            judge.refuse(CheckLevel::Parse, "R33", "R33.word", kAt, {{"value", toJson(*op)}}, patchRemove(kAt));
        } else if (word == "sum" && parsed.stage() == 3) {
            judge.refuse(CheckLevel::Parse, "R33", "R33.with", kAt, {{"what", "ZeRO stage 3"}}, patchRemove(kAt));
        } else if (word == "sum" && parsed.zero.find("zenflow") != nullptr && parsed.zero.find("zenflow")->isObject()) {
            judge.refuse(CheckLevel::Parse, "R33", "R33.with", kAt, {{"what", "ZenFlow"}}, patchRemove(kAt));
        } else if (word == "sum" && parsed.flag(parsed.compile, "deepcompile")) {
            judge.refuse(CheckLevel::Parse, "R33", "R33.with", kAt, {{"what", "DeepCompile"}}, patchRemove(kAt));
        } else if (word != op->text) {
            judge.respell("R33", "R13.case", kAt, toJson(ConfigValue::ofString(word)), {{"key", "gradient_allreduce_op"}});
        }
    }
    if (parsed.flag(parsed.fp16, "fp16_master_weights_and_grads")) {
        // before 0.17 only stage 2 would do, and the switch counted only with fp16 itself on
        const bool allowed = judge.facts.sectionModel("fp16") != nullptr ? zeroOn : parsed.stage() == 2 || !parsed.flag(parsed.fp16, "enabled");
        if (!allowed) {
            judge.refuse(CheckLevel::Parse, "R45", "R45", "/fp16/fp16_master_weights_and_grads", {{"key", "fp16_master_weights_and_grads"}},
                         patchRemove("/fp16/fp16_master_weights_and_grads"));
        }
    }
    const std::string bf16 = "/" + writtenBf16(judge).first;
    if (parsed.flag(parsed.bf16, "bf16_master_weights_and_grads") && !zeroOn && judge.facts.sectionModel("bf16") != nullptr) {
        judge.refuse(CheckLevel::Parse, "R45", "R45", bf16 + "/bf16_master_weights_and_grads", {{"key", "bf16_master_weights_and_grads"}},
                     patchRemove(bf16 + "/bf16_master_weights_and_grads"));
    }
    if (parsed.flag(parsed.bf16, "bf16_optimizer_states") && judge.facts.sectionModel("bf16") != nullptr &&
        (!zeroOn || !parsed.flag(parsed.bf16, "bf16_master_weights_and_grads"))) {
        judge.refuse(CheckLevel::Parse, "R46", "R46", bf16 + "/bf16_optimizer_states", {}, patchRemove(bf16 + "/bf16_optimizer_states"));
    }
    if (const ConfigValue* vocabulary = judge.root.find("vocabulary_size"); vocabulary != nullptr && pythonTruth(*vocabulary)) {
        if (!vocabulary->isNumber() && !vocabulary->isString()) {
            judge.refuse(CheckLevel::Parse, "R61", "R13.type", "/vocabulary_size", {{"key", "vocabulary_size"}, {"value", toJson(*vocabulary)}, {"expected", "an integer"}});
        } else if (vocabulary->isString()) {  // text % 8 is a formatting operation, which fails
            judge.refuse(CheckLevel::Parse, "R61", "R13.type", "/vocabulary_size", {{"key", "vocabulary_size"}, {"value", toJson(*vocabulary)}, {"expected", "an integer"}});
        } else if (std::fmod(vocabulary->asDouble(), 8.0) != 0.0) {
            judge.warn(CheckLevel::Parse, "R61", "R61", "/vocabulary_size", {{"value", toJson(*vocabulary)}});
        }
    }
}

}  // namespace stagecraft::rules
