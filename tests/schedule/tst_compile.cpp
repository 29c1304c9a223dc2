// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/compile.h"

#include "parallel/flat_layout.h"
#include "schedule/leases.h"
#include "schedule/schedule_json.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace stagecraft;

namespace {

ModelSpec smallModel(Family family, bool tied)
{
    ModelSpec spec;
    spec.family = family;
    spec.hidden = 48;
    spec.layers = 2;
    spec.heads = 6;
    spec.kvHeads = family == Family::Gpt2 ? 6 : 3;
    spec.headSize = 8;
    spec.ffn = 112;
    spec.vocab = 200;
    spec.seq = 16;
    spec.positions = family == Family::Gpt2 ? 16 : 0;
    spec.tieEmbeddings = tied;
    return spec;
}

EngineConfig configOf(int stage, std::int64_t accumulation)
{
    EngineConfig config;
    config.zeroStage = stage;
    config.microBatch = 2;
    config.accumulation = accumulation;
    config.persistenceThreshold = 0;
    return config;
}

/// "Gather 1" for op kinds with a unit, a tick for what is made again.
QString printed(const Program& program)
{
    QStringList words;
    for (const Op& op : program.ops) {
        QString word = QString(opKindName(op.kind));
        if (op.unit >= 0) word += QString(" %1").arg(op.unit);
        if (op.recompute) word += "'";
        words << word;
    }
    return words.join(", ");
}

}  // namespace

class TstCompile : public QObject {
    Q_OBJECT

private slots:
    void holdsForEveryShape()
    {
        for (const Family family : {Family::Gpt2, Family::Llama})
            for (const bool tied : {false, true})
                for (int stage = 0; stage <= 3; ++stage)
                    for (const int world : {1, 2, 3, 4})
                        for (const std::int64_t accumulation : {1, 2, 3})
                            for (const Recompute recompute : {Recompute::None, Recompute::Full})
                                for (const std::int64_t threshold : {0, 200, 1'000'000}) checkShape(family, tied, stage, world, accumulation, recompute, threshold);
    }

