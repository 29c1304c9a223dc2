// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/layout_edits.h"
#include "planner/search.h"
#include "workspace/workspace.h"

#include <QString>

#include <string>
#include <vector>

namespace stagecraft::app {

class WorkspaceDocument;

/// `text` after the edits.
[[nodiscard]] std::string withEdits(std::string text, const std::vector<WorkspaceEdit>& edits);

/// Puts the edits into the document and its ds_config file as one named step. Steps with the same `mergeId` (>= 0) that follow each other
/// become one.
/// @return whether the texts are now as asked for; false when the ds_config file cannot be edited, and then nothing is
bool applyAsOneStep(WorkspaceDocument& document, const std::vector<WorkspaceEdit>& edits, const QString& name, int mergeId = -1);

/// "dp 8 · tp 2 · stage 1": sizes of 1 are left out, dp is not.
[[nodiscard]] QString layoutName(const ScoredLayout& layout);
/// "none", "optimizer to CPU", "optimizer and weights to NVMe".
[[nodiscard]] QString offloadName(OffloadDevice optimizer, OffloadDevice param);
[[nodiscard]] QString recomputeName(ActivationPolicy policy);

/// A framework whose behaviour is forecast, as people call it: "DeepSpeed 0.19" for "deepspeed".
[[nodiscard]] QString behaviourName(const QString& framework);

}  // namespace stagecraft::app
