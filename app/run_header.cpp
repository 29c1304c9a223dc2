// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_header.h"

#include "app/failure_words.h"
#include "app/run_flow.h"
#include "app/run_model.h"
#include "record/run_folder.h"
#include "visualizers/chart_axis.h"
#include "widgets/figure_strip.h"
#include "widgets/icons.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>

#include <cmath>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

Token tokenOf(RunState state)
{
    switch (state) {
    case RunState::Running: return Token::Ok;
    case RunState::Failed: return Token::Error;
    case RunState::Lost: case RunState::Stopping: case RunState::Killing: return Token::Warn;
    default: return Token::Text2;
    }
}

QString iconOf(RunState state)
{
    switch (state) {
    case RunState::Failed: return QStringLiteral("dialog-error");
    case RunState::Lost: return QStringLiteral("dialog-warning");
    case RunState::Finished: return QStringLiteral("emblem-ok");
    case RunState::Stopped: return QStringLiteral("media-playback-stop");
    default: return QStringLiteral("run");
    }
}

}  // namespace

RunHeader::RunHeader(QAction* stop, QAction* kill, QWidget* parent)
    : QWidget(parent), m_figures(new FigureStrip(this)), m_stop(new QPushButton(this)), m_kill(new QPushButton(this)), m_report(new QPushButton(this)), m_calibrate(new QPushButton(this)),
      m_stopAction(stop), m_killAction(kill)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 10, 0);
    row->setSpacing(6);
    row->addWidget(m_figures, 1);
    row->addWidget(m_calibrate);
    row->addWidget(m_report);
    row->addWidget(m_stop);
    row->addWidget(m_kill);
    m_stop->setIcon(theme::icon(QStringLiteral("media-playback-stop")));
    m_kill->setIcon(theme::icon(QStringLiteral("process-stop"), Token::Error));
    m_calibrate->setIcon(theme::icon(QStringLiteral("plan")));
    m_report->setIcon(theme::icon(QStringLiteral("document-export")));
    m_kill->setProperty("danger", true);
    m_stop->setObjectName(QStringLiteral("runStop"));
    m_kill->setObjectName(QStringLiteral("runKill"));
    m_calibrate->setObjectName(QStringLiteral("runCalibrate"));
    m_report->setObjectName(QStringLiteral("runReport"));
    const auto follow = [this](QAction* action, QPushButton* button) {
        if (action == nullptr)
            return;
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, this, [action, button] {
            button->setEnabled(action->isEnabled());
            button->setToolTip(action->toolTip());
        });
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
    };
    follow(stop, m_stop);
    follow(kill, m_kill);
    connect(m_report, &QPushButton::clicked, this, &RunHeader::reportRequested);
    connect(m_calibrate, &QPushButton::clicked, this, &RunHeader::calibrationRequested);
    retranslate();
}

void RunHeader::retranslate()
{
    m_stop->setText(tr("Stop"));
    m_kill->setText(tr("Kill"));
    m_calibrate->setText(tr("Calibrate"));
    m_calibrate->setToolTip(tr("Let plans of this model on this machine take their step time and memory from this run"));
    m_report->setText(tr("Report"));
    m_report->setToolTip(tr("Write a self-contained HTML report of this run and open it"));
}

QString RunHeader::durationText(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return QStringLiteral("–");
    const auto whole = static_cast<qlonglong>(std::llround(seconds));
    if (whole < 60)
        return QStringLiteral("%1 s").arg(whole);
    if (whole < 3600)
        return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    if (whole < 48 * 3600)
        return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
    return QStringLiteral("%1 d %2 h").arg(whole / 86400).arg(whole % 86400 / 3600);
}

