// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the text is in sight.
#include "widgets/config_editor.h"

#include "widgets/config_model.h"

#include <QResizeEvent>

#include <algorithm>
#include <utility>

namespace stagecraft {

void ConfigEditor::settleScroll()
{
    const long aside = SendScintilla(SCI_GETXOFFSET);
    // A long line that is gone leaves no scroll bar behind: the lines in sight say anew how wide they are.
    if (aside == 0)
        SendScintilla(SCI_SETSCROLLWIDTH, 1UL);
    const auto xOf = [this, aside](long offset) { return SendScintilla(SCI_POINTXFROMPOSITION, 0UL, offset) + aside; };
    const long caret = cursorOffset();
    // A value that is shown from elsewhere stands with its end in sight, and as much as can be of what is left of it.
    if (const auto place = hasFocus() || m_config.syntaxError() ? std::nullopt : m_config.document().locate(m_config.current().toStdString());
        place && static_cast<long>(place->value.begin) == caret) {
        const long line = SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(caret));
        const long end = std::min(static_cast<long>(place->value.end), SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line)));
        long margins = 0;
        for (unsigned long margin = 0; margin < 5; ++margin)
            margins += SendScintilla(SCI_GETMARGINWIDTHN, margin);
        const long begin = static_cast<long>(place->node >= 0 && place->key.end > place->key.begin ? place->key.begin : place->value.begin);
        const long needed = xOf(end) + 24 - viewport()->width();
        SendScintilla(SCI_SETXOFFSET, static_cast<unsigned long>(std::max(0L, std::min(needed, xOf(std::min(begin, caret)) - margins - 8))));
        return;
    }
    // What was scrolled aside for the end of a long line comes back once the caret is where it need not be.
    if (aside > 0 && xOf(caret) < viewport()->width() - 40)
        SendScintilla(SCI_SETXOFFSET, 0UL);
}

void ConfigEditor::hideEvent(QHideEvent* event)
{
    m_left = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    QsciScintilla::hideEvent(event);
}

void ConfigEditor::showEvent(QShowEvent* event)
{
    QsciScintilla::showEvent(event);
    // It is shown in the height of the view before it, for which it may scroll, and gets its own then.
    QTimer::singleShot(0, this, [this] {
        if (const auto first = std::exchange(m_left, std::nullopt); first && isVisible())
            SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(*first));
    });
}

void ConfigEditor::resizeEvent(QResizeEvent* event)
{
    const long height = std::max(1L, SendScintilla(SCI_TEXTHEIGHT, 0UL));
    const long line = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(cursorOffset()))));
    const long top = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    const bool inSight = line >= top && line < top + event->oldSize().height() / height;
    QsciScintilla::resizeEvent(event);
    // A caret that was in sight is no sliver at the foot afterwards.
    if (const long rows = std::max(1L, viewport()->height() / height); inSight && line >= top + rows)
        SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(line - rows + 1));
}

void ConfigEditor::reveal(int begin, int end)
{
    m_left.reset();
    const int line = static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(begin)));
    ensureLineVisible(line);
    SendScintilla(SCI_SETSEL, static_cast<unsigned long>(end), static_cast<long>(begin));
    SendScintilla(SCI_SCROLLCARET);
    settleScroll();
}

void ConfigEditor::showChange(std::size_t begin, std::size_t end)
{
    m_left.reset();
    const QByteArray& text = m_config.text();
    // The comma behind the value before it is no change that anybody looks for.
    while (begin < end && begin < static_cast<std::size_t>(text.size()) && QByteArrayView(" \t\r\n,").contains(text[static_cast<qsizetype>(begin)]))
        ++begin;
    const auto shownLine = [this](std::size_t at) {
        const long line = SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(at));
        SendScintilla(SCI_ENSUREVISIBLE, static_cast<unsigned long>(line));   // folded away it would not be seen
        return SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
    };
    const long first = shownLine(begin), last = std::max(first, shownLine(std::max(begin, end > 0 ? end - 1 : 0)));
    const long top = SendScintilla(SCI_GETFIRSTVISIBLELINE), rows = std::max(1L, SendScintilla(SCI_LINESONSCREEN));
    if (first < top || first >= top + rows)
        SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::max(0L, first - rows / 3)));
    else if (last >= top + rows)
        SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::min(first, last - rows + 1)));
    if (hasFocus() || m_config.syntaxError())
        return;   // there the caret is where somebody works
    if (const auto place = m_config.document().locate(m_config.current().toStdString()); place && place->value.begin >= begin && place->value.begin <= end) {
        SendScintilla(SCI_SETEMPTYSELECTION, static_cast<unsigned long>(place->value.begin));
        settleScroll();
    }
}

void ConfigEditor::showStart()
{
    m_left.reset();
    SendScintilla(SCI_SETEMPTYSELECTION, 0UL);
    SendScintilla(SCI_SETFIRSTVISIBLELINE, 0UL);
    SendScintilla(SCI_SETXOFFSET, 0UL);
}

}  // namespace stagecraft
