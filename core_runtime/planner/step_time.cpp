// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/step_time.h"

#include "model/flops.h"
#include "planner/framework_ledger.h"
#include "planner/pipeline_time.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

/// One rank's costs of a layer or of the head, per micro-batch, in seconds.
struct Cost {
    double forward = 0, backward = 0;
    bool hostBound = false;  ///< launching the kernels takes a good part of their time
};

class Clock {
public:
    Clock(const TrainingCase& c, const DeviceSheet& device, int threads)
        : m_case(c), m_eff(efficiencyOf(device)), m_threads(device.id == "cpu" ? std::max(threads, 1) : 1),
          m_type(c.precision == Precision::Fp32 ? (device.id == "cpu" ? "fp32" : "tf32") : c.precision == Precision::Fp16 ? "fp16" : "bf16"),
          m_peak(device.peakFor(m_type) * m_threads), m_peakFp8(device.peakFor("fp8") * m_threads), m_memory(device.memoryBytesPerSecond * m_threads * m_eff.memory)
    {
        const double port = m_eff.networkBytes * m_eff.network;
        m_link = device.link ? device.link->bytesPerSecond * m_eff.link : std::max(device.pcieBytesPerSecond, 1e9) * m_eff.link;
        m_network = std::min(c.networkBytes > 0 ? c.networkBytes : port, m_link);
        // Trays of one NVLink domain are one node to their collectives (NVL72: 18 trays of four).
        m_domain = device.link && device.link->maxDevices > 16 ? std::max<std::int64_t>(c.devicesPerNode, device.link->maxDevices) : c.devicesPerNode;
        m_pcie = std::max(device.pcieBytesPerSecond, 1e9) * 0.8;
    }

    /// An [m,k] x [k,n] product.
    double product(double m, double n, double k, bool fp8 = false) const
    {
        const double narrow = std::min({m, n, k});
        const double shape = narrow / (narrow + m_eff.halfWidth);
        return 2 * m * n * k / (fp8 ? m_peakFp8 * (fusedLayers() ? m_eff.matrixFp8Fused : m_eff.matrixFp8) * shape : m_peak * matrixShare() * shape);
    }
    /// DeepSpeed itself: our own engine reads the same settings, and on CPUs it is the one that runs.
    bool pythonEngine() const { return m_case.framework == Framework::DeepSpeed && m_case.device != "cpu"; }
    bool fusedLayers() const { return m_case.framework == Framework::Megatron && m_case.transformerEngine; }
    /// Transformer Engine and PyTorch call the same matrix library: its releases differ, and those of 2025 are the former's here.
    double matrixShare() const { return fusedLayers() || m_case.laterProducts ? m_eff.matrixFused : m_eff.matrix; }
    double bytes(double count) const { return count / m_memory; }
    /// The same by the framework's own element-wise kernels. Megatron's layers were fused before Transformer Engine: norms by hand, bias
    /// with GeLU and with dropout and residual by PyTorch's JIT (Narayanan et al. 2021, section 4.2).
    double elementwise(double count) const { return m_case.framework == Framework::Megatron || m_case.megatronCode ? count / (m_memory / m_eff.memory * m_eff.memoryFused) : bytes(count); }
    /// Long rows in few kernels reach 0.8 of the memory's rate.
    double streamed(double count) const { return count / (m_memory / m_eff.memory * 0.8); }

    /// Bytes that one score of unfused attention moves in the forward pass. Fused softmax: written by its product, read and written
    /// by the softmax, read by the next product, and dropout with its mask. Eager: scaled and masked by kernels of their own, and
    /// where the norm is RMS (LLaMA and later) turned to fp32 for the softmax and back.
    double scoreBytes() const
    {
        const double b = m_case.precision == Precision::Fp32 ? 4 : 2;
        const double upcast = m_case.model.rmsNorm && b < 4 ? 8 : 0;
        return b * (m_case.eagerScores ? 8 : 4) + (m_case.eagerScores ? upcast : 0) + (m_case.attentionDropout > 0 ? 2 * b + 1 : 0);
    }

