// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"
#include "config/finding_text.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A colon, a quote or a bracket that is missing, or another than belongs there.
struct PunctuationSlip {
    std::string message;              ///< message id: text.colon*, text.quote.half, text.bracket*, text.extra.early
    rules::MessageArguments details;  ///< of that message
    std::vector<TextEdit> edits;      ///< what mends it; empty where nobody can tell
    std::string write;                ///< what is written, for people; empty where something is taken out
};

/// The one for which a reader stopped at `at`, with the rule `rule` (text.key, text.syntax, text.control, text.extra); nothing where it is another thing.
[[nodiscard]] std::optional<PunctuationSlip> punctuationSlip(std::string_view text, std::size_t at, std::string_view rule);

}  // namespace stagecraft
