// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/layout_edits.h"

#include <string>
#include <vector>

namespace stagecraft {

/// A part of a job that another framework cannot take over, or has in no such form.
struct NotCarried {
    enum class What {
        Sharding,          ///< how the states are divided; `detail` says what is planned instead: "stage 3"
        Offload,           ///< states on the host or in files
        Precision,         ///< `detail`: what is planned instead
        SequenceParallel,
        Recompute,         ///< a choice of operations or layers that the other does not know; `detail`: what is planned instead
        Model,             ///< the arguments describe one that a workspace cannot name
        Sequence,          ///< longer than the workspace's model has positions
        Arguments,         ///< `detail`: their names, with commas
    };
    What what;
    std::string detail;
};

struct BehaviourChange {
    std::vector<WorkspaceEdit> edits;
    std::vector<NotCarried> lost;
};

/// Another framework's behaviour for the same job. What FSDP2 and Megatron have in arguments (batch, sequence, layout, precision,
/// recomputation, sharding, a model of their own) goes into the workspace, where each framework finds it; what the next one needs
/// as arguments goes there.
/// @param framework  stagecraft | deepspeed | fsdp2 | megatron
[[nodiscard]] BehaviourChange changeBehaviour(const Workspace& workspace, const std::string& framework);

/// Whether Megatron's arguments describe a model of their own: then the workspace's is not what is planned.
[[nodiscard]] bool modelIsInArguments(const Workspace& workspace);

/// The workspace with those of its framework's arguments alone that describe a model.
[[nodiscard]] Workspace withModelArgumentsAlone(const Workspace& workspace);

/// Takes the description of a model out of Megatron's arguments, so that `next`, a workspace with the model that was chosen, is
/// what is planned; what a command line has to say of its kind stands there again.
[[nodiscard]] std::vector<WorkspaceEdit> modelArgumentEdits(const Workspace& now, const Workspace& next);

}  // namespace stagecraft
