// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/fact_table.h"
#include "planner/gradient_exchange.h"
#include "planner/redundancy.h"
#include "planner/traffic.h"
#include "widgets/inspector.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace stagecraft {
struct Crossover;
}

/// What a step moves, in words and rows for eyes: the same figures as `stagecraft plan` prints.
namespace stagecraft::app {

/// Networks and tutorials count in powers of ten: 94.4 GB = 94.4e9 B.
[[nodiscard]] QString decimalBytes(double bytes);
[[nodiscard]] QString trafficName(const std::string& what);
[[nodiscard]] QString operationName(const std::string& operation);
[[nodiscard]] QString linkName(const std::string& link);

[[nodiscard]] QStringList trafficHeaders();
[[nodiscard]] std::vector<FactRow> trafficRows(const Traffic& traffic);
[[nodiscard]] InspectorContent explainTraffic(const TrafficItem& item);
/// "sent by a rank of pp0.tp0, 4 micro-batches"
[[nodiscard]] QString trafficSubtitle(const Traffic& traffic);
/// What the items come to: in all, out of a node, against plain data parallelism, tensor parallelism's all-reduces.
[[nodiscard]] QStringList trafficSums(const Traffic& traffic);

[[nodiscard]] QStringList linkHeaders();
[[nodiscard]] std::vector<FactRow> linkRows(const Traffic& traffic);

[[nodiscard]] QStringList copyHeaders();
[[nodiscard]] std::vector<FactRow> copyRows(const Redundancy& redundancy);

[[nodiscard]] QStringList exchangeHeaders();
[[nodiscard]] std::vector<FactRow> exchangeRows(const std::vector<GradientExchange::Row>& links);
[[nodiscard]] QString exchangeSubtitle(const GradientExchange& exchange);

/// Model states of a rank by both conventions, and which of them the figures of a plan use.
[[nodiscard]] InspectorSection explainConventions(const Redundancy& redundancy);
/// From how many tokens on tensor parallelism sends more than stage 3, for each degree of it.
/// @pre not empty
[[nodiscard]] InspectorSection explainCrossovers(const std::vector<Crossover>& crossovers);

}  // namespace stagecraft::app
