// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/model_states.h"

#include "base/units.h"
#include "planner/release_optimizers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace stagecraft {

namespace {

constexpr const char* kZero = "Rajbhandari et al. 2020, ZeRO, section 5";
constexpr const char* kOffload = "Ren et al. 2021, ZeRO-Offload; Rajbhandari et al. 2021, ZeRO-Infinity";

// Pinned buffers through which optimizer states travel: as many as stated, each as long as the largest sub-group's fp32 tensor.
// Source: deepspeed/runtime/swap_tensor/optimizer_utils.py, SwapBufferManager(num_elems=largest_numel, count=buffer_count).
double optimizerSwapBytes(const DsSettings& s, double share)
{
    return 4 * static_cast<double>(s.optimizerBufferCount) * std::min(share, static_cast<double>(s.subGroup));
}

}  // namespace

std::string dividedNumbers(double bytes, double params, double ranks, double experts, double expertRanks)
{
    const auto whole = [](double value) { return formatCount(toBytes(value)); };
    if (experts <= 0 || expertRanks == ranks) return fmt::format("{} · {} / {}", bytes, whole(params), whole(ranks));
    return fmt::format("{} · ({} / {} + {} / {})", bytes, whole(params - experts), whole(ranks), whole(experts), whole(expertRanks));
}

