// SPDX-License-Identifier: GPL-3.0-or-later
// What is said and asked before a run starts, where it would not be the one that was meant.
#include "../checkpoint/checkpoint_fixture.h"
#include "app/actions.h"
#include "app/export_panel.h"
#include "app/resume_question.h"
#include "app/run_flow.h"
#include "app/run_notice.h"
#include "app/session/run_controller.h"
#include "record/run_folder.h"
#include "run_folder_maker.h"
#include "run_window_fixture.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QListWidget>
#include <QMessageBox>

using namespace stagecraft;
using namespace stagecraft::app;
using stagecraft::testing::RunFolderMaker;

class TstRunQuestions : public RunWindowTest {
    Q_OBJECT
private slots:
    void continuingSaysWhichCheckpointIsThere_data();
    void continuingSaysWhichCheckpointIsThere();
    void manyDamagedCheckpointsLeaveTheButtonsInSight();
    void aDeletedRunOffersNothing();
    void aPlanOfAnotherFrameworkSaysWhoTrainsIt();
    void ourEngineIsOfferedOnlyWhereItsPreflightAgrees_data();
    void ourEngineIsOfferedOnlyWhereItsPreflightAgrees();
    void exportingARunTakesAFolderThatIsThere_data();
    void exportingARunTakesAFolderThatIsThere();
};

void TstRunQuestions::continuingSaysWhichCheckpointIsThere_data()
{
    QTest::addColumn<bool>("damaged");   // the checkpoint of step 10, which was saved last; else it is gone
    QTest::addColumn<int>("older");      // another one is left, of this step
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("resume");
    QTest::newRow("all were deleted") << false << 0 << QString("No checkpoint is left in") << QString("no");
    QTest::newRow("the only one is damaged") << true << 0 << QString("No checkpoint in") << QString("no");
    QTest::newRow("the newest was deleted") << false << 4 << QString("is of step 4") << QString("4");
    QTest::newRow("the newest is damaged") << true << 4 << QString("is of step 4") << QString("4");
}

void TstRunQuestions::continuingSaysWhichCheckpointIsThere()
{
    QFETCH(bool, damaged);
    QFETCH(int, older);
    QFETCH(QString, said);
    QFETCH(QString, resume);
    makeRefusingProgram();
    RunFolderMaker over(runs("over"), 2, RunStatus::Running);
    const auto checkpoints = RunFolder{over.folder}.checkpoints();
    over.addSteps(1, 20);
    over.addEvent(0, "checkpoint_saved", R"({"step": 10, "path": "x"})");
    over.fail(1, "signal", "rank 1 was killed by SIGKILL", "Forward");
    over.lock.reset();
    fileWith(QStringLiteral("runs/over/workspace.json"), "{}");
    if (older > 0)
        QVERIFY(writeFixture(checkpoints, older, 1).hasValue());
    if (damaged) {
        // One bit, in the midst of it: only reading it all finds that.
        const auto folder = writeFixture(checkpoints, 10, 1);
        QVERIFY(folder.hasValue());
        QFile weights(QString::fromStdString((*folder / "rank_00000.bin").string()));
        QVERIFY(weights.open(QIODevice::ReadWrite) && weights.seek(weights.size() / 2));
        const char byte = weights.read(1).at(0);
        QVERIFY(weights.seek(weights.size() / 2) && weights.putChar(static_cast<char>(byte ^ 1)));
    }
    openWindow();
    m_window->actions().openDemo->trigger();
    m_window->findChild<RunFlow*>()->attach(QString::fromStdString(over.folder.string()));
    showRunPage();
    const auto button = [this] {
        page()->frameTick();
        return page()->findChild<QPushButton*>(QStringLiteral("continue"));
    };
    QTRY_VERIFY(button() != nullptr);
    QStringList lines;
    for (const auto& line : page()->notice()->content().lines)
        lines << line.text;
    QVERIFY2(lines.join(QLatin1Char('|')).contains(damaged ? QStringLiteral("Kept: the checkpoint of step 10") : QStringLiteral("not in the folder of the run any more")), qPrintable(lines.join(QLatin1Char('|'))));
    const auto box = [this] { return m_window->findChild<QMessageBox*>(QStringLiteral("resumeQuestion")); };
    button()->click();
    QTRY_VERIFY(box() != nullptr);
    QVERIFY2(box()->text().contains(said), qPrintable(box()->text()));
    QVERIFY2(box()->informativeText().contains(damaged ? QStringLiteral("is damaged in rank_00000.bin") : QStringLiteral("step 10 is not there any more")), qPrintable(box()->informativeText()));
    QVERIFY(given("arguments").isEmpty());
    // Given up, nothing starts; what would lose the record is not what Enter does.
    auto* go = box()->findChild<QPushButton*>(QStringLiteral("resumeButton"));
    QCOMPARE(box()->defaultButton() == go, older > 0);
    box()->reject();
    QTRY_VERIFY(box() == nullptr);
    QVERIFY(given("arguments").isEmpty() && !isLive(m_window->runController().state()));
    button()->click();
    QTRY_VERIFY(box() != nullptr);
    QTest::mouseClick(box()->findChild<QPushButton*>(QStringLiteral("resumeButton")), Qt::LeftButton);
    QTRY_VERIFY(!given("arguments").isEmpty());
    QVERIFY2(given("arguments").endsWith("--resume\n" + resume.toUtf8() + '\n'), given("arguments").constData());
    QTRY_COMPARE(m_window->runController().state(), RunState::Failed);
}

