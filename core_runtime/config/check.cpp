// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/check.h"

#include "config/bare_text.h"
#include "config/hjson_reader.h"
#include "config/pasted_diff.h"
#include "config/python_value.h"
#include "config/release_facts.h"
#include "config/rules/judge.h"
#include "config/text_around.h"
#include "config/text_findings.h"
#include "config/text_fixes.h"
#include "config/text_slips.h"
#include "config/wrapped_config.h"
#include "config/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace stagecraft {

namespace {

/// Findings from which on "findings.more" follows and says to mend these first.
constexpr std::size_t kMostToldOf = 500;
/// Ignored keys of a file up to which a trial of a fix looks for them as well.
constexpr std::size_t kMostIgnoredAgain = 200;

/// What is to say of the config that stands in `around` once that is taken off. Its fixes wait until then.
void addInside(std::string_view text, const ByteRange& config, const CheckContext& context, CheckAnswer& answer)
{
    const Result<CheckAnswer> inside = checkConfig(withoutAround(text, config), context);
    if (!inside.hasValue()) {
        return;
    }
    for (CheckFinding finding : inside->findings) {
        finding.fix.clear();
        finding.safe = false;
        answer.findings.push_back(std::move(finding));
    }
}

/// What else a text holds that strict JSON does not have, where that is all that is wrong with it: one of each kind.
void tellNotStrict(std::string_view text, const CheckContext& context, CheckAnswer& answer)
{
    const auto document = JsonDocument::parse(std::string(text));
    if (!document.hasValue() || std::any_of(document->relaxations().begin(), document->relaxations().end(), [](const JsonRelaxationUse& use) { return use.what == JsonRelaxation::BareText; })) {
        return;
    }
    for (const JsonRelaxationUse& use : document->relaxations()) {
        const bool quotes = use.what == JsonRelaxation::UnquotedKey || use.what == JsonRelaxation::SingleQuotes;
        const char* id = use.what == JsonRelaxation::Comment ? "text.strict_comment" : use.what == JsonRelaxation::TrailingComma ? "text.strict_comma" : use.what == JsonRelaxation::MissingComma ? "text.missing" : quotes ? "text.strict" : nullptr;
        if (id != nullptr && std::none_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& told) { return told.rule == id; })) {
            const TextPosition at = document->positionOf(use.offset);
            answer.findings.push_back(textFinding(text, ReadProblem{id, {at.line, at.column}, {}}, context));
        }
    }
}

