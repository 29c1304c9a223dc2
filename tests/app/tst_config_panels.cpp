// SPDX-License-Identifier: GPL-3.0-or-later
// The Config page as the window shows it: what stays in sight, where keys go, what is dropped on it.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/drop_frame.h"
#include "app/output_panels.h"
#include "app/plan_strip.h"
#include "app/run_flow.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_form_model.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/config_resolved.h"
#include "widgets/text_find.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTableView>
#include <QUndoStack>
#include <QUrl>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

const QByteArray kPlain = "{\n  \"train_batch_size\": 16,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}},\n  \"zero_optimization\": {\"stage\": 2}\n}\n";

}  // namespace

class TstConfigPanels : public PlanPageTest {
    Q_OBJECT
private slots:
    void theStripSaysThatRanksAreInDoubt();
    void countsOfGroupsFollowTheSearch();
    void aQuestionLeavesNothingInTheStatusBar();
    void narrowWindowKeepsTextAndPanelSideBySide();
    void aFileDroppedOnTheTextIsOpened();
    void elementsOfAListHaveTheHelpOfTheList();
    void replacesInTheText();
    void findsAmongTheResolvedValues();
    void keysGoFromRegionToRegion();
    void tabGoesOnWhileValuesAreSet();

private:
    [[nodiscard]] ConfigDocumentPage& config() const { return *m_window->findChild<ConfigDocumentPage*>(); }
    [[nodiscard]] ConfigPage& view() const { return config().view(); }
    [[nodiscard]] WorkspaceDocument& document() const { return m_window->document(); }
    [[nodiscard]] QByteArray text() const { return QByteArray::fromStdString(document().configText()); }
};

void TstConfigPanels::theStripSaysThatRanksAreInDoubt()
{
    const auto verdict = [this] { return m_window->findChild<PlanStrip*>()->shownTexts().filter(QStringLiteral("Verdict")).join(QLatin1Char('|')); };
    const QByteArray eight = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "optimizer": {"type": "AdamW"}})";
    openFile(fileWith(QStringLiteral("eight.json"), eight));
    QTRY_VERIFY2(verdict().contains(QStringLiteral("Ranks not known")) && verdict().contains(QStringLiteral("taken for 8")), qPrintable(verdict()));
    const auto said = [this] {
        QStringList texts;
        for (const QLabel* label : view().findings()->findChildren<QLabel*>()) texts << label->text();
        return texts.join(QLatin1Char('|'));
    };
    QVERIFY2(said().contains(QStringLiteral("accepts it on 8 ranks")), qPrintable(said()));
    // What refuses it for any number of ranks is no doubt; nor is a number that somebody gave.
    openFile(fileWith(QStringLiteral("more.json"), QByteArray(eight).replace("{\"train", "{\"zero_optimization\": {\"stage\": 9}, \"train")));
    QTRY_VERIFY2(verdict().contains(QStringLiteral("Refused")), qPrintable(verdict()));
    openFile(fileWith(QStringLiteral("eight.json"), eight));
    QTRY_VERIFY(verdict().contains(QStringLiteral("Ranks not known")));
    emit view().ranksRequested(4);
    QTRY_VERIFY2(verdict().contains(QStringLiteral("Refused")), qPrintable(verdict()));
    emit view().ranksRequested(8);
    QTRY_VERIFY2(!verdict().contains(QStringLiteral("Refused")) && !verdict().contains(QStringLiteral("Ranks not")), qPrintable(verdict()));
}

