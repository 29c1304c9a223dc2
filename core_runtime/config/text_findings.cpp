// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/text_findings.h"

#include "config/bare_text.h"
#include "config/finding_text.h"
#include "config/launcher.h"
#include "config/punctuation.h"
#include "config/python_value.h"
#include "config/text_fixes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft {

namespace {

/// The byte at which line and column of `place` stand in `text`.
std::size_t offsetOf(std::string_view text, TextPlace place)
{
    std::size_t at = 0;
    for (int line = 1; line < place.line && at < text.size(); ++line) {
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    for (int column = 1; column < place.column && at < text.size();) {
        ++at;
        column += at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U ? 0 : 1;
    }
    return at;
}

/// The number round `at` that a comma has cut there.
std::string_view numberAround(std::string_view text, std::size_t at)
{
    const auto part = [&](std::size_t i) { return (text[i] >= '0' && text[i] <= '9') || text[i] == ',' || text[i] == '.' || text[i] == '-' || text[i] == '+' || text[i] == 'e' || text[i] == 'E'; };
    std::size_t begin = at, end = at;
    while (begin > 0 && part(begin - 1)) {
        --begin;
    }
    while (end < text.size() && part(end)) {
        ++end;
    }
    while (end > begin && text[end - 1] == ',') {
        --end;
    }
    return text.substr(begin, end - begin);
}

/// Who reads the text and what it raises there, for messages that name both.
void nameReader(const CheckContext& context, rules::MessageArguments& details)
{
    const bool strict = readsStrictly(context.launcher);
    details.emplace_back("reader", rules::messageText(context.language, strict ? std::string("text.reader.") + checkLauncherName(context.launcher) : "text.reader", {}));
    details.emplace_back("error", strict ? "JSONDecodeError" : "HjsonDecodeError");
    details.emplace_back("who", checkLauncherName(context.launcher));
}

/// Whether `rest` begins with what a template's engine fills in: {{ name }}, {% if %}, {name}, %name%; of braces in braces the outer may be read already.
bool isPlaceholder(std::string_view rest)
{
    const std::size_t end = rest.find_first_of("}\":,", 1);
    return rest.starts_with("{{") || rest.starts_with("{%") || rest.starts_with("%") || (rest.starts_with("{") && end != std::string_view::npos && end > 1 && rest[end] == '}');
}

/// Where the word begins that the reader could not read to its end, stopped at `at`: a number in another spelling. `at` where it is none.
std::size_t wordBegin(std::string_view text, std::size_t at)
{
    const std::size_t begin = at == 0 ? 0 : text.find_last_of(" \t\r\n,:[]{}\"", at - 1) + 1;   // 0 where there is none
    const std::size_t before = begin == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", begin - 1);
    return before != std::string_view::npos && std::string_view(":[,").find(text[before]) != std::string_view::npos ? begin : at;
}

/// The text whose second quote is missing, where the reader took the first quote of the next name for it and stopped behind that, at `at`: `"AdamW, "params": `
/// Empty where it is not so.
std::string_view unclosedBefore(std::string_view text, std::size_t at)
{
    const std::size_t open = at < 2 || text[at - 1] != '"' ? std::string_view::npos : text.rfind('"', at - 2);
    const std::size_t close = text.find_first_of("\",:\r\n", at);   // of the name
    if (open == std::string_view::npos || close == std::string_view::npos || text[close] != '"') {
        return {};
    }
    const std::string_view inside = text.substr(open + 1, at - open - 2);
    const std::size_t comma = inside.find_last_not_of(" \t");
    return comma != std::string_view::npos && inside[comma] == ',' ? inside.substr(0, comma) : std::string_view();
}

/// Whose place a character has taken that only looks like JSON's, the first in `rest` of the line.
void blameCharacter(std::string_view text, std::string_view rest, const StrangeCharacter& strange, CheckFinding& finding, std::string& message, rules::MessageArguments& details)
{
    finding.rule = strange.write.empty() || strange.write == " " ? "text.invisible" : "text.lookalike";
    details = {{"found", strange.found}, {"write", strange.write}};
    if (const int all = inPlainCharacters(text).changed; all > 1) {
        message = finding.rule + ".several";
        details.emplace_back("count", std::to_string(all - 1));
    }
    for (const char c : rest.substr(0, strange.offset)) {
        finding.column += (static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1;
    }
}

}  // namespace

TextPlace placeIn(std::string_view text, std::size_t at)
{
    const std::string_view before = text.substr(0, at), ofLine = before.substr(before.rfind('\n') + 1);   // 0 where there is none
    return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
            1 + static_cast<int>(std::count_if(ofLine.begin(), ofLine.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }))};
}

