// SPDX-License-Identifier: GPL-3.0-or-later
// What ranks send each other for the ways of dividing a job that have traffic of their own, and what of it the step waits for.
#include "base/units.h"
#include "planner/advisor.h"
#include "planner/config_advice.h"
#include "planner/ds_settings.h"
#include "planner/parameter_groups.h"
#include "planner/traffic.h"
#include "planner/transfers.h"
#include "planner/workspace_model.h"
#include "plan_documents.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <tuple>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

double part(const Plan& plan, const std::string& name)
{
    for (const auto& [what, seconds] : plan.forecast->split)
        if (what == name) return seconds;
    return 0;
}

const TrafficItem* itemOf(const Traffic& t, const std::string& what)
{
    for (const TrafficItem& item : t.items)
        if (item.what == what) return &item;
    return nullptr;
}

/// What the advice about the ds_config says by the first of these rules that it has something to say by.
std::string sentenceOf(const json& w, const std::vector<std::string>& rules)
{
    const std::vector<CheckFinding> findings = adviseConfig(workspaceOf(w), {}, "en");
    for (const std::string& rule : rules)
        for (const CheckFinding& finding : findings)
            if (finding.rule == rule) return finding.message;
    return "nothing";
}

/// Llama 2 7B over two nodes of eight A100, the sequence divided over `cp` ranks, as many tokens on each whatever `cp`.
json divided(int cp)
{
    json w = document("llama-2-7b", "deepspeed", 1, 2, 8, 1);
    w["model"]["seq"] = 4096;
    w["hardware"]["device"] = "A100-SXM-80GB";
    w["layout"] = {{"dp", 16 / cp}, {"cp", cp}, {"recompute", "full"}};
    w["dsConfig"]["train_micro_batch_size_per_gpu"] = cp;
    w["framework"]["arguments"] = {{"network_gb_per_s", 12.5}};
    return w;
}

/// Llama 3 8B by Megatron's FSDP over four nodes, eight micro-batches.
json sharded(const char* strategy)
{
    json w = document("llama-3-8b", "megatron", 1, 4, 8, 8);
    w["hardware"]["device"] = "A100-SXM-80GB";
    w["layout"] = {{"dp", 32}, {"recompute", "full"}};
    w["framework"]["arguments"] = {{"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", strategy}, {"network_gb_per_s", 12.5}, {"seq-length", 2048}};
    return w;
}

}  // namespace

class TstExchanges : public QObject {
    Q_OBJECT
private slots:
    // Parameters fill a bucket until the next does not fit, and one larger than a bucket goes by itself: no more calls than tensors.
    void smallBucketsWaitMoreOften()
    {
        for (const int stage : {1, 2, 3}) {
            const auto stepWith = [&](std::int64_t bucket) {
                json w = document("llama-2-7b", "deepspeed", stage, 2, 8, 1);
                w["dsConfig"]["zero_optimization"]["reduce_bucket_size"] = bucket;
                w["dsConfig"]["zero_optimization"]["overlap_comm"] = true;
                return planOf(w).forecast->stepTime;
            };
            QVERIFY2(stepWith(1000) > stepWith(500'000'000), qPrintable(QString::number(stage)));
            QVERIFY(stepWith(1000) < 1.5 * stepWith(500'000'000));
            QVERIFY(stepWith(10'000'000) >= stepWith(500'000'000));
        }
        // All in one bucket: nothing of it goes under the backward pass.
        const auto exposed = [&](std::int64_t bucket, bool overlap) {
            json w = document("llama-2-7b", "deepspeed", 2, 2, 8, 1);
            w["dsConfig"]["zero_optimization"]["reduce_bucket_size"] = bucket;
            w["dsConfig"]["zero_optimization"]["overlap_comm"] = overlap;
            return part(planOf(w), "communication_exposed.gradients");
        };
        QCOMPARE(exposed(7'000'000'000, true), exposed(7'000'000'000, false));
        QVERIFY(exposed(500'000'000, true) < exposed(500'000'000, false));
        // 32 layers of nine tensors, two tables and a norm, of which the matrices are larger than a bucket.
        std::vector<PlanFinding> findings;
        const Workspace w = workspaceOf(document("llama-2-7b", "deepspeed", 2, 2, 8, 1));
        const auto job = readTrainingCase(w, countWorkspaceModel(w, findings).shape, readDsSettings(w, 4096, findings), findings);
        double calls = 0;
        for (const ParameterGroup& group : parameterGroups(*job, 0, 32)) calls += bucketReductions(*job, group, 1e6);
        QCOMPARE(calls, 32 * 7 + 2 + 1.0);
        // Of one layer: seven matrices by themselves and its norms, five buckets that hold each of them, or all at once.
        const double layer = 4.0 * 4096 * 4096 + 3.0 * 4096 * 11008 + 2 * 4096;
        QCOMPARE(layerReductions(*job, false, layer, 1e6), 8.0);
        QCOMPARE(layerReductions(*job, false, layer, 5e7), 5.0);
        QCOMPARE(layerReductions(*job, false, layer, 5e8), 1.0);
    }

