// SPDX-License-Identifier: GPL-3.0-or-later
// What FSDP keeps and spends by version, release, device and optimizer, and what of a step is never there together.
#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json document(const char* preset, int devices, const json& arguments)
{
    json w = test::document(preset, "fsdp2", 0, 1, devices, 1);
    w["framework"]["arguments"] = arguments;
    return w;
}

double bytesIn(const Plan& plan, const std::string& what, const std::string& phase)
{
    double sum = 0;
    for (const LedgerItem& item : plan.ledger->front().items)
        if (item.what == what && ("|" + item.phase + "|").find("|" + phase + "|") != std::string::npos) sum += static_cast<double>(item.bytes);
    return sum;
}

double allocatedIn(const Plan& plan, const std::string& phase)
{
    for (const LedgerPeak& peak : plan.ledger->front().phases)
        if (peak.phase == phase) return static_cast<double>(peak.allocated);
    return 0;
}

json adapted(const json& adapter, const char* framework)
{
    json w = test::document("mixtral-8x7b", framework, 2, 1, 8, 1);
    w["model"]["adapter"] = adapter;
    return w;
}

}  // namespace

class TstFsdpRules : public QObject {
    Q_OBJECT
private slots:
    // A block's activations are freed when its gradients are made: the backward pass holds all of the larger and one block of the smaller.
    void gradientsTakeThePlaceOfActivations_data()
    {
        QTest::addColumn<int>("batch");
        QTest::newRow("fewer activations than gradients") << 1;
        QTest::newRow("about as many") << 24;
        QTest::newRow("more") << 96;
    }
    void gradientsTakeThePlaceOfActivations()
    {
        QFETCH(int, batch);
        const Plan plan = planOf(document("mistral-7b", 2, {{"seq", 4096}, {"local_batch", batch}, {"ac", "full"}, {"dtype", "bfloat16"}}));
        const double layers = 32, block = 218'112'000, kept = layers * 4096 * 4096.0 * batch * 2, whole = bytesIn(plan, "gradients", "step");
        const double together = std::min(kept, 2 * layers * block / 2) * (layers - 1) / layers;
        QVERIFY(near(bytesIn(plan, "gradients", "backward"), whole - together));
        QCOMPARE(bytesIn(plan, "gradients", "forward"), 0.0);
    }

    // Flat units of frozen parameters hang hooks on what their blocks take, which hold the gradients of all of them until the backward pass is over.
    void hooksOfFrozenUnitsHoldGradients()
    {
        const auto held = [](int version, bool adapter, const char* ac) {
            json w = document("mistral-7b", 2, {{"model_code", "transformers"}, {"fsdp_version", version}, {"seq", 4096}, {"local_batch", 2}, {"ac", ac}, {"dtype", "bfloat16"}});
            if (adapter) w["model"]["adapter"] = {{"rank", 16}, {"targets", json::array({"q_proj", "v_proj"})}};
            return bytesIn(planOf(w), "activations.gradients_held", "backward");
        };
        QCOMPARE(held(1, true, "full"), 31 * 2 * 4096.0 * 2 * 4096);
        QCOMPARE(held(2, true, "full"), 0.0);
        QCOMPARE(held(1, false, "full"), 0.0);
        QCOMPARE(held(1, true, "none"), 0.0);
    }

    // Gradients of several micro-batches add up: they are there from the second one on.
    void gradientsThatAddUpStay()
    {
        json w = document("mistral-7b", 2, {{"seq", 4096}, {"local_batch", 1}, {"ac", "full"}});
        const double once = bytesIn(planOf(w), "gradients", "step");
        w["framework"]["arguments"]["global_batch"] = 8;
        const Plan plan = planOf(w);
        for (const char* phase : {"forward", "backward", "step"}) QCOMPARE(bytesIn(plan, "gradients", phase), once);
    }

    // IBM's fms-acceleration, full training of Mistral 7B in 16 bits on one A100: 67.96 GiB allocated with batches of four and of eight.
    void measuredPeaksDoNotGrowWithTheBatch()
    {
        json w = document("mistral-7b", 1, {{"fsdp", 1}, {"seq", 4096}, {"local_batch", 4}, {"ac", "full"}, {"dtype", "bfloat16"}, {"optim", "adamw_torch"}, {"expandable_segments", false}});
        w["hardware"]["device"] = "A100-SXM-80GB";
        const double gib = 1073741824.0;
        for (int batch : {4, 8}) {
            w["framework"]["arguments"]["local_batch"] = batch;
            QVERIFY(near(static_cast<double>(planOf(w).ledger->front().peak.allocated), 67.96 * gib, 0.01));
        }
    }

