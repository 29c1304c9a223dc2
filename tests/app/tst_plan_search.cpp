// SPDX-License-Identifier: GPL-3.0-or-later
// The Search tab of the Plan page through its own widgets, and what applying its rows gives.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/layout_edits.h"
#include "app/plan_search.h"
#include "app/search_model.h"
#include "hardware/device_sheet.h"
#include "visualizers/pareto_view.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QLabel>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::app;

class TstPlanSearch : public PlanPageTest {
    Q_OBJECT
private slots:
    void appliedLayoutsAreWhatWasScored_data();
    void appliedLayoutsAreWhatWasScored();
    void searchFillsRanksExplainsAndApplies();
    void aRefusedLayoutHasItsLimitToo();
    void searchStopsWhenCancelled();
    void searchSurvivesWhatCannotTouchIt();
    void rowsFollowWhatTheyDependOn_data();
    void rowsFollowWhatTheyDependOn();
    void modelKeepsTheChosenLayout();
    void whatKeepsLayoutsOutIsSaid();
    void commandCarriesTheConstraints();
    void memoryIsShownInItsUnit();
    void hiddenColumnsLeaveNoHole_data();
    void hiddenColumnsLeaveNoHole();
};

void TstPlanSearch::hiddenColumnsLeaveNoHole_data()
{
    QTest::addColumn<int>("width");
    for (const int width : {1280, 1400, 1590})
        QTest::addRow("%d", width) << width;
}

// A column that says the same in every row is gone with its room, and what is left of it goes to the others.
void TstPlanSearch::hiddenColumnsLeaveNoHole()
{
    QFETCH(int, width);
    m_window->resize(width, 860);
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    page().showSearch(true);
    PlanSearch& search = page().search();
    QTRY_VERIFY(!search.service().isRunning() && search.service().result());
    // Results come and go, and with them the rows that the header remembers its sections by.
    for (const bool offload : {false, true, false, true}) {
        search.findChildren<QCheckBox*>().at(1)->setChecked(offload);
        QTRY_VERIFY(!search.service().isRunning());
        QCoreApplication::processEvents();
        const QHeaderView* header = search.table()->horizontalHeader();
        QVERIFY(header->isSectionHidden(SearchModel::Ep));
        int at = -header->offset();
        for (int visual = 0; visual < header->count(); ++visual) {
            const int section = header->logicalIndex(visual);
            if (header->isSectionHidden(section)) {
                QCOMPARE(header->sectionSize(section), 0);
                continue;
            }
            QVERIFY2(header->sectionViewportPosition(section) == at, qPrintable(QStringLiteral("section %1 at %2 of %3").arg(section).arg(header->sectionViewportPosition(section)).arg(at)));
            at += header->sectionSize(section);
        }
        QCOMPARE(header->length(), at);
        if (width == 1590)
            QVERIFY2(at <= search.table()->viewport()->width(), qPrintable(QStringLiteral("%1 of %2").arg(at).arg(search.table()->viewport()->width())));
    }
}

void TstPlanSearch::appliedLayoutsAreWhatWasScored_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("DeepSpeed, dense") << workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    QTest::newRow("DeepSpeed, experts") << workspaceOf("mixtral-8x7b", 2, 8, "deepspeed");
    QTest::newRow("FSDP2") << workspaceOf("llama-3-8b", 2, 8, "fsdp2");
    QTest::newRow("FSDP2 with arguments of its own") << workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"tp": 2, "fsdp": 4, "local_batch": 2, "ac": "full"})");
    QTest::newRow("Megatron") << workspaceOf("llama-3-8b", 2, 8, "megatron", R"({"bf16": true, "global-batch-size": 64, "micro-batch-size": 1})");
    QTest::newRow("Megatron with arguments of its own")
        << workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true, "tensor-model-parallel-size": 2, "global-batch-size": 32, "recompute-granularity": "full", "recompute-method": "uniform"})");
}

