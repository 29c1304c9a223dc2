// SPDX-License-Identifier: GPL-3.0-or-later
// Files of other tools, opened and understood.
#include "import_fixture.h"

#include <QtTest>

using namespace stagecraft;
using nlohmann::json;

namespace {

const char* const kAccelerate = "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\nuse_cpu: false\n";

}  // namespace

class TstForeignConfig : public QObject {
    Q_OBJECT
private slots:
    void detects_data();
    void detects();
    void accelerateByFields();
    void accelerateByFile();
    void accelerateRefuses_data();
    void accelerateRefuses();
    void fsdp_data();
    void fsdp();
    void trainerFillsAuto_data();
    void trainerFillsAuto();
    void noWarmupIsOneStep();
    void aMissingDsConfigSaysWhatToDo();
    void axolotlWarmupNeedsTheSteps();
    void axolotlTakesBf16WhereNothingIsSaid();
    void unresolvedStaysAuto();
    void mismatchIsTold();
    void keepsTheTextOfADsConfig();
    void dsConfigErrors_data();
    void dsConfigErrors();
    void everyKeyIsListed();
    void workspaceNumbersFillWhatTheFileLeavesOpen();
    void notesInChinese();
    void refusalsInChinese_data();
    void refusalsInChinese();
    void argumentWords();
    void batchSizesKeepTheFilesAccumulation_data();
    void batchSizesKeepTheFilesAccumulation();
    void pureBf16IsTold();
};

void TstForeignConfig::detects_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("format");
    QTest::newRow("accelerate") << QByteArray(kAccelerate) << QString("accelerate");
    QTest::newRow("accelerate as JSON") << QByteArray(R"({"compute_environment": "LOCAL_MACHINE", "distributed_type": "DEEPSPEED"})") << QString("accelerate");
    QTest::newRow("ds_config") << QByteArray(R"({"train_batch_size": 4})") << QString("ds_config");
    QTest::newRow("ds_config with a comment first") << QByteArray("// mine\n{\"zero_optimization\": {}}") << QString("ds_config");
    QTest::newRow("ds_config without braces") << QByteArray("train_batch_size: 4\nzero_optimization: {stage: 2}\n") << QString("ds_config");
    QTest::newRow("TrainingArguments as YAML") << QByteArray("per_device_train_batch_size: 4\noutput_dir: x\n") << QString("trainer");
    QTest::newRow("TrainingArguments as JSON") << QByteArray(R"({"output_dir": "x", "learning_rate": 1e-5, "deepspeed": "ds.json"})") << QString("trainer");
    QTest::newRow("TrainingArguments in Python") << QByteArray("import x\nargs = Seq2SeqTrainingArguments(output_dir='x')\n") << QString("trainer");
    QTest::newRow("LLaMA-Factory") << QByteArray("model_name_or_path: x\nstage: sft\nfinetuning_type: lora\n") << QString("llama-factory");
    QTest::newRow("axolotl") << QByteArray("base_model: x\nmicro_batch_size: 1\n") << QString("axolotl");
    QTest::newRow("a script") << QByteArray("#!/bin/bash\nsrun deepspeed --num_gpus 4 train.py\n") << QString("command");
    QTest::newRow("a command line") << QByteArray("accelerate launch --num_processes 4 train.py") << QString("command");
    QTest::newRow("a YAML that mentions deepspeed in a comment") << QByteArray("# deepspeed train.py\nbase_model: x\n") << QString("axolotl");
    QTest::newRow("a run named after a launcher") << QByteArray("stage: sft\nfinetuning_type: lora\nmodel_name_or_path: x\nrun_name: deepspeed zero3\nwandb_project: torchrun\ndeepspeed: ds x.json\n") << QString("llama-factory");
    QTest::newRow("TrainingArguments that mention a launcher") << QByteArray("output_dir: x\nlearning_rate: 1e-5\nrun_name: deepspeed\n") << QString("trainer");
    QTest::newRow("a script with options like keys") << QByteArray("export A=1\ntorchrun --nproc_per_node=4 train.py --learning_rate 1e-5 \\\n  --deepspeed ds.json\n") << QString("command");
    QTest::newRow("something else") << QByteArray("name: build\non: push\n") << QString();
    QTest::newRow("nothing") << QByteArray() << QString();
    QTest::newRow("bytes") << QByteArray("\0\1\2", 3) << QString();
    QTest::newRow("the word deepspeed in a value is no command") << QByteArray("model_name_or_path: a\nfinetuning_type: lora\nrun_name: deepspeed zero3 try\nwandb_project: deepspeed\ndeepspeed: ds.json\n") << QString("llama-factory");
    QTest::newRow("a file of the launcher's short name is no command") << QByteArray("base_model: a\ndeepspeed: ds x.json\n") << QString("axolotl");
    QTest::newRow("a launch told in a comment and a value") << QByteArray("# deepspeed train.py --deepspeed ds.json\noutput_dir: out\nlearning_rate: 1e-4\nrun_name: torchrun train.py\n") << QString("trainer");
    QTest::newRow("accelerate's own words in a value") << QByteArray("distributed_type: DEEPSPEED\nnote: accelerate launch train.py\n") << QString("accelerate");
    QTest::newRow("TrainingArguments told in a comment") << QByteArray("# as TrainingArguments(output_dir='x')\noutput_dir: out\nlearning_rate: 1e-4\n") << QString("trainer");
    QTest::newRow("a list of words is no script") << QByteArray("tools:\n- deepspeed zero3\n- torchrun\n") << QString();
    QTest::newRow("a launcher behind others") << QByteArray("#!/bin/bash\nset -e\nexport RUN=deepspeed\nsrun --nodes 2 numactl -N 0 deepspeed train.py --deepspeed ds.json\n") << QString("command");
}

