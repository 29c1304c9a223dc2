// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_findings.h"

#include "widgets/config_fix.h"
#include "widgets/config_model.h"
#include "widgets/engine_row.h"
#include "widgets/finding_delegate.h"
#include "widgets/icons.h"
#include "widgets/launcher_row.h"
#include "widgets/optimizer_row.h"
#include "widgets/panel.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

/// Whether the engine is built with a config that is refused there: all that stops it comes in the first steps.
bool startsWith(const CheckAnswer& answer)
{
    return std::none_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) {
        return finding.severity == CheckSeverity::Error && finding.effect == CheckEffect::Refused && finding.level == CheckLevel::Engine && !finding.inStep;
    });
}

}  // namespace

FindingsList::FindingsList(ConfigModel& config, QWidget* parent)
    : QWidget(parent), m_config(config), m_rows(new FindingsModel(config, this)), m_header(new PanelHeader(QString(), this)), m_elsewhere(new QPushButton(this)), m_fixAll(new QPushButton(this)),
      m_launcher(new LauncherRow(config, this)), m_optimizer(new OptimizerRow(config, this)), m_engine(new EngineRow(this)),
      m_empty(new ToneLabel(Role::Body, Token::Text2, this)), m_view(new QTableView(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    m_fixAll->setProperty("compact", true);
    m_fixAll->setIcon(theme::icon(QStringLiteral("quick-fix")));
    m_fixAll->setIconSize({12, 12});
    m_elsewhere->setProperty("compact", true);
    m_header->addWidget(m_elsewhere);
    m_header->addWidget(m_fixAll);
    column->addWidget(m_launcher);
    column->addWidget(m_optimizer);
    column->addWidget(m_engine);
    m_empty->setContentsMargins(12, 10, 12, 10);
    column->addWidget(m_empty);
    column->addWidget(m_view, 1);
    column->addStretch(0);

    m_view->setModel(m_rows);
    m_view->setItemDelegate(new FindingDelegate(m_view));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setShowGrid(false);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);   // one finding may be longer than the list is high
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setTabKeyNavigation(false);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(FindingDelegate::kRowHeight);
    m_view->verticalHeader()->setMinimumSectionSize(FindingDelegate::kRowHeight);
    m_view->setMinimumHeight(FindingDelegate::kRowHeight + FindingDelegate::kLineHeight);   // one of two lines
    m_view->horizontalHeader()->hide();
    m_view->horizontalHeader()->setMinimumSectionSize(20);
    const int widths[] = {30, 52, 56, 200, 112, 184};
    for (int i = 0; i < FindingsModel::ColumnCount; ++i)
        m_view->setColumnWidth(i, widths[i]);
    m_view->horizontalHeader()->setSectionResizeMode(FindingsModel::Message, QHeaderView::Stretch);
    m_view->viewport()->installEventFilter(this);
    m_view->installEventFilter(this);

    connect(m_engine, &EngineRow::deepSpeedRequested, this, &FindingsList::deepSpeedRequested);
    connect(m_elsewhere, &QPushButton::clicked, this, &FindingsList::elsewhereRequested);
    connect(m_fixAll, &QPushButton::clicked, &config, &ConfigModel::fixAllSafe);
    connect(&config, &ConfigModel::changed, this, &FindingsList::refresh);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& at) {
        if (at.isValid() && !m_rows->isRefreshing())
            m_config.setCurrent(QString::fromStdString(m_rows->finding(at.row()).pointer));
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList selected = m_view->selectionModel()->selectedRows();
        if (selected.isEmpty() || m_rows->isRefreshing())
            return;
        m_chosen = m_rows->finding(selected.front().row());
        m_opened.insert(m_rows->finding(selected.front().row()).message);
        giveRoom();
        if (QGuiApplication::mouseButtons() == Qt::NoButton)   // a double click is to find the row where it was
            m_view->scrollTo(selected.front());
    });
    connect(m_view, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
        if (const auto& error = m_config.syntaxError(); error && error->context.count("offset")) {
            const int offset = std::stoi(error->context.at("offset"));
            emit m_config.revealRequested(offset, offset);
            return;
        }
        if (const auto pointed = m_config.pointedAt(m_rows->finding(at.row()))) {
            emit m_config.revealRequested(static_cast<int>(*pointed), static_cast<int>(*pointed) + 1);
            return;
        }
        const auto place = m_config.document().locate(m_rows->finding(at.row()).pointer);
        if (place)
            emit m_config.revealRequested(static_cast<int>(place->value.begin), static_cast<int>(place->value.end));
    });
    connect(&config, &ConfigModel::currentChanged, this, &FindingsList::selectCurrent);
    refresh();
}

