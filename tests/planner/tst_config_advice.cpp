// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/config_advice.h"

#include "config/json_document.h"
#include "config/json_edit.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

using namespace stagecraft;
using nlohmann::json;

namespace {

/// A decoder of about `billions` parameters on a cluster; its ds_config is the test's.
Workspace job(const char* size, const char* device, int nodes, int perNode, const std::string& config)
{
    static const std::map<std::string, const char*> kSizes{
        {"0.1B", R"({"architectures":["GPT2LMHeadModel"],"model_type":"gpt2","n_embd":768,"n_layer":12,"n_head":12,"vocab_size":50257,"n_positions":1024})"},
        {"1B", R"({"architectures":["LlamaForCausalLM"],"hidden_size":2048,"intermediate_size":8192,"num_hidden_layers":16,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":2048})"},
        {"8B", R"({"architectures":["LlamaForCausalLM"],"hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":2048})"},
        {"8B short", R"({"architectures":["LlamaForCausalLM"],"hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":256})"},
        {"70B", R"({"architectures":["LlamaForCausalLM"],"hidden_size":8192,"intermediate_size":28672,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":2048})"}};
    Workspace w;
    w.model.form = ModelSection::Form::Preset;
    w.model.huggingFaceConfig = json::parse(kSizes.at(size));
    w.hardware = {.nodes = nodes, .devicesPerNode = perNode, .device = device};
    w.layout.dp = nodes * perNode;
    w.layout.recompute = "full";
    w.framework.name = "deepspeed";
    w.dsConfigText = config;
    w.dsConfig = json::parse(config);
    return w;
}

const CheckFinding* find(const std::vector<CheckFinding>& findings, const QString& rule)
{
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const CheckFinding& f) { return f.rule == rule.toStdString(); });
    return found == findings.end() ? nullptr : &*found;
}

std::string all(const std::vector<CheckFinding>& findings)
{
    std::string text;
    for (const CheckFinding& finding : findings) text += finding.rule + " " + finding.pointer + ": " + finding.message + "\n";
    return text.empty() ? "nothing" : text;
}

std::string zero(const std::string& inside, const std::string& batch = R"("train_micro_batch_size_per_gpu": 4)")
{
    return "{" + batch + R"(, "bf16": {"enabled": true}, "zero_optimization": {)" + inside + "}}";
}

}  // namespace

/// Advice on a ds_config from the plan's numbers: each rule where they support it, and silent where they do not.
class TstConfigAdvice : public QObject {
    Q_OBJECT
private slots:
    void speaksWhereTheNumbersDo_data();
    void speaksWhereTheNumbersDo();
    void hostMemoryIsThisMachines();
    void offloadIsToldBesideWhatIsFaster();
    void hostMemoryDecidesToo();
    void whatIsToldToFitFits();
    void whatAHostLacksIsToldWithWhatFits();
    void ourEngineIsToldNoOffload();
    void whatWasTriedIsTold_data();
    void whatWasTriedIsTold();
    void everyFixMendsWhatItNames();
    void unknownThingsAreNotJudged();
    void autoIsTheLaunchersToFill();
    void fewLargeBucketsAreNotCalledSmall();
    void whatCannotBePlannedIsSaid();
};

