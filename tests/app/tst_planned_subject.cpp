// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of model, sequence and job is what is planned, whichever words a framework has for it.
#include "subject_fixture.h"

#include "app/file_flow.h"
#include "app/formats.h"
#include "app/layout_edits.h"
#include "app/subject_edits.h"
#include "app/what_if.h"
#include "widgets/inspector.h"
#include "widgets/tone_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QUndoStack>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

QByteArray sizesOf(const char* more)
{
    QByteArray text = workspaceOf("gpt2", 1, 8, "deepspeed");
    text.replace(R"({"preset": "gpt2", "seq": 4096})", QByteArray(R"({"family": "llama", "hidden": 5120, "layers": 4, "heads": 32, "kvHeads": 8, "ffn": 14336, "vocab": 131072, "seq": 4096)") + more + "}");
    return text;
}

const char* kDescribed = R"({"num-layers": 24, "hidden-size": 1024, "num-attention-heads": 16, "max-position-embeddings": 4096, "seq-length": 4096, "micro-batch-size": 2, "global-batch-size": 32, "bf16": true})";

QByteArray describedModel()
{
    QByteArray text = workspaceOf("gpt2", 1, 8, "megatron", kDescribed);
    text.replace(R"("seq": 4096})", R"("seq": 1024})");
    return text;
}

}  // namespace

class TstPlannedSubject : public SubjectTest {
    Q_OBJECT
private slots:
    void sizesKeepWhatThePanelDoesNotShow();
    void adaptersKeepWhatThePanelDoesNotShow();
    void headSizeIsShownWhereItDiffers();
    void sizesOfAPresetKeepItsKind();
    void argumentsThatDescribeAModelAreWhatIsSaid();
    void aChosenModelTakesThePlaceOfTheArguments();
    void oneSequence_data();
    void oneSequence();
    void anotherFrameworkTrainsTheSameJob();
    void figuresOfTimeShowTheirNumbers();
    void aSizeLeavesTheOthersAsWritten();
    void theBatchFollowsTheHardwareOnlyWhereItAddedUp();

private:
    void openPanel(const QByteArray& text)
    {
        openText(text);
        m_window->actions().subject->trigger();
        QVERIFY(panel().isVisible());
    }
    [[nodiscard]] const nlohmann::json& model() const { return workspace().document["model"]; }
};

void TstPlannedSubject::sizesKeepWhatThePanelDoesNotShow()
{
    openPanel(sizesOf(R"(, "headSize": 128, "attentionBias": true, "normEps": 1e-6, "ropeTheta": 1000000.0, "note": "mine")"));
    const std::int64_t before = *plan().plan->params;
    type(panel().model().sizeRow(ModelChoice::Vocab), "131200");
    QCOMPARE(workspace().model.spec->headSize, std::int64_t{128});
    QCOMPARE(*plan().plan->params, before + 2 * 128 * 5120);
    QVERIFY(workspace().model.spec->attentionBias);
    QCOMPARE(workspace().model.spec->ropeTheta, 1e6);
    QVERIFY(model()["note"] == "mine");
    QCOMPARE(m_window->document().undoStack().count(), 1);
    // GPT-2's position table is as long as it was written.
    QByteArray gpt2 = workspaceOf("gpt2", 1, 8, "deepspeed");
    gpt2.replace(R"({"preset": "gpt2", "seq": 4096})", R"({"family": "gpt2", "hidden": 768, "layers": 12, "heads": 12, "vocab": 50257, "seq": 512, "positions": 1024})");
    openText(gpt2);
    type(panel().model().sizeRow(ModelChoice::Layers), "13");
    QCOMPARE(workspace().model.spec->layers, std::int64_t{13});
    QCOMPARE(workspace().model.spec->positions, std::int64_t{1024});
}

