// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/prepare.h"

#include "base/atomic_file.h"
#include "base/utf8.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_writer.h"
#include "checkpoint/history.h"
#include "checkpoint/safetensors.h"
#include "config/engine_config.h"
#include "data/dataset.h"
#include "data/training_length.h"
#include "model/flops.h"
#include "planner/machine_context.h"
#include "record/known_runs.h"
#include "record/run_contents.h"
#include "record/run_folder.h"
#include "record/record_lines.h"
#include "record/run_lock.h"
#include "record/tail_file.h"
#include "schedule/compile.h"
#include "schedule/schedule_json.h"
#include "workspace/model_section.h"
#include "workspace/resume_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <sys/utsname.h>
#include <unistd.h>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

Error refused(const std::string& pointer, std::string message)
{
    return Error{ErrorCode::Refused, std::move(message), {{"pointer", pointer}}};
}

/// A checkpoint of another model would end the ranks, with the record of the run before already replaced.
Result<void> checkCheckpoint(const fs::path& folder, const Workspace& workspace, std::int64_t trainBatch, std::int64_t tokens)
{
    const ModelSpec& spec = *workspace.model.spec;
    const auto checkpoint = Checkpoint::open(folder);
    if (!checkpoint.hasValue()) return checkpoint.error();
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const UnitInfo& unit : unitsOf(spec))
        for (const ParameterInfo& parameter : unit.parameters) shapes[parameter.name] = parameter.shape;
    if (auto same = checkSameModel(checkpoint.value(), shapes); !same.hasValue()) return same;
    for (const SettingsChange& change : settingsChanged(checkpoint.value().manifest().scalars, resumeSettings(workspace, trainBatch, tokens)))
        if (change.refuses) return refused(change.pointer, change.message);
    return {};
}

/// What a workspace may say and this engine cannot do yet: said before anything else, with the way out.
Result<void> engineCanRun(const Workspace& workspace)
{
    const LayoutSection& layout = workspace.layout;
    if (workspace.framework.name != "stagecraft")
        return refused("/framework/name", fmt::format("Cannot launch framework \"{}\" here: its own script starts it; write its files with `stagecraft export WORKSPACE --to command --out DIR`, or train with --set /framework/name=stagecraft", workspace.framework.name));
    if (workspace.launch.backend != "local")
        return refused("/launch/backend", fmt::format("Cannot launch through \"{}\": this version starts ranks on this machine only; use --set /launch/backend=local", workspace.launch.backend));
    if (!workspace.model.spec)
        return refused("/model", fmt::format("Cannot train this model: {}", workspace.model.noSpecReason.empty() ? "the engine needs all its sizes" : workspace.model.noSpecReason));
    if (workspace.model.freeze)
        return refused("/model/freeze", "Cannot train with frozen parts: they can be planned here, and this version's engine trains all weights; remove model.freeze");
    if (workspace.model.adapter)
        return refused("/model/adapter", "Cannot train low-rank adapters: they can be planned here, and this version's engine trains all weights; remove model.adapter");
    const auto alone = [&](const char* name, int value, const char* what) -> Result<void> {
        if (value == 1) return {};
        return refused(fmt::format("/layout/{}", name), fmt::format("Cannot launch with layout.{} = {}: {} can be planned here, and this version's engine trains with data parallelism only; use --set /layout/{}=1", name, value, what, name));
    };
    for (const auto& checked : {alone("tp", layout.tp, "tensor parallelism"), alone("pp", layout.pp, "pipeline parallelism"), alone("cp", layout.cp, "context parallelism"), alone("ep", layout.ep, "expert parallelism")})
        if (!checked.hasValue()) return checked;
    if (workspace.hardware.nodes != 1)
        return refused("/hardware/nodes", fmt::format("Cannot launch on {} nodes: this version starts ranks on this machine only; use --set /hardware/nodes=1 and as many devices as ranks", workspace.hardware.nodes));
    return {};
}

