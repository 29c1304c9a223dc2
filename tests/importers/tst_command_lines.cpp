// SPDX-License-Identifier: GPL-3.0-or-later
// Launch scripts and command lines, read without running anything.
#include "import_fixture.h"

#include <QtTest>

using namespace stagecraft;
using nlohmann::json;

class TstCommandLines : public QObject {
    Q_OBJECT
private slots:
    void commandLines_data();
    void commandLines();
    void aPathOnlyTheShellKnowsIsNamed();
    void launchOptionsFillAConfigFile_data();
    void launchOptionsFillAConfigFile();
    void launchOptionsThatAccelerateRefuses_data();
    void launchOptionsThatAccelerateRefuses();
    void notesNameTheirFile();
    void whoRunsTheLoop_data();
    void whoRunsTheLoop();
    void whatTheCommandSaysWins_data();
    void whatTheCommandSaysWins();
    void anUnknownValueIsNoDefault();
    void anUnknownCountIsNotTheFiles();
    void noLauncherIsTold();
    void branches_data();
    void branches();
    void unknownOverridesAreOpen();
    void unknownOptionsOfAccelerateAreOpen();
    void aWrittenConfigWithUnknownValues();
    void whichTrainingIsRead();
};

void TstCommandLines::commandLines_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("workspace");
    QTest::newRow("deepspeed") << QByteArray("deepspeed --num_gpus=4 --num_nodes 2 train.py --deepspeed_config ds.json") << QString(R"({"/hardware/devicesPerNode":4,"/hardware/nodes":2,"/layout/dp":8})");
    QTest::newRow("included slots") << QByteArray("deepspeed --include a:0,1@b:2,3 train.py --deepspeed_config ds.json") << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":2,"/layout/dp":4})");
    QTest::newRow("torchrun") << QByteArray("torchrun --standalone --nproc-per-node 4 train.py --deepspeed ds.json") << QString(R"({"/hardware/devicesPerNode":4,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":4})");
    QTest::newRow("python -m") << QByteArray("N=2; python3 -u -m torch.distributed.run --nproc_per_node=$N train.py --deepspeed ds.json") << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":2})");
    QTest::newRow("accelerate") << QByteArray("accelerate launch --use_deepspeed --zero_stage 2 --num_processes 8 train.py") << QString(R"({"/hardware/devicesPerNode":8,"/hardware/nodes":1,"/launch/launcher":"accelerate","/layout/dp":8})");
    QTest::newRow("Megatron-DeepSpeed") << QByteArray("deepspeed --num_gpus 8 pretrain_gpt.py --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --train-iters 500 --deepspeed --deepspeed_config ds.json")
                                        << QString(R"({"/hardware/devicesPerNode":8,"/hardware/nodes":1,"/layout/dp":2,"/layout/pp":2,"/layout/tp":2,"/training/steps":500})");
    QTest::newRow("a config in the script") << QByteArray("cat <<EOF > c.json\n{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 1}}\nEOF\ndeepspeed --num_gpus 2 t.py --deepspeed --deepspeed_config c.json")
                                            << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    QTest::newRow("a config beside the script") << QByteArray("here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")\" && pwd)\nexec deepspeed --num_gpus 2 \"$@\" --deepspeed --deepspeed_config \"$here/ds.json\" ;;")
                                                << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    QTest::newRow("a config of the script by its folder") << QByteArray("cat <<EOF > c.json\n{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 1}}\nEOF\ndeepspeed --num_gpus 2 t.py --deepspeed_config $PWD/c.json")
                                                          << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    const auto row = [](const char* name, const char* script, const char* expected) { QTest::newRow(name) << QByteArray(script) << QString(expected); };
    row("the devices deepspeed sees", "CUDA_VISIBLE_DEVICES=0,1 deepspeed train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":2})");
    row("a choice of deepspeed's own wins", "CUDA_VISIBLE_DEVICES=0,1,2,3 deepspeed --num_gpus 2 train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":2})");
    row("the exported devices accelerate sees", "export CUDA_VISIBLE_DEVICES=0,1,2,3\naccelerate launch --use_deepspeed --deepspeed_config_file ds.json train.py", R"({"/hardware/devicesPerNode":4,"/hardware/nodes":1,"/launch/launcher":"accelerate","/layout/dp":4})");
    row("exported by name", "CUDA_VISIBLE_DEVICES=4,5,6\nexport CUDA_VISIBLE_DEVICES\ndeepspeed train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":3,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":3})");
    row("not exported, so not seen", "CUDA_VISIBLE_DEVICES=0,1\ndeepspeed train.py --deepspeed ds.json", R"({"/launch/launcher":"transformers"})");
    row("in front of another command", "CUDA_VISIBLE_DEVICES=0,1 nvidia-smi\ndeepspeed train.py --deepspeed ds.json", R"({"/launch/launcher":"transformers"})");
    row("known only when it runs", "CUDA_VISIBLE_DEVICES=$1 deepspeed train.py --deepspeed ds.json", R"({"/launch/launcher":"transformers"})");
    row("torchrun on every device", "CUDA_VISIBLE_DEVICES=0,1,2 torchrun --nnodes 2 --nproc_per_node gpu train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":3,"/hardware/nodes":2,"/launch/launcher":"transformers","/layout/dp":6})");
    row("torchrun with a number", "CUDA_VISIBLE_DEVICES=0,1,2 torchrun --nproc_per_node 2 train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":2})");
    row("llamafactory-cli by its variables", "FORCE_TORCHRUN=1 NNODES=2 NPROC_PER_NODE=4 llamafactory-cli train --deepspeed ds.json", R"({"/hardware/devicesPerNode":4,"/hardware/nodes":2,"/launch/launcher":"transformers","/layout/dp":8})");
    row("mpirun", "mpirun -n 16 --map-by ppr:8:node -x PATH uv run finetune.py --use_deepspeed --deepspeed_config_file ds.json", R"({"/hardware/devicesPerNode":16,"/hardware/nodes":1,"/layout/dp":16})");
    row("srun of python", "srun --ntasks=8 python train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":8,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":8})");
    row("a second training, of a script called itself", "deepspeed --num_gpus 2 train.py --deepspeed ds.json\nother.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":2})");
    row("computed ranks", "G=8\nN=4\ntorchrun --nnodes $N --nproc_per_node $((G/2)) train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":4,"/hardware/nodes":4,"/launch/launcher":"transformers","/layout/dp":16})");
    row("nodes that only Slurm knows", "L=\"torchrun --nnodes $SLURM_NNODES --nproc_per_node 8\"\nsrun bash -c \"$L train.py --deepspeed ds.json\"", R"({"/launch/launcher":"transformers"})");
    row("srun of a shell", "srun --ntasks=8 bash -c 'python train.py --deepspeed ds.json'", R"({"/hardware/devicesPerNode":8,"/hardware/nodes":1,"/launch/launcher":"transformers","/layout/dp":8})");
    row("ssh", "ssh node1 \"cd /work && deepspeed --num_gpus 4 train.py --deepspeed_config ds.json\"", R"({"/hardware/devicesPerNode":4,"/hardware/nodes":1,"/layout/dp":4})");
    row("torchx", "#!/bin/bash\nexport NCCL_ALGO=Ring\ntorchx run -s slurm dist.ddp -j 8x8 --script train.py -- --deepspeed ds.json", R"({"/launch/launcher":"transformers"})");
}

