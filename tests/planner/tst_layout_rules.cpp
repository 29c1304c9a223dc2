// SPDX-License-Identifier: GPL-3.0-or-later
// What the frameworks refuse: each rule both ways, and that a search has no row that a plan refuses.
#include "planner/advisor.h"
#include "planner/layout_faults.h"
#include "planner/workspace_search.h"

#include "plan_documents.h"

#include <QtTest>
#include <algorithm>
#include <set>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

/// `model` is a preset, or sizes of its own.
json document(const json& model, const char* framework, int nodes, int devices, const json& layout, const json& arguments = json::object(), int accumulation = 8)
{
    json w = test::document("llama-3-8b", framework, 1, nodes, devices, accumulation);
    w["model"] = model.is_string() ? json{{"preset", model}} : model;
    w["layout"] = layout;
    w["framework"]["arguments"] = arguments;
    return w;
}

json sized(const char* key, std::int64_t value)
{
    json model = {{"family", "llama"}, {"hidden", 1024}, {"layers", 8}, {"heads", 16}, {"kvHeads", 8}, {"ffn", 4096}, {"vocab", 32000}, {"seq", 1024}};
    model[key] = value;
    return model;
}

std::set<std::string> refusals(const Plan& plan)
{
    std::set<std::string> ids;
    for (const PlanFinding& finding : plan.findings)
        if (finding.severity == "error" && finding.id.starts_with("plan.layout.")) ids.insert(finding.id);
    return ids;
}

}  // namespace

