// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/inline_text.h"

#include "config/json_lines.h"

#include <algorithm>

namespace stagecraft {

namespace {

/// Behind the line that begins at `line`, its end included.
std::size_t nextLine(std::string_view text, std::size_t line)
{
    const std::size_t end = text.find('\n', line);
    return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace

std::optional<Error> whyUnread(const std::string& text)
{
    const auto strict = JsonDocument::parse(text, JsonSyntax::Strict);
    if (strict.hasValue())
        return std::nullopt;
    const auto relaxed = JsonDocument::parse(text);
    return relaxed.hasValue() || strict.error().message.find("is not allowed in strict JSON") == std::string::npos ? strict.error() : relaxed.error();
}

InlineText::InlineText(std::string_view text, ByteRange value) : m_value(text.substr(value.begin, value.size()))
{
    m_indent = lineIndent(text, value.begin);   // of an empty value as well: what is written there is as deep
    for (std::size_t line = nextLine(m_value, 0); line < m_value.size(); line = nextLine(m_value, line)) {
        const std::string_view whole = m_value.substr(line, nextLine(m_value, line) - line);
        if (whole.starts_with(m_indent)) continue;
        const bool blank = isWhite(whole) && std::string_view(m_indent).starts_with(whole.substr(0, hidden(line)));
        if (!blank) {
            m_indent.clear();
            return;
        }
    }
}

std::size_t InlineText::hidden(std::size_t line) const
{
    std::size_t blanks = 0;
    while (line > 0 && blanks < m_indent.size() && line + blanks < m_value.size() && isBlank(m_value[line + blanks])) ++blanks;
    return blanks;
}

std::string InlineText::shown() const
{
    std::string out;
    out.reserve(m_value.size());
    for (std::size_t line = 0; line < m_value.size(); line = nextLine(m_value, line)) {
        const std::size_t begin = line + hidden(line);
        out += m_value.substr(begin, nextLine(m_value, line) - begin);
    }
    return out;
}

std::size_t InlineText::offsetWithin(std::size_t shown) const
{
    std::size_t line = 0;
    while (true) {
        const std::size_t begin = line + hidden(line), next = nextLine(m_value, line);
        const bool last = next == m_value.size() && !(next > line && m_value[next - 1] == '\n');
        if (last || shown < next - begin) return std::min(begin + shown, m_value.size());
        shown -= next - begin;
        line = next;
    }
}

TextEdit InlineText::within(const TextEdit& edit) const
{
    TextEdit inside{offsetWithin(edit.begin), offsetWithin(edit.end), {}};
    const std::size_t before = inside.begin == 0 ? std::string_view::npos : m_value.rfind('\n', inside.begin - 1);
    // On a blank line that lacks them the blanks come with what is written there, or comes there from below.
    if (before != std::string_view::npos && inside.begin == before + 1 + hidden(before + 1) && (edit.begin != edit.end || !edit.replacement.empty()))
        inside.replacement = m_indent.substr(hidden(before + 1));
    for (const char c : edit.replacement) {
        inside.replacement += c;
        if (c == '\n') inside.replacement += m_indent;
    }
    return inside;
}

std::size_t InlineText::shownOffset(std::size_t at) const
{
    std::size_t shown = 0;
    for (std::size_t line = 0;;) {
        const std::size_t begin = line + hidden(line), next = nextLine(m_value, line);
        if (at < next || next == m_value.size()) return shown + (at > begin ? at - begin : 0);
        shown += next - begin;
        line = next;
    }
}

}  // namespace stagecraft
