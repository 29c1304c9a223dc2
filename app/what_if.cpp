// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/what_if.h"

#include "app/config_refusal.h"
#include "config/json_document.h"
#include "planner/behaviour.h"
#include "planner/layout_faults.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace stagecraft::app {

namespace {

constexpr std::array<const char*, kKnobCount> kPointers{"/layout/dp", "/dsConfig/train_micro_batch_size_per_gpu", "/dsConfig/gradient_accumulation_steps", "/model/seq",
                                                        "/dsConfig/zero_optimization/stage", "/dsConfig/zero_optimization/reduce_bucket_size",
                                                        "/dsConfig/zero_optimization/offload_optimizer"};

bool has(const JsonDocument& document, const char* pointer)
{
    return document.find(pointer) >= 0;
}

// The framework's own argument for the sequence, which overrides the model's; empty where it has none.
const char* sequenceArgument(const PlanSet& plan)
{
    const std::string& name = plan.workspace->framework.name;
    return name == "fsdp2" ? "seq" : name == "megatron" ? "seq-length" : "";
}

}  // namespace

std::optional<std::int64_t> plannedSequence(const PlanSet& plan)
{
    if (plan.job)
        return plan.job->model.seq;
    if (!plan.workspace)
        return std::nullopt;
    const nlohmann::json& arguments = plan.workspace->framework.arguments;
    const auto written = arguments.is_object() ? arguments.find(sequenceArgument(plan)) : arguments.end();
    if (arguments.is_object() && written != arguments.end() && written->is_number_integer())
        return written->get<std::int64_t>();
    const auto& spec = plan.workspace->model.spec;
    return spec ? std::optional(spec->seq) : plan.shape ? std::optional(plan.shape->seq) : std::nullopt;
}

std::optional<std::int64_t> knobValue(const PlanSet& plan, Knob knob)
{
    if (!plan.workspace)
        return std::nullopt;
    const bool ds = readsDsConfig(plan);
    const auto now = [&plan](std::int64_t ScoredLayout::* size) { return plan.now ? std::optional((*plan.now).*size) : std::nullopt; };
    switch (knob) {
    case Knob::DataParallel: return ds ? std::optional<std::int64_t>(plan.workspace->layout.dp) : now(&ScoredLayout::dp);
    case Knob::Sequence: return plan.shape || plan.job ? plannedSequence(plan) : std::nullopt;
    case Knob::MicroBatch: return !ds ? now(&ScoredLayout::microBatch) : plan.engine ? std::optional(plan.engine->microBatch) : plan.settings ? std::optional(plan.settings->microBatch) : std::nullopt;
    case Knob::Accumulation: return !ds ? now(&ScoredLayout::accumulation) : plan.engine ? std::optional(plan.engine->accumulation) : plan.settings ? std::optional(plan.settings->accumulation) : std::nullopt;
    case Knob::Stage: return !ds ? std::nullopt : plan.engine ? std::optional<std::int64_t>(plan.engine->zeroStage) : plan.settings ? std::optional<std::int64_t>(plan.settings->stage) : std::nullopt;
    case Knob::ReduceBucket: return plan.settings && plan.workspace->framework.name == "deepspeed" && plan.settings->stage > 0 ? std::optional(plan.settings->reduceBucket) : std::nullopt;
    case Knob::Offload:
        if (!plan.settings || plan.workspace->framework.name != "deepspeed" || plan.settings->stage == 0 || plan.settings->offloadOptimizer == OffloadDevice::Nvme)
            return std::nullopt;
        return plan.settings->offloadOptimizer == OffloadDevice::None ? 0 : static_cast<std::int64_t>(std::llround(100 * plan.settings->offloadRatio));
    }
    return std::nullopt;
}

std::int64_t knobMost(const PlanSet& plan, Knob knob)
{
    switch (knob) {
    case Knob::DataParallel: {
        constexpr std::int64_t kMostRanks = 100'000;   // nodes of a workspace
        const LayoutSection layout = plan.workspace ? plan.workspace->layout : LayoutSection();
        const std::int64_t model = plan.now ? plan.now->tp * plan.now->pp * plan.now->cp : std::int64_t{layout.tp} * layout.pp * layout.cp;
        return std::max<std::int64_t>(1, kMostRanks / std::max<std::int64_t>(1, model));
    }
    case Knob::MicroBatch:
    case Knob::Accumulation: return 1'000'000;
    case Knob::Sequence: return std::int64_t{1} << 28;
    default: return std::int64_t{1} << 50;
    }
}

