// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "cli/commands.h"
#include "cli/plan_ledger.h"
#include "cli/plan_scenarios.h"
#include "cli/plan_traffic.h"
#include "planner/config_advice.h"
#include "planner/config_refusals.h"
#include "planner/machine_context.h"
#include "planner/fit.h"
#include "planner/forecast_figures.h"
#include "planner/other_behaviour.h"
#include "planner/scenario.h"
#include "planner/swap_folders.h"
#include "planner/workspace_model.h"
#include "record/run_folder.h"
#include "workspace/workspace.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft::cli {

namespace {

struct Options {
    std::string file;
    std::vector<std::string> sets;
    std::vector<std::string> links;
    std::string scenario, saveTo;
    bool scenarios = false, features = false;
    double tokens = 0;
    bool withoutCalibration = false, fromDataSheet = false;
    bool json = false;
};

constexpr double kFull = 0.97;  // of the usable memory: a process that shows as much looks as if it would not fit

void printForEyes(const Plan& plan, const Workspace& workspace, const std::optional<ConfigRefusal>& refusal)
{
    fmt::print("parameters  {}\n", plan.params ? formatCount(*plan.params) : "not known");
    if (plan.params && plan.trainable && *plan.trainable != *plan.params) fmt::print("trainable   {}\n", formatCount(*plan.trainable));
    if (plan.ledger) printLedger(*plan.ledger, workspace.hardware.devicesPerNode, statesAlone(plan), workspace.hardware.device == "cpu");
    if (plan.forecast) {
        const StepForecast& f = *plan.forecast;
        const auto rate = intervalOfRate(f, f.tokensPerSecond), share = intervalOfRate(f, f.mfu);
        fmt::print("\nstep {:.4g} s ({:.4g} to {:.4g}), {:.5g} tokens/s ({:.5g} to {:.5g}), MFU {:.1f} % ({:.1f} to {:.1f}); 90 % intervals\n", f.stepTime, f.interval90[0], f.interval90[1], f.tokensPerSecond, rate[0], rate[1], f.mfu * 100, share[0] * 100, share[1] * 100);
        fmt::print("from {}\n", plan.forecast->source);
        for (const auto& [name, seconds] : plan.forecast->split) fmt::print("  {:>10.4g} s  {}\n", seconds, name);
    }
    if (const auto& b = plan.budget) {
        const auto hours = plan.forecast ? intervalOfTime(*plan.forecast, b->seconds / 3600) : std::array{b->seconds / 3600, b->seconds / 3600};
        fmt::print("\n{:.4g} tokens on {} devices: {:.4g} h ({:.4g} to {:.4g})", b->tokens, b->devices, b->seconds / 3600, hours[0], hours[1]);
        if (b->wattsPerDevice > 0) fmt::print(", at most {:.4g} kWh at {:.0f} W a device ({})", b->joules / 3.6e6, b->wattsPerDevice, b->source);
        fmt::print("\n");
    }
    if (plan.fit) {
        const char* verdict = plan.fit->verdict == Fit::Verdict::Yes ? "yes" : plan.fit->verdict == Fit::Verdict::No ? "no" : "unsure";
        const Fit& fit = *plan.fit;
        const char* label = refusal ? "memory alone fits" : "fits";   // nothing runs with a ds_config that is refused
        if (fit.statesOnly && fit.verdict != Fit::Verdict::No) fmt::print("\n{}: {} (the model states alone fit; what comes on top is not known, {} usable)\n", label, verdict, formatBytes(fit.usable));
        else fmt::print("\n{}: {} (probability {}, {} usable)\n", label, verdict, odds(fit.probability), formatBytes(fit.usable));
        // "79.6 of 79.6 GiB" beside a yes needs the number that it is judged by.
        std::int64_t shown = 0;
        for (const LedgerRole& role : *plan.ledger) shown = std::max(shown, role.peak.process);
        if (fit.verdict == Fit::Verdict::Yes && fit.least < shown && static_cast<double>(shown) > kFull * static_cast<double>(fit.usable))
            fmt::print("the process will show {}, {} of which it needs\n", formatBytes(shown), formatBytes(fit.least));
        if (fit.hostNeed > 0) fmt::print("host: {} per node of {}\n", formatBytes(fit.hostNeed), fit.hostUsable > 0 ? formatBytes(fit.hostUsable) : "what the nodes have, which hardware.hostMemoryGiB does not say");
    }
    if (const std::int64_t files = plan.ledger ? swapBytesPerNode(*plan.ledger, workspace.hardware.devicesPerNode) : 0; files > 0) {
        std::string where;
        for (const SwapFolder& folder : swapFolders(workspace, *plan.ledger)) where += fmt::format("{}{}", where.empty() ? " in " : " and ", folder.path.string());
        fmt::print("files: {} per node{}\n", formatBytes(files), where);
    }
    if (refusal) {
        fmt::print("\nrefused: {} does not start with this ds_config ({}); memory and time above are of a run that does not begin\n", refusal->by, refusal->level);
        for (const PlanFinding& finding : refusal->findings) fmt::print("error: {} [{}] {}\n", finding.pointer, finding.rule, finding.message);
    }
    for (const PlanFinding& finding : plan.findings)
        if (!refusal || !isSaidBy(*refusal, finding)) fmt::print("{}: {} {}\n", finding.severity, finding.pointer, finding.message);
}

}  // namespace

