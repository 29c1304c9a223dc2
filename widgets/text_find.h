// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <utility>
#include <vector>

class QLineEdit;
class QPushButton;
class QToolButton;

namespace stagecraft {

class ConfigEditor;
class ToneLabel;

/// Search in the text: a bar in a row of its own below it, so that it covers nothing. All places are marked; Enter goes to the next,
/// Shift+Enter to the one before, Escape back to the text, from the text too. Letters count alike in either case. A second line
/// replaces, one place or all of them; the change is the owner's.
class TextFind : public QWidget {
    Q_OBJECT
public:
    explicit TextFind(ConfigEditor& editor);

    /// Opens with what is selected, or with the words of last time.
    void open();
    /// open(), with the line that replaces.
    void openReplace();
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QLineEdit* replacement() const { return m_replacement; }
    [[nodiscard]] QPushButton* replaceButton() const { return m_replace; }
    [[nodiscard]] QPushButton* replaceAllButton() const { return m_replaceAll; }
    [[nodiscard]] QString countText() const;

signals:
    /// The text is to become `text`: one undo step.
    void replaceRequested(const QByteArray& text, const QString& name);

protected:
    void changeEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// @param fromHere  the place at the cursor counts too
    void go(bool forward, bool fromHere);
    /// The places of the words, [begin, end) in bytes.
    [[nodiscard]] std::vector<std::pair<int, int>> places() const;
    /// The place that is selected, if it is one of the words; then on to the next.
    void replaceOne();
    void replaceAll();
    void place();
    /// Marks every place, and says which of how many is the chosen one.
    void showPlaces();
    void showReplace(bool shown);
    void leave();
    void retranslate();

    ConfigEditor& m_editor;
    QLineEdit* m_field;
    ToneLabel* m_count;
    QToolButton* m_before;
    QToolButton* m_next;
    QToolButton* m_more;
    QWidget* m_second;   ///< the line that replaces
    QLineEdit* m_replacement;
    QPushButton* m_replace;
    QPushButton* m_replaceAll;
    std::size_t m_replaced = 0;   ///< places of the last "Replace all", until something else is looked for
};

}  // namespace stagecraft
