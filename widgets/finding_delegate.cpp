// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/finding_delegate.h"

#include "widgets/config_findings.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QPainter>
#include <QTextLayout>
#include <QTextOption>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kWordsInset = 4, kKeyGap = 8;   // px
constexpr int kButtonLeft = 24, kButtonRight = 6;   // px beside the words of a button: its icon

/// The key in its own colour, then what is said of it.
void drawWords(QPainter& painter, const QModelIndex& index, const QRect& rect, bool whole)
{
    const QRect inside = rect.adjusted(kWordsInset, 0, -kWordsInset, 0);
    const QStringList lines = FindingDelegate::linesOf(index, rect.width(), whole);
    QRect line = lines.size() > 1 ? QRect(inside.left(), inside.top() + 3, inside.width(), FindingDelegate::kLineHeight) : inside;
    int keyWidth = 0;
    if (const QString key = index.data(FindingsModel::KeyRole).toString(); !key.isEmpty()) {
        painter.setFont(theme::font(Role::FixedSmall));
        painter.setPen(theme::color(Token::Accent));
        const QString shown = painter.fontMetrics().elidedText(key, Qt::ElideLeft, line.width());
        painter.drawText(line, Qt::AlignVCenter, shown);
        keyWidth = painter.fontMetrics().horizontalAdvance(shown) + kKeyGap;
    }
    painter.setFont(theme::font(Role::Body));
    painter.setPen(theme::color(Token::Text));
    for (const QString& words : lines) {
        const QRect at = line.adjusted(keyWidth, 0, 0, 0);
        painter.drawText(at, Qt::AlignVCenter, painter.fontMetrics().elidedText(words, Qt::ElideRight, at.width()));
        line.translate(0, FindingDelegate::kLineHeight);
        keyWidth = 0;
    }
}

/// The words of a fix in so much room: a long key loses its end, what is done to it stays.
QString fixInRoom(const QString& words, const QFontMetrics& metrics, int width)
{
    if (metrics.horizontalAdvance(words) <= width)
        return words;
    QString longest;
    for (const QString& word : words.split(QLatin1Char(' ')))
        if (word.size() > longest.size())
            longest = word;
    const qsizetype at = words.indexOf(longest);
    const QString before = words.left(at), after = words.mid(at + longest.size());
    const int room = width - metrics.horizontalAdvance(before) - metrics.horizontalAdvance(after);
    constexpr int kLeastKey = 48;   // px
    return room < kLeastKey ? metrics.elidedText(words, Qt::ElideRight, width) : before + metrics.elidedText(longest, Qt::ElideRight, room) + after;
}

}  // namespace

QString FindingDelegate::buttonWords(const QRect& cell, const QString& label)
{
    return fixInRoom(label, QFontMetrics(theme::font(Role::Small)), buttonRect(cell, label).width() - kButtonLeft - kButtonRight);
}

QStringList FindingDelegate::linesOf(const QModelIndex& index, int cellWidth, bool whole)
{
    const QString key = index.data(FindingsModel::KeyRole).toString(), sentence = index.data(whole ? FindingsModel::WholeRole : FindingsModel::SentenceRole).toString();
    const int width = cellWidth - 2 * kWordsInset;
    const int keyWidth = key.isEmpty() ? 0 : QFontMetrics(theme::font(Role::FixedSmall)).horizontalAdvance(key) + kKeyGap;
    const QFontMetrics metrics(theme::font(Role::Body));
    if (keyWidth + metrics.horizontalAdvance(sentence) <= width)
        return {sentence};
    QStringList lines;
    QTextLayout words(sentence, theme::font(Role::Body));
    QTextOption breaks;
    breaks.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    words.setTextOption(breaks);
    words.beginLayout();
    qsizetype begun = 0;
    // Where the key leaves next to nothing of its line the words begin on the next.
    if (width - keyWidth <= 80)
        lines << QString();
    while ((whole || lines.size() + 1 < kMostLines) && begun < sentence.size()) {
        QTextLine line = words.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(lines.isEmpty() ? width - keyWidth : width);
        lines << sentence.mid(begun, line.textLength()).trimmed();
        begun += line.textLength();
    }
    words.endLayout();
    if (begun < sentence.size())
        lines << sentence.mid(begun);
    return lines;
}

int FindingDelegate::rowHeight(const QModelIndex& index, int cellWidth, bool whole)
{
    return kRowHeight + kLineHeight * static_cast<int>(linesOf(index, cellWidth, whole).size() - 1);
}

QRect FindingDelegate::buttonRect(const QRect& cell, const QString& label)
{
    const int width = std::min(cell.width() - 8, QFontMetrics(theme::font(Role::Small)).horizontalAdvance(label) + 34);
    return {cell.right() - 8 - width, cell.center().y() - kRowHeight / 2 + 1, width, kRowHeight - 2};
}

void FindingDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    painter->save();
    const QRect rect = option.rect;
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(rect, theme::color(Token::Selection));
    else if (index.row() % 2)
        painter->fillRect(rect, theme::color(Token::Alternate));
    const qreal scale = painter->device()->devicePixelRatioF();
    const QString text = index.data().toString();
    switch (index.column()) {
    case FindingsModel::Mark:
        painter->drawPixmap(QRect(rect.left() + 8, rect.top() + (rect.height() - 14) / 2, 14, 14),
            theme::iconPixmap(index.data(Qt::UserRole).toString(), index.data(Qt::ForegroundRole).value<QColor>(), 14, scale));
        break;
    case FindingsModel::Fix:
        if (!text.isEmpty()) {
            const QRect button = buttonRect(rect, text);
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(theme::color(Token::InputBorder));
            painter->setBrush(theme::color(Token::Button));
            painter->drawRoundedRect(QRectF(button).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
            painter->drawPixmap(QRect(button.left() + 7, button.top() + (button.height() - 12) / 2, 12, 12),
                theme::iconPixmap(QStringLiteral("quick-fix"), theme::color(Token::Text), 12, scale));
            painter->setFont(theme::font(Role::Small));
            painter->setPen(theme::color(Token::Text));
            painter->drawText(button.adjusted(kButtonLeft, 0, -kButtonRight, 0), Qt::AlignVCenter, buttonWords(rect, text));
        }
        break;
    case FindingsModel::Message:
        drawWords(*painter, index, rect, option.state.testFlag(QStyle::State_Selected) || rect.height() > rowHeight(index, rect.width(), false));
        break;
    default: {
        const QRect inside = rect.adjusted(kWordsInset, 0, -kWordsInset, 0);
        painter->setFont(theme::font(index.column() == FindingsModel::Rule ? Role::FixedSmall : Role::Small));
        painter->setPen(theme::color(Token::Text2));
        painter->drawText(inside, Qt::AlignVCenter, QFontMetrics(painter->font()).elidedText(text, Qt::ElideRight, inside.width()));
    }
    }
    painter->restore();
}

}  // namespace stagecraft
