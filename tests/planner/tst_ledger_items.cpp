// SPDX-License-Identifier: GPL-3.0-or-later
// Items of the ledger: activations kind by kind, and what lies between what is allocated, reserved and the process's.
#include "kept_activations.h"
#include "plan_documents.h"

#include "planner/beyond_tensors.h"
#include "planner/fit.h"
#include "planner/ledger.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

const LedgerItem* itemNamed(const Plan& plan, const std::string& what)
{
    const auto& items = plan.ledger->front().items;
    const auto found = std::find_if(items.begin(), items.end(), [&](const LedgerItem& item) { return item.what == what; });
    return found == items.end() ? nullptr : &*found;
}

json documentOf(const char* framework, int stage = 2) { return document("llama-3-8b", framework, stage, 1, 8, 4); }

}  // namespace

class TstLedgerItems : public QObject {
    Q_OBJECT
private slots:
    // What stays on the host beside files of weights is not counted among these.
    void numbersOfFilesMakeTheirBytes()
    {
        json w = documentOf("deepspeed", 3);
        w["dsConfig"]["zero_optimization"]["offload_param"] = {{"device", "nvme"}, {"nvme_path", "/n"}};
        const Plan plan = planOf(w);
        const LedgerItem* weights = itemNamed(plan, "weights");
        QVERIFY(weights && weights->where == Place::Nvme && itemNamed(plan, "weights_host"));
        double b = 0, all = 0, host = 0;
        QCOMPARE(std::sscanf(weights->numbers.c_str(), "%lf · (%lf - %lf)", &b, &all, &host), 3);
        QVERIFY(host > 0 && std::abs(b * (all - host) - static_cast<double>(weights->bytes)) <= 2 * b);   // each count is printed whole
    }

