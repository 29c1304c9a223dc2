// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_editor.h"

#include "widgets/config_fix.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/focus_ring.h"
#include "widgets/icons.h"
#include "widgets/text_encoding.h"
#include "widgets/theme.h"

#include <Qsci/qscicommandset.h>
#include <Qsci/qscilexerjson.h>

#include <QClipboard>
#include <QDragEnterEvent>
#include <QFontInfo>
#include <QGuiApplication>
#include <QInputMethod>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QToolTip>

#include <algorithm>
#include <optional>
#include <utility>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kMarkMargin = 0;
constexpr int kNumberMargin = 1;
constexpr int kFoldMargin = 2;
constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";
constexpr int kByteOrderMarkSize = 3;
constexpr char kOwnBytes[] = "application/x-stagecraft-bytes";

/// QScintilla reads only point sizes; the theme's fonts are in pixels.
QFont fixedFont()
{
    QFont font = theme::font(Role::Fixed);
    font.setPointSizeF(QFontInfo(font).pointSizeF());
    return font;
}

/// The same change of `text`, put where the caret made it: of equal neighbours a difference names the last.
TextEdit endingAt(std::size_t caret, TextEdit edit, const std::string& text)
{
    if (edit.begin == edit.end) {
        while (edit.begin > 0 && edit.begin + edit.replacement.size() > caret && text[edit.begin - 1] == edit.replacement.back()) {
            std::rotate(edit.replacement.begin(), edit.replacement.end() - 1, edit.replacement.end());
            edit.end = --edit.begin;
        }
    } else if (edit.replacement.empty()) {
        for (; edit.begin > caret && text[edit.begin - 1] == text[edit.end - 1]; --edit.begin) --edit.end;
    }
    return edit;
}

long rgb(const QColor& colour) { return colour.red() | (colour.green() << 8) | (colour.blue() << 16); }

}  // namespace

