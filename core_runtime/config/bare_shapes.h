// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace stagecraft {

/// Whether a value without quotes has the form of a name that scripts put in for a template's: GBSIZE, LOG_INTERVAL. NCCL may be one, too, or the text itself.
[[nodiscard]] bool isTemplateName(std::string_view text);

/// Whether a script may have stood in its place: args.batch_size, not args.fp16, len(data) * 2. A file's name, too, has a dot.
[[nodiscard]] bool isScriptName(std::string_view text);

/// Numbers with blanks between them, as a list has them: "0.9, 0.999" of "0.9 0.999". Empty where it is anything else, as the thousands of one number outside of a list.
[[nodiscard]] std::string withCommas(std::string_view text, bool inList);

}  // namespace stagecraft
