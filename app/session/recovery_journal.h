// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/file_lock.h"

#include <QDateTime>
#include <QList>
#include <QObject>
#include <QString>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

class QTimer;

namespace stagecraft::app {

class WorkspaceDocument;

/// What a window that died held unsaved.
struct RecoveredSession {
    QString id;
    std::filesystem::path path;                 ///< the workspace's file, empty when it never had one
    QString title;                              ///< what it was called without a file
    std::string text;
    std::optional<std::string> configFileText;
    std::string knownText, knownConfigText;     ///< what the window knew the files to hold when it died
    QDateTime written;
};

/// Keeps a copy of unsaved work beside the user's settings, so that a kill of the window loses at most `kDelayMs` of typing.
/// One file a window, locked while the window lives; a file whose lock nobody holds was left by one that died. What is not locked is
/// therefore never written: another window would take it for a dead one's.
class RecoveryJournal : public QObject {
    Q_OBJECT
public:
    static constexpr int kDelayMs = 400;

    /// @param folder made when needed, e.g. $XDG_STATE_HOME/stagecraft/recovery
    RecoveryJournal(const std::filesystem::path& folder, WorkspaceDocument& document, QObject* parent = nullptr);
    ~RecoveryJournal() override;

    /// What dead windows left, newest first; this window holds them until discard() or release(), so that no other window offers
    /// them too. Entries that hold no work and what dead windows left besides are removed.
    [[nodiscard]] QList<RecoveredSession> abandoned();
    /// Gives a session that abandoned() returned up for good: recovered, or not wanted.
    void discard(const QString& id);
    /// Lets the next window that starts offer the sessions that were not discarded.
    void release();
    /// Writes now what is pending (before risky work); removes the entry when nothing is unsaved.
    void flush();
    /// Why nothing can be kept, while that is so.
    [[nodiscard]] std::optional<Error> problem() const { return m_problem; }

signals:
    void problemChanged();

public:
    /// $XDG_STATE_HOME/stagecraft/recovery, else ~/.local/state/stagecraft/recovery.
    [[nodiscard]] static std::filesystem::path defaultFolder();

private:
    [[nodiscard]] std::filesystem::path entry(const QString& id) const;
    [[nodiscard]] std::filesystem::path lockFile(const QString& id) const;
    [[nodiscard]] Result<void> lock();
    [[nodiscard]] Result<void> write();

    std::filesystem::path m_folder;
    WorkspaceDocument& m_document;
    QString m_id;
    std::optional<FileLock> m_lock;
    std::map<QString, FileLock> m_claimed;   ///< dead windows' sessions that this one offers
    QTimer* m_delay;
    std::optional<Error> m_problem;
};

}  // namespace stagecraft::app
