// SPDX-License-Identifier: GPL-3.0-or-later
// What a fix rests on: while ZeRO's stage, a device or one of two decay rates is itself to be mended, the fixes beside it take nothing out that it
// makes useful, and a fix holds the values that are written.
#include "patched_config.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>
#include <set>
#include <tuple>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

Json base() { return Json::parse(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})"); }

}  // namespace

class TstCheckFixOwners : public QObject {
    Q_OBJECT

private slots:
    void ofMisspeltOwnersKeepWhatTheyOwn();
    void ofBetas_data();
    void ofBetas();
    void ofValues_data();
    void ofValues();
    void ofZenflowThatAgrees();
    void ofFilesThatAreHandedOnRaw();
    void ofInputsThatAreCast();
};

void TstCheckFixOwners::ofMisspeltOwnersKeepWhatTheyOwn()
{
    // The stage or a device under another name, at another place or with a word in its place: no fix takes out what it makes useful, in any order.
    const Json zero = Json::parse(R"({"offload_param": {"device": "cpu", "pin_memory": true}, "offload_optimizer": {"device": "cpu", "buffer_count": 5, "nvme_path": "/x"},
        "stage3_max_live_parameters": 1234567, "overlap_comm": true, "round_robin_gradients": true})");
    std::vector<std::pair<std::string, Json>> files;
    for (const char* key : {"stage", "zero_stage", "Stage", "stages", "satge", "level", "zero3", "zero_optimization_stage"}) {
        for (const char* value : {"3", "\"3\"", "\"three\"", "\"auto\"", "2.5", "-3", "[3]"}) {
            for (const bool inside : {false, true}) {
                if (inside && std::string_view(key) == "stage" && std::string_view(value) == "3") {
                    continue;  // as it is meant
                }
                Json config = base();
                config["zero_optimization"] = zero;
                (inside ? config["zero_optimization"] : config)[key] = Json::parse(value);
                files.emplace_back(std::string(key) + " " + value + (inside ? " inside" : " outside"), config);
            }
        }
    }
    for (const char* device : {R"({"devise": "nvme"})", R"({"dev": "nvme"})", R"({"Device": "nvme"})", R"({"device": "ssd"})", R"({"device": "nmve"})", R"({"device": 1})", "{}"}) {
        Json config = base();
        config["zero_optimization"] = Json::parse(R"({"stage": 3})");
        for (const char* block : {"offload_optimizer", "offload_param"}) {
            Json& offload = config["zero_optimization"][block] = Json::parse(device);
            offload["nvme_path"] = "/x";
            offload["buffer_count"] = 6;
        }
        files.emplace_back(device, config);
    }
    const std::set<std::string> kept{"stage3_max_live_parameters", "overlap_comm", "round_robin_gradients", "offload_param", "offload_optimizer", "nvme_path", "buffer_count", "pin_memory"};
    for (const auto& [name, config] : files) {
        for (const bool backwards : {false, true}) {
            Json now = config;
            for (int step = 0; step < 12; ++step) {
                std::vector<Json> patches;
                for (const CheckFinding& finding : answerFor(now, {}).findings) {
                    if (!finding.fix.empty()) {
                        patches.push_back(Json::parse(finding.fix));
                    }
                }
                std::optional<Json> next;
                if (!patches.empty()) {
                    const Json& patch = backwards ? patches.back() : patches.front();
                    for (const Json& op : patch) {
                        const std::string path = op["path"];
                        QVERIFY2(op["op"] != "remove" || now["zero_optimization"].value("stage", Json(0)).is_number_unsigned() || kept.count(path.substr(path.rfind('/') + 1)) == 0, (name + ": " + patch.dump()).c_str());
                    }
                    next = patched(now, patch);
                }
                if (!next) {
                    break;
                }
                now = *next;
            }
            if (now["zero_optimization"].value("stage", Json(0)) == Json(3) && config["zero_optimization"].contains("stage3_max_live_parameters")) {
                for (const char* owned : {"stage3_max_live_parameters", "overlap_comm", "offload_param", "offload_optimizer"}) {
                    QVERIFY2(now["zero_optimization"].contains(owned), (name + " loses " + owned + ": " + now.dump()).c_str());
                }
            }
            for (const char* block : {"offload_optimizer", "offload_param"}) {
                const Json left = now["zero_optimization"].value(block, Json::object());
                const bool deviceFile = !config["zero_optimization"].contains("stage3_max_live_parameters");
                QVERIFY2(!deviceFile || (left.contains("nvme_path") && left.contains("buffer_count")), (name + " loses of " + block + ": " + now.dump()).c_str());
            }
        }
    }
}

