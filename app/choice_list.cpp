// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/choice_list.h"

#include "visualizers/list_text.h"
#include "widgets/icons.h"
#include "widgets/tone_label.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

enum Data { Id = Qt::UserRole, Title, Facts, Words, Word, Tone, Icon, Current };

constexpr int kRow = 40, kHeader = 24, kInset = 12;

bool isHeader(const QListWidgetItem* item)
{
    return item->data(Id).toString().isEmpty();
}

class RowDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override { return {100, index.data(Id).toString().isEmpty() ? kHeader : kRow}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QRect inside = option.rect.adjusted(kInset, 0, -kInset, 0);
        const auto write = [painter](const QRect& place, const QString& text, Role role, Token token) {
            painter->setFont(theme::font(role));
            painter->setPen(theme::color(token));
            painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, painter->fontMetrics().elidedText(text, Qt::ElideRight, place.width()));
        };
        painter->save();
        if (index.data(Id).toString().isEmpty()) {
            painter->fillRect(option.rect, theme::color(Token::Alternate));
            write(inside, index.data(Title).toString(), Role::SmallBold, Token::Text2);
            painter->restore();
            return;
        }
        const bool current = index.data(Current).toBool();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, theme::color(Token::Selection));
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, theme::color(Token::Alternate));
        if (current)
            painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), theme::color(Token::Accent));
        const QRect first(inside.x(), option.rect.y() + 4, inside.width(), 17);
        const QRect second(inside.x(), first.bottom() + 1, inside.width(), 15);
        QRect title = first;
        if (const QString word = index.data(Word).toString(); !word.isEmpty()) {
            const auto token = static_cast<Token>(index.data(Tone).toInt());
            painter->setFont(theme::font(Role::Small));
            const int width = painter->fontMetrics().horizontalAdvance(word);
            write(QRect(first.right() - width, first.y(), width + 1, first.height()), word, Role::Small, token);
            const QString icon = index.data(Icon).toString();
            if (!icon.isEmpty())
                theme::icon(icon, token).paint(painter, QRect(first.right() - width - 18, first.y() + 2, 14, 14));
            title.setRight(first.right() - width - (icon.isEmpty() ? 8 : 24));
        }
        write(title, index.data(Title).toString(), current ? Role::BodyBold : Role::Body, Token::Text);
        write(second, index.data(Facts).toString(), Role::Small, Token::Text2);
        if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange) {
            painter->setPen(QPen(theme::color(Token::Accent), 2));
            painter->drawRect(option.rect.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }
};

void describe(QListWidgetItem* item)
{
    QStringList parts{item->data(Title).toString(), item->data(Facts).toString()};
    if (const QString word = item->data(Word).toString(); !word.isEmpty())
        parts << word;
    if (item->data(Current).toBool())
        parts << ChoiceList::tr("chosen");
    item->setData(Qt::AccessibleTextRole, clauseText(parts));
}

}  // namespace

ChoiceList::ChoiceList(QWidget* parent)
    : QWidget(parent), m_search(new QLineEdit(this)), m_list(new QListWidget(this)), m_none(new ToneLabel(Role::Body, Token::Text2, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* field = new QHBoxLayout;
    field->setContentsMargins(kInset, 8, kInset, 8);
    field->addWidget(m_search);
    column->addLayout(field);
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setItemDelegate(new RowDelegate(m_list));
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setMinimumHeight(3 * kRow);
    column->addWidget(m_list, 1);
    m_none->setContentsMargins(kInset, 4, kInset, 8);
    m_none->setWordWrap(true);
    m_none->hide();
    column->addWidget(m_none);
    connect(m_search, &QLineEdit::textChanged, this, &ChoiceList::filter);
    connect(m_list, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { choose(item); });
    connect(m_list, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) { choose(item); });
}

void ChoiceList::setNames(const QString& list, const QString& search)
{
    m_list->setAccessibleName(list);
    m_search->setAccessibleName(search);
    m_search->setPlaceholderText(search);
    filter();
}