void TstConfigAdvice::speaksWhereTheNumbersDo_data()
{
    QTest::addColumn<QString>("size");
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("perNode");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("speaks");
    QTest::addColumn<QString>("silent");
    const auto row = [](const char* name, const char* size, const char* device, int nodes, int perNode, const char* rule, const std::string& speaks, const std::string& silent) {
        QTest::newRow(name) << QString(size) << QString(device) << nodes << perNode << QString(rule) << QString::fromStdString(speaks) << QString::fromStdString(silent);
    };
    const char* h100 = "H100-SXM-80GB";
    row("stage 1 does not hold 8 billion on two 80 GB cards", "8B", h100, 1, 2, "plan.stage_small", zero(R"("stage": 1)"), zero(R"("stage": 2, "offload_optimizer": {"device": "cpu"})"));
    row("nothing holds 70 billion on one card", "70B", "RTX-3090", 1, 1, "plan.nothing_fits", zero(R"("stage": 0)"), zero(R"("stage": 3, "offload_optimizer": {"device": "nvme"}, "offload_param": {"device": "nvme"})", R"("train_micro_batch_size_per_gpu": 1)"));
    row("stage 3 for a model that stage 1 holds", "1B", "A10", 4, 8, "plan.stage_large", zero(R"("stage": 3)", R"("train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4)"), zero(R"("stage": 1)", R"("train_micro_batch_size_per_gpu": 1)"));
    row("stage 2 reduces after each of many micro-steps", "1B", "V100-PCIe-32GB", 2, 8, "plan.stage_2_reduces", zero(R"("stage": 2)", R"("train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 16)"), zero(R"("stage": 2)", R"("train_micro_batch_size_per_gpu": 4)"));
    row("offload of states that fit", "1B", h100, 1, 8, "plan.offload_needless", zero(R"("stage": 2, "offload_optimizer": {"device": "cpu"})"), zero(R"("stage": 2)"));
    row("bf16 on a card without it", "1B", "V100-SXM2-32GB", 1, 8, "plan.bf16_missing", zero(R"("stage": 1)"), R"({"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}, "zero_optimization": {"stage": 1}})");
    row("fp16 on a card that has bf16", "1B", h100, 1, 8, "plan.fp16_for_bf16", R"({"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}, "zero_optimization": {"stage": 1}})", zero(R"("stage": 1)"));
    row("no 16-bit precision at all", "1B", h100, 1, 8, "plan.fp32", R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 1}})", zero(R"("stage": 1)"));
    row("a micro-batch of 1 on an empty card", "0.1B", h100, 1, 8, "plan.micro_batch_small", zero(R"("stage": 1)", R"("train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 16)"), zero(R"("stage": 1)", R"("train_micro_batch_size_per_gpu": 16, "gradient_accumulation_steps": 1)"));
    row("a bucket larger than the model", "0.1B", h100, 1, 8, "plan.bucket_large", zero(R"("stage": 2, "overlap_comm": true, "reduce_bucket_size": 5e8)"), zero(R"("stage": 2, "overlap_comm": true, "reduce_bucket_size": 2e7)"));
    row("a bucket that alone fills the card", "8B", h100, 1, 8, "plan.bucket_memory", zero(R"("stage": 2, "overlap_comm": true, "reduce_bucket_size": 2e10)", R"("train_micro_batch_size_per_gpu": 1)"),
        zero(R"("stage": 2, "overlap_comm": true, "reduce_bucket_size": 5e8)", R"("train_micro_batch_size_per_gpu": 1)"));
    row("thousands of tiny buckets", "1B", h100, 2, 8, "plan.bucket_small", zero(R"("stage": 2, "reduce_bucket_size": 1000)"), zero(R"("stage": 2, "reduce_bucket_size": 5e7)"));
    row("the whole model gathered ahead", "1B", h100, 1, 8, "plan.prefetch_large", zero(R"("stage": 3, "stage3_prefetch_bucket_size": 5e9)"), zero(R"("stage": 3, "stage3_prefetch_bucket_size": 5e7)"));
    row("nothing gathered ahead", "8B", h100, 1, 8, "plan.prefetch_none", zero(R"("stage": 3, "stage3_prefetch_bucket_size": 0)", R"("train_micro_batch_size_per_gpu": 1)"), zero(R"("stage": 3, "stage3_prefetch_bucket_size": 5e7)", R"("train_micro_batch_size_per_gpu": 1)"));
    row("all parameters stay gathered", "8B", h100, 1, 8, "plan.live_large", zero(R"("stage": 3, "stage3_max_live_parameters": 2e10)"), zero(R"("stage": 3, "stage3_max_live_parameters": 1e9)"));
    row("less than a layer may be gathered", "8B", h100, 1, 8, "plan.live_small", zero(R"("stage": 3, "stage3_max_live_parameters": 1e6)", R"("train_micro_batch_size_per_gpu": 1)"), zero(R"("stage": 3, "stage3_max_live_parameters": 1e9)", R"("train_micro_batch_size_per_gpu": 1)"));
    row("hpZ over half a node", "8B", h100, 2, 8, "plan.hpz_node", zero(R"("stage": 3, "zero_hpz_partition_size": 4)"), zero(R"("stage": 3, "zero_hpz_partition_size": 8)"));
    row("hpZ in a single node", "8B", h100, 1, 8, "plan.hpz_one_node", zero(R"("stage": 3, "zero_hpz_partition_size": 4)"), zero(R"("stage": 3, "zero_hpz_partition_size": 1)"));
    row("no overlap between slow links", "1B", "A10", 4, 8, "plan.overlap_off", zero(R"("stage": 2, "overlap_comm": false)", R"("train_micro_batch_size_per_gpu": 1)"), zero(R"("stage": 2, "overlap_comm": true)", R"("train_micro_batch_size_per_gpu": 1)"));
    row("no overlap where there is nobody to talk to", "0.1B", h100, 1, 1, "", zero(R"("stage": 2, "overlap_comm": true)"), zero(R"("stage": 2, "overlap_comm": false)"));
    row("gradients reduced in fp32", "8B", h100, 4, 8, "plan.communication_fp32", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "communication_data_type": "fp32", "zero_optimization": {"stage": 2}})",
        R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "communication_data_type": "bf16", "zero_optimization": {"stage": 2}})");
    row("stage 3 gathers for every small micro-step", "8B short", "RTX-3090", 4, 8, "plan.accumulation_traffic", zero(R"("stage": 3)", R"("train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 8)"), zero(R"("stage": 3)", R"("train_micro_batch_size_per_gpu": 2)"));
    row("more than the disks give", "70B", h100, 1, 8, "plan.nvme_rate", zero(R"("stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "/n"})", R"("train_micro_batch_size_per_gpu": 1)"), zero(R"("stage": 3, "offload_optimizer": {"device": "cpu"})", R"("train_micro_batch_size_per_gpu": 1)"));
    row("disks read in crumbs", "70B", h100, 1, 8, "plan.sub_group_small", zero(R"("stage": 3, "sub_group_size": 100000, "offload_optimizer": {"device": "nvme", "nvme_path": "/n"})"), zero(R"("stage": 3, "sub_group_size": 1e8, "offload_optimizer": {"device": "nvme", "nvme_path": "/n"})"));
}

