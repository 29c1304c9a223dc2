// SPDX-License-Identifier: GPL-3.0-or-later
// Text as files hold it, through the editor and back.
#include "config_owner.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_fix.h"
#include "widgets/config_form.h"
#include "widgets/config_model.h"
#include "widgets/theme.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolTip>
#include <QtTest>

#include <functional>

Q_DECLARE_METATYPE(std::function<void(stagecraft::ConfigPage&, stagecraft::Owner&)>)

using namespace stagecraft;

class TstConfigText : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void isKeptByteForByte_data();
    void isKeptByteForByte();
    void tooManyValuesGiveOneMessage();
    void theWorstOfALineIsItsMark_data();
    void theWorstOfALineIsItsMark();
    void fixesAreOfferedAnywhereOnTheLine();
    void assumedRanksGiveWay_data();
    void assumedRanksGiveWay();
    void whatElseIsRefusedIsToldForTheRanksThatFit();
    void whereNoRanksFitTheyAreAskedFor();
    void aMissingValueIsMarkedAtItsColon();
    void aClearedKeyLeavesItsComment();
    void whatASquiggleMeansIsSaidInSeveralLines();
    void aBracketThatIsMissingIsAdded();
    void aPastedDictIsMendedSlipBySlip();
    void whatFailsLaterIsNotRefusedAtStart();
    void theListEndsWithTheTextItIsFor_data();
    void theListEndsWithTheTextItIsFor();
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

void TstConfigText::theWorstOfALineIsItsMark_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("marked");
    QTest::addColumn<int>("mark");
    QTest::newRow("refused and to be removed") << QByteArray("  \"zero_optimization\": {\"stage\": 0, \"cpu_offload\": true},") << QByteArray("\"zero_optimization\"") << 1;
    QTest::newRow("not known") << QByteArray("  \"my_own\": 1,") << QByteArray("\"my_own\"") << 2;
    QTest::newRow("refused, and advised about beside") << QByteArray("  \"fp16\": {\"enabled\": true, \"loss_scale\": \"x\"}, \"my_own\": 1,") << QByteArray("\"x\"") << 1;
}

void TstConfigText::theWorstOfALineIsItsMark()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, marked);
    QFETCH(int, mark);
    ConfigPage page;
    const QByteArray text = "{\n  \"train_batch_size\": 1,\n" + line + "\n  \"optimizer\": {\"type\": \"AdamW\"}\n}\n";
    page.setText(text);
    ConfigEditor* editor = page.editor();
    // One mark in the margin, one below the words: a weaker one would be drawn over it.
    QCOMPARE(editor->SendScintilla(QsciScintillaBase::SCI_MARKERGET, 2UL) & 0xEL, 1L << mark);
    for (int number = 1; number <= 3; ++number)
        QCOMPARE(editor->SendScintilla(QsciScintillaBase::SCI_INDICATORVALUEAT, static_cast<unsigned long>(number), static_cast<long>(text.indexOf(marked) + 1)) != 0, number == mark);
}

void TstConfigText::fixesAreOfferedAnywhereOnTheLine()
{
    ConfigPage page;
    Owner owner(page);
    const QByteArray text = "{\n  \"train_batch_size\": 1,\n  \"zero_optimization\": {\n    \"stage\": 2, \"reduce_buket_size\": 5e8\n  },\n  \"optimizer\": {\"type\": \"AdamW\"}\n}\n";
    page.setText(text);
    ConfigEditor* editor = page.editor();
    for (const char* at : {"    \"stage\"", "\"stage\"", "5e8"}) {
        editor->setCursorOffset(static_cast<int>(text.indexOf(at)));
        editor->openFixes();
        auto* menu = editor->findChild<QMenu*>("quickFixes");
        QVERIFY2(menu && menu->activeAction() && menu->activeAction()->text().contains(QStringLiteral("reduce_bucket_size")), at);
        const auto* reason = menu->findChild<QLabel*>();   // to be read, not greyed out
        QVERIFY(reason && reason->palette().color(QPalette::Disabled, QPalette::WindowText) == theme::color(theme::Token::Text));
        delete menu;
    }
    editor->setCursorOffset(static_cast<int>(text.indexOf("\"type\"")));
    editor->openFixes();
    QVERIFY(!editor->findChild<QMenu*>("quickFixes"));
    QCOMPARE(owner.messages, QStringList{QStringLiteral("Nothing was found on this line")});
}

