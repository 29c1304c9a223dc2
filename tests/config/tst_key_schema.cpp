// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON Schema other editors use: complete, and never stricter than DeepSpeed.
#include "verdict_rows.h"

#include "config/check.h"
#include "config/json_context.h"
#include "config/json_document.h"
#include "config/key_catalog.h"
#include "config/key_schema.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <QDir>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <map>

using namespace stagecraft;

class TstKeySchema : public QObject {
    Q_OBJECT

private slots:
    void holdsEveryReadKey();
    void agreesWithTheCheck();
    void takesWordsThatActAsTrue();
    void takesWordsInAnyCase();
    void gathersEvenBuckets_data();
    void gathersEvenBuckets();
    void takesWhatReleasesTook_data();
    void takesWhatReleasesTook();
    void takesNumbersThatTheReleaseTakes_data() { takesWhatReleasesTook_data(); }
    void takesNumbersThatTheReleaseTakes();
    void isOfTheReleaseAsked();
    void refusesWhatAReleaseLacks_data();
    void refusesWhatAReleaseLacks();
    void refusesWhatNobodyMeans_data();
    void refusesWhatNobodyMeans();
};

namespace {

using Schema = nlohmann::ordered_json;

const Schema* schemaAt(const Schema& root, const std::string& pointer)
{
    const Schema* at = &root;
    const auto tokens = pointerTokens(pointer);
    for (const std::string& token : *tokens) {
        const auto properties = at->find("properties");
        if (properties == at->end() || !properties->contains(token))
            return nullptr;
        at = &(*properties)[token];
    }
    return at;
}

bool acceptsMembers(const Schema& schema, const Schema& value);

/// What the schemas made here use of the standard.
bool accepts(const Schema& schema, const Schema& value)
{
    if (schema.is_boolean())
        return schema.get<bool>();
    if (schema.contains("not") && accepts(schema["not"], value))
        return false;
    if (schema.contains("anyOf") && std::none_of(schema["anyOf"].begin(), schema["anyOf"].end(), [&](const Schema& form) { return accepts(form, value); }))
        return false;
    if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
        return false;
    if (schema.contains("const") && schema["const"] != value)
        return false;
    static const std::map<std::string, bool (Schema::*)() const noexcept> kTypes{{"boolean", &Schema::is_boolean}, {"number", &Schema::is_number}, {"string", &Schema::is_string},
        {"object", &Schema::is_object}, {"array", &Schema::is_array}, {"null", &Schema::is_null}, {"integer", &Schema::is_number_integer}};
    if (schema.contains("type") && !(value.*kTypes.at(schema["type"]))())
        return false;
    if (value.is_string() && schema.contains("pattern") && !QRegularExpression(QString::fromStdString(schema["pattern"])).match(QString::fromStdString(value)).hasMatch())
        return false;
    if (value.is_array() && schema.contains("items") && !std::all_of(value.begin(), value.end(), [&](const Schema& item) { return accepts(schema["items"], item); }))
        return false;
    if (value.is_object() && !acceptsMembers(schema, value))
        return false;
    if (!value.is_number())
        return true;
    const double number = value;
    return (!schema.contains("multipleOf") || std::fmod(number, schema["multipleOf"].get<double>()) == 0.0) && (!schema.contains("minimum") || number >= schema["minimum"].get<double>()) &&
           (!schema.contains("maximum") || number <= schema["maximum"].get<double>()) && (!schema.contains("exclusiveMinimum") || number > schema["exclusiveMinimum"].get<double>()) &&
           (!schema.contains("exclusiveMaximum") || number < schema["exclusiveMaximum"].get<double>());
}

bool acceptsMembers(const Schema& schema, const Schema& value)
{
    for (const auto& [key, member] : value.items()) {
        if (schema.contains("propertyNames") && !accepts(schema["propertyNames"], key))
            return false;
        const Schema* form = nullptr;
        if (schema.contains("properties") && schema["properties"].contains(key))
            form = &schema["properties"][key];
        else if (schema.contains("additionalProperties"))
            form = &schema["additionalProperties"];
        if (form != nullptr && !accepts(*form, member))
            return false;
    }
    for (const Schema& key : schema.contains("required") ? schema["required"] : Schema::array())
        if (!value.contains(key.get<std::string>()))
            return false;
    for (const Schema& rule : schema.contains("allOf") ? schema["allOf"] : Schema::array())
        if (accepts(rule["if"], value) && !accepts(rule["then"], value))
            return false;
    return true;
}

/// Whether DeepSpeed refuses `value` at `pointer` for what it is.
bool refusedByCheck(const std::string& pointer, const Schema& value)
{
    Schema config{{"train_batch_size", 1}, {"zero_optimization", {{"stage", 3}}}};
    config[Schema::json_pointer(pointer)] = value;
    const auto answer = checkConfig(config.dump(), {});
    return std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer && f.severity == CheckSeverity::Error && f.level == CheckLevel::Parse; });
}

}  // namespace

