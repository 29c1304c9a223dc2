// SPDX-License-Identifier: GPL-3.0-or-later
// One verdict: what a plan says of a workspace, its advice and its search say too; and states, gradients and hosts are counted as the
// framework keeps them.
#include "planner/advisor.h"
#include "planner/fit.h"
#include "planner/framework_ledger.h"
#include "planner/layout_edits.h"
#include "planner/swap_folders.h"
#include "planner/traffic.h"
#include "planner/workspace_search.h"

#include <QtTest>
#include <algorithm>
#include <cmath>

using namespace stagecraft;
using nlohmann::json;

namespace {

json document(const json& model, const char* framework, const json& ds, int nodes = 1, int devices = 8, const char* device = "H100-SXM-80GB")
{
    return {{"stagecraft", 1}, {"model", model}, {"hardware", {{"nodes", nodes}, {"devicesPerNode", devices}, {"device", device}}}, {"framework", {{"name", framework}}}, {"dsConfig", ds}};
}

json half(int micro, int accumulation, int stage, const char* type = "bf16")
{
    return {{"train_micro_batch_size_per_gpu", micro}, {"gradient_accumulation_steps", accumulation}, {type, {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}};
}

Workspace workspaceOf(const json& w)
{
    const auto read = parseWorkspace(w.dump(), {});
    if (!read.hasValue()) qFatal("%s", read.error().message.c_str());
    return *read;
}

Plan planOf(const json& w, const PlanContext& context = {}) { return makePlan(workspaceOf(w), context).value(); }

bool tells(const Plan& plan, const std::string& id)
{
    return std::any_of(plan.findings.begin(), plan.findings.end(), [&](const PlanFinding& f) { return f.id == id; });
}

double itemOf(const LedgerRole& role, const std::string& what)
{
    double sum = 0;
    for (const LedgerItem& item : role.items) sum += item.what == what ? static_cast<double>(item.bytes) : 0;
    return sum;
}

bool near(double a, double b, double relative = 1e-6) { return std::abs(a - b) <= relative * std::abs(b); }

}  // namespace

class TstOneVerdict : public QObject {
    Q_OBJECT
private slots:
    // A node's host has what all its ranks put there, whichever stage they belong to.
    void theFullestNode_data()
    {
        QTest::addColumn<QList<int>>("ranks");
        QTest::addColumn<QList<int>>("bytes");
        QTest::addColumn<int>("devices");
        QTest::newRow("one stage of eight ranks") << QList<int>{8} << QList<int>{5} << 8;
        QTest::newRow("fewer ranks than devices") << QList<int>{3} << QList<int>{5} << 8;
        QTest::newRow("eight stages on one node") << QList<int>{1, 1, 1, 1, 1, 1, 1, 1} << QList<int>{9, 1, 2, 3, 4, 5, 6, 7} << 8;
        QTest::newRow("stages that end inside a node") << QList<int>{3, 3, 3, 3} << QList<int>{1, 10, 7, 2} << 4;
        QTest::newRow("stages of several nodes") << QList<int>{20, 4, 9} << QList<int>{3, 8, 2} << 8;
        QTest::newRow("one device a node") << QList<int>{2, 2} << QList<int>{4, 6} << 1;
    }
    void theFullestNode()
    {
        QFETCH(QList<int>, ranks);
        QFETCH(QList<int>, bytes);
        QFETCH(int, devices);
        std::vector<LedgerRole> roles;
        std::vector<std::int64_t> each;
        for (int i = 0; i < ranks.size(); ++i) {
            LedgerRole role;
            role.ranks = ranks[i];
            role.hostBytes = bytes[i];
            roles.push_back(role);
            each.insert(each.end(), static_cast<std::size_t>(ranks[i]), bytes[i]);
        }
        std::int64_t fullest = 0;
        for (std::size_t node = 0; node < each.size(); node += static_cast<std::size_t>(devices)) {
            std::int64_t sum = 0;
            for (std::size_t i = node; i < std::min(each.size(), node + static_cast<std::size_t>(devices)); ++i) sum += each[i];
            fullest = std::max(fullest, sum);
        }
        QCOMPARE(fullestNodeHost(roles, devices), fullest);
    }