ConfigEditor::ConfigEditor(ConfigModel& config, QWidget* parent) : QsciScintilla(parent), m_config(config), m_lexer(new QsciLexerJSON(this))
{
    setUtf8(true);
    // It has no width of its own: whoever deletes it by accident sees what he deletes.
    SendScintilla(SCI_SETREPRESENTATION, kByteOrderMark, "BOM");
    setEolMode(EolUnix);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Text of the ds_config"));
    // A page that is not shown yet may miss the palette event.
    if (auto* theme = theme::Theme::instance())
        connect(theme, &theme::Theme::changed, this, [this] { applyTheme(); });
    m_lexer->setHighlightComments(true);
    setLexer(m_lexer);
    setTabWidth(2);
    setIndentationsUseTabs(false);
    setAutoIndent(true);
    setBraceMatching(SloppyBraceMatch);
    setMarginType(kMarkMargin, SymbolMargin);
    setMarginMarkerMask(kMarkMargin, (1 << 1) | (1 << 2) | (1 << 3));
    setMarginWidth(kMarkMargin, 20);
    setMarginType(kNumberMargin, NumberMargin);
    setMarginMarkerMask(kNumberMargin, 0);
    setFolding(PlainFoldStyle, kFoldMargin);
    setMarginSensitivity(kMarkMargin, false);
    SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
    SendScintilla(SCI_SETMOUSEDWELLTIME, 250UL);
    SendScintilla(SCI_AUTOCSETSEPARATOR, static_cast<unsigned long>('\n'));
    SendScintilla(SCI_AUTOCSETIGNORECASE, 1UL);
    SendScintilla(SCI_AUTOCSETORDER, 2UL);  // keep our own order
    SendScintilla(SCI_AUTOCSETMAXHEIGHT, static_cast<unsigned long>(kMostRows));
    SendScintilla(SCI_SETHSCROLLBAR, 1UL);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1UL);
    SendScintilla(SCI_SETSCROLLWIDTH, 1UL);
    // Undo and redo belong to the program's stack.
    for (const auto command : {QsciCommand::Undo, QsciCommand::Redo})
        if (QsciCommand* bound = standardCommands()->find(command)) {
            bound->setKey(0);
            bound->setAlternateKey(0);
        }
    m_typed.setSingleShot(true);
    m_typed.setInterval(0);
    connect(&m_typed, &QTimer::timeout, this, [this] {
        flush();
        complete(false);
        if (hasFocus())
            tellPlace();
    });
    connect(this, &QsciScintilla::textChanged, this, [this] {
        if (!m_adopting && !m_composing)
            m_typed.start();
    });
    connect(this, &QsciScintilla::cursorPositionChanged, this, &ConfigEditor::followCursor);
    connect(this, &QsciScintilla::userListActivated, this, [this](int id, const QString& entry) {
        if (id == kCompletionList)
            insertCompletion(entry);
    });
    connect(this, &QsciScintillaBase::SCN_DWELLSTART, this, [this](int position, int, int) {
        if (position < 0)
            return;
        for (const CheckFinding& finding : m_config.answer().findings) {
            const auto place = m_config.document().locate(finding.pointer);
            if (!place || finding.pointer.empty() || m_config.syntaxError())
                continue;
            const auto at = static_cast<std::size_t>(position);
            const std::size_t begin = place->key.size() ? place->key.begin : place->value.begin;
            const bool inside = at >= begin && at <= (m_config.document().node(place->node).childCount ? place->key.end : place->value.end);
            if (inside) {
                m_tells = true;
                QToolTip::showText(QCursor::pos(), QStringLiteral("<p>%1</p>").arg(QString::fromStdString(finding.message).toHtmlEscaped()), this);
                return;
            }
        }
    });
    connect(this, &QsciScintillaBase::SCN_DWELLEND, this, [this] {
        m_tells = false;
        QToolTip::hideText();
    });
    connect(&config, &ConfigModel::changed, this, &ConfigEditor::adoptText);
    connect(&config, &ConfigModel::revealRequested, this, &ConfigEditor::reveal);
    connect(&config, &ConfigModel::currentChanged, this, [this](const QString& pointer) {
        if (hasFocus() || m_telling || m_config.syntaxError())
            return;
        if (const auto place = m_config.document().locate(pointer.toStdString()))
            reveal(static_cast<int>(place->value.begin), static_cast<int>(place->value.begin));
    });
    new FocusRing(*this);
    applyTheme();
    adoptText();
}

QByteArray ConfigEditor::bytes() const
{
    QByteArray all(static_cast<qsizetype>(SendScintilla(SCI_GETLENGTH)) + 1, Qt::Uninitialized);
    SendScintilla(SCI_GETTEXT, static_cast<unsigned long>(all.size()), all.data());
    all.chop(1);  // the zero behind it
    return all;
}

int ConfigEditor::cursorOffset() const
{
    return static_cast<int>(SendScintilla(SCI_GETCURRENTPOS));
}

void ConfigEditor::setCursorOffset(int offset)
{
    SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(offset));
}

bool ConfigEditor::completionVisible() const
{
    return SendScintilla(SCI_AUTOCACTIVE) != 0;
}

void ConfigEditor::flush()
{
    if (m_flushing)
        return;
    if (m_composing) {
        QGuiApplication::inputMethod()->commit();
        dropComposition();
    }
    m_typed.stop();
    const bool pasted = std::exchange(m_pasting, false);
    const QByteArray now = bytes();
    if (now == m_config.text())
        return;
    // Whoever owns the text may tell of its surroundings before it has taken the typing over: taking back what was typed then, and
    // putting it in again, would leave the caret before it.
    m_flushing = true;
    const std::string before = m_config.text().toStdString();
    m_config.requestTyping(endingAt(static_cast<std::size_t>(cursorOffset()), editBetween(before, now.toStdString()), before), pasted);
    m_flushing = false;
    adoptText();
}