void TstConfigPanels::countsOfGroupsFollowTheSearch()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    m_window->showPage(1);
    const QAbstractItemModel* groups = view().groups()->list()->model();
    const auto counts = [groups] {
        QStringList words;   // "ZeRO, 48 keys"
        for (int row = 0; row < groups->rowCount(); ++row)
            words << groups->index(row, 0).data(Qt::AccessibleTextRole).toString();
        return words;
    };
    const QStringList all = counts();
    view().groups()->searchField()->setText(QStringLiteral("offload_optimizer"));
    const ConfigFormModel& rows = view().form()->view()->rows();
    QCOMPARE(counts().last(), QStringLiteral("All keys, %1 keys").arg(rows.rowCount()));
    QVERIFY(counts().first() != all.first());
    // To choose a group goes to what was found in it; where nothing was, the search ends.
    const int zero = static_cast<int>(counts().indexOf(QRegularExpression(QStringLiteral("^Offload, .*"))));
    QVERIFY(zero > 0 && !counts().at(zero).contains(QStringLiteral(" 0 keys")));
    view().groups()->list()->setCurrentIndex(groups->index(zero, 0));
    QCOMPARE(rows.row(view().form()->view()->currentIndex().row()).group, zero - 1);
    QVERIFY(rows.isSearching());
    view().groups()->searchField()->clear();
    QCOMPARE(counts(), all);
}

void TstConfigPanels::aQuestionLeavesNothingInTheStatusBar()
{
    const auto isSaid = [this] {
        const auto labels = m_window->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->isVisible() && label->text().contains(QStringLiteral("Looking whether")); });
    };
    openText(QByteArray::fromStdString(FileFlow::demoText()).replace("\"name\": \"stagecraft\"", "\"name\": \"deepspeed\""));
    m_window->runFlow().launch();
    QTRY_VERIFY(m_window->findChild<QMessageBox*>(QStringLiteral("launchQuestion")));
    m_window->findChild<QMessageBox*>(QStringLiteral("launchQuestion"))->reject();
    QTRY_VERIFY(!m_window->findChild<QMessageBox*>(QStringLiteral("launchQuestion")));
    QVERIFY(!isSaid());
}

void TstConfigPanels::narrowWindowKeepsTextAndPanelSideBySide()
{
    m_window->resize(1024, 700);
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    m_window->actions().pages().at(1)->trigger();
    QTRY_COMPARE(m_window->width(), 1024);
    QVERIFY(view().form()->isVisible() && view().groups()->isVisible());
    const auto panels = {std::pair<QAction*, int>(m_window->actions().wizard, 300), std::pair<QAction*, int>(m_window->actions().exportConfig, 380)};
    for (const auto& [action, width] : panels) {
        action->trigger();
        QTRY_VERIFY(view().shownPanel() && view().shownPanel()->isVisible());
        QVERIFY(!view().form()->isVisible() && !view().groups()->isVisible());
        QTRY_VERIFY2(view().editor()->isVisible() && view().editor()->width() >= 400, qPrintable(QString::number(view().editor()->width())));
        QVERIFY2(view().shownPanel()->width() >= width, qPrintable(QString::number(view().shownPanel()->width())));
        QVERIFY(view().mapTo(m_window.get(), QPoint(view().width(), 0)).x() <= m_window->width());
    }
    m_window->actions().find->trigger();   // the search field is with the groups
    QVERIFY(view().form()->isVisible() && view().groups()->isVisible() && !view().shownPanel()->isVisible());
    QVERIFY(view().editor()->width() >= 260);
    // A button says what is out of sight, and brings it back.
    auto* turn = view().findChild<QPushButton*>(QStringLiteral("keysOrHelp"));
    QVERIFY(turn && turn->isVisible());
    QCOMPARE(turn->text(), QStringLiteral("Back to Export"));
    turn->click();
    QVERIFY(view().shownPanel()->isVisible() && !view().form()->isVisible());
    QCOMPARE(turn->text(), QStringLiteral("Form"));
    turn->click();
    QVERIFY(view().form()->isVisible() && view().groups()->isVisible());
    view().showSidePanel(nullptr);
    QCOMPARE(turn->text(), QStringLiteral("Key help"));
    turn->click();
    QVERIFY(view().keyHelp()->isVisible() && view().form()->isVisible() && !view().groups()->isVisible());
    QVERIFY(view().mapTo(m_window.get(), QPoint(view().width(), 0)).x() <= m_window->width());
    m_window->resize(1440, 900);
    QTRY_VERIFY(view().keyHelp()->isVisible() && view().form()->isVisible() && view().groups()->isVisible() && !turn->isVisible());
}

