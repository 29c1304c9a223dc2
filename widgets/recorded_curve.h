// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace stagecraft {

/// What a run has recorded of a value that the ds_config plans, by the steps of the plan (from 0).
struct RecordedCurve {
    QString name;                              ///< of the run
    std::int64_t first = 0, last = -1;         ///< steps that are recorded; last < first: none
    std::function<std::optional<double>(std::int64_t step)> valueAt;   ///< nothing where the run has no number

    [[nodiscard]] bool empty() const { return last < first || !valueAt; }
    /// Steps to compare at, rising, the first and the last among them: enough for a curve of a few hundred pixels, however short the
    /// run is beside its plan.
    [[nodiscard]] std::vector<std::int64_t> sampleSteps() const;
    /// One value for each of `steps`, NaN where there is none.
    [[nodiscard]] std::vector<double> valuesAt(const std::vector<std::int64_t>& steps) const;
};

}  // namespace stagecraft
