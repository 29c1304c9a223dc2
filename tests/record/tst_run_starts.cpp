// SPDX-License-Identifier: GPL-3.0-or-later
// Which of a run's recorded steps count after any order of starts and resumes, against a reference that carries the whole training
// along with every checkpoint.
#include "../base/test_seed.h"

#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/run_index.h"
#include "record/run_record.h"
#include "record/run_starts.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

using namespace stagecraft;
namespace fs = std::filesystem;

namespace {

/// A training as its steps: the loss of each names the start that made it.
using Training = std::map<std::int64_t, double>;

/// Writes the record of a run that is started and continued at random, and keeps beside it what it must say.
struct History {
    fs::path folder;
    bool numbered = true;     ///< records say which start they are of; those of earlier releases do not
    bool clockGoesBack = false;
    std::int64_t now = 1'000'000'000'000;
    int attempt = -1;
    std::map<std::int64_t, Training> checkpoints;         // by step, the last one saved there
    std::map<std::int64_t, int> trainedBy;                // by step, the start of that checkpoint
    Training current;                                     // of the last start
    std::map<std::int64_t, double> evaluations;           // of the last start's training
    std::map<std::int64_t, std::map<std::int64_t, double>> evaluationsAt;
    std::vector<std::pair<std::int64_t, double>> ofLastStart;
    std::int64_t resumedFrom = 0;
    std::optional<int> resumedAttempt;
    std::string story;

    std::int64_t tick() { return now += 1'000'000; }

    void line(const fs::path& file, const std::string& text) const { std::ofstream(file, std::ios::app) << text << '\n'; }
    void event(const std::string& kind, std::int64_t step, double loss = 0)
    {
        EventRecord event{tick(), kind == "eval" || kind == "checkpoint_saved" ? 0 : -1, kind, {}};
        if (numbered) event.attempt = attempt;
        if (kind == "run_started") {
            setField(event, "attempt", std::int64_t{attempt});
            setField(event, "resumedFrom", resumedFrom);
            if (numbered && resumedAttempt) setField(event, "resumedAttempt", std::int64_t{*resumedAttempt});
        } else {
            setField(event, "step", step);
        }
        if (kind == "eval") setField(event, "loss", loss);
        line(RunFolder{folder}.events(), toLine(event));
    }

    void start(std::int64_t from, std::int64_t steps, std::int64_t saveEvery)
    {
        ++attempt;
        if (clockGoesBack && attempt % 2 == 1) now -= 3'600'000'000'000;
        resumedFrom = from;
        resumedAttempt.reset();
        if (from > 0) {
            current = checkpoints.at(from);
            evaluations = evaluationsAt.at(from);
            resumedAttempt = trainedBy.at(from);
        } else {
            current.clear();
            evaluations.clear();
            checkpoints.clear();  // set aside
            trainedBy.clear();
            evaluationsAt.clear();
        }
        story += " start " + std::to_string(attempt) + " from " + std::to_string(from) + " to " + std::to_string(from + steps) + " every " + std::to_string(saveEvery) + ";";
        ofLastStart.clear();
        RunInfo info;
        info.id = info.name = "history";
        info.status = RunStatus::Running;
        info.attempt = attempt;
        info.startedNs = now + 1'000'000;
        info.world = 2;
        info.resumedFrom = from;
        if (numbered) info.resumedAttempt = resumedAttempt;
        info.doneSteps = from + steps;
        info.plannedSteps = 1000;
        event("run_started", 0);
        for (std::int64_t step = from + 1; step <= from + steps; ++step) {
            if (clockGoesBack && step % 5 == 3) now -= 60'000'000'000;
            const double loss = attempt + static_cast<double>(step) / 1000;
            StepMetrics m;
            m.timeNs = tick();
            m.step = step;
            m.loss = loss;
            if (numbered) m.attempt = attempt;
            for (m.rank = 0; m.rank < 2; ++m.rank) line(RunFolder{folder}.metrics(m.rank), toLine(m));
            current[step] = loss;
            ofLastStart.emplace_back(step, loss);
            if (step % 3 == 0) {
                evaluations[step] = loss + 100;
                event("eval", step, loss + 100);
            }
            if (saveEvery > 0 && step % saveEvery == 0) {
                checkpoints[step] = current;
                trainedBy[step] = attempt;
                evaluationsAt[step] = evaluations;
                event("checkpoint_saved", step);
            }
        }
        info.status = RunStatus::Finished;
        info.endedNs = now;
        if (!writeRunInfo(folder, info).hasValue()) qFatal("no run.json");
    }
};

QString told(const std::vector<StepMetrics>& steps)
{
    QString text;
    for (const StepMetrics& step : steps) text += QString(" %1:%2").arg(step.step).arg(step.loss);
    return text;
}

}  // namespace

class TstRunStarts : public QObject {
    Q_OBJECT

