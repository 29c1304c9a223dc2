// SPDX-License-Identifier: GPL-3.0-or-later
// Keys DeepSpeed never uses in this config: unknown ones where nobody objects (R10, R12), and known ones that another
// setting switches off (R25, R26, R29, R37, R42, R53, R58, R63, R75, R79).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/meaning.h"
#include "config/rules/misnomers.h"
#include "config/rules/misplaced.h"
#include "config/wrapped_config.h"

#include <algorithm>
#include <array>

namespace stagecraft::rules {

namespace {

/// The switches of old releases whose place a key with words has taken.
std::string oldSwitchFix(const Judge& judge, const std::string& at, const ConfigValue& value)
{
    const bool on = value.isBool() && value.boolean && judge.root.find("communication_data_type") == nullptr && judge.facts.reads("", "communication_data_type");
    return on ? R"([{"op": "add", "path": "/communication_data_type", "value": "fp32"}, {"op": "remove", "path": ")" + at + "\"}]" : patchRemove(at);
}

/// "mixed_precision": "bf16" and its like: the section that does it, switched on.
void precisionByName(Judge& judge, const ConfigMember& member, const std::string& at)
{
    const std::string section(precisionSection(member.value));
    const MessageArguments key{{"key", member.key}};
    if (section.empty()) {
        keepUnasked(judge.ignoreSection("R10", "R10.precision", at, member.value, key, patchRemove(at)));
        return;
    }
    const std::string place = "/" + section + "/enabled";
    CheckFinding* const finding = ignoreForPlace(judge, "R10", "R10.meant", at, member.value, place, key);
    if (finding != nullptr && finding->fix.find(R"("move")") != std::string::npos) {
        finding->fix = finding->fix.substr(0, finding->fix.size() - 1) + ", " + patchReplace(place, "true").substr(1);
    }
    keepUnasked(finding);
}

/// Settings with a section of another name round them, such as "monitor_config": {"csv_monitor": {...}}: each goes where it is read.
bool wrappedSettings(Judge& judge, const ConfigMember& member, const std::string& at)
{
    const auto& members = member.value.members;
    const bool known = !members.empty() && std::all_of(members.begin(), members.end(), [&](const ConfigMember& each) { return judge.facts.reads("", each.key) && judge.root.find(each.key) == nullptr; });
    if (!known || (std::none_of(members.begin(), members.end(), [](const ConfigMember& each) { return each.value.isObject(); }) && !otherNames("", member.key).empty())) {
        return false;  // of a known name with plain values in it, the name says more
    }
    std::string words, fix = "[";
    for (const ConfigMember& each : members) {
        words += (words.empty() ? "" : ", ") + each.key;
        const std::string move = patchMove(at + "/" + pointerToken(each.key), "/" + pointerToken(each.key));
        fix += move.substr(1, move.size() - 2) + ", ";
    }
    keepUnasked(judge.ignoreSection("R10", "R10.wrapped", at, member.value, {{"key", member.key}, {"words", words}}, fix + patchRemove(at).substr(1)));
    return true;
}

void unknownTopKey(Judge& judge, const ConfigMember& member)
{
    const std::string at = "/" + pointerToken(member.key);
    if (judge.facts.removedTop.count(member.key) == 0 && !judge.asksMeaning()) {
        keepUnasked(judge.ignoreSection("R10", "R10.many", at, member.value, {{"key", member.key}}));
        return;
    }
    if (member.key == "fp32_allreduce" || member.key == "allreduce_always_fp32") {
        CheckFinding* const finding = judge.ignoreSection("R10", "R10.fp32", at, member.value, {{"key", member.key}}, oldSwitchFix(judge, at, member.value));
        if (!(member.value.isBool() && !member.value.boolean)) {  // off, it asks for nothing
            keepUnasked(finding);
        }
        return;
    }
    if (const std::string plain = withoutTypographicQuotes(member.key); plain != member.key && judge.facts.reads("", plain)) {
        ignoreForPlace(judge, "R10", "R10.quotes", at, member.value, "/" + plain, {{"key", member.key}});
        return;
    }
    if (judge.facts.removedTop.count(member.key) == 0 && wrappedSettings(judge, member, at)) {
        return;
    }
    if (member.key == "moe") {  // experts are the script's; "expert_parallel" is another thing and would be switched on by it
        keepUnasked(judge.ignoreSection("R10", "R10.moe", at, member.value, {{"key", member.key}}, asksForNothing(member.value) ? patchRemove(at) : std::string()));
        return;
    }
    const auto readHere = judge.facts.read.find("");
    std::vector<std::string> names{readHere->second.begin(), readHere->second.end()};
    if (judge.facts.atLeast(0, 17, 0)) {
        names.emplace_back("sequence_parallel_size");  // read by hand, see readAtTop()
    }
    const UnknownKey unknown{"", &member, "R10", {}, {}, names};
    const bool byItself = !bringsOptimizer(judge.context.launcher);
    static constexpr std::array kOfOptimizer{"lr", "betas", "eps", "weight_decay"};
    const auto absent = [&](const char* section) { return judge.root.find(section) == nullptr || judge.root.find(section)->isNull(); };
    const auto others = otherNames("", member.key);
    const std::string parameter = !others.empty() && !others.front()->translates ? others.front()->place : std::string();
    const std::string name = parameter.starts_with("/optimizer/params/") ? parameter.substr(18) : member.key;
    if (std::find(kOfOptimizer.begin(), kOfOptimizer.end(), name) != kOfOptimizer.end() && absent("optimizer") && judge.context.optimizer.empty() && byItself) {
        // A parameter alone makes no optimizer.
        judge.ignoreSection("R10", "R10.parameter", at, member.value, {{"key", member.key}, {"name", name}}, relocate(judge, at, member.value, "/optimizer/params/" + name).patch);
        return;
    }
    static constexpr std::array kOfSchedule{"warmup_num_steps", "warmup_min_lr", "warmup_max_lr", "warmup_type", "total_num_steps"};
    const std::string setting = parameter.starts_with("/scheduler/params/") ? parameter.substr(18) : member.key;
    if (std::find(kOfSchedule.begin(), kOfSchedule.end(), setting) != kOfSchedule.end() && absent("scheduler") && judge.context.scheduler.empty() && byItself) {
        judge.ignoreSection("R10", setting == "total_num_steps" ? "R10.schedule.falling" : "R10.schedule", at, member.value, {{"key", member.key}, {"name", setting}, {"type", "WarmupLR"}},
                            relocate(judge, at, member.value, "/scheduler/params/" + setting).patch);
        return;
    }
    if (tellOtherName(judge, unknown)) {
        return;
    }
    if (namesPrecision(member.key)) {
        precisionByName(judge, member, at);
        return;
    }
    if (foreignKey(member.key) != ForeignKey::None) {
        tellUnknown(judge, unknown);
        return;
    }
    if (judge.facts.removedTop.count(member.key) > 0) {
        return;
    }
    if (const std::string place = placeThatReads(judge, "", member.key); !place.empty()) {
        ignoreForPlace(judge, "R10", "R10.meant", at, member.value, place, {{"key", member.key}});
        return;
    }
    std::string near = judge.full() ? std::string() : nearestWord(member.key, names);
    // Of two precisions the one with the same letters: "pf16" differs from "bf16" in one letter alone.
    for (const std::string_view word : {"fp16", "bf16"}) {
        if (!near.empty() && std::is_permutation(member.key.begin(), member.key.end(), word.begin(), word.end())) {
            near = word;
        }
    }
    const auto precisions = near == "fp16" || near == "bf16" ? nearestWords(member.key, {"fp16", "bf16"}, 1) : std::vector<std::string>();
    if (precisions.size() > 1 && !std::is_permutation(member.key.begin(), member.key.end(), near.begin(), near.end())) {
        near.clear();  // both are told
    }
    if (!near.empty()) {
        ignoreForPlace(judge, "R10", "R10.near", at, member.value, "/" + pointerToken(near), {{"key", member.key}});
    } else {
        tellUnknown(judge, unknown);
    }
}

bool readAtTop(const Judge& judge, const std::string& key)
{
    if (key == "disable_allgather") {
        return false;  // parsed, then used by nothing
    }
    if (key == "allgather_size") {
        const ConfigValue* zero = judge.root.find("zero_optimization");
        return zero != nullptr && zero->isBool() && zero->boolean;
    }
    if (key == "sequence_parallel_size" || key == "data_parallel_size") {
        // a mesh needs both; newer releases also divide the ranks by the sequence size alone
        const bool both = judge.root.find("sequence_parallel_size") != nullptr && judge.root.find("data_parallel_size") != nullptr;
        return both ? judge.facts.atLeast(0, 16, 0) : key == "sequence_parallel_size" && judge.facts.atLeast(0, 17, 0) && !judge.context.pipelineModel;  // whose topology counts
    }
    if (key == "bfloat16") {
        const ConfigValue* bf16 = judge.root.find("bf16");
        return bf16 == nullptr || bf16->isNull();
    }
    return judge.facts.reads("", key);
}

/// Keys written into what DeepSpeed takes as one value, such as a switch inside "gradient_clipping".
void insideOfOneValue(Judge& judge, const ConfigMember& member)
{
    static constexpr std::array kValues{"gradient_clipping", "steps_per_print", "prescale_gradients", "gradient_predivide_factor", "communication_data_type",
                                        "sparse_gradients", "zero_allow_untested_optimizer", "zero_force_ds_cpu_optimizer", "dump_state", "memory_breakdown",
                                        "dataloader_drop_last"};
    if (!member.value.isObject() || std::find(kValues.begin(), kValues.end(), member.key) == kValues.end()) {
        return;
    }
    for (const ConfigMember& inner : member.value.members) {
        judge.ignoreSection("R12", "R12", "/" + member.key + "/" + pointerToken(inner.key), inner.value, {{"key", inner.key}, {"section", member.key}});
    }
}

void topLevel(Judge& judge)
{
    if (wrappedConfig(judge.root)) {  // R5 says where the config stands; beside it nothing is DeepSpeed's
        for (const ConfigMember& member : judge.root.members) {
            judge.ignoreQuietly("/" + pointerToken(member.key), member.value);
        }
        return;
    }
    for (const ConfigMember& member : judge.root.members) {
        if (readAtTop(judge, member.key)) {
            insideOfOneValue(judge, member);
            if (member.key == "gradient_clipping" && member.value.isNumber() && member.value.asDouble() < 0.0) {  // each optimizer asks whether it is above 0
                judge.unwise("R16", "clipping.negative", "/gradient_clipping", {{"value", toJson(member.value)}}, patchReplace("/gradient_clipping", "0.0"));
            }
            continue;
        }
        const std::string at = "/" + pointerToken(member.key);
        if (member.key == "bfloat16") {
            const ConfigValue& read = *judge.root.find("bf16");
            const ConfigValue* const on = read.isObject() ? read.find("enabled") : nullptr;
            const bool added = read.place.line == 0 && on != nullptr;  // by accelerate, beside which no file's old name is read
            CheckFinding* const finding = judge.ignoreSection("R42", added ? "R42.added" : "R42", at, member.value, {{"becomes", on == nullptr ? std::string() : toJson(*on)}}, patchRemove(at));
            if (toJson(member.value) != toJson(read)) {
                keepUnasked(finding);
            }
        } else if (member.key == "disable_allgather") {
            judge.ignore("R10", "R10.unused", at, {{"key", member.key}}, patchRemove(at));
        } else if (member.key == "allgather_size") {
            ignoreForPlace(judge, "R10", "R10.allgather", at, member.value, "/zero_optimization/allgather_bucket_size", {{"key", member.key}});
        } else if ((member.key == "sequence_parallel_size" || member.key == "data_parallel_size") && judge.facts.atLeast(0, 16, 0)) {
            const bool sequence = member.key == "sequence_parallel_size";
            keepUnasked(judge.ignoreSection("R10", "R10.mesh", at, member.value, {{"key", member.key}, {"other", sequence ? "data_parallel_size" : "sequence_parallel_size"}, {"release", judge.facts.version}}));
        } else {
            unknownTopKey(judge, member);
        }
    }
}

void ignoredField(Judge& judge, const ConfigValue& section, const std::string& at, std::string_view field, const char* rule, const char* message,
                  const MessageArguments& arguments)
{
    if (const ConfigMember* member = section.findMember(field)) {
        MessageArguments all = arguments;
        all.emplace_back("key", member->key);
        const std::string pointer = at + "/" + pointerToken(member->key);
        judge.ignoreSection(rule, message, pointer, member->value, all, patchRemove(pointer));
    }
}

/// Whether bf16 weights add up their gradients in bf16 although no stage is on: newer releases then have no wrapper.
bool sumsInBf16(const Judge& judge)
{
    const ConfigValue* types = judge.root.find("data_types");
    const ConfigValue* sums = types == nullptr ? nullptr : types->find("grad_accum_dtype");
    return sums != nullptr && (sums->isString("bf16") || sums->isString("bfloat16") || sums->isString("torch.bfloat16")) && judge.facts.atLeast(0, 17, 0) && !judge.context.pipelineModel;
}

/// What only an optimizer of ZeRO is given, where DeepSpeed makes none.
void withoutZeroOptimizer(Judge& judge, const ConfigValue& zero, const char* message)
{
    static const std::string kAt = "/zero_optimization";
    for (const char* key : {"contiguous_gradients", "reduce_scatter", "use_multi_rank_bucket_allreduce", "round_robin_gradients", "ignore_unused_parameters"}) {
        ignoredField(judge, zero, kAt, key, "R25", message, {});
    }
    // The pipeline engine looks at that one, and so does a step whose end the script decides.
    const ConfigValue* managed = judge.facts.reads("", "managed_gradient_accumulation") ? judge.root.find("managed_gradient_accumulation") : nullptr;
    if (!judge.context.pipelineModel && (managed == nullptr || pythonTruth(*managed))) {
        ignoredField(judge, zero, kAt, "overlap_comm", "R25", message, {});
    }
    if (!judge.parsed.flag(judge.parsed.compile, "deepcompile") && !judge.settled("/compile/deepcompile")) {  // DeepCompile takes its size from there
        ignoredField(judge, zero, kAt, "reduce_bucket_size", "R25", message, {});
    }
}

void zeroKeys(Judge& judge)
{
    const ConfigValue* zero = judge.root.find("zero_optimization");
    if (zero == nullptr || !zero->isObject()) {
        return;
    }
    static const std::string kAt = "/zero_optimization";
    const int stage = judge.parsed.stage();
    const MessageArguments stageText{{"stage", std::to_string(stage)}};
    if (const ConfigValue* pinned = zero->find("cpu_offload_use_pin_memory")) {
        judge.ignoreQuietly(kAt + "/cpu_offload_use_pin_memory", *pinned);  // told as deprecated (R21)
    }
    if (zero->find("allgather_partitions") != nullptr) {  // every release keeps it in its config, and no code asks for it
        if (CheckFinding* finding = judge.ignore("R25", "R25.nobody", kAt + "/allgather_partitions", {{"key", "allgather_partitions"}}, patchRemove(kAt + "/allgather_partitions"))) {
            finding->severity = CheckSeverity::Info;  // it stands in every example
        }
    }
    if (judge.settled(kAt + "/stage")) {
        return;  // a stage is written and refused: which keys it uses nobody can say
    }
    if (stage == 0) {
        withoutZeroOptimizer(judge, *zero, "R25.stage0");
        const bool wrapper = judge.settled("/bf16/enabled") || judge.settled("/bfloat16/enabled");  // or nobody can say
        if (!wrapper && (!judge.parsed.flag(judge.parsed.bf16, "enabled") || sumsInBf16(judge))) {  // the wrapper of bf16 gathers by it
            ignoredField(judge, *zero, kAt, "allgather_bucket_size", "R25", "R25.stage0", {});
        }
    } else if (wrapsBf16(judge)) {
        withoutZeroOptimizer(judge, *zero, "R25.bf16");
    }
    if (stage == 3) {  // DeepSpeedZeroOptimizer_Stage3 is not given them, nor has DeepCompile or ZenFlow a use for them there
        for (const char* key : {"allgather_bucket_size", "round_robin_gradients", "ignore_unused_parameters"}) {
            ignoredField(judge, *zero, kAt, key, "R25", "R25.stage12", {});
        }
    } else {
        for (const char* key :
             {"sub_group_size", "memory_efficient_linear", "stage3_max_live_parameters", "max_live_parameters", "stage3_max_reuse_distance", "max_reuse_distance", "stage3_prefetch_bucket_size",
              "prefetch_bucket_size", "stage3_param_persistence_threshold", "param_persistence_threshold", "stage3_model_persistence_threshold",
              "model_persistence_threshold", "stage3_gather_16bit_weights_on_model_save", "gather_16bit_weights_on_model_save",
              "stage3_gather_fp16_weights_on_model_save", "stage3_module_granularity_threshold", "module_granularity_threshold",
              "stage3_use_all_reduce_for_fetch_params", "use_all_reduce_for_fetch_params", "stage3_allgather_sequential", "allgather_sequential"}) {
            ignoredField(judge, *zero, kAt, key, "R25", "R25.stage3", stageText);
        }
        for (const char* key : {"zero_hpz_partition_size", "zero_quantized_weights", "zero_quantized_nontrainable_weights", "zero_quantized_gradients"}) {
            ignoredField(judge, *zero, kAt, key, "R37", "R37.stage", stageText);
        }
        ignoredField(judge, *zero, kAt, "offload_param", "R25", "R25", stageText);
        ignoredField(judge, *zero, kAt, "cpu_offload_param", "R25", "R25", stageText);
    }
    const auto known = [&](const std::string& section) {  // a device that is refused is none of those the keys are for, and may be meant as any
        return !judge.settled(kAt + section) && !judge.settled(kAt + section + "/device");
    };
    if (const ConfigValue* offload = zero->find("offload_optimizer"); offload != nullptr && offload->isObject()) {
        const std::string at = kAt + "/offload_optimizer";
        const std::string device = judge.parsed.offloadDevice("offload_optimizer");
        if (stage != 3) {
            ignoredField(judge, *offload, at, "super_offload", "R29", "R29.stage", stageText);
            ignoredField(judge, *offload, at, "cpuadam_cores_perc", "R29", "R29.stage", stageText);
        }
        if (known("/offload_optimizer") && (device != "nvme" || stage != 3)) {
            for (const char* key : {"nvme_path", "buffer_count", "fast_init", "pipeline_read", "pipeline_write"}) {
                ignoredField(judge, *offload, at, key, "R26", device == "nvme" ? "R26.path" : "R26.device", {{"device", device}, {"stage", std::to_string(stage)}});
            }
        }
    }
    if (const ConfigValue* offload = zero->find("offload_param"); stage == 3 && offload != nullptr && offload->isObject()) {
        const std::string device = judge.parsed.offloadDevice("offload_param");
        if (known("/offload_param") && device != "nvme") {
            for (const char* key : {"nvme_path", "buffer_count", "buffer_size", "max_in_cpu"}) {
                ignoredField(judge, *offload, kAt + "/offload_param", key, "R26", "R26.device", {{"device", device}});
            }
        }
    }
}

void pipelineKeys(Judge& judge)
{
    const ConfigValue* section = judge.root.find("pipeline");
    if (section == nullptr) {
        return;
    }
    if (!judge.context.pipelineModel) {
        keepUnasked(judge.ignoreSection("R63", "R63", "/pipeline", *section, {}, patchRemove("/pipeline")));
        return;
    }
    for (const ConfigMember& member : section->members) {
        if (member.key == "activation_checkpoint_interval" || member.key == "pipe_partitioned" || member.key == "grad_partitioned" ||
            member.key == "use_reentrant") {
            continue;
        }
        const std::string at = "/pipeline/" + pointerToken(member.key);
        keepUnasked(judge.ignoreSection("R63", "R63.key", at, member.value, {{"key", member.key}}, patchRemove(at)));
    }
}

void unusedSections(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    if (const ConfigValue* optimizer = judge.root.find("optimizer"); optimizer != nullptr && optimizer->isObject()) {
        if (const ConfigValue* type = optimizer->find("type"); parsed.optimizerName.empty() && (type == nullptr || type->isNull() || type->isString(""))) {
            judge.ignoreSection("R53", "R53.untyped", "/optimizer", *optimizer, {}, typePatch(judge, "/optimizer"));
        } else if (!judge.context.optimizer.empty()) {
            keepUnasked(judge.ignoreSection("R53", "R53.client", "/optimizer", *optimizer, {{"class", judge.context.optimizer}}, patchRemove("/optimizer")));  // a script may take its numbers from there
        }
    }
    if (const ConfigValue* scheduler = judge.root.find("scheduler"); scheduler != nullptr && scheduler->isObject()) {
        const ConfigValue* type = scheduler->find("type");
        if (parsed.schedulerName.empty() && !(type != nullptr && type->isString())) {
            judge.ignoreSection("R58", "R58.untyped", "/scheduler", *scheduler, {}, typePatch(judge, "/scheduler"));
        } else if (!judge.context.scheduler.empty()) {
            keepUnasked(judge.ignoreSection("R58", "R58.client", "/scheduler", *scheduler, {{"class", judge.context.scheduler}}, patchRemove("/scheduler")));  // a script may take its numbers from there
        } else if (parsed.optimizerName.empty() && judge.context.optimizer.empty() && !bringsOptimizer(judge.context.launcher)) {
            const bool absent = judge.root.find("optimizer") == nullptr;
            judge.ignoreSection("R58", "R58.alone", "/scheduler", *scheduler, {}, absent ? patchAdd("/optimizer", R"({"type": "AdamW", "params": {"lr": 1e-4}})") : typePatch(judge, "/optimizer"));
        }
    }
    if (const ConfigValue* comms = judge.root.find("comms_logger"); comms != nullptr && comms->isObject()) {
        const ConfigValue* all = comms->find("prof_all");
        if (all == nullptr || (all->isString() ? switchMeant(*all) == "true" : pythonTruth(*all))) {  // prof_all is on by default, and "false" is false to its class
            ignoredField(judge, *comms, "/comms_logger", "prof_ops", "R75", "R75", {});
        }
    }
}

}  // namespace

void collectIgnored(Judge& judge)
{
    topLevel(judge);
    collectReadByHand(judge);
    unusedSections(judge);
    pipelineKeys(judge);
    zeroKeys(judge);
    tellSwitches(judge);
    tellMissingSwitches(judge);
}

}  // namespace stagecraft::rules
