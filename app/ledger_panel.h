// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <QWidget>

#include <optional>
#include <vector>

class QTableView;
class QToolButton;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

class LedgerModel;

/// The cells over the ledger: one a phase with its total and a bar; choosing one shows its ledger.
class PhaseSelector : public QWidget {
    Q_OBJECT
public:
    explicit PhaseSelector(QWidget* parent = nullptr);
    void show(const std::vector<LedgerPeak>& phases, const std::string& current);

signals:
    void chosen(const std::string& phase);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void choose(int index);
    /// Where cells begin and the last one ends, px.
    [[nodiscard]] std::vector<double> cellEdges() const;
    std::vector<LedgerPeak> m_phases;
    int m_current = 0;
};

/// Phases over the table of items.
class LedgerPanel : public QWidget {
    Q_OBJECT
public:
    explicit LedgerPanel(QWidget* parent = nullptr);
    /// @param onGpus  its ranks run on GPUs
    /// @param why     stands in the table's place where there is no role
    void show(const LedgerRole* role, bool onGpus = false, const QString& why = {});
    void selectItem(const QString& id);
    void retranslate();
    void copyAsTable() const;
    [[nodiscard]] QTableView* table() const { return m_table; }

signals:
    void itemChosen(const stagecraft::LedgerRole& role, const stagecraft::LedgerItem& item);
    /// A row that is no item: a sum, or what the allocator and the process take on top.
    /// @param totals  of the phase shown
    void overheadChosen(const stagecraft::LedgerRole& role, const stagecraft::LedgerPeak& totals, const QString& id);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();

    std::optional<LedgerRole> m_role;
    std::string m_phase;
    bool m_onGpus = false;
    PhaseSelector* m_phases;
    LedgerModel* m_model;
    QTableView* m_table;
    ToneLabel* m_why;
    bool m_pulled = false;    ///< a person chose the widths of the columns
    bool m_fitting = false;
};

}  // namespace stagecraft::app
