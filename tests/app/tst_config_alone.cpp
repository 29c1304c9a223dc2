// SPDX-License-Identifier: GPL-3.0-or-later
// A ds_config opened alone: what opens as one, what Save writes, and what is said while model and hardware are only assumed.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/checklist_panel.h"
#include "app/choice_list.h"
#include "app/config_alone.h"
#include "app/config_document_page.h"
#include "app/device_sheets_dialog.h"
#include "app/disk_banner.h"
#include "app/export_panel.h"
#include "app/hardware_choice.h"
#include "app/import_panel.h"
#include "app/launch_question.h"
#include "app/output_panels.h"
#include "app/plan_strip.h"
#include "app/run_flow.h"
#include "app/subject_flow.h"
#include "base/atomic_file.h"
#include "config/check.h"
#include "config/json_edit.h"
#include "widgets/config_editor.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"

#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QUndoStack>

#include <algorithm>
#include <filesystem>

using namespace stagecraft;
using namespace stagecraft::app;
namespace fs = std::filesystem;

namespace {

const QByteArray kPlain = "{\n  \"train_batch_size\": 16,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}},\n  \"zero_optimization\": {\"stage\": 3, \"offload_optimizer\": {\"device\": \"cpu\"}}\n}\n";

}  // namespace

class TstConfigAlone : public PlanPageTest {
    Q_OBJECT
private slots:
    void saveWritesTheFileItself();
    void closingAsksAboutTheFile();
    void aWorkspaceIsMadeAroundIt();
    void whatIsChosenAroundItHasNoFile();
    void savingFailsInWords();
    void anotherProgramsWriteIsAskedAbout();
    void insideAWorkspaceTheWorkspaceIsSaved();
    void whateverIsJsonIsJudged_data();
    void whateverIsJsonIsJudged();
    void aFileThatIsTooLargeSaysSo();
    void whatIsAssumedIsNamedUntilBothAreChosen();
    void anImportLeavesAssumedWhatItDoesNotSay();
    void theChecklistWaitsForModelAndHardware();
    void theChecklistAgreesWithTheCheck();
    void launchWaitsForTheFrameworkToTakeTheFile();
    void theDialogSaysWhatTheFindingSays();
    void aRefusedFileIsNoDefault();
    void deviceSheetsHaveAMenuEntry();
    void rulesAreNamedAsTheDocumentationHasThem();

private:
    [[nodiscard]] ConfigDocumentPage& config() const { return *m_window->findChild<ConfigDocumentPage*>(); }
    [[nodiscard]] ConfigModel& model() const { return config().view().model(); }
    [[nodiscard]] WorkspaceDocument& document() const { return m_window->document(); }
    [[nodiscard]] QString logged() const { return m_window->output().log()->findChild<QPlainTextEdit*>()->toPlainText(); }
    [[nodiscard]] QMessageBox* box(const char* name) const { return m_window->findChild<QMessageBox*>(QLatin1String(name)); }
    [[nodiscard]] QFileDialog* saveDialog() const { return m_window->findChild<QFileDialog*>(QStringLiteral("saveDialog")); }
    [[nodiscard]] QStringList assumed() const { return m_window->findChild<PlanStrip*>()->shownTexts().filter(QStringLiteral("Assumed")); }
    [[nodiscard]] QByteArray fileText(const QString& path) const
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void type(const char* words) const
    {
        ConfigEditor* editor = config().view().editor();
        editor->setFocus();
        editor->setCursorOffset(1);
        QTest::keyClicks(editor, QLatin1String(words));
        editor->flush();
    }
    void save() const { m_window->actions().save->trigger(); }
    void acceptSave(const QString& path)
    {
        QVERIFY(saveDialog());
        auto* field = saveDialog()->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        field->setText(path);
        emit saveDialog()->fileSelected(path);   // without the toolkit's own question whether to replace
        saveDialog()->reject();
        QTRY_VERIFY(!saveDialog());
    }
    [[nodiscard]] ChecklistItem practice(const std::string& id) const
    {
        for (const ChecklistItem& item : config().checklist().items())
            if (item.id == id)
                return item;
        return {};
    }
};

