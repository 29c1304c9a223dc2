// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of the workspace as a whole: one count of findings, the change since the last save; and how its parts share a narrow window.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/checklist_panel.h"
#include "app/config_document_page.h"
#include "app/disk_banner.h"
#include "app/dock_bar.h"
#include "app/file_flow.h"
#include "app/finding_rows.h"
#include "app/mend_banner.h"
#include "app/output_panels.h"
#include "config/check.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/figure_strip.h"
#include "widgets/inspector.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QUndoStack>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

class TstWindowFindings : public PlanPageTest {
    Q_OBJECT
private slots:
    void oneCountOverPlanAndConfig();
    void adviceOfThePlanIsFixedOnTheConfigPage();
    void checklistFollowsTheWorkspace();
    void findingsFollowTheLanguage();
    void findingsOfBothAreSaidOnce();
    void findingsLeadToTheirPlace();
    void theConfigPageShowsItsOwnList();
    void sinceLastSaveFollowsTheFile();
    void whatWasNeverSavedCountsFromNoSave();
    void subjectIsInTheLanguageOfTheWindow();
    void longRecentPathsAreElided();
    void pinningOpensASecondInspector();
    void typingStaysInOrder();
    void emptiedConfigIsCountedTheSame();

private:
    ConfigDocumentPage& config() { return *m_window->findChild<ConfigDocumentPage*>(); }
    QString strip() { return m_window->findChild<FigureStrip*>()->shownTexts().join(QLatin1Char('|')); }
    QTreeWidget& list() { return *m_window->output().findings()->findChild<QTreeWidget*>(); }
};

void TstWindowFindings::oneCountOverPlanAndConfig()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace("\"stage\": 2,", "\"stage\": 2, \"reduce_buket_size\": 1, \"contiguous_gradients\": true,");
    text.replace("\"bf16\": {", "\"optimizer\": {\"type\": \"AdamW\"}, \"bf16\": {");
    text.replace("200000000", "1000");   // thousands of buckets: the plan's numbers speak against it
    openText(text);
    const ConfigModel& model = config().view().model();
    int errors = 0;
    for (const CheckFinding& finding : model.answer().findings)
        errors += finding.severity == CheckSeverity::Error ? 1 : 0;
    QVERIFY(errors > 0);
    const std::vector<FindingRow> rows = findingRows(&plan(), &model.answer());
    QCOMPARE(m_window->output().findingCount(), static_cast<int>(rows.size()));
    const auto onPage = [&model] { return static_cast<int>(model.answer().findings.size()) + model.findingsElsewhere(); };
    QCOMPARE(onPage(), static_cast<int>(rows.size()));
    QVERIFY2(strip().contains(QStringLiteral("Findings: %1").arg(countOf(rows).errors)), qPrintable(strip()));

    // The check follows each keystroke; so does the count.
    QVERIFY(m_window->document().removeValue("/dsConfig/zero_optimization/reduce_buket_size", QStringLiteral("x")).hasValue());
    waitForPlan();
    QTRY_COMPARE(countOf(findingRows(&plan(), &model.answer())).errors, 0);
    QTRY_COMPARE(m_window->output().findingCount(), static_cast<int>(findingRows(&plan(), &model.answer()).size()));
    // Now that DeepSpeed takes it the plan's numbers speak, on the page as in the panel below.
    const std::vector<FindingRow> mended = findingRows(&plan(), &model.answer());
    QVERIFY(std::any_of(mended.begin(), mended.end(), [](const FindingRow& row) { return row.rule == QLatin1String("plan.bucket_small"); }));
    QCOMPARE(onPage(), static_cast<int>(mended.size()));
    QVERIFY2(strip().contains(QString::number(countOf(mended).notes)), qPrintable(strip()));
    // What DeepSpeed refuses is no error of a workspace that another framework trains.
    QVERIFY(m_window->document().setValue("/dsConfig/zero_optimization/stage", "9", QStringLiteral("x")).hasValue());
    waitForPlan();
    QTRY_VERIFY(countOf(findingRows(&plan(), &model.answer())).errors > 0);
    QVERIFY(m_window->document().setValue("/framework/name", "\"fsdp2\"", QStringLiteral("x")).hasValue());
    waitForPlan();
    QTRY_COMPARE(countOf(findingRows(&plan(), &model.answer())).errors, 0);
    QVERIFY(m_window->document().setValue("/framework/name", "\"deepspeed\"", QStringLiteral("x")).hasValue());
    QVERIFY(m_window->document().setValue("/dsConfig/zero_optimization/stage", "2", QStringLiteral("x")).hasValue());
    waitForPlan();
    // A finding about another part of the workspace is counted, and shown by its button.
    QVERIFY(m_window->document().setValue("/layout/lossChunks", "8", QStringLiteral("x")).hasValue());
    QVERIFY(m_window->document().setValue("/framework/name", "\"fsdp2\"", QStringLiteral("x")).hasValue());
    waitForPlan();
    QTRY_VERIFY(model.findingsElsewhere() > 0);
    QCOMPARE(onPage(), m_window->output().findingCount());
    m_window->actions().pages().at(1)->trigger();
    QPushButton* more = config().view().findings()->elsewhereButton();
    QVERIFY(more->isVisible());
    QVERIFY2(more->text().contains(QString::number(model.findingsElsewhere())), qPrintable(more->text()));
    more->click();
    QVERIFY(list().isVisible());
}

