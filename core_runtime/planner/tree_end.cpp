// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/tree_end.h"

#include "base/units.h"
#include "planner/findings.h"
#include "planner/fit.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace stagecraft {

namespace {

constexpr double kSameTime = 0.01;          // of two plans of one job: what a forecast cannot tell apart
constexpr double kWorthOffload = 0.1;       // what states outside the devices have to save: their time is the less certain one
constexpr double kSameProbability = 0.005;
constexpr double kMuch = 0.8;               // of the answer's time: from there on somebody wants to know

bool offloads(const StageOption& o) { return o.offloadOptimizer != OffloadDevice::None || o.offloadParam != OffloadDevice::None; }

// A branch that buys its memory with time by itself.
bool recomputes(const StageOption& o) { return o.recompute == "selective" || o.recompute == "full"; }

bool costly(const StageOption& o) { return offloads(o) || recomputes(o); }

bool faster(const StageOption& a, const StageOption& b)
{
    const double margin = offloads(a) && !offloads(b) ? kWorthOffload : kSameTime;
    return a.stepTime && b.stepTime && *a.stepTime < (1 - margin) * *b.stepTime;
}

// A branch that is turned down though it fits: what it takes, beside what the answer does.
void turnDown(TreeNode& node, const StageOption& o, const StageOption& answer)
{
    const bool smaller = *answer.peakBytes < *o.peakBytes, sooner = *answer.stepTime < *o.stepTime;
    const std::string name = answer.relief ? answer.name + " " + reliefPhrase(*answer.relief) : answer.name;
    node.walked = true;
    node.yes = false;
    node.question = fmt::format("Does it fit with {}, and is none that fits {}?", o.name, smaller && sooner ? "both smaller and faster" : sooner ? "faster" : "smaller");
    node.rejected = fmt::format("it fits with {} and {:.4g} s a step, but {} takes {} and {:.4g} s", formatBytes(*o.peakBytes), *o.stepTime, name, formatBytes(*answer.peakBytes), *answer.stepTime);
}

struct Relieved {
    std::size_t at = 0;
    StageOption option;
    TreeNode node;
};

// The reliefs of each kind are ordered by what they save: a branch that surely fits with one only loses time with the next of its kind, and one that offloads or recomputes by itself too
// where another does without.
std::optional<Relieved> bestRelieved(const Advice& advice, const std::vector<BranchRelief>& reliefs, const ConsiderBranch& consider)
{
    std::optional<Relieved> best;
    std::vector<bool> fittedSo[2];  // of each branch, by whether the relief recomputes
    bool fittedFree[2] = {false, false};   // and whether one did that is not costly
    for (std::vector<bool>& kind : fittedSo) kind.resize(advice.options.size());
    for (const BranchRelief& relief : reliefs) {
        const int kind = relief.recompute ? 1 : 0;
        bool fittedAtACost = false;
        for (std::size_t i = 0; i < advice.options.size(); ++i) {
            if (advice.options[i].refused || fittedSo[kind][i] || (costly(advice.options[i]) && (fittedFree[kind] || fittedAtACost))) continue;
            StageOption o = advice.options[i];
            o.relief = relief;
            TreeNode node = consider(o);
            if (o.refused || !o.mayFit) continue;
            if (o.fits) fittedSo[kind][i] = true;
            (costly(o) ? fittedAtACost : fittedFree[kind]) |= o.fits;
            const bool sooner = best && (faster(o, best->option) || (!offloads(o) && offloads(best->option) && !faster(best->option, o)));
            const bool better = !best || (o.fits != best->option.fits ? o.fits : o.fits ? sooner : o.probability > best->option.probability + kSameProbability);
            if (better) best = Relieved{i, std::move(o), std::move(node)};
        }
    }
    return best;
}

// @param before  the branch that would be the answer without, where one fits
void tellRelief(Advice& advice, const BranchRelief& relief, const std::optional<StageOption>& before)
{
    const std::string micro = std::to_string(relief.microBatch), accumulation = std::to_string(relief.accumulation);
    const bool recomputes = relief.microBatch == 0;
    const char* pointer = relief.recompute ? "/layout/recompute" : "/dsConfig/train_micro_batch_size_per_gpu";
    if (!before) {
        if (recomputes) advice.findings.push_back(makeFinding("advise.relief.recompute", "warning", pointer, "Nothing surely fits as the job is written: the tree ends with activation checkpointing, which computes every layer twice"));
        else if (!relief.recompute) advice.findings.push_back(makeFinding("advise.relief.micro", "warning", pointer, "Nothing surely fits as the job is written: the tree ends with a micro-batch of {} and {} of them a step, which leaves the global batch as it is", {micro, accumulation}));
        else advice.findings.push_back(makeFinding("advise.relief.both", "warning", pointer, "Nothing surely fits as the job is written: the tree ends with activation checkpointing, which computes every layer twice, and a micro-batch of {} with {} of them a step, which leaves the global batch as it is", {micro, accumulation}));
        return;
    }
    const std::string seconds = fmt::format("{:.4g}", *before->stepTime), now = fmt::format("{:.4g}", *advice.options[*advice.chosen].stepTime);
    if (!offloads(*before)) advice.findings.push_back(makeFinding("advise.relief.faster.branch", "info", pointer, "As the job is written it fits with recomputation, at {} s a step: the tree ends with a micro-batch of {} and {} of them a step, which leaves the global batch as it is and takes {} s", {seconds, micro, accumulation, now}));
    else if (recomputes) advice.findings.push_back(makeFinding("advise.relief.faster.recompute", "info", pointer, "As the job is written it fits with states outside the devices, at {} s a step: the tree ends with activation checkpointing, which computes every layer twice and takes {} s", {seconds, now}));
    else if (!relief.recompute) advice.findings.push_back(makeFinding("advise.relief.faster.micro", "info", pointer, "As the job is written it fits with states outside the devices, at {} s a step: the tree ends with a micro-batch of {} and {} of them a step, which leaves the global batch as it is and takes {} s", {seconds, micro, accumulation, now}));
    else advice.findings.push_back(makeFinding("advise.relief.faster.both", "info", pointer, "As the job is written it fits with states outside the devices, at {} s a step: the tree ends with activation checkpointing and a micro-batch of {} with {} of them a step, which leaves the global batch as it is and takes {} s", {seconds, micro, accumulation, now}));
}

}  // namespace