    // The Trainer's "adamw_torch" is torch.optim.AdamW, whose kernels take lists of tensors; the fused one makes nothing beside them.
    void theTrainersWordsForOptimizers()
    {
        const auto scratch = [](const char* name, const char* word) { return itemOf(planOf(document("llama-3-8b", 8, {{"seq", 4096}, {name, word}})), "optimizer_scratch"); };
        QVERIFY(scratch("optim", "adamw_torch") > 0);
        QCOMPARE(scratch("optim", "adamw_torch"), scratch("optimizer", "adamw_foreach"));
        QCOMPARE(scratch("optim", "adamw_torch_fused"), 0.0);
    }

    // What is said of the release stands above what the options of later ones would tell.
    void aReleaseThatIsSaidStands()
    {
        const auto loss = [](const json& more) {
            json arguments{{"seq", 8192}, {"compile", true}, {"float8", true}, {"float8_recipe", "rowwise"}};
            arguments.update(more);
            return itemOf(planOf(document("llama-3-8b", 8, arguments)), "loss");
        };
        QCOMPARE(loss(json::object()), 0.0);
        QVERIFY(loss({{"release", "2025-02"}}) > 0);
        QCOMPARE(loss({{"release", "2025-06"}}), 0.0);
        QCOMPARE(loss({{"release", "2025-02"}, {"compile_loss", true}}), 0.0);
    }

    // PyTorch for ROCm has no segments that grow.
    void segmentsGrowOnNvidiaAlone()
    {
        const auto fragmentation = [](const char* device, const json& more = json::object()) {
            json arguments{{"seq", 4096}};
            arguments.update(more);
            return itemOf(planOf(with(document("llama-3-8b", 8, arguments), "/hardware/device", device)), "allocator.fragmentation");
        };
        QCOMPARE(fragmentation("H100-SXM-80GB"), 0.0);
        QVERIFY(fragmentation("MI300X") > 0);
        QVERIFY(fragmentation("H100-SXM-80GB", {{"expandable_segments", false}}) > 0);
        QCOMPARE(fragmentation("MI300X", {{"expandable_segments", true}}), 0.0);
    }

    // Of FSDP's first version each matrix of an adapter is a unit: Python gathers, frees and reduces each for itself.
    void adaptersOfTheFirstVersionAreUnits()
    {
        json w = document("mistral-7b", 2, {{"seq", 4096}, {"local_batch", 2}, {"ac", "full"}, {"dtype", "bfloat16"}, {"model_code", "transformers"}, {"fsdp_version", 1}});
        w["model"]["adapter"] = {{"rank", 16}, {"targets", "attention"}};
        const double units = planOf(w).forecast->stepTime;
        w["framework"]["arguments"].erase("fsdp_version");
        const double layers = planOf(with(w, "/framework/arguments/release", "2024-03")).forecast->stepTime;   // the same without PEFT's policy
        QVERIFY(near(units - layers, 32 * 4 * 2 * (1.1e-3 + 0.9e-3), 0.05));
        QVERIFY(findingOf(planOf(with(w, "/framework/arguments/fsdp_version", 3)), "plan.argument.fsdp_version"));
    }

    // Where Accelerate or the Trainer starts it, it is Transformers' code that is sharded, with its own word for attention.
    void transformersOwnCodeIsShardedWhereItIsTrained()
    {
        const auto plan = [](const json& more) {
            json arguments{{"seq", 2048}, {"local_batch", 1}, {"ac", "none"}};
            arguments.update(more);
            return planOf(document("llama-3-8b", 8, arguments));
        };
        const Plan titan = plan(json::object()), named = plan({{"model_code", "transformers"}});
        QVERIFY(itemOf(titan, "activations.scores") == 0.0 && itemOf(named, "activations.scores") == 0.0);
        QVERIFY(named.ledger->front().peak.allocated != titan.ledger->front().peak.allocated);
        for (const json& trainer : {json{{"attn_implementation", "sdpa"}}, json{{"optim", "adamw_torch_fused"}}, json{{"fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP"}}})
            QCOMPARE(plan(trainer).ledger->front().peak.allocated, named.ledger->front().peak.allocated);
        QCOMPARE(plan({{"fsdp_version", 2}}).ledger->front().peak.allocated, titan.ledger->front().peak.allocated);   // others speak of versions, too
        QVERIFY(findingOf(plan({{"model_code", "transformers"}, {"ac", "selective op"}}), "plan.fsdp2_selective"));
        QVERIFY(!findingOf(named, "plan.fsdp2_selective") && !findingOf(named, "plan.fsdp2_model"));
        const Plan eager = plan({{"attn_implementation", "eager"}});
        QVERIFY(eager.ledger->front().peak.allocated > named.ledger->front().peak.allocated + 32 * 32 * 2048.0 * 2048 * 2);
        QVERIFY(eager.forecast->stepTime > named.forecast->stepTime);
    }

