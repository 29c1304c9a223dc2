// SPDX-License-Identifier: GPL-3.0-or-later
// A ds_config that stands in a workspace, as the Config page shows it: as it would stand in a file of its own.
#include "app/session/workspace_document.h"
#include "config/inline_text.h"

#include <QUndoStack>
#include <QtTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::app;

class TstInlineText : public QObject {
    Q_OBJECT
private slots:
    void isShownAsInAFileOfItsOwn_data();
    void isShownAsInAFileOfItsOwn();
    void editsOfWhatIsShownAreEditsOfTheText();
    void theDocumentKeepsItsOwnIndentation();
};

namespace {

ByteRange configOf(const std::string& text)
{
    const auto document = JsonDocument::parse(text);
    return document.hasValue() ? document->locate("/dsConfig").value_or(JsonPlace()).value : ByteRange();
}

}  // namespace

void TstInlineText::isShownAsInAFileOfItsOwn_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("indented by two") << QByteArray("{\n  \"dsConfig\": {\n    \"a\": 1,\n\n    \"b\": [\n      2\n    ]\n  }\n}\n") << QByteArray("{\n  \"a\": 1,\n\n  \"b\": [\n    2\n  ]\n}");
    QTest::newRow("by a tab, with the lines of Windows") << QByteArray("{\r\n\t\"dsConfig\": {\r\n\t\t\"a\": 1\r\n\t}\r\n}\r\n") << QByteArray("{\r\n\t\"a\": 1\r\n}");
    QTest::newRow("on one line") << QByteArray("  {\"dsConfig\": {\"a\": 1}}") << QByteArray("{\"a\": 1}");
    QTest::newRow("a line that is less deep") << QByteArray("{\n  \"dsConfig\": {\n\"a\": 1\n  }\n}\n") << QByteArray("{\n\"a\": 1\n  }");
    QTest::newRow("an empty one") << QByteArray("{\n  \"dsConfig\": {}\n}\n") << QByteArray("{}");
}

void TstInlineText::isShownAsInAFileOfItsOwn()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    const std::string whole = text.toStdString();
    const InlineText inside(whole, configOf(whole));
    QCOMPARE(QByteArray::fromStdString(inside.shown()), shown);
    const std::string value = whole.substr(configOf(whole).begin, configOf(whole).size());
    for (std::size_t at = 0; at < value.size(); ++at) {
        const std::size_t there = inside.shownOffset(at);
        QVERIFY(there < inside.shown().size());
        QVERIFY(inside.shown()[there] == value[at] || value[at] == ' ' || value[at] == '\t');
    }
}

void TstInlineText::editsOfWhatIsShownAreEditsOfTheText()
{
    // All taken out, and lines written in its place.
    const std::string hollow = "{\n  \"dsConfig\": \n}\n", lines = "\n  \"k\": 1,\n";
    const std::string filled = applyEdits(std::string(), {InlineText(hollow, {16, 16}).within({0, 0, lines})});
    QCOMPARE(InlineText("{\n  \"dsConfig\": " + filled + "\n}\n", {16, 16 + filled.size()}).shown(), lines);
    const bool again = qEnvironmentVariableIsSet("STAGECRAFT_SEED");
    const unsigned seed = again ? qEnvironmentVariable("STAGECRAFT_SEED").toUInt() : QRandomGenerator::global()->generate();
    std::mt19937 random(seed);
    const auto upTo = [&random](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
    const std::string pieces[] = {"", "\n", "x", "  ", "\n  \"k\": 1,\n", "{\n", "\n\n", "}"};
    for (int round = 0; round < 300; ++round) {
        std::string before = "{\n  \"dsConfig\": ", value = "{\n    \"a\": 1,\n\n    \"b\": {\n      \"c\": 2\n    }\n  }";
        const std::string after = "\n}\n";
        for (int step = 0; step < 12; ++step) {
            const std::string text = before + value + after;
            const InlineText inside(text, {before.size(), before.size() + value.size()});
            std::string shown = inside.shown();
            TextEdit edit{upTo(shown.size()), 0, pieces[upTo(std::size(pieces) - 1)]};
            edit.end = edit.begin + upTo(std::min<std::size_t>(shown.size() - edit.begin, 9));
            value = applyEdits(value, {inside.within(edit)});
            shown = applyEdits(shown, {edit});
            const std::string now = before + value + after;
            QVERIFY2(InlineText(now, {before.size(), before.size() + value.size()}).shown() == shown,
                     qPrintable(QStringLiteral("seed %1, round %2, step %3:\n%4\nis not\n%5").arg(seed).arg(round).arg(step).arg(QString::fromStdString(value), QString::fromStdString(shown))));
        }
    }
}

void TstInlineText::theDocumentKeepsItsOwnIndentation()
{
    WorkspaceDocument document;
    const std::string text = "{\n  \"stagecraft\": 1,\n  \"dsConfig\": {\n    \"train_batch_size\": 8\n  }\n}\n";
    document.openText(text, QStringLiteral("inline"));
    const std::string shown = document.configText();
    QCOMPARE(shown, std::string("{\n  \"train_batch_size\": 8\n}"));
    // As typed behind the number: a comma, Enter and another key.
    const std::size_t at = shown.find('8') + 1;
    QVERIFY(document.applyEdit(WorkspaceDocument::Part::DsConfig, {at, at, ",\n  \"bf16\": {}"}, QStringLiteral("typed")).hasValue());
    QCOMPARE(document.configText(), std::string("{\n  \"train_batch_size\": 8,\n  \"bf16\": {}\n}"));
    QCOMPARE(document.text(), std::string("{\n  \"stagecraft\": 1,\n  \"dsConfig\": {\n    \"train_batch_size\": 8,\n    \"bf16\": {}\n  }\n}\n"));
    // Where it cannot be read the place is one of what is shown.
    QVERIFY(document.applyEdit(WorkspaceDocument::Part::DsConfig, {at, at + 1, ",,"}, QStringLiteral("typed")).hasValue());
    QCOMPARE(document.textProblem()->context.at("offset"), std::to_string(at + 1));
    document.undoStack().undo();
    document.undoStack().undo();
    QCOMPARE(document.text(), text);
}

QTEST_GUILESS_MAIN(TstInlineText)
#include "tst_inline_text.moc"
