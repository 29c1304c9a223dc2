// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/transfer_list.h"

#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

#include <algorithm>
#include <array>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

enum Roles { KindRole = Qt::UserRole + 1, ReasonRole };

constexpr int kLeft = 34;    ///< of the words: icon, gap
constexpr int kRight = 12;
constexpr std::array kOrder{TransferKind::Warning, TransferKind::Dropped, TransferKind::Changed, TransferKind::Taken};

constexpr int kHeadFlags = Qt::TextWrapAnywhere | Qt::AlignTop;

/// Key and value as they are: only a value of many lines loses its middle.
QString shownHead(const QString& head, int width)
{
    constexpr int kMostLines = 4;
    return QFontMetrics(theme::font(Role::FixedSmall)).elidedText(head, Qt::ElideMiddle, kMostLines * width - width / 4);
}

int headHeight(const QString& head, int width)
{
    return QFontMetrics(theme::font(Role::FixedSmall)).boundingRect(QRect(0, 0, width, 10000), kHeadFlags, shownHead(head, width)).height() + 2;
}

/// Icon, key and value, the reason wrapped below.
class NoteDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        const QRect rect = option.rect;
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        if (selected)
            painter->fillRect(rect, theme::color(Token::Selection));
        else if (index.row() % 2)
            painter->fillRect(rect, theme::color(Token::Alternate));
        const auto kind = static_cast<TransferKind>(index.data(KindRole).toInt());
        const char* icon = kind == TransferKind::Warning ? "dialog-warning" : kind == TransferKind::Dropped ? "window-close" : kind == TransferKind::Changed ? "view-refresh" : "emblem-ok";
        const Token tone = kind == TransferKind::Warning ? Token::Warn : kind == TransferKind::Dropped ? Token::Text2 : kind == TransferKind::Changed ? Token::Info : Token::Ok;
        painter->drawPixmap(QRect(rect.left() + 12, rect.top() + 6, 14, 14), theme::iconPixmap(QLatin1String(icon), theme::color(tone), 14, painter->device()->devicePixelRatioF()));
        QRect words = rect.adjusted(kLeft, 4, -kRight, -4);
        const QString head = index.data().toString();
        if (!head.isEmpty()) {
            painter->setFont(theme::font(Role::FixedSmall));
            painter->setPen(theme::color(Token::Text));
            const int height = headHeight(head, words.width());
            painter->drawText(QRect(words.topLeft(), QSize(words.width(), height)), kHeadFlags, shownHead(head, words.width()));
            words.setTop(words.top() + height);
        }
        painter->setFont(theme::font(Role::Small));
        painter->setPen(theme::color(head.isEmpty() ? Token::Text : Token::Text2));
        painter->drawText(words, Qt::TextWordWrap | Qt::AlignTop, index.data(ReasonRole).toString());
        if (selected && option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(theme::color(Token::Accent), 2));
            painter->drawRect(rect.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto* view = qobject_cast<const QListView*>(option.widget);
        const int width = std::max(80, (view ? view->viewport()->width() : option.rect.width()) - kLeft - kRight);
        int height = 8;
        if (const QString head = index.data().toString(); !head.isEmpty())
            height += headHeight(head, width);
        const QString reason = index.data(ReasonRole).toString();
        if (!reason.isEmpty())
            height += QFontMetrics(theme::font(Role::Small)).boundingRect(QRect(0, 0, width, 10000), Qt::TextWordWrap | Qt::AlignTop, reason).height();
        return {width, std::max(height, 26)};
    }
};

/// A sentence in which no line ends behind a slash of a JSON Pointer: one that is too long for a line goes on before a slash.
QString withWholePointers(QString sentence)
{
    constexpr QChar kMayBreak(0x200B), kMayNotBreak(0x2060);   // neither has a width
    static const QRegularExpression pointer(QStringLiteral("(?<![\\x21-\\x7e])[\"'(\\[]*/[A-Za-z][\\w~/.-]*"));
    qsizetype from = 0;
    for (QRegularExpressionMatch match = pointer.match(sentence); match.hasMatch(); match = pointer.match(sentence, from)) {
        QString whole = match.captured().replace(QLatin1Char('/'), QString(kMayBreak) + QLatin1Char('/') + kMayNotBreak);
        whole.remove(whole.indexOf(kMayBreak), 1);   // before the first the words around it break
        sentence.replace(match.capturedStart(), match.capturedLength(), whole);
        from = match.capturedStart() + whole.size();
    }
    return sentence;
}

