// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint_fixture.h"

#include "base/atomic_file.h"
#include "checkpoint/history.h"

#include <QtTest>

#include <QTemporaryDir>

#include <random>

using namespace stagecraft;
namespace fs = std::filesystem;

class TstCheckpoint : public QObject {
    Q_OBJECT
private slots:
    void init() { m_temporary = std::make_unique<QTemporaryDir>(); }
    void cleanup() { m_temporary.reset(); }

    /// Whatever number of ranks wrote it, any range reads back bit for bit.
    void anyRangeFromAnyWorld()
    {
        std::mt19937_64 random(17);
        for (const int world : {1, 2, 3, 4, 7}) {
            const auto place = writeFixture(folder(), world, world);
            QVERIFY2(place.hasValue(), place.hasValue() ? "" : place.error().message.c_str());
            const auto opened = Checkpoint::open(place.value());
            QVERIFY2(opened.hasValue(), opened.hasValue() ? "" : opened.error().message.c_str());
            QCOMPARE(opened.value().manifest().world, world);
            QCOMPARE(opened.value().manifest().scalars["sample"].get<int>(), world * 24);
            QCOMPARE(opened.value().manifest().scalars["learningRate"].get<double>(), 0.1);
            for (const auto& [name, shape] : fixtureShapes()) {
                const std::int64_t count = fixtureCount(name);
                for (int round = 0; round < 12; ++round) {
                    const std::int64_t begin = round == 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
                    const std::int64_t end = round == 0 ? count : begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count - begin + 1));
                    const char* state = round % 2 == 0 ? "weight" : "exp_avg";
                    std::vector<float> values(static_cast<std::size_t>(end - begin));
                    const auto read = opened.value().read(state, name, begin, values);
                    QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
                    for (std::int64_t i = begin; i < end; ++i) {
                        if (values[static_cast<std::size_t>(i - begin)] != fixtureValue(state, name, i)) QFAIL(qPrintable(QString("element %1 of %2").arg(i).arg(name.c_str())));
                    }
                }
            }
            QVERIFY(opened.value().verify().hasValue());
        }
    }

    void saysWhatItDoesNotHave()
    {
        const auto place = writeFixture(folder(), 1, 2);
        const auto opened = Checkpoint::open(place.value());
        std::vector<float> values(5);
        QVERIFY(opened.value().has("weight", "norm.weight"));
        QVERIFY(!opened.value().has("momentum", "norm.weight"));
        QVERIFY(opened.value().read("weight", "norm.weight", 0, values).hasValue());
        QCOMPARE(opened.value().read("weight", "norm.weight", 1, values).error().code, ErrorCode::NotFound);
        QCOMPARE(opened.value().read("weight", "norm.weight", -1, values).error().code, ErrorCode::NotFound);
        QCOMPARE(opened.value().read("momentum", "norm.weight", 0, values).error().code, ErrorCode::NotFound);
        QCOMPARE(opened.value().read("weight", "bias", 0, values).error().code, ErrorCode::NotFound);
        std::vector<std::byte> bytes(10);
        QCOMPARE(opened.value().read("weight", "norm.weight", 0, 5, ElementType::BF16, bytes).error().code, ErrorCode::InvalidInput);
        QVERIFY(opened.value().read("weight", "norm.weight", 3, std::span<float>{}).hasValue());
    }

    void extentsAreAligned()
    {
        const auto opened = Checkpoint::open(writeFixture(folder(), 1, 2).value());
        for (const CheckpointExtent& extent : opened.value().manifest().extents) QCOMPARE(extent.offset % kExtentAlign, std::uint64_t{0});
    }

    void latestAndAutoFollowTheNewest()
    {
        const auto none = findResumePoint(folder(), "auto");
        QVERIFY(none.hasValue() && none.value().folder.empty() && none.value().skipped.empty());
        for (const std::int64_t step : {5, 50, 12}) QVERIFY(writeFixture(folder(), step, 1).hasValue());
        const auto entries = listCheckpoints(folder());
        QCOMPARE(entries.size(), std::size_t{3});
        QCOMPARE(entries[0].step, std::int64_t{50});
        QVERIFY(entries[0].valid && entries[0].bytes > 0 && !entries[0].latest);
        QVERIFY(entries[1].step == 12 && entries[1].latest);
        // 50 was given up: the save of 12 came after it.
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{12});
        QCOMPARE(findResumePoint(folder(), "5").value().step, std::int64_t{5});
        QVERIFY(findResumePoint(folder(), "no").value().folder.empty());
        QCOMPARE(findResumePoint(folder(), "7").error().code, ErrorCode::NotFound);
        for (const char* word : {"newest", "", "-1", "5x"}) QCOMPARE(findResumePoint(folder(), word).error().code, ErrorCode::InvalidArgument);
        QVERIFY(!findResumePoint("/no/such/folder", "5").hasValue());
    }

    /// A save that died before it wrote `latest` is of the same history.
    void autoFindsASaveThatIsNotYetTheLatest()
    {
        for (const std::int64_t step : {5, 10}) QVERIFY(writeFixture(folder(), step, 1).hasValue());
        QVERIFY(writeFileAtomically(folder() / "latest", checkpointName(5) + "\n").hasValue());
        const auto named = std::filesystem::last_write_time(folder() / "latest");
        std::filesystem::last_write_time(folder() / checkpointName(10) / "complete", named + std::chrono::seconds(1));
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{10});
        std::filesystem::last_write_time(folder() / checkpointName(10) / "complete", named - std::chrono::seconds(1));
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{5});
        // When the one it names is damaged and nothing is below it, a history that was given up is better than none.
        std::filesystem::remove(folder() / checkpointName(5) / "complete");
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{10});
        std::filesystem::remove(folder() / "latest");
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{10});
    }

    /// Going back gives up what came later, and a copy of the folder whose files have other times says the same.
    void whatWasGivenUpIsKnownByItsMark()
    {
        for (const std::int64_t step : {7, 14, 20}) QVERIFY(writeFixture(folder(), step, 1).hasValue());
        QVERIFY(nameLatest(folder(), 7).hasValue());
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{7});
        QVERIFY(writeFixture(folder(), 9, 1).hasValue());
        const auto named = std::filesystem::last_write_time(folder() / "latest");
        for (const std::int64_t step : {7, 9, 14, 20}) std::filesystem::last_write_time(folder() / checkpointName(step) / "complete", named + std::chrono::seconds(step));
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{9});
        // The training passes the old steps, and saves one of them anew: only that one is of its history.
        QVERIFY(writeFixture(folder(), 20, 1).hasValue());
        std::filesystem::remove(folder() / checkpointName(20) / "complete");
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{9});
        // Asked for by its number, it is the history that goes on.
        QVERIFY(nameLatest(folder(), 14).hasValue());
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{14});
    }

    void savingTheSameStepReplacesIt()
    {
        QVERIFY(writeFixture(folder(), 3, 4).hasValue());
        QVERIFY(writeFixture(folder(), 3, 2).hasValue());
        const auto opened = Checkpoint::open(folder() / "step_0000003");
        QVERIFY(opened.hasValue());
        QCOMPARE(opened.value().manifest().world, 2);
        QVERIFY(opened.value().verify().hasValue());
        QCOMPARE(namesIn(folder()), QStringList({"latest", "latest_named", "step_0000003"}));
        QCOMPARE(namesIn(folder() / "step_0000003"), QStringList({"complete", "manifest.json", "rank_00000.bin", "rank_00001.bin"}));
    }

    void leftoversOfADeadAttemptDoNoHarm()
    {
        // Four ranks got as far as finishing, then the job died; two ranks save the same step again.
        for (int rank = 0; rank < 4; ++rank) QVERIFY(writeFixtureRank(folder(), 9, rank, 4).hasValue());
        QVERIFY(findResumePoint(folder(), "auto").value().folder.empty());
        const auto place = writeFixture(folder(), 9, 2);
        QVERIFY2(place.hasValue(), place.hasValue() ? "" : place.error().message.c_str());
        QVERIFY(Checkpoint::open(place.value()).value().verify().hasValue());
        QCOMPARE(namesIn(place.value()).size(), qsizetype{4});
    }

    void incompletePartsMakeNoCheckpoint()
    {
        QVERIFY(writeFixture(folder(), 1, 2).hasValue());
        // Rank 1 never came.
        QVERIFY(writeFixtureRank(folder(), 2, 0, 2).hasValue());
        QVERIFY(!completeCheckpoint(folder(), 2, 2, fixtureShapes(), nlohmann::json::object()).hasValue());
        // Both came, but as halves and as thirds.
        QVERIFY(writeFixtureRank(folder(), 3, 0, 3).hasValue());
        QVERIFY(writeFixtureRank(folder(), 3, 1, 2).hasValue());
        const auto gap = completeCheckpoint(folder(), 3, 2, fixtureShapes(), nlohmann::json::object());
        QVERIFY(!gap.hasValue());
        QVERIFY2(QString::fromStdString(gap.error().message).contains("missing"), gap.error().message.c_str());
        QVERIFY(writeFixtureRank(folder(), 4, 0, 1).hasValue());
        QVERIFY(writeFixtureRank(folder(), 4, 1, 2).hasValue());
        const auto twice = completeCheckpoint(folder(), 4, 2, fixtureShapes(), nlohmann::json::object());
        QVERIFY2(QString::fromStdString(twice.error().message).contains("twice"), twice.error().message.c_str());
        QCOMPARE(namesIn(folder()), QStringList({"latest", "latest_named", "step_0000001"}));
        QCOMPARE(findResumePoint(folder(), "auto").value().step, std::int64_t{1});
    }

    void anUnfinishedWriterCleansUp()
    {
        {
            auto writer = CheckpointWriter::begin(folder(), 6, 0);
            const float value = 1;
            QVERIFY(writer.value().add("weight", "norm.weight", 0, 1, ElementType::F32, std::as_bytes(std::span(&value, 1))).hasValue());
            QCOMPARE(writer.value().add("weight", "norm.weight", 0, 2, ElementType::F32, std::as_bytes(std::span(&value, 1))).error().code, ErrorCode::InvalidArgument);
        }
        QVERIFY(namesIn(folder()).isEmpty());
        auto writer = CheckpointWriter::begin(folder(), 6, 0);
        QVERIFY(writer.value().finish().hasValue());
        QVERIFY(!writer.value().finish().hasValue());
        QVERIFY(!CheckpointWriter::begin(folder(), -1, 0).hasValue());
        QCOMPARE(CheckpointWriter::begin("/proc/nowhere", 1, 0).error().code, ErrorCode::Io);
    }

    void otherTypesKeepTheirBytes()
    {
        auto writer = CheckpointWriter::begin(folder(), 1, 0);
        const std::vector<std::uint16_t> halves{0x3f80, 0xbf80, 0x7fc0};
        QVERIFY(writer.value().add("weight", "w", 0, 3, ElementType::BF16, std::as_bytes(std::span(halves))).hasValue());
        QVERIFY(writer.value().finish().hasValue());
        const auto opened = Checkpoint::open(completeCheckpoint(folder(), 1, 1, {{"w", {3}}}, nlohmann::json::object()).value());
        std::vector<std::uint16_t> back(2);
        QVERIFY(opened.value().read("weight", "w", 1, 3, ElementType::BF16, std::as_writable_bytes(std::span(back))).hasValue());
        QCOMPARE(back, (std::vector<std::uint16_t>{0xbf80, 0x7fc0}));
    }

private:
    [[nodiscard]] fs::path folder() const { return fs::path(m_temporary->path().toStdString()); }
    static QStringList namesIn(const fs::path& path)
    {
        QStringList names;
        for (const auto& entry : fs::directory_iterator(path)) names << QString::fromStdString(entry.path().filename().string());
        names.sort();
        return names;
    }

    std::unique_ptr<QTemporaryDir> m_temporary;
};

QTEST_APPLESS_MAIN(TstCheckpoint)
#include "tst_checkpoint.moc"
