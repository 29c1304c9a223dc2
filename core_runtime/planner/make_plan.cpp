// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/plan.h"

#include "base/units.h"
#include "config/check.h"
#include "hardware/device_sheet.h"
#include "planner/autotp_findings.h"
#include "planner/batch_faults.h"
#include "planner/behaviour.h"
#include "planner/beyond_tensors.h"
#include "planner/ds_settings.h"
#include "planner/engine_plan.h"
#include "planner/engine_time.h"
#include "planner/engine_work.h"
#include "planner/findings.h"
#include "planner/fit.h"
#include "planner/forecast_figures.h"
#include "planner/mfu_findings.h"
#include "planner/framework_ledger.h"
#include "planner/helpful_flags.h"
#include "planner/init_phase.h"
#include "planner/layout_faults.h"
#include "planner/ledger.h"
#include "planner/mesh_json.h"
#include "planner/model_states.h"
#include "planner/release_optimizers.h"
#include "planner/sheet_findings.h"
#include "planner/step_time.h"
#include "planner/swap_folders.h"
#include "planner/workspace_model.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

using nlohmann::json;

json resolvedConfig(const Workspace& w, const DsSettings& s)
{
    json config = w.dsConfig.is_object() ? w.dsConfig : json::object();
    if (!batchIsImpossible(w)) {
        config["train_batch_size"] = s.trainBatch;
        config["train_micro_batch_size_per_gpu"] = s.microBatch;
        config["gradient_accumulation_steps"] = s.accumulation;
    }
    if (!config.contains("zero_optimization") || !config["zero_optimization"].is_object()) config["zero_optimization"] = json::object();
    json& zero = config["zero_optimization"];
    zero["stage"] = s.stage;
    for (const auto& [key, value] : {std::pair{"reduce_bucket_size", s.reduceBucket}, {"allgather_bucket_size", s.allgatherBucket}, {"stage3_prefetch_bucket_size", s.prefetchBucket}, {"stage3_param_persistence_threshold", s.persistence}})
        if (zero.value(key, json()) == "auto") zero[key] = value;
    if (config.value("gradient_clipping", json()) == "auto") config["gradient_clipping"] = s.clipping;
    return config;
}

void tellMesh(const Workspace& w, const TrainingCase& job, Plan& plan)
{
    LayoutSection layout = w.layout;
    layout.dp = static_cast<int>(job.dp);
    layout.tp = static_cast<int>(job.tp);
    layout.pp = static_cast<int>(job.pp);
    layout.cp = static_cast<int>(job.cp);
    layout.ep = static_cast<int>(job.ep);
    plan.mesh = meshToJson(layout, w.hardware);
}

// Model states alone, as the framework keeps them, for a model of which only the size is known or a batch that nobody can have.
void planStates(const Workspace& w, const ModelShape& size, const DsSettings& settings, PlanFinding why, Plan& plan)
{
    const auto job = readTrainingCase(w, size, settings, plan.findings);
    if (!job) return;
    tellMesh(w, *job, plan);
    plan.ledger = std::vector<LedgerRole>{statesLedger(*job)};
    plan.findings.push_back(std::move(why));
}

PlanFinding statesOfModel()
{
    return makeFinding("plan.states_only", "info", "/model", "The ledger has model states alone: activations and step time are planned for decoders that predict words, and with DeepSpeed for classifiers on them and for BERT, RoBERTa and T5 where all sizes are known. Whether it fits cannot be told from them unless they exceed the device");
}

PlanFinding statesOfCount()
{
    return makeFinding("plan.states_only.count", "info", "/model/params", "The ledger has model states alone: a number of parameters says nothing of layers and sequence, so activations, buffers, step time and whether it fits are not known, unless the states alone exceed the device. For these give a preset, a config.json or the sizes");
}

PlanFinding statesOfBatch()
{
    return makeFinding("plan.states_only.batch", "info", "/dsConfig", "The ledger has model states alone, which depend on no batch: what a step adds does");
}

