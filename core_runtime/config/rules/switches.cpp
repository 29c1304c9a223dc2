// SPDX-License-Identifier: GPL-3.0-or-later
// Switches of the sections read by hand (R16): DeepSpeed asks Python whether the value is true, and every text but the empty one is. And sections
// that are written without their switch, which is off by default (R12).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/misplaced.h"

#include <algorithm>
#include <array>

namespace stagecraft::rules {

namespace {

/// Switches that have no default of their own in a release's facts.
constexpr std::array kOfParameters{
    std::string_view("/optimizer/params/torch_adam"), std::string_view("/optimizer/params/adam_w_mode"), std::string_view("/optimizer/params/nesterov"),
    std::string_view("/optimizer/params/amsgrad"), std::string_view("/optimizer/params/maximize"),
    std::string_view("/optimizer/params/fp32_optimizer_states"), std::string_view("/optimizer/params/set_grad_none"),
    std::string_view("/optimizer/params/eps_inside_sqrt"), std::string_view("/optimizer/params/foreach"), std::string_view("/optimizer/params/fused"),
    std::string_view("/optimizer/params/centered"), std::string_view("/optimizer/params/capturable"),
    std::string_view("/optimizer/params/decoupled_weight_decay"), std::string_view("/optimizer/legacy_fusion"),
    std::string_view("/scheduler/params/cycle_momentum"), std::string_view("/scheduler/params/lr_range_test_staircase"),
    std::string_view("/scheduler/params/three_phase"), std::string_view("/tensor_parallel/partition_config/use_default_specs"),
    std::string_view("/tensor_parallel/partition_config/strict_mode"), std::string_view("/data_efficiency/data_sampling/curriculum_learning/enabled"),
    std::string_view("/data_efficiency/data_routing/random_ltd/enabled"), std::string_view("/expert_parallel/route_norm"),
    std::string_view("/elasticity/prefer_larger_batch"), std::string_view("/elasticity/ignore_non_elastic_batch_info"),
    std::string_view("/compression_training/layer_reduction/enabled")};

/// Switches that are refused where they are anything but true and false.
constexpr std::array kStrict{std::string_view("/expert_parallel/validate_folding_routing"), std::string_view("/expert_parallel/async_split_plan"),
                             std::string_view("/aio/single_submit"), std::string_view("/aio/overlap_events")};

/// The techniques of compression_training, and the switches among the parameters that the groups of each share.
constexpr std::array kTechniques{"weight_quantization", "activation_quantization", "sparse_pruning", "row_pruning", "head_pruning", "channel_pruning"};
constexpr std::array kOfTechnique{"enabled", "quantizer_kernel", "quantize_verbose", "quantize_weight_in_forward", "fp16_mixed_quantize/enabled"};

/// Sections that DeepSpeed converts when it parses them, in this release: what a text becomes there is told with their other values.
bool converted(const ReleaseFacts& facts, const std::string& pointer)
{
    const std::size_t end = pointer.find('/', 1);
    return end != std::string::npos && facts.sectionModel(pointer.substr(1, end - 1)) != nullptr;
}

void tellSwitch(Judge& judge, const std::string& pointer)
{
    const ConfigValue* value = configAt(judge.root, pointer);
    if (value == nullptr || !value->isString() || value->text.empty() || judge.settled(pointer)) {
        return;
    }
    const std::string word = switchMeant(*value);
    if (CheckFinding* finding = judge.actAs(CheckLevel::Parse, "R16", "R16.truth", pointer, "true", {{"key", pointer.substr(pointer.rfind('/') + 1)}, {"value", toJson(*value)}})) {
        finding->fix = patchReplace(pointer, word.empty() ? "true" : word);  // of a text that spells neither, what it acts as
        finding->safe = word == "true";
    }
}

/// Switches that nothing in DeepSpeed asks: each part of data_efficiency is on or off by its own (engine.py: random_ltd_enabled, curriculum_learning_enabled).
constexpr std::array kUnasked{std::string_view("/data_efficiency"), std::string_view("/data_efficiency/data_sampling"), std::string_view("/data_efficiency/data_routing")};
constexpr std::array kParts{std::string_view("/data_efficiency/data_sampling/curriculum_learning"), std::string_view("/data_efficiency/data_routing/random_ltd")};

/// Its mere presence is its switch, in every release (comm/config.py: 'comms_logger' in ds_config).
constexpr std::string_view kCommsLogger = "/comms_logger";

/// The object at `pointer`; null where none stands there.
const ConfigValue* sectionAt(const ConfigValue& root, const std::string& pointer)
{
    const ConfigValue* value = configAt(root, pointer);
    return value != nullptr && value->isObject() ? value : nullptr;
}

/// What is said of a key in it, a misspelt switch before all, comes first.
void tellMissingSwitch(Judge& judge, const std::string& pointer)
{
    const ConfigValue* section = sectionAt(judge.root, pointer);
    if (section == nullptr || section->find("enabled") != nullptr || judge.settled(pointer)) {
        return;
    }
    const auto asked = [&](std::string_view other) {
        const ConfigValue* at = sectionAt(judge.root, std::string(other));
        const ConfigValue* on = at == nullptr ? nullptr : at->find("enabled");
        return on != nullptr && pythonTruth(*on);
    };
    const bool unasked = pointer == kCommsLogger || std::find(kUnasked.begin(), kUnasked.end(), pointer) != kUnasked.end();
    if (unasked || (pointer == "/flops_profiler" && asked("/autotuning"))) {   // the tuner profiles as well
        return;
    }
    // What is left of one precision beside another that trains is off on purpose.
    const bool precision = pointer == "/fp16" || pointer == "/bf16" || pointer == "/bfloat16";
    if (precision && (asked("/fp16") || asked("/bf16") || asked("/bfloat16"))) {
        return;
    }
    const bool told = std::any_of(section->members.begin(), section->members.end(), [&](const ConfigMember& member) { return judge.settled(pointer + "/" + pointerToken(member.key)); });
    if (!told) {
        judge.unwise("R12", "R12.switch", pointer, {{"section", pointer.substr(pointer.rfind('/') + 1)}});   // on or off is the user's to say
    }
}

/// A switch that is written off above a part that is on: it switches nothing off.
void tellUnaskedSwitch(Judge& judge, std::string_view part)
{
    const ConfigValue* inner = sectionAt(judge.root, std::string(part));
    const ConfigValue* on = inner == nullptr ? nullptr : inner->find("enabled");
    if (on == nullptr || !pythonTruth(*on)) {
        return;
    }
    for (const std::string_view above : kUnasked) {
        const ConfigValue* section = part.starts_with(std::string(above) + "/") ? sectionAt(judge.root, std::string(above)) : nullptr;
        const ConfigValue* off = section == nullptr ? nullptr : section->find("enabled");
        if (off != nullptr && !pythonTruth(*off)) {
            judge.overrule("R12", "R12.unasked", std::string(above) + "/enabled", CheckSeverity::Warning, {{"part", std::string(part.substr(part.rfind('/') + 1))}, {"place", dotted(part)}});
        }
    }
}

}  // namespace

void tellMissingSwitches(Judge& judge)
{
    for (const std::string_view part : kParts) {
        tellUnaskedSwitch(judge, part);
    }
    const ConfigValue* comms = sectionAt(judge.root, std::string(kCommsLogger));
    if (const ConfigValue* off = comms == nullptr ? nullptr : comms->find("enabled"); off != nullptr && (off->isString() ? switchMeant(*off) == "false" : !off->isNull() && !pythonTruth(*off)) && !judge.settled("/comms_logger/enabled")) {
        judge.overrule("R75", "R75.off", "/comms_logger/enabled", CheckSeverity::Warning, {}, patchRemove(std::string(kCommsLogger)));
    }
    static constexpr std::string_view kSwitch = "/enabled";
    const auto isOff = [](const ConfigValue& value) { return value.isBool() && !value.boolean; };
    for (const auto& [pointer, value] : judge.facts.defaults) {
        if (pointer.ends_with(kSwitch) && isOff(value)) {
            tellMissingSwitch(judge, pointer.substr(0, pointer.size() - kSwitch.size()));
        }
    }
    for (const auto& [section, model] : judge.facts.sections) {
        const ModelFacts* facts = judge.facts.sectionModel(section);
        const FieldFacts* field = facts == nullptr ? nullptr : facts->findField("enabled");
        if (field != nullptr && isOff(field->defaultValue)) {
            const bool older = section == "bf16" && judge.root.find(section) == nullptr;   // is read under its old name then
            tellMissingSwitch(judge, older ? "/bfloat16" : "/" + section);
        }
    }
}

void tellSwitches(Judge& judge)
{
    for (const auto& [pointer, value] : judge.facts.defaults) {
        if (value.isBool() && !converted(judge.facts, pointer) && std::find(kStrict.begin(), kStrict.end(), pointer) == kStrict.end()) {
            tellSwitch(judge, pointer);
        }
    }
    for (const std::string_view pointer : kOfParameters) {
        if (judge.facts.removedTop.count(std::string(pointer.substr(1, pointer.find('/', 1) - 1))) == 0) {
            tellSwitch(judge, std::string(pointer));
        }
    }
    if (judge.facts.removedTop.count("compression_training") == 0 && judge.root.find("compression_training") != nullptr) {
        for (const char* technique : kTechniques) {
            for (const char* key : kOfTechnique) {
                tellSwitch(judge, "/compression_training/" + std::string(technique) + "/shared_parameters/" + key);
            }
        }
    }
}

}  // namespace stagecraft::rules
