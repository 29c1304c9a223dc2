// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start_page.h"

#include "app/chart_theme.h"
#include "app/formats.h"
#include "app/model_states.h"
#include "visualizers/memory_bars_view.h"
#include "widgets/choice_row.h"
#include "widgets/icons.h"
#include "widgets/panel.h"
#include "widgets/tone_label.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

/// A frame of one line round its content, solid or dashed.
class Frame : public QWidget {
public:
    Frame(bool dashed, QWidget* parent) : QWidget(parent), m_dashed(dashed), column(new QVBoxLayout(this))
    {
        column->setContentsMargins(1, 1, 1, 1);
        column->setSpacing(0);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), theme::color(Token::Base));
        painter.setPen(QPen(theme::color(m_dashed ? Token::InputBorder : Token::Line), 1, m_dashed ? Qt::DashLine : Qt::SolidLine));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }

private:
    bool m_dashed;

public:
    QVBoxLayout* column;
};

QWidget* hairline(QWidget* parent)
{
    class Line : public QWidget {
    public:
        using QWidget::QWidget;

    protected:
        void paintEvent(QPaintEvent*) override
        {
            QPainter painter(this);
            painter.fillRect(rect(), theme::color(Token::Line));
        }
    };
    auto* line = new Line(parent);
    line->setFixedHeight(1);
    return line;
}

QLabel* iconLabel(const QString& name, Token token, int size, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setPixmap(theme::icon(name, token).pixmap(QSize(size, size), parent->devicePixelRatioF()));
    label->setFixedWidth(size);
    return label;
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    rebuild();
}

void StartPage::setRecentFiles(const QStringList& files)
{
    if (files == m_recent)
        return;
    m_recent = files;
    scheduleRebuild();
}

void StartPage::setRuns(const std::vector<RecordedRun>& runs)
{
    if (runs == m_runs)
        return;
    m_runs = runs;
    scheduleRebuild();
}

void StartPage::setMachine(const MachineReport& report)
{
    m_machine = report;
    scheduleRebuild();
}

void StartPage::setMeasured(const QDateTime& when)
{
    if (when == m_measured)
        return;
    m_measured = when;
    scheduleRebuild();
}

void StartPage::setDemoPlan(const std::shared_ptr<const PlanSet>& plan)
{
    m_demo = plan;
    scheduleRebuild();
}

void StartPage::focusDemo()
{
    if (m_demoRow)
        m_demoRow->setFocus(Qt::OtherFocusReason);
}

void StartPage::scheduleRebuild()
{
    // Facts arrive one after the other at start: they are shown in one go.
    if (std::exchange(m_pending, true))
        return;
    QTimer::singleShot(0, this, [this] {
        m_pending = false;
        rebuild();
    });
}

void StartPage::rebuild()
{
    const bool hadFocus = m_demoRow && window()->focusWidget() == m_demoRow;   // also while the window is not active yet
    auto* page = new QWidget;
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    auto* row = new QHBoxLayout(page);
    const bool narrow = width() < 1100;
    row->setContentsMargins(narrow ? 24 : 56, narrow ? 24 : 56, narrow ? 24 : 56, 24);
    row->setSpacing(narrow ? 20 : 32);

    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->addWidget(new ToneLabel(tr("Plan, run and explain sharded training"), Role::StartTitle, Token::Text, page));
    left->addSpacing(4);
    auto* subtitle = new ToneLabel(tr("Nothing is open yet. Start with the demo, or with a file you have."), Role::Body, Token::Text2, page);
    left->addWidget(subtitle);
    left->addSpacing(16);
    left->addWidget(waysIn(page));
    left->addSpacing(20);
    left->addWidget(dropBox(page));
    left->addStretch(1);
    row->addLayout(left, 58);

    auto* right = new QVBoxLayout;
    right->setSpacing(20);
    right->addWidget(demoPanel(page));
    right->addWidget(machinePanel(page));
    if (!m_runs.empty())
        right->addWidget(runsPanel(page));
    if (!m_recent.isEmpty())
        right->addWidget(recentPanel(page));
    right->addStretch(1);
    row->addLayout(right, 42);
    setWidget(page);
    if (hadFocus)
        focusDemo();
}

