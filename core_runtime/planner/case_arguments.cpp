// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/case_arguments.h"

#include "planner/findings.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

CaseArguments::CaseArguments(const json& object, std::vector<PlanFinding>& findings) : m_object(object.is_object() ? object : m_empty), m_findings(findings) {}

const json* CaseArguments::find(const std::string& name)
{
    m_known.push_back(name);
    const auto found = m_object.find(name);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

std::int64_t CaseArguments::size(const std::string& name, std::int64_t otherwise)
{
    const json* value = find(name);
    if (!value) return otherwise;
    double number = NAN;
    if (value->is_number()) number = value->get<double>();
    else if (value->is_string()) number = std::strtod(value->get<std::string>().c_str(), nullptr);
    const double most = name.find("parallel") != std::string::npos || name == "tp" || name == "pp" || name == "cp" ? 1e6 : 1e9;
    if (!(number >= 1) || !(number <= most) || number != std::floor(number)) {
        complain("plan.argument.whole", name, "is {}; it must be a whole number from 1 to {}", {value->dump(), fmt::format("{:.0e}", most)});
        return otherwise;
    }
    return static_cast<std::int64_t>(number);
}

double CaseArguments::real(const std::string& name, double otherwise)
{
    const json* value = find(name);
    if (!value) return otherwise;
    if (!value->is_number() || !(value->get<double>() >= 0) || !(value->get<double>() <= 1e6)) {
        complain("plan.argument.number", name, "is {}; it must be a number from 0", {value->dump()});
        return otherwise;
    }
    return value->get<double>();
}

bool CaseArguments::flag(const std::string& name, bool otherwise)
{
    const json* value = find(name);
    if (!value) return otherwise;
    if (value->is_boolean()) return value->get<bool>();
    if (value->is_number()) return value->get<double>() != 0;
    if (value->is_string()) return lower(value->get<std::string>()) != "false" && lower(value->get<std::string>()) != "none";
    return otherwise;
}

std::string CaseArguments::word(const std::string& name, const std::string& otherwise)
{
    const json* value = find(name);
    return value && value->is_string() ? lower(value->get<std::string>()) : otherwise;
}

std::vector<std::string> CaseArguments::words(const std::string& name)
{
    std::vector<std::string> out;
    const json* value = find(name);
    if (!value) return out;
    std::string text;
    if (value->is_string()) text = value->get<std::string>();
    if (value->is_array()) {
        for (const json& item : *value) text += (item.is_string() ? item.get<std::string>() : std::string()) + " ";
    }
    std::string word;
    for (const char c : lower(text) + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-') {
            word += c;
        } else if (!word.empty()) {
            out.push_back(std::exchange(word, {}));
        }
    }
    return out;
}

void CaseArguments::complain(const char* id, const std::string& name, const char* what, std::vector<std::string> args)
{
    args.insert(args.begin(), name);
    m_findings.push_back(makeFinding(id, "error", "/framework/arguments/" + name, std::string("\"{}\" ") + what, std::move(args)));
    m_wrong = true;
}

void CaseArguments::reportRest()
{
    std::string rest;
    for (const auto& [name, value] : m_object.items()) {
        if (std::find(m_known.begin(), m_known.end(), name) == m_known.end()) rest += (rest.empty() ? "" : ", ") + name;
    }
    if (!rest.empty()) m_findings.push_back(makeFinding("plan.arguments_unused", "info", "/framework/arguments", "These arguments do not matter to the plan: {}", {rest}));
}

}  // namespace stagecraft
