// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace stagecraft {

/// Reads the fields of one JSON object from outside, every number within bounds. The first field that is missing or impossible
/// is remembered in `problem` ("\"/work/samples\" is missing"), and from then on everything reads as nothing.
class JsonFields {
public:
    /// @param object   must outlive this
    /// @param where    JSON Pointer of the object, for the problem
    /// @param problem  one clause, empty while all is well; shared by the readers of inner objects
    JsonFields(const nlohmann::json& object, std::string where, std::string& problem);

    [[nodiscard]] double number(const char* key, double least, double most);
    [[nodiscard]] std::int64_t count(const char* key, std::int64_t least, std::int64_t most);
    [[nodiscard]] bool flag(const char* key);
    [[nodiscard]] std::string text(const char* key, std::size_t longest = 400);
    /// Calls read(JsonFields&) for every entry of the list `key`, which has at most `most`.
    template <class Read>
    void each(const char* key, std::size_t most, const Read& read)
    {
        const nlohmann::json* list = listOf(key, most);
        for (std::size_t i = 0; list != nullptr && i < list->size() && m_problem.empty(); ++i) {
            JsonFields fields((*list)[i], m_where + "/" + key + "/" + std::to_string(i), m_problem);
            if (m_problem.empty()) read(fields);
        }
    }
    [[nodiscard]] JsonFields inside(const char* key);

private:
    const nlohmann::json* find(const char* key);
    const nlohmann::json* listOf(const char* key, std::size_t most);
    void refuse(const std::string& key, const std::string& why);

    const nlohmann::json& m_object;
    std::string m_where;
    std::string& m_problem;
};

}  // namespace stagecraft
