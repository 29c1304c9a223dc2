// SPDX-License-Identifier: GPL-3.0-or-later
// The wizard through its own buttons and fields: back and forth, the effect of every answer, one undo step at the end.
#include "wizard_fixture.h"

#include "app/config_alone.h"
#include "app/config_document_page.h"
#include "widgets/config_page.h"
#include "widgets/tone_label.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSet>
#include <QSignalSpy>
#include <QTableWidget>

using namespace stagecraft;
using namespace stagecraft::app;

class TstConfigWizard : public WizardTest {
    Q_OBJECT
private slots:
    void everyOptionShowsItsEffect();
    void offloadHasNumbersWithOurEngineToo();
    void numbersSayWhatTheyAreOf();
    void machinesAreNamedOnceAndAssumedOnesSo();
    void expertsAreAskedForWhereThereAreSome();
    void whatHasNoEffectSaysSo();
    void whatIsRefusedDoesNotFit();
    void theChosenReleaseJudges();
    void answersAreKeptBackAndForth();
    void severalMachinesHaveALauncherOfTheirs();
    void keyboardGoesThroughAllQuestions();
    void keyboardEndsAtApply();
    void badNumbersDoNotGoOn();
    void endShowsTheChangesAndAppliesThemAsOneStep();
    void aConfigInItsOwnFileIsChangedThere();
    void theEndHasTheNumbersThatApplyGives();
    void whatIsRefusedNeverFits();
    void brokenTextIsSaid();
    void anEditElsewhereKeepsTheAnswers();
    void aMomentThatCannotBeReadKeepsTheAnswers();
    void closedItKeepsTheAnswers();
};

void TstConfigWizard::everyOptionShowsItsEffect()
{
    goTo(QStringLiteral("stage"));
    const auto ready = [this] {
        const auto& effects = m_wizard->effects();
        return effects.size() == 4 && std::all_of(effects.begin(), effects.end(), [](const auto& effect) { return effect.has_value(); });
    };
    QTRY_VERIFY(ready());
    const auto& effects = m_wizard->effects();
    for (const auto& effect : effects) {
        QVERIFY2(effect->error.isEmpty(), qPrintable(effect->error));
        QVERIFY(effect->peak > 0);
    }
    // The same numbers as the planner gives for the workspace with that stage in it.
    for (int stage = 0; stage < 4; ++stage) {
        const std::string text = withValue(m_document->text(), "/dsConfig/zero_optimization/stage", std::to_string(stage));
        QCOMPARE(effects[static_cast<std::size_t>(stage)]->peak, effectOf(text, m_document->folder()).peak);
    }
    QVERIFY(effects[0]->peak > effects[2]->peak);
}

void TstConfigWizard::offloadHasNumbersWithOurEngineToo()
{
    goTo(QStringLiteral("stage"));
    choose("2");
    goTo(QStringLiteral("offload_optimizer"));
    const auto ready = [this] {
        const auto& effects = m_wizard->effects();
        return effects.size() >= 2 && std::all_of(effects.begin(), effects.end(), [](const auto& effect) { return effect.has_value(); });
    };
    QTRY_VERIFY(ready());
    // Our engine keeps all states on the device: the answers are forecast as DeepSpeed trains them, every one of them.
    const auto& effects = m_wizard->effects();
    for (const auto& effect : effects) {
        QVERIFY2(effect->error.isEmpty() && effect->peak > 0 && effect->stepTime > 0, qPrintable(effect->error + effect->unknown));
        QVERIFY(effect->notByEngine.isEmpty() == (&effect == &effects.front()));
    }
    QVERIFY(effects[1]->peak != effects[0]->peak);
    const std::string cpu = withValue(withValue(m_document->text(), "/dsConfig/zero_optimization/stage", "2"), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\"}");
    QVERIFY(!effectOf(cpu, m_document->folder()).notByEngine.isEmpty());
    QCOMPARE(effects[1]->peak, effectOf(cpu, m_document->folder(), {}, WizardBehaviour::DeepSpeed).peak);
    const QString ground = m_wizard->groundLabel()->text();
    QVERIFY2(ground.contains(QStringLiteral("DeepSpeed")) && ground.contains(QStringLiteral("Our engine does not")) && ground.contains(effects[1]->notByEngine), qPrintable(ground));
    // A question that our engine trains every answer of has our engine's numbers again.
    goTo(QStringLiteral("clipping"));
    QTRY_VERIFY2(m_wizard->groundLabel()->text().contains(QStringLiteral("our engine")), qPrintable(m_wizard->groundLabel()->text()));
}