    void pipelineStagesShareAHost()
    {
        json ds = half(1, 8, 1);
        ds["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        json w = document({{"preset", "llama-2-13b"}}, "deepspeed", ds);
        w["layout"] = {{"pp", 8}, {"dp", 1}, {"recompute", "full"}};
        w["hardware"]["hostMemoryGiB"] = 128;
        const Plan plan = planOf(w);
        double host = 0;
        for (const LedgerRole& role : *plan.ledger)
            for (const LedgerItem& item : role.items)
                if ((item.where == Place::Host || item.where == Place::Pinned) && item.phase != "init") host += static_cast<double>(item.bytes) * static_cast<double>(role.ranks);
        QVERIFY(host > 16.0 * 13e9);
        QVERIFY(near(static_cast<double>(plan.fit->hostNeed), host));
        QCOMPARE(plan.fit->verdict, Fit::Verdict::No);
        const auto advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Tree);
        QVERIFY(advice.hasValue());
        // The closed forms of the search count the same node.
        std::vector<PlanFinding> findings;
        const auto search = searchOfWorkspace(workspaceOf(w), {}, {}, findings);
        QVERIFY(search.has_value());
        QCOMPARE(needOf(search->base).hostPerNode, plan.fit->hostNeed);
    }

    // A model known only by its size has the states of the framework that trains it.
    void statesOfEachFramework_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<double>("bytes");  // of one rank, per parameter
        QTest::newRow("FSDP2 divides all sixteen") << QString("fsdp2") << QString("{}") << 16.0 / 8;
        QTest::newRow("FSDP2 in 16 bits") << QString("fsdp2") << QString(R"({"dtype": "bfloat16"})") << 8.0 / 8;
        QTest::newRow("FSDP2, replicated twice") << QString("fsdp2") << QString(R"({"replicate": 2})") << 16.0 / 4;
        QTest::newRow("FSDP2 with tensor parallelism") << QString("fsdp2") << QString(R"({"tp": 2})") << 16.0 / 8;
        QTest::newRow("Megatron") << QString("megatron") << QString(R"({"bf16": true})") << 18.0;
        QTest::newRow("Megatron, distributed optimizer") << QString("megatron") << QString(R"({"bf16": true, "use-distributed-optimizer": true})") << 6.0 + 12.0 / 8;
        QTest::newRow("Megatron, divided by tp and pp") << QString("megatron") << QString(R"({"bf16": true, "tensor-model-parallel-size": 2, "pipeline-model-parallel-size": 2, "use-distributed-optimizer": true})") << (6.0 + 12.0 / 2) / 4;
    }
    void statesOfEachFramework()
    {
        QFETCH(QString, framework);
        QFETCH(QString, arguments);
        QFETCH(double, bytes);
        json w = document({{"params", 7e9}}, framework.toLatin1().constData(), json::object());
        w["framework"]["arguments"] = json::parse(arguments.toStdString());
        const Plan plan = planOf(w);
        QVERIFY(plan.ledger && tells(plan, "plan.states_only.count"));
        QVERIFY2(near(static_cast<double>(plan.ledger->front().peak.process), bytes * 7e9), qPrintable(QString::number(static_cast<double>(plan.ledger->front().peak.process) / 7e9)));
        // States that fit say no more than that it may; states that do not are a no.
        QCOMPARE(plan.fit->verdict, bytes * 7e9 < 70e9 ? Fit::Verdict::Unsure : Fit::Verdict::No);
        QVERIFY(!plan.forecast);
    }

