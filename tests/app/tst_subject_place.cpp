// SPDX-License-Identifier: GPL-3.0-or-later
// Where the panel for model and hardware stands, how keys alone use it, and its language.
#include "app/output_panels.h"
#include "app/plan_strip.h"
#include "subject_fixture.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

using namespace stagecraft;
using namespace stagecraft::app;

class TstSubjectPlace : public SubjectTest {
    Q_OBJECT
private slots:
    void keysAloneChoose();
    void itStandsInTheInspectorsPlace();
    void nothingIsCutInANarrowPlace_data();
    void nothingIsCutInANarrowPlace();
    void aNarrowWindowHasItInTheDrawer();
    void aRefusedNumberStopsWhatFollows();
    void itSpeaksChinese();
    void hostMemoryIsSaidHere();
};

/// What a node's host has is said where the devices are; the verdict that waits for it leads there.
void TstSubjectPlace::hostMemoryIsSaidHere()
{
    QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    openText(text.replace("\"stage\": 2", "\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}").replace("\"zero_optimization\"", "\"optimizer\": {\"type\": \"AdamW\"}, \"zero_optimization\""));
    const std::string before = m_window->document().text();
    QVERIFY(plan().plan->fit && plan().plan->fit->hostNeed > 0);
    auto& strip = *m_window->findChild<PlanStrip*>();
    QVERIFY(strip.asksHostMemory());
    emit strip.clicked(QStringLiteral("verdict"));
    QVERIFY(flow().isOpen());
    // So does the finding that says the same.
    flow().close();
    emit m_window->findChild<OutputPanels*>()->findingActivated(QStringLiteral("/hardware/hostMemoryGiB"));
    QVERIFY(flow().isOpen());
    NumberRow* host = panel().hardware().host();
    QVERIFY(host->field()->isVisible());
    QCOMPARE(panel().tabs()->currentIndex(), 1);
    QCOMPARE(host->field()->placeholderText(), QStringLiteral("not said"));
    QVERIFY(host->field()->text().isEmpty());
    QCOMPARE(host->field()->accessibleName(), QStringLiteral("Host memory, GiB"));

    type(host, "512 GiB");
    QVERIFY2(host->complaint().isEmpty(), qPrintable(host->complaint()));
    QCOMPARE(workspace().hardware.hostMemoryBytes, std::int64_t{512} << 30);
    QCOMPARE(plan().plan->fit->hostUsable, std::int64_t{512} << 30);
    QVERIFY(!strip.asksHostMemory());
    QCOMPARE(m_window->document().undoStack().undoText(), QStringLiteral("Host memory → 512 GiB"));
    type(host, "96.5");
    QCOMPARE(workspace().hardware.hostMemoryBytes, static_cast<std::int64_t>(96.5 * (1 << 30)));
    QCOMPARE(host->field()->text(), QStringLiteral("96.5"));
    for (const char* wrong : {"0", "-3", "a lot", "2000000", "512 GB"}) {
        type(host, wrong);
        QVERIFY2(!host->complaint().isEmpty(), wrong);
        QCOMPARE(workspace().hardware.hostMemoryBytes, static_cast<std::int64_t>(96.5 * (1 << 30)));
        QTest::keyClick(host->field(), Qt::Key_Escape);
    }
    // Nothing is a value too: it is no longer said.
    type(host, " ");
    QCOMPARE(workspace().hardware.hostMemoryBytes, std::int64_t{0});
    QCOMPARE(m_window->document().text().find("hostMemoryGiB"), std::string::npos);
    QCOMPARE(m_window->document().undoStack().count(), 3);
    for (int i = 0; i < 3; ++i)
        m_window->actions().undo->trigger();
    waitForPlan();
    QCOMPARE(m_window->document().text(), before);
    QVERIFY(host->field()->text().isEmpty());

    // On this machine's CPU the machine's own memory stands there, as what holds while nobody says another.
    click(panel().hardware().devices(), QStringLiteral("cpu"));
    QVERIFY(host->field()->text().isEmpty());
    QVERIFY2(host->field()->placeholderText().toDouble() > 0, qPrintable(host->field()->placeholderText()));
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_COMPARE(host->name(), QStringLiteral("主机内存"));
}

void TstSubjectPlace::keysAloneChoose()
{
    m_window->activateWindow();
    begin();
    QLineEdit* search = panel().model().presets()->search();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QTRY_VERIFY(search->hasFocus());
    QTest::keyClicks(search, QStringLiteral("qwen 7b"));
    QTest::keyClick(search, Qt::Key_Return);
    waitForPlan();
    QCOMPARE(workspace().model.preset, std::string("qwen2.5-7b"));
    QTest::keyClick(search, Qt::Key_Escape);   // empties the search first
    QVERIFY(search->text().isEmpty());
    QVERIFY(flow().isOpen());
    QTest::keyClick(search, Qt::Key_Escape);
    QVERIFY(!flow().isOpen());
}