std::string randomId()
{
    std::random_device device;
    std::string id;
    for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", device());
    return id;
}

std::string fullPath(const fs::path& path)
{
    std::error_code ignored;
    const fs::path full = fs::weakly_canonical(path, ignored);
    return (ignored || full.empty() ? fs::absolute(path) : full).string();
}

/// The file by which a user knows the workspace: the recorded one of a run stands for the one that the run was started with.
std::string userFileOf(const fs::path& workspaceFile)
{
    const fs::path file = fullPath(workspaceFile);
    const RunFolder run{file.parent_path()};
    const auto info = file == run.workspaceJson() ? readRunInfo(run.root) : Result<RunInfo>(Error{});
    return info.hasValue() && !info->workspaceFile.empty() ? info->workspaceFile : file.string();
}

/// The workspace as the ranks and later readers need it: valid wherever it lies.
json snapshotOf(const Workspace& workspace)
{
    json snapshot = workspace.document;
    snapshot["dsConfig"] = workspace.dsConfig;
    if (!workspace.model.huggingFaceFolder.empty()) snapshot["model"]["hf"] = fullPath(workspace.model.huggingFaceFolder);
    if (!workspace.model.initFile.empty()) snapshot["model"]["init"] = fullPath(workspace.model.initFile);
    if (!workspace.data.source.starts_with("builtin:")) snapshot["data"]["source"] = fullPath(workspace.folder / workspace.data.source);
    if (snapshot.contains("data") && snapshot["data"].contains("tokenizer") && workspace.data.tokenizer != "bytes") {
        const fs::path tokenizer = workspace.folder / workspace.data.tokenizer;
        std::error_code ignored;
        if (fs::exists(tokenizer, ignored)) snapshot["data"]["tokenizer"] = fullPath(tokenizer);
    }
    // Defaults that the folder's name or the machine decided are said, so that a copy means the same.
    snapshot["name"] = workspace.name;
    snapshot["hardware"]["nodes"] = workspace.hardware.nodes;
    snapshot["hardware"]["devicesPerNode"] = workspace.hardware.devicesPerNode;
    snapshot["layout"]["dp"] = workspace.layout.dp;
    // Epochs are steps of this data and batch from here on, so that the ranks and later readers need not count again.
    if (workspace.training.epochs) {
        snapshot["training"]["steps"] = workspace.training.steps;
        snapshot["training"].erase("epochs");
    }
    return snapshot;
}

/// The last start that the events tell of, for a run whose run.json is damaged; -1 = none. Two starts of one number could not be told apart.
int lastRecordedAttempt(const RunFolder& folder)
{
    int last = -1;
    TailFile events(folder.events());
    for (TailFile::State state = TailFile::State::More; state == TailFile::State::More;) {
        std::size_t budget = std::size_t{32} << 20;
        state = events.pollLines(budget, [&](std::string_view line) {
            if (line.find("run_started") == std::string_view::npos) return;
            if (const auto event = eventFromLine(line); event && event->kind == "run_started") last = std::max(last, event->attempt);
        });
    }
    return last;
}

PreflightFinding warning(std::string message, const std::string& pointer)
{
    return {false, {ErrorCode::InvalidInput, std::move(message), {{"pointer", pointer}}}};
}

/// What the workspace says and nothing comes of: said before the first step, or hours of training have no checkpoint.
void warnOfWhatHasNoEffect(const Workspace& workspace, std::vector<PreflightFinding>& warnings)
{
    for (const std::string& pointer : workspace.unknownFields) warnings.push_back(warning(fmt::format("no field of a workspace is called {}: it is kept, and has no effect", pointer), pointer));
    if (workspace.training.evalEvery > 0 && workspace.data.validationFraction <= 0)
        warnings.push_back(warning(fmt::format("training.evalEvery is {} and there is nothing to evaluate on: set a share of the data aside with --set /data/validationFraction=0.05", workspace.training.evalEvery), "/data/validationFraction"));
}

