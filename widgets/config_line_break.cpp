// SPDX-License-Identifier: GPL-3.0-or-later
// What Enter puts into the text view.
#include "widgets/config_editor.h"

namespace stagecraft {

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
        text += indent.startsWith('\t') ? QByteArray("\t") : QByteArray(2, ' ');
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
