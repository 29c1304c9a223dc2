// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/misplaced.h"

#include "config/json_edit.h"
#include "config/present_form.h"
#include "config/rules/coercion.h"
#include "config/rules/meaning.h"
#include "config/rules/misnomers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace stagecraft::rules {

namespace {

/// Words that mean something else in each section.
constexpr std::array kAnywhere{"enabled", "type", "params", "profile", "name", "device", "debug", "steps", "dtype"};
constexpr std::array kSchedules{"WarmupLR", "WarmupDecayLR", "WarmupCosineLR", "OneCycle", "LRRangeTest"};
/// Parameters the engine takes out before it makes an Adam.
constexpr std::array kOfAdam{"torch_adam", "adam_w_mode"};

bool takes(const SignatureFacts& signature, const std::string& key)
{
    return std::find(signature.takes.begin(), signature.takes.end(), key) != signature.takes.end();
}

bool ofOptimizer(const ReleaseFacts& facts, const std::string& key)
{
    return std::any_of(facts.signatures.begin(), facts.signatures.end(), [&](const auto& entry) {
        const bool schedule = entry.first.starts_with("torch.lr_scheduler.") || std::find(kSchedules.begin(), kSchedules.end(), entry.first) != kSchedules.end();
        return !schedule && takes(entry.second, key);
    });
}

bool ofSchedule(const ReleaseFacts& facts, const std::string& schedule, const std::string& key)
{
    auto found = facts.signatures.find(schedule);
    if (found == facts.signatures.end()) {
        found = facts.signatures.find("torch.lr_scheduler." + schedule);
    }
    return found != facts.signatures.end() && takes(found->second, key);
}

}  // namespace

bool takesParameter(const Judge& judge, std::string_view parent, const std::string& key)
{
    if (parent == "/optimizer/params") {
        return ofOptimizer(judge.facts, key) || std::find(kOfAdam.begin(), kOfAdam.end(), key) != kOfAdam.end();
    }
    const ConfigValue* scheduler = judge.root.find("scheduler");
    const ConfigValue* type = scheduler == nullptr ? nullptr : scheduler->find("type");
    if (type != nullptr && type->isString()) {
        return ofSchedule(judge.facts, type->text, key);
    }
    return std::any_of(kSchedules.begin(), kSchedules.end(), [&](const char* schedule) { return ofSchedule(judge.facts, schedule, key); });
}

std::string placeThatReads(const Judge& judge, std::string_view section, const std::string& key)
{
    if (judge.full() || std::find(kAnywhere.begin(), kAnywhere.end(), key) != kAnywhere.end()) {
        return {};
    }
    std::vector<std::string> places;
    const auto typed = [&](const char* name) {
        const ConfigValue* value = judge.root.find(name);
        const ConfigValue* type = value == nullptr ? nullptr : value->find("type");
        return type != nullptr && type->isString();
    };
    const auto add = [&](const std::string& parent) {
        std::string place = parent + "/" + pointerToken(key);
        if (std::find(places.begin(), places.end(), place) == places.end()) {
            places.push_back(std::move(place));
        }
    };
    const bool byOptimizer = section.empty() || section == "/optimizer" || section == "/scheduler" || section == "/scheduler/params";
    const bool bySchedule = section.empty() || section == "/scheduler" || section == "/optimizer" || section == "/optimizer/params";
    if (byOptimizer && (typed("optimizer") || section == "/optimizer") && (ofOptimizer(judge.facts, key) || std::find(kOfAdam.begin(), kOfAdam.end(), key) != kOfAdam.end())) {
        add("/optimizer/params");
    }
    if (bySchedule && typed("scheduler") && ofSchedule(judge.facts, judge.root.find("scheduler")->find("type")->text, key)) {
        add("/scheduler/params");
    }
    // A part of the section's own parts, as those of data_efficiency, before what has that name elsewhere.
    for (const auto& [part, keys] : judge.facts.read) {
        if (!section.empty() && part.size() > section.size() && part[section.size()] == '/' && part.starts_with(section) && keys.count(key) > 0) {
            add(part);
        }
    }
    if (places.empty() && !section.empty() && section.substr(1) != key && judge.facts.reads("", key) && judge.facts.removedTop.count(key) == 0) {
        add("");
    }
    // Sections whose keys do not mean something else in a section of its own, such as an optimizer.
    const bool byOwner = section.starts_with("/optimizer") || section.starts_with("/scheduler");
    if (section.empty() || byOwner || section == "/zero_optimization" || section == "/fp16" || section == "/bf16") {
        for (const char* name : {"zero_optimization", "fp16", "bf16"}) {
            const std::string at = "/" + std::string(name);
            const ModelFacts* fields = judge.facts.sectionModel(name);
            if (at != section && (fields != nullptr ? fields->findField(key) != nullptr : judge.facts.reads(at, key))) {
                add(at);
            }
        }
        for (const char* name : {"/activation_checkpointing", "/aio", "/flops_profiler", "/data_types"}) {
            if (!byOwner && judge.facts.reads(name, key)) {
                add(name);
            }
        }
    }
    return places.size() == 1 ? places.front() : std::string();
}

