// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/planned_branch.h"

#include "planner/fit.h"
#include "planner/init_phase.h"
#include "planner/model_states.h"
#include "planner/swap_folders.h"

#include <algorithm>
#include <string_view>

namespace stagecraft {

namespace {

constexpr double kStatesOnly = 0.5;    // what comes on top of the states is not known: that they fit says no more than that it may, as in a plan
constexpr double kStatesSigma = 0.01;  // sums of model states err by rounding alone

bool tells(const Plan& plan, std::string_view rule)
{
    return std::any_of(plan.findings.begin(), plan.findings.end(), [rule](const PlanFinding& finding) { return finding.rule == rule; });
}

// Of the fullest rank, as the ledger has them.
void addStates(const std::vector<LedgerRole>& ledger, PlannedBranch& p)
{
    const auto fullest = std::max_element(ledger.begin(), ledger.end(), [](const LedgerRole& a, const LedgerRole& b) { return a.peak.process < b.peak.process; });
    for (const LedgerItem& item : fullest->items) {
        if (item.where != Place::Device || !isModelState(item.what)) continue;
        p.states += item.bytes;
        p.formula += (p.formula.empty() ? "" : " + ") + item.formula;
        p.numbers += (p.numbers.empty() ? "" : " + ") + item.numbers;
    }
}

}  // namespace

std::optional<PlannedBranch> planBranch(const Workspace& applied, SharedPlans& plans, PlanFinding& refusal)
{
    Result<Plan> plan = *plans.of(applied);
    if (plan.hasValue() && plan->ledger) addSwapFolders(applied, plans.context(), *plan);
    // More ranks than devices run nowhere.
    const bool runs = plan.hasValue() && plan->ledger && !plan->ledger->empty() && !tells(*plan, "plan.ranks");
    if (!runs) {
        refusal = {"advise.refused", "error", "/framework", "this framework does not run it"};
        if (!plan.hasValue()) return std::nullopt;
        for (const PlanFinding& finding : plan->findings)
            if (finding.severity == "error") refusal = finding;
        return std::nullopt;
    }
    PlannedBranch p;
    const bool onHost = applied.hardware.device == "cpu";
    for (const LedgerRole& role : *plan->ledger) {
        p.peak = std::max(p.peak, role.peak.process + (onHost ? std::min(role.hostBytes, (std::int64_t{1} << 62) - role.peak.process) : 0));
        for (const LedgerItem& item : role.items)
            if (item.where == Place::Nvme && item.phase != "init") p.files += item.bytes * role.ranks;
    }
    addStates(*plan->ledger, p);
    p.statesOnly = tells(*plan, "plan.states_only");
    for (const PlanFinding& finding : plan->findings)
        if (finding.severity == "error" && finding.id.starts_with("plan.swap.")) p.swapFault = finding.message;
    if (plan->fit) p.probability = plan->fit->probability;
    if (plan->fit) p.host = plan->fit->hostNeed;
    if (tells(*plan, "plan.init_host")) p.built = initHostPerNode(*plan->ledger, applied.hardware.devicesPerNode);
    p.time = plan->forecast;
    return p;
}

AlsoTold planOption(StageOption& o, const Workspace& applied, SharedPlans& plans, std::int64_t usable, PlanFinding& refusal)
{
    const auto plan = planBranch(applied, plans, refusal);
    if (!plan) {
        o.refused = true;
        o.message = refusal.message;
        return {};
    }
    if (o.formula.empty()) {
        o.stateBytes = plan->states;
        // Where no state is left on the device there is none to tell of.
        o.formula = plan->formula.empty() ? "gathered layers only" : plan->formula;
        o.numbers = plan->formula.empty() ? "0 · Φ / N" : plan->numbers;
    }
    if (!plan->statesOnly) o.peakBytes = plan->peak;
    if (plan->time) o.stepTime = plan->time->stepTime;
    o.hostBytesPerNode = plan->host;
    const std::int64_t nodes = std::max(1, applied.hardware.nodes);
    o.fileBytesPerNode = (plan->files + nodes - 1) / nodes;
    o.probability = plan->probability.value_or(plan->statesOnly ? kStatesOnly * probabilityWithin(o.stateBytes, usable, kStatesSigma) : probabilityWithin(plan->peak, usable, peakSigma(applied.framework.name)));
    return {plan->built, plan->swapFault};
}

}  // namespace stagecraft
