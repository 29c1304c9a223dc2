// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What can be done by one click about a finding of the text itself, which no JSON Patch can say.
enum class TextFix {
    PlainCharacters,  ///< JSON's characters and words everywhere: full-width punctuation, Python's True, False and None
    JsonWords,        ///< the same, where it is one of Python's words that is found
    Write,            ///< a value without quotes as it was meant: a literal, or the text in quotes
    StrictJson,       ///< the same values as every reader takes them: no comments, no commas too many or too few, all in double quotes
    KeepLast,         ///< of a key written twice all but the last go
    Placeholders,     ///< the keys whose values a template was to fill in go
    ExtraComma,       ///< a comma goes that has nothing before it
    Semicolon,        ///< a semicolon gives way to a comma, or goes where none belongs
    ExtraBracket,     ///< brackets go that close nothing behind the config, or the one that closes it before its last keys
    Punctuation,      ///< a colon, quote or bracket is written that is missing, or in the place of another character
    KeepConfig,       ///< what stands round the config goes, and the slips in it are mended
    AddedLines,       ///< of lines copied out of a diff those with + stay, those with - go
    Close,            ///< the brackets that are open where the text ends are closed there
};

/// What mends `finding`; nothing where no text fix does. By its rule and the place it points at alone: cheap, and mendedText() may still have
/// no answer.
[[nodiscard]] std::optional<TextFix> textFixOf(std::string_view text, const CheckFinding& finding);

/// For TextFix::Write and TextFix::JsonWords: what is written in the value's place. For TextFix::Close and TextFix::Punctuation: the brackets or marks.
[[nodiscard]] std::string writtenInstead(std::string_view text, const CheckFinding& finding);

/// `text` with the fix made; every byte that is not part of it stays. Nothing where that would not give a text that can be read (for
/// StrictJson by every reader). Of several slips (text_slips.h) one can be mended before the others.
[[nodiscard]] std::optional<std::string> mendedText(std::string_view text, const CheckFinding& finding, TextFix fix);

/// A bracket that is open where a text ends.
struct OpenBracket {
    std::size_t at = 0;          ///< its byte
    int line = 1;
    std::size_t lineBegin = 0;   ///< byte
};

/// The brackets that are open where `text` ends, the outermost first. None where one closes that is not open, or there are very many.
[[nodiscard]] std::vector<OpenBracket> openBrackets(std::string_view text);
/// What closes them, the innermost first: "]}".
[[nodiscard]] std::string closing(std::string_view text, const std::vector<OpenBracket>& open);

/// Where the quoted text or comment that begins at `at` ends; `at` where none does.
[[nodiscard]] std::size_t behindWords(std::string_view text, std::size_t at);

/// The byte of a place in `text`, line and column in characters from 1; the text's size where it has no such line.
[[nodiscard]] std::size_t offsetAt(std::string_view text, int line, int column);

}  // namespace stagecraft