/// Whether the file with the initial weights has every parameter in its shape; warns of what it has beyond them. Reads headers only,
/// and a head beside a tied embedding.
Result<void> checkInitFile(const Workspace& workspace, std::vector<PreflightFinding>& warnings)
{
    if (const fs::path foreign = workspace.model.initUnclear ? weightsOfAnotherFormat(workspace.model.huggingFaceFolder) : fs::path{}; !foreign.empty())
        return Error{ErrorCode::Refused, fmt::format("Cannot start from \"{}\": weights are read from safetensors files only; save them anew with save_pretrained of a current transformers, or start from random weights with --set /model/init=random", foreign.string()), {{"pointer", "/model/init"}}};
    if (workspace.model.initUnclear)
        return Error{ErrorCode::Refused, fmt::format("Cannot tell the weights of \"{}\": it has several safetensors files and none is called model.safetensors; name one with --set /model/init=FILE, or start from random weights with --set /model/init=random", workspace.model.huggingFaceFolder.string()), {{"pointer", "/model/init"}}};
    if (workspace.model.initFile.empty()) return {};
    auto files = WeightFiles::open(workspace.model.initFile);
    auto checked = files.hasValue() ? files.value().check(unitsOf(*workspace.model.spec)) : Result<void>(files.error());
    if (checked.hasValue()) {
        if (const std::vector<std::string> unused = files.value().unused(unitsOf(*workspace.model.spec)); !unused.empty())
            warnings.push_back(warning(fmt::format("{} of the {} tensors of \"{}\" are not used, such as \"{}\": the model of the workspace has no place for them, and what is trained is another model than the file's", unused.size(), files.value().tensors().size(), workspace.model.initFile.string(), unused.front()), "/model/init"));
        return {};
    }
    Error error = checked.error();
    error.context.try_emplace("pointer", "/model/init");
    return error;
}

/// What going on from a checkpoint means for those that are not on its way; empty when there are none that still count.
std::string givesUp(const fs::path& checkpoints, const ResumePoint& point)
{
    if (point.folder.empty()) return {};
    const auto beside = stepsBesideTheLine(checkpoints, point.step);
    if (!beside.hasValue()) return {};
    std::string steps;
    bool later = true;
    for (const CheckpointEntry& entry : listCheckpoints(checkpoints)) {
        if (!entry.valid || isGivenUp(checkpoints, entry.step) || std::find(beside.value().begin(), beside.value().end(), entry.step) == beside.value().end()) continue;
        if (std::any_of(point.skipped.begin(), point.skipped.end(), [&](const CheckpointEntry& skipped) { return skipped.step == entry.step; })) continue;
        steps += fmt::format("{}{}", steps.empty() ? "" : ", ", entry.step);
        later = later && entry.step > point.step;
    }
    if (steps.empty()) return {};
    return fmt::format("the run goes on from step {}: {} ({}) are of a training that is given up, and --resume auto does not continue them", point.step, later ? "its later checkpoints" : "checkpoints beside its training", steps);
}

Error holdsARun(const fs::path& folder)
{
    return Error{ErrorCode::Refused, fmt::format("Cannot run in \"{}\": it holds an earlier run; continue it with --resume auto, start it over with --resume no, or name another folder with --run-dir", folder.string()), {{"path", folder.string()}}};
}

/// The folder the user named: fresh, empty, or a run that may be continued.
Result<void> checkRunFolder(const fs::path& folder, const std::optional<std::string>& resume)
{
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
        return Error{ErrorCode::InvalidArgument, fmt::format("Cannot run in \"{}\": it is a file; name a folder with --run-dir", folder.string()), {{"path", folder.string()}}};
    const RunFolder run{folder};
    if (fs::exists(run.runJson(), ignored)) {
        if (RunLock::isHeld(folder))
            return Error{ErrorCode::Refused, fmt::format("Cannot run in \"{}\": a run is going on there; watch it with `stagecraft watch RUN`, or name another folder with --run-dir", folder.string()), {{"path", folder.string()}}};
        return resume ? Result<void>() : Result<void>(holdsARun(folder));
    }
    return checkFreeForRun(folder);
}

}  // namespace

