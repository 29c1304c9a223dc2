// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/wizard.h"

#include "config/check.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <random>

using namespace stagecraft;
using Json = nlohmann::json;

namespace {

const Json kWorkspace = Json::parse(R"({
  "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100"},
  "layout": {"dp": 4},
  "launch": {"backend": "local"},
  "dsConfig": {
    "train_batch_size": 64,
    "train_micro_batch_size_per_gpu": 2,
    "gradient_accumulation_steps": 8,
    "gradient_clipping": 1.0,
    "bf16": {"enabled": true},
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
    "zero_optimization": {"stage": 2, "overlap_comm": true}
  }
})");

QStringList ids(const std::vector<WizardQuestion>& questions)
{
    QStringList all;
    for (const WizardQuestion& question : questions)
        all << QString::fromStdString(question.id);
    return all;
}

Json applied(const Json& workspace, const WizardAnswers& answers) { return workspace.patch(wizardPatch(workspace, answers)); }

}  // namespace

class TstWizard : public QObject {
    Q_OBJECT
private slots:
    void everyQuestionIsCompleteInBothLanguages();
    void answersAreReadFromTheWorkspace();
    void nothingAnsweredChangesNothing();
    void numbersWithoutEndAreAnswered();
    void repeatingWhatIsThereChangesNothing();
    void patches_data();
    void patches();
    void whatActsIsShownAndSwitchedOff_data();
    void whatActsIsShownAndSwitchedOff();
    void questionsFollowTheAnswers();
    void wrongAnswersAreNotUsed();
    void notesSayWhatNoFileCan();
    void autoIsLeftToTheTrainer();
    void anyAnswersGiveAPatchThatApplies();
};

void TstWizard::everyQuestionIsCompleteInBothLanguages()
{
    QCOMPARE(wizardQuestions().size(), std::size_t{16});
    for (const WizardQuestion& question : wizardQuestions()) {
        QVERIFY2(!question.title.en.empty() && !question.title.zh.empty() && !question.why.en.empty() && !question.why.zh.empty(), question.id.c_str());
        QVERIFY2(isAnswer(question, question.byDefault), question.id.c_str());
        QCOMPARE(question.options.empty(), question.kind != WizardKind::Choice);
        if (question.pointer.starts_with("/dsConfig")) {
            const CatalogKey& key = KeyCatalog::standard().key(KeyCatalog::standard().find(question.pointer.substr(9)));
            QCOMPARE(QString::fromStdString(key.pointer), QString::fromStdString(question.pointer.substr(9)));
        }
    }
}

void TstWizard::answersAreReadFromTheWorkspace()
{
    const WizardAnswers answers = answersOf(kWorkspace);
    QCOMPARE(answers.at("machines"), std::string("1"));
    QCOMPARE(answers.at("processes"), std::string("4"));
    QCOMPARE(answers.at("precision"), std::string("\"bf16\""));
    QCOMPARE(answers.at("stage"), std::string("2"));
    QCOMPARE(answers.at("offload_optimizer"), std::string("\"none\""));
    QCOMPARE(answers.at("accumulation"), std::string("8"));
    QCOMPARE(answers.at("clipping"), std::string("1.0"));
    Json automatic = kWorkspace;
    automatic["dsConfig"]["gradient_accumulation_steps"] = "auto";
    QVERIFY(answersOf(automatic).count("accumulation") == 0);
    automatic["dsConfig"]["bf16"] = {{"enabled", "auto"}};
    automatic["dsConfig"].erase("fp16");
    QCOMPARE(answersOf(automatic).at("precision"), std::string("\"auto\""));
}

void TstWizard::nothingAnsweredChangesNothing()
{
    QCOMPARE(wizardPatch(kWorkspace, {}), Json::array());
    QCOMPARE(wizardPatch(Json::object(), {}), Json::array());
}

