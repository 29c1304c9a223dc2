// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/findings.h"

namespace stagecraft {

std::string fillPattern(std::string_view pattern, const std::vector<std::string>& args)
{
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.substr(i, 2) == "{}" && next < args.size()) {
            out += args[next++];
            ++i;
        } else {
            out += pattern[i];
        }
    }
    return out;
}

PlanFinding makeFinding(const char* id, const char* severity, std::string pointer, std::string_view pattern, std::vector<std::string> args)
{
    const std::string whole = id;
    const std::size_t first = whole.find('.');
    const std::size_t second = first == std::string::npos ? first : whole.find('.', first + 1);
    return {whole.substr(0, second), severity, std::move(pointer), fillPattern(pattern, args), whole, std::move(args)};
}

}  // namespace stagecraft
