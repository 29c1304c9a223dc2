// SPDX-License-Identifier: GPL-3.0-or-later
// Another framework's behaviour is that of the same job: batch, sequence, layout, precision, recomputation and sharding.
#include "planner/behaviour.h"

#include "planner/other_behaviour.h"
#include "planner/training_case.h"
#include "planner/workspace_model.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using nlohmann::json;

namespace {

json documentOf(const char* framework, const char* arguments, const char* dsConfig = R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW"}})", const char* model = R"({"preset": "llama-3-8b", "seq": 4096})")
{
    json document{{"stagecraft", 1}, {"hardware", {{"nodes", 2}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", 16}}}};
    document["model"] = json::parse(model);
    document["dsConfig"] = json::parse(dsConfig);
    document["framework"] = {{"name", framework}, {"arguments", json::parse(arguments)}};
    return document;
}

Workspace read(const json& document)
{
    auto workspace = parseWorkspace(document.dump(), "/nowhere");
    if (!workspace.hasValue()) qFatal("%s", workspace.error().message.c_str());
    return std::move(workspace).value();
}

TrainingCase jobOf(const Workspace& w)
{
    std::vector<PlanFinding> findings;
    const auto shape = countWorkspaceModel(w, findings).shape;
    const auto job = readTrainingCase(w, shape, readDsSettings(w, 0, findings), findings);
    if (!job) qFatal("%s", findings.empty() ? "no job" : findings.back().message.c_str());
    return *job;
}

Workspace changed(const Workspace& w, const char* framework)
{
    return read(w.document.patch(patchOf(w, changeBehaviour(w, framework).edits)));
}

bool lost(const Workspace& w, const char* framework, NotCarried::What what)
{
    const auto change = changeBehaviour(w, framework);
    return std::any_of(change.lost.begin(), change.lost.end(), [what](const NotCarried& part) { return part.what == what; });
}

#define COMPARE_JOBS(now, before) \
    QCOMPARE(now.tp, before.tp); \
    QCOMPARE(now.pp, before.pp); \
    QCOMPARE(now.cp, before.cp); \
    QCOMPARE(now.dp, before.dp); \
    QCOMPARE(now.microBatch, before.microBatch); \
    QCOMPARE(now.microBatches, before.microBatches); \
    QCOMPARE(now.model.seq, before.model.seq); \
    QCOMPARE(now.model.params, before.model.params)

}  // namespace

class TstBehaviour : public QObject {
    Q_OBJECT
private slots:
    void theJobStaysTheSame_data();
    void theJobStaysTheSame();
    void fsdp2BecomesDeepSpeed();
    void precisionIsCarried();
    void aModelOfArgumentsIsCarried();
    void whatCannotBeCarriedIsTold_data();
    void whatCannotBeCarriedIsTold();
    void ownersExplainTheDifference();
    void aPlanTellsWhatItDoesNotTake_data();
    void aPlanTellsWhatItDoesNotTake();
    void anotherJobIsNotCompared();
    void deepSpeedKeepsItsText();
    void anotherModelTakesThePlaceOfTheArguments();
};

void TstBehaviour::theJobStaysTheSame_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("arguments");
    QTest::addColumn<QByteArray>("dsConfig");
    QTest::addColumn<QByteArray>("to");
    const QByteArray fsdp2 = R"({"local_batch": 4, "seq": 8192, "tp": 2, "ac": "full"})";
    const QByteArray pipeline = R"({"local_batch": 8, "pp_microbatches": 4, "pp": 2, "tp": 2, "seq": 2048})";
    const QByteArray megatron = R"({"tensor-model-parallel-size": 2, "pipeline-model-parallel-size": 2, "micro-batch-size": 2, "global-batch-size": 64, "seq-length": 8192, "bf16": true,
                                   "use-distributed-optimizer": true, "recompute-granularity": "full", "recompute-method": "uniform"})";
    const QByteArray empty = "{}", batch = R"({"train_micro_batch_size_per_gpu": 1})", total = R"({"train_batch_size": 64, "gradient_accumulation_steps": 2, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})";
    for (const char* to : {"deepspeed", "megatron"})
        QTest::addRow("FSDP2 to %s", to) << QByteArray("fsdp2") << fsdp2 << batch << QByteArray(to);
    QTest::newRow("FSDP2 with an empty ds_config to DeepSpeed") << QByteArray("fsdp2") << fsdp2 << empty << QByteArray("deepspeed");
    QTest::newRow("FSDP2 beside a train_batch_size to DeepSpeed") << QByteArray("fsdp2") << fsdp2 << total << QByteArray("deepspeed");
    for (const char* to : {"deepspeed", "megatron"})
        QTest::addRow("a pipeline of FSDP2 to %s", to) << QByteArray("fsdp2") << pipeline << batch << QByteArray(to);
    for (const char* to : {"deepspeed", "fsdp2"})
        QTest::addRow("Megatron to %s", to) << QByteArray("megatron") << megatron << batch << QByteArray(to);
    for (const char* to : {"megatron", "fsdp2"})
        QTest::addRow("DeepSpeed to %s", to) << QByteArray("deepspeed") << empty << total << QByteArray(to);
}

