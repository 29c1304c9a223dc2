// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan page through its own widgets: the tree, the selector, the sliders and the inspector.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/formats.h"
#include "app/ledger_model.h"
#include "app/ledger_panel.h"
#include "app/number_row.h"
#include "app/plan_explain.h"
#include "app/plan_search.h"
#include "app/plan_strip.h"
#include "app/session/recovery_journal.h"
#include "base/units.h"
#include "planner/crossover.h"
#include "planner/deepspeed_estimate_text.h"
#include "planner/family_verdict.h"
#include "visualizers/memory_bars_view.h"
#include "visualizers/stage_tree_view.h"
#include "widgets/inspector.h"
#include "widgets/panel.h"
#include "widgets/tone_label.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

class TstPlanPage : public PlanPageTest {
    Q_OBJECT
private slots:
    void treeShowsEveryAnswerWithItsNumber();
    void branchIsAppliedAndUndone();
    void tensorParallelIsAnsweredWithBothCosts();
    void crossoverTokensAreTold();
    void theComparisonIsJudgedAsTheCommandLineJudgesIt();
    void filesAreGivenAFolderAndSaySoBefore();
    void everyRowOfTheLedgerExplainsItself();
    void behaviourIsOneStepEach();
    void whatSpeaksAgainstTheConfigIsAFinding();
    void estimatorHasThePrintedDigits_data();
    void estimatorHasThePrintedDigits();
    void figuresExplainThemselves();
    void slidersTurnBucketsAndOffload();
    void impossibleWorkspacesSayWhy_data();
    void impossibleWorkspacesSayWhy();
    void sizesBeyondThePlannerAreSaidWhereTheyAreSeen();
    void whatCannotBePlannedShowsNothingOfTheLastPlan_data();
    void whatCannotBePlannedShowsNothingOfTheLastPlan();
};

void TstPlanPage::treeShowsEveryAnswerWithItsNumber()
{
    openText(workspaceOf("llama-3-8b", 1, 4, "deepspeed"));
    const auto* tree = m_window->findChild<StageTreeView*>();
    QCOMPARE(tree->steps().size(), std::size_t{10});
    int rejected = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        const TreeStep& step = tree->steps()[i];
        const PlanVariant& variant = plan().variants[i];
        QVERIFY(variant.plan && variant.plan->fit);
        const std::int64_t peak = fullestRole(*variant.plan)->peak.process;
        QVERIFY2(step.numbers.contains(QStringLiteral("of")), qPrintable(step.numbers));
        // By how much one that may fit all the same is over stands in its numbers.
        const bool over = peak > variant.plan->fit->usable && (variant.chosen || variant.plan->fit->verdict == Fit::Verdict::No);
        QCOMPARE(step.detail.contains(QStringLiteral("short by")), over);
        QVERIFY2(QFontMetrics(theme::font(theme::Role::Small)).horizontalAdvance(step.detail) < 152, qPrintable(step.detail));
        if (variant.plan->fit->verdict == Fit::Verdict::No && !variant.chosen) {
            QVERIFY(step.mark == TreeStep::Mark::Rejected);
            ++rejected;
        }
    }
    QVERIFY(rejected > 0);
    QVERIFY(tree->steps()[2].mark == TreeStep::Mark::Chosen);
    const QString told = m_window->inspector().plainText();
    QVERIFY2(told.contains(QStringLiteral("Rule of thumb: 3 to 13 B parameters, stage 2.")), qPrintable(told));
    // Offload costs device memory and time as its own plan says; the bars have the same rows.
    QCOMPARE(page().findChild<MemoryBarsView*>()->data().rows.size(), std::size_t{9});
    QVERIFY(fullestRole(*plan().variants[4].plan)->peak.process < fullestRole(*plan().variants[2].plan)->peak.process);
    QVERIFY(plan().variants[4].plan->forecast->stepTime > plan().variants[2].plan->forecast->stepTime);
}