    /// Ring collective in which each rank of `size` sends (size - 1) / size of `total` bytes.
    double ring(double total, std::int64_t size, std::int64_t stride) const
    {
        if (size <= 1) return 0;
        const double n = static_cast<double>(size);
        const bool inside = size * stride <= m_domain;
        // Several ranks of a node in one ring share their ports: the ring leaves a node once for all of them.
        const double perNode = std::max(1.0, std::floor(static_cast<double>(m_domain) / static_cast<double>(stride)));
        const double rate = inside ? m_link : std::min(m_link, m_network * std::min(perNode, n));
        return (n - 1) / n * total / rate + latency(size, stride);
    }

    /// Every rank waits for every other once: between nodes a whole hop, inside one a quarter.
    double latency(std::int64_t size, std::int64_t stride) const
    {
        const double n = static_cast<double>(size);
        const double across = size * stride <= m_domain ? 0.0 : std::min(n - 1, std::ceil(n * static_cast<double>(stride) / static_cast<double>(m_domain)));
        return m_eff.hop * (across + 0.25 * (n - 1 - across));
    }

    /// Gathering or scattering a block's shards over the replicas.
    double shards(double total, std::int64_t size, std::int64_t stride) const
    {
        if (size <= 1) return 0;
        if (!shardsOneByOne(size, stride)) return ring(total, size, stride);
        // DeepSpeed does so for each matrix.
        const double matrices = m_case.model.gated ? 7 : 4;
        const double share = m_case.networkBytes > 0 ? 1.0 : m_eff.networkShards;
        return (ring(total, size, stride) - latency(size, stride)) / share + matrices * latency(size, stride);
    }
    bool shardsOneByOne(std::int64_t size, std::int64_t stride) const { return m_case.framework == Framework::DeepSpeed && size * stride > m_domain; }

    Cost layer() const;
    Cost head() const;
    /// Bytes per token that one forward pass of a Transformers layer moves outside of products and attention, kernel by kernel.
    double eagerTraffic(double width, double rotated, double values) const;
    /// FLOP/s of the fused attention kernel that the framework picks.
    double attentionRate() const;
    /// What dividing the sequence adds to attention, per layer: exchange of keys and values that shows, and merging of partial outputs.
    Cost contextParallel(double attention, double attentionBack) const;
    double tensorParallel() const;  ///< one pass of a layer's collectives
    double expertParallel() const;  ///< one pass of a sparse layer's two all-to-alls

    const TrainingCase& m_case;
    Efficiency m_eff;
    int m_threads;
    std::int64_t m_domain = 1;  ///< devices that reach each other without the network
    std::string m_type;
    double m_peak, m_peakFp8, m_memory, m_link = 0, m_network = 0, m_pcie = 0;
};

double Clock::attentionRate() const
{
    const double older = m_peak * m_eff.attention * (m_case.olderAttention ? 0.63 : 1.0);
    if (!(fusedLayers() || m_case.cudnnAttention) || m_eff.attentionNewer <= m_eff.attention) return older;
    // Deterministic backward passes are FlashAttention-2's, whose instructions are Ampere's: a newer device runs them no faster than Hopper.
    if (m_case.deterministic) return std::min(older, 350e12);
    // Narrow heads: 413 of 600 TFLOP/s (Shah et al. 2024, Figure 5).
    return m_peak * m_eff.attentionNewer * (m_case.model.headSize < 96 ? 0.69 : 1.0);
}

double Clock::eagerTraffic(double width, double rotated, double values) const
{
    const ModelShape& m = m_case.model;
    const double h = static_cast<double>(m.hidden);
    // RMS norm: to fp32, square, mean, product, back, weight. Layer norm: one kernel.
    const double norms = 2 * (m.rmsNorm ? 32.0 : 4.0) * h;
    const double residuals = 2 * (m_case.hiddenDropout > 0 ? 11.0 : 6.0) * h;
    // Rotation: halves negated and joined, two products and their sum.
    const double rotation = m_case.rotary ? 18.0 * rotated : 0.0;
    // Gated: SiLU and its product. Otherwise one kernel, or eight for the tanh formula written in Python.
    const double mlp = (m.gated ? 10.0 : m.composedGelu ? 36.0 : 4.0) * width;
    // Heads are put beside each other for the output product.
    return (m_case.precision == Precision::Fp32 ? 2 : 1) * (norms + residuals + rotation + mlp + 4 * values);
}

