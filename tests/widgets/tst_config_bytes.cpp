// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever bytes a file holds, the text view holds the same: nothing is lost by opening, and an edit changes its own place alone.
#include "widgets/config_page.h"

#include "../base/test_seed.h"
#include "config_owner.h"

#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_model.h"
#include "widgets/text_encoding.h"
#include "widgets/theme.h"

#include <QInputMethodEvent>
#include <QMenu>
#include <QtTest>

#include <algorithm>
#include <random>

using namespace stagecraft;

namespace {

const QByteArray kPlain = "{\n  \"train_batch_size\": 16,\n  \"zero_optimization\": {\"stage\": 2, \"cpu_offload\": false}\n}\n";
const QByteArray kMark = "\xEF\xBB\xBF";

/// What an input method sends for one word: what is composed letter by letter, then the word itself, or nothing.
void compose(QWidget* editor, const QStringList& letters, const QString& word)
{
    for (const QString& composed : letters) {
        QInputMethodEvent event(composed, {});
        QCoreApplication::sendEvent(editor, &event);
        QCoreApplication::processEvents();
    }
    QInputMethodEvent event;
    event.setCommitString(word);
    QCoreApplication::sendEvent(editor, &event);
    QCoreApplication::processEvents();
}

}  // namespace

class TstConfigBytes : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void anyBytesStayThemselves();
    void editsOfATextWithAMarkHitTheirPlace();
    void nothingIsTypedBeforeTheMark();
    void typingInForeignBytesChangesItsPlaceAlone_data();
    void typingInForeignBytesChangesItsPlaceAlone();
    void cutAndPasteKeepForeignBytes();
    void anInputMethodLeavesOnlyWhatItCommits();
    void anEditWhileComposingLosesNeither();
    void foreignTextIsConvertedInOneStep();
    void encodingsAreToldApart_data();
    void encodingsAreToldApart();

private:
    std::unique_ptr<ConfigPage> m_page;
    std::unique_ptr<Owner> m_owner;
};

