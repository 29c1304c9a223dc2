// SPDX-License-Identifier: GPL-3.0-or-later
// What the check says where nobody told it of the surroundings: ranks that are only assumed, words round the config, and refusals among
// more findings than an answer holds.
#include "config/check.h"
#include "config/text_around.h"

#include <QTest>

#include <algorithm>
#include <ctime>

using namespace stagecraft;

namespace {

CheckAnswer answerFor(const std::string& text, const CheckContext& context = {})
{
    auto answer = checkConfig(text, context);
    Q_ASSERT(answer.hasValue());
    return *answer;
}

const CheckFinding* findingOf(const CheckAnswer& answer, const std::string& rule)
{
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.rule == rule; });
    return found == answer.findings.end() ? nullptr : &*found;
}

}  // namespace

class TstCheckSurroundings : public QObject {
    Q_OBJECT
private slots:
    void sequencesNeedRanks();
    void assumedRanksAreSaidToBe_data();
    void assumedRanksAreSaidToBe();
    void aGroupLargerThanTheRanksStaysAsParsed();
    void batchesForOtherRanksLoseNoNumber();
    void wordsRoundTheConfigAreNamed_data();
    void wordsRoundTheConfigAreNamed();
    void whatIsWrongInsideIsToldBesideWhatStandsRound_data();
    void whatIsWrongInsideIsToldBesideWhatStandsRound();
    void oneLineTakenAsTextIsNoConfig();
    void hostileTextsCostOnePass();
    void severalConfigsAreSaidToBe_data();
    void severalConfigsAreSaidToBe();
    void whatMayBePartOfTheConfigIsNotTakenOff_data();
    void whatMayBePartOfTheConfigIsNotTakenOff();
    void theReaderThatStopsIsNamed_data();
    void theReaderThatStopsIsNamed();
    void refusalFindsRoomAmongAllFindings();
    void aConfigInsideAnotherObjectIsNamed_data();
    void aConfigInsideAnotherObjectIsNamed();
    void sectionsAreNoConfigsInsideAnother_data();
    void sectionsAreNoConfigsInsideAnother();
    void aWordBeforeTheBraceIsNoKey_data();
    void aWordBeforeTheBraceIsNoKey();
    void unknownStepsOfTheTrainingAreTold();
    void whatFillsAnAutoIsNamed();
};

void TstCheckSurroundings::sequencesNeedRanks()
{
    const std::string config = R"({"train_micro_batch_size_per_gpu": 1, "sequence_parallel_size": 2})";
    const CheckAnswer assumed = answerFor(config);
    const CheckFinding* finding = findingOf(assumed, "R9");
    QVERIFY(finding && finding->fix.empty());
    QVERIFY2(finding->message.find("1 (assumed)") != std::string::npos, finding->message.c_str());
    CheckContext context;
    context.world = 3;
    context.ranks = 3;
    QVERIFY(findingOf(answerFor(config, context), "R9"));
    context.world = context.ranks.emplace(4);
    QVERIFY(!findingOf(answerFor(config, context), "R9"));
}

void TstCheckSurroundings::assumedRanksAreSaidToBe_data()
{
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("rule");
    const QString optimizer = QStringLiteral(R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16": {"enabled": true}, )");
    QTest::newRow("hpZ of a node of 8") << "{\"train_micro_batch_size_per_gpu\": 1, " + optimizer + R"("zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}})" << "R37";
    QTest::newRow("MiCS among 8") << "{\"train_micro_batch_size_per_gpu\": 1, " + optimizer + R"("zero_optimization": {"stage": 3, "mics_shard_size": 8}})" << "R37";
    QTest::newRow("tensor parallel by 4") << "{\"train_micro_batch_size_per_gpu\": 1, " + optimizer + R"("zero_optimization": {"stage": 1}, "tensor_parallel": {"autotp_size": 4}})" << "R66";
    QTest::newRow("all three batch sizes, for 8 ranks") << "{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 2, " + optimizer + "\"zero_optimization\": {\"stage\": 1}}" << "R7";
}

