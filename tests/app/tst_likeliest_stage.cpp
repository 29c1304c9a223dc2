// SPDX-License-Identifier: GPL-3.0-or-later
// The stage that follows a choice of model or hardware: the first that fits, else the likeliest, else all shards.
#include "app/layout_edits.h"
#include "app/plan_service.h"
#include "app/plan_variants.h"
#include "app/subject_edits.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace stagecraft;
using namespace stagecraft::app;
using nlohmann::json;

class TstLikeliestStage : public QObject {
    Q_OBJECT
private slots:
    void followsTheTree()
    {
        constexpr double kNoDifference = 0.005;
        int sure = 0, sureAfterPerhaps = 0, likeliest = 0, notTheFirst = 0, none = 0;
        for (const char* device : {"A100-SXM-80GB", "A100-SXM-40GB", "RTX-4090", "V100-SXM2-16GB"})
            for (const char* model : {"llama-3-8b", "llama-2-13b", "llama-3.2-3b", "llama-3-70b"})
                for (const int seq : {2048, 4096, 8192}) {
                    const json w = {{"stagecraft", 1}, {"model", {{"preset", model}, {"seq", seq}}}, {"hardware", {{"devicesPerNode", 8}, {"device", device}, {"hostMemoryGiB", 128}}}, {"layout", {{"dp", 8}}}, {"framework", {{"name", "deepspeed"}}},
                                    {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 2}}}}}};
                    const std::string text = w.dump();
                    const auto read = parseWorkspace(text, {});
                    QVERIFY2(read.hasValue(), text.c_str());
                    // What each branch comes to, planned on its own.
                    std::optional<std::size_t> firstSure, best, firstPerhaps;
                    std::vector<double> odds;
                    const auto variants = variantsOf(*read);
                    for (std::size_t i = 0; i < variants.size(); ++i) {
                        const auto plan = makePlan(parseWorkspace(withEdits(text, variants[i].edits), {}).value(), machineContext());
                        QVERIFY(plan.hasValue());
                        const bool judged = plan->ledger && plan->fit;
                        odds.push_back(judged && plan->fit->verdict != Fit::Verdict::No ? plan->fit->probability : 0);
                        if (judged && plan->fit->verdict == Fit::Verdict::Yes && !firstSure) firstSure = i;
                        if (judged && plan->fit->verdict == Fit::Verdict::Unsure) {
                            if (!firstPerhaps) firstPerhaps = i;
                            if (!best || odds[i] > odds[*best] + kNoDifference) best = i;
                        }
                    }
                    const auto stage3 = std::find_if(variants.begin(), variants.end(), [](const PlanVariant& v) { return v.id == PlanVariant::Id::Stage3; });
                    const PlanVariant& expected = firstSure ? variants[*firstSure] : best ? variants[*best] : *stage3;
                    const auto edits = withStage({text, {}, std::nullopt, true}, {});
                    QCOMPARE(withEdits(text, edits), withEdits(text, expected.edits));
                    // Nobody's stage changes who did not leave it to us.
                    QVERIFY(withStage({text, {}, std::nullopt, false}, {}).empty());
                    sure += firstSure.has_value();
                    sureAfterPerhaps += firstSure && firstPerhaps && *firstPerhaps < *firstSure;
                    likeliest += !firstSure && best;
                    notTheFirst += !firstSure && best && best != firstPerhaps;
                    none += !firstSure && !best;
                }
        qInfo("sure %d, of them after a perhaps %d; likeliest %d, of them not the first %d; none %d", sure, sureAfterPerhaps, likeliest, notTheFirst, none);
        QVERIFY(sure > 0 && sureAfterPerhaps > 0 && likeliest > 0 && none > 0);
    }
};

QTEST_GUILESS_MAIN(TstLikeliestStage)
#include "tst_likeliest_stage.moc"
