// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"
#include "visualizers/memory_bars_layout.h"

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace stagecraft::app {

/// A ledger item's name for eyes, translated.
[[nodiscard]] QString itemName(const QString& id);
/// A phase of the ledger for eyes: "backward".
[[nodiscard]] QString memoryPhaseName(const QString& id);
/// Whether the item is alive in `phase` (an item of phase "all" always is).
[[nodiscard]] bool aliveIn(const LedgerItem& item, const std::string& phase);
/// The fullest role of a plan, or null.
[[nodiscard]] const LedgerRole* fullestRole(const Plan& plan);

/// Bars of weights, gradients and optimizer states alone, one a stage.
[[nodiscard]] MemoryBarsData modelStateBars(const PlanSet& plan);
/// The bar of a plan's fullest rank, named; nothing without a ledger.
[[nodiscard]] std::optional<MemoryBarRow> peakBar(const Plan& plan, const QString& label);
/// Bars of everything alive at the peak, one a stage, with the limit line.
[[nodiscard]] MemoryBarsData peakBars(const PlanSet& plan);

/// Swatch and word for each kind, in a row that wraps.
class MemoryLegend : public QWidget {
    Q_OBJECT
public:
    MemoryLegend(const std::vector<std::pair<MemoryKind, QString>>& entries, QWidget* parent);
    void setEntries(const std::vector<std::pair<MemoryKind, QString>>& entries);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int flow(int width, QPainter* painter) const;
    std::vector<std::pair<MemoryKind, QString>> m_entries;
};

/// A legend of the kinds that appear in `data`.
[[nodiscard]] std::vector<std::pair<MemoryKind, QString>> legendOf(const MemoryBarsData& data);

}  // namespace stagecraft::app
