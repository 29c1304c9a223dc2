// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/engine_work.h"

#include "planner/ds_settings.h"
#include "workspace/workspace.h"

#include <algorithm>

namespace stagecraft {

namespace {

EngineWork countProgram(const Program& program, const std::vector<UnitInfo>& units, const EngineConfig& config, int world)
{
    EngineWork work;
    work.samples = static_cast<double>(config.microBatch);
    const double hops = world > 1 ? static_cast<double>(world - 1) / static_cast<double>(world) : 0.0;
    const double weight = config.precision == Precision::Fp32 ? 4 : 2;
    for (const Op& op : program.ops) {
        const auto kind = op.unit >= 0 ? static_cast<std::size_t>(units[static_cast<std::size_t>(op.unit)].kind) : 0;
        const double elements = static_cast<double>(op.elements);
        switch (op.kind) {
        case OpKind::LoadBatch: work.loads += 1; break;
        case OpKind::Forward: (op.recompute ? work.recomputed : work.forward[kind]) += 1; break;
        case OpKind::BackwardWeight: work.backward[kind] += 1; break;  // an embedding has no other; the others' comes right before
        case OpKind::Gather: work.weightBytes += hops * weight * elements; break;
        case OpKind::ReduceScatter: work.gradientBytes += hops * 4 * elements; break;
        case OpKind::AllReduce:
            if (op.unit >= 0) work.gradientBytes += 2 * hops * 4 * elements;
            break;
        case OpKind::OptimizerStep: work.updated += elements; break;
        default: break;
        }
    }
    return work;
}

/// a + times * (b - a), field by field.
EngineWork extended(const EngineWork& a, const EngineWork& b, double times)
{
    const auto on = [&](double from, double to) { return from + times * (to - from); };
    EngineWork work = a;
    for (std::size_t kind = 0; kind < kUnitKinds; ++kind) {
        work.forward[kind] = on(a.forward[kind], b.forward[kind]);
        work.backward[kind] = on(a.backward[kind], b.backward[kind]);
    }
    work.recomputed = on(a.recomputed, b.recomputed);
    work.loads = on(a.loads, b.loads);
    work.updated = on(a.updated, b.updated);
    work.weightBytes = on(a.weightBytes, b.weightBytes);
    work.gradientBytes = on(a.gradientBytes, b.gradientBytes);
    return work;
}

}  // namespace

std::optional<EngineJob> engineJobOf(const Workspace& workspace, const DsSettings& settings)
{
    const LayoutSection& layout = workspace.layout;
    const auto recompute = recomputeFromWord(layout.recompute);
    const bool offloads = settings.offloadOptimizer != OffloadDevice::None || settings.offloadParam != OffloadDevice::None;
    if (workspace.framework.name != "stagecraft" || !workspace.model.spec || workspace.model.trainsPart() || workspace.hardware.device != "cpu" || offloads || !recompute.hasValue()) return std::nullopt;
    if (layout.tp != 1 || layout.pp != 1 || layout.cp != 1 || layout.dp < 1) return std::nullopt;
    return EngineJob{*workspace.model.spec, engineConfigOf(settings), layout.dp, *recompute, workspace.launch.threadsPerRank};
}

Result<EngineWork> engineWorkOf(const EngineJob& job)
{
    const std::vector<UnitInfo> units = unitsOf(job.model);
    const auto count = [&](std::int64_t accumulation) -> Result<EngineWork> {
        EngineConfig part = job.config;
        part.accumulation = accumulation;
        const Result<Schedule> schedule = compileSchedule(job.model, part, job.world, job.recompute);
        if (!schedule.hasValue()) return schedule.error();
        return countProgram(schedule->programs.front(), units, part, job.world);
    };
    // From the third micro-step on (first, middle, last) each adds the same: no need to compile thousands.
    const std::int64_t all = std::max<std::int64_t>(job.config.accumulation, 1);
    auto most = count(std::min<std::int64_t>(all, 3));
    if (!most.hasValue() || all <= 3) return most;
    const auto less = count(2);
    if (!less.hasValue()) return less;
    return extended(*less, *most, static_cast<double>(all - 2));
}

}  // namespace stagecraft
