// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/log_panel.h"

#include "visualizers/log_model.h"
#include "visualizers/log_view.h"
#include "widgets/icons.h"

#include <QComboBox>
#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

namespace stagecraft::app {

LogPanel::LogPanel(LogModel* model, QWidget* parent)
    : Panel(QString(), parent), m_model(model), m_view(new LogView(model, this)), m_level(new QComboBox(this)), m_rank(new QComboBox(this)),
      m_text(new QLineEdit(this)), m_regex(new QToolButton(this)), m_firstError(new QPushButton(this)), m_follow(new QPushButton(this))
{
    setContent(m_view);
    for (QComboBox* box : {m_level, m_rank}) {
        box->setFixedHeight(22);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        box->setMinimumWidth(96);
        header()->addWidget(box);
    }
    m_text->setFixedHeight(22);
    m_text->setMinimumWidth(90);
    m_text->setMaximumWidth(200);
    m_text->setClearButtonEnabled(true);
    header()->addWidget(m_text);
    m_regex->setText(QStringLiteral(".*"));
    m_regex->setCheckable(true);
    m_regex->setAutoRaise(true);
    m_regex->setFixedSize(26, 22);
    m_regex->setFocusPolicy(Qt::TabFocus);
    header()->addWidget(m_regex);
    m_firstError->setIcon(theme::icon(QStringLiteral("dialog-error"), theme::Token::Text));
    m_follow->setIcon(theme::icon(QStringLiteral("go-bottom"), theme::Token::Text));
    m_follow->setCheckable(true);
    for (QPushButton* button : {m_firstError, m_follow}) {
        button->setProperty("compact", true);
        button->setFixedHeight(22);
        button->setIconSize({12, 12});
        header()->addWidget(button);
    }
    m_view->setObjectName(QStringLiteral("runLog"));
    m_firstError->setObjectName(QStringLiteral("firstError"));
    m_text->setObjectName(QStringLiteral("logFilter"));
    m_follow->setObjectName(QStringLiteral("logFollow"));

    connect(m_level, &QComboBox::currentIndexChanged, this, &LogPanel::applyFilter);
    connect(m_rank, &QComboBox::currentIndexChanged, this, &LogPanel::applyFilter);
    connect(m_text, &QLineEdit::textChanged, this, &LogPanel::applyFilter);
    connect(m_regex, &QToolButton::toggled, this, &LogPanel::applyFilter);
    connect(m_firstError, &QPushButton::clicked, this, &LogPanel::showFirstError);
    connect(m_follow, &QPushButton::clicked, this, [this](bool checked) { m_view->setFollowing(checked); });
    connect(m_view, &LogView::followingChanged, this, &LogPanel::updateFollowing);
    connect(m_model, &LogModel::ranksChanged, this, &LogPanel::fillRanks);
    retranslate();
}

void LogPanel::retranslate()
{
    header()->setTitle(tr("Log"));
    m_view->setAccessibleName(tr("Log of all ranks"));
    {
        const QSignalBlocker block(m_level);
        const int chosen = std::max(0, m_level->currentIndex());
        m_level->clear();
        m_level->addItem(tr("All levels"), static_cast<int>(LogLevel::Debug));
        m_level->addItem(QStringLiteral("INFO +"), static_cast<int>(LogLevel::Info));
        m_level->addItem(QStringLiteral("WARN +"), static_cast<int>(LogLevel::Warning));
        m_level->addItem(QStringLiteral("ERROR"), static_cast<int>(LogLevel::Error));
        m_level->setCurrentIndex(chosen);
    }
    m_level->setAccessibleName(tr("Least level"));
    m_level->setToolTip(tr("Show lines of this level and above"));
    m_rank->setAccessibleName(tr("Rank"));
    m_rank->setToolTip(tr("Show lines of one rank"));
    m_text->setPlaceholderText(tr("Filter"));
    m_text->setAccessibleName(tr("Text filter"));
    m_regex->setAccessibleName(tr("Regular expression"));
    m_regex->setToolTip(tr("Read the filter as a regular expression"));
    m_firstError->setText(tr("First error"));
    m_firstError->setToolTip(tr("Go to the first line of level ERROR of the newest start"));
    fillRanks();
    updateFollowing();
    updateSubtitle();
}

void LogPanel::fillRanks()
{
    const QSignalBlocker block(m_rank);
    const QVariant chosen = m_rank->currentIndex() < 0 ? QVariant(LogFilter::kAllRanks) : m_rank->currentData();
    m_rank->clear();
    m_rank->addItem(tr("All ranks"), LogFilter::kAllRanks);
    for (const int rank : m_model->ranks())
        m_rank->addItem(rank < 0 ? tr("Supervisor") : tr("Rank %1").arg(rank), rank);
    const int index = m_rank->findData(chosen);
    m_rank->setCurrentIndex(std::max(0, index));
    if (index < 0)
        applyFilter();
}

void LogPanel::filterRank(int rank)
{
    const int index = m_rank->findData(rank);
    m_rank->setCurrentIndex(std::max(0, index));
}

void LogPanel::applyFilter()
{
    LogFilter filter;
    filter.least = static_cast<LogLevel>(m_level->currentData().toInt());
    filter.rank = m_rank->currentData().toInt();
    filter.text = m_text->text();
    filter.regex = m_regex->isChecked();
    const bool valid = m_model->setFilter(filter);
    m_text->setProperty("invalid", !valid);
    m_text->setToolTip(m_model->problem());
    m_text->update();
    updateSubtitle();
}

void LogPanel::updateSubtitle()
{
    const auto count = [this](std::int64_t n) { return locale().toString(static_cast<qlonglong>(n)); };
    QString text;
    if (!m_model->problem().isEmpty())
        text = m_model->problem();
    else if (m_model->isFiltering())
        text = tr("filtering, %1 found").arg(count(m_model->rowCount()));
    else if (m_model->rowCount() < m_model->lineCount())
        text = tr("%1 of %2 lines").arg(count(m_model->rowCount()), count(m_model->lineCount()));
    else if (m_model->lineCount() >= 10'000)
        text = tr("%1 lines").arg(count(m_model->lineCount()));
    if (m_model->droppedLines() > 0)
        text += tr("; %1 older ones are in the run folder only").arg(count(m_model->droppedLines()));
    header()->setSubtitle(text);
    m_firstError->setEnabled(m_model->hasErrors());
    m_view->setEmptyText(m_model->lineCount() == 0 ? tr("No rank has written a line yet.") : m_model->isFiltering() ? QString() : tr("No line passes the filter."));
}

void LogPanel::updateFollowing()
{
    const QSignalBlocker block(m_follow);
    m_follow->setChecked(m_view->isFollowing());
    m_follow->setText(m_view->isFollowing() ? tr("Following") : m_view->newLines() > 0 ? tr("Paused, %n new", nullptr, m_view->newLines()) : tr("Paused"));
    m_follow->setToolTip(m_view->isFollowing() ? tr("New lines are shown as they come") : tr("Go to the end and follow"));
}

void LogPanel::showFirstError()
{
    const std::int64_t first = m_model->firstError(m_failedRank >= 0 ? m_failedRank : LogFilter::kAllRanks);
    if (m_model->rowOf(first) < 0) {
        m_level->setCurrentIndex(0);
        m_rank->setCurrentIndex(0);
        m_text->clear();
        while (m_model->isFiltering() && m_model->rowOf(first) < 0)
            m_model->filterSome();   // without text every line passes: no matching to do
    }
    m_view->showRow(m_model->rowOf(first));
    m_view->setFocus();
}

void LogPanel::focusFilter() { m_text->setFocus(Qt::ShortcutFocusReason); }

void LogPanel::setColors(const ChartColors& colors) { m_view->setColors(colors); }

void LogPanel::frameTick()
{
    if (m_model->isFiltering())
        m_model->filterSome();
    if (isVisible())
        updateSubtitle();
    m_view->frameTick();
}

void LogPanel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    Panel::changeEvent(event);
}

}  // namespace stagecraft::app
