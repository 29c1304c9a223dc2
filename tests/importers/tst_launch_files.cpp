// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch script leaves to other files: sourced ones, host files, files of arguments, the head of a batch job.
#include "import_fixture.h"

#include <QtTest>

using namespace stagecraft;
using nlohmann::json;

class TstLaunchFiles : public QObject {
    Q_OBJECT
private slots:
    void sourcedFiles();
    void hosts_data();
    void hosts();
    void argumentsOfTrl();
    void llamaFactoryV1_data();
    void llamaFactoryV1();
    void wordsAreReadInBothLanguages();
};

void TstLaunchFiles::sourcedFiles()
{
    std::vector<std::string> asked;
    ImportOptions given;
    given.readFile = [&](const std::string& path) -> Result<std::string> {
        asked.push_back(path);
        if (path.ends_with("env.sh")) return std::string("# of all runs\n\nexport NG=4\nARGS=\"--per_device_train_batch_size 2\"\nif [ -n \"$BIG\" ]; then NG=8; fi\n");
        if (path == "inner.sh") return std::string("deepspeed --num_gpus $1 t.py --deepspeed ds.json \"${@:2}\"\n");
        if (path == "again.sh") return std::string("source again.sh\nNG=2\n");
        if (path == "large.sh") return "NG=2\n" + std::string(300'000, '#');
        return path == "ds.json" ? Result<std::string>(std::string(kAutoConfig)) : Result<std::string>(Error{ErrorCode::NotFound, "no such file", {}});
    };
    for (const char* script : {"source env.sh\n", ". ./env.sh\n", "source \"$(dirname \"$0\")/env.sh\" || exit 1\n"}) {
        const auto imported = import("run.sh", QByteArray(script) + "deepspeed --num_gpus $NG t.py --deepspeed ds.json $ARGS", given);
        QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
        QCOMPARE(imported->context.world, 4);
        QCOMPARE(configOf(imported.value())["train_micro_batch_size_per_gpu"], json(2));
        const bool told = std::any_of(imported->notes.begin(), imported->notes.end(), [](const TransferNote& note) { return note.reason.find("else the script takes 8 (line 1)") != std::string::npos; });
        QVERIFY(told);  // in the line that names the file
        QVERIFY(std::any_of(imported->notes.begin(), imported->notes.end(), [](const TransferNote& note) { return note.key.ends_with("env.sh") && note.kind == TransferKind::Taken; }));
    }
    const auto called = import("run.sh", "bash inner.sh 2 --per_device_train_batch_size 3", given);
    QVERIFY2(called.hasValue(), called.hasValue() ? "" : called.error().message.c_str());
    QCOMPARE(called->context.world, 2);
    QCOMPARE(configOf(called.value())["train_micro_batch_size_per_gpu"], json(3));
    // Only files below the script, few, small and not without end.
    asked.clear();
    const auto kept = import("run.sh", "source ../env.sh\nsource /etc/env.sh\nsource a/../../env.sh\nsource $X/env.sh\n./prepare\nNG=1\nsource large.sh\ndeepspeed --num_gpus $NG t.py --deepspeed ds.json", given);
    QVERIFY(kept.hasValue());
    QCOMPARE(kept->context.world, 1);
    QCOMPARE(asked, (std::vector<std::string>{"large.sh", "ds.json"}));
    QVERIFY(hasNote(kept.value(), TransferKind::Warning, "source ../env.sh"));
    QVERIFY(hasNote(kept.value(), TransferKind::Warning, "source large.sh"));
    asked.clear();
    QByteArray many;
    for (int i = 0; i < 100; ++i) many += "source again.sh\n";
    QVERIFY(import("run.sh", many + "deepspeed --num_gpus $NG t.py --deepspeed ds.json", given).hasValue());
    QVERIFY(asked.size() <= 25);
}

void TstLaunchFiles::hosts_data()
{
    // As launcher/runner.py of DeepSpeed 0.19.8 resolves them; the hostfile has a with 4 slots and b with 2.
    QTest::addColumn<QByteArray>("options");
    QTest::addColumn<int>("ranks");  // 0 = cannot be read
    const auto row = [](const char* options, int ranks) { QTest::newRow(options) << QByteArray(options) << ranks; };
    row("--hostfile hosts", 6);
    row("--hostfile=hosts --num_nodes 1", 4);
    row("--hostfile hosts --num_gpus 2", 4);
    row("--hostfile hosts --num_nodes 2 --num_gpus 2", 4);
    row("--hostfile hosts --include b", 2);
    row("--hostfile hosts -i a:0,1@b", 4);
    row("--hostfile hosts --exclude a:3", 5);
    row("--hostfile hosts -e a", 2);
    row("--hostfile hosts --include c:0", 0);
    row("--hostfile hosts --include a:4", 0);
    row("--hostfile missing", 0);
    row("--hostfile broken", 0);
    row("--include localhost:0,1,1", 2);
    row("--include localhost:0-3", 0);
    row("--include localhost:$GPUS", 0);
    row("--include localhost", 0);
    row("--exclude localhost:0", 0);
    row("--include localhost:0 --num_gpus 2", 0);
    row("--num_nodes 2 --num_gpus 4 --hostfile missing", 8);
}

void TstLaunchFiles::hosts()
{
    QFETCH(QByteArray, options);
    QFETCH(int, ranks);
    ImportOptions given;
    given.readFile = [](const std::string& path) -> Result<std::string> {
        if (path == "hosts") return std::string("# all\na slots=4\n\nb\tslots=2\n");
        if (path == "broken") return std::string("a slots=4\na slots=2\n");
        return path == "ds.json" ? Result<std::string>(std::string(kAutoConfig)) : Result<std::string>(Error{ErrorCode::NotFound, "no such file", {}});
    };
    const auto imported = import("run.sh", "deepspeed " + options + " t.py --deepspeed ds.json", given);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QCOMPARE(imported->context.world, std::max(ranks, 1));
    const bool told = std::any_of(imported->notes.begin(), imported->notes.end(), [](const TransferNote& note) { return note.kind == TransferKind::Warning && note.reason.find("number of ranks") != std::string::npos; });
    QCOMPARE(told, ranks == 0);
}

void TstLaunchFiles::argumentsOfTrl()
{
    ImportOptions given;
    given.readFile = [](const std::string& path) -> Result<std::string> {
        if (path == "acc.yaml") return std::string("distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 2\ndeepspeed_config:\n  zero_stage: 3\n");
        if (path == "sft.yaml") return std::string("learning_rate: 2.0e-05\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 8\nbf16: true\nmax_steps: 100\n");
        if (path == "own.yaml") return std::string("batch: 4\noutput_dir: x\n");
        return Error{ErrorCode::NotFound, "no such file", {}};
    };
    const auto imported = import("run.sh", "accelerate launch --config_file acc.yaml sft.py --gradient_accumulation_steps 2 --config sft.yaml", given);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QCOMPARE(imported->context.launcher, CheckLauncher::Transformers);
    QCOMPARE(configOf(imported.value())["train_batch_size"], json(16));  // the command wins over the file
    QCOMPARE(configOf(imported.value())["optimizer"]["params"]["lr"], json(2e-5));
    const auto own = import("run.sh", "accelerate launch --config_file acc.yaml sft.py --config own.yaml", given);
    QVERIFY(own.hasValue() && hasNote(own.value(), TransferKind::Dropped, "--config"));
    QCOMPARE(configOf(own.value())["train_batch_size"], json("auto"));
    const auto missing = import("run.sh", "accelerate launch --config_file acc.yaml sft.py --config missing.yaml", given);
    QVERIFY(missing.hasValue() && hasNote(missing.value(), TransferKind::Warning, "--config"));
    // A batch job's own lines say on how many ranks srun starts it.
    const char* const head = "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node=2\n";
    const auto world = [](const QByteArray& script) {
        const auto read = import("run.sbatch", script);
        return read.hasValue() ? read->context.world : -1;
    };
    QCOMPARE(world(QByteArray(head) + "srun python t.py --deepspeed ds.json"), 8);
    QCOMPARE(world(QByteArray(head) + "srun -N 2 python t.py --deepspeed ds.json"), 4);
    QCOMPARE(world(QByteArray(head) + "srun --ntasks=3 python t.py --deepspeed ds.json"), 3);
    QCOMPARE(world(QByteArray(head) + "srun torchrun --nnodes $SLURM_JOB_NUM_NODES --nproc_per_node 8 t.py --deepspeed ds.json"), 32);
    QCOMPARE(world("srun python t.py --deepspeed ds.json"), 1);
    const auto nodes = import("run.sbatch", QByteArray(head) + "srun python t.py --deepspeed ds.json");
    QCOMPARE(workspaceOf(nodes.value())["/hardware/nodes"], json(4));
}

void TstLaunchFiles::llamaFactoryV1_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QByteArray>("more");
    QTest::addColumn<QString>("expected");  // micro, accumulation, global batch, bf16, fp16; or what is refused
    const auto row = [](const char* name, const char* config, const char* more, const char* expected) { QTest::newRow(name) << QByteArray(config) << QByteArray(more) << QString(expected); };
    const char* const autos = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3}})";
    row("its example", autos, "micro_batch_size: 2\n", "2 1 8 true false");
    row("a global batch", autos, "micro_batch_size: 2\nglobal_batch_size: 32\n", "2 4 32 true false");
    row("no micro-batch", autos, "global_batch_size: 8\n", "1 2 8 true false");
    row("a precision of its own", R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "fp16": {"enabled": false}, "zero_optimization": {"stage": 2}})", "", "1 1 null null false");
    row("a global batch that does not divide", autos, "micro_batch_size: 3\nglobal_batch_size: 8\n", "no multiple of 4 ranks");
    row("fp16", R"({"fp16": {"enabled": true}, "zero_optimization": {"stage": 2}})", "", "refuses (ValueError); use bf16");
    row("an optimizer", R"({"optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 2}})", "", "\"optimizer\" section");
}