void addModelStates(LedgerBuilder& ledger, const DsSettings& s, const StateInput& in)
{
    const double phi = in.params;
    const double n = in.ranks;
    const bool mixed = s.precision != Precision::Fp32;
    const double weightBytes = mixed ? 2 : 4;
    const double gradientBytes = mixed && !s.fp32Gradients ? 2 : 4;
    const double stateBytes = s.stateBytes;
    const double masterBytes = mixed ? s.masterBytes : 0;
    const double heldBytes = s.masterBytes;  // on the host, where fp32 training keeps its weights too
    const auto share = [&](int from) { return s.stage >= from ? n : 1.0; };
    const double divided = in.divided();
    const auto held = [&](int from) { return s.stage >= from ? divided : phi; };
    const auto why = [&](std::string text, double bytes, double over, const char* source) {
        std::string formula = over > 1 ? fmt::format("{} Φ / N", bytes) : fmt::format("{} Φ", bytes);
        std::string numbers = over > 1 ? dividedNumbers(bytes, phi, n, in.experts, in.expertRanks) : fmt::format("{} · {}", bytes, formatCount(toBytes(phi)));
        // Other experts lie on the ranks of another expert-parallel index: only N / ep ranks share theirs.
        if (over > 1 && in.experts > 0 && in.expertRanks < n) formula = fmt::format("{} (Φ_dense / N + Φ_experts / (N / ep))", bytes);
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };
    const bool paramsAway = s.stage == 3 && s.offloadParam != OffloadDevice::None;
    const bool optimizerAway = s.stage >= 1 && s.offloadOptimizer != OffloadDevice::None;
    const auto placeOf = [&](OffloadDevice device) {
        return device == OffloadDevice::Nvme ? Place::Nvme : s.pinMemory ? Place::Pinned : Place::Host;
    };

    const double weightShare = share(3);
    // Of sub-groups in files what is too small for one lies in host memory, in tensors of its own.
    const bool paramsInFiles = paramsAway && s.offloadParam == OffloadDevice::Nvme;
    const double keptOnHost = paramsInFiles ? weightsKeptOnHost(s, held(3)) : 0, smallOnHost = paramsInFiles ? (1 - in.filed) * (held(3) - keptOnHost) : 0;
    ledger.add("weights", paramsAway ? placeOf(s.offloadParam) : Place::Device, toBytes(weightBytes * (held(3) - keptOnHost - smallOnHost)), "all",
               [&] {
                   if (keptOnHost + smallOnHost > 0) return LedgerBuilder::Why{"weights, offloaded; layers are gathered when used", "b (Φ / N - Φ_host)", fmt::format("{} · ({:.0f} - {:.0f})", weightBytes, held(3), keptOnHost + smallOnHost), kOffload};
                   return why(paramsAway ? "weights, offloaded; layers are gathered when used" : "weights used for computing", weightBytes, weightShare, paramsAway ? kOffload : kZero);
               });
    if (paramsInFiles) {
        ledger.add("weights_host", Place::Pinned, toBytes(weightBytes * (keptOnHost + smallOnHost)), "all", [&] {
            const char* formula = smallOnHost > 0 ? "b · (Φ_kept + Φ_small)" : held(3) <= static_cast<double>(s.maxInCpu) ? "b · Φ / N" : "b · k · sub_group_size";
            return LedgerBuilder::Why{"weights that stay in host memory beside the files", formula,
                                      smallOnHost > 0 ? fmt::format("{} · ({:.0f} + {:.0f})", weightBytes, keptOnHost, smallOnHost) : fmt::format("{} · {:.0f}", weightBytes, keptOnHost), "deepspeed/runtime/zero/stage3.py"};
        });
    }
    if (in.frozen > 0) {
        const double bytes = weightShare > 1 ? in.frozenDivided() : in.frozenBytes, small = paramsInFiles ? (1 - in.frozenFiled) * bytes : 0;
        const auto told = [&](double part) {
            const bool apart = weightShare > 1 && in.frozenExpertBytes > 0 && in.expertRanks < n;
            LedgerBuilder::Why words{"weights that are not trained: no gradients, no master copy, no moments", apart ? "bytes_dense / N + bytes_experts / (N / ep)" : weightShare > 1 ? "bytes / N" : "bytes",
                                      apart ? fmt::format("{} B / {:.0f} + {} B / {:.0f}", formatCount(toBytes(in.frozenBytes - in.frozenExpertBytes)), n, formatCount(toBytes(in.frozenExpertBytes)), in.expertRanks)
                                            : fmt::format("{} elements, {:.4g} B each / {:.0f}", formatCount(toBytes(in.frozen)), in.frozenBytes / in.frozen, weightShare),
                                      "Hu et al. 2021, LoRA; Dettmers et al. 2023, QLoRA"};
            if (part < 1) {
                words.formula = fmt::format("({}) · part", words.formula);
                words.numbers = fmt::format("({}) · {:.4f}", words.numbers, part);
            }
            return words;
        };
        ledger.add("frozen_weights", paramsAway ? placeOf(s.offloadParam) : Place::Device, toBytes(bytes - small), "all", [&] { return told(1 - small / bytes); });
        if (small > 0) ledger.add("frozen_weights", s.pinMemory ? Place::Pinned : Place::Host, toBytes(small), "all", [&] { return told(small / bytes); });
    }
    if (!optimizerAway) {
        if (in.released) {
            // Of a single micro-batch there are none in the forward pass (param.grad is None from the step on).
            const char *first = s.accumulation > 1 ? "forward|backward" : "backward", *kept = s.accumulation > 1 ? "forward|backward|step" : "backward|step";
            ledger.add("gradients", toBytes(gradientBytes * held(1)), kept, [&] { return why(s.stage >= 1 ? "gradients of the part that this rank updates" : "gradients of one step", gradientBytes, share(1), kZero); });
            if (s.stage == 1 && n > 1) {
                ledger.add("gradients", toBytes(gradientBytes * (phi - divided)), first, [&] {
                    return LedgerBuilder::Why{"gradients of the parts that other ranks update, freed before the step", fmt::format("{} (Φ - Φ / N)", gradientBytes), fmt::format("{} · ({} - {})", gradientBytes, formatCount(toBytes(phi)), formatCount(toBytes(divided))), "deepspeed/runtime/zero/stage_1_and_2.py, free_grad_in_param_list"};
                });
            }
        } else {
            ledger.add("gradients", toBytes(gradientBytes * held(2)), "all", [&] { return why("gradients of one step", gradientBytes, share(2), kZero); });
        }
        ledger.add("master", toBytes(masterBytes * held(1)), "all", [&] { return why("fp32 copy of the weights that the optimizer updates", masterBytes, share(1), kZero); });
        ledger.add("optimizer_states", toBytes(stateBytes * held(1)), "all", [&] { return why("the optimizer's moments in fp32", stateBytes, share(1), kZero); });
        if (sendsCompressed(s.optimizer)) {
            // Each rank is the server of one N-th of what is exchanged, and keeps the error of its part.
            ledger.add("server_error", toBytes(4 * held(1) / n), "all", [&] {
                return LedgerBuilder::Why{"error of the part whose compressed sum this rank makes", s.stage >= 1 ? "4 Φ / N / N" : "4 Φ / N", fmt::format("4 · {} / {:.0f}", formatCount(toBytes(held(1))), n), "deepspeed/runtime/fp16/onebit, server_error; Tang et al. 2021, 1-bit Adam, algorithm 1"};
            });
        }
        return;
    }
    const double away = offloadedPart(s, divided);
    const double stay = 1.0 - away;
    // Gradients go to the host as they are reduced and wait there in fp32. ZeRO-1 reduces after the backward pass of the last
    // micro-batch, unless it may overlap and that is the only one; then they too are dropped as they are copied.
    const bool whole = s.stage == 1 && (!s.overlapComm || s.accumulation > 1);
    if (whole) ledger.add("gradients", toBytes(gradientBytes * phi), s.accumulation > 1 ? "forward|backward" : "backward", [&] { return why("gradients of one step", gradientBytes, 1, kZero); });
    const double filed = statesInFiles(s, divided), onHost = away - filed;
    const Place host = s.pinMemory ? Place::Pinned : Place::Host;
    ledger.add("gradients_nvme", Place::Nvme, toBytes(heldBytes * filed * divided), "all", [&] { return why("fp32 gradients waiting in files for the update", heldBytes * filed, n, "deepspeed/runtime/swap_tensor/optimizer_utils.py, _swap_out_gradients"); });
    ledger.add("gradients_host", host, toBytes(heldBytes * onHost * divided), "all", [&] { return why("fp32 gradients waiting for the optimizer on the host", heldBytes * onHost, n, kOffload); });
    for (const auto& [part, place] : {std::pair{filed, Place::Nvme}, {onHost, host}}) {
        // Pinned are the fp32 weights of stages 1 and 2 alone: stage 3 converts into ordinary memory, and moments are made like that (ops/adam/cpu_adam.py).
        const Place pageable = place == Place::Nvme ? place : Place::Host;
        ledger.add("master", s.stage == 3 ? pageable : place, toBytes(heldBytes * part * divided), "all", [&, bytes = heldBytes * part] { return why("fp32 weights that the optimizer updates", bytes, n, kOffload); });
        ledger.add("optimizer_states", pageable, toBytes(stateBytes * part * divided), "all", [&, bytes = stateBytes * part] { return why("the optimizer's moments in fp32", bytes, n, kOffload); });
    }
    if (stay > 0) {
        // A group that stays keeps its fp32 gradients beside it: unlike without offload, they are allocated once and never released.
        ledger.add("gradients_device", toBytes(heldBytes * stay * divided), "all", [&] { return why("fp32 gradients of the share kept on the device", heldBytes * stay, n, "deepspeed/runtime/zero/stage3.py, subgroup_to_device"); });
        ledger.add("master_device", toBytes(masterBytes * stay * divided), "all", [&] { return why("the share of the fp32 weights kept on the device", masterBytes * stay, n, kOffload); });
        ledger.add("optimizer_states_device", toBytes(stateBytes * stay * divided), "all", [&] { return why("the share of the moments kept on the device", stateBytes * stay, n, kOffload); });
    }
}

