// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/word_lines.h"

#include <QFontMetrics>
#include <QTextLayout>
#include <QTextOption>

namespace stagecraft {

namespace {

bool isHan(QChar c) { return c.script() == QChar::Script_Han; }

/// Chinese has no spaces: a line that would end inside of a name ends behind the last mark, or before the last "and", of its second
/// half instead, where it has one.
int goodEnd(const QString& text, qsizetype begun, int length)
{
    const qsizetype end = begun + length;
    if (length == 0 || end >= text.size() || !isHan(text.at(end - 1)) || !isHan(text.at(end)))
        return length;
    static const QString marks = QStringLiteral("、，；：。"), conjunctions = QStringLiteral("与和或");
    for (qsizetype at = end; at > begun + length / 2; --at)
        if (marks.contains(text.at(at - 1)) || conjunctions.contains(text.at(at)))
            return static_cast<int>(at - begun);
    return length;
}

}  // namespace

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
        if (const int good = goodEnd(text, begun, line.textLength()); good < line.textLength())
            line.setNumColumns(good);
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
