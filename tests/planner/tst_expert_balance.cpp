// SPDX-License-Identifier: GPL-3.0-or-later
// Experts that ranks divide are filled unevenly: the fullest rank sets the pace of a layer.
#include "planner/expert_balance.h"

#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

TrainingCase caseOf(std::int64_t experts, std::int64_t ep, Framework framework = Framework::Megatron)
{
    TrainingCase c;
    c.framework = framework;
    c.model.experts = experts;
    c.ep = ep;
    return c;
}

Plan planOfQwen(const json& more, const char* device = "H100-SXM-80GB")
{
    json arguments = {{"num-layers", 48}, {"hidden-size", 2048}, {"ffn-hidden-size", 6144}, {"num-attention-heads", 32}, {"kv-channels", 128}, {"group-query-attention", true}, {"num-query-groups", 4},
                      {"seq-length", 8192}, {"max-position-embeddings", 8192}, {"vocab-size", 151936}, {"swiglu", true}, {"normalization", "RMSNorm"}, {"disable-bias-linear", true},
                      {"untie-embeddings-and-output-weights", true}, {"position-embedding-type", "rope"}, {"hidden-dropout", 0.0}, {"attention-dropout", 0.0}, {"bf16", true}, {"use-distributed-optimizer", true},
                      {"micro-batch-size", 1}, {"global-batch-size", 64}, {"num-experts", 128}, {"moe-router-topk", 8}, {"moe-token-dispatcher-type", "alltoall"}, {"moe-grouped-gemm", true}, {"expert-model-parallel-size", 8},
                      {"moe-ffn-hidden-size", 768}, {"expert-tensor-parallel-size", 1}, {"recompute-granularity", "full"}, {"recompute-method", "uniform"}, {"recompute-num-layers", 1}};
    arguments.update(more);
    Workspace w;
    w.framework.name = "megatron";
    w.framework.arguments = arguments;
    w.hardware.device = device;
    w.hardware.devicesPerNode = w.layout.dp = 8;
    return makePlan(w, {}).value();
}

double exchangeOf(const Plan& plan)
{
    for (const auto& [name, seconds] : plan.forecast->split) if (name == "communication_exposed.experts") return seconds;
    return 0;
}

}  // namespace

class TstExpertBalance : public QObject {
    Q_OBJECT
private slots:
    // Four experts a rank, whose shares even out to half of one's deviation; the largest of eight numbers lies 1.42 deviations above the mean.
    void theFullestRankHasMoreThanItsShare()
    {
        QVERIFY(std::abs(fullestExperts(caseOf(32, 8)) - (1 + 1.42 * kManyExperts / 2)) < 0.003);
        QVERIFY(std::abs(fullestExperts(caseOf(8, 8)) - (1 + 1.42 * kFewExperts)) < 0.002);
        QVERIFY(fullestExperts(caseOf(128, 64)) > fullestExperts(caseOf(128, 8)));
        QVERIFY(fullestExperts(caseOf(64, 8, Framework::Fsdp2)) > 1.15);
        for (const TrainingCase& even : {caseOf(0, 8), caseOf(64, 1), caseOf(64, 8, Framework::DeepSpeed)}) QCOMPARE(fullestExperts(even), 1.0);
        TrainingCase c = caseOf(32, 8);
        c.expertCapacity = 1.1;
        QCOMPARE(fullestExperts(c), 1.1);
        c.expertCapacity = 0.5;   // fewer tokens, but no fuller rank
        QCOMPARE(fullestExperts(c), 1.0);
        QCOMPARE(expertDeviation(c), 0.0);
        c.expertCapacity = 0;
        QCOMPARE(expertDeviation(c), kManyExperts / 2);
        c.balancedExperts = true;
        QCOMPARE(fullestExperts(c), 1.0);
        QCOMPARE(expertDeviation(c), 0.0);
    }

