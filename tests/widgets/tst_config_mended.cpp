// SPDX-License-Identifier: GPL-3.0-or-later
// What a click that mends says beforehand, and where it leaves whoever made it.
#include "config_owner.h"

#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_form_model.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_presets.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QtTest>

#include <algorithm>
#include <utility>

using namespace stagecraft;

namespace {

/// Sizes that agree on two ranks.
const QByteArray kOnTwo = "{\n  \"train_batch_size\": 16,\n  \"train_micro_batch_size_per_gpu\": 4,\n  \"gradient_accumulation_steps\": 2,\n  \"zero_optimization\": {\"stage\": 2, \"overlap_comm\": true},\n"
                         "  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.001}}\n}\n";

}  // namespace

class TstConfigMended : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!theme::Theme::instance())
            theme::Theme::install(*qApp);
    }
    void init()
    {
        m_page = std::make_unique<ConfigPage>();
        m_owner = std::make_unique<Owner>(*m_page);
        m_page->resize(1200, 800);
        m_page->show();
        m_page->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    void cleanup()
    {
        m_owner.reset();
        m_page.reset();
    }
    void aPresetTellsOfTheOldNameThatItTakesOut();
    void fixAllMendsTheTextToo();
    void inferredRanksStayWhileTheTextCannotBeRead();
    void noRowMovesUnderANotice();
    void controlAndFullStopOffersFixes();
    void allViewsStayWithWhatWasMended_data();
    void allViewsStayWithWhatWasMended();

private:
    std::unique_ptr<ConfigPage> m_page;
    std::unique_ptr<Owner> m_owner;
};

void TstConfigMended::aPresetTellsOfTheOldNameThatItTakesOut()
{
    m_page->setText("{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.001}},\n  \"zero_optimization\": {\"stage\": 2, \"cpu_offload\": true}\n}\n");
    m_page->showPresets();
    ConfigPresets* presets = m_page->presets();
    presets->list()->setCurrentRow(4);   // ZeRO 2, optimizer on the CPU
    const QTableWidget* preview = presets->preview();
    const auto told = [preview](const QString& key) {
        for (int row = 0; row < preview->rowCount(); ++row)
            if (preview->item(row, 0)->text() == key)
                return preview->item(row, 1)->text() + QStringLiteral(" → ") + preview->item(row, 2)->text();
        return QStringLiteral("no row");
    };
    QCOMPARE(told(QStringLiteral("zero_optimization.cpu_offload")), QStringLiteral("true → removed"));
    QCOMPARE(told(QStringLiteral("zero_optimization.offload_optimizer.device")), QStringLiteral("– → cpu"));
    QString summary;
    for (const QLabel* label : presets->findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("all other keys stay")))
            summary = label->text();
    QVERIFY2(summary.contains(QStringLiteral("takes out zero_optimization.cpu_offload")), qPrintable(summary));
    presets->applyButton()->click();
    QVERIFY(!m_page->text().contains("\"cpu_offload\"") && m_page->text().contains("\"offload_optimizer\""));
    QVERIFY(!presets->applyButton()->isEnabled());
}

void TstConfigMended::inferredRanksStayWhileTheTextCannotBeRead()
{
    m_page->setText(kOnTwo);
    const QPushButton* surroundings = m_page->findChild<QPushButton*>(QStringLiteral("surroundings"));
    QCOMPARE(surroundings->text(), QStringLiteral("for 2 GPUs, inferred"));
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    const auto saysRanks = [this] {
        const auto& findings = m_page->model().answer().findings;
        return std::any_of(findings.begin(), findings.end(), [](const CheckFinding& finding) { return finding.rule == "R7"; });
    };
    const int end = static_cast<int>(kOnTwo.lastIndexOf('}')) + 1;
    const std::pair<int, char> slips[] = {{end, '.'}, {static_cast<int>(kOnTwo.indexOf('\n')), '"'}};
    for (const auto& [at, typed] : slips) {
        editor->setCursorOffset(at);
        QTest::keyClick(editor, typed);
        editor->flush();
        QVERIFY(m_page->model().syntaxError());
        QCOMPARE(surroundings->text(), QStringLiteral("for 2 GPUs, inferred"));
        QVERIFY(!saysRanks());
        QVERIFY(!m_page->model().answer().ok && !m_page->model().ranksInDoubt());
        QTest::keyClick(editor, Qt::Key_Backspace);
        editor->flush();
        QVERIFY(!m_page->model().syntaxError());
        QCOMPARE(surroundings->text(), QStringLiteral("for 2 GPUs, inferred"));
    }
    // Sizes that are typed meanwhile ask for other ranks, and are judged once they can be read.
    m_page->setText(QByteArray(kOnTwo).replace("16", "32").append('.'));
    QVERIFY(m_page->model().syntaxError() && !saysRanks());
    m_page->setText(QByteArray(kOnTwo).replace("16", "32"));
    QCOMPARE(surroundings->text(), QStringLiteral("for 4 GPUs, inferred"));
}