void TstCheckSurroundings::assumedRanksAreSaidToBe()
{
    QFETCH(QString, config);
    QFETCH(QString, rule);
    CheckContext context;
    context.release = "0.19.6";   // the newest has no MiCS
    const CheckAnswer assumed = answerFor(config.toStdString(), context);
    const CheckFinding* finding = findingOf(assumed, rule.toStdString());
    QVERIFY(finding);
    QVERIFY2(finding->message.find("1 (assumed)") != std::string::npos, finding->message.c_str());
    QVERIFY2(finding->fix.find("\"value\"") == std::string::npos, finding->fix.c_str());
    // The verdict is DeepSpeed's for one rank, whether that is told or assumed.
    context.ranks = 1;
    const CheckAnswer told = answerFor(config.toStdString(), context);
    QCOMPARE(assumed.ok, told.ok);
    QCOMPARE(assumed.changed.size(), told.changed.size());
    QVERIFY2(findingOf(told, rule.toStdString())->message.find("assumed") == std::string::npos, "told ranks are not assumed");
    context.world = 8;
    context.ranks = 8;
    QVERIFY(!findingOf(answerFor(config.toStdString(), context), rule.toStdString()));
}

void TstCheckSurroundings::aGroupLargerThanTheRanksStaysAsParsed()
{
    // The groups are made of the ranks there are; what the config holds is the number that is written.
    const std::string head = R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "zero_hpz_partition_size": )";
    const CheckAnswer number = answerFor(head + "8}}"), text = answerFor(head + "\"8\"}}");
    QVERIFY(findingOf(number, "R37") && findingOf(text, "R37"));
    QVERIFY(number.changed.empty());
    QCOMPARE(text.changed.size(), std::size_t{1});
    QCOMPARE(text.changed.front().json, std::string("8"));
}

void TstCheckSurroundings::batchesForOtherRanksLoseNoNumber()
{
    const CheckAnswer answer = answerFor(R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2})");
    const CheckFinding* finding = findingOf(answer, "R7");
    QVERIFY(finding);
    QVERIFY2(finding->message.find("agree for a rank count of 8") != std::string::npos, finding->message.c_str());
    // The one that follows from the others for any number of ranks goes.
    QVERIFY2(finding->fix.find("remove") != std::string::npos && finding->fix.find("/gradient_accumulation_steps") != std::string::npos, finding->fix.c_str());
}

void TstCheckSurroundings::wordsRoundTheConfigAreNamed_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("found");
    const QString config = QStringLiteral("{\n  \"train_micro_batch_size_per_gpu\": 4\n}");
    QTest::newRow("a chat's answer") << "Here is my config:\n\n```json\n" + config + "\n```\nRun it with deepspeed.\n" << 1 << "Here is my config:";
    QTest::newRow("a fence alone") << "```json\n" + config + "\n```\n" << 1 << "```json";
    QTest::newRow("words behind") << config + "\n\nThat is all.\n" << 5 << "That is all.";
    QTest::newRow("a sentence without a fence") << "Here is my config:\n" + config << 1 << "Here is my config:";
    QTest::newRow("a script's assignment") << "ds_config = " + config << 1 << "ds_config =";
    QTest::newRow("a command with braces of its own") << config + "\n```\nNCCL_DEBUG=${LEVEL} deepspeed --include localhost:{0,1} train.py\n" << 4 << "```";
    QTest::newRow("a placeholder in the sentence before") << "Put your {batch} here:\n" + config << 1 << "Put your {batch} here:";
    QTest::newRow("a readable phrase in the sentence before its fence") << "Use this {stage: 3} config:\n```json\n" + config + "\n```\n" << 1 << "Use this {stage: 3} config:";
    QTest::newRow("a readable phrase in the sentence before") << "Use this {stage: 3} config:\n" + config << 1 << "Use this {stage: 3} config:";
    QTest::newRow("a brace that is never closed before its fence") << "Start with a {\n```\n" + config + "\n```\n" << 1 << "Start with a {";
    QTest::newRow("a fence of a command as well") << "```sh\nexport A=${B}\n```\n```json\n" + config + "\n```" << 1 << "```sh";
    QTest::newRow("Chinese, behind blank lines") << QStringLiteral("\n\n配置如下：\n") + config << 3 << QStringLiteral("配置如下：");
}

