// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_form.h"

#include "widgets/config_form_delegate.h"
#include "widgets/config_form_model.h"
#include "widgets/config_model.h"
#include "widgets/icons.h"
#include "widgets/panel.h"
#include "widgets/refused_edit.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"
#include "widgets/word_lines.h"

#include <QAction>
#include <QEvent>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kInFile = -1;
constexpr int kAll = -2;
enum GroupRoles { GroupRole = Qt::UserRole + 1, CountRole, SeverityRole };

/// A group: its title, a mark where there are findings, the count in grey at the right.
class GroupDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        const QRect rect = option.rect;
        if (option.state.testFlag(QStyle::State_Selected))
            painter->fillRect(rect, theme::color(Token::Selection));
        const QFont small = theme::font(Role::Small);
        const QFont body = theme::font(Role::Body);
        const QString count = index.data(CountRole).toString();
        const int severity = index.data(SeverityRole).toInt();
        const QStringList title = titleLines(index, rect.width());
        painter->setFont(body);
        painter->setPen(theme::color(Token::Text));
        painter->drawText(rect.adjusted(kInset, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, title.join(QLatin1Char('\n')));
        if (severity > 1) {
            int width = 0;
            for (const QString& line : title)
                width = std::max(width, QFontMetrics(body).horizontalAdvance(line));
            painter->drawPixmap(QRect(rect.left() + kInset + width + 6, rect.top() + (rect.height() - 12) / 2, 12, 12),
                theme::iconPixmap(severity == 3 ? QStringLiteral("dialog-error") : QStringLiteral("dialog-warning"),
                    theme::color(severity == 3 ? Token::Error : Token::Warn), 12, painter->device()->devicePixelRatioF()));
        }
        painter->setFont(small);
        painter->setPen(theme::color(Token::Text2));
        painter->drawText(rect.adjusted(0, 0, -kCountInset, 0), Qt::AlignVCenter | Qt::AlignRight, count);
        if (option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(theme::color(Token::Accent), 2));
            painter->drawRect(rect.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
        return {100, heightIn(index, view ? view->viewport()->width() : option.rect.width())};
    }

    static int heightIn(const QModelIndex& index, int width)
    {
        const QStringList lines = titleLines(index, width);
        return lines.size() < 2 ? kHeight : linesHeight(lines, theme::font(Role::Body)) + kMargins;
    }

private:
    static constexpr int kHeight = 24, kMargins = 8, kInset = 12, kCountInset = 10, kMarkWidth = 18;   // px

    /// The title, in several lines where the count and the mark leave it too little for one.
    static QStringList titleLines(const QModelIndex& index, int width)
    {
        const int count = QFontMetrics(theme::font(Role::Small)).horizontalAdvance(index.data(CountRole).toString()) + 8;
        const int room = width - kInset - kCountInset - count - kMarkWidth;   // a mark that comes moves no line
        const QString title = index.data().toString();
        int longest = 0;
        for (const QString& word : title.split(QLatin1Char(' ')))
            longest = std::max(longest, QFontMetrics(theme::font(Role::Body)).horizontalAdvance(word));
        const bool spare = longest > room && index.data(SeverityRole).toInt() <= 1;   // but a word is cut only for one that is there
        return wordLines(title, theme::font(Role::Body), spare ? room + kMarkWidth : room, 3);
    }
};

}  // namespace

ConfigFormView::ConfigFormView(ConfigModel& config, QWidget* parent)
    : QListView(parent), m_config(config), m_rows(new ConfigFormModel(config, this)), m_controls(new ConfigFormDelegate(config, *m_rows, this))
{
    setModel(m_rows);
    setItemDelegate(m_controls);
    setFrameShape(QFrame::NoFrame);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setResizeMode(QListView::Adjust);
    setMouseTracking(true);
    setAccessibleName(tr("Form"));
}

void ConfigFormView::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout();
}