void TstConfigText::assumedRanksGiveWay_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("ranks");
    const auto row = [](const char* name, const char* rest, int ranks) { QTest::newRow(name) << QByteArray("{\"optimizer\": {\"type\": \"AdamW\"}, ") + rest + "}" << ranks; };
    row("three sizes that agree", R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2)", 8);
    row("for an odd number", R"("train_batch_size": 60, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1)", 15);
    row("a sequence in two", R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "sequence_parallel_size": 2)", 16);
    row("for none", R"("train_batch_size": 63, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2)", 0);
    row("a size that does not divide what is given", R"("train_batch_size": 10, "train_micro_batch_size_per_gpu": 4)", 0);
    row("sizes of another world", R"("train_batch_size": 1000000000, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1)", 0);
    row("tensor parallel in four", R"("train_micro_batch_size_per_gpu": 1, "tensor_parallel": {"autotp_size": 4})", 4);
}

void TstConfigText::whatElseIsRefusedIsToldForTheRanksThatFit()
{
    ConfigPage page;
    page.setText(R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "zero_optimization": {"stage": 5}})");
    const ConfigModel& model = page.model();
    QCOMPARE(model.ranksThatFit(), std::optional(8));
    QVERIFY(!model.ranksInDoubt());
    QCOMPARE(model.context().world, 8);
    const auto& findings = model.answer().findings;
    QVERIFY(std::none_of(findings.begin(), findings.end(), refusesRanks));
    QVERIFY(std::any_of(findings.begin(), findings.end(), [](const CheckFinding& finding) { return finding.pointer == "/zero_optimization/stage" && finding.severity == CheckSeverity::Error; }));
    QVERIFY(std::any_of(findings.begin(), findings.end(), [&](const CheckFinding& finding) { return model.isMendedByRanks(finding); }));
}

void TstConfigText::assumedRanksGiveWay()
{
    QFETCH(QByteArray, text);
    QFETCH(int, ranks);
    ConfigPage page;
    Owner owner(page);
    page.setText(text);
    ConfigModel& model = page.model();
    QCOMPARE(model.ranksThatFit().value_or(0), ranks);
    QVERIFY(model.ranksAssumed());
    // Where nothing else is wrong it is judged for them, by every view, and says so.
    QCOMPARE(model.ranksInDoubt(), model.ranksThatFit());
    QCOMPARE(model.answer().ok, ranks > 0);
    QCOMPARE(model.context().world, ranks > 0 ? ranks : 1);
    const auto& findings = model.answer().findings;
    const auto mended = std::find_if(findings.begin(), findings.end(), [&](const CheckFinding& finding) { return model.isMendedByRanks(finding); });
    QCOMPARE(mended != findings.end(), ranks > 0);
    if (ranks == 0)
        return;
    QCOMPARE(model.fixWords(*mended), QStringLiteral("Plan for %1 ranks").arg(ranks));
    QSignalSpy asked(&page, &ConfigPage::ranksRequested);
    model.fix(static_cast<int>(mended - findings.begin()));
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.front().front().toInt(), ranks);
    QCOMPARE(owner.stack.count(), 0);
    // Stated, the number is no assumption that could give way.
    CheckContext context = model.context();
    context.ranks = 1;
    model.setContext(context);
    QVERIFY(!model.ranksThatFit());
    context.world = ranks;
    context.ranks = ranks;
    model.setContext(context);
    QVERIFY(model.answer().parseOk);
}

void TstConfigText::whereNoRanksFitTheyAreAskedFor()
{
    ConfigPage page;
    Owner owner(page);
    page.setText(R"({"train_batch_size": 60, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8, "zero_optimization": {"stage": 1}})");
    ConfigModel& model = page.model();
    QVERIFY(model.ranksAssumed() && !model.ranksThatFit());
    const auto indexOf = [&model](const char* rule) {
        const auto& findings = model.answer().findings;
        return static_cast<int>(std::find_if(findings.begin(), findings.end(), [rule](const CheckFinding& finding) { return finding.rule == rule; }) - findings.begin());
    };
    const int batch = indexOf("R7");
    QVERIFY(batch < static_cast<int>(model.answer().findings.size()));
    // The message asks for the ranks before the file is changed: so does the button.
    const CheckFinding& finding = model.answer().findings[static_cast<std::size_t>(batch)];
    QVERIFY2(finding.message.find("Model and hardware") != std::string::npos, finding.message.c_str());
    QCOMPARE(model.fixWords(finding), QStringLiteral("Model and hardware…"));
    QSignalSpy asked(&page, &ConfigPage::surroundingsRequested);
    model.fix(batch);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(owner.stack.count(), 0);
    // Once they are known it is the file that is corrected.
    CheckContext context = model.givenContext();
    context.world = 4;
    context.ranks = 4;
    model.setContext(context);
    const int known = indexOf("R7");
    QVERIFY(model.fixWords(model.answer().findings[static_cast<std::size_t>(known)]).contains(QStringLiteral("128")));
    model.fix(known);
    QVERIFY(page.text().contains("\"train_batch_size\": 128"));
}

