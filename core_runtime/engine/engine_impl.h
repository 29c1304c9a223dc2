// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/comm_lane.h"
#include "engine/compute.h"
#include "engine/engine.h"
#include "schedule/leases.h"

#include <atomic>
#include <vector>

namespace stagecraft {

/// One unit's states on this rank, as pointers into the BufferSet.
struct UnitState {
    UnitInfo info;
    FlatLayout layout;
    bool resident = true;          ///< `weights` is whole; else it is this rank's slice and gathers go to a lease
    bool leasedGradients = false;  ///< `gradients` is this rank's slice; full gradients go to a lease
    char* weights = nullptr;       ///< compute type
    float* master = nullptr;       ///< fp32 weights the optimizer updates; lies inside `weights` in fp32
    float* gradients = nullptr;
    float *m = nullptr, *v = nullptr;
    std::int64_t owned = 0;        ///< elements the optimizer updates here
    std::int64_t ownedBegin = 0;   ///< their place in the flat buffer

    char* fullWeights = nullptr;   ///< where gathered weights lie now
    float* fullGradients = nullptr;  ///< where a backward writes now
    bool fresh = true;             ///< nothing is in fullGradients yet
    bool begun = false;            ///< what the linear layers do not overwrite is cleared
};

class Engine::Impl {
public:
    explicit Impl(const EngineOptions& options);
    Result<void> start(WeightSource& weights, const CollectivesFactory& factory);

    Result<StepReport> step(std::int64_t step, const BatchFill& fill, StepRequests requests);
    Result<double> forward(std::int64_t step, const BatchFill& fill);
    Result<void> backward();
    Result<std::optional<StepReport>> finish(StepRequests requests);
    Result<std::optional<double>> evaluate(std::int64_t batches, const EvalFill& fill, const std::function<bool()>& stop);
    std::vector<StateView> views(bool whole);
    void restored();

    EngineOptions options;
    Schedule schedule;
    LeasePlan leases;
    std::vector<PlannedBuffer> plan;
    std::unique_ptr<BufferSet> buffers;
    std::atomic<int> currentOp{-1};
    std::atomic<std::int64_t> currentEvaluation{-1};  ///< micro-batch being evaluated, -1 = none
    std::string describe(int op) const;
    std::vector<float> logits() const;
    Result<void> allReduce(std::span<double> values);

private:
    Result<void> agree();
    void bindUnits();
    Result<void> fillWeights(WeightSource& weights);
    void castWeights(UnitState& unit);

    void beginStep(std::int64_t step);
    Result<void> runUntil(int end, const BatchFill& fill, StepRequests requests);
    void endStep();
    Result<void> execute(std::int64_t step, int id, const BatchFill& fill, StepRequests requests);
    Result<void> load(std::int64_t step, const Op& op, const BatchFill& fill);
    Result<void> finishGradients(int id, StepRequests requests);
    void beginGradients(UnitState& unit);
    void takeGradientLease(int id);
    void postGather(int id, const Op& op);
    void postReduce(int id, const Op& op);
    void update(const Op& op, std::int64_t step);
    Result<void> waitFor(int id);
    Result<void> gatherForEvaluation(int unit);
    Result<void> forwardForEvaluation();
    UnitMemory memoryOf(int unit) const;
    int head() const { return static_cast<int>(units.size()) - 1; }
    std::size_t elementBytes() const { return computeType(options.config) == BufferType::Bf16 ? 2 : 4; }
    std::int64_t globalTokens() const;

    std::vector<UnitState> units;
    std::unique_ptr<Compute> compute;
    std::unique_ptr<Collectives> collectives;
    std::vector<char*> weightSlots;
    std::vector<float*> gradientSlots;
    std::vector<std::int64_t> inputs, labels;  ///< of one micro-batch, as the source gives them

    // Of the step at work.
    enum class Turn { Forward, Backward, Update } turn = Turn::Forward;  ///< of the single calls
    std::int64_t stepAtWork = 0;
    std::int64_t startedNs = 0;
    int nextOp = 0;
    std::vector<Span> spans;               ///< by op id; a communication op's is written by the lane, read after its wait
    std::vector<std::int64_t> tickets;     ///< by op id, 0 = not a communication op
    std::array<double, kStepScalars> scalars{};
    double waitedNs = 0;
    double localLoss = 0;
    StepReport report;

    std::unique_ptr<CommLane> lane;        ///< last: its jobs use everything above
};

[[nodiscard]] bool isCommunication(const Op& op);

}  // namespace stagecraft
