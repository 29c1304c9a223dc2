// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/engine_config.h"
#include "engine/collectives.h"
#include "engine/init.h"
#include "model/model_spec.h"
#include "record/records.h"
#include "schedule/buffer_plan.h"
#include "schedule/compile.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

struct EngineOptions {
    ModelSpec model;
    EngineConfig config;
    int rank = 0;
    int world = 1;             ///< data-parallel ranks
    Recompute recompute = Recompute::None;
    int threads = 1;           ///< intra-op threads of this rank
    std::uint64_t seed = 42;   ///< of dropout masks
};

/// Makes the rank's collectives on the engine's staging buffer (two pieces of `pieceElements` floats).
using CollectivesFactory = std::function<Result<std::unique_ptr<Collectives>>(float* staging, std::int64_t pieceElements)>;

/// The tokens of one micro-batch to be filled, [microBatch, seq] each: labels are the inputs shifted by one. Every id lies in
/// [0, vocab): the source's promise, not checked here.
struct TokenBatch {
    std::span<std::int64_t> inputs, labels;
};

/// @param step       global step, 0 = first update
/// @param microStep  accumulation micro-step
using BatchFill = std::function<Result<void>(std::int64_t step, std::int64_t microStep, const TokenBatch& batch)>;

/// What a rank asks of all ranks at the end of a step.
struct StepRequests {
    bool stop = false;
    bool save = false;
};

/// What one optimizer step did.
struct StepReport {
    double loss = 0;           ///< mean over all tokens of the global batch, before the update
    double gradNorm = 0;       ///< before clipping, over all parameters
    double learningRate = 0;
    double seconds = 0;
    std::array<double, kPhaseCount> phaseSeconds{};  ///< add up to `seconds`
    StepRequests requests;     ///< what any rank asked for: every rank sees the same answer
    std::span<const Span> spans;  ///< one per op, in op order; valid until the next step
};

/// A slice of a unit's states on this rank, for checkpoints. Memory is the engine's.
struct StateView {
    const UnitInfo* unit = nullptr;
    const FlatLayout* layout = nullptr;
    std::string kind;          ///< "weights" (fp32 master), "m", "v"
    std::int64_t begin = 0;    ///< first element of the unit's flat buffer
    std::span<float> values;
};

/// One rank of training: owns the rank's buffers and executes the compiled schedule, op by op.
///
/// Not thread-safe; lastOp() may be called from any thread.
class Engine {
public:
    /// Allocates the planned buffers, fills the weights and meets the other ranks.
    /// @error Unavailable (memory), whatever `weights` and `collectives` report, Refused for a precision it does not have
    [[nodiscard]] static Result<std::unique_ptr<Engine>> create(const EngineOptions& options, WeightSource& weights, const CollectivesFactory& collectives);
    ~Engine();

    /// One optimizer step. Every rank calls it with the same `step`.
    /// @param requests  what this rank asks for; the report holds what any rank did
    /// @error Io (a peer is lost), Internal (loss or norm is not finite), or the fill's own; context "lastOp" names the op
    [[nodiscard]] Result<StepReport> step(std::int64_t step, const BatchFill& fill, StepRequests requests = {});

    // The same step in the calls of DeepSpeed's engine, with create() as its initialize(), for programs that have their own loop:
    // forward() and backward() for each micro-batch of the accumulation, and step() after each of them. Every rank makes the
    // same calls.
    // @error as step(); InvalidArgument when the call is not the one whose turn it is

    /// Mean loss of this rank's next micro-batch. @param step  global step, 0 = first update
    [[nodiscard]] Result<double> forward(std::int64_t step, const BatchFill& fill);
    /// The gradients of that micro-batch, added to those of the step and reduced as the ZeRO stage has it.
    [[nodiscard]] Result<void> backward();
    /// After the last micro-batch: norm, clipping and update, and the gradients begin anew. Before it nothing: nullopt.
    [[nodiscard]] Result<std::optional<StepReport>> step(StepRequests requests = {});

    /// Mean loss over `batches` micro-batches per rank, without update. Every rank calls it with the same `batches`.
    /// @param fill  (batch, tokens) -> windows that count, 0 to microBatch
    /// @param stop  asked before each batch, on every rank or on none: where one rank says true, all leave without a loss
    using EvalFill = std::function<Result<std::int64_t>(std::int64_t batch, const TokenBatch& tokens)>;
    [[nodiscard]] Result<std::optional<double>> evaluate(std::int64_t batches, const EvalFill& fill, const std::function<bool()>& stop = {});

    /// The states this rank must save; together the ranks' views cover every unit. At stage 0 every rank owns everything and
    /// the views are this rank's slice all the same.
    [[nodiscard]] std::vector<StateView> states();
    /// The states a resuming rank must fill before restored(): whole units at stage 0, else its slice.
    [[nodiscard]] std::vector<StateView> statesToRestore();
    /// To be called after the views of statesToRestore() were filled.
    void restored();

    [[nodiscard]] const Schedule& schedule() const;
    [[nodiscard]] const std::vector<PlannedBuffer>& buffers() const;
    [[nodiscard]] std::int64_t allocatedBytes() const;
    /// allocatedBytes() by ledger id, as counted while allocating.
    [[nodiscard]] const std::map<std::string, std::int64_t>& allocatedByKind() const;
    /// The op at work or last done, in words: "Forward block.3".
    [[nodiscard]] std::string lastOp() const;
    /// The logits of the last forward, [microBatch * seq, vocab], as floats; overwritten by their gradient in training.
    [[nodiscard]] std::vector<float> logits() const;
    /// Sums a vector of values over ranks in rank order. Every rank calls it.
    [[nodiscard]] Result<void> allReduce(std::span<double> values);

private:
    class Impl;
    explicit Engine(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace stagecraft