void TstConfigWizard::theEndHasTheNumbersThatApplyGives()
{
    // Our engine does not train the offload that is there, and trains what the answers make of it.
    m_document->openText(withValue(FileFlow::demoText(), "/dsConfig/zero_optimization", R"({"stage": 2, "offload_optimizer": {"device": "cpu"}})"), QStringLiteral("offload"));
    m_wizard->start();
    goTo(QStringLiteral("offload_optimizer"));
    choose("\"none\"");
    goToEnd();
    QTRY_VERIFY(!m_wizard->effects().empty() && m_wizard->effects().front().has_value());
    const auto& then = m_wizard->effects().front();
    QVERIFY2(m_wizard->groundLabel()->text().contains(QStringLiteral("our engine")), qPrintable(m_wizard->groundLabel()->text()));
    const std::int64_t promised = then->peak;
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    QCOMPARE(promised, effectOf(m_document->text(), m_document->folder()).peak);
    QVERIFY(promised > 0);
}

void TstConfigWizard::whatIsRefusedNeverFits()
{
    m_document->openText(withValue(withValue(FileFlow::demoText(), "/framework/name", "\"deepspeed\""), "/dsConfig/zero_optimization/overlap_com", "true"), QStringLiteral("refused"));
    m_wizard->start();
    goTo(QStringLiteral("stage"));
    const auto ready = [this] { return m_wizard->effects().size() == 4 && m_wizard->effects().front().has_value(); };
    QTRY_VERIFY(ready());
    for (const QLabel* label : m_wizard->findChildren<QLabel*>())
        QVERIFY2(!label->text().contains(QStringLiteral("fits")), qPrintable(label->text()));
}

void TstConfigWizard::numbersSayWhatTheyAreOf()
{
    QTRY_VERIFY2(m_wizard->groundLabel()->text().contains(QStringLiteral("CPU rank")), qPrintable(m_wizard->groundLabel()->text()));
    QVERIFY2(m_wizard->groundLabel()->text().contains(QStringLiteral("2 × ")), qPrintable(m_wizard->groundLabel()->text()));
}

void TstConfigWizard::machinesAreNamedOnceAndAssumedOnesSo()
{
    m_document->openText(withValue(workspaceAroundConfig(), "/dsConfig", R"({"train_batch_size": 16, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2}})"), QStringLiteral("alone"));
    m_wizard->start();
    goTo(QStringLiteral("machines"));
    const auto ground = [this] { return m_wizard->groundLabel()->text(); };
    QTRY_VERIFY2(ground().startsWith(QStringLiteral("The numbers are of ")) && ground().endsWith(QStringLiteral("Model and hardware are assumed: nobody has chosen them.")), qPrintable(ground()));
    m_wizard->findChild<QLineEdit*>()->setText(QStringLiteral("2"));
    QTRY_VERIFY2(ground().startsWith(QStringLiteral("Where an answer names no other, the numbers are of ")), qPrintable(ground()));
    QVERIFY(m_document->setValue("/model", R"({"preset": "llama-2-7b"})", QStringLiteral("model")).hasValue());
    QTRY_VERIFY2(ground().endsWith(QStringLiteral("The hardware is assumed: nobody has chosen it.")), qPrintable(ground()));
}