std::int64_t knobMultiple(const PlanSet& plan, Knob knob)
{
    const auto ranks = knobValue(plan, Knob::DataParallel);
    if (knob != Knob::DataParallel || !ranks)
        return 1;
    const LayoutSection& layout = plan.workspace->layout;
    std::optional<TrainingCase> job = plan.job;
    if (job && layoutIsRefused(*job))
        job.reset();   // other ranks would not mend that
    // Whatever the ranks have to be divided by, the least that can be is what all others are a multiple of.
    for (std::int64_t least = 1; least <= std::max(*ranks, std::int64_t{layout.ep}); ++least) {
        if (job)
            job->dp = least;
        if (least * layout.cp % layout.ep == 0 && !(job && layoutIsRefused(*job)))
            return least;
    }
    return 1;
}

std::vector<std::int64_t> knobPositions(const PlanSet& plan, Knob knob)
{
    const auto value = knobValue(plan, knob);
    if (!value)
        return {};
    if (knob == Knob::Stage)
        return plan.workspace->layout.pp > 1 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0, 1, 2, 3};
    if (knob == Knob::Offload || knob == Knob::ReduceBucket) {
        // Only stage 3 updates a part of the states on the host and the rest on the device.
        std::vector<std::int64_t> positions = knob == Knob::ReduceBucket ? std::vector<std::int64_t>{5'000'000, 10'000'000, 20'000'000, 50'000'000, 100'000'000, 200'000'000, 500'000'000, 1'000'000'000}
                                              : plan.settings->stage == 3  ? std::vector<std::int64_t>{0, 20, 40, 60, 80, 100}
                                                                           : std::vector<std::int64_t>{0, 100};
        if (std::find(positions.begin(), positions.end(), *value) == positions.end())
            positions.insert(std::lower_bound(positions.begin(), positions.end(), *value), *value);
        return positions;
    }
    const std::int64_t multiple = knobMultiple(plan, knob);
    std::int64_t low = knob == Knob::Sequence ? 128 : multiple;
    std::int64_t high = knob == Knob::Sequence ? 16384 : 64;
    // Grow with what is chosen: a job of 4,096 ranks has somewhere to go as well.
    high = std::min(std::max({high, *value * 4, multiple * 4}), std::max(knobMost(plan, knob), *value));
    if (knob == Knob::Sequence && plan.workspace->model.spec && plan.workspace->model.spec->positions > 0 && !modelIsInArguments(*plan.workspace))
        high = std::min(high, plan.workspace->model.spec->positions);
    std::vector<std::int64_t> positions{*value};
    for (std::int64_t p = low; p <= high; p *= 2)
        if (p != *value)
            positions.push_back(p);
    std::sort(positions.begin(), positions.end());
    return positions;
}

namespace {

/// Whether the train_batch_size in the text is what its other sizes make, or leave room for. One that is not is somebody's to mend, or
/// of another number of ranks: it follows no knob, and neither does "auto".
bool batchAddsUp(const JsonDocument& workspace, std::int64_t plannedRanks)
{
    const auto written = [&workspace](const char* where) -> std::optional<double> {
        const int node = workspace.find(where);
        const auto number = node < 0 ? nlohmann::json() : workspace.toJson(node, true);
        return number.is_number_integer() && number.get<double>() > 0 ? std::optional(number.get<double>()) : std::nullopt;
    };
    const auto batch = written("/dsConfig/train_batch_size"), micro = written("/dsConfig/train_micro_batch_size_per_gpu"), accumulation = written("/dsConfig/gradient_accumulation_steps");
    const double parts = micro.value_or(1) * accumulation.value_or(1) * written("/layout/dp").value_or(static_cast<double>(plannedRanks));
    return batch && (micro && accumulation ? *batch == parts : std::fmod(*batch, parts) == 0);
}

}  // namespace

