// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/engine_config.h"
#include "engine/engine.h"
#include "engine/gemm.h"
#include "worker/measure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace stagecraft {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Models of two, nine and thirty-two million parameters: within a processor's caches, about their size, and far beyond them.
constexpr std::int64_t kModels[3][7] = {{192, 3, 6, 512, 2048, 64, 4}, {320, 5, 5, 864, 4096, 128, 2}, {512, 6, 8, 1376, 12288, 128, 1}};
constexpr int kLeastSteps = 4, kMostSteps = 40;
constexpr int kFewestSteps = 2;   // where they take more than twice their time
// Each step is measured in two rounds, half a minute apart: other programs that take the machine for some seconds spoil one of them.
constexpr int kRounds = 2;

std::vector<StepRate> stepsOf(const Grid& grid, int cores)
{
    std::vector<int> worlds = cores > 1 ? std::vector<int>{1, 2, 4} : std::vector<int>{1, 2};
    if (grid.coarse) worlds = {1, 2};
    else if (cores > 4) worlds.push_back(std::min(cores, 16));
    std::vector<StepRate> steps;
    for (std::size_t size = 0; size < (grid.coarse ? 1u : 3u); ++size)
        for (const char* type : {"fp32", "bf16"})
            for (const int world : worlds) {
                const auto& m = kModels[size];
                // The largest model with more ranks than cores would take as long as all the others together.
                if (size == 2 && world > cores) continue;
                steps.push_back({type, world, world > 1 ? 2 : 0, m[0], m[1], m[2], m[3], m[4], m[5], m[6], 0, 0, 0});
            }
    return steps;
}

EngineOptions optionsOf(const StepRate& step, const EngineConfig& config, int rank)
{
    EngineOptions options;
    ModelSpec& m = options.model;
    m.family = Family::Llama;
    m.hidden = step.hidden;
    m.layers = step.layers;
    m.heads = m.kvHeads = step.heads;
    m.headSize = step.hidden / step.heads;
    m.ffn = step.ffn;
    m.vocab = step.vocab;
    m.seq = step.seq;
    options.config = config;
    options.rank = rank;
    options.world = step.world;
    return options;
}

/// Seconds of each step, and how many of them were waiting.
struct Readings {
    std::vector<double> seconds, waited;
};

/// One rank on the calling thread.
Result<Readings> train(const EngineOptions& options, const fs::path& store, double seconds)
{
    setComputeThreads(1);
    const auto weights = makeRandomWeights(options.model, 1);
    auto engine = Engine::create(options, *weights, [&](float* staging, std::int64_t piece) -> Result<std::unique_ptr<Collectives>> {
        if (options.world == 1) return makeSingleRank();
        GlooOptions gloo;
        gloo.rank = options.rank;
        gloo.world = options.world;
        gloo.storeFile = store;
        gloo.timeout = std::chrono::seconds(120);
        gloo.pieceElements = piece;
        return makeGlooRing(gloo, staging);
    });
    if (!engine.hasValue()) return engine.error();
    std::uint64_t state = static_cast<std::uint64_t>(options.rank) + 1;
    const BatchFill fill = [&](std::int64_t, std::int64_t, const TokenBatch& batch) -> Result<void> {
        for (std::size_t i = 0; i < batch.inputs.size(); ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            batch.inputs[i] = batch.labels[i] = static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(options.model.vocab));
        }
        return {};
    };
    Readings readings;
    const auto start = Clock::now();
    for (int step = 0;; ++step) {
        // Rank 0 looks at the clock; the step's own exchange tells the others.
        StepRequests requests;
        const double taken = std::chrono::duration<double>(Clock::now() - start).count();
        requests.stop = options.rank == 0 && (step >= kMostSteps || (step >= kLeastSteps && taken > seconds) || (step >= kFewestSteps && taken > 2 * seconds));
        const auto report = engine.value()->step(step, fill, requests);
        if (!report.hasValue()) return report.error();
        if (step > 0) {
            readings.seconds.push_back(report->seconds);
            readings.waited.push_back(report->phaseSeconds[static_cast<std::size_t>(Phase::Communication)] + report->phaseSeconds[static_cast<std::size_t>(Phase::Wait)]);
        }
        if (report->requests.stop) return readings;
    }
}

/// All ranks of a step, each on a thread of its own, meeting in `store`. @return the step with its times
Result<StepRate> measureStep(StepRate step, const fs::path& store, double seconds)
{
    const nlohmann::json text = {{"train_micro_batch_size_per_gpu", step.microBatch}, {"zero_optimization", {{"stage", step.stage}}}, {"bf16", {{"enabled", step.type == "bf16"}}}};
    const auto config = resolveForEngine(text, step.world);
    if (!config.hasValue()) return config.error();
    std::mutex mutex;
    std::optional<Error> problem;
    Readings readings;
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < step.world; ++rank) {
        ranks.emplace_back([&, rank] {
            auto trained = train(optionsOf(step, *config, rank), store, seconds);
            const std::lock_guard lock(mutex);
            if (!trained.hasValue()) problem = trained.error();
            else if (rank == 0) readings = std::move(trained).value();
        });
    }
    for (std::thread& rank : ranks) rank.join();
    std::error_code ignored;
    fs::remove(store, ignored);
    if (problem) return *problem;
    // The median: waiting for each other belongs to a step, and a run's answer is the median too.
    const Sample sample = sampleOf(std::move(readings.seconds), 0.5);
    step.seconds = sample.seconds;
    step.spread = sample.spread;
    step.waited = std::min(sampleOf(std::move(readings.waited), 0.5).seconds, step.seconds);
    return step;
}

}  // namespace

std::size_t stepSamples(const Grid& grid, int cores) { return kRounds * stepsOf(grid, cores).size(); }

Result<std::vector<StepRate>> measureSteps(const Grid& grid, int cores, const fs::path& folder, double seconds, const Told& told, double& drift)
{
    std::vector<StepRate> steps = stepsOf(grid, cores);
    const double each = seconds / static_cast<double>(stepSamples(grid, cores));
    const auto begin = Clock::now();
    const auto late = [&] { return std::chrono::duration<double>(Clock::now() - begin).count() > 2 * seconds; };
    std::vector<double> differences;
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            StepRate& step = steps[i];
            if (round > 0 && late()) return steps;
            // A model is there with all its types and ranks, or not at all.
            if (const std::int64_t hidden = step.hidden; hidden != steps.front().hidden && late()) {
                steps.erase(std::find_if(steps.begin(), steps.end(), [hidden](const StepRate& s) { return s.hidden == hidden; }), steps.end());
                break;
            }
            auto measured = measureStep(step, folder / ("steps_" + std::to_string(::getpid()) + "_" + std::to_string(round) + "_" + std::to_string(i)), each);
            if (!measured.hasValue()) return measured.error();
            if (round > 0) {
                differences.push_back(std::abs(measured->seconds / step.seconds - 1));
                drift = sampleOf(differences, 0.5).seconds;
            }
            // What disturbs a step makes it longer, never shorter.
            if (round == 0 || measured->seconds < step.seconds) step = std::move(measured).value();
            told();
        }
    }
    return steps;
}

}  // namespace stagecraft
