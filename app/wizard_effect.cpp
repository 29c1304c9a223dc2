// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard_effect.h"

#include "app/core_errors.h"
#include "app/plan_strip.h"
#include "config/check.h"
#include "config/json_edit.h"
#include "planner/config_advice.h"
#include "widgets/config_model.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft::app {

Result<std::string> patched(const std::string& text, const nlohmann::json& patch)
{
    const auto document = JsonDocument::parse(text.empty() ? "{}" : text);
    if (!document.hasValue())
        return document.error();
    const auto edits = patchEdits(*document, patch);
    if (!edits.hasValue())
        return edits.error();
    return applyEdits(document->text(), *edits);
}

Result<std::string> textUnder(const std::string& text, const WizardAnswers& answers)
{
    const auto document = JsonDocument::parse(text);
    if (!document.hasValue())
        return document.error();
    return patched(text, wizardPatch(document->toJson(0, true), answers));
}

namespace {

/// Why the check beside the wizard refuses the workspace's ds_config; empty when it does not.
QString refusalOf(const Workspace& workspace, const std::string& release)
{
    CheckContext context;
    context.release = release;
    context.language = contentLanguage().toStdString();
    surroundWith(workspace, context);
    const auto answer = checkConfig(workspace.dsConfigText.empty() ? workspace.dsConfig.dump() : workspace.dsConfigText, context);
    if (!answer.hasValue() || answer->ok)
        return {};
    const auto first = std::find_if(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& f) { return f.severity == CheckSeverity::Error && f.level == answer->level; });
    return first == answer->findings.end() ? QString() : QString::fromStdString(first->message);
}

}  // namespace

WizardEffect effectOf(const std::string& text, const std::filesystem::path& folder, const std::string& release)
{
    WizardEffect effect;
    const auto workspace = parseWorkspace(text, folder);
    if (workspace.hasValue())
        effect.refused = refusalOf(*workspace, release);
    const auto plan = workspace.hasValue() ? makePlan(*workspace, machineContext()) : Result<Plan>(workspace.error());
    if (!plan.hasValue()) {
        effect.error = errorText(plan.error());
        return effect;
    }
    effect.peak = peakBytes(*plan);
    effect.stepTime = plan->forecast ? plan->forecast->stepTime : 0;
    if (plan->fit)
        effect.fit = plan->fit->verdict;
    return effect;
}

}  // namespace stagecraft::app
