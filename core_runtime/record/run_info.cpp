// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_info.h"

#include "base/atomic_file.h"
#include "record/run_folder.h"

#include <fmt/format.h>

#include <array>

namespace stagecraft {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::array kStatusNames{"starting", "running", "finished", "failed", "stopped", "lost"};

template <class T>
json orNull(const std::optional<T>& value)
{
    return value ? json(*value) : json();
}

// Readers below take what has the right type and leave the rest at its default: a run.json of a later version still opens.
void take(const json& object, const char* key, std::string& out)
{
    if (const auto it = object.find(key); it != object.end() && it->is_string()) out = it->get<std::string>();
}
template <class Int>
    requires std::is_integral_v<Int>
void take(const json& object, const char* key, Int& out)
{
    if (const auto it = object.find(key); it != object.end() && it->is_number_integer()) out = it->get<Int>();
}
void take(const json& object, const char* key, double& out)
{
    if (const auto it = object.find(key); it != object.end() && it->is_number()) out = it->get<double>();
}
void take(const json& object, const char* key, std::optional<int>& out)
{
    if (const auto it = object.find(key); it != object.end() && it->is_number_integer()) out = it->get<int>();
}

}  // namespace

const char* runStatusName(RunStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

std::optional<RunStatus> runStatusFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kStatusNames.size(); ++i)
        if (name == kStatusNames[i]) return static_cast<RunStatus>(i);
    return std::nullopt;
}

ordered_json runInfoToJson(const RunInfo& info)
{
    ordered_json ranks = ordered_json::array();
    // The words of launchers (RANK, LOCAL_RANK, ...), spelled as they spell them.
    for (const RankProcess& rank : info.ranks)
        ranks.push_back({{"rank", ranks.size()}, {"local_rank", rank.localRank}, {"node_rank", rank.nodeRank}, {"world_size", info.world}, {"master", info.master}, {"pid", rank.pid}, {"state", rank.state}, {"exitCode", orNull(rank.exitCode)}, {"signal", orNull(rank.signal)}});
    ordered_json failure;
    if (info.failure)
        failure = {{"rank", info.failure->rank}, {"kind", info.failure->kind}, {"message", info.failure->message},
                   {"lastOp", info.failure->lastOp}, {"t_ns", info.failure->timeNs}};
    ordered_json machine;
    if (info.machine)
        machine = {{"cpu", info.machine->cpu}, {"logicalCores", info.machine->logicalCores}, {"usableCores", info.machine->usableCores}, {"memoryBytes", info.machine->memoryBytes}, {"version", info.machine->version}};
    return {{"stagecraftRun", 1},
            {"id", info.id},
            {"name", info.name},
            {"status", runStatusName(info.status)},
            {"attempt", info.attempt},
            {"started_ns", info.startedNs},
            {"ended_ns", info.endedNs},
            {"world", info.world},
            {"zeroStage", info.zeroStage},
            {"params", info.params},
            {"tokensPerSample", info.tokensPerSample},
            {"flopsPerToken", info.flopsPerToken},
            {"master", info.master},
            {"plannedSteps", info.plannedSteps},
            {"doneSteps", info.doneSteps},
            {"resumedFrom", info.resumedFrom},
            {"resumedAttempt", orNull(info.resumedAttempt)},
            {"host", info.host},
            {"machine", machine},
            {"supervisorPid", info.supervisorPid},
            {"workspaceFile", info.workspaceFile},
            {"command", info.command},
            {"failure", failure},
            {"ranks", ranks},
            {"versions", info.versions},
            {"workspace", info.workspace}};
}

Result<RunInfo> runInfoFromJson(const json& document)
{
    if (!document.is_object() || !document.contains("stagecraftRun"))
        return Error{ErrorCode::InvalidInput, "Not a run: \"stagecraftRun\" is missing", {}};
    RunInfo info;
    take(document, "id", info.id);
    take(document, "name", info.name);
    std::string status;
    take(document, "status", status);
    const auto known = runStatusFromName(status);
    if (!known) return Error{ErrorCode::InvalidInput, "Not a run: \"status\" is missing or unknown", {{"pointer", "/status"}}};
    info.status = *known;
    take(document, "attempt", info.attempt);
    take(document, "started_ns", info.startedNs);
    take(document, "ended_ns", info.endedNs);
    take(document, "world", info.world);
    take(document, "zeroStage", info.zeroStage);
    take(document, "params", info.params);
    take(document, "tokensPerSample", info.tokensPerSample);
    take(document, "flopsPerToken", info.flopsPerToken);
    take(document, "master", info.master);
    take(document, "plannedSteps", info.plannedSteps);
    take(document, "doneSteps", info.doneSteps);
    take(document, "resumedFrom", info.resumedFrom);
    take(document, "resumedAttempt", info.resumedAttempt);
    take(document, "host", info.host);
    if (const auto it = document.find("machine"); it != document.end() && it->is_object()) {
        MachineHost machine;
        take(*it, "cpu", machine.cpu);
        take(*it, "logicalCores", machine.logicalCores);
        take(*it, "usableCores", machine.usableCores);
        take(*it, "memoryBytes", machine.memoryBytes);
        take(*it, "version", machine.version);
        info.machine = machine;
    }
    take(document, "supervisorPid", info.supervisorPid);
    take(document, "workspaceFile", info.workspaceFile);
    if (const auto it = document.find("command"); it != document.end() && it->is_array())
        for (const json& word : *it)
            if (word.is_string()) info.command.push_back(word.get<std::string>());
    if (const auto it = document.find("failure"); it != document.end() && it->is_object()) {
        RunFailure failure;
        take(*it, "rank", failure.rank);
        take(*it, "kind", failure.kind);
        take(*it, "message", failure.message);
        take(*it, "lastOp", failure.lastOp);
        take(*it, "t_ns", failure.timeNs);
        info.failure = failure;
    }
    if (const auto it = document.find("ranks"); it != document.end() && it->is_array())
        for (const json& entry : *it) {
            RankProcess rank;
            take(entry, "pid", rank.pid);
            take(entry, "state", rank.state);
            take(entry, "local_rank", rank.localRank);
            take(entry, "node_rank", rank.nodeRank);
            take(entry, "exitCode", rank.exitCode);
            take(entry, "signal", rank.signal);
            info.ranks.push_back(rank);
        }
    if (const auto it = document.find("versions"); it != document.end() && it->is_object())
        for (const auto& [key, value] : it->items())
            if (value.is_string()) info.versions[key] = value.get<std::string>();
    if (const auto it = document.find("workspace"); it != document.end()) info.workspace = *it;
    return info;
}

Result<void> writeRunInfo(const std::filesystem::path& runFolder, const RunInfo& info)
{
    return writeFileAtomically(RunFolder{runFolder}.runJson(), runInfoToJson(info).dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

Result<RunInfo> readRunInfo(const std::filesystem::path& runFolder)
{
    const auto path = RunFolder{runFolder}.runJson();
    auto text = readFile(path, std::size_t{64} << 20);
    if (!text.hasValue()) return text.error();
    const json document = json::parse(text.value(), nullptr, false);
    if (document.is_discarded())
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot read \"{}\": it is damaged, no whole JSON document ({} bytes)", path.string(), text.value().size()), {{"path", path.string()}}};
    auto info = runInfoFromJson(document);
    if (!info.hasValue())
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot read \"{}\": {}", path.string(), info.error().message), {{"path", path.string()}}};
    return info;
}

}  // namespace stagecraft
