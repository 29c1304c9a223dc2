// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker/sampler.h"

#include "engine/gemm.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>

namespace stagecraft {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Readings this long are far above the clock's own cost.
constexpr double kReading = 200e-6;
constexpr std::size_t kLeastReadings = 3, kMostReadings = 2000;
// On a machine busy with other things a product's threads may wait long for each other.
constexpr double kLongest = 0.5;

}  // namespace

Sample sampleOf(std::vector<double> readings, double quantile)
{
    std::sort(readings.begin(), readings.end());
    const auto at = [&](double share) { return readings[static_cast<std::size_t>(share * static_cast<double>(readings.size() - 1) + 0.5)]; };
    const double value = at(quantile);
    // On a machine busy with other things single readings take a thousand times as long: readers of a measurement expect at most 100.
    return {value, value > 0 ? std::min(100.0, (at(0.75) - at(0.25)) / 2 / value) : 0.0};
}

void Arena::Free::operator()(char* pointer) const { std::free(pointer); }

Arena::Arena() : m_bytes(static_cast<char*>(std::aligned_alloc(64, static_cast<std::size_t>(kBytes))))
{
    if (!m_bytes) throw std::bad_alloc();
}

void Arena::fillOnce(std::size_t elementBytes, std::int64_t bytes)
{
    if (m_elementBytes == elementBytes && m_filled == bytes) return;
    fill(elementBytes, bytes);
    m_elementBytes = elementBytes;
    m_filled = bytes;
}

void Arena::fill(std::size_t elementBytes, std::int64_t bytes)
{
    m_elementBytes = 0;
    // A period of 4099 values: prime, so that no matrix has equal rows.
    std::vector<float> values(4099);
    std::uint32_t state = 12345;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
    }
    const std::int64_t count = std::min(bytes, kBytes) / static_cast<std::int64_t>(elementBytes);
    const auto period = static_cast<std::int64_t>(values.size());
    if (elementBytes == sizeof(float)) {
        auto* out = reinterpret_cast<float*>(m_bytes.get());
        for (std::int64_t first = 0; first < count; first += period) std::copy_n(values.data(), std::min(period, count - first), out + first);
    } else {
        std::vector<BFloat16> narrow(values.size());
        kernels().castToBf16(period, values.data(), narrow.data());
        auto* out = reinterpret_cast<BFloat16*>(m_bytes.get());
        for (std::int64_t first = 0; first < count; first += period) std::copy_n(narrow.data(), std::min(period, count - first), out + first);
    }
}

struct Sampler::Task {
    int copies = 1, threads = 1;
    double budget = 0;
    const Make* make = nullptr;
    std::atomic<int> ready{0}, satisfied{0};
    std::mutex mutex;
    std::vector<double> readings;
};

Sampler::Sampler(int crew)
{
    for (int i = 0; i < std::max(crew, 1); ++i) m_arenas.push_back(std::make_unique<Arena>());
    for (std::size_t i = 0; i < m_arenas.size(); ++i) m_threads.emplace_back([this, i] { run(i); });
}

Sampler::~Sampler()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_wake.notify_all();
    for (std::thread& thread : m_threads) thread.join();
}

Sample Sampler::measure(int copies, int threads, double budget, const Make& make)
{
    Task task;
    task.copies = std::clamp(copies, 1, static_cast<int>(m_threads.size()));
    task.threads = threads;
    task.budget = budget;
    task.make = &make;
    std::unique_lock lock(m_mutex);
    m_task = &task;
    m_working = task.copies;
    ++m_generation;
    m_wake.notify_all();
    m_idle.wait(lock, [&] { return m_working == 0; });
    m_task = nullptr;
    return sampleOf(std::move(task.readings));
}

void Sampler::run(std::size_t index)
{
    std::int64_t seen = 0;
    for (;;) {
        Task* task = nullptr;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [&] { return m_stopping || m_generation != seen; });
            if (m_stopping) return;
            seen = m_generation;
            task = m_task;
            if (task == nullptr || static_cast<int>(index) >= task->copies) continue;
        }
        setComputeThreads(task->threads);
        const Work work = (*task->make)(*m_arenas[index]);
        std::int64_t calls = 0;
        const auto refreshFor = [&](std::int64_t coming) {
            if (work.callsPerRefresh > 0 && calls + coming > work.callsPerRefresh) {
                work.refresh();
                calls = 0;
            }
            calls += coming;
        };
        refreshFor(2);
        work.call();  // makes code and thread teams that later calls find made
        const auto probe = Clock::now();
        work.call();
        const double once = std::max(since(probe), 1e-9);
        auto inner = static_cast<std::int64_t>(std::clamp(kReading / once, 1.0, 1000.0));
        if (work.callsPerRefresh > 0) inner = std::min(inner, work.callsPerRefresh);
        task->ready.fetch_add(1);
        while (task->ready.load() < task->copies) std::this_thread::yield();

        std::vector<double> readings;
        const auto start = Clock::now();
        bool enough = false;
        // Goes on until all have enough: the last readings of the slowest must not be alone on the machine.
        while (!enough || task->satisfied.load() < task->copies) {
            refreshFor(inner);
            const auto from = Clock::now();
            for (std::int64_t i = 0; i < inner; ++i) work.call();
            const double reading = since(from) / static_cast<double>(inner);
            if (readings.size() < kMostReadings) readings.push_back(reading);
            const double taken = since(start);
            if (!enough && ((readings.size() >= kLeastReadings && taken >= task->budget) || taken > kLongest)) {
                enough = true;
                task->satisfied.fetch_add(1);
            }
        }
        {
            const std::lock_guard lock(task->mutex);
            task->readings.insert(task->readings.end(), readings.begin(), readings.end());
        }
        const std::lock_guard lock(m_mutex);
        if (--m_working == 0) m_idle.notify_all();
    }
}

}  // namespace stagecraft
