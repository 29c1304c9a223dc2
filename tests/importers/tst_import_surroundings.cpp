// SPDX-License-Identifier: GPL-3.0-or-later
// What an import says to the workspace beside the ds_config: who starts the training, with which arguments, on which ranks.
#include "import_fixture.h"

#include "importers/config_text.h"

#include <QtTest>

using namespace stagecraft;
using nlohmann::json;

class TstImportSurroundings : public QObject {
    Q_OBJECT
private slots:
    void theTrainerStartsItAgain_data();
    void theTrainerStartsItAgain();
    void whatTheFileFixesIsNotMadeOtherwise_data();
    void whatTheFileFixesIsNotMadeOtherwise();
    void aLoopOfItsOwnGetsTheWholeBatch();
    void otherRanksAreTold();
    void nodesWithoutProcessesAreNotTaken_data();
    void nodesWithoutProcessesAreNotTaken();
    void aSplitThatDoesNotDivideIsTold();
    void autoTpIsDeepSpeeds();
};

namespace {

ImportOptions readingAs(const char* dsConfig)
{
    ImportOptions options;
    options.readFile = [text = std::string(dsConfig)](const std::string& path) -> Result<std::string> {
        if (path == "ds.json") return text;
        if (path == "acc.yaml") return std::string("distributed_type: DEEPSPEED\nnum_processes: 8\nnum_machines: 1\nmixed_precision: bf16\ndeepspeed_config: {zero_stage: 2, gradient_accumulation_steps: 4}\n");
        return Error{ErrorCode::NotFound, "no such file", {}};
    };
    return options;
}

std::string errorsOf(const ImportedConfig& imported, CheckLauncher launcher)
{
    CheckContext context = imported.context;
    context.launcher = launcher;
    std::string errors;
    for (const CheckFinding& error : errorsOfFile(imported.dsConfigText, context)) errors += error.rule + " " + error.message + "\n";
    return errors;
}

}  // namespace

void TstImportSurroundings::theTrainerStartsItAgain_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    const QByteArray arguments = "per_device_train_batch_size: 2\ngradient_accumulation_steps: 3\nmax_steps: 100\n";
    QTest::newRow("torchrun") << QString("run.sh") << QByteArray("torchrun --nproc_per_node 4 train.py --deepspeed ds.json --per_device_train_batch_size 2 --gradient_accumulation_steps 3 --max_steps 100");
    QTest::newRow("the Trainer's YAML") << QString("args.yaml") << "deepspeed: ds.json\n" + arguments;
    QTest::newRow("LLaMA-Factory") << QString("lf.yaml") << "stage: sft\nmodel_name_or_path: /models/llama\ndeepspeed: ds.json\n" + arguments;
    QTest::newRow("axolotl") << QString("ax.yaml") << QByteArray("base_model: /models/llama\ndeepspeed: ds.json\nmicro_batch_size: 2\ngradient_accumulation_steps: 3\nmax_steps: 100\nbf16: false\n");
}

void TstImportSurroundings::theTrainerStartsItAgain()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    // Nothing in it is left "auto".
    ImportOptions options = readingAs(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 2},
        "optimizer": {"type": "AdamW", "params": {"lr": "auto", "weight_decay": "auto"}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": "auto"}}})");
    options.ranks = 4;
    const auto imported = import(name, text, options);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QVERIFY2(imported->dsConfigText.find("auto") == std::string::npos, imported->dsConfigText.c_str());
    const json workspace = workspaceOf(*imported);
    QCOMPARE(workspace.value("/launch/launcher", json()), json("transformers"));
    QCOMPARE(workspace.at("/launch/trainer").value("gradient_accumulation_steps", json()), json(3));
    QCOMPARE(QString::fromStdString(errorsOf(*imported, CheckLauncher::Transformers)), QString());
}

void TstImportSurroundings::whatTheFileFixesIsNotMadeOtherwise_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("dsConfig");
    QTest::addColumn<QString>("batch");
    QTest::addColumn<QString>("told");
    const char* const open = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 1}})";
    const char* const steps = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 1}})";
    const char* const whole = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 1}})";
    const QByteArray four = "torchrun --nproc_per_node 4 train.py --deepspeed ds.json ";
    const QByteArray file = "accelerate launch --config_file acc.yaml train.py --per_device_train_batch_size 2";
    QTest::newRow("accelerate's file fixes the accumulation") << file << QString(open) << QString("64 2 4") << QString("/gradient_accumulation_steps");
    QTest::newRow("accelerate's file fixes the precision") << file << QString(open) << QString("64 2 4") << QString("/bf16/enabled");
    QTest::newRow("the ds_config fixes the accumulation") << four + "--per_device_train_batch_size 2" << QString(steps) << QString("32 2 4") << QString("/gradient_accumulation_steps");
    QTest::newRow("the accumulation follows from the whole") << four + "--per_device_train_batch_size 2" << QString(whole) << QString("64 2 8") << QString("/train_batch_size");
    QTest::newRow("the micro-batch follows from the whole") << four + "--gradient_accumulation_steps 1" << QString(whole) << QString("64 16 1") << QString("/train_batch_size");
    QTest::newRow("both are open, and the default fits") << four << QString(whole) << QString("64 8 2") << QString("/train_batch_size");
}

