// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/host_activations.h"

#include "planner/framework_ledger.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr const char* kEngine = "transformer_engine/pytorch/cpu_offload.py, _default_offload_sync_init";
constexpr const char* kSavedTensors = "torchtune/training/_activation_offloading.py, OffloadActivations";

// Of the tensors that autograd saved last, how many are still on the device.
constexpr double kLast = 5;

// The pass that waits for each layer's transfer while the one after it computes.
double waitInTurn(double layers, double transfer, double compute) { return layers * std::max(0.0, transfer - compute); }

// The pass in which each transfer has the time of L - n - 1 layers, and all together that of L - 2; one after the other, none beside the
// layer it belongs to. Where one layer alone stays nothing hides them.
double waitForWindow(double all, double there, double transfer, double compute)
{
    if (all - there < 2) return there * transfer;
    return std::max({0.0, transfer - (all - there - 1) * compute, there * transfer - (all - 2) * compute});
}

}  // namespace

HostActivations hostActivations(const TrainingCase& c, double layers)
{
    HostActivations h{0, layers, 0};
    if (c.hostLayers <= 0) return h;
    h.layers = std::min(static_cast<double>(c.hostLayers), layers);
    if (c.framework == Framework::Megatron) {
        h.onDevice = std::max(layers - h.layers, std::min(layers, 1.0));
        h.bytes = h.layers * megatronKeptBytes(c);
    } else {
        // The last five tensors are as many blocks' inputs, or parts of one block.
        h.onDevice = std::min(layers, c.policy == ActivationPolicy::Full ? kLast : 1.0);
        h.bytes = h.layers * fsdp2KeptBytes(c);
    }
    return h;
}

void addHostActivations(LedgerBuilder& ledger, const TrainingCase& c, double layers)
{
    const HostActivations h = hostActivations(c, layers);
    if (h.layers <= 0) return;
    ledger.add("activations.host", Place::Pinned, toBytes(h.bytes), "forward|backward", [&] {
        return LedgerBuilder::Why{"activations that wait on the host for their backward pass", "L_host · bytes of a layer", fmt::format("{:.4g} · {:.0f} B", h.layers, h.bytes / h.layers), c.framework == Framework::Megatron ? kEngine : kSavedTensors};
    });
}

double waitForHost(const TrainingCase& c, double layers, double rate, double forward, double backward)
{
    const HostActivations h = hostActivations(c, layers);
    if (h.layers <= 0) return 0;
    const double transfer = h.bytes / h.layers / rate;
    if (c.framework == Framework::Megatron) return waitForWindow(layers, h.layers, transfer, forward) + waitForWindow(layers, h.layers, transfer, backward);
    return waitInTurn(h.layers, transfer, forward) + waitInTurn(h.layers, transfer, backward);
}

}  // namespace stagecraft
