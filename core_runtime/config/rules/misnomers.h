// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/rules/judge.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft::rules {

/// A name that another tool, or an older release, has for a setting of ds_config (configs/ds_config/other_names.json).
struct OtherName {
    std::string place;  ///< pointer of the setting meant, or several names with ", " between
    bool translates = false;                                     ///< the value has another form there
    std::vector<std::pair<std::string, std::string>> values;     ///< JSON written -> JSON meant
};

/// What `key` stands for where it is written in `section` ("" = the top), those for that very section first.
[[nodiscard]] std::vector<const OtherName*> otherNames(std::string_view section, std::string_view key);

/// What a key that DeepSpeed has no use for is for.
enum class ForeignKey { None, Script, Launcher, Editor, Note };
[[nodiscard]] ForeignKey foreignKey(std::string_view key);

/// Which of Adam's two decay rates `key` names alone: 0 or 1; -1 for other names.
[[nodiscard]] int oneOfBetas(std::string_view key);

/// The fix of a `betas` at `at` that is no pair: the two rates it holds as text, the defaults for "auto", and none where they cannot be read.
[[nodiscard]] std::string replaceBetas(const std::string& at, const ConfigValue& betas);

/// An "auto" at `at` under a name that `section`, the model `facts`, does not have: dropped before the names are looked at, so that nobody else tells of it.
void tellAutoOfNoKey(Judge& judge, const ModelFacts& facts, const ConfigValue& section, const std::string& at, const std::string& key);

/// `key` without the typographic quotes that a word processor has put round it.
[[nodiscard]] std::string withoutTypographicQuotes(std::string_view key);

/// `text` with what looks like plain ASCII written in it: no quotes round it, no invisible characters, no full-width letters.
[[nodiscard]] std::string inPlainLetters(std::string_view text);

/// "true", "false" or "null" for a text in small letters that is one slip of the keyboard away from it (or from "none"); empty for anything else.
[[nodiscard]] std::string_view literalMisspelt(std::string_view low);

/// Whether `key` is another tool's name for the number format that the model trains in.
[[nodiscard]] bool namesPrecision(std::string_view key);

/// "bf16" or "fp16" where `value` ("bf16", "bf16-mixed", "float16", 16 ...) is a word for it; else empty.
[[nodiscard]] std::string_view precisionSection(const ConfigValue& value);

/// The words of `names` that are made of the same parts as `key` ("bucket_size" of "reduce_bucket_size" and "allgather_bucket_size"): those with the
/// very same parts, else those of which `key` has only some, or which have only some of its. Endings such as _size count for little, and so
/// do the abbreviations people use. The names are pointers below the section where `key` stands, or keys.
[[nodiscard]] std::vector<std::string> likeByParts(std::string_view key, const std::vector<std::string>& names, bool wholly);

}  // namespace stagecraft::rules