// Time and energy to a token budget: the context's, else that of the workspace's steps.
void forecastBudget(const Workspace& w, const PlanContext& context, Plan& plan)
{
    if (!plan.forecast || !(plan.forecast->tokensPerSecond > 0)) return;
    const double perStep = std::round(plan.forecast->tokensPerSecond * plan.forecast->stepTime);  // tokens are counted
    BudgetForecast budget;
    budget.tokens = context.tokenBudget.value_or(w.training.epochs ? 0.0 : perStep * static_cast<double>(w.training.steps));
    if (!(budget.tokens > 0) || !std::isfinite(budget.tokens)) return;
    budget.seconds = budget.tokens / plan.forecast->tokensPerSecond;
    const DeviceSheet* device = findDevice(w.hardware.device);
    const LayoutSection& l = w.layout;
    budget.devices = plan.mesh.is_object() && plan.mesh.contains("ranks") && plan.mesh["ranks"].is_number_integer() ? plan.mesh["ranks"].get<std::int64_t>() : l.ranks();
    if (device && device->watts > 0) {
        budget.wattsPerDevice = device->watts;
        budget.joules = device->watts * static_cast<double>(budget.devices) * budget.seconds;
        budget.source = device->powerSource.empty() ? device->source : device->powerSource;
    }
    plan.budget = budget;
}

void forecastTime(const Workspace& w, const TrainingCase& job, Plan& plan)
{
    if (!job.sheet) return;
    StepTerms terms;
    plan.forecast = forecastStep(job, *job.sheet, w.launch.threadsPerRank, &terms);
    plan.forecast->source = fmt::format("the data sheet of {}", job.sheet->id);
    explainForecast(*job.sheet, terms, job.ranks(), *plan.forecast);
    tellMfu(job, plan);
}

/// A data sheet's CPU gives each thread a core: on fewer of them a step takes longer by as much.
void tellSharedCores(const Workspace& w, const PlanContext& context, Plan& plan)
{
    if (w.hardware.device != "cpu" || !context.usableCores || !plan.forecast || plan.forecast->basis != ForecastBasis::DataSheet) return;
    const std::int64_t perNode = std::clamp<std::int64_t>(w.layout.ranks(), 1, std::max(1, w.hardware.devicesPerNode));
    const double wanted = static_cast<double>(perNode) * std::max(1, w.launch.threadsPerRank);
    if (wanted <= *context.usableCores) return;
    // Only our own engine's times are made those of this machine by measuring it.
    const bool ours = w.framework.name == "stagecraft";
    plan.findings.push_back(makeFinding(ours ? "plan.cores_shared" : "plan.cores_shared.other", "warning", "/hardware/devicesPerNode",
                                        ours ? "{} ranks of {} threads share {} cores, and the times here give each thread a core of its own: expect steps about {} times as long. `stagecraft doctor --measure` makes them those of this machine"
                                             : "{} ranks of {} threads share {} cores of this machine, and the times here give each thread a core of its own: here, expect steps about {} times as long",
                                        {std::to_string(perNode), std::to_string(std::max(1, w.launch.threadsPerRank)), fmt::format("{:g}", *context.usableCores), fmt::format("{:.1f}", wanted / *context.usableCores)}));
}

// What was measured on this machine knows better than the sheet of any CPU what our engine takes on it.
// @return how far the readings behind it were disturbed
double useMeasurement(const Workspace& w, const DsSettings& settings, const MeasuredMachine* machine, Plan& plan)
{
    double disturbance = 0;
    if (!machine || !plan.forecast) return disturbance;
    const auto job = engineJobOf(w, settings);
    if (!job) return disturbance;
    auto measured = machine->forecast(*job, &disturbance);
    if (!measured) return disturbance;
    // Tokens of a step and its FLOPs are the same, and so is the peak that MFU is a share of.
    const double pace = plan.forecast->stepTime / measured->stepTime;
    measured->tokensPerSecond = plan.forecast->tokensPerSecond * pace;
    measured->mfu = plan.forecast->mfu * pace;
    if (measured->mfu > 1)
        plan.findings.push_back(makeFinding("plan.mfu_sheet", "info", "/hardware/device", "MFU is above 100 % because this machine was measured to be faster than the peak it is a share of, {} GFLOP/s a rank from the CPU's data sheet: it compares plans, and is no share of what the machine can do",
                                            {fmt::format("{:.1f}", plan.forecast->devicePeak / 1e9)}));
    plan.forecast = std::move(measured);
    return disturbance;
}

