// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <vector>

namespace stagecraft {

namespace {

using nlohmann::json;

Error at(std::string_view text, std::size_t offset, std::string message)
{
    const LineColumn position = positionAt(text, offset);
    return Error{ErrorCode::InvalidInput, std::move(message),
                 {{"line", std::to_string(position.line)}, {"column", std::to_string(position.column)}}};
}

constexpr std::string_view kLastRead = "; last read: '";

/// nlohmann's reason without its own code and position, fit for one line of a terminal whatever bytes the text holds.
std::string plainReason(const std::string& what)
{
    std::string reason = what;
    if (const auto dash = reason.find(" - "); dash != std::string::npos) reason = reason.substr(dash + 3);
    else if (const auto bracket = reason.find("] "); bracket != std::string::npos) reason = reason.substr(bracket + 2);
    for (char& c : reason) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    }
    // An open text is read to the end of the file: what was read last tells the place, and what was expected stays.
    constexpr std::size_t kMostRead = 48;
    const std::size_t read = reason.find(kLastRead), begin = read + kLastRead.size(), end = reason.rfind('\'');
    if (read != std::string::npos && end != std::string::npos && end > begin + kMostRead) reason.replace(begin, end - begin - kMostRead, "...");
    if (reason.size() > 200) reason = reason.substr(0, 197) + "...";
    return reason;
}

/// Builds the tree from nlohmann's events: no exceptions, and repeated keys are seen.
class TreeBuilder : public nlohmann::json_sax<json> {
public:
    json root;
    std::string failure;
    std::size_t failureOffset = 0;
    std::string repeatedKey;
    std::string repeatedPointer;

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& value) override
    {
        Level& level = m_levels.back();
        if (level.container->contains(value)) {
            repeatedKey = value;
            for (std::size_t i = 1; i < m_levels.size(); ++i) repeatedPointer = childPointer(repeatedPointer, nameIn(m_levels[i - 1]));
            repeatedPointer = childPointer(repeatedPointer, value);
            return false;
        }
        level.key = std::move(value);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const json::exception& reason) override
    {
        failureOffset = position > 0 ? position - 1 : 0;
        failure = plainReason(reason.what());
        return false;
    }

private:
    struct Level {
        json* container;
        std::string key;
    };

    static std::string nameIn(const Level& level)
    {
        return level.container->is_array() ? std::to_string(level.container->size() - 1) : level.key;
    }

    /// Stable until the container itself grows again, which it cannot while a child of it is open.
    json* place(json value)
    {
        if (m_levels.empty()) {
            root = std::move(value);
            return &root;
        }
        Level& level = m_levels.back();
        if (level.container->is_array()) {
            level.container->push_back(std::move(value));
            return &level.container->back();
        }
        json& slot = (*level.container)[level.key];
        slot = std::move(value);
        return &slot;
    }

    bool put(json value)
    {
        place(std::move(value));
        return true;
    }
    bool open(json container)
    {
        m_levels.push_back({place(std::move(container)), {}});
        return true;
    }
    bool close()
    {
        m_levels.pop_back();
        return true;
    }

    std::vector<Level> m_levels;
};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Walks over valid JSON without building anything.
class Walker {
public:
    explicit Walker(std::string_view text) : m_text(text) {}

    [[nodiscard]] std::size_t offset() const { return m_at; }
    [[nodiscard]] bool ended() const { return m_at >= m_text.size(); }
    [[nodiscard]] char peek() const { return ended() ? '\0' : m_text[m_at]; }
    void advance() { ++m_at; }

    void skipSpace()
    {
        while (!ended() && isSpace(m_text[m_at])) ++m_at;
    }

    /// The string at the cursor with its quotes.
    std::string_view skipString()
    {
        const std::size_t begin = m_at++;
        while (!ended() && m_text[m_at] != '"') m_at += m_text[m_at] == '\\' ? 2 : 1;
        m_at = std::min(m_at + 1, m_text.size());
        return m_text.substr(begin, m_at - begin);
    }

