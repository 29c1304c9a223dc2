// SPDX-License-Identifier: GPL-3.0-or-later
// One-click fixes of the text itself: what they write, and that nothing else of the text changes.
#include "config/text_fixes.h"

#include "config/json_document.h"
#include "config/text_slips.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <ctime>

using namespace stagecraft;

Q_DECLARE_METATYPE(stagecraft::TextFix)
Q_DECLARE_METATYPE(stagecraft::CheckLauncher)

class TstTextFixes : public QObject {
    Q_OBJECT
private slots:
    void fixes_data();
    void fixes();
    void whatCannotBeMendedIsNot_data();
    void whatCannotBeMendedIsNot();
    void strictJsonKeepsTheValues();
    void everySlipIsTold_data();
    void everySlipIsTold();
    void hostileTextsEnd();
};

namespace {

CheckAnswer answerFor(const std::string& text, CheckLauncher launcher)
{
    CheckContext context;
    context.launcher = launcher;
    auto answer = checkConfig(text, context);
    if (!answer.hasValue()) {
        qFatal("%s", answer.error().message.c_str());
    }
    return std::move(answer).value();
}

}  // namespace

void TstTextFixes::fixes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<CheckLauncher>("launcher");
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<TextFix>("fix");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const char* text, CheckLauncher launcher, const char* rule, TextFix fix, const char* expected) {
        QTest::newRow(name) << QByteArray(text) << launcher << QByteArray(rule) << fix << QByteArray(expected);
    };
    constexpr auto kDeepSpeed = CheckLauncher::DeepSpeed, kTrainer = CheckLauncher::Transformers;
    row("a key twice", "{\n  \"a\": 1,\n  \"train_batch_size\": 4,\n  \"a\": 2 // kept\n}\n", kDeepSpeed, "R1", TextFix::KeepLast, "{\n  \"train_batch_size\": 4,\n  \"a\": 2 // kept\n}\n");
    row("a key three times", "{\"a\": 1, \"train_batch_size\": 4, \"a\": 2, \"a\": 3}", kTrainer, "R1", TextFix::KeepLast, "{\"train_batch_size\": 4, \"a\": 3}");
    row("a key twice in a section", "{\"train_batch_size\": 4, \"s\": {\n    \"a\": 1, // first\n    \"a\": 2\n  }}", kDeepSpeed, "R1", TextFix::KeepLast, "{\"train_batch_size\": 4, \"s\": {\n    // first\n    \"a\": 2\n  }}");
    row("Python's words", "{\n  \"train_batch_size\": 8,\n  \"fp16\": {\"enabled\": True},\n  \"x\": [None, False]\n}", kDeepSpeed, "text.swallowed", TextFix::JsonWords, "{\n  \"train_batch_size\": 8,\n  \"fp16\": {\"enabled\": true},\n  \"x\": [null, false]\n}");
    row("Python's words before a comma", "{\n  \"train_batch_size\": 8,\n  \"wall_clock_breakdown\": False,\n  \"name\": \"True\"\n}", kDeepSpeed, "text.bare", TextFix::JsonWords, "{\n  \"train_batch_size\": 8,\n  \"wall_clock_breakdown\": false,\n  \"name\": \"True\"\n}");
    row("a word without quotes", "{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": AdamW},\n  \"x\": 1\n}", kDeepSpeed, "text.swallowed", TextFix::Write, "{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": \"AdamW\"},\n  \"x\": 1\n}");
    row("comments for the Trainer", "{\n  // all of it\n  \"train_batch_size\": 8, # of samples\n  /* two\n     lines */\n  \"a\": 1 /* in */, \"b\": \"// no comment\"\n}\n", kTrainer, "text.strict_comment", TextFix::StrictJson, "{\n  \"train_batch_size\": 8,\n  \"a\": 1, \"b\": \"// no comment\"\n}\n");
    row("a comma too many for the Trainer", "{\"train_batch_size\": 8, \"a\": [1, 2,],}", kTrainer, "text.strict_comma", TextFix::StrictJson, "{\"train_batch_size\": 8, \"a\": [1, 2]}");
    row("quotes and words for the Trainer", "{\n  train_batch_size: 8,\n  'optimizer': {'type': 'AdamW', 'params': {'amsgrad': False}}\n}", kTrainer, "text.strict", TextFix::StrictJson, "{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"amsgrad\": false}}\n}");
    row("missing commas for DeepSpeed, which does without", "{\n  \"train_batch_size\": 8\n  \"a\": \"b\"\n  \"c\": x\n  \"d\": True,\n}", kDeepSpeed, "R2", TextFix::StrictJson, "{\n  \"train_batch_size\": 8,\n  \"a\": \"b\",\n  \"c\": \"x\",\n  \"d\": true\n}");
    row("blanks that are not JSON's before keys", "{\n  \"train_batch_size\": 8,\n\u00a0\u00a0\"steps_per_print\": 5,\n  \"x\": {\u3000\"a\": 1}\n}", kDeepSpeed, "R2", TextFix::StrictJson, "{\n  \"train_batch_size\": 8,\n  \"steps_per_print\": 5,\n  \"x\": { \"a\": 1}\n}");
    row("a raw text", "{\n  \"train_batch_size\": 8,\n  \"x\": r'C:\\new',\n  \"a\": 1\n}", kDeepSpeed, "text.bare", TextFix::Write, "{\n  \"train_batch_size\": 8,\n  \"x\": \"C:\\\\new\",\n  \"a\": 1\n}");
    row("a bracket too many", "{\n  \"train_batch_size\": 8\n}\n}\n", kTrainer, "text.extra", TextFix::ExtraBracket, "{\n  \"train_batch_size\": 8\n}\n");
    row("a script's assignment", "ds_config = {\n  \"train_batch_size\": 2 * 4,\n  \"fp16\": {\"enabled\": True},\n}\n", kDeepSpeed, "text.around", TextFix::KeepConfig, "{\n  \"train_batch_size\": 8,\n  \"fp16\": {\"enabled\": true}\n}\n");
    row("a fence of an answer", "Here it is:\n```json\n{\"train_batch_size\": 8, \"x\": auto}\n```\nEnjoy.\n", kTrainer, "text.around", TextFix::KeepConfig, "{\"train_batch_size\": 8, \"x\": \"auto\"}\n");
    row("lines of a diff", "--- a/ds.json\n+++ b/ds.json\n@@ -1,4 +1,4 @@\n {\n-  \"train_batch_size\": 4,\n+  \"train_batch_size\": 8,\n   \"x\": [\n     -1\n   ]\n }\n", kDeepSpeed, "text.diff", TextFix::AddedLines, " {\n  \"train_batch_size\": 8,\n   \"x\": [\n     -1\n   ]\n }\n");
    row("curly quotes and full-width punctuation", "{\n  \u201ctrain_batch_size\u201d\uff1a8\uff0c\n  \"x\": {\u201ca\u201d\uff1aTrue}\n}", kDeepSpeed, "text.lookalike", TextFix::PlainCharacters, "{\n  \"train_batch_size\":8,\n  \"x\": {\"a\":true}\n}");
    row("a colon too few", "{\n  \"train_batch_size\": 8,\n  \"x\" {\"a\": 1}\n}", kDeepSpeed, "text.syntax", TextFix::Punctuation, "{\n  \"train_batch_size\": 8,\n  \"x\": {\"a\": 1}\n}");
    row("= for colons", "{\n  \"train_batch_size\" = 8,  # a = b\n  \"x\" = \"a = b\"\n}", kDeepSpeed, "text.syntax", TextFix::Punctuation, "{\n  \"train_batch_size\": 8,  # a = b\n  \"x\": \"a = b\"\n}");
    row("= behind names without quotes", "{ train_batch_size = 8, steps_per_print = 10 }", kDeepSpeed, "text.key", TextFix::Punctuation, "{ train_batch_size: 8, steps_per_print: 10 }");
    row("half of a name's quotes", "{\n  \"train_batch_size: 8,\n  \"a\": 1\n}", kDeepSpeed, "text.control", TextFix::Punctuation, "{\n  \"train_batch_size\": 8,\n  \"a\": 1\n}");
    row("half of a section's quotes", "{\n  \"train_batch_size\": 8,\n  \"x: {\n    \"a\": 1\n  }\n}", kTrainer, "text.control", TextFix::Punctuation, "{\n  \"train_batch_size\": 8,\n  \"x\": {\n    \"a\": 1\n  }\n}");
    row("and of one on the next one's line", "{\"train_batch_size\": 8, \"x: {\"a\": 1}}", kDeepSpeed, "text.syntax", TextFix::Punctuation, "{\"train_batch_size\": 8, \"x\": {\"a\": 1}}");
    row("a bracket of the other kind", "{\n  \"train_batch_size\": 8,\n  \"betas\": [0.9, 0.95}\n}", kDeepSpeed, "text.syntax", TextFix::Punctuation, "{\n  \"train_batch_size\": 8,\n  \"betas\": [0.9, 0.95]\n}");
    row("a bracket too few before another", "{\"train_batch_size\": 8, \"x\": {\"betas\": [0.9, 0.95}}", kDeepSpeed, "text.syntax", TextFix::Punctuation, "{\"train_batch_size\": 8, \"x\": {\"betas\": [0.9, 0.95]}}");
    row("a bracket too many before the last keys", "{\n  \"train_batch_size\": 8,\n  \"x\": {\n    \"a\": 1\n  }},\n  \"b\": 2\n}\n", kDeepSpeed, "text.extra", TextFix::ExtraBracket, "{\n  \"train_batch_size\": 8,\n  \"x\": {\n    \"a\": 1\n  },\n  \"b\": 2\n}\n");
    row("the same on its own line, for the Trainer", "{\n  \"train_batch_size\": 8,\n  \"x\": 1\n},\n  \"b\": 2\n}\n", kTrainer, "text.extra", TextFix::ExtraBracket, "{\n  \"train_batch_size\": 8,\n  \"x\": 1,\n  \"b\": 2\n}\n");
    row("a unit", "{\n  \"train_batch_size\": 8,\n  \"x\": 500M,\n  \"a\": 1\n}", kDeepSpeed, "text.bare", TextFix::Write, "{\n  \"train_batch_size\": 8,\n  \"x\": 500000000,\n  \"a\": 1\n}");
    row("a remark behind a number", "{\n  \"train_batch_size\": 8,\n  \"x\": 2 \uff08\u9ed8\u8ba4\uff09,\n  \"a\": 1\n}", kDeepSpeed, "text.bare", TextFix::Write, "{\n  \"train_batch_size\": 8,\n  \"x\": 2,\n  \"a\": 1\n}");
    row("no braces", "train_batch_size: 8\na: 1\n", kDeepSpeed, "R2", TextFix::StrictJson, "{\n\"train_batch_size\": 8,\n\"a\": 1\n}\n");
    row("a template", "{\n  \"train_batch_size\": {{ batch }},\n  \"steps_per_print\": 1,\n  \"x\": ${X}\n}", kDeepSpeed, "text.placeholder", TextFix::Placeholders, "{\n  \"steps_per_print\": 1\n}");
    row("a template's tags", "{\n  {% if big %}\n  \"train_batch_size\": 8,\n  {% endif %}\n  \"a\": 1\n}", kDeepSpeed, "text.placeholder", TextFix::Placeholders, "{\n  \"train_batch_size\": 8,\n  \"a\": 1\n}");
    row("dots of an example", "{\n  \"train_batch_size\": 8,\n  ...\n}", kDeepSpeed, "text.key", TextFix::Placeholders, "{\n  \"train_batch_size\": 8,\n}");
    row("the last bracket", "{\n  \"train_batch_size\": 8,\n  \"fp16\": {\n    \"enabled\": true // }\n  }\n", kDeepSpeed, "text.eof", TextFix::Close, "{\n  \"train_batch_size\": 8,\n  \"fp16\": {\n    \"enabled\": true // }\n  }\n}\n");
    row("several brackets", "{\"train_batch_size\": 8,\r\n  \"x\": {\r\n    \"betas\": [0.9,", kTrainer, "text.eof", TextFix::Close, "{\"train_batch_size\": 8,\r\n  \"x\": {\r\n    \"betas\": [0.9]\r\n  }\r\n}");
    row("a shell's variable", "{\n  \"train_batch_size\": $BATCH,\n  \"a\": 1\n}", kDeepSpeed, "text.bare", TextFix::Placeholders, "{\n  \"a\": 1\n}");
}

