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

namespace {

constexpr int kMark = 5;   // indicator of the places; the findings have 1 to 3

}  // namespace

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
    editor.viewport()->installEventFilter(this);
    connect(&editor, &ConfigEditor::escaped, this, [this] {
        if (isVisible())
            leave();
    });
    // Not before the change is whole: to look for places moves the target that a replacement goes into.
    connect(&editor, &QsciScintilla::textChanged, this, [this] {
        if (isVisible())
            showPlaces();
    }, Qt::QueuedConnection);
    const auto markInTheme = [this] {
        m_editor.indicatorDefine(QsciScintilla::FullBoxIndicator, kMark);
        m_editor.setIndicatorForegroundColor(theme::color(Token::Accent), kMark);
        m_editor.SendScintilla(QsciScintilla::SCI_INDICSETALPHA, static_cast<unsigned long>(kMark), 50L);
        m_editor.SendScintilla(QsciScintilla::SCI_INDICSETUNDER, static_cast<unsigned long>(kMark), 1L);
    };
    if (auto* theme = theme::Theme::instance())
        connect(theme, &theme::Theme::changed, this, markInTheme);
    markInTheme();
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
    m_replaced = found.size();
    showPlaces();
}

void TextFind::open()
{
    show();
    place();
    raise();
    if (const QString chosen = m_editor.selectedText(); !chosen.isEmpty() && !chosen.contains(QLatin1Char('\n')))
        m_field->setText(chosen);
    m_field->setFocus();
    m_field->selectAll();
    showPlaces();
}

QString TextFind::countText() const
{
    return m_count->text();
}

void TextFind::go(bool forward, bool fromHere)
{
    const QString words = m_field->text();
    m_replaced = 0;
    if (!places().empty()) {
        int line = 0, column = 0, endLine = 0, endColumn = 0;
        m_editor.getSelection(&line, &column, &endLine, &endColumn);
        if (line < 0)
            m_editor.getCursorPosition(&line, &column), endLine = line, endColumn = column;
        const bool fromStart = fromHere || !forward;
        (void)m_editor.findFirst(words, false, false, false, true, forward, fromStart ? line : endLine, fromStart ? column : endColumn, true);
        m_editor.tellPlace();
    }
    showPlaces();
}

void TextFind::showPlaces()
{
    const auto found = places();
    m_editor.SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(kMark));
    m_editor.SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL, m_editor.SendScintilla(QsciScintilla::SCI_GETLENGTH));
    for (const auto& [begin, end] : found)
        m_editor.SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin), static_cast<long>(end - begin));
    const std::pair<int, int> chosen(static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART)), static_cast<int>(m_editor.SendScintilla(QsciScintilla::SCI_GETSELECTIONEND)));
    const auto at = std::find(found.begin(), found.end(), chosen);
    if (m_replaced > 0) {
        m_count->setText(tr("%1 replaced").arg(m_replaced));
        m_count->setToken(Token::Text2);
        return;
    }
    m_count->setText(m_field->text().isEmpty() ? QString() : found.empty() ? tr("none") : at == found.end() ? tr("%1 found").arg(found.size()) : tr("%1 of %2").arg(at - found.begin() + 1).arg(found.size()));
    m_count->setToken(found.empty() && !m_field->text().isEmpty() ? Token::Error : Token::Text2);
}

void TextFind::place()
{
    const int height = m_second->isHidden() ? 34 : 66;
    m_editor.setFootRoom(height);
    const QRect view = m_editor.viewport()->geometry();
    // Up to the bar that scrolls the text, which goes down to the end of the text's frame.
    setGeometry(view.left(), view.bottom() + 1, view.width(), height);
}

void TextFind::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_editor.setFootRoom(0);
    m_editor.SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(kMark));
    m_editor.SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL, m_editor.SendScintilla(QsciScintilla::SCI_GETLENGTH));
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
    if (watched == m_editor.viewport() && event->type() == QEvent::Resize && isVisible())
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
    painter.fillRect(0, 0, width(), 1, theme::color(Token::Line));
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
