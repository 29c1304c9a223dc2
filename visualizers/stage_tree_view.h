// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_widget.h"
#include "stage_tree_layout.h"

#include <QFont>
#include <QPixmap>

namespace stagecraft {

/// A decision walked from question to question, with its numbers. Up and Down move, Enter or a click on a box chooses.
class StageTreeView : public ChartWidget {
    Q_OBJECT
public:
    explicit StageTreeView(QWidget* parent = nullptr);

    void setSteps(std::vector<TreeStep> steps);
    [[nodiscard]] const std::vector<TreeStep>& steps() const { return m_steps; }
    [[nodiscard]] const StageTreeGeometry& geometryForTest() const { return m_geometry; }
    [[nodiscard]] std::vector<ChartPart> parts() const override;
    [[nodiscard]] QString tipAt(const QPointF& position) const override;
    [[nodiscard]] QSize sizeHint() const override { return {460, 300}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {340, 160}; }

signals:
    void stepFocused(int step);   ///< looked at
    void stepChosen(int step);    ///< wanted

protected:
    void refresh() override;
    void paintChart(QPainter& painter) override;
    void paintOverlay(QPainter& painter) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// The rows in `clip` alone: what a plan did not change stays as it was painted.
    void paintSteps(QPainter& painter, const QRectF& clip) const;

    struct Painted {
        QPixmap picture;
        std::vector<TreeStep> steps;
        StageTreeGeometry geometry;
        ChartColors colors;
        QFont font;
    };

    std::vector<TreeStep> m_steps;
    StageTreeGeometry m_geometry;
    Painted m_painted;   ///< what is in the picture
    int m_current = -1;
};

}  // namespace stagecraft
