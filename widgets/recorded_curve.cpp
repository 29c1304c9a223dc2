// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/recorded_curve.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

std::vector<std::int64_t> RecordedCurve::sampleSteps() const
{
    constexpr std::int64_t kSamples = 64;
    std::vector<std::int64_t> steps;
    if (empty())
        return steps;
    const std::int64_t count = std::min(kSamples, last - first + 1);
    for (std::int64_t i = 0; i + 1 < count; ++i)
        steps.push_back(first + static_cast<std::int64_t>(static_cast<double>(last - first) * static_cast<double>(i) / static_cast<double>(count - 1)));
    steps.push_back(last);
    return steps;
}

std::vector<double> RecordedCurve::valuesAt(const std::vector<std::int64_t>& steps) const
{
    std::vector<double> values;
    values.reserve(steps.size());
    for (const std::int64_t step : steps)
        values.push_back(empty() || step < first || step > last ? std::numeric_limits<double>::quiet_NaN() : valueAt(step).value_or(std::numeric_limits<double>::quiet_NaN()));
    return values;
}

}  // namespace stagecraft