void addSwapBuffers(LedgerBuilder& ledger, const DsSettings& s, const StateInput& in)
{
    const double weightBytes = s.precision == Precision::Fp32 ? 4 : 2;
    if (s.stage == 3 && s.offloadParam == OffloadDevice::Nvme) {
        // Allocated whole, even where no sub-group fits into it (_create_param_groups_fp16_flat_cpu_memory).
        const double buffer = std::min(in.divided(), static_cast<double>(s.maxInCpu)), filled = weightsKeptOnHost(s, in.divided());
        ledger.add("weights_host_free", Place::Pinned, toBytes(weightBytes * (buffer - filled)), "all", [&] {
            return LedgerBuilder::Why{"buffer for weights beside the files, into which no sub-group fits", "b · (min(Φ / N, max_in_cpu) - Φ_kept)", fmt::format("{} · ({:.0f} - {:.0f})", weightBytes, buffer, filled), "deepspeed/runtime/zero/stage3.py"};
        });
        // As many and as long as the ds_config says, whatever the model.
        ledger.add("nvme_buffers", Place::Pinned, toBytes(weightBytes * static_cast<double>(s.paramBufferCount) * static_cast<double>(s.paramBufferSize)), "all",
                   [&] { return LedgerBuilder::Why{"pinned buffers between file and device", "b · buffer_count · buffer_size", fmt::format("{} · {} · {}", weightBytes, s.paramBufferCount, s.paramBufferSize), "deepspeed/runtime/swap_tensor"}; });
    }
    if (s.stage >= 1 && s.offloadOptimizer == OffloadDevice::Nvme) {
        ledger.add("nvme_buffers_optimizer", Place::Pinned, toBytes(optimizerSwapBytes(s, in.divided())), "all",
                   [&] { return LedgerBuilder::Why{"pinned buffers between file and host for optimizer states", "4 · buffer_count · min(Φ / N, sub_group_size)", fmt::format("4 · {} · {:.0f}", s.optimizerBufferCount, std::min(in.divided(), static_cast<double>(s.subGroup))), "deepspeed/runtime/swap_tensor/optimizer_utils.py"}; });
    }
}

double statesInFiles(const DsSettings& s, double share)
{
    if (s.offloadOptimizer != OffloadDevice::Nvme || !(share > 0)) return 0;
    const double least = static_cast<double>(s.leastFile) / 4;
    const double group = static_cast<double>(s.subGroup), rest = share - group * std::floor(share / group);
    return ((group >= least ? share - rest : 0) + (rest >= least ? rest : 0)) / share;
}

double weightsKeptOnHost(const DsSettings& s, double share)
{
    const double most = static_cast<double>(s.maxInCpu), group = static_cast<double>(s.subGroup);
    return share <= most ? share : std::min(most, group * std::max(0.0, std::ceil(most / group) - 1));
}

bool isModelState(std::string_view what)
{
    static constexpr std::string_view kStates[] = {"weights", "frozen_weights", "gradients", "master", "optimizer_states", "gradients_device", "master_device", "optimizer_states_device", "server_error"};
    return std::find(std::begin(kStates), std::end(kStates), what) != std::end(kStates);
}

double offloadedPart(const DsSettings& s, double share)
{
    // Files come first: a sub-group that can be swapped is, whatever the ratio (_swappable_optimizer_subgroup).
    if (s.offloadOptimizer != OffloadDevice::Cpu || s.stage != 3 || !(share > 0)) return 1;
    const double group = static_cast<double>(s.subGroup);
    const double groups = std::max(1.0, std::ceil(share / group));
    const double kept = std::floor((1 - s.offloadRatio) * groups);
    return 1 - std::min(1.0, kept * group / share);
}

}  // namespace stagecraft
