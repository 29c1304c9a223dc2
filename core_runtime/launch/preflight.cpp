// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/preflight.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "hardware/machine_probe.h"

#include <fmt/format.h>

namespace stagecraft {

std::vector<PreflightFinding> preflight(const RunDemand& demand, const MachineState& machine)
{
    std::vector<PreflightFinding> findings;
    const auto refuse = [&](ErrorCode code, std::string message, std::map<std::string, std::string> context) { findings.push_back({true, {code, std::move(message), std::move(context)}}); };
    const auto warn = [&](std::string message, std::map<std::string, std::string> context) { findings.push_back({false, {ErrorCode::Refused, std::move(message), std::move(context)}}); };

    if (demand.device != "cpu") {
        if (demand.device != "cuda" && findDevice(demand.device) == nullptr)
            refuse(ErrorCode::InvalidArgument, fmt::format("Cannot launch on \"{}\": no device of that name is known; launch with --set /hardware/device=cpu", demand.device), {{"pointer", "/hardware/device"}, {"device", demand.device}});
        else if (machine.gpus.empty())
            refuse(ErrorCode::Unavailable, fmt::format("Cannot launch on \"{}\": {}; plan for it here, launch with --set /hardware/device=cpu", demand.device, machine.noGpuReason), {{"pointer", "/hardware/device"}, {"device", demand.device}});
        else if (demand.device != "cuda" && machine.gpus.front().find(demand.device) == std::string::npos)
            refuse(ErrorCode::Unavailable, fmt::format("Cannot launch on \"{}\": this machine has {} x {}; plan for it here, launch with --set /hardware/device=cpu", demand.device, machine.gpus.size(), machine.gpus.front()), {{"pointer", "/hardware/device"}, {"device", demand.device}});
        else
            refuse(ErrorCode::Unavailable, fmt::format("Cannot launch on \"{}\": this version's engine trains on CPUs only; launch with --set /hardware/device=cpu", demand.device), {{"pointer", "/hardware/device"}, {"device", demand.device}});
    }

    const double ranksPerCore = static_cast<double>(demand.ranks) / machine.cores;
    const std::int64_t threads = demand.ranks * demand.threadsPerRank;
    if (ranksPerCore > kMaxRanksPerCore)
        refuse(ErrorCode::Refused, fmt::format("Cannot launch {} ranks on {:g} cores: more than {:g} ranks a core would only wait for each other; use a smaller layout", demand.ranks, machine.cores, kMaxRanksPerCore), {{"pointer", "/layout/dp"}, {"ranks", std::to_string(demand.ranks)}, {"cores", fmt::format("{:g}", machine.cores)}});
    else if (static_cast<double>(threads) > machine.cores)
        warn(fmt::format("{} ranks x {} threads share {:g} cores: the run is slower than it would be with a core for each thread", demand.ranks, demand.threadsPerRank, machine.cores), {{"pointer", "/launch/threadsPerRank"}, {"cores", fmt::format("{:g}", machine.cores)}});

    if (demand.peakBytesPerRank && machine.memoryTotal > 0) {
        const std::int64_t need = *demand.peakBytesPerRank * demand.ranks;
        const std::map<std::string, std::string> context{{"needed", std::to_string(need)}, {"available", std::to_string(machine.memoryAvailable)}, {"total", std::to_string(machine.memoryTotal)}};
        const std::string numbers = fmt::format("{} ranks need {} each, {} together", demand.ranks, formatBytes(*demand.peakBytesPerRank), formatBytes(need));
        if (need > machine.memoryTotal)
            refuse(ErrorCode::Refused, fmt::format("Cannot launch: {}, and this machine has {} of memory; choose a higher ZeRO stage, recompute, a smaller micro-batch or fewer ranks", numbers, formatBytes(machine.memoryTotal)), context);
        else if (need > machine.memoryAvailable)
            warn(fmt::format("{}, and only {} are free now: close other programs, or the kernel may kill a rank", numbers, formatBytes(machine.memoryAvailable)), context);
    }

    const std::map<std::string, std::string> disk{{"path", machine.diskPath.string()}, {"free", std::to_string(machine.diskFree)}};
    const std::int64_t least = kRecordBytes + demand.checkpointBytes;
    if (!machine.diskWritable)
        refuse(ErrorCode::Io, fmt::format("Cannot write a run to \"{}\": the folder is read-only for you; record elsewhere: --run-dir, or XDG_DATA_HOME for every run", machine.diskPath.string()), disk);
    else if (machine.diskFree < least)
        refuse(ErrorCode::Io, fmt::format("Cannot write a run to \"{}\": {} are free, its record{} {}; free space or record elsewhere: --run-dir, or XDG_DATA_HOME for every run", machine.diskPath.string(), formatBytes(machine.diskFree), demand.checkpointBytes > 0 ? " and one checkpoint need" : " needs", formatBytes(least)), disk);
    else if (demand.checkpointBytes > 0 && machine.diskFree < kRecordBytes + demand.checkpointBytes * demand.saves)
        warn(fmt::format("{} checkpoints of {} do not fit into the {} free at \"{}\": later saves will fail unless old ones are deleted", demand.saves, formatBytes(demand.checkpointBytes), formatBytes(machine.diskFree), machine.diskPath.string()), disk);
    return findings;
}

MachineState machineState(const std::filesystem::path& runFolder)
{
    MachineState state;
    state.cores = probeCpu().usableCores;
    const MemoryFacts memory = probeMemory();
    state.memoryTotal = memory.total;
    state.memoryAvailable = memory.available;
    const DiskFacts disk = probeDisk(runFolder);
    state.diskPath = runFolder;
    state.diskFree = disk.free;
    state.diskWritable = disk.writable;
    const GpuProbe gpus = probeGpus();
    for (const GpuFacts& gpu : gpus.gpus) state.gpus.push_back(gpu.name);
    state.noGpuReason = gpus.reason;
    return state;
}

}  // namespace stagecraft
