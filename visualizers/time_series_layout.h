// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_axis.h"
#include "series_pyramid.h"

#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

/// One series as the layout sees it.
struct SeriesInput {
    const SeriesPyramid* data = nullptr;   ///< borrowed for the call
    QString name;
    bool markers = false;   ///< rare, single points (evaluation): diamonds, no envelope while they are few
    bool visible = true;
};

/// A horizontal dashed line: what the plan said.
struct PlannedLine {
    double value = 0;
    QString label;
};

/// A thing that happened at a step.
struct ChartEvent {
    enum class Level { Info, Warning, Error };
    std::int64_t x = 0;
    QString label;
    Level level = Level::Info;
};

struct TimeSeriesInput {
    std::vector<SeriesInput> series;
    std::vector<PlannedLine> planned;
    std::vector<ChartEvent> events;      ///< by x
    QString unit;                        ///< "loss, nats per token"
    bool unitTakesPrefix = false;        ///< "tokens/s" may become "k tokens/s"
    bool fromZero = false;               ///< the value axis begins at 0
    double xBegin = 0;                   ///< visible range [xBegin, xEnd)
    double xEnd = 1;
    double width = 0;                    ///< of the whole chart, logical pixels
    double height = 0;
    double scale = 1;                    ///< device pixels per logical pixel: one column is one device pixel
    QLocale locale = QLocale::c();
};

struct AxisTick {
    double value = 0;
    double position = 0;                 ///< logical pixels
    QString text;
    QRectF textRect;                     ///< empty when the text found no place
};

struct EnvelopeColumn {
    float x = 0;                         ///< left edge, logical pixels
    float top = 0;
    float bottom = 0;
};

struct SeriesGeometry {
    std::vector<EnvelopeColumn> envelope;  ///< min/max per device column; empty when points are sparse
    std::vector<QPolygonF> lines;          ///< mean line, one piece per stretch without a gap
    std::vector<QPointF> points;           ///< single points: markers, or all points when they are far apart
    std::vector<double> nonFinite;         ///< x of columns that hold NaN or infinity
    std::int64_t meanWindow = 1;           ///< points averaged for each place of the line
    std::optional<double> last;            ///< newest value in view, may be NaN
    QPointF lastPoint;
};

struct PlacedLabel {
    QString text;
    QRectF rect;                         ///< empty: no room, left out
};

struct TimeSeriesGeometry {
    QRectF plot;                         ///< where curves go; the rest is axes
    double xBegin = 0, xEnd = 1, yBegin = 0, yEnd = 1;
    double factor = 1;                   ///< tick texts are values divided by this
    QString unitText;
    std::vector<AxisTick> xTicks, yTicks;
    std::vector<SeriesGeometry> series;  ///< one per input, empty for hidden ones
    std::vector<double> plannedY;        ///< per planned line; NaN when outside
    std::vector<double> eventX;          ///< per event; NaN when outside
    std::vector<PlacedLabel> plannedLabels, eventLabels;
    PlacedLabel lastLabel;               ///< newest value of the first visible series that has one

    [[nodiscard]] double toX(double value) const { return plot.left() + (value - xBegin) / (xEnd - xBegin) * plot.width(); }
    [[nodiscard]] double toY(double value) const { return plot.bottom() - (value - yBegin) / (yEnd - yBegin) * plot.height(); }
    [[nodiscard]] double valueAtX(double x) const { return xBegin + (x - plot.left()) / plot.width() * (xEnd - xBegin); }
};

/// (data, viewport) -> geometry. Touches O(columns x log points) summaries, whatever the series' length.
/// Column c covers x in [b(c), b(c+1)) with b(c) = xBegin + c / columns x (xEnd - xBegin); its points' smallest and largest
/// values are its envelope, so that no spike is lost. Labels never overlap one another; one without room gets an empty rect.
[[nodiscard]] TimeSeriesGeometry layOutTimeSeries(const TimeSeriesInput& input, const TextWidth& smallText);

/// What lies under x pixel `x`: per series the summary of the points in that column, or else the nearest point.
struct SeriesHit {
    std::size_t series = 0;
    std::int64_t x = 0;                  ///< of the (first) point
    std::int64_t points = 1;
    SeriesSummary values;
};
[[nodiscard]] std::vector<SeriesHit> hitTimeSeries(const TimeSeriesInput& input, const TimeSeriesGeometry& geometry, double x);

/// Where the cursor says a value: beside its point, to the right and above as long as there is room, and on nothing that is in
/// `taken`, such as the newest value's label or what the cursor says of another series.
///
/// @param point  where cursor and curve meet
/// @param box    what the words need
/// @return inside `plot` when it is large enough; where every place is taken, the first one
[[nodiscard]] QRectF placeCursorText(const QPointF& point, const QSizeF& box, const QRectF& plot, const std::vector<QRectF>& taken);

/// Points averaged by the mean line when `visible` points are in view: 1, 2, 5, 10, 20, 50, ... near visible / 60.
[[nodiscard]] std::int64_t meanWindowFor(std::int64_t visible);

}  // namespace stagecraft
