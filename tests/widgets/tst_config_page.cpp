// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_page.h"

#include "config_owner.h"
#include "config_sample.h"

#include "config/json_edit.h"
#include "config/preset_catalog.h"
#include "widgets/config_diff.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_form_delegate.h"
#include "widgets/config_form_model.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_presets.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QActionGroup>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QTabWidget>
#include <QUndoStack>
#include <QtTest>

using namespace stagecraft;

class TstConfigPage : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void formEditIsOneStepInAllViews();
    void switchSetsAndUnsets();
    void choicesOfferTheKnownValues();
    void typingInTheFieldChecksTheValue();
    void typingInTheTextReachesTheForm();
    void completesAKeyAndItsValue();
    void quickFixRenamesTheMisspeltKey();
    void fixAllIsOneStep();
    void undoGoesBackThroughAllViews();
    void brokenTextStaysEditableAndGreysTheForm();
    void everyKeyIsFoundByTheSearchField();
    void groupsCountAndScroll();
    void selectionIsSharedByAllViews();
    void helpTellsTypeDefaultAndPlace();
    void presetsPreviewThenMerge();
    void diffIsByMeaning();
    void modelsKeepTheirPromises();
    void mergingEveryPresetKeepsTheRest();

private:
    [[nodiscard]] int rowOf(const char* pointer) const { return m_page->form()->view()->rows().makeVisible(QString::fromUtf8(pointer)); }
    void select(const char* pointer) const
    {
        ConfigFormView* view = m_page->form()->view();
        view->setCurrentIndex(view->rows().index(rowOf(pointer)));
    }
    void clickControl(const char* pointer, int segment = -1) const
    {
        ConfigFormView* view = m_page->form()->view();
        const QModelIndex at = view->rows().index(rowOf(pointer));
        view->scrollTo(at);
        const QRect row = view->visualRect(at);
        QPoint point = view->controls().controlRect(at.row(), row).center();
        for (int x = row.left(); segment >= 0 && x < row.right(); ++x)
            if (view->controls().segmentAt(at.row(), row, x) == segment) {
                point.setX(x + 4);
                break;
            }
        QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::NoModifier, point);
    }
    [[nodiscard]] QLineEdit* openEditor() const { return m_page->form()->view()->viewport()->findChild<QLineEdit*>(); }

    std::unique_ptr<ConfigPage> m_page;
    std::unique_ptr<Owner> m_owner;
};

void TstConfigPage::init()
{
    if (!theme::Theme::instance())
        theme::Theme::install(*qApp);
    m_page = std::make_unique<ConfigPage>();
    m_owner = std::make_unique<Owner>(*m_page);
    CheckContext context;
    context.world = 4;
    m_page->setContext(context);
    m_page->setText(kConfig);
    m_page->setSavedText(kConfig);
    m_page->resize(1280, 800);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void TstConfigPage::cleanup()
{
    m_owner.reset();
    m_page.reset();
}

void TstConfigPage::formEditIsOneStepInAllViews()
{
    clickControl("/zero_optimization/reduce_scatter", 1);
    QCOMPARE(m_owner->stack.count(), 1);
    QByteArray expected = kConfig;
    expected.replace("\"contiguous_gradients\": true\n", "\"contiguous_gradients\": true,\n    \"reduce_scatter\": false\n");
    QCOMPARE(m_page->text(), expected);
    QCOMPARE(m_page->editor()->text().toUtf8(), expected);
    QCOMPARE(m_owner->stack.text(0), QString("Set reduce_scatter to false"));
    m_owner->stack.undo();
    QCOMPARE(m_page->editor()->text().toUtf8(), kConfig);
}

void TstConfigPage::switchSetsAndUnsets()
{
    ConfigFormView* view = m_page->form()->view();
    clickControl("/zero_optimization/contiguous_gradients", 2);
    QVERIFY(!m_page->text().contains("contiguous_gradients"));
    m_owner->stack.undo();
    select("/zero_optimization/contiguous_gradients");
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Right);
    QVERIFY(m_page->text().contains("\"contiguous_gradients\": false"));
    QTest::keyClick(view, Qt::Key_Delete);
    QVERIFY(!m_page->text().contains("contiguous_gradients"));
    QCOMPARE(m_owner->stack.count(), 2);
}

