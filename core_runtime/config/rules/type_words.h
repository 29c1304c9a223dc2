// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"
#include "config/release_facts.h"

#include <string>

namespace stagecraft::rules {

/// What to write for `type`, in words that follow "write".
[[nodiscard]] std::string describeType(const TypeFacts& type, bool zh);

/// The value a person most likely meant, as JSON, or empty: a string that holds a number, a fraction that should be whole.
[[nodiscard]] std::string likelyMeant(const TypeFacts& type, const ConfigValue& value);

}  // namespace stagecraft::rules
