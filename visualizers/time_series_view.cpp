// SPDX-License-Identifier: GPL-3.0-or-later
#include "time_series_view.h"

#include "cursor_model.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace stagecraft {

namespace {
constexpr double kDragThreshold = 4;   // px: less is a click
constexpr double kZoomStep = 0.8;
}  // namespace

TimeSeriesView::TimeSeriesView(CursorModel* cursor, QWidget* parent)
    : ChartWidget(parent), m_cursor(cursor), m_positionText(QStringLiteral("%1"))
{
    connect(cursor, &CursorModel::cursorChanged, this, [this] { markOverlayDirty(); });
    connect(cursor, &CursorModel::selectionChanged, this, [this] { markOverlayDirty(); });
    connect(cursor, &CursorModel::rangeChanged, this, [this] { markDirty(); });
}

void TimeSeriesView::setSeries(std::vector<Series> series)
{
    m_series = std::move(series);
    markDirty();
}

void TimeSeriesView::setSeriesVisible(std::size_t index, bool visible)
{
    m_series.at(index).visible = visible;
    markDirty();
}

void TimeSeriesView::setUnit(const QString& unit, bool takesPrefix)
{
    m_unit = unit;
    m_unitTakesPrefix = takesPrefix;
    markDirty();
}

void TimeSeriesView::setPlanned(std::vector<PlannedLine> planned)
{
    m_planned = std::move(planned);
    markDirty();
}

void TimeSeriesView::setEvents(std::vector<ChartEvent> events)
{
    m_events = std::move(events);
    markDirty();
}

TimeSeriesInput TimeSeriesView::input() const
{
    TimeSeriesInput in;
    for (const Series& series : m_series)
        in.series.push_back({series.data.get(), series.name, series.markers, series.visible});
    in.planned = m_planned;
    in.events = m_events;
    in.unit = m_unit;
    in.unitTakesPrefix = m_unitTakesPrefix;
    const CursorModel::Range range = m_cursor ? m_cursor->range() : CursorModel::Range{};
    in.xBegin = range.begin;
    in.xEnd = range.end;
    in.width = width();
    in.height = height();
    in.scale = pixelScale();
    in.locale = locale();
    return in;
}

void TimeSeriesView::refresh()
{
    const std::int64_t before = meanWindow();
    m_geometry = layOutTimeSeries(input(), widthIn(fontOf(11, true)));
    if (meanWindow() != before)
        emit meanWindowChanged();
}

std::int64_t TimeSeriesView::meanWindow() const
{
    for (std::size_t i = 0; i < m_geometry.series.size() && i < m_series.size(); ++i) {
        if (m_series[i].visible && !m_series[i].markers)
            return m_geometry.series[i].meanWindow;
    }
    return 1;
}

QString TimeSeriesView::positionText(std::int64_t x) const { return m_positionText.arg(locale().toString(static_cast<qlonglong>(x))); }

QString TimeSeriesView::valueText(const SeriesHit& hit) const
{
    if (hit.values.finite == 0)
        return tr("not a number");
    if (hit.points == 1)
        return figureText(hit.values.mean(), locale());
    return tr("%1 (%2 to %3, %n points)", nullptr, static_cast<int>(hit.points))
        .arg(figureText(hit.values.mean(), locale()), figureText(hit.values.min, locale()), figureText(hit.values.max, locale()));
}

std::vector<ChartPart> TimeSeriesView::parts() const
{
    std::vector<ChartPart> result;
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const Series& series = m_series[i];
        if (!series.visible)
            continue;
        ChartPart part{series.name, tr("no data"), m_geometry.plot};
        if (series.data && !series.data->empty()) {
            const std::int64_t last = series.data->size() - 1;
            const SeriesHit hit{i, series.data->lastX(), 1, series.data->summarize(last, last + 1)};
            part.value = tr("%1 at %2").arg(valueText(hit), positionText(hit.x));
        }
        result.push_back(part);
    }
    for (const PlannedLine& line : m_planned)
        result.push_back({line.label, figureText(line.value, locale()), m_geometry.plot});
    for (const ChartEvent& event : m_events)
        result.push_back({event.label, positionText(event.x), m_geometry.plot});
    return result;
}

