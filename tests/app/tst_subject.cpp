// SPDX-License-Identifier: GPL-3.0-or-later
// Model and hardware, chosen in the window: what a plan is about needs no text to be written.
#include "app/config_alone.h"
#include "app/file_flow.h"
#include "app/plan_strip.h"
#include "subject_fixture.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>

using namespace stagecraft;
using namespace stagecraft::app;

class TstSubject : public SubjectTest {
    Q_OBJECT
private slots:
    void aNewPlanIsChosenByClicks();
    void aRowSaysBeforeWhatItComesTo();
    void rowsFollowTheHardware();
    void aFolderOfHuggingFaceBecomesTheModel();
    void aDropBecomesTheModelOfANewPlan_data();
    void aDropBecomesTheModelOfANewPlan();
    void ownSizesMakeAModel();
    void sizesThatNobodyGaveFollowTheOthers();
    void aNumberOfParametersIsAModel_data();
    void aNumberOfParametersIsAModel();
    void numbersThatAreNoneAreRefused_data();
    void numbersThatAreNoneAreRefused();
    void whatNobodyChoseIsEnteredAsItStands();
    void eachChoiceIsOneStep();
    void aConfigInAFileOfItsOwnFollows();
    void adaptersStandBesideFrozenWeights();
    void anotherModelKeepsTheSequenceItCanTake();
    void aGpuMakesAPlanOfDeepSpeed();
    void parallelismShrinksToTheDevices();
    void theStageFollowsUntilItIsChosen();

private:
    QString modelFolder(const char* config)
    {
        const QString folder = m_scratch->filePath(QStringLiteral("my model ü"));
        QDir().mkpath(folder);
        QFile file(folder + QStringLiteral("/config.json"));
        if (file.open(QIODevice::WriteOnly))
            file.write(config);
        return folder;
    }
    static constexpr const char* kSmallLlama = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 512, "intermediate_size": 1376, "num_hidden_layers": 6,
        "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": false})";
};

