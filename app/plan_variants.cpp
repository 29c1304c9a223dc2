// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_variants.h"

#include "planner/case_arguments.h"
#include "planner/ds_settings.h"
#include "planner/shared_plans.h"
#include "planner/swap_folders.h"

#include <QCoreApplication>

#include <nlohmann/json.hpp>

#include <array>

namespace stagecraft::app {

namespace {

struct VariantWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::VariantWords)
};

using nlohmann::json;
using Id = PlanVariant::Id;

struct ZeroChoice {
    Id id;
    int stage;
    OffloadDevice optimizer, param;
};

// As `advise` asks: the first that fits is the answer.
constexpr std::array kZero{
    ZeroChoice{Id::Stage0, 0, OffloadDevice::None, OffloadDevice::None},           ZeroChoice{Id::Stage1, 1, OffloadDevice::None, OffloadDevice::None},
    ZeroChoice{Id::Stage2, 2, OffloadDevice::None, OffloadDevice::None},           ZeroChoice{Id::Stage3, 3, OffloadDevice::None, OffloadDevice::None},
    ZeroChoice{Id::Stage2CpuOptimizer, 2, OffloadDevice::Cpu, OffloadDevice::None}, ZeroChoice{Id::Stage3CpuOptimizer, 3, OffloadDevice::Cpu, OffloadDevice::None},
    ZeroChoice{Id::Stage3Cpu, 3, OffloadDevice::Cpu, OffloadDevice::Cpu},          ZeroChoice{Id::Stage3Nvme, 3, OffloadDevice::Nvme, OffloadDevice::Nvme},
};

std::vector<WorkspaceEdit> recomputeEdits(const json& arguments, bool full)
{
    std::vector<WorkspaceEdit> edits{{"/layout/recompute", full ? "\"full\"" : "\"none\""}};
    for (const char* key : {"recompute-granularity", "recompute-activations", "recompute-method", "recompute-num-layers", "ac"})
        if (arguments.is_object() && arguments.contains(key))
            edits.push_back({std::string("/framework/arguments/") + key, {}});
    return edits;
}

}  // namespace

std::vector<PlanVariant> variantsOf(const Workspace& w)
{
    std::vector<PlanVariant> variants;
    const json& arguments = w.framework.arguments;
    const auto is = [&arguments](const char* key, const char* word) { return arguments.is_object() && arguments.contains(key) && arguments[key] == json(word); };
    if (w.framework.name == "megatron") {
        const bool full = is("recompute-granularity", "full") || (!arguments.contains("recompute-granularity") && w.layout.recompute == "full");
        std::vector<PlanFinding> unread;
        CaseArguments read(arguments, unread);
        const bool distributed = dividesOptimizer(read, readDsSettings(w, 0, unread));
        // Its FSDP divides by a strategy of its own.
        const bool strategy = arguments.is_object() && arguments.contains("data-parallel-sharding-strategy");
        const auto add = [&](Id id, bool sharded, bool recomputes) {
            PlanVariant v{id, {{"/framework/arguments/use-distributed-optimizer", sharded ? "true" : "false"}}, distributed == sharded && full == recomputes, {}, {}};
            if (!sharded && strategy)
                v.edits.push_back({"/framework/arguments/data-parallel-sharding-strategy", "\"no_shard\""});
            if (full != recomputes)
                for (WorkspaceEdit& edit : recomputeEdits(arguments, recomputes))
                    v.edits.push_back(std::move(edit));
            variants.push_back(std::move(v));
        };
        add(Id::Replicated, false, false);
        add(Id::Distributed, true, false);
        add(Id::DistributedRecompute, true, true);
    } else if (w.framework.name == "fsdp2") {
        const bool full = is("ac", "full") || (!arguments.contains("ac") && w.layout.recompute == "full");
        variants.push_back({Id::Sharded, recomputeEdits(arguments, false), !full, {}, {}});
        variants.push_back({Id::ShardedRecompute, recomputeEdits(arguments, true), full, {}, {}});
    } else {
        std::vector<PlanFinding> unread;
        const DsSettings now = readDsSettings(w, 0, unread);
        for (const ZeroChoice& choice : kZero)
            variants.push_back({choice.id, zeroEdits(w, choice.stage, choice.optimizer, choice.param),
                                now.stage == choice.stage && now.offloadOptimizer == choice.optimizer && now.offloadParam == choice.param, {}, {}});
    }
    return variants;
}

void planVariants(std::vector<PlanVariant>& variants, const std::string& text, const std::filesystem::path& folder, const Plan& now, const PlanContext& context)
{
    SharedPlans plans(context);
    planVariants(variants, text, folder, now, plans);
}

void planVariants(std::vector<PlanVariant>& variants, const std::string& text, const std::filesystem::path& folder, const Plan& now, SharedPlans& plans)
{
    for (PlanVariant& variant : variants) {
        if (variant.chosen) {
            variant.plan = now;
        } else if (const auto workspace = parseWorkspace(withEdits(text, variant.edits), folder); workspace.hasValue()) {
            if (const auto made = plans.of(*workspace); made->hasValue()) {
                variant.plan = **made;
                addSwapFolders(*workspace, plans.context(), *variant.plan);
            }
        } else {
            variant.refused = PlanFinding{"workspace", "error", {}, workspace.error().message};
        }
        if (variant.plan && !variant.plan->ledger)
            for (const PlanFinding& finding : variant.plan->findings)
                if (finding.severity == "error")
                    variant.refused = finding;
    }
}

QString variantName(Id id)
{
    switch (id) {
    case Id::Stage0: case Id::Stage1: case Id::Stage2: case Id::Stage3: return VariantWords::tr("Stage %1").arg(static_cast<int>(id));
    case Id::Stage2CpuOptimizer: return VariantWords::tr("2 + offload");
    case Id::Stage3CpuOptimizer: return VariantWords::tr("3 + offload");
    case Id::Stage3Cpu: return VariantWords::tr("3 + all to CPU");
    case Id::Stage3Nvme: return VariantWords::tr("3 + NVMe");
    case Id::Replicated: return VariantWords::tr("Replicated");
    case Id::Distributed: return VariantWords::tr("Distributed");
    case Id::DistributedRecompute: case Id::ShardedRecompute: return VariantWords::tr("+ recompute");
    case Id::Sharded: return VariantWords::tr("Sharded");
    }
    return {};
}

QString variantQuestion(Id id, bool onGpus)
{
    switch (id) {
    case Id::Stage0: case Id::Replicated: return onGpus ? VariantWords::tr("Do all model states fit on one GPU?") : VariantWords::tr("Does every rank hold a full copy?");
    case Id::Stage1: return VariantWords::tr("Shard the optimizer states?");
    case Id::Stage2: return VariantWords::tr("Shard the gradients too?");
    case Id::Stage3: return VariantWords::tr("Shard the weights too?");
    case Id::Stage2CpuOptimizer: return VariantWords::tr("Offload the optimizer to the CPU?");
    case Id::Stage3CpuOptimizer: return VariantWords::tr("Both: shard weights, offload?");
    case Id::Stage3Cpu: return VariantWords::tr("Offload the weights as well?");
    case Id::Stage3Nvme: return VariantWords::tr("Keep the states on NVMe?");
    case Id::Distributed: return VariantWords::tr("Distribute the optimizer?");
    case Id::DistributedRecompute: case Id::ShardedRecompute: return VariantWords::tr("Recompute the activations?");
    case Id::Sharded: return VariantWords::tr("Is it small enough in shards?");
    }
    return {};
}

}  // namespace stagecraft::app