/// Any file can be open when the wizard is asked: products of its numbers may not end in a division by 0.
void TstWizard::numbersWithoutEndAreAnswered()
{
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 32, kHuge}) {
        Json workspace = kWorkspace;
        for (const char* key : {"tp", "pp", "cp"}) workspace["layout"][key] = number;
        for (const char* key : {"nodes", "devicesPerNode"}) workspace["hardware"][key] = number;
        for (const char* key : {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"}) workspace["dsConfig"][key] = number;
        QVERIFY(wizardPatch(workspace, {{"machines", "3"}, {"processes", "5"}, {"accumulation", "7"}}).is_array());
        workspace["dsConfig"].erase("train_micro_batch_size_per_gpu");
        const Json patch = wizardPatch(workspace, {{"accumulation", "7"}});
        for (const Json& change : patch) QVERIFY2(!change["value"].is_number() || change["value"] > 0, change.dump().c_str());
    }
}

void TstWizard::repeatingWhatIsThereChangesNothing()
{
    QCOMPARE(wizardPatch(kWorkspace, answersOf(kWorkspace)).dump(), std::string("[]"));
    QCOMPARE(wizardPatch(Json::object(), answersOf(Json::object())).dump(), std::string("[]"));
}

void TstWizard::patches_data()
{
    QTest::addColumn<QString>("answers");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("expected");
    QTest::newRow("the stage alone") << R"({"stage": 1})" << "/dsConfig/zero_optimization" << R"({"stage": 1, "overlap_comm": true})";
    QTest::newRow("fp16 switches bf16 off") << R"({"precision": "fp16"})" << "/dsConfig/bf16/enabled" << "false";
    QTest::newRow("fp16 makes its section") << R"({"precision": "fp16"})" << "/dsConfig/fp16" << R"({"enabled": true})";
    QTest::newRow("fp32 adds nothing") << R"({"precision": "no"})" << "/dsConfig/fp16" << "";
    QTest::newRow("ranks follow the devices") << R"({"machines": 2, "processes": 8, "launcher": "deepspeed"})" << "/layout/dp" << "16";
    QTest::newRow("the batch follows the ranks") << R"({"machines": 2, "processes": 8})" << "/dsConfig/train_batch_size" << "256";
    QTest::newRow("the batch follows the accumulation") << R"({"accumulation": 1})" << "/dsConfig/train_batch_size" << "8";
    QTest::newRow("offload to the host is pinned") << R"({"offload_optimizer": "cpu"})" << "/dsConfig/zero_optimization/offload_optimizer" << R"({"device": "cpu", "pin_memory": true})";
    QTest::newRow("NVMe brings its path") << R"({"stage": 3, "offload_param": "nvme", "nvme_path": "/data"})" << "/dsConfig/zero_optimization/offload_param/nvme_path" << "\"/data\"";
    QTest::newRow("NVMe without a path takes the usual one") << R"({"stage": 3, "offload_param": "nvme"})" << "/dsConfig/zero_optimization/offload_param/nvme_path" << "\"/local_nvme\"";
    QTest::newRow("NVMe is not offered at stage 2") << R"({"offload_optimizer": "nvme"})" << "/dsConfig/zero_optimization/offload_optimizer" << "";
    QTest::newRow("no clipping is written: a missing key clips at 1.0") << R"({"clipping": 0})" << "/dsConfig/gradient_clipping" << "0";
    QTest::newRow("16-bit weights at stage 3") << R"({"stage": 3, "save_16bit": true})" << "/dsConfig/zero_optimization/stage3_gather_16bit_weights_on_model_save" << "true";
    QTest::newRow("16-bit weights are not asked at stage 2") << R"({"save_16bit": true})" << "/dsConfig/zero_optimization/stage3_gather_16bit_weights_on_model_save" << "";
    QTest::newRow("experts name their family") << R"({"moe": true, "expert_ranks": 4})" << "/dsConfig/expert_parallel" << R"({"enabled": true, "autoep_size": 4, "preset_model": "mixtral"})";
}

void TstWizard::patches()
{
    QFETCH(QString, answers);
    QFETCH(QString, pointer);
    QFETCH(QString, expected);
    WizardAnswers given;
    const Json parsed = Json::parse(answers.toStdString());
    for (const auto& [id, value] : parsed.items())
        given[id] = value.dump();
    const Json after = applied(kWorkspace, given);
    const Json::json_pointer at(pointer.toStdString());
    if (expected.isEmpty())
        QVERIFY(!after.contains(at));
    else
        QCOMPARE(after.at(at).dump(), Json::parse(expected.toStdString()).dump());
}

void TstWizard::whatActsIsShownAndSwitchedOff_data()
{
    QTest::addColumn<QString>("dsConfig");
    QTest::addColumn<QString>("question");
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("after");  // of the whole ds_config
    QTest::newRow("a missing clipping key clips at 1") << "{}" << "clipping" << "1.0" << "0" << R"({"gradient_clipping": 0})";
    QTest::newRow("clipping as it acts needs no line") << "{}" << "clipping" << "1.0" << "1" << "{}";
    QTest::newRow("accumulation that follows from the batch") << R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4})" << "accumulation" << "2" << "1"
        << R"({"train_batch_size": 16, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1})";
    QTest::newRow("a batch that an open accumulation makes up for") << R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2})" << "processes" << "4" << "8"
        << R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2})";
    QTest::newRow("a batch that more ranks do not divide") << R"({"train_batch_size": 24, "train_micro_batch_size_per_gpu": 6})" << "processes" << "4" << "8"
        << R"({"train_batch_size": 48, "train_micro_batch_size_per_gpu": 6})";
    QTest::newRow("the short form of ZeRO is stage 1") << R"({"zero_optimization": true})" << "stage" << "1" << "0" << R"({"zero_optimization": {"stage": 0}})";
    QTest::newRow("bf16 by its old name") << R"({"bfloat16": {"enabled": true}})" << "precision" << "\"bf16\"" << "\"no\"" << R"({"bfloat16": {"enabled": false}})";
    QTest::newRow("bf16 by its old name is kept") << R"({"bfloat16": {"enabled": true}})" << "precision" << "\"bf16\"" << "\"bf16\"" << R"({"bfloat16": {"enabled": true}})";
    QTest::newRow("the old switch of offload") << R"({"zero_optimization": {"stage": 2, "cpu_offload": true}})" << "offload_optimizer" << "\"cpu\"" << "\"none\"" << R"({"zero_optimization": {"stage": 2}})";
    QTest::newRow("the old switch of offload is kept") << R"({"zero_optimization": {"stage": 2, "cpu_offload": true}})" << "offload_optimizer" << "\"cpu\"" << "\"cpu\"" << R"({"zero_optimization": {"stage": 2, "cpu_offload": true}})";
    QTest::newRow("NVMe below stage 3 acts as host memory") << R"({"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "nvme", "nvme_path": "/x"}}})" << "offload_optimizer" << "\"cpu\"" << "\"none\"" << R"({"zero_optimization": {"stage": 2}})";
    QTest::newRow("NVMe follows the stage down") << R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "/x", "pin_memory": true}}})" << "offload_optimizer" << "\"nvme\"" << "@stage 2"
        << R"({"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu", "pin_memory": true}}})";
    QTest::newRow("whole weights by the oldest name") << R"({"zero_optimization": {"stage": 3, "stage3_gather_fp16_weights_on_model_save": true}})" << "save_16bit" << "true" << "false" << R"({"zero_optimization": {"stage": 3}})";
    QTest::newRow("a family of experts is written though it was shown") << R"({"expert_parallel": {"enabled": true}})" << "expert_model" << "\"mixtral\"" << "\"mixtral\""
        << R"({"expert_parallel": {"enabled": true, "preset_model": "mixtral"}})";
}