void TstSubject::aNewPlanIsChosenByClicks()
{
    begin();
    QVERIFY(panel().stageFollows());
    QCOMPARE(workspace().framework.name, std::string("deepspeed"));
    QCOMPARE(workspace().layout.recompute, std::string("none"));
    QCOMPARE(plan().engine->precision, Precision::Bf16);
    QCOMPARE(plan().engine->microBatch, 1);
    // Somewhere else first, so that each click below has something to change.
    click(panel().model().presets(), QStringLiteral("gpt2"));
    QCOMPARE(workspace().model.preset, std::string("gpt2"));
    QCOMPARE(stage(), 0);
    panel().tabs()->setCurrentIndex(1);
    click(panel().hardware().devices(), QStringLiteral("A100-SXM-40GB"));
    type(panel().hardware().perNode(), "4");
    QCOMPARE(workspace().layout.dp, 4);

    panel().tabs()->setCurrentIndex(0);
    click(panel().model().presets(), QStringLiteral("llama-3-8b"));
    panel().tabs()->setCurrentIndex(1);
    click(panel().hardware().devices(), QStringLiteral("H100-SXM-80GB"));
    type(panel().hardware().perNode(), "8");
    QCOMPARE(workspace().hardware.device, std::string("H100-SXM-80GB"));
    QCOMPARE(workspace().layout.dp, 8);
    QCOMPARE(workspace().hardware.nodes, 1);
    QCOMPARE(*plan().plan->params, 8'030'261'248);

    const Plan alone = planned();
    QVERIFY(alone.fit && alone.forecast);
    QCOMPARE(plan().plan->fit->verdict, alone.fit->verdict);
    QCOMPARE(alone.fit->verdict, Fit::Verdict::Yes);
    QCOMPARE(peakBytes(*plan().plan), peakBytes(alone));
    QCOMPARE(plan().plan->forecast->stepTime, alone.forecast->stepTime);
    // The stage is the tree's: the one before it does not fit.
    const int answer = firstFitting(plan());
    QVERIFY(answer > 0);
    QVERIFY(plan().variants[static_cast<std::size_t>(answer)].chosen);
}

void TstSubject::aRowSaysBeforeWhatItComesTo()
{
    begin();
    panel().tabs()->setCurrentIndex(1);
    waitForRows();
    for (const char* id : {"H100-SXM-80GB", "RTX-3080-10GB", "B200-SXM-180GB", "V100-SXM2-16GB"}) {
        waitForRows();
        const QString said = panel().hardware().devices()->item(QString::fromLatin1(id))->data(Qt::AccessibleTextRole).toString();
        click(panel().hardware().devices(), QString::fromLatin1(id));
        const auto verdict = plan().plan->fit->verdict;
        QVERIFY2(said.contains(verdict == Fit::Verdict::Yes ? QStringLiteral("fits") : verdict == Fit::Verdict::No ? QStringLiteral("does not fit") : QStringLiteral("unsure")), qPrintable(said));
        if (verdict == Fit::Verdict::Yes && stage() < 3)
            QVERIFY2(said.contains(QString::number(stage())), qPrintable(said));
    }
}

void TstSubject::rowsFollowTheHardware()
{
    begin();
    waitForRows();
    const auto said = [this] { return panel().model().presets()->item(QStringLiteral("llama-3.1-70b"))->data(Qt::AccessibleTextRole).toString(); };
    QVERIFY2(said().contains(QStringLiteral("70,553,706,496")), qPrintable(said()));
    panel().tabs()->setCurrentIndex(1);
    click(panel().hardware().devices(), QStringLiteral("RTX-3090"));
    panel().tabs()->setCurrentIndex(0);
    waitForRows();
    QVERIFY2(said().contains(QStringLiteral("does not fit")), qPrintable(said()));
    panel().tabs()->setCurrentIndex(1);
    click(panel().hardware().devices(), QStringLiteral("B300-SXM-288GB"));
    type(panel().hardware().nodes(), "32");
    panel().tabs()->setCurrentIndex(0);
    waitForRows();
    QVERIFY2(!said().contains(QStringLiteral("does not fit")) && said().contains(QStringLiteral("fits")), qPrintable(said()));
}

void TstSubject::aFolderOfHuggingFaceBecomesTheModel()
{
    begin();
    const QString folder = modelFolder(kSmallLlama);
    panel().model().setSource(ModelChoice::HuggingFace);
    QTest::mouseClick(panel().findChild<QPushButton*>(QStringLiteral("pickModelFolder")), Qt::LeftButton);
    auto* dialog = m_window->findChild<QFileDialog*>(QStringLiteral("modelDialog"));
    QVERIFY(dialog);
    emit dialog->fileSelected(folder);
    dialog->close();
    waitForPlan();
    QCOMPARE(workspace().model.huggingFaceFolder.string(), folder.toStdString());
    QCOMPARE(*plan().plan->params, *planned().params);
    const std::string before = m_window->document().text();
    // The file itself names its folder; another name is not what a workspace can hold.
    QVERIFY(panel().model().takeFolder(folder + QStringLiteral("/config.json")).isEmpty());
    QCOMPARE(m_window->document().text(), before);
    QVERIFY(QFile::copy(folder + QStringLiteral("/config.json"), folder + QStringLiteral("/other.json")));
    QVERIFY(panel().model().takeFolder(folder + QStringLiteral("/other.json")).contains(QStringLiteral("config.json")));
    QVERIFY(!panel().model().takeFolder(m_scratch->path()).isEmpty());   // no config.json there
    QCOMPARE(m_window->document().text(), before);
}

void TstSubject::aDropBecomesTheModelOfANewPlan_data()
{
    QTest::addColumn<QString>("what");
    QTest::newRow("a folder") << QString();
    QTest::newRow("its config.json") << QStringLiteral("/config.json");
}

void TstSubject::aDropBecomesTheModelOfANewPlan()
{
    QFETCH(QString, what);
    const QString folder = modelFolder(kSmallLlama);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(folder + what)});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_window.get(), &drop);
    QVERIFY(m_window->document().isOpen());
    waitForPlan();
    QVERIFY(plan().workspace.has_value());
    QCOMPARE(workspace().model.huggingFaceFolder.string(), folder.toStdString());
    QCOMPARE(workspace().framework.name, std::string("deepspeed"));
    QVERIFY(plan().plan->fit.has_value());
    QVERIFY(flow().isOpen());
    QCOMPARE(panel().model().source()->currentIndex(), static_cast<int>(ModelChoice::HuggingFace));
}

