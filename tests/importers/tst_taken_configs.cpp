// SPDX-License-Identifier: GPL-3.0-or-later
// A ds_config that is imported as it is: found where it stands, and its errors counted.
#include "import_fixture.h"

#include <QtTest>

using namespace stagecraft;

class TstTakenConfigs : public QObject {
    Q_OBJECT
private slots:
    void aConfigInsideAnotherObjectIsTaken_data();
    void aConfigInsideAnotherObjectIsTaken();
    void errorsOfADsConfigAreCounted_data();
    void errorsOfADsConfigAreCounted();
};

void TstTakenConfigs::aConfigInsideAnotherObjectIsTaken_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("from");
    const QString config = "{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}}  // mine\n}\n";
    QTest::newRow("a record of a run") << QByteArray("{\n  \"model_size_b\": 7,\n  \"num_gpus\": 8,\n  \"config\": {\n    \"train_batch_size\": 8,\n    \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}}  // mine\n  }\n}\n") << config << "config";
    QTest::newRow("in one line") << QByteArray("{\"ds_config\": {\"train_batch_size\": 8}}") << QString("{\"train_batch_size\": 8}\n") << "ds_config";
    QTest::newRow("two levels down") << QByteArray("{\"run\": {\"engine\": {\"train_batch_size\": 8}}}") << QString("{\"train_batch_size\": 8}\n") << "run/engine";
    QTest::newRow("behind a word") << QByteArray("Config: {\"train_batch_size\": 8}\n") << QString("{\"train_batch_size\": 8}\n") << "Config";
}

void TstTakenConfigs::aConfigInsideAnotherObjectIsTaken()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, config);
    QFETCH(QString, from);
    const auto imported = import("deepspeed_config_auto.json", text);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    QCOMPARE(imported->format, ForeignFormat::DsConfig);
    QCOMPARE(QString::fromStdString(imported->dsConfigText), config);
    QVERIFY(hasNote(*imported, TransferKind::Changed, from.toStdString()));
    QCOMPARE(hasNote(*imported, TransferKind::Dropped, "num_gpus"), text.contains("num_gpus"));
    QVERIFY(!hasNote(*imported, TransferKind::Warning, ""));   // no error is left in it
}

void TstTakenConfigs::errorsOfADsConfigAreCounted_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("said");   // empty = nothing
    QTest::newRow("two errors") << QByteArray("{\"train_batch_size\": 8,\n\"fp16\": {\"enabled\": 3}, \"zero_optimization\": {\"stage\": 4}}") << "/zero_optimization/stage" << "for 2 errors; the first: ";
    QTest::newRow("one error") << QByteArray("{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 4}}") << "/zero_optimization/stage" << "refuses the file: ";
    QTest::newRow("none but what the script may bring") << QByteArray("{\"train_batch_size\": 8}") << "" << "";
    QTest::newRow("ranks that nobody gave") << QByteArray("{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 2}") << "" << "";
    QTest::newRow("left to the Trainer") << QByteArray("{\"train_batch_size\": \"auto\", \"gradient_clipping\": 2.5, \"zero_optimization\": {\"stage\": 2}}") << "" << "";
    QTest::newRow("left to the Trainer, with an error") << QByteArray("{\"train_batch_size\": \"auto\", \"zero_optimization\": {\"stage\": 4}}") << "/zero_optimization/stage" << "refuses the file: ";
    QTest::newRow("left to the Trainer, whose accelerate refuses it") << QByteArray("{\"train_micro_batch_size_per_gpu\": \"auto\"}") << "" << "accelerate refuses the file: ";
}

void TstTakenConfigs::errorsOfADsConfigAreCounted()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, key);
    QFETCH(QString, said);
    const auto imported = import("ds.json", text);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    const auto told = std::find_if(imported->notes.begin(), imported->notes.end(), [](const TransferNote& note) { return note.reason.find(" refuses the file") != std::string::npos; });
    QCOMPARE(told != imported->notes.end(), !said.isEmpty());
    if (said.isEmpty()) return;
    QCOMPARE(QString::fromStdString(told->key), key);
    QVERIFY2(QString::fromStdString(told->reason).contains(said), told->reason.c_str());
    QVERIFY2(key.isEmpty() ? told->reason.rfind("accelerate ", 0) == 0 : told->reason.rfind("DeepSpeed ", 0) == 0, told->reason.c_str());
    QVERIFY(key.isEmpty() || told->line > 0);
}

QTEST_APPLESS_MAIN(TstTakenConfigs)
#include "tst_taken_configs.moc"
