// SPDX-License-Identifier: GPL-3.0-or-later
// Ledger, step time and traffic of one plan count the same bytes: those of a reference that goes through the model tensor by tensor.
#include "planner/ds_settings.h"
#include "planner/framework_ledger.h"
#include "planner/parameter_groups.h"
#include "planner/step_time.h"
#include "planner/traffic.h"
#include "planner/workspace_model.h"
#include "plan_documents.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <map>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

struct Sizes {
    double hidden, layers, keys, ffn, vocab, experts;
};
constexpr Sizes kDense{512, 3, 128, 1408, 4000, 0}, kSparse{4096, 32, 1024, 14336, 32000, 8};

struct Tensor {
    double rows, columns;
    bool layer, expert, trained, packed;
    [[nodiscard]] double size() const { return rows * columns; }
};

/// One random job.
struct Job {
    bool sparse = false, adapters = false, packed = false;
    int stage = 0, nodes = 1, ep = 1, micro = 1, hpz = 1, mics = 0;
    double threshold = 1e5, limit = 0, ratio = 1, inHost = 1e9;
    std::string optimizerAway = "none", weightsAway = "none", sent;
    [[nodiscard]] int ranks() const { return 8 * nodes; }
    [[nodiscard]] double subGroup() const { return ratio < 1 ? 1e5 : 1e9; }

    [[nodiscard]] json workspace() const
    {
        json w = document("mixtral-8x7b", "deepspeed", stage, nodes, 8, micro);
        if (!sparse) w["model"] = {{"family", "llama"}, {"hidden", kDense.hidden}, {"layers", kDense.layers}, {"heads", 8}, {"kvHeads", 2}, {"ffn", kDense.ffn}, {"vocab", kDense.vocab}, {"seq", 256}};
        if (adapters) w["model"]["adapter"] = {{"rank", 16}};
        if (adapters && sparse) w["model"]["adapter"]["targets"] = {"q_proj", "k_proj", "v_proj", "o_proj"};  // those of packed experts: tst_adapters
        if (packed) w["model"]["adapter"]["base"] = "nf4";
        w["layout"] = {{"dp", ranks()}, {"ep", ep}};
        json& zero = w["dsConfig"]["zero_optimization"];
        zero["stage3_param_persistence_threshold"] = threshold;
        if (limit > 0) zero["stage3_model_persistence_threshold"] = limit;
        if (optimizerAway != "none") zero["offload_optimizer"] = {{"device", optimizerAway}, {"ratio", ratio}};
        zero["sub_group_size"] = subGroup();
        if (weightsAway != "none") zero["offload_param"] = {{"device", weightsAway}, {"max_in_cpu", inHost}};
        if (hpz > 1) zero["zero_hpz_partition_size"] = hpz;
        if (mics > 0) zero["mics_shard_size"] = mics;
        if (stage == 3) zero["overlap_comm"] = false;
        if (!sent.empty()) w["dsConfig"]["communication_data_type"] = sent;
        return w;
    }
    [[nodiscard]] QByteArray name() const { return QByteArray::fromStdString(workspace().dump()); }
};

/// What a rank has, in the order of the modules.
std::vector<Tensor> tensorsOf(const Job& job)
{
    const Sizes& s = job.sparse ? kSparse : kDense;
    std::vector<Tensor> all;
    const bool trained = !job.adapters;
    const auto linear = [&](double rows, double columns, bool adapted) {
        all.push_back({rows, columns, true, false, trained, job.packed});
        if (!job.adapters || !adapted) return;
        all.push_back({16, columns, true, false, true, false});
        all.push_back({rows, 16, true, false, true, false});
    };
    all.push_back({s.vocab, s.hidden, false, false, trained, false});
    for (int layer = 0; layer < static_cast<int>(s.layers); ++layer) {
        linear(s.hidden, s.hidden, true);
        linear(s.keys, s.hidden, true);
        linear(s.keys, s.hidden, true);
        linear(s.hidden, s.hidden, true);
        if (job.sparse) {
            linear(s.experts, s.hidden, false);
            // Transformers 5 has gate and up in one.
            for (int expert = 0; expert < static_cast<int>(s.experts) / job.ep; ++expert) {
                all.push_back({2 * s.ffn, s.hidden, true, true, trained, false});
                all.push_back({s.hidden, s.ffn, true, true, trained, false});
            }
        } else {
            linear(s.ffn, s.hidden, true);
            linear(s.ffn, s.hidden, true);
            linear(s.hidden, s.ffn, true);
        }
        for (int norm = 0; norm < 2; ++norm) all.push_back({s.hidden, 1, true, false, trained, false});
    }
    all.push_back({s.hidden, 1, false, false, trained, false});
    all.push_back({s.vocab, s.hidden, false, false, trained, false});
    return all;
}

