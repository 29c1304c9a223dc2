// SPDX-License-Identifier: GPL-3.0-or-later
// The fixes of one listing are each made for the file as it is. One that would write over what another has written first tests that the other
// has not been applied, and so refuses itself (RFC 6902, sections 4.6 and 5) until the file is checked again.
#include "config/rules/judge.h"

#include "config/hjson_reader.h"
#include "config/rules/coercion.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace stagecraft::rules {

namespace {

/// What one patch does to the document.
struct Reach {
    std::vector<std::string> overwritten;  ///< what stands there goes, with all below
    std::vector<std::string> written;
    std::vector<std::string> spent;        ///< what stands there in the file as it is, and no longer after the patch
};

Reach reachOf(const std::string& fix)
{
    Reach reach;
    const ReadText patch = readStrictJson(fix);
    for (const ConfigValue& step : patch.root.items) {
        const ConfigValue* op = step.find("op");
        const ConfigValue* path = step.find("path");
        if (op == nullptr || path == nullptr || op->isString("test")) {
            continue;
        }
        reach.overwritten.push_back(path->text);
        if (!op->isString("remove")) {
            reach.written.push_back(path->text);
        }
        if (op->isString("remove") || op->isString("replace")) {
            reach.spent.push_back(path->text);
        } else if (op->isString("move")) {
            reach.spent.push_back(step.find("from")->text);
        }
    }
    return reach;
}

bool within(const std::string& pointer, const std::string& section)
{
    return pointer.starts_with(section) && (pointer.size() == section.size() || pointer[section.size()] == '/');
}

/// A value at `pointer`, or below it, that stands there now and that JSON can write: the first single one.
std::optional<std::pair<std::string, std::string>> witness(const ConfigValue& document, std::string pointer)
{
    const ConfigValue* value = configAt(document, pointer);
    while (value != nullptr && !value->members.empty()) {
        pointer += "/" + pointerToken(value->members.front().key);
        value = &value->members.front().value;
    }
    if (value == nullptr || (value->isNumber() && !std::isfinite(value->asDouble()))) {
        return std::nullopt;
    }
    return std::pair(pointer, toJson(*value));
}

/// Whether what a patch of one step takes out or replaces is in the document.
bool standsThere(const ConfigValue& document, const std::string& fix)
{
    const ReadText patch = readStrictJson(fix);
    const ConfigValue* op = patch.root.items.size() != 1 ? nullptr : patch.root.items.front().find("op");
    if (op == nullptr || !(op->isString("remove") || op->isString("replace"))) {
        return true;
    }
    const ConfigValue* value = &document;
    for (const std::string& token : pointerTokens(patch.root.items.front().find("path")->text).value_or(std::vector<std::string>())) {
        if (value != nullptr && value->isList()) {
            return true;
        }
        value = value == nullptr ? nullptr : value->find(token);
    }
    return value != nullptr;
}

constexpr const char* kZero = "/zero_optimization";

/// The section right above what `pointer` names.
std::string sectionOf(const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); }

/// Whether a key of the name `key`, which is none of DeepSpeed's, may be meant as the stage or a device: it says so, a key below it does, or it has a value
/// of that kind in the section of `setting` itself.
bool mayStandFor(std::string_view key, const ConfigValue& value, const std::string& setting, bool sameSection)
{
    const bool stage = setting.ends_with("/stage");
    std::string low(key);
    std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (low.starts_with("stage3_") || low.find("pipe") != std::string::npos) {
        return false;  // one of the settings of stage 3; a pipeline has stages and partitions of its own
    }
    const auto says = [&](const std::vector<std::string>& words) { return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return low.find(word) != std::string::npos; }); };
    static const std::vector<std::string> kStage{"stage", "zero", "level", "shard", "partition"}, kDevice{"dev", "offload", "nvme", "cpu", "swap", "disk"};
    const std::vector<std::string> name{setting.substr(setting.rfind('/') + 1)};
    if (says(stage ? kStage : kDevice) || !nearestWords(low, name, 0).empty()) {
        return true;
    }
    if (sameSection && ((stage && value.isNumber() && value.asDouble() >= 0.0 && value.asDouble() <= 3.0) || value.isString())) {
        return true;
    }
    return std::any_of(value.members.begin(), value.members.end(), [&](const ConfigMember& member) { return mayStandFor(member.key, member.value, setting, false); });
}

/// Whether `finding` leaves open what `setting` is: it speaks of it itself, its fix writes it, or it tells of a key without meaning, at the top or near by,
/// which may be meant as it.
bool leavesOpen(const ConfigValue& document, const CheckFinding& finding, const std::string& setting)
{
    if (finding.pointer == setting) {
        return true;
    }
    const std::vector<std::string> written = finding.fix.empty() ? std::vector<std::string>() : reachOf(finding.fix).written;
    if (written.empty() && (finding.rule == "R10" || finding.rule == "R11")) {
        const std::string above = sectionOf(finding.pointer);
        const bool sameSection = above == sectionOf(setting);
        const ConfigValue* value = configAt(document, finding.pointer);
        if (value != nullptr && (above.empty() || sameSection) && mayStandFor(finding.pointer.substr(above.size() + 1), *value, setting, sameSection)) {
            return true;
        }
    }
    return std::any_of(written.begin(), written.end(), [&](const std::string& place) { return within(setting, place); });
}

