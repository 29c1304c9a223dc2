// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace stagecraft {

/// Who this process is and what it is asked to do.
struct WorkerArguments {
    std::filesystem::path runFolder;
    int rank = 0;
    int world = 1;
    int attempt = 0;                       ///< start of the run this belongs to: names its rendezvous folder
    std::filesystem::path store;           ///< rendezvous file of the attempt; empty = runFolder/attempt_N/store
    std::string masterHost;                ///< when not empty: a TCPStore at masterHost:masterPort instead of the file
    std::uint16_t masterPort = 0;
    std::string address = "127.0.0.1";     ///< where peers reach this rank
    int controlFd = -1;                    ///< socket to the supervisor, -1 = none
    std::string resume = "no";             ///< no | auto (the newest valid checkpoint) | a step
    bool telemetry = true;                 ///< false: STAGECRAFT_TELEMETRY=off, record only what the run's answer needs
    std::filesystem::path measureFolder;   ///< not empty: no training; this machine is measured, with the disk of that folder
    double measureSeconds = 50;
    int measureCores = 1;
    bool showHelp = false;
    bool showVersion = false;
};

/// A variable of the environment, empty when it is not set.
using Environment = std::function<std::string(const char* name)>;

/// Reads the command line; rank and world that are not given come from the environment of torchrun (RANK, WORLD_SIZE), Slurm
/// (SLURM_PROCID, SLURM_NTASKS) or Open MPI (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE), else they are 0 and 1.
/// @error InvalidArgument naming the argument or variable
[[nodiscard]] Result<WorkerArguments> parseWorkerArguments(const std::vector<std::string>& arguments, const Environment& environment);

/// What --help prints.
[[nodiscard]] std::string workerUsage();

}  // namespace stagecraft
