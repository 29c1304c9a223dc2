// SPDX-License-Identifier: GPL-3.0-or-later
// The worked examples and claims of the tutorials on memory, tables, speed, comparisons, networks and communication: each is
// computed by the planner and either reproduced or corrected with its reason. No case may be left out.
#include "hardware/device_sheet.h"
#include "planner/gradient_exchange.h"
#include "planner/mesh_json.h"
#include "planner/plan.h"
#include "planner/redundancy.h"
#include "planner/traffic.h"

#include <QFile>
#include <QtTest>
#include <cmath>
#include <functional>
#include <map>

using namespace stagecraft;
using nlohmann::json;

namespace {

constexpr double kGB = 1e9;

struct Ask {
    double params = 7e9;
    int ranks = 1, nodes = 1, tp = 1, stage = 0;
    const char* optimizer = "none";  ///< offload: none, cpu, nvme
    const char* weights = "none";
    const char* precision = "bf16";
};

/// Model states of one rank by the planner, in GB: on the device and on one host; of one item where it is named.
struct States {
    double device = 0, host = 0;
    std::map<std::string, double> items;
};

Workspace workspaceOf(const Ask& ask)
{
    Workspace w;
    w.framework.name = "deepspeed";
    w.model.form = ModelSection::Form::ParameterCount;
    w.model.parameterCount = ask.params;
    w.hardware = {ask.nodes, std::max(1, ask.ranks / ask.nodes), "A100-SXM-80GB"};
    w.layout.dp = ask.ranks / ask.tp;
    w.layout.tp = ask.tp;
    json zero = {{"stage", ask.stage}};
    if (std::string(ask.optimizer) != "none") zero["offload_optimizer"] = {{"device", ask.optimizer}};
    if (std::string(ask.weights) != "none") zero["offload_param"] = {{"device", ask.weights}};
    w.dsConfig = {{"train_micro_batch_size_per_gpu", 1}, {"zero_optimization", zero}, {"optimizer", {{"type", "Adam"}}}};
    if (std::string(ask.precision) != "fp32") w.dsConfig[ask.precision] = {{"enabled", true}};
    return w;
}

States statesOf(const Ask& ask)
{
    const Workspace w = workspaceOf(ask);
    const auto plan = makePlan(w);
    States states;
    if (!plan.hasValue() || !plan->ledger) return states;
    for (const LedgerItem& item : plan->ledger->front().items) {
        const double gb = static_cast<double>(item.bytes) / kGB;
        states.items[item.what] += gb;
        if (item.where == Place::Device) states.device += gb;
        if (item.where == Place::Host || item.where == Place::Pinned) states.host += gb * w.hardware.devicesPerNode;
    }
    return states;
}

double deviceOf(const Ask& ask) { return statesOf(ask).device; }

using Answers = std::vector<std::pair<std::string, double>>;
using Solve = std::function<Answers(const json& inputs, const json& stated)>;

double exchangedGB(const Ask& ask) { return planTraffic(workspaceOf(ask))->bytesOf("") / kGB; }

/// A shipped model in bf16 on A100s, a micro-batch of `micro` samples.
Traffic trafficOfPreset(const char* preset, int tp, int dp, int stage, int micro, int seq, const char* recompute = "none")
{
    const json document = {{"stagecraft", 1}, {"model", {{"preset", preset}, {"seq", seq}}}, {"hardware", {{"devicesPerNode", tp * dp}, {"device", "A100-SXM-80GB"}}}, {"layout", {{"tp", tp}, {"dp", dp}, {"recompute", recompute}}}, {"framework", {{"name", "deepspeed"}}},
                           {"dsConfig", {{"train_micro_batch_size_per_gpu", micro}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}}}};
    const auto read = parseWorkspace(document.dump(), {});
    if (!read.hasValue()) qFatal("%s", read.error().message.c_str());
    return *planTraffic(*read);
}

int least(const std::function<bool(int)>& holds)
{
    int n = 1;
    while (n < 4096 && !holds(n)) ++n;
    return n;
}

