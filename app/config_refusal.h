// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <filesystem>
#include <optional>
#include <string>

namespace stagecraft {
struct CheckAnswer;
struct CheckContext;
struct Error;
}

namespace stagecraft::app {

struct PlanSet;

/// Somebody who would not take the ds_config of a workspace.
struct ConfigRefusal {
    QString by;    ///< "by DeepSpeed 0.19.8", "by our engine"
    QString why;   ///< one sentence, with who says it
    int ranksThatFit = 0;   ///< nothing else stops it than a number of ranks that nobody gave: with this one it is taken
    friend bool operator==(const ConfigRefusal&, const ConfigRefusal&) = default;
};

/// Whether the framework whose behaviour is forecast takes the ds_config. DeepSpeed's verdict is that of the check of the chosen
/// release; our engine's is its own reader's, and is told as our engine's. FSDP2 and Megatron read no ds_config.
/// @param check  null while there is no ds_config to speak of
/// @param ranksThatFit  as ConfigModel::ranksInDoubt(); 0 = none
[[nodiscard]] std::optional<ConfigRefusal> refusalOf(const PlanSet& plan, const CheckAnswer* check, int ranksThatFit = 0);

/// Whether the framework that is planned for would refuse this workspace, as the check on the Config page judges: what no number of ranks
/// is given for is not refused where some number is taken.
/// @param text   self-contained
/// @param given  as ConfigModel::givenContext(), of any text of this workspace
[[nodiscard]] bool wouldBeRefused(const std::string& text, const std::filesystem::path& folder, const CheckContext& given);

/// Why our engine would not train this ds_config, whatever framework is forecast: for what starts our engine.
/// @param check  what it finds at the same key stands in the place of the engine's own advice; null while there is none
[[nodiscard]] std::optional<ConfigRefusal> refusalOfOurEngine(const PlanSet& plan, const CheckAnswer* check = nullptr);

/// What stops our engine, in words. What the check finds at the same key stands in the place of the engine's own advice: it knows what
/// was meant. @param check  null while there is none
[[nodiscard]] QString engineWords(const Error& problem, const CheckAnswer* check);

/// What the Config page says of our engine above the findings.
struct EngineLine {
    QString words;               ///< empty: nothing, because our engine is not planned for, takes the file, or a finding says the same
    bool byDeepSpeed = false;    ///< DeepSpeed takes the file: planning with it is a way out
};
[[nodiscard]] EngineLine engineLineOf(const PlanSet& plan, const CheckAnswer& check);

/// FSDP2 and Megatron have arguments of their own for what a ds_config says to the others.
[[nodiscard]] bool readsDsConfig(const PlanSet& plan);

}  // namespace stagecraft::app
