// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_alone.h"

#include "app/file_flow.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "config/check.h"
#include "config/json_edit.h"
#include "planner/config_advice.h"
#include "workspace/assumed_sizes.h"

#include <nlohmann/json.hpp>

#include <array>

namespace stagecraft::app {

namespace {

nlohmann::json jsonOf(const std::string& text)
{
    nlohmann::json strict = nlohmann::json::parse(text, nullptr, false);
    if (!strict.is_discarded())
        return strict;
    const auto relaxed = JsonDocument::parse(text);
    return relaxed.hasValue() ? relaxed->toJson(relaxed->root(), true) : strict;
}

}  // namespace

std::string workspaceAroundConfig()
{
    static const std::string around = [] {
        constexpr std::array<std::array<const char*, 2>, 5> kOther{{{"/name", R"("untitled")"}, {"/hardware/devicesPerNode", "1"}, {"/hardware/device", R"("H100-SXM-80GB")"},
                                                                    {"/layout/dp", "1"}, {"/framework/name", R"("deepspeed")"}}};
        std::string text = FileFlow::demoText();
        for (const auto& [pointer, json] : kOther)
            text = withValue(text, pointer, json);
        // Whoever chooses hardware says how many nodes: that tells it from this, though it be the same.
        const auto document = JsonDocument::parse(text);
        const auto nodes = document.hasValue() ? removeEdit(*document, "/hardware/nodes") : Result<TextEdit>(document.error());
        return nodes.hasValue() ? applyEdits(std::move(text), {*nodes}) : text;
    }();
    return around;
}

Assumed assumedOf(const WorkspaceDocument& document)
{
    const AssumedSizes sizes = assumedSizes(jsonOf(document.text()));
    return {sizes.model, sizes.hardware};
}

bool areRanksAssumed(const WorkspaceDocument& document) { return assumedSizes(jsonOf(document.text())).ranks; }

void surroundWithChosen(const std::string& text, const Workspace& workspace, CheckContext& context)
{
    surroundWith(workspace, context);
    const AssumedSizes sizes = assumedSizes(jsonOf(text));
    if (sizes.model)
        context.hiddenSize.reset();
    if (sizes.ranks)
        context.ranks.reset();
}

}  // namespace stagecraft::app