void TstKeySchema::agreesWithTheCheck()
{
    // Bounds of numbers, and null in place of a section, against what releases answered (the check is held to them).
    const KeyCatalog& catalog = KeyCatalog::standard();
    const Schema schema = dsConfigSchema(catalog);
    int compared = 0;
    QStringList apart;
    for (const CatalogKey& key : catalog.keys()) {
        const bool checked = key.pointer.starts_with("/zero_optimization/") || key.pointer.starts_with("/hybrid_engine/") || (key.pointer.starts_with("/tensor_parallel/") && !key.pointer.starts_with("/tensor_parallel/partition_config")) || key.pointer.starts_with("/compile/");
        const bool number = checked && key.types.size() == 1 && (key.types[0] == KeyType::Int || key.types[0] == KeyType::Float) && !key.acceptsAuto;
        const bool section = key.isSection() && !key.pointer.empty();
        if ((!number && !section) || key.deprecated || !key.removedIn.empty() || !key.when.empty() || key.reading != KeyReading::Read || key.pointer.find('*') != std::string::npos)
            continue;
        const Schema* at = schemaAt(schema, key.pointer);
        QVERIFY2(at != nullptr, key.pointer.c_str());
        std::vector<Schema> values{nullptr};
        if (number)
            values = {-1, 0, 1, 2, 0.5, 1e6, nullptr};
        for (const Schema& value : values) {
            ++compared;
            if (accepts(*at, value) == refusedByCheck(key.pointer, value))
                apart << QString::fromStdString(key.pointer + " " + value.dump() + (accepts(*at, value) ? " is refused" : " is taken"));
        }
    }
    QVERIFY2(apart.isEmpty(), qPrintable(apart.join('\n')));
    QVERIFY(compared > 100);
}

void TstKeySchema::gathersEvenBuckets_data()
{
    QTest::addColumn<QString>("text");
    const QString optimizer = QStringLiteral(R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}})");
    const auto row = [&](const char* name, const QString& zero, const QString& more) { QTest::newRow(name) << QStringLiteral(R"({"train_batch_size": 1, "zero_optimization": %1, %2})").arg(zero, more); };
    row("stage 2, odd", R"({"stage": 2, "allgather_bucket_size": 5})", optimizer);
    row("stage 2, even", R"({"stage": 2, "allgather_bucket_size": 6})", optimizer);
    row("stage 1, odd", R"({"stage": 1, "allgather_bucket_size": 5})", optimizer);
    row("stage 1, odd, sums in fp32", R"({"stage": 1, "allgather_bucket_size": 5})", optimizer + R"(, "bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"})");
    row("stage 3, odd", R"({"stage": 3, "allgather_bucket_size": 5})", optimizer);
    row("stage 0, odd", R"({"stage": 0, "allgather_bucket_size": 5})", optimizer);
    row("no stage, odd", R"({"allgather_bucket_size": 5})", optimizer);
    row("reduced, odd", R"({"stage": 2, "reduce_bucket_size": 5})", optimizer);
}

