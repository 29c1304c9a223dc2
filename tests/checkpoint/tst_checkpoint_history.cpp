// SPDX-License-Identifier: GPL-3.0-or-later
// Which checkpoint a training goes on from after any order of resumes, cut-off saves, damage, copies and hand-set `latest`, against a
// reference in which every checkpoint carries the whole training that led to it.
#include "../base/test_seed.h"

#include "base/atomic_file.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_writer.h"
#include "checkpoint/history.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace stagecraft;
namespace fs = std::filesystem;

namespace {

/// Every step that was trained, and by which start.
using Training = std::vector<std::pair<int, std::int64_t>>;

bool leadsTo(const Training& before, const Training& now) { return before.size() <= now.size() && std::equal(before.begin(), before.end(), now.begin()); }

struct Trainer {
    fs::path folder;
    std::mt19937& random;
    bool histories = true;       ///< false: as earlier releases saved
    int start = -1;
    TrainingHistory history;
    Training current;
    std::map<std::int64_t, Training> saved;
    std::set<std::int64_t> damaged;
    std::string story;

    std::int64_t step() const { return current.empty() ? 0 : current.back().second; }

    void save()
    {
        auto writer = CheckpointWriter::begin(folder, step(), 0).value();
        const float value = 1;
        if (!writer.add("weight", "w", 0, 1, ElementType::F32, std::as_bytes(std::span(&value, 1))).hasValue() || !writer.finish().hasValue()) qFatal("no part");
        nlohmann::json scalars = nlohmann::json::object();
        if (histories) scalars["history"] = historyToJson(history);
        if (!completeCheckpoint(folder, step(), 1, {{"w", {1}}}, scalars).hasValue()) qFatal("no checkpoint");
        saved[step()] = current;
        damaged.erase(step());
        story += " save " + std::to_string(step()) + ";";
    }

    /// Dies between the rename of the folder and what comes after it.
    void saveCutOff()
    {
        std::map<std::string, std::string> before;
        for (const char* name : {"latest", "latest_named"})
            if (const auto text = readFile(folder / name); text.hasValue()) before[name] = text.value();
        std::set<std::int64_t> marked;
        for (const std::int64_t other : checkpointSteps(folder).value())
            if (isGivenUp(folder, other)) marked.insert(other);
        story += " cut off:";
        save();
        for (const char* name : {"latest", "latest_named"}) {
            fs::remove(folder / name);
            if (before.contains(name) && !writeFileAtomically(folder / name, before[name]).hasValue()) qFatal("no file");
        }
        for (const std::int64_t other : checkpointSteps(folder).value())
            if (!marked.contains(other)) fs::remove(folder / checkpointName(other) / kGivenUp);
    }

    void train(int steps)
    {
        for (int i = 0; i < steps; ++i) current.emplace_back(start, step() + 1);
    }

    void goOnFrom(std::int64_t from)
    {
        ++start;
        story += " start " + std::to_string(start) + " from " + std::to_string(from) + ";";
        current = from > 0 ? saved.at(from) : Training{};
        if (from > 0 && !nameLatest(folder, from).hasValue()) qFatal("no name");
        const TrainingHistory before = from > 0 ? historyOf(folder, from).value() : TrainingHistory{};
        history = before.continuedBy({"id" + std::to_string(random()), start, from});
    }

    void damage(std::int64_t victim)
    {
        story += " damage " + std::to_string(victim) + ";";
        if (random() % 2 == 0) fs::remove(folder / checkpointName(victim) / "complete");
        else fs::remove(folder / checkpointName(victim) / "manifest.json");
        damaged.insert(victim);
    }

    /// The newest whole one that the training has passed; without one, the newest of all.
    std::int64_t expected() const
    {
        std::int64_t any = 0, ofTheLine = 0;
        for (const auto& [at, training] : saved) {
            if (damaged.contains(at)) continue;
            any = at;
            if (leadsTo(training, current)) ofTheLine = at;
        }
        return ofTheLine > 0 ? ofTheLine : any;
    }
};

}  // namespace

