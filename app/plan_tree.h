// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"
#include "visualizers/stage_tree_layout.h"

#include <QString>

#include <vector>

namespace stagecraft::app {

/// The decision walked for this model and hardware, and what choosing each box does.
struct DecisionTree {
    struct Choice {
        std::vector<WorkspaceEdit> edits;   ///< empty: cannot be chosen
        QString name;                       ///< of the undo step: "ZeRO stage 2 → 3"
        int variant = -1;                   ///< index into PlanSet::variants, -1 for the comparison
    };
    std::vector<TreeStep> steps;
    std::vector<Choice> choices;            ///< one a step
};

/// The questions with the numbers that answer them; last, stage 3 against stage 1 with tensor parallelism.
[[nodiscard]] DecisionTree decisionTree(const PlanSet& plan);

/// The folder that choosing a variant writes into the ds_config, because it moves states to files and none is named; else empty.
[[nodiscard]] QString folderNeeded(const PlanVariant& variant);

/// What tutorials say for a model of this size, beside what this plan says. Empty when nothing is advised.
struct RuleSentence {
    QString rule;       ///< "Rule of thumb: 3 to 13 billion parameters, stage 2."
    QString here;       ///< "Here stage 1 is the first that fits."
    bool agrees = true;
};
[[nodiscard]] std::vector<RuleSentence> rulesOfThumb(const PlanSet& plan);

/// What the hosts lack where a plan does not surely run because of them and its device has room ("2.9 TiB of host memory, of 2 TiB"); empty
/// where it is not that.
[[nodiscard]] QString hostLack(const Plan& plan);
/// Weights, gradients, master weights and optimizer states of a rank, bytes.
[[nodiscard]] std::int64_t modelStateBytes(const LedgerRole& role);
/// Index into variants of the one the workspace has now, -1 for none.
[[nodiscard]] int chosenVariant(const PlanSet& plan);
/// The first that fits as the job is written, from the fastest; -1 for none.
[[nodiscard]] int firstFitting(const PlanSet& plan);
/// Where the walk through the tree ends, as `advise` has it: the first that fits, unless a later one is both smaller and faster or a
/// change of the job is faster than states outside the devices; where none surely fits the likeliest. -1: none even may.
[[nodiscard]] int treeAnswer(const PlanSet& plan);

}  // namespace stagecraft::app
