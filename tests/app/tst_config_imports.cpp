// SPDX-License-Identifier: GPL-3.0-or-later
// Another tool's file beside the Config page, as the window shows it: whose file it goes into, what comes with it.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/config_wizard.h"
#include "app/import_panel.h"
#include "app/transfer_list.h"
#include "widgets/config_findings.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/launcher_row.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTextLayout>
#include <QUndoStack>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

const QByteArray kPlain = "{\n  \"train_batch_size\": 16,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}},\n  \"zero_optimization\": {\"stage\": 2}\n}\n";
const QByteArray kAccelerate = R"(compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  gradient_accumulation_steps: 4
  zero_stage: 3
  offload_optimizer_device: cpu
mixed_precision: bf16
num_machines: 1
num_processes: 2
)";

}  // namespace

class TstConfigImports : public PlanPageTest {
    Q_OBJECT
private slots:
    void enterPressesTheButtonThatHasTheKeyboard();
    void anImportGoesIntoTheFileThatIsOpen_data();
    void anImportGoesIntoTheFileThatIsOpen();
    void theCommandSaysTheTrainersArguments();
    void theTrainersArgumentsStayWithWhatItFillsIn();
    void theEffectIsSaidBeforeItIsTakenOver();
    void notesSpeakOfTheWindow();
    void namesAreReadWhole();
    void numbersOfAnotherModelAreNotThoseOfTheImport();
    void noLineEndsBehindTheSlashOfAPointer();

private:
    [[nodiscard]] ConfigDocumentPage& config() const { return *m_window->findChild<ConfigDocumentPage*>(); }
    [[nodiscard]] ConfigPage& view() const { return config().view(); }
    [[nodiscard]] WorkspaceDocument& document() const { return m_window->document(); }
    [[nodiscard]] QByteArray text() const { return QByteArray::fromStdString(document().configText()); }
    [[nodiscard]] static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void waitForImport()
    {
        QTRY_VERIFY(config().importPanel().takeButton()->isEnabled());
    }
};

void TstConfigImports::enterPressesTheButtonThatHasTheKeyboard()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    m_window->activateWindow();
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    // A file that was chosen by keyboard is taken over by keyboard.
    QTRY_COMPARE(QApplication::focusWidget(), config().importPanel().takeButton());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QCOMPARE(document().undoStack().count(), 1);
    QVERIFY2(text().contains("\"stage\": 3"), text().constData());
    QVERIFY(!config().importPanel().isVisible());
    // What is no import has its kind asked for.
    config().showImport(fileWith(QStringLiteral("letter.yaml"), "dear: reader\n"), false);
    QTRY_VERIFY(!config().importPanel().problem().isEmpty());
    QVERIFY2(qobject_cast<QComboBox*>(QApplication::focusWidget()), QApplication::focusWidget()->metaObject()->className());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    // The wizard's own Enter goes on, but closes on Close.
    config().showWizard();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QVERIFY(config().wizard().questionId() != QStringLiteral("machines"));
    config().wizard().closeButton()->setFocus();
    QTest::keyClick(config().wizard().closeButton(), Qt::Key_Return);
    QVERIFY(!config().wizard().isVisible());
}

void TstConfigImports::anImportGoesIntoTheFileThatIsOpen_data()
{
    QTest::addColumn<QByteArray>("opened");
    QTest::newRow("over a config") << kPlain;
    QTest::newRow("over a text that cannot be read") << QByteArray("{\"train_batch_size\": ");
    QTest::newRow("over a file with the lines of Windows") << QByteArray("{\r\n  \"train_batch_size\": 16\r\n}\r\n");
}

void TstConfigImports::anImportGoesIntoTheFileThatIsOpen()
{
    QFETCH(QByteArray, opened);
    const QString path = fileWith(QStringLiteral("real.json"), opened);
    openFile(path);
    const std::string around = document().text();
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    ImportPanel& panel = config().importPanel();
    QVERIFY(panel.newButton()->isVisible() && panel.takeButton()->isVisible());
    QStringList words;
    for (const ToneLabel* label : panel.findChildren<ToneLabel*>())
        words << label->text();
    QVERIFY2(words.join(QLatin1Char(' ')).contains(QStringLiteral("goes into real.json")), qPrintable(words.join(QLatin1Char('\n'))));
    panel.takeButton()->click();
    // It is the same file, with the text as the panel showed it.
    QVERIFY(document().isConfigAlone());
    QCOMPARE(document().title(), QStringLiteral("real.json"));
    QCOMPARE(document().undoStack().count(), 1);
    QCOMPARE(text(), QByteArray::fromStdString(panel.imported()->dsConfigText));
    QVERIFY2(text().startsWith("{\n") && text().endsWith("\n}\n") && text().contains("\n  \""), text().constData());
    QVERIFY2(text().contains("\"stage\": 3"), text().constData());
    // What else it says is set around it: two ranks.
    QVERIFY(document().text() != around);
    waitForPlan();
    QTRY_VERIFY(view().surroundings()->text().contains(QLatin1Char('2')));
    m_window->actions().save->trigger();
    QCOMPARE(contentOf(path), text());
    m_window->actions().undo->trigger();
    QCOMPARE(text(), opened);
    QCOMPARE(document().text(), around);
    m_window->actions().redo->trigger();
    // The other choice leaves the file alone.
    m_window->actions().undo->trigger();
    m_window->actions().save->trigger();
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    panel.newButton()->click();
    QTRY_VERIFY(!document().isConfigAlone() && text().contains("\"stage\": 3"));
    QCOMPARE(contentOf(path), opened);
}

