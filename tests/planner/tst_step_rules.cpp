// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of the step's time, one by one: what fills a pipeline, what travels, what is made again, what fused kernels move, and which
// links a collective has.
#include "llama_job.h"
#include "hardware/device_sheet.h"
#include "planner/framework_ledger.h"
#include "planner/pipeline_time.h"
#include "planner/plan.h"
#include "planner/step_clock.h"
#include "planner/step_time.h"
#include "planner/transfers.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace stagecraft;

namespace {

TrainingCase job(Framework framework, const char* device = "H100-SXM-80GB")
{
    TrainingCase c = test::llama70B(framework, device);
    c.nodes = 8;
    c.dp = 64;
    c.microBatches = 4;
    return c;
}

StepClock clockOf(const TrainingCase& c) { return StepClock(c, *c.sheet, 1); }

double partOf(const StepForecast& f, const std::string& name)
{
    for (const auto& [part, seconds] : f.split) if (part == name) return seconds;
    return -1;
}

/// One forward, one backward, executed op by op: when the last stage is done.
double simulated(const std::vector<double>& forward, const std::vector<double>& backward, int microBatches)
{
    const int p = static_cast<int>(forward.size());
    std::vector<std::vector<std::pair<bool, int>>> order(forward.size());
    for (int i = 0; i < p; ++i) {
        auto& ops = order[static_cast<std::size_t>(i)];
        int next = std::min(microBatches, p - i);
        for (int k = 0; k < next; ++k) ops.push_back({true, k});
        for (int k = 0; k < microBatches; ++k) {
            ops.push_back({false, k});
            if (next < microBatches) ops.push_back({true, next++});
        }
    }
    std::map<std::tuple<bool, int, int>, double> done;
    std::vector<double> time(forward.size(), 0);
    std::vector<std::size_t> at(forward.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < p; ++i) {
            const auto s = static_cast<std::size_t>(i);
            while (at[s] < order[s].size()) {
                const auto [isForward, k] = order[s][at[s]];
                double ready = 0;
                if (const int from = isForward ? i - 1 : i + 1; from >= 0 && from < p) {
                    const auto found = done.find({isForward, k, from});
                    if (found == done.end()) break;
                    ready = found->second;
                }
                time[s] = std::max(time[s], ready) + (isForward ? forward[s] : backward[s]);
                done[{isForward, k, i}] = time[s];
                ++at[s];
                moved = true;
            }
        }
    }
    return *std::max_element(time.begin(), time.end());
}

}  // namespace

class TstStepRules : public QObject {
    Q_OBJECT
private slots:
    // A network of few nodes that is named, and slower than the one assumed, is no faster for it; more nodes never send faster.
    void slowerNetworksTakeLonger()
    {
        TrainingCase c = job(Framework::DeepSpeed);
        c.settings.stage = 3;
        c.nodes = 2;
        c.devicesPerNode = 8;
        c.dp = 16;
        const auto step = [&](double bytes, std::int64_t nodes) {
            TrainingCase at = c;
            at.networkBytes = bytes;
            at.nodes = nodes;
            at.dp = 8 * nodes;
            return forecastStep(at, *at.sheet, 1).stepTime;
        };
        const double assumed = step(0, 2);
        QVERIFY(step(25e9, 2) >= assumed && step(12.5e9, 2) > step(25e9, 2) && step(1e9, 2) > step(12.5e9, 2));
        for (const std::int64_t nodes : {2, 4, 8, 16, 32, 48, 96}) QVERIFY2(step(0, nodes) >= step(0, std::max<std::int64_t>(1, nodes / 2)), std::to_string(nodes).c_str());
    }

    // Megatron hides its exchanges only where it is told to: --overlap-grad-reduce, --overlap-param-gather.
    void exchangesHideWhereAsked()
    {
        TrainingCase c = job(Framework::Megatron);
        c.tp = 8;
        c.dp = 8;
        c.sequenceParallel = c.distributedOptimizer = true;
        const auto shown = [&](bool gradients, bool weights) {
            c.overlapGradients = gradients;
            c.overlapWeights = weights;
            return partOf(forecastStep(c, *c.sheet, 1), "communication_exposed.gradients");
        };
        QVERIFY(shown(true, true) <= shown(true, false));
        QVERIFY(shown(true, false) < shown(false, false));
        const double rings = ringSeconds(c, *c.sheet, replicaExchange(c, stageParameters(c, 0, 80).all()).gradients, c.dp * c.cp, c.tp) + ringSeconds(c, *c.sheet, replicaExchange(c, stageParameters(c, 0, 80).all()).weights, c.dp * c.cp, c.tp);
        QVERIFY(std::abs(shown(false, false) / rings - 1) < 1e-9);
    }