    // DeepSpeed's Ulysses: four all-to-alls of a rank's tokens forward and four backward, b s h / c each, and the forward ones again.
    void sequenceParallelismTurnsTokensIntoHeads()
    {
        const double alone = planOf(divided(1)).forecast->stepTime;
        for (const int cp : {2, 4, 8, 16}) {
            const Traffic t = planTraffic(workspaceOf(divided(cp))).value();
            const TrafficItem* context = itemOf(t, "context");
            QVERIFY(context);
            QCOMPARE(context->operation, std::string("all_to_all"));
            const double one = 2.0 * 4096 * 4096 * (cp - 1) / cp;   // bytes of 4096 tokens a rank, whatever cp
            QVERIFY2(near(context->bytes, 32 * (4 + 4 + 4) * one), qPrintable(QString("cp %1: %2 of %3").arg(cp).arg(context->bytes).arg(32 * 12 * one)));
            QCOMPARE(context->perLayer, 12.0);
            // Nothing runs beside it: the step waits for all of it, and computing has none.
            const Plan plan = planOf(divided(cp));
            QVERIFY(near(part(plan, "communication_exposed.context"), context->seconds, 1e-9));
            QVERIFY(near(part(plan, "compute"), part(planOf(divided(1)), "compute"), 0.1));
            const double step = plan.forecast->stepTime;
            // Over two nodes half of it goes through each device's own port.
            QVERIFY2(step < (cp > 8 ? 1.5 : 1.2) * alone, qPrintable(QString("cp %1: %2 of %3 s").arg(cp).arg(step).arg(alone)));
        }
        // Fewer key heads than ranks are copied to as many.
        json grouped = divided(16);
        grouped["model"] = {{"preset", "llama-3-8b"}, {"seq", 4096}};
        const Traffic t = planTraffic(workspaceOf(grouped)).value();
        QVERIFY(near(itemOf(t, "context")->bytes, 32.0 * 3 * 15 / 16 * 4096 * 2 * (32 + 16) * 2 * 128));
    }

    // Ring attention sends keys and values around, and once more where the forward pass is made again.
    void ringsPassKeysAndValues()
    {
        json w = document("llama-3-8b", "megatron", 1, 1, 8, 2);
        w["model"]["seq"] = 4096;
        w["layout"] = {{"dp", 1}, {"cp", 8}};
        const double kept = planTraffic(workspaceOf(w))->bytesOf("context"), remade = planTraffic(workspaceOf(with(w, "/layout/recompute", "full")))->bytesOf("context");
        QVERIFY(near(kept, 2.0 * 32 * 3 * 7 * 512 * 2 * 8 * 2 * 128));
        QVERIFY(near(remade, kept * 4 / 3));
        // Attention hides most of it: what shows is a part.
        QVERIFY(part(planOf(w), "communication_exposed.context") < planTraffic(workspaceOf(w))->secondsOf("context"));
    }

    // Megatron-FSDP gathers and scatters in every micro-batch what it has divided.
    void fullySharedWeightsAreGathered()
    {
        const double phi = 8'030'261'248.0, ring = 31.0 / 32;
        const Traffic optimizer = planTraffic(workspaceOf(sharded("optim"))).value();
        const Traffic gradients = planTraffic(workspaceOf(sharded("optim_grads"))).value(), all = planTraffic(workspaceOf(sharded("optim_grads_params"))).value();
        QVERIFY(near(optimizer.bytesOf("gradients"), ring * 4 * phi, 1e-3));
        QVERIFY(near(optimizer.bytesOf("weights."), ring * 2 * phi, 1e-3));
        QVERIFY(near(gradients.bytesOf("gradients"), 8 * ring * 4 * phi, 1e-3));
        QVERIFY(near(gradients.bytesOf("weights."), ring * 2 * phi, 1e-3));
        QVERIFY(near(all.bytesOf("gradients"), 8 * ring * 4 * phi, 1e-3));
        QVERIFY(near(all.bytesOf("weights."), 8 * 2 * ring * 2 * phi, 1e-3));
        const Plan least = planOf(sharded("optim")), most = planOf(sharded("optim_grads_params"));
        QVERIFY(most.forecast->stepTime > 1.02 * least.forecast->stepTime);
        // The very bytes of FSDP2.
        json fsdp = sharded("optim");
        fsdp["framework"] = {{"name", "fsdp2"}, {"arguments", {{"seq", 2048}, {"network_gb_per_s", 12.5}}}};
        QVERIFY(near(all.bytesOf("weights."), planTraffic(workspaceOf(fsdp))->bytesOf("weights."), 1e-3));
    }