void TstCommandLines::commandLines()
{
    QFETCH(QByteArray, script);
    QFETCH(QString, workspace);
    const auto imported = import("run.sh", script);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QCOMPARE(QString::fromStdString(workspaceOf(imported.value()).dump()), workspace);
    QVERIFY(configOf(imported.value()).contains("zero_optimization"));
}

void TstCommandLines::aPathOnlyTheShellKnowsIsNamed()
{
    const auto imported = import("run.sh", "set -e\ndeepspeed --num_gpus 2 t.py --deepspeed --deepspeed_config $CONFIGS/zero2.json");
    QVERIFY(!imported.hasValue());
    const QString message = QString::fromStdString(imported.error().message);
    for (const char* part : {"line 2", "--deepspeed_config", "/zero2.json", "variable"}) QVERIFY2(message.contains(part), qPrintable(message));
}

void TstCommandLines::launchOptionsFillAConfigFile_data()
{
    // What accelerate 1.15.0 makes of it: `accelerate launch` to its environment, DeepSpeedPlugin() from that, set_mixed_precision.
    QTest::addColumn<QByteArray>("options");
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a precision fills auto") << QByteArray("--mixed_precision bf16") << QByteArray(R"({"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"}})")
                                            << QString(R"({"bf16":{"enabled":true},"fp16":{"enabled":false},"zero_optimization":{"stage":2}})");
    QTest::newRow("a precision adds its section") << QByteArray("--mixed_precision fp16") << QByteArray(R"({"zero_optimization": {"stage": 2}})")
                                                  << QString(R"({"fp16":{"auto_cast":true,"enabled":true},"zero_optimization":{"stage":2}})");
    QTest::newRow("fp8 stands on bf16") << QByteArray("--mixed_precision fp8") << QByteArray(R"({"zero_optimization": {}, "bf16": {"enabled": "auto"}})") << QString(R"({"bf16":{"enabled":true},"zero_optimization":{}})");
    QTest::newRow("a precision the config has") << QByteArray("--mixed_precision bf16") << QByteArray(R"({"zero_optimization": {}, "bf16": {"enabled": true}})") << QString(R"({"bf16":{"enabled":true},"zero_optimization":{}})");
    QTest::newRow("options fill auto") << QByteArray("--gradient_clipping 0.5 --gradient_accumulation_steps 4 --zero_stage 3 --offload_optimizer_device cpu --zero3_save_16bit_model true")
                                       << QByteArray(R"({"gradient_clipping": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": "auto", "offload_optimizer": {"device": "auto"}, "stage3_gather_16bit_weights_on_model_save": "auto"}})")
                                       << QString(R"({"gradient_accumulation_steps":4,"gradient_clipping":0.5,"zero_optimization":{"offload_optimizer":{"device":"cpu"},"stage":3,"stage3_gather_16bit_weights_on_model_save":true}})");
    QTest::newRow("options leave values alone") << QByteArray("--gradient_clipping 0.5 --zero_stage 3") << QByteArray(R"({"gradient_clipping": 1.0, "zero_optimization": {"stage": 2}})")
                                                << QString(R"({"gradient_clipping":1.0,"zero_optimization":{"stage":2}})");
}

