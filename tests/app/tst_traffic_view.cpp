// SPDX-License-Identifier: GPL-3.0-or-later
// What `stagecraft plan` prints of traffic, claims and features, in the window: the same figures, in both languages.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/claims_dialog.h"
#include "app/fact_table.h"
#include "app/features_dialog.h"
#include "app/formats.h"
#include "app/phrase_words.h"
#include "app/plan_tree.h"
#include "app/traffic_view.h"
#include "app/traffic_words.h"
#include "planner/framework_features.h"
#include "widgets/inspector.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

#include <algorithm>
#include <set>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

bool hasHan(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.unicode() >= 0x4E00 && c.unicode() <= 0x9FFF; });
}

QStringList columnOf(const FactTable& table, int column)
{
    QStringList cells;
    for (const FactRow& row : table.facts().rows())
        cells << row.cells.value(column);
    return cells;
}

}  // namespace

class TstTrafficView : public PlanPageTest {
    Q_OBJECT
private slots:
    void showsWhatThePlanMoves();
    void followsThePlan();
    void exchangeOverAChosenLink();
    void emptyStatesSayWhy();
    void everyWordIsInBothLanguages_data();
    void everyWordIsInBothLanguages();
    void everyTransferHasAName();
    void forecastsAreToldInChinese();
    void claimsAreJudgedAndOpen();
    void featuresAreShown();
    void choiceIsExported();
    void frozenWeightsAreModelStates();
};

void TstTrafficView::showsWhatThePlanMoves()
{
    openText(workspaceOf("llama-3-8b", 2, 8, "deepspeed"));
    TrafficView& view = page().traffic();
    const QAbstractItemModelTester tester(&view.items()->facts());
    QVERIFY(view.items()->facts().rows().empty());   // nothing is counted before it is asked for
    page().showTraffic();
    QTRY_VERIFY(!view.items()->facts().rows().empty());
    const TrafficFacts facts = trafficFacts(plan());
    QCOMPARE(view.items()->facts().rowCount(), static_cast<int>(facts.traffic->items.size()));
    QCOMPARE(columnOf(*view.items(), 5).front(), decimalBytes(facts.traffic->items.front().bytes));
    QCOMPARE(view.links()->facts().rowCount(), static_cast<int>(facts.traffic->links.size()));
    QCOMPARE(columnOf(*view.copies(), 1).front(), decimalBytes(facts.redundancy->plan.perRank));
    QCOMPARE(view.exchange()->facts().rowCount(), static_cast<int>(linkSheets().size()));
    QVERIFY(m_window->document().saveAs(m_scratch->filePath(QStringLiteral("w.json")).toStdString()).hasValue());
    QVERIFY(page().command().startsWith(QStringLiteral("stagecraft plan ")));
    // A row explains itself in the inspector.
    view.items()->selectRow(0);
    const QString told = m_window->inspector().plainText();
    const TrafficItem& item = facts.traffic->items.front();
    for (const QString& part : {trafficName(item.what), decimalBytes(item.bytes), QString::fromStdString(item.numbers), QString::fromStdString(item.why), decimalBytes(item.nodeBytes)})
        QVERIFY2(told.contains(part), qPrintable(part + QLatin1Char('\n') + told));
}

void TstTrafficView::followsThePlan()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    page().showTraffic();
    FactTable* items = page().traffic().items();
    QTRY_VERIFY(!items->facts().rows().empty());
    page().setStage(3);
    waitForPlan();
    QTRY_VERIFY(columnOf(*items, 0).contains(trafficName("weights.gather_again")));
    // While another view is shown nothing is counted; coming back counts what the plan is then.
    page().showSearch(false);
    page().setStage(1);
    waitForPlan();
    page().showTraffic();
    QTRY_VERIFY(columnOf(*items, 0).contains(trafficName("weights.update")));
}

void TstTrafficView::exchangeOverAChosenLink()
{
    openFile(fileWith(QStringLiteral("w.json"), workspaceOf("llama-3-8b", 1, 8, "deepspeed")));
    page().showTraffic();
    TrafficView& view = page().traffic();
    QTRY_VERIFY(!view.exchange()->facts().rows().empty());
    auto* choice = view.findChild<QComboBox*>(QStringLiteral("exchangeLink"));
    choice->setEditText(QStringLiteral("8x400Gbps"));
    QTest::keyClick(choice->lineEdit(), Qt::Key_Return);
    QCOMPARE(view.exchange()->facts().rowCount(), 1);
    const GradientExchange exchange = *trafficFacts(plan()).exchange;
    QCOMPARE(columnOf(*view.exchange(), 3).front(), seconds(exchange.over(*findLink("8x400Gbps")).ring).text());
    QVERIFY2(page().command().contains(QStringLiteral("--link 8x400Gbps --json")), qPrintable(page().command()));
    // What is no link says so, and is no option.
    view.setLink(QStringLiteral("a wet string"));
    QCOMPARE(view.exchange()->facts().rowCount(), 0);
    QVERIFY(!page().command().contains(QStringLiteral("--link")));
    const auto labels = view.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().contains(QStringLiteral("a wet string")); }));
    view.setLink({});
    QCOMPARE(view.exchange()->facts().rowCount(), static_cast<int>(linkSheets().size()));
}

