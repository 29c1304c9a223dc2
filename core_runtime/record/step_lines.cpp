// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/step_lines.h"

#include "base/units.h"
#include "record/run_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

StepScale scaleOf(const RunInfo& info) { return {info.plannedSteps, info.tokensPerSample, info.flopsPerToken, info.world}; }

double samplesPerSecond(double tokensPerSecond, const StepScale& scale)
{
    return scale.tokensPerSample > 0 ? tokensPerSecond / static_cast<double>(scale.tokensPerSample) : std::numeric_limits<double>::quiet_NaN();
}

double flopsPerRank(double tokensPerSecond, const StepScale& scale)
{
    return scale.flopsPerToken > 0 && scale.world > 0 ? tokensPerSecond * scale.flopsPerToken / scale.world : std::numeric_limits<double>::quiet_NaN();
}

std::string formatFlops(double flopsPerSecond)
{
    if (!std::isfinite(flopsPerSecond)) return "?";
    if (flopsPerSecond >= 1e15) return fmt::format("{:.3g} PFLOP/s", flopsPerSecond * 1e-15);
    if (flopsPerSecond >= 1e12) return fmt::format("{:.3g} TFLOP/s", flopsPerSecond * 1e-12);
    return fmt::format("{:.3g} GFLOP/s", flopsPerSecond * 1e-9);
}

namespace {

/// As formatDuration, beyond its 292 years too: a plan may have 1e12 steps.
std::string formatSeconds(double seconds)
{
    constexpr double kYear = 365.25 * 24 * 3600, kMostYears = 1e15;
    if (!std::isfinite(seconds)) return "?";
    if (std::abs(seconds) < 100 * kYear) return formatDuration(static_cast<std::int64_t>(seconds * 1e9));
    return formatCount(std::llround(std::clamp(seconds / kYear, -kMostYears, kMostYears))) + " years";
}

}  // namespace

std::string stepLine(const StepMetrics& step, const StepScale& scale)
{
    std::string line = fmt::format("step {} of {}  loss {:.4f}  lr {:.2e}  grad norm {:.3f}  {} tokens/s", step.step, scale.plannedSteps, step.loss, step.learningRate, step.gradNorm,
                                   std::isfinite(step.tokensPerSecond) ? formatCount(std::llround(step.tokensPerSecond)) : "?");
    if (const double samples = samplesPerSecond(step.tokensPerSecond, scale); std::isfinite(samples)) line += fmt::format("  {:.4g} samples/s", samples);
    if (const double flops = flopsPerRank(step.tokensPerSecond, scale); std::isfinite(flops)) line += fmt::format("  {} per rank", formatFlops(flops));
    line += fmt::format("  {} a step", formatSeconds(step.stepSeconds));
    const std::int64_t left = scale.plannedSteps - step.step;
    if (left > 0) line += fmt::format("  {} left", formatSeconds(step.stepSeconds * static_cast<double>(left)));
    return line;
}

std::string wallClockLine(const StepMetrics& step)
{
    const auto ms = [&](Phase phase) { return step.phaseSeconds[static_cast<std::size_t>(phase)] * 1e3; };
    return fmt::format("[Rank {}] time (ms) | fwd: {:.2f} | bwd: {:.2f} | bwd_inner: {:.2f} | bwd_allreduce: {:.2f} | step: {:.2f}", step.rank, ms(Phase::Forward),
                       ms(Phase::Backward) + ms(Phase::Communication), ms(Phase::Backward), ms(Phase::Communication), ms(Phase::Optimizer));
}

}  // namespace stagecraft
