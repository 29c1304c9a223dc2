// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/levers.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/config_advice.h"
#include "planner/ds_settings.h"
#include "planner/fit.h"
#include "planner/layout_edits.h"
#include "planner/shared_plans.h"
#include "planner/workspace_model.h"

#include <algorithm>
#include <tuple>

namespace stagecraft {

namespace {

using nlohmann::json;

constexpr std::int64_t kLossChunks = 8;
constexpr std::int64_t kSmallBucket = 50'000'000;
constexpr double kFree = 0.02;   ///< a share of the step time that nobody minds

/// Process bytes of the fullest rank, as the limit counts them: on a CPU with what is offloaded, which lies in the same memory.
std::int64_t peakOf(const Plan& plan)
{
    std::int64_t most = plan.fit ? plan.fit->least : 0;
    for (const LedgerRole& role : *plan.ledger) most = std::max(most, role.peak.process);
    return most;
}

bool surelyFits(const Plan& plan) { return plan.fit && plan.fit->verdict == Fit::Verdict::Yes; }

/// A copy of the workspace and the list of what was changed in it, kept in step.
class Change {
public:
    explicit Change(const Workspace& from) : workspace(from) {}

    void layout(const char* key, const json& value) { changes.emplace_back(std::string("/layout/") + key, value); }
    void argument(const char* key, const json& value)
    {
        json& arguments = workspace.framework.arguments;
        if (!arguments.is_object()) arguments = json::object();
        if (value.is_null()) {
            if (arguments.erase(key) == 0) return;
        } else {
            arguments[key] = value;
        }
        changes.emplace_back(std::string("/framework/arguments/") + key, value);
    }
    /// @param path  one or two keys below the ds_config
    void ds(std::initializer_list<const char*> path, const json& value)
    {
        json* at = &workspace.dsConfig;
        std::string pointer = "/dsConfig";
        const char* last = *(path.end() - 1);
        for (const char* key : path) {
            if (!at->is_object()) *at = sectionInsteadOf(pointer, *at);
            pointer += std::string("/") + key;
            if (key == last) break;
            at = &(*at)[key];
        }
        if (value.is_null()) {
            if (at->erase(last) == 0) return;
        } else {
            (*at)[last] = value;
        }
        changes.emplace_back(pointer, value);
    }

    Workspace workspace;
    std::vector<std::pair<std::string, json>> changes;
};

bool has(const json& object, const char* key) { return object.is_object() && object.contains(key); }

/// Collects the levers of one workspace.
class Levers {
public:
    Levers(const Workspace& workspace, const Plan& now, SharedPlans& plans)
        : m_workspace(workspace), m_now(now), m_plans(plans), m_peak(peakOf(now)), m_name(workspace.framework.name)
    {
        std::vector<PlanFinding> unread;
        // The plans count the model; of it "auto" needs the width alone, as the check knows it.
        CheckContext context;
        surroundWith(workspace, context);
        m_settings = readDsSettings(workspace, context.hiddenSize.value_or(0), unread);
    }

    std::vector<Lever> all()
    {
        lossChunks();
        recompute();
        sequenceParallel();
        microBatch();
        buckets();
        precision();
        return std::move(m_levers);
    }

private:
    [[nodiscard]] bool readsDsConfig() const { return m_name == "deepspeed" || m_name == "stagecraft"; }

    void add(const char* id, Change change, std::int64_t before = 0, std::int64_t after = 0)
    {
        const auto made = m_plans.of(change.workspace);
        const Result<Plan>& plan = *made;
        if (!plan.hasValue() || !plan->ledger || plan->ledger->empty()) return;
        Lever lever;
        lever.id = id;
        lever.before = before;
        lever.after = after;
        lever.changes = std::move(change.changes);
        lever.memory = peakOf(*plan);
        lever.memoryChange = lever.memory - m_peak;
        if (plan->forecast && m_now.forecast) {
            lever.stepTime = plan->forecast->stepTime;
            lever.timeChange = plan->forecast->stepTime - m_now.forecast->stepTime;
        }
        lever.fit = plan->fit;
        const double share = m_now.forecast && m_now.forecast->stepTime > 0 ? lever.timeChange / m_now.forecast->stepTime : 0;
        // Below a thousandth nothing is saved that anybody would look for.
        const bool smaller = -lever.memoryChange * 1000 > m_peak;
        const bool faster = share < -0.001 && (!lever.fit || lever.fit->verdict == Fit::Verdict::Yes);
        const bool helps = !surelyFits(m_now) && surelyFits(*plan);   // also where the allocator fills the device as before
        if (!smaller && !faster && !helps) return;
        if (smaller && readsDsConfig()) lowerStage(change.workspace, lever);
        m_levers.push_back(std::move(lever));
    }

