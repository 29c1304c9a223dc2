// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/key_catalog.h"

#include "config/check.h"
#include "config/json_document.h"
#include "config/key_releases.h"
#include "config/preset_catalog.h"
#include "config/release_facts.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace stagecraft;

class TstKeys : public QObject {
    Q_OBJECT

private slots:
    void holdsEveryKeyOnce();
    void everyKeyIsReachableBySearch();
    void toleratesMisspellings_data();
    void toleratesMisspellings();
    void everyKeyHasItsWords();
    void keysOfPresetsAreExplainedInFull();
    void whatIsMeantComesFirst_data();
    void whatIsMeantComesFirst();
    void searchesBothLanguages();
    void wordsOfTutorialsFindTheirKeys();
    void otherWordsFindTheirKeys_data();
    void otherWordsFindTheirKeys();
    void parametersFollowTheType_data();
    void parametersFollowTheType();
    void childrenAreThoseThatApply();
    void refusesBrokenData_data();
    void refusesBrokenData();
    void editDistanceCountsSwapsOnce();
    void knowsWhatTheNewestReleaseReads();
    void tellsSinceAndUntilWhen_data();
    void tellsSinceAndUntilWhen();
};

void TstKeys::holdsEveryKeyOnce()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    QVERIFY(catalog.keys().size() >= 725);
    std::set<std::string> seen;
    int counted = 0;
    for (const CatalogGroup& group : catalog.groups()) {
        QVERIFY(!group.title.en.empty() && !group.title.zh.empty());
        counted += group.keyCount;
    }
    QCOMPARE(counted, static_cast<int>(catalog.keys().size()));
    for (const CatalogKey& key : catalog.keys()) {
        std::string id = key.pointer;
        for (const auto& [pointer, values] : key.when)
            for (const std::string& value : values)
                id += "@" + value;
        QVERIFY2(seen.insert(id).second, id.c_str());
        QVERIFY2(key.types.front() != KeyType::Enum || key.values.size() > 1, id.c_str());
        for (const std::string& value : key.values)
            QVERIFY2(!nlohmann::json::parse(value, nullptr, false).is_discarded(), id.c_str());
        if (!key.defaultJson.empty())
            QVERIFY2(!nlohmann::json::parse(key.defaultJson, nullptr, false).is_discarded(), id.c_str());
        if (!key.replacedBy.empty())
            QVERIFY2(catalog.find(key.replacedBy) >= 0, id.c_str());
        for (const auto& [pointer, values] : key.when)
            QVERIFY2(catalog.find(pointer) >= 0, id.c_str());
    }
}

void TstKeys::everyKeyIsReachableBySearch()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    for (int id = 0; id < static_cast<int>(catalog.keys().size()); ++id) {
        const CatalogKey& key = catalog.key(id);
        if (key.pointer.empty())
            continue;
        std::string query = key.pointer.substr(1);
        std::replace(query.begin(), query.end(), '/', '.');
        for (const auto& [pointer, values] : key.when)
            query += " " + values.front();
        const auto matches = catalog.search(query);
        QVERIFY2(!matches.empty(), query.c_str());
        const auto place = std::find_if(matches.begin(), matches.end(), [&](const CatalogMatch& match) { return match.key == id; });
        QVERIFY2(place != matches.end(), query.c_str());
        QVERIFY2(place - matches.begin() < 12, query.c_str());
    }
    QVERIFY(catalog.search("").empty());
    QVERIFY(catalog.search(" ./ ").empty());
    QVERIFY(catalog.search("qqzzxx").empty());
}

void TstKeys::toleratesMisspellings_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("pointer");
    const auto row = [](const char* query, const char* pointer) { QTest::newRow(query) << QString(query) << QString(pointer); };
    row("reduce_buket_size", "/zero_optimization/reduce_bucket_size");
    row("redcue_bucket_size", "/zero_optimization/reduce_bucket_size");
    row("gradient_cliping", "/gradient_clipping");
    row("train_batch_szie", "/train_batch_size");
    row("rbs", "/zero_optimization/reduce_bucket_size");
    row("zero stage", "/zero_optimization/stage");
    row("overlap", "/zero_optimization/overlap_comm");
    row("offload device optimizer", "/zero_optimization/offload_optimizer/device");
    row("prefetch_bucket_size", "/zero_optimization/stage3_prefetch_bucket_size");
    row("TRAIN_BATCH_SIZE", "/train_batch_size");
}