void TstTrafficView::emptyStatesSayWhy()
{
    QByteArray alone = workspaceOf("gpt2", 1, 1, "deepspeed");
    openText(alone.replace("4096", "1024"));
    page().showTraffic();
    const auto says = [this](const QString& words) {
        const auto labels = page().traffic().findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->isVisible() && label->text().contains(words); });
    };
    QTRY_VERIFY(says(QStringLiteral("One rank")));
    openText("{\"stagecraft\": 1, \"layout\": {\"dp\": \"many\"}}");
    QTRY_VERIFY(says(QStringLiteral("No plan")));
    QVERIFY(page().traffic().items()->facts().rows().empty());
}

void TstTrafficView::everyWordIsInBothLanguages_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("stage 2") << workspaceOf("llama-3-8b", 2, 8, "deepspeed");
    QTest::newRow("experts, Megatron") << workspaceOf("mixtral-8x7b", 2, 8, "megatron", R"({"bf16": true, "tensor-model-parallel-size": 2, "sequence-parallel": true, "expert-model-parallel-size": 4, "pipeline-model-parallel-size": 2, "global-batch-size": 64, "micro-batch-size": 1})");
    QByteArray plus = workspaceOf("llama-3-8b", 2, 8, "deepspeed");
    plus.replace(R"("stage": 2)", R"("stage": 3, "zero_hpz_partition_size": 8, "zero_quantized_gradients": true, "offload_optimizer": {"device": "nvme"}, "offload_param": {"device": "cpu"})");
    QTest::newRow("ZeRO++ and offload") << plus;
    QTest::newRow("FSDP2 in groups") << workspaceOf("llama-3-8b", 2, 8, "fsdp2", R"({"replicate": 2})");
}

void TstTrafficView::everyWordIsInBothLanguages()
{
    QFETCH(QByteArray, text);
    openText(text);
    page().showTraffic();
    FactTable* items = page().traffic().items();
    QTRY_VERIFY(!items->facts().rows().empty());
    m_window->setLanguage(Language::SimplifiedChinese);
    waitForPlan();
    QTRY_VERIFY(hasHan(columnOf(*items, 0).value(0)));
    for (const FactRow& row : items->facts().rows()) {
        QVERIFY2(hasHan(row.cells.front()), qPrintable(row.cells.front()));
        QVERIFY2(hasHan(row.tip.section(QLatin1Char('\n'), 0, 0)), qPrintable(row.tip));
    }
    m_window->setLanguage(Language::English);
}

// Whatever an item is called in the core has words of its own here.
void TstTrafficView::everyTransferHasAName()
{
    for (const char* what : {"gradients", "gradients.in_node", "gradients.between_nodes", "gradients.replicas", "gradients.experts", "weights.gather_experts", "weights.update_experts", "weights.gather", "weights.gather_again", "weights.gather_near", "weights.kept", "weights.update", "tensor.forward", "tensor.backward",
                             "tensor.recompute", "experts.forward", "experts.backward", "experts.recompute", "context", "pipeline", "pipeline.slices", "offload.gradients", "offload.sums", "offload.update", "offload.weights",
                             "offload.checkpoints", "offload.activations", "files.states", "files.gradients", "files.weights", "files.update", "tensor.checkpoints", "logits", "offload.master_gradients"})
        QVERIFY2(trafficName(what) != QLatin1String(what), what);
    QCOMPARE(decimalBytes(0), QStringLiteral("0 B"));
    QCOMPARE(decimalBytes(999), QStringLiteral("999 B"));
    QCOMPARE(decimalBytes(999.6e6), QStringLiteral("1.00 GB"));
    QCOMPARE(decimalBytes(14e9), QStringLiteral("14.0 GB"));
    QCOMPARE(decimalBytes(3.2e18), QStringLiteral("3,200 PB"));
}

void TstTrafficView::forecastsAreToldInChinese()
{
    m_window->setLanguage(Language::SimplifiedChinese);
    std::set<std::string> untold;
    for (const QByteArray& text : {workspaceOf("mixtral-8x7b", 2, 8, "megatron", R"({"bf16": true, "tensor-model-parallel-size": 2, "sequence-parallel": true, "expert-model-parallel-size": 4, "pipeline-model-parallel-size": 2, "global-batch-size": 64, "micro-batch-size": 1})"),
                                   QByteArray(workspaceOf("llama-3-8b", 2, 8, "deepspeed")).replace(R"("stage": 2)", R"("stage": 3, "offload_optimizer": {"device": "cpu"})"), workspaceOf("llama-3-8b", 2, 8, "fsdp2"),
                                   workspaceOf("llama-3-8b", 2, 8, "fsdp2", R"({"cpu_offload": true, "local_batch": 1, "global_batch": 64})"),
                                   QByteArray(workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"seq": 262144})")).replace("H100-SXM-80GB", "A100-SXM-80GB")}) {
        const PlanSet made = planText(text.toStdString(), m_scratch->path().toStdString(), PlanDepth::One);
        QVERIFY(made.plan && made.plan->forecast);
        for (const ForecastFigure& figure : made.plan->forecast->figures) {
            for (const Phrase& phrase : {figure.formulaPhrase, figure.sourcePhrase}) {
                // Symbols alone, and citations, are the same in every language.
                const bool words = std::count(phrase.pattern.begin(), phrase.pattern.end(), ' ') > 2 && phrase.pattern.find("2021") == std::string::npos && phrase.pattern != "{} · Φ_updated / memory";
                if (words && !hasHan(phraseText(phrase)))
                    untold.insert(phrase.pattern);
            }
            QVERIFY(!phraseText(figure.numbersPhrase).contains(QStringLiteral("{}")) && !phraseText(figure.sourcePhrase).contains(QStringLiteral("{}")));
        }
    }
    QVERIFY2(untold.empty(), untold.empty() ? "" : untold.begin()->c_str());
    m_window->setLanguage(Language::English);
}

