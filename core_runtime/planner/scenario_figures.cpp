// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/scenario_figures.h"

#include "hardware/device_sheet.h"
#include "planner/gradient_exchange.h"
#include "planner/model_states.h"
#include "planner/redundancy.h"
#include "planner/traffic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

namespace stagecraft {

namespace {

using nlohmann::json;

constexpr double kGB = 1e9;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double onDevice(const Plan& plan, const std::function<bool(const LedgerItem&)>& counts)
{
    if (!plan.ledger) return kUnknown;
    double most = 0;
    for (const LedgerRole& role : *plan.ledger) {
        double bytes = 0;
        for (const LedgerItem& item : role.items)
            if (item.where == Place::Device && counts(item)) bytes += static_cast<double>(item.bytes);
        most = std::max(most, bytes / kGB);
    }
    return most;
}

double peakOf(const Plan& plan)
{
    double most = kUnknown;
    if (plan.ledger && plan.fit && !plan.fit->statesOnly)
        for (const LedgerRole& role : *plan.ledger) most = std::fmax(most, static_cast<double>(role.peak.process) / kGB);
    return most;
}

double ofCopies(const Workspace& w, const std::string& name)
{
    const auto copies = redundancyOf(w);
    if (!copies) return kUnknown;
    return (name == "told" ? copies->planAsTold.perRank : name == "plainTold" ? copies->plainAsTold.perRank : name == "cluster" ? copies->plain.cluster : copies->plainAsTold.cluster) / kGB;
}

double ofTraffic(const Workspace& w, const std::string& name, const std::string& which)
{
    const auto traffic = planTraffic(w);
    if (!traffic) return kUnknown;
    if (name == "relativeVolume") return traffic->relativeVolume;
    if (name == "traffic") return traffic->bytesOf(which) / kGB;
    if (!traffic->tensor) return kUnknown;
    return which == "forward" ? traffic->tensor->forward : which == "training" ? traffic->tensor->training : traffic->tensor->withRecompute;
}

double ofExchange(const Workspace& w, const std::string& name, const std::string& which)
{
    const auto exchange = gradientExchange(w);
    if (!exchange) return kUnknown;
    if (name == "exchangeSeconds") {
        const auto link = findLink(which);
        return link.hasValue() ? exchange->over(*link).oneReplica : kUnknown;
    }
    if (which == "ranks") return static_cast<double>(exchange->ranksPerReplica);
    return (which == "replica" ? exchange->replicaBytes() : which == "all" ? exchange->allReplicasBytes() : which == "rank" ? exchange->rankBytes() : exchange->ringBytes()) / kGB;
}

double ofDevice(const Workspace& w, const std::string& name)
{
    const DeviceSheet* device = findDevice(w.hardware.device);
    if (!device) return kUnknown;
    if (name == "nominal") return device->nominalBytes / kGB;
    if (name == "peakRate") return device->peakFor("bf16") / 1e12;
    if (name == "memoryRate") return device->memoryBytesPerSecond / kGB;
    if (name == "pcieRate") return device->pcieBytesPerSecond / kGB;
    return device->link ? device->link->bytesPerSecond / kGB : kUnknown;
}

double ofForecast(const Plan& plan, const std::string& name, const std::string& which)
{
    if (!plan.forecast) return kUnknown;
    if (name == "stepTime") return plan.forecast->stepTime;
    if (name == "forward") return plan.forecast->forward;
    if (name == "backward") return plan.forecast->backward;
    for (const auto& [part, seconds] : plan.forecast->split)
        if (part == which) return seconds;
    return 0;
}

/// Plans the workspace and its variants, each once.
class Measures {
public:
    explicit Measures(const Scenario& scenario) : m_scenario(scenario) {}

    /// @return not a number where it cannot be computed
    double valueOf(const json& value)
    {
        if (value.is_number()) return value.get<double>();
        if (value.is_string()) return measure(value.get<std::string>());
        if (!value.is_array() || value.size() < 2 || !value[0].is_string()) return kUnknown;
        const std::string op = value[0];
        double result = valueOf(value[1]);
        if (op == "ceil") return std::ceil(result - 1e-9);
        for (std::size_t i = 2; i < value.size(); ++i) {
            const double next = valueOf(value[i]);
            result = op == "+" ? result + next : op == "-" ? result - next : op == "*" ? result * next : op == "/" && next != 0 ? result / next : kUnknown;
        }
        return result;
    }

private:
    struct Planned {
        Workspace workspace;
        Plan plan;
    };

