// SPDX-License-Identifier: GPL-3.0-or-later
// Every command line that the window shows runs as it stands, and says what the window says.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/checklist_panel.h"
#include "app/config_document_page.h"
#include "app/export_panel.h"
#include "app/launch_question.h"
#include "app/run_flow.h"
#include "config/check.h"
#include "config/json_edit.h"
#include "widgets/config_findings.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/config_resolved.h"
#include "widgets/optimizer_row.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

const QByteArray kTrainer = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
  "optimizer": {"type": "AdamW", "params": {"lr": "auto"}},
  "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto"}})";
const QByteArray kNoOptimizer = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2}})";

struct Ran {
    int code = -1;
    QByteArray out, err;
};

Ran run(const QString& line)
{
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"), qEnvironmentVariable("STAGECRAFT_BIN_DIR") + QLatin1Char(':') + environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line});
    if (!shell.waitForFinished(120'000))
        return {};
    return {shell.exitCode(), shell.readAllStandardOutput(), shell.readAllStandardError()};
}

}  // namespace

class TstShownCommands : public PlanPageTest {
    Q_OBJECT
private slots:
    void eachRunsAsItStands_data();
    void eachRunsAsItStands();
    void theCheckOfAConfigAloneIsTheWindows_data();
    void theCheckOfAConfigAloneIsTheWindows();
    void aScriptCanGiveTheOptimizer();
    void theReasonIsOfWhatStopsOurEngine();
    void everyAutoSaysWhatStandsForIt();

private:
    [[nodiscard]] ConfigDocumentPage& config() const { return *m_window->findChild<ConfigDocumentPage*>(); }
    [[nodiscard]] ConfigModel& model() const { return config().view().model(); }
    [[nodiscard]] ExportPanel& exporting() const { return *m_window->findChild<ExportPanel*>(); }
    /// Another file opens without a question then.
    void undoAll() const
    {
        while (m_window->document().undoStack().canUndo())
            m_window->document().undoStack().undo();
    }
    [[nodiscard]] QString resolved(const QString& pointer) const
    {
        const ResolvedModel rows(model(), nullptr);
        for (int row = 0; row < rows.rowCount(); ++row)
            if (rows.row(row).pointer.endsWith(pointer))
                return rows.row(row).why;
        return {};
    }
    /// All that the pages and panels show, by where it stands.
    [[nodiscard]] QList<std::pair<QString, QString>> shown()
    {
        QList<std::pair<QString, QString>> lines;
        const auto add = [&lines](const char* where, const QString& line) { lines.push_back({QLatin1String(where), line}); };
        add("check", config().command());
        m_window->actions().checklist->trigger();
        add("checklist", config().command());
        m_window->actions().exportConfig->trigger();
        for (const char* target : {"ds_config", "command", "trainer"}) {
            exporting().start(QLatin1String(target));
            add(target, config().command());
        }
        page().showSearch(false);
        add("plan", page().command());
        page().showSearch(true);
        add("search", page().command());
        page().showTraffic();
        add("traffic", page().command());
        return lines;
    }
};

void TstShownCommands::eachRunsAsItStands_data()
{
    QTest::addColumn<QByteArray>("workspace");   // empty: the ds_config alone
    QTest::addColumn<bool>("trainer");
    const QByteArray inside = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    const QByteArray beside = QByteArray::fromStdString(withValue(inside.toStdString(), "/dsConfig", "\"ds it's.json\""));
    QTest::newRow("alone") << QByteArray() << false;
    QTest::newRow("alone, started by the Trainer") << QByteArray() << true;
    QTest::newRow("inside a workspace") << inside << false;
    QTest::newRow("beside a workspace") << beside << true;
}

void TstShownCommands::eachRunsAsItStands()
{
    QFETCH(QByteArray, workspace);
    QFETCH(bool, trainer);
    const QString alone = fileWith(QStringLiteral("ds it's.json"), kTrainer);
    openFile(workspace.isEmpty() ? alone : fileWith(QStringLiteral("w.json"), workspace));
    if (trainer) {
        config().setLauncher(CheckLauncher::Transformers);
        waitForPlan();
    }
    if (!workspace.isEmpty())
        m_window->actions().save->trigger();
    const auto lines = shown();
    QVERIFY(!lines.front().second.isEmpty());
    for (const auto& [where, line] : lines) {
        if (line.isEmpty()) {
            QVERIFY2(workspace.isEmpty(), qPrintable(where));   // of a workspace that is in no file there is no command
            continue;
        }
        const Ran ran = run(line);
        QVERIFY2(ran.code == 0 || ran.code == 1, qPrintable(where + QLatin1String(": ") + line + QLatin1Char('\n') + QString::fromUtf8(ran.err)));
    }
    if (!workspace.isEmpty())
        return;
    QVERIFY2(m_window->runFlow().command().isEmpty(), qPrintable(m_window->runFlow().command()));
    QVERIFY(!exporting().copyButton()->isEnabled() && exporting().made().has_value());
}

void TstShownCommands::theCheckOfAConfigAloneIsTheWindows_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("trainer");
    QTest::addColumn<bool>("script");
    QTest::newRow("by itself") << kTrainer << false << false;
    QTest::newRow("started by the Trainer") << kTrainer << true << false;
    QTest::newRow("no optimizer") << kNoOptimizer << false << false;
    QTest::newRow("optimizer of the script") << kNoOptimizer << false << true;
    QTest::newRow("nothing") << QByteArray() << false << false;
    QTest::newRow("blanks") << QByteArray(" \n\n") << false << false;
    QTest::newRow("null") << QByteArray("null") << false << false;
    QTest::newRow("list") << QByteArray("[]") << false << false;
    QTest::newRow("words") << QByteArray("batch size 8") << false << false;
}