void TstBehaviour::theJobStaysTheSame()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, arguments);
    QFETCH(QByteArray, dsConfig);
    QFETCH(QByteArray, to);
    const Workspace w = read(documentOf(from.constData(), arguments.constData(), dsConfig.constData()));
    const TrainingCase before = jobOf(w);
    const Workspace then = changed(w, to.constData());
    QCOMPARE(QString::fromStdString(then.framework.name), QString::fromUtf8(to));
    const TrainingCase now = jobOf(then);
    COMPARE_JOBS(now, before);
    QCOMPARE(now.policy, before.policy);
    QCOMPARE(now.precision, before.precision);
    // And the way back, where everything stands in the workspace by now.
    const Workspace again = changed(then, from.constData());
    const TrainingCase back = jobOf(again);
    COMPARE_JOBS(back, before);
    QCOMPARE(back.policy, before.policy);
    if (from == "deepspeed")
        QCOMPARE(back.settings.stage, before.settings.stage);
}

void TstBehaviour::fsdp2BecomesDeepSpeed()
{
    const Workspace then = changed(read(documentOf("fsdp2", R"({"local_batch": 4, "seq": 8192, "tp": 2, "ac": "full"})")), "deepspeed");
    const TrainingCase job = jobOf(then);
    QCOMPARE(job.microBatch, std::int64_t{4});
    QCOMPARE(job.model.seq, std::int64_t{8192});
    QCOMPARE(job.tp, std::int64_t{2});
    QCOMPARE(job.dp, std::int64_t{8});
    QCOMPARE(job.precision, Precision::Bf16);
    QCOMPARE(job.policy, ActivationPolicy::Full);
    QCOMPARE(job.settings.stage, 3);
    QVERIFY(then.framework.arguments.empty());
    // DeepSpeed takes its optimizer from the config: torchtitan's default goes along, and so does another one.
    QVERIFY(changed(read(documentOf("fsdp2", "{}", "{}")), "deepspeed").dsConfig["optimizer"] == json::object({{"type", "AdamW"}}));
    QVERIFY(changed(read(documentOf("fsdp2", R"({"optimizer": "sgd"})", "{}")), "deepspeed").dsConfig["optimizer"]["type"] == json("SGD"));
    // One that is written, and a config that left it to the script before, stay.
    QVERIFY(changed(read(documentOf("fsdp2", "{}", R"({"optimizer": {"type": "Lion", "params": {"lr": 1e-4}}})")), "deepspeed").dsConfig["optimizer"]["type"] == json("Lion"));
    QVERIFY(!changed(read(documentOf("fsdp2", "{}", R"({"zero_optimization": {"stage": 2}})")), "deepspeed").dsConfig.contains("optimizer"));
}