void TstWindowFindings::adviceOfThePlanIsFixedOnTheConfigPage()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace("\"bf16\": {", "\"optimizer\": {\"type\": \"AdamW\"}, \"bf16\": {");
    text.replace("200000000", "1000");
    openText(text);
    m_window->actions().pages().at(1)->trigger();
    ConfigModel& model = config().view().model();
    const auto advice = [&model] {
        for (int i = 0; i < static_cast<int>(model.answer().findings.size()); ++i)
            if (model.answer().findings[static_cast<std::size_t>(i)].rule == "plan.bucket_small")
                return i;
        return -1;
    };
    QTRY_VERIFY(advice() >= 0);
    const CheckFinding finding = model.answer().findings[static_cast<std::size_t>(advice())];
    QVERIFY(!finding.fix.empty() && !finding.safe && finding.line > 0);
    QCOMPARE(model.severityAt(QStringLiteral("/zero_optimization/reduce_bucket_size")), 1);
    // Text typed above it moves it along, before the next plan is there.
    model.requestTyping({0, 0, "\n"});
    QVERIFY(advice() >= 0);
    QCOMPARE(model.answer().findings[static_cast<std::size_t>(advice())].line, finding.line + 1);
    waitForPlan();
    const int step = m_window->document().undoStack().index();
    model.fix(advice());
    QCOMPARE(m_window->document().undoStack().index(), step + 1);
    waitForPlan();
    QTRY_COMPARE(advice(), -1);
    m_window->actions().undo->trigger();
    waitForPlan();
    QTRY_VERIFY(advice() >= 0);
    // Another workspace has advice of its own.
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    QTRY_COMPARE(advice(), -1);
}

void TstWindowFindings::checklistFollowsTheWorkspace()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace("200000000", "1000");
    openText(text);
    m_window->actions().checklist->trigger();
    ChecklistPanel& list = config().checklist();
    QVERIFY(list.isVisible());
    const auto verdictOf = [&list](const char* id) {
        for (const ChecklistItem& item : list.items())
            if (item.id == id)
                return item.verdict;
        return ChecklistItem::Verdict::Unknown;
    };
    QCOMPARE(list.items().size(), std::size_t{8});
    QVERIFY(verdictOf("bucket") == ChecklistItem::Verdict::NotFollowed);
    QVERIFY(verdictOf("clock") == ChecklistItem::Verdict::NotFollowed);
    QVERIFY(verdictOf("precision") == ChecklistItem::Verdict::Followed);
    // A button follows one of them: one undo step, and the list says so.
    for (const char* id : {"bucket", "clock"}) {
        const int step = m_window->document().undoStack().index();
        QVERIFY(list.fixButton(QString::fromLatin1(id)));
        list.fixButton(QString::fromLatin1(id))->click();
        QTRY_COMPARE(m_window->document().undoStack().index(), step + 1);
        QTRY_VERIFY(verdictOf(id) == ChecklistItem::Verdict::Followed);
        QVERIFY(!list.fixButton(QString::fromLatin1(id)));
    }
    m_window->actions().undo->trigger();
    QVERIFY(verdictOf("clock") == ChecklistItem::Verdict::NotFollowed);
    m_window->setLanguage(Language::SimplifiedChinese);
    const auto han = [](const std::string& words) { const QString all = QString::fromStdString(words); return std::any_of(all.begin(), all.end(), [](QChar c) { return c.script() == QChar::Script_Han; }); };
    QTRY_VERIFY(std::all_of(list.items().begin(), list.items().end(), [&han](const ChecklistItem& item) { return han(item.reason) && han(item.title); }));
    m_window->setLanguage(Language::English);
    QTest::keyClick(&list, Qt::Key_Escape);
    QVERIFY(!list.isVisible());
}

