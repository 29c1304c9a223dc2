// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/traffic.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/behaviour.h"
#include "planner/ds_settings.h"
#include "planner/engine_traffic.h"
#include "planner/expert_balance.h"
#include "planner/framework_ledger.h"
#include "planner/parameter_groups.h"
#include "planner/pipeline_time.h"
#include "planner/shard_times.h"
#include "planner/step_time.h"
#include "planner/tensor_shares.h"
#include "planner/transfers.h"
#include "planner/swap_folders.h"
#include "planner/workspace_model.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

std::string count(double value) { return formatCount(toBytes(value)); }

/// Collects the items of one pipeline stage.
class Stage {
public:
    Stage(const TrainingCase& c, const DeviceSheet& device, std::int64_t stage, std::int64_t layers)
        : m_case(c), m_device(device), m_rates(linkRatesOf(c, device)), m_stage(stage), m_layers(real(layers)), m_b(c.precision == Precision::Fp32 ? 4 : 2), m_micro(real(c.microBatches)) {}

    Traffic make()
    {
        m_out.role = roleName(m_stage);
        m_out.ranks = m_case.ranks();
        m_out.microBatches = m_case.microBatches;
        m_out.statesOnly = !m_case.model.isKnown();
        addReplicas();
        if (!m_out.statesOnly) {
            addTensor();
            addExperts();
            addContext();
            addPipeline();
        }
        addOffload();
        return std::move(m_out);
    }

private:
    const char* linkOf(std::int64_t size, std::int64_t stride) const
    {
        if (size * stride > m_rates.domain) return "network";
        return m_device.link && size * stride <= m_rates.reach ? m_device.link->kind.c_str() : m_device.id == "cpu" ? "memory" : "PCIe";
    }

    struct Ring {
        const char* what;
        const char* operation;
        const char* group;
        std::int64_t size, stride;
        double buffer;            ///< bytes of one round's buffer
        double rounds;            ///< of a step; an all-reduce has two for each of its own
        double elementBytes;
        double seconds;           ///< of one round
        bool eachMicroBatch;
        double perLayer;
        const char* formula;
        const char* why;
    };

    void addRing(const Ring& r)
    {
        if (r.size <= 1 || !(r.buffer > 0) || !(r.rounds > 0)) return;
        TrafficItem item{r.what, r.operation, r.group, r.size, linkOf(r.size, r.stride), r.perLayer, 0, 0, 0, 0, r.formula, {}, r.why};
        const double share = real(r.size - 1) / real(r.size);
        item.elements = r.rounds * r.buffer / r.elementBytes;
        item.bytes = share * r.rounds * r.buffer;
        item.seconds = r.rounds * r.seconds;
        // A ring leaves a node once for all of its ranks there; as many rings pass a node as it has ranks of other groups.
        if (r.size * r.stride > m_rates.domain) item.nodeBytes = item.bytes * real(std::min(r.stride, m_rates.domain));
        if (r.eachMicroBatch) item.perMicroBatch = item.bytes / m_micro;
        item.numbers = fmt::format("{} · {}/{} · {} B", fmt::format("{:.10g}", r.rounds), r.size - 1, r.size, count(r.buffer));
        m_out.items.push_back(std::move(item));
    }

    double ringOf(double bytes, std::int64_t size, std::int64_t stride) const { return ringSeconds(m_case, m_device, bytes, size, stride); }

    static const char* groupOf(bool experts) { return experts ? "expert_dp" : "dp"; }