void TstPlanPage::branchIsAppliedAndUndone()
{
    openText(workspaceOf("llama-3-8b", 1, 4, "deepspeed"));
    auto* tree = m_window->findChild<StageTreeView*>();
    const std::string before = m_window->document().text();
    // The sixth box, by the keyboard: stage 3 with the optimizer on the host.
    tree->setFocus();
    for (int i = 0; i < 6; ++i)
        QTest::keyClick(tree, Qt::Key_Down);
    for (const char* words : {"Model states alone", "Model states of a rank, by both conventions", "it is sold with"})
        QVERIFY2(m_window->inspector().plainText().contains(QLatin1String(words)), qPrintable(m_window->inspector().plainText()));
    QTest::keyClick(tree, Qt::Key_Return);
    waitForPlan();
    QCOMPARE(plan().settings->stage, 3);
    QVERIFY(plan().settings->offloadOptimizer == OffloadDevice::Cpu);
    QCOMPARE(plan().settings->reduceBucket, std::int64_t{200'000'000});
    QCOMPARE(m_window->document().undoStack().count(), 1);
    QVERIFY(plan().variants[5].chosen);
    // Back to plain stage 1: the offload section goes.
    page().chooseBranch(1);
    waitForPlan();
    QCOMPARE(plan().settings->stage, 1);
    QVERIFY(plan().settings->offloadOptimizer == OffloadDevice::None);
    m_window->actions().undo->trigger();
    m_window->actions().undo->trigger();
    waitForPlan();
    QCOMPARE(m_window->document().text(), before);
}

void TstPlanPage::tensorParallelIsAnsweredWithBothCosts()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    const auto* tree = m_window->findChild<StageTreeView*>();
    const TreeStep& step = tree->steps().back();
    QVERIFY(plan().advice && plan().advice->zero3 && plan().advice->tensorZero1);
    const ScoredLayout tensor = *plan().advice->tensorZero1;
    QVERIFY2(step.numbers.contains(QStringLiteral("stage 3")) && step.numbers.contains(QStringLiteral("tp %1").arg(tensor.tp)), qPrintable(step.numbers));
    page().chooseBranch(static_cast<int>(tree->steps().size()) - 1);
    waitForPlan();
    QCOMPARE(std::int64_t{plan().workspace->layout.tp}, tensor.tp);
    QCOMPARE(plan().settings->stage, 1);
    QCOMPARE(peakOf(plan()), tensor.memory);
    QVERIFY(m_window->findChild<StageTreeView*>()->steps().back().mark == TreeStep::Mark::Chosen);
}

void TstPlanPage::crossoverTokensAreTold()
{
    const PlanSet set = planText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), {});
    const DecisionTree tree = decisionTree(set);
    const InspectorSection sent = explainStep(set, tree, tree.steps.size() - 1).sections.back();
    const auto crossovers = crossoversOf(*set.advice, *set.workspace);
    // tp 2, 4 and 8 stay in the node.
    QCOMPARE(crossovers.size(), std::size_t{3});
    QCOMPARE(sent.pairs.size(), std::size_t{8});
    QVERIFY2(sent.pairs[2].second.contains(count(std::llround(crossovers.front().tokens))), qPrintable(sent.pairs[2].second));
    QVERIFY(crossovers[0].tokens > crossovers[1].tokens && crossovers[1].tokens > crossovers[2].tokens && crossovers[2].tokens > 0);
}