Result<fs::path> findWorker()
{
    if (const char* named = std::getenv("STAGECRAFT_WORKER"); named != nullptr && named[0] != '\0') {
        if (::access(named, X_OK) == 0) return fs::path(named);
        return Error{ErrorCode::NotFound, fmt::format("Cannot start ranks: STAGECRAFT_WORKER names \"{}\", which is not a program; unset or correct it", named), {{"path", named}}};
    }
    std::error_code ignored;
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path beside = self.parent_path() / "stagecraft-worker";
    if (::access(beside.c_str(), X_OK) == 0) return beside;
    return Error{ErrorCode::NotFound, fmt::format("Cannot start ranks: \"{}\" is not there; build it with `./workbench build`, or install the package whole", beside.string()), {{"path", beside.string()}}};
}

Result<PreparedRun> prepareRun(const RunRequest& request)
{
    auto loaded = loadWorkspace(request.workspaceFile, request.sets);
    if (!loaded.hasValue()) return loaded.error();
    return prepareRun(std::move(loaded.value()), request);
}

Result<PreparedRun> prepareRun(Workspace asked, const RunRequest& request)
{
    PreparedRun run;
    run.workspace = std::move(asked);
    const Workspace& workspace = run.workspace;
    if (auto able = engineCanRun(workspace); !able.hasValue()) return able.error();
    const int world = static_cast<int>(workspace.layout.ranks());
    auto config = resolveForEngine(workspace.dsConfig, workspace.layout.dp);
    if (!config.hasValue()) return config.error();
    auto recompute = recomputeFromWord(workspace.layout.recompute);
    if (!recompute.hasValue()) return recompute.error();
    const ModelSpec& spec = *workspace.model.spec;
    // The ranks read the workspace from JSON, which holds no other names.
    if (const std::string place = fullPath(workspace.folder); firstBadByte(place))
        return Error{ErrorCode::Refused, fmt::format("Cannot launch from \"{}\": the name of the folder is not UTF-8; rename it, or copy the workspace and its data elsewhere", place), {{"path", place}}};
    auto data = Dataset::open(dataRequestOf(workspace));
    if (!data.hasValue()) return data.error();
    if (auto enough = data.value().checkRanks(world); !enough.hasValue()) return enough.error();
    run.workspace.training.steps = stepsOfTraining(workspace.training, data.value().trainingWindows(), config.value().trainBatch);
    auto schedule = compileSchedule(spec, config.value(), world, recompute.value());
    if (!schedule.hasValue()) return schedule.error();

    run.runsRoot = request.runsRoot;
    run.continues = request.resume.has_value();
    SupervisorOptions& options = run.supervisor;
    if (request.runFolder) {
        options.runFolder = fs::absolute(*request.runFolder);
        if (auto free = checkRunFolder(options.runFolder, request.resume); !free.hasValue()) return free.error();
        auto point = findResumePoint(RunFolder{options.runFolder}.checkpoints(), request.resume.value_or("no"));
        if (!point.hasValue()) return point.error();
        for (const CheckpointEntry& skipped : point.value().skipped)
            run.warnings.push_back({false, {ErrorCode::InvalidInput, fmt::format("the checkpoint of step {} is passed over: {}", skipped.step, skipped.reason), {{"path", skipped.folder.string()}}}});
        if (!point.value().folder.empty()) {
            if (auto same = checkCheckpoint(point.value().folder, workspace, config.value().trainBatch, data.value().tokens()); !same.hasValue()) return same.error();
            options.resumeStep = point.value().step;
        }
        if (auto told = givesUp(RunFolder{options.runFolder}.checkpoints(), point.value()); !told.empty()) run.warnings.push_back({false, {ErrorCode::InvalidInput, std::move(told), {}}});
        std::error_code ignored;
        if (point.value().folder.empty() && fs::exists(RunFolder{options.runFolder}.checkpoints(), ignored))
            run.warnings.push_back({false, {ErrorCode::InvalidInput, "the run starts over: the checkpoints of its earlier start are set aside beside \"checkpoints\"", {}}});
        if (point.value().folder.empty() && request.resume == "auto")
            run.warnings.push_back({false, {ErrorCode::NotFound, fmt::format("there is no checkpoint in \"{}\" to continue from: the run starts at step 0", RunFolder{options.runFolder}.checkpoints().string()), {{"path", RunFolder{options.runFolder}.checkpoints().string()}}}});
        if (options.resumeStep && *options.resumeStep >= workspace.training.steps && workspace.training.epochs)
            return refused("/training/epochs", fmt::format("Nothing to do: the checkpoint is of step {} and \"training.epochs\" {} is {} steps; raise it with --set /training/epochs=E", *options.resumeStep, *workspace.training.epochs, workspace.training.steps));
        if (options.resumeStep && *options.resumeStep >= workspace.training.steps)
            return refused("/training/steps", fmt::format("Nothing to do: the checkpoint is of step {} and \"training.steps\" is {}; raise it with --set /training/steps=N", *options.resumeStep, workspace.training.steps));
    } else if (request.resume && *request.resume != "no") {
        return Error{ErrorCode::InvalidArgument, "Cannot resume without a run: name its folder with --run-dir", {}};
    }

    // A checkpoint holds every weight: the file they once came from need not be there any more.
    if (!options.resumeStep)
        if (auto fit = checkInitFile(workspace, run.warnings); !fit.hasValue()) return fit.error();
    warnOfWhatHasNoEffect(workspace, run.warnings);
    const MachineState machine = machineState(request.runFolder ? options.runFolder : request.runsRoot);
    auto plan = makePlan(workspace, contextOfThisMachine(request.runsRoot, request.version));
    if (!plan.hasValue()) return plan.error();
    run.plan = planToJson(plan.value());
    run.plan["schedule"] = scheduleToJson(schedule.value());
    run.plan["units"] = json::array();
    for (const UnitInfo& unit : unitsOf(spec)) run.plan["units"].push_back(unit.name);

    RunDemand demand;
    demand.ranks = world;
    demand.threadsPerRank = workspace.launch.threadsPerRank;
    demand.device = workspace.hardware.device;
    if (plan.value().ledger)
        for (const LedgerRole& role : *plan.value().ledger) demand.peakBytesPerRank = std::max(demand.peakBytesPerRank.value_or(0), role.peak.process);
    const std::int64_t params = parameterCount(spec);
    if (workspace.training.saveEvery > 0) {
        demand.checkpointBytes = params * 12;  // fp32 weights and two moments
        demand.saves = workspace.training.steps / workspace.training.saveEvery - options.resumeStep.value_or(0) / workspace.training.saveEvery;  // those that are still to come
    }
    for (PreflightFinding& finding : preflight(demand, machine)) {
        if (finding.refuses) return finding.error;
        run.warnings.push_back(std::move(finding));
    }

    if (request.worker.empty()) {
        auto worker = findWorker();
        if (!worker.hasValue()) return worker.error();
        options.worker = {worker.value().string()};
    } else {
        options.worker = {request.worker.string()};
    }
    options.hangTimeout = std::chrono::milliseconds(std::llround(workspace.launch.hangTimeout * 1000));
    const std::string threads = std::to_string(workspace.launch.threadsPerRank);
    options.environment = {"OMP_NUM_THREADS=" + threads, "MKL_NUM_THREADS=" + threads};

    for (const PreflightFinding& warning : run.warnings) options.warnings.push_back(warning.error.message);
    run.snapshot = snapshotOf(workspace);
    RunInfo& info = options.info;
    info.id = randomId();
    info.name = workspace.name;
    info.world = world;
    info.zeroStage = config.value().zeroStage;
    info.params = params;
    info.tokensPerSample = spec.seq;
    info.flopsPerToken = modelFlopsPerToken(spec);
    info.plannedSteps = workspace.training.steps;
    info.workspaceFile = request.recordedAs.empty() ? userFileOf(request.workspaceFile) : fullPath(request.recordedAs);
    info.command = request.command;
    info.workspace = run.snapshot;
    info.versions["stagecraft"] = request.version;
    info.machine = thisHost(request.version);
    utsname system{};
    if (::uname(&system) == 0) {
        info.host = system.nodename;
        info.versions["kernel"] = system.release;
    }
    return run;
}

