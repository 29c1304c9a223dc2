// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSpeed stops at the first level that refuses. What later levels refuse is told with it where it holds whatever is written in the
// place of what is refused already: the config is judged with that taken out, mended, and written otherwise.
#include "config/rules/judge.h"

#include "config/hjson_reader.h"
#include "config/key_catalog.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace stagecraft::rules {

namespace {

/// Refused places up to which later levels are asked; and findings, above which nobody looks for more.
constexpr std::size_t kMostPlaces = 12;
constexpr std::size_t kMostTold = 100;
/// Values of a config up to which it is judged again and again; real ones hold two hundred at most.
constexpr std::size_t kMostValues = 2000;
/// Times a config is judged with other values in the refused places.
constexpr int kMostTrials = 24;
/// What a mended part can bring up anew before the config is given up.
constexpr int kMostRounds = 4;

bool within(const std::string& pointer, const std::string& section)
{
    return pointer.starts_with(section) && (pointer.size() == section.size() || pointer[section.size()] == '/');
}

bool touches(const std::string& pointer, const std::vector<std::string>& places)
{
    return std::any_of(places.begin(), places.end(), [&](const std::string& place) { return !place.empty() && (within(pointer, place) || (!pointer.empty() && within(place, pointer))); });
}

/// Takes out what stands at `pointer`, or the member that holds it where that is in a list; false where nothing does.
bool takeOut(ConfigValue& document, const std::string& pointer)
{
    ConfigValue* parent = &document;
    const auto tokens = pointerTokens(pointer).value_or(std::vector<std::string>());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto named = [&](const ConfigMember& each) { return each.key == tokens[i]; };
        const auto member = std::find_if(parent->members.begin(), parent->members.end(), named);
        if (member == parent->members.end()) {
            return false;
        }
        if (i + 1 == tokens.size() || !member->value.isObject()) {
            std::erase_if(parent->members, named);
            return true;
        }
        parent = &member->value;
    }
    return false;
}

/// The values in `document`, counted no further than past the most.
std::size_t valuesIn(const ConfigValue& document)
{
    std::vector<const ConfigValue*> open{&document};
    std::size_t count = 0;
    for (; !open.empty() && count <= kMostValues; ++count) {
        const ConfigValue* value = open.back();
        open.pop_back();
        for (const ConfigMember& member : value->members) {
            open.push_back(&member.value);
        }
        for (const ConfigValue& item : value->items) {
            open.push_back(&item);
        }
    }
    return count;
}

std::vector<const CheckFinding*> refusals(const CheckAnswer& answer, CheckLevel level)
{
    std::vector<const CheckFinding*> found;
    for (const CheckFinding& finding : answer.findings) {
        if (finding.effect == CheckEffect::Refused && finding.severity == CheckSeverity::Error && finding.level == level) {
            found.push_back(&finding);
        }
    }
    return found;
}

/// Where a patch takes from and writes to.
std::vector<std::string> placesOf(const std::string& fix)
{
    std::vector<std::string> places;
    const ReadText patch = readStrictJson(fix);
    for (const ConfigValue& step : patch.root.items) {
        for (const char* key : {"from", "path"}) {
            if (const ConfigValue* place = step.find(key)) {
                places.push_back(place->text);
            }
        }
    }
    return places;
}

/// The sizes of a batch: of three any two give the third.
const std::array<std::string, 3> kBatch{"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"};

bool isOfBatch(const std::string& pointer)
{
    return std::any_of(kBatch.begin(), kBatch.end(), [&](const std::string& key) { return pointer == "/" + key; });
}

/// The config without what is refused, or with its fixes, until it parses.
class Rest {
public:
    /// @param known  the answer for `document` as it is given; null where it is not known
    Rest(ConfigValue document, const CheckAnswer* known, const std::function<CheckAnswer(ConfigValue)>& judge, bool mend) : config(std::move(document)), m_judge(judge), m_mend(mend)
    {
        for (int round = 0; round < kMostRounds; ++round) {
            answer = round == 0 && known != nullptr ? *known : m_judge(config);
            if (round == 0) {
                first = answer;
            }
            if (answer.parseOk || places.size() > kMostPlaces) {
                return;
            }
            for (const CheckFinding* refusal : refusals(answer, CheckLevel::Parse)) {
                step(*refusal);
            }
        }
        answer = m_judge(config);
    }

