// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout_edits.h"
#include "base/result.h"
#include "planner/plan.h"
#include "planner/search.h"

#include <nlohmann/json_fwd.hpp>

#include <QString>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// What choosing a model or hardware makes of a workspace: pure, for the window and for its worker threads.
namespace stagecraft::app {

/// What a choice starts from.
struct SubjectGround {
    std::string text;                  ///< the workspace, self-contained
    std::filesystem::path folder;
    std::optional<ScoredLayout> now;   ///< its layout as its framework reads it
    bool stageFollows = false;         ///< each choice takes the decision tree's answer as well
};

struct HardwareChoice {
    std::string device;                ///< "cpu" or a name of the device sheets
    std::int64_t nodes = 1, perNode = 1;
};

/// A model that comes with Stagecraft (configs/models).
struct ModelPreset {
    std::string id;
    QString family;                    ///< "LLaMA", "Qwen2", ...
    std::int64_t params = 0;
    std::int64_t layers = 0, hidden = 0;
    std::int64_t positions = 0;        ///< longest sequence its config names; 0 = none
};

/// What a workspace comes to after a choice.
struct SubjectEffect {
    std::optional<Fit::Verdict> verdict;   ///< nothing: no plan, or memory cannot be planned
    QString stage;                         ///< the tree's answer where the stage follows: "Stage 2"
    QString problem;                       ///< why there is no verdict, one sentence
    std::int64_t peak = 0, usable = 0;     ///< bytes of the fullest rank
};

/// By family, each from the smallest to the largest. Read once.
[[nodiscard]] const std::vector<ModelPreset>& modelPresets();

/// A plan for a model that is not open yet: DeepSpeed, bf16, AdamW, one sample at a time, at the stage the tree decides.
/// @param model  the "model" section as JSON; empty = the preset most people know
[[nodiscard]] std::string newPlanText(const std::filesystem::path& folder, const std::string& model = {});

/// Puts another model into the workspace. Sequence and adapter stay where the model takes them; what our engine cannot train is
/// planned as DeepSpeed's.
/// @error as parseWorkspace, where the model is none
[[nodiscard]] Result<std::vector<WorkspaceEdit>> modelEdits(const SubjectGround& ground, const nlohmann::json& model);

/// Puts other hardware under the job: data-parallel ranks fill it, and tensor, pipeline and context parallelism shrink where it has no
/// room for them. A GPU makes a plan of our engine, which runs on CPUs, one of DeepSpeed in 16 bits; a CPU makes one of DeepSpeed ours
/// where our engine runs the job.
[[nodiscard]] Result<std::vector<WorkspaceEdit>> hardwareEdits(const SubjectGround& ground, const HardwareChoice& choice);

/// The edits, and the tree's answer after them where the stage follows.
[[nodiscard]] std::vector<WorkspaceEdit> withStage(const SubjectGround& ground, std::vector<WorkspaceEdit> edits);

/// Plans the workspace after the edits.
[[nodiscard]] SubjectEffect subjectEffect(const SubjectGround& ground, const Result<std::vector<WorkspaceEdit>>& edits);

/// A count as people write it: 7B, 1.3e9, 500M, 8k, 1,000,000. Nothing for what is none.
[[nodiscard]] std::optional<double> readCount(const QString& text);

}  // namespace stagecraft::app
