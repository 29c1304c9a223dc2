// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/recovery_journal.h"
#include "exporters/foreign_export.h"

#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QWidget;

namespace stagecraft::app {

class WorkspaceDocument;
class SettingsStore;

/// What a dropped or opened file is.
enum class FileKind { Workspace, DsConfig, ModelFolder, Foreign, Unknown };
[[nodiscard]] FileKind fileKind(const QString& path);

/// Opening, saving, closing: asks what has to be asked, then acts on the document. Dialogs never block the event loop.
class FileFlow : public QObject {
    Q_OBJECT
public:
    FileFlow(WorkspaceDocument& document, RecoveryJournal& journal, SettingsStore& settings, QWidget* window);

    /// A plan for a model and hardware still to be chosen; planBegun() follows.
    void newWorkspace();
    void openDemo();
    /// Opens a text that has no file yet, once nothing would be lost.
    void openUnsaved(const std::string& text, const QString& name);
    void open();
    /// Opens a file of any kind we know; others are explained. Asks about unsaved work first.
    void openPath(const QString& path);
    void save();
    void saveAs();
    void closeWorkspace();
    /// Asks for a file of another tool, then importRequested().
    void askForImport();
    /// A workspace without a file, to import `path` into: everything else is the demo's.
    void newWorkspaceFor(const QString& path);
    /// Writes one file under a name the user gives, several into a folder the user names; asks before any is replaced.
    void saveFiles(const std::vector<ExportedFile>& files, const QString& title);
    /// Runs `next` once nothing would be lost: at once, after saving, or after the user gave the edits up.
    void whenSafe(const std::function<void()>& next);
    /// Says the name of what has no file in the language of the window.
    void retranslate();
    /// Offers what a killed window held. Does nothing when there is nothing.
    void offerRecovery();

    /// The embedded demo workspace.
    [[nodiscard]] static std::string demoText();

signals:
    /// The recent files changed.
    void recentChanged();
    /// Opened something that belongs on the Config page.
    void configOpened();
    /// A new plan is open: its model and hardware are to be chosen.
    void planBegun();
    /// What a dead window held is held by this one.
    void recovered(const stagecraft::app::RecoveredSession& session);
    /// A file of another tool: to be shown before anything is taken from it.
    void importRequested(const QString& path);
    void noted(const QString& sentence);
    void failed(const QString& sentence);

private:
    void openNow(const QString& path);
    void openUntitled(std::string text, const std::function<QString()>& name);
    void addRecent(const QString& path);
    /// A workspace that nobody has named yet is called as its file; a step of its own.
    void takeNameOf(const QString& path);
    void askSaveName(const std::function<void()>& then);
    /// @param said  what is said when it worked, with %1 for the name
    void saved(const Result<void>& result, const QString& said, const std::function<void()>& then);
    void saveThen(const std::function<void()>& then);
    /// Where file dialogs start: beside what is open.
    [[nodiscard]] QString folder() const;
    void writeInto(const std::vector<ExportedFile>& files, const QString& folder);

    WorkspaceDocument& m_document;
    RecoveryJournal& m_journal;
    SettingsStore& m_settings;
    QWidget* m_window;
    std::function<QString()> m_name;   ///< of the document while it has no file and keeps m_named
    QString m_named;
};

}  // namespace stagecraft::app
