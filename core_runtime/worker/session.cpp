// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker/session.h"

#include "base/units.h"
#include "checkpoint/checkpoint_writer.h"
#include "config/engine_config.h"
#include "data/dataset.h"
#include "data/training_length.h"
#include "engine/engine.h"
#include "engine/gemm.h"
#include "model/flops.h"
#include "record/rank_writer.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/step_lines.h"
#include "worker/checkpointing.h"
#include "worker/process_memory.h"
#include "workspace/resume_settings.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>

namespace stagecraft {

namespace {

Error refused(const char* pointer, std::string message) { return Error{ErrorCode::Refused, std::move(message), {{"pointer", pointer}}}; }

/// What a workspace may ask for that this engine cannot do.
Result<void> checkLayout(const Workspace& workspace, int world)
{
    const LayoutSection& layout = workspace.layout;
    if (!workspace.model.spec) return refused("/model", "The model is not one this engine can train: it needs a LLaMA or GPT-2 family with all sizes.");
    if (layout.tp != 1 || layout.pp != 1 || layout.cp != 1 || layout.ep != 1)
        return refused("/layout", "This engine trains with data parallelism only; set tp, pp, cp and ep to 1.");
    if (layout.dp != world)
        return refused("/layout/dp", "The workspace is laid out for " + std::to_string(layout.dp) + " ranks and " + std::to_string(world) + " were started.");
    if (workspace.hardware.device != "cpu")
        return refused("/hardware/device", "This engine trains on \"cpu\"; the workspace names \"" + workspace.hardware.device + "\".");
    return {};
}

/// Says which unit is being filled: the weights of a large model take minutes.
class ToldWeights final : public WeightSource {
public:
    ToldWeights(WeightSource& source, Progress& progress) : m_source(source), m_progress(progress) {}
    Result<void> fill(const UnitInfo& unit, const FlatLayout& layout, std::int64_t begin, std::int64_t end, float* out) override
    {
        m_progress.enter("Fill the weights of " + unit.name);
        return m_source.fill(unit, layout, begin, end, out);
    }

private:
    WeightSource& m_source;
    Progress& m_progress;
};

/// With telemetry off so many steps wait in memory: few enough to lose, many enough to cost nothing.
constexpr std::size_t kMostKept = 256;

std::string randomId()
{
    std::random_device device;
    char id[17];
    std::snprintf(id, sizeof id, "%08x%08x", device(), device());
    return id;
}

std::string text(double value)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    return buffer;
}

}  // namespace

Session::Session(WorkerArguments arguments) : m_arguments(std::move(arguments)) {}
Session::~Session() = default;

std::string Session::lastOp() const
{
    const Engine* engine = m_running.load(std::memory_order_acquire);
    return engine ? engine->lastOp() : m_phase.words();
}

void Session::flushRecord(ControlLink& link)
{
    if (!m_writer) return;
    writeKept(link);
    (void)m_writer->flush();
}

Result<void> Session::close()
{
    const Result<void> flushed = m_writer->flush();
    // Spans are for looking at; what a run's answer is made of must be there, or the run did not do what it was asked for.
    if (flushed.hasValue() || !flushed.error().context.contains("steps")) {
        // The supervisor says it for all ranks, once they have ended in good order.
        return m_unsaved && m_arguments.controlFd < 0 ? Result<void>(*m_unsaved) : Result<void>();
    }
    return Error{ErrorCode::Io, "The training is done and its record is not whole: " + flushed.error().message + ".", {{"lastOp", "the record"}}};
}

void Session::log(ControlLink& link, const std::string& level, const std::string& words, const char* stream) const
{
    EventRecord event;
    event.timeNs = wallClockNs();
    event.rank = m_arguments.rank;
    event.kind = "log";
    event.fields = {{"level", level}, {"stream", stream}, {"text", words}};
    link.send(EventMessage{event});
    if (!link.connected()) std::fprintf(stderr, "rank %d: %s\n", m_arguments.rank, words.c_str());
}