void TstRunQuestions::manyDamagedCheckpointsLeaveTheButtonsInSight()
{
    RunFolderMaker over(runs("over"), 2, RunStatus::Running);
    const auto checkpoints = RunFolder{over.folder}.checkpoints();
    for (int step = 1; step <= 8; ++step) {
        const auto folder = writeFixture(checkpoints, step, 1);
        QVERIFY(folder.hasValue());
        std::filesystem::resize_file(*folder / "manifest.json", 9);
    }
    openWindow();
    ResumeQuestion question(m_window.get());
    question.ask(QString::fromStdString(over.folder.string()), 8);
    const auto box = [this] { return m_window->findChild<QMessageBox*>(QStringLiteral("resumeQuestion")); };
    QTRY_VERIFY(box() != nullptr);
    const QString said = box()->informativeText();
    QVERIFY2(said.contains(QStringLiteral("5 older checkpoints cannot be used either.")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("step_0000008")) && !said.contains(QStringLiteral("step_0000004")), qPrintable(said));
    QVERIFY2(box()->sizeHint().height() < 600, qPrintable(QString::number(box()->sizeHint().height())));
}

void TstRunQuestions::aDeletedRunOffersNothing()
{
    makeRefusingProgram();
    RunFolderMaker over(runs("over"), 2, RunStatus::Running);
    over.addSteps(1, 20);
    over.addEvent(0, "checkpoint_saved", R"({"step": 10, "path": "x"})");
    over.fail(1, "signal", "rank 1 was killed by SIGKILL", "Forward");
    over.lock.reset();
    openWindow();
    m_window->actions().openDemo->trigger();
    m_window->findChild<RunFlow*>()->attach(QString::fromStdString(over.folder.string()));
    showRunPage();
    QTRY_VERIFY((page()->frameTick(), page()->findChild<QPushButton*>(QStringLiteral("continue")) != nullptr));
    std::filesystem::remove_all(over.folder);
    m_window->findChild<RunFlow*>()->continueRun(QString::fromStdString(over.folder.string()), 10);   // before the page has seen it
    QVERIFY(!std::filesystem::exists(over.folder));
    QTRY_VERIFY((page()->frameTick(), page()->notice()->content().title.contains(QStringLiteral("was deleted"))));
    QVERIFY(page()->notice()->content().buttons.empty());
    QVERIFY(given("arguments").isEmpty());
}

