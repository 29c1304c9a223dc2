// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_ranks.h"

#include "base/atomic_file.h"
#include "engine/gemm.h"
#include "model/hf_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>

namespace stagecraft::testing {

namespace {

constexpr std::int64_t kSeq = 48;
constexpr std::int64_t kGlobalBatch = 24;

std::string slurp(const std::filesystem::path& path)
{
    Result<std::string> text = readFile(path);
    return text.hasValue() ? std::move(*text) : std::string();
}

class FileWeights final : public WeightSource {
public:
    explicit FileWeights(const std::filesystem::path& path) : m_bytes(slurp(path))
    {
        std::uint64_t headerBytes = 0;
        std::memcpy(&headerBytes, m_bytes.data(), sizeof headerBytes);
        m_header = nlohmann::json::parse(m_bytes.substr(8, headerBytes));
        m_start = 8 + headerBytes;
    }

    Result<void> fill(const UnitInfo& unit, const FlatLayout& layout, std::int64_t begin, std::int64_t end, float* out) override
    {
        std::fill(out, out + (end - begin), 0.0f);
        for (std::size_t p = 0; p < unit.parameters.size(); ++p) {
            const ParameterInfo& parameter = unit.parameters[p];
            const std::string name = nameInFile(parameter.name);
            if (name.empty()) return Error{ErrorCode::NotFound, "no " + parameter.name, {}};
            const auto first = m_header[name]["data_offsets"][0].get<std::size_t>();
            const std::int64_t from = std::max(begin, layout.offsets[p]), to = std::min(end, layout.offsets[p] + parameter.count);
            if (from >= to) continue;
            std::memcpy(out + (from - begin), m_bytes.data() + m_start + first + static_cast<std::size_t>(from - layout.offsets[p]) * 4,
                        static_cast<std::size_t>(to - from) * 4);
        }
        return {};
    }

private:
    std::string nameInFile(const std::string& name) const
    {
        const std::string bare = name.substr(name.find('.') + 1);
        return m_header.contains(name) ? name : m_header.contains(bare) ? bare : std::string();
    }
    std::string m_bytes;
    nlohmann::json m_header;
    std::size_t m_start = 0;
};

}  // namespace

std::string RunShape::name() const
{
    return std::string(family == Family::Gpt2 ? "gpt2" : "llama") + ", " + std::to_string(world) + " ranks, stage " + std::to_string(stage) + ", accumulation " +
           std::to_string(accumulation) + (recompute ? ", recompute" : "") + (bf16 ? ", bf16" : "");
}

std::filesystem::path equivalenceFolder() { return std::filesystem::path(std::getenv("STAGECRAFT_SOURCE_DIR")) / "tests/data/equivalence"; }

ModelSpec equivalenceModel(Family family)
{
    ModelSpec spec;
    spec.family = family;
    const nlohmann::json c = nlohmann::json::parse(slurp(equivalenceFolder() / (family == Family::Gpt2 ? "gpt2" : "llama") / "config.json"));
    spec.vocab = c["vocab_size"];
    spec.seq = kSeq;
    if (family == Family::Gpt2) {
        spec.hidden = c["n_embd"];
        spec.layers = c["n_layer"];
        spec.heads = spec.kvHeads = c["n_head"];
        spec.headSize = spec.hidden / spec.heads;
        spec.ffn = 4 * spec.hidden;
        spec.positions = c["n_positions"];
        spec.tieEmbeddings = true;
        spec.normEps = c["layer_norm_epsilon"];
        return spec;
    }
    spec.hidden = c["hidden_size"];
    spec.layers = c["num_hidden_layers"];
    spec.heads = c["num_attention_heads"];
    spec.kvHeads = c["num_key_value_heads"];
    spec.headSize = c["head_dim"];
    spec.ffn = c["intermediate_size"];
    spec.normEps = c["rms_norm_eps"];
    spec.ropeTheta = c["rope_parameters"]["rope_theta"];
    return spec;
}

EngineConfig equivalenceConfig(const RunShape& shape)
{
    EngineConfig config;
    config.zeroStage = shape.stage;
    config.accumulation = shape.accumulation;
    config.microBatch = kGlobalBatch / shape.accumulation / shape.world;
    config.trainBatch = kGlobalBatch;
    config.precision = shape.bf16 ? Precision::Bf16 : Precision::Fp32;
    config.gradientClipping = 1.0;
    config.optimizer.kind = OptimizerKind::AdamW;
    config.optimizer.learningRate = 1e-3;
    config.optimizer.betas = {0.9, 0.95};
    config.optimizer.weightDecay = 0.1;
    config.persistenceThreshold = shape.persistenceThreshold;
    config.prefetchElements = shape.prefetchElements;
    config.maxLiveElements = shape.maxLiveElements;
    config.overlapForbidden = !shape.overlap;
    return config;
}

std::vector<std::int32_t> equivalenceTokens()
{
    const std::string bytes = slurp(equivalenceFolder() / "tokens.u16");
    std::vector<std::int32_t> tokens(bytes.size() / 2);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        std::uint16_t token = 0;
        std::memcpy(&token, bytes.data() + 2 * i, 2);
        tokens[i] = token;
    }
    return tokens;
}