void TstSubject::sizesThatNobodyGaveFollowTheOthers()
{
    const auto with = [](const char* model) { return QByteArray::fromStdString(withValue(FileFlow::demoText(), "/model", model)); };
    const auto has = [this](const char* key) { return workspace().document["model"].contains(key); };
    openText(with(R"({"family": "gpt2", "hidden": 64, "layers": 2, "heads": 4, "vocab": 256, "seq": 64})"));
    m_window->actions().subject->trigger();
    waitForPlan();
    QCOMPARE(panel().model().sizeRow(ModelChoice::Ffn)->field()->text(), QStringLiteral("256"));
    type(panel().model().sizeRow(ModelChoice::Hidden), "96");
    QVERIFY(!has("ffn") && !has("tieEmbeddings") && !has("kvHeads"));
    QCOMPARE(workspace().model.spec->ffn, 384);
    QCOMPARE(panel().model().sizeRow(ModelChoice::Ffn)->field()->text(), QStringLiteral("384"));
    // Once given it stays as it is.
    type(panel().model().sizeRow(ModelChoice::Ffn), "100");
    type(panel().model().sizeRow(ModelChoice::Hidden), "64");
    QCOMPARE(workspace().model.spec->ffn, 100);
    openText(with(R"({"family": "llama", "hidden": 64, "layers": 2, "heads": 8, "ffn": 128, "vocab": 256, "seq": 64})"));
    for (const int heads : {4, 8}) {
        type(panel().model().sizeRow(ModelChoice::Heads), QByteArray::number(heads).constData());
        QCOMPARE(workspace().model.spec->kvHeads, heads);
        QVERIFY(!has("kvHeads"));
    }
    type(panel().model().sizeRow(ModelChoice::KvHeads), "2");
    QCOMPARE(workspace().model.spec->kvHeads, 2);
    // Another family may need what this one could do without.
    openText(with(R"({"family": "gpt2", "hidden": 64, "layers": 2, "heads": 4, "vocab": 256, "seq": 64})"));
    auto* family = panel().findChild<QComboBox*>(QStringLiteral("modelFamily"));
    family->setCurrentIndex(family->findData(QStringLiteral("llama")));
    emit family->activated(family->currentIndex());
    waitForPlan();
    QCOMPARE(workspace().model.spec->family, Family::Llama);
    QCOMPARE(workspace().model.spec->ffn, 256);
}

void TstSubject::ownSizesMakeAModel()
{
    begin();
    click(panel().model().presets(), QStringLiteral("llama-2-7b"));
    panel().model().setSource(ModelChoice::Sizes);
    // They start as the model that was there, and change nothing until one of them does.
    QCOMPARE(panel().model().sizeRow(ModelChoice::Layers)->field()->text(), QStringLiteral("32"));
    QCOMPARE(workspace().model.preset, std::string("llama-2-7b"));
    const std::int64_t whole = *plan().plan->params;
    const std::int64_t layer = plan().shape->perLayer;
    type(panel().model().sizeRow(ModelChoice::Layers), "16");
    QCOMPARE(workspace().model.form, ModelSection::Form::Fields);
    QCOMPARE(*plan().plan->params, whole - 16 * layer);
    QCOMPARE(workspace().model.spec->hidden, 4096);
    // Heads that do not divide are refused where they are typed; the plan stays.
    const std::string before = m_window->document().text();
    type(panel().model().sizeRow(ModelChoice::Heads), "30");
    QVERIFY(!panel().model().sizeRow(ModelChoice::Heads)->complaint().isEmpty());
    QCOMPARE(m_window->document().text(), before);
    type(panel().model().sizeRow(ModelChoice::Heads), "16");
    QVERIFY(panel().model().sizeRow(ModelChoice::Heads)->complaint().isEmpty() || !panel().model().sizeRow(ModelChoice::KvHeads)->complaint().isEmpty());
    type(panel().model().sizeRow(ModelChoice::KvHeads), "8");
    QCOMPARE(workspace().model.spec->heads, 16);
    QCOMPARE(workspace().model.spec->kvHeads, 8);
    QCOMPARE(workspace().model.spec->headSize, 256);
    // GPT-2 has one kind of heads and a tied output.
    auto* family = panel().findChild<QComboBox*>(QStringLiteral("modelFamily"));
    family->setCurrentIndex(1);
    emit family->activated(1);
    waitForPlan();
    QCOMPARE(workspace().model.spec->family, Family::Gpt2);
    QVERIFY(workspace().model.spec->tieEmbeddings);
    QVERIFY(panel().model().sizeRow(ModelChoice::KvHeads)->isHidden());
}

