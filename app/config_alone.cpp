// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_alone.h"

#include "app/file_flow.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"

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
        return text;
    }();
    return around;
}

bool isConfigAlone(const WorkspaceDocument& document)
{
    if (document.configPath().empty())
        return false;
    const auto now = nlohmann::json::parse(document.text(), nullptr, false, true), assumed = nlohmann::json::parse(workspaceAroundConfig(), nullptr, false, true);
    if (sectionOf(now, "model") != sectionOf(assumed, "model") || sectionOf(now, "framework") != sectionOf(assumed, "framework"))
        return false;
    // Nobody means the demo's little model on a GPU: as long as it stands there its figures are of nobody's job, saved or not.
    const nlohmann::json hardware = sectionOf(now, "hardware");
    return hardware.is_object() && hardware.value("device", nlohmann::json()) != nlohmann::json("cpu");
}

bool areRanksAssumed(const WorkspaceDocument& document)
{
    const auto now = nlohmann::json::parse(document.text(), nullptr, false, true), assumed = nlohmann::json::parse(workspaceAroundConfig(), nullptr, false, true);
    return isConfigAlone(document) && sectionOf(now, "hardware") == sectionOf(assumed, "hardware") && sectionOf(now, "layout") == sectionOf(assumed, "layout");
}

}  // namespace stagecraft::app
