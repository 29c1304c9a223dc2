// SPDX-License-Identifier: GPL-3.0-or-later
// Levers: what is promised is what the changed workspace's own plan says, and the order is the one a user would choose.
#include "planner/levers.h"

#include "planner/findings.h"
#include "planner/shared_plans.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using nlohmann::json;

namespace {

const PlanContext kContext{.hostMemoryBytes = std::int64_t{256} << 30};

json workspaceJson(const std::string& framework, int stage, int micro, int devices = 8)
{
    json arguments = json::object();
    if (framework == "megatron") arguments = {{"bf16", true}, {"micro-batch-size", micro}, {"global-batch-size", micro * 4 * devices}};
    if (framework == "fsdp2") arguments = {{"local_batch", micro}};
    return {{"stagecraft", 1},
            {"model", {{"preset", "llama-3-8b"}, {"seq", 8192}}},
            {"hardware", {{"nodes", 1}, {"devicesPerNode", devices}, {"device", "H100-SXM-80GB"}}},
            {"layout", {{"dp", devices}}},
            {"dsConfig", {{"train_micro_batch_size_per_gpu", micro}, {"gradient_accumulation_steps", 4}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}}},
            {"framework", {{"name", framework}, {"arguments", arguments}}}};
}

std::int64_t peakOf(const Plan& plan)
{
    std::int64_t most = 0;
    for (const LedgerRole& role : *plan.ledger) most = std::max(most, role.peak.process);
    return most;
}

std::int64_t bytesOf(const Plan& plan, const std::string& what)
{
    std::int64_t sum = 0;
    for (const LedgerItem& item : plan.ledger->front().items)
        if (item.what == what) sum += item.bytes;
    return sum;
}

}  // namespace

class TstLevers : public QObject {
    Q_OBJECT
private slots:
    void promisesWhatTheChangedPlanSays_data();
    void promisesWhatTheChangedPlanSays();
    void whatMakesItFitComesFirst();
    void savedMemoryComesFirstWhereItFits();
    void lossInChunks();
    void lossInChunksIsNeverIgnoredSilently_data();
    void lossInChunksIsNeverIgnoredSilently();
    void noneWithoutALedger();
    void patternsAreFilledInOrder();
    void sequenceParallelismOfMegatron();
    void aHostThatIsShortNeedsNoRoomOnDevices();
    void microBatchesAreHalvedUntilTheyFit();
    void sharedPlansAreThoseMadeAlone_data();
    void sharedPlansAreThoseMadeAlone();
};

void TstLevers::promisesWhatTheChangedPlanSays_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const json& workspace) { QTest::newRow(name) << QByteArray::fromStdString(workspace.dump()); };
    row("DeepSpeed stage 0 that does not fit", workspaceJson("deepspeed", 0, 2));
    row("DeepSpeed stage 2", workspaceJson("deepspeed", 2, 2));
    row("DeepSpeed stage 3", workspaceJson("deepspeed", 3, 1));
    row("Megatron", workspaceJson("megatron", 1, 2));
    row("FSDP2", workspaceJson("fsdp2", 3, 1));
    json full = workspaceJson("deepspeed", 3, 1);
    full["layout"]["recompute"] = "full";
    row("DeepSpeed that recomputes", full);
    json fp32 = workspaceJson("deepspeed", 3, 1);
    fp32["dsConfig"].erase("bf16");
    row("DeepSpeed in fp32", fp32);
    json ours = workspaceJson("stagecraft", 2, 4, 2);
    ours["model"] = {{"family", "llama"}, {"hidden", 256}, {"layers", 4}, {"heads", 4}, {"ffn", 688}, {"vocab", 4096}, {"seq", 256}};
    ours["hardware"]["device"] = "cpu";
    row("our engine", ours);
}