// Around a ds_config opened alone they are in no file: the command that is shown says them.
void TstConfigImports::theCommandSaysTheTrainersArguments()
{
    (void)fileWith(QStringLiteral("z3.json"), R"({"train_micro_batch_size_per_gpu": "auto", "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}})");
    const QString script = fileWith(QStringLiteral("run.sh"), "deepspeed --num_gpus 4 train.py --deepspeed ./z3.json --per_device_train_batch_size 16 --learning_rate 2e-5\n");
    openFile(fileWith(QStringLiteral("alone.json"), R"({"train_batch_size": 4})"));
    m_window->files().openPath(script);
    waitForImport();
    ImportPanel& panel = config().importPanel();
    panel.findChild<QCheckBox*>()->click();   // "auto" stays
    waitForImport();
    panel.takeButton()->click();
    QTRY_VERIFY(text().contains("\"lr\": \"auto\""));
    const QString command = config().command();
    for (const char* part : {" --world 4 ", " --launcher transformers ", " --argument 'learning_rate=2e-5' ", " --argument 'per_device_train_batch_size=16' "}) QVERIFY2((command + QLatin1Char(' ')).contains(QLatin1String(part)), qPrintable(command));
    // What the Trainer does not fill in needs none.
    emit view().launcherRequested(CheckLauncher::DeepSpeed);
    QTRY_VERIFY(!config().command().contains(QStringLiteral("--argument")));
}

void TstConfigImports::theTrainersArgumentsStayWithWhatItFillsIn()
{
    (void)fileWith(QStringLiteral("z3.json"), R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"}, "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}, "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}})");
    const QString script = fileWith(QStringLiteral("run.sh"), "deepspeed --include localhost:0,1,2,3 train.py --deepspeed ./z3.json --model_name_or_path lmsys/vicuna-13b-v1.5 --bf16 True --per_device_train_batch_size 16 --learning_rate 2e-5 --hub_token secret\n");
    openText(R"({"stagecraft": 1, "model": {"params": 1000000000}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "H100-SXM-80GB"}, "layout": {"dp": 4}, "dsConfig": {"train_batch_size": 4}, "framework": {"name": "deepspeed"}})");
    m_window->files().openPath(script);
    waitForImport();
    config().importPanel().takeButton()->click();
    QTRY_VERIFY(text().contains("\"reduce_bucket_size\": \"auto\"") && text().contains("2e-5"));
    const CheckContext& context = view().model().context();
    QTRY_COMPARE(static_cast<int>(context.launcher), static_cast<int>(CheckLauncher::Transformers));
    QCOMPARE(context.trainer.count("learning_rate"), std::size_t{1});
    QVERIFY(document().text().find("secret") == std::string::npos);
    QVERIFY(view().model().answer().ok);
    for (const CheckFinding& finding : view().model().answer().findings)
        QVERIFY2(finding.rule != "R105", finding.message.c_str());
    QStringList words;
    for (const QLabel* label : view().findings()->launcher()->findChildren<QLabel*>())
        words << label->text();
    QVERIFY2(words.join(QLatin1Char('|')).contains(QStringLiteral("those that were imported")), qPrintable(words.join(QLatin1Char('|'))));
    // It can be told that DeepSpeed's own launcher starts it; then nothing of the Trainer's counts.
    emit view().launcherRequested(CheckLauncher::DeepSpeed);
    QTRY_VERIFY(view().model().context().trainer.empty());
}

void TstConfigImports::theEffectIsSaidBeforeItIsTakenOver()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("\"bf16\"", R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16")"));
    const std::string before = document().text();
    m_window->showPage(1);
    config().showImport(fileWith(QStringLiteral("three.json"), QByteArray(kPlain).replace("\"stage\": 2", "\"stage\": 3")), false);
    waitForImport();
    const ImportPanel& panel = config().importPanel();
    QTRY_VERIFY2(panel.effect()->text().startsWith(QStringLiteral("Taken over: ")), qPrintable(panel.effect()->text()));
    QVERIFY(panel.effect()->isVisible());
    QVERIFY2(panel.effect()->text().contains(QStringLiteral("iB (")), qPrintable(panel.effect()->text()));
    QCOMPARE(document().text(), before);
    // What DeepSpeed would refuse says so.
    config().showImport(fileWith(QStringLiteral("wrong.json"), QByteArray(kPlain).replace("\"stage\": 2", "\"stage\": 7")), false);
    QTRY_VERIFY2(panel.effect()->text().contains(QStringLiteral("DeepSpeed refuses it: ")), qPrintable(panel.effect()->text()));
    // A workspace that is made for an import has nothing that it changes.
    config().showImport(fileWith(QStringLiteral("letter.yaml"), "dear: reader\n"), false);
    QTRY_VERIFY(!panel.effect()->isVisible());
}

