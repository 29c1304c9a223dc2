// SPDX-License-Identifier: GPL-3.0-or-later
#include "visualizers/memory_bars_view.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

bool isSame(const MemorySegment& a, const MemorySegment& b)
{
    return a.kind == b.kind && a.bytes == b.bytes && a.id == b.id && a.name == b.name && a.tip == b.tip;
}

constexpr double kBreakRoom = 22;   ///< px before the end of a broken bar, for its marks
constexpr double kBehindLabel = 8;

bool isSame(const MemoryBarRow& a, const MemoryBarRow& b)
{
    return a.id == b.id && a.chosen == b.chosen && a.label == b.label && a.note == b.note
        && std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(), [](const MemorySegment& x, const MemorySegment& y) { return isSame(x, y); });
}

bool isSame(const MemoryBarsData& a, const MemoryBarsData& b)
{
    return a.preview.has_value() == b.preview.has_value() && (!a.preview || isSame(*a.preview, *b.preview)) && a.limitBytes == b.limitBytes && a.limitLabel == b.limitLabel
        && a.bytesPerUnit == b.bytesPerUnit && a.unit == b.unit
        && std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [](const MemoryBarRow& x, const MemoryBarRow& y) { return isSame(x, y); });
}

}  // namespace

MemoryBarsView::MemoryBarsView(QWidget* parent) : ChartWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
}

void MemoryBarsView::setMetrics(const MemoryBarsMetrics& metrics)
{
    m_metrics = metrics;
    markDirty();
    frameTick();
}

void MemoryBarsView::setData(const MemoryBarsData& data)
{
    // A slider that changes times alone: the picture stays, and only goes out with the frame.
    if (isSame(data, m_data) && m_metrics.textHeight == QFontMetricsF(fontOf(12, true)).height() && (data.rows.empty() || state() == State::Ready)) {
        frameTick();
        update();
        refresh();   // also while nobody sees it
        return;
    }
    const auto chosenIn = [](const MemoryBarsData& bars) { return std::find_if(bars.rows.begin(), bars.rows.end(), [](const MemoryBarRow& row) { return row.chosen; }) - bars.rows.begin(); };
    const bool moved = data.rows.size() != m_data.rows.size() || chosenIn(data) != chosenIn(m_data);
    m_data = data;
    if (!data.rows.empty())
        setState(State::Ready);
    m_metrics.textHeight = QFontMetricsF(fontOf(12, true)).height();
    setMinimumHeight(data.rows.empty() ? 0 : std::max(minimumSizeHint().height(), static_cast<int>(std::ceil(leastMemoryBarsHeight(data.rows.size(), m_metrics)))));
    markDirty();
    frameTick();
    refresh();   // also while nobody sees it: where the rows stand is asked for below
    if (const auto chosen = static_cast<std::size_t>(chosenIn(data)); moved && chosen < m_layout.rows.size())
        emit lookedAt(m_layout.rows[chosen]);
}

void MemoryBarsView::setPreview(const std::optional<MemoryBarRow>& preview)
{
    if (!preview && !m_data.preview)
        return;
    m_data.preview = preview;
    markDirty();
    frameTick();
}

QString MemoryBarsView::valueText(std::int64_t bytes) const
{
    const double value = static_cast<double>(bytes) / m_data.bytesPerUnit;
    // A small bar beside large ones keeps two digits that say something: 0.037, not 0.0.
    const int digits = value >= 999.5 ? 0 : value >= 0.95 || value <= 0 ? 1 : value >= 0.095 ? 2 : 3;
    return QLocale().toString(value, 'f', digits);
}

void MemoryBarsView::refresh()
{
    // Names are whole as long as bars keep most of the room.
    MemoryBarsMetrics metrics = m_metrics;
    for (const MemoryBarRow& row : m_data.rows)
        metrics.labelWidth = std::max(metrics.labelWidth, std::ceil(QFontMetricsF(fontOf(12, row.chosen)).horizontalAdvance(row.label)) + kBehindLabel);
    m_labelWidth = metrics.labelWidth = std::clamp(metrics.labelWidth, m_metrics.labelWidth, std::max(m_metrics.labelWidth, width() / 4.0));
    m_layout = layoutMemoryBars(m_data, QSizeF(size()), metrics);
    if (m_current >= static_cast<int>(m_layout.boxes.size()))
        m_current = -1;
}

