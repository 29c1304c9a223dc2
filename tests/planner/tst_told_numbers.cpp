// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that stand beside a plan, in its advice, its redundancy and its exchange of gradients, are the plan's own.
#include "planner/advisor.h"
#include "planner/config_advice.h"
#include "planner/forecast_figures.h"
#include "planner/gradient_exchange.h"
#include "planner/redundancy.h"
#include "planner/traffic.h"
#include "base/units.h"
#include "plan_documents.h"

#include <QtTest>
#include <algorithm>
#include <tuple>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

const CheckFinding* told(const std::vector<CheckFinding>& findings, const std::string& rule)
{
    for (const CheckFinding& finding : findings)
        if (finding.rule == rule) return &finding;
    return nullptr;
}

std::vector<CheckFinding> adviceOf(const json& w, const char* language = "en") { return adviseConfig(workspaceOf(w), {}, language); }

/// The plan after the finding's own fix, applied to the ds_config.
Plan fixedPlan(json w, const CheckFinding& finding)
{
    w["dsConfig"] = w["dsConfig"].patch(json::parse(finding.fix));
    return planOf(w);
}

std::string stepOf(const Plan& plan)
{
    const double s = plan.forecast->stepTime;
    return (s < 1 ? QString::number(s * 1e3, 'g', 3) + " ms" : QString::number(s, 'g', 3) + " s").toStdString();
}

bool contains(const CheckFinding& finding, const std::string& words) { return finding.message.find(words) != std::string::npos; }

}  // namespace

class TstToldNumbers : public QObject {
    Q_OBJECT
private slots:
    // Experts that are divided are exchanged among those that hold the same; gradients go in the type that they are sent in.
    void exchangeIsThatOfTheTraffic()
    {
        for (const int ep : {1, 2, 8}) {
            const json w = with(document("mixtral-8x7b", "deepspeed", 0, 1, 8, 1), "/layout", {{"dp", 8}, {"ep", ep}});
            const GradientExchange e = *gradientExchange(workspaceOf(w));
            QVERIFY2(near(e.ringBytesPerReplica(), planTraffic(workspaceOf(w))->bytesOf("gradients")), qPrintable(QString("ep %1: %2").arg(ep).arg(e.ringBytesPerReplica())));
            // What one replica alone holds goes to nobody: the ring sends 7/4 of what is exchanged then.
            QCOMPARE(e.ownElements > 0, ep == 8);
            if (ep == 8) QVERIFY(near(e.ringBytesPerReplica(), 7.0 / 4 * e.replicaBytes()));
        }
        json wide = document("llama-3-8b", "deepspeed", 0, 1, 8, 1);
        wide["dsConfig"]["communication_data_type"] = "fp32";
        QCOMPARE(gradientExchange(workspaceOf(wide))->bytesPerElement, 4.0);
        json half = document("llama-3-8b", "megatron", 0, 1, 8, 1);
        half["framework"]["arguments"] = {{"fp16", true}};
        QCOMPARE(gradientExchange(workspaceOf(half))->bytesPerElement, 2.0);
        // The ranks are those of the arguments.
        half["framework"]["arguments"] = {{"bf16", true}, {"tensor-model-parallel-size", 4}};
        const GradientExchange four = *gradientExchange(workspaceOf(half));
        QCOMPARE(four.bytesPerElement, 4.0);
        QCOMPARE(four.replicas, std::int64_t{2});
        QCOMPARE(four.ranksPerReplica, std::int64_t{4});
    }

    // What is printed of an item is its size, worked out by whoever reads it.
    void workspacesOfMegatronAddUp()
    {
        for (const auto& [device, numbers, mebibytes] : {std::tuple{"H100-SXM-80GB", "(2 · 32 + 1 · 32) MiB", 96}, std::tuple{"A100-SXM-80GB", "(2 · 8 + 1 · 4) MiB", 20}}) {
            json w = document("llama-3-8b", "megatron", 0, 1, 8, 1);
            w["hardware"]["device"] = device;
            const Plan plan = planOf(w);
            const auto& items = plan.ledger->front().items;
            const auto item = std::find_if(items.begin(), items.end(), [](const LedgerItem& each) { return each.what == "workspace"; });
            QVERIFY(item != items.end());
            QCOMPARE(item->bytes, std::int64_t{mebibytes} << 20);
            QCOMPARE(QString::fromStdString(item->numbers), QString(numbers));
        }
    }

