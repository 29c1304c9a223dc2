// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of a Trainer that its ds_config overrules, or has no place for; and the ranks that our own exports write into a comment.
#include "import_fixture.h"
#include "importers/ranks_comment.h"

#include <QtTest>

using namespace stagecraft;
using nlohmann::json;

namespace {

constexpr const char* kOwn = R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}, "gradient_clipping": 1.0,
  "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "betas": [0.9, 0.95]}}, "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": 100, "warmup_num_steps": 10}}})";

ImportOptions besideOwn()
{
    ImportOptions options;
    options.readFile = [](const std::string& path) -> Result<std::string> {
        return path == "ds.json" ? Result<std::string>(std::string(kOwn)) : Result<std::string>(Error{ErrorCode::NotFound, "no such file", {}});
    };
    return options;
}

const TransferNote* noteOf(const ImportedConfig& imported, const std::string& key)
{
    const auto found = std::find_if(imported.notes.begin(), imported.notes.end(), [&](const TransferNote& note) { return note.key == key; });
    return found == imported.notes.end() ? nullptr : &*found;
}

}  // namespace

class TstOverruledArguments : public QObject {
    Q_OBJECT
private slots:
    void overruledArgumentsAreDropped_data();
    void overruledArgumentsAreDropped();
    void usedArgumentsStayTaken();
    void whatIsWarnedOfIsNotTakenAsItIsToo();
    void givenArgumentsAreToldToo();
    void zenflowLeavesTheTrainersAccumulation_data();
    void zenflowLeavesTheTrainersAccumulation();
    void batchOfAxolotl_data();
    void batchOfAxolotl();
    void ranksComeBackFromTheComment_data();
    void ranksComeBackFromTheComment();
};

void TstOverruledArguments::overruledArgumentsAreDropped_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("says");
    const QByteArray factory = "stage: sft\nfinetuning_type: full\ntemplate: x\ndeepspeed: ds.json\n", axolotl = "base_model: x\ndatasets: []\ndeepspeed: ds.json\n";
    QTest::newRow("LLaMA-Factory, schedule") << "lf.yaml" << factory + "lr_scheduler_type: cosine\n" << "lr_scheduler_type" << "WarmupDecayLR";
    QTest::newRow("LLaMA-Factory, warm-up") << "lf.yaml" << factory + "warmup_steps: 50\n" << "warmup_steps" << "10";
    QTest::newRow("LLaMA-Factory, accumulation") << "lf.yaml" << factory + "gradient_accumulation_steps: 2\n" << "gradient_accumulation_steps" << "1";
    QTest::newRow("axolotl, optimizer") << "ax.yml" << axolotl + "optimizer: adamw_bnb_8bit\n" << "optimizer" << "Adam";
    QTest::newRow("axolotl, schedule") << "ax.yml" << axolotl + "lr_scheduler: cosine\n" << "lr_scheduler" << "WarmupDecayLR";
    QTest::newRow("arguments, rate") << "ta.json" << QByteArray(R"({"deepspeed": "ds.json", "learning_rate": 2e-5, "output_dir": "x"})") << "learning_rate" << "0.001";
    QTest::newRow("arguments, decay that the section lacks") << "ta.json" << QByteArray(R"({"deepspeed": "ds.json", "weight_decay": 0.1, "output_dir": "x"})") << "weight_decay" << "DeepSpeed's own";
    QTest::newRow("arguments, one of the betas") << "ta.json" << QByteArray(R"({"deepspeed": "ds.json", "adam_beta2": 0.999, "output_dir": "x"})") << "adam_beta2" << "0.95";
    QTest::newRow("a script") << "run.sh" << QByteArray("deepspeed --num_gpus 2 train.py --deepspeed ds.json --per_device_train_batch_size 4 --lr_scheduler_type cosine\n") << "--lr_scheduler_type" << "WarmupDecayLR";
    QTest::newRow("Python") << "train.py" << QByteArray("args = TrainingArguments(output_dir='x', deepspeed='ds.json', lr_scheduler_type='cosine')\n") << "lr_scheduler_type" << "WarmupDecayLR";
}

