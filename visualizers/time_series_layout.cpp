// SPDX-License-Identifier: GPL-3.0-or-later
#include "time_series_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

namespace {

constexpr double kTop = 20, kBottom = 20, kRight = 12, kLeft = 12;   // room for unit line, ticks and edges, px
constexpr double kLabelHeight = 14;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::int64_t clampedToInt(double value)
{
    constexpr double limit = 9.2e18;
    return static_cast<std::int64_t>(std::clamp(value, -limit, limit));
}

// The points of `data` with x in [begin, end).
std::pair<std::int64_t, std::int64_t> indicesIn(const SeriesPyramid& data, double begin, double end)
{
    return {data.lowerBound(clampedToInt(std::ceil(begin))), data.lowerBound(clampedToInt(std::ceil(end)))};
}

// Finds a rect for a label: the first of the wanted places that is inside the plot and free, off the curves if it can be.
class LabelPlacer {
public:
    LabelPlacer(const QRectF& bounds, const TextWidth& width, const std::vector<SeriesGeometry>& curves)
        : m_bounds(bounds), m_width(width), m_curves(curves) {}

    PlacedLabel place(const QString& text, const std::vector<QPointF>& topLefts)
    {
        std::optional<QRectF> second;
        for (const QPointF& corner : topLefts) {
            const QRectF rect(corner, QSizeF(m_width(text), kLabelHeight));
            const bool free = std::none_of(m_taken.begin(), m_taken.end(), [&](const QRectF& r) { return r.intersects(rect); });
            if (!free || !m_bounds.contains(rect))
                continue;
            if (!touchesCurve(rect)) {
                m_taken.push_back(rect);
                return {text, rect};
            }
            if (!second)
                second = rect;
        }
        if (second)
            m_taken.push_back(*second);
        return {text, second.value_or(QRectF())};
    }

private:
    [[nodiscard]] bool touchesCurve(const QRectF& rect) const
    {
        for (const SeriesGeometry& curve : m_curves) {
            auto column = std::lower_bound(curve.envelope.begin(), curve.envelope.end(), rect.left(),
                                           [](const EnvelopeColumn& c, double x) { return static_cast<double>(c.x) < x; });
            for (; column != curve.envelope.end() && static_cast<double>(column->x) < rect.right(); ++column) {
                if (static_cast<double>(column->top) < rect.bottom() && static_cast<double>(column->bottom) > rect.top())
                    return true;
            }
            for (const QPolygonF& line : curve.lines) {
                auto point = std::lower_bound(line.begin(), line.end(), rect.left(), [](const QPointF& p, double x) { return p.x() < x; });
                if (point != line.begin())
                    --point;
                for (; point != line.end() && std::next(point) != line.end() && point->x() < rect.right(); ++point) {
                    const QPointF a = *point, b = *std::next(point);
                    if (std::min(a.y(), b.y()) < rect.bottom() && std::max(a.y(), b.y()) > rect.top())
                        return true;
                }
            }
            for (const QPointF& point : curve.points) {
                if (rect.adjusted(-5, -5, 5, 5).contains(point))
                    return true;
            }
        }
        return false;
    }

