// SPDX-License-Identifier: GPL-3.0-or-later
// FSDP2's CPUOffloadPolicy: what leaves the device, what the host holds of it, and what the step waits for.
#include "hardware/device_sheet.h"
#include "planner/advisor.h"
#include "planner/applied_layout.h"
#include "planner/behaviour.h"
#include "planner/framework_branches.h"
#include "planner/other_behaviour.h"
#include "planner/step_time.h"
#include "planner/traffic.h"

#include "figure_numbers.h"
#include "plan_documents.h"

#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr double kPhi = 8030261248;         // LLaMA 3 8B
constexpr double kTable = 128256.0 * 4096;  // its embedding, and its output matrix

/// LLaMA 3 8B on eight H100.
json job(json arguments, int accumulation = 1)
{
    json w = test::document("llama-3-8b", "fsdp2", 3, 1, 8, accumulation);
    arguments["release"] = "2026-04";
    w["framework"]["arguments"] = std::move(arguments);
    w["hardware"]["hostMemoryGiB"] = 2000;
    w["model"]["seq"] = 8192;
    return w;
}

double secondsOf(const Plan& plan, const char* part)
{
    for (const auto& [name, seconds] : plan.forecast->split)
        if (name == part) return seconds;
    return -1;
}

double sentFor(const json& w, const char* what)
{
    const auto traffic = planTraffic(workspaceOf(w));
    double sum = 0;
    for (const TrafficItem& item : traffic->items) sum += item.what == what ? item.bytes : 0;
    return sum;
}

double hostRate(const json& w)
{
    TrainingCase c;
    c.framework = Framework::Fsdp2;
    c.device = w["hardware"]["device"].get<std::string>();
    c.sheet = findDevice(c.device);
    c.devicesPerNode = 8;
    return linkRatesOf(c, *c.sheet).host;
}

std::int64_t placed(const Plan& plan, Place place)
{
    std::int64_t sum = 0;
    for (const LedgerItem& item : plan.ledger->front().items) sum += item.where == place ? item.bytes : 0;
    return sum;
}

}  // namespace

class TstFsdpOffload : public QObject {
    Q_OBJECT
private slots:
    // Weights, gradients and moments are an eighth of 16 bytes a parameter; none of them is on the device, but for what is on its way.
    void statesLieOnTheHost()
    {
        const Plan none = planOf(job(json::object())), away = planOf(job({{"cpu_offload", true}}));
        QVERIFY2(none.ledger && away.ledger, planToJson(away)["findings"].dump().c_str());
        QVERIFY(near(itemOf(away, "weights"), 4 * kPhi / 8) && near(itemOf(away, "gradients_host"), 4 * kPhi / 8) && near(itemOf(away, "optimizer_states"), 8 * kPhi / 8));
        QCOMPARE(itemOf(away, "gradients"), 0.0);
        // By hand: a table's shard of 262,668,288 B takes 2^28, the MLP's of 29,360,128 take 2^25; all others are powers of two. Weights and gradients.
        QCOMPARE(itemOf(away, "pinned_rounding"), 2.0 * (2 * (268435456 - 262668288) + 32 * 3 * (33554432 - 29360128)));
        // The forerunner's are one for each block and one for the root: 109,056,000 B take 2^27, 525,336,576 take 2^29.
        const Plan flat = planOf(job({{"cpu_offload", true}, {"fsdp_version", 1}}));
        QCOMPARE(itemOf(flat, "pinned_rounding"), 2.0 * (32 * (134217728 - 109056000) + 536870912 - 525336576));
        QCOMPARE(itemOf(flat, "weights"), itemOf(away, "weights"));
        for (const LedgerItem& item : away.ledger->front().items) {
            const bool state = item.what == "weights" || item.what == "gradients_host" || item.what == "pinned_rounding";
            QCOMPARE(item.where, state ? Place::Pinned : item.what == "optimizer_states" ? Place::Host : Place::Device);
        }
        QCOMPARE(placed(away, Place::Pinned) + placed(away, Place::Host), away.ledger->front().hostBytes);
        QCOMPARE(away.fit->hostNeed, 8 * away.ledger->front().hostBytes);
        // On their way: of a block the fp32 shard and its 16-bit copy, and the fp32 gradients.
        const double block = 218112000;
        QVERIFY(near(itemOf(away, "shards_moving"), 6 * block / 8) && near(itemOf(away, "gradients_moving"), 4 * block / 8));
        QVERIFY(away.ledger->front().peak.allocated < none.ledger->front().peak.allocated - static_cast<std::int64_t>(1.4 * kPhi));
        // And in bf16 throughout there is nothing to turn.
        const Plan half = planOf(job({{"cpu_offload", true}, {"dtype", "bfloat16"}}));
        QVERIFY(near(itemOf(half, "weights"), 2 * kPhi / 8) && near(itemOf(half, "shards_moving"), 2 * block / 8));
    }

