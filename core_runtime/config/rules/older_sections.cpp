// SPDX-License-Identifier: GPL-3.0-or-later
// Sections that newer releases have dropped: Apex AMP, Nebula, sparse attention, layer drop, legacy curriculum,
// compression, mixture of quantisation (R48, R78, R88, R89, R92-R95); and expert parallelism, which newer ones have (R69).
#include "config/rules/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stagecraft::rules {

namespace {

/// The section when this release reads it and it is an object; anything else in its place is refused.
const ConfigValue* section(Judge& judge, const char* key)
{
    const ConfigValue* value = judge.root.find(key);
    if (value == nullptr || !judge.facts.reads("", key) || judge.facts.removedTop.count(key) > 0) {
        return nullptr;
    }
    if (!value->isObject()) {
        judge.refuse(CheckLevel::Parse, "R14", value->isNull() ? "R14" : "R14.object", "/" + std::string(key), {{"key", key}, {"kind", kindName(*value)}});
        return nullptr;
    }
    return value;
}

/// The patch that switches the section `name` on, where it is an object or missing.
std::string switchedOn(const ConfigValue& root, const std::string& name)
{
    const ConfigValue* value = root.find(name);
    const std::string at = "/" + name;
    return value == nullptr || !value->isObject() ? patchAdd(at, R"({"enabled": true})") : value->find("enabled") == nullptr ? patchAdd(at + "/enabled", "true") : patchReplace(at + "/enabled", "true");
}

bool on(const ConfigValue* value)
{
    const ConfigValue* enabled = value == nullptr ? nullptr : value->find("enabled");
    return enabled != nullptr && pythonTruth(*enabled);
}

/// Sections whose reader pops "enabled": without it there is nothing to pop. Who wrote more than the section meant it to act.
void needsEnabled(Judge& judge, const char* rule, const char* key)
{
    const ConfigValue* value = section(judge, key);
    if (value != nullptr && value->find("enabled") == nullptr) {
        judge.refuse(CheckLevel::Parse, rule, "R88", "/" + std::string(key), {{"section", key}}, patchAdd("/" + std::string(key) + "/enabled", value->members.empty() ? "false" : "true"));
    }
}

struct Technique {
    const char* name;
    std::array<const char*, 2> groupKeys;  ///< that each group's params must hold
    std::array<const char*, 2> wordKeys;   ///< of shared_parameters
    std::array<std::array<const char*, 3>, 2> words;
};

constexpr std::array kTechniques{
    Technique{"weight_quantization", {"start_bits", "target_bits"}, {"quantization_type", "rounding"}, {{{"symmetric", "asymmetric", nullptr}, {"nearest", "stochastic", nullptr}}}},
    Technique{"activation_quantization", {"bits", nullptr}, {"quantization_type", "range_calibration"}, {{{"symmetric", "asymmetric", nullptr}, {"dynamic", "static", nullptr}}}},
    Technique{"sparse_pruning", {"dense_ratio", nullptr}, {"method", nullptr}, {{{"l1", "topk", "snip_momentum"}, {nullptr, nullptr, nullptr}}}},
    Technique{"row_pruning", {"dense_ratio", nullptr}, {"method", nullptr}, {{{"l1", "topk", nullptr}, {nullptr, nullptr, nullptr}}}},
    Technique{"head_pruning", {"dense_ratio", nullptr}, {"method", nullptr}, {{{"l1", "topk", nullptr}, {nullptr, nullptr, nullptr}}}},
    Technique{"channel_pruning", {"dense_ratio", nullptr}, {"method", nullptr}, {{{"l1", "topk", nullptr}, {nullptr, nullptr, nullptr}}}},
};

/// `words` are what may stand there instead, `what` is what is wrong; without words `what` is missing, or the bound that it does not keep.
void refuseTechnique(Judge& judge, const std::string& at, const std::string& what, const std::string& words = {})
{
    judge.refuse(CheckLevel::Parse, "R93", !words.empty() ? "R93.word" : what.find(' ') != std::string::npos ? "R93.bound" : "R93.what", at, {{"what", what}, {"words", words}});
}

std::string listed(const std::array<const char*, 3>& words)
{
    std::string all;
    for (const char* word : words) {
        all += word == nullptr ? std::string() : (all.empty() ? "" : ", ") + std::string(word);
    }
    return all;
}

void checkShared(Judge& judge, const Technique& technique, const ConfigValue& shared, const std::string& at)
{
    for (std::size_t i = 0; i < technique.wordKeys.size() && technique.wordKeys[i] != nullptr; ++i) {
        const ConfigValue* word = shared.find(technique.wordKeys[i]);
        const auto& words = technique.words[i];
        if (word != nullptr && std::none_of(words.begin(), words.end(), [&](const char* w) { return w != nullptr && word->isString(w); })) {
            refuseTechnique(judge, at + "/" + technique.wordKeys[i], std::string(technique.wordKeys[i]) + " " + toJson(*word), listed(words));
        }
    }
    if (std::string_view(technique.name) == "head_pruning" && on(&shared) && shared.find("num_heads") == nullptr) {
        refuseTechnique(judge, at, "num_heads");
    }
    const ConfigValue* mixed = shared.find("fp16_mixed_quantize");
    if (std::string_view(technique.name) == "weight_quantization" && mixed != nullptr && !mixed->isObject()) {
        judge.refuse(CheckLevel::Parse, "R14", "R14.object", at + "/fp16_mixed_quantize", {{"key", "fp16_mixed_quantize"}, {"kind", kindName(*mixed)}},
                     mixed->isBool() ? patchReplace(at + "/fp16_mixed_quantize", std::string("{\"enabled\": ") + (mixed->boolean ? "true}" : "false}")) : std::string());
    }
    const ConfigValue* method = shared.find("method");
    if (std::string_view(technique.name) == "sparse_pruning" && method != nullptr && method->isString("snip_momentum")) {
        const ConfigValue* ratio = shared.find("dense_ratio");
        if (ratio != nullptr && (!ratio->isNumber() || ratio->asDouble() <= 0.0 || ratio->asDouble() >= 1.0)) {
            refuseTechnique(judge, at + "/dense_ratio", "0 < dense_ratio < 1");
        }
        const ConfigValue* from = shared.find("schedule_offset");
        const ConfigValue* to = shared.find("schedule_offset_end");
        if (to != nullptr && to->isNumber() && (from == nullptr ? 1000.0 : from->asDouble()) > to->asDouble()) {
            refuseTechnique(judge, at + "/schedule_offset_end", "schedule_offset <= schedule_offset_end");
        }
    }
}

void checkCompression(Judge& judge)
{
    const ConfigValue* compression = section(judge, "compression_training");
    if (compression == nullptr) {
        return;
    }
    static const std::string kAt = "/compression_training/";
    for (const Technique& technique : kTechniques) {
        const ConfigValue* written = compression->find(technique.name);
        if (written == nullptr) {
            continue;
        }
        const std::string at = kAt + technique.name;
        if (!written->isObject()) {
            judge.refuse(CheckLevel::Parse, "R14", "R14.object", at, {{"key", technique.name}, {"kind", kindName(*written)}});
            continue;
        }
        if (const ConfigValue* shared = written->find("shared_parameters"); shared != nullptr) {
            if (!shared->isObject()) {
                judge.refuse(CheckLevel::Parse, "R14", "R14.object", at + "/shared_parameters", {{"key", "shared_parameters"}, {"kind", kindName(*shared)}});
                continue;
            }
            checkShared(judge, technique, *shared, at + "/shared_parameters");
        }
        const ConfigValue* groups = written->find("different_groups");
        if (groups == nullptr || !groups->isObject()) {
            judge.refuse(CheckLevel::Parse, "R93", "R93", at, {{"key", technique.name}}, patchAdd(at + "/different_groups", "{}"));
            continue;
        }
        for (const ConfigMember& group : groups->members) {
            const std::string groupAt = at + "/different_groups/" + pointerToken(group.key);
            const ConfigValue* params = group.value.find("params");
            if (params == nullptr || !params->isObject()) {
                refuseTechnique(judge, groupAt, "params");
                continue;
            }
            for (const char* key : technique.groupKeys) {
                if (key != nullptr && params->find(key) == nullptr) {
                    refuseTechnique(judge, groupAt + "/params", key);
                }
            }
        }
    }
    const ConfigValue* reduction = compression->find("layer_reduction");
    if (reduction != nullptr && !reduction->isObject()) {
        judge.refuse(CheckLevel::Parse, "R14", "R14.object", kAt + "layer_reduction", {{"key", "layer_reduction"}, {"kind", kindName(*reduction)}});
    }
}

void checkSparseAttention(Judge& judge)
{
    const ConfigValue* attention = section(judge, "sparse_attention");
    if (attention == nullptr) {
        return;
    }
    const ConfigValue* mode = attention->find("mode");
    struct Mode {
        std::string_view name;
        std::string_view keys;  ///< that it reads beside "mode" and "block", each between blanks
    };
    static constexpr std::array kModes{
        Mode{"dense", " "},
        Mode{"fixed", " different_layout_per_head num_local_blocks num_global_blocks attention horizontal_global_attention num_different_global_patterns "},
        Mode{"variable", " different_layout_per_head num_random_blocks local_window_blocks global_block_indices global_block_end_indices attention horizontal_global_attention "},
        Mode{"bigbird", " different_layout_per_head num_random_blocks num_sliding_window_blocks num_global_blocks "},
        Mode{"bslongformer", " different_layout_per_head num_sliding_window_blocks global_block_indices global_block_end_indices "}};
    const auto found = std::find_if(kModes.begin(), kModes.end(), [&](const Mode& m) { return mode == nullptr ? m.name == "fixed" : mode->isString(m.name); });
    if (found == kModes.end()) {
        judge.refuse(CheckLevel::Parse, "R78", "R78", "/sparse_attention/mode", {{"value", toJson(*mode)}});
        return;
    }
    for (const ConfigMember& member : attention->members) {
        if (member.key == "mode" || member.key == "block" || found->keys.find(" " + member.key + " ") != std::string_view::npos) {
            continue;
        }
        const std::string at = "/sparse_attention/" + pointerToken(member.key);
        judge.ignoreSection("R78", "R78.mode", at, member.value, {{"key", member.key}, {"mode", std::string(found->name)}}, patchRemove(at));
    }
}

}  // namespace

