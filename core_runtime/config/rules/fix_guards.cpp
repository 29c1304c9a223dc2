// SPDX-License-Identifier: GPL-3.0-or-later
// The fixes of one listing are each made for the file as it is. One that would write over what another has written first tests that the other
// has not been applied, and so refuses itself (RFC 6902, sections 4.6 and 5) until the file is checked again.
#include "config/rules/judge.h"

#include "config/hjson_reader.h"

#include <algorithm>
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
    const ConfigValue* value = &document;
    for (const std::string& token : pointerTokens(pointer).value_or(std::vector<std::string>())) {
        value = value == nullptr ? nullptr : value->find(token);
    }
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

}  // namespace

void guardFixes(const ConfigValue& document, CheckAnswer& answer)
{
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
