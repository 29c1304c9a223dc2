// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard_effect.h"

#include "app/core_errors.h"
#include "app/core_words.h"
#include "app/plan_strip.h"
#include "app/subject_words.h"
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

constexpr const char* kOurEngine = "stagecraft";

/// Why the check beside the wizard refuses the workspace's ds_config, and who.
void judge(const Workspace& workspace, const WizardCheck& check, WizardEffect& effect)
{
    CheckContext context;
    context.release = check.release;
    context.language = checkLanguage();
    surroundWith(workspace, context);
    const auto answer = checkConfig(workspace.dsConfigText.empty() ? workspace.dsConfig.dump() : workspace.dsConfigText, context);
    if (!answer.hasValue() || answer->ok)
        return;
    const auto first = std::find_if(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& f) { return f.severity == CheckSeverity::Error && f.level == answer->level; });
    if (first == answer->findings.end())
        return;
    effect.refused = QString::fromStdString(first->message);
    effect.refuser = QString::fromStdString(whoRefuses(*answer, context.launcher)).section(QLatin1Char(' '), 0, 0);
}

}  // namespace

WizardEffect effectOf(const std::string& text, const std::filesystem::path& folder, const WizardCheck& check, WizardBehaviour behaviour)
{
    WizardEffect effect;
    auto workspace = parseWorkspace(text, folder);
    if (workspace.hasValue())
        judge(*workspace, check, effect);
    if (workspace.hasValue() && behaviour == WizardBehaviour::DeepSpeed && workspace->framework.name == kOurEngine)
        workspace->framework.name = "deepspeed";
    const auto plan = workspace.hasValue() ? makePlan(*workspace, machineContext()) : Result<Plan>(workspace.error());
    if (!plan.hasValue()) {
        effect.error = errorText(plan.error());
        return effect;
    }
    effect.subject = subjectWords(*workspace, *plan);
    effect.peak = peakBytes(*plan);
    effect.stepTime = plan->forecast ? plan->forecast->stepTime : 0;
    effect.tokensPerSecond = plan->forecast ? plan->forecast->tokensPerSecond : 0;
    if (plan->fit)
        effect.fit = plan->fit->verdict;
    if (effect.peak > 0 || effect.stepTime > 0)
        return effect;
    // What stops it before what is only noted.
    const auto firstOf = [&](auto holds) { return std::find_if(plan->findings.begin(), plan->findings.end(), holds); };
    auto first = firstOf([](const PlanFinding& finding) { return finding.severity == "error"; });
    if (first == plan->findings.end())
        first = firstOf([](const PlanFinding& finding) { return finding.severity != "info"; });
    effect.unknown = first == plan->findings.end() ? QString() : findingText(*first);
    if (workspace->framework.name == kOurEngine)
        effect.notByEngine = effect.unknown;
    return effect;
}

WizardEffects effectsOf(const std::string& base, const std::vector<Result<std::string>>& texts, const std::filesystem::path& folder, const WizardCheck& check)
{
    WizardEffects effects;
    const auto all = [&](WizardBehaviour behaviour) {
        std::vector<WizardEffect> list;
        for (const Result<std::string>& text : texts) {
            list.push_back(text.hasValue() ? effectOf(*text, folder, check, behaviour) : WizardEffect());
            if (!text.hasValue())
                list.back().error = errorText(text.error());
            list.back().unchanged = text.hasValue() && *text == base;
        }
        return list;
    };
    effects.base = effectOf(base, folder, check);
    effects.answers = all(WizardBehaviour::Workspace);
    if (const auto workspace = parseWorkspace(base, folder); workspace.hasValue())
        effects.framework = QString::fromStdString(workspace->framework.name);
    std::vector<QString> reasons;
    for (const WizardEffect& answer : effects.answers)
        reasons.push_back(answer.notByEngine);
    const auto first = std::find_if(reasons.begin(), reasons.end(), [](const QString& reason) { return !reason.isEmpty(); });
    if (first == reasons.end() && (check.last || effects.base.notByEngine.isEmpty()))
        return effects;
    effects.asDeepSpeed = true;
    effects.notByEngine = effects.base.notByEngine.isEmpty() ? *first : effects.base.notByEngine;
    effects.framework = QStringLiteral("deepspeed");
    effects.answers = all(WizardBehaviour::DeepSpeed);
    for (std::size_t i = 0; i < reasons.size(); ++i)
        effects.answers[i].notByEngine = reasons[i];
    const QString ofBase = effects.base.notByEngine;
    effects.base = effectOf(base, folder, check, WizardBehaviour::DeepSpeed);
    effects.base.notByEngine = ofBase;
    return effects;
}

}  // namespace stagecraft::app