void FindingsList::selectCurrent()
{
    const auto isOfCurrent = [this](int row) { return QString::fromStdString(m_rows->finding(row).pointer) == m_config.current(); };
    // Of several about one key the one that was chosen stays.
    if (const QModelIndex at = m_view->currentIndex(); at.isValid() && isOfCurrent(at.row())) {
        m_view->selectRow(at.row());
        return;
    }
    for (int row = 0; row < m_rows->rowCount(); ++row)
        if (isOfCurrent(row)) {
            m_view->selectRow(row);
            return;
        }
    m_chosen.reset();
    m_view->clearSelection();
}

void FindingsList::selectAgain()
{
    const int row = m_chosen && QString::fromStdString(m_chosen->pointer) == m_config.current() ? m_rows->rowOf(*m_chosen) : -1;
    if (row < 0) {
        m_chosen.reset();
        m_view->selectionModel()->clear();
        // What an edit has brought about the key that is at hand is told at once.
        if (!m_config.current().isEmpty())
            selectCurrent();
        return;
    }
    m_chosen = m_rows->finding(row);
    m_opened.insert(m_chosen->message);
    m_view->selectRow(row);
}

void FindingsList::fix(int row)
{
    // All views stay with the key that is mended; from there the arrow goes on.
    m_following.clear();
    for (int after = row + 1; after < m_rows->rowCount(); ++after)
        m_following.push_back(m_rows->finding(after));
    for (int before = row - 1; before >= 0; --before)
        m_following.push_back(m_rows->finding(before));
    m_config.fix(row);
}

bool FindingsList::goOn()
{
    for (const CheckFinding& next : std::exchange(m_following, {}))
        if (const int row = m_rows->rowOf(next); row >= 0 && m_view->selectionModel()->selectedRows().isEmpty()) {
            m_view->selectRow(row);
            return true;
        }
    return false;
}

bool FindingsList::focusNextPrevChild(bool next)
{
    const QWidget* focus = QApplication::focusWidget();
    if (!isVisible() || !focus || focus->isVisible() || !isAncestorOf(focus))
        return QWidget::focusNextPrevChild(next);
    // A list in which nothing was chosen would choose its first finding by it.
    const bool goesOn = m_view->isVisible() && (m_chosen || focus == m_fixAll);
    (goesOn ? static_cast<QWidget*>(m_view) : this)->setFocus();
    return true;
}

void FindingsList::showStart()
{
    m_chosen.reset();
    m_view->selectionModel()->clear();
    m_opened.clear();
    giveRoom();
    m_view->scrollToTop();
}

void FindingsList::fixCurrent()
{
    const QModelIndexList selected = m_view->selectionModel()->selectedRows();
    if (!selected.isEmpty())
        fix(selected.front().row());
}