void TstConfigMended::noRowMovesUnderANotice()
{
    m_page->setText(kOnTwo);
    m_page->showKey(QStringLiteral("/zero_optimization/overlap_comm"));
    const ConfigFormView* form = m_page->form()->view();
    const auto place = [form] { return form->viewport()->mapToGlobal(form->visualRect(form->currentIndex()).topLeft()).y(); };
    QTRY_VERIFY(form->currentIndex().isValid());
    QTest::qWait(50);
    const int before = place(), above = form->mapToGlobal(QPoint()).y();
    m_page->setText(kOnTwo + '.');
    QTRY_VERIFY(form->mapToGlobal(QPoint()).y() > above);
    QTRY_COMPARE(place(), before);
    m_page->setText(kOnTwo);
    QTRY_COMPARE(form->mapToGlobal(QPoint()).y(), above);
    QTRY_COMPARE(place(), before);
}

void TstConfigMended::controlAndFullStopOffersFixes()
{
    const QByteArray text = "{\n  \"train_batch_size\": 8,\n  \"gradient_cliping\": 1.0\n}\n";
    m_page->setText(text);
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(text.indexOf("1.0")));
    QKeyEvent pressed(QEvent::KeyPress, Qt::Key_Period, Qt::ControlModifier, QStringLiteral("."));   // as X11 has it
    QCoreApplication::sendEvent(editor, &pressed);
    auto* menu = editor->findChild<QMenu*>(QStringLiteral("quickFixes"));
    QVERIFY(menu);
    QCOMPARE(editor->bytes(), text);
    QVERIFY(menu->activeAction());
    menu->activeAction()->trigger();
    menu->close();
    QVERIFY(m_page->text().contains("\"gradient_clipping\""));
    // In the form and in the list, too.
    m_page->setText(text);
    m_page->form()->view()->setFocus();
    m_page->showKey(QStringLiteral("/gradient_cliping"));
    QTest::keyClick(m_page->form()->view(), Qt::Key_Period, Qt::ControlModifier);
    QVERIFY(m_page->text().contains("\"gradient_clipping\""));
    m_page->setText(text);
    QTableView* list = m_page->findings()->view();
    list->selectRow(m_page->model().findingAt(QStringLiteral("/gradient_cliping")));
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Period, Qt::ControlModifier);
    QVERIFY(m_page->text().contains("\"gradient_clipping\""));
}

void TstConfigMended::allViewsStayWithWhatWasMended_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("after");
    QTest::newRow("renamed") << "/fp16/loss_scal" << "/fp16/loss_scale";
    QTest::newRow("moved") << "/optimizer/params/max_grad_norm" << "/gradient_clipping";
}

void TstConfigMended::allViewsStayWithWhatWasMended()
{
    QFETCH(QString, pointer);
    QFETCH(QString, after);
    m_page->setText("{\n  \"train_batch_size\": 8,\n  \"fp16\": {\"enabled\": true, \"loss_scal\": 0},\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"max_grad_norm\": 1.0, \"lr\": \"2e-05000000000000000000000000000000000000\"}},\n"
                    "  \"my_own\": 1\n}\n");
    ConfigEditor* editor = m_page->editor();
    const auto aside = [editor] { return editor->SendScintilla(QsciScintillaBase::SCI_GETXOFFSET); };
    const auto row = [this] { const auto rows = m_page->findings()->view()->selectionModel()->selectedRows(); return rows.isEmpty() ? -1 : rows.front().row(); };
    QTableView* list = m_page->findings()->view();
    const int finding = m_page->model().findingAt(pointer);
    QVERIFY(finding >= 0);
    list->setFocus();
    list->selectRow(finding);
    QTest::keyClick(list, Qt::Key_Return, Qt::AltModifier);
    QCOMPARE(m_owner->stack.count(), 1);
    QCOMPARE(m_page->model().findingAt(pointer), -1);
    QCOMPARE(m_page->model().current(), after);
    ConfigFormView* form = m_page->form()->view();
    QCOMPARE(form->rows().row(form->currentIndex().row()).pointer, after);
    QVERIFY2(m_page->keyHelp()->plainText().contains(after), qPrintable(m_page->keyHelp()->plainText()));
    QCOMPARE(row(), m_page->model().findingAt(after));
    QCOMPARE(editor->cursorOffset(), static_cast<int>(m_page->model().document().locate(after.toStdString())->value.begin));
    QCOMPARE(aside(), 0L);
    // What is said of the text afterwards moves it no more.
    m_page->model().setAdvice({}, 1);
    QCOMPARE(aside(), 0L);
}

/// What stands in a text that DeepSpeed's reader takes goes with the fixes of its keys.
void TstConfigMended::fixAllMendsTheTextToo()
{
    const QByteArray config = "{'train_batch_size': 8, 'optimizer': {'type': 'AdamW'},\n 'steps_per_print': 10\xEF\xBC\x8C\n 'bf16': {'enabled': true}, 'bf16': {'enabled': true},\n 'zero_optimization': {'stage': 2, 'stage3_prefetch_bucket_size': 5e7}}";
    m_page->setText(config);
    QVERIFY(m_page->model().safeFixCount() > 0);
    QTest::mouseClick(m_page->findings()->fixAllButton(), Qt::LeftButton);
    QCOMPARE(m_page->text(), QByteArray("{\"train_batch_size\": 8, \"optimizer\": {\"type\": \"AdamW\"},\n \"steps_per_print\": 10,\n \"bf16\": {\"enabled\": true},\n \"zero_optimization\": {\"stage\": 2}}"));
    QCOMPARE(m_page->model().safeFixCount(), 0);
    QCOMPARE(m_owner->stack.count(), 1);
    m_owner->stack.undo();
    QCOMPARE(m_page->text(), config);
}

QTEST_MAIN(TstConfigMended)
#include "tst_config_mended.moc"