/// Bytes by the names of the traffic's and the ledger's items, of a rank.
using Bytes = std::map<std::string, double>;

Bytes reference(const Job& job)
{
    Bytes out;
    const double m = job.micro, n = job.ranks(), packedBytes = 0.5 + 4.0 / 64;
    const double copies = job.stage == 3 && job.mics > 0 ? n / job.mics : 1;
    const bool optimizerAway = job.stage >= 1 && job.optimizerAway != "none", weightsAway = job.stage == 3 && job.weightsAway != "none";
    const bool inFiles = weightsAway && job.weightsAway == "nvme", statesInFiles = optimizerAway && job.stage == 3 && job.optimizerAway == "nvme";
    const double wire = job.sent == "fp32" ? 4 : 2;
    double keptSum = 0, share = 0, loaded = 0, filedShare = 0;
    for (const Tensor& t : tensorsOf(job)) {
        // Who holds the same elements, and among how many of them they are divided.
        const double holders = t.expert ? n / job.ep : n;
        const double shards = std::max(1.0, std::floor(holders / copies)), sets = holders / shards;
        const double stored = (t.packed ? packedBytes : 2) * t.size();
        const double gradient = t.trained ? t.size() : 0;
        share += gradient / shards;
        const auto ring = [](double ranks, double bytes) { return (ranks - 1) / ranks * bytes; };
        if (job.stage < 3) {
            out["gradients"] += (job.stage == 0 ? 2 : job.stage == 2 ? m : 1) * ring(holders, wire * gradient);
            if (job.stage > 0) out["weights."] += ring(holders, 2 * gradient);
            (t.trained ? out["ledger weights"] : out["ledger frozen"]) += stored;
        } else {
            (t.trained ? out["ledger weights"] : out["ledger frozen"]) += stored / shards;
            const bool gathered = shards > 1 || weightsAway;
            const bool kept = t.size() <= job.threshold && (job.limit <= 0 || keptSum + t.size() <= job.limit);
            if (kept) keptSum += t.size();
            if (kept && gathered) out["ledger kept"] += stored;
            const bool second = job.hpz > 1 && n / copies > 1;
            const double near = !second ? 0 : std::clamp(t.expert ? std::floor(job.hpz / static_cast<double>(job.ep)) : job.hpz, 1.0, shards);
            if (second) out["ledger second"] += stored / near;
            const bool used = second && copies == 1;
            // The update drops the second copy of what it changes, and of nothing else.
            const double first = t.trained ? 1 : 0, far = kept ? 0 : used ? first : 2 * m, later = kept || !used ? 0 : 2 * m - first;
            out["weights."] += far * ring(shards, stored) + (later > 0 ? later * ring(near, stored) : 0) + (kept ? ring(shards, stored) : 0);
            out["gradients"] += m * ring(shards, wire * gradient) + 2 * ring(sets, 2 * gradient / shards);
            // What is trained lies on the host in one buffer; frozen tensors that stay on the device have their shard there.
            // A part below 1 MiB is in no file. All experts of a rank are one tensor; how long a packed one is is not known.
            const double experts = t.expert ? std::max(1.0, (job.sparse ? kSparse : kDense).experts / job.ep) : 1;
            const bool filed = inFiles && (job.packed || std::ceil(t.size() * experts / shards) * 2 >= 1024 * 1024);
            const double own = far * stored / shards + (kept && (filed || t.trained) ? stored / shards : 0);
            if (weightsAway) out["offload.weights"] += own + (later > 0 ? later * stored / near : 0);
            if (filed) (t.trained ? loaded : out["files.weights"]) += own;
            if (filed && t.trained) filedShare += gradient / shards;
            if (filed && !t.trained) out["ledger frozen files"] += stored / shards;
        }
        const double divided = gradient / shards;
        out["ledger optimizer_states"] += 8 * (job.stage >= 1 ? divided : gradient);
        out["ledger master"] += 4 * (job.stage >= 1 ? divided : gradient);
    }
    if (optimizerAway) {
        // Whole sub-groups stay on the device, and only where they are on the host at all.
        const double group = job.subGroup(), groups = std::ceil(share / group), stays = job.ratio < 1 && job.stage == 3 && !statesInFiles ? std::min(share, group * std::floor((1 - job.ratio) * groups)) : 0.0;
        // Stage 3 has its sums on the host: up and down with every micro-batch, and at last in fp32 what the host updates.
        out["offload.gradients"] = job.stage == 3 ? 2 * m * share : (2 * (m - 1) + 4) * share;
        out["offload.sums"] = job.stage == 3 ? 2 * m * share : 2 * (m - 1) * share;
        if (job.stage == 3) out["offload.master_gradients"] = 4 * (share - stays);
        out["offload.update"] = weightsAway ? 2 * stays : 2 * (share - stays);
        // A sub-group below 1 MiB is in no file.
        const double last = share - group * std::floor(share / group), least = 1024 * 1024 / 4;
        const double filed = !statesInFiles ? 0 : (group < least ? 0 : share - last) + (last < least ? 0 : last);
        out["ledger gradients_nvme"] = 4 * filed;
        out["ledger gradients_host"] = 4 * (share - stays - filed);
        out["files.states"] = 2 * 12 * filed;
        out["files.gradients"] = 2 * 4 * filed;
    }
    if (inFiles) {
        // Sub-groups that fit into the buffer on the host are in no file; one of several is longer than sub_group_size.
        const double host = share <= job.inHost ? share : std::min(job.inHost, job.subGroup() * std::max(0.0, std::ceil(job.inHost / job.subGroup()) - 1));
        out["files.weights"] += share > 0 ? (1 - host / share) * loaded : 0;
        out["files.update"] = share > 0 ? 2 * (share - host) * filedShare / share : 0;
        out["ledger weights files"] = out["files.update"];
        out["ledger weights"] += 2 * (std::min(share, job.inHost) - host);
    }
    return out;
}