    void lowerStage(const Workspace& changed, Lever& lever)
    {
        for (int stage = 0; stage < m_settings.stage; ++stage) {
            Change lower(changed);
            lower.ds({"zero_optimization", "stage"}, stage);
            const auto made = m_plans.of(lower.workspace);
            const Result<Plan>& plan = *made;
            if (!plan.hasValue() || !plan->ledger || !plan->fit || plan->fit->verdict != Fit::Verdict::Yes) continue;
            // It is only news where the stage does not fit without the lever.
            Change plain(m_workspace);
            plain.ds({"zero_optimization", "stage"}, stage);
            const auto without = m_plans.of(plain.workspace);
            if (without->hasValue() && (*without)->fit && (*without)->fit->verdict == Fit::Verdict::Yes) return;
            lever.then = Lever::LowerStage{stage, peakOf(*plan), plan->forecast ? std::optional(plan->forecast->stepTime) : std::nullopt};
            return;
        }
    }

    // DeepSpeed's TiledFusedLogitsLoss, called by the training script.
    void lossChunks()
    {
        if (m_name != "deepspeed" || m_workspace.layout.lossChunks > 1) return;
        Change change(m_workspace);
        change.workspace.layout.lossChunks = static_cast<int>(kLossChunks);
        change.layout("lossChunks", kLossChunks);
        add("loss_chunks", std::move(change), 1, kLossChunks);
    }

    void recompute()
    {
        const json& arguments = m_workspace.framework.arguments;
        const char* key = m_name == "megatron" ? "recompute-granularity" : m_name == "fsdp2" ? "ac" : nullptr;
        const bool full = key && has(arguments, key) ? arguments[key] == json("full") : m_workspace.layout.recompute == "full";
        Change change(m_workspace);
        change.workspace.layout.recompute = full ? "none" : "full";
        change.layout("recompute", change.workspace.layout.recompute);
        for (const char* other : {"recompute-granularity", "recompute-activations", "recompute-method", "recompute-num-layers", "ac"})
            change.argument(other, nullptr);
        add(full ? "keep_activations" : "recompute", std::move(change));
    }

    // What tensor parallelism leaves whole on every rank.
    void sequenceParallel()
    {
        const json& arguments = m_workspace.framework.arguments;
        const bool on = has(arguments, "sequence-parallel") ? arguments["sequence-parallel"] == json(true) : m_workspace.layout.sequenceParallel;
        if (m_name != "megatron" || on) return;
        Change change(m_workspace);
        change.argument("sequence-parallel", true);
        add("sequence_parallel", std::move(change));
    }

    // The same samples in a step, in micro-batches of another size.
    void microBatch()
    {
        const bool reads = readsDsConfig();
        const char* const size = m_name == "megatron" ? "micro-batch-size" : "local_batch";
        const char* const global = m_name == "megatron" ? "global-batch-size" : "global_batch";   // what it leaves over is accumulated
        const json& arguments = m_workspace.framework.arguments;
        const bool said = has(arguments, size) && arguments[size].is_number_integer() && has(arguments, global);
        if (!reads && !said) return;
        const std::int64_t micro = reads ? m_settings.microBatch : arguments[size].get<std::int64_t>();
        const auto changed = [&](std::int64_t to) {
            Change change(m_workspace);
            if (reads) {
                change.ds({"train_micro_batch_size_per_gpu"}, to);
                change.ds({"gradient_accumulation_steps"}, m_settings.accumulation * micro / to);
            } else {
                change.argument(size, to);
            }
            return change;
        };
        // Halved once, or until it fits, and where halving ends sample by sample.
        const auto next = [](std::int64_t samples) { return samples == 1 ? std::int64_t{0} : samples % 2 == 0 ? samples / 2 : std::int64_t{1}; };
        std::int64_t to = micro > 0 && micro % 2 == 0 ? micro / 2 : 0;
        for (std::int64_t tried = surelyFits(m_now) || micro < 1 ? 0 : next(micro); tried > 0; tried = next(tried)) {
            const auto made = m_plans.of(changed(tried).workspace);
            if (made->hasValue() && (*made)->ledger && surelyFits(**made)) {
                to = tried;
                break;
            }
        }
        if (to > 0) add("micro_halved", changed(to), micro, to);
        if (reads && m_settings.accumulation % 2 == 0) add("micro_doubled", changed(micro * 2), micro, micro * 2);
    }

    void buckets()
    {
        if (m_name != "deepspeed" || m_settings.stage == 0 || std::max(m_settings.reduceBucket, m_settings.allgatherBucket) <= kSmallBucket) return;
        Change change(m_workspace);
        change.ds({"zero_optimization", "reduce_bucket_size"}, std::min(kSmallBucket, m_settings.reduceBucket));
        if (m_settings.stage < 3) change.ds({"zero_optimization", "allgather_bucket_size"}, std::min(kSmallBucket, m_settings.allgatherBucket));
        add("small_buckets", std::move(change), m_settings.reduceBucket, kSmallBucket);
    }