void ConfigFormView::moveEvent(QMoveEvent* event)
{
    QListView::moveEvent(event);
    // A notice that comes or goes above it moves no row that somebody looks at.
    if (isVisible() && currentIndex().isValid())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + event->pos().y() - event->oldPos().y());
}

void ConfigFormView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QListView::currentChanged(current, previous);
    if (current.isValid() && !m_rows->isPlacing() && !m_rows->row(current.row()).header)
        m_config.setCurrent(m_rows->row(current.row()).pointer, m_rows->keyOfRow(current.row()));
}

void ConfigFormView::activateCurrent()
{
    const QModelIndex at = currentIndex();
    if (!at.isValid())
        return;
    const ConfigRow& row = m_rows->row(at.row());
    if (row.header) {
        m_rows->toggleGroup(row.group);
        return;
    }
    switch (m_controls->controlOf(at.row())) {
    case ConfigFormDelegate::Control::Field: edit(at); break;
    case ConfigFormDelegate::Control::Choice:
        m_controls->openChoices(at.row(), viewport(), m_controls->controlRect(at.row(), visualRect(at)));
        break;
    case ConfigFormDelegate::Control::Switch: m_controls->chooseSegment(at.row(), m_rows->json(at.row()) == "true" ? 1 : 0); break;
    case ConfigFormDelegate::Control::None: break;
    }
    m_filling = true;
}

void ConfigFormView::mousePressEvent(QMouseEvent* event)
{
    QListView::mousePressEvent(event);
    const QModelIndex at = indexAt(event->pos());
    if (!at.isValid() || event->button() != Qt::LeftButton)
        return;
    const QRect rect = visualRect(at);
    if (m_rows->row(at.row()).header) {
        m_rows->toggleGroup(m_rows->row(at.row()).group);
        return;
    }
    const auto control = m_controls->controlOf(at.row());
    if (!m_controls->controlRect(at.row(), rect).contains(event->pos()))
        return;
    m_filling = true;
    if (control == ConfigFormDelegate::Control::Switch)
        m_controls->chooseSegment(at.row(), m_controls->segmentAt(at.row(), rect, event->pos().x()));
    else
        activateCurrent();
}

bool ConfigFormView::focusNextPrevChild(bool next)
{
    const int step = next ? 1 : -1;
    int row = currentIndex().row() + step;
    while (row >= 0 && row < m_rows->rowCount() && m_rows->row(row).header)
        row += step;
    if (!m_filling || !currentIndex().isValid() || row < 0 || row >= m_rows->rowCount())
        return QListView::focusNextPrevChild(next);
    setCurrentIndex(m_rows->index(row));
    if (m_controls->controlOf(row) == ConfigFormDelegate::Control::Field && m_rows->isEditable(row))
        edit(currentIndex());
    return true;
}

void ConfigFormView::closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint)
{
    const bool goesOn = hint == QAbstractItemDelegate::EditNextItem || hint == QAbstractItemDelegate::EditPreviousItem;
    QListView::closeEditor(editor, goesOn ? QAbstractItemDelegate::NoHint : hint);
    m_filling = true;
    if (goesOn)
        (void)focusNextPrevChild(hint == QAbstractItemDelegate::EditNextItem);
}

void ConfigFormView::focusInEvent(QFocusEvent* event)
{
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        m_filling = false;
    QListView::focusInEvent(event);
}

