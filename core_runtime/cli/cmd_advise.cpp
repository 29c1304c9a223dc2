// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "cli/commands.h"
#include "cli/plan_ledger.h"
#include "cli/plan_traffic.h"
#include "hardware/device_sheet.h"
#include "planner/batch_sweep.h"
#include "planner/config_refusals.h"
#include "planner/crossover.h"
#include "planner/family_verdict.h"
#include "planner/findings.h"
#include "planner/fit.h"
#include "planner/levers.h"
#include "planner/machine_context.h"
#include "planner/pipeline_places.h"
#include "planner/workspace_search.h"
#include "record/run_folder.h"
#include "workspace/workspace.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace stagecraft::cli {

namespace {

struct Options {
    std::string file;
    std::vector<std::string> sets;
    double memoryShare = 0;
    std::int64_t globalBatch = 0, globalBatchTo = 0;
    std::size_t keep = 50;
    bool acrossNodes = false, withoutOffload = false, runnable = false;
    bool json = false;
};

std::string offloadCell(const ScoredLayout& l)
{
    if (l.offloadOptimizer == OffloadDevice::None) return "-";
    return std::string(l.offloadParam == OffloadDevice::None ? "optim. " : "all ") + deviceWord(l.offloadOptimizer);
}

const char* recomputeCell(ActivationPolicy policy) { return policy == ActivationPolicy::None ? "-" : recomputeWord(policy); }

// A signal handler can reach only what is global.
std::atomic<bool> g_interrupted{false};
extern "C" void onInterrupt(int) { g_interrupted.store(true); }

/// While it lives the first Ctrl-C asks for a stop, and what is known by then is told; the second ends the program as ever.
class InterruptStops {
public:
    InterruptStops()
    {
        ::sigaction(SIGINT, nullptr, &m_before);
        if (m_before.sa_handler == SIG_IGN) return;  // nohup, and a shell that starts us in the background, ask for that
        struct sigaction once {};
        once.sa_handler = onInterrupt;
        once.sa_flags = SA_RESETHAND | SA_RESTART;
        ::sigaction(SIGINT, &once, nullptr);
        m_watch = std::jthread([this](const std::stop_token& over) {
            while (!over.stop_requested() && !g_interrupted.load()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (g_interrupted.load()) m_source.request_stop();
        });
    }
    ~InterruptStops() { ::sigaction(SIGINT, &m_before, nullptr); }
    InterruptStops(const InterruptStops&) = delete;
    InterruptStops& operator=(const InterruptStops&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    struct sigaction m_before {};
    std::stop_source m_source;
    std::jthread m_watch;
};

// What each branch takes, how long its step is, and the largest model whose states it holds.
void printBranches(const Advice& advice, const Workspace& workspace)
{
    const DeviceSheet* device = findDevice(workspace.hardware.device);
    const double nominal = device ? device->nominalBytes : 0;
    std::size_t width = 52;
    for (const StageOption& o : advice.options) width = std::max(width, o.name.size());
    fmt::print("\n{:<{}} {:>10} {:>10} {:>9} {:>8} {:>16}{}\n", fmt::format("branch, as {} runs it", advice.framework), width, "states", "peak", "step s", "p fits", "largest", nominal > 0 ? "  largest as sold" : "");
    for (const StageOption& o : advice.options) {
        const auto parameters = [&o](double bytes) { return o.maxParams > 0 ? formatCount(static_cast<std::int64_t>(o.maxParams * bytes)) : std::string("any"); };
        // A share that was asked for is a limit of its own, whatever the device has besides.
        const bool above = device && device->id != "cpu" && advice.usable < device->usableBytes && o.peakBytes && *o.peakBytes > advice.usable;
        fmt::print("{:<{}} {:>10} {:>10} {:>9} {:>8} {:>16}", o.name, width, formatBytes(o.stateBytes), o.peakBytes ? formatBytes(*o.peakBytes) : "-", o.stepTime ? fmt::format("{:.4g}", *o.stepTime) : "-", o.refused ? "-" : above ? "no" : odds(o.probability), parameters(1));
        if (nominal > 0) fmt::print(" {:>16}", parameters(nominal / static_cast<double>(std::max<std::int64_t>(1, advice.usable))));
        fmt::print("{}\n", o.refused ? "  not run by this framework" : "");
    }
    fmt::print("largest: parameters whose states alone fill the {} ({:.4g} GB) that a process can have of this device", formatBytes(advice.usable), static_cast<double>(advice.usable) / 1e9);
    if (nominal > 0) fmt::print("; as sold: its {:.4g} GB, which tutorials divide by the bytes a parameter takes", nominal / 1e9);
    fmt::print("\n");
}

// The question of one tutorial: both costs, and from how many tokens on tensor parallelism sends more.
void printComparison(const Advice& advice, const std::vector<Crossover>& crossovers)
{
    if (!advice.zero3 || !advice.tensorZero1) return;
    const FamilyVerdict verdict = judgeFamilies(*advice.zero3, *advice.tensorZero1);
    const auto side = [&](const char* name, const ScoredLayout& l) {
        fmt::print("  {:<26} {:>10} of {}, {:.4g} s a step, {}\n", name, formatBytes(l.memory), formatBytes(advice.usable), l.stepTime, fitPhrase(l.fits, l.mayFit, l.probability));
    };
    const ScoredLayout& better = verdict.tensorWins ? *advice.tensorZero1 : *advice.zero3;
    const char* name = verdict.tensorWins ? "tensor parallelism" : "stage 3";
    // One that most likely runs out of memory is no recommendation, however fast it would be.
    const std::string answer = !better.mayFit ? "neither fits" : better.fits ? name : better.probability > 0.5 ? fmt::format("{}, which may fit (p = {:.2f})", name, better.probability) : fmt::format("most likely neither fits; {} may (p = {:.2f})", name, better.probability);
    fmt::print("\nstage 3, or stage 1 with tensor parallelism in a node, as deepspeed runs them? {}\n", answer);
    side(fmt::format("stage 3, dp {}", advice.zero3->dp).c_str(), *advice.zero3);
    side(fmt::format("stage 1, dp {} and tp {}", advice.tensorZero1->dp, advice.tensorZero1->tp).c_str(), *advice.tensorZero1);
    if (crossovers.empty()) return;
    const Crossover& any = crossovers.front();
    fmt::print("  A rank sends {} a step under stage 3 ({} {}), whatever the tokens; this step has {:.0f}\n", gigabytes(any.shardBytes), any.microBatches, any.microBatches == 1 ? "micro-batch" : "micro-batches", any.tokensNow);
    for (const Crossover& x : crossovers)
        fmt::print("  with tp {:<3} {} and {} for each token of the step: {}\n", x.tp, gigabytes(x.tensorBytes), gigabytes(x.bytesPerToken),
                   x.tokens > 0 ? fmt::format("as much at {:.0f} tokens a step, less below and more above", x.tokens) : std::string("more at any number of tokens"));
}

/// @param now  whether the workspace fits as it is: what a lever leaves as it is, is not told
void printLever(const Lever& lever, const std::optional<Fit>& now)
{
    const Phrase name = leverPhrase(lever);
    fmt::print("lever: {}: {}{}", fillPattern(name.pattern, name.args), lever.memoryChange < 0 ? "-" : "+", formatBytes(std::abs(lever.memoryChange)));
    if (lever.stepTime) fmt::print(", {:+.4g} s a step", lever.timeChange);
    const bool asBefore = now && lever.fit && now->verdict == lever.fit->verdict && (now->verdict == Fit::Verdict::Yes || (now->verdict == Fit::Verdict::Unsure && shownProbability(now->probability) == shownProbability(lever.fit->probability)));
    if (lever.fit && !asBefore) {
        const bool still = lever.fit->verdict == Fit::Verdict::No && now && now->verdict == Fit::Verdict::No;
        fmt::print("; {} {}", still ? "it still" : "then it", fitPhrase(lever.fit->verdict == Fit::Verdict::Yes, lever.fit->verdict != Fit::Verdict::No, lever.fit->probability));
    }
    fmt::print("\n");
}

void printLayout(const ScoredLayout& l)
{
    const std::string counted = placesPhrase({l.embeddingPlace, l.lossPlace});
    fmt::print("{:>5} {:>3} {:>3} {:>3} {:>3} {:>5} {:<11} {:<9} {:>5} {:>5} {:>10} {:>9.4g} {:>9.4g} {:>6.1f}{}{}\n", l.dp, l.tp, l.pp, l.cp, l.ep, l.stage, offloadCell(l), recomputeCell(l.policy), l.microBatch, l.accumulation,
               formatBytes(l.memory), l.stepTime, static_cast<double>(l.dp * l.microBatch * l.accumulation) / l.stepTime, 100 * l.mfu, l.fits ? std::string() : "  " + fitPhrase(l.fits, l.mayFit, l.probability), counted.empty() ? counted : "  " + counted);
}

// What ranks below the table's rows, and would be above them by its speed alone.
void printOdds(const SearchResult& layouts)
{
    if (layouts.scored == 0) return;
    fmt::print("{} of {} fit surely (p at least {:.2f}); {} more may fit, and rank below them\n", layouts.fitting, layouts.scored, kSurely, layouts.mayFit);
    if (!layouts.likely || !layouts.best.front().fits) return;
    fmt::print("the fastest that may fit:\n");
    printLayout(*layouts.likely);
}

const PlanFinding* findingOf(const Advice& advice, std::string_view rule)
{
    const auto found = std::find_if(advice.findings.begin(), advice.findings.end(), [rule](const PlanFinding& f) { return f.rule == rule; });
    return found == advice.findings.end() ? nullptr : &*found;
}

// In place of a tree in which nothing was weighed: why, and what runs instead.
void printNoBranch(const Advice& advice)
{
    // Offload may be left out beside: what keeps the others from running is the reason.
    std::vector<std::string> reasons;
    for (const StageOption& o : advice.options)
        if (std::find(reasons.begin(), reasons.end(), o.message) == reasons.end()) reasons.push_back(o.message);
    for (const std::string& reason : reasons) fmt::print("this job does not run as {} runs it: {}\n", advice.framework, reason);
    if (const PlanFinding* other = findingOf(advice, "advise.layouts_fit")) fmt::print("{}\n", other->message);
    else if (advice.layouts.scored > 0) fmt::print("no layout of these devices fits\n");
}

void printForEyes(const Advice& advice, const Workspace& workspace, const std::optional<Fit>& now, const std::vector<Crossover>& crossovers)
{
    const std::string& framework = workspace.framework.name;
    const bool runs = std::any_of(advice.options.begin(), advice.options.end(), [](const StageOption& o) { return !o.refused; });
    if (!runs && !advice.options.empty()) printNoBranch(advice);
    for (const TreeNode& node : advice.tree) {
        if (!runs) break;
        fmt::print("{:<4} {}\n", node.yes && !node.unsure ? "yes" : !node.walked ? "-" : node.unsure ? "may" : "no", node.question);
        if (!node.formula.empty()) fmt::print("     {} = {}\n", node.formula, node.numbers);
        const std::string& reason = node.yes && advice.chosen ? advice.options[*advice.chosen].message : node.rejected;
        if (node.walked && !reason.empty()) fmt::print("     {}\n", reason);
    }
    if (advice.chosen) {
        const StageOption& o = advice.options[*advice.chosen];
        const PlanFinding* refused = findingOf(advice, "plan.engine_layout");
        if (refused) fmt::print("\n{} does not run this layout: {}\n", framework, refused->message);
        if (const PlanFinding* own = findingOf(advice, "advise.own_layout")) fmt::print("{}\n", own->message);
        const std::string answer = o.fits || o.probability >= kEvenOdds ? "use" : "most likely none fits, likeliest";
        fmt::print("{}{} {}: {}\n", refused ? "or as " + advice.framework + " runs it, " : "\n", answer, o.name, o.message);
    }
    if (runs) printBranches(advice, workspace);
    printComparison(advice, crossovers);
    for (const RuleOfThumb& rule : advice.rulesOfThumb) fmt::print("rule of thumb: {}\nhere:          {}\n", rule.rule, rule.ours);
    if (!advice.conditions.empty()) fmt::print("\nwhen to use DeepSpeed:\n");
    for (const Condition& c : advice.conditions) fmt::print("  {:<3}  {}: {}\n", c.met ? "yes" : "no", fillPattern(c.rule.pattern, c.rule.args), fillPattern(c.ours.pattern, c.ours.args));
    if (!advice.levers.empty()) fmt::print("\n");
    for (const Lever& lever : advice.levers) printLever(lever, now);
    const std::size_t shown = std::min<std::size_t>(advice.layouts.best.size(), 10);
    if (shown > 0) {
        fmt::print("\n{}{} layouts scored, each planned as {} runs it{}\n", advice.layouts.cancelled ? "stopped before all were looked at: " : "", advice.layouts.scored, advice.layoutsFramework,
                   advice.layoutsFramework == framework ? std::string() : fmt::format(": memory and times are not those of {}, whose plan this workspace is; --runnable ranks what {} runs", framework, framework));
        fmt::print("{:>5} {:>3} {:>3} {:>3} {:>3} {:>5} {:<11} {:<9} {:>5} {:>5} {:>10} {:>9} {:>9} {:>6}\n", "dp", "tp", "pp", "cp", "ep", "stage", "offload", "recompute", "micro", "accum", "memory", "step s", "samples/s", "MFU %");
    }
    for (std::size_t i = 0; i < shown; ++i) printLayout(advice.layouts.best[i]);
    printOdds(advice.layouts);
    for (const PlanFinding& finding : advice.findings) fmt::print("{}: {} {}\n", finding.severity, finding.pointer, finding.message);
}

// A sweep of this many ends within seconds on a cluster of some thousand devices.
constexpr std::int64_t kMostBatches = 8192;

// The ranked layouts of many batches in place of those of one.
void sweepBatches(const Workspace& workspace, const SearchLimits& limits, std::int64_t most, const PlanContext& context, Advice& advice, const std::stop_token& stop)
{
    const auto search = searchOfWorkspace(workspace, limits, context, advice.findings);
    if (!search) return;
    advice.layouts = searchBatches(search->base, search->limits, most, stop);
    advice.layoutsFramework = workspace.framework.name;
    advice.layoutsPrecision.clear();
}

}  // namespace

void addAdviseCommand(CLI::App& app, int& exitCode)
{
    CLI::App* command = app.add_subcommand("advise", "Which ZeRO stage and layout for this model and hardware, with the numbers");
    const auto options = std::make_shared<Options>();
    command->add_option("workspace", options->file, "Workspace file")->required();
    command->add_option("--set", options->sets, "Change a value first: /path=VALUE")->take_all()->allow_extra_args(false)->option_text("/PATH=VALUE");
    command->add_option("--memory-share", options->memoryShare, "Share of a device's usable memory that a layout may take, 0 to 1; 1 unless given: whether a layout fits is told with its probability")->check(between(0.01, 1.0));
    CLI::Option* batch = command->add_option("--global-batch", options->globalBatch, "Samples of a step; the workspace's unless given")->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
    command->add_option("--global-batch-to", options->globalBatchTo, "With --global-batch: layouts of every batch from that one to this, ranked by the time of a sample, as the workspace's own framework runs them")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
        ->needs(batch);
    command->add_option("--keep", options->keep, "Layouts to rank, up to 10,000; those on the front of time and memory come on top in --json")->check(CLI::Range(1, 10'000));
    command->add_flag("--across-nodes", options->acrossNodes, "Tensor-parallel groups may leave a node");
    command->add_flag("--no-offload", options->withoutOffload, "No layouts that move model states to the host or to files");
    command->add_flag("--runnable", options->runnable, "Only layouts that the workspace's own framework runs");
    command->add_flag("--json", options->json, "One JSON document");
    command->callback([options, &exitCode] {
        const auto workspace = loadWorkspace(options->file, options->sets);
        if (!workspace.hasValue()) {
            exitCode = reportError(workspace.error(), options->json);
            return;
        }
        LayoutSearch search;
        search.limits.keep = options->keep;
        search.shareGiven = options->memoryShare > 0;
        if (search.shareGiven) search.limits.memoryShare = options->memoryShare;
        search.limits.globalBatch = options->globalBatch;
        search.limits.tensorInsideNode = !options->acrossNodes;
        search.limits.offload = !options->withoutOffload;
        search.runnable = options->runnable;
        if (options->globalBatchTo > 0 && options->globalBatchTo < options->globalBatch) {
            exitCode = reportError(Error{ErrorCode::InvalidArgument, fmt::format("--global-batch-to {} is below --global-batch {}; use the smallest batch for the one and the largest for the other", options->globalBatchTo, options->globalBatch), {}}, options->json);
            return;
        }
        if (options->globalBatchTo - options->globalBatch > kMostBatches) {
            exitCode = reportError(Error{ErrorCode::InvalidArgument, fmt::format("--global-batch {} to --global-batch-to {} are more than {} batches, which takes minutes; search the range in parts", options->globalBatch, options->globalBatchTo, kMostBatches), {}}, options->json);
            return;
        }
        std::string problem;
        const PlanContext context = contextOfThisMachine(defaultRunsRoot(), STAGECRAFT_VERSION, &problem);  // as `plan` has it
        if (!problem.empty()) tell("stagecraft: warning: {}\n", problem);
        const InterruptStops interrupt;
        auto advice = advise(*workspace, context, interrupt.token(), AdviceDepth::Layouts, search);
        if (!advice.hasValue()) {
            exitCode = reportError(advice.error(), options->json);
            return;
        }
        if (options->globalBatchTo > 0) sweepBatches(*workspace, search.limits, options->globalBatchTo, context, *advice, interrupt.token());
        if (const auto refusal = refusalOfConfig(*workspace)) advice->findings.insert(advice->findings.begin(), refusal->findings.begin(), refusal->findings.end());
        const auto crossovers = crossoversOf(*advice, *workspace);
        if (options->json) {
            nlohmann::json answer = adviceToJson(*advice, *workspace);
            answer["comparison"]["crossovers"] = crossoversToJson(crossovers);
            printJson(answer);
        } else {
            const auto now = makePlan(*workspace, context);
            printForEyes(*advice, *workspace, now.hasValue() ? now->fit : std::nullopt, crossovers);
        }
        exitCode = advice->layouts.cancelled ? kInterrupted : kDone;
    });
}

}  // namespace stagecraft::cli
