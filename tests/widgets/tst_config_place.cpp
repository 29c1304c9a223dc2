// SPDX-License-Identifier: GPL-3.0-or-later
// Where the views of the Config page stand: at what was changed, at what is found, at the beginning of another text.
#include "config_owner.h"

#include "config/preset_catalog.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/config_presets.h"
#include "widgets/config_value.h"
#include "widgets/finding_delegate.h"
#include "widgets/focus_ring.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>
#include <QtTest>

#include <memory>

using namespace stagecraft;

namespace {

/// A ds_config longer than any window is high.
QByteArray longConfig()
{
    QByteArray text = "{\n  \"train_micro_batch_size_per_gpu\": 2,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}},\n  \"bf16\": {\"enabled\": true},\n  \"my_own\": [\n";
    for (int i = 0; i < 120; ++i)
        text += "    " + QByteArray::number(i) + ",\n";
    return text + "    0\n  ],\n  \"zero_optimization\": {\n    \"stage\": 2\n  }\n}\n";
}

}  // namespace

class TstConfigPlace : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void init();
    void cleanup();
    void whatAnEditChangedComesIntoSight();
    void aFoldedChangeIsUnfolded();
    void theFindingOfTheKeyAtHandIsSelected();
    void oneOfSeveralFindingsStaysChosen();
    void fixingByKeyboardGoesOnWithTheNext();
    void aButtonThatGoesLeavesTheKeyboardInTheList();
    void theChosenFindingHasAllOfItsLines();
    void noNameIsWiderThanTheHelp_data();
    void noNameIsWiderThanTheHelp();
    void anotherTextIsShownFromItsStart();
    void helpOfTheKeyAtTheCursor();
    void stagesSayWhatTheyStandFor();
    void aPresetSaysWhatItTakesOut();
    void theTextShowsThatItHasTheKeyboard();
    void otherViewsLeaveTheTextItsPlace();

private:
    [[nodiscard]] ConfigEditor* editor() const { return m_page->editor(); }
    [[nodiscard]] long firstLine() const { return editor()->SendScintilla(QsciScintillaBase::SCI_GETFIRSTVISIBLELINE); }
    [[nodiscard]] bool isInSight(const QByteArray& words) const
    {
        const long line = editor()->SendScintilla(QsciScintillaBase::SCI_LINEFROMPOSITION, static_cast<unsigned long>(editor()->bytes().indexOf(words)));
        const long shown = editor()->SendScintilla(QsciScintillaBase::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
        return editor()->SendScintilla(QsciScintillaBase::SCI_GETLINEVISIBLE, static_cast<unsigned long>(line)) != 0 && shown >= firstLine()
            && shown < firstLine() + editor()->SendScintilla(QsciScintillaBase::SCI_LINESONSCREEN);
    }
    [[nodiscard]] int selectedRow() const
    {
        const QModelIndexList rows = m_page->findings()->view()->selectionModel()->selectedRows();
        return rows.isEmpty() ? -1 : rows.front().row();
    }

    std::unique_ptr<ConfigPage> m_page;
    std::unique_ptr<Owner> m_owner;
};

void TstConfigPlace::init()
{
    m_page = std::make_unique<ConfigPage>();
    m_owner = std::make_unique<Owner>(*m_page);
    m_page->setText(longConfig());
    m_page->resize(1200, 630);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    m_page->activateWindow();
}

void TstConfigPlace::cleanup()
{
    m_owner.reset();
    m_page.reset();
}

void TstConfigPlace::whatAnEditChangedComesIntoSight()
{
    m_page->form()->view()->setFocus();
    QCOMPARE(firstLine(), 0L);
    // As the form does it, far below what is shown.
    m_page->model().setValue(QStringLiteral("/zero_optimization/overlap_comm"), "true", QStringLiteral("overlap"));
    QVERIFY(isInSight("\"overlap_comm\""));
    QVERIFY(m_page->form()->view()->hasFocus());
    // What is in sight already moves nothing.
    const long before = firstLine();
    m_page->model().setValue(QStringLiteral("/zero_optimization/stage"), "3", QStringLiteral("stage"));
    m_owner->stack.undo();
    QCOMPARE(firstLine(), before);
    editor()->SendScintilla(QsciScintillaBase::SCI_SETFIRSTVISIBLELINE, 0UL);
    m_owner->stack.undo();
    QVERIFY(isInSight("\"stage\": 2"));
    // The other way, as a preset writes its whole text; and with the keyboard in the text, whose caret stays.
    editor()->setFocus();
    const int caret = editor()->cursorOffset();
    m_page->model().replaceText(longConfig().replace("\"lr\": 1e-4", "\"lr\": 2e-5"), QStringLiteral("preset"));
    QVERIFY(isInSight("2e-5"));
    QCOMPARE(editor()->cursorOffset(), caret);
    QVERIFY(editor()->hasFocus());
}