void TstCheckSurroundings::wordsRoundTheConfigAreNamed()
{
    QFETCH(QString, text);
    QFETCH(int, line);
    QFETCH(QString, found);
    const CheckAnswer answer = answerFor(text.toStdString());
    QVERIFY(!answer.ok && answer.findings.size() == 2);   // and R31: nobody gives an optimizer
    const CheckFinding& finding = answer.findings.front();
    QCOMPARE(QString::fromStdString(finding.rule), QStringLiteral("text.around"));
    QCOMPARE(finding.line, line);
    QCOMPARE(finding.column, 1);
    QVERIFY2(QString::fromStdString(finding.message).contains(found), finding.message.c_str());
    const std::string bytes = text.toStdString();
    const auto around = textAround(bytes);
    QVERIFY(around);
    QCOMPARE(around->configs.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(bytes.substr(around->configs.front().begin, around->configs.front().size())), QStringLiteral("{\n  \"train_micro_batch_size_per_gpu\": 4\n}"));
}

void TstCheckSurroundings::whatIsWrongInsideIsToldBesideWhatStandsRound_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("inside");   // rule of the finding inside, in line 3; none where it is empty
    const QString config = QStringLiteral("{\"bf16\": {\n\"enabled\": %1\n},\n\"train_batch_size\": 8}");
    const QString fence = QStringLiteral("```json\n%1\n```\n"), words = QStringLiteral("ds_config = %1");
    QTest::newRow("Python's True on a line in a fence") << fence.arg("{\"bf16\": {\n\"enabled\": True}}") << "text.swallowed";
    QTest::newRow("curly quotes in a fence") << fence.arg(config.arg(QStringLiteral("true")).replace(QStringLiteral("\"enabled\""), QStringLiteral("\u201cenabled\u201d"))) << "R11";
    QTest::newRow("a comma at the end, in a fence") << fence.arg(config.arg(QStringLiteral("true,"))) << "R2";
    QTest::newRow("a comma too many, in a sentence") << QStringLiteral("Take this one, it's good:\n%1\nDon't forget.").arg("{\"train_batch_size\": 8,\n,\"bf16\": {}}") << "text.comma";
    QTest::newRow("a placeholder in an assignment") << QStringLiteral("import os\n") + words.arg("{\"train_batch_size\": 8,\n{{ more }}}") << "text.placeholder";
    QTest::newRow("a brace too many behind") << QStringLiteral("Here it is, all of it:\n") + QStringLiteral("{\"train_batch_size\": 8\n}}") << "text.extra";
    QTest::newRow("a shell's document") << QStringLiteral("cat <<EOF > ds.json\n{\"train_batch_size\": 8,\n\"bf16\": {\"enabled\": ]}\n}\nEOF\n") << "text.syntax";
    QTest::newRow("a value refused") << QStringLiteral("```\n{\n\"train_batch_size\": -8}\n```") << "R6";
    QTest::newRow("no braces of its own") << QStringLiteral("```json\n\n\"train_batch_size\": -8\n```") << "R6";
    QTest::newRow("nothing wrong") << QStringLiteral("```\n{\n\"train_batch_size\": 8, \"optimizer\": {\"type\": \"AdamW\"}}\n```") << "";
}

