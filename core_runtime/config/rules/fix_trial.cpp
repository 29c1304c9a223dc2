// SPDX-License-Identifier: GPL-3.0-or-later
// A fix that moves a value to the key that was meant makes it act: whether it can is tried, as nothing else tells.
#include "config/rules/judge.h"

#include "config/hjson_reader.h"

#include "config/json_document.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace stagecraft::rules {

namespace {

/// Trials of one check: each judges the config once more.
constexpr int kMostTrials = 8;

/// The parent object of `pointer` in `document`, and the key in it; null where there is none.
std::pair<ConfigValue*, std::string> placeIn(ConfigValue& document, const std::string& pointer)
{
    ConfigValue* parent = &document;
    std::size_t from = 0;
    while (true) {
        const std::size_t to = pointer.find('/', from + 1);
        std::string token = unescaped(pointer.substr(from + 1, to == std::string::npos ? to : to - from - 1));
        if (to == std::string::npos) {
            return {parent->isObject() ? parent : nullptr, std::move(token)};
        }
        const auto next = std::find_if(parent->members.begin(), parent->members.end(), [&](const ConfigMember& m) { return m.key == token; });
        if (next == parent->members.end()) {
            return {nullptr, {}};
        }
        parent = &next->value;
        from = to;
    }
}

/// How far DeepSpeed gets. Of building the engine, a pipeline's own rules and the first steps none comes before all of another.
int reach(const CheckAnswer& answer)
{
    return answer.level.has_value() ? static_cast<int>(std::min(*answer.level, CheckLevel::Engine)) : 4;
}

/// What refuses the value at `place`; null where nothing does.
const CheckFinding* refusalAt(const CheckAnswer& answer, const std::string& place)
{
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) {
        return finding.severity == CheckSeverity::Error && (finding.pointer == place || finding.pointer.starts_with(place + "/"));
    });
    return found == answer.findings.end() ? nullptr : &*found;
}

bool within(const std::string& pointer, const std::string& section)
{
    return pointer.starts_with(section) && (pointer.size() == section.size() || pointer[section.size()] == '/');
}

/// What speaks against a fix that writes `place`: an error there, in what it holds or in the section round it, or that DeepSpeed uses none of it there, and
/// the file had neither before. What was refused (`wasRefused`) may well be unused after it. Null where nothing does.
const CheckFinding* harmAt(const CheckAnswer& before, const CheckAnswer& after, const std::string& place, bool wasRefused)
{
    if (const CheckFinding* refusal = refusalAt(after, place)) {
        return refusal;
    }
    const auto found = std::find_if(after.findings.begin(), after.findings.end(), [&](const CheckFinding& now) {
        const bool round = !now.pointer.empty() && now.pointer != place && within(place, now.pointer);
        const bool counts = (now.severity == CheckSeverity::Error || (now.severity == CheckSeverity::Warning && !wasRefused)) && (round || (now.pointer == place && now.effect == CheckEffect::Ignored));
        return counts && std::none_of(before.findings.begin(), before.findings.end(), [&](const CheckFinding& was) { return was.rule == now.rule && (was.pointer == now.pointer || was.message == now.message); });
    });
    return found == after.findings.end() ? nullptr : &*found;
}

/// Whether a fix that moves nothing writes what DeepSpeed may refuse, or not use, where it is written: a number out of its quotes, the section that a word
/// stands for, a schedule that gets what it lacks.
bool writesAnew(const CheckFinding& finding)
{
    static constexpr std::array kRules{"R8", "R13", "R14", "R18", "R48", "R56", "R58", "R59"};
    // What acts as true makes something else possible once it is off as it was meant.
    const bool off = finding.rule == "R16" && finding.fix.find(R"("value": false)") != std::string::npos;
    return (off || std::find(kRules.begin(), kRules.end(), finding.rule) != kRules.end()) && !finding.fix.empty() && finding.fix.find(R"("op": "remove")") == std::string::npos;
}

/// The place that a fix writes last.
std::string writtenBy(const std::string& fix)
{
    const ReadText patch = readStrictJson(fix);
    const ConfigValue* path = patch.root.items.empty() ? nullptr : patch.root.items.back().find("path");
    return path == nullptr ? std::string() : path->text;
}