    // ZeRO-Offload on one device: gradients go to the host bucket by bucket (Ren et al. 2021: 13 billion parameters on one V100 of 32 GB).
    void offloadedGradientsLeaveTheDevice()
    {
        json ds = half(1, 1, 2, "fp16");
        ds["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        ds["zero_optimization"]["reduce_bucket_size"] = 2e8;
        json w = document({{"family", "gpt2"}, {"hidden", 4096}, {"layers", 65}, {"heads", 32}, {"vocab", 50304}, {"seq", 1024}}, "deepspeed", ds, 1, 1, "V100-SXM2-32GB");
        w["layout"] = {{"recompute", "full"}};
        w["hardware"]["hostMemoryGiB"] = 1500;
        const Plan plan = planOf(w);
        QVERIFY(plan.params && *plan.params > 13e9);
        QCOMPARE(itemOf(plan.ledger->front(), "gradients"), 0.0);
        QVERIFY2(plan.fit->verdict != Fit::Verdict::No, qPrintable(QString::number(static_cast<double>(plan.ledger->front().peak.process) / 1073741824.0)));
        // With fp32 sums the device keeps this rank's part.
        w["dsConfig"]["data_types"] = {{"grad_accum_dtype", "fp32"}};
        QVERIFY(near(itemOf(planOf(w).ledger->front(), "gradients"), 4.0 * static_cast<double>(*plan.params)));
        // Stage 1 reduces after the backward pass, unless it overlaps a single one.
        w["dsConfig"].erase("data_types");
        w["dsConfig"]["zero_optimization"]["stage"] = 1;
        QVERIFY(near(itemOf(planOf(w).ledger->front(), "gradients"), 2.0 * static_cast<double>(*plan.params)));
        w["dsConfig"]["zero_optimization"]["overlap_comm"] = true;
        QCOMPARE(itemOf(planOf(w).ledger->front(), "gradients"), 0.0);
        w["dsConfig"]["gradient_accumulation_steps"] = 4;
        QVERIFY(itemOf(planOf(w).ledger->front(), "gradients") > 0);
    }

    // Sections that do not act at a stage cost nothing there.
    void offloadActsAtItsStage()
    {
        const json plain = document({{"preset", "llama-2-7b"}}, "deepspeed", half(1, 1, 2));
        json files = plain;
        files["dsConfig"]["zero_optimization"]["offload_param"] = {{"device", "nvme"}, {"nvme_path", "/x"}};
        const Plan with = planOf(files), without = planOf(plain);
        QCOMPARE(with.forecast->stepTime, without.forecast->stepTime);
        QCOMPARE(with.fit->hostNeed, std::int64_t{0});
        json none = plain;
        none["dsConfig"]["zero_optimization"]["stage"] = 0;
        const Plan whole = planOf(none);
        none["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        QCOMPARE(planOf(none).forecast->stepTime, whole.forecast->stepTime);
        QCOMPARE(planOf(none).ledger->front().peak.process, whole.ledger->front().peak.process);
    }

    // What the tree chooses has the verdict of a plan of the workspace it is applied to.
    void adviceIsThePlan_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("framework");
        QTest::addColumn<int>("micro");
        QTest::newRow("close to the edge") << QString("llama-2-7b") << QString("A100-SXM-80GB") << QString("deepspeed") << 3;
        QTest::newRow("8B on H100") << QString("llama-3-8b") << QString("H100-SXM-80GB") << QString("deepspeed") << 3;
        QTest::newRow("13B") << QString("llama-2-13b") << QString("A100-SXM-80GB") << QString("deepspeed") << 2;
        QTest::newRow("70B, host not known") << QString("llama-2-70b") << QString("H100-SXM-80GB") << QString("deepspeed") << 1;
        QTest::newRow("on CPUs") << QString("llama-3-8b") << QString("cpu") << QString("deepspeed") << 1;
        QTest::newRow("FSDP2 in fp16 on V100") << QString("llama-2-7b") << QString("V100-SXM2-32GB") << QString("fsdp2") << 1;
    }
    void adviceIsThePlan()
    {
        QFETCH(QString, preset);
        QFETCH(QString, device);
        QFETCH(QString, framework);
        QFETCH(int, micro);
        json w = document({{"preset", preset.toStdString()}}, framework.toLatin1().constData(), half(micro, 2, 3, device.startsWith("V100") ? "fp16" : "bf16"), 1, 8, device.toLatin1().constData());
        if (device == "cpu") w["hardware"]["hostMemoryGiB"] = 512;
        const Workspace workspace = workspaceOf(w);
        LayoutSearch search;
        search.limits.keep = 12;
        const auto advice = advise(workspace, {}, {}, AdviceDepth::Layouts, search);
        QVERIFY(advice.hasValue());
        const json told = adviceToJson(*advice, workspace);
        // Where the ranks run here, what is to lie in files needs a folder that is there.
        const auto applied = [&](const json& patch) {
            const json changed = json::parse(workspace.document.dump()).patch(patch);
            Plan plan = planOf(changed);
            addSwapFolders(workspaceOf(changed), {}, plan);
            return plan;
        };
        for (std::size_t i = 0; i < advice->options.size(); ++i) {
            const StageOption& option = advice->options[i];
            if (option.refused) continue;
            const Plan plan = applied(told["options"][i]["apply"]);
            QVERIFY2(plan.fit.has_value(), option.id.c_str());
            QVERIFY2(std::abs(plan.fit->probability - option.probability) < 1e-3, qPrintable(QString("%1: plan %2, advice %3").arg(QString::fromStdString(option.id)).arg(plan.fit->probability).arg(option.probability)));
            QVERIFY2(near(plan.forecast->stepTime, *option.stepTime, 1e-3), qPrintable(QString("%1: plan %2 s, advice %3 s").arg(QString::fromStdString(option.id)).arg(plan.forecast->stepTime).arg(*option.stepTime)));
            QCOMPARE(option.fits, plan.fit->verdict == Fit::Verdict::Yes);
        }
        for (std::size_t i = 0; i < advice->layouts.best.size() && advice->layoutsFramework == advice->framework; ++i) {
            const Plan plan = applied(told["layouts"][i]["apply"]);
            QVERIFY(plan.fit.has_value());
            QVERIFY2(std::abs(plan.fit->probability - advice->layouts.best[i].probability) < 1e-3, qPrintable(QString("row %1: plan %2, search %3").arg(i).arg(plan.fit->probability).arg(advice->layouts.best[i].probability)));
        }
        // What surely fits comes first, and is chosen where there is any.
        const auto& best = advice->layouts.best;
        QVERIFY(std::is_sorted(best.begin(), best.end(), [](const ScoredLayout& a, const ScoredLayout& b) { return a.fits != b.fits ? a.fits : a.mayFit && !b.mayFit; }));
        const bool sure = std::any_of(advice->options.begin(), advice->options.end(), [](const StageOption& o) { return o.fits; });
        if (sure) QVERIFY(advice->options[*advice->chosen].fits);
        else if (advice->chosen) QVERIFY(advice->options[*advice->chosen].message.find(fitPhrase(false, true, advice->options[*advice->chosen].probability)) != std::string::npos);
    }

    // Keys under their other names act as under the present ones.
    void otherNamesAct_data()
    {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("present");
        QTest::newRow("cpu_offload") << QString(R"({"stage": 2, "cpu_offload": true})") << QString(R"({"stage": 2, "offload_optimizer": {"device": "cpu"}})");
        QTest::newRow("cpu_offload off") << QString(R"({"stage": 2, "cpu_offload": false})") << QString(R"({"stage": 2})");
        QTest::newRow("cpu_offload_param") << QString(R"({"stage": 3, "cpu_offload": true, "cpu_offload_param": true})") << QString(R"({"stage": 3, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "cpu"}})");
        QTest::newRow("max_live_parameters") << QString(R"({"stage": 3, "max_live_parameters": 3e8})") << QString(R"({"stage": 3, "stage3_max_live_parameters": 3e8})");
        QTest::newRow("prefetch_bucket_size") << QString(R"({"stage": 3, "prefetch_bucket_size": 1e6})") << QString(R"({"stage": 3, "stage3_prefetch_bucket_size": 1e6})");
    }
    void otherNamesAct()
    {
        QFETCH(QString, written);
        QFETCH(QString, present);
        json w = document({{"preset", "llama-2-7b"}}, "deepspeed", half(1, 2, 2));
        w["dsConfig"]["zero_optimization"] = json::parse(written.toStdString());
        const Plan a = planOf(w);
        w["dsConfig"]["zero_optimization"] = json::parse(present.toStdString());
        const Plan b = planOf(w);
        QCOMPARE(a.ledger->front().peak.process, b.ledger->front().peak.process);
        QCOMPARE(a.fit->hostNeed, b.fit->hostNeed);
        QCOMPARE(a.forecast->stepTime, b.forecast->stepTime);
    }

    void mastersInSixteenBits()
    {
        json w = document({{"preset", "llama-2-7b"}}, "deepspeed", half(1, 1, 1));
        const double params = static_cast<double>(*planOf(w).params);
        QVERIFY(near(itemOf(planOf(w).ledger->front(), "master"), 4 * params / 8));
        w["dsConfig"]["bf16"]["bf16_master_weights_and_grads"] = true;
        QVERIFY(near(itemOf(planOf(w).ledger->front(), "master"), 2 * params / 8));
        QVERIFY(near(itemOf(planOf(w).ledger->front(), "optimizer_states"), 8 * params / 8));
        w["dsConfig"]["bf16"]["bf16_optimizer_states"] = true;
        QVERIFY(near(itemOf(planOf(w).ledger->front(), "optimizer_states"), 4 * params / 8));
    }

    // DeepSpeed alone drops "auto": what is then planned is what the check says it becomes, whatever arguments stand unused beside it.
    void automaticPrecision_data()
    {
        QTest::addColumn<QString>("ds");
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("launch");
        QTest::newRow("bf16") << QString(R"({"bf16": {"enabled": "auto"}})") << QString("deepspeed") << QString("{}");
        QTest::newRow("both") << QString(R"({"bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"}})") << QString("deepspeed") << QString("{}");
        QTest::newRow("fp16 under its own launcher") << QString(R"({"fp16": {"enabled": "auto"}})") << QString("deepspeed") << QString(R"({"launcher": "deepspeed"})");
        QTest::newRow("arguments that nobody reads") << QString(R"({"bf16": {"enabled": "auto"}})") << QString("deepspeed") << QString(R"({"trainer": {"bf16": true}})");
        QTest::newRow("our own engine") << QString(R"({"bf16": {"enabled": "auto"}})") << QString("stagecraft") << QString("{}");
    }
    void automaticPrecision()
    {
        QFETCH(QString, ds);
        QFETCH(QString, framework);
        QFETCH(QString, launch);
        const auto named = [&](const json& precision) {
            json config = precision;
            config["train_micro_batch_size_per_gpu"] = 1;
            config["gradient_accumulation_steps"] = 1;
            config["zero_optimization"] = {{"stage", 2}};
            json whole = document({{"preset", "llama-2-7b"}}, framework.toLatin1().constData(), config, 1, 8, "A100-SXM-80GB");
            whole["launch"] = json::parse(launch.toStdString());
            return planOf(whole);
        };
        const Plan told = named(json::parse(ds.toStdString()));
        const Plan plain = named(json::object());
        QCOMPARE(told.ledger->front().peak.process, plain.ledger->front().peak.process);
        QCOMPARE(told.forecast->stepTime, plain.forecast->stepTime);
        QCOMPARE(tells(told, "plan.precision_auto"), framework == "deepspeed");
        QVERIFY(!tells(plain, "plan.precision_auto"));
    }

    // Under the Trainer "auto" is what the check fills in as well: TrainingArguments' own defaults, where nobody gave any.
    void trainersDefaultPrecision()
    {
        json config = {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 1}, {"zero_optimization", {{"stage", 2}}}};
        const auto made = [&](const json& ds) {
            json whole = document({{"preset", "llama-2-7b"}}, "deepspeed", ds, 1, 8, "A100-SXM-80GB");
            whole["launch"]["launcher"] = "transformers";
            return planOf(whole);
        };
        const Plan plain = made(config);
        config["bf16"] = config["fp16"] = {{"enabled", "auto"}};
        const Plan told = made(config);
        QCOMPARE(told.ledger->front().peak.process, plain.ledger->front().peak.process);
        QVERIFY(tells(told, "plan.precision_default") && !tells(told, "plan.precision_auto") && !tells(plain, "plan.precision_default"));
    }