void TstForeignConfig::detects()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, format);
    const auto found = detectForeignFormat({"file", text.toStdString()});
    if (format.isEmpty()) {
        QVERIFY(!found.hasValue());
        QVERIFY(found.error().message.find("\"file\"") != std::string::npos);
    } else {
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        QCOMPARE(QString(foreignFormatName(found.value())), format);
    }
}

void TstForeignConfig::accelerateByFields()
{
    const auto imported = import("default_config.yaml", QByteArray(kAccelerate) + "deepspeed_config:\n  gradient_accumulation_steps: 4\n  gradient_clipping: 1.0\n  offload_optimizer_device: cpu\n"
                                                            "  offload_param_device: nvme\n  offload_param_nvme_path: /nvme\n  zero3_init_flag: true\n  zero3_save_16bit_model: true\n  zero_stage: 3\n");
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json expected = json::parse(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 4, "gradient_clipping": 1.0,
        "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "nvme", "nvme_path": "/nvme"}, "stage3_gather_16bit_weights_on_model_save": true},
        "fp16": {"enabled": false}, "bf16": {"enabled": true}})");
    QCOMPARE(QString::fromStdString(configOf(imported.value()).dump()), QString::fromStdString(expected.dump()));
    QCOMPARE(imported->context.world, 16);
    QVERIFY(hasNote(imported.value(), TransferKind::Dropped, "deepspeed_config.zero3_init_flag"));
    QCOMPARE(QString::fromStdString(workspaceOf(imported.value()).dump()), QString(R"({"/hardware/devicesPerNode":8,"/hardware/nodes":2,"/launch/launcher":"accelerate","/layout/dp":16})"));
    // With TrainingArguments the Trainer takes over.
    ImportOptions options;
    options.arguments["per_device_train_batch_size"] = std::int64_t{2};
    options.arguments["gradient_accumulation_steps"] = std::int64_t{4};
    options.arguments["bf16"] = true;
    const auto trained = import("default_config.yaml", QByteArray(kAccelerate) + "deepspeed_config: {zero_stage: 2}\n", options);
    QVERIFY(trained.hasValue());
    QCOMPARE(configOf(trained.value())["train_batch_size"], json(128));
    QCOMPARE(configOf(trained.value())["gradient_accumulation_steps"], json(4));
}

void TstForeignConfig::accelerateByFile()
{
    QByteArray text(kAccelerate);
    text.replace("mixed_precision: bf16\n", "");
    const auto imported = import("default_config.yaml", text + "deepspeed_config:\n  deepspeed_config_file: ds.json\n  zero3_init_flag: true\n");
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json config = configOf(imported.value());
    QCOMPARE(config["gradient_clipping"], json(1.0));
    QCOMPARE(config["gradient_accumulation_steps"], json(1));
    QCOMPARE(config["train_micro_batch_size_per_gpu"], json("auto"));
    QCOMPARE(config["bf16"]["enabled"], json(false));
    QCOMPARE(QString::fromStdString(imported->dsConfigSource), QString(kAutoConfig));
}

