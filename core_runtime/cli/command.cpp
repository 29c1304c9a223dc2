// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>

namespace stagecraft::cli {

namespace {

// Foreign text may hold bytes that are not UTF-8: they are replaced, never thrown on.
template <class Json>
void printDocument(const Json& document)
{
    fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void printJson(const nlohmann::ordered_json& document) { printDocument(document); }
void printJson(const nlohmann::json& document) { printDocument(document); }

CLI::Validator between(double least, double most)
{
    const std::string range = fmt::format("{:.12g} to {:.12g}", least, most);
    return CLI::Validator(
        [least, most, range](const std::string& text) {
            double value = 0;
            const bool within = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
            return within ? std::string() : fmt::format("{} is not a number from {}", text, range);
        },
        "FLOAT in [" + range + "]");
}

int reportError(const Error& error, bool json)
{
    if (json) {
        printJson(nlohmann::ordered_json{
            {"error", {{"code", errorCodeName(error.code)}, {"message", error.message}, {"context", error.context}}}});
    } else {
        tell("stagecraft: {}\n", error.message);
    }
    switch (error.code) {
    case ErrorCode::NotFound:
    case ErrorCode::Io:
    case ErrorCode::InvalidArgument: return kUsage;
    case ErrorCode::Cancelled: return kInterrupted;
    default: return kAnswerIsNo;
    }
}

}  // namespace stagecraft::cli