namespace {

/// What the section at `path`, which is missing, has to hold so that DeepSpeed builds it with a value at `to`; nothing where the file does not say enough
/// for that: an optimizer or a schedule is made up only where it trains as the parameter alone says.
std::optional<std::string> newSection(const Judge& judge, const std::string& path, const std::string& to)
{
    const bool byItself = !bringsOptimizer(judge.context.launcher);
    const std::string key = to.substr(to.rfind('/') + 1);
    if (path == "/optimizer" && to.starts_with("/optimizer/params/")) {
        const auto adam = judge.facts.signatures.find("FusedAdam");
        const bool fits = byItself && judge.context.optimizer.empty() && adam != judge.facts.signatures.end() && takes(adam->second, key);
        return fits ? std::optional<std::string>(R"({"type": "AdamW", "params": {}})") : std::nullopt;
    }
    if (path == "/scheduler" && to.starts_with("/scheduler/params/")) {
        // WarmupLR takes the rate from the optimizer (older releases would warm up to 0.001); a length of training speaks for a schedule that falls, which needs more.
        const auto falls = [](const ConfigMember& member) {
            const auto others = otherNames("/scheduler", member.key);
            return member.key == "total_num_steps" || (!others.empty() && others.front()->place == "/scheduler/params/total_num_steps");
        };
        const ConfigValue* optimizer = judge.root.find("optimizer");
        const ConfigValue* params = optimizer == nullptr ? nullptr : optimizer->find("params");
        const bool length = std::any_of(judge.root.members.begin(), judge.root.members.end(), falls) || (params != nullptr && std::any_of(params->members.begin(), params->members.end(), falls));
        const bool fits = byItself && judge.context.scheduler.empty() && judge.facts.atLeast(0, 19, 0) && key == "warmup_num_steps" && !length;
        return fits ? std::optional<std::string>(R"({"type": "WarmupLR", "params": {}})") : std::nullopt;
    }
    return path == "/scheduler" && to == "/scheduler/type" ? R"({"params": {}})" : "{}";
}

}  // namespace

Relocation relocate(const Judge& judge, const std::string& at, const ConfigValue& value, const std::string& to)
{
    Relocation out;
    out.patch = patchRemove(at);
    const ConfigValue* above = &judge.root;
    std::string sections, path;
    bool complete = false, unsaid = false;
    const auto tokens = pointerTokens(to).value_or(std::vector<std::string>());
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        path += "/" + pointerToken(tokens[i]);
        above = above == nullptr ? nullptr : above->find(tokens[i]);
        if (above != nullptr && !above->isObject()) {
            out.instead = above;
            out.insteadAt = path;
            // A switch or a name in the place of a section: the section that says the same, with the value in it.
            const std::string form = sectionForm(presentName(path), toJson(*above));
            if (!form.empty()) {
                out.patch = patchReplace(path, form);
                for (std::size_t below = i + 1; below + 1 < tokens.size(); ++below) {
                    path += "/" + pointerToken(tokens[below]);
                    out.patch = out.patch.substr(0, out.patch.size() - 1) + ", " + patchAdd(path, "{}").substr(1);
                }
                out.patch = out.patch.substr(0, out.patch.size() - 1) + ", " + patchMove(at, to).substr(1);
            } else {
                out.patch.clear();  // nobody can tell what becomes of the section
            }
            return out;
        }
        if (above == nullptr && !complete) {
            const auto section = newSection(judge, path, to);
            complete = section && section->find(R"("type")") != std::string::npos;  // with its parameters
            sections += R"({"op": "add", "path": ")" + path + R"(", "value": )" + section.value_or("{}") + "}, ";
            unsaid = unsaid || !section;
        }
    }
    out.counts = tokens.empty() || above == nullptr ? nullptr : above->find(tokens.back());
    if (out.counts != nullptr && (out.counts->isNull() || (out.counts->isObject() && out.counts->members.empty()))) {
        out.counts = nullptr;  // says nothing
    }
    if (out.counts != nullptr) {
        out.same = toJson(*out.counts) == toJson(value);
        if (!out.same && !yieldsTo(value, *out.counts)) {
            out.patch.clear();  // which of the two is meant, a person decides
        }
    } else if (!tokens.empty()) {
        out.patch = unsaid ? std::string() : "[" + sections + patchMove(at, to).substr(1);
    }
    return out;
}

