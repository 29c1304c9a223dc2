// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/step_time.h"

#include "model/flops.h"
#include "planner/framework_ledger.h"
#include "planner/host_activations.h"
#include "planner/model_states.h"
#include "planner/parameter_groups.h"
#include "planner/pipeline_time.h"
#include "planner/shard_times.h"
#include "planner/step_clock.h"
#include "planner/transfers.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stagecraft {

namespace {

/// Two independent factors of one time, as one.
double together(double one, double other) { return std::exp(std::hypot(std::log(one), std::log(other))); }

/// What no sheet says of a core. Faster: its clock rises by up to a half above the nominal one (Intel's and AMD's lists of models), large
/// products reach 0.95 of the peak, not 0.7, and small models stay in caches twice as fast as memory. Slower: one vector unit where
/// two are assumed, another thread on the same core, other programs or a virtual machine's neighbours: twice the time each.
const double kCoresFaster = together(together(1.5, 0.95 / 0.7), 2), kCoresSlower = together(together(2, 2), 2);

/// CPU optimizers depend on cores, threads and memory channels that no sheet names: with DeepSpeed's own spread 2.2 in the calibration half.
constexpr double kHostOptimizer = 1.45;

/// Factors between the forecast and the ends of its 90 % interval, from data sheets alone.
struct Margins {
    double faster = 1, slower = 1;
};

/// Factor to both ends for accelerators. Its terms are what the calibration half's publications were off by when none of their own points
/// had set a constant.
double spreadOfAccelerator(const TrainingCase& c, const DeviceSheet& device)
{
    // Nine in ten of the calibration half's Megatron and FSDP steps lie within 1.11, by which constants were set; all are of dense models with
    // whole sequences.
    double spread = 1.11;
    const bool measured = device.id.starts_with("A100-SXM") || device.id.starts_with("A800-SXM") || device.id.starts_with("H100-SXM") || device.id.starts_with("H200-SXM") || device.id.starts_with("V100-SXM");
    if (!measured) spread *= 1.25;
    // No training step on AMD's cards has been set beside a forecast of it.
    if (device.vendor == "AMD") spread *= 1.25;
    // The V100 of data sheets has 300 W, that of a DGX-2H 450: 0.74 to 1.26 of the forecast in the calibration half.
    if (device.year <= 2018) spread *= 1.15;
    // Megatron's own layers changed from release to release, and publications name neither release nor kernels: 1.19 there.
    if (c.framework == Framework::Megatron && !c.transformerEngine) spread *= 1.05;
    if (c.model.experts > 0) spread *= 1.15;
    // Divided sequences: from 1.1 to 1.6 in the calibration half, by the release of the attention kernels.
    if (c.cp > 1) spread *= 1.25;
    // No step of FSDP under tensor parallelism is in that half.
    if (c.framework == Framework::Fsdp2 && c.tp > 1) spread *= 1.15;
    if (c.framework == Framework::DeepSpeed) {
        // Hooks in Python around every parameter, and model code that differs by release: 1.4 to 1.56 in the calibration half, but
        // for Megatron's own layers.
        // Megatron's under DeepSpeed: 1.23 (BigScience's V100, Pythia, GPT-NeoX-20B).
        spread *= !c.megatronCode || c.settings.stage == 3 ? 1.30 : 1.09;
    }
    const bool away = c.framework == Framework::DeepSpeed && c.settings.stage >= 1 && c.settings.offloadOptimizer != OffloadDevice::None;
    if (away || c.optimizerOffload > 0) spread *= kHostOptimizer;
    return spread;
}

Margins marginsOf(const TrainingCase& c, const DeviceSheet& device)
{
    if (device.id == "cpu") return {kCoresFaster, kCoresSlower};
    const double either = spreadOfAccelerator(c, device);
    return {either, either};
}

/// How fast a host launches kernels is in no data sheet: 5 us on the hosts of Hopper, 8 before. One such generation either way.
constexpr double kHostSpread = 1.6;

/// By how much more the upper end may lie: large clusters have devices and links that are worse than their kind's spread. Each doubling
/// beyond 256 devices cost 2 % where one job was measured from 256 to 12,288 (MegaScale, Table 2; in the calibration half).
double slowerOf(const TrainingCase& c) { return 1 + 0.015 * std::log2(std::max(1.0, static_cast<double>(c.ranks()) / 256)); }

}  // namespace

