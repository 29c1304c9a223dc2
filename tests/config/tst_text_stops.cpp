// SPDX-License-Identifier: GPL-3.0-or-later
// What stops a reader is told by its cause, the same under every launcher, and mended where it is plain what was meant.
#include "config/check.h"
#include "config/safe_fixes.h"
#include "config/text_fixes.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

using namespace stagecraft;

namespace {

const std::string kJob = R"("train_batch_size": 8, "optimizer": {"type": "AdamW"})";

CheckContext under(CheckLauncher launcher, const char* language = "en")
{
    CheckContext context;
    context.launcher = launcher;
    context.language = language;
    return context;
}

CheckFinding firstOf(const std::string& text, const CheckContext& context)
{
    const auto answer = checkConfig(text, context);
    return answer.hasValue() && !answer->findings.empty() ? answer->findings.front() : CheckFinding{};
}

}  // namespace

class TstTextStops : public QObject {
    Q_OBJECT

private slots:
    void strictReadersSayTheCause_data();
    void strictReadersSayTheCause();
    void lookalikesBehindAValue_data();
    void lookalikesBehindAValue();
    void wordsKeepTheirApostrophes();
    void whatIsMendedForOthers_data();
    void whatIsMendedForOthers();
    void yamlIsToldAsYaml_data();
    void quotesAreMendedAsTheyAre();
    void bracketsOfAHalfQuotedTextAreCountedOnce();
    void yamlIsToldAsYaml();
    void unreadableNumbersAreQuotedAlone();
};

void TstTextStops::strictReadersSayTheCause_data()
{
    QTest::addColumn<QString>("text");      // behind the job
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("clicked");   // after its text fix; nothing where it has none
    QTest::addColumn<bool>("both");         // whether DeepSpeed's reader stops there as well
    const auto row = [](const char* name, const QString& text, const char* rule, const QString& said, const QString& clicked, bool both) { QTest::newRow(name) << text << QString(rule) << said << clicked << both; };
    row("typographic quotes round a key", u"\u201cfp16\u201d: {\"enabled\": true}"_qs, "text.lookalike", u"\u201c\u201c\u201d only looks like \u201c\"\u201d"_qs, R"("fp16": {"enabled": true})", false);
    row("typographic quotes round every key", u"\u201cbf16\u201d: {\u201cenabled\u201d: true}"_qs, "text.lookalike", "3 more", R"("bf16": {"enabled": true})", false);
    row("German quotes", u"\u201ebf16\u201c: {\"enabled\": true}"_qs, "text.lookalike", u"\u201e"_qs, R"("bf16": {"enabled": true})", false);
    row("single typographic quotes", u"\u2018bf16\u2019: {\"enabled\": true}"_qs, "text.lookalike", u"\u2018"_qs, R"("bf16": {"enabled": true})", false);
    row("corner brackets of Chinese", u"\u300cbf16\u300d: {\"enabled\": true}"_qs, "text.lookalike", u"\u300c"_qs, R"("bf16": {"enabled": true})", false);
    row("backticks", "`bf16`: {\"enabled\": true}", "text.lookalike", "`", R"("bf16": {"enabled": true})", false);
    row("full-width braces", u"\"bf16\": \uff5b\"enabled\": true\uff5d"_qs, "text.lookalike", u"\uff5b"_qs, R"("bf16": {"enabled": true})", false);
    row("a no-break space", u"\"bf16\":\u00a0{\"enabled\": true}"_qs, "text.invisible", "U+00A0", R"("bf16": {"enabled": true})", false);
    row("no colon", R"("bf16" {"enabled": true})", "text.syntax", "No colon stands behind the name \"bf16\"", R"("bf16": {"enabled": true})", true);
    row("= for a colon", R"("bf16" = {"enabled": true})", "text.syntax", u"Write \u201c:\u201d in its place"_qs, R"("bf16": {"enabled": true})", true);
    row("half of the quotes", R"("bf16: {"enabled": true})", "text.syntax", "The second quote of the name \"bf16\" is missing", R"("bf16": {"enabled": true})", true);
    row("half of a text's quotes", R"("scheduler": {"type": "WarmupLR, "params": {"warmup_num_steps": 10}})", "text.quote", "Write \"WarmupLR\" there", "", false);
    row("half of a text's quotes at the end of a line", "\"scheduler\": {\"type\": \"WarmupLR},\n \"steps_per_print\": 10", "text.control", "Write it behind WarmupLR", "\"scheduler\": {\"type\": \"WarmupLR\"},\n \"steps_per_print\": 10", true);
    row("and of the last of a list", "\"x\": [\"a\", \"b],\n \"steps_per_print\": 10", "text.control", "Write it behind b", "\"x\": [\"a\", \"b\"],\n \"steps_per_print\": 10", true);
    row("and of an index", "\"x\": [\"layer[0],\n \"b\"],\n \"steps_per_print\": 10", "text.control", "Write it behind layer[0]", "\"x\": [\"layer[0]\",\n \"b\"],\n \"steps_per_print\": 10", true);
    row("a text of two lines", "\"_comment\": \"ZeRO 3,\n with offload\", \"steps_per_print\": 10", "text.control", "A line break stands inside a string", "", true);
    row("a remark in the last text", "\"communication_data_type\": \"fp32 // half\n", "text.control", "A line break stands inside a string", "", true);
    row("and of a template's", "\"tensorboard\": {\"output_path\": \"/runs/{name}},\n \"steps_per_print\": 10", "text.control", "Write it behind /runs/{name}", "\"tensorboard\": {\"output_path\": \"/runs/{name}\"},\n \"steps_per_print\": 10", true);
    row("and of the last of its section", "\"scheduler\": {\n  \"type\": \"WarmupLR\n }", "text.control", "Write it behind WarmupLR", "\"scheduler\": {\n  \"type\": \"WarmupLR\"\n }", true);
    row("and of a path's", "\"tensorboard\": {\"output_path\": \"/data/my runs,\n \"enabled\": true}", "text.control", "Write it behind /data/my runs", "\"tensorboard\": {\"output_path\": \"/data/my runs\",\n \"enabled\": true}", true);
    row("] for }", R"("bf16": {"enabled": true])", "", u"Write \u201c}\u201d in its place"_qs, R"("bf16": {"enabled": true})", true);
    row("a placeholder", R"("bf16": {"enabled": {{ bf16 }}})", "text.placeholder", "a template's placeholder", R"("bf16": {})", true);
    row("a number that ends with its point", R"("zero_optimization": {"reduce_bucket_size": 5.e8})", "text.word", "Write 5.0e8", R"("zero_optimization": {"reduce_bucket_size": 5.0e8})", false);
    row("a number with underscores", R"("zero_optimization": {"reduce_bucket_size": 500_000_000})", "text.word", "500_000_000 is no value of JSON", R"("zero_optimization": {"reduce_bucket_size": 500000000})", false);
    row("a number with its unit", R"("zero_optimization": {"reduce_bucket_size": 500M})", "text.word", "500M is no value of JSON", R"("zero_optimization": {"reduce_bucket_size": 500000000})", false);
}