Cost Clock::layer() const
{
    const ModelShape& m = m_case.model;
    const double t = static_cast<double>(m_case.tp);
    const double tokens = m_case.tokens();
    const double h = static_cast<double>(m.hidden);
    const double queries = static_cast<double>(m.heads * m.headSize) / t;
    const double keys = static_cast<double>(std::max(m.kvHeads, m_case.tp) * m.headSize) / t;
    const double values = static_cast<double>(m.heads * m.valueSize) / t;
    const double seq = static_cast<double>(m.seq);
    const double b = m_case.precision == Precision::Fp32 ? 4 : 2;
    const bool fp8 = m_case.float8;
    const double up = m.gated ? 2 : 1;

    double products = product(tokens, queries + 2 * keys, h, fp8) + product(tokens, h, values, fp8);
    double width = static_cast<double>(m.ffn) / t;
    if (m.experts > 0) {
        // Each expert here multiplies its own share of the tokens.
        const double here = std::max(1.0, static_cast<double>(m.experts) / static_cast<double>(m_case.ep));
        const double routed = std::max(1.0, tokens * static_cast<double>(m.expertsPerToken) / here);
        const double perExpert = static_cast<double>(m.expertFfn) / t;
        // Groups of products of uneven sizes go through kernels of their own, not the tuned ones of the dense layers.
        const double grouped = fp8 ? 1.0 : matrixShare() / m_eff.matrix;
        products += here * grouped * (product(routed, up * perExpert, h, fp8) + product(routed, h, perExpert, fp8));
        if (m.sharedFfn > 0) products += product(tokens, up * static_cast<double>(m.sharedFfn) / t, h, fp8) + product(tokens, h, static_cast<double>(m.sharedFfn) / t, fp8);
        width = perExpert * static_cast<double>(m.expertsPerToken) + static_cast<double>(m.sharedFfn) / t;
    } else {
        products += product(tokens, up * width, h, fp8) + product(tokens, h, width, fp8);
    }

    // Scores and values: fused kernels skip the masked half, the others do not.
    const double square = 2 * tokens * seq * (queries + values);
    double attention, attentionBack;
    if (m_case.flashAttention) {
        const double rate = attentionRate();
        attention = square / 2 / rate;
        attentionBack = 2.5 * square / 2 / (rate * 0.85);
    } else {
        const double scores = tokens * seq * static_cast<double>(m.heads) / t;
        const double productsOfScores = square / (m_peak * m_eff.matrix * 0.7);
        attention = productsOfScores + streamed(scores * scoreBytes());
        // Backward with a fused softmax, in elements: the values' gradient reads the scores and a product writes theirs, dropout reads and
        // writes them, the softmax reads two and writes one, two products read it. That is 9 for 6 forward, with one mask each; 7 for 4 without dropout.
        attentionBack = m_case.eagerScores ? 2 * attention : 2 * productsOfScores + streamed(scores * (scoreBytes() + 3 * b));
    }

    if (m_case.cp > 1) {
        const Cost context = contextParallel(attention, attentionBack);
        attention += context.forward;
        attentionBack += context.backward;
    }

    // Element-wise traffic per token, forward; the backward pass moves about twice that.
    const double sp = m_case.sequenceParallel ? 1 / t : 1;
    double traffic = b * (2 * 2 * h * sp + 2 * 4 * h * sp + (m.gated ? 3 : 2) * width + (m_case.rotary ? 2 * (queries + keys) : 0));
    // Eager RMS norms cast to fp32 and back in six kernels, rotation in three; a layer norm is one kernel.
    if (m_case.framework == Framework::Fsdp2) traffic *= m_case.compiled ? 0.8 : m.rmsNorm ? 2.2 : 1.0;
    if (m_case.framework == Framework::DeepSpeed && !m_case.megatronCode) traffic = m_case.compiled ? 0.8 * traffic : pythonEngine() ? eagerTraffic(width, queries + keys, values) : 2 * traffic;
    // Routed tokens are put into their experts' order and back, by kernels that are not fused.
    const double permuted = m.experts > 0 ? bytes(b * 4 * static_cast<double>(m.expertsPerToken) * h * sp * tokens) : 0;
    const double element = elementwise(traffic * tokens) + permuted;
    // Scaling and casting to 8 bits reads and writes each operand once more.
    const double casts = fp8 ? elementwise(tokens * 3 * (2 * h + queries + width)) : 0;

    Cost cost;
    // Eager layers are launched from Python: about 60 kernels at the slow end of 5-10 us, twice as many where nothing is fused;
    // compiled ones need fewer and less.
    const bool unfused = (m_case.framework == Framework::Megatron || m_case.megatronCode) && !m_case.transformerEngine;
    const double launches = (m_case.compiled ? 30 : unfused ? 240 : 120) * m_eff.kernel;
    cost.hostBound = launches > 0.5 * (products + attention + element + casts);
    // Launching and computing overlap, or take turns.
    const auto together = [&](double work, double launching) { return m_case.launchBlocking ? work + launching : std::max(work, launching); };
    cost.forward = together(products + attention + element + casts, launches);
    // Frozen matrices have no gradient of their own: half of the backward products, and packed ones are unpacked for each.
    const double backwardProducts = m.adapted() ? 1 + static_cast<double>(m.adapterLayer) / static_cast<double>(std::max<std::int64_t>(1, m.layerMatrices)) : 2;
    // Weight gradients of a micro-batch are added to the fp32 ones by the product itself, or by a kernel that reads both and writes one.
    const bool added = m_case.framework == Framework::Megatron && m_case.fp32Gradients && !m_case.fusedAccumulation;
    const double accumulate = added ? streamed(10.0 * (static_cast<double>(m.perLayer - m.layerExperts) / t + static_cast<double>(m.layerExperts) / static_cast<double>(m_case.ep * m_case.expertTensor()))) : 0;
    const double unpack = m.adapted() && m.frozenBytes < 2 ? bytes((m.frozenBytes + 2) * static_cast<double>(m.adapterMatrices) / t) : 0;
    cost.forward += unpack;
    cost.backward = unpack + accumulate + together(backwardProducts * products + attentionBack + 2 * element + 2 * casts, 2 * launches);
    return cost;
}

