// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_evidence.h"

#include "app/formats.h"
#include "visualizers/list_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace stagecraft::app {

namespace {

struct EvidenceWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::EvidenceWords)
};

QString partName(const std::string& part)
{
    if (part == "compute")
        return EvidenceWords::tr("Compute");
    if (part == "communication")
        return EvidenceWords::tr("Communication that shows");
    return part == "optimizer" ? EvidenceWords::tr("Optimizer") : EvidenceWords::tr("Everything else");
}

}  // namespace

QString basisText(const StepForecast& forecast)
{
    switch (forecast.basis) {
    case ForecastBasis::DataSheet: break;
    case ForecastBasis::Measured: return EvidenceWords::tr("From the rates measured on this machine.");
    case ForecastBasis::Calibrated: return EvidenceWords::tr("From a run of the same model on this machine: its times, counted anew for this layout.");
    }
    return EvidenceWords::tr("From the data sheets of device and links alone.");
}

QString basisWord(const StepForecast& forecast)
{
    switch (forecast.basis) {
    case ForecastBasis::DataSheet: break;
    case ForecastBasis::Measured: return EvidenceWords::tr("measured");
    case ForecastBasis::Calibrated: return EvidenceWords::tr("calibrated");
    }
    return {};
}

std::optional<InspectorSection> evidenceOf(const StepForecast& forecast, const std::vector<Calibration>& calibrations, const ForgetCalibration& forget)
{
    const auto found = std::find_if(calibrations.begin(), calibrations.end(), [&](const Calibration& c) { return c.id == forecast.calibration; });
    if (forecast.calibration.empty() || found == calibrations.end())
        return std::nullopt;
    const Calibration& c = *found;
    InspectorSection section;
    section.heading = EvidenceWords::tr("Calibrated from run %1").arg(QString::fromStdString(c.name));
    const QString recomputes = c.layout.recompute == "full" ? EvidenceWords::tr("recompute") : QString();
    QStringList layout{EvidenceWords::tr("%n ranks", nullptr, c.layout.world), EvidenceWords::tr("stage %1").arg(c.layout.stage), EvidenceWords::tr("batch %1 × %2").arg(c.layout.microBatch).arg(c.layout.accumulation), QString::fromStdString(c.layout.precision)};
    if (!recomputes.isEmpty())
        layout << recomputes;
    section.pairs = {{EvidenceWords::tr("Made on"), QLocale().toString(QDateTime::fromMSecsSinceEpoch(c.startedNs / 1'000'000), QLocale::ShortFormat)},
                     {EvidenceWords::tr("Its layout"), clauseText(layout)},
                     {EvidenceWords::tr("Its step time"), seconds(c.step.median).text()},
                     {EvidenceWords::tr("Middle 80 % of %n steps", nullptr, static_cast<int>(std::min<std::int64_t>(c.steps, 1'000'000'000))), QStringLiteral("%1 – %2").arg(seconds(c.step.low).text(), seconds(c.step.high).text())}};
    for (const CalibratedPart& part : c.parts)
        section.pairs.push_back({partName(part.name), part.forecast > 0 ? QStringLiteral("%1  ×%2").arg(seconds(part.measured).text(), fixed(part.factor(), 2)) : seconds(part.measured).text()});
    section.pairs.push_back({EvidenceWords::tr("Process beside its buffers"), bytes(calibratedProcessBase(c)).text()});
    section.text = EvidenceWords::tr("Factors: measured over what was forecast for that layout without this run.");
    if (forget)
        section.buttons.push_back({EvidenceWords::tr("Forget this run"), [forget, id = QString::fromStdString(c.id)] { forget(id); }});
    return section;
}

}  // namespace stagecraft::app