void TstConfigPanels::aFileDroppedOnTheTextIsOpened()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    m_window->showPage(1);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(fileWith(QStringLiteral("other.json"), "{\"train_batch_size\": 8}\n")), QUrl::fromLocalFile(fileWith(QStringLiteral("second.json"), "{}\n"))});
    QWidget* viewport = view().editor()->viewport();
    QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &enter);
    QVERIFY(enter.isAccepted());
    QVERIFY2(m_window->findChild<DropFrame*>()->isVisible(), "the window takes it, not the text");
    QDropEvent drop(QPointF(40, 40), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &drop);
    QTRY_COMPARE(document().title(), QStringLiteral("other.json"));
    QVERIFY2(!text().contains("file:"), text().constData());
    QVERIFY2(m_window->output().log()->findChild<QPlainTextEdit*>()->toPlainText().contains(QStringLiteral("1 of 2 were left")), "the second is not forgotten without a word");
    // What cannot be opened says what can, in words that have room, and leaves what is open.
    QMimeData wrong;
    wrong.setUrls({QUrl::fromLocalFile(fileWith(QStringLiteral("notes.txt"), "remember the milk\n"))});
    for (const Language language : {Language::SimplifiedChinese, Language::English}) {
        m_window->setLanguage(language);
        QDragEnterEvent enterWrong(QPoint(40, 40), Qt::CopyAction, &wrong, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(viewport, &enterWrong);
        const auto* frame = m_window->findChild<DropFrame*>();
        QVERIFY(frame->isVisible() && frame->sentence().contains(QStringLiteral("notes.txt")));
        QVERIFY(frame->rect().contains(frame->box().adjusted(-8, -8, 8, 8)));
        QDropEvent dropWrong(QPointF(40, 40), Qt::CopyAction, &wrong, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(viewport, &dropWrong);
        QCOMPARE(document().title(), QStringLiteral("other.json"));
    }
    // Words are put in as before.
    QMimeData words;
    words.setText(QStringLiteral("  "));
    QDragEnterEvent enterWords(QPoint(40, 40), Qt::CopyAction, &words, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &enterWords);
    QVERIFY(enterWords.isAccepted() && !m_window->findChild<DropFrame*>()->isVisible());
}

void TstConfigPanels::elementsOfAListHaveTheHelpOfTheList()
{
    openFile(fileWith(QStringLiteral("real.json"), R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.95]}}, "mine": [[1, 2], {"a": 3}]})"));
    m_window->showPage(1);
    ConfigEditor* editor = view().editor();
    m_window->activateWindow();
    editor->setFocus();
    QTRY_VERIFY(editor->hasFocus());
    const auto goTo = [&](const char* word) { editor->setCursorOffset(static_cast<int>(text().indexOf(word)) + 1); };
    const auto help = [&] { return view().keyHelp()->plainText(); };
    goTo("0.95");
    QTRY_COMPARE(view().model().current(), QStringLiteral("/optimizer/params/betas"));
    const QString whole = help();
    QVERIFY2(whole.contains(QStringLiteral("/optimizer/params/betas\n")) && !whole.contains(QStringLiteral("does not know")), qPrintable(whole));
    for (const char* word : {"2]", "3}"}) {
        goTo("\"lr");
        QTRY_COMPARE(view().model().current(), QStringLiteral("/optimizer/params/lr"));
        goTo(word);
        QTRY_COMPARE(view().model().current(), QStringLiteral("/mine"));
    }
    // Behind a comma at the end of a line it is still the key of that line.
    openFile(fileWith(QStringLiteral("lines.json"), kPlain));
    editor->setFocus();
    QTRY_VERIFY(editor->hasFocus());
    editor->setCursorOffset(static_cast<int>(text().indexOf("\"zero_opt")) + 2);
    QTRY_COMPARE(view().model().current(), QStringLiteral("/zero_optimization"));
    editor->setCursorOffset(static_cast<int>(text().indexOf("16,")) + 3);
    QTRY_COMPARE(view().model().current(), QStringLiteral("/train_batch_size"));
    openFile(fileWith(QStringLiteral("real.json"), R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.95]}}})"));
    // A finding at an element is shown with it.
    view().showKey(QStringLiteral("/optimizer/params/betas/1"));
    QCOMPARE(view().keyHelp()->plainText(), whole);
}

