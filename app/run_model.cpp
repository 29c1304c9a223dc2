// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_model.h"

#include "record/record_lines.h"
#include "record/run_record.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft::app {

namespace {

constexpr std::size_t kRecentSteps = 20;

std::optional<RankState> rankStateFromName(const std::string& name)
{
    if (name == "starting") return RankState::Starting;
    if (name == "ready") return RankState::Ready;
    if (name == "running") return RankState::Running;
    if (name == "finished") return RankState::Finished;
    if (name == "stopped") return RankState::Stopped;
    if (name == "failed") return RankState::Failed;
    if (name == "lost") return RankState::Lost;
    return std::nullopt;
}

LogLevel levelFromName(const std::string& name)
{
    if (name == "error" || name == "critical" || name == "fatal") return LogLevel::Error;
    if (name == "warning" || name == "warn") return LogLevel::Warning;
    if (name == "debug" || name == "trace") return LogLevel::Debug;
    return LogLevel::Info;
}

}  // namespace

RunModel::RunModel(QObject* parent) : QObject(parent) { clear(); }

void RunModel::clear()
{
    for (auto* series : {&loss, &evalLoss, &tokensPerSecond, &learningRate, &gradNorm, &stepSeconds}) {
        if (*series)
            (*series)->clear();   // views keep their pointers
        else
            *series = std::make_shared<SeriesPyramid>();
    }
    if (phases)
        phases->clear();
    else
        phases = std::make_shared<PhaseHistory>();
    m_hasRun = m_loading = false;
    m_info = {};
    m_plan = {};
    m_aggregator.clear();
    m_ranks.clear();
    m_events.clear();
    m_reached.clear();
    m_newLines.clear();
    m_checkpoint.reset();
    m_newest.reset();
    forgetSpeed();
    m_lastRecordNs = m_badRecords = 0;
    m_recordProblem.clear();
    m_starts.clear();
    if (m_log.lineCount() > 0)
        m_log.clear();
}

RunModel::Rank* RunModel::rankOf(int rank)
{
    // A damaged record must not make us allocate for ranks that cannot be.
    constexpr int kMostRanks = 1 << 20;
    if (rank < 0 || rank >= std::max(m_info.world, 1) || rank >= kMostRanks)
        return nullptr;
    if (static_cast<int>(m_ranks.size()) <= rank)
        m_ranks.resize(static_cast<std::size_t>(rank) + 1);
    return &m_ranks[static_cast<std::size_t>(rank)];
}

void RunModel::apply(const RunBatch& batch)
{
    if (batch.problem)
        return;
    if (batch.first)
        clear();
    m_hasRun = true;
    m_loading = batch.more;
    m_info = batch.info;
    m_badRecords = batch.badRecords;
    m_recordProblem = batch.recordProblem;
    if (batch.plan)
        m_plan = *batch.plan;
    m_aggregator.setWorld(m_info.world);
    if (m_info.world > 0) {
        (void)rankOf(m_info.world - 1);   // a card for every rank from the start
        m_ranks.resize(std::min(m_ranks.size(), static_cast<std::size_t>(m_info.world)));   // an earlier start may have had more
    }
    // Before the steps: a start is written before the first of its steps, and says which of the earlier ones it takes back.
    for (const EventRecord& event : batch.events)
        addStart(event);
    for (const StepMetrics& step : batch.steps) {
        m_lastRecordNs = std::max(m_lastRecordNs, step.timeNs);
        const int attempt = m_starts.startOf(step);
        reachedBy(attempt, step.step);   // also of what a later start took back: where that start failed stays true
        Rank* rank = rankOf(step.rank);
        if (rank == nullptr || m_starts.tookBack(step))
            continue;
        if (attempt + 1 >= m_starts.count()) {
            rank->last = step;
            rank->peakRss = std::max(rank->peakRss, step.peakRssBytes);
            rank->peakAllocated = std::max(rank->peakAllocated, step.peakAllocatedBytes);
            if (step.rank == 0) {
                m_stepSeconds.push_back(step.stepSeconds);
                m_tokensPerSecond.push_back(step.tokensPerSecond);
            }
        }
        phases->appendRank(step.rank, step.step, step.phaseSeconds);
        m_aggregator.add(step, attempt);
    }
    for (const StepAggregator::Step& step : m_aggregator.take(batch.atEnd))
        addStep(step);
    for (const EventRecord& event : batch.events)
        addEvent(event);
    m_log.append(m_newLines);
    m_newLines.clear();
    for (std::size_t r = 0; r < m_info.ranks.size() && r < m_ranks.size(); ++r) {
        if (const auto state = rankStateFromName(m_info.ranks[r].state))
            m_ranks[r].state = m_info.status == RunStatus::Lost && *state == RankState::Running ? RankState::Lost : *state;
    }
}

