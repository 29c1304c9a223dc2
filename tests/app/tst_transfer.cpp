// SPDX-License-Identifier: GPL-3.0-or-later
// Files of other tools, in and out of the window: opened, dropped, previewed, taken over, exported, saved.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/drop_frame.h"
#include "app/export_panel.h"
#include "app/file_flow.h"
#include "app/import_panel.h"
#include "app/transfer_list.h"
#include "config/json_document.h"
#include "widgets/config_page.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QUndoStack>
#include <QUrl>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

const QByteArray kLlamaFactory = R"(### model
model_name_or_path: meta-llama/Llama-2-7b-hf
stage: sft
finetuning_type: full
template: llama2
deepspeed: ds_z2.json
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 1.0e-5
max_steps: 300
lr_scheduler_type: cosine
bf16: true
)";

const QByteArray kAuto = R"({
  "train_batch_size": "auto",
  "train_micro_batch_size_per_gpu": "auto",
  "gradient_accumulation_steps": "auto",
  "gradient_clipping": "auto",
  "bf16": { "enabled": "auto" },
  "zero_optimization": { "stage": 2, "overlap_comm": true }
}
)";

const QByteArray kAccelerate = R"(compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  gradient_accumulation_steps: 4
  zero_stage: 3
  offload_optimizer_device: cpu
  zero3_init_flag: true
mixed_precision: bf16
num_machines: 1
num_processes: 2
)";

}  // namespace

class TstTransfer : public PlanPageTest {
    Q_OBJECT
private slots:
    void kindsAreToldByContent_data();
    void kindsAreToldByContent();
    void previewChangesNothingThenTakingIsOneStep();
    void droppedFileIsOfferedBesideTheText();
    void withNothingOpenAWorkspaceIsMadeAndGivenUp();
    void newWorkspaceAsksAboutUnsavedWork();
    void argumentsAndRanksFillAuto();
    void workspaceNumbersFillAuto();
    void aClickRightAfterTypingTakesWhatWasTyped();
    void aFileThatCannotBeReadGivesOneMessage();
    void theWorkspacesOwnFileStaysAsItIs();
    void importCommandDoesTheSame();
    void everyTargetShowsWhatItWrites();
    void savingAsksBeforeItReplaces();
    void oneFileIsSavedUnderTheNameGiven();
    void whatDeepSpeedRefusesIsNotExported();
    void exportCommandDoesTheSame_data();
    void exportCommandDoesTheSame();
    void speaksChinese();

private:
    static QByteArray contentOf(const QString& path);
    ConfigDocumentPage& config() { return *m_window->findChild<ConfigDocumentPage*>(); }
    ImportPanel& importing() { return config().importPanel(); }
    ExportPanel& exporting() { return config().exportPanel(); }
    void openDemo();
    void waitForImport() { QTRY_VERIFY(importing().imported() || !importing().problem().isEmpty()); }
    void runCommand(const QString& line);
    void acceptDialog(const char* name, const QString& path);
};

QByteArray TstTransfer::contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no such file");
}

void TstTransfer::openDemo()
{
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
}

void TstTransfer::runCommand(const QString& line)
{
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"), qEnvironmentVariable("STAGECRAFT_BIN_DIR") + QLatin1Char(':') + environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line});
    QVERIFY(shell.waitForFinished(60000));
    QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError().constData());
}

void TstTransfer::acceptDialog(const char* name, const QString& path)
{
    auto* dialog = m_window->findChild<QFileDialog*>(QString::fromLatin1(name));
    QVERIFY(dialog);
    auto* field = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    QVERIFY(field);
    field->setText(path);
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY(!m_window->findChild<QFileDialog*>(QString::fromLatin1(name)));
}