bool FindingsList::eventFilter(QObject* object, QEvent* event)
{
    const bool pressed = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick;
    if (object == m_view->viewport() && (pressed || event->type() == QEvent::MouseButtonRelease)) {
        const QPoint at = static_cast<QMouseEvent*>(event)->pos();
        const QModelIndex index = m_view->indexAt(at);
        const bool onButton = index.isValid() && index.column() == FindingsModel::Fix && !index.data().toString().isEmpty()
            && FindingDelegate::buttonRect(m_view->visualRect(index), index.data().toString()).contains(at);
        // The row is not selected by it: it would grow, and take the button away from under the mouse.
        const int before = std::exchange(m_pressed, pressed && onButton ? index.row() : -1);
        if (onButton && !pressed && before == index.row())
            fix(index.row());
        if (onButton && (pressed || before == index.row()))
            return true;
    }
    if (object == m_view && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Down && goOn())
            return true;
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            if (key->modifiers() & Qt::AltModifier)
                fixCurrent();
            else if (m_view->currentIndex().isValid())
                emit m_view->doubleClicked(m_view->currentIndex());
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

void FindingsList::setOtherRefusal(const QString& sentence, bool byDeepSpeed)
{
    m_engine->setRefusal(sentence, byDeepSpeed);
}

const ToneLabel* FindingsList::otherRefusal() const
{
    return m_engine->words();
}

QPushButton* FindingsList::deepSpeedButton() const
{
    return m_engine->deepSpeedButton();
}

QString FindingsList::verdict() const
{
    const CheckAnswer& answer = m_config.answer();
    if (answer.release.empty())
        return {};
    const QString release = QString::fromStdString(answer.release);
    if (const auto ranks = m_config.ranksInDoubt())
        return tr("DeepSpeed %1 accepts it on %2 ranks").arg(release).arg(*ranks);
    if (answer.ok)
        return tr("DeepSpeed %1 accepts it").arg(release);
    if (const QString who = QString::fromStdString(whoRefuses(answer, m_config.context().launcher)); !who.startsWith(QLatin1String("DeepSpeed")))
        return tr("%1 refuses it before DeepSpeed sees it").arg(who);
    switch (answer.level.value_or(CheckLevel::Engine)) {
    case CheckLevel::Load: return tr("DeepSpeed %1 refuses it when it is loaded").arg(release);
    case CheckLevel::Parse: return tr("DeepSpeed %1 refuses it when it is parsed").arg(release);
    case CheckLevel::Engine: return startsWith(answer) ? tr("DeepSpeed %1 starts with it, then fails in the first steps").arg(release) : tr("DeepSpeed %1 refuses it when the engine is built").arg(release);
    case CheckLevel::Pipe: return tr("DeepSpeed %1 refuses it when the pipeline engine is built").arg(release);
    }
    return {};
}

void FindingsList::refresh()
{
    int errors = 0, warnings = 0, notes = 0;
    for (const CheckFinding& finding : m_config.answer().findings)
        ++(finding.severity == CheckSeverity::Error ? errors : finding.severity == CheckSeverity::Warning ? warnings : notes);
    QStringList parts;
    const QString verdict = this->verdict();
    if (errors)
        parts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    if (warnings)
        parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    if (notes)
        parts << (notes == 1 ? tr("1 note") : tr("%1 notes").arg(notes));
    m_header->setTitle(tr("Findings"));
    // What else is not judged yet a row of the list says.
    const QString later = m_config.syntaxError() ? tr("what it holds is judged once it can be read") : QString();
    m_header->setSubtitle(QStringList{verdict, parts.join(tr(", ")), later}.filter(QRegularExpression(QStringLiteral("."))).join(QStringLiteral(" · ")));
    const bool unread = m_config.syntaxError().has_value();
    const int fixable = m_config.safeFixCount();
    m_fixAll->setText(unread ? tr("Fix all (%1)").arg(fixable) : tr("Fix all safe (%1)").arg(fixable));
    const int open = m_config.openFixCount();
    m_fixAll->setToolTip(unread      ? tr("Applies, as one undo step, all fixes below, so that the text can be read")
                         : open == 0 ? tr("Applies, as one undo step, the fixes that cannot change what a run does")
                                     : tr("Applies, as one undo step, the fixes that cannot change what a run does. The other %1 are choices: look at each.").arg(open));
    m_fixAll->setVisible(fixable > 0);
    const int elsewhere = m_config.findingsElsewhere();
    m_elsewhere->setText(tr("%1 more about the workspace").arg(elsewhere));
    m_elsewhere->setToolTip(tr("Findings about model, hardware and layout; shows all of them below"));
    m_elsewhere->setVisible(elsewhere > 0);
    const bool none = m_config.answer().findings.empty();
    m_empty->setVisible(none);
    // What could not be read was not judged.
    m_empty->setText(m_config.syntaxError() ? m_config.syntaxMessage() : tr("No findings. DeepSpeed %1 takes this file as it is.").arg(QString::fromStdString(m_config.answer().release)));
    const bool isBack = hasFocus() && m_view->isHidden() && !none;
    m_view->setVisible(!none);
    // Without a fix to offer its column is room for the sentences.
    bool fixes = false;
    for (const CheckFinding& finding : m_config.answer().findings)
        fixes = fixes || !m_config.fixWords(finding).isEmpty();
    m_view->setColumnHidden(FindingsModel::Fix, !fixes);
    // Each column as wide as its words, so that the sentences have the rest.
    int ruleWidth = 34, effectWidth = 40, fixWidth = 60;
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const auto words = [this, row](FindingsModel::Column column) { return m_rows->index(row, column).data().toString(); };
        ruleWidth = std::max(ruleWidth, QFontMetrics(theme::font(Role::FixedSmall)).horizontalAdvance(words(FindingsModel::Rule)));
        effectWidth = std::max(effectWidth, QFontMetrics(theme::font(Role::Small)).horizontalAdvance(words(FindingsModel::Effect)));
        fixWidth = std::max(fixWidth, QFontMetrics(theme::font(Role::Small)).horizontalAdvance(words(FindingsModel::Fix)) + 42);
    }
    m_view->setColumnWidth(FindingsModel::Rule, std::min(ruleWidth + 12, 130));
    m_view->setColumnWidth(FindingsModel::Effect, std::min(effectWidth + 12, 160));
    m_fixWidth = std::min(fixWidth, 290);
    m_view->setAccessibleName(tr("Findings"));
    std::erase_if(m_opened, [this](const std::string& message) {
        const auto& now = m_config.answer().findings;
        return std::none_of(now.begin(), now.end(), [&message](const CheckFinding& finding) { return finding.message == message; });
    });
    selectAgain();
    giveRoom();
    limitHeight();
    if (isBack)
        m_view->setFocus();
}

