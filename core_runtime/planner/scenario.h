// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct ScenarioText {
    std::string en, zh;
};

/// A figure of ours beside what was said, computed from plans of the scenario's workspace and of its variants.
struct ScenarioFigure {
    std::string id;
    ScenarioText label;
    std::string unit;                    ///< "GB", "%", "×", ...; may be empty
    nlohmann::json value;                ///< a number, "MEASURE" of the workspace, "VARIANT.MEASURE", or [operator, value, ...]: scenario_figures.h
    std::optional<double> said, saidTo;  ///< the stated figure, or a range
    bool judged = true;                  ///< false: it stands beside the stated one without being held against it
};

/// What is answered to a claim.
enum class ScenarioAnswer {
    Right,
    Condition,    ///< right under a condition, which the reason names
    Wrong,
    Unsupported,  ///< no source was given, and nothing here can show it
};
/// "right", "condition", "wrong", "unsupported": the words of the data and of JSON.
[[nodiscard]] const char* scenarioAnswerName(ScenarioAnswer answer);

/// A published claim about training as a workspace that can be opened: what was said, and where.
struct Scenario {
    std::string id;
    ScenarioText title;
    ScenarioText source;
    ScenarioText said;                       ///< the claim in a sentence; empty: it is made of the figures below
    nlohmann::json workspace;
    std::map<std::string, nlohmann::json> variants;  ///< JSON merge patches to the workspace, by name
    std::vector<ScenarioFigure> figures;
    std::optional<ScenarioAnswer> answer;    ///< what no figure can say alone; absent: right if all figures are
    ScenarioText reason;                     ///< of the answer
    bool saysFits = true;                    ///< it is claimed to fit, or not to
    bool fits = true;                        ///< claimed
    std::optional<double> bytesPerParameter; ///< of the model states as the source counts them, where that is not how they are kept
    std::optional<double> deviceGB;          ///< memory taken of each device, 1e9 bytes
    std::optional<double> clusterGB;         ///< said to be enough in all
    std::optional<double> tokensPerSecond, hoursPerEpoch, epochTokens;
    std::optional<double> relativeSpeed;     ///< to plain data parallelism on the same devices
    std::string timedAs;                     ///< preset whose layers time it, where the model is a number of parameters
    std::optional<double> savedPercent;      ///< of the model states that plain data parallelism keeps on each rank
    std::optional<double> savedGB;           ///< the same in 1e9 bytes
    std::optional<double> shareOfFp16;       ///< model states to those of the same training in fp16
    std::optional<double> fewerActivations;  ///< by what factor recomputation shrinks the activations
    /// Of generating text, not of training: the weights alone lie on the device.
    struct Inference {
        double tokensPerSecond = 0, fasterTokensPerSecond = 0;  ///< as it was, and as it was made to be
        double msPerToken = 0, fasterMsPerToken = 0, speedup = 0;
    };
    std::optional<Inference> inference;
    [[nodiscard]] bool saysHowMuchLess() const { return savedPercent || savedGB || shareOfFp16 || fewerActivations || inference; }
};

/// What was said, in words: "it fits, 65 GB of each device".
[[nodiscard]] std::string scenarioSaid(const Scenario& scenario);

/// The scenarios in configs/scenarios, compiled in.
[[nodiscard]] const std::vector<Scenario>& scenarios();
/// @error InvalidInput naming the scenario and what is wrong
[[nodiscard]] Result<std::vector<Scenario>> parseScenarios(std::string_view text);
/// @return nullptr when there is none; the case does not matter
[[nodiscard]] const Scenario* findScenario(std::string_view id);

/// One thing that was claimed, held against what is planned.
struct ScenarioCheck {
    std::string what;              ///< fits | device_memory | cluster_memory | epoch_hours | relative_speed | saved_percent | saved_memory | share_of_fp16 | fewer_activations | inference_weights | ms_per_token | inference_speedup | decode_step | as_told | figure
    bool holds = false;
    double claimed = 0, ours = 0;  ///< GB, hours, percent or a factor
    std::string message;
    bool judged = true;            ///< false: our figure beside the stated one, of inputs that were not stated; it has no part in the verdict
    double further = 0;            ///< relative_speed: with kManyMicroBatches; saved_percent: ranks that it takes, 0 = never; decode_step: least batch; figure: the stated range's end
    int figure = -1;               ///< index of the scenario's figure that this is
};

/// Micro-batches of a step in the second of two speeds that are told beside a stated one: offloaded updates weigh less the more there are.
inline constexpr int kManyMicroBatches = 16;

/// The verdict on a scenario.
struct ScenarioVerdict {
    Fit::Verdict fits = Fit::Verdict::Unsure;  ///< of the whole plan
    double probability = 0;        ///< that the whole plan fits; 0 = there is none
    bool statesFit = false;        ///< model states alone, on the device as sold
    double statesGB = 0;           ///< of the fullest rank on its device, 1e9 bytes
    double nominalGB = 0;          ///< of one device
    double usableGB = 0;           ///< of one device, that a process can have: more than nominalGB where that is sold in powers of ten
    double peakGB = 0;             ///< of the whole plan on the fullest device; 0 = not known
    bool recomputes = false;       ///< with activation checkpointing: a claim that names none is judged by the most it can mean
    double largestParams = 0;      ///< parameters whose states would just fit the device as sold, all else alike; 0 = any
    double hostGBPerNode = 0;      ///< needed for what is offloaded
    bool hostKnown = false;        ///< what a node's host has, the source says
    std::vector<ScenarioCheck> checks;
    bool holds = true;             ///< all of them, and the answer is not "wrong" or "unsupported"
    ScenarioAnswer answer = ScenarioAnswer::Right;
    [[nodiscard]] double missingGB() const { return statesGB > nominalGB ? statesGB - nominalGB : 0; }
};

/// Plans the scenario's workspace and holds its claims against it.
/// @error as parseWorkspace and makePlan
[[nodiscard]] Result<ScenarioVerdict> judgeScenario(const Scenario& scenario);

/// {"id", "title", "source", "sourceText", "said", "claim", "verdict": {"holds", "answer", "reason", "checks", ...}}
[[nodiscard]] nlohmann::json scenarioToJson(const Scenario& scenario, const ScenarioVerdict& verdict);

}  // namespace stagecraft
