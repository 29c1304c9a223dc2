// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace stagecraft {

class ConfigEditor;
class ToneLabel;

/// Search in the text: a bar over its upper right corner, or the lower one where it would
/// cover the place that was found. Enter goes to the next place, Shift+Enter to the one before, Escape
/// back to the text. Letters count alike in either case.
class TextFind : public QWidget {
    Q_OBJECT
public:
    explicit TextFind(ConfigEditor& editor);

    /// Opens with what is selected, or with the words of last time.
    void open();
    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QString countText() const;

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// @param fromHere  the place at the cursor counts too
    void go(bool forward, bool fromHere);
    void place();
    void leave();
    void retranslate();

    ConfigEditor& m_editor;
    QLineEdit* m_field;
    ToneLabel* m_count;
    QToolButton* m_before;
    QToolButton* m_next;
    bool m_below = false;  ///< at the lower edge, because the place found lies at the upper one
};

}  // namespace stagecraft