// Another double quantization would be another plan, and a field that nobody knows is somebody's.
void TstPlannedSubject::adaptersKeepWhatThePanelDoesNotShow()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    text.replace(R"("seq": 4096})", R"("seq": 4096, "adapter": {"rank": 64, "base": "nf4", "doubleQuantization": false, "alpha": 32}})");
    openPanel(text);
    type(panel().model().rank(), "32");
    const auto choose = [this](QComboBox* box, int index) {
        box->setCurrentIndex(index);
        emit box->activated(index);
        waitForPlan();
    };
    choose(panel().model().targets(), 1);
    nlohmann::json kept{{"rank", 32}, {"base", "nf4"}, {"doubleQuantization", false}, {"alpha", 32}, {"targets", "attention"}};
    QVERIFY(model()["adapter"] == kept);
    choose(panel().model().adapter(), 3);
    kept["base"] = "int8";
    QVERIFY(model()["adapter"] == kept);
    QCOMPARE(m_window->document().undoStack().count(), 3);
    choose(panel().model().adapter(), 0);
    QVERIFY(!model().contains("adapter"));
}

void TstPlannedSubject::headSizeIsShownWhereItDiffers()
{
    openPanel(sizesOf(""));
    NumberRow* row = panel().model().sizeRow(ModelChoice::HeadSize);
    QVERIFY(row->isHidden());   // 160 = 5120 / 32
    openText(sizesOf(R"(, "headSize": 128)"));
    QVERIFY(!row->isHidden());
    QCOMPARE(row->field()->text(), QStringLiteral("128"));
    type(row, "96");
    QCOMPARE(workspace().model.spec->headSize, std::int64_t{96});
    // Back at the usual one, it is no size of its own any more.
    type(row, "160");
    QCOMPARE(workspace().model.spec->headSize, std::int64_t{160});
    QVERIFY(row->isHidden());
}

void TstPlannedSubject::sizesOfAPresetKeepItsKind()
{
    openPanel(workspaceOf("gpt2", 1, 8, "deepspeed").replace(R"("seq": 4096})", R"("seq": 512})"));
    panel().model().setSource(ModelChoice::Sizes);
    const std::int64_t before = *plan().plan->params;
    type(panel().model().sizeRow(ModelChoice::Vocab), "50258");
    QCOMPARE(*plan().plan->params, before + 768);
}

void TstPlannedSubject::argumentsThatDescribeAModelAreWhatIsSaid()
{
    openPanel(describedModel());
    const std::int64_t params = *plan().plan->params;
    QCOMPARE(params, plan().job->model.params);
    QVERIFY(params > 300'000'000);
    QVERIFY2(page().subject().contains(QStringLiteral("24")) && page().subject().contains(shortCount(static_cast<double>(params))), qPrintable(page().subject()));
    QVERIFY2(!page().subject().contains(QStringLiteral("gpt2")), qPrintable(page().subject()));
    QVERIFY(panel().model().described()->isVisible());
    QVERIFY2(panel().model().described()->text().contains(count(params)), qPrintable(panel().model().described()->text()));
    QVERIFY(panel().model().presets()->current().isEmpty());
    QCOMPARE(panel().model().sizeRow(ModelChoice::Layers)->field()->text(), QStringLiteral("24"));
}