// A row promises memory and time; the plan of the workspace with that row applied must have the very same.
void TstPlanSearch::appliedLayoutsAreWhatWasScored()
{
    QFETCH(QByteArray, text);
    const PlanSet base = planText(text.toStdString(), m_scratch->path().toStdString(), PlanDepth::One);
    QVERIFY(base.plan.has_value());
    SearchLimits limits;
    limits.keep = 400;
    const auto job = searchJobOf(base, limits);
    QVERIFY2(job.hasValue(), job.hasValue() ? "" : job.error().message.c_str());
    const SearchResult found = searchLayouts(job->base, job->limits);
    QVERIFY(found.best.size() > 20);
    for (std::size_t i = 0; i < found.best.size(); i += std::max<std::size_t>(1, found.best.size() / 60)) {
        const ScoredLayout& layout = found.best[i];
        const std::string after = withEdits(base.text, layoutEdits(*base.workspace, layout));
        const PlanSet planned = planText(after, base.folder, PlanDepth::One);
        const QString what = layoutName(layout) + QLatin1Char('\n') + QString::fromStdString(after);
        QVERIFY2(planned.plan && planned.plan->forecast, qPrintable(what));
        QVERIFY2(peakOf(planned) == layout.memory, qPrintable(QStringLiteral("%1 B planned, %2 B scored: %3").arg(peakOf(planned)).arg(layout.memory).arg(what)));
        QVERIFY2(std::abs(planned.plan->forecast->stepTime - layout.stepTime) <= 1e-9 * layout.stepTime,
                 qPrintable(QStringLiteral("%1 s planned, %2 s scored: %3").arg(planned.plan->forecast->stepTime).arg(layout.stepTime).arg(what)));
        QCOMPARE(searchKey(planned), searchKey(base));
    }
}

void TstPlanSearch::searchFillsRanksExplainsAndApplies()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    page().showSearch(true);
    PlanSearch& search = page().search();
    QTRY_VERIFY(!search.service().isRunning() && search.service().result());
    const SearchResult result = *search.service().result();
    QVERIFY(result.scored == result.total && result.fitting > 0);
    QTableView* table = search.table();
    QCOMPARE(table->model()->rowCount(), static_cast<int>(result.best.size()));
    QVERIFY(!search.chart()->data().front.empty());
    QCOMPARE(search.chart()->data().front.size(), result.pareto.size());

    table->setFocus();
    table->setCurrentIndex(table->model()->index(3, 0));
    const ScoredLayout chosen = result.best[3];
    const QString name = layoutName(chosen);
    QVERIFY2(m_window->inspector().plainText().contains(name), qPrintable(m_window->inspector().plainText()));
    // The plan with its parts follows from the worker.
    QTRY_VERIFY(m_window->inspector().plainText().contains(QStringLiteral("At the peak")));
    const QString told = m_window->inspector().plainText();
    for (const char* part : {"Allocated", "Reserved", "Process", "90 % interval", "Compute"})
        QVERIFY2(told.contains(QString::fromUtf8(part)), qPrintable(told));
    QCOMPARE(search.chart()->chosen(), 3);

    const std::string before = m_window->document().text();
    QTest::keyClick(table, Qt::Key_Return);
    waitForPlan();
    QCOMPARE(m_window->document().undoStack().count(), 1);
    QVERIFY(m_window->document().undoStack().undoText().contains(name));
    QCOMPARE(peakOf(plan()), chosen.memory);
    QVERIFY(!search.service().isRunning());
    m_window->actions().undo->trigger();
    waitForPlan();
    QCOMPARE(m_window->document().text(), before);

    // A tighter limit searches again and rejects what no longer fits, with the number.
    const std::int64_t fitted = result.fitting;
    search.setShare(30);
    QTRY_VERIFY(!search.service().isRunning() && search.service().result()->fitting < fitted);
}

// Where the workspace's own layout is refused there is no plan to ask for the device's memory: the search knows it.
void TstPlanSearch::aRefusedLayoutHasItsLimitToo()
{
    openText(workspaceOf("qwen2.5-7b", 1, 8, "megatron").replace("\"dp\": 8", "\"dp\": 1, \"tp\": 8"));
    QVERIFY(!plan().plan->ledger);
    page().showSearch(true);
    PlanSearch& search = page().search();
    QTRY_VERIFY(!search.service().isRunning() && search.service().result() && search.service().result()->fitting > 0);
    QCOMPARE(search.chart()->data().limitBytes, static_cast<double>(findDevice("H100-SXM-80GB")->usableBytes));
    search.table()->setFocus();
    search.table()->setCurrentIndex(search.table()->model()->index(0, 0));
    const QString told = m_window->inspector().plainText();
    QVERIFY2(told.contains(QStringLiteral("and leaves ")) && !told.contains(QStringLiteral("leaves -")) && !told.contains(QStringLiteral(" 0 B ")), qPrintable(told));
}