void TstConfigPanels::replacesInTheText()
{
    const QByteArray opened = "{\n  \"train_batch_size\": 16,\n  \"zero_optimization\": {\"reduce_bucket_size\": 5e7, \"allgather_bucket_size\": 5E7, \"note\": \"桶 5e7\"}\n}\n";
    openFile(fileWith(QStringLiteral("real.json"), opened));
    m_window->showPage(1);
    m_window->activateWindow();
    view().editor()->setFocus();
    QTest::keyClick(view().editor(), Qt::Key_H, Qt::ControlModifier);
    TextFind* find = view().textFind();
    QTRY_VERIFY(find->isVisible() && find->replacement()->isVisible());
    QTest::keyClick(find->field(), Qt::Key_Tab);
    QVERIFY(find->replacement()->hasFocus());
    QTest::keyClick(find->replacement(), Qt::Key_Backtab);
    QVERIFY(find->field()->hasFocus());
    find->field()->setText(QStringLiteral("5e7"));
    QCOMPARE(find->countText(), QStringLiteral("1 of 3"));
    find->replacement()->setText(QStringLiteral("2e8"));
    find->replaceButton()->click();
    QCOMPARE(text(), QByteArray(opened).replace("5e7,", "2e8,"));
    QCOMPARE(view().editor()->selectedText(), QStringLiteral("5E7"));
    QCOMPARE(document().undoStack().count(), 1);
    find->replaceAllButton()->click();
    QCOMPARE(text(), QByteArray(opened).replace("5e7", "2e8").replace("5E7", "2e8"));
    QCoreApplication::processEvents();
    QCOMPARE(find->countText(), QStringLiteral("2 replaced"));
    QCOMPARE(document().undoStack().count(), 2);
    // What holds the words itself is not replaced again and again; nothing removes.
    find->field()->setText(QStringLiteral("2e8"));
    find->replacement()->setText(QStringLiteral("2e8桶"));
    find->replaceAllButton()->click();
    QCOMPARE(text().count("桶"), 4);
    find->field()->setText(QStringLiteral("桶"));
    find->replacement()->clear();
    find->replaceAllButton()->click();
    QCOMPARE(text().count("桶"), 0);
    find->field()->setText(QStringLiteral("nowhere"));
    find->replaceAllButton()->click();
    find->replaceButton()->click();
    QCOMPARE(document().undoStack().count(), 4);
    for (int i = 0; i < 4; ++i)
        m_window->actions().undo->trigger();
    QCOMPARE(text(), opened);
    QTest::keyClick(find->replacement(), Qt::Key_Escape);
    QVERIFY(!find->isVisible());
}

void TstConfigPanels::findsAmongTheResolvedValues()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    m_window->showPage(1);
    m_window->activateWindow();
    view().views()->setCurrentWidget(view().resolved());
    view().resolved()->table()->setFocus();
    m_window->actions().find->trigger();
    ResolvedView* resolved = view().resolved();
    QTRY_VERIFY(resolved->searchField()->hasFocus());
    const auto shown = [&] {
        QStringList keys;
        for (int row = 0; row < resolved->table()->model()->rowCount(); ++row)
            if (!resolved->table()->isRowHidden(row))
                keys << resolved->table()->model()->index(row, 0).data().toString();
        return keys;
    };
    const QStringList all = shown();
    QVERIFY(all.size() > 4);
    QTest::keyClicks(resolved->searchField(), QStringLiteral("BATCH"));
    QCOMPARE(shown(), all.filter(QStringLiteral("batch")));
    // An edit leaves the search as it is.
    (void)document().applyEdit(WorkspaceDocument::Part::DsConfig, {1, 1, "\"steps_per_print\": 5,"}, QStringLiteral("x"));
    QTRY_COMPARE(resolved->table()->model()->rowCount(), static_cast<int>(all.size()) + 1);
    QCOMPARE(shown(), all.filter(QStringLiteral("batch")));
    QTest::keyClick(resolved->searchField(), Qt::Key_Escape);
    QCOMPARE(shown().size(), all.size() + 1);
    QVERIFY(view().views()->currentWidget() == resolved && !resolved->searchField()->isVisible());
    // From a value one goes to its place in the text.
    for (int row = 0; row < resolved->table()->model()->rowCount(); ++row)
        if (resolved->table()->model()->index(row, 0).data().toString() == QStringLiteral("steps_per_print"))
            emit resolved->table()->activated(resolved->table()->model()->index(row, 0));
    QCOMPARE(view().views()->currentWidget(), static_cast<QWidget*>(view().editor()));
    QCOMPARE(view().editor()->selectedText(), QStringLiteral("5"));
    view().views()->setCurrentWidget(resolved);
    // From among the keys it is the search for a key.
    view().form()->view()->setFocus();
    m_window->actions().find->trigger();
    QVERIFY(view().groups()->searchField()->hasFocus());
}

