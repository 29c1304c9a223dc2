// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdio>

namespace stagecraft::cli {

/// Exit codes of every command (CONTRACT).
inline constexpr int kDone = 0;         ///< done and fine
inline constexpr int kAnswerIsNo = 1;   ///< done, and the answer is no
inline constexpr int kUsage = 2;        ///< wrong usage, or a file that cannot be opened
inline constexpr int kInterrupted = 130;

/// Each command file defines one function that adds its subcommand to `app` and, when it is chosen, sets `exitCode`.
using AddCommand = void (*)(CLI::App& app, int& exitCode);

/// Prints one JSON document, followed by a newline, to stdout.
void printJson(const nlohmann::ordered_json& document);
void printJson(const nlohmann::json& document);

/// Writes to stderr what a person may like to know. Where that cannot be written (a full disk, a closed pipe) nothing
/// happens: fmt::print would throw, and a run must not end for want of a reader.
template <class... Arguments>
void tell(fmt::format_string<Arguments...> text, Arguments&&... arguments)
{
    const std::string line = fmt::format(text, std::forward<Arguments>(arguments)...);
    (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

/// The check of an option that takes a number from `least` to `most`. CLI::Range lets "nan" through, which is neither below nor
/// above anything.
[[nodiscard]] CLI::Validator between(double least, double most);

/// Reports `error` as CONTRACT asks: `stagecraft: MESSAGE` on stderr, or with `json` an "error" document on stdout.
/// @return kUsage for NotFound, Io and InvalidArgument, else kAnswerIsNo
[[nodiscard]] int reportError(const Error& error, bool json);

}  // namespace stagecraft::cli