void TstConfigPage::choicesOfferTheKnownValues()
{
    clickControl("/zero_optimization/stage");
    auto* menu = m_page->form()->view()->viewport()->findChild<QMenu*>();
    QVERIFY(menu);
    QStringList words;
    QAction* three = nullptr;
    for (QAction* action : menu->actions()) {
        if (!action->isSeparator())
            words << action->text();
        if (action->text() == "3: and weights")
            three = action;
    }
    QVERIFY(words.contains("0: nothing is divided") && words.contains("1: optimizer states") && words.contains("2: and gradients"));
    QVERIFY(three);
    // One of them is meant: the marks say so, and the arrows go on from the one there is.
    QVERIFY(three->actionGroup() && three->actionGroup()->isExclusive());
    QVERIFY(menu->activeAction() && menu->activeAction()->isChecked());
    three->trigger();
    menu->close();
    QVERIFY(m_page->text().contains("\"stage\": 3"));
}

void TstConfigPage::typingInTheFieldChecksTheValue()
{
    ConfigFormView* view = m_page->form()->view();
    select("/zero_optimization/reduce_bucket_size");
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Return);
    QLineEdit* field = openEditor();
    QVERIFY(field);
    QTest::keyClicks(field, "lots");
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Tab, Qt::Key_Backtab}) {
        QTest::keyClick(field, key);
        QVERIFY(openEditor() == field && field->text() == "lots" && !std::exchange(m_owner->messages, {}).isEmpty());  // what cannot be right stays open
    }
    field->clear();
    QTest::keyClicks(field, "200M");
    QVERIFY(!field->property("invalid").toBool());
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY(m_page->text().contains("\"reduce_bucket_size\": 200000000"));
    QCOMPARE(m_owner->stack.count(), 1);

    // The spelling of a number is the author's.
    select("/optimizer/params/lr");
    QTest::keyClick(view, Qt::Key_Return);
    field = openEditor();
    QVERIFY(field);
    QCOMPARE(field->text(), QString("3e-4"));
    field->setText("1e-4");
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY(m_page->text().contains("\"lr\": 1e-4,"));
    QVERIFY(m_page->text().contains("// the demo"));
}

void TstConfigPage::typingInTheTextReachesTheForm()
{
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    const int at = static_cast<int>(kConfig.indexOf("60,")) + 2;
    editor->setCursorOffset(at);
    QTest::keyClick(editor, Qt::Key_Backspace);
    QTest::keyClick(editor, Qt::Key_Backspace);
    QTest::keyClicks(editor, "64");
    editor->flush();
    QVERIFY(m_page->text().contains("\"train_batch_size\": 64,"));
    QVERIFY(m_page->text().contains("// the demo"));
    QCOMPARE(m_page->form()->view()->rows().json(rowOf("/train_batch_size")), QByteArray("64"));
    QVERIFY(m_page->model().findingAt("/train_batch_size") < 0);
}

void TstConfigPage::completesAKeyAndItsValue()
{
    m_page->move(-500, 0);  // the offscreen screen is 800 wide; a list needs a screen below the cursor
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    const int at = static_cast<int>(kConfig.indexOf("    \"contiguous_gradients\""));
    editor->setCursorOffset(at);
    QTest::keyClicks(editor, "\"overl");
    QTRY_VERIFY(editor->completionVisible());
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_VERIFY(m_page->text().contains("\"overlap_comm\": "));
    QVERIFY(m_page->text().contains("\"contiguous_gradients\": true"));
    QVERIFY(!m_page->text().contains("\"overl\""));
    // Who types the colon all the same has it once, and types over the value that is offered.
    const QByteArray offered = m_page->text();
    QTest::keyClicks(editor, ": ");
    QCOMPARE(m_page->text(), offered);
    QTest::keyClicks(editor, "null");
    editor->flush();
    QTRY_VERIFY2(m_page->text().contains("\"overlap_comm\": null"), m_page->text().constData());

    // Values: "device" knows its words.
    m_page->setText("{\n  \"zero_optimization\": {\n    \"offload_optimizer\": {\n      \"device\": \n    }\n  }\n}\n");
    editor->setCursorOffset(static_cast<int>(m_page->text().indexOf("\"device\": ")) + 10);
    editor->complete(true);
    QTRY_VERIFY(editor->completionVisible());
    QTest::keyClick(editor, Qt::Key_Down);
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_VERIFY(m_page->text().contains("\"device\": \"cpu\""));

    // Just before a text that stands there: it is replaced.
    m_page->setText("{\"zero_optimization\": {\"offload_optimizer\": {\"device\": \"no\\\"ne\"}}}");
    editor->setCursorOffset(static_cast<int>(m_page->text().indexOf("\"no")));
    editor->complete(true);
    QTRY_VERIFY(editor->completionVisible());
    QTest::keyClick(editor, Qt::Key_Down);
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(m_page->text(), QByteArray("{\"zero_optimization\": {\"offload_optimizer\": {\"device\": \"cpu\"}}}"));
}