// FSDP2 reads no ds_config: what that names goes along as an argument, and comes back.
void TstBehaviour::precisionIsCarried()
{
    const Workspace half = read(documentOf("deepspeed", "{}", R"({"train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": true}})"));
    const Workspace there = changed(half, "fsdp2");
    QCOMPARE(jobOf(there).precision, Precision::Fp16);
    QVERIFY(!lost(half, "fsdp2", NotCarried::What::Precision) && !lost(there, "deepspeed", NotCarried::What::Arguments));
    QVERIFY(changed(there, "deepspeed").dsConfig == half.dsConfig || jobOf(changed(there, "deepspeed")).precision == Precision::Fp16);
    const Workspace whole = read(documentOf("deepspeed", "{}", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": false}})"));
    QCOMPARE(jobOf(changed(whole, "fsdp2")).precision, Precision::Fp32);
    // Arguments stand over a ds_config that FSDP2 never read.
    const Workspace accelerate = read(documentOf("fsdp2", R"({"mixed_precision": "fp16"})", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}})"));
    for (const char* framework : {"deepspeed", "megatron"}) QCOMPARE(jobOf(changed(accelerate, framework)).precision, Precision::Fp16);
    QCOMPARE(jobOf(changed(read(documentOf("megatron", R"({"fp16": true})", "{}")), "fsdp2")).precision, Precision::Fp16);
}

void TstBehaviour::aModelOfArgumentsIsCarried()
{
    const char* llama = R"({"num-layers": 24, "hidden-size": 1024, "num-attention-heads": 16, "num-query-groups": 4, "kv-channels": 128, "ffn-hidden-size": 2816, "swiglu": true, "normalization": "RMSNorm",
        "position-embedding-type": "rope", "disable-bias-linear": true, "untie-embeddings-and-output-weights": true, "seq-length": 2048, "micro-batch-size": 2, "global-batch-size": 32, "bf16": true})";
    const Workspace w = read(documentOf("megatron", llama, "{}", R"({"preset": "gpt2"})"));
    const TrainingCase before = jobOf(w);
    const TrainingCase now = jobOf(changed(w, "deepspeed"));
    COMPARE_JOBS(now, before);
    QCOMPARE(now.model.headSize, std::int64_t{128});
    QVERIFY(!lost(w, "deepspeed", NotCarried::What::Model));
    const char* gpt = R"({"num-layers": 24, "hidden-size": 1024, "num-attention-heads": 16, "seq-length": 1024, "max-position-embeddings": 2048, "micro-batch-size": 2, "global-batch-size": 32, "bf16": true})";
    const Workspace g = read(documentOf("megatron", gpt, "{}", R"({"preset": "gpt2"})"));
    const TrainingCase first = jobOf(g);
    const TrainingCase then = jobOf(changed(g, "fsdp2"));
    COMPARE_JOBS(then, first);
    // One with experts has no fields in a workspace.
    json sparse = json::parse(llama);
    sparse["num-experts"] = 8;
    QVERIFY(lost(read(documentOf("megatron", sparse.dump().c_str(), "{}", R"({"preset": "gpt2"})")), "deepspeed", NotCarried::What::Model));
}

void TstBehaviour::whatCannotBeCarriedIsTold_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("arguments");
    QTest::addColumn<QByteArray>("dsConfig");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<int>("what");
    QTest::addColumn<QByteArray>("detail");
    const auto row = [](const char* name, const char* from, const char* arguments, const char* ds, const char* to, NotCarried::What what, const char* detail) {
        QTest::newRow(name) << QByteArray(from) << QByteArray(arguments) << QByteArray(ds) << QByteArray(to) << static_cast<int>(what) << QByteArray(detail);
    };
    const char* stage2 = R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}})";
    row("stage 2 in FSDP2", "deepspeed", "{}", stage2, "fsdp2", NotCarried::What::Sharding, "stage 3");
    row("stage 2 in Megatron", "deepspeed", "{}", stage2, "megatron", NotCarried::What::Sharding, "stage 1");
    row("offload in FSDP2", "deepspeed", "{}", stage2, "fsdp2", NotCarried::What::Offload, "");
    row("fp32 in FSDP2", "deepspeed", "{}", R"({"train_micro_batch_size_per_gpu": 1})", "fsdp2", NotCarried::What::Precision, "bf16");
    row("float8 in DeepSpeed", "fsdp2", R"({"float8": true, "local_batch": 2})", "{}", "deepspeed", NotCarried::What::Arguments, "float8");
    row("a choice of operations in DeepSpeed", "fsdp2", R"({"ac": "selective op"})", "{}", "deepspeed", NotCarried::What::Recompute, "none");
    row("shards held twice in DeepSpeed", "fsdp2", R"({"replicate": 2})", "{}", "deepspeed", NotCarried::What::Sharding, "stage 3");
    row("all shards of a pipeline in DeepSpeed", "fsdp2", R"({"pp": 2, "local_batch": 4})", "{}", "deepspeed", NotCarried::What::Sharding, "stage 1");
    row("parts of a sequence in DeepSpeed", "megatron", R"({"tensor-model-parallel-size": 2, "sequence-parallel": true, "bf16": true})", "{}", "deepspeed", NotCarried::What::SequenceParallel, "");
}

