// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/model_shape.h"
#include "planner/plan.h"

#include <optional>
#include <vector>

namespace stagecraft {

/// The workspace's model, counted, and its sizes where a decoder's cost can be told from them.
struct CountedModel {
    std::optional<std::int64_t> params, trainable, active;
    std::optional<ModelShape> shape;
    ModelShape size;  ///< where there is no shape: all that states depend on, parameters and what is trained of them

    /// What a plan of it can be made from: all sizes, or those that states alone depend on.
    [[nodiscard]] const ModelShape& planned() const { return shape ? *shape : size; }
};

/// Counts the model of a workspace; what cannot be counted is left out and reported.
[[nodiscard]] CountedModel countWorkspaceModel(const Workspace& workspace, std::vector<PlanFinding>& findings);

/// Memory of one node's host: what the workspace says of it, else this machine's where the devices are this machine's.
[[nodiscard]] std::optional<std::int64_t> hostMemoryOf(const Workspace& workspace, const PlanContext& context);

/// The workspace with this machine's facts in it: "cuda" becomes the sheet of the GPUs that are here (PlanContext::gpu), with the host memory
/// that belongs to them. The same workspace where nothing is known, or another device is named.
[[nodiscard]] Workspace onThisMachine(const Workspace& workspace, const PlanContext& context);
/// Whether onThisMachine() changes it.
[[nodiscard]] bool machineIsMeant(const Workspace& workspace, const PlanContext& context);

/// Whether every size of layout and hardware is one that sums and products of the planner can bear; reports those that are not.
[[nodiscard]] bool layoutIsPossible(const Workspace& workspace, std::vector<PlanFinding>& findings);
/// Whether this framework's training of the model's adapter, if it has one, can be planned; a finding says why not.
[[nodiscard]] bool adapterIsPlanned(const Workspace& workspace, std::vector<PlanFinding>& findings);

/// A warning for each field of the workspace that nothing here knows: it is kept, and has no effect.
[[nodiscard]] std::vector<PlanFinding> unknownFieldFindings(const Workspace& workspace);

}  // namespace stagecraft