/// One patch after the other; a section that the first has made is not made again.
std::string joined(const std::string& first, const std::string& second)
{
    std::string steps;
    std::set<std::string> made;
    for (const std::string& patch : {first, second}) {
        for (const ConfigValue& step : readStrictJson(patch).root.items) {
            const ConfigValue* value = step.find("value");
            const bool section = value != nullptr && value->isObject() && value->members.empty();
            if (!section || made.insert(step.find("path")->text).second) {
                steps += (steps.empty() ? "" : ", ") + toJson(step);
            }
        }
    }
    return "[" + steps + "]";
}

/// Where a fix moves a value from and to; nothing for other fixes.
std::optional<std::pair<std::string, std::string>> movedBy(const CheckFinding& finding)
{
    if (finding.fix.find(R"({"op": "move")") == std::string::npos) {
        return std::nullopt;
    }
    const ReadText patch = readStrictJson(finding.fix);
    const auto step = std::find_if(patch.root.items.begin(), patch.root.items.end(), [](const ConfigValue& each) { return each.find("from") != nullptr; });
    return step == patch.root.items.end() ? std::nullopt : std::optional(std::pair(step->find("from")->text, step->find("path")->text));
}

}  // namespace

bool applySteps(ConfigValue& document, const ConfigValue& patch)
{
    for (const ConfigValue& step : patch.items) {
        const ConfigValue* op = step.find("op");
        const ConfigValue* path = step.find("path");
        if (op == nullptr || path == nullptr) {
            return false;
        }
        const ConfigValue* given = step.find("value");
        ConfigValue value = given == nullptr ? ConfigValue() : *given;
        const bool move = op->isString("move");
        if (move || op->isString("remove")) {
            const auto [source, key] = placeIn(document, move ? step.find("from")->text : path->text);
            if (source == nullptr) {
                return false;
            }
            const auto member = std::find_if(source->members.begin(), source->members.end(), [&, name = key](const ConfigMember& m) { return m.key == name; });
            if (member == source->members.end()) {
                return false;
            }
            value = std::move(member->value);
            source->members.erase(member);
        }
        if (!op->isString("remove")) {
            const auto [target, name] = placeIn(document, path->text);
            if (target == nullptr) {
                return false;
            }
            const bool section = value.isObject() && value.members.empty();
            const bool there = std::any_of(target->members.begin(), target->members.end(), [&, key = name](const ConfigMember& m) { return m.key == key && m.value.isObject(); });
            if (section && there) {
                continue;  // made by the fix of a neighbour
            }
            target->set(name, std::move(value));
        }
    }
    return true;
}

void tellRivals(const ConfigValue& document, std::string_view language, CheckAnswer& answer)
{
    std::map<std::string, std::vector<std::pair<CheckFinding*, std::string>>> byPlace;  // -> the findings that move something there, and what
    for (CheckFinding& finding : answer.findings) {
        if (const auto moved = movedBy(finding)) {
            byPlace[moved->second].emplace_back(&finding, moved->first);
        }
    }
    for (auto& [place, rivals] : byPlace) {
        for (const auto& [finding, from] : rivals) {
            const auto rival = std::find_if(rivals.begin(), rivals.end(), [&, mine = from](const auto& each) { return each.second != mine; });
            if (rival == rivals.end()) {
                continue;  // two findings about one key
            }
            const std::string& other = rival->second;
            const bool first = from == rivals.front().second;
            const ConfigValue* mine = configAt(document, from);
            const ConfigValue* theirs = configAt(document, other);
            if (mine == nullptr || theirs == nullptr) {
                continue;
            }
            // What to do about it is said once.
            finding->message += messageText(language, first ? "fix.twice" : "fix.twice.other", {{"other", other.substr(other.rfind('/') + 1)}, {"value", toJson(*theirs)}});
            const bool same = toJson(*mine) == toJson(*theirs);
            finding->fix = !same ? std::string() : first ? finding->fix : patchRemove(from);
            finding->safe = finding->safe && same && first;
        }
    }
}