    // The step waits for the fullest stage, whichever it is.
    void fullestStageEndsTheStep()
    {
        const auto split = [](int first, int last) {
            json w = document("llama-2-70b", "megatron", 1, 8, 8, 4);
            w["layout"] = {{"dp", 2}, {"tp", 8}, {"pp", 4}, {"sequenceParallel", true}};
            w["framework"]["arguments"] = {{"seq-length", 1024}, {"decoder-first-pipeline-num-layers", first}, {"decoder-last-pipeline-num-layers", last}};
            // Gradients twice as wide as weights count as elements all the same: each is sent once, and so is each new weight.
            if (!near(planTraffic(workspaceOf(w))->relativeVolume, 1, 1e-3)) qFatal("the volume is not that of the stage that sends it");
            return planOf(w);
        };
        const Plan front = split(24, 2), back = split(2, 24);
        QVERIFY(near(part(front, "optimizer"), part(back, "optimizer"), 0.05));
        // Behind a short first stage the second, of 27 layers, has hardly more time to reduce than a first of 24.
        QVERIFY(near(part(back, "communication_exposed.gradients"), part(front, "communication_exposed.gradients"), 0.3));
        QVERIFY(back.forecast->stepTime > 0.8 * front.forecast->stepTime);
    }

    // What may run under the backward pass is what that pass made, in every micro-batch; updated weights come after the step.
    void overlapHidesGradientsAlone()
    {
        const auto step = [](int accumulation, const char* overlap) {
            json w = document("llama-3-8b", "deepspeed", 2, 4, 8, accumulation);
            w["model"]["seq"] = 2048;
            w["hardware"]["device"] = "A100-SXM-80GB";
            w["layout"] = {{"dp", 32}, {"recompute", "full"}};
            w["dsConfig"]["zero_optimization"]["overlap_comm"] = std::string(overlap) == "true";
            return w;
        };
        for (const int accumulation : {1, 8}) {
            const json off = step(accumulation, "false"), on = step(accumulation, "true");
            const Traffic t = planTraffic(workspaceOf(off)).value();
            const double hidden = planOf(off).forecast->stepTime - planOf(on).forecast->stepTime;
            QVERIFY2(near(hidden, 0.7 * t.secondsOf("gradients"), 1e-3), qPrintable(QString("%1 of %2").arg(hidden).arg(t.secondsOf("gradients"))));
            // The advice says what the plan does.
            const std::string advice = sentenceOf(off, {"plan.overlap_off"});
            const QString said = hidden < 1 ? QString::number(hidden * 1e3, 'g', 3) + " ms" : QString::number(hidden, 'g', 3) + " s";
            QVERIFY2(QString::fromStdString(advice).contains(said), qPrintable(said + ": " + QString::fromStdString(advice)));
        }
    }

    // Stage 0 sums after the last backward pass, and a pipeline refuses overlap_comm: nothing hides, and nobody is told to write it.
    void overlapNeedsAStageAndNoPipeline()
    {
        json w = document("llama-3-8b", "deepspeed", 0, 4, 8, 4);
        w["model"]["seq"] = 2048;
        w["hardware"]["device"] = "A100-SXM-80GB";
        w["layout"] = {{"dp", 32}, {"recompute", "full"}};
        QVERIFY(near(part(planOf(w), "communication_exposed.gradients"), planTraffic(workspaceOf(w))->secondsOf("gradients"), 1e-3));
        json piped = with(with(w, "/layout", {{"dp", 8}, {"pp", 4}, {"recompute", "full"}}), "/dsConfig/zero_optimization", {{"stage", 1}, {"overlap_comm", false}, {"reduce_bucket_size", 500'000'000}});
        const Plan off = planOf(piped), on = planOf(with(piped, "/dsConfig/zero_optimization/overlap_comm", true));
        QCOMPARE(on.forecast->stepTime, off.forecast->stepTime);
        QCOMPARE(test::itemOf(on, "buckets"), test::itemOf(off, "buckets"));
        QCOMPARE(sentenceOf(piped, {"plan.overlap_off"}), std::string("nothing"));
        // One stage less, and it does.
        json flat = with(piped, "/layout", {{"dp", 32}, {"recompute", "full"}});
        QVERIFY(planOf(with(flat, "/dsConfig/zero_optimization/overlap_comm", true)).forecast->stepTime < 0.99 * planOf(flat).forecast->stepTime);
    }