void TstForeignConfig::accelerateRefuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("line");
    QTest::newRow("fields beside a file") << QByteArray("distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n  zero_stage: 2\n") << QString("accelerate refuses \"zero_stage\"") << QString("4");
    QTest::newRow("a precision beside a file") << QByteArray("distributed_type: DEEPSPEED\nmixed_precision: bf16\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n") << QString("\"mixed_precision\"") << QString("2");
    QTest::newRow("a stage that is none") << QByteArray("distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 4\n") << QString("write 0, 1, 2 or 3") << QString("3");
    QTest::newRow("a device that is none") << QByteArray("distributed_type: DEEPSPEED\ndeepspeed_config:\n  offload_param_device: disk\n") << QString("none, cpu or nvme") << QString("3");
    QTest::newRow("a file that is not there") << QByteArray("distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: other.json\n") << QString("\"other.json\"") << QString("3");
    QTest::newRow("no type") << QByteArray("compute_environment: LOCAL_MACHINE\n") << QString("distributed_type") << QString("1");
    QTest::newRow("SageMaker") << QByteArray("compute_environment: AMAZON_SAGEMAKER\ndistributed_type: 'NO'\n") << QString("AMAZON_SAGEMAKER") << QString("1");
    QTest::newRow("no YAML") << QByteArray("distributed_type: [DEEPSPEED\nx: 1\n") << QString("YAML") << QString("2");
}

void TstForeignConfig::accelerateRefuses()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    QFETCH(QString, line);
    ImportOptions options;
    options.format = ForeignFormat::Accelerate;
    const auto imported = import("default_config.yaml", text, options);
    QVERIFY(!imported.hasValue());
    const QString message = QString::fromStdString(imported.error().message);
    QVERIFY2(message.contains(says) && message.contains("default_config.yaml"), qPrintable(message));
    QCOMPARE(QString::fromStdString(imported.error().context.at("line")), line);
}

void TstForeignConfig::fsdp_data()
{
    QTest::addColumn<QByteArray>("fields");
    QTest::addColumn<QString>("zero");
    QTest::newRow("full shard") << QByteArray("fsdp_sharding_strategy: FULL_SHARD") << QString(R"({"stage":3})");
    QTest::newRow("by number") << QByteArray("fsdp_sharding_strategy: 2") << QString(R"({"stage":2})");
    QTest::newRow("no shard") << QByteArray("fsdp_sharding_strategy: NO_SHARD") << QString(R"({"stage":0})");
    QTest::newRow("FSDP2 that keeps the weights") << QByteArray("fsdp_reshard_after_forward: false, fsdp_version: 2") << QString(R"({"stage":2})");
    QTest::newRow("offload") << QByteArray("fsdp_sharding_strategy: FULL_SHARD, fsdp_offload_params: true") << QString(R"({"offload_optimizer":{"device":"cpu"},"offload_param":{"device":"cpu"},"stage":3})");
    QTest::newRow("hybrid") << QByteArray("fsdp_sharding_strategy: HYBRID_SHARD") << QString(R"({"stage":3,"zero_hpz_partition_size":8})");
}

void TstForeignConfig::fsdp()
{
    QFETCH(QByteArray, fields);
    QFETCH(QString, zero);
    const auto imported = import("fsdp.yaml", QByteArray(kAccelerate).replace("DEEPSPEED", "FSDP") + "fsdp_config: {" + fields + ", fsdp_state_dict_type: SHARDED_STATE_DICT}\n");
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QCOMPARE(QString::fromStdString(configOf(imported.value())["zero_optimization"].dump()), zero);
    QCOMPARE(configOf(imported.value())["bf16"]["enabled"], json(true));
    QVERIFY(hasNote(imported.value(), TransferKind::Dropped, "fsdp_config.fsdp_state_dict_type"));
}