void TstKeySchema::gathersEvenBuckets()
{
    QFETCH(QString, text);
    static const Schema schema = dsConfigSchema(KeyCatalog::standard());
    const auto answer = checkConfig(text.toStdString(), {});
    const bool refused = std::any_of(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& f) { return f.pointer.ends_with("bucket_size") && f.severity == CheckSeverity::Error; });
    QCOMPARE(accepts(schema, Schema::parse(text.toStdString())), !refused);
    QCOMPARE(refused, QString(QTest::currentDataTag()) == "stage 2, odd" || QString(QTest::currentDataTag()) == "stage 1, odd");
}

void TstKeySchema::takesWordsThatActAsTrue()
{
    const Schema schema = dsConfigSchema(KeyCatalog::standard());
    for (const char* config : {R"({"data_efficiency": {"data_sampling": {"curriculum_learning": {"enabled": "yes"}}}})", R"({"data_efficiency": {"data_routing": {"random_ltd": {"enabled": "on"}}}})",
                               R"({"data_efficiency": {"enabled": "true"}})",
                               R"({"dump_state": "yes"})"})
        QVERIFY2(accepts(schema, Schema::parse(config)), config);
    // Where a switch itself is asked for, and no truth, a text stays refused.
    QVERIFY(!accepts(schema, Schema::parse(R"({"zero_optimization": {"overlap_comm": "perhaps"}})")));
}

void TstKeySchema::takesWordsInAnyCase()
{
    const Schema schema = dsConfigSchema(KeyCatalog::standard());
    for (const char* word : {"WARN", "Warn", "warn", "Ignore", "fail"})
        QVERIFY2(accepts(*schemaAt(schema, "/checkpoint/tag_validation"), word), word);
    QVERIFY(!accepts(*schemaAt(schema, "/checkpoint/tag_validation"), "warned"));
    QVERIFY(accepts(*schemaAt(schema, "/communication_data_type"), "FP16"));
    QVERIFY(!accepts(*schemaAt(schema, "/zero_optimization/offload_param/device"), "CPU"));
}

void TstKeySchema::holdsEveryReadKey()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const nlohmann::ordered_json schema = dsConfigSchema(catalog);
    QCOMPARE(schema["$schema"].get<std::string>(), std::string("https://json-schema.org/draft/2020-12/schema"));
    for (const CatalogKey& key : catalog.keys()) {
        if (key.pointer.empty() || key.reading == KeyReading::Refused || !key.when.empty())
            continue;
        const nlohmann::ordered_json* at = &schema;
        const auto tokens = pointerTokens(key.pointer);
        for (const std::string& token : *tokens) {
            const bool list = at->contains("items");
            const char* through = token == "*" ? (list ? "items" : "additionalProperties") : "properties";
            QVERIFY2(at->contains(through), key.pointer.c_str());
            at = &(*at)[through];
            if (token != "*") {
                QVERIFY2(at->contains(token), key.pointer.c_str());
                at = &(*at)[token];
            }
        }
    }
    const auto& zero = schema["properties"]["zero_optimization"];
    QCOMPARE(zero["additionalProperties"].get<bool>(), false);
    QCOMPARE(zero["properties"]["offload_param"]["properties"]["device"]["anyOf"][0]["enum"].size(), std::size_t{3});
    QVERIFY(schema["properties"]["optimizer"]["allOf"].size() >= 10);
    QVERIFY(!schema["properties"].contains("additionalProperties"));
    const auto& offered = schema["properties"]["optimizer"]["properties"]["type"]["examples"];
    QVERIFY(std::find(offered.begin(), offered.end(), "AdamW") != offered.end() && std::find(offered.begin(), offered.end(), "OneBitAdam") == offered.end());
    QVERIFY(accepts(schema["properties"]["communication_data_type"], nullptr));
    QVERIFY(accepts(schema["properties"]["activation_checkpointing"]["properties"]["number_checkpoints"], nullptr));
    // Closed, these would refuse every parameter: they stand in the branches that depend on the type.
    for (const char* section : {"optimizer", "scheduler"})
        QVERIFY(!schema["properties"][section]["properties"].value("params", Schema::object()).contains("additionalProperties"));
}

void TstKeySchema::takesWhatReleasesTook_data()
{
    QTest::addColumn<QString>("release");
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9", "0.19.6", "0.19.8"})
        QTest::newRow(release) << QString(release);
}