BatchFill sequentialFill(const std::vector<std::int32_t>& tokens, const ModelSpec& model, const EngineConfig& config, int rank, int world)
{
    return [&tokens, seq = model.seq, micro = config.microBatch, batch = config.microBatch * config.accumulation * world, rank,
            world](std::int64_t step, std::int64_t microStep, const TokenBatch& out) -> Result<void> {
        const std::int64_t windows = (static_cast<std::int64_t>(tokens.size()) - 1) / seq;
        for (std::int64_t j = 0; j < micro; ++j) {
            const std::int64_t k = (step * batch + (microStep * world + rank) * micro + j) % windows;
            std::copy_n(tokens.begin() + k * seq, seq, out.inputs.begin() + j * seq);
            std::copy_n(tokens.begin() + k * seq + 1, seq, out.labels.begin() + j * seq);
        }
        return {};
    };
}

std::unique_ptr<WeightSource> equivalenceWeights(Family family)
{
    return std::make_unique<FileWeights>(equivalenceFolder() / (family == Family::Gpt2 ? "gpt2" : "llama") / "init.safetensors");
}

RunResult runRanks(const RunShape& shape, const std::filesystem::path& scratch)
{
    static std::atomic<int> runs{0};
    const std::filesystem::path store = scratch / ("store" + std::to_string(++runs));
    const std::vector<std::int32_t> tokens = equivalenceTokens();
    const ModelSpec model = shape.model ? *shape.model : equivalenceModel(shape.family);
    const EngineConfig config = equivalenceConfig(shape);
    RunResult result;
    std::mutex mutex;
    const auto failed = [&](const Error& error) {
        const std::lock_guard lock(mutex);
        if (result.error.empty()) result.error = error.message;
    };
    const auto rankMain = [&](int rank) {
        setComputeThreads(shape.threads);
        EngineOptions options;
        options.model = model;
        options.config = config;
        options.rank = rank;
        options.world = shape.world;
        options.threads = shape.threads;
        options.recompute = shape.recompute ? Recompute::Full : Recompute::None;
        const auto weights = shape.model ? makeRandomWeights(model, 1) : equivalenceWeights(shape.family);
        auto engine = Engine::create(options, *weights, [&](float* staging, std::int64_t piece) -> Result<std::unique_ptr<Collectives>> {
            if (shape.world == 1) return makeSingleRank();
            GlooOptions gloo;
            gloo.rank = rank;
            gloo.world = shape.world;
            gloo.storeFile = store;
            gloo.timeout = std::chrono::seconds(60);
            gloo.pieceElements = piece;
            return makeGlooRing(gloo, staging);
        });
        if (!engine.hasValue()) return failed(engine.error());
        const BatchFill fill = sequentialFill(tokens, model, config, rank, shape.world);
        for (std::int64_t step = 0; step < shape.steps; ++step) {
            const Result<StepReport> report = (*engine)->step(step, fill);
            if (!report.hasValue()) return failed(report.error());
            if (rank != 0) continue;
            const std::lock_guard lock(mutex);
            result.losses.push_back(report->loss);
            result.norms.push_back(report->gradNorm);
            result.ops = static_cast<std::int64_t>((*engine)->schedule().programs.front().ops.size());
            result.opsWithSpans = std::count_if(report->spans.begin(), report->spans.end(),
                                                [&](const Span& s) { return s.step == step + 1 && s.startNs > 0 && s.endNs >= s.startNs; });
            const double named = std::accumulate(report->phaseSeconds.begin(), report->phaseSeconds.end(), 0.0);
            result.phaseGap = std::max(result.phaseGap, std::abs(named - report->seconds));
        }
        const auto evaluation = (*engine)->evaluate(config.accumulation, [&](std::int64_t batch, const TokenBatch& out) -> Result<std::int64_t> {
            const Result<void> filled = fill(shape.steps, batch, out);
            if (!filled.hasValue()) return filled.error();
            return config.microBatch;
        });
        if (!evaluation.hasValue()) return failed(evaluation.error());
        if (rank == 0) result.evaluation = evaluation->value();
        // Where one rank is asked to stop, all of them leave.
        const auto left = (*engine)->evaluate(config.accumulation, [](std::int64_t, const TokenBatch&) -> Result<std::int64_t> { return 0; }, [&] { return rank == shape.world - 1; });
        if (!left.hasValue()) return failed(left.error());
        if (left->has_value()) return failed(Error{ErrorCode::Internal, "An evaluation that was to stop went on.", {}});
    };
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < shape.world; ++rank) ranks.emplace_back(rankMain, rank);
    for (std::thread& thread : ranks) thread.join();
    return result;
}

}  // namespace stagecraft::testing
