// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/gradient_exchange.h"

#include "planner/ds_settings.h"
#include "planner/parameter_groups.h"
#include "planner/transfers.h"
#include "planner/workspace_model.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {

const std::vector<std::string_view>& linkFiles();

namespace {

using nlohmann::json;

std::string lower(std::string_view text)
{
    std::string out;
    for (const char c : text)
        if (c != ' ') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::optional<double> numberAt(std::string_view& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value) || value <= 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

constexpr double kSlowest = 1000;  ///< bytes/s; over anything slower no exchange ends

/// "8x200gbps" in bytes/s.
std::optional<double> rateOf(std::string_view text)
{
    auto value = numberAt(text);
    if (!value) return std::nullopt;
    if (text.starts_with('x')) {
        text.remove_prefix(1);
        const auto each = numberAt(text);
        if (!each) return std::nullopt;
        *value *= *each;
    }
    for (const auto& [unit, factor] : {std::pair{"gbps", 1e9 / 8}, {"gb/s", 1e9}, {"gbit/s", 1e9 / 8}, {"tbps", 1e12 / 8}, {"tbit/s", 1e12 / 8}, {"tb/s", 1e12}, {"mb/s", 1e6}, {"mbps", 1e6 / 8}})
        if (text == unit && std::isfinite(*value * factor) && *value * factor >= kSlowest) return *value * factor;
    return std::nullopt;
}

// Of trained experts that are divided a replica has but a part, which fewer replicas have, too.
void countExperts(const TrainingCase& c, GradientExchange& e)
{
    if (!c.model.isKnown()) return;
    const std::vector<std::int64_t> layers = layersOfStages(c);
    double all = 0;
    for (std::int64_t stage = 0; stage < c.pp; ++stage) {
        for (const ParameterGroup& group : parameterGroups(c, stage, layers[static_cast<std::size_t>(stage)])) {
            if (!group.experts || !group.trained) continue;
            e.expertElements += group.elements() * static_cast<double>(c.tp);
            all += group.elements() * static_cast<double>(c.ep * c.expertTensor());
            e.expertReplicas = group.replicas();
        }
    }
    e.elements += e.expertElements - all;
    // Experts that no other replica has alike are exchanged with nobody.
    if (e.expertReplicas > 1) return;
    e.elements -= e.expertElements;
    e.ownElements = std::exchange(e.expertElements, 0);
    e.expertReplicas = e.replicas;
}

}  // namespace

const std::vector<LinkSheet>& linkSheets()
{
    static const std::vector<LinkSheet> sheets = [] {
        std::vector<LinkSheet> read;
        for (const std::string_view text : linkFiles())
            for (const json& link : json::parse(text)) {
                const double rate = link.contains("gbps") ? link["gbps"].get<double>() / 8 * link.value("ports", 1.0) : link["perDirectionGBs"].get<double>();
                read.push_back({link["id"], link["name"], 1e9 * rate, link["source"]});
            }
        return read;
    }();
    return sheets;
}

Result<LinkSheet> findLink(std::string_view word)
{
    const std::string wanted = lower(word);
    for (const LinkSheet& link : linkSheets())
        if (wanted == link.id || wanted == lower(link.name)) return link;
    if (const auto rate = rateOf(wanted)) return LinkSheet{std::string(word), std::string(word), *rate, "as given"};
    std::string ids;
    for (const LinkSheet& link : linkSheets()) ids += (ids.empty() ? "" : ", ") + link.id;
    return Error{ErrorCode::NotFound, fmt::format("Cannot use the link \"{}\": it is neither a known one nor a rate; use one of {}, or a rate of one direction such as 400Gbps, 8x200Gbps or 50GB/s", word, ids), {{"link", std::string(word)}}};
}

std::optional<GradientExchange> gradientExchange(const Workspace& w, const std::vector<LinkSheet>& links)
{
    std::vector<PlanFinding> findings;
    if (!layoutIsPossible(w, findings) || !adapterIsPlanned(w, findings)) return std::nullopt;
    const CountedModel model = countWorkspaceModel(w, findings);
    const std::optional<std::int64_t> trained = model.trainable ? model.trainable : model.params;
    if (!trained || (w.model.trainsPart() && !model.trainable)) return std::nullopt;
    const DsSettings settings = readDsSettings(w, model.shape ? model.shape->hidden : 0, findings);
    GradientExchange e;
    e.elements = static_cast<double>(*trained);
    // Our own engine sums in fp32, and so does FSDP2 (torchtitan).
    e.bytesPerElement = w.framework.name != "deepspeed" || settings.precision == Precision::Fp32 ? 4 : 2;
    e.replicas = e.expertReplicas = std::int64_t{w.layout.dp} * w.layout.cp;
    e.ranksPerReplica = std::int64_t{w.layout.tp} * w.layout.pp;
    if (const auto job = w.framework.name != "stagecraft" ? readTrainingCase(w, model.planned(), settings, findings) : std::nullopt) {
        e.bytesPerElement = gradientWire(*job);
        e.replicas = e.expertReplicas = job->dp * job->cp;
        e.ranksPerReplica = job->tp * job->pp;
        countExperts(*job, e);
    }
    for (const LinkSheet& link : links.empty() ? linkSheets() : links) e.links.push_back(e.over(link));
    return e;
}

json exchangeToJson(const GradientExchange& e)
{
    json links = json::array();
    for (const GradientExchange::Row& row : e.links) {
        links.push_back({{"id", row.link.id}, {"name", row.link.name}, {"bytesPerSecond", row.link.bytesPerSecond}, {"bytesPerSecondBothDirections", 2 * row.link.bytesPerSecond}, {"secondsOneReplica", row.oneReplica},
                         {"secondsRingAllReduce", row.ring}, {"source", row.link.source}});
    }
    return {{"elements", e.elements}, {"expertElements", e.expertElements}, {"ownElements", e.ownElements}, {"expertReplicas", e.expertReplicas}, {"bytesPerElement", e.bytesPerElement}, {"replicas", e.replicas}, {"ranksPerReplica", e.ranksPerReplica}, {"bytesPerReplica", e.replicaBytes()}, {"bytesPerRank", e.rankBytes()},
            {"bytesAllReplicas", e.allReplicasBytes()}, {"ringBytesAllReplicas", e.ringBytes()}, {"links", links}};
}

}  // namespace stagecraft