Cost Clock::contextParallel(double attention, double attentionBack) const
{
    const ModelShape& m = m_case.model;
    const double t = static_cast<double>(m_case.tp);
    const double n = static_cast<double>(m_case.cp);
    const double b = m_case.precision == Precision::Fp32 ? 4 : 2;
    const double tokens = m_case.tokens();
    // torchtitan repeats keys and values to all query heads before it sends them; Megatron sends the heads there are.
    const bool repeated = m_case.framework == Framework::Fsdp2;
    const double heads = (repeated ? static_cast<double>(m.heads) : static_cast<double>(std::max(m.kvHeads, m_case.tp))) / t;
    const double chunk = b * tokens * heads * static_cast<double>(m.headSize + m.valueSize);
    const double exchange = ring(chunk * n, m_case.cp, m_case.tp);
    const double outputs = tokens * static_cast<double>(m.heads * m.valueSize) / t;
    if (!repeated) {
        // Ring of point-to-point messages, each under the piece of attention before it; corrections of the output are fused.
        return {std::max(0.0, exchange - attention * (n - 1) / n) + bytes(outputs * 12 * n), std::max(0.0, 2 * exchange - attentionBack * (n - 1) / n) + bytes(outputs * 12 * n), false};
    }
    // One all-gather, under which only the local piece runs. Partial outputs are merged in fp32 by separate kernels: cast, two
    // differences, a product and their results, 44 bytes an element; the backward pass adds three fp32 gradients, 12 bytes each.
    const double merging = bytes(outputs * 44 * n);
    const double adding = bytes(outputs * 36 * n);
    return {std::max(0.0, exchange - attention / n) + merging, std::max(0.0, exchange - attentionBack / n) + std::max(0.0, exchange - attentionBack * (n - 1) / n) + adding, false};
}

