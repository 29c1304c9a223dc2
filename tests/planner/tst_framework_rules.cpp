// SPDX-License-Identifier: GPL-3.0-or-later
// What each framework refuses, runs instead, or reads where its own arguments say nothing; odd values are told, not rounded.
#include "kept_activations.h"
#include "planner/release_optimizers.h"
#include "planner/advisor.h"
#include "planner/config_advice.h"
#include "planner/deepspeed_estimator.h"
#include "planner/ds_settings.h"

#include "plan_documents.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json document(const char* preset, const char* framework, int stage = 1, int devices = 8) { return test::document(preset, framework, stage, 1, devices, 8); }

bool tells(const Plan& plan, const std::string& id) { return findingOf(plan, id) != nullptr; }

double tokensOf(const Plan& plan) { return plan.forecast->tokensPerSecond * plan.forecast->stepTime; }

DsSettings settingsOf(const json& ds, std::vector<PlanFinding>& findings) { return readDsSettings(ds, 1, 4096, findings); }

}  // namespace

class TstFrameworkRules : public QObject {
    Q_OBJECT
private slots:
    void impossibleLayoutsAreRefused_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* id, const json& w) { QTest::newRow(id) << QString(id) << QString::fromStdString(w.dump()); };
        row("plan.layout.zero_pipeline", with(document("llama-3-8b", "deepspeed", 2), "/layout/pp", 2));
        row("plan.layout.chunks", with(with(document("llama-3-8b", "megatron"), "/layout/pp", 8), "/layout/chunks", 5));
        row("plan.layout.sequence", with(with(document("llama-3-8b", "deepspeed"), "/layout/cp", 2), "/model/seq", 1023));
        row("plan.layout.ulysses", with(document("qwen2.5-7b", "deepspeed"), "/layout/cp", 8));
        row("plan.layout.ring", with(with(document("llama-3-8b", "fsdp2"), "/layout/cp", 4), "/model/seq", 4092));
        row("plan.layout.dense", with(document("llama-3-8b", "deepspeed"), "/layout/ep", 8));
        row("plan.argument.heads", with(document("llama-3-8b", "megatron"), "/framework/arguments", {{"num-layers", 4}, {"hidden-size", 1000}, {"num-attention-heads", 16}}));
    }
    void impossibleLayoutsAreRefused()
    {
        QFETCH(QString, id);
        QFETCH(QString, text);
        const Plan plan = planOf(json::parse(text.toStdString()));
        QVERIFY(tells(plan, id.toStdString()));
        QVERIFY(!plan.ledger && !plan.fit);
    }

    void possibleOnesAreNot()
    {
        QVERIFY(planOf(with(document("llama-3-8b", "deepspeed", 1), "/layout/pp", 2)).ledger);
        QVERIFY(planOf(with(with(document("llama-3-8b", "megatron"), "/layout/pp", 8), "/layout/chunks", 4)).ledger);
        QVERIFY(planOf(with(document("llama-3-8b", "fsdp2"), "/layout/cp", 4)).ledger);
        QVERIFY(planOf(with(document("mixtral-8x7b", "deepspeed"), "/layout/ep", 8)).ledger);
    }

    // A framework runs the schedules it has; another one is not planned as if it were there, or in silence as one that is.
    void schedulesAreTheFrameworks()
    {
        const json pipeline = with(document("llama-3-8b", "deepspeed"), "/layout/pp", 4);
        for (const char* schedule : {"dualpipe", "eager_1f1b", "looped_bfs", "interleaved_1f1b", "zb_v", "gpipe"}) {
            QVERIFY2(tells(planOf(with(pipeline, "/layout/schedule", schedule)), "plan.schedule"), schedule);
            const bool megatrons = std::string(schedule) == "interleaved_1f1b";
            QCOMPARE(tells(planOf(with(with(pipeline, "/layout/schedule", schedule), "/framework/name", "megatron")), "plan.schedule"), !megatrons);
        }
        QVERIFY(!tells(planOf(pipeline), "plan.schedule") && tells(planOf(with(pipeline, "/layout/chunks", 2)), "plan.schedule.chunks"));
        // FSDP2 has more of them: GPipe holds all micro-batches, 1F1B as many as there are stages behind.
        const json torch = with(pipeline, "/framework/name", "fsdp2");
        const double one = keptActivations(planOf(torch));
        QVERIFY(near(keptActivations(planOf(with(torch, "/layout/schedule", "gpipe"))), one * 8 / 4));
        QVERIFY(!tells(planOf(with(torch, "/layout/schedule", "gpipe")), "plan.schedule") && tells(planOf(with(torch, "/layout/schedule", "dualpipe")), "plan.schedule"));
        // ZB1P holds as many micro-batches as there are stages on every rank, and leaves a shorter bubble than 1F1B interleaved.
        const json zero = with(torch, "/layout/schedule", "interleaved_zb1p"), named = with(torch, "/framework/arguments", {{"pp_schedule", "InterleavedZeroBubble"}});
        for (const json& w : {zero, named}) {
            const Plan plan = planOf(w), plain = planOf(with(torch, "/layout/schedule", "interleaved_1f1b"));
            QVERIFY(!tells(plan, "plan.schedule") && plan.ledger);
            QVERIFY(near(keptActivations(plan), one));
            QVERIFY(keptActivations(plan) < keptActivations(plain) && plan.forecast->stepTime < plain.forecast->stepTime);
        }
        // Without a pipeline there is nothing to schedule.
        QVERIFY(!tells(planOf(with(document("llama-3-8b", "deepspeed"), "/layout/schedule", "dualpipe")), "plan.schedule"));
    }

    // What the release refuses the plan does not pass over.
    void oneBitOptimizersAreGone()
    {
        for (const char* name : {"OneBitAdam", "OneBitLamb", "ZeroOneAdam", "AdamW", "Lamb"}) {
            const json w = with(document("llama-3-8b", "deepspeed"), "/dsConfig/optimizer", {{"type", name}, {"params", {{"lr", 1e-4}}}});
            const bool gone = std::string(name).find("One") != std::string::npos;
            const Plan plan = planOf(w);
            QCOMPARE(tells(plan, "plan.optimizer_gone"), gone);
            if (gone) QVERIFY(findingOf(plan, "plan.optimizer_gone")->message.find("0.19.6") != std::string::npos);
        }
        QCOMPARE(lastReleaseWith("onebitadam"), std::string("0.19.6"));
        for (const char* name : {"adamw", "muon", "sophia", ""}) QVERIFY(lastReleaseWith(name).empty() && !sendsCompressed(name));
    }

    // Each of N ranks is the server of one N-th, and keeps 4 bytes of error for it (memory model 1.3).
    void oneBitOptimizersKeepTheServersError()
    {
        for (const char* name : {"OneBitAdam", "OneBitLamb", "ZeroOneAdam", "AdamW"}) {
            for (const int stage : {0, 1}) {
                const Plan plan = planOf(with(document("llama-3-8b", "deepspeed", stage), "/dsConfig/optimizer", {{"type", name}, {"params", {{"lr", 1e-4}}}}));
                const double ranks = static_cast<double>(plan.ledger->front().ranks), share = 8'030'261'248.0 / (stage == 0 ? 1 : ranks);
                QVERIFY(near(itemOf(plan, "server_error"), std::string(name) == "AdamW" ? 0.0 : 4 * share / ranks, 1e-9));
            }
        }
    }

    // Arguments override the neutral fields; where they say nothing those hold.
    void neutralFieldsHoldWithoutArguments()
    {
        for (const char* framework : {"deepspeed", "fsdp2", "megatron"}) QVERIFY2(near(tokensOf(planOf(document("llama-3-8b", framework))), 64.0 * 4096), framework);
        const json megatron = document("llama-3-8b", "megatron");
        QVERIFY(near(itemOf(planOf(megatron), "weights"), 2.0 * 8'030'261'248));
        QVERIFY(near(itemOf(planOf(megatron), "optimizer_states"), 8.0 * 8'030'261'248 / 8));
        QVERIFY(near(itemOf(planOf(with(megatron, "/dsConfig/zero_optimization/stage", 0)), "optimizer_states"), 8.0 * 8'030'261'248));
        QVERIFY(near(itemOf(planOf(with(megatron, "/framework/arguments", {{"use-distributed-optimizer", false}})), "optimizer_states"), 8.0 * 8'030'261'248));
        QVERIFY(near(itemOf(planOf(with(megatron, "/framework/arguments", {{"bf16", false}})), "weights"), 4.0 * 8'030'261'248));
        QVERIFY(near(tokensOf(planOf(with(megatron, "/framework/arguments", {{"global-batch-size", 16}}))), 16.0 * 4096));
        const json tensor = with(megatron, "/layout/tp", 8);
        QVERIFY(itemOf(planOf(with(tensor, "/layout/sequenceParallel", true)), "activations.norm_inputs") < 0.2 * itemOf(planOf(tensor), "activations.norm_inputs"));
        // LLaMA has neither dropout nor biases, whatever Megatron's defaults are.
        QCOMPARE(itemOf(planOf(megatron), "activations.masks"), 0.0);
        QVERIFY(keptActivations(planOf(with(document("llama-3-8b", "fsdp2"), "/layout/recompute", "full"))) < 0.2 * keptActivations(planOf(document("llama-3-8b", "fsdp2"))));
        QVERIFY(near(tokensOf(planOf(with(document("llama-3-8b", "fsdp2"), "/layout/pp", 2))), 32.0 * 4096));
    }

    // What autograd keeps of torchtitan's block, in bytes a token, as PyTorch 2.11 was seen to keep it: saved_tensors_hooks for the eager block,
    // the forward graph that Inductor's partitioner cut for the compiled one (hidden 256, 8 heads over 2, MLP 896), and with torchao's
    // linear layers for 8 bits.
    void compiledBlocksKeepWhatThePartitionerKeeps()
    {
        json w = with(document("llama-3-8b", "fsdp2"), "/framework/arguments", {{"seq", 128}, {"ac", "none"}, {"local_batch", 1}});
        w["model"] = {{"family", "llama"}, {"hidden", 256}, {"layers", 2}, {"heads", 8}, {"kvHeads", 2}, {"ffn", 896}, {"vocab", 512}, {"seq", 128}};
        const auto kept = [&](bool compiled, bool float8) {
            return keptActivations(planOf(with(with(w, "/framework/arguments/compile", compiled), "/framework/arguments/float8", float8))) / (2 * 128);
        };
        QVERIFY(near(kept(false, false), 14'376, 2e-3));
        QVERIFY(near(kept(true, false), 9'512, 2e-3));
        QVERIFY(near(kept(true, true), 6'696, 2e-3));
        // Before March 2025 it kept what it had made of the weights, too: 1 byte a parameter of every block (pytorch/pytorch issue 141881).
        const json old = with(with(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", {{"ac", "none"}, {"compile", true}, {"float8", true}}), "/framework/arguments/release", "2025-02"), "/model/seq", 4096);
        QVERIFY(near(itemOf(planOf(old), "float8_weights"), 32.0 * 218'112'000));
        for (const char* pointer : {"/framework/arguments/compile", "/framework/arguments/float8"}) QCOMPARE(itemOf(planOf(with(old, pointer, false)), "float8_weights"), 0.0);
        QCOMPARE(itemOf(planOf(with(old, "/framework/arguments/release", "2025-06")), "float8_weights"), 0.0);
        QCOMPARE(itemOf(planOf(with(old, "/framework/arguments/force_recompute_fp8_weight_in_bwd", true)), "float8_weights"), 0.0);
        QVERIFY(near(itemOf(planOf(with(old, "/framework/arguments/ac", "selective layer")), "float8_weights"), 16.0 * 218'112'000));
        QCOMPARE(itemOf(planOf(with(old, "/framework/arguments/ac", "full")), "float8_weights"), 0.0);
    }

    // Blocks of memory belong to the stream they were taken in: sharded gradients and the output of the root's gather are beside all that
    // the computing stream ever holds, and reserved in every phase.
    void reservedMemoryHoldsTheOtherStreams()
    {
        const json once = with(document("llama-3-8b", "fsdp2"), "/dsConfig/gradient_accumulation_steps", 1), arguments = {{"seq", 4096}, {"ac", "full"}, {"local_batch", 1}};
        const Plan plan = planOf(with(once, "/framework/arguments", arguments));
        const auto& role = plan.ledger->front();
        const auto forward = std::find_if(role.phases.begin(), role.phases.end(), [](const LedgerPeak& phase) { return phase.phase == "forward"; });
        QVERIFY(forward != role.phases.end());
        const double root = 2.0 * 2 * 525'336'576, gradients = 4 * 8'030'261'248.0 / 8;
        QVERIFY(static_cast<double>(forward->reserved) >= static_cast<double>(forward->allocated) + gradients + root);
        const json later = with(document("llama-3-8b", "fsdp2"), "/framework/arguments", {{"seq", 4096}, {"ac", "full"}, {"local_batch", 1}, {"release", "2025-08"}});
        QVERIFY(near(itemOf(plan, "gathered_weights") - itemOf(planOf(later), "gathered_weights"), 2 * 2.0 * 525'336'576));   // in each of two phases
        for (const LedgerPeak& phase : role.phases) QVERIFY(phase.phase == "init" || phase.reserved == forward->reserved);
    }

    // Blocks are sharded again before the loss: the forward pass holds what is gathered, or what the loss makes beside the root, whichever is more.
    void theLossComesAfterWhatIsGathered()
    {
        const auto plan = [](int seq, const json& more = json::object()) {
            json arguments = {{"seq", seq}, {"ac", "full"}, {"local_batch", 1}};
            arguments.update(more);
            return planOf(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", arguments));
        };
        const auto phaseOf = [](const Plan& p, const std::string& name) {
            const auto& phases = p.ledger->front().phases;
            return *std::find_if(phases.begin(), phases.end(), [&](const LedgerPeak& phase) { return phase.phase == name; });
        };
        const double root = 2.0 * 525'336'576, gathered = 2 * root + 4 * 218'112'000;
        const auto inForward = [](const Plan& p) {
            double sum = 0;
            for (const LedgerItem& item : p.ledger->front().items) sum += item.what == "gathered_weights" && item.phase.find("forward") != std::string::npos ? static_cast<double>(item.bytes) : 0;
            return sum;
        };
        // 12 bytes a logit: more than the gathered weights from 2,000 tokens on.
        QVERIFY(near(inForward(plan(8192)), 2 * root));
        QVERIFY(near(inForward(plan(512)), gathered - 12.0 * 512 * 128'256));
        // PyTorch's root reshards where it is told to since June 2025; torchtitan's group of norm and output, its embedding apart, stays for the
        // backward pass unless all are to be resharded; Transformers' loss is made inside the root.
        QCOMPARE(inForward(plan(8192, {{"release", "2025-06"}})), 0.0);
        QVERIFY(near(inForward(plan(8192, {{"release", "2025-05"}})), 2 * root));
        QVERIFY(near(inForward(plan(8192, {{"release", "2026-04"}})), root));
        QCOMPARE(inForward(plan(8192, {{"release", "2026-04"}, {"fsdp_reshard_after_forward", "always"}})), 0.0);
        QVERIFY(near(inForward(plan(8192, {{"release", "2026-04"}, {"model_code", "transformers"}})), 2 * root));
        QVERIFY(near(inForward(plan(8192, {{"reshard_after_forward", false}})), 2.0 * 8'030'261'248));
        // What is reserved has both: they lie in the pools of different streams.
        const Plan whole = plan(8192);
        QVERIFY(static_cast<double>(phaseOf(whole, "forward").reserved) >= static_cast<double>(phaseOf(whole, "forward").allocated) + gathered);
        QVERIFY(near(static_cast<double>(phaseOf(plan(8192, {{"expandable_segments", false}}), "forward").reserved), 1.05 * static_cast<double>(phaseOf(whole, "forward").reserved)));
        // A loop that still names the logits holds them while it goes back.
        const Plan named = plan(8192, {{"keep_logits", true}});
        const double logits = 2.0 * 8192 * 128'256;
        for (const char* phase : {"forward", "backward"}) QVERIFY2(near(static_cast<double>(phaseOf(named, phase).allocated), static_cast<double>(phaseOf(whole, phase).allocated) + logits), phase);
    }

    // As PyTorch 2.11's partitioner cuts torchtitan's block and its loss under a tensor parallelism of two: 31,808 bytes a token, and an
    // fp32 tensor of this rank's logits beside their 16-bit gradient.
    void compiledTensorParallelismKeepsWhatWasReduced()
    {
        const json arguments = {{"fsdp", 4}, {"tp", 2}, {"seq", 8192}, {"local_batch", 1}, {"ac", "selective op"}, {"compile", true}, {"release", "2025-05"}};
        const Plan two = planOf(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", arguments));
        QVERIFY(near(keptActivations(two), 32.0 * 8192 * 31'808));
        QVERIFY(near(itemOf(two, "logits"), 6.0 * 8192 * 128'256 / 2));
        json alone = arguments;
        alone.update({{"fsdp", 8}, {"tp", 1}});
        const Plan one = planOf(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", alone));
        QVERIFY(near(keptActivations(one), 32.0 * 8192 * 55'424));
        QVERIFY(near(itemOf(one, "logits"), 4.0 * 8192 * 128'256));
    }

    // DeepSpeed's stage 3 puts a sub-group's gradients beside each other for its step and sorts a bucket of them by ranks; a model made
    // outside zero.Init holds every product's gathered weight until its backward pass, unless its blocks are made again.
    void stageThreeCopiesItsGradients()
    {
        const json third = document("llama-2-7b", "deepspeed", 3, 4);
        const double phi = 6'738'415'616.0, share = phi / 4, embedding = 32'000.0 * 4096;
        QVERIFY(near(itemOf(planOf(third), "gradients_flat"), 2.0 * 1e9));
        QVERIFY(near(itemOf(planOf(with(third, "/dsConfig/zero_optimization/sub_group_size", 1e12)), "gradients_flat"), 2 * share));
        QVERIFY(near(itemOf(planOf(with(third, "/dsConfig/data_types", {{"grad_accum_dtype", "fp32"}})), "gradients_flat"), 4.0 * 1e9));
        QVERIFY(near(itemOf(planOf(third), "buckets_sorted"), 2.0 * 5e8));
        QCOMPARE(itemOf(planOf(with(third, "/dsConfig/zero_optimization/reduce_scatter", false)), "buckets_sorted"), 0.0);
        QCOMPARE(itemOf(planOf(document("llama-2-7b", "deepspeed", 2, 4)), "buckets_sorted"), 0.0);
        const json outside = with(third, "/framework/arguments", {{"zero3_init_flag", false}});
        QVERIFY(near(itemOf(planOf(third), "gathered_weights"), 2.0 * 1e9, 1e-3));
        QVERIFY(near(itemOf(planOf(outside), "gathered_weights"), 2.0 * (phi - embedding), 1e-3));
        QVERIFY(near(itemOf(planOf(with(outside, "/layout/recompute", "full")), "gathered_weights"), 2.0 * 1e9, 1e-3));
        // A loss of 16-bit logits, as its model code may have it.
        const json half = with(third, "/framework/arguments", {{"loss_dtype", "bfloat16"}});
        QVERIFY(near(itemOf(planOf(half), "loss"), itemOf(planOf(third), "loss") / 2));
    }

    // SwiGLU in two kernels keeps what lies between them: 8 bytes of the MLP's width a token, not 6.
    void aGateOfTwoKernelsKeepsMore()
    {
        const json fused = document("llama-2-7b", "megatron");
        const double kept = itemOf(planOf(fused), "activations.mlp");
        QVERIFY(near(itemOf(planOf(with(fused, "/framework/arguments", {{"no-bias-swiglu-fusion", true}})), "activations.mlp"), kept * 8 / 6));
        const json gelu = document("gpt2-xl", "megatron");
        QVERIFY(near(itemOf(planOf(with(gelu, "/framework/arguments", {{"no-bias-swiglu-fusion", true}})), "activations.mlp"), itemOf(planOf(gelu), "activations.mlp")));
    }

    // One rank has its buckets too, and fetches what is offloaded.
    void oneRankHasItsBuffers()
    {
        const json one = document("llama-3.2-1b", "deepspeed", 2, 1);
        QVERIFY(near(itemOf(planOf(one), "buckets"), 2.0 * 5e8));
        json third = with(document("llama-3.2-1b", "deepspeed", 3, 1), "/dsConfig/zero_optimization/reduce_bucket_size", 1e7);
        QVERIFY(near(itemOf(planOf(third), "buckets"), 2.0 * 1e7));
        QCOMPARE(itemOf(planOf(third), "gathered_weights"), 0.0);
        QVERIFY(itemOf(planOf(with(third, "/dsConfig/zero_optimization/offload_param", {{"device", "cpu"}})), "gathered_weights") > 1e8);
    }

    void theOldWayOfZeroIsStageOne()
    {
        std::vector<PlanFinding> findings;
        QCOMPARE(settingsOf({{"zero_optimization", true}}, findings).stage, 1);
        QCOMPARE(settingsOf({{"zero_optimization", false}}, findings).stage, 0);
        const Plan plan = planOf(with(document("llama-3-8b", "deepspeed"), "/dsConfig/zero_optimization", true));
        QCOMPARE(plan.config["zero_optimization"]["stage"].get<int>(), 1);
    }

    void optimizersHaveTheirStates_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<double>("momentum");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<bool>("known");
        QTest::newRow("Adam") << "Adam" << 0.0 << 8.0 << true;
        QTest::newRow("SGD") << "SGD" << 0.0 << 0.0 << true;
        QTest::newRow("SGD with momentum") << "SGD" << 0.9 << 4.0 << true;
        QTest::newRow("Lion") << "Lion" << 0.0 << 4.0 << true;
        QTest::newRow("Adagrad") << "Adagrad" << 0.0 << 4.0 << true;
        QTest::newRow("1-bit Adam") << "OneBitAdam" << 0.0 << 12.0 << true;
        QTest::newRow("1-bit Lamb") << "OneBitLamb" << 0.0 << 16.0 << true;
        QTest::newRow("0/1 Adam") << "ZeroOneAdam" << 0.0 << 16.0 << true;
        QTest::newRow("one nobody knows") << "Sophia" << 0.0 << 8.0 << false;
    }
    void optimizersHaveTheirStates()
    {
        QFETCH(QString, type);
        QFETCH(double, momentum);
        QFETCH(double, bytes);
        QFETCH(bool, known);
        json optimizer = {{"type", type.toStdString()}, {"params", {{"lr", 1e-3}}}};
        if (momentum > 0) optimizer["params"]["momentum"] = momentum;
        std::vector<PlanFinding> findings;
        QCOMPARE(settingsOf({{"train_batch_size", 1}, {"optimizer", optimizer}}, findings).stateBytes, bytes);
        QCOMPARE(findings.empty(), known);
    }

    void muonKeepsAdamForTheRest()
    {
        const double phi = 8'030'261'248, matrices = 32.0 * (2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336);
        const Plan plan = planOf(with(document("llama-3-8b", "deepspeed"), "/dsConfig/optimizer", {{"type", "Muon"}}));
        QVERIFY(near(itemOf(plan, "optimizer_states"), (4 * matrices + 8 * (phi - matrices)) / 8));
    }

    void theSecondCopyIsOfStageThree()
    {
        const json hpz = with(document("llama-3-8b", "deepspeed", 2), "/dsConfig/zero_optimization/zero_hpz_partition_size", 4);
        QCOMPARE(itemOf(planOf(hpz), "secondary_weights"), 0.0);
        QVERIFY(itemOf(planOf(with(hpz, "/dsConfig/zero_optimization/stage", 3)), "secondary_weights") > 0);
    }

    void oddValuesAreTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("id");
        QTest::newRow("half a sample") << R"({"train_micro_batch_size_per_gpu": 1.5})" << "plan.batch_impossible";
        QTest::newRow("no sample") << R"({"train_micro_batch_size_per_gpu": 0})" << "plan.batch_impossible";
        QTest::newRow("half a stage") << R"({"train_batch_size": 1, "zero_optimization": {"stage": 1.5}})" << "plan.ds_config.whole";
        QTest::newRow("letters behind a number") << R"({"train_batch_size": 1, "zero_optimization": {"reduce_bucket_size": "5abc"}})" << "plan.ds_config.number";
        QTest::newRow("words") << R"({"train_batch_size": "many"})" << "plan.batch_impossible";
    }
    void oddValuesAreTold()
    {
        QFETCH(QString, text);
        QFETCH(QString, id);
        std::vector<PlanFinding> findings;
        (void)settingsOf(json::parse(text.toStdString()), findings);
        QVERIFY2(std::any_of(findings.begin(), findings.end(), [&](const PlanFinding& f) { return f.id == id.toStdString(); }), findings.empty() ? "" : findings.front().id.c_str());
        findings.clear();
        QCOMPARE(settingsOf({{"train_batch_size", 1}, {"zero_optimization", {{"stage", 2}, {"reduce_bucket_size", "5e8"}}}}, findings).reduceBucket, std::int64_t{500'000'000});
        QVERIFY(findings.empty());
    }

    // --no-offload is meant for the tree too.
    void offloadLeftOutIsNotChosen()
    {
        const auto workspace = parseWorkspace(with(document("llama-2-13b", "deepspeed", 2, 2), "/model/seq", 512).dump(), {});
        LayoutSearch search;
        const auto all = advise(*workspace, {}, {}, AdviceDepth::Tree, search);
        QVERIFY(all.hasValue() && all->chosen && all->options[*all->chosen].offloadOptimizer != OffloadDevice::None);
        search.limits.offload = false;
        const auto without = advise(*workspace, {}, {}, AdviceDepth::Tree, search);
        QVERIFY(without.hasValue());
        for (const StageOption& option : without->options) QVERIFY(option.offloadOptimizer == OffloadDevice::None || (option.refused && !option.fits));
        QVERIFY(!without->chosen || without->options[*without->chosen].offloadOptimizer == OffloadDevice::None);
    }

    // Python's integers have no end: what it prints beyond 2^53 bytes. Values printed by DeepSpeed 0.19.8's estimators.
    void estimatesAreExactBeyondDoubles()
    {
        EstimatorInput in;
        in.params = 3'000'000'000'000'001;
        in.largestLayer = 2'500'000'000'000'003;
        in.gpusPerNode = 7;
        in.nodes = 3;
        const auto two = estimateDeepSpeedZero2(in);
        QVERIFY(two.hasValue());
        QCOMPARE(two->deviceBytes, std::int64_t{8571428571428574});
        QCOMPARE(two->hostBytesPerNode, std::int64_t{126000000000000048});
        const auto three = estimateDeepSpeedZero3(in);
        QVERIFY(three.hasValue());
        QCOMPARE(three->deviceBytes, std::int64_t{12571428571428584});
        QCOMPARE(three->hostBytesPerNode, std::int64_t{105000000000000128});
    }

    // Layouts that Megatron-LM and torchtitan refuse to start are no plans, and no rows of a search.
    void whatDoesNotDivideIsTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("refused");
        const auto row = [](const char* name, const char* preset, const char* framework, const json& layout, const json& arguments, const char* id, bool refused, int accumulation = 8) {
            int devices = 1;
            for (const auto& [key, value] : layout.items())
                if (key == "dp" || key == "tp" || key == "pp" || key == "cp") devices *= value.get<int>();
            json w = test::document(preset, framework, 1, 1, devices, accumulation);
            w["layout"] = layout;
            w["framework"]["arguments"] = arguments;
            QTest::newRow(name) << QString::fromStdString(w.dump()) << QString(id) << refused;
        };
        row("32 layers over 3 stages", "llama-3-8b", "megatron", {{"dp", 2}, {"pp", 3}}, json::object(), "plan.layout.split_loss", true);
        row("the first and the last stage named", "llama-3-8b", "megatron", {{"dp", 2}, {"pp", 3}}, {{"decoder-first-pipeline-num-layers", 10}, {"decoder-last-pipeline-num-layers", 10}}, "", false);
        row("8 layers in 3 chunks", "llama-3-8b", "megatron", {{"dp", 2}, {"pp", 4}, {"chunks", 3}, {"schedule", "interleaved_1f1b"}}, json::object(), "plan.layout.chunk_layers", true);
        row("8 layers in 2 chunks", "llama-3-8b", "megatron", {{"dp", 2}, {"pp", 4}, {"chunks", 2}, {"schedule", "interleaved_1f1b"}}, json::object(), "", false);
        row("6 micro-batches, interleaved", "llama-3-8b", "megatron", {{"dp", 2}, {"pp", 4}, {"chunks", 2}, {"schedule", "interleaved_1f1b"}}, json::object(), "plan.layout.interleaved", true, 6);
        row("6 micro-batches, 1f1b", "llama-3-8b", "megatron", {{"dp", 2}, {"pp", 4}}, json::object(), "", false, 6);
        row("experts and tensors", "mixtral-8x7b", "megatron", {{"dp", 4}, {"tp", 2}, {"ep", 4}}, json::object(), "plan.layout.expert_sequence", true);
        row("experts and tensors, divided sequences", "mixtral-8x7b", "megatron", {{"dp", 4}, {"tp", 2}, {"ep", 4}, {"sequenceParallel", true}}, json::object(), "", false);
        row("key heads", "llama-3-8b", "fsdp2", {{"dp", 1}, {"tp", 16}}, json::object(), "plan.layout.key_heads", true);
        row("whole key heads", "llama-3-8b", "fsdp2", {{"dp", 2}, {"tp", 8}}, json::object(), "", false);
    }
    void whatDoesNotDivideIsTold()
    {
        QFETCH(QString, text);
        QFETCH(QString, id);
        QFETCH(bool, refused);
        const Plan plan = test::planOf(json::parse(text.toStdString()));
        QCOMPARE(!plan.ledger, refused);
        for (const char* one : {"plan.layout.split", "plan.layout.split_loss", "plan.layout.split_places", "plan.layout.chunk_layers", "plan.layout.interleaved", "plan.layout.expert_sequence", "plan.layout.key_heads"}) QVERIFY2((test::findingOf(plan, one) != nullptr) == (id == one), one);
    }

    // A search has only rows that start: as many layers, the loss and the embedding counted where a row says so, on each stage, whole slices of what tensor parallelism divides.
    void searchesDivideEvenly()
    {
        for (const char* framework : {"megatron", "fsdp2"}) {
            json w = test::document("llama-3-8b", framework, 1, 1, 6, 8);
            w["hardware"]["nodes"] = 4;
            LayoutSearch search;
            search.runnable = true;
            search.limits.keep = 1000;
            const auto advice = advise(test::workspaceOf(w), {}, {}, AdviceDepth::Layouts, search);
            QVERIFY(advice.hasValue() && advice->layouts.best.size() > 10);
            for (const ScoredLayout& layout : advice->layouts.best) QVERIFY(framework == std::string("megatron") ? (32 + layout.embeddingPlace + layout.lossPlace) % layout.pp == 0 && 14336 % layout.tp == 0 : 8 % layout.tp == 0);
        }
    }

    // Where reading stops at an error, what was not read is not called unknown.
    void argumentsBehindAnErrorAreNotUnknown()
    {
        json w = test::document("llama-3-8b", "megatron", 1, 2, 8, 1);
        w["framework"]["arguments"] = {{"pipeline-model-parallel-size", 3}, {"bf16", true}, {"micro-batch-size", 1}, {"global-batch-size", 128}, {"hidden-dropout", 0}};
        const Plan plan = test::planOf(w);
        QVERIFY(test::findingOf(plan, "plan.argument.ranks") && !test::findingOf(plan, "plan.arguments_unknown"));
    }

    // Our engine refuses fp16 when it is started, and so does its plan; its tree is DeepSpeed's then.
    void ourEngineHasNoFp16()
    {
        json w = test::document("llama-3-8b", "stagecraft", 2, 1, 8, 1);
        QVERIFY(!test::findingOf(test::planOf(w), "plan.engine_fp16"));
        w["dsConfig"].erase("bf16");
        w["dsConfig"]["fp16"] = {{"enabled", true}};
        const Plan plan = test::planOf(w);
        QVERIFY(test::findingOf(plan, "plan.engine_fp16") && !plan.ledger && !plan.forecast);
        const auto advice = advise(test::workspaceOf(w));
        QVERIFY(advice.hasValue());
        QCOMPARE(advice->framework, std::string("deepspeed"));
    }

    // A patch is of the workspace's own file: where that names another for its ds_config, the content comes first.
    void patchesOfWorkspacesWithAFile()
    {
        QTemporaryDir folder;
        const json whole = test::document("llama-2-7b", "deepspeed", 1, 1, 8, 1);
        QFile config(folder.filePath("plain.json"));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write(QByteArray::fromStdString(whole["dsConfig"].dump()));
        config.close();
        json named = whole;
        named["dsConfig"] = "plain.json";
        QFile file(folder.filePath("ws.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(named.dump()));
        file.close();
        const auto loaded = loadWorkspace(file.fileName().toStdString());
        QVERIFY2(loaded.hasValue(), loaded.hasValue() ? "" : loaded.error().message.c_str());
        LayoutSearch search;
        search.limits.keep = 3;
        const auto advice = advise(*loaded, {}, {}, AdviceDepth::Layouts, search);
        QVERIFY(advice.hasValue());
        const json told = adviceToJson(*advice, *loaded);
        for (const char* kind : {"options", "layouts", "levers"}) {
            QVERIFY(!told[kind].empty());
            for (const json& row : told[kind]) {
                json changed;
                try {
                    changed = named.patch(row["apply"]);
                } catch (const json::exception& wrong) {
                    QFAIL(wrong.what());
                }
                QVERIFY2(parseWorkspace(changed.dump(), folder.path().toStdString()).hasValue(), row["apply"].dump().c_str());
            }
        }
    }

    // A layout that no stage makes possible has no steps of so many seconds.
    void nothingIsSaidOfWhatCannotRun()
    {
        json w = test::document("llama-3-8b", "deepspeed", 3, 1, 8, 1);
        QVERIFY(!adviseConfig(test::workspaceOf(test::with(w, "/hardware/device", "RTX-4090")), {}, "en").empty());
        w["hardware"]["device"] = "RTX-4090";
        w["layout"] = {{"dp", 2}, {"pp", 2}, {"cp", 2}};
        QVERIFY(adviseConfig(test::workspaceOf(w), {}, "en").empty());
    }
};

QTEST_APPLESS_MAIN(TstFrameworkRules)
#include "tst_framework_rules.moc"
