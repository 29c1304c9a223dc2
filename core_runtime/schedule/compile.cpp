// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/compile.h"

#include "parallel/flat_layout.h"
#include "schedule/leases.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft {

namespace {

/// One stop of the compute thread on its way through the step.
struct Visit {
    int unit = 0;
    int microStep = 0;
    bool backward = false;
};

class Compiler {
public:
    Compiler(const ModelSpec& spec, const EngineConfig& config, int world, Recompute recompute)
        : m_spec(spec), m_config(config), m_world(world), m_recompute(recompute), m_units(unitsOf(spec))
    {
        for (const UnitInfo& unit : m_units) m_padded.push_back(flatLayoutOf(unit, world).padded);
        m_gathered.assign(m_units.size(), -1);
        m_released.assign(m_units.size(), -1);
        m_reduced.assign(m_units.size(), -1);
        m_stage = world == 1 ? 0 : config.zeroStage;
    }

    Program compile()
    {
        const int units = static_cast<int>(m_units.size());
        for (int micro = 0; micro < m_config.accumulation; ++micro) {
            for (int unit = 0; unit < units; ++unit) m_visits.push_back({unit, micro, false});
            for (int unit = units - 1; unit >= 0; --unit) m_visits.push_back({unit, micro, true});
        }
        for (std::size_t v = 0; v < m_visits.size(); ++v) compileVisit(v);
        finishStep();
        // A leased gradient buffer is written again only after its last reduction has ended.
        const LeasePlan leases = leasePlanOf(m_program, m_spec, m_config, m_world);
        for (std::size_t id = 0; id < m_program.ops.size(); ++id)
            if (leases.freedBy[id] >= 0) m_program.ops[id].after.push_back(leases.freedBy[id]);
        return std::move(m_program);
    }

private:
    int head() const { return static_cast<int>(m_units.size()) - 1; }
    bool resident(int unit) const { return isResident(m_config, m_world, m_padded[static_cast<std::size_t>(unit)]); }

    int add(OpKind kind, int unit, int micro, std::vector<std::int32_t> after, std::int64_t elements = 0, bool recompute = false)
    {
        std::erase_if(after, [](std::int32_t id) { return id < 0; });
        std::sort(after.begin(), after.end());
        after.erase(std::unique(after.begin(), after.end()), after.end());
        Op op;
        op.kind = kind;
        op.unit = unit;
        op.microStep = micro;
        op.recompute = recompute;
        op.after = std::move(after);
        op.elements = elements;
        m_program.ops.push_back(std::move(op));
        return static_cast<int>(m_program.ops.size()) - 1;
    }

    bool needs(std::size_t visit, int unit) const
    {
        const Visit& v = m_visits[visit];
        if (v.backward && v.unit == 0) return false;  // an embedding's backward only adds rows up
        return v.unit == unit || (m_spec.tieEmbeddings && v.unit == head() && unit == 0);
    }

    /// Units whose weights must be gathered for `visit` and are not there yet, the own unit last.
    std::vector<int> missing(std::size_t visit) const
    {
        std::vector<int> result;
        if (m_world == 1 || m_stage == 0) return result;
        for (int unit = 0; unit <= head(); ++unit)
            if (needs(visit, unit) && m_gathered[static_cast<std::size_t>(unit)] < 0) result.push_back(unit);
        return result;
    }

    void gather(std::size_t visit, int unit)
    {
        const auto u = static_cast<std::size_t>(unit);
        const Visit& v = m_visits[visit];
        m_gathered[u] = add(OpKind::Gather, unit, v.microStep, {m_released[u], m_lastRelease}, m_padded[u], v.backward);
        if (!resident(unit)) m_live += m_padded[u];
    }

    void gatherFor(std::size_t visit)
    {
        for (const int unit : missing(visit)) gather(visit, unit);
    }

    /// The gather of the next visit goes under this one's compute when the knobs allow it.
    void prefetchFor(std::size_t visit)
    {
        if (visit >= m_visits.size() || m_config.overlapForbidden) return;
        for (const int unit : missing(visit)) {
            const std::int64_t size = m_padded[static_cast<std::size_t>(unit)];
            const bool leased = !resident(unit);
            if (leased && (size > m_config.prefetchElements || m_live + size > m_config.maxLiveElements)) return;
            gather(visit, unit);
        }
    }

    std::vector<std::int32_t> gathersOf(std::size_t visit) const
    {
        std::vector<std::int32_t> ids;
        for (int unit = 0; unit <= head(); ++unit)
            if (needs(visit, unit)) ids.push_back(m_gathered[static_cast<std::size_t>(unit)]);
        return ids;
    }

    void releaseAfter(std::size_t visit, int lastUse)
    {
        for (int unit = 0; unit <= head(); ++unit) {
            const auto u = static_cast<std::size_t>(unit);
            if (m_gathered[u] < 0 || resident(unit) || !needs(visit, unit)) continue;
            if (visit + 1 < m_visits.size() && needs(visit + 1, unit)) continue;  // used again at once
            const Visit& v = m_visits[visit];
            m_lastRelease = m_released[u] = add(OpKind::Release, unit, v.microStep, {lastUse}, 0, v.backward);
            m_gathered[u] = -1;
            m_live -= m_padded[u];
        }
    }

