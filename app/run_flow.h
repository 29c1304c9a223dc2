// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/run_states.h"
#include "base/result.h"
#include "widgets/theme.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>

class QWidget;

namespace stagecraft {
struct RunInfo;
}

namespace stagecraft::app {

class ResumeQuestion;
class RunController;
class WorkspaceDocument;

/// Starting and ending runs from the window: makes the run folder and the launch copy, asks before a kill.
class RunFlow : public QObject {
    Q_OBJECT
public:
    RunFlow(WorkspaceDocument& document, RunController& controller, const std::filesystem::path& runsRoot, QWidget* window);

    /// Launches what the window shows, saved or not, as a new run. While another run is live under the same folder of runs, asks
    /// first whether that one is meant. A plan of another framework is not launched: otherFrameworkPlanned() says so.
    void launch();
    /// The run in `runFolder` once more, as a new run: what the window shows where it is that run's workspace, else the workspace that
    /// the run has recorded.
    void launchAgain(const QString& runFolder);
    /// Lets the run in `runFolder` go on from its newest checkpoint, with the workspace it has recorded. Where that is not the one of
    /// `step`, which the user was offered, says what is there and asks first.
    void continueRun(const QString& runFolder, qint64 step);
    /// Ends after the running step; asked a second time, asks whether to kill.
    void stop();
    void kill();
    /// Attaches to the live run; with several, asks which.
    void reattach();
    void attach(const QString& runFolder);

    [[nodiscard]] const std::filesystem::path& runsRoot() const { return m_runsRoot; }
    /// Folders of live runs, newest first.
    [[nodiscard]] QStringList live() const;
    /// The run was launched from the workspace in the window: from its file, or from a copy of it while it has none.
    [[nodiscard]] bool isOfThisWorkspace(const std::filesystem::path& runFolder, const RunInfo& info) const;
    /// Whose behaviour the workspace in the window is planned with, as it names it; our engine's where it names none.
    [[nodiscard]] QString plannedFramework() const;
    /// What Launch would run, as a person would type it. Empty when nothing is open.
    [[nodiscard]] QString command() const;

    /// The state in the window's words and its colour.
    [[nodiscard]] static QString stateText(RunState state);
    [[nodiscard]] static theme::Token stateToken(RunState state);

signals:
    /// What was to be launched is a plan of this framework's behaviour, as a workspace names it.
    void otherFrameworkPlanned(const QString& framework);
    void launched();
    void attached();
    void noted(const QString& sentence);
    void failed(const QString& sentence);

private:
    using Workspace = std::function<Result<std::filesystem::path>(const std::filesystem::path& runFolder)>;   // the file to launch

    void launchNow(const QString& name, const Workspace& workspace);
    /// Runs `then` when no other run is live, or when a second one is meant.
    void whenAlone(const std::function<void()>& then);
    void askAboutLive(const QStringList& folders, const std::function<void()>& then);
    [[nodiscard]] Result<std::filesystem::path> launchFile(const std::filesystem::path& runFolder) const;
    [[nodiscard]] bool isOfThisWorkspace(const std::filesystem::path& runFolder) const;

    WorkspaceDocument& m_document;
    RunController& m_controller;
    std::filesystem::path m_runsRoot;
    QWidget* m_window;
    ResumeQuestion* m_resume;
};

}  // namespace stagecraft::app
