// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// The options of the deepspeed launcher that choose hosts and devices; empty and 0 = not given.
struct HostChoice {
    std::optional<std::string> hostFile;  ///< its text
    std::string include, exclude;         ///< HOST[:SLOT,SLOT...]@HOST...
    std::int64_t nodes = 0, perNode = 0;  ///< --num_nodes, --num_gpus
};

/// Ranks on each host that deepspeed starts, as launcher/runner.py of DeepSpeed 0.19 counts them. Nothing where the options alone
/// do not tell it, or where deepspeed refuses them.
[[nodiscard]] std::optional<std::vector<std::int64_t>> ranksOfHosts(const HostChoice& choice);

/// The variables that Slurm gives a batch script by the #SBATCH lines at its head: SLURM_NNODES, SLURM_NTASKS, SLURM_GPUS_ON_NODE
/// and their like. What the lines do not say is not there.
[[nodiscard]] std::map<std::string, std::int64_t> slurmVariables(std::string_view script);

}  // namespace stagecraft