void TstCommandLines::launchOptionsFillAConfigFile()
{
    QFETCH(QByteArray, options);
    QFETCH(QByteArray, config);
    QFETCH(QString, expected);
    ImportOptions import_;
    import_.readFile = [&](const std::string& path) -> Result<std::string> {
        if (path == "z.json") return config.toStdString();
        return Error{ErrorCode::NotFound, "no such file", {}};
    };
    const auto imported = import("run.sh", "accelerate launch " + options + " --num_processes 4 --use_deepspeed --deepspeed_config_file z.json train.py", import_);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QCOMPARE(QString::fromStdString(configOf(imported.value()).dump()), expected);
    for (const QByteArray& option : options.split(' ')) {
        if (option.startsWith("--")) QVERIFY2(hasNote(imported.value(), TransferKind::Changed, option.toStdString()) || hasNote(imported.value(), TransferKind::Dropped, option.toStdString()), option.constData());
    }
}

void TstCommandLines::launchOptionsThatAccelerateRefuses_data()
{
    QTest::addColumn<QByteArray>("options");
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("said");
    QTest::newRow("the precision of the file") << QByteArray("") << QByteArray("mixed_precision: bf16\ndistributed_type: DEEPSPEED\n") << QString("\"acc.yaml\", line 1: beside \"deepspeed_config_file\" accelerate refuses \"mixed_precision\"");
    QTest::newRow("a field of the file") << QByteArray("--zero_stage 2") << QByteArray("distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n") << QString("\"acc.yaml\", line 3: beside \"deepspeed_config_file\" accelerate refuses \"zero_stage\"");
    QTest::newRow("another precision than the config's") << QByteArray("--mixed_precision fp16") << QByteArray("distributed_type: DEEPSPEED\nmixed_precision: 'no'\n") << QString("line 1: --mixed_precision is fp16 and the ds_config enables bf16");
    QTest::newRow("a stage that is none") << QByteArray("--zero_stage 7") << QByteArray("distributed_type: DEEPSPEED\n") << QString("line 1: --zero_stage");
}