void ConfigFormView::keyPressEvent(QKeyEvent* event)
{
    if (state() == QAbstractItemView::EditingState) {
        QListView::keyPressEvent(event);  // what the open editor left over
        return;
    }
    const QModelIndex at = currentIndex();
    const bool onKey = at.isValid() && !m_rows->row(at.row()).header;
    const bool isSwitch = onKey && m_controls->controlOf(at.row()) == ConfigFormDelegate::Control::Switch;
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F2:
        activateCurrent();
        return;
    case Qt::Key_Space:
        if (isSwitch || (at.isValid() && m_rows->row(at.row()).header)) {
            activateCurrent();
            return;
        }
        break;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        if (onKey) {
            m_controls->unset(at.row());
            return;
        }
        break;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (isSwitch) {
            const QByteArray value = m_rows->json(at.row());
            const int now = value.isEmpty() ? 2 : value == "true" ? 0 : 1;
            m_filling = true;
            m_controls->chooseSegment(at.row(), std::clamp(now + (event->key() == Qt::Key_Left ? -1 : 1), 0, 2));
            return;
        }
        break;
    default: break;
    }
    // A digit or letter on a field starts editing with it, as in a spreadsheet.
    const bool field = onKey && m_controls->controlOf(at.row()) == ConfigFormDelegate::Control::Field && m_rows->isEditable(at.row());
    if (field && !event->text().isEmpty() && event->text().front().isPrint() && event->text().front() != QLatin1Char(' ')
        && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))) {
        edit(at);
        if (auto* editor = qobject_cast<QLineEdit*>(indexWidget(at) ? indexWidget(at) : viewport()->findChild<QLineEdit*>())) {
            editor->setText(event->text());
            editor->setModified(true);
            editor->deselect();
        }
        return;
    }
    QListView::keyPressEvent(event);
}

ConfigGroups::ConfigGroups(ConfigModel& config, ConfigFormView& form, QWidget* parent)
    : QWidget(parent), m_config(config), m_form(form), m_search(new QLineEdit(this)), m_list(new QListView(this)), m_items(new QStandardItemModel(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(8, 8, 8, 8);
    top->addWidget(m_search);
    column->addLayout(top);
    column->addWidget(m_list, 1);
    m_search->addAction(theme::icon(QStringLiteral("edit-find"), Token::Text2), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_list->setModel(m_items);
    m_list->setItemDelegate(new GroupDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setResizeMode(QListView::Adjust);
    fill();
    connect(&config, &ConfigModel::changed, this, &ConfigGroups::fill);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_form.rows().setQuery(words);
        m_form.scrollToTop();
        if (m_form.rows().isSearching() && m_form.rows().rowCount() == 1)   // nothing is left to choose
            m_config.setCurrent(m_form.rows().row(0).pointer, m_form.rows().keyOfRow(0));
        fill();
    });
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_form.rows().rowCount() > 0) {
            m_form.setFocus();
            m_form.setCurrentIndex(m_form.rows().index(0));
        }
    });
    // To come here with Tab chooses nothing yet: the list only marks where the keys are.
    connect(m_list->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this](const QItemSelection& chosen) {
        if (!chosen.isEmpty())
            choose(chosen.indexes().first().row());
    });
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& at) { choose(at.row()); });
}

