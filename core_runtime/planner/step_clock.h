// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/device_sheet.h"
#include "planner/efficiency.h"
#include "planner/training_case.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace stagecraft {

/// Seconds that DeepSpeed's stage 3 spends in Python on the 13 modules of a Transformers layer and their parameters, in one forward and one
/// backward pass: 0.15 and 0.27 ms a module. Measured as CPU time of DeepSpeed 0.19.8 on a core that launches a kernel in 5 us: LLaMA of
/// 24 layers, one rank, stage 3 less stage 0, with and without checkpointing.
inline constexpr double kHooksForward = 1.9e-3, kHooksBackward = 3.5e-3;

/// The same of what PyTorch's tensor parallelism does in Python: each operation on a divided tensor (DTensor) is looked up and its layout followed.
/// CPU time of PyTorch 2.11 of a LLaMA layer divided as torchtitan divides it, less the same layer undivided, on a core that launches a
/// kernel in 5 us; a divided layer with norms of queries and keys less one without. Compiled layers have none of it.
inline constexpr double kDividedForward = 5.3e-3, kDividedBackward = 7.0e-3, kDividedNormsForward = 1.2e-3, kDividedNormsBackward = 1.7e-3;
/// And of a layer under fully_shard, whose hooks gather, free and reduce; a forward pass made again stands inside them.
inline constexpr double kShardedForward = 1.1e-3, kShardedBackward = 0.9e-3;

/// What the modules of Transformer Engine do in Python around a layer's kernels, beside launching them. A forward and a backward pass of a layer
/// take the host 4.1 and 3.1 ms in jobs too small for anything else to matter (calibration half: Nebius' Qwen3-8B divided by eight, PAIP's
/// Qwen3-4B of 1024 tokens), of which launching is 1.8.
inline constexpr double kEngineForward = 0.8e-3, kEngineBackward = 1.2e-3;
/// The same again for casts to 8 bits and their scales (6.6 ms of Nebius' layers in FP8), and about twice more for a router and its experts, whose
/// layers wait for their host besides, to learn how many tokens each expert has: Nebius' are still a quarter slower than planned.
inline constexpr double kEngineFp8 = 1.0, kEngineExperts = 1.9;
/// A rank's experts beyond its first: a product of its own in each of the two grouped layers, with its views, and two weights with their hooks.
/// Sixteen on a rank take what Nebius' Qwen3-30B over eight was longer than with one, and the model zoo's 235B (calibration half) is then 5 % too slow.
inline constexpr double kExpertForward = 0.10e-3, kExpertBackward = 0.15e-3;
/// Of the five modules of a layer of plain attention and MLP, by their number: latent attention has four projections for one
/// (megatron/core/transformer/multi_latent_attention.py), a shared expert is an MLP of two more.
inline constexpr double kEngineLatent = 3.0 / 5, kEngineShared = 2.0 / 5;

/// One rank's costs of a layer or of the head, per micro-batch, in seconds.
struct PassCost {
    double forward = 0, backward = 0;
    double again = 0;  ///< a forward pass made again from a checkpoint
    double contextForward = 0, contextBackward = 0;  ///< of them, exchange of a divided sequence that attention does not hide
    double idleForward = 0, idleBackward = 0, idleAgain = 0;  ///< of them, the device waits for its host
};

class StepClock {
public:
    StepClock(const TrainingCase& c, const DeviceSheet& device, int threads)
        : m_case(c), m_eff(efficiencyOf(device)), m_threads(device.id == "cpu" ? std::max(threads, 1) : 1),
          m_type(c.products() == Precision::Fp32 ? (c.tensorFloat && device.id != "cpu" ? "tf32" : "fp32") : c.products() == Precision::Fp16 ? "fp16" : "bf16"),
          m_peak(device.peakFor(m_type) * m_threads), m_peakFp8(device.peakFor(device.peak.contains("fp8") ? std::string("fp8") : m_type) * m_threads), m_memory(device.memoryBytesPerSecond * m_threads * m_eff.memory)
    {
        m_host = m_eff.host;
        // Matrix units of a core that do so many times its vector units' work need sides as many times as wide to be fed at the same rate.
        // Attention's products are as wide as a head.
        if (device.id == "cpu") {
            const double vectors = m_eff.halfWidth, head = static_cast<double>(std::max<std::int64_t>(1, c.model.headSize));
            m_eff.halfWidth *= std::max(1.0, device.peakFor(m_type) / device.peakFor("fp32"));
            m_eff.attention *= (head + vectors) / (head + m_eff.halfWidth);
        }
        const double port = m_eff.networkBytes * m_eff.network;
        const double pcie = device.peerBytesPerSecond > 0 ? device.peerBytesPerSecond : std::max(device.pcieBytesPerSecond, 1e9) * m_eff.link;
        m_link = device.link ? device.link->bytesPerSecond * m_eff.link : pcie;
        m_network = std::min(c.networkBytes > 0 ? c.networkBytes : port, m_link);
        // Trays of one NVLink domain are one node to their collectives (NVL72: 18 trays of four).
        m_domain = device.link && device.link->maxDevices > 16 ? std::max<std::int64_t>(c.devicesPerNode, device.link->maxDevices) : c.devicesPerNode;
        // Joined pair by pair, without a switch: HGX boards of four, V100 to H200 (those of eight have switches), and Infinity Fabric's eight.
        const bool four = device.vendor == "NVIDIA" && device.link && device.link->maxDevices >= 8 && device.link->maxDevices <= 16 && c.devicesPerNode == 4;
        m_mesh = four || (device.id.starts_with("MI3") && c.devicesPerNode > 1);
        m_pcie = device.id == "cpu" ? m_memory / 2 : std::max(device.pcieBytesPerSecond, 1e9) * 0.8;  // there a copy reads and writes one memory
        // A bridge joins two or four devices: a ring over more of them goes over PCIe.
        const bool bridge = device.link && device.link->maxDevices < 8;
        m_reach = bridge ? std::min<std::int64_t>(m_domain, device.link->maxDevices) : m_domain;
        m_bus = bridge ? std::min(m_link, pcie) : m_link;
    }