/// The text as the launcher's reader reads it. False when it cannot be read; where that is for keys written twice, `doubled` holds them,
/// and where it is for what stands round the one config in it, `inside` is that.
bool readDocument(std::string_view text, const CheckContext& context, ConfigValue& root, std::vector<std::string>& doubled, std::optional<ByteRange>& inside, CheckAnswer& answer)
{
    const bool strict = readsStrictly(context.launcher);
    ReadText read = strict ? readStrictJson(text) : readHjson(text);
    blameSwallowed(read);
    if (read.problem.has_value()) {
        static constexpr std::string_view kNotRead[] = {"text.binary", "text.encoding", "text.too_large", "text.too_many", "text.too_deep"};
        const bool looked = std::find(std::begin(kNotRead), std::end(kNotRead), read.problem->id) == std::end(kNotRead);
        if (looked && looksUtf16(text)) {
            answer.findings.push_back(utf16Finding(context));
            return false;
        }
        if (const auto key = looked ? yamlMapping(text) : std::nullopt) {
            answer.findings.push_back(textFinding(text, ReadProblem{"text.yaml", placeIn(text, *key), {}}, context));
            return false;
        }
        if (const auto diff = looked ? pastedDiff(text) : std::nullopt) {
            const TextPlace place{1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(diff->first), '\n')), 1};
            answer.findings.push_back(textFinding(text, ReadProblem{"text.diff", place, {}}, context));
            return false;
        }
        if (const auto around = looked ? textAround(text) : std::nullopt) {
            answer.findings = aroundFindings(text, *around, context);
            if (around->configs.size() == 1) {
                inside = around->configs.front();
            }
            return false;
        }
        if (const std::vector<TextSlip> slips = looked ? textSlips(text) : std::vector<TextSlip>(); !slips.empty()) {
            answer.findings = slipFindings(text, slips, context);
            return false;
        }
        answer.findings.push_back(textFinding(text, *read.problem, context));
        const std::string& told = answer.findings.back().rule;
        if (strict && (told.starts_with("text.strict") || told == "text.missing")) {
            tellNotStrict(text, context, answer);
        }
        return false;
    }
    for (const DuplicateKey& duplicate : read.duplicates) {
        CheckFinding finding;
        finding.rule = "R1";
        finding.level = CheckLevel::Load;
        finding.severity = strict ? CheckSeverity::Warning : CheckSeverity::Error;
        finding.effect = strict ? CheckEffect::Changed : CheckEffect::Refused;
        finding.pointer = duplicate.pointer;
        finding.line = duplicate.place.line;
        finding.column = duplicate.place.column;
        finding.message = rules::messageText(context.language, strict ? "R1.strict" : "R1", {{"key", duplicate.key}, {"first", std::to_string(duplicate.first.line)}, {"who", checkLauncherName(context.launcher)}});
        answer.findings.push_back(std::move(finding));
    }
    if (looksUtf16(text)) {  // the reader takes all of it as one text
        CheckFinding& finding = answer.findings.emplace_back(utf16Finding(context));
        finding.severity = CheckSeverity::Warning;
        finding.effect = CheckEffect::Changed;
        read.swallowed.clear();
    }
    // All of it as one text: the config in it is named, not the quotes that would make a text of it.
    const auto within = read.root.isString() && !read.swallowed.empty() ? textAround(text) : std::nullopt;
    if (within && within->configs.size() == 1) {
        CheckFinding& finding = answer.findings.emplace_back(aroundFindings(text, *within, context).front());
        finding.severity = CheckSeverity::Warning;
        finding.effect = CheckEffect::Changed;
        finding.message = rules::messageText(context.language, "text.around.text", {});
        read.swallowed.clear();
    }
    for (const SwallowedText& swallowed : read.swallowed) {
        CheckFinding finding;
        finding.rule = "text.bare";
        finding.level = CheckLevel::Load;
        finding.severity = CheckSeverity::Warning;
        finding.effect = CheckEffect::Changed;
        finding.line = swallowed.place.line;
        finding.column = swallowed.place.column;
        finding.message = rules::messageText(context.language, finding.rule, bareWords(swallowed.text, true, context));
        answer.findings.push_back(std::move(finding));
    }
    root = std::move(read.root);
    if (!strict && read.duplicateCount > 0) {
        for (const DuplicateKey& duplicate : read.duplicates) {
            doubled.push_back(duplicate.pointer);
        }
        return false;
    }
    if (!strict) {  // R2: DeepSpeed's reader is kinder than the others
        const ReadText other = readStrictJson(text);
        if (other.problem.has_value()) {
            CheckFinding finding;
            finding.rule = "R2";
            finding.level = CheckLevel::Load;
            finding.severity = CheckSeverity::Info;
            finding.effect = CheckEffect::Unwise;
            finding.line = other.problem->place.line;
            finding.column = other.problem->place.column;
            const bool empty = text.find_first_not_of(" \t\r\n") == std::string_view::npos, marked = text.starts_with("\xEF\xBB\xBF");
            finding.message = rules::messageText(context.language, empty ? "R2.empty" : marked ? "R2.mark" : rules::notStrict(*other.problem), {});
            answer.findings.push_back(std::move(finding));
        }
    }
    return true;
}

/// A word and a colon before the braces of a config make a key of it for DeepSpeed's reader: that word is in the way, and nothing has to move.
/// `inside` is the config then.
void tellWordBefore(std::string_view text, const ConfigValue& root, const CheckContext& context, std::optional<ByteRange>& inside, CheckAnswer& answer)
{
    const auto around = answer.level == CheckLevel::Parse && wrappedConfig(root) ? textAround(text) : std::nullopt;
    const auto refusal = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) { return finding.rule == "R5"; });
    if (!around || around->configs.size() != 1 || refusal == answer.findings.end()) {
        return;
    }
    inside = around->configs.front();
    *refusal = aroundFindings(text, *around, context).front();
    refusal->level = CheckLevel::Parse;
    refusal->message = rules::messageText(context.language, "text.around.key", {});
    std::erase_if(answer.findings, [](const CheckFinding& finding) { return finding.level > CheckLevel::Parse; });  // of what is inside they are told with it
}

/// What is said of a text in YAML is that alone: DeepSpeed's reader makes another config of its lines, which nobody has written.
void tellYaml(std::string_view text, const CheckContext& context, CheckAnswer& answer)
{
    const auto key = answer.level == CheckLevel::Load ? std::nullopt : yamlMapping(text);
    if (!key) {
        return;
    }
    CheckFinding finding = textFinding(text, ReadProblem{"text.yaml", placeIn(text, *key), {}}, context);
    finding.level = answer.level.value_or(CheckLevel::Load);
    finding.severity = answer.ok ? CheckSeverity::Warning : CheckSeverity::Error;
    finding.effect = answer.ok ? CheckEffect::Changed : CheckEffect::Refused;
    finding.message = rules::messageText(context.language, "text.yaml.read", {});
    std::erase_if(answer.findings, [](const CheckFinding& other) { return other.rule != "release.near"; });
    answer.findings.insert(answer.findings.begin(), std::move(finding));
}

