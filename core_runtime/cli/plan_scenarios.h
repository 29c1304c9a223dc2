// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace stagecraft {
struct Scenario;
struct ScenarioVerdict;
}

namespace stagecraft::cli {

/// The scenarios with their claims and verdicts; or the workspace of one, to be planned like any other.
/// @return the exit code
[[nodiscard]] int listScenarios(bool json);
/// What was said and where, what is answered and why.
void printAnswer(const Scenario& scenario, const ScenarioVerdict& verdict);
/// A line for each check: "+" what holds, "-" what does not, "=" a figure of ours beside one whose inputs were not stated.
void printChecks(const ScenarioVerdict& verdict, int indent);
/// Writes the workspace of scenario `id` to `file`, to be opened. @return the exit code
[[nodiscard]] int saveScenario(const std::string& id, const std::string& file, bool json);
/// DeepSpeed and FSDP2, feature by feature. @return the exit code
[[nodiscard]] int listFeatures(bool json);

}  // namespace stagecraft::cli
