// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRect>
#include <QStyle>

class QPainter;
class QStyleOptionSlider;

/// The pieces that Style paints. They read the theme's colours and nothing else.
namespace stagecraft::theme::parts {

struct ButtonLook {
    bool enabled = true;
    bool pressed = false;
    bool checked = false;
    bool hovered = false;
    bool focused = false;
    bool primary = false;
};

/// The edge of what lies above the page: menus, lists that drop down, tips.
void outline(QPainter* painter, const QRect& rect);
void focusRing(QPainter* painter, const QRect& rect);
void button(QPainter* painter, const QRect& rect, const ButtonLook& look);
void field(QPainter* painter, const QRect& rect, bool enabled, bool focused, bool invalid);
void checkBox(QPainter* painter, const QRect& rect, QStyle::State state);
/// A chevron in the middle of `rect`; 0 points down, 90 left, 180 up, 270 right.
void chevron(QPainter* painter, const QRect& rect, int turn, const QColor& colour);
void tab(QPainter* painter, const QRect& rect, bool selected, bool hovered);
void slider(QPainter* painter, const QRect& groove, const QRect& handle, bool enabled, bool focused);
/// A scroll bar without arrow buttons.
[[nodiscard]] QRect scrollBarPart(const QStyleOptionSlider& bar, QStyle::SubControl part);

}  // namespace stagecraft::theme::parts
