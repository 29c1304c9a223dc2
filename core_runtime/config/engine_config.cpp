// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/engine_config.h"

#include "config/config_value.h"
#include "config/engine_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace stagecraft {

using nlohmann::json;

namespace {

constexpr double kExactDouble = 9007199254740992.0;  // 2^53

std::string lowered(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// The entry, or null where pydantic takes the default: missing, null is left to the caller, "auto" is dropped.
const json* entry(const json& section, const char* key)
{
    const auto it = section.find(key);
    if (it == section.end()) return nullptr;
    return it->is_string() && it->get_ref<const std::string&>() == "auto" ? nullptr : &*it;
}

std::optional<std::int64_t> coercedInteger(const json& value)
{
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        return number <= static_cast<std::uint64_t>(INT64_MAX) ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number_float()) {
        const double number = value.get<double>();
        return std::abs(number) <= kExactDouble && std::floor(number) == number ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
    }
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
        if (text.size() == sign || text.size() > 18 || text.find_first_not_of("0123456789", sign) != std::string::npos) return std::nullopt;
        return std::stoll(text);
    }
    return std::nullopt;
}

}  // namespace

std::optional<bool> coercedBoolean(const json& value)
{
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) {
        const double number = value.get<double>();
        return number == 0.0 ? std::optional(false) : number == 1.0 ? std::optional(true) : std::nullopt;
    }
    if (value.is_string()) {
        const std::string word = lowered(value.get<std::string>());
        for (const char* yes : {"1", "true", "t", "yes", "y", "on"}) if (word == yes) return true;
        for (const char* no : {"0", "false", "f", "no", "n", "off"}) if (word == no) return false;
    }
    return std::nullopt;
}

std::string shownConfigValue(const json& value)
{
    std::string shown = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (value.is_number_float()) shown = shortExponent(std::move(shown));
    if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
    return shown;
}

std::string dottedConfigName(const std::string& pointer)
{
    std::string name = pointer.empty() ? pointer : pointer.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

void EngineReader::keep(ErrorCode code, const std::string& pointer, const std::string& why)
{
    if (m_error) return;
    const char* what = code == ErrorCode::Refused ? "Cannot train with this ds_config" : "Cannot use the ds_config";
    m_error = Error{code, fmt::format("{}: {}.", what, why), {{"pointer", pointer}}};
}

std::int64_t EngineReader::integer(const json& section, const std::string& parent, const char* key, std::int64_t fallback, std::int64_t least)
{
    const json* value = entry(section, key);
    if (value == nullptr) return fallback;
    const auto number = coercedInteger(*value);
    if (number && *number >= least) return *number;
    const std::string pointer = parent + "/" + key;
    invalid(pointer, fmt::format("\"{}\" is {}; use a whole number of at least {}", dottedConfigName(pointer), shownConfigValue(*value), least));
    return fallback;
}

bool EngineReader::boolean(const json& section, const std::string& parent, const char* key, bool fallback)
{
    const json* value = entry(section, key);
    if (value == nullptr) return fallback;
    if (const auto answer = coercedBoolean(*value)) return *answer;
    const std::string pointer = parent + "/" + key;
    invalid(pointer, fmt::format("\"{}\" is {}; use true or false", dottedConfigName(pointer), shownConfigValue(*value)));
    return fallback;
}

double EngineReader::number(const json& section, const std::string& parent, const char* key, double fallback)
{
    const auto it = section.find(key);
    if (it == section.end()) return fallback;
    if (it->is_boolean()) return it->get<bool>() ? 1.0 : 0.0;
    if (it->is_number() && std::isfinite(it->get<double>())) return it->get<double>();
    // One parameter group: a list of one is that one.
    if (it->is_array() && it->size() == 1 && it->front().is_number()) return it->front().get<double>();
    const std::string pointer = parent + "/" + key;
    const bool automatic = it->is_string() && it->get_ref<const std::string&>() == "auto";
    invalid(pointer, fmt::format("\"{}\" is {}; {}", dottedConfigName(pointer), shownConfigValue(*it),
                                 automatic ? "only Hugging Face's Trainer fills \"auto\" in, so write a number" : "use a number without quotes"));
    return fallback;
}

bool EngineReader::truth(const json& section, const char* key, bool fallback)
{
    const auto it = section.find(key);
    if (it == section.end()) return fallback;
    if (it->is_boolean()) return it->get<bool>();
    if (it->is_number()) return it->get<double>() != 0.0;
    return !it->is_null() && !it->empty();
}

Result<EngineConfig> resolveForEngine(const json& dsConfig, int dataParallelRanks)
{
    if (dataParallelRanks < 1) {
        return Error{ErrorCode::InvalidArgument, fmt::format("Cannot resolve a ds_config for {} data-parallel ranks: use at least 1.", dataParallelRanks), {}};
    }
    if (!dsConfig.is_object()) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot use the ds_config: it is {}, not an object.", shownConfigValue(dsConfig)), {{"pointer", ""}}};
    }
    EngineConfig config;
    EngineReader reader(config);
    readBatch(dsConfig, dataParallelRanks, reader);
    readZero(dsConfig, reader);
    readPrecision(dsConfig, reader);
    readOptimizer(dsConfig, reader);
    readScheduler(dsConfig, reader);
    readOtherKeys(dsConfig, reader);
    if (reader.error()) return *reader.error();
    return config;
}

}  // namespace stagecraft
