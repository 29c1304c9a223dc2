// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_follower.h"

#include "base/atomic_file.h"
#include "record/record_lines.h"
#include "record/run_folder.h"

#include <nlohmann/json.hpp>

#include <QTimer>

#include <algorithm>
#include <utility>

namespace stagecraft::app {

namespace {

constexpr int kLiveMs = 100, kOverMs = 1000;
constexpr int kMostWaiting = 3;                       // batches: the window takes them at its own pace
constexpr std::size_t kSliceBytes = std::size_t{4} << 20;
constexpr std::size_t kMostPlanBytes = std::size_t{256} << 20;

std::optional<RunPlan> readPlan(const std::filesystem::path& folder)
{
    const auto text = readFile(RunFolder{folder}.planJson(), kMostPlanBytes);
    if (!text.hasValue())
        return std::nullopt;
    const nlohmann::json document = nlohmann::json::parse(*text, nullptr, false);
    return document.is_discarded() ? std::nullopt : std::optional(runPlanFromJson(document));
}

}  // namespace

// Lives in the reading thread.
class RunFollower::Worker : public QObject {
public:
    Worker(RunFollower* home, std::shared_ptr<std::atomic<std::uint64_t>> current, std::shared_ptr<std::atomic<int>> waiting)
        : m_home(home), m_current(std::move(current)), m_waiting(std::move(waiting)), m_timer(this)
    {
        m_timer.setSingleShot(true);
        connect(&m_timer, &QTimer::timeout, this, [this] { look(); });
    }

    void begin(std::uint64_t job, const std::filesystem::path& folder)
    {
        m_job = job;
        m_folder = folder;
        m_reader.reset();
        m_first = true;
        m_ended = false;
        m_planRead = false;
        m_lastSeenBack = -1;
        m_problem.clear();
        look();
    }
    void end()
    {
        m_timer.stop();
        m_reader.reset();
        m_folder.clear();
    }

private:
    void look()
    {
        if (m_folder.empty() || m_job != m_current->load())
            return;
        if (m_waiting->load() >= kMostWaiting) {
            m_timer.start(10);
            return;
        }
        m_timer.start(readSome());
    }

    // Returns after how many ms to look again.
    int readSome()
    {
        auto batch = std::make_shared<RunBatch>();
        batch->job = m_job;
        if (!m_reader) {
            RunReaderOptions options;
            options.spans = false;
            auto opened = RunReader::open(m_folder, options);
            if (!opened.hasValue()) {
                if (opened.error().message != m_problem) {
                    m_problem = opened.error().message;
                    batch->problem = opened.error();
                    send(batch);
                }
                return kLiveMs;
            }
            m_reader.emplace(std::move(opened.value()));
        }
        RunUpdate update = m_reader->poll(kSliceBytes);
        if (!m_first && goesBackToAGivenUpTraining(update)) {
            m_reader.reset();   // steps that were let go count again: all is read anew
            m_first = true;
            m_ended = false;
            return 0;
        }
        batch->first = std::exchange(m_first, false);
        batch->info = m_reader->info();
        batch->steps = std::move(update.steps);
        // The ranks' lists into one, as they were trained; only records of earlier releases leave no more than the clock to tell.
        const bool numbered = std::all_of(batch->steps.begin(), batch->steps.end(), [](const StepMetrics& step) { return step.attempt >= 0; });
        std::stable_sort(batch->steps.begin(), batch->steps.end(), [numbered](const StepMetrics& a, const StepMetrics& b) {
            return numbered ? std::pair(a.attempt, a.step) < std::pair(b.attempt, b.step) : a.timeNs < b.timeNs;
        });
        batch->events = std::move(update.events);
        batch->badRecords = m_reader->badRecords();
        batch->recordProblem = QString::fromStdString(m_reader->recordProblem());
        batch->more = update.more;
        batch->atEnd = m_reader->atEnd();
        // Another start of the run has another plan.
        if (std::exchange(m_attempt, batch->info.attempt) != batch->info.attempt)
            m_planRead = false;
        if (!m_planRead) {
            batch->plan = readPlan(m_folder);
            m_planRead = batch->plan.has_value() || isOver(batch->info.status);
        }
        const bool ended = batch->atEnd && !std::exchange(m_ended, batch->atEnd);
        if (batch->first || update.infoChanged || !batch->steps.empty() || !batch->events.empty() || batch->plan || ended)
            send(batch);
        m_ended = batch->atEnd;
        return update.more ? 0 : batch->atEnd ? kOverMs : kLiveMs;
    }

    /// Whether a start came that goes on from another one than the last; told once of each.
    bool goesBackToAGivenUpTraining(const RunUpdate& update)
    {
        bool back = false;
        for (const EventRecord& event : update.events) {
            const auto trained = event.kind == "run_started" ? fieldNumber(event, "resumedAttempt") : std::nullopt;
            if (!trained || event.attempt <= m_lastSeenBack || !(*trained + 1 < event.attempt))
                continue;
            m_lastSeenBack = event.attempt;
            back = true;
        }
        return back;
    }

    void send(const std::shared_ptr<const RunBatch>& batch)
    {
        ++*m_waiting;
        QMetaObject::invokeMethod(m_home, [home = m_home, batch, current = m_current, waiting = m_waiting] {
            --*waiting;
            if (batch->job == current->load())
                emit home->arrived(batch);
        }, Qt::QueuedConnection);
    }

    RunFollower* m_home;   // joins this thread before it goes
    std::shared_ptr<std::atomic<std::uint64_t>> m_current;
    std::shared_ptr<std::atomic<int>> m_waiting;
    QTimer m_timer;
    std::uint64_t m_job = 0;
    std::filesystem::path m_folder;
    std::optional<RunReader> m_reader;
    bool m_first = true, m_planRead = false, m_ended = false;
    int m_attempt = 0, m_lastSeenBack = -1;
    std::string m_problem;
};

RunFollower::RunFollower(QObject* parent)
    : QObject(parent), m_job(std::make_shared<std::atomic<std::uint64_t>>(0)), m_waiting(std::make_shared<std::atomic<int>>(0)),
      m_worker(new Worker(this, m_job, m_waiting))
{
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("run reader"));
    m_thread.start(QThread::LowPriority);
}

RunFollower::~RunFollower()
{
    ++*m_job;
    m_thread.quit();
    m_thread.wait();   // at most one slice of reading
}

void RunFollower::follow(const std::filesystem::path& runFolder)
{
    const std::uint64_t job = ++*m_job;
    m_folder = runFolder;
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, job, runFolder] { worker->begin(job, runFolder); }, Qt::QueuedConnection);
}

void RunFollower::stop()
{
    ++*m_job;
    m_folder.clear();
    QMetaObject::invokeMethod(m_worker, [worker = m_worker] { worker->end(); }, Qt::QueuedConnection);
}

}  // namespace stagecraft::app
