// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/traffic_words.h"

#include "app/core_words.h"
#include "app/formats.h"
#include "app/phrase_words.h"
#include "planner/crossover.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stagecraft::app {

namespace {

struct TrafficWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::TrafficWords)
};

using Named = std::pair<const char*, const char*>;

QString wordOf(const std::string& id, const std::vector<Named>& words)
{
    for (const auto& [key, word] : words)
        if (id == key)
            return TrafficWords::tr(word);
    return QString::fromStdString(id);
}

QString timeText(double value)
{
    return value > 0 ? seconds(value).text() : QStringLiteral("–");
}

QString bytesText(double value)
{
    return value > 0 ? decimalBytes(value) : QStringLiteral("–");
}

QString plain(double value)
{
    return QLocale().toString(value, 'g', 6);
}

}  // namespace

QString decimalBytes(double value)
{
    static constexpr std::array<const char*, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && std::abs(value) >= 999.5) {
        value /= 1000;
        ++unit;
    }
    const int digits = unit == 0 || std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
    return QStringLiteral("%1 %2").arg(QLocale().toString(value, 'f', digits), QLatin1String(kUnits[unit]));
}

QString trafficName(const std::string& what)
{
    static const std::vector<Named> kWords{
        {"gradients", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients")},
        {"gradients.in_node", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients, inside a node (qgZ)")},
        {"gradients.between_nodes", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients, between nodes (qgZ)")},
        {"gradients.replicas", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients, between copies of a shard")},
        {"gradients.experts", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients of experts")},
        {"weights.gather", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights, forward")},
        {"weights.gather_again", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights, backward")},
        {"weights.gather_near", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights, from the second copy (hpZ)")},
        {"weights.kept", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights that stay gathered")},
        {"weights.update", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights, after the update")},
        {"weights.gather_experts", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights of experts, forward and backward")},
        {"weights.update_experts", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights of experts, after the update")},
        {"tensor.forward", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tensor parallelism, forward")},
        {"tensor.backward", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tensor parallelism, backward")},
        {"tensor.recompute", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tensor parallelism, recomputation")},
        {"experts.forward", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tokens to experts, forward")},
        {"experts.backward", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tokens to experts, backward")},
        {"experts.recompute", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tokens to experts, recomputation")},
        {"context", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Keys and values")},
        {"pipeline", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Activations between stages")},
        {"pipeline.slices", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Slices put together at a stage")},
        {"offload.gradients", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients to the host")},
        {"offload.sums", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradient sums from the host")},
        {"offload.master_gradients", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients in fp32 to the optimizer")},
        {"offload.update", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Updated weights from the host")},
        {"offload.weights", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Offloaded weights")},
        {"offload.checkpoints", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Activation checkpoints")},
        {"offload.activations", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Activations kept on the host")},
        {"files.states", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Optimizer states in files")},
        {"files.gradients", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Gradients in files")},
        {"files.weights", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Weights in files")},
        {"files.update", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Updated weights to files")},
        {"logits", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tensor parallelism, logits")},
        {"tensor.checkpoints", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "Tensor parallelism, block inputs")},
    };
    return wordOf(what, kWords);
}

QString operationName(const std::string& operation)
{
    // What a collective is called is the same in every language.
    static const std::vector<Named> kWords{
        {"all_reduce", "all-reduce"},
        {"all_gather", "all-gather"},
        {"reduce_scatter", "reduce-scatter"},
        {"all_gather+reduce_scatter", "all-gather + reduce-scatter"},
        {"all_to_all", "all-to-all"},
        {"send_receive", "send / receive"},
        {"device_to_host", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "device to host")},
        {"host_to_device", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "host to device")},
        {"file_read", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "read")},
        {"file_write", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "write")},
    };
    return wordOf(operation, kWords);
}

QString linkName(const std::string& link)
{
    static const std::vector<Named> kWords{
        {"network", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "network")},
        {"memory", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "host memory")},
        {"files", QT_TRANSLATE_NOOP("stagecraft::app::TrafficWords", "files")},
    };
    return wordOf(link, kWords);
}

namespace {

QString groupText(const TrafficItem& item)
{
    if (item.group == "host" || item.group == "files")
        return QStringLiteral("–");
    return TrafficWords::tr("%1, %2 ranks").arg(QString::fromStdString(item.group), count(item.ranks));
}

}  // namespace

QStringList trafficHeaders()
{
    return {TrafficWords::tr("What"), TrafficWords::tr("Operation"), TrafficWords::tr("Group"), TrafficWords::tr("Over"), TrafficWords::tr("Per micro-batch"), TrafficWords::tr("Per step"), TrafficWords::tr("Time")};
}

std::vector<FactRow> trafficRows(const Traffic& traffic)
{
    std::vector<FactRow> rows;
    for (const TrafficItem& item : traffic.items) {
        const QStringList tip{whyText(item.why), formulaText(item.formula), QString::fromStdString(item.numbers)};
        rows.push_back({{trafficName(item.what), operationName(item.operation), groupText(item), linkName(item.link), bytesText(item.perMicroBatch), bytesText(item.bytes), timeText(item.seconds)}, tip.join(QLatin1Char('\n')), false});
    }
    return rows;
}

InspectorContent explainTraffic(const TrafficItem& item)
{
    InspectorContent content;
    content.title = trafficName(item.what);
    InspectorSection formula;
    formula.heading = TrafficWords::tr("Sent by one rank in a step");
    formula.value = decimalBytes(item.bytes);
    formula.formula = {formulaText(item.formula), QString::fromStdString(item.numbers)};
    formula.formula.removeAll(QString());
    formula.text = whyText(item.why);
    formula.pairs = {{TrafficWords::tr("Operation"), operationName(item.operation)}, {TrafficWords::tr("Group"), groupText(item)}, {TrafficWords::tr("Over"), linkName(item.link)}};
    if (item.perLayer > 0)
        formula.pairs.push_back({TrafficWords::tr("Operations per layer"), plain(item.perLayer)});
    if (item.perMicroBatch > 0)
        formula.pairs.push_back({TrafficWords::tr("Per micro-batch"), decimalBytes(item.perMicroBatch)});
    formula.pairs.push_back({TrafficWords::tr("Elements"), shortCount(item.elements)});
    if (item.nodeBytes > 0)
        formula.pairs.push_back({TrafficWords::tr("Out of a node"), decimalBytes(item.nodeBytes)});
    if (item.seconds > 0)
        formula.pairs.push_back({TrafficWords::tr("Time at the link's rate"), seconds(item.seconds).text()});
    content.sections.push_back(formula);
    return content;
}

QString trafficSubtitle(const Traffic& traffic)
{
    return TrafficWords::tr("sent by a rank of %1, micro-batches: %2").arg(QString::fromStdString(traffic.role), count(traffic.microBatches));
}

QStringList trafficSums(const Traffic& t)
{
    QStringList lines;
    if (t.statesOnly)
        lines << TrafficWords::tr("Only the number of parameters is known: what layers exchange is missing.");
    if (t.clusterBytes > 0)
        lines << TrafficWords::tr("All ranks together: %1.").arg(decimalBytes(t.clusterBytes));
    if (t.nodeBytes > 0)
        lines << TrafficWords::tr("A node sends %1 to others.").arg(decimalBytes(t.nodeBytes));
    if (t.replicaElements > 0)
        lines << TrafficWords::tr("Between replicas %1 elements: %2 times those of plain data parallelism.").arg(shortCount(t.replicaElements), plain(std::round(1000 * t.relativeVolume) / 1000));
    if (t.tensor)
        lines << TrafficWords::tr("Tensor parallelism: %1 all-reduces per layer forward, %2 in training, %3 with full recomputation.").arg(plain(t.tensor->forward), plain(t.tensor->training), plain(t.tensor->withRecompute));
    return lines;
}

QStringList linkHeaders()
{
    return {TrafficWords::tr("Link"), TrafficWords::tr("Per step"), TrafficWords::tr("Rate"), TrafficWords::tr("Time")};
}

std::vector<FactRow> linkRows(const Traffic& traffic)
{
    std::vector<FactRow> rows;
    for (const TrafficLink& link : traffic.links) {
        // Rings over several devices of a node leave it through all their ports at once.
        const double ports = link.link == "network" && link.seconds > 0 && link.bytesPerSecond > 0 ? link.bytes / link.seconds / link.bytesPerSecond : 1;
        const QString rate = TrafficWords::tr("%1/s").arg(decimalBytes(link.bytesPerSecond));
        rows.push_back({{linkName(link.link), decimalBytes(link.bytes), link.bytesPerSecond > 0 ? ports > 1.05 ? QStringLiteral("%1 × %2").arg(QLocale().toString(ports, 'g', 2), rate) : rate : QStringLiteral("–"), timeText(link.seconds)},
                        link.link == "network" ? TrafficWords::tr("Time were nothing hidden under computing. The rate is that of one device's port in one direction; rings over several devices of a node leave it through all their ports")
                                               : TrafficWords::tr("Time were nothing hidden under computing, at the rate the forecast takes the link to reach in one direction"),
                        false});
    }
    return rows;
}

QStringList copyHeaders()
{
    return {TrafficWords::tr("Model states"), TrafficWords::tr("A rank"), TrafficWords::tr("Cluster"), TrafficWords::tr("Duplicate")};
}

std::vector<FactRow> copyRows(const Redundancy& r)
{
    const auto row = [](const QString& name, const StateCopies& c, const QString& tip, bool bold) {
        return FactRow{{name, decimalBytes(c.perRank), decimalBytes(c.cluster), decimalBytes(std::max(0.0, c.duplicate()))}, tip, bold};
    };
    return {row(TrafficWords::tr("This plan"), r.plan, TrafficWords::tr("Wherever they lie: device, host or files"), true),
            row(TrafficWords::tr("This plan as some tutorials count"), r.planAsTold, TrafficWords::tr("2 B of weights, 2 B of gradients and 4 B for Adam a parameter, divided as this plan does; DeepSpeed keeps 12 B for mixed-precision Adam"), false),
            row(TrafficWords::tr("Plain data parallelism"), r.plain, TrafficWords::tr("%1 B a parameter, on every rank").arg(plain(r.bytesPerParameter)), false),
            row(TrafficWords::tr("As some tutorials count"), r.plainAsTold, TrafficWords::tr("8 B a parameter: twice the 16-bit weights for Adam"), false)};
}

QStringList exchangeHeaders()
{
    return {TrafficWords::tr("Link"), TrafficWords::tr("Rate"), TrafficWords::tr("One replica's"), TrafficWords::tr("Ring")};
}

std::vector<FactRow> exchangeRows(const std::vector<GradientExchange::Row>& links)
{
    std::vector<FactRow> rows;
    for (const GradientExchange::Row& row : links)
        rows.push_back({{QString::fromStdString(row.link.name), TrafficWords::tr("%1/s").arg(decimalBytes(row.link.bytesPerSecond)), timeText(row.oneReplica), timeText(row.ring)}, QString::fromStdString(row.link.source), false});
    return rows;
}

QString exchangeSubtitle(const GradientExchange& e)
{
    if (e.replicas <= 1)
        return TrafficWords::tr("%1 of gradients, one replica: nothing to exchange").arg(decimalBytes(e.replicaBytes()));
    return TrafficWords::tr("%1 per replica, replicas: %2; a ring all-reduce sends %3").arg(decimalBytes(e.replicaBytes()), count(e.replicas), decimalBytes(e.ringBytes()));
}

InspectorSection explainConventions(const Redundancy& r)
{
    InspectorSection section;
    section.heading = TrafficWords::tr("Model states of a rank, by both conventions");
    section.value = decimalBytes(r.plan.perRank);
    section.pairs = {{TrafficWords::tr("%1 B a parameter in all").arg(plain(r.bytesPerParameter)), decimalBytes(r.plan.perRank)},
                     {TrafficWords::tr("8 B a parameter in all"), decimalBytes(r.planAsTold.perRank)}};
    section.text = TrafficWords::tr("Every other figure here uses the first: what the framework keeps, wherever it lies. Some tutorials count Adam with 4 B a parameter, twice the 16-bit weights, and so half as much in all.");
    return section;
}

InspectorSection explainCrossovers(const std::vector<Crossover>& crossovers)
{
    InspectorSection section;
    section.heading = TrafficWords::tr("Sent by a rank in a step");
    section.pairs = {{TrafficWords::tr("Stage 3, whatever the tokens"), decimalBytes(crossovers.front().shardBytes)}};
    for (const Crossover& x : crossovers) {
        section.pairs.push_back({TrafficWords::tr("Stage 1 with tp %1").arg(count(x.tp)), TrafficWords::tr("%1 and %2 a token").arg(decimalBytes(x.tensorBytes), decimalBytes(x.bytesPerToken))});
        section.pairs.push_back({TrafficWords::tr("as much at"), x.tokens > 0 ? TrafficWords::tr("%1 tokens a step").arg(count(std::llround(x.tokens))) : TrafficWords::tr("no number of tokens: tp sends more")});
    }
    section.pairs.push_back({TrafficWords::tr("This step has"), TrafficWords::tr("%1 tokens").arg(count(std::llround(crossovers.front().tokensNow)))});
    return section;
}

}  // namespace stagecraft::app