void TstSubject::aNumberOfParametersIsAModel_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<std::int64_t>("params");
    QTest::newRow("7B") << QStringLiteral("7B") << std::int64_t{7'000'000'000};
    QTest::newRow("1.3e9") << QStringLiteral("1.3e9") << std::int64_t{1'300'000'000};
    QTest::newRow("500M") << QStringLiteral("500M") << std::int64_t{500'000'000};
    QTest::newRow("0.5 b") << QStringLiteral("0.5 b") << std::int64_t{500'000'000};
    QTest::newRow("with commas") << QStringLiteral("6,738,415,616") << std::int64_t{6'738'415'616};
}

void TstSubject::aNumberOfParametersIsAModel()
{
    QFETCH(QString, typed);
    QFETCH(std::int64_t, params);
    begin();
    panel().model().setSource(ModelChoice::Count);
    type(panel().model().parameters(), typed.toUtf8().constData());
    QCOMPARE(workspace().model.form, ModelSection::Form::ParameterCount);
    QCOMPARE(*plan().plan->params, params);
    QCOMPARE(peakBytes(*plan().plan), peakBytes(planned()));
    QVERIFY(panel().model().sequence()->isHidden());
}

void TstSubject::numbersThatAreNoneAreRefused_data()
{
    QTest::addColumn<QString>("typed");
    for (const char* typed : {"0", "-1", "abc", "8.5", "1e400", "nan", "8x", "99999999999", "0x10", "1e"})
        QTest::newRow(typed) << QString::fromLatin1(typed);
}

void TstSubject::numbersThatAreNoneAreRefused()
{
    QFETCH(QString, typed);
    begin();
    const std::string before = m_window->document().text();
    panel().tabs()->setCurrentIndex(1);
    for (NumberRow* row : {panel().hardware().perNode(), panel().hardware().nodes()}) {
        const QString was = row->field()->text();
        type(row, typed.toUtf8().constData());
        QVERIFY2(!row->complaint().isEmpty(), qPrintable(typed));
        QVERIFY(row->field()->property("invalid").toBool());
        QCOMPARE(m_window->document().text(), before);
        QTest::keyClick(row->field(), Qt::Key_Escape);
        QCOMPARE(row->field()->text(), was);
        QVERIFY(row->complaint().isEmpty());
        QVERIFY(flow().isOpen());
    }
    panel().tabs()->setCurrentIndex(0);
    panel().model().setSource(ModelChoice::Count);
    if (typed != QLatin1String("8.5") && typed != QLatin1String("99999999999")) {
        type(panel().model().parameters(), typed.toUtf8().constData());
        QVERIFY2(!panel().model().parameters()->complaint().isEmpty(), qPrintable(typed));
    }
    QCOMPARE(m_window->document().text(), before);
}

void TstSubject::whatNobodyChoseIsEnteredAsItStands()
{
    m_window->document().openText(workspaceAroundConfig(), QStringLiteral("untitled"));
    waitForPlan();
    flow().open(SubjectPanel::Part::Hardware);
    QVERIFY(assumedOf(m_window->document()).hardware);
    type(panel().hardware().perNode(), "1");
    QVERIFY(!assumedOf(m_window->document()).hardware);
    QVERIFY(!areRanksAssumed(m_window->document()));
    QCOMPARE(m_window->document().undoStack().count(), 1);
    // Chosen, the same number is no step.
    type(panel().hardware().perNode(), "1");
    QCOMPARE(m_window->document().undoStack().count(), 1);
}

void TstSubject::eachChoiceIsOneStep()
{
    begin();
    QUndoStack& undo = m_window->document().undoStack();
    const std::string start = m_window->document().text();
    QCOMPARE(undo.count(), 0);
    click(panel().model().presets(), QStringLiteral("llama-3.1-70b"));
    QCOMPARE(undo.count(), 1);
    QCOMPARE(undo.undoText(), QStringLiteral("Model → llama-3.1-70b"));
    panel().tabs()->setCurrentIndex(1);
    type(panel().hardware().nodes(), "4");
    QCOMPARE(undo.count(), 2);
    QCOMPARE(undo.undoText(), QStringLiteral("Hardware → 32 × H100-SXM-80GB"));
    QCOMPARE(workspace().layout.dp, 32);
    // The same again is no step.
    click(panel().hardware().devices(), QStringLiteral("H100-SXM-80GB"));
    QCOMPARE(undo.count(), 2);
    undo.undo();
    waitForPlan();
    QCOMPARE(workspace().layout.dp, 8);
    QCOMPARE(panel().hardware().nodes()->field()->text(), QStringLiteral("1"));
    undo.undo();
    waitForPlan();
    QCOMPARE(m_window->document().text(), start);
    QVERIFY(panel().stageFollows());
}

void TstSubject::aConfigInAFileOfItsOwnFollows()
{
    const auto write = [this](const char* name, const QByteArray& content) {
        QFile file(m_scratch->filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    };
    const QByteArray config = R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}})";
    const QByteArray text = R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 2048}, "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "H100-SXM-80GB"},
        "layout": {"dp": 8}, "dsConfig": "zero.json", "framework": {"name": "deepspeed"}})";
    QVERIFY(write("zero.json", config));
    QVERIFY(write("w.json", text));
    m_window->files().openPath(m_scratch->filePath(QStringLiteral("w.json")));
    waitForPlan();
    m_window->actions().subject->trigger();
    panel().tabs()->setCurrentIndex(1);
    QUndoStack& undo = m_window->document().undoStack();
    click(panel().hardware().devices(), QStringLiteral("H100-SXM-80GB"));
    QCOMPARE(undo.count(), 0);   // chosen already
    type(panel().hardware().nodes(), "2");
    QCOMPARE(undo.count(), 1);
    QCOMPARE(workspace().layout.dp, 16);
    QVERIFY(m_window->document().configText().find("\"train_batch_size\": 16") != std::string::npos);
    undo.undo();
    waitForPlan();
    QCOMPARE(workspace().layout.dp, 8);
    QVERIFY(m_window->document().configText().find("\"train_batch_size\": 8") != std::string::npos);
}