void TstBehaviour::whatCannotBeCarriedIsTold()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, arguments);
    QFETCH(QByteArray, dsConfig);
    QFETCH(QByteArray, to);
    QFETCH(int, what);
    QFETCH(QByteArray, detail);
    const auto change = changeBehaviour(read(documentOf(from.constData(), arguments.constData(), dsConfig.constData())), to.constData());
    const auto told = std::find_if(change.lost.begin(), change.lost.end(), [what](const NotCarried& part) { return static_cast<int>(part.what) == what; });
    QVERIFY(told != change.lost.end());
    QCOMPARE(QByteArray::fromStdString(told->detail), detail);
}

void TstBehaviour::deepSpeedKeepsItsText()
{
    const Workspace w = read(documentOf("deepspeed", "{}", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})"));
    // All of it stands where FSDP2 finds it: nothing but the framework changes, and nothing is lost.
    const auto change = changeBehaviour(w, "fsdp2");
    QCOMPARE(change.edits.size(), std::size_t{2});
    QVERIFY(change.lost.empty());
}

void TstBehaviour::anotherModelTakesThePlaceOfTheArguments()
{
    Workspace w = read(documentOf("megatron", R"({"num-layers": 24, "hidden-size": 1024, "num-attention-heads": 16, "seq-length": 1024, "bf16": true, "micro-batch-size": 2})", "{}"));
    QVERIFY(modelIsInArguments(w));
    const Workspace then = read(w.document.patch(patchOf(w, modelArgumentEdits(w, w))));
    QVERIFY(!modelIsInArguments(then));
    const TrainingCase job = jobOf(then);
    QCOMPARE(job.model.layers, std::int64_t{32});
    QVERIFY(job.rotary && !job.biases);
    QCOMPARE(job.microBatch, std::int64_t{2});
    QCOMPARE(job.precision, Precision::Bf16);
}

void TstBehaviour::ownersExplainTheDifference()
{
    LedgerRole before, after;
    before.peak = {"backward", 70};
    after.peak = {"step", 90};
    before.items = {{"weights", Place::Device, 40, "all", {}, "2 Φ"}, {"logits", Place::Device, 30, "forward|backward", {}, "s V"}, {"temporaries", Place::Device, 9, "step"}, {"master", Place::Host, 500, "all"}};
    after.items = {{"weights", Place::Device, 40, "all", {}, "2 Φ"}, {"gradients", Place::Device, 10, "step"}, {"gradients", Place::Device, 35, "all", {}, "4 Φ"}, {"temporaries", Place::Device, 5, "step"}, {"logits", Place::Device, 30, "backward"}};
    const auto differences = differenceByOwner(before, after);
    QCOMPARE(differences.size(), std::size_t{3});
    QCOMPARE(differences[0].what, std::string("gradients"));
    QCOMPARE(differences[0].bytes, 45);
    QCOMPARE(differences[0].formula, std::string("4 Φ"));
    QCOMPARE(differences[1].what, std::string("logits"));
    QCOMPARE(differences[1].bytes, -30);
    QCOMPARE(differences[1].formula, std::string("s V"));
    QCOMPARE(differences[2].bytes, 5);
    QCOMPARE(differences[0].bytes + differences[1].bytes + differences[2].bytes, after.peak.allocated - before.peak.allocated);
    QVERIFY(differenceByOwner(after, after).empty());
}