void TstConfigPanels::keysGoFromRegionToRegion()
{
    openFile(fileWith(QStringLiteral("real.json"), QByteArray(kPlain).replace("16", "\"16\"")));
    m_window->resize(1440, 900);
    m_window->showPage(1);
    m_window->activateWindow();
    view().surroundings()->setFocus();
    for (QWidget* region : QList<QWidget*>{view().groups(), view().form(), view().views(), view().sidePanel(), view().findings()}) {
        m_window->actions().nextPanel->trigger();
        QVERIFY2(region->isAncestorOf(QApplication::focusWidget()), QApplication::focusWidget() ? QApplication::focusWidget()->metaObject()->className() : "nothing");
    }
    m_window->actions().previousPanel->trigger();
    QVERIFY(view().sidePanel()->isAncestorOf(QApplication::focusWidget()));
    // Tab goes from the search to the groups, which chooses none of them, and on to the form.
    view().groups()->searchField()->setFocus();
    const int rows = view().form()->view()->rows().rowCount();
    QTest::keyClick(view().groups()->searchField(), Qt::Key_Tab);
    QVERIFY(view().groups()->list()->hasFocus());
    QCOMPARE(view().form()->view()->rows().rowCount(), rows);
    QTest::keyClick(view().groups()->list(), Qt::Key_Tab);
    QVERIFY(view().form()->view()->hasFocus());
}

void TstConfigPanels::tabGoesOnWhileValuesAreSet()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    m_window->resize(1440, 900);
    m_window->showPage(1);
    m_window->activateWindow();
    ConfigFormView* form = view().form()->view();
    view().groups()->searchField()->setText(QStringLiteral("fp16."));
    const auto rowOf = [form](const char* pointer) { return form->rows().rowOfPointer(QLatin1String(pointer)); };
    const int first = rowOf("/fp16/enabled");
    QVERIFY(first >= 0 && form->rows().rowCount() > first + 2);
    // To pass by is one step.
    view().groups()->list()->setFocus();
    QTest::keyClick(view().groups()->list(), Qt::Key_Tab);
    QVERIFY(form->hasFocus());
    form->setCurrentIndex(form->rows().index(first));
    QTest::keyClick(form, Qt::Key_Tab);
    QVERIFY(!form->hasFocus());
    // Once a value was set Tab is on its way to the next one.
    form->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(form, Qt::Key_Space);
    QTRY_VERIFY(text().contains("\"enabled\": true"));
    const int at = form->currentIndex().row();
    QTest::keyClick(form, Qt::Key_Tab);
    QCOMPARE(form->currentIndex().row(), at + 1);
    QWidget* at2 = QApplication::focusWidget();
    QVERIFY(at2 && (at2 == form || form->isAncestorOf(at2)));
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(QApplication::focusWidget() == form || form->isAncestorOf(QApplication::focusWidget()));
    }
    QCOMPARE(form->currentIndex().row(), at + 4);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab);
    QCOMPARE(form->currentIndex().row(), at + 3);
}

QTEST_MAIN(TstConfigPanels)
#include "tst_config_panels.moc"
