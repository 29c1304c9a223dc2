// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit does to memory and step time: of a preset before it is applied, of what was edited since the file was saved.
#include "plan_page_fixture.h"

#include "app/config_document_page.h"
#include "app/plan_strip.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/config_presets.h"
#include "widgets/tone_label.h"

#include <QCheckBox>
#include <QListWidget>
#include <QPushButton>
#include <QUndoStack>

using namespace stagecraft;
using namespace stagecraft::app;

class TstPresetEffects : public PlanPageTest {
    Q_OBJECT
private slots:
    void theEffectIsSaidBeforeApply();
    void withoutAPlanTheReasonIsSaid();
    void aModelThatIsAssumedIsToldSo();
    void theStripCountsFromTheSavedFile();
    void aPresetThatMovesNothingSaysSo();
    void aWarningIsNotGreen();

private:
    [[nodiscard]] ConfigPage& view() const { return m_window->findChild<ConfigDocumentPage*>()->view(); }
    [[nodiscard]] ConfigPresets& presets() const { return *view().presets(); }
    [[nodiscard]] QString effect() const { return presets().effect()->text(); }
    void showPreset(const char* id)
    {
        m_window->showPage(1);
        view().showPresets();
        QListWidget* list = presets().list();
        for (int i = 0; i < list->count(); ++i)
            if (list->item(i)->data(Qt::UserRole).toString() == QLatin1String(id))
                list->setCurrentRow(i);
        QCOMPARE(list->currentItem()->data(Qt::UserRole).toString(), QString::fromUtf8(id));
    }
};

void TstPresetEffects::theEffectIsSaidBeforeApply()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    const std::int64_t before = peakOf(plan());
    showPreset("zero3");
    QTRY_VERIFY2(effect().startsWith(QStringLiteral("With the preset: ")), qPrintable(effect()));
    const QString said = effect();
    QVERIFY2(said.contains(QStringLiteral(" GiB (−")) && said.contains(QStringLiteral(" s (+")), qPrintable(said));
    QVERIFY(presets().effect()->isVisible());
    QVERIFY2(presets().effectGround()->text().contains(QStringLiteral("Llama")) || presets().effectGround()->text().contains(QStringLiteral("llama")), qPrintable(presets().effectGround()->text()));
    QCOMPARE(m_window->document().undoStack().count(), 0);
    // It is what the plan then says, to the last digit that is shown.
    presets().applyButton()->click();
    waitForPlan();
    QTRY_VERIFY(peakOf(plan()) < before);
    QTRY_VERIFY2(effect().startsWith(QStringLiteral("Now: ")), qPrintable(effect()));
    const QString peak = said.section(QLatin1Char(' '), 3, 4);
    QVERIFY2(effect().contains(peak), qPrintable(said + QLatin1Char('|') + effect()));
    // Another number of devices, with the same ds_config, is another effect.
    const QString eight = effect();
    QVERIFY(m_window->document().setValue("/hardware/nodes", "2", QStringLiteral("Nodes")).hasValue() && m_window->document().setValue("/layout/dp", "16", QStringLiteral("Ranks")).hasValue());
    QTRY_VERIFY2(effect() != eight && effect().startsWith(QStringLiteral("Now: ")), qPrintable(effect()));
    // Nobody looks: nothing is planned, or said.
    presets().dismiss();
    QVERIFY(!presets().isVisible());
}

void TstPresetEffects::withoutAPlanTheReasonIsSaid()
{
    openText(QByteArray(workspaceOf("llama-3-8b", 1, 8, "deepspeed")).replace("\"dp\": 8", "\"dp\": 8, \"pp\": 500"));
    showPreset("zero3");
    QTRY_VERIFY2(effect().startsWith(QStringLiteral("Memory and step time are not known: ")), qPrintable(effect()));
    QVERIFY2(effect().size() > 60, qPrintable(effect()));
    QVERIFY(!presets().effectGround()->isVisible());
}

