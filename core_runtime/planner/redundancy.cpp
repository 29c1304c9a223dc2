// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/redundancy.h"

#include "planner/ds_settings.h"
#include "planner/model_shape.h"
#include "planner/model_states.h"
#include "planner/training_case.h"
#include "planner/workspace_model.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

/// States of one rank, those on the host and in files included. The buffers they pass through are added apart.
double statesOf(const DsSettings& settings, const StateInput& held)
{
    LedgerBuilder builder("states", static_cast<std::int64_t>(held.ranks));
    addModelStates(builder, settings, held);
    const LedgerRole role = std::move(builder).finish({"step"}, [](std::int64_t allocated) { return allocated; }, 0);
    double states = 0;
    for (const LedgerItem& item : role.items) states += static_cast<double>(item.bytes);
    return states;
}

// Parameters of the routed experts of all layers.
double expertsOf(const ModelShape& m) { return m.experts > 0 ? static_cast<double>(m.layers - m.denseLayers) * static_cast<double>(m.layerExperts) : 0.0; }

nlohmann::json copiesToJson(const StateCopies& copies)
{
    return {{"perRank", copies.perRank}, {"cluster", copies.cluster}, {"distinct", copies.distinct}, {"duplicate", copies.duplicate()}};
}

}  // namespace

std::optional<Redundancy> redundancyOf(const Workspace& w)
{
    std::vector<PlanFinding> findings;
    if (!layoutIsPossible(w, findings) || !adapterIsPlanned(w, findings)) return std::nullopt;
    const CountedModel model = countWorkspaceModel(w, findings);
    // Frozen weights have no states: what adapters duplicate is another count. FSDP2 and Megatron divide by words of their own.
    if (!model.params || w.model.trainsPart() || w.framework.name == "fsdp2" || w.framework.name == "megatron") return std::nullopt;
    const double phi = static_cast<double>(*model.params);
    const double ranks = static_cast<double>(w.layout.ranks()), perNode = static_cast<double>(w.hardware.devicesPerNode);
    DsSettings own = readDsSettings(w, model.shape ? model.shape->hidden : 0, findings);
    if (w.framework.name == "deepspeed") own.stage = statesDividedFrom(own, w.layout.pp);
    DsSettings whole = own;
    whole.stage = 0;
    whole.offloadOptimizer = whole.offloadParam = OffloadDevice::None;

    Redundancy r;
    r.plain.perRank = statesOf(whole, {phi, ranks, perNode});
    r.plain.cluster = ranks * r.plain.perRank;
    r.plain.distinct = r.plain.perRank;
    r.bytesPerParameter = phi > 0 ? r.plain.perRank / phi : 0;
    r.plainAsTold = {8 * phi, 8 * phi * ranks, 8 * phi};
    const double replicas = static_cast<double>(w.layout.dp) * w.layout.cp;
    const double slices = static_cast<double>(w.layout.tp) * static_cast<double>(w.layout.pp);
    // Experts that are divided lie on fewer ranks, and fewer share theirs.
    const double ep = model.shape && model.shape->experts > 0 ? static_cast<double>(std::max(1, w.layout.ep)) : 1;
    StateInput held{phi / slices, replicas, perNode};
    if (ep > 1) {
        held.experts = expertsOf(*model.shape) / slices / ep;
        held.params += held.experts * (1 - ep);
        held.expertRanks = std::max(1.0, replicas / ep);
    }
    DsSettings divided = own;
    // Nothing twice: as stage 3 divides everything.
    divided.stage = 3;
    if (own.stage < 1) divided.offloadOptimizer = OffloadDevice::None;
    if (own.stage < 3) divided.offloadParam = OffloadDevice::None;
    const bool copied = w.framework.name != "stagecraft" && own.stage == 3 && own.micsShard > 0 && std::fmod(replicas, static_cast<double>(own.micsShard)) == 0;
    StateInput shared = held;
    if (copied) shared.ranks = static_cast<double>(own.micsShard);
    if (copied) shared.expertRanks = std::max(1.0, std::floor(shared.ranks / ep));
    r.plan.perRank = statesOf(own, shared);
    // ZeRO++ keeps the weights once more in each group of hpZ.
    if (w.framework.name != "stagecraft" && own.stage == 3 && own.hpzPartition > 1 && replicas > 1) r.plan.perRank += (own.precision == Precision::Fp32 ? 4 : 2) * held.params / std::min(static_cast<double>(own.hpzPartition), replicas);
    const auto asTold = [&](int stage, const StateInput& among) { return 2 * (stage >= 3 ? among.divided() : among.params) + 2 * (stage >= 2 ? among.divided() : among.params) + 4 * (stage >= 1 ? among.divided() : among.params); };
    r.planAsTold.perRank = asTold(own.stage, shared);
    r.planAsTold.cluster = ranks * r.planAsTold.perRank;
    r.planAsTold.distinct = std::min(r.planAsTold.cluster, ranks * asTold(3, held));
    r.plan.cluster = ranks * r.plan.perRank;
    r.plan.distinct = std::min(r.plan.cluster, ranks * statesOf(divided, held));
    return r;
}

nlohmann::json redundancyToJson(const Redundancy& r)
{
    return {{"bytesPerParameter", r.bytesPerParameter}, {"plainDataParallel", copiesToJson(r.plain)}, {"plainDataParallelAsTutorialsCount", copiesToJson(r.plainAsTold)}, {"thisPlan", copiesToJson(r.plan)}, {"thisPlanAsTutorialsCount", copiesToJson(r.planAsTold)}};
}

}  // namespace stagecraft
