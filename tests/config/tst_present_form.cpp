// SPDX-License-Identifier: GPL-3.0-or-later
// Old names and old forms of sections: edits and presets go where DeepSpeed reads, and fixes say what was meant.
#include "config/present_form.h"

#include "config/check.h"
#include "config/hjson_reader.h"
#include "config/preset_catalog.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <map>

using namespace stagecraft;

class TstPresentForm : public QObject {
    Q_OBJECT

private slots:
    void aKeyIsSetInsideWhatIsNoSection_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* text, const char* pointer, const char* value, const char* after) {
            QTest::newRow(name) << QString(text) << QString(pointer) << QString(value) << QString(after);
        };
        row("ZeRO as a switch", R"({"zero_optimization": true, "x": 1})", "/zero_optimization/reduce_bucket_size", "5e8", R"({"zero_optimization": {"stage": 1, "reduce_bucket_size": 5e8}, "x": 1})");
        row("the stage itself", R"({"zero_optimization": true})", "/zero_optimization/stage", "3", R"({"zero_optimization": {"stage": 3}})");
        row("ZeRO switched off", R"({"zero_optimization": false})", "/zero_optimization/overlap_comm", "true", R"({"zero_optimization": {"stage": 0, "overlap_comm": true}})");
        row("null", "{\n  \"fp16\": null\n}", "/fp16/enabled", "true", "{\n  \"fp16\": {\n    \"enabled\": true\n  }\n}");
        row("a switch in place of a section", R"({"bf16": true})", "/bf16/immediate_grad_update", "true", R"({"bf16": {"enabled": true, "immediate_grad_update": true}})");
        row("a name in place of a section", R"({"optimizer": "AdamW"})", "/optimizer/params/lr", "3e-4", R"({"optimizer": {"type": "AdamW", "params": {"lr": 3e-4}}})");
        row("inside a section", R"({"zero_optimization": {"stage": 3, "offload_optimizer": null}})", "/zero_optimization/offload_optimizer/device", "\"cpu\"",
            R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}})");
        row("a list that nobody can read", R"({"fp16": [1]})", "/fp16/enabled", "true", R"({"fp16": {"enabled": true}})");
        row("what is a section stays", R"({"fp16": {"loss_scale": 0}})", "/fp16/enabled", "true", R"({"fp16": {"loss_scale": 0, "enabled": true}})");
    }

    void aKeyIsSetInsideWhatIsNoSection()
    {
        QFETCH(QString, text);
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, after);
        const auto document = JsonDocument::parse(text.toStdString());
        const auto edit = setKeyEdit(*document, pointer.toStdString(), value.toStdString());
        QVERIFY2(edit.hasValue(), edit.hasValue() ? "" : edit.error().message.c_str());
        const std::string done = applyEdits(text.toStdString(), {*edit});
        // The bytes outside the section stay; inside, only what it says counts.
        if (text.contains('\n'))
            QCOMPARE(QString::fromStdString(done), after);
        QVERIFY2(nlohmann::ordered_json::parse(done) == nlohmann::ordered_json::parse(after.toStdString()), done.c_str());
        QVERIFY2(!value.startsWith("5e8") || done.find("5e8") != std::string::npos, done.c_str());
    }

    void presetsLeaveOnePrecisionOn()
    {
        for (const char* text : {R"({"fp16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "scheduler": {"type": "WarmupLR"}})", R"({"bf16": {"enabled": true}})"}) {
            const auto document = JsonDocument::parse(text);
            for (const ConfigPreset& preset : configPresets()) {
                const auto merged = mergePreset(*document, preset);
                QVERIFY2(merged.hasValue(), preset.id.c_str());
                const auto answer = checkConfig(*merged, CheckContext());
                for (const CheckFinding& finding : answer->findings)
                    QVERIFY2(finding.rule != "R41", (preset.id + ": " + finding.message + "\n" + *merged).c_str());
            }
        }
    }
    /// What cannot stand beside a preset goes with it: the config is accepted afterwards.
    void presetsTakeOutWhatCannotStandBeside_data()
    {
        QTest::addColumn<QString>("more");
        QTest::newRow("an optimizer on the CPU") << R"("zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}})";
        QTest::newRow("an optimizer on the CPU, as it was written once") << R"("zero_optimization": {"stage": 2, "cpu_offload": true})";
        QTest::newRow("states on drives, in part") << R"("zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "/x", "ratio": 0.5}, "offload_param": {"device": "nvme", "nvme_path": "/x"}})";
        QTest::newRow("sums in fp32") << R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 2}, "data_types": {"grad_accum_dtype": "fp32"})";
    }
    void presetsTakeOutWhatCannotStandBeside()
    {
        QFETCH(QString, more);
        const std::string text = QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, %1})").arg(more).toStdString();
        const auto document = JsonDocument::parse(text);
        for (const ConfigPreset& preset : configPresets()) {
            if (preset.id != "zero0" && preset.id != "zero1" && preset.id != "zero2" && preset.id != "zero3" && preset.id != "zero2-offload-cpu")
                continue;
            const auto merged = mergePreset(*document, preset);
            QVERIFY2(merged.hasValue(), preset.id.c_str());
            const auto answer = checkConfig(*merged, CheckContext());
            QVERIFY2(answer->ok, (preset.id + ": " + checkAnswerJson(*answer) + "\n" + *merged).c_str());
            if (preset.id == "zero2")
                QVERIFY2(merged->find("offload") == std::string::npos, merged->c_str());
        }
    }
    void presetsKeepTheFilesLayout()
    {
        const std::string text = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})";
        const auto document = JsonDocument::parse(text);
        for (const ConfigPreset& preset : configPresets())
            QVERIFY2(mergePreset(*document, preset)->find('\n') == std::string::npos, (preset.id + ": " + *mergePreset(*document, preset)).c_str());
    }
    void everyPresetSaysSomething()
    {
        // More than what holds without it: a preset of defaults does nothing.
        for (const ConfigPreset& preset : configPresets()) {
            bool says = false;
            for (int id = 0; id < static_cast<int>(preset.config->nodes().size()); ++id) {
                const std::string pointer = preset.config->pointerOf(id);
                const int key = KeyCatalog::standard().find(pointer, preset.config.get());
                const JsonKind kind = preset.config->node(id).kind;
                says = says || (kind != JsonKind::Object && (key < 0 || KeyCatalog::standard().key(key).defaultJson != preset.config->toJson(id).dump()));
            }
            QVERIFY2(says || preset.id == "zero0", preset.id.c_str());
        }
        const auto oneBit = std::find_if(configPresets().begin(), configPresets().end(), [](const ConfigPreset& p) { return p.id == "onebit-adam"; });
        for (const auto& [release, offered] : {std::pair{"0.14.5", true}, std::pair{"0.19.6", true}, std::pair{"0.19.7", true}, std::pair{"0.19.8", false}, std::pair{"", false}})
            QVERIFY2(isOfferedIn(*oneBit, release) == offered, release);
        QVERIFY(isOfferedIn(configPresets().front(), ""));
        // Nothing is offered that the release never reads.
        const auto document = JsonDocument::parse(R"({"train_batch_size": 8})");
        for (const char* release : {"0.14.5", "0.16.9", "0.18.9", "0.19.6", "0.19.8"})
            for (const ConfigPreset& preset : configPresets()) {
                CheckContext context;
                context.release = release;
                const auto answer = checkConfig(*mergePreset(*document, preset, context), context);
                QVERIFY(answer.hasValue());
                const bool unread = std::any_of(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& f) { return f.rule == "R10"; });
                QVERIFY2(!(unread && isOfferedIn(preset, release)), (preset.id + " in " + release).c_str());
                QVERIFY2(isOfferedIn(preset, release) || unread || preset.id == "onebit-adam", (preset.id + " in " + release).c_str());
            }
    }
    void inferenceTakesOutWhatTrains()
    {
        const std::string text = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "scheduler": {"type": "WarmupLR", "params": {}}})";
        const auto document = JsonDocument::parse(text);
        const auto preset = std::find_if(configPresets().begin(), configPresets().end(), [](const ConfigPreset& p) { return p.id == "inference"; });
        QVERIFY(preset != configPresets().end());
        int removed = 0;
        for (const PresetChange& change : presetChanges(*document, *preset))
            removed += change.changes() && change.after.empty() ? 1 : 0;
        QCOMPARE(removed, 2);   // the preview tells both
        const auto merged = JsonDocument::parse(mergePreset(*document, *preset).value());
        QVERIFY(merged->find("/optimizer") < 0 && merged->find("/scheduler") < 0);
        QCOMPARE(merged->find("/train_batch_size") >= 0, true);
    }
    void aPresetsBatchLeavesNoTotalThatContradicts_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("kept");
        QTest::newRow("all three") << R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})" << false;
        QTest::newRow("all three, as the preset has them") << R"({"train_batch_size": 16, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})" << true;
        QTest::newRow("the accumulation follows") << R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4})" << true;
        QTest::newRow("no accumulation can follow") << R"({"train_batch_size": 3, "train_micro_batch_size_per_gpu": 4})" << false;
        QTest::newRow("auto") << R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 8})" << true;
        QTest::newRow("a number that is none") << R"({"train_batch_size": 9223372036854775807, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})" << true;
    }
    void aPresetsBatchLeavesNoTotalThatContradicts()
    {
        QFETCH(QString, text);
        QFETCH(bool, kept);
        const auto document = JsonDocument::parse(text.toStdString());
        const auto preset = std::find_if(configPresets().begin(), configPresets().end(), [](const ConfigPreset& p) { return p.id == "inference"; });
        CheckContext context;
        context.world = 2;
        const auto merged = mergePreset(*document, *preset, context);
        QVERIFY(merged.hasValue());
        QCOMPARE(JsonDocument::parse(*merged)->find("/train_batch_size") >= 0, kept);
        const auto changes = presetChanges(*document, *preset, context);
        QCOMPARE(std::none_of(changes.begin(), changes.end(), [](const PresetChange& change) { return change.pointer == "/train_batch_size"; }), kept);
        if (text.contains("auto") || text.contains("9223372036854775807"))
            return;
        const auto checked = checkConfig(*merged, context);
        for (const CheckFinding& finding : checked->findings)
            QVERIFY2(finding.rule != "R7" && finding.rule != "R8", merged->c_str());
    }
    void presetsTakeOverWhatOldNamesSay_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {R"({"train_batch_size": 8, "zero_optimization": true})", R"({"train_batch_size": 8, "zero_optimization": {"stage": 2}, "bf16": null, "fp16": {"enabled": false}})",
                                 R"({"train_batch_size": 8, "bfloat16": {"enabled": true, "immediate_grad_update": true}})",
                                 R"({"train_batch_size": 8, "bfloat16": {"enabled": true}, "bf16": {"enabled": false}})",
                                 R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "cpu_offload": true, "cpu_offload_param": true}})",
                                 R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "stage3_gather_fp16_weights_on_model_save": true, "prefetch_bucket_size": 7, "max_live_parameters": 9, "param_persistence_threshold": 5, "max_reuse_distance": 3}})",
                                 R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "gather_16bit_weights_on_model_save": false, "offload_optimizer": null, "offload_param": null}})"})
            QTest::newRow(text) << QString(text);
    }

    void presetsTakeOverWhatOldNamesSay()
    {
        QFETCH(QString, text);
        const auto document = JsonDocument::parse(text.toStdString());
        CheckContext context;
        QVERIFY2(checkConfig(text.toStdString(), context)->parseOk, "the test's own config");
        for (const ConfigPreset& preset : configPresets()) {
            const auto merged = mergePreset(*document, preset);
            QVERIFY2(merged.hasValue(), preset.id.c_str());
            const auto after = JsonDocument::parse(*merged);
            for (const PresetChange& change : presetChanges(*document, preset))
                QVERIFY2(change.after.empty() ? after->find(change.pointer) < 0 : after->find(change.pointer) >= 0 && after->spelling(after->find(change.pointer)) == change.after,
                         (preset.id + " " + change.pointer + "\n" + *merged).c_str());
            const auto answer = checkConfig(*merged, context);
            for (const CheckFinding& finding : answer->findings)
                QVERIFY2(finding.severity != CheckSeverity::Error || (finding.rule != "R15" && finding.rule != "R20" && finding.rule != "R14" && finding.rule != "R42"), (preset.id + ": " + finding.message + "\n" + *merged).c_str());
            // A second time there is nothing left to do.
            for (const PresetChange& change : presetChanges(*after, preset))
                QVERIFY2(!change.changes(), (preset.id + " " + change.pointer).c_str());
        }
    }

    void thePreviewSaysWhatHoldsNow()
    {
        const auto document = JsonDocument::parse(R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "prefetch_bucket_size": 7, "cpu_offload": true}})");
        const auto before = [&](const char* preset, const char* pointer) {
            for (const ConfigPreset& each : configPresets())
                if (each.id == preset)
                    for (const PresetChange& change : presetChanges(*document, each))
                        if (change.pointer == pointer)
                            return QString::fromStdString(change.before);
            return QStringLiteral("no such change");
        };
        // Each name for itself: the file holds the old one, which goes.
        QCOMPARE(before("zero3", "/zero_optimization/prefetch_bucket_size"), QString("7"));
        QCOMPARE(before("zero3", "/zero_optimization/stage3_prefetch_bucket_size"), QString());
        QCOMPARE(before("zero3-offload-cpu", "/zero_optimization/cpu_offload"), QString("true"));
        QCOMPARE(before("zero3-offload-cpu", "/zero_optimization/offload_optimizer/device"), QString());
    }

    void thePreviewIsOfWhatApplyWrites_data() { presetsTakeOverWhatOldNamesSay_data(); }

    void thePreviewIsOfWhatApplyWrites()
    {
        QFETCH(QString, text);
        const auto document = JsonDocument::parse(text.toStdString());
        const auto values = [](const JsonDocument& of) {
            std::map<std::string, std::string> leaves;
            for (int id = 0; id < static_cast<int>(of.nodes().size()); ++id)
                if (of.node(id).kind != JsonKind::Object && of.node(of.node(id).parent).kind == JsonKind::Object)
                    leaves[of.pointerOf(id)] = std::string(of.spelling(id));
            return leaves;
        };
        for (const ConfigPreset& preset : configPresets()) {
            const auto merged = JsonDocument::parse(mergePreset(*document, preset).value());
            std::map<std::string, std::string> told = values(*document);
            for (const PresetChange& change : presetChanges(*document, preset)) {
                const int now = document->find(change.pointer);
                QCOMPARE(QString::fromStdString(change.before), now < 0 ? QString() : QString::fromStdString(std::string(document->spelling(now))));
                std::erase_if(told, [&](const auto& each) { return (each.first + "/").starts_with(change.pointer + "/") || change.pointer.starts_with(each.first + "/"); });
                if (!change.after.empty())
                    told[change.pointer] = change.after;
            }
            QVERIFY2(told == values(*merged), (preset.id + "\n" + merged->text()).c_str());
        }
    }

    void whatWasMeantIsAQuickFix_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* text, const char* after) { QTest::newRow(name) << QString(text) << QString(after); };
        row("a switch", R"({"bf16": true})", R"({"bf16": {"enabled": true}})");
        row("a switch off", R"({"fp16": false})", R"({"fp16": {"enabled": false}})");
        row("an optimizer's name", R"({"optimizer": "AdamW"})", R"({"optimizer": {"type": "AdamW"}})");
        row("a device", R"({"zero_optimization": {"stage": 2, "offload_optimizer": "cpu"}})", R"({"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}})");
        row("a profiler", R"({"flops_profiler": true})", R"({"flops_profiler": {"enabled": true}})");
    }

    void whatWasMeantIsAQuickFix()
    {
        QFETCH(QString, text);
        QFETCH(QString, after);
        auto config = nlohmann::json::parse(text.toStdString());
        config["train_batch_size"] = 8;
        const auto answer = checkConfig(config.dump(), {});
        QVERIFY(!answer->parseOk);
        const auto found = std::find_if(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& f) { return f.severity == CheckSeverity::Error && f.level == CheckLevel::Parse; });
        QVERIFY2(!found->fix.empty() && !found->safe, found->message.c_str());
        config = config.patch(nlohmann::json::parse(found->fix));
        QVERIFY2(checkConfig(config.dump(), {})->parseOk, config.dump().c_str());
        config.erase("train_batch_size");
        QCOMPARE(QString::fromStdString(config.dump()), QString::fromStdString(nlohmann::json::parse(after.toStdString()).dump()));
    }

    /// What is refused elsewhere, or left to another tool to fill, makes an old name no other.
    void oldNamesAreReadWhateverElseIsRefused()
    {
        for (const char* beside : {R"("train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto")", R"("train_batch_size": 8, "fp16": {"enabled": true, "no_such_key": 1})", R"("optimizer": 5)"}) {
            const std::string text = std::string("{") + beside + R"(, "zero_optimization": {"stage": 2, "cpu_offload": true, "reduce_bucket_size": "auto", "overlap_comm": "true"}})";
            const auto form = presentForm(readStrictJson(text).root, CheckContext());
            QVERIFY(form.hasValue());
            const auto zero = nlohmann::json::parse(toJson(form->config))["zero_optimization"];
            QCOMPARE(QString::fromStdString(zero.dump()), QStringLiteral(R"({"offload_optimizer":{"device":"cpu"},"overlap_comm":true,"reduce_bucket_size":"auto","stage":2})"));
        }
        // What is refused itself stays as it is.
        const std::string refused = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "cpu_offload": true, "no_such_key": 1}})";
        QCOMPARE(toJson(presentForm(readStrictJson(refused).root, CheckContext())->config), toJson(readStrictJson(refused).root));
    }
};

QTEST_APPLESS_MAIN(TstPresentForm)
#include "tst_present_form.moc"
