// SPDX-License-Identifier: GPL-3.0-or-later
// What the loss keeps of the logits: by what makes it, and in how many pieces.
#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr double kVocab = 128256, kHidden = 4096, kTokens = 4096;

json job(const char* framework, const json& arguments) { return with(with(document("llama-3-8b", framework, 2, 1, 8, 1), "/model/seq", kTokens), "/framework/arguments", arguments); }

double peakOf(const json& w, const char* phase)
{
    const Plan plan = planOf(w);
    for (const LedgerPeak& peak : plan.ledger->front().phases)
        if (peak.phase == phase) return static_cast<double>(peak.allocated);
    return 0;
}

}  // namespace

class TstLossKernel : public QObject {
    Q_OBJECT
private slots:
    // One kernel writes the gradient into the logits it took: beside what the model handed out there is one copy, without the last token, for two.
    void oneKernelHasOneCopyLess()
    {
        for (const char* framework : {"deepspeed", "fsdp2"}) {
            const json transformers = json(framework) == json("fsdp2") ? json{{"model_code", "transformers"}, {"seq", 4096}} : json::object();
            json fused = transformers;
            fused["loss"] = "fused";
            const double own = peakOf(job(framework, transformers), "forward"), less = peakOf(job(framework, fused), "forward");
            // FSDP2's plan has what is gathered in the last block where the loss leaves room.
            QVERIFY2(near(own - less, 4 * kTokens * kVocab, 0.01), framework);
        }
    }

    // Liger's cross entropy takes as many pieces as the vocabulary is wider than the hidden state (32 of Llama 3), each of a power of two.
    void outputAndLossTogether()
    {
        const double piece = 128;  // 4096 / 32
        for (const char* word : {"fused_linear", "use_liger_kernel"}) {
            const json arguments = std::string(word) == "use_liger_kernel" ? json{{word, true}} : json{{"loss", word}};
            const Plan plan = planOf(job("deepspeed", arguments));
            QCOMPARE(itemOf(plan, "logits"), 2 * piece * kVocab);
            QCOMPARE(itemOf(plan, "loss"), 0.0);
            QCOMPARE(itemOf(plan, "loss_gradient"), 2 * kTokens * kHidden);
            QCOMPARE(itemOf(plan, "loss_head"), 2 * kVocab * kHidden);
        }
        // A frozen output matrix has no gradient.
        const json adapter{{"rank", 16}, {"targets", json::array({"q_proj", "v_proj"})}};
        const Plan frozen = planOf(with(job("deepspeed", {{"loss", "fused_linear"}}), "/model/adapter", adapter));
        QCOMPARE(itemOf(frozen, "loss_head"), 0.0);
        QCOMPARE(itemOf(frozen, "logits"), 2 * piece * kVocab);
    }

    // torchtitan's chunks add the gradient of the output's input up in fp32, and keep the output matrix gathered.
    void chunksOfTorchtitan()
    {
        const json arguments{{"release", "2026-06"}, {"seq", 4096}, {"compile", false}};
        const Plan whole = planOf(job("fsdp2", arguments)), chunks = planOf(with(job("fsdp2", arguments), "/layout/lossChunks", 8));
        QVERIFY(itemOf(whole, "loss") > 0);
        QVERIFY(near(itemOf(chunks, "loss"), itemOf(whole, "loss") / 8));
        QCOMPARE(itemOf(chunks, "loss_gradient"), 4 * kTokens * kHidden);
        QCOMPARE(itemOf(chunks, "loss_head"), (2 + 2 + 4) * kVocab * kHidden);
        QVERIFY(!findingOf(chunks, "plan.loss_chunks"));
        QVERIFY(chunks.ledger->front().peak.allocated < whole.ledger->front().peak.allocated);
    }

    void wordsThatAreNone()
    {
        QVERIFY(findingOf(planOf(job("deepspeed", {{"loss", "compiled"}})), "plan.argument.loss"));
        QVERIFY(!findingOf(planOf(job("fsdp2", {{"loss", "compiled"}, {"compile", true}})), "plan.argument.loss"));
        QVERIFY(findingOf(planOf(job("fsdp2", {{"loss", "liger"}})), "plan.argument.loss"));
        QVERIFY(findingOf(planOf(job("deepspeed", {{"fused_kernels", "norm dropout"}})), "plan.argument.fused_kernels"));
    }

    // A norm in one kernel keeps what it takes as it is, not turned to fp32; a gate in one makes its activation again.
    void kernelsForTransformersOwn()
    {
        const json checkpoints{{"model_code", "transformers"}, {"seq", 4096}, {"ac", "none"}};
        const auto of = [&](const json& kernels) {
            json arguments = checkpoints;
            if (!kernels.is_null()) arguments["fused_kernels"] = kernels;
            return planOf(job("fsdp2", arguments));
        };
        const Plan own = of(nullptr), norm = of("norm"), gate = of("gate"), all = of(json::array({"norm", "rotation", "gate"}));
        QVERIFY(itemOf(norm, "activations.norm_inputs") < 0.5 * itemOf(own, "activations.norm_inputs"));
        QVERIFY(itemOf(own, "activations.mlp_activated") > 0);
        QCOMPARE(itemOf(norm, "activations.mlp_activated"), itemOf(own, "activations.mlp_activated"));
        QCOMPARE(itemOf(gate, "activations.mlp_activated"), 0.0);
        QVERIFY(norm.forecast->stepTime < own.forecast->stepTime && gate.forecast->stepTime < own.forecast->stepTime);
        QVERIFY(all.forecast->stepTime < norm.forecast->stepTime && all.forecast->stepTime < gate.forecast->stepTime);
        // Liger's kernels are all of them; its loss is named by the same word.
        json liger = checkpoints;
        liger["use_liger_kernel"] = true;
        const Plan named = planOf(job("fsdp2", liger));
        for (const char* item : {"activations.norm_inputs", "activations.mlp_activated"}) QCOMPARE(itemOf(named, item), itemOf(all, item));
    }

    // torch.nn.RMSNorm is one kernel since PyTorch 2.9.
    void torchtitansNormByRelease()
    {
        const auto kept = [](const char* release) { return itemOf(planOf(job("fsdp2", {{"release", release}, {"seq", 4096}, {"compile", false}, {"ac", "none"}})), "activations.norm_inputs"); };
        QCOMPARE(kept("2025-12"), 2.0 / (2 * (4 + 2)) * kept("2025-06"));
    }

    // Experts divided over ranks: each has the others' gradients to wait for and fewer weights to gather.
    void expertRanksUnderFsdp2()
    {
        const auto plan = [](const json& arguments) { return planOf(with(with(document("mixtral-8x7b", "fsdp2", 3, 1, 8, 1), "/model/seq", 4096), "/framework/arguments", arguments)); };
        const json one{{"seq", 4096}, {"release", "2025-12"}};
        json eight = one;
        eight["ep"] = 8;
        const Plan whole = plan(one), divided = plan(eight);
        QVERIFY(itemOf(divided, "gathered_weights") < 0.3 * itemOf(whole, "gathered_weights"));
        const auto exchange = [](const Plan& p) {
            double seconds = 0;
            for (const auto& [name, time] : p.forecast->split) seconds += name == "communication_exposed.experts" ? time : 0;
            return seconds;
        };
        QCOMPARE(exchange(whole), 0.0);
        QVERIFY(exchange(divided) > 0);
    }
};

QTEST_APPLESS_MAIN(TstLossKernel)
#include "tst_loss_kernel.moc"
