// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::cli {

struct TerminalSize {
    int columns = 80;
    int rows = 24;
};

/// Of the terminal behind `fd` now; what COLUMNS and LINES say, else 80 x 24, where it does not tell.
[[nodiscard]] TerminalSize terminalSize(int fd);
/// Whether `fd` is a terminal that understands cursor movements (TERM is not "dumb").
[[nodiscard]] bool canRedraw(int fd);

/// Columns that UTF-8 text takes: two for wide East Asian characters, none for combining ones and controls.
[[nodiscard]] int columnsOf(std::string_view text);
/// As much of the text as fits into `columns`; "…" ends what was cut.
[[nodiscard]] std::string cutToColumns(std::string_view text, int columns);
/// Breaks a line between its fields, which two spaces set apart, so that none is wider than `columns` where fields allow it.
/// What follows the first is indented by two.
[[nodiscard]] std::vector<std::string> foldFields(std::string_view line, int columns);

/// Lines at the bottom of a terminal that are drawn over. No line is wider than the terminal and the block never higher, so that
/// it is known what is to be cleared; lines that a narrower window has wrapped since are counted as they wrap.
class TerminalBlock {
public:
    using Write = std::function<void(std::string_view)>;
    using Size = std::function<TerminalSize()>;
    TerminalBlock(Write write, Size size) : m_write(std::move(write)), m_size(std::move(size)) {}

    /// Replaces the block. Of too many lines the first are drawn, and how many more there are.
    void draw(const std::vector<std::string>& lines);
    /// Takes the block away: the cursor is where it began.
    void clear();
    /// Leaves the block on the screen for good.
    void leave() { m_widths.clear(); }

private:
    Write m_write;
    Size m_size;
    std::vector<int> m_widths;  ///< columns of each line drawn
};

}  // namespace stagecraft::cli
