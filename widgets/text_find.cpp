// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text_find.h"

#include "widgets/config_editor.h"
#include "widgets/icons.h"
#include "widgets/step_name.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

TextFind::TextFind(ConfigEditor& editor)
    : QWidget(&editor), m_editor(editor), m_field(new QLineEdit(this)), m_count(new ToneLabel(Role::Small, Token::Text2, this)), m_before(new QToolButton(this)), m_next(new QToolButton(this)),
      m_more(new QToolButton(this)), m_second(new QWidget(this)), m_replacement(new QLineEdit(m_second)), m_replace(new QPushButton(m_second)), m_replaceAll(new QPushButton(m_second))
{
    setObjectName(QStringLiteral("textFind"));
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(4, 4, 4, 4);
    lines->setSpacing(4);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(m_more);
    row->addWidget(m_field, 1);
    row->addWidget(m_count);
    for (QToolButton* button : {m_more, m_before, m_next}) {
        button->setAutoRaise(true);
        button->setFixedSize(22, 22);
    }
    row->addWidget(m_before);
    row->addWidget(m_next);
    lines->addLayout(row);
    auto* second = new QHBoxLayout(m_second);
    second->setContentsMargins(28, 0, 0, 0);
    second->setSpacing(6);
    second->addWidget(m_replacement, 1);
    for (QPushButton* button : {m_replace, m_replaceAll}) {
        button->setProperty("compact", true);
        second->addWidget(button);
    }
    lines->addWidget(m_second);
    m_before->setArrowType(Qt::UpArrow);
    m_next->setArrowType(Qt::DownArrow);
    m_field->addAction(theme::icon(QStringLiteral("edit-find"), Token::Text2), QLineEdit::LeadingPosition);
    connect(m_field, &QLineEdit::textChanged, this, [this] { go(true, true); });
    connect(m_before, &QToolButton::clicked, this, [this] { go(false, false); });
    connect(m_next, &QToolButton::clicked, this, [this] { go(true, false); });
    connect(m_more, &QToolButton::clicked, this, [this] { showReplace(m_second->isHidden()); });
    connect(m_replace, &QPushButton::clicked, this, &TextFind::replaceOne);
    connect(m_replaceAll, &QPushButton::clicked, this, &TextFind::replaceAll);
    editor.installEventFilter(this);
    hide();
    showReplace(false);
    retranslate();
}

void TextFind::openReplace()
{
    showReplace(true);
    open();
}

void TextFind::showReplace(bool shown)
{
    m_second->setVisible(shown);
    m_more->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
    if (isVisible())
        place();
}

std::vector<std::pair<int, int>> TextFind::places() const
{
    std::vector<std::pair<int, int>> found;
    const QByteArray words = m_field->text().toUtf8();
    const long length = m_editor.SendScintilla(QsciScintilla::SCI_GETLENGTH);
    m_editor.SendScintilla(QsciScintilla::SCI_SETSEARCHFLAGS, 0UL);
    for (long from = 0; !words.isEmpty() && from <= length;) {
        m_editor.SendScintilla(QsciScintilla::SCI_SETTARGETSTART, static_cast<unsigned long>(from));
        m_editor.SendScintilla(QsciScintilla::SCI_SETTARGETEND, static_cast<unsigned long>(length));
        if (m_editor.SendScintilla(QsciScintilla::SCI_SEARCHINTARGET, static_cast<unsigned long>(words.size()), words.constData()) < 0)
            break;
        const long begin = m_editor.SendScintilla(QsciScintilla::SCI_GETTARGETSTART), end = m_editor.SendScintilla(QsciScintilla::SCI_GETTARGETEND);
        found.emplace_back(static_cast<int>(begin), static_cast<int>(end));
        from = std::max(end, begin + 1);
    }
    return found;
}

void TextFind::replaceOne()
{
    m_editor.flush();
    const std::pair<int, int> chosen(static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART)), static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_GETSELECTIONEND)));
    const auto found = places();
    if (std::find(found.begin(), found.end(), chosen) == found.end()) {
        go(true, true);
        return;
    }
    const QByteArray words = m_replacement->text().toUtf8();
    emit replaceRequested(m_editor.bytes().replace(chosen.first, chosen.second - chosen.first, words), stepName([] { return tr("Replace"); }));
    m_editor.setCursorOffset(chosen.first + static_cast<int>(words.size()));
    go(true, true);
}

void TextFind::replaceAll()
{
    m_editor.flush();
    const auto found = places();
    if (found.empty())
        return;
    const QByteArray words = m_replacement->text().toUtf8(), before = m_editor.bytes();
    QByteArray after;
    int from = 0;
    for (const auto& [begin, end] : found) {
        after += before.mid(from, begin - from) + words;
        from = end;
    }
    after += before.mid(from);
    emit replaceRequested(after, stepName([] { return tr("Replace all"); }));
    m_count->setText(tr("%1 replaced").arg(found.size()));
    m_count->setToken(Token::Text2);
}