void TstKeySchema::takesWhatReleasesTook()
{
    QFETCH(QString, release);
    const Schema schema = dsConfigSchemaOf(release.toStdString(), KeyCatalog::standard()).value();
    const QDir folder(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + QStringLiteral("/tests/data/verdicts"));
    int taken = 0;
    QStringList apart;
    for (const QString& name : folder.entryList({QStringLiteral("*.jsonl")})) {
        for (const Schema& row : verdictRows(folder.filePath(name).toStdString())) {
            if (row["release"] != release.toStdString())
                continue;
            const Schema config = Schema::parse(row["text"].get<std::string>(), nullptr, false);
            if (row["expect"]["verdict"] != "ok" || config.is_discarded())  // Hjson is no matter of a schema
                continue;
            std::vector<std::string> warnings;
            CheckContext context = readCheckContext(row.value("context", Schema::object()).dump(), warnings).value();
            context.world = row.value("world", 1);
            context.release = release.toStdString();
            if (!context.optimizer.empty())  // the script's own: DeepSpeed does not look at the section
                continue;
            if (row["upTo"] != "engine" && !checkConfig(config.dump(), context)->ok)  // the row tells of parsing alone
                continue;
            if (config.dump().find("\"Enabled\":\"auto\"") != std::string::npos)  // an unknown key is dropped for its word: no editor should offer that
                continue;
            ++taken;
            if (!accepts(schema, config))
                apart << QString::fromStdString(row["id"].get<std::string>() + " " + config.dump().substr(0, 700));
        }
    }
    QVERIFY2(apart.isEmpty(), qPrintable(apart.join('\n')));
    QVERIFY(taken > 50);
}

/// Each number and switch in the forms a file may write, at a stage with rules of its own: what the check of a release lets pass, its schema does.
void TstKeySchema::takesNumbersThatTheReleaseTakes()
{
    QFETCH(QString, release);
    const KeyCatalog& catalog = KeyCatalog::standard();
    const Schema schema = dsConfigSchemaOf(release.toStdString(), catalog).value();
    const Schema::array_t values{-1, 0, 1, 2, 5, 0.5, 1.5, 1e6, true, nullptr, "2"};
    CheckContext context;
    context.release = release.toStdString();
    int taken = 0;
    QStringList apart;
    for (const CatalogKey& key : catalog.keys()) {
        const bool plain = key.types.front() == KeyType::Int || key.types.front() == KeyType::Float || key.types.front() == KeyType::Bool;
        if (!plain || !key.when.empty() || key.reading != KeyReading::Read || key.pointer.find('*') != std::string::npos)
            continue;
        for (const Schema& value : values) {
            Schema config{{"train_micro_batch_size_per_gpu", 8}, {"optimizer", {{"type", "AdamW"}, {"params", {{"lr", 1e-4}}}}}, {"zero_optimization", {{"stage", 2}}}};
            config[Schema::json_pointer(key.pointer)] = value;
            if (!checkConfig(config.dump(), context)->ok)
                continue;
            ++taken;
            if (!accepts(schema, config))
                apart << QString::fromStdString(key.pointer + " " + value.dump());
        }
    }
    QVERIFY2(apart.isEmpty(), qPrintable(apart.join('\n')));
    QVERIFY(taken > 1000);
}

void TstKeySchema::isOfTheReleaseAsked()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const Schema oneBit = Schema::parse(R"({"train_batch_size": 8, "optimizer": {"type": "OneBitAdam", "params": {"lr": 1e-4}}})");
    const Schema legacy = Schema::parse(R"({"train_batch_size": 8, "amp": {"enabled": false}})");
    const Schema old = dsConfigSchemaOf("0.16.9", catalog).value(), now = dsConfigSchemaOf({}, catalog).value();
    QVERIFY(accepts(old, oneBit) && accepts(old, legacy));
    QVERIFY(!accepts(now, oneBit) && !accepts(now, legacy));
    QVERIFY(accepts(now, Schema::parse(R"({"train_batch_size": 8, "optimizer": {"type": "adamw", "params": {"lr": 1e-4, "torch_adam": true}}})")));
    QVERIFY(accepts(now, Schema::parse(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}})")));
    QVERIFY(accepts(now, Schema::parse(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": "1e-4"}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": 1e-4}}})")));
    QVERIFY(!dsConfigSchemaOf("newest", catalog).hasValue());
    // Its defaults are the release's too.
    const auto pinned = [](const Schema& schema) { return schema["properties"]["zero_optimization"]["properties"]["offload_optimizer"]["properties"]["pin_memory"]["default"]; };
    QVERIFY(pinned(old) == false && pinned(now) == true);
}