    // What wider gradients cost is counted where they are sent.
    void wideGradientsAreCountedWhereTheyAreSent()
    {
        json w = document("mixtral-8x7b", "deepspeed", 2, 4, 8, 2);
        w["model"]["seq"] = 512;
        w["hardware"]["device"] = "H200-SXM-141GB";
        w["layout"] = {{"dp", 32}, {"ep", 8}};
        const double narrow = planTraffic(workspaceOf(w))->bytesOf("gradients");
        w["dsConfig"]["communication_data_type"] = "fp32";
        const double wide = planTraffic(workspaceOf(w))->bytesOf("gradients");
        QVERIFY(near(wide, 2 * narrow));
        const QString told = QString::fromStdString(sentenceOf(w, {"plan.communication_fp32"}));
        for (const double bytes : {wide, narrow}) {
            const QString said = QString::fromStdString(formatBytes(std::llround(bytes)));
            QVERIFY2(told.contains(said), qPrintable(said + ": " + told));
        }
    }

    // The finding about stage 3 has the bytes of the traffic: frozen weights have no gradients, experts fewer ranks.
    void findingsCountWhatIsSent()
    {
        json adapted = document("llama-2-13b", "deepspeed", 3, 4, 8, 8);
        adapted["model"] = {{"preset", "llama-2-13b"}, {"seq", 512}, {"adapter", {{"rank", 8}}}};
        adapted["hardware"]["device"] = "A100-SXM-80GB";
        json sparse = document("mixtral-8x7b", "deepspeed", 3, 4, 8, 8);
        sparse["model"]["seq"] = 512;
        sparse["hardware"]["device"] = "H200-SXM-141GB";
        sparse["layout"] = {{"dp", 32}, {"ep", 8}};
        for (const json& w : {adapted, sparse}) {
            const Traffic t = planTraffic(workspaceOf(w)).value();
            const double bytes = t.bytesOf("gradients") + t.bytesOf("weights.");
            const QString said = QString::number(std::round(bytes / 1073741824.0)) + " GiB";
            const QString told = QString::fromStdString(sentenceOf(w, {"plan.stage_large", "plan.accumulation_traffic"}));
            QVERIFY2(told.contains(said), qPrintable(said + ": " + told));
        }
    }

    // Block inputs that tensor-parallel ranks share out are put together again, and take a part of the memory.
    void dividedCheckpointsAreGathered()
    {
        json w = document("llama-2-7b", "deepspeed", 1, 1, 8, 2);
        w["layout"] = {{"dp", 2}, {"tp", 4}, {"recompute", "full"}};
        const json parts = with(w, "/dsConfig/activation_checkpointing", {{"partition_activations", true}});
        const Traffic t = planTraffic(workspaceOf(parts)).value();
        const double tokens = 4096, input = 2 * tokens * 4096;
        QVERIFY(near(t.bytesOf("tensor.checkpoints"), 2 * 32 * 0.75 * input));
        QVERIFY(near(test::itemOf(planOf(parts), "activations.checkpoints"), 32 * input / 4));
        QVERIFY(near(test::itemOf(planOf(w), "activations.checkpoints"), 32 * input));
        const double more = planOf(parts).forecast->stepTime - planOf(w).forecast->stepTime;
        QVERIFY(near(more, t.secondsOf("tensor.checkpoints"), 1e-3));
    }