void TstPlanPage::theComparisonIsJudgedAsTheCommandLineJudgesIt()
{
    PlanSet set = planText(workspaceOf("mixtral-8x7b", 4, 8, "deepspeed").replace("\"dp\": 32", "\"dp\": 32, \"ep\": 8")
                               .replace("\"zero_optimization\"", "\"tensor_parallel\": {\"partition_config\": {\"use_default_specs\": false}}, \"zero_optimization\"").toStdString(), {});   // with words of its own DeepSpeed divides Mixtral's layers
    QVERIFY(set.advice && set.advice->zero3 && set.advice->tensorZero1);
    // Stage 3 here is the branch "Stage 3" of the same tree: the experts stay where they are.
    QCOMPARE(set.advice->zero3->ep, std::int64_t{8});
    QCOMPARE(set.advice->zero3->stepTime, set.variants[3].plan->forecast->stepTime);
    QCOMPARE(set.advice->zero3->memory, peakBytes(*set.variants[3].plan));
    QVERIFY2(decisionTree(set).steps.back().title.contains(QStringLiteral("ep %1").arg(set.advice->tensorZero1->ep)), qPrintable(decisionTree(set).steps.back().title));
    // Which of them surely fits comes before which is faster.
    ScoredLayout& shards = *set.advice->zero3;
    ScoredLayout& tensor = *set.advice->tensorZero1;
    shards.stepTime = 2;
    tensor.stepTime = 2.25;
    const auto answer = [&](bool shardsFit, bool shardsMay, bool tensorFits, bool tensorMay) {
        shards.fits = shardsFit;
        shards.mayFit = shardsMay;
        tensor.fits = tensorFits;
        tensor.mayFit = tensorMay;
        const QString told = decisionTree(set).steps.back().answer;
        if (told.startsWith(QStringLiteral("Yes")) != judgeFamilies(shards, tensor).tensorWins)
            qWarning() << "another judge:" << told;
        return told;
    };
    QCOMPARE(answer(false, true, true, true), QStringLiteral("Yes: only this surely fits"));
    QCOMPARE(answer(true, true, false, true), QStringLiteral("No: only stage 3 surely fits"));
    QCOMPARE(answer(false, false, true, true), QStringLiteral("Yes: only this fits"));
    QCOMPARE(answer(true, true, false, false), QStringLiteral("No: only stage 3 fits"));
    QCOMPARE(answer(false, false, false, true), QStringLiteral("Yes: only this may fit"));
    QCOMPARE(answer(true, true, true, true), QStringLiteral("No: stage 3 is %1 faster").arg(percent(0.125)));
    tensor.stepTime = 1;
    QCOMPARE(answer(true, true, true, true), QStringLiteral("Yes: %1 faster").arg(percent(1)));
}

void TstPlanPage::filesAreGivenAFolderAndSaySoBefore()
{
    openText(workspaceOf("llama-3-8b", 1, 4, "deepspeed"));
    const std::size_t files = 8;
    QVERIFY(plan().variants[files].id == PlanVariant::Id::Stage3Nvme);
    auto* tree = m_window->findChild<StageTreeView*>();
    QVERIFY2(tree->steps()[files].answer.contains(QStringLiteral("/local_nvme")), qPrintable(tree->steps()[files].answer));
    tree->setFocus();
    for (std::size_t i = 0; i <= files; ++i)
        QTest::keyClick(tree, Qt::Key_Down);
    QVERIFY2(m_window->inspector().plainText().contains(QStringLiteral("nvme_path = /local_nvme")), qPrintable(m_window->inspector().plainText()));
    page().chooseBranch(static_cast<int>(files));
    waitForPlan();
    QVERIFY(plan().variants[files].chosen);
    for (const char* key : {"offload_optimizer", "offload_param"})
        QVERIFY(m_window->document().configText().find("\"nvme_path\": \"/local_nvme\"", m_window->document().configText().find(key)) != std::string::npos);
    QVERIFY(!tree->steps()[files].answer.contains(QStringLiteral("/local_nvme")));
    // One that is named already stays, for both.
    openText(workspaceOf("llama-3-8b", 1, 4, "deepspeed").replace("\"stage\": 2", "\"stage\": 3, \"offload_optimizer\": {\"device\": \"nvme\", \"nvme_path\": \"/fast\"}"));
    page().chooseBranch(static_cast<int>(files));
    waitForPlan();
    QCOMPARE(m_window->document().configText().find("/local_nvme"), std::string::npos);
    QVERIFY(m_window->document().configText().find("/fast", m_window->document().configText().find("offload_param")) != std::string::npos);
}

