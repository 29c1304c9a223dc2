// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"
#include "planner/search.h"

#include <QObject>

#include <memory>
#include <optional>
#include <thread>

namespace stagecraft::app {

/// What to search: a job whose layout may change, within limits.
struct SearchJob {
    TrainingCase base;
    SearchLimits limits;
};

/// The job of a plan's workspace, as its framework runs it. Layouts of our engine are scored by the engine's own ledger, which
/// is exact; the others by the closed forms.
/// @error InvalidInput when there is no model, device or layout to search with
[[nodiscard]] Result<SearchJob> searchJobOf(const PlanSet& plan, const SearchLimits& limits);
/// What a search's outcome depends on: the document without its layout, the samples of a step, and what is known of this machine. Applying
/// a result leaves it as it is.
[[nodiscard]] std::string searchKey(const PlanSet& plan);

/// Searches on a thread of its own and tells about ten times a second what it has found.
class SearchService : public QObject {
    Q_OBJECT
public:
    explicit SearchService(QObject* parent = nullptr);
    /// Stops the search and waits for it: a few hundred layouts at most.
    ~SearchService() override;

    /// Begins a search; one that is under way is given up and tells nothing more.
    void start(SearchJob job);
    /// finished() follows with what was found so far.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// The newest state of the newest search; null before the first.
    [[nodiscard]] const std::shared_ptr<const SearchResult>& result() const { return m_result; }
    /// Seconds the finished search took.
    [[nodiscard]] double secondsTaken() const { return m_seconds; }

signals:
    void progressed();
    void finished();

private:
    void take(quint64 job, std::shared_ptr<const SearchResult> result, bool done, double seconds);

    std::jthread m_thread;
    std::shared_ptr<const SearchResult> m_result;
    quint64 m_job = 0;
    double m_seconds = 0;
    bool m_running = false;
};

}  // namespace stagecraft::app