void tellDisturbance(double disturbance, Plan& plan)
{
    if (!plan.forecast || plan.forecast->basis == ForecastBasis::DataSheet || disturbance < MeasuredMachine::kDisturbed) return;
    plan.findings.push_back(makeFinding("plan.measured_busy", "warning", "/hardware/device",
                                        "Other programs were at work while this machine was measured: the readings behind this step time may be off by {} %. Close them and measure again with `stagecraft doctor --measure`",
                                        {fmt::format("{:.0f}", 100 * std::expm1(disturbance))}));
}

// A run of the same model on this machine knows better than sheets and rates: what its processes held, how long its units took.
// @param disturbance  of the rates, which carry it to other layouts; set to 0 where they have no part in it
void useCalibration(const Workspace& w, const DsSettings& settings, const PlanContext& context, const MeasuredMachine* machine, double& disturbance, Plan& plan)
{
    if (context.calibrations.empty() || !plan.forecast || !plan.ledger) return;
    const auto job = engineJobOf(w, settings);
    const Calibration* best = job ? bestCalibration(context.calibrations, *job) : nullptr;
    const auto work = best ? engineWorkOf(*job) : Result<EngineWork>(Error{});
    if (!work.hasValue()) return;
    plan.forecast = forecastCalibrated(*best, *job, *work, *plan.forecast, machine);
    if (best->layout == calibratedLayoutOf(*job)) disturbance = 0;
    for (const bool above : {false, true}) {
        if (!(disturbance > 0) || !(plan.forecast->stepTime > 0)) break;   // nothing to widen
        double& end = plan.forecast->interval90[above ? 1 : 0];
        end = plan.forecast->stepTime * std::exp((above ? 1 : -1) * std::hypot(std::log(end / plan.forecast->stepTime), 1.645 * disturbance));
    }
    if (const std::int64_t base = calibratedProcessBase(*best); base > 0) {
        for (LedgerRole& role : *plan.ledger) {
            role.peak.process = role.peak.reserved + base;
            for (LedgerPeak& phase : role.phases) phase.process = phase.reserved + base;
            std::erase_if(role.items, [](const LedgerItem& item) { return item.phase == "process"; });
            addBeyondTensors(role, {}, {{"context.device", base, {"what a worker holds beside its buffers: libraries, stacks and heaps", "bytes", fmt::format("{} MiB", base >> 20), plan.forecast->source}}});
        }
    }
    plan.findings.push_back(makeFinding("plan.calibrated", "info", "/model", "Step time and the processes' own memory are calibrated from {}", {plan.forecast->source}));
}

// Where much of the step is passing messages on, its length says nothing of bytes and rates.
void tellLatency(const Workspace& w, const TrainingCase& job, Plan& plan)
{
    constexpr double kMuch = 0.25;
    if (!plan.forecast || !job.sheet) return;
    const double part = latencyShare(job, *job.sheet, w.launch.threadsPerRank);
    if (part < kMuch) return;
    plan.findings.push_back(makeFinding("plan.latency", "warning", "/layout", "{} % of the step is the latency of collectives: round a ring of up to {} ranks a message is passed on as many times, however little is sent. Shorter rings and fewer collectives help: tensor parallelism, a pipeline, ZeRO stage 1, larger and fewer micro-batches",
                                        {fmt::format("{:.0f}", 100 * part), std::to_string(std::max({job.dp * job.cp, job.tp, job.ep}))}));
}

