// SPDX-License-Identifier: GPL-3.0-or-later
// What a step moves: the volumes of the papers, and the same transfers that the forecast of time charges.
#include "planner/ds_settings.h"
#include "planner/gradient_exchange.h"
#include "planner/redundancy.h"
#include "planner/step_time.h"
#include "planner/traffic.h"
#include "planner/workspace_model.h"
#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json counted(double params, int devices, int stage, int accumulation)
{
    json w = document("gpt2", "deepspeed", stage, 1, devices, accumulation);
    w["model"] = {{"params", params}};
    return w;
}

TrainingCase caseOf(const json& w)
{
    const Workspace workspace = workspaceOf(w);
    std::vector<PlanFinding> findings;
    const CountedModel model = countWorkspaceModel(workspace, findings);
    const DsSettings settings = readDsSettings(workspace, model.shape->hidden, findings);
    return readTrainingCase(workspace, model.shape, settings, findings).value();
}

double part(const StepForecast& f, const std::string& name)
{
    for (const auto& [what, seconds] : f.split)
        if (what == name) return seconds;
    return -1;
}

}  // namespace

class TstTraffic : public QObject {
    Q_OBJECT
private slots:
    void volumeOfTheStages_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<double>("volume");  // in Φ elements
        for (const int m : {1, 4}) {
            QTest::addRow("stage 0, %d micro-batches", m) << 0 << m << 2.0;
            QTest::addRow("stage 1, %d micro-batches", m) << 1 << m << 2.0;
            QTest::addRow("stage 2, %d micro-batches", m) << 2 << m << m + 1.0;
            QTest::addRow("stage 3, %d micro-batches", m) << 3 << m << 3.0 * m;
        }
    }
    // Rajbhandari et al. 2020, section 7; DeepSpeed's stage 2 reduces after every micro-batch.
    void volumeOfTheStages()
    {
        QFETCH(int, stage);
        QFETCH(int, accumulation);
        QFETCH(double, volume);
        const Traffic t = planTraffic(workspaceOf(counted(7e9, 4, stage, accumulation))).value();
        QVERIFY(t.statesOnly);
        QVERIFY(near(t.replicaElements, volume * 7e9));
        QVERIFY(near(t.relativeVolume, volume / 2));
        QVERIFY(near(t.bytesOf(""), volume * 7e9 * 2 * 3 / 4));
        QVERIFY(near(t.clusterBytes, 4 * t.bytesOf("")));
        // The same of a model whose layers are known.
        const Traffic known = planTraffic(workspaceOf(document("llama-2-7b", "deepspeed", stage, 1, 4, accumulation))).value();
        QVERIFY(!known.statesOnly);
        QVERIFY(near(known.replicaElements, volume * 6'738'415'616.0, 1e-4));
        double sum = 0;
        for (const TrafficLink& link : known.links) sum += link.bytes;
        QVERIFY(near(sum, known.bytesOf("")));
    }

    void linksByPlace()
    {
        const auto linkOf = [](int nodes, int devices) { return planTraffic(workspaceOf(document("llama-2-7b", "deepspeed", 2, nodes, devices, 1)))->links.front().link; };
        QCOMPARE(linkOf(1, 8), std::string("NVLink 4"));
        QCOMPARE(linkOf(2, 8), std::string("network"));
        QVERIFY(planTraffic(workspaceOf(document("llama-2-7b", "deepspeed", 2, 1, 1, 1)))->items.empty());
        // A faster network takes less time for the same bytes.
        const json slow = with(document("llama-2-7b", "deepspeed", 2, 2, 8, 1), "/framework/arguments", {{"network_gb_per_s", 5}}), fast = with(slow, "/framework/arguments/network_gb_per_s", 50);
        QCOMPARE(planTraffic(workspaceOf(slow))->bytesOf(""), planTraffic(workspaceOf(fast))->bytesOf(""));
        QVERIFY(planTraffic(workspaceOf(slow))->secondsOf("") > 2 * planTraffic(workspaceOf(fast))->secondsOf(""));
    }

    // Cards that cannot copy to each other reach what their sheet says, over PCIe with others of their kind; what is offloaded goes at PCIe's own rate.
    void cardsWithoutALink()
    {
        const auto pcie = [](const char* device, int devices, const json& offload = nullptr) {
            json w = with(with(document("llama-3.2-1b", "deepspeed", 2, 1, devices, 1), "/hardware/device", device), "/hardware/hostMemoryGiB", 512);
            if (!offload.is_null()) w["dsConfig"]["zero_optimization"]["offload_optimizer"] = offload;
            const Traffic t = planTraffic(workspaceOf(w)).value();
            const auto link = std::find_if(t.links.begin(), t.links.end(), [](const TrafficLink& each) { return each.link == "PCIe"; });
            return link == t.links.end() ? TrafficLink() : *link;
        };
        for (const auto& [device, rate] : {std::pair{"RTX-4090", 17.5e9}, {"RTX-3090", 17.5e9}, {"RTX-5090", 28e9}, {"RTX-2080Ti", 8.75e9}, {"L40S", 24e9}}) {
            QVERIFY2(near(pcie(device, 8).bytesPerSecond, rate), device);
            QVERIFY2(near(pcie(device, 8).bytes / pcie(device, 8).seconds, rate, 0.05), device);   // hops apart
        }
        QCOMPARE(pcie("RTX-3090", 2).bytes, 0.0);   // over their bridge
        QVERIFY(near(pcie("RTX-4090", 1, {{"device", "cpu"}}).bytesPerSecond, 0.8 * 32e9));
        const TrafficLink both = pcie("RTX-4090", 8, {{"device", "cpu"}});
        QVERIFY(both.bytesPerSecond > 17e9 && both.bytesPerSecond < 0.8 * 32e9);
    }

    void tensorParallelPasses()
    {
        const json w = with(with(document("llama-2-7b", "deepspeed", 1, 1, 4, 3), "/layout", {{"tp", 4}, {"dp", 1}}), "/model/seq", 512);
        const Traffic none = planTraffic(workspaceOf(w)).value(), full = planTraffic(workspaceOf(with(w, "/layout/recompute", "full"))).value();
        // Three micro-batches, 32 layers, 4 all-reduces of 512 x 4096 bf16 elements.
        const double expected = 3.0 * 32 * 4 * 2 * 3 / 4 * 512 * 4096 * 2;
        QVERIFY(near(none.bytesOf("tensor."), expected));
        QVERIFY(near(full.bytesOf("tensor."), 1.5 * expected));
        QCOMPARE(none.tensor->training, 4.0);
        QVERIFY(near(none.tensor->bytes, expected));
        for (const TrafficItem& item : none.items) QVERIFY2(!item.what.starts_with("tensor.") || item.perLayer == 2, item.what.c_str());
    }

    void offloadByWay()
    {
        json w = counted(7e9, 4, 3, 2);
        w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "nvme"}};
        w["dsConfig"]["zero_optimization"]["offload_param"] = {{"device", "cpu"}};
        const Traffic t = planTraffic(workspaceOf(w)).value();
        const double share = 7e9 / 4;
        QVERIFY(near(t.bytesOf("offload.weights"), 2 * 2 * 2 * share));
        // 16-bit gradients of both micro-batches go down and come up again, and their sum goes down in fp32.
        QVERIFY(near(t.bytesOf("offload.gradients"), 2 * 2 * share));
        QVERIFY(near(t.bytesOf("offload.sums"), 2 * 2 * share));
        QVERIFY(near(t.bytesOf("offload.master_gradients"), 4 * share));
        QCOMPARE(t.bytesOf("offload.update"), 0.0);  // weights are updated where they lie
        QVERIFY(near(t.bytesOf("files.states"), 24 * share));
        QVERIFY(near(t.bytesOf("files.gradients"), 8 * share));
        QVERIFY(near(t.bytesOver("files"), 32 * share));
        for (const TrafficItem& item : t.items) QVERIFY2(item.seconds > 0 && (item.what != "offload.weights" || near(item.perMicroBatch, 2 * 2 * share)), item.what.c_str());
    }

    void zeroPlusPlus_data()
    {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<double>("out");     // of a node, in Φ elements of 16 bits, without the rings' (N - 1) / N
        QTest::addColumn<double>("near");    // what only the links of a node carry, in bytes of Φ
        const double ring = 15.0 / 16, inside = 7.0 / 8, half = 1.0 / 2;
        QTest::newRow("plain stage 3: all three over the network") << QString("{}") << 3 * 2 * ring << 0.0;
        QTest::newRow("qwZ: gathers in 8 bits") << QString(R"({"zero_quantized_weights": true})") << 2 * ring + 2 * 1 * ring << 0.0;
        QTest::newRow("hpZ: gathered again inside the node") << QString(R"({"zero_hpz_partition_size": 8})") << 2 * 2 * ring << 2 * inside;
        QTest::newRow("qgZ: gradients in 4 bits, in two steps") << QString(R"({"zero_quantized_gradients": true})") << 2 * 2 * ring + half * half << half * inside;
        QTest::newRow("all of ZeRO++") << QString(R"({"zero_quantized_weights": true, "zero_hpz_partition_size": 8, "zero_quantized_gradients": true})") << ring + half * half << inside + half * inside;
        QTest::newRow("MiCS: shards inside a node, their gradients between nodes") << QString(R"({"mics_shard_size": 8})") << 2 * half * 2 << 3 * 2 * inside;
        QTest::newRow("MiCS of all ranks is plain") << QString(R"({"mics_shard_size": 16})") << 3 * 2 * ring << 0.0;
        QTest::newRow("hpZ that does not divide the ranks") << QString(R"({"zero_hpz_partition_size": 5})") << 3 * 2 * ring << 0.0;
    }
    // Wang et al. 2023, table 1 (3 M, 0.75 M with everything on, between many nodes), as deepspeed/runtime/zero runs it.
    void zeroPlusPlus()
    {
        QFETCH(QString, keys);
        QFETCH(double, out);
        QFETCH(double, near);
        const auto of = [&](int accumulation, int stage) {
            json w = counted(7e9, 8, stage, accumulation);
            w["hardware"]["nodes"] = 2;
            w["layout"] = {{"dp", 16}};
            w["dsConfig"]["zero_optimization"].update(json::parse(keys.toStdString()));
            return planTraffic(workspaceOf(w)).value();
        };
        const Traffic t = of(1, 3);
        QVERIFY2(stagecraft::test::near(t.nodeBytes, out * 7e9), qPrintable(QString::number(t.nodeBytes / 7e9)));
        QVERIFY2(std::abs(t.bytesOver("NVLink 4") - near * 7e9) < 1, qPrintable(QString::number(t.bytesOver("NVLink 4") / 7e9)));
        // With accumulation hpZ's second copy lasts until the update, and MiCS sums its replicas once.
        const Traffic four = of(4, 3);
        if (keys.contains("hpz") && near > 0) QVERIFY(stagecraft::test::near(four.bytesOf("weights.gather_near"), 7 * t.bytesOf("weights.gather_near")) && stagecraft::test::near(four.bytesOf("weights.gather") - four.bytesOf("weights.gather_near"), t.bytesOf("weights.gather") - t.bytesOf("weights.gather_near")));
        if (keys.contains("mics") && near > 0) QCOMPARE(four.bytesOf("gradients.replicas"), t.bytesOf("gradients.replicas"));
        QVERIFY(of(1, 2).bytesOf("weights.gather_near") == 0 && stagecraft::test::near(of(1, 2).bytesOf(""), 2 * 2 * 15.0 / 16 * 7e9));
    }

    // The same of a whole model: its step takes less time for less traffic, and MiCS keeps more of everything on each rank.
    void zeroPlusPlusIsCharged()
    {
        double plain = 0;
        for (const char* keys : {"{}", R"({"zero_quantized_weights": true})", R"({"zero_hpz_partition_size": 8})", R"({"zero_quantized_gradients": true})", R"({"mics_shard_size": 8})"}) {
            json w = document("llama-2-7b", "deepspeed", 3, 4, 8, 3);
            w["layout"] = {{"dp", 32}};
            w["dsConfig"]["zero_optimization"]["overlap_comm"] = false;
            const double whole = itemOf(planOf(w), "optimizer_states");
            w["dsConfig"]["zero_optimization"].update(json::parse(keys));
            const TrainingCase c = caseOf(w);
            const StepForecast f = forecastStep(c, *c.sheet);
            const Traffic t = trafficOf(c, *c.sheet);
            const double listed = t.secondsOf("gradients") + t.secondsOf("weights"), shown = part(f, "communication_exposed.gradients") + part(f, "communication_exposed.weights");
            QVERIFY2(shown > 0.3 * listed && shown <= 1.05 * listed, qPrintable(QString("%1: %2 of %3").arg(keys).arg(shown).arg(listed)));
            if (plain == 0) plain = f.stepTime;
            else QVERIFY2(f.stepTime < plain, keys);
            QVERIFY(near(itemOf(planOf(w), "optimizer_states"), whole * (std::string(keys).find("mics") == std::string::npos ? 1 : 4), 1e-6));
        }
        // Our own engine has neither: nothing changes.
        json ours = document("gpt2", "stagecraft", 3, 1, 8, 1);
        ours["layout"] = {{"dp", 8}};
        const double before = planOf(ours).forecast->stepTime;
        ours["dsConfig"]["zero_optimization"].update({{"zero_quantized_weights", true}, {"zero_hpz_partition_size", 2}});
        QCOMPARE(planOf(ours).forecast->stepTime, before);
    }

    // Bytes and seconds are those that the forecast charges, whatever the layout.
    void chargedByTheForecast()
    {
        int compared = 0;
        for (const char* framework : {"deepspeed", "megatron", "fsdp2"})
            for (const char* preset : {"llama-2-7b", "gpt2-large", "mixtral-8x7b"})
                for (const int stage : {0, 1, 2, 3})
                    for (const int nodes : {1, 4})
                        for (const int tp : {1, 2})
                            for (const char* recompute : {"none", "full"})
                                for (const char* away : {"none", "cpu", "nvme"}) {
                                    json w = with(document(preset, framework, stage, nodes, 8, 3), "/layout", {{"tp", tp}, {"dp", 8 * nodes / tp}, {"recompute", recompute}});
                                    if (std::string(preset).starts_with("mixtral")) w["layout"]["ep"] = 4;
                                    if (std::string(away) != "none") w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", away}};
                                    if (stage == 3) w["dsConfig"]["zero_optimization"]["overlap_comm"] = false;
                                    TrainingCase c = caseOf(w);
                                    c.cudaGraphs = c.framework == Framework::Megatron;   // nothing is exchanged while the device waits for its host
                                    const StepForecast f = forecastStep(c, *c.sheet);
                                    const Traffic t = trafficOf(c, *c.sheet);
                                    const QByteArray name = QString("%1 %2 stage %3, %4 nodes, tp %5, %6, %7").arg(framework, preset).arg(stage).arg(nodes).arg(tp).arg(recompute, away).toUtf8();
                                    const auto agrees = [](double charged, double listed) { return std::abs(charged - listed) <= 1e-9 + 1e-6 * listed; };
                                    QVERIFY2(agrees(part(f, "offload"), t.secondsOf("offload.") + t.secondsOf("files.")), name);
                                    if (c.framework != Framework::Fsdp2) QVERIFY2(agrees(part(f, "communication_exposed.tensor"), t.secondsOf("tensor.")), name);
                                    QVERIFY2(agrees(part(f, "communication_exposed.experts"), t.secondsOf("experts.")), name);
                                    const double shown = part(f, "communication_exposed.gradients") + part(f, "communication_exposed.weights");
                                    const double listed = t.secondsOf("gradients") + t.secondsOf("weights");
                                    // DeepSpeed waits for all of whole gradients, the others hide some.
                                    if (c.framework == Framework::DeepSpeed && stage <= 2) QVERIFY2(agrees(shown, listed), name);
                                    else QVERIFY2(shown <= 1.001 * listed + 1e-6, qPrintable(QString("%1: %2 of %3").arg(QString(name)).arg(shown).arg(listed)));
                                    ++compared;
                                }
        QCOMPARE(compared, 3 * 3 * 4 * 2 * 2 * 2 * 3);
    }

    // Our own engine: from the program it runs.
    void engineAsCompiled()
    {
        for (const int stage : {0, 1, 2, 3})
            for (const int m : {1, 2, 7}) {
                json w = {{"stagecraft", 1}, {"model", {{"family", "llama"}, {"hidden", 64}, {"layers", 3}, {"heads", 4}, {"ffn", 128}, {"vocab", 300}, {"seq", 32}}}, {"hardware", {{"devicesPerNode", 4}, {"device", "cpu"}}},
                          {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", m}, {"zero_optimization", {{"stage", stage}}}}}};
                const Workspace workspace = workspaceOf(w);
                std::vector<PlanFinding> findings;
                const auto job = engineJobOf(workspace, readDsSettings(workspace, 64, findings)).value();
                const EngineWork work = engineWorkOf(job).value();
                const Traffic t = planTraffic(workspace).value();
                QVERIFY(work.sentBytes() > 0);
                QVERIFY(near(t.bytesOf(""), work.sentBytes(), 1e-9));
                QVERIFY(near(t.bytesOf("gradients"), work.gradientBytes, 1e-9));
            }
    }

    void copiesInTheCluster()
    {
        const Redundancy r = redundancyOf(workspaceOf(counted(7e9, 4, 3, 1))).value();
        QVERIFY(near(r.plain.perRank, 112e9) && near(r.plain.cluster, 448e9) && near(r.plain.duplicate(), 336e9));
        QVERIFY(near(r.plainAsTold.perRank, 56e9) && near(r.plainAsTold.cluster, 224e9));
        QVERIFY(near(r.plan.cluster, 112e9) && std::abs(r.plan.duplicate()) < 10);
        const Redundancy two = redundancyOf(workspaceOf(counted(7e9, 4, 2, 1))).value();
        // hpZ's second copy and MiCS's groups are duplicates.
        const auto with3 = [](const char* key, int value) {
            json w = counted(7e9, 8, 3, 1);
            w["dsConfig"]["zero_optimization"][key] = value;
            return redundancyOf(workspaceOf(w)).value().plan;
        };
        QVERIFY(near(with3("zero_hpz_partition_size", 4).duplicate(), 8 * 14e9 / 4));
        QVERIFY(near(with3("mics_shard_size", 4).duplicate(), 112e9));
        // Whatever lies in files counts, and none of the buffers it passes through: 16-bit weights and 16 B in fp32.
        json away = counted(7e9, 4, 3, 1);
        for (const char* part : {"offload_optimizer", "offload_param"}) away["dsConfig"]["zero_optimization"][part] = {{"device", "nvme"}, {"nvme_path", "/n"}};
        QVERIFY(near(redundancyOf(workspaceOf(away)).value().plan.perRank, 18 * 7e9 / 4));
        QVERIFY(near(two.plan.perRank, 38.5e9) && near(two.plan.duplicate(), 3 * 14e9));
        QVERIFY(near(two.planAsTold.perRank, 24.5e9) && near(two.planAsTold.duplicate(), 3 * 14e9));
        QVERIFY(near(r.planAsTold.perRank, 14e9) && std::abs(r.planAsTold.duplicate()) < 10);
    }

    void links_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<double>("rate");
        QTest::newRow("an id") << QString("infiniband-ndr") << 50e9;
        QTest::newRow("a name, whatever its case") << QString("pcie 5.0 X16") << 64e9;
        QTest::newRow("ports") << QString("8x200Gbps") << 200e9;
        QTest::newRow("bytes") << QString("50 GB/s") << 50e9;
        QTest::newRow("terabits") << QString("3.2Tbps") << 400e9;
        QTest::newRow("no unit") << QString("50") << 0.0;
        QTest::newRow("nothing") << QString("") << 0.0;
        QTest::newRow("negative") << QString("-5GB/s") << 0.0;
        QTest::newRow("no ports") << QString("0x200Gbps") << 0.0;
        QTest::newRow("not a number") << QString("nanGB/s") << 0.0;
        QTest::newRow("endless") << QString("1e300x1e300Gbps") << 0.0;
    }
    void links()
    {
        QFETCH(QString, word);
        QFETCH(double, rate);
        const auto link = findLink(word.toStdString());
        QCOMPARE(link.hasValue(), rate > 0);
        if (rate > 0) QVERIFY(near(link->bytesPerSecond, rate));
        else QVERIFY(link.error().message.find("dgx-a100") != std::string::npos);
    }

    // Experts are exchanged among the ranks that hold the same ones, and their share of the states is that of the ledger: dividing them
    // over more ranks sends less, and neither offloads nor updates less on a node.
    void expertsHaveReplicasOfTheirOwn()
    {
        using namespace stagecraft::test;
        json w = test::document("mixtral-8x7b", "deepspeed", 1, 1, 8, 1);
        w["hardware"]["device"] = "H200-SXM-141GB";
        const double all = static_cast<double>(*planOf(w).params), experts = 32.0 * 8 * 3 * 4096 * 14336, dense = all - experts;
        for (const int stage : {1, 2, 3}) {
            for (const int ep : {1, 2, 8}) {
                json at = w;
                at["layout"] = {{"dp", 8}, {"ep", ep}};
                at["dsConfig"]["zero_optimization"]["stage"] = stage;
                const Traffic t = *planTraffic(workspaceOf(at));
                // (N - 1) / N of each buffer, among N / ep ranks for the experts that a rank has.
                const double ring = 2 * (7.0 / 8 * dense + (8.0 / ep - 1) / (8.0 / ep) * experts / ep);
                QVERIFY2(near(t.bytesOf("gradients"), ring, 1e-3), qPrintable(QString("stage %1, ep %2: %3 of %4").arg(stage).arg(ep).arg(t.bytesOf("gradients")).arg(ring)));
                QVERIFY(near(t.bytesOf("weights."), (stage == 3 ? 2 : 1) * ring, 1e-3));
            }
        }
        for (const char* device : {"cpu", "nvme"}) {
            w["dsConfig"]["zero_optimization"] = {{"stage", 3}, {"offload_optimizer", {{"device", device}}}, {"offload_param", {{"device", device}}}};
            const auto at = [&](int ep) {
                json changed = w;
                changed["layout"] = {{"dp", 8}, {"ep", ep}};
                return changed;
            };
            const Traffic one = *planTraffic(workspaceOf(at(1))), eight = *planTraffic(workspaceOf(at(8)));
            for (const char* what : {"offload.gradients", "offload.weights", "files."}) QVERIFY2(near(eight.bytesOf(what), one.bytesOf(what), 1e-3), what);
            const auto part = [](const Plan& plan, const char* name) {
                for (const auto& [key, value] : plan.forecast->split)
                    if (key == name) return value;
                return -1.0;
            };
            for (const char* name : {"optimizer", "offload"}) QVERIFY2(near(part(planOf(at(8)), name), part(planOf(at(1)), name), 1e-3), name);
        }
    }

    // What is written of the gradients' type is sent, and takes a buffer of its own.
    void gradientsTravelInTheTypeThatIsWritten()
    {
        using namespace stagecraft::test;
        for (const int stage : {0, 1, 2, 3}) {
            const json w = test::document("llama-3-8b", "deepspeed", stage, 2, 8, 2), wide = with(w, "/dsConfig/communication_data_type", "fp32");
            const Plan plain = planOf(w), sent = planOf(wide);
            QVERIFY(near(planTraffic(workspaceOf(wide))->bytesOf("gradients"), 2 * planTraffic(workspaceOf(w))->bytesOf("gradients")));
            QVERIFY(sent.forecast->stepTime > plain.forecast->stepTime);
            QVERIFY(itemOf(sent, "buckets_sent") > 0 && itemOf(plain, "buckets_sent") == 0);
            QCOMPARE(planOf(with(w, "/dsConfig/communication_data_type", "bf16")).forecast->stepTime, plain.forecast->stepTime);
        }
    }

    // Bytes over the rate that is reached are the seconds, whatever ports and latency make of the link's own rate.
    void jsonRatesGiveTheSeconds()
    {
        for (const auto& [stage, nodes] : {std::pair{1, 1}, {3, 4}, {0, 512}}) {
            const json traffic = trafficToJson(*planTraffic(test::workspaceOf(test::document("llama-3-8b", "deepspeed", stage, nodes, 8, 2))));
            for (const char* list : {"links", "items"}) {
                QVERIFY(!traffic[list].empty());
                for (const json& one : traffic[list]) {
                    if (one["seconds"].is_null()) continue;
                    QVERIFY(test::near(one["bytes"].get<double>() / one["bytesPerSecondReached"].get<double>(), one["seconds"]));
                }
            }
        }
    }

    // Rings over many ranks: the plan names the latency where it is much of the step.
    void latencyIsNamed()
    {
        const auto planOn = [](int stage, int nodes) { return test::planOf(test::document("llama-3-8b", "deepspeed", stage, nodes, 8, 2)); };
        const Plan wide = planOn(3, 4096);
        const PlanFinding* told = test::findingOf(wide, "plan.latency");
        QVERIFY(told && told->args.at(1) == "32768" && std::stod(told->args.at(0)) > 50);
        QVERIFY(!test::findingOf(planOn(3, 4), "plan.latency") && !test::findingOf(planOn(1, 4), "plan.latency"));
    }
};

QTEST_APPLESS_MAIN(TstTraffic)
#include "tst_traffic.moc"