void replaceFixesThatHarm(const ConfigValue& document, std::string_view language, const std::function<CheckAnswer(ConfigValue)>& judge, CheckAnswer& answer)
{
    struct Move {
        std::string fix, from;
    };
    std::vector<Move> moves;  // as they were made, before any is mended or taken back
    for (const CheckFinding& finding : answer.findings) {
        if (auto moved = movedBy(finding)) {
            moves.push_back({finding.fix, std::move(moved->first)});
        }
    }
    int trials = 0, neighbours = 0;
    const auto outcome = [&](const std::string& fix) -> std::optional<CheckAnswer> {
        ConfigValue changed = document;
        return applySteps(changed, readStrictJson(fix).root) ? std::optional(judge(std::move(changed))) : std::nullopt;
    };
    for (CheckFinding& finding : answer.findings) {
        if (finding.fix.find(R"({"op": "move")") == std::string::npos) {
            const std::string place = writesAnew(finding) && trials < kMostTrials ? writtenBy(finding.fix) : std::string();
            if (const auto after = place.empty() ? std::nullopt : outcome(finding.fix)) {
                ++trials;
                const bool same = std::any_of(after->findings.begin(), after->findings.end(), [&](const CheckFinding& now) { return now.rule == finding.rule && now.pointer == finding.pointer && now.message == finding.message; });
                if (same || harmAt(answer, *after, place, finding.severity == CheckSeverity::Error) != nullptr || reach(*after) < reach(answer)) {
                    finding.fix.clear();
                    finding.safe = false;
                }
            }
            continue;
        }
        if (++trials > kMostTrials) {
            // What is not tried is not offered.
            finding.fix.clear();
            finding.safe = false;
            continue;
        }
        const ReadText patch = readStrictJson(finding.fix);
        const auto step = std::find_if(patch.root.items.begin(), patch.root.items.end(), [](const ConfigValue& each) { return each.find("from") != nullptr; });
        const ConfigValue* to = step == patch.root.items.end() ? nullptr : step->find("path");
        const std::optional<CheckAnswer> after = to == nullptr ? std::nullopt : outcome(finding.fix);
        if (!after) {
            continue;
        }
        const CheckFinding* refusal = harmAt(answer, *after, to->text, finding.severity == CheckSeverity::Error);
        if (reach(*after) >= reach(answer) && refusal == nullptr) {
            continue;
        }
        // The value is right there, for other ranks than those of this check.
        if (reach(*after) >= reach(answer) && refusal->rule == "R66" && finding.level == CheckLevel::Parse && finding.severity == CheckSeverity::Error) {
            finding.message += messageText(language, "fix.refused", {{"reason", refusal->message}});
            finding.safe = false;
            continue;
        }
        // A file written flat: a key may need a neighbour where it belongs, which a fix of its own moves there. Where it would be refused alone it waits for that one.
        const auto needed = std::find_if(moves.begin(), moves.end(), [&](const Move& other) {
            if (other.fix == finding.fix || ++neighbours > kMostTrials) {
                return false;
            }
            const std::optional<CheckAnswer> with = outcome(joined(other.fix, finding.fix));
            return with && reach(*with) >= reach(answer) && harmAt(answer, *with, to->text, finding.severity == CheckSeverity::Error) == nullptr;
        });
        if (needed != moves.end()) {
            finding.safe = false;  // not alone
            if (reach(*after) < reach(answer)) {
                finding.message += messageText(language, "fix.first", {{"other", needed->from.substr(needed->from.rfind('/') + 1)}});
                finding.fix.clear();
            }
            continue;
        }
        if (refusal == nullptr) {
            const auto first = std::find_if(after->findings.begin(), after->findings.end(), [&](const CheckFinding& now) { return now.level == after->level && now.severity == CheckSeverity::Error; });
            refusal = first == after->findings.end() ? nullptr : &*first;
        }
        if (refusal != nullptr) {
            finding.message += messageText(language, refusal->severity == CheckSeverity::Error ? "fix.refused" : "fix.idle", {{"reason", refusal->message}});
        }
        // Moved and mended in one step, where the refusal knows how: a list in the place of one number would be made up.
        if (refusal != nullptr && refusal->fix.starts_with(R"([{"op": "replace")") && refusal->fix.find(R"("value": [)") == std::string::npos && refusal->pointer == to->text) {
            const std::string both = joined(finding.fix, refusal->fix);
            const std::optional<CheckAnswer> mended = outcome(both);
            if (mended && reach(*mended) >= reach(answer) && refusalAt(*mended, to->text) == nullptr) {
                finding.fix = both;
                finding.safe = false;
                continue;
            }
        }
        // What was meant for another place is not taken out by one click: it is told, and a person decides.
        finding.fix.clear();
        finding.safe = false;
    }
}

}  // namespace stagecraft::rules
