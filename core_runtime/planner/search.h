// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagecraft {

/// One scored point of the search. `job` has everything that makesPlan would use.
struct ScoredLayout {
    std::int64_t dp = 1, tp = 1, pp = 1, cp = 1, ep = 1;
    int stage = 0;
    OffloadDevice offloadOptimizer = OffloadDevice::None, offloadParam = OffloadDevice::None;
    ActivationPolicy policy = ActivationPolicy::None;
    std::int64_t microBatch = 1, accumulation = 1;
    bool embeddingPlace = false, lossPlace = false;  ///< Megatron-LM counts them as a layer each where it divides the layers over the stages
    std::int64_t memory = 0;           ///< process bytes of the fullest rank
    double stepTime = 0, tokensPerSecond = 0, mfu = 0;
    std::int64_t hostBytesPerNode = 0; ///< bytes of host memory that offloading takes on the fullest node
    double probability = 0;            ///< that it fits, as a plan of it says
    bool fits = false;                 ///< surely, and within the share of memory asked for
    bool mayFit = false;               ///< or perhaps: a plan would say "unsure"
    bool operator==(const ScoredLayout&) const = default;
};

/// Where one of many layouts lies: a picture of the whole search, not only of its best.
struct LayoutDot {
    double stepTime = 0;
    std::int64_t memory = 0;
    bool fits = false;
};

struct SearchResult {
    std::vector<ScoredLayout> best;    ///< those that fit surely, fastest first, then those that may fit, fastest first, then the smallest of the others; the whole front is among them
    std::vector<std::size_t> pareto;   ///< indices into `best`: of all layouts looked at, no other is both faster and smaller; by rising memory
    std::vector<ScoredLayout> front;   ///< the same layouts, fastest first
    std::vector<LayoutDot> dots;       ///< every n-th layout looked at, at most kMostDots
    std::int64_t scored = 0;           ///< layouts looked at
    std::int64_t fitting = 0;          ///< of them, how many fit surely
    std::int64_t mayFit = 0;           ///< and how many may fit
    std::optional<ScoredLayout> likely; ///< the fastest of these that fit more likely than not, where it is faster than all that fit surely
    std::int64_t total = 0;            ///< layouts there are
    bool cancelled = false;
};

inline constexpr std::size_t kMostDots = 2048;

/// What may vary in a search, and what must hold.
struct SearchLimits {
    std::int64_t globalBatch = 0;      ///< samples per step; 0 = the case's own
    double memoryShare = 1.0;          ///< of the device's usable memory; that forecasts err is in the probability
    std::int64_t usableBytes = 0;      ///< of one device; 0 = its data sheet's
    std::int64_t hostBytesPerNode = 0; ///< for offload; 0 = unknown
    bool tensorInsideNode = true;      ///< tensor-parallel groups do not leave a node
    bool offload = true;
    std::size_t keep = 200;            ///< best layouts kept
    bool dataParallelOnly = false;     ///< tp, pp, cp and ep stay 1: what our engine runs
    /// Fills memory, probability and time of a layout; false where the framework refuses it. Empty = scoreLayout for all.
    std::function<bool(TrainingCase& scratch, ScoredLayout& point)> score;
    /// Makes a layout that is kept be what a plan says of it once it is applied; false where the framework refuses it then. The closed forms
    /// vary the job as it stands, and what its arguments make of another layout only reading them anew can tell. Empty = they are kept so.
    std::function<bool(ScoredLayout& point)> settle;
    /// Called every few hundred layouts with what is known so far (`best` in no order, no `pareto`), on the searching thread.
    std::function<void(const SearchResult& soFar)> progress;
};

/// Memory and time of `base` with the layout of `point` put in, by the closed forms of the ledgers and the time model.
/// @pre point's sizes are legal for the model
void scoreLayout(TrainingCase& scratch, ScoredLayout& point);

/// Says whether a layout fits, surely or perhaps, from its probability.
/// @param share  bytes it may take at most, whatever the probability
void judgeLayout(ScoredLayout& point, std::int64_t share);

/// Goes through all legal layouts of `base`'s ranks, by the rules of layout_faults.h: tp divides heads (and stays in a node), pp divides
/// ranks and layers (Megatron-LM's may count the embedding and the loss as layers), ep data-parallel ranks, micro-batches the global batch, ZeRO stages that the framework has, offload from stage 1 on.
/// Stops within a few hundred layouts of a stop request.
[[nodiscard]] SearchResult searchLayouts(const TrainingCase& base, const SearchLimits& limits, const std::stop_token& stop = {});

}  // namespace stagecraft
