// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <QString>

namespace stagecraft::app {

/// How sure a verdict is: "p = 0.83", or what is not known where the doubt comes from that.
[[nodiscard]] QString fitOdds(const Fit& fit);

}  // namespace stagecraft::app