void TstLevers::promisesWhatTheChangedPlanSays()
{
    QFETCH(QByteArray, text);
    const auto workspace = parseWorkspace(text.toStdString(), ".");
    QVERIFY(workspace.hasValue());
    const auto now = makePlan(*workspace, kContext);
    QVERIFY(now.hasValue() && now->ledger);
    const auto levers = planLevers(*workspace, *now, kContext);
    QVERIFY(!levers.empty());
    for (const Lever& lever : levers) {
        QVERIFY2(!lever.changes.empty(), lever.id.c_str());
        json changed = json::parse(text.toStdString());
        for (const auto& [pointer, value] : lever.changes) {
            const json::json_pointer at(pointer);
            if (value.is_null()) changed.at(at.parent_pointer()).erase(at.back());
            else changed[at] = value;
        }
        const auto after = parseWorkspace(changed.dump(), ".");
        QVERIFY2(after.hasValue(), lever.id.c_str());
        const auto plan = makePlan(*after, kContext);
        QVERIFY2(plan.hasValue() && plan->ledger, lever.id.c_str());
        QCOMPARE(peakOf(*plan), lever.memory);
        QCOMPARE(lever.memory - peakOf(*now), lever.memoryChange);
        QVERIFY(lever.memoryChange < 0 || lever.timeChange < 0);
        QCOMPARE(plan->forecast.has_value(), lever.stepTime.has_value());
        if (lever.stepTime) {
            QCOMPARE(plan->forecast->stepTime, *lever.stepTime);
            QCOMPARE(*lever.stepTime - now->forecast->stepTime, lever.timeChange);
        }
        if (lever.then) {
            changed["dsConfig"]["zero_optimization"]["stage"] = lever.then->stage;
            const auto lower = makePlan(*parseWorkspace(changed.dump(), "."), kContext);
            QCOMPARE(peakOf(*lower), lever.then->memory);
            QVERIFY(lower->fit && lower->fit->verdict == Fit::Verdict::Yes);
            json plain = json::parse(text.toStdString());
            plain["dsConfig"]["zero_optimization"]["stage"] = lever.then->stage;
            const auto without = makePlan(*parseWorkspace(plain.dump(), "."), kContext);
            QVERIFY2(!without->fit || without->fit->verdict != Fit::Verdict::Yes, "the stage fits without the lever: that is no news");
        }
    }
    QCOMPARE(leversToJson(levers, *workspace).size(), levers.size());
}

void TstLevers::whatMakesItFitComesFirst()
{
    json text = workspaceJson("deepspeed", 3, 6);
    text["layout"]["recompute"] = "full";
    const auto workspace = parseWorkspace(text.dump(), ".");
    const auto now = makePlan(*workspace, kContext);
    QVERIFY(now->fit && now->fit->verdict == Fit::Verdict::No);
    const auto levers = planLevers(*workspace, *now, kContext);
    QVERIFY(!levers.empty());
    const auto helps = [](const Lever& lever) { return lever.fit && lever.fit->verdict == Fit::Verdict::Yes; };
    QVERIFY(std::any_of(levers.begin(), levers.end(), helps));
    QVERIFY(std::is_partitioned(levers.begin(), levers.end(), helps));
    for (std::size_t i = 1; i < levers.size() && helps(levers[i]); ++i) QVERIFY(levers[i - 1].timeChange <= levers[i].timeChange);
}

void TstLevers::savedMemoryComesFirstWhereItFits()
{
    json text = workspaceJson("deepspeed", 3, 1);
    text["layout"]["recompute"] = "full";
    const auto workspace = parseWorkspace(text.dump(), ".");
    const auto now = makePlan(*workspace, kContext);
    QVERIFY(now->fit && now->fit->verdict == Fit::Verdict::Yes);
    const auto levers = planLevers(*workspace, *now, kContext);
    QVERIFY(!levers.empty());
    // Logits of 8,192 tokens by 128,256 words are the largest thing that a change beside the tree can take away.
    QCOMPARE(levers.front().id, std::string("loss_chunks"));
    for (const Lever& lever : levers) {
        const Phrase name = leverPhrase(lever);   // every one has words of its own
        QVERIFY2(name.pattern != lever.id && name.pattern.find(' ') != std::string::npos, lever.id.c_str());
    }
    for (const Lever& lever : levers) QVERIFY(lever.memoryChange >= levers.front().memoryChange || lever.timeChange > 0.02 * now->forecast->stepTime);
}

void TstLevers::lossInChunks()
{
    json text = workspaceJson("deepspeed", 3, 2);
    const auto whole = makePlan(*parseWorkspace(text.dump(), "."));
    const double logits = 2.0 * 8192 * 128256;
    // Turned to fp32, without the last token once more, and their log-softmax.
    QCOMPARE(bytesOf(*whole, "logits"), std::int64_t(4 * logits));
    QCOMPARE(bytesOf(*whole, "loss"), std::int64_t(8 * logits));
    QCOMPARE(bytesOf(*whole, "loss_gradient"), std::int64_t{0});
    text["layout"]["lossChunks"] = 8;
    const auto chunks = makePlan(*parseWorkspace(text.dump(), "."));
    QCOMPARE(bytesOf(*chunks, "logits"), std::int64_t(2 * logits / 8));
    QCOMPARE(bytesOf(*chunks, "loss"), std::int64_t(12 * logits / 8));
    QCOMPARE(bytesOf(*chunks, "loss_gradient"), std::int64_t{2} * 2 * 8192 * 4096);
    for (const char* same : {"weights", "activations.mlp_gate", "buckets"}) QCOMPARE(bytesOf(*chunks, same), bytesOf(*whole, same));
    // More chunks than tokens are as many as tokens.
    text["model"]["seq"] = 128;
    text["layout"]["lossChunks"] = 65536;
    const auto most = makePlan(*parseWorkspace(text.dump(), "."));
    QCOMPARE(bytesOf(*most, "logits"), std::int64_t{2} * 128256);
    text["layout"]["lossChunks"] = 0;
    QVERIFY(!parseWorkspace(text.dump(), ".").hasValue());
}