void TstConfigWizard::expertsAreAskedForWhereThereAreSome()
{
    const auto asked = [this] {
        for (int pages = 0; !m_wizard->questionId().isEmpty() && pages < 30; ++pages) {
            if (m_wizard->questionId() == QLatin1String("moe"))
                return true;
            QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
        }
        return false;
    };
    const auto askedFor = [&](const char* pointer, const char* json) {
        m_document->openText(withValue(FileFlow::demoText(), pointer, json), QStringLiteral("model"));
        m_wizard->start();
        return asked();
    };
    QVERIFY(!asked());   // the demo's model is dense
    QVERIFY(!askedFor("/model", R"({"preset": "llama-2-7b"})"));
    QVERIFY(askedFor("/model", R"({"preset": "mixtral-8x7b"})"));
    QVERIFY(askedFor("/model", R"({"params": 1e9})"));   // who knows
    QVERIFY(askedFor("/dsConfig/expert_parallel", R"({"enabled": true})"));   // to be taken back
    // While the model is only assumed, it may be any.
    m_document->openText(workspaceAroundConfig(), QStringLiteral("alone"));
    m_wizard->start();
    QVERIFY(asked());
    // What was answered for another model is no answer any more.
    QVERIFY(m_wizard->answer("true"));
    QVERIFY(m_document->setValue("/model", R"({"preset": "llama-2-7b"})", QStringLiteral("model")).hasValue());
    QCOMPARE(m_wizard->answers().count("moe"), std::size_t{0});
}

void TstConfigWizard::whatHasNoEffectSaysSo()
{
    m_document->openText(withValue(FileFlow::demoText(), "/model", R"({"params": 1e9})"), QStringLiteral("sizes"));
    m_wizard->start();
    goTo(QStringLiteral("moe"));
    const auto said = [this](const QString& words) {
        const auto labels = m_wizard->findChildren<QLabel*>();
        return std::count_if(labels.begin(), labels.end(), [&words](const QLabel* label) { return label->text().startsWith(words); });
    };
    QTRY_COMPARE(m_wizard->effects().size(), std::size_t{2});
    QTRY_VERIFY(m_wizard->effects().back().has_value());
    // The same figures beside Yes and No would read as if they had been made of them: they stand beside what is so already.
    QCOMPARE(said(QStringLiteral("not in the forecast")), 1);
    for (const auto& effect : m_wizard->effects())
        QVERIFY(effect->peak == m_wizard->effects().front()->peak);
}

void TstConfigWizard::whatIsRefusedDoesNotFit()
{
    // fp16 on CPUs is refused when the engine is built, however little memory it takes.
    QVERIFY(nlohmann::json::parse(m_document->text(), nullptr, false, true)["hardware"]["device"] == "cpu");
    goTo(QStringLiteral("precision"));
    const auto ready = [this] {
        const auto& effects = m_wizard->effects();
        return effects.size() == 3 && std::all_of(effects.begin(), effects.end(), [](const auto& effect) { return effect.has_value(); });
    };
    QTRY_VERIFY(ready());
    QVERIFY2(m_wizard->effects()[0]->refused.isEmpty() && m_wizard->effects()[1]->refused.isEmpty(), qPrintable(m_wizard->effects()[0]->refused));
    QVERIFY2(m_wizard->effects()[2]->refused.contains(QStringLiteral("fp16")), qPrintable(m_wizard->effects()[2]->refused));
    int refusals = 0;
    for (const ToneLabel* label : m_wizard->findChildren<ToneLabel*>())
        refusals += label->text().contains(m_wizard->effects()[2]->refused) && !label->text().contains(QStringLiteral("fits"));
    QCOMPARE(refusals, 1);
}

