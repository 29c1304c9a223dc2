// SPDX-License-Identifier: GPL-3.0-or-later
#include "log_model.h"

#include <algorithm>

namespace stagecraft {

LogModel::LogModel(std::size_t maxBytes, QObject* parent) : QAbstractListModel(parent), m_maxBytes(maxBytes) {}

std::pair<const LogModel::Block*, std::size_t> LogModel::find(std::int64_t number) const
{
    const auto at = static_cast<std::size_t>(number - m_first);
    return {&m_blocks[at / kBlockLines], at % kBlockLines};
}

std::string_view LogModel::textOf(const Block& block, std::size_t index) const
{
    const std::size_t begin = block.heads[index].begin;
    const std::size_t end = index + 1 < block.heads.size() ? block.heads[index + 1].begin : block.text.size();
    return std::string_view(block.text).substr(begin, end - begin);
}

bool LogModel::passes(const Head& head, std::string_view text) const
{
    if (head.level < m_filter.least || (m_filter.rank != LogFilter::kAllRanks && head.rank != m_filter.rank))
        return false;
    if (m_filter.text.isEmpty())
        return true;
    const QString line = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    return m_filter.regex ? m_pattern.match(line).hasMatch() : line.contains(m_filter.text, Qt::CaseInsensitive);
}

void LogModel::append(const std::vector<LogLine>& lines)
{
    if (lines.empty())
        return;
    const bool caughtUp = !isFiltering();
    std::vector<std::int64_t> shown;
    bool newRank = false;
    for (const LogLine& line : lines) {
        if (m_blocks.empty() || m_blocks.back().heads.size() == kBlockLines) {
            m_blocks.emplace_back();
            m_blocks.back().heads.reserve(kBlockLines);
        }
        Block& block = m_blocks.back();
        const QByteArray text = line.text.toUtf8();
        const Head head{line.timeNs, static_cast<std::uint32_t>(block.text.size()), line.rank, line.level};
        block.heads.push_back(head);
        block.text.append(text.constData(), static_cast<std::size_t>(text.size()));
        m_bytes += sizeof(Head) + static_cast<std::size_t>(text.size());
        m_errors += line.level == LogLevel::Error ? 1 : 0;
        const auto place = std::lower_bound(m_ranks.begin(), m_ranks.end(), line.rank);
        if (place == m_ranks.end() || *place != line.rank) {
            m_ranks.insert(place, line.rank);
            newRank = true;
        }
        // While an older part is still being filtered, new lines wait their turn there.
        if (caughtUp && passes(head, {text.constData(), static_cast<std::size_t>(text.size())}))
            shown.push_back(m_end);
        ++m_end;
    }
    if (caughtUp)
        m_seen = m_end;
    addRows(shown);
    trim();
    if (newRank)
        emit ranksChanged();
}

void LogModel::addRows(const std::vector<std::int64_t>& numbers)
{
    if (numbers.empty())
        return;
    const auto first = static_cast<int>(m_rows.size());
    beginInsertRows({}, first, first + static_cast<int>(numbers.size()) - 1);
    m_rows.insert(m_rows.end(), numbers.begin(), numbers.end());
    endInsertRows();
}

void LogModel::trim()
{
    while (m_bytes > m_maxBytes && m_blocks.size() > 1) {
        const Block& oldest = m_blocks.front();
        const std::int64_t first = m_first + static_cast<std::int64_t>(oldest.heads.size());
        const auto gone = static_cast<int>(std::lower_bound(m_rows.begin(), m_rows.end(), first) - m_rows.begin());
        if (gone > 0)
            beginRemoveRows({}, 0, gone - 1);
        for (const Head& head : oldest.heads)
            m_errors -= head.level == LogLevel::Error ? 1 : 0;
        m_bytes -= oldest.heads.size() * sizeof(Head) + oldest.text.size();
        m_blocks.pop_front();
        m_first = first;
        m_seen = std::max(m_seen, m_first);
        if (gone > 0) {
            m_rows.erase(m_rows.begin(), m_rows.begin() + gone);
            endRemoveRows();
        }
    }
}

void LogModel::clear()
{
    beginResetModel();
    m_blocks.clear();
    m_rows.clear();
    m_ranks.clear();
    m_parts.clear();
    m_bytes = 0;
    m_first = m_end = m_seen = m_errors = 0;
    endResetModel();
    emit ranksChanged();
}

bool LogModel::setFilter(const LogFilter& filter)
{
    if (filter == m_filter) {
        m_problem.clear();
        return true;
    }
    QRegularExpression pattern;
    if (filter.regex && !filter.text.isEmpty()) {
        pattern = QRegularExpression(filter.text, QRegularExpression::CaseInsensitiveOption);
        if (!pattern.isValid()) {
            m_problem = tr("The filter is not a regular expression: %1 at character %2.").arg(pattern.errorString()).arg(pattern.patternErrorOffset() + 1);
            return false;
        }
        pattern.optimize();
    }
    m_problem.clear();
    beginResetModel();
    m_filter = filter;
    m_pattern = pattern;
    m_rows.clear();
    m_seen = m_first;
    endResetModel();
    filterSome();
    emit filterChanged();
    return true;
}

void LogModel::filterSome(int lines)
{
    const std::int64_t stop = std::min(m_end, m_seen + lines);
    std::vector<std::int64_t> shown;
    for (; m_seen < stop; ++m_seen) {
        const auto [block, index] = find(m_seen);
        if (passes(block->heads[index], textOf(*block, index)))
            shown.push_back(m_seen);
    }
    addRows(shown);
}

int LogModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

LogLine LogModel::line(int row) const
{
    const auto [block, index] = find(m_rows[static_cast<std::size_t>(row)]);
    const std::string_view text = textOf(*block, index);
    const Head& head = block->heads[index];
    return {head.timeNs, head.rank, head.level, QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))};
}

QVariant LogModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() < 0 || index.row() >= rowCount())
        return {};
    const LogLine line = this->line(index.row());
    switch (role) {
    case Qt::DisplayRole: case LineRole: return line.text;
    case TimeRole: return static_cast<qlonglong>(line.timeNs);
    case RankRole: return line.rank;
    case LevelRole: return static_cast<int>(line.level);
    default: return {};
    }
}

void LogModel::beginPart()
{
    if (m_end > m_first)
        m_parts.push_back(m_end);
}

std::int64_t LogModel::firstError(int rank) const
{
    if (m_errors == 0)
        return -1;
    std::int64_t any = -1, ofRank = -1;
    auto part = m_parts.rbegin();
    for (std::int64_t number = m_end - 1; number >= m_first; --number) {
        for (; part != m_parts.rend() && number < *part; ++part)
            if (any >= 0)
                return ofRank >= 0 ? ofRank : any;
        const auto [block, index] = find(number);
        if (const Head& head = block->heads[index]; head.level == LogLevel::Error) {
            any = number;
            ofRank = head.rank == rank ? number : ofRank;
        }
    }
    return ofRank >= 0 ? ofRank : any;
}

int LogModel::rowOf(std::int64_t number) const
{
    const auto row = std::lower_bound(m_rows.begin(), m_rows.end(), number);
    return row != m_rows.end() && *row == number ? static_cast<int>(row - m_rows.begin()) : -1;
}

}  // namespace stagecraft