void TstTextFixes::fixes()
{
    QFETCH(QByteArray, text);
    QFETCH(CheckLauncher, launcher);
    QFETCH(QByteArray, rule);
    QFETCH(TextFix, fix);
    QFETCH(QByteArray, expected);
    const CheckAnswer answer = answerFor(text.toStdString(), launcher);
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.rule == rule.toStdString(); });
    QVERIFY2(found != answer.findings.end(), answer.findings.empty() ? "nothing found" : (answer.findings.front().rule + ": " + answer.findings.front().message).c_str());
    const auto offered = textFixOf(text.toStdString(), *found);
    QVERIFY(offered.has_value());
    QCOMPARE(static_cast<int>(*offered), static_cast<int>(fix));
    const auto mended = mendedText(text.toStdString(), *found, fix);
    QVERIFY(mended.has_value());
    QCOMPARE(QByteArray::fromStdString(*mended), expected);
    // What was found is not found any more.
    for (const CheckFinding& finding : answerFor(*mended, launcher).findings)
        QVERIFY2(finding.rule != found->rule || finding.pointer != found->pointer || rule == "R2", finding.message.c_str());
}

void TstTextFixes::whatCannotBeMendedIsNot_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("rule");
    QTest::newRow("brackets that are missing too") << QByteArray("{\"a\": 1, // x\n \"b\": [") << QByteArray("text.strict_comment");
    QTest::newRow("a placeholder in a name") << QByteArray("{\"{{ a }}\": 1, \"b\": {{ c }") << QByteArray("text.placeholder");
    QTest::newRow("a bracket that closes another") << QByteArray("{\"a\": [1}, \"b\": {") << QByteArray("text.eof");
    QTest::newRow("a value before the bracket") << QByteArray("{\"a\":") << QByteArray("text.eof");
    QTest::newRow("nothing") << QByteArray() << QByteArray("text.strict");
}

