// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style_parts.h"

#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionSlider>

namespace stagecraft::theme::parts {

namespace {

/// Saves and restores the painter round one part.
class Saved {
public:
    explicit Saved(QPainter* painter) : m_painter(painter) { m_painter->save(); }
    ~Saved() { m_painter->restore(); }
    Saved(const Saved&) = delete;
    Saved& operator=(const Saved&) = delete;

private:
    QPainter* m_painter;
};

}  // namespace

void outline(QPainter* painter, const QRect& rect)
{
    const Saved saved(painter);
    painter->setPen(color(Token::InputBorder));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(rect.adjusted(0, 0, -1, -1));
}

void focusRing(QPainter* painter, const QRect& rect)
{
    const Saved saved(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(color(Token::Accent), 2));
    painter->drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 3, 3);
}

void button(QPainter* painter, const QRect& rect, const ButtonLook& look)
{
    const Saved saved(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    QColor ground = color(look.primary && look.enabled ? Token::Fill : Token::Button);
    if (look.checked)
        ground = color(Token::Selection);
    else if (look.pressed)
        ground = look.primary ? ground.darker(115) : color(Token::Selection);
    else if (look.hovered)
        ground = look.primary ? ground.lighter(110) : ground.lighter(Theme::instance() && Theme::instance()->scheme() == Scheme::Dark ? 115 : 97);
    QColor border = color(look.enabled ? Token::InputBorder : Token::Line);
    if (look.primary && look.enabled)
        border = ground;
    painter->setPen(QPen(look.focused ? color(look.primary ? Token::Text : Token::Accent) : border, look.focused ? 2 : 1));
    painter->setBrush(ground);
    const double inset = look.focused ? 1.0 : 0.5;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), 3, 3);
}

void field(QPainter* painter, const QRect& rect, bool enabled, bool focused, bool invalid)
{
    const Saved saved(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor border = invalid ? color(Token::Error) : focused ? color(Token::Accent) : color(enabled ? Token::InputBorder : Token::Line);
    painter->setPen(QPen(border, focused ? 2 : 1));
    painter->setBrush(color(enabled ? Token::Base : Token::Window));
    const double inset = focused ? 1.0 : 0.5;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), 2, 2);
}

void checkBox(QPainter* painter, const QRect& rect, QStyle::State state)
{
    const Saved saved(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    const bool enabled = state.testFlag(QStyle::State_Enabled);
    const bool on = state.testFlag(QStyle::State_On);
    const bool half = state.testFlag(QStyle::State_NoChange);
    const QRectF box(rect.left() + (rect.width() - 13) / 2.0, rect.top() + (rect.height() - 13) / 2.0, 13, 13);   // its line inside the rect
    painter->setPen(QPen(color(on && enabled ? Token::Fill : enabled ? Token::InputBorder : Token::Line), 1));
    painter->setBrush(color(on && enabled ? Token::Fill : Token::Base));
    painter->drawRoundedRect(box, 2, 2);
    const QColor mark = color(enabled ? (on ? Token::OnFill : Token::Text) : Token::Disabled);
    if (on) {
        painter->setPen(QPen(mark, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPolyline(QPolygonF{box.topLeft() + QPointF(3, 6.8), box.topLeft() + QPointF(5.6, 9.4), box.topLeft() + QPointF(10.2, 3.8)});
    } else if (half) {
        painter->setPen(QPen(mark, 1.6, Qt::SolidLine, Qt::RoundCap));
        painter->drawLine(box.topLeft() + QPointF(3.5, 6.5), box.topLeft() + QPointF(9.5, 6.5));
    }
}

void chevron(QPainter* painter, const QRect& rect, int turn, const QColor& colour)
{
    const Saved saved(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->translate(QRectF(rect).center());
    painter->rotate(turn);
    painter->drawPolyline(QPolygonF{QPointF(-3.5, -1.8), QPointF(0, 1.8), QPointF(3.5, -1.8)});
}

void tab(QPainter* painter, const QRect& rect, bool selected, bool hovered)
{
    painter->fillRect(rect, color(selected ? Token::Base : hovered ? Token::Button : Token::Head));
    if (selected) {
        painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 2), color(Token::Accent));
        painter->fillRect(QRect(rect.left(), rect.top(), 1, rect.height()), color(Token::Line));
        painter->fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), color(Token::Line));
    } else {
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), color(Token::Line));
    }
}

void slider(QPainter* painter, const QRect& groove, const QRect& handle, bool enabled, bool focused)
{
    const Saved saved(painter);
    painter->setRenderHint(QPainter::Antialiasing);
    const QPointF knob = QRectF(handle).center();
    const QRectF track(groove.left(), knob.y() - 1.5, groove.width(), 3);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color(Token::Line));
    painter->drawRoundedRect(track, 1.5, 1.5);
    const QColor accent = color(enabled ? Token::Accent : Token::Disabled);
    painter->setBrush(accent);
    painter->drawRoundedRect(QRectF(track.left(), track.top(), knob.x() - track.left(), 3), 1.5, 1.5);
    painter->setPen(QPen(accent, focused ? 2.6 : 1.6));
    painter->setBrush(color(focused ? Token::Selection : Token::Button));
    painter->drawEllipse(knob, 5, 5);
}

QRect scrollBarPart(const QStyleOptionSlider& bar, QStyle::SubControl part)
{
    const bool horizontal = bar.orientation == Qt::Horizontal;
    const int length = horizontal ? bar.rect.width() : bar.rect.height();
    const int range = bar.maximum - bar.minimum;
    int handle = length;
    if (range > 0)
        handle = std::max(24, static_cast<int>(std::int64_t{length} * bar.pageStep / (std::int64_t{range} + bar.pageStep)));
    handle = std::min(handle, length);
    const int start = QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition, length - handle, bar.upsideDown);
    int from = 0;
    int size = 0;
    switch (part) {
    case QStyle::SC_ScrollBarSlider: from = start; size = handle; break;
    case QStyle::SC_ScrollBarGroove: size = length; break;
    case QStyle::SC_ScrollBarSubPage: size = start; break;
    case QStyle::SC_ScrollBarAddPage: from = start + handle; size = length - from; break;
    default: return {};
    }
    const QRect rect = horizontal ? QRect(from, 0, size, bar.rect.height()) : QRect(0, from, bar.rect.width(), size);
    return QStyle::visualRect(bar.direction, bar.rect, rect.translated(bar.rect.topLeft()));
}

}  // namespace stagecraft::theme::parts
