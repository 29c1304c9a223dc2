// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <string>

namespace stagecraft::app {

/// What plans made here learned from runs: looks for it at the start, keeps a run, forgets one. Reads and writes off the GUI
/// thread, one thing at a time.
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
    };
    void start(std::function<Outcome()> work);

    std::filesystem::path m_runsRoot;
    std::string m_version;
};

}  // namespace stagecraft::app
