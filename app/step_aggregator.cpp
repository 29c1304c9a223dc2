// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/step_aggregator.h"

#include <algorithm>
#include <limits>

namespace stagecraft::app {

namespace {
// A rank whose record is lost must not hold back the others for ever.
constexpr std::size_t kMostPending = 500'000;
}  // namespace

void StepAggregator::setWorld(int world)
{
    m_world = std::max(world, 1);
    m_lastStep.erase(m_lastStep.lower_bound(m_world), m_lastStep.end());   // ranks of an earlier start are not waited for
}

void StepAggregator::add(const StepMetrics& metrics, int attempt)
{
    const Key key{attempt, metrics.step};
    m_lastStep[metrics.rank] = key;
    Step& step = m_pending[key];
    step.step = metrics.step;
    step.attempt = attempt;
    // More lines than ranks: the step is being repeated before it came out. The newest ones count.
    if (step.ranks >= m_world)
        step = {metrics.step, attempt, 0, {}, 0, {}};
    ++step.ranks;
    step.any = metrics;
    step.slowestSeconds = std::max(step.slowestSeconds, metrics.stepSeconds);
    for (std::size_t p = 0; p < metrics.phaseSeconds.size(); ++p)
        step.meanPhases[p] += (metrics.phaseSeconds[p] - step.meanPhases[p]) / step.ranks;
}

std::vector<StepAggregator::Step> StepAggregator::take(bool all)
{
    Key reached{std::numeric_limits<int>::max(), 0};
    if (!all) {
        if (static_cast<int>(m_lastStep.size()) < m_world)
            reached = {std::numeric_limits<int>::min(), 0};
        for (const auto& [rank, last] : m_lastStep)
            reached = std::min(reached, last);
    }
    std::vector<Step> result;
    while (!m_pending.empty() && (m_pending.begin()->first <= reached || m_pending.size() > kMostPending)) {
        result.push_back(m_pending.begin()->second);
        m_pending.erase(m_pending.begin());
    }
    return result;
}

void StepAggregator::clear()
{
    m_lastStep.clear();
    m_pending.clear();
}

}  // namespace stagecraft::app