void TstShownCommands::theCheckOfAConfigAloneIsTheWindows()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, trainer);
    QFETCH(bool, script);
    openFile(fileWith(QStringLiteral("c.json"), text));
    if (trainer)
        config().setLauncher(CheckLauncher::Transformers);
    if (script)
        emit config().view().optimizerRequested(true);
    waitForPlan();
    for (const bool checklist : {false, true}) {
        if (checklist)
            m_window->actions().checklist->trigger();
        const Ran ran = run(config().command());
        const auto answer = nlohmann::json::parse(ran.out.toStdString(), nullptr, false);
        QVERIFY2(answer.is_object(), qPrintable(config().command() + QString::fromUtf8(ran.err)));
        QCOMPARE(answer.at("verdict") != "error", model().answer().ok);
        QStringList told, seen;
        for (const auto& finding : answer.at("findings"))
            told << QString::fromStdString(finding.at("rule").get<std::string>());
        for (const CheckFinding& finding : model().answer().findings)
            seen << QString::fromStdString(finding.rule);
        told.sort();
        seen.sort();
        QCOMPARE(seen, told);
    }
}

void TstShownCommands::aScriptCanGiveTheOptimizer()
{
    openFile(fileWith(QStringLiteral("c.json"), kNoOptimizer));
    OptimizerRow& row = *config().view().findings()->optimizer();
    QTRY_VERIFY(!m_window->actions().launch->isEnabled());
    const QString tip = m_window->actions().launch->toolTip();
    QVERIFY2(tip.contains(QStringLiteral("requires an optimizer")) && tip.contains(QStringLiteral("findings of the Config page")), qPrintable(tip));
    QVERIFY(!row.isHidden());
    row.chooseButton()->click();
    waitForPlan();
    QVERIFY(model().answer().ok);
    QTRY_VERIFY2(m_window->actions().launch->isEnabled(), qPrintable(m_window->actions().launch->toolTip()));
    QCOMPARE(QByteArray::fromStdString(m_window->document().configText()), kNoOptimizer);
    QVERIFY2(!row.isHidden() && row.words()->text().contains(QStringLiteral("AdamW")), qPrintable(row.words()->text()));
    // Another class is another judgement, and no name is none.
    QVERIFY(m_window->document().setValue("/launch/optimizer", "\"MadGrad\"", QStringLiteral("x")).hasValue());
    QVERIFY2(!model().answer().ok, "ZeRO has not been tried with it");
    m_window->document().undoStack().undo();
    row.chooseButton()->click();
    QVERIFY(!model().answer().ok && !row.isHidden());
    m_window->document().undoStack().undo();
    QVERIFY(model().answer().ok);
    // Where the file has one nothing is asked.
    undoAll();
    openFile(fileWith(QStringLiteral("d.json"), QByteArray(kNoOptimizer).replace("{\"train", "{\"optimizer\": {\"type\": \"AdamW\"}, \"train")));
    QVERIFY(model().answer().ok && row.isHidden());
}

void TstShownCommands::theReasonIsOfWhatStopsOurEngine()
{
    openFile(fileWith(QStringLiteral("c.json"), kTrainer));
    config().setLauncher(CheckLauncher::Transformers);
    waitForPlan();
    QTRY_VERIFY(m_window->actions().launch->isEnabled());
    m_window->actions().launch->trigger();
    const auto box = [this] { return m_window->findChild<QMessageBox*>(QStringLiteral("launchQuestion")); };
    QTRY_VERIFY(box());
    const QString said = box()->informativeText();
    QVERIFY2(!said.contains(QStringLiteral("Nothing to change")) && said.contains(QStringLiteral("Import its arguments")), qPrintable(said));
    box()->reject();
}

void TstShownCommands::everyAutoSaysWhatStandsForIt()
{
    openFile(fileWith(QStringLiteral("c.json"), kTrainer));
    config().setLauncher(CheckLauncher::Transformers);
    QVERIFY2(resolved(QStringLiteral("reduce_bucket_size")).contains(QStringLiteral("hidden size: choose the model")), qPrintable(resolved(QStringLiteral("reduce_bucket_size"))));
    QVERIFY(m_window->document().setValue("/model", R"({"preset": "llama-2-7b"})", QStringLiteral("model")).hasValue());
    QVERIFY2(resolved(QStringLiteral("reduce_bucket_size")).contains(QStringLiteral("from the model's hidden size")), qPrintable(resolved(QStringLiteral("reduce_bucket_size"))));
    QVERIFY2(resolved(QStringLiteral("/params/lr")).contains(QStringLiteral("transformers' default")), qPrintable(resolved(QStringLiteral("/params/lr"))));
    undoAll();
    openFile(fileWith(QStringLiteral("d.json"), QByteArray(kTrainer).replace("\"stage\": 3", "\"stage\": 2")));
    config().setLauncher(CheckLauncher::Transformers);
    QVERIFY2(resolved(QStringLiteral("stage3_prefetch_bucket_size")).contains(QStringLiteral("DeepSpeed's own default")), qPrintable(resolved(QStringLiteral("stage3_prefetch_bucket_size"))));
}

QTEST_MAIN(TstShownCommands)
#include "tst_shown_commands.moc"