Answers table(const json& in, const json&)
{
    const double phi = in["phi"];
    const int ranks = in["gpus"], nodes = in["nodes_assumed"];
    Answers out;
    for (int stage = 0; stage < 4; ++stage) out.push_back({"all_options_gb/z" + std::to_string(stage), deviceOf({phi, ranks, nodes, 1, stage})});
    const States optimizer = statesOf({phi, ranks, nodes, 1, 3, "cpu"});
    const States both = statesOf({phi, ranks, nodes, 1, 3, "cpu", "cpu"});
    out.push_back({"all_options_gb/z2_cpu_opt", deviceOf({phi, ranks, nodes, 1, 2, "cpu"})});
    out.push_back({"all_options_gb/z3_cpu_opt", optimizer.device});
    out.push_back({"all_options_gb/z3_cpu_opt_param", both.device});
    out.push_back({"all_options_gb/host_gb_per_node_opt", optimizer.host});
    out.push_back({"all_options_gb/host_gb_per_node_opt_param", both.host});
    return out;
}

Answers guide(const json& in, const json& stated)
{
    const int n = in["gpus"], stage = in["stage"];
    const double gb = in["gb_per_gpu"], size = stated["max_params"];
    // States grow in proportion to the parameters.
    const double alone = deviceOf({1e9, n, 1, 1, stage});
    const double away = deviceOf({1e9, n, 1, 1, stage, "cpu"});
    return {{"max_params_states_only", gb / alone * 1e9}, {"max_params_states_only_with_cpu_optimizer", gb / away * 1e9},
            {"gb_needed_at_stated_size", alone * size / 1e9}, {"gb_needed_at_stated_size_with_cpu_optimizer", away * size / 1e9}};
}

Answers seventy(const json& in, const json& stated)
{
    const double phi = in["phi"];
    const std::string config = in["config"];
    Ask ask{phi, in["gpus"], 1, 1, config.starts_with("ZeRO-2") ? 2 : 3};
    if (config.find("CPU") != std::string::npos) ask.optimizer = "cpu";
    if (config.find("NVMe") != std::string::npos) ask.optimizer = ask.weights = "nvme";
    Answers out{{"states_gb", deviceOf(ask)}};
    if (stated["tokens_per_s"].is_number()) {
        const double tokens = stated["tokens_per_s"];
        out.push_back({"tokens_per_epoch", tokens * stated["hours_per_epoch"].get<double>() * 3600});
        out.push_back({"mfu_percent_a100_bf16", 100 * tokens * 6 * phi / (in["gpus"].get<double>() * findDevice("A100-SXM-80GB")->peakFor("bf16"))});
    }
    return out;
}

Answers compare(const json& in, const json&)
{
    const double phi = in["phi"];
    const int tp = in["tp"], ranks = in["gpus"];
    const States states = statesOf({phi, ranks, 1, tp, 1});
    return {{"gb_per_gpu_tp_zero1", states.device}, {"gb_per_gpu_zero3", deviceOf({phi, ranks, 1, 1, 3})}, {"gradients_per_gpu_gb", states.items.at("gradients")}};
}

/// The node's network by its ports and by its name.
Answers network(const json& in, const char* name)
{
    const double rate = findLink(QString("%1x%2Gbps").arg(in["links"].get<int>()).arg(in["gbps"].get<int>()).toStdString())->bytesPerSecond, named = findLink(name)->bytesPerSecond;
    return {{"tbps", rate * 8 / 1e12}, {"gb_per_s", rate / kGB}, {"tbps", named * 8 / 1e12}, {"gb_per_s", named / kGB}};
}

