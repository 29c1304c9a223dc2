// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/search_model.h"

#include "app/fit_words.h"
#include "app/formats.h"
#include "app/layout_edits.h"
#include "planner/fit.h"
#include "widgets/theme.h"

#include <algorithm>

namespace stagecraft::app {

namespace {

/// Where to comes first: a narrow window cuts the end.
QString offloadCell(const ScoredLayout& l)
{
    if (l.offloadOptimizer == OffloadDevice::None)
        return QStringLiteral("–");
    const QString place = l.offloadOptimizer == OffloadDevice::Nvme ? QStringLiteral("NVMe") : QStringLiteral("CPU");
    return l.offloadParam == OffloadDevice::None ? SearchModel::tr("%1: optimizer").arg(place) : SearchModel::tr("%1: all").arg(place);
}

// The size of a layout in a column, as a number to sort by.
double valueOf(const ScoredLayout& l, int column)
{
    switch (column) {
    case SearchModel::Dp: return static_cast<double>(l.dp);
    case SearchModel::Tp: return static_cast<double>(l.tp);
    case SearchModel::Pp: return static_cast<double>(l.pp);
    case SearchModel::Cp: return static_cast<double>(l.cp);
    case SearchModel::Ep: return static_cast<double>(l.ep);
    case SearchModel::Stage: return l.stage;
    case SearchModel::Offload: return 10.0 * static_cast<int>(l.offloadOptimizer) + static_cast<int>(l.offloadParam);
    case SearchModel::Recompute: return static_cast<int>(l.policy);
    case SearchModel::Micro: return static_cast<double>(l.microBatch);
    case SearchModel::Accumulation: return static_cast<double>(l.accumulation);
    case SearchModel::Memory: return static_cast<double>(l.memory);
    case SearchModel::StepTime: return l.stepTime;
    case SearchModel::Throughput: return l.tokensPerSecond;
    case SearchModel::Mfu: return l.mfu;
    default: return 0;
    }
}

bool sameChoice(const ScoredLayout& a, const ScoredLayout& b)
{
    for (int column = SearchModel::Dp; column <= SearchModel::Accumulation; ++column)
        if (valueOf(a, column) != valueOf(b, column))
            return false;
    return true;
}

}  // namespace

void SearchModel::setRows(std::vector<ScoredLayout> rows, const std::vector<std::size_t>& front, std::int64_t usable)
{
    const auto before = static_cast<int>(m_rows.size());
    const auto after = static_cast<int>(rows.size());
    m_usable = usable;
    std::int64_t largest = 0;
    for (const ScoredLayout& row : rows)
        largest = std::max(largest, row.memory);
    if (const ByteUnit unit = largest > 0 ? std::min(byteUnitFor(largest), ByteUnit::GiB) : m_unit; unit != m_unit) {
        m_unit = unit;
        emit headerDataChanged(Qt::Horizontal, Memory, Memory);
    }
    // First the number of rows, then which layout stands where: views keep what the user chose.
    if (after < before) {
        beginRemoveRows({}, after, before - 1);
        m_rows.resize(rows.size());
        m_front.resize(rows.size());
        endRemoveRows();
    } else if (after > before) {
        beginInsertRows({}, before, after - 1);
        m_rows.insert(m_rows.end(), rows.begin() + before, rows.end());
        m_front.resize(rows.size());
        endInsertRows();
    }
    emit layoutAboutToBeChanged();
    const std::vector<ScoredLayout> old = std::exchange(m_rows, std::move(rows));
    m_front.assign(m_rows.size(), false);
    for (const std::size_t i : front)
        m_front.at(i) = true;
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex& index : from) {
        const int row = rowOf(old[static_cast<std::size_t>(index.row())]);
        to << (row < 0 ? QModelIndex() : createIndex(row, index.column()));
    }
    changePersistentIndexList(from, to);
    emit layoutChanged();
}

const ScoredLayout* SearchModel::layout(int row) const
{
    return row < 0 || row >= static_cast<int>(m_rows.size()) ? nullptr : &m_rows[static_cast<std::size_t>(row)];
}

