// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace stagecraft {

/// The newest DeepSpeed release known that has an optimizer which the newest release has no more; empty where that one has it, or none
/// ever had. By the releases' own facts.
/// @param optimizer  its name as a ds_config has it, in lower case
[[nodiscard]] std::string lastReleaseWith(const std::string& optimizer);

/// Whether DeepSpeed's optimizer of that name, in the newest release that has it, sends its momentum compressed and keeps the errors of
/// that: those whose class takes a communication backend.
/// @param optimizer  its name as a ds_config has it, in lower case
[[nodiscard]] bool sendsCompressed(const std::string& optimizer);

}  // namespace stagecraft