void TstRunQuestions::aPlanOfAnotherFrameworkSaysWhoTrainsIt()
{
    makeRefusingProgram();
    openWindow();
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(withValue(FileFlow::demoText(), "/framework", R"({"name": "deepspeed"})"))));
    const std::string before = m_window->document().text();
    const auto box = [this] { return m_window->findChild<QMessageBox*>(QStringLiteral("launchQuestion")); };
    const auto button = [&box](const char* name) { return box()->findChild<QPushButton*>(QLatin1String(name)); };
    QTest::keyClick(m_window.get(), Qt::Key_F5);
    QTRY_VERIFY(box() != nullptr);
    QVERIFY(box()->text().contains(QStringLiteral("DeepSpeed")) && box()->defaultButton() == button("ownEngineButton"));
    QVERIFY(given("arguments").isEmpty());
    QTest::mouseClick(button("scriptButton"), Qt::LeftButton);
    auto* list = m_window->findChild<ExportPanel*>()->findChild<QListWidget*>();
    QTRY_VERIFY(list->isVisible() && list->currentItem() != nullptr && list->currentItem()->data(Qt::UserRole).toString() == QLatin1String("command"));
    QTRY_VERIFY(box() == nullptr);
    // Where our engine would refuse it, it says so and is not offered; Launch still tells what can be done.
    QVERIFY(m_window->document().setValue("/data/source", R"("none.txt")", QStringLiteral("data")).hasValue());
    waitForPlan();
    launchButton()->click();
    QTRY_VERIFY(box() != nullptr);
    QVERIFY(!button("ownEngineButton")->isEnabled());
    QVERIFY2(box()->informativeText().contains(QStringLiteral("none.txt")), qPrintable(box()->informativeText()));
    box()->reject();
    QTRY_VERIFY(box() == nullptr);
    m_window->document().undoStack().undo();
    waitForPlan();
    QCOMPARE(m_window->document().text(), before);
    // One step, which is launched and can be undone.
    launchButton()->click();
    QTRY_VERIFY(box() != nullptr);
    QTest::mouseClick(button("ownEngineButton"), Qt::LeftButton);
    QTRY_COMPARE(m_window->runController().state(), RunState::Failed);   // the stand-in refuses everything
    QVERIFY(!given("given.json").contains("deepspeed\""));
    QCOMPARE(m_window->findChild<RunFlow*>()->plannedFramework(), QStringLiteral("stagecraft"));
    m_window->document().undoStack().undo();
    QCOMPARE(m_window->document().text(), before);
}

void TstRunQuestions::ourEngineIsOfferedOnlyWhereItsPreflightAgrees_data()
{
    QTest::addColumn<QString>("framework");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("said");   // empty: it trains
    const auto row = [](const char* name, const char* framework, const char* pointer, const char* value, const char* said) {
        QTest::newRow(name) << QString(framework) << QString(pointer) << QString(value) << QString(said);
    };
    row("nothing is wrong", "deepspeed", "/training/steps", "5", "");
    row("nothing is wrong, and FSDP2 is planned", "fsdp2", "/training/steps", "5", "");
    row("a device that is nowhere", "deepspeed", "/hardware/device", R"("H1000")", "H1000");
    row("a device that is not here", "deepspeed", "/hardware/device", R"("MI300X")", "MI300X");
    row("tensor parallelism", "megatron", "/layout", R"({"dp": 1, "tp": 2})", "layout.tp");
    row("pipelines", "megatron", "/layout", R"({"dp": 1, "pp": 2})", "layout.pp");
    row("fp16 that FSDP2 does not read", "fsdp2", "/dsConfig/fp16", R"({"enabled": true})", "fp16");
    row("fp16", "deepspeed", "/dsConfig/fp16", R"({"enabled": true})", "fp16");
    row("batch sizes that do not agree", "deepspeed", "/dsConfig/train_batch_size", "7", "train_batch_size");
    row("data that is not there", "deepspeed", "/data/source", R"("none.txt")", "none.txt");
    row("too few tokens", "deepspeed", "/data/source", R"("short.txt")", "short.txt");
}

