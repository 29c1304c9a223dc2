// SPDX-License-Identifier: GPL-3.0-or-later
#include "visualizers/stage_tree_view.h"

#include <QSignalSpy>
#include <QtTest>

using namespace stagecraft;

namespace {

std::vector<TreeStep> fourStages()
{
    std::vector<TreeStep> steps;
    for (int stage = 0; stage < 4; ++stage) {
        TreeStep step;
        step.question = QString("Question %1?").arg(stage);
        step.numbers = "1.0 + 2.0 = 3.0 GiB of 79.6";
        step.answer = "No: go on";
        step.title = QString("Stage %1").arg(stage);
        step.state = stage < 2 ? "rejected" : stage == 2 ? "chosen" : "possible";
        step.detail = "short by 3.8 GiB";
        step.mark = stage < 2 ? TreeStep::Mark::Rejected : stage == 2 ? TreeStep::Mark::Chosen : TreeStep::Mark::Open;
        steps.push_back(step);
    }
    return steps;
}

std::vector<TreeStep> longTitles()
{
    std::vector<TreeStep> steps = fourStages();
    steps[1].title = "2 + offload";
    steps[2].title = "3 + offload, recompute";
    steps[2].state = "does not fit";
    return steps;
}

struct PaintCounter : QObject {
    int count = 0;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        count += event->type() == QEvent::Paint;
        return QObject::eventFilter(watched, event);
    }
};

double sevenPerLetter(const QString& text) { return 7.0 * static_cast<double>(text.size()); }

}  // namespace

class TstStageTree : public QObject {
    Q_OBJECT
private slots:
    void textAndBoxesDoNotMeet_data()
    {
        QTest::addColumn<QSizeF>("size");
        QTest::newRow("as drawn") << QSizeF(530, 320);
        QTest::newRow("narrow and low") << QSizeF(340, 160);
        QTest::newRow("huge") << QSizeF(2000, 1400);
    }
    void textAndBoxesDoNotMeet()
    {
        QFETCH(QSizeF, size);
        const auto geometry = layoutStageTree(longTitles(), size, sevenPerLetter, sevenPerLetter, sevenPerLetter);
        QCOMPARE(geometry.steps.size(), std::size_t{4});
        for (std::size_t i = 0; i < 4; ++i) {
            const auto& step = geometry.steps[i];
            QVERIFY(!step.question.intersects(step.box));
            QVERIFY(!step.numbers.intersects(step.box));
            QVERIFY(step.box.right() <= size.width());
            QVERIFY(step.branchFrom.x() <= step.branchTo.x());
            if (i > 0) QVERIFY(!geometry.steps[i - 1].box.intersects(step.box));
            // Inside the box title and state share a line, and neither is lost.
            QVERIFY(step.box.contains(step.title) && step.box.contains(step.state) && step.box.contains(step.detail));
            QVERIFY(step.title.right() < step.state.left());
            QVERIFY(step.title.width() >= step.box.width() / 2 - 30 && step.state.width() > 40);
            if (size.width() > 600) QVERIFY(step.title.width() >= sevenPerLetter(longTitles()[i].title));
            QCOMPARE(stepAt(geometry, step.box.center()), static_cast<int>(i));
        }
        QCOMPARE(stepAt(geometry, QPointF(size.width() - 1, geometry.contentHeight + 50)), -1);
    }

    void nothingToWalk()
    {
        QVERIFY(layoutStageTree({}, QSizeF(500, 300), sevenPerLetter, sevenPerLetter, sevenPerLetter).steps.empty());
    }

