// SPDX-License-Identifier: GPL-3.0-or-later
// What the wizard says of an answer: its own effect, how many questions follow, what it changes in the end.
#include "wizard_fixture.h"

#include "app/translations.h"
#include "widgets/panel.h"
#include "widgets/tone_label.h"

#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTableWidget>

using namespace stagecraft;
using namespace stagecraft::app;

class TstWizardEffects : public WizardTest {
    Q_OBJECT
private slots:
    void theEffectIsThatOfTheAnswerItStandsBeside();
    void oneRefusalIsSaidOnce();
    void autoIsTakenWhereTheTrainerFillsItIn();
    void theCountFollowsTheAnswers();
    void theEndListsValues();
    void anOffloadThatIsKeptAsksForItsPath();
    void expertsThatNoForecastHasAreSaidToBeSo();
    void whoTrainsItIsSaidWithoutGapsInChinese();
};

void TstWizardEffects::whoTrainsItIsSaidWithoutGapsInChinese()
{
    static const QRegularExpression gap(QStringLiteral("[\\p{Han}，。：] [\\p{Han}]|[，。：] "));
    Translations translations;
    translations.apply(Language::SimplifiedChinese);
    const auto ground = [this] { return m_wizard->groundLabel() ? m_wizard->groundLabel()->text() : QString(); };
    goTo(QStringLiteral("stage"));
    QTRY_VERIFY2(ground().contains(QStringLiteral("训练方：本引擎")), qPrintable(ground()));
    QVERIFY2(!gap.match(ground()).hasMatch(), qPrintable(ground()));
    // Not all of these answers are trained by our engine: the sentence behind it begins without a gap as well.
    choose("2");
    goTo(QStringLiteral("offload_optimizer"));
    QTRY_VERIFY2(ground().contains(QStringLiteral("训练方：DeepSpeed。本引擎")), qPrintable(ground()));
    QVERIFY2(m_wizard->baseLabel()->text().startsWith(QStringLiteral("目前（由 DeepSpeed 训练）：")), qPrintable(m_wizard->baseLabel()->text()));   // no other trainer's numbers in silence
    QVERIFY2(!gap.match(ground()).hasMatch(), qPrintable(ground()));
}

// A stage that was answered before is no effect of the answers after it.
void TstWizardEffects::theEffectIsThatOfTheAnswerItStandsBeside()
{
    const auto ready = [this] { return !m_wizard->effects().empty() && m_wizard->effects().back().has_value(); };
    goTo(QStringLiteral("stage"));
    choose("3");
    QTRY_VERIFY(ready());
    const std::int64_t peak = m_wizard->effects().back()->peak;
    QVERIFY(peak != m_wizard->effects().front()->peak);
    for (const char* id : {"zero_init", "clipping"}) {
        while (m_wizard->backButton()->isEnabled())
            QTest::mouseClick(m_wizard->backButton(), Qt::LeftButton);
        goTo(QString::fromUtf8(id));
        QTRY_VERIFY(ready());
        QVERIFY2(m_wizard->baseLabel()->text().startsWith(QStringLiteral("With the other answers: ")), qPrintable(m_wizard->baseLabel()->text()));
        for (const QLabel* label : m_wizard->findChildren<QLabel*>())
            QVERIFY2(!label->text().contains(QStringLiteral("(−")) && !label->text().contains(QStringLiteral("(+")), qPrintable(label->text()));
        QCOMPARE(m_wizard->effects().front()->peak, peak);
    }
    // Back at the question its answers are compared with what the others leave, at the end with the workspace.
    while (m_wizard->questionId() != QLatin1String("stage"))
        QTest::mouseClick(m_wizard->backButton(), Qt::LeftButton);
    QTRY_VERIFY(ready());
    QVERIFY2(m_wizard->baseLabel()->text().startsWith(QStringLiteral("As it is: ")), qPrintable(m_wizard->baseLabel()->text()));
    goToEnd();
    QTRY_VERIFY(ready());
    QVERIFY2(m_wizard->baseLabel()->text().startsWith(QStringLiteral("As it is: ")), qPrintable(m_wizard->baseLabel()->text()));
}

