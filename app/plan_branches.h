// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_variants.h"
#include "planner/shared_plans.h"

namespace stagecraft::app {

/// planVariants() of plans that are shared with the advice and the levers of the same workspace.
void planVariants(std::vector<PlanVariant>& variants, const std::string& text, const std::filesystem::path& folder, const Plan& now, SharedPlans& plans);

}  // namespace stagecraft::app
