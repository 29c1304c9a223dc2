// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/fit.h"

#include "hardware/device_sheet.h"
#include "planner/beyond_tensors.h"
#include "planner/expert_balance.h"
#include "planner/framework_ledger.h"
#include "planner/init_phase.h"
#include "planner/ledger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace stagecraft {

double peakSigma(std::string_view framework)
{
    if (framework == "stagecraft") return 0.02;
    // DeepSpeed: seven of the eight figures of the calibration half lie within 16 %.
    return framework == "megatron" ? 0.025 : framework == "fsdp2" ? 0.06 : 0.10;
}

double peakSigma(Framework framework)
{
    return peakSigma(framework == Framework::Megatron ? "megatron" : framework == Framework::Fsdp2 ? "fsdp2" : "deepspeed");
}

double peakSigma(const TrainingCase& c)
{
    // Dense models of LLaMA's kind that are sharded alone: the six figures of the calibration half (torchao, November 2025) lie 0.0 to 3.5 % from
    // their forecasts, 1.8 % in the mean square. Student's t of six figures stands for 90 %: 1.943 · 1.8 %. Of tensor, pipeline and context
    // parallelism, of experts, other blocks, Transformers' code, adapters and frozen parts, segments that do not grow and the forerunner with flat shards no figure is in that half: they keep the
    // framework's width.
    // A quantised base that is whole on each device (stages 1 and 2 divide none of it, and one rank nothing): on a T4 of 14.75 GiB LLaMA-13B in NF4 ran out of memory where 10.8 GiB were planned, and 7B in 8 bits where
    // 9.4 were (Hugging Face 2023, "Making LLMs even more accessible with bitsandbytes", its table of TRL runs): at least 36 and 57 % above.
    if (c.framework == Framework::DeepSpeed && (c.settings.stage < 3 || c.dp == 1) && c.model.part.packed()) return c.model.part.packedBytes < 1 ? 0.36 : 0.45;
    // And divided: three of the four of IBM's fms-acceleration (calibration half, 2024) lie within 15 %, the fourth 23 % above its forecast.
    if (((c.framework == Framework::DeepSpeed && c.settings.stage == 3) || c.framework == Framework::Fsdp2) && c.model.part.packed()) return 0.14;
    // Routers fill experts unevenly. Half of what a rank holds is taken to be theirs.
    constexpr double kExpertsPart = 0.5;
    if (c.framework == Framework::Megatron && c.model.experts > 0 && c.ep > 1) return std::hypot(peakSigma("megatron"), kExpertsPart * expertDeviation(c));
    constexpr double kMeanSquare = 0.018, kStudent90 = 1.943, kNormal90 = 1.645;
    // Adapters: the six 16-bit ones of IBM's fms-acceleration on two devices (calibration half, 2024) are 1 to 14 % apart, 7.6 % in the mean square.
    constexpr double kAdapters = 0.076;
    if (c.framework == Framework::Fsdp2 && c.model.part.adapted()) return kAdapters * kStudent90 / kNormal90;
    const bool layout = c.framework == Framework::Fsdp2 && c.tp == 1 && c.pp == 1 && c.cp == 1 && c.ep == 1 && !c.flatShards && !c.transformersBlock && c.expandableSegments;
    const bool alone = layout && c.model.gated && c.model.rmsNorm && c.model.experts == 0 && !c.model.part.partly;
    return alone ? kMeanSquare * kStudent90 / kNormal90 : peakSigma(c.framework);
}

double probabilityWithin(std::int64_t need, std::int64_t usable, double sigma)
{
    const double z = (static_cast<double>(usable) - static_cast<double>(need)) / (sigma * static_cast<double>(std::max<std::int64_t>(need, 1)));
    return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

double peakSigmaBelow(const TrainingCase& c) { return std::min(peakSigma(c), peakSigma(c.framework)); }

double probabilityWithin(const TrainingCase& c, std::int64_t need, std::int64_t usable)
{
    return probabilityWithin(need, usable, need > usable ? peakSigmaBelow(c) : peakSigma(c));
}

std::int64_t commonHost(const DeviceSheet* sheet, std::int64_t devicesPerNode)
{
    if (sheet && sheet->name.starts_with("GeForce")) return std::clamp(2 * devicesPerNode * sheet->usableBytes, kDesktopHost, kCommonHost);
    const bool whole = sheet && sheet->link && sheet->link->maxDevices >= 8 && devicesPerNode >= 4;
    return whole ? std::max(kCommonHost, devicesPerNode * sheet->usableBytes) : kCommonHost;
}

double hostProbability(std::int64_t need, std::optional<std::int64_t> host, std::int64_t common)
{
    if (need <= 0) return 1;
    if (host) return probabilityWithin(need, *host, kHostSigma);
    return need > common ? 0.5 : 1.0;
}

double buildProbability(std::int64_t need, std::optional<std::int64_t> host)
{
    if (!(need > 0) || !host) return 1.0;
    // Shares assumed: most scripts build in fp32, as torch does unless told otherwise, or load in 16 bits; few build on the device alone.
    constexpr double kFp32 = 0.5, kHalf = 0.4, kOnDevice = 0.1;
    return kFp32 * probabilityWithin(need, *host, kHostSigma) + kHalf * probabilityWithin(need / 2, *host, kHostSigma) + kOnDevice;
}

double fitProbability(const TrainingCase& c, const LayoutNeed& need, std::int64_t usable, std::optional<std::int64_t> host)
{
    const double odds = probabilityWithin(c, need.least, usable) * hostProbability(need.hostPerNode, host, commonHost(c.sheet, c.devicesPerNode));
    return host ? std::min(odds, buildProbability(initHostPerNode(c, *host), host)) : odds;
}

Fit::Verdict verdictOf(double probability)
{
    return probability >= kSurely ? Fit::Verdict::Yes : probability <= 1 - kSurely ? Fit::Verdict::No : Fit::Verdict::Unsure;
}

double shownProbability(double probability)
{
    const double shown = std::round(probability * 100) / 100;
    if (probability < kSurely && shown > kSurely - 0.005) return kSurely - 0.01;
    return probability > 1 - kSurely && shown < 1 - kSurely + 0.005 ? 1 - kSurely + 0.01 : shown;
}

std::string fitPhrase(bool fits, bool mayFit, double probability)
{
    if (fits || !mayFit) return fits ? "fits" : "does not fit";
    return fmt::format("{}, p = {:.2f}", probability < kEvenOdds ? "probably does not fit" : "may fit", shownProbability(probability));
}

bool statesAlone(const Plan& plan)
{
    return std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& finding) { return finding.rule == "plan.states_only"; });
}