    void listsOpsInOrder_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("world");
        QTest::addColumn<bool>("recompute");
        QTest::addColumn<QString>("expected");
        QTest::newRow("one rank talks to nobody") << 3 << 1 << false
            << QString("LoadBatch, Forward 0, Forward 1, Forward 2, Forward 3, BackwardInput 3, BackwardWeight 3, BackwardInput 2, BackwardWeight 2, "
                       "BackwardInput 1, BackwardWeight 1, BackwardWeight 0, AllReduce, OptimizerStep 0, OptimizerStep 1, OptimizerStep 2, OptimizerStep 3");
        QTest::newRow("stage 0 sums under the backward pass") << 0 << 2 << false
            << QString("LoadBatch, Forward 0, Forward 1, Forward 2, Forward 3, BackwardInput 3, BackwardWeight 3, AllReduce 3, BackwardInput 2, BackwardWeight 2, AllReduce 2, "
                       "BackwardInput 1, BackwardWeight 1, AllReduce 1, BackwardWeight 0, AllReduce 0, AllReduce, OptimizerStep 0, OptimizerStep 1, OptimizerStep 2, OptimizerStep 3");
        QTest::newRow("stage 1 gathers updated weights under the next forward") << 1 << 2 << false
            << QString("LoadBatch, Gather 0, Gather 1, Forward 0, Gather 2, Forward 1, Gather 3, Forward 2, Forward 3, BackwardInput 3, BackwardWeight 3, ReduceScatter 3, "
                       "BackwardInput 2, BackwardWeight 2, ReduceScatter 2, BackwardInput 1, BackwardWeight 1, ReduceScatter 1, BackwardWeight 0, ReduceScatter 0, AllReduce, "
                       "OptimizerStep 0, OptimizerStep 1, OptimizerStep 2, OptimizerStep 3");
        QTest::newRow("stage 3 gathers ahead, releases and gathers again") << 3 << 2 << true
            << QString("LoadBatch, Gather 0, Gather 1, Forward 0, Release 0, Gather 2, Forward 1, Release 1, Gather 3, Forward 2, Release 2, Forward 3, "
                       "Gather 2', BackwardInput 3, Release 3', BackwardWeight 3, ReduceScatter 3, Gather 1', Forward 2', BackwardInput 2, Release 2', BackwardWeight 2, ReduceScatter 2, "
                       "Forward 1', BackwardInput 1, Release 1', BackwardWeight 1, ReduceScatter 1, BackwardWeight 0, ReduceScatter 0, AllReduce, "
                       "OptimizerStep 0, OptimizerStep 1, OptimizerStep 2, OptimizerStep 3");
    }

    void listsOpsInOrder()
    {
        QFETCH(int, stage);
        QFETCH(int, world);
        QFETCH(bool, recompute);
        QFETCH(QString, expected);
        const auto schedule = compileSchedule(smallModel(Family::Llama, false), configOf(stage, 1), world, recompute ? Recompute::Full : Recompute::None);
        QVERIFY2(schedule.hasValue(), schedule.hasValue() ? "" : schedule.error().message.c_str());
        QCOMPARE(printed(schedule->programs.front()), expected);
    }

    void gathersNoFurtherAheadThanAllowed()
    {
        EngineConfig config = configOf(3, 1);
        config.prefetchElements = 0;
        const auto schedule = compileSchedule(smallModel(Family::Llama, false), config, 2, Recompute::None);
        QVERIFY(schedule.hasValue());
        int live = 0;
        for (const Op& op : schedule->programs.front().ops) {
            live += op.kind == OpKind::Gather ? 1 : op.kind == OpKind::Release ? -1 : 0;
            QVERIFY(live <= 1);
        }
    }

    /// "overlap_comm": false: no gather ahead, and the compute after a reduction waits for it.
    void overlapsNothingWhenForbidden()
    {
        for (int stage = 0; stage <= 3; ++stage) {
            EngineConfig config = configOf(stage, 2);
            config.overlapForbidden = true;
            const auto compiled = compileSchedule(smallModel(Family::Llama, false), config, 2, Recompute::None);
            QVERIFY(compiled.hasValue());
            const auto& ops = compiled.value().programs.front().ops;
            const auto isCompute = [](const Op& op) { return op.kind == OpKind::Forward || op.kind == OpKind::BackwardInput || op.kind == OpKind::BackwardWeight; };
            int reductions = 0;
            for (std::size_t id = 0; id < ops.size(); ++id) {
                const bool reduces = ops[id].kind == OpKind::ReduceScatter || (ops[id].kind == OpKind::AllReduce && ops[id].unit >= 0);
                if (!reduces && ops[id].kind != OpKind::Gather) continue;
                reductions += reduces ? 1 : 0;
                std::size_t next = id + 1;
                while (next < ops.size() && !isCompute(ops[next])) ++next;
                if (next == ops.size()) continue;
                const auto& after = ops[next].after;
                QVERIFY2(std::find(after.begin(), after.end(), static_cast<std::int32_t>(id)) != after.end(), qPrintable(QString("stage %1, op %2").arg(stage).arg(id)));
            }
            QVERIFY(reductions > 0);
        }
    }

    void refusesBrokenPrograms_data()
    {
        QTest::addColumn<QString>("breakIt");
        QTest::addColumn<QString>("says");
        QTest::newRow("a gather is missing") << QString("drop Gather") << QString("before it is gathered");
        QTest::newRow("a release is missing") << QString("drop Release") << QString("a lease is left");
        QTest::newRow("a reduction is missing") << QString("drop ReduceScatter") << QString("before every gradient is reduced");
        QTest::newRow("nobody waits for a gather") << QString("unwait Forward") << QString("without waiting for its gather");
        QTest::newRow("the norm waits for nothing") << QString("unwait AllReduce") << QString("does not wait");
        QTest::newRow("the future is waited for") << QString("future") << QString("not listed before it");
        QTest::newRow("the norm is missing") << QString("drop AllReduce") << QString("before the norm");
    }

    void refusesBrokenPrograms()
    {
        QFETCH(QString, breakIt);
        QFETCH(QString, says);
        const ModelSpec spec = smallModel(Family::Llama, false);
        const EngineConfig config = configOf(3, 1);
        auto schedule = compileSchedule(spec, config, 2, Recompute::None);
        QVERIFY(schedule.hasValue());
        auto& ops = schedule->programs.front().ops;
        const QStringList words = breakIt.split(' ');
        const auto first = std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return words.size() == 2 && words[1] == opKindName(op.kind); });
        if (words[0] == "drop") first->kind = OpKind::LoadBatch;
        if (words[0] == "unwait") first->after.clear();
        if (words[0] == "future") ops.front().after = {5};
        const Result<void> valid = validateSchedule(*schedule, spec, config);
        QVERIFY(!valid.hasValue());
        QVERIFY2(QString::fromStdString(valid.error().message).contains(says), valid.error().message.c_str());
    }

    void survivesJson()
    {
        const auto schedule = compileSchedule(smallModel(Family::Gpt2, true), configOf(3, 2), 2, Recompute::Full);
        QVERIFY(schedule.hasValue());
        const nlohmann::json document = scheduleToJson(*schedule);
        const auto again = scheduleFromJson(document);
        QVERIFY(again.hasValue());
        QCOMPARE(scheduleToJson(*again), document);
        nlohmann::json broken = document;
        broken["programs"][0]["ops"][0]["kind"] = "Dance";
        QVERIFY(!scheduleFromJson(broken).hasValue());
        broken["programs"][0]["ops"][0].erase("kind");
        QVERIFY(!scheduleFromJson(broken).hasValue());
    }

    /// What holds every operation of a step must not be asked for more than a machine holds.
    void refusesMoreMicroBatchesThanAScheduleHolds()
    {
        const auto refused = compileSchedule(smallModel(Family::Llama, false), configOf(2, 100'000'000), 2, Recompute::None);
        QVERIFY(!refused.hasValue());
        QVERIFY2(refused.error().message.find("micro-batches at most") != std::string::npos, refused.error().message.c_str());
    }

    void knowsTheWordsOfRecompute()
    {
        QCOMPARE(*recomputeFromWord("none"), Recompute::None);
        QCOMPARE(*recomputeFromWord("full"), Recompute::Full);
        QCOMPARE(recomputeFromWord("selective").error().code, ErrorCode::Refused);
        QCOMPARE(recomputeFromWord("").error().code, ErrorCode::InvalidInput);
    }