const std::map<std::string, Solve>& solvers()
{
    static const std::map<std::string, Solve> all{
        {"MEM-7B-N4-TOTAL", [](const json& in, const json&) { return Answers{{"gb_total_mixed_precision_adam", redundancyOf(workspaceOf({in["phi"], 4}))->plain.cluster / kGB}, {"gb_total_seed_convention", redundancyOf(workspaceOf({in["phi"], 4}))->plainAsTold.cluster / kGB}}; }},
        {"MEM-7B-N4-", [](const json& in, const json&) {
             const int stage = in["stage"];
             const double all = deviceOf({in["phi"], 4}), own = deviceOf({in["phi"], 4, 1, 1, stage});
             const Redundancy copies = *redundancyOf(workspaceOf({in["phi"], 4, 1, 1, stage}));
             return Answers{{"gb_per_gpu_mixed_precision_adam", own}, {"saved_percent_mixed_precision_adam", 100 * (1 - own / all)},
                            {"gb_per_gpu_seed_convention", copies.planAsTold.perRank / kGB}, {"saved_percent_seed_convention", 100 * (1 - copies.planAsTold.perRank / copies.plainAsTold.perRank)}};
         }},
        {"MEM-16PHI-", [](const json& in, const json&) {
             const double own = deviceOf({in["check_phi"], 64, 8, 1, in["stage"]});
             return Answers{{"gb_at_check", own}, {"ratio_to_baseline_at_check", own / deviceOf({in["check_phi"], 64, 8})}};
         }},
        {"MEM-QUARTER", [](const json&, const json&) { return Answers{{"N8", deviceOf({7e9, 8, 1, 1, 1}) / deviceOf({7e9, 8})}, {"N64", deviceOf({7e9, 64, 8, 1, 1}) / deviceOf({7e9, 64, 8})}}; }},
        {"MEM-EIGHTH", [](const json&, const json&) { return Answers{{"N8", deviceOf({7e9, 8, 1, 1, 2}) / deviceOf({7e9, 8})}, {"N64", deviceOf({7e9, 64, 8, 1, 2}) / deviceOf({7e9, 64, 8})}}; }},
        {"MEM-90PCT", [](const json&, const json&) {
             const int many = 1 << 16;
             const double all = deviceOf({7e9, 1});
             return Answers{{"stage1_max_percent", 100 * (1 - deviceOf({7e9, many, many / 8, 1, 1}) / all)}, {"stage2_max_percent", 100 * (1 - deviceOf({7e9, many, many / 8, 1, 2}) / all)},
                            {"smallest_N_for_90_percent_stage3", static_cast<double>(least([&](int n) { return deviceOf({7e9, n, 1, 1, 3}) <= 0.1 * all * (1 + 1e-9); }))}};
         }},
        {"MEM-13B-8A100", [](const json& in, const json&) {
             Answers out;
             for (int stage = 0; stage < 4; ++stage) out.push_back({"stage" + std::to_string(stage), deviceOf({in["phi"], 8, 1, 1, stage})});
             return out;
         }},
        {"MEM-65B-BASELINE", [](const json& in, const json&) { return Answers{{"model_states_gb", deviceOf({in["phi"], 1})}, {"zero3_gb_per_gpu", deviceOf({in["phi"], 8, 1, 1, 3})}}; }},
        {"MEM-65B-A6000", [](const json& in, const json&) { const States s = statesOf({in["phi"], 8, 1, 1, 3, "cpu"}); return Answers{{"gpu_gb", s.device}, {"host_gb", s.host}}; }},
        {"MEM-200B-8A100", [](const json& in, const json&) { const States s = statesOf({in["phi"], 8, 1, 1, 3, "cpu"}); return Answers{{"gpu_gb_states", s.device}, {"host_gb", s.host}}; }},
        {"MEM-100B-Z3", [](const json& in, const json&) { return Answers{{"gpus_80gb_states_only", static_cast<double>(least([&](int n) { return deviceOf({in["phi"], n, 1, 1, 3}) <= 80; }))}}; }},
        {"MEM-20B-CONSUMER", [](const json& in, const json&) { return Answers{{"fp16_weights_gb", statesOf({in["phi"], 1}).items.at("weights")}, {"int4_weights_gb", statesOf({in["phi"], 1}).items.at("weights") / 4}}; }},
        {"MEM-QLORA-100B", [](const json& in, const json&) { return Answers{{"int4_weights_gb", statesOf({in["phi"], 1}).items.at("weights") / 4}}; }},
        {"MEM-BF16-HALF", [](const json&, const json&) { return Answers{{"ratio", deviceOf({7e9, 4, 1, 1, 2, "none", "none", "fp16"}) / deviceOf({7e9, 4, 1, 1, 2})}}; }},
        {"MEM-ZRO-EXAMPLE", [](const json& in, const json&) {
             const double layers = in["layers"], side = in["linear"][0];
             const double phi = layers * (side * side + side);
             const States plain = statesOf({phi, 2, 1, 1, 0, "none", "none", "fp32"}), divided = statesOf({phi, 2, 1, 1, 1, "none", "none", "fp32"});
             return Answers{{"parameters", phi}, {"params_mb", 1000 * plain.items.at("weights")}, {"adam_state_mb_plain", 1000 * plain.items.at("optimizer_states")}, {"adam_state_mb_per_rank_zero", 1000 * divided.items.at("optimizer_states")}};
         }},
        {"TAB-001-", guide},
        {"TAB-16.", table},
        {"PERF-REL-", [](const json& in, const json&) {
             const std::string config = in["config"];
             Ask ask{7e9, 8, 1, 1, config.starts_with("ZeRO-2") ? 2 : 3};
             if (config.find("CPU") != std::string::npos) ask.optimizer = "cpu";
             if (config.find("NVMe") != std::string::npos) ask.optimizer = ask.weights = "nvme";
             return Answers{{"states_percent_of_zero2_7B_N8", 100 * deviceOf(ask) / deviceOf({7e9, 8, 1, 1, 2})}};
         }},
        {"PERF-70B-EXPECT", [](const json&, const json& stated) { const double tokens = stated["tokens_per_s"].get<double>() * stated["hours_per_epoch"].get<double>() * 3600; return Answers{{"tokens_per_epoch", tokens}, {"ratio", tokens / 103680000}}; }},
        {"PERF-70B-", seventy},
        {"PERF-INF-13B", [](const json& in, const json&) {
             const double base = in["baseline_tok_s"], fast = in["deepspeed_tok_s"];
             return Answers{{"ms_per_token/0", 1000 / base}, {"ms_per_token/1", 1000 / fast}, {"speedup_throughput", fast / base},
                            {"min_ms_per_decode_step_batch1", 1000 * statesOf({13.015864320e9, 1}).items.at("weights") * kGB / findDevice("A100-SXM-80GB")->memoryBytesPerSecond}};
         }},
        {"PERF-INF-CLAIM", [](const json&, const json&) { const double whole = statesOf({68976648192.0, 8}).items.at("weights"), own = statesOf({68976648192.0, 8, 1, 8}).items.at("weights"); return Answers{{"weights_gb_per_gpu_70B_tp8", own}, {"saving_percent", 100 * (1 - own / whole)}}; }},
        {"PERF-CKPT", [](const json&, const json&) { return Answers{{"full_recompute_extra_flops_percent", 100 * 2.0 / 6.0}}; }},
        {"PERF-RECOMPUTE-10X", [](const json&, const json&) { return Answers{{"factor_h4096_a32_s2048", (34 + 5.0 * 32 * 2048 / 4096) / 2}}; }},
        {"PERF-INDUSTRY", [](const json&, const json&) { return Answers{{"ctr_factor", 2 * 24 * 60 / 20.0}}; }},
        {"COMM-Z012", [](const json& in, const json&) {
             Answers out;
             for (const int stage : in["stage"]) out.push_back({"gb_fp16_ring", exchangedGB({in["phi"], in["N"], 1, 1, stage})});
             return out;
         }},
        {"COMM-Z3", [](const json& in, const json&) { return Answers{{"gb_fp16_ring", exchangedGB({in["phi"], in["N"], 1, 1, 3})}}; }},
        {"COMM-OFFLOAD", [](const json&, const json&) {
             const auto traffic = planTraffic(workspaceOf({7e9, 4, 1, 1, 3, "cpu", "cpu"}));
             return Answers{{"per_gpu_gb_7B_N4/h2d", traffic->bytesOf("offload.weights") / kGB}, {"per_gpu_gb_7B_N4/d2h", traffic->bytesOf("offload.gradients") / kGB}};
         }},
        {"COMM-TP-LAYER", [](const json&, const json&) {
             const TensorPasses passes = trafficOfPreset("llama-2-7b", 4, 1, 1, 1, 512).tensor.value();
             return Answers{{"forward", passes.forward}, {"training_forward_backward", passes.training}, {"training_full_recompute", passes.withRecompute}};
         }},
        {"COMM-GPT3-GRAD", [](const json& in, const json&) {
             const int gpus = in["gpus"], replicas = in["replicas"];
             const std::vector<LinkSheet> links{findLink("1.6Tbps").value(), findLink("hgx-h100").value()};
             const GradientExchange whole = *gradientExchange(workspaceOf({in["phi"], gpus, gpus / 8, gpus / replicas, 0, "none", "none", "fp32"}), links);
             const GradientExchange half = *gradientExchange(workspaceOf({in["phi"], gpus, gpus / 8, gpus / replicas, 0}), links);
             return Answers{{"gb_per_replica", whole.replicaBytes() / kGB}, {"tb_total", whole.allReplicasBytes() / 1e12}, {"gpus_per_replica", static_cast<double>(whole.ranksPerReplica)}, {"gb_gradients_per_gpu", whole.rankBytes() / kGB},
                            {"tb_total_ring_all_reduce", whole.ringBytes() / 1e12}, {"gb_per_replica_bf16", half.replicaBytes() / kGB}, {"seconds_at_1.6Tbps", whole.links[0].oneReplica}, {"seconds_at_3.2Tbps", whole.links[1].oneReplica}};
         }},
        {"NET-1", [](const json& in, const json&) { return network(in, "dgx-a100"); }},
        {"NET-2", [](const json& in, const json&) { return network(in, "hgx-h100"); }},
        {"NET-3", [](const json&, const json&) {
             const json link = exchangeToJson(*gradientExchange(workspaceOf({7e9, 4}), {findLink("PCIe 5.0 x16").value()}))["links"][0];
             return Answers{{"gb_per_s_per_direction", link["bytesPerSecond"].get<double>() / kGB}, {"gb_per_s_both", link["bytesPerSecondBothDirections"].get<double>() / kGB},
                            {"gb_per_s_per_direction", findDevice("H100-SXM-80GB")->pcieBytesPerSecond / kGB}};
         }},
        {"NET-4", [](const json&, const json&) { return Answers{{"gb_per_s", findDevice("H100-SXM-80GB")->memoryBytesPerSecond / kGB}}; }},
        {"NET-5", [](const json&, const json&) { return Answers{{"gb_per_s_per_direction", findDevice("H100-SXM-80GB")->link->bytesPerSecond / kGB}, {"gb_per_s_per_direction", findLink("nvlink-4")->bytesPerSecond / kGB}}; }},
        {"NET-6", [](const json&, const json&) { return Answers{{"gb_per_s/0", findLink("infiniband-hdr")->bytesPerSecond / kGB}, {"gb_per_s/1", findLink("infiniband-ndr")->bytesPerSecond / kGB}}; }},
        {"CMP-TP-Z3", [](const json& in, const json&) {
             const int t = in["tp"], n = in["zero3_gpus"];
             const double tensor = trafficOfPreset("llama-2-7b", t, 1, 1, 32, 512).bytesOf("tensor."), perToken = tensor / (32 * 512);
             const double zero3 = trafficOfPreset("llama-2-7b", 1, n, 3, 1, 512).bytesOf("");
             return Answers{{"tp_bytes_per_token_and_gpu", perToken}, {"zero3_gb_per_micro_batch", zero3 / kGB}, {"crossover_tokens_per_step_of_the_4_gpus", zero3 / perToken},
                            {"at_32x512_tokens_gb", tensor / kGB}, {"at_32x2048_tokens_gb", trafficOfPreset("llama-2-7b", t, 1, 1, 32, 2048).bytesOf("tensor.") / kGB}};
         }},
        {"CMP-TP", compare},
    };
    return all;
}

