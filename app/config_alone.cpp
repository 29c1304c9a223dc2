// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_alone.h"

#include "app/file_flow.h"
#include "app/session/workspace_document.h"

#include <nlohmann/json.hpp>

namespace stagecraft::app {

bool hasDemoSurroundings(const std::string& text)
{
    const auto around = [](const std::string& of) {
        const nlohmann::json whole = nlohmann::json::parse(of, nullptr, false, true);
        return whole.is_object() ? nlohmann::json::array({whole.value("hardware", nlohmann::json()), whole.value("layout", nlohmann::json())}) : nlohmann::json();
    };
    return around(text) == around(FileFlow::demoText());
}

bool isConfigAlone(const WorkspaceDocument& document)
{
    return document.path().empty() && !document.configPath().empty() && hasDemoSurroundings(document.text());
}

}  // namespace stagecraft::app