void TstPlannedSubject::aChosenModelTakesThePlaceOfTheArguments()
{
    openPanel(describedModel());
    click(panel().model().presets(), QStringLiteral("llama-3-8b"));
    QCOMPARE(*plan().plan->params, 8'030'261'248);
    QCOMPARE(plan().job->model.layers, std::int64_t{32});
    QVERIFY(plan().job->rotary && !plan().job->biases);
    QCOMPARE(plan().job->microBatch, std::int64_t{2});   // what else the arguments say stays
    QCOMPARE(plan().job->model.seq, std::int64_t{4096});
    QVERIFY(!panel().model().described()->isVisible());
    QVERIFY2(page().subject().contains(QStringLiteral("llama-3-8b")), qPrintable(page().subject()));
    QCOMPARE(m_window->document().undoStack().count(), 1);
    m_window->actions().undo->trigger();
    waitForPlan();
    QCOMPARE(plan().job->model.layers, std::int64_t{24});
    // A size changed on the panel is of the model that is planned.
    panel().model().setSource(ModelChoice::Sizes);
    type(panel().model().sizeRow(ModelChoice::Layers), "12");
    QCOMPARE(plan().job->model.layers, std::int64_t{12});
    QCOMPARE(plan().job->model.hidden, std::int64_t{1024});
}

void TstPlannedSubject::oneSequence_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("described by Megatron's arguments") << describedModel();
    QTest::newRow("Megatron's own argument") << workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"seq-length": 4096, "bf16": true})").replace(R"("seq": 4096})", R"("seq": 1024})");
    QTest::newRow("FSDP2's own argument") << workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"seq": 4096, "tp": 1})").replace(R"("seq": 4096})", R"("seq": 1024})");
    QTest::newRow("the model's") << workspaceOf("llama-3-8b", 1, 8, "deepspeed");
}

void TstPlannedSubject::oneSequence()
{
    QFETCH(QByteArray, text);
    openPanel(text);
    QCOMPARE(panel().model().sequence()->field()->text(), count(4096));
    QCOMPARE(knobValue(plan(), Knob::Sequence).value_or(-1), std::int64_t{4096});
    type(panel().model().sequence(), "2048");
    QVERIFY2(panel().model().sequence()->complaint().isEmpty(), qPrintable(panel().model().sequence()->complaint()));
    QCOMPARE(plan().job->model.seq, std::int64_t{2048});
    page().turnKnob(Knob::Sequence, 1024, true);
    waitForPlan();
    QCOMPARE(plan().job->model.seq, std::int64_t{1024});
    QCOMPARE(panel().model().sequence()->field()->text(), count(1024));
}

void TstPlannedSubject::anotherFrameworkTrainsTheSameJob()
{
    QByteArray text = workspaceOf("llama-3-8b", 2, 8, "fsdp2", R"({"local_batch": 4, "seq": 8192, "tp": 2, "ac": "full", "float8": true})");
    const qsizetype from = text.indexOf("{", text.indexOf("\"dsConfig\""));
    text.replace(from, text.indexOf("\"framework\"") - from, "{},\n  ");
    openText(text);
    const std::string before = m_window->document().text();
    QSignalSpy noted(&page(), &Page::stepNoted);
    page().setBehaviour(QStringLiteral("deepspeed"));
    waitForPlan();
    const TrainingCase& job = *plan().job;
    QCOMPARE(job.framework, Framework::DeepSpeed);
    QCOMPARE(job.microBatch, std::int64_t{4});
    QCOMPARE(job.model.seq, std::int64_t{8192});
    QCOMPARE(job.tp, std::int64_t{2});
    QCOMPARE(job.dp, std::int64_t{8});
    QCOMPARE(job.precision, Precision::Bf16);
    QCOMPARE(job.policy, ActivationPolicy::Full);
    QCOMPARE(job.settings.stage, 3);
    // What DeepSpeed has no word for is said, once.
    QCOMPARE(noted.size(), 1);
    QVERIFY2(noted.front().front().toString().contains(QStringLiteral("float8")), qPrintable(noted.front().front().toString()));
    QCOMPARE(m_window->document().undoStack().count(), 1);
    m_window->actions().undo->trigger();
    waitForPlan();
    QCOMPARE(m_window->document().text(), before);
}

