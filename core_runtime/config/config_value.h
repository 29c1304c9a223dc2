// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

/// A place in the text, both 1-based; columns count characters. 0 = no place (a default).
struct TextPlace {
    int line = 0;
    int column = 0;
};

struct ConfigMember;

/// A value as Python holds it after DeepSpeed's reader: it keeps what JSON libraries lose and rules depend on, namely
/// int against float, duplicate keys, key order and places.
struct ConfigValue {
    enum class Kind { Null, Bool, Int, Float, String, List, Object };

    Kind kind = Kind::Null;
    bool boolean = false;
    bool wide = false;          ///< an Int that does not fit 64 bits; `number` then approximates it
    std::int64_t integer = 0;
    double number = 0.0;        ///< of Float, and of Int as a double
    std::string text;           ///< of String (UTF-8); of a wide Int, its digits
    std::vector<ConfigValue> items;
    std::vector<ConfigMember> members;
    TextPlace place;

    ConfigValue();
    ConfigValue(const ConfigValue&);
    ConfigValue(ConfigValue&&) noexcept;
    ConfigValue& operator=(const ConfigValue&);
    ConfigValue& operator=(ConfigValue&&) noexcept;
    ~ConfigValue();

    [[nodiscard]] static ConfigValue ofBool(bool value);
    [[nodiscard]] static ConfigValue ofInt(std::int64_t value);
    [[nodiscard]] static ConfigValue ofFloat(double value);
    [[nodiscard]] static ConfigValue ofString(std::string value);
    [[nodiscard]] static ConfigValue ofObject();

    [[nodiscard]] bool isNull() const { return kind == Kind::Null; }
    [[nodiscard]] bool isBool() const { return kind == Kind::Bool; }
    [[nodiscard]] bool isString() const { return kind == Kind::String; }
    [[nodiscard]] bool isList() const { return kind == Kind::List; }
    [[nodiscard]] bool isObject() const { return kind == Kind::Object; }
    [[nodiscard]] bool isString(std::string_view word) const { return kind == Kind::String && text == word; }
    /// An int in Python's sense, where true is 1.
    [[nodiscard]] bool isIntLike() const { return kind == Kind::Int || kind == Kind::Bool; }
    /// Anything Python calculates with: int, float, bool.
    [[nodiscard]] bool isNumber() const { return isIntLike() || kind == Kind::Float; }
    [[nodiscard]] double asDouble() const { return kind == Kind::Bool ? (boolean ? 1.0 : 0.0) : number; }
    [[nodiscard]] std::int64_t asInt() const { return kind == Kind::Bool ? (boolean ? 1 : 0) : integer; }

    /// The last member of that name, as a dict would hold it; null when absent or when this is no object.
    [[nodiscard]] const ConfigValue* find(std::string_view key) const;
    [[nodiscard]] const ConfigMember* findMember(std::string_view key) const;
    void set(std::string_view key, ConfigValue value);
};

struct ConfigMember {
    std::string key;
    TextPlace keyPlace;
    ConfigValue value;
};

/// bool(value) of Python.
[[nodiscard]] bool pythonTruth(const ConfigValue& value);

/// A number's digits with its exponent as people write it: 1e-05 is 1e-5, 1e+20 is 1e20. Other digits come back as they are.
[[nodiscard]] std::string shortExponent(std::string digits);

/// The value as compact JSON text. The shortest digits that give the same float; infinities become null.
[[nodiscard]] std::string toJson(const ConfigValue& value);

/// The members that are no "auto", at any depth.
[[nodiscard]] ConfigValue withoutAuto(ConfigValue value);

/// How the value is named in a message: "a string", "a list", "null", ...
[[nodiscard]] const char* kindName(const ConfigValue& value);

}  // namespace stagecraft