void TstConfigPlace::aFoldedChangeIsUnfolded()
{
    editor()->SendScintilla(QsciScintillaBase::SCI_FOLDALL, 0UL);
    m_page->model().setValue(QStringLiteral("/zero_optimization/stage"), "3", QStringLiteral("stage"));
    QVERIFY(isInSight("\"stage\": 3"));
}

void TstConfigPlace::theFindingOfTheKeyAtHandIsSelected()
{
    ConfigFormView* form = m_page->form()->view();
    form->setFocus();
    m_page->showKey(QStringLiteral("/zero_optimization/stage"));
    QCOMPARE(selectedRow(), -1);
    m_page->model().setValue(QStringLiteral("/zero_optimization/stage"), "7", QStringLiteral("stage"));
    QVERIFY(selectedRow() >= 0);
    const CheckFinding& finding = m_page->model().answer().findings[static_cast<std::size_t>(selectedRow())];
    QCOMPARE(finding.pointer, std::string("/zero_optimization/stage"));
    QVERIFY(m_page->keyHelp()->plainText().contains(QString::fromStdString(finding.message)));
    QVERIFY(form->hasFocus());
    m_owner->stack.undo();
    QCOMPARE(selectedRow(), -1);
}

void TstConfigPlace::oneOfSeveralFindingsStaysChosen()
{
    m_page->setText("{\"train_batch_size\": 4, \"zero_optimization\": {\"stage\": 2, \"bukket\": 1}, \"my_own\": 1, \"other_own\": 2}");
    QTableView* view = m_page->findings()->view();
    QVERIFY(view->model()->rowCount() >= 2);
    for (int row = 0; row < view->model()->rowCount(); ++row) {
        view->selectRow(row);
        QCOMPARE(selectedRow(), row);
    }
}

void TstConfigPlace::fixingByKeyboardGoesOnWithTheNext()
{
    m_page->setText("{\"train_batch_size\": 4, \"zero_optimization\": {\"stage\": 2, \"overlap_com\": true, \"reduce_buket_size\": 1000}, \"gradient_cliping\": 1.0, \"steps_per_prnt\": 10, \"my_own\": 1}");
    QTableView* view = m_page->findings()->view();
    const auto pointerOf = [this](int row) { return QString::fromStdString(m_page->model().answer().findings[static_cast<std::size_t>(row)].pointer); };
    QStringList fixable;
    for (int row = 0; row < view->model()->rowCount(); ++row)
        if (!view->model()->index(row, FindingsModel::Fix).data().toString().isEmpty())
            fixable << pointerOf(row);
    QVERIFY2(fixable.size() >= 4, qPrintable(fixable.join(QLatin1Char(' '))));
    view->setFocus();
    // From the middle on, one after the other; the first stays as it is.
    while (selectedRow() < 0 || pointerOf(selectedRow()) != fixable[1])
        view->selectRow(selectedRow() + 1);
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter}) {
        const int row = selectedRow(), rows = view->model()->rowCount();
        const QString next = pointerOf(row + 1);
        const QString mended = m_page->model().current();
        QTest::keyClick(view, key, Qt::AltModifier);
        QVERIFY(view->model()->rowCount() < rows);
        // All stays with what was mended until the arrow goes on.
        QCOMPARE(selectedRow(), -1);
        QVERIFY(m_page->model().current() != next && m_page->model().current().section(QLatin1Char('/'), 0, -2) == mended.section(QLatin1Char('/'), 0, -2));
        QTest::keyClick(view, Qt::Key_Down);
        QVERIFY2(selectedRow() >= 0, qPrintable(next));
        QCOMPARE(pointerOf(selectedRow()), next);
        QCOMPARE(m_page->model().current(), next);
        QVERIFY(view->hasFocus());
        QCOMPARE(view->currentIndex().row(), selectedRow());
        while (view->model()->index(selectedRow(), FindingsModel::Fix).data().toString().isEmpty())
            view->selectRow(selectedRow() + 1);
    }
    QCOMPARE(m_owner->stack.count(), 2);
    // What is fixed last leads to the one before it, and what comes again by undo moves nothing.
    const int last = view->model()->rowCount() - 1;
    view->selectRow(last);
    const QString chosen = m_page->model().current();
    m_owner->stack.undo();
    QCOMPARE(m_page->model().current(), chosen);
    QVERIFY(selectedRow() >= 0);
    QCOMPARE(pointerOf(selectedRow()), chosen);
}