void TstTransfer::kindsAreToldByContent_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* title, const char* name, const QByteArray& bytes, FileKind kind) { QTest::newRow(title) << QString::fromLatin1(name) << bytes << static_cast<int>(kind); };
    row("a workspace", "w.json", QByteArray::fromStdString(FileFlow::demoText()), FileKind::Workspace);
    row("a ds_config with auto", "ds_z2.json", kAuto, FileKind::DsConfig);
    row("a ds_config that is broken", "ds.json", "{\"zero_optimization\": {", FileKind::DsConfig);
    row("accelerate's config", "default_config.yaml", kAccelerate, FileKind::Foreign);
    row("accelerate's config as JSON", "default_config.json", "{\"distributed_type\": \"DEEPSPEED\", \"deepspeed_config\": {\"zero_stage\": 2}, \"num_processes\": 2}", FileKind::Foreign);
    row("LLaMA-Factory's file", "train.yaml", kLlamaFactory, FileKind::Foreign);
    row("TrainingArguments that share names with a ds_config", "args.json", "{\"output_dir\": \"o\", \"learning_rate\": 1e-5, \"bf16\": true}", FileKind::Foreign);
    row("a launch script", "run.sh", "#!/bin/sh\ndeepspeed --num_gpus 4 train.py --deepspeed ds.json\n", FileKind::Foreign);
    row("a YAML of something else", "compose.yaml", "services:\n  web:\n    image: nginx\n", FileKind::Unknown);
    row("JSON of something else", "package.json", "{\"name\": \"x\", \"version\": \"1\"}", FileKind::DsConfig);
    row("no text", "a.bin", QByteArray("\x00\x01\x02\xff", 4), FileKind::Unknown);
    row("nothing", "empty.yaml", "", FileKind::Unknown);
}

void TstTransfer::kindsAreToldByContent()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(int, kind);
    QCOMPARE(static_cast<int>(fileKind(fileWith(name, bytes))), kind);
}

void TstTransfer::previewChangesNothingThenTakingIsOneStep()
{
    openDemo();
    const std::string before = m_window->document().text();
    fileWith(QStringLiteral("ds_z2.json"), kAuto);
    m_window->files().openPath(fileWith(QStringLiteral("train.yaml"), kLlamaFactory));
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(&config()));
    QCOMPARE(config().view().shownPanel(), static_cast<QWidget*>(&importing()));
    waitForImport();
    QVERIFY2(importing().problem().isEmpty(), qPrintable(importing().problem()));
    QVERIFY(importing().formatField()->currentText().contains(QStringLiteral("LLaMA-Factory")));
    QVERIFY(!importing().notes()->lines().isEmpty());
    QVERIFY(importing().preview()->toPlainText().contains(QStringLiteral("\"train_micro_batch_size_per_gpu\": 2")));
    QCOMPARE(m_window->document().text(), before);
    QVERIFY(!m_window->document().isModified());

    QTest::mouseClick(importing().takeButton(), Qt::LeftButton);
    QCOMPARE(m_window->document().undoStack().count(), 1);
    QCOMPARE(m_window->document().undoStack().undoText(), QStringLiteral("Import train.yaml"));
    QCOMPARE(QString::fromStdString(m_window->document().configText()), importing().preview()->toPlainText().trimmed());   // its lines as in a file of its own
    QVERIFY(config().view().shownPanel() == nullptr);
    waitForPlan();
    QVERIFY(!plan().problem.has_value());
    m_window->actions().undo->trigger();
    QCOMPARE(m_window->document().text(), before);
    QVERIFY(!m_window->document().isModified());
}

void TstTransfer::droppedFileIsOfferedBesideTheText()
{
    openDemo();
    const QString path = fileWith(QStringLiteral("default_config.yaml"), kAccelerate);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    auto* frame = m_window->findChild<DropFrame*>();
    QVERIFY(frame->isVisible());
    QVERIFY2(frame->sentence().contains(QStringLiteral("default_config.yaml")) && !frame->sentence().contains(QStringLiteral("cannot")), qPrintable(frame->sentence()));
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_window.get(), &drop);
    QVERIFY(!frame->isVisible());
    waitForImport();
    QVERIFY(importing().imported().has_value());
    QCOMPARE(importing().imported()->format, ForeignFormat::Accelerate);
    QVERIFY(importing().preview()->toPlainText().contains(QStringLiteral("\"stage\": 3")));
    QTest::keyClick(importing().takeButton(), Qt::Key_Escape);
    QVERIFY(config().view().shownPanel() == nullptr);
    QVERIFY(m_window->document().isOpen() && !m_window->document().isModified());
}