QString TimeSeriesView::tipAt(const QPointF& position) const
{
    if (!m_geometry.plot.contains(position))
        return {};
    const std::vector<SeriesHit> hits = hitTimeSeries(input(), m_geometry, position.x());
    QString text;
    for (const SeriesHit& hit : hits) {
        if (!text.isEmpty())
            text += QLatin1Char('\n');
        text += tr("%1, %2: %3").arg(m_series[hit.series].name, positionText(hit.x), valueText(hit));
    }
    for (const ChartEvent& event : m_events) {
        if (std::abs(m_geometry.toX(static_cast<double>(event.x)) - position.x()) <= 4)
            text += QLatin1Char('\n') + tr("%1: %2").arg(positionText(event.x), event.label);
    }
    for (const PlannedLine& line : m_planned)
        text += QLatin1Char('\n') + line.label;
    if (meanWindow() > 1)
        text += QLatin1Char('\n') + tr("Line: mean of %n points. Pale: smallest and largest of each pixel column.", nullptr, static_cast<int>(meanWindow()));
    return text.trimmed();
}

void TimeSeriesView::paintAxes(QPainter& painter)
{
    const QRectF& plot = m_geometry.plot;
    painter.setFont(fontOf(11));
    painter.setPen(colors().secondaryText);
    painter.drawText(QRectF(plot.left(), 1, plot.width(), 15), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, m_geometry.unitText);
    painter.setFont(fontOf(10));
    for (const AxisTick& tick : m_geometry.yTicks) {
        painter.setPen(QPen(colors().grid, 1));
        const double y = std::floor(tick.position) + 0.5;
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(colors().secondaryText);
        if (!tick.textRect.isEmpty())
            painter.drawText(tick.textRect, Qt::AlignRight | Qt::AlignVCenter, tick.text);
    }
    for (const AxisTick& tick : m_geometry.xTicks) {
        if (!tick.textRect.isEmpty())
            painter.drawText(tick.textRect, Qt::AlignCenter, tick.text);
    }
}

void TimeSeriesView::paintSeries(QPainter& painter, const SeriesGeometry& geometry, const Series& series)
{
    const QColor color = colors().series[series.color % kSeriesColors];
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (!geometry.envelope.empty()) {
        QColor pale = color;
        pale.setAlphaF(0.38F);
        const double column = 1 / pixelScale();
        for (const EnvelopeColumn& c : geometry.envelope)
            painter.fillRect(QRectF(static_cast<double>(c.x), static_cast<double>(c.top), column, static_cast<double>(c.bottom - c.top)), pale);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(color, 2);
    pen.setJoinStyle(Qt::RoundJoin);
    if (series.color >= kSeriesColors)
        pen.setDashPattern({4, 2});   // the ninth series on differ by dash
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    for (const QPolygonF& line : geometry.lines)
        painter.drawPolyline(line);
    if (series.markers) {
        painter.setPen(QPen(color, 2));
        painter.setBrush(colors().base);
        for (const QPointF& p : geometry.points)
            painter.drawPolygon(QPolygonF({p + QPointF(0, -5), p + QPointF(5, 0), p + QPointF(0, 5), p + QPointF(-5, 0)}));
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        for (const QPointF& p : geometry.points)
            painter.drawEllipse(p, 2.5, 2.5);
    }
    paintNonFinite(painter, geometry);
}

// What is not a number has no height: a pale band says from where to where, a cross at its foot that it is wrong.
void TimeSeriesView::paintNonFinite(QPainter& painter, const SeriesGeometry& geometry)
{
    const QRectF& plot = m_geometry.plot;
    QColor pale = colors().error;
    pale.setAlphaF(0.2F);
    const std::vector<double>& xs = geometry.nonFinite;
    for (std::size_t i = 0; i < xs.size();) {
        const double begin = xs[i];
        double end = begin;
        while (i < xs.size() && xs[i] - end <= 4)
            end = xs[i++];
        painter.fillRect(QRectF(begin - 1, plot.top(), end - begin + 2, plot.height()), pale);
        const QPointF foot((begin + end) / 2, plot.bottom() - 6);
        painter.setPen(QPen(colors().error, 1.5));
        painter.drawLine(foot + QPointF(-3, -3), foot + QPointF(3, 3));
        painter.drawLine(foot + QPointF(-3, 3), foot + QPointF(3, -3));
    }
}

void TimeSeriesView::paintMarks(QPainter& painter)
{
    const QRectF& plot = m_geometry.plot;
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const double y : m_geometry.plannedY) {
        if (std::isnan(y))
            continue;
        QPen pen(colors().secondaryText, 1);
        pen.setDashPattern({5, 3});
        painter.setPen(pen);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    }
    const auto eventColor = [this](ChartEvent::Level level) {
        return level == ChartEvent::Level::Error ? colors().error : level == ChartEvent::Level::Warning ? colors().warn : colors().secondaryText;
    };
    for (std::size_t i = 0; i < m_geometry.eventX.size(); ++i) {
        if (std::isnan(m_geometry.eventX[i]))
            continue;
        QPen pen(eventColor(m_events[i].level), 1);
        pen.setDashPattern({2, 2});
        painter.setPen(pen);
        painter.drawLine(QPointF(m_geometry.eventX[i], plot.top()), QPointF(m_geometry.eventX[i], plot.bottom()));
    }
    painter.setFont(fontOf(11));
    const auto label = [&](const PlacedLabel& placed, const QColor& color) {
        if (placed.rect.isEmpty())
            return;
        QColor ground = colors().base;   // keeps words readable over a busy curve
        ground.setAlphaF(0.72F);
        painter.fillRect(placed.rect.adjusted(-1, 0, 1, 0), ground);
        painter.setPen(color);
        painter.drawText(placed.rect, Qt::AlignCenter | Qt::TextDontClip, placed.text);
    };
    for (const PlacedLabel& placed : m_geometry.plannedLabels)
        label(placed, colors().secondaryText);
    for (std::size_t i = 0; i < m_geometry.eventLabels.size(); ++i)
        label(m_geometry.eventLabels[i], eventColor(m_events[i].level));
    painter.setFont(fontOf(11, true));
    label(m_geometry.lastLabel, colors().text);
}