void TstConfigText::aMissingValueIsMarkedAtItsColon()
{
    ConfigPage page;
    page.resize(1280, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    const QByteArray text = "{\n  \"train_batch_size\":\n  \"steps_per_print\": 10\n}\n";
    page.setText(text);
    QVERIFY(page.model().syntaxError());
    const CheckFinding& finding = page.model().answer().findings.front();
    QCOMPARE(finding.rule, std::string("text.value"));
    QCOMPARE(finding.line, 2);
    QCOMPARE(finding.column, 22);
    const auto colon = static_cast<unsigned long>(text.indexOf(':'));
    ConfigEditor* editor = page.editor();
    QVERIFY(editor->SendScintilla(QsciScintillaBase::SCI_INDICATORALLONFOR, colon) != 0);
    QCOMPARE(editor->SendScintilla(QsciScintillaBase::SCI_INDICATORALLONFOR, static_cast<unsigned long>(text.indexOf("10"))), 0L);
}

void TstConfigText::aClearedKeyLeavesItsComment()
{
    ConfigPage page;
    Owner owner(page);
    const QByteArray text = "{\n  \"train_batch_size\": 16,\n  \"gradient_clipping\": 0.5, // 1.0 was too much\n  \"steps_per_print\": 10\n}\n";
    page.setText(text);
    page.model().unset(QStringLiteral("/gradient_clipping"), QStringLiteral("Unset"));
    QCOMPARE(page.text(), QByteArray(text).replace("\"gradient_clipping\": 0.5, ", ""));
    owner.stack.undo();
    QCOMPARE(page.text(), text);
}

void TstConfigText::whatASquiggleMeansIsSaidInSeveralLines()
{
    ConfigPage page;
    const QByteArray text = "{\n  \"train_batch_size\": 1,\n  \"fp16\": {\"enabled\": \"<on>\"}\n}\n";
    page.setText(text);
    page.show();
    emit page.editor()->SCN_DWELLSTART(static_cast<int>(text.indexOf("<on>")), 0, 0);
    QVERIFY(Qt::mightBeRichText(QToolTip::text()));   // plain text is one line, however long
    QVERIFY2(QToolTip::text().contains(QStringLiteral("&lt;on&gt;")), qPrintable(QToolTip::text()));
    QToolTip::hideText();
}

void TstConfigText::aBracketThatIsMissingIsAdded()
{
    ConfigPage page;
    Owner owner(page);
    page.setText("{\n  \"train_batch_size\": 1,\n  \"fp16\": {\n    \"enabled\": true\n  }\n");
    const CheckFinding& finding = page.model().answer().findings.front();
    QVERIFY2(finding.message.find("line 1") != std::string::npos, finding.message.c_str());
    QCOMPARE(page.model().fixWords(finding), QStringLiteral("Add } at the end"));
    page.model().fix(0);
    QCOMPARE(page.text(), QByteArray("{\n  \"train_batch_size\": 1,\n  \"fp16\": {\n    \"enabled\": true\n  }\n}\n"));
}

// What Python prints of a dict, with the commas of somebody in haste.
void TstConfigText::aPastedDictIsMendedSlipBySlip()
{
    const QByteArray dict = "{'train_batch_size': 16,,\n 'bf16': {'enabled': True},\n 'zero_optimization': {'stage': 2, 'overlap_comm': False,},\n 'wall_clock_breakdown': None,\n}\n";
    ConfigPage page;
    Owner owner(page);
    page.setText("{}");
    page.resize(1280, 800);
    page.show();
    QGuiApplication::clipboard()->setText(QString::fromUtf8(dict));
    page.editor()->selectAll();
    page.editor()->paste();
    page.editor()->flush();
    QCOMPARE(page.text(), dict);
    QVERIFY(page.model().syntaxError());
    QStringList fixes;
    int comma = -1;
    for (const CheckFinding& finding : page.model().answer().findings) {
        fixes << page.model().fixWords(finding);
        comma = finding.rule == "text.comma" ? static_cast<int>(fixes.size()) - 1 : comma;
    }
    QVERIFY2(fixes.size() >= 6 && !fixes.contains(QString()) && comma >= 0, qPrintable(fixes.join('|')));
    QCOMPARE(fixes[comma], QStringLiteral("Remove the comma"));
    page.model().fix(comma);
    QCOMPARE(page.text(), QByteArray(dict).replace(",,", ","));
    owner.stack.undo();
    QPushButton* all = page.findings()->fixAllButton();
    QVERIFY(all->isVisible());
    QCOMPARE(all->text(), QStringLiteral("Fix all (%1)").arg(fixes.size()));
    QTest::mouseClick(all, Qt::LeftButton);
    QCOMPARE(page.text(), QByteArray("{\"train_batch_size\": 16,\n \"bf16\": {\"enabled\": true},\n \"zero_optimization\": {\"stage\": 2, \"overlap_comm\": false},\n \"wall_clock_breakdown\": null\n}\n"));
    QVERIFY(!page.model().syntaxError());
    owner.stack.undo();
    QCOMPARE(page.text(), dict);
    // What only its author can mend stays, and is no part of it.
    page.setText("{'train_batch_size': 16,\n 'zero_optimization': {'reduce_bucket_size': int(5e8)},\n 'optimizer': {'type': 'AdamW', 'params': {'lr': lr, 'betas': (0.9, 0.95)}},\n 'wandb': {'project': \"\"\"p\"\"\", 'group': g}\n}\n");
    fixes.clear();
    for (const CheckFinding& finding : page.model().answer().findings)
        fixes << page.model().fixWords(finding);
    QVERIFY2(fixes.contains("Write 500000000") && fixes.contains("Write [0.9, 0.95]") && fixes.contains("Write \"p\"") && fixes.contains("Write \"lr\""), qPrintable(fixes.join('|')));
    QCOMPARE(all->text(), QStringLiteral("Fix all (%1)").arg(fixes.size() - 1));
    QTest::mouseClick(all, Qt::LeftButton);
    QCOMPARE(page.text(), QByteArray("{\"train_batch_size\": 16,\n \"zero_optimization\": {\"reduce_bucket_size\": 500000000},\n \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": lr, \"betas\": [0.9, 0.95]}},\n \"wandb\": {\"project\": \"p\", \"group\": g}\n}\n"));
    QVERIFY(page.model().syntaxError() && !all->isVisible());
}

void TstConfigText::whatFailsLaterIsNotRefusedAtStart()
{
    ConfigPage page;
    Owner owner(page);
    const auto effect = [&page](const QByteArray& text) {
        page.setText(text);
        const auto& findings = page.model().answer().findings;
        const auto lacks = std::find_if(findings.begin(), findings.end(), [](const CheckFinding& finding) { return finding.rule == "R31"; });
        return lacks == findings.end() ? QString() : effectWords(*lacks);
    };
    QCOMPARE(effect(R"({"train_batch_size": 8, "zero_optimization": {"stage": 2}})"), QStringLiteral("refused at start"));
    QCOMPARE(effect(R"({"train_batch_size": 8})"), QStringLiteral("starts, then fails"));
    const auto labels = page.findings()->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().contains(QStringLiteral("starts with it, then fails")); }));
}

