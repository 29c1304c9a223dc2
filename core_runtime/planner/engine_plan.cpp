// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/engine_plan.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/beyond_tensors.h"
#include "planner/findings.h"
#include "planner/ledger.h"
#include "planner/model_shape.h"
#include "schedule/buffer_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace stagecraft {

namespace {

struct Words {
    const char* formula;
    const char* why;
};

// What each group of buffers is, by ledger id and by whether this rank holds a slice of it.
Words wordsOf(const std::string& what, bool sliced, bool gated)
{
    static const std::map<std::string, std::pair<Words, Words>> kWords{
        {"weights", {{"b · Σ padded(unit)", "compute weights, whole on every rank"}, {"b · Σ padded(unit) / N", "this rank's slices of the compute weights"}}},
        {"gradients", {{"4 · Σ padded(unit)", "fp32 accumulated gradients of the whole model"}, {"4 · Σ padded(unit) / N", "this rank's slices of the fp32 accumulated gradients"}}},
        {"master", {{"4 · Σ padded(unit)", "fp32 weights that the optimizer updates"}, {"4 · Σ padded(unit) / N", "this rank's slices of the fp32 weights"}}},
        {"optimizer_states", {{"8 · Σ padded(unit)", "Adam's two moments"}, {"8 · Σ padded(unit) / N", "this rank's slices of Adam's two moments"}}},
    };
    const auto found = kWords.find(what);
    if (found != kWords.end()) return sliced ? found->second.second : found->second.first;
    if (what == "gathered_weights") return {"b · Σ slot", "pool of full-size buffers that gathered units are leased from"};
    if (what == "gathered_gradients") return {"4 · Σ slot", "pool of full-size buffers for gradients until they are reduced"};
    if (what == "communication") return {"2 · 4 · piece", "partial sums travelling round the ring"};
    if (what == "activations.norm_statistics") return {"Σ 4 · tokens", "deviations of the tokens in each norm, in GPT-2 means too"};
    if (what == "activations.norm_outputs") return {"Σ b · tokens · h", "inputs of the attention and MLP projections, and of the output matrix"};
    if (what == "activations.qkv") return {"Σ b · tokens · (a + 2 k) d", "queries, keys and values"};
    if (what == "activations.attention") return {"Σ b · tokens · a d", "attention output"};
    if (what == "activations.lse") return {"Σ 4 · tokens · a", "log-sum-exp of each query's scores"};
    if (what == "activations.residual") return {"Σ b · tokens · h", "residual stream between attention and MLP"};
    if (what == "activations.mlp_gate") return {"Σ b · tokens · f", "gate projection, before its non-linearity"};
    if (what == "activations.mlp_up") return {"Σ b · tokens · f", gated ? "up projection" : "first projection of the MLP, before its non-linearity"};
    if (what == "activations.outputs") return {"b · (L + 1) · tokens · h", "the output of every unit, which is the next one's input"};
    if (what == "activations.scratch") return {"Σ scratch", "work space shared by all blocks"};
    if (what == "logits") return {"b · tokens · V", "logits, overwritten by their gradient"};
    if (what == "batch") return {"2 · 4 · tokens", "token ids and labels of one micro-batch"};
    if (what == "tables") return {"2 · 4 · s · d / 2", "cosines and sines of the rotary embedding"};
    return {"Σ bytes", "buffers of this kind"};
}

}  // namespace