void TimeSeriesView::paintChart(QPainter& painter)
{
    paintAxes(painter);
    painter.save();
    painter.setClipRect(m_geometry.plot.adjusted(-8, -8, 8, 2));
    // Later series lie below: the first is the subject.
    for (std::size_t i = m_geometry.series.size(); i-- > 0;) {
        if (m_series[i].visible && !m_series[i].markers)
            paintSeries(painter, m_geometry.series[i], m_series[i]);
    }
    for (std::size_t i = 0; i < m_geometry.series.size(); ++i) {
        if (m_series[i].visible && m_series[i].markers)
            paintSeries(painter, m_geometry.series[i], m_series[i]);
    }
    painter.restore();
    paintMarks(painter);
}

void TimeSeriesView::paintOverlay(QPainter& painter)
{
    if (!m_cursor)
        return;
    const QRectF& plot = m_geometry.plot;
    if (const auto selection = m_cursor->selection()) {
        QColor fill = colors().accent;
        fill.setAlphaF(0.22F);
        const QRectF area(QPointF(m_geometry.toX(selection->begin), plot.top()), QPointF(m_geometry.toX(selection->end), plot.bottom()));
        painter.fillRect(area.normalized() & plot, fill);
    }
    if (!m_cursor->cursor().has_value())
        return;
    const double x = m_geometry.toX(*m_cursor->cursor());
    if (x < plot.left() - 0.5 || x > plot.right() + 0.5)
        return;
    painter.setPen(QPen(colors().text, 1));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(fontOf(11, true));
    const TextWidth width = widthIn(painter.font());
    std::vector<QRectF> taken{m_geometry.lastLabel.rect};
    for (const SeriesHit& hit : hitTimeSeries(input(), m_geometry, x)) {
        if (hit.values.finite == 0 || (m_series[hit.series].markers && hit.x != static_cast<std::int64_t>(*m_cursor->cursor())))
            continue;
        const QPointF point(x, m_geometry.toY(hit.values.mean()));
        painter.setPen(QPen(colors().base, 1));
        painter.setBrush(colors().series[m_series[hit.series].color % kSeriesColors]);
        painter.drawEllipse(point, 3.5, 3.5);
        const QString text = figureText(hit.values.mean() / m_geometry.factor, locale());
        const QRectF box = placeCursorText(point, QSizeF(width(text) + 4, 14), plot, taken);
        taken.push_back(box);
        painter.fillRect(box, colors().tip);
        painter.setPen(colors().text);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

double TimeSeriesView::nearestStep(double x) const
{
    const std::vector<SeriesHit> hits = hitTimeSeries(input(), m_geometry, x);
    for (const SeriesHit& hit : hits) {
        if (!m_series[hit.series].markers)
            return static_cast<double>(hit.x);
    }
    return hits.empty() ? std::round(m_geometry.valueAtX(x)) : static_cast<double>(hits.front().x);
}

void TimeSeriesView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && state() == State::Ready)
        m_pressX = event->position().x();
}