    void addReplicas()
    {
        const TrainingCase& c = m_case;
        m_groups = parameterGroups(c, m_stage, static_cast<std::int64_t>(m_layers));
        if (shardsWeights(c)) {
            for (const ShardSet& set : shardSets(c, m_groups)) addShards(set);
            return;
        }
        for (const ParameterGroup& group : m_groups) {
            if (!group.trained) continue;
            const ReplicaExchange e = replicaExchange(c, group.elements());
            const bool often = e.reductions > 1;
            const std::int64_t n = group.replicas();
            const char* among = groupOf(group.experts);
            const BucketCalls calls = bucketCalls(c, group);
            const double wait = ringOf(0, n, group.stride);
            addRing({group.experts ? "gradients.experts" : "gradients", e.whole ? "all_reduce" : "reduce_scatter", among, n, group.stride, e.gradients, (e.whole ? 2 : 1) * e.reductions, e.gradients / std::max(group.elements(), 1.0), ringOf(e.gradients, n, group.stride) + (calls.reductions - 1) * wait, often, 0,
                     e.whole ? "2 · (N - 1)/N · b · Φ" : often ? "m · (N - 1)/N · b · Φ" : "(N - 1)/N · b · Φ",
                     often ? "stage 2 keeps no whole gradients: it reduces after every micro-batch" : "gradients are summed over the replicas once a step"});
            addRing({group.experts ? "weights.update_experts" : "weights.update", "all_gather", among, n, group.stride, e.weights, 1, m_b, ringOf(e.weights, n, group.stride) + (calls.gathers - 1) * wait, false, 0, "(N - 1)/N · b · Φ", "each replica updates its part of the weights and gathers the others"});
        }
    }

    void addShards(const ShardSet& set)
    {
        const TrainingCase& c = m_case;
        const ShardExchange& x = set.x;
        const ShardTimes t = shardTimes(c, m_device, set);
        const std::int64_t n = x.ranks;
        const char* among = groupOf(set.experts);
        const bool often = (c.reshardAfterForward || c.pp == 1) && m_micro > 0;
        const double element = set.weights.all() / std::max(1.0, set.elements);
        const auto gather = [&](const char* what, std::int64_t size, double rounds, const PassSeconds& pass, const char* formula, const char* why) {
            addRing({what, "all_gather", among, size, set.stride, set.weights.all(), rounds, element, pass.all(set.layers), often && rounds >= m_micro, 0, formula, why});
        };
        if (set.experts) {
            gather("weights.gather_experts", n, x.forward + x.again, t.far, "m · (N - 1)/N · b · Φ", "experts are gathered among the ranks that share them");
        } else {
            gather("weights.gather", n, x.forward, t.far, x.forward > 1 ? "m · (N - 1)/N · b · Φ" : "(N - 1)/N · b · Φ", x.near > 0 ? "weights are gathered for the first forward pass; when they are given back, hpZ keeps a second copy in a smaller group" : "weights are gathered for the forward pass");
            gather("weights.gather_again", n, x.again, t.far, "m · (N - 1)/N · b · Φ", "weights were given back after the forward pass and are gathered again");
        }
        gather("weights.gather_near", x.near, x.nearForward + x.nearAgain, t.near, "(2 m - 1) · (P - 1)/P · b · Φ", "every other gather of the step is of the second copy, inside its group");
        addRing({"weights.kept", "all_gather", among, n, set.stride, set.kept, 1, set.kept / std::max(1.0, set.keptElements), t.kept, false, 0, "(N - 1)/N · b · Φ_kept", "tensors up to stage3_param_persistence_threshold are gathered after the update, and not given back"});
        const double trained = set.gradients.all(), plain = (1 - set.quantised) * trained;
        addRing({set.experts ? "gradients.experts" : "gradients", "reduce_scatter", among, n, set.stride, x.gradient * plain, x.reductions, x.gradient, t.scatter.all(set.layers), x.reductions > 1 || often, 0, "m · (N - 1)/N · b · Φ",
                 set.experts ? "gradients of experts are summed among the ranks that share them" : set.quantised > 0 ? "gradients of norms and biases are scattered as they are" : "each replica keeps the sum of its part of the gradients"});
        if (set.quantised > 0) {
            const double inside = 0.5 * set.quantised * trained, between = inside / real(x.inNode);
            addRing({"gradients.in_node", "all_to_all", among, x.inNode, set.stride, inside, x.reductions, 0.5, t.inNode.all(set.layers), true, 0, "m · (D - 1)/D · ½ · Φ", "gradients of matrices go round the node in 4 bits"});
            addRing({"gradients.between_nodes", "all_to_all", among, x.nodes, set.stride * x.inNode, between, x.reductions, 0.5, t.between.all(set.layers), true, 0, "m · (K - 1)/K · ½ · Φ / D", "each device's part of the node's sum goes to the other nodes in 4 bits"});
        }
        if (x.replicaReductions > 0) {
            const double shard = x.replicaBytes * trained / real(n);
            addRing({"gradients.replicas", "all_reduce", among, set.copies, set.stride * n, shard, 2 * x.replicaReductions, x.replicaBytes, t.replicas.all(set.layers), x.replicaReductions > 1, 0,
                     x.replicaReductions > 1 ? "2 m · (R - 1)/R · b · Φ / N" : "2 · (R - 1)/R · b · Φ / N", "shards are summed over the groups that hold the same"});
        }
    }

