// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stagecraft {

/// Seconds of one optimizer step of one rank, by phase; they add up to the step (the rest is `wait`).
/// The order is the order in which charts stack them.
enum class Phase : std::uint8_t { Data, Forward, Backward, Communication, Optimizer, Wait };
inline constexpr int kPhaseCount = 6;
/// "data", "forward", "backward", "communication", "optimizer", "wait".
[[nodiscard]] const char* phaseName(Phase phase);

/// One line of ranks/NNNNN/metrics.ndjson: what a rank knows at the end of an optimizer step.
struct StepMetrics {
    std::int64_t timeNs = 0;        ///< wall clock, ns since the epoch
    int rank = 0;
    std::int64_t step = 0;          ///< global step, 1 = after the first update
    double loss = 0;                ///< mean over all tokens of the global batch, before the update; same on every rank
    double learningRate = 0;
    double gradNorm = 0;            ///< before clipping
    double stepSeconds = 0;
    double tokensPerSecond = 0;     ///< of the whole job
    std::array<double, kPhaseCount> phaseSeconds{};
    std::int64_t rssBytes = 0;      ///< resident set now
    std::int64_t peakRssBytes = 0;  ///< VmHWM
    std::int64_t allocatedBytes = 0;      ///< tensors alive, by the engine's own count
    std::int64_t peakAllocatedBytes = 0;
    std::int64_t droppedSpans = 0;  ///< since the start
    int attempt = -1;               ///< start of the run that made it (RunInfo::attempt); -1 = of an earlier release, not recorded
};

/// One line of events.ndjson. `fields` holds what belongs to the kind, values as JSON text.
///
/// Kinds: run_started {attempt, resumedFrom, resumedAttempt?, world}, rank_state {state: starting|ready|running|finished|failed|stopped, exitCode?, signal?},
/// memory {ledger id: bytes ...} (what a rank's engine allocated for each kind of buffer), step_finished {step, loss, stepTime} (of rank 0), eval {step, loss},
/// checkpoint_saved {step, path, bytes, seconds}, checkpoint_failed {step, message, last}, log {level, stream, text}, failure {failureKind, message, lastOp}, run_ended {status}.
struct EventRecord {
    std::int64_t timeNs = 0;
    int rank = -1;                  ///< -1 = the supervisor
    std::string kind;
    std::map<std::string, std::string> fields;
    int attempt = -1;               ///< start of the run it is of, as StepMetrics::attempt; a run_started has it in its fields too
};

/// One op as it was executed. 32 bytes on disk in this order, little-endian, after a 16-byte file header.
struct Span {
    std::int64_t startNs = 0;       ///< CLOCK_MONOTONIC of the host
    std::int64_t endNs = 0;
    std::int32_t step = 0;          ///< global step, 1 = first update
    std::int32_t op = 0;            ///< index into the rank's program
    std::uint32_t flags = 0;        ///< bit 0: on the communication thread
    std::uint32_t reserved = 0;
};
static_assert(sizeof(Span) == 32);

}  // namespace stagecraft
