// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/banner.h"

#include <QDateTime>
#include <QString>

class QToolButton;

namespace stagecraft::app {

class WorkspaceDocument;
struct RecoveredSession;

/// The line over the pages while what a dead window held unsaved is held by this one: of which file, from when, and that no file has
/// it yet. It goes with a save, with another document, and by its own button.
class RecoveryBanner : public Banner {
    Q_OBJECT
public:
    RecoveryBanner(WorkspaceDocument& document, QWidget* parent);

    void tell(const RecoveredSession& session);
    /// Whether the dead window's last work was on the ds_config.
    [[nodiscard]] static bool isOfConfig(const RecoveredSession& session);
    [[nodiscard]] QToolButton* closeButton() const { return m_close; }

signals:
    /// To be shown beside what the file holds.
    void compareRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    WorkspaceDocument& m_document;
    QToolButton* m_close;
    QString m_name;       ///< of what came back
    bool m_inFile = false;
    QDateTime m_written;  ///< when it was last edited
};

}  // namespace stagecraft::app
