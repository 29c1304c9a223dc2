// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_explain.h"

#include "app/core_errors.h"
#include "app/core_words.h"
#include "app/fit_words.h"
#include "app/formats.h"
#include "app/model_states.h"
#include "app/phrase_words.h"
#include "app/plan_sections.h"
#include "app/plan_strip.h"
#include "app/plan_tree.h"
#include "app/traffic_words.h"
#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/applied_layout.h"
#include "planner/crossover.h"
#include "planner/deepspeed_estimate_text.h"
#include "planner/fit.h"
#include "planner/forecast_figures.h"
#include "planner/redundancy.h"
#include "visualizers/list_text.h"

#include <algorithm>

namespace stagecraft::app {

namespace {

using theme::Token;

QString needSentence(const QString& name, std::int64_t peak, const Fit& fit)
{
    const std::int64_t usable = fit.usable;
    // Cut at the device, a peak says nothing of what is needed.
    if (fillsDevice(peak, fit))
        return PlanWords::tr("%1 fills the %2: %3 of it cannot be given back.").arg(name, bytes(usable).text(), bytes(fit.least).text());
    if (peak > usable)
        return PlanWords::tr("%1 needs %2 of %3.").arg(name, bytes(peak).text(), bytes(usable).text());
    return PlanWords::tr("%1 needs %2 and leaves %3 free.").arg(name, bytes(peak).text(), bytes(usable - peak).text());
}

// Of model states alone: what else a step takes is not known.
QString statesSentence(const QString& name, std::int64_t states, const Fit& fit)
{
    const std::int64_t usable = fit.usable;
    if (states == 0)
        return PlanWords::tr("The states of %1 lie off the device.").arg(name);
    if (states > usable)
        return PlanWords::tr("The states of %1 alone need %2 of %3.").arg(name, bytes(states).text(), bytes(usable).text());
    return PlanWords::tr("The states of %1 need %2; %3 are left for the rest.").arg(name, bytes(states).text(), bytes(usable - states).text());
}

// The conditions that tutorials name for DeepSpeed, and whether this plan meets them.
std::optional<InspectorSection> whenToUse(const PlanSet& plan)
{
    if (!plan.advice || plan.advice->conditions.empty())
        return std::nullopt;
    InspectorSection section;
    section.heading = PlanWords::tr("When to use DeepSpeed");
    for (const Condition& condition : plan.advice->conditions) {
        Phrase ours = condition.ours;
        for (std::string& name : ours.args)
            for (std::size_t i = 0; i < plan.advice->options.size() && i < plan.variants.size(); ++i)
                if (plan.advice->options[i].name == name) {
                    name = variantName(plan.variants[i].id).toStdString();
                    break;
                }
        const QString sentence = PlanWords::tr("%1: %2", "a condition and what is so").arg(phraseText(condition.rule), phraseText(ours));
        section.reasons.push_back({condition.met ? QStringLiteral("emblem-ok") : QStringLiteral("window-close"), condition.met ? Token::Ok : Token::Text2, sentence});
    }
    return section;
}

}  // namespace

std::optional<InspectorSection> explainEstimator(const PlanSet& plan)
{
    if (!plan.workspace || !plan.settings || !plan.plan || !plan.plan->params || (plan.workspace->framework.name != "deepspeed" && plan.workspace->framework.name != "stagecraft"))
        return std::nullopt;
    const bool third = plan.settings->stage == 3;
    EstimatorInput input;
    input.params = static_cast<double>(*plan.plan->params);
    input.largestLayer = plan.shape ? static_cast<double>(plan.shape->largestTensor) : 0;
    input.gpusPerNode = plan.workspace->hardware.devicesPerNode;
    input.nodes = plan.workspace->hardware.nodes;
    input.offloadOptimizer = plan.settings->offloadOptimizer != OffloadDevice::None;
    input.offloadParam = plan.settings->offloadParam != OffloadDevice::None;
    const auto answer = third ? estimateDeepSpeedZero3(input) : estimateDeepSpeedZero2(input);
    if (!answer.hasValue())
        return std::nullopt;
    InspectorSection section;
    // The very digits that DeepSpeed prints, whose GB are 2^30 bytes.
    const auto printed = [](std::int64_t bytes) { return QStringLiteral("%1 GiB").arg(QString::number(static_cast<double>(bytes) / 1073741824.0, 'f', 2)); };
    section.heading = PlanWords::tr("DeepSpeed’s estimator says %1").arg(printed(answer->deviceBytes));
    const QString counted = third ? input.offloadOptimizer ? input.offloadParam ? QStringLiteral("4 Λ") : QStringLiteral("4 Λ + 2 Φ / N") : QStringLiteral("4 Λ + 18 Φ / N")
                                  : input.offloadOptimizer ? QStringLiteral("2 Φ") : QStringLiteral("2 Φ + 18 Φ / N");
    QStringList reasons;
    reasons << PlanWords::tr("It counts %1 for stage %2 and nothing else: no activations, logits, buckets, rounding or context.").arg(counted).arg(third ? 3 : 2);
    if (!third && plan.settings->stage < 2)
        reasons << PlanWords::tr("DeepSpeed has none for stage %1.").arg(plan.settings->stage);
    if (plan.workspace->layout.tp > 1 || plan.workspace->layout.pp > 1)
        reasons << PlanWords::tr("It knows no tensor or pipeline parallelism.");
    if (plan.plan->trainable && *plan.plan->trainable < *plan.plan->params)
        reasons << PlanWords::tr("It takes all parameters as trained; %1 of %2 are. What is frozen has weights alone, without gradients, an fp32 copy or moments.").arg(shortCount(static_cast<double>(*plan.plan->trainable)), shortCount(static_cast<double>(*plan.plan->params)));
    if (plan.shape && plan.shape->part.packed())
        reasons << PlanWords::tr("It takes 16-bit weights; those of the quantised base take %1 B each.").arg(QLocale().toString(plan.shape->part.packedBytes, 'g', 3));
    section.text = sentencesText(reasons);
    if (const LedgerRole* role = fullestRole(*plan.plan)) {
        const std::int64_t states = modelStateBytes(*role);
        section.pairs = {{PlanWords::tr("Our model states"), bytes(states).text()},
                         {PlanWords::tr("Everything else"), plan.plan->fit && plan.plan->fit->statesOnly ? PlanWords::tr("not known") : bytes(role->peak.process - states).text()},
                         {PlanWords::tr("Difference"), bytesDelta(role->peak.process - answer->deviceBytes)},
                         {PlanWords::tr("Its host memory per node"), printed(answer->hostBytesPerNode)}};
    }
    for (const std::string& reason : estimatorReasons(third ? 3 : 2, input))
        section.reasons.push_back({QStringLiteral("dialog-information"), Token::Text2, whyText(reason)});
    return section;
}

std::vector<InspectorSection> explainPlan(const PlanSet& plan)
{
    std::vector<InspectorSection> sections;
    if (plan.plan)
        if (const LedgerRole* role = fullestRole(*plan.plan))
            sections.push_back(memorySection(*plan.plan, *role));
    if (plan.plan && plan.plan->forecast)
        sections.push_back(timeSection(*plan.plan->forecast));
    if (plan.plan && plan.plan->budget && plan.plan->budget->seconds > 0) {
        const BudgetForecast& budget = *plan.plan->budget;
        InspectorSection section;
        section.heading = PlanWords::tr("To %1 tokens").arg(shortCount(budget.tokens));
        section.value = seconds(budget.seconds).text();
        const auto [least, most] = intervalOfTime(*plan.plan->forecast, budget.seconds);
        section.pairs = {{PlanWords::tr("90 % interval"), intervalText(seconds(least).text(), seconds(most).text())}, {PlanWords::tr("Device hours"), fixed(budget.seconds / 3600 * static_cast<double>(budget.devices), 1)}};
        if (budget.joules > 0) {
            section.pairs.push_back({PlanWords::tr("Energy at most"), QStringLiteral("%1 kWh").arg(fixed(budget.joules / 3.6e6, 1))});
            section.text = PlanWords::tr("%1 devices at their rated %2 W; hosts and cooling not included.").arg(count(budget.devices)).arg(fixed(budget.wattsPerDevice, 0));
        }
        sections.push_back(section);
    }
    return sections;
}

InspectorContent explainStage(const PlanSet& plan)
{
    InspectorContent content;
    if (plan.problem) {
        content.title = PlanWords::tr("No plan");
        content.sections.push_back({});
        content.sections.back().reasons.push_back({QStringLiteral("dialog-error"), Token::Error, errorText(*plan.problem)});
        return content;
    }
    const int chosen = chosenVariant(plan);
    const int first = firstFitting(plan), end = treeAnswer(plan);
    content.title = chosen >= 0 ? PlanWords::tr("%1: why").arg(variantName(plan.variants[static_cast<std::size_t>(chosen)].id)) : PlanWords::tr("This plan");
    InspectorSection why;
    for (std::size_t i = 0; i < plan.variants.size(); ++i) {
        const PlanVariant& variant = plan.variants[i];
        if (!variant.plan || !variant.plan->fit || !variant.plan->ledger)
            continue;
        const bool isChosen = static_cast<int>(i) == chosen;
        // The branches up to the answer, the chosen one, and no others: the tree has them all.
        if (!isChosen && first >= 0 && static_cast<int>(i) > std::max(end, chosen))
            continue;
        const Fit& fit = *variant.plan->fit;
        const QString name = variant.relief && !isChosen ? clauseText({variantName(variant.id), reliefWords(*variant.relief)}) : variantName(variant.id);
        const QString lack = hostLack(*variant.plan);
        QString sentence = lack.isEmpty() ? (fit.statesOnly ? statesSentence : needSentence)(name, peakBytes(*variant.plan), fit) : PlanWords::tr("%1 needs %2.").arg(name, lack);
        if (fit.verdict == Fit::Verdict::Unsure)
            sentence = sentencesText({sentence, fit.statesOnly ? QString() : fit.hostNeed > 0 && fit.hostUsable == 0 ? PlanWords::tr("It takes %1 of host memory per node, of which nothing is known.").arg(bytes(fit.hostNeed).text()) : PlanWords::tr("It fits with p = %1.").arg(fixed(shownProbability(fit.probability), 2))});
        if (fit.verdict == Fit::Verdict::Yes)
            why.reasons.push_back({isChosen ? QStringLiteral("emblem-ok") : QStringLiteral("dialog-information"), isChosen ? Token::Ok : Token::Text2, sentence});
        else
            why.reasons.push_back({fit.verdict == Fit::Verdict::Unsure ? QStringLiteral("dialog-warning") : QStringLiteral("window-close"),
                                   fit.verdict == Fit::Verdict::Unsure ? Token::Warn : Token::Error, sentence});
    }
    if (chosen >= 0 && first >= 0 && first == end && first < chosen)
        why.reasons.push_back({QStringLiteral("help-contents"), Token::Text2,
                               PlanWords::tr("%1 is the first that fits; what comes after saves memory and adds communication.").arg(variantName(plan.variants[static_cast<std::size_t>(first)].id))});
    for (const RuleSentence& rule : rulesOfThumb(plan))
        why.reasons.push_back({QStringLiteral("help-contents"), Token::Text2, sentencesText({rule.rule, rule.here})});
    if (!why.reasons.empty())
        content.sections.push_back(why);
    if (auto section = whenToUse(plan))
        content.sections.push_back(std::move(*section));
    for (InspectorSection& section : explainPlan(plan))
        content.sections.push_back(std::move(section));
    if (auto estimator = explainEstimator(plan))
        content.sections.push_back(std::move(*estimator));
    if (plan.workspace && plan.workspace->framework.name == "stagecraft" && plan.engine && !plan.engine->withoutEffect.empty()) {
        InspectorSection idle;
        idle.heading = PlanWords::tr("Without effect in this engine");
        for (const WithoutEffect& key : plan.engine->withoutEffect)
            idle.reasons.push_back({QStringLiteral("dialog-information"), Token::Text2, QString::fromStdString(key.pointer) + QStringLiteral(": ") + whyText(key.reason)});
        content.sections.push_back(idle);
    }
    return content;
}

InspectorContent explainStep(const PlanSet& plan, const DecisionTree& tree, std::size_t step)
{
    InspectorContent content;
    const TreeStep& shown = tree.steps[step];
    const DecisionTree::Choice& choice = tree.choices[step];
    content.title = shown.title;
    InspectorSection answer;
    answer.heading = shown.question;
    answer.text = shown.answer.isEmpty() ? shown.detail : shown.detail.isEmpty() ? shown.answer : clauseText({shown.answer, shown.detail});
    if (!shown.numbers.isEmpty())
        answer.formula = QStringList{shown.numbers};
    content.sections.push_back(answer);
    if (choice.variant >= 0) {
        const PlanVariant& variant = plan.variants[static_cast<std::size_t>(choice.variant)];
        if (const QString folder = folderNeeded(variant); !variant.chosen && !folder.isEmpty()) {
            InspectorSection needs;
            needs.heading = PlanWords::tr("Needs a folder on NVMe");
            needs.formula = QStringList{QStringLiteral("nvme_path = ") + folder};
            needs.text = PlanWords::tr("The ds_config names none, and DeepSpeed refuses files without one. This is written with it; name a folder that every node has on its NVMe disk.");
            content.sections.push_back(needs);
        }
        const std::optional<Plan>& made = variant.plan;
        if (made && made->ledger) {
            PlanSet one;
            one.plan = made;
            for (InspectorSection& section : explainPlan(one))
                content.sections.push_back(std::move(section));
            // The advisor counts states as DeepSpeed keeps them in mixed precision, in the order of the tree.
            const auto at = static_cast<std::size_t>(plan.variants[static_cast<std::size_t>(choice.variant)].id);
            if (const auto copies = plan.workspace ? redundancyOf(withEdits(*plan.workspace, variant.edits)) : std::nullopt)
                content.sections.push_back(explainConventions(*copies));
            const bool counted = plan.workspace && plan.workspace->framework.name == "deepspeed" && plan.settings && plan.settings->precision != Precision::Fp32;
            if (counted && plan.advice && at < plan.advice->options.size()) {
                const StageOption& option = plan.advice->options[at];
                InspectorSection states;
                states.heading = PlanWords::tr("Model states alone");
                states.value = bytes(option.stateBytes).text();
                states.formula = {QString::fromStdString(option.formula), QString::fromStdString(option.numbers), QStringLiteral("= %1 B").arg(count(option.stateBytes))};
                if (option.maxParams > 0)
                    states.pairs = {{PlanWords::tr("Largest model whose states fit"), PlanWords::tr("%1 parameters").arg(shortCount(option.maxParams))}};
                const DeviceSheet* device = findDevice(plan.workspace->hardware.device);
                if (option.maxParams > 0 && device && device->nominalBytes > 0 && plan.advice->usable > 0) {
                    states.pairs.push_back({PlanWords::tr("In the %1 it is sold with").arg(decimalBytes(device->nominalBytes)), PlanWords::tr("%1 parameters").arg(shortCount(option.maxParams * device->nominalBytes / static_cast<double>(plan.advice->usable)))});
                    states.text = PlanWords::tr("The first fills the %1 that a process can have of this device; tutorials divide what it is sold with by the bytes a parameter takes.").arg(decimalBytes(static_cast<double>(plan.advice->usable)));
                }
                content.sections.push_back(states);
            }
        }
    } else if (plan.advice && plan.advice->zero3 && plan.advice->tensorZero1) {
        for (const ScoredLayout* layout : {&*plan.advice->zero3, &*plan.advice->tensorZero1}) {
            InspectorSection cost;
            // Our engine has no tensor parallelism: both are DeepSpeed's.
            const bool ours = plan.workspace && plan.workspace->framework.name == "stagecraft";
            cost.heading = ours ? QStringLiteral("DeepSpeed · ") + layoutName(*layout) : layoutName(*layout);
            cost.value = seconds(layout->stepTime).text();
            cost.pairs = {{PlanWords::tr("Process"), bytes(layout->memory).text()}, {QStringLiteral("MFU"), percent(layout->mfu)}, {PlanWords::tr("Throughput"), shortCount(layout->tokensPerSecond) + QStringLiteral(" tokens/s")}};
            content.sections.push_back(cost);
        }
        if (const auto crossovers = plan.workspace ? crossoversOf(*plan.advice, *plan.workspace) : std::vector<Crossover>(); !crossovers.empty())
            content.sections.push_back(explainCrossovers(crossovers));
    }
    return content;
}

}  // namespace stagecraft::app
