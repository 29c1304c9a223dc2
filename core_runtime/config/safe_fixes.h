// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/json_document.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// The fix of this finding cannot change what a run does, and there is one.
[[nodiscard]] bool isSafeFix(const CheckFinding& finding);

/// What is found in a text; nothing where it cannot be judged.
using FindAgain = std::function<std::optional<std::vector<CheckFinding>>(const std::string& text)>;

/// The text of `document` after every safe fix. Fixes that take out or replace values and do not touch each other are applied
/// together, since what is never used stays unused without the others; then `again` is asked once, and so on until nothing safe is
/// left. Fixes that move or add values may settle or forbid each other: of these one is applied at a time.
/// @param findings  of `document`
[[nodiscard]] std::string withSafeFixes(const JsonDocument& document, std::vector<CheckFinding> findings, const FindAgain& again);

struct MendedConfig {
    std::string text;
    std::vector<CheckFinding> mended;  ///< what is not found any more: of the text as it was, then, once it can be read, of its keys
};

/// `text` without one kind of what stops its reader, where all that goes is not JSON and what was meant is plain, or of what stops
/// other readers alone: a key that has the same value twice, commas and quotes. Nothing where there is none.
/// @param answer  for `text`
[[nodiscard]] std::optional<MendedConfig> moreReadable(const std::string& text, const CheckAnswer& answer, const CheckContext& context);

/// `text` after all of that, one kind after the other. @param answer  for `text`, then for what comes out
[[nodiscard]] MendedConfig madeReadable(const std::string& text, CheckAnswer& answer, const CheckContext& context);

/// `text` after all that can be mended without changing what a run does: slips that stop the reader (text_slips.h), then every safe
/// fix. A text that nothing can be done for stays as it is.
/// @error as checkConfig()
[[nodiscard]] Result<MendedConfig> withEverySafeFix(std::string_view text, const CheckContext& context);

}  // namespace stagecraft
