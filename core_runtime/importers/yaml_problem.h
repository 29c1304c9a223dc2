// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/config_value.h"

#include <string>
#include <string_view>

namespace stagecraft {

/// Why a text is no YAML that can be read.
enum class YamlProblem {
    Documents, PythonTag, AliasInside, Deep, Values, Key, Merge, Twice, Large, Encoding, ZeroByte, Indent, Quote,  // found here
    Bracket, Tab, MapValue, Layout, Anchor, Escape, Character, Directive, Other,                                    // found by yaml-cpp
};

/// @param detail  what stands there, or a limit
/// @return InvalidInput: "line L, column C: " and the reason in English; "line", "column", "problem" and "detail" in the context
[[nodiscard]] Error yamlError(TextPlace place, YamlProblem problem, const std::string& detail = {});

/// What yaml-cpp means by a message of its own.
[[nodiscard]] YamlProblem yamlProblemOf(std::string_view message);

/// The same reason in a language, "en" or "zh", with its place.
[[nodiscard]] std::string yamlReason(const Error& error, std::string_view language);

}  // namespace stagecraft