void checkOlderSections(Judge& judge)
{
    needsEnabled(judge, "R48", "amp");
    needsEnabled(judge, "R88", "curriculum_learning");
    needsEnabled(judge, "R88", "progressive_layer_drop");
    (void)section(judge, "nebula");
    checkSparseAttention(judge);
    checkCompression(judge);
}

void checkExpertParallel(Judge& judge)
{
    const ConfigValue* written = judge.root.find("expert_parallel");
    if (written == nullptr || !judge.facts.reads("", "expert_parallel") || !pythonTruth(*written)) {
        return;
    }
    if (!written->isObject()) {
        judge.refuse(CheckLevel::Parse, "R14", "R14.object", "/expert_parallel", {{"key", "expert_parallel"}, {"kind", kindName(*written)}});
        return;
    }
    const ConfigValue* balance = written->find("load_balance_coeff");
    if (balance != nullptr && !balance->isNull()) {
        judge.refuse(CheckLevel::Parse, "R69", "R69", "/expert_parallel/load_balance_coeff", {{"value", toJson(*balance)}},
                     patchRemove("/expert_parallel/load_balance_coeff"));
    }
}

namespace {

/// Whether the legacy curriculum has a difficulty to work out: one that starts at its end never asks.
bool rises(const ConfigValue& curriculum)
{
    const ConfigValue* least = curriculum.find("min_difficulty");
    const ConfigValue* most = curriculum.find("max_difficulty");
    return least == nullptr || most == nullptr || !least->isNumber() || !most->isNumber() || least->asDouble() < most->asDouble();
}

/// Stairs: one more difficulty than steps, and numbers in all that the first two steps look at.
void checkDiscrete(Judge& judge, const ConfigValue* config, const std::string& at, bool asked)
{
    const ConfigValue* difficulty = config == nullptr ? nullptr : config->find("difficulty");
    const ConfigValue* steps = config == nullptr ? nullptr : config->find("max_step");
    for (const auto& [key, value] : {std::pair{"difficulty", difficulty}, std::pair{"max_step", steps}}) {
        if (value != nullptr && (!value->isList() || value->items.empty())) {
            judge.refuse(CheckLevel::Engine, "R89", "R89.stairs", at + "/" + key, {{"key", key}, {"value", toJson(*value)}});
            return;
        }
    }
    if (difficulty == nullptr || steps == nullptr) {
        return;
    }
    if (difficulty->items.size() != steps->items.size() + 1) {
        judge.refuse(CheckLevel::Engine, "R89", "R89.discrete", at + "/difficulty");
        return;
    }
    const ConfigValue& last = steps->items.back();
    const ConfigValue& first = steps->items.front();
    for (const ConfigValue* value : {&last, &first}) {
        if (asked && !value->isNumber()) {
            judge.refuse(CheckLevel::Engine, "R89", "R89.number", at + "/max_step", {{"key", "max_step"}, {"value", toJson(*value)}});
            return;
        }
    }
    // What the first step has found is compared in the second.
    const ConfigValue& found = last.asDouble() < 1.0 ? difficulty->items.back() : difficulty->items.front();
    if (asked && (last.asDouble() < 1.0 || first.asDouble() >= 1.0) && !found.isNumber()) {
        judge.refuse(CheckLevel::Engine, "R89", "R89.number", at + "/difficulty", {{"key", "difficulty"}, {"value", toJson(found)}});
    }
}

}  // namespace

