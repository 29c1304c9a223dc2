// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ledger_panel.h"

#include "app/chart_theme.h"
#include "app/formats.h"
#include "app/ledger_model.h"
#include "app/model_states.h"
#include "visualizers/line_text.h"
#include "widgets/plain_table.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr double kLeft = 10, kRight = 8, kGap = 6;   ///< px, in the cell of a phase

QString nameOf(const LedgerPeak& phase)
{
    return memoryPhaseName(QString::fromStdString(phase.phase));
}

constexpr int kSwatch = 18;   ///< px, of a swatch and the gap behind it

/// Swatch before the item's name, a line above sums.
class LedgerDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const int kind = index.data(LedgerModel::KindRole).toInt();
        const bool sum = index.data(LedgerModel::SumRole).toBool();
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        painter->fillRect(option.rect, theme::color(selected ? Token::Selection : !sum && index.row() % 2 ? Token::Alternate : Token::Base));
        if (sum)
            painter->fillRect(QRect(option.rect.left(), option.rect.top(), option.rect.width(), 1), theme::color(Token::Line));
        QRect text = option.rect.adjusted(8, 0, -8, 0);
        if (index.column() == LedgerModel::Item && kind >= 0) {
            painter->fillRect(QRect(text.left(), text.center().y() - 4, 10, 10), chartColors().memoryOf(static_cast<MemoryKind>(kind)));
            text.setLeft(text.left() + kSwatch);
        }
        painter->setFont(index.data(Qt::FontRole).value<QFont>());
        painter->setPen(index.data(Qt::ForegroundRole).value<QColor>());
        drawLineOfText(*painter, text, Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt()), index.data().toString());
    }
};

/// Ctrl+C copies the table's selection, or all of it, as tab-separated text.
class LedgerTable : public QTableView {
public:
    using QTableView::QTableView;

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->matches(QKeySequence::Copy))
            static_cast<LedgerPanel*>(parentWidget())->copyAsTable();
        else
            QTableView::keyPressEvent(event);
    }
};

}  // namespace

PhaseSelector::PhaseSelector(QWidget* parent) : QWidget(parent)
{
    setFixedHeight(34);
    setFocusPolicy(Qt::StrongFocus);
}

void PhaseSelector::show(const std::vector<LedgerPeak>& phases, const std::string& current)
{
    const auto isSame = [](const LedgerPeak& a, const LedgerPeak& b) { return a.process == b.process && a.phase == b.phase; };
    const bool changed = !std::equal(phases.begin(), phases.end(), m_phases.begin(), m_phases.end(), isSame);
    m_phases = phases;
    const int before = m_current;
    const auto at = std::find_if(phases.begin(), phases.end(), [&current](const LedgerPeak& phase) { return phase.phase == current; });
    m_current = at == phases.end() ? 0 : static_cast<int>(at - phases.begin());
    if (changed || m_current != before)
        update();
}

std::vector<double> PhaseSelector::cellEdges() const
{
    std::int64_t largest = 1;
    for (const LedgerPeak& phase : m_phases)
        largest = std::max(largest, phase.process);
    const ByteUnit unit = byteUnitFor(largest);
    const QFontMetricsF metrics(theme::font(Role::Small));
    std::vector<double> needed;
    double sum = 0;
    for (const LedgerPeak& phase : m_phases) {
        needed.push_back(kLeft + metrics.horizontalAdvance(nameOf(phase)) + kGap + metrics.horizontalAdvance(bytesValue(phase.process, unit, 0)) + kRight);
        sum += needed.back();
    }
    // Alike where they can be, and no name is cut for the sake of that.
    const double count = static_cast<double>(m_phases.size());
    const double widest = needed.empty() ? 0 : *std::max_element(needed.begin(), needed.end());
    const bool alike = widest * count <= width() || sum > width();
    std::vector<double> edges{0};
    for (const double need : needed)
        edges.push_back(edges.back() + (alike ? width() / count : need + (width() - sum) / count));
    return edges;
}