void TstCommandLines::launchOptionsThatAccelerateRefuses()
{
    QFETCH(QByteArray, options);
    QFETCH(QByteArray, file);
    QFETCH(QString, said);
    ImportOptions given;
    given.readFile = [&](const std::string& path) -> Result<std::string> { return path == "acc.yaml" ? file.toStdString() : std::string(R"({"zero_optimization": {"stage": 2}, "bf16": {"enabled": true}})"); };
    const auto imported = import("run.sh", "accelerate launch --config_file acc.yaml " + options + " --deepspeed_config_file z.json train.py", given);
    QVERIFY(!imported.hasValue());
    QVERIFY2(QString::fromStdString(imported.error().message).contains(said), imported.error().message.c_str());
}

void TstCommandLines::notesNameTheirFile()
{
    ImportOptions given;
    given.readFile = [](const std::string& path) -> Result<std::string> {
        if (path == "acc.yaml") return std::string("distributed_type: DEEPSPEED\nnum_processes: 16\nnum_machines: 2\nmixed_precision: fp16\ndeepspeed_config:\n  zero_stage: 3\n  gradient_clipping: 1.0\n");
        if (path == "lf.yaml") return std::string("stage: sft\nlearning_rate: 1.0e-4\nmax_steps: 10\ndeepspeed: ds.json\n");
        return std::string(kAutoConfig);
    };
    const auto all = [](const ImportedConfig& imported) {
        QStringList lines;
        for (const TransferNote& note : imported.notes) {
            lines << QStringLiteral("%1:%2 %3 %4").arg(QString::fromStdString(note.file)).arg(note.line).arg(QLatin1StringView(transferKindName(note.kind)), QString::fromStdString(note.key));
            if (note.kind == TransferKind::Dropped) lines.last() += ' ' + QString::fromStdString(note.reason);
        }
        return lines;
    };
    const auto launched = import("run.sh", "\naccelerate launch --config_file acc.yaml --num_processes 4 --num_machines 1 --mixed_precision bf16 \\\n --zero_stage 2 train.py\n", given);
    QVERIFY2(launched.hasValue(), launched.hasValue() ? "" : launched.error().message.c_str());
    const QStringList lines = all(launched.value());
    for (const char* line : {":2 taken --num_processes", "acc.yaml:2 dropped num_processes Replaced by --num_processes.", "acc.yaml:3 dropped num_machines Replaced by --num_machines.", "acc.yaml:4 dropped mixed_precision Replaced by --mixed_precision.",
                             ":2 taken --mixed_precision", "acc.yaml:6 dropped deepspeed_config.zero_stage Replaced by --zero_stage.", ":3 taken --zero_stage", "acc.yaml:7 taken deepspeed_config.gradient_clipping"})
        QVERIFY2(lines.contains(QString(line)), qPrintable(line + QStringLiteral(" not in\n") + lines.join('\n')));
    QCOMPARE(launched->context.world, 4);
    QCOMPARE(configOf(launched.value())["zero_optimization"]["stage"], json(2));

    const auto trained = import("run.sh", "llamafactory-cli train lf.yaml --learning_rate 2e-5", given);
    QVERIFY2(trained.hasValue(), trained.hasValue() ? "" : trained.error().message.c_str());
    const QStringList said = all(trained.value());
    for (const char* line : {"lf.yaml:2 dropped learning_rate Replaced by --learning_rate.", ":1 taken --learning_rate", "lf.yaml:3 taken max_steps"}) QVERIFY2(said.contains(QString(line)), qPrintable(said.join('\n')));
}

void TstCommandLines::whoRunsTheLoop_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QString>("micro");         // of the ds_config that comes of it
    QTest::addColumn<QString>("accumulation");
    QTest::addColumn<bool>("trainer");
    const auto row = [](const char* name, const char* command, const char* micro, const char* accumulation, bool trainer) { QTest::newRow(name) << QByteArray(command) << QString(micro) << QString(accumulation) << trainer; };
    row("diffusers' own names", "accelerate launch --use_deepspeed --deepspeed_config_file ds.json --num_processes 8 train_text_to_image.py --train_batch_size=1 --gradient_accumulation_steps=4 --learning_rate=1e-05 --max_grad_norm=1 --lr_scheduler_type constant --num_train_epochs 3 --output_dir out", "\"auto\"", "4", false);
    row("no accumulation is given", "accelerate launch --use_deepspeed --deepspeed_config_file ds.json --num_processes 8 train.py --train_batch_size=1", "\"auto\"", "1", false);
    row("a loop of transformers' examples", "accelerate launch --use_deepspeed --deepspeed_config_file ds.json --num_processes 8 run_clm_no_trainer.py --per_device_train_batch_size 2 --gradient_accumulation_steps 4", "2", "4", false);
    row("the Trainer under accelerate", "accelerate launch --use_deepspeed --deepspeed_config_file ds.json --num_processes 8 sft.py --per_device_train_batch_size 2 --gradient_accumulation_steps 4", "2", "4", true);
    row("the Trainer with its defaults", "torchrun --nproc_per_node 8 train.py --deepspeed ds.json --max_steps 10", "8", "1", true);
    row("a script that calls DeepSpeed itself", "deepspeed --num_gpus 8 main.py --per_device_train_batch_size 2 --deepspeed --deepspeed_config ds.json", "\"auto\"", "\"auto\"", false);
}