void TstForeignConfig::trainerFillsAuto_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("YAML") << QString("args.yaml") << QByteArray("deepspeed: ds.json\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 3\nlearning_rate: 2.0e-5\nbf16: true\nmax_steps: 1000\nwarmup_steps: 50\nweight_decay: 0.1\nmodel_name_or_path: /models/llama\n");
    QTest::newRow("JSON") << QString("args.json") << QByteArray(R"({"deepspeed": "ds.json", "per_device_train_batch_size": 2, "gradient_accumulation_steps": 3, "learning_rate": 2e-5, "bf16": true, "max_steps": 1000, "warmup_steps": 50, "weight_decay": 0.1, "model_name_or_path": "/models/llama"})");
    QTest::newRow("LLaMA-Factory") << QString("sft.yaml") << QByteArray("stage: sft\nfinetuning_type: full\nmodel_name_or_path: /models/llama\ndeepspeed: ds.json\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 3\nlearning_rate: 2e-5\nbf16: true\nmax_steps: 1000\nwarmup_steps: 50\nweight_decay: 0.1\n");
    QTest::newRow("axolotl") << QString("ax.yml") << QByteArray("base_model: /models/llama\ndeepspeed: ds.json\nmicro_batch_size: 2\ngradient_accumulation_steps: 3\nlearning_rate: 2e-5\nbf16: auto\nmax_steps: 1000\nwarmup_steps: 50\nweight_decay: 0.1\n");
    QTest::newRow("Python") << QString("train.py") << QByteArray("a = TrainingArguments(\n  deepspeed='ds.json', per_device_train_batch_size=2,\n  gradient_accumulation_steps=3, # three\n  learning_rate=2e-5, bf16=True, max_steps=1_000, warmup_steps=50, weight_decay=0.1)\n");
    QTest::newRow("a command line") << QString("run.sh") << QByteArray("deepspeed --num_gpus 4 train.py --deepspeed ds.json --per_device_train_batch_size 2 --gradient_accumulation_steps=3 --learning_rate 2e-5 --bf16 --max_steps 1000 --warmup_steps 50 --weight_decay 0.1 --model_name_or_path /models/llama\n");
}

void TstForeignConfig::trainerFillsAuto()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    ImportOptions options;
    options.ranks = 4;
    options.hiddenSize = 64;
    const auto imported = import(name, text, options);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const json expected = json::parse(R"({"train_batch_size": 24, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 3, "gradient_clipping": 1.0, "bf16": {"enabled": true},
        "optimizer": {"type": "AdamW", "params": {"lr": 2e-5, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0.1}},
        "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 2e-5, "warmup_num_steps": 50, "total_num_steps": 1000}},
        "zero_optimization": {"stage": 3, "reduce_bucket_size": 4096, "stage3_prefetch_bucket_size": 3686, "stage3_param_persistence_threshold": 640}})");
    QCOMPARE(QString::fromStdString(configOf(imported.value()).dump()), QString::fromStdString(expected.dump()));
    QVERIFY(imported->context.launcher == CheckLauncher::Transformers);
    const auto verdict = checkConfig(imported->dsConfigSource, imported->context);
    QVERIFY(verdict.hasValue() && verdict->parseOk);
    QCOMPARE(workspaceOf(imported.value())["/training/steps"], json(1000));
    QCOMPARE(workspaceOf(imported.value())["/layout/dp"], json(4));
}

/// What transformers writes, which is one step where no warm-up is given, and no more.
void TstForeignConfig::noWarmupIsOneStep()
{
    const auto imported = import("args.yaml", "deepspeed: ds.json\nper_device_train_batch_size: 2\nmax_steps: 100\n");
    QVERIFY(imported.hasValue());
    QCOMPARE(configOf(imported.value())["scheduler"]["params"]["warmup_num_steps"], json(1));
}

void TstForeignConfig::aMissingDsConfigSaysWhatToDo()
{
    for (const char* file : {"ax.yml", "sft.yaml"}) {
        const QByteArray kind = QByteArray(file) == "ax.yml" ? "base_model: /models/llama\nmicro_batch_size: 2\n" : "stage: sft\nfinetuning_type: full\nper_device_train_batch_size: 2\n";
        const auto imported = import(file, kind + "deepspeed: deepspeed_configs/zero3_bf16.json\n");
        QVERIFY(!imported.hasValue());
        const QString said = QString::fromStdString(imported.error().message);
        QVERIFY2(said.contains("\"deepspeed_configs/zero3_bf16.json\"") && said.contains("put the ds_config at that path, or import it by itself"), qPrintable(said));
    }
    // Files that a launch line names, in the same way.
    for (const char* line : {"accelerate launch --config_file missing.yaml train.py --output_dir out\n", "accelerate launch -m axolotl.cli.train missing.yaml\n", "llamafactory-cli train missing.yaml\n"}) {
        const auto imported = import("run.sh", line);
        QVERIFY(!imported.hasValue());
        const QString said = QString::fromStdString(imported.error().message);
        QVERIFY2(said.contains("\"missing.yaml\"") && said.contains("at that path, or import it by itself"), qPrintable(said));
    }
}

