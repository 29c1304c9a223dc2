// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about a value without quotes is right when it is followed: the file is then not refused there for the same reason.
#include "config/bare_text.h"
#include "config/check.h"
#include "config/hjson_reader.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;

class TstBareText : public QObject {
    Q_OBJECT

private slots:
    void advice_data();
    void advice();
    void placeholdersEndWhereTheyEnd();
    void following_data();
    void following();
    void commas_data();
    void commas();
    void plainCharacters_data();
    void plainCharacters();
};

void TstBareText::advice_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("write");
    const auto row = [](const char* text, const char* message, const char* write) { QTest::newRow(text) << QString(text) << QString(message) << QString(write); };
    row(".0001}", "text.instead", "0.0001");
    row("1.}", "text.instead", "1.0");
    row("+1,", "text.instead", "1");
    row("-.5e3,", "text.instead", "-0.5e3");
    row("007,", "text.instead", "7");
    row("5_000_000,", "text.instead", "5000000");
    row("500 000 000,", "text.instead", "500000000");
    row("0x10,", "text.instead", "16");
    row("True,", "text.instead", "true");
    row("True  # this, that", "text.instead", "true");
    row("8 // this, that", "text.instead", "8");
    row("AdamW /* it, alone */", "text.instead.quotes", "\"AdamW\"");
    row("/data/a#b,", "text.instead.quotes", "\"/data/a#b\"");
    row("NULL}", "text.instead", "null");
    row("undefined}", "text.instead", "null");
    row("yes,", "text.instead.switch", "true");
    row("OFF}", "text.instead.switch", "false");
    row("2**20,", "text.instead", "1048576");
    row("(1 + 2) * 3 / 2,", "text.instead", "4.5");
    row("2024-10-12,", "text.instead.number", "");
    row("4 / 0,", "text.instead.number", "");
    row("5*1e8}", "text.instead", "5e8");
    row("NaN,", "text.instead.number", "");
    row("10%,", "text.instead.amount", "\"10%\"");
    row("500M,", "text.instead.unit", "500000000");
    row("1.1k}", "text.instead.unit", "1100");
    row("0.5 G,", "text.instead.unit", "500000000");
    row("500MB,", "text.instead.amount", "\"500MB\"");
    row("5*10^8,", "text.instead.power", "500000000");
    row("2^10}", "text.instead.power", "1024");
    row("10^12,", "text.instead.power", "1000000000000");
    row("2 (default),", "text.instead.remark", "2");
    row("2\uff08\u9ed8\u8ba4\uff09,", "text.instead.remark", "2");
    row("true \uff08\u5f00\u542f\uff09}", "text.instead.remark", "true");
    row("AdamW (default),", "text.instead.quotes", "\"AdamW (default)\"");
    row("8;", "text.instead.semicolon", "8");
    row("8; \"b\": 1}", "text.instead.semicolon.between", "8,");
    row("AdamW\"}", "text.instead.quotes", "\"AdamW\"");
    row("8 \"b\": 1}", "text.instead.comma", "8,");
    row("8 b: 1}", "text.instead.comma", "8,");
    row("0.9 0.999]}}", "text.instead.commas", "0.9, 0.999");
    row("0.9  .95 1e-3]", "text.instead.commas", "0.9, 0.95, 1e-3");
    row("0.999 1e-8]}", "text.instead.commas", "0.999, 1e-8");
    row("1 2]", "text.instead.commas", "1, 2");
    row("100 200 300]", "text.instead.commas", "100, 200, 300");
    row("0.9 0.999}", "text.instead.commas", "[0.9, 0.999]");
    row("0.9 0.95, \"eps\": 1}", "text.instead.commas", "[0.9, 0.95]");
    row("0.9 0.95, 0.999]", "text.instead.commas", "0.9, 0.95");
    row("not args.bf16,", "text.instead.script", "\"not args.bf16\"");
    row("config[\"clip\"],", "text.instead.script.value", "");
    row("os.path.join(args.out, \"tb\"),", "text.instead.script.value", "");
    row("args.dtype == \"bf16\"}", "text.instead.script.value", "");
    row("(0.9 0.999)}}", "text.instead.commas", "[0.9, 0.999]");
    row("500 000}", "text.instead", "500000");
    row("2 500 000}", "text.instead", "2500000");
    row("5 e8}", "text.instead", "5e8");
    row("AdamW \"params\": {}}", "text.instead.comma", "\"AdamW\",");
    row("8\uff0c\"b\": 1}", "text.instead.character", ",");
    row("8\uff5d", "text.instead.character", "}");
    row("500\uff0c000}", "text.instead", "500000");
    row("\u00a08,", "text.instead.letters", "8");
    row("\uff18,", "text.instead.letters", "8");
    row("8\u200b}", "text.instead.letters", "8");
    row("\u201cAdamW\u201d}", "text.instead.quotes", "\"AdamW\"");
    row("${BS},", "text.instead.placeholder", "");
    row("GBSIZE,", "text.instead.name", "\"GBSIZE\"");
    row("PRESCALE_GRAD}", "text.instead.name", "\"PRESCALE_GRAD\"");
    row("LR}", "text.instead.name", "\"LR\"");
    row("O1,", "text.instead.quotes", "\"O1\"");
    row("AdamW,", "text.instead.quotes", "\"AdamW\"");
    row("<batch>,", "text.instead.placeholder", "");
    row("adamw,", "text.instead.quotes", "\"adamw\"");
    row("ture}", "text.instead.switch", "true");
    row("Flase,", "text.instead.switch", "false");
    row("nulll}}", "text.instead.switch", "null");
    row("full}", "text.instead.quotes", "\"full\"");
    row("/data/a,b}}", "text.instead.whole", "\"/data/a,b\"");
    row("/data/a b,c/d},", "text.instead.whole", "\"/data/a b,c/d\"");
    row("int(5e8)}", "text.instead", "500000000");
    row("int(1e9),", "text.instead", "1000000000");
    row("int(-2.9)", "text.instead", "-2");
    row("float(1) # one", "text.instead", "1.0");
    row("float( 1e-5 )}},", "text.instead", "1e-5");
    row("(5e8),", "text.instead", "5e8");
    row("(0.9, 0.95)}}", "text.instead.tuple", "[0.9, 0.95]");
    row("(0.9, 0.95), \"eps\": 1e-8}", "text.instead.tuple", "[0.9, 0.95]");
    row("()", "text.instead.tuple", "[]");
    row("(True, 'x', \"y\", )", "text.instead.tuple", "[true, \"x\", \"y\"]");
    row("args.batch_size,", "text.instead.script", "\"args.batch_size\"");
    row("len(data) * 2}", "text.instead.script", "\"len(data) * 2\"");
    row("hostfile.,", "text.instead.quotes", "\"hostfile.\"");
    row("int(5e8) * 2}", "text.instead.script", "\"int(5e8) * 2\"");
    row("int(1e300)}", "text.instead.script", "\"int(1e300)\"");
    row("/data/a, \"b\": 1}", "text.instead.quotes", "\"/data/a\"");
}

