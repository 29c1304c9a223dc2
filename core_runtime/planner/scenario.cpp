// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/scenario.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace stagecraft {

const std::vector<std::string_view>& scenarioFiles();

namespace {

using nlohmann::json;

std::optional<double> claimed(const json& claim, const char* key)
{
    if (!claim.is_object() || !claim.contains(key) || !claim[key].is_number()) return std::nullopt;
    return claim[key].get<double>();
}

std::string word(const json& object, const char* key)
{
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

ScenarioText wordsOf(const json& object, const char* key)
{
    const json words = object.is_object() && object.contains(key) ? object[key] : json();
    return {word(words, "en"), word(words, "zh")};
}

bool inBoth(const ScenarioText& text) { return !text.en.empty() && !text.zh.empty(); }
bool inOne(const ScenarioText& text) { return text.en.empty() != text.zh.empty(); }

std::optional<ScenarioAnswer> answerOf(const std::string& name)
{
    for (const ScenarioAnswer answer : {ScenarioAnswer::Right, ScenarioAnswer::Condition, ScenarioAnswer::Wrong, ScenarioAnswer::Unsupported})
        if (name == scenarioAnswerName(answer)) return answer;
    return std::nullopt;
}

// @return what is wrong with them, or nullptr
const char* readFigures(const json& list, std::vector<ScenarioFigure>& read)
{
    if (!list.is_array()) return "needs its \"figures\" in a list";
    for (const json& entry : list) {
        if (!entry.is_object()) return "needs \"figures\" that are objects";
        ScenarioFigure f;
        f.id = word(entry, "id");
        f.label = wordsOf(entry, "label");
        f.unit = word(entry, "unit");
        if (!inBoth(f.label) || !entry.contains("value")) return "needs \"label\" in two languages and a \"value\" in each of its \"figures\"";
        f.value = entry["value"];
        f.said = claimed(entry, "said");
        if (const json range = entry.value("said", json()); range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number()) {
            f.said = range[0].get<double>();
            f.saidTo = range[1].get<double>();
        }
        f.judged = f.said && !(entry.contains("judged") && entry["judged"] == false);
        read.push_back(std::move(f));
    }
    return nullptr;
}

}  // namespace

const char* scenarioAnswerName(ScenarioAnswer answer)
{
    switch (answer) {
    case ScenarioAnswer::Right: return "right";
    case ScenarioAnswer::Condition: return "condition";
    case ScenarioAnswer::Wrong: return "wrong";
    case ScenarioAnswer::Unsupported: return "unsupported";
    }
    return "";
}

Result<std::vector<Scenario>> parseScenarios(std::string_view text)
{
    const auto wrong = [](const std::string& id, const char* why) { return Error{ErrorCode::InvalidInput, fmt::format("The scenario \"{}\" {}", id, why), {{"scenario", id}}}; };
    const json list = json::parse(text, nullptr, false);
    if (!list.is_array()) return wrong("", "is in no list of scenarios");
    std::vector<Scenario> read;
    for (const json& entry : list) {
        Scenario s;
        s.id = word(entry, "id");
        if (s.id.empty()) return wrong("", "needs an \"id\"");
        const json claim = entry.contains("claim") && entry["claim"].is_object() ? entry["claim"] : json::object();
        s.title = wordsOf(entry, "title");
        s.source = wordsOf(entry, "source");
        if (!inBoth(s.title) || !inBoth(s.source)) return wrong(s.id, "needs \"title\" and \"source\" in two languages");
        s.said = wordsOf(entry, "said");
        s.reason = wordsOf(entry, "reason");
        if (inOne(s.said) || inOne(s.reason)) return wrong(s.id, "needs \"said\" and \"reason\" in two languages");
        s.answer = answerOf(word(entry, "answer"));
        if (entry.contains("answer") && (!s.answer || s.reason.en.empty())) return wrong(s.id, "needs an \"answer\" of right, condition, wrong or unsupported, and a \"reason\"");
        // What is said in a sentence need not be about fitting.
        s.saysFits = claim.is_object() && claim.contains("fits") && claim["fits"].is_boolean();
        if (!s.saysFits && s.said.en.empty()) return wrong(s.id, "needs a \"claim\" that says whether it \"fits\", or what is \"said\"");
        if (!entry.contains("workspace") || !entry["workspace"].is_object()) return wrong(s.id, "needs a \"workspace\"");
        s.workspace = entry["workspace"];
        if (const char* why = readFigures(entry.value("figures", json::array()), s.figures)) return wrong(s.id, why);
        if (const json variants = entry.value("variants", json::object()); variants.is_object())
            for (const auto& [name, patch] : variants.items()) s.variants[name] = patch;
        if (s.saysFits) s.fits = claim["fits"].get<bool>();
        s.bytesPerParameter = claimed(claim, "bytesPerParameter");
        s.deviceGB = claimed(claim, "deviceGB");
        s.clusterGB = claimed(claim, "clusterGB");
        s.tokensPerSecond = claimed(claim, "tokensPerSecond");
        s.hoursPerEpoch = claimed(claim, "hoursPerEpoch");
        s.epochTokens = claimed(claim, "epochTokens");
        s.relativeSpeed = claimed(claim, "relativeSpeed");
        s.timedAs = word(claim, "timedAs");
        s.savedPercent = claimed(claim, "savedPercent");
        s.savedGB = claimed(claim, "savedGB");
        s.shareOfFp16 = claimed(claim, "shareOfFp16");
        s.fewerActivations = claimed(claim, "fewerActivations");
        if (const json told = claim.value("inference", json()); told.is_object()) {
            const auto number = [&](const char* key) { return claimed(told, key).value_or(0); };
            s.inference = Scenario::Inference{number("tokensPerSecond"), number("fasterTokensPerSecond"), number("msPerToken"), number("fasterMsPerToken"), number("speedup")};
            for (const double value : {s.inference->tokensPerSecond, s.inference->fasterTokensPerSecond, s.inference->msPerToken, s.inference->fasterMsPerToken, s.inference->speedup})
                if (!(value > 0)) return wrong(s.id, "needs all five numbers of its \"inference\", above 0");
        }
        read.push_back(std::move(s));
    }
    return read;
}

const std::vector<Scenario>& scenarios()
{
    static const std::vector<Scenario> all = [] {
        std::vector<Scenario> read;
        for (const std::string_view text : scenarioFiles()) {
            auto part = parseScenarios(text);
            if (!part.hasValue()) {
                std::fprintf(stderr, "stagecraft: %s\n", part.error().message.c_str());
                std::abort();  // compiled-in data, read by the tests: a broken build
            }
            for (Scenario& s : *part) read.push_back(std::move(s));
        }
        return read;
    }();
    return all;
}

const Scenario* findScenario(std::string_view id)
{
    for (const Scenario& s : scenarios()) {
        const bool same = s.id.size() == id.size() && std::equal(id.begin(), id.end(), s.id.begin(), [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)); });
        if (same) return &s;
    }
    return nullptr;
}

