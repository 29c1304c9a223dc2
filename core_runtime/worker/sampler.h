// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/kernels.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace stagecraft {

/// Lower quartile of many readings, which other programs disturb less than the median, and half the distance of their
/// quartiles, relative to it.
struct Sample {
    double seconds = 0;
    double spread = 0;
};

/// @pre readings is not empty
[[nodiscard]] Sample sampleOf(std::vector<double> readings, double quantile = 0.25);

/// One thread's operands: a block of values in [-1, 1] that calls take pieces of in turn, so that a piece comes again only after
/// the footprint asked for has gone by.
class Arena {
public:
    static constexpr std::int64_t kBytes = std::int64_t{64} << 20;

    Arena();
    /// Fills its first `bytes` with values of `elementBytes` (4 = float, 2 = bfloat16).
    void fill(std::size_t elementBytes, std::int64_t bytes);
    /// The same, unless the last call of either function did just that. For operands that are only read.
    void fillOnce(std::size_t elementBytes, std::int64_t bytes);
    [[nodiscard]] char* data() { return m_bytes.get(); }

private:
    struct Free {
        void operator()(char* pointer) const;
    };
    std::unique_ptr<char, Free> m_bytes;
    std::size_t m_elementBytes = 0;   ///< of the last fillOnce with nothing after it
    std::int64_t m_filled = 0;
};

/// What a thread repeats.
struct Work {
    std::function<void()> call;
    std::int64_t callsPerRefresh = 0;    ///< after so many calls the operands must be made again, 0 = never
    std::function<void()> refresh;       ///< not timed
};

/// Times calls on one or several threads at once. Threads live as long as the sampler, as an engine's do.
class Sampler {
public:
    /// @param crew  threads that can be at work at once, >= 1
    explicit Sampler(int crew);
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    using Make = std::function<Work(Arena& arena)>;
    /// Every one of `copies` threads repeats its own work until all have enough readings.
    /// @param threads  that one call may use inside (LibTorch's intra-op threads)
    /// @param budget   seconds of repeating, at least three readings whatever it is
    [[nodiscard]] Sample measure(int copies, int threads, double budget, const Make& make);

private:
    struct Task;
    void run(std::size_t index);

    std::vector<std::unique_ptr<Arena>> m_arenas;
    std::mutex m_mutex;
    std::condition_variable m_wake, m_idle;
    Task* m_task = nullptr;
    std::int64_t m_generation = 0;
    int m_working = 0;
    bool m_stopping = false;
    std::vector<std::thread> m_threads;
};

}  // namespace stagecraft
