// SPDX-License-Identifier: GPL-3.0-or-later
// The language is switched with everything in sight: no page, panel or dialog may keep a word of the one before. From Chinese to
// English, since a leftover then gives itself away by its script.
#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/dock_bar.h"
#include "app/output_panels.h"
#include "app/run_flow.h"
#include "run_folder_maker.h"
#include "run_window_fixture.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QRegularExpression>
#include <QTabBar>
#include <QTableView>

#include <functional>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::app;
using stagecraft::testing::RunFolderMaker;

namespace {

/// Collects every text that holds Chinese characters.
class Leftovers {
public:
    void look(const QWidget& widget)
    {
        for (const char* name : {"text", "title", "subtitle", "toolTip", "statusTip", "whatsThis", "accessibleName", "accessibleDescription", "placeholderText", "windowTitle", "plainText"})
            note(widget, name, widget.property(name).toString());
        for (const QAction* action : widget.actions()) {
            note(widget, "action", action->text());
            note(widget, "action's tip", action->toolTip());
        }
        if (const auto* box = qobject_cast<const QComboBox*>(&widget))
            for (int i = 0; i < box->count(); ++i) {
                note(widget, "item", box->itemText(i));
                note(widget, "item's tip", box->itemData(i, Qt::ToolTipRole).toString());
            }
        if (const auto* bar = qobject_cast<const QTabBar*>(&widget))
            for (int i = 0; i < bar->count(); ++i) {
                note(widget, "tab", bar->tabText(i));
                note(widget, "tab's tip", bar->tabToolTip(i));
            }
        if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget); view && view->model()) {
            look(widget, *view->model(), {});
            for (int column = 0; column < view->model()->columnCount(); ++column)
                note(widget, "column", view->model()->headerData(column, Qt::Horizontal).toString());
        }
        // What painted views say of their parts.
        if (QAccessibleInterface* said = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(&widget)))
            for (int i = 0; i < std::min(said->childCount(), 200); ++i)
                if (QAccessibleInterface* part = said->child(i); part && part->object() == nullptr)
                    for (const auto what : {QAccessible::Name, QAccessible::Description, QAccessible::Value})
                        note(widget, "part", part->text(what));
    }

    [[nodiscard]] QString text() const { return m_found.join(QLatin1Char('\n')); }

private:
    void look(const QWidget& widget, const QAbstractItemModel& model, const QModelIndex& parent)
    {
        for (int row = 0; row < std::min(model.rowCount(parent), 300); ++row)
            for (int column = 0; column < model.columnCount(parent); ++column) {
                const QModelIndex index = model.index(row, column, parent);
                for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole), int(Qt::AccessibleDescriptionRole)})
                    note(widget, "cell", index.data(role).toString());
                if (column == 0)
                    look(widget, model, index);
            }
    }

    void note(const QWidget& widget, const char* what, QString text)
    {
        static const QRegularExpression han(QStringLiteral("\\p{Han}"));
        text.remove(QStringLiteral("简体中文"));   // a language is called by its own name
        if (text.contains(han))
            m_found << QStringLiteral("%1 \"%2\", %3: %4").arg(QString::fromLatin1(widget.metaObject()->className()), widget.objectName(), QString::fromLatin1(what), text.left(90));
    }

    QStringList m_found;
};

}  // namespace

class TstLiveLanguage : public RunWindowTest {
    Q_OBJECT
private slots:
    void nothingKeepsTheOtherLanguage_data();
    void nothingKeepsTheOtherLanguage();
    void theCaretStaysInTheText();

private:
    [[nodiscard]] QString leftovers() const
    {
        Leftovers found;
        const QWidget* log = m_window->output().log();   // what was said when it happened stays said
        found.look(*m_window);
        for (const QWidget* widget : m_window->findChildren<QWidget*>())
            if (widget != log && !log->isAncestorOf(widget) && !widget->objectName().startsWith(QLatin1String("Scroll")))   // Qt's own, of tab bars
                found.look(*widget);
        return found.text();
    }
    void makeFailedRun()
    {
        RunFolderMaker over(runs("over"), 2, RunStatus::Running);
        over.addSteps(1, 20);
        over.addEvent(0, "checkpoint_saved", R"({"step": 10, "path": "x"})");
        over.fail(1, "signal", "rank 1 was killed by SIGKILL", "Forward");
        over.lock.reset();
    }
};