    // Every rank sends to every other itself: what is for ranks of its node stays there.
    void addAllToAll(const Ring& r)
    {
        const std::size_t before = m_out.items.size();
        addRing(r);
        if (m_out.items.size() == before || m_out.items.back().nodeBytes <= 0) return;
        const double here = std::max(1.0, std::floor(real(m_rates.domain) / real(r.stride)));
        m_out.items.back().nodeBytes = m_out.items.back().bytes * real(m_rates.domain) * (real(r.size) - here) / (real(r.size) - 1);
    }

    void addTensor()
    {
        const TrainingCase& c = m_case;
        if (c.tp <= 1) return;
        const double payload = tensorPayload(c), one = ringOf(payload, c.tp, 1), again = remadeLayers(c);
        const char* operation = c.sequenceParallel || c.framework == Framework::Fsdp2 ? "all_gather+reduce_scatter" : "all_reduce";
        const TensorRings rings = tensorRings(c);
        // Layers that no gradient flows through have a forward pass alone.
        const double back = backwardShare(c, m_stage, static_cast<std::int64_t>(m_layers));
        const auto add = [&](const char* what, double share, double passes, const char* why) {
            addRing({what, operation, "tp", c.tp, 1, payload, m_micro * share * m_layers * passes, m_b, one, true, passes / 2, "m · L · rings · (t - 1)/t · b · tokens · h", why});
        };
        add("tensor.forward", 1, rings.forward, "attention and MLP each sum their outputs over the slices of a layer");
        add("tensor.backward", back, rings.backward, "the gradients of their inputs are summed likewise");
        add("tensor.recompute", back, again * rings.again, "the forward pass made again communicates again");
        addRing({"tensor.checkpoints", "all_gather", "tp", c.tp, 1, payload, m_micro * back * m_layers * checkpointGathers(c), m_b, one, true, checkpointGathers(c), "m · L · (t - 1)/t · b · tokens · h", "block inputs that tensor-parallel ranks have divided are put together for the backward pass"});
        // Behind the last layer, of all that the vocabulary has: no part of the layers' passes.
        if (gathersLogits(c) && m_stage == c.pp - 1) {
            const double logits = m_b * c.tokens() * real(c.model.outputs());
            addRing({"logits", "all_gather", "tp", c.tp, 1, logits, m_micro, m_b, ringOf(logits, c.tp, 1), true, 0, "m · (t - 1)/t · b · tokens · V", "each rank has made the logits of its part of the vocabulary, and the loss needs all of them"});
        }
        TensorPasses passes{rings.forward / 2, (rings.forward + rings.backward) / 2, (rings.forward + rings.backward + rings.again) / 2, 0};
        passes.bytes = m_out.bytesOf("tensor.");
        m_out.tensor = passes;
    }

    void addExperts()
    {
        const TrainingCase& c = m_case;
        if (c.model.experts == 0 || c.ep <= 1) return;
        const double sparse = m_layers - real(denseLayersOfStage(c, m_stage, static_cast<std::int64_t>(m_layers)));
        const double payload = routedPayload(c), one = allToAllSeconds(c, m_device, fullestExperts(c) * payload, c.ep, c.expertTensor());
        const double sparseBack = std::min(sparse, backwardShare(c, m_stage, static_cast<std::int64_t>(m_layers)) * m_layers);
        const auto add = [&](const char* what, double passes, const char* why) {
            addAllToAll({what, "all_to_all", "ep", c.ep, c.expertTensor(), payload, m_micro * 2 * passes, m_b, one, true, 2, "m · L · 2 · (e - 1)/e · b · tokens · k · h", why});
        };
        add("experts.forward", sparse, "tokens go to their experts and come back");
        add("experts.backward", sparseBack, "their gradients go the same way");
        add("experts.recompute", remadeExperts(c) * sparseBack, "the forward pass made again sends them again");
    }

