// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workspace/workspace.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A link by its nominal rate, one direction.
struct LinkSheet {
    std::string id, name;
    double bytesPerSecond = 0;   ///< of all its ports together
    std::string source;
};

/// The links in configs/links, compiled in.
[[nodiscard]] const std::vector<LinkSheet>& linkSheets();

/// A link by id or name, ignoring case, or by its rate: "400Gbps", "8x200Gbps", "3.2Tbps", "50GB/s", "1.6TB/s". Rates are of one direction:
/// halve a figure that counts both.
/// @error NotFound with the ids that are known
[[nodiscard]] Result<LinkSheet> findLink(std::string_view word);

/// What it takes to make the gradients of all replicas equal once.
struct GradientExchange {
    double elements = 0;             ///< trained parameters of one replica that others have, too; of divided experts those that lie on its ranks
    double expertElements = 0;       ///< part of them in divided experts, which only `expertReplicas` hold alike
    double ownElements = 0;          ///< beside them, in experts that one replica alone holds: nobody exchanges those
    double bytesPerElement = 2;
    std::int64_t replicas = 1, expertReplicas = 1, ranksPerReplica = 1;
    struct Row {
        LinkSheet link;
        double oneReplica = 0;       ///< seconds in which one replica's gradients go over this link once
        double ring = 0;             ///< seconds of a ring all-reduce when every replica has one such link
    };
    std::vector<Row> links;

    [[nodiscard]] Row over(const LinkSheet& link) const { return {link, replicaBytes() / link.bytesPerSecond, ringBytesPerReplica() / link.bytesPerSecond}; }
    [[nodiscard]] double replicaBytes() const { return elements * bytesPerElement; }
    [[nodiscard]] double rankBytes() const { return replicaBytes() / static_cast<double>(ranksPerReplica); }
    [[nodiscard]] double allReplicasBytes() const { return replicaBytes() * static_cast<double>(replicas); }
    /// A ring all-reduce sends 2 (n - 1) / n of the buffer from each replica.
    [[nodiscard]] double ringBytesPerReplica() const
    {
        const auto ring = [](std::int64_t ranks) { return 2 * static_cast<double>(ranks - 1) / static_cast<double>(ranks); };
        return bytesPerElement * (ring(replicas) * (elements - expertElements) + ring(expertReplicas) * expertElements);
    }
    [[nodiscard]] double ringBytes() const { return ringBytesPerReplica() * static_cast<double>(replicas); }
};

/// @param links  to show times for; empty = all of linkSheets()
/// @return nothing where the number of parameters is not known or the layout is impossible
[[nodiscard]] std::optional<GradientExchange> gradientExchange(const Workspace& workspace, const std::vector<LinkSheet>& links = {});

/// "exchange" of `stagecraft plan --json`.
[[nodiscard]] nlohmann::json exchangeToJson(const GradientExchange& exchange);

}  // namespace stagecraft
