// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace stagecraft {

class ToneLabel;

/// A line above a list: a mark, a sentence that may be selected, and buttons behind it. The mark follows the theme.
class NoticeRow : public QWidget {
    Q_OBJECT
public:
    /// @param icon  a freedesktop name; drawn in the colour of `tone`
    NoticeRow(const QString& icon, theme::Token tone, QWidget* parent);

    [[nodiscard]] const ToneLabel* words() const { return m_words; }

protected:
    void setWords(const QString& words);
    QPushButton* addButton(const QString& objectName);
    /// Words and whether the row is shown; called again when the language changes.
    virtual void refresh() = 0;
    void changeEvent(QEvent* event) override;

private:
    void showMark();

    QString m_icon;
    theme::Token m_tone;
    QHBoxLayout* m_row;
    QLabel* m_mark;
    ToneLabel* m_words;
};

}  // namespace stagecraft