void TstBareText::advice()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    QFETCH(QString, write);
    const BareAdvice advice = bareAdvice(text.toStdString(), false);
    QCOMPARE(QString::fromStdString(advice.message), message);
    QCOMPARE(QString::fromStdString(advice.write), write);
}

/// A bracket behind a placeholder ends the section, unless the placeholder has opened it.
void TstBareText::placeholdersEndWhereTheyEnd()
{
    for (const auto& [text, found] : {std::pair{"$BS}", "$BS"}, std::pair{"<N>}}", "<N>"}, std::pair{"...}", "..."}, std::pair{"%BS%}", "%BS%"}, std::pair{"${BS}}", "${BS}"}, std::pair{"{{ bs }}}", "{{ bs }}"}}) {
        QCOMPARE(QString::fromStdString(bareAdvice(text, false).found), QString(found));
    }
}

void TstBareText::following_data()
{
    QTest::addColumn<QString>("value");
    for (const char* value : {".0001", "1.", "+1", "-.5", "007", "1_000", "500 000 000", "0x1F", "True", "False", "None", "NULL", "yes", "Off", "AdamW", "\u201cAdamW\u201d", "\u00a08", "8\u200b", "\uff18", "\uff0b1", "10%", "5GB", "8;", "AdamW\"",
                              "8\uff0c \"z\": 1", "8\uff1b \"z\": 1", "8 \"z\": 1", "AdamW \"z\": 1", "8 z: 1", "500\uff0c000", "\u3000true", "/data/a b", "1.2.3", "torch.float16", "a\u00a0b"})
        QTest::newRow(value) << QString(value);
}

