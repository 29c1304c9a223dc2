// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "app/formats.h"

#include <QAbstractTableModel>

#include <optional>

namespace stagecraft::app {

/// The ledger of one role in one phase: its items, then the sums up to what the system sees of the process.
class LedgerModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Item, Formula, Size, Share, HeldIn, ColumnCount };
    enum Role { BytesRole = Qt::UserRole, KindRole, SumRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// @param onGpus  its ranks run on GPUs: what is taken beside the items has another source there
    void show(const LedgerRole* role, const std::string& phase, bool onGpus);
    void retranslate();
    /// The item of a row; null for sums.
    [[nodiscard]] const LedgerItem* item(int row) const;
    /// Of a row that is no item: "allocated", "rounding", "process" or "total"; empty for items.
    [[nodiscard]] QString overhead(int row) const;
    /// The totals of the phase shown, as the rows add them up.
    [[nodiscard]] const LedgerPeak& totals() const { return m_totals; }
    /// The role shown; empty when there is none.
    [[nodiscard]] const std::optional<LedgerRole>& shownRole() const { return m_role; }
    [[nodiscard]] ByteUnit unit() const { return m_unit; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        std::optional<LedgerItem> item;   ///< empty for what is no item
        QString name;
        std::int64_t bytes = 0;
        bool bold = false;
        QString overhead = {};            ///< which it is, where it is no item
    };

    std::vector<Row> m_rows;
    std::optional<LedgerRole> m_role;
    std::string m_phase;
    bool m_onGpus = false;
    LedgerPeak m_totals;
    std::int64_t m_total = 1;
    ByteUnit m_unit = ByteUnit::MiB;
};

}  // namespace stagecraft::app
