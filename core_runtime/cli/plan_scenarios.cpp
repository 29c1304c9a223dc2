// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/plan_scenarios.h"

#include "base/atomic_file.h"
#include "cli/command.h"
#include "planner/framework_features.h"
#include "planner/scenario.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace stagecraft::cli {

namespace {

const char* answerWords(ScenarioAnswer answer)
{
    switch (answer) {
    case ScenarioAnswer::Right: return "holds";
    case ScenarioAnswer::Condition: return "holds under a condition";
    case ScenarioAnswer::Wrong: return "is wrong";
    case ScenarioAnswer::Unsupported: return "has no source";
    }
    return "";
}

}  // namespace

void printAnswer(const Scenario& scenario, const ScenarioVerdict& verdict)
{
    fmt::print("{}\n{}\nsaid: {}\nthe claim {}\n", scenario.title.en, scenario.source.en, scenarioSaid(scenario), answerWords(verdict.answer));
    if (!scenario.reason.en.empty()) fmt::print(" {}\n", scenario.reason.en);
    printChecks(verdict, 1);
    fmt::print("\n");
}

int listScenarios(bool asJson)
{
    nlohmann::json list = nlohmann::json::array();
    for (const Scenario& s : scenarios()) {
        const auto verdict = judgeScenario(s);
        if (!verdict.hasValue()) return reportError(verdict.error(), asJson);
        if (asJson) {
            list.push_back(scenarioToJson(s, *verdict));
            continue;
        }
        fmt::print("{:<20} {}\n", s.id, s.title.en);
        fmt::print("{:<20} {}: {}\n{:<20} said: {}\n", "", answerWords(verdict->answer), s.source.en, "", scenarioSaid(s));
        if (!s.reason.en.empty()) fmt::print("{:<20} {}\n", "", s.reason.en);
        printChecks(*verdict, 20);
    }
    if (asJson) printJson(nlohmann::json{{"scenarios", list}});
    return kDone;
}

void printChecks(const ScenarioVerdict& verdict, int indent)
{
    for (const ScenarioCheck& check : verdict.checks) fmt::print("{:<{}} {} {}\n", "", indent, !check.judged ? "=" : check.holds ? "+" : "-", check.message);
}

int saveScenario(const std::string& id, const std::string& file, bool asJson)
{
    const Scenario* scenario = findScenario(id);
    if (!scenario) return reportError(Error{ErrorCode::NotFound, fmt::format("Cannot find the scenario \"{}\"; `stagecraft plan --scenarios` lists them", id), {{"scenario", id}}}, asJson);
    const auto written = writeFileAtomically(file, scenario->workspace.dump(2) + "\n");
    if (!written.hasValue()) return reportError(written.error(), asJson);
    return kDone;
}

int listFeatures(bool asJson)
{
    const FeatureTable& table = frameworkFeatures();
    if (asJson) {
        printJson(featuresToJson(table));
        return kDone;
    }
    fmt::print("checked {}\n", table.checked);
    for (const FeatureRow& row : table.rows) {
        fmt::print("{}\n", row.en);
        fmt::print("  DeepSpeed  {:<7} {} ({})\n", row.deepspeed.verdict, row.deepspeed.en, row.deepspeed.source);
        fmt::print("  FSDP2      {:<7} {} ({})\n", row.fsdp2.verdict, row.fsdp2.en, row.fsdp2.source);
    }
    return kDone;
}

}  // namespace stagecraft::cli
