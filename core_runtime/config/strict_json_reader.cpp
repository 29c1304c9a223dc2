// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/hjson_reader.h"
#include "config/text_cursor.h"

#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

namespace {

/// Python's json.load: strict syntax, yet NaN and the infinities pass and the last of two equal keys wins.
class StrictReader {
public:
    explicit StrictReader(std::string_view text) : m_cursor(text) {}

    ReadText read()
    {
        ReadText out;
        m_out = &out;
        if (m_cursor.admissible()) {
            std::size_t i = skip(0);
            i = readValue(i, out.root, "", 0);
            i = m_cursor.failed() ? i : skip(i);
            if (!m_cursor.failed() && !m_cursor.atEnd(i)) {
                const bool comment = ch(i) == '/' || ch(i) == '#';
                m_cursor.fail(comment ? "text.strict_comment" : "text.extra", i);
            }
        }
        out.problem = m_cursor.problem();
        return out;
    }

private:
    [[nodiscard]] char ch(std::size_t i) const { return m_cursor.at(i); }

    std::size_t skip(std::size_t i) const
    {
        while (!m_cursor.atEnd(i) && (ch(i) == ' ' || ch(i) == '\t' || ch(i) == '\n' || ch(i) == '\r')) {
            ++i;
        }
        return i;
    }

    /// Of a key that stands there twice a dict has the last value, in the place of the first.
    static void keepLast(ConfigValue& object)
    {
        std::unordered_map<std::string, std::size_t> places;
        std::vector<ConfigMember> kept;
        for (ConfigMember& member : object.members) {
            const auto [place, added] = places.emplace(member.key, kept.size());
            if (added) {
                kept.push_back(std::move(member));
            } else {
                kept[place->second] = std::move(member);
            }
        }
        object.members = std::move(kept);
    }

    std::size_t refuse(std::size_t i)
    {
        if (m_cursor.atEnd(i)) {
            m_cursor.fail("text.eof", i);
        } else if (ch(i) == '/' || ch(i) == '#') {
            m_cursor.fail("text.strict_comment", i);
        } else {
            m_cursor.fail("text.strict", i, {{"found", std::string(1, ch(i))}});
        }
        return i;
    }

    /// What stands where a key belongs: a name without quotes, or nothing that could be one.
    std::size_t refuseKey(std::size_t i)
    {
        if (!m_cursor.atEnd(i) && std::string_view("{[],:.<>%$@*=-+;(").find(ch(i)) != std::string_view::npos) {
            m_cursor.fail("text.key", i);
        }
        return refuse(i);
    }

    /// What follows a value, and is neither a comma nor what closes: the next key or element, before which the comma is missing, or nothing that belongs there.
    std::size_t refuseBehind(std::size_t value, std::size_t i, bool list)
    {
        const char c = ch(i);
        const bool name = c == '\'' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool line = m_cursor.text().substr(value, i - value).find('\n') != std::string_view::npos;
        const bool element = list && i > value && (c == '{' || c == '[' || c == '-' || (c >= '0' && c <= '9'));
        if (c == '"' || element || (name && line)) {
            m_cursor.fail("text.missing", i);
        } else if (c == ']' || c == '}') {
            m_cursor.fail("text.syntax", i);
        }
        return refuse(i);
    }

    std::size_t readValue(std::size_t i, ConfigValue& into, const std::string& pointer, int depth)
    {
        if (m_cursor.atEnd(i) || !m_cursor.countValue(i)) {
            return refuse(i);
        }
        if (depth >= kMaxConfigDepth) {
            m_cursor.fail("text.too_deep", i);
            return i;
        }
        into.place = m_cursor.place(i);
        switch (ch(i)) {
        case '"': into.kind = ConfigValue::Kind::String; return readString(i, into.text);
        case '{': return readObject(i, into, pointer, depth);
        case '[': return readList(i, into, pointer, depth);
        default: return readWord(i, into);
        }
    }

    std::size_t readObject(std::size_t i, ConfigValue& into, const std::string& pointer, int depth)
    {
        into.kind = ConfigValue::Kind::Object;
        i = skip(i + 1);
        if (ch(i) == '}') {
            return i + 1;
        }
        while (true) {
            if (ch(i) != '"') {
                return ch(i) == '}' ? (m_cursor.fail("text.strict_comma", i), i) : refuseKey(i);
            }
            ConfigMember member;
            member.keyPlace = m_cursor.place(i);
            i = readString(i, member.key);
            i = m_cursor.failed() ? i : skip(i);
            if (m_cursor.failed() || ch(i) != ':') {
                if (!m_cursor.failed() && !m_cursor.atEnd(i) && ch(i) != '/' && ch(i) != '#') {
                    m_cursor.fail("text.syntax", i, {{"key", member.key}});
                }
                return refuse(i);
            }
            const std::size_t behindColon = i + 1;
            const std::size_t begin = i = skip(behindColon);
            if (ch(i) == ',' || ch(i) == '}') {
                m_cursor.fail("text.value", behindColon, {{"key", member.key}});
                return i;
            }
            i = readValue(i, member.value, pointer + "/" + pointerToken(member.key), depth + 1);
            into.members.push_back(std::move(member));
            if (m_cursor.failed()) {
                return i;
            }
            const std::size_t behindValue = i;
            i = skip(i);
            if (ch(i) == ':' && nextKeyFor(m_cursor.text(), behindColon, begin)) {
                m_cursor.fail("text.value", behindColon, {{"key", into.members.back().key}});
                return i;
            }
            if (ch(i) == '}') {
                const std::size_t before = m_out->duplicateCount;
                noteDuplicates(into, pointer, *m_out);
                if (m_out->duplicateCount > before) {
                    keepLast(into);
                }
                return i + 1;
            }
            if (ch(i) != ',') {
                return refuseBehind(behindValue, i, false);
            }
            i = skip(i + 1);
        }
    }