QWidget* StartPage::waysIn(QWidget* parent)
{
    auto* frame = new Frame(false, parent);
    QString about = tr("A small LLaMA on this machine's CPU, with every chart live");
    if (m_demo && m_demo->workspace && m_demo->plan && m_demo->plan->params) {
        const Workspace& workspace = *m_demo->workspace;
        about = tr("%1-parameter LLaMA, %2 CPU ranks, ZeRO %3, %4 steps")
                    .arg(shortCount(static_cast<double>(*m_demo->plan->params)), QString::number(workspace.layout.ranks()),
                         QString::number(m_demo->engine ? m_demo->engine->zeroStage : 0), count(workspace.training.steps));
    }
    m_demoRow = new ChoiceRow(QStringLiteral("run"), tr("Demo run"), about, QStringLiteral("F5"), frame);
    m_demoRow->setObjectName(QStringLiteral("demoRow"));
    m_demoRow->setPrimary(tr("Run"))->setObjectName(QStringLiteral("demoRunButton"));
    connect(m_demoRow, &ChoiceRow::chosen, this, &StartPage::demoRunRequested);
    frame->column->addWidget(m_demoRow);
    frame->column->addWidget(hairline(frame));
    auto* plan = new ChoiceRow(QStringLiteral("plan"), tr("Plan for your model and hardware"), tr("Choose a model and devices, also ones that are not in this machine"),
                               QStringLiteral("Ctrl+N"), frame);
    connect(plan, &ChoiceRow::chosen, this, &StartPage::newRequested);
    frame->column->addWidget(plan);
    frame->column->addWidget(hairline(frame));
    auto* open = new ChoiceRow(QStringLiteral("config"), tr("Open a ds_config or workspace"), tr("Checked as DeepSpeed would; nothing is changed until you save"),
                               QStringLiteral("Ctrl+O"), frame);
    connect(open, &ChoiceRow::chosen, this, &StartPage::openRequested);
    frame->column->addWidget(open);
    frame->column->addWidget(hairline(frame));
    auto* claims = new ChoiceRow(QStringLiteral("compare"), tr("Start from a published claim"), tr("What tutorials recommend, held against its plan"), {}, frame);
    claims->setObjectName(QStringLiteral("claimsRow"));
    connect(claims, &ChoiceRow::chosen, this, &StartPage::claimsRequested);
    frame->column->addWidget(claims);
    return frame;
}

QWidget* StartPage::dropBox(QWidget* parent)
{
    auto* frame = new Frame(true, parent);
    frame->column->setContentsMargins(16, 12, 16, 12);
    frame->column->setSpacing(10);
    auto* head = new QHBoxLayout;
    head->setSpacing(10);
    head->addWidget(iconLabel(QStringLiteral("go-bottom"), Token::Accent, 18, frame));
    head->addWidget(new ToneLabel(tr("Or drop a file anywhere on this window"), Role::Body, Token::Text, frame), 1);
    frame->column->addLayout(head);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(10);
    grid->setColumnStretch(2, 1);
    const auto add = [grid, frame](const QString& icon, const QString& what, const QString& becomes) {
        const int row = grid->rowCount();
        grid->addWidget(iconLabel(icon, Token::Text2, 14, frame), row, 0);
        grid->addWidget(new ToneLabel(what, Role::Body, Token::Text, frame), row, 1);
        auto* label = new ToneLabel(becomes, Role::Body, Token::Text2, frame);
        label->setContentsMargins(16, 0, 0, 0);
        label->setElided(true);
        grid->addWidget(label, row, 2);
    };
    add(QStringLiteral("plan"), tr("workspace"), tr("opens on Plan"));
    add(QStringLiteral("config"), QStringLiteral("ds_config.json"), tr("opens on Config, with findings"));
    add(QStringLiteral("chip"), tr("Hugging Face model folder, config.json"), tr("becomes the model of a new plan"));
    frame->column->addLayout(grid);
    return frame;
}

QWidget* StartPage::demoPanel(QWidget* parent)
{
    auto* frame = new Frame(false, parent);
    auto* header = new PanelHeader(tr("The demo, as planned"), frame);
    frame->column->addWidget(header);
    auto* bars = new MemoryBarsView(frame);
    bars->setColors(chartColors());
    bars->setFixedHeight(176);
    MemoryBarsMetrics metrics;
    metrics.barHeight = 18;
    metrics.labelWidth = 76;
    metrics.totalWidth = 60;
    bars->setMetrics(metrics);
    bars->setAccessibleName(tr("The demo, as planned"));
    if (m_demo && m_demo->plan) {
        header->setSubtitle(tr("model states per rank, %n ranks, MiB", nullptr, static_cast<int>(m_demo->workspace->layout.ranks())));
        bars->setData(modelStateBars(*m_demo));
    } else {
        bars->setState(ChartWidget::State::Loading, tr("Planning the demo"));
    }
    frame->column->addWidget(bars);
    frame->column->addWidget(new MemoryLegend({{MemoryKind::Weights, tr("weights")}, {MemoryKind::Gradients, tr("gradients")}, {MemoryKind::Optimizer, tr("optimizer states")}}, frame));
    return frame;
}