    void addContext()
    {
        const TrainingCase& c = m_case;
        if (c.cp <= 1) return;
        const ContextExchange e = contextExchange(c);
        const double passes = e.forward + e.backward + remadeAttention(c) * e.forward;
        if (e.ulysses) {
            const double pass = 4 * allToAllSeconds(c, m_device, e.payload / 4, c.cp, c.tp);
            addAllToAll({"context", "all_to_all", "cp", c.cp, c.tp, e.payload, m_micro * m_layers * passes, m_b, pass, true, 4 * passes, "m · L · passes · (c - 1)/c · b · tokens · (heads + max(kv heads, c)) · 2 d", "queries, keys, values and outputs change between tokens and heads, forward and with their gradients backward"});
            return;
        }
        const double whole = e.payload * real(c.cp);
        addRing({"context", "all_gather", "cp", c.cp, c.tp, whole, m_micro * m_layers * passes, m_b, ringOf(whole, c.cp, c.tp), true, passes, "m · L · passes · (c - 1)/c · b · tokens · kv heads · 2 d", "keys and values meet every query forward, and with their gradients backward"});
    }

    void addPipeline()
    {
        const TrainingCase& c = m_case;
        if (c.pp <= 1) return;
        const double payload = boundaryBytes(c);
        // An end of the pipeline has one neighbour, all others two; with chunks every rank has both.
        const double sends = c.chunks > 1 || (m_stage > 0 && m_stage < c.pp - 1) ? 2 : 1;
        TrafficItem item{"pipeline", "send_receive", "pp", c.pp, linkOf(c.ranks(), 1), 0, 0, 0, 0, 0, "m · v · sends · b · tokens · h", {}, "activations go to the next stage, their gradients to the one before"};
        const double times = m_micro * real(std::max<std::int64_t>(1, c.chunks)) * sends;
        item.bytes = times * payload;
        item.elements = item.bytes / m_b;
        item.perMicroBatch = item.bytes / m_micro;
        item.seconds = item.bytes / (item.link == "network" ? m_rates.network : c.ranks() <= m_rates.reach ? m_rates.link : m_rates.bus);
        item.numbers = fmt::format("{:.10g} · {} B", times, count(payload));
        if (item.link == "network") item.nodeBytes = item.bytes * real(std::min(m_rates.domain, c.ranks() / c.pp));
        m_out.items.push_back(std::move(item));
        if (gathersBoundary(c)) {
            const double whole = payload * real(c.tp);
            const double sides = m_stage == 0 || m_stage == c.pp - 1 ? 1 : 2;
            addRing({"pipeline.slices", "all_gather", "tp", c.tp, 1, whole, m_micro * sides, m_b, ringOf(whole, c.tp, 1), true, 0, "m · (t - 1)/t · b · tokens · h", "slices of what came from another stage are put together"});
        }
    }