/// A value that is refused because a character only looks like JSON's, and made a text of it: that is named, not what comes of it.
void blameLookalikes(std::string_view text, CheckAnswer& answer)
{
    std::set<std::pair<int, int>> places;
    const auto refusal = [](const CheckFinding& finding) { return finding.effect == CheckEffect::Refused && !finding.rule.starts_with("text."); };
    for (CheckFinding& bare : answer.findings) {
        const auto first = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& other) { return refusal(other) && other.line == bare.line && other.column == bare.column; });
        if (bare.rule == "text.bare" && first != answer.findings.end() && hasLookalike(restOfLine(text, offsetAt(text, bare.line, bare.column)))) {
            bare.level = first->level;
            bare.severity = first->severity;
            bare.effect = first->effect;
            places.emplace(bare.line, bare.column);
        }
    }
    std::erase_if(answer.findings, [&](const CheckFinding& finding) { return refusal(finding) && places.count({finding.line, finding.column}) > 0; });
}

/// A finding about the others: what was not looked at, or not listed.
void tellOfAll(const char* rule, CheckLevel level, const rules::MessageArguments& arguments, const CheckContext& context, CheckAnswer& answer)
{
    CheckFinding finding;
    finding.rule = rule;
    finding.severity = CheckSeverity::Info;
    finding.effect = CheckEffect::Unwise;
    finding.level = level;
    finding.message = rules::messageText(context.language, finding.rule, arguments);
    answer.findings.push_back(std::move(finding));
}

/// Parses, and builds the engine where that succeeds; `answer` gets findings and level.
/// A `trial` asks for the verdict alone.
/// @return findings that the answer has no room for
std::size_t judgeDocument(const ConfigValue& written, const CheckContext& context, const ReleaseFacts& release, bool trial, CheckAnswer& answer)
{
    CheckContext surroundings = context;
    const bool fills = fillsAuto(context.launcher);
    ConfigValue filled = fills ? written : ConfigValue();
    const ConfigValue& document = fills ? filled : written;
    rules::Judge judge(document, surroundings, release, answer);
    if (!document.isObject()) {
        judge.refuse(CheckLevel::Parse, "R3", "R3.object", "", {{"kind", kindName(document)}});
    } else {
        if (fills) {
            rules::fillAuto(judge, filled, surroundings);
        }
        rules::checkParse(judge, !trial);
        answer.parseOk = !judge.refusedAt(CheckLevel::Parse);
        if (answer.parseOk) {
            if (judge.parsed.batchKnown) {
                answer.resolved = judge.parsed.batch;
            }
            rules::checkEngine(judge);
            rules::checkPipeline(judge);
        }
    }
    answer.level = judge.firstRefused();
    return judge.leftOut();
}

}  // namespace

namespace rules {

void checkParse(Judge& judge, bool ignored)
{
    checkRemovedKeys(judge);
    checkZero(judge);
    checkPrecision(judge);
    checkModelSections(judge);
    checkOptimizerSections(judge);
    checkPlainSections(judge);
    checkDataSections(judge);
    checkExpertParallel(judge);
    checkOlderSections(judge);
    checkElasticity(judge);
    checkBatch(judge);
    checkParsedWhole(judge);
    if (ignored) {
        collectIgnored(judge);
        tellPaths(judge);
    }
}

}  // namespace rules