    /// What 8-bit products with a scale for each 32 numbers reach of those with one for the whole tensor, quantising included: the four jobs
    /// that Megatron Bridge 25.11 ran both ways (calibration half) are 3.7 to 5.9 % longer with them.
    static constexpr double kBlockScaled = 0.93;

    /// An [m,k] x [k,n] product.
    double product(double m, double n, double k, bool fp8 = false) const
    {
        const double narrow = std::min({m, n, k});
        if (!(narrow > 0)) return 0;  // experts of no width
        const double shape = narrow / (narrow + m_eff.halfWidth);
        const double scaled = m_case.blockScaled ? kBlockScaled : 1.0;
        return 2 * m * n * k / (fp8 ? m_peakFp8 * (fusedLayers() ? m_eff.matrixFp8Fused : m_eff.matrixFp8) * shape * scaled : m_peak * matrixShare() * shape);
    }
    /// DeepSpeed itself: our own engine reads the same settings, and on CPUs it is the one that runs.
    bool pythonEngine() const { return m_case.framework == Framework::DeepSpeed && m_case.device != "cpu"; }
    bool fusedLayers() const { return m_case.framework == Framework::Megatron && m_case.transformerEngine; }
    /// Megatron's own layers with fused attention: as little stands between the products as in Transformer Engine's.
    bool denseProducts() const { return (m_case.framework == Framework::Megatron || (m_case.megatronCode && !m_case.looseLayers)) && m_case.flashAttention; }
    /// Transformer Engine and PyTorch call the same matrix library: its releases differ, and those of 2025 are the former's here. Where
    /// products follow each other without a pause, an A100's power holds its clock: it reaches less of its peak than between slower kernels.
    double matrixShare() const
    {
        if (fusedLayers() || m_case.laterProducts) return m_eff.matrixFused;
        return denseProducts() ? std::min(m_eff.matrix, m_eff.matrixFused) : m_eff.matrix;
    }
    double bytes(double count) const { return count / m_memory; }
    /// The same by the framework's own element-wise kernels. Megatron's layers were fused before Transformer Engine: norms by hand, bias
    /// with GeLU and with dropout and residual by PyTorch's JIT (Narayanan et al. 2021, section 4.2).
    double elementwise(double count) const { return m_case.framework == Framework::Megatron || (m_case.megatronCode && !m_case.looseLayers) ? count / (m_memory / m_eff.memory * m_eff.memoryFused) : bytes(count); }
    /// Long rows in few kernels reach 0.8 of the memory's rate.
    double streamed(double count) const { return count / (m_memory / m_eff.memory * 0.8); }

    /// Bytes that one score of unfused attention moves in the forward pass. Fused softmax: written by its product, read and written
    /// by the softmax, read by the next product, and dropout with its mask. Eager: scaled and masked by kernels of their own, and
    /// where the norm is RMS (LLaMA and later) turned to fp32 for the softmax and back.
    double scoreBytes() const
    {
        const double b = m_case.products() == Precision::Fp32 ? 4 : 2;
        const double upcast = m_case.model.rmsNorm && b < 4 ? 8 : 0;
        return b * (scoresOneByOne() ? 8 : 4) + (scoresOneByOne() ? upcast : 0) + (m_case.attentionDropout > 0 ? 2 * b + 1 : 0);
    }