void TstWizardEffects::oneRefusalIsSaidOnce()
{
    m_document->openText(withValue(withValue(FileFlow::demoText(), "/framework/name", "\"deepspeed\""), "/dsConfig", R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 1, "overlap_com": true}})"), QStringLiteral("refused"));
    m_wizard->start();
    const auto said = [this](const QString& words) {
        const auto labels = m_wizard->findChildren<QLabel*>();
        return std::count_if(labels.begin(), labels.end(), [&words](const QLabel* label) { return label->text().contains(words); });
    };
    QTRY_COMPARE(said(QStringLiteral("DeepSpeed refuses it: ")), 1);
    const QString first = m_wizard->questionId();
    goTo(QStringLiteral("stage"));
    QTRY_VERIFY(m_wizard->effects().size() == 4 && m_wizard->effects().back().has_value());
    QVERIFY2(m_wizard->baseLabel()->text().startsWith(QStringLiteral("As it is: DeepSpeed still refuses it, for what question 1 says.")), qPrintable(m_wizard->baseLabel()->text()));
    QCOMPARE(said(QStringLiteral("DeepSpeed refuses it: ")), 0);
    QCOMPARE(said(QStringLiteral("refuse")), 1);
    QVERIFY2(m_wizard->baseLabel()->text().endsWith(QStringLiteral("The answers here do not change that.")), qPrintable(m_wizard->baseLabel()->text()));
    // What nobody has typed yet may change it.
    goTo(QStringLiteral("clipping"));
    QTRY_VERIFY(m_wizard->effects().size() == 1 && m_wizard->effects().back().has_value());
    QVERIFY2(m_wizard->baseLabel()->text().contains(QStringLiteral("still refuses it")) && !m_wizard->baseLabel()->text().contains(QStringLiteral("do not change")), qPrintable(m_wizard->baseLabel()->text()));
    m_wizard->findChild<QLineEdit*>()->setText(QStringLiteral("0.5"));
    QTRY_VERIFY2(m_wizard->baseLabel()->text().endsWith(QStringLiteral("do not change that.")), qPrintable(m_wizard->baseLabel()->text()));
    // Back where it was said it is said again, and at the end.
    while (m_wizard->questionId() != first)
        QTest::mouseClick(m_wizard->backButton(), Qt::LeftButton);
    QTRY_COMPARE(said(QStringLiteral("DeepSpeed refuses it: ")), 1);
    goToEnd();
    QTRY_VERIFY2(m_wizard->baseLabel()->text().contains(QStringLiteral("DeepSpeed refuses it: ")), qPrintable(m_wizard->baseLabel()->text()));
    // Where an answer takes it away, the others say that they do not.
    m_document->openText(withValue(m_document->text(), "/dsConfig", R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}})"), QStringLiteral("auto"));
    m_wizard->start();
    goTo(QStringLiteral("filler"));
    QTRY_VERIFY(m_wizard->effects().size() == 3 && m_wizard->effects().back().has_value());
    QVERIFY(said(QStringLiteral("DeepSpeed refuses it: ")) + said(QStringLiteral("DeepSpeed still refuses it")) == 1);
    QCOMPARE(said(QStringLiteral("still refused")), 1);
    QVERIFY2(!m_wizard->baseLabel()->text().contains(QStringLiteral("do not change")), qPrintable(m_wizard->baseLabel()->text()));
}

void TstWizardEffects::autoIsTakenWhereTheTrainerFillsItIn()
{
    const std::string config = R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}})";
    m_document->openText(withValue(withValue(FileFlow::demoText(), "/framework/name", "\"deepspeed\""), "/dsConfig", config), QStringLiteral("auto"));
    m_wizard->start();
    goTo(QStringLiteral("filler"));
    QTRY_VERIFY(m_wizard->effects().size() == 3 && m_wizard->effects().back().has_value());
    QVERIFY(!m_wizard->effects()[0]->refused.isEmpty());
    QVERIFY2(m_wizard->effects()[1]->refused.isEmpty(), qPrintable(m_wizard->effects()[1]->refused));
    choose("\"transformers\"");
    goTo(QStringLiteral("precision"));
    QVERIFY(m_wizard->findChild<QRadioButton*>(QStringLiteral("\"auto\"")));
    goToEnd();
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    QCOMPARE(m_document->undoStack().count(), 1);
    QVERIFY2(effectOf(m_document->text(), m_document->folder()).refused.isEmpty(), qPrintable(effectOf(m_document->text(), m_document->folder()).refused));
}

void TstWizardEffects::theCountFollowsTheAnswers()
{
    const auto count = [this] {
        for (const ToneLabel* label : m_wizard->findChild<PanelHeader*>()->findChildren<ToneLabel*>())
            if (label->text().startsWith(QStringLiteral("question ")))
                return label->text().section(QLatin1Char(' '), -1).toInt();
        return -1;
    };
    goTo(QStringLiteral("stage"));
    choose("1");
    const int few = count();
    choose("3");
    QVERIFY2(few > 0 && count() > few, qPrintable(QString::number(count())));
    choose("1");
    QCOMPARE(count(), few);
    // A workspace that asks other questions before this one leaves the wizard at it.
    goTo(QStringLiteral("clipping"));
    QVERIFY(m_document->setValue("/dsConfig/zero_optimization/stage", "0", QStringLiteral("Stage")).hasValue());
    QCOMPARE(m_wizard->questionId(), QStringLiteral("clipping"));
    while (m_wizard->questionId() != QLatin1String("stage"))
        QTest::mouseClick(m_wizard->backButton(), Qt::LeftButton);
    choose("0");
    goTo(QStringLiteral("clipping"));
    QVERIFY(m_document->setValue("/dsConfig/gradient_clipping", "0.5", QStringLiteral("Clip")).hasValue());
    QCOMPARE(m_wizard->questionId(), QStringLiteral("clipping"));
}