void TstConfigWizard::theChosenReleaseJudges()
{
    // 0.19.8 refuses the top-level key that earlier releases take.
    const std::string text = withValue(m_document->text(), "/dsConfig/amp", "{\"enabled\": false}");
    QVERIFY(!effectOf(text, m_document->folder()).refused.isEmpty());
    QVERIFY2(effectOf(text, m_document->folder(), {"0.18"}).refused.isEmpty(), qPrintable(effectOf(text, m_document->folder(), {"0.18"}).refused));
    m_document->openText(text, QStringLiteral("amp"));
    ConfigDocumentPage page(*m_document, nullptr);
    page.resize(1200, 700);
    page.show();
    page.view().setText(QByteArray::fromStdString(m_document->configText()));
    page.showWizard();
    const auto refused = [&] {
        const auto& effects = page.wizard().effects();
        return effects.empty() || !effects.front() ? -1 : effects.front()->refused.isEmpty() ? 0 : 1;
    };
    QTRY_COMPARE(refused(), 1);
    auto* release = page.view().findChild<QComboBox*>(QStringLiteral("release"));
    QVERIFY(release);
    const int older = release->findText(QStringLiteral("0.18"), Qt::MatchStartsWith);
    QVERIFY(older >= 0);
    release->setCurrentIndex(older);
    QTRY_COMPARE(refused(), 0);
    release->setCurrentIndex(0);
    QTRY_COMPARE(refused(), 1);
}

void TstConfigWizard::answersAreKeptBackAndForth()
{
    QVERIFY(!m_wizard->backButton()->isEnabled());
    goTo(QStringLiteral("stage"));
    choose("3");
    goTo(QStringLiteral("offload_param"));
    choose("\"nvme\"");
    goTo(QStringLiteral("nvme_path"));
    auto* field = m_wizard->findChild<QLineEdit*>();
    QVERIFY(field);
    QCOMPARE(field->text(), QStringLiteral("/local_nvme"));
    field->setText(QStringLiteral("/data/swap"));
    while (m_wizard->questionId() != QLatin1String("stage"))
        QTest::mouseClick(m_wizard->backButton(), Qt::LeftButton);
    QVERIFY(m_wizard->findChild<QRadioButton*>(QStringLiteral("3"))->isChecked());
    QCOMPARE(m_wizard->answers().at("nvme_path"), std::string("\"/data/swap\""));
    // A lower stage closes the questions that need stage 3; the way forward does not pass them.
    choose("1");
    QStringList passed;
    while (!m_wizard->questionId().isEmpty()) {
        passed << m_wizard->questionId();
        QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    }
    QVERIFY(passed.contains("offload_optimizer") && !passed.contains("offload_param") && !passed.contains("nvme_path") && !passed.contains("save_16bit"));
    QCOMPARE(m_document->undoStack().count(), 0);
}

/// What starts the ranks of one machine starts none of two: another answer stands there, and is taken with the step.
void TstConfigWizard::severalMachinesHaveALauncherOfTheirs()
{
    goTo(QStringLiteral("machines"));
    auto* field = m_wizard->findChild<QLineEdit*>();
    QVERIFY(field);
    field->setText(QStringLiteral("2"));
    goTo(QStringLiteral("launcher"));
    QVERIFY(!m_wizard->findChild<QRadioButton*>(QStringLiteral("\"local\"")));
    QVERIFY(m_wizard->findChild<QRadioButton*>(QStringLiteral("\"deepspeed\""))->isChecked());
    goToEnd();
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    const auto workspace = nlohmann::json::parse(m_document->text());
    QCOMPARE(workspace["hardware"]["nodes"].get<int>(), 2);
    QCOMPARE(workspace["launch"]["backend"].get<std::string>(), std::string("deepspeed"));
}

void TstConfigWizard::keyboardGoesThroughAllQuestions()
{
    m_wizard->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_wizard.get()));
    QSet<QString> seen;
    for (int pages = 0; !m_wizard->questionId().isEmpty() && pages < 30; ++pages) {
        QWidget* at = QApplication::focusWidget();
        QVERIFY2(at && m_wizard->isAncestorOf(at) && at->isVisible(), qPrintable(m_wizard->questionId()));
        // A question with answers to choose from is answered by the arrows, one without a choice by typing.
        QVERIFY2(qobject_cast<QRadioButton*>(at) || qobject_cast<QLineEdit*>(at), qPrintable(m_wizard->questionId()));
        seen << m_wizard->questionId();
        QTest::keyClick(at, Qt::Key_Return);
    }
    QVERIFY(m_wizard->questionId().isEmpty());
    QVERIFY(seen.size() > 4);
    QVERIFY(!m_wizard->nextButton()->isEnabled());  // nothing was answered, nothing to apply: the next key closes
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(m_wizard->closeButton()));
}