    // With nothing but fused kernels between them an A100's products reach less of its peak; with slow kernels between them more.
    void denseProductsOfAnA100()
    {
        TrainingCase c = job(Framework::Megatron, "A100-SXM-80GB");
        c.transformerEngine = false;
        c.flashAttention = false;
        const double apart = clockOf(c).matrixShare();
        c.flashAttention = true;
        QVERIFY(clockOf(c).matrixShare() < apart);
        c.framework = Framework::Fsdp2;
        QCOMPARE(clockOf(c).matrixShare(), apart);
    }

    // GPT-NeoX leaves to separate kernels what Megatron fuses.
    void looseLayersMoveMore()
    {
        TrainingCase c = job(Framework::DeepSpeed, "A100-SXM-80GB");
        c.model.gated = c.model.rmsNorm = false;
        c.rotary = false;
        c.megatronCode = true;
        c.transformerEngine = c.flashAttention = false;  // the same products on both sides
        const PassCost fused = clockOf(c).layer();
        c.looseLayers = true;
        const PassCost loose = clockOf(c).layer();
        const double tokens = c.tokens(), h = 8192, queries = 8192, width = 28672, rate = c.sheet->memoryBytesPerSecond;
        const Efficiency e = efficiencyOf(*c.sheet);
        QVERIFY(loose.forward > 2 * (18 * h + 8 * queries + 2 * width) * tokens / (e.memory * rate));
        QVERIFY(loose.forward + loose.backward > 1.05 * (fused.forward + fused.backward));
    }

    // The slow side of an interval grows with the devices that a step waits for, and with a network nobody has named.
    void intervalsGrowToTheSlowSide()
    {
        TrainingCase c = job(Framework::Megatron);
        const auto upper = [&] {
            const StepForecast f = forecastStep(c, *c.sheet, 1);
            return std::pair{f.interval90[1] / f.stepTime, f.stepTime / f.interval90[0]};
        };
        c.overlapGradients = false;
        const auto unnamed = upper();
        QVERIFY(unnamed.first > unnamed.second);
        c.networkBytes = 45e9;
        const auto named = upper();
        QVERIFY(std::abs(named.first - named.second) < 1e-9);
        QVERIFY(std::abs(named.second - unnamed.second) < 1e-9);
        c.nodes = 128;
        c.dp = 1024;
        const auto many = upper();
        QVERIFY(std::abs(many.first / named.first - 1.03) < 1e-6);
    }