void TstRunQuestions::ourEngineIsOfferedOnlyWhereItsPreflightAgrees()
{
    QFETCH(QString, framework);
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, said);
    fileWith(QStringLiteral("short.txt"), "a few words");
    openWindow();
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(withValue(withValue(FileFlow::demoText(), "/framework", "{\"name\": \"" + framework.toStdString() + "\"}"), pointer.toStdString(), value.toStdString()))));
    const std::string before = m_window->document().text();
    if (framework == QLatin1String("deepspeed") && pointer.startsWith(QLatin1String("/dsConfig"))) {
        QTRY_VERIFY2(!launchButton()->isEnabled() && launchButton()->toolTip().contains(said), qPrintable(launchButton()->toolTip()));   // DeepSpeed refuses it too
        return;
    }
    launchButton()->click();
    const auto box = [this] { return m_window->findChild<QMessageBox*>(QStringLiteral("launchQuestion")); };
    QTRY_VERIFY(box() != nullptr);
    auto* own = box()->findChild<QPushButton*>(QStringLiteral("ownEngineButton"));
    auto* script = box()->findChild<QPushButton*>(QStringLiteral("scriptButton"));
    QCOMPARE(own->isEnabled(), said.isEmpty());
    QVERIFY2(box()->informativeText().contains(said), qPrintable(box()->informativeText()));
    // Enter never does what would be refused.
    QVERIFY(said.isEmpty() ? box()->defaultButton() == own : script != nullptr ? box()->defaultButton() == script : box()->defaultButton() != own);
    box()->reject();
    QCOMPARE(m_window->document().text(), before);
}

void TstRunQuestions::exportingARunTakesAFolderThatIsThere_data()
{
    QTest::addColumn<QString>("chosen");
    QTest::addColumn<QString>("written");
    QTest::newRow("what is shown at once") << QString() << QStringLiteral("over-metrics");
    QTest::newRow("another folder") << QStringLiteral("结果 of today") << QStringLiteral("结果 of today/over-metrics");
    QTest::newRow("that of an earlier export") << QStringLiteral("over-metrics") << QStringLiteral("over-metrics");
}

void TstRunQuestions::exportingARunTakesAFolderThatIsThere()
{
    QFETCH(QString, chosen);
    QFETCH(QString, written);
    makeRefusingProgram();
    RunFolderMaker over(runs("over"), 2, RunStatus::Finished);
    over.addSteps(1, 20);
    if (!chosen.isEmpty())
        QVERIFY(QDir(m_scratch->path()).mkpath(chosen));
    openWindow();
    m_window->findChild<RunFlow*>()->attach(QString::fromStdString(over.folder.string()));
    showRunPage();
    emit page()->filesRequested(QString::fromStdString(over.folder.string()));
    auto* dialog = m_window->findChild<QFileDialog*>(QStringLiteral("exportRunDialog"));
    QVERIFY(dialog != nullptr);
    dialog->setDirectory(m_scratch->path());
    if (!chosen.isEmpty())
        dialog->selectFile(chosen);
    auto* accept = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    QVERIFY(accept != nullptr);
    QTRY_VERIFY(accept->isEnabled());
    QTest::mouseClick(accept, Qt::LeftButton);
    QTRY_VERIFY(!given("arguments").isEmpty());
    const QStringList said = QString::fromUtf8(given("arguments")).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(QDir::cleanPath(said.last()), QDir::cleanPath(m_scratch->filePath(written)));
}

QTEST_MAIN(TstRunQuestions)
#include "tst_run_questions.moc"