void TstCheckFixOwners::ofBetas_data()
{
    QTest::addColumn<QString>("params");
    QTest::addColumn<QString>("betas");  // after the fix; "none" = no fix
    QTest::newRow("text") << R"({"betas": "0.9,0.95"})" << "[0.9,0.95]";
    QTest::newRow("brackets in text") << R"({"betas": "[0.9, 0.95]"})" << "[0.9,0.95]";
    QTest::newRow("a tuple in text") << R"x({"betas": "(0.9, 0.95)"})x" << "[0.9,0.95]";
    QTest::newRow("texts") << R"({"betas": ["0.9", "0.95"]})" << "[0.9,0.95]";
    QTest::newRow("one") << R"({"betas": 0.95})" << "none";
    QTest::newRow("three") << R"({"betas": [0.9, 0.95, 0.99]})" << "none";
    QTest::newRow("half a bracket") << R"({"betas": "["})" << "none";
    QTest::newRow("auto") << R"({"betas": "auto"})" << "[0.9,0.999]";
    QTest::newRow("each by itself") << R"({"beta1": 0.8, "beta2": 0.95})" << "[0.8,0.95]";
    QTest::newRow("other names") << R"({"adam_beta2": 0.95, "adam_beta1": 0.8})" << "[0.8,0.95]";
    QTest::newRow("one rate twice") << R"({"beta1": 0.8, "beta_1": 0.7})" << "none";
}

void TstCheckFixOwners::ofBetas()
{
    QFETCH(QString, params);
    QFETCH(QString, betas);
    Json config = base();
    config["optimizer"]["params"] = Json::parse(params.toStdString());
    int fixes = 0;
    for (const CheckFinding& finding : answerFor(config, {}).findings) {
        if (finding.fix.empty() || finding.rule != "R56") {
            continue;
        }
        ++fixes;
        const Json after = config.patch(Json::parse(finding.fix));
        QCOMPARE(QString::fromStdString(after["optimizer"]["params"].dump()), R"({"betas":)" + betas + "}");
    }
    QCOMPARE(fixes == 0, betas == "none");
}

void TstCheckFixOwners::ofValues_data()
{
    QTest::addColumn<QString>("section");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("after");  // the section after the fix; "none" = no fix
    const auto row = [](const char* name, const char* section, const char* pointer, const char* after) { QTest::newRow(name) << section << pointer << after; };
    row("an auto of no key", R"({"zero_optimization": {"stage": 3, "reduce_bucketsize": "auto"}})", "/zero_optimization/reduce_bucketsize", R"({"zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}})");
    row("an auto of no key near", R"({"zero_optimization": {"stage": 3, "garbage": "auto"}})", "/zero_optimization/garbage", "none");
    row("an auto of no key in bf16", R"({"bf16": {"enabled": true, "loss_scale": "auto"}})", "/bf16/loss_scale", "none");
    row("a tag validation that means one", R"({"checkpoint": {"tag_validation": "error"}})", "/checkpoint/tag_validation", R"({"checkpoint": {"tag_validation": "Fail"}})");
    row("a tag validation that may mean any", R"({"checkpoint": {"tag_validation": "maybe"}})", "/checkpoint/tag_validation", "none");
    row("sums of a type that is none", R"({"data_types": {"grad_accum_dtype": "fp8"}})", "/data_types/grad_accum_dtype", "none");
}