void TstBehaviour::aPlanTellsWhatItDoesNotTake_data()
{
    QTest::addColumn<QByteArray>("framework");
    QTest::addColumn<QByteArray>("more");
    QTest::addColumn<QByteArray>("zero");
    QTest::addColumn<QByteArray>("told");
    QTest::newRow("fsdp2, stage 2") << QByteArray("fsdp2") << QByteArray("{}") << QByteArray(R"({"stage": 2})") << QByteArray("plan.other_stage.fsdp2");
    QTest::newRow("fsdp2, stage 3") << QByteArray("fsdp2") << QByteArray("{}") << QByteArray(R"({"stage": 3})") << QByteArray();
    QTest::newRow("fsdp2, offload") << QByteArray("fsdp2") << QByteArray("{}") << QByteArray(R"({"stage": 3, "offload_optimizer": {"device": "cpu"}})") << QByteArray("plan.other_offload.fsdp2");
    QTest::newRow("megatron, offload") << QByteArray("megatron") << QByteArray("{}") << QByteArray(R"({"stage": 1, "offload_optimizer": {"device": "cpu"}})") << QByteArray("plan.other_offload");
    QTest::newRow("megatron, stage 3") << QByteArray("megatron") << QByteArray("{}") << QByteArray(R"({"stage": 3})") << QByteArray("plan.other_stage.megatron");
    QTest::newRow("megatron, stage 1") << QByteArray("megatron") << QByteArray("{}") << QByteArray(R"({"stage": 1})") << QByteArray();
    QTest::newRow("megatron, whole") << QByteArray("megatron") << QByteArray(R"({"use-distributed-optimizer": false})") << QByteArray(R"({"stage": 2})") << QByteArray("plan.other_stage.whole");
    QTest::newRow("megatron, FSDP") << QByteArray("megatron") << QByteArray(R"({"use-megatron-fsdp": true, "data-parallel-sharding-strategy": "optim_grads"})") << QByteArray(R"({"stage": 3})") << QByteArray("plan.other_stage.arguments");
}

void TstBehaviour::aPlanTellsWhatItDoesNotTake()
{
    QFETCH(QByteArray, framework);
    QFETCH(QByteArray, more);
    QFETCH(QByteArray, zero);
    QFETCH(QByteArray, told);
    json document = documentOf("deepspeed", "{}", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}})");
    document["dsConfig"]["zero_optimization"] = json::parse(zero.toStdString());
    document = changed(read(document), framework.constData()).document;
    document["framework"]["arguments"].update(json::parse(more.toStdString()));
    auto plan = makePlan(read(document));
    QVERIFY(plan.hasValue() && plan->ledger);
    tellOtherBehaviour(read(document), {}, *plan);
    const auto find = [&plan](const std::string& prefix) { return std::find_if(plan->findings.begin(), plan->findings.end(), [&prefix](const PlanFinding& f) { return f.id.starts_with(prefix); }); };
    const auto stageOrOffload = told.isEmpty() ? find("plan.other_stage") : find(told.toStdString());
    QCOMPARE(stageOrOffload != plan->findings.end(), !told.isEmpty());
    if (told.isEmpty()) QVERIFY(find("plan.other_offload") == plan->findings.end());
    const auto ledger = find("plan.other_ledger");
    QVERIFY(ledger != plan->findings.end());
    if (framework == "megatron" && more == "{}") QVERIFY2(ledger->args.back().starts_with("+") && ledger->args.back().find(" gradients (4 Φ)") < 20, ledger->args.back().c_str());
}

void TstBehaviour::anotherJobIsNotCompared()
{
    const char* ds = R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})";
    const auto compared = [](const json& document) {
        auto plan = makePlan(read(document));
        if (!plan.hasValue()) return false;
        tellOtherBehaviour(read(document), {}, *plan);
        return std::any_of(plan->findings.begin(), plan->findings.end(), [](const PlanFinding& f) { return f.id == "plan.other_ledger"; });
    };
    QVERIFY(compared(documentOf("fsdp2", "{}", ds)));
    QVERIFY(compared(documentOf("stagecraft", "{}", ds)));
    QVERIFY(!compared(documentOf("fsdp2", R"({"local_batch": 2})", ds)));
    QVERIFY(!compared(documentOf("fsdp2", "{}")));   // the ds_config divides nothing
    QVERIFY(!compared(documentOf("deepspeed", "{}", ds)));
}

QTEST_GUILESS_MAIN(TstBehaviour)
#include "tst_behaviour.moc"
