// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/scenario.h"

#include "hardware/device_sheet.h"
#include "planner/model_states.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace stagecraft {

const std::vector<std::string_view>& scenarioFiles();

namespace {

using nlohmann::json;

constexpr double kGB = 1e9;

std::optional<double> claimed(const json& claim, const char* key)
{
    if (!claim.contains(key) || !claim[key].is_number()) return std::nullopt;
    return claim[key].get<double>();
}

json orNull(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

}  // namespace

Result<std::vector<Scenario>> parseScenarios(std::string_view text)
{
    const auto wrong = [](const std::string& id, const char* why) { return Error{ErrorCode::InvalidInput, fmt::format("The scenario \"{}\" {}", id, why), {{"scenario", id}}}; };
    const json list = json::parse(text, nullptr, false);
    if (!list.is_array()) return wrong("", "is in no list of scenarios");
    const auto word = [](const json& object, const char* key) { return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string(); };
    std::vector<Scenario> read;
    for (const json& entry : list) {
        Scenario s;
        s.id = word(entry, "id");
        if (s.id.empty()) return wrong("", "needs an \"id\"");
        const json title = entry.value("title", json::object()), claim = entry.value("claim", json());
        s.title = {word(title, "en"), word(title, "zh")};
        s.source = word(entry, "source");
        if (s.title.en.empty() || s.title.zh.empty() || s.source.empty()) return wrong(s.id, "needs \"title\" in two languages and a \"source\"");
        if (!claim.is_object() || !claim.contains("fits") || !claim["fits"].is_boolean()) return wrong(s.id, "needs a \"claim\" that says whether it \"fits\"");
        if (!entry.contains("workspace") || !entry["workspace"].is_object()) return wrong(s.id, "needs a \"workspace\"");
        s.workspace = entry["workspace"];
        s.fits = claim["fits"].get<bool>();
        s.deviceGB = claimed(claim, "deviceGB");
        s.clusterGB = claimed(claim, "clusterGB");
        s.tokensPerSecond = claimed(claim, "tokensPerSecond");
        s.hoursPerEpoch = claimed(claim, "hoursPerEpoch");
        s.epochTokens = claimed(claim, "epochTokens");
        s.relativeSpeed = claimed(claim, "relativeSpeed");
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

Result<ScenarioVerdict> judgeScenario(const Scenario& s)
{
    const auto workspace = parseWorkspace(s.workspace.dump(), {});
    if (!workspace.hasValue()) return workspace.error();
    const auto plan = makePlan(*workspace);
    if (!plan.hasValue()) return plan.error();

    // States by their closed forms, whatever else the ledger knows of the model: the tutorials speak of nothing but them.
    Workspace states = *workspace;
    if (plan->params) {
        states.model = {};
        states.model.form = ModelSection::Form::ParameterCount;
        states.model.parameterCount = static_cast<double>(*plan->params);
    }
    const auto counted = makePlan(states);
    if (!counted.hasValue()) return counted.error();
    ScenarioVerdict v;
    if (counted->ledger) {
        for (const LedgerRole& role : *counted->ledger) {
            double device = 0;
            for (const LedgerItem& item : role.items)
                if (item.where == Place::Device && isModelState(item.what)) device += static_cast<double>(item.bytes);
            v.statesGB = std::max(v.statesGB, device / kGB);
        }
    }
    const DeviceSheet* device = findDevice(workspace->hardware.device);
    v.nominalGB = device ? device->nominalBytes / kGB : 0;
    v.statesFit = v.statesGB <= v.nominalGB;
    if (plan->fit) v.fits = plan->fit->verdict;
    if (plan->ledger && plan->fit && !plan->fit->statesOnly)
        for (const LedgerRole& role : *plan->ledger) v.peakGB = std::max(v.peakGB, static_cast<double>(role.peak.process) / kGB);
    v.recomputes = workspace->layout.recompute != "none";
    if (counted->fit) v.hostGBPerNode = static_cast<double>(counted->fit->hostNeed) / kGB;

    const auto check = [&](const char* what, bool holds, double said, double ours, std::string message) {
        v.checks.push_back({what, holds, said, ours, std::move(message)});
        v.holds = v.holds && holds;
    };
    const bool possible = v.statesFit && v.fits != Fit::Verdict::No;
    std::string more = v.peakGB > 0 ? fmt::format(", the whole peak {:.4g} GB{}", v.peakGB, v.recomputes ? " with activation checkpointing" : "") : std::string();
    if (v.fits == Fit::Verdict::No) more += ": it does not fit";
    if (v.hostGBPerNode > 0) more += fmt::format("; each node's host needs {:.5g} GB", v.hostGBPerNode);
    check("fits", s.fits == possible, v.nominalGB, v.statesGB,
          v.statesFit ? fmt::format("The model states take {:.4g} of {:.4g} GB{}", v.statesGB, v.nominalGB, more)
                      : fmt::format("The model states take {:.4g} of {:.4g} GB on each device: {:.4g} GB are missing", v.statesGB, v.nominalGB, v.missingGB()));
    if (s.deviceGB) {
        const bool holds = v.statesGB <= *s.deviceGB;
        check("device_memory", holds, *s.deviceGB, v.statesGB,
              holds ? fmt::format("{:.4g} GB a device are possible: the model states take {:.4g}", *s.deviceGB, v.statesGB)
                    : fmt::format("{:.4g} GB a device are impossible: the model states alone take {:.4g} GB at 16 B a parameter", *s.deviceGB, v.statesGB));
    }
    if (s.clusterGB && plan->params) {
        const double all = 16 * static_cast<double>(*plan->params) / kGB;
        const double needed = v.statesGB * static_cast<double>(workspace->layout.ranks());
        check("cluster_memory", needed <= *s.clusterGB, *s.clusterGB, needed, fmt::format("Of {:.5g} GB of model states {:.5g} GB lie on the devices, which have {:.5g} GB", all, needed, *s.clusterGB));
    }
    if (s.tokensPerSecond && s.hoursPerEpoch && s.epochTokens && *s.tokensPerSecond > 0) {
        const double hours = *s.epochTokens / *s.tokensPerSecond / 3600;
        const bool holds = std::abs(hours - *s.hoursPerEpoch) <= 0.02 * hours;
        check("epoch_hours", holds, *s.hoursPerEpoch, hours, fmt::format("{:.5g} tokens/s take {:.4g} h for the {:.5g} tokens of the epoch, {} {:.4g} h", *s.tokensPerSecond, hours, *s.epochTokens, holds ? "as said:" : "not", *s.hoursPerEpoch));
    }
    return v;
}

json scenarioToJson(const Scenario& s, const ScenarioVerdict& v)
{
    json checks = json::array();
    for (const ScenarioCheck& c : v.checks) checks.push_back({{"what", c.what}, {"holds", c.holds}, {"claimed", c.claimed}, {"ours", c.ours}, {"message", c.message}});
    const char* fits = v.fits == Fit::Verdict::Yes ? "yes" : v.fits == Fit::Verdict::No ? "no" : "unsure";
    return {{"id", s.id}, {"title", {{"en", s.title.en}, {"zh", s.title.zh}}}, {"source", s.source},
            {"claim", {{"fits", s.fits}, {"deviceGB", orNull(s.deviceGB)}, {"clusterGB", orNull(s.clusterGB)}, {"tokensPerSecond", orNull(s.tokensPerSecond)}, {"hoursPerEpoch", orNull(s.hoursPerEpoch)}, {"relativeSpeed", orNull(s.relativeSpeed)}}},
            {"verdict", {{"holds", v.holds}, {"fits", fits}, {"statesFit", v.statesFit}, {"statesGB", v.statesGB}, {"deviceGB", v.nominalGB}, {"peakGB", v.peakGB > 0 ? json(v.peakGB) : json(nullptr)}, {"missingGB", v.missingGB()}, {"hostGBPerNode", v.hostGBPerNode}, {"checks", checks}}}};
}

}  // namespace stagecraft
