// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_alone.h"

#include "app/file_flow.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "config/check.h"
#include "config/json_edit.h"
#include "planner/config_advice.h"

#include <nlohmann/json.hpp>

#include <array>

namespace stagecraft::app {

namespace {

nlohmann::json sectionOf(const nlohmann::json& whole, const char* section)
{
    return whole.is_object() ? whole.value(section, nlohmann::json()) : nlohmann::json();
}

nlohmann::json jsonOf(const std::string& text) { return nlohmann::json::parse(text, nullptr, false, true); }

Assumed assumedIn(const nlohmann::json& now, const nlohmann::json& assumed)
{
    // An import may have put the ds_config into it. The demo that somebody opened is no assumption.
    if (sectionOf(now, "framework") != sectionOf(assumed, "framework") || sectionOf(now, "name") == nlohmann::json("demo"))
        return {};
    // Nobody means the demo's little model on a GPU; on this machine's CPU it is the demo.
    const nlohmann::json hardware = sectionOf(now, "hardware");
    if (!hardware.is_object() || hardware.value("device", nlohmann::json()) == nlohmann::json("cpu"))
        return {};
    return {sectionOf(now, "model") == sectionOf(assumed, "model"), hardware == sectionOf(assumed, "hardware")};
}

bool areRanksAssumedIn(const nlohmann::json& now, const nlohmann::json& assumed)
{
    return assumedIn(now, assumed).hardware && sectionOf(now, "layout") == sectionOf(assumed, "layout");
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
    return assumedIn(jsonOf(document.text()), jsonOf(workspaceAroundConfig()));
}

bool areRanksAssumed(const WorkspaceDocument& document)
{
    return areRanksAssumedIn(jsonOf(document.text()), jsonOf(workspaceAroundConfig()));
}

void surroundWithChosen(const std::string& text, const Workspace& workspace, CheckContext& context)
{
    surroundWith(workspace, context);
    const nlohmann::json now = jsonOf(text), assumed = jsonOf(workspaceAroundConfig());
    if (assumedIn(now, assumed).model)
        context.hiddenSize.reset();
    if (areRanksAssumedIn(now, assumed))
        context.ranks.reset();
}

}  // namespace stagecraft::app
