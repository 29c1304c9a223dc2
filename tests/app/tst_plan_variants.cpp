// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of the decision tree are the plans that choosing them makes.
#include "app/plan_variants.h"

#include "workspace/workspace.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace stagecraft;
using namespace stagecraft::app;
using nlohmann::json;

namespace {

json megatron(int stage, const json& arguments)
{
    return {{"stagecraft", 1}, {"model", {{"preset", "qwen2.5-7b"}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", 4}, {"tp", 2}}},
            {"framework", {{"name", "megatron"}, {"arguments", arguments}}},
            {"dsConfig", {{"train_micro_batch_size_per_gpu", 3}, {"gradient_accumulation_steps", 1}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}}}};
}

std::int64_t peakOf(const Plan& plan)
{
    std::int64_t most = 0;
    for (const LedgerRole& role : *plan.ledger) most = std::max(most, role.peak.process);
    return most;
}

}  // namespace

class TstPlanVariants : public QObject {
    Q_OBJECT
private slots:
    // Megatron's optimizer is divided where the ds_config's stage says so and its own arguments nothing: that is no replicated one.
    void megatronsTreeIsItsPlan_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("divided");
        const auto row = [](const char* name, const json& w, bool divided) { QTest::newRow(name) << QString::fromStdString(w.dump()) << divided; };
        row("by the stage", megatron(1, json::object()), true);
        row("by no stage", megatron(0, json::object()), false);
        row("by its argument", megatron(0, {{"use-distributed-optimizer", true}}), true);
        row("against the stage", megatron(1, {{"use-distributed-optimizer", false}}), false);
        row("by its FSDP", megatron(0, {{"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", "optim"}}), true);
    }
    void megatronsTreeIsItsPlan()
    {
        QFETCH(QString, text);
        QFETCH(bool, divided);
        const auto w = parseWorkspace(text.toStdString(), {});
        QVERIFY(w.hasValue());
        const auto now = makePlan(*w);
        QVERIFY(now.hasValue() && now->ledger);
        auto variants = variantsOf(*w);
        planVariants(variants, text.toStdString(), {}, *now, {});
        const PlanVariant *replicated = nullptr, *distributed = nullptr;
        for (const PlanVariant& variant : variants) {
            if (variant.id == PlanVariant::Id::Replicated) replicated = &variant;
            if (variant.id == PlanVariant::Id::Distributed) distributed = &variant;
        }
        QVERIFY(replicated && distributed && replicated->plan && distributed->plan);
        QCOMPARE(distributed->chosen, divided);
        QCOMPARE(replicated->chosen, !divided);
        QVERIFY(peakOf(*replicated->plan) > peakOf(*distributed->plan) + 5'000'000'000);
        for (const PlanVariant* one : {replicated, distributed}) {
            const auto applied = parseWorkspace(withEdits(text.toStdString(), one->edits), {});
            QVERIFY(applied.hasValue());
            QCOMPARE(peakOf(*makePlan(*applied)), peakOf(*one->plan));
        }
    }
};

QTEST_GUILESS_MAIN(TstPlanVariants)
#include "tst_plan_variants.moc"