void TstKeys::toleratesMisspellings()
{
    QFETCH(QString, query);
    QFETCH(QString, pointer);
    const KeyCatalog& catalog = KeyCatalog::standard();
    const auto matches = catalog.search(query.toStdString());
    QVERIFY(!matches.empty());
    QCOMPARE(QString::fromStdString(catalog.key(matches.front().key).pointer), pointer);
}

void TstKeys::everyKeyHasItsWords()
{
    // The words of the key itself say nothing new: what is left must be a sentence.
    const auto wordsOf = [](std::string_view text) {
        std::set<QString> words;
        for (const QString& word : QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).toLower().split(QRegularExpression("[^a-z0-9]+"), Qt::SkipEmptyParts))
            if (word.size() > 2)
                words.insert(word.endsWith('s') ? word.chopped(1) : word);
        return words;
    };
    static const QRegularExpression han("[\\x{4e00}-\\x{9fff}]");
    int explained = 0;
    for (const CatalogKey& key : KeyCatalog::standard().keys()) {
        const QByteArray at = QByteArray::fromStdString(key.pointer.empty() ? "(root)" : key.pointer);
        QVERIFY2(!key.what.en.empty() && !key.what.zh.empty(), at);
        std::set<QString> own = wordsOf(key.what.en);
        for (const QString& word : wordsOf(key.name()))
            own.erase(word);
        QVERIFY2(own.size() >= 3, at);
        QVERIFY2(key.what.en.ends_with('.') && key.what.en.find("  ") == std::string::npos, at);
        const QString zh = QString::fromStdString(key.what.zh);
        QVERIFY2(zh.contains(han) && zh.endsWith(QChar(0x3002)), at);
        QVERIFY2(!zh.contains(QStringLiteral("您")) && !QString(zh).remove(QStringLiteral("请求")).contains(QStringLiteral("请")), at);
        QVERIFY2(key.engineText.empty() == key.changeText.empty(), at);
        QVERIFY2(key.engineText.en.empty() == key.engineText.zh.empty() && key.changeText.en.empty() == key.changeText.zh.empty(), at);
        explained += key.changeText.empty() ? 0 : 1;
        // Every value a person edits shows its default, or is one that has none.
        if (key.types.front() == KeyType::Bool && !key.required && key.reading == KeyReading::Read && !key.deprecated)
            QVERIFY2(!key.defaultJson.empty() || key.what.en.size() > 20, at);
    }
    QVERIFY(explained >= 100);
}

void TstKeys::keysOfPresetsAreExplainedInFull()
{
    // What people meet first: what it does, what it does in our engine, when to change it.
    const KeyCatalog& catalog = KeyCatalog::standard();
    QStringList brief;
    for (const ConfigPreset& preset : configPresets()) {
        for (int id = 1; id < static_cast<int>(preset.config->nodes().size()); ++id) {
            const std::string pointer = preset.config->pointerOf(id);
            const int key = catalog.find(pointer, preset.config.get());
            if (key >= 0 && catalog.key(key).changeText.empty())
                brief << QString::fromStdString(preset.id + pointer);
        }
    }
    QVERIFY2(brief.isEmpty(), qPrintable(brief.join('\n')));
}

namespace {

/// Place of a key among those that a query finds, each pointer counted once; -1 = not found.
int placeOf(const std::string& query, const std::string& pointer)
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    std::vector<std::string> shown;
    for (const CatalogMatch& match : catalog.search(query)) {
        const std::string& found = catalog.key(match.key).pointer;
        if (found == pointer)
            return static_cast<int>(shown.size());
        if (std::find(shown.begin(), shown.end(), found) == shown.end())
            shown.push_back(found);
    }
    return -1;
}

}  // namespace

