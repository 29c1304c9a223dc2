// SPDX-License-Identifier: GPL-3.0-or-later
// When DeepSpeed is worth its while: each condition that tutorials name, held against a plan's own numbers.
#include "planner/advisor.h"
#include "planner/findings.h"

#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json on(const char* device, int nodes, int devices, const char* preset, int micro = 1)
{
    json w = document(preset, "deepspeed", 0, nodes, devices, 1);
    w["hardware"]["device"] = device;
    w["dsConfig"]["train_micro_batch_size_per_gpu"] = micro;
    return w;
}

std::string met(const json& w)
{
    const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Tree).value();
    std::string out;
    for (const Condition& c : advice.conditions) out += c.met ? c.id + " " : std::string();
    return out;
}

std::string oursOf(const json& w, const std::string& id)
{
    const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Tree).value();
    for (const Condition& c : advice.conditions)
        if (c.id == id) return fillPattern(c.ours.pattern, c.ours.args);
    return {};
}

}  // namespace

class TstDeepspeedConditions : public QObject {
    Q_OBJECT
private slots:
    void eachIsHeldAgainstThePlan()
    {
        // One device: stages divide nothing, so that nothing is saved.
        QCOMPARE(met(on("A100-SXM-80GB", 1, 1, "gpt2")), std::string("plain_enough "));
        QVERIFY(oursOf(on("A100-SXM-80GB", 1, 1, "gpt2"), "plain_enough").starts_with("it fits with "));
        // 16 bytes x 8 billion are beyond 80 GB, and eight devices share them.
        QCOMPARE(met(on("A100-SXM-80GB", 1, 8, "llama-3-8b")), std::string("states_beyond_device "));
        QVERIFY(oursOf(on("A100-SXM-80GB", 1, 8, "llama-3-8b"), "needs_offload").ends_with(" fits without"));
        QCOMPARE(met(on("A100-SXM-80GB", 2, 8, "llama-3-8b")), std::string("states_beyond_device several_nodes "));
        QCOMPARE(met(on("A100-SXM-80GB", 1, 8, "llama-2-70b")), std::string("states_beyond_device needs_offload "));
        json divided = on("A100-SXM-80GB", 1, 8, "llama-3-8b");
        divided["layout"] = {{"dp", 4}, {"tp", 2}};
        QVERIFY(met(divided).find("divided_layers") != std::string::npos);
    }

    // The verdict is the tree's: where plain data parallelism fits and a stage is both smaller and faster, it is not enough.
    void plainIsEnoughWhereTheTreeStopsThere()
    {
        for (const char* preset : {"gpt2", "gpt2-xl", "llama-3-8b"})
            for (const int micro : {1, 4})
                for (const int devices : {1, 2, 8}) {
                    const json w = on("A100-SXM-80GB", 1, devices, preset, micro);
                    const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Tree).value();
                    QCOMPARE(advice.conditions.size(), std::size_t{5});
                    QCOMPARE(advice.conditions.back().met, advice.chosen && *advice.chosen == 0 && advice.options.front().fits);
                    const json told = adviceToJson(advice, workspaceOf(w))["conditions"];
                    QCOMPARE(told.size(), std::size_t{5});
                    for (const json& c : told) QVERIFY(c["ours"].get<std::string>().find("{}") == std::string::npos);
                }
    }

    // States that fit beside activations that do not: one condition is met.
    void roomBesideTheStatesCounts()
    {
        const json w = on("H200-SXM-141GB", 1, 8, "llama-3-8b");
        const std::string conditions = met(w), ours = oursOf(w, "states_beyond_device");
        QVERIFY2(conditions == "plain_enough " || conditions == "states_beyond_device ", conditions.c_str());
        json long8 = w;
        long8["model"]["seq"] = 8192;
        long8["dsConfig"]["train_micro_batch_size_per_gpu"] = 2;
        QVERIFY2(met(long8).starts_with("states_beyond_device "), met(long8).c_str());
        QVERIFY2(oursOf(long8, "states_beyond_device").ends_with(" of it model states"), oursOf(long8, "states_beyond_device").c_str());
    }

    // Megatron-LM and FSDP2 have no stages to speak of.
    void othersHaveNone()
    {
        for (const char* framework : {"megatron", "fsdp2"}) QVERIFY(advise(workspaceOf(document("gpt2", framework, 0, 1, 8, 1)), {}, {}, AdviceDepth::Tree)->conditions.empty());
    }
};

QTEST_APPLESS_MAIN(TstDeepspeedConditions)
#include "tst_deepspeed_conditions.moc"