void TstSubject::adaptersStandBesideFrozenWeights()
{
    begin();
    QComboBox* adapter = panel().model().adapter();
    const std::int64_t full = peakBytes(*plan().plan);
    QVERIFY(adapter->isVisible());
    adapter->setCurrentIndex(2);
    emit adapter->activated(2);
    waitForPlan();
    QVERIFY(workspace().model.adapter.has_value());
    QCOMPARE(workspace().model.adapter->base, AdapterSection::Base::Nf4);
    QCOMPARE(*plan().plan->trainable, *planned().trainable);
    QVERIFY(*plan().plan->trainable < *plan().plan->params / 50);
    QVERIFY(peakBytes(*plan().plan) != full);
    type(panel().model().rank(), "64");
    QCOMPARE(workspace().model.adapter->rank, 64);
    panel().model().targets()->setCurrentIndex(1);
    emit panel().model().targets()->activated(1);
    waitForPlan();
    QVERIFY(!workspace().model.adapter->mlp);
    // Another model keeps them; none takes them out.
    click(panel().model().presets(), QStringLiteral("llama-2-13b"));
    QCOMPARE(workspace().model.adapter->rank, 64);
    adapter->setCurrentIndex(0);
    emit adapter->activated(0);
    waitForPlan();
    QVERIFY(!workspace().model.adapter.has_value());
}

void TstSubject::anotherModelKeepsTheSequenceItCanTake()
{
    begin();
    type(panel().model().sequence(), "8k");
    QVERIFY(!panel().model().sequence()->complaint().isEmpty() || plan().shape->seq == 8000);
    type(panel().model().sequence(), "2048");
    QCOMPARE(plan().shape->seq, 2048);
    click(panel().model().presets(), QStringLiteral("llama-2-7b"));
    QCOMPARE(plan().shape->seq, 2048);
    click(panel().model().presets(), QStringLiteral("gpt2"));   // 1,024 positions
    QVERIFY(plan().workspace.has_value());
    QCOMPARE(plan().shape->seq, 1024);
    const std::string before = m_window->document().text();
    type(panel().model().sequence(), "2048");
    QVERIFY(!panel().model().sequence()->complaint().isEmpty());
    QCOMPARE(m_window->document().text(), before);
}