// What "ratio" says and what DeepSpeed does with it are two things where there are few sub-groups.
void tellOffloadedPart(const TrainingCase& job, Plan& plan)
{
    const DsSettings& s = job.settings;
    if (job.framework != Framework::DeepSpeed || s.stage == 0 || s.offloadOptimizer == OffloadDevice::None || s.offloadRatio == 1) return;
    const char* pointer = "/dsConfig/zero_optimization/offload_optimizer/ratio";
    if (s.stage < 3) {
        plan.findings.push_back(makeFinding("plan.offload_ratio", "warning", pointer, "\"ratio\" works in stage 3 only: the plan puts all optimizer states on the host, and DeepSpeed may refuse the file"));
        return;
    }
    if (s.offloadOptimizer == OffloadDevice::Nvme) {
        plan.findings.push_back(makeFinding("plan.offload_ratio.files", "info", pointer, "\"ratio\" has no effect beside \"nvme\": every sub-group of the optimizer states from 1 MiB on lies in files; remove it"));
        return;
    }
    const double part = offloadedPart(s, trainedElements(parameterGroups(job, 0, layersOfStages(job).front())).share);
    if (std::abs(part - s.offloadRatio) < 0.005) return;
    plan.findings.push_back(makeFinding("plan.offload_ratio.groups", "info", pointer, "DeepSpeed offloads whole sub-groups of {} elements: {} % of the optimizer states lie on the host, not {} %; a smaller sub_group_size divides finer",
                                        {std::to_string(s.subGroup), fmt::format("{:.0f}", 100 * part), fmt::format("{:.0f}", 100 * s.offloadRatio)}));
}

// 8-bit products need compute capability 8.9, or AMD's MI300: Transformer Engine and torchao stop without (transformer_engine/pytorch/fp8.py,
// check_fp8_support; torch._scaled_mm).
void tellEightBits(const TrainingCase& job, Plan& plan)
{
    if (!job.float8 || !job.sheet || job.sheet->id == "cpu" || job.sheet->peak.contains("fp8")) return;
    plan.findings.push_back(makeFinding("plan.no_fp8", "error", "/framework/arguments", "{} has no 8-bit products, and the job stops when it starts: train in bf16 or fp16, or use a device that has them (Ada, Hopper, Blackwell, MI300)", {job.sheet->id}));
}

// @return the job that the ledger is of; nothing without a ledger
std::optional<TrainingCase> planFramework(const Workspace& w, const DsSettings& settings, const std::optional<ModelShape>& shape, Plan& plan)
{
    auto job = readTrainingCase(w, shape, settings, plan.findings);
    if (!job) {
        // What is wrong may be the ranks or the batch: the model is known all the same.
        if (const Workspace modelAlone = withModelArgumentsAlone(w); !plan.params && shape && modelAlone.framework.arguments != w.framework.arguments) {
            std::vector<PlanFinding> unheard;
            if (const auto described = readTrainingCase(modelAlone, shape, settings, unheard)) plan.params = plan.trainable = plan.active = described->model.params;
        }
        return std::nullopt;
    }
    // Switches of Megatron's that are no sizes may change the workspace's model as well.
    const bool changed = shape && (job->model.perLayer != shape->perLayer || job->model.positions != shape->positions);
    if (!plan.params || w.model.form == ModelSection::Form::ParameterCount || changed) {
        plan.params = plan.trainable = plan.active = job->model.params;
        const ModelShape& m = job->model;
        if (m.experts > 0) *plan.active -= (m.layers - m.denseLayers) * (m.layerExperts / m.experts) * (m.experts - m.expertsPerToken);
    }
    if (tellLayoutFaults(*job, plan.findings)) return std::nullopt;
    if (job->framework == Framework::DeepSpeed && job->settings.stage == 3 && job->settings.micsShard > 0) {
        plan.findings.push_back(makeFinding("plan.mics_release", "warning", "/dsConfig/zero_optimization/mics_shard_size", "DeepSpeed 0.19.8 has no MiCS and refuses \"mics_shard_size\": the plan is of a release before it"));
    }
    if (const std::string last = lastReleaseWith(job->settings.optimizer); job->framework == Framework::DeepSpeed && !last.empty()) {
        plan.findings.push_back(makeFinding("plan.optimizer_gone", "warning", "/dsConfig/optimizer/type", "DeepSpeed {} has no \"{}\" and refuses it: the plan is of {}, the last release known to have it; use AdamW", {knownDeepSpeedReleases().back(), job->settings.optimizer, last}));
    }
    if (job->model.encoderLayers > 0) plan.findings.push_back(makeFinding("plan.targets", "info", "/model/seq", "The decoder's targets are planned as long as the inputs, {} tokens: shorter ones take less memory and time", {std::to_string(job->model.seq)}));
    tellOffloadedPart(*job, plan);
    tellAutoTp(w, *job, plan.findings);
    tellEightBits(*job, plan);
    plan.ledger = frameworkLedger(*job);
    tellSegments(w, *job, *plan.ledger, plan.findings);
    forecastTime(w, *job, plan);
    tellLatency(w, *job, plan);
    tellMesh(w, *job, plan);
    return job;
}