Result<void> writeRunFolder(PreparedRun& run)
{
    SupervisorOptions& options = run.supervisor;
    if (options.runFolder.empty()) {
        auto made = makeRunFolder(run.runsRoot, run.workspace.name, wallClockNs());
        if (!made.hasValue()) return made.error();
        options.runFolder = made.value();
    } else if (auto made = makeFolder(options.runFolder); !made.hasValue()) {
        return made;
    }
    // Before the first byte is written: of two that start here at once, one trains, and with its own workspace.
    auto lock = RunLock::acquire(options.runFolder);
    if (!lock.hasValue()) return lock.error();
    options.lock = std::make_shared<RunLock>(std::move(lock.value()));
    (void)noteRun(run.runsRoot, options.runFolder);  // only a convenience of the list: no reason not to train
    const RunFolder folder{options.runFolder};
    const auto earlier = readRunInfo(folder.root);
    std::error_code problem;
    if (!run.continues && std::filesystem::exists(folder.runJson(), problem)) return holdsARun(folder.root);  // it came since this one looked
    if (earlier.hasValue()) options.info.id = earlier.value().id;
    options.info.attempt = (earlier.hasValue() ? earlier.value().attempt : lastRecordedAttempt(folder)) + 1;
    // Saves that were cut off: nobody holds this folder but us, and what is not saved again at the same step would stay for ever.
    std::vector<fs::path> cutOff;
    for (fs::directory_iterator it(folder.checkpoints(), problem), end; !problem && it != end; it.increment(problem))
        if (isCutOffSave(it->path().filename().string())) cutOff.push_back(it->path());
    for (const fs::path& path : cutOff) fs::remove_all(path, problem);
    // Started over, or from an earlier step: what was saved beyond must not be continued by mistake, also when this start saves
    // nothing, and when the run.json of the start that saved it is damaged.
    if (options.resumeStep) {
        if (const auto history = historyOf(folder.checkpoints(), *options.resumeStep); history && history->known()) options.info.resumedAttempt = history->starts.back().attempt;
        if (auto named = nameLatest(folder.checkpoints(), *options.resumeStep); !named.hasValue()) return named;
    } else if (std::filesystem::exists(folder.checkpoints(), problem)) {
        int start = earlier.hasValue() ? earlier.value().attempt : 0;
        while (std::filesystem::exists(folder.setAside(start), problem)) ++start;
        std::filesystem::rename(folder.checkpoints(), folder.setAside(start), problem);
        if (problem) return Error{ErrorCode::Io, fmt::format("Cannot set aside \"{}\": {}; move it away, or record elsewhere with --run-dir", folder.checkpoints().string(), problem.message()), {{"path", folder.checkpoints().string()}}};
    }
    const auto dump = [](const json& document) { return document.dump(2, ' ', false, json::error_handler_t::replace) + '\n'; };
    if (auto written = writeFileAtomically(folder.workspaceJson(), dump(run.snapshot)); !written.hasValue()) return written;
    return writeFileAtomically(folder.planJson(), dump(run.plan));
}

}  // namespace stagecraft