void TstWizard::whatActsIsShownAndSwitchedOff()
{
    QFETCH(QString, dsConfig);
    QFETCH(QString, question);
    QFETCH(QString, shown);
    QFETCH(QString, answer);
    QFETCH(QString, after);
    Json workspace = kWorkspace;
    workspace["dsConfig"] = Json::parse(dsConfig.toStdString());
    QCOMPARE(QString::fromStdString(answersOf(workspace).at(question.toStdString())), shown);
    const bool stage = answer.startsWith(QLatin1String("@stage "));
    const WizardAnswers given{{stage ? std::string("stage") : question.toStdString(), stage ? answer.mid(7).toStdString() : answer.toStdString()}};
    QCOMPARE(applied(workspace, given)["dsConfig"].dump(), Json::parse(after.toStdString()).dump());
}

void TstWizard::questionsFollowTheAnswers()
{
    QStringList asked = ids(openQuestions(kWorkspace, {}));
    QVERIFY(asked.contains("offload_optimizer") && !asked.contains("offload_param") && !asked.contains("nvme_path") && !asked.contains("save_16bit"));
    asked = ids(openQuestions(kWorkspace, {{"stage", "3"}, {"offload_optimizer", "\"nvme\""}}));
    QVERIFY(asked.contains("offload_param") && asked.contains("nvme_path") && asked.contains("zero_init"));
    QVERIFY(asked.indexOf("nvme_path") > asked.indexOf("offload_param"));
    // An offload to NVMe that a lower stage takes for one to host memory acts at stage 3, and needs its path there.
    Json kept = kWorkspace;
    kept["dsConfig"]["zero_optimization"] = {{"stage", 2}, {"offload_optimizer", {{"device", "nvme"}}}};
    QVERIFY(!ids(openQuestions(kept, {})).contains("nvme_path"));
    QVERIFY(ids(openQuestions(kept, {{"stage", "3"}})).contains("nvme_path"));
    QVERIFY(!ids(openQuestions(kept, {{"stage", "3"}, {"offload_optimizer", "\"cpu\""}})).contains("nvme_path"));
    // Going back to a lower stage closes what depended on it, though it was answered.
    const WizardAnswers back{{"stage", "0"}, {"offload_optimizer", "\"nvme\""}};
    asked = ids(openQuestions(kWorkspace, back));
    QVERIFY(!asked.contains("offload_optimizer") && !asked.contains("nvme_path"));
    QVERIFY(!applied(kWorkspace, back)["dsConfig"]["zero_optimization"].contains("offload_optimizer"));
    QVERIFY(ids(openQuestions(kWorkspace, {{"moe", "true"}})).contains("expert_model"));
    for (const WizardQuestion& question : openQuestions(kWorkspace, {{"machines", "2"}}))
        if (question.id == "launcher")
            QVERIFY(std::none_of(question.options.begin(), question.options.end(), [](const WizardOption& option) { return option.json == "\"local\""; }));
}