void RunModel::addStart(const EventRecord& event)
{
    const int before = m_starts.count();
    const auto start = m_starts.add(event);
    if (!start)
        return;
    reachedBy(m_starts.startOf(event), start->resumedFrom);
    m_newest.reset();
    forgetSpeed();
    for (Rank& rank : m_ranks) {
        rank.last.reset();
        rank.peakRss = rank.peakAllocated = 0;
    }
    if (before == 0)
        return;   // what is before the first start, by its clock, is its own
    for (const auto& series : {loss, evalLoss, tokensPerSecond, learningRate, gradNorm, stepSeconds})
        series->truncateFrom(start->resumedFrom + 1);
    phases->truncateFrom(start->resumedFrom + 1);
}

void RunModel::addStep(const StepAggregator::Step& step)
{
    if (m_starts.tookBack(step.any))
        return;   // was waiting for the other ranks when the start came
    loss->append(step.step, step.any.loss);
    tokensPerSecond->append(step.step, step.any.tokensPerSecond);
    learningRate->append(step.step, step.any.learningRate);
    gradNorm->append(step.step, step.any.gradNorm);
    stepSeconds->append(step.step, step.slowestSeconds);
    phases->appendMean(step.step, step.meanPhases);
    m_newest = step;
    // The tokens of the job from one rank's rate and its own time; their time is that of the slowest.
    if (const double tokens = step.any.tokensPerSecond * step.any.stepSeconds; step.attempt + 1 >= m_starts.count() && std::isfinite(tokens) && std::isfinite(step.slowestSeconds) && step.slowestSeconds > 0) {
        m_recent.push_back({step.slowestSeconds, tokens});
        if (m_recent.size() > kRecentSteps)
            m_recent.pop_front();
    }
}

void RunModel::addEvent(const EventRecord& event)
{
    m_lastRecordNs = std::max(m_lastRecordNs, event.timeNs);
    const auto say = [&](LogLevel level, const QString& text) { m_newLines.push_back({event.timeNs, event.rank, level, text}); };
    const auto stepIn = [&](const char* field) {
        const double step = fieldNumber(event, field).value_or(0);
        return std::isfinite(step) && std::abs(step) < 9e15 ? static_cast<std::int64_t>(step) : 0;
    };
    const auto stepOf = [&] { return stepIn("step"); };
    if (event.kind == "log") {
        say(levelFromName(fieldText(event, "level")), QString::fromStdString(fieldText(event, "text")));
    } else if (event.kind == "eval") {
        const double value = fieldNumber(event, "loss").value_or(std::nan(""));
        if (!m_starts.tookBack(event, stepOf()))
            evalLoss->append(stepOf(), value);
        say(LogLevel::Info, QStringLiteral("evaluation: step %1, loss %2").arg(stepOf()).arg(value, 0, 'f', 4));
    } else if (event.kind == "checkpoint_saved") {
        m_checkpoint = Checkpoint{stepOf(), fieldText(event, "path")};
        say(LogLevel::Info, QStringLiteral("checkpoint saved: step %1").arg(stepOf()));
    } else if (event.kind == "memory") {
        Rank* rank = rankOf(event.rank);
        if (rank == nullptr)
            return;
        rank->allocatedByKind.clear();   // a resumed run may be laid out anew
        constexpr std::size_t kMostKinds = 64;
        for (const auto& [what, text] : event.fields) {
            const double bytes = fieldNumber(event, what).value_or(-1);
            if (bytes >= 0 && bytes < 9e15 && rank->allocatedByKind.size() < kMostKinds)
                rank->allocatedByKind[what] = static_cast<std::int64_t>(bytes);
        }
    } else if (event.kind == "rank_state") {
        Rank* rank = rankOf(event.rank);
        if (const auto state = rankStateFromName(fieldText(event, "state")); state && rank != nullptr)
            rank->state = *state;
    } else if (event.kind == "failure") {
        say(LogLevel::Error, QString::fromStdString(fieldText(event, "message")));
        m_events.push_back({Mark::Kind::Failed, 0, event.rank, m_starts.startOf(event)});
    } else if (event.kind == "run_started") {
        const std::int64_t from = std::max<std::int64_t>(0, stepIn("resumedFrom"));
        if (from == 0) {   // over again: nothing of the earlier starts is on these axes
            m_checkpoint.reset();
            m_events.clear();
        }
        // What was saved besides is given up, and a start with --resume auto does not take it.
        if (from > 0 && m_checkpoint && m_checkpoint->step != from)
            m_checkpoint = Checkpoint{from, {}};
        if (from > 0)
            m_events.push_back({Mark::Kind::Resumed, from, -1, m_starts.startOf(event)});
        // What is told of a run is told of its newest start: its first error too.
        m_log.append(std::exchange(m_newLines, {}));
        m_log.beginPart();
    }
}