void TstCommandLines::whoRunsTheLoop()
{
    QFETCH(QByteArray, command);
    QFETCH(QString, micro);
    QFETCH(QString, accumulation);
    QFETCH(bool, trainer);
    const auto imported = import("run.sh", command);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json config = configOf(imported.value());
    QCOMPARE(QString::fromStdString(config["train_micro_batch_size_per_gpu"].dump()), micro);
    QCOMPARE(QString::fromStdString(config["gradient_accumulation_steps"].dump()), accumulation);
    if (config["train_micro_batch_size_per_gpu"].is_number()) QCOMPARE(config["train_batch_size"], json(config["train_micro_batch_size_per_gpu"].get<int>() * config["gradient_accumulation_steps"].get<int>() * 8));
    // What nobody knows is said, and nothing is said to be taken that is not used.
    for (const TransferNote& note : imported->notes) {
        const QString said = QString::fromStdString(transferKindName(note.kind) + (' ' + note.key) + ": " + note.reason);
        if (!trainer) QVERIFY2(!said.contains("the Trainer", Qt::CaseInsensitive), qPrintable(said));
        if (note.kind == TransferKind::Taken && !trainer) QVERIFY2(note.key != "--learning_rate" && note.key != "--max_grad_norm" && note.key != "--lr_scheduler_type", qPrintable(said));
        if (trainer && note.target == "/dsConfig/train_micro_batch_size_per_gpu" && !command.contains("per_device_train_batch_size")) QVERIFY2(said.contains("not given"), qPrintable(said));
        if (!trainer && note.target == "/dsConfig/gradient_accumulation_steps") QVERIFY2(said.startsWith("warning"), qPrintable(said));
    }
    QCOMPARE(json::parse(imported->dsConfigText).contains("scheduler"), true);
}

void TstCommandLines::whatTheCommandSaysWins_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<int>("micro");
    QTest::addColumn<int>("accumulation");
    QTest::addColumn<QString>("said");
    QTest::newRow("LLaMA-Factory key=value") << QByteArray("CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train lf.yaml learning_rate=1e-5 gradient_accumulation_steps=16 some.other=1") << 1 << 16 << "gradient_accumulation_steps dropped";
    QTest::newRow("torchrun of LLaMA-Factory") << QByteArray("torchrun --nproc_per_node 2 src/train.py lf.yaml per_device_train_batch_size=3") << 3 << 2 << "per_device_train_batch_size dropped";
    QTest::newRow("axolotl") << QByteArray("CUDA_VISIBLE_DEVICES=0,1 axolotl train ax.yaml --micro-batch-size 5 --no-flash-attention") << 5 << 2 << "micro_batch_size dropped";
    QTest::newRow("axolotl's module") << QByteArray("accelerate launch --num_processes 2 -m axolotl.cli.train ax.yaml --micro_batch_size 5") << 5 << 2 << "micro_batch_size dropped";
    QTest::newRow("axolotl with the launcher's options") << QByteArray("axolotl train --gradient-accumulation-steps=7 ax.yaml --launcher torchrun -- --nproc_per_node=2") << 1 << 7 << "gradient_accumulation_steps dropped";
}