void TstConfigAdvice::speaksWhereTheNumbersDo()
{
    QFETCH(QString, size);
    QFETCH(QString, device);
    QFETCH(int, nodes);
    QFETCH(int, perNode);
    QFETCH(QString, rule);
    QFETCH(QString, speaks);
    QFETCH(QString, silent);
    const auto advice = [&](const QString& config, const char* language) {
        return adviseConfig(job(size.toUtf8().constData(), device.toUtf8().constData(), nodes, perNode, config.toStdString()), {}, language);
    };
    const auto quiet = advice(silent, "en");
    if (rule.isEmpty()) {
        QVERIFY2(quiet.empty(), all(quiet).c_str());
        return;
    }
    for (const char* language : {"en", "zh"}) {
        const auto said = advice(speaks, language);
        const CheckFinding* finding = find(said, rule);
        QVERIFY2(finding, all(said).c_str());
        QVERIFY(finding->severity != CheckSeverity::Error && finding->effect == CheckEffect::Unwise && !finding->safe);
        QVERIFY2(finding->message.find_first_of("0123456789") != std::string::npos, finding->message.c_str());
        QVERIFY2(finding->message.find("{") == std::string::npos, finding->message.c_str());
        QVERIFY2(finding->line >= 1 && finding->column >= 1, finding->message.c_str());
    }
    QVERIFY2(!find(quiet, rule), all(quiet).c_str());
}

void TstConfigAdvice::hostMemoryIsThisMachines()
{
    const std::string config = zero(R"("stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": true})", R"("train_micro_batch_size_per_gpu": 1)");
    const auto with = [&](const char* device, std::int64_t gib) {
        PlanContext context;
        context.hostMemoryBytes = gib << 30;
        return adviseConfig(job("8B", device, 1, 2, config), context);
    };
    QVERIFY2(find(with("cuda", 64), "plan.host_memory"), all(with("cuda", 64)).c_str());
    QVERIFY2(find(with("cuda", 150), "plan.pinned_memory"), all(with("cuda", 150)).c_str());
    QVERIFY(!find(with("cuda", 1024), "plan.pinned_memory") && !find(with("cuda", 1024), "plan.host_memory"));
    // The memory of the machine that plans says nothing of the one that is planned for.
    QVERIFY(!find(with("H100-SXM-80GB", 64), "plan.host_memory"));
}

