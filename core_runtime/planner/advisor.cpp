// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/advisor.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/applied_layout.h"
#include "planner/findings.h"
#include "planner/fit.h"
#include "planner/framework_ledger.h"
#include "planner/layout_edits.h"
#include "planner/model_states.h"
#include "planner/step_time.h"
#include "planner/workspace_model.h"
#include "planner/workspace_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace stagecraft {

namespace {

std::string frameworkTitle(const std::string& name)
{
    return name == "stagecraft" ? "Stagecraft" : name == "fsdp2" ? "FSDP2" : name == "megatron" ? "Megatron-LM" : name;
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
constexpr double kStatesOnly = 0.5;    // what comes on top of the states is not known: that they fit says no more than that it may, as in a plan
constexpr double kStatesSigma = 0.01;  // sums of model states err by rounding alone

struct Choice {
    const char *id, *name;
    int stage;
    OffloadDevice optimizer, param;
};

// From the fastest to the smallest: the first that fits is the answer.
constexpr Choice kChoices[] = {
    {"z0", "no sharding (stage 0)", 0, OffloadDevice::None, OffloadDevice::None},
    {"z1", "ZeRO stage 1", 1, OffloadDevice::None, OffloadDevice::None},
    {"z2", "ZeRO stage 2", 2, OffloadDevice::None, OffloadDevice::None},
    {"z3", "ZeRO stage 3", 3, OffloadDevice::None, OffloadDevice::None},
    {"z2_cpu_opt", "ZeRO stage 2, optimizer on the host", 2, OffloadDevice::Cpu, OffloadDevice::None},
    {"z3_cpu_opt", "ZeRO stage 3, optimizer on the host", 3, OffloadDevice::Cpu, OffloadDevice::None},
    {"z3_cpu_opt_param", "ZeRO stage 3, optimizer and parameters on the host", 3, OffloadDevice::Cpu, OffloadDevice::Cpu},
    {"z3_nvme", "ZeRO stage 3, optimizer and parameters on NVMe", 3, OffloadDevice::Nvme, OffloadDevice::Nvme},
};

// Bytes on the device per parameter, as a whole and per rank: whole + shared / N.
struct PerParameter {
    double whole, shared;
};

PerParameter perParameter(const Choice& choice, const DsSettings& s)
{
    const bool mixed = s.precision != Precision::Fp32;
    const double weight = mixed ? 2 : 4;
    const double gradient = mixed && !s.fp32Gradients ? 2 : 4;
    const double optimizer = s.stateBytes + (mixed ? s.masterBytes : 0);
    const bool away = choice.optimizer != OffloadDevice::None;
    if (choice.param != OffloadDevice::None) return {0, 0};
    PerParameter p{0, 0};
    (choice.stage >= 3 ? p.shared : p.whole) += weight;
    if (!away) {
        (choice.stage >= 2 ? p.shared : p.whole) += gradient;
        (choice.stage >= 1 ? p.shared : p.whole) += optimizer;
    }
    return p;
}

/// What a tree weighs: parameters of one rank before ZeRO divides them, and of the whole model for what a node's host must hold.
struct Weighed {
    double trained = 0, wholeTrained = 0;
    double frozen = 0, wholeFrozen = 0, frozenBytes = 2;   ///< beside them, without gradients and states; bytes of each
    double sharedTrained = 0, sharedFrozen = 0;            ///< what ZeRO divides by N: all experts, though a rank has its own part of them alone
};

Weighed weigh(const CountedModel& model, const DsSettings& settings, const LayoutSection& layout)
{
    Weighed out;
    const double all = static_cast<double>(*model.params);
    const bool adapted = model.shape && model.shape->adapted();
    out.wholeTrained = adapted && model.trainable ? static_cast<double>(*model.trainable) : all;
    out.wholeFrozen = all - out.wholeTrained;
    const double share = static_cast<double>(layout.tp) * layout.pp;
    out.sharedTrained = out.trained = out.wholeTrained / share;
    out.sharedFrozen = out.frozen = out.wholeFrozen / share;
    if (model.shape && model.shape->experts > 0 && layout.ep > 1) {
        // A rank holds 1 / ep of the experts, which N / ep ranks share: divided by N in the end, like the rest.
        const double experts = static_cast<double>((model.shape->layers - model.shape->denseLayers) * model.shape->layerExperts) / share;
        (adapted ? out.frozen : out.trained) -= experts * (1.0 - 1.0 / layout.ep);
    }
    const double plain = settings.precision == Precision::Fp32 ? 4 : 2;
    out.frozenBytes = plain;
    if (adapted && model.shape->frozenBytes < 2 && out.wholeFrozen > 0) {
        // Only the linear layers' matrices are packed.
        const double packed = std::min(out.wholeFrozen, static_cast<double>(model.shape->layers * model.shape->adapterMatrices));
        out.frozenBytes = (packed * model.shape->frozenBytes + (out.wholeFrozen - packed) * plain) / out.wholeFrozen;
    }
    return out;
}

// @param dividesAtZero  states are divided at stage 0 as at stage 1
StageOption optionOf(const Choice& choice, const DsSettings& settings, const Weighed& model, std::int64_t ranks, const HardwareSection& hardware, std::int64_t usable, bool dividesAtZero)
{
    const double params = model.trained;
    const int nodes = hardware.nodes;
    const int ranksPerNode = hardware.devicesPerNode;
    StageOption o;
    o.id = choice.id;
    o.name = choice.name;
    o.stage = choice.stage;
    o.offloadOptimizer = choice.optimizer;
    o.offloadParam = choice.param;
    Choice divided = choice;
    if (dividesAtZero && choice.stage == 0) divided.stage = 1;
    const PerParameter p = perParameter(divided, settings);
    const double n = static_cast<double>(ranks);
    const double frozen = choice.param != OffloadDevice::None ? 0 : (choice.stage >= 3 ? model.sharedFrozen / n : model.frozen) * model.frozenBytes;
    const double states = params * p.whole + model.sharedTrained * p.shared / n + frozen;
    o.stateBytes = toBytes(states);
    const double each = o.stateBytes > 0 ? states / (params + model.frozen) : 0;
    o.maxParams = each > 0 ? static_cast<double>(usable) / each : 0;
    const double weight = settings.precision == Precision::Fp32 ? 4 : 2;
    const double optimizer = settings.stateBytes + settings.masterBytes;
    // All ranks together hold each state once, whatever tensor and pipeline parallelism divide.
    const double perNode = model.wholeTrained / static_cast<double>(nodes);
    const double frozenPerNode = model.wholeFrozen * model.frozenBytes / static_cast<double>(nodes);
    DsSettings chosen = settings;
    chosen.offloadOptimizer = choice.optimizer;
    chosen.offloadParam = choice.param;
    chosen.stage = choice.stage;
    o.hostBytesPerNode = toBytes(offloadedHostBytes(chosen, perNode, static_cast<double>(ranksPerNode)) + (choice.param == OffloadDevice::Cpu ? frozenPerNode : 0));
    if (choice.optimizer == OffloadDevice::Nvme) o.fileBytesPerNode = toBytes((optimizer + weight) * perNode + frozenPerNode);
    if (p.shared == 0) {
        o.formula = p.whole > 0 ? fmt::format("{} Φ", p.whole) : "gathered layers only";
        o.numbers = fmt::format("{} · {}", p.whole, formatCount(toBytes(params)));
    } else if (p.whole == 0) {
        o.formula = fmt::format("{} Φ / N", p.shared);
        o.numbers = fmt::format("{} · {} / {}", p.shared, formatCount(toBytes(model.sharedTrained)), ranks);
    } else {
        o.formula = fmt::format("{} Φ + {} Φ / N", p.whole, p.shared);
        o.numbers = fmt::format("{} · {} + {} · {} / {}", p.whole, formatCount(toBytes(params)), p.shared, formatCount(toBytes(model.sharedTrained)), ranks);
    }
    if (frozen > 0) {
        o.formula += choice.stage >= 3 ? fmt::format(" + {:.4g} F / N", model.frozenBytes) : fmt::format(" + {:.4g} F", model.frozenBytes);
        o.numbers += choice.stage >= 3 ? fmt::format(" + {:.4g} · {} / {}", model.frozenBytes, formatCount(toBytes(model.sharedFrozen)), ranks) : fmt::format(" + {:.4g} · {}", model.frozenBytes, formatCount(toBytes(model.frozen)));
    }
    o.statesFit = o.stateBytes <= usable;
    return o;
}

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
    point.stage = o.stage;
    point.offloadOptimizer = o.offloadOptimizer;
    point.offloadParam = o.offloadParam;
    return point;
}

// The workspace under another framework, as the edits make it that change to it.
Workspace behavingAs(const Workspace& w, const std::string& framework)
{
    if (framework == w.framework.name) return w;
    const nlohmann::json document = (w.document.is_object() ? w.document : nlohmann::json::object()).patch(patchOf(w, behaviourEdits(w, framework)));
    auto read = parseWorkspace(document.dump(), w.folder);
    Workspace target = read.hasValue() ? std::move(read).value() : w;
    if (!read.hasValue()) target.framework = {framework, nlohmann::json::object()};
    target.hardware = w.hardware;   // this machine's, where it is meant
    return target;
}

// The same layout, batch and sequence as a job of DeepSpeed: in the ds_config's precision, and without the other framework's ways.
TrainingCase asDeepSpeed(const Workspace& w, const TrainingCase& job, const ModelShape& shape, const DsSettings& settings)
{
    if (w.framework.name == "deepspeed" || w.framework.name == "stagecraft") return job;
    std::vector<PlanFinding> seen;
    const auto read = readTrainingCase(behavingAs(w, "deepspeed"), shape, settings, seen);
    TrainingCase c = read.value_or(job);
    c.framework = Framework::DeepSpeed;
    c.model.seq = job.model.seq;
    ScoredLayout now = layoutOf(job, {});
    c.dp = now.dp;
    c.tp = now.tp;
    c.pp = now.pp;
    c.cp = now.cp;
    c.ep = now.ep;
    c.policy = now.policy;
    c.microBatch = now.microBatch;
    c.microBatches = now.accumulation;
    return c;
}

// Fills peak and time as DeepSpeed has them.
void measure(StageOption& o, const TrainingCase& job)
{
    TrainingCase c = job;
    ScoredLayout point = layoutOf(c, o);
    scoreLayout(c, point);
    o.peakBytes = point.memory;
    o.stepTime = point.stepTime;
    o.hostBytesPerNode = point.hostBytesPerNode;
}

// Fills peak and time as our engine has them: from the plan of the workspace with this option, which also knows what it does not run.
void planOption(StageOption& o, const Workspace& w, const TrainingCase& job, const PlanContext& context)
{
    const auto plan = makePlan(withLayout(w, layoutOf(job, o)), context);
    if (plan.hasValue() && plan->ledger && !plan->ledger->empty()) {
        std::int64_t peak = 0;
        for (const LedgerRole& role : *plan->ledger) peak = std::max(peak, role.peak.process);
        o.peakBytes = peak;
        if (plan->fit) o.probability = plan->fit->probability;
        if (plan->forecast) o.stepTime = plan->forecast->stepTime;
        return;
    }
    o.refused = true;
    o.message = "this engine does not run it";
    if (!plan.hasValue()) return;
    for (const PlanFinding& finding : plan->findings)
        if (finding.severity == "error") o.message = finding.message;
}

// @param most  bytes that were asked for as the limit, whatever the probability
void compareFamilies(const TrainingCase& job, std::int64_t whole, std::int64_t most, Advice& advice)
{
    const std::int64_t ranks = job.ranks();
    const std::int64_t samples = job.microBatch * job.microBatches * job.dp;
    const auto score = [&](std::int64_t tp, int stage) -> std::optional<ScoredLayout> {
        const std::int64_t dp = ranks / tp;
        if (tp < 1 || ranks % tp != 0 || job.model.heads % tp != 0 || samples % dp != 0) return std::nullopt;
        TrainingCase c = job;
        ScoredLayout p;
        p.dp = dp;
        p.tp = tp;
        p.stage = stage;
        p.policy = job.policy;
        p.microBatch = std::max<std::int64_t>(1, std::min(job.microBatch, samples / dp));
        while (samples / dp % p.microBatch != 0) --p.microBatch;
        p.accumulation = samples / dp / p.microBatch;
        scoreLayout(c, p);
        p.probability = probabilityWithin(p.memory, whole, peakSigma(c.framework));
        judgeLayout(p, most);
        return p;
    };
    advice.zero3 = score(1, 3);
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

// The workspace in the words of the framework whose layouts are ranked, and in the precision that the tree was walked in.
Workspace targetOf(const Workspace& w, const Advice& advice)
{
    Workspace target = behavingAs(w, advice.layoutsFramework);
    if (advice.precision.empty()) return target;
    nlohmann::json& own = target.framework.arguments;
    if (!own.is_object()) own = nlohmann::json::object();
    const auto named = [&own](const char* key) { return own.contains(key) && !own[key].is_null(); };
    if (advice.layoutsFramework == "deepspeed") target.dsConfig[advice.precision] = {{"enabled", true}};
    if (advice.layoutsFramework == "megatron" && !named("bf16") && !named("fp16")) own[advice.precision] = true;
    return target;
}

}  // namespace

Result<Advice> advise(const Workspace& w, const PlanContext& context, const std::stop_token& stop, AdviceDepth depth, const LayoutSearch& search)
{
    if (machineIsMeant(w, context)) return advise(onThisMachine(w, context), context, stop, depth, search);
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

    const CountedModel model = countWorkspaceModel(w, advice.findings);
    advice.params = model.params;
    if (!model.params) return Error{ErrorCode::InvalidInput, "Cannot advise: the parameters of this model are not known; " + (advice.findings.empty() ? std::string("name a known family") : advice.findings.front().message), {{"pointer", "/model"}}};
    if (!layoutIsPossible(w, advice.findings)) return Error{ErrorCode::InvalidInput, advice.findings.back().message, {{"pointer", advice.findings.back().pointer}}};

    DsSettings settings = readDsSettings(w, model.shape ? model.shape->hidden : 0, advice.findings);
    // Whose tree: our engine's only where it runs this workspace as it stands.
    const bool runsHere = w.framework.name == "stagecraft" && model.shape && [&] {
        const auto plan = makePlan(withoutOffload(w), context);
        return plan.hasValue() && plan->ledger && !plan->ledger->empty();
    }();
    advice.framework = runsHere ? "stagecraft" : "deepspeed";
    if (w.framework.name != advice.framework) advice.findings.push_back(makeFinding("advise.as_deepspeed", "info", "/framework", "The tree is walked as DeepSpeed shards, not as {} does", {frameworkTitle(w.framework.name)}));
    // Nobody trains such models in fp32: unless the ds_config speaks of a precision, DeepSpeed's tree is walked in bf16.
    if (!runsHere && settings.precision == Precision::Fp32 && !w.dsConfig.contains("bf16") && !w.dsConfig.contains("fp16")) {
        settings.precision = device->peak.contains("bf16") ? Precision::Bf16 : Precision::Fp16;
        advice.precision = settings.precision == Precision::Bf16 ? "bf16" : "fp16";
        advice.findings.push_back(makeFinding("advise.precision", "info", "/dsConfig", "No precision is set: the tree is walked for mixed precision"));
    }
    std::optional<TrainingCase> job;
    if (model.shape) {
        std::vector<PlanFinding> seen;
        Workspace neutral = adapterIsPlanned(w, seen) ? w : behavingAs(w, "deepspeed");   // the one that plans adapters
        if (neutral.framework.name == "stagecraft") neutral.framework.name = "deepspeed";
        job = readTrainingCase(neutral, model.shape, settings, advice.findings);
        if (job) advice.now = layoutOf(*job, {});
        if (job && job->model.seq != model.shape->seq) advice.seq = job->model.seq;
    }
    const auto tree = job ? std::optional(asDeepSpeed(w, *job, *model.shape, settings)) : std::nullopt;

    // The other frameworks' arguments may have sizes of their own; a case has them.
    LayoutSection l = w.layout;
    if (tree) {
        l.dp = static_cast<int>(tree->dp);
        l.tp = static_cast<int>(tree->tp);
        l.pp = static_cast<int>(tree->pp);
        l.cp = static_cast<int>(tree->cp);
        l.ep = static_cast<int>(tree->ep);
    }
    const std::int64_t ranks = std::int64_t{l.dp} * l.cp;
    const Weighed weighed = weigh(model, settings, l);
    const auto host = hostMemoryOf(w, context);
    bool reached = true;
    DsSettings unsharded = settings;
    unsharded.stage = 0;
    const bool dividesAtZero = !runsHere && statesDividedFrom(unsharded, l.pp) > 0;
    for (const Choice& choice : kChoices) {
        StageOption o = optionOf(choice, settings, weighed, ranks, w.hardware, advice.usable, dividesAtZero);
        if (!search.limits.offload && (choice.optimizer != OffloadDevice::None || choice.param != OffloadDevice::None)) {
            o.refused = true;
            o.message = "offload is left out, as asked";
        } else if (!runsHere && l.pp > 1 && choice.stage > 1) {
            o.refused = true;
            o.message = "DeepSpeed refuses stages 2 and 3 with a pipeline";
        } else if (runsHere && job) planOption(o, w, *job, context);
        else if (tree) measure(o, *tree);
        const std::int64_t need = o.peakBytes ? std::max(*o.peakBytes, o.stateBytes) : o.stateBytes;
        // Our engine's plan has told its own.
        if (!o.refused && (!runsHere || !job || o.probability == 0)) {
            o.probability = (job ? 1.0 : kStatesOnly) * probabilityWithin(need, whole, job ? peakSigma(advice.framework) : kStatesSigma) * (device->id == "cpu" ? 1.0 : hostProbability(o.hostBytesPerNode, host));
        }
        // Without the model's sizes the states are the least that it takes, and exact.
        const bool allowed = !o.refused && (job || o.statesFit) && need <= most;
        o.fits = allowed && verdictOf(o.probability) == Fit::Verdict::Yes;
        o.mayFit = allowed && verdictOf(o.probability) != Fit::Verdict::No;
        // Without the model's sizes this is no more than its states.
        const std::string takes = !o.mayFit ? "needs" : !job ? "may fit: its model states alone take" : !o.fits ? fmt::format("may fit, p = {:.2f}: takes", o.probability) : o.peakBytes ? "takes" : "its model states alone take";
        if (!o.refused) o.message = fmt::format("{} {} of {}", takes, formatBytes(need), formatBytes(advice.usable));
        if (!o.refused && o.hostBytesPerNode > 0) o.message += fmt::format(" and {} of host memory per node{}", formatBytes(o.hostBytesPerNode), host ? fmt::format(" of {}", formatBytes(*host)) : "");
        if (!o.refused && o.fileBytesPerNode > 0) o.message += fmt::format(" and {} of files per node", formatBytes(o.fileBytesPerNode));

        TreeNode node;
        node.id = o.id;
        node.option = o.id;
        node.question = fmt::format("{} with {}?", job ? "Does it fit" : "Do the model states fit", o.name);
        node.formula = o.formula;
        node.numbers = fmt::format("{} = {}{}", o.numbers, formatBytes(o.stateBytes), o.peakBytes ? fmt::format(", {} with activations, buffers and context", formatBytes(*o.peakBytes)) : "");
        node.value = static_cast<double>(need);
        node.limit = static_cast<double>(advice.usable);
        node.walked = reached;
        node.yes = reached && o.fits;
        node.unsure = o.mayFit && !o.fits;
        if (!o.fits) node.rejected = o.message;
        if (node.yes) {
            advice.chosen = advice.options.size();
            reached = false;
        }
        advice.tree.push_back(std::move(node));
        advice.options.push_back(std::move(o));
    }
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
    const bool sure = advice.chosen.has_value();
    if (!job) likeliest(kSpareOfStates);
    likeliest(std::numeric_limits<double>::max());
    if (advice.chosen && !sure) {
        const std::size_t i = *advice.chosen;
        advice.tree[i].yes = true;
        advice.tree[i].rejected.clear();
        for (std::size_t later = i + 1; later < advice.tree.size(); ++later) advice.tree[later].walked = false;
        advice.findings.push_back(makeFinding("advise.may_fit", "warning", "/hardware", "No stage and no offload surely fits; {} may, with a probability of {}", {advice.options[i].name, fmt::format("{:.2f}", advice.options[i].probability)}));
    }
    if (!advice.chosen) {
        advice.findings.push_back(makeFinding("advise.nothing_fits", "error", "/hardware", "No stage and no offload fits {} devices of {}; use more devices, a smaller micro-batch or recomputation",
                                              {std::to_string(ranks), formatBytes(advice.usable)}));
    }

    const double phi = static_cast<double>(*model.params);
    const char* rule = phi < 3e9 ? "below 3 billion parameters: stage 1 or plain data parallelism" : phi < 13e9 ? "3 to 13 billion parameters: stage 2" : phi < 70e9 ? "13 to 70 billion parameters: stage 3" : "above 70 billion parameters: stage 3 with offload";
    const char* size = phi < 3e9 ? "below_3b" : phi < 13e9 ? "3_to_13b" : phi < 70e9 ? "13_to_70b" : "above_70b";
    advice.rulesOfThumb.push_back({size, rule, advice.chosen ? advice.options[*advice.chosen].name + ": " + advice.options[*advice.chosen].message : "nothing fits"});

    if (l.tp > 1) {
        advice.rulesOfThumb.push_back({"tensor_in_node", "tensor-parallel ranks stay inside a node",
                                       fmt::format("tp {} on nodes of {} devices", l.tp, w.hardware.devicesPerNode)});
    }
    if (l.pp > 1) {
        const double m = static_cast<double>(settings.accumulation);
        const double p = l.pp;
        advice.rulesOfThumb.push_back({"bubble", "at least four micro-batches per pipeline stage",
                                       fmt::format("{} micro-batches for {} stages: {:.1f} % of a 1F1B step is bubble", settings.accumulation, l.pp, 100 * (p - 1) / (m + p - 1))});
    }
    if (job) {
        if (depth == AdviceDepth::Layouts) {
            SearchLimits limits = search.limits;
            limits.usableBytes = whole;
            if (limits.hostBytesPerNode == 0) limits.hostBytesPerNode = host.value_or(0);
            std::vector<PlanFinding> told;
            const auto runnable = search.runnable ? searchOfWorkspace(w, limits, context, told) : std::nullopt;
            advice.layoutsFramework = runnable ? w.framework.name : frameworkWord(job->framework);
            if (!runnable) advice.layoutsPrecision = advice.precision;
            if (!runnable) limits.settle = settlerOf(targetOf(w, advice), model.shape);
            advice.layouts = runnable ? searchLayouts(runnable->base, runnable->limits, stop) : searchLayouts(*job, limits, stop);
        }
        compareFamilies(*tree, whole, most, advice);
    }
    if (depth == AdviceDepth::Layouts) {
        if (const auto plan = makePlan(w, context); plan.hasValue()) advice.levers = planLevers(w, *plan, context);
    }
    return advice;
}

}  // namespace stagecraft
