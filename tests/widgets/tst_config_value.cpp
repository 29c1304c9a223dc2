// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_value.h"

#include "config/json_document.h"

#include <QtTest>

using namespace stagecraft;

class TstConfigValue : public QObject {
    Q_OBJECT

private slots:
    void readsWhatPeopleType_data();
    void readsWhatPeopleType();
    void everyKeyTakesItsValuesAndRefusesOthers();
    void showsSizesAndRoundNumbers();
};

void TstConfigValue::readsWhatPeopleType_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("json");  // empty = refused
    const auto row = [](const char* name, const char* pointer, const char* text, const char* json) {
        QTest::newRow(name) << QString(pointer) << QString(text) << QString(json);
    };
    const char* bucket = "/zero_optimization/reduce_bucket_size";
    row("a spelling is kept", bucket, "5e8", "5e8");
    row("a spelling that is read as no whole number", bucket, "2e10", "20000000000");
    row("millions", bucket, "500M", "500000000");
    row("thousands separated", bucket, "500,000,000", "500000000");
    row("thousands separated once", bucket, "1,500", "1500");
    row("a comma before decimals is no separator", "/gradient_clipping", "0,001", "");
    row("one decimal behind a comma", "/gradient_clipping", "0,5", "");
    row("three decimals or thousands, who knows", "/gradient_clipping", "1,500", "");
    row("a comma in a count, before one digit", bucket, "1,5", "");
    row("groups of other sizes", bucket, "50,00,000", "");
    row("two separators", bucket, "500,000 000", "");
    row("spaces between thousands", bucket, "1 000 000", "1000000");
    row("underscores between thousands", bucket, "1_000_000", "1000000");
    row("bytes of bf16 elements", bucket, "1 GiB", "536870912");
    row("a fraction of a GiB", bucket, "0.5 GiB", "268435456");
    row("a fraction is no count", bucket, "1.5", "");
    row("below the smallest", bucket, "-1", "");
    row("nothing where DeepSpeed asks for something", bucket, "0", "");
    row("the end of an open range", "/zero_optimization/zenflow/topk_ratio", "1", "");
    row("the start of an open range", "/zero_optimization/zenflow/topk_ratio", "0", "");
    row("inside an open range", "/zero_optimization/zenflow/topk_ratio", "0.5", "0.5");
    row("a word", bucket, "lots", "");
    row("auto where it is filled", bucket, "auto", "\"auto\"");
    row("auto where nobody fills it", "/steps_per_print", "auto", "");
    row("no leading zero in JSON", "/train_batch_size", "007", "7");
    row("bytes are bytes", "/aio/block_size", "1 MiB", "1048576");
    row("a rate keeps its spelling", "/optimizer/params/lr", "3e-4", "3e-4");
    row("a rate without its zero", "/optimizer/params/lr", ".1", "");
    row("a list without brackets", "/optimizer/params/betas", "0.9, 0.95", "[0.9, 0.95]");
    row("a list with words", "/optimizer/params/betas", "[\"a\"]", "");
    row("a known value", "/zero_optimization/offload_optimizer/device", "cpu", "\"cpu\"");
    row("the wrong letter case", "/zero_optimization/offload_optimizer/device", "CPU", "");
    row("a number among values", "/zero_optimization/stage", "3", "3");
    row("a stage that is none", "/zero_optimization/stage", "4", "");
    row("a path with a quote", "/zero_optimization/offload_param/nvme_path", "/mnt/\"x\"", "\"/mnt/\\\"x\\\"\"");
    row("nothing", bucket, "  ", "");
    row("bytes where samples are counted", "/train_batch_size", "64 GiB", "");
    row("bytes where steps are counted", "/steps_per_print", "1 MB", "");
    row("bytes where ranks are counted", "/sequence_parallel_size", "8 KiB", "");
    row("bytes for a rate", "/optimizer/params/lr", "1 kb", "");
    row("thousands of steps", "/steps_per_print", "2k", "2000");
    row("bytes where bytes are counted", "/aio/block_size", "1 MiB", "1048576");
}

void TstConfigValue::readsWhatPeopleType()
{
    QFETCH(QString, pointer);
    QFETCH(QString, text);
    QFETCH(QString, json);
    const KeyCatalog& catalog = KeyCatalog::standard();
    const int id = catalog.find(pointer.toStdString());
    QVERIFY(id >= 0);
    const TypedValue value = typedValue(catalog.key(id), text);
    QCOMPARE(QString::fromUtf8(value.json), json);
    QCOMPARE(value.complaint.isEmpty(), !json.isEmpty());
}

