// SPDX-License-Identifier: GPL-3.0-or-later
// The window with the real command line and the real worker: what a person does, through the buttons and keys they use.
// Guards of 60 s bound a hung test; they are no promise of speed.
#include "app/actions.h"
#include "app/plan_page.h"
#include "app/run_charts.h"
#include "app/run_flow.h"
#include "app/run_header.h"
#include "app/run_notice.h"
#include "app/run_page.h"
#include "app/session/run_controller.h"
#include "visualizers/rank_strip_view.h"
#include "widgets/figure_strip.h"
#include "window_fixture.h"

#include <QAction>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMessageBox>
#include <QPushButton>
#include <QUndoStack>

#include <csignal>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {
constexpr int kGuardMs = 60'000;
constexpr int kDeathGuardMs = 10'000;   // the promise is 3 s on a machine that is not busy
}

class TstRealRun : public WindowTest {
    Q_OBJECT
private slots:
    void init() override;
    void cleanup() override;
    void demoIsStartedWatchedAndStopped();
    void aRunOutlivesItsWindow();
    void aKilledRankIsNamed();
    void aSecondStopAsks();

private:
    void openWindow();
    void openSmall();
    RunPage* page() { return m_window->findChild<RunPage*>(); }
    RunState state() { return m_window->runController().state(); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    bool waitForSteps(std::int64_t step);
    QJsonObject runJson();
    std::vector<pid_t> pids();
    QPushButton* button(const char* name) { return m_window->findChild<QPushButton*>(QLatin1String(name)); }
    static bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

    std::filesystem::path m_folder;   // of the run, also when there is no window
};

void TstRealRun::init()
{
    freshFolder();
    for (const char* home : {"STATE", "DATA", "CONFIG", "CACHE"})
        qputenv((QByteArray("XDG_") + home + "_HOME").constData(), m_scratch->filePath(QString::fromLatin1(home)).toUtf8());
    m_options.program = qEnvironmentVariable("STAGECRAFT_BIN_DIR").toStdString() + "/stagecraft";
    openWindow();
}

void TstRealRun::cleanup()
{
    // A test that failed must not leave ranks training: the supervisor ends them.
    if (const int supervisor = runJson()[QLatin1String("supervisorPid")].toInt(); supervisor > 0 && m_window && isLive(state()))
        ::kill(supervisor, SIGKILL);
    closeWindow();
    m_folder.clear();
}

void TstRealRun::openWindow()
{
    WindowTest::openWindow();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

/// A model whose step takes about a millisecond, training until it is stopped.
void TstRealRun::openSmall()
{
    QFile file(m_scratch->filePath(QStringLiteral("small.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 64, "layers": 2, "heads": 2, "kvHeads": 2, "ffn": 128, "vocab": 256, "seq": 64},
        "hardware": {"devicesPerNode": 2}, "training": {"steps": 1000000},
        "dsConfig": {"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": 0.001}}}})");
    file.close();
    m_window->files().openPath(file.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(m_window->plans().current() != nullptr && !m_window->plans().isBusy(), kGuardMs);
    QVERIFY(m_window->actions().launch->isEnabled());
}

void TstRealRun::press(Qt::Key key, Qt::KeyboardModifiers modifiers)
{
    QTest::keyClick(m_window.get(), key, modifiers);
}

bool TstRealRun::waitForSteps(std::int64_t step)
{
    const bool came = QTest::qWaitFor([&] { return !page()->model().loss->empty() && page()->model().loss->lastX() >= step; }, kGuardMs);
    m_folder = m_window->runController().runFolder();
    return came;
}

QJsonObject TstRealRun::runJson()
{
    QFile file(QString::fromStdString((m_folder / "run.json").string()));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

std::vector<pid_t> TstRealRun::pids()
{
    std::vector<pid_t> found;
    const QJsonArray ranks = runJson()[QLatin1String("ranks")].toArray();
    for (const auto& rank : ranks)
        found.push_back(static_cast<pid_t>(rank.toObject()[QLatin1String("pid")].toInt()));
    return found;
}

void TstRealRun::demoIsStartedWatchedAndStopped()
{
    m_window->actions().openDemo->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->plans().current() != nullptr && !m_window->plans().isBusy(), kGuardMs);
    QTest::mouseClick(button("launchButton"), Qt::LeftButton);
    QVERIFY(isLive(state()));
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(page()));
    QVERIFY(!m_window->actions().launch->isEnabled());
    QVERIFY(waitForSteps(2));
    QCOMPARE(state(), RunState::Running);

    const RunModel& model = page()->model();
    QCOMPARE(model.loss->firstX(), std::int64_t{1});
    QVERIFY(*model.loss->valueAt(0) > 7.0);   // random weights over 4096 tokens: ln(4096) = 8.3
    for (const auto& series : {model.tokensPerSecond, model.learningRate, model.gradNorm, model.stepSeconds})
        QCOMPARE(series->size(), model.loss->size());
    QVERIFY(*model.tokensPerSecond->valueAt(0) > 0);
    const std::vector<RankCard> cards = rankCards(model);
    QCOMPARE(cards.size(), std::size_t{2});
    for (const RankCard& card : cards) {
        QCOMPARE(card.state, RankState::Running);
        QVERIFY(card.memoryBytes > 0 && card.computeSeconds > 0);
    }
    // Planned beside measured: every phase, and every owner of memory to the byte, since the engine allocates what the plan says.
    QVERIFY(model.plan().stepSeconds.has_value());
    QVERIFY(model.plan().phases.has_value());
    QVERIFY((*model.plan().phases)[static_cast<std::size_t>(Phase::Forward)] > 0);
    QVERIFY((*model.plan().phases)[static_cast<std::size_t>(Phase::Backward)] > 0);
    QVERIFY(model.plan().items.size() >= 5);
    for (const RunModel::Rank& rank : model.ranks()) {
        std::int64_t sum = 0;
        for (const RunPlan::Item& item : model.plan().items) {
            const auto counted = rank.allocatedByKind.find(item.what);
            QVERIFY2(counted != rank.allocatedByKind.end(), item.what.c_str());
            QCOMPARE(counted->second, item.bytes);
            sum += counted->second;
        }
        QCOMPARE(sum, rank.last->allocatedBytes);
    }
    page()->frameTick();
    const QString figures = static_cast<RunHeader*>(page()->strip())->figures()->shownTexts().join(QLatin1Char('|'));
    QVERIFY2(figures.contains(QStringLiteral("Running")) && figures.contains(QStringLiteral("of 100")), qPrintable(figures));

    const auto ranks = pids();
    QCOMPARE(ranks.size(), std::size_t{2});
    press(Qt::Key_F5, Qt::ShiftModifier);
    QCOMPARE(state(), RunState::Stopping);
    QTRY_COMPARE_WITH_TIMEOUT(state(), RunState::Stopped, kGuardMs);
    QTRY_COMPARE_WITH_TIMEOUT(page()->model().info().status, RunStatus::Stopped, kGuardMs);
    QCOMPARE(runJson()[QLatin1String("status")].toString(), QStringLiteral("stopped"));
    for (const pid_t pid : ranks)
        QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), kGuardMs);
    // Stopped is no failure, and the window is ready for the next one.
    // What was saved can be continued.
    QTRY_VERIFY_WITH_TIMEOUT((page()->frameTick(), page()->notice()->content().title.contains(QStringLiteral("stopped"))), kGuardMs);
    QVERIFY(page()->notice()->content().edge != theme::Token::Error);
    QVERIFY(page()->notice()->findChild<QPushButton*>(QStringLiteral("continue")) != nullptr);
    QVERIFY(m_window->actions().launch->isEnabled());
    for (const RankCard& card : rankCards(page()->model()))
        QCOMPARE(card.state, RankState::Stopped);
}