void TstCheckFixOwners::ofValues()
{
    QFETCH(QString, section);
    QFETCH(QString, pointer);
    QFETCH(QString, after);
    Json config = base();
    config.update(Json::parse(section.toStdString()));
    const CheckAnswer answer = answerFor(config, {});
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer.toStdString(); });
    QVERIFY(found != answer.findings.end());
    QCOMPARE(found->fix.empty(), after == "none");
    if (!found->fix.empty()) {
        Json expected = base();
        expected.update(Json::parse(after.toStdString()));
        QVERIFY(config.patch(Json::parse(found->fix)) == expected);
    }
}

void TstCheckFixOwners::ofZenflowThatAgrees()
{
    // The update interval takes the accumulation's place: told where the two differ, and only there.
    for (const int steps : {2, 4}) {
        Json config = base();
        config["gradient_accumulation_steps"] = steps;
        config["zero_optimization"] = Json::parse(R"({"stage": 2, "overlap_comm": true, "offload_optimizer": {"device": "cpu"}, "zenflow": {"select_strategy": "step", "select_interval": 8, "update_interval": 4}})");
        const CheckAnswer answer = answerFor(config, {});
        QCOMPARE(std::count_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return f.pointer == "/gradient_accumulation_steps"; }), steps == 4 ? 0 : 1);
        QCOMPARE(answer.changed.empty(), steps == 4);
    }
}

void TstCheckFixOwners::ofFilesThatAreHandedOnRaw()
{
    // What "aio" holds reaches a C++ class as it is read (hjson makes whole floats integers): refused where that class is made, of no account elsewhere.
    const std::vector<std::tuple<std::string, Json, std::string>> rows{{"block_size", "1M", ""}, {"block_size", 1048576.0, "fine"}, {"block_size", "1048576", "1048576"}, {"queue_depth", 8.5, ""},
        {"intra_op_parallelism", 4294967296, ""}, {"overlap_events", "true", "true"}, {"single_submit", "no", "false"}, {"block_size", 262144, "fine"}, {"overlap_events", 1, "fine"}};
    for (const auto& [key, value, after] : rows) {
        for (const bool nvme : {true, false}) {
            Json config = base();
            config["zero_optimization"] = Json::parse(nvme ? R"({"stage": 3, "offload_param": {"device": "nvme", "nvme_path": "/x"}})" : R"({"stage": 3})");
            config["aio"][key] = value;
            const CheckAnswer answer = answerFor(config, {});
            const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == "/aio/" + key && f.severity == CheckSeverity::Error; });
            QVERIFY2((found != answer.findings.end()) == (nvme && after != "fine"), (key + " " + value.dump()).c_str());
            if (found != answer.findings.end()) {
                QCOMPARE(found->fix.empty(), after.empty());
                QVERIFY(found->fix.empty() || Json::parse(found->fix)[0]["value"] == Json::parse(after));
            }
            QVERIFY2(answer.changed.empty(), (key + " " + value.dump()).c_str());
        }
    }
}

void TstCheckFixOwners::ofInputsThatAreCast()
{
    // 0.18 and later cast with fp16 off too; before, and with fp16 on, there is nothing to say.
    for (const auto& [release, enabled, told] : {std::tuple{"0.19.8", false, true}, std::tuple{"0.18.9", false, true}, std::tuple{"0.16.9", false, false}, std::tuple{"0.19.8", true, false}}) {
        Json config = base();
        config["fp16"] = {{"enabled", enabled}, {"auto_cast", true}};
        CheckContext context;
        context.release = release;
        const CheckAnswer answer = answerFor(config, context);
        const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return f.pointer == "/fp16/auto_cast"; });
        QVERIFY2((found != answer.findings.end()) == told, release);
        QVERIFY(answer.ok && (!told || (found->severity == CheckSeverity::Warning && !found->safe)));
    }
}

QTEST_APPLESS_MAIN(TstCheckFixOwners)
#include "tst_check_fix_owners.moc"