void ConfigEditor::adoptText()
{
    if (m_flushing)
        return;
    if (m_composing) {
        if (m_config.text() == m_settled)
            return;  // only what is said about it changed, which is shown once the word stands
        QGuiApplication::inputMethod()->reset();
        dropComposition();
        m_typed.stop();
    }
    const QByteArray now = bytes();
    const QByteArray wanted = m_config.text();
    std::optional<std::pair<std::size_t, std::size_t>> changed;
    if (now != wanted && !m_typed.isActive()) {
        const TextEdit edit = editBetween(now.toStdString(), wanted.toStdString());
        const std::optional<LayoutPlace> place = placeInLayout(now, wanted);
        closeOffers();
        m_adopting = true;
        setEolMode(wanted.contains("\r\n") ? EolWindows : EolUnix);
        SendScintilla(SCI_SETTARGETSTART, edit.begin);
        SendScintilla(SCI_SETTARGETEND, edit.end);
        SendScintilla(SCI_REPLACETARGET, edit.replacement.size(), edit.replacement.c_str());
        if (m_adoptedCaret)
            setCursorOffset(*m_adoptedCaret);
        if (place)
            returnTo(*place);
        m_adopting = false;
        if (!now.isEmpty() && !place)
            changed = {edit.begin, edit.begin + edit.replacement.size()};
    }
    m_adoptedCaret.reset();
    // What was changed elsewhere is looked at from the left: a jump to the end of a long line ends with it.
    if (now != wanted && !hasFocus())
        SendScintilla(SCI_SETXOFFSET, 0UL);
    const int digits = std::max(2, static_cast<int>(QString::number(lines()).size()));
    setMarginWidth(kNumberMargin, QFontMetrics(theme::font(Role::Fixed)).horizontalAdvance(QString(digits, QLatin1Char('8'))) + 6);
    settleScroll();
    showFindings();
    if (changed)
        showChange(changed->first, changed->second);
}

void ConfigEditor::inputMethodEvent(QInputMethodEvent* event)
{
    keepBehindMark();
    const bool composes = !event->preeditString().isEmpty();
    if (composes && !m_composing) {
        flush();
        // QScintilla puts what is being composed into the text, and takes it out again by its own undo.
        SendScintilla(SCI_SETUNDOCOLLECTION, 1UL);
        m_settled = m_config.text();
        m_composing = true;
    }
    QsciScintilla::inputMethodEvent(event);
    if (m_composing && !composes)
        endComposition();
}

void ConfigEditor::dropComposition()
{
    if (!m_composing)
        return;  // the input method has answered
    QInputMethodEvent nothing;
    QsciScintilla::inputMethodEvent(&nothing);
    endComposition();
}

void ConfigEditor::endComposition()
{
    m_composing = false;
    SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    m_typed.start();
}