void TstWindowFindings::findingsFollowTheLanguage()
{
    const auto han = [](const QString& text) { return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; }); };
    const auto englishRows = [this, &han] {
        QStringList rows;
        for (int i = 0; i < list().topLevelItemCount(); ++i)
            if (const QString rule = list().topLevelItem(i)->text(1); !han(list().topLevelItem(i)->text(3)) || !(han(rule) || rule.startsWith(QLatin1Char('R'))))
                rows << rule + QLatin1Char(' ') + list().topLevelItem(i)->text(3);
        for (const CheckFinding& finding : config().view().model().answer().findings)
            if (!han(QString::fromStdString(finding.message)))
                rows << QString::fromStdString(finding.message);
        return rows;
    };
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace("\"bf16\": {", "\"optimizer\": {\"type\": \"AdamW\"}, \"no_such_key\": 1, \"bf16\": {");
    text.replace("200000000", "1000");
    openText(text);
    QTRY_VERIFY(list().topLevelItemCount() > 1);
    const auto all = [this] { return list().topLevelItemCount() + static_cast<int>(config().view().model().answer().findings.size()); };
    QCOMPARE(englishRows().size(), all());
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_COMPARE(englishRows(), QStringList());
    m_window->setLanguage(Language::English);
    QTRY_COMPARE(englishRows().size(), all());
    // A workspace that is read and refused, and one that cannot be read.
    m_window->setLanguage(Language::SimplifiedChinese);
    QVERIFY(m_window->document().setValue("/layout/dp", "3", QStringLiteral("x")).hasValue());
    waitForPlan();
    QTRY_VERIFY(plan().problem);
    QTRY_COMPARE(englishRows(), QStringList());
    openText("{\"stagecraft\": 1 \"model\": {}}");
    auto* banner = m_window->findChild<MendBanner*>();
    QVERIFY2(banner->isVisible() && banner->sentence().contains(QStringLiteral("应为")), qPrintable(banner->sentence()));
    m_window->setLanguage(Language::English);
    QTRY_VERIFY2(!han(banner->sentence()), qPrintable(banner->sentence()));
}

void TstWindowFindings::findingsOfBothAreSaidOnce()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace("\"train_micro_batch_size_per_gpu\": 1,", "\"train_micro_batch_size_per_gpu\": 1, \"train_batch_size\": 33,");
    openText(text);
    int atBatch = 0;
    for (const FindingRow& row : findingRows(&plan(), &config().view().model().answer()))
        atBatch += row.pointer == QLatin1String("/dsConfig/train_batch_size") ? 1 : 0;
    QCOMPARE(atBatch, 1);
}

void TstWindowFindings::findingsLeadToTheirPlace()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace("\"stage\": 2,", "\"stage\": 2, \"reduce_buket_size\": 1,");
    openText(text);
    emit m_window->findChild<FigureStrip*>()->clicked(QStringLiteral("findings"));
    QVERIFY(list().isVisible());
    QTreeWidgetItem* wanted = nullptr;
    for (int i = 0; i < list().topLevelItemCount(); ++i)
        if (list().topLevelItem(i)->text(2) == QLatin1String("/dsConfig/zero_optimization/reduce_buket_size"))
            wanted = list().topLevelItem(i);
    QVERIFY(wanted);
    list().setCurrentItem(wanted);
    list().setFocus();
    emit list().itemActivated(wanted, 0);
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(&config()));
    QCOMPARE(config().view().model().current(), QStringLiteral("/zero_optimization/reduce_buket_size"));
}

