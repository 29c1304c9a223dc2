// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_text_diff.h"

#include "config/text_diff.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QTextBlock>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kContext = 3;  // unchanged lines shown on each side of a change

}  // namespace

ConfigTextDiff::ConfigTextDiff(QWidget* parent) : QPlainTextEdit(parent)
{
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setUndoRedoEnabled(false);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    document()->setDocumentMargin(6);
}

void ConfigTextDiff::setTexts(const QByteArray& before, const QByteArray& after)
{
    if (before == m_before && after == m_after && !document()->isEmpty())
        return;
    m_before = before;
    m_after = after;
    fill();
}

void ConfigTextDiff::fill()
{
    setFont(theme::font(Role::Fixed));
    const auto lines = lineDiff(std::string_view(m_before.constData(), static_cast<std::size_t>(m_before.size())),
        std::string_view(m_after.constData(), static_cast<std::size_t>(m_after.size())));
    // A line is shown when a change stands within kContext lines of it.
    std::vector<bool> shown(lines.size(), false);
    m_added = m_removed = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].kind == DiffLine::Kind::Same)
            continue;
        ++(lines[i].kind == DiffLine::Kind::Added ? m_added : m_removed);
        const std::size_t from = i < kContext ? 0 : i - kContext;
        for (std::size_t near = from; near <= i + kContext && near < lines.size(); ++near)
            shown[near] = true;
    }
    // The mark of a gap has a line to itself, in which a single line that would be left out stands as well.
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
        if (!shown[i] && shown[i + 1] && (i == 0 || shown[i - 1]))
            shown[i] = true;
    const int digits = static_cast<int>(QString::number(lines.size()).size());
    clear();
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    bool first = true;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!shown[i])
            continue;
        const DiffLine& line = lines[i];
        const bool gap = i > 0 && !shown[i - 1];
        QTextBlockFormat block;
        QTextCharFormat text;
        const auto put = [&](const QString& words) {
            if (first)
                cursor.setBlockFormat(block);
            else
                cursor.insertBlock(block);
            first = false;
            cursor.insertText(words, text);
        };
        text.setForeground(theme::color(Token::Text2));
        if (gap)
            put(QStringLiteral("⋯"));
        const auto number = [digits](int at) { return at > 0 ? QString::number(at).rightJustified(digits) : QString(digits, QLatin1Char(' ')); };
        if (line.kind != DiffLine::Kind::Same) {
            const bool added = line.kind == DiffLine::Kind::Added;
            block.setBackground(theme::color(added ? Token::OkTint : Token::ErrorTint));
            text.setForeground(theme::color(Token::Text));
        }
        const char* sign = line.kind == DiffLine::Kind::Same ? " " : line.kind == DiffLine::Kind::Added ? "+" : "-";
        put(QStringLiteral("%1 %2 %3 %4").arg(number(line.oldLine), number(line.newLine), QLatin1String(sign), QString::fromStdString(line.text)));
    }
    cursor.endEditBlock();
    moveCursor(QTextCursor::Start);
}

void ConfigTextDiff::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        fill();
}

}  // namespace stagecraft