void TstCheckSurroundings::whatIsWrongInsideIsToldBesideWhatStandsRound()
{
    QFETCH(QString, text);
    QFETCH(QString, inside);
    const CheckAnswer answer = answerFor(text.toStdString());
    QVERIFY(!answer.ok && !answer.parseOk && !answer.resolved && answer.level == CheckLevel::Load && answer.ignored.empty());
    QVERIFY(!answer.findings.empty());
    QCOMPARE(QString::fromStdString(answer.findings.front().rule), QStringLiteral("text.around"));
    QCOMPARE(answer.findings.front().line, 1);
    QVERIFY(std::all_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& each) { return each.fix.empty(); }));
    if (inside.isEmpty()) {
        QCOMPARE(answer.findings.size(), std::size_t{1});
        return;
    }
    const CheckFinding* finding = findingOf(answer, inside.toStdString());
    QVERIFY2(finding, answer.findings.back().rule.c_str());
    QCOMPARE(finding->line, inside == "R2" ? 4 : 3);
}

void TstCheckSurroundings::oneLineTakenAsTextIsNoConfig()
{
    for (const char* text : {R"(deepspeed --deepspeed_config '{"train_batch_size": 8}' train.py)", "\u201cHere\u201d is your config\uff1a{\u201ctrain_batch_size\u201d: 8}"}) {
        const CheckAnswer answer = answerFor(text);
        QVERIFY(answer.level == CheckLevel::Parse);
        const CheckFinding* finding = findingOf(answer, "text.around");
        QVERIFY2(finding && finding->severity == CheckSeverity::Warning, text);
        QVERIFY(!findingOf(answer, "text.bare") && findingOf(answer, "R3"));
    }
}

void TstCheckSurroundings::hostileTextsCostOnePass()
{
    for (const char* piece : {"{", "{}", "x {\n", "/*", "```\n{", "{:", "\x27\x27\x27{"}) {
        std::string text = "words\n";
        while (text.size() < 1'000'000)
            text += piece;
        const std::clock_t start = std::clock();   // of this process: a busy machine is no reason
        (void)textAround(text);
        QVERIFY2(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 2, piece);
    }
}

void TstCheckSurroundings::severalConfigsAreSaidToBe_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("lines");
    const QString three = QStringLiteral("{\n  \"zero_optimization\": {\"stage\": 3}\n}"), two = QStringLiteral("{\n  \"zero_optimization\": {\"stage\": 2}\n}");
    QTest::newRow("two fences") << "Use this {stage 3} config:\n```json\n" + three + "\n```\nand for stage 2:\n```json\n" + two + "\n```\n" << "3, 9";
    QTest::newRow("two in sentences") << "For three cards:\n" + three + "\nor for one:\n" + two << "2, 6";
    QTest::newRow("the first at the beginning") << three + "\nor\n" + two << "1, 5";
    QTest::newRow("one behind the other") << three + "\n" + two << "1, 4";
    QTest::newRow("one behind the other, True inside") << QStringLiteral("{\"bf16\": {\"enabled\": True}}\n") + two << "1, 2";
    QTest::newRow("two on one line") << QStringLiteral(R"({"train_batch_size": 8} {"train_batch_size": 4})") << "1, 1";
    QTest::newRow("three of a chat") << three + "\n" + two + "\n```\n" + two + "\n```\n```\n" + three + "\n```\n```\n" + two + "\n```" << "8, 13, 18";
}

void TstCheckSurroundings::severalConfigsAreSaidToBe()
{
    QFETCH(QString, text);
    QFETCH(QString, lines);
    const CheckAnswer answer = answerFor(text.toStdString());
    const QStringList each = lines.split(", ");
    QStringList once = each;
    once.removeDuplicates();
    QVERIFY(!answer.ok);
    QCOMPARE(static_cast<qsizetype>(answer.findings.size()), each.size());
    for (qsizetype i = 0; i < each.size(); ++i) {
        const CheckFinding& finding = answer.findings[static_cast<std::size_t>(i)];
        QCOMPARE(QString::fromStdString(finding.rule), QStringLiteral("text.several"));
        QCOMPARE(finding.line, each[i].toInt());
        const QString says = i == 0 ? "on line " + once.join(", ") + "." : QStringLiteral("Config %1 of the %2 begins here").arg(i + 1).arg(each.size());
        QVERIFY2(QString::fromStdString(finding.message).contains(says), finding.message.c_str());
        QVERIFY(finding.fix.empty());
    }
}

