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
    void noLauncherIsTold();
};

void TstCommandLines::commandLines_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("workspace");
    QTest::newRow("deepspeed") << QByteArray("deepspeed --num_gpus=4 --num_nodes 2 train.py --deepspeed_config ds.json") << QString(R"({"/hardware/devicesPerNode":4,"/hardware/nodes":2,"/layout/dp":8})");
    QTest::newRow("included slots") << QByteArray("deepspeed --include a:0,1@b:2,3 train.py --deepspeed_config ds.json") << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":2,"/layout/dp":4})");
    QTest::newRow("torchrun") << QByteArray("torchrun --standalone --nproc-per-node 4 train.py --deepspeed ds.json") << QString(R"({"/hardware/devicesPerNode":4,"/hardware/nodes":1,"/layout/dp":4})");
    QTest::newRow("python -m") << QByteArray("N=2; python3 -u -m torch.distributed.run --nproc_per_node=$N train.py --deepspeed ds.json") << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    QTest::newRow("accelerate") << QByteArray("accelerate launch --use_deepspeed --zero_stage 2 --num_processes 8 train.py") << QString(R"({"/hardware/devicesPerNode":8,"/hardware/nodes":1,"/layout/dp":8})");
    QTest::newRow("Megatron-DeepSpeed") << QByteArray("deepspeed --num_gpus 8 pretrain_gpt.py --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --train-iters 500 --deepspeed --deepspeed_config ds.json")
                                        << QString(R"({"/hardware/devicesPerNode":8,"/hardware/nodes":1,"/layout/dp":2,"/layout/pp":2,"/layout/tp":2,"/training/steps":500})");
    QTest::newRow("a config in the script") << QByteArray("cat <<EOF > c.json\n{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 1}}\nEOF\ndeepspeed --num_gpus 2 t.py --deepspeed --deepspeed_config c.json")
                                            << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    QTest::newRow("a config beside the script") << QByteArray("here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")\" && pwd)\nexec deepspeed --num_gpus 2 \"$@\" --deepspeed --deepspeed_config \"$here/ds.json\" ;;")
                                                << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    QTest::newRow("a config of the script by its folder") << QByteArray("cat <<EOF > c.json\n{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 1}}\nEOF\ndeepspeed --num_gpus 2 t.py --deepspeed_config $PWD/c.json")
                                                          << QString(R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    const auto row = [](const char* name, const char* script, const char* expected) { QTest::newRow(name) << QByteArray(script) << QString(expected); };
    row("the devices deepspeed sees", "CUDA_VISIBLE_DEVICES=0,1 deepspeed train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    row("a choice of deepspeed's own wins", "CUDA_VISIBLE_DEVICES=0,1,2,3 deepspeed --num_gpus 2 train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    row("the exported devices accelerate sees", "export CUDA_VISIBLE_DEVICES=0,1,2,3\naccelerate launch --use_deepspeed --deepspeed_config_file ds.json train.py", R"({"/hardware/devicesPerNode":4,"/hardware/nodes":1,"/layout/dp":4})");
    row("exported by name", "CUDA_VISIBLE_DEVICES=4,5,6\nexport CUDA_VISIBLE_DEVICES\ndeepspeed train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":3,"/hardware/nodes":1,"/layout/dp":3})");
    row("not exported, so not seen", "CUDA_VISIBLE_DEVICES=0,1\ndeepspeed train.py --deepspeed ds.json", "{}");
    row("in front of another command", "CUDA_VISIBLE_DEVICES=0,1 nvidia-smi\ndeepspeed train.py --deepspeed ds.json", "{}");
    row("known only when it runs", "CUDA_VISIBLE_DEVICES=$1 deepspeed train.py --deepspeed ds.json", "{}");
    row("torchrun on every device", "CUDA_VISIBLE_DEVICES=0,1,2 torchrun --nnodes 2 --nproc_per_node gpu train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":3,"/hardware/nodes":2,"/layout/dp":6})");
    row("torchrun with a number", "CUDA_VISIBLE_DEVICES=0,1,2 torchrun --nproc_per_node 2 train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    row("llamafactory-cli by its variables", "FORCE_TORCHRUN=1 NNODES=2 NPROC_PER_NODE=4 llamafactory-cli train --deepspeed ds.json", R"({"/hardware/devicesPerNode":4,"/hardware/nodes":2,"/layout/dp":8})");
    row("mpirun", "mpirun -n 16 --map-by ppr:8:node -x PATH uv run finetune.py --use_deepspeed --deepspeed_config_file ds.json", R"({"/hardware/devicesPerNode":16,"/hardware/nodes":1,"/layout/dp":16})");
    row("srun of python", "srun --ntasks=8 python train.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":8,"/hardware/nodes":1,"/layout/dp":8})");
    row("a second training, of a script called itself", "deepspeed --num_gpus 2 train.py --deepspeed ds.json\nother.py --deepspeed ds.json", R"({"/hardware/devicesPerNode":2,"/hardware/nodes":1,"/layout/dp":2})");
    row("torchx", "#!/bin/bash\nexport NCCL_ALGO=Ring\ntorchx run -s slurm dist.ddp -j 8x8 --script train.py -- --deepspeed ds.json", "{}");
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
    QTest::newRow("the precision of the file") << QByteArray("") << QByteArray("mixed_precision: bf16\ndistributed_type: DEEPSPEED\n") << QString("\"acc.yaml\", line 1: \"mixed_precision\" stands beside");
    QTest::newRow("a field of the file") << QByteArray("--zero_stage 2") << QByteArray("distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n") << QString("\"acc.yaml\", line 3: \"zero_stage\" stands beside");
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

QTEST_GUILESS_MAIN(TstCommandLines)
#include "tst_command_lines.moc"