void TstConfigValue::everyKeyTakesItsValuesAndRefusesOthers()
{
    QCOMPARE(writtenValue("\"32\""), QStringLiteral("\"32\""));   // the quotes are what is wrong with it
    QCOMPARE(writtenValue("\"cpu\""), QStringLiteral("cpu"));
    QVERIFY(holdsNoSection("true") && !holdsNoSection("{}") && !holdsNoSection({}));
    for (const CatalogKey& key : KeyCatalog::standard().keys()) {
        const QByteArray at = QByteArray::fromStdString(key.pointer);
        QVERIFY2(!typeWords(key).isEmpty(), at);
        if (key.pointer == "/optimizer/type")
            QVERIFY2(!typeWords(key, "0.19.8").contains(QStringLiteral("OneBitAdam")), qPrintable(typeWords(key, "0.19.8")));
        for (const std::string& value : key.values) {
            if (key.types.front() != KeyType::Enum)
                continue;
            QCOMPARE(typedValue(key, shownValue(QByteArray::fromStdString(value))).json, QByteArray::fromStdString(value));
        }
        if (!key.defaultJson.empty() && !key.isSection()) {
            const TypedValue value = typedValue(key, shownValue(QByteArray::fromStdString(key.defaultJson)));
            QVERIFY2(value.isValid(), at + ": default " + QByteArray::fromStdString(key.defaultJson) + ", " + value.complaint.toUtf8());
        }
        switch (key.types.front()) {
        case KeyType::Bool: case KeyType::Int: case KeyType::Float: case KeyType::Enum: case KeyType::Null:
            if (key.types.size() == 1)
                QVERIFY2(!typedValue(key, QStringLiteral("no such value")).isValid(), at);
            break;
        case KeyType::IntList: case KeyType::FloatList:
            QVERIFY2(!typedValue(key, QStringLiteral("[true]")).isValid(), at);
            break;
        case KeyType::Section: case KeyType::Object:
            QVERIFY2(!typedValue(key, QStringLiteral("[1]")).isValid(), at);
            break;
        default: break;
        }
        // Whatever is accepted is JSON.
        for (const char* text : {"1", "true", "x", "[1]", "{}", "null", "\"", "5e8"})
            if (const TypedValue value = typedValue(key, QString::fromUtf8(text)); value.isValid())
                QVERIFY2(JsonDocument::parse(value.json.toStdString(), JsonSyntax::Strict).hasValue(), at + ": " + text);
    }
}

void TstConfigValue::showsSizesAndRoundNumbers()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const CatalogKey& bucket = catalog.key(catalog.find("/zero_optimization/reduce_bucket_size"));
    QLocale::setDefault(QLocale::c());
    QCOMPARE(sizeNote(bucket, "5e8"), QString("0.93 GiB"));
    QCOMPARE(sizeNote(bucket, "1e6"), QString("1.91 MiB"));
    QCOMPARE(sizeNote(bucket, "1500"), QString("2.93 KiB"));
    QVERIFY(sizeNote(bucket, "\"auto\"").isEmpty());
    QCOMPARE(sizeNote(bucket, "5e8", 4), QString("1.86 GiB"));
    QCOMPARE(typedValue(bucket, QStringLiteral("2 GiB"), 4).json, QByteArray("536870912"));
    QCOMPARE(typedValue(bucket, QStringLiteral("2 GiB")).json, QByteArray("1073741824"));
    const auto bytes = [](const char* text) { return elementBytesOf(JsonDocument::parse(text).value()); };
    QCOMPARE(bytes("{}"), 4);
    QCOMPARE(bytes(R"({"bf16": {"enabled": true}})"), 2);
    QCOMPARE(bytes(R"({"bfloat16": {"enabled": true}})"), 2);
    QCOMPARE(bytes(R"({"fp16": {"enabled": "auto"}})"), 2);
    QCOMPARE(bytes(R"({"bf16": {"enabled": false}, "fp16": {}})"), 4);
    QCOMPARE(shownDefault(bucket, {}), QString("5e8"));
    QCOMPARE(briefValue("50000000"), QString("5e7"));
    QCOMPARE(briefValue("12345678"), QString("12345678"));
    QCOMPARE(briefValue("\"cpu\""), QString("cpu"));
    QCOMPARE(shownDefault(catalog.key(catalog.find("/aio/block_size")), {}), QString("1048576"));
    QCOMPARE(shownDefault(catalog.key(catalog.find("/bf16/enabled")), {}), QString("false"));
    QCOMPARE(groupedNumber("500000000"), QLocale().toString(500000000));
}

QTEST_MAIN(TstConfigValue)
#include "tst_config_value.moc"
