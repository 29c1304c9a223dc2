// SPDX-License-Identifier: GPL-3.0-or-later
// Two configs compared by what DeepSpeed makes of them, not by what they say.
#include "config/config_meaning.h"

#include <QTest>

using namespace stagecraft;

namespace {

/// "pointer: before > after", one a line; what is written stands in parentheses where it is something else ("-" = not there).
QString told(const MeaningComparison& comparison)
{
    QStringList lines;
    const auto side = [](const MeaningDifference::Side& at) {
        if (at.unread)
            return QString("unread(%1)").arg(QString::fromStdString(at.written));
        return QString::fromStdString(at.acts) + (at.asWritten() ? QString() : QString("(%1)").arg(at.written.empty() ? QString("-") : QString::fromStdString(at.written)));
    };
    for (const MeaningDifference& difference : comparison.differences)
        lines << QString::fromStdString(difference.pointer) + ": " + side(difference.before) + " > " + side(difference.after);
    return lines.join('\n');
}

}  // namespace

class TstConfigMeaning : public QObject {
    Q_OBJECT

private slots:
    void compares_data();
    void compares();
    void whatIsRefusedIsComparedAsWritten();
    void whatCannotBeReadIsSaid();
    void releasesDecideTheDefault();
    void ranksDecideTheBatch();
    void eachIsForTheRanksItAsksFor();
};

void TstConfigMeaning::compares_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("expected");
    const QString micro = R"({"train_micro_batch_size_per_gpu": 2%1})";
    const auto with = [&](const char* rest) { return micro.arg(rest); };
    QTest::newRow("a key set to its default") << with("") << with(R"(, "zero_optimization": {"reduce_bucket_size": 5e8}, "gradient_clipping": 1)") << "";
    QTest::newRow("accumulation that follows") << with("") << with(R"(, "train_batch_size": 8)") << "/gradient_accumulation_steps: 1(-) > 4(-)\n/train_batch_size: 2(-) > 8";
    QTest::newRow("another spelling") << with(R"(, "gradient_clipping": 0.5)") << with(R"(, "gradient_clipping": 5e-1)") << "";
    QTest::newRow("an older name") << with(R"(, "zero_optimization": {"stage": 3, "stage3_gather_fp16_weights_on_model_save": true})")
                                   << with(R"(, "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": true})") << "";
    QTest::newRow("an older switch") << with(R"(, "zero_optimization": {"stage": 2, "cpu_offload": true})") << with(R"(, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}})") << "";
    QTest::newRow("an older section") << with(R"(, "bfloat16": {"enabled": true})") << with(R"(, "bf16": {"enabled": true})") << "";
    QTest::newRow("the short form") << with(R"(, "zero_optimization": true)") << with(R"(, "zero_optimization": {"stage": 1})") << "";
    QTest::newRow("what is never read") << with("") << with(R"(, "no_such_key": 1, "zero_optimization": {"stage": 0, "stage3_max_live_parameters": 7})") << "";
    QTest::newRow("a default by the stage") << with(R"(, "zero_optimization": {"stage": 2})") << with(R"(, "zero_optimization": {"stage": 3})")
                                            << "/zero_optimization/overlap_comm: false(-) > true(-)\n/zero_optimization/stage: 2 > 3";
    QTest::newRow("auto without a Trainer") << with(R"(, "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"})") << with(R"(, "zero_optimization": {"stage": 3})") << "";
    QTest::newRow("Adam is AdamW unless it is told otherwise") << with(R"(, "optimizer": {"type": "Adam", "params": {"lr": 0.001}})") << with(R"(, "optimizer": {"type": "AdamW"})") << "";
    QTest::newRow("the letter case of an optimizer") << with(R"(, "optimizer": {"type": "adamw", "params": {"lr": 0.001}})") << with(R"(, "optimizer": {"type": "AdamW"})") << "";
    QTest::newRow("a section that comes") << with("") << with(R"(, "tensorboard": {"enabled": true, "output_path": ""})") << "/tensorboard/enabled: false(-) > true";
    const QString nvme = R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "zero_optimization": {"stage": %1, "offload_optimizer": {"device": "%2", "nvme_path": "/x"}}})";
    QTest::newRow("a device that acts as another") << nvme.arg(2).arg("nvme") << nvme.arg(2).arg("cpu") << "";
    QTest::newRow("a device that acts at one stage only") << nvme.arg(3).arg("nvme") << nvme.arg(2).arg("nvme")
                                                          << "/zero_optimization/offload_optimizer/device: \"nvme\" > \"cpu\"(\"nvme\")\n/zero_optimization/offload_optimizer/nvme_path: \"/x\" > unread(\"/x\")\n"
                                                             "/zero_optimization/overlap_comm: true(-) > false(-)\n/zero_optimization/stage: 3 > 2";
    QTest::newRow("offload that goes, with all that was set in it") << with(R"(, "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu", "pin_memory": true}})") << with(R"(, "zero_optimization": {"stage": 3})")
                                        << "/zero_optimization/offload_param/device: \"cpu\" > \"none\"(-)\n/zero_optimization/offload_param/pin_memory: true > null(-)";
    QTest::newRow("offload that did nothing goes") << with(R"(, "zero_optimization": {"stage": 3, "offload_param": {"device": "none", "pin_memory": true}})") << with(R"(, "zero_optimization": {"stage": 3})") << "";
    QTest::newRow("an optimizer that goes") << with(R"(, "optimizer": {"type": "AdamW", "params": {"lr": 0.001, "eps": 1e-8}})") << with("")
                                            << "/optimizer/params/eps: 1e-8 > null(-)\n/optimizer/params/lr: 0.001 > null(-)\n/optimizer/type: \"AdamW\" > null(-)";
    QTest::newRow("a default that is not read any more") << with(R"(, "zero_optimization": {"stage": 3, "overlap_comm": true, "stage3_prefetch_bucket_size": 5E7})") << with(R"(, "zero_optimization": {"stage": 2, "overlap_comm": true, "stage3_prefetch_bucket_size": 5E7})")
                                            << "/zero_optimization/stage: 3 > 2\n/zero_optimization/stage3_prefetch_bucket_size: 50000000 > unread(50000000)";
    QTest::newRow("a value that is not read any more") << with(R"(, "zero_optimization": {"stage": 3, "overlap_comm": true, "stage3_max_live_parameters": 7})") << with(R"(, "zero_optimization": {"stage": 2, "overlap_comm": true, "stage3_max_live_parameters": 7})")
                                            << "/zero_optimization/stage: 3 > 2\n/zero_optimization/stage3_max_live_parameters: 7 > unread(7)";
    QTest::newRow("a value that goes unread") << with(R"(, "zero_optimization": {"stage": 2, "stage3_max_live_parameters": 7})") << with(R"(, "zero_optimization": {"stage": 2})") << "";
    QTest::newRow("offload that comes") << with(R"(, "zero_optimization": {"stage": 3})") << with(R"(, "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu", "pin_memory": true}})")
                                        << "/zero_optimization/offload_param/device: \"none\"(-) > \"cpu\"";
}