void ChoiceList::setGroups(const std::vector<Group>& groups)
{
    m_list->clear();
    for (const Group& group : groups) {
        auto* header = new QListWidgetItem(m_list);
        header->setData(Title, group.title);
        header->setData(Qt::AccessibleTextRole, group.title);
        header->setFlags(Qt::NoItemFlags);
        for (const Row& row : group.rows) {
            auto* item = new QListWidgetItem(m_list);
            item->setData(Id, row.id);
            item->setData(Title, row.title);
            item->setData(Facts, row.facts);
            item->setData(Words, QString(row.title + QLatin1Char(' ') + row.facts + QLatin1Char(' ') + row.words + QLatin1Char(' ') + group.title));
            item->setToolTip(row.title + QLatin1Char('\n') + row.facts);
            item->setData(Current, row.id == m_current);
            describe(item);
        }
    }
    filter();
}

QListWidgetItem* ChoiceList::item(const QString& id) const
{
    for (int i = 0; i < m_list->count(); ++i)
        if (!id.isEmpty() && m_list->item(i)->data(Id).toString() == id)
            return m_list->item(i);
    return nullptr;
}

void ChoiceList::setCurrent(const QString& id)
{
    const bool moved = m_current != id;
    m_current = id;
    for (int i = 0; i < m_list->count(); ++i) {
        QListWidgetItem* row = m_list->item(i);
        if (isHeader(row) || row->data(Current).toBool() == (row->data(Id).toString() == id))
            continue;
        row->setData(Current, !row->data(Current).toBool());
        describe(row);
    }
    if (QListWidgetItem* row = item(id); row && moved) {
        m_list->setCurrentItem(row);
        m_list->scrollToItem(row, QAbstractItemView::PositionAtCenter);
    }
}

void ChoiceList::setEffect(const QString& id, const QString& word, const QString& tip, Token token, const QString& icon)
{
    QListWidgetItem* row = item(id);
    if (!row)
        return;
    row->setData(Word, word);
    row->setData(Tone, static_cast<int>(token));
    row->setData(Icon, icon);
    row->setToolTip(QStringList{row->data(Title).toString(), row->data(Facts).toString(), tip}.join(QLatin1Char('\n')).trimmed());
    describe(row);
}

void ChoiceList::clearEffects()
{
    for (int i = 0; i < m_list->count(); ++i)
        if (!isHeader(m_list->item(i)))
            setEffect(m_list->item(i)->data(Id).toString(), {}, {}, Token::Text2, {});
}

void ChoiceList::filter()
{
    const QStringList wanted = m_search->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QListWidgetItem* header = nullptr;
    QListWidgetItem* first = nullptr;
    for (int i = 0; i < m_list->count(); ++i) {
        QListWidgetItem* row = m_list->item(i);
        if (isHeader(row)) {
            header = row;
            header->setHidden(true);
            continue;
        }
        const QString words = row->data(Words).toString();
        const bool shown = std::all_of(wanted.begin(), wanted.end(), [&words](const QString& word) { return words.contains(word, Qt::CaseInsensitive); });
        row->setHidden(!shown);
        if (!shown)
            continue;
        if (header)
            header->setHidden(false);
        first = first ? first : row;
    }
    if (!wanted.isEmpty() && first)
        m_list->setCurrentItem(first);
    m_none->setVisible(!first && !wanted.isEmpty());
    m_none->setText(tr("Nothing here is called “%1”.").arg(m_search->text().trimmed()));
}

void ChoiceList::choose(const QListWidgetItem* item)
{
    if (item && !isHeader(item) && !item->isHidden())
        emit chosen(item->data(Id).toString());
}

bool ChoiceList::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down || key->key() == Qt::Key_PageUp || key->key() == Qt::Key_PageDown) {
            QCoreApplication::sendEvent(m_list, event);
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            choose(m_list->currentItem());
            return true;
        }
        if (key->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace stagecraft::app