bool closesMore(std::string_view text)
{
    int open = 0;
    for (const char c : text) {
        open += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (open < 0) {
            return true;
        }
    }
    return false;
}

void blameSwallowed(ReadText& read)
{
    static constexpr std::string_view kAfterwards[] = {"text.eof", "text.syntax", "text.key", "text.unclosed", "text.extra"};
    if (!read.problem.has_value() || std::find(std::begin(kAfterwards), std::end(kAfterwards), read.problem->id) == std::end(kAfterwards)) {
        return;
    }
    const auto first = std::find_if(read.swallowed.begin(), read.swallowed.end(), [](const SwallowedText& each) { return closesMore(each.text); });
    if (first != read.swallowed.end()) {
        read.problem = ReadProblem{"text.swallowed", first->place, {{"found", first->text}}};
    }
}

rules::MessageArguments bareWords(const std::string& bare, bool accepted, const CheckContext& context)
{
    static constexpr std::string_view kWord[] = {"text.instead", "text.instead.switch", "text.instead.letters", "text.instead.quotes", "text.instead.name", "text.instead.script", "text.instead.script.value", "text.instead.commas", "text.instead.tuple", "text.instead.number", "text.instead.amount", "text.instead.unit", "text.instead.power", "text.instead.remark"};  // what follows it is punctuation
    const BareAdvice advice = bareAdvice(bare, accepted);
    const bool word = !advice.found.empty() && std::find(std::begin(kWord), std::end(kWord), advice.message) != std::end(kWord);
    return {{"found", word ? advice.found : bare},
            {"reason", rules::messageText(context.language, advice.message, {{"write", advice.write}, {"found", advice.found}, {"whole", advice.whole}})}};
}

CheckFinding textFinding(std::string_view text, const ReadProblem& problem, const CheckContext& context)
{
    CheckFinding finding;
    finding.rule = problem.id;
    finding.level = CheckLevel::Load;
    finding.line = problem.place.line;
    finding.column = problem.place.column;
    rules::MessageArguments details = problem.details;
    const std::size_t at = offsetOf(text, problem.place);
    std::string message;   // the rule's own where it is empty
    if (problem.id == "text.swallowed") {
        details = bareWords(problem.details.front().second, false, context);
    } else if (problem.id == "text.thousands") {
        const std::string_view run = numberAround(text, at);
        details = {{"found", std::string(run)}, {"write", withoutCommas(run)}};
    } else if (problem.id == "text.control") {
        const auto code = static_cast<unsigned char>(problem.details.front().second.front());
        message = code == '\t' ? "text.control.tab" : code == '\n' || code == '\r' ? "text.control" : code == '\0' ? "text.control.nul" : "text.control.other";
        constexpr std::string_view kHex = "0123456789abcdef";
        details = {{"write", std::string("\\u00") + kHex[code >> 4U] + kHex[code & 0xFU]}};
        if (auto slip = punctuationSlip(text, at, problem.id)) {
            message = std::move(slip->message);
            details = std::move(slip->details);
        }
    } else if (problem.id == "text.eof") {
        if (const std::vector<OpenBracket> open = openBrackets(text); !open.empty()) {
            message = "text.eof.open";
            details = {{"found", std::string(1, text[open.back().at])}, {"line", std::to_string(open.back().line)}, {"write", closing(text, open)}};
        }
    } else if (problem.id == "text.semicolon" && problem.details.front().second.empty()) {
        message = "text.semicolon.last";
    } else if (problem.id == "text.escape" && problem.details.front().second == "u") {
        message = "text.escape.hex";
    } else if (problem.id == "text.key" || problem.id == "text.syntax" || problem.id == "text.extra") {
        const std::string_view rest = text.substr(at, text.find('\n', at) - at);
        const auto strange = strangeCharacter(rest);
        if (problem.id == "text.extra" && text.substr(at).find_first_not_of("}] \t\r\n") == std::string_view::npos) {
            message = "text.extra.bracket";
        } else if (isPlaceholder(rest)) {
            finding.rule = "text.placeholder";
        } else if (strange) {
            blameCharacter(text, rest, *strange, finding, message, details);
        } else if (auto slip = punctuationSlip(text, at, problem.id)) {
            message = std::move(slip->message);
            details = std::move(slip->details);
        }
    } else if (problem.id == "text.strict") {
        const std::string_view rest = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
        std::size_t character = std::min<std::size_t>(1, rest.size());
        while (character < rest.size() && (static_cast<unsigned char>(rest[character]) & 0xC0U) == 0x80U) {
            ++character;
        }
        const auto strange = strangeCharacter(rest);
        details = {{"found", std::string(rest.substr(0, character))}, {"who", checkLauncherName(context.launcher)}};
        if (at == 0 && text.starts_with("\xEF\xBB\xBF")) {
            finding.message = rules::messageText(context.language, "R2.mark", {});
            return finding;
        }
        const std::size_t begin = wordBegin(text, at);
        const bool value = !rest.empty() && rest.front() != '\'' && rest.front() != '/' && rest.front() != '#';
        const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", at - 1);
        if (strange && strange->offset == 0) {
            blameCharacter(text, rest, *strange, finding, message, details);
        } else if (const std::string_view unclosed = unclosedBefore(text, at); !unclosed.empty()) {
            finding.rule = "text.quote";
            details = {{"write", toJson(ConfigValue::ofString(std::string(unclosed)))}};
        } else if (value && (begin < at || (std::string_view("-0123456789").find(rest.front()) != std::string_view::npos && !otherSpelling(rest.substr(0, rest.find_first_of(" \t\r,}]"))).empty()))) {
            finding.rule = "text.word";
            finding.column -= static_cast<int>(at - begin);   // of what JSON has read of it each is ASCII
            details = bareWords(std::string(restOfLine(text, begin)), false, context);
        } else if (value && before != std::string_view::npos && (text[before] == ':' || text[before] == '[')) {
            finding.message = rules::messageText(context.language, problem.id, details) + rules::messageText(context.language, "text.strict.reason", {bareWords(std::string(rest), false, context).back()});
            return finding;
        }
    }
    nameReader(context, details);
    finding.message = rules::messageText(context.language, message.empty() ? finding.rule : message, details);
    return finding;
}

