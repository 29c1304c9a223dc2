// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/formats.h"
#include "planner/search.h"

#include <QAbstractTableModel>

#include <vector>

namespace stagecraft::app {

/// The layouts a search has kept, one a row. New results take the place of old ones without moving the selection off its layout.
class SearchModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Dp, Tp, Pp, Cp, Ep, Stage, Offload, Recompute, Micro, Accumulation, Memory, StepTime, Throughput, Mfu, ColumnCount };
    enum Role { SortRole = Qt::UserRole, FitsRole, FrontRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// @param usable  bytes a layout may take: what the tip of one that does not fit is compared with
    void setRows(std::vector<ScoredLayout> rows, const std::vector<std::size_t>& front, std::int64_t usable);
    [[nodiscard]] const ScoredLayout* layout(int row) const;
    [[nodiscard]] int rowOf(const ScoredLayout& layout) const;
    void retranslate();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<ScoredLayout> m_rows;
    std::vector<bool> m_front;
    std::int64_t m_usable = 0;
    ByteUnit m_unit = ByteUnit::GiB;   ///< of the memory column
};

}  // namespace stagecraft::app