// Offload is not the only way out where activations fill the device: what keeps the states there and is faster stands beside it.
void TstConfigAdvice::offloadIsToldBesideWhatIsFaster()
{
    const auto told = [](const char* recompute, int micro) {
        Workspace w = job("8B", "A100-SXM-80GB", 1, 4, zero(R"("stage": 2)", R"("gradient_accumulation_steps": 1, "train_micro_batch_size_per_gpu": )" + std::to_string(micro)));
        w.layout.recompute = recompute;
        w.hardware.hostMemoryBytes = std::int64_t{2} << 40;
        for (const CheckFinding& finding : adviseConfig(w, {}, "en"))
            if (finding.rule == "plan.stage_small" || finding.rule == "plan.stage_tight") return finding.message;
        return std::string();
    };
    const std::string small = told("none", 2);
    QVERIFY2(small.find("offload_optimizer") != std::string::npos && small.find("Or leave the states on the devices: ") != std::string::npos, small.c_str());
    QVERIFY2(small.find("\"train_micro_batch_size_per_gpu\": ") != std::string::npos, small.c_str());
    QVERIFY2(told("none", 1).find("Or leave") == std::string::npos, told("none", 1).c_str());
}

// No stage is advised whose ranks build more models in host memory than it holds, and a CPU has the memory that the workspace says.
void TstConfigAdvice::hostMemoryDecidesToo()
{
    Workspace w = job("8B", "H100-SXM-80GB", 2, 8, zero(R"("stage": 3)", R"("train_micro_batch_size_per_gpu": 1)"));
    const auto larger = [&] { return find(adviseConfig(w, {}, "en"), "plan.stage_large") != nullptr; };
    QVERIFY(larger());
    w.hardware.hostMemoryBytes = std::int64_t{128} << 30;
    QVERIFY(!larger());
    Workspace cpu = job("1B", "cpu", 1, 1, zero(R"("stage": 1)"));
    cpu.hardware.hostMemoryBytes = std::int64_t{256} << 30;
    PlanContext context;
    context.hostMemoryBytes = std::int64_t{8} << 30;
    for (const CheckFinding& finding : adviseConfig(cpu, context, "en")) QVERIFY2(finding.message.find("8.0 GiB") == std::string::npos && finding.rule != "plan.nothing_fits", finding.message.c_str());
}

// What is told to be written is what a plan of it calls fitting; where it is not, the sentence says so.
void TstConfigAdvice::whatIsToldToFitFits()
{
    static const std::set<std::string> kOfMemory{"plan.stage_small", "plan.stage_tight", "plan.stage_large", "plan.stage_2_reduces", "plan.offload_needless", "plan.micro_batch_small", "plan.bucket_memory"};
    const std::vector<std::string> sections{R"("stage": 1)", R"("stage": 2)", R"("stage": 3)", R"("stage": 3, "offload_optimizer": {"device": "cpu"})"};
    int followed = 0, unsure = 0;
    for (const char* size : {"1B", "8B", "70B"})
        for (const auto& [device, nodes, perNode] : {std::tuple("RTX-3090", 1, 2), {"L40S", 1, 8}, {"A100-SXM-80GB", 1, 8}, {"A100-PCIe-80GB", 2, 8}, {"H100-SXM-80GB", 4, 8}})
            for (const std::string& section : sections)
                for (const int micro : {1, 4, 6})
                    for (const auto& [hostGiB, recompute] : {std::pair(0, "full"), {256, "full"}, {700, "full"}, {0, "none"}}) {
                        Workspace w = job(size, device, nodes, perNode, zero(section, R"("gradient_accumulation_steps": 16, "train_micro_batch_size_per_gpu": )" + std::to_string(micro)));
                        w.layout.recompute = recompute;
                        if (hostGiB > 0) w.hardware.hostMemoryBytes = std::int64_t{hostGiB} << 30;
                        for (const CheckFinding& finding : adviseConfig(w, {}, "en")) {
                            if (!kOfMemory.contains(finding.rule) || finding.fix.empty()) continue;
                            Workspace after = w;
                            after.dsConfig = w.dsConfig.patch(nlohmann::json::parse(finding.fix));
                            const auto plan = makePlan(after);
                            QVERIFY(plan.hasValue() && plan->fit);
                            const bool doubted = finding.message.find("not sure") != std::string::npos;
                            ++(doubted ? unsure : followed);
                            QVERIFY2((plan->fit->verdict == Fit::Verdict::Yes) != doubted, qPrintable(QString("%1 on %2 x %3: %4 (%5)").arg(size).arg(nodes * perNode).arg(device).arg(finding.message.c_str()).arg(plan->fit->probability)));
                        }
                    }
    QVERIFY2(followed > 40 && unsure > 0, qPrintable(QString("%1 and %2").arg(followed).arg(unsure)));
}

