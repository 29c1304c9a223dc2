// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/advised_workspace.h"

#include "planner/applied_layout.h"
#include "planner/case_arguments.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace stagecraft {

namespace {

using nlohmann::json;

bool hasArgument(const Workspace& w, const char* key)
{
    const json& own = w.framework.arguments;
    return own.is_object() && own.contains(key) && !own[key].is_null();
}

bool ofPrecision(const WorkspaceEdit& edit) { return edit.pointer.starts_with("/dsConfig/bf16") || edit.pointer.starts_with("/dsConfig/fp16"); }

}  // namespace

bool namesPrecision(const Workspace& w)
{
    if (w.dsConfig.is_object() && (w.dsConfig.contains("bf16") || w.dsConfig.contains("fp16") || w.dsConfig.contains("torch_autocast"))) return true;
    if (w.framework.name == "fsdp2") return namesType(w.framework.arguments);
    return w.framework.name == "megatron" && (hasArgument(w, "bf16") || hasArgument(w, "fp16"));
}

std::vector<WorkspaceEdit> recastEdits(const Workspace& w, const Recast& to)
{
    std::vector<WorkspaceEdit> edits;
    const bool other = to.framework != w.framework.name;
    if (other) edits = behaviourEdits(w, to.framework);
    // Our own engine trains with AdamW where none is named; DeepSpeed waits for the script's.
    const auto ofOptimizer = [](const WorkspaceEdit& edit) { return edit.pointer.starts_with("/dsConfig/optimizer"); };
    if (other && to.framework == "deepspeed" && w.framework.name == "stagecraft" && !(w.dsConfig.is_object() && w.dsConfig.contains("optimizer")) && std::none_of(edits.begin(), edits.end(), ofOptimizer))
        edits.push_back({"/dsConfig/optimizer/type", "\"AdamW\""});
    if (other && to.seq > 0) edits.push_back({"/model/seq", std::to_string(to.seq)});
    if (to.precision.empty()) return edits;
    if (to.framework == "deepspeed") {
        // In place of the one that the framework before computes in: DeepSpeed refuses two.
        std::erase_if(edits, ofPrecision);
        edits.push_back({"/dsConfig/" + to.precision + "/enabled", "true"});
    }
    // Megatron-LM reads the ds_config's precision where its own arguments name none: they name it then.
    if (to.framework == "megatron" && !other && !hasArgument(w, "bf16") && !hasArgument(w, "fp16")) edits.push_back({"/framework/arguments/" + to.precision, "true"});
    return edits;
}

Workspace recast(const Workspace& w, const Recast& to)
{
    const std::vector<WorkspaceEdit> edits = recastEdits(w, to);
    const bool ofModel = std::any_of(edits.begin(), edits.end(), [](const WorkspaceEdit& edit) { return std::string_view(edit.pointer).starts_with("/model"); });
    if (!ofModel) return withEdits(w, edits);
    const json document = (w.document.is_object() ? w.document : json::object()).patch(patchOf(w, edits));
    auto read = parseWorkspace(document.dump(), w.folder);
    if (!read.hasValue()) return withEdits(w, edits);
    Workspace target = std::move(read).value();
    target.hardware = w.hardware;   // this machine's, where it is meant
    return target;
}

std::vector<WorkspaceEdit> branchEdits(const Workspace& target, const std::optional<ScoredLayout>& now, int stage, OffloadDevice optimizer, OffloadDevice param)
{
    if (!now) return zeroEdits(target, stage, optimizer, param);
    ScoredLayout point = *now;
    point.stage = stage;
    point.offloadOptimizer = optimizer;
    point.offloadParam = param;
    return layoutEdits(target, point);
}

}  // namespace stagecraft
