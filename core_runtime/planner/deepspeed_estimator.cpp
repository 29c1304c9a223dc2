// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/deepspeed_estimator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

Error outOfRange(const char* what, double value, double least, double most)
{
    return {ErrorCode::InvalidArgument,
            fmt::format("Cannot estimate with {} = {}: give a number from {} to {}", what, value, least, most),
            {{"argument", what}}};
}

bool isWhole(double x) { return x == std::floor(x) && std::abs(x) < 9.2e18; }

Error notWhole(const char* what, double value)
{
    return {ErrorCode::InvalidArgument, fmt::format("Cannot estimate with {} = {}: parameters are whole numbers; give their number, as 1.5e9 for 1.5 billion", what, value), {{"argument", what}}};
}

Result<void> check(const EstimatorInput& in, bool needsLayer)
{
    if (!(in.params > 0) || !(in.params <= 1e18)) return outOfRange("params", in.params, 1, 1e18);
    if (!isWhole(in.params)) return notWhole("params", in.params);
    if (needsLayer && (!(in.largestLayer > 0) || !(in.largestLayer <= in.params))) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("Cannot estimate with largest-layer = {}: it must be above 0 and at most params ({}); "
                                 "give the parameters of the largest single module",
                                 in.largestLayer, in.params),
                     {{"argument", "largest-layer"}}};
    }
    if (needsLayer && !isWhole(in.largestLayer)) return notWhole("largest-layer", in.largestLayer);
    if (in.gpusPerNode < 1 || in.gpusPerNode > 1'000'000) return outOfRange("gpus-per-node", static_cast<double>(in.gpusPerNode), 1, 1e6);
    if (in.nodes < 1 || in.nodes > 1'000'000) return outOfRange("nodes", static_cast<double>(in.nodes), 1, 1e6);
    if (!(in.bufferFactor >= 0) || !(in.bufferFactor <= 1e6)) return outOfRange("buffer-factor", in.bufferFactor, 0, 1e6);
    return {};
}

// Python counts in integers of any length and leaves them only at a true division or a product with a float, each rounded once.
__extension__ typedef __int128 Wide;

// a · b as Python has it before it meets a float: exact, then rounded once.
double product(double a, std::int64_t b) { return static_cast<double>(static_cast<Wide>(a) * b); }

// int(a · b / c): the quotient of two integers is rounded once, however long they are.
double wholeQuotient(double a, std::int64_t b, std::int64_t c)
{
    Wide above = static_cast<Wide>(a) * b;
    int shift = 0;
    while (above != 0 && above < (Wide{1} << 124)) {
        above *= 2;
        ++shift;
    }
    // More than 53 bits are left of the quotient; an odd last one stands for all that is cut off.
    const Wide quotient = above / c;
    const Wide rest = above % c;
    return std::trunc(std::ldexp(static_cast<double>(rest != 0 ? quotient | 1 : quotient), -shift));
}

// Sum of two counts, exact where both are whole.
Result<std::int64_t> sumOf(double a, double b)
{
    constexpr double kLimit = 9.2e18;
    if (!(a + b < kLimit)) return Error{ErrorCode::InvalidArgument, "Cannot estimate: the answer exceeds 2^63 bytes; use smaller numbers", {}};
    if (isWhole(a) && isWhole(b)) return static_cast<std::int64_t>(a) + static_cast<std::int64_t>(b);
    return static_cast<std::int64_t>(a + b);
}

// @param device  two parts, each as Python has it before they are added: times the parameters or the layer, and what is divided
Result<EstimatorAnswer> answer(double host, const Result<std::int64_t>& device)
{
    if (!device.hasValue()) return device.error();
    const auto onHost = sumOf(host, 0);
    if (!onHost.hasValue()) return onHost.error();
    return EstimatorAnswer{*device, *onHost};
}

// A count times a small whole number and more, exactly.
Result<std::int64_t> times(double count, std::int64_t factor, double more)
{
    const Wide all = static_cast<Wide>(count) * factor + static_cast<Wide>(more);
    if (all > static_cast<Wide>(9.2e18)) return Error{ErrorCode::InvalidArgument, "Cannot estimate: the answer exceeds 2^63 bytes; use smaller numbers", {}};
    return static_cast<std::int64_t>(all);
}

}  // namespace

Result<EstimatorAnswer> estimateDeepSpeedZero2(const EstimatorInput& in)
{
    if (const auto ok = check(in, false); !ok.hasValue()) return ok.error();
    const std::int64_t totalGpus = in.nodes * in.gpusPerNode;
    if (in.offloadOptimizer) return answer(product(in.params, std::max<std::int64_t>(4 * totalGpus, 16)) * in.bufferFactor, times(in.params, 2, 0));
    return answer(product(in.params, 4 * in.gpusPerNode) * in.bufferFactor, times(in.params, 2, wholeQuotient(in.params, 18, totalGpus)));
}

Result<EstimatorAnswer> estimateDeepSpeedZero3(const EstimatorInput& in)
{
    if (const auto ok = check(in, true); !ok.hasValue()) return ok.error();
    const std::int64_t totalGpus = in.nodes * in.gpusPerNode;
    const double gpusFactor = 1.0 / static_cast<double>(in.nodes);
    if (in.offloadOptimizer) {
        const std::int64_t bytes = in.offloadParam ? 18 : 16;
        const auto device = times(in.largestLayer, 4, in.offloadParam ? 0 : wholeQuotient(in.params, 2, totalGpus));
        // Two orders of multiplication, as in the source: they can differ in the last bit.
        if (in.zeroInit) return answer(product(in.params, bytes) * gpusFactor * in.bufferFactor, device);
        const double perNode = static_cast<double>(bytes) * gpusFactor;
        const bool whole = static_cast<double>(4 * in.gpusPerNode) >= perNode;
        return answer((whole ? product(in.params, 4 * in.gpusPerNode) : in.params * perNode) * in.bufferFactor, device);
    }
    const double basis = in.zeroInit ? in.largestLayer : in.params;
    // largest_layer_params · 4 · gpus: whole numbers until the factor.
    return answer(product(basis, 4 * in.gpusPerNode) * in.bufferFactor, times(in.largestLayer, 4, wholeQuotient(in.params, 18, totalGpus)));
}

}  // namespace stagecraft