void TstWizard::wrongAnswersAreNotUsed()
{
    for (const char* wrong : {"4", "-1", "\"two\"", "2.5", "null", "{", ""})
        QCOMPARE(wizardPatch(kWorkspace, {{"stage", wrong}}), Json::array());
    QCOMPARE(wizardPatch(kWorkspace, {{"no such question", "1"}}), Json::array());
    QCOMPARE(wizardPatch(kWorkspace, {{"machines", "0"}, {"accumulation", "1.5"}, {"clipping", "-1"}}), Json::array());
}

void TstWizard::notesSayWhatNoFileCan()
{
    QVERIFY(wizardNotes(kWorkspace, {}, "en").empty());
    const WizardAnswers answers{{"machines", "2"}, {"launcher", "\"deepspeed\""}, {"stage", "3"}, {"zero_init", "true"}};
    const auto notes = wizardNotes(kWorkspace, answers, "en");
    QCOMPARE(notes.size(), std::size_t{2});
    QVERIFY(notes[0].find("slots=4") != std::string::npos && notes[0].find("2 lines") != std::string::npos && notes[0].find("deepspeed") != std::string::npos);
    QVERIFY(notes[1].find("zero.Init") != std::string::npos);
    QCOMPARE(wizardNotes(kWorkspace, answers, "zh").size(), std::size_t{2});
}

void TstWizard::anyAnswersGiveAPatchThatApplies()
{
    std::mt19937 random(20260101);
    const std::vector<Json> starts{kWorkspace, Json::object(), Json{{"dsConfig", {{"zero_optimization", true}, {"bf16", 3}}}},
                                   Json{{"dsConfig", {{"train_batch_size", "auto"}, {"zero_optimization", {{"stage", 3}, {"offload_param", {{"device", "nvme"}}}}}}}}};
    for (int round = 0; round < 400; ++round) {
        const Json& start = starts[random() % starts.size()];
        WizardAnswers answers;
        for (int step = 0; step < 20; ++step) {
            const auto open = openQuestions(start, answers);
            const WizardQuestion& question = open[random() % open.size()];
            if (question.kind == WizardKind::Choice)
                answers[question.id] = question.options[random() % question.options.size()].json;
            else
                answers[question.id] = question.kind == WizardKind::Path ? "\"/nvme\"" : std::to_string(1 + random() % 8);
        }
        const Json after = applied(start, answers);
        // What was answered is what the workspace says, and asking again changes nothing.
        const WizardAnswers now = answersOf(after);
        for (const WizardQuestion& question : openQuestions(start, answers))
            if (answers.count(question.id) > 0 && question.id != "zero_init")
                if (isAnswer(question, answers.at(question.id)))
                    QVERIFY2(Json::parse(now.at(question.id)) == Json::parse(answers.at(question.id)), (question.id + ": " + after.dump()).c_str());
        QCOMPARE(wizardPatch(after, answers).dump(), std::string("[]"));
    }
}

