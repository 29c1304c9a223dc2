// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "checkpoint/checkpoint.h"
#include "record/run_folder.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>

class QWidget;

namespace stagecraft::app {

/// Which checkpoint a run is to go on from. Reads the checkpoints of the run off the window's thread, all their bytes, since a
/// damaged one is found out no other way; where the one that the user chose cannot be used it says what is there, and asks.
class ResumeQuestion : public QObject {
    Q_OBJECT
public:
    explicit ResumeQuestion(QWidget* window);

    /// answered() follows, at once or once the user chose, unless the user gives it up. One question at a time: a later one replaces
    /// what is being looked at, and nothing happens while a question stands open.
    /// @param step  of the checkpoint that was offered to the user
    void ask(const QString& runFolder, std::int64_t step);

    /// The checkpoint that was saved at `step` is where the run keeps it; whether it is whole is not looked at. One look at the disk.
    [[nodiscard]] static bool isThere(const RunFolder& run, std::int64_t step);

signals:
    /// `resume` is what `stagecraft run --resume` takes: a step, or "no".
    void answered(const QString& runFolder, const QString& resume);
    /// The checkpoints are being read, which may take a while.
    void looking(const QString& runFolder);

private:
    void decide(const QString& runFolder, std::int64_t step, const ResumePoint& point);

    QWidget* m_window;
    int m_job = 0;
};

}  // namespace stagecraft::app
