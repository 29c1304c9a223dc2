// SPDX-License-Identifier: GPL-3.0-or-later
// YAML as the tools' own readers take it. The values were read with PyYAML 6.0.3 (yaml.safe_load).
#include "importers/yaml_reader.h"
#include "importers/yaml_problem.h"

#include <QRegularExpression>
#include <QtTest>

using namespace stagecraft;

class TstYamlReader : public QObject {
    Q_OBJECT
private slots:
    void scalars_data();
    void scalars();
    void keepsPlaces();
    void mergesAndAliases();
    void refuses_data();
    void refuses();
};

void TstYamlReader::scalars_data()
{
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("pyYaml");
    QTest::addColumn<QString>("omegaConf");
    const auto row = [](const char* word, const char* pyYaml, const char* omegaConf = nullptr) { QTest::newRow(word) << QString(word) << QString(pyYaml) << QString(omegaConf != nullptr ? omegaConf : pyYaml); };
    row("1", "1");
    row("-7", "-7");
    row("+7", "7");
    row("1_000", "1000");
    row("0x1F", "31");
    row("0b101", "5");
    row("017", "15");
    row("0", "0");
    row("08", "\"08\"");
    row("1:30", "90");
    for (const char* word : {"0x-1", "0x-0", "0b-1", "0-1", "-0-1", "1:-1", "0_-1"}) row(word, (std::string("\"") + word + "\"").c_str());
    row("1.5", "1.5");
    row("1.", "1.0");
    row(".5", "0.5");
    row("1.0e-5", "1e-5");
    row("1.0e5", "\"1.0e5\"", "1e5");
    row("1.0e+5", "1e5");
    row("1e-5", "\"1e-5\"", "1e-5");
    row("5e8", "\"5e8\"", "5e8");
    row("yes", "true");
    row("no", "false");
    row("Off", "false");
    row("TRUE", "true");
    row("y", "\"y\"");
    row("~", "null");
    row("Null", "null");
    row("none", "\"none\"");
    row("auto", "\"auto\"");
    row("-", "\"-\"");
    row(".", "\".\"");
    row("1.2.3", "\"1.2.3\"");
    row("192.168.0.1", "\"192.168.0.1\"");
    row("99999999999999999999", "99999999999999999999");
}

void TstYamlReader::scalars()
{
    QFETCH(QString, word);
    QFETCH(QString, pyYaml);
    QFETCH(QString, omegaConf);
    QCOMPARE(QString::fromStdString(toJson(yamlScalar(word.toStdString(), YamlDialect::PyYaml))), pyYaml);
    QCOMPARE(QString::fromStdString(toJson(yamlScalar(word.toStdString(), YamlDialect::OmegaConf))), omegaConf);
}

void TstYamlReader::keepsPlaces()
{
    const auto read = readYaml("# a comment\nzero_stage: 3\nnested:\n  'quoted': 'no'\n  list: [1, two]\n", YamlDialect::PyYaml);
    QVERIFY(read.hasValue());
    const ConfigMember* nested = read->root.findMember("nested");
    QVERIFY(nested != nullptr);
    QCOMPARE(nested->keyPlace.line, 3);
    QCOMPARE(nested->value.findMember("list")->keyPlace.line, 5);
    QCOMPARE(nested->value.findMember("list")->keyPlace.column, 3);
    QCOMPARE(toJson(read->root), std::string(R"({"zero_stage": 3, "nested": {"quoted": "no", "list": [1, "two"]}})"));
}

void TstYamlReader::mergesAndAliases()
{
    const auto read = readYaml("base: &b {lr: 1.0, wd: 0.1}\nrun:\n  <<: *b\n  lr: 2.0\nsame: *b\n", YamlDialect::PyYaml);
    QVERIFY(read.hasValue());
    QCOMPARE(toJson(*read->root.find("run")), std::string(R"({"lr": 2.0, "wd": 0.1})"));
    QCOMPARE(toJson(*read->root.find("same")), std::string(R"({"lr": 1.0, "wd": 0.1})"));
    const auto twice = readYaml("a: 1\nb: 2\na: 3\n", YamlDialect::PyYaml);
    QCOMPARE(toJson(twice->root), std::string(R"({"a": 3, "b": 2})"));
    QCOMPARE(twice->repeatedKeys.size(), std::size_t{1});
}