void TstWizard::autoIsLeftToTheTrainer()
{
    const auto optionsOf = [](const Json& workspace, const std::string& id) {
        QStringList options;
        for (const WizardQuestion& question : openQuestions(workspace, {}))
            for (const WizardOption& option : question.options)
                if (question.id == id)
                    options << QString::fromStdString(option.json) + QLatin1Char(' ') + QString::fromStdString(option.title.en);
        return options;
    };
    Json workspace{{"launch", {{"launcher", "transformers"}}}, {"dsConfig", {{"bf16", {{"enabled", "auto"}}}, {"gradient_clipping", "auto"}, {"zero_optimization", {{"stage", 2}}}}}};
    QCOMPARE(optionsOf(workspace, "precision").size(), 4);
    QCOMPARE(optionsOf(workspace, "precision").back(), QStringLiteral("\"auto\" auto: the Trainer decides"));
    QCOMPARE(optionsOf(workspace, "stage").size(), 4);
    // What is left open stays so, whoever answers nothing, and whoever answers just that.
    QCOMPARE(wizardPatch(workspace, answersOf(workspace)).dump(), std::string("[]"));
    QCOMPARE(wizardPatch(workspace, {{"precision", "\"auto\""}}).dump(), std::string("[]"));
    QCOMPARE(workspace.patch(wizardPatch(workspace, {{"precision", "\"bf16\""}}))["dsConfig"]["bf16"]["enabled"], Json(true));
    QVERIFY(wizardPatch(workspace, {{"machines", "2"}}).dump().find("dsConfig") == std::string::npos);
    // Under the Trainer it can be left open, in both sections: which of them it becomes its arguments say.
    workspace["dsConfig"]["bf16"]["enabled"] = true;
    const Json open = workspace.patch(wizardPatch(workspace, {{"precision", "\"auto\""}}))["dsConfig"];
    QVERIFY(open["bf16"]["enabled"] == "auto" && open["fp16"]["enabled"] == "auto");
    // accelerate is named; where nobody is known only what is open already is offered so.
    workspace["launch"]["launcher"] = "accelerate";
    QVERIFY(optionsOf(workspace, "precision").back().contains(QStringLiteral("accelerate")));
    workspace.erase("launch");
    QCOMPARE(optionsOf(workspace, "precision").size(), 3);
    // Who that is can be answered here.
    const auto filled = openQuestions(workspace, {{"filler", "\"transformers\""}});
    const auto precision = std::find_if(filled.begin(), filled.end(), [](const WizardQuestion& question) { return question.id == "precision"; });
    QCOMPARE(QString::fromStdString(precision->options.back().title.en), QStringLiteral("auto: the Trainer decides"));
    const Json left = workspace.patch(wizardPatch(workspace, {{"filler", "\"transformers\""}, {"precision", "\"auto\""}}));
    QVERIFY2(left["launch"]["launcher"] == "transformers" && left["dsConfig"]["bf16"]["enabled"] == "auto", left.dump().c_str());
    QVERIFY(wizardPatch(workspace, {{"precision", "\"auto\""}}).empty());
    QCOMPARE(answersOf(left).at("filler"), std::string("\"transformers\""));
    QVERIFY(wizardPatch(workspace, {{"filler", "\"deepspeed\""}}).empty());
    QVERIFY(left.patch(wizardPatch(left, {{"filler", "\"deepspeed\""}}))["launch"]["launcher"] == "deepspeed");
    workspace["dsConfig"]["zero_optimization"]["stage"] = "auto";
    QCOMPARE(optionsOf(workspace, "stage").size(), 5);
    QCOMPARE(wizardPatch(workspace, answersOf(workspace)).dump(), std::string("[]"));
    QCOMPARE(wizardPatch(workspace, {{"stage", "\"auto\""}}).dump(), std::string("[]"));
}

QTEST_APPLESS_MAIN(TstWizard)
#include "tst_wizard.moc"
