// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_evidence.h"
#include "app/plan_service.h"
#include "app/plan_tree.h"
#include "widgets/inspector.h"

#include <vector>

/// The plan in sentences: what the inspector and the stage walk say.
namespace stagecraft::app {

/// Why the stage in the file fits or does not, against the other branches, the rules of thumb and DeepSpeed's own estimator.
[[nodiscard]] InspectorContent explainStage(const PlanSet& plan);
/// Memory in its three totals and time with its parts, each with its 90 % interval.
[[nodiscard]] std::vector<InspectorSection> explainPlan(const PlanSet& plan);
/// DeepSpeed's estimator for this model and cluster, with the reason why it differs; nothing where it has no say.
[[nodiscard]] std::optional<InspectorSection> explainEstimator(const PlanSet& plan);
/// @param where  the variant it belongs to: "Stage 2"; may be empty
[[nodiscard]] InspectorContent explainItem(const LedgerRole& role, const LedgerItem& item, const QString& where);
/// What the allocator and the process take beside the items, and the sums: "allocated", "rounding", "process" or "total".
/// @param role    whose items tell what the allocator and the process take at its peak
/// @param totals  of the phase shown
/// @param usable  bytes of the device, which bounds the interval; 0 = not known
/// @param onGpus  the ranks run on GPUs, else on CPUs as our engine's
[[nodiscard]] InspectorContent explainOverhead(const LedgerRole& role, const LedgerPeak& totals, const QString& id, const QString& where, bool onGpus, std::int64_t usable = 0);
/// A box of the tree: its question, both totals and what choosing it costs.
[[nodiscard]] InspectorContent explainStep(const PlanSet& plan, const DecisionTree& tree, std::size_t step);
/// How a figure of the strip comes about, in symbols and numbers; empty for one without a formula.
[[nodiscard]] QString figureFormula(const Plan& plan, const QString& figure);
/// A figure of the strip by its id.
/// @param forget  what is done when the run that calibrated the step time is not wanted any more
[[nodiscard]] InspectorContent explainFigure(const PlanSet& plan, const QString& figure, const ForgetCalibration& forget = {});

}  // namespace stagecraft::app