void TstConfigMeaning::compares()
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, expected);
    const auto comparison = compareMeaning(before.toStdString(), after.toStdString(), {});
    QVERIFY(comparison.hasValue());
    QVERIFY(comparison->beforeParses && comparison->afterParses);
    QCOMPARE(told(*comparison), expected);
    const auto same = compareMeaning(after.toStdString(), after.toStdString(), {});
    QVERIFY(same.hasValue() && same->differences.empty());
}

void TstConfigMeaning::whatIsRefusedIsComparedAsWritten()
{
    const auto comparison = compareMeaning(R"({"train_batch_size": 4})", R"({"train_batch_size": 4, "zero_optimization": {"stage": 9}})", {});
    QVERIFY(comparison.hasValue());
    QVERIFY(comparison->beforeParses && !comparison->afterParses);
    QCOMPARE(told(*comparison), QString("/zero_optimization/stage:  > 9"));
}

void TstConfigMeaning::whatCannotBeReadIsSaid()
{
    QVERIFY(!compareMeaning("{}", "{", {}).hasValue());
    QVERIFY(compareMeaning("{", "{}", {}).error().message.find("first") != std::string::npos);
    QVERIFY(!compareMeaning("{}", "42", {}).hasValue());
}

void TstConfigMeaning::releasesDecideTheDefault()
{
    const std::string none = R"({"train_batch_size": 4})", one = R"({"train_batch_size": 4, "gradient_clipping": 1.0})";
    CheckContext context;
    context.release = "0.18.9";
    QCOMPARE(told(*compareMeaning(none, one, context)), QString("/gradient_clipping: 0(-) > 1"));
    context.release = "0.19.8";
    QCOMPARE(told(*compareMeaning(none, one, context)), QString());
}

void TstConfigMeaning::ranksDecideTheBatch()
{
    CheckContext context;
    context.world = 4;
    const std::string total = R"({"train_batch_size": 32})", micro = R"({"train_micro_batch_size_per_gpu": 8})";
    QCOMPARE(told(*compareMeaning(total, micro, context)), QString());
    context.world = 2;
    QCOMPARE(told(*compareMeaning(total, micro, context)), QString("/train_batch_size: 32 > 16(-)\n/train_micro_batch_size_per_gpu: 16(-) > 8"));
}

void TstConfigMeaning::eachIsForTheRanksItAsksFor()
{
    const auto sizes = [](int train, const char* more = "") { return R"({"train_batch_size": )" + std::to_string(train) + R"(, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2)" + more + "}"; };
    // Eight ranks, which nobody gave.
    QCOMPARE(told(*compareMeaning(sizes(64), sizes(64, R"(, "prescale_gradients": true)"), {})), QString("/prescale_gradients: false(-) > true"));
    // What takes any number of ranks is compared on those of the other.
    QCOMPARE(told(*compareMeaning(sizes(64), R"({"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2})", {})), QString());
    // Two worlds: each for its own.
    QCOMPARE(told(*compareMeaning(sizes(64), sizes(128), {})), QString("/train_batch_size: 64 > 128"));
    // So it is where both parse for one rank, and only the engine of one refuses that.
    CheckContext older;
    older.release = "0.18.9";
    const auto shards = [](const char* batch) { return R"({"optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 3, "mics_shard_size": 4}, )" + std::string(batch) + "}"; };
    QCOMPARE(told(*compareMeaning(shards(R"("train_micro_batch_size_per_gpu": 2)"), shards(R"("train_batch_size": 8)"), older)), QString());
    // Given, the number stands: one is refused, and compared as written.
    CheckContext context;
    context.ranks = 1;
    QVERIFY(!compareMeaning(sizes(64), sizes(128), context)->beforeParses);
}

QTEST_APPLESS_MAIN(TstConfigMeaning)
#include "tst_config_meaning.moc"