void TstYamlReader::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    QTest::addColumn<int>("line");
    QByteArray bomb("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 12; ++i) {
        bomb += QString("a%1: &a%1 [").arg(i).toLatin1();
        for (int k = 0; k < 10; ++k) bomb += QString("*a%1,").arg(i - 1).toLatin1();
        bomb += "]\n";
    }
    QTest::newRow("an alias bomb") << bomb << QString("aliases included") << 5;
    QTest::newRow("deep flow") << QByteArray("a: ") + QByteArray(100'000, '[') << QString("nested deeper") << 1;
    QTest::newRow("deep dashes") << QByteArray("- ").repeated(100'000) << QString("nested deeper") << 1;
    QByteArray stairs;
    for (int i = 0; i < 300; ++i) stairs += QByteArray(i, ' ') + "k:\n";
    QTest::newRow("deep blocks") << stairs << QString("nested deeper") << 65;
    QTest::newRow("three megabytes") << QByteArray(3 << 20, 'a') << QString("larger than") << 1;
    QTest::newRow("a Python object") << QByteArray("a: 1\nb: !!python/object/apply:os.system ['x']\n") << QString("Python object") << 2;
    QTest::newRow("two documents") << QByteArray("a: 1\n---\nb: 2\n") << QString("second document") << 2;
    QTest::newRow("an alias of itself") << QByteArray("a: &a [*a]\n") << QString("alias") << 1;
    QTest::newRow("an unknown alias") << QByteArray("a: *b\n") << QString("alias") << 1;
    QTest::newRow("a tab") << QByteArray("a:\n\tb: 1\n") << QString("a tab stands") << 2;
    QTest::newRow("an open quote") << QByteArray("a: 'x\n") << QString("not closed") << 1;
    QTest::newRow("a zero byte") << QByteArray("a: 1\nb\0: 2\n", 12) << QString("zero byte") << 2;
    QTest::newRow("no UTF-8") << QByteArray("a: 1\nb: \xff\n") << QString("UTF-8") << 2;
    QTest::newRow("two values in a line") << QByteArray("a: 1\nb: c: 2\n") << QString("no value may begin") << 2;
    QTest::newRow("a line between") << QByteArray("a: 1\nb\nc: 2\n") << QString("the line above") << 3;
    QTest::newRow("a wrong escape") << QByteArray("a: \"C:\\data\"\n") << QString("double quotes") << 1;
    QTest::newRow("an open bracket") << QByteArray("a: [1, 2\nb: 3\n") << QString("bracket") << 2;
}

void TstYamlReader::refuses()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    QFETCH(int, line);
    const auto read = readYaml(text.toStdString(), YamlDialect::PyYaml);
    QVERIFY(!read.hasValue());
    const QString message = QString::fromStdString(read.error().message);
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.startsWith("line "), qPrintable(message));
    QVERIFY2(message.contains(';') || message.contains("than") || message.contains("zero byte"), qPrintable(message));
    QString chinese = QString::fromStdString(yamlReason(read.error(), "zh"));
    static const QRegularExpression english("[a-z]{4,}");
    QVERIFY2(chinese.startsWith(QStringLiteral("第 ")) && !chinese.remove(QStringLiteral("key: value")).remove(QStringLiteral("Python")).remove(QRegularExpression(QStringLiteral("“[^”]*”"))).contains(english), qPrintable(chinese));
    if (says.isEmpty() || line == 1 || says.contains("Python")) QVERIFY2(std::abs(std::stoi(read.error().context.at("line")) - line) <= 1, qPrintable(message));
}

QTEST_GUILESS_MAIN(TstYamlReader)
#include "tst_yaml_reader.moc"