void TstWindowFindings::theConfigPageShowsItsOwnList()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace("\"stage\": 2,", "\"stage\": 2, \"reduce_buket_size\": 1,");
    openText(text);
    m_window->actions().pages().at(1)->trigger();
    config().view().editor()->setFocus();
    emit m_window->findChild<FigureStrip*>()->clicked(QStringLiteral("findings"));
    QVERIFY(!list().isVisible());
    QTableView* own = config().view().findings()->view();
    QVERIFY(own->hasFocus());
    QCOMPARE(own->selectionModel()->selectedRows().size(), 1);
    // What is said of other parts of the workspace its header counts; elsewhere the list of all is shown.
    m_window->showPage(0);
    emit m_window->findChild<FigureStrip*>()->clicked(QStringLiteral("findings"));
    QVERIFY(list().isVisible());
}

void TstWindowFindings::sinceLastSaveFollowsTheFile()
{
    const QByteArray text = QByteArray::fromStdString(FileFlow::demoText());
    const QString path = fileWith(QStringLiteral("w.json"), text);
    openFile(path);
    const QString nothing = QStringLiteral("±0");
    QVERIFY2(strip().contains(nothing), qPrintable(strip()));
    page().setStage(0);
    waitForPlan();
    QTRY_VERIFY2(!strip().contains(nothing + QStringLiteral(" GiB")) && !strip().contains(nothing + QStringLiteral(" MiB")), qPrintable(strip()));
    const QString away = strip();
    m_window->actions().save->trigger();
    QVERIFY(!m_window->document().isModified());
    QVERIFY2(strip() != away, qPrintable(strip()));
    // The first edit after a save differs from what was saved.
    const QString saved = strip();
    page().setStage(2);
    waitForPlan();
    QTRY_VERIFY2(strip().section(QStringLiteral("Since last save"), 1) != saved.section(QStringLiteral("Since last save"), 1), qPrintable(strip()));
    // Another program's content, taken: the document equals the file again.
    QByteArray theirs = text;
    theirs.replace("\"stage\": 2", "\"stage\": 3");
    fileWith(QStringLiteral("w.json"), theirs);
    QTRY_VERIFY(m_window->findChild<DiskBanner*>()->asks());
    m_window->findChild<DiskBanner*>()->findChild<QPushButton*>(QStringLiteral("takeButton"))->click();
    waitForPlan();
    QTRY_COMPARE(plan().engine->zeroStage, 3);
    QTRY_VERIFY2(strip().section(QStringLiteral("Since last save"), 1).contains(nothing), qPrintable(strip()));
    QVERIFY(!m_window->document().isModified());
}

void TstWindowFindings::whatWasNeverSavedCountsFromNoSave()
{
    m_window->actions().newWorkspace->trigger();
    waitForPlan();
    page().setStage(0);
    waitForPlan();
    QVERIFY2(!strip().contains(QStringLiteral("Since last save")), qPrintable(strip()));
    QVERIFY(m_window->document().saveAs(m_scratch->filePath(QStringLiteral("new.json")).toStdString()).hasValue());
    QTRY_VERIFY2(strip().contains(QStringLiteral("Since last save")), qPrintable(strip()));
    page().setStage(2);
    waitForPlan();
    QVERIFY2(strip().contains(QStringLiteral("Since last save")) && !strip().contains(QStringLiteral("±0 GiB")), qPrintable(strip()));
}

void TstWindowFindings::subjectIsInTheLanguageOfTheWindow()
{
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
    const auto subjectHas = [this](const QString& words) {
        for (const QLabel* label : config().view().findChildren<QLabel*>())
            if (label->text().contains(words))
                return true;
        return false;
    };
    QVERIFY(subjectHas(QStringLiteral("dsConfig in w.json")));
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_VERIFY(subjectHas(QStringLiteral("w.json 中的 dsConfig")));
    QVERIFY(!subjectHas(QStringLiteral("dsConfig in w.json")));
    m_window->setLanguage(Language::English);
    QVERIFY(m_window->document().saveAs(m_scratch->filePath(QStringLiteral("other.json")).toStdString()).hasValue());
    QTRY_VERIFY(subjectHas(QStringLiteral("dsConfig in other.json")));
}