void TstConfigBytes::init()
{
    if (!theme::Theme::instance())
        theme::Theme::install(*qApp);
    m_page = std::make_unique<ConfigPage>();
    m_owner = std::make_unique<Owner>(*m_page);
    m_page->resize(1280, 800);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void TstConfigBytes::cleanup()
{
    m_owner.reset();
    m_page.reset();
}

void TstConfigBytes::anyBytesStayThemselves()
{
    std::mt19937 random(stagecraft::testing::testSeed());
    const QByteArrayList pieces{kMark, QByteArray(1, '\0'), "\xF6", "\xDF", "\xC3\xB6", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80", "\xED\xA0\x80", "\r\n", "\r", "\n", "{", "}", "\"a\": 1,", "// ", " ", "\xE2\x80\xA8"};
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    for (int round = 0; round < 60; ++round) {
        QByteArray bytes;
        for (auto left = random() % 40; left > 0; --left)
            bytes += random() % 4 == 0 ? QByteArray(1, static_cast<char>(random() % 256)) : pieces[static_cast<qsizetype>(random() % static_cast<unsigned>(pieces.size()))];
        m_page->setText(bytes);
        editor->flush();
        QCOMPARE(editor->bytes(), bytes);
        QCOMPARE(m_page->text(), bytes);
        QCOMPARE(m_owner->stack.count(), 0);

        editor->setCursorOffset(bytes.isEmpty() ? 0 : static_cast<int>(random() % static_cast<unsigned>(bytes.size())));
        const int at = bytes.startsWith(kMark) ? std::max(editor->cursorOffset(), 3) : editor->cursorOffset();  // never before the mark
        QTest::keyClick(editor, Qt::Key_Space);
        editor->flush();
        QByteArray expected = bytes;
        expected.insert(at, ' ');
        QCOMPARE(m_page->text(), expected);
        QCOMPARE(editor->bytes(), expected);
        m_owner->stack.undo();
        QCOMPARE(m_page->text(), bytes);
        QCOMPARE(editor->bytes(), bytes);
        m_owner->stack.clear();
    }
}

void TstConfigBytes::editsOfATextWithAMarkHitTheirPlace()
{
    m_page->setText(kMark + kPlain);
    m_page->model().setValue("/train_batch_size", "32", "Set");
    QByteArray expected = kMark + kPlain;
    expected.replace("16", "32");
    QCOMPARE(m_page->text(), expected);
    QCOMPARE(m_page->editor()->bytes(), expected);
    const int finding = m_page->model().findingAt("/zero_optimization/cpu_offload");
    QVERIFY(finding >= 0);
    m_page->model().fix(finding);
    QVERIFY(m_page->text() != expected);
    QVERIFY(m_page->text().startsWith(kMark + "{\n  \"train_batch_size\": 32,\n"));
    QVERIFY(!m_page->text().contains("cpu_offload"));
    QCOMPARE(m_page->editor()->bytes(), m_page->text());
    m_owner->stack.undo();
    QCOMPARE(m_page->editor()->bytes(), expected);
    m_owner->stack.undo();
    QCOMPARE(m_page->text(), kMark + kPlain);
    QCOMPARE(m_page->editor()->bytes(), m_page->text());
}

void TstConfigBytes::nothingIsTypedBeforeTheMark()
{
    m_page->setText(kMark + kPlain);
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->setCursorOffset(8);
    QTest::keyClick(editor, Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_Left);
    QTest::keyClicks(editor, " ");
    editor->flush();
    QCOMPARE(m_page->text(), kMark + " " + kPlain);
    QVERIFY(!m_page->model().syntaxError());
}

void TstConfigBytes::typingInForeignBytesChangesItsPlaceAlone_data()
{
    QTest::addColumn<QByteArray>("text");
    QByteArray comment = kPlain;
    comment.replace("16,", "16, // gr\xF6\xDF" "e");
    QTest::newRow("Latin-1 in a comment, before the end of its line") << comment;
    QByteArray zero = kPlain;
    zero.replace("false", QByteArray("\"a\0b\"", 5));
    QTest::newRow("a zero byte in a string") << zero;
    QTest::newRow("a byte order mark") << kMark + kPlain;
    QTest::newRow("nothing but a byte that is no UTF-8") << QByteArray("\xFF");
}

void TstConfigBytes::typingInForeignBytesChangesItsPlaceAlone()
{
    QFETCH(QByteArray, text);
    m_page->setText(text);
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    QTest::mouseClick(editor->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(120, 20));
    QTest::keyClick(editor, Qt::Key_End, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_Space);
    editor->flush();
    QCOMPARE(m_page->text(), text + " ");
    QTest::keyClick(editor, Qt::Key_Backspace);
    editor->flush();
    QCOMPARE(m_page->text(), text);
}

void TstConfigBytes::cutAndPasteKeepForeignBytes()
{
    QByteArray text = kPlain;
    text.replace("16,", "16, // gr\xF6\xDF" "e");
    m_page->setText(text);
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->selectAll();
    editor->cut();
    editor->flush();
    QVERIFY(m_page->text().isEmpty());
    const int steps = m_owner->stack.count();
    editor->paste();
    editor->flush();
    QCOMPARE(m_page->text(), text);
    // A step of its own, by its own name, which what is typed behind it does not join.
    QCOMPARE(m_owner->stack.count(), steps + 1);
    QCOMPARE(m_owner->stack.undoText(), QStringLiteral("Paste"));
    QTest::keyClicks(editor, " ");
    editor->flush();
    QCOMPARE(m_owner->stack.undoText(), QStringLiteral("Typing"));
    m_owner->stack.undo();
    QCOMPARE(m_page->text(), text);
}

void TstConfigBytes::anInputMethodLeavesOnlyWhatItCommits()
{
    m_page->setText(kPlain);
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->setCursorOffset(kPlain.indexOf("16,") + 3);
    QTest::keyClicks(editor, " // ");
    compose(editor, {"z", "zh", "zhong"}, "\u4E2D");
    compose(editor, {"w", "wen"}, "\u6587");
    compose(editor, {"x", "xu"}, "");   // given up
    editor->flush();
    QByteArray expected = kPlain;
    expected.replace("16,", "16, // \xE4\xB8\xAD\xE6\x96\x87");
    QCOMPARE(editor->bytes(), expected);
    QCOMPARE(m_page->text(), expected);
    QTest::keyClick(editor, Qt::Key_Backspace);
    editor->flush();
    QCOMPARE(m_page->text(), QByteArray(expected).replace("\xE6\x96\x87", ""));
    while (m_owner->stack.canUndo())
        m_owner->stack.undo();
    QCOMPARE(editor->bytes(), kPlain);

    // A word over a selection takes its place; one whose composition is given up leaves it gone, as any editor does.
    editor->SendScintilla(QsciScintilla::SCI_SETSEL, static_cast<unsigned long>(kPlain.indexOf("16")), static_cast<long>(kPlain.indexOf("16") + 2));
    compose(editor, {"e", "er"}, "\u4E8C");
    editor->flush();
    QCOMPARE(m_page->text(), QByteArray(kPlain).replace("16", "\xE4\xBA\x8C"));
}

void TstConfigBytes::anEditWhileComposingLosesNeither()
{
    m_page->setText(kPlain);
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(kPlain.size()));
    QTest::keyClicks(editor, "// ");
    QInputMethodEvent begun("zh", {});
    QCoreApplication::sendEvent(editor, &begun);
    QCoreApplication::processEvents();
    QCOMPARE(m_page->text(), kPlain + "// ");   // what is typed counts, what is composed does not yet
    m_page->model().setValue("/train_batch_size", "32", "Set");
    QCOMPARE(m_page->text(), QByteArray(kPlain + "// ").replace("16", "32"));
    QCOMPARE(editor->bytes(), m_page->text());
    compose(editor, {"w"}, "\u6587");
    editor->flush();
    QCOMPARE(m_page->text(), QByteArray(kPlain + "// \xE6\x96\x87").replace("16", "32"));
}