void TstKeys::wordsOfTutorialsFindTheirKeys()
{
    QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/configs/ds_config/words.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const nlohmann::json document = nlohmann::json::parse(file.readAll().toStdString());
    std::map<std::string, std::set<std::string>> languages;
    for (const auto& entry : document["words"])
        for (const char* language : {"en", "zh"})
            for (const std::string phrase : entry[language])
                for (const std::string pointer : entry["keys"]) {
                    const int place = placeOf(phrase, pointer);
                    QVERIFY2(place >= 0 && place < 12, (phrase + ": " + pointer + " at " + std::to_string(place)).c_str());
                    languages[pointer].insert(language);
                }
    // The keys of presets and tutorials are those explained in three sentences.
    for (const CatalogKey& key : KeyCatalog::standard().keys())
        if (!key.changeText.empty())
            QVERIFY2(languages[key.pointer].size() == 2, (key.pointer + " has no words people use for it").c_str());
}

void TstKeys::otherWordsFindTheirKeys_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("pointer");
    const auto row = [](const char* query, const char* pointer) { QTest::newRow(query) << QString::fromUtf8(query) << QString(pointer); };
    row("Mixed Precision", "/bf16/enabled");
    row("mixed-precision", "/fp16/enabled");
    row("混合精度", "/bf16/enabled");
    row("混合 精度", "/fp16/enabled");
    row("梯度裁剪", "/gradient_clipping");
    row("CPU卸载", "/zero_optimization/offload_optimizer/device");
    row("cpu 卸载", "/zero_optimization/offload_param/device");
    row("NVMe 卸载", "/zero_optimization/offload_param/nvme_path");
    row("学习率预热", "/scheduler/params/warmup_num_steps");
    row("Learning Rate", "/optimizer/params/lr");
    row("gradient checkpointing", "/activation_checkpointing");
    row("overlap communication", "/zero_optimization/overlap_comm");
    row("pinned", "/zero_optimization/offload_optimizer/pin_memory");
    row("ZeRO 阶段", "/zero_optimization/stage");
}

void TstKeys::otherWordsFindTheirKeys()
{
    QFETCH(QString, query);
    QFETCH(QString, pointer);
    const int place = placeOf(query.toStdString(), pointer.toStdString());
    QVERIFY2(place >= 0 && place < 5, qPrintable(QString::number(place)));
}

void TstKeys::whatIsMeantComesFirst_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("pointer");
    const auto row = [](const char* query, const char* pointer) { QTest::newRow(query) << QString::fromUtf8(query) << QString(pointer); };
    // What DeepSpeed reads before what it does not, unless that is named itself.
    row("micro batch", "/train_micro_batch_size_per_gpu");
    row("micro batch size", "/train_micro_batch_size_per_gpu");
    row("cpu offload", "/zero_optimization/offload_optimizer/device");
    row("cpu_offload", "/zero_optimization/cpu_offload");
    // A value of a key.
    row("stage 3", "/zero_optimization/stage");
    row("zero stage 3", "/zero_optimization/stage");
    row("zero 2", "/zero_optimization/stage");
    row("zero3", "/zero_optimization/stage");
    row("adamw", "/optimizer/type");
    // Names that other tools have for it.
    row("lr_scheduler_type", "/scheduler/type");
    row("lr scheduler type", "/scheduler/type");
    row("per_device_train_batch_size", "/train_micro_batch_size_per_gpu");
    row("learning_rate", "/optimizer/params/lr");
    row("clip_grad_norm", "/gradient_clipping");
    row("lr_scheduler_ty", "/scheduler/type");
    row("warmup_steps", "/scheduler/params/warmup_num_steps");
    row("max_steps", "/scheduler/params/total_num_steps");
    row("gradient_checkpointing", "/activation_checkpointing");
    row("sharding_strategy", "/zero_optimization/stage");
    row("accumulate_grad_batches", "/gradient_accumulation_steps");
    row("tensor_model_parallel_size", "/tensor_parallel/autotp_size");
    row("多机", "/zero_optimization/zero_hpz_partition_size");
}