void TstTransfer::withNothingOpenAWorkspaceIsMadeAndGivenUp()
{
    const QString path = fileWith(QStringLiteral("default_config.yaml"), kAccelerate);
    m_window->files().openPath(path);
    QVERIFY(m_window->document().isOpen());
    waitForImport();
    QVERIFY(!importing().newButton()->isVisible());
    importing().closeButton()->click();
    QVERIFY(!m_window->document().isOpen());
    QVERIFY(m_window->currentPage() == nullptr);

    m_window->files().openPath(path);
    waitForImport();
    importing().takeButton()->click();
    QVERIFY(m_window->document().isOpen() && m_window->document().isModified());
    QVERIFY(m_window->document().configText().find("\"stage\": 3") != std::string::npos);
    QVERIFY(m_window->document().title().contains(QStringLiteral("default_config.yaml")));
}

void TstTransfer::newWorkspaceAsksAboutUnsavedWork()
{
    openDemo();
    page().setStage(1);
    QVERIFY(m_window->document().isModified());
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    importing().newButton()->click();
    auto* box = m_window->findChild<QMessageBox*>(QStringLiteral("unsavedQuestion"));
    QVERIFY(box);
    QVERIFY(m_window->document().configText().find("\"stage\": 1") != std::string::npos);
    box->findChild<QPushButton*>(QStringLiteral("discardButton"))->click();
    QTRY_VERIFY(m_window->document().configText().find("\"stage\": 3") != std::string::npos);
    QCOMPARE(m_window->document().undoStack().count(), 1);
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(&config()));
}

void TstTransfer::argumentsAndRanksFillAuto()
{
    openDemo();
    m_window->files().importRequested(fileWith(QStringLiteral("ds_z2.json"), kAuto));
    waitForImport();
    QVERIFY(importing().imported().has_value());
    importing().argumentsField()->setFocus();
    QTest::keyClicks(importing().argumentsField(), QStringLiteral("per_device_train_batch_size=3 gradient_accumulation_steps=5"));
    QTest::keyClick(importing().argumentsField(), Qt::Key_Return);
    QTRY_VERIFY(importing().preview()->toPlainText().contains(QStringLiteral("\"gradient_accumulation_steps\": 5")));
    QTest::keyClicks(importing().ranksField(), QStringLiteral("4"));
    QTest::keyClick(importing().ranksField(), Qt::Key_Return);
    QTRY_VERIFY2(importing().preview()->toPlainText().contains(QStringLiteral("\"train_batch_size\": 60")), qPrintable(importing().preview()->toPlainText()));
    QVERIFY2(importing().command().contains(QStringLiteral("--argument 'per_device_train_batch_size=3' --argument 'gradient_accumulation_steps=5' --world 4")), qPrintable(importing().command()));

    importing().argumentsField()->setFocus();
    importing().argumentsField()->selectAll();
    QTest::keyClicks(importing().argumentsField(), QStringLiteral("nonsense"));
    QTest::keyClick(importing().argumentsField(), Qt::Key_Return);
    QTRY_VERIFY(!importing().problem().isEmpty());
    QVERIFY(!importing().takeButton()->isEnabled());
}

