// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_widget.h"
#include "rank_strip_layout.h"

namespace stagecraft {

/// The ranks of a run: state, compute time with waiting hatched behind it, memory. Click or arrows choose one.
class RankStripView : public ChartWidget {
    Q_OBJECT
public:
    using ChartWidget::ChartWidget;

    void setInput(RankStripInput input);
    /// @param rank  -1 = none
    void setChosen(int rank);
    [[nodiscard]] int chosen() const { return m_chosen; }
    [[nodiscard]] const RankStripGeometry& geometry() const { return m_geometry; }
    /// "running", translated.
    [[nodiscard]] static QString stateText(RankState state);

    [[nodiscard]] std::vector<ChartPart> parts() const override;
    [[nodiscard]] QString tipAt(const QPointF& position) const override;
    [[nodiscard]] QSize sizeHint() const override { return {1040, 62}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 34}; }

signals:
    /// -1 when the chosen one was clicked again.
    void rankChosen(int rank);

protected:
    void refresh() override;
    void paintChart(QPainter& painter) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QStringList cardTexts(const RankCard& card) const;
    void choose(int rank);
    void paintCell(QPainter& painter, const RankStripGeometry::Cell& cell) const;
    void paintStateSign(QPainter& painter, const QPointF& center, const RankCard& card) const;
    void paintMap(QPainter& painter) const;

    RankStripInput m_input;
    RankStripGeometry m_geometry;
    int m_chosen = -1;
};

}  // namespace stagecraft