// Hosts have room for what is offloaded, or they have not, or nobody has said. @return the probability that they have
double judgeHost(const Workspace& w, const PlanContext& context, Plan& plan, Fit& fit)
{
    fit.hostNeed = fullestNodeHost(*plan.ledger, w.hardware.devicesPerNode);
    if (fit.hostNeed == 0) return 1;
    const auto host = hostMemoryOf(w, context);
    const auto tell = [&](const char* id, const char* severity, const char* pattern, std::vector<std::string> args) {
        plan.findings.push_back(makeFinding(id, severity, "/hardware/hostMemoryGiB", pattern, std::move(args)));
    };
    const double odds = hostProbability(fit.hostNeed, host, commonHost(findDevice(w.hardware.device), w.hardware.devicesPerNode));
    if (host) {
        fit.hostUsable = *host;
        if (odds < kSurely) tell("plan.host_memory", odds > 1 - kSurely ? "warning" : "error", "What is offloaded needs {} of the {} of host memory of a node; use more nodes, nodes with more memory, or a branch of the tree (advise) that fits", {formatBytes(fit.hostNeed), formatBytes(*host)});
        return odds;
    }
    tell("plan.host_memory.unknown", odds < kSurely ? "warning" : "info", "What is offloaded needs {} of host memory per node; say with hardware.hostMemoryGiB what a node has, and the verdict counts it", {formatBytes(fit.hostNeed)});
    return odds;
}

// Ranks that each build the whole model before it is divided may need more than the host has, whatever fits afterwards.
// @return the probability that they come to their first step
double judgeInit(const Workspace& w, const PlanContext& context, Plan& plan)
{
    const std::int64_t need = initHostPerNode(*plan.ledger, w.hardware.devicesPerNode);
    const auto host = hostMemoryOf(w, context);
    const double odds = buildProbability(need, host);
    if (odds < kSurely) {
        plan.findings.push_back(makeFinding("plan.init_host", "warning", "/hardware/hostMemoryGiB",
                                            "Before the first step the ranks of a node hold the whole model in host memory, each for itself: {} in fp32 of {}. How it is built nobody has said: the probability assumes fp32 for five in ten scripts, 16 bits for four, the device for one. Load it in 16 bits, or straight onto the device", {formatBytes(need), formatBytes(*host)}));
    }
    return odds;
}

// The section says how what is recomputed is kept, and makes nothing be recomputed. Source: deepspeed/runtime/activation_checkpointing/checkpointing.py, configure().
void tellIdleCheckpointing(const Workspace& w, Plan& plan)
{
    if (w.framework.name != "deepspeed" || w.layout.recompute != "none" || !w.dsConfig.is_object()) return;
    const auto section = w.dsConfig.find("activation_checkpointing");
    if (section == w.dsConfig.end() || !section->is_object() || section->empty()) return;
    plan.findings.push_back(makeFinding("plan.checkpointing_idle", "info", "/dsConfig/activation_checkpointing", "\"activation_checkpointing\" makes nothing be recomputed by itself: it says how the activations are kept that the model hands to deepspeed.checkpointing. The plan keeps all of them; set layout.recompute to \"full\" where the model does", {}));
}

