// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/text_slips.h"

#include "config/bare_text.h"
#include "config/finding_text.h"
#include "config/hjson_reader.h"
#include "config/json_lines.h"
#include "config/key_catalog.h"
#include "config/launcher.h"
#include "config/python_value.h"
#include "config/text_findings.h"
#include "config/text_fixes.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{{{"True", "true"}, {"False", "false"}, {"None", "null"}}};

constexpr std::size_t kMostSlips = 100'000;   // a text with more was not written by anybody

/// Whether a value that ends at `end` ends there for its author too.
bool isWhole(std::string_view text, std::size_t end)
{
    const std::size_t next = text.find_first_not_of(" \t", end);
    return next == std::string_view::npos || isLineEnd(text[next]) || std::string_view(",}]#/").find(text[next]) != std::string_view::npos;
}

/// Whether a word is one that DeepSpeed takes for some key: auto, cpu, AdamW.
bool isValueOfDeepSpeed(std::string_view word)
{
    static const std::set<std::string, std::less<>> kValues = [] {
        std::set<std::string, std::less<>> values{"auto"};
        for (const CatalogKey& key : KeyCatalog::standard().keys()) {
            for (const std::string& json : key.values) {
                const bool text = json.size() > 2 && json.front() == '"';
                values.insert(text ? json.substr(1, json.size() - 2) : std::string());
            }
        }
        return values;
    }();
    return !word.empty() && kValues.count(word) > 0;
}

/// Whether a word with a semicolon behind it is a number, true, false or null.
bool isLiteralWithSemicolon(std::string_view word)
{
    const std::string_view value = word.substr(0, word.find(';'));
    return word.size() == value.size() + 1 && (value == "true" || value == "false" || value == "null" || !jsonNumber(value).empty());
}

/// A comma goes with its line where nothing else stands there.
TextEdit commaEdit(std::string_view text, std::size_t comma)
{
    std::size_t begin = comma;
    while (begin > 0 && isBlank(text[begin - 1])) {
        --begin;
    }
    const std::size_t behind = std::min(text.find_first_not_of(" \t", comma + 1), text.size());
    if (begin > 0 && isLineEnd(text[begin - 1]) && (behind == text.size() || isLineEnd(text[behind]))) {
        return {begin, behindLineEnd(text, behind), ""};
    }
    return {comma, comma + 1, ""};
}

/// What belongs in the place of a semicolon that ends before `at`: a comma, unless one or the end stands there already.
std::string insteadOfSemicolon(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        const std::size_t words = text[at] == '"' || text[at] == '\'' ? at : behindWords(text, at);
        if (words == at && !isBlank(text[at]) && !isLineEnd(text[at])) {
            break;
        }
        at = std::max(words, at + 1);
    }
    return at >= text.size() || std::string_view("}],;").find(text[at]) != std::string_view::npos ? "" : ",";
}

