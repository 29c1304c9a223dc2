// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/word_lines.h"

#include <QFontMetrics>
#include <QTextLayout>
#include <QTextOption>

namespace stagecraft {

QStringList wordLines(const QString& text, const QFont& font, int width, int mostLines)
{
    const QFontMetrics metrics(font);
    if (width <= 0 || metrics.horizontalAdvance(text) <= width)
        return {text};
    QTextLayout layout(text, font);
    QTextOption breaks;
    breaks.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(breaks);
    QStringList lines;
    qsizetype begun = 0;
    layout.beginLayout();
    while (lines.size() + 1 < mostLines && begun < text.size()) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(width);
        lines << text.mid(begun, line.textLength()).trimmed();
        begun += line.textLength();
    }
    layout.endLayout();
    if (begun < text.size())
        lines << metrics.elidedText(text.mid(begun).trimmed(), Qt::ElideRight, width);
    return lines;
}

int linesHeight(const QStringList& lines, const QFont& font)
{
    return QFontMetrics(font).size(0, lines.join(QLatin1Char('\n'))).height();
}

}  // namespace stagecraft
