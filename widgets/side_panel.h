// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace stagecraft {

/// What stands in the place of the key help until it is closed: presets, wizard, import, export. Esc closes it.
class SidePanel : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    /// Closes it: with Esc, or with a button of its own. A panel that has to settle something first says so here.
    virtual void dismiss() { emit closed(); }

signals:
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace stagecraft