double modelFlopsPerStep(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const double next = static_cast<double>(m.nextTokenLayers);
    const double h = static_cast<double>(m.hidden);
    double matrices = static_cast<double>(m.layers) * static_cast<double>(m.layerActive) + (1 + next) * static_cast<double>(m.outputs()) * static_cast<double>(m.outputWidth()) + (m.tableWidth > 0 ? 2 * h * static_cast<double>(m.tableWidth) : 0.0) + next * (static_cast<double>(m.layerActive) + 2 * h * h);
    if (m.experts > 0) {
        // A dense layer has the plain MLP in place of the experts a token uses, the shared ones and the router.
        const double used = static_cast<double>(m.expertsPerToken * m.expertFfn + m.sharedFfn);
        const double wide = (m.gated ? 3 : 2) * h;
        matrices += static_cast<double>(m.denseLayers) * (wide * (static_cast<double>(m.ffn) - used) - h * static_cast<double>(m.experts));
    }
    const double tokens = c.tokens() * static_cast<double>(c.cp) * static_cast<double>(c.microBatches) * static_cast<double>(c.dp);
    // A frozen matrix has no gradient of its own: forward and the gradient of its input.
    double less = 0;
    if (m.part.partly) {
        const double silent = static_cast<double>(m.part.silentLayers()), active = static_cast<double>(m.layerActive);
        const double inLayers = (static_cast<double>(m.layers) - static_cast<double>(m.part.frozenLayers)) * active * m.part.products;
        const double outside = std::max(0.0, matrices - static_cast<double>(m.layers) * active) * m.part.output;
        less = 2 * (matrices - inLayers - outside) - 6 * static_cast<double>(m.part.added - m.part.addedToWeights - std::llround(m.part.addedEmbedding));
        // And through the first layers no gradient flows at all, nor through their attention.
        const double attention = trainingFlopsPerToken(0, silent, static_cast<double>(m.heads) * static_cast<double>(m.headSize + m.valueSize), static_cast<double>(m.seq));
        less += 2 * silent * active + attention * 2 / 3;
    }
    return -tokens * less + tokens * trainingFlopsPerToken(matrices, static_cast<double>(m.layers) * (1 + m.crossShare()) + next, static_cast<double>(m.heads) * static_cast<double>(m.headSize + m.valueSize), static_cast<double>(m.seq));
}

double skippedFlopsPerStep(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    if (m.code.bidirectional) return 0;
    const double tokens = c.tokens() * static_cast<double>(c.cp) * static_cast<double>(c.microBatches) * static_cast<double>(c.dp);
    return tokens * trainingFlopsPerToken(0, static_cast<double>(m.layers + m.nextTokenLayers), static_cast<double>(m.heads) * static_cast<double>(m.headSize + m.valueSize), static_cast<double>(m.seq)) / 2;
}

LinkRates linkRatesOf(const TrainingCase& c, const DeviceSheet& device)
{
    const StepClock clock(c, device, 1);
    const FileRates files = fileRates(c);
    return {clock.m_link, clock.m_bus, clock.m_reach, clock.m_network, clock.m_pcie, files.read, files.write, clock.m_domain};
}

double ringSeconds(const TrainingCase& c, const DeviceSheet& device, double bytes, std::int64_t size, std::int64_t stride)
{
    return StepClock(c, device, 1).ring(bytes, size, stride);
}

double allToAllSeconds(const TrainingCase& c, const DeviceSheet& device, double bytes, std::int64_t size, std::int64_t stride)
{
    return StepClock(c, device, 1).allToAll(bytes, size, stride);
}