void TstConfigAdvice::whatWasTriedIsTold_data()
{
    QTest::addColumn<QString>("size");
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("micro");
    QTest::addColumn<QString>("recompute");
    QTest::addColumn<int>("hostGiB");
    QTest::addColumn<QString>("rest");  // what is said to make it fit; empty = nothing does
    QTest::newRow("activations kept") << "8B" << "RTX-3090" << 16 << "none" << 0 << "layout.recompute";
    QTest::newRow("a large micro-batch") << "8B" << "RTX-3090" << 64 << "full" << 0 << "With \"train_micro_batch_size_per_gpu\": 4 and \"gradient_accumulation_steps\": 16 ";
    QTest::newRow("both") << "8B" << "RTX-3090" << 64 << "none" << 0 << "layout.recompute \"full\"), \"train_micro_batch_size_per_gpu\": ";
    QTest::newRow("neither") << "70B" << "T4" << 1 << "full" << 0 << "use more devices";
    QTest::newRow("a small host") << "8B" << "RTX-3090" << 1 << "full" << 8 << "of host memory of a node";
}
void TstConfigAdvice::whatWasTriedIsTold()
{
    QFETCH(QString, size);
    QFETCH(QString, device);
    QFETCH(int, micro);
    QFETCH(QString, recompute);
    QFETCH(int, hostGiB);
    QFETCH(QString, rest);
    Workspace w = job(size.toUtf8().constData(), device.toUtf8().constData(), 1, 1, zero(R"("stage": 0)", R"("train_micro_batch_size_per_gpu": )" + std::to_string(micro)));
    w.layout.recompute = recompute.toStdString();
    w.hardware.hostMemoryBytes = std::int64_t{hostGiB} << 30;
    const auto said = adviseConfig(w);
    const CheckFinding* finding = find(said, "plan.nothing_fits");
    QVERIFY2(finding, all(said).c_str());
    const QString message = QString::fromStdString(finding->message);
    // Every choice by the words of the ds_config, the nearest among them, and what is left to do: a relief, or less of the model.
    for (const char* tried : {"(\"stage\": 1; \"stage\": 2; \"stage\": 3; ", "offload_optimizer nvme + offload_param nvme)", rest.startsWith("use") || rest.startsWith("of") ? "Nearest comes \"stage\": " : "can be made to fit is \"stage\": "}) QVERIFY2(message.contains(tried), qPrintable(message));
    QVERIFY2(message.contains(rest), qPrintable(message));
    QVERIFY2(!message.contains('{'), qPrintable(message));
}

void TstConfigAdvice::everyFixMendsWhatItNames()
{
    const std::string config = R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 16, "fp16": {"enabled": true}, "communication_data_type": "fp32",
        "zero_optimization": {"stage": 3, "overlap_comm": false, "reduce_bucket_size": 5e9, "stage3_prefetch_bucket_size": 5e9, "zero_hpz_partition_size": 4, "offload_optimizer": {"device": "cpu"}}})";
    const auto findings = adviseConfig(job("1B", "H100-SXM-80GB", 2, 8, config));
    QVERIFY2(findings.size() >= 5, all(findings).c_str());
    for (const CheckFinding& finding : findings) {
        if (finding.fix.empty()) continue;
        const auto document = JsonDocument::parse(config);
        const auto edits = patchEdits(document.value(), json::parse(finding.fix));
        QVERIFY2(edits.hasValue(), finding.fix.c_str());
        const auto after = adviseConfig(job("1B", "H100-SXM-80GB", 2, 8, applyEdits(config, *edits)));
        QVERIFY2(!find(after, QString::fromStdString(finding.rule)), (finding.rule + " " + finding.fix + "\n" + all(after)).c_str());
    }
}

void TstConfigAdvice::fewLargeBucketsAreNotCalledSmall()
{
    // Two reductions have two latencies, however unequal they are.
    for (const char* bucket : {"7e9", "8e9", "5e9"}) {
        const auto said = adviseConfig(job("8B", "H100-SXM-80GB", 1, 8, zero(std::string(R"("stage": 2, "overlap_comm": false, "reduce_bucket_size": )") + bucket, R"("train_micro_batch_size_per_gpu": 1)")));
        QVERIFY2(!find(said, "plan.bucket_small"), all(said).c_str());
    }
}

