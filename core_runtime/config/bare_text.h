// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What to write in place of a value without quotes, which the reader takes to the end of its line.
struct BareAdvice {
    std::string message;    ///< message id: text.instead.*
    std::size_t begin = 0;  ///< what `write` takes the place of, in bytes of the text
    std::size_t length = 0;
    std::string write;      ///< JSON, or one plain character; empty where nobody can tell what was meant
    std::string found;      ///< the part of the text that the message names
    std::string whole;      ///< all of the text in quotes
};

/// The advice for `text`, a value without quotes and the rest of its line. @param accepted  the file is read in spite of it: all of it may be meant
[[nodiscard]] BareAdvice bareAdvice(std::string_view text, bool accepted);

/// Whether a text without quotes that has no punctuation in it is one of another language's words or numbers all the same: None, .5, a number in full-width digits.
[[nodiscard]] bool spellsLiteral(std::string_view text);

/// Whether a character in such a text stands for JSON's punctuation or a blank of JSON's: at its begin, at its end, or behind a number or word of JSON's.
[[nodiscard]] bool hasLookalike(std::string_view text);

/// A character that looks like plain punctuation, or like nothing, and is neither, outside quotes.
struct StrangeCharacter {
    std::size_t offset = 0;
    std::string found;  ///< the character, "U+00A0" where it cannot be seen
    std::string write;  ///< what belongs there; empty = nothing
};
/// The first one in `text`; nothing where there is none.
[[nodiscard]] std::optional<StrangeCharacter> strangeCharacter(std::string_view text);

/// A text in the characters and words of JSON: what looks like punctuation, quotes or blanks and stands outside of strings and comments,
/// and Python's True, False and None.
struct PlainText {
    std::string text;
    int changed = 0;  ///< characters and words that were written anew
};
[[nodiscard]] PlainText inPlainCharacters(std::string_view text);

/// The JSON number that a number of another language is: .5, 1., +1, 007, 1_000, 0x10; empty where it is none.
[[nodiscard]] std::string jsonNumber(std::string_view text);

/// The JSON that a word in another spelling is, where nobody has to decide what was meant: 4_000, .5, +8, 08, TRUE, a number in full-width
/// digits. Empty for JSON itself and for anything else.
[[nodiscard]] std::string otherSpelling(std::string_view word);

/// A text in typographic quotes.
struct TypographicText {
    std::size_t length = 0;  ///< bytes of it, its quotes included; 0 where there is none
    std::string inside;
};
/// The one that `text` begins with, which ends on its line.
[[nodiscard]] TypographicText typographicText(std::string_view text);

/// `text` with one blank in place of each run of blanks and line ends.
[[nodiscard]] std::string onOneLine(std::string_view text);

/// The number that commas have cut in `run` ("500,000,000" -> 500000000, "0,001" -> 0.001).
[[nodiscard]] std::string withoutCommas(std::string_view run);

}  // namespace stagecraft