    void compileVisit(std::size_t visit)
    {
        const Visit v = m_visits[visit];
        if (!v.backward && v.unit == 0) m_batch = add(OpKind::LoadBatch, -1, v.microStep, {});
        gatherFor(visit);
        prefetchFor(visit + 1);
        auto after = gathersOf(visit);
        after.push_back(m_lastCompute);
        if (!v.backward) {
            after.push_back(m_batch);
            m_lastCompute = add(OpKind::Forward, v.unit, v.microStep, after);
            releaseAfter(visit, m_lastCompute);
            return;
        }
        const bool isBlock = m_units[static_cast<std::size_t>(v.unit)].kind == UnitKind::Block;
        if (isBlock && m_recompute == Recompute::Full)
            after.push_back(m_lastCompute = add(OpKind::Forward, v.unit, v.microStep, after, 0, true));
        if (v.unit != 0) {
            m_lastCompute = add(OpKind::BackwardInput, v.unit, v.microStep, after);
            releaseAfter(visit, m_lastCompute);
        }
        m_lastCompute = add(OpKind::BackwardWeight, v.unit, v.microStep, {m_lastCompute});
        reduce(v);
    }

    void reduce(const Visit& v)
    {
        if (m_world == 1) return;
        const bool last = v.microStep + 1 == m_config.accumulation;
        if (m_stage < 2 && !last) return;
        const auto u = static_cast<std::size_t>(v.unit);
        m_reduced[u] = add(m_stage == 0 ? OpKind::AllReduce : OpKind::ReduceScatter, v.unit, v.microStep, {m_lastCompute}, m_padded[u]);
        if (m_config.overlapForbidden) m_lastCompute = m_reduced[u];  // compute goes on when the sum is there
    }

    void finishStep()
    {
        std::vector<std::int32_t> after{m_lastCompute};
        after.insert(after.end(), m_reduced.begin(), m_reduced.end());
        const int scalars = add(OpKind::AllReduce, -1, -1, after, kStepScalars);
        for (int unit = 0; unit <= head(); ++unit) {
            const std::int64_t padded = m_padded[static_cast<std::size_t>(unit)];
            add(OpKind::OptimizerStep, unit, -1, {scalars}, m_stage == 0 ? padded : padded / m_world);
        }
    }

    const ModelSpec& m_spec;
    const EngineConfig& m_config;
    int m_world;
    Recompute m_recompute;
    std::vector<UnitInfo> m_units;
    std::vector<std::int64_t> m_padded;
    int m_stage = 0;  ///< as executed: 0 for one rank
    Program m_program{"pp0.tp0", {}};
    std::vector<Visit> m_visits;
    std::vector<std::int32_t> m_gathered;  ///< op that gathered the unit, -1 when its weights are not there
    std::vector<std::int32_t> m_released, m_reduced;
    std::int32_t m_lastRelease = -1, m_lastCompute = -1, m_batch = -1;
    std::int64_t m_live = 0;  ///< elements leased now
};

}  // namespace

const char* opKindName(OpKind kind)
{
    switch (kind) {
    case OpKind::LoadBatch: return "LoadBatch";
    case OpKind::Gather: return "Gather";
    case OpKind::Release: return "Release";
    case OpKind::Forward: return "Forward";
    case OpKind::BackwardInput: return "BackwardInput";
    case OpKind::BackwardWeight: return "BackwardWeight";
    case OpKind::ReduceScatter: return "ReduceScatter";
    case OpKind::AllReduce: return "AllReduce";
    case OpKind::SendActivation: return "SendActivation";
    case OpKind::RecvActivation: return "RecvActivation";
    case OpKind::SendGradient: return "SendGradient";
    case OpKind::RecvGradient: return "RecvGradient";
    case OpKind::ReadState: return "ReadState";
    case OpKind::WriteState: return "WriteState";
    case OpKind::HostToDevice: return "HostToDevice";
    case OpKind::DeviceToHost: return "DeviceToHost";
    case OpKind::OptimizerStep: return "OptimizerStep";
    }
    return "";
}

Result<Recompute> recomputeFromWord(std::string_view word)
{
    if (word == "none") return Recompute::None;
    if (word == "full") return Recompute::Full;
    if (word == "selective")
        return Error{ErrorCode::Refused, "layout.recompute is \"selective\", which this engine cannot do; use \"none\" or \"full\".",
                     {{"pointer", "/layout/recompute"}}};
    return Error{ErrorCode::InvalidInput, "layout.recompute is \"" + std::string(word) + "\"; use \"none\" or \"full\".",
                 {{"pointer", "/layout/recompute"}}};
}

bool isResident(const EngineConfig& config, int world, std::int64_t paddedElements)
{
    return world == 1 || config.zeroStage < 3 || paddedElements <= config.persistenceThreshold;
}

bool readsWeights(const Op& op, const ModelSpec& spec, int unit, int headUnit)
{
    if (op.kind != OpKind::Forward && op.kind != OpKind::BackwardInput) return false;
    return op.unit == unit || (spec.tieEmbeddings && op.unit == headUnit && unit == 0);
}

Result<Schedule> compileSchedule(const ModelSpec& spec, const EngineConfig& config, int world, Recompute recompute)
{
    // A schedule holds every operation of a step: about eight for each unit and micro-batch.
    constexpr std::int64_t kMostUnitPasses = 1'000'000;
    const std::int64_t units = static_cast<std::int64_t>(spec.layers) + 2;
    if (config.accumulation > kMostUnitPasses / units)
        return Error{ErrorCode::Refused, fmt::format("Cannot train with gradient_accumulation_steps = {}: a step of this model may have {} micro-batches at most here; use larger ones (train_micro_batch_size_per_gpu) and fewer", config.accumulation, kMostUnitPasses / units), {{"pointer", "/dsConfig/gradient_accumulation_steps"}}};
    Schedule schedule;
    schedule.stage = config.zeroStage;
    schedule.dataParallel = world;
    schedule.accumulation = config.accumulation;
    schedule.programs.push_back(Compiler(spec, config, world, recompute).compile());
    if (const Result<void> valid = validateSchedule(schedule, spec, config); !valid.hasValue()) return valid.error();
    return schedule;
}

}  // namespace stagecraft
