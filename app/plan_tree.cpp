// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_tree.h"

#include "app/core_words.h"
#include "app/fit_words.h"
#include "app/formats.h"
#include "app/model_states.h"
#include "app/plan_strip.h"
#include "config/json_document.h"
#include "planner/family_verdict.h"
#include "planner/fit.h"
#include "planner/model_states.h"
#include "visualizers/list_text.h"
#include "widgets/step_name.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace stagecraft::app {

namespace {

struct TreeWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::TreeWords)
};

QString signedPercent(double share)
{
    const int decimals = std::abs(share) < 0.9995 ? 1 : 0;
    const double rounded = std::round(share * 1000) / 1000;
    if (rounded == 0)
        return QStringLiteral("±") + percent(0);
    return (rounded > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + percent(std::abs(share), decimals);
}

const StepForecast* forecastOf(const std::optional<Plan>& plan)
{
    return plan && plan->forecast ? &*plan->forecast : nullptr;
}

/// @param from  nothing when the workspace has none of the tree's answers
QString choiceName(std::optional<PlanVariant::Id> from, PlanVariant::Id to)
{
    if (from && to <= PlanVariant::Id::Stage3 && *from <= PlanVariant::Id::Stage3)
        return TreeWords::tr("ZeRO stage %1 → %2").arg(static_cast<int>(*from)).arg(static_cast<int>(to));
    return from ? QStringLiteral("%1 → %2").arg(variantName(*from), variantName(to)) : variantName(to);
}

bool surelyFits(const PlanVariant& variant)
{
    return variant.plan && variant.plan->ledger && variant.plan->fit && variant.plan->fit->verdict == Fit::Verdict::Yes;
}

/// Of a variant that advice has relieved.
bool reliefIsSure(const PlanSet& plan)
{
    return plan.advice && plan.advice->chosen && plan.advice->options[*plan.advice->chosen].fits;
}

/// Whether a branch fits as the job is written: where the walk ends with a change of it, that is for speed.
bool othersFit(const PlanSet& plan)
{
    return std::any_of(plan.variants.begin(), plan.variants.end(), [](const PlanVariant& v) { return !v.relief && surelyFits(v); });
}

/// The answer that a question of the walk gets.
/// @param at, end  places of the question and of the walk's end
QString answerOf(const PlanSet& plan, const Fit& fit, int at, int end, bool isChosen)
{
    const bool fits = fit.verdict == Fit::Verdict::Yes, rejected = fit.verdict == Fit::Verdict::No;
    // What is changed of the job beside a branch is asked for after all branches as they are.
    const PlanVariant* const last = end >= 0 ? &plan.variants[static_cast<std::size_t>(end)] : nullptr;
    const bool sure = last && surelyFits(*last) && !last->relief;
    if (fits && last && last->relief && at != end)
        return TreeWords::tr("Yes, but %1 is faster").arg(clauseText({variantName(last->id), reliefWords(*last->relief)}));
    if (end >= 0 && at > end && sure)
        return isChosen ? TreeWords::tr("Chosen; less would do") : rejected ? TreeWords::tr("No") : TreeWords::tr("Not needed");
    if (end >= 0 && at > end)
        return rejected ? TreeWords::tr("No") : TreeWords::tr("Perhaps: not likelier");
    if (fits)
        return at == end ? TreeWords::tr("Yes: it fits here") : TreeWords::tr("Yes, but %1 is smaller and faster").arg(variantName(plan.variants[static_cast<std::size_t>(end)].id));
    if (at == end)
        return TreeWords::tr("Perhaps: none is likelier");
    const bool lastOne = at + 1 == static_cast<int>(plan.variants.size());
    return rejected ? lastOne ? TreeWords::tr("No") : TreeWords::tr("No: go on") : lastOne ? TreeWords::tr("Perhaps") : TreeWords::tr("Perhaps: go on");
}

}  // namespace

