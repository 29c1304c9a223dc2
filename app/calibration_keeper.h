// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <string>

class QFileSystemWatcher;

namespace stagecraft::app {

/// When the rates in machineContext() were measured; not valid where there are none.
[[nodiscard]] QDateTime machineMeasuredAt();

/// What plans made here learned from runs and measured of this machine: looks for it at the start and whenever another program
/// changed it (`doctor --measure`, `runs calibrate`, `runs calibrations --remove`), keeps a run, forgets one. Reads and writes off
/// the GUI thread.
class CalibrationKeeper : public QObject {
    Q_OBJECT
public:
    /// @param runsRoot  the folder that holds the runs: what is kept lies beside it
    explicit CalibrationKeeper(const std::filesystem::path& runsRoot, QObject* parent = nullptr);

    /// Reads again what is kept. changed() follows when plans would be other ones.
    void look();
    void keep(const QString& runFolder);
    void forget(const QString& id);

signals:
    /// machineContext() is another one now.
    void changed();
    void told(const QString& sentence);
    void failed(const QString& sentence);

private:
    struct Outcome {
        QString told, failed;
        bool other = false;
        std::string signature = {};   ///< of the files afterwards
    };
    void start(std::function<Outcome()> work);
    void lookAgain();
    void watch();

    std::filesystem::path m_runsRoot;
    std::string m_version;
    std::string m_signature;        ///< of the files as plans know them
    QFileSystemWatcher* m_watcher;
    QTimer m_settle;                ///< a file is replaced in several steps
};

}  // namespace stagecraft::app
