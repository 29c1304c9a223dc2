// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/plan.h"
#include "planner/workspace_model.h"

#include "planner/ledger.h"
#include "schedule/buffer_plan.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace stagecraft;
using nlohmann::json;

namespace {

Workspace llama(int dp, int stage)
{
    Workspace w;
    ModelSpec spec;
    spec.hidden = 256;
    spec.layers = 4;
    spec.heads = spec.kvHeads = 4;
    spec.headSize = 64;
    spec.ffn = 688;
    spec.vocab = 4096;
    spec.seq = 256;
    w.model.spec = spec;
    w.hardware.devicesPerNode = dp;
    w.layout.dp = dp;
    w.dsConfig = {{"train_micro_batch_size_per_gpu", 4}, {"zero_optimization", {{"stage", stage}}}};
    return w;
}

Workspace statesOnly(double params, int dp, int stage)
{
    Workspace w;
    w.model.form = ModelSection::Form::ParameterCount;
    w.model.parameterCount = params;
    w.hardware.device = "A100-SXM-80GB";
    w.hardware.devicesPerNode = dp;
    w.layout.dp = dp;
    w.dsConfig = {{"fp16", {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}};
    return w;
}

std::int64_t sumOf(const LedgerRole& role, Place place)
{
    std::int64_t sum = 0;
    for (const LedgerItem& item : role.items) sum += item.where == place && item.phase != "reserved" && item.phase != "process" ? item.bytes : 0;
    return sum;
}

bool numbersAreSane(const json& value)
{
    if (value.is_number_float()) return std::isfinite(value.get<double>());
    if (value.is_structured()) return std::all_of(value.begin(), value.end(), numbersAreSane);
    return true;
}

}  // namespace

class TstMakePlan : public QObject {
    Q_OBJECT
private slots:
    void engineLedgerIsTheEnginesBuffers_data()
    {
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("stage");
        for (const int dp : {1, 2, 3, 4}) {
            for (const int stage : {0, 1, 2, 3}) QTest::addRow("%d ranks, stage %d", dp, stage) << dp << stage;
        }
    }
    void engineLedgerIsTheEnginesBuffers()
    {
        QFETCH(int, dp);
        QFETCH(int, stage);
        const Workspace w = llama(dp, stage);
        const auto plan = makePlan(w, {std::int64_t{8} << 30});
        QVERIFY(plan.hasValue());
        QVERIFY(plan->ledger.has_value());
        EngineConfig config;
        config.microBatch = 4;
        config.zeroStage = stage;
        const std::int64_t planned = plannedBytes(bufferPlan({*w.model.spec, config, dp, Recompute::None, 1}));
        const LedgerRole& role = plan->ledger->front();
        QCOMPARE(sumOf(role, Place::Device), planned);
        QCOMPARE(role.peak.allocated, planned);
        QVERIFY(role.peak.allocated <= role.peak.reserved && role.peak.reserved < role.peak.process);
        QCOMPARE(role.ranks, std::int64_t{dp});
        QVERIFY(plan->fit->verdict == Fit::Verdict::Yes);
    }

    // Plans do not compile thousands of micro-steps: from three on nothing changes.
    void accumulationChangesNothingFromThreeOn()
    {
        for (const int stage : {0, 1, 2, 3}) {
            EngineConfig config;
            config.microBatch = 4;
            config.zeroStage = stage;
            const Workspace w = llama(3, stage);
            const auto planned = [&](std::int64_t steps) {
                config.accumulation = steps;
                return plannedBytes(bufferPlan({*w.model.spec, config, 3, Recompute::None, 1}));
            };
            QCOMPARE(planned(4), planned(3));
            QCOMPARE(planned(9), planned(3));
        }
    }

    void higherStagesNeedLess()
    {
        std::int64_t before = std::numeric_limits<std::int64_t>::max();
        for (const int stage : {0, 1, 2}) {
            const auto plan = makePlan(llama(4, stage));
            QVERIFY(plan->ledger->front().peak.allocated < before);
            before = plan->ledger->front().peak.allocated;
        }
    }

    // Worked examples MEM-7B-N4-Z0..Z3 and MEM-16PHI-Z0..Z3 in the convention of mixed-precision Adam.
    void modelStatesAsInThePaper_data()
    {
        QTest::addColumn<double>("params");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("stage");
        QTest::addColumn<double>("gigabytes");
        const double seven[] = {112, 49, 38.5, 28};
        const double paper[] = {120, 31.40625, 16.640625, 1.875};
        for (const int stage : {0, 1, 2, 3}) {
            QTest::addRow("7B on 4, stage %d", stage) << 7e9 << 4 << stage << seven[stage];
            QTest::addRow("7.5B on 64, stage %d", stage) << 7.5e9 << 64 << stage << paper[stage];
        }
    }
    void modelStatesAsInThePaper()
    {
        QFETCH(double, params);
        QFETCH(int, ranks);
        QFETCH(int, stage);
        QFETCH(double, gigabytes);
        const auto plan = makePlan(statesOnly(params, ranks, stage));
        QCOMPARE(static_cast<double>(plan->ledger->front().peak.allocated) / 1e9, gigabytes);
        QCOMPARE(*plan->params, static_cast<std::int64_t>(params));
    }

