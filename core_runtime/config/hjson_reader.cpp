// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/hjson_reader.h"

#include "config/bare_text.h"
#include "config/text_cursor.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::size_t kMostSwallowed = 100;

// The quirks below are those of hjson 3.1.0 for Python, checked against it by tests/oracle; each would be a bug anywhere
// else, and each decides whether DeepSpeed accepts a file.
class HjsonReader {
public:
    explicit HjsonReader(std::string_view text) : m_cursor(text) {}

    ReadText read()
    {
        ReadText out;
        m_out = &out;
        if (m_cursor.admissible()) {
            readRoot(out.root);
        }
        out.problem = m_restored.has_value() ? m_restored : m_cursor.problem();
        return out;
    }

private:
    [[nodiscard]] char ch(std::size_t i) const { return m_cursor.at(i); }
    [[nodiscard]] bool end(std::size_t i) const { return m_cursor.atEnd(i); }
    static bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    /// Skips white space and comments; an unclosed /* fails.
    std::size_t next(std::size_t i)
    {
        while (true) {
            while (!end(i) && isSpace(ch(i))) {
                ++i;
            }
            if (!end(i) && (ch(i) == '#' || (ch(i) == '/' && ch(i + 1) == '/'))) {
                while (!end(i) && ch(i) != '\n') {
                    ++i;
                }
            } else if (ch(i) == '/' && ch(i + 1) == '*') {
                const std::size_t close = m_cursor.text().find("*/", i + 2);
                if (close == std::string_view::npos) {
                    m_cursor.fail("text.comment", i);
                    return m_cursor.size();
                }
                i = close + 2;
            } else {
                return i;
            }
        }
    }

    void readRoot(ConfigValue& root)
    {
        const bool bom = m_cursor.text().substr(0, 3) == "\xEF\xBB\xBF";
        std::size_t i = next(bom ? 3 : 0);
        if (m_cursor.failed()) {
            return;
        }
        if (!bom && end(i)) {  // a blank file is an empty object
            root = ConfigValue::ofObject();
            root.place = {1, 1};
            return;
        }
        if (ch(i) == '{' || ch(i) == '[') {
            i = readValue(i, root, "", 0);
        } else {
            root = ConfigValue::ofObject();
            root.place = m_cursor.place(i);
            const std::size_t after = readMembers(i, root, "", 0, true);
            if (m_cursor.failed()) {  // not an object without braces: perhaps a single value
                const auto problem = m_cursor.problem();
                const bool oneWord = problem->id == "text.eof" && root.members.empty();  // null, 42, true
                if (problem->id != "text.syntax" && problem->id != "text.key" && problem->id != "text.value" && !oneWord) {
                    return;
                }
                m_cursor.forgetProblem();
                m_cursor.resetCount();
                m_out->duplicates.clear();
                m_out->duplicateCount = 0;
                m_out->swallowed.clear();
                root = {};
                i = readValue(i, root, "", 0);
                if (m_cursor.failed()) {
                    m_cursor.forgetProblem();
                    restore(*problem);
                    return;
                }
            } else {
                i = after;
            }
        }
        if (m_cursor.failed()) {
            return;
        }
        i = next(i);
        if (!m_cursor.failed() && !end(i)) {
            m_cursor.fail("text.extra", i);
        }
    }

    void restore(const ReadProblem& problem)
    {
        m_cursor.fail(problem.id, 0, problem.details);
        m_restored = problem;
    }

    std::size_t readValue(std::size_t i, ConfigValue& into, const std::string& pointer, int depth)
    {
        if (end(i)) {
            m_cursor.fail("text.eof", i);
            return i;
        }
        if (!m_cursor.countValue(i)) {
            return i;
        }
        if (depth >= kMaxConfigDepth) {
            m_cursor.fail("text.too_deep", i);
            return i;
        }
        into.place = m_cursor.place(i);
        const char c = ch(i);
        if (c == '"' || c == '\'') {
            into.kind = ConfigValue::Kind::String;
            if (m_cursor.text().substr(i, 3) == "'''") {
                return readMultiline(i, into.text);
            }
            return readQuoted(i, into.text);
        }
        if (c == '{') {
            into.kind = ConfigValue::Kind::Object;
            const std::size_t first = next(i + 1);
            if (!m_cursor.failed() && ch(first) == '}') {
                return first + 1;
            }
            return readMembers(first, into, pointer, depth, false);
        }
        if (c == '[') {
            return readItems(i, into, pointer, depth);
        }
        return readBare(i, into);
    }