void TstForeignConfig::axolotlTakesBf16WhereNothingIsSaid()
{
    // axolotl's schema: bf16 is "auto". ds.json leaves bf16.enabled to it.
    const auto enabled = [](const QByteArray& more) {
        const auto imported = import("ax.yml", "base_model: /models/llama\ndeepspeed: ds.json\nmicro_batch_size: 2\ngradient_accumulation_steps: 3\n" + more);
        return imported.hasValue() ? configOf(imported.value()).value("/bf16/enabled"_json_pointer, json("none")) : json("not read");
    };
    QCOMPARE(enabled(""), json(true));
    QCOMPARE(enabled("bf16: auto\n"), json(true));
    QCOMPARE(enabled("bf16: false\n"), json(false));
    QCOMPARE(enabled("fp16: true\n"), json(false));
    QCOMPARE(enabled("float16: true\n"), json(false));
    QVERIFY(hasNote(import("ax.yml", "base_model: a\ndeepspeed: ds.json\n").value(), TransferKind::Changed, "bf16"));
}

void TstForeignConfig::axolotlWarmupNeedsTheSteps()
{
    // axolotl: 3 % of the steps, at most 100, where the file says nothing.
    const QByteArray base = "base_model: /models/llama\ndeepspeed: ds.json\nmicro_batch_size: 2\ngradient_accumulation_steps: 3\n";
    const auto warmup = [&](const QByteArray& more) {
        const auto imported = import("ax.yml", base + more);
        return imported.hasValue() ? configOf(imported.value())["scheduler"]["params"]["warmup_num_steps"] : json("not read");
    };
    QCOMPARE(warmup(""), json("auto"));
    QCOMPARE(warmup("warmup_steps: null\n"), json("auto"));
    QCOMPARE(warmup("max_steps: 1000\n"), json(30));
    QCOMPARE(warmup("max_steps: 9000\n"), json(100));
    QCOMPARE(warmup("warmup_steps: 7\n"), json(7));
    // A share is rounded down, and one step becomes two.
    QCOMPARE(warmup("warmup_ratio: 0.03\nmax_steps: 150\n"), json(4));
    QCOMPARE(warmup("warmup_ratio: 0.03\nmax_steps: 50\n"), json(2));
    // As is one in a DeepSpeed scheduler, which makes two of it itself.
    QCOMPARE(warmup("warmup_steps: 1\n"), json(1));
    QVERIFY(hasNote(import("ax.yml", base + "tensor_parallel_size: 2\n").value(), TransferKind::Warning, "tensor_parallel_size"));
    QVERIFY(warmup("warmup_steps: 0\nmax_steps: 1000\n") != json(30));
    // Steps, none of them too, go before a share.
    QCOMPARE(warmup("warmup_steps: 0\nwarmup_ratio: 0.1\nmax_steps: 1000\n"), warmup("warmup_steps: 0\nmax_steps: 1000\n"));
    QCOMPARE(warmup("warmup_steps: 7\nwarmup_ratio: 0.1\nmax_steps: 1000\n"), json(7));
    const auto imported = import("ax.yml", base);
    QVERIFY(hasNote(imported.value(), TransferKind::Warning, "warmup_steps"));
    QVERIFY(hasNote(imported.value(), TransferKind::Warning, "/scheduler/params/warmup_num_steps"));
}

void TstForeignConfig::unresolvedStaysAuto()
{
    const auto imported = import("args.yaml", "deepspeed: ds.json\nper_device_train_batch_size: 2\n");
    QVERIFY(imported.hasValue());
    const json config = configOf(imported.value());
    QCOMPARE(config["zero_optimization"]["reduce_bucket_size"], json("auto"));
    QCOMPARE(config["scheduler"]["params"]["total_num_steps"], json("auto"));
    QVERIFY(hasNote(imported.value(), TransferKind::Warning, "/zero_optimization/reduce_bucket_size"));
    QVERIFY(hasNote(imported.value(), TransferKind::Warning, "/scheduler/params/total_num_steps"));
    ImportOptions keep;
    keep.keepAuto = true;
    const auto kept = import("args.yaml", "deepspeed: ds.json\nper_device_train_batch_size: 2\n", keep);
    QCOMPARE(QString::fromStdString(kept->dsConfigText), QString(kAutoConfig));
}