void ConfigGroups::fill()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const ConfigFormModel& rows = m_form.rows();
    const int wanted = static_cast<int>(catalog.groups().size()) + 2;
    if (m_items->rowCount() != wanted) {
        m_items->clear();
        for (int i = 0; i < wanted; ++i)
            m_items->appendRow(new QStandardItem);
    }
    const auto set = [&](int at, const QString& title, int group, int count, int severity) {
        QStandardItem* item = m_items->item(at);
        item->setText(title);
        item->setData(group, GroupRole);
        item->setData(count < 0 ? QString() : QString::number(count), CountRole);
        item->setData(severity, SeverityRole);
        const QString marks = count < 0 ? tr("%1, not known while the text cannot be read") : severity == 3 ? tr("%1, %2 keys, with errors") : severity == 2 ? tr("%1, %2 keys, with warnings") : tr("%1, %2 keys");
        item->setData(count < 0 ? marks.arg(title) : marks.arg(title).arg(count), Qt::AccessibleTextRole);
        item->setToolTip(count < 0 ? item->data(Qt::AccessibleTextRole).toString() : title);
    };
    // While keys are searched the counts are of what was found.
    std::vector<int> found(catalog.groups().size(), 0);
    int foundSet = 0;
    for (int row = 0; rows.isSearching() && row < rows.rowCount(); ++row) {
        if (rows.row(row).header)
            continue;
        foundSet += rows.json(row).isEmpty() ? 0 : 1;
        if (const int group = rows.row(row).group; group >= 0 && group < static_cast<int>(found.size()))
            ++found[static_cast<std::size_t>(group)];
    }
    // Of a text that never could be read nobody knows what it sets.
    const bool unread = m_config.syntaxError() && rows.setCount(-1) == 0;
    set(0, tr("Set in this file"), kInFile, unread ? -1 : rows.isSearching() ? foundSet : rows.setCount(-1), 0);
    for (int group = 0; group < static_cast<int>(catalog.groups().size()); ++group) {
        const CatalogGroup& at = catalog.groups()[static_cast<std::size_t>(group)];
        set(group + 1, catalogText(at.title), group, rows.isSearching() ? found[static_cast<std::size_t>(group)] : at.keyCount, rows.worstSeverity(group));
    }
    set(wanted - 1, tr("All keys"), kAll, rows.isSearching() ? rows.rowCount() : static_cast<int>(catalog.keys().size()), 0);
    m_search->setAccessibleName(tr("Find a key"));
    showPlaceholder();
    showScrollBar();
    m_list->setAccessibleName(tr("Groups of keys"));
}

void ConfigGroups::showScrollBar()
{
    // A bar narrows the names, which then take more lines: whether it is needed is asked without it, or it would stay for its own sake.
    int height = 0;
    for (int row = 0; row < m_items->rowCount(); ++row)
        height += GroupDelegate::heightIn(m_items->index(row, 0), m_list->width());
    const auto policy = height <= m_list->height() ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded;
    if (policy == m_list->verticalScrollBarPolicy())
        return;
    m_list->setVerticalScrollBarPolicy(policy);
    m_list->doItemsLayout();
}

void ConfigGroups::showPlaceholder()
{
    constexpr int kInsets = 36;   // px, with the icon
    const QString whole = tr("Find among %1 keys").arg(KeyCatalog::standard().keys().size());
    m_search->setPlaceholderText(m_search->fontMetrics().horizontalAdvance(whole) <= m_search->width() - kInsets ? whole : tr("Find a key"));
    m_search->setToolTip(whole);
}

void ConfigGroups::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layout()->activate();   // the field has its new width
    showPlaceholder();
    showScrollBar();
}

void ConfigGroups::choose(int row)
{
    if (row < 0)
        return;
    const int group = m_items->item(row)->data(GroupRole).toInt();
    ConfigFormModel& rows = m_form.rows();
    for (int at = 0; rows.isSearching() && group >= 0 && at < rows.rowCount(); ++at)
        if (!rows.row(at).header && rows.row(at).group == group) {   // among what was found
            m_form.setCurrentIndex(rows.index(at));
            m_form.scrollTo(rows.index(at), QAbstractItemView::PositionAtTop);
            return;
        }
    m_search->clear();
    const auto wanted = group == kInFile ? ConfigFormModel::Show::InFile : group == kAll ? ConfigFormModel::Show::All : ConfigFormModel::Show::Applicable;
    if (rows.show() != wanted)
        rows.setShow(wanted);
    if (group < 0) {
        m_form.scrollToTop();
        return;
    }
    const int at = rows.rowOfGroup(group);
    if (at >= 0)
        m_form.scrollTo(rows.index(at), QAbstractItemView::PositionAtTop);
}

void ConfigGroups::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        fill();
        m_list->doItemsLayout();   // names may take another number of lines
        showScrollBar();
    }
}

