// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/init_phase.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/fit.h"
#include "planner/framework_ledger.h"
#include "planner/ledger.h"
#include "planner/parameter_groups.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr const char* kLater = "forward|backward|step|save|eval";

/// Items of all phases that are not there before the first step.
bool comesLater(const TrainingCase& c, const std::string& what)
{
    if (c.framework == Framework::DeepSpeed) return what == "gradients" || what == "secondary_weights" || what == "gradient_of_parameter";
    return what == "optimizer_states" || what == "weights_fp8";
}

/// Parameters that a rank of DeepSpeed builds in host memory before they are moved. On CPUs the model is built where it stays, quantised
/// weights are loaded straight to the device, stage 3 divides modules as they are built, and Megatron builds its part on the device.
double builtOnHost(const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    const bool onHost = c.sheet && c.sheet->id == "cpu";
    if (c.framework != Framework::DeepSpeed || c.settings.stage >= 3 || onHost || c.megatronCode || c.model.part.packed()) return 0;
    // Of what every tensor-parallel rank has a copy of there is one.
    return std::min(stageParameters(c, stage, layers).all() * static_cast<double>(c.tp), static_cast<double>(c.model.params + c.model.part.added));
}

void addDeepSpeed(LedgerRole& role, const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    const DsSettings& s = c.settings;
    const StageParameters p = stageParameters(c, stage, layers);
    const double b = c.precision == Precision::Fp32 ? 4 : 2;
    const double share = trainedElements(parameterGroups(c, stage, layers)).share;
    const auto add = [&](const char* what, Place where, double bytes, std::string why, std::string formula, std::string numbers, const char* source) {
        if (toBytes(bytes) > 0) role.items.push_back({what, where, toBytes(bytes), "init", std::move(why), std::move(formula), std::move(numbers), source});
    };
    if (const double whole = builtOnHost(c, stage, layers); whole > 0) {
        add("model_host", Place::Host, 4 * whole, "the whole model, built in host memory by every rank before it is moved to the device", "4 Φ", fmt::format("4 · {}", formatCount(toBytes(whole))),
            "deepspeed/runtime/engine.py, _configure_distributed_model; torch.get_default_dtype is fp32");
    }
    if (s.stage == 3 && !c.megatronCode) {
        const double largest = std::max({p.embedding, p.head, static_cast<double>(c.model.hidden * c.model.ffn) / static_cast<double>(c.tp)});
        add("weights_init", Place::Device, b * largest, "the largest parameter, whole while zero.Init divides it", "b · max Φ_parameter", fmt::format("{} · {:.0f}", b, largest), "deepspeed/runtime/zero/partition_parameters.py, Init");
    }
    if (s.stage >= 1 && s.offloadOptimizer == OffloadDevice::None && c.precision != Precision::Fp32 && !s.fp32Gradients) {
        const double elements = s.stage == 3 ? std::min(share, static_cast<double>(s.subGroup)) : share;
        add("gradients_init", Place::Device, 4 * elements, "gradients of zeros in fp32, with which a first step makes the moments", s.stage == 3 ? "4 · min(Φ / N, sub_group_size)" : "4 Φ / N", fmt::format("4 · {:.0f}", elements),
            s.stage == 3 ? "deepspeed/runtime/zero/stage3.py, initialize_optimizer_states" : "deepspeed/runtime/zero/stage_1_and_2.py, initialize_optimizer_states");
    }
}

}  // namespace

void addInitPhase(LedgerRole& role, const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    for (LedgerItem& item : role.items) {
        if (item.phase == "all" && comesLater(c, item.what)) item.phase = kLater;
    }
    if (c.framework == Framework::DeepSpeed) addDeepSpeed(role, c, stage, layers);
    LedgerPeak total;
    total.phase = "init";
    double sum = 0;
    for (const LedgerItem& item : role.items) {
        if (item.where == Place::Device && isAlive(item.phase, "init")) sum += static_cast<double>(item.bytes);
    }
    total.allocated = toBytes(sum);
    total.reserved = toBytes(1.05 * sum);
    total.process = total.reserved + (role.peak.process - role.peak.reserved);
    total.relative90 = role.peak.relative90;
    role.phases.insert(role.phases.begin(), std::move(total));
}

std::int64_t initHostPerNode(const std::vector<LedgerRole>& roles, std::int64_t devicesPerNode)
{
    std::vector<RanksOnHost> stages;
    for (const LedgerRole& role : roles) {
        double here = 0;
        for (const LedgerItem& item : role.items) here += item.where == Place::Host && item.phase == "init" ? static_cast<double>(item.bytes) : 0;
        stages.push_back({role.ranks, toBytes(here)});
    }
    return fullestNode(stages, devicesPerNode);
}

std::int64_t initHostPerNode(const TrainingCase& c, std::int64_t enough)
{
    const double most = 4 * static_cast<double>(c.model.params + c.model.part.added) * static_cast<double>(std::min(c.ranks(), std::max<std::int64_t>(1, c.devicesPerNode)));
    if (c.framework != Framework::DeepSpeed || c.settings.stage >= 3 || 2 * most < static_cast<double>(enough)) return 0;
    const std::int64_t ranks = c.tp * c.dp * c.cp;
    if (c.pp == 1) {
        const RanksOnHost all{ranks, toBytes(4 * builtOnHost(c, 0, c.model.layers))};
        return fullestNode(std::span(&all, 1), c.devicesPerNode);
    }
    std::vector<RanksOnHost> stages;
    const auto layers = layersOfStages(c);
    for (std::int64_t stage = 0; stage < c.pp; ++stage) stages.push_back({ranks, toBytes(4 * builtOnHost(c, stage, layers[static_cast<std::size_t>(stage)]))});
    return fullestNode(stages, c.devicesPerNode);
}

}  // namespace stagecraft
