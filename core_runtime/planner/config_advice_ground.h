// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules of config_advice.h judge from; for their sources alone.
#pragma once

#include "config/finding_text.h"
#include "hardware/device_sheet.h"
#include "planner/fit.h"
#include "planner/framework_ledger.h"
#include "planner/plan.h"
#include "planner/step_time.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::advice {

/// Memory and time of one case.
struct Score {
    std::int64_t memory = 0;  ///< process bytes of the fullest rank
    StepForecast time;
    [[nodiscard]] double part(std::string_view name) const;  ///< seconds of one part of the split
};

struct Ground {
    const Workspace& workspace;
    const PlanContext& context;
    std::string language;
    TrainingCase job;             ///< as DeepSpeed trains it, or our engine in its words
    const DeviceSheet& device;
    std::int64_t usable = 0;      ///< bytes of one device; 0 = not known
    double ranks = 1;             ///< replicas: dp x cp
    StageParameters stage;        ///< of the first pipeline stage
    double trainable = 0;         ///< parameters of that stage that are trained
    double bytes = 2;             ///< of one weight or gradient
    Score now;
    std::vector<CheckFinding> findings;

    /// Our own engine's workspace: memory is what the engine allocates, and rules about DeepSpeed's own buffers do not apply.
    [[nodiscard]] bool ours() const { return workspace.framework.name == "stagecraft"; }
    [[nodiscard]] Score scored(const TrainingCase& c) const;
    [[nodiscard]] Score with(const std::function<void(TrainingCase&)>& change) const;
    /// The job of the workspace with its ds_config patched so; nothing where that makes no job.
    [[nodiscard]] std::optional<TrainingCase> patched(const std::string& patch) const;
    [[nodiscard]] bool fits(const Score& score, double share) const { return usable > 0 && static_cast<double>(score.memory) <= share * static_cast<double>(usable); }
    /// Whether a plan of `c` would say that it fits, host memory and building the model counted; our engine's own ledger has no doubt beside its peak.
    [[nodiscard]] bool surely(const TrainingCase& c) const { return ours() || probability(c) >= kSurely; }
    /// How likely `c` fits, as a plan of it says.
    [[nodiscard]] double probability(const TrainingCase& c) const;
    /// Whether the ds_config itself says something at `pointer`, "auto" not counted.
    [[nodiscard]] bool isWritten(const std::string& pointer) const;
    [[nodiscard]] bool isNumber(const std::string& pointer) const;
    [[nodiscard]] bool told(std::string_view rule) const;
    void tell(const std::string& rule, CheckSeverity severity, const std::string& pointer, const rules::MessageArguments& arguments, const std::string& fix = {});
    /// A patch that sets `key` of zero_optimization, made where there is none.
    [[nodiscard]] std::string zeroPatch(const std::vector<std::pair<std::string, std::string>>& values) const;
};

inline constexpr double kSpare = 0.9;  ///< of the usable memory: a tenth for what the ledger cannot know

/// "1.23 s", "45.6 ms"
[[nodiscard]] std::string seconds(double value);
/// "12 %" of `saved` in `whole`.
[[nodiscard]] std::string percent(double saved, double whole);
/// One or two leading digits, as people write bucket sizes: 5e7.
[[nodiscard]] std::string roundNumber(double value);

/// The workspace that is meant: on this machine where its devices are, and with the layout into which the ds_config's own keys divide the ranks.
[[nodiscard]] Workspace meantWorkspace(const Workspace& workspace, const PlanContext& context);

/// What a workspace's ds_config is judged from, which is one of meantWorkspace(); nothing where its numbers cannot be known (see adviseConfig()). `workspace` and
/// `context` stay where they are while it is used.
[[nodiscard]] std::optional<Ground> groundOf(const Workspace& workspace, const PlanContext& context, const std::string& language);
/// Every rule of it.
void adviseAll(Ground& ground);

/// Seconds of a step's communication that overlap_comm could hide and that show without it.
[[nodiscard]] double hiddenByOverlap(const Ground& ground);
/// Bytes that a rank exchanges with its replicas in a step, as the plan's traffic has them.
[[nodiscard]] double exchangedBytes(const Ground& ground);

void adviseStage(Ground& ground);
void adviseOffload(Ground& ground);
void advisePrecision(Ground& ground);
void adviseBatch(Ground& ground);
void adviseBuckets(Ground& ground);
void adviseStage3Sizes(Ground& ground);
void adviseTraffic(Ground& ground);
void adviseTensorParallel(Ground& ground);

}  // namespace stagecraft::advice
