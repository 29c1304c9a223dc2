// SPDX-License-Identifier: GPL-3.0-or-later
// Faults on real processes. Guards of 10 s stand where the product promises 3 s; they bound a hung test, not a speed.
#include "launch/supervisor.h"

#include "base/atomic_file.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/run_lock.h"
#include "record/run_reader.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <sys/wait.h>
#include <thread>

using namespace stagecraft;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class TstSupervisor : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    RunFolder m_folder;

    SupervisorOptions optionsFor(const char* script, int world = 2)
    {
        SupervisorOptions options;
        options.runFolder = m_folder.root;
        options.info.id = "test";
        options.info.name = "test";
        options.info.world = world;
        options.worker = {FAKE_WORKER};
        options.environment = {std::string("FAKE_WORKER=") + script};
        options.killGrace = 300ms;
        return options;
    }

    RunInfo runWith(SupervisorOptions options, Supervisor::Tick tick = {})
    {
        auto supervisor = Supervisor::start(std::move(options), {}, std::move(tick));
        if (!supervisor.hasValue()) qFatal("%s", supervisor.error().message.c_str());
        return supervisor.value()->run();
    }

    std::vector<EventRecord> events()
    {
        std::vector<EventRecord> all;
        auto reader = RunReader::open(m_folder.root).value();
        for (RunUpdate update = reader.poll(); !update.empty(); update = reader.poll())
            all.insert(all.end(), update.events.begin(), update.events.end());
        if (reader.badRecords() != 0) qFatal("bad records");
        return all;
    }

    static bool alive(int pid) { return ::kill(pid, 0) == 0; }

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = {fs::path(m_dir->path().toStdString())};
    }

    void aGoodRunFinishes()
    {
        std::vector<RankView> shown;
        const RunInfo info = runWith(optionsFor(R"({"steps":6,"faults":[{"rank":1,"step":2,"do":"print","count":3}]})", 3), [&](const Supervisor& running) { shown = running.ranks(); });
        // What is seen last is where the ranks ended, not their last heartbeat.
        QCOMPARE(shown.size(), std::size_t{3});
        for (const RankView& view : shown) QVERIFY(view.state == "finished" && view.step == 6 && view.op.empty());
        QCOMPARE(info.status, RunStatus::Finished);
        QVERIFY(!info.failure);
        QCOMPARE(info.doneSteps, std::int64_t{6});
        QCOMPARE(info.ranks.size(), std::size_t{3});
        for (const auto& rank : info.ranks) { QCOMPARE(rank.exitCode.value_or(-1), 0); QCOMPARE(rank.state, std::string("finished")); }
        QCOMPARE(info.versions.at("torch"), std::string("9.9-fake"));
        QCOMPARE(readRunInfo(m_folder.root).value().status, RunStatus::Finished);
        QVERIFY(!RunLock::isHeld(m_folder.root));
        QVERIFY(!fs::exists(m_folder.attempt(0)));
        std::map<std::string, int> kinds;
        int printed = 0;
        for (const EventRecord& event : events()) {
            ++kinds[event.kind];
            QVERIFY(event.timeNs > 0);
            if (event.kind == "log" && fieldText(event, "text").starts_with("printed")) { ++printed; QCOMPARE(event.rank, 1); }
        }
        QCOMPARE(kinds["run_started"], 1);
        QCOMPARE(kinds["run_ended"], 1);
        QCOMPARE(kinds["step_finished"], 6);
        QCOMPARE(kinds["eval"], 3);
        QCOMPARE(printed, 3);
        auto reader = RunReader::open(m_folder.root).value();
        const RunUpdate update = reader.poll();
        QCOMPARE(update.steps.size(), std::size_t{18});
    }

    void aFaultIsNamed_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* script, int rank, const char* kind, const char* words) { QTest::newRow(name) << QString(script) << rank << QString(kind) << QString(words); };
        row("kill -9 of rank 1", R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"kill"}]})", 1, "signal", "SIGKILL");
        row("kill -9 of rank 0", R"({"steps":1000,"faults":[{"rank":0,"step":3,"do":"kill"}]})", 0, "signal", "SIGKILL");
        row("an invalid memory access", R"({"steps":1000,"faults":[{"rank":2,"step":2,"do":"segv"}]})", 2, "signal", "SIGSEGV");
        row("exit without a word", R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"exit","code":7}]})", 1, "exit", "the last words of the rank");
        row("exit 0 too early", R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"exit","code":0}]})", 1, "exit", "before it was done");
        row("failure in its own words", R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"fail","message":"tensor too large"}]})", 1, "error", "tensor too large");
        row("victims speak first", R"({"steps":1000,"faults":[{"rank":0,"step":3,"do":"fail","message":"Connection closed by peer","lingerMs":5000},{"rank":2,"step":3,"do":"fail","message":"gone","peerLost":true},{"rank":1,"step":3,"do":"kill","afterMs":150}]})", 1, "signal", "SIGKILL");
        row("a victim aborts in words, the culprit's end comes late", R"({"steps":1000,"faults":[{"rank":0,"step":3,"do":"abort","words":"terminate called\n  what():  [pair.cc:534] Connection closed by peer [127.0.0.1]:1\nframe 0: somewhere\n"},{"rank":1,"step":3,"do":"vanish","lingerMs":1000}]})", 1, "signal", "SIGKILL");
        row("a victim aborts without a word", R"({"steps":1000,"faults":[{"rank":0,"step":3,"do":"abort"},{"rank":1,"step":3,"do":"kill","afterMs":150}]})", 1, "signal", "SIGKILL");
        row("an abort of its own", R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"abort","words":"Assertion failed\n"}]})", 1, "signal", "Assertion failed");
        row("all in the same words", R"({"steps":1000,"faults":[{"rank":0,"step":3,"do":"fail","message":"loss is not finite"},{"rank":1,"step":3,"do":"fail","message":"loss is not finite"},{"rank":2,"step":3,"do":"fail","message":"loss is not finite"}]})", -1, "error", "every rank failed: loss is not finite");
        row("before the first step", R"({"steps":1000,"faults":[{"rank":2,"step":0,"do":"kill"}]})", 2, "signal", "SIGKILL");
        row("others that ignore SIGTERM", R"({"steps":1000,"faults":[{"rank":0,"step":1,"do":"ignore_term"},{"rank":1,"step":3,"do":"kill"}]})", 1, "signal", "SIGKILL");
        row("garbage on the socket, then death", R"({"steps":1000,"faults":[{"rank":1,"step":1,"do":"garbage"},{"rank":1,"step":3,"do":"kill"}]})", 1, "signal", "SIGKILL");
        row("a flood, then death", R"({"steps":1000,"faults":[{"rank":0,"step":1,"do":"flood"},{"rank":1,"step":2,"do":"kill"}]})", 1, "signal", "SIGKILL");
    }
    void aFaultIsNamed()
    {
        QFETCH(QString, script);
        QFETCH(int, rank);
        QFETCH(QString, kind);
        QFETCH(QString, words);
        QElapsedTimer timer;
        timer.start();
        const RunInfo info = runWith(optionsFor(script.toUtf8().constData(), 3));
        QVERIFY(timer.elapsed() < 10'000);
        QCOMPARE(info.status, RunStatus::Failed);
        QCOMPARE(info.failure->rank, rank);
        QCOMPARE(QString::fromStdString(info.failure->kind), kind);
        QVERIFY2(info.failure->message.find(words.toStdString()) != std::string::npos, info.failure->message.c_str());
        for (const auto& process : info.ranks) QVERIFY(!alive(process.pid));
        for (std::size_t r = 0; r < info.ranks.size(); ++r)
            if (rank < 0 || static_cast<int>(r) == rank) QCOMPARE(info.ranks[r].state, std::string("failed"));
        const auto all = events();
        QCOMPARE(std::count_if(all.begin(), all.end(), [](const EventRecord& e) { return e.kind == "failure"; }), std::ptrdiff_t{1});
        QCOMPARE(all.back().kind, std::string("run_ended"));
        QVERIFY(!fs::exists(m_folder.attempt(0)));
    }

    void hangsAreNamed_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("alive without progress") << QString(R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"hang"},{"rank":0,"step":5,"do":"hang"}]})");
        QTest::newRow("never reports") << QString(R"({"steps":1000,"faults":[{"rank":1,"do":"silent"}]})");
        QTest::newRow("a save that stands still") << QString(R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"save","moves":false,"seconds":1000},{"rank":0,"step":3,"do":"wait","seconds":1000}]})");
        QTest::newRow("a process that stands still") << QString(R"({"steps":1000,"faults":[{"rank":1,"step":3,"do":"freeze"},{"rank":0,"step":3,"do":"hang"}]})");
    }
    void hangsAreNamed()
    {
        QFETCH(QString, script);
        auto options = optionsFor(script.toUtf8().constData());
        // Long beside a heartbeat (50 ms here), even on a machine that is busy with other things.
        options.hangTimeout = 2000ms;
        options.startTimeout = 3000ms;
        const RunInfo info = runWith(std::move(options));
        QCOMPARE(info.status, RunStatus::Failed);
        QCOMPARE(info.failure->kind, std::string("hang"));
        QCOMPARE(info.failure->rank, 1);
        QCOMPARE(info.ranks[1].state, std::string("failed"));
        QCOMPARE(info.ranks[0].state, std::string("stopped"));
        for (const auto& process : info.ranks) QVERIFY(!alive(process.pid));
    }

    /// Longer than the timeout, for the rank that saves and for those that wait for it.
    void aLongSaveIsNoHang()
    {
        auto options = optionsFor(R"({"steps":4,"faults":[{"rank":1,"step":3,"do":"save","seconds":9},{"rank":0,"step":3,"do":"wait","seconds":9}]})");
        options.hangTimeout = 5000ms;   // a machine that is busy with other things lets a rank wait for seconds
        const RunInfo info = runWith(std::move(options));
        QVERIFY2(info.status == RunStatus::Finished, info.failure ? info.failure->message.c_str() : "");
    }

    void theFirstStopIsGraceful()
    {
        Supervisor* running = nullptr;
        bool asked = false;
        auto supervisor = Supervisor::start(optionsFor(R"({"steps":100000})"), {}, [&](const Supervisor& s) {
            if (!asked && s.lastStep() && s.lastStep()->step >= 3) { asked = true; running->requestStop(); }
        });
        QVERIFY(supervisor.hasValue());
        running = supervisor.value().get();
        const RunInfo info = running->run();
        QCOMPARE(info.status, RunStatus::Stopped);
        for (const auto& rank : info.ranks) { QCOMPARE(rank.exitCode.value_or(-1), 3); QCOMPARE(rank.state, std::string("stopped")); }
        QVERIFY(info.doneSteps >= 3);
    }

    void theSecondStopKills()
    {
        Supervisor* running = nullptr;
        int asked = 0;
        QElapsedTimer sinceStep;
        auto supervisor = Supervisor::start(optionsFor(R"({"steps":1000,"faults":[{"rank":1,"step":2,"do":"hang"},{"rank":0,"step":2,"do":"hang"}]})"), {}, [&](const Supervisor& s) {
            if (s.lastStep() && !sinceStep.isValid()) sinceStep.start();
            // A second later both ranks are inside the step that never ends.
            if (asked < 2 && sinceStep.isValid() && sinceStep.elapsed() > 1000) { ++asked; running->requestStop(); }
        });
        running = supervisor.value().get();
        const RunInfo info = running->run();
        QCOMPARE(info.status, RunStatus::Stopped);
        QVERIFY(!info.failure);
        for (const auto& rank : info.ranks) QCOMPARE(rank.signal.value_or(0), SIGKILL);
    }

    void saveReachesTheRanks()
    {
        Supervisor* running = nullptr;
        bool asked = false;
        auto supervisor = Supervisor::start(optionsFor(R"({"steps":40})"), {}, [&](const Supervisor& s) {
            if (!asked && s.lastStep()) { asked = true; running->requestSave(); }
        });
        running = supervisor.value().get();
        QCOMPARE(running->run().status, RunStatus::Finished);
        const auto all = events();
        QCOMPARE(std::count_if(all.begin(), all.end(), [](const EventRecord& e) { return e.kind == "checkpoint_saved"; }), std::ptrdiff_t{1});
    }

    /// The supervisor is killed in a process of its own; its ranks and what they started must end.
    void ranksEndWithTheirSupervisor()
    {
        const pid_t child = ::fork();
        if (child == 0) {
            auto supervisor = Supervisor::start(optionsFor(R"({"steps":100000,"faults":[{"rank":0,"step":1,"do":"ignore_term"}]})"));
            if (!supervisor.hasValue()) ::_exit(9);
            (void)supervisor.value()->run();
            ::_exit(0);
        }
        std::optional<RunInfo> info;
        QTRY_VERIFY_WITH_TIMEOUT([&] {
            auto read = readRunInfo(m_folder.root);
            if (read.hasValue() && read.value().status == RunStatus::Running) info = read.value();
            return info.has_value();
        }(), 10'000);
        for (const auto& rank : info->ranks) QVERIFY(alive(rank.pid));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        for (const auto& rank : info->ranks) QTRY_VERIFY_WITH_TIMEOUT(!alive(rank.pid), 10'000);
        QCOMPARE(RunReader::open(m_folder.root).value().status(), RunStatus::Lost);
    }

    void descendantsOfARankEndToo()
    {
        // A sleep of its own length, found by that length afterwards.
        const std::string seconds = std::to_string(900'000 + ::getpid());
        const RunInfo info = runWith(optionsFor((R"({"steps":5,"faults":[{"rank":0,"step":1,"do":"child","seconds":")" + seconds + R"("}]})").c_str()));
        QCOMPARE(info.status, RunStatus::Finished);
        const auto left = [&] {
            std::error_code ignored;
            for (fs::directory_iterator it("/proc", ignored), end; it != end; it.increment(ignored)) {
                const auto line = readFile(it->path() / "cmdline");
                if (line.hasValue() && line.value().find(seconds) != std::string::npos && line.value().starts_with("sleep")) return true;
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(!left(), 10'000);
    }

    /// Ranks write their checkpoints by the folder's path: a run whose folder goes away ends, and says where its record is.
    void aFolderThatGoesAwayEndsTheRun_data()
    {
        QTest::addColumn<bool>("moved");
        QTest::newRow("moved") << true;
        QTest::newRow("removed") << false;
    }
    void aFolderThatGoesAwayEndsTheRun()
    {
        QFETCH(bool, moved);
        const fs::path at = m_folder.root / "run", to = m_folder.root / "elsewhere";
        fs::create_directories(at);
        SupervisorOptions options = optionsFor(R"({"steps":1000000})", 2);
        options.runFolder = at;
        bool done = false;
        const RunInfo info = runWith(std::move(options), [&](const Supervisor& running) {
            if (done || !running.lastStep() || running.lastStep()->step < 3) return;
            done = true;
            if (moved) fs::rename(at, to);
            else fs::remove_all(at);
        });
        QCOMPARE(info.status, RunStatus::Failed);
        QCOMPARE(info.failure->kind, std::string("record"));
        QVERIFY2(info.failure->message.find(moved ? "was moved to \"" + to.string() : "was removed") != std::string::npos, info.failure->message.c_str());
        QVERIFY(!fs::exists(at / "run.json"));
        if (!moved) return;
        QCOMPARE(readRunInfo(to).value().status, RunStatus::Failed);
        QVERIFY(!RunLock::isHeld(to));
    }

    void aFolderIsRunOnce()
    {
        const auto held = RunLock::acquire(m_folder.root);
        const auto second = Supervisor::start(optionsFor("{}"));
        QVERIFY(!second.hasValue());
        QCOMPARE(second.error().code, ErrorCode::Refused);
        QVERIFY(!fs::exists(m_folder.runJson()));
    }

    void aMissingWorkerIsOneError()
    {
        auto options = optionsFor("{}");
        options.worker = {"/no/such/worker"};
        const auto started = Supervisor::start(std::move(options));
        QVERIFY(!started.hasValue());
        QCOMPARE(started.error().code, ErrorCode::NotFound);
        QCOMPARE(readRunInfo(m_folder.root).value().status, RunStatus::Failed);
    }

    /// run.json is there already when the record's other files are opened: it must not go on saying "starting".
    void aStartThatFailsIsRecordedAsFailed()
    {
        SupervisorOptions options = optionsFor("{}");
        const fs::path folder = options.runFolder;
        QVERIFY(writeRunInfo(folder, options.info).hasValue());
        fs::create_directory(RunFolder{folder}.events());
        const auto started = Supervisor::start(std::move(options));
        QVERIFY(!started.hasValue());
        const auto info = readRunInfo(folder);
        QVERIFY(info.hasValue());
        QCOMPARE(info.value().status, RunStatus::Failed);
        QVERIFY(info.value().failure.has_value());
        QCOMPARE(info.value().failure->kind, std::string("start"));
        QCOMPARE(info.value().failure->message, started.error().message);
    }

    void aSecondAttemptAppends()
    {
        QCOMPARE(runWith(optionsFor(R"({"steps":5})")).status, RunStatus::Finished);
        auto options = optionsFor(R"({"steps":9})");
        options.info.attempt = 1;
        options.resumeStep = 4;
        const RunInfo info = runWith(std::move(options));
        QCOMPARE(info.status, RunStatus::Finished);
        QCOMPARE(info.resumedFrom, std::int64_t{4});
        QCOMPARE(info.doneSteps, std::int64_t{9});
        auto reader = RunReader::open(m_folder.root).value();
        std::vector<StepMetrics> steps;
        std::size_t raw = 0;
        for (const StepMetrics& step : reader.poll().steps)
            if (step.rank == 0) { appendStep(steps, step); ++raw; }
        QCOMPARE(raw, std::size_t{10});
        QCOMPARE(steps.size(), std::size_t{9});
    }

    void printedFloodsAreCounted()
    {
        const RunInfo info = runWith(optionsFor(R"({"steps":400,"stepMs":5,"faults":[{"rank":0,"step":1,"do":"print","count":20000}]})"));
        QCOMPARE(info.status, RunStatus::Finished);
        int printed = 0, counted = 0;
        for (const EventRecord& event : events()) {
            if (event.kind != "log") continue;
            if (fieldText(event, "stream") == "stdout") ++printed;
            if (fieldText(event, "text").find("lines not repeated") != std::string::npos) ++counted;
        }
        QVERIFY(printed > 0 && printed <= 4000);
        QVERIFY(counted >= 1);
        const std::string text = readFile(m_folder.standardOutput(0)).value();
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t{20'000});
    }
};

QTEST_APPLESS_MAIN(TstSupervisor)
#include "tst_supervisor.moc"
