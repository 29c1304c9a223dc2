// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker/arguments.h"

#include <charconv>
#include <limits>

namespace stagecraft {

namespace {

Error wrong(std::string message) { return Error{ErrorCode::InvalidArgument, std::move(message), {}}; }

/// A whole number of the given range, or an error that names what it was for.
Result<std::int64_t> number(const std::string& name, const std::string& text, std::int64_t least, std::int64_t most)
{
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < least || value > most)
        return wrong(name + " is \"" + text + "\"; use a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ".");
    return value;
}

constexpr std::int64_t kMostRanks = 1 << 20;

struct Launcher {
    const char* rank;
    const char* world;
};
constexpr Launcher kLaunchers[] = {{"RANK", "WORLD_SIZE"}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}};

/// Rank and world of the first launcher that speaks, and torchrun's attempt and master.
Result<void> readEnvironment(WorkerArguments& result, const Environment& environment)
{
    for (const Launcher& launcher : kLaunchers) {
        const std::string rank = environment(launcher.rank), world = environment(launcher.world);
        if (rank.empty() || world.empty()) continue;
        const auto size = number(launcher.world, world, 1, kMostRanks);
        if (!size.hasValue()) return size.error();
        const auto index = number(launcher.rank, rank, 0, *size - 1);
        if (!index.hasValue()) return index.error();
        result.rank = static_cast<int>(*index);
        result.world = static_cast<int>(*size);
        break;
    }
    if (const std::string restart = environment("TORCHELASTIC_RESTART_COUNT"); !restart.empty()) {
        const auto count = number("TORCHELASTIC_RESTART_COUNT", restart, 0, std::numeric_limits<int>::max());
        if (!count.hasValue()) return count.error();
        result.attempt = static_cast<int>(*count);
    }
    return {};
}

}  // namespace

std::string workerUsage()
{
    return "stagecraft-worker --run-dir DIR [--rank R --world W] [--attempt N] [--store FILE | --master HOST:PORT] [--address A]\n"
           "                  [--control-fd FD] [--resume auto|STEP|no]\n"
           "\n"
           "One rank of training. Reads DIR/workspace.json, writes DIR/ranks/NNNNN. Rank and world may also come from torchrun, Slurm\n"
           "or Open MPI. `stagecraft run` starts these; by hand it is needed only under another launcher.\n"
           "With --measure FOLDER [--seconds S] [--cores N] nothing is trained: `stagecraft doctor --measure` asks for this machine's rates.\n"
           "STAGECRAFT_TELEMETRY=off in the environment: no spans, and metrics only as the run's answer needs them.\n"
           "Exit: 0 finished, 1 failed, 2 wrong usage, 3 stopped on request after a whole step.\n";
}

Result<WorkerArguments> parseWorkerArguments(const std::vector<std::string>& arguments, const Environment& environment)
{
    WorkerArguments result;
    bool haveRank = false, haveWorld = false;
    std::string rank, world;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& flag = arguments[i];
        if (flag == "--help" || flag == "-h") {
            result.showHelp = true;
            return result;
        }
        if (flag == "--version") {
            result.showVersion = true;
            return result;
        }
        if (i + 1 == arguments.size()) return wrong("\"" + flag + "\" is no argument of this program, or lacks its value; see --help.");
        const std::string& value = arguments[++i];
        Result<std::int64_t> parsed = std::int64_t{0};
        if (flag == "--run-dir") result.runFolder = value;
        else if (flag == "--store") result.store = value;
        else if (flag == "--address") result.address = value;
        else if (flag == "--measure") result.measureFolder = value;
        else if (flag == "--seconds") {
            parsed = number(flag, value, 1, 3600);
            if (parsed.hasValue()) result.measureSeconds = static_cast<double>(*parsed);
        } else if (flag == "--cores") {
            parsed = number(flag, value, 1, 1 << 16);
            if (parsed.hasValue()) result.measureCores = static_cast<int>(*parsed);
        } else if (flag == "--rank") haveRank = true, rank = value;
        else if (flag == "--world") haveWorld = true, world = value;
        else if (flag == "--attempt") {
            parsed = number(flag, value, 0, std::numeric_limits<int>::max());
            if (parsed.hasValue()) result.attempt = static_cast<int>(*parsed);
        } else if (flag == "--control-fd") {
            parsed = number(flag, value, 0, 1 << 20);
            if (parsed.hasValue()) result.controlFd = static_cast<int>(*parsed);
        } else if (flag == "--resume") {
            result.resume = value;
            if (value != "auto" && value != "no") parsed = number(flag, value, 0, std::numeric_limits<std::int64_t>::max());
        } else if (flag == "--master") {
            const std::size_t colon = value.rfind(':');
            if (colon == std::string::npos || colon == 0) return wrong("--master is \"" + value + "\"; use HOST:PORT.");
            parsed = number("the port of --master", value.substr(colon + 1), 1, 65535);
            if (parsed.hasValue()) result.masterHost = value.substr(0, colon), result.masterPort = static_cast<std::uint16_t>(*parsed);
        } else {
            return wrong("\"" + flag + "\" is no argument of this program; see --help.");
        }
        if (!parsed.hasValue()) return parsed.error();
    }
    if (!result.measureFolder.empty()) return result;
    if (haveRank != haveWorld) return wrong("Give --rank and --world together, or neither.");
    if (haveRank) {
        const auto size = number("--world", world, 1, kMostRanks);
        if (!size.hasValue()) return size.error();
        const auto index = number("--rank", rank, 0, *size - 1);
        if (!index.hasValue()) return index.error();
        result.rank = static_cast<int>(*index);
        result.world = static_cast<int>(*size);
    } else if (Result<void> read = readEnvironment(result, environment); !read.hasValue()) {
        return read.error();
    }
    const std::string telemetry = environment("STAGECRAFT_TELEMETRY");
    if (!telemetry.empty() && telemetry != "on" && telemetry != "off") return wrong("STAGECRAFT_TELEMETRY is \"" + telemetry + "\"; use on or off.");
    result.telemetry = telemetry != "off";
    if (result.runFolder.empty()) return wrong("--run-dir is missing; see --help.");
    if (result.store.empty()) result.store = result.runFolder / ("attempt_" + std::to_string(result.attempt)) / "store";
    return result;
}

}  // namespace stagecraft