void TstLevers::lossInChunksIsNeverIgnoredSilently_data()
{
    QTest::addColumn<QString>("framework");
    QTest::addColumn<bool>("told");
    for (const char* framework : {"stagecraft", "megatron"}) QTest::newRow(framework) << QString::fromLatin1(framework) << true;
    for (const char* framework : {"deepspeed", "fsdp2"}) QTest::newRow(framework) << QString::fromLatin1(framework) << false;
}

void TstLevers::lossInChunksIsNeverIgnoredSilently()
{
    QFETCH(QString, framework);
    QFETCH(bool, told);
    json text = workspaceJson(framework.toStdString(), 2, 1);
    text["layout"]["lossChunks"] = 4;
    const auto plan = makePlan(*parseWorkspace(text.dump(), "."));
    QCOMPARE(std::any_of(plan->findings.begin(), plan->findings.end(), [](const PlanFinding& f) { return f.rule == "plan.loss_chunks"; }), told);
}

void TstLevers::noneWithoutALedger()
{
    const auto workspace = parseWorkspace(R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "layout": {"tp": 2}, "hardware": {"devicesPerNode": 2}})", ".");
    const auto plan = makePlan(*workspace);
    QVERIFY(!plan->ledger);
    QVERIFY(planLevers(*workspace, *plan).empty());
}

void TstLevers::patternsAreFilledInOrder()
{
    QCOMPARE(fillPattern("{} of {}", {"a {}", "b"}), std::string("a {} of b"));
    QCOMPARE(fillPattern("{} {}", {"a"}), std::string("a {}"));
    QCOMPARE(fillPattern("none", {"a"}), std::string("none"));
    const PlanFinding finding = makeFinding("plan.layout.heads", "error", "/layout/tp", "{} heads", {"7"});
    QCOMPARE(finding.rule, std::string("plan.layout"));
    QCOMPARE(finding.message, std::string("7 heads"));
    QCOMPARE(makeFinding("plan.memory", "error", "", "x").rule, std::string("plan.memory"));
}

void TstLevers::sharedPlansAreThoseMadeAlone_data()
{
    QTest::addColumn<QString>("framework");
    QTest::addColumn<int>("stage");
    for (const char* framework : {"deepspeed", "stagecraft", "fsdp2", "megatron"})
        for (const int stage : {0, 2, 3}) QTest::addRow("%s, stage %d", framework, stage) << QString::fromLatin1(framework) << stage;
}

// A plan is taken for another's only where every section that a plan reads is alike.
void TstLevers::sharedPlansAreThoseMadeAlone()
{
    QFETCH(QString, framework);
    QFETCH(int, stage);
    const json whole = workspaceJson(framework.toStdString(), stage, 2);
    SharedPlans plans(kContext);
    std::vector<json> texts{whole};
    const auto changed = [&](const char* pointer, const json& value) {
        texts.push_back(whole);
        texts.back()[json::json_pointer(pointer)] = value;
    };
    changed("/dsConfig/zero_optimization/stage", stage == 3 ? 1 : stage + 1);
    changed("/dsConfig/zero_optimization/offload_optimizer/device", "cpu");
    changed("/layout/recompute", "full");
    changed("/layout/lossChunks", 4);
    changed("/hardware/device", "A100-SXM-40GB");
    changed("/hardware/hostMemoryGiB", 64);
    changed("/model/seq", 2048);
    changed("/launch/launcher", "transformers");
    changed("/training/steps", 7);
    changed("/framework/arguments/ac", "full");
    for (int round = 0; round < 2; ++round)
        for (const json& text : texts) {
            const auto w = parseWorkspace(text.dump(), {});
            QVERIFY2(w.hasValue(), text.dump().c_str());
            const auto alone = makePlan(*w, kContext);
            const auto shared = plans.of(*w);
            QVERIFY(alone.hasValue() && shared->hasValue());
            QCOMPARE(planToJson(**shared).dump(), planToJson(*alone).dump());
        }
    QCOMPARE(plans.made(), texts.size());
    // The advice and the levers of shared plans are those of their own, and ask for fewer.
    const Workspace w = parseWorkspace(whole.dump(), {}).value();
    const auto alone = advise(w, kContext, {}, AdviceDepth::Tree);
    SharedPlans fresh(kContext);
    const Plan now = **fresh.of(w);
    const auto levers = planLevers(w, now, fresh);
    const std::size_t before = fresh.made();
    const auto advice = advise(w, fresh, {}, AdviceDepth::Tree);
    QCOMPARE(advice.hasValue(), alone.hasValue());
    if (alone.hasValue()) QCOMPARE(adviceToJson(*advice, w).dump(), adviceToJson(*alone, w).dump());
    QCOMPARE(leversToJson(levers, w).dump(), leversToJson(planLevers(w, now, kContext), w).dump());
    const std::size_t all = fresh.made();
    QVERIFY(all >= before);
    QVERIFY(advise(w, fresh, {}, AdviceDepth::Tree).hasValue() == alone.hasValue());
    QCOMPARE(fresh.made(), all);
}