    /// Ring collective in which each rank of `size` sends (size - 1) / size of `total` bytes. Where devices are joined pair by pair,
    /// fewer than all of a node have only the links between them.
    double ring(double total, std::int64_t size, std::int64_t stride) const
    {
        if (size <= 1) return 0;
        const double n = static_cast<double>(size);
        const bool inside = size * stride <= m_domain;
        // Several ranks of a node in one ring share their ports: the ring leaves a node once for all of them.
        const double perNode = std::max(1.0, std::floor(static_cast<double>(m_domain) / static_cast<double>(stride)));
        const double local = joined(size * stride);
        const double rate = inside ? local * (m_mesh ? std::min(1.0, (n - 1) / static_cast<double>(m_case.devicesPerNode - 1)) : 1.0) : std::min(local, m_network * std::min(perNode, n));
        return (n - 1) / n * total / rate + latency(size, stride);
    }

    /// All-to-all of `total` bytes of one rank, its own part included: each peer gets its share, and what goes to other nodes uses this
    /// device's own port.
    double allToAll(double total, std::int64_t size, std::int64_t stride) const
    {
        if (size <= 1) return 0;
        const double n = static_cast<double>(size);
        const double perNode = std::clamp(std::floor(static_cast<double>(m_domain) / static_cast<double>(stride)), 1.0, n);
        return total / n * ((perNode - 1) / joined(size * stride) + (n - perNode) / m_network) + (n - 1) * m_eff.hop * 0.25;
    }

    /// Bytes/s of a device's link to others of its node that stand within `span` devices.
    double joined(std::int64_t span) const { return span <= m_reach ? m_link : m_bus; }

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
        return (ring(total, size, stride) - latency(size, stride)) / shardsShare(size, stride) + matrices * latency(size, stride);
    }
    /// Of the network's rate. It was measured over 48 nodes and more; from one node, where nothing is lost, to there it is taken to fall
    /// with the logarithm of the nodes. A rate that is named is one that the job's collectives reach.
    double shardsShare(std::int64_t size, std::int64_t stride) const
    {
        if (m_case.networkBytes > 0) return 1.0;
        const double nodes = std::max(1.0, std::ceil(static_cast<double>(size * stride) / static_cast<double>(m_domain)));
        return 1.0 - (1.0 - m_eff.networkShards) * std::min(1.0, std::log(nodes) / std::log(48.0));
    }
    bool shardsOneByOne(std::int64_t size, std::int64_t stride) const { return m_case.framework == Framework::DeepSpeed && size * stride > m_domain; }

    PassCost layer() const;
    PassCost head() const;
    /// The same device behind a host that takes `times` as long for all it launches.
    [[nodiscard]] StepClock behindHost(double times) const
    {
        StepClock other = *this;
        other.m_host = times * m_eff.host;
        return other;
    }
    /// FSDP2: what a block's weights and their gradients cost beside the products, whatever the tokens.
    PassCost blockWeights() const;
    /// FSDP2: copies out of a gather and into a reduction. @param width bytes of a gathered parameter
    /// @param trained part of the parameters that has gradients
    PassCost shardCopies(double parameters, double width, double trained = 1) const;
    /// MLPs of a layer beyond its first: experts that are modules of their own.
    [[nodiscard]] double furtherModules() const;
    /// Seconds of launching what adapters add to a layer's forward pass.
    double adapterLaunches() const;
    /// Seconds in Python beside a layer's launches: what hooks take, and what operations on divided tensors do.
    struct Hooks {
        double forward = 0, again = 0, backward = 0;
    };
    [[nodiscard]] Hooks hooks() const;
    /// Bytes per token that one forward pass of a Transformers layer moves outside of products and attention, kernel by kernel.
    double eagerTraffic(double width, double rotated, double values) const;
    /// FLOP/s of the fused attention kernel that the framework picks, forward.
    double attentionRate() const;
    /// Whether it is written for the device's own generation.
    bool newerAttention() const;
    /// Unfused attention whose scale, mask and softmax are kernels of their own. Inductor makes one of what stands between the two products
    /// (torch/_inductor/scheduler.py: element-wise operations and reductions of the same rows are fused).
    [[nodiscard]] bool scoresOneByOne() const { return m_case.eagerScores && !m_case.compiled; }
    /// What dividing the sequence adds to attention, per layer: exchange that shows, and merging of partial outputs or sorting by heads.
    PassCost contextParallel(double attention, double attentionBack) const;
    PassCost tensorParallel() const;    ///< a layer's collectives
    double tensorCopies() const;        ///< seconds of each of them that put the sequence's parts together, on the device
    double contextAllToAll() const;     ///< Ulysses' four all-to-alls of a layer's pass
    double expertParallel() const;  ///< one pass of a sparse layer's two all-to-alls

    const TrainingCase& m_case;
    Efficiency m_eff;
    int m_threads;
    double m_host = 1;          ///< seconds of launching, in those of the device's usual hosts
    std::int64_t m_domain = 1;  ///< devices that reach each other without the network
    std::int64_t m_reach = 1;   ///< of them, those that the link joins
    bool m_mesh = false;        ///< devices of a node are joined pair by pair
    std::string m_type;
    double m_peak, m_peakFp8, m_memory, m_link = 0, m_bus = 0, m_network = 0, m_pcie = 0;
};

}  // namespace stagecraft
