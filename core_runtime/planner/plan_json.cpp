// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/plan.h"

#include "planner/fit.h"
#include "planner/forecast_figures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

using nlohmann::json;

const char* placeName(Place place)
{
    switch (place) {
    case Place::Device: return "device";
    case Place::Host: return "host";
    case Place::Pinned: return "pinned";
    case Place::Nvme: return "nvme";
    }
    return "device";
}

// Of model states alone neither the allocator's reserve nor the process is known.
json peakToJson(const LedgerRole& role, const LedgerPeak& peak, bool statesOnly, std::int64_t usable)
{
    if (statesOnly) return {{"phase", peak.phase}, {"allocated", peak.allocated}, {"reserved", nullptr}, {"process", nullptr}, {"interval90", nullptr}};
    const TotalIntervals interval = totalIntervals90(role, peak, usable);
    return {{"phase", peak.phase}, {"allocated", peak.allocated}, {"reserved", peak.reserved}, {"process", peak.process},
            {"interval90", {{"allocated", interval.allocated}, {"reserved", interval.reserved}, {"process", interval.process}}}};
}

json roleToJson(const LedgerRole& role, bool statesOnly, std::int64_t usable)
{
    json items = json::array();
    for (const LedgerItem& item : role.items) {
        items.push_back({{"what", item.what}, {"where", placeName(item.where)}, {"bytes", item.bytes}, {"interval90", itemInterval90(role, item)}, {"phase", item.phase}, {"why", item.why},
                         {"formula", item.formula}, {"numbers", item.numbers}, {"source", item.source}});
    }
    json phases = json::array();
    for (const LedgerPeak& phase : role.phases) phases.push_back(peakToJson(role, phase, statesOnly, usable));
    return {{"role", role.role}, {"ranks", role.ranks}, {"items", items}, {"peak", peakToJson(role, role.peak, statesOnly, usable)}, {"phases", phases}};
}

json figuresToJson(const StepForecast& forecast)
{
    json figures = json::array();
    for (const ForecastFigure& figure : forecast.figures) {
        figures.push_back({{"what", figure.what}, {"value", figure.value}, {"formula", figure.formula}, {"numbers", figure.numbers}, {"source", figure.source}, {"interval90", figureInterval90(forecast, figure)}});
    }
    return figures;
}

json budgetToJson(const BudgetForecast& b, const StepForecast& forecast)
{
    const double perStep = std::round(forecast.tokensPerSecond * forecast.stepTime);
    json figures = json::array();
    figures.push_back({{"what", "seconds"}, {"value", b.seconds}, {"interval90", intervalOfTime(forecast, b.seconds)}, {"formula", "tokens / tokens of a step · step time"},
                       {"numbers", fmt::format("{:.6g} / {:.0f} · {:.6g} s", b.tokens, perStep, forecast.stepTime)}, {"source", forecast.source}});
    if (b.wattsPerDevice > 0)
        figures.push_back({{"what", "joules"}, {"value", b.joules}, {"interval90", intervalOfTime(forecast, b.joules)}, {"formula", "devices · rated power · time"},
                           {"numbers", fmt::format("{} · {:.6g} W · {:.6g} s", b.devices, b.wattsPerDevice, b.seconds)}, {"source", b.source}});
    return {{"tokens", b.tokens}, {"seconds", b.seconds}, {"devices", b.devices}, {"wattsPerDevice", b.wattsPerDevice > 0 ? json(b.wattsPerDevice) : json(nullptr)},
            {"joules", b.wattsPerDevice > 0 ? json(b.joules) : json(nullptr)}, {"source", b.source}, {"figures", figures}};
}

template <class T>
json orNull(const std::optional<T>& value)
{
    return value ? json(*value) : json(nullptr);
}

const char* verdictName(Fit::Verdict verdict)
{
    switch (verdict) {
    case Fit::Verdict::Yes: return "yes";
    case Fit::Verdict::No: return "no";
    case Fit::Verdict::Unsure: return "unsure";
    }
    return "unsure";
}

}  // namespace

const char* forecastBasisName(ForecastBasis basis)
{
    switch (basis) {
    case ForecastBasis::DataSheet: return "data_sheet";
    case ForecastBasis::Measured: return "measured";
    case ForecastBasis::Calibrated: return "calibrated";
    }
    return "data_sheet";
}

json planToJson(const Plan& plan)
{
    json out;
    out["model"] = {{"params", orNull(plan.params)}, {"trainable", orNull(plan.trainable)}, {"active", orNull(plan.active)}};
    out["config"] = plan.config;
    out["mesh"] = plan.mesh;
    out["ledger"] = nullptr;
    if (plan.ledger) {
        json roles = json::array();
        const bool statesOnly = statesAlone(plan);
        for (const LedgerRole& role : *plan.ledger) roles.push_back(roleToJson(role, statesOnly, plan.fit ? plan.fit->usable : 0));
        out["ledger"] = {{"roles", roles}};
    }
    out["forecast"] = nullptr;
    if (plan.forecast) {
        json split = json::object();
        for (const auto& [name, seconds] : plan.forecast->split) split[name] = seconds;
        out["forecast"] = {{"stepTime", plan.forecast->stepTime}, {"tokensPerSecond", plan.forecast->tokensPerSecond}, {"mfu", plan.forecast->mfu},
                           {"interval90", plan.forecast->interval90}, {"tokensPerSecondInterval90", intervalOfRate(*plan.forecast, plan.forecast->tokensPerSecond)},
                           {"mfuInterval90", intervalOfRate(*plan.forecast, plan.forecast->mfu)}, {"split", split},
                           {"compute", {{"forward", plan.forecast->forward}, {"backward", plan.forecast->backward}}},
                           {"modelFlops", plan.forecast->modelFlops}, {"devicePeak", plan.forecast->devicePeak}, {"peakType", plan.forecast->peakType}, {"figures", figuresToJson(*plan.forecast)},
                           {"basis", forecastBasisName(plan.forecast->basis)}, {"source", plan.forecast->source},
                           {"calibration", plan.forecast->calibration.empty() ? json(nullptr) : json(plan.forecast->calibration)}};
    }
    out["fits"] = nullptr;
    if (plan.fit) out["fits"] = {{"verdict", verdictName(plan.fit->verdict)}, {"probability", plan.fit->probability}, {"usable", plan.fit->usable},
                                  {"leastBytes", plan.fit->least}, {"statesOnly", plan.fit->statesOnly}, {"hostBytesPerNode", plan.fit->hostNeed}, {"hostUsable", plan.fit->hostUsable > 0 ? json(plan.fit->hostUsable) : json(nullptr)}};
    out["budget"] = nullptr;
    if (plan.budget && plan.forecast) out["budget"] = budgetToJson(*plan.budget, *plan.forecast);
    json findings = json::array();
    for (const PlanFinding& finding : plan.findings) {
        findings.push_back({{"rule", finding.rule}, {"severity", finding.severity}, {"path", finding.pointer}, {"message", finding.message}});
    }
    out["findings"] = findings;
    return out;
}

}  // namespace stagecraft
