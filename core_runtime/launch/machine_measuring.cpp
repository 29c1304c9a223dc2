// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/machine_measuring.h"

#include "base/atomic_file.h"
#include "hardware/machine_probe.h"
#include "launch/rank_process.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kLongestAnswer = std::size_t{16} << 20;

/// A folder for what the measurement writes meanwhile; gone with this object, however the worker ended.
struct ScratchFolder {
    fs::path path;
    ~ScratchFolder()
    {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

std::string lastLine(const fs::path& file)
{
    const auto text = readFile(file, 1 << 20);
    if (!text.hasValue()) return {};
    std::string words = text.value();
    while (!words.empty() && words.back() == '\n') words.pop_back();
    return words.substr(words.rfind('\n') + 1);
}

Error cancelled() { return Error{ErrorCode::Cancelled, "The measurement was cancelled; nothing was kept.", {}}; }

/// Reads the worker's lines until it ends. @return the text of its measurement
Result<std::string> listen(RankProcessHandle& worker, const std::function<void(double, const std::string&)>& progress, const std::atomic<bool>& stop)
{
    std::string pending, answer, refusal;
    for (bool open = true; open;) {
        if (stop.load()) return cancelled();
        pollfd ready{worker.controlFd(), POLLIN, 0};
        if (::poll(&ready, 1, 100) <= 0) continue;
        std::array<char, 65536> block;
        const ssize_t got = ::recv(worker.controlFd(), block.data(), block.size(), 0);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        open = got > 0;
        if (open) pending.append(block.data(), static_cast<std::size_t>(got));
        if (pending.size() > kLongestAnswer) return Error{ErrorCode::Internal, "The worker says more than a measurement is long.", {}};
        for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
            const json line = json::parse(pending.substr(0, end), nullptr, false);
            pending.erase(0, end + 1);
            if (!line.is_object()) continue;
            if (const auto done = line.find("done"); done != line.end() && done->is_number()) progress(done->get<double>(), line.contains("doing") && line["doing"].is_string() ? line["doing"].get<std::string>() : "");
            if (line.contains("measure")) answer = line["measure"].dump();
            if (line.contains("error") && line["error"].is_string()) refusal = line["error"].get<std::string>();
        }
    }
    while (!worker.reap()) ::usleep(1000);
    if (stop.load()) return cancelled();
    if (!refusal.empty()) return Error{ErrorCode::Io, refusal, {}};
    return answer;
}

}  // namespace

Result<MachineMeasure> measureThisMachine(const MeasuringRequest& request, const std::function<void(double, const std::string&)>& progress, const std::atomic<bool>& stop)
{
    const ScratchFolder scratch{request.runsRoot / fmt::format(".measure-{}", ::getpid())};
    if (auto made = makeFolder(scratch.path); !made.hasValue()) return made.error();
    RankProcessHandle::Command command;
    const int cores = std::max(1, static_cast<int>(probeCpu().usableCores + 0.001));
    command.arguments = {request.worker.string(), "--measure", scratch.path.string(), "--seconds", std::to_string(std::llround(request.seconds)), "--cores", std::to_string(cores)};
    command.standardOutput = command.standardError = scratch.path / "worker.log";
    command.controlFlag = "--control-fd";
    auto worker = RankProcessHandle::spawn(command);
    if (!worker.hasValue()) return worker.error();
    const auto answer = listen(*worker, progress, stop);
    if (!answer.hasValue()) return answer.error();
    if (answer->empty()) {
        const std::string words = lastLine(scratch.path / "worker.log");
        return Error{ErrorCode::Internal, fmt::format("The worker {} while it measured{}.", worker->end().inWords(), words.empty() ? "" : ": " + words), {}};
    }
    auto measure = machineMeasureFromJson(*answer);
    if (!measure.hasValue()) return Error{ErrorCode::Internal, fmt::format("The worker's measurement cannot be read: {}; use the worker of this release.", measure.error().message), {}};
    measure->host = thisHost(request.version);
    if (stop.load()) return cancelled();
    if (auto saved = saveMachineMeasure(machineMeasureFile(request.runsRoot), *measure); !saved.hasValue()) return saved.error();
    return measure;
}

}  // namespace stagecraft
