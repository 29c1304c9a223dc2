// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the strip: time, throughput, MFU.
#include "app/formats.h"
#include "app/model_states.h"
#include "app/phrase_words.h"
#include "app/plan_evidence.h"
#include "app/plan_explain.h"
#include "app/plan_sections.h"
#include "hardware/device_sheet.h"
#include "planner/fit.h"
#include "planner/forecast_figures.h"
#include "planner/step_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stagecraft::app {

namespace {

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

/// "2.35 PFLOP", with `per` behind it: "/s" for a rate.
QString flopsText(double flops, const QString& per)
{
    const std::array units{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP"};
    std::size_t unit = 0;
    for (; flops >= 1000 && unit + 1 < units.size(); ++unit)
        flops /= 1000;
    return fixed(flops, flops < 10 ? 2 : flops < 100 ? 1 : 0) + QLatin1Char(' ') + QLatin1String(units.at(unit)) + per;
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

}  // namespace

InspectorSection timeSection(const StepForecast& forecast)
{
    InspectorSection section;
    section.heading = PlanWords::tr("Step time");
    section.value = seconds(forecast.stepTime).text();
    for (const auto& [name, value] : forecast.split)
        if (value > 0)
            section.pairs.push_back({timePartName(name), QStringLiteral("%1  %2").arg(seconds(value).text(), percent(value / forecast.stepTime))});
    section.pairs.push_back({PlanWords::tr("90 % interval"), intervalText(seconds(forecast.interval90[0]).text(), seconds(forecast.interval90[1]).text())});
    return section;
}

QString figureFormula(const Plan& plan, const QString& figure)
{
    if (figure == QLatin1String("memory")) {
        const LedgerRole* role = fullestRole(plan);
        if (!role || statesAlone(plan))
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
            content.sections.push_back(memorySection(*plan.plan, *role));
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
        section.pairs.push_back({PlanWords::tr("90 % interval"), intervalText(shortCount(intervalOfRate(forecast, forecast.tokensPerSecond)[0]), shortCount(intervalOfRate(forecast, forecast.tokensPerSecond)[1]))});
    if (figure == QLatin1String("mfu") && forecast.interval90[0] > 0)
        section.pairs.push_back({PlanWords::tr("90 % interval"), intervalText(percent(intervalOfRate(forecast, forecast.mfu)[0]), percent(intervalOfRate(forecast, forecast.mfu)[1]))});
    content.sections.push_back(section);
    if (figure != QLatin1String("time"))
        content.sections.push_back(timeSection(forecast));
    if (figure == QLatin1String("time"))
        for (const ForecastFigure& part : forecast.figures)
            if (part.what != "mfu" && part.value > 0) {
                content.sections.push_back(figureSection(part, timePartName(part.what), seconds(part.value).text()));
                const auto [least, most] = figureInterval90(forecast, part);
                content.sections.back().pairs.push_back({PlanWords::tr("90 % interval"), intervalText(seconds(least).text(), seconds(most).text())});
            }
    if (auto evidence = evidenceOf(forecast, machineContext().calibrations, forget))
        content.sections.push_back(std::move(*evidence));
    return content;
}

}  // namespace stagecraft::app