    void skipValue()
    {
        int depth = 0;
        do {
            skipSpace();
            const char c = peek();
            if (c == '"') {
                skipString();
            } else if (c == '{' || c == '[') {
                ++depth;
                advance();
            } else if (c == '}' || c == ']') {
                --depth;
                advance();
            } else if (c == ',' || c == ':') {
                advance();
            } else {
                while (!ended() && !isSpace(peek()) && std::string_view(",:]}").find(peek()) == std::string_view::npos) advance();
            }
        } while (depth > 0 && !ended());
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
};

/// Cursor at '{' or '[': moves to the child called `token`; false when there is none.
bool enterChild(Walker& walker, const std::string& token)
{
    const bool object = walker.peek() == '{';
    if (!object && walker.peek() != '[') return false;
    walker.advance();
    for (std::size_t index = 0;; ++index) {
        walker.skipSpace();
        if (walker.ended() || walker.peek() == '}' || walker.peek() == ']') return false;
        bool found = std::to_string(index) == token;
        if (object) {
            const std::string_view key = walker.skipString();
            const json decoded = json::parse(key, nullptr, false);
            found = decoded.is_string() && decoded.get_ref<const std::string&>() == token;
            walker.skipSpace();
            walker.advance();
            walker.skipSpace();
        }
        if (found) return true;
        walker.skipValue();
        walker.skipSpace();
        if (walker.peek() == ',') walker.advance();
    }
}

std::string unescapedToken(std::string_view token)
{
    std::string plain;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const bool escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
        plain += escape ? (token[++i] == '0' ? '~' : '/') : token[i];
    }
    return plain;
}

}  // namespace

LineColumn positionAt(std::string_view text, std::size_t offset)
{
    LineColumn position;
    for (const char c : text.substr(0, std::min(offset, text.size()))) {
        if (c == '\n') {
            ++position.line;
            position.column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
            ++position.column;
        }
    }
    return position;
}

Result<json> parseJson(std::string_view text, const ParseLimits& limits)
{
    if (text.size() > limits.bytes) return at(text, 0, fmt::format("the text has {} bytes, more than {}", text.size(), limits.bytes));
    if (text.substr(0, 3) == "\xef\xbb\xbf") return at(text, 0, "the text starts with a byte-order mark; save it as plain UTF-8");
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            else if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            if (++depth > limits.depth) return at(text, i, fmt::format("objects and lists are nested more than {} deep", limits.depth));
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }

    TreeBuilder builder;
    if (json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
    if (!builder.repeatedPointer.empty()) {
        // The first of the two is the one a pointer finds; its place is as good a start as the other's.
        const auto range = findInJson(text, builder.repeatedPointer);
        Error error = at(text, range ? range->begin : 0, fmt::format("the key \"{}\" is written twice in one object; keep one", plainReason(builder.repeatedKey)));
        error.context["pointer"] = builder.repeatedPointer;
        return error;
    }
    return at(text, builder.failureOffset, builder.failure);
}

std::optional<JsonRange> findInJson(std::string_view text, std::string_view pointer)
{
    Walker walker(text);
    walker.skipSpace();
    while (!pointer.empty()) {
        if (pointer.front() != '/') return std::nullopt;
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        if (!enterChild(walker, unescapedToken(pointer.substr(0, end)))) return std::nullopt;
        pointer.remove_prefix(end);
    }
    const std::size_t begin = walker.offset();
    walker.skipValue();
    return JsonRange{begin, walker.offset()};
}

std::string childPointer(std::string_view parent, std::string_view key)
{
    std::string pointer(parent);
    pointer += '/';
    for (const char c : key) {
        if (c == '~') pointer += "~0";
        else if (c == '/') pointer += "~1";
        else pointer += c;
    }
    return pointer;
}

}  // namespace stagecraft
