// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/key_catalog.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class WizardKind { Choice, Count, Number, Path };

/// Answers that a question or an option asks for, all of them: question id to JSON texts, one of which must be the answer.
using WizardCondition = std::map<std::string, std::vector<std::string>>;

struct WizardOption {
    std::string json;   ///< the answer it gives
    CatalogText title;
    WizardCondition when;
};

/// One question of configs/wizard/questions.json: those that accelerate's own wizard asks about DeepSpeed, and who fills in "auto".
struct WizardQuestion {
    std::string id;
    WizardKind kind = WizardKind::Choice;
    CatalogText title, why;
    std::vector<WizardOption> options;  ///< of a Choice
    double min = 0, max = 0;            ///< of a Count (whole numbers) and a Number
    std::string pointer;                ///< into the workspace, where one value is the answer; empty = worked out
    std::string byDefault;              ///< JSON text of the answer while the workspace says nothing
    WizardCondition when;
};

/// Question id to JSON text. What is not in it was not answered and changes nothing.
using WizardAnswers = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] const std::vector<WizardQuestion>& wizardQuestions();

/// What the workspace says now to every question, unanswered ones by their default. `workspace` has its ds_config inside.
/// A value that is no answer to the question ("auto" for a number, a text) is left out.
[[nodiscard]] WizardAnswers answersOf(const nlohmann::json& workspace);

/// The questions that make sense after `answers` on top of the workspace's own, in order, their options narrowed likewise. A choice
/// that the workspace leaves open ("auto"), or that the Trainer or accelerate fills in where the answers say so, has that as its last
/// option.
[[nodiscard]] std::vector<WizardQuestion> openQuestions(const nlohmann::json& workspace, const WizardAnswers& answers);

/// Whether `json` answers `question`; the option must be one that is offered.
[[nodiscard]] bool isAnswer(const WizardQuestion& question, std::string_view json);

/// The answers as a JSON Patch (RFC 6902) on the workspace, with what has to follow them: the data-parallel size follows the
/// devices, train_batch_size the accumulation, and what a lower ZeRO stage would refuse goes. Answers to questions that are
/// not open are not used. Answers that the workspace gives already make no operation.
[[nodiscard]] nlohmann::json wizardPatch(const nlohmann::json& workspace, const WizardAnswers& answers);

/// What no file of the workspace can say and the user has to do, one sentence each.
[[nodiscard]] std::vector<std::string> wizardNotes(const nlohmann::json& workspace, const WizardAnswers& answers, std::string_view language);

}  // namespace stagecraft