// What is a claim without a number of its own, or one that a rule answers: the reason stands in the case.
bool isClaim(const std::string& id)
{
    static const QStringList claims{"MEM-Z3-1-OVER-N", "MEM-OFFLOAD-SAVING-CPU", "MEM-OFFLOAD-SAVING-NVME", "PERF-OVERLAP", "PERF-FLASH", "PERF-2X-83PCT", "PERF-SPEED-LABELS",
                                    "COMM-COLL-Z1", "COMM-COLL-Z2", "COMM-COLL-Z3", "NET-TOPO", "CMP-Z3-P2P", "CMP-GPUS"};
    return claims.contains(QString::fromStdString(id));
}

const Solve* solverOf(const std::string& id)
{
    const Solve* best = nullptr;
    std::size_t length = 0;
    for (const auto& [prefix, solve] : solvers()) {
        if (id.starts_with(prefix) && prefix.size() > length) {
            best = &solve;
            length = prefix.size();
        }
    }
    return best;
}

}  // namespace

class TstTutorialCases : public QObject {
    Q_OBJECT
private slots:
    void everyCaseIsReproducedOrCorrected()
    {
        QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/tutorial_cases.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const json document = json::parse(file.readAll().toStdString());
        int reproduced = 0, corrected = 0, answered = 0;
        for (const json& tutorial : document["cases"]) {
            const std::string id = tutorial["id"];
            const std::string verdict = tutorial["verdict"];
            const std::string reason = tutorial.value("note", "");
            const json& right = tutorial["correct_result"];
            if (isClaim(id)) {
                QVERIFY2(!right.empty() && !verdict.empty(), id.c_str());
                qInfo("%-24s answered by rule: %s", id.c_str(), verdict.c_str());
                ++answered;
                continue;
            }
            const Solve* solve = solverOf(id);
            QVERIFY2(solve, qPrintable(QString::fromStdString(id + " has no answer")));
            const Answers answers = (*solve)(tutorial["inputs"], tutorial["stated_result"]);
            QVERIFY2(!answers.empty(), id.c_str());
            for (const auto& [name, value] : answers) {
                const json::json_pointer pointer("/" + name);
                QVERIFY2(right.contains(pointer) && right.at(pointer).is_number(), qPrintable(QString::fromStdString(id + " " + name)));
                const double truth = right.at(pointer);
                // The cases print three or four digits: half a unit of the last one.
                const std::string printed = right.at(pointer).dump();
                const std::size_t point = printed.find('.');
                const double unit = point == std::string::npos ? 1e-9 : std::pow(10.0, -static_cast<double>(printed.size() - point - 1));
                QVERIFY2(std::abs(value - truth) <= std::max(0.51 * unit, 6e-4 * std::abs(truth)), qPrintable(QString("%1 %2: %3, not %4").arg(QString::fromStdString(id), QString::fromStdString(name)).arg(value).arg(truth)));
            }
            const bool holds = verdict == "right" || verdict.starts_with("arithmetic right") || verdict == "fits" || verdict.starts_with("plausible") || verdict.starts_with("right ");
            QVERIFY2(holds || !reason.empty(), id.c_str());
            qInfo("%-24s %s: %s%s%s", id.c_str(), holds ? "reproduced" : "corrected", verdict.c_str(), reason.empty() ? "" : "; ", reason.c_str());
            ++(holds ? reproduced : corrected);
        }
        qInfo("%d reproduced, %d corrected, %d answered by rule", reproduced, corrected, answered);
        QCOMPARE(reproduced + corrected + answered, 84);
    }