void TstOverruledArguments::overruledArgumentsAreDropped()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    QFETCH(QString, key);
    QFETCH(QString, says);
    const auto imported = import(name, text, besideOwn());
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const TransferNote* note = noteOf(imported.value(), key.toStdString());
    QVERIFY(note != nullptr);
    QVERIFY2(note->kind == TransferKind::Dropped && note->target.empty(), note->reason.c_str());
    QVERIFY2(QString::fromStdString(note->reason).contains(says), note->reason.c_str());
    ImportOptions chinese = besideOwn();
    chinese.language = "zh";
    QVERIFY(noteOf(import(name, text, chinese).value(), key.toStdString())->reason.find("Not used") == std::string::npos);
}

void TstOverruledArguments::whatIsWarnedOfIsNotTakenAsItIsToo()
{
    ImportOptions options;
    options.readFile = [](const std::string&) -> Result<std::string> { return std::string(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}})"); };
    const auto imported = import("lf.yaml", "stage: sft\nfinetuning_type: full\ntemplate: x\nlr_scheduler_type: cosine\noptim: adafactor\ndeepspeed: ds.json\n", options);
    QVERIFY(imported.hasValue());
    for (const auto& [key, line] : {std::pair{"lr_scheduler_type", 4}, std::pair{"optim", 5}}) {
        QCOMPARE(std::count_if(imported->notes.begin(), imported->notes.end(), [&](const TransferNote& note) { return note.key == key; }), 1);
        const TransferNote* note = noteOf(*imported, key);
        QVERIFY(note->kind == TransferKind::Warning && note->line == line && note->target.starts_with("/dsConfig/"));
    }
}

void TstOverruledArguments::usedArgumentsStayTaken()
{
    const QByteArray text = R"({"deepspeed": "ds.json", "learning_rate": 2e-5, "gradient_accumulation_steps": 2, "weight_decay": 0.1, "max_grad_norm": 0.5, "warmup_steps": 3, "adam_beta1": 0.8, "output_dir": "x"})";
    const auto imported = import("ta.json", text);  // beside a ds_config of "auto"
    for (const char* key : {"learning_rate", "gradient_accumulation_steps", "weight_decay", "max_grad_norm", "warmup_steps", "adam_beta1"})
        QVERIFY2(hasNote(imported.value(), TransferKind::Taken, key), key);
    // The same value in both is no matter either.
    QVERIFY(hasNote(import("ta.json", R"({"deepspeed": "ds.json", "learning_rate": 1e-3, "max_grad_norm": 1, "output_dir": "x"})", besideOwn()).value(), TransferKind::Taken, "learning_rate"));
}

void TstOverruledArguments::givenArgumentsAreToldToo()
{
    ImportOptions options;
    options.arguments["lr_scheduler_type"] = std::string("cosine");
    const auto imported = import("ds.json", kOwn, options);
    QVERIFY(imported.hasValue());
    QVERIFY(hasNote(imported.value(), TransferKind::Dropped, "lr_scheduler_type"));
}

/// What the Trainer writes into an "auto" is its own argument; that ZenFlow overwrites it later is for the check to say.
void TstOverruledArguments::zenflowLeavesTheTrainersAccumulation_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("accumulation");
    QTest::newRow("LLaMA-Factory") << "lf.yaml" << QByteArray("stage: sft\nfinetuning_type: full\ntemplate: x\ndeepspeed: ds.json\ngradient_accumulation_steps: 2\n") << 2;
    QTest::newRow("axolotl") << "ax.yml" << QByteArray("base_model: x\ndatasets: []\ndeepspeed: ds.json\ngradient_accumulation_steps: 3\n") << 3;
    QTest::newRow("arguments") << "ta.json" << QByteArray(R"({"deepspeed": "ds.json", "learning_rate": 2e-5, "output_dir": "x"})") << 1;
}