void TstPlannedSubject::figuresOfTimeShowTheirNumbers()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    const StepForecast& forecast = *plan().plan->forecast;
    page().explain(QStringLiteral("mfu"));
    const QString mfu = m_window->inspector().plainText();
    // The definition, the same with numbers, and where the peak comes from.
    const auto told = std::find_if(forecast.figures.begin(), forecast.figures.end(), [](const ForecastFigure& figure) { return figure.what == "mfu"; });
    const QStringList parts = told != forecast.figures.end() ? QStringList{QString::fromStdString(told->numbers), QString::fromStdString(told->source)}
                                                             : QStringList{QStringLiteral("PFLOP"), QStringLiteral("TFLOP/s"), QStringLiteral("data sheet")};
    QVERIFY2(mfu.contains(percent(forecast.mfu)), qPrintable(mfu));
    for (const QString& part : parts)
        QVERIFY2(mfu.contains(part), qPrintable(part + QLatin1Char('\n') + mfu));
    page().explain(QStringLiteral("time"));
    const QString time = m_window->inspector().plainText();
    QVERIFY2(time.contains(QStringLiteral("= ") + seconds(forecast.stepTime).text()), qPrintable(time));
    for (const ForecastFigure& figure : forecast.figures)
        if (figure.what != "mfu" && figure.value > 0)
            QVERIFY2(time.contains(QString::fromStdString(figure.numbers)), qPrintable(QString::fromStdString(figure.what) + QLatin1Char('\n') + time));
}

/// Order, spaces and lines of what somebody wrote are theirs.
void TstPlannedSubject::aSizeLeavesTheOthersAsWritten()
{
    const std::string text = FileFlow::demoText();
    nlohmann::json wanted = nlohmann::json::parse(text)["model"];
    wanted["hidden"] = 320;
    wanted["heads"] = 4;
    const SubjectGround ground{text, ".", std::nullopt, false};
    const auto edits = modelEdits(ground, wanted);
    QVERIFY(edits.hasValue());
    const std::string changed = withEdits(text, *edits);
    QVERIFY2(nlohmann::json::parse(changed)["model"] == wanted, changed.c_str());
    QCOMPARE(std::count(changed.begin(), changed.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
    QCOMPARE(withEdits(changed, *modelEdits({changed, ".", std::nullopt, false}, nlohmann::json::parse(text)["model"])), text);
    // Another kind of model takes the place of the whole.
    const auto preset = modelEdits(ground, nlohmann::json{{"preset", "gpt2"}});
    QVERIFY(preset.hasValue() && preset->front().pointer == "/model");
}

/// The global batch is the recipe: three numbers that do not agree are not mended by choosing hardware, and where the batch has to
/// follow the step's name says so.
void TstPlannedSubject::theBatchFollowsTheHardwareOnlyWhereItAddedUp()
{
    const auto open = [this](const char* batch) {
        openPanel(workspaceOf("llama-3-8b", 1, 1, "deepspeed").replace("\"train_micro_batch_size_per_gpu\": 1", batch).replace("\"gradient_accumulation_steps\": 4", "\"gradient_accumulation_steps\": 3"));
        panel().tabs()->setCurrentIndex(1);
        waitForPlan();
        type(panel().hardware().perNode(), "8");
        QCOMPARE(workspace().layout.dp, 8);
    };
    QUndoStack& undo = m_window->document().undoStack();
    open(R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 4)");
    QCOMPARE(workspace().dsConfig["train_batch_size"].get<int>(), 64);
    QCOMPARE(undo.undoText(), QStringLiteral("Hardware → 8 × H100-SXM-80GB"));
    QVERIFY(std::any_of(plan().plan->findings.begin(), plan().plan->findings.end(), [](const PlanFinding& f) { return f.rule == "plan.batch_triangle"; }));
    open(R"("train_batch_size": 12, "train_micro_batch_size_per_gpu": 4)");
    QCOMPARE(workspace().dsConfig["train_batch_size"].get<int>(), 96);
    QCOMPARE(undo.undoText(), QStringLiteral("Hardware → 8 × H100-SXM-80GB, train batch 12 → 96"));
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_COMPARE(undo.undoText(), QStringLiteral("硬件 → 8 × H100-SXM-80GB，训练批次 12 → 96"));
}

QTEST_MAIN(TstPlannedSubject)
#include "tst_planned_subject.moc"
