// SPDX-License-Identifier: GPL-3.0-or-later
// The palette (Ctrl+K): what it says of a stage before it is chosen, and what Tab shows of it.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/command_palette.h"
#include "visualizers/memory_bars_view.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QStatusBar>
#include <QTest>
#include <QUndoStack>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

class TstPalette : public PlanPageTest {
    Q_OBJECT
private slots:
    void aRefusedStageSaysSo();
    void tabPreviews();
    void fixAllActsOrSaysThatItCannot();

private:
    CommandPalette* typed(const char* query)
    {
        CommandPalette* palette = CommandPalette::open(*m_window);
        QTest::keyClicks(palette->field(), QString::fromUtf8(query));
        return palette;
    }
    [[nodiscard]] bool isPreviewed() const { return page().findChild<MemoryBarsView*>()->data().preview.has_value(); }
};

/// Bytes and seconds of what DeepSpeed does not start would be read as a promise.
void TstPalette::aRefusedStageSaysSo()
{
    const QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("\"bf16\"", R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16")");
    const QString stage3 = QStringLiteral("Set ZeRO stage to 3");
    const auto effect = [this, &stage3] {
        CommandPalette* palette = typed("zero 3");
        const QString told = palette->shownEffects().value(palette->shownTexts().indexOf(stage3), QStringLiteral("not listed"));
        QTest::keyClick(palette->field(), Qt::Key_Escape);
        QCoreApplication::sendPostedEvents(palette, QEvent::DeferredDelete);
        return told;
    };
    openText(text);
    QVERIFY2(effect().contains(QStringLiteral("iB")), qPrintable(effect()));
    // Stage 3 alone offloads parameters, and asks for the folder that is missing.
    openText(QByteArray(text).replace("\"stage\": 2", R"("stage": 2, "offload_optimizer": {"device": "nvme"})"));
    QCOMPARE(effect(), QStringLiteral("refused"));
    m_window->setLanguage(Language::SimplifiedChinese);
    CommandPalette* palette = typed("zero 3");
    QVERIFY(palette->shownEffects().contains(QStringLiteral("被拒绝")));
}

void TstPalette::tabPreviews()
{
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    const std::string before = m_window->document().text();
    m_window->actions().pages().at(1)->trigger();
    // What has nothing to show keeps the palette, and the keyboard in it.
    CommandPalette* palette = typed(">go to");
    QTest::keyClick(palette->field(), Qt::Key_Tab);
    QVERIFY(palette->isVisible() && palette->field()->hasFocus());
    palette->close();
    QCoreApplication::sendPostedEvents(palette, QEvent::DeferredDelete);

    palette = typed("zero 3");
    QTest::keyClick(palette->field(), Qt::Key_Tab);
    QVERIFY(m_window->currentPage() == &page());
    QTRY_VERIFY(isPreviewed());
    QCOMPARE(m_window->document().text(), before);
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(!isPreviewed());

    palette = typed("zero 3");
    QTest::keyClick(palette->field(), Qt::Key_Tab);
    QTRY_VERIFY(isPreviewed());
    QTest::keyClick(m_window.get(), Qt::Key_Return);
    waitForPlan();
    QVERIFY(!isPreviewed());
    QCOMPARE(plan().settings->stage, 3);
    QCOMPARE(m_window->document().undoStack().undoText(), QStringLiteral("ZeRO stage 2 → 3"));
}

void TstPalette::fixAllActsOrSaysThatItCannot()
{
    const QString fixAll = QStringLiteral("Fix all safe");
    const QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    openText(QByteArray(text).replace("\"stage\": 2", "\"stage\": 2, \"stage3_max_live_parameters\": 1e9"));
    CommandPalette* palette = typed("fix all");
    QCOMPARE(palette->shownTexts().value(1), fixAll);
    QCOMPARE(palette->shownEffects().value(1), QStringLiteral("fixes: 1"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QCoreApplication::sendPostedEvents(palette, QEvent::DeferredDelete);
    QVERIFY(m_window->document().configText().find("stage3_max_live") == std::string::npos);
    QCOMPARE(m_window->document().undoStack().count(), 1);
    // What is mended is not offered once more; a line says so, and Enter tells it.
    palette = typed("fix all");
    QCOMPARE(palette->shownEffects().value(palette->shownTexts().indexOf(fixAll)), QStringLiteral("nothing to fix"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QCoreApplication::sendPostedEvents(palette, QEvent::DeferredDelete);
    QCOMPARE(m_window->document().undoStack().count(), 1);
    const auto labels = m_window->statusBar()->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().contains(QStringLiteral("has a fix")) || label->text().contains(QStringLiteral("No fix is safe")); }));
    // What a run is needed for says so, and leads to where they are.
    palette = typed("calib");
    QCOMPARE(palette->shownEffects().value(palette->shownTexts().indexOf(QStringLiteral("Calibrate plans from a run"))), QStringLiteral("choose a finished one on the Run page"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QCoreApplication::sendPostedEvents(palette, QEvent::DeferredDelete);
    QVERIFY(m_window->actions().pages().back()->isChecked());
    palette = typed("qqxxzz");
    QCOMPARE(palette->shownTexts(), QStringList{QStringLiteral("Nothing here is called \"qqxxzz\"")});
}

QTEST_MAIN(TstPalette)
#include "tst_palette.moc"