void checkOlderEngine(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    if (const ConfigValue* amp = section(judge, "amp"); on(amp)) {
        const bool halved = parsed.flag(parsed.fp16, "enabled") || parsed.flag(parsed.bf16, "enabled");
        // Training stays in 16 bits: DeepSpeed's own fp16 takes the place of Apex.
        const char* own = judge.context.device == "cpu" ? "bf16" : "fp16";
        const std::string off = patchReplace("/amp/enabled", "false");
        const std::string fix = halved ? off : off.substr(0, off.size() - 1) + ", " + switchedOn(judge.root, own).substr(1);
        if (parsed.stage() > 0) {
            judge.refuse(CheckLevel::Engine, "R48", "R48.with", "/amp/enabled", {{"what", "ZeRO"}}, fix);
        } else if (halved) {
            judge.refuse(CheckLevel::Engine, "R48", "R48.with", "/amp/enabled", {{"what", "fp16 or bf16"}}, fix);
        } else {
            judge.refuse(CheckLevel::Engine, "R48", "R48.apex", "/amp/enabled", {}, fix);
        }
    }
    if (const ConfigValue* drop = section(judge, "progressive_layer_drop"); on(drop)) {
        for (const char* key : {"theta", "gamma"}) {
            const ConfigValue* value = drop->find(key);
            if (value == nullptr) {
                judge.refuse(CheckLevel::Engine, "R92", "R92", "/progressive_layer_drop", {{"key", key}});
            } else if (!value->isNumber()) {
                judge.refuse(CheckLevel::Engine, "R92", "R92.number", "/progressive_layer_drop/" + std::string(key), {{"key", key}, {"value", toJson(*value)}});
            }
        }
        if (!judge.context.pipelineModel) {  // which is refused
            judge.unwise("R92", "R92.forward", "/progressive_layer_drop/enabled");
        }
    }
    const ConfigValue* curriculum = section(judge, "curriculum_learning");
    if (!on(curriculum)) {
        return;
    }
    static const std::string kAt = "/curriculum_learning";
    const ConfigValue* metric = curriculum->find("curriculum_type");
    if (metric != nullptr && metric->isString("seqlen") && !judge.context.pipelineModel) {  // whose engine cuts the batch itself
        judge.unwise("R89", "R89.forward", kAt + "/curriculum_type");
    }
    const auto needs = [&](const ConfigValue* holder, const std::string& at, std::initializer_list<const char*> keys) {
        for (const char* key : keys) {
            if (holder == nullptr || holder->find(key) == nullptr) {
                judge.refuse(CheckLevel::Engine, "R89", "R89.missing", at, {{"key", key}});
            }
        }
    };
    needs(curriculum, kAt, {"min_difficulty", "max_difficulty", "schedule_type"});
    for (const char* key : {"min_difficulty", "max_difficulty"}) {
        if (const ConfigValue* value = curriculum->find(key); value != nullptr && !value->isNumber()) {
            judge.refuse(CheckLevel::Engine, "R89", "R89.number", kAt + "/" + key, {{"key", key}, {"value", toJson(*value)}});
        }
    }
    const ConfigValue* type = curriculum->find("schedule_type");
    const ConfigValue* config = curriculum->find("schedule_config");
    if (type == nullptr) {
        return;
    }
    if (type->isString("fixed_discrete")) {
        needs(config, kAt + "/schedule_config", {"difficulty", "max_step"});
        checkDiscrete(judge, config, kAt + "/schedule_config", rises(*curriculum));
    } else if (type->isString("fixed_linear")) {
        needs(config, kAt + "/schedule_config", {"total_curriculum_step", "difficulty_step"});
    } else if (type->isString("fixed_root")) {
        needs(config, kAt + "/schedule_config", {"total_curriculum_step", "difficulty_step", "root_degree"});
    } else if (type->isString("custom")) {
        if (rises(*curriculum)) {
            judge.refuse(CheckLevel::Engine, "R89", "R89.custom", kAt + "/schedule_type");
        }
    } else {
        judge.refuse(CheckLevel::Engine, "R89", "R89.type", kAt + "/schedule_type", {{"value", toJson(*type)}});
    }
    if (config == nullptr || !(type->isString("fixed_linear") || type->isString("fixed_root"))) {
        return;
    }
    const ConfigValue* total = config->find("total_curriculum_step");
    const ConfigValue* degree = config->find("root_degree");
    const double power = degree != nullptr && degree->isNumber() && degree->asDouble() != 0.0 ? 1.0 / degree->asDouble() : 1.0;
    if (type->isString("fixed_root") && rises(*curriculum) && total != nullptr && total->isNumber() && total->asDouble() < 0.0 && power != std::trunc(power)) {
        judge.refuse(CheckLevel::Engine, "R89", "R89.root", kAt + "/schedule_config/total_curriculum_step", {{"value", toJson(*total)}});
    }
    for (const char* key : {"total_curriculum_step", "difficulty_step", "root_degree"}) {
        const ConfigValue* value = config->find(key);
        const bool read = (std::string_view(key) != "root_degree" || type->isString("fixed_root")) && (rises(*curriculum) || (std::string_view(key) == "difficulty_step" && value != nullptr && !value->isNumber()));
        if (value != nullptr && read && (!value->isNumber() || value->asDouble() == 0.0)) {
            judge.refuse(CheckLevel::Engine, "R89", value->isNumber() ? "R89.zero" : "R89.number", kAt + "/schedule_config/" + key, {{"key", key}, {"value", toJson(*value)}});
        }
    }
}

}  // namespace stagecraft::rules