ConfigForm::ConfigForm(ConfigModel& config, QWidget* parent)
    : QWidget(parent), m_config(config), m_header(new PanelHeader(QString(), this)), m_notice(new ToneLabel(Role::Small, Token::Error, this)),
      m_legend(new ToneLabel(Role::Small, Token::Text2, this)), m_empty(new ToneLabel(Role::Body, Token::Text2, this)), m_view(new ConfigFormView(config, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    m_notice->setContentsMargins(12, 4, 12, 4);
    m_notice->setWordWrap(true);
    m_notice->setObjectName(QStringLiteral("formNotice"));
    column->addWidget(m_notice);
    m_empty->setContentsMargins(12, 12, 12, 12);
    m_empty->setWordWrap(true);
    column->addWidget(m_empty);
    column->addWidget(m_view, 1);
    auto* dot = new ToneLabel(QStringLiteral("●"), Role::Tick, Token::Accent, this);
    m_header->addWidget(dot);
    m_header->addWidget(m_legend);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    connect(&config, &ConfigModel::changed, this, &ConfigForm::refresh);
    connect(&m_view->rows(), &QAbstractItemModel::rowsInserted, this, [this] { refresh(); });
    connect(&m_view->rows(), &QAbstractItemModel::rowsRemoved, this, [this] { refresh(); });
    // The key that is selected stays so, wherever its row has gone.
    connect(&m_view->rows(), &ConfigFormModel::placed, this, [this] {
        const ConfigFormModel& rows = m_view->rows();
        const QModelIndex at = m_view->currentIndex();
        if (m_config.current().isEmpty() || (at.isValid() && (rows.row(at.row()).header || rows.row(at.row()).pointer == m_config.current())))
            return;
        const int row = rows.rowOfPointer(m_config.current());
        m_view->setCurrentIndex(row >= 0 ? rows.index(row) : QModelIndex());
    });
    connect(&config, &ConfigModel::currentChanged, this, [this](const QString& pointer) {
        if (const QModelIndex now = m_view->currentIndex(); now.isValid() && m_view->rows().row(now.row()).pointer == pointer)
            return;   // one of several rows that share it
        const int row = m_view->rows().makeVisible(pointer);
        if (row >= 0 && m_view->currentIndex().row() != row) {
            m_view->setCurrentIndex(m_view->rows().index(row));
            m_view->scrollTo(m_view->rows().index(row), QAbstractItemView::EnsureVisible);
        }
    });
    connect(&m_view->controls(), &ConfigFormDelegate::complained, this, [this](const QString& why) {
        refuseEdit(*this, why);
        emit complained(why);
    });
    refresh();
}

void ConfigForm::refresh()
{
    m_header->setTitle(tr("Form"));
    const auto& error = m_config.syntaxError();
    const bool read = m_config.document().nodes().size() > 1;   // once, before what stands there now
    const int found = m_view->rows().isSearching() ? m_view->rows().rowCount() : -1;
    m_header->setSubtitle(!error ? (found < 0 ? tr("set keys first") : found == 1 ? tr("1 key found") : tr("%1 keys found").arg(found)) : read ? tr("last text that could be read") : QString());
    m_legend->setText(tr("in the file"));
    m_legend->setContentsMargins(0, 0, 8, 0);
    m_notice->setVisible(error.has_value());
    if (error)
        m_notice->setText(error->context.count("rule") != 0 ? m_config.syntaxMessage()
                          : read ? tr("The text cannot be read: %1 The form shows the last text that could be.").arg(m_config.syntaxMessage())
                                 : tr("The text cannot be read: %1").arg(m_config.syntaxMessage()));
    m_view->setEnabled(!error);
    const bool none = m_view->rows().rowCount() == 0;
    m_empty->setVisible(none);
    m_view->setVisible(!none);
    m_empty->setText(tr("No key matches. Search looks at keys and help in English and Chinese."));
}

void ConfigForm::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        refresh();
        m_view->rows().refresh();
    }
}

}  // namespace stagecraft
