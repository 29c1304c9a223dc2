// SPDX-License-Identifier: GPL-3.0-or-later
// What the core says is told in the window's language: by the id of its message, with its arguments.
#include "app/core_words.h"
#include "app/plan_service.h"
#include "app/search_service.h"
#include "app/translations.h"
#include "plan_page_fixture.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

bool hasHan(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

}  // namespace

class TstCoreWords : public QObject {
    Q_OBJECT
private slots:
    void findingsSpeakBothLanguages_data();
    void findingsSpeakBothLanguages();
    void everyItemSaysWhatItIs_data();
    void everyItemSaysWhatItIs();
    void keysWithoutEffectSayWhy();
    void argumentsAreNotPatterns();
    void searchRefusesInTheLanguage();

private:
    Translations m_translations{nullptr};
    QTemporaryDir m_folder;
};

void TstCoreWords::findingsSpeakBothLanguages_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("id");
    const QByteArray deepspeed = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    const auto with = [](QByteArray text, const char* pointer, const char* value) { return QByteArray::fromStdString(withValue(text.toStdString(), pointer, value)); };
    const auto row = [](const char* id, const QByteArray& text) { QTest::newRow(id) << text << QString::fromLatin1(id); };
    row("plan.memory", with(deepspeed, "/dsConfig/train_micro_batch_size_per_gpu", "64"));
    row("plan.batch_triangle", with(deepspeed, "/dsConfig/train_batch_size", "7"));
    row("plan.batch_assumed", with(with(deepspeed, "/dsConfig/train_micro_batch_size_per_gpu", ""), "/dsConfig/gradient_accumulation_steps", ""));
    row("plan.ds_config.range", with(deepspeed, "/dsConfig/zero_optimization/reduce_bucket_size", "-5"));
    row("plan.ds_config.flag", with(deepspeed, "/dsConfig/zero_optimization/overlap_comm", "\"maybe\""));
    row("plan.ds_config.device", with(deepspeed, "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"moon\"}"));
    row("plan.device_unknown", with(deepspeed, "/hardware/device", "\"H1000\""));
    row("plan.layout.heads", with(with(deepspeed, "/layout/tp", "3"), "/hardware/nodes", "3"));
    row("plan.layout.stages", with(with(deepspeed, "/layout/pp", "64"), "/hardware/nodes", "64"));
    row("plan.layout.experts", with(workspaceOf("mixtral-8x7b", 3, 8, "deepspeed"), "/layout/ep", "3"));
    row("plan.states_only", with(deepspeed, "/model", "{\"params\": 7e9}"));
    row("plan.loss_chunks", with(workspaceOf("llama-3-8b", 1, 8, "fsdp2"), "/layout/lossChunks", "8"));
    row("plan.engine_layout", with(with(with(deepspeed, "/framework/name", "\"stagecraft\""), "/layout/tp", "2"), "/layout/dp", "4"));
    row("plan.engine_offload", with(with(deepspeed, "/framework/name", "\"stagecraft\""), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\"}"));
    row("plan.engine_recompute", with(with(deepspeed, "/framework/name", "\"stagecraft\""), "/layout/recompute", "\"selective\""));
    row("plan.engine_model", with(workspaceOf("mixtral-8x7b", 1, 8, "deepspeed"), "/framework/name", "\"stagecraft\""));
    row("plan.arguments_unused", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true, "log-interval": 5})"));
    row("plan.argument.whole", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"micro-batch-size": -1})"));
    row("plan.argument.batch", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"micro-batch-size": 3, "global-batch-size": 32})"));
    row("plan.argument.ac", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"ac": "some"})"));
    row("plan.loss_eager", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"compile": true})"));
}

void TstCoreWords::findingsSpeakBothLanguages()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, id);
    const auto workspace = parseWorkspace(text.toStdString(), m_folder.path().toStdString());
    QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
    const auto plan = makePlan(*workspace, {.hostMemoryBytes = std::int64_t{64} << 30});
    QVERIFY(plan.hasValue());
    const auto found = std::find_if(plan->findings.begin(), plan->findings.end(), [&id](const PlanFinding& finding) { return finding.id == id.toStdString(); });
    QStringList all;
    for (const PlanFinding& finding : plan->findings)
        all << QString::fromStdString(finding.id + ": " + finding.message);
    QVERIFY2(found != plan->findings.end(), qPrintable(all.join(QLatin1Char('\n'))));
    m_translations.apply(Language::English);
    QCOMPARE(findingText(*found), QString::fromStdString(found->message));
    m_translations.apply(Language::SimplifiedChinese);
    const QString chinese = findingText(*found);
    QVERIFY2(hasHan(chinese), qPrintable(chinese));
    for (const std::string& argument : found->args)
        QVERIFY2(chinese.contains(QString::fromStdString(argument)), qPrintable(chinese));
    m_translations.apply(Language::English);
}

