// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stagecraft {

ConfigValue::ConfigValue() = default;
ConfigValue::ConfigValue(const ConfigValue&) = default;
ConfigValue::ConfigValue(ConfigValue&&) noexcept = default;
ConfigValue& ConfigValue::operator=(const ConfigValue&) = default;
ConfigValue& ConfigValue::operator=(ConfigValue&&) noexcept = default;
ConfigValue::~ConfigValue() = default;

ConfigValue ConfigValue::ofBool(bool value)
{
    ConfigValue made;
    made.kind = Kind::Bool;
    made.boolean = value;
    return made;
}

ConfigValue ConfigValue::ofInt(std::int64_t value)
{
    ConfigValue made;
    made.kind = Kind::Int;
    made.integer = value;
    made.number = static_cast<double>(value);
    return made;
}

ConfigValue ConfigValue::ofFloat(double value)
{
    ConfigValue made;
    made.kind = Kind::Float;
    made.number = value;
    return made;
}

ConfigValue ConfigValue::ofString(std::string value)
{
    ConfigValue made;
    made.kind = Kind::String;
    made.text = std::move(value);
    return made;
}

ConfigValue ConfigValue::ofObject()
{
    ConfigValue made;
    made.kind = Kind::Object;
    return made;
}

const ConfigMember* ConfigValue::findMember(std::string_view key) const
{
    const auto last = std::find_if(members.rbegin(), members.rend(), [&](const ConfigMember& m) { return m.key == key; });
    return last == members.rend() ? nullptr : &*last;
}

const ConfigValue* ConfigValue::find(std::string_view key) const
{
    const ConfigMember* member = findMember(key);
    return member == nullptr ? nullptr : &member->value;
}

void ConfigValue::set(std::string_view key, ConfigValue value)
{
    for (ConfigMember& member : members) {
        if (member.key == key) {
            member.value = std::move(value);
            return;
        }
    }
    members.push_back({std::string(key), {}, std::move(value)});
}

bool pythonTruth(const ConfigValue& value)
{
    switch (value.kind) {
    case ConfigValue::Kind::Null: return false;
    case ConfigValue::Kind::Bool: return value.boolean;
    case ConfigValue::Kind::Int: return value.wide || value.integer != 0;
    case ConfigValue::Kind::Float: return value.number != 0.0;
    case ConfigValue::Kind::String: return !value.text.empty();
    case ConfigValue::Kind::List: return !value.items.empty();
    case ConfigValue::Kind::Object: return !value.members.empty();
    }
    return false;
}

namespace {

void writeString(const std::string& text, std::string& out)
{
    static constexpr char kHex[] = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        default:
            if (byte < 0x20) {
                out += "\\u00";
                out += kHex[byte >> 4];
                out += kHex[byte & 15];
            } else {
                out += c;
            }
        }
    }
    out += '"';
}

void write(const ConfigValue& value, std::string& out)
{
    switch (value.kind) {
    case ConfigValue::Kind::Null: out += "null"; return;
    case ConfigValue::Kind::Bool: out += value.boolean ? "true" : "false"; return;
    case ConfigValue::Kind::Int: out += value.wide ? value.text : std::to_string(value.integer); return;
    case ConfigValue::Kind::Float: {
        if (!std::isfinite(value.number)) {
            out += "null";
            return;
        }
        char buffer[32];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, value.number).ptr;
        const std::string digits = shortExponent({buffer, end});
        out += digits;
        if (digits.find_first_of(".e") == std::string::npos) {
            out += ".0";
        }
        return;
    }
    case ConfigValue::Kind::String: writeString(value.text, out); return;
    case ConfigValue::Kind::List: {
        out += '[';
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            out += i == 0 ? "" : ", ";
            write(value.items[i], out);
        }
        out += ']';
        return;
    }
    case ConfigValue::Kind::Object: {
        out += '{';
        for (std::size_t i = 0; i < value.members.size(); ++i) {
            out += i == 0 ? "" : ", ";
            writeString(value.members[i].key, out);
            out += ": ";
            write(value.members[i].value, out);
        }
        out += '}';
        return;
    }
    }
}

}  // namespace

std::string shortExponent(std::string digits)
{
    const std::size_t sign = digits.find('e') + 1;
    if (sign == 0 || digits.find_first_not_of("0123456789", digits.find_first_of("0123456789", sign)) != std::string::npos) {
        return digits;
    }
    std::size_t exponent = digits.find_first_of("0123456789", sign);
    const std::size_t first = std::min(digits.find_first_not_of('0', exponent), digits.size() - 1);
    digits.erase(exponent, first - exponent);
    if (digits[sign] == '+') {
        digits.erase(sign, 1);
    }
    return digits;
}

std::string toJson(const ConfigValue& value)
{
    std::string out;
    write(value, out);
    return out;
}

ConfigValue withoutAuto(ConfigValue value)
{
    std::erase_if(value.members, [](const ConfigMember& member) { return member.value.isString("auto"); });
    for (ConfigMember& member : value.members) {
        member.value = withoutAuto(std::move(member.value));
    }
    return value;
}

const char* kindName(const ConfigValue& value)
{
    switch (value.kind) {
    case ConfigValue::Kind::Null: return "null";
    case ConfigValue::Kind::Bool: return value.boolean ? "true" : "false";
    case ConfigValue::Kind::Int: return "an integer";
    case ConfigValue::Kind::Float: return "a fraction";
    case ConfigValue::Kind::String: return "a string";
    case ConfigValue::Kind::List: return "a list";
    case ConfigValue::Kind::Object: return "an object";
    }
    return "";
}

}  // namespace stagecraft
