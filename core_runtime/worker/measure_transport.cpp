// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/collectives.h"
#include "worker/measure.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace stagecraft {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPiece = std::int64_t{1} << 20;  // floats reduced at a time, the most the engine takes

double processorSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Case {
    const char* kind;
    std::int64_t shardBytes;
};

std::vector<Case> casesOf(const Grid& grid, int world)
{
    std::vector<Case> cases{{"all_reduce_scalars", 40}};
    for (const std::int64_t bytes : grid.coarse ? std::vector<std::int64_t>{4096, 1 << 20} : std::vector<std::int64_t>{1024, 16 << 10, 128 << 10, 1 << 20, 8 << 20})
        if (bytes * world <= (std::int64_t{32} << 20))
            for (const char* kind : {"all_gather", "reduce_scatter"}) cases.push_back({kind, bytes});
    return cases;
}

/// What one rank does for all cases. Rank 0 decides how often a call is repeated: all ranks must make the same calls.
class Rank {
public:
    Rank(std::unique_ptr<Collectives> collectives, const std::vector<Case>& cases, double seconds) : m_collectives(std::move(collectives)), m_cases(cases), m_seconds(seconds) {}

    Result<void> run(std::vector<CollectiveRate>& rates, const Told& told)
    {
        std::int64_t largest = 1024;
        for (const Case& c : m_cases) largest = std::max(largest, c.shardBytes);
        m_full.assign(static_cast<std::size_t>(largest * m_collectives->world() / 4), 0.25f);
        m_target.assign(static_cast<std::size_t>(largest / 4), 0.0f);
        for (const Case& c : m_cases) {
            CollectiveRate rate;
            rate.kind = c.kind;
            rate.world = m_collectives->world();
            rate.shardBytes = c.shardBytes;
            if (auto done = measure(c, rate); !done.hasValue()) return done;
            if (m_collectives->rank() != 0) continue;
            rates.push_back(rate);
            told();
        }
        return {};
    }

private:
    Result<void> call(const Case& c)
    {
        if (c.kind == std::string_view("all_reduce_scalars")) {
            std::array<double, 5> values{};
            return m_collectives->allReduce(values);
        }
        if (c.kind == std::string_view("all_gather")) return m_collectives->allGather(m_full.data(), c.shardBytes);
        return m_collectives->reduceScatter(m_full.data(), c.shardBytes / 4, m_target.data(), false);
    }

    Result<void> measure(const Case& c, CollectiveRate& rate)
    {
        // Five calls tell how many more there is time for: rank 0's answer holds.
        auto start = Clock::now();
        for (int i = 0; i < 5; ++i)
            if (auto done = call(c); !done.hasValue()) return done;
        const double once = std::chrono::duration<double>(Clock::now() - start).count() / 5;
        std::array<double, 1> share{m_collectives->rank() == 0 ? std::clamp(m_seconds / std::max(once, 1e-9), 5.0, 2000.0) : 0.0};
        if (auto met = m_collectives->allReduce(share); !met.hasValue()) return met;
        const int calls = static_cast<int>(share[0]);

        std::vector<double> readings;
        const double cpu = processorSeconds();
        for (int i = 0; i < calls; ++i) {
            start = Clock::now();
            if (auto done = call(c); !done.hasValue()) return done;
            readings.push_back(std::chrono::duration<double>(Clock::now() - start).count());
        }
        // All ranks live in this process: its processor time is theirs together.
        rate.cpuSeconds = (processorSeconds() - cpu) / calls / m_collectives->world();
        const Sample s = sampleOf(std::move(readings));
        rate.seconds = s.seconds;
        rate.spread = s.spread;
        return {};
    }

    std::unique_ptr<Collectives> m_collectives;
    const std::vector<Case>& m_cases;
    double m_seconds;
    std::vector<float> m_full, m_target;
};

}  // namespace

Result<std::vector<CollectiveRate>> measureCollectives(const Grid& grid, const fs::path& folder, double seconds, const Told& told)
{
    std::vector<CollectiveRate> rates;
    const std::vector<int> worlds = grid.coarse ? std::vector<int>{2} : std::vector<int>{2, 4};
    std::size_t samples = 0;
    for (const int world : worlds) samples += casesOf(grid, world).size();
    for (const int world : worlds) {
        const fs::path store = folder / ("measure_" + std::to_string(::getpid()) + "_" + std::to_string(world));
        const std::vector<Case> cases = casesOf(grid, world);
        std::vector<std::thread> ranks;
        std::mutex mutex;
        std::optional<Error> problem;
        for (int rank = 0; rank < world; ++rank) {
            ranks.emplace_back([&, rank] {
                std::vector<float> staging(static_cast<std::size_t>(2 * kPiece));
                GlooOptions options;
                options.rank = rank;
                options.world = world;
                options.storeFile = store;
                options.timeout = std::chrono::seconds(60);
                options.pieceElements = kPiece;
                Result<void> done;
                auto collectives = makeGlooRing(options, staging.data());
                if (collectives.hasValue()) done = Rank(std::move(collectives).value(), cases, seconds / static_cast<double>(samples)).run(rates, told);
                else done = collectives.error();
                const std::lock_guard lock(mutex);
                if (!done.hasValue() && !problem) problem = done.error();
            });
        }
        for (std::thread& rank : ranks) rank.join();
        std::error_code ignored;
        fs::remove(store, ignored);
        if (problem) return *problem;
    }
    return rates;
}

}  // namespace stagecraft
