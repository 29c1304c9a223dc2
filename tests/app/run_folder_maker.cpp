// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_folder_maker.h"

#include "record/record_lines.h"
#include "record/run_folder.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace stagecraft::testing {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;
constexpr double kGiB2 = 1073741824.0;

const char* const kPlan = R"({
  "forecast": {"stepTime": 0.80, "tokensPerSecond": 5120, "mfu": 0.4, "interval90": [0.75, 0.85],
               "split": {"compute": 0.67, "data": 0.005, "communication_exposed.gradients": 0.06, "communication_exposed.weights": 0.03, "optimizer": 0.033, "host": 0.002},
               "compute": {"forward": 0.22, "backward": 0.45}},
  "fits": {"verdict": "yes", "probability": 0.99, "usable": 7516192768},
  "ledger": {"roles": [{"role": "pp0.tp0", "ranks": 2, "peak": {"phase": "backward", "allocated": 2254857830, "reserved": 2254857830, "process": 2576980377},
    "items": [{"what": "weights", "where": "device", "bytes": 429496729, "phase": "all", "why": "Each rank keeps all weights."},
              {"what": "gradients", "where": "device", "bytes": 214748364, "phase": "all", "why": "Stage 2 keeps this rank's part."},
              {"what": "master", "where": "device", "bytes": 214748364, "phase": "all", "why": ""},
              {"what": "optimizer_states", "where": "device", "bytes": 429496729, "phase": "all", "why": ""},
              {"what": "buckets", "where": "device", "bytes": 107374182, "phase": "backward", "why": ""},
              {"what": "activations.saved", "where": "device", "bytes": 644245094, "phase": "backward", "why": ""},
              {"what": "logits", "where": "device", "bytes": 214748368, "phase": "backward", "why": ""},
              {"what": "init_buffer", "where": "device", "bytes": 99, "phase": "init", "why": ""}]}]}
})";

double noise(std::int64_t step, int salt)
{
    const auto mixed = static_cast<std::uint64_t>(step * 2654435761LL + salt * 40503LL) * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(mixed >> 40) / (1 << 24) - 0.5;
}

}  // namespace

RunFolderMaker::RunFolderMaker(const fs::path& where, int ranks, RunStatus status) : folder(where), world(ranks)
{
    for (int rank = 0; rank < world; ++rank)
        fs::create_directories(RunFolder{folder}.rank(rank));
    std::ofstream(RunFolder{folder}.planJson()) << kPlan;
    addEvent(-1, "run_started", R"({"attempt": 0, "resumedFrom": 0})");
    info.id = "0123456789abcdef";
    info.name = "demo";
    info.world = world;
    info.zeroStage = 2;
    info.params = 4'999'424;
    info.plannedSteps = 2000;
    info.startedNs = kStart;
    info.host = "here";
    setStatus(status);
}

void RunFolderMaker::setStatus(RunStatus status)
{
    const bool alive = status == RunStatus::Starting || status == RunStatus::Running;
    if (alive && !lock) {
        auto taken = RunLock::acquire(folder);
        if (taken.hasValue())
            lock.emplace(std::move(taken.value()));
    } else if (!alive) {
        lock.reset();
    }
    info.status = status == RunStatus::Lost ? RunStatus::Running : status;
    info.endedNs = alive || status == RunStatus::Lost ? 0 : kStart + info.doneSteps * 800'000'000;
    info.ranks.clear();
    for (int rank = 0; rank < world; ++rank) {
        RankProcess process;
        process.pid = 4000 + rank;
        process.state = status == RunStatus::Starting ? (rank == 0 ? "ready" : "starting") : status == RunStatus::Finished ? "finished"
            : status == RunStatus::Stopped ? "stopped" : status == RunStatus::Failed ? (info.failure && (info.failure->rank == rank || info.failure->rank < 0) ? "failed" : "stopped") : "running";
        info.ranks.push_back(process);
    }
    (void)writeRunInfo(folder, info);
}

