// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of the frameworks that published measurements led to, each by itself.
#include "planner/beyond_tensors.h"
#include "planner/fit.h"
#include "planner/training_case.h"

#include "plan_documents.h"

#include <QtTest>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json document(const char* preset, const char* framework) { return test::document(preset, framework, 1, 1, 8, 8); }

}  // namespace

class TstPublishedRules : public QObject {
    Q_OBJECT
private slots:
    // Until schedules could be told not to (PyTorch of October 2025), the last pipeline stage holds the logits of all micro-batches until
    // the step is done, and joins them then; gradients that are summed over micro-batches are there in the forward passes, too.
    void schedulesKeepTheirOutputs()
    {
        const auto plan = [](const json& more) {
            json arguments = {{"fsdp", 4}, {"pp", 2}, {"seq", 8192}, {"local_batch", 4}, {"pp_microbatches", 4}, {"ac", "full"}};
            arguments.update(more);
            return planOf(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", arguments));
        };
        const auto sumOf = [](const LedgerRole& role, const std::string& what, const char* phase) {
            double sum = 0;
            for (const LedgerItem& item : role.items) sum += item.what == what && item.phase.find(phase) != std::string::npos ? static_cast<double>(item.bytes) : 0;
            return sum;
        };
        const double all = 2.0 * 4 * 8192 * 128'256;
        const Plan kept = plan(json::object());
        QCOMPARE(kept.ledger->size(), std::size_t{2});
        for (const char* phase : {"forward", "backward", "step"}) {
            QVERIFY2(near(sumOf(kept.ledger->back(), "logits_kept", phase), all), phase);
            QCOMPARE(sumOf(kept.ledger->front(), "logits_kept", phase), 0.0);
        }
        QVERIFY(near(sumOf(kept.ledger->back(), "logits_joined", "step"), all));
        QVERIFY(sumOf(kept.ledger->back(), "gathered_gradients", "forward") > 0);
        // The compiled loss counts the logits in hand.
        QVERIFY(near(sumOf(plan({{"compile", true}, {"compile_loss", true}}).ledger->back(), "logits_kept", "forward"), all * 3 / 4));
        for (const json& more : {json{{"release", "2025-11"}}, json{{"return_outputs", false}}}) {
            const Plan free = plan(more);
            QCOMPARE(sumOf(free.ledger->back(), "logits_kept", "forward") + sumOf(free.ledger->back(), "logits_joined", "step"), 0.0);
        }
    }

    // PyTorch gathers and scatters along the first dimension: the sequence is the second, and the whole tensor is copied after a gather and
    // before a scatter (_functional_collectives.py). Asynchronous products have the parts where they need them.
    void dividedSequencesAreCopied()
    {
        const auto exposed = [](bool async) {
            const json arguments = {{"fsdp", 1}, {"tp", 8}, {"seq", 8192}, {"local_batch", 2}, {"ac", "full"}, {"compile", true}, {"async_tp", async}};
            const Plan plan = planOf(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", arguments));
            for (const auto& [name, seconds] : plan.forecast->split) if (name == "communication_exposed.tensor") return seconds;
            return 0.0;
        };
        // Eight micro-batches; four collectives a pass of each of 32 layers, three where it is made again: 0.4 of each stays to be seen when
        // asynchronous. Read and written at 0.8 of what the memory of an H100 passes.
        const double copies = 8.0 * 32 * 11 * 2 * (2.0 * 2 * 8192 * 4096) / (0.8 * 3.35e12);
        const double seen = exposed(false) - exposed(true) / 0.4;
        QVERIFY2(std::abs(seen / copies - 1) < 0.02, qPrintable(QString("%1 of %2 s").arg(seen).arg(copies)));
    }

    // The output of a gather lies in its stream's own pool until the next one is made: where blocks stay gathered after the forward pass,
    // two outputs are reserved beside all that the computing stream holds (PyTorch, _fsdp_param_group.py: all_gather_state).
    void gathersHaveAPoolOfTheirOwn()
    {
        // Nothing but the pool tells the hole of one more block from that of a smaller embedding group.
        const auto hole = [](const char* group) {
            const json arguments = {{"fsdp", 8}, {"seq", 8192}, {"local_batch", 1}, {"ac", "full"}, {"fsdp_reshard_after_forward", "never"}, {"embedding_group", group}};
            const Plan plan = planOf(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", arguments));
            double bytes = 0;
            for (const LedgerItem& item : plan.ledger->front().items) bytes += item.what == kAllocatorHole ? static_cast<double>(item.bytes) : 0;
            return bytes;
        };
        const double apart = hole("own"), together = hole("root");
        QVERIFY2(near(together - apart, 2.0 * 128'256 * 4096), qPrintable(QString::number(together - apart)));
        const double block = 218'112'000, root = 128'256.0 * 4096;
        QVERIFY2(apart > 2 * (root + block), qPrintable(QString::number(apart)));
    }

    // torchtitan weights what its experts made in fp32 (score_before_experts is off). From November 2025 to March 2026 the kernels around the
    // experts are not compiled with the block's parts (issue 1940, pull request 2741).
    void expertsAreWeightedInFp32()
    {
        const json experts = {{"architectures", {"DeepseekV2ForCausalLM"}}, {"model_type", "deepseek_v2"}, {"hidden_size", 2048}, {"num_hidden_layers", 27}, {"num_attention_heads", 16}, {"num_key_value_heads", 16},
                              {"q_lora_rank", nullptr}, {"kv_lora_rank", 512}, {"qk_rope_head_dim", 64}, {"qk_nope_head_dim", 128}, {"v_head_dim", 128}, {"intermediate_size", 10944}, {"moe_intermediate_size", 1408},
                              {"n_routed_experts", 64}, {"n_shared_experts", 2}, {"num_experts_per_tok", 6}, {"first_k_dense_replace", 1}, {"vocab_size", 102400}};
        const auto plan = [&](const char* release, bool compiled, const char* ac) {
            Workspace w;
            w.model.form = ModelSection::Form::HuggingFace;
            w.model.huggingFaceConfig = experts;
            w.model.seq = 4096;
            w.hardware.device = "B200-SXM-180GB";
            w.hardware.devicesPerNode = w.layout.dp = 8;
            w.framework.name = "fsdp2";
            w.framework.arguments = {{"fsdp", 8}, {"seq", 4096}, {"local_batch", 4}, {"ac", ac}, {"compile", compiled}, {"release", release}};
            return makePlan(w, {}).value();
        };
        const double tokens = 4.0 * 4096, routed = 27 * tokens * 6 * 2048;
        const auto out = [](const Plan& p) { return itemOf(p, "activations.experts_out"); };
        const Plan loose = plan("2025-11", true, "none"), joined = plan("2026-04", true, "none");
        QVERIFY(near(out(loose), 4 * routed));
        QVERIFY(near(out(joined), 2 * routed));
        QVERIFY(near(out(plan("2025-09", true, "none")), 2 * routed));
        QVERIFY(near(out(plan("2026-04", false, "none")), 4 * routed));
        QVERIFY(loose.forecast->stepTime > 1.05 * joined.forecast->stepTime);
        // The policy of operations knows no grouped products: of the MLP the shared experts' gate alone is kept.
        const Plan chosen = plan("2025-11", false, "selective op");
        QVERIFY(near(itemOf(chosen, "activations.mlp_gate"), 27 * tokens * 2 * 2 * 1408));
        QVERIFY(near(itemOf(chosen, "activations.qkv"), 27 * tokens * 2 * 16 * (2 * 192 + 128 - 64)));
        QCOMPARE(out(chosen) + itemOf(chosen, "activations.experts_in"), 0.0);
    }

    // FSDP2's products are of the type its policy says: before Ampere fp16 has tensor cores and bf16 nothing.
    void fsdp2MultipliesAsItsPolicySays()
    {
        const json w = with(document("llama-2-7b", "fsdp2"), "/hardware/device", "V100-SXM2-32GB");
        const Plan bf16 = planOf(w), fp16 = planOf(with(w, "/framework/arguments", {{"param_dtype", "float16"}})), accelerate = planOf(with(w, "/framework/arguments", {{"mixed_precision", "fp16"}}));
        QVERIFY(findingOf(bf16, "plan.bf16_emulated") && !findingOf(fp16, "plan.bf16_emulated"));
        QVERIFY(fp16.forecast->stepTime < 0.4 * bf16.forecast->stepTime);
        // Accelerate's one word is for the reduction too.
        QCOMPARE(accelerate.forecast->stepTime, planOf(with(w, "/framework/arguments", {{"param_dtype", "float16"}, {"reduce_dtype", "float16"}})).forecast->stepTime);
        QVERIFY(accelerate.forecast->stepTime < fp16.forecast->stepTime);
        QCOMPARE(fp16.ledger->front().peak.allocated, bf16.ledger->front().peak.allocated);
        // Without tensor cores, and with gathered weights and activations of twice the bytes.
        const Plan fp32 = planOf(with(w, "/framework/arguments", {{"param_dtype", "float32"}}));
        QVERIFY(fp32.forecast->stepTime > fp16.forecast->stepTime && fp32.ledger->front().peak.allocated > fp16.ledger->front().peak.allocated);
        QVERIFY(findingOf(planOf(with(w, "/framework/arguments", {{"param_dtype", "float7"}})), "plan.argument.type"));
    }

    // A loop that names the output of a model whose logits are fp32 holds four bytes of each until the backward pass is over; those in 16
    // bits, from which they were made, are a hole all the same.
    void floatLogitsAreKeptWhole()
    {
        const auto plan = [](const json& more) {
            json arguments = {{"fsdp", 8}, {"seq", 8192}, {"local_batch", 1}, {"ac", "full"}};
            arguments.update(more);
            return planOf(with(document("llama-3-8b", "fsdp2"), "/framework/arguments", arguments));
        };
        const auto kept = [](const Plan& plan) {
            double bytes = 0;
            for (const LedgerItem& item : plan.ledger->front().items) bytes += item.what == "logits_kept" ? static_cast<double>(item.bytes) : 0;
            return bytes;
        };
        const Plan half = plan({{"keep_logits", true}}), whole = plan({{"keep_logits", true}, {"logits_dtype", "float32"}}), free = plan({{"logits_dtype", "float32"}});
        QVERIFY(near(kept(half), 2.0 * 8192 * 128'256));
        QVERIFY(near(kept(whole), 4.0 * 8192 * 128'256));
        QCOMPARE(kept(free), 0.0);
        QVERIFY(whole.ledger->front().peak.reserved > half.ledger->front().peak.reserved);
    }

    // One kernel of a non-linearity keeps its input; the tanh formula written out keeps what each of its kernels made.
    void fusedGeluKeepsItsInput()
    {
        const auto kept = [](const char* activation) {
            json config = {{"architectures", {"GPTNeoXForCausalLM"}}, {"model_type", "gpt_neox"}, {"hidden_act", activation}, {"hidden_size", 1024}, {"intermediate_size", 4096},
                           {"num_hidden_layers", 4}, {"num_attention_heads", 16}, {"vocab_size", 50'432}, {"max_position_embeddings", 2048}, {"tie_word_embeddings", false}};
            Workspace w;
            w.framework.name = "deepspeed";
            w.hardware.device = "A100-SXM-80GB";
            w.model.form = ModelSection::Form::HuggingFace;
            w.model.huggingFaceConfig = config;
            w.dsConfig = {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}};
            const auto plan = makePlan(w);
            return plan.hasValue() && plan->ledger ? itemOf(*plan, "activations.mlp_activated") : -1.0;
        };
        QCOMPARE(kept("gelu"), 0.0);
        QCOMPARE(kept("gelu_new"), 4.0 * 2048 * 6 * 4096);
    }

    // LitGPT packs its output matrix, too, and one dropout stands before the adapters of the joined projection. Contexts of bitsandbytes 0.42's products hold
    // what these took until the graph is freed, which the loop's loss holds until the next one; in 2023 the longest sample was the first.
    void packedProductsHoldTheMicroBatchBefore()
    {
        const auto plan = [](const char* base, double dropout, const json& arguments) {
            json w = with(document("llama-2-7b", "deepspeed"), "/framework/arguments", arguments);
            w["model"]["adapter"] = {{"rank", 8}, {"targets", {"q_proj", "v_proj"}}, {"base", base}, {"dropout", dropout}};
            w["model"]["seq"] = 512;
            w["dsConfig"] = {{"train_micro_batch_size_per_gpu", 2}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 0}}}};
            return planOf(w);
        };
        const json litgpt = {{"model_code", "litgpt"}}, older = {{"model_code", "litgpt"}, {"release", "2023-10"}};
        const double tokens = 1024, head = 32000.0 * 4096, table = head, layers = 32 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008), norms = 65 * 4096;
        const Plan now = plan("nf4", 0.05, litgpt), before = plan("nf4", 0.05, older);
        QVERIFY(near(itemOf(now, "frozen_weights"), 0.5625 * (layers + head) + 2 * (table + norms), 1e-5));
        QVERIFY(near(itemOf(now, "dequantised"), 2.0 * 4096 * 11008 + 4 * head));
        QVERIFY(near(itemOf(now, "inputs_held"), 32 * tokens * 2 * (3 * 4096 + 11008) - 6 * tokens * 32000));
        QCOMPARE(itemOf(before, "inputs_held"), 0.0);
        QCOMPARE(itemOf(plan("16bit", 0.05, litgpt), "inputs_held"), 0.0);
        QVERIFY(now.ledger->front().peak.allocated > before.ledger->front().peak.allocated);
        QVERIFY(near(itemOf(now, "activations.adapter_dropout"), 32 * tokens * 3 * 4096));
        // PEFT has one for each of the two, and leaves the output as it is.
        const Plan peft = plan("nf4", 0.05, json::object());
        QVERIFY(near(itemOf(peft, "activations.adapter_dropout"), 2 * 32 * tokens * 3 * 4096));
        QVERIFY(near(itemOf(peft, "frozen_weights"), 0.5625 * layers + 2 * (table + head + norms), 1e-5));
    }

    // bf16 gradients are summed and reduced in fp32 unless the command line says otherwise.
    void gradientsReducedInBf16()
    {
        const json plain = with(document("llama-3-8b", "megatron"), "/framework/arguments", {{"bf16", true}, {"use-distributed-optimizer", true}, {"overlap-grad-reduce", true}});
        json bf16 = plain;
        bf16["framework"]["arguments"]["grad-reduce-in-bf16"] = true;
        QCOMPARE(2 * itemOf(planOf(bf16), "gradients"), itemOf(planOf(plain), "gradients"));
    }

    // Megatron's processes hold a quarter more than is allocated, until the device is full; what it needs is judged by what cannot be given back.
    void freedBlocksAreKeptUntilTheDeviceIsFull()
    {
        const auto peakOf = [](const char* preset, int stages) {
            const Plan plan = planOf(test::with(document(preset, "megatron"), "/framework/arguments", {{"bf16", true}, {"use-distributed-optimizer", true}, {"pipeline-model-parallel-size", stages}}));
            return plan.ledger->front().peak;
        };
        const LedgerPeak small = peakOf("llama-3.2-1b", 1), full = peakOf("llama-3-8b", 1);
        QVERIFY(near(static_cast<double>(small.reserved), 1.25 * static_cast<double>(small.allocated)));
        QVERIFY(static_cast<double>(full.reserved) >= 1.049 * static_cast<double>(full.allocated) && static_cast<double>(full.reserved) < 1.25 * static_cast<double>(full.allocated));
    }

    // Narrow where the calibration half has figures of the kind; everything else keeps its framework's width.
    void intervalsAreNarrowWhereFiguresAre()
    {
        TrainingCase c;
        c.framework = Framework::Fsdp2;
        c.expandableSegments = true;
        const double alone = peakSigma(c), wide = peakSigma(Framework::Fsdp2);
        QVERIFY(alone > 0.01 && alone < 0.5 * wide);
        const auto with = [&](auto change) {
            TrainingCase other = c;
            change(other);
            return peakSigma(other);
        };
        QCOMPARE(with([](TrainingCase& o) { o.tp = 2; }), wide);
        QCOMPARE(with([](TrainingCase& o) { o.pp = 2; }), wide);
        QCOMPARE(with([](TrainingCase& o) { o.cp = 2; }), wide);
        QCOMPARE(with([](TrainingCase& o) { o.model.experts = 8; }), wide);
        QCOMPARE(with([](TrainingCase& o) { o.flatShards = true; }), wide);
        QCOMPARE(with([](TrainingCase& o) { o.expandableSegments = false; }), wide);
        QCOMPARE(with([](TrainingCase& o) { o.model.gated = false; }), wide);
        QCOMPARE(with([](TrainingCase& o) { o.framework = Framework::DeepSpeed; }), peakSigma(Framework::DeepSpeed));
        QCOMPARE(with([](TrainingCase& o) { o.framework = Framework::Megatron; }), peakSigma(Framework::Megatron));
        // Experts that a router fills as it likes, of which half of a rank's memory is: many small ones more unevenly than eight.
        const double few = with([](TrainingCase& o) { o.framework = Framework::Megatron, o.model.experts = 8, o.ep = 4; });
        const double many = with([](TrainingCase& o) { o.framework = Framework::Megatron, o.model.experts = 32, o.ep = 8; });
        QVERIFY(few > peakSigma(Framework::Megatron) && many > 2 * few);
        QVERIFY(near(many, std::hypot(peakSigma(Framework::Megatron), 0.5 * 0.354 / 2)));
        QCOMPARE(with([](TrainingCase& o) { o.framework = Framework::Megatron, o.model.experts = 32, o.ep = 8, o.balancedExperts = true; }), peakSigma(Framework::Megatron));
        // A plan has the width of its job.
        const json arguments = {{"seq", 8192}, {"local_batch", 1}, {"ac", "full"}};
        const Plan plan = planOf(test::with(document("llama-3-8b", "fsdp2"), "/framework/arguments", arguments));
        QVERIFY(near(plan.ledger->front().peak.relative90, 1.645 * alone));
    }

    // Transformer Engine calls FlashAttention-2 before May 2024, and where it is told to; cuDNN's kernels, written for Hopper, are faster on long sequences.
    void transformerEngineChangedItsAttention()
    {
        const auto stepOn = [](const char* device, const json& more) {
            json arguments = {{"bf16", true}, {"seq-length", 32768}, {"micro-batch-size", 1}, {"global-batch-size", 8}, {"recompute-granularity", "full"}, {"recompute-method", "uniform"}};
            arguments.update(more);
            return planOf(with(with(document("llama-3-8b", "megatron"), "/framework/arguments", arguments), "/hardware/device", device)).forecast->stepTime;
        };
        const double now = stepOn("H100-SXM-80GB", json::object()), before = stepOn("H100-SXM-80GB", {{"release", "2024-03"}});
        QVERIFY2(before > 1.15 * now, qPrintable(QString::number(before / now)));
        QCOMPARE(stepOn("H100-SXM-80GB", {{"attention-backend", "flash"}}), before);
        QCOMPARE(stepOn("H100-SXM-80GB", {{"release", "2024-05"}}), now);
        QCOMPARE(stepOn("H100-SXM-80GB", {{"release", "2024-03"}, {"attention-backend", "fused"}}), now);
        QCOMPARE(stepOn("A100-SXM-80GB", {{"release", "2024-03"}}), stepOn("A100-SXM-80GB", json::object()));
    }
};

QTEST_APPLESS_MAIN(TstPublishedRules)
#include "tst_published_rules.moc"