void TstKeys::whatIsMeantComesFirst()
{
    QFETCH(QString, query);
    QFETCH(QString, pointer);
    const KeyCatalog& catalog = KeyCatalog::standard();
    const auto matches = catalog.search(query.toStdString());
    QVERIFY(!matches.empty());
    QCOMPARE(QString::fromStdString(catalog.key(matches.front().key).pointer), pointer);
}

void TstKeys::searchesBothLanguages()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const auto finds = [&](const char* query, const char* pointer) {
        const auto matches = catalog.search(query);
        return std::any_of(matches.begin(), matches.begin() + std::min<std::ptrdiff_t>(10, std::ssize(matches)),
            [&](const CatalogMatch& match) { return catalog.key(match.key).pointer == pointer; });
    };
    QVERIFY(finds("裁剪", "/gradient_clipping"));
    QVERIFY(finds("学习率 warmup_num_steps", "/scheduler/params/warmup_num_steps"));
    // Numbers as people say them; a word that stands as it was typed is no slip of another.
    for (const char* query : {"5e8", "500M", "500000K"}) QVERIFY2(finds(query, "/zero_optimization/reduce_bucket_size"), query);
    QVERIFY(finds("nvme", "/zero_optimization/offload_optimizer/nvme_path"));
    for (const CatalogMatch& match : catalog.search("nvme")) QVERIFY2(!catalog.key(match.key).name().ends_with("name"), catalog.key(match.key).pointer.c_str());
}

void TstKeys::parametersFollowTheType_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("defaultJson");
    QTest::newRow("AdamW") << QString(R"({"optimizer": {"type": "AdamW"}})") << QString("/optimizer/params/lr") << QString("0.001");
    QTest::newRow("any letter case") << QString(R"({"optimizer": {"type": "adagrad"}})") << QString("/optimizer/params/lr") << QString("0.01");
    QTest::newRow("an alias") << QString("{}") << QString("/zero_optimization/prefetch_bucket_size") << QString("50000000");
    QTest::newRow("a name in the middle") << QString("{}")
        << QString("/compression_training/sparse_pruning/different_groups/sp1/modules") << QString("\"*\"");
}

void TstKeys::parametersFollowTheType()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, defaultJson);
    const auto document = JsonDocument::parse(text.toStdString());
    const KeyCatalog& catalog = KeyCatalog::standard();
    const int id = catalog.find(pointer.toStdString(), &*document);
    QVERIFY(id >= 0);
    QCOMPARE(QString::fromStdString(catalog.key(id).defaultJson), defaultJson);
    QCOMPARE(catalog.find("/zero_optimization/no_such_key"), -1);
    QCOMPARE(catalog.find("not a pointer"), -1);
}

void TstKeys::childrenAreThoseThatApply()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const auto names = [&](const char* text) {
        const auto document = JsonDocument::parse(text);
        std::set<std::string> out;
        for (const int id : catalog.children("/optimizer/params", &*document))
            out.insert(std::string(catalog.key(id).name()));
        return out;
    };
    QVERIFY(names(R"({"optimizer": {"type": "SGD"}})").contains("nesterov"));
    QVERIFY(!names(R"({"optimizer": {"type": "SGD"}})").contains("betas"));
    QVERIFY(names(R"({"optimizer": {"type": "AdamW"}})").contains("betas"));
    QVERIFY(names(R"({"optimizer": {}})").empty());
    QVERIFY(catalog.children("").size() > 50);
}

void TstKeys::refusesBrokenData_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("no JSON") << QString("{");
    QTest::newRow("no keys") << QString(R"({"group": "x", "title": {}})");
    QTest::newRow("no type") << QString(R"({"group": "x", "title": {}, "keys": [{"key": "/a", "engine": "none"}]})");
    QTest::newRow("unknown type") << QString(R"({"group": "x", "title": {}, "keys": [{"key": "/a", "type": "word", "engine": "none"}]})");
    QTest::newRow("unknown engine") << QString(R"({"group": "x", "title": {}, "keys": [{"key": "/a", "type": "int", "engine": "well"}]})");
    QTest::newRow("bad minimum") << QString(R"({"group": "x", "title": {}, "keys": [{"key": "/a", "type": "int", "min": "1", "engine": "none"}]})");
    QTest::newRow("no pointer") << QString(R"({"group": "x", "title": {}, "keys": [{"key": "a", "type": "int", "engine": "none"}]})");
}