void TstForeignConfig::mismatchIsTold()
{
    // The pair of the tutorial: TrainingArguments and a ds_config that disagree are refused by the Trainer.
    const auto imported = import("train.py", "a = TrainingArguments(per_device_train_batch_size=4, gradient_accumulation_steps=8, learning_rate=2e-5, fp16=True,\n"
                                             "deepspeed={'train_micro_batch_size_per_gpu': 4, 'fp16': {'enabled': True}, 'zero_optimization': {'stage': 3},\n"
                                             "'optimizer': {'type': 'AdamW', 'params': {'lr': 3e-5, 'weight_decay': 0.01}}})\n");
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QVERIFY(hasNote(imported.value(), TransferKind::Warning, "/optimizer/params/lr"));
    QVERIFY(hasNote(imported.value(), TransferKind::Warning, "/optimizer/params/weight_decay"));
    QVERIFY(!hasNote(imported.value(), TransferKind::Warning, "/train_micro_batch_size_per_gpu"));
    const auto verdict = checkConfig(imported->dsConfigSource, imported->context);
    QVERIFY(!verdict->parseOk);
}

void TstForeignConfig::keepsTheTextOfADsConfig()
{
    const QByteArray text = "{  // mine\n  \"train_batch_size\" : 4,\n  \"zero_optimization\": {\"stage\": 2, \"reduce_bucket_size\": 5e8,},\n}\n";
    const auto imported = import("ds.json", text);
    QVERIFY(imported.hasValue());
    QCOMPARE(QByteArray::fromStdString(imported->dsConfigText), text);
    ImportOptions options;
    options.arguments["gradient_accumulation_steps"] = std::int64_t{2};
    options.arguments["lr_scheduler_type"] = std::string("constant");
    const auto filled = import("ds.json", "{ \"gradient_accumulation_steps\":   \"auto\", // steps\n \"train_micro_batch_size_per_gpu\": 1,\"optimizer\": {\"type\": \"Adam\"}, \"zero_optimization\": {} }\n", options);
    QVERIFY(filled.hasValue());
    QCOMPARE(QString::fromStdString(filled->dsConfigText), QString("{ \"gradient_accumulation_steps\":   2, // steps\n \"train_micro_batch_size_per_gpu\": 1,\"optimizer\": {\"type\": \"Adam\"}, \"zero_optimization\": {} }\n"));
}

void TstForeignConfig::dsConfigErrors_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("line");
    QTest::newRow("a key twice") << QByteArray("{\"train_batch_size\": 4,\n\"train_batch_size\": 8}") << QString("2");
    QTest::newRow("a placeholder") << QByteArray("{\"zero_optimization\": {\"stage\": 3},\n ...\n}") << QString("2");
    QTest::newRow("an open brace") << QByteArray("{\"zero_optimization\": {\"stage\": 3}\n") << QString("2");
    QTest::newRow("deep nesting") << QByteArray("{\"a\":").repeated(2000) << QString("1");
}

void TstForeignConfig::dsConfigErrors()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, line);
    const auto imported = import("ds.json", text);
    QVERIFY(!imported.hasValue());
    const QString message = QString::fromStdString(imported.error().message);
    QVERIFY2(message.contains("\"ds.json\"") && message.contains("line " + line), qPrintable(message));
}

void TstForeignConfig::everyKeyIsListed()
{
    const auto imported = import("sft.yaml", "stage: sft\nfinetuning_type: lora\nlora_rank: 8\ndeepspeed: ds.json\nper_device_train_batch_size: 2\ndataset: x\nfp16: false\nseed: 7\ncutoff_len: 512\n");
    QVERIFY(imported.hasValue());
    for (const char* key : {"stage", "finetuning_type", "lora_rank", "deepspeed", "per_device_train_batch_size", "dataset", "fp16", "seed", "cutoff_len"}) {
        const bool listed = std::any_of(imported->notes.begin(), imported->notes.end(), [&](const TransferNote& note) { return note.key == key && note.line > 0 && !note.reason.empty(); });
        QVERIFY2(listed, key);
    }  // what asks for something comes first
    QVERIFY(std::is_sorted(imported->notes.begin(), imported->notes.end(), [](const TransferNote& a, const TransferNote& b) { return a.kind > b.kind; }) && imported->notes.front().kind > TransferKind::Taken);
    QCOMPARE(workspaceOf(imported.value())["/training/seed"], json(7));
    QCOMPARE(workspaceOf(imported.value())["/model/seq"], json(512));
}

