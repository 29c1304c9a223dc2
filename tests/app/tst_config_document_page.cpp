// SPDX-License-Identifier: GPL-3.0-or-later
// The Config page on a document: what one undo takes back, and a ds_config file that cannot be read.
#include "app/config_alone.h"
#include "app/config_document_page.h"
#include "app/config_wizard.h"

#include "app/file_flow.h"
#include "app/pending_edit.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "app/wizard_effect.h"
#include "base/atomic_file.h"
#include "config/json_edit.h"
#include "widgets/config_editor.h"
#include "widgets/config_fix.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_form_model.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace stagecraft;
using namespace stagecraft::app;
namespace fs = std::filesystem;

namespace {

const std::string kConfig = "{\n  \"train_micro_batch_size_per_gpu\": 4,\n  \"zero_optimization\": {\"stage\": 1}\n}\n";

}  // namespace

class TstConfigDocumentPage : public QObject {
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
        m_page->resize(1200, 800);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QVERIFY(writeFileAtomically(path("w.json"), R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 2}, "dsConfig": "ds.json"})").hasValue());
    }
    void cleanup()
    {
        m_page.reset();
        m_document.reset();
    }

    void aConfigAloneIsJudgedAsTheCommandLineJudgesIt()
    {
        // fp16 and eight ranks are nothing to be told off for because this machine has processors.
        const std::string config = R"({"train_batch_size": 8, "fp16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": 0.001}}})";
        QVERIFY(writeFileAtomically(path("alone.json"), config).hasValue());
        m_document->openText(withValue(workspaceAroundConfig(), "/dsConfig", quoteJson(path("alone.json").string())), QStringLiteral("untitled"));
        const CheckContext& context = m_page->view().model().context();
        QCOMPARE(QString::fromStdString(context.device), QStringLiteral("cuda"));
        QCOMPARE(context.world, 1);
        QVERIFY(!context.hiddenSize);
        QVERIFY(m_page->view().model().answer().ok);
        QCOMPARE(m_page->view().surroundings()->text(), QStringLiteral("for 1 GPU, assumed"));
        // The wizard judges its answers likewise, also for the devices that are chosen in it: it asks how many, never whether they are GPUs.
        const std::string whole = *selfContained(m_document->text(), m_document->configFileText());
        QVERIFY2(effectOf(whole, {}).refused.isEmpty(), qPrintable(effectOf(whole, {}).refused));
        const auto eight = effectOf(*textUnder(whole, {{"processes", "8"}}), {});
        QVERIFY2(eight.error.isEmpty() && eight.refused.isEmpty() && eight.subject.contains(QStringLiteral("8 × H100")), qPrintable(eight.error + eight.refused + eight.subject));
        // What is chosen around it counts: our CPU ranks refuse fp16 once somebody names them.
        QVERIFY(m_document->setValue("/layout/dp", "4", QStringLiteral("four")).hasValue());
        QVERIFY(m_document->setValue("/hardware/devicesPerNode", "4", QStringLiteral("four")).hasValue());
        QCOMPARE(m_page->view().surroundings()->text(), QStringLiteral("for 4 GPUs"));
        // The model is nobody's choice as long as none is named.
        QVERIFY(assumedOf(*m_document).any());
        QVERIFY(m_document->setValue("/model", R"({"preset": "llama-2-7b"})", QStringLiteral("model")).hasValue());
        QVERIFY(!assumedOf(*m_document).any());
        m_document->undoStack().undo();
        QVERIFY(m_document->setValue("/hardware/device", "\"cpu\"", QStringLiteral("CPU")).hasValue());
        QVERIFY(!assumedOf(*m_document).any());
        QCOMPARE(m_page->view().surroundings()->text(), QStringLiteral("for 4 CPU ranks"));
        QVERIFY(!m_page->view().model().answer().ok);
        QVERIFY(!effectOf(*selfContained(m_document->text(), m_document->configFileText()), {}).refused.isEmpty());
        for (int step = 0; step < 3; ++step) m_document->undoStack().undo();
        QCOMPARE(m_page->view().surroundings()->text(), QStringLiteral("for 1 GPU, assumed"));
        QVERIFY(assumedOf(*m_document).any());
        // So does a workspace of one's own, whatever it says.
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QCOMPARE(m_page->view().surroundings()->text(), QStringLiteral("for 2 CPU ranks"));
    }

    void assumedRanksGiveWayToThoseOfTheFile()
    {
        const std::string config = R"({"train_batch_size": 192, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "optimizer": {"type": "AdamW"}})";
        QVERIFY(writeFileAtomically(path("alone.json"), config).hasValue());
        m_document->openText(withValue(workspaceAroundConfig(), "/dsConfig", quoteJson(path("alone.json").string())), QStringLiteral("untitled"));
        ConfigModel& model = m_page->view().model();
        // It is judged for the ranks its sizes ask for, and stays so until somebody says how many there are. The plan has another number:
        // a button beside this one takes it over.
        QPushButton* take = m_page->view().takeRanksButton();
        const auto assumed = [&] { return m_page->view().surroundings()->text() == QStringLiteral("for 24 GPUs, inferred") && take->isVisible() && take->text() == QStringLiteral("Plan for 24") && model.answer().ok && model.ranksInDoubt() == 24 && model.isMendedByRanks(model.answer().findings.front()); };
        QVERIFY(assumed());
        QCOMPARE(ruleWords(QString::fromStdString(model.answer().findings.front().rule)), QStringLiteral("ranks"));
        for (int index : {1, 0}) {
            m_page->view().findChild<QComboBox*>(QStringLiteral("release"))->setCurrentIndex(index);
            QVERIFY(assumed());
        }
        QVERIFY2(m_page->view().surroundings()->toolTip().contains(QStringLiteral("assumes 1")), qPrintable(m_page->view().surroundings()->toolTip()));
        m_page->activateWindow();
        take->setFocus();
        QTRY_VERIFY(take->hasFocus());
        QTest::mouseClick(take, Qt::LeftButton);
        QCOMPARE(m_page->view().surroundings()->text(), QStringLiteral("for 24 GPUs"));
        QVERIFY(model.answer().ok && !take->isVisible());
        QVERIFY(m_page->view().surroundings()->hasFocus());
        QCOMPARE(QString::fromStdString(m_document->configText()), QString::fromStdString(config));
        QVERIFY(nlohmann::json::parse(m_document->text())["hardware"]["nodes"] == 3);
        QCOMPARE(m_document->undoStack().count(), 1);
        m_document->undoStack().undo();
        QVERIFY(assumed());
        model.fix(0);
        QCOMPARE(m_page->view().surroundings()->text(), QStringLiteral("for 24 GPUs"));
    }

    void theWizardsFirstQuestionHasTheKeyboard()
    {
        m_document->openText(workspaceAroundConfig(), QStringLiteral("untitled"));
        m_page->showWizard();
        auto* field = qobject_cast<QLineEdit*>(m_page->focusWidget());
        QVERIFY(field && m_page->wizard().isAncestorOf(field));
    }

    void deepSpeedCanTakeTheEnginesPlace()
    {
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        m_page->setEngineRefusal(QStringLiteral("Our engine: no."));
        QPushButton* button = m_page->view().findings()->deepSpeedButton();
        QVERIFY(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(m_document->undoStack().count(), 1);
        QVERIFY(nlohmann::json::parse(m_document->text())["framework"]["name"] == "deepspeed");
    }

    void oneUndoTakesBackOneStretchOfTyping()
    {
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QUndoStack& undo = m_document->undoStack();
        type(1, "  // one");
        QCOMPARE(undo.count(), 1);
        const std::string one = m_document->configText();
        type(kConfig.size() + 8, "// two");
        QCOMPARE(undo.count(), 2);
        const std::string two = m_document->configText();
        type(one.find("\"train"), "  ");   // among its likes
        QCOMPARE(undo.count(), 3);
        QTest::keyClick(&editor(), Qt::Key_Backspace);
        editor().flush();
        QCOMPARE(undo.count(), 3);
        QTest::keyClick(&editor(), Qt::Key_Return);
        editor().flush();
        QTest::keyClicks(&editor(), "// new");
        editor().flush();
        QCOMPARE(undo.count(), 4);
        undo.undo();
        undo.undo();
        QCOMPARE(m_document->configText(), two);
        undo.undo();
        QCOMPARE(m_document->configText(), one);
        // What is typed there now belongs to no older step.
        type(one.size(), "// three");
        QCOMPARE(undo.count(), 2);
        undo.undo();
        QCOMPARE(m_document->configText(), one);
        undo.undo();
        QCOMPARE(m_document->configText(), kConfig);
    }

    // What is typed over a selection takes text away, which one undo brings back as it was.
    void whatIsTypedOverComesBack()
    {
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        const auto typeOverAll = [&](const char* text) {
            editor().selectAll();
            QTest::keyClicks(&editor(), QString::fromLatin1(text));
            editor().flush();
        };
        typeOverAll("first");
        const std::string first = m_document->configText();
        typeOverAll("second");
        QVERIFY(m_document->configText() != first);
        m_document->undoStack().undo();
        QCOMPARE(m_document->configText(), first);
        editor().selectAll();
        QTest::keyClick(&editor(), Qt::Key_Delete);
        editor().flush();
        m_document->undoStack().undo();
        QCOMPARE(m_document->configText(), first);
        m_document->undoStack().undo();
        QCOMPARE(m_document->configText(), kConfig);
    }

    void aConfigThatCannotBeReadStaysAsItIs_data()
    {
        QTest::addColumn<bool>("folder");
        QTest::newRow("larger than a config may be") << false;
        QTest::newRow("a folder") << true;
    }
    void aConfigThatCannotBeReadStaysAsItIs()
    {
        QFETCH(bool, folder);
        const std::string large = "{\"train_batch_size\": 4 /* " + std::string(WorkspaceDocument::kMaxBytes, 'x') + " */}";
        if (folder) fs::create_directory(path("ds.json"));
        else QVERIFY(writeFileAtomically(path("ds.json"), large).hasValue());
        const std::string workspace = readFile(path("w.json")).value();
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QVERIFY(m_document->configProblem());
        // The page says why.
        QVERIFY(m_page->view().model().syntaxError());
        QVERIFY(QString::fromStdString(m_page->view().model().syntaxError()->message).contains("ds.json"));
        // Nothing says that it was checked.
        QCOMPARE(m_page->facts().size(), 1);
        QStringList said;
        for (const QLabel* label : m_page->view().findings()->findChildren<QLabel*>())
            if (label->isVisibleTo(m_page.get())) said << label->text();
        QVERIFY2(!said.join('|').contains("takes this file") && said.join('|').contains("ds.json"), qPrintable(said.join('|')));
        // No edit reaches it, from whichever page, and none takes its place in the workspace.
        const QSignalSpy noted(m_page.get(), &Page::noted);
        type(0, "{}");
        QVERIFY(!noted.isEmpty());
        QVERIFY(m_document->configText().empty() && editor().bytes().isEmpty());
        QVERIFY(!m_document->setValue("/dsConfig/train_batch_size", "8", "Set").hasValue());
        QVERIFY(!m_document->isModified());
        QTemporaryDir copy;
        QVERIFY(!m_document->writeLaunchCopy(copy.path().toStdString()).hasValue());
        QVERIFY(m_document->setValue("/layout/dp", "4", "Ranks").hasValue());
        QVERIFY(m_document->save().hasValue());
        QVERIFY(folder ? fs::is_directory(path("ds.json")) : readFile(path("ds.json")).value() == large);
        QVERIFY(readFile(path("w.json")).value() != workspace);
        // Once it can be read it is.
        fs::remove(path("ds.json"));
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        m_document->checkOutside();
        QVERIFY(!m_document->configProblem());
        QCOMPARE(m_page->view().text(), QByteArray::fromStdString(kConfig));
        QVERIFY(!m_page->view().model().syntaxError());
        QVERIFY(!m_document->isModified());
    }

    void aConfigThatIsNotThereIsMadeByTheFirstEdit()
    {
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QCOMPARE(m_document->configProblem()->code, ErrorCode::NotFound);
        QVERIFY(m_page->view().model().syntaxError());
        type(0, "{\"train_batch_size\": 4}");
        QVERIFY(!m_document->configProblem());
        QVERIFY(m_document->save().hasValue());
        QCOMPARE(readFile(path("ds.json")).value(), m_document->configText());
        QVERIFY(m_document->configText().starts_with("{\"train_batch_size\": 4"));
    }

    void whatBecameUnreadableIsNotOverwrittenUnasked()
    {
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QVERIFY(m_document->setValue("/dsConfig/train_micro_batch_size_per_gpu", "2", "Set").hasValue());
        const std::string theirs(WorkspaceDocument::kMaxBytes + 1, ' ');
        QVERIFY(writeFileAtomically(path("ds.json"), theirs).hasValue());
        QCOMPARE(m_document->save().error().code, ErrorCode::Refused);
        QCOMPARE(readFile(path("ds.json")).value(), theirs);
        m_document->keepMine();
        QVERIFY(m_document->save().hasValue());
        QCOMPARE(readFile(path("ds.json")).value(), m_document->configText());
    }

    void theRanksOfTheWorkspaceJudge_data()
    {
        QTest::addColumn<QByteArray>("config");   // empty: the file is not there
        QTest::addColumn<QByteArray>("rest");     // of the workspace
        QTest::newRow("a config that lacks its last brace") << QByteArray(R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8)") << QByteArray();
        QTest::newRow("a config that is not there") << QByteArray() << QByteArray();
        QTest::newRow("a workspace that is refused elsewhere") << QByteArray(R"({"train_batch_size": 64)") << QByteArray(R"(, "training": {"steps": -1})");
    }
    void theRanksOfTheWorkspaceJudge()
    {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, rest);
        // Another workspace was judged before.
        QVERIFY(writeFileAtomically(path("eight.json"), R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 8}, "dsConfig": {}})").hasValue());
        QVERIFY(m_document->open(path("eight.json")).hasValue());
        QCOMPARE(m_page->view().model().context().world, 8);
        QVERIFY(writeFileAtomically(path("w.json"), R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 2}, "dsConfig": "ds.json")" + rest.toStdString() + "}").hasValue());
        if (!config.isEmpty()) QVERIFY(writeFileAtomically(path("ds.json"), config.toStdString()).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QCOMPARE(m_page->view().model().context().world, 2);
        type(static_cast<std::size_t>(config.size()), config.isEmpty() ? "{\"train_batch_size\": 64, \"gradient_accumulation_steps\": 8}" : "}");
        QVERIFY(!m_page->view().model().syntaxError());
        QCOMPARE(m_page->view().model().context().world, 2);
        for (const CheckFinding& finding : m_page->view().model().answer().findings) QVERIFY2(finding.rule != "R7", finding.message.c_str());
    }

    void aWorkspaceThatCannotBeReadIsNotJudgedByTheLastOne()
    {
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QCOMPARE(m_page->view().model().context().world, 2);
        m_document->openText(R"({"stagecraft": 1, "model": )", "broken");
        QCOMPARE(m_page->view().model().context().world, CheckContext().world);
        QVERIFY(!m_page->view().model().context().hiddenSize);
    }

    void anEmptiedConfigIsTypedAnew_data()
    {
        QTest::addColumn<QByteArray>("workspace");
        QTest::newRow("emptied") << QByteArray(R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": {"train_batch_size": 4}, "layout": {"dp": 2}})");
        QTest::newRow("never there") << QByteArray("{\n  \"stagecraft\": 1,\n  \"model\": {\"params\": 1e9}, \"layout\": {\"dp\": 2}\n}\n");
    }
    void anEmptiedConfigIsTypedAnew()
    {
        QFETCH(QByteArray, workspace);
        m_document->openText(workspace.toStdString(), "w");
        editor().selectAll();
        QTest::keyClick(&editor(), Qt::Key_Delete);
        editor().flush();
        QVERIFY(m_document->configText().empty());
        const QSignalSpy noted(m_page.get(), &Page::noted);
        type(0, "{\"tr");   // no JSON yet
        QVERIFY2(m_document->configText().starts_with("{\"tr"), m_document->configText().c_str());
        QVERIFY(!m_document->isBroken() && m_page->view().model().syntaxError());
        editor().selectAll();
        QTest::keyClick(&editor(), Qt::Key_Delete);
        editor().flush();
        type(0, "{\"train_batch_size\": 8}");
        QCOMPARE(noted.count(), 0);
        QVERIFY(nlohmann::json::parse(m_document->text())["dsConfig"]["train_batch_size"] == 8);
        QCOMPARE(editor().bytes(), QByteArray::fromStdString(m_document->configText()));
        // All of it can be taken back and done again.
        const std::string after = m_document->text();
        const int steps = m_document->undoStack().count();
        while (m_document->undoStack().canUndo()) m_document->undoStack().undo();
        QCOMPARE(m_document->text(), workspace.toStdString());
        for (int step = 0; step < steps; ++step) m_document->undoStack().redo();
        QCOMPARE(m_document->text(), after);
        QCOMPARE(editor().bytes(), QByteArray::fromStdString(m_document->configText()));
    }

    void theFormMakesAConfigWhereThereIsNone()
    {
        const std::string workspace = R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 2}})";
        m_document->openText(workspace, "w");
        m_page->view().model().setValue("/train_batch_size", "8", "Set");
        QVERIFY(nlohmann::json::parse(m_document->text())["dsConfig"]["train_batch_size"] == 8);
        m_document->undoStack().undo();
        QCOMPARE(m_document->text(), workspace);
    }

    void theRowKeepsTheKeyboardBehindASave()
    {
        m_document->openText(R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": {"gradient_accumulation_steps": 2}})", "w");
        ConfigFormView* view = m_page->view().form()->view();
        view->setCurrentIndex(view->rows().index(view->rows().makeVisible("/gradient_accumulation_steps")));
        for (const char* number : {"3", "6"}) {
            view->setFocus();
            QTest::keyClick(view, Qt::Key_Return);
            auto* field = qobject_cast<QLineEdit*>(m_page->focusWidget());
            QVERIFY(field);
            field->selectAll();
            QTest::keyClicks(field, number);
            QVERIFY(takePendingEdit(*m_page).isEmpty());
            QCOMPARE(m_document->configText(), std::string("{\"gradient_accumulation_steps\": ") + number + "}");
            QCOMPARE(m_page->focusWidget(), view);
            QCOMPARE(view->currentIndex().row(), view->rows().rowOfPointer("/gradient_accumulation_steps"));
        }
        const int row = view->currentIndex().row();
        QTest::keyClick(m_page->focusWidget(), Qt::Key_Down);
        QVERIFY(view->currentIndex().row() > row);
    }

private:
    [[nodiscard]] fs::path path(const char* name) const { return fs::path(m_dir->path().toStdString()) / name; }
    [[nodiscard]] ConfigEditor& editor() const { return *m_page->view().editor(); }
    void type(std::size_t place, const char* text) const
    {
        editor().setFocus();
        editor().setCursorOffset(static_cast<int>(place));
        for (const char* letter = text; *letter != 0; ++letter) {
            QTest::keyClick(&editor(), *letter);
            editor().flush();   // as the event loop does between two keys
        }
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<WorkspaceDocument> m_document;
    std::unique_ptr<ConfigDocumentPage> m_page;
};

QTEST_MAIN(TstConfigDocumentPage)
#include "tst_config_document_page.moc"