void TstWindowFindings::longRecentPathsAreElided()
{
    QString folder = m_scratch->path();
    for (int i = 0; i < 12; ++i)
        folder += QStringLiteral("/a-folder-with-a-long-name-%1").arg(i);
    QVERIFY(QDir().mkpath(folder));
    const QString path = folder + QStringLiteral("/the&end.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(FileFlow::demoText()));
    file.close();
    openFile(path);
    QAction* entry = nullptr;
    for (QAction* action : m_window->findChildren<QAction*>())
        if (action->toolTip() == path)
            entry = action;
    QVERIFY(entry);
    QVERIFY(m_window->fontMetrics().horizontalAdvance(entry->text()) < 500);
    QVERIFY2(entry->text().endsWith(QStringLiteral("the&&end.json")), qPrintable(entry->text()));
    QVERIFY(entry->text().contains(QChar(0x2026)));
}

void TstWindowFindings::pinningOpensASecondInspector()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    Inspector& inspector = m_window->inspector();
    QVERIFY(!inspector.isPinned() && !inspector.pinned()->isVisible());
    const QString first = inspector.plainText();
    QTest::mouseClick(inspector.live()->pinButton(), Qt::LeftButton);
    QVERIFY(inspector.isPinned() && inspector.pinned()->isVisible() && inspector.live()->isVisible());
    page().explain(QStringLiteral("memory"));
    QVERIFY(inspector.plainText() != first);
    QCOMPARE(inspector.pinned()->plainText(), first);
    QVERIFY(inspector.pinned()->pinButton()->isChecked() && !inspector.live()->pinButton()->isChecked());
    QTest::mouseClick(inspector.pinned()->pinButton(), Qt::LeftButton);
    QVERIFY(!inspector.isPinned() && !inspector.pinned()->isVisible());
}

// The window tells the page of ranks and device with each key: the caret stays behind what was typed all the same.
void TstWindowFindings::typingStaysInOrder()
{
    openText(QByteArray::fromStdString(FileFlow::demoText()));
    m_window->showPage(1);
    ConfigEditor& editor = *config().view().editor();
    editor.setFocus();
    const QByteArray before = editor.text().toUtf8();
    const qsizetype at = before.indexOf("\"gradient_accumulation_steps\": 1") + qsizetype(sizeof("\"gradient_accumulation_steps\": 1") - 1);
    QVERIFY(at > 40);
    editor.setCursorOffset(static_cast<int>(at));
    for (const char digit : {'2', '3', '4'}) {
        QTest::keyClick(editor.viewport(), digit);
        QTRY_COMPARE(config().view().model().text(), editor.text().toUtf8());
    }
    QVERIFY2(editor.text().contains(QStringLiteral("\"gradient_accumulation_steps\": 1234,")), qPrintable(editor.text()));
    QCOMPARE(editor.cursorOffset(), static_cast<int>(at) + 3);
    QVERIFY(m_window->document().text().find("\"gradient_accumulation_steps\": 1234,") != std::string::npos);
}

void TstWindowFindings::emptiedConfigIsCountedTheSame()
{
    openWindow();
    openFile(fileWith(QStringLiteral("ds.json"), "{\"train_batch_size\": 16}\n"));
    const ConfigModel& model = config().view().model();
    QVERIFY(m_window->document().applyEdit(WorkspaceDocument::Part::DsConfig, {0, m_window->document().configText().size(), ""}, QStringLiteral("x")).hasValue());
    waitForPlan();
    QTRY_VERIFY(model.text().isEmpty() && !model.answer().findings.empty());
    QTRY_COMPARE(m_window->output().findingCount(), static_cast<int>(model.answer().findings.size()) + model.findingsElsewhere());
    QCOMPARE(model.findingsElsewhere(), 0);
}

QTEST_MAIN(TstWindowFindings)
#include "tst_window_findings.moc"