void PhaseSelector::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(Token::Base));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
    if (m_phases.empty())
        return;
    std::int64_t largest = 1;
    for (const LedgerPeak& phase : m_phases)
        largest = std::max(largest, phase.process);
    const ByteUnit unit = byteUnitFor(largest);
    const std::vector<double> edges = cellEdges();
    // One font for all, so that what is chosen is no wider. Where the phases leave little room all numbers go without their tenths, then
    // names are cut.
    painter.setFont(theme::font(Role::Small));
    const QFontMetricsF metrics(painter.font());
    bool roomy = true;
    for (std::size_t i = 0; i < m_phases.size(); ++i)
        roomy = roomy && metrics.horizontalAdvance(nameOf(m_phases[i])) + kGap + metrics.horizontalAdvance(bytesValue(m_phases[i].process, unit, 1)) <= edges[i + 1] - edges[i] - kLeft - kRight;
    for (std::size_t i = 0; i < m_phases.size(); ++i) {
        const QRectF box(edges[i], 0, edges[i + 1] - edges[i], height() - 1);
        const bool on = static_cast<int>(i) == m_current;
        if (on)
            painter.fillRect(box, theme::color(Token::Selection));
        if (i > 0)
            painter.fillRect(QRectF(box.left(), 0, 1, box.height()), theme::color(Token::Line));
        painter.setPen(theme::color(on ? Token::Text : Token::Text2));
        const QRectF line = box.adjusted(kLeft, 4, -kRight, -14);
        const QString value = bytesValue(m_phases[i].process, unit, roomy ? 1 : 0);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(nameOf(m_phases[i]), Qt::ElideRight, line.width() - metrics.horizontalAdvance(value) - kGap));
        painter.setPen(theme::color(Token::Text));
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, value);
        const QRectF track(box.left() + kLeft, box.bottom() - 10, box.width() - kLeft - kRight, 5);
        painter.fillRect(track, theme::color(Token::Grid));
        painter.fillRect(QRectF(track.left(), track.top(), track.width() * static_cast<double>(m_phases[i].process) / static_cast<double>(largest), track.height()),
                         theme::color(on ? Token::Accent : Token::InputBorder));
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme::color(Token::Accent), 2));
        const auto at = static_cast<std::size_t>(m_current);
        painter.drawRect(QRectF(edges[at], 0, edges[at + 1] - edges[at], height() - 1).adjusted(1, 1, -1, -1));
    }
}

void PhaseSelector::choose(int index)
{
    if (index < 0 || index >= static_cast<int>(m_phases.size()))
        return;
    m_current = index;
    setAccessibleDescription(memoryPhaseName(QString::fromStdString(m_phases[static_cast<std::size_t>(index)].phase)));
    update();
    emit chosen(m_phases[static_cast<std::size_t>(index)].phase);
}

void PhaseSelector::mousePressEvent(QMouseEvent* event)
{
    const std::vector<double> edges = cellEdges();
    choose(static_cast<int>(std::upper_bound(edges.begin(), edges.end(), event->position().x()) - edges.begin()) - 1);
}

void PhaseSelector::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Right)
        choose(m_current + 1);
    else if (event->key() == Qt::Key_Left)
        choose(m_current - 1);
    else
        QWidget::keyPressEvent(event);
}