std::vector<TextSlip> slipsIn(std::string_view text)
{
    std::vector<TextSlip> slips;
    char before = '\0';       // last byte that is neither blank nor part of a comment; 'v' of a key or value
    std::size_t comma = 0;    // the last one that stands behind a value
    bool member = false;      // whether a member ends with what `before` stands for
    std::string open;         // brackets
    bool ends = true;         // whether three quotes that begin a text may have others that end it
    for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size() && slips.size() < kMostSlips;) {
        const char c = text[at];
        const std::size_t words = behindWords(text, at);
        const bool begins = before == ':' || before == '[' || before == ',';   // a value may
        const std::size_t triple = ends ? behindTripleQuotes(text, at) : std::string_view::npos;
        ends = ends && (triple != std::string_view::npos || text.substr(at, 3) != "\"\"\"");
        const bool python = triple != std::string_view::npos || c == '(' || text.substr(at, 3) == "int" || text.substr(at, 5) == "float" || text.substr(at, 4) == "dict" || beginsPrefixed(text.substr(at)) || std::string_view("0123456789.-").find(c) != std::string_view::npos;
        if (const auto value = python && begins ? pythonValue(text.substr(at)) : std::nullopt) {
            slips.push_back({value->kind == PythonValue::Kind::Text ? SlipKind::Text : SlipKind::Value, {at, at + value->length, value->json}});
            before = 'v';
            at += value->length;
        } else if (triple != std::string_view::npos) {
            before = 'v';
            at = triple;
        } else if (c == '"' || c == '\'') {
            if (text.substr(at, 3) == "'''") {
                const std::size_t close = text.find("'''", at + 3);
                at = close == std::string_view::npos ? text.size() : close + 3;
            } else {
                const auto one = c == '\'' ? JsonDocument::parse(std::string(text.substr(at, words - at))) : Result<JsonDocument>(Error{});
                if (one.hasValue() && one->node(one->root()).kind == JsonKind::String && !one->node(one->root()).bare) {
                    slips.push_back({SlipKind::Quotes, {at, words, quoteJson(one->stringValue(one->root()))}});
                }
                at = words;
            }
            member = before == ':';
            before = 'v';
        } else if (words > at) {
            at = words;
        } else if (isBlank(c) || isLineEnd(c)) {
            ++at;
        } else if (c == ',') {
            if (before == ',' || before == '{' || before == '[') {
                slips.push_back({SlipKind::Comma, commaEdit(text, at)});
            } else {
                before = ',';
                comma = at;
            }
            ++at;
        } else if (c == '}' || c == ']') {
            if (before == ',') {
                slips.push_back({SlipKind::Trailing, {comma, comma + 1, ""}});
            }
            open.resize(open.empty() ? 0 : open.size() - 1);
            before = 'v';
            member = true;
            ++at;
        } else if (c == ';' && before == 'v' && member) {
            slips.push_back({SlipKind::Semicolon, {at, at + 1, insteadOfSemicolon(text, at + 1)}});
            before = slips.back().edit.replacement.empty() ? before : ',';
            comma = at;
            ++at;
        } else if (c == '{' || c == '[' || c == ':') {
            open.append(c == ':' ? 0 : 1, c);
            before = c;
            ++at;
        } else {
            const bool cut = before == ',' && (!open.ends_with('[') || (text[at - 1] == ',' && c >= '0' && c <= '9'));   // a number in two by its comma
            const bool one = begins && !cut;
            const TypographicText quoted = one ? typographicText(text.substr(at)) : TypographicText();
            const bool isText = quoted.length > 0 && isWhole(text, at + quoted.length);
            const std::size_t end = isText ? at + quoted.length : std::min(text.find_first_of(" \t\r\n,:{}[]\"'#", at), text.size());
            const std::string spelt = one && isWhole(text, end) ? otherSpelling(text.substr(at, end - at)) : std::string();
            const auto word = std::find_if(kWords.begin(), kWords.end(), [&](const auto& each) { return each.first == text.substr(at, end - at); });
            if (word != kWords.end() && begins && isWhole(text, end)) {
                slips.push_back({SlipKind::Word, {at, end, std::string(word->second)}});
            } else if (!spelt.empty()) {
                slips.push_back({SlipKind::Value, {at, end, spelt}});
            } else if (isText) {
                slips.push_back({SlipKind::Name, {at, end, quoteJson(quoted.inside)}});
            } else if (begins && isWhole(text, end) && isValueOfDeepSpeed(text.substr(at, end - at))) {
                slips.push_back({SlipKind::Name, {at, end, quoteJson(std::string(text.substr(at, end - at)))}});
            } else if (begins && isLiteralWithSemicolon(text.substr(at, end - at))) {
                slips.push_back({SlipKind::Semicolon, {end - 1, end, insteadOfSemicolon(text, end)}});
            }
            before = 'v';
            member = false;
            at = std::max(end, at + 1);
        }
    }
    std::sort(slips.begin(), slips.end(), [](const TextSlip& a, const TextSlip& b) { return a.edit.begin < b.edit.begin; });
    return slips;
}

bool canBeRead(std::string_view text)
{
    return !readHjson(text).problem.has_value() && JsonDocument::parse(std::string(text)).hasValue();
}

/// Whether the first thing in it is a brace.
bool beginsDict(std::string_view text)
{
    for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size(); ++at) {
        at = text[at] == '"' || text[at] == '\'' ? at : behindWords(text, at);
        if (at < text.size() && !isBlank(text[at]) && !isLineEnd(text[at])) {
            return text[at] == '{';
        }
    }
    return false;
}

/// The byte of a text that stands at `mended` in it without its slips; where a slip's begins, for one that mends it.
std::size_t originalOf(const std::vector<TextSlip>& slips, std::size_t mended)
{
    std::size_t original = 0, made = 0;   // up to which both are the same
    for (const TextSlip& slip : slips) {
        const std::size_t kept = slip.edit.begin - original;
        if (mended < made + kept) {
            break;
        }
        made += kept + slip.edit.replacement.size();
        if (mended < made) {
            return slip.edit.begin;
        }
        original = slip.edit.end;
    }
    return original + (mended - made);
}

/// What stops the launcher's reader once the slips are mended.
std::optional<CheckFinding> otherStop(std::string_view text, const std::string& mended, const std::vector<TextSlip>& slips, const CheckContext& context)
{
    ReadText read = readsStrictly(context.launcher) ? readStrictJson(mended) : readHjson(mended);
    blameSwallowed(read);
    if (!read.problem.has_value()) {
        return std::nullopt;
    }
    if (read.problem->id == "text.eof") {
        return textFinding(text, ReadProblem{"text.eof", placeIn(text, text.size()), {}}, context);
    }
    CheckFinding finding = textFinding(mended, *read.problem, context);
    const TextPlace place = placeIn(text, originalOf(slips, offsetAt(mended, finding.line, finding.column)));
    finding.line = place.line;
    finding.column = place.column;
    return finding;
}

}  // namespace

