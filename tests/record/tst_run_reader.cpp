// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_reader.h"

#include "base/atomic_file.h"
#include "record/append_file.h"
#include "record/rank_writer.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/run_lock.h"
#include "record/tail_file.h"

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <sys/wait.h>

using namespace stagecraft;
namespace fs = std::filesystem;

namespace {

StepMetrics stepOf(std::int64_t step)
{
    StepMetrics m;
    m.step = step;
    m.loss = 1.0 / static_cast<double>(step);
    return m;
}

}  // namespace

class TstRunReader : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = {fs::path(m_dir->path().toStdString())};
        m_info = {};
        m_info.id = "id";
        m_info.name = "demo";
        m_info.world = 2;
        m_info.status = RunStatus::Running;
    }

    void bringsOnlyWhatIsNew()
    {
        const auto lock = RunLock::acquire(m_folder.root);
        QVERIFY(lock.hasValue());
        QVERIFY(writeRunInfo(m_folder.root, m_info).hasValue());
        auto reader = RunReader::open(m_folder.root).value();
        QCOMPARE(reader.status(), RunStatus::Running);
        QVERIFY(reader.poll().empty());
        QVERIFY(!reader.atEnd());

        auto zero = RankWriter::open(m_folder.root, 0).value();
        auto one = RankWriter::open(m_folder.root, 1).value();
        zero->writeStep(stepOf(1));
        one->writeStep(stepOf(1));
        one->writeSpan({5, 6, 1, 2, 0, 0});
        QVERIFY(zero->flush().hasValue());
        QVERIFY(one->flush().hasValue());
        auto update = reader.poll();
        QCOMPARE(update.steps.size(), std::size_t{2});
        QCOMPARE(update.steps[1].rank, 1);
        QCOMPARE(update.spans.size(), std::size_t{1});
        QCOMPARE(update.spans[0].rank, 1);
        QCOMPARE(update.spans[0].spans[0].endNs, std::int64_t{6});
        QVERIFY(reader.poll().empty());

        auto events = AppendFile::openLines(m_folder.events()).value();
        EventRecord event{7, 0, "eval", {}};
        setField(event, "loss", 2.5);
        events.append(toLine(event) + '\n');
        zero->writeStep(stepOf(2));
        QVERIFY(zero->flush().hasValue());
        update = reader.poll();
        QCOMPARE(update.events.size(), std::size_t{1});
        QCOMPARE(fieldNumber(update.events[0], "loss").value(), 2.5);
        QCOMPARE(update.steps.size(), std::size_t{1});

        m_info.status = RunStatus::Finished;
        QVERIFY(writeRunInfo(m_folder.root, m_info).hasValue());
        QVERIFY(reader.poll().infoChanged);
        QVERIFY(!reader.atEnd());
        QVERIFY(reader.poll().empty());
        QVERIFY(reader.atEnd());
        QCOMPARE(reader.badRecords(), std::int64_t{0});
    }

    void aRunNobodyHoldsIsLost()
    {
        QVERIFY(writeRunInfo(m_folder.root, m_info).hasValue());
        std::optional<RunReader> reader;
        {
            const auto lock = RunLock::acquire(m_folder.root);
            reader = std::move(RunReader::open(m_folder.root).value());
            QCOMPARE(reader->status(), RunStatus::Running);
        }
        QVERIFY(reader->poll().infoChanged);
        QCOMPARE(reader->status(), RunStatus::Lost);
        QCOMPARE(RunReader::open(m_folder.root).value().status(), RunStatus::Lost);
        m_info.status = RunStatus::Finished;
        QVERIFY(writeRunInfo(m_folder.root, m_info).hasValue());
        QCOMPARE(RunReader::open(m_folder.root).value().status(), RunStatus::Finished);
    }

    void aKilledHolderReleasesTheFolder()
    {
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const auto held = RunLock::acquire(m_folder.root);
            (void)!::write(ready[1], held.hasValue() ? "y" : "n", 1);
            ::pause();
            ::_exit(0);
        }
        char answer = 0;
        QCOMPARE(::read(ready[0], &answer, 1), ssize_t{1});
        QCOMPARE(answer, 'y');
        QVERIFY(RunLock::isHeld(m_folder.root));
        const auto second = RunLock::acquire(m_folder.root);
        QVERIFY(!second.hasValue());
        QCOMPARE(second.error().code, ErrorCode::Refused);
        QVERIFY2(second.error().message.find(std::to_string(child)) != std::string::npos, second.error().message.c_str());
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        QVERIFY(!RunLock::isHeld(m_folder.root));
        QVERIFY(RunLock::acquire(m_folder.root).hasValue());
        ::close(ready[0]);
        ::close(ready[1]);
    }

    /// Whatever bytes arrive in whatever pieces, each whole line is handed over once, in order.
    void linesArriveInAnyPieces()
    {
        std::mt19937 random(11);
        const fs::path path = m_folder.root / "lines";
        TailFile tail(path);
        std::string all;
        for (int i = 0; i < 3000; ++i) all += "line " + std::to_string(i) + std::string(random() % 40, 'x') + "\n";
        std::vector<std::string> got;
        std::ofstream out(path, std::ios::app);
        for (std::size_t at = 0; at < all.size();) {
            const std::size_t piece = 1 + random() % 500;
            out << std::string_view(all).substr(at, piece) << std::flush;
            at += piece;
            std::size_t budget = 1 + random() % 1000;
            tail.pollLines(budget, [&](std::string_view line) { got.emplace_back(line); });
        }
        for (std::size_t budget = 100; tail.pollLines(budget, [&](std::string_view line) { got.emplace_back(line); }) != TailFile::State::Idle; budget = 100) {}
        std::string joined;
        for (const std::string& line : got) joined += line + '\n';
        QVERIFY(joined == all);
    }

    void truncationAndReplacementStartAgain()
    {
        const fs::path path = m_folder.root / "lines";
        TailFile tail(path);
        std::vector<std::string> got;
        const auto poll = [&] {
            got.clear();
            std::size_t budget = 1 << 20;
            tail.pollLines(budget, [&](std::string_view line) { got.emplace_back(line); });
            return got;
        };
        QCOMPARE(poll(), std::vector<std::string>{});
        std::ofstream(path) << "a long first line\nsecond\ntorn";
        QCOMPARE(poll(), (std::vector<std::string>{"a long first line", "second"}));
        std::ofstream(path, std::ios::trunc) << "new\n";
        QCOMPARE(poll(), std::vector<std::string>{"new"});
        std::ofstream(m_folder.root / "other") << "replaced, and longer than before\n";
        fs::rename(m_folder.root / "other", path);
        QCOMPARE(poll(), std::vector<std::string>{"replaced, and longer than before"});
        fs::remove(path);
        QCOMPARE(poll(), std::vector<std::string>{});
        std::ofstream(path) << "back\n";
        QCOMPARE(poll(), std::vector<std::string>{"back"});
    }

    void aLineWithoutEndCostsOnlyItself()
    {
        const fs::path path = m_folder.root / "lines";
        { std::ofstream out(path); out << std::string(TailFile::kMaxLine * 2, 'x') << "\nafter\n"; }
        TailFile tail(path);
        std::vector<std::string> got;
        std::size_t budget = std::size_t{1} << 30;
        tail.pollLines(budget, [&](std::string_view line) { got.emplace_back(line); });
        QCOMPARE(got, std::vector<std::string>{"after"});
        QCOMPARE(tail.droppedLines(), std::int64_t{1});
    }

    void aSmallBudgetServesEveryRank()
    {
        const auto lock = RunLock::acquire(m_folder.root);
        m_info.world = 8;
        QVERIFY(writeRunInfo(m_folder.root, m_info).hasValue());
        for (int rank = 0; rank < 8; ++rank) {
            auto writer = RankWriter::open(m_folder.root, rank).value();
            for (int i = 1; i <= 200; ++i) { writer->writeStep(stepOf(i)); writer->writeSpan({i, i, i, 0, 0, 0}); }
        }
        auto reader = RunReader::open(m_folder.root).value();
        std::map<int, std::vector<StepMetrics>> steps;
        std::size_t spans = 0;
        RunUpdate update = reader.poll(16 << 10);
        QVERIFY(update.more);
        std::set<int> first;
        for (const auto& step : update.steps) first.insert(step.rank);
        QCOMPARE(first.size(), std::size_t{8});
        for (;; update = reader.poll(16 << 10)) {
            for (const auto& step : update.steps) appendStep(steps[step.rank], step);
            for (const auto& part : update.spans) spans += part.spans.size();
            if (!update.more) break;
        }
        QCOMPARE(steps.size(), std::size_t{8});
        for (const auto& [rank, list] : steps) QCOMPARE(list.size(), std::size_t{200});
        QCOMPARE(spans, std::size_t{1600});
    }

    void spansMayStartNearTheEnd()
    {
        QVERIFY(writeRunInfo(m_folder.root, m_info).hasValue());
        { auto writer = RankWriter::open(m_folder.root, 0).value(); for (int i = 0; i < 100; ++i) writer->writeSpan({i, i, i, 0, 0, 0}); }
        RunReaderOptions options;
        options.spanTailBytes = 10 * static_cast<std::int64_t>(sizeof(Span)) + 5;
        auto reader = RunReader::open(m_folder.root, options).value();
        const auto update = reader.poll();
        QCOMPARE(update.spans[0].spans.size(), std::size_t{10});
        QCOMPARE(update.spans[0].spans[0].startNs, std::int64_t{90});
    }

    void resumedStepsReplaceTheOld()
    {
        std::vector<StepMetrics> steps;
        for (const int step : {1, 2, 3, 4, 3, 4, 5}) appendStep(steps, stepOf(step));
        QCOMPARE(steps.size(), std::size_t{5});
        for (std::size_t i = 0; i < 5; ++i) QCOMPARE(steps[i].step, static_cast<std::int64_t>(i + 1));
    }

    /// Random bytes over a good record: never a crash, never an endless poll, and what was not hit is still read.
    void damageCostsOnlyTheDamaged()
    {
        QVERIFY(writeRunInfo(m_folder.root, m_info).hasValue());
        { auto writer = RankWriter::open(m_folder.root, 0).value(); for (int i = 1; i <= 100; ++i) { writer->writeStep(stepOf(i)); writer->writeSpan({i, i, i, 0, 0, 0}); } }
        { auto events = AppendFile::openLines(m_folder.events()).value(); for (int i = 0; i < 100; ++i) events.append(toLine(EventRecord{i, 0, "log", {{"text", "\"x\""}}}) + '\n'); }
        std::mt19937 random(3);
        for (int round = 0; round < 200; ++round) {
            for (const fs::path& path : {m_folder.metrics(0), m_folder.events(), m_folder.spans(0)}) {
                std::string bytes = readFile(path).value();
                for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
                std::ofstream(path, std::ios::trunc | std::ios::binary) << bytes;
            }
            auto reader = RunReader::open(m_folder.root).value();
            int polls = 0;
            std::size_t steps = 0;
            for (RunUpdate update = reader.poll(); !reader.atEnd(); update = reader.poll()) { steps += update.steps.size(); QVERIFY(++polls < 10); }
            if (round == 0) QVERIFY(steps >= 94 && reader.badRecords() <= 20);
        }
    }

    void aBrokenRunJsonIsOneError()
    {
        QCOMPARE(RunReader::open(m_folder.root).error().code, ErrorCode::NotFound);
        std::ofstream(m_folder.runJson()) << "{\"stagecraftRun\":1,\"sta";
        QCOMPARE(RunReader::open(m_folder.root).error().code, ErrorCode::InvalidInput);
    }

    void namesAreFreshAndFindable()
    {
        const std::int64_t now = wallClockNs();
        const auto a = makeRunFolder(m_folder.root / "runs", "my ../run $(x)", now);
        const auto b = makeRunFolder(m_folder.root / "runs", "my ../run $(x)", now);
        QVERIFY(a.hasValue() && b.hasValue());
        QVERIFY(a.value() != b.value());
        QCOMPARE(a.value().parent_path(), m_folder.root / "runs");
        QVERIFY(a.value().filename().string().starts_with("my-..-run-x-"));
        QVERIFY(writeRunInfo(b.value(), m_info).hasValue());
        QCOMPARE(findRunFolder(b.value().filename().string(), m_folder.root / "runs").value(), b.value());
        QCOMPARE(findRunFolder("latest", m_folder.root / "runs").value(), b.value());
        QCOMPARE(findRunFolder(b.value().string(), "/nowhere").value(), b.value());
        // A name is cut between characters, wherever it is cut; what is no UTF-8 is not taken over.
        for (const char* start : {"", "a", "ab", "\xC3", "a\xE6\xA8 b"}) {
            const auto cut = makeRunFolder(m_folder.root / "runs", start + QString(40, QChar(0x6A21)).toStdString(), now);
            QVERIFY(cut.hasValue());
            const std::string name = cut.value().filename().string();
            QVERIFY2(QString::fromStdString(name).toStdString() == name && name.size() > 58 && name.size() < 90, name.c_str());
        }
        QCOMPARE(findRunFolder("absent", m_folder.root / "runs").error().code, ErrorCode::NotFound);
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    RunFolder m_folder;
    RunInfo m_info;
};

QTEST_APPLESS_MAIN(TstRunReader)
#include "tst_run_reader.moc"