std::string scenarioSaid(const Scenario& s)
{
    if (!s.said.en.empty()) return s.said.en;
    // That it fits goes without saying where the claim is one of how much is saved.
    std::string said = s.saysHowMuchLess() ? "" : s.fits ? "it fits" : "it does not fit: out of memory";
    const auto add = [&said](const std::optional<double>& value, const char* unit) {
        if (value) said += fmt::format("{}{:.10g} {}", said.empty() ? "" : ", ", *value, unit);
    };
    add(s.deviceGB, "GB of each device");
    add(s.clusterGB, "GB in all are enough");
    add(s.tokensPerSecond, "tokens/s");
    add(s.hoursPerEpoch, "h per epoch");
    add(s.relativeSpeed, "times the speed");
    add(s.savedPercent, "% of the memory saved");
    add(s.savedGB, "GB saved on each device");
    add(s.shareOfFp16, "times the memory of fp16");
    add(s.fewerActivations, "times fewer activations with recomputation");
    if (s.inference) {
        const Scenario::Inference& i = *s.inference;
        said += fmt::format("{}inference at {:.10g} instead of {:.10g} tokens/s, {:.10g} instead of {:.10g} ms a token: {:.10g} times as fast", said.empty() ? "" : ", ", i.fasterTokensPerSecond, i.tokensPerSecond, i.fasterMsPerToken, i.msPerToken, i.speedup);
    }
    return said;
}

}  // namespace stagecraft