void TstConfigBytes::foreignTextIsConvertedInOneStep()
{
    QByteArray text = kPlain, expected = kPlain;
    text.replace("16,", "16, // gr\xF6\xDF" "e");
    expected.replace("16,", "16, // gr\xC3\xB6\xC3\x9F" "e");
    m_page->setText(text);
    // Said once, with its place, and with what can be done.
    QCOMPARE(m_page->model().answer().findings.size(), std::size_t{1});
    QCOMPARE(m_page->model().answer().findings[0].line, 2);
    QAbstractItemModel* rows = m_page->findings()->view()->model();
    QCOMPARE(rows->index(0, FindingsModel::Fix).data().toString(), QString("Convert from Windows-1252"));
    QVERIFY(!m_page->findings()->view()->isColumnHidden(FindingsModel::Fix));
    m_page->model().fix(0);
    QCOMPARE(m_page->text(), expected);
    QCOMPARE(m_page->editor()->bytes(), expected);
    QVERIFY(!m_page->model().syntaxError());
    QCOMPARE(m_owner->stack.undoText(), QString("Convert to UTF-8 from Windows-1252"));
    m_owner->stack.undo();
    QCOMPARE(m_page->text(), text);
    QCOMPARE(m_page->editor()->bytes(), text);

    // The same from the text.
    m_page->editor()->openFixes();
    auto* menu = m_page->editor()->findChild<QMenu*>("quickFixes");
    QVERIFY(menu);
    QCOMPARE(menu->actions().front()->text(), QString("Convert to UTF-8 from Windows-1252"));
    menu->actions().front()->trigger();
    menu->close();
    QCOMPARE(m_page->text(), expected);
}

void TstConfigBytes::encodingsAreToldApart_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("chinese");
    QTest::addColumn<QString>("encoding");
    QTest::addColumn<QByteArray>("utf8");
    QTest::newRow("UTF-8 needs none") << QByteArray("\xC3\xB6 \xE4\xB8\xAD") << false << QString() << QByteArray();
    QTest::newRow("the quotes of Windows") << QByteArray("\x93stage\x94 \x80") << false << QString("Windows-1252") << QByteArray("\xE2\x80\x9Cstage\xE2\x80\x9D \xE2\x82\xAC");
    QTest::newRow("two programs wrote it") << QByteArray("\xC3\xB6 and \xF6") << false << QString("Windows-1252") << QByteArray("\xC3\xB6 and \xC3\xB6");
    QTest::newRow("UTF-16 of a Windows shell") << QByteArray("\xFF\xFE{\0}\0", 6) << false << QString("UTF-16") << QByteArray("{}");
    QTest::newRow("UTF-16, the other way round") << QByteArray("\xFE\xFF\0{\0}", 6) << false << QString("UTF-16") << QByteArray("{}");
    QTest::newRow("a surrogate alone is no UTF-8") << QByteArray("\xED\xA0\x80") << false << QString("Windows-1252") << QByteArray("\xC3\xAD\xC2\xA0\xE2\x82\xAC");
}

void TstConfigBytes::encodingsAreToldApart()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, chinese);
    QFETCH(QString, encoding);
    QFETCH(QByteArray, utf8);
    const QStringList ways = likelyEncodings(text, chinese);
    QCOMPARE(ways.isEmpty() ? QString() : ways.front(), encoding);
    QCOMPARE(isUtf8(text), encoding.isEmpty());
    if (!encoding.isEmpty())
        QCOMPARE(utf8From(text, encoding).value_or("none"), utf8);
}

QTEST_MAIN(TstConfigBytes)
#include "tst_config_bytes.moc"
