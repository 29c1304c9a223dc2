// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace stagecraft {

/// What a report says, in its language. What the record itself holds (log lines, why a run failed, keys) stays as it was written.
class ReportWords {
public:
    /// @param language  "zh"; anything else is English
    explicit ReportWords(std::string_view language = "en") : m_chinese(language == "zh") {}

    /// @param english  a text of all(), with {} where a value stands (fmt); any other comes back as it is
    [[nodiscard]] std::string operator()(std::string_view english) const;
    [[nodiscard]] const char* code() const { return m_chinese ? "zh-CN" : "en"; }

    /// English and Chinese.
    [[nodiscard]] static std::span<const std::pair<std::string_view, std::string_view>> all();

private:
    bool m_chinese;
};

}  // namespace stagecraft
