// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/banner.h"

#include <QStringList>

class QToolButton;

namespace stagecraft::app {

/// The line over every page while runs train that this window does not hold: which, and the way to them. It stays until a run is
/// attached, all are over, or it is closed; another run brings it back.
class LiveBanner : public Banner {
    Q_OBJECT
public:
    explicit LiveBanner(QWidget* parent = nullptr);

    /// @param names  of the live runs, newest first; empty hides it  @param elsewhere  the page shown says the same already
    void look(const QStringList& names, bool elsewhere);

signals:
    void reattachRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    QStringList m_names;
    QStringList m_closed;   ///< the runs it was closed for
    bool m_elsewhere = false;
    QToolButton* m_close;
};

}  // namespace stagecraft::app
