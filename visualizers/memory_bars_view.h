// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "visualizers/chart_widget.h"
#include "visualizers/memory_bars_layout.h"

namespace stagecraft {

/// Stacked memory bars on one axis with a limit line. Arrow keys move between segments, Enter and clicks activate them.
class MemoryBarsView : public ChartWidget {
    Q_OBJECT
public:
    explicit MemoryBarsView(QWidget* parent = nullptr);

    void setMetrics(const MemoryBarsMetrics& metrics);
    /// Shows `data` at once: a forecast is one edit away, never a stream.
    void setData(const MemoryBarsData& data);
    [[nodiscard]] const MemoryBarsData& data() const { return m_data; }
    /// A hollow bar under the chosen one; nothing takes it away.
    void setPreview(const std::optional<MemoryBarRow>& preview);
    [[nodiscard]] std::vector<ChartPart> parts() const override;
    [[nodiscard]] QString tipAt(const QPointF& position) const override;
    [[nodiscard]] QSize sizeHint() const override { return {420, 240}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {220, 120}; }

signals:
    void segmentActivated(int row, int segment);
    /// The row itself was clicked: its label, its total or the ground beside the bar.
    void rowActivated(int row);
    /// The row that is chosen, or that the keyboard is on, stands here: a view that scrolls shows it.
    void lookedAt(const QRectF& row);

protected:
    void refresh() override;
    void paintChart(QPainter& painter) override;
    void paintOverlay(QPainter& painter) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] QString valueText(std::int64_t bytes) const;
    void select(int box);

    MemoryBarsData m_data;
    MemoryBarsMetrics m_metrics;
    double m_labelWidth = 0;       ///< column of the names: at least that of the metrics
    MemoryBarsLayout m_layout;
    int m_current = -1;   ///< box that the keyboard is on
};

}  // namespace stagecraft
