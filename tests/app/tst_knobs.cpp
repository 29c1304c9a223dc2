// SPDX-License-Identifier: GPL-3.0-or-later
// What the what-if sliders can be turned to, and where their values go: a ds_config file of its own, ranks that something has to divide,
// the way back from what cannot be planned.
#include "plan_page_fixture.h"

#include "app/what_if.h"
#include "app/what_if_panel.h"
#include "widgets/fit_slider.h"
#include "widgets/tone_label.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

class TstKnobs : public PlanPageTest {
    Q_OBJECT
private slots:
    void resetSaysWhatStandsInItsWay();
    void aConfigFileOfItsOwnFollowsTheSliders_data();
    void aConfigFileOfItsOwnFollowsTheSliders();
    void aBatchThatDidNotAddUpStays_data();
    void aBatchThatDidNotAddUpStays();
    void ranksAreThoseThatExpertsDivide();
    void theWayBackFromWhatCannotBePlannedStaysOpen();
    void positionsThatAreRefusedHaveNoVerdict();
    void positionsThatDeepSpeedRefusesSaySo();
    void theWheelTurnsOnlyWhatHasTheFocus();
    void aPressBesideTheHandleIsOneTurn();
    void aNumberShowsAllItsDigits();
};

/// Without its first digits a number reads as another one.
void TstKnobs::aNumberShowsAllItsDigits()
{
    for (const char* elements : {"200000000", "268435456", "1073741825"}) {
        openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("200000000", elements));
        const QLineEdit* field = page().findChildren<FitSlider*>().at(static_cast<int>(Knob::ReduceBucket))->field();
        QCOMPARE(parseCount(field->text()), std::optional<std::int64_t>(QByteArray(elements).toLongLong()));
        const auto* unit = field->findChild<ToneLabel*>();
        const int wide = field->fontMetrics().horizontalAdvance(field->text());
        QVERIFY2(wide + field->textMargins().left() + field->textMargins().right() + 8 <= field->width(), elements);
        QVERIFY2(!unit->isVisible() || field->textMargins().right() >= unit->sizeHint().width(), elements);
    }
    // Where there is room the unit stands beside it.
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    QVERIFY(page().findChildren<FitSlider*>().at(static_cast<int>(Knob::ReduceBucket))->field()->findChild<ToneLabel*>()->isVisible());
}

// It moves the handle there, and the drag goes on from there.
void TstKnobs::aPressBesideTheHandleIsOneTurn()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    auto* slider = page().findChildren<FitSlider*>().at(static_cast<int>(Knob::MicroBatch))->slider();
    const QPoint middle(slider->width() / 2, slider->height() / 2), end(slider->width() - 8, middle.y());
    QTest::mousePress(slider, Qt::LeftButton, {}, middle);
    waitForPlan();
    QVERIFY(slider->value() > 0 && slider->isSliderDown());
    QTest::mouseMove(slider, end);
    QTest::mouseRelease(slider, Qt::LeftButton, {}, end);
    waitForPlan();
    QCOMPARE(m_window->document().undoStack().count(), 1);
    m_window->document().undoStack().undo();
    waitForPlan();
    QCOMPARE(plan().engine->microBatch, std::int64_t{1});
}

void TstKnobs::aBatchThatDidNotAddUpStays_data()
{
    QTest::addColumn<QByteArray>("batch");
    QTest::addColumn<QByteArray>("accumulation");
    QTest::addColumn<QByteArray>("after");   // of the batch, on 16 ranks in place of 8
    QTest::newRow("what adds up follows") << QByteArray("32") << QByteArray("4") << QByteArray("64");
    QTest::newRow("of other ranks") << QByteArray("64") << QByteArray("4") << QByteArray("64");
    QTest::newRow("of none") << QByteArray("33") << QByteArray("4") << QByteArray("33");
    QTest::newRow("filled in later") << QByteArray("\"auto\"") << QByteArray("4") << QByteArray("\"auto\"");
    QTest::newRow("one that leaves room for the accumulation") << QByteArray("64") << QByteArray("\"auto\"") << QByteArray("128");
}

void TstKnobs::aBatchThatDidNotAddUpStays()
{
    QFETCH(QByteArray, batch);
    QFETCH(QByteArray, accumulation);
    QFETCH(QByteArray, after);
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("\"gradient_accumulation_steps\": 4", "\"gradient_accumulation_steps\": " + accumulation + ", \"train_batch_size\": " + batch));
    page().turnKnob(Knob::DataParallel, 16, true);
    waitForPlan();
    const QByteArray text = QByteArray::fromStdString(m_window->document().text());
    QVERIFY2(text.contains("\"dp\": 16"), text.constData());
    QVERIFY2(text.contains("\"train_batch_size\": " + after), text.constData());
}

