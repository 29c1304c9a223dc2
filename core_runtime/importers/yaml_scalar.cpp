// SPDX-License-Identifier: GPL-3.0-or-later
// What PyYAML and OmegaConf take a plain word for. Source: PyYAML 6 resolver.py (YAML 1.1) and OmegaConf 2.3 _utils.py.
#include "importers/yaml_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace stagecraft {

namespace {

bool oneOf(const std::string& word, std::initializer_list<const char*> words)
{
    return std::any_of(words.begin(), words.end(), [&](const char* candidate) { return word == candidate; });
}

bool digit(char c) { return c >= '0' && c <= '9'; }
bool digitOr_(char c) { return digit(c) || c == '_'; }

/// [-+]?[0-9][0-9_]*  at `at`; the place behind it, or npos.
std::size_t digits(const std::string& word, std::size_t at, bool atLeastOne)
{
    if (atLeastOne && (at >= word.size() || !digit(word[at]))) return std::string::npos;
    while (at < word.size() && digitOr_(word[at])) ++at;
    return at;
}

/// The exponent at `at`: its end, `at` when there is none, npos when it is none of this dialect.
std::size_t exponent(const std::string& word, std::size_t at, bool signNeeded)
{
    if (at >= word.size() || (word[at] != 'e' && word[at] != 'E')) return at;
    ++at;
    if (at < word.size() && (word[at] == '-' || word[at] == '+')) ++at;
    else if (signNeeded) return std::string::npos;
    const std::size_t begin = at;
    while (at < word.size() && digit(word[at])) ++at;
    return at > begin ? at : std::string::npos;
}

bool isFloat(const std::string& word, YamlDialect dialect)
{
    const bool omega = dialect == YamlDialect::OmegaConf;
    std::size_t at = !word.empty() && (word[0] == '-' || word[0] == '+') ? 1 : 0;
    if (at < word.size() && word[at] == '.') {
        if (at + 1 >= word.size() || !digitOr_(word[at + 1])) return false;
        return exponent(word, digits(word, at + 1, false), true) == word.size();
    }
    at = digits(word, at, true);
    if (at == std::string::npos) return false;
    if (at < word.size() && word[at] == '.') return exponent(word, digits(word, at + 1, false), !omega) == word.size();
    return omega && at < word.size() && exponent(word, at, false) == word.size();
}

double parsed(std::string word)
{
    word.erase(std::remove(word.begin(), word.end(), '_'), word.end());
    if (!word.empty() && word[0] == '+') word.erase(0, 1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range) {
        const bool small = word.find("e-") != std::string::npos || word.find("E-") != std::string::npos;
        return small ? 0.0 : (word[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    }
    return value;
}

/// An int of YAML 1.1: binary, octal, hexadecimal, decimal or base sixty.
std::optional<ConfigValue> integer(const std::string& word)
{
    std::string text = word;
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.erase(0, 1);
    if (text.empty() || !digit(text[0])) return std::nullopt;
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'x')) {
        base = text[1] == 'b' ? 2 : 16;
        text.erase(0, 2);
    } else if (text.size() > 1 && text[0] == '0') {
        base = 8;
        text.erase(0, 1);
    }
    const bool sixty = base == 10 && text.find(':') != std::string::npos;
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    if (text.empty()) return base == 8 ? std::optional(ConfigValue::ofInt(0)) : std::nullopt;
    std::int64_t value = 0;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = sixty ? std::min(text.find(':', begin), text.size()) : text.size();
        std::int64_t part = 0;
        const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, part, base);
        if (stop != text.data() + end || end == begin || text[begin] == '-') return std::nullopt;   // a sign stands before the base only
        if (error == std::errc::result_out_of_range || value > (std::numeric_limits<std::int64_t>::max() - part) / 60) {
            if (sixty || base != 10) return std::nullopt;
            ConfigValue wide = ConfigValue::ofFloat(parsed(word));
            wide.kind = ConfigValue::Kind::Int;
            wide.wide = true;
            wide.text = (negative ? "-" : "") + text;
            return wide;
        }
        if (sixty && begin > 0 && (part > 59 || end - begin > 2)) return std::nullopt;
        value = (sixty ? value * 60 : 0) + part;
        if (end == text.size()) break;
        begin = end + 1;
    }
    return ConfigValue::ofInt(negative ? -value : value);
}

}  // namespace

ConfigValue yamlScalar(const std::string& word, YamlDialect dialect)
{
    if (word.empty() || oneOf(word, {"~", "null", "Null", "NULL"})) return {};
    if (oneOf(word, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) return ConfigValue::ofBool(true);
    if (oneOf(word, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) return ConfigValue::ofBool(false);
    if (const auto value = integer(word)) return *value;
    if (isFloat(word, dialect)) return ConfigValue::ofFloat(parsed(word));
    if (oneOf(word, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return ConfigValue::ofFloat(std::numeric_limits<double>::infinity());
    if (oneOf(word, {"-.inf", "-.Inf", "-.INF"})) return ConfigValue::ofFloat(-std::numeric_limits<double>::infinity());
    return ConfigValue::ofString(word);
}

}  // namespace stagecraft
