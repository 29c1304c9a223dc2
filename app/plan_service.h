// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_variants.h"
#include "base/result.h"
#include "config/check.h"
#include "config/engine_config.h"
#include "planner/advisor.h"
#include "planner/ds_settings.h"
#include "planner/levers.h"
#include "planner/model_shape.h"
#include "planner/plan.h"
#include "planner/training_case.h"
#include "workspace/workspace.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace stagecraft::app {

/// A plan of the workspace, and of the same workspace at each ZeRO stage.
struct PlanSet {
    std::optional<Workspace> workspace;          ///< what was planned; empty when the text cannot be read
    std::optional<Error> problem;                ///< why there is no workspace or no plan
    std::optional<EngineConfig> engine;          ///< the ds_config as our engine reads it; empty when it refuses it, or when the framework reads none
    std::optional<Error> engineProblem;          ///< why our engine refuses it; DeepSpeed's own verdict is that of the check
    std::optional<Plan> plan;
    std::vector<PlanVariant> variants;           ///< the tree's answers, planned
    std::array<std::optional<Plan>, 4> stages;   ///< of them, the ZeRO stages without offload
    std::optional<Advice> advice;                ///< without a search; empty where nothing can be advised
    std::vector<CheckFinding> configAdvice;      ///< what the plan's numbers say against the ds_config, pointers into it
    std::vector<Lever> levers;                   ///< changes beside the tree, the most useful first
    std::optional<DsSettings> settings;
    std::optional<ModelShape> shape;
    std::optional<TrainingCase> job;             ///< what the framework trains, its arguments read; our engine's as DeepSpeed's
    std::optional<ScoredLayout> now;             ///< the layout the workspace has, as its framework reads it
    std::string text;                            ///< the workspace this is a plan of, self-contained
    std::filesystem::path folder;
    double milliseconds = 0;                     ///< time taken by `plan` alone
};

/// What plans made here may know of this machine: the memory that CPU ranks share, and what was measured and learned here once
/// setMachineContext() has said it. Stays valid when another takes its place: plans being made still read it.
[[nodiscard]] const PlanContext& machineContext();
/// From any thread.
void setMachineContext(PlanContext context);
/// Which machineContext() this is: another number for each that was said.
[[nodiscard]] quint64 machineContextNumber();

/// Everything computed from a workspace text, in one call: what a worker thread does for the window. Pure but for the
/// files the workspace names and the machine it runs on.
/// @param depth  One: this workspace alone; All: every branch of the tree as well
enum class PlanDepth { One, All };
[[nodiscard]] PlanSet planText(const std::string& text, const std::filesystem::path& folder, PlanDepth depth = PlanDepth::All);

/// The workspace with the unsaved text of its ds_config file put inside; as it is when there is no such file.
/// @error InvalidInput when either cannot be read as JSON
[[nodiscard]] Result<std::string> selfContained(const std::string& text, const std::optional<std::string>& configFileText);

/// The workspace text with one value set; the text unchanged when the pointer cannot be reached.
[[nodiscard]] std::string withValue(const std::string& text, const std::string& pointer, const std::string& json);

/// Plans off the GUI thread, one text at a time. A plan that is ready is delivered even when a newer text already waits: while a slider
/// moves, what is shown follows it. What was asked for in between is left out, and never does an older plan come after a newer one.
class PlanService : public QObject {
    Q_OBJECT
public:
    explicit PlanService(QObject* parent = nullptr);

    /// Asks for a plan of `text`. It comes with planned(); isBusy() says then whether a newer one is on its way.
    /// @param configFileText  the ds_config file's text where the workspace names one, saved or not
    void request(const std::string& text, const std::filesystem::path& folder, const std::optional<std::string>& configFileText);
    /// What was asked for last, self-contained; empty while nothing is open. current() is a plan of it unless isBusy().
    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    /// Another document is open: what is being planned of the one before is not delivered.
    void startOver() { m_oldest = m_wanted; }
    /// Plans the same text anew: what is known of the machine has changed.
    void again();
    /// Forgets the plan: nothing is open.
    void clear();
    [[nodiscard]] const std::shared_ptr<const PlanSet>& current() const { return m_current; }
    /// A plan newer than current() is being made.
    [[nodiscard]] bool isBusy() const { return m_busy; }

signals:
    void planned();

private:
    void start();

    std::string m_text;
    std::optional<Error> m_textProblem;
    std::filesystem::path m_folder;
    std::shared_ptr<const PlanSet> m_current;
    quint64 m_wanted = 0;   ///< the newest request
    quint64 m_oldest = 0;   ///< up to this one requests are void
    bool m_busy = false;
};

}  // namespace stagecraft::app