    // DeepSpeed's pipeline in bf16 has the BF16 optimizer, which divides at stage 0 too.
    void pipelineInBf16DividesItsStates()
    {
        json w = document({{"preset", "llama-2-7b"}}, "deepspeed", half(1, 8, 0));
        w["layout"] = {{"pp", 2}, {"dp", 4}};
        const LedgerRole first = planOf(w).ledger->front();
        w["dsConfig"]["zero_optimization"]["stage"] = 1;
        const LedgerRole divided = planOf(w).ledger->front();
        QCOMPARE(itemOf(first, "master"), itemOf(divided, "master"));
        QCOMPARE(itemOf(first, "optimizer_states"), itemOf(divided, "optimizer_states"));
        w["dsConfig"].erase("bf16");
        w["dsConfig"]["fp16"] = {{"enabled", true}};
        w["dsConfig"]["zero_optimization"]["stage"] = 0;
        QVERIFY(near(itemOf(planOf(w).ledger->front(), "master"), 4 * itemOf(divided, "master"), 1e-3));
    }

    void moreRanksThanDevicesFitNowhere()
    {
        json w = document({{"preset", "llama-3-8b"}}, "fsdp2", json::object());
        w["framework"]["arguments"] = {{"fsdp", 64}};
        const Plan arguments = planOf(w);
        QVERIFY(tells(arguments, "plan.argument.devices") && !arguments.fit && !arguments.forecast);
        w["framework"]["arguments"] = {{"fsdp", 8}};
        QVERIFY(planOf(w).fit.has_value());
        // Where a slider asks for more than there is.
        Workspace layout = workspaceOf(document({{"preset", "llama-3-8b"}}, "deepspeed", half(1, 1, 3)));
        layout.layout.dp = 64;
        const Plan crowded = makePlan(layout).value();
        QVERIFY(tells(crowded, "plan.ranks") && !crowded.fit);
        layout.layout.dp = 100'000'000;
        QVERIFY(tells(makePlan(layout).value(), "plan.size.most"));
    }