    // Before Transformers 5 an expert was three linear layers, which bitsandbytes packs.
    void olderExpertsArePacked()
    {
        json w = adapted({{"rank", 8}, {"targets", "attention"}, {"base", "nf4"}}, "deepspeed");
        const auto frozen = [](const Plan& plan) { return itemOf(plan, "frozen_weights"); };
        const Plan newer = planOf(w), older = planOf(with(w, "/framework/arguments/release", "2025-06"));
        const double experts = 32.0 * 8 * 3 * 4096 * 14336;
        QVERIFY(near(frozen(newer) - frozen(older), experts * (2 - 0.5 - 4.0 / 64), 1e-3));
        QVERIFY(findingOf(newer, "plan.adapter.experts_plain") && !findingOf(older, "plan.adapter.experts_plain"));
        QCOMPARE(frozen(planOf(with(w, "/framework/arguments/release", "2026-02"))), frozen(newer));
    }

    // Stage 3 counts the elements of the tensors that weights are stored in: of packed ones as many lie whole as of others.
    void packedWeightsLiveAsTheyAreStored()
    {
        json w = test::document("llama-2-70b", "deepspeed", 3, 1, 8, 1);
        w["model"]["adapter"] = {{"rank", 8}, {"targets", "all-linear"}, {"base", "nf4"}};
        w["dsConfig"]["zero_optimization"]["stage3_max_live_parameters"] = 2'000'000'000;
        QVERIFY(near(bytesIn(planOf(w), "gathered_weights", "forward"), 4e9, 0.01));
        w["dsConfig"]["zero_optimization"]["stage3_max_live_parameters"] = 100'000'000'000;
        QVERIFY(bytesIn(planOf(w), "gathered_weights", "forward") < 40e9);
    }

    // Blocks that are gathered in 8 bits and not given back stay in 8 bits.
    void blocksGatheredInEightBitsStaySo()
    {
        const auto whole = [](bool float8Gather) {
            const Plan plan = planOf(document("llama-3-8b", 8, {{"seq", 4096}, {"ac", "none"}, {"float8", true}, {"float8_all_gather", float8Gather}, {"reshard_after_forward", false}, {"compile", true}}));
            return bytesIn(plan, "gathered_weights", "backward");
        };
        QVERIFY(near(whole(false), 2 * 8'030'261'248.0, 1e-3));
        QVERIFY(near(whole(false) - whole(true), 32 * 218'112'000.0, 1e-3));
    }

    // Heads whose rows are no multiple of 16 bytes are multiplied without tensor cores, where no fused kernel does it.
    void oddHeadsMissTensorCores()
    {
        const auto step = [](int heads, bool flash) {
            json w = test::document("gpt2", "megatron", 0, 1, 8, 8);
            w["hardware"]["device"] = "A100-SXM-80GB";
            w["model"] = {{"family", "gpt2"}, {"hidden", 3600}, {"layers", 8}, {"heads", heads}, {"vocab", 50304}, {"seq", 2048}};
            w["framework"]["arguments"] = {{"transformer-impl", "local"}, {"use-flash-attn", flash}};
            return planOf(w).forecast->stepTime;
        };
        QVERIFY(step(24, false) > 1.5 * step(25, false));   // heads of 150, and of 144
        QVERIFY(near(step(24, true), step(25, true), 0.05));
    }

    void blocksOfThirtyTwoCostTime()
    {
        const auto step = [](const char* recipe) {
            json w = test::document("llama-3-8b", "megatron", 0, 1, 8, 8);
            w["hardware"]["device"] = "B200-SXM-180GB";
            w["framework"]["arguments"] = {{"fp8-format", "hybrid"}, {"fp8-recipe", recipe}, {"enable-cuda-graph", true}};   // launched one by one, they would all wait for the host
            return planOf(w).forecast->stepTime;
        };
        QCOMPARE(step("delayed"), step("tensorwise"));
        QVERIFY(step("mxfp8") > 1.02 * step("tensorwise") && step("mxfp8") < 1.08 * step("tensorwise"));
    }
};

QTEST_APPLESS_MAIN(TstFsdpRules)
#include "tst_fsdp_rules.moc"
