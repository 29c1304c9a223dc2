// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/collectives.h"

#include "engine/comm_lane.h"

#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

using namespace stagecraft;

namespace {

/// A value every rank can compute for every other.
float valueOf(int rank, std::int64_t i) { return static_cast<float>((i * 37 + rank * 101) % 1009) / 64.0f; }

/// Runs `body` on `world` ranks, one thread each. @return the first failure
QString onRanks(int world, std::int64_t piece, const std::function<QString(Collectives&, int)>& body)
{
    static std::atomic<int> runs{0};
    QTemporaryDir folder;
    const std::string store = folder.filePath(QString("store%1").arg(++runs)).toStdString();
    std::vector<QString> answers(static_cast<std::size_t>(world));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < world; ++rank)
        threads.emplace_back([&, rank] {
            std::vector<float> staging(static_cast<std::size_t>(2 * piece));
            GlooOptions options;
            options.rank = rank;
            options.world = world;
            options.storeFile = store;
            options.timeout = std::chrono::seconds(60);
            options.pieceElements = piece;
            auto made = world == 1 ? Result<std::unique_ptr<Collectives>>(makeSingleRank()) : makeGlooRing(options, staging.data());
            answers[static_cast<std::size_t>(rank)] = made.hasValue() ? body(**made, rank) : QString::fromStdString(made.error().message);
        });
    for (std::thread& thread : threads) thread.join();
    for (const QString& answer : answers)
        if (!answer.isEmpty()) return answer;
    return {};
}

}  // namespace

class TstCollectives : public QObject {
    Q_OBJECT

private slots:
    void sumsAsTheSlowWayDoes_data()
    {
        QTest::addColumn<int>("world");
        QTest::addColumn<std::int64_t>("shard");
        for (const int world : {1, 2, 3, 4, 5})
            for (const std::int64_t shard : {std::int64_t{16}, std::int64_t{48}, std::int64_t{1024}, std::int64_t{300'000}})
                QTest::addRow("%d ranks, %lld floats each", world, static_cast<long long>(shard)) << world << shard;
    }

    /// Values are multiples of 1/64 below 16, so that every order of summation gives the same floats.
    void sumsAsTheSlowWayDoes()
    {
        QFETCH(int, world);
        QFETCH(std::int64_t, shard);
        // Pieces of 100,000 floats: the largest case travels in three pieces of several segments.
        const QString problem = onRanks(world, std::min<std::int64_t>(shard, 100'000), [&](Collectives& c, int rank) -> QString {
            const std::int64_t count = shard * world;
            std::vector<float> full(static_cast<std::size_t>(count)), target(static_cast<std::size_t>(shard), 2.0f);
            for (std::int64_t i = 0; i < count; ++i) full[static_cast<std::size_t>(i)] = valueOf(rank, i);
            const auto sumAt = [&](std::int64_t i) {
                float sum = 0;
                for (int r = 0; r < world; ++r) sum += valueOf(r, i);
                return sum;
            };
            for (const bool accumulate : {true, false}) {
                if (auto done = c.reduceScatter(full.data(), shard, target.data(), accumulate); !done.hasValue()) return QString::fromStdString(done.error().message);
                for (std::int64_t i = 0; i < shard; ++i)
                    if (target[static_cast<std::size_t>(i)] != sumAt(rank * shard + i) + (accumulate ? 2.0f : 0.0f)) return QString("rank %1: sum %2 is wrong").arg(rank).arg(i);
            }
            float* own = full.data() + rank * shard;
            if (auto done = c.reduceScatter(full.data(), shard, own, false); !done.hasValue()) return QString::fromStdString(done.error().message);
            for (std::int64_t i = 0; i < count; ++i) {
                const bool mine = i / shard == rank;
                if (full[static_cast<std::size_t>(i)] != (mine ? sumAt(i) : valueOf(rank, i))) return QString("rank %1: in-place value %2 is wrong").arg(rank).arg(i);
            }
            if (auto done = c.allGather(full.data(), shard * 4); !done.hasValue()) return QString::fromStdString(done.error().message);
            for (std::int64_t i = 0; i < count; ++i)
                if (full[static_cast<std::size_t>(i)] != sumAt(i)) return QString("rank %1: gathered value %2 is wrong").arg(rank).arg(i);
            double scalars[] = {1.0 + rank, -0.5, 1e300};
            if (auto done = c.allReduce(scalars); !done.hasValue()) return QString::fromStdString(done.error().message);
            if (scalars[0] != world * (world + 1) / 2.0 || scalars[1] != -0.5 * world) return QString("rank %1: scalars are wrong").arg(rank);
            return {};
        });
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void namesALostPeer()
    {
        const QString problem = onRanks(2, 16, [](Collectives& c, int rank) -> QString {
            std::vector<float> full(32, 1.0f), target(16);
            // Leaves after the first, so that it is a peer that was there.
            if (rank == 1) {
                const auto done = c.reduceScatter(full.data(), 16, target.data(), false);
                return done.hasValue() ? QString() : QString("the first failed");
            }
            for (int i = 0; i < 100; ++i)
                if (const auto done = c.reduceScatter(full.data(), 16, target.data(), false); !done.hasValue())
                    return done.error().code == ErrorCode::Io && done.error().context.contains("peerLost") ? QString("lost") : QString("wrong error");
            return QString("nothing noticed");
        });
        QCOMPARE(problem, QString("lost"));
    }

    void aLaneWorksInOrderAndSkipsAfterAFailure()
    {
        CommLane lane;
        std::vector<int> done;
        for (int i = 0; i < 20; ++i)
            lane.post([&done, i]() -> Result<void> {
                done.push_back(i);
                return {};
            });
        const auto failing = lane.post([]() -> Result<void> { return Error{ErrorCode::Io, "a wire came loose", {}}; });
        const auto after = lane.post([&done]() -> Result<void> {
            done.push_back(99);
            return {};
        });
        const Result<void> result = lane.wait(after);
        QVERIFY(!result.hasValue());
        QCOMPARE(result.error().message, std::string("a wire came loose"));
        QVERIFY(lane.ended(failing));
        QCOMPARE(done.size(), std::size_t{20});
        QVERIFY(std::is_sorted(done.begin(), done.end()));
    }
};

QTEST_GUILESS_MAIN(TstCollectives)
#include "tst_collectives.moc"
