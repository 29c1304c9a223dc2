// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_meaning.h"

#include "config/fitting_ranks.h"
#include "config/hjson_reader.h"
#include "config/json_document.h"
#include "config/key_catalog.h"
#include "config/key_releases.h"
#include "config/present_form.h"
#include "config/release_facts.h"
#include "config/rules/judge.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

using Values = std::map<std::string, std::string>;

/// One spelling for one value: a whole float is the integer.
ConfigValue plain(ConfigValue value)
{
    if (value.kind == ConfigValue::Kind::Float && std::trunc(value.number) == value.number && std::fabs(value.number) < 9e15) {
        return ConfigValue::ofInt(static_cast<std::int64_t>(value.number));
    }
    for (ConfigValue& item : value.items) {
        item = plain(std::move(item));
    }
    for (ConfigMember& member : value.members) {
        member.value = plain(std::move(member.value));
    }
    return value;
}

std::string spelled(const ConfigValue& value)
{
    return toJson(plain(value));
}

void flatten(const ConfigValue& value, const std::string& pointer, Values& into)
{
    if (!value.isObject()) {
        into[presentName(pointer)] = spelled(value);
        return;
    }
    for (const ConfigMember& member : value.members) {
        flatten(member.value, pointer + "/" + pointerToken(member.key), into);
    }
}

/// One config: what the file says, and what it comes to.
struct Meaning {
    bool readable = false;
    bool parses = false;
    std::unique_ptr<JsonDocument> document;  ///< tells which entries of the catalog apply
    Values written, acts;
    std::vector<std::string> unread;  ///< what DeepSpeed never reads, with all below it
};

/// A section of pydantic's with its defaults. Old switches have set what replaces them and say nothing of their own.
void addModel(const ReleaseFacts& facts, std::string_view section, const ConfigValue& parsed, Values& into)
{
    const ModelFacts* model = facts.sectionModel(section);
    for (const ConfigMember& member : parsed.members) {
        const FieldFacts* field = model == nullptr ? nullptr : model->findField(member.key);
        if (field == nullptr || !field->deprecated) {
            const std::string name = field == nullptr || field->alias.empty() ? member.key : field->alias;
            flatten(member.value, "/" + std::string(section) + "/" + pointerToken(name), into);
        }
    }
}