void TstPlanSearch::searchStopsWhenCancelled()
{
    openText(workspaceOf("llama-3-70b", 512, 8, "deepspeed"));
    const auto job = searchJobOf(plan(), {});
    QVERIFY(job.hasValue());
    SearchJob large = *job;
    large.limits.globalBatch = 1 << 22;
    SearchService service;
    QSignalSpy finished(&service, &SearchService::finished);
    service.start(large);
    QVERIFY(service.isRunning());
    service.cancel();
    QTRY_COMPARE(finished.size(), 1);
    QVERIFY(service.result()->cancelled);
    QVERIFY(service.result()->scored < 100'000);
    // A new one takes the place of one under way, whose news must not come any more.
    service.start(large);
    service.start(*job);
    QTRY_COMPARE(finished.size(), 2);
    QVERIFY(!service.result()->cancelled);
    QCOMPARE(service.result()->scored, service.result()->total);
}

void TstPlanSearch::searchSurvivesWhatCannotTouchIt()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    const std::string key = searchKey(plan());
    page().setStage(3);
    waitForPlan();
    QCOMPARE(searchKey(plan()), key);
    page().turnKnob(Knob::MicroBatch, 2, true);
    waitForPlan();
    QVERIFY(searchKey(plan()) != key);
    page().showSearch(true);
    QTRY_VERIFY(!page().search().service().isRunning());
    const auto result = page().search().service().result();
    page().setStage(1);
    waitForPlan();
    QCOMPARE(page().search().service().result(), result);
}

void TstPlanSearch::rowsFollowWhatTheyDependOn_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("value");
    const QByteArray fsdp2 = workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"local_batch": 2})"), megatron = workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true})");
    QTest::newRow("the loss in pieces") << workspaceOf("llama-3-8b", 1, 8, "deepspeed") << QByteArray("/layout/lossChunks") << QByteArray("8");
    QTest::newRow("the kernel of DeepSpeed's attention") << workspaceOf("llama-3-8b", 1, 8, "deepspeed") << QByteArray("/framework/arguments/attn_implementation") << QByteArray("\"eager\"");
    QTest::newRow("accumulation of FSDP2") << fsdp2 << QByteArray("/dsConfig/gradient_accumulation_steps") << QByteArray("8");
    QTest::newRow("sequence of FSDP2") << fsdp2 << QByteArray("/framework/arguments/seq") << QByteArray("2048");
    QTest::newRow("compiled blocks of FSDP2") << fsdp2 << QByteArray("/framework/arguments/compile") << QByteArray("true");
    QTest::newRow("Megatron's own layers") << megatron << QByteArray("/framework/arguments/transformer-impl") << QByteArray("\"local\"");
    QTest::newRow("global batch of Megatron") << megatron << QByteArray("/framework/arguments/global-batch-size") << QByteArray("64");
}

void TstPlanSearch::rowsFollowWhatTheyDependOn()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    openText(text);
    page().showSearch(true);
    QTRY_VERIFY(!page().search().service().isRunning() && page().search().service().result());
    const auto rows = page().search().service().result();
    QVERIFY(m_window->document().setValue(pointer.toStdString(), value.toStdString(), QStringLiteral("x")).hasValue());
    waitForPlan();
    QTRY_VERIFY(!page().search().service().isRunning() && page().search().service().result() != rows);
}

