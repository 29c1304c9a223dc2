// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_explain.h"

#include "app/core_errors.h"
#include "app/core_words.h"
#include "app/fit_words.h"
#include "app/formats.h"
#include "app/model_states.h"
#include "app/phrase_words.h"
#include "app/plan_strip.h"
#include "app/plan_tree.h"
#include "app/traffic_words.h"
#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/applied_layout.h"
#include "planner/crossover.h"
#include "planner/deepspeed_estimate_text.h"
#include "planner/redundancy.h"
#include "planner/step_time.h"

#include <QCoreApplication>

#include <array>
#include <cmath>
#include <map>

namespace stagecraft::app {

namespace {

using theme::Token;

/// Free functions have no tr() of their own.
struct PlanWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::PlanWords)
};

// A part of the step time for eyes, translated; an id without a word of its own is shown as it is.
QString timePartName(const std::string& id)
{
    static const std::map<std::string, const char*> kNames{
        {"compute", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Compute")},
        {"communication_exposed", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Exposed communication")},
        {"communication_exposed.tensor", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Exposed: tensor group")},
        {"communication_exposed.weights", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Exposed: weights, data group")},
        {"communication_exposed.gradients", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Exposed: gradients, data group")},
        {"communication_exposed.pipeline", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Exposed: pipeline link")},
        {"communication_exposed.context", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Exposed: context group")},
        {"communication_exposed.experts", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Exposed: expert group")},
        {"bubble", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Pipeline bubble")},
        {"waiting", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Waiting for the slowest device")},
        {"offload", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Offload transfers")},
        {"optimizer", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Optimizer")},
        {"host", QT_TRANSLATE_NOOP("stagecraft::app::PlanWords", "Host")},
    };
    const auto known = kNames.find(id);
    return known == kNames.end() ? QString::fromStdString(id) : PlanWords::tr(known->second);
}

QString interval(const QString& low, const QString& high)
{
    return QStringLiteral("%1 – %2").arg(low, high);
}

QString needSentence(const QString& name, std::int64_t peak, std::int64_t usable)
{
    if (peak > usable)
        return PlanWords::tr("%1 needs %2 of %3.").arg(name, bytes(peak).text(), bytes(usable).text());
    return PlanWords::tr("%1 needs %2 and leaves %3 free.").arg(name, bytes(peak).text(), bytes(usable - peak).text());
}

// What the process takes at most and at least, where that is known.
void addInterval(InspectorSection& section, const LedgerPeak& peak)
{
    const auto at = [&peak](double factor) { return bytes(std::llround(static_cast<double>(peak.process) * factor)).text(); };
    if (peak.relative90 > 0)
        section.pairs.push_back({PlanWords::tr("90 % interval"), interval(at(1 - peak.relative90), at(1 + peak.relative90))});
}

InspectorSection memorySection(const PlanSet& plan, const LedgerRole& role)
{
    InspectorSection peak;
    peak.heading = PlanWords::tr("At the peak");
    peak.value = bytes(role.peak.process).text();
    const LedgerItem* largest = nullptr;
    std::int64_t host = 0, pinned = 0, nvme = 0;
    for (const LedgerItem& item : role.items) {
        if (item.where == Place::Device && aliveIn(item, role.peak.phase) && (!largest || item.bytes > largest->bytes))
            largest = &item;
        host += item.where == Place::Host && item.phase != "init" ? item.bytes : 0;
        pinned += item.where == Place::Pinned ? item.bytes : 0;
        nvme += item.where == Place::Nvme ? item.bytes : 0;
    }
    peak.pairs = {{PlanWords::tr("Phase"), memoryPhaseName(QString::fromStdString(role.peak.phase))},
                  {PlanWords::tr("Allocated"), bytes(role.peak.allocated).text()}};
    // Of model states alone neither is known.
    if (role.peak.process > role.peak.allocated) {
        peak.pairs.push_back({PlanWords::tr("Reserved"), bytes(role.peak.reserved).text()});
        peak.pairs.push_back({PlanWords::tr("Process"), bytes(role.peak.process).text()});
    }
    addInterval(peak, role.peak);
    if (plan.plan->fit) {
        const Fit& fit = *plan.plan->fit;
        peak.pairs.push_back({PlanWords::tr("Stays within %1").arg(bytes(fit.usable).text()), fitOdds(fit)});
        if (fit.hostNeed > 0)
            peak.pairs.push_back({PlanWords::tr("Host memory per node"), fit.hostUsable > 0 ? PlanWords::tr("%1 of %2").arg(bytes(fit.hostNeed).text(), bytes(fit.hostUsable).text()) : bytes(fit.hostNeed).text()});
    }
    if (largest)
        peak.pairs.push_back({PlanWords::tr("Largest item"), QStringLiteral("%1, %2").arg(itemName(QString::fromStdString(largest->what)), bytes(largest->bytes).text())});
    for (const auto& [name, size] : {std::pair{PlanWords::tr("Host memory"), host}, std::pair{PlanWords::tr("Pinned host memory"), pinned}, std::pair{QStringLiteral("NVMe"), nvme}})
        if (size > 0)
            peak.pairs.push_back({name, bytes(size).text()});
    return peak;
}

/// "2.35 PFLOP", with `per` behind it: "/s" for a rate.
QString flopsText(double flops, const QString& per)
{
    const std::array units{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP"};
    std::size_t unit = 0;
    for (; flops >= 1000 && unit + 1 < units.size(); ++unit)
        flops /= 1000;
    return fixed(flops, flops < 10 ? 2 : flops < 100 ? 1 : 0) + QLatin1Char(' ') + QLatin1String(units.at(unit)) + per;
}

/// Over the whole width: a column beside its heading is too narrow for a sentence.
QString sourceLine(const QString& source)
{
    return PlanWords::tr("Source") + QStringLiteral(": ") + source;
}

/// How one part of a forecast came about: formula, the same with numbers, where rates and formula come from.
InspectorSection figureSection(const ForecastFigure& figure, const QString& heading, const QString& value)
{
    InspectorSection section;
    section.heading = heading;
    section.value = value;
    section.formula = {phraseText(figure.formulaPhrase), phraseText(figure.numbersPhrase)};
    section.formula.removeAll(QString());
    if (!figure.source.empty())
        section.text = sourceLine(phraseText(figure.sourcePhrase));
    return section;
}

InspectorSection timeSection(const StepForecast& forecast)
{
    InspectorSection section;
    section.heading = PlanWords::tr("Step time");
    section.value = seconds(forecast.stepTime).text();
    for (const auto& [name, value] : forecast.split)
        if (value > 0)
            section.pairs.push_back({timePartName(name), QStringLiteral("%1  %2").arg(seconds(value).text(), percent(value / forecast.stepTime))});
    section.pairs.push_back({PlanWords::tr("90 % interval"), interval(seconds(forecast.interval90[0]).text(), seconds(forecast.interval90[1]).text())});
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
    section.text = reasons.join(QLatin1Char(' '));
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
            sections.push_back(memorySection(plan, *role));
    if (plan.plan && plan.plan->forecast)
        sections.push_back(timeSection(*plan.plan->forecast));
    if (plan.plan && plan.plan->budget && plan.plan->budget->seconds > 0) {
        const BudgetForecast& budget = *plan.plan->budget;
        InspectorSection section;
        section.heading = PlanWords::tr("To %1 tokens").arg(shortCount(budget.tokens));
        section.value = seconds(budget.seconds).text();
        section.pairs = {{PlanWords::tr("Device hours"), fixed(budget.seconds / 3600 * static_cast<double>(budget.devices), 1)}};
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
    const int first = firstFitting(plan);
    content.title = chosen >= 0 ? PlanWords::tr("%1: why").arg(variantName(plan.variants[static_cast<std::size_t>(chosen)].id)) : PlanWords::tr("This plan");
    InspectorSection why;
    for (std::size_t i = 0; i < plan.variants.size(); ++i) {
        const PlanVariant& variant = plan.variants[i];
        if (!variant.plan || !variant.plan->fit || !variant.plan->ledger)
            continue;
        const bool isChosen = static_cast<int>(i) == chosen;
        // The branches up to the answer, the chosen one, and no others: the tree has them all.
        if (!isChosen && first >= 0 && static_cast<int>(i) > std::max(first, chosen))
            continue;
        const Fit& fit = *variant.plan->fit;
        QString sentence = needSentence(variantName(variant.id), peakBytes(*variant.plan), fit.usable);
        if (fit.verdict == Fit::Verdict::Unsure)
            sentence += QLatin1Char(' ') + (fit.statesOnly ? PlanWords::tr("What comes on top is not known.") : fit.hostNeed > 0 && fit.hostUsable == 0 ? PlanWords::tr("It takes %1 of host memory per node, of which nothing is known.").arg(bytes(fit.hostNeed).text()) : PlanWords::tr("It fits with p = %1.").arg(fixed(fit.probability, 2)));
        if (fit.verdict == Fit::Verdict::Yes)
            why.reasons.push_back({isChosen ? QStringLiteral("emblem-ok") : QStringLiteral("dialog-information"), isChosen ? Token::Ok : Token::Text2, sentence});
        else
            why.reasons.push_back({fit.verdict == Fit::Verdict::Unsure ? QStringLiteral("dialog-warning") : QStringLiteral("window-close"),
                                   fit.verdict == Fit::Verdict::Unsure ? Token::Warn : Token::Error, sentence});
    }
    if (chosen >= 0 && first >= 0 && first < chosen)
        why.reasons.push_back({QStringLiteral("help-contents"), Token::Text2,
                               PlanWords::tr("%1 is the first that fits; what comes after saves memory and adds communication.").arg(variantName(plan.variants[static_cast<std::size_t>(first)].id))});
    for (const RuleSentence& rule : rulesOfThumb(plan))
        why.reasons.push_back({QStringLiteral("help-contents"), Token::Text2, rule.rule + QLatin1Char(' ') + rule.here});
    if (!why.reasons.empty())
        content.sections.push_back(why);
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

InspectorContent explainOverhead(const LedgerRole& role, const LedgerPeak& totals, const QString& id, const QString& where, bool onGpus)
{
    InspectorContent content;
    content.title = itemName(id);
    InspectorSection section;
    section.heading = where;
    const auto say = [&](std::int64_t size, const QString& symbols, const QString& numbers, const QString& text) {
        section.value = bytes(size).text();
        section.formula = {symbols, numbers, QStringLiteral("= %1 B").arg(count(size))};
        section.formula.removeAll(QString());
        section.text = text;
    };
    const auto difference = [](std::int64_t a, std::int64_t b) { return QStringLiteral("%1 − %2").arg(count(a), count(b)); };
    if (id == QLatin1String("allocated")) {
        say(totals.allocated, PlanWords::tr("sum of the tensors held in this phase"), {}, PlanWords::tr("The rows above it; each says where its formula comes from."));
    } else if (id == QLatin1String("rounding")) {
        say(totals.reserved - totals.allocated, PlanWords::tr("reserved − allocated"), difference(totals.reserved, totals.allocated),
            PlanWords::tr("What the allocator holds beyond the tensors: rounded sizes, and gaps that nothing fits into."));
        if (totals.phase != role.peak.phase)
            section.text += QLatin1Char('\n') + PlanWords::tr("Below are its parts at the peak, in %1. In other phases the allocator holds the same blocks, and other tensors fill them.").arg(memoryPhaseName(QString::fromStdString(role.peak.phase)));
    } else if (id == QLatin1String("process")) {
        say(totals.process - totals.reserved, PlanWords::tr("process − reserved"), difference(totals.process, totals.reserved),
            onGpus ? PlanWords::tr("What the process takes outside the allocator: device context, kernels, buffers of the collective library.") : PlanWords::tr("What a worker holds beside its buffers: libraries, stacks and heaps."));
    } else {
        say(totals.process, PlanWords::tr("allocated + rounding + process"), QStringLiteral("%1 + %2 + %3").arg(count(totals.allocated), count(totals.reserved - totals.allocated), count(totals.process - totals.reserved)),
            onGpus ? PlanWords::tr("What nvidia-smi shows of the process.") : PlanWords::tr("The resident memory of the process."));
    }
    if (id == QLatin1String("total"))
        addInterval(section, totals);
    content.sections.push_back(section);
    for (const LedgerItem& item : role.items) {
        if (id != (item.phase == "reserved" ? QLatin1String("rounding") : item.phase == "process" ? QLatin1String("process") : QLatin1String()))
            continue;
        InspectorSection part = explainItem(item, itemName(QString::fromStdString(item.what))).sections.front();
        part.pairs.clear();  // it lies where the total does
        part.formula.push_back(QStringLiteral("= %1 B").arg(count(item.bytes)));
        part.text += QLatin1Char('\n') + sourceLine(QString::fromStdString(item.source));
        content.sections.push_back(part);
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
    answer.text = shown.answer.isEmpty() ? shown.detail : shown.detail.isEmpty() ? shown.answer : shown.answer + QStringLiteral(". ") + shown.detail;
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

InspectorContent explainItem(const LedgerItem& item, const QString& where)
{
    InspectorContent content;
    content.title = itemName(QString::fromStdString(item.what));
    InspectorSection formula;
    formula.heading = where;
    formula.value = bytes(item.bytes).text();
    formula.formula = {formulaText(item.formula), QString::fromStdString(item.numbers)};
    formula.formula.removeAll(QString());
    formula.text = whyText(item.why);
    const QString place = item.where == Place::Device  ? PlanWords::tr("memory of the rank's device")
                          : item.where == Place::Host   ? PlanWords::tr("host memory")
                          : item.where == Place::Pinned ? PlanWords::tr("pinned host memory")
                                                        : PlanWords::tr("NVMe");
    formula.pairs = {{PlanWords::tr("Held in"), memoryPhaseName(QString::fromStdString(item.phase))},
                     {PlanWords::tr("Lies in"), place},
                     {PlanWords::tr("Exactly"), PlanWords::tr("%1 B").arg(count(item.bytes))},
                     {PlanWords::tr("In GB = 10⁹ B"), fixed(static_cast<double>(item.bytes) / 1e9, 3)}};
    content.sections.push_back(formula);
    if (!item.source.empty()) {
        InspectorSection source;
        source.heading = PlanWords::tr("Source");
        source.text = QString::fromStdString(item.source);
        content.sections.push_back(source);
    }
    return content;
}

QString figureFormula(const Plan& plan, const QString& figure)
{
    if (figure == QLatin1String("memory")) {
        const LedgerRole* role = fullestRole(plan);
        if (!role)
            return {};
        const LedgerPeak& peak = role->peak;
        return PlanWords::tr("allocated %1 + rounding %2 + process and libraries %3")
            .arg(bytes(peak.allocated).text(), bytes(peak.reserved - peak.allocated).text(), bytes(peak.process - peak.reserved).text());
    }
    if (!plan.forecast)
        return {};
    const StepForecast& forecast = *plan.forecast;
    if (figure == QLatin1String("time")) {
        QStringList parts;
        for (const auto& [name, value] : forecast.split)
            if (value > 0)
                parts << QStringLiteral("%1 %2").arg(timePartName(name), seconds(value).text());
        return parts.join(QStringLiteral(" + "));
    }
    if (figure == QLatin1String("throughput"))
        return PlanWords::tr("tokens of a step / step time") + QStringLiteral(": %1 / %2").arg(count(std::llround(forecast.tokensPerSecond * forecast.stepTime)), seconds(forecast.stepTime).text());
    if (figure == QLatin1String("mfu"))
        return PlanWords::tr("model FLOPs / (step time · peak · devices)");
    return {};
}

InspectorContent explainFigure(const PlanSet& plan, const QString& figure, const ForgetCalibration& forget)
{
    if (!plan.plan || !plan.plan->forecast || figure == QLatin1String("verdict") || figure == QLatin1String("since"))
        return explainStage(plan);
    const StepForecast& forecast = *plan.plan->forecast;
    InspectorContent content;
    if (figure == QLatin1String("memory")) {
        content.title = PlanWords::tr("Peak memory");
        if (const LedgerRole* role = fullestRole(*plan.plan))
            content.sections.push_back(memorySection(plan, *role));
        if (auto estimator = explainEstimator(plan))
            content.sections.push_back(std::move(*estimator));
        return content;
    }
    InspectorSection section;
    if (figure == QLatin1String("throughput")) {
        content.title = PlanWords::tr("Throughput");
        section.value = shortCount(forecast.tokensPerSecond) + QStringLiteral(" tokens/s");
        section.heading = PlanWords::tr("Forecast");
        section.formula = {PlanWords::tr("tokens of a step / step time"), QStringLiteral("%1 / %2").arg(count(std::llround(forecast.tokensPerSecond * forecast.stepTime)), seconds(forecast.stepTime).text()),
                           QStringLiteral("= %1 tokens/s").arg(fixed(forecast.tokensPerSecond, 0))};
    } else if (figure == QLatin1String("mfu")) {
        content.title = PlanWords::tr("Model FLOPs utilisation");
        section.heading = QStringLiteral("MFU");
        section.value = percent(forecast.mfu);
        section.formula = {PlanWords::tr("model FLOPs / (step time · peak · devices)")};
        const auto told = std::find_if(forecast.figures.begin(), forecast.figures.end(), [](const ForecastFigure& part) { return part.what == "mfu"; });
        if (told != forecast.figures.end()) {
            section = figureSection(*told, section.heading, section.value);
        } else if (plan.job && forecast.mfu > 0 && forecast.stepTime > 0) {
            const double flops = modelFlopsPerStep(*plan.job);
            const auto devices = plan.job->ranks();
            const double peak = flops / (forecast.mfu * forecast.stepTime * static_cast<double>(devices));   // as the forecast took it
            section.formula << QStringLiteral("%1 / (%2 · %3 · %4)").arg(flopsText(flops, QString()), seconds(forecast.stepTime).text(), flopsText(peak, QStringLiteral("/s")), count(devices))
                            << QStringLiteral("= %1").arg(percent(forecast.mfu));
            section.pairs = {{PlanWords::tr("Model FLOPs of a step"), flopsText(flops, QString())}, {PlanWords::tr("Peak of one device"), flopsText(peak, QStringLiteral("/s"))}};
            if (plan.job->sheet && !plan.job->sheet->source.empty())
                section.pairs.push_back({PlanWords::tr("Peak from"), QString::fromStdString(plan.job->sheet->source)});
        }
        if (!section.text.isEmpty())
            section.text.prepend(QLatin1Char('\n'));
        section.text.prepend(PlanWords::tr("Model FLOPs: 6 for each parameter a token meets, and 12 · layers · width · sequence for attention. Recomputed work does not count."));
    } else {
        content.title = PlanWords::tr("Step time");
        section = timeSection(forecast);
        section.formula = {figureFormula(*plan.plan, QStringLiteral("time")), QStringLiteral("= %1").arg(seconds(forecast.stepTime).text())};
        section.text = basisText(forecast);
    }
    if (figure == QLatin1String("throughput") && forecast.interval90[0] > 0)
        section.pairs.push_back({PlanWords::tr("90 % interval"), interval(shortCount(forecast.tokensPerSecond * forecast.stepTime / forecast.interval90[1]), shortCount(forecast.tokensPerSecond * forecast.stepTime / forecast.interval90[0]))});
    if (figure == QLatin1String("mfu") && forecast.interval90[0] > 0)
        section.pairs.push_back({PlanWords::tr("90 % interval"), interval(percent(forecast.mfu * forecast.stepTime / forecast.interval90[1]), percent(forecast.mfu * forecast.stepTime / forecast.interval90[0]))});
    content.sections.push_back(section);
    if (figure != QLatin1String("time"))
        content.sections.push_back(timeSection(forecast));
    if (figure == QLatin1String("time"))
        for (const ForecastFigure& part : forecast.figures)
            if (part.what != "mfu" && part.value > 0)
                content.sections.push_back(figureSection(part, timePartName(part.what), seconds(part.value).text()));
    if (auto evidence = evidenceOf(forecast, machineContext().calibrations, forget))
        content.sections.push_back(std::move(*evidence));
    return content;
}

}  // namespace stagecraft::app