void TstKnobs::aConfigFileOfItsOwnFollowsTheSliders_data()
{
    QTest::addColumn<int>("knob");
    QTest::addColumn<QList<int>>("drag");
    QTest::addColumn<QByteArray>("config");
    const QByteArray batch = R"("train_batch_size": 32, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4, )";
    const QByteArray whole = "{\n  // kept\n  " + batch + R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 2}})";
    QTest::newRow("micro-batch") << static_cast<int>(Knob::MicroBatch) << QList<int>{2, 8, 4} << whole;
    QTest::newRow("accumulation") << static_cast<int>(Knob::Accumulation) << QList<int>{8, 16} << whole;
    QTest::newRow("ranks, in both files") << static_cast<int>(Knob::DataParallel) << QList<int>{16, 32} << whole;
    QTest::newRow("ranks, without the batch in the file") << static_cast<int>(Knob::DataParallel) << QList<int>{4, 16} << QByteArray(R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": 2}})");
    QTest::newRow("stage") << static_cast<int>(Knob::Stage) << QList<int>{1, 3} << whole;
    QTest::newRow("sequence") << static_cast<int>(Knob::Sequence) << QList<int>{2048, 1024} << whole;
    QByteArray away = whole;
    QTest::newRow("offload, back to none") << static_cast<int>(Knob::Offload) << QList<int>{0} << away.replace(R"("stage": 2)", R"("stage": 2, "offload_optimizer": {"device": "cpu"})");
    QTest::newRow("offload") << static_cast<int>(Knob::Offload) << QList<int>{100} << whole;
}

void TstKnobs::aConfigFileOfItsOwnFollowsTheSliders()
{
    QFETCH(int, knob);
    QFETCH(QList<int>, drag);
    QFETCH(QByteArray, config);
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    const qsizetype from = text.indexOf("{", text.indexOf("\"dsConfig\""));
    text.replace(from, text.indexOf("\"framework\"") - from, "\"ds.json\",\n  ");
    const QString configPath = fileWith(QStringLiteral("ds.json"), config);
    openFile(fileWith(QStringLiteral("w.json"), text));
    QVERIFY2(!plan().problem, plan().problem ? plan().problem->message.c_str() : "");
    const std::string before = m_window->document().text();
    const auto which = static_cast<Knob>(knob);
    // Each position is planned, as where the ds_config stands in the workspace.
    for (const int value : drag) {
        page().turnKnob(which, value, false);
        waitForPlan();
        QVERIFY2(!plan().problem, plan().problem ? plan().problem->message.c_str() : "");
        if (which != Knob::Offload)
            QVERIFY2(!plan().engineProblem, plan().engineProblem ? plan().engineProblem->message.c_str() : "");   // the batch rule holds
        QCOMPARE(knobValue(plan(), which), std::optional<std::int64_t>(value));
    }
    page().turnKnob(which, drag.back(), true);
    waitForPlan();
    QCOMPARE(knobValue(plan(), which), std::optional<std::int64_t>(drag.back()));
    QCOMPARE(m_window->document().undoStack().count(), 1);
    QCOMPARE(m_window->document().configText().find("// kept") != std::string::npos, config.contains("// kept"));
    // What other sliders hold stays, and the field says what is planned.
    page().turnKnob(which == Knob::Sequence ? Knob::Stage : Knob::Sequence, which == Knob::Sequence ? 1 : 512, true);
    waitForPlan();
    QCOMPARE(knobValue(plan(), which), std::optional<std::int64_t>(drag.back()));
    for (int step = 0; step < 2; ++step)
        m_window->document().undoStack().undo();
    QCOMPARE(m_window->document().text(), before);
    QCOMPARE(QByteArray::fromStdString(m_window->document().configText()), config);
    m_window->document().undoStack().redo();
    waitForPlan();
    QCOMPARE(knobValue(plan(), which), std::optional<std::int64_t>(drag.back()));
    // And typed, as one step.
    m_window->document().undoStack().undo();
    waitForPlan();
    QVERIFY(m_window->document().save().hasValue());
    page().turnKnob(which, drag.front(), false);
    page().turnKnob(which, drag.front(), true);
    QVERIFY(m_window->document().save().hasValue());
    QFile file(configPath);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll() != config, which != Knob::Sequence);
}