void TstImportSurroundings::whatTheFileFixesIsNotMadeOtherwise()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, dsConfig);
    QFETCH(QString, batch);
    QFETCH(QString, told);
    const auto imported = import("run.sh", text, readingAs(dsConfig.toUtf8().constData()));
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    for (const CheckLauncher launcher : {CheckLauncher::DeepSpeed, CheckLauncher::Transformers}) QCOMPARE(QString::fromStdString(errorsOf(*imported, launcher)), QString());
    const json config = configOf(*imported);
    QCOMPARE(QString("%1 %2 %3").arg(config["train_batch_size"].get<int>()).arg(config["train_micro_batch_size_per_gpu"].get<int>()).arg(config["gradient_accumulation_steps"].get<int>()), batch);
    QVERIFY(hasNote(*imported, TransferKind::Warning, told.toStdString()));

    // Two that are given and differ are refused by the Trainer, and say so; what is worked out of them stands together.
    const auto against = import("run.sh", "torchrun --nproc_per_node 4 train.py --deepspeed ds.json --per_device_train_batch_size 2 --gradient_accumulation_steps 2",
                                readingAs(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 1}})"));
    QCOMPARE(configOf(*against)["train_batch_size"], json(32));
    QVERIFY(hasNote(*against, TransferKind::Warning, "/gradient_accumulation_steps"));
}

void TstImportSurroundings::aLoopOfItsOwnGetsTheWholeBatch()
{
    const auto batchOf = [](const char* command, const char* dsConfig) {
        const auto imported = import("run.sh", command, readingAs(dsConfig));
        const json config = configOf(*imported);
        return std::pair(config.value("gradient_accumulation_steps", json()).dump(), errorsOf(*imported, CheckLauncher::Accelerate).find("R7 ") == std::string::npos && hasNote(*imported, TransferKind::Warning, "/gradient_accumulation_steps"));
    };
    const char* const command = "accelerate launch --num_processes 4 --use_deepspeed --deepspeed_config_file ds.json run_no_trainer.py --per_device_train_batch_size 2";
    const char* const rest = R"("train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}})";
    QCOMPARE(batchOf(command, (std::string(R"({"train_batch_size": 64, "gradient_accumulation_steps": "auto", )") + rest).c_str()), std::pair(std::string("8"), true));
    QCOMPARE(batchOf(command, (std::string(R"({"train_batch_size": "auto", "gradient_accumulation_steps": "auto", )") + rest).c_str()), std::pair(std::string("1"), true));
    // No whole number of steps makes it.
    QCOMPARE(batchOf(command, (std::string(R"({"train_batch_size": 60, "gradient_accumulation_steps": "auto", )") + rest).c_str()).first, std::string("1"));
}

void TstImportSurroundings::otherRanksAreTold()
{
    const auto toldOf = [](int ranks, const std::map<std::string, int>& split, const QByteArray& more = {}) {
        ImportOptions options = readingAs(R"({"train_micro_batch_size_per_gpu": 2})");
        options.workspaceRanks = ranks;
        options.workspaceSplit = split;
        const auto imported = import("run.sh", "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json " + more, options);
        QStringList told;
        for (const TransferNote& note : imported->notes)
            if (note.kind == TransferKind::Warning && QString::fromStdString(note.target).startsWith("/layout")) told << QString::fromStdString(note.reason);
        return std::pair(told.join('|'), workspaceOf(*imported));
    };
    QCOMPARE(toldOf(8, {{"tp", 1}}).first, QString());
    QCOMPARE(toldOf(0, {}).first, QString());
    QCOMPARE(toldOf(2, {{"tp", 1}}).first, QString("The workspace has 2 data-parallel ranks and gets 8, as the file says; its hardware follows."));
    // A model that the script builds is told: the workspace's is another.
    ImportOptions sized = readingAs(R"({"train_micro_batch_size_per_gpu": 2})");
    const auto megatron24 = import("run.sh", "deepspeed --num_gpus 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --deepspeed_config ds.json", sized);
    QCOMPARE(std::count_if(megatron24->notes.begin(), megatron24->notes.end(), [](const TransferNote& note) { return note.kind == TransferKind::Warning && note.target == "/model"; }), 3);
    // Without ranks of its own a file's split divides the workspace's.
    const auto divided = [](int ranks, const char* tp) {
        ImportOptions options = readingAs(R"({"train_micro_batch_size_per_gpu": 2})");
        options.workspaceRanks = ranks;
        const auto imported = import("run.sh", std::string("deepspeed train.py --deepspeed_config ds.json --tensor-model-parallel-size ").append(tp).c_str(), options);
        QString told;
        for (const TransferNote& note : imported->notes)
            if (note.target == "/layout/dp") told = QString::fromStdString(note.reason);
        return std::pair(told, workspaceOf(*imported));
    };
    QVERIFY2(divided(8, "2").first.contains("the workspace's 8 are kept, and with its split (tp 2) 4 of them"), qPrintable(divided(8, "2").first));
    QCOMPARE(divided(8, "2").second["/layout/dp"], json(4));
    QVERIFY2(divided(8, "3").first.contains("with 8 data-parallel ranks as before they would be 24"), qPrintable(divided(8, "3").first));
    // A split that the file does not know would multiply its ranks.
    const auto [told, workspace] = toldOf(8, {{"tp", 2}, {"pp", 4}, {"ep", 4}});
    QVERIFY2(told.contains("(pp 4, tp 2)") && !told.contains("as the file says"), qPrintable(told));
    QVERIFY(workspace.contains("/layout/tp") && workspace["/layout/tp"].is_null() && workspace["/layout/pp"].is_null() && !workspace.contains("/layout/ep"));
    QCOMPARE(workspace["/layout/dp"], json(8));
    QVERIFY(toldOf(8, {{"ep", 16}}).second["/layout/ep"].is_null());
    const json megatron = toldOf(8, {{"tp", 4}, {"pp", 2}}, "--tensor-model-parallel-size 2").second;
    QVERIFY(megatron["/layout/tp"] == json(2) && megatron["/layout/dp"] == json(4) && megatron["/layout/pp"].is_null());
}

