// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/machine_measure.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

namespace stagecraft {

struct MeasuringRequest {
    double seconds = 50;               ///< the measurement takes about this long
    std::filesystem::path runsRoot;    ///< whose disk is measured; the measurement is kept beside it
    std::filesystem::path worker;      ///< the worker program
    std::string version;               ///< of this product
};

/// Has the worker program measure this machine and keeps the answer in machineMeasureFile(runsRoot). Blocks.
///
/// @param progress  called on this thread. @param done  0 to 1
/// @param stop      set from anywhere: the worker is ended and nothing is kept
/// @error Cancelled; NotFound without a worker; Io; Internal with the worker's last words when it died
[[nodiscard]] Result<MachineMeasure> measureThisMachine(const MeasuringRequest& request, const std::function<void(double done, const std::string& doing)>& progress,
                                                        const std::atomic<bool>& stop);

}  // namespace stagecraft
