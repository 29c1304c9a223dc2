// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/key_lines.h"

#include <QFontMetrics>

#include <algorithm>

namespace stagecraft {

namespace {

constexpr qsizetype kMostLines = 4;   ///< of a section, and of a name

bool isMark(QChar c) { return c == QLatin1Char('.') || c == QLatin1Char('_'); }

/// Where the line that begins at `from` ends: behind the last mark that still fits, or inside a word that is wider than the line.
qsizetype lineEnd(const QString& text, qsizetype from, int width, const QFontMetrics& metrics)
{
    qsizetype end = from;
    for (qsizetype at = from + 1; at <= text.size(); ++at) {
        if (at < text.size() && !isMark(text.at(at - 1)))
            continue;
        if (metrics.horizontalAdvance(text.mid(from, at - from)) > width)
            break;
        end = at;
    }
    if (end > from)
        return end;
    end = from + 1;
    while (end < text.size() && metrics.horizontalAdvance(text.mid(from, end + 1 - from)) <= width)
        ++end;
    return end;
}

QStringList wrapped(const QString& text, int width, const QFontMetrics& metrics)
{
    QStringList lines;
    qsizetype from = 0;
    while (from < text.size()) {
        const qsizetype end = lineEnd(text, from, width, metrics);
        if (end < text.size() && lines.size() + 1 == kMostLines) {   // names that begin alike are told apart by their end
            lines << metrics.elidedText(text.mid(from), Qt::ElideMiddle, width);
            break;
        }
        lines << text.mid(from, end - from);
        from = end;
    }
    return lines;
}

}  // namespace

KeyLines keyLines(const QString& name, int width, int across, const QFontMetrics& whole, const QFontMetrics& half)
{
    if (name.isEmpty() || whole.horizontalAdvance(name) <= width)
        return {{}, {name}};
    qsizetype dot = -1, underscore = -1;
    for (qsizetype at = name.size() - 1; at > 0; --at) {
        if (!isMark(name.at(at - 1)))
            continue;
        if (half.horizontalAdvance(name.mid(at)) > width)
            break;
        if (half.horizontalAdvance(name.left(at)) > width)
            continue;
        qsizetype& last = name.at(at - 1) == QLatin1Char('.') ? dot : underscore;
        last = std::max(last, at);
    }
    if (const qsizetype at = dot >= 0 ? dot : underscore; at >= 0)
        return {{}, {name.left(at), name.mid(at)}, true};
    const qsizetype own = name.lastIndexOf(QLatin1Char('.'), name.size() - 2) + 1;
    const QString last = name.mid(own);
    const bool small = whole.horizontalAdvance(last) > width;
    return {own > 0 ? wrapped(name.left(own), across, half) : QStringList(), small ? wrapped(last, width, half) : QStringList{last}, small};
}

}  // namespace stagecraft