void TstPlanPage::everyRowOfTheLedgerExplainsItself()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").replace("\"stage\": 2", "\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}"));
    QTableView* table = page().findChild<LedgerPanel*>()->table();
    const QAbstractItemModel& model = *table->model();
    const auto cell = [&](int row, LedgerModel::Column column) { return model.index(row, column).data().toString(); };
    int sums = 0, away = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        table->selectRow(row);
        const QString name = cell(row, LedgerModel::Item);
        const bool host = name.endsWith(QStringLiteral("not on the device"));
        const QString told = m_window->inspector().plainText();
        QVERIFY2(told.contains(host ? name.section(QLatin1Char(','), 0, 0) : name), qPrintable(name + QLatin1Char('\n') + told));
        QVERIFY2(told.contains(count(model.index(row, 0).data(LedgerModel::BytesRole).toLongLong())), qPrintable(name + QLatin1Char('\n') + told));
        QVERIFY2(!model.index(row, 0).data(Qt::ToolTipRole).toString().isEmpty(), qPrintable(name));
        const bool sum = model.index(row, 0).data(LedgerModel::SumRole).toBool();
        QVERIFY2(sum || told.contains(QStringLiteral("Source")), qPrintable(name + QLatin1Char('\n') + told));
        sums += sum;
        away += host;
        // The whole that the shares are of is the device's.
        QCOMPARE(cell(row, LedgerModel::Share).isEmpty(), host);
    }
    QVERIFY(sums == 2 && away > 0);
}

void TstPlanPage::whatSpeaksAgainstTheConfigIsAFinding()
{
    const std::string text = R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 2048, "layers": 16, "heads": 32, "kvHeads": 8, "ffn": 8192, "vocab": 32000, "seq": 2048},
        "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "H100-SXM-80GB"}, "layout": {"dp": 8, "recompute": "full"}, "framework": {"name": "deepspeed"},
        "dsConfig": {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}})";
    const auto told = [&](const std::string& workspace) {
        const PlanSet set = planText(workspace, {}, PlanDepth::One);
        return std::any_of(set.configAdvice.begin(), set.configAdvice.end(), [](const CheckFinding& finding) {
            return finding.rule == "plan.offload_needless" && finding.pointer == "/zero_optimization/offload_optimizer" && finding.severity == CheckSeverity::Info && !finding.message.empty();
        });
    };
    QVERIFY(told(text));
    QVERIFY(!told(withValue(text, "/dsConfig/zero_optimization/offload_optimizer/device", "\"none\"")));
}

void TstPlanPage::behaviourIsOneStepEach()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    auto* box = m_window->findChild<QComboBox*>(QStringLiteral("behaviour"));
    QVERIFY(box && box->isVisible());
    QCOMPARE(box->currentText(), QStringLiteral("DeepSpeed 0.19"));
    const std::int64_t deepspeed = peakOf(plan());
    int steps = 0;
    for (const char* framework : {"fsdp2", "megatron", "stagecraft", "deepspeed"}) {
        box->setCurrentIndex(box->findData(QString::fromLatin1(framework)));
        emit box->activated(box->currentIndex());
        waitForPlan();
        QVERIFY2(plan().workspace.has_value(), plan().problem ? plan().problem->message.c_str() : "");
        QCOMPARE(QString::fromStdString(plan().workspace->framework.name), QString::fromLatin1(framework));
        QCOMPARE(m_window->document().undoStack().count(), ++steps);
        QVERIFY2(peakOf(plan()) > 0, framework);
        if (std::string(framework) == "megatron") {
            // The job stays the same: its precision, its samples, no dropout that nobody asked for.
            QVERIFY(plan().plan->forecast->tokensPerSecond > 0);
            QCOMPARE(plan().now->microBatch * plan().now->accumulation * plan().now->dp, std::int64_t{32});
            QCOMPARE(plan().now->stage, 1);
        }
    }
    QCOMPARE(peakOf(plan()), deepspeed);
}