    // What of divided experts is there twice: where each lies on one rank, nothing.
    void redundancyKnowsExperts()
    {
        for (const int stage : {0, 1, 2, 3}) {
            for (const int ep : {1, 2, 8}) {
                const json w = with(document("mixtral-8x7b", "deepspeed", stage, 1, 8, 1), "/layout", {{"dp", 8}, {"ep", ep}});
                const Plan plan = planOf(w);
                const Redundancy r = *redundancyOf(workspaceOf(w));
                double states = 0;
                for (const char* what : {"weights", "gradients", "master", "optimizer_states"}) states += itemOf(plan, what);
                QVERIFY2(near(r.plan.perRank, states, 1e-4), qPrintable(QString("stage %1, ep %2: %3 of %4").arg(stage).arg(ep).arg(r.plan.perRank).arg(states)));
                QVERIFY(near(r.plan.distinct, 16.0 * 46'702'792'704.0, 1e-4));
            }
        }
    }

    // A job that is refused has no time to save.
    void refusedJobsAreNotAdvised()
    {
        json w = document("llama-3-8b", "deepspeed", 2, 2, 8, 4);
        w["layout"] = {{"dp", 8}, {"pp", 2}};
        w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        QVERIFY(!planOf(w).ledger);
        QVERIFY(adviceOf(w).empty());
        // Our own engine refuses offload as well.
        json ours = document("smollm2-135m", "stagecraft", 2, 1, 8, 4);
        QVERIFY(!adviceOf(ours).empty());
        ours["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        QVERIFY(adviceOf(ours).empty());
    }

    // What a finding says of its fix is what a plan of the fix has.
    void fixesAreWhatTheyAreSaidToBe()
    {
        // Below stage 3 "nvme" acts as "cpu".
        json files = document("smollm2-135m", "deepspeed", 3, 4, 1, 2);
        files["model"]["seq"] = 512;
        files["hardware"]["device"] = "A100-SXM-40GB";
        files["dsConfig"]["train_micro_batch_size_per_gpu"] = 4;
        files["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "nvme"}};
        // A ratio beside no device counts only once there is one, and the fix leaves none.
        json small = document("llama-2-13b", "deepspeed", 1, 1, 8, 1);
        small["model"]["seq"] = 1024;
        small["hardware"]["device"] = "A100-SXM-40GB";
        small["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "none"}, {"ratio", 0.3}};
        int seen = 0;
        for (const auto& [w, rules] : {std::pair<json, std::vector<std::string>>{files, {"plan.stage_large", "plan.offload_needless"}}, {small, {"plan.stage_small", "plan.stage_tight"}}}) {
            const auto findings = adviceOf(w);
            for (const std::string& rule : rules) {
                const CheckFinding* finding = told(findings, rule);
                if (!finding || finding->fix.empty()) continue;
                ++seen;
                const Plan after = fixedPlan(w, *finding);
                const std::string words = rule == "plan.stage_small" || rule == "plan.stage_tight" ? formatBytes(after.ledger->front().peak.process) : stepOf(after);
                QVERIFY2(contains(*finding, words), qPrintable(QString::fromStdString(words + ": " + finding->message)));
            }
        }
        QVERIFY(seen >= 2);
    }

    // For more room nothing is told that takes as much: on one device a stage divides nothing, and of a quantised base a narrower guess is no room.
    void moreRoomIsMoreRoom()
    {
        int tight = 0;
        for (const char* device : {"RTX-3080-10GB", "RTX-3060-12GB", "RTX-4080", "RTX-4090", "A100-PCIe-40GB", "A40", "A100-PCIe-80GB"})
            for (const char* base : {"nf4", "int8", "16bit"})
                for (const int seq : {512, 2048, 5789, 12000, 21000}) {
                    json w = document("llama-3.1-8b", "deepspeed", 0, 1, 1, 1);
                    w["model"]["seq"] = seq;
                    w["model"]["adapter"] = {{"rank", 32}, {"targets", "all-linear"}, {"base", base}};
                    w["hardware"]["device"] = device;
                    w["layout"]["recompute"] = "full";
                    const std::int64_t now = planOf(w).ledger->front().peak.process;
                    const auto findings = adviceOf(w);
                    const CheckFinding* finding = told(findings, "plan.stage_tight");
                    if (!finding || finding->fix.empty()) continue;
                    ++tight;
                    QVERIFY2(fixedPlan(w, *finding).ledger->front().peak.process < now, finding->message.c_str());
                }
        QVERIFY(tight > 0);
    }

    // What a step takes less is a share of its time, not of a speed, in Chinese as well.
    void timeThatIsSavedIsNoSpeed()
    {
        json w = document("smollm2-135m", "deepspeed", 3, 4, 1, 2);
        w["model"]["seq"] = 512;
        w["hardware"]["device"] = "A100-SXM-40GB";
        w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        const auto findings = adviceOf(w, "zh");
        const CheckFinding* finding = told(findings, "plan.offload_needless");
        QVERIFY(finding);
        QVERIFY2(contains(*finding, "耗时减少 ") && !contains(*finding, "快 "), finding->message.c_str());
    }

    // For our own engine bytes are those that it allocates.
    void adviceHasTheEnginesBytes()
    {
        json w = document("smollm2-135m", "stagecraft", 2, 1, 8, 2);
        w["hardware"]["device"] = "A100-SXM-40GB";
        const auto findings = adviceOf(w);
        const CheckFinding* batch = told(findings, "plan.micro_batch_small");
        QVERIFY(batch);
        QVERIFY2(contains(*batch, formatBytes(planOf(w).ledger->front().peak.process)), batch->message.c_str());
        QVERIFY2(contains(*batch, formatBytes(fixedPlan(w, *batch).ledger->front().peak.process)), batch->message.c_str());
        json fp32 = w;
        fp32["dsConfig"].erase("bf16");
        const auto more = adviceOf(fp32);
        const CheckFinding* precision = told(more, "plan.fp32");
        QVERIFY(precision);
        QVERIFY2(contains(*precision, formatBytes(planOf(fp32).ledger->front().peak.process)), precision->message.c_str());
        QVERIFY2(contains(*precision, formatBytes(fixedPlan(fp32, *precision).ledger->front().peak.process)), precision->message.c_str());
    }

    // Devices without bf16 emulate it, whatever the framework.
    void emulatedPrecisionIsTold()
    {
        for (const char* device : {"V100-SXM2-32GB", "T4", "RTX-2080Ti"}) {
            for (const char* framework : {"megatron", "fsdp2", "deepspeed", "stagecraft"}) {
                json w = document("smollm2-135m", framework, 0, 1, 8, 1);
                w["hardware"]["device"] = device;
                w["model"]["seq"] = 512;
                if (std::string(framework) == "megatron") w["framework"]["arguments"] = {{"bf16", true}};
                const bool said = findingOf(planOf(w), "plan.bf16_emulated") || told(adviceOf(w), "plan.bf16_missing");
                QVERIFY2(said, qPrintable(QString("%1 %2").arg(device, framework)));
                w["hardware"]["device"] = "A100-SXM-40GB";
                QVERIFY(!findingOf(planOf(w), "plan.bf16_emulated") && !told(adviceOf(w), "plan.bf16_missing"));
            }
        }
        json half = document("smollm2-135m", "megatron", 0, 1, 8, 1);
        half["hardware"]["device"] = "V100-SXM2-32GB";
        half["framework"]["arguments"] = {{"fp16", true}};
        QVERIFY(!findingOf(planOf(half), "plan.bf16_emulated"));
    }

    // Utilisation by the usual definition may pass the peak where attention is all of it: said, with what is computed.
    void utilisationAboveThePeakIsExplained()
    {
        json w = document("llama-3-8b", "megatron", 1, 1, 8, 1);
        w["hardware"]["device"] = "V100-SXM2-32GB";
        w["model"] = {{"family", "llama"}, {"hidden", 1024}, {"layers", 2}, {"heads", 8}, {"kvHeads", 8}, {"ffn", 1024}, {"vocab", 1024}, {"seq", 262144}};
        w["layout"] = {{"dp", 8}};
        w["framework"]["arguments"] = {{"fp16", true}};
        for (const int seq : {1024, 262144, 1048576}) {
            w["model"]["seq"] = seq;
            const Plan plan = planOf(w);
            const PlanFinding* finding = findingOf(plan, "plan.mfu_counts");
            QCOMPARE(finding != nullptr, plan.forecast->mfu > 1);
            if (finding) QVERIFY(std::stod(finding->args.front()) < 100);
        }
    }

    // An interval above 100 % ends where the devices compute at their peak all the time, and figure and finding say so.
    void intervalsOfUtilisationEndAtThePeak()
    {
        int above = 0;
        for (const int seq : {4096, 16384, 65536, 131072}) {
            json w = document("llama-3-8b", "deepspeed", 3, 1, 8, 1);
            w["hardware"]["device"] = "A100-SXM-80GB";
            w["model"]["seq"] = seq;
            const Plan plan = planOf(w);
            QVERIFY(plan.forecast && plan.forecast->mfu <= 1);
            const double high = intervalOfRate(*plan.forecast, plan.forecast->mfu)[1];
            const PlanFinding* finding = findingOf(plan, "plan.mfu_interval");
            QCOMPARE(finding != nullptr, high > 1.005);
            const auto figure = std::find_if(plan.forecast->figures.begin(), plan.forecast->figures.end(), [](const ForecastFigure& each) { return each.what == "mfu"; });
            QVERIFY(figure != plan.forecast->figures.end());
            QCOMPARE(figure->source.find("the most that the interval may reach") != std::string::npos, high > 1);
            if (!finding) continue;
            ++above;
            QVERIFY2(100 * high <= std::stod(finding->args.front()) + 0.5, qPrintable(QString("%1 %2").arg(high).arg(QString::fromStdString(finding->message))));
            QVERIFY2(figure->source.find(" " + finding->args.front() + " %") != std::string::npos, figure->source.c_str());
        }
        QVERIFY(above > 0);
    }

    // Where sums of bytes would end no number is shown that stands for more.
    void sizesBeyondCountingAreRefused()
    {
        json w = document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
        w["dsConfig"]["train_micro_batch_size_per_gpu"] = 1 << 30;
        w["dsConfig"].erase("gradient_accumulation_steps");
        const Plan plan = planOf(w);
        QVERIFY(!plan.ledger && findingOf(plan, "plan.layout.model"));
        for (const int micro : {1, 1024, 1 << 20}) {
            w["dsConfig"]["train_micro_batch_size_per_gpu"] = micro;
            const Plan some = planOf(w);
            for (const LedgerRole& role : some.ledger.value_or(std::vector<LedgerRole>{}))
                for (const LedgerItem& item : role.items) QVERIFY2(item.bytes < std::int64_t{1} << 61, item.what.c_str());
        }
    }

    // One mistake is told once, and a rate over which nothing ever arrives is none.
    void mistakesAreToldOnce()
    {
        json w = document("llama-3-8b", "megatron", 1, 2, 8, 1);
        w["framework"]["arguments"] = {{"pipeline-model-parallel-size", 3}, {"bf16", true}, {"micro-batch-size", 1}, {"global-batch-size", 16}};
        const Plan plan = planOf(w);
        QCOMPARE(std::count_if(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& finding) { return finding.severity == "error"; }), std::ptrdiff_t{1});
        QVERIFY(!findLink("1e-308GB/s").hasValue() && !findLink("1bps").hasValue() && findLink("1MB/s").hasValue());
        json groups = document("llama-3-8b", "deepspeed", 3, 2, 8, 1);
        QVERIFY(!findingOf(planOf(groups), "plan.mics_release"));
        groups["dsConfig"]["zero_optimization"]["mics_shard_size"] = 8;
        QVERIFY(findingOf(planOf(groups), "plan.mics_release") && planOf(groups).ledger);
    }

    // No branch of the tree is for another sequence than the one that was asked for.
    void sequencesWithoutRowsAreNotAdvised()
    {
        for (const auto& [framework, key] : {std::pair{"fsdp2", "seq"}, std::pair{"megatron", "seq-length"}}) {
            json w = document("gpt2", framework, 1, 1, 2, 1);
            w["framework"]["arguments"] = {{key, 2048}};
            QVERIFY(!planOf(w).ledger && findingOf(planOf(w), "plan.layout.positions"));
            const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Layouts).value();
            QVERIFY(!advice.chosen && advice.layouts.best.empty() && !advice.zero3 && !advice.tensorZero1);
            for (const StageOption& option : advice.options) QVERIFY2(option.refused, option.id.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TstToldNumbers)
#include "tst_told_numbers.moc"
