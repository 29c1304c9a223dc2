// SPDX-License-Identifier: GPL-3.0-or-later
// What DeepSpeed's own code adds to a plan: buffers of its pipeline engine, memory its allocator keeps, launches that wait, gathers
// that are asked for too late to hide.
#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/plan.h"

#include <QtTest>

using namespace stagecraft;
using nlohmann::json;

namespace {

Workspace pipeline(int tp, int pp, int microBatch)
{
    Workspace w;
    ModelSpec spec;
    spec.family = Family::Gpt2;
    spec.hidden = 14336;
    spec.layers = 72;
    spec.heads = spec.kvHeads = 64;
    spec.headSize = 224;
    spec.ffn = 4 * 14336;
    spec.vocab = 250880;
    spec.seq = spec.positions = 2048;
    spec.tieEmbeddings = true;
    w.model.spec = spec;
    w.framework.name = "deepspeed";
    w.framework.arguments = {{"model_code", "megatron"}, {"attention_dropout", 0.0}, {"hidden_dropout", 0.0}};
    w.hardware.device = "A100-SXM-80GB";
    w.hardware.devicesPerNode = 8;
    w.hardware.nodes = 48;
    w.layout.tp = tp;
    w.layout.pp = pp;
    w.layout.dp = 384 / tp / pp;
    w.layout.recompute = "full";
    w.dsConfig = {{"train_micro_batch_size_per_gpu", microBatch}, {"gradient_accumulation_steps", 64}, {"fp16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 1}}}};
    return w;
}

std::int64_t itemOf(const LedgerRole& role, const std::string& what)
{
    std::int64_t sum = 0;
    for (const LedgerItem& item : role.items) sum += item.what == what ? item.bytes : 0;
    return sum;
}

std::int64_t fullest(const Plan& plan)
{
    std::int64_t most = 0;
    for (const LedgerRole& role : *plan.ledger) most = std::max(most, role.peak.process);
    return most;
}

}  // namespace

class TstMegatronDeepSpeed : public QObject {
    Q_OBJECT
private slots:
    // The engine keeps only its rank's part of what it sends on (PartitionedTensor), one for each micro-batch in flight.
    void outputsAreDividedOverTheTensorRanks()
    {
        const auto plan = makePlan(pipeline(8, 12, 2));
        QVERIFY(plan.hasValue() && plan->ledger && plan->ledger->size() == 12);
        const std::int64_t output = std::int64_t{2} * 2 * 2048 * 14336;
        QCOMPARE(itemOf(plan->ledger->front(), "pipeline_outputs"), output / 8 * 12);
        QCOMPARE(itemOf((*plan->ledger)[10], "pipeline_outputs"), output / 8 * 2);
        QCOMPARE(itemOf(plan->ledger->back(), "pipeline_outputs"), std::int64_t{0});
        QCOMPARE(itemOf(plan->ledger->back(), "pipeline_gradients"), std::int64_t{0});
    }

    void normOfTheEmbeddingKeepsItsInput()
    {
        Workspace w = pipeline(8, 12, 2);
        QCOMPARE(itemOf(makePlan(w)->ledger->front(), "activations.embedding"), std::int64_t{0});
        w.framework.arguments["embed_layernorm"] = true;
        const auto plan = makePlan(w);
        QCOMPARE(itemOf(plan->ledger->front(), "activations.embedding"), std::int64_t{2} * 2 * 2048 * 14336 * 12);
        QCOMPARE(itemOf((*plan->ledger)[1], "activations.embedding"), std::int64_t{0});
    }

    // bf16 with fp32 gradients has its own optimizer: no bucket, and a cast of the largest gradient.
    void gradientOfTheTable()
    {
        Workspace w = pipeline(8, 12, 2);
        const std::int64_t table = std::int64_t{250880} * 14336 / 8 + std::int64_t{2048} * 14336;
        QCOMPARE(itemOf(makePlan(w)->ledger->front(), "gradient_of_table"), 2 * table);
        QVERIFY(itemOf(makePlan(w)->ledger->front(), "buckets") > 0);
        w.dsConfig.erase("fp16");
        w.dsConfig["bf16"] = {{"enabled", true}};
        w.dsConfig["data_types"] = {{"grad_accum_dtype", "fp32"}};
        QCOMPARE(itemOf(makePlan(w)->ledger->front(), "gradient_of_table"), 6 * table);
        QCOMPARE(itemOf(makePlan(w)->ledger->front(), "buckets"), std::int64_t{0});
        w.dsConfig["gradient_accumulation_steps"] = 1;
        QCOMPARE(itemOf(makePlan(w)->ledger->front(), "gradient_of_table"), std::int64_t{0});
    }

    // What the step needs is reserved beside what the passes left, up to what the device has; more than that only where it must be.
    void allocatorKeepsWhatItHas()
    {
        const auto small = makePlan(pipeline(8, 12, 2));
        const LedgerPeak& peak = small->ledger->front().peak;
        QCOMPARE(peak.phase, std::string("backward"));
        QVERIFY(static_cast<double>(peak.reserved) > 1.10 * static_cast<double>(peak.allocated));
        const std::int64_t usable = findDevice("A100-SXM-80GB")->usableBytes;
        bool capped = false, over = false;
        for (int microBatch = 8; microBatch <= 32; ++microBatch) {
            // Buffers of the step large enough that one of these micro-batches fills the device with them, and not without.
            Workspace w = pipeline(8, 12, microBatch);
            w.dsConfig["zero_optimization"]["allgather_bucket_size"] = 4'000'000'000;
            w.dsConfig["zero_optimization"]["reduce_bucket_size"] = 4'000'000'000;
            const auto plan = makePlan(w);
            const LedgerPeak& full = plan->ledger->front().peak;
            const double tight = 1.05 * static_cast<double>(full.allocated) + static_cast<double>(full.process - full.reserved);
            if (tight < static_cast<double>(usable)) QVERIFY(fullest(*plan) <= usable);
            capped |= fullest(*plan) == usable;
            over |= fullest(*plan) > usable;
        }
        QVERIFY(capped && over);
    }

    void oldReleasesLoadEveryKernel()
    {
        Workspace w = pipeline(8, 12, 2);
        const std::int64_t before = fullest(*makePlan(w));
        w.framework.arguments["release"] = "2023-06";
        QCOMPARE(before - fullest(*makePlan(w)), (1573 - 520) * kMiB);
    }

    void blockedLaunchesTakeTurnsWithTheirKernels()
    {
        for (const int microBatch : {1, 4}) {
            Workspace w = pipeline(8, 12, microBatch);
            const double overlapped = makePlan(w)->forecast->stepTime;
            w.framework.arguments["cuda_launch_blocking"] = true;
            const double blocked = makePlan(w)->forecast->stepTime;
            // As many launches for each micro-batch: small ones lose more.
            QVERIFY2(blocked > (microBatch == 1 ? 1.15 : 1.02) * overlapped && blocked < (microBatch == 1 ? 1.6 : 1.15) * overlapped, qPrintable(QString::number(blocked / overlapped)));
        }
    }

    // FSDP2: what is kept of gradients and weights, and how much of the logits and the embedding a rank has, is the job's choice.
    void shardsGradientsAndLogitsAreTheJobsChoice()
    {
        Workspace w = pipeline(1, 1, 1);
        w.model.spec->family = Family::Llama;
        w.model.spec->hidden = 4096;
        w.model.spec->headSize = 64;
        w.model.spec->ffn = 14336;
        w.model.spec->layers = 32;
        w.model.spec->vocab = 128256;
        w.model.spec->seq = 4096;
        w.model.spec->tieEmbeddings = false;
        w.framework.name = "fsdp2";
        w.hardware.device = "H100-SXM-80GB";
        w.hardware.nodes = 2;
        w.layout.dp = 16;
        const json plain = {{"fsdp", 4}, {"tp", 4}, {"local_batch", 4}, {"global_batch", 32}, {"ac", "full"}, {"compile", true}, {"release", "2026-01"}, {"compile_loss", false}};
        const auto with = [&](const char* name, const json& value) {
            w.framework.arguments = plain;
            if (name) w.framework.arguments[name] = value;
            auto plan = makePlan(w);
            return std::move(plan.value());
        };
        const LedgerRole fp32 = with(nullptr, nullptr).ledger->front();
        const LedgerRole bf16 = with("dtype", "bfloat16").ledger->front();
        for (const char* what : {"weights", "optimizer_states", "gradients"}) QCOMPARE(itemOf(bf16, what) * 2, itemOf(fp32, what));
        // Summed whole in fp32 over the micro-batches, and reduced once.
        const Plan whole = with("accumulate_unsharded", true);
        QCOMPARE(itemOf(fp32, "whole_gradients"), std::int64_t{0});
        QCOMPARE(itemOf(whole.ledger->front(), "whole_gradients"), 4 * itemOf(fp32, "weights"));
        QVERIFY(whole.forecast->stepTime <= with(nullptr, nullptr).forecast->stepTime);
        // Two groups of two hold each shard twice.
        QCOMPARE(itemOf(with("replicate", 2).ledger->front(), "weights"), 2 * itemOf(fp32, "weights"));
        QVERIFY(!with("replicate", 3).ledger);
        QVERIFY(itemOf(with("disable_loss_parallel", true).ledger->front(), "loss") > 2 * itemOf(fp32, "loss"));
        QCOMPARE(itemOf(with("loss_dtype", "bfloat16").ledger->front(), "loss") * 8, 3 * itemOf(fp32, "loss"));
        QVERIFY(itemOf(with("replicate_embedding", true).ledger->front(), "weights") > itemOf(fp32, "weights"));
        QVERIFY(with("attention", "cudnn").forecast->stepTime < with(nullptr, nullptr).forecast->stepTime);
        QVERIFY(with("release", "2024-06").forecast->stepTime > with(nullptr, nullptr).forecast->stepTime);
    }

    // Stage 3 asks ahead for one prefetch bucket: a smaller one hides less, and nothing hides without overlap.
    void gathersHideUpToThePrefetchBucket()
    {
        Workspace w = pipeline(1, 1, 1);
        w.model.spec->hidden = 4096;
        w.model.spec->headSize = 64;
        w.model.spec->ffn = 4 * 4096;
        w.model.spec->layers = 32;
        w.framework.arguments = {{"attn_implementation", "sdpa"}};
        w.hardware.nodes = 1;
        w.layout.dp = 8;
        const auto step = [&](json zero) {
            zero["stage"] = 3;
            w.dsConfig["zero_optimization"] = zero;
            return makePlan(w)->forecast->stepTime;
        };
        const double all = step({{"stage3_prefetch_bucket_size", 1'000'000'000}});
        const double some = step({{"stage3_prefetch_bucket_size", 50'000'000}});
        const double none = step({{"overlap_comm", false}});
        QVERIFY2(all < some && some < none, qPrintable(QString("%1 %2 %3").arg(all).arg(some).arg(none)));
        QCOMPARE(step({{"stage3_prefetch_bucket_size", 2'000'000'000}}), all);
    }
};

QTEST_APPLESS_MAIN(TstMegatronDeepSpeed)
#include "tst_megatron_deepspeed.moc"
