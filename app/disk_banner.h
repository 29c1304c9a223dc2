// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/banner.h"

class QToolButton;

namespace stagecraft::app {

class WorkspaceDocument;

/// The line over every page after another program wrote the open files. Where nothing was unsaved their content is taken at once, as an
/// undo step, and the line says so; else it asks which of the two is to stay, and nothing is written before that is answered.
class DiskBanner : public Banner {
    Q_OBJECT
public:
    DiskBanner(WorkspaceDocument& document, QWidget* parent);

    /// Whether it waits for an answer.
    [[nodiscard]] bool asks() const { return m_state == State::Asking; }

signals:
    /// How the ds_config differs from the file's is to be shown.
    void compareRequested();
    void failed(const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    enum class State { Hidden, Asking, Taken };
    void fileChanged();
    void take();
    void show(State state);

    WorkspaceDocument& m_document;
    State m_state = State::Hidden;
    QString m_files;        ///< names of what was changed
    bool m_ofConfig = false;   ///< the file that holds the ds_config is one of them
    int m_takenAt = 0;      ///< undo index right after the content was taken
    QPushButton* m_take;
    QPushButton* m_keep;
    QToolButton* m_close;
};

}  // namespace stagecraft::app