Cost Clock::head() const
{
    const double logits = m_case.tokens() * static_cast<double>(m_case.model.vocab) / static_cast<double>(m_case.tp);
    const double product = this->product(m_case.tokens(), static_cast<double>(m_case.model.vocab) / static_cast<double>(m_case.tp), static_cast<double>(m_case.model.hidden));
    const double passes = m_case.framework == Framework::Megatron || m_case.compiledLoss ? 20 : 34;
    return {product + bytes(logits * passes / 2), (m_case.model.adapted() ? 1 : 2) * product + bytes(logits * passes / 2), false};
}

double Clock::expertParallel() const
{
    const ModelShape& m = m_case.model;
    if (m.experts == 0 || m_case.ep <= 1) return 0;
    const double b = m_case.precision == Precision::Fp32 ? 4 : 2;
    const double t = static_cast<double>(m_case.tp);
    const double n = static_cast<double>(m_case.ep);
    const double routed = b * m_case.tokens() / (m_case.sequenceParallel ? t : 1.0) * static_cast<double>(m.expertsPerToken * m.hidden);
    // An all-to-all sends each peer its share: what goes to other nodes uses this device's own port.
    const double perNode = std::clamp(std::floor(static_cast<double>(m_domain) / static_cast<double>(m_case.expertTensor())), 1.0, n);
    const double exchange = routed / n * ((perNode - 1) / m_link + (n - perNode) / m_network) + (n - 1) * m_eff.hop * 0.25;
    return 2 * exchange;
}

double Clock::tensorParallel() const
{
    if (m_case.tp <= 1) return 0;
    const double b = m_case.precision == Precision::Fp32 ? 4 : 2;
    const double payload = b * m_case.tokens() * static_cast<double>(m_case.model.hidden);
    // Two all-reduces, or as many gather and scatter pairs of the same bytes.
    const double exposed = m_case.asyncTensor ? 0.4 : 1.0;
    return exposed * 2 * 2 * ring(payload, m_case.tp, 1);
}

/// Factor between the forecast and the ends of its 90 % interval, from data sheets alone.
double spreadOf(const TrainingCase& c, const DeviceSheet& device, bool hostBound)
{
    // CPUs differ most: their clock, cache and memory are not in the sheet.
    if (device.id == "cpu") return 2.5;
    // Nine in ten of the calibration half's Megatron and FSDP steps lie within 1.16; all are of dense models with whole sequences.
    double spread = 1.16;
    const bool measured = device.id.starts_with("A100-SXM") || device.id.starts_with("A800-SXM") || device.id.starts_with("H100-SXM") || device.id.starts_with("H200-SXM") || device.id.starts_with("V100-SXM");
    if (!measured) spread *= 1.25;
    if (c.model.experts > 0) spread *= 1.15;
    // Divided sequences: from 1.1 to 1.6 in the calibration half, by the release of the attention kernels.
    if (c.cp > 1) spread *= 1.25;
    // No step of FSDP under tensor parallelism is in that half.
    if (c.framework == Framework::Fsdp2 && c.tp > 1) spread *= 1.15;
    if (c.framework == Framework::DeepSpeed) {
        // Hooks in Python around every parameter, and model code that differs by release: 1.4 to 1.56 in the calibration half, but
        // for Megatron's own layers.
        if (!c.megatronCode || c.settings.stage == 3) spread *= 1.30;
        // CPU optimizers depend on cores, threads and memory channels that no sheet names: 2.2 there.
        if (c.settings.offloadOptimizer != OffloadDevice::None) spread *= 1.45;
    }
    // How fast a host launches kernels is in no data sheet.
    return hostBound ? std::max(spread, 3.0) : spread;
}

}  // namespace