void TstConfigPlace::aButtonThatGoesLeavesTheKeyboardInTheList()
{
    m_page->setText("{\"train_batch_size\": 4, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-5}}, \"seed\": 42, \"zero_optimization\": {\"stage\": 1, \"stage3_max_live_parameters\": 1e8}}");
    FindingsList* list = m_page->findings();
    editor()->setFocus();
    list->view()->selectRow(0);
    QVERIFY(list->fixAllButton()->isVisible());
    list->fixAllButton()->setFocus();
    QTest::keyClick(list->fixAllButton(), Qt::Key_Space);
    QVERIFY(!list->fixAllButton()->isVisible());
    QVERIFY(list->view()->hasFocus());
    QVERIFY(selectedRow() >= 0);
    // With the last finding goes the list: no other panel gets the keys, and what comes back is at hand.
    m_page->setText("{\"train_batch_size\": 4, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}}}");
    QVERIFY2(m_page->model().answer().findings.empty(), m_page->model().answer().findings.empty() ? "" : m_page->model().answer().findings.front().message.c_str());
    QVERIFY(list->hasFocus());
    QVERIFY(!m_page->showFindings());   // there is none: whoever asks for them is shown those of the workspace
    m_page->setText("{\"train_batch_size\": 4, \"my_own\": 1, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}}}");
    QVERIFY(list->view()->hasFocus());
}

void TstConfigPlace::theChosenFindingHasAllOfItsLines()
{
    m_page->setText("{\"train_batch_size\": 30, \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 8}");
    m_page->resize(1090, 630);
    QTRY_COMPARE(m_page->width(), 1090);
    QTableView* view = m_page->findings()->view();
    int row = 0;
    while (row < view->model()->rowCount() && view->model()->index(row, FindingsModel::Rule).data().toString() != QStringLiteral("R7"))
        ++row;
    QVERIFY(row < view->model()->rowCount());
    const QModelIndex at = view->model()->index(row, FindingsModel::Message);
    const auto isWhole = [&](bool whole) {
        const int width = view->columnWidth(FindingsModel::Message);
        const QStringList lines = FindingDelegate::linesOf(at, width, whole);
        const QFontMetrics metrics(theme::font(theme::Role::Body));
        return view->rowHeight(row) == FindingDelegate::rowHeight(at, width, whole)
            && std::all_of(lines.begin(), lines.end(), [&](const QString& line) { return metrics.horizontalAdvance(line) <= width; });
    };
    view->clearSelection();
    QVERIFY(!isWhole(false) && view->rowHeight(row) <= FindingDelegate::kRowHeight + 3 * FindingDelegate::kLineHeight);
    view->selectRow(row);
    QVERIFY(isWhole(true) && view->rowHeight(row) > FindingDelegate::kRowHeight + 3 * FindingDelegate::kLineHeight);
    // Longer than the list is high it is read by scrolling.
    QCOMPARE(view->verticalScrollMode(), QAbstractItemView::ScrollPerPixel);
    // It stays so: none folds while the mouse is on its way to another.
    view->clearSelection();
    QVERIFY(isWhole(true));
    m_page->showStart();
    QVERIFY(!isWhole(false) && view->rowHeight(row) <= FindingDelegate::kRowHeight + 3 * FindingDelegate::kLineHeight);
    // The button of a row that would grow under the mouse is still the one that is pressed.
    QSignalSpy asked(m_page.get(), &ConfigPage::surroundingsRequested);
    const QModelIndex fix = view->model()->index(row, FindingsModel::Fix);
    const QRect button = FindingDelegate::buttonRect(view->visualRect(fix), fix.data().toString());
    QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::NoModifier, button.center());
    QCOMPARE(asked.count(), 1);
}

void TstConfigPlace::noNameIsWiderThanTheHelp_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("one word of many letters") << QByteArray(300, 'w');
    QTest::newRow("a path") << QByteArray("/mnt/very-long-name-of-a-file-system/users/somebody/experiments/2026-11-24/checkpoints/global_step_100000/model_states.pt");
    QTest::newRow("Chinese") << QByteArray("\xE5\xBE\xAE\xE8\xB0\x83").repeated(60);
}