void TstSubject::aGpuMakesAPlanOfDeepSpeed()
{
    openText(QByteArray::fromStdString(FileFlow::demoText()));
    QCOMPARE(workspace().framework.name, std::string("stagecraft"));
    m_window->actions().subject->trigger();
    QVERIFY(flow().isOpen());
    QVERIFY(!panel().stageFollows());
    const int before = stage();
    panel().tabs()->setCurrentIndex(1);
    click(panel().hardware().devices(), QStringLiteral("A100-SXM-80GB"));
    QCOMPARE(workspace().framework.name, std::string("deepspeed"));
    QCOMPARE(plan().settings->precision, Precision::Bf16);
    QCOMPARE(stage(), before);   // what a person chose stays
    QCOMPARE(m_window->document().undoStack().count(), 1);
    m_window->document().undoStack().undo();
    waitForPlan();
    QCOMPARE(workspace().framework.name, std::string("stagecraft"));
    // A device without bf16 trains in fp16; the CPU is our engine's again.
    click(panel().hardware().devices(), QStringLiteral("V100-SXM2-32GB"));
    QCOMPARE(plan().settings->precision, Precision::Fp16);
    m_window->document().undoStack().undo();
    waitForPlan();
    click(panel().hardware().devices(), QStringLiteral("A100-SXM-80GB"));
    click(panel().hardware().devices(), QStringLiteral("cpu"));
    QCOMPARE(workspace().framework.name, std::string("stagecraft"));
    // A model that our engine does not train is planned as DeepSpeed's.
    panel().tabs()->setCurrentIndex(0);
    panel().model().setSource(ModelChoice::Presets);
    click(panel().model().presets(), QStringLiteral("mixtral-8x7b"));
    QCOMPARE(workspace().framework.name, std::string("deepspeed"));
}

void TstSubject::parallelismShrinksToTheDevices()
{
    QByteArray text = workspaceOf("llama-3-8b", 2, 8, "deepspeed");
    text.replace("\"layout\": {\"dp\": 16}", "\"layout\": {\"dp\": 2, \"tp\": 4, \"pp\": 2}").replace("\"train_micro_batch_size_per_gpu\": 1", "\"train_batch_size\": 8, \"train_micro_batch_size_per_gpu\": 1");
    openText(text);
    m_window->actions().subject->trigger();
    panel().tabs()->setCurrentIndex(1);
    type(panel().hardware().nodes(), "4");
    QCOMPARE(workspace().layout.tp, 4);
    QCOMPARE(workspace().layout.pp, 2);
    QCOMPARE(workspace().layout.dp, 4);
    QCOMPARE(workspace().dsConfig["train_batch_size"].get<int>(), 16);
    type(panel().hardware().nodes(), "1");
    QCOMPARE(workspace().layout.ranks(), 8);
    QCOMPARE(workspace().layout.dp, 1);
    type(panel().hardware().perNode(), "6");   // 6 = tp 2 * dp 3
    QCOMPARE(workspace().layout.tp, 2);
    QCOMPARE(workspace().layout.pp, 1);
    QCOMPARE(workspace().layout.dp, 3);
    QCOMPARE(workspace().layout.ranks(), 6);
}

void TstSubject::theStageFollowsUntilItIsChosen()
{
    begin();
    click(panel().model().presets(), QStringLiteral("gpt2"));
    QCOMPARE(stage(), 0);
    page().setStage(3);
    waitForPlan();
    QVERIFY(!panel().stageFollows());
    click(panel().model().presets(), QStringLiteral("gpt2-medium"));
    QCOMPARE(stage(), 3);
    QTest::mouseClick(panel().follow(), Qt::LeftButton, {}, QPoint(8, panel().follow()->height() / 2));
    waitForPlan();
    QCOMPARE(stage(), 0);
}

QTEST_MAIN(TstSubject)
#include "tst_subject.moc"