void TstConfigAlone::saveWritesTheFileItself()
{
    const QString path = fileWith(QStringLiteral("off.json"), kPlain);
    openFile(path);
    QCOMPARE(document().title(), QStringLiteral("off.json"));
    QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("off.json")));
    type("   ");
    QVERIFY(document().isModified() && m_window->isWindowModified());
    const QByteArray typed = QByteArray::fromStdString(document().configText());
    save();
    QVERIFY(!saveDialog());
    QCOMPARE(fileText(path), typed);
    QVERIFY(!document().isModified() && document().isConfigAlone());
    QVERIFY2(logged().contains(QStringLiteral("Saved off.json")), qPrintable(logged()));
    QVERIFY(!QFileInfo::exists(m_scratch->filePath(QStringLiteral("workspace.json"))));
    // What was done before can still be undone, and is saved likewise.
    while (document().undoStack().canUndo())
        m_window->actions().undo->trigger();
    QVERIFY(document().isModified());
    save();
    QCOMPARE(fileText(path), kPlain);
    save();
    QVERIFY2(logged().contains(QStringLiteral("Nothing to save: off.json")), qPrintable(logged()));
    // Text that cannot be read is saved as it is, too.
    type("{");
    save();
    QVERIFY(fileText(path).startsWith("{{"));
}

void TstConfigAlone::closingAsksAboutTheFile()
{
    const QString path = fileWith(QStringLiteral("off.json"), kPlain);
    openFile(path);
    type(" ");
    m_window->close();
    QTRY_VERIFY(box("unsavedQuestion"));
    QVERIFY2(box("unsavedQuestion")->text().contains(QStringLiteral("off.json has unsaved changes")), qPrintable(box("unsavedQuestion")->text()));
    box("unsavedQuestion")->findChild<QPushButton*>(QStringLiteral("saveButton"))->click();
    QTRY_VERIFY(!m_window->isVisible());
    QCOMPARE(fileText(path), QByteArray(kPlain).insert(1, ' '));
}

void TstConfigAlone::aWorkspaceIsMadeAroundIt()
{
    const QString path = fileWith(QStringLiteral("off.json"), kPlain);
    openFile(path);
    QCOMPARE(plainName(m_window->actions().saveAs->text()), QStringLiteral("Save workspace as"));
    type(" ");
    m_window->actions().saveAs->trigger();
    QTRY_VERIFY(saveDialog());
    QCOMPARE(saveDialog()->directory().absolutePath(), QFileInfo(path).absolutePath());
    QCOMPARE(saveDialog()->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->text(), QStringLiteral("off.workspace.json"));
    // Its own name means the file itself.
    acceptSave(path);
    QCOMPARE(fileText(path), QByteArray(kPlain).insert(1, ' '));
    QVERIFY(document().isConfigAlone() && !document().isModified());
    type(" ");
    m_window->actions().saveAs->trigger();
    QTRY_VERIFY(saveDialog());
    acceptSave(m_scratch->filePath(QStringLiteral("w.json")));
    QVERIFY(!document().isConfigAlone());
    QCOMPARE(document().title(), QStringLiteral("w.json"));
    QVERIFY2(logged().contains(QStringLiteral("Saved w.json, and its ds_config in off.json")), qPrintable(logged()));
    QCOMPARE(plainName(m_window->actions().saveAs->text()), QStringLiteral("Save as"));
    QVERIFY(fileText(m_scratch->filePath(QStringLiteral("w.json"))).contains("\"dsConfig\": \"off.json\""));
    QVERIFY(fileText(m_scratch->filePath(QStringLiteral("w.json"))).contains("\"name\": \"w\""));
}