void TstTextStops::strictReadersSayTheCause()
{
    QFETCH(QString, text);
    QFETCH(QString, rule);
    QFETCH(QString, said);
    QFETCH(QString, clicked);
    QFETCH(bool, both);
    const auto config = [](const QString& member) { return "{" + kJob + ",\n " + member.toStdString() + "\n}\n"; };
    for (const CheckLauncher launcher : {CheckLauncher::Transformers, CheckLauncher::Accelerate, CheckLauncher::DeepSpeed}) {
        if (launcher == CheckLauncher::DeepSpeed && !both) {
            continue;
        }
        const CheckFinding finding = firstOf(config(text), under(launcher));
        QVERIFY2(rule.isEmpty() || finding.rule == rule.toStdString(), finding.rule.c_str());
        QVERIFY2(finding.level == CheckLevel::Load && finding.message.find(said.toStdString()) != std::string::npos, finding.message.c_str());
        QVERIFY2(finding.message.find(launcher == CheckLauncher::DeepSpeed ? "HjsonDecodeError" : "JSONDecodeError") != std::string::npos, finding.message.c_str());
        const CheckFinding chinese = firstOf(config(text), under(launcher, "zh"));
        QVERIFY2(chinese.rule == finding.rule && chinese.message != finding.message, chinese.message.c_str());
        const auto fix = textFixOf(config(text), finding);
        const auto mended = fix ? mendedText(config(text), finding, *fix) : std::nullopt;
        QCOMPARE(QString::fromStdString(mended.value_or("")), clicked.isEmpty() ? QString() : QString::fromStdString(config(clicked)));
        QVERIFY(clicked.isEmpty() || firstOf(config(clicked), under(launcher)).level != CheckLevel::Load);
    }
}

