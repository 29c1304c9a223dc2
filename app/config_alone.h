// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace stagecraft {
struct CheckContext;
struct Workspace;
}

namespace stagecraft::app {

class WorkspaceDocument;

/// The workspace that is put around a ds_config opened alone: the demo's, planned as DeepSpeed trains it on one GPU. What stands in it
/// is what check, forecasts and wizard go by until somebody chooses.
[[nodiscard]] std::string workspaceAroundConfig();
/// What stands around a ds_config that was opened alone although nobody has chosen it, saved or not: figures that it goes into are of
/// nobody's job, and nothing is advised from them.
struct Assumed {
    bool model = false;
    bool hardware = false;
    [[nodiscard]] bool any() const { return model || hardware; }
};
[[nodiscard]] Assumed assumedOf(const WorkspaceDocument& document);
/// And so is the number of ranks: nobody has said on how many the ds_config runs.
[[nodiscard]] bool areRanksAssumed(const WorkspaceDocument& document);
/// surroundWith() without what is only assumed: ranks and hidden size that nobody chose are none to fill "auto" in from.
/// @param text  of the workspace, also of one read by readAroundConfig()
void surroundWithChosen(const std::string& text, const Workspace& workspace, CheckContext& context);

}  // namespace stagecraft::app
