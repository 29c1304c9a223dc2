// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/engine_config.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <random>

using namespace stagecraft;
using nlohmann::json;

namespace {

json parsed(const QString& text) { return json::parse(text.toStdString()); }

bool mentions(const EngineConfig& config, const std::string& pointer)
{
    return std::any_of(config.withoutEffect.begin(), config.withoutEffect.end(), [&](const WithoutEffect& w) { return w.pointer == pointer && !w.reason.empty(); });
}

}  // namespace

class TstEngineConfig : public QObject {
    Q_OBJECT
private slots:
    void batchTriangle_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("answer");  // "T M G", or the pointer that is refused
        const auto row = [](const char* name, const char* config, int ranks, const char* answer) {
            QTest::newRow(name) << QString(config) << ranks << QString(answer);
        };
        row("all three", R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})", 4, "128 4 8");
        row("all three on too many ranks", R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})", 8, "/train_batch_size");
        row("accumulation inferred", R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4})", 2, "32 4 4");
        row("accumulation inferred as 0", R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4})", 16, "/gradient_accumulation_steps");
        row("micro inferred", R"({"train_batch_size": 256, "gradient_accumulation_steps": 8})", 8, "256 4 8");
        row("micro inferred as 0", R"({"train_batch_size": 32, "gradient_accumulation_steps": 1})", 64, "/train_micro_batch_size_per_gpu");
        row("total inferred", R"({"train_micro_batch_size_per_gpu": 3, "gradient_accumulation_steps": 5})", 2, "30 3 5");
        row("total alone", R"({"train_batch_size": 12})", 4, "12 3 1");
        row("micro alone", R"({"train_micro_batch_size_per_gpu": 3})", 4, "12 3 1");
        row("an uneven division is not rounded", R"({"train_batch_size": 10})", 4, "/train_batch_size");
        row("accumulation alone", R"({"gradient_accumulation_steps": 4})", 1, "/train_batch_size");
        row("nothing", "{}", 1, "/train_batch_size");
        row("null is missing", R"({"train_batch_size": null, "train_micro_batch_size_per_gpu": 2})", 2, "4 2 1");
        row("a whole float", R"({"train_batch_size": 16.0})", 2, "16 8 1");
        row("true counts as 1", R"({"train_micro_batch_size_per_gpu": true})", 2, "2 1 1");
        row("a fraction", R"({"train_micro_batch_size_per_gpu": 2.5})", 2, "/train_micro_batch_size_per_gpu");
        row("text", R"({"train_batch_size": "16"})", 2, "/train_batch_size");
        row("auto", R"({"train_batch_size": "auto"})", 2, "/train_batch_size");
        row("accumulation of 0 and no micro", R"({"train_batch_size": 16, "gradient_accumulation_steps": 0})", 2, "/gradient_accumulation_steps");
        row("micro of 0 and no accumulation", R"({"train_batch_size": 16, "train_micro_batch_size_per_gpu": 0})", 2, "/train_micro_batch_size_per_gpu");
        row("a negative total", R"({"train_batch_size": -16})", 2, "/train_batch_size");
        row("two negatives make no batch", R"({"train_batch_size": 16, "train_micro_batch_size_per_gpu": -4, "gradient_accumulation_steps": -4})", 1,
            "/train_micro_batch_size_per_gpu");
        row("a total of 1e300", R"({"train_batch_size": 1e300})", 1, "/train_batch_size");
        row("a product beyond 64 bits", R"({"train_micro_batch_size_per_gpu": 1000000000000, "gradient_accumulation_steps": 1000000000000})", 1000,
            "/train_micro_batch_size_per_gpu");
    }
    void batchTriangle()
    {
        QFETCH(QString, config);
        QFETCH(int, ranks);
        QFETCH(QString, answer);
        const auto resolved = resolveForEngine(parsed(config), ranks);
        const QString got = resolved.hasValue() ? QString("%1 %2 %3").arg(resolved.value().trainBatch).arg(resolved.value().microBatch).arg(resolved.value().accumulation)
                                                : QString::fromStdString(resolved.error().context.at("pointer"));
        QCOMPARE(got, answer);
    }

    /// Every accepted triple multiplies out, and leaving one of the three out never changes the others.
    void batchProperty()
    {
        std::mt19937 random(11);
        for (int round = 0; round < 2000; ++round) {
            const int ranks = 1 + static_cast<int>(random() % 9);
            const std::int64_t micro = 1 + random() % 7;
            const std::int64_t steps = 1 + random() % 7;
            const std::int64_t total = micro * steps * ranks;
            json config{{"train_batch_size", total}, {"train_micro_batch_size_per_gpu", micro}, {"gradient_accumulation_steps", steps}};
            const char* const keys[] = {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"};
            config.erase(keys[random() % 3]);
            const auto resolved = resolveForEngine(config, ranks);
            QVERIFY(resolved.hasValue());
            QCOMPARE(resolved.value().trainBatch, total);
            QCOMPARE(resolved.value().microBatch, micro);
            QCOMPARE(resolved.value().accumulation, steps);
        }
    }

    void wordsAreDeepSpeeds()
    {
        const auto refused = resolveForEngine(parsed(R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})"), 8);
        QVERIFY(QString::fromStdString(refused.error().message)
                    .contains("train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 128 != 4 * 8 * 8"));
    }

    void defaults()
    {
        const auto resolved = resolveForEngine({{"train_batch_size", 8}}, 2);
        QVERIFY(resolved.hasValue());
        const EngineConfig& c = resolved.value();
        QCOMPARE(c.zeroStage, 0);
        QVERIFY(c.precision == Precision::Fp32);
        QCOMPARE(c.gradientClipping, 1.0);
        QVERIFY(c.optimizer.kind == OptimizerKind::AdamW);
        QCOMPARE(c.optimizer.learningRate, 1e-3);
        QCOMPARE(c.optimizer.weightDecay, 0.0);
        QVERIFY(c.scheduler.kind == SchedulerKind::Constant);
        QCOMPARE(c.stepsPerPrint, std::int64_t{0});
        QVERIFY(!c.overlapComm);
        QVERIFY(c.withoutEffect.empty());
    }

    void readsATutorialConfig()
    {
        const auto resolved = resolveForEngine(parsed(R"({
            "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8, "gradient_clipping": 0.5, "steps_per_print": 100, "wall_clock_breakdown": true,
            "bf16": {"enabled": true},
            "optimizer": {"type": "AdamW", "params": {"lr": 3e-5, "betas": [0.8, 0.999], "eps": 3e-7, "weight_decay": 0.01}},
            "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_num_steps": 1000, "total_num_steps": 50000, "warmup_max_lr": 1e-5}},
            "zero_optimization": {"stage": 3, "overlap_comm": "yes", "contiguous_gradients": true, "reduce_bucket_size": 5e8, "stage3_prefetch_bucket_size": "1000",
                                  "param_persistence_threshold": 7, "stage3_max_live_parameters": "auto", "offload_optimizer": {"device": "none"}},
            "flops_profiler": {"enabled": false}, "tensorboard": {"enabled": true}, "my_note": 1})"), 2);
        QVERIFY2(resolved.hasValue(), resolved.hasValue() ? "" : resolved.error().message.c_str());
        const EngineConfig& c = resolved.value();
        QCOMPARE(c.trainBatch, std::int64_t{64});
        QCOMPARE(c.zeroStage, 3);
        QVERIFY(c.precision == Precision::Bf16);
        QCOMPARE(c.gradientClipping, 0.5);
        QCOMPARE(c.optimizer.learningRate, 3e-5);
        QCOMPARE(c.optimizer.betas[0], 0.8);
        QCOMPARE(c.optimizer.eps, 3e-7);
        QCOMPARE(c.optimizer.weightDecay, 0.01);
        QVERIFY(c.scheduler.kind == SchedulerKind::WarmupDecayLR);
        QCOMPARE(c.scheduler.totalSteps, std::int64_t{50000});
        QVERIFY(c.overlapComm && c.wallClockBreakdown);
        QCOMPARE(c.prefetchElements, std::int64_t{1000});
        QCOMPARE(c.persistenceThreshold, std::int64_t{7});
        QCOMPARE(c.maxLiveElements, std::int64_t{1'000'000'000});
        QCOMPARE(c.stepsPerPrint, std::int64_t{100});
        QVERIFY(mentions(c, "/zero_optimization/contiguous_gradients"));
        QVERIFY(mentions(c, "/tensorboard"));
        QVERIFY(mentions(c, "/my_note"));
        QVERIFY(!mentions(c, "/flops_profiler"));
    }

    void adamIsDecoupledUnlessToldOtherwise()
    {
        const auto kind = [](const char* type, const char* params) {
            return resolveForEngine({{"train_batch_size", 1}, {"optimizer", {{"type", type}, {"params", json::parse(params)}}}}, 1).value().optimizer;
        };
        QVERIFY(kind("Adam", "{}").kind == OptimizerKind::AdamW);
        QVERIFY(kind("adam", R"({"adam_w_mode": false})").kind == OptimizerKind::Adam);
        QVERIFY(kind("AdamW", R"({"adam_w_mode": false})").kind == OptimizerKind::AdamW);
        QCOMPARE(kind("AdamW", R"({"torch_adam": true})").weightDecay, 0.01);
        QCOMPARE(kind("Adam", R"({"torch_adam": true, "adam_w_mode": false})").weightDecay, 0.0);
        QVERIFY(!kind("Adam", R"({"bias_correction": false})").biasCorrection);
    }

    void stageThreeOverlapsUnlessToldOtherwise()
    {
        for (int stage = 0; stage <= 3; ++stage) {
            QCOMPARE(resolveForEngine({{"train_batch_size", 1}, {"zero_optimization", {{"stage", stage}, {"overlap_comm", nullptr}}}}, 1).value().overlapComm, stage == 3);
        }
        QVERIFY(!resolveForEngine({{"train_batch_size", 1}, {"zero_optimization", {{"stage", 3}, {"overlap_comm", false}}}}, 1).value().overlapComm);
        QVERIFY(resolveForEngine({{"train_batch_size", 1}, {"zero_optimization", {{"stage", 1}, {"overlap_comm", false}}}}, 1).value().overlapForbidden);
        QVERIFY(!resolveForEngine({{"train_batch_size", 1}, {"zero_optimization", {{"stage", 1}}}}, 1).value().overlapForbidden);
        QCOMPARE(resolveForEngine({{"train_batch_size", 1}, {"zero_optimization", true}}, 1).value().zeroStage, 1);
        QCOMPARE(resolveForEngine({{"train_batch_size", 1}, {"zero_optimization", {{"stage", "2"}}}}, 1).value().zeroStage, 2);
        // DeepSpeed drops "auto" before it looks at the keys.
        QVERIFY(resolveForEngine({{"train_batch_size", 1}, {"bf16", {{"enabled", true}, {"loss_scale", "auto"}, {"strict", false}}}}, 1).hasValue());
    }

    void negativeClippingDoesNotClip()
    {
        QCOMPARE(resolveForEngine({{"train_batch_size", 1}, {"gradient_clipping", -1}}, 1).value().gradientClipping, 0.0);
        QCOMPARE(resolveForEngine({{"train_batch_size", 1}, {"gradient_clipping", 0}}, 1).value().gradientClipping, 0.0);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("patch");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("pointer");
        const auto invalid = [](const char* name, const char* patch, const char* pointer) {
            QTest::newRow(name) << QString(patch) << static_cast<int>(ErrorCode::InvalidInput) << QString(pointer);
        };
        const auto refused = [](const char* name, const char* patch, const char* pointer) {
            QTest::newRow(name) << QString(patch) << static_cast<int>(ErrorCode::Refused) << QString(pointer);
        };
        invalid("stage 4", R"({"zero_optimization": {"stage": 4}})", "/zero_optimization/stage");
        invalid("a negative stage", R"({"zero_optimization": {"stage": -1}})", "/zero_optimization/stage");
        invalid("a stage of one and a half", R"({"zero_optimization": {"stage": 1.5}})", "/zero_optimization/stage");
        invalid("a list as ZeRO section", R"({"zero_optimization": []})", "/zero_optimization");
        invalid("an unknown ZeRO key", R"({"zero_optimization": {"stages": 1}})", "/zero_optimization/stages");
        invalid("an unknown key of the offload", R"({"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "none", "devise": "cpu"}}})", "/zero_optimization/offload_optimizer/devise");
        invalid("an unknown key of fp16", R"({"fp16": {"enabled": false, "opt_level": "O2"}})", "/fp16/opt_level");
        invalid("a loss scale of bf16", R"({"bf16": {"enabled": true, "loss_scale": 0}})", "/bf16/loss_scale");
        invalid("an unknown key under the older name", R"({"bfloat16": {"enabled": true, "enable": 1}})", "/bfloat16/enable");
        invalid("an unknown key that is automatic, strictly", R"({"bf16": {"enabled": true, "loss_scale": "auto", "strict": true}})", "/bf16/loss_scale");
        invalid("no bucket", R"({"zero_optimization": {"reduce_bucket_size": 0}})", "/zero_optimization/reduce_bucket_size");
        invalid("a quoted exponent", R"({"zero_optimization": {"reduce_bucket_size": "5e8"}})", "/zero_optimization/reduce_bucket_size");
        invalid("a bucket of 1e20", R"({"zero_optimization": {"reduce_bucket_size": 1e20}})", "/zero_optimization/reduce_bucket_size");
        invalid("2 as a truth value", R"({"zero_optimization": {"overlap_comm": 2}})", "/zero_optimization/overlap_comm");
        invalid("a key under both its names", R"({"zero_optimization": {"prefetch_bucket_size": 1, "stage3_prefetch_bucket_size": 1}})",
                "/zero_optimization/stage3_prefetch_bucket_size");
        invalid("an unknown device", R"({"zero_optimization": {"offload_optimizer": {"device": "CPU"}}})", "/zero_optimization/offload_optimizer/device");
        invalid("old and new offload together", R"({"zero_optimization": {"cpu_offload": false, "offload_optimizer": {"device": "none"}}})", "/zero_optimization/cpu_offload");
        refused("optimizer offload", R"({"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}})", "/zero_optimization/offload_optimizer");
        refused("optimizer offload under its old name", R"({"zero_optimization": {"stage": 2, "cpu_offload": true}})", "/zero_optimization/offload_optimizer");
        refused("parameter offload", R"({"zero_optimization": {"stage": 3, "offload_param": {"device": "nvme"}}})", "/zero_optimization/offload_param");
        refused("fp16", R"({"fp16": {"enabled": true}})", "/fp16/enabled");
        invalid("both half precisions", R"({"fp16": {"enabled": true}, "bf16": {"enabled": true}})", "/fp16/enabled");
        refused("bf16 masters", R"({"bf16": {"enabled": true, "bf16_master_weights_and_grads": true}})", "/bf16/bf16_master_weights_and_grads");
        invalid("bf16 as a truth value", R"({"bf16": true})", "/bf16");
        refused("another optimizer", R"({"optimizer": {"type": "Lamb"}})", "/optimizer/type");
        invalid("an optimizer that is no name", R"({"optimizer": {"type": 3}})", "/optimizer/type");
        invalid("a quoted rate", R"({"optimizer": {"type": "AdamW", "params": {"lr": "1e-4"}}})", "/optimizer/params/lr");
        invalid("an automatic rate", R"({"optimizer": {"type": "AdamW", "params": {"lr": "auto"}}})", "/optimizer/params/lr");
        invalid("one beta", R"({"optimizer": {"type": "AdamW", "params": {"betas": [0.9]}}})", "/optimizer/params/betas");
        invalid("a beta of 1", R"({"optimizer": {"type": "AdamW", "params": {"betas": [0.9, 1.0]}}})", "/optimizer/params/betas");
        invalid("max_grad_norm", R"({"optimizer": {"type": "AdamW", "params": {"max_grad_norm": 1}}})", "/optimizer/params/max_grad_norm");
        invalid("an unknown parameter", R"({"optimizer": {"type": "AdamW", "params": {"momentum": 1}}})", "/optimizer/params/momentum");
        refused("another scheduler", R"({"scheduler": {"type": "StepLR", "params": {}}})", "/scheduler/type");
        refused("a scheduler in small letters", R"({"scheduler": {"type": "warmuplr", "params": {}}})", "/scheduler/type");
        invalid("a scheduler without params", R"({"scheduler": {"type": "WarmupLR"}})", "/scheduler/params");
        invalid("a warm-up of 100.0 steps", R"({"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 100.0}}})", "/scheduler/params/warmup_num_steps");
        invalid("no warm-up steps", R"({"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 0}}})", "/scheduler/params/warmup_num_steps");
        invalid("a decay without an end", R"({"scheduler": {"type": "WarmupDecayLR", "params": {}}})", "/scheduler/params/total_num_steps");
        invalid("a cosine with a rate", R"({"scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 9, "warmup_max_lr": 1}}})",
                "/scheduler/params/warmup_max_lr");
        invalid("a cycle without rates", R"({"scheduler": {"type": "OneCycle", "params": {"cycle_min_lr": 1}}})", "/scheduler/params/cycle_max_lr");
        invalid("a cycle without length", R"({"scheduler": {"type": "OneCycle", "params": {"cycle_min_lr": 1, "cycle_max_lr": 2, "cycle_first_step_size": 0}}})",
                "/scheduler/params/cycle_first_step_size");
        invalid("a range test of no steps", R"({"scheduler": {"type": "LRRangeTest", "params": {"lr_range_test_step_size": -1}}})",
                "/scheduler/params/lr_range_test_step_size");
        refused("summed gradients", R"({"gradient_allreduce_op": "sum"})", "/gradient_allreduce_op");
        refused("a curriculum", R"({"curriculum_learning": {"enabled": true}})", "/curriculum_learning/enabled");
        refused("tensor parallelism from the config", R"({"tensor_parallel": {"autotp_size": 4}})", "/tensor_parallel/autotp_size");
        invalid("clipping as a word", R"({"gradient_clipping": "auto"})", "/gradient_clipping");
        invalid("a breakdown of null", R"({"wall_clock_breakdown": null})", "/wall_clock_breakdown");
    }
    void refuses()
    {
        QFETCH(QString, patch);
        QFETCH(int, code);
        QFETCH(QString, pointer);
        json config{{"train_batch_size", 8}};
        config.update(parsed(patch));
        const auto resolved = resolveForEngine(config, 2);
        QVERIFY(!resolved.hasValue());
        QCOMPARE(QString::fromStdString(resolved.error().context.at("pointer")), pointer);
        QCOMPARE(static_cast<int>(resolved.error().code), code);
        const QString message = QString::fromStdString(resolved.error().message);
        QVERIFY2(message.startsWith("Cannot ") && message.endsWith('.') && !message.contains('\n'), qPrintable(message));
    }

    void refusesDocumentsThatAreNoObject()
    {
        for (const char* text : {"[]", "3", "null", "\"x\""}) QCOMPARE(resolveForEngine(json::parse(text), 1).error().code, ErrorCode::InvalidInput);
        QCOMPARE(resolveForEngine({{"train_batch_size", 1}}, 0).error().code, ErrorCode::InvalidArgument);
    }

    /// Any value under any key we read: an answer or a reason, never an exception.
    void survivesEveryType()
    {
        const json values[] = {nullptr, true, -1, 1.5, 1e300, "auto", "", json::array(), json::array({1, 2}), json::object(), {{"enabled", true}}, {{"type", nullptr}},
                               {{"params", 1}}, {{"type", "AdamW"}, {"params", nullptr}}, {{"stage", nullptr}}, {{"device", 1}}};
        const char* const pointers[] = {"/train_batch_size", "/optimizer", "/optimizer/type", "/optimizer/params", "/optimizer/params/lr", "/optimizer/params/betas",
                                        "/scheduler", "/scheduler/type", "/scheduler/params", "/scheduler/params/warmup_num_steps", "/scheduler/params/warmup_max_lr",
                                        "/zero_optimization", "/zero_optimization/stage", "/zero_optimization/offload_param", "/zero_optimization/overlap_comm",
                                        "/zero_optimization/zenflow", "/bf16", "/bf16/enabled", "/fp16", "/data_types", "/gradient_clipping", "/steps_per_print",
                                        "/tensor_parallel", "/amp", "/flops_profiler", "/compression_training", "/gradient_allreduce_op"};
        for (const char* pointer : pointers) {
            for (const json& value : values) {
                json config = json::parse(R"({"train_batch_size": 8, "optimizer": {"type": "Adam", "params": {}}, "bf16": {},
                    "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": 9}}, "zero_optimization": {}})");
                config[json::json_pointer(pointer)] = value;
                const auto resolved = resolveForEngine(config, 2);
                QVERIFY(resolved.hasValue() || !resolved.error().context.at("pointer").empty());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TstEngineConfig)
#include "tst_engine_config.moc"