void TstCheckSurroundings::whatMayBePartOfTheConfigIsNotTakenOff_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("an outer brace that is never closed") << QByteArray("{\"zero_optimization\": {\"stage\": 2}");
    QTest::newRow("no outer braces, and a broken end") << QByteArray("\"zero_optimization\": {\"stage\": 2}\n\"fp16\": ]");
    QTest::newRow("no outer braces, on a line of its own") << QByteArray("\"zero_optimization\":\n{\"stage\": 2}\n]");
    QTest::newRow("no outer braces, a name without quotes") << QByteArray("zero_optimization: {\"stage\": }");
    QTest::newRow("a brace too many") << QByteArray("{\"zero_optimization\": {\"stage\": 2}}}");
    QTest::newRow("a comma and more keys") << QByteArray("{\"train_batch_size\": 1},\n\"fp16\": {\"enabled\": true}");
    QTest::newRow("a list of them") << QByteArray("[{\"train_batch_size\": 1},");
    QTest::newRow("comments round it") << QByteArray("# mine {a: \"b\"}\n/* and {\"c\": 1} */ {\"train_batch_size\": } // done");
    QTest::newRow("braces in quotes and comments") << QByteArray("{\"a\": \"}\", 'b': '}{', # } isn't\n \"c\": ]}");
    QTest::newRow("nothing inside") << QByteArray("see {} there");
    QTest::newRow("a variable with a default") << QByteArray("echo ${LEVEL:-\"x\"}");
}

void TstCheckSurroundings::whatMayBePartOfTheConfigIsNotTakenOff()
{
    QFETCH(QByteArray, text);
    QVERIFY(!textAround(text.toStdString()));
}

void TstCheckSurroundings::theReaderThatStopsIsNamed_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rule");
    const QString config = QStringLiteral("{\"train_batch_size\": 8}");
    QTest::newRow("a comment before") << "// mine\n" + config << "text.strict_comment";
    QTest::newRow("a comment behind") << config + " # mine" << "text.strict_comment";
    QTest::newRow("words before") << "Mine, of today:\n" + config << "text.around";
    QTest::newRow("words behind") << config + "\nThat is all." << "text.around";
    QTest::newRow("two") << config + "\n" + config << "text.several";
    QTest::newRow("a brace too many") << config + "}" << "text.extra";
    QTest::newRow("a template's engine") << config + "{{ more }}" << "text.around";
    QTest::newRow("a wide brace") << config + QStringLiteral("\uff5d") << "text.around";
}

void TstCheckSurroundings::theReaderThatStopsIsNamed()
{
    QFETCH(QString, text);
    QFETCH(QString, rule);
    CheckContext context;
    context.launcher = CheckLauncher::Transformers;
    for (const char* language : {"en", "zh"}) {
        context.language = language;
        const CheckAnswer answer = answerFor(text.toStdString(), context);
        QVERIFY(!answer.findings.empty());
        const CheckFinding& finding = answer.findings.front();
        QCOMPARE(QString::fromStdString(finding.rule), rule);
        QVERIFY2(finding.message.find("DeepSpeed") == std::string::npos && finding.message.find("transformers") != std::string::npos, finding.message.c_str());
    }
}

void TstCheckSurroundings::refusalFindsRoomAmongAllFindings()
{
    std::string text = R"({"train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": true}, "zero_optimization": {"stage": 3, "mics_shard_size": 3}, "optimizer": {"type": "AdamW"})";
    for (int i = 0; i < 2000; ++i)
        text += ", \"unknown_" + std::to_string(i) + "\": 1";
    const CheckAnswer answer = answerFor(text + "}");
    QVERIFY(!answer.ok && answer.level);
    QVERIFY(std::any_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.severity == CheckSeverity::Error && finding.level == *answer.level; }));
}

