// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/text_fixes.h"

#include "config/bare_text.h"
#include "config/json_edit.h"
#include "config/json_lines.h"
#include "config/pasted_diff.h"
#include "config/placeholders.h"
#include "config/punctuation.h"
#include "config/python_value.h"
#include "config/text_around.h"
#include "config/text_slips.h"

#include <algorithm>
#include <vector>

namespace stagecraft {

namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostOpen = 64;

BareAdvice adviceFor(std::string_view text, const CheckFinding& finding)
{
    return bareAdvice(restOfLine(text, offsetAt(text, finding.line, finding.column)), finding.rule == "text.bare");
}

std::optional<PunctuationSlip> slipOf(std::string_view text, const CheckFinding& finding)
{
    return punctuationSlip(text, offsetAt(text, finding.line, finding.column), finding.rule);
}

bool isPythonWord(std::string_view word) { return word == "True" || word == "False" || word == "None"; }

/// Edits of one text that do not touch each other, in any order.
std::string withEdits(std::string_view text, std::vector<TextEdit> edits)
{
    std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    for (const TextEdit& edit : edits) {
        if (edit.begin < at) {
            continue;
        }
        out += text.substr(at, edit.begin - at);
        out += edit.replacement;
        at = edit.end;
    }
    return out += text.substr(at);
}

/// The end of the comment that begins at `at`, its line's end left out; `at` where none begins there.
std::size_t commentEnd(std::string_view text, std::size_t at)
{
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("#") || rest.starts_with("//")) {
        return std::min(text.find_first_of("\r\n", at), text.size());
    }
    const std::size_t close = rest.starts_with("/*") ? text.find("*/", at + 2) : std::string_view::npos;
    return close == std::string_view::npos ? at : close + 2;
}

/// Takes the comments out: with the blanks before them, and with their lines where nothing else stands on those.
void removeComments(const JsonDocument& document, std::vector<TextEdit>& edits)
{
    const std::string_view text = document.text();
    std::vector<ByteRange> tokens;   // what a comment cannot begin in
    for (const JsonNode& node : document.nodes()) {
        if (node.keyEnd > node.keyBegin) {
            tokens.push_back({node.keyBegin, node.keyEnd});
        }
        if (node.kind != JsonKind::Object && node.kind != JsonKind::Array) {
            tokens.push_back({node.begin, node.end});
        }
    }
    std::size_t token = 0;
    for (std::size_t at = 0; at < text.size();) {
        while (token < tokens.size() && tokens[token].begin < at) {
            ++token;
        }
        if (token < tokens.size() && tokens[token].begin == at && tokens[token].size() > 0) {
            at = tokens[token].end;
            continue;
        }
        std::size_t end = commentEnd(text, at);
        if (end == at) {
            ++at;
            continue;
        }
        // Several on one line go together.
        for (std::size_t next = text.find_first_not_of(" \t", end); next != std::string_view::npos && commentEnd(text, next) > next; next = text.find_first_not_of(" \t", end)) {
            end = commentEnd(text, next);
        }
        std::size_t begin = at;
        while (begin > 0 && isBlank(text[begin - 1])) {
            --begin;
        }
        const std::size_t behind = std::min(text.find_first_not_of(" \t", end), text.size());
        const bool ownLines = (begin == 0 || isLineEnd(text[begin - 1])) && (behind == text.size() || isLineEnd(text[behind]));
        const bool ends = behind == text.size() || isLineEnd(text[behind]) || std::string_view(",:]}").find(text[behind]) != std::string_view::npos;
        edits.push_back({ownLines || ends ? begin : at, ownLines ? behindLineEnd(text, behind) : end, ""});
        at = end;
    }
}

/// Whether a blank, quote or comma that is not JSON's has become part of a key or has made a text of a value.
bool hasStrangeWord(const JsonDocument& document)
{
    return std::any_of(document.nodes().begin(), document.nodes().end(), [&](const JsonNode& node) {
        if (node.bare && hasLookalike(std::string_view(document.text()).substr(node.begin, node.end - node.begin))) {
            return true;
        }
        const std::string_view key = std::string_view(document.text()).substr(node.keyBegin, node.keyEnd - node.keyBegin);
        return !key.empty() && key.front() != '"' && key.front() != '\'' && strangeCharacter(key).has_value();
    });
}

