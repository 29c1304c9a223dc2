// SPDX-License-Identifier: GPL-3.0-or-later
// The engine without processes or records: stages against stage 0, one rank against plain LibTorch modules, our ring against
// Gloo's reduce-scatter, our Adam against LibTorch's fused one. Ratios of medians over interleaved rounds.
#include "bench_engine.h"
#include "bench_row.h"

#include "../model/sample_models.h"

#include "engine/engine.h"
#include "engine/gemm.h"
#include "engine/kernels/kernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace stagecraft::bench {

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

EngineConfig configOf(int stage, Precision precision)
{
    EngineConfig config;
    config.microBatch = 4;
    config.zeroStage = stage;
    config.precision = precision;
    config.gradientClipping = 1.0;
    config.optimizer.betas = {0.9, 0.95};
    config.optimizer.weightDecay = 0.1;
    config.persistenceThreshold = 0;
    return config;
}

/// Median step seconds of `steps` steps after two warm ones, ranks as threads of this process.
double stepSeconds(const ModelSpec& model, int world, int stage, Precision precision, int steps)
{
    static int runs = 0;
    const auto store = std::filesystem::temp_directory_path() / ("stagecraft-bench-" + std::to_string(::getpid()) + "-" + std::to_string(++runs));
    std::vector<double> times;
    const auto rankMain = [&](int rank) {
        setComputeThreads(1);
        EngineOptions options;
        options.model = model;
        options.config = configOf(stage, precision);
        options.rank = rank;
        options.world = world;
        const auto weights = makeRandomWeights(model, 1);
        auto engine = Engine::create(options, *weights, [&](float* staging, std::int64_t piece) -> Result<std::unique_ptr<Collectives>> {
            if (world == 1) return makeSingleRank();
            GlooOptions gloo;
            gloo.rank = rank;
            gloo.world = world;
            gloo.storeFile = store;
            gloo.pieceElements = piece;
            return makeGlooRing(gloo, staging);
        });
        if (!engine.hasValue()) {
            std::fprintf(stderr, "%s\n", engine.error().message.c_str());
            std::exit(1);
        }
        const bool detail = std::getenv("BENCH_DETAIL") != nullptr;
        std::map<std::string, double> perKind;
        for (int step = 0; step < steps + 2; ++step) {
            const auto report = (*engine)->step(step, [&](std::int64_t s, std::int64_t, const TokenBatch& batch) -> Result<void> {
                std::mt19937 random(static_cast<unsigned>(s * world + rank));
                for (std::size_t i = 0; i < batch.inputs.size(); ++i) batch.inputs[i] = batch.labels[i] = static_cast<std::int64_t>(random() % static_cast<unsigned>(model.vocab));
                return {};
            });
            if (!report.hasValue()) std::exit(1);
            if (rank == 0 && step >= 2) times.push_back(report->seconds);
            if (rank != 0 || !detail || step < 2) continue;
            const auto& ops = (*engine)->schedule().programs.front().ops;
            for (std::size_t i = 0; i < ops.size(); ++i)
                perKind[opKindName(ops[i].kind) + std::string(" ") + (ops[i].unit == 0 ? "embedding" : ops[i].unit == model.layers + 1 ? "head" : ops[i].unit < 0 ? "" : "block")] +=
                    1e-6 * static_cast<double>(report->spans[i].endNs - report->spans[i].startNs) / steps;
            perKind["~ waited"] += 1e3 * report->phaseSeconds[3] / steps;
        }
        for (const auto& [kind, ms] : perKind) std::fprintf(stderr, "    %-28s %8.2f ms\n", kind.c_str(), ms);
    };
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < world; ++rank) ranks.emplace_back(rankMain, rank);
    for (std::thread& thread : ranks) thread.join();
    std::filesystem::remove(store);
    return median(times);
}

