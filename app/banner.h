// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QWidget>

class QHBoxLayout;
class QPushButton;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// A line over the pages: a sign, a sentence, and the button to what it speaks of.
class Banner : public QWidget {
    Q_OBJECT
public:
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QPushButton* button() const { return m_button; }

protected:
    struct Look {
        QString icon;
        theme::Token sign, words, ground;
    };
    Banner(const Look& look, QWidget* parent);

    void say(const QString& sentence, const QString& toolTip);
    [[nodiscard]] QHBoxLayout* row() const { return m_row; }
    void paintEvent(QPaintEvent* event) override;

private:
    theme::Token m_ground;
    ToneLabel* m_words;
    QPushButton* m_button;
    QHBoxLayout* m_row;
};

}  // namespace stagecraft::app