void TextFind::open()
{
    m_below = false;
    place();
    show();
    raise();
    if (const QString chosen = m_editor.selectedText(); !chosen.isEmpty() && !chosen.contains(QLatin1Char('\n')))
        m_field->setText(chosen);
    m_field->setFocus();
    m_field->selectAll();
}

QString TextFind::countText() const
{
    return m_count->text();
}

void TextFind::go(bool forward, bool fromHere)
{
    const QString words = m_field->text();
    // The bytes themselves: QsciScintilla::text() ends at a zero byte.
    const auto length = static_cast<qsizetype>(m_editor.SendScintilla(QsciScintilla::SCI_GETLENGTH));
    const QString text = QString::fromUtf8(static_cast<const char*>(m_editor.SendScintillaPtrResult(QsciScintilla::SCI_GETCHARACTERPOINTER)), length);
    const auto found = words.isEmpty() ? 0 : text.count(words, Qt::CaseInsensitive);
    m_count->setText(words.isEmpty() ? QString() : found == 0 ? tr("none") : tr("%1 found").arg(found));
    m_count->setToken(found == 0 && !words.isEmpty() ? Token::Error : Token::Text2);
    if (found == 0)
        return;
    int line = 0, column = 0, endLine = 0, endColumn = 0;
    m_editor.getSelection(&line, &column, &endLine, &endColumn);
    if (line < 0)
        m_editor.getCursorPosition(&line, &column), endLine = line, endColumn = column;
    const bool fromStart = fromHere || !forward;
    (void)m_editor.findFirst(words, false, false, false, true, forward, fromStart ? line : endLine, fromStart ? column : endColumn, true);
    m_editor.tellPlace();
    place();
}

void TextFind::place()
{
    const QRect view = m_editor.viewport()->geometry();
    const int width = std::min(340, view.width() - 16);
    const QRect above(view.right() - width - 7, 8, width, m_second->isHidden() ? 34 : 66), below(above.translated(0, view.bottom() - above.bottom() - 7));
    // Never over the place that was found; else it stays where it is.
    const auto begin = m_editor.SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART), end = m_editor.SendScintilla(QsciScintilla::SCI_GETSELECTIONEND);
    const auto x = [&](long at) { return static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0UL, at)); };
    const auto y = [&](long at) { return static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, at)); };
    const int line = static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, 0UL));
    const QRect match = QRect(QPoint(x(begin), y(begin)), QPoint(std::max(x(end), x(begin)), y(end) + line)).translated(view.topLeft());
    const bool coversAbove = begin != end && above.intersects(match), coversBelow = begin != end && below.intersects(match);
    m_below = m_below ? !coversBelow || coversAbove : coversAbove && !coversBelow;
    setGeometry(m_below ? below : above);
}

bool TextFind::focusNextPrevChild(bool next)
{
    // The text it stands in keeps Tab for itself.
    QList<QWidget*> stops{m_field, m_replacement, m_replace, m_replaceAll, m_before, m_next, m_more};
    stops.removeIf([](const QWidget* stop) { return !stop->isVisible(); });
    if (stops.isEmpty())   // it is being hidden
        return false;
    const auto at = stops.indexOf(focusWidget());
    stops[(at + (next ? 1 : -1) + stops.size()) % stops.size()]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

void TextFind::leave()
{
    m_editor.setFocus();
    hide();
}

bool TextFind::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_editor && event->type() == QEvent::Resize && isVisible())
        place();
    return QWidget::eventFilter(watched, event);
}

void TextFind::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        leave();
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_replacement->hasFocus())
        replaceOne();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        go(!event->modifiers().testFlag(Qt::ShiftModifier), false);
    else
        event->accept();  // nothing typed here is meant for the text below
}

void TextFind::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(Token::Head));
    painter.setPen(theme::color(Token::InputBorder));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void TextFind::retranslate()
{
    m_field->setPlaceholderText(tr("Find in the text"));
    m_field->setAccessibleName(m_field->placeholderText());
    m_before->setToolTip(tr("The place before (Shift+Enter)"));
    m_before->setAccessibleName(m_before->toolTip());
    m_next->setToolTip(tr("The next place (Enter)"));
    m_next->setAccessibleName(m_next->toolTip());
    m_more->setToolTip(tr("Replace (Ctrl+H)"));
    m_more->setAccessibleName(m_more->toolTip());
    m_replacement->setPlaceholderText(tr("Replace with"));
    m_replacement->setAccessibleName(m_replacement->placeholderText());
    m_replace->setText(tr("Replace"));
    m_replaceAll->setText(tr("Replace all"));
}

void TextFind::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        go(true, true);
    }
}

}  // namespace stagecraft
