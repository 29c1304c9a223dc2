// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/engine_impl.h"

#include "engine/blocks.h"
#include "engine/kernels/kernels.h"
#include "engine/parallel_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <numeric>

namespace stagecraft {

namespace {

/// CLOCK_MONOTONIC: the spans' clock.
std::int64_t now()
{
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

constexpr std::uint32_t kOnLane = 1;

Phase phaseOf(const Op& op)
{
    switch (op.kind) {
    case OpKind::LoadBatch: return Phase::Data;
    case OpKind::Forward: return op.recompute ? Phase::Backward : Phase::Forward;
    case OpKind::BackwardInput:
    case OpKind::BackwardWeight: return Phase::Backward;
    case OpKind::OptimizerStep: return Phase::Optimizer;
    default: return Phase::Communication;
    }
}

}  // namespace

bool isCommunication(const Op& op) { return op.kind == OpKind::Gather || op.kind == OpKind::ReduceScatter || op.kind == OpKind::AllReduce; }

std::string Engine::Impl::describe(int op) const
{
    const auto& ops = schedule.programs.front().ops;
    if (op < 0 || op >= static_cast<int>(ops.size())) return "start";
    const Op& at = ops[static_cast<std::size_t>(op)];
    std::string words = opKindName(at.kind);
    if (at.unit >= 0) words += " " + units[static_cast<std::size_t>(at.unit)].info.name;
    return words;
}

std::int64_t Engine::Impl::globalTokens() const
{
    return options.config.microBatch * options.config.accumulation * options.world * options.model.seq;
}

UnitMemory Engine::Impl::memoryOf(int unit) const
{
    const UnitState& u = units[static_cast<std::size_t>(unit)];
    return {u.fullWeights, u.fullGradients, u.fresh};
}

Result<StepReport> Engine::Impl::step(std::int64_t step, const BatchFill& fill, StepRequests requests)
{
    beginStep(step);
    if (Result<void> done = runUntil(static_cast<int>(spans.size()), fill, requests); !done.hasValue()) return done.error();
    endStep();
    return report;
}

void Engine::Impl::beginStep(std::int64_t step)
{
    startedNs = now();
    stepAtWork = step;
    nextOp = 0;
    turn = Turn::Forward;
    report = {};
    scalars = {};
    localLoss = 0;
    waitedNs = 0;
    std::fill(tickets.begin(), tickets.end(), 0);
    for (UnitState& unit : units) {
        unit.fresh = true;
        unit.begun = false;
    }
    report.learningRate = learningRateAt(options.config.optimizer, options.config.scheduler, step);
}

/// Executes the ops from where the last call ended up to `end`.
Result<void> Engine::Impl::runUntil(int end, const BatchFill& fill, StepRequests requests)
{
    for (; nextOp < end; ++nextOp) {
        const int id = nextOp;
        currentOp.store(id, std::memory_order_relaxed);
        spans[static_cast<std::size_t>(id)].step = static_cast<std::int32_t>(stepAtWork + 1);
        spans[static_cast<std::size_t>(id)].op = id;
        if (Result<void> done = execute(stepAtWork, id, fill, requests); !done.hasValue()) {
            Error error = done.error();
            error.context["lastOp"] = describe(currentOp.load(std::memory_order_relaxed));
            return error;
        }
    }
    return {};
}

void Engine::Impl::endStep()
{
    const auto& ops = schedule.programs.front().ops;
    for (std::size_t id = 0; id < ops.size(); ++id) {
        if (isCommunication(ops[id])) continue;
        const double seconds = static_cast<double>(spans[id].endNs - spans[id].startNs) * 1e-9;
        report.phaseSeconds[static_cast<std::size_t>(phaseOf(ops[id]))] += seconds;
    }
    report.phaseSeconds[static_cast<std::size_t>(Phase::Communication)] += waitedNs * 1e-9;
    report.seconds = static_cast<double>(now() - startedNs) * 1e-9;
    const double named = std::accumulate(report.phaseSeconds.begin(), report.phaseSeconds.end(), 0.0);
    report.phaseSeconds[static_cast<std::size_t>(Phase::Wait)] = std::max(0.0, report.seconds - named);
    report.spans = spans;
    turn = Turn::Forward;
    nextOp = 0;
}

Result<void> Engine::Impl::waitFor(int id)
{
    std::int64_t last = 0;  // the lane works in order: the latest ticket is enough
    int latest = id;
    for (const std::int32_t before : schedule.programs.front().ops[static_cast<std::size_t>(id)].after) {
        if (tickets[static_cast<std::size_t>(before)] <= last) continue;
        last = tickets[static_cast<std::size_t>(before)];
        latest = before;
    }
    if (last == 0) return {};
    const std::int64_t before = now();
    currentOp.store(latest, std::memory_order_relaxed);  // who waits here is a peer's victim: the supervisor must see it
    Result<void> done = lane->wait(last);
    waitedNs += static_cast<double>(now() - before);
    if (done.hasValue()) currentOp.store(id, std::memory_order_relaxed);
    return done;
}

Result<void> Engine::Impl::execute(std::int64_t step, int id, const BatchFill& fill, StepRequests requests)
{
    const auto i = static_cast<std::size_t>(id);
    const Op& op = schedule.programs.front().ops[i];
    if (op.kind == OpKind::Gather) {
        postGather(id, op);
        return {};
    }
    if (op.kind == OpKind::ReduceScatter || (op.kind == OpKind::AllReduce && op.unit >= 0)) {
        postReduce(id, op);
        return {};
    }
    if (Result<void> ready = waitFor(id); !ready.hasValue()) return ready;
    Span& span = spans[i];
    span.flags = 0;
    span.startNs = now();
    Result<void> done;
    const auto u = static_cast<std::size_t>(std::max(op.unit, 0));
    switch (op.kind) {
    case OpKind::LoadBatch: done = load(step, op, fill); break;
    case OpKind::Forward:
        if (op.recompute) compute->recompute(op.unit, memoryOf(op.unit));
        else compute->forward(op.unit, memoryOf(op.unit), memoryOf(0), true);
        if (op.unit == head()) localLoss += compute->lossSum();
        break;
    case OpKind::BackwardInput:
        takeGradientLease(id);
        beginGradients(units[u]);
        compute->backwardInput(op.unit, memoryOf(op.unit), memoryOf(0));
        break;
    case OpKind::BackwardWeight:
        takeGradientLease(id);
        beginGradients(units[u]);
        if (op.unit == head() && options.model.tieEmbeddings) beginGradients(units[0]);
        compute->backwardWeight(op.unit, memoryOf(op.unit), memoryOf(0));
        units[u].fresh = false;
        break;
    case OpKind::Release: units[u].fullWeights = nullptr; break;
    case OpKind::AllReduce: done = finishGradients(id, requests); break;
    case OpKind::OptimizerStep: update(op, step); break;
    default: done = Error{ErrorCode::Internal, std::string("This engine cannot execute ") + opKindName(op.kind) + ".", {}}; break;
    }
    span.endNs = now();
    return done;
}

Result<void> Engine::Impl::load(std::int64_t step, const Op& op, const BatchFill& fill)
{
    if (Result<void> filled = fill(step, op.microStep, {inputs, labels}); !filled.hasValue()) return filled;
    DropoutSource dropout;
    dropout.seed = options.seed;
    dropout.step = step;
    dropout.enabled = true;
    const std::int64_t batch = options.config.microBatch;
    for (std::int64_t j = 0; j < batch; ++j) dropout.globalSamples.push_back((op.microStep * options.world + options.rank) * batch + j);
    compute->loadBatch(inputs, labels, batch, dropout);
    return {};
}

void Engine::Impl::takeGradientLease(int id)
{
    const int slot = leases.gradientSlotOfOp[static_cast<std::size_t>(id)];
    if (slot < 0) return;
    UnitState& unit = units[static_cast<std::size_t>(leases.gradientUnitOfOp[static_cast<std::size_t>(id)])];
    unit.fullGradients = gradientSlots[static_cast<std::size_t>(slot)];
    unit.fresh = true;
    unit.begun = false;
}

/// Clears what the linear layers will not overwrite. Done once per fresh buffer: a block's second op finds it begun.
void Engine::Impl::beginGradients(UnitState& unit)
{
    if (!unit.fresh || unit.begun) return;
    zeroOthers(unit.info, unit.layout, unit.fullGradients);
    unit.begun = true;
}

void Engine::Impl::postGather(int id, const Op& op)
{
    UnitState& unit = units[static_cast<std::size_t>(op.unit)];
    const std::int64_t bytes = unit.layout.shard * static_cast<std::int64_t>(elementBytes());
    const int slot = leases.weightSlotOfOp[static_cast<std::size_t>(id)];
    if (slot >= 0) unit.fullWeights = weightSlots[static_cast<std::size_t>(slot)];
    char* full = unit.fullWeights;
    const char* own = slot >= 0 ? unit.weights : nullptr;
    Span* span = &spans[static_cast<std::size_t>(id)];
    tickets[static_cast<std::size_t>(id)] = lane->post([this, full, own, bytes, span] {
        span->flags = kOnLane;
        span->startNs = now();
        if (own) std::memcpy(full + options.rank * bytes, own, static_cast<std::size_t>(bytes));
        Result<void> done = collectives->allGather(full, bytes);
        span->endNs = now();
        return done;
    });
}

void Engine::Impl::postReduce(int id, const Op& op)
{
    UnitState& unit = units[static_cast<std::size_t>(op.unit)];
    float* full = unit.fullGradients;
    const std::int64_t shard = unit.layout.shard;
    float* target = unit.leasedGradients ? unit.gradients : full + options.rank * shard;
    const bool accumulate = unit.leasedGradients && op.microStep > 0;
    const bool toAll = op.kind == OpKind::AllReduce;
    Span* span = &spans[static_cast<std::size_t>(id)];
    tickets[static_cast<std::size_t>(id)] = lane->post([this, full, shard, target, accumulate, toAll, span] {
        span->flags = kOnLane;
        span->startNs = now();
        Result<void> done = collectives->reduceScatter(full, shard, target, accumulate);
        if (done.hasValue() && toAll) done = collectives->allGather(full, shard * static_cast<std::int64_t>(sizeof(float)));
        span->endNs = now();
        return done;
    });
    if (unit.leasedGradients) unit.fullGradients = nullptr;
}

/// The step's one scalar collective: squared norm, loss, finiteness and the stop flag travel together.
Result<void> Engine::Impl::finishGradients(int id, StepRequests requests)
{
    double squares = 0.0;
    for (const UnitState& unit : units) {
        // Every rank takes its own slice also at stage 0, so that the norm is the same sum at every stage.
        const float* slice = unit.leasedGradients ? unit.gradients : unit.gradients + options.rank * unit.layout.shard;
        squares += kernels().squaredSum(unit.layout.shard, slice);
    }
    scalars = {squares, localLoss, std::isfinite(squares) && std::isfinite(localLoss) ? 0.0 : 1.0, requests.stop ? 1.0 : 0.0, requests.save ? 1.0 : 0.0};
    if (options.world > 1) {
        const std::int64_t before = now();
        const std::int64_t ticket = lane->post([this] { return collectives->allReduce(scalars); });
        tickets[static_cast<std::size_t>(id)] = ticket;
        if (Result<void> done = lane->wait(ticket); !done.hasValue()) return done;
        waitedNs += static_cast<double>(now() - before);
    }
    report.loss = scalars[1] / static_cast<double>(globalTokens());
    report.gradNorm = std::sqrt(scalars[0]);
    report.requests = {scalars[3] > 0.0, scalars[4] > 0.0};
    if (scalars[2] > 0.0 || !std::isfinite(report.gradNorm))
        return Error{ErrorCode::Internal, "Loss or gradient norm is not finite (loss " + std::to_string(report.loss) + ", norm " + std::to_string(report.gradNorm) +
                                              "); weights were not updated. Try a lower learning rate, gradient_clipping, or look at the data.", {}};
    return {};
}

void Engine::Impl::update(const Op& op, std::int64_t step)
{
    UnitState& unit = units[static_cast<std::size_t>(op.unit)];
    const OptimizerSettings& o = options.config.optimizer;
    const auto betas = betasAt(o, options.config.scheduler, step);  // OneCycle cycles them
    AdamStep adam;
    adam.learningRate = static_cast<float>(report.learningRate);
    adam.beta1 = static_cast<float>(betas[0]);
    adam.beta2 = static_cast<float>(betas[1]);
    adam.eps = static_cast<float>(o.eps);
    adam.weightDecay = static_cast<float>(o.weightDecay);
    adam.decoupled = o.kind == OptimizerKind::AdamW;
    const auto t = static_cast<double>(step + 1);
    adam.correction1 = o.biasCorrection ? static_cast<float>(1.0 - std::pow(betas[0], t)) : 1.0f;
    adam.correction2 = o.biasCorrection ? static_cast<float>(1.0 - std::pow(betas[1], t)) : 1.0f;
    if (options.config.gradientClipping > 0.0)
        adam.gradientScale = static_cast<float>(std::min(1.0, options.config.gradientClipping / (report.gradNorm + 1e-6)));
    const float* gradients = unit.leasedGradients ? unit.gradients : unit.gradients + unit.ownedBegin;
    BFloat16* copy = elementBytes() == 2 ? reinterpret_cast<BFloat16*>(unit.weights) + (unit.resident ? unit.ownedBegin : 0) : nullptr;
    parallelRows(options.threads, unit.owned, [&](std::int64_t begin, std::int64_t end, int) {
        kernels().adam(adam, end - begin, unit.master + begin, gradients + begin, unit.m + begin, unit.v + begin, copy ? copy + begin : nullptr);
    });
}

Result<void> Engine::Impl::allReduce(std::span<double> values)
{
    if (options.world == 1) return {};
    return lane->wait(lane->post([this, values] { return collectives->allReduce(values); }));
}

Result<void> Engine::Impl::gatherForEvaluation(int unit)
{
    UnitState& u = units[static_cast<std::size_t>(unit)];
    const std::int64_t bytes = u.layout.shard * static_cast<std::int64_t>(elementBytes());
    if (!u.resident) {
        // The tightest: what a small unit takes of a large slot may be the only place for the large one it is evaluated with.
        const bool held = u.fullWeights != nullptr;
        std::int64_t tightest = std::numeric_limits<std::int64_t>::max();
        for (std::size_t s = 0; s < weightSlots.size() && !held; ++s) {
            const bool taken = std::any_of(units.begin(), units.end(), [&](const UnitState& other) { return &other != &u && other.fullWeights == weightSlots[s]; });
            if (taken || leases.weightSlots[s] < u.layout.padded || leases.weightSlots[s] >= tightest) continue;
            tightest = leases.weightSlots[s];
            u.fullWeights = weightSlots[s];
        }
        if (!u.fullWeights) return Error{ErrorCode::Internal, "No lease is left for evaluating " + u.info.name + ".", {}};
        std::memcpy(u.fullWeights + options.rank * bytes, u.weights, static_cast<std::size_t>(bytes));
    }
    char* full = u.fullWeights;
    return lane->wait(lane->post([this, full, bytes] { return collectives->allGather(full, bytes); }));
}

Result<void> Engine::Impl::forwardForEvaluation()
{
    for (int unit = 0; unit <= head(); ++unit) {
        std::vector<int> needed{unit};
        if (options.model.tieEmbeddings && unit == head()) needed.push_back(0);
        for (const int n : needed) {
            if (units[static_cast<std::size_t>(n)].resident) continue;
            if (Result<void> gathered = gatherForEvaluation(n); !gathered.hasValue()) return gathered;
        }
        compute->forward(unit, memoryOf(unit), memoryOf(0), false);
        for (const int n : needed)
            if (!units[static_cast<std::size_t>(n)].resident) units[static_cast<std::size_t>(n)].fullWeights = nullptr;
    }
    return {};
}

Result<std::optional<double>> Engine::Impl::evaluate(std::int64_t batches, const EvalFill& fill, const std::function<bool()>& stop)
{
    if (options.world > 1 && options.config.zeroStage > 0) {
        // The last update changed only the own slices; the next step's lazy gathers have not come yet.
        for (int unit = 0; unit <= head(); ++unit) {
            if (!units[static_cast<std::size_t>(unit)].resident) continue;
            if (Result<void> gathered = gatherForEvaluation(unit); !gathered.hasValue()) return gathered.error();
        }
    }
    std::array<double, 2> sums{0.0, 0.0};  // loss, tokens
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        if (stop) {
            std::array<double, 1> asked{stop() ? 1.0 : 0.0};
            if (Result<void> agreed = allReduce(asked); !agreed.hasValue()) return agreed.error();
            if (asked[0] > 0.0) {
                currentEvaluation.store(-1, std::memory_order_relaxed);
                return std::optional<double>();
            }
        }
        currentEvaluation.store(batch, std::memory_order_relaxed);  // so that a long evaluation does not look like a hang
        const Result<std::int64_t> counted = fill(batch, {inputs, labels});
        if (!counted.hasValue()) return counted.error();
        compute->loadBatch(inputs, labels, *counted, DropoutSource{});
        if (Result<void> done = forwardForEvaluation(); !done.hasValue()) return done.error();
        sums[0] += compute->lossSum();
        sums[1] += static_cast<double>(*counted * options.model.seq);
    }
    if (Result<void> done = allReduce(sums); !done.hasValue()) return done.error();
    currentEvaluation.store(-1, std::memory_order_relaxed);
    return std::optional(sums[1] > 0.0 ? sums[0] / sums[1] : 0.0);
}

}  // namespace stagecraft