    // Devices joined by bridges of two go over PCIe where more of them exchange.
    void bridgesJoinTwo()
    {
        const auto step = [](const char* device, int devices) { return planOf(document({{"preset", "llama-2-7b"}}, "fsdp2", half(1, 1, 3), 1, devices, device)).forecast->stepTime; };
        // The same chip with a switch: two devices are alike, eight are not.
        QVERIFY(step("A100-PCIe-80GB", 2) < 1.1 * step("A100-SXM-80GB", 2));
        QVERIFY(step("A100-PCIe-80GB", 8) > 2 * step("A100-SXM-80GB", 8));
    }

    void fp32RunsWithoutTensorCores()
    {
        json ds = {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 1}, {"zero_optimization", {{"stage", 3}}}};
        json w = document({{"preset", "llama-2-7b"}}, "deepspeed", ds, 1, 8, "A100-SXM-80GB");
        const Plan plain = planOf(w);
        // 6 FLOPs a parameter and token at 19.5 TFLOP/s cannot be beaten.
        QVERIFY(plain.forecast->forward + plain.forecast->backward > 6 * 6.7e9 * 4096 / 19.5e12);
        QVERIFY(tells(plain, "plan.fp32_products"));
        w["framework"]["arguments"] = {{"tf32", true}};
        const Plan allowed = planOf(w);
        QVERIFY(allowed.forecast->stepTime < 0.5 * plain.forecast->stepTime && !tells(allowed, "plan.fp32_products"));
    }

    void whatHasNoEffectIsTold()
    {
        json w = document({{"preset", "llama-2-7b"}}, "deepspeed", half(1, 1, 2));
        const Plan plain = planOf(w);
        QVERIFY(!tells(plain, "plan.device_assumed"));
        w["layout"] = {{"recompute", "selective"}};
        QVERIFY(tells(planOf(w), "plan.recompute_selective"));
        QCOMPARE(planOf(w).forecast->stepTime, plain.forecast->stepTime);
        json cuda = document({{"preset", "llama-2-7b"}}, "deepspeed", half(1, 1, 2), 1, 8, "cuda");
        QVERIFY(tells(planOf(cuda), "plan.device_assumed"));
        // Where the machine's GPU is known it is the one that is planned, with the host memory that is beside it.
        PlanContext here;
        here.gpu = "H100-SXM-80GB";
        here.hostMemoryBytes = std::int64_t{512} << 30;
        const Plan known = makePlan(workspaceOf(cuda), here).value();
        json named = cuda;
        named["hardware"]["device"] = "H100-SXM-80GB";
        named["hardware"]["hostMemoryGiB"] = 512;
        const Plan asNamed = planOf(named);
        QVERIFY(tells(known, "plan.device_here") && !tells(known, "plan.device_assumed"));
        QCOMPARE(known.forecast->stepTime, asNamed.forecast->stepTime);
        QVERIFY(known.forecast->stepTime < planOf(cuda).forecast->stepTime);
        QCOMPARE(known.fit->usable, asNamed.fit->usable);
        QCOMPARE(planTraffic(workspaceOf(cuda), here)->secondsOf(""), planTraffic(workspaceOf(named))->secondsOf(""));
        // Another device is what it is called, and one without a sheet stays assumed.
        json other = cuda;
        other["hardware"]["device"] = "A100-SXM-40GB";
        QCOMPARE(makePlan(workspaceOf(other), here)->fit->usable, planOf(other).fit->usable);
        here.gpu = "no such sheet";
        QVERIFY(tells(makePlan(workspaceOf(cuda), here).value(), "plan.device_assumed"));
        json trays = document({{"preset", "llama-2-7b"}}, "fsdp2", half(1, 1, 2), 8, 4, "GH200-96GB");
        trays["framework"]["arguments"] = {{"network_gb_per_s", 1}};
        QVERIFY(tells(planOf(trays), "plan.network_unused"));
        trays["hardware"]["nodes"] = 16;
        QVERIFY(!tells(planOf(trays), "plan.network_unused"));
    }

    // Every part of the step time, and the utilisation, comes with formula, numbers and source.
    void figuresAreExplained_data()
    {
        QTest::addColumn<QString>("framework");
        for (const char* framework : {"stagecraft", "deepspeed", "fsdp2", "megatron"}) QTest::newRow(framework) << QString(framework);
    }
    void figuresAreExplained()
    {
        QFETCH(QString, framework);
        const Plan plan = planOf(document({{"preset", "llama-2-7b"}}, framework.toLatin1().constData(), half(1, 2, 2)));
        QVERIFY(plan.forecast.has_value());
        const json told = planToJson(plan)["forecast"];
        double sum = 0;
        bool utilisation = false;
        for (const json& figure : told["figures"]) {
            for (const char* key : {"formula", "numbers", "source"}) QVERIFY2(!figure[key].get<std::string>().empty(), figure.dump().c_str());
            if (figure["what"] == json("mfu")) utilisation = true;
            else sum += figure["value"].get<double>();
        }
        QVERIFY(utilisation && near(sum, plan.forecast->stepTime));
        QVERIFY(near(told["modelFlops"].get<double>() / (plan.forecast->stepTime * told["devicePeak"].get<double>() * 8), plan.forecast->mfu));
        QCOMPARE(told["peakType"], json("bf16"));
        QVERIFY(near(told["devicePeak"].get<double>(), 989.4e12, 1e-2));
    }

    // Saving and evaluating are phases of their own where the run has them, and never the peak of a training step.
    void savingAndEvaluatingAreShown_data() { figuresAreExplained_data(); }
    void savingAndEvaluatingAreShown()
    {
        QFETCH(QString, framework);
        json w = document({{"preset", "llama-2-7b"}}, framework.toLatin1().constData(), half(1, 2, 3));
        const Plan plain = planOf(w);
        w["training"] = {{"saveEvery", 10}, {"evalEvery", 5}};
        const Plan both = planOf(w);
        const auto phase = [](const Plan& plan, const char* name) {
            for (const LedgerPeak& peak : plan.ledger->front().phases)
                if (peak.phase == name) return peak.allocated;
            return std::int64_t{-1};
        };
        QCOMPARE(both.ledger->front().peak.process, plain.ledger->front().peak.process);
        QVERIFY(phase(plain, "save") < 0 && phase(plain, "eval") < 0);
        // Our engine computes and saves in the buffers that it has.
        if (framework == "stagecraft") {
            QCOMPARE(both.ledger->front().phases.size(), std::size_t{6});
            QVERIFY(phase(both, "save") == phase(both, "step") && phase(both, "eval") == phase(both, "forward"));
            return;
        }
        QVERIFY(phase(both, "save") > 0 && phase(both, "eval") > 0 && phase(both, "eval") < phase(both, "backward"));
        if (framework != "deepspeed") return;
        w["dsConfig"]["zero_optimization"]["stage3_gather_16bit_weights_on_model_save"] = true;
        QVERIFY(phase(planOf(w), "save") > phase(both, "save"));
    }

    // A classifier on a decoder has no output over the vocabulary, and is planned as what it stands on.
    void classifiersHaveNoLanguageModelHead()
    {
        json config = {{"architectures", {"LlamaForSequenceClassification"}}, {"model_type", "llama"}, {"hidden_size", 4096}, {"intermediate_size", 14336}, {"num_hidden_layers", 32},
                       {"num_attention_heads", 32}, {"num_key_value_heads", 8}, {"vocab_size", 128256}, {"tie_word_embeddings", false}};
        QTemporaryDir folder;
        QFile file(folder.filePath("config.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(config.dump()));
        file.close();
        const Plan plan = planOf(document({{"hf", folder.path().toStdString()}}, "deepspeed", half(1, 1, 1)));
        QVERIFY(plan.params && plan.ledger);
        QVERIFY(near(itemOf(plan.ledger->front(), "weights"), 2.0 * static_cast<double>(*plan.params)));
        QVERIFY(plan.forecast && !tells(plan, "plan.states_only"));
        QVERIFY(itemOf(plan.ledger->front(), "logits") + itemOf(plan.ledger->front(), "loss") < 1 << 20);
    }
};

QTEST_GUILESS_MAIN(TstOneVerdict)
#include "tst_one_verdict.moc"