QString hostLack(const Plan& plan)
{
    const Fit& fit = *plan.fit;
    if (fit.verdict == Fit::Verdict::Yes || fit.least > fit.usable)
        return {};
    const auto built = std::find_if(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& finding) { return finding.rule == "plan.init_host"; });
    if (built != plan.findings.end())
        return TreeWords::tr("%1 of host memory to build it, of %2").arg(QString::fromStdString(built->args[0]), QString::fromStdString(built->args[1]));
    if (fit.hostUsable > 0 && hostProbability(fit.hostNeed, fit.hostUsable) < kSurely)
        return TreeWords::tr("%1 of host memory, of %2").arg(bytes(fit.hostNeed).text(), bytes(fit.hostUsable).text());
    return {};
}

namespace {

TreeStep stepOf(const PlanSet& plan, std::size_t i, int chosen, int end)
{
    const PlanVariant& variant = plan.variants[i];
    TreeStep step;
    step.question = variantQuestion(variant.id, plan.workspace && onGpus(*plan.workspace));
    step.title = variantName(variant.id);
    step.passed = static_cast<int>(i) < end;
    step.isAnswer = static_cast<int>(i) == end;
    const LedgerRole* role = variant.plan ? fullestRole(*variant.plan) : nullptr;
    if (!role || !variant.plan->fit) {
        step.mark = TreeStep::Mark::Unknown;
        step.state = variant.refused ? TreeWords::tr("not possible") : TreeWords::tr("unknown");
        step.answer = variant.refused ? findingText(*variant.refused) : QString();
        return step;
    }
    const Fit& fit = *variant.plan->fit;
    const std::int64_t peak = peakBytes(*variant.plan);
    const std::int64_t states = modelStateBytes(*role) + peak - role->peak.process;   // those that a CPU "offloads" to itself are states
    const bool fits = fit.verdict == Fit::Verdict::Yes;
    const ByteUnit unit = byteUnitFor(peak);
    step.numbers = fit.statesOnly ? TreeWords::tr("%1 + unknown of %2").arg(bytes(states).text(), bytes(fit.usable).text())
                                  : TreeWords::tr("%1 + %2 = %3 of %4").arg(bytesValue(states, unit), bytesValue(peak - states, unit), bytes(peak).text(), bytes(fit.usable).text());
    if (!fit.statesOnly)
        step.shortNumbers = TreeWords::tr("%1 of %2").arg(bytes(peak).text(), bytes(fit.usable).text());
    const bool isChosen = static_cast<int>(i) == chosen;
    step.mark = isChosen ? TreeStep::Mark::Chosen : fits ? TreeStep::Mark::Open : fit.verdict == Fit::Verdict::No ? TreeStep::Mark::Rejected : TreeStep::Mark::Unknown;
    step.tone = fits ? TreeStep::Tone::Good : fit.verdict == Fit::Verdict::No ? TreeStep::Tone::Bad : TreeStep::Tone::Doubtful;
    step.state = isChosen && step.tone == TreeStep::Tone::Doubtful ? (fit.statesOnly ? TreeWords::tr("chosen, unsure") : TreeWords::tr("chosen, %1").arg(fitOdds(fit))) : isChosen ? TreeWords::tr("chosen") : fits ? TreeWords::tr("possible") : fit.verdict == Fit::Verdict::No ? TreeWords::tr("rejected") : fit.statesOnly ? TreeWords::tr("unsure") : TreeWords::tr("unsure, %1").arg(fitOdds(fit));
    if (step.isAnswer && !isChosen)
        step.state = fits ? (firstFitting(plan) == end ? TreeWords::tr("first that fits") : TreeWords::tr("best that fits")) : fit.statesOnly ? TreeWords::tr("likeliest") : TreeWords::tr("likeliest, %1").arg(fitOdds(fit));
    if (end < 0)
        step.passed = fit.verdict == Fit::Verdict::No;
    step.answer = answerOf(plan, fit, static_cast<int>(i), end, isChosen);
    if (variant.relief && step.isAnswer)
        step.answer = (!reliefIsSure(plan) ? TreeWords::tr("Perhaps, %1") : othersFit(plan) ? TreeWords::tr("Yes, %1") : TreeWords::tr("Only %1")).arg(reliefWords(*variant.relief));
    // Where it is the hosts that have too little, what the walk does with it is plain to see, and why is not.
    if (const QString lack = hostLack(*variant.plan); !lack.isEmpty())
        step.answer = variant.relief && step.isAnswer ? clauseText({step.answer, lack}) : (fit.verdict == Fit::Verdict::No ? TreeWords::tr("No: %1") : TreeWords::tr("Perhaps: %1")).arg(lack);
    // What keeps it from running need not be memory.
    const auto& found = variant.plan->findings;
    if (fit.verdict == Fit::Verdict::No && peak <= fit.usable && std::any_of(found.begin(), found.end(), [](const PlanFinding& finding) { return finding.rule == "plan.swap" && finding.severity == "error"; }))
        step.answer = TreeWords::tr("No: its files cannot be written");
    // Of a branch that does not run only what it lacks matters; by how much one that may run is over stands in its numbers.
    const bool rejected = fit.verdict == Fit::Verdict::No;
    if (peak > fit.usable && (rejected || isChosen || chosen < 0))
        step.detail = TreeWords::tr("short by %1").arg(bytes(peak - fit.usable).text());
    else if ((isChosen || chosen < 0) && fillsDevice(peak, fit))
        step.detail = TreeWords::tr("%1 at the least").arg(bytes(fit.least).text());
    else if (isChosen || chosen < 0)
        step.detail = (fit.statesOnly ? TreeWords::tr("%1 for the rest") : TreeWords::tr("%1 free")).arg(bytes(fit.usable - peak).text());
    else if (const LedgerRole* now = plan.plan ? fullestRole(*plan.plan) : nullptr)
        step.detail = bytesDelta(peak - std::max(now->peak.process, peakBytes(*plan.plan)));
    const StepForecast* time = forecastOf(variant.plan);
    const StepForecast* timeNow = forecastOf(plan.plan);
    if (!isChosen && !rejected && time && timeNow && timeNow->stepTime > 0)
        step.detail = clauseText({step.detail, TreeWords::tr("%1 time").arg(signedPercent(time->stepTime / timeNow->stepTime - 1))});
    // Beside the answer, where there is room for a path.
    if (const QString folder = folderNeeded(variant); !isChosen && !folder.isEmpty())
        step.answer = clauseText({step.answer, TreeWords::tr("files in %1").arg(folder)});
    return step;
}

// Where experts are divided: over how many ranks they are here.
QString tensorTitle(const PlanSet& plan, const ScoredLayout& tensor)
{
    return plan.now && plan.now->ep > 1 ? TreeWords::tr("Stage 1 + tp %1, ep %2").arg(tensor.tp).arg(tensor.ep) : TreeWords::tr("Stage 1 + tp %1").arg(tensor.tp);
}

// Stage 3 over all ranks gives each of them samples of its own: a batch that does not divide over them is no job for it.
void addNoComparison(const PlanSet& plan, DecisionTree& tree)
{
    if (!plan.now || (plan.workspace->framework.name != "stagecraft" && plan.workspace->framework.name != "deepspeed"))
        return;
    const std::int64_t samples = plan.now->microBatch * plan.now->accumulation * plan.now->dp;
    const std::int64_t ranks = plan.now->dp * plan.now->tp * plan.now->pp * plan.now->cp;
    if (ranks <= 1 || samples % ranks == 0)
        return;
    const ScoredLayout& tensor = *plan.advice->tensorZero1;
    TreeStep step;
    step.question = TreeWords::tr("Tensor parallel instead of stage 3?");
    step.title = tensorTitle(plan, tensor);
    step.numbers = TreeWords::tr("stage 3 none, tp %1 %2").arg(QString::number(tensor.tp), seconds(tensor.stepTime).text());
    step.answer = TreeWords::tr("Stage 3: %1 samples for %2 ranks").arg(count(samples), count(ranks));
    step.mark = tensor.mayFit ? TreeStep::Mark::Open : TreeStep::Mark::Rejected;
    step.state = plan.workspace->framework.name == "stagecraft" ? TreeWords::tr("with DeepSpeed") : tensor.mayFit ? TreeWords::tr("possible") : TreeWords::tr("rejected");
    step.detail = TreeWords::tr("needs %1").arg(bytes(tensor.memory).text());
    tree.steps.push_back(std::move(step));
    tree.choices.push_back({plan.workspace->framework.name == "stagecraft" ? std::vector<WorkspaceEdit>() : layoutEdits(*plan.workspace, tensor), stepName([tensor] { return TreeWords::tr("Layout: %1").arg(layoutName(tensor)); }), -1});
}

// One tutorial's question, with both costs: shards of everything, or shards of each layer with a sharded optimizer.
void addComparison(const PlanSet& plan, DecisionTree& tree)
{
    if (!plan.advice || !plan.advice->tensorZero1 || !plan.workspace)
        return;
    if (!plan.advice->zero3)
        return addNoComparison(plan, tree);
    const ScoredLayout& shards = *plan.advice->zero3;
    const ScoredLayout& tensor = *plan.advice->tensorZero1;
    const bool ours = plan.workspace->framework.name == "stagecraft";
    if (!ours && plan.workspace->framework.name != "deepspeed")
        return;
    const LayoutSection& now = plan.workspace->layout;
    const bool chosen = !ours && now.tp == tensor.tp && now.ep == tensor.ep && now.pp == 1 && now.cp == 1 && plan.settings && plan.settings->stage == 1;
    TreeStep step;
    step.question = TreeWords::tr("Tensor parallel instead of stage 3?");
    step.title = tensorTitle(plan, tensor);
    step.numbers = TreeWords::tr("stage 3 %1, tp %2 %3").arg(seconds(shards.stepTime).text(), QString::number(tensor.tp), seconds(tensor.stepTime).text());
    const FamilyVerdict verdict = judgeFamilies(shards, tensor);
    switch (verdict.by) {
    case FamilyVerdict::By::SureFit:
        // The other one may fit all the same.
        if (shards.mayFit && tensor.mayFit)
            step.answer = verdict.tensorWins ? TreeWords::tr("Yes: only this surely fits") : TreeWords::tr("No: only stage 3 surely fits");
        else
            step.answer = verdict.tensorWins ? TreeWords::tr("Yes: only this fits") : TreeWords::tr("No: only stage 3 fits");
        break;
    case FamilyVerdict::By::PossibleFit: step.answer = verdict.tensorWins ? TreeWords::tr("Yes: only this may fit") : TreeWords::tr("No: only stage 3 may fit"); break;
    case FamilyVerdict::By::Likelier: step.answer = verdict.tensorWins ? TreeWords::tr("Yes: likelier to fit") : TreeWords::tr("No: stage 3 is likelier to fit"); break;
    case FamilyVerdict::By::Neither: step.answer = TreeWords::tr("No: neither fits"); break;
    case FamilyVerdict::By::Time:
        step.answer = verdict.tensorWins ? TreeWords::tr("Yes: %1 faster").arg(percent(shards.stepTime / tensor.stepTime - 1)) : TreeWords::tr("No: stage 3 is %1 faster").arg(percent(tensor.stepTime / shards.stepTime - 1));
        break;
    }
    step.mark = chosen ? TreeStep::Mark::Chosen : !tensor.mayFit ? TreeStep::Mark::Rejected : TreeStep::Mark::Open;
    step.state = ours ? TreeWords::tr("with DeepSpeed") : chosen ? TreeWords::tr("chosen") : tensor.mayFit ? TreeWords::tr("possible") : TreeWords::tr("rejected");
    step.detail = TreeWords::tr("%1 against %2").arg(bytes(tensor.memory).text(), bytes(shards.memory).text());
    tree.steps.push_back(std::move(step));
    tree.choices.push_back({ours || chosen ? std::vector<WorkspaceEdit>() : layoutEdits(*plan.workspace, tensor), stepName([tensor] { return TreeWords::tr("Layout: %1").arg(layoutName(tensor)); }), -1});
}

}  // namespace

