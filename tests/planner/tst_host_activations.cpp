// SPDX-License-Identifier: GPL-3.0-or-later
// Activations that wait for their backward pass on the host: what the device is spared, what the host holds, and what the step waits.
#include "planner/host_activations.h"
#include "planner/traffic.h"

#include "llama_job.h"
#include "plan_documents.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json job(const char* framework, json arguments)
{
    json w = test::document("llama-3-8b", framework, 0, 1, 8, 1);
    w["framework"]["arguments"] = std::move(arguments);
    w["hardware"]["hostMemoryGiB"] = 2000;
    return w;
}

double activationsOf(const Plan& plan)
{
    double sum = 0;
    for (const char* what : {"activations.norm_inputs", "activations.norm_outputs", "activations.qkv", "activations.attention", "activations.mlp", "activations.residual", "activations.lse", "activations.mlp_gate", "activations.mlp_activated", "activations.mlp_up", "activations.mlp_product"}) sum += itemOf(plan, what);
    return sum;
}

double secondsOf(const Plan& plan, const char* part)
{
    for (const auto& [name, seconds] : plan.forecast->split)
        if (name == part) return seconds;
    return -1;
}

double sentFor(const json& w, const char* what)
{
    const auto traffic = planTraffic(workspaceOf(w));
    double sum = 0;
    for (const TrafficItem& item : traffic->items) sum += item.what == what ? item.bytes : 0;
    return sum;
}

}  // namespace

class TstHostActivations : public QObject {
    Q_OBJECT
private slots:
    // Of 32 layers n lie on the host: the device holds the others', and the host what those were.
    void theFirstLayersLieOnTheHost()
    {
        const Plan none = planOf(job("megatron", {{"bf16", true}})), some = planOf(job("megatron", {{"bf16", true}, {"cpu-offloading-num-layers", 5}}));
        QVERIFY2(none.ledger && some.ledger, planToJson(some)["findings"].dump().c_str());
        QVERIFY(!findingOf(some, "plan.arguments_unplanned") && !findingOf(some, "plan.arguments_unknown"));
        const double all = activationsOf(none);
        QVERIFY(near(activationsOf(some), all * 27 / 32) && near(itemOf(some, "activations.host"), all * 5 / 32));
        QVERIFY(near(static_cast<double>(none.ledger->front().peak.allocated - some.ledger->front().peak.allocated), all * 5 / 32));
        QVERIFY(near(static_cast<double>(some.ledger->front().hostBytes), all * 5 / 32));
        // Megatron's default, and Bridge's switches.
        for (const json& off : {json{{"bf16", true}, {"cpu-offloading-num-layers", 0}}, json{{"bf16", true}, {"cpu-offloading-num-layers", 5}, {"cpu-offloading", false}}, json{{"bf16", true}, {"cpu-offloading-num-layers", 5}, {"cpu-offloading-activations", false}}})
            QCOMPARE(activationsOf(planOf(job("megatron", off))), all);
        QVERIFY(findingOf(planOf(job("megatron", {{"bf16", true}, {"cpu-offloading", true}})), "plan.arguments_alone"));
    }

    // What torchtune, TRL and Axolotl send there is all that is saved: with recomputation the blocks' inputs, but for the last five tensors.
    void savedTensorsGoToTheHost_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("TRL's, Axolotl's and Unsloth's word") << "activation_offloading";
        QTest::newRow("torchtune's word") << "enable_activation_offloading";
    }
    void savedTensorsGoToTheHost()
    {
        QFETCH(QString, name);
        const std::string word = name.toStdString();
        const Plan full = planOf(job("fsdp2", {{"ac", "full"}})), away = planOf(job("fsdp2", {{"ac", "full"}, {word, true}}));
        QVERIFY(near(itemOf(away, "activations.checkpoints"), itemOf(full, "activations.checkpoints") * 5 / 32));
        QVERIFY(near(itemOf(away, "activations.host"), itemOf(full, "activations.checkpoints")));
        const Plan none = planOf(job("fsdp2", {{"ac", "none"}})), kept = planOf(job("fsdp2", {{"ac", "none"}, {word, true}}));
        QVERIFY(near(activationsOf(kept), activationsOf(none) / 32) && near(itemOf(kept, "activations.host"), activationsOf(none)));
        QVERIFY(kept.ledger->front().peak.allocated < none.ledger->front().peak.allocated);
        QVERIFY(!findingOf(kept, "plan.arguments_unknown"));
        QVERIFY(!planOf(job("fsdp2", {{"ac", "none"}, {"activation_offloading", "disk"}})).ledger);
    }

    // A few layers have the whole pass to travel in; nearly all of them take longer than the pass.
    void theStepWaitsForWhatComputingDoesNotHide()
    {
        const auto step = [](int layers) { return planOf(job("megatron", {{"bf16", true}, {"cpu-offloading-num-layers", layers}})); };
        const Plan none = step(0), few = step(2), most = step(31);
        QCOMPARE(secondsOf(few, "offload"), 0.0);
        QCOMPARE(few.forecast->stepTime, none.forecast->stepTime);
        const double waited = secondsOf(most, "offload");
        QVERIFY(waited > 0 && near(most.forecast->stepTime, none.forecast->stepTime + waited));
        // 55 GB/s of PCIe 5 as reached at most, both ways: never more than the transfers alone.
        QVERIFY(waited < 2 * itemOf(most, "activations.host") / 40e9);
        QVERIFY(near(sentFor(job("megatron", {{"bf16", true}, {"cpu-offloading-num-layers", 31}}), "offload.activations"), 2 * itemOf(most, "activations.host")));
    }

    // By hand: L = 10 layers of 1 s; a layer's transfer takes x.
    void waitsByHand_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<double>("transfer");
        QTest::addColumn<double>("waits");
        QTest::newRow("hidden") << 3 << 2.0 << 0.0;
        QTest::newRow("each must be gone before the next layer begins, and comes back when its own does") << 9 << 1.0 << 18.0;
        QTest::newRow("longer than the pass: eight transfers of 2 s in eight layers' time") << 8 << 2.0 << 8.0;
        QTest::newRow("one transfer longer than the eight layers that it has") << 1 << 9.0 << 1.0;
    }
    void waitsByHand()
    {
        QFETCH(int, layers);
        QFETCH(double, transfer);
        QFETCH(double, waits);
        TrainingCase c = llama70B(Framework::Megatron, "H100-SXM-80GB");
        c.hostLayers = layers;
        const double rate = hostActivations(c, 10).bytes / layers / transfer;
        QVERIFY(std::abs(waitForHost(c, 10, rate, 1, 1000) - waits) < 1e-9);
    }
};

QTEST_APPLESS_MAIN(TstHostActivations)
#include "tst_host_activations.moc"
