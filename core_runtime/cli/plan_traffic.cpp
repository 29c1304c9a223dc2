// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/plan_traffic.h"

#include <fmt/format.h>

namespace stagecraft::cli {

std::string gigabytes(double bytes) { return bytes < 1 ? std::string("0 B") : bytes < 1e6 ? fmt::format("{:.4g} kB", bytes / 1e3) : bytes < 1e9 ? fmt::format("{:.4g} MB", bytes / 1e6) : bytes < 1e14 ? fmt::format("{:.4g} GB", bytes / 1e9) : fmt::format("{:.4g} TB", bytes / 1e12); }

namespace {

std::string seconds(double value) { return value > 0 ? fmt::format("{:.3g} s", value) : std::string("-"); }

}  // namespace

void printTraffic(const Traffic& t)
{
    fmt::print("\ntraffic of one step, sent by a rank of {} ({} micro-batches{})\n", t.role, t.microBatches, t.statesOnly ? "; what layers exchange is not known" : "");
    if (t.items.empty()) fmt::print("  none\n");
    for (const TrafficItem& item : t.items)
        fmt::print("  {:>10}  {:>9}  {:<24} {:<26} {:<3} {:>4} over {:<10} {}\n", gigabytes(item.bytes), seconds(item.seconds), item.what, item.operation, item.group, item.ranks, item.link, item.numbers);
    for (const TrafficLink& link : t.links) {
        fmt::print("  {}: {} in {}", link.link, gigabytes(link.bytes), seconds(link.seconds));
        if (link.bytesPerSecond > 0) {
            // Rings over several devices of a node leave it through all their ports at once.
            const double ports = link.seconds > 0 ? link.bytes / link.seconds / link.bytesPerSecond : 1;
            if (link.link == "network" && ports > 1.05) fmt::print(": {}/s, {:.3g} times the {}/s of one port; rings over a node's devices leave it through all their ports", gigabytes(link.bytes / link.seconds), ports, gigabytes(link.bytesPerSecond));
            else fmt::print(" at {}/s", gigabytes(link.bytesPerSecond));
        }
        fmt::print("\n");
    }
    if (t.tensor) fmt::print("  tensor parallelism: {:.0f} all-reduces per layer forward, {:.0f} in training, {:.0f} with full recomputation\n", t.tensor->forward, t.tensor->training, t.tensor->withRecompute);
    if (t.replicaElements > 0) fmt::print("  between replicas: {:.5g} elements, {:.3g} times those of plain data parallelism\n", t.replicaElements, t.relativeVolume);
    fmt::print("  all ranks together: {}\n", gigabytes(t.clusterBytes));
    if (t.nodeBytes > 0) fmt::print("  a node sends to others: {}\n", gigabytes(t.nodeBytes));
}

void printExchange(const GradientExchange& e)
{
    const std::string replicas = e.ranksPerReplica == 1 ? fmt::format("{} of one rank each", e.replicas) : fmt::format("{} of {} ranks each", e.replicas, e.ranksPerReplica);
    fmt::print("\none exchange of gradients: {} per replica ({}), {} in all; a ring all-reduce sends {}\n", gigabytes(e.replicaBytes()), replicas, gigabytes(e.allReplicasBytes()), gigabytes(e.ringBytes()));
    for (const GradientExchange::Row& row : e.links)
        fmt::print("  {:>10}/s  {:>9} for one replica's gradients, {:>9} for the ring  {}\n", gigabytes(row.link.bytesPerSecond), seconds(row.oneReplica), seconds(row.ring), row.link.name);
}

void printRedundancy(const Redundancy& r)
{
    const auto line = [](const char* name, const StateCopies& c) {
        fmt::print("  {:<44} {:>10} a rank, {:>10} in the cluster, {:>10} of it duplicate\n", name, gigabytes(c.perRank), gigabytes(c.cluster), gigabytes(c.duplicate()));
    };
    fmt::print("\nmodel states\n");
    line(fmt::format("plain data parallelism ({:.3g} B a parameter)", r.bytesPerParameter).c_str(), r.plain);
    line("the same as some tutorials count (8 B)", r.plainAsTold);
    line("this plan, on device, host and in files", r.plan);
    line("this plan as those tutorials count (8 B)", r.planAsTold);
}

}  // namespace stagecraft::cli
