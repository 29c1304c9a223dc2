// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"
#include "config/wizard.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::app {

/// What a workspace comes to under one set of answers.
struct WizardEffect {
    QString error;               ///< why there is no plan; empty when there is one
    QString refused;             ///< the reason why the ds_config is refused; empty when it is taken
    QString refuser;             ///< who refuses it: DeepSpeed, or what hands it to DeepSpeed
    QString notByEngine;         ///< why our engine, which the workspace plans for, does not train it; empty when it does, or is not asked
    QString unknown;             ///< why there are no numbers; empty when there are
    QString subject;             ///< the model and the devices that the numbers are of
    bool unchanged = false;      ///< the text is the one that it is compared with
    std::int64_t peak = 0;       ///< bytes of the fullest rank
    double stepTime = 0;         ///< seconds; 0 = unknown
    double tokensPerSecond = 0;  ///< 0 = unknown
    std::optional<Fit::Verdict> fit;
};

/// `text` with a JSON Patch applied, as little of it changed as can be; an empty text counts as an empty object.
[[nodiscard]] Result<std::string> patched(const std::string& text, const nlohmann::json& patch);
/// The workspace text (self-contained) under `answers`. Strings in answers were checked before.
[[nodiscard]] Result<std::string> textUnder(const std::string& text, const WizardAnswers& answers);
/// What a wizard's check goes by.
struct WizardCheck {
    std::string release;   ///< of DeepSpeed; empty = the newest known
    bool last = false;     ///< the answers are all given: the numbers are those that the workspace then has
};

/// Whose training the numbers are of.
enum class WizardBehaviour { Workspace, DeepSpeed };
/// Plans it, and checks its ds_config as DeepSpeed does. Pure but for the files the workspace
/// names; for a worker thread.
/// @param behaviour  DeepSpeed: also where the workspace plans for our engine, which cannot train everything that DeepSpeed does
[[nodiscard]] WizardEffect effectOf(const std::string& text, const std::filesystem::path& folder, const WizardCheck& check = {}, WizardBehaviour behaviour = WizardBehaviour::Workspace);

/// What a list of answers comes to, side by side: numbers are compared only where all of them are of one behaviour.
struct WizardEffects {
    std::vector<WizardEffect> answers;   ///< in the order of the texts
    WizardEffect base;                   ///< of what the answers are compared with
    bool asDeepSpeed = false;            ///< our engine trains one of them not, so that all of them are forecast as DeepSpeed trains them
    QString notByEngine;                 ///< the first reason why not
    QString framework;                   ///< whose the numbers are, as a workspace names it
};
/// @param base   what the answers are compared with, self-contained
/// @param texts  the workspace under each answer, or why it cannot be written
/// After the last question our engine's numbers stand where it trains the result, also where it does not train the base.
[[nodiscard]] WizardEffects effectsOf(const std::string& base, const std::vector<Result<std::string>>& texts, const std::filesystem::path& folder, const WizardCheck& check);

}  // namespace stagecraft::app
