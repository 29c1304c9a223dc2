// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Why a text cannot be read, with the place.
struct ReadProblem {
    std::string id;  ///< message id: "text.syntax", "text.too_large", "text.encoding", ...
    TextPlace place;
    std::vector<std::pair<std::string, std::string>> details;  ///< placeholders of the message
};

/// A key written twice inside one object.
struct DuplicateKey {
    std::string pointer;  ///< of the member
    std::string key;
    TextPlace place;      ///< of the later one
    TextPlace first;      ///< of the earlier one
};

/// A text without quotes that took punctuation of its line with it ("True," is one): read as it stands, and rarely meant.
struct SwallowedText {
    TextPlace place;
    std::string text;
};

struct ReadText {
    ConfigValue root;
    std::vector<SwallowedText> swallowed;      ///< in the order of the text; at most a hundred are listed
    std::vector<DuplicateKey> duplicates;      ///< at most a hundred are listed
    std::size_t duplicateCount = 0;
    std::optional<ReadProblem> problem;        ///< when set, `root` is what was read before it
};

/// Limits above which a text is refused before it is read, so that hostile input costs one linear pass.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{2} << 20;
inline constexpr int kMaxConfigDepth = 256;
inline constexpr std::size_t kMaxConfigValues = 200'000;

/// Reads the dialect DeepSpeed reads: Python's hjson 3.1 with its quirks (comments, missing and trailing commas, keys
/// without quotes, strings without quotes that run to the end of the line, no braces round the root, ''' strings;
/// "5e8" becomes an int when it is one and below 1e10).
[[nodiscard]] ReadText readHjson(std::string_view text);

/// Reads strict JSON as Python's json.load does (NaN and Infinity pass, a key written twice keeps its last value): what
/// Hugging Face transformers and accelerate use.
[[nodiscard]] ReadText readStrictJson(std::string_view text);

}  // namespace stagecraft
