// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/optimizer_work.h"

#include "planner/transfers.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace stagecraft {

namespace {

using Way = OptimizerWork::Way;

bool oneOf(std::string_view name, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Numbers that the calls of one torch.optim step read and write, with states and without weight decay.
double callsOfTorch(std::string_view optimizer, bool states)
{
    // addcmul 3, sqrt 2, add 2, mul 2, addcdiv 4
    if (optimizer == "adagrad") return 13;
    // Without momentum one add; with it mul 2 and add 3 for the buffer.
    if (optimizer == "sgd") return states ? 8 : 3;
    // Adam: mul (decay) 2, lerp 3, mul 2, addcmul 3, sqrt 2, div 2, add 2, addcdiv 4
    return 20;
}

// FLOPs of one parameter of an m x n matrix, m <= n, in five Newton-Schulz steps. "gram" works on the m x m product alone and makes a
// new one after two steps; a square matrix has nothing of that.
double newtonFlops(double m, double n, bool gram)
{
    const double wide = 2 * m * m * n, square = 2 * m * m * m;
    // Standard: X Xᵀ, A A and B X in each step. Gram: two products of X Xᵀ and two of Q X; R R in five steps, Z Q in three, and for
    // the next R two in each of three.
    return (gram && m < n ? 4 * wide + (5 + 3 + 6) * square : 5 * (2 * wide + square)) / (m * n);
}

// Mean over the matrices of a layer: attention's are as wide as the model, the MLP's as wide as its inside.
double muonFlops(const TrainingCase& c)
{
    const ModelShape& s = c.model;
    const double h = static_cast<double>(s.hidden), f = static_cast<double>(s.ffn);
    const double all = static_cast<double>(s.layerMatrices);
    if (!(h > 0) || !(f > 0) || !(all > 0)) return 0;
    const double inside = static_cast<double>(s.heads * s.headSize), key = static_cast<double>(s.kvHeads * s.headSize);
    const auto flops = [](double rows, double columns) { return rows > 0 && columns > 0 ? newtonFlops(std::min(rows, columns), std::max(rows, columns), true) : 0.0; };
    const double attention = std::min(all, 2 * h * (inside + key));
    const double ofAttention = inside + key > 0 ? (inside * flops(h, inside) + key * flops(h, key)) / (inside + key) : 0;
    return (attention * ofAttention + (all - attention) * flops(h, f)) / all;
}

// Part of the parameters that are a layer's matrices: Muon's; the others are Adam's.
double matrixPart(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    return m.params > 0 ? std::min(1.0, static_cast<double>(m.layers * m.layerMatrices - m.encoderLayers * m.crossLayer) / static_cast<double>(m.params)) : 0.0;
}

double statesOf(const TrainingCase& c)
{
    return c.settings.stateBytes + (c.framework != Framework::DeepSpeed && c.optimizer == "sgd" ? c.momentBytes : 0);
}

// Bytes of a number of the weights and gradients that are updated: FSDP2's shards may have 16 bits, and states with them.
double widthOf(const TrainingCase& c)
{
    return c.framework == Framework::DeepSpeed ? c.settings.masterBytes : c.framework == Framework::Fsdp2 ? shardWidth(c) : 4.0;
}

OptimizerWork fused(const TrainingCase& c)
{
    return {Way::Fused, c.optimizer, 3 * widthOf(c) + 2 * statesOf(c), 0};
}

OptimizerWork apart(const TrainingCase& c)
{
    const double width = c.framework == Framework::Fsdp2 ? shardWidth(c) : 4.0;
    return {Way::Apart, c.optimizer, width * callsOfTorch(c.optimizer, statesOf(c) > 0), 0};
}

// What torch.optim runs under that name, by DeepSpeed and by torchtitan; Megatron has fused ones of its own.
bool ofTorch(const TrainingCase& c, bool onHost)
{
    if (c.framework == Framework::Megatron) return false;
    // FSDP2 on the host: kernels over lists of tensors are of devices, and what they stand for runs operation by operation.
    if (c.framework == Framework::Fsdp2 && onHost) return oneOf(c.optimizer, {"sgd", "adagrad"}) || (c.foreachOptimizer && oneOf(c.optimizer, {"adam", "adamw"}));
    if (c.framework == Framework::DeepSpeed && c.foreachOptimizer) return oneOf(c.optimizer, {"adam", "adamw"});
    return c.optimizer == "sgd" || (c.optimizer == "adagrad" && !onHost);
}

}  // namespace

OptimizerWork optimizerWork(const TrainingCase& c)
{
    if (ofTorch(c, false)) return apart(c);
    // Gradients, weights and both moments read, the moments written; then weights and both moments read, weights written.
    if (c.framework == Framework::DeepSpeed && oneOf(c.optimizer, {"lamb", "fusedlamb"})) return {Way::Twice, c.optimizer, 40, 0};
    if (c.optimizer == "muon" || c.optimizer == "dist_muon") {
        // Momentum: lerp 3; with Nesterov another into the gradient 3; to 16 bits and back 3; weights: decay 2, add 3.
        const double part = matrixPart(c);
        return {Way::Newton, c.optimizer, part * 56 + (1 - part) * 28, part * muonFlops(c)};
    }
    return fused(c);
}

OptimizerWork hostOptimizerWork(const TrainingCase& c)
{
    // Megatron's is torch's fused AdamW for CPUs, beside which gradients are written and weights read by the copies from and to the device.
    const double beside = c.framework == Framework::Megatron ? 8 : c.framework == Framework::Fsdp2 ? (c.clips ? 3 * shardWidth(c) : 0) : 22;
    OptimizerWork work = ofTorch(c, true) ? apart(c) : fused(c);
    work.bytes += beside;
    return work;
}

}  // namespace stagecraft