    const Planned* planned(const std::string& variant)
    {
        if (const auto known = m_planned.find(variant); known != m_planned.end()) return known->second ? &*known->second : nullptr;
        json document = m_scenario.workspace;
        const auto patch = m_scenario.variants.find(variant);
        if (patch != m_scenario.variants.end()) document.merge_patch(patch->second);
        std::optional<Planned>& made = m_planned[variant];
        if (patch == m_scenario.variants.end() && !variant.empty()) return nullptr;
        const auto read = parseWorkspace(document.dump(), {});
        if (!read.hasValue()) return nullptr;
        const auto plan = makePlan(*read);
        if (!plan.hasValue()) return nullptr;
        made = Planned{*read, *plan};
        return &*made;
    }

    double measure(const std::string& words)
    {
        const std::size_t dot = words.find('.'), colon = words.find(':');
        const bool ofVariant = dot != std::string::npos && dot < colon;
        const Planned* own = planned(ofVariant ? words.substr(0, dot) : "");
        if (!own) return kUnknown;
        const std::size_t start = ofVariant ? dot + 1 : 0;
        const std::string name = words.substr(start, colon == std::string::npos ? colon : colon - start);
        const std::string which = colon == std::string::npos ? "" : words.substr(colon + 1);
        const Workspace& w = own->workspace;
        const Plan& plan = own->plan;
        if (name == "params") return plan.params ? static_cast<double>(*plan.params) : kUnknown;
        if (name == "states") return onDevice(plan, [](const LedgerItem& item) { return isModelState(item.what); });
        if (name == "ledger") return onDevice(plan, [&which](const LedgerItem& item) { return item.what.starts_with(which); });
        if (name == "host") return plan.fit ? static_cast<double>(plan.fit->hostNeed) / kGB : kUnknown;
        if (name == "peak") return peakOf(plan);
        if (name == "told" || name == "plainTold" || name == "cluster" || name == "toldCluster") return ofCopies(w, name);
        if (name == "traffic" || name == "tensor" || name == "relativeVolume") return ofTraffic(w, name, which);
        if (name == "exchange" || name == "exchangeSeconds") return ofExchange(w, name, which);
        if (name == "inside" || name == "groups") {
            const json axis = plan.mesh.is_object() ? plan.mesh.value("groups", json::object()).value(which, json()) : json();
            return axis.is_object() ? axis[name == "inside" ? "insideOneNode" : "groups"].get<double>() : kUnknown;
        }
        if (name == "link") {
            const auto link = findLink(which);
            return link.hasValue() ? link->bytesPerSecond / kGB : kUnknown;
        }
        if (name == "stepTime" || name == "forward" || name == "backward" || name == "split") return ofForecast(plan, name, which);
        if (name == "nominal" || name == "peakRate" || name == "memoryRate" || name == "pcieRate" || name == "linkRate") return ofDevice(w, name);
        return kUnknown;
    }

    const Scenario& m_scenario;
    std::map<std::string, std::optional<Planned>> m_planned;
};

// Four digits; whole numbers keep all of theirs.
std::string shortly(double value)
{
    return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// Within a fiftieth: figures are told with two or three digits.
bool agrees(double ours, const ScenarioFigure& figure)
{
    const double low = *figure.said, high = figure.saidTo.value_or(low);
    return ours >= low - 0.02 * std::abs(low) && ours <= high + 0.02 * std::abs(high);
}

}  // namespace

std::string withUnit(const std::string& number, const std::string& unit)
{
    return unit.empty() ? number : unit == "\u00d7" ? number + unit : number + " " + unit;
}

Result<std::vector<ScenarioCheck>> figureChecks(const Scenario& s)
{
    Measures measures(s);
    std::vector<ScenarioCheck> checks;
    for (std::size_t i = 0; i < s.figures.size(); ++i) {
        const ScenarioFigure& figure = s.figures[i];
        const double ours = measures.valueOf(figure.value);
        if (!std::isfinite(ours)) return Error{ErrorCode::InvalidInput, fmt::format("The scenario \"{}\" has a figure that cannot be computed: {}", s.id, figure.value.dump()), {{"scenario", s.id}}};
        ScenarioCheck check{"figure", !figure.judged || agrees(ours, figure), figure.said.value_or(0), ours, fmt::format("{}: {}", figure.label.en, withUnit(shortly(ours), figure.unit)), figure.judged, figure.saidTo.value_or(0), static_cast<int>(i)};
        if (figure.said) check.message += fmt::format("; said: {}", withUnit(figure.saidTo ? fmt::format("{:.4g} to {:.4g}", *figure.said, *figure.saidTo) : shortly(*figure.said), figure.unit));
        checks.push_back(std::move(check));
    }
    return checks;
}

}  // namespace stagecraft