// Where the norms are whole on every rank, dividing them saves memory and time: it comes before recomputation.
void TstLevers::sequenceParallelismOfMegatron()
{
    json w = workspaceJson("megatron", 1, 1);
    w["model"] = {{"preset", "llama-3.1-70b"}, {"seq", 8192}};
    w["hardware"]["nodes"] = 4;
    w["layout"] = {{"dp", 1}, {"tp", 8}, {"pp", 4}};
    w["framework"]["arguments"]["global-batch-size"] = 16;
    const auto of = [](const json& document) {
        const auto workspace = parseWorkspace(document.dump(), {});
        const auto plan = makePlan(*workspace, kContext);
        return planLevers(*workspace, *plan, kContext);
    };
    const auto isIt = [](const Lever& lever) { return lever.id == "sequence_parallel"; };
    const std::vector<Lever> levers = of(w);
    QVERIFY(!levers.empty() && isIt(levers.front()) && levers.front().memoryChange < 0);
    w["framework"]["arguments"]["sequence-parallel"] = true;
    const std::vector<Lever> on = of(w);
    QVERIFY(std::none_of(on.begin(), on.end(), isIt));
}

void TstLevers::aHostThatIsShortNeedsNoRoomOnDevices()
{
    const auto of = [](int host) {
        json w = workspaceJson("deepspeed", 3, 1);
        w["hardware"]["hostMemoryGiB"] = host;
        w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        w["layout"]["recompute"] = "full";
        const auto workspace = parseWorkspace(w.dump(), {});
        const auto plan = makePlan(*workspace, kContext);
        return std::pair(plan->fit->verdict, planLevers(*workspace, *plan, kContext));
    };
    const auto [fits, some] = of(1024);
    QVERIFY(fits == Fit::Verdict::Yes && std::any_of(some.begin(), some.end(), [](const Lever& lever) { return lever.id == "loss_chunks"; }));
    const auto [lacks, none] = of(48);
    QVERIFY(lacks == Fit::Verdict::No && std::none_of(none.begin(), none.end(), [](const Lever& lever) { return lever.fit->verdict != Fit::Verdict::Yes; }));
}

void TstLevers::microBatchesAreHalvedUntilTheyFit()
{
    const auto halved = [](int micro, const char* device) {
        json w = workspaceJson("deepspeed", 1, micro);
        w["hardware"]["device"] = device;
        w["model"]["seq"] = 4096;
        w["model"]["preset"] = "llama-3.2-3b";
        const auto workspace = parseWorkspace(w.dump(), {});
        const auto plan = makePlan(*workspace, kContext);
        const auto levers = planLevers(*workspace, *plan, kContext);
        const auto found = std::find_if(levers.begin(), levers.end(), [](const Lever& lever) { return lever.id == "micro_halved"; });
        return found == levers.end() ? std::string() : std::to_string(found->before) + " to " + std::to_string(found->after) + ": " + leverPhrase(*found).pattern + (found->fit->verdict == Fit::Verdict::Yes ? ", fits" : "");
    };
    // Of 16 samples two fit 80 GB, and eight 288 GB.
    QCOMPARE(halved(16, "H100-SXM-80GB"), std::string("16 to 2: micro-batch {} → {}, {} times the accumulation, fits"));
    for (const char* framework : {"megatron", "fsdp2"}) {
        json w = workspaceJson(framework, 1, 16);
        w["model"]["preset"] = "llama-3.2-3b";
        if (framework == std::string("fsdp2")) w["framework"]["arguments"]["global_batch"] = 16 * 4 * 8;
        const auto workspace = parseWorkspace(w.dump(), {});
        const auto levers = planLevers(*workspace, *makePlan(*workspace, kContext), kContext);
        const auto found = std::find_if(levers.begin(), levers.end(), [](const Lever& lever) { return lever.id == "micro_halved"; });
        QVERIFY2(found != levers.end() && found->fit->verdict == Fit::Verdict::Yes && found->changes.size() == 1, framework);
    }
    QCOMPARE(halved(16, "B300-SXM-288GB"), std::string("16 to 8: micro-batch {} → {}, twice the accumulation, fits"));
}

QTEST_GUILESS_MAIN(TstLevers)
#include "tst_levers.moc"
