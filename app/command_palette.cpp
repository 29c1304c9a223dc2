// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_palette.h"

#include "app/main_window.h"
#include "widgets/fuzzy_match.h"
#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace stagecraft::app {

namespace {

using theme::Role;
using theme::Token;

enum DataRole { EntryRole = Qt::UserRole, IconRole, RightRole, PositionsRole, HeaderRole };

class PaletteDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override { return {100, index.data(HeaderRole).toBool() ? 22 : 28}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QRect box = option.rect;
        if (index.data(HeaderRole).toBool()) {
            painter->fillRect(box, theme::color(Token::Head));
            painter->setFont(theme::font(Role::Small));
            painter->setPen(theme::color(Token::Text2));
            painter->drawText(box.adjusted(12, 0, -12, 0), Qt::AlignVCenter, index.data().toString());
            return;
        }
        const bool current = option.state.testFlag(QStyle::State_Selected);
        painter->fillRect(box, theme::color(current ? Token::Selection : Token::Base));
        painter->drawPixmap(QPoint(box.left() + 12, box.center().y() - 7),
                            theme::iconPixmap(index.data(IconRole).toString(), theme::color(Token::Text2), 14, painter->device()->devicePixelRatioF()));
        const QString right = index.data(RightRole).toString();
        painter->setFont(theme::font(Role::Small));
        const int rightWidth = painter->fontMetrics().horizontalAdvance(right);
        painter->setPen(theme::color(Token::Text2));
        painter->drawText(box.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter, right);

        // Letters that matched are bold in the accent colour: runs of equal letters are drawn together.
        const QString text = index.data().toString();
        const QVariantList hits = index.data(PositionsRole).toList();
        int x = box.left() + 36;
        const int end = box.right() - 24 - rightWidth;
        qsizetype at = 0;
        while (at < text.size() && x < end) {
            const bool hit = hits.contains(QVariant(static_cast<int>(at)));
            qsizetype next = at + 1;
            while (next < text.size() && hits.contains(QVariant(static_cast<int>(next))) == hit)
                ++next;
            painter->setFont(theme::font(hit ? Role::BodyBold : Role::Body));
            painter->setPen(theme::color(hit ? Token::Accent : Token::Text));
            const QString piece = text.mid(at, next - at);
            painter->drawText(QRect(x, box.top(), end - x, box.height()), Qt::AlignVCenter | Qt::TextSingleLine, piece);
            x += painter->fontMetrics().horizontalAdvance(piece);
            at = next;
        }
    }
};

}  // namespace

CommandPalette* CommandPalette::open(MainWindow& window)
{
    if (auto* present = window.findChild<CommandPalette*>()) {
        present->m_field->setFocus();
        present->m_field->selectAll();
        return present;
    }
    auto* palette = new CommandPalette(paletteEntries(window), window);
    palette->show();
    palette->raise();
    palette->m_field->setFocus(Qt::PopupFocusReason);
    return palette;
}

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, MainWindow& window)
    : QWidget(&window), m_entries(std::move(entries)), m_field(new QLineEdit(this)), m_list(new QListView(this)), m_model(new QStandardItemModel(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Search or run a command"));
    const int shownWidth = std::min(640, window.width() - 80);
    setGeometry((window.width() - shownWidth) / 2, 34, shownWidth, std::min(430, window.height() - 120));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(12, 6, 12, 6);
    top->setSpacing(8);
    m_field->setFrame(false);
    m_field->setFixedHeight(28);
    m_field->setPlaceholderText(tr("Type a command, a key of ds_config, a run"));
    m_field->setAccessibleName(accessibleName());
    QFont large = theme::font(Role::Body);
    large.setPixelSize(14);
    m_field->setFont(large);
    m_field->addAction(theme::icon(QStringLiteral("edit-find"), Token::Accent), QLineEdit::LeadingPosition);
    top->addWidget(m_field);
    column->addLayout(top);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setAccessibleName(tr("Results"));
    column->addWidget(m_list, 1);
    auto* foot = new ToneLabel(tr("Enter runs     Tab previews     Esc closes     > commands   # keys   @ runs   ? help"), Role::Small, Token::Text2, this);
    foot->setContentsMargins(12, 5, 12, 5);
    column->addWidget(foot);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& index) { run(index.row()); });
    filter();
}

namespace {

/// By the name that is shown, else by the English one, with nothing to light up then.
std::optional<FuzzyMatch> matchOf(const QString& query, const PaletteEntry& entry)
{
    if (auto match = fuzzyMatch(query, entry.text))
        return match;
    if (entry.english.isEmpty())
        return std::nullopt;
    if (auto match = fuzzyMatch(query, entry.english)) {
        match->positions.clear();
        return match;
    }
    // Words in another order: "dark theme".
    const QStringList words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString& word : words)
        if (!entry.text.contains(word, Qt::CaseInsensitive) && !entry.english.contains(word, Qt::CaseInsensitive))
            return std::nullopt;
    return words.size() > 1 ? std::optional(FuzzyMatch{}) : std::nullopt;
}

}  // namespace