    std::size_t readMembers(std::size_t i, ConfigValue& into, const std::string& pointer, int depth, bool withoutBraces)
    {
        i = next(i);
        while (!m_cursor.failed()) {
            ConfigMember member;
            member.keyPlace = m_cursor.place(i);
            i = readKey(i, member.key);
            i = m_cursor.failed() ? i : next(i);
            if (m_cursor.failed()) {
                break;
            }
            if (ch(i) != ':' || end(i)) {
                m_cursor.fail("text.syntax", i, {{"key", member.key}});
                break;
            }
            const std::size_t behindColon = i + 1;
            const std::size_t begin = i = next(behindColon);
            if (m_cursor.failed()) {
                break;
            }
            if (!end(i) && (ch(i) == ',' || ch(i) == '}')) {
                m_cursor.fail("text.value", behindColon, {{"key", member.key}});
                break;
            }
            i = readValue(i, member.value, pointer + "/" + pointerToken(member.key), depth + 1);
            into.members.push_back(std::move(member));
            if (m_cursor.failed()) {
                break;
            }
            i = next(i);
            if (!end(i) && ch(i) == ':' && nextKeyFor(m_cursor.text(), behindColon, begin)) {
                m_cursor.fail("text.value", behindColon, {{"key", into.members.back().key}});
                break;
            }
            if (!end(i) && ch(i) == ',') {
                i = next(i + 1);
            }
            if (withoutBraces ? end(i) : ch(i) == '}' && !end(i)) {
                i += withoutBraces ? 0 : 1;
                noteDuplicates(into, pointer, *m_out);
                return i;
            }
            i = next(i);
        }
        return i;
    }

    std::size_t readItems(std::size_t i, ConfigValue& into, const std::string& pointer, int depth)
    {
        into.kind = ConfigValue::Kind::List;
        const std::size_t open = i;
        i = next(i + 1);
        if (m_cursor.failed()) {
            return i;
        }
        if (ch(i) == ']') {
            return i + 1;
        }
        if (end(i)) {
            m_cursor.fail("text.unclosed", open, {{"bracket", "["}});
            return i;
        }
        while (!m_cursor.failed()) {
            into.items.emplace_back();
            i = readValue(i, into.items.back(), pointer + "/" + std::to_string(into.items.size() - 1), depth + 1);
            if (m_cursor.failed()) {
                break;
            }
            i = next(i);
            if (!end(i) && ch(i) == ',') {
                i = next(i + 1);
            }
            if (!end(i) && ch(i) == ']') {
                return i + 1;
            }
        }
        return i;
    }

    /// Whether the key that begins at `begin` is the rest of a number that a comma has cut: 500,000 or 0,001.
    [[nodiscard]] bool afterThousands(std::size_t begin) const
    {
        const auto digit = [&](std::size_t i) { return ch(i) >= '0' && ch(i) <= '9'; };
        if (begin < 2 || ch(begin - 1) != ',' || !digit(begin - 2) || !digit(begin)) {
            return false;
        }
        std::size_t i = begin;
        while (digit(i) || ch(i) == 'e' || ch(i) == 'E' || (i > begin && (ch(i) == '-' || ch(i) == '+') && !digit(i - 1))) {
            ++i;
        }
        return end(i) || isSpace(ch(i)) || ch(i) == ',' || ch(i) == '}';
    }

