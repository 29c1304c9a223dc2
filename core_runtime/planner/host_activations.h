// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

namespace stagecraft {

class LedgerBuilder;

/// Activations that wait for their backward pass in pinned host memory, of one micro-batch on one rank without a pipeline.
///
/// Transformer Engine has the first n of L layers there: layer i is gone before layer L - n + i begins and comes back from layer L - n + i - 1's
/// backward pass on, so that the device never holds more than L - n of them (transformer_engine/pytorch/cpu_offload.py, _default_offload_sync_init).
/// torchtune's OffloadActivations, which TRL and Axolotl took over, has what every layer saves there, but for the last five tensors, and brings each back
/// while the node before it runs (torchtune/training/_activation_offloading.py, max_fwd_stash_size).
struct HostActivations {
    double layers = 0;    ///< whose activations go there; 0 = of none
    double onDevice = 0;  ///< layers' worth that the device holds at its fullest
    double bytes = 0;     ///< that go down in the forward pass and come up in the backward pass
};
/// @param layers  with a backward pass
/// @return all `layers` on the device where none goes to the host
[[nodiscard]] HostActivations hostActivations(const TrainingCase& c, double layers);

/// Adds what lies on the host.
void addHostActivations(LedgerBuilder& ledger, const TrainingCase& c, double layers);

/// Seconds that both passes over a micro-batch wait for these transfers.
/// @param rate              bytes/s between the device and its host, one way
/// @param forward,backward  seconds of one layer's passes
[[nodiscard]] double waitForHost(const TrainingCase& c, double layers, double rate, double forward, double backward);

}  // namespace stagecraft
