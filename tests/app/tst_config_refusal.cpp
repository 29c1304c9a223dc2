// SPDX-License-Identifier: GPL-3.0-or-later
// Whose word the verdict of the strip is: DeepSpeed's is that of the check of the chosen release, our engine's is told as ours,
// and frameworks that read no ds_config refuse none.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/config_refusal.h"
#include "app/file_flow.h"
#include "app/finding_rows.h"
#include "app/hardware_choice.h"
#include "app/number_row.h"
#include "app/output_panels.h"
#include "app/plan_strip.h"
#include "app/subject_flow.h"
#include "app/what_if_panel.h"
#include "widgets/config_findings.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/figure_strip.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

// DeepSpeed trains with it, our engine has none.
const QByteArray kLamb = R"("optimizer": {"type": "Lamb", "params": {"lr": 3e-4}}, "zero_allow_untested_optimizer": true, )";
const QByteArray kOptimizer = R"("optimizer": {"type": "AdamW", "params": {"lr": 3e-4}}, )";

}  // namespace

class TstConfigRefusal : public PlanPageTest {
    Q_OBJECT
private slots:
    void deepSpeedIsJudgedByTheCheck_data();
    void deepSpeedIsJudgedByTheCheck();
    void aTextBeyondOurLimitsIsNotDeepSpeeds();
    void theChosenReleaseDecides();
    void ourEngineRefusesInItsOwnName();
    void aConfigAloneIsNotToldOffForThisMachine();
    void theWordAgainstOffloadStandsAtItsKey();
    void ourEngineDoesNotContradictAFinding_data();
    void ourEngineDoesNotContradictAFinding();
    void frameworksWithoutDsConfigRefuseNone_data();
    void frameworksWithoutDsConfigRefuseNone();

private:
    [[nodiscard]] ConfigModel& config() const { return m_window->findChild<ConfigDocumentPage*>()->view().model(); }
    [[nodiscard]] QString verdict() const
    {
        const QStringList texts = m_window->findChild<FigureStrip*>()->shownTexts();
        const auto at = std::find_if(texts.begin(), texts.end(), [](const QString& text) { return text.startsWith(QLatin1String("Verdict")); });
        return at == texts.end() ? QString() : *at;
    }
    [[nodiscard]] QString note() const
    {
        QStringList notes;
        for (const ToneLabel* label : page().whatIf().findChildren<ToneLabel*>())
            if (label->text().contains(QLatin1String("DeepSpeed")) || label->text().contains(QLatin1String("ngine")))
                notes << label->text();
        return notes.join(QLatin1Char('|'));
    }
    void openConfig(const char* framework, const QByteArray& first)
    {
        QByteArray text = workspaceOf("llama-3-8b", 1, 8, framework);
        text.replace("\"bf16\": {", first + "\"bf16\": {");
        openText(text);
    }
};

void TstConfigRefusal::deepSpeedIsJudgedByTheCheck_data()
{
    QTest::addColumn<QByteArray>("keys");
    QTest::addColumn<bool>("refused");
    QTest::newRow("a plain config") << kOptimizer << false;
    QTest::newRow("a word that DeepSpeed has no type for") << kOptimizer + R"("communication_data_type": "bfloat16", )" << true;
    QTest::newRow("a number where DeepSpeed takes any truth value") << kOptimizer + R"("wall_clock_breakdown": 1, )" << false;
    QTest::newRow("an optimizer that our engine has none of") << kLamb << false;
    QTest::newRow("a batch that is no product") << kOptimizer + R"("train_batch_size": 33, )" << true;
}

