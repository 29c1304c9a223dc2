// SPDX-License-Identifier: GPL-3.0-or-later
// "Fits" is said only of what is known to fit: sequence as written, states that are not all, experts, the host's memory.
#include "kept_activations.h"
#include "planner/advisor.h"
#include "planner/ds_settings.h"
#include "hardware/device_sheet.h"
#include "planner/fit.h"
#include "planner/layout_edits.h"
#include "planner/search.h"
#include "planner/workspace_search.h"

#include "plan_documents.h"

#include <QtTest>
#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json document(const char* preset, const char* framework = "deepspeed", int stage = 2) { return test::document(preset, framework, stage, 2, 8, 1); }

}  // namespace

class TstHonestFit : public QObject {
    Q_OBJECT
private slots:
    // Activations grow with the sequence for every family, whether our engine trains it or not.
    void theSequenceIsHonoured_data()
    {
        QTest::addColumn<QString>("preset");
        for (const char* preset : {"llama-3-8b", "mistral-7b", "qwen2.5-7b", "mixtral-8x7b"}) QTest::newRow(preset) << QString(preset);
    }
    void theSequenceIsHonoured()
    {
        QFETCH(QString, preset);
        const json w = document(preset.toLatin1().constData());
        const Plan plain = planOf(w), shorter = planOf(with(w, "/model/seq", 512)), longer = planOf(with(w, "/model/seq", 16384));
        // Beyond its window Mistral has a mask, with keys repeated to all heads.
        if (preset == "mistral-7b") QVERIFY(keptActivations(longer) > 33 * keptActivations(shorter) && itemOf(longer, "activations.mask") > 0);
        else QVERIFY(near(keptActivations(longer), 32 * keptActivations(shorter)));
        QVERIFY(near(longer.forecast->tokensPerSecond * longer.forecast->stepTime, 16 * 16384.0));
        QVERIFY(keptActivations(plain) > keptActivations(shorter));
        QVERIFY(!parseWorkspace(with(w, "/model/seq", 0).dump(), {}).hasValue());
        QVERIFY(!parseWorkspace(with(w, "/model/seq", "long").dump(), {}).hasValue());
        std::vector<PlanFinding> findings;
        const auto search = searchOfWorkspace(workspaceOf(with(w, "/model/seq", 512)), {}, {}, findings);
        QVERIFY(search && search->base.model.seq == 512);
    }

    // What widens the interval of quantised bases was seen above their forecasts: it makes no "unsure" of a base that is larger than the device.
    void aBaseLargerThanTheDeviceDoesNotFit()
    {
        json w = with(with(with(document("llama-2-70b", "deepspeed", 0), "/hardware", {{"device", "RTX-3090"}}), "/model/adapter", {{"rank", 64}, {"base", "nf4"}, {"doubleQuantization", true}}), "/model/seq", 512);
        const Plan large = planOf(w);
        QVERIFY(itemOf(large, "frozen_weights") > static_cast<double>(large.fit->usable));
        QVERIFY2(large.fit->verdict == Fit::Verdict::No, qPrintable(QString::number(large.fit->probability)));
        // One of two thirds of the device stays unsure, as it did run out of memory.
        const Plan near = planOf(with(w, "/model/preset", "llama-2-13b"));
        QVERIFY2(near.fit->verdict == Fit::Verdict::Unsure, qPrintable(QString::number(near.fit->probability)));
    }