void stages(int rounds, Precision precision, const char* word)
{
    const double targets[] = {1.0, 0.97, 0.92, 0.85};
    std::vector<double> times[4], ratios[4];
    for (int round = 0; round < rounds; ++round) {
        for (int stage = 0; stage <= 3; ++stage) times[stage].push_back(stepSeconds(testing::llamaOf5M(), 2, stage, precision, 8));
        for (int stage = 1; stage <= 3; ++stage) ratios[stage].push_back(times[0].back() / times[stage].back());
    }
    for (int stage = 1; stage <= 3; ++stage)
        printRow(std::string("engine/stage") + std::to_string(stage) + "_" + word, ratios[stage], targets[stage], "higher",
              "tokens/s over stage 0, 2 ranks; best rounds " + std::to_string(1e3 * *std::min_element(times[0].begin(), times[0].end())) + " ms at stage 0, " +
                  std::to_string(1e3 * *std::min_element(times[stage].begin(), times[stage].end())) + " ms here");
}

void plain(int rounds)
{
    std::vector<double> ratios, ours;
    for (int round = 0; round < rounds; ++round) {
        ours.push_back(stepSeconds(testing::llamaOf5M(), 1, 0, Precision::Fp32, 6));
        ratios.push_back(plainLibTorchStepSeconds(testing::llamaOf5M(), 4, 6) / ours.back());
    }
    printRow("engine/one_rank_over_plain_libtorch", ratios, 1.0, "higher", "5M LLaMA, fp32, one thread; ours takes " + std::to_string(1e3 * median(ours)) + " ms");
}

void adam(int rounds)
{
    const std::int64_t n = std::int64_t{1} << 24;
    std::vector<float> p(static_cast<std::size_t>(n), 0.1f), g(p), m(p.size(), 0.0f), v(p.size(), 0.0f);
    std::vector<BFloat16> copy(p.size());
    AdamStep step;
    step.learningRate = 1e-3f;
    step.beta1 = 0.9f;
    step.beta2 = 0.95f;
    step.eps = 1e-8f;
    step.weightDecay = 0.1f;
    step.correction1 = 0.1f;
    step.correction2 = 0.05f;
    std::vector<double> ratios;
    for (int round = 0; round <= rounds; ++round) {
        const double fused = fusedAdamWSeconds(p.data(), g.data(), m.data(), v.data(), copy.data(), n);
        const double start = seconds();
        kernels().adam(step, n, p.data(), g.data(), m.data(), v.data(), copy.data());
        if (round > 0) ratios.push_back(fused / (seconds() - start));
    }
    printRow("engine/adam_over_fused", ratios, 1.3, "higher", std::string("16 Mi floats with bf16 copy, one thread, ") + kernels().name);
}

}  // namespace

int main(const std::string& only)
{
    setComputeThreads(1);
    const int rounds = std::getenv("BENCH_ROUNDS") ? std::atoi(std::getenv("BENCH_ROUNDS")) : 5;
    const auto wanted = [&](const char* name) { return only.empty() || std::string(name).find(only) != std::string::npos; };
    if (wanted("engine/adam_over_fused")) adam(rounds);
    if (wanted("engine/reduce_scatter_over_gloo")) printRow("engine/reduce_scatter_over_gloo", reduceScatterRatios(rounds), 3.0, "higher", "16 MiB of fp32 over 2 ranks of this host");
    if (wanted("engine/one_rank_over_plain_libtorch")) plain(rounds);
    if (wanted("engine/stage1_fp32") || wanted("engine/stage2_fp32") || wanted("engine/stage3_fp32")) stages(rounds, Precision::Fp32, "fp32");
    if (wanted("engine/stage1_bf16") || wanted("engine/stage2_bf16") || wanted("engine/stage3_bf16")) stages(rounds, Precision::Bf16, "bf16");
    return 0;
}

}  // namespace stagecraft::bench

int main(int argc, char** argv) { return stagecraft::bench::main(argc > 1 ? argv[1] : ""); }