/// What ZeRO's stage or a device makes useless is taken out by a fix only where these stand as they are meant: a stage that is misspelt is mended first.
void withholdInDoubt(const ConfigValue& document, std::string_view language, CheckAnswer& answer)
{
    std::map<std::string, std::vector<const CheckFinding*>> openers;  // setting -> the findings that leave it open: two are enough
    const auto openerOf = [&](const std::string& setting, const CheckFinding& finding) {
        auto known = openers.find(setting);
        if (known == openers.end()) {
            known = openers.try_emplace(setting).first;
            for (const CheckFinding& each : answer.findings) {
                if (known->second.size() < 2 && leavesOpen(document, each, setting)) {
                    known->second.push_back(&each);
                }
            }
        }
        const auto other = std::find_if(known->second.begin(), known->second.end(), [&](const CheckFinding* each) { return each != &finding; });
        return other == known->second.end() ? nullptr : *other;
    };
    std::vector<const CheckFinding*> doubts;  // of each finding, the one that is to be mended before it; null where none is
    std::vector<bool> open;
    for (const CheckFinding& finding : answer.findings) {
        std::vector<std::string> basis;
        const bool takesOut = !finding.fix.empty() && reachOf(finding.fix).written.empty();
        if (takesOut && finding.pointer.starts_with(std::string(kZero) + "/") && finding.rule != "R10" && finding.rule != "R11") {
            basis.push_back(std::string(kZero) + "/stage");
            if (finding.rule == "R26") {
                basis.push_back(sectionOf(finding.pointer) + "/device");
            }
        }
        const CheckFinding* doubt = nullptr;
        for (const std::string& setting : basis) {
            doubt = doubt == nullptr ? openerOf(setting, finding) : doubt;
        }
        const ConfigValue* block = basis.size() == 2 ? configAt(document, sectionOf(finding.pointer)) : nullptr;
        open.push_back(doubt != nullptr || (block != nullptr && block->find("device") == nullptr));  // it may be the device that is missing
        doubts.push_back(doubt);
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        CheckFinding& finding = answer.findings[i];
        if (open[i]) {
            finding.fix.clear();
            finding.safe = false;
            finding.message += doubts[i] == nullptr ? messageText(language, "fix.device", {}) : messageText(language, "fix.first", {{"other", doubts[i]->pointer.substr(doubts[i]->pointer.rfind('/') + 1)}});
        }
    }
}

}  // namespace

void guardFixes(const ConfigValue& document, std::string_view language, CheckAnswer& answer)
{
    withholdInDoubt(document, language, answer);
    std::vector<Reach> reaches;
    std::multimap<std::string, std::size_t> writers;  // pointer -> the fixes that write it
    for (CheckFinding& finding : answer.findings) {
        if (!finding.fix.empty() && !standsThere(document, finding.fix)) {
            finding.fix.clear();  // DeepSpeed has made that from another key, whose own finding says so
            finding.safe = false;
        }
        reaches.push_back(finding.fix.empty() ? Reach() : reachOf(finding.fix));
        for (const std::string& place : reaches.back().written) {
            writers.emplace(place, reaches.size() - 1);
        }
    }
    // A place that is new has nothing to test: of fixes that write otherwise there, one that only adds is held back for the other.
    for (auto at = writers.begin(); at != writers.end();) {
        const auto end = writers.upper_bound(at->first);
        const auto moves = [&](const auto& writer) { return !reaches[writer.second].spent.empty(); };
        const bool movedTo = std::any_of(at, end, moves);
        const std::size_t first = at->second;
        for (auto writer = at; writer != end; ++writer) {
            CheckFinding& finding = answer.findings[writer->second];
            if (!moves(*writer) && (movedTo || finding.fix != answer.findings[first].fix)) {
                finding.fix.clear();
                finding.safe = false;
            }
        }
        at = end;
    }
    for (std::size_t mine = 0; mine < reaches.size(); ++mine) {
        if (answer.findings[mine].fix.empty()) {
            continue;
        }
        std::set<std::string> others;  // what the fixes take away that this one would undo
        for (const std::string& over : reaches[mine].overwritten) {
            for (auto at = writers.lower_bound(over); at != writers.end() && at->first.starts_with(over); ++at) {
                if (at->second != mine && within(at->first, over)) {
                    others.insert(reaches[at->second].spent.begin(), reaches[at->second].spent.end());
                }
            }
        }
        std::string tests;
        for (const std::string& place : others) {
            if (const auto sign = witness(document, place)) {
                tests += R"({"op": "test", "path": )" + toJson(ConfigValue::ofString(sign->first)) + R"(, "value": )" + sign->second + "}, ";
            }
        }
        std::string& fix = answer.findings[mine].fix;
        fix = tests.empty() ? fix : "[" + tests + fix.substr(1);
    }
}

}  // namespace stagecraft::rules