Result<void> Session::open(ControlLink& link)
{
    if (Result<void> read = readWorkspace(); !read.hasValue()) return read;
    m_phase.enter("Open the data");
    if (Result<void> opened = openData(); !opened.hasValue()) return opened;
    m_phase.enter("Allocate the buffers");
    if (Result<void> opened = openEngine(); !opened.hasValue()) return opened;
    if (Result<void> same = checkSameData(); !same.hasValue()) return same;
    m_phase.enter("Look for a checkpoint");
    if (Result<void> restored = restore(link); !restored.hasValue()) return restored;
    m_phase.enter("Open the record");
    auto writer = RankWriter::open(m_arguments.runFolder, m_arguments.rank);
    if (!writer.hasValue()) return writer.error();
    m_writer = std::move(*writer);
    EventRecord memory;
    memory.timeNs = wallClockNs();
    memory.rank = m_arguments.rank;
    memory.kind = "memory";
    for (const auto& [what, bytes] : m_engine->allocatedByKind()) setField(memory, what, bytes);
    link.send(EventMessage{memory});
    if (m_arguments.rank != 0) return {};
    for (const WithoutEffect& key : m_config->withoutEffect) log(link, "warning", key.pointer + " has no effect in this engine: " + key.reason);
    for (const Dataset::Skipped& each : m_data->skipped()) log(link, "info", each.path + " was left out: " + each.why + ".");
    log(link, "info", "Buffers of one rank: " + formatBytes(m_engine->allocatedBytes()) + " in " + std::to_string(m_engine->buffers().size()) + " pieces.");
    return {};
}

Result<void> Session::readWorkspace()
{
    Result<Workspace> workspace = loadWorkspace(RunFolder{m_arguments.runFolder}.workspaceJson());
    if (!workspace.hasValue()) return workspace.error();
    m_workspace = std::make_unique<Workspace>(std::move(*workspace));
    if (Result<void> checked = checkLayout(*m_workspace, m_arguments.world); !checked.hasValue()) return checked;
    Result<EngineConfig> config = resolveForEngine(m_workspace->dsConfig, m_arguments.world);
    if (!config.hasValue()) return config.error();
    m_config = std::make_unique<EngineConfig>(std::move(*config));
    return {};
}

Result<void> Session::openData()
{
    // A supervisor has looked at every token before it started us; under another launcher rank 0 does.
    const bool supervised = m_arguments.controlFd >= 0;
    Result<Dataset> data = Dataset::open(dataRequestOf(*m_workspace), !supervised && m_arguments.rank == 0);
    if (!data.hasValue()) return data.error();
    m_data = std::make_unique<Dataset>(std::move(*data));
    m_workspace->training.steps = stepsOfTraining(m_workspace->training, m_data->trainingWindows(), m_config->trainBatch);
    return m_data->checkRanks(m_arguments.world);
}

/// Each rank opens the data for itself: a file that comes or grows meanwhile would give them different samples.
Result<void> Session::checkSameData()
{
    double first[1] = {m_arguments.rank == 0 ? static_cast<double>(m_data->tokens()) : 0.0};
    if (Result<void> met = m_engine->allReduce(first); !met.hasValue()) return met;
    if (static_cast<double>(m_data->tokens()) == first[0]) return {};
    return Error{ErrorCode::InvalidInput, "The data changed while the ranks started: rank 0 read " + std::to_string(static_cast<std::int64_t>(first[0])) + " tokens, this rank " + std::to_string(m_data->tokens()) + "; start again when nothing writes into \"" + m_workspace->data.source + "\"", {{"path", m_workspace->data.source}}};
}

