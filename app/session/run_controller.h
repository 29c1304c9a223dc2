// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/run_states.h"
#include "base/result.h"
#include "record/run_info.h"

#include <QObject>
#include <QString>

#include <filesystem>

class QTimer;

namespace stagecraft::app {

/// Starts, stops and finds again the run that the window watches. The run is another process, `stagecraft run`, which
/// outlives the window; everything known about it is read from its folder.
class RunController : public QObject {
    Q_OBJECT
public:
    /// @param program the `stagecraft` executable
    explicit RunController(const std::filesystem::path& program, QObject* parent = nullptr);

    /// Starts `stagecraft run WORKSPACE --run-dir RUNFOLDER ARGUMENTS...` apart from this process.
    /// @error Refused while a run is live here, NotFound when the program is not there, Io
    [[nodiscard]] Result<void> start(const std::filesystem::path& workspace, const std::filesystem::path& runFolder, const QStringList& arguments = {});
    /// Watches the run in `runFolder`, live or over. @error NotFound, InvalidInput
    [[nodiscard]] Result<void> attach(const std::filesystem::path& runFolder);
    /// Lets go of the run without touching it.
    void detach();
    /// Ends after the current step; what is recorded stays.
    void requestStop();
    /// Ends now.
    void kill();

    [[nodiscard]] RunState state() const { return m_state; }
    [[nodiscard]] const std::filesystem::path& runFolder() const { return m_runFolder; }
    /// run.json as last read; empty id while there is none.
    [[nodiscard]] const RunInfo& info() const { return m_info; }
    /// The supervisor's own words when it refused to start; else the failure's sentence; else empty.
    [[nodiscard]] QString failureText() const;

signals:
    void stateChanged(stagecraft::app::RunState state);
    void infoChanged();

private:
    void handle(RunEvent event);
    void look();
    [[nodiscard]] QString lastWords() const;
    void signalSupervisor(int number);
    [[nodiscard]] int supervisorPid() const;

    std::filesystem::path m_program;
    std::filesystem::path m_runFolder;
    std::filesystem::path m_errorFile;   ///< the supervisor's stderr until it has written run.json
    QString m_refusal;                   ///< what was in it, once the supervisor is gone without a run
    RunState m_state = RunState::None;
    RunInfo m_info;
    int m_earlierStarts = 0;             ///< of the run in the folder before it was started here
    qint64 m_launchedPid = 0;
    int m_killSignals = 0;
    QTimer* m_timer;
};

/// Where in a run folder the copy of an unsaved workspace lies that the run was launched with: it goes when the folder goes.
[[nodiscard]] std::filesystem::path launchCopyFolder(const std::filesystem::path& runFolder);

/// Removes the folder of a launch that came to nothing: what this window put there, and the folder when that was all. A folder that
/// holds a run, or is held, is left alone.
void removeUnusedRunFolder(const std::filesystem::path& runFolder);

/// The folders whose run is live now: under `runsRoot`, newest first, then those recorded elsewhere.
[[nodiscard]] QList<QString> liveRuns(const std::filesystem::path& runsRoot);

}  // namespace stagecraft::app
