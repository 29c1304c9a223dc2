// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/json_edit.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class SlipKind : std::uint8_t {
    Comma,     ///< with nothing before it: doubled, or behind an opening bracket
    Trailing,  ///< a comma before a closing bracket
    Word,      ///< Python's True, False or None for a value
    Quotes,    ///< a name or text in single quotes
    Value,     ///< a tuple, a number that int(), float() or arithmetic makes, or a number or word of JSON's in another spelling: 4_000, .5, TRUE
    Name,      ///< a word without quotes that is one of DeepSpeed's own values, or a text in typographic ones
    Text,      ///< a text in three double quotes
    Semicolon, ///< behind a value, where a comma belongs or nothing
};

/// One place where a text says in Python what JSON says otherwise.
struct TextSlip {
    SlipKind kind = SlipKind::Comma;
    TextEdit edit;   ///< mends it
};

/// All of them, in the order of the text, where DeepSpeed's reader cannot read it and one of them stops that. With all edits made it can,
/// unless something else stops it as well. Of a text that it can read those that it takes for texts with their punctuation, which nobody meant.
[[nodiscard]] std::vector<TextSlip> textSlips(std::string_view text);

/// `text` with the edits made of those that `kinds` names, all of them where it is empty.
[[nodiscard]] std::string withoutSlips(std::string_view text, const std::vector<TextSlip>& slips, const std::vector<SlipKind>& kinds = {});

/// Whether one of them is what `finding` points at.
[[nodiscard]] bool isSlip(std::string_view text, const std::vector<TextSlip>& slips, const CheckFinding& finding);

/// A finding for each, for what is a matter of taste to DeepSpeed's reader one for all; at most a hundred. The first says why it stops.
/// One more where the launcher's reader stops without them, too: at what, in its own words.
[[nodiscard]] std::vector<CheckFinding> slipFindings(std::string_view text, const std::vector<TextSlip>& slips, const CheckContext& context);

}  // namespace stagecraft
