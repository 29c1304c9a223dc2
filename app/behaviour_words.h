// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/behaviour.h"

#include <QString>

#include <vector>

namespace stagecraft::app {

/// What another framework's behaviour leaves behind of a job, in one sentence; empty where it takes all of it.
/// @param framework  as a workspace names it
[[nodiscard]] QString notCarriedText(const QString& framework, const std::vector<NotCarried>& lost);

}  // namespace stagecraft::app
