// SPDX-License-Identifier: GPL-3.0-or-later
#include "line_text.h"

#include <QCache>
#include <QFontMetrics>
#include <QPainter>
#include <QStaticText>

#include <cmath>

namespace stagecraft {

namespace {

struct Line {
    QString text;
    QFont font;
    int width = 0;   ///< px it may take
    friend bool operator==(const Line& a, const Line& b) { return a.width == b.width && a.text == b.text && a.font == b.font; }
    friend size_t qHash(const Line& line, size_t seed = 0) { return qHashMulti(seed, line.text, line.width, line.font.pixelSize(), line.font.weight(), line.font.family()); }
};

constexpr int kMostLines = 4000;

}  // namespace

void drawLineOfText(QPainter& painter, const QRectF& where, Qt::Alignment alignment, const QString& text)
{
    if (text.isEmpty()) return;
    static QCache<Line, QStaticText> laidOut(kMostLines);
    const Line line{text, painter.font(), static_cast<int>(std::ceil(where.width()))};
    QStaticText* drawn = laidOut.object(line);
    if (!drawn) {
        drawn = new QStaticText(painter.fontMetrics().elidedText(text, Qt::ElideRight, line.width, Qt::TextSingleLine));
        drawn->setTextFormat(Qt::PlainText);
        drawn->setPerformanceHint(QStaticText::AggressiveCaching);
        drawn->prepare(painter.transform(), line.font);
        laidOut.insert(line, drawn);
    }
    const QSizeF size = drawn->size();
    const qreal x = alignment & Qt::AlignRight ? where.right() - size.width() : alignment & Qt::AlignHCenter ? where.center().x() - size.width() / 2 : where.left();
    const qreal y = alignment & Qt::AlignTop ? where.top() : alignment & Qt::AlignBottom ? where.bottom() - size.height() : where.center().y() - size.height() / 2;
    painter.drawStaticText(QPointF(x, std::round(y)), *drawn);
}

}  // namespace stagecraft