TrainingCase caseOf(const json& w)
{
    const Workspace workspace = workspaceOf(w);
    std::vector<PlanFinding> findings;
    const CountedModel model = countWorkspaceModel(workspace, findings);
    const auto job = readTrainingCase(workspace, model.shape, readDsSettings(workspace, model.shape->hidden, findings), findings);
    if (!job) qFatal("%s", findings.back().message.c_str());
    return *job;
}

Bytes planned(const Traffic& t, const LedgerRole& role)
{
    Bytes out;
    for (const char* what : {"gradients", "weights.", "offload.gradients", "offload.sums", "offload.master_gradients", "offload.update", "offload.weights", "files.weights", "files.states", "files.gradients", "files.update"}) out[what] = t.bytesOf(what);
    for (const LedgerItem& item : role.items) {
        const double bytes = static_cast<double>(item.bytes);
        if (item.what == "weights" || item.what.starts_with("weights_host")) out["ledger weights"] += bytes;
        if (item.what == "frozen_weights") out["ledger frozen"] += bytes;
        if (item.where == Place::Nvme && (item.what == "weights" || item.what == "frozen_weights")) out[item.what == "weights" ? "ledger weights files" : "ledger frozen files"] += bytes;
        if (item.what == "gathered_weights" && item.phase == "all") out["ledger kept"] += bytes;
        if (item.what == "secondary_weights") out["ledger second"] += bytes;
        if (item.what == "master" || item.what == "optimizer_states" || item.what == "gradients_host" || item.what == "gradients_nvme") out["ledger " + item.what] += bytes;
        if (item.what == "master_device") out["ledger master"] += bytes;
        if (item.what == "optimizer_states_device") out["ledger optimizer_states"] += bytes;
    }
    return out;
}

double part(const StepForecast& f, const std::string& name)
{
    for (const auto& [what, seconds] : f.split)
        if (what == name) return seconds;
    return 0;
}

Job randomJob(std::mt19937& random)
{
    const auto pick = [&](auto... values) {
        const std::array all{values...};
        return all[random() % all.size()];
    };
    Job job;
    job.sparse = pick(false, true);
    job.adapters = pick(false, true);
    job.packed = job.adapters && pick(false, true);
    job.stage = pick(0, 1, 2, 3, 3, 3);
    job.nodes = pick(1, 2, 4);
    job.ep = job.sparse ? pick(1, 2, 4, 8) : 1;
    job.micro = pick(1, 2, 3);
    job.optimizerAway = pick("none", "none", "cpu", "nvme");
    job.sent = pick("", "", "fp32", "bf16");
    if (job.stage < 3) {
        if (job.optimizerAway == "nvme") job.optimizerAway = "cpu";
        return job;
    }
    job.ratio = pick(1.0, 1.0, 0.0, 0.3);
    job.weightsAway = pick("none", "none", "cpu", "nvme");
    job.inHost = pick(1e9, 1e9, 0.0, 4e5, 3e9);
    job.hpz = pick(1, 1, 2, 4, 8);
    job.mics = job.hpz == 1 ? pick(0, 0, 2, 4, 8) : 0;
    job.threshold = pick(0.0, 5e3, 1e5, 3e5, 1e6, 2e7, 6e7, 2e8, 1e12);
    // What may stay in all: the plan takes adapters, and the experts of a rank, by kinds and not one after the other.
    if (!job.adapters && !job.sparse) job.limit = pick(0.0, 0.0, 3e5, 7e6, 5e8, 3e9);
    return job;
}

}  // namespace