void TstLiveLanguage::nothingKeepsTheOtherLanguage_data()
{
    using Show = std::function<void(TstLiveLanguage&)>;
    QTest::addColumn<Show>("show");
    // Pages and panels that are behind another are looked at as well, so a row may show several.
    const auto triggers = [](const char* row, bool open, const std::vector<QAction * Actions::*>& actions) {
        QTest::newRow(row) << Show([open, actions](TstLiveLanguage& test) {
            if (open) {
                test.m_window->files().openDemo();
                test.waitForPlan();
                QVERIFY(test.m_window->document().setValue("/dsConfig/zero_optimization/stage", "3", QStringLiteral("x")).hasValue());
                test.waitForPlan();
            }
            for (const auto action : actions)
                (test.m_window->actions().*action)->trigger();
        });
    };
    QTest::newRow("start page with a recorded run") << Show([](TstLiveLanguage& test) { QTRY_COMPARE(test.m_window->runs().size(), std::size_t{1}); });
    triggers("pages of a plan", true, {});
    QTest::newRow("Run, of a failed run") << Show([](TstLiveLanguage& test) {
        test.m_window->runFlow().attach(QString::fromStdString(test.runs("over").string()));
        test.showRunPage();
        QTRY_VERIFY((test.page()->frameTick(), test.page()->findChild<QPushButton*>(QStringLiteral("continue")) != nullptr));
    });
    QTest::newRow("a workspace that is broken") << Show([](TstLiveLanguage& test) {
        test.openText("{\"stagecraft\": 1, \"model\": {\"params\": 1e9}, \"dsConfig\": {\"zero_optimization\": {\"stage\": 1}");
    });
    QTest::newRow("a plan with findings") << Show([](TstLiveLanguage& test) {
        test.openText(QByteArray::fromStdString(withValue(withValue(FileFlow::demoText(), "/dsConfig/zero_optimizatoin", "{}"), "/dsConfig/fp16", R"({"enabled": true})")));
        test.m_window->findChild<DockBar*>()->open(1);
    });
    QTest::newRow("a workspace that cannot be planned") << Show([](TstLiveLanguage& test) {
        test.openText(QByteArray::fromStdString(withValue(FileFlow::demoText(), "/model/heads", "7")));
    });
    triggers("model and hardware", true, {&Actions::subject});
    triggers("a new plan", false, {&Actions::newWorkspace});
    triggers("wizard and checklist", true, {&Actions::wizard, &Actions::checklist});
    QTest::newRow("the export panel") << Show([](TstLiveLanguage& test) {
        test.m_window->files().openDemo();
        test.waitForPlan();
        test.m_window->showPage(1);
        test.m_window->findChild<ConfigDocumentPage*>()->showExport();
    });
    QTest::newRow("the import panel") << Show([](TstLiveLanguage& test) {
        test.m_window->files().openPath(test.fileWith(QStringLiteral("accelerate.yaml"), "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 4\n"
                                                                                         "deepspeed_config:\n  zero_stage: 3\n  gradient_accumulation_steps: 2\n  bogus: 1\n"));
    });
    triggers("the palette", true, {&Actions::palette});
    triggers("the dialogs", true, {&Actions::settings, &Actions::shortcuts, &Actions::about, &Actions::claims, &Actions::features});
}

void TstLiveLanguage::nothingKeepsTheOtherLanguage()
{
    QFETCH(std::function<void(TstLiveLanguage&)>, show);
    makeFailedRun();
    openWindow();
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_COMPARE(launchButton()->text(), QStringLiteral("启动  F5"));
    show(*this);
    QCoreApplication::processEvents();
    QVERIFY(!leftovers().isEmpty());
    m_window->setLanguage(Language::English);
    QTRY_COMPARE(launchButton()->text(), QStringLiteral("Launch  F5"));
    for (int i = 0; i < 60 && !leftovers().isEmpty(); ++i)   // plans and findings are made anew in the background
        QTest::qWait(20);
    const QString left = leftovers();
    QVERIFY2(left.isEmpty(), qUtf8Printable(left));
}

void TstLiveLanguage::theCaretStaysInTheText()
{
    // With the keyboard in the text or in the findings, whatever finding was looked at before.
    openWindow();
    openFile(fileWith(QStringLiteral("ds_config.json"), R"({
  "train_micro_batch_size_per_gpu": 2,
  "nonsense": {"a": 1},
  "fp16": {"enabled": true, "loss_scale": 0},
  "bf16": {"enabled": true},
  "zero_optimization": {"stage": 2, "reduce_bucket_size": 20000000000, "cpu_offload": true}
}
)"));
    for (std::size_t i = 0; i < m_window->pages().size(); ++i)
        if (qobject_cast<ConfigDocumentPage*>(m_window->pages()[i]))
            m_window->showPage(static_cast<int>(i));
    auto* editor = m_window->findChild<ConfigEditor*>();
    auto* findings = m_window->findChild<FindingsList*>();
    QTRY_VERIFY(editor->isVisible() && findings->view()->model()->rowCount() > 2);
    for (const bool inText : {true, false})
        for (const char* word : {"\"stage\"", "nonsense", "true},"}) {
            findings->view()->setFocus();
            findings->view()->selectRow(1);
            editor->setFocus();
            editor->setCursorOffset(static_cast<int>(editor->bytes().indexOf(word)) + 3);
            if (!inText)
                findings->view()->setFocus();
            const int there = editor->cursorOffset();
            for (const Language language : {Language::SimplifiedChinese, Language::English}) {
                m_window->setLanguage(language);
                waitForPlan();
                QTest::qWait(20);
                QCOMPARE(editor->cursorOffset(), there);
            }
        }
}

QTEST_MAIN(TstLiveLanguage)
#include "tst_live_language.moc"