    QRectF m_bounds;
    const TextWidth& m_width;
    const std::vector<SeriesGeometry>& m_curves;
    std::vector<QRectF> m_taken;
};

void layOutEnvelope(const SeriesPyramid& data, const TimeSeriesGeometry& geometry, double scale, SeriesGeometry& out)
{
    const auto columns = static_cast<std::int64_t>(std::lround(geometry.plot.width() * scale));
    const double span = geometry.xEnd - geometry.xBegin;
    auto [next, end] = indicesIn(data, geometry.xBegin, geometry.xEnd);
    bool joined = false;   // the column before held a value: close the step between them
    double lastTop = 0, lastBottom = 0;
    out.envelope.reserve(static_cast<std::size_t>(columns));
    for (std::int64_t c = 0; c < columns && next < end; ++c) {
        const double border = geometry.xBegin + static_cast<double>(c + 1) / static_cast<double>(columns) * span;
        const std::int64_t stop = c + 1 == columns ? end : data.lowerBound(clampedToInt(std::ceil(border)));
        if (stop == next)
            continue;
        const SeriesSummary values = data.summarize(next, stop);
        next = stop;
        const double x = geometry.plot.left() + static_cast<double>(c) / scale;
        if (values.nonFinite > 0)
            out.nonFinite.push_back(x);
        if (values.finite == 0) {
            joined = false;
            continue;
        }
        double top = geometry.toY(values.max), bottom = geometry.toY(values.min);
        const double ownTop = top, ownBottom = bottom;
        if (joined) {
            top = std::min(top, lastBottom);
            bottom = std::max(bottom, lastTop);
        }
        lastTop = ownTop;
        lastBottom = ownBottom;
        joined = true;
        out.envelope.push_back({static_cast<float>(x), static_cast<float>(top), static_cast<float>(std::max(bottom, top + 1 / scale))});
    }
}

// The line through means of `window` points, one place every two pixels or every point, whichever is rarer.
void layOutMeanLine(const SeriesPyramid& data, const TimeSeriesGeometry& geometry, std::int64_t begin, std::int64_t end, SeriesGeometry& out)
{
    const std::int64_t count = end - begin;
    const std::int64_t places = std::min<std::int64_t>(count, std::max<std::int64_t>(2, std::lround(geometry.plot.width() / 2)));
    const std::int64_t window = std::max(out.meanWindow, std::int64_t{1});
    QPolygonF piece;
    const auto finish = [&] {
        if (piece.size() == 1)
            out.points.push_back(piece.front());   // a lone value between gaps is still a value
        else if (piece.size() > 1)
            out.lines.push_back(piece);
        piece.clear();
    };
    for (std::int64_t p = 0; p < places; ++p) {
        const std::int64_t index = places == 1 ? begin : begin + (count - 1) * p / (places - 1);
        const SeriesSummary around = data.summarize(index - (window - 1) / 2, index + window / 2 + 1);
        if (around.finite == 0) {
            finish();
            continue;
        }
        piece.push_back({geometry.toX(static_cast<double>(data.xAt(index))), geometry.toY(around.mean())});
    }
    finish();
}

void layOutSeries(const SeriesInput& series, const TimeSeriesGeometry& geometry, double scale, SeriesGeometry& out)
{
    const SeriesPyramid& data = *series.data;
    auto [begin, end] = indicesIn(data, geometry.xBegin, geometry.xEnd);
    const std::int64_t count = end - begin;
    if (count == 0)
        return;
    const SeriesSummary newest = data.summarize(end - 1, end);
    out.last = data.valueAt(end - 1).value_or(newest.finite > 0 ? newest.mean() : kNaN);
    out.lastPoint = {geometry.toX(static_cast<double>(data.xAt(end - 1))), std::isfinite(*out.last) ? geometry.toY(*out.last) : geometry.plot.top()};

    const bool sparse = static_cast<double>(count) * (series.markers ? 8 : 2) <= geometry.plot.width() * scale;
    if (series.markers && sparse) {
        for (std::int64_t i = begin; i < end; ++i) {
            const double x = geometry.toX(static_cast<double>(data.xAt(i)));
            const SeriesSummary value = data.summarize(i, i + 1);
            if (value.finite > 0)
                out.points.push_back({x, geometry.toY(value.mean())});
            else
                out.nonFinite.push_back(x);
        }
        return;
    }
    out.meanWindow = sparse ? 1 : meanWindowFor(count);
    if (!sparse) {
        layOutEnvelope(data, geometry, scale, out);
    } else {
        for (std::int64_t i = begin; i < end; ++i) {
            if (data.summarize(i, i + 1).nonFinite > 0)
                out.nonFinite.push_back(geometry.toX(static_cast<double>(data.xAt(i))));
        }
    }
    // One point more on each side, so that the line runs through the edges when zoomed in.
    layOutMeanLine(data, geometry, sparse ? std::max<std::int64_t>(0, begin - 1) : begin, sparse ? std::min(data.size(), end + 1) : end, out);
    if (sparse && static_cast<double>(count) * 10 <= geometry.plot.width()) {
        for (const QPolygonF& line : out.lines) {
            for (const QPointF& point : line) {
                if (geometry.plot.adjusted(-0.5, -0.5, 0.5, 0.5).contains(point))
                    out.points.push_back(point);
            }
        }
    }
}

void layOutLabels(const TimeSeriesInput& input, const TextWidth& width, TimeSeriesGeometry& geometry)
{
    const QRectF& plot = geometry.plot;
    LabelPlacer placer(plot.adjusted(-0.5, -2, kRight - 2, 0.5), width, geometry.series);
    for (const SeriesGeometry& series : geometry.series) {
        if (!series.last.has_value())
            continue;
        const QString text = figureText(*series.last / geometry.factor, input.locale);
        const double left = std::clamp(series.lastPoint.x() - width(text), plot.left(), plot.right() - width(text) + kRight - 4);
        std::vector<QPointF> places;
        for (const double offset : {-20.0, 7.0, -32.0, 19.0, -46.0, 33.0})
            places.push_back({left, series.lastPoint.y() + offset});
        geometry.lastLabel = placer.place(text, places);
        break;
    }
    for (std::size_t i = 0; i < input.planned.size(); ++i) {
        const double y = geometry.toY(input.planned[i].value);
        const bool inside = std::isfinite(y) && y >= plot.top() - 0.5 && y <= plot.bottom() + 0.5;
        geometry.plannedY.push_back(inside ? y : kNaN);
        geometry.plannedLabels.push_back({input.planned[i].label, {}});
        if (inside)
            geometry.plannedLabels.back() = placer.place(input.planned[i].label, {{plot.left() + 6, y - 16}, {plot.left() + 6, y + 3},
                {plot.center().x(), y - 16}, {plot.center().x(), y + 3}});
    }
    for (const ChartEvent& event : input.events) {
        const double x = geometry.toX(static_cast<double>(event.x));
        const bool inside = x >= plot.left() && x <= plot.right();
        geometry.eventX.push_back(inside ? x : kNaN);
        geometry.eventLabels.push_back({event.label, {}});
        if (!inside || event.label.isEmpty())
            continue;
        std::vector<QPointF> places;
        for (double y = plot.bottom() - kLabelHeight - 4; y > plot.top(); y -= kLabelHeight + 2) {
            places.push_back({x - width(event.label) - 5, y});
            places.push_back({x + 5, y});
        }
        geometry.eventLabels.back() = placer.place(event.label, places);
    }
}

void layOutTicks(const TimeSeriesInput& input, const NiceAxis& yAxis, const TextWidth& width, TimeSeriesGeometry& geometry)
{
    const QRectF& plot = geometry.plot;
    for (const double value : yAxis.ticks) {
        const QString text = tickText(value, yAxis.step, input.locale);
        const double y = geometry.toY(value * geometry.factor);
        // In a low chart only the first and the last keep their text.
        const bool edge = value == yAxis.ticks.front() || value == yAxis.ticks.back();
        const bool roomy = plot.height() >= 12.0 * static_cast<double>(yAxis.ticks.size() - 1);
        geometry.yTicks.push_back({value, y, text, edge || roomy ? QRectF(0, y - 7, plot.left() - 6, 14) : QRectF()});
    }
    const int most = std::clamp(static_cast<int>(plot.width() / 70), 2, 5);
    const std::vector<double> values = niceTicksWithin(input.xBegin, input.xEnd, most, true);
    const double step = values.size() > 1 ? values[1] - values[0] : 1;
    double free = 0;   // right edge of the text before
    for (const double value : values) {
        const QString text = tickText(value, step, input.locale);
        const double x = geometry.toX(value);
        const double left = std::min(std::max(x - width(text) / 2, 0.0), std::max(0.0, input.width - width(text) - 2));
        AxisTick tick{value, x, text, {}};
        if (left >= free) {
            tick.textRect = QRectF(left, plot.bottom() + 4, width(text), 14);
            free = left + width(text) + 8;
        }
        geometry.xTicks.push_back(tick);
    }
}

}  // namespace