class TstLayoutRules : public QObject {
    Q_OBJECT
    struct Case {
        const char* id;
        json refused, taken;
        const char* name;
    };
    static std::vector<Case> cases()
    {
        std::vector<Case> all;
        const auto row = [&all](const char* id, const json& refused, const json& taken, const char* name = "") { all.push_back({id, refused, taken, name}); };
        const auto fp16 = [](json w) {
            w["dsConfig"]["bf16"]["enabled"] = false;
            w["dsConfig"]["fp16"] = {{"enabled", true}};
            return w;
        };
        const auto zero3 = [](json w, const char* key, int value) {
            w["dsConfig"]["zero_optimization"] = {{"stage", 3}, {key, value}};
            return w;
        };
        const auto sizes = [](int positions) {
            return json{{"num-layers", 4}, {"hidden-size", 512}, {"num-attention-heads", 8}, {"seq-length", 2048}, {"max-position-embeddings", positions}, {"bf16", true}, {"micro-batch-size", 1}, {"global-batch-size", 2}};
        };
        const json llama = "llama-3-8b", mixtral = "mixtral-8x7b", qwen = "qwen2.5-7b";
        const char *megatron = "megatron", *fsdp2 = "fsdp2", *deepspeed = "deepspeed";

        row("plan.layout.stages", document(llama, deepspeed, 8, 8, {{"pp", 64}}), document(llama, deepspeed, 4, 8, {{"pp", 32}}));
        row("plan.layout.heads", document(llama, deepspeed, 1, 6, {{"tp", 6}}), document(llama, deepspeed, 1, 8, {{"tp", 8}}));
        row("plan.layout.experts", document(mixtral, deepspeed, 1, 6, {{"dp", 6}, {"ep", 3}}), document(mixtral, deepspeed, 1, 8, {{"dp", 8}, {"ep", 4}}));
        const auto frozen = [&](const char* framework, int layers) { return with(document(llama, framework, 1, 8, {{"dp", 4}, {"pp", 2}}), "/model/freeze", json{{"embeddings", true}, {"firstLayers", layers}}); };
        row("plan.layout.frozen_stage", frozen(deepspeed, 16), frozen(deepspeed, 15));
        static QTemporaryDir folder;
        QFile file(folder.filePath("config.json"));
        if (!file.open(QIODevice::WriteOnly) || file.write(R"({"model_type": "bert", "architectures": ["BertForMaskedLM"]})") <= 0) qFatal("cannot write");
        file.close();
        const auto bert = [](json w) {
            w["model"] = {{"hf", folder.path().toStdString()}, {"seq", 512}};
            return w;
        };
        row("plan.layout.encoder", bert(document(llama, deepspeed, 1, 8, {{"dp", 4}, {"tp", 2}})), bert(document(llama, deepspeed, 1, 8, {{"dp", 8}})));
        row("plan.layout.zero_pipeline", with(document(llama, deepspeed, 1, 8, {{"dp", 4}, {"pp", 2}}), "/dsConfig/zero_optimization/stage", 2), document(llama, deepspeed, 1, 8, {{"dp", 4}, {"pp", 2}}));
        row("plan.layout.mics", zero3(document(llama, deepspeed, 2, 8, {{"dp", 16}}), "mics_shard_size", 3), zero3(document(llama, deepspeed, 2, 8, {{"dp", 16}}), "mics_shard_size", 4));
        row("plan.layout.hpz", zero3(document(llama, deepspeed, 2, 8, {{"dp", 16}}), "zero_hpz_partition_size", 3), zero3(document(llama, deepspeed, 2, 8, {{"dp", 16}}), "zero_hpz_partition_size", 8));
        row("plan.layout.sequence", document(sized("seq", 1023), deepspeed, 1, 8, {{"dp", 4}, {"cp", 2}}), document(sized("seq", 1022), deepspeed, 1, 8, {{"dp", 4}, {"cp", 2}}));
        row("plan.layout.ulysses", document(qwen, deepspeed, 1, 8, {{"cp", 8}}), document(qwen, deepspeed, 1, 8, {{"dp", 2}, {"cp", 4}}));
        // Four copies of each of 4 heads over 16 ranks; none of 6 over 4.
        row("plan.layout.ulysses_keys", document({{"family", "llama"}, {"hidden", 1536}, {"layers", 8}, {"heads", 24}, {"kvHeads", 6}, {"ffn", 4096}, {"vocab", 32000}, {"seq", 1024}}, deepspeed, 1, 8, {{"dp", 2}, {"cp", 4}}),
            document(qwen, deepspeed, 1, 8, {{"dp", 2}, {"cp", 4}}));
        const auto adapted = [&](const char* base, const json& layout) {
            json w = document(llama, fsdp2, 1, 8, layout);
            w["model"]["adapter"] = {{"rank", 16}, {"targets", {"q_proj", "v_proj"}}, {"base", base}};
            w["framework"]["arguments"]["dtype"] = "bfloat16";
            return w;
        };
        row("plan.layout.packed_tensor", adapted("nf4", {{"dp", 4}, {"tp", 2}}), adapted("nf4", {{"dp", 8}}));
        row("plan.layout.packed_tensor", adapted("nf4", {{"dp", 4}, {"tp", 2}}), adapted("16bit", {{"dp", 4}, {"tp", 2}}), "of 16 bits");
        row("plan.layout.sequence_pipeline", document(llama, deepspeed, 1, 8, {{"dp", 2}, {"pp", 2}, {"cp", 2}}), document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 2}, {"cp", 2}}));
        row("plan.layout.ring", document(sized("seq", 1020), megatron, 1, 8, {{"cp", 8}}), document(sized("seq", 1040), megatron, 1, 8, {{"cp", 8}}));
        row("plan.layout.sequence_parallel", document(sized("seq", 1023), megatron, 1, 8, {{"tp", 8}, {"sequenceParallel", true}}), document(sized("seq", 1023), megatron, 1, 8, {{"tp", 8}}));
        row("plan.layout.sequence_parallel", document(sized("seq", 1023), fsdp2, 1, 8, {{"tp", 8}}), document(sized("seq", 1024), fsdp2, 1, 8, {{"tp", 8}}), "under FSDP2");
        // Megatron-LM copies 8 heads to 16 ranks, and cannot share 6 among 4; PyTorch copies none.
        row("plan.layout.query_groups", document({{"family", "llama"}, {"hidden", 1536}, {"layers", 8}, {"heads", 24}, {"kvHeads", 6}, {"ffn", 4096}, {"vocab", 32000}, {"seq", 1024}}, megatron, 1, 8, {{"dp", 2}, {"tp", 4}}),
            document(llama, megatron, 2, 8, {{"tp", 16}}));
        row("plan.layout.key_heads", document(llama, fsdp2, 2, 8, {{"tp", 16}}), document(llama, fsdp2, 2, 8, {{"dp", 2}, {"tp", 8}}));
        row("plan.layout.key_heads", document("qwen2.5-0.5b", fsdp2, 1, 7, {{"tp", 7}}), document("qwen2.5-0.5b", fsdp2, 1, 2, {{"tp", 2}}), "that are two");
        row("plan.layout.width", document(sized("ffn", 2999), megatron, 1, 8, {{"tp", 8}}), document(sized("ffn", 3000), megatron, 1, 8, {{"tp", 8}}));
        // Of 32 layers 5 stages leave two over, whatever is counted; with the loss there are 33 for 3 stages, with the embedding too 34.
        const char* embeddingPlace = "account-for-embedding-in-pipeline-split";
        const char* lossPlace = "account-for-loss-in-pipeline-split";
        row("plan.layout.split", document(llama, megatron, 1, 5, {{"pp", 5}}), document(llama, deepspeed, 1, 5, {{"pp", 5}}));
        row("plan.layout.split", document(llama, megatron, 1, 6, {{"pp", 6}}), document(llama, megatron, 1, 6, {{"dp", 2}, {"pp", 3}}, {{"decoder-first-pipeline-num-layers", 10}}), "with a first stage of its own");
        row("plan.layout.split_loss", document(llama, megatron, 1, 6, {{"dp", 2}, {"pp", 3}}), document(llama, megatron, 1, 6, {{"dp", 2}, {"pp", 3}}, {{lossPlace, true}}));
        row("plan.layout.split_loss", document(llama, megatron, 1, 6, {{"dp", 2}, {"pp", 3}}), document(llama, deepspeed, 1, 6, {{"dp", 2}, {"pp", 3}}), "which DeepSpeed does not refuse");
        row("plan.layout.split_places", document(llama, megatron, 1, 17, {{"pp", 17}}), document(llama, megatron, 1, 17, {{"pp", 17}}, {{embeddingPlace, true}, {lossPlace, true}}));
        row("plan.layout.split_rest", document(llama, megatron, 1, 6, {{"dp", 2}, {"pp", 3}}, {{"decoder-first-pipeline-num-layers", 11}}), document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, {{"decoder-first-pipeline-num-layers", 5}}));
        row("plan.layout.chunks", document(llama, fsdp2, 1, 8, {{"pp", 8}, {"chunks", 5}, {"schedule", "interleaved_1f1b"}}), document(llama, fsdp2, 1, 8, {{"pp", 8}, {"chunks", 4}, {"schedule", "interleaved_1f1b"}}));
        row("plan.layout.chunk_layers", document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}, {"chunks", 3}}), document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}, {"chunks", 4}}));
        row("plan.layout.layers_per_chunk", document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, {{"num-layers-per-virtual-pipeline-stage", 3}}), document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, {{"num-layers-per-virtual-pipeline-stage", 2}}));
        row("plan.layout.uneven_chunks", document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, {{"num-layers-per-virtual-pipeline-stage", 2}, {"decoder-first-pipeline-num-layers", 8}}),
            document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, {{"num-virtual-stages-per-pipeline-rank", 4}, {"decoder-first-pipeline-num-layers", 8}}));
        row("plan.layout.chunks_alone", document(llama, megatron, 1, 8, {{"dp", 8}}, {{"num-layers-per-virtual-pipeline-stage", 4}}), document(llama, megatron, 1, 8, {{"dp", 8}}, {{"num-layers-per-virtual-pipeline-stage", 32}}));
        const json group3 = {{"num-virtual-stages-per-pipeline-rank", 2}, {"microbatch-group-size-per-virtual-pipeline-stage", 3}}, group6 = {{"num-virtual-stages-per-pipeline-rank", 2}, {"microbatch-group-size-per-virtual-pipeline-stage", 6}};
        row("plan.layout.micro_batch_group", document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, group3, 12), document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, group6, 12));
        row("plan.layout.interleaved", document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}, {"chunks", 2}}, json::object(), 6), document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, json::object(), 6));
        row("plan.layout.interleaved", document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}, {"chunks", 2}}, json::object(), 2), document(llama, megatron, 1, 8, {{"dp", 2}, {"pp", 4}}, group6, 10), "and a rest as long as the pipeline");
        row("plan.layout.few_micro_batches", document(llama, fsdp2, 1, 8, {{"dp", 2}, {"pp", 4}}, json::object(), 3), document(llama, fsdp2, 1, 8, {{"dp", 2}, {"pp", 4}}, json::object(), 4));
        row("plan.layout.few_micro_batches", document(llama, fsdp2, 1, 8, {{"dp", 2}, {"pp", 4}, {"schedule", "dualpipev"}}, json::object(), 7), document(llama, fsdp2, 1, 8, {{"dp", 2}, {"pp", 4}, {"schedule", "gpipe"}}, json::object(), 3), "both ways");
        row("plan.layout.rounds", document(llama, fsdp2, 1, 8, {{"dp", 2}, {"pp", 4}, {"schedule", "interleaved_1f1b"}}, json::object(), 9), document(llama, fsdp2, 1, 8, {{"dp", 2}, {"pp", 4}, {"schedule", "interleaved_1f1b"}}, json::object(), 10));
        row("plan.layout.dense", document(llama, megatron, 1, 8, {{"dp", 8}, {"ep", 4}}), document(mixtral, megatron, 1, 8, {{"dp", 8}, {"ep", 4}}));
        row("plan.layout.expert_ranks", document(mixtral, megatron, 1, 8, {{"dp", 2}, {"tp", 2}, {"pp", 2}, {"sequenceParallel", true}}, {{"expert-model-parallel-size", 8}}),
            document(mixtral, megatron, 1, 8, {{"dp", 2}, {"tp", 2}, {"pp", 2}, {"sequenceParallel", true}}, {{"expert-model-parallel-size", 4}, {"expert-tensor-parallel-size", 1}}));
        row("plan.layout.expert_sequence", document(mixtral, megatron, 1, 8, {{"dp", 4}, {"tp", 2}, {"ep", 4}}), document(mixtral, megatron, 1, 8, {{"dp", 4}, {"tp", 2}, {"ep", 4}}, {{"sequence-parallel", true}}));
        row("plan.layout.expert_fp16", fp16(document(mixtral, megatron, 1, 8, {{"dp", 8}, {"ep", 4}})), fp16(document(mixtral, megatron, 1, 8, {{"dp", 8}})));
        const auto copied = [&](const char* device) {
            json w = zero3(document(llama, deepspeed, 2, 8, {{"dp", 16}}), "zero_hpz_partition_size", 8);
            w["dsConfig"]["zero_optimization"]["offload_param"] = {{"device", device}};
            return w;
        };
        row("plan.layout.hpz_files", copied("nvme"), copied("cpu"));
        row("plan.layout.local_context", document(llama, megatron, 1, 8, {{"dp", 4}, {"cp", 2}}, {{"transformer-impl", "local"}}), document(llama, megatron, 1, 8, {{"dp", 8}}, {{"transformer-impl", "local"}}));
        const auto away = [&](int layers, const json& layout = {{"dp", 8}}, const json& more = json::object()) {
            json arguments = {{"bf16", true}, {"cpu-offloading-num-layers", layers}};
            arguments.update(more);
            return document(llama, megatron, 1, 8, layout, arguments);
        };
        row("plan.layout.host_layers", away(32), away(31));
        row("plan.layout.host_pipeline", away(4, {{"dp", 4}, {"pp", 2}}), away(0, {{"dp", 4}, {"pp", 2}}));
        row("plan.layout.host_pipeline", document(llama, fsdp2, 1, 8, {{"dp", 4}, {"pp", 2}}, {{"activation_offloading", true}}), document(llama, fsdp2, 1, 8, {{"dp", 8}}, {{"activation_offloading", true}}), "under FSDP2");
        row("plan.layout.host_recompute", away(4, {{"dp", 8}}, {{"recompute-granularity", "selective"}}), away(4, {{"dp", 8}, {"recompute", "none"}}));
        row("plan.layout.host_local", away(4, {{"dp", 8}}, {{"transformer-impl", "local"}}), away(4, {{"dp", 8}}, {{"transformer-impl", "transformer_engine"}}));
        row("plan.layout.host_graphs", away(4, {{"dp", 8}}, {{"enable-cuda-graph", true}}), away(4, {{"dp", 8}}, {{"enable-cuda-graph", false}}));
        row("plan.layout.positions", document("gpt2", fsdp2, 1, 2, {{"dp", 2}}, {{"seq", 2048}}), document("gpt2", fsdp2, 1, 2, {{"dp", 2}}, {{"seq", 1024}}));
        row("plan.layout.positions", document(llama, megatron, 1, 2, {{"dp", 2}}, sizes(1024)), document(llama, megatron, 1, 2, {{"dp", 2}}, sizes(4096)), "that Megatron's arguments give");
        const auto experts = [&](const json& layout, int stage, const char* key = nullptr, const json& value = nullptr) {
            json w = document(mixtral, deepspeed, 2, 8, layout);
            w["dsConfig"]["zero_optimization"] = {{"stage", stage}};
            if (key) w["dsConfig"]["zero_optimization"][key] = value;
            return w;
        };
        const json megatrons = with(experts({{"dp", 16}, {"ep", 8}}, 3), "/framework/arguments", {{"model_code", "megatron"}});
        row("plan.layout.expert_zero3", megatrons, with(megatrons, "/dsConfig/zero_optimization/stage", 2));
        row("plan.layout.expert_ulysses", experts({{"dp", 8}, {"cp", 2}, {"ep", 8}}, 3), experts({{"dp", 8}, {"cp", 2}, {"ep", 8}}, 2));
        row("plan.layout.expert_hpz", experts({{"dp", 16}, {"ep", 8}}, 3, "zero_hpz_partition_size", 8), experts({{"dp", 16}}, 3, "zero_hpz_partition_size", 8));
        row("plan.layout.expert_quantized", experts({{"dp", 16}, {"ep", 8}}, 3, "zero_quantized_gradients", true), experts({{"dp", 16}}, 3, "zero_quantized_gradients", true));
        row("plan.layout.expert_contiguous", experts({{"dp", 16}, {"ep", 8}}, 2, "contiguous_gradients", false), experts({{"dp", 16}, {"ep", 8}}, 1, "contiguous_gradients", false));
        row("plan.layout.expert_scatter", experts({{"dp", 16}, {"ep", 8}}, 1, "reduce_scatter", false), experts({{"dp", 16}, {"ep", 8}}, 0, "reduce_scatter", false));
        row("plan.layout.expert_tensor", experts({{"dp", 4}, {"tp", 2}, {"cp", 2}, {"ep", 4}}, 1), experts({{"dp", 8}, {"tp", 2}, {"ep", 8}}, 1));
        row("plan.layout.expert_tensor", experts({{"dp", 4}, {"tp", 2}, {"pp", 2}, {"ep", 4}}, 1), experts({{"dp", 8}, {"pp", 2}, {"ep", 8}}, 1), "and a pipeline");
        row("plan.layout.expert_offload", experts({{"dp", 8}, {"tp", 2}, {"ep", 8}}, 2, "offload_optimizer", {{"device", "cpu"}}), experts({{"dp", 16}, {"ep", 8}}, 2, "offload_optimizer", {{"device", "cpu"}}));
        return all;
    }

