// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/applied_layout.h"

#include "planner/fit.h"
#include "planner/framework_ledger.h"
#include "planner/layout_edits.h"
#include "planner/layout_faults.h"
#include "planner/step_time.h"
#include "planner/swap_folders.h"

#include <memory>
#include <string_view>
#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

void set(json& object, const std::string& pointer, const std::string& text)
{
    const json::json_pointer place(pointer);
    if (!object.is_object()) object = json::object();
    if (text.empty()) {
        if (object.contains(place)) object[place.parent_pointer()].erase(place.back());
        return;
    }
    // What stands on the way and is no object gives way, as in patchOf().
    for (json::json_pointer above = place.parent_pointer(); !above.empty(); above = above.parent_pointer())
        if (object.contains(above) && !object[above].is_object()) object[above] = json::object();
    object[place] = json::parse(text);
}

void set(LayoutSection& layout, std::string_view key, const json& value)
{
    const std::pair<std::string_view, int*> sizes[] = {{"dp", &layout.dp}, {"tp", &layout.tp}, {"pp", &layout.pp}, {"cp", &layout.cp}, {"ep", &layout.ep}};
    for (const auto& [name, size] : sizes)
        if (key == name) *size = value.get<int>();
    if (key == "recompute") layout.recompute = value.get<std::string>();
    if (key == "sequenceParallel") layout.sequenceParallel = value.get<bool>();
}

}  // namespace

Workspace withEdits(const Workspace& workspace, const std::vector<WorkspaceEdit>& edits)
{
    constexpr std::string_view kLayout = "/layout/", kArguments = "/framework/arguments", kConfig = "/dsConfig";
    Workspace w = workspace;
    for (const WorkspaceEdit& edit : edits) {
        const std::string_view pointer = edit.pointer;
        if (pointer.starts_with(kLayout)) set(w.layout, pointer.substr(kLayout.size()), json::parse(edit.json));
        else if (pointer.starts_with(kArguments)) set(w.framework.arguments, edit.pointer.substr(kArguments.size()), edit.json);
        else if (pointer == "/framework/name") w.framework.name = json::parse(edit.json).get<std::string>();
        else if (pointer.starts_with(kConfig)) set(w.dsConfig, edit.pointer.substr(kConfig.size()), edit.json);
    }
    return w;
}

Workspace withAppliedLayout(const Workspace& workspace, const ScoredLayout& layout) { return withEdits(workspace, layoutEdits(workspace, layout)); }

std::function<bool(ScoredLayout&)> settlerOf(const Workspace& workspace, const std::optional<ModelShape>& shape, std::int64_t usable, std::optional<std::int64_t> host, const PlanContext& context)
{
    // It is copied for each layout: without what the shape was counted from but for the family, and the text that the ds_config was read from.
    auto base = std::make_shared<Workspace>(workspace);
    const json& config = workspace.model.huggingFaceConfig;
    base->model.huggingFaceConfig = config.is_object() && config.contains("model_type") ? json{{"model_type", config["model_type"]}} : json();
    base->dsConfigText.clear();
    const bool here = runsHere(workspace, context);
    const PlanContext machine{.gpu = context.gpu, .disks = context.disks};
    return [base = std::shared_ptr<const Workspace>(std::move(base)), shape, usable, host, here, machine](ScoredLayout& point) {
        const Workspace applied = withAppliedLayout(*base, point);
        std::vector<PlanFinding> unread;
        DsSettings settings = readDsSettings(applied, shape ? shape->hidden : 0, unread);
        (void)useMeasuredDisk(applied, machine, settings);
        const auto job = readTrainingCase(applied, shape, settings, unread);
        if (!job || !job->sheet || tellLayoutFaults(*job, unread)) return false;
        const LayoutNeed need = needOf(*job);
        const StepForecast forecast = forecastStep(*job, *job->sheet, applied.launch.threadsPerRank);
        point.memory = need.process;
        point.hostBytesPerNode = need.hostPerNode;
        point.probability = fitProbability(*job, need, usable, host);
        point.stepTime = forecast.stepTime;
        point.tokensPerSecond = forecast.tokensPerSecond;
        point.mfu = forecast.mfu;
        const bool files = point.offloadOptimizer == OffloadDevice::Nvme || point.offloadParam == OffloadDevice::Nvme;
        if (here && files && !filesCanBeWritten(applied, frameworkLedger(*job))) point.probability = 0;
        return true;
    };
}

}  // namespace stagecraft