namespace {

/// The message that fits, and what it names.
std::string placeMessage(const std::string& message, const Relocation& move, MessageArguments& arguments)
{
    if (move.counts != nullptr) {
        arguments.emplace_back("held", toJson(*move.counts));
        return message + ".taken";
    }
    if (move.instead != nullptr) {
        arguments.emplace_back("parent", dotted(move.insteadAt));
        arguments.emplace_back("instead", toJson(*move.instead));
        return message + ".blocked";
    }
    return message;
}

}  // namespace

CheckFinding* ignoreForPlace(Judge& judge, const char* rule, const std::string& message, const std::string& at, const ConfigValue& value, const std::string& to, MessageArguments arguments)
{
    const Relocation move = relocate(judge, at, value, to);
    arguments.emplace_back("place", dotted(to));
    const std::string id = placeMessage(message, move, arguments);
    CheckFinding* const finding = judge.ignoreSection(rule, id, at, value, arguments, move.patch);
    if (finding != nullptr) {
        finding->safe = move.same;
    }
    return finding;
}

void refuseForPlace(Judge& judge, CheckLevel level, const char* rule, const std::string& message, const std::string& at, const ConfigValue& value, const std::string& to,
                    MessageArguments arguments)
{
    const Relocation move = relocate(judge, at, value, to);
    arguments.emplace_back("place", dotted(to));
    const std::string id = placeMessage(message, move, arguments);
    if (CheckFinding* finding = judge.refuse(level, rule, id, at, arguments, move.patch, Judge::At::Key)) {
        finding->safe = move.same || (move.counts == nullptr && move.instead == nullptr);  // the same value, where DeepSpeed reads it
    }
}

void refuseUnknownParameter(Judge& judge, const std::string& at, const ConfigValue& params, const ConfigMember& member, const SignatureFacts& signature, const std::string& owner)
{
    const std::string key = at + "/" + pointerToken(member.key);
    judge.takeBackChange(key);  // a switch that nobody takes acts as nothing
    MessageArguments arguments{{"key", member.key}, {"optimizer", owner}};
    if (!judge.asksMeaning()) {
        judge.refuse(CheckLevel::Engine, "R56", "R56.many", key, arguments, {}, Judge::At::Key);
        return;
    }
    if (const std::string place = placeThatReads(judge, at, member.key); !place.empty()) {
        refuseForPlace(judge, CheckLevel::Engine, "R56", "R56.place", key, member.value, place, std::move(arguments));
        return;
    }
    UnknownKey unknown{at, &member, "R56", CheckLevel::Engine, owner, signature.takes};
    std::string near;
    for (const OtherName* other : otherNames(at, member.key)) {
        const std::string taken = other->place.starts_with(at + "/") && !other->translates ? other->place.substr(at.size() + 1) : std::string();
        if (near.empty() && std::find(signature.takes.begin(), signature.takes.end(), taken) != signature.takes.end()) {
            near = taken;
        }
    }
    if (near.empty() && tellOtherName(judge, unknown)) {
        return;
    }
    near = near.empty() ? nearestWord(member.key, signature.takes) : near;
    if (near.empty()) {
        tellUnknown(judge, unknown);
        return;
    }
    const ConfigValue* held = params.find(near);
    arguments.emplace_back("near", near);
    arguments.emplace_back("held", held == nullptr ? "" : toJson(*held));
    judge.refuse(CheckLevel::Engine, "R56", held != nullptr ? "R56.near.taken" : "R56.near", key, arguments,
                 held == nullptr ? patchMove(key, at + "/" + near) : toJson(*held) == toJson(member.value) || yieldsTo(member.value, *held) ? patchRemove(key) : std::string(), Judge::At::Key);
}