Result<void> Session::openEngine()
{
    EngineOptions options;
    options.model = *m_workspace->model.spec;
    options.config = *m_config;
    options.rank = m_arguments.rank;
    options.world = m_arguments.world;
    options.threads = m_workspace->launch.threadsPerRank;
    options.seed = m_workspace->training.seed;
    setComputeThreads(options.threads);  // before the first product: a second thread per rank would fight the other ranks for cores
    const Result<Recompute> recompute = recomputeFromWord(m_workspace->layout.recompute);
    if (!recompute.hasValue()) return recompute.error();
    options.recompute = *recompute;
    std::unique_ptr<WeightSource> weights = makeRandomWeights(options.model, m_workspace->training.seed);
    // A checkpoint that is named holds every weight: the file they once came from need not be there any more.
    const bool fromCheckpoint = m_arguments.resume != "no" && m_arguments.resume != "auto";
    if (!m_workspace->model.initFile.empty() && !fromCheckpoint) {
        Result<std::unique_ptr<WeightSource>> file = openFileWeights(m_workspace->model.initFile, options.model);
        if (!file.hasValue()) return file.error();
        weights = std::move(*file);
    }
    ToldWeights told(*weights, m_phase);
    auto engine = Engine::create(options, told, [&](float* staging, std::int64_t piece) -> Result<std::unique_ptr<Collectives>> {
        if (m_arguments.world == 1) return makeSingleRank();
        m_phase.enter("Meet: " + std::string(kWaitsForOthers));
        GlooOptions gloo;
        gloo.rank = m_arguments.rank;
        gloo.world = m_arguments.world;
        gloo.storeFile = m_arguments.store;
        gloo.host = m_arguments.masterHost;
        gloo.port = m_arguments.masterPort;
        gloo.address = m_arguments.address;
        gloo.pieceElements = piece;
        return makeGlooRing(gloo, staging);
    });
    if (!engine.hasValue()) return engine.error();
    m_engine = std::move(*engine);
    return {};
}

void Session::record(ControlLink& link, std::int64_t step, const StepReport& report)
{
    StepMetrics metrics;
    metrics.timeNs = wallClockNs();
    metrics.rank = m_arguments.rank;
    metrics.step = step + 1;
    metrics.attempt = m_arguments.attempt;
    metrics.loss = report.loss;
    metrics.learningRate = report.learningRate;
    metrics.gradNorm = report.gradNorm;
    metrics.stepSeconds = report.seconds;
    const std::int64_t tokens = m_config->microBatch * m_config->accumulation * m_arguments.world * m_workspace->model.spec->seq;
    metrics.tokensPerSecond = static_cast<double>(tokens) / report.seconds;
    metrics.phaseSeconds = report.phaseSeconds;
    metrics.allocatedBytes = metrics.peakAllocatedBytes = m_engine->allocatedBytes();
    link.setStep(step + 1);
    if (m_arguments.telemetry) {
        const ProcessMemory memory = processMemory();
        metrics.rssBytes = memory.resident;
        metrics.peakRssBytes = memory.peakResident;
        metrics.droppedSpans = m_writer->droppedSpans();
        m_writer->writeSpans(report.spans);
        m_writer->writeStep(metrics);
        if (m_arguments.rank == 0) link.send(StepMessage{metrics});
    } else {
        m_kept.push_back(metrics);
        if (m_kept.size() >= kMostKept) writeKept(link);
    }
    if (m_arguments.rank == 0 && !link.connected())
        std::printf("step %lld  loss %.6f  norm %.4f  lr %.3g  %.0f tokens/s\n", static_cast<long long>(step + 1), report.loss, report.gradNorm, report.learningRate,
                    metrics.tokensPerSecond);
    if (m_arguments.rank == 0) print(link, metrics);
    const std::optional<Error> problem = m_writer->problem();
    if (problem && !m_recordProblemTold) log(link, "warning", problem->message + ".");
    m_recordProblemTold = problem.has_value();
}

void Session::writeKept(ControlLink& link)
{
    if (m_kept.empty()) return;
    const ProcessMemory memory = processMemory();
    m_kept.back().rssBytes = memory.resident;
    m_kept.back().peakRssBytes = memory.peakResident;
    // Rank 0 speaks for all; of the others the answer has the peak alone.
    if (m_arguments.rank != 0) m_kept.erase(m_kept.begin(), m_kept.end() - 1);
    for (const StepMetrics& metrics : m_kept) m_writer->writeStep(metrics);
    if (m_arguments.rank == 0) link.send(StepMessage{m_kept.back()});
    m_kept.clear();
}

