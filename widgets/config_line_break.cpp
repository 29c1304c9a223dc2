// SPDX-License-Identifier: GPL-3.0-or-later
// What Enter puts into the text view.
#include "widgets/config_editor.h"

#include <algorithm>

namespace stagecraft {

namespace {

/// One step of indentation as the file has it: that of its least indented line.
QByteArray indentStep(const QByteArray& all)
{
    qsizetype least = 0;
    for (qsizetype line = 0; line < all.size();) {
        qsizetype at = line;
        while (at < all.size() && all[at] == ' ')
            ++at;
        if (at < all.size() && all[at] == '\t')
            return "\t";
        const bool empty = at >= all.size() || all[at] == '\r' || all[at] == '\n';
        if (!empty && at > line && (least == 0 || at - line < least))
            least = at - line;
        const qsizetype next = all.indexOf('\n', at);
        line = next < 0 ? all.size() : next + 1;
    }
    return QByteArray(least == 0 ? 2 : std::min<qsizetype>(least, 8), ' ');
}

}  // namespace

void ConfigEditor::breakLine()
{
    const QByteArray all = bytes();
    const auto begin = static_cast<qsizetype>(SendScintilla(SCI_GETSELECTIONSTART));
    const auto end = static_cast<qsizetype>(SendScintilla(SCI_GETSELECTIONEND));
    const qsizetype line = begin > 0 ? all.lastIndexOf('\n', begin - 1) + 1 : 0;
    qsizetype content = line;
    while (content < begin && (all[content] == ' ' || all[content] == '\t'))
        ++content;
    const QByteArray indent = all.mid(line, content - line);
    const QByteArray newLine = all.contains("\r\n") ? "\r\n" : "\n";
    const QByteArray before = all.mid(content, begin - content).trimmed();
    const bool opens = before.endsWith('{') || before.endsWith('[');
    qsizetype rest = end;
    while (rest < all.size() && (all[rest] == ' ' || all[rest] == '\t'))
        ++rest;
    const bool closes = rest < all.size() && (all[rest] == '}' || all[rest] == ']');
    QByteArray text = newLine + indent;
    if (opens)
        text += indentStep(all);
    const auto caret = begin + text.size();
    if (opens && closes)
        text += newLine + indent;   // the bracket that closes stands below the one that opens
    SendScintilla(SCI_BEGINUNDOACTION);
    SendScintilla(SCI_SETTARGETSTART, static_cast<unsigned long>(begin));
    SendScintilla(SCI_SETTARGETEND, static_cast<unsigned long>(end));
    SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(text.size()), text.constData());
    SendScintilla(SCI_ENDUNDOACTION);
    SendScintilla(SCI_SETEMPTYSELECTION, static_cast<unsigned long>(caret));
    SendScintilla(SCI_SCROLLCARET);
}

}  // namespace stagecraft
