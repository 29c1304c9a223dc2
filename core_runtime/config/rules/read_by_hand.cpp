// SPDX-License-Identifier: GPL-3.0-or-later
// Sections whose keys DeepSpeed looks up by name, one by one, and skips the others without a word (R12, R56, R71).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/meaning.h"
#include "config/rules/misnomers.h"
#include "config/rules/misplaced.h"

#include <array>
#include <set>

namespace stagecraft::rules {

namespace {

using Keys = std::set<std::string, std::less<>>;

/// One of the keys of `holder` that is not among those that are looked up there.
/// @param owner  the optimizer whose parameters they are; empty for a section
void notLookedUp(Judge& judge, std::string_view section, const ConfigValue& holder, const ConfigMember& member, const Keys& known, const std::string& owner)
{
    const std::string at = std::string(section) + "/" + pointerToken(member.key);
    if (!judge.asksMeaning()) {
        keepUnasked(judge.ignoreSection("R12", "R12.many", at, member.value, {{"key", member.key}, {"section", dotted(section)}}));
        return;
    }
    const UnknownKey unknown{std::string(section), &member, "R12", {}, owner, {known.begin(), known.end()}};
    const std::string near = judge.full() ? std::string() : nearestWord(member.key, {known.begin(), known.end()});
    const bool bound = section == "/autotuning" && (member.key == "start_step" || member.key == "end_step");
    const std::string place = bound ? "/autotuning/" + member.key.substr(0, member.key.find('_')) + "_profile_step" : placeThatReads(judge, section, member.key);
    if (!place.empty()) {
        ignoreForPlace(judge, "R12", "R12.place", at, member.value, place, {{"key", member.key}, {"section", dotted(section)}});
    } else if (section == "/activation_checkpointing" && member.key == "partition_grad") {
        ignoreForPlace(judge, "R12", "R12.near", at, member.value, "/activation_checkpointing/partition_activations", {{"key", member.key}, {"section", "activation_checkpointing"}});
    } else if ((section == "/optimizer" || section == "/scheduler") && member.key == "name" && holder.find("type") == nullptr) {
        const std::string move = typePatch(judge, std::string(section));
        if (CheckFinding* finding = judge.ignoreSection("R12", "R12.near", at, member.value, {{"key", member.key}, {"section", std::string(section.substr(1))}, {"place", dotted(section) + ".type"}}, move)) {
            finding->safe = false;
        }
    } else if (section == "/aio" && member.key == "thread_count") {
        judge.ignore("R71", "R71", at, {{"key", member.key}},
                     holder.find("intra_op_parallelism") == nullptr ? patchMove(at, "/aio/intra_op_parallelism") : toJson(*holder.find("intra_op_parallelism")) == toJson(member.value) ? patchRemove(at) : std::string());
    } else if (tellOtherName(judge, unknown)) {
        return;
    } else if (!near.empty()) {
        ignoreForPlace(judge, "R12", "R12.near", at, member.value, std::string(section) + "/" + pointerToken(near), {{"key", member.key}, {"section", dotted(section)}});
    } else {
        tellUnknown(judge, unknown);
    }
}

/// Sections read by hand: whatever the code does not look up is ignored.
void handReadSections(Judge& judge)
{
    static constexpr std::array kSections{
        "/optimizer", "/scheduler", "/aio", "/activation_checkpointing", "/flops_profiler", "/autotuning", "/autotuning/model_info",
        "/nebula", "/checkpoint", "/checkpoint/parallel_write", "/checkpoint/writer", "/data_types", "/torch_autocast", "/timers",
        "/data_efficiency", "/data_efficiency/data_sampling", "/data_efficiency/data_sampling/dynamic_batching",
        "/data_efficiency/data_routing", "/expert_parallel", "/fp16", "/bf16", "/bfloat16"};
    for (const std::string_view section : kSections) {
        const auto known = judge.facts.read.find(section);
        if (known == judge.facts.read.end() || known->second.empty()) {
            continue;
        }
        const ConfigValue* value = &judge.root;
        std::size_t from = 0;
        bool sectionRead = true;
        while (from < section.size() && value != nullptr) {
            const std::size_t to = std::min(section.find('/', from + 1), section.size());
            const std::string_view key = section.substr(from + 1, to - from - 1);
            sectionRead = sectionRead && judge.facts.reads(section.substr(0, from), key);
            value = value->find(key);
            from = to;
        }
        if (value == nullptr || !value->isObject() || !sectionRead) {
            continue;
        }
        if (const ConfigValue* newer = judge.root.find("bf16"); section == "/bfloat16" && newer != nullptr && !newer->isNull()) {
            continue;  // R42 says that nothing of it is read
        }
        for (const ConfigMember& member : value->members) {
            if (known->second.count(member.key) == 0) {
                notLookedUp(judge, section, *value, member, known->second, {});
            }
        }
    }
}

/// Muon looks the parameters of its two halves up by name, and asks for no others (engine.py, _configure_basic_optimizer).
void muonParameters(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    const ConfigValue* params = parsed.optimizerParams;
    if (parsed.optimizerName != "muon" || judge.facts.optimizers.count("muon") == 0 || params == nullptr || !judge.context.optimizer.empty()) {
        return;
    }
    static constexpr std::string_view kSection = "/optimizer/params";
    Keys known{"lr", "muon_lr", "adam_lr", "momentum", "weight_decay", "betas", "eps"};
    const ConfigValue* torch = params->find("torch_adam");
    const bool byTorch = torch != nullptr && pythonTruth(*torch);
    if (judge.facts.atLeast(0, 19, 0)) {  // the Adam beside it is made as type Adam makes its own
        known.insert({"ns_method", "adam_w_mode", "torch_adam", "fp32_optimizer_states"});
        if (byTorch) {
            known.insert("foreach");
        }
    }
    for (const ConfigMember& member : params->members) {
        if (known.count(member.key) == 0 && member.key != "max_grad_norm") {  // which is refused
            notLookedUp(judge, kSection, *params, member, known, "Muon");
        }
    }
    if (const ConfigValue* rate = params->find("lr"); rate != nullptr && params->find("muon_lr") != nullptr && params->find("adam_lr") != nullptr) {
        const std::string at = std::string(kSection) + "/lr";
        judge.ignore("R56", "R56.halves", at, {{"value", toJson(*rate)}}, patchRemove(at));
    }
}

/// The states of an Adam are kept in fewer bits on the CPU alone: another class is made without that.
void statesOfAdam(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    const ConfigValue* params = parsed.optimizerParams;
    const bool adam = parsed.optimizerName == "adam" || parsed.optimizerName == "adamw" || parsed.optimizerName == "muon";
    if (!adam || params == nullptr || params->find("fp32_optimizer_states") == nullptr || !judge.facts.atLeast(0, 19, 0) || !judge.context.optimizer.empty()) {
        return;
    }
    const ConfigValue* torch = params->find("torch_adam");
    if (parsed.offloadDevice("offload_optimizer") == "none" || (torch != nullptr && pythonTruth(*torch))) {
        static const std::string kAt = "/optimizer/params/fp32_optimizer_states";
        judge.ignore("R56", "R56.states", kAt, {{"key", "fp32_optimizer_states"}}, patchRemove(kAt));
    }
}

/// Curricula and token dropping: everything but the switch is unread while it is off.
void switchedOff(Judge& judge)
{
    for (const auto& [outer, inner] : {std::pair{"data_sampling", "curriculum_learning"}, std::pair{"data_routing", "random_ltd"}}) {
        const ConfigValue* efficiency = judge.root.find("data_efficiency");
        const ConfigValue* middle = efficiency == nullptr ? nullptr : efficiency->find(outer);
        const ConfigValue* section = middle == nullptr ? nullptr : middle->find(inner);
        const ConfigValue* on = section == nullptr ? nullptr : section->find("enabled");
        if (section == nullptr || (on != nullptr && pythonTruth(*on))) {
            continue;
        }
        for (const ConfigMember& member : section->members) {
            if (member.key != "enabled") {
                judge.ignoreSection("R12", "R12.off", "/data_efficiency/" + std::string(outer) + "/" + inner + "/" + pointerToken(member.key), member.value,
                                    {{"key", member.key}});
            }
        }
    }
}

/// Dynamic batching reads all its sizes always, but the token limit only while it is on.
void tokenLimit(Judge& judge)
{
    static constexpr std::string_view kSection = "/data_efficiency/data_sampling/dynamic_batching";
    const ConfigValue* value = &judge.root;
    for (const char* key : {"data_efficiency", "data_sampling", "dynamic_batching"}) {
        value = value == nullptr ? nullptr : value->find(key);
    }
    const ConfigValue* on = value == nullptr ? nullptr : value->find("enabled");
    if (value == nullptr || value->find("max_tokens") == nullptr || !judge.facts.reads(kSection, "max_tokens") || (on != nullptr && pythonTruth(*on))) {
        return;
    }
    judge.ignore("R12", "R12.off", std::string(kSection) + "/max_tokens", {{"key", "max_tokens"}});
}

}  // namespace

void collectReadByHand(Judge& judge)
{
    handReadSections(judge);
    muonParameters(judge);
    statesOfAdam(judge);
    switchedOff(judge);
    tokenLimit(judge);
}

}  // namespace stagecraft::rules