void TstLaunchFiles::llamaFactoryV1()
{
    QFETCH(QByteArray, config);
    QFETCH(QByteArray, more);
    QFETCH(QString, expected);
    ImportOptions given;
    given.ranks = 4;
    const QByteArray file = "model: Qwen/Qwen3-0.6B\ndist_config:\n    name: deepspeed\n    config_file: ds.json\ntrain_dataset: data/x.yaml\nmax_steps: 10\n" + more;
    given.readFile = [&](const std::string& path) -> Result<std::string> {
        if (path == "v1.yaml") return file.toStdString();
        return path == "ds.json" ? Result<std::string>(config.toStdString()) : Result<std::string>(Error{ErrorCode::NotFound, "no such file", {}});
    };
    for (const bool started : {false, true}) {
        const auto imported = started ? import("run.sh", "USE_V1=1 llamafactory-cli train v1.yaml", given) : import("v1.yaml", file, given);
        if (!expected.front().isDigit()) {
            QVERIFY(!imported.hasValue());
            QVERIFY2(QString::fromStdString(imported.error().message).contains(expected), imported.error().message.c_str());
            continue;
        }
        QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
        const json read = configOf(imported.value());
        QStringList values;
        for (const char* pointer : {"/train_micro_batch_size_per_gpu", "/gradient_accumulation_steps", "/train_batch_size", "/bf16/enabled", "/fp16/enabled"}) values << QString::fromStdString(read.value(json::json_pointer(pointer), json()).dump());
        QCOMPARE(values.join(' '), expected);
        QCOMPARE(workspaceOf(imported.value())["/training/steps"], json(10));
        QCOMPARE(imported->context.launcher, CheckLauncher::Accelerate);
    }
    ImportOptions known = given;
    known.hiddenSize = 64;
    known.readFile = [](const std::string&) -> Result<std::string> { return std::string(R"({"gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto"}})"); };
    const auto sized = import("v1.yaml", QByteArray(file).replace("micro_batch_size: 3", "micro_batch_size: 2"), known);  // as Accelerator._prepare_deepspeed works them out
    QVERIFY(sized.hasValue());
    QCOMPARE(QString::fromStdString(configOf(sized.value())["zero_optimization"].dump()), QString(R"({"reduce_bucket_size":4096,"stage":3,"stage3_param_persistence_threshold":640,"stage3_prefetch_bucket_size":3686})"));
    const auto other = import("v1.yaml", QByteArray(file).replace("name: deepspeed", "name: fsdp2"), given);
    QVERIFY(!other.hasValue() && QString::fromStdString(other.error().message).contains("fsdp2"));
}

void TstLaunchFiles::wordsAreReadInBothLanguages()
{
    QVERIFY(trainerArgumentFromWord("learning_rate=2e-5").hasValue());
    for (const char* word : {"learning_rate", "lr=1", "learning_rate=fast"}) {
        const auto english = trainerArgumentFromWord(word), chinese = trainerArgumentFromWord(word, "zh");
        QVERIFY(!english.hasValue() && !chinese.hasValue());
        QVERIFY2(english.error().message.starts_with("Cannot"), english.error().message.c_str());
        QVERIFY2(chinese.error().message.starts_with("无法") && chinese.error().message.find("write") == std::string::npos, chinese.error().message.c_str());
    }
}

QTEST_GUILESS_MAIN(TstLaunchFiles)
#include "tst_launch_files.moc"