void TstForeignConfig::workspaceNumbersFillWhatTheFileLeavesOpen()
{
    const QByteArray config = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
        "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "stage3_param_persistence_threshold": "auto"}})";
    ImportOptions options;
    options.arguments["per_device_train_batch_size"] = std::int64_t{2};
    options.arguments["gradient_accumulation_steps"] = std::int64_t{3};
    options.workspaceRanks = 4;
    options.workspaceHidden = 1024;
    const auto imported = import("ds.json", config, options);
    QVERIFY(imported.hasValue());
    QCOMPARE(configOf(imported.value())["train_batch_size"], json(24));
    QCOMPARE(configOf(imported.value())["zero_optimization"]["reduce_bucket_size"], json(1024 * 1024));
    QCOMPARE(configOf(imported.value())["zero_optimization"]["stage3_param_persistence_threshold"], json(10240));
    QVERIFY(workspaceOf(imported.value()).empty());  // the layout is the workspace's own

    options.ranks = 8;
    options.hiddenSize = 64;
    const auto told = import("ds.json", config, options);
    QCOMPARE(configOf(told.value())["train_batch_size"], json(48));
    QCOMPARE(configOf(told.value())["zero_optimization"]["reduce_bucket_size"], json(64 * 64));
    QCOMPARE(workspaceOf(told.value())["/layout/dp"], json(8));

    // A model that the file names and that is not here is not the workspace's.
    ImportOptions other;
    other.workspaceRanks = 4;
    other.workspaceHidden = 1024;
    const QByteArray named = "stage: sft\nmodel_name_or_path: meta-llama/Llama-2-7b-hf\nper_device_train_batch_size: 2\ndeepspeed:\n  train_micro_batch_size_per_gpu: auto\n  train_batch_size: auto\n"
                             "  zero_optimization: {stage: 3, reduce_bucket_size: auto}\n";
    const auto elsewhere = import("sft.yaml", named, other);
    QVERIFY2(elsewhere.hasValue(), elsewhere.hasValue() ? "" : elsewhere.error().message.c_str());
    QCOMPARE(configOf(elsewhere.value())["train_batch_size"], json(8));
    QCOMPARE(configOf(elsewhere.value())["zero_optimization"]["reduce_bucket_size"], json("auto"));
}

void TstForeignConfig::notesInChinese()
{
    ImportOptions options;
    options.language = "zh";
    const auto imported = import("default_config.yaml", QByteArray(kAccelerate) + "deepspeed_config: {zero_stage: 3}\n", options);
    QVERIFY(imported.hasValue());
    for (const TransferNote& note : imported->notes) {
        const QString reason = QString::fromStdString(note.reason);
        QVERIFY2(std::any_of(reason.begin(), reason.end(), [](QChar c) { return c.unicode() >= 0x4e00; }), qPrintable(reason));
    }
}

void TstForeignConfig::refusalsInChinese_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* what, const char* name, const char* text) { QTest::newRow(what) << QString(name) << QByteArray(text); };
    row("nobody's keys", "a.yaml", "colour: red\n");
    row("no YAML", "a.yaml", "a: [1\n");
    row("a word", "a.txt", "hello");
    row("a byte that is no UTF-8", "a.yaml", "a: \xff\n");
    row("no launcher", "run.sh", "#!/bin/bash\nmake\n");
    row("no ds_config", "run.sh", "deepspeed train.py\n");
    row("a ds_config by a variable", "run.sh", "deepspeed t.py --deepspeed_config $X/z.json\n");
    row("a ds_config that is not there", "run.sh", "deepspeed t.py --deepspeed_config z.json\n");
    row("arguments that are not there", "run.sh", "llamafactory-cli train z.yaml\n");
    row("an accelerate config that is not there", "run.sh", "accelerate launch --config_file z.yaml t.py\n");
    row("no ds_config in the arguments", "a.yaml", "output_dir: x\nlearning_rate: 1.0e-5\n");
    row("a rate that is none", "a.yaml", "output_dir: x\nlearning_rate: fast\ndeepspeed: ds.json\n");
    row("FSDP arguments", "a.yaml", "output_dir: x\nfsdp: full_shard\n");
    row("no kind", "a.yaml", "compute_environment: LOCAL_MACHINE\n");
    row("a stage that is none", "a.yaml", "distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 7}\n");
    row("a precision that is none", "a.yaml", "distributed_type: DEEPSPEED\nmixed_precision: int4\n");
    row("beside a file", "a.yaml", "distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 2, deepspeed_config_file: ds.json}\n");
    row("a strategy that is none", "a.yaml", "distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: ALL}\n");
    row("Python that is not closed", "a.py", "a = TrainingArguments(output_dir='x'\n");
    row("a key twice", "ds.json", "{\"train_batch_size\": 4, \"train_batch_size\": 4}");
    row("JSON that is none", "ds.json", "{\"train_batch_size\": }");
}

