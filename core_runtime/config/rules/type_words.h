// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"
#include "config/release_facts.h"

#include <string>

namespace stagecraft::rules {

/// What to write for `type`, in words that follow "write".
[[nodiscard]] std::string describeType(const TypeFacts& type, bool zh);

/// The whole number that an amount with a unit ("500M", "1e3k") or a number with a fraction stands for, where the type takes a whole one; else empty.
[[nodiscard]] std::string wholeMeant(const TypeFacts& type, const ConfigValue& value);

/// The value a person most likely meant, as JSON, or empty: a string that holds a number.
[[nodiscard]] std::string likelyMeant(const TypeFacts& type, const ConfigValue& value);

}  // namespace stagecraft::rules
