// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_layout.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace stagecraft {

namespace {

constexpr std::size_t kWidestList = 100;   ///< characters of a line that ends with a list

struct Comment {
    std::string_view text;
    bool behind = false;    ///< on the line of what stands before it
    bool apart = false;     ///< an empty line stands before it
};

/// What stands between two tokens, white space, commas and the colon left out.
struct Gap {
    std::vector<Comment> comments;
    bool apart = false;     ///< an empty line ends it
};

Gap gapOf(std::string_view text, std::size_t begin, std::size_t end)
{
    Gap gap;
    std::size_t lines = 0, at = begin;
    bool first = true;
    while (at < end) {
        const char c = text[at];
        const bool block = text.substr(at, 2) == "/*", line = c == '#' || text.substr(at, 2) == "//";
        if (!block && !line) {
            lines += c == '\n' ? 1 : 0;
            ++at;
            continue;
        }
        std::size_t to = block ? text.find("*/", at + 2) : text.find('\n', at);
        to = to == std::string_view::npos ? end : std::min(end, block ? to + 2 : to);
        std::string_view words = text.substr(at, to - at);
        while (!words.empty() && (words.back() == '\r' || words.back() == ' ' || words.back() == '\t'))
            words.remove_suffix(1);
        gap.comments.push_back({words, first && lines == 0, lines > 1});
        first = false;
        lines = 0;
        at = to;
    }
    gap.apart = lines > 1;
    return gap;
}

std::string_view indentAt(std::string_view text, std::size_t offset)
{
    const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(start, offset - start);
    return line.find_first_not_of(" \t") == std::string_view::npos ? line : std::string_view();
}

class Layout {
public:
    explicit Layout(const JsonDocument& document) : m_document(document), m_text(document.text()), m_end(m_text.find("\r\n") != std::string_view::npos ? "\r\n" : "\n")
    {
        const JsonNode& root = document.node(document.root());
        const bool spread = root.end > root.begin && m_text.substr(root.begin, root.end - root.begin).find('\n') != std::string_view::npos;
        m_base = spread ? indentAt(m_text, root.end - 1) : std::string_view();
        if (spread && root.firstChild >= 0) {
            const JsonNode& child = document.node(root.firstChild);
            const std::string_view own = indentAt(m_text, child.keyEnd > child.keyBegin ? child.keyBegin : child.begin);
            if (own.size() > m_base.size() && own.starts_with(m_base))
                m_step = own.substr(m_base.size());
        }
    }

    std::string made()
    {
        const JsonNode& root = m_document.node(m_document.root());
        m_out = m_text.substr(0, root.begin);   // a mark of the file's encoding, comments above all
        value(m_document.root(), 0);
        m_out += m_text.substr(root.end);
        return std::move(m_out);
    }

private:
    void newLine(int depth)
    {
        m_out += m_end;
        m_out += m_base;
        for (int i = 0; i < depth; ++i)
            m_out += m_step;
    }

    void comments(const Gap& gap, int depth, bool mayBeApart)
    {
        for (const Comment& comment : gap.comments) {
            if (comment.behind) {
                m_out += ' ';
            } else {
                if (comment.apart && mayBeApart)
                    m_out += m_end;
                newLine(depth);
            }
            m_out += comment.text;
            mayBeApart = true;
        }
    }

    /// A list on one line, where all in it is plain and it is not too wide; else nothing.
    [[nodiscard]] std::string inOneLine(const JsonNode& list) const
    {
        std::string line = "[";
        std::size_t at = list.begin + 1;
        for (int id = list.firstChild; id >= 0; id = m_document.node(id).next) {
            const JsonNode& child = m_document.node(id);
            if (child.kind == JsonKind::Object || child.kind == JsonKind::Array || !gapOf(m_text, at, child.begin).comments.empty())
                return {};
            line += line.size() > 1 ? ", " : "";
            line += m_text.substr(child.begin, child.end - child.begin);
            at = child.end;
        }
        const std::size_t start = m_out.rfind('\n');
        const std::size_t used = m_out.size() - (start == std::string::npos ? 0 : start);
        return gapOf(m_text, at, list.end - 1).comments.empty() && used + line.size() < kWidestList ? line + (m_document.node(list.lastChild).comma != 0 ? ",]" : "]") : std::string();
    }

    void value(int id, int depth)
    {
        const JsonNode& node = m_document.node(id);
        const bool list = node.kind == JsonKind::Array;
        if (!list && node.kind != JsonKind::Object) {
            m_out += m_text.substr(node.begin, node.end - node.begin);
            return;
        }
        if (const std::string line = list && node.firstChild >= 0 ? inOneLine(node) : std::string(); !line.empty()) {
            m_out += line;
            return;
        }
        m_out += list ? '[' : '{';
        std::size_t at = node.begin + 1;
        bool any = false;
        for (int child = node.firstChild; child >= 0; child = m_document.node(child).next) {
            member(child, at, depth + 1, any);
            at = m_document.node(child).end;
            any = true;
        }
        const Gap rest = gapOf(m_text, at, node.end - 1);
        comments(rest, depth + 1, any);
        if (any || !rest.comments.empty())
            newLine(depth);
        m_out += list ? ']' : '}';
    }

    void member(int id, std::size_t from, int depth, bool notFirst)
    {
        const JsonNode& node = m_document.node(id);
        const bool named = node.keyEnd > node.keyBegin;
        const Gap before = gapOf(m_text, from, named ? node.keyBegin : node.begin);
        comments(before, depth, notFirst);
        if (before.apart && (notFirst || !before.comments.empty()))
            m_out += m_end;
        if (named) {
            Gap within = gapOf(m_text, node.keyEnd, node.begin);   // stays beside the key, on a line of its own
            for (Comment& comment : within.comments)
                comment.behind = comment.apart = false;
            comments(within, depth, false);
        }
        newLine(depth);
        if (named) {
            m_out += m_text.substr(node.keyBegin, node.keyEnd - node.keyBegin);
            m_out += ": ";
        }
        value(id, depth);
        if (node.comma != 0)
            m_out += ',';
    }

    const JsonDocument& m_document;
    std::string_view m_text;
    std::string_view m_end, m_base, m_step = "  ";
    std::string m_out;
};

}  // namespace

std::optional<JsonRelaxationUse> layoutObstacle(const JsonDocument& document)
{
    const auto& all = document.relaxations();
    const auto found = std::find_if(all.begin(), all.end(), [](const JsonRelaxationUse& use) {
        return use.what == JsonRelaxation::BareText || use.what == JsonRelaxation::MultilineText || use.what == JsonRelaxation::NoBraces || use.what == JsonRelaxation::EmptyFile;
    });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

std::string laidOut(const JsonDocument& document) { return Layout(document).made(); }

}  // namespace stagecraft