/// The half that is there says which: a double quote behind a single one would begin another text.
void TstTextStops::quotesAreMendedAsTheyAre()
{
    for (const auto& [written, meant] : {std::pair<std::string, std::string>{"{'a': 1,\n 'zero_optimization: {'stage': 2}\n}\n", "{'a': 1,\n 'zero_optimization': {'stage': 2}\n}\n"},
                                         {"{'scheduler': {'type': 'WarmupLR},\n 'a': 1\n}\n", "{'scheduler': {'type': 'WarmupLR'},\n 'a': 1\n}\n"},
                                         {"{'tensorboard': {\n  'job_name': 'n\n }\n}\n", "{'tensorboard': {\n  'job_name': 'n'\n }\n}\n"},
                                         {"{'bf16:\n {'enabled': true}}\n", "{'bf16':\n {'enabled': true}}\n"},
                                         {"{\"a\": 1,\n \"zero_optimization : {\"stage\": 2}\n}\n", "{\"a\": 1,\n \"zero_optimization\" : {\"stage\": 2}\n}\n"},
                                         {"{'a': 1,\n 'zero_optimization\": {'stage': 2}\n}\n", "{'a': 1,\n 'zero_optimization': {'stage': 2}\n}\n"},
                                         {"{\"tensorboard\": {\"job_name\": \"run1'},\n \"a\": 1\n}\n", "{\"tensorboard\": {\"job_name\": \"run1\"},\n \"a\": 1\n}\n"}}) {
        const CheckFinding finding = firstOf(written, under(CheckLauncher::DeepSpeed));
        const auto fix = textFixOf(written, finding);
        QVERIFY2(fix.has_value(), finding.message.c_str());
        QCOMPARE(QString::fromStdString(mendedText(written, finding, *fix).value_or("")), QString::fromStdString(meant));
    }
    // Where it cannot be told what was meant nothing is written: a wrong quote or colon makes a setting of a remark, or a text of a section.
    for (const char* text : {"{\"a\": 1,\n \"\"zero_optimization\": {\"stage\": 2},\n \"bf16\": {\"enabled\": true}\n}\n", "{\"a\": 1,\n \"zero_optimization {\"stage\": 2}\n}\n", "{\"optimizer\"; {\n \"type\": \"AdamW\"\n }\n}\n",
                             "{\"_comment\": \"Earlier run,\n   gradient_clipping: 0.5,\n   seed: 42\",\n \"zero_optimization\": {\"stage\": 2}\n}\n", "{\"_comment\": \"Earlier run used\n   gradient_clipping: 0.5\n   note: bad\",\n \"a\": 1\n}\n",
                             "{\"gradient_clipping 1.0, \"zero_optimization\": {\"stage\": 2}\n}\n"}) {
        const CheckFinding finding = firstOf(text, under(CheckLauncher::DeepSpeed));
        QVERIFY2(finding.level == CheckLevel::Load && !textFixOf(text, finding), finding.message.c_str());
    }
}

/// Hostile texts of this kind held the check up for minutes when each bracket had all of them counted again: now they take hundredths of a second.
void TstTextStops::bracketsOfAHalfQuotedTextAreCountedOnce()
{
    const std::string text = "{\"a\": \"" + std::string(200'000, '{') + std::string(200'000, '}') + ",\n \"b\": 1}\n";
    QElapsedTimer clock;
    clock.start();
    const CheckFinding finding = firstOf(text, under(CheckLauncher::DeepSpeed));
    (void)textFixOf(text, finding);
    QVERIFY(finding.level == CheckLevel::Load);
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
}

void TstTextStops::lookalikesBehindAValue_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("plain");
    QTest::newRow("a full-width comma behind a number") << u"\"steps_per_print\": 10\uff0c\n \"gradient_clipping\": 1.0"_qs << u"\u201c\uff0c\u201d"_qs << QString("\"steps_per_print\": 10,\n \"gradient_clipping\": 1.0");
    QTest::newRow("and behind a word") << u"\"wall_clock_breakdown\": true\uff0c\n \"gradient_clipping\": 1.0"_qs << u"\u201c\uff0c\u201d"_qs << QString("\"wall_clock_breakdown\": true,\n \"gradient_clipping\": 1.0");
    QTest::newRow("and before a comment") << u"\"steps_per_print\": 10\uff0c  // often\n \"gradient_clipping\": 1.0"_qs << u"\u201c\uff0c\u201d"_qs << QString("\"steps_per_print\": 10,  // often\n \"gradient_clipping\": 1.0");
    QTest::newRow("a no-break space before a section") << u"\"fp16\":\u00a0{\"enabled\": true}"_qs << QString("U+00A0") << QString("\"fp16\": {\"enabled\": true}");
    QTest::newRow("a section in full-width braces") << u"\"zero_optimization\": \uff5b\"stage\": 2\uff5d"_qs << u"\u201c\uff5b\u201d"_qs << QString("\"zero_optimization\": {\"stage\": 2}");
}