    // The rules behind claims that have no number in the tutorials.
    void rulesBehindTheClaims()
    {
        for (const int n : {2, 4, 8, 64}) QVERIFY(std::abs(deviceOf({7e9, n, 1, 1, 3}) * n / deviceOf({7e9, n}) - 1) < 1e-6);
        // Optimizer away: 2 of 16 bytes stay. Files in place of host memory save no device memory.
        QVERIFY(std::abs(deviceOf({7e9, 4, 1, 1, 3, "cpu"}) / deviceOf({7e9, 4, 1, 1, 3}) - 0.125) < 1e-6);
        QCOMPARE(deviceOf({7e9, 4, 1, 1, 3, "nvme", "nvme"}), deviceOf({7e9, 4, 1, 1, 3, "cpu", "cpu"}));
        // Tensor groups inside a node, data groups where there is room, pipelines across.
        for (const auto& [pp, tp, dp, data] : {std::tuple{4, 4, 2, 16}, {2, 8, 4, 0}}) {
            LayoutSection layout;
            layout.pp = pp;
            layout.tp = tp;
            layout.dp = dp;
            const json groups = meshToJson(layout, {pp * tp * dp / 8, 8, "A100-SXM-80GB"})["groups"];
            QCOMPARE(groups["tp"]["insideOneNode"].get<int>(), 8);
            QCOMPARE(groups["dp"]["insideOneNode"].get<int>(), data);
            QCOMPARE(groups["pp"]["insideOneNode"].get<int>(), 0);
        }
    }
};

QTEST_APPLESS_MAIN(TstTutorialCases)
#include "tst_tutorial_cases.moc"