    // torchtitan's word, torchtune's, Accelerate's and the Trainer's say the same.
    void everybodysWordIsKnown_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"enable_cpu_offload", "fsdp_cpu_offload", "fsdp_offload_params", "offload_params", "enable-cpu-offload"}) QTest::newRow(name) << name;
    }
    void everybodysWordIsKnown()
    {
        QFETCH(QString, name);
        const Plan plan = planOf(job({{name.toStdString(), true}})), ours = planOf(job({{"cpu_offload", true}})), off = planOf(job({{name.toStdString(), false}}));
        QVERIFY(!findingOf(plan, "plan.arguments_unknown") && !findingOf(off, "plan.arguments_unknown") && !findingOf(off, "plan.arguments_unused"));
        QCOMPARE(plan.ledger->front().hostBytes, ours.ledger->front().hostBytes);
        QCOMPARE(plan.forecast->stepTime, ours.forecast->stepTime);
        QCOMPARE(off.ledger->front().hostBytes, 0);
    }

    // Each micro-batch brings every fp32 shard up twice and its gradients down once.
    void shardsTravelEachMicroBatch()
    {
        const json w = job({{"cpu_offload", true}}, 4);
        QVERIFY(near(sentFor(w, "offload.weights"), 4 * 2 * 4 * kPhi / 8));
        QVERIFY(near(sentFor(w, "offload.gradients"), 4 * 4 * kPhi / 8));
        QCOMPARE(sentFor(w, "offload.update"), 0.0);
        QCOMPARE(sentFor(job(json::object(), 4), "offload.weights"), 0.0);
        // What stays gathered comes up once.
        QVERIFY(near(sentFor(job({{"cpu_offload", true}, {"fsdp_reshard_after_forward", "never"}}), "offload.weights"), 4 * kPhi / 8));
    }

    // 28 bytes a parameter in torch's fused AdamW, 12 for the norm and the scaling, all ranks of the node over one memory; kernel by kernel 80.
    void theHostSteps()
    {
        constexpr double kHostMemory = 100e9;
        QVERIFY(near(secondsOf(planOf(job({{"cpu_offload", true}})), "optimizer"), 40 * kPhi / kHostMemory));
        QVERIFY(near(secondsOf(planOf(job({{"cpu_offload", true}, {"optimizer", "adamw_foreach"}})), "optimizer"), 92 * kPhi / kHostMemory));
        const Plan foreach = planOf(job({{"cpu_offload", true}, {"optimizer", "adamw_foreach"}}));
        QCOMPARE(itemOf(foreach, "optimizer_scratch"), 0.0);
    }

    // Of one micro-batch the copies hide under computing but where nothing stands beside them: the embedding's shard on the way up, and the gradients
    // of the tables on the way down.
    void oneMicroBatchHidesItsCopies()
    {
        const json w = job({{"cpu_offload", true}});
        const Plan none = planOf(job(json::object())), away = planOf(w);
        const double rate = hostRate(w);
        QVERIFY(near(secondsOf(away, "offload"), 4 * (3 * kTable + 4096) / 8 / rate));
        for (const char* part : {"compute", "communication_exposed.weights"}) QVERIFY(near(secondsOf(away, part), secondsOf(none, part)));
        // Short sequences hide little: never more than all of it shows.
        const Plan brief = planOf(with(w, "/model/seq", 256));
        QVERIFY(secondsOf(brief, "offload") > secondsOf(away, "offload") && secondsOf(brief, "offload") < 3 * 4 * kPhi / 8 / rate);
    }

    // The host's update of 16-bit shards moves 16-bit numbers, and reads gradients for their norm only where they are clipped.
    void theHostsUpdateHasTheShardsWidth()
    {
        const auto seconds = [](json arguments) {
            arguments["cpu_offload"] = true;
            return secondsOf(planOf(job(arguments)), "optimizer");
        };
        const double wide = seconds(json::object());
        QVERIFY(near(seconds({{"max_norm", 0}}) / wide, 28.0 / 40));
        QVERIFY(near(seconds({{"dtype", "bfloat16"}}) / wide, 14.0 / 40));
        QVERIFY(near(seconds({{"dtype", "bfloat16"}, {"max_norm", 1.0}}) / wide, 20.0 / 40));
        QVERIFY(near(seconds({{"dtype", "bfloat16"}, {"clip_grad_norm", 1.0}}) / wide, 20.0 / 40));
    }

    // bitsandbytes' optimizers update tensors of a device; where the host updates, a warning says since when they do.
    void optimizersOfTheDeviceAreTold()
    {
        const auto of = [](const char* optimizer, bool away) { return planOf(job({{"optimizer", optimizer}, {"cpu_offload", away}})); };
        for (const char* optimizer : {"adamw_8bit", "paged_adamw_8bit", "paged_adamw"}) {
            QVERIFY(findingOf(of(optimizer, true), "plan.optimizer_of_device") && !findingOf(of(optimizer, true), "plan.optimizer_paged"));
            QVERIFY(!findingOf(of(optimizer, false), "plan.optimizer_of_device"));
        }
        QVERIFY(!findingOf(of("adamw", true), "plan.optimizer_of_device"));
    }

    // Gradients of every later micro-batch are waited for, and added to on the host.
    void laterMicroBatchesWait()
    {
        const json w = job({{"cpu_offload", true}}, 4);
        const double rate = hostRate(w), copies = 4 * kPhi / 8 / rate, sums = 12 * kPhi / 100e9;
        const double shown = secondsOf(planOf(w), "offload"), unsharded = secondsOf(planOf(job({{"cpu_offload", true}, {"accumulate_unsharded", true}}, 4)), "offload");
        QVERIFY2(shown > 3 * (copies + sums) && shown < 4 * secondsOf(planOf(job({{"cpu_offload", true}})), "offload") + 3 * (copies + sums) + 3 * copies, std::to_string(shown).c_str());
        QVERIFY(unsharded < shown);
    }

    // The parts that are told add up to what is shown, also where a slow network's scatters wait for the host as well, and beside activations that
    // wait there.
    void whatIsToldAddsUp()
    {
        for (const json& arguments : {json{{"cpu_offload", true}}, json{{"cpu_offload", true}, {"network_gb_per_s", 1}}, json{{"cpu_offload", true}, {"activation_offloading", true}}, json{{"cpu_offload", true}, {"fsdp_auto_wrap_policy", "no_wrap"}}}) {
            for (const int accumulation : {1, 4}) {
                json w = job(arguments, accumulation);
                w["hardware"]["nodes"] = 4;
                const Plan plan = planOf(w);
                QVERIFY(plan.forecast);
                double sum = 0;
                for (const auto& [name, seconds] : plan.forecast->split) sum += seconds;
                QVERIFY(near(sum, plan.forecast->stepTime));
                for (const ForecastFigure& figure : plan.forecast->figures) {
                    if (figure.what != "offload") continue;
                    QVERIFY2(figure.numbers.find("- -") == std::string::npos && figure.numbers.find("+ -") == std::string::npos, figure.numbers.c_str());
                    QVERIFY2(std::abs(Arithmetic::of(figure.numbers) - figure.value) < 0.01 * figure.value + 0.002, figure.numbers.c_str());
                }
            }
        }
    }

    // What is frozen leaves the device too, but for the constants of a packed base, which FSDP2 does not divide.
    void frozenPartsLeaveToo()
    {
        json w = job({{"cpu_offload", true}, {"dtype", "bfloat16"}});
        w["model"]["adapter"] = {{"rank", 16}, {"base", "nf4"}};
        const Plan away = planOf(w), none = planOf(with(w, "/framework/arguments/cpu_offload", false));
        for (const LedgerItem& item : away.ledger->front().items)
            if (item.what == "frozen_weights") QCOMPARE(item.where, Place::Pinned);
        QCOMPARE(itemOf(away, "frozen_weights"), itemOf(none, "frozen_weights"));
        QCOMPARE(itemOf(away, "quantisation_constants"), itemOf(none, "quantisation_constants"));
        QVERIFY(away.ledger->front().peak.allocated < none.ledger->front().peak.allocated);
    }

    // The host has to have room, also for a pipeline's search; on CPUs nothing leaves; and what a ds_config offloads is not FSDP2's.
    void theHostHasToHaveRoom()
    {
        const json w = job({{"cpu_offload", true}});
        const Plan small = planOf(with(w, "/hardware/hostMemoryGiB", 64));
        QVERIFY(findingOf(small, "plan.host_memory") && small.fit->probability < 0.05);
        QCOMPARE(planOf(w).fit->verdict, Fit::Verdict::Yes);
        const Plan cpu = planOf(with(w, "/hardware/device", "cpu"));
        QVERIFY(cpu.ledger && cpu.ledger->front().hostBytes == 0);
        json both = job(json::object());
        both["dsConfig"]["zero_optimization"]["offload_param"]["device"] = "cpu";
        const auto told = [&] {
            Plan plan = planOf(both);
            tellOtherBehaviour(workspaceOf(both), {}, plan);
            return plan;
        };
        QCOMPARE(told().ledger->front().hostBytes, 0);
        QVERIFY(findingOf(told(), "plan.other_offload.fsdp2"));
        both["framework"]["arguments"]["cpu_offload"] = true;
        QVERIFY(!findingOf(told(), "plan.other_offload.fsdp2") && findingOf(told(), "plan.shards_on_host"));
    }

    // 70 billion parameters in 4 bits on two cards of 24 GB: with adapters and recomputation it fits on the host alone, and that is the answer.
    void treesEndOnTheHost()
    {
        json w{{"stagecraft", 1}, {"model", {{"preset", "llama-3.1-70b"}, {"seq", 1024}, {"adapter", {{"rank", 16}, {"base", "nf4"}}}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 2}, {"device", "RTX-3090"}, {"hostMemoryGiB", 128}}},
               {"layout", {{"recompute", "full"}}}, {"framework", {{"name", "fsdp2"}}},
               {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 8}, {"zero_optimization", {{"stage", 3}}}, {"optimizer", {{"type", "AdamW"}}}, {"bf16", {{"enabled", true}}}}}};
        const Workspace job = workspaceOf(w);
        const Advice advice = advise(job).value();
        QVERIFY(advice.chosen);
        const StageOption& o = advice.options[*advice.chosen];
        QCOMPARE(o.id, std::string("sharded_offload_recompute"));
        QVERIFY(o.fits && o.stateBytes == 0 && o.hostBytesPerNode > 2 * 35e9 / 2 && o.offloadParam == OffloadDevice::Cpu);
        QVERIFY(!advice.options[0].fits && !advice.options[2].fits && advice.options[2].hostBytesPerNode == 0);
        // What it changes makes the plan of the branch, and the way back that of the one before.
        const Workspace taken = withEdits(job, o.edits);
        QCOMPARE(taken.framework.arguments["cpu_offload"], json(true));
        const Plan plan = makePlan(taken).value();
        QCOMPARE(plan.forecast->stepTime, *o.stepTime);
        QCOMPARE(plan.fit->hostNeed, o.hostBytesPerNode);
        for (const char* name : {"enable_cpu_offload", "fsdp-offload-params"}) {
            json other = w;
            other["framework"]["arguments"] = {{name, true}};
            const std::vector<FrameworkBranch> branches = frameworkBranches(workspaceOf(other));
            const Workspace back = withEdits(workspaceOf(other), branches[2].edits);
            QVERIFY(branches.back().chosen && back.framework.arguments.empty());
            QCOMPARE(makePlan(back).value().ledger->front().hostBytes, 0);
        }
        // With too small a host it is no answer.
        w["hardware"]["hostMemoryGiB"] = 32;
        const Advice none = advise(workspaceOf(w)).value();
        QVERIFY(!none.chosen || !none.options[*none.chosen].fits);
        // Nor where it is not to be asked; and a search ranks rows that are on the host as it plans them.
        LayoutSearch search;
        search.limits.offload = false;
        const Advice devices = advise(job, {}, {}, AdviceDepth::Layouts, search).value();
        QVERIFY(!devices.chosen && devices.options.back().refused && devices.layouts.fitting == 0);
        const Advice all = advise(job, {}, {}, AdviceDepth::Layouts).value();
        QVERIFY(all.layouts.fitting > 0 && all.layouts.best.front().offloadParam == OffloadDevice::Cpu);
        QCOMPARE(all.layouts.total, 2 * devices.layouts.total);
        const Plan row = makePlan(withEdits(job, layoutEdits(job, all.layouts.best.front()))).value();
        QVERIFY(near(row.forecast->stepTime, all.layouts.best.front().stepTime) && row.fit->hostNeed == all.layouts.best.front().hostBytesPerNode);
    }

    // DeepSpeed's stage 3 with both on the host is the same job, and so is the way back.
    void behaviourIsCarried()
    {
        json w = test::document("llama-3-8b", "deepspeed", 3, 1, 8, 1);
        for (const char* section : {"offload_optimizer", "offload_param"}) w["dsConfig"]["zero_optimization"][section]["device"] = "cpu";
        const auto lostOffload = [](const BehaviourChange& change) { return std::any_of(change.lost.begin(), change.lost.end(), [](const NotCarried& one) { return one.what == NotCarried::What::Offload; }); };
        const BehaviourChange there = changeBehaviour(workspaceOf(w), "fsdp2");
        QVERIFY(!lostOffload(there));
        const Workspace fsdp = withEdits(workspaceOf(w), there.edits);
        QCOMPARE(fsdp.framework.arguments["cpu_offload"], json(true));
        json alone = test::document("llama-3-8b", "fsdp2", 3, 1, 8, 1);
        alone["framework"]["arguments"]["enable_cpu_offload"] = true;
        const BehaviourChange back = changeBehaviour(workspaceOf(alone), "deepspeed");
        QVERIFY(back.lost.empty());
        const json zero = withEdits(workspaceOf(alone), back.edits).dsConfig["zero_optimization"];
        QCOMPARE(zero["offload_param"]["device"], json("cpu"));
        QCOMPARE(zero["offload_optimizer"]["device"], json("cpu"));
        QVERIFY(lostOffload(changeBehaviour(workspaceOf(alone), "megatron")));
        // One of the two has no word there.
        w["dsConfig"]["zero_optimization"].erase("offload_param");
        const BehaviourChange half = changeBehaviour(workspaceOf(w), "fsdp2");
        QVERIFY(lostOffload(half) && !withEdits(workspaceOf(w), half.edits).framework.arguments.contains("cpu_offload"));
    }
};

QTEST_APPLESS_MAIN(TstFsdpOffload)
#include "tst_fsdp_offload.moc"