/// A text that DeepSpeed's reader takes, as every reader does.
std::optional<std::string> strictText(std::string_view text)
{
    Result<JsonDocument> read = JsonDocument::parse(std::string(text));
    if (!read.hasValue() || hasStrangeWord(read.value())) {
        read = JsonDocument::parse(inPlainCharacters(text).text);
    }
    if (!read.hasValue()) {
        return std::nullopt;
    }
    const JsonDocument document = std::move(read).value();
    const std::string& whole = document.text();
    std::vector<TextEdit> edits;
    for (int id = 0; id < static_cast<int>(document.nodes().size()); ++id) {
        const JsonNode& node = document.node(id);
        if (node.keyEnd > node.keyBegin && whole[node.keyBegin] != '"') {
            if (whole[node.keyBegin] != '\'' && document.key(id).find('"') != std::string::npos) {
                return std::nullopt;   // a quote is missing before it, not round it
            }
            edits.push_back({node.keyBegin, node.keyEnd, quoteJson(document.key(id))});
        }
        std::string behind = node.next >= 0 && node.comma == 0 ? "," : "";
        if (node.comma != 0 && node.next < 0) {
            edits.push_back({node.comma, node.comma + 1u, ""});
        }
        if (node.bare) {
            // To its line's end it is one text for DeepSpeed's reader; its author ended it at the punctuation.
            const std::string_view spelled = document.spelling(id);
            const BareAdvice advice = bareAdvice(spelled, false);
            const bool known = !advice.write.empty() && spelled.find_first_not_of(", \t", advice.begin + advice.length) == std::string_view::npos;
            edits.push_back({node.begin, node.end, (known ? std::string(spelled.substr(0, advice.begin)) + advice.write : quoteJson(document.stringValue(id))) + behind});
            continue;
        }
        if (node.kind == JsonKind::String && whole[node.begin] == '\'') {
            edits.push_back({node.begin, node.end, quoteJson(document.stringValue(id)) + behind});
        } else if (!behind.empty()) {
            edits.push_back({node.end, node.end, behind});
        }
    }
    removeComments(document, edits);
    std::string strict = withEdits(whole, std::move(edits));
    if (strict.starts_with(kMark)) {
        strict.erase(0, kMark.size());
    }
    const std::size_t first = strict.find_first_not_of(" \t\r\n");
    if (document.node(document.root()).kind == JsonKind::Object && (first == std::string::npos || strict[first] != '{')) {
        strict = "{\n" + strict + (strict.empty() || isLineEnd(strict.back()) ? "" : "\n") + "}\n";
    }
    return JsonDocument::parse(strict, JsonSyntax::Strict).hasValue() ? std::optional(std::move(strict)) : std::nullopt;
}

/// The text without the members of that name before the last one.
std::optional<std::string> withLastOnly(std::string_view text, const std::string& pointer)
{
    const Result<JsonDocument> document = JsonDocument::parse(std::string(text));
    const int last = document.hasValue() ? document->find(pointer) : -1;
    std::vector<TextEdit> edits;   // of members that others follow: none takes what another stands in
    for (int id = last < 0 ? -1 : document->node(last).previous; id >= 0; id = document->node(id).previous) {
        if (document->key(id) == document->key(last)) {
            edits.push_back(removeNodeEdit(*document, id, LineComments::Stay));
        }
    }
    return edits.empty() ? std::nullopt : std::optional(withEdits(text, std::move(edits)));
}

