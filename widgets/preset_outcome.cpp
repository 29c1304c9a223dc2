// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/preset_outcome.h"

#include "config/json_edit.h"

#include <algorithm>
#include <tuple>

namespace stagecraft {

namespace {

bool refuses(const CheckFinding& finding)
{
    return finding.severity == CheckSeverity::Error && finding.effect == CheckEffect::Refused;
}

/// The first refusal that `known` does not have; where all are known, none.
const CheckFinding* newRefusal(const CheckAnswer& answer, const CheckAnswer& known)
{
    for (const CheckFinding& finding : answer.findings) {
        const bool old = std::any_of(known.findings.begin(), known.findings.end(), [&](const CheckFinding& other) { return refuses(other) && other.rule == finding.rule && other.pointer == finding.pointer; });
        if (refuses(finding) && !old)
            return &finding;
    }
    return nullptr;
}

/// The stage that stops first is the one a person meets.
std::optional<CheckFinding> firstRefusal(const CheckAnswer& answer)
{
    const auto first = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return refuses(finding) && (!answer.level || finding.level == *answer.level); });
    return answer.ok || first == answer.findings.end() ? std::nullopt : std::optional(*first);
}

std::string refuserOf(const CheckFinding& refusal, const CheckAnswer& judged, const CheckContext& context)
{
    CheckAnswer answer;
    answer.release = judged.release;
    answer.level = refusal.level;
    answer.findings = {refusal};
    return whoRefuses(answer, context.launcher);
}

/// Keys that `answer` says are never read and `known` does not.
std::vector<std::string> unreadBy(const CheckAnswer& answer, const CheckAnswer& known)
{
    std::vector<std::string> keys;
    for (const CheckFinding& finding : answer.findings) {
        const bool old = std::any_of(known.findings.begin(), known.findings.end(), [&](const CheckFinding& other) { return other.effect == CheckEffect::Ignored && other.pointer == finding.pointer; });
        if (finding.effect == CheckEffect::Ignored && !old && std::find(keys.begin(), keys.end(), finding.pointer) == keys.end())
            keys.push_back(finding.pointer);
    }
    return keys;
}

/// A preset that takes the optimizer out trains nothing: that none is there is no reason against it.
constexpr const char* kNoOptimizer = "R31";

Result<CheckAnswer> judged(std::string_view text, const CheckContext& context, bool inference)
{
    auto answer = checkConfig(text, context);
    if (!answer.hasValue() || !inference)
        return answer;
    std::erase_if(answer->findings, [](const CheckFinding& finding) { return finding.rule == kNoOptimizer && refuses(finding); });
    const auto first = std::min_element(answer->findings.begin(), answer->findings.end(),
                                        [](const CheckFinding& a, const CheckFinding& b) { return std::tuple(!refuses(a), a.level) < std::tuple(!refuses(b), b.level); });
    answer->ok = first == answer->findings.end() || !refuses(*first);
    answer->level = answer->ok ? std::nullopt : std::optional(first->level);
    return answer;
}

/// What would not help is not offered.
PresetOutcome leaveAsItIs(PresetOutcome outcome)
{
    outcome.misfits.clear();
    return outcome;
}

}  // namespace

Result<PresetOutcome> presetOutcome(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context)
{
    constexpr int kMostMisfits = 8;   // one refusal may hide the next
    PresetOutcome outcome;
    auto merged = mergePreset(document, preset, context);
    if (!merged.hasValue())
        return merged.error();
    outcome.text = *merged;
    outcome.inference = std::find(preset.removed.begin(), preset.removed.end(), "/optimizer") != preset.removed.end();
    const auto before = judged(document.text(), context, outcome.inference);
    auto now = judged(outcome.text, context, outcome.inference);
    if (!before.hasValue() || !now.hasValue())
        return before.hasValue() ? now.error() : before.error();
    outcome.release = now->release;
    outcome.unread = unreadBy(*now, *before);
    const CheckFinding* own = newRefusal(*now, *before);
    outcome.refusal = own ? std::optional(*own) : firstRefusal(*now);
    outcome.refusedBefore = outcome.refusal && !own;
    outcome.refuser = outcome.refusal ? refuserOf(*outcome.refusal, *now, context) : std::string();
    const auto isOfPreset = [&](const std::string& pointer) { return preset.config->find(pointer) >= 0; };
    std::string text = outcome.text;
    while (const CheckFinding* finding = newRefusal(*now, *before)) {
        const auto read = JsonDocument::parse(text);
        const std::string pointer = finding->pointer;
        if (outcome.misfits.size() >= kMostMisfits || pointer.empty() || !read.hasValue() || read->find(pointer) < 0 || isOfPreset(pointer))
            return leaveAsItIs(outcome);
        const auto edit = removeEdit(*read, pointer);
        if (!edit.hasValue())
            return leaveAsItIs(outcome);
        text = applyEdits(read->text(), {*edit});
        now = judged(text, context, outcome.inference);
        if (!now.hasValue())
            return leaveAsItIs(outcome);
        outcome.misfits.push_back(pointer);
    }
    if (!outcome.misfits.empty()) {
        outcome.withoutMisfits = std::move(text);
        outcome.refusalLeft = firstRefusal(*now);
        if (outcome.refusalLeft)
            outcome.refuser = refuserOf(*outcome.refusalLeft, *now, context);
    }
    return outcome;
}

}  // namespace stagecraft