void TstKeySchema::refusesWhatAReleaseLacks_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("config");
    QTest::addColumn<bool>("taken");
    const auto row = [](const char* release, const char* config, bool taken) { QTest::addRow("%s: %s", release, config) << release << config << taken; };
    for (const char* key : {R"("leaf_module": {"classes": ["Block"]})", R"("zenflow": {"topk_ratio": 0.1})", R"("zenflow": {})", R"("module_granularity_threshold": 0)", R"("log_trace_cache_warnings": true)", R"("offload_optimizer": {"device": "cpu", "super_offload": true})",
                            R"("offload_optimizer": {"device": "cpu", "cpuadam_cores_perc": 0.8})", R"("reduce_bucket_size": -1)", R"("leaf_module": "auto")"})
        row("0.14.5", (R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, )" + std::string(key) + "}}").c_str(), false);
    row("0.16.9", R"({"zero_optimization": {"stage": 3, "leaf_module": {}}})", false);
    row("0.16.9", R"({"zero_optimization": {"stage": 3, "log_trace_cache_warnings": true}})", true);
    row("0.19.8", R"({"zero_optimization": {"stage": 3, "leaf_module": {"classes": ["Block"]}}})", true);
    for (const char* release : {"0.14.5", "0.19.8"}) {
        row(release, R"({"zero_optimization": {"reduce_bucket_size": -1}})", false);
        for (const char* share : {"0.3", "0", "1.0", ".5", "1"})
            row(release, (R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "ratio": ")" + std::string(share) + "\"}}}").c_str(), true);
        for (const char* share : {"3", "yes", "1.5"})
            row(release, (R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "ratio": ")" + std::string(share) + "\"}}}").c_str(), false);
        row(release, R"({"zero_optimization": {"reduce_bucket_size": 5e8}})", true);
        row(release, R"({"optimizer": {"type": "FusedAdam"}})", false);
        row(release, R"({"optimizer": {"type": "adafactorW"}})", false);
        row(release, R"({"optimizer": {"type": "aDaMw"}})", true);
        row(release, R"({"optimizer": {"type": "SGD"}})", true);
        row(release, R"({"scheduler": {"type": "linear", "params": {}}})", false);
        row(release, R"({"scheduler": {"type": "WarmupLR", "params": {"warmup_ratio": 0.1}}})", false);
        row(release, R"({"scheduler": {"type": "WarmupDecayLR", "params": {"warmup_num_steps": 10}}})", false);
        row(release, R"({"scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": "auto"}}})", true);
        row(release, R"({"scheduler": {"type": "StepLR", "params": {"step_size": 10, "gamma": 0.5}}})", true);
    }
    row("0.16.9", R"({"train_batch_size": 8, "elasticity": {"enabled": true, "max_train_batch_size": 8, "micro_batch_sizes": [1]}})", false);
    row("0.16.9", R"({"train_batch_size": 8, "elasticity": {"enabled": true, "max_train_batch_size": 8, "micro_batch_sizes": [1], "ignore_non_elastic_batch_info": true}})", true);
    row("0.16.9", R"({"train_batch_size": 8, "elasticity": {"enabled": false}})", true);
}

void TstKeySchema::refusesWhatAReleaseLacks()
{
    QFETCH(QString, release);
    QFETCH(QString, config);
    QFETCH(bool, taken);
    static std::map<QString, Schema> made;
    if (!made.contains(release))
        made[release] = dsConfigSchemaOf(release.toStdString(), KeyCatalog::standard()).value();
    QCOMPARE(accepts(made[release], Schema::parse(config.toStdString())), taken);
}