void TstConfigAdvice::whatCannotBePlannedIsSaid()
{
    const std::string config = R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 0}})";
    const auto unknown = adviseOrPlan(job("8B", "no-such-card", 1, 8, config));
    const CheckFinding* device = find(unknown, "plan.device_unknown");
    QVERIFY2(device && device->message.find("no-such-card") != std::string::npos && device->severity == CheckSeverity::Warning && device->fix.empty(), all(unknown).c_str());
    Workspace sizeOnly = job("8B", "H100-SXM-80GB", 1, 8, config);
    sizeOnly.model = {};
    sizeOnly.model.form = ModelSection::Form::ParameterCount;
    sizeOnly.model.parameterCount = 7e10;
    const auto states = adviseOrPlan(sizeOnly, {}, "zh");
    QVERIFY2(find(states, "plan.memory") && find(states, "plan.states_only"), all(states).c_str());
    // What can be planned is advised on as ever.
    const auto known = job("1B", "H100-SXM-80GB", 1, 8, config);
    QCOMPARE(adviseOrPlan(known).size(), adviseConfig(known).size());
}

void TstConfigAdvice::unknownThingsAreNotJudged()
{
    const std::string config = zero(R"("stage": 3, "offload_optimizer": {"device": "cpu"}, "reduce_bucket_size": 5e9)");
    Workspace sizeOnly = job("1B", "H100-SXM-80GB", 1, 8, config);
    sizeOnly.model = {};
    sizeOnly.model.form = ModelSection::Form::ParameterCount;
    sizeOnly.model.parameterCount = 1e9;
    QVERIFY(adviseConfig(sizeOnly).empty());
    QVERIFY(adviseConfig(job("1B", "no-such-card", 1, 8, config)).empty());
    Workspace other = job("1B", "H100-SXM-80GB", 1, 8, config);
    other.framework.name = "fsdp2";
    QVERIFY(adviseConfig(other).empty());
    QVERIFY(adviseConfig(job("1B", "H100-SXM-80GB", 1, 8, R"({"train_batch_size": 7, "train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 3}})")).empty());
    QVERIFY(adviseConfig(job("1B", "H100-SXM-80GB", 1, 8, "[]")).empty());
}

void TstConfigAdvice::autoIsTheLaunchersToFill()
{
    const auto findings = adviseConfig(job("1B", "H100-SXM-80GB", 1, 8, R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"},
        "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto"}})"));
    QVERIFY2(findings.empty(), all(findings).c_str());
}

// The host is what is short: what fits is named and, but for the disks, written; where nothing does as it is written, what else would.
void TstConfigAdvice::whatAHostLacksIsToldWithWhatFits()
{
    const auto told = [](int host, const char* recompute, const std::string& config, const char* rule, const char* size = "8B") {
        Workspace w = job(size, "RTX-3090", 1, 4, config);
        w.hardware.hostMemoryBytes = std::int64_t{host} << 30;
        w.layout.recompute = recompute;
        const auto findings = adviseConfig(w, {}, "en");
        const CheckFinding* found = find(findings, rule);
        return found ? found->message : all(findings);
    };
    const std::string away = zero(R"("stage": 3, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "cpu"})", R"("train_micro_batch_size_per_gpu": 1)");
    const std::string files = told(128, "full", away, "plan.host_memory");
    QVERIFY2(files.find("With \"stage\": 3 + offload_optimizer nvme it takes ") != std::string::npos && files.find("keeps the states") == std::string::npos, files.c_str());
    const std::string little = told(8, "full", away, "plan.host_memory");
    QVERIFY2(little.find("None of the stages and offloads fits here") != std::string::npos, little.c_str());
    // With its activations kept nothing fits; made again, on the disks, it does: the host has no part in that.
    const std::string kept = told(128, "none", zero(R"("stage": 1)", R"("train_micro_batch_size_per_gpu": 4)"), "plan.nothing_fits");
    QVERIFY2(kept.find("still leave") == std::string::npos && kept.find("and it fits") != std::string::npos, kept.c_str());
}

// What it does not do is not told, nor what DeepSpeed would hold.
void TstConfigAdvice::ourEngineIsToldNoOffload()
{
    const auto w = parseWorkspace(R"({"stagecraft": 1, "model": {"preset": "llama-3.2-3b", "seq": 4096}, "hardware": {"devicesPerNode": 8, "device": "A100-SXM-80GB"}, "layout": {"dp": 8},
        "dsConfig": {"train_micro_batch_size_per_gpu": 64, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1}}})", {});
    QVERIFY(w.hasValue() && w->framework.name == "stagecraft");
    const auto findings = adviseConfig(*w, {}, "en");
    QVERIFY(!findings.empty());
    QVERIFY2(all(findings).find("offload") == std::string::npos, all(findings).c_str());
}

QTEST_APPLESS_MAIN(TstConfigAdvice)
#include "tst_config_advice.moc"
