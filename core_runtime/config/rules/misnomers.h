// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::rules {

/// The keys, as people write them ("data_types.grad_accum_dtype", several with ", " between), that somebody means who writes `key` at
/// the top of a ds_config: another tool's name, or an old one. Empty where there is none. Spelling slips are nearestWord()'s.
[[nodiscard]] std::string_view meantAtTop(std::string_view key);

/// The one of `takes` (the parameters of an optimizer or a schedule) that other libraries call `key`; empty where there is none.
[[nodiscard]] std::string meantByParameter(std::string_view key, const std::vector<std::string>& takes);

/// Which of Adam's two decay rates `key` names alone: 0 or 1; -1 for other names.
[[nodiscard]] int oneOfBetas(std::string_view key);

/// `key` without the typographic quotes that a word processor has put round it.
[[nodiscard]] std::string withoutTypographicQuotes(std::string_view key);

/// Whether `key` is a setting of the training script, for which DeepSpeed has no key at all.
[[nodiscard]] bool belongsInScript(std::string_view key);

/// Whether `key` is another tool's name for the number format that the model trains in.
[[nodiscard]] bool namesPrecision(std::string_view key);

/// "bf16" or "fp16" where `value` ("bf16", "bf16-mixed", "float16", 16 ...) is a word for it; else empty.
[[nodiscard]] std::string_view precisionSection(const ConfigValue& value);

}  // namespace stagecraft::rules
