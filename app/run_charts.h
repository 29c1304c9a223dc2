// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/panel_tour.h"
#include "visualizers/phases_view.h"

#include <QWidget>

#include <array>
#include <vector>

class QGridLayout;
class QTabBar;
class QToolButton;

namespace stagecraft {
class ChartWidget;
class CursorModel;
class MemoryRankView;
class Panel;
class RankStripView;
class TimeSeriesView;
}  // namespace stagecraft

namespace stagecraft::app {

class LegendButton;
class RunModel;

/// The panels of the Run page: loss, throughput, memory, phases, learning rate, gradient norm, ranks. They fold with the
/// width: four columns, three, or two with the last panels as tabs. One panel can take the whole area. They ask for the height in
/// which curves can be read: a page that has less scrolls.
class RunCharts : public QWidget, public PanelHost {
    Q_OBJECT
public:
    RunCharts(RunModel* model, CursorModel* cursor, QWidget* parent = nullptr);

    /// The data changed: hand it to the views, which repaint with the next tick.
    void modelChanged();
    void frameTick();
    void setColors(const ChartColors& colors);
    /// All panels show this rank; -1 = the mean of all.
    void showRank(int rank);
    [[nodiscard]] int shownRank() const { return m_rank; }
    void setStale(bool stale);
    void fillWith(QWidget* panel) override;
    [[nodiscard]] const std::vector<ChartWidget*>& views() const { return m_views; }
    /// Columns at this width: 4, 3 or 2.
    [[nodiscard]] static int columnsFor(int width);

signals:
    void stepChosen(std::int64_t step);
    void rankChosen(int rank);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    enum Part { Loss, Throughput, Memory, Phases, LearningRate, GradNorm, Ranks, kParts };

    Panel* addPanel(Part part, QWidget* content);
    LegendButton* addLegend(Part part, int swatch);
    void arrange();
    void retranslate();
    void updateMemory();
    void nameLegend();
    void updateSubtitles();
    void maximize(Part part);
    [[nodiscard]] int memoryRank() const;

    RunModel* m_model;
    CursorModel* m_cursor;
    QGridLayout* m_grid;
    std::array<Panel*, kParts> m_panels{};
    std::array<QToolButton*, kParts> m_full{};
    QTabBar* m_tabs;                       // memory, learning rate, gradient norm when they share a place
    TimeSeriesView *m_loss, *m_throughput, *m_learningRate, *m_gradNorm;
    PhasesView* m_phases;
    MemoryRankView* m_memory;
    RankStripView* m_ranks;
    LegendButton *m_train, *m_eval;
    std::array<LegendButton*, kPhaseCount> m_phaseLegend{};
    std::vector<ChartWidget*> m_views;
    int m_rank = -1;
    int m_columns = 0;
    int m_maximized = -1;
    int m_stripHeight = 0;
};

}  // namespace stagecraft::app
