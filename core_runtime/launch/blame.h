// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "launch/rank_process.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What is known about one rank when something has gone wrong. Times are ns on one monotonic clock.
struct RankEvidence {
    int rank = 0;
    std::optional<ProcessEnd> end;        ///< only when not ended by us
    std::int64_t endNs = 0;
    bool endedWell = false;               ///< exit 0 or 3 after saying so
    std::string failureMessage;           ///< its own words, empty when it said nothing
    bool peerLost = false;                ///< its own words blame another rank
    std::int64_t failureNs = 0;
    std::string lastOp;
    std::string lastErrorLine;            ///< of its stderr
    std::string lastPeerLine;             ///< of its stderr, of those that speak of a lost peer
    std::int64_t silentNs = 0;            ///< when its socket closed without a word while the process is still there; 0 = it did not
};

struct Blame {
    int rank = -1;                        ///< -1 = every rank, in the same words
    std::string kind;                     ///< signal | exit | error
    std::string message;
    std::string lastOp;
};

/// Whether a message only says that another rank went away (Gloo's and NCCL's words for it).
[[nodiscard]] bool speaksOfPeer(std::string_view message);

/// The rank that failed first rather than its victims: one killed by a signal comes before one that failed in its own words,
/// ended without any or aborted, that before one that is seen going down, and that before one that only misses a peer; within
/// a class the earliest. Where every rank gives the same reason, none of them is named.
/// @return nullopt when nobody failed
[[nodiscard]] std::optional<Blame> blameOf(const std::vector<RankEvidence>& ranks);

/// Whether the verdict can still change when more evidence arrives shortly: no rank ended in a way that is never a consequence.
[[nodiscard]] bool mayHaveACulprit(const std::vector<RankEvidence>& ranks);

}  // namespace stagecraft
