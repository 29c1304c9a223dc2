// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/safe_fixes.h"

#include "config/json_edit.h"
#include "config/launcher.h"
#include "config/text_fixes.h"
#include "config/text_slips.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

/// The one edit of a patch that takes out or replaces a single value; nothing for other patches.
std::optional<TextEdit> singleEdit(const JsonDocument& document, const json& patch)
{
    if (!patch.is_array() || patch.size() != 1 || !patch[0].is_object()) return std::nullopt;
    const std::string op = patch[0].value("op", std::string());
    const std::string path = patch[0].value("path", std::string());
    if (document.find(path) < 0) return std::nullopt;
    const Result<TextEdit> edit = op == "remove" ? removeEdit(document, path) : op == "replace" && patch[0].contains("value") && patch[0]["value"].is_primitive() ? setEdit(document, path, formatJson(patch[0]["value"], {})) : Result<TextEdit>(Error{});
    return edit.hasValue() && edit->end > edit->begin ? std::optional(*edit) : std::nullopt;
}

/// Edits by where they begin; none reaches into the next.
using Apart = std::map<std::size_t, TextEdit>;

bool addApart(Apart& edits, const TextEdit& edit)
{
    const auto after = edits.lower_bound(edit.begin);
    if (after != edits.end() && after->first < edit.end) return false;
    if (after != edits.begin() && std::prev(after)->second.end > edit.begin) return false;
    edits.emplace(edit.begin, edit);
    return true;
}

std::string applied(const std::string& text, const Apart& edits)
{
    std::string out;
    out.reserve(text.size());
    std::size_t from = 0;
    for (const auto& [begin, edit] : edits) {
        out.append(text, from, begin - from);
        out += edit.replacement;
        from = edit.end;
    }
    return out.append(text, from, std::string::npos);
}

/// Whether a fix takes out what an earlier fix has put there: it was meant, and waits for what comes after it.
bool undoesAnother(const JsonDocument& original, const CheckFinding& finding)
{
    const json patch = json::parse(finding.fix, nullptr, false);
    return patch.is_array() && std::any_of(patch.begin(), patch.end(), [&](const json& step) { return step.is_object() && step.value("op", std::string()) == "remove" && original.find(step.value("path", std::string())) < 0; });
}

/// The document after the safe fixes that can be applied together, or after the first alone; nothing when there is none.
std::optional<JsonDocument> nextDocument(const JsonDocument& original, const JsonDocument& document, std::vector<CheckFinding> findings)
{
    std::erase_if(findings, [&](const CheckFinding& finding) { return !isSafeFix(finding) || undoesAnother(original, finding); });
    const auto read = [](const std::string& text) {
        Result<JsonDocument> parsed = JsonDocument::parse(text);
        return parsed.hasValue() ? std::optional(std::move(parsed).value()) : std::nullopt;
    };
    Apart together;
    for (const CheckFinding& finding : findings)
        if (const auto edit = singleEdit(document, json::parse(finding.fix, nullptr, false))) addApart(together, *edit);
    if (!together.empty())
        if (auto all = read(applied(document.text(), together))) return all;
    if (findings.empty()) return std::nullopt;
    const auto edits = patchEdits(document, json::parse(findings.front().fix, nullptr, false));
    return edits.hasValue() ? read(applyEdits(document.text(), *edits)) : std::nullopt;
}

/// Whether a text is one that only strict readers refuse, and says nothing that could have been meant otherwise.
bool saysTheSame(std::string_view text)
{
    const auto document = JsonDocument::parse(std::string(text));
    return document.hasValue() && std::none_of(document->nodes().begin(), document->nodes().end(), [](const JsonNode& node) { return node.bare; });
}

/// Whether all members of that name have the same value, so that it is one whichever of them stays.
bool isSameTwice(const JsonDocument& document, const std::string& pointer)
{
    const int last = document.find(pointer);
    for (int id = last < 0 ? -1 : document.node(last).previous; id >= 0; id = document.node(id).previous) {
        if (document.key(id) == document.key(last) && document.toJson(id).dump(-1, ' ', false, json::error_handler_t::replace) != document.toJson(last).dump(-1, ' ', false, json::error_handler_t::replace)) return false;
    }
    return last >= 0;
}