void TstForeignConfig::refusalsInChinese()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    ImportOptions options;
    options.language = "zh";
    const auto refused = import(name, text, options);
    QVERIFY(!refused.hasValue());
    const QString said = QString::fromStdString(refused.error().message);
    QVERIFY2(said.startsWith("无法导入“" + name + "”："), qPrintable(said));
    const QString why = said.mid(said.indexOf("”：") + 2);
    QVERIFY2(std::any_of(why.begin(), why.end(), [](QChar c) { return c.unicode() >= 0x4e00 && c.unicode() < 0xa000; }), qPrintable(said));
    QVERIFY2(!said.contains("{") || text.contains('{'), qPrintable(said));
    const auto english = import(name, text);
    QVERIFY(!english.hasValue());
    const QString inEnglish = QString::fromStdString(english.error().message);
    QVERIFY2(std::none_of(inEnglish.begin(), inEnglish.end(), [](QChar c) { return c.unicode() >= 0x4e00; }), qPrintable(inEnglish));
}

void TstForeignConfig::argumentWords()
{
    const auto rate = trainerArgumentFromWord("learning_rate=2e-5");
    QVERIFY(rate.hasValue());
    QCOMPARE(std::get<double>(rate->second), 2e-5);
    QCOMPARE(std::get<bool>(trainerArgumentFromWord("bf16=True")->second), true);
    for (const char* wrong : {"learning_rate", "learning_rate=fast", "colour=red", "max_steps=1.5", "=1", ""}) QVERIFY2(!trainerArgumentFromWord(wrong).hasValue(), wrong);
}

void TstForeignConfig::batchSizesKeepTheFilesAccumulation_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("accelerate's own fields") << QByteArray("distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\ndeepspeed_config:\n  zero_stage: 3\n  gradient_accumulation_steps: 4\n");
    QTest::newRow("a ds_config") << QByteArray(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 3}})");
}

/// The accumulation that a file fixes counts beside a batch size that is given: micro x accumulation x ranks, as accelerate has it.
void TstForeignConfig::batchSizesKeepTheFilesAccumulation()
{
    QFETCH(QByteArray, text);
    ImportOptions options;
    options.ranks = 16;
    options.arguments = {{"per_device_train_batch_size", std::int64_t{2}}};
    const auto imported = import(text.startsWith('{') ? "ds_config.json" : "acc.yaml", text, options);
    QVERIFY(imported.hasValue());
    const auto config = configOf(*imported);
    QCOMPARE(QString::fromStdString(config["train_batch_size"].dump()), QStringLiteral("128"));
    QCOMPARE(QString::fromStdString(config["gradient_accumulation_steps"].dump()), QStringLiteral("4"));
    CheckContext context;
    context.world = 16;
    context.optimizer = "AdamW";
    QVERIFY(checkConfig(imported->dsConfigText, context)->ok);
    for (const TransferNote& note : imported->notes) QVERIFY2(note.reason.find("refuses values that differ") == std::string::npos, note.reason.c_str());
}

void TstForeignConfig::pureBf16IsTold()
{
    const auto imported = import("lf.yaml", "model_name_or_path: x\nstage: sft\nfinetuning_type: full\npure_bf16: true\ndeepspeed: ds.json\n");
    QVERIFY(imported.hasValue());
    QVERIFY(hasNote(*imported, TransferKind::Warning, "pure_bf16"));
}

QTEST_GUILESS_MAIN(TstForeignConfig)
#include "tst_foreign_config.moc"