    // LLaMA 3 8B a layer and token: h 4096, a d 4096, k d 1024, f 14336, 32 heads; 200,840 bytes as DeepSpeed runs Transformers' code.
    void deepspeedKeepsKindByKind()
    {
        const Plan plan = planOf(documentOf("deepspeed"));
        const double tokens = 4096, layers = 32;
        for (const auto& [what, bytes] : {std::pair{"norm_inputs", 2 * (4 + 2) * 4096.0}, {"norm_outputs", 2 * 2 * 4096.0}, {"qkv", 2 * (4096 + 2 * 1024.0)}, {"attention", 2 * 4096.0}, {"lse", 4 * 32.0},
                                          {"norm_statistics", 2 * 4.0}, {"mlp_gate", 2 * 14336.0}, {"mlp_activated", 2 * 14336.0}, {"mlp_up", 2 * 14336.0}, {"mlp_product", 2 * 14336.0}})
            QCOMPARE(itemOf(plan, std::string("activations.") + what), layers * tokens * bytes);
        QCOMPARE(keptActivations(plan), layers * tokens * 200'840);
        const LedgerItem* qkv = itemNamed(plan, "activations.qkv");
        QCOMPARE(qkv->formula, std::string("L · s b · 2 (a + 2 k) d / t"));
        QCOMPARE(qkv->numbers, std::string("32 · 4096 · 2 · 6144 B"));
        QVERIFY(qkv->source.find("sdpa") != std::string::npos);
        // What is made again in the backward pass comes from the same kinds.
        QVERIFY(itemNamed(planOf(with(documentOf("deepspeed"), "/layout/recompute", "full")), "activations.recomputed")->numbers.find("12 · 4096 + 8 · 1 + 4 · 4096 + 2 · 6144") != std::string::npos);
    }

    // The step of stages 1 and 2 puts the gradients beside each other, a single rank's too, before it turns them to fp32 (stage_1_and_2.py,
    // step): 4 Φ of fp32 training, whose copy is used as it is, and none where they were summed in fp32.
    void theStepCopiesItsGradients()
    {
        const double phi = 8'030'261'248.0;
        for (const int stage : {1, 2}) {
            for (const int ranks : {1, 4}) {
                const json half = document("llama-3-8b", "deepspeed", stage, 1, ranks, 4);
                QCOMPARE(itemOf(planOf(half), "gradients_flat"), 2 * phi / ranks);
                const json full = with(half, "/dsConfig/bf16", {{"enabled", false}});
                QCOMPARE(itemOf(planOf(full), "gradients_flat"), 4 * phi / ranks);
                QVERIFY(!itemNamed(planOf(with(half, "/dsConfig/data_types", {{"grad_accum_dtype", "fp32"}})), "gradients_flat"));
            }
        }
        QVERIFY(!itemNamed(planOf(document("llama-3-8b", "deepspeed", 0, 1, 4, 4)), "gradients_flat"));
    }

    // DeepSpeed's stages update a clone of fp32 weights, too; counted in DeepSpeed 0.19.8 as 20 bytes a parameter of a rank in stage 3.
    void fp32WeightsAreClonedToo()
    {
        const double phi = 8'030'261'248.0;
        for (const int stage : {0, 1, 2, 3}) {
            const Plan plan = planOf(with(document("llama-3-8b", "deepspeed", stage, 1, 4, 1), "/dsConfig/bf16", {{"enabled", false}}));
            QCOMPARE(itemOf(plan, "master"), stage == 0 ? 0.0 : 4 * phi / 4);
            const double states = itemOf(plan, "weights") + itemOf(plan, "gradients") + itemOf(plan, "master") + itemOf(plan, "optimizer_states");
            if (stage == 3) QCOMPARE(states, 20 * phi / 4);
        }
    }

    // What offloading keeps on the host beside the paper's 16 bytes: a buffer that weights go back through, and sums over micro-batches.
    void offloadingHasBuffersOnTheHost()
    {
        const double phi = 8'030'261'248.0;
        for (const std::int64_t accumulation : {1, 4}) {
            const Plan plan = planOf(with(document("llama-3-8b", "deepspeed", 2, 1, 1, static_cast<int>(accumulation)), "/dsConfig/zero_optimization/offload_optimizer", {{"device", "cpu"}, {"pin_memory", true}}));
            QCOMPARE(itemOf(plan, "buckets_weights_host"), 2 * phi);
            QCOMPARE(itemOf(plan, "buckets_sums_host"), (accumulation > 1 ? 2 : 0) * phi);
            QCOMPARE(itemOf(plan, "gradients_host"), 4 * phi);
            QCOMPARE(static_cast<double>(plan.ledger->front().hostBytes), (accumulation > 1 ? 20 : 18) * phi);
            QVERIFY(itemNamed(plan, "master")->where == Place::Pinned && itemNamed(plan, "optimizer_states")->where == Place::Host);
        }
    }

    // Gradients of a single micro-batch are there from the backward pass to the step, and at the step only those this rank updates. Without a
    // stage FusedAdam's fp32 ones are there twice: 24 bytes a parameter.
    void gradientsComeAndGo()
    {
        const auto alive = [](const Plan& plan, const char* phase) {
            double sum = 0;
            for (const LedgerItem& item : plan.ledger->front().items) sum += item.what == "gradients" && isAlive(item.phase, phase) ? static_cast<double>(item.bytes) : 0;
            return sum;
        };
        const double phi = 8'030'261'248.0;
        for (const int stage : {0, 1, 2}) {
            for (const int accumulation : {1, 2}) {
                const Plan plan = planOf(document("llama-3-8b", "deepspeed", stage, 1, 4, accumulation));
                const double whole = stage == 2 ? 2 * phi / 4 : 2 * phi, step = stage == 0 ? 2 * phi : 2 * phi / 4;
                QCOMPARE(alive(plan, "forward"), accumulation > 1 ? whole : 0.0);
                QCOMPARE(alive(plan, "backward"), whole);
                QCOMPARE(alive(plan, "step"), step);
                QCOMPARE(alive(plan, "save"), 0.0);
            }
        }
        json job = document("llama-3-8b", "deepspeed", 0, 1, 4, 1);
        QVERIFY(!itemNamed(planOf(job), "gradients_flat"));   // the script's own optimizer
        job["dsConfig"]["optimizer"] = {{"type", "AdamW"}, {"params", {{"lr", 1e-4}}}};
        const Plan own = planOf(job);
        double step = 0;
        for (const char* what : {"weights", "gradients", "gradients_fp32", "gradients_flat", "master", "optimizer_states"}) step += itemOf(own, what);
        QCOMPARE(step, 24 * phi);
        job["dsConfig"]["optimizer"]["params"]["torch_adam"] = true;
        QVERIFY(!itemNamed(planOf(job), "gradients_flat"));
    }

    // Tables that Megatron divides have whole rows on every rank; routers are on all of them.
    void megatronPadsItsTables()
    {
        json job = document("gpt2", "megatron", 0, 1, 4, 1);
        job["layout"] = {{"tp", 4}, {"dp", 1}};
        QCOMPARE(itemOf(planOf(job), "logits"), 2.0 * 1024 * 50'688 / 4);
        job["framework"]["arguments"] = {{"make-vocab-size-divisible-by", 1}};
        QCOMPARE(itemOf(planOf(job), "logits"), 2.0 * 1024 * 50'260 / 4);
        QVERIFY(!findingOf(planOf(job), "plan.arguments_unused"));
    }

    // Megatron's loss in an fp32 copy of the logits, its fused one with another beside it, Transformer Engine's in the logits themselves.
    void lossesHaveTheirCopies()
    {
        const json job = documentOf("megatron", 0);
        const auto loss = [&](const json& arguments) { return itemOf(planOf(with(job, "/framework/arguments", arguments)), "loss"); };
        const double logits = 4096.0 * 128'256;
        QCOMPARE(loss(json::object()), 4 * logits);
        QCOMPARE(loss({{"cross-entropy-loss-fusion", true}}), 8 * logits);
        QCOMPARE(loss({{"cross-entropy-loss-fusion", true}, {"cross-entropy-fusion-impl", "te"}}), 0.0);
    }

    // Under Megatron FSDP only layers are units: embedding and output matrix are whole in both passes, their gradients in one bucket.
    void tablesOfMegatronFsdpAreWhole()
    {
        const auto sum = [](const json& arguments, const char* what) { return itemOf(planOf(with(document("llama-3-8b", "megatron", 0, 1, 8, 1), "/framework/arguments", arguments)), what); };
        const json whole = {{"bf16", true}, {"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", "optim_grads_params"}, {"use-distributed-optimizer", true}};
        const double tables = 2 * 128'256.0 * 4096, block = 218'112'000;
        QCOMPARE(sum(whole, "gathered_weights"), 2 * tables + 2 * 2 * block);
        QCOMPARE(sum(whole, "gathered_gradients"), 4 * tables + 2 * 4 * block);
        json weights = whole;
        weights["data-parallel-sharding-strategy"] = "optim_grads";
        QCOMPARE(sum(weights, "gathered_weights"), 0.0);
        QCOMPARE(sum(weights, "gathered_gradients"), 2 * 4 * block);
    }

    // Weights kept in 8 bits are divided and gathered in 8; without that each module has a whole copy of its own. Blackwell turns none round but blocks of 32.
    void weightsOfMegatronFsdpInEightBits()
    {
        const double tables = 2 * 128'256.0 * 4096, block = 218'112'000, matrices = 32 * block + 4096;
        const auto sum = [](const json& more, const char* what, const char* device = "H100-SXM-80GB") {
            json w = with(document("llama-3-8b", "megatron", 0, 1, 8, 1), "/framework/arguments",
                          {{"bf16", true}, {"fp8-format", "hybrid"}, {"fp8-recipe", "tensorwise"}, {"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", "optim_grads_params"}});
            w["framework"]["arguments"].update(more);
            return itemOf(planOf(with(w, "/hardware/device", device)), what);
        };
        const json none = json::object(), gather = {{"fp8-param-gather", true}}, kept = {{"fp8-param-gather", true}, {"keep-fp8-transpose-cache", true}};
        const json blocks = {{"fp8-param-gather", true}, {"fp8-recipe", "mxfp8"}};
        QCOMPARE(sum(none, "weights_fp8"), 2 * matrices);
        QCOMPARE(sum(none, "weights_fp8", "B200-SXM-180GB"), matrices);
        QCOMPARE(sum(none, "gathered_weights"), 2 * tables + 2 * 2 * block);
        QVERIFY(near(sum(gather, "weights"), (matrices + 2 * tables) / 8));
        QCOMPARE(sum(gather, "gathered_weights"), 2 * tables + 2 * block);
        QCOMPARE(sum(gather, "weights_fp8"), block);
        QCOMPARE(sum(kept, "weights_fp8"), matrices);
        QCOMPARE(sum(kept, "weights_fp8", "B200-SXM-180GB"), 0.0);
        QVERIFY(near(sum(blocks, "weights", "B200-SXM-180GB"), (2 * matrices + 2 * tables) / 8));
        QCOMPARE(sum(blocks, "weights_fp8", "B200-SXM-180GB"), 0.0);
        // Its 16-bit gradients are turned to fp32 for the update, when nothing of the passes is left.
        const json narrow = {{"grad-reduce-in-bf16", true}};
        QCOMPARE(sum(narrow, "master"), sum(none, "master"));
        QCOMPARE(sum(narrow, "gradients_fp32"), sum(none, "master"));
        QCOMPARE(sum(none, "gradients_fp32"), 0.0);
    }

    void everyFrameworkKeepsKindByKind()
    {
        for (const char* framework : {"deepspeed", "fsdp2", "megatron", "stagecraft"}) {
            const Plan plan = planOf(documentOf(framework, 1));
            std::set<std::string> kinds;
            for (const LedgerItem& item : plan.ledger->front().items)
                if (item.what.starts_with("activations.")) kinds.insert(item.what);
            QVERIFY2(kinds.size() >= 6 && kinds.contains("activations.qkv") && kinds.contains("activations.attention"), framework);
        }
        // Compiled blocks keep what the graph hands on, tensor by tensor; nothing after the gate's non-linearity.
        const Plan compiled = planOf(with(documentOf("fsdp2"), "/framework/arguments", {{"compile", true}, {"ac", "none"}}));
        QVERIFY(!itemNamed(compiled, "activations.mlp_activated") && itemNamed(compiled, "activations.mlp_gate"));
        QVERIFY(itemNamed(compiled, "activations.qkv")->source.find("partitioner") != std::string::npos);
    }

    // Kinds that divide unevenly still add up to their sum rounded once.
    void kindsAddUpToTheByte()
    {
        for (const std::int64_t micro : {1, 3}) {
            json w = with(documentOf("fsdp2"), "/framework/arguments", {{"ac", "selective layer"}, {"ac_every", 3}});
            w = with(w, "/dsConfig/train_micro_batch_size_per_gpu", micro);
            const Plan plan = planOf(w);
            // A third of the blocks keeps its input, two thirds keep everything: 229,504 bytes.
            const double perToken = 2 * 4096 / 3.0 + 229'504 * 2 / 3.0;
            QCOMPARE(keptActivations(plan), static_cast<double>(toBytes(perToken * 4096.0 * static_cast<double>(micro) * 32)));
        }
    }

    void theTotalsAreLedToByItems_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const QString& name, const json& w) { QTest::newRow(qPrintable(name)) << QByteArray::fromStdString(w.dump()); };
        for (const char* framework : {"deepspeed", "fsdp2", "megatron", "stagecraft"})
            for (const char* device : {"A100-SXM-80GB", "H100-SXM-80GB", "V100-SXM2-16GB", "cpu"})
                for (const int stage : {0, 1, 2, 3}) row(QString("%1 %2 %3").arg(framework, device).arg(stage), with(documentOf(framework, stage), "/hardware/device", device));
        // Where the device is full, and where blocks do not grow.
        for (const char* framework : {"deepspeed", "fsdp2"})
            for (const int seq : {4352, 5888, 6144, 6912, 7424, 9216}) {
                const json full = with(with(documentOf(framework, 3), "/hardware/device", "A100-SXM-80GB"), "/model/seq", seq);
                row(QString("%1 %2 tokens").arg(framework).arg(seq), full);
                row(QString("%1 %2 tokens, fixed blocks").arg(framework).arg(seq), with(full, "/framework/arguments", {{"expandable_segments", false}}));
            }
        row("tensor parallel", with(with(documentOf("deepspeed", 1), "/layout", {{"dp", 4}, {"tp", 2}}), "/hardware/device", "A100-SXM-80GB"));
        row("offloaded", with(documentOf("deepspeed", 3), "/dsConfig/zero_optimization/offload_optimizer", {{"device", "cpu"}}));
    }

    // Each part is counted by itself: that they add up to the totals, which are counted another way, says that none is wrong.
    void theTotalsAreLedToByItems()
    {
        QFETCH(QByteArray, text);
        const Plan plan = planOf(json::parse(text.toStdString()));
        if (!plan.ledger) QSKIP("the framework has no such plan");
        for (const LedgerRole& role : *plan.ledger) {
            std::int64_t reserved = 0, process = 0;
            for (const LedgerItem& item : role.items) {
                if (item.phase == "reserved") reserved += item.bytes;
                if (item.phase == "process") process += item.bytes;
                if (item.phase == "reserved" || item.phase == "process") QVERIFY2(item.bytes > 0 && !item.formula.empty() && !item.numbers.empty() && !item.source.empty() && !item.why.empty(), item.what.c_str());
            }
            QCOMPARE(reserved, role.peak.reserved - role.peak.allocated);
            QCOMPARE(process, role.peak.process - role.peak.reserved);
        }
    }

    // Intervals of the items are the peak's, shared out: they add up to it, and states and buffers have none.
    void intervalsAddUpToThePeaks()
    {
        for (const char* framework : {"deepspeed", "fsdp2", "megatron", "stagecraft"}) {
            const Plan plan = planOf(with(documentOf(framework, 2), "/hardware/device", "A100-SXM-80GB"));
            const LedgerRole& role = plan.ledger->front();
            double low = 0, high = 0, wide = 0;
            for (const LedgerItem& item : role.items) {
                const auto [least, most] = itemInterval90(role, item);
                QVERIFY2(least >= 0 && least <= item.bytes && most >= item.bytes, item.what.c_str());
                QVERIFY2((item.what != "weights" && item.what != "optimizer_states") || least == most, item.what.c_str());
                if (item.where != Place::Device || !(item.phase == "reserved" || item.phase == "process" || isAlive(item.phase, role.peak.phase))) continue;
                low += static_cast<double>(least);
                high += static_cast<double>(most);
                wide += least == most ? 0 : 1;
            }
            QVERIFY2(wide > 0, framework);
            const double process = static_cast<double>(role.peak.process);
            QVERIFY2(std::abs(high / (process * (1 + role.peak.relative90)) - 1) < 1e-6, framework);
            QVERIFY2(low >= process * (1 - role.peak.relative90) * (1 - 1e-6), framework);
            const std::int64_t usable = plan.fit->usable;
            for (const LedgerPeak& phase : role.phases) {
                const TotalIntervals all = totalIntervals90(role, phase, usable);
                QVERIFY2(all.process == processInterval90(role, phase, usable), phase.phase.c_str());
                const std::pair<std::int64_t, std::array<std::int64_t, 2>> totals[] = {{phase.allocated, all.allocated}, {phase.reserved, all.reserved}, {phase.process, all.process}};
                for (const auto& [bytes, interval] : totals) QVERIFY2(interval[0] >= 0 && interval[0] <= bytes && interval[1] >= bytes, phase.phase.c_str());
                QVERIFY2(all.allocated[1] <= all.reserved[1] && all.reserved[1] <= all.process[1], phase.phase.c_str());
            }
            const json told = planToJson(plan)["ledger"]["roles"][0]["peak"]["interval90"];
            QCOMPARE(told["process"][1].get<std::int64_t>(), processInterval90(role, role.peak, usable)[1]);
            QCOMPARE(told["allocated"].size(), std::size_t{2});
        }
    }

    // No part is given what the others leave.
    void aWrongPartShows()
    {
        LedgerRole role;
        role.peak = {"step", 100, 130, 200, 0};
        addBeyondTensors(role, {{"allocator.fragmentation", 10, {}}, {kAllocatorHole, 15, {}}}, {{"context.device", 60, {}}, {"context.groups", 0, {}}});
        QCOMPARE(role.items.size(), std::size_t{3});
        QCOMPARE(role.items[0].bytes + role.items[1].bytes, std::int64_t{25});
        QCOMPARE(role.items[2].bytes, std::int64_t{60});
    }

    // With their real inputs: the share that is taken, the device, the number of groups.
    void beyondTheTensorsInputsAreTold()
    {
        const Plan plan = planOf(with(documentOf("deepspeed", 3), "/hardware/device", "A100-SXM-80GB"));
        const LedgerRole& role = plan.ledger->front();
        QCOMPARE(itemNamed(plan, "allocator.fragmentation")->numbers, "(1.08 - 1) · " + std::to_string(role.peak.allocated));
        QCOMPARE(itemOf(plan, "context.device"), 520.0 * 1048576);
        QVERIFY(itemNamed(plan, "context.device")->numbers.find("A100") != std::string::npos && itemNamed(plan, "context.device")->source.find("CUDA_MODULE_LOADING") != std::string::npos);
        QCOMPARE(itemNamed(plan, "context.groups")->numbers, std::string("1 · 300 MiB"));
        const Plan two = planOf(with(with(documentOf("deepspeed", 1), "/layout/tp", 2), "/layout/dp", 4));
        QCOMPARE(itemNamed(two, "context.groups")->numbers, std::string("2 · 300 MiB"));
    }
};

QTEST_APPLESS_MAIN(TstLedgerItems)
#include "tst_ledger_items.moc"