/// DeepSpeed's reader makes a text of them, and something refuses that later: what is told is the character.
void TstTextStops::lookalikesBehindAValue()
{
    QFETCH(QString, text);
    QFETCH(QString, said);
    QFETCH(QString, plain);
    const auto config = [](const QString& member) { return "{" + kJob + ",\n " + member.toStdString() + "\n}\n"; };
    const auto answer = checkConfig(config(text), {});
    const CheckFinding& finding = answer->findings.front();
    QVERIFY(!answer->ok && answer->level != CheckLevel::Load && finding.level == answer->level);
    QCOMPARE(QString::fromStdString(finding.rule), QString("text.bare"));
    QVERIFY2(finding.effect == CheckEffect::Refused && finding.message.find(said.toStdString()) != std::string::npos, finding.message.c_str());
    for (const CheckFinding& other : answer->findings) {
        QVERIFY2(other.rule == "text.bare" || other.effect != CheckEffect::Refused || other.line != finding.line, other.message.c_str());
        if (const auto fix = textFixOf(config(text), other); fix && other.rule == "R2" && plain.indexOf("//") < 0) {
            QCOMPARE(QString::fromStdString(mendedText(config(text), other, *fix).value_or("")), QString::fromStdString(config(plain)));
        }
    }
    const auto mended = withEverySafeFix(config(text), {});
    QCOMPARE(QString::fromStdString(mended->text), QString::fromStdString(config(plain)));
    QVERIFY(checkConfig(mended->text, {})->ok);
}

/// An apostrophe of a text without quotes, or of a comment, is none of a key's quotes.
void TstTextStops::wordsKeepTheirApostrophes()
{
    const std::string comment = "{" + kJob + ",\n \"bf16\" {\"enabled\": true}  // it\u2019s `on`\n}\n";
    QCOMPARE(QString::fromStdString(firstOf(comment, {}).rule), QString("text.syntax"));
    const std::string words = "{" + kJob + "\uff0c\n \"note\": it\u2019s `so`\n}\n";
    QVERIFY(withEverySafeFix(words, {})->text.find("it\u2019s `so`") != std::string::npos);
}

void TstTextStops::whatIsMendedForOthers_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mended");   // nothing where it stays as it is
    const auto row = [](const char* name, const char* text, const char* mended) { QTest::newRow(name) << QString(text) << QString(mended); };
    row("a comma at the end", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"},})", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}})");
    row("a dict of Python", R"({'train_batch_size': 8, 'optimizer': {'type': 'AdamW'},})", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}})");
    row("a comma too few", "{\"train_batch_size\": 8\n \"optimizer\": {\"type\": \"AdamW\"}}", "{\"train_batch_size\": 8,\n \"optimizer\": {\"type\": \"AdamW\"}}");
    row("names without quotes", R"({train_batch_size: 8, optimizer: {"type": "AdamW"}})", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}})");
    row("a comment is nobody's to take out", "{\"train_batch_size\": 8, // eight\n \"optimizer\": {\"type\": \"AdamW\"},}", "");
    row("a key whose quotes are part of its name", "{\"train_batch_size\": 8, \u201cfp16\u201d: {\"enabled\": true}, \"optimizer\": {\"type\": \"AdamW\"}}", "");
    row("nor is what a page made of the quotes", "{\"train_batch_size\": 8, &quot;steps_per_print&quot;: 10, \"optimizer\": {\"type\": \"AdamW\"}}", "");
    row("a value that is written anew lets the rest be mended", "{\"train_batch_size\": 8,\n \"optimizer\": {\"type\": \"AdamW\"}\n \"bf16\": {\"enabled\": true}\n \"steps_per_print\": 15.e8\n}", "{\"train_batch_size\": 8,\n \"optimizer\": {\"type\": \"AdamW\"},\n \"bf16\": {\"enabled\": true},\n \"steps_per_print\": 15.0e8\n}");
    row("a key twice with the same value", R"({"train_batch_size": 8, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "bf16": { "enabled":true }})", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "bf16": { "enabled":true }})");
    row("three times", R"({"train_batch_size": 8, "train_batch_size": 8, "optimizer": {"type": "AdamW"}, "train_batch_size": 8})", R"({"optimizer": {"type": "AdamW"}, "train_batch_size": 8})");
    row("a key twice with another value", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "train_batch_size": 16})", "");
    row("a number and its text", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "train_batch_size": "8"})", "");
}