private:
    void checkShape(Family family, bool tied, int stage, int world, std::int64_t accumulation, Recompute recompute, std::int64_t threshold)
    {
        const ModelSpec spec = smallModel(family, tied);
        EngineConfig config = configOf(stage, accumulation);
        config.persistenceThreshold = threshold;
        const auto schedule = compileSchedule(spec, config, world, recompute);
        QVERIFY2(schedule.hasValue(), schedule.hasValue() ? "" : schedule.error().message.c_str());
        const Program& program = schedule->programs.front();
        std::map<OpKind, std::int64_t> counts;
        for (const Op& op : program.ops) ++counts[op.kind];
        const std::int64_t units = spec.layers + 2;
        QCOMPARE(counts[OpKind::LoadBatch], accumulation);
        QCOMPARE(counts[OpKind::Forward], accumulation * (units + (recompute == Recompute::Full ? spec.layers : 0)));
        QCOMPARE(counts[OpKind::BackwardInput], accumulation * (units - 1));
        QCOMPARE(counts[OpKind::BackwardWeight], accumulation * units);
        QCOMPARE(counts[OpKind::OptimizerStep], units);
        const std::int64_t reduces = world == 1 || stage == 0 ? 0 : units * (stage >= 2 ? accumulation : 1);
        QCOMPARE(counts[OpKind::ReduceScatter], reduces);
        QCOMPARE(counts[OpKind::AllReduce], 1 + (world > 1 && stage == 0 ? units : 0));
        if (world == 1 || stage < 3) QCOMPARE(counts[OpKind::Release], 0);
        checkLeases(program, spec, config, world);
    }

    /// No slot is held twice at once, and each is large enough.
    void checkLeases(const Program& program, const ModelSpec& spec, const EngineConfig& config, int world)
    {
        const LeasePlan plan = leasePlanOf(program, spec, config, world);
        const auto units = unitsOf(spec);
        std::map<int, int> weightHolder, gradientHolder;  // slot -> unit
        for (std::size_t id = 0; id < program.ops.size(); ++id) {
            const Op& op = program.ops[id];
            if (const int slot = plan.weightSlotOfOp[id]; slot >= 0) {
                QVERIFY(!weightHolder.contains(slot));
                weightHolder[slot] = op.unit;
                QVERIFY(plan.weightSlots[static_cast<std::size_t>(slot)] >= flatLayoutOf(units[static_cast<std::size_t>(op.unit)], world).padded);
            }
            if (op.kind == OpKind::Release) std::erase_if(weightHolder, [&](const auto& held) { return held.second == op.unit; });
            if (const int slot = plan.gradientSlotOfOp[id]; slot >= 0) {
                QVERIFY(!gradientHolder.contains(slot));
                const int unit = plan.gradientUnitOfOp[id];
                gradientHolder[slot] = unit;
                QVERIFY(plan.gradientSlots[static_cast<std::size_t>(slot)] >= flatLayoutOf(units[static_cast<std::size_t>(unit)], world).padded);
            }
            if (op.kind == OpKind::ReduceScatter && leasesGradients(config, world)) {
                QVERIFY(std::erase_if(gradientHolder, [&](const auto& held) { return held.second == op.unit; }) == 1);
            }
        }
        QVERIFY(weightHolder.empty() && gradientHolder.empty());
        QVERIFY(plan.weightSlots.size() <= 3 && plan.gradientSlots.size() <= 3);
    }
};

QTEST_GUILESS_MAIN(TstCompile)
#include "tst_compile.moc"