void preferBetter(Advice& advice)
{
    if (!advice.chosen) return;
    const std::size_t first = *advice.chosen;
    const auto known = [](const StageOption& o) { return o.fits && o.peakBytes && o.stepTime; };
    std::size_t best = first;
    for (std::size_t i = first + 1; i < advice.options.size(); ++i) {
        const StageOption &o = advice.options[i], &f = advice.options[first];
        if (!known(f) || !known(o) || *o.peakBytes >= *f.peakBytes || !faster(o, f)) continue;
        if (best == first || faster(o, advice.options[best])) best = i;
    }
    if (best == first) return;
    for (std::size_t i = first; i < best; ++i) {
        advice.tree[i].walked = true;
        advice.tree[i].yes = false;
        if (known(advice.options[i])) turnDown(advice.tree[i], advice.options[i], advice.options[best]);
    }
    advice.tree[best].walked = advice.tree[best].yes = true;
    advice.tree[best].rejected.clear();
    advice.chosen = best;
}

void preferRelief(Advice& advice, const std::vector<BranchRelief>& reliefs, const ConsiderBranch& consider)
{
    const auto before = advice.chosen;
    const bool sure = before && advice.options[*before].fits;
    if (sure && (!costly(advice.options[*before]) || !advice.options[*before].stepTime || !advice.options[*before].peakBytes)) return;
    auto best = bestRelieved(advice, reliefs, consider);
    if (!best || (sure && (!best->option.fits || !faster(best->option, advice.options[*before])))) return;
    if (before && !sure && !best->option.fits && best->option.probability <= advice.options[*before].probability + kSameProbability) return;
    if (!sure) best->option.message = "only " + best->option.message;
    advice.chosen = best->at;
    const std::optional<StageOption> turned = sure ? std::optional(advice.options[*before]) : std::nullopt;
    advice.options[best->at] = std::move(best->option);
    advice.tree[best->at] = std::move(best->node);
    advice.tree[best->at].yes = true;
    advice.tree[best->at].rejected.clear();
    if (turned && *before != best->at) turnDown(advice.tree[*before], *turned, advice.options[best->at]);
    tellRelief(advice, *advice.options[best->at].relief, turned);
}

void tellFaster(Advice& advice)
{
    if (!advice.chosen || !advice.options[*advice.chosen].stepTime) return;
    const StageOption& answer = advice.options[*advice.chosen];
    const StageOption* first = nullptr;
    for (const StageOption& o : advice.options)
        if (!o.fits && o.mayFit && o.probability >= 0.5 && o.stepTime && *o.stepTime < kMuch * *answer.stepTime && (!first || *o.stepTime < *first->stepTime)) first = &o;
    const auto seconds = [](double value) { return fmt::format("{:.4g}", value); };
    if (answer.fits && first) advice.findings.push_back(makeFinding("advise.try_first", "info", "/layout", "{} may fit, with a probability of {}, and takes {} s a step where the tree's answer takes {}: worth a try before it", {first->name, fmt::format("{:.2f}", shownProbability(first->probability)), seconds(*first->stepTime), seconds(*answer.stepTime)}));
    if (advice.layouts.best.empty() || advice.layoutsFramework != advice.framework) return;
    const ScoredLayout& row = advice.layouts.best.front();
    if (!row.fits || row.stepTime >= kMuch * *answer.stepTime) return;
    std::vector<std::string> words;
    for (const std::int64_t size : {row.dp, row.tp, row.pp, row.cp, row.ep, row.microBatch}) words.push_back(std::to_string(size));
    const bool stages = advice.framework == "deepspeed";
    if (stages) words.insert(words.end(), {std::to_string(row.stage), deviceWord(row.offloadOptimizer), deviceWord(row.offloadParam)});
    words.insert(words.end(), {recomputeWord(row.policy), seconds(row.stepTime), seconds(*answer.stepTime)});
    if (stages) advice.findings.push_back(makeFinding("advise.faster_layout.states", "info", "/layout", "The tree keeps the layout of the job. Of all layouts that surely fit the fastest has dp {}, tp {}, pp {}, cp {}, ep {}, a micro-batch of {}, ZeRO stage {}, offload_optimizer {}, offload_param {} and recompute {}: {} s a step, where the tree's answer takes {}", words));
    else advice.findings.push_back(makeFinding("advise.faster_layout", "info", "/layout", "The tree keeps the layout of the job. Of all layouts that surely fit the fastest has dp {}, tp {}, pp {}, cp {}, ep {}, a micro-batch of {} and recompute {}: {} s a step, where the tree's answer takes {}", words));
}

}  // namespace stagecraft
