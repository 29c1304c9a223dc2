// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_follower.h"
#include "app/step_aggregator.h"
#include "record/run_starts.h"
#include "visualizers/log_model.h"
#include "visualizers/phase_history.h"
#include "visualizers/rank_strip_layout.h"
#include "visualizers/series_pyramid.h"
#include "visualizers/time_series_layout.h"

#include <QObject>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::app {

/// What the Run page knows of the run it shows. Fed with batches; views read it once per frame.
class RunModel : public QObject {
    Q_OBJECT
public:
    /// The newest of one rank, and its peaks since the last start of the run: an earlier one may have been laid out otherwise.
    struct Rank {
        RankState state = RankState::Starting;
        std::optional<StepMetrics> last;
        std::int64_t peakRss = 0, peakAllocated = 0;
        std::map<std::string, std::int64_t> allocatedByKind;   ///< ledger id -> bytes; empty when the record has none
    };
    struct Checkpoint {
        std::int64_t step = 0;
        std::string path;
    };

    explicit RunModel(QObject* parent = nullptr);

    void clear();
    void apply(const RunBatch& batch);

    [[nodiscard]] bool hasRun() const { return m_hasRun; }
    [[nodiscard]] const RunInfo& info() const { return m_info; }
    [[nodiscard]] const RunPlan& plan() const { return m_plan; }
    [[nodiscard]] const std::vector<Rank>& ranks() const { return m_ranks; }
    /// What the charts mark, in the window's language, by step.
    [[nodiscard]] std::vector<ChartEvent> events() const;
    [[nodiscard]] const std::optional<Checkpoint>& checkpoint() const { return m_checkpoint; }
    [[nodiscard]] LogModel* log() { return &m_log; }
    [[nodiscard]] const LogModel* log() const { return &m_log; }
    /// Wall clock of the newest record, 0 before the first.
    [[nodiscard]] std::int64_t lastRecordNs() const { return m_lastRecordNs; }
    [[nodiscard]] std::int64_t badRecords() const { return m_badRecords; }
    /// Why the run is not being recorded now, in its supervisor's words; empty while it is.
    [[nodiscard]] const QString& recordProblem() const { return m_recordProblem; }
    [[nodiscard]] std::int64_t droppedSpans() const;
    [[nodiscard]] bool isLoading() const { return m_loading; }

    /// The newest step that all ranks have reported.
    [[nodiscard]] const std::optional<StepAggregator::Step>& newest() const { return m_newest; }
    /// How fast the run is, each figure from the same steps, so that they agree with one another.
    struct Speed {
        double stepSeconds = 0;
        double tokensPerSecond = 0;    ///< of the whole job
        std::optional<double> mfu;     ///< 0..1: the plan's own, scaled by the throughput, since model and peak are the same; nothing without a plan
    };
    /// Now: the tokens of the last 20 steps over their time, that of the slowest rank. Nothing before the first step of a start.
    [[nodiscard]] std::optional<Speed> recentSpeed() const;
    /// Of the last start as a whole: the medians of rank 0, as reports and the command line give them.
    [[nodiscard]] std::optional<Speed> wholeSpeed() const;

    // Shared with the views that draw them; only this class appends, on the same thread.
    std::shared_ptr<SeriesPyramid> loss, evalLoss, tokensPerSecond, learningRate, gradNorm, stepSeconds;
    std::shared_ptr<PhaseHistory> phases;

private:
    [[nodiscard]] std::optional<Speed> speedOf(double seconds, double rate) const;
    void addEvent(const EventRecord& event);
    void addStart(const EventRecord& event);
    void addStep(const StepAggregator::Step& step);
    void forgetSpeed();
    [[nodiscard]] Rank* rankOf(int rank);

    bool m_hasRun = false;
    bool m_loading = false;
    RunInfo m_info;
    RunPlan m_plan;
    StepAggregator m_aggregator;
    RunStarts m_starts;
    std::vector<Rank> m_ranks;
    struct Mark {
        enum class Kind { Resumed, Failed } kind = Kind::Resumed;
        std::int64_t step = 0;
        int rank = -1;   // that failed; -1 = the supervisor
        int start = 0;   // of the run, as RunStarts counts them
    };
    void reachedBy(int start, std::int64_t step);
    [[nodiscard]] std::int64_t stepOf(const Mark& mark) const;
    std::vector<Mark> m_events;
    std::map<int, std::int64_t> m_reached;   // by start of the run: the last step that one of its ranks has reported
    std::vector<LogLine> m_newLines;
    std::optional<Checkpoint> m_checkpoint;
    std::optional<StepAggregator::Step> m_newest;
    struct Pace {
        double seconds = 0, tokens = 0;   // of a step
    };
    std::deque<Pace> m_recent;            // of the last start, at most kRecentSteps
    std::vector<double> m_stepSeconds, m_tokensPerSecond;   // of rank 0 in the last start
    std::int64_t m_lastRecordNs = 0;
    std::int64_t m_badRecords = 0;
    QString m_recordProblem;
    LogModel m_log;
};

/// The cards of the rank strip. A rank is slow when its compute is over 5 % and 1 ms above the median of at least three ranks.
[[nodiscard]] std::vector<RankCard> rankCards(const RunModel& model);

}  // namespace stagecraft::app