std::array<std::int64_t, 2> processInterval90(const LedgerRole& role, const LedgerPeak& totals, std::int64_t usable)
{
    const double r = totals.relative90, process = static_cast<double>(totals.process);
    // What is reserved of each allocated byte for good, as at the peak.
    double kept = static_cast<double>(role.peak.reserved);
    for (const LedgerItem& item : role.items) kept -= isGivenBack(item) ? static_cast<double>(item.bytes) : 0;
    const double factor = role.peak.allocated > 0 ? kept / static_cast<double>(role.peak.allocated) : 1;
    const double least = std::min(process, process - static_cast<double>(totals.reserved) + factor * static_cast<double>(totals.allocated));
    const double full = usable > 0 && process <= static_cast<double>(usable) ? static_cast<double>(usable) : process * (1 + r);
    return {toBytes(process * (1 - r)), toBytes(std::max(std::min(process * (1 + r), full), least * (1 + r)))};
}

namespace {

// Whether an item's bytes follow from counts alone: of parameters, of elements of a buffer that a config sizes.
bool isCounted(const LedgerItem& item)
{
    static constexpr std::array kCounted{"weights", "frozen_weights", "secondary_weights", "gradients", "master", "optimizer_states", "server_error", "buckets", "allgather"};
    return item.where != Place::Device || std::any_of(kCounted.begin(), kCounted.end(), [&](std::string_view known) { return item.what.starts_with(known); });
}

}  // namespace

std::array<std::int64_t, 2> itemInterval90(const LedgerRole& role, const LedgerItem& item)
{
    const double bytes = static_cast<double>(item.bytes);
    if (isCounted(item)) return {item.bytes, item.bytes};
    double uncertain = 0;  // bytes of the peak
    for (const LedgerItem& each : role.items)
        if (!isCounted(each) && (each.phase == "reserved" || each.phase == "process" || isAlive(each.phase, role.peak.phase))) uncertain += static_cast<double>(each.bytes);
    const double r = uncertain > 0 ? role.peak.relative90 * static_cast<double>(role.peak.process) / uncertain : role.peak.relative90;
    return {toBytes(bytes * std::max(0.0, 1 - r)), toBytes(bytes * (1 + r))};
}

TotalIntervals totalIntervals90(const LedgerRole& role, const LedgerPeak& totals, std::int64_t usable)
{
    TotalIntervals all{.process = processInterval90(role, totals, usable)};
    const std::int64_t context = totals.process - totals.reserved;
    double low = 0, high = 0;
    for (const LedgerItem& item : role.items) {
        if (item.where != Place::Device || !isAlive(item.phase, totals.phase)) continue;
        const auto [least, most] = itemInterval90(role, item);
        low += static_cast<double>(least);
        high += static_cast<double>(most);
    }
    all.allocated = {toBytes(low), toBytes(high)};
    for (std::size_t end = 0; end < 2; ++end) all.reserved[end] = std::max(all.process[end] - context, all.allocated[end]);
    return all;
}

std::int64_t fullestNode(std::span<const RanksOnHost> stages, std::int64_t devicesPerNode)
{
    const std::int64_t node = std::max<std::int64_t>(1, devicesPerNode);
    double fullest = 0, current = 0;  // bytes of the node being filled
    std::int64_t filled = 0;          // its ranks so far
    for (const RanksOnHost& stage : stages) {
        const double each = static_cast<double>(stage.bytes);
        std::int64_t left = std::max<std::int64_t>(0, stage.ranks);
        // The rest of the node that the stage before began, then whole nodes, then the beginning of the next.
        const std::int64_t first = std::min(left, node - filled);
        current += static_cast<double>(first) * each;
        filled += first;
        left -= first;
        fullest = std::max(fullest, current);
        if (filled < node) continue;
        if (left >= node) fullest = std::max(fullest, static_cast<double>(node) * each);
        filled = left % node;
        current = static_cast<double>(filled) * each;
        fullest = std::max(fullest, current);
    }
    return toBytes(fullest);
}

std::int64_t fullestNodeHost(std::span<const LedgerRole> roles, std::int64_t devicesPerNode)
{
    if (std::all_of(roles.begin(), roles.end(), [](const LedgerRole& role) { return role.hostBytes == 0; })) return 0;
    std::vector<RanksOnHost> stages;
    for (const LedgerRole& role : roles) stages.push_back({role.ranks, role.hostBytes});
    return fullestNode(stages, devicesPerNode);
}

}  // namespace stagecraft