    void precision()
    {
        const DeviceSheet* device = findDevice(m_workspace.hardware.device);
        if (!readsDsConfig() || m_settings.precision != Precision::Fp32 || m_settings.autocast != Precision::Fp32 || !device || device->id == "cpu" || !device->peak.contains("bf16")) return;
        Change change(m_workspace);
        change.ds({"bf16", "enabled"}, true);
        add("bf16", std::move(change));
    }

    const Workspace& m_workspace;
    const Plan& m_now;
    SharedPlans& m_plans;
    std::int64_t m_peak;
    std::string m_name;
    DsSettings m_settings;
    std::vector<Lever> m_levers;
};

}  // namespace

std::vector<Lever> planLevers(const Workspace& workspace, const Plan& now, const PlanContext& context)
{
    SharedPlans plans(context);
    return planLevers(workspace, now, plans);
}

std::vector<Lever> planLevers(const Workspace& workspace, const Plan& now, SharedPlans& plans)
{
    if (machineIsMeant(workspace, plans.context())) return planLevers(onThisMachine(workspace, plans.context()), now, plans);
    if (!now.ledger || now.ledger->empty()) return {};
    std::vector<Lever> levers = Levers(workspace, now, plans).all();
    const bool fits = !now.fit || now.fit->verdict == Fit::Verdict::Yes;
    // Where the hosts alone have too little, room on the devices is no help.
    const auto host = now.fit && now.fit->hostUsable > 0 ? std::optional(now.fit->hostUsable) : std::nullopt;
    const bool hostShort = !fits && now.fit->least <= now.fit->usable && hostProbability(now.fit->hostNeed, host, commonHost(findDevice(workspace.hardware.device), workspace.hardware.devicesPerNode)) < kSurely;
    if (hostShort)
        std::erase_if(levers, [&](const Lever& lever) { return !lever.fit || (lever.fit->verdict != Fit::Verdict::Yes && lever.fit->hostNeed >= now.fit->hostNeed); });
    const double step = now.forecast ? now.forecast->stepTime : 0;
    const auto rank = [&](const Lever& lever) {
        const bool helps = !fits && lever.fit && lever.fit->verdict == Fit::Verdict::Yes;
        const bool may = !fits && !helps && lever.fit && now.fit && lever.fit->verdict == Fit::Verdict::Unsure && lever.fit->probability > now.fit->probability + 0.01;
        if (may) return std::tuple(1, -lever.fit->probability);
        const bool saves = lever.memoryChange < 0;
        const bool cheap = lever.timeChange <= kFree * step;
        const double order = helps ? lever.timeChange : saves ? static_cast<double>(lever.memoryChange) : lever.timeChange;
        return std::tuple(helps ? 0 : saves && cheap ? 2 : saves ? 3 : 4, order);
    };
    std::stable_sort(levers.begin(), levers.end(), [&](const Lever& a, const Lever& b) { return rank(a) < rank(b); });
    return levers;
}

Phrase leverPhrase(const Lever& lever)
{
    const std::string before = formatCount(lever.before), after = formatCount(lever.after);
    if (lever.id == "loss_chunks") return {"compute the loss in {} chunks", {after}};
    if (lever.id == "recompute") return {"recompute the activations in the backward pass"};
    if (lever.id == "keep_activations") return {"keep the activations, recompute nothing"};
    if (lever.id == "sequence_parallel") return {"divide the norms along the sequence (sequence parallelism)"};
    if (lever.id == "micro_halved" && lever.after > 0 && lever.before > 2 * lever.after) return {"micro-batch {} → {}, {} times the accumulation", {before, after, formatCount(lever.before / lever.after)}};
    if (lever.id == "micro_halved") return {"micro-batch {} → {}, twice the accumulation", {before, after}};
    if (lever.id == "micro_doubled") return {"micro-batch {} → {}, half the accumulation", {before, after}};
    if (lever.id == "small_buckets") return {"buckets of {} elements in place of {}", {after, before}};
    if (lever.id == "bf16") return {"train in bf16 with fp32 master weights"};
    return {lever.id};
}

json leversToJson(const std::vector<Lever>& levers, const Workspace& workspace)
{
    json out = json::array();
    for (const Lever& lever : levers) {
        std::vector<WorkspaceEdit> edits;
        for (const auto& [pointer, value] : lever.changes) edits.push_back({pointer, value.is_null() ? std::string() : value.dump()});
        const json patch = patchOf(workspace, edits);
        json one = {{"id", lever.id}, {"before", lever.before}, {"after", lever.after}, {"memory", lever.memory}, {"memoryChange", lever.memoryChange},
                    {"stepTime", lever.stepTime ? json(*lever.stepTime) : json(nullptr)}, {"timeChange", lever.timeChange}, {"fits", nullptr}, {"probability", nullptr}, {"apply", patch}};
        if (lever.fit) one["probability"] = lever.fit->probability;
        if (lever.fit) one["fits"] = lever.fit->verdict == Fit::Verdict::Yes ? "yes" : lever.fit->verdict == Fit::Verdict::No ? "no" : "unsure";
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace stagecraft