/// Without a key that stands there again with the same value.
std::optional<MendedConfig> withoutRepetition(const std::string& text, const CheckAnswer& answer)
{
    const auto repeated = [](const CheckFinding& finding) { return finding.rule == "R1"; };
    if (std::none_of(answer.findings.begin(), answer.findings.end(), repeated)) return std::nullopt;
    const auto document = JsonDocument::parse(text);
    if (!document.hasValue()) return std::nullopt;
    for (const CheckFinding& finding : answer.findings) {
        if (!repeated(finding) || !isSameTwice(document.value(), finding.pointer)) continue;
        auto once = mendedText(text, finding, TextFix::KeepLast);
        if (!once) continue;
        MendedConfig readable{std::move(*once), {}};
        std::copy_if(answer.findings.begin(), answer.findings.end(), std::back_inserter(readable.mended), [&](const CheckFinding& other) { return repeated(other) && other.pointer == finding.pointer; });
        return readable;
    }
    return std::nullopt;
}

/// Whether a name without quotes has more in it than a name has: what came of a paste, and is no key in quotes either.
bool hasOddName(const JsonDocument& document)
{
    return std::any_of(document.nodes().begin(), document.nodes().end(), [&](const JsonNode& node) {
        const std::string_view key = std::string_view(document.text()).substr(node.keyBegin, node.keyEnd - node.keyBegin);
        return !key.empty() && key.front() != '"' && key.front() != '\'' && key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != std::string_view::npos;
    });
}

/// With the commas and quotes that every reader takes, where DeepSpeed's finds the same in it. A comment is nobody's to take out.
std::optional<MendedConfig> strictlyPunctuated(const std::string& text, const CheckAnswer& answer)
{
    const auto told = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) { return finding.rule == "R2"; });
    const auto document = told == answer.findings.end() ? Result<JsonDocument>(Error{}) : JsonDocument::parse(text);
    if (!document.hasValue()) return std::nullopt;
    const auto punctuation = [](const JsonRelaxationUse& use) { return use.what == JsonRelaxation::TrailingComma || use.what == JsonRelaxation::MissingComma || use.what == JsonRelaxation::UnquotedKey || use.what == JsonRelaxation::SingleQuotes; };
    if (!std::all_of(document->relaxations().begin(), document->relaxations().end(), punctuation) || hasOddName(document.value())) return std::nullopt;
    auto strict = mendedText(text, *told, TextFix::StrictJson);
    const auto after = strict ? JsonDocument::parse(*strict) : Result<JsonDocument>(Error{});
    if (!after.hasValue() || *strict == text || after->toJson(0, true) != document->toJson(0, true)) return std::nullopt;
    return MendedConfig{std::move(*strict), {*told}};
}

}  // namespace

std::optional<MendedConfig> moreReadable(const std::string& text, const CheckAnswer& answer, const CheckContext& context)
{
    MendedConfig readable;
    if (const auto slips = textSlips(text); !slips.empty()) {
        std::copy_if(answer.findings.begin(), answer.findings.end(), std::back_inserter(readable.mended), [&](const CheckFinding& finding) { return isSlip(text, slips, finding); });
        readable.text = withoutSlips(text, slips);
        if (!readable.mended.empty()) return readable;
    }
    const auto fixOf = [&](const CheckFinding& finding) { return finding.rule.starts_with("text.") && finding.effect == CheckEffect::Refused ? textFixOf(text, finding) : std::nullopt; };
    if (readsStrictly(context.launcher) && answer.level == CheckLevel::Load && saysTheSame(text)) {
        std::copy_if(answer.findings.begin(), answer.findings.end(), std::back_inserter(readable.mended), [&](const CheckFinding& finding) { return fixOf(finding) == TextFix::StrictJson; });
        const auto strict = readable.mended.empty() ? std::nullopt : mendedText(text, readable.mended.front(), TextFix::StrictJson);
        if (strict && *strict != text) {
            readable.text = *strict;
            return readable;
        }
    }
    for (const CheckFinding& finding : answer.findings) {
        auto fix = fixOf(finding);
        fix = fix == TextFix::StrictJson ? TextFix::PlainCharacters : fix;   // what strict readers alone refuse is mended above
        const bool plain = fix == TextFix::KeepConfig || fix == TextFix::ExtraBracket || fix == TextFix::AddedLines || fix == TextFix::PlainCharacters || fix == TextFix::Punctuation;
        if (auto better = plain ? mendedText(text, finding, *fix) : std::nullopt; better && *better != text) {
            return MendedConfig{std::move(*better), {finding}};
        }
    }
    if (auto once = withoutRepetition(text, answer)) return once;
    return strictlyPunctuated(text, answer);
}

