// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker/measure.h"

#include "engine/gemm.h"
#include "engine/kernels/kernels.h"
#include "hardware/disk_measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

namespace stagecraft {

namespace {

using Clock = std::chrono::steady_clock;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// A fixed set of products, for comparing the machine with itself.
double reference(Sampler& sampler, int cores)
{
    const Grid coarse{true};
    Allowance allowance(0.25, static_cast<double>(productSamples(coarse, cores)));
    double logarithms = 0;
    const auto rates = measureProducts(sampler, coarse, cores, allowance, [] {});
    for (const GemmRate& rate : rates) logarithms += std::log(rate.seconds);
    return std::exp(logarithms / static_cast<double>(rates.size()));
}

}  // namespace

Allowance::Allowance(double seconds, double samples) : m_seconds(seconds), m_end(now() + seconds), m_samples(std::max(samples, 1.0)) {}

bool Allowance::overrun() const { return now() > m_end + m_seconds; }

double Allowance::next()
{
    // Calls that are made anyway take about as long as the repeating: half of what is left is given out.
    const double left = std::max(0.0, m_end - now()) / std::max(1.0, m_samples - m_taken);
    m_taken += 1;
    return std::clamp(0.5 * left, 0.0, 0.05);
}

Result<MachineMeasure> measureMachine(const MeasureOptions& options, const MeasureProgress& progress)
{
    try {
        const double start = now();
        const Grid grid{options.seconds < 15};
        const int cores = std::clamp(options.cores, 1, 64);
        MachineMeasure measure;
        measure.host = thisHost(options.version);
        measure.kernels = kernels().name;
        measure.torch = torchVersion();
        progress(0, "memory");
        Sampler sampler(cores);
        const double before = reference(sampler, cores);
        measure.rates = measureMemory(sampler, cores);

        // Shares of the time: products decide most of a step and have the most sizes; whole steps cannot be made shorter.
        Allowance forProducts(0.32 * options.seconds, static_cast<double>(productSamples(grid, cores)));
        measure.gemms = measureProducts(sampler, grid, cores, forProducts, [&] { progress(0.02 + 0.30 * forProducts.share(), "matrix products"); });
        Allowance forKernels(0.2 * options.seconds, static_cast<double>(kernelSamples(grid, cores)));
        measure.kernelRates = measureKernels(sampler, grid, cores, forKernels, [&] { progress(0.32 + 0.20 * forKernels.share(), "kernels and attention"); });
        double share = 0.52;
        auto collectives = measureCollectives(grid, options.folder, 0.06 * options.seconds, [&] { progress(share = std::min(0.58, share + 0.003), "collectives"); });
        if (!collectives.hasValue()) return collectives.error();
        measure.collectives = std::move(collectives).value();
        const double eachStep = 0.36 / static_cast<double>(stepSamples(grid, cores));
        progress(share = 0.58, "whole steps");
        double drift = 0;
        auto steps = measureSteps(grid, cores, options.folder, 0.3 * options.seconds, [&] { progress(share = std::min(0.94, share + eachStep), "whole steps"); }, drift);
        if (!steps.hasValue()) return steps.error();
        measure.steps = std::move(steps).value();
        progress(0.95, "disk");
        auto disk = measureDisk(options.folder, grid.coarse ? 4 << 20 : 64 << 20);
        if (!disk.hasValue()) return disk.error();
        measure.measuredAt = disk->measuredAt;
        const std::string how = grid.coarse ? "4 MiB in the folder of run records, " : "64 MiB in the folder of run records, ";
        measure.rates.push_back({"disk.write", disk->writeBytes, "B/s", disk->spread, how + "fsync included"});
        measure.rates.push_back({"disk.read", disk->readBytes, "B/s", disk->spread, how + "the page cache asked to drop it first"});
        progress(0.98, "the same again");
        const double after = reference(sampler, cores);
        measure.noise = std::min(100.0, std::max(drift, std::abs(after / before - 1)));
        measure.seconds = now() - start;
        progress(1, "done");
        return measure;
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::Unavailable, "There is not enough memory for measuring; close other programs and try again.", {}};
    }
}

}  // namespace stagecraft