void drop(Values& values, const std::string& pointer)
{
    std::erase_if(values, [&](const auto& entry) { return entry.first == pointer || entry.first.starts_with(pointer + "/"); });
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

Meaning meaningOf(std::string_view text, const CheckContext& context, const ReleaseFacts& facts)
{
    Meaning meaning;
    const bool strict = readsStrictly(context.launcher);
    ReadText read = strict ? readStrictJson(text) : readHjson(text);
    meaning.readable = !read.problem.has_value() && read.root.isObject();
    if (!meaning.readable) {
        return meaning;
    }
    flatten(read.root, "", meaning.written);
    if (auto document = JsonDocument::parse(std::string(text)); document.hasValue()) {
        meaning.document = std::make_unique<JsonDocument>(std::move(document).value());
    }
    CheckAnswer answer;
    CheckContext surroundings = context;
    rules::Judge judge(read.root, surroundings, facts, answer);
    if (fillsAuto(context.launcher)) {
        rules::fillAuto(judge, read.root, surroundings);
    }
    rules::checkParse(judge, true);
    meaning.parses = !judge.refusedAt(CheckLevel::Parse) && (strict || read.duplicateCount == 0);
    if (!meaning.parses) {
        meaning.acts = meaning.written;
        return meaning;
    }
    flatten(read.root, "", meaning.acts);
    const rules::Parsed& parsed = judge.parsed;
    for (const auto& [section, value] : {std::pair<const char*, const ConfigValue*>{"zero_optimization", &parsed.zero}, {"fp16", &parsed.fp16}, {"bf16", &parsed.bf16},
                                         {"tensor_parallel", &parsed.tensorParallel}, {"hybrid_engine", &parsed.hybridEngine}, {"compile", &parsed.compile}}) {
        if (facts.sectionModel(section) != nullptr && !value->members.empty()) {
            drop(meaning.acts, "/" + std::string(section));
            addModel(facts, section, *value, meaning.acts);
        }
    }
    // After the sections as parsed: what DeepSpeed changes later on, silently, stands in none of them (nvme at stage 2 acts as cpu).
    const auto whole = checkConfig(text, context);
    for (const ChangedValue& changed : whole.hasValue() ? whole->changed : answer.changed) {
        meaning.acts[presentName(changed.pointer)] = spelled(readStrictJson(changed.json).root);
    }
    for (const std::string& ignored : answer.ignored) {
        meaning.unread.push_back(presentName(ignored));
        drop(meaning.acts, meaning.unread.back());
    }
    if (const auto type = meaning.acts.find("/optimizer/type"); type != meaning.acts.end() && facts.optimizers.count(parsed.optimizerName) > 0) {
        type->second = lower(type->second);  // DeepSpeed's own names are read in any case
        const ConfigValue* decoupled = parsed.optimizerParams == nullptr ? nullptr : parsed.optimizerParams->find("adam_w_mode");
        if (parsed.optimizerName == "adam" && (decoupled == nullptr || pythonTruth(*decoupled))) {
            type->second = "\"adamw\"";  // ADAM_W_MODE_DEFAULT is true: one class with the same arguments
        }
    }
    const auto batch = [&](const char* key, const BatchNumber& number) {
        meaning.acts[key] = std::holds_alternative<double>(number) ? spelled(ConfigValue::ofFloat(std::get<double>(number))) : batchNumberText(number);
    };
    if (parsed.batchKnown) {
        batch("/train_batch_size", parsed.batch.trainBatchSize);
        batch("/train_micro_batch_size_per_gpu", parsed.batch.micro);
        batch("/gradient_accumulation_steps", parsed.batch.gas);
    }
    return meaning;
}

/// Both, for the ranks they are for where nobody gave a number: the same for both where that goes, else each for its own.
std::pair<Meaning, Meaning> meaningsOf(std::string_view before, std::string_view after, const CheckContext& context, const ReleaseFacts& facts)
{
    const auto on = [&](const CheckContext& first, const CheckContext& second) { return std::pair(meaningOf(before, first, facts), meaningOf(after, second, facts)); };
    if (!ranksAreAssumed(context)) {
        return on(context, context);
    }
    const auto refusedOn = [](std::string_view text, const CheckContext& ranks) {
        const auto answer = checkConfig(text, ranks);
        return answer.hasValue() && std::any_of(answer->findings.begin(), answer->findings.end(), refusesRanks);
    };
    const auto fitting = [&](std::string_view text) {
        const auto answer = checkConfig(text, context);
        const auto fit = answer.hasValue() ? fittingRanks(text, context, *answer) : std::nullopt;
        return fit ? onRanks(context, fit->ranks) : context;
    };
    const CheckContext ofBefore = fitting(before), ofAfter = fitting(after);
    for (const CheckContext* one : {&ofAfter, &ofBefore}) {
        if (!refusedOn(before, *one) && !refusedOn(after, *one)) {
            return on(*one, *one);
        }
    }
    return on(ofBefore, ofAfter);
}

std::string defaultOf(const std::string& pointer, const ReleaseFacts& facts, const JsonDocument* document)
{
    const int id = KeyCatalog::standard().find(pointer, document);
    const std::string json = id < 0 ? std::string() : defaultIn(KeyCatalog::standard().key(id), facts.version);
    return json.empty() ? "null" : spelled(readStrictJson(json).root);
}

std::string at(const Values& values, const std::string& pointer)
{
    const auto found = values.find(pointer);
    return found == values.end() ? std::string() : found->second;
}

bool isWithin(const std::string& pointer, const std::string& section)
{
    return pointer == section || pointer.starts_with(section + "/");
}

bool isUnread(const Meaning& meaning, const std::string& pointer)
{
    return std::any_of(meaning.unread.begin(), meaning.unread.end(), [&](const std::string& at) { return isWithin(pointer, at); });
}

bool hasWithin(const Values& values, const std::string& section)
{
    return std::any_of(values.begin(), values.end(), [&](const auto& entry) { return isWithin(entry.first, section); });
}

/// What was read below a section that is not there any more, and goes with it though its default would be the same: without the
/// section there is nothing that it is a value of. Only where the section's going changes something.
void addWhatGoes(const Meaning& first, const Meaning& second, std::vector<MeaningDifference>& differences)
{
    std::set<std::string> told, gone;
    for (const MeaningDifference& difference : differences) {
        told.insert(difference.pointer);
        for (std::string section = difference.pointer.substr(0, difference.pointer.rfind('/')); !section.empty(); section.erase(section.rfind('/'))) {
            if (hasWithin(first.written, section) && !hasWithin(second.written, section)) gone.insert(section);
        }
    }
    for (const auto& [pointer, json] : first.written) {
        const auto inside = [&, at = pointer](const std::string& section) { return at.starts_with(section + "/"); };
        if (told.count(pointer) == 0 && first.acts.count(pointer) > 0 && second.acts.count(pointer) == 0 && std::any_of(gone.begin(), gone.end(), inside)) {
            differences.push_back({pointer, {json, at(first.acts, pointer)}, {{}, "null"}});
        }
    }
    std::sort(differences.begin(), differences.end(), [](const MeaningDifference& a, const MeaningDifference& b) { return a.pointer < b.pointer; });
}

}  // namespace