void TstTextFixes::whatCannotBeMendedIsNot()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, rule);
    CheckFinding finding;
    finding.rule = rule.toStdString();
    finding.line = finding.column = 1;
    const auto fix = textFixOf(text.toStdString(), finding);
    QVERIFY(fix.has_value());
    const auto mended = mendedText(text.toStdString(), finding, *fix);
    QVERIFY2(!mended || *mended == "{\n}\n", mended ? mended->c_str() : "");
}

/// Whatever relaxed text says, it says in strict JSON.
void TstTextFixes::strictJsonKeepsTheValues()
{
    CheckFinding finding;
    finding.rule = "R2";
    for (const char* text : {"\xEF\xBB\xBF{\"a\": 1}", "# top\n{ // x\n  a: 'its'\n  \"b\": '''\n    two\n    lines\n    '''\n  /* c */ \"c\": [1 // one\n 2, /* two */ 3\n ], # end\n} // after", "{\r\n\t\"a\": 1, // one\r\n\t\"b\": {},\r\n}\r\n",
                             "{\"a\": \"x # y\", \"b\": \"/* z */\" /* in */ }", "a: b c\nd: 1", "{a:1 # one\nb:2}"}) {
        const auto relaxed = JsonDocument::parse(text);
        QVERIFY2(relaxed.hasValue(), text);
        const auto strict = mendedText(text, finding, TextFix::StrictJson);
        QVERIFY2(strict.has_value(), text);
        const auto read = JsonDocument::parse(*strict, JsonSyntax::Strict);
        QVERIFY2(read.hasValue(), strict->c_str());
        QCOMPARE(QString::fromStdString(read->toJson().dump()), QString::fromStdString(relaxed->toJson().dump()));
        QVERIFY2(!QByteArray::fromStdString(*strict).contains("\n\n\n"), strict->c_str());
        QCOMPARE(mendedText(*strict, finding, TextFix::StrictJson), strict);
    }
}

