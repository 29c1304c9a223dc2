// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <QString>

namespace stagecraft::app {

/// How sure a verdict is: "p = 0.83", or what is not known where the doubt comes from that.
[[nodiscard]] QString fitOdds(const Fit& fit);
/// A probability by itself, of which nobody claims the second nine.
[[nodiscard]] QString fitOdds(double probability);

}  // namespace stagecraft::app