void TstCheckSurroundings::aConfigInsideAnotherObjectIsNamed_data()
{
    QTest::addColumn<QString>("text");   // %1 is the config
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<bool>("safe");
    QTest::newRow("a record of a run") << R"({"model_size_b": 7, "num_gpus": 8, "config": %1})" << "/config" << true;
    QTest::newRow("alone") << R"({"ds_config": %1})" << "/ds_config" << true;
    QTest::newRow("two levels down") << R"({"run": {"name": "a", "deepspeed": %1}})" << "/run/deepspeed" << true;
    QTest::newRow("beside other objects") << R"({"model": {"hidden": 8}, "config": %1, "tags": []})" << "/config" << true;
    QTest::newRow("with a key that nobody knows") << QStringLiteral(R"({"config": %1})").replace("%1", R"({"train_batch_size": 8, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "my_note": 1})") << "/config" << false;
    QTest::newRow("a key that stands outside as well") << QStringLiteral(R"({"my_note": 2, "config": %1})").replace("%1", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "my_note": 1})") << "/config" << false;
}

void TstCheckSurroundings::aConfigInsideAnotherObjectIsNamed()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(bool, safe);
    const std::string config = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2}})";
    for (const CheckLauncher launcher : {CheckLauncher::DeepSpeed, CheckLauncher::Transformers}) {
        CheckContext context;
        context.launcher = launcher;
        context.trainer = {{"per_device_train_batch_size", std::int64_t{8}}};
        const CheckAnswer answer = answerFor(text.replace("%1", QString::fromStdString(config)).toStdString(), context);
        QCOMPARE(answer.level, std::optional(CheckLevel::Parse));
        const auto errors = std::count_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& each) { return each.severity != CheckSeverity::Info; });
        QCOMPARE(errors, 1);
        const CheckFinding& finding = answer.findings.front();
        QCOMPARE(QString::fromStdString(finding.pointer), pointer);
        QVERIFY2(finding.message.find("The config stands in \"" + pointer.section('/', -1).toStdString() + "\"") == 0, finding.message.c_str());
        QCOMPARE(finding.safe, safe);
        QVERIFY(!finding.safe || !finding.fix.empty());
        QVERIFY(!answer.ignored.empty());
    }
}

void TstCheckSurroundings::sectionsAreNoConfigsInsideAnother_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("a key of DeepSpeed's beside it") << R"({"steps_per_print": 10, "config": {"train_batch_size": 8}})";
    QTest::newRow("two of them") << R"({"train": {"train_batch_size": 8}, "eval": {"train_batch_size": 8}})";
    QTest::newRow("accelerate's fields") << R"({"deepspeed_config": {"gradient_accumulation_steps": 1, "gradient_clipping": 1.0, "zero_stage": 2}})";
    QTest::newRow("mostly other keys") << R"({"args": {"train_batch_size": 8, "model": "a", "data": "b", "out": "c"}})";
    QTest::newRow("in a list") << R"({"configs": [{"train_batch_size": 8}]})";
}

void TstCheckSurroundings::sectionsAreNoConfigsInsideAnother()
{
    QFETCH(QString, text);
    const CheckFinding finding = answerFor(text.toStdString()).findings.front();
    QCOMPARE(QString::fromStdString(finding.rule), QStringLiteral("R5"));
    QVERIFY2(finding.message.find("No batch size is given") == 0 && !finding.safe, finding.message.c_str());
}

void TstCheckSurroundings::aWordBeforeTheBraceIsNoKey_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("strict");   // 1 = transformers' reader
    const QString config = QStringLiteral("{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": \"AdamW\"},\n  \"zero_optimization\": {\"stage\": 7}\n}\n");
    QTest::newRow("a word") << "Config: " + config << 0;
    QTest::newRow("a word, for strict JSON") << "Config: " + config << 1;
    QTest::newRow("a name with an underscore") << "ds_config:" + config << 0;
    QTest::newRow("behind a line of its own") << "Note: mine\nConfig: " + config << 0;
    QTest::newRow("Chinese") << QStringLiteral("\u914d\u7f6e: ") + config << 0;
}