void TstCommandLines::whatTheCommandSaysWins()
{
    QFETCH(QByteArray, command);
    QFETCH(int, micro);
    QFETCH(int, accumulation);
    QFETCH(QString, said);
    ImportOptions given;
    given.readFile = [](const std::string& path) -> Result<std::string> {
        if (path == "lf.yaml") return std::string("stage: sft\nfinetuning_type: full\nlearning_rate: 1.0e-4\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 2\nmax_steps: 10\ndeepspeed: ds.json\n");
        if (path == "ax.yaml") return std::string("base_model: x/y\nmicro_batch_size: 1\ngradient_accumulation_steps: 2\nmax_steps: 10\ndeepspeed: ds.json\n");
        return std::string(kAutoConfig);
    };
    const auto imported = import("run.sh", command, given);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json config = configOf(imported.value());
    QCOMPARE(config["train_micro_batch_size_per_gpu"], json(micro));
    QCOMPARE(config["gradient_accumulation_steps"], json(accumulation));
    QCOMPARE(config["train_batch_size"], json(micro * accumulation * 2));
    QStringList notes;
    for (const TransferNote& note : imported->notes) notes << QString::fromStdString(note.key + ' ' + transferKindName(note.kind));
    QVERIFY2(notes.contains(said), qPrintable(notes.join('\n')));
}

void TstCommandLines::anUnknownValueIsNoDefault()
{
    const auto imported = import("run.sh", "for MB in 1 2 4; do deepspeed --num_gpus 2 train.py --deepspeed ds.json --per_device_train_batch_size $MB --gradient_accumulation_steps 4; done", {});
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json config = configOf(imported.value());
    QCOMPARE(config["gradient_accumulation_steps"], json(4));
    for (const char* key : {"train_micro_batch_size_per_gpu", "train_batch_size"}) QCOMPARE(config[key], json("auto"));
    QVERIFY(hasNote(imported.value(), TransferKind::Warning, "/train_micro_batch_size_per_gpu"));
}

void TstCommandLines::anUnknownCountIsNotTheFiles()
{
    ImportOptions given;
    given.readFile = [](const std::string& path) -> Result<std::string> {
        if (path == "acc.yaml") return std::string("distributed_type: DEEPSPEED\nnum_processes: 8\nnum_machines: 1\ndeepspeed_config:\n  deepspeed_config_file: z.json\n");
        return std::string(kAutoConfig);
    };
    const auto unknown = import("run.sh", "accelerate launch --config_file acc.yaml --num_processes $WORLD --num_machines $SLURM_NNODES train.py --per_device_train_batch_size 3", given);
    QVERIFY2(unknown.hasValue(), unknown.hasValue() ? "" : unknown.error().message.c_str());
    // The counts are nobody's; what fills the "auto" that is left once the script runs is kept.
    QCOMPARE(workspaceOf(unknown.value()), (json{{"/launch/launcher", "transformers"}, {"/launch/trainer", {{"per_device_train_batch_size", 3}}}}));
    QVERIFY(hasNote(unknown.value(), TransferKind::Dropped, "num_processes") && hasNote(unknown.value(), TransferKind::Dropped, "num_machines"));
    QVERIFY(!hasNote(unknown.value(), TransferKind::Taken, "num_processes"));
    const auto known = import("run.sh", "G=8\nW=$(($G*4))\naccelerate launch --config_file acc.yaml --num_processes $W --num_machines 4 train.py --per_device_train_batch_size 3", given);
    QVERIFY(known.hasValue());
    QCOMPARE(configOf(known.value())["train_batch_size"], json(96));
}

void TstCommandLines::noLauncherIsTold()
{
    const auto imported = import("run.sh", "#!/bin/bash\nmake train\n");
    QVERIFY(!imported.hasValue());
    const QString message = QString::fromStdString(imported.error().message);
    QVERIFY2(message.contains("torchrun") && !message.contains("key: value"), qPrintable(message));
    const auto other = import("run.sh", "torchx run dist.ddp --script train.py -- --deepspeed ds.json");
    QVERIFY(other.hasValue());
    QVERIFY(hasNote(other.value(), TransferKind::Warning, "torchx"));
}