void TstKeys::refusesBrokenData()
{
    QFETCH(QString, file);
    const std::string text = file.toStdString();
    const auto catalog = KeyCatalog::parse({text});
    QVERIFY(!catalog.hasValue());
    QCOMPARE(catalog.error().code, ErrorCode::InvalidInput);
}

void TstKeys::editDistanceCountsSwapsOnce()
{
    QCOMPARE(editDistance("bucket", "bucket", 2), 0);
    QCOMPARE(editDistance("buket", "bucket", 2), 1);
    QCOMPARE(editDistance("buckte", "bucket", 2), 1);
    QCOMPARE(editDistance("abc", "xyz", 2), 3);
    QCOMPARE(editDistance("", "ab", 2), 2);
}

namespace {

/// Pointers of the fields of a pydantic class, each with the spellings it takes.
void collectFields(const ReleaseFacts& facts, const std::string& model, const std::string& at, std::vector<std::vector<std::string>>& all)
{
    const auto found = facts.models.find(model);
    if (found == facts.models.end())
        return;
    for (const FieldFacts& field : found->second.fields) {
        const std::string name = at + "/" + (field.alias.empty() ? field.name : field.alias);
        all.push_back({name, at + "/" + field.name});
        const TypeFacts* type = &field.type;
        while (type->kind == TypeFacts::Kind::Optional && !type->of.empty())
            type = &type->of[0];
        if (type->kind == TypeFacts::Kind::Model)
            collectFields(facts, type->model, name, all);
    }
}

}  // namespace

void TstKeys::knowsWhatTheNewestReleaseReads()
{
    bool exact = false;
    const auto release = findRelease("0.19.8", exact);
    QVERIFY(release.hasValue() && exact);
    const ReleaseFacts& facts = *release.value();
    std::vector<std::vector<std::string>> pointers;
    for (const auto& [section, model] : facts.sections)
        collectFields(facts, model, "/" + section, pointers);
    for (const auto& [section, keys] : facts.read)
        for (const std::string& key : keys)
            if (!section.empty() || facts.removedTop.count(key) == 0)
                pointers.push_back({std::string(section) + "/" + key});
    QVERIFY(pointers.size() > 300);
    for (const auto& spellings : pointers) {
        const bool known = std::any_of(spellings.begin(), spellings.end(), [](const std::string& p) { return KeyCatalog::standard().find(p) >= 0; });
        QVERIFY2(known, spellings.front().c_str());
    }
}

void TstKeys::tellsSinceAndUntilWhen_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("since");
    QTest::addColumn<QString>("removed");
    QTest::newRow("ZeRO has always been there") << QString("/zero_optimization/stage") << QString() << QString();
    QTest::newRow("AutoTP training came in 0.16") << QString("/tensor_parallel/autotp_size") << QString("0.16.9") << QString();
    QTest::newRow("gradient norms can be left out since 0.19.8") << QString("/zero_optimization/compute_grad_norm") << QString("0.19.8") << QString();
    QTest::newRow("elasticity is gone") << QString("/elasticity/max_train_batch_size") << QString() << QString("0.19.8");
    QTest::newRow("so is MiCS") << QString("/zero_optimization/mics_shard_size") << QString() << QString("0.19.8");
}

void TstKeys::tellsSinceAndUntilWhen()
{
    QFETCH(QString, pointer);
    QFETCH(QString, since);
    QFETCH(QString, removed);
    const int id = KeyCatalog::standard().find(pointer.toStdString());
    QVERIFY(id >= 0);
    QCOMPARE(QString::fromStdString(KeyCatalog::standard().key(id).since), since);
    QCOMPARE(QString::fromStdString(KeyCatalog::standard().key(id).removedIn), removed);
}

QTEST_GUILESS_MAIN(TstKeys)
#include "tst_keys.moc"