void addPlanCommand(CLI::App& app, int& exitCode)
{
    CLI::App* command = app.add_subcommand("plan", "Memory, time and fit of a workspace, with reasons");
    const auto options = std::make_shared<Options>();
    command->add_option("workspace", options->file, "Workspace file");
    command->add_option("--scenario", options->scenario, "Plan a published claim in place of a workspace, and hold it against the plan");
    command->add_option("--save", options->saveTo, "With --scenario: write its workspace to this file instead");
    command->add_flag("--scenarios", options->scenarios, "List the published claims with our verdicts");
    command->add_flag("--features", options->features, "What DeepSpeed and FSDP2 have, feature by feature, with date and sources");
    command->add_option("--set", options->sets, "Change a value first: /path=VALUE")->take_all()->allow_extra_args(false)->option_text("/PATH=VALUE");
    command->add_option("--link", options->links, "Show how long one exchange of gradients takes over this link: an id (dgx-a100, infiniband-ndr, ...) or a rate of one direction (8x400Gbps, 50GB/s); without it over all that are known")->take_all()->allow_extra_args(false);
    command->add_option("--tokens", options->tokens, "Token budget for time and energy; without it that of the workspace's steps")->check(between(1.0, 1e18));
    command->add_flag("--no-calibration", options->withoutCalibration, "Ignore what earlier runs of this model taught (`stagecraft runs calibrations`)");
    command->add_flag("--from-data-sheet", options->fromDataSheet, "Ignore what was learned on this machine: its measurement (`stagecraft doctor --measure`) and earlier runs");
    command->add_flag("--json", options->json, "One JSON document");
    command->callback([options, &exitCode] {
        if (options->scenarios || options->features) {
            exitCode = options->scenarios ? listScenarios(options->json) : listFeatures(options->json);
            return;
        }
        if (!options->saveTo.empty() && !options->scenario.empty()) {
            exitCode = saveScenario(options->scenario, options->saveTo, options->json);
            return;
        }
        if (options->file.empty() == options->scenario.empty()) {
            exitCode = reportError(Error{ErrorCode::InvalidArgument, "Cannot plan: give either a workspace file or --scenario ID; `stagecraft plan --scenarios` lists the ids", {}}, options->json);
            return;
        }
        const Scenario* scenario = options->scenario.empty() ? nullptr : findScenario(options->scenario);
        if (!options->scenario.empty() && !scenario) {
            exitCode = reportError(Error{ErrorCode::NotFound, fmt::format("Cannot find the scenario \"{}\"; `stagecraft plan --scenarios` lists them", options->scenario), {{"scenario", options->scenario}}}, options->json);
            return;
        }
        if (scenario && !options->sets.empty()) {
            exitCode = reportError(Error{ErrorCode::InvalidArgument, "Cannot change a scenario with --set: write it to a file with --save FILE, and plan that", {}}, options->json);
            return;
        }
        const auto workspace = scenario ? parseWorkspace(scenario->workspace.dump(), {}) : loadWorkspace(options->file, options->sets);
        if (!workspace.hasValue()) {
            exitCode = reportError(workspace.error(), options->json);
            return;
        }
        std::string problem;
        PlanContext context = contextOfThisMachine(defaultRunsRoot(), STAGECRAFT_VERSION, &problem);
        if (!problem.empty()) tell("stagecraft: warning: {}\n", problem);
        if (options->withoutCalibration || options->fromDataSheet) context.calibrations.clear();
        if (options->fromDataSheet) {
            context.machine.reset();
            context.disks.clear();
        }
        if (options->tokens > 0) context.tokenBudget = options->tokens;
        std::vector<LinkSheet> links;
        for (const std::string& word : options->links) {
            const auto link = findLink(word);
            if (!link.hasValue()) {
                exitCode = reportError(link.error(), options->json);
                return;
            }
            links.push_back(*link);
        }
        auto plan = makePlan(*workspace, context);
        if (!plan.hasValue()) {
            exitCode = reportError(plan.error(), options->json);
            return;
        }
        addSwapFolders(*workspace, context, *plan);
        tellOtherBehaviour(*workspace, context, *plan);
        for (PlanFinding& finding : unknownFieldFindings(*workspace)) plan->findings.push_back(std::move(finding));
        const std::vector<PlanFinding> said = plan->findings;
        const auto isSaid = [&said](const std::string& rule) { return std::any_of(said.begin(), said.end(), [&rule](const PlanFinding& finding) { return finding.rule == rule; }); };
        for (const CheckFinding& advice : adviseConfig(*workspace, context))
            if (!isSaid(advice.rule)) plan->findings.push_back({advice.rule, checkSeverityName(advice.severity), "/dsConfig" + advice.pointer, advice.message});
        // A claim's workspace is for arithmetic: nobody starts it.
        const auto refusal = scenario ? std::nullopt : refusalOfConfig(*workspace);
        const auto traffic = planTraffic(*workspace, context);
        const auto redundancy = redundancyOf(*workspace);
        const auto exchange = gradientExchange(*workspace, links);
        std::optional<Result<ScenarioVerdict>> verdict;
        if (scenario) verdict = judgeScenario(*scenario);
        if (verdict && !verdict->hasValue()) {
            exitCode = reportError(verdict->error(), options->json);
            return;
        }
        if (options->json) {
            if (refusal) plan->findings.insert(plan->findings.begin(), refusal->findings.begin(), refusal->findings.end());
            nlohmann::json answer = planToJson(*plan);
            answer["traffic"] = traffic ? trafficToJson(*traffic) : nlohmann::json(nullptr);
            answer["redundancy"] = redundancy ? redundancyToJson(*redundancy) : nlohmann::json(nullptr);
            answer["exchange"] = exchange ? exchangeToJson(*exchange) : nlohmann::json(nullptr);
            answer["fileBytesPerNode"] = plan->ledger ? nlohmann::json(swapBytesPerNode(*plan->ledger, workspace->hardware.devicesPerNode)) : nlohmann::json(nullptr);
            answer["refusal"] = refusal ? nlohmann::json{{"by", refusal->by}, {"level", refusal->level}} : nlohmann::json(nullptr);
            if (verdict) answer["scenario"] = scenarioToJson(*scenario, **verdict);
            printJson(answer);
        } else {
            if (verdict) printAnswer(*scenario, **verdict);
            printForEyes(*plan, *workspace, refusal);
            if (redundancy) printRedundancy(*redundancy);
            if (traffic) printTraffic(*traffic);
            if (exchange && (!links.empty() || exchange->replicas > 1)) printExchange(*exchange);
        }
        exitCode = kDone;
    });
}

}  // namespace stagecraft::cli