bool isSafeFix(const CheckFinding& finding)
{
    return finding.safe && !finding.fix.empty();
}

std::string withSafeFixes(const JsonDocument& document, std::vector<CheckFinding> findings, const FindAgain& again)
{
    JsonDocument now = document;
    std::set<std::pair<std::string, std::string>> shown;  // what a fix makes due afterwards nobody has been shown
    for (const CheckFinding& finding : findings)
        if (isSafeFix(finding)) shown.emplace(finding.rule, finding.pointer);
    // A pair of fixes that undo each other ends with the rounds.
    for (std::size_t rounds = findings.size() + 1; rounds > 0; --rounds) {
        auto fixed = nextDocument(document, now, findings);
        if (!fixed) break;
        auto found = again(fixed->text());
        if (!found) break;
        now = std::move(*fixed);
        findings = std::move(*found);
        std::erase_if(findings, [&](const CheckFinding& finding) { return shown.count({finding.rule, finding.pointer}) == 0; });
    }
    return now.text();
}

MendedConfig madeReadable(const std::string& text, CheckAnswer& answer, const CheckContext& context)
{
    constexpr int kMostSteps = 8;   // what one lays bare the next mends
    MendedConfig mended{text, {}};
    for (int steps = 0; steps < kMostSteps; ++steps) {
        auto readable = moreReadable(mended.text, answer, context);
        auto next = readable ? checkConfig(readable->text, context) : Result<CheckAnswer>(Error{});
        if (!next.hasValue()) break;
        mended.mended.insert(mended.mended.end(), readable->mended.begin(), readable->mended.end());
        mended.text = std::move(readable->text);
        answer = std::move(next).value();
    }
    return mended;
}

Result<MendedConfig> withEverySafeFix(std::string_view text, const CheckContext& context)
{
    MendedConfig mended{std::string(text), {}};
    auto answer = checkConfig(mended.text, context);
    if (!answer.hasValue()) return answer.error();
    mended = madeReadable(mended.text, *answer, context);
    const auto document = JsonDocument::parse(mended.text);
    if (!document.hasValue()) return mended;
    const auto again = [&](const std::string& fixed) {
        auto found = checkConfig(fixed, context);
        return found.hasValue() ? std::optional(std::move(found->findings)) : std::nullopt;
    };
    std::string fixedText = withSafeFixes(*document, answer->findings, again);
    if (fixedText == mended.text) return mended;
    std::set<std::pair<std::string, std::string>> left;
    auto after = checkConfig(fixedText, context);
    if (!after.hasValue()) return after.error();
    for (const CheckFinding& finding : after->findings) left.emplace(finding.rule, finding.pointer);
    for (const CheckFinding& finding : answer->findings)
        if (isSafeFix(finding) && left.count({finding.rule, finding.pointer}) == 0) mended.mended.push_back(finding);
    // A value written anew may have been all that kept the text from being mended further.
    MendedConfig further = madeReadable(fixedText, *after, context);
    mended.mended.insert(mended.mended.end(), further.mended.begin(), further.mended.end());
    mended.text = std::move(further.text);
    return mended;
}

}  // namespace stagecraft