void TstPlanPage::estimatorHasThePrintedDigits_data()
{
    QTest::addColumn<int>("stage");
    QTest::addColumn<bool>("offload");
    for (const int stage : {1, 2, 3})
        for (const bool offload : {false, true})
            QTest::newRow(qPrintable(QStringLiteral("stage %1%2").arg(stage).arg(offload ? QStringLiteral(" offloaded") : QString()))) << stage << offload;
}

void TstPlanPage::estimatorHasThePrintedDigits()
{
    QFETCH(int, stage);
    QFETCH(bool, offload);
    QByteArray text = workspaceOf("llama-3-8b", 2, 8, "deepspeed");
    text.replace("\"stage\": 2", QByteArray("\"stage\": ") + QByteArray::number(stage) + (offload ? ", \"offload_optimizer\": {\"device\": \"cpu\"}" : ""));
    const PlanSet set = planText(text.toStdString(), m_scratch->path().toStdString(), PlanDepth::One);
    const auto section = explainEstimator(set);
    QVERIFY(section.has_value());
    EstimatorInput input;
    input.params = 8'030'261'248;
    input.largestLayer = 128256.0 * 4096;
    input.gpusPerNode = 8;
    input.nodes = 2;
    input.offloadOptimizer = offload;
    const auto answer = stage == 3 ? estimateDeepSpeedZero3(input) : estimateDeepSpeedZero2(input);
    QVERIFY(answer.hasValue());
    const QString line = QString::fromStdString(estimatorLine(stage == 3 ? 3 : 2, input, *answer)), digits = section->heading.section(QLatin1Char(' '), -2, -2);
    QVERIFY2(line.contains(digits + QStringLiteral("GB | offload")), qPrintable(section->heading + QStringLiteral(" is not in ") + line));
    QCOMPARE(section->reasons.size(), estimatorReasons(stage == 3 ? 3 : 2, input).size());
    QVERIFY(section->text.contains(QStringLiteral("nothing else")));
}

void TstPlanPage::figuresExplainThemselves()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    const struct {
        const char* figure;
        std::vector<const char*> says;
    } figures[] = {{"memory", {"Allocated", "Reserved", "Process", "90 % interval", "Phase", "Stays within"}},
                   {"time", {"Compute", "90 % interval"}},
                   {"throughput", {"tokens of a step / step time", "90 % interval"}},
                   {"mfu", {"model FLOPs", "90 % interval"}}};
    for (const auto& figure : figures) {
        page().explain(QString::fromLatin1(figure.figure));
        const QString told = m_window->inspector().plainText();
        for (const char* word : figure.says)
            QVERIFY2(told.contains(QString::fromUtf8(word)), qPrintable(QString::fromLatin1(figure.figure) + QLatin1Char('\n') + told));
    }
    // Every piece of every bar has an explanation, what is no item of the ledger included.
    auto* bars = page().findChild<MemoryBarsView*>();
    for (int row = 0; row < static_cast<int>(bars->data().rows.size()); ++row)
        for (int segment = 0; segment < static_cast<int>(bars->data().rows[static_cast<std::size_t>(row)].segments.size()); ++segment) {
            QSignalSpy inspected(&page(), &PlanPage::inspected);
            emit bars->segmentActivated(row, segment);
            QCOMPARE(inspected.size(), 1);
        }
    // What is no tensor is told by its parts, each with its inputs and source, and the whole with its interval.
    const LedgerRole& role = *fullestRole(*plan().plan);
    for (const auto& [id, total] : {std::pair{"rounding", role.peak.reserved - role.peak.allocated}, {"process", role.peak.process - role.peak.reserved}}) {
        const InspectorContent told = explainOverhead(role, role.peak, QString::fromLatin1(id), {}, true);
        QVERIFY(total > 0 && told.sections.size() > 1);
        for (std::size_t i = 1; i < told.sections.size(); ++i)
            QVERIFY2(told.sections[i].formula.size() == 3 && told.sections[i].text.contains(QStringLiteral("Source: ")), qPrintable(told.sections[i].heading));
    }
    QCOMPARE(explainOverhead(role, role.peak, QStringLiteral("total"), {}, true).sections.front().pairs.size(), std::size_t{1});
}