void RunFolderMaker::addEvent(int rank, const std::string& kind, const std::string& fieldsJson)
{
    nlohmann::json line = nlohmann::json::parse(fieldsJson);
    line["t_ns"] = kStart + written * 800'000'000 + 500'000'000 + events++;   // no two in the same instant
    line["rank"] = rank;
    line["kind"] = kind;
    if (attempt >= 0)
        line["attempt"] = attempt;
    std::ofstream(RunFolder{folder}.events(), std::ios::app) << line.dump() << '\n';
}

void RunFolderMaker::addSteps(std::int64_t from, std::int64_t to)
{
    std::vector<std::ofstream> files;
    for (int rank = 0; rank < world; ++rank)
        files.emplace_back(RunFolder{folder}.metrics(rank), std::ios::app);
    for (std::int64_t step = from; step <= to; ++step) {
        info.doneSteps = step;
        ++written;
        for (int rank = 0; rank < world; ++rank) {
            StepMetrics m;
            m.rank = rank;
            m.step = step;
            m.attempt = attempt;
            m.timeNs = kStart + written * 800'000'000 + rank * 1000;
            m.loss = 1.9 + 6 / std::pow(1 + static_cast<double>(step) / 40, 0.9) + 0.08 * noise(step, 1);
            m.learningRate = rate(step);
            m.gradNorm = 0.8 + 2 / (1 + static_cast<double>(step) / 30) + 0.2 * noise(step, 2);
            const double slow = world > 2 && rank == 5 ? 1.12 : 1;
            m.phaseSeconds = {0.006, 0.22 * slow * (1 + 0.03 * noise(step, rank)), 0.45 * slow, 0.07 + 0.03 * noise(step, 4), 0.035, 0};
            m.stepSeconds = 0.86 + 0.02 * noise(step, 9) + (step % 250 == 0 ? 0.3 : 0) + delay(step);
            double sum = 0;
            for (const double s : m.phaseSeconds)
                sum += s;
            m.phaseSeconds[5] = std::max(0.0, m.stepSeconds - sum);
            m.tokensPerSecond = 4096 / m.stepSeconds;
            m.rssBytes = static_cast<std::int64_t>(2.3 * kGiB2) + rank * 20'000'000;
            m.peakRssBytes = m.rssBytes + 80'000'000;
            m.allocatedBytes = static_cast<std::int64_t>(2.0 * kGiB2);
            m.peakAllocatedBytes = static_cast<std::int64_t>(2.1 * kGiB2);
            files[static_cast<std::size_t>(rank)] << toLine(m) << '\n';
        }
        if (step % 250 == 0)
            addEvent(0, "eval", "{\"step\": " + std::to_string(step) + ", \"loss\": " + jsonNumber(2.0 + 6 / std::pow(1 + static_cast<double>(step) / 40, 0.9)) + "}");
        if (step % 500 == 0)
            addEvent(-1, "checkpoint_saved", "{\"step\": " + std::to_string(step) + ", \"path\": \"checkpoints/step_" + std::to_string(step) + "\", \"bytes\": 1, \"seconds\": 0.1}");
        if (step % 20 == 0)
            addEvent(static_cast<int>(step / 20 % world), "log", "{\"level\": \"info\", \"stream\": \"stdout\", \"text\": \"step=" + std::to_string(step) + ", skipped=0, lr=[0.0003], mom=[[0.9, 0.95]]\"}");
        if (step % 300 == 0)
            addEvent(1 % world, "log", R"({"level": "warning", "stream": "stderr", "text": "allocator: reserved 2.1 GiB, allocated 2.0 GiB at the peak"})");
    }
}

void RunFolderMaker::fail(int rank, const std::string& kind, const std::string& message, const std::string& lastOp)
{
    addEvent(rank, "log", R"({"level": "error", "stream": "stderr", "text": "bad_alloc: cannot allocate 8,388,608 bytes for the logits"})");
    addEvent(rank, "failure", nlohmann::json{{"failureKind", kind}, {"message", message}, {"lastOp", lastOp}}.dump());
    addEvent(-1, "log", R"({"level": "info", "stream": "supervisor", "text": "stopping the other ranks"})");
    info.failure = RunFailure{rank, kind, message, lastOp, kStart};
    setStatus(RunStatus::Failed);
}

}  // namespace stagecraft::testing
