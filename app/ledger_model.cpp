// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ledger_model.h"

#include "app/core_words.h"
#include "app/model_states.h"
#include "app/phrase_words.h"
#include "app/plan_explain.h"
#include "widgets/theme.h"

#include <algorithm>
#include <utility>

namespace stagecraft::app {

namespace {

/// What the inspector would say of it, in lines.
QString overheadTip(const InspectorContent& content)
{
    QStringList lines;
    for (const InspectorSection& section : content.sections)
        lines << section.text << section.formula;
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

void LedgerModel::show(const LedgerRole* role, const std::string& phase, bool onGpus)
{
    m_onGpus = onGpus;
    // While a slider moves the same items come with other sizes: then the selection and the place stay.
    const std::vector<Row> before = std::exchange(m_rows, {});
    const auto unitBefore = m_unit;
    const std::int64_t totalBefore = m_total;
    m_role = role ? std::optional(*role) : std::nullopt;
    m_phase = phase;
    if (role) {
        LedgerPeak totals = role->peak;
        for (const LedgerPeak& other : role->phases)
            if (other.phase == phase)
                totals = other;
        std::int64_t sum = 0;
        for (const LedgerItem& item : role->items)
            if (item.where == Place::Device && aliveIn(item, phase)) {
                m_rows.push_back({item, itemName(QString::fromStdString(item.what)), item.bytes, false});
                sum += item.bytes;
            }
        const auto kindOf = [](const Row& row) { return row.item ? memoryKind(row.item->what) : memoryKind({}); };
        std::stable_sort(m_rows.begin(), m_rows.end(), [&](const Row& a, const Row& b) { return kindOf(a) < kindOf(b); });
        totals.phase = phase;
        totals.allocated = sum;
        totals.reserved = std::max(totals.reserved, sum);
        totals.process = std::max(totals.process, totals.reserved);
        m_totals = totals;
        m_total = std::max<std::int64_t>(totals.process, 1);
        m_unit = byteUnitFor(totals.process);
        const auto add = [this](const QString& id, std::int64_t size, bool isSum) { m_rows.push_back({std::nullopt, itemName(id), size, isSum, id}); };
        add(QStringLiteral("allocated"), sum, true);
        if (totals.reserved > sum)
            add(QStringLiteral("rounding"), totals.reserved - sum, false);
        if (totals.process > totals.reserved)
            add(QStringLiteral("process"), totals.process - totals.reserved, false);
        // Of model states alone nobody knows what the process comes to.
        if (totals.process > sum)
            add(QStringLiteral("total"), totals.process, true);
        for (const LedgerItem& item : role->items)
            if (item.where != Place::Device && (item.phase != "init" || phase == "init"))
                m_rows.push_back({item, tr("%1, not on the device").arg(itemName(QString::fromStdString(item.what))), item.bytes, false});
    }
    const bool same = std::equal(m_rows.begin(), m_rows.end(), before.begin(), before.end(), [](const Row& a, const Row& b) {
        return a.bold == b.bold && a.name == b.name && a.item.has_value() == b.item.has_value() && (!a.item || a.item->what == b.item->what);
    });
    if (same) {
        const bool all = m_unit != unitBefore || m_total != totalBefore;
        for (int i = 0; i < rowCount(); ++i) {
            const Row &now = m_rows[static_cast<std::size_t>(i)], &then = before[static_cast<std::size_t>(i)];
            if (all || now.bytes != then.bytes || (now.item && (now.item->formula != then.item->formula || now.item->phase != then.item->phase || now.item->where != then.item->where)))
                emit dataChanged(index(i, 0), index(i, ColumnCount - 1));
        }
        if (m_unit != unitBefore)
            emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
        return;
    }
    std::vector<Row> rows = std::exchange(m_rows, before);
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void LedgerModel::retranslate()
{
    const auto role = m_role;
    show(role ? &*role : nullptr, m_phase, m_onGpus);
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
}

const LedgerItem* LedgerModel::item(int row) const
{
    if (row < 0 || row >= static_cast<int>(m_rows.size()))
        return nullptr;
    const Row& shown = m_rows[static_cast<std::size_t>(row)];
    return shown.item ? &*shown.item : nullptr;
}

QString LedgerModel::overhead(int row) const
{
    return row < 0 || row >= static_cast<int>(m_rows.size()) ? QString() : m_rows[static_cast<std::size_t>(row)].overhead;
}

int LedgerModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LedgerModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LedgerModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Item: return row.name;
        case Formula: return row.item ? formulaText(row.item->formula) : QString();
        case Size: return fixed(inUnit(row.bytes, m_unit), 2);
        // Of what is not on the device these totals are no whole.
        case Share: return row.item && row.item->where != Place::Device ? QString() : percent(static_cast<double>(row.bytes) / static_cast<double>(m_total));
        case HeldIn: return row.item ? memoryPhaseName(QString::fromStdString(row.item->phase)) : QString();
        default: return {};
        }
    case Qt::ToolTipRole:
        if (row.item) {
            QStringList lines{whyText(row.item->why), formulaText(row.item->formula), QString::fromStdString(row.item->numbers), whyText(row.item->source)};
            lines.removeAll(QString());
            return lines.join(QLatin1Char('\n'));
        }
        return overheadTip(explainOverhead(m_role ? *m_role : LedgerRole{}, m_totals, row.overhead, {}, m_onGpus));
    case Qt::TextAlignmentRole: return index.column() == Size || index.column() == Share ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::FontRole:
        if (row.bold)
            return theme::font(theme::Role::BodyBold);
        return theme::font(index.column() == Formula ? theme::Role::FixedSmall : theme::Role::Body);
    case Qt::ForegroundRole: return theme::color(index.column() == Formula || index.column() == Share || index.column() == HeldIn ? theme::Token::Text2 : theme::Token::Text);
    case BytesRole: return static_cast<qlonglong>(row.bytes);
    case KindRole: return row.item ? static_cast<int>(memoryKind(row.item->what)) : row.bold ? -1 : row.overhead == QLatin1String("process") ? static_cast<int>(MemoryKind::Context) : static_cast<int>(MemoryKind::Rounding);
    case SumRole: return row.bold;
    default: return {};
    }
}

QVariant LedgerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Size || section == Share ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Item: return tr("Item");
    case Formula: return tr("Formula");
    case Size: return byteUnitName(m_unit);
    case Share: return tr("Share");
    case HeldIn: return tr("Held in");
    default: return {};
    }
}

}  // namespace stagecraft::app