int SearchModel::rowOf(const ScoredLayout& layout) const
{
    const auto at = std::find_if(m_rows.begin(), m_rows.end(), [&layout](const ScoredLayout& row) { return sameChoice(row, layout); });
    return at == m_rows.end() ? -1 : static_cast<int>(at - m_rows.begin());
}

void SearchModel::retranslate()
{
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
}

int SearchModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SearchModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SearchModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const ScoredLayout& l = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Offload: return offloadCell(l);
        case Recompute:
            return l.policy == ActivationPolicy::None ? QStringLiteral("–") : l.policy == ActivationPolicy::Full ? tr("full") : tr("selective");
        case Memory: return fixed(inUnit(l.memory, m_unit), m_unit >= ByteUnit::GiB ? 2 : 1);
        case StepTime: return seconds(l.stepTime).text();
        case Throughput: return shortCount(l.tokensPerSecond);
        case Mfu: return fixed(l.mfu * 100, 1);
        default: return count(static_cast<std::int64_t>(valueOf(l, index.column())));
        }
    case Qt::ToolTipRole:
        if (!l.fits && l.mayFit)
            return layoutName(l) + QLatin1Char('\n') + (l.probability < kEvenOdds ? tr("probably does not fit, p = %1: takes %2 of %3") : tr("may fit, p = %1: takes %2 of %3")).arg(fixed(shownProbability(l.probability), 2), bytes(l.memory).text(), bytes(m_usable).text());
        if (!l.fits)
            return layoutName(l) + QLatin1Char('\n') + tr("needs %1 of %2").arg(bytes(l.memory).text(), bytes(m_usable).text());
        return layoutName(l) + QLatin1Char('\n') + (m_front.at(static_cast<std::size_t>(index.row())) ? tr("No other layout is both faster and smaller.") + QLatin1Char('\n') : QString()) + tr("%1 free, fits with %2").arg(bytes(m_usable - l.memory).text(), fitOdds(l.probability));
    case Qt::AccessibleTextRole: return index.column() == Dp ? QVariant(layoutName(l)) : data(index, Qt::DisplayRole);
    case Qt::TextAlignmentRole: return index.column() == Offload || index.column() == Recompute ? QVariant(Qt::AlignCenter) : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole: return theme::font(m_front.at(static_cast<std::size_t>(index.row())) && index.column() == StepTime ? theme::Role::BodyBold : theme::Role::Body);
    case Qt::ForegroundRole:
        if (!l.fits)
            return theme::color(index.column() != Memory ? theme::Token::Text2 : l.mayFit ? theme::Token::Warn : theme::Token::Error);
        return theme::color(valueOf(l, index.column()) <= 1 && index.column() <= Ep ? theme::Token::Text2 : theme::Token::Text);
    case SortRole: return valueOf(l, index.column());
    case FitsRole: return l.fits;
    case FrontRole: return static_cast<bool>(m_front.at(static_cast<std::size_t>(index.row())));
    default: return {};
    }
}

QVariant SearchModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == Offload || section == Recompute ? QVariant(Qt::AlignCenter) : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Dp: return tr("Data-parallel ranks");
        case Tp: return tr("Tensor-parallel ranks");
        case Pp: return tr("Pipeline stages");
        case Cp: return tr("Context-parallel ranks");
        case Ep: return tr("Expert-parallel ranks");
        case Memory: return tr("Process of the fullest rank at the peak");
        case Mfu: return tr("Model FLOPs utilisation");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Dp: return QStringLiteral("dp");
    case Tp: return QStringLiteral("tp");
    case Pp: return QStringLiteral("pp");
    case Cp: return QStringLiteral("cp");
    case Ep: return QStringLiteral("ep");
    case Stage: return QStringLiteral("ZeRO");
    case Offload: return tr("Offload");
    case Recompute: return tr("Recompute");
    case Micro: return tr("Micro");
    case Accumulation: return tr("Accum.");
    case Memory: return byteUnitName(m_unit);
    case StepTime: return tr("Step");
    case Throughput: return QStringLiteral("tokens/s");
    case Mfu: return QStringLiteral("MFU %");
    default: return {};
    }
}

}  // namespace stagecraft::app