QString folderNeeded(const PlanVariant& variant)
{
    for (const WorkspaceEdit& edit : variant.edits)
        if (edit.pointer.ends_with("/nvme_path"))
            if (const auto path = JsonDocument::parse(edit.json); path.hasValue())
                return QString::fromStdString(path->stringValue(path->root()));
    return {};
}

std::int64_t modelStateBytes(const LedgerRole& role)
{
    std::int64_t sum = 0;
    for (const LedgerItem& item : role.items)
        if (item.where == Place::Device && isModelState(item.what))
            sum += item.bytes;
    return sum;
}

int chosenVariant(const PlanSet& plan)
{
    for (std::size_t i = 0; i < plan.variants.size(); ++i)
        if (plan.variants[i].chosen)
            return static_cast<int>(i);
    return -1;
}

int firstFitting(const PlanSet& plan)
{
    for (std::size_t i = 0; i < plan.variants.size(); ++i)
        if (surelyFits(plan.variants[i]) && (!plan.variants[i].relief || plan.variants[i].chosen))
            return static_cast<int>(i);
    return -1;
}

int treeAnswer(const PlanSet& plan)
{
    const int first = firstFitting(plan);
    const auto mayFit = [](const PlanVariant& v) { return v.plan && v.plan->ledger && v.plan->fit && v.plan->fit->verdict != Fit::Verdict::No; };
    // The advice walks the same branches where it plans the same framework in the same precision.
    const auto& advice = plan.advice;
    if (advice && advice->chosen && plan.workspace && advice->framework == plan.workspace->framework.name && advice->precision.empty() && advice->options.size() == plan.variants.size())
        if (const PlanVariant& told = plan.variants[*advice->chosen]; told.relief || (first < 0 ? mayFit(told) : surelyFits(told)))
            return static_cast<int>(*advice->chosen);
    if (first >= 0)
        return first;
    int likeliest = -1;
    for (std::size_t i = 0; i < plan.variants.size(); ++i)
        if (mayFit(plan.variants[i]) && (likeliest < 0 || plan.variants[i].plan->fit->probability > plan.variants[static_cast<std::size_t>(likeliest)].plan->fit->probability + 0.005))
            likeliest = static_cast<int>(i);
    return likeliest;
}

