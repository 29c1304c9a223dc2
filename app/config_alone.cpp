// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_alone.h"

#include "app/file_flow.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"

#include <nlohmann/json.hpp>

#include <array>

namespace stagecraft::app {

namespace {

/// What a workspace is about, beside its ds_config.
nlohmann::json subjectOf(const std::string& text)
{
    const nlohmann::json whole = nlohmann::json::parse(text, nullptr, false, true);
    nlohmann::json subject = nlohmann::json::array();
    for (const char* section : {"model", "hardware", "layout"})
        subject.push_back(whole.is_object() ? whole.value(section, nlohmann::json()) : nlohmann::json());
    return subject;
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
    return document.path().empty() && !document.configPath().empty() && subjectOf(document.text()) == subjectOf(workspaceAroundConfig());
}

}  // namespace stagecraft::app