/// The text with what it lacks at its end: each bracket on a line of its own, as deep as the line that opened it, unless that is the last one.
std::optional<std::string> closedText(std::string_view text)
{
    const std::vector<OpenBracket> open = openBrackets(text);
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    if (open.empty() || last == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view lineEnd = text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
    std::string closed(text.substr(0, text[last] == ',' ? last : last + 1));
    const std::size_t lastLine = text.rfind('\n', last) + 1;   // 0 where there is none
    for (auto bracket = open.rbegin(); bracket != open.rend(); ++bracket) {
        if (bracket->lineBegin != lastLine) {
            const std::size_t deep = text.find_first_not_of(" \t", bracket->lineBegin);
            closed += std::string(lineEnd) + std::string(text.substr(bracket->lineBegin, deep - bracket->lineBegin));
        }
        closed += closing(text, {*bracket});
    }
    closed += text.substr(last + 1).find('\n') == std::string_view::npos ? "" : lineEnd;
    return JsonDocument::parse(closed).hasValue() ? std::optional(std::move(closed)) : std::nullopt;
}

std::optional<std::string> plainText(std::string_view text)
{
    PlainText plain = inPlainCharacters(text);
    // What is still no config afterwards is not mended by it.
    return plain.changed > 0 && JsonDocument::parse(plain.text).hasValue() ? std::optional(std::move(plain.text)) : std::nullopt;
}

/// Whether nothing but closing brackets is left.
bool closesAlone(std::string_view rest)
{
    return !rest.empty() && rest.find_first_not_of("}] \t\r\n") == std::string_view::npos;
}

/// The one config in the text, without its slips.
std::optional<std::string> configAlone(std::string_view text)
{
    const auto around = textAround(text);
    if (!around || around->configs.size() != 1) {
        return std::nullopt;
    }
    const ByteRange& range = around->configs.front();
    const std::string config = std::string(text.substr(range.begin, range.size())) + '\n';
    return withoutSlips(config, textSlips(config));
}

/// A text that has slips, with those of one kind mended; nothing where it has none.
std::optional<std::string> withoutSome(std::string_view text, const std::vector<SlipKind>& kinds)
{
    const std::vector<TextSlip> slips = textSlips(text);
    std::string mended = withoutSlips(text, slips, kinds);
    return mended == text ? std::nullopt : std::optional(std::move(mended));
}

/// The text with the slip of that kind mended that stands at `at`.
std::optional<std::string> withoutOne(std::string_view text, SlipKind kind, std::size_t at)
{
    for (const TextSlip& slip : textSlips(text)) {
        if (slip.kind == kind && slip.edit.begin <= at && at < slip.edit.end) {
            return withEdits(text, {slip.edit});
        }
    }
    return std::nullopt;
}

}  // namespace

std::size_t behindWords(std::string_view text, std::size_t at)
{
    if (text[at] != '"' && text[at] != '\'') {
        return commentEnd(text, at);
    }
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
}

std::optional<TextFix> textFixOf(std::string_view text, const CheckFinding& finding)
{
    const std::string& rule = finding.rule;
    if (rule == "R1") {
        return TextFix::KeepLast;
    }
    if (rule == "text.eof") {
        return TextFix::Close;
    }
    if (rule == "text.extra" && closesAlone(text.substr(offsetAt(text, finding.line, finding.column)))) {
        return TextFix::ExtraBracket;
    }
    if (rule == "text.around") {
        return TextFix::KeepConfig;
    }
    if (rule == "text.diff") {
        return TextFix::AddedLines;
    }
    if (rule == "text.comma") {
        return TextFix::ExtraComma;
    }
    if (rule == "text.semicolon") {
        return TextFix::Semicolon;
    }
    if (rule == "R2" || rule == "text.strict" || rule == "text.missing" || rule == "text.strict_comment" || rule == "text.strict_comma") {
        return TextFix::StrictJson;
    }
    if (rule == "text.lookalike" || rule == "text.invisible") {
        return TextFix::PlainCharacters;
    }
    if (rule == "text.placeholder" || (rule == "text.key" && placeholderLength(restOfLine(text, offsetAt(text, finding.line, finding.column))) > 0)) {
        return TextFix::Placeholders;
    }
    if (const auto slip = slipOf(text, finding)) {
        return slip->edits.empty() ? std::nullopt : std::optional(slip->write.empty() ? TextFix::ExtraBracket : TextFix::Punctuation);
    }
    if (rule == "text.triple") {
        return TextFix::Write;
    }
    if (rule != "text.swallowed" && rule != "text.bare" && rule != "text.word") {
        return std::nullopt;
    }
    const BareAdvice advice = adviceFor(text, finding);
    if (advice.message == "text.instead.placeholder") {
        return TextFix::Placeholders;
    }
    if (isPythonWord(advice.found)) {
        return TextFix::JsonWords;
    }
    if (advice.message == "text.instead.letters" || advice.message == "text.instead.character" || advice.message == "text.instead.hidden") {
        return TextFix::PlainCharacters;
    }
    return advice.write.empty() ? std::nullopt : std::optional(TextFix::Write);
}

