// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_variants.h"

#include "planner/advisor.h"
#include "planner/ds_settings.h"
#include "planner/framework_branches.h"
#include "planner/shared_plans.h"
#include "planner/swap_folders.h"

#include <QCoreApplication>

#include <array>
#include <utility>

namespace stagecraft::app {

namespace {

struct VariantWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::VariantWords)
};

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
    ZeroChoice{Id::Stage3Cpu, 3, OffloadDevice::Cpu, OffloadDevice::Cpu},          ZeroChoice{Id::Stage3NvmeOptimizer, 3, OffloadDevice::Nvme, OffloadDevice::None},
    ZeroChoice{Id::Stage3Nvme, 3, OffloadDevice::Nvme, OffloadDevice::Nvme},
};

constexpr std::array kOthers{std::pair{"replicated", Id::Replicated}, std::pair{"distributed", Id::Distributed}, std::pair{"distributed_sequence", Id::DistributedSequence},
                             std::pair{"distributed_selective", Id::DistributedSelective}, std::pair{"distributed_recompute", Id::DistributedRecompute},
                             std::pair{"distributed_sequence_selective", Id::DistributedSequenceSelective}, std::pair{"distributed_sequence_recompute", Id::DistributedSequenceRecompute},
                             std::pair{"sharded", Id::Sharded}, std::pair{"sharded_selective", Id::ShardedSelective}, std::pair{"sharded_recompute", Id::ShardedRecompute},
                             std::pair{"sharded_offload", Id::ShardedOffload}, std::pair{"sharded_offload_recompute", Id::ShardedOffloadRecompute}};

void planVariant(PlanVariant& variant, const std::string& text, const std::filesystem::path& folder, SharedPlans& plans)
{
    const auto workspace = parseWorkspace(withEdits(text, variant.edits), folder);
    if (!workspace.hasValue()) {
        variant.refused = PlanFinding{"workspace", "error", {}, workspace.error().message};
        return;
    }
    if (const auto made = plans.of(*workspace); made->hasValue()) {
        variant.plan = **made;
        addSwapFolders(*workspace, plans.context(), *variant.plan);
    }
}

}  // namespace

std::vector<PlanVariant> variantsOf(const Workspace& w)
{
    std::vector<PlanVariant> variants;
    for (FrameworkBranch& branch : frameworkBranches(w))
        for (const auto& [name, id] : kOthers)
            if (branch.id == name)
                variants.push_back({id, std::move(branch.edits), branch.chosen, {}, {}, {}});
    if (variants.empty()) {
        std::vector<PlanFinding> unread;
        const DsSettings now = readDsSettings(w, 0, unread);
        for (const ZeroChoice& choice : kZero)
            variants.push_back({choice.id, zeroEdits(w, choice.stage, choice.optimizer, choice.param),
                                now.stage == choice.stage && now.offloadOptimizer == choice.optimizer && now.offloadParam == choice.param, {}, {}, {}});
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
        if (variant.chosen)
            variant.plan = now;
        else
            planVariant(variant, text, folder, plans);
        if (variant.plan && !variant.plan->ledger)
            for (const PlanFinding& finding : variant.plan->findings)
                if (finding.severity == "error")
                    variant.refused = finding;
    }
}

void relieveVariants(std::vector<PlanVariant>& variants, const Advice& advice, const Workspace& w, const std::string& text, const std::filesystem::path& folder, SharedPlans& plans)
{
    if (!advice.chosen || advice.framework != w.framework.name || !advice.precision.empty() || advice.options.size() != variants.size() || !advice.options[*advice.chosen].relief)
        return;
    PlanVariant& variant = variants[*advice.chosen];
    variant.relief = advice.options[*advice.chosen].relief;
    variant.edits.insert(variant.edits.end(), variant.relief->edits.begin(), variant.relief->edits.end());
    if (!variant.chosen)
        planVariant(variant, text, folder, plans);
}

QString reliefWords(const BranchRelief& relief)
{
    const QString micro = QString::number(relief.microBatch);
    if (relief.microBatch == 0)
        return VariantWords::tr("with activation checkpointing");
    return relief.recompute ? VariantWords::tr("with activation checkpointing and a micro-batch of %1").arg(micro) : VariantWords::tr("with a micro-batch of %1").arg(micro);
}

QString plannedName(const PlanVariant& variant)
{
    QString name = variantName(variant.id);
    if (!variant.relief || variant.chosen)
        return name;
    if (variant.relief->recompute)
        name = VariantWords::tr("%1 + recompute").arg(name);
    return variant.relief->microBatch > 0 ? VariantWords::tr("%1, micro %2").arg(name).arg(variant.relief->microBatch) : name;
}

QString variantName(Id id)
{
    switch (id) {
    case Id::Stage0: case Id::Stage1: case Id::Stage2: case Id::Stage3: return VariantWords::tr("Stage %1").arg(static_cast<int>(id));
    case Id::Stage2CpuOptimizer: return VariantWords::tr("2 + offload");
    case Id::Stage3CpuOptimizer: return VariantWords::tr("3 + offload");
    case Id::Stage3Cpu: return VariantWords::tr("3 + all to CPU");
    case Id::Stage3NvmeOptimizer: return VariantWords::tr("3 + NVMe optimizer");
    case Id::Stage3Nvme: return VariantWords::tr("3 + all to NVMe");
    case Id::Replicated: return VariantWords::tr("Replicated");
    case Id::Distributed: return VariantWords::tr("Distributed");
    case Id::DistributedRecompute: case Id::ShardedRecompute: return VariantWords::tr("+ recompute");
    case Id::DistributedSelective: case Id::ShardedSelective: return VariantWords::tr("+ selective");
    case Id::DistributedSequence: return VariantWords::tr("+ sequence");
    case Id::DistributedSequenceSelective: return VariantWords::tr("+ SP, selective");
    case Id::DistributedSequenceRecompute: return VariantWords::tr("+ SP, recompute");
    case Id::ShardedOffload: return VariantWords::tr("On the host");
    case Id::ShardedOffloadRecompute: return VariantWords::tr("Host + recompute");
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
    case Id::Stage3NvmeOptimizer: return VariantWords::tr("Keep the optimizer on NVMe?");
    case Id::Stage3Nvme: return VariantWords::tr("Keep all states on NVMe?");
    case Id::Distributed: return VariantWords::tr("Distribute the optimizer?");
    case Id::DistributedRecompute: case Id::ShardedRecompute: return VariantWords::tr("Recompute the activations?");
    case Id::DistributedSelective: case Id::ShardedSelective: return VariantWords::tr("Recompute some of the activations?");
    case Id::DistributedSequence: return VariantWords::tr("Add sequence parallelism?");
    case Id::DistributedSequenceSelective: return VariantWords::tr("With it, recompute some activations?");
    case Id::DistributedSequenceRecompute: return VariantWords::tr("With it, recompute the activations?");
    case Id::ShardedOffload: return VariantWords::tr("Keep the shards on the host?");
    case Id::ShardedOffloadRecompute: return VariantWords::tr("And recompute the activations?");
    case Id::Sharded: return VariantWords::tr("Is it small enough in shards?");
    }
    return {};
}

}  // namespace stagecraft::app