std::vector<CheckFinding> aroundFindings(std::string_view text, const TextAround& around, const CheckContext& context)
{
    constexpr std::size_t kMostShown = 80;
    std::vector<CheckFinding> found;
    const auto placed = [&](std::string rule, std::size_t at) -> CheckFinding& {
        const TextPlace place = placeIn(text, at);
        CheckFinding& finding = found.emplace_back();
        finding.rule = std::move(rule);
        finding.level = CheckLevel::Load;
        finding.line = place.line;
        finding.column = place.column;
        return finding;
    };
    rules::MessageArguments details;
    nameReader(context, details);
    if (around.configs.size() > 1) {
        std::string lines;
        int last = 0;
        for (const ByteRange& config : around.configs) {
            const int line = placed("text.several", config.begin).line;
            lines += line == last ? "" : (lines.empty() ? "" : ", ") + std::to_string(line);
            last = line;
        }
        details.insert(details.end(), {{"count", std::to_string(found.size())}, {"lines", lines}});
        for (std::size_t i = 0; i < found.size(); ++i) {  // said once; the others are there to be chosen
            details.emplace_back("number", std::to_string(i + 1));
            found[i].message = rules::messageText(context.language, i == 0 ? "text.several" : "text.several.other", details);
            details.pop_back();
        }
        return found;
    }
    const bool before = around.first < around.configs.front().begin;
    const std::size_t line = std::min({text.find_first_of("\r\n", around.first), before ? around.configs.front().begin : text.size(), text.size()});
    const std::size_t end = text.find_last_not_of(" \t", line - 1) + 1;
    std::size_t shown = std::min(end, around.first + kMostShown);
    while (shown < end && (static_cast<unsigned char>(text[shown]) & 0xC0U) == 0x80U) {
        ++shown;
    }
    details.emplace_back("found", std::string(text.substr(around.first, shown - around.first)) + (shown < end ? "\u2026" : ""));
    placed("text.around", around.first).message = rules::messageText(context.language, before ? "text.around.before" : "text.around.after", details);
    return found;
}

bool looksUtf16(std::string_view text)
{
    const std::size_t pairs = text.size() / 2;
    if (pairs < 2) {
        return false;
    }
    std::size_t first = 0, second = 0;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        first += text[i] == '\0' && text[i + 1] != '\0' ? 1U : 0U;
        second += text[i + 1] == '\0' && text[i] != '\0' ? 1U : 0U;
    }
    return std::max(first, second) == pairs;
}

CheckFinding utf16Finding(const CheckContext& context)
{
    CheckFinding finding;
    finding.rule = "text.encoding";
    finding.level = CheckLevel::Load;
    finding.line = 1;
    finding.column = 1;
    rules::MessageArguments details;
    nameReader(context, details);
    finding.message = rules::messageText(context.language, "text.utf16", details);
    return finding;
}

}  // namespace stagecraft
