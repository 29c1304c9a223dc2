// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of a row of the form stand, and how high the row is.
#include "widgets/config_form_delegate.h"

#include "widgets/config_form_model.h"
#include "widgets/theme.h"
#include "widgets/word_lines.h"

#include <QAbstractItemView>

#include <algorithm>
#include <utility>

namespace stagecraft {

using theme::Role;

namespace {

constexpr int kRowHeight = 30, kRowMargin = 4;   ///< px, least of a row; above and below its lines together
constexpr int kHeaderHeight = 32;
constexpr int kNameLeft = 22, kRight = 12;
constexpr int kLeastName = 128, kMostName = 338;   ///< px with the gap behind; the least takes most keys in two lines
constexpr int kFieldWidth = 124;
constexpr int kNoteWidth = 84, kNoteGap = 6, kMostNoteLines = 6;
constexpr int kSegments = 3;

/// Where controls begin, from the left edge of a row.
int controlLeft(int rowWidth)
{
    const int right = rowWidth - kRight - 1 - kNoteWidth - 8;
    return std::min(kNameLeft + kMostName, std::max(kNameLeft + kLeastName, right - 140));
}

int lineHeight()
{
    return QFontMetrics(theme::font(Role::FixedSmall)).height();
}

}  // namespace

QString ConfigFormDelegate::segmentWord(int part)
{
    return part == 0 ? QStringLiteral("true") : part == 1 ? QStringLiteral("false") : tr("unset");
}

std::vector<int> ConfigFormDelegate::segmentWidths() const
{
    const QFontMetrics metrics(theme::font(Role::Body));
    std::vector<int> widths;
    for (int part = 0; part < kSegments; ++part)
        widths.push_back(metrics.horizontalAdvance(segmentWord(part)) + 16);
    return widths;
}

QRect ConfigFormDelegate::controlRect(int row, const QRect& rect) const
{
    const Control control = controlOf(row);
    int width = kFieldWidth;
    if (control == Control::Switch) {
        width = 1;
        for (const int part : segmentWidths())
            width += part;
    }
    // Beside the key's own lines: what it is a part of stands above both.
    const int top = rect.top() + static_cast<int>(linesOf(row, rect.width()).section.size()) * lineHeight();
    return {rect.left() + controlLeft(rect.width()), top + (rect.bottom() + 1 - top - 24) / 2, width, 24};
}

QRect ConfigFormDelegate::noteRect(int row, const QRect& rect) const
{
    const QRect control = controlRect(row, rect);
    const int left = control.right() + kNoteGap, top = rect.top() + static_cast<int>(linesOf(row, rect.width()).section.size()) * lineHeight();
    return {left, top, rect.right() + 1 - kRight - left, rect.bottom() + 1 - top};
}

QStringList ConfigFormDelegate::noteLines(int row, const QRect& rect) const
{
    const QString note = m_model.note(row);
    return note.isEmpty() ? QStringList() : wordLines(note, theme::font(Role::Small), noteRect(row, rect).width(), kMostNoteLines);
}

int ConfigFormDelegate::segmentAt(int row, const QRect& rect, int x) const
{
    int left = controlRect(row, rect).left();
    const std::vector<int> widths = segmentWidths();
    for (int part = 0; part < 3; ++part) {
        if (x >= left && x < left + widths[static_cast<std::size_t>(part)])
            return part;
        left += widths[static_cast<std::size_t>(part)];
    }
    return -1;
}

const KeyLines& ConfigFormDelegate::linesOf(int row, int rowWidth) const
{
    if (std::exchange(m_linesWidth, rowWidth) != rowWidth)
        m_lines.clear();
    const int across = rowWidth - kNameLeft - kRight;
    const int width = controlOf(row) == Control::None ? across - kNoteWidth : controlLeft(rowWidth) - kNameLeft - 8;
    const QString name = m_model.name(row);
    const auto known = m_lines.constFind({name, width});
    return known != m_lines.constEnd() ? *known : *m_lines.insert({name, width}, keyLines(name, width, across, QFontMetrics(theme::font(Role::Fixed)), QFontMetrics(theme::font(Role::FixedSmall))));
}

QSize ConfigFormDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const int width = view ? view->viewport()->width() : option.rect.width();
    if (m_model.row(index.row()).header)
        return {option.rect.width(), kHeaderHeight};
    const KeyLines& lines = linesOf(index.row(), width);
    const int section = static_cast<int>(lines.section.size()) * lineHeight();
    const QStringList words = noteLines(index.row(), {0, 0, width, kRowHeight});
    const int note = words.size() < 2 ? 0 : linesHeight(words, theme::font(Role::Small));
    return {option.rect.width(), section + std::max({kRowHeight, static_cast<int>(lines.key.size()) * lineHeight() + kRowMargin, note + kRowMargin})};
}

}  // namespace stagecraft