    std::size_t readKey(std::size_t i, std::string& key)
    {
        if (ch(i) == '"' || ch(i) == '\'') {
            return readQuoted(i, key);
        }
        const std::size_t begin = i;
        std::size_t space = std::string_view::npos;
        while (true) {
            if (end(i)) {
                m_cursor.fail("text.eof", begin);
                return i;
            }
            const char c = ch(i);
            if (c == ':') {
                if ((begin == i || space != std::string_view::npos) && afterThousands(begin)) {
                    m_cursor.fail("text.thousands", begin);
                    return i;
                }
                if (begin == i || (space != std::string_view::npos && space + 1 != i)) {
                    m_cursor.fail("text.key", begin);
                    return i;
                }
                std::string_view word = m_cursor.text().substr(begin, i - begin);
                while (!word.empty() && isSpace(word.back())) {
                    word.remove_suffix(1);
                }
                key = std::string(word);
                return i;
            }
            if (isSpace(c)) {
                if (space == std::string_view::npos || space + 1 == i) {
                    space = i;
                }
            } else if (c == '{' || c == '}' || c == '[' || c == ']' || c == ',') {
                m_cursor.fail(afterThousands(begin) ? "text.thousands" : "text.key", begin, {{"found", std::string(1, c)}});
                return i;
            }
            ++i;
        }
    }

    /// A string in either kind of quotes; `i` is at the opening one.
    std::size_t readQuoted(std::size_t i, std::string& out)
    {
        const std::size_t open = i;
        const char quote = ch(i);
        ++i;
        while (true) {
            if (end(i)) {
                m_cursor.fail("text.string", open);
                return i;
            }
            const char c = ch(i);
            if (c == quote) {
                return i + 1;
            }
            if (static_cast<unsigned char>(c) < 0x20) {
                m_cursor.fail("text.control", i, {{"found", std::string(1, c)}});
                return i;
            }
            if (c != '\\') {
                out += c;
                ++i;
                continue;
            }
            i = readEscape(i + 1, open, out);
            if (m_cursor.failed()) {
                return i;
            }
        }
    }

    bool hex4(std::size_t i, unsigned& value) const
    {
        value = 0;
        for (std::size_t k = i; k < i + 4; ++k) {
            const char c = ch(k);
            unsigned digit = 0;
            if (c >= '0' && c <= '9') {
                digit = static_cast<unsigned>(c - '0');
            } else if (c >= 'a' && c <= 'f') {
                digit = static_cast<unsigned>(c - 'a') + 10;
            } else if (c >= 'A' && c <= 'F') {
                digit = static_cast<unsigned>(c - 'A') + 10;
            } else {
                return false;
            }
            value = value * 16 + digit;
        }
        return true;
    }

    std::size_t readEscape(std::size_t i, std::size_t open, std::string& out)
    {
        static constexpr std::string_view kFrom = "\"'\\/bfnrt";
        static constexpr std::string_view kTo = "\"'\\/\b\f\n\r\t";
        if (end(i)) {
            m_cursor.fail("text.string", open);
            return i;
        }
        if (ch(i) != 'u') {
            const std::size_t known = kFrom.find(ch(i));
            if (known == std::string_view::npos) {
                m_cursor.fail("text.escape", i, {{"found", std::string(1, ch(i))}});
                return i;
            }
            out += kTo[known];
            return i + 1;
        }
        unsigned code = 0;
        if (!hex4(i + 1, code)) {
            m_cursor.fail("text.escape", i, {{"found", "u"}});
            return i;
        }
        i += 5;
        unsigned low = 0;
        if ((code & 0xFC00U) == 0xD800U && ch(i) == '\\' && ch(i + 1) == 'u' && hex4(i + 2, low) && (low & 0xFC00U) == 0xDC00U) {
            code = 0x10000U + (((code - 0xD800U) << 10) | (low - 0xDC00U));
            i += 6;
        }
        appendUtf8(out, code);
        return i;
    }

    std::size_t skipIndent(std::size_t i, std::size_t most) const
    {
        while (most > 0 && !end(i) && (ch(i) == ' ' || ch(i) == '\t' || ch(i) == '\r')) {
            ++i;
            --most;
        }
        return i;
    }