void TstCommandLines::branches_data()
{
    QTest::addColumn<QByteArray>("script");  // sets GAS
    QTest::addColumn<QString>("accumulation");
    QTest::addColumn<QString>("said");
    QTest::newRow("decided by the script") << QByteArray("M=7b\nif [ $M = 13b ]; then GAS=8; else GAS=4; fi") << "4" << "";
    QTest::newRow("branches") << QByteArray("if nvidia-smi | grep -q A100; then GAS=8\nelse GAS=4; fi") << "\"auto\"" << "$GAS is 8 (line 1) or 4 (line 2)";
    QTest::newRow("one of two") << QByteArray("test -f big && GAS=8 || GAS=4") << "\"auto\"" << "$GAS is 8 (line 1) or 4 (line 1)";
    QTest::newRow("a default") << QByteArray("GAS=${GAS:-4}") << "4" << "$GAS is not given from outside";
    QTest::newRow("defaults in a number") << QByteArray("GAS=$((${B:-64} / ${G:-8}))") << "8" << "$B, $G is not given from outside";
    QTest::newRow("a default by a test") << QByteArray("[ -z \"$GAS\" ] && GAS=4") << "4" << "$GAS is not given from outside";
    QTest::newRow("an argument") << QByteArray("case $1 in big) GAS=8;; *) GAS=4;; esac") << "4" << "an argument of the script is not given from outside; else the script takes 8 (line 1)";
    QTest::newRow("a loop") << QByteArray("GAS=1; while sleep 1; do ((GAS*=2)); done") << "\"auto\"" << "known only when the script runs";
    QTest::newRow("counting") << QByteArray("((GAS=2*2)); let GAS=GAS*2; ((GAS++))") << "9" << "";
}

void TstCommandLines::branches()
{
    QFETCH(QByteArray, script);
    QFETCH(QString, accumulation);
    QFETCH(QString, said);
    for (const char* command : {"deepspeed --num_gpus 2 train.py --deepspeed ds.json --per_device_train_batch_size 1 --gradient_accumulation_steps $GAS",
                                "A=(--deepspeed ds.json)\nA+=(--per_device_train_batch_size 1 \"--gradient_accumulation_steps=$GAS\")\ntrain() {\n torchrun --nproc_per_node $1 train.py \"${A[@]}\"\n}\ntrain 2"}) {
        const auto imported = import("run.sh", script + "\n" + command);
        QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
        QCOMPARE(QString::fromStdString(configOf(imported.value())["gradient_accumulation_steps"].dump()), accumulation);
        QStringList warnings;
        for (const TransferNote& note : imported->notes) {
            if (note.kind == TransferKind::Warning && note.key == "--gradient_accumulation_steps") warnings << QString::fromStdString(note.reason);
            QVERIFY(accumulation != "\"auto\"" || note.kind != TransferKind::Taken || note.key != "--gradient_accumulation_steps");
        }
        QVERIFY2(said.isEmpty() ? warnings.isEmpty() : warnings.join('\n').contains(said, Qt::CaseInsensitive), qPrintable(warnings.join('\n')));
    }
}

void TstCommandLines::unknownOverridesAreOpen()
{
    ImportOptions given;
    given.readFile = [](const std::string& path) -> Result<std::string> {
        if (path == "lf.yaml") return std::string("stage: sft\nfinetuning_type: full\nlearning_rate: 1.0e-4\ncutoff_len: 512\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 2\nmax_steps: 10\ndeepspeed: ds.json\n");
        if (path == "ax.yaml") return std::string("base_model: x/y\nmicro_batch_size: 1\ngradient_accumulation_steps: 2\nmax_steps: 10\ndeepspeed: ds.json\n");
        return std::string(kAutoConfig);
    };
    for (const char* command : {"CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train lf.yaml gradient_accumulation_steps=$GAS cutoff_len=$CUT", "CUDA_VISIBLE_DEVICES=0,1 axolotl train ax.yaml --gradient-accumulation-steps $GAS",
                                "deepspeed --num_gpus 2 train.py --deepspeed ds.json --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --gradient_accumulation_steps=$GAS"}) {
        const auto imported = import("run.sh", command, given);
        QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
        const json config = configOf(imported.value());
        QCOMPARE(config["gradient_accumulation_steps"], json("auto"));
        QCOMPARE(config["train_batch_size"], json("auto"));
        QCOMPARE(config["train_micro_batch_size_per_gpu"], json(1));
        QVERIFY(!workspaceOf(imported.value()).contains("/model/seq"));
        bool told = false;
        for (const TransferNote& note : imported->notes) {
            QVERIFY2(note.kind != TransferKind::Taken || note.key.find("gradient_accumulation") == std::string::npos, note.key.c_str());
            told = told || (note.kind == TransferKind::Warning && note.key.find("gradient") != std::string::npos && note.value == "\"$GAS\"");
        }
        QVERIFY(told);
        ImportOptions known = given;  // given from outside
        known.arguments["gradient_accumulation_steps"] = std::int64_t{8};
        const auto again = import("run.sh", command, known);
        QVERIFY(again.hasValue());
        QCOMPARE(configOf(again.value())["train_batch_size"], json(16));
    }
    const auto config = import("run.sh", "llamafactory-cli train lf.yaml deepspeed=$DS", given);
    QVERIFY(!config.hasValue());
    QVERIFY2(QString::fromStdString(config.error().message).contains("\"$DS\""), config.error().message.c_str());
}

