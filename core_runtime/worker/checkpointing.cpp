// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker/checkpointing.h"

#include "checkpoint/checkpoint_writer.h"
#include "engine/engine.h"
#include "record/control_message.h"
#include "worker/progress.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace stagecraft {

namespace {

/// The names under which other readers of checkpoints know our states.
const char* stateName(const std::string& kind)
{
    if (kind == "m") return "exp_avg";
    if (kind == "v") return "exp_avg_sq";
    return "weight";
}

/// Calls `use(parameter, begin, values)` for every piece of a parameter inside the view; begin counts in the parameter.
Result<void> eachParameter(const StateView& view, const std::function<Result<void>(const ParameterInfo&, std::int64_t, std::span<float>)>& use)
{
    const std::int64_t end = view.begin + static_cast<std::int64_t>(view.values.size());
    for (std::size_t p = 0; p < view.unit->parameters.size(); ++p) {
        const ParameterInfo& parameter = view.unit->parameters[p];
        const std::int64_t offset = view.layout->offsets[p];
        const std::int64_t from = std::max(view.begin, offset), to = std::min(end, offset + parameter.count);
        if (from >= to) continue;
        Result<void> used = use(parameter, from - offset, view.values.subspan(static_cast<std::size_t>(from - view.begin), static_cast<std::size_t>(to - from)));
        if (!used.hasValue()) return used;
    }
    return {};
}

std::int64_t bytesOf(const std::vector<StateView>& views)
{
    std::int64_t bytes = 0;
    for (const StateView& view : views) bytes += static_cast<std::int64_t>(view.values.size_bytes());
    return bytes;
}

Result<std::uint64_t> writePart(const std::filesystem::path& folder, std::int64_t step, int rank, Engine& engine, Progress& progress)
{
    Result<CheckpointWriter> writer = CheckpointWriter::begin(folder, step, rank);
    if (!writer.hasValue()) return writer.error();
    const std::vector<StateView> views = engine.states();
    progress.enter("Save step " + std::to_string(step), bytesOf(views));
    writer->tellBytes([&](std::uint64_t bytes) { progress.advance(static_cast<std::int64_t>(bytes)); });
    for (const StateView& view : views) {
        Result<void> added = eachParameter(view, [&](const ParameterInfo& parameter, std::int64_t begin, std::span<float> values) {
            return writer->add(stateName(view.kind), parameter.name, begin, begin + static_cast<std::int64_t>(values.size()), ElementType::F32, std::as_bytes(values));
        });
        if (!added.hasValue()) return added.error();
    }
    progress.enter("Save step " + std::to_string(step) + ": flush to the disk");
    if (Result<void> finished = writer->finish(); !finished.hasValue()) return finished.error();
    return writer->bytesWritten();
}

std::map<std::string, std::vector<std::int64_t>> shapesOf(Engine& engine)
{
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const StateView& view : engine.states())
        for (const ParameterInfo& parameter : view.unit->parameters) shapes[parameter.name] = parameter.shape;
    return shapes;
}

}  // namespace

Result<SavedCheckpoint> writeCheckpoint(const std::filesystem::path& folder, std::int64_t step, int rank, int world, Engine& engine, const nlohmann::json& scalars,
                                         Progress& progress)
{
    const auto started = std::chrono::steady_clock::now();
    const Result<std::uint64_t> written = writePart(folder, step, rank, engine, progress);
    const std::string waiting = "Save step " + std::to_string(step) + ": " + std::string(kWaitsForOthers);
    progress.enter(waiting);
    // Also the barrier before the parts are put together.
    std::array<double, 2> sums{written.hasValue() ? 0.0 : 1.0, written.hasValue() ? static_cast<double>(*written) : 0.0};
    if (Result<void> met = engine.allReduce(sums); !met.hasValue()) return met.error();
    if (!written.hasValue()) return written.error();
    const Error elsewhere{ErrorCode::Io, "another rank could not write its part; its log says why.", {{"elsewhere", "1"}}};
    if (sums[0] > 0.0) return elsewhere;

    SavedCheckpoint saved;
    saved.folder = folder / checkpointName(step);
    saved.bytes = static_cast<std::int64_t>(sums[1]);
    std::optional<Error> problem;
    if (rank == 0) {
        progress.enter("Save step " + std::to_string(step) + ": put the parts together");
        const auto completed = completeCheckpoint(folder, step, world, shapesOf(engine), scalars);
        if (!completed.hasValue()) problem = completed.error();
    }
    progress.enter(waiting);
    std::array<double, 1> failed{problem ? 1.0 : 0.0};
    if (Result<void> met = engine.allReduce(failed); !met.hasValue()) return met.error();
    if (problem) return *problem;
    if (failed[0] > 0.0) return elsewhere;
    saved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return saved;
}

Result<void> readCheckpoint(const std::filesystem::path& folder, Engine& engine, Progress& progress)
{
    const Result<Checkpoint> checkpoint = Checkpoint::open(folder);
    if (!checkpoint.hasValue()) return checkpoint.error();
    if (auto same = checkSameModel(*checkpoint, shapesOf(engine)); !same.hasValue()) return same;
    const std::vector<StateView> views = engine.statesToRestore();
    progress.enter("Read the checkpoint of step " + std::to_string(checkpoint->manifest().step), bytesOf(views));
    for (const StateView& view : views) {
        Result<void> read = eachParameter(view, [&](const ParameterInfo& parameter, std::int64_t begin, std::span<float> values) {
            progress.advance(static_cast<std::int64_t>(values.size_bytes()));
            return checkpoint->read(stateName(view.kind), parameter.name, begin, values);
        });
        if (!read.hasValue()) return read;
    }
    engine.restored();
    return {};
}

}  // namespace stagecraft
