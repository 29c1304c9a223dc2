// SPDX-License-Identifier: GPL-3.0-or-later
// Bars of what a rank holds: their words never touch, however little room there is.
#include "visualizers/memory_bars_view.h"

#include "chart_test_support.h"

#include <QSignalSpy>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

MemoryBarsData example(int rows)
{
    MemoryBarsData data;
    data.bytesPerUnit = 1024.0 * 1024.0 * 1024.0;
    data.unit = QStringLiteral("GiB");
    data.limitBytes = std::int64_t{80} << 30;
    for (int i = 0; i < rows; ++i) {
        MemoryBarRow row;
        row.label = QStringLiteral("Stage %1, with the optimizer states on the host").arg(i);
        row.segments = {{QStringLiteral("weights"), QStringLiteral("Weights"), MemoryKind::Weights, std::int64_t{15} << 30, {}},
                        {QStringLiteral("states"), QStringLiteral("Optimizer states"), MemoryKind::Optimizer, std::int64_t{100 / (i + 1)} << 30, {}}};
        row.chosen = i == rows - 1;
        data.rows.push_back(row);
    }
    return data;
}

}  // namespace

class TstMemoryBars : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { (void)useGoldenFont(); }

    // No number is crossed by the limit's line: it moves to the side with room, or is left out.
    void valuesStandBesideTheLimit()
    {
        MemoryBarsLayout layout;
        const QRectF box(100, 0, 80, 16);
        QCOMPARE(layout.besideLimit(box, 30), box);
        QVERIFY(layout.besideLimit(box, 90).isEmpty());
        for (double x = 90; x <= 190; ++x) {
            layout.limitX = x;
            const QRectF room = layout.besideLimit(box, 30);
            QVERIFY(!room.isEmpty() && box.contains(room));
            const double left = room.center().x() - 15;
            QVERIFY(x < left || x > left + 30);
        }
        layout.limitX = 140;
        QVERIFY(layout.besideLimit(box, 50).isEmpty());
    }

    void noRowIsLowerThanItsWords()
    {
        for (const int rows : {1, 3, 8, 20}) {
            MemoryBarsView view;
            view.setData(example(rows));
            QVERIFY(view.minimumHeight() >= view.minimumSizeHint().height());
            view.resize(300, view.minimumHeight());
            view.setData(example(rows));
            const auto height = QFontMetricsF(view.font()).height();
            std::vector<QRectF> areas;
            for (const ChartPart& part : view.parts())
                if (part.rect.width() == view.width())
                    areas.push_back(part.rect);
            QCOMPARE(areas.size(), static_cast<std::size_t>(rows));
            for (std::size_t i = 0; i < areas.size(); ++i) {
                QVERIFY2(areas[i].height() >= std::min(height, 16.0) - 0.01, qPrintable(QString::number(areas[i].height())));
                QVERIFY(areas[i].bottom() <= view.height());
                QVERIFY(i == 0 || areas[i].top() >= areas[i - 1].bottom() - 0.01);
            }
        }
    }

    // Where one bar is many times the limit and others are near it, these are not slivers: it is cut at the axis' end, and said to be.
    void farBeyondTheLimitBarsAreCut()
    {
        MemoryBarsData data = example(0);
        const auto add = [&](std::int64_t weights, std::int64_t states) {
            MemoryBarRow row;
            row.label = QStringLiteral("Stage %1").arg(data.rows.size());
            row.segments = {{QStringLiteral("weights"), QStringLiteral("Weights"), MemoryKind::Weights, weights << 30, {}}, {QStringLiteral("states"), QStringLiteral("Optimizer states"), MemoryKind::Optimizer, states << 30, {}}};
            data.rows.push_back(row);
        };
        add(140, 1200);
        add(40, 30);
        add(20, 60);
        const auto widthOf = [&](const MemoryBarsLayout& layout, std::size_t row) { return layout.bars[row].width() / layout.plot.width(); };
        QCOMPARE(memoryBarsReach(data), std::int64_t{90} << 30);
        const MemoryBarsLayout layout = layoutMemoryBars(data, {600, 150}, {});
        QVERIFY(layout.cut == std::vector<bool>({true, false, false}));
        QVERIFY(layout.bars[0].right() <= layout.plot.right() + 0.01 && widthOf(layout, 0) > 0.99 && widthOf(layout, 1) > 0.5);
        for (const SegmentBox& box : layout.boxes) QVERIFY(box.rect.right() <= layout.plot.right() + 0.01 && box.rect.left() < layout.plot.right());
        QVERIFY(layout.limitX > 0 && layout.limitX < layout.plot.right());
        // Near the limit nothing is cut, nor where no bar is near it, nor without a limit.
        data.rows.erase(data.rows.begin());
        add(100, 139);
        QVERIFY(layoutMemoryBars(data, {600, 150}, {}).cut == std::vector<bool>({false, false, false}));
        data.rows.erase(data.rows.begin(), data.rows.begin() + 2);
        add(140, 1200);
        QVERIFY(layoutMemoryBars(data, {600, 150}, {}).cut == std::vector<bool>({false, false}));
        add(20, 60);
        data.limitBytes = 0;
        QVERIFY(layoutMemoryBars(data, {600, 150}, {}).cut == std::vector<bool>({false, false, false}));
        // A preview far beyond does not move the axis.
        data.limitBytes = std::int64_t{80} << 30;
        data.preview = data.rows[1];
        data.rows[2].chosen = true;
        const MemoryBarsLayout previewed = layoutMemoryBars(data, {600, 150}, {});
        QVERIFY(!previewed.preview.empty());
        for (const QRectF& box : previewed.preview) QVERIFY(box.right() <= previewed.plot.right() + 1);
    }

    void partsOfOneKindAreOneBlock()
    {
        MemoryBarsData data = example(1);
        data.rows[0].segments.push_back({QStringLiteral("activations.qkv"), QStringLiteral("q, k and v"), MemoryKind::Activations, std::int64_t{4} << 30, {}});
        data.rows[0].segments.push_back({QStringLiteral("activations.mlp"), QStringLiteral("MLP"), MemoryKind::Activations, std::int64_t{4} << 30, {}});
        const MemoryBarsLayout layout = layoutMemoryBars(data, {600, 100}, {});
        QCOMPARE(layout.boxes.size(), std::size_t{4});
        QVERIFY(layout.boxes[0].rect.right() < layout.boxes[1].rect.left() && layout.boxes[1].rect.right() < layout.boxes[2].rect.left());
        QVERIFY(layout.boxes[2].rect.right() >= layout.boxes[3].rect.left());
    }

    void theChosenRowIsShownAndSaysItsWholeLabel()
    {
        MemoryBarsView view;
        view.resize(300, 200);
        QSignalSpy looked(&view, &MemoryBarsView::lookedAt);
        view.setData(example(8));
        QCOMPARE(looked.size(), 1);
        const QRectF row = looked.first().first().toRectF();
        QVERIFY2(view.tipAt({4, row.center().y()}).contains(QStringLiteral("Stage 7, with the optimizer states on the host")), qPrintable(view.tipAt({4, row.center().y()})));
        view.setData(example(8));   // who has scrolled away stays there
        QCOMPARE(looked.size(), 1);
    }

    void valuesOfTheAxisNeverTouch()
    {
        for (int size = 100; size <= 900; size += 7)
            for (const double wide : {8.0, 24.0, 60.0}) {
                const MemoryBarsLayout layout = layoutMemoryBars(example(3), QSizeF(size, 200), {});
                std::vector<double> widths(layout.ticks.size(), wide);
                widths.back() = wide + 30;
                const auto lefts = placeTickTexts(layout.ticks, widths, size - 4);
                QVERIFY(lefts.back().has_value() && *lefts.back() + widths.back() <= size - 4 + 0.01);
                double reached = -1e9;
                for (std::size_t i = 0; i < lefts.size(); ++i) {
                    if (!lefts[i])
                        continue;
                    QVERIFY2(*lefts[i] >= reached + 1, qPrintable(QStringLiteral("%1 px wide, tick %2").arg(size).arg(i)));
                    reached = *lefts[i] + widths[i];
                }
                if (size > 700 && wide < 30)
                    QVERIFY(std::all_of(lefts.begin(), lefts.end(), [](const auto& left) { return left.has_value(); }));
            }
        QVERIFY(placeTickTexts({}, {}, 100).empty());
    }

};

QTEST_MAIN(TstMemoryBars)
#include "tst_memory_bars.moc"
