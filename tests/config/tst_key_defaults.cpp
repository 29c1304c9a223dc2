// SPDX-License-Identifier: GPL-3.0-or-later
// What a missing key stands for is told by the release.
#include "config/key_catalog.h"
#include "config/key_releases.h"
#include "config/release_facts.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <functional>

using namespace stagecraft;

class TstKeyDefaults : public QObject {
    Q_OBJECT

private slots:
    void defaultsAreTheReleases_data();
    void defaultsAreTheReleases();
    void defaultsAgreeWithTheNewestRelease();
    void whatDependsIsSaid();
};

/// A key that counts as something without a default of its own says as what; a release's own default goes before it.
void TstKeyDefaults::whatDependsIsSaid()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    int said = 0;
    for (const CatalogKey& key : catalog.keys()) {
        QVERIFY2(key.unset.en.empty() == key.unset.zh.empty() && (key.unset.empty() || key.defaultJson.empty()), key.pointer.c_str());
        said += key.unset.empty() ? 0 : 1;
    }
    QVERIFY(said >= 17);
    for (const char* pointer : {"/zero_optimization/overlap_comm", "/communication_data_type", "/data_types/grad_accum_dtype", "/gradient_accumulation_steps"})
        QVERIFY2(!catalog.key(catalog.find(pointer)).unset.empty(), pointer);
    QVERIFY(catalog.key(catalog.find("/zero_optimization/overlap_comm")).unset.en.find("stage 3") != std::string::npos);
}

void TstKeyDefaults::defaultsAreTheReleases_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("json");
    const auto row = [](const char* name, const char* pointer, const char* release, const char* json) {
        QTest::newRow(name) << QString(pointer) << QString(release) << QString(json);
    };
    row("clipping of the newest", "/gradient_clipping", "", "1.0");
    row("clipping of 0.19.6", "/gradient_clipping", "0.19.6", "1.0");
    row("no clipping before 0.19", "/gradient_clipping", "0.18.9", "0.0");
    row("no clipping in a series", "/gradient_clipping", "0.14", "0.0");
    row("0.14 prints every ten steps", "/steps_per_print", "0.14.5", "10");
    row("0.16 prints none", "/steps_per_print", "0.16.9", "");
    row("gradients were not looked at for overflow", "/bf16/check_grad_overflow", "0.18.9", "false");
    row("nor under the section's former name", "/bfloat16/check_grad_overflow", "0.18.9", "false");
    row("they are now", "/bf16/check_grad_overflow", "0.19.6", "true");
    row("bf16 gradients of 0.16 are updated at once", "/bf16/immediate_grad_update", "0.16.9", "true");
    row("those of 0.14 are not", "/bf16/immediate_grad_update", "0.14.5", "false");
    row("offloaded states were not pinned", "/zero_optimization/offload_optimizer/pin_memory", "0.18.9", "false");
    row("they are from 0.19 on", "/zero_optimization/offload_optimizer/pin_memory", "0.19.6", "true");
    row("offloaded weights neither", "/zero_optimization/offload_param/pin_memory", "0.14.5", "false");
    row("one that never changed", "/zero_optimization/reduce_bucket_size", "0.14.5", "500000000");
    row("one that follows the stage", "/zero_optimization/overlap_comm", "0.14.5", "");
}

void TstKeyDefaults::defaultsAreTheReleases()
{
    QFETCH(QString, pointer);
    QFETCH(QString, release);
    QFETCH(QString, json);
    const KeyCatalog& catalog = KeyCatalog::standard();
    const int id = catalog.find(pointer.toStdString());
    QVERIFY(id >= 0);
    const std::string found = defaultIn(catalog.key(id), release.toStdString());
    QCOMPARE(QString::fromStdString(found == "null" ? "" : found), json);
}

/// Every default the newest release's own reader and classes tell is the catalog's: defaultIn() tells older releases from it.
void TstKeyDefaults::defaultsAgreeWithTheNewestRelease()
{
    bool exact = false;
    const ReleaseFacts& facts = *findRelease({}, exact).value();
    const KeyCatalog& catalog = KeyCatalog::standard();
    int compared = 0;
    const auto compare = [&](const std::string& pointer, const ConfigValue& value) {
        const int id = catalog.find(pointer);
        if (id < 0 || catalog.key(id).isSection() || catalog.key(id).defaultJson.empty() || !(value.isNumber() || value.isString()))
            return;
        const auto ours = nlohmann::json::parse(catalog.key(id).defaultJson), theirs = nlohmann::json::parse(toJson(value));
        QVERIFY2(ours == theirs, (pointer + ": " + toJson(value) + ", the catalog says " + catalog.key(id).defaultJson).c_str());
        ++compared;
    };
    for (const auto& [pointer, value] : facts.defaults)
        compare(pointer, value);
    const std::function<void(const std::string&, const ModelFacts&)> walk = [&](const std::string& section, const ModelFacts& model) {
        for (const FieldFacts& field : model.fields) {
            const std::string at = section + "/" + (field.alias.empty() ? field.name : field.alias);
            const TypeFacts& type = field.type.kind == TypeFacts::Kind::Optional ? field.type.of.front() : field.type;
            if (type.kind == TypeFacts::Kind::Model)
                walk(at, facts.models.find(type.model)->second);
            else
                compare(at, field.defaultValue);
        }
    };
    for (const auto& [section, model] : facts.sections)
        walk("/" + section, facts.models.find(model)->second);
    QVERIFY2(compared > 200, std::to_string(compared).c_str());
}

QTEST_APPLESS_MAIN(TstKeyDefaults)
#include "tst_key_defaults.moc"