void TstConfigPlace::noNameIsWiderThanTheHelp()
{
    QFETCH(QByteArray, name);
    m_page->setText("{\"train_batch_size\": 4, \"" + QByteArray(name).replace('/', '-') + "\": \"" + name + "\"}");
    m_page->showKey(QLatin1Char('/') + QString::fromUtf8(QByteArray(name).replace('/', '-')));
    auto* scroll = m_page->keyHelp()->findChild<QScrollArea*>();
    QTRY_VERIFY(scroll->widget()->width() == scroll->viewport()->width());
    QVERIFY2(scroll->widget()->minimumSizeHint().width() <= scroll->viewport()->width(), qPrintable(QString::number(scroll->widget()->minimumSizeHint().width())));
    for (const QLabel* label : scroll->widget()->findChildren<QLabel*>())
        QVERIFY2(label->mapTo(scroll->widget(), QPoint(label->width(), 0)).x() <= scroll->viewport()->width(), qPrintable(label->text()));
    // What is copied is the name itself.
    QVERIFY(m_page->keyHelp()->plainText().contains(QString::fromUtf8(QByteArray(name).replace('/', '-'))));
}

void TstConfigPlace::anotherTextIsShownFromItsStart()
{
    m_page->showKey(QStringLiteral("/zero_optimization/stage"));
    ConfigFormView* form = m_page->form()->view();
    form->verticalScrollBar()->setValue(form->verticalScrollBar()->maximum());
    QVERIFY(firstLine() > 0 && form->verticalScrollBar()->value() > 0);
    m_page->setText(longConfig().replace("\"stage\": 2", "\"stage\": 1"));
    m_page->showStart();
    QCOMPARE(firstLine(), 0L);
    QCOMPARE(form->verticalScrollBar()->value(), 0);
    QCOMPARE(m_page->findings()->view()->verticalScrollBar()->value(), 0);
    QCOMPARE(selectedRow(), -1);
    QVERIFY(m_page->model().current().isEmpty());
    QCOMPARE(editor()->cursorOffset(), 0);
}

void TstConfigPlace::helpOfTheKeyAtTheCursor()
{
    m_page->showPresets();
    editor()->setFocus();
    editor()->setCursorOffset(0);
    QVERIFY(!m_page->showHelpHere());   // at no key
    editor()->setCursorOffset(static_cast<int>(longConfig().indexOf("\"stage\"")) + 3);
    QVERIFY(m_page->showHelpHere());
    QCOMPARE(m_page->shownPanel(), nullptr);
    QVERIFY(m_page->keyHelp()->isVisible() && m_page->keyHelp()->plainText().contains(QStringLiteral("/zero_optimization/stage")));
    QVERIFY(editor()->hasFocus());
    // While a text cannot be read, it is that of the key whose name is being typed, or else of the section around it.
    editor()->selectAll();
    QTest::keyClicks(editor(), R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "hpz)");
    QTRY_VERIFY2(m_page->keyHelp()->plainText().startsWith(QStringLiteral("/zero_optimization\n")), qPrintable(m_page->keyHelp()->plainText()));
    while (m_owner->stack.canUndo()) m_owner->stack.undo();
    editor()->setCursorOffset(static_cast<int>(longConfig().indexOf("\"stage\"")) + 3);
    // In a narrow window it takes the place of the keys.
    m_page->resize(1040, 630);
    QTRY_VERIFY(!m_page->keyHelp()->isVisible());
    editor()->setCursorOffset(static_cast<int>(longConfig().indexOf("\"lr\"")) + 2);
    QVERIFY(m_page->showHelpHere());
    QVERIFY(m_page->keyHelp()->isVisible() && m_page->keyHelp()->plainText().contains(QStringLiteral("/optimizer/params/lr")));
    // The form's key is one as well; where nothing is selected the window's own help is meant.
    m_page->form()->view()->setFocus();
    QVERIFY(m_page->showHelpHere());
    m_page->groups()->searchField()->setFocus();
    QVERIFY(!m_page->showHelpHere());
}

void TstConfigPlace::stagesSayWhatTheyStandFor()
{
    ConfigFormView* form = m_page->form()->view();
    m_page->showKey(QStringLiteral("/zero_optimization/stage"));
    form->setFocus();
    QTest::keyClick(form, Qt::Key_Return);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QStringList words;
    for (const QAction* action : menu->actions())
        words << action->text();
    const QStringList expected{QStringLiteral("0: nothing is divided"), QStringLiteral("1: optimizer states"), QStringLiteral("2: and gradients"), QStringLiteral("3: and weights")};
    QCOMPARE(words.mid(0, 4), expected);
    QCOMPARE(words.back(), QStringLiteral("unset (0: nothing is divided)"));
    menu->actions().at(3)->trigger();
    menu->close();
    QVERIFY(m_page->text().contains("\"stage\": 3"));
    // Values that say what they are keep their own words.
    const KeyCatalog& catalog = KeyCatalog::standard();
    QCOMPARE(choiceWords(catalog.key(catalog.find("/zero_optimization/offload_optimizer/device")), "\"cpu\""), QStringLiteral("cpu"));
}

