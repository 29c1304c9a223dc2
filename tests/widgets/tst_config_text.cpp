// SPDX-License-Identifier: GPL-3.0-or-later
// Text as files hold it, through the editor and back.
#include "config_owner.h"
#include "widgets/config_editor.h"
#include "widgets/config_fix.h"
#include "widgets/config_form.h"
#include "widgets/config_model.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QtTest>

using namespace stagecraft;

class TstConfigText : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void isKeptByteForByte_data();
    void isKeptByteForByte();
    void tooManyValuesGiveOneMessage();
};

void TstConfigText::isKeptByteForByte_data()
{
    QTest::addColumn<QByteArray>("text");
    const QByteArray plain = "{\n  \"train_batch_size\": 16\n}\n";
    QTest::newRow("a mark of UTF-8 at its start") << "\xEF\xBB\xBF" + plain;
    QTest::newRow("a comment in Latin-1") << QByteArray("{\n  // gr\xF6\xDF") + "e\n  \"train_batch_size\": 16\n}\n";
    QTest::newRow("a zero") << QByteArray("{\n  \"train_batch_size\": 16, // ") + QByteArray(1, '\0') + " and more\n}\n";
    QTest::newRow("lines of Windows") << QByteArray("{\r\n  \"train_batch_size\": 16\r\n}\r\n");
    QTest::newRow("characters outside of the plane") << QByteArray("{\n  // \xF0\x9F\x98\x80 \xE6\xA8\xA1\n  \"train_batch_size\": 16\n}\n");
}

void TstConfigText::isKeptByteForByte()
{
    QFETCH(QByteArray, text);
    ConfigPage page;
    Owner owner(page);
    page.resize(1280, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    ConfigEditor* editor = page.editor();
    page.setText(text);
    QCOMPARE(editor->bytes(), text);
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(text.size()));
    QTest::keyClick(editor, Qt::Key_Space);
    editor->flush();
    QCOMPARE(page.text(), text + ' ');
    owner.stack.undo();
    QCOMPARE(page.text(), text);
    QCOMPARE(editor->bytes(), text);
    page.model().setValue(QStringLiteral("/train_batch_size"), "32", QStringLiteral("batch"));
    QCOMPARE(editor->bytes(), page.text());
    if (!page.model().syntaxError())
        QCOMPARE(page.text(), QByteArray(text).replace("16", "32"));
    else
        QCOMPARE(page.text(), text);
}

void TstConfigText::tooManyValuesGiveOneMessage()
{
    ConfigPage page;
    Owner owner(page);
    QByteArray text = "{\"zero_optimization\": {\"stage\": 2";
    for (std::size_t i = 0; i < ConfigModel::kMostValues; ++i)
        text += ", \"key_" + QByteArray::number(static_cast<qulonglong>(i)) + "\": 1";
    text += "}}";
    page.setText(text);
    QVERIFY(page.model().syntaxError().has_value());
    QCOMPARE(page.model().answer().findings.size(), std::size_t{1});
    QVERIFY(page.model().syntaxMessage().contains(QStringLiteral("20,00")));
    // The limit is this window's: nothing says that DeepSpeed refuses the file.
    const CheckFinding& finding = page.model().answer().findings.front();
    QVERIFY(finding.severity == CheckSeverity::Warning && finding.effect != CheckEffect::Refused && !page.model().answer().level);
    QCOMPARE(effectWords(finding), QString());
    QVERIFY(!page.form()->findChild<QLabel*>(QStringLiteral("formNotice"))->text().contains(QStringLiteral("last text")));
    // DeepSpeed's verdict comes all the same, and with it the first of what it refuses.
    QTRY_VERIFY(!page.model().answer().release.empty());
    QVERIFY(!page.model().answer().ok && page.model().answer().findings.size() == 2);
    QVERIFY2(page.model().answer().findings.front().message.find("key_0") != std::string::npos, page.model().answer().findings.front().message.c_str());
    QCOMPARE(page.model().answer().findings.back().rule, std::string("window.too_many"));
    QCOMPARE(page.editor()->bytes(), text);
    page.setText("{\"train_batch_size\": 16}");
    QVERIFY(!page.model().syntaxError().has_value());
    QVERIFY(page.model().answer().parseOk);
}

QTEST_MAIN(TstConfigText)
#include "tst_config_text.moc"