void TstConfigText::theListEndsWithTheTextItIsFor_data()
{
    using Act = std::function<void(ConfigPage&, Owner&)>;
    QTest::addColumn<Act>("act");
    QTest::newRow("what was typed is taken back") << Act([](ConfigPage&, Owner& owner) { owner.stack.undo(); });
    QTest::newRow("taken back and put in again") << Act([](ConfigPage&, Owner& owner) {
        owner.stack.undo();
        owner.stack.redo();
    });
    QTest::newRow("the file is read again") << Act([](ConfigPage& page, Owner&) { page.setText("{\"train_batch_size\": 4}\n"); });
    QTest::newRow("a preset is merged") << Act([](ConfigPage& page, Owner&) { page.model().replaceText("{\"bf16\": {\"enabled\": true}}\n", QStringLiteral("preset")); });
    QTest::newRow("the caret is put elsewhere") << Act([](ConfigPage& page, Owner&) { emit page.model().revealRequested(2, 2); });
    QTest::newRow("the findings get the focus") << Act([](ConfigPage& page, Owner&) { page.findings()->view()->setFocus(); });
    QTest::newRow("another page is shown") << Act([](ConfigPage& page, Owner&) { page.hide(); });
}

void TstConfigText::theListEndsWithTheTextItIsFor()
{
    QFETCH(const std::function<void(ConfigPage&, Owner&)>, act);
    ConfigPage page;
    Owner owner(page);
    page.resize(1280, 800);
    page.move(-500, 0);   // the offscreen screen is 800 wide; a list needs a screen below the cursor
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    const QByteArray old = "{\n  \"train_batch_size\": 16,\n  \"zero_optimization\": {\"stage\": 3}\n}\n";
    page.setText(old);
    ConfigEditor* editor = page.editor();
    editor->setFocus();
    editor->selectAll();
    QTest::keyClicks(editor, "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 2, \"hpz");
    QTRY_VERIFY(editor->completionVisible());
    QTest::qWait(50);   // painted, which tells where the caret is
    QVERIFY(editor->completionVisible());
    act(page, owner);
    QVERIFY(!editor->completionVisible());
    // Return is a new line then, in the text that stands there.
    page.show();
    editor->setFocus();
    const QByteArray before = page.text();
    QTest::keyClick(editor, Qt::Key_Return);
    editor->flush();
    const auto words = [](QByteArray text) { return text.replace("\n", "").replace(" ", ""); };
    QCOMPARE(words(page.text()), words(before));
}

QTEST_MAIN(TstConfigText)
#include "tst_config_text.moc"