    // Worked example MEM-200B-8A100: 50 GB of weights stay, 3.2 TB are needed on the host.
    void offloadMovesStatesToTheHost()
    {
        Workspace w = statesOnly(200e9, 8, 3);
        w.dsConfig["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        const auto plan = makePlan(w);
        const LedgerRole& role = plan->ledger->front();
        QCOMPARE(role.peak.allocated, std::int64_t{50'000'000'000});
        QCOMPARE(sumOf(role, Place::Host) * 8, std::int64_t{3'200'000'000'000});
        // The states fit; what activations take on top is not known.
        QVERIFY(plan->fit->verdict == Fit::Verdict::Unsure);
        w.hardware.device = "A100-SXM-40GB";
        QVERIFY(makePlan(w)->fit->verdict == Fit::Verdict::No);
    }

    void answersInTheAgreedShape()
    {
        const auto plan = makePlan(llama(2, 2));
        const json answer = planToJson(plan.value());
        for (const char* key : {"model", "config", "mesh", "ledger", "forecast", "fits", "findings"}) QVERIFY2(answer.contains(key), key);
        QCOMPARE(answer["config"]["train_batch_size"].get<int>(), 8);
        QCOMPARE(answer["ledger"]["roles"][0]["role"].get<std::string>(), std::string("pp0.tp0"));
        for (const json& item : answer["ledger"]["roles"][0]["items"]) {
            for (const char* key : {"what", "where", "bytes", "phase", "why", "formula", "numbers", "source"}) QVERIFY2(item.contains(key), key);
        }
        QCOMPARE(planToJson(*makePlan(llama(2, 2))).dump(), answer.dump());
    }

    void meshCountsGroupsInsideANode()
    {
        Workspace w = llama(4, 1);
        w.layout = {.dp = 4, .tp = 8, .pp = 2};
        w.hardware = {.nodes = 8, .devicesPerNode = 8, .device = "H100-SXM-80GB"};
        const json groups = planToJson(*makePlan(w))["mesh"]["groups"];
        QCOMPARE(groups["tp"]["insideOneNode"].get<int>(), 8);
        QCOMPARE(groups["dp"]["insideOneNode"].get<int>(), 0);
        QCOMPARE(groups["dp"]["acrossNodes"].get<int>(), 16);
        QCOMPARE(groups["pp"]["acrossNodes"].get<int>(), 32);
    }

    void ranksThatShareCoresAreTold()
    {
        Workspace w = llama(12, 3);
        w.hardware.devicesPerNode = 12;
        PlanContext context;
        const auto told = [&] {
            const auto plan = makePlan(w, context);
            return std::any_of(plan->findings.begin(), plan->findings.end(), [&](const PlanFinding& f) { return f.id == (w.framework.name == "stagecraft" ? "plan.cores_shared" : "plan.cores_shared.other"); });
        };
        QVERIFY(!told());   // of a machine that is not known nothing is said
        context.usableCores = 2.0;
        QVERIFY(told());
        w.framework.name = "fsdp2";
        QVERIFY(told());
        w.framework.name = "stagecraft";
        context.usableCores = 12.0;
        QVERIFY(!told());
        w.launch.threadsPerRank = 2;
        QVERIFY(told());
        w.hardware.device = "H100-SXM-80GB";
        QVERIFY(!told());
    }

    void countsEvenWhatItCannotPlan()
    {
        Workspace w;
        w.model.form = ModelSection::Form::HuggingFace;
        w.model.huggingFaceConfig = {{"architectures", {"BertForMaskedLM"}}};
        const auto plan = makePlan(w);
        QCOMPARE(*plan->params, std::int64_t{109514298});
        QVERIFY(!plan->ledger && !plan->forecast && !plan->findings.empty());
        w.model.huggingFaceConfig = {{"architectures", {"MambaForCausalLM"}}};
        const json answer = planToJson(*makePlan(w));
        QVERIFY(answer["model"]["params"].is_null() && answer["ledger"].is_null() && !answer["findings"].empty());
    }

    // A slip in a name is said: hostMemoryGB for hostMemoryGiB decides about fitting.
    void unknownFieldsAreTold()
    {
        const auto w = parseWorkspace(R"({"stagecraft": 1, "name": "x", "model": {"params": 7e9}, "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "H100-SXM-80GB", "hostMemoryGB": 64}, "layout": {"dp": 8}})", {});
        QVERIFY2(w.hasValue(), w.hasValue() ? "" : w.error().message.c_str());
        const auto findings = unknownFieldFindings(*w);
        QCOMPARE(findings.size(), std::size_t{1});
        QCOMPARE(findings.front().pointer, std::string("/hardware/hostMemoryGB"));
        const auto huge = makePlan(statesOnly(1e18, 8, 3), {});
        QVERIFY(huge.hasValue() && !huge->ledger);
        QVERIFY(std::any_of(huge->findings.begin(), huge->findings.end(), [](const PlanFinding& f) { return f.rule == "plan.params" && f.severity == "error"; }));
    }

    // Random impossible values in every field: findings, never a crash, an overflow or a number that is none.
    void survivesTheImpossible()
    {
        std::mt19937_64 random(11);
        const double counts[] = {0, -5, 1, 7e9, 1e18, 1e30, std::nan(""), std::numeric_limits<double>::infinity()};
        const int sizes[] = {0, -1, 1, 2, 7, 1024, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
        const json values[] = {nullptr, -1, 0, 1, 5e8, 1e300, "auto", "x", true, json::array(), json::object(), std::uint64_t(-1)};
        const char* devices[] = {"cpu", "H100-SXM-80GB", "nothing", ""};
        const char* frameworks[] = {"stagecraft", "deepspeed", "fsdp2", "megatron", "none"};
        const char* keys[] = {"stage", "reduce_bucket_size", "sub_group_size", "stage3_max_live_parameters", "offload_optimizer", "offload_param", "overlap_comm"};
        for (int i = 0; i < 12000; ++i) {
            const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
            Workspace w = random() % 2 ? llama(2, 2) : statesOnly(pick(counts), 8, 3);
            if (random() % 2) w.layout.dp = pick(sizes);
            if (random() % 4 == 0) w.layout.tp = pick(sizes);
            if (random() % 4 == 0) w.layout.pp = pick(sizes);
            if (random() % 4 == 0) w.layout.cp = pick(sizes);
            if (random() % 4 == 0) w.hardware.nodes = pick(sizes);
            if (random() % 4 == 0) w.hardware.devicesPerNode = pick(sizes);
            w.hardware.device = pick(devices);
            w.framework.name = pick(frameworks);
            w.dsConfig["zero_optimization"][pick(keys)] = pick(values);
            if (random() % 3 == 0) w.dsConfig["train_micro_batch_size_per_gpu"] = pick(values);
            if (random() % 3 == 0) w.dsConfig["train_batch_size"] = pick(values);
            if (random() % 8 == 0) w.dsConfig["zero_optimization"] = pick(values);
            if (random() % 3 == 0) w.framework.arguments = {{"seq", pick(values)}, {"tp", pick(values)}, {"fsdp", pick(values)}, {"local_batch", pick(values)},
                                                            {"num-layers", pick(values)}, {"hidden-size", pick(values)}, {"tensor-model-parallel-size", pick(values)}};
            if (w.framework.name == "megatron" && random() % 2) {
                const char* arguments[] = {"num-layers", "hidden-size", "num-attention-heads", "seq-length", "micro-batch-size", "global-batch-size", "num-query-groups", "kv-channels",
                                           "ffn-hidden-size", "vocab-size", "tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size", "num-experts",
                                           "expert-model-parallel-size", "recompute-num-layers", "hidden-dropout", "make-vocab-size-divisible-by", "world_size"};
                const json sizes2[] = {1, 2, 8, 64, 1000, 1'000'000, 1'000'000'000, 1e12, 0, -3, "x", nullptr};
                w.framework.arguments = {{"num-layers", 4}, {"hidden-size", 256}, {"num-attention-heads", 8}, {"bf16", true}};
                for (int k = 0; k < 4; ++k) w.framework.arguments[pick(arguments)] = pick(sizes2);
                if (random() % 2) w.framework.arguments["recompute-granularity"] = "full";
            }
            const auto plan = makePlan(w, {std::int64_t{8} << 30});
            if (!plan.hasValue()) continue;
            QVERIFY(numbersAreSane(planToJson(*plan)));
            if (!plan->ledger) continue;
            for (const LedgerRole& role : *plan->ledger) {
                QVERIFY(role.peak.allocated >= 0 && role.peak.reserved >= role.peak.allocated && role.peak.process >= role.peak.reserved);
                for (const LedgerItem& item : role.items) QVERIFY(item.bytes > 0);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TstMakePlan)
#include "tst_make_plan.moc"
