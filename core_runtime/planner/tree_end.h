// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/advisor.h"

#include <functional>
#include <vector>

namespace stagecraft {

/// Where the walk through a tree of branches ends, once each branch was considered as the job is written.

/// The first branch that fits is the answer, unless another one that fits takes less memory and less time: then the fastest of those.
void preferBetter(Advice& advice);

/// Plans a branch, with its relief where it has one, and gives its question.
using ConsiderBranch = std::function<TreeNode(StageOption& option)>;

/// Ends the walk with a change of the job where no branch surely fits without, or only one that keeps states outside the devices, or
/// recomputes by itself, and takes longer. Of the branches and changes that surely fit the fastest is the answer; where none does, the likeliest, if that helps.
/// A finding says what is changed and why.
/// @param reliefs  as reliefsOf() gives them
void preferRelief(Advice& advice, const std::vector<BranchRelief>& reliefs, const ConsiderBranch& consider);

/// Says of what else is much faster than the answer: a branch that may fit, and a layout of the search that surely does.
void tellFaster(Advice& advice);

}  // namespace stagecraft