std::string writtenInstead(std::string_view text, const CheckFinding& finding)
{
    if (const auto slip = slipOf(text, finding)) {
        return slip->write;
    }
    return finding.rule == "text.eof" ? closing(text, openBrackets(text)) : adviceFor(text, finding).write;
}

std::optional<std::string> mendedText(std::string_view text, const CheckFinding& finding, TextFix fix)
{
    switch (fix) {
    case TextFix::PlainCharacters: return plainText(text);
    case TextFix::JsonWords: {
        auto plain = plainText(text);
        return plain ? plain : withoutSome(text, {SlipKind::Word});
    }
    case TextFix::StrictJson: {
        auto strict = strictText(text);
        strict = strict ? strict : strictText(withoutSlips(text, textSlips(text)));
        return strict ? strict : withoutSome(text, {});
    }
    case TextFix::ExtraComma: return withoutOne(text, SlipKind::Comma, offsetAt(text, finding.line, finding.column));
    case TextFix::Semicolon: return withoutOne(text, SlipKind::Semicolon, offsetAt(text, finding.line, finding.column));
    case TextFix::Punctuation: {
        const auto slip = slipOf(text, finding);
        return slip && !slip->edits.empty() ? std::optional(withEdits(text, slip->edits)) : std::nullopt;
    }
    case TextFix::ExtraBracket: {
        if (const auto early = slipOf(text, finding); early && !early->edits.empty()) {
            return withEdits(text, early->edits);
        }
        std::string closed(text.substr(0, offsetAt(text, finding.line, finding.column)));
        closed.resize(closed.find_last_not_of(" \t\r\n") + 1);
        closed += text.find('\n', closed.size()) == std::string_view::npos ? "" : "\n";
        return closed;
    }
    case TextFix::KeepConfig: return configAlone(text);
    case TextFix::AddedLines: {
        auto diff = pastedDiff(text);
        return diff ? std::optional(std::move(diff->after)) : std::nullopt;
    }
    case TextFix::KeepLast: return withLastOnly(text, finding.pointer);
    case TextFix::Placeholders: return withoutPlaceholders(text);
    case TextFix::Close: return closedText(text);
    case TextFix::Write: break;
    }
    const BareAdvice advice = adviceFor(text, finding);
    const std::size_t at = offsetAt(text, finding.line, finding.column) + advice.begin;
    std::string written = applyEdits(std::string(text), {{at, at + advice.length, advice.write}});
    return written == text ? std::nullopt : std::optional(std::move(written));
}

std::vector<OpenBracket> openBrackets(std::string_view text)
{
    std::vector<OpenBracket> open;
    OpenBracket here;
    for (std::size_t next = 0; here.at < text.size(); here.at = next) {
        const std::size_t words = behindWords(text, here.at);
        next = std::max(words, here.at + 1);
        for (std::size_t at = here.at; at < next && at < text.size(); ++at) {
            here.line += text[at] == '\n' ? 1 : 0;
            here.lineBegin = text[at] == '\n' ? at + 1 : here.lineBegin;
        }
        const char c = words > here.at ? '\0' : text[here.at];
        if (c == '{' || c == '[') {
            open.push_back(here);
        }
        if (c == '}' || c == ']') {
            if (open.empty() || closing(text, {open.back()}).front() != c) {
                return {};
            }
            open.pop_back();
        }
        if (open.size() > kMostOpen) {
            return {};
        }
    }
    return open;
}

std::string closing(std::string_view text, const std::vector<OpenBracket>& open)
{
    std::string brackets;
    for (auto bracket = open.rbegin(); bracket != open.rend(); ++bracket) {
        brackets += text[bracket->at] == '{' ? '}' : ']';
    }
    return brackets;
}

std::size_t offsetAt(std::string_view text, int line, int column)
{
    std::size_t at = 0;
    for (int i = 1; i < line; ++i) {
        const std::size_t next = text.find('\n', at);
        if (next == std::string_view::npos) {
            return text.size();
        }
        at = next + 1;
    }
    for (int i = 1; i < column && at < text.size(); ++i) {
        for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;) {
            ++at;
        }
    }
    return at;
}

}  // namespace stagecraft