    // DeepSpeed divides experts among ranks and never inside: each lies whole on as many ranks as share it.
    void expertsAreWholeUnderTensorParallelism()
    {
        const double all = 32.0 * 8 * 3 * 4096 * 14336;
        for (const auto& [dp, tp, ep] : {std::tuple{2, 8, 2}, {4, 4, 4}, {16, 1, 8}}) {
            json w = document("mixtral-8x7b", "deepspeed", 1, 2, 8, 1);
            w["layout"] = {{"dp", dp}, {"tp", tp}, {"ep", ep}};
            const TrainingCase c = *readTrainingCase(workspaceOf(w), countWorkspaceModel(workspaceOf(w), m_unread).shape, readDsSettings(workspaceOf(w), 4096, m_unread), m_unread);
            const auto groups = parameterGroups(c, 0, 32);
            const auto experts = std::find_if(groups.begin(), groups.end(), [](const ParameterGroup& group) { return group.experts; });
            // Where tp and ep are alike the very ranks that share dense weights share experts.
            QCOMPARE(experts == groups.end(), tp == ep);
            if (experts != groups.end()) {
                QCOMPARE(experts->elements(), all / ep);
                QCOMPARE(experts->shards, std::int64_t{16 / ep});
                QCOMPARE(experts->stride, std::int64_t{ep});
            }
            const Plan plan = planOf(w);
            // The token table is whole on every tensor-parallel rank.
            const double more = 32000.0 * 4096 * (1 - 1.0 / tp);
            QVERIFY(near(test::itemOf(plan, "weights"), 2 * (all / ep + (46'702'792'704.0 - all) / tp + more), 0.01));
            QVERIFY(near(test::itemOf(plan, "optimizer_states"), 8 * (46'702'792'704.0 / 16 + more / dp), 0.01));
            // Tensor-parallel ranks have the same tokens, and each routes its part.
            QVERIFY(near(planTraffic(workspaceOf(w))->bytesOf("experts.forward"), 32.0 * 2 * (ep - 1) / ep * 2 * 4096 * 2 * 4096 / tp));
        }
    }

    // OPT-350m's token table and output matrix have half the width of its blocks.
    void narrowTablesAreCounted()
    {
        const json config = {{"architectures", {"OPTForCausalLM"}}, {"model_type", "opt"}, {"hidden_size", 1024}, {"num_hidden_layers", 24}, {"num_attention_heads", 16}, {"ffn_dim", 4096}, {"vocab_size", 50272},
                             {"max_position_embeddings", 2048}, {"word_embed_proj_dim", 512}, {"do_layer_norm_before", false}};
        QTemporaryDir folder;
        QFile file(folder.filePath("config.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray::fromStdString(config.dump())) > 0);
        file.close();
        for (const int pp : {1, 2}) {
            json w = document("gpt2", "deepspeed", 1, 1, 8, 2);
            w["model"] = {{"hf", folder.path().toStdString()}};
            w["layout"] = {{"dp", 8 / pp}, {"pp", pp}};
            const Plan plan = planOf(w);
            QCOMPARE(*plan.params, std::int64_t{331'196'416});
            double held = 0;
            for (const LedgerRole& role : *plan.ledger)
                for (const LedgerItem& item : role.items) held += item.what == "weights" ? static_cast<double>(item.bytes) / 2 : 0;
            // Both ends of a pipeline have the tied table.
            QCOMPARE(held, 331'196'416.0 + (pp - 1) * 50272.0 * 512);
        }
    }

    // Layouts are scored for the sequence that the framework's own arguments say, adapters or not.
    void layoutsHaveTheSequenceOfTheArguments()
    {
        for (const auto& [framework, key] : {std::pair{"fsdp2", "seq"}, std::pair{"megatron", "seq-length"}}) {
            json w = document("llama-3-8b", framework, 2, 1, 8, 1);
            w["model"] = {{"preset", "llama-3-8b"}, {"seq", 1024}, {"adapter", {{"rank", 16}}}};
            w["dsConfig"]["train_micro_batch_size_per_gpu"] = 2;
            w["framework"]["arguments"] = {{key, 16384}};
            const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Layouts).value();
            QVERIFY(!advice.layouts.best.empty());
            json plain = w;
            plain["framework"] = {{"name", std::string(framework) == "fsdp2" ? "fsdp2" : "deepspeed"}};   // Megatron-LM has no adapters: as DeepSpeed
            plain["model"]["seq"] = 16384;
            const Advice same = advise(workspaceOf(plain), {}, {}, AdviceDepth::Layouts).value();
            QCOMPARE(advice.layouts.best.front().memory, same.layouts.best.front().memory);
            QCOMPARE(advice.layouts.best.front().stepTime, same.layouts.best.front().stepTime);
        }
    }

private:
    std::vector<PlanFinding> m_unread;
};

QTEST_APPLESS_MAIN(TstExchanges)
#include "tst_exchanges.moc"