DecisionTree decisionTree(const PlanSet& plan)
{
    DecisionTree tree;
    const int chosen = chosenVariant(plan);
    const bool anyLedger = std::any_of(plan.variants.begin(), plan.variants.end(), [](const PlanVariant& v) { return v.plan && v.plan->ledger && v.plan->fit; });
    if (!anyLedger)
        return tree;
    const int end = treeAnswer(plan);
    const auto from = chosen < 0 ? std::nullopt : std::optional(plan.variants[static_cast<std::size_t>(chosen)].id);
    for (std::size_t i = 0; i < plan.variants.size(); ++i) {
        const PlanVariant& variant = plan.variants[i];
        tree.steps.push_back(stepOf(plan, i, chosen, end));
        const bool possible = variant.plan && variant.plan->ledger && variant.plan->fit;
        const bool offered = possible && (!variant.chosen || variant.relief);
        const auto name = [from, to = variant.id, relief = variant.relief, stays = variant.chosen] {
            const QString change = stays ? variantName(to) : choiceName(from, to);
            return relief ? clauseText({change, reliefWords(*relief)}) : change;
        };
        tree.choices.push_back({offered ? variant.edits : std::vector<WorkspaceEdit>(), stepName(name), static_cast<int>(i)});
    }
    addComparison(plan, tree);
    return tree;
}

