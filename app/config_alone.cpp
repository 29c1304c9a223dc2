// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_alone.h"

#include "app/file_flow.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "config/json_edit.h"

#include <nlohmann/json.hpp>

#include <array>

namespace stagecraft::app {

namespace {

nlohmann::json sectionOf(const nlohmann::json& whole, const char* section)
{
    return whole.is_object() ? whole.value(section, nlohmann::json()) : nlohmann::json();
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
    const auto now = nlohmann::json::parse(document.text(), nullptr, false, true), assumed = nlohmann::json::parse(workspaceAroundConfig(), nullptr, false, true);
    // An import may have put the ds_config into it. The demo that somebody opened is no assumption.
    if (sectionOf(now, "framework") != sectionOf(assumed, "framework") || sectionOf(now, "name") == nlohmann::json("demo"))
        return {};
    // Nobody means the demo's little model on a GPU; on this machine's CPU it is the demo.
    const nlohmann::json hardware = sectionOf(now, "hardware");
    if (!hardware.is_object() || hardware.value("device", nlohmann::json()) == nlohmann::json("cpu"))
        return {};
    return {sectionOf(now, "model") == sectionOf(assumed, "model"), hardware == sectionOf(assumed, "hardware")};
}

bool areRanksAssumed(const WorkspaceDocument& document)
{
    const auto now = nlohmann::json::parse(document.text(), nullptr, false, true), assumed = nlohmann::json::parse(workspaceAroundConfig(), nullptr, false, true);
    return assumedOf(document).hardware && sectionOf(now, "layout") == sectionOf(assumed, "layout");
}

}  // namespace stagecraft::app