void TstConfigRefusal::deepSpeedIsJudgedByTheCheck()
{
    QFETCH(QByteArray, keys);
    QFETCH(bool, refused);
    openConfig("deepspeed", keys);
    QVERIFY(plan().plan && plan().plan->fit);
    // The word of the Config page is the word of the strip.
    QTRY_COMPARE(!config().answer().ok, refused);
    if (refused) {
        QTRY_VERIFY2(verdict().contains(QLatin1String("Refused")), qPrintable(verdict()));
        QVERIFY2(verdict().contains(QLatin1String("by DeepSpeed 0.19")), qPrintable(verdict()));
        QVERIFY2(note().startsWith(QLatin1String("DeepSpeed 0.19")), qPrintable(note()));
    } else {
        const auto isOfMemory = [](const QString& words) { return words.contains(QLatin1String("Fits")) || words.contains(QLatin1String("Does not fit")) || words.contains(QLatin1String("Unsure")); };
        QTRY_VERIFY2(isOfMemory(verdict()), qPrintable(verdict()));
        QVERIFY2(!note().contains(QLatin1String("DeepSpeed 0.19")), qPrintable(note()));
    }
}

void TstConfigRefusal::aTextBeyondOurLimitsIsNotDeepSpeeds()
{
    PlanSet plan;
    plan.workspace = parseWorkspace(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), ".").value();
    const auto answer = checkConfig(std::string(std::size_t{3} << 20, ' '), {});
    QVERIFY(answer.hasValue() && !answer->ok);
    const auto refusal = refusalOf(plan, &answer.value());
    QVERIFY(refusal.has_value());
    QVERIFY2(refusal->by == QLatin1String("by Stagecraft") && refusal->why.startsWith(QLatin1String("Stagecraft: ")), qPrintable(refusal->by + refusal->why));
}

void TstConfigRefusal::theChosenReleaseDecides()
{
    // Taken by 0.19.6, refused by 0.19.8.
    openConfig("deepspeed", kOptimizer + R"("elasticity": {"enabled": false}, )");
    QTRY_VERIFY2(verdict().contains(QLatin1String("by DeepSpeed 0.19.8")), qPrintable(verdict()));
    for (QComboBox* box : m_window->findChild<ConfigDocumentPage*>()->view().findChildren<QComboBox*>())
        if (const int at = box->findText(QStringLiteral("0.19.6")); at >= 0)
            box->setCurrentIndex(at);
    QTRY_VERIFY2(config().answer().ok, config().answer().findings.empty() ? "" : config().answer().findings.front().message.c_str());
    QTRY_VERIFY2(!verdict().contains(QLatin1String("Refused")), qPrintable(verdict()));
}

void TstConfigRefusal::ourEngineRefusesInItsOwnName()
{
    openConfig("stagecraft", kLamb);
    QVERIFY(plan().engineProblem);
    QTRY_VERIFY2(verdict().contains(QLatin1String("by our engine")), qPrintable(verdict()));
    QVERIFY2(verdict().contains(QLatin1String("not by DeepSpeed")), qPrintable(verdict()));
    // The Config page says both, with the reason in sight.
    FindingsList* findings = m_window->findChild<ConfigDocumentPage*>()->view().findings();
    QVERIFY2(findings->otherRefusal()->text().startsWith(QLatin1String("Our engine: ")), qPrintable(findings->otherRefusal()->text()));
    QVERIFY2(!m_window->actions().launch->isEnabled(), "our engine would not train it");
    QVERIFY2(m_window->actions().launch->toolTip().contains(QLatin1String("Our engine: ")), qPrintable(m_window->actions().launch->toolTip()));
    // DeepSpeed trains with it: the refusal is ours alone, and stands where ours is meant.
    page().setBehaviour(QStringLiteral("deepspeed"));
    waitForPlan();
    QTRY_VERIFY2(!verdict().contains(QLatin1String("Refused")), qPrintable(verdict()));
    QVERIFY(note().isEmpty());
    QTRY_VERIFY(findings->otherRefusal()->text().isEmpty());
}