void TstKeySchema::refusesWhatNobodyMeans_data()
{
    QTest::addColumn<QString>("config");
    QTest::newRow("an unknown stage") << QString(R"({"zero_optimization": {"stage": 4}})");
    QTest::newRow("an unknown key of a closed section") << QString(R"({"zero_optimization": {"stge": 2}})");
    QTest::newRow("a word for a count") << QString(R"({"zero_optimization": {"reduce_bucket_size": "large"}})");
    QTest::newRow("a negative bucket") << QString(R"({"zero_optimization": {"reduce_bucket_size": -1}})");
    QTest::newRow("an unknown offload device") << QString(R"({"zero_optimization": {"offload_optimizer": {"device": "disk"}}})");
    QTest::newRow("a switch that is a word") << QString(R"({"bf16": {"enabled": "maybe"}})");
    QTest::newRow("a section that is a number") << QString(R"({"zero_optimization": 2})");
    QTest::newRow("a batch that is a word") << QString(R"({"train_batch_size": "big"})");
    for (const char* removed : {"elasticity", "amp", "curriculum_learning", "sparse_attention", "compression_training", "nebula", "eigenvalue", "sparse_gradients", "graph_harvesting", "progressive_layer_drop"})
        for (const char* value : {"{}", "false", "null", R"({"enabled": false})"})
            QTest::newRow((std::string(removed) + " as " + value).c_str()) << QStringLiteral(R"({"train_batch_size": 8, "%1": %2})").arg(QString(removed), QString(value));
    QTest::newRow("shards of MiCS") << QString(R"({"zero_optimization": {"stage": 3, "mics_shard_size": 2}})");
    QTest::newRow("LoCo") << QString(R"({"zero_optimization": {"stage": 3, "zeropp_loco_param": {}}})");
    QTest::newRow("a section for a rate") << QString(R"({"optimizer": {"type": "AdamW", "params": {"lr": {}}}})");
    QTest::newRow("a rate in quotes") << QString(R"({"optimizer": {"type": "AdamW", "params": {"lr": "1e-4"}}})");
    QTest::newRow("another tool's name for the rate") << QString(R"({"optimizer": {"type": "AdamW", "params": {"learning_rate": 1e-4}}})");
    QTest::newRow("an optimizer that is gone") << QString(R"({"optimizer": {"type": "onebitadam", "params": {"lr": 1e-4}}})");
    QTest::newRow("a section for a norm") << QString(R"({"gradient_clipping": {}})");
    QTest::newRow("a norm in the wrong place") << QString(R"({"optimizer": {"type": "AdamW", "params": {"max_grad_norm": 1.0}}})");
    QTest::newRow("a parameter that Lion has not") << QString(R"({"optimizer": {"type": "Lion", "params": {"lr": 1e-4, "eps": 1e-8}}})");
    QTest::newRow("a parameter that SGD has not") << QString(R"({"optimizer": {"type": "SGD", "params": {"lr": 1e-4, "betas": [0.9, 0.999]}}})");
    QTest::newRow("a word for a norm") << QString(R"({"gradient_clipping": "one"})");
    QTest::newRow("a word for a count of steps") << QString(R"({"steps_per_print": "ten"})");
    QTest::newRow("a format of sums that is none") << QString(R"({"data_types": {"grad_accum_dtype": "int4"}})");
    QTest::newRow("a level of messages that is none") << QString(R"({"log_level": "loud"})");
    QTest::newRow("one decay rate for two") << QString(R"({"optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": 0.9}}})");
    QTest::newRow("a word for a weight decay") << QString(R"({"optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "weight_decay": "small"}}})");
    QTest::newRow("an unknown number format") << QString(R"({"communication_data_type": "fp8"})");
}

void TstKeySchema::refusesWhatNobodyMeans()
{
    QFETCH(QString, config);
    static const Schema kSchema = dsConfigSchema(KeyCatalog::standard());
    QVERIFY(!accepts(kSchema, Schema::parse(config.toStdString())));
}

QTEST_GUILESS_MAIN(TstKeySchema)
#include "tst_key_schema.moc"