void RunHeader::refresh(const RunModel& model, RunState state, bool reportable)
{
    const bool live = isLive(state);
    m_stop->setVisible(m_stopAction != nullptr && live);
    m_kill->setVisible(m_killAction != nullptr && live);
    m_calibrate->setVisible(reportable && (state == RunState::Finished || state == RunState::Stopped));
    m_report->setVisible(reportable && !live && model.hasRun());

    const auto count = [this](std::int64_t n) { return locale().toString(static_cast<qlonglong>(n)); };
    std::vector<Figure> figures;
    const std::int64_t step = model.newest() ? model.newest()->step : model.info().doneSteps;
    const std::int64_t of = model.info().plannedSteps;
    FigurePart bar;
    bar.bar = of > 0 ? static_cast<double>(step) / static_cast<double>(of) : 0;
    bar.token = state == RunState::Failed ? Token::Error : Token::Accent;
    Figure first{RunFlow::stateText(state), {{iconOf(state), {}, Role::Figure, tokenOf(state)}}, {}, QStringLiteral("state"), false};
    if (of > 0) {
        first.parts.push_back(bar);
        first.parts.push_back({{}, tr("step %1").arg(count(step)), Role::Body, Token::Text});
        first.parts.push_back({{}, tr("of %1").arg(count(of)), Role::Small, Token::Text2});
    }
    figures.push_back(first);

    const auto& failure = model.info().failure;
    if (state == RunState::Failed && failure) {
        const bool all = failedAlike(*failure);
        Figure who{all ? tr("Failing ranks") : tr("First failing rank"), {{{}, all ? tr("all") : failure->rank >= 0 ? QString::number(failure->rank) : tr("supervisor"), Role::Figure, Token::Text}}, {}, QStringLiteral("who"), false};
        if (failure->rank >= 0 || all)
            who.parts.push_back({{}, tr("of %1").arg(model.info().world), Role::Small, Token::Text2});
        figures.push_back(who);
        figures.push_back({tr("Cause"), {{{}, failureKindText(failure->kind), Role::Figure, Token::Text}}, failureText(*failure), QStringLiteral("cause"), false});
    }
    if (model.newest()) {
        figures.push_back({tr("Loss"), {{{}, figureText(model.newest()->any.loss, locale()), Role::Figure, Token::Text}}, tr("Mean over the tokens of the newest global batch, before its update."), QStringLiteral("loss"), false});
        // While it runs as it is now, over as the run was: one choice for all of them.
        if (const auto speed = state == RunState::Failed ? std::nullopt : live ? model.recentSpeed() : model.wholeSpeed()) {
            const QString steps = live ? tr("Over the last 20 steps, slowest rank.") : tr("Median of the run's steps, as its report gives it.");
            const double factor = axisFactor(speed->tokensPerSecond);
            figures.push_back({tr("Throughput"), {{{}, figureText(speed->tokensPerSecond / factor, locale()), Role::Figure, Token::Text}, {{}, scaledUnit(tr("tokens/s"), factor, true), Role::Small, Token::Text2}}, tr("Tokens of the whole job per second.") + QLatin1Char('\n') + steps, QStringLiteral("throughput"), false});
            Figure time{tr("Step time"), {{{}, secondsText(speed->stepSeconds, locale()), Role::Figure, Token::Text}}, steps, QStringLiteral("stepTime"), false};
            if (model.plan().stepSeconds) {
                const bool slower = speed->stepSeconds > *model.plan().stepSeconds * 1.05;
                time.parts.push_back({{}, tr("planned %1").arg(secondsText(*model.plan().stepSeconds, locale())), Role::Small, slower ? Token::Warn : Token::Text2});
            }
            figures.push_back(time);
            // Above 1 it says that the peak is not this machine's, as before `doctor --measure`: then there is no share to tell.
            if (speed->mfu && *speed->mfu <= 1) {
                Figure use{tr("MFU"), {{{}, locale().toString(100 * *speed->mfu, 'f', 1), Role::Figure, Token::Text}, {{}, QStringLiteral("%"), Role::Small, Token::Text2}}, tr("Model FLOPs utilisation: FLOPs that the model needs, over what the devices' data sheets allow.") + QLatin1Char('\n') + steps, QStringLiteral("mfu"), false};
                use.parts.push_back({{}, tr("planned %1").arg(locale().toString(100 * *model.plan().mfu, 'f', 1)), Role::Small, Token::Text2});
                figures.push_back(use);
            }
            if (live && of > step)
                figures.push_back({tr("Time left"), {{{}, durationText(speed->stepSeconds * static_cast<double>(of - step)), Role::Figure, Token::Text}}, tr("Steps left times the step time of the last 20."), QStringLiteral("timeLeft"), false});
        }
    }
    if (model.hasRun() && model.info().startedNs > 0 && !live) {
        const std::int64_t end = model.info().endedNs > 0 ? model.info().endedNs : model.lastRecordNs();
        if (end > model.info().startedNs)
            figures.push_back({tr("Ran for"), {{{}, durationText(static_cast<double>(end - model.info().startedNs) * 1e-9), Role::Figure, Token::Text}}, {}, QStringLiteral("ranFor"), false});
    }
    if (model.checkpoint() && state != RunState::Running) {
        Figure checkpoint{tr("Newest checkpoint"), {{{}, tr("step %1").arg(count(model.checkpoint()->step)), Role::Figure, Token::Text}}, QString::fromStdString(model.checkpoint()->path), QStringLiteral("checkpoint"), false};
        if (step > model.checkpoint()->step)
            checkpoint.parts.push_back({{}, tr("%n steps later lost", nullptr, static_cast<int>(step - model.checkpoint()->step)), Role::Small, Token::Text2});
        figures.push_back(checkpoint);
    }
    m_figures->setFigures(std::move(figures));
}

void RunHeader::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QWidget::changeEvent(event);
}

void RunHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft::app