void TstRealRun::aRunOutlivesItsWindow()
{
    openSmall();
    press(Qt::Key_F5);
    QVERIFY(waitForSteps(5));
    const std::int64_t seen = page()->model().loss->lastX();
    const auto ranks = pids();
    QCOMPARE(ranks.size(), std::size_t{2});
    m_window.reset();
    // It goes on with nobody looking.
    const QString metrics = QString::fromStdString((m_folder / "ranks" / "00001" / "metrics.ndjson").string());
    const qint64 before = QFileInfo(metrics).size();
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(metrics).size() > before + 4096, kGuardMs);
    for (const pid_t pid : ranks)
        QVERIFY(alive(pid));

    openWindow();
    QCOMPARE(state(), RunState::None);
    press(Qt::Key_F6);
    QCOMPARE(state(), RunState::Running);
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(page()));
    QVERIFY(waitForSteps(seen + 10));
    // No step is missing, from the first to the newest.
    const SeriesPyramid& loss = *page()->model().loss;
    QCOMPARE(loss.firstX(), std::int64_t{1});
    QCOMPARE(loss.size(), loss.lastX());
    for (std::int64_t i = 0; i < loss.size(); ++i)
        QCOMPARE(loss.xAt(i), i + 1);
    QCOMPARE(page()->model().badRecords(), std::int64_t{0});
    // Edits go on beside a run, and are undone like any other.
    const std::string text = m_window->document().text();
    press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(m_window->document().text(), text);
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(state(), RunState::Stopped, kGuardMs);
    for (const pid_t pid : ranks)
        QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), kGuardMs);
}