void TstConfigAlone::whatIsChosenAroundItHasNoFile()
{
    const QString path = fileWith(QStringLiteral("off.json"), kPlain);
    openFile(path);
    QVERIFY(document().setValue("/hardware/devicesPerNode", "8", QStringLiteral("eight")).hasValue());
    // There is nothing of it that the file could hold: a workspace is named.
    save();
    QTRY_VERIFY(saveDialog());
    saveDialog()->reject();
    QTRY_VERIFY(!saveDialog());
    QCOMPARE(fileText(path), kPlain);
    m_window->actions().closeWorkspace->trigger();
    QTRY_VERIFY(box("unsavedQuestion"));
    QVERIFY2(box("unsavedQuestion")->text().contains(QStringLiteral("chosen around off.json")), qPrintable(box("unsavedQuestion")->text()));
    box("unsavedQuestion")->reject();
    QTRY_VERIFY(!box("unsavedQuestion"));
    // With the file it is said.
    type(" ");
    save();
    QVERIFY(!saveDialog());
    QVERIFY2(logged().contains(QStringLiteral("hardware and layout are in no file")), qPrintable(logged()));
    QCOMPARE(fileText(path), QByteArray(kPlain).insert(1, ' '));
    QVERIFY(!document().isModified());
}

void TstConfigAlone::savingFailsInWords()
{
    const QString folder = m_scratch->filePath(QStringLiteral("configs"));
    QVERIFY(QDir().mkpath(folder));
    const QString path = fileWith(QStringLiteral("configs/off.json"), kPlain);
    openFile(path);
    type(" ");
    // A place in which nothing can be written.
    QVERIFY(QDir(folder).removeRecursively());
    fileWith(QStringLiteral("configs"), "in the way");
    save();
    QTRY_VERIFY2(logged().contains(QStringLiteral("ERROR")) && logged().contains(QStringLiteral("off.json")), qPrintable(logged()));
    QVERIFY(document().isModified() && document().isConfigAlone());
    QVERIFY(QFile::remove(folder));
    save();
    QCOMPARE(fileText(path), QByteArray(kPlain).insert(1, ' '));
    QVERIFY(!document().isModified());
}

void TstConfigAlone::anotherProgramsWriteIsAskedAbout()
{
    const QString path = fileWith(QStringLiteral("off.json"), kPlain);
    openFile(path);
    type(" ");
    const QByteArray theirs = "{\"train_batch_size\": 4}";
    fileWith(QStringLiteral("off.json"), theirs);
    save();
    QCOMPARE(fileText(path), theirs);
    auto* banner = m_window->findChild<DiskBanner*>();
    QTRY_VERIFY(banner->asks());
    QVERIFY(banner->sentence().contains(QStringLiteral("off.json")));
    banner->findChild<QPushButton*>(QStringLiteral("takeButton"))->click();
    QTRY_COMPARE(QByteArray::fromStdString(document().configText()), theirs);
    QVERIFY(!document().isModified());
    m_window->actions().undo->trigger();
    QCOMPARE(QByteArray::fromStdString(document().configText()), QByteArray(kPlain).insert(1, ' '));
    save();
    QCOMPARE(fileText(path), QByteArray(kPlain).insert(1, ' '));
}

void TstConfigAlone::insideAWorkspaceTheWorkspaceIsSaved()
{
    const QString path = fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText()));
    openFile(path);
    m_window->actions().pages().at(1)->trigger();
    QVERIFY(!document().isConfigAlone());
    type("   ");
    save();
    QVERIFY(!saveDialog() && !document().isModified());
    QCOMPARE(fileText(path), QByteArray::fromStdString(document().text()));
    QVERIFY(fileText(path) != QByteArray::fromStdString(FileFlow::demoText()) && fileText(path).contains("\"stagecraft\": 1"));
}

void TstConfigAlone::whateverIsJsonIsJudged_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("all keys misspelt") << QByteArray(R"({"batch_size": 8, "lr": 1e-4, "zero_stage": 3})");
    QTest::newRow("a list") << QByteArray(R"([{"train_batch_size": 8}])");
    QTest::newRow("an empty object") << QByteArray("{}");
    QTest::newRow("an empty list") << QByteArray("[]");
    QTest::newRow("a number") << QByteArray("3");
    QTest::newRow("a word") << QByteArray("\"zero\"");
    QTest::newRow("a package") << QByteArray(R"({"name": "x", "version": "1"})");
}

