// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/plan_ledger.h"

#include "base/units.h"
#include "planner/fit.h"
#include "planner/ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft::cli {

namespace {

template <class Which>
void printGroup(const LedgerRole& role, const char* where, Which which, std::int64_t ranksOfNode = 0)
{
    double sum = 0;
    for (const LedgerItem& item : role.items) sum += which(item) ? static_cast<double>(item.bytes) : 0;
    if (!(sum > 0)) return;
    fmt::print("  {:>10}  {}{}\n", formatBytes(toBytes(sum)), where, ranksOfNode > 1 ? fmt::format("; {} for the {} ranks of a node", formatBytes(toBytes(sum * static_cast<double>(ranksOfNode))), ranksOfNode) : std::string());
    for (const LedgerItem& item : role.items)
        if (which(item)) fmt::print("    {:>10}  {:<28} {:<18} {}\n", formatBytes(item.bytes), item.what, item.phase, item.numbers);
}

}  // namespace

void printLedger(const std::vector<LedgerRole>& ledger, int devicesPerNode, bool statesOnly, bool hostIsDevice)
{
    for (const LedgerRole& role : ledger) {
        const std::string& peak = role.peak.phase;
        if (statesOnly) fmt::print("\n{} ({} ranks), model states alone: {} on the device; what a step adds and what the process shows are not known\n", role.role, role.ranks, formatBytes(role.peak.allocated));
        else fmt::print("\n{} ({} ranks), peak in {}: {} allocated, {} reserved, {} as the process shows{}\n", role.role, role.ranks, peak,
                   formatBytes(role.peak.allocated), formatBytes(role.peak.reserved), formatBytes(role.peak.process),
                   hostIsDevice && role.hostBytes > 0 ? fmt::format(" without what is offloaded into the same memory, {} with it", formatBytes(role.peak.process + role.hostBytes)) : std::string());
        const auto isHost = [](const LedgerItem& item) { return item.where == Place::Host || item.where == Place::Pinned; };
        const std::int64_t node = std::clamp<std::int64_t>(role.ranks, 1, std::max(1, devicesPerNode));
        printGroup(role, (statesOnly ? std::string("on the device") : fmt::format("on the device in {}", peak)).c_str(), [&](const LedgerItem& item) { return item.where == Place::Device && isAlive(item.phase, peak); });
        const auto leadsTo = [](const LedgerItem& item, const char* total) { return item.where == Place::Device && item.phase == total; };
        printGroup(role, "reserved by the allocator beyond that", [&](const LedgerItem& item) { return leadsTo(item, "reserved"); });
        printGroup(role, "of the process beyond that", [&](const LedgerItem& item) { return leadsTo(item, "process"); });
        printGroup(role, "on the device in other phases alone", [&](const LedgerItem& item) { return item.where == Place::Device && !isAlive(item.phase, peak) && !leadsTo(item, "reserved") && !leadsTo(item, "process"); });
        printGroup(role, "in host memory", [&](const LedgerItem& item) { return isHost(item) && item.phase != "init"; }, node);
        printGroup(role, "in host memory while the model is built", [&](const LedgerItem& item) { return isHost(item) && item.phase == "init"; }, node);
        printGroup(role, "in files on NVMe", [](const LedgerItem& item) { return item.where == Place::Nvme; }, node);
    }
}

std::string odds(double probability)
{
    return probability < 0.01 ? "< 0.01" : probability > 0.99 ? "> 0.99" : fmt::format("{:.2f}", shownProbability(probability));
}

}  // namespace stagecraft::cli
