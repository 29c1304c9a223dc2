// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/config_value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Whose reading of plain words counts: tools differ in what they take for a number.
enum class YamlDialect {
    PyYaml,     ///< yaml.safe_load: YAML 1.1, where 1e-5 is text and "no" is false
    OmegaConf,  ///< the same, but 1e-5 is a number and a repeated key is refused
};

struct YamlLimits {
    std::size_t bytes = std::size_t{2} << 20;
    int depth = 64;
    std::size_t values = 100'000;  ///< aliases count as often as they are used
};

struct YamlText {
    ConfigValue root;
    std::vector<std::string> repeatedKeys;  ///< "line 3: \"lr\"", at most a hundred
};

/// Reads one YAML document with the place of each key and value.
///
/// Tags other than the core ones are refused, as safe_load does; `<<` merges. The limits hold while reading, so that deep
/// nesting and alias bombs cost no more than a file of the permitted size.
/// @error InvalidInput; the message starts with "line L, column C: ", the context has "line" and "column"
[[nodiscard]] Result<YamlText> readYaml(std::string_view text, YamlDialect dialect, const YamlLimits& limits = {});

/// What a plain (unquoted) YAML word is.
[[nodiscard]] ConfigValue yamlScalar(const std::string& word, YamlDialect dialect);

}  // namespace stagecraft