void TstConfigAlone::whateverIsJsonIsJudged()
{
    QFETCH(QByteArray, text);
    openFile(fileWith(QStringLiteral("b3.json"), text));
    QVERIFY(document().isConfigAlone());
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(&config()));
    const auto answer = checkConfig(text.toStdString(), model().context());
    QVERIFY(answer.hasValue());
    QStringList shown, wanted;
    for (const CheckFinding& finding : model().answer().findings)
        shown << QString::fromStdString(finding.message);
    for (const CheckFinding& finding : answer->findings)
        wanted << QString::fromStdString(finding.message);
    QCOMPARE(shown, wanted);
    QCOMPARE(model().answer().ok, answer->ok);
    // It is a text like another: typed in, undone, saved.
    type(" ");
    save();
    QVERIFY(!document().isModified());
    for (QAction* action : {m_window->actions().checklist, m_window->actions().wizard, m_window->actions().exportConfig})
        action->trigger();
    m_window->actions().pages().at(0)->trigger();
    m_window->actions().undo->trigger();
    QCOMPARE(QByteArray::fromStdString(document().configText()), text);
}

void TstConfigAlone::aFileThatIsTooLargeSaysSo()
{
    m_window->files().openPath(fileWith(QStringLiteral("huge.json"), "{\"a\": \"" + QByteArray(static_cast<int>(WorkspaceDocument::kMaxBytes), 'x') + "\"}"));
    QVERIFY(!document().isOpen());
    QVERIFY2(logged().contains(QStringLiteral("larger than")) && !logged().contains(QStringLiteral("it is no workspace")), qPrintable(logged()));
}

void TstConfigAlone::whatIsAssumedIsNamedUntilBothAreChosen()
{
    openFile(fileWith(QStringLiteral("off.json"), kPlain));
    QVERIFY(assumedOf(document()).model && assumedOf(document()).hardware);
    QTRY_VERIFY2(assumed().join('|').contains(QStringLiteral("1 × H100-SXM-80GB")) && assumed().join('|').contains(QStringLiteral("LLaMA")), qPrintable(assumed().join('|')));
    const auto advises = [this] {
        return std::any_of(model().answer().findings.begin(), model().answer().findings.end(), [](const CheckFinding& finding) { return finding.rule.starts_with("plan."); });
    };
    QVERIFY(!advises());
    QVERIFY(document().setValue("/model", R"({"preset": "llama-2-7b"})", QStringLiteral("model")).hasValue());
    waitForPlan();
    // Nobody chose the device either.
    QTRY_VERIFY2(assumed().join('|').contains(QStringLiteral("1 × H100-SXM-80GB")) && !assumed().join('|').contains(QStringLiteral("LLaMA")), qPrintable(assumed().join('|')));
    QVERIFY(!advises());
    // It is confirmed by choosing it, though it is the same.
    m_window->subject().open(SubjectPanel::Part::Hardware);
    const std::string before = document().text();
    emit m_window->subject().panel().hardware().devices()->chosen(QStringLiteral("H100-SXM-80GB"));
    QVERIFY(document().text() != before);
    waitForPlan();
    QTRY_VERIFY2(assumed().isEmpty(), qPrintable(assumed().join('|')));
    QVERIFY(!assumedOf(document()).any());
    // Saved, it is as it was.
    QVERIFY(document().saveAs(m_scratch->filePath(QStringLiteral("w.json")).toStdString()).hasValue());
    QVERIFY(!assumedOf(document()).any());
    document().undoStack().undo();
    document().undoStack().undo();
    QVERIFY(assumedOf(document()).hardware);
}

