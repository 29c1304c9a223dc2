// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/python_export.h"

#include "config/check.h"
#include "exporters/workspace_export.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

const char* const kTrain = R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "steps_per_print": 10, "optimizer": {"type": "AdamW", "params": {"lr": 9.65e-06, "betas": [0.9, 0.95]}},
    "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 100}},
    "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "none"}, "stage3_param_persistence_threshold": 10000.0, "memory_efficient_linear": false},
    "fp16": {"enabled": true, "loss_scale_window": 100}, "gradient_clipping": 1.0, "tensorboard": {"enabled": false, "output_path": "a\u0022b\u005cc/", "job_name": "模型"}, "flops_profiler": {"output_file": null}})";

}  // namespace

class TstPythonExport : public QObject {
    Q_OBJECT
private slots:
    // What is changed alone holds: the whole batch follows from its parts, the peak of a schedule from the rate.
    void whatIsChangedAloneHolds()
    {
        const Json config = Json::parse(R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 4, "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
            "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 3e-4, "total_num_steps": 100}}})");
        const std::string text = dsConfigPython(config, evaluationConfig(config, {}), "x");
        QVERIFY2(text.find("def train_config(ranks=4,\n                 train_micro_batch_size_per_gpu=4,\n                 gradient_accumulation_steps=4,\n                 lr=0.0003):") != std::string::npos, text.c_str());
        QVERIFY2(text.find("\"train_batch_size\": train_micro_batch_size_per_gpu * gradient_accumulation_steps * ranks,") != std::string::npos, text.c_str());
        QVERIFY2(text.find("\"warmup_max_lr\": lr,") != std::string::npos, text.c_str());
        Json other = config;
        other["scheduler"]["params"]["warmup_max_lr"] = 1e-3;
        other["train_batch_size"] = 60;
        const std::string apart = dsConfigPython(other, evaluationConfig(other, {}), "x");
        QVERIFY2(apart.find("\"warmup_max_lr\": 0.001,") != std::string::npos && apart.find("train_batch_size=60,") != std::string::npos, apart.c_str());
    }

    void argumentsHaveTheConfigsValues()
    {
        const std::string text = dsConfigPython(Json::parse(kTrain), evaluationConfig(Json::parse(kTrain), {}), "chat\"\n");
        QVERIFY2(text.find("def train_config(train_batch_size=32,\n                 train_micro_batch_size_per_gpu=4,\n                 lr=9.65e-06,\n                 stage=3,\n                 offload_optimizer=\"none\",\n                 offload_param=\"cpu\"):\n") != std::string::npos, text.c_str());
        QVERIFY(text.find("\"stage\": stage,") != std::string::npos);
        QVERIFY(text.find("\"output_file\": None,") != std::string::npos);
        QVERIFY(text.find("chat  , as functions") != std::string::npos);
    }

    void pythonReturnsTheSameConfig()
    {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("skipped: no python3");
        QProcess process;
        process.start(python, {"-c", QString::fromStdString(dsConfigPython(Json::parse(kTrain), evaluationConfig(Json::parse(kTrain), {}), "chat")) + "\nimport json\nprint(json.dumps([train_config(), train_config(stage=2, offload_param='none'), evaluation_config()]))\n"});
        QVERIFY(process.waitForFinished(30000));
        const Json said = Json::parse(process.readAllStandardOutput().toStdString());
        QVERIFY2(said[0] == Json::parse(kTrain), said[0].dump(2).c_str());
        QCOMPARE(said[1]["zero_optimization"]["stage"].get<int>(), 2);
        QCOMPARE(said[1]["zero_optimization"]["offload_param"]["device"].get<std::string>(), std::string("none"));
        QVERIFY2(said[2] == evaluationConfig(Json::parse(kTrain), {}), said[2].dump(2).c_str());
    }

