// SPDX-License-Identifier: GPL-3.0-or-later
// The Config page on a ds_config opened alone: who starts it, ranks that are only assumed, a text with other words round it, and what
// Resolved and the presets say of it.
#include "app/config_alone.h"
#include "app/config_document_page.h"
#include "app/config_launcher.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "base/atomic_file.h"
#include "config/json_edit.h"
#include "widgets/config_diff.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/config_presets.h"
#include "widgets/config_resolved.h"
#include "widgets/launcher_row.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

const std::string kTrainerFile = R"({
  "train_micro_batch_size_per_gpu": "auto",
  "gradient_accumulation_steps": "auto",
  "train_batch_size": "auto",
  "gradient_clipping": "auto",
  "bf16": {"enabled": "auto"},
  "optimizer": {"type": "AdamW", "params": {"lr": "auto", "weight_decay": "auto"}},
  "zero_optimization": {"stage": 2}
}
)";

}  // namespace

class TstConfigViews : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        if (!theme::Theme::instance()) theme::Theme::install(*qApp);
    }
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_document = std::make_unique<WorkspaceDocument>();
        m_page = std::make_unique<ConfigDocumentPage>(*m_document, nullptr);
        m_page->resize(1200, 700);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    }
    void cleanup()
    {
        m_page.reset();
        m_document.reset();
    }

    void theTrainerIsSaidToStartIt()
    {
        open(kTrainerFile);
        LauncherRow& row = *view().findings()->launcher();
        QVERIFY(!model().answer().ok && row.isVisible());
        QVERIFY2(row.words()->text().contains(QStringLiteral("accepts the file")), qPrintable(row.words()->text()));
        QSignalSpy imports(m_page.get(), &ConfigDocumentPage::importRequested);
        QTest::mouseClick(row.importButton(), Qt::LeftButton);
        QCOMPARE(imports.count(), 1);

        QTest::mouseClick(row.chooseButton(), Qt::LeftButton);
        QVERIFY(model().answer().ok && launcherOf(*m_document) == CheckLauncher::Transformers);
        QVERIFY(nlohmann::json::parse(m_document->text())["launch"]["launcher"] == "transformers");
        QCOMPARE(m_document->configText(), kTrainerFile);   // "auto" stays
        QVERIFY(m_page->command().contains(QStringLiteral("--launcher transformers")));
        QVERIFY(row.isVisible() && assumedOf(*m_document).any());
        QCOMPARE(m_document->undoStack().count(), 1);
        m_document->undoStack().undo();
        QVERIFY(!model().answer().ok && launcherOf(*m_document) == CheckLauncher::DeepSpeed);
        m_document->undoStack().redo();
        QTest::mouseClick(row.chooseButton(), Qt::LeftButton);
        QVERIFY(launcherOf(*m_document) == CheckLauncher::DeepSpeed && !model().answer().ok);
        // The choice is the workspace's, broken text or not, and whatever else is wrong in it.
        m_page->setLauncher(CheckLauncher::Transformers);
        QVERIFY(m_document->setValue("/layout/dp", "7", QStringLiteral("x")).hasValue());
        QVERIFY(model().context().launcher == CheckLauncher::Transformers);
    }

    void accelerateIsSaidToStartIt()
    {
        open(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}})");
        LauncherRow& row = *view().findings()->launcher();
        QVERIFY(!model().answer().ok && row.accelerateButton()->isVisible() && row.chooseButton()->isVisible());
        QTest::mouseClick(row.accelerateButton(), Qt::LeftButton);
        QVERIFY(model().answer().ok && launcherOf(*m_document) == CheckLauncher::Accelerate);
        QVERIFY(row.accelerateButton()->isVisible() && !row.chooseButton()->isVisible());
        QVERIFY2(row.words()->text().contains(QStringLiteral("as accelerate starts it")), qPrintable(row.words()->text()));
        QVERIFY(m_page->command().contains(QStringLiteral("--launcher accelerate")));
        // What was imported is part of the command.
        QVERIFY(m_document->setValue("/launch/trainer", R"({"mixed_precision": "bf16", "per_device_train_batch_size": 4})", QStringLiteral("x")).hasValue());
        QVERIFY2(m_page->command().contains(QStringLiteral("--argument 'mixed_precision=bf16' --argument 'per_device_train_batch_size=4'")), qPrintable(m_page->command()));
        m_document->undoStack().undo();
        QTest::mouseClick(row.accelerateButton(), Qt::LeftButton);
        QVERIFY(launcherOf(*m_document) == CheckLauncher::DeepSpeed && !model().answer().ok);
        m_document->undoStack().undo();
        QVERIFY(launcherOf(*m_document) == CheckLauncher::Accelerate && model().answer().ok);
    }

    void nothingIsSaidWhereTheTrainerFillsNothing()
    {
        open(R"({"train_micro_batch_size_per_gpu": 1, "checkpoint": {"tag_validation": "auto"}})");
        QVERIFY(!view().findings()->launcher()->isVisible());
        open("{\"train_batch_size\": \"auto\"");
        QVERIFY(!view().findings()->launcher()->isVisible());
    }

    void ranksAreAssumedUntilTheyAreChosen()
    {
        open(R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}})");
        const int at = model().findingAt(QStringLiteral("/zero_optimization/zero_hpz_partition_size"));
        QVERIFY(at >= 0);
        const CheckFinding finding = model().answer().findings[static_cast<std::size_t>(at)];
        QVERIFY(finding.severity == CheckSeverity::Info && finding.fix.empty());
        QVERIFY2(finding.message.find("assumed") != std::string::npos, finding.message.c_str());
        QCOMPARE(view().surroundings()->text(), QStringLiteral("for 1 GPU, assumed"));
        QVERIFY(m_document->setValue("/layout/dp", "8", QStringLiteral("x")).hasValue());
        QVERIFY(m_document->setValue("/hardware/devicesPerNode", "8", QStringLiteral("x")).hasValue());
        QCOMPARE(model().findingAt(QStringLiteral("/zero_optimization/zero_hpz_partition_size")), -1);
        QCOMPARE(view().surroundings()->text(), QStringLiteral("for 8 GPUs"));
    }

    void wordsRoundTheConfigAreTakenOff()
    {
        const std::string config = "{\n  \"train_micro_batch_size_per_gpu\": 4\n}", inside = "{\n  \"train_micro_batch_size_per_gpu\": 2 * 2\n}", text = "\nHere is my config:\n```json\n" + inside + "\n```\nGood luck!\n";
        open(text);
        QVERIFY(!model().answer().findings.empty());
        const CheckFinding& finding = model().answer().findings.front();
        // Row, message and mark are of one line.
        QCOMPARE(finding.line, 2);
        QVERIFY2(model().syntaxMessage().startsWith(QStringLiteral("line 2, column 1")), qPrintable(model().syntaxMessage()));
        QCOMPARE(model().syntaxError()->context.at("offset"), std::string("1"));
        QCOMPARE(model().fixWords(finding), QStringLiteral("Keep the config"));
        model().fix(0);
        QCOMPARE(m_document->configText(), config + "\n");
        QVERIFY(!model().syntaxError());
        m_document->undoStack().undo();
        QCOMPARE(m_document->configText(), text);
    }

    void allStrangeCharactersAreMendedAtOnce()
    {
        const std::string text = "{\n  \u201ctrain_batch_size\u201d\uff1a 16\uff0c\n  \"note\": \"\u201ckept\u201d, True\",\n  \"bf16\": {\"enabled\": True}\n}\n";
        open(text);
        const CheckFinding finding = model().answer().findings.front();
        QCOMPARE(finding.rule, std::string("text.lookalike"));
        QVERIFY2(finding.message.find("4 more") != std::string::npos, finding.message.c_str());
        QCOMPARE(model().fixWords(finding), QStringLiteral("Write plain characters"));
        model().fix(0);
        QVERIFY(!model().syntaxError());
        QCOMPARE(m_document->configText(), std::string("{\n  \"train_batch_size\": 16,\n  \"note\": \"\u201ckept\u201d, True\",\n  \"bf16\": {\"enabled\": true}\n}\n"));
        m_document->undoStack().undo();
        QCOMPARE(m_document->configText(), text);
        // Where plain characters make no config of it, nothing is offered.
        open("{\u201ctrain_batch_size\u201d\uff1a 16, \"a\": [1, 2}");
        for (const CheckFinding& each : model().answer().findings) QVERIFY(model().fixWords(each) != QStringLiteral("Write plain characters"));
    }

    void slipsOfTheTextAreMendedInOneStep()
    {
        const auto mend = [this](const std::string& text, const char* rule, const QString& words, const std::string& expected) {
            open(text);
            const auto& findings = model().answer().findings;
            const auto found = std::find_if(findings.begin(), findings.end(), [rule](const CheckFinding& finding) { return finding.rule == rule; });
            QVERIFY2(found != findings.end(), rule);
            QCOMPARE(model().fixWords(*found), words);
            model().fix(static_cast<int>(found - findings.begin()));
            QCOMPARE(m_document->configText(), expected);
            QCOMPARE(m_document->undoStack().count(), 1);
            m_document->undoStack().undo();
            QCOMPARE(m_document->configText(), text);
        };
        mend("{\n  \"bf16\": {},\n  \"train_batch_size\": 8,\n  \"bf16\": {\"enabled\": true}\n}\n", "R1", QStringLiteral("Keep the last"), "{\n  \"train_batch_size\": 8,\n  \"bf16\": {\"enabled\": true}\n}\n");
        mend("{\n  \"train_batch_size\": 8,\n  \"wall_clock_breakdown\": False,\n  \"steps_per_print\": 10\n}\n", "text.bare", QStringLiteral("Write false"),
             "{\n  \"train_batch_size\": 8,\n  \"wall_clock_breakdown\": false,\n  \"steps_per_print\": 10\n}\n");
        mend("{\n  \"train_batch_size\": 8,\n  \"wall_clock_breakdown\": False,\n  \"prescale_gradients\": True,\n  \"steps_per_print\": 10\n}\n", "text.bare", QStringLiteral("Write true, false and null"),
             "{\n  \"train_batch_size\": 8,\n  \"wall_clock_breakdown\": false,\n  \"prescale_gradients\": true,\n  \"steps_per_print\": 10\n}\n");
        mend("{\n  \"train_batch_size\": 8, // all\n  \"optimizer\": {\"type\": \"AdamW\"},\n}\n", "R2", QStringLiteral("Make strict JSON"), "{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": \"AdamW\"}\n}\n");
        mend("{\n  \"train_batch_size\": {{ batch }},\n  \"steps_per_print\": 10\n}\n", "text.placeholder", QStringLiteral("Remove placeholders"), "{\n  \"steps_per_print\": 10\n}\n");
        // The menu at the place offers the same, also where the text can be read.
        open("{\n  \"bf16\": {},\n  \"train_batch_size\": 8,\n  \"bf16\": {\"enabled\": true}\n}\n");
        view().editor()->setCursorOffset(static_cast<int>(m_document->configText().rfind("bf16")));
        view().editor()->openFixes();
        const auto* menu = view().editor()->findChild<QMenu*>(QStringLiteral("quickFixes"));
        QVERIFY(menu);
        const QList<QAction*> offered = menu->actions();
        QVERIFY(std::any_of(offered.begin(), offered.end(), [](const QAction* action) { return action->text() == QLatin1String("Keep the last"); }));
    }

    void eachOfSeveralConfigsCanBeKept()
    {
        const std::string one = "{\"bf16\": {\"enabled\": True}}", two = "{\n  \"train_micro_batch_size_per_gpu\": 4\n}";
        for (const int kept : {0, 1}) {
            open(one + "\n" + two);
            QCOMPARE(model().answer().findings.size(), std::size_t{2});
            QCOMPARE(model().fixWords(model().answer().findings[static_cast<std::size_t>(kept)]), QStringLiteral("Keep this config"));
            model().fix(kept);
            QCOMPARE(m_document->configText(), (kept == 0 ? one : two) + "\n");
        }
    }

    void marksStandWhereTheRowSays()
    {
        for (const char* text : {"{\n  \"train_batch_size\": 1,,\n}", "{\n  \"fp16\": {\"enabled\": true\n  \"x\": ]\n}", "{\"a\": \"\xE4\xB8\xAD\xE6\x96\x87\"} }", "{\"train_batch_size\": 8\n"}) {
            open(text);
            if (!model().syntaxError() || model().answer().findings.empty())
                continue;
            const auto offset = static_cast<std::size_t>(std::stoi(model().syntaxError()->context.at("offset")));
            const std::string before = std::string(text).substr(0, offset);
            QCOMPARE(1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')), model().answer().findings.front().line);
        }
    }

    void resolvedShowsTheReasonWhereThereIsLittleRoom()
    {
        open(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.999]}}, "zero_optimization": {"stage": 1, "stage3_prefetch_bucket_size": 50000000}})");
        auto* resolved = view().findChild<ResolvedView*>();
        view().views()->setCurrentWidget(resolved);
        QTableView& table = *resolved->table();
        resolved->resize(420, 400);
        QTRY_VERIFY(resolved->width() < 640 && table.isColumnHidden(ResolvedModel::Why));
        QVERIFY(table.rowHeight(0) >= 40);
        QString all;
        for (int row = 0; row < table.model()->rowCount(); ++row)
            all += table.model()->index(row, ResolvedModel::Key).data(Qt::AccessibleTextRole).toString() + QLatin1Char('\n');
        QVERIFY2(all.contains(QStringLiteral("inferred; ranks: 1, assumed")), qPrintable(all));
        m_page->resize(2200, 700);
        QTRY_VERIFY(!table.isColumnHidden(ResolvedModel::Why));
        QVERIFY(table.rowHeight(0) < 40);
        // A text that cannot be read leaves the one before, and it is said whose values these are.
        model().requestTyping({0, 1, ""});
        QVERIFY(model().syntaxError());
        QVERIFY(resolved->findChild<QLabel*>(QStringLiteral("lastText"))->isVisible() && !table.isEnabled());
        QCOMPARE(table.model()->headerData(ResolvedModel::InFile, Qt::Horizontal).toString(), QStringLiteral("In the last text"));
    }

    // Another tool's file is compared by the ds_config in it, or not at all.
    void theDsConfigOfAnotherToolsFileIsCompared()
    {
        open(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}})");
        ConfigDiff& diff = *view().diff();
        view().views()->setCurrentWidget(&diff);
        const auto written = [this](const char* name, const QByteArray& text) {
            QFile file(m_dir->filePath(QString::fromLatin1(name)));
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
        };
        QSignalSpy complaints(&diff, &ConfigDiff::complained);
        diff.compareWithFile(written("plain.json", R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 1}})"));
        QVERIFY(diff.table()->rowCount() > 0);
        diff.compareWithFile(written("acc.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n  gradient_accumulation_steps: 1\nmixed_precision: 'no'\nnum_processes: 2\n"));
        QCOMPARE(complaints.size(), 0);
        QStringList keys;
        for (int row = 0; row < diff.table()->rowCount(); ++row) keys << diff.table()->item(row, 0)->data(Qt::UserRole).toString();
        QVERIFY2(keys.contains(QStringLiteral("/zero_optimization/stage")) && !keys.contains(QStringLiteral("/distributed_type")), qPrintable(keys.join(QLatin1Char(' '))));
        diff.compareWithFile(written("workspace.json", R"({"stagecraft": 1, "model": {"family": "gpt2", "hidden": 256, "layers": 2, "heads": 8, "vocab": 4096, "seq": 128}, "dsConfig": {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 1}}})"));
        QCOMPARE(complaints.size(), 0);
        keys.clear();
        for (int row = 0; row < diff.table()->rowCount(); ++row) keys << diff.table()->item(row, 0)->data(Qt::UserRole).toString();
        QVERIFY2(keys.contains(QStringLiteral("/zero_optimization/stage")) && keys.filter(QStringLiteral("stagecraft")).isEmpty() && keys.filter(QStringLiteral("model")).isEmpty(), qPrintable(keys.join(QLatin1Char(' '))));
        diff.compareWithFile(written("gone.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: nowhere.json\n"));
        QCOMPARE(complaints.size(), 1);
        QVERIFY(complaints.front().front().toString().contains(QLatin1String("nowhere.json")));
    }

    void anotherFileIsComparedInTheRoomThereIs()
    {
        open(R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 3, "stage3_max_live_parameters": 5}})");
        ConfigDiff& diff = *view().diff();
        view().views()->setCurrentWidget(&diff);
        diff.compareWith(QByteArray::fromStdString(kTrainerFile), QStringLiteral("other.json"));
        diff.resize(310, 500);
        QTRY_VERIFY(diff.width() < 520 && diff.table()->isColumnHidden(1));
        QVERIFY(diff.table()->rowCount() > 2 && diff.table()->rowHeight(0) >= 40);
        QCOMPARE(diff.table()->horizontalHeaderItem(0)->text(), QStringLiteral("Key: other.json → now"));
        // That nothing is resolved, and because of whom, is said beside the rows too.
        QStringList shown;
        for (const QLabel* label : diff.findChildren<QLabel*>())
            if (label->isVisible()) shown << label->text();
        QVERIFY2(shown.contains(QStringLiteral("DeepSpeed refuses other.json, so values are compared as written.")), qPrintable(shown.join(QLatin1Char('|'))));
        m_page->resize(2600, 700);
        QTRY_VERIFY(!diff.table()->isColumnHidden(1) && diff.table()->rowHeight(0) < 40);
    }

    void aPresetIsNotBlamedForTheFile()
    {
        open(R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16": {"enable": true}, "zero_optimization": {"stage": 9}})");
        QVERIFY(!model().answer().ok);
        view().showPresets();
        QListWidget& list = *view().presets()->list();
        QStringList blamed;
        int cleared = 0;
        for (int row = 0; row < list.count(); ++row) {
            list.setCurrentRow(row);
            for (const QLabel* label : view().presets()->findChildren<QLabel*>()) {
                // One preset writes "auto" itself, which is the Trainer's; two divide ranks that nobody has named.
                if (label->text().contains(QStringLiteral("refuses the result")) && !label->text().contains(QStringLiteral("Trainer")) && !label->text().contains(QStringLiteral("(assumed)"))) blamed << label->text();
                cleared += label->text().startsWith(QStringLiteral("The preset adds no error.")) ? 1 : 0;
            }
        }
        QVERIFY2(blamed.isEmpty(), qPrintable(blamed.join(QLatin1Char('\n'))));
        QVERIFY(cleared > 5);
        // The last row stands whole above its sentence.
        m_page->resize(1200, 620);
        QTest::keyClick(&list, Qt::Key_Home);
        QTest::keyClick(&list, Qt::Key_End);
        QTRY_VERIFY(list.viewport()->rect().contains(list.visualItemRect(list.currentItem())));
    }

private:
    void open(const std::string& config)
    {
        const std::filesystem::path file = std::filesystem::path(m_dir->path().toStdString()) / "alone.json";
        QVERIFY(writeFileAtomically(file, config).hasValue());
        m_document->openText(withValue(workspaceAroundConfig(), "/dsConfig", quoteJson(file.string())), QStringLiteral("untitled"));
    }
    ConfigPage& view() { return m_page->view(); }
    ConfigModel& model() { return m_page->view().model(); }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<WorkspaceDocument> m_document;
    std::unique_ptr<ConfigDocumentPage> m_page;
};

QTEST_MAIN(TstConfigViews)
#include "tst_config_views.moc"