void TstImportSurroundings::nodesWithoutProcessesAreNotTaken_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QString>("key");
    QTest::newRow("LLaMA-Factory's variables") << QByteArray("FORCE_TORCHRUN=1 NNODES=2 NODE_RANK=0 llamafactory-cli train --stage sft --deepspeed ds.json") << "NNODES";
    QTest::newRow("torchrun on every device") << QByteArray("torchrun --nnodes 2 --nproc_per_node gpu train.py --deepspeed ds.json") << "--nnodes";
    QTest::newRow("processes on nodes that only the shell knows") << QByteArray("torchrun --nnodes $1 --nproc_per_node 8 train.py --deepspeed ds.json") << "--nproc_per_node";
}

void TstImportSurroundings::nodesWithoutProcessesAreNotTaken()
{
    QFETCH(QByteArray, command);
    QFETCH(QString, key);
    const auto imported = import("run.sh", command, readingAs(R"({"train_micro_batch_size_per_gpu": 2})"));
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json workspace = workspaceOf(*imported);
    QVERIFY(!workspace.contains("/hardware/nodes") && !workspace.contains("/hardware/devicesPerNode"));
    QVERIFY(!hasNote(*imported, TransferKind::Taken, key.toStdString()));
    QVERIFY(std::any_of(imported->notes.begin(), imported->notes.end(), [&](const TransferNote& note) { return note.kind == TransferKind::Warning && note.key == key.toStdString() && note.target.empty() && note.reason.starts_with("Not taken over"); }));
    // With a number of ranks it is.
    ImportOptions options = readingAs(R"({"train_micro_batch_size_per_gpu": 2})");
    options.ranks = 8;
    if (key != "--nproc_per_node") QVERIFY(workspaceOf(*import("run.sh", command, options))["/hardware/nodes"] == json(2));
}

void TstImportSurroundings::aSplitThatDoesNotDivideIsTold()
{
    const auto imported = import("run.sh", "deepspeed --include localhost:0,2,3 pretrain_gpt.py --tensor-model-parallel-size 2 --pipeline-model-parallel-size 1 --deepspeed --deepspeed_config ds.json", readingAs(R"({"train_micro_batch_size_per_gpu": 2})"));
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json workspace = workspaceOf(*imported);
    QVERIFY(!workspace.contains("/layout/tp"));
    QCOMPARE(workspace["/layout/dp"], json(3));
    QVERIFY(std::any_of(imported->notes.begin(), imported->notes.end(), [](const TransferNote& note) { return note.kind == TransferKind::Warning && note.key == "--tensor-model-parallel-size" && note.reason.find("3 ranks do not divide by 2 (tp 2)") != std::string::npos; }));
}

void TstImportSurroundings::autoTpIsDeepSpeeds()
{
    for (const bool deepSpeed : {true, false}) {
        ImportOptions options = readingAs(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "tensor_parallel": {"autotp_size": 2}})");
        options.workspaceAutoTp = deepSpeed;
        const auto imported = import("run.sh", "torchrun --nproc_per_node 8 train.py --deepspeed ds.json --per_device_train_batch_size 2", options);
        QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
        const json workspace = workspaceOf(*imported);
        QCOMPARE(configOf(*imported)["train_batch_size"], json(16));  // the Trainer counts all ranks
        QCOMPARE(workspace["/layout/dp"], json(deepSpeed ? 4 : 8));
        QCOMPARE(workspace.contains("/layout/tp"), deepSpeed);
        QCOMPARE(hasNote(*imported, TransferKind::Warning, "/tensor_parallel/autotp_size"), !deepSpeed);
    }
}

QTEST_GUILESS_MAIN(TstImportSurroundings)
#include "tst_import_surroundings.moc"
