// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_context.h"

#include <Qsci/qsciscintilla.h>

#include <QTimer>

#include <optional>
#include <utility>

class QMenu;
class QMimeData;
class QsciLexerJSON;

namespace stagecraft {

class ConfigModel;

/// The text view: colours and folding, squiggles and marks for findings, completion of keys and values, quick fixes.
///
/// It keeps no undo stack of its own: what is typed becomes an edit of the model (merged by the owner), and the owner's undo
/// comes back as a new text, of which only the difference is put in. What it holds are the document's own bytes, whatever they
/// are: a byte order mark, zero bytes and bytes that are no UTF-8 are shown as such, and stay where they stand.
class ConfigEditor : public QsciScintilla {
    Q_OBJECT
public:
    explicit ConfigEditor(ConfigModel& config, QWidget* parent = nullptr);

    /// Hands over what was typed but not yet requested.
    void flush();
    /// Offers what can stand at the cursor; `force` also where nothing was typed yet.
    void complete(bool force);
    /// The fixes for what is found at the cursor, or else on its line, in a menu below it; a sentence says where there is none.
    void openFixes();
    /// What is in the editor, byte for byte: a mark at its start, bytes that are no UTF-8 and zeros included.
    [[nodiscard]] QByteArray bytes() const;
    [[nodiscard]] int cursorOffset() const;
    void setCursorOffset(int offset);
    /// Where the caret is to stand in the next text that is taken over: one that comes in place of what was typed in.
    void setAdoptedCaret(int offset) { m_adoptedCaret = offset; }
    /// Makes the key at the cursor the current one, whoever put the cursor there.
    void tellPlace();
    /// The key at the cursor; empty outside of all, and while the text cannot be read.
    [[nodiscard]] QString keyAtCursor() const;
    /// The same in a text that cannot be read: the key whose name the cursor is in, or else the section around it.
    [[nodiscard]] QString keyBeingTyped() const;
    /// Its first line, as a text that was just opened.
    void showStart();
    [[nodiscard]] bool completionVisible() const;

    /// Room below the text for a bar in it, pixels.
    void setFootRoom(int height) { setViewportMargins(0, 0, 0, height); }

signals:
    void positionChanged(int line, int column);
    /// Escape, where nothing of the text itself closes by it.
    void escaped();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    QByteArray fromMimeData(const QMimeData* source, bool& rectangular) const override;
    QMimeData* toMimeData(const QByteArray& text, bool rectangular) const override;
    void changeEvent(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void inputMethodEvent(QInputMethodEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    static constexpr int kMostRows = 10;        ///< of the list of completions, before it scrolls
    static constexpr int kCompletionList = 1;   ///< QScintilla's number of our list

    void adoptText();
    void dropComposition();
    void endComposition();
    void showFindings();
    void applyTheme();
    void followCursor();
    void keepBehindMark();
    /// A new line as far in as the one before, one step further behind an open bracket; a bracket that closes right there goes below.
    void breakLine();
    void settleScroll();
    void frameList();
    /// What is offered or told at a place ends: the text there is no longer the one it was for.
    void closeOffers();
    void insertCompletion(const QString& entry);
    /// Whether the completion has written what is typed.
    bool isWrittenAlready(const QString& typed);
    void reveal(int begin, int end);
    /// What another view, or an undo, made of the text from byte `begin` to `end` comes into sight; what is in sight stays where it is.
    void showChange(std::size_t begin, std::size_t end);
    /// Where the caret is in a text of which only line ends and spaces change.
    struct LayoutPlace {
        qsizetype offset = 0;   ///< in the new text, at the same word
        long row = 0;           ///< line of the view that it stood in
    };
    [[nodiscard]] std::optional<LayoutPlace> placeInLayout(const QByteArray& now, const QByteArray& wanted) const;
    void returnTo(const LayoutPlace& place);
    void addConversions(QMenu& menu);
    /// Findings whose fixes are asked for: those of the key at the cursor on its line, else of the line, else of the key.
    [[nodiscard]] std::vector<std::size_t> findingsHere(const std::string& pointer) const;
    [[nodiscard]] QStringList candidates(const JsonContext& context) const;

    ConfigModel& m_config;
    QsciLexerJSON* m_lexer;
    QTimer m_typed;
    std::optional<int> m_adoptedCaret;
    bool m_adopting = false, m_flushing = false, m_telling = false;
    int m_listedAt = -1;       ///< where the caret stood when the list of completions was shown
    bool m_tells = false;      ///< a finding is told below the mouse
    std::pair<long, long> m_offered{-1, -1};   ///< the value that the completion of a key wrote, selected to be typed over
    mutable bool m_pasting = false;   ///< what the clipboard held is on its way into the text
    std::optional<long> m_left;       ///< first line in sight when another view came before it, until something else is to be seen
    QByteArray m_settled;      ///< the document's text when the input method began
    bool m_composing = false;  ///< an input method shows what is not yet typed
};

}  // namespace stagecraft