void TstKnobs::ranksAreThoseThatExpertsDivide()
{
    openText(workspaceOf("mixtral-8x7b", 4, 8, "deepspeed").replace("\"dp\": 32", "\"dp\": 32, \"ep\": 8"));
    const auto positions = knobPositions(plan(), Knob::DataParallel);
    QVERIFY(positions.size() > 3 && std::find(positions.begin(), positions.end(), 32) != positions.end());
    for (const std::int64_t ranks : positions)
        QCOMPARE(ranks % 8, std::int64_t{0});
    // Neither can others be typed: the field goes back.
    const std::string before = m_window->document().text();
    auto* field = m_window->findChild<WhatIfPanel*>()->findChild<FitSlider*>()->field();
    for (const char* typed : {"3", "99991"}) {
        field->selectAll();
        QTest::keyClicks(field, QString::fromLatin1(typed));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(field->text(), QStringLiteral("32"));
    }
    QCOMPARE(m_window->document().text(), before);
    // MiCS divides among groups of four, experts or not.
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("\"stage\": 2", "\"stage\": 3, \"mics_shard_size\": 4"));
    QCOMPARE(knobMultiple(plan(), Knob::DataParallel), std::int64_t{4});
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    QCOMPARE(knobPositions(plan(), Knob::DataParallel).front(), std::int64_t{1});
}

void TstKnobs::theWayBackFromWhatCannotBePlannedStaysOpen()
{
    openText(workspaceOf("mixtral-8x7b", 4, 8, "deepspeed").replace("\"dp\": 32", "\"dp\": 32, \"ep\": 8"));
    const std::string before = m_window->document().text();
    const auto* panel = m_window->findChild<WhatIfPanel*>();
    const auto stuck = [&] {
        for (const FitSlider* slider : panel->findChildren<FitSlider*>())
            if (slider->isVisible() && !slider->isEnabled())
                return true;
        return false;
    };
    // A drag over what cannot be planned, and on.
    page().turnKnob(Knob::DataParallel, 16, false);
    waitForPlan();
    page().turnKnob(Knob::DataParallel, 4, false);
    waitForPlan();
    QVERIFY(plan().problem && !stuck());
    page().turnKnob(Knob::DataParallel, 16, false);
    waitForPlan();
    QVERIFY2(!plan().problem, plan().problem ? plan().problem->message.c_str() : "");
    page().turnKnob(Knob::DataParallel, 16, true);
    waitForPlan();
    QCOMPARE(plan().workspace->layout.dp, 16);
    QCOMPARE(plan().workspace->hardware.nodes * plan().workspace->hardware.devicesPerNode, 16);
    QCOMPARE(m_window->document().undoStack().count(), 1);
    // Another slider from there, and back to where it began.
    page().turnKnob(Knob::DataParallel, 4, true);
    waitForPlan();
    QVERIFY(plan().problem && !stuck());
    page().turnKnob(Knob::MicroBatch, 2, true);
    page().turnKnob(Knob::DataParallel, 32, true);
    waitForPlan();
    QVERIFY(!plan().problem);
    QCOMPARE(plan().settings->microBatch, std::int64_t{2});
    QCOMPARE(plan().workspace->layout.dp, 32);
    // Reset leads back as well.
    page().turnKnob(Knob::DataParallel, 4, true);
    waitForPlan();
    QVERIFY(plan().problem);
    QVERIFY(page().whatIf().resetButton()->isEnabled());
    page().whatIf().resetButton()->click();
    waitForPlan();
    QVERIFY(!plan().problem);
    QCOMPARE(plan().workspace->layout.dp, 32);
    QCOMPARE(plan().settings->microBatch, std::int64_t{1});
    // What somebody wrote elsewhere is no slider's: nothing can be turned until it is mended.
    (void)m_window->document().setValue("/layout/dp", "4", QStringLiteral("typed"));
    waitForPlan();
    QVERIFY(plan().problem && stuck());
    m_window->document().undoStack().undo();
    waitForPlan();
    QVERIFY(!stuck());
}

void TstKnobs::positionsThatAreRefusedHaveNoVerdict()
{
    // Groups of four do not divide six ranks: stage 3, which would divide so, is refused.
    const PlanSet set = planText(workspaceOf("llama-3-8b", 1, 6, "deepspeed").replace("\"stage\": 2", "\"stage\": 2, \"mics_shard_size\": 4").toStdString(), m_scratch->path().toStdString(), PlanDepth::One);
    QVERIFY(set.plan && set.plan->fit);
    WhatIfService service;
    std::optional<KnobTracks> tracks;
    connect(&service, &WhatIfService::tracked, &service, [&](const KnobTracks& made) { tracks = made; });
    service.request(set.text, set.folder, std::make_shared<const PlanSet>(set));
    QTRY_VERIFY(tracks);
    const auto& stages = tracks->verdicts.at(static_cast<std::size_t>(Knob::Stage));
    QCOMPARE(stages.size(), std::size_t{4});
    QVERIFY(stages[2] == set.plan->fit->verdict && !stages[3]);
}

