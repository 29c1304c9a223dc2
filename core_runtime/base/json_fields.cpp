// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_fields.h"

#include <fmt/format.h>

#include <cmath>

namespace stagecraft {

using nlohmann::json;

JsonFields::JsonFields(const json& object, std::string where, std::string& problem) : m_object(object), m_where(std::move(where)), m_problem(problem)
{
    if (!object.is_object()) refuse("", "is no object");
}

double JsonFields::number(const char* key, double least, double most)
{
    const json* value = find(key);
    if (value == nullptr) return least;
    const double read = value->is_number() ? value->get<double>() : std::nan("");
    if (read >= least && read <= most) return read;
    refuse(key, fmt::format("is no number from {:g} to {:g}", least, most));
    return least;
}

std::int64_t JsonFields::count(const char* key, std::int64_t least, std::int64_t most)
{
    const json* value = find(key);
    if (value == nullptr) return least;
    // Beyond 2^63 the JSON library keeps an unsigned number, which would turn negative.
    const bool fits = value->is_number_integer() && !(value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most));
    if (fits && value->get<std::int64_t>() >= least && value->get<std::int64_t>() <= most) return value->get<std::int64_t>();
    refuse(key, fmt::format("is no whole number from {} to {}", least, most));
    return least;
}

bool JsonFields::flag(const char* key)
{
    const json* value = find(key);
    if (value == nullptr) return false;
    if (value->is_boolean()) return value->get<bool>();
    refuse(key, "is neither true nor false");
    return false;
}

std::string JsonFields::text(const char* key, std::size_t longest)
{
    const json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string() && value->get_ref<const std::string&>().size() <= longest) return value->get<std::string>();
    refuse(key, fmt::format("is no text of at most {} bytes", longest));
    return {};
}

JsonFields JsonFields::inside(const char* key)
{
    static const json kNothing = json::object();
    const json* value = find(key);
    return JsonFields(value == nullptr ? kNothing : *value, m_where + "/" + key, m_problem);
}

const json* JsonFields::find(const char* key)
{
    if (!m_problem.empty()) return nullptr;
    const auto found = m_object.find(key);
    if (found != m_object.end()) return &*found;
    refuse(key, "is missing");
    return nullptr;
}

const json* JsonFields::listOf(const char* key, std::size_t most)
{
    const json* list = find(key);
    if (list == nullptr) return nullptr;
    if (list->is_array() && list->size() <= most) return list;
    refuse(key, fmt::format("is no list of at most {} entries", most));
    return nullptr;
}

void JsonFields::refuse(const std::string& key, const std::string& why)
{
    if (m_problem.empty()) m_problem = fmt::format("\"{}{}{}\" {}", m_where, key.empty() ? "" : "/", key, why);
}

}  // namespace stagecraft