void TstTrafficView::claimsAreJudgedAndOpen()
{
    m_window->actions().claims->trigger();
    auto* dialog = m_window->findChild<ClaimsDialog*>();
    QVERIFY(dialog);
    QTRY_VERIFY(dialog->isJudged());
    auto* list = dialog->findChild<QListWidget*>(QStringLiteral("claimsList"));
    QCOMPARE(list->count(), static_cast<int>(scenarios().size()));
    const Scenario& first = scenarios().front();
    const auto verdict = judgeScenario(first);
    dialog->choose(QString::fromStdString(first.id));
    QString told = dialog->plainText();
    QVERIFY2(told.contains(claimText(first, *verdict, verdict->checks.front())) && told.contains(QString::fromStdString(first.source.en)), qPrintable(told));
    m_window->setLanguage(Language::SimplifiedChinese);
    dialog->choose(QString::fromStdString(first.id));
    for (const Scenario& scenario : scenarios()) {
        const auto judged = judgeScenario(scenario);
        for (const ScenarioCheck& check : judged->checks)
            QVERIFY2(hasHan(claimText(scenario, *judged, check)), check.message.c_str());
    }
    QVERIFY(hasHan(dialog->plainText()));
    m_window->setLanguage(Language::English);
    // The filter keeps what has its words, and one of them opens as an unsaved workspace.
    dialog->findChild<QLineEdit*>()->setText(QString::fromStdString(first.id));
    QVERIFY(list->count() >= 1 && list->count() < static_cast<int>(scenarios().size()));
    dialog->choose(QString::fromStdString(first.id));
    dialog->findChild<QPushButton*>(QStringLiteral("openClaim"))->click();
    waitForPlan();
    QVERIFY(m_window->document().isOpen() && m_window->document().path().empty());
    QVERIFY(nlohmann::json::parse(m_window->document().text()) == first.workspace);
}

void TstTrafficView::featuresAreShown()
{
    m_window->actions().features->trigger();
    auto* dialog = m_window->findChild<FeaturesDialog*>();
    QVERIFY(dialog);
    QCOMPARE(dialog->table()->topLevelItemCount(), static_cast<int>(frameworkFeatures().rows.size()));
    const FeatureRow& row = frameworkFeatures().rows.front();
    QCOMPARE(dialog->table()->topLevelItem(0)->text(1), QString::fromStdString(row.deepspeed.en));
    const auto labels = dialog->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text().contains(QString::fromStdString(row.fsdp2.source)); }));
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_COMPARE(dialog->table()->topLevelItem(0)->text(0), QString::fromStdString(row.zh));
    m_window->setLanguage(Language::English);
    dialog->close();
}

void TstTrafficView::choiceIsExported()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"local_batch": 2})"));
    m_window->actions().features->trigger();
    auto* dialog = m_window->findChild<FeaturesDialog*>();
    for (const char* framework : {"deepspeed", "fsdp2"}) {
        emit dialog->exportRequested(QString::fromLatin1(framework));
        QTRY_VERIFY(m_window->findChild<QFileDialog*>(QStringLiteral("exportDialog")));
        delete m_window->findChild<QFileDialog*>(QStringLiteral("exportDialog"));
    }
    dialog->close();
}

// What the tree adds up, the ledger lists and the fit is judged by are the same bytes.
void TstTrafficView::frozenWeightsAreModelStates()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace(R"("seq": 4096)", R"("seq": 4096, "adapter": {"rank": 16})");
    const PlanSet made = planText(text.toStdString(), m_scratch->path().toStdString(), PlanDepth::One);
    const LedgerRole* role = made.plan ? fullestRole(*made.plan) : nullptr;
    QVERIFY(role);
    std::int64_t frozen = 0, trained = 0;
    for (const LedgerItem& item : role->items) {
        frozen += item.what == "frozen_weights" ? item.bytes : 0;
        trained += item.what == "weights" || item.what == "gradients" || item.what == "master" || item.what == "optimizer_states" ? item.bytes : 0;
    }
    QVERIFY(frozen > 10 * trained);
    QCOMPARE(modelStateBytes(*role), frozen + trained);
}

QTEST_MAIN(TstTrafficView)
#include "tst_traffic_view.moc"
