// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"
#include "config/hjson_reader.h"
#include "config/json_document.h"

#include <string>
#include <string_view>
#include <unordered_set>

namespace stagecraft {

/// What both readers share: the text with newlines as Python's text mode makes them, places, limits and the problem.
class TextCursor {
public:
    explicit TextCursor(std::string_view text);

    [[nodiscard]] std::string_view text() const { return m_text; }
    /// The byte at `at`, 0 past the end (`atEnd` tells it from a real NUL).
    [[nodiscard]] char at(std::size_t at) const { return at < m_text.size() ? m_text[at] : '\0'; }
    [[nodiscard]] bool atEnd(std::size_t at) const { return at >= m_text.size(); }
    [[nodiscard]] std::size_t size() const { return m_text.size(); }

    /// Cheap for places asked for in ascending order, which is how a reader asks.
    [[nodiscard]] TextPlace place(std::size_t offset);

    [[nodiscard]] bool failed() const { return m_problem.has_value(); }
    void fail(std::string id, std::size_t offset, std::vector<std::pair<std::string, std::string>> details = {});
    [[nodiscard]] const std::optional<ReadProblem>& problem() const { return m_problem; }
    void forgetProblem() { m_problem.reset(); }

    /// Counts one value; false (and a problem) above the limit.
    [[nodiscard]] bool countValue(std::size_t offset);
    void resetCount() { m_values = 0; }
    /// Makes a number from JSON's number syntax; `hjson` turns whole floats below 1e10 into ints, as that reader does.
    [[nodiscard]] ConfigValue makeNumber(std::string_view digits, bool fractional, bool hjson, std::size_t offset);

    /// False, with the problem set, for text that is too large or not UTF-8.
    [[nodiscard]] bool admissible();

private:
    std::string m_own;
    std::string_view m_text;
    std::size_t m_placedOffset = 0;
    TextPlace m_placed{1, 1};
    std::size_t m_values = 0;
    std::optional<ReadProblem> m_problem;
};

/// Lists the keys of `object` that occur twice. Linear.
void noteDuplicates(const ConfigValue& object, const std::string& pointer, ReadText& into);

/// Whether what was read for a value, from `begin` on, is the next key: a name in quotes on a later line than the colon. What follows it
/// is a colon of its own.
[[nodiscard]] bool nextKeyFor(std::string_view text, std::size_t behindColon, std::size_t begin);

/// Appends `codePoint` in UTF-8.
void appendUtf8(std::string& out, unsigned codePoint);

/// Length in bytes of `literal` number at `from` in `text` (JSON's number syntax), 0 when there is none.
/// `fractional` tells whether it has a fraction or an exponent.
[[nodiscard]] std::size_t numberLength(std::string_view text, std::size_t from, bool& fractional);

}  // namespace stagecraft