namespace {

/// What one pipeline stage does once a step, behind its last backward pass.
struct StepTail {
    double reduce = 0, hidden = 0;   ///< exchange of gradients and updated weights; the part of it that does not show
    double update = 0;               ///< parameters that a rank updates
    bool onHost = false;             ///< by an optimizer that is offloaded
    double optimizer = 0, offload = 0;
    double files = 0;        ///< of the offload
    double shards = 0, sums = 0;     ///< beside it, FSDP2's shards on their way from the host and back, under computing, and what the host adds up
    double hostShare = 1, hostRanks = 1, restOnDevice = 0;  ///< as in StepTerms
    OptimizerWork work;      ///< of one parameter, where it is updated
    [[nodiscard]] double exposed() const { return reduce - hidden; }
};

// @param backward  seconds of the stage's backward pass of one micro-batch
// @param spare     seconds that the stage has before the first one ends its last backward pass
StepTail tailOf(const StepClock& clock, double backward, std::int64_t stage, std::int64_t layers, double spare)
{
    const TrainingCase& c = clock.m_case;
    const bool sharded = shardsWeights(c);
    const std::vector<ParameterGroup> groups = parameterGroups(c, stage, layers);
    const TrainedElements trained = trainedElements(groups);
    StepTail t;
    double gradientRings = 0, weightRings = 0, reductions = 1, calls = 1;
    for (const ParameterGroup& group : groups) {
        if (!group.trained) continue;
        const ReplicaExchange exchange = replicaExchange(c, group.elements());
        const auto ring = [&](double bytes) { return bytes > 0 ? clock.ring(bytes, group.replicas(), group.stride) : 0.0; };
        const BucketCalls buckets = bucketCalls(c, group);
        const double wait = clock.latency(group.replicas(), group.stride);
        gradientRings += (exchange.whole ? 2 : 1) * exchange.reductions * (ring(exchange.gradients) + (buckets.reductions - 1) * wait);
        weightRings += ring(exchange.weights) + (buckets.gathers - 1) * wait;
        calls = std::max(calls, buckets.reductions);
        reductions = std::max(reductions, exchange.reductions);
    }
    t.reduce = gradientRings + weightRings;
    const bool divides = c.framework == Framework::Megatron ? c.distributedOptimizer : sharded || c.stateStage() >= 1;
    t.update = divides ? trained.share : trained.held;
    const bool waits = sharded || (clock.pythonEngine() && !reducesBesides(c));
    // DeepSpeed gathers updated weights in its step(), with nothing beside it.
    const bool weightsLater = c.framework != Framework::DeepSpeed && c.overlapWeights;
    const double hideable = (c.overlapGradients ? gradientRings : 0.0) + (weightsLater ? weightRings : 0.0);
    // Most of it goes under the backward pass that made the gradients. Both shares are assumed, and the calibration half cannot tell them: a tenth
    // more or less of the first moves 29 of its 311 steps, by 0.6 % at most, and of the second ten, by 0.1 %; half of either moves none by more
    // than 3.1 %.
    // What goes in one bucket is full when the pass is over.
    const double share = hasBuckets(c) ? std::min(0.7, 1 - 1 / calls) : 0.7;
    t.hidden = waits ? 0 : std::min(share * hideable, 0.6 * backward * reductions);
    t.hidden = std::min(t.reduce, t.hidden + std::min(spare, std::max(0.0, gradientRings - t.hidden)));
    const bool hybrid = c.framework == Framework::Megatron && c.optimizerOffload > 0;
    t.onHost = hybrid || shardsOnHost(c) || (c.framework == Framework::DeepSpeed && c.settings.stage >= 1 && c.settings.offloadOptimizer != OffloadDevice::None);
    const OptimizerWork work = optimizerWork(c);
    const double onDevice = clock.bytes(work.bytes * t.update) + (work.flops > 0 ? work.flops * t.update / (clock.m_peak * clock.m_eff.matrix) : 0.0);
    t.optimizer = onDevice;
    t.work = work;
    if (t.onHost) {
        // All ranks of a node share its memory.
        t.work = hostOptimizerWork(c);
        t.hostRanks = static_cast<double>(std::min(c.devicesPerNode, c.ranks()));
        t.hostShare = hybrid ? c.optimizerOffload : shardsOnHost(c) ? 1 : offloadedPart(c.settings, t.update);
        t.restOnDevice = onDevice * (1 - t.hostShare);
        t.optimizer = t.work.bytes * t.update * t.hostShare * t.hostRanks / clock.m_eff.hostMemory + t.restOnDevice;
    }
    const OffloadTraffic away = offloadTraffic(c, groups, static_cast<double>(layers));
    const FileRates files = fileRates(c);
    t.files = away.filesRead() / files.read + away.filesWritten() / files.write;
    t.offload = (shardsOnHost(c) ? 0.0 : away.device() / clock.m_pcie) + t.files;
    if (shardsOnHost(c)) t.shards = away.device() / clock.m_pcie;
    t.sums = 3 * away.sumsOnHost * t.hostRanks / clock.m_eff.hostMemory;
    if (hybrid && c.offloadOverlaps) t.offload = std::max(0.0, t.offload - t.optimizer);
    return t;
}

/// Of an exchange with experts in one micro-batch's pass the part that is waited for: under --overlap-moe-expert-parallel-comm that of a forward pass runs
/// beside the computing of another micro-batch's backward pass, and the other way round; passes of the fill and of the drain have no such partner.
/// Source: megatron/core/pipeline_parallel/combined_1f1b.py; schedules.py, get_pp_rank_microbatches, on the mean over the stages.
double shownExchange(const TrainingCase& c, double sent, double beside)
{
    if (!c.overlapExperts) return sent;
    const double chunks = static_cast<double>(std::max<std::int64_t>(1, c.chunks)), pp = static_cast<double>(c.pp);
    const double passes = chunks * static_cast<double>(std::max<std::int64_t>(1, c.microBatches));
    const double alone = std::min(1.0, (pp - 1 + (chunks - 1) * pp + 1) / passes);
    return alone * sent + (1 - alone) * std::max(0.0, sent - beside);
}

StepForecast forecastBy(const StepClock& clock, const DeviceSheet& device, StepTerms* terms)
{
    const TrainingCase& c = clock.m_case;
    const ModelShape& m = c.model;
    const double micro = static_cast<double>(c.microBatches);
    const bool sharded = shardsWeights(c);

    PassCost layer = clock.layer();
    PassCost head = clock.head();
    const auto add = [](PassCost& sum, const PassCost& more) {
        sum.forward += more.forward;
        sum.backward += more.backward;
    };
    add(layer, clock.blockWeights());
    add(head, clock.shardCopies(static_cast<double>(m.embedding + m.head) / static_cast<double>(c.tp), c.products() == Precision::Fp32 ? 4 : 2, m.part.embedding));
    PassCost tensor = clock.tensorParallel();
    // While the device waits for its host it sends.
    tensor.forward = std::max(0.0, tensor.forward - layer.idleForward);
    tensor.backward = std::max(0.0, tensor.backward - layer.idleBackward);
    tensor.again = std::max(0.0, tensor.again - layer.idleAgain);
    const double checkpoints = checkpointGathers(c) > 0 ? checkpointGathers(c) * clock.ring(tensorPayload(c), c.tp, 1) : 0.0;
    const double expert = clock.expertParallel();
    // Layers whose forward pass is made again.
    const double again = remadeLayers(c);
    const auto remadeOf = [&](const PassCost& one) { return (c.policy == ActivationPolicy::SelectiveOp ? 1.0 : again) * one.again; };
    const double remade = remadeOf(layer);
    const double contextAgain = remadeAttention(c) * layer.contextForward, modulesContext = c.policy == ActivationPolicy::SelectiveCore ? contextAgain : 0.0;  // in the backward pass there
    double core = 0;
    if (c.policy == ActivationPolicy::SelectiveCore && !c.flashAttention) {
        const double square = 2 * c.tokens() * static_cast<double>(m.seq) * static_cast<double>(m.heads * (m.headSize + m.valueSize)) / static_cast<double>(c.tp);
        const double scores = c.tokens() * static_cast<double>(m.seq) * static_cast<double>(m.heads) / static_cast<double>(c.tp);
        core = square / (clock.m_peak * clock.m_eff.matrix * 0.7) + clock.streamed(scores * clock.scoreBytes());
    }

    // Stages are the outermost axis of the ranks: on the same node only where all ranks are. All devices of a node send at once, each
    // over its share of the network.
    const double transfer = c.pp > 1 ? boundaryBytes(c) / (c.ranks() <= clock.m_domain ? clock.joined(c.ranks()) : clock.m_network) + clock.m_eff.hop : 0.0;
    const double gathered = c.pp > 1 && gathersBoundary(c) ? clock.ring(boundaryBytes(c) * static_cast<double>(c.tp), c.tp, 1) : 0.0;

    // The slowest stage sets the pace; the last one has the head.
    const auto layers = layersOfStages(c);
    const double next = static_cast<double>(m.nextTokenLayers);
    // Layers without a backward pass are the model's first ones. What they do in a forward pass is all they do.
    const auto backOf = [&](std::int64_t stage) { return backwardShare(c, stage, layers[static_cast<std::size_t>(stage)]); };
    double slowest = 0, slowestBack = 1, headTime = 0;
    double compute = 0, forwardTime = 0, tensorTime = 0, expertTime = 0, contextTime = 0, gatherExposed = 0, copiesExposed = 0, boundary = 0, microTime = 0, allStages = 0;
    for (std::int64_t stage = 0; stage < c.pp; ++stage) {
        const double own = static_cast<double>(layers[static_cast<std::size_t>(stage)]);
        const bool last = stage == c.pp - 1;
        const double back = backOf(stage);
        const double ofLayer = layer.forward + back * (remade + layer.backward + core);
        const double work = own * ofLayer + (last ? (1 + next) * (head.forward + head.backward) + next * (layer.forward + remade + layer.backward) : 0.0);
        const double tensorHere = own * (tensor.forward + back * (tensor.backward + again * tensor.again + checkpoints));
        const double sparse = expert > 0 ? own - static_cast<double>(denseLayersOfStage(c, stage, layers[static_cast<std::size_t>(stage)])) : 0.0;
        const double expertHere = sparse * shownExchange(c, expert, layer.backward) + std::min(sparse, back * own) * shownExchange(c, expert * (1 + remadeExperts(c)), layer.forward);
        ShownShards exposed;
        if (sharded) {
            const std::int64_t here = layers[static_cast<std::size_t>(stage)];
            exposed = exposedShards(clock, shardSets(c, parameterGroups(c, stage, here)), layer.forward, back * (layer.backward + remade));
        }
        // What was cut into slices is put together once forward and once backward: the first stage has only gradients, the last only activations.
        const double handed = shownTransfers(c, stage) * transfer + (stage == 0 || last ? 1 : 2) * gathered;
        const double here = work + tensorHere + expertHere + exposed.collectives + exposed.copies + handed;
        allStages += here;
        if (here > microTime) {
            microTime = here;
            slowest = own;
            slowestBack = back;
            boundary = handed;
            expertTime = expertHere;
            const double passes = own + (last ? next : 0.0);
            const double context = layer.contextForward + back * (layer.contextBackward + contextAgain);
            contextTime = passes * context;
            compute = work - contextTime;
            headTime = compute - own * (ofLayer - context);
            forwardTime = passes * (layer.forward - layer.contextForward) + (last ? (1 + next) * head.forward : 0.0);
            tensorTime = tensorHere;
            gatherExposed = exposed.collectives;
            copiesExposed = exposed.copies;
        }
    }

    const double bubble = pipelineBubble(c, allStages - microTime, layer.backward / 2 / (layer.forward + layer.backward));

    // The optimizer waits for the gradients' norm, which all stages have a part in: the last one to have it sets the pace. Until the first
    // stage's last backward pass ends, a later one has as long as the passes of those before it.
    const auto backwardOf = [&](std::int64_t stage) { return backOf(stage) * static_cast<double>(layers[static_cast<std::size_t>(stage)]) * layer.backward; };
    const auto passOf = [&](std::int64_t stage) { return backOf(stage) * static_cast<double>(layers[static_cast<std::size_t>(stage)]) * (layer.backward + remade) / static_cast<double>(std::max<std::int64_t>(1, c.chunks)); };
    StepTail tail = tailOf(clock, backwardOf(0), 0, layers.front(), 0);
    double before = passOf(0);
    std::int64_t most = 0;
    for (std::int64_t stage = 1; stage < c.pp; ++stage) {
        const std::int64_t here = layers[static_cast<std::size_t>(stage)];
        // Behind one with as many layers that has less time none is later; of dense and sparse, or trained and frozen layers the same number is not as much.
        if (here > most || stage == c.pp - 1 || m.denseLayers > 0 || m.part.partly) {
            const StepTail other = tailOf(clock, backwardOf(stage), stage, here, before);
            if (other.exposed() > tail.exposed()) std::tie(tail.reduce, tail.hidden) = std::tie(other.reduce, other.hidden);
            if (other.optimizer > tail.optimizer) std::tie(tail.optimizer, tail.update) = std::tie(other.optimizer, other.update);
            tail.offload = std::max(tail.offload, other.offload);
            tail.files = std::max(tail.files, other.files);
            tail.shards = std::max(tail.shards, other.shards);
            tail.sums = std::max(tail.sums, other.sums);
        }
        before += passOf(stage);
        most = std::max(most, here);
    }
    const double reduceExposed = tail.exposed();
    // Activations go to the host where there is no pipeline.
    const double returning = backOf(0) * static_cast<double>(layers.front());
    const double shownActivations = c.hostLayers > 0 && c.pp == 1 ? micro * waitForHost(c, returning, clock.m_pcie, layer.forward + tensor.forward, layer.backward + remade + tensor.backward) : 0.0;
    const double movedActivations = c.hostLayers > 0 && c.pp == 1 ? 2 * micro * hostActivations(c, returning).bytes / clock.m_pcie : 0.0;
    const double optimizer = tail.optimizer, offload = tail.offload + shownActivations + micro * copiesExposed;

    // A step ends when the slowest of all devices has done its part: of N alike it is expected sqrt(2 ln N) deviations behind the mean. What
    // a node of eight has of it is in the rates, which were set on nodes.
    const auto behind = [](double devices) { return std::sqrt(2 * std::log(std::max(devices, 1.0))); };
    const double late = device.id == "cpu" ? 0.0 : clock.m_eff.spread * std::max(0.0, behind(static_cast<double>(c.ranks())) - behind(8));
    const double waiting = late * micro * compute;

    StepForecast f;
    f.split.reserve(12);   // built in place: most of the names are too long to be copied without an allocation
    for (const auto& [name, seconds] : std::initializer_list<std::pair<const char*, double>>{{"compute", micro * compute},
                                                                                            {"communication_exposed.tensor", micro * tensorTime},
                                                                                            {"communication_exposed.experts", micro * expertTime},
                                                                                            {"communication_exposed.context", micro * contextTime},
                                                                                            {"communication_exposed.weights", micro * gatherExposed},
                                                                                            {"communication_exposed.pipeline", micro * boundary},
                                                                                            {"communication_exposed.gradients", reduceExposed},
                                                                                            {"bubble", bubble},
                                                                                            {"waiting", waiting},
                                                                                            {"offload", offload},
                                                                                            {"optimizer", optimizer},
                                                                                            {"host", 2e-3}}) {
        f.split.emplace_back(name, seconds);
        f.stepTime += seconds;
    }
    f.forward = micro * forwardTime;
    f.backward = micro * (compute - forwardTime);
    const double tokens = c.tokens() * static_cast<double>(c.cp) * micro * static_cast<double>(c.dp);
    f.tokensPerSecond = tokens / f.stepTime;
    f.modelFlops = modelFlopsPerStep(c);
    f.devicePeak = clock.m_peak;
    f.mfu = f.modelFlops / (f.stepTime * clock.m_peak * static_cast<double>(c.ranks()));
    if (terms) {
        const double copies = micro * copiesExposed;
        f.peakType = clock.m_type;
        const double each = clock.tensorParallel().forward, rings = tensorRings(c).forward;
        const double copied = each > 0 ? tensorTime * clock.tensorCopies() * rings / each : 0.0;
        *terms = {micro, slowest, layer.forward - layer.contextForward, slowestBack * (layer.backward - layer.contextBackward - modulesContext), slowestBack * (remade + core - contextAgain + modulesContext), headTime, tensorTime, expertTime, contextTime, gatherExposed, boundary, allStages - microTime, tail.reduce, tail.hidden, tail.update, tail.onHost, offload,
                  clock.m_peak, clock.matrixShare(), clock.m_memory, clock.joined(c.ranks()), clock.m_network, clock.m_pcie, clock.m_eff.hostMemory, clock.m_type, clock.m_peak * clock.m_eff.matrix, tail.work, device.id != "cpu" && clock.behindHost(0.9).layer().forward < clock.layer().forward ? clock.m_host * clock.m_eff.kernel : 0.0, tail.files, fileRates(c), c.settings.diskRead > 0,
                  tail.hostShare, tail.hostRanks, tail.restOnDevice, copied, clock.joined(c.tp), movedActivations, movedActivations - shownActivations, tail.shards, tail.sums, tail.shards > 0 ? std::max(0.0, tail.shards + tail.sums - copies) : 0.0};
    }
    // Behind a slower or a faster host only what waits for it changes.
    const auto behindHost = [&](double times) {
        PassCost other = clock.behindHost(times).layer();
        add(other, clock.blockWeights());
        const double change = micro * slowest * (other.forward - layer.forward + slowestBack * (other.backward + remadeOf(other) - layer.backward - remade));
        return 1 + change * (1 + bubble / std::max(micro * microTime, 1e-12)) / f.stepTime;
    };
    Margins margins = marginsOf(c, device);
    // Of a job whose step waits for its host little, as FSDP2's with adapters, that little is as uncertain as elsewhere.
    if (shardsOnHost(c)) {
        const double host = 1 + (kHostOptimizer - 1) * (optimizer + offload) / f.stepTime;
        margins = {margins.faster * host, margins.slower * host};
    }
    const double fast = together(margins.faster, 1 / std::max(behindHost(1 / kHostSpread), 0.1)), slow = together(margins.slower, behindHost(kHostSpread));
    // A network that nobody has named may have a quarter of the rate taken here: so has IBM's of A100 and of H100 (50 and 100 Gb/s a device), and
    // YaFSDP's short sequences wait for one as slow (calibration half). What shows of it shows four times.
    const bool guessed = c.networkBytes <= 0 && c.ranks() > clock.m_domain;
    const double across = guessed ? 3 * (reduceExposed * (c.dp * c.cp * c.tp > clock.m_domain ? 1 : 0) + micro * gatherExposed + micro * boundary) : 0.0;
    // No device is faster than its peak, whatever else is not known: what is computed, without the half of attention's square that is skipped.
    const double atPeak = clock.m_peak * static_cast<double>(c.ranks()) * (c.float8 ? std::max(1.0, clock.m_peakFp8 / clock.m_peak) : 1.0);
    const double least = std::min(f.stepTime, (f.modelFlops - skippedFlopsPerStep(c)) / atPeak);
    f.interval90 = {std::max(f.stepTime / fast, least), f.stepTime * slow * slowerOf(c) + across};
    if (terms) terms->mfuMost = least > 0 ? f.mfu * f.stepTime / least : 0.0;
    return f;
}

}  // namespace

StepForecast forecastStep(const TrainingCase& c, const DeviceSheet& device, int threads, StepTerms* terms) { return forecastBy(StepClock(c, device, threads), device, terms); }

double latencyShare(const TrainingCase& c, const DeviceSheet& device, int threads)
{
    StepClock clock(c, device, threads);
    const double whole = forecastBy(clock, device, nullptr).stepTime;
    clock.m_eff.hop = 0;
    return 1 - forecastBy(clock, device, nullptr).stepTime / whole;
}

}  // namespace stagecraft