void TimeSeriesView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_cursor || state() != State::Ready)
        return;
    const double x = std::clamp(event->position().x(), m_geometry.plot.left(), m_geometry.plot.right());
    if (m_pressX && std::abs(event->position().x() - *m_pressX) >= kDragThreshold)
        m_cursor->setSelection(CursorModel::Range{m_geometry.valueAtX(std::clamp(*m_pressX, m_geometry.plot.left(), m_geometry.plot.right())), m_geometry.valueAtX(x)});
    m_cursor->setCursor(m_geometry.plot.adjusted(-8, -20, 8, 20).contains(event->position()) ? std::optional(nearestStep(x)) : std::nullopt);
}

void TimeSeriesView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !std::exchange(m_pressX, std::nullopt).has_value() || !m_cursor)
        return;
    if (const auto selection = m_cursor->selection()) {
        m_cursor->setSelection(std::nullopt);
        m_cursor->setRange(*selection);
    } else if (m_geometry.plot.contains(event->position())) {
        emit stepChosen(static_cast<std::int64_t>(nearestStep(event->position().x())));
    }
}

void TimeSeriesView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_pressX.reset();
    if (event->button() == Qt::LeftButton && m_cursor)
        m_cursor->fit();
}

void TimeSeriesView::wheelEvent(QWheelEvent* event)
{
    // High resolution wheels send small parts of a notch.
    const double notches = event->angleDelta().y() / 120.0;
    if (!m_cursor || state() != State::Ready || notches == 0)
        return;
    m_cursor->zoom(std::pow(kZoomStep, notches), m_geometry.valueAtX(event->position().x()));
    event->accept();
}

void TimeSeriesView::leaveEvent(QEvent* event)
{
    if (m_cursor && !m_pressX)
        m_cursor->setCursor(std::nullopt);
    ChartWidget::leaveEvent(event);
}

bool TimeSeriesView::event(QEvent* event)
{
    // Plain letters work here although the window may use them as shortcuts.
    if (event->type() == QEvent::ShortcutOverride) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_W: case Qt::Key_S: case Qt::Key_A: case Qt::Key_D: case Qt::Key_F:
            if (static_cast<QKeyEvent*>(event)->modifiers() == Qt::NoModifier)
                event->accept();
            break;
        default:
            break;
        }
    }
    return ChartWidget::event(event);
}

void TimeSeriesView::keyPressEvent(QKeyEvent* event)
{
    if (!m_cursor || state() != State::Ready || (event->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) {
        ChartWidget::keyPressEvent(event);
        return;
    }
    const CursorModel::Range range = m_cursor->range();
    const double at = m_cursor->cursor().value_or(range.end);
    const double onePixel = std::max(1.0, range.length() / m_geometry.plot.width());
    const auto moveTo = [&](double x) {
        m_cursor->setCursor(nearestStep(m_geometry.toX(std::clamp(x, range.begin, range.end))));
    };
    switch (event->key()) {
    case Qt::Key_W: m_cursor->zoom(kZoomStep, at); break;
    case Qt::Key_S: m_cursor->zoom(1 / kZoomStep, at); break;
    case Qt::Key_A: m_cursor->pan(-0.2); break;
    case Qt::Key_D: m_cursor->pan(0.2); break;
    case Qt::Key_F: m_cursor->fit(); break;
    case Qt::Key_Left: moveTo(at - onePixel); break;
    case Qt::Key_Right: moveTo(at + onePixel); break;
    case Qt::Key_Home: moveTo(range.begin); break;
    case Qt::Key_End: moveTo(range.end); break;
    case Qt::Key_Escape:
        if (m_cursor->cursor())
            m_cursor->setCursor(std::nullopt);
        else
            event->ignore();   // nothing to clear here: what lies around it closes
        break;
    case Qt::Key_Return: case Qt::Key_Enter:
        if (m_cursor->cursor())
            emit stepChosen(static_cast<std::int64_t>(*m_cursor->cursor()));
        break;
    default: ChartWidget::keyPressEvent(event);
    }
}

}  // namespace stagecraft
