// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the text is in sight, and what is marked in it.
#include "widgets/config_editor.h"

#include "widgets/config_model.h"

#include <QResizeEvent>

#include <algorithm>
#include <utility>

namespace stagecraft {

namespace {

/// Of marks and indicators: 1 error, 2 warning, 3 note.
int severityNumber(CheckSeverity severity)
{
    return severity == CheckSeverity::Error ? 1 : severity == CheckSeverity::Warning ? 2 : 3;
}

bool isSpace(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/// Scrolls to the side as little as shows what stands from `begin` to `end`; of what is wider than the view, its beginning.
void scrollAside(ConfigEditor& editor, long begin, long end)
{
    using Base = QsciScintillaBase;
    constexpr long kBehind = 10, kBefore = 8;   // px: room for the comma behind it, and for the caret before it
    const long aside = editor.SendScintilla(Base::SCI_GETXOFFSET);
    const auto xOf = [&editor, aside](long offset) { return editor.SendScintilla(Base::SCI_POINTXFROMPOSITION, 0UL, offset) + aside; };
    const long line = editor.SendScintilla(Base::SCI_LINEFROMPOSITION, static_cast<unsigned long>(begin));
    const long needed = xOf(std::min(end, editor.SendScintilla(Base::SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line)))) + kBehind - editor.viewport()->width();
    long margins = 0;
    for (unsigned long margin = 0; margin < 5; ++margin)
        margins += editor.SendScintilla(Base::SCI_GETMARGINWIDTHN, margin);
    editor.SendScintilla(Base::SCI_SETXOFFSET, static_cast<unsigned long>(std::max(0L, std::min(needed, xOf(begin) - margins - kBefore))));
}

}  // namespace

std::optional<ConfigEditor::LayoutPlace> ConfigEditor::placeInLayout(const QByteArray& now, const QByteArray& wanted) const
{
    const auto caret = static_cast<qsizetype>(cursorOffset());
    const bool ahead = caret < now.size() && !isSpace(now[caret]) && (caret == 0 || isSpace(now[caret - 1]));
    LayoutPlace place;
    qsizetype at = 0;
    for (qsizetype i = 0; i < now.size(); ++i) {
        if (isSpace(now[i]))
            continue;
        while (at < wanted.size() && isSpace(wanted[at]))
            ++at;
        if (at == wanted.size() || wanted[at] != now[i])
            return std::nullopt;
        if (i == caret && ahead)
            place.offset = at;
        ++at;
        if (i < caret)
            place.offset = at;
    }
    if (!std::all_of(wanted.begin() + at, wanted.end(), isSpace))
        return std::nullopt;
    const long line = SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(caret));
    place.row = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line)) - SendScintilla(SCI_GETFIRSTVISIBLELINE);
    return place;
}

void ConfigEditor::returnTo(const LayoutPlace& place)
{
    m_left.reset();
    SendScintilla(SCI_SETEMPTYSELECTION, static_cast<unsigned long>(place.offset));
    const long line = SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(place.offset));
    SendScintilla(SCI_ENSUREVISIBLE, static_cast<unsigned long>(line));
    const long rows = std::max(1L, SendScintilla(SCI_LINESONSCREEN));
    const long top = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line)) - std::clamp(place.row, 0L, rows - 1);
    SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::max(0L, top)));
    SendScintilla(SCI_SCROLLCARET);
}

void ConfigEditor::settleScroll()
{
    const long aside = SendScintilla(SCI_GETXOFFSET);
    // A long line that is gone leaves no scroll bar behind: the lines in sight say anew how wide they are.
    if (aside == 0)
        SendScintilla(SCI_SETSCROLLWIDTH, 1UL);
    const auto xOf = [this, aside](long offset) { return SendScintilla(SCI_POINTXFROMPOSITION, 0UL, offset) + aside; };
    const long caret = cursorOffset();
    // A value that is shown from elsewhere stands with its end in sight, a section with that of its first value. A fix moves nothing aside
    // that is in sight.
    if (const auto place = hasFocus() || m_config.syntaxError() || (m_config.isCurrentMended() && xOf(caret) < viewport()->width() - 40) ? std::nullopt : m_config.document().locate(m_config.current().toStdString());
        place && static_cast<long>(place->value.begin) == caret) {
        const int first = place->node >= 0 ? m_config.document().node(place->node).firstChild : -1;
        const bool named = place->node >= 0 && place->key.end > place->key.begin;
        scrollAside(*this, static_cast<long>(named ? place->key.begin : place->value.begin), static_cast<long>(first >= 0 ? m_config.document().node(first).end : place->value.end));
        return;
    }
    // What was scrolled aside for the end of a long line comes back once the caret is where it need not be.
    if (aside > 0 && xOf(caret) < viewport()->width() - 40)
        SendScintilla(SCI_SETXOFFSET, 0UL);
}

