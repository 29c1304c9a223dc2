// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/machine_probe.h"
#include "planner/plan.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft {

/// A folder that model states are swapped to, and how much of it one node takes.
struct SwapFolder {
    std::string pointer;             ///< into the workspace: of the nvme_path that names it
    std::filesystem::path path;
    std::int64_t bytesPerNode = 0;   ///< of the fullest node
};

/// What a look at such a folder shows.
struct FolderFacts {
    bool exists = false, isFolder = false;
    std::filesystem::path nearest;   ///< the nearest of its parents that is there, or itself
    DiskFacts disk;                  ///< of the file system that holds it
};

/// Bytes of files on the fullest node, while training; 0 = nothing is swapped.
[[nodiscard]] std::int64_t swapBytesPerNode(const std::vector<LedgerRole>& ledger, std::int64_t devicesPerNode);

/// The folders a ledger's files lie in, those of weights and those of optimizer states; one where both name the same.
[[nodiscard]] std::vector<SwapFolder> swapFolders(const Workspace& workspace, const std::vector<LedgerRole>& ledger);

/// Whether the workspace's ranks run on this machine, so that its folders are those here: one node with CPUs, or with the GPUs that
/// `context` found.
[[nodiscard]] bool runsHere(const Workspace& workspace, const PlanContext& context);

/// Puts into `settings` how fast the folder is that the workspace swaps to, where the ranks run on this machine and `stagecraft doctor --disk`
/// has measured it: the slower one of two.
/// @return the folder measured; nothing where none is known, or nothing is swapped to files
std::optional<std::filesystem::path> useMeasuredDisk(const Workspace& workspace, const PlanContext& context, DsSettings& settings);

/// Exists, is a folder, writable, on which file system, bytes free. Reads the machine.
[[nodiscard]] FolderFacts lookAtFolder(const std::filesystem::path& path);

/// What speaks against swapping to a folder, most serious first. Pure.
/// @return findings; one of severity "error" where the files cannot be written there
[[nodiscard]] std::vector<PlanFinding> judgeSwapFolder(const SwapFolder& folder, const FolderFacts& facts);

/// Whether all files of a ledger can be written, on the machine that asks. Reads it.
[[nodiscard]] bool filesCanBeWritten(const Workspace& workspace, const std::vector<LedgerRole>& ledger);

/// Looks at the plan's folders where its ranks run on this machine, adds what is found to its findings, and takes back a verdict that
/// counts on files which cannot be written.
void addSwapFolders(const Workspace& workspace, const PlanContext& context, Plan& plan);

}  // namespace stagecraft
