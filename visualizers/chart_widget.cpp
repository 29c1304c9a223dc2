// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_widget.h"

#include "chart_accessible.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QHash>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <cmath>
#include <utility>

namespace stagecraft {

ChartWidget::ChartWidget(QWidget* parent) : QWidget(parent)
{
    installChartAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void ChartWidget::setColors(const ChartColors& colors)
{
    if (colors == m_colors)
        return;
    m_colors = colors;
    markDirty();
}

void ChartWidget::setState(State state, const QString& sentence)
{
    if (state == m_state && sentence == m_sentence)
        return;
    m_state = state;
    m_sentence = sentence;
    setAccessibleDescription(sentence);
    markDirty();
}

void ChartWidget::setStale(bool stale)
{
    if (std::exchange(m_stale, stale) != stale)
        markDirty();
}

void ChartWidget::frameTick()
{
    if (!isVisible())
        return;   // stays dirty: laid out when it is seen again
    if (m_dirty) {
        m_laidOutSize = {};
        m_dirty = false;
        m_overlayDirty = false;
        update();
    } else if (std::exchange(m_overlayDirty, false)) {
        update();
    }
}

QString ChartWidget::tipAt(const QPointF&) const { return {}; }

void ChartWidget::paintOverlay(QPainter&) {}

QFont ChartWidget::fontOf(int pixels, bool bold) const
{
    QFont result = font();
    result.setPixelSize(pixels);
    result.setBold(bold);
    return result;
}

TextWidth ChartWidget::widthIn(const QFont& font) const
{
    // From one frame to the next most words stay: shaping them is dearer than all else in a layout.
    constexpr qsizetype kMostKnown = 4096;
    static QHash<std::pair<QString, QString>, double> known;   // by font and text; charts live in one thread
    return [metrics = QFontMetricsF(font), name = font.key()](const QString& text) {
        const auto at = std::pair(name, text);
        if (const auto width = known.constFind(at); width != known.constEnd())
            return *width;
        if (known.size() >= kMostKnown)
            known.clear();
        return *known.insert(at, std::ceil(metrics.horizontalAdvance(text)));
    };
}

void ChartWidget::ensureLaidOut(double scale)
{
    if (m_laidOutSize == size() && m_laidOutScale == scale)
        return;
    m_laidOutSize = size();
    m_laidOutScale = scale;
    m_painted = false;
    if (m_state == State::Ready)
        refresh();
}

bool ChartWidget::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        ensureLaidOut(pixelScale());
        const QString tip = m_state == State::Ready ? tipAt(help->pos()) : QString();
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), tip, this);
        return true;
    }
    const bool done = QWidget::event(event);
    // What a key or a click marks is seen at once, in a view that no frame timer paints too: Enter acts on what is marked.
    switch (event->type()) {
    case QEvent::KeyPress:
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::MouseButtonDblClick:
        frameTick();
        break;
    default: break;
    }
    return done;
}

void ChartWidget::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LanguageChange || event->type() == QEvent::LocaleChange)
        markDirty();
    QWidget::changeEvent(event);
}

void ChartWidget::paintEvent(QPaintEvent*)
{
    if (std::exchange(m_dirty, false))
        m_laidOutSize = {};
    QPainter painter(this);
    // Not the widget's own ratio: the widget may be rendered into a picture.
    const double scale = painter.deviceTransform().m11();
    ensureLaidOut(scale);
    if (!m_painted) {
        const QSize pixels(static_cast<int>(std::ceil(width() * scale)), static_cast<int>(std::ceil(height() * scale)));
        if (m_picture.size() != pixels)
            m_picture = QPixmap(pixels);
        m_picture.setDevicePixelRatio(scale);
        m_picture.fill(m_colors.base);
        QPainter kept(&m_picture);
        kept.setFont(fontOf(11));
        if (m_state == State::Ready) {
            paintChart(kept);
            if (m_stale) {
                kept.setOpacity(0.6);
                kept.fillRect(rect(), m_colors.base);
            }
        } else {
            paintState(kept);
        }
        m_painted = true;
    }
    painter.drawPixmap(0, 0, m_picture);
    if (m_state == State::Ready)
        paintOverlay(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_colors.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void ChartWidget::paintState(QPainter& painter) const
{
    const QRectF area = QRectF(rect()).adjusted(12, 8, -12, -8);
    if (m_state == State::Loading) {
        // Grey rows where the figures will stand: nothing jumps when they come.
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_colors.grid);
        double y = area.top() + 24;
        for (const double share : {0.9, 0.6, 0.75}) {
            if (y + 10 < area.bottom())
                painter.drawRect(QRectF(area.left(), y, area.width() * share, 8));
            y += 20;
        }
    }
    painter.setFont(fontOf(12));
    painter.setPen(m_state == State::Failed ? m_colors.error : m_colors.secondaryText);
    const int flags = m_state == State::Loading ? Qt::AlignLeft | Qt::AlignTop : Qt::AlignCenter;
    painter.drawText(area, flags | static_cast<int>(Qt::TextWordWrap), m_sentence);
}

void paintHatch(QPainter& painter, const QRectF& rect, const QColor& color)
{
    if (rect.width() <= 0 || rect.height() <= 0)
        return;
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.4));
    // Lines on a grid of the whole widget, so that neighbouring blocks continue each other.
    constexpr double kApart = 5;
    const double first = std::floor((rect.left() + rect.top()) / kApart) * kApart;
    for (double sum = first; sum < rect.right() + rect.bottom() + kApart; sum += kApart)
        painter.drawLine(QPointF(sum - rect.top(), rect.top()), QPointF(sum - rect.bottom(), rect.bottom()));
    painter.restore();
}

}  // namespace stagecraft