class TstCheckpointHistory : public QObject {
    Q_OBJECT

private slots:
    void autoGoesOnWithTheTrainingOfTheLastStart()
    {
        std::mt19937 random(stagecraft::testing::testSeed());
        for (int round = 0; round < 10; ++round) {
            QTemporaryDir scratch;
            int copies = 0;
            Trainer trainer{fs::path(scratch.path().toStdString()) / "0", random};
            trainer.goOnFrom(0);
            for (int act = 0; act < 12; ++act) {
                const auto anyWhole = [&]() -> std::int64_t {
                    std::vector<std::int64_t> whole;
                    for (const auto& [at, training] : trainer.saved)
                        if (!trainer.damaged.contains(at)) whole.push_back(at);
                    return whole.empty() ? 0 : whole[random() % whole.size()];
                };
                switch (random() % 8) {
                case 0:
                case 1:
                case 2:
                    for (unsigned saves = 1 + random() % 3; saves > 0; --saves) {
                        trainer.train(1 + static_cast<int>(random() % 4));
                        trainer.save();
                    }
                    break;
                case 3:
                    trainer.train(1 + static_cast<int>(random() % 4));
                    trainer.saveCutOff();
                    QCOMPARE(findResumePoint(trainer.folder, "auto").value().step, trainer.step());
                    trainer.goOnFrom(trainer.step());  // a death is always followed by a start
                    break;
                case 4:
                    if (const std::int64_t from = anyWhole(); from > 0) trainer.goOnFrom(from);
                    break;
                case 5:
                    if (const std::int64_t victim = anyWhole(); victim > 0) trainer.damage(victim);
                    break;
                case 6: {  // a copy, whose files have any times
                    const fs::path copy = fs::path(scratch.path().toStdString()) / std::to_string(++copies);
                    fs::create_directories(trainer.folder);
                    fs::copy(trainer.folder, copy, fs::copy_options::recursive);
                    for (const auto& entry : fs::recursive_directory_iterator(copy)) fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::seconds(random() % 100'000));
                    trainer.folder = copy;
                    trainer.story += " copy;";
                    break;
                }
                default:  // by hand, to one that the training has passed; the next start takes it
                    for (const auto& [at, training] : trainer.saved)
                        if (!trainer.damaged.contains(at) && leadsTo(training, trainer.current) && random() % 3 == 0) {
                            trainer.story += " by hand " + std::to_string(at) + ";";
                            QVERIFY(writeFileAtomically(trainer.folder / "latest", checkpointName(at) + "\n").hasValue());
                            trainer.current = training;
                            QVERIFY2(findResumePoint(trainer.folder, "auto").value().step == at, trainer.story.c_str());
                            trainer.goOnFrom(at);
                            break;
                        }
                }
                const auto point = findResumePoint(trainer.folder, "auto");
                QVERIFY2(point.hasValue(), trainer.story.c_str());
                QVERIFY2(point.value().step == trainer.expected(), qPrintable(QString("%1 -> %2, not %3").arg(QString::fromStdString(trainer.story)).arg(point.value().step).arg(trainer.expected())));
                if (random() % 4 == 0 && point.value().step > 0) trainer.goOnFrom(point.value().step);
            }
        }
    }

    /// What earlier releases saved has no history: only its marks and the order of steps are there to go by.
    void checkpointsOfEarlierReleases()
    {
        std::mt19937 random(1);
        QTemporaryDir scratch;
        Trainer trainer{fs::path(scratch.path().toStdString()), random, false};
        trainer.goOnFrom(0);
        for (int i = 0; i < 3; ++i) {
            trainer.train(4);
            trainer.save();
        }
        trainer.goOnFrom(4);
        QCOMPARE(findResumePoint(trainer.folder, "auto").value().step, std::int64_t{4});
        trainer.histories = true;
        trainer.train(6);
        trainer.save();
        QCOMPARE(findResumePoint(trainer.folder, "auto").value().step, std::int64_t{10});
        // Back to the old training: of the new one nothing is on its way, of the old one what it passed still is.
        QCOMPARE(stepsBesideTheLine(trainer.folder, 12).value(), std::vector<std::int64_t>{10});
        trainer.goOnFrom(12);
        QVERIFY(isGivenUp(trainer.folder, 10) && isGivenUp(trainer.folder, 8) && !isGivenUp(trainer.folder, 4));
        trainer.train(2);
        trainer.save();
        QCOMPARE(findResumePoint(trainer.folder, "auto").value().step, std::int64_t{14});
        trainer.damage(14);
        trainer.damage(12);
        QCOMPARE(findResumePoint(trainer.folder, "auto").value().step, std::int64_t{4});
    }

    void damagedHistoriesAreNone()
    {
        CheckpointManifest manifest;
        QVERIFY(!historyOf(manifest).known());
        for (const char* text : {R"({"history": 3})", R"({"history": [1]})", R"({"history": [{"id": "a", "attempt": 0, "from": 4}, {"id": "b", "attempt": 1, "from": 4}]})", R"({"history": [{"id": "a", "attempt": 0, "from": -1}]})"}) {
            manifest.scalars = nlohmann::json::parse(text);
            QVERIFY2(!historyOf(manifest).known(), text);
        }
        manifest.scalars = nlohmann::json::parse(R"({"history": [{"id": "a", "attempt": 0, "from": 0}, {"id": "b", "attempt": 3, "from": 4}]})");
        QCOMPARE(historyOf(manifest).starts.back().attempt, 3);
        QCOMPARE(historyToJson(historyOf(manifest)), manifest.scalars["history"]);
    }

    /// A folder that cannot be read is not one without checkpoints; root reads every folder, so a loop of links stands for it.
    void aFolderThatCannotBeReadIsNotEmpty()
    {
        QTemporaryDir scratch;
        const fs::path folder = fs::path(scratch.path().toStdString()) / "loop";
        QVERIFY(findResumePoint(folder, "auto").value().folder.empty());
        fs::create_symlink(folder, folder);
        const auto point = findResumePoint(folder, "auto");
        QVERIFY(!point.hasValue());
        QCOMPARE(point.error().code, ErrorCode::Io);
        QVERIFY(!nameLatest(folder, 4).hasValue());
    }
};

QTEST_GUILESS_MAIN(TstCheckpointHistory)
#include "tst_checkpoint_history.moc"