void TstTransfer::workspaceNumbersFillAuto()
{
    QByteArray four = QByteArray::fromStdString(FileFlow::demoText());
    auto workspace = QJsonDocument::fromJson(four).object();
    auto layout = workspace[QStringLiteral("layout")].toObject();
    layout[QStringLiteral("dp")] = 4;
    workspace[QStringLiteral("layout")] = layout;
    auto hardware = workspace[QStringLiteral("hardware")].toObject();
    hardware[QStringLiteral("devicesPerNode")] = 4;
    workspace[QStringLiteral("hardware")] = hardware;
    openFile(fileWith(QStringLiteral("w.json"), QJsonDocument(workspace).toJson()));
    const QByteArray config = "{\"train_batch_size\": \"auto\", \"train_micro_batch_size_per_gpu\": \"auto\", \"zero_optimization\": {\"stage\": 2, \"reduce_bucket_size\": \"auto\"}}";
    m_window->files().importRequested(fileWith(QStringLiteral("ds_z2.json"), config));
    waitForImport();
    importing().argumentsField()->setFocus();
    QTest::keyClicks(importing().argumentsField(), QStringLiteral("per_device_train_batch_size=3"));
    QTest::keyClick(importing().argumentsField(), Qt::Key_Return);
    QTRY_VERIFY2(importing().preview()->toPlainText().contains(QStringLiteral("\"train_batch_size\": 12")), qPrintable(importing().preview()->toPlainText()));
    QVERIFY(importing().preview()->toPlainText().contains(QStringLiteral("\"reduce_bucket_size\": 65536")));  // the demo's hidden size is 256
    QVERIFY(importing().ranksField()->text().isEmpty());
    const QString line = importing().command();

    // Edited while the panel is open: what is taken over fits the workspace as it is then.
    QVERIFY(m_window->document().setValue("/layout/dp", "2", QStringLiteral("fewer")).hasValue());
    QVERIFY(m_window->document().setValue("/hardware/devicesPerNode", "2", QStringLiteral("fewer")).hasValue());
    importing().takeButton()->click();
    QTRY_VERIFY(m_window->document().configText().find("\"train_batch_size\": 6") != std::string::npos);
    QCOMPARE(m_window->document().undoStack().count(), 3);
    runCommand(line);
    QVERIFY2(contentOf(m_scratch->filePath(QStringLiteral("w.json"))).contains("\"train_batch_size\": 12"), qPrintable(line));
}

void TstTransfer::aClickRightAfterTypingTakesWhatWasTyped()
{
    openDemo();
    m_window->files().importRequested(fileWith(QStringLiteral("z.json"), R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 1, "zero_optimization": {"stage": 2}})"));
    waitForImport();
    importing().argumentsField()->setFocus();
    QTest::keyClicks(importing().argumentsField(), QStringLiteral("per_device_train_batch_size=3"));
    // The press moves the focus, which ends the editing and reads the file anew; the release comes before that is done.
    QPushButton* take = importing().takeButton();
    QTest::mousePress(take, Qt::LeftButton);
    take->setFocus(Qt::MouseFocusReason);
    QTest::mouseRelease(take, Qt::LeftButton);
    QTRY_VERIFY(m_window->document().configText().find("\"train_micro_batch_size_per_gpu\": 3") != std::string::npos);
    QCOMPARE(m_window->document().undoStack().count(), 1);
}

