// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QWidget>

class QPainter;

namespace stagecraft {

/// A small painted chart whose points a cursor reads out: the mouse moves it, and left, right, home and end. It is gone when
/// the mouse or the focus leaves.
class CursorChart : public QWidget {
    Q_OBJECT
public:
    explicit CursorChart(QWidget* parent);

protected:
    /// Index of the point read out; -1 = none.
    [[nodiscard]] int cursor() const { return m_cursor; }
    void setCursorAt(int index);
    [[nodiscard]] virtual int pointCount() const = 0;
    [[nodiscard]] virtual int pointAt(double x) const = 0;
    /// Where the keys start from; -1 = before the first point.
    [[nodiscard]] virtual int startPoint() const { return -1; }

    /// The point of a curve the cursor, or a value in force, stands on, with its line down.
    static void paintMark(QPainter& painter, const QRectF& box, double x);
    static void paintPoint(QPainter& painter, const QPointF& at, theme::Token colour);
    /// The frame of the chart that has the keys; last of all.
    void paintFocus(QPainter& painter) const;

    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    int m_cursor = -1;
};

}  // namespace stagecraft