    void addOffload()
    {
        const OffloadTraffic t = offloadTraffic(m_case, m_groups, m_layers);
        const auto add = [&](const char* what, bool down, bool files, double bytes, bool eachMicroBatch, double elementBytes, const char* formula, const char* why) {
            if (!(bytes > 0)) return;
            TrafficItem item{what, files ? (down ? "file_write" : "file_read") : (down ? "device_to_host" : "host_to_device"), files ? "files" : "host", 1, files ? "files" : m_device.id == "cpu" ? "memory" : "PCIe", 0, 0, 0, 0, 0, formula, {}, why};
            item.bytes = bytes;
            item.elements = bytes / elementBytes;
            if (eachMicroBatch) item.perMicroBatch = bytes / m_micro;
            item.seconds = bytes / (!files ? m_rates.host : down ? m_rates.filesWritten : m_rates.filesRead);
            item.numbers = fmt::format("{} B", count(bytes));
            m_out.items.push_back(std::move(item));
        };
        add("offload.activations", true, false, t.activations, true, m_b, "m · L_host · bytes of a layer", "what the first layers keep for their backward pass waits on the host");
        add("offload.activations", false, false, t.activations, true, m_b, "m · L_host · bytes of a layer", "and comes back for it, under the backward pass of later layers");
        if (m_case.framework == Framework::Megatron) {
            add("offload.gradients", true, false, t.gradientsDown, false, 4, "4 · Φ_host/N", "each rank's gradients go to the host, whose optimizer uses them");
            add("offload.update", false, false, t.updatedUp, false, 4, "4 · Φ_host/N", "weights that the host updated come back");
            return;
        }
        if (shardsOnHost(m_case)) {
            const double width = shardWidth(m_case);
            add("offload.weights", false, false, t.weightsUp, true, width, "m · 2 · w · Φ/N", "each rank's shard comes up for the gathers of both passes, in the type that it is kept in, and is dropped after them");
            add("offload.gradients", true, false, t.gradientsDown, true, width, "m · w · Φ/N", "each rank's gradients go to the host, whose optimizer uses them");
            return;
        }
        const bool shards = m_case.settings.stage == 3;
        add("offload.gradients", true, false, t.gradientsDown, true, m_b, shards ? "m · b · Φ/N" : "(m - 1) · b · Φ/N + (b or 4) · Φ/N", "each rank's gradients go to the host, whose optimizer uses them");
        add("offload.sums", false, false, t.gradientsUp, true, m_b, shards ? "m · b · Φ/N" : "(m - 1) · b · Φ/N", shards ? "what lies on the host of a micro-batch's gradients, or of earlier ones, comes up again" : "the sums of earlier micro-batches come up to be added to");
        add("offload.master_gradients", true, false, t.gradientsForUpdate, false, 4, "4 · Φ_host/N", "the step's sums go down once more, in fp32, to the optimizer's own buffers");
        add("offload.update", false, false, t.updatedUp, false, m_b, "b · Φ/N", "weights that the host updated come back");
        add("offload.update", true, false, t.updatedDown, false, m_b, "b · Φ_device/N", "weights that the device updated go to their place on the host");
        add("offload.weights", false, false, t.weightsUp, true, m_b, "m · 2 · b · Φ/N", "each rank loads its own shard for the forward and the backward pass; after use it is dropped, not copied back");
        add("offload.checkpoints", true, false, t.checkpointsDown, true, m_b, "m · L · b · tokens · h", "block inputs are kept on the host");
        add("offload.checkpoints", false, false, t.checkpointsUp, true, m_b, "m · L · b · tokens · h", "block inputs come back for the backward pass");
        add("files.states", false, true, t.statesRead, false, 4, "(4 + states) · Φ/N", "master weights and moments are read for the update");
        add("files.states", true, true, t.statesWritten, false, 4, "(4 + states) · Φ/N", "and written after it");
        add("files.gradients", true, true, t.gradientsWritten, false, 4, "4 · Φ/N", "gradients are written when they are reduced");
        add("files.gradients", false, true, t.gradientsRead, false, 4, "4 · Φ/N", "and read for the update");
        add("files.weights", false, true, t.weightsRead, true, m_b, "m · 2 · b · Φ/N", "weights are read for the forward and the backward pass");
        add("files.update", true, true, t.weightsWritten, false, m_b, "b · Φ/N", "updated weights are written");
    }

    const TrainingCase& m_case;
    const DeviceSheet& m_device;
    LinkRates m_rates;
    std::int64_t m_stage;
    double m_layers, m_b, m_micro;
    std::vector<ParameterGroup> m_groups;
    Traffic m_out;
};

double sentBy(const Traffic& t) { return t.bytesOf(""); }

}  // namespace

double Traffic::bytesOver(const std::string& link) const
{
    double sum = 0;
    for (const TrafficItem& item : items) sum += item.link == link ? item.bytes : 0;
    return sum;
}

double Traffic::bytesOf(const std::string& what) const
{
    double sum = 0;
    for (const TrafficItem& item : items) sum += item.what.starts_with(what) ? item.bytes : 0;
    return sum;
}

double Traffic::secondsOf(const std::string& what) const
{
    double sum = 0;
    for (const TrafficItem& item : items) sum += item.what.starts_with(what) ? item.seconds : 0;
    return sum;
}