    std::size_t readMultiline(std::size_t i, std::string& out)
    {
        const std::size_t open = i;
        // The line's begin is looked for backwards, and past that of the text from its end on, as Python's negative indices go.
        const std::string_view text = m_cursor.text();
        const std::size_t last = text.rfind('\n'), before = open == 0 ? last : std::min(last, text.rfind('\n', open - 1));
        if (last == std::string_view::npos) m_cursor.fail("text.multiline", open);
        const std::size_t indent = before < open ? open - before - 1 : open + text.size() - last - 1;
        i = skipIndent(i + 3, std::string_view::npos);
        if (ch(i) == '\n') {
            i = skipIndent(i + 1, indent);
        }
        int quotes = 0;
        while (true) {
            if (end(i)) {
                m_cursor.fail("text.string", open);
                return i;
            }
            const char c = ch(i);
            if (c == '\'') {
                ++i;
                if (++quotes == 3) {
                    if (!out.empty() && out.back() == '\n') {
                        out.pop_back();
                    }
                    return i;
                }
                continue;
            }
            out.append(static_cast<std::size_t>(quotes), '\'');
            quotes = 0;
            out += c;
            ++i;
            if (c == '\n') {
                i = skipIndent(i, indent);
            }
        }
    }

    static std::string_view strip(std::string_view word)
    {
        const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); };
        while (!word.empty() && blank(word.front())) {
            word.remove_prefix(1);
        }
        while (!word.empty() && blank(word.back())) {
            word.remove_suffix(1);
        }
        return word;
    }

    /// null, true, false, a number, or a string without quotes, which takes the rest of the line, commas included.
    std::size_t readBare(std::size_t begin, ConfigValue& into)
    {
        const std::string_view text = m_cursor.text();
        const char first = ch(begin);
        if (std::string_view("{}[],:").find(first) != std::string_view::npos) {
            m_cursor.fail("text.syntax", begin, {{"found", std::string(1, first)}});
            return begin;
        }
        // Where a literal or number would have to stop to count as one: found once, so that the scan below stays linear.
        std::size_t stop = std::string_view::npos;
        bool fractional = false;
        std::size_t length = 0;
        static constexpr std::string_view kWords[] = {"null", "true", "false"};
        std::string_view word;
        for (const std::string_view candidate : kWords) {
            if (text.substr(begin, candidate.size()) == candidate) {
                word = candidate;
                length = candidate.size();
            }
        }
        if (word.empty()) {
            length = numberLength(text, begin, fractional);
        }
        if (length > 0) {
            stop = begin + length;
            while (!end(stop) && (ch(stop) == ' ' || ch(stop) == '\t')) {
                ++stop;
            }
        }
        std::size_t i = begin;
        while (true) {
            const char c = ch(i);
            const bool lineEnd = end(i) || c == '\n';
            if (lineEnd || c == ',' || c == '}' || c == ']' || c == '#' || (c == '/' && (ch(i + 1) == '/' || ch(i + 1) == '*'))) {
                if (i == stop) {
                    if (word == "null") {
                        into.kind = ConfigValue::Kind::Null;
                    } else if (!word.empty()) {
                        into.kind = ConfigValue::Kind::Bool;
                        into.boolean = word == "true";
                    } else {
                        into = m_cursor.makeNumber(text.substr(begin, length), fractional, true, begin);
                    }
                    return i;
                }
                if (lineEnd) {
                    into.kind = ConfigValue::Kind::String;
                    into.text = std::string(strip(text.substr(begin, i - begin)));
                    if ((into.text.find_first_of(",}]") != std::string::npos || spellsLiteral(into.text) || hasLookalike(into.text)) && m_out->swallowed.size() < kMostSwallowed) {
                        m_out->swallowed.push_back({into.place, into.text});
                    }
                    return i;
                }
            }
            ++i;
        }
    }

    TextCursor m_cursor;
    ReadText* m_out = nullptr;
    std::optional<ReadProblem> m_restored;  ///< a problem whose place must survive the second attempt
};

}  // namespace

ReadText readHjson(std::string_view text)
{
    return HjsonReader(text).read();
}

}  // namespace stagecraft
