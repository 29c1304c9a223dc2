// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/engine_impl.h"

#include "engine/kernels/kernels.h"

#include <cstring>

namespace stagecraft {

Engine::Impl::Impl(const EngineOptions& given) : options(given) {}

Result<void> Engine::Impl::start(WeightSource& weights, const CollectivesFactory& factory)
{
    if (options.config.precision == Precision::Fp16)
        return Error{ErrorCode::Refused, "This engine trains in fp32 and bf16; fp16 is not there yet. Enable bf16 instead.", {{"pointer", "/dsConfig/fp16"}}};
    Result<Schedule> compiled = compileSchedule(options.model, options.config, options.world, options.recompute);
    if (!compiled.hasValue()) return compiled.error();
    schedule = std::move(*compiled);
    leases = leasePlanOf(schedule.programs.front(), options.model, options.config, options.world);
    plan = bufferPlan({options.model, options.config, options.world, options.recompute, options.threads});
    Result<std::unique_ptr<BufferSet>> allocated = BufferSet::allocate(plan);
    if (!allocated.hasValue()) return allocated.error();
    buffers = std::move(*allocated);
    bindUnits();
    if (Result<void> filled = fillWeights(weights); !filled.hasValue()) return filled;
    compute = makeCompute({options.model, options.config, options.world, options.recompute == Recompute::Full, options.threads}, *buffers);
    inputs.resize(static_cast<std::size_t>(options.config.microBatch * options.model.seq));
    labels.resize(inputs.size());
    spans.resize(schedule.programs.front().ops.size());
    tickets.resize(spans.size());
    float* staging = options.world > 1 ? buffers->floats("ring.staging") : nullptr;
    Result<std::unique_ptr<Collectives>> made = factory(staging, ringPieceElements(options.model, options.config, options.world));
    if (!made.hasValue()) return made.error();
    collectives = std::move(*made);
    lane = std::make_unique<CommLane>();
    return agree();
}

/// Every rank must be there and hold the same plan: a collective of unequal sizes would hang or mix up memory.
Result<void> Engine::Impl::agree()
{
    const std::array<double, 2> mine{static_cast<double>(plannedBytes(plan)), static_cast<double>(spans.size())};
    std::array<double, 2> sums = mine;
    if (Result<void> met = allReduce(sums); !met.hasValue()) return met;
    if (sums[0] == mine[0] * options.world && sums[1] == mine[1] * options.world) return {};
    return Error{ErrorCode::InvalidInput, "The ranks were started with different workspaces: their plans are not the same.", {}};
}

void Engine::Impl::bindUnits()
{
    const bool bf16 = computeType(options.config) == BufferType::Bf16;
    const bool whole = options.world == 1 || options.config.zeroStage == 0;
    for (UnitInfo& info : unitsOf(options.model)) {
        UnitState unit;
        unit.layout = flatLayoutOf(info, options.world);
        unit.resident = isResident(options.config, options.world, unit.layout.padded);
        unit.leasedGradients = leasesGradients(options.config, options.world);
        unit.weights = static_cast<char*>(buffers->data(info.name + ".weights"));
        unit.gradients = buffers->floats(info.name + ".gradients");
        unit.m = buffers->floats(info.name + ".m");
        unit.v = buffers->floats(info.name + ".v");
        unit.owned = whole ? unit.layout.padded : unit.layout.shard;
        unit.ownedBegin = whole ? 0 : options.rank * unit.layout.shard;
        const std::int64_t inside = unit.resident ? unit.ownedBegin : 0;
        unit.master = bf16 ? buffers->floats(info.name + ".master") : reinterpret_cast<float*>(unit.weights) + inside;
        unit.fullWeights = unit.resident ? unit.weights : nullptr;
        unit.fullGradients = unit.leasedGradients ? nullptr : unit.gradients;
        unit.info = std::move(info);
        units.push_back(std::move(unit));
    }
    for (std::size_t s = 0; s < leases.weightSlots.size(); ++s) weightSlots.push_back(static_cast<char*>(buffers->data("lease.weights." + std::to_string(s))));
    for (std::size_t s = 0; s < leases.gradientSlots.size(); ++s) gradientSlots.push_back(buffers->floats("lease.gradients." + std::to_string(s)));
}

Result<void> Engine::Impl::fillWeights(WeightSource& weights)
{
    for (UnitState& unit : units) {
        Result<void> filled = weights.fill(unit.info, unit.layout, unit.ownedBegin, unit.ownedBegin + unit.owned, unit.master);
        if (!filled.hasValue()) return filled;
        castWeights(unit);
    }
    return {};
}

void Engine::Impl::castWeights(UnitState& unit)
{
    if (computeType(options.config) != BufferType::Bf16) return;
    kernels().castToBf16(unit.owned, unit.master, reinterpret_cast<BFloat16*>(unit.weights) + (unit.resident ? unit.ownedBegin : 0));
}

void Engine::Impl::restored()
{
    for (UnitState& unit : units) castWeights(unit);
}

std::vector<StateView> Engine::Impl::views(bool whole)
{
    std::vector<StateView> result;
    for (UnitState& unit : units) {
        // A slice per rank also where the rank owns everything, so that the ranks of stage 0 share the writing.
        const std::int64_t begin = whole ? unit.ownedBegin : options.rank * unit.layout.shard;
        const std::int64_t count = whole ? unit.owned : unit.layout.shard;
        const auto view = [&](const char* kind, float* owned) {
            result.push_back({&unit.info, &unit.layout, kind, begin, std::span<float>(owned + (begin - unit.ownedBegin), static_cast<std::size_t>(count))});
        };
        view("weights", unit.master);
        view("m", unit.m);
        view("v", unit.v);
    }
    return result;
}

std::vector<float> Engine::Impl::logits() const
{
    const std::int64_t count = buffers->elements("head.logits");
    std::vector<float> values(static_cast<std::size_t>(count));
    if (computeType(options.config) == BufferType::Bf16)
        kernels().bf16.pack(1, count, static_cast<const BFloat16*>(buffers->data("head.logits")), count, values.data());
    else std::memcpy(values.data(), buffers->data("head.logits"), values.size() * sizeof(float));
    return values;
}

Engine::Engine(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options, WeightSource& weights, const CollectivesFactory& collectives)
{
    auto impl = std::make_unique<Impl>(options);
    if (Result<void> started = impl->start(weights, collectives); !started.hasValue()) return started.error();
    return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Result<StepReport> Engine::step(std::int64_t step, const BatchFill& fill, StepRequests requests)
{
    return m_impl->step(step, fill, requests);
}
Result<std::optional<double>> Engine::evaluate(std::int64_t batches, const EvalFill& fill, const std::function<bool()>& stop) { return m_impl->evaluate(batches, fill, stop); }
std::vector<StateView> Engine::states() { return m_impl->views(false); }
std::vector<StateView> Engine::statesToRestore() { return m_impl->views(true); }
void Engine::restored() { m_impl->restored(); }
const Schedule& Engine::schedule() const { return m_impl->schedule; }
const std::vector<PlannedBuffer>& Engine::buffers() const { return m_impl->plan; }
std::int64_t Engine::allocatedBytes() const { return m_impl->buffers->bytes(); }
const std::map<std::string, std::int64_t>& Engine::allocatedByKind() const { return m_impl->buffers->bytesByKind(); }
std::string Engine::lastOp() const
{
    const std::int64_t batch = m_impl->currentEvaluation.load(std::memory_order_relaxed);
    if (batch >= 0) return "Evaluate batch " + std::to_string(batch);
    return m_impl->describe(m_impl->currentOp.load(std::memory_order_relaxed));
}
std::vector<float> Engine::logits() const { return m_impl->logits(); }
Result<void> Engine::allReduce(std::span<double> values) { return m_impl->allReduce(values); }

}  // namespace stagecraft
