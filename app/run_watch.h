// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_index.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <string>
#include <vector>

class QFileSystemWatcher;

namespace stagecraft::app {

/// The recorded runs as they are now, whoever started them: a window, a terminal, another machine on a shared disk. Looks when
/// the runs folder changes, and every few seconds for what says nothing when it happens (a lock let go, a run started over).
/// All reading is done in the background; the runs are read anew only where one came, went, began or ended.
class RunWatch : public QObject {
    Q_OBJECT
public:
    /// @param runsRoot  may be empty, or not be there yet
    explicit RunWatch(const std::filesystem::path& runsRoot, QObject* parent = nullptr);

    /// Newest first.
    [[nodiscard]] const std::vector<RunEntry>& runs() const { return m_runs; }
    /// Those of them that train now, newest first.
    [[nodiscard]] std::vector<RunEntry> live() const;
    /// Whether the runs have been read at all.
    [[nodiscard]] bool hasLooked() const { return m_looked; }
    /// Reads all of them again: what they have come to may be asked for.
    void refresh();
    /// A run that somebody follows more closely has ended: told at once, before the next look sees it.
    void noteEnd(const std::filesystem::path& folder, RunStatus status);

signals:
    /// The list is another one, or a run in it began or ended.
    void changed();

private:
    void look(bool anew);
    void watch();

    std::filesystem::path m_runsRoot;
    std::vector<RunEntry> m_runs;
    std::string m_signature;        ///< of what was read: names, and which of them are held
    bool m_looked = false;
    bool m_busy = false;
    bool m_again = false;           ///< asked for while busy
    bool m_anew = false;
    bool m_stale = false;           ///< something ended since the look under way began
    QFileSystemWatcher* m_watcher;
    QTimer m_settle;                ///< a start makes several files: looked at once they are there
    QTimer m_interval;
};

}  // namespace stagecraft::app