void ConfigEditor::applyTheme()
{
    const QFont fixed = fixedFont();
    m_lexer->setDefaultFont(fixed);
    m_lexer->setDefaultPaper(theme::color(Token::Base));
    m_lexer->setDefaultColor(theme::color(Token::Text));
    const std::pair<int, Token> colours[] = {
        {QsciLexerJSON::Default, Token::Text}, {QsciLexerJSON::Number, Token::Warn}, {QsciLexerJSON::String, Token::Ok},
        {QsciLexerJSON::UnclosedString, Token::Error}, {QsciLexerJSON::Property, Token::Accent}, {QsciLexerJSON::EscapeSequence, Token::Series4},
        {QsciLexerJSON::CommentLine, Token::Text2}, {QsciLexerJSON::CommentBlock, Token::Text2}, {QsciLexerJSON::Operator, Token::Text},
        {QsciLexerJSON::IRI, Token::Ok}, {QsciLexerJSON::IRICompact, Token::Ok}, {QsciLexerJSON::Keyword, Token::Series4},
        {QsciLexerJSON::KeywordLD, Token::Accent}, {QsciLexerJSON::Error, Token::Text}};
    for (const auto& [style, token] : colours) {
        m_lexer->setFont(fixed, style);
        m_lexer->setColor(theme::color(token), style);
        m_lexer->setPaper(theme::color(Token::Base), style);
        m_lexer->setEolFill(false, style);
    }
    setColor(theme::color(Token::Text));
    setPaper(theme::color(Token::Base));
    setMarginsFont(fixed);
    setMarginsBackgroundColor(theme::color(Token::Base));
    setMarginsForegroundColor(theme::color(Token::Disabled));
    setFoldMarginColors(theme::color(Token::Base), theme::color(Token::Base));
    for (const int folder : {SC_MARKNUM_FOLDER, SC_MARKNUM_FOLDEREND})
        SendScintilla(SCI_MARKERDEFINE, static_cast<unsigned long>(folder), static_cast<long>(SC_MARK_ARROW));
    for (const int folder : {SC_MARKNUM_FOLDEROPEN, SC_MARKNUM_FOLDEROPENMID})
        SendScintilla(SCI_MARKERDEFINE, static_cast<unsigned long>(folder), static_cast<long>(SC_MARK_ARROWDOWN));
    for (int folder = SC_MARKNUM_FOLDEREND; folder <= int{SC_MARKNUM_FOLDEROPEN}; ++folder) {
        SendScintilla(SCI_MARKERSETFORE, static_cast<unsigned long>(folder), rgb(theme::color(Token::Text2)));
        SendScintilla(SCI_MARKERSETBACK, static_cast<unsigned long>(folder), rgb(theme::color(Token::Text2)));
    }
    setCaretForegroundColor(theme::color(Token::Text));
    setCaretLineVisible(true);
    setCaretLineBackgroundColor(theme::color(Token::Alternate));
    setSelectionBackgroundColor(theme::color(Token::Selection));
    resetSelectionForegroundColor();
    setMatchedBraceBackgroundColor(theme::color(Token::Selection));
    setMatchedBraceForegroundColor(theme::color(Token::Text));
    setUnmatchedBraceForegroundColor(theme::color(Token::Error));
    setUnmatchedBraceBackgroundColor(theme::color(Token::Base));
    SendScintilla(SCI_SETEXTRAASCENT, 1UL);
    SendScintilla(SCI_SETEXTRADESCENT, 2UL);
    for (int number = 1; number <= 3; ++number) {
        const CheckSeverity severity = number == 1 ? CheckSeverity::Error : number == 2 ? CheckSeverity::Warning : CheckSeverity::Info;
        const QColor colour = theme::color(severityToken(severity));
        indicatorDefine(SquigglePixmapIndicator, number);
        setIndicatorForegroundColor(colour, number);
        markerDefine(theme::iconPixmap(severityIcon(severity), colour, 12, 1.0), number);
    }
    m_lexer->refreshProperties();
    SendScintilla(SCI_COLOURISE, 0UL, -1L);
}

void ConfigEditor::changeEvent(QEvent* event)
{
    QsciScintilla::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        applyTheme();
        showFindings();
    }
    if (event->type() == QEvent::LanguageChange)
        setAccessibleName(tr("Text of the ds_config"));
}

void ConfigEditor::focusOutEvent(QFocusEvent* event)
{
    flush();
    QsciScintilla::focusOutEvent(event);   // takes the list away, unless it is the list that gets the focus
}

void ConfigEditor::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
        flush();
        complete(true);
        return;
    }
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if ((enter && event->modifiers() == Qt::AltModifier) || (event->key() == Qt::Key_Period && event->modifiers() == Qt::ControlModifier)) {
        flush();
        openFixes();
        return;
    }
    if (event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier && !completionVisible())
        emit escaped();
    keepBehindMark();
    if (isWrittenAlready(event->text()))
        return;
    if (enter && event->modifiers() == Qt::NoModifier && !completionVisible()) {
        breakLine();
        return;
    }
    QsciScintilla::keyPressEvent(event);
}

QMimeData* ConfigEditor::toMimeData(const QByteArray& text, bool rectangular) const
{
    QMimeData* copied = QsciScintilla::toMimeData(text, rectangular);
    // Cut and pasted here again it is the same bytes; other programs get what of it is text.
    if (!stagecraft::isUtf8(text))
        copied->setData(QLatin1String(kOwnBytes), text);
    return copied;
}

