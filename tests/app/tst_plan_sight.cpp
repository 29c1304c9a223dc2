// SPDX-License-Identifier: GPL-3.0-or-later
// What is read on the Plan page in a window of 1280 x 800: nothing is cut that there is room for, and of what is refused the reason.
#include "plan_page_fixture.h"

#include "app/ledger_model.h"
#include "app/ledger_panel.h"
#include "app/plan_explain.h"
#include "app/plan_tree.h"
#include "app/what_if_panel.h"
#include "visualizers/stage_tree_view.h"
#include "widgets/fit_slider.h"
#include "widgets/tone_label.h"

#include <QCheckBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

class TstPlanSight : public PlanPageTest {
    Q_OBJECT
private slots:
    void fieldsStandBesideTheScrollBar();
    void ledgerNamesAreReadWhole();
    void treeNumbersAreReadWhole();
    void treeAnswerIsInSight();
    void whatIsRefusedIsNotJudged();

private:
    void openSmall();
};

void TstPlanSight::openSmall()
{
    m_window->resize(1280, 800);
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    QTRY_COMPARE(m_window->width(), 1280);
}

// Our engine trains no adapters: nothing is told as not fitting. And the estimator takes all parameters as trained, and says so.
void TstPlanSight::whatIsRefusedIsNotJudged()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "stagecraft").replace("\"seq\": 4096", "\"seq\": 4096, \"adapter\": {\"rank\": 16}"));
    QVERIFY(plan().plan && !plan().plan->ledger);
    const auto* ledger = page().findChild<LedgerPanel*>();
    const auto labels = ledger->findChildren<ToneLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const ToneLabel* label) { return !label->isHidden() && label->text().contains(QStringLiteral("Adapters are planned as")); }));
    QVERIFY(ledger->table()->isHidden());
    QVERIFY2(rulesOfThumb(plan()).front().here.contains(QStringLiteral("none was judged")), qPrintable(rulesOfThumb(plan()).front().here));
    QVERIFY(explainEstimator(plan())->text.contains(QStringLiteral("takes all parameters as trained")));
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    QVERIFY(!ledger->table()->isHidden());
    QVERIFY(!explainEstimator(plan())->text.contains(QStringLiteral("as trained")));
}

void TstPlanSight::fieldsStandBesideTheScrollBar()
{
    openSmall();
    auto* panel = page().findChild<WhatIfPanel*>();
    auto* scroll = panel->findChild<QScrollArea*>();
    for (const int width : {panel->minimumWidth(), panel->width()}) {
        panel->resize(width, 200);   // too low for all sliders: the scroll bar is there
        QTRY_VERIFY(scroll->verticalScrollBar()->isVisible());
        for (const FitSlider* slider : panel->findChildren<FitSlider*>()) {
            const QLineEdit* field = slider->field();
            QVERIFY2(field->mapTo(scroll->viewport(), QPoint(field->width(), 0)).x() <= scroll->viewport()->width(), qPrintable(field->accessibleName()));
            QVERIFY(slider->slider()->width() >= 60);
        }
    }
    // The box has a left edge.
    QCheckBox* box = panel->chunksBox();
    QVERIFY(box->isVisible() && !box->isChecked());
    box->clearFocus();
    const QImage image = box->grab().toImage();
    const auto lightness = [&](int x) { return image.pixelColor(x, image.height() / 2).lightness(); };
    QVERIFY2(std::abs(lightness(0) - lightness(13)) < 8 && std::abs(lightness(0) - lightness(6)) > 40, qPrintable(QStringLiteral("%1 %2 %3").arg(lightness(0)).arg(lightness(6)).arg(lightness(13))));
}

void TstPlanSight::ledgerNamesAreReadWhole()
{
    openSmall();
    QTableView* table = page().findChild<LedgerPanel*>()->table();
    QVERIFY(table->horizontalScrollBar()->maximum() == 0);
    int read = 0;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
        const QModelIndex item = table->model()->index(row, LedgerModel::Item), heldIn = table->model()->index(row, LedgerModel::HeldIn);
        const QFontMetrics metrics(item.data(Qt::FontRole).value<QFont>());
        const QString name = item.data().toString();
        if (name == QLatin1String("Master weights, fp32") || name == QLatin1String("Optimizer states") || name == QLatin1String("Statistics of the norms")) {
            QVERIFY2(metrics.horizontalAdvance(name) + 34 <= table->columnWidth(LedgerModel::Item), qPrintable(name));
            ++read;
        }
        QVERIFY2(metrics.horizontalAdvance(heldIn.data().toString()) + 16 <= table->columnWidth(LedgerModel::HeldIn), qPrintable(heldIn.data().toString()));
    }
    QCOMPARE(read, 3);
    // What a person pulls stays.
    table->horizontalHeader()->resizeSection(LedgerModel::Item, 250);
    m_window->resize(1400, 800);
    QTRY_COMPARE(m_window->width(), 1400);
    openText(workspaceOf("llama-3-8b", 1, 4, "deepspeed"));
    QCOMPARE(table->columnWidth(LedgerModel::Item), 250);
}

void TstPlanSight::treeNumbersAreReadWhole()
{
    openSmall();
    const auto* tree = page().findChild<StageTreeView*>();
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(11);
    const auto& places = tree->geometryForTest().steps;
    const auto parts = tree->parts();
    QVERIFY(places.size() >= 8 && parts.size() == places.size());
    int whole = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        // "Shard the gradients too? 1.0 + 2.0 = 3.0 GiB of 79.6 GiB ..."
        const QString numbers = parts[i].value.section(QStringLiteral("? "), 1).section(QStringLiteral(" GiB"), 0, 1) + QStringLiteral(" GiB");
        QVERIFY2(numbers.contains(QLatin1Char('=')), qPrintable(parts[i].value));
        whole += QFontMetrics(fixed).horizontalAdvance(numbers) <= places[i].numbers.width();
        QVERIFY(QFontMetrics(fixed).horizontalAdvance(numbers.section(QStringLiteral("= "), 1)) <= places[i].numbers.width());
    }
    QVERIFY2(whole >= 6, qPrintable(QString::number(whole)));
}

void TstPlanSight::treeAnswerIsInSight()
{
    openSmall();
    const auto* tree = page().findChild<StageTreeView*>();
    const auto* scroll = qobject_cast<const QScrollArea*>(tree->parentWidget()->parentWidget());
    QVERIFY(scroll);
    const auto inSight = [&] {
        const auto answer = std::find_if(tree->steps().begin(), tree->steps().end(), [](const TreeStep& step) { return step.isAnswer; });
        if (answer == tree->steps().end())
            return false;
        const QRect box = tree->geometryForTest().steps[static_cast<std::size_t>(answer - tree->steps().begin())].box.toRect();
        return scroll->viewport()->rect().contains(box.translated(tree->mapTo(scroll->viewport(), QPoint(0, 0))));
    };
    // One consumer card for 8 billion parameters: only the last branches hold them.
    openText(QByteArray(R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "hardware": {"devicesPerNode": 1, "device": "RTX-4090"}, "framework": {"name": "deepspeed"},
        "dsConfig": {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 0}}})"));
    QTRY_VERIFY(scroll->verticalScrollBar()->value() > 0);
    QVERIFY(inSight());
    // Who scrolls is left alone until it ends elsewhere.
    scroll->verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMinimum);
    m_window->resize(m_window->width(), m_window->height() - 40);
    QTest::qWait(50);
    QCOMPARE(scroll->verticalScrollBar()->value(), 0);
    QVERIFY(!inSight());
}

QTEST_MAIN(TstPlanSight)
#include "tst_plan_sight.moc"