void TstConfigPlace::aPresetSaysWhatItTakesOut()
{
    m_page->showPresets();
    ConfigPresets* presets = m_page->presets();
    int takesOut = 0;
    for (std::size_t i = 0; i < configPresets().size(); ++i) {
        if (presets->list()->isRowHidden(static_cast<int>(i)))
            continue;
        presets->list()->setCurrentRow(static_cast<int>(i));
        QStringList gone;
        for (const PresetChange& change : presetChanges(m_page->model().document(), configPresets()[i], m_page->model().context()))
            if (change.changes() && change.after.empty())
                gone << QString::fromStdString(change.pointer).mid(1).replace(QLatin1Char('/'), QLatin1Char('.'));
        QString summary;
        for (const QLabel* label : presets->findChildren<QLabel*>())
            if (label->text().contains(QStringLiteral("all other keys stay")))
                summary = label->text();
        for (const QString& name : gone)
            QVERIFY2(summary.contains(name), qPrintable(summary));
        QVERIFY2(gone.isEmpty() || summary.contains(QStringLiteral("akes out")), qPrintable(summary));
        takesOut += gone.isEmpty() ? 0 : 1;
    }
    QVERIFY(takesOut > 0);
}

void TstConfigPlace::theTextShowsThatItHasTheKeyboard()
{
    auto* ring = editor()->findChild<FocusRing*>();
    m_page->form()->view()->setFocus();
    QVERIFY(!ring->isVisible());
    editor()->setFocus();
    QVERIFY(ring->isVisible());
    QCOMPARE(ring->geometry(), editor()->viewport()->geometry());
    QVERIFY(ring->testAttribute(Qt::WA_TransparentForMouseEvents));
    m_page->form()->view()->setFocus();
    QVERIFY(!ring->isVisible());
}

void TstConfigPlace::otherViewsLeaveTheTextItsPlace()
{
    m_page->setText(longConfig());
    m_page->resize(1200, 630);
    editor()->setFocus();
    QTabBar* tabs = m_page->views()->tabBar();
    const long rows = editor()->SendScintilla(QsciScintillaBase::SCI_LINESONSCREEN);
    const long end = editor()->lines() - rows;   // where it would have to scroll if it were higher
    for (const char* caret : {"\"stage\": 2", "\"bf16\""}) {
        for (const int view : {1, 2}) {
            editor()->setFocus();
            editor()->setCursorOffset(static_cast<int>(editor()->bytes().indexOf(caret)));
            editor()->SendScintilla(QsciScintillaBase::SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(end));
            QCOMPARE(firstLine(), end);
            QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(view).center());
            QTest::qWait(50);
            QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
            QTest::qWait(50);
            QCOMPARE(firstLine(), end);
        }
    }
    // What was chosen in between is shown.
    editor()->setCursorOffset(0);
    m_page->views()->setCurrentIndex(1);
    m_page->model().setCurrent(QStringLiteral("/zero_optimization/stage"));
    m_page->views()->setCurrentIndex(0);
    QTest::qWait(50);
    QVERIFY(isInSight("\"stage\": 2"));
    // In less height the line of the caret stays in sight, too, and whole.
    editor()->setFocus();
    editor()->SendScintilla(QsciScintillaBase::SCI_SETFIRSTVISIBLELINE, 60UL);
    const long height = editor()->SendScintilla(QsciScintillaBase::SCI_TEXTHEIGHT, 0UL);
    editor()->setCursorOffset(editor()->positionFromLineIndex(static_cast<int>(60 + editor()->viewport()->height() / height - 1), 0));
    QCOMPARE(firstLine(), 60L);
    m_page->resize(1200, 620);
    QTest::qWait(50);
    const long line = editor()->SendScintilla(QsciScintillaBase::SCI_LINEFROMPOSITION, static_cast<unsigned long>(editor()->cursorOffset()));
    QVERIFY((line - firstLine() + 1) * height <= editor()->viewport()->height());
}

QTEST_MAIN(TstConfigPlace)
#include "tst_config_place.moc"