void TstCheckSurroundings::aWordBeforeTheBraceIsNoKey()
{
    QFETCH(QString, text);
    QFETCH(int, strict);
    CheckContext context;
    context.launcher = strict == 1 ? CheckLauncher::Transformers : CheckLauncher::DeepSpeed;
    context.trainer = {{"per_device_train_batch_size", std::int64_t{8}}};
    const std::string bytes = text.toStdString();
    const CheckAnswer answer = answerFor(bytes, context);
    QCOMPARE(answer.level, std::optional(strict == 1 ? CheckLevel::Load : CheckLevel::Parse));   // DeepSpeed's own reader makes a key of it
    QCOMPARE(QString::fromStdString(answer.findings.front().rule), QStringLiteral("text.around"));
    QVERIFY(answer.findings.front().fix.empty());
    QVERIFY(findingOf(answer, "R18"));   // and what is wrong inside
    QVERIFY(!findingOf(answer, "R5") && !findingOf(answer, "R10") && !findingOf(answer, "R31"));
    const auto around = textAround(bytes);
    QVERIFY(around && around->configs.size() == 1 && bytes[around->configs.front().begin] == '{');
}

void TstCheckSurroundings::unknownStepsOfTheTrainingAreTold()
{
    const std::string config = R"({"train_batch_size": "auto", "zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW"},
        "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": "auto", "warmup_num_steps": "auto"}}})";
    CheckContext context;
    context.launcher = CheckLauncher::Transformers;
    context.trainer = {{"warmup_ratio", 0.1}};
    CheckAnswer answer = answerFor(config, context);
    for (const char* key : {"total_num_steps", "warmup_num_steps"}) {
        const auto told = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& each) { return each.rule == "R104" && each.pointer == std::string("/scheduler/params/") + key; });
        QVERIFY2(told != answer.findings.end() && told->severity == CheckSeverity::Info, key);
        QVERIFY2(told->message.find(std::string(key) == "total_num_steps" ? "1000000" : "100 ") != std::string::npos && told->message.find("max_steps") != std::string::npos, told->message.c_str());
    }
    context.trainer.emplace("max_steps", std::int64_t{50});
    answer = answerFor(config, context);
    QVERIFY(!findingOf(answer, "R104"));
}

/// Of each "auto" it is said whose value takes its place; a missing accumulation is accelerate's 1, whatever the Trainer has.
void TstCheckSurroundings::whatFillsAnAutoIsNamed()
{
    CheckContext context;
    context.launcher = CheckLauncher::Transformers;
    context.hiddenSize = 64;
    context.trainer = {{"gradient_accumulation_steps", std::int64_t{4}}, {"learning_rate", 2e-5}};
    const CheckAnswer answer = *checkConfig(R"({"train_micro_batch_size_per_gpu": "auto", "optimizer": {"type": "AdamW", "params": {"lr": "auto"}},
        "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "offload_param": {"device": "auto"}}})", context);
    const auto told = [&](const char* pointer) {
        const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer && (f.rule == "R103" || f.rule == "R105"); });
        return found == answer.findings.end() ? std::string() : found->message;
    };
    for (const auto& [pointer, words] : {std::pair{"/train_micro_batch_size_per_gpu", "the Trainer's per_device_train_batch_size"}, {"/optimizer/params/lr", "the Trainer's learning_rate"}, {"/zero_optimization/reduce_bucket_size", "h x h, with h the model's hidden size, 64"},
                                         {"/zero_optimization/offload_param/device", "whatever the arguments are"}, {"", "accelerate writes 1 there, while the Trainer's is 4"}})
        QVERIFY2(told(pointer).find(words) != std::string::npos, (std::string(pointer) + ": " + told(pointer)).c_str());
}

QTEST_APPLESS_MAIN(TstCheckSurroundings)
#include "tst_check_surroundings.moc"
