// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/finding_text.h"
#include "config/hjson_reader.h"
#include "config/text_around.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A problem whose cause stands earlier is put down to that: to a text without quotes that took a closing bracket with it.
void blameSwallowed(ReadText& read);

/// What messages say of a text without quotes: "found", the value as its author meant it, and "reason", what to write in its place.
[[nodiscard]] rules::MessageArguments bareWords(const std::string& bare, bool accepted, const CheckContext& context);

/// What is said of a text that the launcher's reader cannot read.
[[nodiscard]] CheckFinding textFinding(std::string_view text, const ReadProblem& problem, const CheckContext& context);

/// What stands round the config, or each config of several, is named in place of where the reader stumbled over it.
[[nodiscard]] std::vector<CheckFinding> aroundFindings(std::string_view text, const TextAround& around, const CheckContext& context);

/// Whether every other byte is 0: UTF-16 without a mark, which is valid UTF-8 as well.
[[nodiscard]] bool looksUtf16(std::string_view text);
[[nodiscard]] CheckFinding utf16Finding(const CheckContext& context);

/// Line and column of the byte `at`.
[[nodiscard]] TextPlace placeIn(std::string_view text, std::size_t at);

/// Whether a bracket closes in `text` that did not open there: what comes after it then misses that.
[[nodiscard]] bool closesMore(std::string_view text);

}  // namespace stagecraft