std::int64_t meanWindowFor(std::int64_t visible)
{
    const std::int64_t wanted = visible / 60;
    std::int64_t window = 1;
    for (std::int64_t power = 1; power <= wanted; power *= 10) {
        for (const std::int64_t digit : {1, 2, 5}) {
            if (digit * power <= wanted)
                window = digit * power;
        }
    }
    return window;
}

TimeSeriesGeometry layOutTimeSeries(const TimeSeriesInput& input, const TextWidth& smallText)
{
    TimeSeriesGeometry geometry;
    geometry.xBegin = input.xBegin;
    geometry.xEnd = input.xEnd > input.xBegin ? input.xEnd : input.xBegin + 1;

    SeriesSummary inView;
    for (const SeriesInput& series : input.series) {
        if (!series.visible || series.data == nullptr)
            continue;
        const auto [begin, end] = indicesIn(*series.data, geometry.xBegin, geometry.xEnd);
        inView.add(series.data->summarize(begin, end));
    }
    for (const PlannedLine& line : input.planned)
        inView.add(line.value);
    if (input.fromZero && inView.finite > 0)
        inView.add(0.0);
    if (inView.finite > 0)
        geometry.factor = axisFactor(std::max(std::abs(inView.min), std::abs(inView.max)));
    const NiceAxis yAxis = inView.finite > 0 ? niceAxis(inView.min / geometry.factor, inView.max / geometry.factor) : niceAxis(0, 1);
    geometry.yBegin = yAxis.begin * geometry.factor;
    geometry.yEnd = yAxis.end * geometry.factor;
    geometry.unitText = scaledUnit(input.unit, geometry.factor, input.unitTakesPrefix);

    double left = 0;
    for (const double value : yAxis.ticks)
        left = std::max(left, smallText(tickText(value, yAxis.step, input.locale)));
    left = std::max(std::ceil(left) + kLeft + 4, 30.0);
    geometry.plot = QRectF(left, kTop, std::max(1.0, input.width - left - kRight), std::max(1.0, input.height - kTop - kBottom));

    layOutTicks(input, yAxis, smallText, geometry);
    geometry.series.resize(input.series.size());
    for (std::size_t i = 0; i < input.series.size(); ++i) {
        if (input.series[i].visible && input.series[i].data != nullptr)
            layOutSeries(input.series[i], geometry, std::max(input.scale, 0.1), geometry.series[i]);
    }
    layOutLabels(input, smallText, geometry);
    return geometry;
}