void MemoryBarsView::paintChart(QPainter& painter)
{
    const ChartColors& c = colors();
    painter.fillRect(rect(), c.base);
    for (std::size_t i = 0; i < m_data.rows.size(); ++i)
        if (m_data.rows[i].chosen)
            painter.fillRect(m_layout.rows[i], c.selection);

    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(fontOf(10));
    const QFontMetricsF tickMetrics(painter.font());
    QStringList tickTexts;
    std::vector<double> tickWidths;
    for (const ByteTick& tick : m_layout.ticks) {
        painter.setPen(c.grid);
        painter.drawLine(QPointF(std::round(tick.x) + 0.5, m_layout.plot.top()), QPointF(std::round(tick.x) + 0.5, m_layout.plot.bottom()));
        tickTexts << QLocale().toString(tick.value, 'g', 6) + (&tick == &m_layout.ticks.back() ? QLatin1Char(' ') + m_data.unit : QString());
        tickWidths.push_back(tickMetrics.horizontalAdvance(tickTexts.last()));
    }
    painter.setPen(c.secondaryText);
    const auto lefts = placeTickTexts(m_layout.ticks, tickWidths, width() - 4);
    for (std::size_t i = 0; i < lefts.size(); ++i)
        if (lefts[i])
            painter.drawText(QPointF(*lefts[i], m_layout.plot.bottom() + 14), tickTexts[static_cast<qsizetype>(i)]);

    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const SegmentBox& box : m_layout.boxes) {
        const MemorySegment& segment = m_data.rows[static_cast<std::size_t>(box.row)].segments[static_cast<std::size_t>(box.segment)];
        const QColor& fill = c.memoryOf(segment.kind);
        painter.fillRect(box.rect, fill);
        if (box.labelled) {
            painter.setFont(fontOf(11));
            const QString text = valueText(segment.bytes);
            const double needed = QFontMetricsF(painter.font()).horizontalAdvance(text) + 6;
            const auto row = static_cast<std::size_t>(box.row);
            QRectF free = box.rect;
            if (m_layout.cut[row])   // the marks of a broken bar stand before its end
                free.setRight(std::min(free.right(), m_layout.bars[row].right() - kBreakRoom));
            const QRectF room = free.width() < needed ? QRectF() : m_layout.besideLimit(free, needed);
            if (!room.isEmpty()) {
                painter.setPen(textOn(fill));
                painter.drawText(room, Qt::AlignCenter, text);
            }
        }
    }
    // A bar that goes on beyond the axis is broken before its end; its total beside it says how far.
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.base);
    for (std::size_t i = 0; i < m_layout.bars.size(); ++i) {
        if (!m_layout.cut[i])
            continue;
        const QRectF& bar = m_layout.bars[i];
        for (const double before : {13.0, kBreakRoom - 2}) {
            const double x = bar.right() - before;
            painter.drawPolygon(QPolygonF({QPointF(x, bar.bottom()), QPointF(x + 5, bar.top()), QPointF(x + 8, bar.top()), QPointF(x + 3, bar.bottom())}));
        }
    }
    // Planned is thin and hollow: what is only a preview does not fill its box.
    for (std::size_t i = 0, box = 0; m_data.preview && i < m_data.preview->segments.size() && box < m_layout.preview.size(); ++i) {
        if (m_data.preview->segments[i].bytes <= 0)
            continue;
        const QRectF& rect = m_layout.preview[box++];
        painter.setPen(QPen(c.memoryOf(m_data.preview->segments[i].kind), 1));
        painter.setBrush(Qt::NoBrush);
        if (rect.width() < 2)
            painter.fillRect(rect, c.memoryOf(m_data.preview->segments[i].kind));
        else
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    const double right = width() - m_metrics.inset;
    for (std::size_t i = 0; i < m_data.rows.size(); ++i) {
        const MemoryBarRow& row = m_data.rows[i];
        const QRectF& area = m_layout.rows[i];
        painter.setFont(fontOf(12, row.chosen));
        painter.setPen(c.text);
        painter.drawText(QRectF(m_metrics.inset, area.top(), m_labelWidth - kBehindLabel, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(row.label, Qt::ElideRight, static_cast<int>(m_labelWidth - kBehindLabel)));
        if (m_metrics.noteWidth > 0 && !row.note.isEmpty()) {
            painter.setFont(fontOf(11));
            painter.setPen(c.secondaryText);
            painter.drawText(QRectF(right - m_metrics.totalWidth - m_metrics.noteWidth, area.top(), m_metrics.noteWidth, area.height()), Qt::AlignRight | Qt::AlignVCenter, row.note);
        }
        const bool over = m_data.limitBytes > 0 && row.total() > m_data.limitBytes;
        painter.setFont(fontOf(12, true));
        painter.setPen(over ? c.error : c.text);
        painter.drawText(QRectF(right - m_metrics.totalWidth, area.top(), m_metrics.totalWidth, area.height()), Qt::AlignRight | Qt::AlignVCenter, valueText(row.total()));
    }

    painter.setFont(fontOf(11));
    if (m_layout.limitX >= 0) {
        painter.setPen(QPen(c.error, 2));
        painter.drawLine(QPointF(m_layout.limitX, 12), QPointF(m_layout.limitX, m_layout.plot.bottom() + 4));
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(m_data.limitLabel);
        painter.drawText(QPointF(std::min(m_layout.limitX + 5, this->width() - width - 6), 13), m_data.limitLabel);
    } else if (m_layout.limitBeyond) {
        painter.setPen(c.secondaryText);
        const QString text = m_data.limitLabel + QStringLiteral(" \u2192");
        painter.drawText(QRectF(0, 0, right, 18), Qt::AlignRight | Qt::AlignVCenter, text);
    }
}

void MemoryBarsView::paintOverlay(QPainter& painter)
{
    if (!hasFocus())
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors().accent, 2));
    if (m_current >= 0)
        painter.drawRect(m_layout.boxes[static_cast<std::size_t>(m_current)].rect.adjusted(-1, -1, 1, 1));
    else
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