void TstConfigPage::quickFixRenamesTheMisspeltKey()
{
    const int finding = m_page->model().findingAt("/zero_optimization/reduce_buket_size");
    QVERIFY(finding >= 0);
    QVERIFY(!m_page->model().answer().findings[static_cast<std::size_t>(finding)].fix.empty());
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(kConfig.indexOf("reduce_buket_size")) + 3);
    QTest::keyClick(editor, Qt::Key_Return, Qt::AltModifier);
    auto* menu = editor->findChild<QMenu*>("quickFixes");
    QVERIFY(menu);
    QVERIFY(menu->activeAction());
    QVERIFY(menu->activeAction()->text().contains("reduce_bucket_size"));
    menu->activeAction()->trigger();
    menu->close();
    QByteArray expected = kConfig;
    expected.replace("reduce_buket_size", "reduce_bucket_size");
    QCOMPARE(m_page->text(), expected);
    QCOMPARE(m_owner->stack.count(), 1);
    QVERIFY(m_page->model().findingAt("/zero_optimization/reduce_buket_size") < 0);
}

void TstConfigPage::fixAllIsOneStep()
{
    // The misspelt key is a guess and the batch has two ways out: neither is safe. What stage 2 never reads is.
    QCOMPARE(m_page->model().safeFixCount(), 0);
    QVERIFY(m_page->model().openFixCount() >= 1);
    QVERIFY(!m_page->findings()->fixAllButton()->isVisible());
    QByteArray config = kConfig;
    config.replace("\"reduce_buket_size\": 5e8,\n", "\"stage3_max_live_parameters\": 1e9,\n    \"stage3_prefetch_bucket_size\": 5e7,\n");
    config.replace("60", "64");
    config.replace("\"lr\": 3e-4", "\"lr\": \"3e-4\"");
    m_page->setText(config);
    QCOMPARE(m_page->model().safeFixCount(), 3);
    QVERIFY(m_page->findings()->fixAllButton()->isVisible());
    QTest::mouseClick(m_page->findings()->fixAllButton(), Qt::LeftButton);
    QCOMPARE(m_owner->stack.count(), 1);
    QCOMPARE(m_page->model().safeFixCount(), 0);
    QVERIFY(m_page->model().answer().ok);
    QVERIFY(!m_page->text().contains("stage3"));
    QVERIFY(m_page->text().contains("\"lr\": 0.0003") || m_page->text().contains("\"lr\": 3e-4"));
    QVERIFY(m_page->text().contains("// the demo"));
    m_owner->stack.undo();
    QCOMPARE(m_page->text(), config);
}

void TstConfigPage::undoGoesBackThroughAllViews()
{
    clickControl("/zero_optimization/reduce_scatter", 0);
    m_page->editor()->setFocus();
    m_page->editor()->setCursorOffset(2);
    QTest::keyClicks(m_page->editor(), "  ");
    m_page->editor()->flush();
    m_page->model().fix(m_page->model().findingAt("/zero_optimization/reduce_buket_size"));
    const int steps = m_owner->stack.count();
    QVERIFY(steps >= 3);
    for (int i = 0; i < steps; ++i)
        m_owner->stack.undo();
    QCOMPARE(m_page->text(), kConfig);
    QCOMPARE(m_page->editor()->text().toUtf8(), kConfig);
    for (int i = 0; i < steps; ++i)
        m_owner->stack.redo();
    QVERIFY(m_page->text().contains("\"reduce_scatter\": true"));
    QVERIFY(m_page->text().contains("\"reduce_bucket_size\": 5e8"));
    QCOMPARE(m_page->editor()->text().toUtf8(), m_page->text());
}

void TstConfigPage::brokenTextStaysEditableAndGreysTheForm()
{
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->selectAll();
    editor->replaceSelectedText("{\n  \"train_batch_size\": 16,\n  \"zero_optimization\": {\n");
    editor->flush();
    QVERIFY(m_page->model().syntaxError().has_value());
    QVERIFY(!m_page->form()->view()->isEnabled());
    // The form still shows the last text that could be read.
    QCOMPARE(m_page->form()->view()->rows().json(rowOf("/zero_optimization/stage")), QByteArray("2"));
    QVERIFY2(m_page->model().syntaxMessage().startsWith("line "), qPrintable(m_page->model().syntaxMessage()));
    QVERIFY(!m_page->model().answer().parseOk);
    QVERIFY(!m_page->model().answer().findings.empty());
    QTest::keyClicks(editor, "}}");
    editor->flush();
    QVERIFY(!m_page->model().syntaxError().has_value());
    QVERIFY(m_page->form()->view()->isEnabled());
    QCOMPARE(m_page->form()->view()->rows().json(rowOf("/train_batch_size")), QByteArray("16"));
}