    ConfigValue config;
    CheckAnswer first;    ///< as it was given
    CheckAnswer answer;   ///< as it is now
    std::vector<std::string> places;  ///< that are no longer as they were

private:
    void step(const CheckFinding& refusal)
    {
        places.push_back(refusal.pointer);
        if (refusal.rule == "R41") {  // of two precisions either may be the one that goes
            places.insert(places.end(), {"/fp16/enabled", "/bf16/enabled"});
        }
        if ((refusal.rule == "R5" && refusal.pointer.empty()) || isOfBatch(refusal.pointer)) {
            for (const std::string& key : kBatch) {  // any batch does
                takeOut(config, "/" + key);
                places.push_back("/" + key);
            }
            config.set(kBatch[1], ConfigValue::ofInt(1));
        } else if (m_mend && !refusal.fix.empty() && applySteps(config, readStrictJson(refusal.fix).root)) {
            const std::vector<std::string> more = placesOf(refusal.fix);
            places.insert(places.end(), more.begin(), more.end());
        } else {
            takeOut(config, refusal.pointer);
        }
    }

    const std::function<CheckAnswer(ConfigValue)>& m_judge;
    bool m_mend;
};

/// Keeps of `findings` what `answer` says too.
void keepShared(std::vector<CheckFinding>& findings, const CheckAnswer& answer)
{
    std::erase_if(findings, [&](const CheckFinding& mine) {
        return std::none_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& other) {
            return other.rule == mine.rule && other.pointer == mine.pointer && other.message == mine.message && other.level == mine.level;
        });
    });
}

std::vector<CheckFinding> later(const CheckAnswer& answer)
{
    std::vector<CheckFinding> found;
    for (const CheckLevel level : {CheckLevel::Engine, CheckLevel::Pipe}) {
        for (const CheckFinding* refusal : refusals(answer, level)) {
            found.push_back(*refusal);
        }
    }
    return found;
}

/// Values that may have been meant at `place`, of the kinds its setting takes; none for a key that is refused whatever it holds.
std::vector<ConfigValue> otherValues(const std::string& place)
{
    const auto read = [](const char* text) { return readStrictJson(text).root.items; };
    static const std::vector<ConfigValue> kSwitches = read("[true, false]"), kNumbers = read("[0, 1, 2, 3]"), kWords = read(R"(["cpu", "AdamW", "fp16", "bf16"])");
    static const std::vector<ConfigValue> kSections = read(R"([{"enabled": true}, {"device": "cpu"}, {"stage": 1}, {"stage": 3}, {"type": "AdamW", "params": {"lr": 0.001}}, {"type": "WarmupLR", "params": {}}])");
    const KeyCatalog& catalog = KeyCatalog::standard();
    const int id = catalog.find(place);
    std::vector<ConfigValue> values;
    const auto add = [&](const std::vector<ConfigValue>& more) { values.insert(values.end(), more.begin(), more.end()); };
    for (const KeyType type : id < 0 ? std::vector<KeyType>() : catalog.key(id).types) {
        if (type == KeyType::Bool) {
            add(kSwitches);
        } else if (type == KeyType::Int || type == KeyType::Float) {
            add(kNumbers);
        } else if (type == KeyType::Section || type == KeyType::Object) {
            add(kSections);
        } else if ((type == KeyType::Enum || type == KeyType::String) && !catalog.key(id).values.empty()) {
            for (const std::string& listed : catalog.key(id).values) {
                values.push_back(readStrictJson(listed).root);
            }
        } else if (type == KeyType::String || type == KeyType::Any) {
            add(kWords);
        }
    }
    return values;
}

/// Writes `value` at `pointer`; false where its section is none.
bool write(ConfigValue& document, const std::string& pointer, const ConfigValue& value)
{
    const ReadText patch = readStrictJson(patchAdd(pointer, toJson(value)));
    return applySteps(document, patch.root);
}

