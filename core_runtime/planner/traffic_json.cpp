// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/traffic.h"

#include <nlohmann/json.hpp>

namespace stagecraft {

nlohmann::json trafficToJson(const Traffic& traffic)
{
    using nlohmann::json;
    const auto orNull = [](double value) { return value > 0 ? json(value) : json(nullptr); };
    const auto reached = [&](double bytes, double seconds) { return seconds > 0 ? orNull(bytes / seconds) : json(nullptr); };
    json items = json::array();
    for (const TrafficItem& item : traffic.items) {
        items.push_back({{"what", item.what}, {"operation", item.operation}, {"group", item.group}, {"ranks", item.ranks}, {"link", item.link}, {"perLayer", orNull(item.perLayer)},
                         {"bytesPerMicroBatch", orNull(item.perMicroBatch)}, {"elements", item.elements}, {"bytes", item.bytes}, {"bytesOutOfNode", item.nodeBytes}, {"seconds", orNull(item.seconds)}, {"bytesPerSecondReached", reached(item.bytes, item.seconds)},
                         {"formula", item.formula}, {"numbers", item.numbers}, {"why", item.why}});
    }
    json links = json::array();
    for (const TrafficLink& link : traffic.links) links.push_back({{"link", link.link}, {"bytes", link.bytes}, {"seconds", orNull(link.seconds)}, {"bytesPerSecond", orNull(link.bytesPerSecond)}, {"bytesPerSecondReached", reached(link.bytes, link.seconds)}});
    json tensor = nullptr;
    if (const auto& t = traffic.tensor) {
        tensor = {{"allReducesPerLayer", {{"forward", t->forward}, {"training", t->training}, {"trainingWithRecompute", t->withRecompute}}}, {"bytes", t->bytes}};
    }
    return {{"role", traffic.role}, {"ranks", traffic.ranks}, {"microBatches", traffic.microBatches}, {"items", items}, {"links", links}, {"tensorParallel", tensor},
            {"replicas", {{"elements", traffic.replicaElements}, {"relativeVolume", orNull(traffic.relativeVolume)}}}, {"clusterBytes", traffic.clusterBytes}, {"bytesOutOfNode", traffic.nodeBytes}, {"statesOnly", traffic.statesOnly}};
}

}  // namespace stagecraft