// Relative error of the peak: of the job's kind where there is one. States that are counted from a number of parameters are nearly exact.
double sigmaOf(const Workspace& w, const TrainingCase* job)
{
    if (job) return peakSigma(*job);
    return w.model.form == ModelSection::Form::ParameterCount ? 0.01 : peakSigma(w.framework.name);
}

// Whether the peak stays within the device, and what is offloaded within the host.
// @param job  of another framework: it has errors of its own, and its allocator gives back what it can; null: all that is reserved stays
void judgeFit(const Workspace& w, const PlanContext& context, Plan& plan, const TrainingCase* job = nullptr)
{
    if (!plan.ledger || plan.ledger->empty()) return;
    const double sigma = sigmaOf(w, job);
    const bool statesOnly = statesAlone(plan);
    // What comes on top of the states has no interval: it is not known.
    constexpr double kNormal90 = 1.645;
    for (LedgerRole& role : *plan.ledger) {
        role.peak.relative90 = statesOnly ? 0 : kNormal90 * sigma;
        for (LedgerPeak& phase : role.phases) phase.relative90 = role.peak.relative90;
    }
    const DeviceSheet* device = findDevice(w.hardware.device);
    std::int64_t usable = device ? device->usableBytes : 0;
    const bool onHost = device && device->id == "cpu";
    if (onHost) {
        const auto host = hostMemoryOf(w, context);
        if (!host) {
            plan.findings.push_back(makeFinding("plan.memory_unknown", "info", "/hardware", "The memory of this host is not known to the plan: whether it fits is not judged"));
            return;
        }
        usable = *host / w.hardware.devicesPerNode;
    }
    // More ranks than devices run nowhere.
    const bool crowded = std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& finding) { return finding.rule == "plan.ranks"; });
    if (usable <= 0 || crowded) return;
    Fit fit;
    fit.usable = usable;
    fit.statesOnly = statesOnly;
    std::int64_t need = 0, process = 0;
    for (const LedgerRole& role : *plan.ledger) {
        // Where the host is the device, what is offloaded lies in the same memory.
        const std::int64_t all = role.peak.process + (onHost ? std::min(role.hostBytes, (std::int64_t{1} << 62) - role.peak.process) : 0);
        process = std::max(process, all);
        need = std::max(need, job && !onHost ? leastProcess(role.peak, leastReserve(*job)) : all);
    }
    fit.least = need;
    const bool offloads = onHost && std::any_of(plan.ledger->begin(), plan.ledger->end(), [](const LedgerRole& role) { return role.hostBytes > 0; });
    if (offloads) plan.findings.push_back(makeFinding("plan.host_is_device", "info", "/hardware/device", "On a CPU what is offloaded lies in the memory that it is to leave: the fullest process takes {} with it, and that is what has to fit", {formatBytes(process)}));
    const double relative90 = plan.ledger->front().peak.relative90;
    if (need < process && need <= usable && static_cast<double>(process) * (1 + relative90) > static_cast<double>(usable)) {
        plan.findings.push_back(makeFinding("plan.reserve_cut", "info", "/layout", "The process will show {}, {} of which it needs: its allocator keeps what it has freed until the device is full, and whether it fits is judged by what is needed", {formatBytes(process), formatBytes(need)}));
    }
    const double onDevice = job ? probabilityWithin(*job, need, usable) : probabilityWithin(need, usable, sigma);
    fit.probability = onDevice * (onHost ? 1.0 : judgeHost(w, context, plan, fit));
    // How the model is built nobody has said: a job that may not come to its first step is no more than a "may".
    fit.probability = std::min(fit.probability, judgeInit(w, context, plan));
    // Nothing is known of what comes on top: states that fit say no more than that it may.
    if (fit.statesOnly) fit.probability = std::min(fit.probability, 0.5);
    fit.verdict = verdictOf(fit.probability);
    if (onDevice < kSurely) {
        const char* severity = onDevice <= 1 - kSurely ? "error" : "warning";
        if (fit.statesOnly) plan.findings.push_back(makeFinding("plan.memory.states", severity, "/layout", "The model states alone need {} of {} on the fullest rank", {formatBytes(need), formatBytes(usable)}));
        else if (need < process && need <= usable) plan.findings.push_back(makeFinding("plan.memory.kept", severity, "/layout", "The process holds {} of {} at its peak on the fullest rank, and can give back all but {}; nine of ten forecasts of such jobs lie within {} % of what is measured", {formatBytes(process), formatBytes(usable), formatBytes(need), fmt::format("{:.2g}", 100 * relative90)}));
        else plan.findings.push_back(makeFinding("plan.memory", severity, "/layout", "The peak needs {} of {} on the fullest rank", {formatBytes(need), formatBytes(usable)}));
    }
    plan.fit = fit;
}

}  // namespace