void ConfigEditor::hideEvent(QHideEvent* event)
{
    closeOffers();
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
    closeOffers();
    m_left.reset();
    const int line = static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(begin)));
    ensureLineVisible(line);
    SendScintilla(SCI_SETSEL, static_cast<unsigned long>(end), static_cast<long>(begin));
    SendScintilla(SCI_SCROLLCARET);
    settleScroll();
    if (hasFocus() && end > begin)   // the caret alone would stand at the edge, with what was asked for behind it
        scrollAside(*this, begin, end);
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

void ConfigEditor::showFindings()
{
    const auto length = static_cast<int>(SendScintilla(SCI_GETLENGTH));
    for (int number = 1; number <= 3; ++number) {
        markerDeleteAll(number);
        SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(number));
        SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, static_cast<long>(length));
    }
    const auto mark = [&](int number, std::size_t begin, std::size_t end) {
        end = std::min(std::max(end, begin + 1), static_cast<std::size_t>(length));
        begin = std::min(begin, end);
        const int line = static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(begin)));
        for (int weaker = number + 1; weaker <= 3; ++weaker) {   // it would be drawn over this one
            SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(weaker));
            SendScintilla(SCI_INDICATORCLEARRANGE, static_cast<unsigned long>(begin), static_cast<long>(end - begin));
            markerDelete(line, weaker);
        }
        SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(number));
        SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin), static_cast<long>(end - begin));
        markerAdd(line, number);
    };
    if (const auto& error = m_config.syntaxError()) {
        auto offset = std::min(static_cast<std::size_t>(std::stoul(error->context.count("offset") ? error->context.at("offset") : "0")), static_cast<std::size_t>(length));
        // Nothing is drawn under the end of a line.
        if (const char at = m_config.text().at(static_cast<qsizetype>(offset)); offset > 0 && (offset == static_cast<std::size_t>(length) || at == '\n' || at == '\r'))
            --offset;
        const auto& findings = m_config.answer().findings;
        // The worst comes first in the list, and is what a line with several shows.
        for (auto finding = findings.rbegin(); finding != findings.rend(); ++finding)
            if (const auto at = m_config.pointedAt(*finding); at && *at < static_cast<std::size_t>(length))
                mark(severityNumber(finding->severity), *at, *at + 1);
        mark(findings.empty() ? 1 : severityNumber(findings.front().severity), offset, offset + 1);
        return;
    }
    // The worst comes last: it is what a line and a place with several findings show.
    const JsonDocument& document = m_config.document();
    std::vector<const CheckFinding*> findings;
    for (const CheckFinding& finding : m_config.answer().findings)
        findings.push_back(&finding);
    std::stable_sort(findings.begin(), findings.end(), [](const CheckFinding* a, const CheckFinding* b) { return severityNumber(a->severity) > severityNumber(b->severity); });
    for (const CheckFinding* finding : findings) {
        if (finding->pointer.empty()) {
            if (const auto at = m_config.pointedAt(*finding))
                mark(severityNumber(finding->severity), *at, *at + 1);
            continue;
        }
        // What is not written has its mark where the list says that it is: at the nearest section that is.
        std::string pointer = finding->pointer;
        while (!pointer.empty() && !document.locate(pointer))
            pointer.erase(pointer.rfind('/'));
        const auto place = document.locate(pointer);
        if (!place || pointer.empty())
            continue;
        const bool known = KeyCatalog::standard().find(pointer, &document) >= 0;
        const JsonNode& node = document.node(place->node);
        const bool value = (known && node.kind != JsonKind::Object && finding->effect != CheckEffect::Ignored) || place->key.size() == 0;
        mark(severityNumber(finding->severity), value ? place->value.begin : place->key.begin, value ? place->value.end : place->key.end);
    }
}

}  // namespace stagecraft