void TstOverruledArguments::zenflowLeavesTheTrainersAccumulation()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    QFETCH(int, accumulation);
    for (const char* interval : {"4", "\"auto\""}) {
        ImportOptions options;
        options.readFile = [&](const std::string& path) -> Result<std::string> {
            if (path != "ds.json") return Error{ErrorCode::NotFound, "no such file", {}};
            return std::string(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "optimizer": {"type": "AdamW", "params": {"lr": "auto"}},
              "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}, "zenflow": {"update_interval": )") + interval + "}}}";
        };
        const auto imported = import(name, text, options);
        QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
        const json config = configOf(imported.value());
        QCOMPARE(config["gradient_accumulation_steps"], json(accumulation));
        QCOMPARE(config["train_batch_size"], json(accumulation * config["train_micro_batch_size_per_gpu"].get<int>()));
    }
}

/// axolotl's normalize_config: batch_size // micro_batch_size, on each rank.
void TstOverruledArguments::batchOfAxolotl_data()
{
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("accumulation");
    QTest::addColumn<bool>("warns");
    QTest::newRow("a multiple") << 12 << 3 << false;
    QTest::newRow("a fraction") << 10 << 2 << true;
    QTest::newRow("less than one") << 3 << 1 << true;
}

void TstOverruledArguments::batchOfAxolotl()
{
    QFETCH(int, batch);
    QFETCH(int, accumulation);
    QFETCH(bool, warns);
    for (const int ranks : {1, 2}) {
        ImportOptions options;
        options.ranks = ranks;
        const auto imported = import("ax.yml", "base_model: x\ndatasets: []\ndeepspeed: ds.json\nmicro_batch_size: 4\nmax_steps: 10\nbatch_size: " + QByteArray::number(batch) + "\n", options);
        QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
        QCOMPARE(configOf(imported.value())["gradient_accumulation_steps"], json(accumulation));
        QCOMPARE(hasNote(imported.value(), TransferKind::Warning, "batch_size"), warns);
    }
}

void TstOverruledArguments::ranksComeBackFromTheComment_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("LLaMA-Factory") << "lf.yaml" << QByteArray("stage: sft\nfinetuning_type: full\ntemplate: x\ndeepspeed: ds.json\nper_device_train_batch_size: 2\n");
    QTest::newRow("axolotl") << "ax.yml" << QByteArray("base_model: x\ndatasets: []\ndeepspeed: ds.json\nmicro_batch_size: 2\n");
    QTest::newRow("Trainer") << "trainer.yaml" << QByteArray("output_dir: x\ndeepspeed: ds.json\nper_device_train_batch_size: 2\n");
}

void TstOverruledArguments::ranksComeBackFromTheComment()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    const QByteArray comment = QByteArray::fromStdString(ranksComment(8, 2));
    const auto imported = import(name, comment + text);
    QVERIFY(imported.hasValue());
    const json workspace = workspaceOf(imported.value());
    QCOMPARE(workspace.value("/layout/dp", 0), 8);
    QCOMPARE(workspace.value("/hardware/nodes", 0), 2);
    QCOMPARE(imported->context.world, 8);
    ImportOptions four;
    four.ranks = 4;  // who says it now goes before the comment
    QCOMPARE(import(name, comment + text, four)->context.world, 4);
    for (const char* broken : {"# stagecraft: ranks 0, nodes 1\n", "# stagecraft: ranks 8, nodes 3\n", "# stagecraft: ranks 99999999999, nodes 1\n", "# stagecraft: ranks 8\n"})
        QVERIFY(!readRanksComment(broken));
}

QTEST_GUILESS_MAIN(TstOverruledArguments)
#include "tst_overruled_arguments.moc"