void TstConfigPage::everyKeyIsFoundByTheSearchField()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    ConfigFormModel& rows = m_page->form()->view()->rows();
    QLineEdit* field = m_page->groups()->searchField();
    for (const CatalogKey& key : catalog.keys()) {
        if (key.pointer.empty())
            continue;
        field->setText(QString::fromStdString(key.pointer).mid(1).replace('/', '.'));
        const int shown = std::min(rows.rowCount(), 25);
        bool found = false;
        for (int row = 0; row < shown && !found; ++row)
            found = rows.catalogKey(row) && rows.catalogKey(row)->pointer == key.pointer;
        QVERIFY2(found, key.pointer.c_str());
    }
    field->setText("no such key at all zzz");
    QCOMPARE(rows.rowCount(), 0);
    field->clear();
    QVERIFY(rows.rowCount() > 300);
}

void TstConfigPage::groupsCountAndScroll()
{
    const QAbstractItemModel* groups = m_page->groups()->list()->model();
    QCOMPARE(groups->rowCount(), static_cast<int>(KeyCatalog::standard().groups().size()) + 2);
    ConfigFormModel& rows = m_page->form()->view()->rows();
    m_page->groups()->list()->setCurrentIndex(groups->index(0, 0));
    QVERIFY(rows.show() == ConfigFormModel::Show::InFile);
    int keys = 0;
    for (int row = 0; row < rows.rowCount(); ++row)
        keys += rows.row(row).header ? 0 : 1;
    QCOMPARE(keys, 10);
    QCOMPARE(rows.setCount(-1), 10);
    m_page->groups()->list()->setCurrentIndex(groups->index(groups->rowCount() - 1, 0));
    keys = 0;
    for (int row = 0; row < rows.rowCount(); ++row)
        keys += rows.row(row).header ? 0 : 1;
    QVERIFY(keys >= static_cast<int>(KeyCatalog::standard().keys().size()));
    rows.toggleGroup(2);
    QVERIFY(rows.isFolded(2));
    QVERIFY(rows.rowOfPointer("/optimizer/type") < 0);
    QVERIFY(rowOf("/optimizer/type") >= 0);
}

void TstConfigPage::selectionIsSharedByAllViews()
{
    QSignalSpy moved(&m_page->model(), &ConfigModel::currentChanged);
    select("/zero_optimization/stage");
    QCOMPARE(m_page->model().current(), QString("/zero_optimization/stage"));
    QCOMPARE(m_page->editor()->SendScintilla(QsciScintilla::SCI_GETCURRENTPOS), long{kConfig.indexOf("2,\n    \"reduce_buket")});
    m_page->showKey("/optimizer/params/lr");
    QCOMPARE(m_page->form()->view()->currentIndex().row(), rowOf("/optimizer/params/lr"));
    m_page->editor()->setFocus();
    m_page->editor()->setCursorOffset(static_cast<int>(kConfig.indexOf("\"betas\"")) + 2);
    QTRY_COMPARE(m_page->model().current(), QString("/optimizer/params/betas"));
    QCOMPARE(moved.count(), 3);
}

void TstConfigPage::helpTellsTypeDefaultAndPlace()
{
    m_page->showKey("/zero_optimization/reduce_bucket_size");
    QString help = m_page->keyHelp()->plainText();
    QVERIFY2(help.contains("/zero_optimization/reduce_bucket_size"), qPrintable(help));
    QVERIFY2(help.contains("not set"), qPrintable(help));
    QVERIFY2(help.contains(QLocale().toString(500000000)), qPrintable(help));
    m_page->showKey("/optimizer/params/lr");
    help = m_page->keyHelp()->plainText();
    QVERIFY2(help.contains("3e-4, line 10"), qPrintable(help));
    m_page->showKey("/zero_optimization/reduce_buket_size");
    help = m_page->keyHelp()->plainText();
    QVERIFY2(help.contains("does not know"), qPrintable(help));
    // The default is that of the release whose rules are followed: 0.18 offloads to memory that is not pinned.
    m_page->showKey("/zero_optimization/offload_optimizer/pin_memory");
    const auto byDefault = [this] {
        const QStringList lines = m_page->keyHelp()->plainText().split(QLatin1Char('\n'));
        return lines.value(lines.indexOf(QStringLiteral("Default")) + 1);
    };
    QCOMPARE(byDefault(), QString("true"));
    QComboBox* release = nullptr;
    for (auto* box : m_page->findChildren<QComboBox*>())
        if (box->findText(QStringLiteral("0.18.9")) >= 0)
            release = box;
    QVERIFY(release);
    release->setCurrentText(QStringLiteral("0.18.9"));
    QCOMPARE(byDefault(), QString("false"));
}

