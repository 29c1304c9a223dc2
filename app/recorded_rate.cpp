// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recorded_rate.h"

#include "app/config_document_page.h"
#include "app/run_flow.h"
#include "app/run_page.h"
#include "config/step_curve.h"
#include "widgets/config_help.h"
#include "widgets/config_page.h"
#include "widgets/step_curve_view.h"

#include <QEvent>

#include <cmath>
#include <utility>

namespace stagecraft::app {

namespace {

constexpr int kLookMs = 500;   // a curve of 300 pixels does not change visibly any faster

/// The record's value at a step of the schedule; nothing where the run has none, or no number.
std::optional<double> valueAt(const SeriesPyramid& series, std::int64_t scheduled)
{
    const std::int64_t recorded = recordedStepOf(scheduled);
    const std::int64_t index = series.lowerBound(recorded);
    if (index >= series.size() || series.xAt(index) != recorded)
        return std::nullopt;
    const auto value = series.valueAt(index);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

RecordedRate::RecordedRate(ConfigDocumentPage& config, const RunPage& run, const RunFlow& flow, QObject* parent)
    : QObject(parent), m_config(config), m_run(run), m_flow(flow)
{
    m_timer.setInterval(kLookMs);
    connect(&m_timer, &QTimer::timeout, this, &RecordedRate::look);
    config.installEventFilter(this);
}

void RecordedRate::look()
{
    const RunModel& model = m_run.model();
    const bool shown = model.hasRun() && !model.learningRate->empty() && m_flow.isOfThisWorkspace(m_run.folder(), model.info());
    const SeriesPyramid& series = *model.learningRate;
    const Shown now = shown ? Shown(m_run.folder(), series.firstX(), series.lastX(), series.size()) : Shown();
    if (std::exchange(m_shown, now) == now)
        return;
    RecordedCurve recorded;
    if (shown) {
        recorded.name = QString::fromStdString(m_run.folder().filename().string());
        recorded.first = scheduleStepOf(series.firstX());
        recorded.last = scheduleStepOf(series.lastX());
        recorded.valueAt = [values = model.learningRate](std::int64_t step) { return stagecraft::app::valueAt(*values, step); };
    }
    m_config.view().keyHelp()->setRecorded(recorded);
}

bool RecordedRate::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Show) {
        look();
        m_timer.start();
    } else if (event->type() == QEvent::Hide) {
        m_timer.stop();
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace stagecraft::app
