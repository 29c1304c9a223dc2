// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/advisor.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/advised_workspace.h"
#include "planner/applied_layout.h"
#include "planner/autotp_plans.h"
#include "planner/deepspeed_conditions.h"
#include "planner/behaviour.h"
#include "planner/findings.h"
#include "planner/fit.h"
#include "planner/framework_branches.h"
#include "planner/init_phase.h"
#include "planner/layout_edits.h"
#include "planner/planned_branch.h"
#include "planner/shared_plans.h"
#include "planner/stage_options.h"
#include "planner/step_time.h"
#include "planner/swap_folders.h"
#include "planner/tree_end.h"
#include "planner/workspace_model.h"
#include "planner/workspace_search.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

namespace stagecraft {

namespace {

std::string frameworkTitle(const std::string& name)
{
    return name == "stagecraft" ? "Stagecraft" : name == "fsdp2" ? "FSDP2" : name == "megatron" ? "Megatron-LM" : name == "deepspeed" ? "DeepSpeed" : name;
}

const char* frameworkWord(Framework framework)
{
    return framework == Framework::Fsdp2 ? "fsdp2" : framework == Framework::Megatron ? "megatron" : "deepspeed";
}

Workspace withoutOffload(Workspace w)
{
    if (!w.dsConfig.is_object() || !w.dsConfig.contains("zero_optimization") || !w.dsConfig["zero_optimization"].is_object()) return w;
    for (const char* key : {"offload_optimizer", "offload_param", "cpu_offload", "cpu_offload_param"}) w.dsConfig["zero_optimization"].erase(key);
    return w;
}

constexpr double kSpareOfStates = 0.9;  // a tenth of the device for context, buffers and activations that nobody has told

ScoredLayout layoutOf(const TrainingCase& job, const StageOption& o)
{
    ScoredLayout point;
    point.dp = job.dp;
    point.tp = job.tp;
    point.pp = job.pp;
    point.cp = job.cp;
    point.ep = job.ep;
    point.policy = job.policy;
    point.microBatch = job.microBatch;
    point.accumulation = job.microBatches;
    point.embeddingPlace = job.embeddingPlace;
    point.lossPlace = job.lossPlace;
    point.stage = o.stage;
    point.offloadOptimizer = o.offloadOptimizer;
    point.offloadParam = o.offloadParam;
    return point;
}

// @param job   of `deepspeed`, the workspace in DeepSpeed's words
// @param most  bytes that were asked for as the limit, whatever the probability
void compareFamilies(const TrainingCase& job, const Workspace& deepspeed, SharedPlans& plans, std::int64_t whole, std::int64_t most, Advice& advice)
{
    const std::int64_t ranks = job.ranks();
    const std::int64_t samples = job.microBatch * job.microBatches * job.dp;
    const auto scoreWith = [&](std::int64_t tp, int stage, std::int64_t ep) -> std::optional<ScoredLayout> {
        const std::int64_t dp = ranks / tp;
        if (tp < 1 || ranks % tp != 0 || job.model.heads % tp != 0 || samples % dp != 0) return std::nullopt;
        ScoredLayout p;
        p.dp = dp;
        p.tp = tp;
        p.ep = ep;
        p.stage = stage;
        p.policy = job.policy;
        p.microBatch = std::max<std::int64_t>(1, std::min(job.microBatch, samples / dp));
        while (samples / dp % p.microBatch != 0) --p.microBatch;
        p.accumulation = samples / dp / p.microBatch;
        PlanFinding refusal;
        const auto plan = planBranch(withAppliedLayout(deepspeed, p), plans, refusal);
        if (!plan || !plan->time) return std::nullopt;
        p.memory = plan->peak;
        p.hostBytesPerNode = plan->host;
        p.stepTime = plan->time->stepTime;
        p.tokensPerSecond = plan->time->tokensPerSecond;
        p.mfu = plan->time->mfu;
        p.probability = plan->probability.value_or(probabilityWithin(p.memory, whole, peakSigma("deepspeed")));
        judgeLayout(p, most);
        return p;
    };
    // Experts stay divided as they are, as far as the ranks of each side allow.
    const auto score = [&](std::int64_t tp, int stage) {
        const std::int64_t ep = std::gcd(job.ep, ranks / tp);
        const auto kept = scoreWith(tp, stage, ep);
        return kept || ep == 1 ? kept : scoreWith(tp, stage, 1);
    };
    advice.zero3 = score(1, 3);
    if (job.autoTpRefused) return;
    // Of all groups that stay in a node the best, as a search ranks them.
    const auto better = [](const ScoredLayout& a, const ScoredLayout& b) {
        if (a.fits != b.fits) return a.fits;
        if (a.mayFit != b.mayFit) return a.mayFit;
        return a.mayFit ? a.stepTime < b.stepTime : a.memory < b.memory;
    };
    for (std::int64_t tp = 2; tp <= std::min({job.devicesPerNode, ranks, std::int64_t{4096}}); ++tp) {
        const auto point = job.devicesPerNode % tp == 0 ? score(tp, 1) : std::nullopt;
        if (point && (!advice.tensorZero1 || better(*point, *advice.tensorZero1))) advice.tensorZero1 = point;
    }
}

// Whether the model on Megatron's command line has no words in a workspace.
bool modelStays(const Workspace& w)
{
    const auto lost = changeBehaviour(w, "deepspeed").lost;
    return std::any_of(lost.begin(), lost.end(), [](const NotCarried& one) { return one.what == NotCarried::What::Model; });
}

// The model that Megatron's command line describes.
CountedModel describedModel(const Workspace& w)
{
    std::vector<PlanFinding> unread;
    CountedModel model;
    const auto job = readTrainingCase(w, std::nullopt, readDsSettings(w, 0, unread), unread);
    if (!job) return model;
    model.shape = job->model;
    model.params = model.trainable = model.active = job->model.params;
    return model;
}

// What ranks first, where no branch of the tree runs or fits: another layout, or the job's own with something else changed.
void tellOtherLayouts(Advice& advice)
{
    const SearchResult& layouts = advice.layouts;
    if (layouts.fitting + layouts.mayFit == 0 || layouts.best.empty()) return;
    const ScoredLayout& first = layouts.best.front();
    const auto sizes = [](const ScoredLayout& l) { return std::array{l.dp, l.tp, l.pp, l.cp, l.ep}; };
    std::vector<std::string> words{frameworkTitle(advice.layoutsFramework)};
    if (!advice.now || sizes(*advice.now) != sizes(first)) {
        for (const std::int64_t size : sizes(first)) words.push_back(std::to_string(size));
        advice.findings.push_back(makeFinding("advise.layouts_fit", "info", "/layout", "Other layouts fit: the first of them, as {} runs it, has dp {}, tp {}, pp {}, cp {} and ep {}", words));
        return;
    }
    const bool deepspeed = advice.layoutsFramework == "deepspeed";
    if (deepspeed) words.insert(words.end(), {std::to_string(first.stage), deviceWord(first.offloadOptimizer), deviceWord(first.offloadParam)});
    words.insert(words.end(), {recomputeWord(first.policy), std::to_string(first.microBatch), std::to_string(first.accumulation)});
    if (deepspeed) advice.findings.push_back(makeFinding("advise.layouts_fit.states", "info", "/layout", "The same layout fits as {} runs it with ZeRO stage {}, offload_optimizer {}, offload_param {}, recompute {} and a micro-batch of {}, {} of them a step", words));
    else advice.findings.push_back(makeFinding("advise.layouts_fit.same", "info", "/layout", "The same layout fits as {} runs it with recompute {} and a micro-batch of {}, {} of them a step", words));
}

// A tree that is another framework's says nothing of whether the workspace's own runs the job: what a plan refuses is told here too,
// with what that framework does run.
void tellOwnRefusal(Advice& advice, const Workspace& w, const PlanContext& context, const Result<Plan>& own, const SearchLimits& limits, const std::stop_token& stop)
{
    if (!own.hasValue() || own->ledger) return;
    const auto refused = std::find_if(own->findings.begin(), own->findings.end(), [](const PlanFinding& f) { return f.rule == "plan.engine_layout"; });
    if (refused == own->findings.end()) return;
    advice.findings.insert(advice.findings.begin(), *refused);
    std::vector<PlanFinding> told;
    const auto search = searchOfWorkspace(w, limits, context, told);
    const SearchResult runs = search ? searchLayouts(search->base, search->limits, stop) : SearchResult();
    if (runs.best.empty() || !runs.best.front().mayFit) return;
    const ScoredLayout& first = runs.best.front();
    advice.findings.insert(advice.findings.begin() + 1, makeFinding("advise.own_layout", "info", "/layout", "{} runs this model with dp {}, ZeRO stage {}, recompute {} and a micro-batch of {}, {} of them a step: {} of {}, {} s a step",
                                                                    {frameworkTitle(w.framework.name), std::to_string(first.dp), std::to_string(first.stage), first.policy == ActivationPolicy::Full ? "full" : "none", std::to_string(first.microBatch), std::to_string(first.accumulation), formatBytes(first.memory), formatBytes(advice.usable), fmt::format("{:.4g}", first.stepTime)}));
}

// That no branch of the tree fits is an error of the workspace only where the tree is its own framework's and no other layout fits either.
void tellNothingFits(Advice& advice, bool carried, std::int64_t ranks)
{
    const SearchResult& layouts = advice.layouts;
    const bool others = layouts.fitting + layouts.mayFit > 0;
    const std::vector<std::string> words{std::to_string(ranks), formatBytes(advice.usable), frameworkTitle(advice.framework)};
    const bool own = advice.framework == "megatron" || advice.framework == "fsdp2";
    if (own) advice.findings.push_back(makeFinding("advise.nothing_fits.branch", others ? "warning" : "error", "/layout", "No branch of the tree fits {} data-parallel ranks with {} each, as {} shards; use another layout, a smaller micro-batch or more devices", words));
    else advice.findings.push_back(makeFinding("advise.nothing_fits", carried || others ? "warning" : "error", "/hardware", "No stage and no offload fits {} data-parallel ranks with {} each, as {} shards; use more devices, a smaller micro-batch or recomputation", words));
    tellOtherLayouts(advice);
}

}  // namespace

Result<Advice> advise(const Workspace& w, const PlanContext& context, const std::stop_token& stop, AdviceDepth depth, const LayoutSearch& search)
{
    SharedPlans plans(context);
    return advise(w, plans, stop, depth, search);
}

Result<Advice> advise(const Workspace& w, SharedPlans& plans, const std::stop_token& stop, AdviceDepth depth, const LayoutSearch& search)
{
    const PlanContext& context = plans.context();
    if (machineIsMeant(w, context)) return advise(onThisMachine(w, context), plans, stop, depth, search);
    if (const auto divided = configLayout(w)) {
        Workspace as = w;
        as.layout = divided->layout;
        return advise(as, plans, stop, depth, search);
    }
    Advice advice;
    const DeviceSheet* device = findDevice(w.hardware.device);
    if (!device) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot advise for the device \"{}\": it has no data sheet; use the id of one, such as H100-SXM-80GB", w.hardware.device), {{"pointer", "/hardware/device"}}};
    }
    advice.usable = device->usableBytes;
    if (device->id == "cpu") advice.usable = hostMemoryOf(w, context).value_or(std::int64_t{16} << 30) / std::max(1, w.hardware.devicesPerNode);
    const std::int64_t whole = advice.usable;
    if (search.shareGiven) advice.usable = static_cast<std::int64_t>(static_cast<double>(whole) * std::clamp(search.limits.memoryShare, 0.0, 1.0));

    // Only a share that was asked for is a limit of its own: without one a plan's "unsure" is an "unsure" here.
    const std::int64_t most = advice.usable < whole ? advice.usable : std::numeric_limits<std::int64_t>::max();

    if (!layoutIsPossible(w, advice.findings)) return Error{ErrorCode::InvalidInput, advice.findings.back().message, {{"pointer", advice.findings.back().pointer}}};
    // Of a model on Megatron's command line DeepSpeed's tree has what the workspace can say of it.
    const bool described = modelIsInArguments(w);
    CountedModel model = countWorkspaceModel(described ? recast(w, {"deepspeed"}) : w, advice.findings);
    const bool stays = described && modelStays(w);
    if (stays) model = describedModel(w);
    advice.params = model.params;
    if (!model.params) return Error{ErrorCode::InvalidInput, "Cannot advise: the parameters of this model are not known; " + (advice.findings.empty() ? std::string("name a known family") : advice.findings.front().message), {{"pointer", "/model"}}};

    const std::int64_t hidden = model.shape ? model.shape->hidden : 0;
    DsSettings settings = readDsSettings(w, hidden, advice.findings);
    // Whose tree: our engine's only where it runs this workspace as it stands.
    const bool runsHere = w.framework.name == "stagecraft" && model.shape && [&] {
        const auto made = plans.of(withoutOffload(w));
        return made->hasValue() && (*made)->ledger && !(*made)->ledger->empty();
    }();
    // And the frameworks' own, which divide by no stage of a ds_config; what they do not train DeepSpeed may.
    std::vector<PlanFinding> unasked;
    const std::vector<FrameworkBranch> branches = adapterIsPlanned(w, unasked) ? frameworkBranches(w) : std::vector<FrameworkBranch>();
    const bool own = !branches.empty();
    advice.framework = runsHere ? "stagecraft" : own ? w.framework.name : "deepspeed";
    if (w.framework.name != advice.framework) advice.findings.push_back(makeFinding("advise.as_deepspeed", "info", "/framework", "The tree is walked as DeepSpeed shards, not as {} does", {frameworkTitle(w.framework.name)}));
    // Nobody trains such models in fp32: unless the ds_config speaks of a precision, DeepSpeed's tree is walked in bf16.
    if (!runsHere && settings.precision == Precision::Fp32 && !namesPrecision(w)) {
        settings.precision = device->peak.contains("bf16") ? Precision::Bf16 : Precision::Fp16;
        advice.precision = settings.precision == Precision::Bf16 ? "bf16" : "fp16";
        advice.findings.push_back(own ? makeFinding("advise.precision.layouts", "info", "/dsConfig", "No precision is set: the tree is walked as {} trains then, layouts are ranked for mixed precision", {frameworkTitle(w.framework.name)})
                                      : makeFinding("advise.precision", "info", "/dsConfig", "No precision is set: the tree is walked for mixed precision"));
    }
    std::optional<TrainingCase> job, ranked;   // what the layouts are ranked of: the job, or one of the same batch whose layout its model cannot have
    PlanFinding refusal;
    if (model.shape) {
        std::vector<PlanFinding> seen;
        const bool planned = adapterIsPlanned(w, seen);
        Workspace neutral = planned ? w : recast(w, {"deepspeed"});   // the one that plans adapters
        if (neutral.framework.name == "stagecraft") neutral.framework.name = "deepspeed";
        // What it is recast to has the length that the arguments say.
        const auto shape = planned ? model.shape : countWorkspaceModel(neutral, seen).shape;
        job = readTrainingCase(neutral, shape, settings, advice.findings);
        ranked = job ? job : readTrainingCase(neutral, shape, settings, seen, CaseUse::Search);
        if (!job && ranked && ranked->ranks() > std::int64_t{w.hardware.nodes} * w.hardware.devicesPerNode) ranked.reset();   // runs nowhere either
        if (job) advice.now = layoutOf(*job, {});
        if (job && job->model.seq != model.shape->seq) advice.seq = model.shape->seq = job->model.seq;
    }
    if (stays && !own) refusal = makeFinding("advise.model_stays", "warning", "/framework/arguments", "Only Megatron-LM's command line can describe this model: there is no tree of it as DeepSpeed shards; give it under model for one");
    // What cannot be read as it stands is no job under another framework either.
    for (const PlanFinding& finding : advice.findings)
        if (model.shape && !job && finding.severity == "error") refusal = finding;

    const Workspace deepspeed = recast(w, {"deepspeed", advice.precision, advice.seq});
    const bool carried = w.framework.name != advice.framework;   // the batch stood in the other framework's own words
    const Workspace& target = runsHere || own ? w : deepspeed;
    std::vector<PlanFinding> unread;
    DsSettings zero = runsHere ? settings : readDsSettings(deepspeed, hidden, unread);
    const auto written = w.framework.name == "deepspeed" ? std::nullopt : advice.now;
    const auto tree = readTrainingCase(withEdits(deepspeed, branchEdits(deepspeed, written, 0, OffloadDevice::None, OffloadDevice::None)), model.planned(), zero, unread);
    if (tree && !stays) zero.stateBytes = tree->settings.stateBytes;   // Muon's depend on the model
    // The other frameworks' arguments may have sizes of their own; a case has them.
    LayoutSection l = target.layout;
    if (advice.now && (carried || own)) {
        l.dp = static_cast<int>(advice.now->dp);
        l.tp = static_cast<int>(advice.now->tp);
        l.pp = static_cast<int>(advice.now->pp);
        l.cp = static_cast<int>(advice.now->cp);
        l.ep = static_cast<int>(advice.now->ep);
    }
    const std::int64_t ranks = std::int64_t{l.dp} * l.cp;
    const Weighed weighed = weigh(model, zero, l);
    const auto host = hostMemoryOf(w, context);
    bool reached = true, runsAny = false;
    DsSettings unsharded = zero;
    unsharded.stage = 0;
    const bool dividesAtZero = !runsHere && statesDividedFrom(unsharded, l.pp) > 0;
    std::vector<StageOption> asked;
    for (const FrameworkBranch& branch : branches) asked.push_back(optionOf(branch));
    if (!own)
        for (const StageChoice& choice : kStageChoices) asked.push_back(optionOf(choice, zero, weighed, ranks, advice.usable, dividesAtZero));
    const auto consider = [&](StageOption& o) {
        AlsoTold also;
        if (!search.limits.offload && (o.offloadOptimizer != OffloadDevice::None || o.offloadParam != OffloadDevice::None)) {
            o.refused = true;
            o.message = "offload is left out, as asked";
        } else if ((stays && !own) || (model.shape && !job)) {
            o.refused = true;
            o.message = refusal.message;
        } else {
            const Workspace as = own ? withEdits(w, o.edits) : runsHere ? withLayout(w, layoutOf(*job, o)) : withEdits(target, branchEdits(target, carried ? advice.now : std::nullopt, o.stage, o.offloadOptimizer, o.offloadParam));
            also = planOption(o, o.relief ? withEdits(as, o.relief->edits) : as, plans, whole, refusal);
            runsAny = runsAny || !o.refused;
        }
        if (own) weighStates(o, weighed, advice.usable);
        const std::int64_t need = o.peakBytes.value_or(o.stateBytes);
        // Without the model's sizes the states are the least that it takes, and exact.
        const bool allowed = !o.refused && (job || o.statesFit) && need <= most;
        o.fits = allowed && verdictOf(o.probability) == Fit::Verdict::Yes;
        o.mayFit = allowed && verdictOf(o.probability) != Fit::Verdict::No;
        // Without the model's sizes this is no more than its states.
        const std::string takes = !o.mayFit ? "needs" : !job ? "may fit: its model states alone take" : !o.fits ? fitPhrase(o.fits, o.mayFit, o.probability) + ": takes" : o.peakBytes ? "takes" : "its model states alone take";
        if (!o.refused) o.message = fmt::format("{} {} of {}", takes, formatBytes(need), formatBytes(advice.usable));
        if (!o.refused && o.hostBytesPerNode > 0) o.message += fmt::format(" and {} of host memory per node{}", formatBytes(o.hostBytesPerNode), host ? fmt::format(" of {}", formatBytes(*host)) : "");
        if (!o.refused && o.fileBytesPerNode > 0) o.message += fmt::format(" and {} of files per node", formatBytes(o.fileBytesPerNode));
        if (also.built > 0) o.message += fmt::format("; before the first step every rank builds the whole model on its host: {} per node of {}", formatBytes(also.built), formatBytes(host.value_or(0)));
        if (!also.swapFault.empty()) o.message += "; " + also.swapFault;
        const std::string phrase = o.relief ? reliefPhrase(*o.relief) : std::string();
        if (o.relief) o.message = fmt::format("{}: {}", phrase, o.message);

        TreeNode node;
        node.id = o.id;
        node.option = o.id;
        node.question = fmt::format("{} with {}{}{}?", job ? "Does it fit" : "Do the model states fit", o.name, phrase.empty() ? "" : ", ", phrase);
        node.formula = o.formula;
        node.numbers = fmt::format("{} = {}{}", o.numbers, formatBytes(o.stateBytes), o.peakBytes ? fmt::format(", {} with activations, buffers and context", formatBytes(*o.peakBytes)) : "");
        if (o.formula.empty()) node.numbers.clear();   // nothing was summed of a branch that does not run
        node.value = static_cast<double>(need);
        node.limit = static_cast<double>(advice.usable);
        node.unsure = o.mayFit && !o.fits;
        if (!o.fits) node.rejected = o.message;
        return node;
    };
    for (StageOption& o : asked) {
        TreeNode node = consider(o);
        node.walked = reached;
        node.yes = reached && o.fits;
        if (node.yes) {
            advice.chosen = advice.options.size();
            reached = false;
        }
        advice.tree.push_back(std::move(node));
        advice.options.push_back(std::move(o));
    }
    preferBetter(advice);
    // Nothing surely fits: the one that most probably does. States alone should leave room for what comes on top of them.
    const auto likeliest = [&](double share) {
        if (advice.chosen) return;
        for (std::size_t i = 0; i < advice.options.size(); ++i) {
            const StageOption& o = advice.options[i];
            if (!o.mayFit || static_cast<double>(o.stateBytes) > share * static_cast<double>(advice.usable)) continue;
            // Of those equally likely the first, which sends the least; half of a percent is no difference.
            if (!advice.chosen || o.probability > advice.options[*advice.chosen].probability + 0.005) advice.chosen = i;
        }
    };
    if (!job) likeliest(kSpareOfStates);
    likeliest(std::numeric_limits<double>::max());
    if (job && runsAny && !stop.stop_requested()) preferRelief(advice, reliefsOf(target, *job), consider);
    if (advice.chosen && !advice.options[*advice.chosen].fits) {
        const std::size_t i = *advice.chosen;
        advice.tree[i].yes = true;
        advice.tree[i].rejected.clear();
        // A relief is asked for after all branches as they are.
        for (std::size_t later = i + 1; later < advice.tree.size() && !advice.options[i].relief; ++later) advice.tree[later].walked = false;
        const char* pattern = own ? "No branch of the tree surely fits; {} may, with a probability of {}" : "No stage and no offload surely fits; {} may, with a probability of {}";
        advice.findings.push_back(makeFinding(own ? "advise.may_fit.branch" : "advise.may_fit", "warning", "/hardware", pattern, {advice.options[i].name, fmt::format("{:.2f}", shownProbability(advice.options[i].probability))}));
    }
    if (!advice.chosen && !runsAny && !refusal.message.empty()) {
        // It is not the memory: no branch can be run at all.
        const bool told = std::any_of(advice.findings.begin(), advice.findings.end(), [&](const PlanFinding& finding) { return finding.rule == refusal.rule && finding.message == refusal.message; });
        if (!told) advice.findings.push_back(refusal);
    }
    const bool nothingFits = !advice.chosen && (runsAny || refusal.message.empty());

    const double phi = static_cast<double>(*model.params);
    const char* rule = phi < 3e9 ? "below 3 billion parameters: stage 1 or plain data parallelism" : phi < 13e9 ? "3 to 13 billion parameters: stage 2" : phi < 70e9 ? "13 to 70 billion parameters: stage 3" : "above 70 billion parameters: stage 3 with offload";
    const char* size = phi < 3e9 ? "below_3b" : phi < 13e9 ? "3_to_13b" : phi < 70e9 ? "13_to_70b" : "above_70b";
    // They speak of ZeRO's stages.
    if (!own) advice.rulesOfThumb.push_back({size, rule, advice.chosen ? advice.options[*advice.chosen].name + ": " + advice.options[*advice.chosen].message : runsAny ? "no stage fits, with offload or without" + (carried ? ", as " + frameworkTitle(advice.framework) + " shards" : "") : refusal.message});

    // Of the job as it runs: another framework's arguments say it in their own words.
    const std::int64_t tensor = job ? job->tp : l.tp, stages = job ? job->pp : l.pp, parts = job ? job->microBatches : settings.accumulation;
    if (tensor > 1) {
        advice.rulesOfThumb.push_back({"tensor_in_node", "tensor-parallel ranks stay inside a node",
                                       fmt::format("tp {} on nodes of {} devices", tensor, w.hardware.devicesPerNode)});
    }
    if (stages > 1) {
        const std::int64_t chunks = job ? job->chunks : 1;
        const double m = static_cast<double>(parts * chunks), p = static_cast<double>(stages);
        advice.rulesOfThumb.push_back({"bubble", "at least four micro-batches per pipeline stage",
                                       fmt::format("{} micro-batches for {} stages{}: {:.1f} % of {} 1F1B step is bubble", parts, stages, chunks > 1 ? fmt::format(" of {} chunks", chunks) : "", 100 * (p - 1) / (m + p - 1), chunks > 1 ? "an interleaved" : "a")});
    }
    if (tree && !stays && !own && tree->autoTpRefused && w.hardware.devicesPerNode > 1) {
        const bool words = autoTpAnswer(deepspeed) == AutoTpAnswer::RefusesPlan;
        advice.findings.push_back(makeFinding(words ? "advise.autotp" : "advise.autotp.model", "info", "/layout/tp",
                                              words ? "Layouts with tensor parallelism are left out: DeepSpeed 0.19.8 refuses the plan that Transformers 5.23 has for dividing \"{}\"; with a tensor_parallel.partition_config in the ds_config they are ranked"
                                                    : "Layouts with tensor parallelism are left out: DeepSpeed 0.19.8 refuses to divide Transformers' \"{}\"", {transformersType(deepspeed)}));
    }
    if (ranked) {
        if (depth == AdviceDepth::Layouts) {
            SearchLimits limits = search.limits;
            limits.usableBytes = whole;
            if (limits.hostBytesPerNode == 0) limits.hostBytesPerNode = host.value_or(0);
            std::vector<PlanFinding> told;
            const auto runnable = search.runnable ? searchOfWorkspace(w, limits, context, told) : std::nullopt;
            advice.layoutsFramework = runnable ? w.framework.name : frameworkWord(ranked->framework);
            if (!runnable) advice.layoutsPrecision = advice.precision;
            if (!runnable) limits.settle = settlerOf(recast(w, {advice.layoutsFramework, advice.precision, advice.seq}), model.shape, whole, limits.hostBytesPerNode > 0 ? std::optional(limits.hostBytesPerNode) : std::nullopt, context);
            advice.layouts = runnable ? searchLayouts(runnable->base, runnable->limits, stop) : searchLayouts(*ranked, limits, stop);
        }
        if (job && tree && !stays) {
            compareFamilies(*tree, deepspeed, plans, whole, most, advice);
            // Where neither surely fits so, both with what the tree changes of the job.
            const auto surely = [](const std::optional<ScoredLayout>& one) { return one && one->fits; };
            const auto relief = advice.chosen && !own && !surely(advice.zero3) && !surely(advice.tensorZero1) ? advice.options[*advice.chosen].relief : std::nullopt;
            const Workspace as = relief ? withEdits(deepspeed, relief->edits) : deepspeed;
            const auto changed = relief ? readTrainingCase(withEdits(as, branchEdits(as, written, 0, OffloadDevice::None, OffloadDevice::None)), model.planned(), readDsSettings(as, hidden, unread), unread) : std::nullopt;
            if (changed) {
                advice.tensorZero1.reset();
                compareFamilies(*changed, as, plans, whole, most, advice);
            }
        }
    }
    if (!own) advice.conditions = deepSpeedConditions(advice, w);
    if (nothingFits) tellNothingFits(advice, carried, ranks);
    else if (!advice.chosen) tellOtherLayouts(advice);
    tellFaster(advice);
    if (depth == AdviceDepth::Layouts) {
        if (w.framework.name == "stagecraft" && carried && model.shape) tellOwnRefusal(advice, w, context, *plans.of(w), search.limits, stop);
        if (const auto plan = plans.of(w); plan->hasValue()) advice.levers = planLevers(w, **plan, plans);
    }
    return advice;
}

}  // namespace stagecraft