void RunModel::reachedBy(int start, std::int64_t step)
{
    std::int64_t& reached = m_reached[start];
    reached = std::max(reached, step);
}

std::int64_t RunModel::stepOf(const Mark& mark) const
{
    if (mark.kind == Mark::Kind::Resumed)
        return mark.step;
    // A failure ends its start, so it stands at the last step of that start, whenever the one and the other are read.
    const auto reached = m_reached.find(mark.start);
    return reached != m_reached.end() ? reached->second : 0;
}

std::vector<ChartEvent> RunModel::events() const
{
    std::vector<ChartEvent> events;
    for (const Mark& mark : m_events) {
        if (mark.kind == Mark::Kind::Resumed && m_starts.tookBack(mark.start, mark.step))
            continue;   // of a training that was given up
        if (mark.kind == Mark::Kind::Resumed)
            events.push_back({mark.step, tr("resumed from %1").arg(static_cast<qlonglong>(mark.step)), ChartEvent::Level::Info});
        else
            events.push_back({stepOf(mark), mark.rank >= 0 ? tr("rank %1 failed").arg(mark.rank) : tr("failed"), ChartEvent::Level::Error});
    }
    return events;
}

std::int64_t RunModel::droppedSpans() const
{
    std::int64_t sum = 0;
    for (const Rank& rank : m_ranks)
        sum += rank.last ? rank.last->droppedSpans : 0;
    return sum;
}

void RunModel::forgetSpeed()
{
    m_recent.clear();
    m_stepSeconds.clear();
    m_tokensPerSecond.clear();
}

std::optional<RunModel::Speed> RunModel::speedOf(double seconds, double rate) const
{
    if (!std::isfinite(seconds) || !std::isfinite(rate))
        return std::nullopt;
    Speed speed{seconds, rate, {}};
    if (m_plan.mfu && m_plan.tokensPerSecond && *m_plan.tokensPerSecond > 0)
        speed.mfu = *m_plan.mfu * rate / *m_plan.tokensPerSecond;
    return speed;
}

std::optional<RunModel::Speed> RunModel::recentSpeed() const
{
    Pace sum;
    for (const Pace& pace : m_recent) {
        sum.seconds += pace.seconds;
        sum.tokens += pace.tokens;
    }
    return m_recent.empty() ? std::nullopt : speedOf(sum.seconds / static_cast<double>(m_recent.size()), sum.tokens / sum.seconds);
}

std::optional<RunModel::Speed> RunModel::wholeSpeed() const
{
    return speedOf(medianOf(m_stepSeconds), medianOf(m_tokensPerSecond));
}

std::vector<RankCard> rankCards(const RunModel& model)
{
    std::vector<RankCard> cards;
    std::vector<double> compute;
    for (std::size_t r = 0; r < model.ranks().size(); ++r) {
        const RunModel::Rank& rank = model.ranks()[r];
        RankCard card;
        card.rank = static_cast<int>(r);
        card.state = rank.state;
        if (rank.last) {
            const auto& seconds = rank.last->phaseSeconds;
            // Communication includes being held up by others; what the rank itself does is the rest.
            card.computeSeconds = seconds[static_cast<std::size_t>(Phase::Data)] + seconds[static_cast<std::size_t>(Phase::Forward)]
                + seconds[static_cast<std::size_t>(Phase::Backward)] + seconds[static_cast<std::size_t>(Phase::Optimizer)];
            card.waitSeconds = seconds[static_cast<std::size_t>(Phase::Communication)] + seconds[static_cast<std::size_t>(Phase::Wait)];
            card.memoryBytes = static_cast<double>(rank.last->rssBytes);
            compute.push_back(card.computeSeconds);
        }
        cards.push_back(card);
    }
    if (compute.size() >= 3) {
        std::nth_element(compute.begin(), compute.begin() + static_cast<std::ptrdiff_t>(compute.size() / 2), compute.end());
        const double median = compute[compute.size() / 2];
        for (RankCard& card : cards)
            card.slow = card.state == RankState::Running && card.computeSeconds > median * 1.05 && card.computeSeconds > median + 1e-3;
    }
    return cards;
}

}  // namespace stagecraft::app
