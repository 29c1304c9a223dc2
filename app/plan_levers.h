// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"
#include "widgets/inspector.h"

#include <QString>

#include <functional>
#include <vector>

namespace stagecraft::app {

/// "Compute the loss in 8 chunks"
[[nodiscard]] QString leverName(const Lever& lever);
/// What choosing it changes in the workspace.
[[nodiscard]] std::vector<WorkspaceEdit> leverEdits(const Lever& lever);

/// A card for each lever, the most useful first and at most four: what it saves, what it costs, what it makes possible. A sentence
/// counts the rest.
/// @param preview, apply  called with the lever by the buttons of its card
[[nodiscard]] std::vector<InspectorSection> leverCards(const PlanSet& plan, const std::function<void(const Lever&)>& preview, const std::function<void(const Lever&)>& apply);

}  // namespace stagecraft::app