private slots:
    void eachRuleBothWays_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("refused");
        QTest::addColumn<QString>("taken");
        for (const Case& each : cases())
            QTest::newRow(qPrintable(QString(each.id) + ' ' + each.name)) << QString(each.id) << QString::fromStdString(each.refused.dump()) << QString::fromStdString(each.taken.dump());
    }
    void eachRuleBothWays()
    {
        QFETCH(QString, id);
        QFETCH(QString, refused);
        QFETCH(QString, taken);
        const Plan no = planOf(json::parse(refused.toStdString())), yes = planOf(json::parse(taken.toStdString()));
        QVERIFY2(refusals(no).contains(id.toStdString()) && !no.ledger && !no.fit, planToJson(no).dump().c_str());
        QVERIFY2(refusals(yes).empty() && yes.ledger && yes.fit, planToJson(yes)["findings"].dump().c_str());
    }

    void eachRuleHasATestAndASource()
    {
        std::set<std::string> tested;
        for (const Case& each : cases()) tested.insert(each.id);
        for (const LayoutRule& rule : layoutRules()) {
            QVERIFY2(std::string_view(rule.source).size() > 10 && rule.frameworks != 0, rule.id);
            QVERIFY2(tested.contains(rule.id), rule.id);
        }
    }

    // The embedding and the loss of 126 layers fill 128 places, one a chunk: Meta's and Megatron-Bridge's Llama 3.1 405B.
    void aChunkMayHoldTheEmbeddingAlone()
    {
        const json big = {{"num-layers", 126}, {"hidden-size", 16384}, {"ffn-hidden-size", 53248}, {"num-attention-heads", 128}, {"num-query-groups", 8}, {"group-query-attention", true}, {"seq-length", 8192},
                          {"vocab-size", 128256}, {"swiglu", true}, {"normalization", "RMSNorm"}, {"bf16", true}, {"tensor-model-parallel-size", 8}, {"pipeline-model-parallel-size", 16}, {"sequence-parallel", true},
                          {"virtual-pipeline-model-parallel-size", 8}, {"micro-batch-size", 1}, {"global-batch-size", 64}};
        json w = document("llama-3-8b", "megatron", 32, 8, {{"dp", 2}, {"tp", 8}, {"pp", 16}}, big);
        QVERIFY(refusals(planOf(w)).contains("plan.layout.split_places"));
        w["framework"]["arguments"]["account-for-embedding-in-pipeline-split"] = w["framework"]["arguments"]["account-for-loss-in-pipeline-split"] = true;
        QVERIFY2(planOf(w).ledger, planToJson(planOf(w))["findings"].dump().c_str());
        // The layers of each stage may be named one by one: that is not for us to refuse.
        json named = document("llama-3-8b", "megatron", 1, 6, {{"dp", 2}, {"pp", 3}}, {{"pipeline-model-parallel-layout", "Et*10|t*11|t*11L"}});
        QVERIFY(refusals(planOf(named)).empty() && findingOf(planOf(named), "plan.arguments_unknown"));
    }

    // Every row of a search can be applied and planned, and nothing that can be planned was left out of a small one.
    void searchesHaveWhatPlansTake_data()
    {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const json& w) { QTest::newRow(name) << QString::fromStdString(w.dump()); };
        row("Megatron on six devices", document("llama-3-8b", "megatron", 1, 6, {{"dp", 6}}, json::object(), 4));
        row("Megatron with layers a chunk", document("llama-3-8b", "megatron", 1, 8, {{"dp", 2}, {"pp", 4}}, {{"num-layers-per-virtual-pipeline-stage", 4}}, 4));
        row("Megatron with chunks", document("llama-3-8b", "megatron", 1, 8, {{"dp", 2}, {"pp", 4}, {"chunks", 2}}, json::object(), 6));
        row("Megatron with a first stage of its own", document("llama-3-8b", "megatron", 1, 8, {{"dp", 2}, {"pp", 4}}, {{"decoder-first-pipeline-num-layers", 5}}, 4));
        row("Megatron with the embedding as a layer", document(sized("layers", 7), "megatron", 1, 8, {{"dp", 2}, {"pp", 4}}, {{"account-for-embedding-in-pipeline-split", true}}, 4));
        row("Megatron with experts", document("mixtral-8x7b", "megatron", 2, 8, {{"dp", 16}, {"ep", 8}}, json::object(), 2));
        row("Megatron with an odd width", document(sized("ffn", 3004), "megatron", 1, 8, {{"dp", 8}}, json::object(), 4));
        row("FSDP2 with few key-value heads", document("qwen2.5-0.5b", "fsdp2", 1, 8, {{"dp", 8}}, json::object(), 4));
        row("FSDP2 interleaved", document("llama-3-8b", "fsdp2", 1, 8, {{"dp", 2}, {"pp", 4}, {"schedule", "interleaved_1f1b"}}, json::object(), 6));
        json groups = document("llama-3-8b", "deepspeed", 1, 12, {{"dp", 12}}, json::object(), 4);
        groups["dsConfig"]["zero_optimization"] = {{"stage", 3}, {"mics_shard_size", 4}, {"zero_hpz_partition_size", 3}};
        row("DeepSpeed in groups", groups);
        row("DeepSpeed with Ulysses", document("qwen2.5-7b", "deepspeed", 1, 8, {{"dp", 8}}, json::object(), 2));
    }
    void searchesHaveWhatPlansTake()
    {
        QFETCH(QString, text);
        const Workspace w = workspaceOf(json::parse(text.toStdString()));
        LayoutSearch search;
        search.runnable = true;
        search.limits.keep = 100'000;
        search.limits.offload = false;
        Advice advice = advise(w, {}, {}, AdviceDepth::Layouts, search).value();
        QVERIFY(!advice.layouts.best.empty());
        // Nothing was taken away after it was scored: the rules know before what the plan says later.
        QCOMPARE(static_cast<std::int64_t>(advice.layouts.best.size()), advice.layouts.scored);
        // An even sample of them is planned.
        std::vector<ScoredLayout> sample;
        const std::size_t step = std::max<std::size_t>(1, advice.layouts.best.size() / 60);
        for (std::size_t i = 0; i < advice.layouts.best.size(); i += step) sample.push_back(advice.layouts.best[i]);
        advice.layouts.best = sample;
        advice.layouts.pareto.clear();
        const json told = adviceToJson(advice, w);
        for (std::size_t i = 0; i < sample.size(); ++i) {
            const Plan plan = planOf(json::parse(w.document.dump()).patch(told["layouts"][i]["apply"]));
            QVERIFY2(plan.ledger && refusals(plan).empty(), (told["layouts"][i].dump() + planToJson(plan)["findings"].dump()).c_str());
        }
    }

    // The job as it stands is among the rows if and only if its plan has a ledger.
    void aPlanThatIsTakenIsFound()
    {
        for (const char* framework : {"megatron", "fsdp2", "deepspeed"}) {
            const Workspace w = workspaceOf(document("qwen2.5-7b", framework, 1, 8, {{"dp", 8}}, json::object(), 2));
            LayoutSearch search;
            search.runnable = true;
            search.limits.keep = 100'000;
            search.limits.offload = false;
            search.limits.tensorInsideNode = false;
            const auto rows = advise(w, {}, {}, AdviceDepth::Layouts, search).value().layouts.best;
            for (const int tp : {1, 2, 4, 8})
                for (const int pp : {1, 2, 4, 8})
                    for (const int cp : {1, 2, 4, 8}) {
                        if (tp * pp * cp > 8) continue;
                        const int dp = 8 / (tp * pp * cp);
                        // 16 samples a step in all; sequence parallelism as rows have it.
                        const json layout = {{"dp", dp}, {"tp", tp}, {"pp", pp}, {"cp", cp}, {"sequenceParallel", tp > 1}};
                        const Plan plan = planOf(document("qwen2.5-7b", framework, 1, 8, layout, json::object(), 16 / dp));
                        const bool found = std::any_of(rows.begin(), rows.end(), [&](const ScoredLayout& l) { return l.dp == dp && l.tp == tp && l.pp == pp && l.cp == cp && l.microBatch == 1 && l.stage == (framework[0] == 'f' ? 3 : dp * cp > 1 ? 1 : 0); });
                        QVERIFY2(found == plan.ledger.has_value(), qPrintable(QString("%1 tp %2 pp %3 cp %4").arg(framework).arg(tp).arg(pp).arg(cp)));
                    }
        }
    }

    // What is wrong with the ranks does not make the other arguments unknown.
    void knownArgumentsStayKnown()
    {
        const json arguments = {{"bf16", true}, {"micro-batch-size", 1}, {"global-batch-size", 128}, {"attention-dropout", 0.0}, {"hidden-dropout", 0.0}, {"recompute-activations", true}, {"use-distributed-optimizer", true}};
        for (const json& wrong : {json{{"pipeline-model-parallel-size", 3}}, json{{"micro-batch-size", 3}}, json{{"num-layers", 12}, {"swiglu", true}, {"kv-channels", 64}, {"make-vocab-size-divisible-by", 128}, {"pipeline-model-parallel-size", 3}}}) {
            json all = arguments;
            all.update(wrong);
            const Plan plan = planOf(document("llama-3-8b", "megatron", 2, 8, {{"dp", 16}}, all));
            QVERIFY(!plan.ledger && !findingOf(plan, "plan.arguments_unknown"));
            all["tensor-model-paralel-size"] = 2;
            QVERIFY(findingOf(planOf(document("llama-3-8b", "megatron", 2, 8, {{"dp", 16}}, all)), "plan.arguments_unknown"));
        }
    }
};

QTEST_APPLESS_MAIN(TstLayoutRules)
#include "tst_layout_rules.moc"
