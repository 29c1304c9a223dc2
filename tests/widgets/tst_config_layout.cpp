// SPDX-License-Identifier: GPL-3.0-or-later
// The text laid out anew, and its long lines wrapped: what stays, what stands in the way.
#include "config_owner.h"

#include "widgets/config_editor.h"
#include "widgets/config_layout.h"
#include "widgets/config_model.h"
#include "widgets/text_tools.h"
#include "widgets/theme.h"

#include <nlohmann/json.hpp>

#include <QSignalSpy>
#include <QTabWidget>
#include <QToolButton>
#include <QtTest>

using namespace stagecraft;

class TstConfigLayout : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void keepsAllButTheLayout_data();
    void keepsAllButTheLayout();
    void formatsInOneStep();
    void formatKeepsThePlaceOfTheCaret();
    void refusesWithTheReason_data();
    void refusesWithTheReason();
    void wrapsLongLines();
};

void TstConfigLayout::keepsAllButTheLayout_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("laid");
    QTest::newRow("one line") << QByteArray(R"({"b":5e8,"a":{"x":1.0,"betas":[0.9,0.999]},"e":{},"l":[]})")
                              << QByteArray("{\n  \"b\": 5e8,\n  \"a\": {\n    \"x\": 1.0,\n    \"betas\": [0.9, 0.999]\n  },\n  \"e\": {},\n  \"l\": []\n}");
    QTest::newRow("comments, an empty line, a comma at the end") << QByteArray("# top\n{ // the demo\n\"a\" :1 , // one\n\n\n/* two\n  lines */\n \"b\":2, // end\n}\n// after\n")
                                                                  << QByteArray("# top\n{ // the demo\n  \"a\": 1, // one\n\n  /* two\n  lines */\n  \"b\": 2, // end\n}\n// after\n");
    QTest::newRow("steps of four") << QByteArray("{\n    \"a\": {\"b\": 1}\n}\n") << QByteArray("{\n    \"a\": {\n        \"b\": 1\n    }\n}\n");
    QTest::newRow("tabs") << QByteArray("{\n\t\"a\": {\"b\": 1}}\n") << QByteArray("{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n");
    QTest::newRow("lines of Windows") << QByteArray("{\r\n  \"a\": 1, \"b\": 2\r\n}\r\n") << QByteArray("{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n");
    QTest::newRow("a part of a workspace") << QByteArray("{\n    \"a\": {\"b\": 1}\n  }") << QByteArray("{\n    \"a\": {\n      \"b\": 1\n    }\n  }");
    QTest::newRow("a list of sections") << QByteArray("{\"l\":[{\"a\":1},[2,3]]}") << QByteArray("{\n  \"l\": [\n    {\n      \"a\": 1\n    },\n    [2, 3]\n  ]\n}");
    QTest::newRow("a list with a comment") << QByteArray("{\"l\":[1, // one\n2]}") << QByteArray("{\n  \"l\": [\n    1, // one\n    2\n  ]\n}");
    QTest::newRow("a mark, keys twice, without quotes") << QByteArray("\xEF\xBB\xBF{\"a\":1,\"a\":2, b:\"x\"}") << QByteArray("\xEF\xBB\xBF{\n  \"a\": 1,\n  \"a\": 2,\n  b: \"x\"\n}");
    QTest::newRow("nothing") << QByteArray("{ }\n") << QByteArray("{}\n");
    QTest::newRow("only a comment") << QByteArray("{ // none\n}\n") << QByteArray("{ // none\n}\n");
}

void TstConfigLayout::keepsAllButTheLayout()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, laid);
    const auto document = JsonDocument::parse(text.toStdString());
    QVERIFY2(document.hasValue(), document.hasValue() ? "" : document.error().message.c_str());
    QVERIFY(!layoutObstacle(*document));
    const std::string made = laidOut(*document);
    QCOMPARE(QByteArray::fromStdString(made), laid);
    const auto again = JsonDocument::parse(made);
    QVERIFY(again.hasValue() && again->toJson() == document->toJson());
    QCOMPARE(QByteArray::fromStdString(laidOut(*again)), laid);   // there is nothing left to do
}

