// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_plan.h"
#include "base/result.h"
#include "record/run_info.h"
#include "record/run_reader.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

namespace stagecraft::app {

/// What was read of a run since the batch before.
struct RunBatch {
    std::uint64_t job = 0;             ///< of the follow() it belongs to
    bool first = false;                ///< the run was just opened
    RunInfo info;                      ///< status is Lost for a run nobody holds
    std::vector<StepMetrics> steps;    ///< by time
    std::vector<EventRecord> events;
    std::optional<RunPlan> plan;       ///< once, when plan.json was read
    std::int64_t badRecords = 0;
    QString recordProblem;             ///< why a live run is not being recorded now
    bool more = false;                 ///< there is more on disk already
    bool atEnd = false;                ///< the run is over and all is read
    std::optional<Error> problem;      ///< the folder cannot be read; it is tried again
};

/// Reads a run folder in a thread of its own and hands over what is new. Only the newest follow() is heard: batches of an
/// earlier one are dropped by their job id.
class RunFollower : public QObject {
    Q_OBJECT
public:
    explicit RunFollower(QObject* parent = nullptr);
    ~RunFollower() override;

    /// Starts over with another run. A folder without run.json yet is waited for.
    void follow(const std::filesystem::path& runFolder);
    void stop();
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

signals:
    void arrived(std::shared_ptr<const stagecraft::app::RunBatch> batch);

private:
    class Worker;
    std::filesystem::path m_folder;
    std::shared_ptr<std::atomic<std::uint64_t>> m_job;
    std::shared_ptr<std::atomic<int>> m_waiting;   // batches sent and not yet taken
    QThread m_thread;
    Worker* m_worker = nullptr;
};

}  // namespace stagecraft::app