std::vector<TextSlip> textSlips(std::string_view text)
{
    std::vector<TextSlip> slips = slipsIn(text);
    const bool stop = std::any_of(slips.begin(), slips.end(), [](const TextSlip& slip) { return slip.kind != SlipKind::Trailing && slip.kind != SlipKind::Quotes; });
    if (!stop || slips.size() == kMostSlips) {
        return {};
    }
    if (canBeRead(text)) {
        std::erase_if(slips, [](const TextSlip& slip) { return slip.kind != SlipKind::Value && slip.kind != SlipKind::Name && slip.kind != SlipKind::Semicolon; });
        return slips;
    }
    const std::string mended = withoutSlips(text, slips);
    if (canBeRead(mended) || canBeRead(mended + closing(mended, openBrackets(mended)))) {
        return slips;
    }
    // Of a text that is no dict nobody can say; one whose characters are not JSON's is mended as a whole.
    return beginsDict(text) && !canBeRead(inPlainCharacters(text).text) ? slips : std::vector<TextSlip>();
}

std::string withoutSlips(std::string_view text, const std::vector<TextSlip>& slips, const std::vector<SlipKind>& kinds)
{
    std::string out;
    out.reserve(text.size());
    std::size_t at = 0;
    for (const TextSlip& slip : slips) {
        if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), slip.kind) == kinds.end()) {
            continue;
        }
        out.append(text.substr(at, slip.edit.begin - at)).append(slip.edit.replacement);
        at = slip.edit.end;
    }
    return out.append(text.substr(at));
}

bool isSlip(std::string_view text, const std::vector<TextSlip>& slips, const CheckFinding& finding)
{
    const std::size_t at = offsetAt(text, finding.line, finding.column);
    return std::any_of(slips.begin(), slips.end(), [&](const TextSlip& slip) { return slip.edit.begin <= at && at < slip.edit.end; });
}

std::vector<CheckFinding> slipFindings(std::string_view text, const std::vector<TextSlip>& slips, const CheckContext& context)
{
    constexpr std::size_t kMost = 100;
    std::vector<CheckFinding> findings;
    bool quoted = false, strict = false, trailing = false;
    for (const TextSlip& slip : slips) {
        if (findings.size() == kMost || (slip.kind == SlipKind::Quotes && std::exchange(quoted, true))) {
            continue;
        }
        // A comma that goes with its line stands behind the blanks of that.
        const std::size_t at = std::min(text.find_first_not_of(" \t", slip.edit.begin), text.size());
        const TextPlace place = placeIn(text, at);
        if (slip.kind == SlipKind::Comma || slip.kind == SlipKind::Semicolon || slip.kind == SlipKind::Text || readsStrictly(context.launcher)) {
            // Of what is a matter of taste elsewhere one is told for all.
            if (slip.kind != SlipKind::Comma && slip.kind != SlipKind::Semicolon && slip.kind != SlipKind::Text && std::exchange(slip.kind == SlipKind::Trailing ? trailing : strict, true)) {
                continue;
            }
            const char* id = slip.kind == SlipKind::Comma ? "text.comma" : slip.kind == SlipKind::Semicolon ? "text.semicolon" : slip.kind == SlipKind::Text ? "text.triple" : slip.kind == SlipKind::Trailing ? "text.strict_comma" : "text.strict";
            findings.push_back(textFinding(text, ReadProblem{id, place, {{"write", slip.edit.replacement}}}, context));
            continue;
        }
        CheckFinding finding;
        finding.level = CheckLevel::Load;
        finding.line = place.line;
        finding.column = place.column;
        if (slip.kind == SlipKind::Word || slip.kind == SlipKind::Value || slip.kind == SlipKind::Name) {
            const std::string bare(restOfLine(text, at));
            const bool stops = closesMore(bare);
            finding.rule = stops ? "text.swallowed" : "text.bare";
            finding.severity = stops ? CheckSeverity::Error : CheckSeverity::Warning;
            finding.effect = stops ? CheckEffect::Refused : CheckEffect::Changed;
            finding.message = rules::messageText(context.language, finding.rule, bareWords(bare, !stops, context));
        } else {
            finding.rule = "R2";
            finding.severity = CheckSeverity::Info;
            finding.effect = CheckEffect::Unwise;
            finding.message = rules::messageText(context.language, slip.kind == SlipKind::Quotes ? "R2.quotes" : "R2.trailing", {});
        }
        findings.push_back(std::move(finding));
    }
    if (auto stop = otherStop(text, withoutSlips(text, slips), slips, context)) {
        findings.push_back(std::move(*stop));
    }
    const auto refuses = [](const CheckFinding& finding) { return finding.severity == CheckSeverity::Error; };
    if (std::none_of(findings.begin(), findings.end(), refuses)) {
        const auto first = std::find_if(findings.begin(), findings.end(), [](const CheckFinding& finding) { return finding.severity == CheckSeverity::Warning; });
        if (first != findings.end()) {
            first->severity = CheckSeverity::Error;
            first->effect = CheckEffect::Refused;
        }
    }
    return findings;
}

}  // namespace stagecraft