/// A number that waits to be mended stands for nothing: nobody launches or copies past it, from either tab, and who leaves is told.
void TstSubjectPlace::aRefusedNumberStopsWhatFollows()
{
    openText(workspaceOf("llama-2-7b", 1, 8, "deepspeed").replace("\"bf16\"", R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16")"));   // one that DeepSpeed starts
    m_window->actions().subject->trigger();
    panel().model().setSource(ModelChoice::Sizes);
    const std::string before = m_window->document().text();
    const NumberRow* heads = panel().model().sizeRow(ModelChoice::Heads);
    type(heads, "30");
    QVERIFY(!heads->complaint().isEmpty());
    QSignalSpy refused(&m_window->actions(), &Actions::editRefused);
    m_window->actions().launch->trigger();
    m_window->actions().copyCommand->trigger();
    QCOMPARE(refused.count(), 2);
    QVERIFY(refused.first().first().toString().contains(heads->complaint()));
    const int shown = panel().tabs()->currentIndex();
    panel().tabs()->setCurrentIndex(1 - shown);
    m_window->actions().launch->trigger();
    QCOMPARE(refused.count(), 3);
    panel().tabs()->setCurrentIndex(shown);
    QSignalSpy left(&flow(), &SubjectFlow::refused);
    m_window->actions().pages().at(1)->trigger();
    QCOMPARE(left.count(), 1);
    QCOMPARE(m_window->document().text(), before);
    // It is there to be mended, and then nothing is in the way.
    m_window->actions().pages().at(0)->trigger();
    m_window->actions().subject->trigger();
    QVERIFY(panel().isVisible());
    type(heads, "32");
    QVERIFY(heads->complaint().isEmpty());
    m_window->actions().copyCommand->trigger();
    QCOMPARE(refused.count(), 3);
}

void TstSubjectPlace::nothingIsCutInANarrowPlace_data()
{
    QTest::addColumn<bool>("chinese");
    QTest::newRow("English") << false;
    QTest::newRow("Chinese") << true;
}

void TstSubjectPlace::nothingIsCutInANarrowPlace()
{
    QFETCH(bool, chinese);
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    if (chinese)
        m_window->setLanguage(Language::SimplifiedChinese);
    m_window->resize(1280, 860);
    m_window->actions().subject->trigger();
    for (const auto source : {ModelChoice::Presets, ModelChoice::HuggingFace, ModelChoice::Sizes, ModelChoice::Count}) {
        panel().model().setSource(source);
        QCoreApplication::processEvents();
        QStringList cut;
        for (const QWidget* part : panel().findChildren<QWidget*>()) {
            const int right = part->mapTo(&panel(), QPoint(0, 0)).x() + part->width();
            if (part->isVisible() && right > panel().width())
                cut << QStringLiteral("%1 %2: %3 of %4").arg(QLatin1String(part->metaObject()->className()), part->objectName()).arg(right).arg(panel().width());
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
    }
    m_window->setLanguage(Language::English);
}

void TstSubjectPlace::itStandsInTheInspectorsPlace()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    m_window->resize(1440, 900);
    QVERIFY(m_window->inspector().isVisible());
    QTest::mouseClick(page().titleControls()->findChild<QPushButton*>(QStringLiteral("chooseSubject")), Qt::LeftButton);
    QVERIFY(panel().isVisible());
    QVERIFY(!m_window->inspector().isVisible());
    QTest::mouseClick(panel().closeButton(), Qt::LeftButton);
    QVERIFY(m_window->inspector().isVisible());
    // The subject in the title row leads there as well; another page puts the inspector back.
    auto* subject = m_window->findChild<QLabel*>(QStringLiteral("subject"));
    QVERIFY(subject);
    QTest::mouseClick(subject, Qt::LeftButton, {}, QPoint(10, subject->height() / 2));
    QVERIFY(flow().isOpen());
    m_window->showPage(2);
    QVERIFY(!flow().isOpen());
    m_window->showPage(0);
    m_window->actions().subject->trigger();
    QVERIFY(flow().isOpen());
    m_window->document().close();
    QVERIFY(!flow().isOpen());
    QVERIFY(!m_window->actions().subject->isEnabled());
}

void TstSubjectPlace::aNarrowWindowHasItInTheDrawer()
{
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    m_window->resize(1024, 700);
    m_window->actions().subject->trigger();
    QVERIFY(panel().isVisible());
    QVERIFY(m_window->rect().contains(QRect(panel().mapTo(m_window.get(), QPoint(0, 0)), panel().size())));
    QTest::mouseClick(panel().closeButton(), Qt::LeftButton);
    QVERIFY(!panel().isVisible());
    QVERIFY(!m_window->inspector().isVisible());   // the drawer was opened for the panel alone
}

void TstSubjectPlace::itSpeaksChinese()
{
    begin();
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_COMPARE(panel().tabs()->tabText(0), QStringLiteral("模型"));
    waitForPlan();
    waitForRows();
    QCOMPARE(panel().tabs()->tabText(1), QStringLiteral("硬件"));
    QVERIFY(panel().model().presets()->item(QStringLiteral("llama-3-8b"))->data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("放得下")));
    panel().tabs()->setCurrentIndex(1);
    type(panel().hardware().nodes(), "0");
    QVERIFY(panel().hardware().nodes()->complaint().contains(QStringLiteral("整数")));
    QTest::keyClick(panel().hardware().nodes()->field(), Qt::Key_Escape);
    type(panel().hardware().nodes(), "2");
    QCOMPARE(m_window->document().undoStack().undoText(), QStringLiteral("硬件 → 16 × H100-SXM-80GB"));
}

QTEST_MAIN(TstSubjectPlace)
#include "tst_subject_place.moc"