void TstConfigAlone::anImportLeavesAssumedWhatItDoesNotSay()
{
    openFile(fileWith(QStringLiteral("ds_z3.json"), QByteArray(kPlain).replace("16", "\"auto\"").replace("3,", "3, \"reduce_bucket_size\": \"auto\",")));
    m_window->files().openPath(fileWith(QStringLiteral("run.sh"), "#!/bin/sh\ntorchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --deepspeed ds_z3.json --per_device_train_batch_size 4\n"));
    QTRY_VERIFY(config().importPanel().takeButton()->isEnabled());
    const QString line = config().importPanel().command();
    QVERIFY2(line.contains(QStringLiteral("--world 8")) && !line.contains(QStringLiteral("--hidden-size")), qPrintable(line));
    config().importPanel().takeButton()->click();
    QTRY_VERIFY2(document().undoStack().count() == 1 && document().isConfigAlone(), "it stands in the file now");
    QVERIFY2(document().configText().find("\"reduce_bucket_size\": \"auto\"") != std::string::npos, document().configText().c_str());
    waitForPlan();
    QVERIFY(assumedOf(document()).model);
    QTRY_VERIFY2(assumed().join('|').contains(QStringLiteral("LLaMA")), qPrintable(assumed().join('|')));
    for (const CheckFinding& finding : model().answer().findings)
        QVERIFY2(!finding.rule.starts_with("plan."), finding.message.c_str());
    // Nobody has said on how many ranks either.
    document().undoStack().setIndex(0);
    m_window->files().openPath(fileWith(QStringLiteral("run.sh"), "#!/bin/sh\npython train.py --model_name_or_path meta-llama/Llama-2-7b-hf --deepspeed ds_z3.json --per_device_train_batch_size 4\n"));
    QTRY_VERIFY(config().importPanel().takeButton()->isEnabled() && !config().importPanel().command().contains(QStringLiteral("--world")));
    const auto& notes = config().importPanel().imported()->notes;
    QVERIFY(std::any_of(notes.begin(), notes.end(), [](const TransferNote& note) { return note.kind == TransferKind::Warning && note.target == "/layout/dp"; }));
    config().importPanel().dismiss();
    // What an assumed number refuses says that it is assumed, and what to do.
    openFile(fileWith(QStringLiteral("eight.json"), R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "optimizer": {"type": "AdamW"}})"));
    config().showExport(QStringLiteral("accelerate-file"));
    const QString refusal = config().exportPanel().problem();
    QVERIFY2(refusal.contains(QStringLiteral("1 (assumed)")) && refusal.contains(QStringLiteral("Model and hardware")), qPrintable(refusal));
    // The demo that somebody opens is what it is.
    WorkspaceDocument demo;
    demo.openText(withValue(withValue(FileFlow::demoText(), "/framework/name", "\"deepspeed\""), "/hardware/device", "\"H100-SXM-80GB\""), QStringLiteral("demo"));
    QVERIFY(!assumedOf(demo).any());
}