    void stagesFillAtTheirOwnPace()
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> some(0.7, 1.3);
        for (int trial = 0; trial < 60; ++trial) {
            TrainingCase c = job(Framework::Megatron);
            const int p = 2 + static_cast<int>(random() % 11);
            const int m = p * (1 + static_cast<int>(random() % 6));
            c.pp = p;
            std::vector<double> forward(static_cast<std::size_t>(p)), backward;
            const bool lastIsSlowest = trial % 2 == 0;
            for (double& f : forward) f = lastIsSlowest ? 1.0 : some(random);
            if (lastIsSlowest) forward.back() = some(random) + 0.3;
            for (const double f : forward) backward.push_back(2.2 * f);
            double all = 0, most = 0;
            for (std::size_t i = 0; i < forward.size(); ++i) {
                all += forward[i] + backward[i];
                most = std::max(most, forward[i] + backward[i]);
            }
            const double truth = simulated(forward, backward, m);
            const double ours = m * most + pipelineBubble(c, all - most, 0.34);
            // The stage with the output is the slowest one as a rule: then it is exact. Elsewhere it lies between the truth and what
            // p - 1 turns of the slowest stage would be.
            if (lastIsSlowest) QVERIFY2(std::abs(ours / truth - 1) < 1e-9, qPrintable(QString("%1 of %2").arg(ours).arg(truth)));
            QVERIFY(ours > truth * (1 - 1e-9) && ours <= (m + p - 1) * most * (1 + 1e-9));
        }
    }

    void boundariesTravelInSlices()
    {
        TrainingCase c = job(Framework::DeepSpeed, "A100-SXM-80GB");
        c.tp = 8, c.pp = 4, c.dp = 2;
        const double whole = 2.0 * 4096 * 8192;
        QCOMPARE(boundaryBytes(c), whole / 8);
        QVERIFY(gathersBoundary(c));
        c.framework = Framework::Megatron;
        c.transformerEngine = false;
        QCOMPARE(boundaryBytes(c), whole / 8);
        c.transformerEngine = true;
        QCOMPARE(boundaryBytes(c), whole);
        QVERIFY(!gathersBoundary(c));
        c.sequenceParallel = true;
        QCOMPARE(boundaryBytes(c), whole / 8);
        QVERIFY(!gathersBoundary(c));
        c.tp = 1;
        c.sequenceParallel = false;
        c.framework = Framework::DeepSpeed;
        QCOMPARE(boundaryBytes(c), whole);
        // A middle stage has two neighbours.
        QCOMPARE(shownTransfers(c, 0), 2.0);
        QCOMPARE(shownTransfers(c, 1), 4.0);
        QCOMPARE(shownTransfers(c, 3), 2.0);
        c.framework = Framework::Megatron;
        QCOMPARE(shownTransfers(c, 1), 2.0);
        c.pp = 1;
        QCOMPARE(shownTransfers(c, 0), 0.0);
    }

    void stagesOnOneNodeUseItsLinks()
    {
        TrainingCase c = job(Framework::Megatron);
        c.pp = 4, c.dp = 2, c.nodes = 1;
        const double inside = partOf(forecastStep(c, *c.sheet), "communication_exposed.pipeline");
        c.nodes = 8, c.dp = 16;
        const double across = partOf(forecastStep(c, *c.sheet), "communication_exposed.pipeline");
        QVERIFY2(inside > 0 && inside < across / 4, qPrintable(QString("%1 and %2").arg(inside).arg(across)));
    }

    void megatronsOwnLayersAreFused()
    {
        TrainingCase c = job(Framework::Megatron, "A100-SXM-80GB");
        const double te = clockOf(c).elementwise(1e9);
        c.transformerEngine = false;
        QCOMPARE(clockOf(c).elementwise(1e9), te);
        c.framework = Framework::DeepSpeed;
        c.megatronCode = true;
        QCOMPARE(clockOf(c).elementwise(1e9), te);
        c.megatronCode = false;
        QVERIFY(clockOf(c).elementwise(1e9) > 1.5 * te);
    }

    // Dropout on fused scores reads them, its mask and writes them, once each way.
    void scoresMoveAsManyMasksBackAsForth()
    {
        TrainingCase c = job(Framework::Megatron, "A100-SXM-80GB");
        c.transformerEngine = false;
        c.flashAttention = false;
        const PassCost plain = clockOf(c).layer();
        c.attentionDropout = 0.1;
        const PassCost dropped = clockOf(c).layer();
        const double forth = dropped.forward - plain.forward, back = dropped.backward - plain.backward;
        QVERIFY(forth > 0);
        QVERIFY2(std::abs(back / forth - 1) < 1e-6, qPrintable(QString::number(back / forth)));
    }

    void checkpointsStopBeforeTheLastProduct()
    {
        TrainingCase c = job(Framework::Fsdp2);
        const StepClock clock = clockOf(c);
        const PassCost layer = clock.layer();
        const double down = clock.product(4096, 8192, 28672);
        QVERIFY(std::abs(layer.forward - layer.again - down) < 1e-9);
        c.wholeRecompute = true;
        const PassCost whole = clockOf(c).layer();
        QCOMPARE(whole.again, whole.forward);
        c.framework = Framework::Megatron;
        c.wholeRecompute = false;
        const PassCost megatron = clockOf(c).layer();
        QCOMPARE(megatron.again, megatron.forward);
    }

    // torchtitan's selective policy keeps attention and every other product.
    void selectedProductsAloneAreMadeAgain()
    {
        TrainingCase c = job(Framework::Fsdp2);
        const PassCost whole = clockOf(c).layer();
        c.policy = ActivationPolicy::SelectiveOp;
        const PassCost some = clockOf(c).layer();
        const StepClock clock = clockOf(c);
        const double again = clock.product(4096, 1024, 8192) + clock.product(4096, 8192, 8192) + clock.product(4096, 28672, 8192);
        QVERIFY2(some.again > again && some.again < 0.65 * whole.again, qPrintable(QString::number(some.again / whole.again)));
        c.cudnnAttention = true;
        const PassCost faster = clockOf(c).layer();
        QVERIFY(faster.forward < some.forward);
        QCOMPARE(faster.again, some.again);
    }

    // Copies out of a gather (2 + 2 bytes, in either pass) and into a reduction (2 + 4), and casts to 8 bits, run between the products.
    void shardsAreCopiedBetweenTheProducts()
    {
        TrainingCase c = job(Framework::Fsdp2);
        const StepClock clock = clockOf(c);
        const double each = static_cast<double>(c.model.perLayer);
        const auto costs = [&](double forward, double backward) {
            const PassCost cost = clockOf(c).blockWeights();
            return std::abs(cost.forward - clock.streamed(forward * each)) < 1e-9 && std::abs(cost.backward - clock.streamed(backward * each)) < 1e-9;
        };
        QVERIFY(costs(4, 10));
        c.float8 = true;
        QVERIFY(costs(4 + 5, 10 + 3));
        c.float8Gather = true;
        QVERIFY(costs(2, 2 + 6));
        c.float8 = c.float8Gather = false;
        c.reshardAfterForward = false;
        QVERIFY(costs(4, 6));
        c.reshardAfterForward = c.accumulateUnsharded = true;
        QVERIFY(costs(4, 4 + 10 + 6 / 4.0));
        c.accumulateUnsharded = false;
        c.flatShards = true;
        QVERIFY(costs(0, 0));
        c.flatShards = false;
        c.dp = 1;
        QVERIFY(costs(0, 0));
        c.dp = 64;
        c.framework = Framework::DeepSpeed;
        QVERIFY(costs(0, 0));
    }

    void tensorParallelPassesCountTheirCollectives()
    {
        TrainingCase c = job(Framework::Fsdp2);
        c.tp = 8, c.dp = 8;
        c.sequenceParallel = true;
        // Each with the whole tensor's copy along the sequence.
        const double one = clockOf(c).ring(2.0 * 4096 * 8192, 8, 1) + clockOf(c).streamed(2 * 2.0 * 4096 * 8192);
        const auto rings = [&](double forward, double backward, double again) {
            const PassCost cost = clockOf(c).tensorParallel();
            return std::abs(cost.forward / one - forward) < 1e-9 && std::abs(cost.backward / one - backward) < 1e-9 && std::abs(cost.again / one - again) < 1e-9;
        };
        QVERIFY(rings(4, 4, 3));
        c.gatherEachProjection = true;
        // Twelve gathers and eight scatters a layer, as KempnerForge's profile counts them.
        QVERIFY(rings(7, 7, 6));
        c.gatherEachProjection = false;
        c.float8Activations = true;
        QVERIFY(rings(3, 3, 2));
    }

    void lossOnWholeLogitsGathersThem()
    {
        TrainingCase c = job(Framework::Fsdp2);
        c.tp = 8, c.dp = 8;
        const PassCost divided = clockOf(c).head();
        c.lossParallel = false;
        const PassCost whole = clockOf(c).head();
        const double logits = 4096.0 * 128256;
        const StepClock clock = clockOf(c);
        const double more = clock.bytes(logits * 7 / 8 * 17);
        QVERIFY(std::abs(whole.forward - divided.forward - more - clock.ring(2 * logits, 8, 1)) < 1e-9);
        QVERIFY(std::abs(whole.backward - divided.backward - more) < 1e-9);
    }

    void deterministicModeFillsWhatIsMade()
    {
        TrainingCase c = job(Framework::Megatron, "A100-SXM-80GB");
        const PassCost plain = clockOf(c).layer();
        c.deterministic = true;
        const PassCost filled = clockOf(c).layer();
        // The same attention kernels here: Ampere's.
        const double outputs = 4096.0 * 2 * (3 * 8192 + (8192 + 2 * 1024) + 8192 + 8192 + 3 * 28672);
        QVERIFY(std::abs(filled.forward - plain.forward - clockOf(c).streamed(outputs)) < 1e-9);
    }

    void pairsOfAMeshHaveTheirOwnLinksOnly()
    {
        TrainingCase c = job(Framework::Fsdp2);
        const double bytes = 1e12;
        const double switched = clockOf(c).ring(bytes, 2, 1);
        c.devicesPerNode = 4;
        const double pair = clockOf(c).ring(bytes, 2, 1), all = clockOf(c).ring(bytes, 4, 1);
        QVERIFY2(std::abs(pair / switched - 3) < 1e-3, qPrintable(QString::number(pair / switched)));
        QVERIFY(std::abs(all / switched - 1.5) < 1e-3);
        // Trays of one NVLink domain have switches.
        TrainingCase tray = job(Framework::Fsdp2, "GB200-186GB");
        const double wide = clockOf(tray).ring(bytes, 2, 1);
        tray.devicesPerNode = 4;
        QCOMPARE(clockOf(tray).ring(bytes, 2, 1), wide);
        TrainingCase fabric = job(Framework::Fsdp2, "MI300X");
        QVERIFY(clockOf(fabric).ring(bytes, 2, 1) > 3 * clockOf(fabric).ring(bytes, 8, 1));
    }

    // Nominal peaks of AMD's cards promise more than their libraries reach: never beyond what their maker measures of large products
    // ("Measuring Max-Achievable FLOPs", 2025: 708, 843 and, in 8 bits, 1,273 and 1,519 TFLOP/s).
    void amdReachesOtherShares()
    {
        for (const auto& [id, bf16, fp8] : {std::tuple{"MI300X", 708e12, 1273e12}, {"MI325X", 843e12, 1519e12}}) {
            const DeviceSheet& device = *findDevice(id);
            const Efficiency e = efficiencyOf(device);
            for (double share : {e.matrix, e.matrixFused, e.matrixGrouped}) QVERIFY2(share * device.peakFor("bf16") < bf16 && share * device.peakFor("bf16") > 0.55 * bf16, id);
            for (double share : {e.matrixFp8, e.matrixFp8Fused}) QVERIFY2(share * device.peakFor("fp8") < fp8 && share * device.peakFor("fp8") > 0.55 * fp8, id);
        }
        const auto rate = [](const char* id) { return efficiencyOf(*findDevice(id)).matrix * findDevice(id)->peakFor("bf16"); };
        QVERIFY(rate("MI300X") < rate("MI325X") && rate("MI325X") < rate("MI355X"));
        QVERIFY(std::abs(rate("MI355X") / rate("B200-SXM-180GB") - 1.02) < 1e-9);
        // One MI300X trains an 8B at 1/1.40 to 1/1.32 of an H200's speed, most of which is products.
        const double slower = rate("H200-SXM-141GB") / rate("MI300X");
        QVERIFY2(slower > 1.32 && slower < 1.40, qPrintable(QString::number(slower)));
        // And forecasts of them are less sure.
        const auto width = [](const char* id) {
            const TrainingCase c = job(Framework::Fsdp2, id);
            const auto ends = forecastStep(c, *c.sheet).interval90;
            return ends[1] / ends[0];
        };
        QVERIFY(width("MI300X") > 1.5 * width("H100-SXM-80GB"));
    }

    // Ada's cards run Ampere's kernels at what their power allows: an L40 at all it has, an L4 of 72 W at two thirds of that.
    void adaReachesWhatItsPowerAllows()
    {
        const double ampere = efficiencyOf(*findDevice("A100-SXM-80GB")).matrix;
        QCOMPARE(efficiencyOf(*findDevice("L40")).matrix, ampere);
        const DeviceSheet& small = *findDevice("L4");
        QVERIFY(std::abs(efficiencyOf(small).matrix * small.peakFor("bf16") / small.watts - 0.65 * 989e12 / 700) < 1e6);
        QVERIFY(efficiencyOf(*findDevice("H100-PCIe-80GB")).matrix < ampere);
        // An H20 has a Hopper's power for a seventh of its tensor cores.
        QCOMPARE(efficiencyOf(*findDevice("H20-SXM-96GB")).matrix, ampere);
        QVERIFY(efficiencyOf(*findDevice("H20-SXM-96GB")).attention > efficiencyOf(*findDevice("H100-SXM-80GB")).attention);
    }

    // Gathers that hide still take processors and memory from what they hide under.
    void hiddenCollectivesSlowComputing()
    {
        TrainingCase c = job(Framework::Fsdp2);
        c.nodes = 1, c.dp = 8;
        c.microBatch = 16;
        const double seconds = partOf(forecastStep(c, *c.sheet), "communication_exposed.weights");
        const StepClock clock = clockOf(c);
        const double block = static_cast<double>(c.model.perLayer);
        const double link = 7.0 / 8 * (2 + 2 + 4) * block / clock.m_link;
        QVERIFY2(seconds > 4 * 80 * clock.m_eff.contention * link * 0.99, qPrintable(QString::number(seconds)));
        // In 8 bits the gathers move half of theirs.
        c.float8 = true;
        const double wide = partOf(forecastStep(c, *c.sheet), "communication_exposed.weights");
        c.float8Gather = true;
        QVERIFY(partOf(forecastStep(c, *c.sheet), "communication_exposed.weights") < 0.8 * wide);
    }

    // As a workspace spells them.
    void argumentsChooseTheRules()
    {
        const auto seconds = [](nlohmann::json more) {
            Workspace w;
            w.framework.name = "fsdp2";
            w.framework.arguments = {{"fsdp", 8}, {"tp", 8}, {"seq", 4096}, {"local_batch", 4}, {"ac", "full"}, {"compile", true}, {"release", "2024-12"}};
            w.framework.arguments.update(more);
            w.hardware = {8, 8, "H100-SXM-80GB"};
            w.layout.dp = 64;
            ModelSpec spec;
            spec.family = Family::Llama;
            spec.hidden = 8192, spec.layers = 16, spec.heads = 64, spec.kvHeads = 8, spec.headSize = 128, spec.ffn = 28672, spec.vocab = 128256, spec.seq = 4096;
            w.model.spec = spec;
            const auto plan = makePlan(w);
            return plan.hasValue() && plan->forecast ? plan->forecast->stepTime : 0.0;
        };
        const double plain = seconds(nlohmann::json::object());
        QVERIFY(plain > 0);
        QVERIFY(seconds({{"release", "2023-06"}}) > 1.02 * plain);
        QVERIFY(seconds({{"gather_each_projection", true}}) > plain);
        const double rows = seconds({{"float8", true}, {"float8_recipe", "rowwise"}}), tensors = seconds({{"float8", true}, {"float8_recipe", "tensorwise"}});
        QVERIFY(tensors > 0 && tensors < rows);
        QVERIFY(seconds({{"float8", true}, {"float8_recipe", "tensorwise"}, {"float8_all_gather", true}}) < tensors);
    }

    // Whatever a forecast does not know, no device computes faster than its peak.
    void noIntervalBeatsThePeak()
    {
        for (const char* device : {"RTX-4090", "RTX-3090", "A10G", "T4", "V100-SXM2-32GB", "cpu"}) {
            const TrainingCase c = job(Framework::DeepSpeed, device);
            const StepForecast f = forecastStep(c, *c.sheet);
            QVERIFY(f.interval90[0] <= f.stepTime);
            const double most = (f.modelFlops - skippedFlopsPerStep(c)) / (f.interval90[0] * f.devicePeak * static_cast<double>(c.ranks()));
            QVERIFY2(most <= 1 + 1e-12, qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(device)).arg(most)));
        }
    }

    void lessPowerSlowsEveryProduct()
    {
        const Efficiency full = efficiencyOf(*findDevice("H100-SXM-80GB")), less = efficiencyOf(*findDevice("H100-SXM-96GB"));
        const double clock = less.matrix / full.matrix;
        QVERIFY(clock < 0.95);
        for (const auto rate : {&Efficiency::matrixFused, &Efficiency::matrixGrouped, &Efficiency::matrixFp8, &Efficiency::matrixFp8Fused, &Efficiency::attention, &Efficiency::attentionNewer})
            QCOMPARE(less.*rate / (full.*rate), clock);
    }
};

QTEST_APPLESS_MAIN(TstStepRules)
#include "tst_step_rules.moc"