QString headOf(const TransferNote& note)
{
    QString head = QString::fromStdString(note.key);
    if (!note.value.empty() && note.value != "null")
        head += (head.isEmpty() ? QString() : QStringLiteral(" = ")) + QString::fromStdString(note.value);
    // A key of the ds_config that stays where it is needs no arrow.
    if (!note.target.empty() && note.target != note.key && note.target != "/dsConfig" + note.key)
        head += (head.isEmpty() ? QString() : QStringLiteral(" ")) + QStringLiteral("→ ") + QString::fromStdString(note.target);
    return head.simplified();
}

}  // namespace

TransferList::TransferList(QWidget* parent) : QListView(parent), m_items(new QStandardItemModel(this))
{
    setModel(m_items);
    setItemDelegate(new NoteDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setResizeMode(QListView::Adjust);
    setAccessibleName(tr("What becomes of each value"));
}

void TransferList::setNotes(const std::vector<TransferNote>& notes)
{
    m_notes = notes;
    fill();
}

void TransferList::fill()
{
    m_items->clear();
    for (const TransferKind kind : kOrder)
        for (const TransferNote& note : m_notes) {
            if (note.kind != kind)
                continue;
            const QString word = kind == TransferKind::Warning ? tr("to look at") : kind == TransferKind::Dropped ? tr("dropped") : kind == TransferKind::Changed ? tr("changed") : tr("taken");
            const QString head = headOf(note);
            const QString reason = QString::fromStdString(note.reason);
            auto* item = new QStandardItem(head);
            item->setData(static_cast<int>(kind), KindRole);
            // A taken value whose reason only says so: where it came from is worth more.
            const QString why = reason.isEmpty() ? word : reason;
            const QString file = QString::fromStdString(note.file);
            item->setData(withWholePointers(note.line <= 0 ? why : file.isEmpty() ? tr("Line %1: %2").arg(note.line).arg(why) : tr("%1, line %2: %3").arg(file).arg(note.line).arg(why)), ReasonRole);
            QStringList parts{word};
            for (const QString& part : {head, reason})
                if (!part.isEmpty())
                    parts << part;
            item->setData(parts.join(QStringLiteral(": ")), Qt::AccessibleTextRole);
            item->setToolTip(parts.join(QStringLiteral(": ")));
            m_items->appendRow(item);
        }
}

QStringList TransferList::lines() const
{
    QStringList all;
    for (int row = 0; row < m_items->rowCount(); ++row)
        all << m_items->item(row)->data(Qt::AccessibleTextRole).toString();
    return all;
}

QString TransferList::summary(const std::vector<TransferNote>& notes)
{
    QStringList parts;
    for (const TransferKind kind : kOrder) {
        const auto number = static_cast<int>(std::count_if(notes.begin(), notes.end(), [kind](const TransferNote& note) { return note.kind == kind; }));
        if (number == 0)
            continue;
        parts << (kind == TransferKind::Warning ? tr("%1 to look at") : kind == TransferKind::Dropped ? tr("%1 dropped") : kind == TransferKind::Changed ? tr("%1 changed") : tr("%1 taken")).arg(number);
    }
    return parts.join(tr(", "));
}

void TransferList::keyPressEvent(QKeyEvent* event)
{
    if (!event->matches(QKeySequence::Copy)) {
        QListView::keyPressEvent(event);
        return;
    }
    QModelIndexList chosen = selectionModel()->selectedIndexes();
    std::sort(chosen.begin(), chosen.end(), [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
    QStringList text;
    for (const QModelIndex& at : chosen)
        text << at.data(Qt::AccessibleTextRole).toString();
    if (!text.isEmpty())
        QGuiApplication::clipboard()->setText(text.join(QLatin1Char('\n')));
}

void TransferList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout();
}

void TransferList::changeEvent(QEvent* event)
{
    QListView::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        setAccessibleName(tr("What becomes of each value"));
        fill();
    }
}

}  // namespace stagecraft::app