    // Segments that grow keep nothing for want of fitting, whoever trains; what is rounded stays.
    void growingSegmentsReserveLess_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<int>("stage");
        for (const auto& [framework, stage] : {std::pair{"deepspeed", 2}, {"deepspeed", 3}, {"megatron", 1}, {"fsdp2", 3}}) QTest::newRow(qPrintable(QString("%1 %2").arg(framework).arg(stage))) << QString(framework) << stage;
    }
    void growingSegmentsReserveLess()
    {
        QFETCH(QString, framework);
        QFETCH(int, stage);
        const json w = document("llama-3-8b", qPrintable(framework), stage);
        const auto with_ = [&](bool grow) { return planOf(with(w, "/framework/arguments", {{"expandable_segments", grow}})); };
        const Plan fixed = with_(false), growing = with_(true);
        QCOMPARE(growing.ledger->front().peak.allocated, fixed.ledger->front().peak.allocated);
        QVERIFY(growing.ledger->front().peak.reserved < fixed.ledger->front().peak.reserved);
        QVERIFY(growing.ledger->front().peak.reserved >= growing.ledger->front().peak.allocated);
        QVERIFY(!findingOf(growing, "plan.arguments_unknown"));
        const LedgerRole& role = growing.ledger->front();
        double reserved = static_cast<double>(role.peak.allocated);
        for (const LedgerItem& item : role.items) reserved += item.phase == "reserved" ? static_cast<double>(item.bytes) : 0;
        QCOMPARE(reserved, static_cast<double>(role.peak.reserved));
    }

    // torchtitan cuts each local batch into equal micro-batches, of one sample unless said; no sample is left out without a word.
    void pipelinesLeaveNoSampleOut()
    {
        const auto plan = [](const json& arguments, int micro = 1, int accumulation = 1) {
            json w = with(document("llama-3-8b", "fsdp2"), "/model/seq", 2048);
            w["layout"] = {{"pp", 2}, {"dp", 8}};
            w["dsConfig"]["train_micro_batch_size_per_gpu"] = micro;
            w["dsConfig"]["gradient_accumulation_steps"] = accumulation;
            w["framework"]["arguments"] = arguments;
            return planOf(w);
        };
        const auto samples = [](const Plan& p) { return p.forecast->tokensPerSecond * p.forecast->stepTime / 2048; };
        QVERIFY(near(samples(plan(json::object(), 5, 2)), 10 * 8.0));
        QVERIFY(findingOf(plan(json::object(), 5), "plan.layout.few_micro_batches"));   // one micro-batch for two stages
        // The workspace's own words mean one thing, whatever it accumulates; torchtitan's words another.
        QVERIFY(near(static_cast<double>(plan(json::object(), 2, 8).ledger->front().peak.allocated), static_cast<double>(plan(json::object(), 2, 16).ledger->front().peak.allocated), 0.05));
        QVERIFY(near(samples(plan({{"global_batch", 128}}, 8)), 128.0));
        QVERIFY(near(samples(plan({{"local_batch", 7}})), 7 * 8.0));
        QVERIFY(near(samples(plan({{"local_batch", 6}, {"pp_microbatch_size", 2}})), 6 * 8.0));
        QVERIFY(near(samples(plan({{"local_batch", 6}, {"pipeline_parallel_microbatch_size", 2}})), 6 * 8.0));
        QVERIFY(near(samples(plan({{"local_batch", 8}, {"release", "2024-12"}})), 8 * 8.0));
        for (const char* none : {"newest", "2025-13", "2025-00"}) QVERIFY2(findingOf(plan({{"local_batch", 8}, {"release", none}}), "plan.argument.release"), none);
        for (const json& odd : {json{{"local_batch", 5}, {"release", "2024-12"}}, json{{"local_batch", 5}, {"pp_microbatches", 2}}}) QVERIFY(findingOf(plan(odd), "plan.pipeline_batch") && !plan(odd).ledger);
        QVERIFY(findingOf(plan({{"local_batch", 5}, {"pp_microbatch_size", 2}}), "plan.pipeline_batch.size"));
        // Smaller pieces hold less; several local batches of a step fill and drain the pipeline each.
        QVERIFY(plan({{"local_batch", 8}}).ledger->front().peak.allocated < plan({{"local_batch", 8}, {"pp_microbatches", 2}}).ledger->front().peak.allocated);
        const Plan once = plan({{"local_batch", 8}}), twice = plan({{"local_batch", 8}, {"global_batch", 128}});
        QVERIFY(near(samples(twice), 2 * samples(once)));
        const auto bubble = [](const Plan& p) { return std::find_if(p.forecast->split.begin(), p.forecast->split.end(), [](const auto& part) { return part.first == "bubble"; })->second; };
        QVERIFY(near(bubble(twice), 2 * bubble(once), 0.1));
        QVERIFY(near(bubble(plan({{"local_batch", 16}})), bubble(once), 0.1));
    }

    // A table of positions has an end.
    void learnedPositionsBoundTheSequence()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath("config.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"architectures": ["OPTForCausalLM"], "model_type": "opt", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "ffn_dim": 3072,
            "vocab_size": 50272, "max_position_embeddings": 2048, "word_embed_proj_dim": 768, "do_layer_norm_before": true})");
        file.close();
        json w = with(document("gpt2"), "/model", {{"hf", folder.path().toStdString()}});
        QVERIFY(!findingOf(planOf(with(w, "/model/seq", 2048)), "plan.positions"));
        QVERIFY(findingOf(planOf(with(w, "/model/seq", 2049)), "plan.positions"));
    }

    // Model states alone can say no, never yes.
    void statesAloneNeverFit()
    {
        json w = with(document("llama-3-8b", "deepspeed", 3), "/model", {{"params", 7e9}});
        for (const char* framework : {"deepspeed", "stagecraft", "fsdp2"}) {
            const Plan plan = planOf(with(w, "/framework/name", framework));
            QVERIFY(plan.fit && plan.fit->verdict == Fit::Verdict::Unsure && plan.fit->statesOnly && plan.fit->probability <= 0.5);
        }
        const Plan large = planOf(with(w, "/model/params", 1e12));
        QVERIFY(large.fit->verdict == Fit::Verdict::No && findingOf(large, "plan.memory.states"));
        // Several answers to choose from have no ledger of activations either.
        Workspace bert = workspaceOf(w);
        bert.model.form = ModelSection::Form::HuggingFace;
        bert.model.huggingFaceConfig = {{"architectures", {"BertForMultipleChoice"}}};
        const auto plan = makePlan(bert);
        QVERIFY(plan->ledger && plan->fit && plan->fit->verdict == Fit::Verdict::Unsure);
    }

    // Of a batch that no job can have its model states are told, and nothing that depends on it.
    void anImpossibleBatchIsNoForecast()
    {
        json w = document("llama-3-8b", "deepspeed", 3);
        w["dsConfig"]["gradient_accumulation_steps"] = 4;
        QCOMPARE(planOf(w).fit->verdict, Fit::Verdict::Yes);
        const auto told = [](const Plan& plan) { return std::count_if(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.id == "plan.batch_impossible" && f.severity == "error"; }); };
        for (const char* framework : {"deepspeed", "stagecraft", "fsdp2", "megatron"})
            for (const char* key : {"train_micro_batch_size_per_gpu", "gradient_accumulation_steps"})
                for (const json& odd : {json(2.5), json(1e18), json(1e300), json(0), json(-1), json("x"), json::array()}) {
                    const Plan plan = planOf(with(with(w, "/framework/name", framework), (std::string("/dsConfig/") + key).c_str(), odd));
                    const std::string about = std::string(framework) + " " + key + " " + odd.dump();
                    QVERIFY2(told(plan) == 1 && !plan.fit && !plan.forecast && !plan.budget, about.c_str());
                    QVERIFY2(plan.ledger && statesAlone(plan) && itemOf(plan, "weights") > 0, about.c_str());
                }
        // Where the framework's own arguments say the batch, the ds_config's is not asked.
        const json own = with(with(with(w, "/framework/name", "fsdp2"), "/framework/arguments", {{"local_batch", 1}}), "/dsConfig/train_micro_batch_size_per_gpu", 2.5);
        QVERIFY(planOf(own).fit && told(planOf(own)) == 0);
        // 2.0 is 2 to DeepSpeed and true is 1, and what is missing is assumed.
        const Plan two = planOf(with(w, "/dsConfig/train_micro_batch_size_per_gpu", 2.0)), whole = planOf(with(w, "/dsConfig/train_micro_batch_size_per_gpu", 2));
        QVERIFY(two.forecast && told(two) == 0 && two.forecast->stepTime == whole.forecast->stepTime);
        const Plan truth = planOf(with(w, "/dsConfig/train_micro_batch_size_per_gpu", true)), one = planOf(with(w, "/dsConfig/train_micro_batch_size_per_gpu", 1));
        QVERIFY(truth.forecast && told(truth) == 0 && truth.forecast->stepTime == one.forecast->stepTime && told(planOf(with(w, "/dsConfig/train_micro_batch_size_per_gpu", false))) == 1);
        json open = w;
        open["dsConfig"].erase("train_micro_batch_size_per_gpu");
        QVERIFY(planOf(open).forecast && told(planOf(open)) == 0);
    }

    // The states of one rank's experts are shared by N / ep ranks: 8 of Mixtral's experts on 8 of 16 ranks leave two that hold the same.
    // Neither the process nor an interval is known of what has states alone.
    void statesAloneAreNoProcess()
    {
        const json w = {{"stagecraft", 1}, {"model", {{"params", 7e9}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "A100-SXM-80GB"}}}, {"framework", {{"name", "deepspeed"}}},
                        {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 2}}}}}};
        const Plan plan = makePlan(parseWorkspace(w.dump(), {}).value()).value();
        QCOMPARE(plan.ledger->front().peak.relative90, 0.0);
        const json told = planToJson(plan)["ledger"]["roles"][0]["peak"];
        QVERIFY(told["allocated"].get<double>() > 1e10 && told["process"].is_null() && told["reserved"].is_null() && told["interval90"].is_null());
    }

    void expertsAreDividedOnce()
    {
        const double experts = 32.0 * 3 * 8 * 4096 * 14336;
        const double dense = 46'702'792'704.0 - experts;
        const double held = dense / 16 + experts / 8 / 2;
        const Plan deepspeed = planOf(with(document("mixtral-8x7b"), "/layout/ep", 8));
        QVERIFY(near(itemOf(deepspeed, "master"), 4 * held));
        QVERIFY(near(itemOf(deepspeed, "optimizer_states"), 8 * held));
        QVERIFY(near(itemOf(deepspeed, "weights"), 2 * (dense + experts / 8)));
        const Plan fsdp2 = planOf(with(document("mixtral-8x7b", "fsdp2"), "/layout/ep", 8));
        QVERIFY(near(itemOf(fsdp2, "weights"), 4 * held));
        QVERIFY(near(itemOf(fsdp2, "optimizer_states"), 8 * held));
        // What the ledger gives a rank adds up to the model, whatever the expert parallelism.
        for (const int ep : {1, 2, 4, 8}) QVERIFY(near(itemOf(planOf(with(document("mixtral-8x7b"), "/layout/ep", ep)), "master") * 16, 4.0 * 46'702'792'704.0));
        // And the tree's words agree.
        const auto advice = advise(workspaceOf(with(document("mixtral-8x7b"), "/layout/ep", 8)), {}, {}, AdviceDepth::Tree);
        QVERIFY(advice.hasValue());
        for (const StageOption& option : advice->options) {
            if (option.id == "z1") QVERIFY(near(static_cast<double>(option.stateBytes), 4 * (dense + experts / 8) + 12 * held));
            if (option.id == "z3") QVERIFY(near(static_cast<double>(option.stateBytes), 16 * held));
        }
    }

    // What is offloaded lies somewhere: unknown and large is no yes, known and too small is a no.
    // The allocator's reserve ends at the device; what cannot be given back does not, and decides.
    void moreIsNeverMoreProbable_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<int>("stage");
        QTest::newRow("DeepSpeed, stage 2") << QString("deepspeed") << 2;
        QTest::newRow("DeepSpeed, stage 3") << QString("deepspeed") << 3;
        QTest::newRow("FSDP2") << QString("fsdp2") << 3;
    }
    void moreIsNeverMoreProbable()
    {
        QFETCH(QString, framework);
        QFETCH(int, stage);
        json w = {{"stagecraft", 1}, {"model", {{"preset", "llama-3-8b"}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "A100-SXM-80GB"}}}, {"framework", {{"name", framework.toStdString()}}},
                  {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 4}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}}}};
        double last = 1;
        std::int64_t tensors = 0;
        int cut = 0;
        for (int seq = 3072; seq <= 11264; seq += 256) {
            w["model"]["seq"] = seq;
            const Plan plan = makePlan(parseWorkspace(w.dump(), {}).value()).value();
            const double p = plan.fit->probability;
            const LedgerPeak& peak = plan.ledger->front().peak;
            QVERIFY(peak.allocated > tensors);
            // Strictly less, where neither is as good as sure.
            QVERIFY2(p < last || (p > 0.999 && last > 0.999) || p < 1e-3, qPrintable(QString("%1: %2 after %3").arg(seq).arg(p).arg(last)));
            // The interval reaches above the device where it is not sure to fit, and nowhere else.
            const auto interval = processInterval90(plan.ledger->front(), peak, plan.fit->usable);
            QVERIFY(interval[0] < peak.process && interval[1] >= peak.process);
            QVERIFY2((interval[1] > plan.fit->usable) == (p < 0.95), qPrintable(QString("%1: %2 up to %3").arg(seq).arg(p).arg(interval[1])));
            const bool isCut = std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.id == "plan.reserve_cut"; });
            // Said wherever the process may reach the end of the device, and what it cannot give back does not: that is as probable to fit as not.
            QCOMPARE(isCut, p >= 0.5 && static_cast<double>(peak.process) * (1 + peak.relative90) > static_cast<double>(plan.fit->usable));
            cut += isCut;
            last = p;
            tensors = peak.allocated;
        }
        QVERIFY(cut >= 2 && last < 0.05);
    }

    // Longer sequences leave more behind, however the step's flat buffers lie in what the forward pass freed.
    void moreTokensReserveNoLess_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<int>("nodes");
        for (const char* preset : {"llama-2-13b", "llama-3-8b", "mixtral-8x7b"})
            for (const char* recompute : {"full", "none"})
                for (const int nodes : {1, 2, 8}) QTest::addRow("%s, %s, %d nodes", preset, recompute, nodes) << QString(preset) << QString(recompute) << nodes;
    }
    void moreTokensReserveNoLess()
    {
        QFETCH(QString, preset);
        QFETCH(QString, recompute);
        QFETCH(int, nodes);
        for (const int stage : {1, 2}) {
            std::int64_t last = 0;
            for (int seq = 256; seq <= 4096; seq += 256) {
                json w = document(preset.toUtf8().constData(), "deepspeed", stage, nodes, 8, 1);
                w["model"]["seq"] = seq;
                w["layout"]["recompute"] = recompute.toStdString();
                const std::int64_t process = planOf(w).ledger->front().peak.process;
                QVERIFY2(process >= last, qPrintable(QString("stage %1, %2 tokens: %3 after %4").arg(stage).arg(seq).arg(process).arg(last)));
                last = process;
            }
        }
    }

    // What a plan takes for granted is told when, and only when, it does.
    void assumptionsAreTold_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<bool>("told");
        const auto row = [](const char* name, const json& w, const char* id, bool told) { QTest::newRow(name) << QByteArray::fromStdString(w.dump()) << QByteArray(id) << told; };
        const auto said = [](const json& w, const json& arguments) { return with(w, "/framework/arguments", arguments); };
        const json deepspeed = with(document("llama-3-8b"), "/model/seq", 4096), torchtitan = document("llama-3-8b", "fsdp2"), mixtral = with(document("mixtral-8x7b", "fsdp2"), "/model/seq", 4096);
        const char* sdpa = "plan.attention_sdpa";
        row("sdpa: DeepSpeed, nothing said", deepspeed, sdpa, true);
        for (const char* kernel : {"sdpa", "eager", "flash_attention_2"}) row(qPrintable(QString("sdpa: DeepSpeed, %1 said").arg(kernel)), said(deepspeed, {{"attn_implementation", kernel}}), sdpa, false);
        row("sdpa: DeepSpeed, few scores", with(deepspeed, "/model/seq", 256), sdpa, false);
        row("sdpa: DeepSpeed on Megatron's layers", said(deepspeed, {{"model_code", "megatron"}}), sdpa, false);
        row("sdpa: a family that is eager", document("bloom-176b"), sdpa, false);
        row("sdpa: no fused kernel", with(deepspeed, "/dsConfig/bf16/enabled", false), sdpa, false);
        row("sdpa: FSDP2 on Transformers' blocks", mixtral, sdpa, true);
        row("sdpa: FSDP2 on Transformers' blocks, eager said", said(mixtral, {{"attn_implementation", "eager"}}), sdpa, false);
        row("sdpa: Megatron", document("llama-3-8b", "megatron"), sdpa, false);
        const char* release = "plan.release_assumed";
        row("release: torchtitan's model, nothing said", torchtitan, release, true);
        row("release: torchtitan's model, said", said(torchtitan, {{"release", "2024-12"}}), release, false);
        row("release: Transformers' blocks", mixtral, release, false);
        row("release: DeepSpeed", deepspeed, release, false);
        const char* compiled = "plan.compile_memory";
        row("compile: said", said(deepspeed, {{"torch_compile", true}}), compiled, true);
        row("compile: switched off", said(deepspeed, {{"torch_compile", false}}), compiled, false);
        row("compile: nothing said", deepspeed, compiled, false);
        row("compile: torchtitan's memory is planned", said(torchtitan, {{"compile", true}}), compiled, false);
    }
    void assumptionsAreTold()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, id);
        QFETCH(bool, told);
        const Plan plan = planOf(json::parse(text.toStdString()));
        QVERIFY(plan.ledger);
        const auto times = std::count_if(plan.findings.begin(), plan.findings.end(), [&](const PlanFinding& f) { return f.id == id.toStdString(); });
        QCOMPARE(times, told ? 1 : 0);
    }

    void whatHostsCommonlyHave()
    {
        const std::int64_t least = std::int64_t{256} << 30;
        QCOMPARE(commonHost(nullptr, 8), least);
        // Twice what cards of a desktop have together, within the bounds.
        QCOMPARE(commonHost(findDevice("RTX-4090"), 1), std::int64_t{64} << 30);
        QCOMPARE(commonHost(findDevice("RTX-4090"), 3), 6 * findDevice("RTX-4090")->usableBytes);
        for (const char* card : {"RTX-4090", "A100-PCIe-80GB", "H200-NVL-141GB", "cpu"}) QCOMPARE(commonHost(findDevice(card), 8), least);
        const DeviceSheet* linked = findDevice("H100-SXM-80GB");
        QCOMPARE(commonHost(linked, 8), 8 * linked->usableBytes);
        QCOMPARE(commonHost(linked, 2), least);   // a part of a node
        QCOMPARE(commonHost(findDevice("V100-SXM2-16GB"), 8), least);
        QCOMPARE(commonHost(findDevice("GB200-186GB"), 4), 4 * findDevice("GB200-186GB")->usableBytes);
    }

    void theHostIsJudged()
    {
        const json small = with(document("llama-3-8b"), "/dsConfig/zero_optimization/offload_optimizer", {{"device", "cpu"}});
        const double need = 18.0 * 8'030'261'248 / 2;   // 16 bytes of states, and weights on their way back
        const Plan unknown = planOf(small);
        QVERIFY(near(static_cast<double>(unknown.fit->hostNeed), need));
        QVERIFY(unknown.fit->verdict == Fit::Verdict::Yes && findingOf(unknown, "plan.host_memory.unknown"));
        QCOMPARE(findingOf(unknown, "plan.host_memory.unknown")->severity, std::string("info"));
        const Plan known = planOf(with(small, "/hardware/hostMemoryGiB", 512));
        QVERIFY(known.fit->verdict == Fit::Verdict::Yes && known.fit->hostUsable == std::int64_t{512} << 30);
        QVERIFY(!findingOf(known, "plan.host_memory") && !findingOf(known, "plan.host_memory.unknown"));
        const Plan exceeded = planOf(with(small, "/hardware/hostMemoryGiB", 40.5));
        QVERIFY(exceeded.fit->verdict == Fit::Verdict::No && findingOf(exceeded, "plan.host_memory"));
        const Plan close = planOf(with(small, "/hardware/hostMemoryGiB", 1.05 * need / 1073741824.0));
        QVERIFY(close.fit->verdict == Fit::Verdict::Unsure);

        json large = with(document("llama-3-70b", "deepspeed", 3), "/dsConfig/zero_optimization/offload_optimizer", {{"device", "cpu"}});
        large = with(large, "/layout/recompute", "full");
        QVERIFY(planOf(with(large, "/hardware/hostMemoryGiB", 2048)).fit->verdict == Fit::Verdict::Yes);
        // A node of eight that are linked has as much as its devices; of one that anybody may have built nothing is known.
        QVERIFY(planOf(large).fit->verdict == Fit::Verdict::Yes);
        QCOMPARE(findingOf(planOf(large), "plan.host_memory.unknown")->severity, std::string("info"));
        const json bridged = with(large, "/hardware/device", "A100-PCIe-80GB");
        QVERIFY(planOf(bridged).fit->verdict == Fit::Verdict::Unsure);
        QCOMPARE(findingOf(planOf(bridged), "plan.host_memory.unknown")->severity, std::string("warning"));
        // Nothing offloaded: nothing to say.
        const Plan none = planOf(document("llama-3-8b"));
        QVERIFY(none.fit->hostNeed == 0 && !findingOf(none, "plan.host_memory.unknown"));
        for (const json& wrong : {json(0), json(-4), json("much"), json(1e9)}) QVERIFY(!parseWorkspace(with(small, "/hardware/hostMemoryGiB", wrong).dump(), {}).hasValue());
    }

    // Buffers beside files are pinned on every rank, whatever lies in the files.
    void filesHaveBuffersOnTheHost()
    {
        json w = document("llama-3-8b", "deepspeed", 3);
        w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "nvme"}, {"nvme_path", "/x"}, {"buffer_count", 5}};
        w["dsConfig"]["zero_optimization"]["offload_param"] = {{"device", "nvme"}, {"nvme_path", "/x"}, {"buffer_count", 7}, {"buffer_size", 200'000'000}, {"max_in_cpu", 100'000'000}};
        const Plan plan = planOf(w);
        const double share = 8'030'261'248.0 / 16;
        QVERIFY(near(itemOf(plan, "nvme_buffers"), 2.0 * 7 * 200e6));
        QVERIFY(near(itemOf(plan, "nvme_buffers_optimizer"), 4.0 * 5 * share));
        QVERIFY(near(itemOf(plan, "weights_host_free"), 2.0 * 100e6));
        // The only sub-group is longer than that buffer: all of it lies in files. Of the weights, norms, keys' and values' are
        // too small for a file: a rank's part is below 1 MiB.
        const double small = ((2 * 32 + 1) * 4096.0 + 2 * 32 * 1024 * 4096.0) / 16;
        QVERIFY(near(itemOf(plan, "weights"), 2.0 * (share - small)));
        QVERIFY(near(itemOf(plan, "gradients_nvme"), 4.0 * share));
        QVERIFY(near(itemOf(plan, "gradient_partitions_host"), 2.0 * share));
        QVERIFY(near(static_cast<double>(plan.fit->hostNeed), 8 * (2.0 * 7 * 200e6 + 4.0 * 5 * share + 2.0 * 100e6 + 2 * share + 2 * small)));
    }

    // Search and tree know the host's memory too.
    void searchAndTreeMindTheHost()
    {
        const json w = with(document("llama-3-70b", "deepspeed", 3), "/model/seq", 1024);
        const auto offloadFits = [](const Workspace& workspace) {
            std::vector<PlanFinding> findings;
            const auto search = searchOfWorkspace(workspace, {}, {}, findings);
            if (!search) return false;
            const SearchResult result = searchLayouts(search->base, search->limits);
            return std::any_of(result.best.begin(), result.best.end(), [](const ScoredLayout& l) { return l.fits && l.offloadOptimizer == OffloadDevice::Cpu; });
        };
        QVERIFY(offloadFits(workspaceOf(with(w, "/hardware/hostMemoryGiB", 4096))));
        QVERIFY(!offloadFits(workspaceOf(with(w, "/hardware/hostMemoryGiB", 100))));
        const auto advice = advise(workspaceOf(with(w, "/hardware/hostMemoryGiB", 100)), {}, {}, AdviceDepth::Tree);
        QVERIFY(advice.hasValue());
        for (const StageOption& option : advice->options)
            if (option.offloadOptimizer == OffloadDevice::Cpu) QVERIFY2(!option.fits, option.id.c_str());
        const auto roomy = advise(workspaceOf(with(w, "/hardware/hostMemoryGiB", 4096)), {}, {}, AdviceDepth::Tree);
        QVERIFY(std::any_of(roomy->options.begin(), roomy->options.end(), [](const StageOption& o) { return o.offloadOptimizer == OffloadDevice::Cpu && o.fits; }));
    }

    // Ranks that share a sequence are no data-parallel ranks: a searched layout with cp adds up when it is applied.
    void sequenceRanksDoNotCountForTheBatch()
    {
        json w = with(document("llama-3-8b"), "/dsConfig/train_batch_size", 16);
        const Workspace workspace = workspaceOf(w);
        ScoredLayout layout;
        layout.dp = 8;
        layout.cp = 2;
        layout.stage = 2;
        layout.microBatch = 2;
        layout.accumulation = 1;
        const json patched = json::parse(w.dump()).patch(patchOf(workspace, layoutEdits(workspace, layout)));
        const Plan plan = planOf(patched);
        QVERIFY(!findingOf(plan, "plan.batch_triangle"));
        QCOMPARE(plan.config["train_batch_size"].get<int>(), 16);
        QVERIFY(near(plan.forecast->tokensPerSecond * plan.forecast->stepTime, 16.0 * 8192, 0.01) || near(plan.forecast->tokensPerSecond * plan.forecast->stepTime, 16.0 * 4096, 0.01));
    }
};

QTEST_APPLESS_MAIN(TstHonestFit)
#include "tst_honest_fit.moc"