void TstPlanPage::slidersTurnBucketsAndOffload()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    // The peak may lie in a phase without buckets: the item itself tells.
    const auto bucketBytes = [this] {
        std::int64_t sum = 0;
        for (const LedgerItem& item : fullestRole(*plan().plan)->items)
            sum += item.what == "buckets" ? item.bytes : 0;
        return sum;
    };
    const std::int64_t before = bucketBytes();
    QVERIFY(before > 0);
    page().turnKnob(Knob::ReduceBucket, 1'000'000'000, true);
    waitForPlan();
    QCOMPARE(plan().settings->reduceBucket, std::int64_t{1'000'000'000});
    QVERIFY(bucketBytes() > before);
    page().turnKnob(Knob::Stage, 3, true);
    waitForPlan();
    const std::int64_t whole = peakOf(plan());
    page().turnKnob(Knob::Offload, 40, true);
    waitForPlan();
    const std::int64_t part = peakOf(plan());
    QVERIFY(part < whole);
    QCOMPARE(knobValue(plan(), Knob::Offload).value_or(-1), std::int64_t{40});
    page().turnKnob(Knob::Offload, 100, true);
    waitForPlan();
    QVERIFY(peakOf(plan()) < part);
    page().turnKnob(Knob::Offload, 0, true);
    waitForPlan();
    QCOMPARE(peakOf(plan()), whole);
    // Megatron has no ds_config: its sliders for buckets and stages are not there.
    page().setBehaviour(QStringLiteral("megatron"));
    waitForPlan();
    QVERIFY(!knobValue(plan(), Knob::ReduceBucket) && !knobValue(plan(), Knob::Stage));
    page().turnKnob(Knob::MicroBatch, 2, true);
    waitForPlan();
    QCOMPARE(plan().now->microBatch, std::int64_t{2});
}

void TstPlanPage::impossibleWorkspacesSayWhy_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("an unknown device") << QByteArray("H100-SXM-80GB") << QByteArray("H100-of-tomorrow");
    QTest::newRow("heads that do not divide") << QByteArray("\"dp\": 8") << QByteArray("\"dp\": 1, \"tp\": 7");
    QTest::newRow("no ranks") << QByteArray("\"dp\": 8") << QByteArray("\"dp\": 0");
    QTest::newRow("a model beyond all numbers") << QByteArray("{\"preset\": \"llama-3-8b\", \"seq\": 4096}") << QByteArray("{\"params\": 1e18}");
    QTest::newRow("a model of which only the size is known") << QByteArray("{\"preset\": \"llama-3-8b\", \"seq\": 4096}") << QByteArray("{\"params\": 7e9}");
    QTest::newRow("broken text") << QByteArray("\"layout\": {") << QByteArray("\"layout\": [");
}

void TstPlanPage::impossibleWorkspacesSayWhy()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    QVERIFY(text.contains(from));
    openText(text.replace(from, to));
    page().showSearch(true);
    QTRY_VERIFY(!page().search().service().isRunning());
    (void)m_window->grab();
    page().showSearch(false);
    (void)m_window->grab();
    for (int step = 0; step < 9; ++step)
        page().chooseBranch(step);
    waitForPlan();
    (void)m_window->grab();
    QVERIFY(!m_window->inspector().plainText().contains(QStringLiteral("nan"), Qt::CaseInsensitive));
}

