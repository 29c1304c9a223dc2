// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/deepspeed_estimate_text.h"

#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr double kGiB = 1073741824.0;

Result<EstimatorAnswer> estimate(int stage, const EstimatorInput& input) { return stage == 3 ? estimateDeepSpeedZero3(input) : estimateDeepSpeedZero2(input); }

// Python's int(count / 1e6).
std::string millions(double count) { return fmt::format("{:.0f}M", std::trunc(count / 1e6)); }

}  // namespace

std::string estimatorLine(int stage, const EstimatorInput& in, const EstimatorAnswer& answer)
{
    const auto device = [](bool away) { return away ? "cpu " : "none"; };
    std::string options = fmt::format("offload_optimizer={}", device(in.offloadOptimizer));
    if (stage == 3) options = fmt::format("offload_param={}, {}, zero_init={}", device(in.offloadOptimizer && in.offloadParam), options, in.zeroInit ? 1 : 0);
    return fmt::format(" {:7.2f}GB | {:6.2f}GB | {}", static_cast<double>(answer.hostBytesPerNode) / kGiB, static_cast<double>(answer.deviceBytes) / kGiB, options);
}

Result<std::string> estimatorTable(int stage, const EstimatorInput& input)
{
    std::string text = fmt::format("Estimated memory needed for params, optim states and gradients for a:\nHW: Setup with {} {}, {} {} per node.\nSW: Model with {} total params{}.\n  per CPU  |  per GPU |   Options\n",
                                   input.nodes, input.nodes > 1 ? "nodes" : "node", input.gpusPerNode, input.gpusPerNode > 1 ? "GPUs" : "GPU", millions(input.params),
                                   stage == 3 ? fmt::format(", {} largest layer params", millions(input.largestLayer)) : std::string());
    EstimatorInput row = input;
    for (const bool optimizer : {true, false}) {
        for (const bool param : {true, false}) {
            for (const bool zeroInit : {true, false}) {
                if ((param && !optimizer) || (stage != 3 && (param || !zeroInit))) continue;
                row.offloadOptimizer = optimizer;
                row.offloadParam = param;
                row.zeroInit = zeroInit;
                const auto answer = estimate(stage, row);
                if (!answer.hasValue()) return answer.error();
                text += estimatorLine(stage, row, *answer) + "\n";
            }
        }
    }
    return text;
}

std::vector<std::string> estimatorReasons(int stage, const EstimatorInput& in)
{
    std::vector<std::string> reasons;
    if (!in.offloadOptimizer) {
        reasons.emplace_back("18 Φ / N, not 14 or 16: 2 B of 16-bit gradients, 4 B of their fp32 copy at the optimizer step, 4 B of fp32 weights and 8 B of Adam's moments; a plan has that copy in the step alone");
        if (stage == 2) reasons.emplace_back("DeepSpeed's documentation still prints 4 Φ + 16 Φ / N, with the 16-bit gradients whole on each device; its code divides them and has counted 2 Φ + 18 Φ / N since pull request 5099");
    } else {
        if (stage == 2) reasons.emplace_back("2 Φ on the device: the 16-bit weights alone; it takes gradients to leave for the host as they are made, and a plan adds the buckets they pass through");
        if (stage == 3 && !in.offloadParam) reasons.emplace_back("2 Φ / N on the device: the 16-bit weights, which are not offloaded");
        reasons.emplace_back("16 B a parameter on the host: 4 B of fp32 weights, 4 B of fp32 gradients and 8 B of Adam's moments; offloaded 16-bit weights make it 18");
    }
    if (stage == 3) reasons.emplace_back("4 Λ on the device: the largest module's 16-bit weights while they are gathered, and its 16-bit gradients; a plan gathers whole layers ahead, as far as the prefetch settings let it");
    if (stage == 2 && in.offloadOptimizer)
        reasons.emplace_back("max(4 N, 16) Φ on each node's host: N counts the GPUs of all nodes where those of one are meant, and the 16 Φ are not divided among the nodes, so that the figure grows with nodes; a plan counts the ranks of one node");
    else if (!in.offloadOptimizer || !in.zeroInit)
        reasons.emplace_back(stage == 3 && in.zeroInit ? "4 Λ for each GPU of a node on the host: zero.Init moves every module away as soon as it is built in fp32"
                                                       : "4 Φ for each GPU of a node on the host: every process builds the whole model in fp32 before it moves to its device; a plan has that in the phase init, which is over once training begins");
    reasons.emplace_back("Its host figures are multiplied by additional_buffer_factor, 1.5 unless given: a margin that a plan does not add, for it counts buffers one by one");
    return reasons;
}

}  // namespace stagecraft