    void evaluationHasNothingOfGradients()
    {
        const Json config = evaluationConfig(Json::parse(kTrain), {});
        for (const char* key : {"optimizer", "scheduler", "gradient_clipping", "train_batch_size"}) QVERIFY2(!config.contains(key), key);
        QVERIFY(!config["zero_optimization"].contains("offload_optimizer"));
        QCOMPARE(config["zero_optimization"]["stage"].get<int>(), 3);
        QVERIFY(config.size() < Json::parse(kTrain).size());
        const auto answer = checkConfig(config.dump(), {});
        QVERIFY(answer->parseOk && answer->ignored.empty());
        const Json two = evaluationConfig(Json::parse(R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "reduce_bucket_size": 5}})"), {});
        QCOMPARE(two.dump(), std::string(R"({"train_batch_size":8,"zero_optimization":{"stage":0}})"));
    }

    /// Whatever form the workspace's ds_config has: DeepSpeed takes the config to evaluate with, and reads the same in it.
    void evaluationIsWhatDeepSpeedReads_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* config, const char* expected) { QTest::newRow(name) << QString(config) << QString(expected); };
        row("bf16 weights all the way", R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true, "bf16_optimizer_states": true}, "zero_optimization": {"stage": 2}})",
            R"({"train_micro_batch_size_per_gpu":2,"bf16":{"enabled":true},"zero_optimization":{"stage":0}})");
        row("the older name of bf16", R"({"train_micro_batch_size_per_gpu": 2, "bfloat16": {"enabled": true}})", R"({"train_micro_batch_size_per_gpu":2,"bf16":{"enabled":true}})");
        row("ZeRO as a switch", R"({"train_micro_batch_size_per_gpu": 2, "zero_optimization": true})", R"({"train_micro_batch_size_per_gpu":2,"zero_optimization":{"stage":0}})");
        row("the batch and its accumulation", R"({"train_batch_size": 64, "gradient_accumulation_steps": 4})", R"({"train_micro_batch_size_per_gpu":2})");
        row("stage 3 under old names", R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "cpu_offload_param": true, "cpu_offload": true, "prefetch_bucket_size": "5"}})",
            R"({"train_micro_batch_size_per_gpu":1,"zero_optimization":{"stage":3,"offload_param":{"device":"cpu"},"stage3_prefetch_bucket_size":5}})");
    }

    void evaluationIsWhatDeepSpeedReads()
    {
        QFETCH(QString, config);
        QFETCH(QString, expected);
        Workspace workspace;
        workspace.dsConfigText = config.toStdString();
        workspace.layout.dp = 8;
        const auto made = exportWorkspace(workspace, "evaluation", {}, {});
        QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
        QVERIFY(made->warnings.empty());
        QCOMPARE(QString::fromStdString(Json::parse(made->files.front().text).dump()), expected);
        CheckContext context;
        context.world = 8;
        const auto answer = checkConfig(made->files.front().text, context);
        QVERIFY(answer->parseOk);
        QVERIFY2(answer->ignored.empty(), answer->ignored.empty() ? "" : answer->ignored.front().c_str());
    }

    /// A file that DeepSpeed is to read is not written without a word where DeepSpeed does not read it so.
    void warnsOfWhatDeepSpeedDoesNotTake_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("warning");
        const auto row = [](const char* name, const char* config, const char* target, const char* warning) { QTest::newRow(name) << QString(config) << QString(target) << QString(warning); };
        const char* const open = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}})";
        row("a batch left open, started", open, "command", "/train_batch_size and 2 more: only the Hugging Face Trainer and accelerate fill \"auto\"; DeepSpeed itself refuses the file: ");
        row("a batch left open, as functions", open, "python", "/train_batch_size and 2 more: only the Hugging Face Trainer and accelerate fill \"auto\"; DeepSpeed itself refuses the file: ");
        row("a batch left open, to evaluate with", open, "evaluation", "/train_micro_batch_size_per_gpu: only the Hugging Face Trainer and accelerate fill \"auto\"; DeepSpeed itself refuses the file: ");
        row("as it was written", open, "ds_config", "");
        const char* const bucket = R"({"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}})";
        row("an open bucket, started", bucket, "command", "/zero_optimization/reduce_bucket_size: only the Hugging Face Trainer and accelerate fill \"auto\"; DeepSpeed itself takes its own default there");
        row("an open bucket is none of an evaluation's", bucket, "evaluation", "");
        row("batches that do not agree", R"({"train_batch_size": 9, "train_micro_batch_size_per_gpu": 2})", "command", "DeepSpeed refuses the ds_config: ");
        row("batches that do not agree, as it was written", R"({"train_batch_size": 9, "train_micro_batch_size_per_gpu": 2})", "ds_config", "DeepSpeed refuses the ds_config: ");
        row("a legacy curriculum before all else", R"({"train_batch_size": 9, "train_micro_batch_size_per_gpu": 2, "curriculum_learning": {"enabled": true}})", "ds_config", "DeepSpeed refuses the ds_config: /curriculum_learning: ");
        row("an optimizer that the script may bring", R"({"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}})", "ds_config", "");
        // Refused by the engine: written all the same, and told wherever the key goes along.
        const char* const gone = R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "optimizer": {"type": "OneBitAdam", "params": {"lr": 0.0001, "freeze_step": 100}}})";
        for (const char* target : {"ds_config", "command", "python", "accelerate-file", "trainer", "llama-factory", "axolotl"})
            row(qPrintable(QString("an optimizer that is gone: ") + target), gone, target, "DeepSpeed refuses the ds_config: /optimizer/type: OneBitAdam");
        for (const char* target : {"accelerate", "accelerate-fsdp", "evaluation"})
            row(qPrintable(QString("an optimizer that is gone and left out: ") + target), gone, target, "");
        row("no section that accelerate asks for, which is put in", R"({"train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": true}})", "trainer", "");
        row("nothing to say", R"({"train_micro_batch_size_per_gpu": 2})", "command", "");
    }

    void warnsOfWhatDeepSpeedDoesNotTake()
    {
        QFETCH(QString, config);
        QFETCH(QString, target);
        QFETCH(QString, warning);
        Workspace workspace;
        workspace.dsConfigText = config.toStdString();
        workspace.layout.dp = 8;
        const auto made = exportWorkspace(workspace, target.toStdString(), {}, {});
        QVERIFY(made.hasValue());
        QCOMPARE(made->warnings.size(), warning.isEmpty() ? 0U : 1U);
        if (!warning.isEmpty()) QVERIFY2(QString::fromStdString(made->warnings.front()).startsWith(warning), made->warnings.front().c_str());
        const auto chinese = exportWorkspace(workspace, target.toStdString(), {}, {}, "zh");
        if (!warning.isEmpty()) QVERIFY2(chinese->warnings.front().find("only") == std::string::npos && chinese->warnings.front().find("refuses") == std::string::npos, chinese->warnings.front().c_str());
    }

    /// What rests on a number of ranks that nobody chose says so.
    void assumedRanksAreSaidToBe()
    {
        Workspace workspace;
        workspace.dsConfigText = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2})";   // for 8
        for (const char* target : {"ds_config", "command", "python", "evaluation"}) {
            const auto made = exportWorkspace(workspace, target, {}, {}, "en", true);
            QVERIFY(made.hasValue());
            QVERIFY2(made->warnings.front().starts_with("Nobody chose the number of ranks: 1 is assumed"), target);
            if (std::string(target) == "ds_config") QCOMPARE(made->warnings.size(), 1U);   // refused for that number alone
            for (const std::string& warning : made->warnings) QVERIFY2(warning.find("assumed") != std::string::npos, warning.c_str());
            const bool said = made->files.back().text.find("# Nobody chose that number of ranks: 1 is assumed.") != std::string::npos;
            QCOMPARE(said, std::string(target) == "command");
        }
        QVERIFY(exportWorkspace(workspace, "command", {}, {})->files.back().text.find("Nobody chose") == std::string::npos);
    }

    /// A script of the Trainer's takes the file itself after --deepspeed, and "auto" is filled for it.
    void commandLinesAreForTheLauncher()
    {
        Workspace workspace;
        workspace.dsConfigText = R"({"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}})";
        const std::string own = exportWorkspace(workspace, "command", "w.json", {})->files.back().text;
        QVERIFY(own.find("--deepspeed --deepspeed_config \"$here/ds_config.json\"") != std::string::npos);
        workspace.launch.launcher = CheckLauncher::Transformers;
        const auto made = exportWorkspace(workspace, "command", "w.json", {});
        const std::string trainer = made->files.back().text;
        QVERIFY(trainer.find("\"$@\" --deepspeed \"$here/ds_config.json\"") != std::string::npos && trainer.find("deepspeed_config \"") == std::string::npos);
        QVERIFY2(made->warnings.empty(), made->warnings.empty() ? "" : made->warnings.front().c_str());
    }

    /// accelerate reads the file itself, from options before the script; what the workspace says of them is handed over.
    void accelerateStartsItsScripts()
    {
        Workspace workspace;
        workspace.hardware.devicesPerNode = 8;
        workspace.dsConfigText = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}})";
        workspace.launch.launcher = CheckLauncher::Accelerate;
        workspace.document = Json::parse(R"({"launch": {"launcher": "accelerate", "trainer": {"mixed_precision": "bf16", "per_device_train_batch_size": 4, "zero_stage": 3}}})");
        const auto made = exportWorkspace(workspace, "command", {}, {});
        const std::string script = made->files.back().text;
        QVERIFY2(script.find("\naccelerate)\n    shift\n    exec accelerate launch --num_machines 1 --num_processes 8 --use_deepspeed --deepspeed_config_file \"$here/ds_config.json\" --mixed_precision bf16 --zero_stage 3 \"$@\" ;;\n") != std::string::npos, script.c_str());
        QVERIFY2(script.find("torchrun") == std::string::npos && script.find("launch.sh [accelerate SCRIPT ...]") != std::string::npos, script.c_str());
        QVERIFY2(made->warnings.empty(), made->warnings.empty() ? "" : made->warnings.front().c_str());
        workspace.hardware.nodes = 2;
        const std::string two = exportWorkspace(workspace, "command", {}, {})->files.back().text;
        QVERIFY2(two.find("--num_machines 2 --num_processes 16 --machine_rank \"${NODE_RANK:?set NODE_RANK to 0..1 on each node}\"") != std::string::npos, two.c_str());
        // What it has no value for it refuses, and is named.
        workspace.dsConfigText = R"({"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2, "overlap_comm": "auto"}})";
        const auto refused = exportWorkspace(workspace, "command", {}, {});
        QVERIFY2(refused->warnings.size() == 1 && refused->warnings.front().starts_with("accelerate refuses the ds_config: /zero_optimization/overlap_comm"), refused->warnings.empty() ? "" : refused->warnings.front().c_str());
    }

    /// What stands in no file yet cannot be started by name: the script then knows the user's own commands alone.
    void aWorkspaceInNoFileIsNotRun()
    {
        Workspace workspace;
        workspace.dsConfigText = R"({"train_batch_size": 8})";
        const std::string script = exportWorkspace(workspace, "command", {}, {})->files.back().text;
        QVERIFY2(script.find("stagecraft") == std::string::npos && script.find("Stagecraft") == std::string::npos, script.c_str());
        QVERIFY2(script.find("case \"${1-}\" in\ndeepspeed)\n") != std::string::npos && script.find("launch.sh [deepspeed SCRIPT") != std::string::npos, script.c_str());
        QVERIFY(exportWorkspace(workspace, "command", "w.json", {})->files.back().text.find("exec stagecraft run w.json ;;") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TstPythonExport)
#include "tst_python_export.moc"