void TstConfigAlone::theChecklistWaitsForModelAndHardware()
{
    openFile(fileWith(QStringLiteral("off.json"), kPlain));
    m_window->actions().checklist->trigger();
    ChecklistPanel& list = config().checklist();
    QTRY_COMPARE(static_cast<int>(list.items().size()), 8);
    for (const char* id : {"stage", "offload", "overlap", "precision", "recompute", "bucket"}) {
        QVERIFY2(practice(id).verdict == ChecklistItem::Verdict::Unknown, id);
        QVERIFY2(practice(id).reason.starts_with("Nobody has chosen"), practice(id).reason.c_str());
        QVERIFY(!list.fixButton(QLatin1String(id)));
    }
    // What the text itself says is known.
    QVERIFY(practice("clock").verdict == ChecklistItem::Verdict::NotFollowed);
    // The way to the choice stands above.
    QPushButton* choose = nullptr;
    for (QPushButton* button : list.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Choose model and hardware"))
            choose = button;
    QVERIFY(choose);
    choose->click();
    QTRY_VERIFY(m_window->subject().isOpen());
    QVERIFY(document().setValue("/model", R"({"preset": "llama-2-7b"})", QStringLiteral("model")).hasValue());
    QVERIFY(document().setValue("/hardware/nodes", "1", QStringLiteral("hardware")).hasValue());
    waitForPlan();
    m_window->actions().checklist->trigger();
    QTRY_VERIFY2(practice("offload").verdict != ChecklistItem::Verdict::Unknown, practice("offload").reason.c_str());
}

void TstConfigAlone::theChecklistAgreesWithTheCheck()
{
    const QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("\"bf16\": {", "\"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 3e-4}}, \"bf16\": {");
    const auto open = [this](const QByteArray& workspace) {
        openText(workspace);
        m_window->actions().checklist->trigger();
    };
    open(text);
    QTRY_VERIFY2(practice("precision").verdict == ChecklistItem::Verdict::Followed, practice("precision").reason.c_str());
    // What DeepSpeed has in its place decides.
    open(QByteArray(text).replace("\"bf16\": {\"enabled\": true}", "\"bf16\": {\"enabled\": \"auto\"}"));
    QVERIFY(model().answer().ok);
    QTRY_VERIFY2(practice("precision").verdict == ChecklistItem::Verdict::NotFollowed, practice("precision").reason.c_str());
    const auto finding = std::find_if(model().answer().findings.begin(), model().answer().findings.end(), [](const CheckFinding& found) { return found.pointer == "/bf16/enabled"; });
    QVERIFY(finding != model().answer().findings.end());
    QCOMPARE(practice("precision").reason, finding->message);
    // In a file that is refused only what the refusal has nothing to do with is judged.
    open(QByteArray(text).replace("\"stage\": 2", "\"stage\": 9"));
    QVERIFY(!model().answer().ok);
    QTRY_VERIFY(!config().checklist().items().empty()
                && std::all_of(config().checklist().items().begin(), config().checklist().items().end(), [](const ChecklistItem& item) { return item.id == "clock" || (item.verdict == ChecklistItem::Verdict::Unknown && item.fix.empty()); }));
    QVERIFY2(practice("bucket").reason.find("refuses this ds_config") != std::string::npos && practice("clock").verdict == ChecklistItem::Verdict::NotFollowed, practice("bucket").reason.c_str());
}

void TstConfigAlone::launchWaitsForTheFrameworkToTakeTheFile()
{
    openFile(fileWith(QStringLiteral("own.json"), QByteArray(kPlain).replace("\"lr\"", "\"learning_rate\"")));
    QTRY_VERIFY(!model().answer().ok);
    QTRY_VERIFY(!m_window->actions().launch->isEnabled());
    const QString tip = m_window->actions().launch->toolTip();
    QVERIFY2(tip.startsWith(QStringLiteral("DeepSpeed 0.19.8: ")) && tip.contains(QStringLiteral("\"lr\"")), qPrintable(tip));
    QVERIFY(!m_window->findChild<QPushButton*>(QStringLiteral("launchButton"))->isEnabled());
    // Mended, it is offered.
    for (std::size_t i = 0; i < model().answer().findings.size(); ++i)
        if (model().answer().findings[i].severity == CheckSeverity::Error && !model().answer().findings[i].fix.empty()) {
            model().fix(static_cast<int>(i));
            break;
        }
    QTRY_VERIFY(model().answer().ok);
    waitForPlan();
    QTRY_VERIFY2(m_window->actions().launch->isEnabled(), qPrintable(m_window->actions().launch->toolTip()));
}

void TstConfigAlone::theDialogSaysWhatTheFindingSays()
{
    // Our engine would remove what DeepSpeed knows by another name: the finding's remedy is the only one.
    QByteArray text = QByteArray::fromStdString(withValue(FileFlow::demoText(), "/framework", R"({"name": "deepspeed"})"));
    openText(text.replace("\"lr\": 0.001", "\"learning_rate\": 0.001"));
    QTRY_VERIFY(!m_window->actions().launch->isEnabled());
    m_window->runFlow().launch();   // as the Run page does for another run of this workspace
    QTRY_VERIFY(box("launchQuestion"));
    const QString said = box("launchQuestion")->informativeText();
    const auto finding = std::find_if(model().answer().findings.begin(), model().answer().findings.end(), [](const CheckFinding& found) { return found.pointer == "/optimizer/params/learning_rate"; });
    QVERIFY(finding != model().answer().findings.end());
    QVERIFY2(said.contains(QStringLiteral("It stops at \"params.learning_rate\". ") + QString::fromStdString(finding->message)), qPrintable(said));
    QVERIFY2(!said.contains(QStringLiteral("so remove it")), qPrintable(said));
    QVERIFY2(said.startsWith(QStringLiteral("The ds_config is refused as it stands. DeepSpeed 0.19.8: ")), qPrintable(said));
    QVERIFY(box("launchQuestion")->defaultButton() != box("launchQuestion")->findChild<QPushButton*>(QStringLiteral("scriptButton")));
    box("launchQuestion")->reject();
}

void TstConfigAlone::aRefusedFileIsNoDefault()
{
    const auto ask = [this](const QString& refusal, const QString& ofOurs) { LaunchQuestion{QStringLiteral("deepspeed"), refusal, ofOurs, [] {}, [] {}}.ask(m_window.get()); };
    ask(QStringLiteral("DeepSpeed 0.19.8: no."), QStringLiteral("No."));
    QTRY_VERIFY(box("launchQuestion"));
    QVERIFY2(box("launchQuestion")->informativeText().startsWith(QStringLiteral("The ds_config is refused as it stands. DeepSpeed 0.19.8: no.")), qPrintable(box("launchQuestion")->informativeText()));
    QVERIFY(box("launchQuestion")->defaultButton() != box("launchQuestion")->findChild<QPushButton*>(QStringLiteral("scriptButton")));
    QVERIFY(box("launchQuestion")->defaultButton() != box("launchQuestion")->findChild<QPushButton*>(QStringLiteral("ownEngineButton")));
    box("launchQuestion")->reject();
    QTRY_VERIFY(!box("launchQuestion"));
    ask({}, QStringLiteral("No."));
    QTRY_VERIFY(box("launchQuestion"));
    QCOMPARE(box("launchQuestion")->defaultButton(), box("launchQuestion")->findChild<QPushButton*>(QStringLiteral("scriptButton")));
    QVERIFY(box("launchQuestion")->text().contains(QStringLiteral("own launcher")));
    box("launchQuestion")->reject();
    QTRY_VERIFY(!box("launchQuestion"));
    LaunchQuestion{QStringLiteral("deepspeed"), {}, QStringLiteral("No."), [] {}, [] {}, CheckLauncher::Transformers}.ask(m_window.get());
    QTRY_VERIFY(box("launchQuestion"));
    QVERIFY2(box("launchQuestion")->text().contains(QStringLiteral("Trainer")), "who starts it has been said");
    box("launchQuestion")->reject();
}

void TstConfigAlone::deviceSheetsHaveAMenuEntry()
{
    m_window->actions().sheets->trigger();
    QTRY_VERIFY(m_window->findChild<DeviceSheetsDialog*>() && m_window->findChild<DeviceSheetsDialog*>()->isVisible());
    m_window->findChild<DeviceSheetsDialog*>()->reject();
    QTRY_VERIFY(!m_window->findChild<DeviceSheetsDialog*>() || !m_window->findChild<DeviceSheetsDialog*>()->isVisible());
    openFile(fileWith(QStringLiteral("off.json"), kPlain));
    m_window->actions().sheets->trigger();
    QTRY_VERIFY(m_window->findChild<DeviceSheetsDialog*>());
}

void TstConfigAlone::rulesAreNamedAsTheDocumentationHasThem()
{
    openFile(fileWith(QStringLiteral("old.json"), QByteArray(kPlain).replace("{\n  \"train", "{\n  \"elasticity\": {\"enabled\": false},\n  \"train")));
    QVERIFY(std::any_of(model().answer().findings.begin(), model().answer().findings.end(), [](const CheckFinding& finding) { return finding.rule == "release.removed"; }));
    auto* list = m_window->output().findings()->findChild<QTreeWidget*>();
    QTRY_VERIFY(list->topLevelItemCount() > 0);
    for (int row = 0; row < list->topLevelItemCount(); ++row)
        QVERIFY2(!list->topLevelItem(row)->text(1).contains('.'), qPrintable(list->topLevelItem(row)->text(1)));
}

QTEST_MAIN(TstConfigAlone)
#include "tst_config_alone.moc"