void planEngine(const Workspace& workspace, const DsSettings& settings, Plan& plan)
{
    const auto refuse = [&](const char* id, const char* pointer, const char* pattern, std::vector<std::string> args = {}) {
        plan.findings.push_back(makeFinding(id, "error", pointer, pattern, std::move(args)));
    };
    if (!workspace.model.spec) {
        return refuse("plan.engine_model", "/model", "Our engine trains GPT-2 and LLaMA families only; plan this model with framework deepspeed, fsdp2 or megatron");
    }
    const LayoutSection& layout = workspace.layout;
    if (layout.tp != 1 || layout.pp != 1 || layout.cp != 1) {
        return refuse("plan.engine_layout", "/layout", "Our engine has data parallelism only, not tp {}, pp {}, cp {}; set them to 1 or choose another framework",
                      {std::to_string(layout.tp), std::to_string(layout.pp), std::to_string(layout.cp)});
    }
    const auto recompute = recomputeFromWord(layout.recompute);
    if (!recompute.hasValue()) return refuse("plan.engine_recompute", "/layout/recompute", "layout.recompute is \"{}\", which this engine cannot do; use \"none\" or \"full\".", {layout.recompute});
    if (settings.precision == Precision::Fp16) return refuse("plan.engine_fp16", "/dsConfig/fp16/enabled", "Our engine trains in fp32 and bf16, not in fp16; use bf16, or plan with framework deepspeed");
    if (settings.offloadOptimizer != OffloadDevice::None || settings.offloadParam != OffloadDevice::None) {
        const char* key = settings.offloadOptimizer != OffloadDevice::None ? "/dsConfig/zero_optimization/offload_optimizer" : "/dsConfig/zero_optimization/offload_param";
        // Older spellings ("cpu_offload") stand in the section itself.
        const bool own = workspace.dsConfig.contains(nlohmann::json::json_pointer(std::string(key).substr(9)));
        refuse("plan.engine_offload", own ? key : "/dsConfig/zero_optimization", "Our engine does not offload yet; remove the offload sections, or plan with framework deepspeed");
        return;
    }

    const ModelSpec& spec = *workspace.model.spec;
    EngineConfig config = engineConfigOf(settings);
    // The pool of leased buffers is the same from three micro-steps on (first, middle, last): no need to compile thousands.
    config.accumulation = std::min<std::int64_t>(config.accumulation, 3);
    const int world = layout.dp;
    const double tokens = static_cast<double>(config.microBatch) * static_cast<double>(spec.seq);
    const double widest = static_cast<double>(std::max({spec.vocab, 3 * spec.hidden, spec.ffn, spec.heads * spec.headSize}));
    if (tokens * widest * 64.0 * static_cast<double>(spec.layers + 2) > 4e18) {
        return refuse("plan.size.micro", "/dsConfig/train_micro_batch_size_per_gpu", "A micro batch of {} samples needs more than 2^60 bytes; use a smaller one", {std::to_string(config.microBatch)});
    }
    const DeviceSheet* device = findDevice(workspace.hardware.device);
    const bool cpu = !device || device->id == "cpu";
    const auto buffers = bufferPlan({spec, config, world, *recompute, workspace.launch.threadsPerRank});

    // One item per kind of buffer, in the order of allocation.
    struct Group {
        std::int64_t bytes = 0, elements = 0, reserved = 0, count = 0;
        BufferType type = BufferType::F32;
    };
    std::vector<std::string> order;
    std::map<std::string, Group> groups;
    std::int64_t reservedTotal = 0;
    const std::int64_t page = cpu ? 4096 : 512;
    for (const PlannedBuffer& buffer : buffers) {
        auto [entry, isNew] = groups.try_emplace(buffer.what);
        if (isNew) order.push_back(buffer.what);
        entry->second.bytes += buffer.bytes();
        entry->second.elements += buffer.elements;
        entry->second.count += 1;
        entry->second.type = buffer.type;
        // A block above 1 MiB comes from a CUDA segment of its own, rounded to 2 MiB.
        reservedTotal += roundUp(buffer.bytes(), !cpu && buffer.bytes() > kMiB ? 2 * kMiB : page);
    }

    LedgerBuilder ledger("pp0.tp0", world);
    for (const std::string& what : order) {
        const Group& group = groups.at(what);
        const int shardFrom = what == "weights" ? 3 : what == "gradients" ? 2 : 1;
        const Words words = wordsOf(what, world > 1 && settings.stage >= shardFrom, spec.family == Family::Llama);
        ledger.add(what.c_str(), group.bytes, "all", [&] {
            return LedgerBuilder::Why{words.why, words.formula,
                                      fmt::format("{} elements in {} buffers = {} B", formatCount(group.elements), group.count, formatCount(group.bytes)),
                                      "schedule/buffer_plan: the engine allocates these very buffers"};
        });
    }
    const std::int64_t allocated = plannedBytes(buffers);
    // Evaluation computes in the same buffers, and checkpoints are written from where the states lie: nothing comes or goes.
    std::vector<std::string_view> phases{"init", "forward", "backward", "step"};
    if (workspace.training.saveEvery > 0) phases.push_back("save");
    if (workspace.training.evalEvery > 0) phases.push_back("eval");
    const std::int64_t base = cpu ? kCpuWorkerBase : 500 * kMiB;
    // PyTorch's bf16 product on a CPU makes its result in fp32 first (at::native, gemm), and the library it calls copies that once more, but
    // where AVX-512 BF16 does it, without AMX (twice fp32's rate in the sheet); what the widest product took stays with the process.
    const bool direct = device && device->peakFor("bf16") == 2 * device->peakFor("fp32");
    const int each = direct ? 4 : 8;
    const std::int64_t products = cpu && settings.precision == Precision::Bf16 ? toBytes(each * tokens * widest) + kCpuBf16Kernels : 0;
    LedgerRole role = std::move(ledger).finish(std::span<const std::string_view>(phases), [&](std::int64_t) { return std::max(reservedTotal, allocated); }, base + products);
    // Everything is allocated at the start; the last page is touched when the first gradients appear.
    role.peak.phase = "backward";
    addBeyondTensors(role, {{"allocator.pages", std::max<std::int64_t>(0, reservedTotal - allocated), {"sizes of the buffers rounded to what the system gives", "Σ rounded(buffer) - allocated", fmt::format("{} - {} in {} buffers, each to {} B", reservedTotal, allocated, buffers.size(), page),
                                                    cpu ? "whole pages of the operating system" : "c10/cuda/CUDACachingAllocator.cpp: 512 B, above 1 MiB 2 MiB"}}},
                     {cpu ? BeyondTensors{"context.device", base, {"what a worker holds beside its buffers: libraries, stacks and heaps", "bytes", fmt::format("{} MiB", base / kMiB), "measured: the resident memory of workers without their buffers"}}
                          : deviceContext(base, device->name, "CUDA context and loaded kernels: 0.3 to 0.6 GiB"),
                      {"context.products", products, {direct ? "fp32 results of 16-bit products in PyTorch, and the matrix library's kernels for them" : "fp32 results of 16-bit products, in PyTorch and in the matrix library, and its kernels for them",
                                                     fmt::format("{} · tokens · widest + kernels", each), fmt::format("{} · {:.0f} · {:.0f} + {} MiB", each, tokens, widest, kCpuBf16Kernels / kMiB), "measured: workers in bf16 beside the same in fp32"}}});
    plan.ledger = std::vector<LedgerRole>{std::move(role)};
}

}  // namespace stagecraft
