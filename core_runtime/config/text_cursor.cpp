// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/text_cursor.h"

#include "base/utf8.h"
#include "config/binary_text.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace stagecraft {

namespace {

constexpr std::size_t kMaxIntDigits = 4300;  // Python refuses to convert longer digit strings
constexpr std::size_t kMaxListedDuplicates = 100;

}  // namespace

TextCursor::TextCursor(std::string_view text) : m_text(text)
{
    if (text.size() <= kMaxConfigBytes && text.find('\r') != std::string_view::npos) {
        m_own.reserve(text.size());
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\r') {
                m_own += '\n';
                i += i + 1 < text.size() && text[i + 1] == '\n' ? 1 : 0;
            } else {
                m_own += text[i];
            }
        }
        m_text = m_own;
    }
}

TextPlace TextCursor::place(std::size_t offset)
{
    offset = std::min(offset, m_text.size());
    if (offset < m_placedOffset) {
        m_placedOffset = 0;
        m_placed = {1, 1};
    }
    for (; m_placedOffset < offset; ++m_placedOffset) {
        const char c = m_text[m_placedOffset];
        if (c == '\n') {
            ++m_placed.line;
            m_placed.column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
            ++m_placed.column;
        }
    }
    return m_placed;
}

void TextCursor::fail(std::string id, std::size_t offset, std::vector<std::pair<std::string, std::string>> details)
{
    if (!m_problem.has_value()) {
        m_problem = ReadProblem{std::move(id), place(offset), std::move(details)};
    }
}

bool TextCursor::countValue(std::size_t offset)
{
    if (++m_values > kMaxConfigValues) {
        fail("text.too_many", offset);
        return false;
    }
    return true;
}

ConfigValue TextCursor::makeNumber(std::string_view digits, bool fractional, bool hjson, std::size_t offset)
{
    ConfigValue made;
    if (!fractional) {
        std::int64_t integer = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), integer);
        if (error == std::errc() && end == digits.data() + digits.size()) {
            made = ConfigValue::ofInt(integer);
        } else if (digits.size() > kMaxIntDigits) {
            fail("text.number", offset, {{"digits", std::to_string(digits.size())}});
        } else {
            made.kind = ConfigValue::Kind::Int;
            made.wide = true;
            made.text = std::string(digits);
            std::from_chars(digits.data(), digits.data() + digits.size(), made.number);
            if (made.number == 0.0) {  // out of a double's range
                made.number = digits.front() == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
            }
        }
        made.place = place(offset);
        return made;
    }
    double number = 0.0;
    const auto outcome = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (outcome.ec == std::errc::result_out_of_range) {
        const auto exponent = digits.find_first_of("eE");
        const bool tiny = exponent != std::string_view::npos && exponent + 1 < digits.size() && digits[exponent + 1] == '-';
        number = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    }
    if (hjson && std::isinf(number)) {
        fail("text.infinite", offset);  // the reader calls int() on it: OverflowError
    }
    if (hjson && std::fabs(number) < 1e10 && std::trunc(number) == number) {
        made = ConfigValue::ofInt(static_cast<std::int64_t>(number));
    } else {
        made = ConfigValue::ofFloat(number);
    }
    made.place = place(offset);
    return made;
}

bool TextCursor::admissible()
{
    if (m_text.size() > kMaxConfigBytes) {
        m_problem = ReadProblem{"text.too_large", {1, 1}, {{"bytes", std::to_string(m_text.size())}}};
        return false;
    }
    if (const auto bad = firstBadByte(m_text)) {
        fail(isBinary(m_text) ? "text.binary" : "text.encoding", *bad, {{"offset", std::to_string(*bad)}});
        return false;
    }
    return true;
}

void noteDuplicates(const ConfigValue& object, const std::string& pointer, ReadText& into)
{
    std::unordered_map<std::string_view, TextPlace> seen;
    seen.reserve(object.members.size());
    std::unordered_set<std::string_view> told;
    for (const ConfigMember& member : object.members) {
        const auto [first, isNew] = seen.emplace(member.key, member.keyPlace);
        if (!isNew && told.insert(member.key).second) {
            ++into.duplicateCount;
            if (into.duplicates.size() < kMaxListedDuplicates) {
                into.duplicates.push_back({pointer + "/" + pointerToken(member.key), member.key, member.keyPlace, first->second});
            }
        }
    }
}

bool nextKeyFor(std::string_view text, std::size_t behindColon, std::size_t begin)
{
    return begin < text.size() && (text[begin] == '"' || text[begin] == '\'') && text.substr(behindColon, begin - behindColon).find('\n') != std::string_view::npos;
}

void appendUtf8(std::string& out, unsigned codePoint)
{
    const auto byte = [&](unsigned value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
    if (codePoint < 0x80) {
        byte(codePoint);
    } else if (codePoint < 0x800) {
        byte(0xC0 | (codePoint >> 6));
        byte(0x80 | (codePoint & 0x3F));
    } else if (codePoint < 0x10000) {
        if (codePoint >= 0xD800 && codePoint < 0xE000) {
            codePoint = 0xFFFD;  // a lone surrogate cannot be written in UTF-8
        }
        byte(0xE0 | (codePoint >> 12));
        byte(0x80 | ((codePoint >> 6) & 0x3F));
        byte(0x80 | (codePoint & 0x3F));
    } else {
        byte(0xF0 | (codePoint >> 18));
        byte(0x80 | ((codePoint >> 12) & 0x3F));
        byte(0x80 | ((codePoint >> 6) & 0x3F));
        byte(0x80 | (codePoint & 0x3F));
    }
}

std::size_t numberLength(std::string_view text, std::size_t from, bool& fractional)
{
    const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    std::size_t i = from;
    fractional = false;
    if (i < text.size() && text[i] == '-') {
        ++i;
    }
    if (!digit(i)) {
        return 0;
    }
    if (text[i] == '0') {
        ++i;
    } else {
        while (digit(i)) {
            ++i;
        }
    }
    if (i < text.size() && text[i] == '.' && digit(i + 1)) {
        fractional = true;
        ++i;
        while (digit(i)) {
            ++i;
        }
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        std::size_t k = i + 1;
        if (k < text.size() && (text[k] == '+' || text[k] == '-')) {
            ++k;
        }
        if (digit(k)) {
            fractional = true;
            i = k;
            while (digit(i)) {
                ++i;
            }
        }
    }
    return i - from;
}

}  // namespace stagecraft