std::string pinnedFix(const ConfigValue& zero, const std::string& at)
{
    const ConfigMember* pinned = zero.findMember("cpu_offload_use_pin_memory");
    if (pinned == nullptr || !pythonTruth(pinned->value)) {
        return patchRemove(at);
    }
    std::vector<std::pair<std::string, const ConfigValue*>> blocks;
    for (const ConfigMember& member : zero.members) {
        const bool block = member.key == "offload_optimizer" || member.key == "offload_param";
        if (member.key.starts_with("cpu_offload") && &member != pinned && pythonTruth(member.value)) {
            return {};  // the fix of that switch writes it
        }
        if (block && member.value.isObject()) {
            blocks.emplace_back(member.key, member.value.find("pin_memory"));
        }
    }
    const bool held = !blocks.empty() && std::all_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.second != nullptr && pythonTruth(*block.second); });
    return held ? patchRemove(at) : blocks.size() == 1 && blocks[0].second == nullptr ? patchMove(at, at.substr(0, at.rfind('/')) + "/" + blocks[0].first + "/pin_memory") : std::string();
}

bool saysNoMore(const ConfigValue& old, const ConfigValue& held)
{
    const ConfigValue* device = held.find("device");
    const bool sameDevice = device != nullptr && ((old.isBool() && (device->isString("cpu") || device->isString("nvme"))) || (old.isString() && device->isString(old.text)));
    return asksForNothing(old) || toJson(old) == toJson(held) || sameDevice;
}

std::string typePatch(const Judge& judge, const std::string& at)
{
    const ReleaseFacts& facts = judge.facts;
    const ConfigValue* section = judge.root.find(at.substr(1));
    if (section == nullptr || !section->isObject()) {
        return {};
    }
    const bool optimizer = at == "/optimizer";
    const ConfigValue* type = section->find("type");
    const ConfigMember* named = section->findMember("name");
    for (const ConfigMember& member : section->members) {
        const auto others = otherNames(at, member.key);
        named = named == nullptr && !others.empty() && others.front()->place == at + "/type" ? &member : named;
    }
    const ConfigValue* name = named == nullptr ? nullptr : &named->value;
    if (type == nullptr && named != nullptr && named->key != "name" && !name->isString()) {
        return {};
    }
    if (type == nullptr && name != nullptr && name->isString()) {
        std::string lower = name->text;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const bool known = optimizer ? facts.optimizers.count(lower) > 0 || facts.torchOptimizers.count(name->text) > 0
                                     : facts.torchSchedulers.count(name->text) > 0 || std::find(kSchedules.begin(), kSchedules.end(), name->text) != kSchedules.end();
        if (known) {
            return patchMove(at + "/" + pointerToken(named->key), at + "/type");
        }
        if (named->key != "name") {
            return {};
        }
    }
    std::string guess = optimizer ? "AdamW" : "";
    const ConfigValue* params = section->find("params");
    for (const char* schedule : optimizer || params == nullptr || params->members.empty() ? std::vector<const char*>() : std::vector<const char*>(kSchedules.begin(), kSchedules.end())) {
        const auto signature = facts.signatures.find(schedule);
        const bool fits = signature != facts.signatures.end() && std::all_of(params->members.begin(), params->members.end(), [&](const ConfigMember& m) { return takes(signature->second, m.key); }) &&
                          std::all_of(signature->second.needs.begin(), signature->second.needs.end(), [&](const std::string& key) { return params->find(key) != nullptr; });
        if (fits && guess.empty()) {
            guess = schedule;
        }
    }
    const std::string word = "\"" + guess + "\"";
    return guess.empty() ? std::string() : type == nullptr ? patchAdd(at + "/type", word) : patchReplace(at + "/type", word);
}

std::string dotted(std::string_view pointer)
{
    std::string out(pointer.substr(pointer.empty() ? 0 : 1));
    std::replace(out.begin(), out.end(), '/', '.');
    return out;
}

}  // namespace stagecraft::rules
