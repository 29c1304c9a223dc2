// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <tuple>

namespace stagecraft {

bool speaksOfPeer(std::string_view message)
{
    static constexpr std::array<std::string_view, 9> kWords{
        "Connection closed by peer", "Connection reset by peer", "Broken pipe", "Connection refused", "Software caused connection abort",
        "Application timeout caused pair closure", "Timed out waiting", "remote process exited", "NCCL communicator was aborted"};
    return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return message.find(word) != std::string_view::npos; });
}

namespace {

/// 0 = cannot be a consequence, 1 = failed in its own way, 2 = is going down, 3 = only misses a peer; -1 = did not fail.
int classOf(const RankEvidence& rank)
{
    if (!rank.failureMessage.empty()) return rank.peerLost || speaksOfPeer(rank.failureMessage) ? 3 : 1;
    if (rank.endedWell) return -1;
    if (!rank.end) return rank.silentNs != 0 ? 2 : -1;
    if (!rank.lastPeerLine.empty() || speaksOfPeer(rank.lastErrorLine)) return 3;
    // An uncaught exception about a peer ends in SIGABRT, and its words may be lost: an abort can be a consequence.
    return rank.end->bySignal && rank.end->code != SIGABRT ? 0 : 1;
}

/// Whether all ranks of several gave the same reason of their own, as of a loss that is not finite: it is the job's, and which of
/// them came first says nothing.
bool saidTheSame(const std::vector<RankEvidence>& ranks)
{
    return ranks.size() > 1
        && std::all_of(ranks.begin(), ranks.end(), [&](const RankEvidence& rank) { return !rank.failureMessage.empty() && classOf(rank) == 1 && rank.failureMessage == ranks.front().failureMessage; });
}

std::int64_t timeOf(const RankEvidence& rank)
{
    if (rank.failureNs != 0) return rank.failureNs;
    return rank.endNs != 0 ? rank.endNs : rank.silentNs;
}

}  // namespace

std::optional<Blame> blameOf(const std::vector<RankEvidence>& ranks)
{
    const RankEvidence* first = nullptr;
    const auto key = [](const RankEvidence& rank) { return std::tuple(classOf(rank), timeOf(rank), rank.rank); };
    for (const RankEvidence& rank : ranks)
        if (classOf(rank) >= 0 && (first == nullptr || key(rank) < key(*first))) first = &rank;
    if (first == nullptr) return std::nullopt;
    if (saidTheSame(ranks)) return Blame{-1, "error", fmt::format("every rank failed: {}", first->failureMessage), {}};

    Blame blame{first->rank, "error", {}, first->lastOp};
    if (!first->failureMessage.empty()) {
        blame.message = fmt::format("rank {} failed: {}", first->rank, first->failureMessage);
        return blame;
    }
    if (!first->end) {
        blame.kind = "exit";
        blame.message = fmt::format("rank {} went away without a word", first->rank);
        if (!first->lastOp.empty()) blame.message += fmt::format(" during {}", first->lastOp);
        return blame;
    }
    blame.kind = first->end->bySignal ? "signal" : "exit";
    blame.message = fmt::format("rank {} {}", first->rank, first->end->inWords());
    if (!first->end->bySignal && (first->end->code == 0 || first->end->code == 3)) blame.message += " before it was done";
    if (!first->lastOp.empty()) blame.message += fmt::format(" during {}", first->lastOp);
    if (!first->lastErrorLine.empty()) blame.message += fmt::format("; its last words: {}", first->lastErrorLine);
    return blame;
}

bool mayHaveACulprit(const std::vector<RankEvidence>& ranks)
{
    return std::none_of(ranks.begin(), ranks.end(), [](const RankEvidence& rank) { return classOf(rank) == 0; });
}

}  // namespace stagecraft