void TstConfigLayout::formatsInOneStep()
{
    ConfigPage page;
    Owner owner(page);
    const QByteArray before = R"({"train_batch_size":8,"zero_optimization":{"stage":2,"reduce_bucket_size":5e8}})";
    page.setText(before);
    page.resize(1280, 800);
    page.show();
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    page.editor()->setFocus();
    QTest::keyClick(page.editor(), Qt::Key_F, Qt::KeyboardModifiers(Qt::AltModifier | Qt::ShiftModifier));
    QCOMPARE(owner.stack.count(), 1);
    QCOMPARE(page.text(), QByteArray("{\n  \"train_batch_size\": 8,\n  \"zero_optimization\": {\n    \"stage\": 2,\n    \"reduce_bucket_size\": 5e8\n  }\n}"));
    QCOMPARE(page.editor()->bytes(), page.text());
    // A second time says that there is nothing to do.
    QSignalSpy said(&page, &ConfigPage::messageChanged);
    QTest::mouseClick(page.textTools()->formatButton(), Qt::LeftButton);
    QCOMPARE(owner.stack.count(), 1);
    QCOMPARE(said.back().front().toString(), QStringLiteral("The text is formatted already."));
    owner.stack.undo();
    QCOMPARE(page.text(), before);
}

void TstConfigLayout::formatKeepsThePlaceOfTheCaret()
{
    ConfigPage page;
    Owner owner(page);
    QByteArray before = "{";
    for (int i = 0; i < 120; ++i)
        before += "\"key" + QByteArray::number(i) + "\":   {\"a\":" + QByteArray::number(i) + ", \"b\": [1,2]},\n\n\n";
    before += "\"train_batch_size\":8}\n";
    page.setText(before);
    page.resize(1280, 500);
    page.show();
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    ConfigEditor& editor = *page.editor();
    editor.setFocus();
    const auto caretInSight = [&editor] {
        const long row = editor.SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(editor.SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, static_cast<unsigned long>(editor.cursorOffset()))))
            - editor.SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE);
        return row >= 0 && row < editor.SendScintilla(QsciScintilla::SCI_LINESONSCREEN);
    };
    // At a word, behind one, in the middle of one.
    for (const auto& [word, behind] : {std::pair{"\"key90\"", 0}, std::pair{"\"key90\"", 7}, std::pair{"\"key3\"", 3}, std::pair{"\"train_batch_size\"", 4}}) {
        const auto offset = [&, word = word, behind = behind] { return static_cast<int>(page.text().indexOf(word)) + behind; };
        editor.setCursorOffset(offset());
        QTest::mouseClick(page.textTools()->formatButton(), Qt::LeftButton);
        QVERIFY(page.text() != before);
        QCOMPARE(editor.cursorOffset(), offset());
        QVERIFY(caretInSight());
        owner.stack.undo();
        QCOMPARE(page.text(), before);
        QCOMPARE(editor.cursorOffset(), offset());
        QVERIFY(caretInSight());
    }
}

void TstConfigLayout::refusesWithTheReason_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("broken") << QByteArray("{\"train_batch_size\": 8,\n \"a\": [1}\n") << "line 2";
    QTest::newRow("a value that its line ends") << QByteArray("{\n\"train_batch_size\": 8\n\"optimizer\": AdamW, or so\n}\n") << "line 3";
}

void TstConfigLayout::refusesWithTheReason()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    ConfigPage page;
    const Owner owner(page);
    page.setText(text);
    page.resize(1280, 800);
    page.show();
    QSignalSpy said(&page, &ConfigPage::messageChanged);
    QTest::mouseClick(page.textTools()->formatButton(), Qt::LeftButton);
    QCOMPARE(owner.stack.count(), 0);
    QCOMPARE(page.text(), text);
    QVERIFY(!said.isEmpty());
    const QString words = said.back().front().toString();
    QVERIFY2(words.startsWith(QStringLiteral("The text is not formatted")) && words.contains(reason), qPrintable(words));
}

void TstConfigLayout::wrapsLongLines()
{
    ConfigPage page;
    const Owner owner(page);
    page.setText("{\n  \"wandb\": {\"team\": \"" + QByteArray(40, 'a') + ' ' + QByteArray(400, 'b').replace("bbbbbbbbbb", "bbbbbbbbb ") + "\"}\n}\n");
    page.resize(1280, 800);
    page.show();
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    const auto rows = [&page] { return page.editor()->SendScintilla(QsciScintillaBase::SCI_WRAPCOUNT, 1UL); };
    QCOMPARE(rows(), 1L);
    page.editor()->setFocus();
    QTest::keyClick(page.editor(), Qt::Key_Z, Qt::AltModifier);
    QVERIFY(page.textTools()->wrapButton()->isChecked());
    QTRY_VERIFY(rows() > 1);
    QTest::mouseClick(page.textTools()->wrapButton(), Qt::LeftButton);
    QTRY_COMPARE(rows(), 1L);
    // Both are of the text: beside another view they are not offered.
    page.views()->setCurrentIndex(1);
    QVERIFY(!page.textTools()->wrapButton()->isVisible() && !page.textTools()->formatButton()->isVisible());
}

QTEST_MAIN(TstConfigLayout)
#include "tst_config_layout.moc"
