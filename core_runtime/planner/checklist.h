// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "planner/plan.h"

#include <string>
#include <vector>

namespace stagecraft {

/// One good practice, held against the workspace.
struct ChecklistItem {
    enum class Verdict {
        Followed,
        NotFollowed,
        NotNeeded,   ///< it would change nothing here
        Unknown,     ///< the workspace does not say enough to tell
    };
    std::string id;        ///< stage | offload | overlap | precision | recompute | bucket | clock | gather
    Verdict verdict = Verdict::Unknown;
    std::string title;     ///< the practice, as a sentence without a full stop
    std::string reason;    ///< why the verdict is so, with the numbers of this workspace
    std::string pointer;   ///< the key it is about: into the ds_config, or "layout.recompute" of the workspace
    std::string fix;       ///< JSON Patch of the ds_config that follows it; empty when there is none
};

/// What the practices are judged by besides the workspace.
struct PracticeSight {
    /// Model or hardware are nobody's choice: what is judged by their numbers is not known.
    bool assumed = false;
    /// Of the same ds_config, where it is one that is read; null while there is none. Of one that is refused only what
    /// the refusal has nothing to do with is judged; values
    /// that DeepSpeed changes are judged as it has them; and what is found about the key of a practice is its reason.
    const CheckAnswer* check = nullptr;
};

/// The eight practices that DeepSpeed tutorials end with, each judged by numbers where it has any: a ZeRO stage that pays,
/// no needless offload, overlapped communication, bf16 where the device has it, recomputation where memory asks for it,
/// fitting buckets, measured times, whole weights on save. What adviseConfig() says against one of them is its reason.
/// @param language  of the texts: "en" or "zh"
/// @return always all eight, in this order
[[nodiscard]] std::vector<ChecklistItem> checkPractices(const Workspace& workspace, const PlanContext& context = {}, const std::string& language = "en", const PracticeSight& sight = {});

/// "followed", "not_followed", "not_needed", "unknown"
[[nodiscard]] const char* checklistVerdictName(ChecklistItem::Verdict verdict);

}  // namespace stagecraft