void TstPresetEffects::aModelThatIsAssumedIsToldSo()
{
    openFile(fileWith(QStringLiteral("alone.json"), R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})"));
    showPreset("zero2");
    QTRY_VERIFY2(effect().contains(QStringLiteral("iB")), qPrintable(effect()));
    QVERIFY2(presets().effectGround()->text().contains(QStringLiteral("assumed")), qPrintable(presets().effectGround()->text()));
    // A text that cannot be read has no effect; the summary says why.
    emit view().editRequested(TextEdit{0, 1, "["}, QStringLiteral("typed"), false);
    QTRY_VERIFY(!presets().effect()->isVisible());
}

// Of a ds_config opened alone, too.
void TstPresetEffects::theStripCountsFromTheSavedFile()
{
    const auto since = [this] { return m_window->findChild<PlanStrip*>()->shownTexts().filter(QStringLiteral("Since last save")).join(QLatin1Char('|')); };
    openFile(fileWith(QStringLiteral("alone.json"), R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})"));
    m_window->resize(1280, 800);
    m_window->showPage(1);
    QTRY_VERIFY(!since().isEmpty());
    const QString none = since();
    QVERIFY(m_window->document().setValue("/dsConfig/bf16", R"({"enabled": true})", QStringLiteral("bf16")).hasValue());
    QTRY_VERIFY2(since() != none && since().contains(QStringLiteral("iB")), qPrintable(since()));
    // A save is where it counts from next.
    QVERIFY(m_window->document().save().hasValue());
    QTRY_COMPARE(since(), none);
    m_window->document().undoStack().undo();
    QTRY_VERIFY(since() != none);
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_VERIFY(m_window->findChild<PlanStrip*>()->shownTexts().last().contains(QStringLiteral("iB")) && m_window->findChild<PlanStrip*>()->shownTexts().last().startsWith(QStringLiteral("相对上次保存")));
    // Below the width that all need, the delta is the first to go.
    m_window->resize(1024, 700);
    QTRY_VERIFY(!m_window->findChild<PlanStrip*>()->shownTexts().last().startsWith(QStringLiteral("相对上次保存")));
}

void TstPresetEffects::aPresetThatMovesNothingSaysSo()
{
    // What is measured is the same; how often it is told is not.
    openText(QByteArray(workspaceOf("llama-3-8b", 1, 8, "deepspeed")).replace("\"bf16\"", R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16")"));
    showPreset("watch");
    QTRY_VERIFY2(effect().startsWith(QStringLiteral("With the preset: ")), qPrintable(effect()));
    QVERIFY2(effect().endsWith(QStringLiteral("no change")), qPrintable(effect()));
    QVERIFY2(!presets().effectGround()->text().contains(QStringLiteral("0.19")), qPrintable(presets().effectGround()->text()));
    showPreset("zero3");
    QTRY_VERIFY2(effect().startsWith(QStringLiteral("With the preset: ")) && !effect().contains(QStringLiteral("no change")), qPrintable(effect()));
}

void TstPresetEffects::aWarningIsNotGreen()
{
    openText(QByteArray(workspaceOf("llama-3-8b", 1, 8, "deepspeed")).replace("\"stage\": 2", R"("stage": 3, "stage3_max_live_parameters": 1e9)").replace("\"bf16\"", R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16")"));
    showPreset("zero2");
    ToneLabel* verdict = nullptr;
    for (ToneLabel* label : presets().findChildren<ToneLabel*>())
        if (label->text().contains(QStringLiteral("accepts the result")))
            verdict = label;
    QVERIFY(verdict && verdict->text().contains(QStringLiteral("never read")));
    QCOMPARE(verdict->palette().color(QPalette::WindowText), theme::color(theme::Token::Warn));
}

QTEST_MAIN(TstPresetEffects)
#include "tst_preset_effects.moc"