Result<CheckAnswer> checkConfig(std::string_view text, const CheckContext& context)
{
    bool exact = true;
    const auto release = findRelease(context.release, exact);
    if (!release.hasValue()) {
        return release.error();
    }
    if (context.world < 1) {
        return Error{ErrorCode::InvalidArgument, "Cannot check for " + std::to_string(context.world) + " ranks: write 1 or more.", {}};
    }
    if (context.device != "cuda" && context.device != "cpu") {
        return Error{ErrorCode::InvalidArgument, "Cannot check for the device \"" + context.device + "\": write \"cuda\" or \"cpu\".", {}};
    }
    CheckAnswer answer;
    answer.release = release.value()->version;
    ConfigValue root;
    std::vector<std::string> doubled;
    std::optional<ByteRange> inside;
    const auto verdict = [&](ConfigValue changed) {
        CheckAnswer other;
        judgeDocument(changed, context, *release.value(), true, other);
        return other;
    };
    const auto again = [&](ConfigValue changed) {
        CheckAnswer other;
        judgeDocument(changed, context, *release.value(), answer.ignored.size() > kMostIgnoredAgain, other);
        if (other.level == CheckLevel::Parse) {
            (void)rules::lookBeyond(changed, {}, context.language, verdict, false, other);
        }
        return other;
    };
    std::size_t leftOut = 0;
    if (!readDocument(text, context, root, doubled, inside, answer)) {
        answer.level = CheckLevel::Load;
    } else {
        if (!exact) {
            CheckFinding finding;
            finding.rule = "release.near";
            finding.severity = CheckSeverity::Info;
            finding.effect = CheckEffect::Unwise;
            finding.message = rules::messageText(context.language, "release.near", {{"wanted", context.release}, {"release", answer.release}});
            answer.findings.push_back(std::move(finding));
        }
        leftOut = judgeDocument(root, context, *release.value(), false, answer);
        rules::tellRivals(root, context.language, answer);
    }
    answer.ok = !answer.level.has_value();
    const bool asksBeyond = answer.level == CheckLevel::Parse || !doubled.empty();
    const bool looked = !asksBeyond || rules::lookBeyond(root, doubled, context.language, verdict, true, answer);
    if (answer.level != CheckLevel::Load) {
        rules::replaceFixesThatHarm(root, context.language, again, answer);
    }
    rules::guardFixes(root, context.language, answer);
    tellWordBefore(text, root, context, inside, answer);
    blameLookalikes(text, answer);
    // They were judged in the order in which DeepSpeed reads; what it stops at stands before all that the text says earlier.
    const auto stop = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.effect == CheckEffect::Refused && finding.level == answer.level; });
    if (stop != answer.findings.end()) {
        std::rotate(answer.findings.begin(), stop, std::next(stop));
    }
    std::stable_sort(answer.findings.begin() + (stop == answer.findings.end() ? 0 : 1), answer.findings.end(), [](const CheckFinding& a, const CheckFinding& b) {
        return std::tuple(a.line, a.column) < std::tuple(b.line, b.column);
    });
    // What tells of all the others comes last.
    if (!looked && answer.findings.size() < kMostToldOf) {
        tellOfAll("findings.beyond", answer.level.value_or(CheckLevel::Load), {}, context, answer);
    }
    if (leftOut > 0) {
        tellOfAll("findings.more", CheckLevel::Parse, {{"count", std::to_string(leftOut)}}, context, answer);
    }
    if (inside) {
        addInside(text, *inside, context, answer);
    }
    tellYaml(text, context, answer);
    return answer;
}

std::string whoRefuses(const CheckAnswer& answer, CheckLauncher launcher)
{
    const auto stops = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) {
        return finding.severity == CheckSeverity::Error && finding.effect == CheckEffect::Refused && (!answer.level || finding.level == *answer.level);
    });
    const std::string rule = stops == answer.findings.end() ? std::string() : stops->rule;
    if (rule.starts_with("text.too_")) {   // our own limits, which its reader does not have
        return "Stagecraft";
    }
    if (answer.level == CheckLevel::Load && readsStrictly(launcher)) {
        return checkLauncherName(launcher);
    }
    return rule == "R105" ? "transformers" : rule == "R107" ? "accelerate" : "DeepSpeed " + answer.release;
}

WideNumber::operator double() const
{
    double value = 0.0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return read.ec == std::errc::result_out_of_range ? std::numeric_limits<double>::infinity() : value;
}

double batchNumberValue(const BatchNumber& number)
{
    return std::visit([](const auto& value) { return static_cast<double>(value); }, number);
}

std::string batchNumberText(const BatchNumber& number)
{
    if (const WideNumber* wide = std::get_if<WideNumber>(&number)) {
        return wide->digits;
    }
    if (const bool* flag = std::get_if<bool>(&number)) {
        return *flag ? "true" : "false";
    }
    return std::holds_alternative<double>(number) ? fmt::format("{}", std::get<double>(number)) : std::to_string(std::get<std::int64_t>(number));
}

const char* checkLevelName(CheckLevel level)
{
    switch (level) {
    case CheckLevel::Load: return "load";
    case CheckLevel::Parse: return "parse";
    case CheckLevel::Engine: return "engine";
    case CheckLevel::Pipe: return "pipe";
    }
    return "";
}

const char* checkSeverityName(CheckSeverity severity)
{
    switch (severity) {
    case CheckSeverity::Error: return "error";
    case CheckSeverity::Warning: return "warning";
    case CheckSeverity::Info: return "info";
    }
    return "";
}

const char* checkEffectName(CheckEffect effect)
{
    switch (effect) {
    case CheckEffect::Refused: return "refused";
    case CheckEffect::Ignored: return "ignored";
    case CheckEffect::Changed: return "changed";
    case CheckEffect::Warned: return "warned";
    case CheckEffect::Unwise: return "unwise";
    }
    return "";
}

}  // namespace stagecraft