void TstTextFixes::everySlipIsTold_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArrayList>("told");   // "RULE LINE:COLUMN"
    QTest::addColumn<QByteArray>("mended");
    const auto row = [](const char* name, const char* text, const QByteArrayList& told, const char* mended) { QTest::newRow(name) << QByteArray(text) << told << QByteArray(mended); };
    row("a doubled comma", "{\n  \"train_batch_size\": 8,,\n  \"x\": 1\n}", {"text.comma 2:25"}, "{\n  \"train_batch_size\": 8,\n  \"x\": 1\n}");
    row("one on a line of its own", "{\n  \"train_batch_size\": 8,\n  ,\n  \"x\": 1\n}", {"text.comma 3:3"}, "{\n  \"train_batch_size\": 8,\n  \"x\": 1\n}");
    row("behind a bracket", "{, \"train_batch_size\": [, 8]}", {"text.comma 1:2", "text.comma 1:25"}, "{ \"train_batch_size\": [ 8]}");
    row("a doubled comma before the end", "{\"train_batch_size\": 8,,}", {"R2 1:23", "text.comma 1:24"}, "{\"train_batch_size\": 8}");
    row("what Python prints", "{'train_batch_size': 8,\n 'fp16': {'enabled': True},\n 'x': None,}", {"R2 1:2", "text.swallowed 2:22", "text.swallowed 3:7", "R2 3:11"},
        "{\"train_batch_size\": 8,\n \"fp16\": {\"enabled\": true},\n \"x\": null}");
    row("an apostrophe and a quote", "{'a': 'it\\'s \"b\"',, 'c': 1}", {"R2 1:2", "text.comma 1:19"}, "{\"a\": \"it's \\\"b\\\"\", \"c\": 1}");
    row("cut short", "{\"a\": 8,,\n \"b\": {\"c\": 1", {"text.comma 1:9", "text.eof 2:14"}, "{\"a\": 8,\n \"b\": {\"c\": 1");
    row("in a comment or a text it is none", "{\"a\": 8, // True,,\n \"b\": \"True,, 'c'\",,\n \"d\": 1}", {"text.comma 2:20"}, "{\"a\": 8, // True,,\n \"b\": \"True,, 'c'\",\n \"d\": 1}");
    row("a tuple", "{'a': True,\n 'b': {'c': (0.9, 0.95), 'd': (1,)}}", {"R2 1:2", "text.bare 1:7", "text.swallowed 2:13", "text.swallowed 2:31"}, "{\"a\": true,\n \"b\": {\"c\": [0.9, 0.95], \"d\": [1]}}");
    row("a tuple of many lines", "{\n \"a\": (\n  .5, 'x',\n  None,\n  int(1e3)),\n \"b\": 1}", {"text.bare 2:7"}, "{\n \"a\": [0.5, \"x\", null, 1000],\n \"b\": 1}");
    row("dicts that are called", "{\"a\": dict(enabled=True, betas=(0.9, 0.95), b=dict(c=[1, 'x'], d=int(5e8),\n e=None,)),\n \"f\": dict()\n}", {"text.bare 1:7", "text.bare 3:7"}, "{\"a\": {\"enabled\": true, \"betas\": [0.9, 0.95], \"b\": {\"c\": [1, \"x\"], \"d\": 500000000, \"e\": null}},\n \"f\": {}\n}");
    row("numbers that are made", "{\"a\": int(5e8),\n \"b\": [float(1), int( 2.9 ), (1e-5)]\n}", {"text.bare 1:7", "text.swallowed 2:8", "text.swallowed 2:18", "text.swallowed 2:30"}, "{\"a\": 500000000,\n \"b\": [1.0, 2, 1e-5]\n}");
    row("three double quotes", "{\n \"a\": {\"b\": \"\"\"it's {\n\\\"one\\\" \\\nline\"\"\"},,\n \"c\": \"\"}", {"text.triple 2:13", "text.comma 4:10"}, "{\n \"a\": {\"b\": \"it's {\\n\\\"one\\\" line\"},\n \"c\": \"\"}");
    row("texts with a letter before their quotes", "{\"a\": {\"b\": r'C:\\new'}, \"c\": [r\"D:\\t\", u'x\\ty'],\n \"d\": (r'a', 1)}", {"text.swallowed 1:13", "text.swallowed 1:31", "text.swallowed 1:40", "text.swallowed 2:7"}, "{\"a\": {\"b\": \"C:\\\\new\"}, \"c\": [\"D:\\\\t\", \"x\\ty\"],\n \"d\": [\"a\", 1]}");
    row("arithmetic", "{\"a\": 4 * 2,\n \"b\": [1024 * 1024, (1+2)*3, 5e8 / 2]}", {"text.bare 1:7", "text.swallowed 2:8", "text.swallowed 2:21", "text.swallowed 2:30"}, "{\"a\": 8,\n \"b\": [1048576, 9, 2.5e8]}");
    row("names of DeepSpeed's values", "{\"a\": {\"type\": AdamW, \"lr\": auto}, \"b\": {\"device\": cpu}}", {"text.swallowed 1:16", "text.swallowed 1:29", "text.swallowed 1:52"}, "{\"a\": {\"type\": \"AdamW\", \"lr\": \"auto\"}, \"b\": {\"device\": \"cpu\"}}");
    row("semicolons behind numbers", "{\n \"a\": 8;\n \"b\": {\"c\": true;}\n}", {"text.semicolon 2:8", "text.semicolon 3:17"}, "{\n \"a\": 8,\n \"b\": {\"c\": true}\n}");
    row("semicolons", "{\n \"a\": {\"b\": \"x\";},  \n \"c\": [1]; // two\n \"d\": 1\n}", {"text.semicolon 2:16", "text.semicolon 3:10"}, "{\n \"a\": {\"b\": \"x\"},  \n \"c\": [1], // two\n \"d\": 1\n}");
    row("a semicolon behind a name is no comma", "{\"a\"; 1}", {}, "");
    // Something else stops the reader as well: that is said too, in its own words.
    row("a name", "{\n \"a\": True,,\n \"b\": {\"c\": lr}}", {"text.bare 2:7", "text.comma 2:12", "text.swallowed 3:13"}, "{\n \"a\": true,\n \"b\": {\"c\": lr}}");
    row("a missing quote", "{\"a\": 8, \"b: 1,\n \"c\": True,\n}", {"text.control 1:16", "text.bare 2:7", "R2 2:11"}, "{\"a\": 8, \"b: 1,\n \"c\": true\n}");
    row("behind a text of many lines", "{\n \"a\": \"\"\"x\ny\"\"\",,\n \"b\": {\"c\": lr}}", {"text.triple 2:7", "text.comma 3:6", "text.swallowed 4:13"}, "{\n \"a\": \"x\\ny\",\n \"b\": {\"c\": lr}}");
    // DeepSpeed's reader takes these, or one click mends all of it, or it is no dict.
    row("a comma before the end", "{'a': 8,}", {}, "");
    row("characters that are not JSON's", "{\"a\"\uff1a True,\n \"b\": {\"c\": False}}", {}, "");
    row("a script", "import x\na = {\"b\": (1, 2)}\nif a:\n  c()", {}, "");
}