std::vector<ChartPart> MemoryBarsView::parts() const
{
    std::vector<ChartPart> parts;
    int row = -1;
    for (const SegmentBox& box : m_layout.boxes) {
        const MemoryBarRow& data = m_data.rows[static_cast<std::size_t>(box.row)];
        if (box.row != row) {
            row = box.row;
            parts.push_back({data.label, valueText(data.total()) + QLatin1Char(' ') + m_data.unit, m_layout.rows[static_cast<std::size_t>(row)]});
        }
        const MemorySegment& segment = data.segments[static_cast<std::size_t>(box.segment)];
        parts.push_back({data.label + QStringLiteral(", ") + segment.name, valueText(segment.bytes) + QLatin1Char(' ') + m_data.unit, box.rect});
    }
    if (m_data.preview && !m_layout.preview.empty())
        parts.push_back({m_data.preview->label, valueText(m_data.preview->total()) + QLatin1Char(' ') + m_data.unit, m_layout.preview.front().united(m_layout.preview.back())});
    return parts;
}

QString MemoryBarsView::tipAt(const QPointF& position) const
{
    const int hit = boxAt(m_layout, position);
    if (hit < 0) {
        // Beside the bar: the row's whole label, which may not have had room.
        for (std::size_t i = 0; i < m_layout.rows.size(); ++i)
            if (const MemoryBarRow& row = m_data.rows[i]; m_layout.rows[i].contains(position))
                return row.label + QStringLiteral(": ") + valueText(row.total()) + QLatin1Char(' ') + m_data.unit + (row.note.isEmpty() ? QString() : QLatin1Char('\n') + row.note);
        return {};
    }
    const SegmentBox& box = m_layout.boxes[static_cast<std::size_t>(hit)];
    const MemoryBarRow& row = m_data.rows[static_cast<std::size_t>(box.row)];
    const MemorySegment& segment = row.segments[static_cast<std::size_t>(box.segment)];
    const QString head = row.label + QStringLiteral(": ") + segment.name + QLatin1Char(' ') + valueText(segment.bytes) + QLatin1Char(' ') + m_data.unit;
    return segment.tip.isEmpty() ? head : head + QLatin1Char('\n') + segment.tip;
}

void MemoryBarsView::select(int box)
{
    m_current = box;
    markOverlayDirty();
    frameTick();
    const SegmentBox& at = m_layout.boxes[static_cast<std::size_t>(box)];
    setAccessibleDescription(tipAt(at.rect.center()));
    emit lookedAt(m_layout.rows[static_cast<std::size_t>(at.row)]);
}

void MemoryBarsView::mousePressEvent(QMouseEvent* event)
{
    const int hit = boxAt(m_layout, event->position());
    if (hit >= 0) {
        select(hit);
        emit segmentActivated(m_layout.boxes[static_cast<std::size_t>(hit)].row, m_layout.boxes[static_cast<std::size_t>(hit)].segment);
        return;
    }
    for (std::size_t i = 0; i < m_layout.rows.size(); ++i)
        if (m_layout.rows[i].contains(event->position()))
            emit rowActivated(static_cast<int>(i));
}

void MemoryBarsView::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_layout.boxes.size()) - 1;
    if (last < 0) {
        ChartWidget::keyPressEvent(event);
        return;
    }
    const auto boxOf = [this](int i) { return m_layout.boxes[static_cast<std::size_t>(i)]; };
    switch (event->key()) {
    case Qt::Key_Right: select(std::min(m_current + 1, last)); return;
    case Qt::Key_Left: select(std::max(m_current - 1, 0)); return;
    case Qt::Key_Home: select(0); return;
    case Qt::Key_End: select(last); return;
    case Qt::Key_Down:
    case Qt::Key_Up: {
        // To the same segment of the next bar, or the nearest one there.
        const SegmentBox from = boxOf(std::max(m_current, 0));
        const int wanted = from.row + (event->key() == Qt::Key_Down ? 1 : -1);
        int best = -1;
        for (int i = 0; i <= last; ++i)
            if (boxOf(i).row == wanted && (best < 0 || std::abs(boxOf(i).segment - from.segment) < std::abs(boxOf(best).segment - from.segment)))
                best = i;
        if (best >= 0)
            select(best);
        return;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_current >= 0)
            emit segmentActivated(boxOf(m_current).row, boxOf(m_current).segment);
        return;
    default: ChartWidget::keyPressEvent(event);
    }
}

void MemoryBarsView::focusInEvent(QFocusEvent* event)
{
    ChartWidget::focusInEvent(event);
    markOverlayDirty();
    frameTick();
}

void MemoryBarsView::focusOutEvent(QFocusEvent* event)
{
    ChartWidget::focusOutEvent(event);
    markOverlayDirty();
    frameTick();
}

}  // namespace stagecraft