void TstConfigWizard::keyboardEndsAtApply()
{
    m_wizard->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_wizard.get()));
    for (int pages = 0; !m_wizard->questionId().isEmpty() && pages < 30; ++pages) {
        QWidget* at = QApplication::focusWidget();
        QVERIFY2(at && m_wizard->isAncestorOf(at), qPrintable(m_wizard->questionId()));
        if (m_wizard->questionId() == QLatin1String("stage"))
            QTest::keyClick(at, Qt::Key_Down);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    }
    QVERIFY(m_wizard->questionId().isEmpty());
    QVERIFY(m_wizard->nextButton()->isEnabled());
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(m_wizard->nextButton()));
    QSignalSpy closed(m_wizard.get(), &ConfigWizard::closed);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QCOMPARE(closed.count(), 1);
    QCOMPARE(m_document->undoStack().count(), 1);
}

void TstConfigWizard::badNumbersDoNotGoOn()
{
    goTo(QStringLiteral("accumulation"));
    auto* field = m_wizard->findChild<QLineEdit*>();
    QVERIFY(field);
    for (const char* bad : {"0", "-3", "1.5", "many"}) {
        field->setText(QString::fromUtf8(bad));
        QVERIFY2(!m_wizard->nextButton()->isEnabled() && field->property("invalid").toBool(), bad);
    }
    field->clear();
    QTest::keyClicks(field, "4");
    QVERIFY(m_wizard->nextButton()->isEnabled());
    QCOMPARE(m_wizard->answers().at("accumulation"), std::string("4"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(m_wizard->questionId() != QLatin1String("accumulation"));
}

void TstConfigWizard::endShowsTheChangesAndAppliesThemAsOneStep()
{
    const std::string before = m_document->text();
    goToEnd();
    QVERIFY(!m_wizard->nextButton()->isEnabled());  // nothing was answered, nothing to apply
    while (m_wizard->backButton()->isEnabled())
        QTest::mouseClick(m_wizard->backButton(), Qt::LeftButton);
    goTo(QStringLiteral("precision"));
    choose("\"bf16\"");
    goTo(QStringLiteral("stage"));
    choose("3");
    goTo(QStringLiteral("save_16bit"));
    choose("true");
    goToEnd();
    auto* changes = m_wizard->findChild<QTableWidget*>(QStringLiteral("wizardChanges"));
    QVERIFY(changes);
    QStringList keys;
    for (int row = 0; row < changes->rowCount(); ++row)
        keys << changes->item(row, 0)->text();
    QVERIFY2(keys.contains("zero_optimization.stage"), qPrintable(keys.join(' ')));
    QCOMPARE(m_document->text(), before);
    QSignalSpy closed(m_wizard.get(), &ConfigWizard::closed);
    QVERIFY(m_wizard->nextButton()->isEnabled());
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    QCOMPARE(closed.count(), 1);
    QCOMPARE(m_document->undoStack().count(), 1);
    QVERIFY(config()["zero_optimization"]["stage"] == 3);
    QVERIFY(config()["zero_optimization"]["stage3_gather_16bit_weights_on_model_save"] == true);
    QVERIFY(config()["bf16"]["enabled"] == true);
    m_document->undoStack().undo();
    QCOMPARE(m_document->text(), before);
}

void TstConfigWizard::aConfigInItsOwnFileIsChangedThere()
{
    const auto write = [this](const char* name, const QByteArray& bytes) {
        QFile file(m_scratch->filePath(QString::fromUtf8(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    };
    const QByteArray configText = "{\n  // kept\n  \"train_micro_batch_size_per_gpu\": 1,\n  \"zero_optimization\": {\"stage\": 1}\n}\n";
    nlohmann::json workspace = nlohmann::json::parse(FileFlow::demoText(), nullptr, true, true);
    workspace["dsConfig"] = "ds_config.json";
    write("ds_config.json", configText);
    write("w.json", QByteArray::fromStdString(workspace.dump(2)));
    QVERIFY(m_document->open(m_scratch->filePath(QStringLiteral("w.json")).toStdString()).hasValue());
    m_wizard->start();
    goTo(QStringLiteral("processes"));
    m_wizard->findChild<QLineEdit*>()->setText(QStringLiteral("4"));
    goTo(QStringLiteral("stage"));
    choose("2");
    goToEnd();
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    QCOMPARE(m_document->undoStack().count(), 1);
    QVERIFY(config()["zero_optimization"]["stage"] == 2);
    QVERIFY(m_document->configText().find("// kept") != std::string::npos);
    QVERIFY(nlohmann::json::parse(m_document->text())["hardware"]["devicesPerNode"] == 4);
    m_document->undoStack().undo();
    QCOMPARE(QByteArray::fromStdString(m_document->configText()), configText);
}

void TstConfigWizard::brokenTextIsSaid()
{
    m_document->openText("{\"dsConfig\": {", QStringLiteral("broken"));
    m_wizard->start();
    QVERIFY(m_wizard->questionId().isEmpty());
    QVERIFY(!m_wizard->nextButton()->isEnabled());
}

void TstConfigWizard::anEditElsewhereKeepsTheAnswers()
{
    goTo(QStringLiteral("stage"));
    choose("3");
    QVERIFY(m_document->setValue("/dsConfig/gradient_clipping", "0.5", QStringLiteral("Clip")).hasValue());
    QCOMPARE(m_wizard->questionId(), QStringLiteral("stage"));
    QCOMPARE(m_wizard->answers().at("stage"), std::string("3"));
    goTo(QStringLiteral("clipping"));
    QCOMPARE(m_wizard->findChild<QLineEdit*>()->text(), QStringLiteral("0.5"));
}

// Escape is one key away from whoever answered eight questions.
void TstConfigWizard::closedItKeepsTheAnswers()
{
    goTo(QStringLiteral("stage"));
    choose("3");
    QSignalSpy closed(m_wizard.get(), &ConfigWizard::closed);
    QTest::keyClick(m_wizard.get(), Qt::Key_Escape);
    QCOMPARE(closed.size(), 1);
    m_wizard->hide();
    m_wizard->show();
    m_wizard->resume();
    QCOMPARE(m_wizard->questionId(), QStringLiteral("stage"));
    QCOMPARE(m_wizard->answers().at("stage"), std::string("3"));
    goToEnd();
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    QVERIFY(config()["zero_optimization"]["stage"] == 3);
    // What was applied is answered, and another document's questions are its own.
    m_wizard->resume();
    QVERIFY(m_wizard->answers().empty());
    goTo(QStringLiteral("stage"));
    choose("1");
    m_wizard->hide();
    m_document->openText(FileFlow::demoText(), QStringLiteral("other"));
    m_wizard->show();
    m_wizard->resume();
    QVERIFY(m_wizard->answers().empty());
}

void TstConfigWizard::aMomentThatCannotBeReadKeepsTheAnswers()
{
    goTo(QStringLiteral("stage"));
    choose("3");
    const std::size_t end = m_document->configText().size();
    QVERIFY(m_document->applyEdit(WorkspaceDocument::Part::DsConfig, {end, end, "x"}, QStringLiteral("Typing")).hasValue());
    QVERIFY(m_wizard->questionId().isEmpty() && !m_wizard->nextButton()->isEnabled());
    QVERIFY(m_document->applyEdit(WorkspaceDocument::Part::DsConfig, {end, end + 1, ""}, QStringLiteral("Typing")).hasValue());
    QCOMPARE(m_wizard->questionId(), QStringLiteral("stage"));
    QCOMPARE(m_wizard->answers().at("stage"), std::string("3"));
    goToEnd();
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    QVERIFY(config()["zero_optimization"]["stage"] == 3);
}

QTEST_MAIN(TstConfigWizard)
#include "tst_config_wizard.moc"
