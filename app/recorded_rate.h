// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <filesystem>
#include <tuple>

namespace stagecraft::app {

class ConfigDocumentPage;
class RunFlow;
class RunPage;

/// Lays the learning rate that the run on the Run page has recorded over the one that the Config page draws from the ds_config:
/// twice a second while that page is seen, and only of a run of the workspace in the window.
class RecordedRate : public QObject {
    Q_OBJECT
public:
    RecordedRate(ConfigDocumentPage& config, const RunPage& run, const RunFlow& flow, QObject* parent);

    /// Shows what is recorded now, where it is not what is shown; called by the own timer, and by tests.
    void look();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using Shown = std::tuple<std::filesystem::path, std::int64_t, std::int64_t, std::int64_t>;   // run, first and last step, how many

    ConfigDocumentPage& m_config;
    const RunPage& m_run;
    const RunFlow& m_flow;
    QTimer m_timer;
    Shown m_shown;
};

}  // namespace stagecraft::app