void TstConfigRefusal::theWordAgainstOffloadStandsAtItsKey()
{
    const auto pointerOf = [](const char* section) {
        const PlanSet set = planText(withValue(FileFlow::demoText(), "/dsConfig/zero_optimization", section), {}, PlanDepth::One);
        for (const PlanFinding& finding : set.plan ? set.plan->findings : std::vector<PlanFinding>())
            if (finding.rule == "plan.engine_offload")
                return QString::fromStdString(finding.pointer);
        return QString();
    };
    QCOMPARE(pointerOf(R"({"stage": 2, "offload_optimizer": {"device": "cpu"}})"), QStringLiteral("/dsConfig/zero_optimization/offload_optimizer"));
    QCOMPARE(pointerOf(R"({"stage": 3, "offload_param": {"device": "cpu"}})"), QStringLiteral("/dsConfig/zero_optimization/offload_param"));
    QCOMPARE(pointerOf(R"({"stage": 2, "cpu_offload": true})"), QStringLiteral("/dsConfig/zero_optimization"));
}

void TstConfigRefusal::aConfigAloneIsNotToldOffForThisMachine()
{
    m_window->files().openPath(fileWith(QStringLiteral("ds.json"), R"({"train_batch_size": 16, "fp16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": 0.001}}})"));
    waitForPlan();
    // One assumption for all: DeepSpeed on one GPU. Nobody named a CPU, or our engine.
    FindingsList* findings = m_window->findChild<ConfigDocumentPage*>()->view().findings();
    QVERIFY(config().answer().ok);
    QVERIFY2(findings->otherRefusal()->text().isEmpty(), qPrintable(findings->otherRefusal()->text()));
    QVERIFY2(!verdict().contains(QLatin1String("Refused")), qPrintable(verdict()));
    for (const CheckFinding& finding : config().answer().findings)
        QFAIL(finding.message.c_str());
    QCOMPARE(m_window->output().findingCount(), config().findingsElsewhere());
    QCOMPARE(QString::fromStdString(plan().workspace->hardware.device), QStringLiteral("H100-SXM-80GB"));
    QCOMPARE(plan().workspace->layout.ranks(), 1);
    const auto assumed = [this] { return m_window->findChild<PlanStrip*>()->shownTexts().filter(QStringLiteral("Assumed")).join('|'); };
    QVERIFY2(assumed().contains(QStringLiteral("1 × H100-SXM-80GB")), qPrintable(assumed()));
    // The button that says so leads to the number, and what is entered there holds everywhere.
    QTest::mouseClick(m_window->findChild<ConfigDocumentPage*>()->view().surroundings(), Qt::LeftButton);
    SubjectPanel& panel = m_window->subject().panel();
    QVERIFY(m_window->subject().isOpen());
    QCOMPARE(panel.tabs()->currentWidget(), static_cast<QWidget*>(&panel.hardware()));
    QLineEdit* field = panel.hardware().perNode()->field();
    QCOMPARE(field->text(), QStringLiteral("1"));
    QVERIFY(field->hasSelectedText());
    QTest::keyClicks(field, QStringLiteral("8"));
    QTest::keyClick(field, Qt::Key_Return);
    waitForPlan();
    QCOMPARE(plan().workspace->layout.ranks(), 8);
    QTRY_COMPARE(m_window->findChild<ConfigDocumentPage*>()->view().surroundings()->text(), QStringLiteral("for 8 GPUs"));
    QTRY_VERIFY2(assumed().contains(QStringLiteral("8 × H100-SXM-80GB")), qPrintable(assumed()));   // the model is still nobody's choice
    QVERIFY(config().answer().ok);
    // A CPU somebody names is another matter.
    QVERIFY(m_window->document().setValue("/hardware/device", "\"cpu\"", QStringLiteral("CPU")).hasValue());
    waitForPlan();
    m_window->actions().pages().at(1)->trigger();
    QTRY_VERIFY(!config().answer().ok);
    QTRY_VERIFY2(verdict().contains(QLatin1String("Refused")), qPrintable(verdict()));
}