// A batch that does not add up: no turn of another slider mends it, and nothing fits that does not start.
void TstKnobs::positionsThatDeepSpeedRefusesSaySo()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("\"bf16\"", R"("train_batch_size": 33, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16")"));
    FitSlider* stage = page().findChildren<FitSlider*>().at(static_cast<int>(Knob::Stage));
    QTRY_COMPARE(stage->slider()->accessibleDescription(), QStringLiteral("refused"));
    const auto legend = [this] { return page().whatIf().findChild<QLabel*>(QStringLiteral("track3")); };
    QVERIFY(legend() && !legend()->isHidden());
    // Mended, each is judged by its memory again.
    QVERIFY(m_window->document().setValue("/dsConfig/train_batch_size", "32", QStringLiteral("typed")).hasValue());
    QTRY_VERIFY(stage->slider()->accessibleDescription() != QLatin1String("refused") && !stage->slider()->accessibleDescription().isEmpty());
    QTRY_VERIFY(legend()->isHidden());
}

void TstKnobs::theWheelTurnsOnlyWhatHasTheFocus()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    FitSlider* row = page().findChildren<FitSlider*>().at(static_cast<int>(Knob::MicroBatch));
    QSlider* slider = row->slider();
    row->field()->setFocus();
    const auto wheel = [&] {
        const QPointF at = slider->rect().center();
        QWheelEvent event(at, slider->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(slider, &event);
    };
    const std::string before = m_window->document().text();
    wheel();
    QCOMPARE(m_window->document().text(), before);
    QVERIFY(!slider->hasFocus());
    slider->setFocus();
    wheel();
    waitForPlan();
    QVERIFY(plan().settings->microBatch != 1);
}

// Half of the sliders turn a ds_config in a file of its own: while that cannot be read there is nothing to go back to, or nothing to go from.
void TstKnobs::resetSaysWhatStandsInItsWay()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    const auto begin = text.indexOf("\"dsConfig\": ") + 12, end = text.indexOf("},\n  \"framework\"") + 1;
    const QByteArray config = text.mid(begin, end - begin);
    text.replace(begin, end - begin, "\"ds.json\"");
    const auto path = [this](const char* name) { return std::filesystem::path(m_scratch->filePath(QLatin1String(name)).toStdString()); };
    const auto write = [&path](const char* name, const QByteArray& content) {
        QFile file(QString::fromStdString(path(name).string()));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write");
    };
    write("w.json", text);
    write("ds.json", "{\"train_batch_size\": }");
    WorkspaceDocument& document = m_window->document();
    QVERIFY(document.open(path("w.json")).hasValue());
    QPushButton* reset = page().whatIf().resetButton();
    QVERIFY2(!reset->isEnabled() && reset->toolTip().contains(QStringLiteral("last saved cannot be read")), qPrintable(reset->toolTip()));
    // Corrected, but not saved: what was saved still is no state to go back to.
    QVERIFY(document.applyTexts(document.text(), config.toStdString(), QStringLiteral("mended")).hasValue());
    waitForPlan();
    QVERIFY(!reset->isEnabled() && reset->toolTip().contains(QStringLiteral("last saved cannot be read")));
    QVERIFY(document.save().hasValue());
    QVERIFY(!reset->isEnabled() && reset->toolTip().contains(QStringLiteral("goes back to the last saved state")));
    page().turnKnob(Knob::MicroBatch, 2, true);
    waitForPlan();
    QVERIFY(reset->isEnabled());
    // Broken after it was saved: the sliders' way back is open again when it is mended.
    const std::string turned = document.configText();
    QVERIFY(document.applyTexts(document.text(), "{", QStringLiteral("broken")).hasValue());
    QTRY_VERIFY(!reset->isEnabled());
    QVERIFY2(reset->toolTip().contains(QStringLiteral("correct it")), qPrintable(reset->toolTip()));
    QVERIFY(document.applyTexts(document.text(), turned, QStringLiteral("mended again")).hasValue());
    waitForPlan();
    QVERIFY(reset->isEnabled());
    reset->click();
    waitForPlan();
    QCOMPARE(document.configText(), config.toStdString());
}

QTEST_MAIN(TstKnobs)
#include "tst_knobs.moc"