    // Beside another micro-batch's computing an exchange is waited for where it takes longer, and in the first forward and the last backward pass in any case.
    void overlappedExchangesShowWhatComputingDoesNotHide()
    {
        const json kept = {{"recompute-granularity", "none"}, {"overlap-moe-expert-parallel-comm", false}}, overlapped = {{"recompute-granularity", "none"}, {"overlap-moe-expert-parallel-comm", true}};
        const double all = exchangeOf(planOfQwen(kept)), shown = exchangeOf(planOfQwen(overlapped));
        QVERIFY(std::abs(shown - all / 8) < 1e-9 * all);   // one of eight micro-batches has no partner
        // Over PCI-Express it takes longer than computing: what is beyond stays in sight, and no step is shorter than what is sent.
        const Plan slow = planOfQwen(overlapped, "L40S");
        const double sent = exchangeOf(planOfQwen(kept, "L40S"));
        QVERIFY(exchangeOf(slow) > 2 * sent / 8 && exchangeOf(slow) < sent && slow.forecast->stepTime > sent);
    }

    // Routing made even by force, or tokens dropped: the step is shorter, its exchange with it, and the forecast of memory is as sure as of any model.
    void evenRoutingIsFaster()
    {
        const Plan uneven = planOfQwen(json::object()), forced = planOfQwen({{"moe-router-force-load-balancing", true}}), dropped = planOfQwen({{"moe-expert-capacity-factor", 1.0}});
        QVERIFY(uneven.forecast->stepTime > 1.02 * forced.forecast->stepTime);
        QVERIFY(exchangeOf(uneven) > 1.1 * exchangeOf(forced));
        QCOMPARE(dropped.forecast->stepTime, forced.forecast->stepTime);
        QVERIFY(uneven.ledger->front().peak.relative90 > forced.ledger->front().peak.relative90);
        QCOMPARE(uneven.ledger->front().peak.allocated, forced.ledger->front().peak.allocated);
        QVERIFY(!findingOf(forced, "plan.arguments_unplanned") && !findingOf(dropped, "plan.arguments_unplanned"));
    }

    // Tokens are put in their experts' order by kernels one by one, or in whole rows by one.
    void fusedPermutationMovesRows()
    {
        const Plan loose = planOfQwen(json::object()), fused = planOfQwen({{"moe-permute-fusion", true}});
        QVERIFY(fused.forecast->stepTime < 0.97 * loose.forecast->stepTime);
        QCOMPARE(fused.ledger->front().peak.allocated, loose.ledger->front().peak.allocated);
        QVERIFY(!findingOf(fused, "plan.arguments_unplanned"));
    }

    // Four streams of Transformer Engine's multiply experts, each with a workspace of its own.
    void streamsOfExpertsHaveWorkspaces()
    {
        const double mib = 1048576;
        QCOMPARE(itemOf(planOfQwen(json::object()), "workspace"), 224 * mib);
        QCOMPARE(itemOf(planOf(with(document("llama-3-8b", "megatron", 1, 1, 8, 8), "/framework/arguments", {{"bf16", true}})), "workspace"), 96 * mib);
    }

    // Without moe-grouped-gemm each expert is a module of its own; a rank's only expert has nothing to be joined with.
    void expertsOneByOneWaitForTheirHost()
    {
        const auto compute = [](json more, bool grouped) {
            more["moe-grouped-gemm"] = grouped;
            const Plan plan = planOfQwen(more);
            for (const auto& [name, seconds] : plan.forecast->split) if (name == "compute") return seconds;
            return 0.0;
        };
        // Sixteen a rank are fifteen MLPs more to launch than one layer has.
        QVERIFY(compute({}, false) > 1.5 * compute({}, true));
        // Behind no host: graphs launch them. What is left are the copies there and back.
        const json graphs = {{"cuda-graph-impl", "local"}, {"cuda-graph-scope", json::array({"full_iteration"})}, {"micro-batch-size", 4}};
        const double ofGraphs = compute(graphs, false) / compute(graphs, true);
        QVERIFY(ofGraphs > 1.01 && ofGraphs < 1.2);
        const json one = {{"num-experts", 8}, {"moe-router-topk", 2}, {"moe-ffn-hidden-size", 6144}, {"micro-batch-size", 4}};
        QCOMPARE(compute(one, false), compute(one, true));
        // Four streams and their workspaces are the grouped products'.
        const auto workspace = [](bool grouped) { return itemOf(planOfQwen({{"moe-grouped-gemm", grouped}}), "workspace"); };
        QCOMPARE(workspace(true) - workspace(false), 4.0 * 32 * (1 << 20));
    }
};

QTEST_APPLESS_MAIN(TstExpertBalance)
#include "tst_expert_balance.moc"