void TstConfigRefusal::ourEngineDoesNotContradictAFinding_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("meant");    // what the finding says
    QTest::addColumn<bool>("said");        // a line of our engine's stands beside it
    QTest::newRow("a parameter that DeepSpeed refuses too") << QByteArray(R"("optimizer": {"type": "AdamW", "params": {"learning_rate": 1e-5}}, )") << QStringLiteral("\"lr\"") << false;
    QTest::newRow("a key that DeepSpeed refuses too") << kOptimizer << QStringLiteral("overlap_comm") << false;
    QTest::newRow("an optimizer that DeepSpeed takes") << kLamb << QStringLiteral("Lamb") << true;
}

void TstConfigRefusal::ourEngineDoesNotContradictAFinding()
{
    QFETCH(QByteArray, config);
    QFETCH(QString, meant);
    QFETCH(bool, said);
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "stagecraft");
    text.replace("\"bf16\": {", config + "\"bf16\": {");
    if (meant == QLatin1String("overlap_comm"))
        text.replace("\"stage\": 2", "\"stage\": 2, \"overlap_com\": true");
    openText(text);
    QVERIFY(plan().engineProblem);
    FindingsList* findings = m_window->findChild<ConfigDocumentPage*>()->view().findings();
    QTRY_COMPARE(!findings->otherRefusal()->text().isEmpty(), said);
    QVERIFY2(!findings->otherRefusal()->text().contains(QStringLiteral("remove it")), qPrintable(findings->otherRefusal()->text()));
    QCOMPARE(findings->otherRefusal()->parentWidget()->isHidden(), !said);
    if (said)
        QCOMPARE(findings->deepSpeedButton()->isHidden(), !this->config().answer().ok);
    const QString why = m_window->actions().launch->toolTip();
    QVERIFY2(why.contains(meant) && !why.contains(QStringLiteral("so remove it")), qPrintable(why));
}

void TstConfigRefusal::frameworksWithoutDsConfigRefuseNone_data()
{
    QTest::addColumn<QByteArray>("framework");
    QTest::addColumn<QByteArray>("config");
    for (const char* framework : {"fsdp2", "megatron"}) {
        QTest::addRow("%s and an empty ds_config", framework) << QByteArray(framework) << QByteArray("{}");
        QTest::addRow("%s and one that DeepSpeed refuses", framework) << QByteArray(framework) << QByteArray(R"({"train_batch_size": 3, "zero_optimization": {"stage": 9}})");
    }
}

void TstConfigRefusal::frameworksWithoutDsConfigRefuseNone()
{
    QFETCH(QByteArray, framework);
    QFETCH(QByteArray, config);
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, framework.constData(), R"({"seq-length": 4096, "bf16": true, "micro-batch-size": 1, "local_batch": 1})");
    const qsizetype from = text.indexOf("{", text.indexOf("\"dsConfig\""));
    text.replace(from, text.indexOf("\"framework\"") - from, config + ",\n  ");
    openText(text);
    QVERIFY(plan().workspace && plan().plan && plan().plan->fit);
    QVERIFY(!plan().engineProblem);
    QTRY_VERIFY2(!verdict().isEmpty() && !verdict().contains(QLatin1String("Refused")), qPrintable(verdict()));
    QVERIFY2(note().isEmpty(), qPrintable(note()));
    QVERIFY(m_window->actions().launch->isEnabled());
    // That nothing is said in it is no mistake either.
    if (config == "{}") {
        const std::vector<FindingRow> rows = findingRows(&plan(), nullptr);
        for (const FindingRow& row : rows)
            QVERIFY2(row.severity != QLatin1String("error") || !row.pointer.startsWith(QLatin1String("/dsConfig")), qPrintable(row.message));
        QTRY_COMPARE(m_window->output().findingCount(), static_cast<int>(rows.size()));
    }
}

QTEST_MAIN(TstConfigRefusal)
#include "tst_config_refusal.moc"