void TstPlanSearch::modelKeepsTheChosenLayout()
{
    std::vector<ScoredLayout> rows;
    for (int i = 0; i < 20; ++i) {
        ScoredLayout layout;
        layout.dp = i + 1;
        layout.stepTime = 20 - i;
        layout.memory = 1000 + i;
        layout.fits = i % 3 != 0;
        rows.push_back(layout);
    }
    SearchModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows(rows, {1}, 1010);
    const QPersistentModelIndex chosen = model.index(4, 0);
    const QPersistentModelIndex dropped = model.index(19, 0);
    std::reverse(rows.begin(), rows.end());
    rows.erase(rows.begin());
    model.setRows(rows, {}, 1010);
    QCOMPARE(model.layout(chosen.row())->dp, std::int64_t{5});
    QVERIFY(!dropped.isValid());
    rows.insert(rows.end(), 5, rows.front());
    model.setRows(rows, {0, 2}, 1010);
    QCOMPARE(model.layout(chosen.row())->dp, std::int64_t{5});
    QVERIFY(model.index(0, SearchModel::Memory).data(Qt::ToolTipRole).toString().contains(QStringLiteral("needs")));
    QVERIFY(model.index(2, SearchModel::Memory).data(Qt::ToolTipRole).toString().contains(QStringLiteral("smaller")));
    model.setRows({}, {}, 0);
    QVERIFY(!chosen.isValid());
}

void TstPlanSearch::whatKeepsLayoutsOutIsSaid()
{
    auto* note = page().search().findChild<QLabel*>(QStringLiteral("searchNote"));
    openText(workspaceOf("mixtral-8x7b", 1, 8, "deepspeed"));
    page().showSearch(true);
    QTRY_VERIFY2(!note->isHidden() && note->text().contains(QStringLiteral("tensor parallelism are left out")), qPrintable(note->text()));
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    QTRY_VERIFY2(note->isHidden(), qPrintable(note->text()));
}

void TstPlanSearch::commandCarriesTheConstraints()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    QSignalSpy changed(&page(), &Page::commandChanged);
    page().showSearch(true);
    QVERIFY2(page().command().isEmpty(), "the command line reads a file, and there is none");
    QVERIFY(m_window->document().saveAs(m_scratch->filePath(QStringLiteral("w.json")).toStdString()).hasValue());
    QVERIFY2(page().command().contains(QStringLiteral("/w.json --runnable --keep")), qPrintable(page().command()));
    changed.clear();
    page().search().setShare(80);
    QVERIFY(changed.size() > 0);
    QVERIFY2(page().command().contains(QStringLiteral("--memory-share 0.8 ")), qPrintable(page().command()));
    const auto boxes = page().search().findChildren<QCheckBox*>();
    QCOMPARE(boxes.size(), 2);
    for (QCheckBox* box : boxes)
        box->click();
    QVERIFY2(page().command().contains(QStringLiteral("--across-nodes")) && page().command().contains(QStringLiteral("--no-offload")), qPrintable(page().command()));
    page().showSearch(false);
    QVERIFY(page().command().startsWith(QStringLiteral("stagecraft plan ")));
}

void TstPlanSearch::memoryIsShownInItsUnit()
{
    SearchModel model;
    ScoredLayout layout;
    layout.memory = std::int64_t{250} << 20;
    model.setRows({layout}, {}, std::int64_t{1} << 40);
    QCOMPARE(model.headerData(SearchModel::Memory, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("MiB"));
    QCOMPARE(model.index(0, SearchModel::Memory).data().toString(), QStringLiteral("250.0"));
    layout.memory = std::int64_t{90} << 30;
    model.setRows({layout}, {}, std::int64_t{1} << 40);
    QCOMPARE(model.headerData(SearchModel::Memory, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("GiB"));
    // Where states go to is read first: a narrow window cuts the end.
    ScoredLayout files, all;
    files.offloadOptimizer = OffloadDevice::Nvme;
    all.offloadOptimizer = all.offloadParam = OffloadDevice::Cpu;
    model.setRows({ScoredLayout(), files, all}, {}, 1000);
    QCOMPARE(model.index(0, SearchModel::Offload).data().toString(), QStringLiteral("–"));
    QVERIFY(model.index(1, SearchModel::Offload).data().toString().startsWith(QStringLiteral("NVMe")));
    QVERIFY(model.index(2, SearchModel::Offload).data().toString().startsWith(QStringLiteral("CPU")));
}

QTEST_MAIN(TstPlanSearch)
#include "tst_plan_search.moc"