void TstConfigPage::presetsPreviewThenMerge()
{
    m_page->showPresets();
    ConfigPresets* presets = m_page->presets();
    QVERIFY(presets->isVisible());
    for (int i = 0; i < presets->list()->count(); ++i)
        if (presets->list()->item(i)->data(Qt::UserRole).toString() == "zero3")
            presets->list()->setCurrentRow(i);
    QCOMPARE(m_page->text(), kConfig);  // a preview changes nothing
    QVERIFY(presets->preview()->rowCount() > 3);
    QTest::mouseClick(presets->applyButton(), Qt::LeftButton);
    QCOMPARE(m_owner->stack.count(), 1);
    QVERIFY(m_page->text().contains("\"stage\": 3,"));
    QVERIFY(m_page->text().contains("// the demo"));
    QVERIFY(m_page->text().contains("\"lr\": 3e-4,"));
    QVERIFY(!presets->applyButton()->isEnabled());
    m_owner->stack.undo();
    QCOMPARE(m_page->text(), kConfig);
    QVERIFY(presets->applyButton()->isEnabled());
}

void TstConfigPage::diffIsByMeaning()
{
    m_page->views()->setCurrentIndex(2);
    auto* diff = m_page->findChild<ConfigDiff*>();
    QVERIFY(diff && diff->isVisible());
    QCOMPARE(diff->table()->rowCount(), 0);
    QByteArray same = kConfig;
    same.replace("5e8", "500000000").replace("  // the demo\n", "");
    m_page->setText(same);
    QCOMPARE(diff->table()->rowCount(), 0);
    m_page->model().setValue("/zero_optimization/stage", "3", "x");
    m_page->model().unset("/bf16/enabled", "x");
    QCOMPARE(diff->table()->rowCount(), 2);  // stage, bf16.enabled: the empty bf16 in its place says nothing
}

void TstConfigPage::modelsKeepTheirPromises()
{
    QAbstractItemModelTester rows(&m_page->form()->view()->rows(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester findings(m_page->findings()->view()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    m_page->groups()->searchField()->setText("bucket");
    m_page->groups()->searchField()->clear();
    m_page->form()->view()->rows().setShow(ConfigFormModel::Show::All);
    m_page->form()->view()->rows().toggleGroup(4);
    m_page->setText("{}");
    m_page->setText("{\"zero_optimization\": {\"stage\": 7, \"x\": 1}, \"compression_training\": {\"row_pruning\": {\"different_groups\": {\"g1\": {\"modules\": [\"a\"]}}}}}");
    QVERIFY(m_page->form()->view()->rows().rowOfPointer("/compression_training/row_pruning/different_groups/g1/modules") >= 0);
    m_page->form()->view()->rows().setShow(ConfigFormModel::Show::InFile);
    m_page->setText("{");
    m_page->setText(kConfig);
}

void TstConfigPage::mergingEveryPresetKeepsTheRest()
{
    for (const ConfigPreset& preset : configPresets()) {
        const JsonDocument document = std::move(JsonDocument::parse(kConfig.toStdString())).value();
        const Result<std::string> merged = mergePreset(document, preset);
        QVERIFY2(merged.hasValue(), preset.id.c_str());
        const JsonDocument after = std::move(JsonDocument::parse(*merged)).value();
        for (const PresetChange& change : presetChanges(document, preset)) {
            const int at = after.find(change.pointer);
            QVERIFY2((at < 0) == change.after.empty(), (preset.id + change.pointer).c_str());
            QVERIFY2(at < 0 || after.spelling(at) == change.after, (preset.id + change.pointer).c_str());
        }
        QVERIFY2(merged->find("// the demo") != std::string::npos, preset.id.c_str());
        for (const PresetChange& change : presetChanges(after, preset))
            QVERIFY2(!change.changes(), (preset.id + change.pointer).c_str());
        // A preset on its own is a config whose keys are all known.
        for (int id = 1; id < static_cast<int>(preset.config->nodes().size()); ++id) {
            const std::string pointer = preset.config->pointerOf(id);
            const bool element = preset.config->node(preset.config->node(id).parent).kind == JsonKind::Array;
            QVERIFY2(element || KeyCatalog::standard().find(pointer, preset.config.get()) >= 0, (preset.id + pointer).c_str());
        }
    }
}

QTEST_MAIN(TstConfigPage)
#include "tst_config_page.moc"