class TstParameterGroups : public QObject {
    Q_OBJECT
private slots:
    void bytesOfEveryTensor()
    {
        std::mt19937 random(20261122);
        int sharded = 0, kept = 0, second = 0;
        for (int i = 0; i < 600; ++i) {
            const Job job = randomJob(random);
            const TrainingCase c = caseOf(job.workspace());
            const Traffic t = trafficOf(c, *c.sheet);
            const LedgerRole role = frameworkLedger(c).front();
            const Bytes ours = planned(t, role);
            for (const auto& [what, bytes] : reference(job)) {
                const double here = ours.contains(what) ? ours.at(what) : 0;
                // Which of the small ones fit below the limit depends on their order; of a packed base what is in files is weighed by elements.
                const bool order = job.limit > 0 && job.stage == 3, weighed = job.packed && job.weightsAway == "nvme";
                const double slack = weighed ? 2e-2 : order ? 1e-2 : 1e-9;
                QVERIFY2(std::abs(here - bytes) <= 4 + slack * bytes, qPrintable(QString("%1: %2, by tensors %3\n%4").arg(QString::fromStdString(what)).arg(here, 0, 'f', 0).arg(bytes, 0, 'f', 0).arg(QString(job.name()))));
            }
            sharded += job.stage == 3;
            kept += ours.contains("ledger kept");
            second += ours.contains("ledger second");
            // The step waits for what the traffic lists.
            const StepForecast f = forecastStep(c, *c.sheet);
            const double shown = part(f, "communication_exposed.gradients") + part(f, "communication_exposed.weights"), listed = t.secondsOf("gradients") + t.secondsOf("weights.");
            QVERIFY2(std::abs(shown - listed) <= 1e-9 + 1e-9 * listed, qPrintable(QString("%1 s of %2 s\n%3").arg(shown).arg(listed).arg(QString(job.name()))));
            const double moved = t.secondsOf("offload.") + t.secondsOf("files.");
            QVERIFY2(std::abs(part(f, "offload") - moved) <= 1e-9 + 1e-9 * moved, job.name());
        }
        QVERIFY(sharded > 200 && kept > 100 && second > 60);
    }

    // Experts over more ranks, and a second copy over more: no rank has more of anything, and none sends more of its weights and gradients.
    void moreRanksHoldLess()
    {
        std::mt19937 random(7);
        for (int i = 0; i < 60; ++i) {
            Job job = randomJob(random);
            job.sparse = true;
            job.limit = 0;
            double states = 0, sent = 0, update = 0;
            for (const int ep : {1, 2, 4, 8}) {
                job.ep = ep;
                const TrainingCase c = caseOf(job.workspace());
                const LedgerRole role = frameworkLedger(c).front();
                const Traffic t = trafficOf(c, *c.sheet);
                double here = 0;
                for (const LedgerItem& item : role.items)
                    if (!item.what.starts_with("activations") && item.phase != "init") here += static_cast<double>(item.bytes);
                const double bytes = t.bytesOf("gradients") + t.bytesOf("weights."), optimizer = part(forecastStep(c, *c.sheet), "optimizer");
                if (ep > 1) {
                    QVERIFY2(here <= states * (1 + 1e-9) && bytes <= sent * (1 + 1e-9), qPrintable(QString("%1 of %2, %3 of %4\n%5").arg(here).arg(states).arg(bytes).arg(sent).arg(QString(job.name()))));
                    // All of a node's experts are updated there however they are divided.
                    if (job.stage > 0) QVERIFY2(std::abs(optimizer - update) <= 1e-9 * update || job.mics > 0, job.name());
                }
                states = here;
                sent = bytes;
                update = optimizer;
            }
            if (job.stage < 3) continue;
            job.mics = 0;
            double copy = 0;
            for (const int hpz : {2, 4, 8}) {
                job.hpz = hpz;
                const Bytes ours = planned({}, frameworkLedger(caseOf(job.workspace())).front());
                if (hpz > 2) QVERIFY2(ours.at("ledger second") <= copy, job.name());
                copy = ours.at("ledger second");
            }
        }
    }
};

QTEST_APPLESS_MAIN(TstParameterGroups)
#include "tst_parameter_groups.moc"