/// Keeps of `found` what is said of `config` as well with each value that may have been meant at `places`: one value at a time, at all the places that take it
/// together, so that how often the config is judged does not grow with the places. False where there are too many values to try.
bool keepWhatever(const ConfigValue& config, const std::vector<std::string>& places, const std::function<CheckAnswer(ConfigValue)>& judge, std::vector<CheckFinding>& found)
{
    if (!found.empty() && std::any_of(places.begin(), places.end(), isOfBatch)) {  // the sizes go together: one other batch, for any number of ranks, tells what a batch decides
        ConfigValue changed = config;
        changed.set(kBatch[2], ConfigValue::ofInt(2));
        if (const CheckAnswer now = judge(std::move(changed)); now.parseOk) {
            keepShared(found, now);
        }
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> tries;  // a value as JSON, and the places that take it
    for (const std::string& place : places) {
        for (const ConfigValue& value : place.empty() || isOfBatch(place) ? std::vector<ConfigValue>() : otherValues(place)) {
            const std::string json = toJson(value);
            auto at = std::find_if(tries.begin(), tries.end(), [&](const auto& each) { return each.first == json; });
            at = at == tries.end() ? tries.insert(at, {json, {}}) : at;
            at->second.push_back(place);
        }
    }
    int trials = 0;
    for (auto& [json, group] : tries) {
        const ConfigValue value = readStrictJson(json).root;
        std::vector<std::string> apart;  // those that are refused among the others, which then get a turn of their own
        for (bool again = false; !found.empty() && !group.empty();) {
            if (++trials > kMostTrials) {
                return false;
            }
            ConfigValue changed = config;
            for (const std::string& place : group) {
                (void)write(changed, place, value);
            }
            const CheckAnswer now = judge(std::move(changed));
            if (now.parseOk) {
                keepShared(found, now);
                group = again ? std::vector<std::string>() : std::exchange(apart, {});
                again = true;
                continue;
            }
            std::vector<std::string> refused;
            for (const CheckFinding* refusal : refusals(now, CheckLevel::Parse)) {
                refused.push_back(refusal->pointer);
            }
            const std::size_t before = group.size();
            std::erase_if(group, [&](const std::string& place) {
                const bool out = touches(place, refused);
                if (out) {
                    apart.push_back(place);
                }
                return out;
            });
            if (group.size() == before) {
                break;
            }
        }
    }
    return true;
}

}  // namespace

bool lookBeyond(const ConfigValue& document, const std::vector<std::string>& doubled, std::string_view language,
                const std::function<CheckAnswer(ConfigValue)>& judge, bool whatever, CheckAnswer& answer)
{
    if (!document.isObject() || valuesIn(document) > kMostValues || answer.findings.size() > kMostTold || doubled.size() > kMostPlaces || refusals(answer, CheckLevel::Parse).size() > kMostPlaces) {
        return false;
    }
    ConfigValue bare = document;
    for (const std::string& place : doubled) {
        takeOut(bare, place);
    }
    const CheckAnswer* const known = doubled.empty() ? &answer : nullptr;
    Rest without(std::move(bare), known, judge, false);
    // What is not refused behind the one is not told, whatever the other says.
    const bool told = !doubled.empty() || !without.answer.parseOk || !later(without.answer).empty();
    const std::optional<Rest> mended = whatever && told ? std::optional<Rest>(std::in_place, document, known, judge, true) : std::nullopt;
    std::vector<std::string> places = doubled;
    places.insert(places.end(), without.places.begin(), without.places.end());
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    bool looked = without.answer.parseOk && (!mended || mended->answer.parseOk) && places.size() <= kMostPlaces;
    std::vector<CheckFinding> found;
    if (looked) {
        if (!doubled.empty()) {  // else the fixes are tried with those of the answer
            replaceFixesThatHarm(without.config, language, judge, without.answer);
        }
        found = later(without.answer);
        if (mended) {
            keepShared(found, mended->answer);
        }
        if (whatever && !keepWhatever(without.config, places, judge, found)) {
            found.clear();
            looked = false;
        }
    }
    if (!doubled.empty()) {  // a key that is written twice stops even the parsing of the others
        std::vector<CheckFinding> parsing;
        for (const CheckFinding* refusal : refusals(without.first, CheckLevel::Parse)) {
            parsing.push_back(*refusal);
        }
        if (mended) {
            keepShared(parsing, mended->first);
        }
        std::erase_if(parsing, [&](const CheckFinding& each) { return touches(each.pointer, doubled); });
        answer.findings.insert(answer.findings.end(), parsing.begin(), parsing.end());
    }
    if (mended) {
        places.insert(places.end(), mended->places.begin(), mended->places.end());
    }
    for (CheckFinding& finding : found) {
        if (touches(finding.pointer, places)) {
            continue;
        }
        const std::vector<std::string> written = placesOf(finding.fix);
        if (std::any_of(written.begin(), written.end(), [&](const std::string& each) { return touches(each, places); })) {
            finding.fix.clear();
            finding.safe = false;
        }
        answer.findings.push_back(std::move(finding));
    }
    return looked;
}

}  // namespace stagecraft::rules