QWidget* StartPage::machinePanel(QWidget* parent)
{
    auto* frame = new Frame(false, parent);
    auto* header = new PanelHeader(tr("This machine"), frame);
    frame->column->addWidget(header);
    if (!m_machine) {
        header->setSubtitle(tr("looking"));
        return frame;
    }
    header->setSubtitle(tr("found in %1").arg(seconds(m_machine->seconds).text()));
    auto* grid = new QGridLayout;
    grid->setContentsMargins(12, 6, 12, 8);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(7);
    grid->setColumnStretch(2, 1);
    const auto add = [grid, frame](Token token, const char* icon, const QString& name, const QString& text, const QString& tip = {}) {
        const int row = grid->rowCount();
        grid->addWidget(iconLabel(QString::fromLatin1(icon), token, 14, frame), row, 0);
        auto* label = new ToneLabel(name, Role::Body, Token::Text, frame);
        label->setMinimumWidth(84);
        grid->addWidget(label, row, 1);
        auto* value = new ToneLabel(text, Role::Body, Token::Text2, frame);
        value->setElided(true);
        value->setToolTip(tip.isEmpty() ? text : tip);
        grid->addWidget(value, row, 2);
    };
    const MachineReport& m = *m_machine;
    const QString cores = m.usableCores > 0 && m.usableCores < m.logicalCores ? tr("%1 of %n cores", nullptr, m.logicalCores).arg(fixed(m.usableCores, m.usableCores < 10 ? 1 : 0))
                                                                              : tr("%n cores", nullptr, m.logicalCores);
    const QString vector = m.simd.isEmpty() ? tr("no AVX2") : m.simd;
    add(m.cpuSupported ? Token::Ok : Token::Error, m.cpuSupported ? "emblem-ok" : "dialog-error", QStringLiteral("CPU"),
        tr("%1, %2, %3 of memory").arg(cores, vector, bytes(m.memoryTotal).text()));
    add(Token::Ok, "emblem-ok", tr("Disk"), tr("%1 free, %2").arg(bytes(m.diskFree).text(), m.fileSystem));
    add(m.workerFound ? Token::Ok : Token::Warn, m.workerFound ? "emblem-ok" : "dialog-warning", tr("Engine"),
        m.workerFound ? tr("LibTorch, local CPU ranks") : tr("worker not built; plans and checks work"));
    add(m.gpus.isEmpty() ? Token::Text2 : Token::Ok, m.gpus.isEmpty() ? "dialog-information" : "emblem-ok", QStringLiteral("GPU"),
        m.gpus.isEmpty() ? tr("none found; plans for absent GPUs work") : m.gpus.join(QStringLiteral(", ")));
    const QString command = QStringLiteral("stagecraft doctor --measure");
    const bool measured = m_measured.isValid();
    add(measured ? Token::Ok : Token::Text2, measured ? "emblem-ok" : "dialog-information", tr("Rates"),
        measured ? tr("measured %1").arg(QLocale().toString(m_measured, QLocale::ShortFormat)) : tr("not measured; %1").arg(command),
        measured ? tr("Plans for \"cpu\" forecast step times from the rates that %1 took of this machine. Measure again when it has changed.").arg(command)
                 : tr("Plans for \"cpu\" forecast step times from a data sheet. Run %1 in a terminal, for about a minute and with other programs closed: plans here then use what it measured, without a restart.").arg(command));
    frame->column->addLayout(grid);
    return frame;
}

QWidget* StartPage::runsPanel(QWidget* parent)
{
    auto* frame = new Frame(false, parent);
    auto* header = new PanelHeader(tr("Recorded runs"), frame);
    header->setSubtitle(tr("newest first"));
    frame->column->addWidget(header);
    int shown = 0;
    for (const RecordedRun& run : m_runs) {
        if (++shown > 6)
            break;
        auto* row = new ChoiceRow(run.live ? QStringLiteral("run") : QStringLiteral("text-x-log"), run.name, run.text, run.live ? QStringLiteral("F6") : QString(), frame);
        row->setCompact(true);
        connect(row, &ChoiceRow::chosen, this, [this, folder = run.folder] { emit runRequested(folder); });
        frame->column->addWidget(row);
    }
    return frame;
}

QWidget* StartPage::recentPanel(QWidget* parent)
{
    auto* frame = new Frame(false, parent);
    frame->column->addWidget(new PanelHeader(tr("Recent workspaces"), frame));
    for (const QString& path : m_recent.mid(0, 5)) {
        auto* row = new ChoiceRow(QStringLiteral("document-open"), QFileInfo(path).fileName(), QDir::toNativeSeparators(QFileInfo(path).path()), {}, frame);
        row->setCompact(true);
        connect(row, &ChoiceRow::chosen, this, [this, path] { emit fileRequested(path); });
        frame->column->addWidget(row);
    }
    return frame;
}

void StartPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        scheduleRebuild();
    QScrollArea::changeEvent(event);
}

}  // namespace stagecraft::app