void TstCommandLines::unknownOptionsOfAccelerateAreOpen()
{
    ImportOptions given;
    given.readFile = [](const std::string& path) -> Result<std::string> {
        if (path == "acc.yaml") return std::string("distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 2\ndeepspeed_config:\n  zero_stage: 3\n  gradient_clipping: 1.0\n");
        return Error{ErrorCode::NotFound, "no such file", {}};
    };
    const auto imported = import("run.sh", "accelerate launch --config_file acc.yaml --zero_stage $Z --gradient_clipping $C --mixed_precision $P train.py", given);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json config = configOf(imported.value());
    QCOMPARE(config["zero_optimization"]["stage"], json("auto"));
    for (const char* pointer : {"/gradient_clipping", "/bf16/enabled", "/fp16/enabled"}) QCOMPARE(config[json::json_pointer(pointer)], json("auto"));
    for (const char* pointer : {"/zero_optimization/stage", "/gradient_clipping", "/bf16/enabled"}) QVERIFY2(hasNote(imported.value(), TransferKind::Warning, pointer), pointer);
    const auto file = import("run.sh", "accelerate launch --config_file configs/$A.yaml train.py", given);
    QVERIFY(!file.hasValue());
    QVERIFY2(QString::fromStdString(file.error().message).contains("only when the script runs"), file.error().message.c_str());
}

void TstCommandLines::aWrittenConfigWithUnknownValues()
{
    const QByteArray script("F=ds.$SLURM_JOB_ID.json\ncat <<EOF > $F\n{\"train_batch_size\": $B, \"zero_optimization\": {\"stage\": 1}}\nEOF\ndeepspeed --num_gpus 2 t.py --deepspeed --deepspeed_config $F\n");
    const auto unknown = import("run.sh", script);
    QVERIFY(!unknown.hasValue());
    QVERIFY2(QString::fromStdString(unknown.error().message).contains("$B"), unknown.error().message.c_str());
    const auto known = import("run.sh", "B=${B:-8}\n" + script);
    QVERIFY2(known.hasValue(), known.hasValue() ? "" : known.error().message.c_str());
    QCOMPARE(configOf(known.value())["train_batch_size"], json(8));
    QVERIFY(std::any_of(known->notes.begin(), known->notes.end(), [](const TransferNote& note) { return note.reason.find("$B is not given") != std::string::npos; }));
}

void TstCommandLines::whichTrainingIsRead()
{
    const auto imported = import("run.sh", "debug() { deepspeed --num_gpus 1 t.py --deepspeed ds.json; }\nif [ -n \"$SLURM_JOB_ID\" ]; then srun torchrun --nproc_per_node 8 t.py --deepspeed ds.json; else torchrun --nproc_per_node 2 t.py --deepspeed ds.json; fi\n"
                                           "if false; then deepspeed --num_gpus 16 t.py --deepspeed ds.json; fi");
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QCOMPARE(imported->context.world, 2);
    QStringList others;
    for (const TransferNote& note : imported->notes) {
        if (note.reason.find("training") != std::string::npos) others << QString::fromStdString(note.key + ' ' + note.reason);
    }
    QCOMPARE(others.size(), 2);
    const auto sourced = import("run.sh", "source venv/bin/activate\nGAS=4\nsource ./args.sh\ndeepspeed --num_gpus 1 t.py --deepspeed ds.json --gradient_accumulation_steps $GAS");
    QVERIFY(sourced.hasValue());
    QVERIFY(hasNote(sourced.value(), TransferKind::Warning, "source ./args.sh"));
    QVERIFY(!hasNote(sourced.value(), TransferKind::Warning, "source venv/bin/activate"));
    QVERIFY2(others[0].startsWith("torchrun Another training"), qPrintable(others[0]));
}

QTEST_GUILESS_MAIN(TstCommandLines)
#include "tst_command_lines.moc"
