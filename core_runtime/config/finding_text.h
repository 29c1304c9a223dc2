// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

struct ReadProblem;

/// Gives each finding the line and column of its pointer in `text`, or of its nearest parent there; a text that DeepSpeed's
/// reader cannot read has no places.
void placeFindings(std::string_view text, std::vector<CheckFinding>& findings);

/// Of an answer that stops at reading or parsing: whether the errors of later levels stand among its findings as well, as far as they
/// hold whatever is written in the refused places.
[[nodiscard]] bool looksBeyond(const CheckAnswer& answer);

}  // namespace stagecraft

namespace stagecraft::rules {

using MessageArguments = std::vector<std::pair<std::string, std::string>>;

/// `id`'s message in `language`, placeholders filled. Behind "en" or "zh", ".window" asks for the words of who has the window in place of
/// the command line, where a message has such (`id` + ".window").
[[nodiscard]] std::string messageText(std::string_view language, std::string_view id, const MessageArguments& arguments);

[[nodiscard]] bool hasMessage(std::string_view id);

/// The message for what strict JSON does not have where the problem is.
[[nodiscard]] const char* notStrict(const ReadProblem& problem);

// JSON Patch texts.
[[nodiscard]] std::string patchRemove(const std::string& pointer);
[[nodiscard]] std::string patchReplace(const std::string& pointer, const std::string& json);
[[nodiscard]] std::string patchAdd(const std::string& pointer, const std::string& json);
[[nodiscard]] std::string patchMove(const std::string& from, const std::string& to);

}  // namespace stagecraft::rules