/// What the ds_config's steps_per_print and wall_clock_breakdown ask for, as log events of their own stream.
void Session::print(ControlLink& link, const StepMetrics& metrics) const
{
    if (m_config->stepsPerPrint <= 0 || metrics.step % m_config->stepsPerPrint != 0) return;
    const ModelSpec& model = *m_workspace->model.spec;
    log(link, "info", stepLine(metrics, {m_workspace->training.steps, model.seq, modelFlopsPerToken(model), m_arguments.world}), kStepLineStream);
    if (m_config->wallClockBreakdown) log(link, "info", wallClockLine(metrics), kStepLineStream);
}

Result<bool> Session::evaluate(ControlLink& link, std::int64_t step)
{
    const std::int64_t batches = m_data->validationBatches(m_arguments.world, m_config->microBatch);
    if (batches == 0) return true;
    const Result<std::optional<double>> loss = m_engine->evaluate(batches, [&](std::int64_t batch, const TokenBatch& tokens) -> Result<std::int64_t> {
        return m_data->fillValidation(batch, m_arguments.rank, m_arguments.world, m_config->microBatch, tokens.inputs.data(), tokens.labels.data());
    }, [&link] { return link.stopRequested(); });
    if (!loss.hasValue()) return loss.error();
    if (!loss->has_value()) return false;
    if (m_arguments.rank != 0) return true;
    EventRecord event;
    event.timeNs = wallClockNs();
    event.rank = 0;
    event.kind = "eval";
    event.fields = {{"step", std::to_string(step)}, {"loss", text(**loss)}};
    link.send(EventMessage{event});
    if (!link.connected()) std::printf("step %lld  validation loss %.6f\n", static_cast<long long>(step), **loss);
    return true;
}

Result<void> Session::restore(ControlLink& link)
{
    const std::filesystem::path folder = RunFolder{m_arguments.runFolder}.checkpoints();
    // Rank 0 reads all of it and decides for all: ranks that looked for themselves could pass over different damage.
    double chosen[1] = {0};
    if (m_arguments.rank == 0) {
        const Result<ResumePoint> point = findResumePoint(folder, m_arguments.resume, m_arguments.resume == "auto");
        if (!point.hasValue()) return point.error();
        if (!point->folder.empty()) chosen[0] = static_cast<double>(point->step + 1);
    }
    if (Result<void> met = m_engine->allReduce(chosen); !met.hasValue()) return met;
    const std::int64_t step = static_cast<std::int64_t>(chosen[0]) - 1;
    m_history = m_history.continuedBy({randomId(), m_arguments.attempt, std::max<std::int64_t>(step, 0)});
    if (step < 0) return {};
    const std::filesystem::path checkpoint = folder / checkpointName(step);
    if (Result<void> read = readCheckpoint(checkpoint, *m_engine, m_phase); !read.hasValue()) return read;
    m_firstStep = m_savedStep = step;
    link.setStep(step);
    if (m_arguments.rank != 0) return {};
    log(link, "info", "Resumed from " + checkpoint.string() + ".");
    const auto opened = Checkpoint::open(checkpoint);
    if (!opened.hasValue()) return opened.error();
    m_history = historyOf(opened->manifest()).continuedBy(m_history.starts.back());
    for (const SettingsChange& change : settingsChanged(opened->manifest().scalars, resumeSettings(*m_workspace, m_config->trainBatch, m_data->tokens()))) {
        if (change.refuses) return refused(change.pointer.c_str(), change.message);
        log(link, "warning", change.message + ".");
    }
    // A supervisor has done so before it started us.
    return m_arguments.controlFd < 0 ? nameLatest(folder, step) : Result<void>();
}