void TstPlanPage::sizesBeyondThePlannerAreSaidWhereTheyAreSeen()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    openText(text.replace("{\"preset\": \"llama-3-8b\", \"seq\": 4096}", "{\"params\": 1e18}"));
    const auto found = std::find_if(plan().plan->findings.begin(), plan().plan->findings.end(), [](const PlanFinding& finding) { return finding.id == "plan.params"; });
    QVERIFY(found != plan().plan->findings.end());
    const QString why = QString::fromStdString(found->message);
    QCOMPARE(page().findChild<StageTreeView*>()->stateSentence(), why);
    QCOMPARE(page().findChild<MemoryBarsView*>()->stateSentence(), why);
    // The field takes what the planner plans, and no more.
    page().activateSubject();
    QTRY_VERIFY(m_window->findChild<NumberRow*>(QStringLiteral("parameterCount")));
    QLineEdit* field = m_window->findChild<NumberRow*>(QStringLiteral("parameterCount"))->field();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("1.1e16"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(m_window->findChild<NumberRow*>(QStringLiteral("parameterCount"))->complaint() != QString());
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("1e16"));
    QTest::keyClick(field, Qt::Key_Return);
    waitForPlan();
    QCOMPARE(plan().workspace->model.parameterCount, 1e16);
    QVERIFY(plan().plan->params);
}

void TstPlanPage::whatCannotBePlannedShowsNothingOfTheLastPlan_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("anew");   // as another document, e.g. what a dead window held; else as an edit
    const QByteArray good = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    for (const bool anew : {false, true})
        for (const auto& [name, text] : {std::pair{"no JSON", QByteArray("{\"stagecraft\": 1, ")}, std::pair{"no workspace", QByteArray("[]")}, std::pair{"no model", QByteArray(good).replace("\"model\": {", "\"x\": {")},
                                         std::pair{"no ds_config", QByteArray(good).replace("\"dsConfig\": {", "\"dsConfig\": 3, \"y\": {")}})
            QTest::addRow("%s, %s", name, anew ? "recovered" : "typed") << text << anew;
}

void TstPlanPage::whatCannotBePlannedShowsNothingOfTheLastPlan()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, anew);
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    page().showSearch(true);
    QTRY_VERIFY(!page().search().service().isRunning() && page().search().table()->model()->rowCount() > 0);
    page().showSearch(false);
    const auto subtitles = [this] {
        QStringList said;
        for (const auto* header : page().findChildren<PanelHeader*>())
            for (const auto* label : header->findChildren<ToneLabel*>())
                if (label->toolTip() == label->text() && !label->text().isEmpty())
                    said << label->text();
        return said;
    };
    const QStringList before = subtitles();
    QVERIFY2(before.size() >= 3, qPrintable(before.join(QLatin1Char('|'))));
    WorkspaceDocument& document = m_window->document();
    if (anew) {
        RecoveredSession session;
        session.title = QStringLiteral("test");
        session.text = text.toStdString();
        document.recover(session);
    } else {
        QVERIFY(document.applyEdit(WorkspaceDocument::Part::Workspace, {0, document.text().size(), text.toStdString()}, QStringLiteral("Break it")).hasValue());
    }
    QTRY_VERIFY(!m_window->plans().isBusy() && plan().problem);
    QVERIFY2(subtitles().isEmpty(), qPrintable(subtitles().join(QLatin1Char('|'))));
    for (const auto* table : page().findChildren<QTableView*>())
        QCOMPARE(table->model()->rowCount(), 0);
    QVERIFY(page().findChild<MemoryBarsView*>()->data().rows.empty());
    QVERIFY(page().findChild<StageTreeView*>()->steps().empty());
    if (anew)
        return;
    document.undoStack().undo();
    waitForPlan();
    QTRY_COMPARE(subtitles(), before);
}

QTEST_MAIN(TstPlanPage)
#include "tst_plan_page.moc"