void TstTextStops::whatIsMendedForOthers()
{
    QFETCH(QString, text);
    QFETCH(QString, mended);
    const auto fixed = withEverySafeFix(text.toStdString(), {});
    QCOMPARE(QString::fromStdString(fixed->text), mended.isEmpty() ? text : mended);
    QCOMPARE(fixed->mended.empty(), mended.isEmpty());
    QVERIFY(mended.isEmpty() || checkConfig(fixed->text, under(CheckLauncher::DeepSpeed))->ok);
    QCOMPARE(QString::fromStdString(withEverySafeFix(fixed->text, {})->text), QString::fromStdString(fixed->text));
}

void TstTextStops::yamlIsToldAsYaml_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("yaml");
    QTest::newRow("sections") << "train_batch_size: 16\noptimizer:\n  type: AdamW\n  params:\n    lr: 1.0e-4\nzero_optimization:\n  stage: 2\n" << true;
    QTest::newRow("accelerate's file") << "# made by accelerate config\n---\ncompute_environment: LOCAL_MACHINE\ndeepspeed_config:\n  zero_stage: 2 # sharded\ndistributed_type: DEEPSPEED\nmain_training_function: main\n" << true;
    QTest::newRow("a list") << "train_batch_size: 16\nnames:\n- a\n- b\n" << true;
    QTest::newRow("flat lines mean the same to DeepSpeed's reader") << "train_batch_size: 16\ngradient_clipping: 1.0\n" << false;
    QTest::newRow("Hjson") << "train_batch_size: 16\noptimizer:\n  {\n  type: AdamW\n  }\n" << false;
    QTest::newRow("JSON") << "{\n\"a\":\n  1}" << false;
    QTest::newRow("an empty value") << "train_batch_size:\ngradient_clipping: 1.0\n" << false;
}

void TstTextStops::yamlIsToldAsYaml()
{
    QFETCH(QString, text);
    QFETCH(bool, yaml);
    for (const CheckLauncher launcher : {CheckLauncher::DeepSpeed, CheckLauncher::Transformers, CheckLauncher::Accelerate}) {
        for (const char* language : {"en", "zh"}) {
            const auto answer = checkConfig(text.toStdString(), under(launcher, language));
            const bool told = std::any_of(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& finding) { return finding.rule == "text.yaml"; });
            QCOMPARE(told, yaml);
            if (yaml) {
                const CheckFinding& finding = answer->findings.front();
                QCOMPARE(answer->findings.size(), std::size_t{1});
                QVERIFY(finding.level == answer->level && finding.fix.empty() && !textFixOf(text.toStdString(), finding));
                QVERIFY2(finding.message.find("stagecraft import") != std::string::npos && finding.message.find("{reader}") == std::string::npos, finding.message.c_str());
                QCOMPARE(QString::fromStdString(withEverySafeFix(text.toStdString(), under(launcher))->text), text);
            }
        }
    }
}

void TstTextStops::unreadableNumbersAreQuotedAlone()
{
    for (const auto& [value, said] : {std::pair{"16*1024", "The value 16*1024 has"}, {"4 / 0", "The value 4 / 0 has"}, {"500M", "The value 500M has"}, {"NaN5", "The value NaN5 has"}}) {
        const std::string message = firstOf("{" + kJob + ", \"zero_optimization\": {\"reduce_bucket_size\": " + value + "}}", {}).message;
        QVERIFY2(message.find(said) != std::string::npos, message.c_str());
    }
}

QTEST_APPLESS_MAIN(TstTextStops)
#include "tst_text_stops.moc"