void TstTransfer::aFileThatCannotBeReadGivesOneMessage()
{
    openDemo();
    const std::string before = m_window->document().text();
    m_window->files().importRequested(fileWith(QStringLiteral("bad.yaml"), "distributed_type: DEEPSPEED\n  zero: [1,\n"));
    waitForImport();
    QVERIFY2(importing().problem().contains(QStringLiteral("bad.yaml")) && importing().problem().contains(QStringLiteral("line")), qPrintable(importing().problem()));
    QVERIFY(!importing().takeButton()->isEnabled() && !importing().newButton()->isEnabled());
    QVERIFY(!importing().takeOver());
    QCOMPARE(m_window->document().text(), before);
    // The next one is read in its place.
    m_window->files().importRequested(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    QTRY_VERIFY(importing().imported().has_value());
    QVERIFY(importing().problem().isEmpty());
    m_window->files().importRequested(m_scratch->filePath(QStringLiteral("gone.yaml")));
    QTRY_VERIFY(importing().problem().contains(QStringLiteral("gone.yaml")));
}

void TstTransfer::theWorkspacesOwnFileStaysAsItIs()
{
    const QString own = fileWith(QStringLiteral("zero2.json"), "{\"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": {\"stage\": 2}}\n");
    m_window->files().openPath(fileWith(QStringLiteral("w.json"), "{\"stagecraft\": 1, \"model\": {\"preset\": \"llama-3-8b\", \"seq\": 4096}, \"layout\": {\"dp\": 2}, \"hardware\": {\"devicesPerNode\": 2}, \"dsConfig\": \"zero2.json\"}\n"));
    waitForPlan();
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    importing().takeButton()->click();
    QVERIFY(m_window->document().configPath().empty());
    QVERIFY(m_window->document().configText().find("\"stage\": 3") != std::string::npos);
    QVERIFY(m_window->document().save().hasValue());
    QVERIFY(contentOf(own).contains("\"stage\": 2"));
    m_window->actions().undo->trigger();
    QCOMPARE(m_window->document().configPath().filename().string(), std::string("zero2.json"));
    QVERIFY(m_window->document().configText().find("\"stage\": 2") != std::string::npos);
}

void TstTransfer::importCommandDoesTheSame()
{
    openDemo();
    m_window->files().openPath(fileWith(QStringLiteral("it's a config.yaml"), kAccelerate));
    waitForImport();
    m_window->actions().copyCommand->trigger();
    const QString line = QGuiApplication::clipboard()->text();
    QVERIFY2(line.startsWith(QStringLiteral("stagecraft import '")), qPrintable(line));
    importing().takeButton()->click();
    const std::string taken = m_window->document().text();
    runCommand(line);
    QCOMPARE(contentOf(m_scratch->filePath(QStringLiteral("w.json"))), QByteArray::fromStdString(taken));
}

void TstTransfer::everyTargetShowsWhatItWrites()
{
    openDemo();
    m_window->actions().exportConfig->trigger();
    QCOMPARE(config().view().shownPanel(), static_cast<QWidget*>(&exporting()));
    QCOMPARE(exporting().list()->count(), static_cast<int>(workspaceExportTargets().size()));
    for (int row = 0; row < exporting().list()->count(); ++row) {
        exporting().list()->setCurrentRow(row);
        QVERIFY2(exporting().made().has_value(), qPrintable(exporting().target() + exporting().problem()));
        QVERIFY(!exporting().list()->item(row)->text().isEmpty());
        for (const ExportedFile& file : exporting().made()->files)
            QCOMPARE(exporting().preview(QString::fromStdString(file.name)).toUtf8().trimmed(), QByteArray::fromStdString(file.text).trimmed());
        QCOMPARE(exporting().notes()->lines().size(), static_cast<qsizetype>(exporting().made()->notes.size() + exporting().made()->warnings.size()));
    }
    // An edit elsewhere shows at once.
    exporting().start(QStringLiteral("ds_config"));
    page().setStage(1);
    QVERIFY(exporting().preview(QStringLiteral("ds_config.json")).contains(QStringLiteral("\"stage\": 1")));
}

void TstTransfer::savingAsksBeforeItReplaces()
{
    openDemo();
    m_window->actions().exportConfig->trigger();
    exporting().start(QStringLiteral("llama-factory"));
    const QString folder = m_scratch->filePath(QStringLiteral("out"));
    QVERIFY(QDir().mkpath(folder));
    exporting().saveButton()->click();
    acceptDialog("exportDialog", folder);
    for (const ExportedFile& file : exporting().made()->files)
        QTRY_COMPARE(contentOf(folder + QLatin1Char('/') + QString::fromStdString(file.name)), QByteArray::fromStdString(file.text));
    const QString config = folder + QStringLiteral("/ds_config.json");
    const QByteArray before = contentOf(config);
    page().setStage(1);
    exporting().start(QStringLiteral("llama-factory"));
    for (const char* answer : {"Cancel", "Replace"}) {
        exporting().saveButton()->click();
        acceptDialog("exportDialog", folder);
        auto* box = m_window->findChild<QMessageBox*>(QStringLiteral("replaceQuestion"));
        QVERIFY(box);
        QVERIFY(box->text().contains(QStringLiteral("ds_config.json")));
        for (QAbstractButton* button : box->buttons())
            if (button->text() == QLatin1String(answer))
                button->click();
        QTRY_VERIFY(!m_window->findChild<QMessageBox*>(QStringLiteral("replaceQuestion")));
        QCOMPARE(contentOf(config) == before, answer == QByteArray("Cancel"));
    }
}

void TstTransfer::oneFileIsSavedUnderTheNameGiven()
{
    openDemo();
    m_window->actions().exportConfig->trigger();
    exporting().start(QStringLiteral("ds_config"));
    exporting().saveButton()->click();
    const QString path = m_scratch->filePath(QStringLiteral("mine.json"));
    acceptDialog("exportDialog", path);
    QTRY_COMPARE(contentOf(path), QByteArray::fromStdString(m_window->document().configText()));
}

void TstTransfer::whatDeepSpeedRefusesIsNotExported()
{
    QByteArray text = QByteArray::fromStdString(FileFlow::demoText());
    text.replace("\"stage\": 2", "\"stage\": 7");
    m_window->files().openPath(fileWith(QStringLiteral("w.json"), text));
    waitForPlan();
    m_window->actions().exportConfig->trigger();
    exporting().start(QStringLiteral("trainer"));
    QVERIFY(!exporting().made().has_value());
    QVERIFY2(exporting().problem().contains(QStringLiteral("stage")), qPrintable(exporting().problem()));
    QVERIFY(!exporting().saveButton()->isEnabled());
    exporting().start(QStringLiteral("ds_config"));  // as it is: to look at it elsewhere
    QVERIFY(exporting().saveButton()->isEnabled());
}

void TstTransfer::exportCommandDoesTheSame_data()
{
    QTest::addColumn<QString>("target");
    for (const std::string& target : workspaceExportTargets())
        QTest::newRow(target.c_str()) << QString::fromStdString(target);
}

void TstTransfer::exportCommandDoesTheSame()
{
    QFETCH(QString, target);
    openDemo();
    m_window->actions().exportConfig->trigger();
    exporting().start(target);
    exporting().copyButton()->click();
    const QString line = QGuiApplication::clipboard()->text();
    QVERIFY2(line.startsWith(QStringLiteral("stagecraft export ")), qPrintable(line));
    runCommand(line);
    const QString folder = m_scratch->filePath(QStringLiteral("w-") + target + QLatin1Char('/'));
    QVERIFY(!exporting().made()->files.empty());
    for (const ExportedFile& file : exporting().made()->files) {
        QCOMPARE(contentOf(folder + QString::fromStdString(file.name)), QByteArray::fromStdString(file.text));
        QCOMPARE(QFileInfo(folder + QString::fromStdString(file.name)).isExecutable(), file.executable);
    }
}

void TstTransfer::speaksChinese()
{
    openDemo();
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    const QStringList english = importing().notes()->lines();
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_VERIFY(importing().notes()->lines() != english && importing().imported().has_value());
    static const QRegularExpression han(QStringLiteral("[\\x{4e00}-\\x{9fff}]"));
    for (const QString& line : importing().notes()->lines())
        QVERIFY2(line.contains(han), qPrintable(line));
    QVERIFY(importing().takeButton()->text().contains(han));
    config().showExport(QStringLiteral("accelerate"));
    for (const QString& line : exporting().notes()->lines())
        QVERIFY2(line.contains(han), qPrintable(line));
    m_window->setLanguage(Language::English);
}

QTEST_MAIN(TstTransfer)
#include "tst_transfer.moc"