std::vector<SeriesHit> hitTimeSeries(const TimeSeriesInput& input, const TimeSeriesGeometry& geometry, double x)
{
    std::vector<SeriesHit> hits;
    const double pixel = 1 / std::max(input.scale, 0.1);
    for (std::size_t i = 0; i < input.series.size(); ++i) {
        const SeriesInput& series = input.series[i];
        if (!series.visible || series.data == nullptr || series.data->empty())
            continue;
        const SeriesPyramid& data = *series.data;
        const double column = std::floor((x - geometry.plot.left()) / pixel) * pixel + geometry.plot.left();
        auto [begin, end] = indicesIn(data, geometry.valueAtX(column), geometry.valueAtX(column + pixel));
        if (begin == end) {
            // Between points: the nearer neighbour, as far as it is in view.
            const double wanted = geometry.valueAtX(x);
            const auto [first, last] = indicesIn(data, geometry.xBegin, geometry.xEnd);
            if (first == last)
                continue;
            begin = std::clamp(begin, first, last - 1);
            if (begin > first && wanted - static_cast<double>(data.xAt(begin - 1)) < static_cast<double>(data.xAt(begin)) - wanted)
                --begin;
            end = begin + 1;
        }
        hits.push_back({i, data.xAt(begin), end - begin, data.summarize(begin, end)});
    }
    return hits;
}

QRectF placeCursorText(const QPointF& point, const QSizeF& box, const QRectF& plot, const std::vector<QRectF>& taken)
{
    constexpr double kBeside = 8;
    const double rightOf = point.x() + kBeside, leftOf = point.x() - kBeside - box.width();
    const bool fitsRight = rightOf + box.width() <= plot.right(), fitsLeft = leftOf >= plot.left();
    const double lowest = std::max(plot.top(), plot.bottom() - box.height());
    const auto at = [&](double left, double top) { return QRectF(QPointF(left, std::clamp(top, plot.top(), lowest)), box); };
    const auto isFree = [&taken](const QRectF& place) { return std::none_of(taken.begin(), taken.end(), [&place](const QRectF& other) { return other.adjusted(-2, -1, 2, 1).intersects(place); }); };
    const double above = point.y() - 18;
    const QRectF first = at(fitsRight || !fitsLeft ? rightOf : leftOf, above);
    // Up and down from where it belongs, the nearest free place first; on the other side only when there is none.
    for (const auto& [left, fits] : {std::pair{rightOf, fitsRight}, std::pair{leftOf, fitsLeft}})
        for (double away = 0; fits && away <= plot.height(); away += 4)
            for (const double top : {above - away, above + away})
                if (const QRectF place = at(left, top); isFree(place))
                    return place;
    return first;
}

}  // namespace stagecraft