    /// An obvious reader beside the product's: what was trained is what every checkpoint carried along.
    static void compare(const History& history)
    {
        const auto record = loadRunRecord(history.folder);
        QVERIFY(record.hasValue());
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const std::vector<StepMetrics> steps = record.value().ranks[rank];
            Training got;
            for (const StepMetrics& step : steps) got[step.step] = step.loss;
            QVERIFY2(got == history.current && steps.size() == history.current.size(), qPrintable(QString::fromStdString(history.story) + " rank " + QString::number(rank) + told(steps)));
            QVERIFY(std::is_sorted(steps.begin(), steps.end(), [](const StepMetrics& a, const StepMetrics& b) { return a.step < b.step; }));
        }
        std::map<std::int64_t, double> evaluations;
        for (const auto& [step, loss] : validationLosses(record.value())) evaluations[step] = loss;
        QVERIFY2(evaluations == history.evaluations, history.story.c_str());
        std::vector<std::pair<std::int64_t, double>> last;
        for (const StepMetrics& step : stepsOfLastStart(record.value(), 0)) last.emplace_back(step.step, step.loss);
        QVERIFY2(last == history.ofLastStart, history.story.c_str());
    }

private slots:
    void anyHistoryIsToldAsItsOwnTraining_data()
    {
        QTest::addColumn<bool>("numbered");
        QTest::addColumn<bool>("clockGoesBack");
        QTest::newRow("records with numbers") << true << false;
        QTest::newRow("records with numbers, clocks set back") << true << true;
        QTest::newRow("records of earlier releases") << false << false;
    }
    void anyHistoryIsToldAsItsOwnTraining()
    {
        QFETCH(bool, numbered);
        QFETCH(bool, clockGoesBack);
        std::mt19937 random(stagecraft::testing::testSeed());
        for (int round = 0; round < 30; ++round) {
            QTemporaryDir scratch;
            History history{fs::path(scratch.path().toStdString()), numbered, clockGoesBack};
            for (int rank = 0; rank < 2; ++rank) fs::create_directories(RunFolder{history.folder}.rank(rank));
            const int starts = 1 + static_cast<int>(random() % 7);
            for (int i = 0; i < starts; ++i) {
                std::int64_t from = 0;
                if (!history.checkpoints.empty() && random() % 8 != 0) from = std::next(history.checkpoints.begin(), static_cast<std::ptrdiff_t>(random() % history.checkpoints.size()))->first;
                history.start(from, static_cast<std::int64_t>(random() % 9), static_cast<std::int64_t>(random() % 4));
            }
            compare(history);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// The one of the given-up training is not how far the run is, also before the new start's first step.
    void theListSaysHowFarTheTrainingIs()
    {
        QTemporaryDir scratch;
        History history{fs::path(scratch.path().toStdString()) / "run"};
        for (int rank = 0; rank < 2; ++rank) fs::create_directories(RunFolder{history.folder}.rank(rank));
        history.start(0, 12, 4);
        history.start(4, 6, 4);
        const auto entry = [&] {
            auto index = RunIndex::open(history.folder.parent_path()).value();
            if (!index.refresh().hasValue()) qFatal("no refresh");
            return index.list().value().at(0);
        };
        QCOMPARE(entry().doneSteps, std::int64_t{10});
        history.start(12, 0, 4);
        QCOMPARE(entry().doneSteps, std::int64_t{12});
        QVERIFY(!entry().loss);
        history.start(12, 2, 4);
        QCOMPARE(entry().doneSteps, std::int64_t{14});
        QCOMPARE(entry().loss.value(), 3.014);
        compare(history);
    }

    /// Starts whose own event is damaged are known by the numbers of the steps and of the starts that go on from them.
    void aDamagedStartIsStillAStart()
    {
        QTemporaryDir scratch;
        History history{fs::path(scratch.path().toStdString())};
        for (int rank = 0; rank < 2; ++rank) fs::create_directories(RunFolder{history.folder}.rank(rank));
        history.start(0, 12, 4);
        history.start(4, 6, 4);
        history.start(12, 2, 2);
        history.start(14, 2, 0);
        const fs::path events = RunFolder{history.folder}.events();
        std::ifstream in(events);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        for (const int damaged : {0, 1, 2, 3}) {
            std::ofstream out(events, std::ios::trunc);
            int start = 0;
            for (const std::string& line : lines) out << (line.find("run_started") != std::string::npos && start++ == damaged ? "{ damaged" : line) << '\n';
            out.close();
            const auto record = loadRunRecord(history.folder);
            QVERIFY(record.hasValue());
            const std::vector<StepMetrics>& steps = record.value().ranks[0];
            // What start 2 went on from is lost with its event: then only that its steps, and no later ones of others, count.
            QVERIFY2(!steps.empty() && steps.back().step == 16 && steps.back().loss == 3.016, qPrintable(told(steps)));
            if (damaged != 2) QVERIFY2(steps.size() == 16, qPrintable(QString::number(damaged) + told(steps)));
        }
    }

    /// A damaged run.json let earlier releases count the attempts anew.
    void attemptsThatWereCountedTwice()
    {
        RunStarts starts;
        const auto started = [](int attempt, std::int64_t time, std::int64_t from) {
            EventRecord event{time, -1, "run_started", {}};
            setField(event, "attempt", std::int64_t{attempt});
            setField(event, "resumedFrom", from);
            return event;
        };
        for (const EventRecord& event : {started(0, 100, 0), started(1, 200, 5), started(0, 300, 5), started(0, 300, 5)}) (void)starts.add(event);
        QCOMPARE(starts.count(), 3);
        StepMetrics step;
        step.attempt = 0;
        step.step = 7;
        step.timeNs = 150;
        QVERIFY(starts.tookBack(step));
        step.timeNs = 350;
        QVERIFY(!starts.tookBack(step));
        QCOMPARE(starts.startOf(step), 2);
    }
};

QTEST_GUILESS_MAIN(TstRunStarts)
#include "tst_run_starts.moc"
