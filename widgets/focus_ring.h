// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAbstractScrollArea;

namespace stagecraft {

/// The ring round what scrolls in a widget that has the keyboard and whose own painting shows none. It lies over it, and takes nothing.
class FocusRing : public QWidget {
    Q_OBJECT
public:
    explicit FocusRing(QAbstractScrollArea& around);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QAbstractScrollArea& m_around;
};

}  // namespace stagecraft
