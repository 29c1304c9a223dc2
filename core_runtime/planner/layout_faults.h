// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft {

/// One thing that a framework refuses to start, or cannot divide.
struct LayoutRule {
    const char* id;
    unsigned frameworks;   ///< a bit for each Framework
    const char* pointer;   ///< where it is said
    const char* pattern;   ///< what is wrong and what to do, with the arguments that say() makes
    const char* source;    ///< who refuses it
    bool impossible;       ///< no ledger can divide it either: readTrainingCase() makes no case of it
    bool (*broken)(const TrainingCase&);
    std::vector<std::string> (*say)(const TrainingCase&);
};

/// All of them: what a plan reports, a search leaves out, and advice does not lead to.
[[nodiscard]] std::span<const LayoutRule> layoutRules();

/// Whether the case's framework refuses it, in few tests and no words: for searches.
[[nodiscard]] bool layoutIsRefused(const TrainingCase& c);

/// What the case's framework refuses to start, or cannot divide: reports each with what to do.
///
/// Kept apart from readTrainingCase(), so that a layout that is impossible now does not keep a search from finding others.
/// @return whether there is any
[[nodiscard]] bool tellLayoutFaults(const TrainingCase& c, std::vector<PlanFinding>& findings);

/// The first of the rules that no ledger can do without. @return whether there is one
[[nodiscard]] bool tellImpossibleSizes(const TrainingCase& c, std::vector<PlanFinding>& findings);

/// Puts in place of a schedule that the framework does not have the one that it runs, and says so.
/// Source: deepspeed/runtime/pipe/schedule.py, TrainSchedule; Megatron-LM core/pipeline_parallel/schedules.py;
/// torch/distributed/pipelining/schedules.py.
void settleSchedule(TrainingCase& c, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
