// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/rules/judge.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::rules {

/// The class that DeepSpeed makes of the config's optimizer `name` (lower case for its own types); empty when there is none.
/// @param torchAdam  "torch_adam" is on, which counts for Adam and AdamW
[[nodiscard]] std::string optimizerClass(const Judge& judge, const std::string& name, bool torchAdam, bool cpuOffload);

/// Which of the classes that a type can become take a parameter, from the signatures of the release.
struct ParameterTakers {
    std::string ownMessage;           ///< what is to be said of the type that is written: the other class of it takes the parameter; empty = none does
    std::vector<std::string> others;  ///< other types, each with the condition under which it does
};

/// Who takes the parameter `key`, which the class made of the type `owner` refuses. @param types  names of types to be asked besides DeepSpeed's own
[[nodiscard]] ParameterTakers takersOf(const Judge& judge, const std::string& key, const std::string& owner, std::vector<std::string> types);

}  // namespace stagecraft::rules