void TstConfigImports::notesSpeakOfTheWindow()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    for (const Language language : {Language::English, Language::SimplifiedChinese}) {
        m_window->setLanguage(language);
        QString every;
        for (const QByteArray& refused : {QByteArray(kPlain).replace("16", "16, \"train_micro_batch_size_per_gpu\": 3"), QByteArray(R"({"train_batch_size": "auto"})"), QByteArray("{\"zero_optimization\": {\"stage\": 2}}")}) {
            config().showImport(fileWith(QStringLiteral("other.json"), refused), false);
            waitForImport();
            every += config().importPanel().notes()->lines().join(QLatin1Char('\n'));
        }
        QVERIFY(!every.isEmpty());
        QVERIFY2(!every.contains(QStringLiteral("--")), qPrintable(every));
    }
}

void TstConfigImports::namesAreReadWhole()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    TransferNote note;
    note.key = "/zero_optimization/stage3_param_persistence_threshold";
    note.value = "100000";
    note.target = "/dsConfig/zero_optimization/stage3_model_persistence_threshold";
    TransferList list(nullptr);
    list.resize(312, 300);
    list.setNotes({note});
    list.show();
    const int tall = list.sizeHintForRow(0);
    note.key = "/a";
    note.target = "/b";
    list.setNotes({note});
    QVERIFY2(tall > list.sizeHintForRow(0) + 8, qPrintable(QString::number(tall)));
}

// The model that the file names is not here, and the workspace keeps its own: what that needs says nothing of the import.
void TstConfigImports::numbersOfAnotherModelAreNotThoseOfTheImport()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    m_window->showPage(1);
    const QByteArray foreign = "model_name_or_path: meta-llama/Llama-2-7b-hf\nstage: sft\nfinetuning_type: full\nper_device_train_batch_size: 2\nbf16: true\ndeepspeed:\n  zero_optimization: {stage: 3}\n";
    config().showImport(fileWith(QStringLiteral("train.yaml"), foreign), false);
    waitForImport();
    const ImportPanel& panel = config().importPanel();
    QTRY_VERIFY2(panel.effect()->text().startsWith(QStringLiteral("Taken over: ")), qPrintable(panel.effect()->text()));
    const QString said = panel.effect()->text();
    QVERIFY2(said.contains(QStringLiteral("its model is not here")) && !said.contains(QStringLiteral("iB")) && !said.contains(QStringLiteral("fit")), qPrintable(said));
}

void TstConfigImports::noLineEndsBehindTheSlashOfAPointer()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    const QString sentence = QStringLiteral("there is no /gradient_accumulation_steps beside \"/zero_optimization/offload_optimizer/device\", and/or no 5 / 2.");
    TransferNote note;
    note.reason = sentence.toStdString();
    note.line = 2;
    TransferList list(nullptr);
    list.setNotes({note});
    const QModelIndex row = list.model()->index(0, 0);
    QString painted;   // what the row is painted from
    for (int role = Qt::UserRole; role < Qt::UserRole + 8; ++role)
        if (const QString words = row.data(role).toString(); words.contains(QStringLiteral("gradient_acc")))
            painted = words;
    QVERIFY2(painted.startsWith(QStringLiteral("Line 2: ")), qPrintable(painted));
    QVERIFY(row.data(Qt::AccessibleTextRole).toString().endsWith(sentence));   // what is copied is as it was
    for (int width = 60; width < 600; width += 3) {
        QTextLayout layout(painted, theme::font(theme::Role::Small));
        QTextOption breaks;
        breaks.setWrapMode(QTextOption::WordWrap);
        layout.setTextOption(breaks);
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(width);
            const QString words = painted.mid(line.textStart(), line.textLength()).trimmed();
            QVERIFY2(!words.endsWith(QLatin1Char('/')) || words.endsWith(QStringLiteral("and/")) || words.endsWith(QStringLiteral(" /")) || words == QStringLiteral("/"), qPrintable(words));
            QVERIFY2(!words.endsWith(QStringLiteral("no /")) && !words.endsWith(QStringLiteral("\"/")), qPrintable(words));
        }
        layout.endLayout();
    }
}

QTEST_MAIN(TstConfigImports)
#include "tst_config_imports.moc"