/// A checkpoint that cannot be written is told and does not end the run: the one before is still there.
Result<void> Session::save(ControlLink& link, std::int64_t step, bool last)
{
    if (step == m_savedStep) return {};
    const std::filesystem::path folder = RunFolder{m_arguments.runFolder}.checkpoints();
    nlohmann::json scalars = resumeSettings(*m_workspace, m_config->trainBatch, m_data->tokens());
    scalars["zeroStage"] = m_config->zeroStage;
    scalars["history"] = historyToJson(m_history);
    m_phase.enter("Save step " + std::to_string(step));
    m_running.store(nullptr, std::memory_order_release);
    const Result<SavedCheckpoint> saved = writeCheckpoint(folder, step, m_arguments.rank, m_arguments.world, *m_engine, scalars, m_phase);
    m_running.store(m_engine.get(), std::memory_order_release);
    if (!saved.hasValue()) {
        if (saved.error().context.contains("peerLost")) return saved.error();
        log(link, "error", "The checkpoint of step " + std::to_string(step) + " was not written: " + saved.error().message);
        if (last) m_unsaved = Error{ErrorCode::Io, "The training is done and its last checkpoint, of step " + std::to_string(step) + ", was not written: " + saved.error().message, {{"lastOp", "the last checkpoint"}}};
        if (saved.error().context.contains("elsewhere")) return {};  // that rank tells why
        EventRecord event;
        event.timeNs = wallClockNs();
        event.rank = m_arguments.rank;
        event.kind = "checkpoint_failed";
        setField(event, "step", step);
        setField(event, "message", saved.error().message);
        event.fields["last"] = last ? "true" : "false";
        link.send(EventMessage{event});
        return {};
    }
    m_savedStep = step;
    if (m_arguments.rank != 0) return {};
    EventRecord event;
    event.timeNs = wallClockNs();
    event.rank = 0;
    event.kind = "checkpoint_saved";
    event.fields = {{"step", std::to_string(step)}, {"path", saved->folder.string()}, {"bytes", std::to_string(saved->bytes)}, {"seconds", text(saved->seconds)}};
    link.send(EventMessage{event});
    return {};
}

Result<Session::End> Session::train(ControlLink& link)
{
    const BatchShape shape{m_arguments.world, m_config->microBatch, m_config->accumulation};
    const BatchFill fill = [&](std::int64_t step, std::int64_t microStep, const TokenBatch& batch) -> Result<void> {
        m_data->fillBatch(step, microStep, m_arguments.rank, shape, batch.inputs.data(), batch.labels.data());
        return {};
    };
    const TrainingSection& training = m_workspace->training;
    m_running.store(m_engine.get(), std::memory_order_release);
    for (std::int64_t step = m_firstStep; step < training.steps; ++step) {
        const Result<StepReport> report = m_engine->step(step, fill, {link.stopRequested(), link.takeSaveRequest()});
        if (!report.hasValue()) return report.error();
        record(link, step, *report);
        const std::int64_t done = step + 1;
        bool stop = report->requests.stop && done < training.steps;
        // What is due to be saved is saved before an evaluation, which may take long; one that is asked to stop is given up.
        if (report->requests.save || (training.saveEvery > 0 && (done % training.saveEvery == 0 || stop || done == training.steps)))
            if (Result<void> saved = save(link, done, training.saveEvery > 0 && (stop || done == training.steps)); !saved.hasValue()) return saved.error();
        if (!stop && training.evalEvery > 0 && (done % training.evalEvery == 0 || done == training.steps)) {
            const Result<bool> whole = evaluate(link, done);
            if (!whole.hasValue()) return whole.error();
            stop = !*whole && done < training.steps;
            if (stop && training.saveEvery > 0)
                if (Result<void> saved = save(link, done, true); !saved.hasValue()) return saved.error();
        }
        if (stop || done == training.steps) writeKept(link);
        if (stop) return End::Stopped;
    }
    return End::Finished;
}

}  // namespace stagecraft