QByteArray ConfigEditor::fromMimeData(const QMimeData* source, bool& rectangular) const
{
    const QByteArray text = QsciScintilla::fromMimeData(source, rectangular);
    m_pasting = source == QGuiApplication::clipboard()->mimeData();
    return source->hasFormat(QLatin1String(kOwnBytes)) ? source->data(QLatin1String(kOwnBytes)) : text;
}

void ConfigEditor::dragEnterEvent(QDragEnterEvent* event)
{
    dragMoveEvent(event);
}

void ConfigEditor::dragMoveEvent(QDragMoveEvent* event)
{
    // A file is no text to be put in: the window opens it.
    if (event->mimeData()->hasUrls())
        event->ignore();
    else
        QsciScintilla::dragMoveEvent(event);
}

void ConfigEditor::keepBehindMark()
{
    // Before a byte order mark nothing can stand: typed there, it would make the mark a part of the config.
    if (cursorOffset() >= kByteOrderMarkSize || hasSelectedText() || !m_config.text().startsWith(kByteOrderMark) || !bytes().startsWith(kByteOrderMark))
        return;
    SendScintilla(SCI_SETEMPTYSELECTION, static_cast<unsigned long>(kByteOrderMarkSize));
}

void ConfigEditor::followCursor()
{
    if (!m_adopting)
        keepBehindMark();
    int line = 0, column = 0;
    getCursorPosition(&line, &column);
    emit positionChanged(line + 1, column + 1);
    // The list goes with what is typed, and with nothing else that moves the caret.
    if (completionVisible() && !m_typed.isActive() && cursorOffset() != m_listedAt)
        closeOffers();
    // Not under the mouse: what moves below it is selected.
    if (!m_adopting && QGuiApplication::mouseButtons() == Qt::NoButton)
        settleScroll();
    if (!m_adopting && hasFocus())
        tellPlace();
}

void ConfigEditor::tellPlace()
{
    if (m_composing || m_typed.isActive())
        return;
    const QString key = keyAtCursor();
    if (key.isEmpty())
        return;
    m_telling = true;
    m_config.setCurrent(key);
    m_telling = false;
}

QString ConfigEditor::keyAtCursor() const
{
    if (m_config.syntaxError())
        return keyBeingTyped();
    // Behind the comma it is still the value before it, until the line ends.
    const QByteArray text = m_config.text();
    auto at = static_cast<qsizetype>(cursorOffset());
    while (at > 0 && at <= text.size() && (at == text.size() || text[at] == '\n' || text[at] == '\r') && (text[at - 1] == ',' || text[at - 1] == ' '))
        --at;
    const JsonSpot spot = m_config.document().pointerAt(static_cast<std::size_t>(at));
    return spot.pointer.empty() ? QString() : describedKey(m_config, QString::fromStdString(spot.pointer));
}

QString ConfigEditor::keyBeingTyped() const
{
    const QByteArray all = bytes();
    const auto offset = static_cast<std::size_t>(cursorOffset());
    const std::string_view text(all.constData(), static_cast<std::size_t>(all.size()));
    const JsonContext context = contextAt(text, offset);
    // A text that cannot be read may be all of the workspace, with the ds_config inside.
    static const std::string kInside = "/dsConfig";
    const auto known = [this](const std::string& pointer) {
        for (const std::string& key : {pointer, pointer.starts_with(kInside) ? pointer.substr(kInside.size()) : std::string()})
            if (!key.empty() && KeyCatalog::standard().find(key, &m_config.document()) >= 0)
                return QString::fromStdString(key);
        return QString();
    };
    if (context.expectsKey && context.quote == '"') {
        const std::size_t end = text.find_first_of("\"\r\n", offset);
        const std::string word = context.word + std::string(text.substr(offset, end == std::string_view::npos || text[end] != '"' ? 0 : end - offset));
        if (const QString key = known(context.pointer + "/" + pointerToken(word)); !key.isEmpty())
            return key;
    }
    return known(context.pointer);
}

}  // namespace stagecraft