    std::size_t readList(std::size_t i, ConfigValue& into, const std::string& pointer, int depth)
    {
        into.kind = ConfigValue::Kind::List;
        i = skip(i + 1);
        if (ch(i) == ']') {
            return i + 1;
        }
        while (true) {
            if (ch(i) == ']') {
                m_cursor.fail("text.strict_comma", i);
                return i;
            }
            into.items.emplace_back();
            i = readValue(i, into.items.back(), pointer + "/" + std::to_string(into.items.size() - 1), depth + 1);
            if (m_cursor.failed()) {
                return i;
            }
            const std::size_t behindValue = i;
            i = skip(i);
            if (ch(i) == ']') {
                return i + 1;
            }
            if (ch(i) != ',') {
                return refuseBehind(behindValue, i, true);
            }
            i = skip(i + 1);
        }
    }

    std::size_t readString(std::size_t i, std::string& out)
    {
        static constexpr std::string_view kFrom = "\"\\/bfnrt";
        static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
        const std::size_t open = i;
        for (++i; !m_cursor.atEnd(i); ++i) {
            const char c = ch(i);
            if (c == '"') {
                return i + 1;
            }
            if (static_cast<unsigned char>(c) < 0x20) {
                m_cursor.fail("text.control", i, {{"found", std::string(1, c)}});
                return i;
            }
            if (c != '\\') {
                out += c;
                continue;
            }
            ++i;
            const std::size_t known = kFrom.find(ch(i));
            if (known != std::string_view::npos && !m_cursor.atEnd(i)) {
                out += kTo[known];
            } else if (ch(i) == 'u' && hex4(i + 1).has_value()) {
                unsigned code = *hex4(i + 1);
                i += 4;
                const auto low = ch(i + 1) == '\\' && ch(i + 2) == 'u' ? hex4(i + 3) : std::nullopt;
                if ((code & 0xFC00U) == 0xD800U && low.has_value() && (*low & 0xFC00U) == 0xDC00U) {
                    code = 0x10000U + (((code - 0xD800U) << 10) | (*low - 0xDC00U));
                    i += 6;
                }
                appendUtf8(out, code);
            } else {
                m_cursor.fail("text.escape", i, {{"found", std::string(1, ch(i))}});
                return i;
            }
        }
        m_cursor.fail("text.string", open);
        return i;
    }

    [[nodiscard]] std::optional<unsigned> hex4(std::size_t i) const
    {
        unsigned value = 0;
        for (std::size_t k = i; k < i + 4; ++k) {
            const char c = ch(k);
            const std::size_t digit = std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
            if (digit == std::string_view::npos || m_cursor.atEnd(k)) {
                return std::nullopt;
            }
            value = value * 16 + static_cast<unsigned>(digit);
        }
        return value;
    }

    std::size_t readWord(std::size_t i, ConfigValue& into)
    {
        const TextPlace place = into.place;
        const std::string_view rest = m_cursor.text().substr(i);
        const auto starts = [&](std::string_view word) { return rest.substr(0, word.size()) == word; };
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        std::size_t length = 0;
        if (starts("null")) {
            length = 4;
        } else if (starts("true") || starts("false")) {
            into = ConfigValue::ofBool(rest.front() == 't');
            length = into.boolean ? 4 : 5;
        } else if (starts("NaN")) {
            into = ConfigValue::ofFloat(std::numeric_limits<double>::quiet_NaN());
            length = 3;
        } else if (starts("Infinity") || starts("-Infinity")) {
            into = ConfigValue::ofFloat(rest.front() == '-' ? -kInfinity : kInfinity);
            length = rest.front() == '-' ? 9 : 8;
        } else {
            bool fractional = false;
            length = numberLength(m_cursor.text(), i, fractional);
            if (length == 0) {
                return refuse(i);
            }
            into = m_cursor.makeNumber(rest.substr(0, length), fractional, false, i);
        }
        into.place = place;
        return i + length;
    }

    TextCursor m_cursor;
    ReadText* m_out = nullptr;
};

}  // namespace

ReadText readStrictJson(std::string_view text)
{
    return StrictReader(text).read();
}

}  // namespace stagecraft