void TstRealRun::aKilledRankIsNamed()
{
    openSmall();
    // An edit made with the keyboard is what runs.
    m_window->findChild<PlanPage*>()->setStage(3);
    QVERIFY(m_window->document().text().find("\"stage\": 3") != std::string::npos);
    press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(m_window->document().text().find("\"stage\": 2") != std::string::npos);
    const QKeyCombination redo = m_window->actions().redo->shortcut()[0];   // Ctrl+Y or Ctrl+Shift+Z, as the platform has it
    press(redo.key(), redo.keyboardModifiers());
    QVERIFY(m_window->document().text().find("\"stage\": 3") != std::string::npos);
    press(Qt::Key_F5);
    QVERIFY(waitForSteps(3));
    QCOMPARE(page()->model().info().zeroStage, 3);
    const auto ranks = pids();
    QCOMPARE(ranks.size(), std::size_t{2});
    QElapsedTimer sinceDeath;
    sinceDeath.start();
    ::kill(ranks[1], SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(page()->notice()->content().title.startsWith(QStringLiteral("Rank 1 failed after step ")), kDeathGuardMs);
    qInfo("the window named the killed rank after %lld ms", static_cast<long long>(sinceDeath.elapsed()));
    QVERIFY(page()->notice()->isVisible());
    QCOMPARE(state(), RunState::Failed);
    QCOMPARE(runJson()[QLatin1String("failure")].toObject()[QLatin1String("rank")].toInt(), 1);
    for (const pid_t pid : ranks)
        QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), kGuardMs);
    QTRY_COMPARE_WITH_TIMEOUT(rankCards(page()->model())[1].state, RankState::Failed, kGuardMs);

    // The first remedy is the filled button, and it works.
    auto* again = page()->notice()->findChild<QPushButton*>(QStringLiteral("launch"));
    QVERIFY(again && again->isEnabled());
    const auto first = m_folder;
    QTest::mouseClick(again, Qt::LeftButton);
    QVERIFY(waitForSteps(1));
    QVERIFY(m_folder != first);
    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(state(), RunState::Stopped, kGuardMs);
}

void TstRealRun::aSecondStopAsks()
{
    // Steps of many seconds: the first stop has not come through when the second is asked for.
    m_window->files().openDemo();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->plans().current() != nullptr && !m_window->plans().isBusy(), kGuardMs);
    QVERIFY(m_window->document().setValue("/dsConfig/gradient_accumulation_steps", "400", QStringLiteral("Accumulation 1 → 400")).hasValue());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->plans().isBusy(), kGuardMs);
    press(Qt::Key_F5);
    QTRY_COMPARE_WITH_TIMEOUT(state(), RunState::Running, kGuardMs);
    m_folder = m_window->runController().runFolder();
    const auto ranks = pids();
    QCOMPARE(ranks.size(), std::size_t{2});
    press(Qt::Key_F5, Qt::ShiftModifier);
    QCOMPARE(state(), RunState::Stopping);
    const auto question = [this] { return m_window->findChild<QMessageBox*>(QStringLiteral("killQuestion")); };
    QVERIFY(!question());

    press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY(question());
    QVERIFY(question()->text().contains(QString::fromStdString(m_folder.filename().string())));
    QTest::keyClick(question(), Qt::Key_Return);   // the answer that loses nothing is preset
    QTRY_VERIFY(!question());
    QCOMPARE(state(), RunState::Stopping);
    for (const pid_t pid : ranks)
        QVERIFY(alive(pid));

    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    press(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(question());
    auto* kill = question()->findChild<QPushButton*>(QStringLiteral("killButton"));
    QVERIFY(kill && kill->text().contains(QString::fromStdString(m_folder.filename().string())));
    QTest::mouseClick(kill, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!isLive(state()), kGuardMs);
    QCOMPARE(state(), RunState::Stopped);
    for (const pid_t pid : ranks)
        QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), kGuardMs);
}

QTEST_MAIN(TstRealRun)
#include "tst_real_run.moc"
