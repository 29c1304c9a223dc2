// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/terminal_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace stagecraft::cli {

namespace {

struct Range {
    std::uint32_t first, last;
};
constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x9FFF}, {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF}, {0xFE30, 0xFF60}, {0x1F300, 0x3FFFD}}};
constexpr std::array<Range, 4> kNone{{{0x0, 0x1F}, {0x7F, 0x9F}, {0x300, 0x36F}, {0x200B, 0x200F}}};

template <std::size_t N>
bool isIn(const std::array<Range, N>& ranges, std::uint32_t point)
{
    return std::any_of(ranges.begin(), ranges.end(), [point](const Range& range) { return point >= range.first && point <= range.last; });
}

/// Bytes of the character that begins at `at`, and its columns. A byte that is not UTF-8 is one character of one column.
std::pair<std::size_t, int> characterAt(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(at);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (at + length > text.size()) return {1, 1};
    std::uint32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return {1, 1};
        point = point << 6 | (byte(at + i) & 0x3F);
    }
    return {length, isIn(kNone, point) ? 0 : isIn(kWide, point) ? 2 : 1};
}

int numberIn(const char* variable)
{
    const char* text = std::getenv(variable);
    return text != nullptr ? std::atoi(text) : 0;
}

}  // namespace

TerminalSize terminalSize(int fd)
{
    TerminalSize size;
    winsize told{};
    const bool known = ::ioctl(fd, TIOCGWINSZ, &told) == 0;
    const int columns = known && told.ws_col > 0 ? told.ws_col : numberIn("COLUMNS");
    const int rows = known && told.ws_row > 0 ? told.ws_row : numberIn("LINES");
    if (columns > 0) size.columns = columns;
    if (rows > 0) size.rows = rows;
    return size;
}

bool canRedraw(int fd)
{
    const char* term = std::getenv("TERM");
    return ::isatty(fd) == 1 && term != nullptr && *term != 0 && std::string_view(term) != "dumb";
}

int columnsOf(std::string_view text)
{
    int columns = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto [bytes, width] = characterAt(text, at);
        columns += width;
        at += bytes;
    }
    return columns;
}

std::string cutToColumns(std::string_view text, int columns)
{
    if (columnsOf(text) <= columns) return std::string(text);
    std::size_t at = 0;
    int taken = 1;  // the ellipsis
    while (at < text.size()) {
        const auto [bytes, width] = characterAt(text, at);
        if (taken + width > columns) break;
        taken += width;
        at += bytes;
    }
    return columns < 1 ? std::string() : std::string(text.substr(0, at)) + "…";
}

std::vector<std::string> foldFields(std::string_view line, int columns)
{
    std::vector<std::string> lines;
    std::string current;
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t gap = std::min(line.find("  ", at), line.size());
        const std::string_view field = line.substr(at, gap - at);
        if (!current.empty() && columnsOf(current) + 2 + columnsOf(field) > columns) {
            lines.push_back(std::move(current));
            current.clear();
        }
        current += (current.empty() && lines.empty() ? "" : "  ") + std::string(field);
        at = gap + 2;
    }
    if (!current.empty()) lines.push_back(std::move(current));
    return lines;
}

void TerminalBlock::clear()
{
    if (m_widths.empty()) return;
    const TerminalSize now = m_size();
    int rows = 0;
    for (const int width : m_widths) rows += std::max(1, (width + now.columns - 1) / now.columns);
    m_write(fmt::format("\r\x1b[{}A\x1b[J", std::min(rows, std::max(1, now.rows - 1))));
    m_widths.clear();
}

void TerminalBlock::draw(const std::vector<std::string>& lines)
{
    clear();
    const TerminalSize now = m_size();
    // The cursor stands below the block, and what has left the screen cannot be cleared.
    const auto most = static_cast<std::size_t>(std::max(1, now.rows - 1));
    const std::size_t shown = lines.size() > most ? most - 1 : lines.size();
    std::string text;
    const auto add = [&](std::string_view line) {
        const std::string cut = cutToColumns(line, now.columns);
        m_widths.push_back(columnsOf(cut));
        text += cut + '\n';
    };
    for (std::size_t i = 0; i < shown; ++i) add(lines[i]);
    if (shown < lines.size()) add(fmt::format("  and {} more lines", lines.size() - shown));
    m_write(text);
}

}  // namespace stagecraft::cli