void sumTraffic(Traffic& traffic, double trained)
{
    for (const TrafficItem& item : traffic.items) {
        auto link = std::find_if(traffic.links.begin(), traffic.links.end(), [&](const TrafficLink& l) { return l.link == item.link; });
        if (link == traffic.links.end()) link = traffic.links.insert(link, {item.link, 0, 0, 0});
        link->bytes += item.bytes;
        link->seconds += item.seconds;
        if (item.group == "dp" || item.group == "expert_dp") traffic.replicaElements += item.elements;
        traffic.nodeBytes += item.nodeBytes;
    }
    if (trained > 0) traffic.relativeVolume = traffic.replicaElements / (2 * trained);
}

namespace {

// What a link is taken to reach. Over PCIe go what is offloaded and collectives of devices that have no other link between them, each at a rate of its own.
double rateOf(const TrafficLink& link, const Traffic& traffic, const LinkRates& rates, const DeviceSheet& device)
{
    if (link.link == "network") return rates.network;
    if (link.link == "files" && link.seconds > 0) return link.bytes / link.seconds;
    if (link.link == "memory") return device.link ? rates.host : rates.link;
    if (link.link != "PCIe") return rates.link;
    const auto here = [&](const TrafficItem& item) { return item.link == "PCIe" && item.bytes > 0; };
    const auto offloaded = [&](const TrafficItem& item) { return here(item) && item.group == "host"; };
    const auto all = std::count_if(traffic.items.begin(), traffic.items.end(), here), toHost = std::count_if(traffic.items.begin(), traffic.items.end(), offloaded);
    if (toHost == all) return rates.host;
    return toHost == 0 || !(link.seconds > 0) ? rates.bus : link.bytes / link.seconds;
}

}  // namespace

Traffic trafficOf(const TrainingCase& c, const DeviceSheet& device)
{
    const bool known = c.model.isKnown();
    const std::vector<std::int64_t> layers = known ? layersOfStages(c) : std::vector<std::int64_t>{0};
    Traffic most;
    std::size_t fullest = 0;
    double cluster = 0;
    for (std::size_t stage = 0; stage < layers.size(); ++stage) {
        Traffic here = Stage(c, device, static_cast<std::int64_t>(stage), layers[stage]).make();
        const double sent = sentBy(here);
        cluster += sent * real(c.ranks()) / static_cast<double>(layers.size());
        if (stage > 0 && sent <= sentBy(most)) continue;
        most = std::move(here);
        fullest = stage;
    }
    most.clusterBytes = cluster;
    sumTraffic(most, trainedElements(parameterGroups(c, static_cast<std::int64_t>(fullest), layers[fullest])).held);
    const LinkRates rates = linkRatesOf(c, device);
    for (TrafficLink& link : most.links) link.bytesPerSecond = rateOf(link, most, rates, device);
    return most;
}

std::optional<Traffic> planTraffic(const Workspace& w, const PlanContext& context)
{
    if (machineIsMeant(w, context)) return planTraffic(onThisMachine(w, context), context);
    if (const auto divided = configLayout(w)) {
        Workspace as = w;
        as.layout = divided->layout;
        return planTraffic(as, context);
    }
    std::vector<PlanFinding> findings;
    const DeviceSheet* device = findDevice(w.hardware.device);
    if (!device || !layoutIsPossible(w, findings) || !adapterIsPlanned(w, findings)) return std::nullopt;
    const CountedModel model = countWorkspaceModel(w, findings);
    DsSettings settings = readDsSettings(w, model.shape ? model.shape->hidden : 0, findings);
    (void)useMeasuredDisk(w, context, settings);
    if (const auto job = engineJobOf(w, settings)) return engineTraffic(*job, context);
    const bool statesAlone = !modelIsInArguments(w) && model.params && (w.model.form == ModelSection::Form::ParameterCount || !model.shape);
    const auto job = readTrainingCase(w, statesAlone ? model.size : model.shape, settings, findings);
    if (!job || !job->sheet) return std::nullopt;
    return trafficOf(*job, *job->sheet);
}

}  // namespace stagecraft