std::vector<RuleSentence> rulesOfThumb(const PlanSet& plan)
{
    std::vector<RuleSentence> sentences;
    if (!plan.advice)
        return sentences;
    const int end = treeAnswer(plan);
    // The rules by size speak of ZeRO stages: Megatron and FSDP2 have none.
    const bool zero = plan.workspace && plan.workspace->framework.name != "megatron" && plan.workspace->framework.name != "fsdp2";
    for (const RuleOfThumb& rule : plan.advice->rulesOfThumb) {
        RuleSentence s;
        const auto isSize = [&](const char* id, const QString& words, std::initializer_list<PlanVariant::Id> good) {
            if (rule.id != id || !zero)
                return;
            s.rule = words;
            if (end < 0) {
                const bool judged = std::any_of(plan.variants.begin(), plan.variants.end(), [](const PlanVariant& v) { return v.plan && v.plan->ledger && v.plan->fit; });
                s.here = judged ? TreeWords::tr("Here no stage fits, with offload or without.") : TreeWords::tr("Here no stage runs, so that none was judged.");
                s.agrees = false;
                return;
            }
            const PlanVariant& answer = plan.variants[static_cast<std::size_t>(end)];
            const PlanVariant::Id found = answer.id;
            s.agrees = std::find(good.begin(), good.end(), found) != good.end();
            if (answer.relief) {
                s.agrees = false;
                s.here = (!reliefIsSure(plan) ? TreeWords::tr("Here %1 may fit, but only %2.") : othersFit(plan) ? TreeWords::tr("Here %1 fits %2, and no branch that fits is faster.") : TreeWords::tr("Here %1 fits, but only %2.")).arg(variantName(found), reliefWords(*answer.relief));
                return;
            }
            if (!surelyFits(answer)) {
                s.here = TreeWords::tr("Here none is sure to fit; %1 is the likeliest.").arg(variantName(found));
                return;
            }
            s.here = firstFitting(plan) != end ? TreeWords::tr("Here %1 is the best that fits.").arg(variantName(found))
                : s.agrees ? TreeWords::tr("Here too: %1 is the first that fits.").arg(variantName(found)) : TreeWords::tr("Here %1 is the first that fits.").arg(variantName(found));
        };
        using Id = PlanVariant::Id;
        isSize("below_3b", TreeWords::tr("Rule of thumb: below 3 B parameters, stage 1 or plain data parallelism."), {Id::Stage0, Id::Stage1, Id::Replicated, Id::Distributed});
        isSize("3_to_13b", TreeWords::tr("Rule of thumb: 3 to 13 B parameters, stage 2."), {Id::Stage2});
        isSize("13_to_70b", TreeWords::tr("Rule of thumb: 13 to 70 B parameters, stage 3."), {Id::Stage3, Id::Sharded});
        isSize("above_70b", TreeWords::tr("Rule of thumb: above 70 B parameters, stage 3 with offload."), {Id::Stage3CpuOptimizer, Id::Stage3Cpu, Id::Stage3NvmeOptimizer, Id::Stage3Nvme, Id::ShardedOffload, Id::ShardedOffloadRecompute});
        // Of the job as it runs: another framework's arguments say it in their own words.
        const std::int64_t tensor = plan.job ? plan.job->tp : plan.workspace ? plan.workspace->layout.tp : 1;
        const std::int64_t stages = plan.job ? plan.job->pp : plan.workspace ? plan.workspace->layout.pp : 1;
        const std::int64_t parts = plan.job ? plan.job->microBatches : plan.settings ? plan.settings->accumulation : 1;
        if (rule.id == "tensor_in_node" && plan.workspace) {
            s.rule = TreeWords::tr("Rule of thumb: tensor-parallel ranks stay inside a node.");
            s.agrees = tensor <= plan.workspace->hardware.devicesPerNode;
            s.here = TreeWords::tr("Here tp %1 on nodes of %2.").arg(tensor).arg(plan.workspace->hardware.devicesPerNode);
        } else if (rule.id == "bubble") {
            const std::int64_t chunks = plan.job ? plan.job->chunks : 1;
            const double m = static_cast<double>(parts * chunks), p = static_cast<double>(stages);
            s.rule = TreeWords::tr("Rule of thumb: four micro-batches or more per pipeline stage.");
            s.agrees = static_cast<double>(parts) >= 4 * p;
            s.here = (chunks > 1 ? TreeWords::tr("Here %1 for %2 stages of %4 chunks: %3 of an interleaved 1F1B step is bubble.").arg(count(parts)).arg(stages).arg(percent((p - 1) / (m + p - 1))).arg(chunks)
                                 : TreeWords::tr("Here %1 for %2 stages: %3 of a 1F1B step is bubble.").arg(count(parts)).arg(stages).arg(percent((p - 1) / (m + p - 1))));
        }
        if (!s.rule.isEmpty())
            sentences.push_back(std::move(s));
    }
    return sentences;
}

}  // namespace stagecraft::app