Result<Plan> makePlan(const Workspace& given, const PlanContext& context)
{
    if (machineIsMeant(given, context)) {
        auto plan = makePlan(onThisMachine(given, context), context);
        if (plan.hasValue()) plan->findings.push_back(makeFinding("plan.device_here", "info", "/hardware/device", "\"cuda\" is planned as {}, the GPU of this machine", {findDevice(context.gpu)->id}));
        return plan;
    }
    if (const auto divided = configLayout(given)) {
        Workspace w = given;
        w.layout = divided->layout;
        auto plan = makePlan(w, context);
        const LayoutSection& l = divided->layout;
        if (plan.hasValue()) plan->findings.push_back(makeFinding("plan.config_divides", "info", "/layout", "DeepSpeed divides the ranks as the ds_config says ({}): the plan is of layout.dp {}, tp {}, cp {} and ep {}", {divided->keys, std::to_string(l.dp), std::to_string(l.tp), std::to_string(l.cp), std::to_string(l.ep)}));
        return plan;
    }
    const Workspace& w = given;
    Plan plan;
    plan.mesh = nullptr;
    tellRefusedSheets(w, plan.findings);
    CountedModel model = countWorkspaceModel(w, plan.findings);
    plan.params = model.params;
    plan.trainable = model.trainable;
    plan.active = model.active;
    const std::optional<ModelShape>& shape = model.shape;
    if (!layoutIsPossible(w, plan.findings)) {
        plan.config = w.dsConfig.is_object() ? w.dsConfig : json::object();
        return plan;
    }
    // FSDP2 and Megatron have their own batch arguments: a ds_config that says nothing is no omission there.
    std::vector<PlanFinding> unread;
    const bool usesDsConfig = w.framework.name != "fsdp2" && w.framework.name != "megatron";
    DsSettings settings = readDsSettings(w, shape ? shape->hidden : 0, usesDsConfig ? plan.findings : unread);
    const bool impossible = batchIsImpossible(w);
    if (!usesDsConfig && impossible) tellImpossibleBatch(w.dsConfig, plan.findings);
    tellIdleCheckpointing(w, plan);
    if (const auto folder = useMeasuredDisk(w, context, settings); folder && w.framework.name == "deepspeed") {
        plan.findings.push_back(makeFinding("plan.disk_measured", "info", "/dsConfig/zero_optimization", "What is swapped to files is forecast at {} GB/s read and {} GB/s written, as measured in {}; DeepSpeed's own asynchronous requests may be faster", {fmt::format("{:.3g}", settings.diskRead / 1e9), fmt::format("{:.3g}", settings.diskWrite / 1e9), folder->string()}));
    }
    plan.config = resolvedConfig(w, settings);
    plan.mesh = meshToJson(w.layout, w.hardware);
    if (!findDevice(w.hardware.device)) {
        plan.findings.push_back(makeFinding("plan.device_unknown", "error", "/hardware/device",
                                            "The device \"{}\" has no data sheet; use one of those that `stagecraft doctor --devices` lists, or add a sheet", {w.hardware.device}));
    }
    if (const DeviceSheet* device = findDevice(w.hardware.device); device && w.hardware.device == "cuda" && device->id != "cuda") {
        plan.findings.push_back(makeFinding("plan.device_assumed", "warning", "/hardware/device", "\"cuda\" says nothing of the GPU: it is planned as {}; name the data sheet of yours, as `stagecraft doctor --devices` lists them", {device->id}));
    }
    // Megatron's command line describes the model itself.
    const bool described = modelIsInArguments(w);
    if (described) plan.params = plan.trainable = plan.active = std::nullopt;   // of a model that is not the one trained
    if (!adapterIsPlanned(w, plan.findings)) return plan;
    // Without adapters or frozen parts it would be another training.
    if (w.model.trainsPart() && std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& finding) { return (finding.rule == "plan.adapter" || finding.rule == "plan.freeze") && finding.severity == "error"; })) return plan;
    // A plan of another batch would be one that nobody asked for.
    if (impossible) {
        if (plan.params) planStates(withoutBatch(w), model.size, settings, statesOfBatch(), plan);
        return plan;
    }
    if (w.model.form == ModelSection::Form::ParameterCount && !described) {
        std::erase_if(plan.findings, [](const PlanFinding& finding) { return finding.rule == "plan.batch_assumed"; });  // no state depends on it
        if (plan.params) planStates(w, model.size, settings, statesOfCount(), plan);
        judgeFit(w, context, plan);
        return plan;
    }
    if (w.layout.lossChunks > 1 && ((w.framework.name != "deepspeed" && w.framework.name != "fsdp2") || trainsMegatronCode(w))) {
        plan.findings.push_back(makeFinding("plan.loss_chunks", "info", "/layout/lossChunks",
                                            "layout.lossChunks has no effect: a loss in chunks have DeepSpeed on Transformers models (TiledFusedLogitsLoss) and torchtitan (ChunkedCELoss); plan with framework deepspeed or fsdp2, or remove it"));
    }
    if (w.framework.name == "stagecraft") {
        if (const json& arguments = w.framework.arguments; arguments.is_object() && !arguments.empty()) {
            std::string names;
            for (const auto& [name, value] : arguments.items()) names += (names.empty() ? "" : ", ") + name;
            plan.findings.push_back(makeFinding("plan.arguments_ours", "warning", "/framework/arguments", "Stagecraft's own engine takes no arguments: these have no effect: {}", {names}));
        }
        if (plan.params || !w.model.spec) planEngine(w, settings, plan);
        if (plan.ledger) {
            std::vector<PlanFinding> seen;
            const auto job = readTrainingCase(w, shape, settings, seen);
            if (job) forecastTime(w, *job, plan);
            const auto sheet = plan.forecast;
            const auto machine = !context.machine ? nullptr : context.prepared ? context.prepared : std::make_shared<const MeasuredMachine>(*context.machine);
            double disturbance = useMeasurement(w, settings, machine.get(), plan);
            useCalibration(w, settings, context, machine.get(), disturbance, plan);
            tellDisturbance(disturbance, plan);
            tellSharedCores(w, context, plan);
            // Rates and runs know the time better; what MFU is a share of stays.
            if (sheet && plan.forecast->basis != ForecastBasis::DataSheet) {
                plan.forecast->modelFlops = sheet->modelFlops;
                plan.forecast->devicePeak = sheet->devicePeak;
                plan.forecast->peakType = sheet->peakType;
                explainForecast(*job->sheet, {}, job->ranks(), *plan.forecast);
            }
        }
        judgeFit(w, context, plan);
    } else if (w.framework.name == "deepspeed" || w.framework.name == "fsdp2" || w.framework.name == "megatron") {
        // Encoders and files of an unknown family: the states can still be counted.
        std::optional<TrainingCase> job;
        if (!shape && !described && plan.params) planStates(w, model.size, settings, statesOfModel(), plan);
        else job = planFramework(w, settings, shape, plan);
        tellSharedCores(w, context, plan);
        judgeFit(w, context, plan, job ? &*job : nullptr);
        if (job && plan.fit && plan.fit->verdict != Fit::Verdict::Yes) tellHelpfulFlags(*job, plan);
    } else {
        plan.findings.push_back(makeFinding("plan.framework", "error", "/framework/name", "The framework \"{}\" is not known; use stagecraft, deepspeed, fsdp2 or megatron", {w.framework.name}));
    }
    forecastBudget(w, context, plan);
    return plan;
}

}  // namespace stagecraft