void TstTextFixes::everySlipIsTold()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArrayList, told);
    QFETCH(QByteArray, mended);
    const std::string whole = text.toStdString();
    const std::vector<TextSlip> slips = textSlips(whole);
    QCOMPARE(slips.empty(), told.isEmpty());
    if (slips.empty()) {
        return;
    }
    QCOMPARE(QByteArray::fromStdString(withoutSlips(whole, slips)), mended);
    const CheckAnswer answer = answerFor(whole, CheckLauncher::DeepSpeed);
    QVERIFY(!answer.ok && answer.level == CheckLevel::Load && answer.findings.front().severity == CheckSeverity::Error);
    QByteArrayList found;
    for (const CheckFinding& finding : answer.findings) {
        found << QByteArray::fromStdString(finding.rule + " " + std::to_string(finding.line) + ":" + std::to_string(finding.column));
        if (!isSlip(whole, slips, finding)) {
            continue;
        }
        // Each can be mended before the others.
        const auto fix = textFixOf(whole, finding);
        QVERIFY(fix);
        QVERIFY2(mendedText(whole, finding, *fix).has_value(), finding.rule.c_str());
    }
    std::sort(found.begin(), found.end());
    std::sort(told.begin(), told.end());
    QCOMPARE(found, told);
    QVERIFY(textSlips(mended.toStdString()).empty());
}