std::vector<WorkspaceEdit> knobEdits(const std::string& text, const PlanSet& plan, Knob knob, std::int64_t value, const KnobValues& turned)
{
    const auto turnedTo = [&turned](Knob other) { return turned.at(static_cast<std::size_t>(other)); };
    const auto parsed = JsonDocument::parse(text);
    if (!parsed.hasValue() || !plan.workspace)
        return {{kPointers.at(static_cast<std::size_t>(knob)), std::to_string(value)}};
    const std::string pointer = kPointers.at(static_cast<std::size_t>(knob));
    std::vector<WorkspaceEdit> edits;
    if (knob == Knob::Offload) {
        if (value == 0)
            return {{pointer, {}}};
        edits = {{pointer + "/device", "\"cpu\""}};
        if (value != 100 || has(*parsed, "/dsConfig/zero_optimization/offload_optimizer/ratio"))
            edits.push_back({pointer + "/ratio", nlohmann::json(static_cast<double>(value) / 100).dump()});
        return edits;
    }
    // The workspace's model is not the one trained then, and may have fewer positions.
    if (knob == Knob::Sequence && modelIsInArguments(*plan.workspace))
        return {{"/framework/arguments/seq-length", std::to_string(value)}};
    if (const std::string own = std::string("/framework/arguments/") + sequenceArgument(plan); knob == Knob::Sequence && !own.ends_with('/') && has(*parsed, own.c_str()))
        edits.push_back({own, std::to_string(value)});
    const LayoutSection& layout = plan.workspace->layout;
    if (!readsDsConfig(plan) && plan.now && (knob == Knob::DataParallel || knob == Knob::MicroBatch || knob == Knob::Accumulation)) {
        ScoredLayout changed = *plan.now;
        changed.dp = turnedTo(Knob::DataParallel).value_or(changed.dp);
        changed.microBatch = turnedTo(Knob::MicroBatch).value_or(changed.microBatch);
        changed.accumulation = turnedTo(Knob::Accumulation).value_or(changed.accumulation);
        (knob == Knob::DataParallel ? changed.dp : knob == Knob::MicroBatch ? changed.microBatch : changed.accumulation) = value;
        edits = batchEdits(*plan.workspace, changed);
    } else {
        edits.push_back({pointer, std::to_string(value)});
    }
    std::int64_t ranks = turnedTo(Knob::DataParallel).value_or(layout.dp);
    if (knob == Knob::DataParallel) {
        ranks = value;
        const std::int64_t world = value * (plan.now ? plan.now->tp * plan.now->pp * plan.now->cp : layout.tp * layout.pp * layout.cp);
        // The text's own word: the plan may be one of a moment ago, while keys repeat faster than it is made.
        const auto written = [&](const char* where, int otherwise) {
            const int node = parsed->find(where);
            const auto number = node < 0 ? nlohmann::json() : parsed->toJson(node, true);
            return std::max<std::int64_t>(number.is_number_integer() ? number.get<std::int64_t>() : otherwise, 1);
        };
        std::int64_t perNode = written("/hardware/devicesPerNode", plan.workspace->hardware.devicesPerNode);
        // A single node fills up to the usual eight before there is a second, so that a way down and up again ends where it began.
        constexpr std::int64_t kUsualNode = 8;
        const std::int64_t alone = perNode;
        if (written("/hardware/nodes", plan.workspace->hardware.nodes) == 1 && perNode < kUsualNode)
            perNode = std::clamp(world, std::int64_t{1}, kUsualNode);
        // A node has an end too: many ranks that do not fill such nodes go on smaller ones.
        constexpr std::int64_t kMostInNode = 1024;
        while (world > kMostInNode && world % perNode != 0)
            --perNode;
        const bool fills = world % perNode == 0;
        edits.push_back({"/hardware/nodes", std::to_string(fills ? world / perNode : 1)});
        if (!fills || perNode != alone)
            edits.push_back({"/hardware/devicesPerNode", std::to_string(fills ? perNode : world)});
    }
    // DeepSpeed: train_batch_size = micro * accumulation * ranks. What the file says of the third has to follow.
    if (readsDsConfig(plan) && (plan.engine || plan.settings) && (knob == Knob::DataParallel || knob == Knob::MicroBatch || knob == Knob::Accumulation)) {
        const std::int64_t micro = knob == Knob::MicroBatch ? value : turnedTo(Knob::MicroBatch).value_or(knobValue(plan, Knob::MicroBatch).value_or(1));
        const std::int64_t accumulation = knob == Knob::Accumulation ? value : turnedTo(Knob::Accumulation).value_or(knobValue(plan, Knob::Accumulation).value_or(1));
        if (batchAddsUp(*parsed, layout.dp))
            edits.push_back({"/dsConfig/train_batch_size", std::to_string(micro * accumulation * ranks)});
        if (knob != Knob::MicroBatch && !has(*parsed, "/dsConfig/train_micro_batch_size_per_gpu"))
            edits.push_back({"/dsConfig/train_micro_batch_size_per_gpu", std::to_string(micro)});
    }
    return edits;
}

