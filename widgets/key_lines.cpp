// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/key_lines.h"

#include <QFontMetrics>

#include <algorithm>

namespace stagecraft {

QStringList keyLines(const QString& name, int width, const QFontMetrics& whole, const QFontMetrics& half)
{
    if (whole.horizontalAdvance(name) <= width)
        return {name};
    const auto widest = [&](qsizetype at) { return std::max(half.horizontalAdvance(name.left(at)), half.horizontalAdvance(name.mid(at))); };
    qsizetype dot = -1, line = -1, best = -1;
    for (qsizetype at = 1; at < name.size(); ++at) {
        const QChar before = name.at(at - 1);
        if (before != QLatin1Char('.') && before != QLatin1Char('_'))
            continue;
        if (best < 0 || widest(at) < widest(best))
            best = at;
        if (widest(at) <= width)
            (before == QLatin1Char('.') ? dot : line) = at;  // the last one that serves
    }
    const qsizetype at = dot >= 0 ? dot : line;
    if (at >= 0)
        return {name.left(at), name.mid(at)};
    // Before one is cut: a break before a sign, or inside a word.
    qsizetype sign = -1, word = -1;
    for (qsizetype inside = 1; inside < name.size(); ++inside)
        if (widest(inside) <= width)
            (name.at(inside) == QLatin1Char('.') || name.at(inside) == QLatin1Char('_') ? sign : word) = inside;
    if (const qsizetype inside = sign >= 0 ? sign : word; inside >= 0)
        return {name.left(inside), name.mid(inside)};
    if (best < 0)
        return {whole.elidedText(name, Qt::ElideMiddle, width)};
    // Paths begin alike, and their end tells them apart: it is kept whole where it can be.
    qsizetype end = -1;
    for (const QChar mark : {QLatin1Char('_'), QLatin1Char('.')})
        for (qsizetype part = name.size() - 1; part > 0; --part)
            if (name.at(part - 1) == mark && half.horizontalAdvance(name.mid(part)) <= width)
                end = part;
    if (end < 0)
        end = best;
    // Elision asks for a hair more than the words take: what fits is not given to it.
    const auto fitted = [&](const QString& part) { return half.horizontalAdvance(part) <= width ? part : half.elidedText(part, Qt::ElideLeft, width); };
    return {fitted(name.left(end)), fitted(name.mid(end))};
}

}  // namespace stagecraft