double modelFlopsPerStep(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const double next = static_cast<double>(m.nextTokenLayers);
    const double h = static_cast<double>(m.hidden);
    double matrices = static_cast<double>(m.layers) * static_cast<double>(m.layerActive) + (1 + next) * static_cast<double>(m.vocab) * h + next * (static_cast<double>(m.layerActive) + 2 * h * h);
    if (m.experts > 0) {
        // A dense layer has the plain MLP in place of the experts a token uses, the shared ones and the router.
        const double used = static_cast<double>(m.expertsPerToken * m.expertFfn + m.sharedFfn);
        const double wide = (m.gated ? 3 : 2) * h;
        matrices += static_cast<double>(m.denseLayers) * (wide * (static_cast<double>(m.ffn) - used) - h * static_cast<double>(m.experts));
    }
    const double tokens = c.tokens() * static_cast<double>(c.cp) * static_cast<double>(c.microBatches) * static_cast<double>(c.dp);
    // A frozen matrix has no gradient of its own: forward and the gradient of its input.
    const double less = m.adapted() ? 2 * matrices - 6 * static_cast<double>(m.layers * m.adapterLayer) : 0.0;
    return -tokens * less + tokens * trainingFlopsPerToken(matrices, static_cast<double>(m.layers) + next, static_cast<double>(m.heads) * static_cast<double>(m.headSize + m.valueSize), static_cast<double>(m.seq));
}

double replicaRingSeconds(const TrainingCase& c, const DeviceSheet& device, double bytes)
{
    return Clock(c, device, 1).ring(bytes, c.dp * c.cp, c.tp);
}