void TstWizardEffects::theEndListsValues()
{
    goTo(QStringLiteral("stage"));
    choose("3");
    goTo(QStringLiteral("offload_param"));
    choose("\"nvme\"");
    goTo(QStringLiteral("nvme_path"));
    m_wizard->findChild<QLineEdit*>()->setText(QStringLiteral("/mnt/nvme/swap/of/this/machine"));
    goToEnd();
    const auto* changes = m_wizard->findChild<QTableWidget*>(QStringLiteral("wizardChanges"));
    QVERIFY(changes);
    QStringList rows;
    for (int row = 0; row < changes->rowCount(); ++row)
        rows << changes->item(row, 0)->text() + QLatin1Char(' ') + changes->item(row, 2)->text();
    QVERIFY2(rows.contains(QStringLiteral("zero_optimization.offload_param.device \"nvme\"")), qPrintable(rows.join(QLatin1Char('\n'))));
    QVERIFY2(rows.contains(QStringLiteral("zero_optimization.offload_param.pin_memory true")), qPrintable(rows.join(QLatin1Char('\n'))));
    for (int row = 0; row < changes->rowCount(); ++row) {
        const QTableWidgetItem* then = changes->item(row, 2);
        const bool whole = QFontMetrics(then->font()).horizontalAdvance(then->text()) + 12 <= changes->columnWidth(2);
        QVERIFY2(whole || (then->text().size() > 14 && then->toolTip() == then->text()), qPrintable(then->text()));
    }
    // One step in the patch may be undone by the next: what is listed is what changes.
    rows.removeDuplicates();
    QCOMPARE(rows.size(), changes->rowCount());
}

// What stands in the file is no better for being ticked already.
void TstWizardEffects::anOffloadThatIsKeptAsksForItsPath()
{
    const std::string config = R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "nvme"}}})";
    m_document->openText(withValue(withValue(FileFlow::demoText(), "/framework/name", "\"deepspeed\""), "/dsConfig", config), QStringLiteral("kept"));
    m_wizard->start();
    goTo(QStringLiteral("stage"));
    choose("3");
    goTo(QStringLiteral("offload_optimizer"));
    QVERIFY(m_wizard->findChild<QRadioButton*>(QStringLiteral("\"nvme\""))->isChecked());
    QTRY_VERIFY(m_wizard->effects().size() == 3 && m_wizard->effects().back().has_value());
    QVERIFY2(m_wizard->effects()[1]->refused.isEmpty(), qPrintable(m_wizard->effects()[1]->refused));
    QVERIFY2(m_wizard->effects()[2]->refused.contains(QStringLiteral("nvme_path")), qPrintable(m_wizard->effects()[2]->refused));
    goTo(QStringLiteral("nvme_path"));
    QTRY_VERIFY(m_wizard->effects().size() == 1 && m_wizard->effects().front().has_value());
    QVERIFY2(m_wizard->effects().front()->refused.isEmpty(), qPrintable(m_wizard->effects().front()->refused));
    goToEnd();
    QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
    QVERIFY2(m_document->text().find("\"nvme_path\": \"/local_nvme\"") != std::string::npos, m_document->text().c_str());
}

// Also where DeepSpeed refuses the file for something else: Yes and No with the same numbers would be a riddle.
void TstWizardEffects::expertsThatNoForecastHasAreSaidToBeSo()
{
    for (const char* more : {"", R"(, "overlap_com": true)"}) {
        const std::string config = R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 1)" + std::string(more) + R"(}, "expert_parallel": {"enabled": true, "autoep_size": 1}})";
        m_document->openText(withValue(withValue(FileFlow::demoText(), "/framework/name", "\"deepspeed\""), "/dsConfig", config), QStringLiteral("experts"));
        m_wizard->start();
        goTo(QStringLiteral("moe"));
        QTRY_VERIFY(m_wizard->effects().size() == 2 && m_wizard->effects().back().has_value());
        const auto labels = m_wizard->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().contains(QStringLiteral("choose one with experts")); }));
    }
}

QTEST_MAIN(TstWizardEffects)
#include "tst_wizard_effects.moc"