Result<MeaningComparison> compareMeaning(std::string_view before, std::string_view after, const CheckContext& context)
{
    bool exact = false;
    const auto release = findRelease(context.release, exact);
    if (!release.hasValue()) {
        return release.error();
    }
    const ReleaseFacts& facts = *release.value();
    const auto [first, second] = meaningsOf(before, after, context, facts);
    if (!first.readable || !second.readable) {
        return Error{ErrorCode::InvalidInput, std::string("Cannot compare the configs: the ") + (first.readable ? "second" : "first") + " cannot be read as a ds_config.", {}};
    }
    MeaningComparison answer;
    answer.beforeParses = first.parses;
    answer.afterParses = second.parses;
    const bool both = first.parses && second.parses;
    const Values& firstActs = both ? first.acts : first.written;
    const Values& secondActs = both ? second.acts : second.written;
    std::set<std::string> pointers;
    for (const Values* values : {&firstActs, &secondActs}) {
        for (const auto& [pointer, value] : *values) {
            pointers.insert(pointer);
        }
    }
    for (const std::string& pointer : pointers) {
        MeaningDifference difference{pointer, {at(first.written, pointer), at(firstActs, pointer)}, {at(second.written, pointer), at(secondActs, pointer)}};
        const bool hadActs = !difference.before.acts.empty(), hasActs = !difference.after.acts.empty();
        if (both) {
            difference.before.unread = !hadActs && !difference.before.written.empty() && isUnread(first, pointer);
            difference.after.unread = !hasActs && !difference.after.written.empty() && isUnread(second, pointer);
            // Which default holds for a parameter is told by the type beside it, which the side that writes it has.
            const JsonDocument* types = (difference.after.acts.empty() ? first : second).document.get();
            for (std::string* acts : {&difference.before.acts, &difference.after.acts}) {
                if (acts->empty()) {
                    *acts = defaultOf(pointer, facts, types);
                }
            }
        }
        const bool stopsOrStarts = (difference.after.unread && !difference.before.written.empty() && hadActs) || (difference.before.unread && !difference.after.written.empty() && hasActs);
        if (difference.before.acts != difference.after.acts || stopsOrStarts) {
            for (MeaningDifference::Side* side : {&difference.before, &difference.after}) {
                if (lower(side->written) == side->acts) {
                    side->acts = side->written;  // a name in another case acts as itself
                }
            }
            answer.differences.push_back(std::move(difference));
        }
    }
    if (both) addWhatGoes(first, second, answer.differences);
    return answer;
}

}  // namespace stagecraft