void CommandPalette::filter()
{
    QString query = m_field->text().trimmed();
    std::optional<PaletteGroup> only;
    constexpr std::array kPrefixes{std::pair{u'>', PaletteGroup::Commands}, std::pair{u'#', PaletteGroup::Keys}, std::pair{u'@', PaletteGroup::Runs}, std::pair{u'?', PaletteGroup::Help}};
    for (const auto& [prefix, group] : kPrefixes)
        if (query.startsWith(QChar(prefix))) {
            only = group;
            query = query.mid(1).trimmed();
            break;
        }
    const std::array titles{tr("Commands"), tr("Keys of ds_config"), tr("Runs"), tr("Help")};
    m_model->clear();
    for (int g = 0; g < static_cast<int>(titles.size()); ++g) {
        const auto group = static_cast<PaletteGroup>(g);
        if (only && *only != group)
            continue;
        // Without a query the many keys would only be in the way.
        if (query.isEmpty() && !only && group == PaletteGroup::Keys)
            continue;
        std::vector<std::pair<FuzzyMatch, int>> hits;
        for (int i = 0; i < static_cast<int>(m_entries.size()); ++i)
            if (m_entries[static_cast<std::size_t>(i)].group == group)
                if (auto match = matchOf(query, m_entries[static_cast<std::size_t>(i)])) {
                    match->score += m_entries[static_cast<std::size_t>(i)].bonus;
                    hits.emplace_back(*match, i);
                }
        if (hits.empty())
            continue;
        if (!query.isEmpty())
            std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.first.score > b.first.score; });
        auto* header = new QStandardItem(titles.at(static_cast<std::size_t>(g)));
        header->setData(true, HeaderRole);
        header->setFlags(Qt::NoItemFlags);
        m_model->appendRow(header);
        constexpr std::size_t kMost = 40;
        for (std::size_t k = 0; k < std::min(hits.size(), kMost); ++k) {
            const PaletteEntry& entry = m_entries[static_cast<std::size_t>(hits[k].second)];
            auto* item = new QStandardItem(entry.text);
            item->setData(hits[k].second, EntryRole);
            item->setData(entry.icon, IconRole);
            item->setData(entry.right, RightRole);
            QVariantList positions;
            for (const int position : hits[k].first.positions)
                positions << position;
            item->setData(positions, PositionsRole);
            item->setData(entry.right, Qt::AccessibleDescriptionRole);
            m_model->appendRow(item);
        }
    }
    if (m_model->rowCount() == 0) {
        auto* nothing = new QStandardItem(tr("Nothing here is called \"%1\"").arg(query));
        nothing->setData(true, HeaderRole);
        nothing->setFlags(Qt::NoItemFlags);
        m_model->appendRow(nothing);
    }
    if (m_model->rowCount() > 1)
        m_list->setCurrentIndex(m_model->index(1, 0));
}

QStringList CommandPalette::shownTexts() const
{
    QStringList texts;
    for (int row = 0; row < m_model->rowCount(); ++row)
        texts << m_model->item(row)->text();
    return texts;
}

QStringList CommandPalette::shownEffects() const
{
    QStringList effects;
    for (int row = 0; row < m_model->rowCount(); ++row)
        effects << m_model->item(row)->data(RightRole).toString();
    return effects;
}

void CommandPalette::move(int steps)
{
    int row = m_list->currentIndex().row();
    for (int i = 0; i < std::abs(steps); ++i) {
        int next = row + (steps > 0 ? 1 : -1);
        while (next >= 0 && next < m_model->rowCount() && m_model->item(next)->data(HeaderRole).toBool())
            next += steps > 0 ? 1 : -1;
        if (next < 0 || next >= m_model->rowCount())
            break;
        row = next;
    }
    m_list->setCurrentIndex(m_model->index(row, 0));
}

void CommandPalette::run(int row)
{
    const QStandardItem* item = m_model->item(row);
    if (!item || item->data(HeaderRole).toBool())
        return;
    const auto action = m_entries[static_cast<std::size_t>(item->data(EntryRole).toInt())].action;
    close();
    if (action)
        action();
}

/// What has nothing to show stays where it is.
void CommandPalette::preview(int row)
{
    const QStandardItem* item = m_model->item(row);
    if (!item || item->data(HeaderRole).toBool())
        return;
    const auto show = m_entries[static_cast<std::size_t>(item->data(EntryRole).toInt())].preview;
    if (!show)
        return;
    close();
    show();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down: move(1); return true;
        case Qt::Key_Up: move(-1); return true;
        case Qt::Key_PageDown: move(10); return true;
        case Qt::Key_PageUp: move(-10); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: run(m_list->currentIndex().row()); return true;
        case Qt::Key_Tab: preview(m_list->currentIndex().row()); return true;
        case Qt::Key_Escape: close(); return true;
        default: break;
        }
    } else if (watched == m_field && event->type() == QEvent::FocusOut && QApplication::activePopupWidget() == nullptr) {
        close();
    }
    return QWidget::eventFilter(watched, event);
}

void CommandPalette::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(Token::Base));
    painter.setPen(theme::color(Token::InputBorder));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.fillRect(QRect(1, 40, width() - 2, 2), theme::color(Token::Accent));
}

}  // namespace stagecraft::app