LedgerPanel::LedgerPanel(QWidget* parent) : QWidget(parent), m_phases(new PhaseSelector(this)), m_model(new LedgerModel(this)), m_table(new LedgerTable(this)), m_why(new ToneLabel(Role::Body, Token::Text2, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_phases);
    column->addWidget(m_table, 1);
    column->addWidget(m_why, 1);
    m_why->setWordWrap(true);
    m_why->setAlignment(Qt::AlignCenter);
    m_why->setMargin(16);
    m_why->hide();
    m_table->setModel(m_model);
    m_table->setItemDelegate(new LedgerDelegate(m_table));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(22);
    m_table->verticalHeader()->setMinimumSectionSize(22);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionsMovable(true);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->horizontalHeader()->setSectionResizeMode(LedgerModel::Formula, QHeaderView::Stretch);
    m_table->horizontalHeader()->setMinimumSectionSize(48);
    m_table->setColumnWidth(LedgerModel::Size, 72);
    m_table->setColumnWidth(LedgerModel::Share, std::max(66, QFontMetrics(theme::font(Role::BodyBold)).horizontalAdvance(percent(1)) + 18));
    connect(m_table->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int resized) { m_pulled = m_pulled || (!m_fitting && resized != LedgerModel::Formula); });
    connect(m_model, &QAbstractItemModel::modelReset, this, &LedgerPanel::fitColumns);
    connect(m_phases, &PhaseSelector::chosen, this, [this](const std::string& phase) {
        m_phase = phase;
        m_model->show(m_role ? &*m_role : nullptr, phase, m_onGpus);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (const LedgerItem* item = m_model->item(current.row()); item && m_model->shownRole())
            emit itemChosen(*m_model->shownRole(), *item);
        else if (const QString id = m_model->overhead(current.row()); !id.isEmpty() && m_model->shownRole())
            emit overheadChosen(*m_model->shownRole(), m_model->totals(), id);
    });
    retranslate();
}

void LedgerPanel::show(const LedgerRole* role, bool onGpus, const QString& why)
{
    m_why->setText(role ? QString() : why);
    m_why->setVisible(!m_why->text().isEmpty());
    m_table->setVisible(m_why->text().isEmpty());
    m_onGpus = onGpus;
    const bool keep = m_role && role && std::any_of(role->phases.begin(), role->phases.end(), [this](const LedgerPeak& p) { return p.phase == m_phase; });
    const bool wasPeak = m_role && m_role->peak.phase == m_phase;
    m_role = role ? std::optional(*role) : std::nullopt;
    if (!role)
        m_phase.clear();
    else if (!keep || wasPeak)
        m_phase = role->peak.phase;
    m_phases->show(role ? role->phases : std::vector<LedgerPeak>(), m_phase);
    m_phases->setVisible(role && !role->phases.empty());
    m_model->show(m_role ? &*m_role : nullptr, m_phase, m_onGpus);
}

// Names are read first; formulas take what is left, and the inspector has them whole.
void LedgerPanel::fitColumns()
{
    if (m_pulled)
        return;
    const auto needed = [this](int column) {
        int most = QFontMetrics(theme::font(Role::Small)).horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        for (int row = 0; row < m_model->rowCount(); ++row) {
            const QModelIndex at = m_model->index(row, column);
            most = std::max(most, QFontMetrics(at.data(Qt::FontRole).value<QFont>()).horizontalAdvance(at.data().toString()) + (column == LedgerModel::Item ? kSwatch : 0));
        }
        return most + 22;
    };
    const QScopedValueRollback<bool> own(m_fitting, true);
    constexpr int kLeastFormula = 80, kLeastItem = 110, kLeastHeldIn = 60;   // px
    m_table->setColumnWidth(LedgerModel::HeldIn, std::min(needed(LedgerModel::HeldIn), std::max(kLeastHeldIn, width() * 28 / 100)));
    const int others = m_table->columnWidth(LedgerModel::Size) + m_table->columnWidth(LedgerModel::Share) + m_table->columnWidth(LedgerModel::HeldIn) + m_table->verticalScrollBar()->sizeHint().width();
    m_table->setColumnWidth(LedgerModel::Item, std::min(needed(LedgerModel::Item), std::max(kLeastItem, width() - others - kLeastFormula)));
}

void LedgerPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitColumns();
}

void LedgerPanel::selectItem(const QString& id)
{
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (const LedgerItem* item = m_model->item(row); item && QString::fromStdString(item->what) == id)
            m_table->selectRow(row);
}

void LedgerPanel::retranslate()
{
    m_phases->setAccessibleName(tr("Phase of the ledger"));
    m_table->setAccessibleName(tr("Ledger"));
    m_model->retranslate();
    fitColumns();
}

void LedgerPanel::copyAsTable() const
{
    QGuiApplication::clipboard()->setText(tableAsText(*m_model));
}

}  // namespace stagecraft::app