void TstTextFixes::hostileTextsEnd()
{
    std::string comments = "{", dots = "{\"a\": 1", keys = "{\"a\": 0", open = "{\"a\": {{", quotes = "{", tuples = "{\"a\": ", triples = "{\"a\": \"\"\"", calls = "{\"a\": [";
    for (int i = 0; i < 20'000; ++i) {
        comments += "/* */\n";
        dots += ", ...";
        quotes += "'a': True,,";
        tuples += i % 2 == 0 ? "[(1, " : ":(2,2,";
        triples += "\\\"\"\":";
        calls += "int(, (   , ";
        open += "{{";
    }
    for (int i = 0; i < 300; ++i)
        keys += ", \"a\": 1";
    CheckFinding finding;
    finding.line = finding.column = 1;
    const std::clock_t start = std::clock();   // of this process: a busy machine is no reason
    (void)mendedText(comments + "}", finding, TextFix::StrictJson);
    (void)mendedText(std::string(200'000, '['), finding, TextFix::Close);
    QVERIFY(textSlips("{" + std::string(200'000, ',') + "}").empty());
    (void)textSlips(tuples + "}");
    (void)textSlips(triples + "}");
    (void)textSlips(calls + "}");
    quotes += "'b': 1";
    const std::vector<TextSlip> many = textSlips(quotes);
    QCOMPARE(many.size(), std::size_t{60'001});
    QCOMPARE(slipFindings(quotes, many, {}).size(), std::size_t{101});
    (void)mendedText(dots + "}", finding, TextFix::Placeholders);
    (void)mendedText(open + "}", finding, TextFix::Placeholders);
    finding.pointer = "/a";
    QCOMPARE(mendedText(keys + "}", finding, TextFix::KeepLast), std::optional<std::string>("{\"a\": 1}"));
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    QVERIFY2(seconds < 5, qPrintable(QString::number(seconds)));
}

QTEST_APPLESS_MAIN(TstTextFixes)
#include "tst_text_fixes.moc"