    void aClickOnABoxChoosesAndKeysMove()
    {
        StageTreeView view;
        view.resize(530, 320);
        view.setSteps(fourStages());
        view.show();
        view.grab();
        QCOMPARE(view.geometryForTest().steps.size(), std::size_t{4});
        QSignalSpy chosen(&view, &StageTreeView::stepChosen), focused(&view, &StageTreeView::stepFocused);
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.geometryForTest().steps[3].box.center().toPoint());
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.last().first().toInt(), 3);
        QTest::keyClick(&view, Qt::Key_Up);
        QCOMPARE(focused.last().first().toInt(), 2);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(chosen.last().first().toInt(), 2);
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.geometryForTest().steps[0].question.center().toPoint());
        QCOMPARE(focused.last().first().toInt(), 0);
        QCOMPARE(chosen.count(), 2);
    }

    // A slider paints only the rows that its plan changed: the picture must be the one that painting all of them gives.
    void rowsThatChangedArePaintedAlone_data()
    {
        QTest::addColumn<int>("row");
        QTest::addColumn<qreal>("height");
        for (int row = 0; row < 4; ++row)
            for (const qreal height : {320.0, 247.0})
                QTest::addRow("row %d at %g px", row, height) << row << height;
        QTest::newRow("none") << -1 << 320.0;
        QTest::newRow("boxes alone") << 5 << 320.0;
        QTest::newRow("all") << 4 << 320.0;
    }
    void rowsThatChangedArePaintedAlone()
    {
        QFETCH(int, row);
        QFETCH(qreal, height);
        std::vector<TreeStep> after = fourStages();
        for (int i = 0; i < 4; ++i) {
            if (row < 4 && i != row)
                continue;
            TreeStep& step = after[static_cast<std::size_t>(i)];
            step.detail = "1.5 GiB free, +2.1 % time";
            step.state = "unsure, p = 0.25";
            if (row == 5)
                continue;
            step.numbers = "9.0 + 2.0 = 11.0 GiB of 79.6";
            step.mark = step.mark == TreeStep::Mark::Rejected ? TreeStep::Mark::Chosen : TreeStep::Mark::Rejected;
            step.tone = TreeStep::Tone::Doubtful;
            step.passed = !step.passed;
        }
        StageTreeView view, fresh;
        for (StageTreeView* one : {&view, &fresh})
            one->resize(530, static_cast<int>(height));
        view.setSteps(fourStages());
        view.grab();
        view.setSteps(after);
        fresh.setSteps(after);
        QCOMPARE(view.grab().toImage(), fresh.grab().toImage());
        view.resize(600, 300);
        fresh.resize(600, 300);
        QCOMPARE(view.grab().toImage(), fresh.grab().toImage());
    }

    // Enter acts on the ringed step: no frame timer paints this view, and the ring may not wait for the next steps.
    void theRingIsPaintedWhereTheKeysAre()
    {
        StageTreeView view;
        view.resize(530, 320);
        view.setSteps(fourStages());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QTRY_VERIFY(!view.isDirty());
        PaintCounter paints;
        view.installEventFilter(&paints);
        for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Up}) {
            QCoreApplication::processEvents();
            const int before = paints.count;
            QTest::keyClick(&view, key);
            QTRY_VERIFY(paints.count > before);
        }
        QCoreApplication::processEvents();
        const int before = paints.count;
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.geometryForTest().steps[2].question.center().toPoint());
        QTRY_VERIFY(paints.count > before);
    }

    void withoutStepsKeysMarkNone()
    {
        StageTreeView view;
        view.setSteps({});
        QSignalSpy focused(&view, &StageTreeView::stepFocused), chosen(&view, &StageTreeView::stepChosen);
        for (const Qt::Key key : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Return})
            QTest::keyClick(&view, key);
        // Nor does a click where a box was while there were steps.
        view.resize(530, 320);
        view.setSteps(fourStages());
        view.grab();
        const QPoint box = view.geometryForTest().steps[3].box.center().toPoint();
        view.setSteps({});
        QTest::mouseClick(&view, Qt::LeftButton, {}, box);
        QCOMPARE(focused.count() + chosen.count(), 0);
    }

    void saysItsStepsToScreenReaders()
    {
        StageTreeView view;
        view.setSteps(fourStages());
        const auto parts = view.parts();
        QCOMPARE(parts.size(), std::size_t{4});
        QCOMPARE(parts[1].name, QString("Stage 1, rejected"));
        QVERIFY(parts[1].value.contains("79.6"));
    }
};

QTEST_MAIN(TstStageTree)
#include "tst_stage_tree.moc"
