// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// Why a document with a ds_config inside cannot be read. Where strict JSON stops at what is fine inside a ds_config (a comment, a comma behind
/// the last entry), and the text cannot be read for all that, it is told what no reader takes. @return nothing where strict JSON reads it
[[nodiscard]] std::optional<Error> whyUnread(const std::string& text);

/// A value that stands in a larger text, as it would stand in a file of its own: its lines but the first without the blanks that the line
/// it begins on is indented by. A text in which one of them has fewer is taken as it stands.
class InlineText {
public:
    InlineText(std::string_view text, ByteRange value);

    [[nodiscard]] std::string shown() const;
    /// An edit of shown() as one of the value itself: new lines are as deep as the others.
    [[nodiscard]] TextEdit within(const TextEdit& edit) const;
    /// The byte of shown() that byte `at` of the value stands at; the first of its line where it is one that is not shown.
    [[nodiscard]] std::size_t shownOffset(std::size_t at) const;

private:
    /// How many blanks of the line that begins at `line` are not shown.
    [[nodiscard]] std::size_t hidden(std::size_t line) const;
    [[nodiscard]] std::size_t offsetWithin(std::size_t shown) const;

    std::string_view m_value;
    std::string m_indent;
};

}  // namespace stagecraft
