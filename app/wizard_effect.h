// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"
#include "config/wizard.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace stagecraft::app {

/// What a workspace comes to under one set of answers.
struct WizardEffect {
    QString error;               ///< why there is no plan; empty when there is one
    QString refused;             ///< DeepSpeed's reason to refuse the ds_config; empty when it takes it
    std::int64_t peak = 0;       ///< bytes of the fullest rank
    double stepTime = 0;         ///< seconds; 0 = unknown
    std::optional<Fit::Verdict> fit;
};

/// `text` with a JSON Patch applied, as little of it changed as can be; an empty text counts as an empty object.
[[nodiscard]] Result<std::string> patched(const std::string& text, const nlohmann::json& patch);
/// The workspace text (self-contained) under `answers`. Strings in answers were checked before.
[[nodiscard]] Result<std::string> textUnder(const std::string& text, const WizardAnswers& answers);
/// Plans it, and checks its ds_config as `release` of DeepSpeed does (empty = the newest known). Pure but for the files the workspace
/// names; for a worker thread.
[[nodiscard]] WizardEffect effectOf(const std::string& text, const std::filesystem::path& folder, const std::string& release = {});

}  // namespace stagecraft::app