std::vector<WorkspaceEdit> resetEdits(const std::string& text, const std::string& saved)
{
    const auto now = JsonDocument::parse(text);
    const auto then = JsonDocument::parse(saved);
    if (!now.hasValue() || !then.hasValue())
        return {};
    std::vector<std::string> pointers(kPointers.begin(), kPointers.end());
    for (const char* follows : {"/hardware/nodes", "/hardware/devicesPerNode", "/dsConfig/train_batch_size", "/layout/lossChunks", "/framework/arguments/micro-batch-size",
                                "/framework/arguments/global-batch-size", "/framework/arguments/local_batch", "/framework/arguments/pp_microbatches", "/framework/arguments/pp_microbatch_size", "/framework/arguments/pipeline_parallel_microbatch_size", "/framework/arguments/fsdp",
                                "/framework/arguments/seq", "/framework/arguments/seq-length"})
        pointers.emplace_back(follows);
    const auto valueAt = [](const JsonDocument& document, const std::string& pointer) {
        const int node = document.find(pointer);
        return node < 0 ? std::string() : document.toJson(node, true).dump();
    };
    std::vector<WorkspaceEdit> edits;
    for (const std::string& pointer : pointers)
        if (const std::string value = valueAt(*then, pointer); value != valueAt(*now, pointer))
            edits.push_back({pointer, value});
    return edits;
}

namespace {

/// What cannot be run is refused; where a plan is there but nothing says how much memory there is, nobody knows.
KnobTracks::Position positionVerdict(const Result<Plan>& made)
{
    if (made.hasValue() && made->fit)
        return made->fit->verdict;
    const bool refused = !made.hasValue() || (!made->ledger && std::any_of(made->findings.begin(), made->findings.end(), [](const PlanFinding& finding) { return finding.severity == "error"; }));
    return refused ? KnobTracks::Position() : KnobTracks::Position(Fit::Verdict::Unsure);
}

}  // namespace

WhatIfService::WhatIfService(QObject* parent) : QObject(parent)
{
    qRegisterMetaType<KnobTracks>();
    m_rest.setSingleShot(true);
    m_rest.setInterval(120);
    connect(&m_rest, &QTimer::timeout, this, [this] {
        if (!m_busy)
            start();
    });
}

void WhatIfService::request(const std::string& text, const std::filesystem::path& folder, const std::shared_ptr<const PlanSet>& plan)
{
    m_text = text;
    m_folder = folder;
    m_plan = plan;
    ++m_wanted;
    m_rest.start();
}

void WhatIfService::setGiven(const CheckContext& given)
{
    const bool same = m_given && m_given->release == given.release && m_given->launcher == given.launcher && m_given->optimizer == given.optimizer && m_given->pipelineModel == given.pipelineModel;
    m_given = given;
    if (!same && m_plan)
        request(m_text, m_folder, m_plan);
}

void WhatIfService::start()
{
    m_busy = true;
    const QPointer<WhatIfService> self(this);
    QThreadPool::globalInstance()->start(
        [self, job = m_wanted, text = m_text, folder = m_folder, plan = m_plan, given = m_given] {
            KnobTracks tracks;
            for (int k = 0; k < kKnobCount; ++k) {
                const auto knob = static_cast<Knob>(k);
                for (const std::int64_t value : knobPositions(*plan, knob)) {
                    const std::string there = withEdits(text, knobEdits(text, *plan, knob, value));
                    const auto workspace = parseWorkspace(there, folder);
                    const auto made = workspace.hasValue() ? makePlan(*workspace, machineContext()) : Result<Plan>(workspace.error());
                    const bool refused = workspace.hasValue() && given && wouldBeRefused(there, folder, *given);
                    tracks.verdicts.at(static_cast<std::size_t>(k)).push_back(refused ? KnobTracks::Position() : positionVerdict(made));
                }
            }
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [self, job, tracks] {
                    if (!self)
                        return;
                    self->m_busy = false;
                    if (job != self->m_wanted) {
                        if (!self->m_rest.isActive())
                            self->start();
                    } else
                        emit self->tracked(tracks);
                },
                Qt::QueuedConnection);
        },
        -1);  // behind the plan itself
}

}  // namespace stagecraft::app
