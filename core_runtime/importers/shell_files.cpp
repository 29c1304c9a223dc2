// SPDX-License-Identifier: GPL-3.0-or-later
// What a script's commands read from and write to: redirections, here-documents, the files that they make.
#include "importers/shell_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace stagecraft {

namespace {

bool space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// The name under which a script's file is known: "./a" and "a" are one.
std::string plainPath(const std::string& path) { return path.empty() ? path : std::filesystem::path(path).lexically_normal().string(); }

}  // namespace

/// <, >, 2>&1, <<END and their like. @return false when none stands at the cursor
bool ShellReader::redirection(Redirections& to)
{
    std::size_t digits = 0;
    while (digits < 2 && std::isdigit(static_cast<unsigned char>(peek(digits))) != 0) ++digits;
    const bool both = peek() == '&' && peek(1) == '>';
    if (!both && peek(digits) != '<' && peek(digits) != '>') return false;
    const bool out = both || peek(digits) == '>';
    const bool own = digits == 0 || peek() == '1' || peek() == '0';
    step(both ? 1 : digits);
    if (starts("<<<")) {
        step(3);
        blank();
        to.inputLine = m_cursor.line;
        to.input = unsplitWord() + "\n";
        return true;
    }
    if (starts("<<")) {
        hereDocument(to);
        return true;
    }
    const bool appends = starts(">>");
    while (peek() == '>' || peek() == '<' || peek() == '&' || peek() == '|') step();
    blank();
    const std::string name = unsplitWord();
    if (!out || !own || both) return true;
    to.target = ShellValues::plain(name);  // what is not known in it ($SLURM_JOB_ID) is left out where the file is named, too
    to.appends = appends;
    return true;
}

/// <<END: its text begins behind this line, or behind the one before it.
void ShellReader::hereDocument(Redirections& to)
{
    step(2);
    if (peek() == '-') step();
    blank();
    std::string end;
    const bool raw = peek() == '\'' || peek() == '"' || peek() == '\\';
    while (!atEnd() && !space(peek()) && std::string_view(";|&<>)").find(peek()) == std::string_view::npos) {
        if (peek() != '\'' && peek() != '"' && peek() != '\\') end += peek();
        step();
    }
    const std::string_view text = m_cursor.text;
    const bool first = m_cursor.hereFrom == 0;
    std::size_t at = first ? std::min(text.find('\n', m_cursor.at), text.size() - 1) + 1 : m_cursor.hereTo;
    const int line = m_cursor.line + (first ? 0 : m_cursor.hereLines) + 1;
    const std::size_t from = at;
    std::size_t bodyEnd = at;
    int lines = 0;
    while (at < text.size()) {
        const std::size_t stop = std::min(text.find('\n', at), text.size());
        std::string_view bare = text.substr(at, stop - at);
        at = std::min(stop + 1, text.size());
        ++lines;
        while (!bare.empty() && (bare.front() == '\t' || bare.front() == ' ')) bare.remove_prefix(1);
        while (!bare.empty() && bare.back() == '\r') bare.remove_suffix(1);
        if (bare == end) break;
        bodyEnd = at;
    }
    if (first) m_cursor.hereFrom = from;
    m_cursor.hereTo = at;
    m_cursor.hereLines = (first ? 0 : m_cursor.hereLines) + lines;
    const std::string_view body = text.substr(from, bodyEnd - from);
    to.inputLine = line;
    to.input = raw ? std::string(body) : substituted(body, line, true);
}

void ShellReader::writeFile(const Redirections& to, const std::string& text)
{
    if (to.target.empty() || m_dead > 0) return;
    const std::string path = plainPath(to.target);
    if (m_files.count(path) == 0 && m_files.size() >= 100) return;
    auto& file = m_files[path];
    file = {to.appends ? file.first + text : text, to.inputLine};
    m_expanded += file.first.size();
}

/// The text that the script writes into a file, and its line.
std::optional<std::pair<std::string, int>> ShellReader::fileNamed(const std::string& name) const
{
    const auto found = m_files.find(plainPath(name));
    return found == m_files.end() ? std::nullopt : std::optional(found->second);
}

const ShellWord* ShellScript::file(const std::string& path) const
{
    const auto found = files.find(plainPath(path));
    return found == files.end() ? nullptr : &found->second;
}

}  // namespace stagecraft