/// Before a bracket, where it is refused, and before a comma, where it may be read.
void TstBareText::following()
{
    QFETCH(QString, value);
    for (const char* form : {"{\"x\": {\"a\": %1},\n \"train_batch_size\": 8}", "{\"x\": {\"a\": %1,\n \"b\": 1}, \"train_batch_size\": 8}", "{\"train_batch_size\": 8, \"x\": [%1]\n}"}) {
        const std::string text = QString(form).arg(value).toStdString();
        const ReadText read = readHjson(text);
        const bool member = value.contains('z') && QString(form).contains('[');  // no list has keys
        if (read.swallowed.empty() || member) continue;
        const std::string& bare = read.swallowed.front().text;
        const std::size_t at = text.find(bare);
        QVERIFY(at != std::string::npos);
        const BareAdvice advice = bareAdvice(bare, !read.problem.has_value());
        QVERIFY2(!advice.write.empty() || advice.length > 0, bare.c_str());
        std::string followed = text;
        followed.replace(at + advice.begin, advice.length, advice.write);
        const ReadText again = readHjson(followed);
        const bool sameAgain = std::any_of(again.swallowed.begin(), again.swallowed.end(), [&](const SwallowedText& each) { return each.place.line == read.swallowed.front().place.line && each.text == bare; });
        QVERIFY2(!again.problem.has_value() && !sameAgain, (text + "\n" + advice.message + "\n" + followed).c_str());
    }
}

void TstBareText::commas_data()
{
    QTest::addColumn<QString>("run");
    QTest::addColumn<QString>("number");
    QTest::newRow("thousands") << "500,000,000" << "500000000";
    QTest::newRow("one thousand") << "1,024" << "1024";
    QTest::newRow("Indian") << "5,00,000" << "500000";
    QTest::newRow("a decimal comma") << "0,001" << "0.001";
    QTest::newRow("a decimal comma behind one") << "1,5" << "1.5";
    QTest::newRow("a decimal comma with an exponent") << "1,5e-4" << "1.5e-4";
}

void TstBareText::commas()
{
    QFETCH(QString, run);
    QFETCH(QString, number);
    QCOMPARE(QString::fromStdString(withoutCommas(run.toStdString())), number);
    const auto answer = checkConfig(QStringLiteral("{\"train_batch_size\": 8, \"gradient_clipping\": %1}").arg(run).toStdString(), {});
    QVERIFY(!answer->ok && answer->findings.front().rule == "text.thousands");
    QVERIFY2(answer->findings.front().message.find(number.toStdString()) != std::string::npos, answer->findings.front().message.c_str());
}

void TstBareText::plainCharacters_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("plain");
    QTest::addColumn<int>("changed");
    const auto row = [](const char* name, const QString& text, const QString& plain, int changed) { QTest::newRow(name) << text << plain << changed; };
    row("typographic quotes, colon and comma", u"{\u201ca\u201d\uff1a 1\uff0c \"b\": 2}"_qs, R"({"a": 1, "b": 2})", 4);
    row("a string opened by one kind and closed by the other", u"{\u201ca\": 1}"_qs, R"({"a": 1})", 1);
    row("what stands in strings is kept", u"{\"a\uff1a\": \"\u201cTrue\u201d\"}"_qs, u"{\"a\uff1a\": \"\u201cTrue\u201d\"}"_qs, 0);
    row("and in comments", u"# \uff1a True\n{\"a\": 1} // None\n/* \uff0c */"_qs, u"# \uff1a True\n{\"a\": 1} // None\n/* \uff0c */"_qs, 0);
    row("Python's words", R"({'a': True, "b": [False,None], "c": Trueish, "d": NotTrue, "e": True})", R"({'a': true, "b": [false,null], "c": Trueish, "d": NotTrue, "e": true})", 4);
    row("escaped quotes", R"({"a\"b": True})", R"({"a\"b": true})", 1);
    row("a string that never ends", "{\"a: True\n, \"b\": True}", "{\"a: True\n, \"b\": true}", 1);
    row("a word before a strange comma", u"{\"a\": True\uff0c \"b\": 1}"_qs, R"({"a": true, "b": 1})", 2);
    row("nothing", "", "", 0);
    row("blanks that are none", u"{\u00a0\"a\":\u30001}"_qs, "{ \"a\": 1}", 2);
}

void TstBareText::plainCharacters()
{
    QFETCH(QString, text);
    QFETCH(QString, plain);
    QFETCH(int, changed);
    const PlainText made = inPlainCharacters(text.toStdString());
    QCOMPARE(QString::fromStdString(made.text), plain);
    QCOMPARE(made.changed, changed);
    QCOMPARE(QString::fromStdString(inPlainCharacters(made.text).text), plain);
}

QTEST_APPLESS_MAIN(TstBareText)
#include "tst_bare_text.moc"