void FindingsList::giveRoom()
{
    // Where there is little width the sentences get it: what a finding does its mark and its words say as well, and a double click
    // goes to its line.
    const bool narrow = width() < 860;
    m_view->setColumnHidden(FindingsModel::Line, narrow);
    m_view->setColumnHidden(FindingsModel::Effect, narrow);
    m_view->setColumnWidth(FindingsModel::Fix, narrow ? std::min(m_fixWidth, std::max(150, width() * 3 / 10)) : m_fixWidth);
    int others = m_view->verticalScrollBar()->sizeHint().width();
    for (int column = 0; column < FindingsModel::ColumnCount; ++column)
        if (column != FindingsModel::Message && !m_view->isColumnHidden(column))
            others += m_view->columnWidth(column);
    // A sentence without a fix has the room of the button that others have beside them.
    m_view->clearSpans();
    const int button = narrow && !m_view->isColumnHidden(FindingsModel::Fix) ? m_view->columnWidth(FindingsModel::Fix) : 0;
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const bool alone = button > 0 && m_config.fixWords(m_rows->finding(row)).isEmpty();
        if (alone)
            m_view->setSpan(row, FindingsModel::Message, 1, FindingsModel::ColumnCount - FindingsModel::Message);
        m_view->setRowHeight(row, FindingDelegate::rowHeight(m_rows->index(row, FindingsModel::Message), width() - others + (alone ? button : 0), m_opened.count(m_rows->finding(row).message) > 0));
    }
}

void FindingsList::limitHeight()
{
    const bool none = m_config.answer().findings.empty();
    // A splitter takes room beyond a limit only from what may stretch.
    QSizePolicy policy = sizePolicy();
    policy.setVerticalStretch(none ? 1 : 0);
    setSizePolicy(policy);
    setMaximumHeight(!none ? QWIDGETSIZE_MAX : layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width()) : layout()->totalSizeHint().height());
}

void FindingsList::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    giveRoom();
    limitHeight();
}

bool FindingsList::event(QEvent* event)
{
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest)
        limitHeight();
    return done;
}

void FindingsList::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        refresh();
}

}  // namespace stagecraft