StepForecast forecastStep(const TrainingCase& c, const DeviceSheet& device, int threads)
{
    const Clock clock(c, device, threads);
    const ModelShape& m = c.model;
    const double micro = static_cast<double>(c.microBatches);
    const double b = c.precision == Precision::Fp32 ? 4 : 2;
    const double replicas = static_cast<double>(c.dp * c.cp / c.replicate);
    const std::int64_t shards = c.dp * c.cp / c.replicate;
    const double reductions = c.accumulateUnsharded ? micro : 1.0;  ///< micro-batches that share one reduction
    const std::int64_t shardStride = c.tp;
    const bool shardsWeights = c.framework == Framework::Fsdp2 || (c.framework == Framework::DeepSpeed && c.settings.stage == 3);

    const Cost layer = clock.layer();
    const Cost head = clock.head();
    const double tensor = clock.tensorParallel();
    const double expert = c.overlapExperts ? 0.0 : clock.expertParallel();
    // Layers whose forward pass is made again.
    double again = 0;
    switch (c.policy) {
    case ActivationPolicy::Full: again = 1; break;
    case ActivationPolicy::SelectiveOp: again = 0.45; break;  // half of the matrix products and all that is element-wise
    case ActivationPolicy::SelectiveLayer: again = 1.0 / static_cast<double>(std::max<std::int64_t>(1, c.policyLayers)); break;
    default: break;
    }
    if (c.policy == ActivationPolicy::Full && c.recomputeFirstLayersOnly) {
        again = std::min(1.0, static_cast<double>(c.policyLayers) * static_cast<double>(c.pp) / static_cast<double>(m.layers));
    }
    double core = 0;
    if (c.policy == ActivationPolicy::SelectiveCore && !c.flashAttention) {
        const double square = 2 * c.tokens() * static_cast<double>(m.seq) * static_cast<double>(m.heads * (m.headSize + m.valueSize)) / static_cast<double>(c.tp);
        const double scores = c.tokens() * static_cast<double>(m.seq) * static_cast<double>(m.heads) / static_cast<double>(c.tp);
        core = square / (clock.m_peak * clock.m_eff.matrix * 0.7) + clock.streamed(scores * clock.scoreBytes());
    }

    // Stages are the outermost axis of the ranks: on the same node only where all ranks are. All devices of a node send at once, each
    // over its share of the network.
    const double transfer = c.pp > 1 ? boundaryBytes(c) / (c.ranks() <= clock.m_domain ? clock.m_link : clock.m_network) + clock.m_eff.hop : 0.0;
    const double gathered = c.pp > 1 && gathersBoundary(c) ? clock.ring(boundaryBytes(c) * static_cast<double>(c.tp), c.tp, 1) : 0.0;

    // The slowest stage sets the pace; the last one has the head.
    const auto layers = layersOfStages(c);
    const double next = static_cast<double>(m.nextTokenLayers);
    double compute = 0, forwardTime = 0, tensorTime = 0, expertTime = 0, gatherExposed = 0, boundary = 0, microTime = 0, allStages = 0;
    for (std::int64_t stage = 0; stage < c.pp; ++stage) {
        const double own = static_cast<double>(layers[static_cast<std::size_t>(stage)]);
        const bool last = stage == c.pp - 1;
        const double work = own * (layer.forward * (1 + again) + layer.backward + core) + (last ? (1 + next) * (head.forward + head.backward) + next * (layer.forward * (1 + again) + layer.backward) : 0.0);
        const double tensorHere = own * tensor * (2 + again);
        const double expertHere = expert > 0 ? (own - static_cast<double>(denseLayersOfStage(c, stage, layers[static_cast<std::size_t>(stage)]))) * expert * (2 + again) : 0.0;
        double exposed = 0;
        if (shardsWeights && shards > 1) {
            const StageParameters p = stageParameters(c, stage, layers[static_cast<std::size_t>(stage)]);
            // A gather hides under the block before it; what is longer shows. The root group's gather has nothing before it. DeepSpeed
            // asks ahead for no more than its prefetch bucket, and not at all without overlap_comm.
            const double gather = clock.shards(b * p.block, shards, shardStride);
            const double scatter = (clock.shards((c.framework == Framework::Fsdp2 ? 4 : b) * p.block, shards, shardStride) + 2 * clock.ring(4 * p.block / static_cast<double>(shards), c.replicate, shardStride * shards)) / reductions;
            const double passes = c.reshardAfterForward ? 1.0 : 0.0;
            const double ahead = !c.settings.overlapForbidden ? std::min(1.0, static_cast<double>(c.settings.prefetchBucket) / std::max(p.block, 1.0)) : 0.0;
            const double under = clock.shardsOneByOne(shards, shardStride) ? 0.0 : clock.pythonEngine() ? ahead : 1.0;
            const double forward = std::max(0.0, gather - under * layer.forward);
            const double backward = std::max(0.0, passes * gather + scatter - under * (layer.backward + again * layer.forward));
            exposed = own * (forward + backward) + clock.ring(b * p.embedding, shards, shardStride) + clock.ring(4 * (p.head + p.embedding), shards, shardStride);
            if (!c.reshardAfterForward) exposed /= micro;
        }
        // What was cut into slices is put together once forward and once backward: the first stage has only gradients, the last only activations.
        const double handed = shownTransfers(c, stage) * transfer + (stage == 0 || last ? 1 : 2) * gathered;
        const double here = work + tensorHere + expertHere + exposed + handed;
        allStages += here;
        if (here > microTime) {
            microTime = here;
            boundary = handed;
            expertTime = expertHere;
            compute = work;
            forwardTime = own * layer.forward + (last ? (1 + next) * head.forward + next * layer.forward : 0.0);
            tensorTime = tensorHere;
            gatherExposed = exposed;
        }
    }

    const double bubble = pipelineBubble(c, allStages - microTime, layer.backward / 2 / (layer.forward + layer.backward));

    // Once a step: gradients over the replicas (most of it under the last backward pass), updated weights, the optimizer.
    const StageParameters first = stageParameters(c, 0, layers.front());
    const double phi = m.adapted() ? static_cast<double>(layers.front() * m.adapterLayer) / static_cast<double>(c.tp) : first.all();
    double reduce = 0;
    double update = phi;
    if (c.framework == Framework::Megatron) {
        const double gradient = c.fp32Gradients ? 4 : 2;
        reduce = c.distributedOptimizer ? clock.ring(gradient * phi, c.dp * c.cp, shardStride) + clock.ring(b * phi, c.dp * c.cp, shardStride) : 2 * clock.ring(gradient * phi, c.dp * c.cp, shardStride);
        if (c.distributedOptimizer) update /= replicas;
    } else if (shardsWeights) {
        update /= replicas;
    } else {
        const double perReduce = clock.ring(b * phi, c.dp * c.cp, shardStride);
        reduce = c.settings.stage >= 1 ? (c.settings.stage == 2 ? micro : 1) * perReduce + perReduce : 2 * perReduce;
        if (c.settings.stage >= 1) update /= replicas;
    }
    // DeepSpeed's stages 1 and 2 wait for their own reductions unless told to overlap them; their default is not to.
    const bool waits = shardsWeights || (clock.pythonEngine() && c.settings.stage >= 1 && !c.settings.overlapComm);
    const double hidden = waits ? 0 : std::min(0.7 * reduce, 0.6 * layer.backward * static_cast<double>(layers.front()));
    const double reduceExposed = std::max(0.0, reduce - hidden);
    const bool hostUpdate = c.framework == Framework::DeepSpeed && c.settings.offloadOptimizer != OffloadDevice::None;
    const double stateTraffic = 28 * update;
    double optimizer = clock.bytes(stateTraffic);
    double offload = 0;
    if (c.framework == Framework::DeepSpeed) {
        const double share = phi / replicas;
        const double here = static_cast<double>(std::min(c.devicesPerNode, c.ranks()));
        if (hostUpdate) {
            // Beside Adam's own 28 bytes a parameter the host reads gradients for their norm, scales them (read and written),
            // clears them, and turns the new weights to 16 bits: 50. All ranks of a node share its memory.
            optimizer = 50 * update * c.settings.offloadRatio * here / clock.m_eff.hostMemory + clock.bytes(stateTraffic * (1 - c.settings.offloadRatio));
            // Gradients go down in fp32; with accumulation those of the micro-batches before come up and go down again.
            offload += (4 + 2 * b * (micro - 1) + b) * share * c.settings.offloadRatio / clock.m_pcie;
        }
        if (c.settings.stage == 3 && c.settings.offloadParam != OffloadDevice::None) offload += micro * 2 * b * share / clock.m_pcie;
        // Checkpoints kept in host memory go down and come up.
        if (c.settings.cpuCheckpointing && c.policy == ActivationPolicy::Full) {
            const double checkpoint = b * c.tokens() * static_cast<double>(m.hidden) / (c.settings.partitionActivations ? static_cast<double>(c.tp) : 1.0);
            offload += micro * 2 * checkpoint * static_cast<double>(layers.front()) / clock.m_pcie;
        }
        // One array of about 6 GB/s for all devices of a node.
        const double file = 6e9 / static_cast<double>(std::max<std::int64_t>(1, c.devicesPerNode));
        if (c.settings.offloadOptimizer == OffloadDevice::Nvme) offload += 24 * share / file;
        if (c.settings.offloadParam == OffloadDevice::Nvme) offload += micro * 2 * b * share / file;
    }

    StepForecast f;
    f.split = {{"compute", micro * compute},
               {"communication_exposed.tensor", micro * tensorTime},
               {"communication_exposed.experts", micro * expertTime},
               {"communication_exposed.weights", micro * gatherExposed},
               {"communication_exposed.pipeline", micro * boundary},
               {"communication_exposed.gradients", reduceExposed},
               {"bubble", bubble},
               {"offload", offload},
               {"optimizer", optimizer},
               {"host", 2e-3}};
    f.forward = micro * forwardTime;
    f.backward = micro * (compute - forwardTime);
    for (const auto& [name, seconds] : f.split) f.stepTime += seconds;
    const double tokens = c.tokens() * static_cast<double>(c.cp) * micro * static_cast<double>(c.dp);
    f.tokensPerSecond = tokens / f.stepTime;
    f.mfu = modelFlopsPerStep(c) / (f.stepTime * clock.m_peak * static_cast<double>(c.ranks()));
    const double spread = spreadOf(c, device, layer.hostBound);
    f.interval90 = {f.stepTime / spread, f.stepTime * spread};
    return f;
}

}  // namespace stagecraft