void TstCoreWords::everyItemSaysWhatItIs_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto with = [](QByteArray text, const char* pointer, const char* value) { return QByteArray::fromStdString(withValue(text.toStdString(), pointer, value)); };
    for (const char* framework : {"stagecraft", "deepspeed", "fsdp2", "megatron"})
        for (const char* model : {"llama-3-8b", "mixtral-8x7b"}) {
            if (qstrcmp(framework, "stagecraft") == 0 && qstrcmp(model, "llama-3-8b") != 0)
                continue;
            const char* arguments = qstrcmp(framework, "megatron") == 0 ? R"({"bf16": true, "micro-batch-size": 1, "global-batch-size": 64, "use-distributed-optimizer": true})" : "{}";
            const QByteArray plain = workspaceOf(model, 2, 8, framework, arguments);
            const QByteArray name = QByteArray(framework) + ' ' + model;
            QTest::newRow(name + ", plain") << plain;
            QTest::newRow(name + ", recomputed") << with(plain, "/layout/recompute", "\"full\"");
            if (qstrcmp(framework, "stagecraft") == 0 || qstrcmp(framework, "deepspeed") == 0)
                for (const char* stage : {"0", "1", "3"})
                    QTest::newRow(name + ", stage " + stage) << with(plain, "/dsConfig/zero_optimization/stage", stage);
            if (qstrcmp(framework, "deepspeed") == 0) {
                QTest::newRow(name + ", offloaded") << with(with(plain, "/dsConfig/zero_optimization/stage", "3"), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\", \"ratio\": 0.5}");
                QTest::newRow(name + ", stage 2 offloaded") << with(plain, "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\"}");
                QTest::newRow(name + ", on NVMe")
                    << with(with(with(plain, "/dsConfig/zero_optimization/stage", "3"), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"nvme\", \"nvme_path\": \"/x\"}"),
                            "/dsConfig/zero_optimization/offload_param", "{\"device\": \"nvme\", \"nvme_path\": \"/x\"}");
                QTest::newRow(name + ", loss in chunks") << with(plain, "/layout/lossChunks", "8");
            }
            if (qstrcmp(framework, "stagecraft") != 0) {
                QTest::newRow(name + ", pipeline") << with(with(with(plain, "/layout/pp", "2"), "/layout/dp", "8"), "/dsConfig/zero_optimization/stage", "1");
                QTest::newRow(name + ", tensor parallel") << with(with(plain, "/layout/tp", "2"), "/layout/dp", "8");
                QTest::newRow(name + ", context parallel") << with(with(plain, "/layout/cp", "2"), "/layout/dp", "8");
            }
        }
}

void TstCoreWords::everyItemSaysWhatItIs()
{
    QFETCH(QByteArray, text);
    const auto workspace = parseWorkspace(text.toStdString(), m_folder.path().toStdString());
    QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
    const auto plan = makePlan(*workspace);
    QVERIFY(plan.hasValue());
    QVERIFY2(plan->ledger.has_value(), plan->findings.empty() ? "" : plan->findings.back().message.c_str());
    m_translations.apply(Language::SimplifiedChinese);
    QStringList untold;
    for (const LedgerRole& role : *plan->ledger)
        for (const LedgerItem& item : role.items)
            if (!item.why.empty() && !hasHan(whyText(item.why)))
                untold << QString::fromStdString(item.why);
    m_translations.apply(Language::English);
    untold.removeDuplicates();
    QVERIFY2(untold.isEmpty(), qPrintable(untold.join(QLatin1Char('\n'))));
}

void TstCoreWords::keysWithoutEffectSayWhy()
{
    const auto workspace = parseWorkspace(R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "dsConfig": {"train_micro_batch_size_per_gpu": 1, "dump_state": true, "timers": {}, "aio": {},
        "prescale_gradients": true, "tensorboard": {"enabled": true}, "compile": {}, "no_such_key": 1, "scheduler": {}, "bf16": {"enabled": true, "check_grad_overflow": true},
        "zero_optimization": {"stage": 2, "contiguous_gradients": true, "reduce_scatter": true, "sub_group_size": 5, "stage3_max_reuse_distance": 1, "round_robin_gradients": true}}})",
                                          m_folder.path().toStdString());
    QVERIFY(workspace.hasValue());
    const auto engine = resolveForEngine(workspace->dsConfig, 1);
    QVERIFY2(engine.hasValue(), engine.hasValue() ? "" : engine.error().message.c_str());
    QVERIFY(engine->withoutEffect.size() > 10);
    m_translations.apply(Language::SimplifiedChinese);
    for (const WithoutEffect& key : engine->withoutEffect)
        QVERIFY2(hasHan(whyText(key.reason)), key.reason.c_str());
    m_translations.apply(Language::English);
}

void TstCoreWords::argumentsAreNotPatterns()
{
    PlanFinding finding{"plan.memory", "error", {}, "x", "plan.memory", {"%2", "b"}};
    QCOMPARE(findingText(finding), QStringLiteral("The peak needs %2 of b on the fullest rank"));
    finding.id = "nobody.knows.this";
    QCOMPARE(findingText(finding), QStringLiteral("x"));
}

void TstCoreWords::searchRefusesInTheLanguage()
{
    m_translations.apply(Language::SimplifiedChinese);
    const PlanSet set = planText(withValue(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), "/hardware/device", "\"H1000\""), m_folder.path().toStdString(), PlanDepth::One);
    const auto job = searchJobOf(set, {});
    QVERIFY(!job.hasValue());
    const QString told = QString::fromStdString(job.error().message);
    QVERIFY2(hasHan(told) && told.contains(QStringLiteral("H1000")), qPrintable(told));
    m_translations.apply(Language::English);
}

QTEST_MAIN(TstCoreWords)
#include "tst_core_words.moc"
