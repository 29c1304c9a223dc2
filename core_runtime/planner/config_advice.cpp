// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/config_advice.h"

#include "base/units.h"
#include "config/json_document.h"
#include "planner/config_advice_ground.h"
#include "planner/engine_plan.h"
#include "planner/layout_faults.h"
#include "planner/swap_folders.h"
#include "planner/workspace_model.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace stagecraft {

namespace advice {

namespace {

const nlohmann::json* valueAt(const nlohmann::json& config, const std::string& pointer)
{
    const nlohmann::json::json_pointer at(pointer);
    return config.contains(at) ? &config.at(at) : nullptr;
}

}  // namespace

double Score::part(std::string_view name) const
{
    for (const auto& [part, value] : time.split) {
        if (part == name) return value;
    }
    return 0;
}

namespace {

// What our engine would allocate; nothing where it does not run the case.
std::optional<std::int64_t> engineNeed(const Workspace& workspace, const TrainingCase& c)
{
    Workspace w = workspace;
    w.layout.recompute = c.policy == ActivationPolicy::Full ? "full" : "none";
    DsSettings settings = c.settings;
    settings.microBatch = c.microBatch;
    settings.accumulation = c.microBatches;
    settings.precision = c.precision;
    Plan plan;
    planEngine(w, settings, plan);
    if (!plan.ledger || plan.ledger->empty()) return std::nullopt;
    return plan.ledger->front().peak.process;
}

// The workspace as DeepSpeed trains it.
std::optional<TrainingCase> jobOf(const Workspace& w, const ModelShape& shape, const DsSettings& settings, std::vector<PlanFinding>& findings)
{
    Workspace asDeepSpeed = w;
    asDeepSpeed.framework.name = "deepspeed";
    return readTrainingCase(asDeepSpeed, shape, settings, findings);
}

}  // namespace

Score Ground::scored(const TrainingCase& c) const
{
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    return {ours() ? engineNeed(workspace, c).value_or(kNever) : needOf(c).process, forecastStep(c, device, workspace.launch.threadsPerRank)};
}

Score Ground::with(const std::function<void(TrainingCase&)>& change) const
{
    TrainingCase other = job;
    change(other);
    return scored(other);
}

double Ground::probability(const TrainingCase& c) const
{
    const auto host = workspace.hardware.device == "cpu" ? std::nullopt : hostMemoryOf(workspace, context);
    return fitProbability(c, needOf(c), usable, host);
}

std::optional<TrainingCase> Ground::patched(const std::string& patch) const
{
    Workspace w = workspace;
    w.dsConfig = w.dsConfig.patch(nlohmann::json::parse(patch));
    std::vector<PlanFinding> unread;
    const CountedModel model = countWorkspaceModel(w, unread);
    return model.shape ? jobOf(w, *model.shape, readDsSettings(w, model.shape->hidden, unread), unread) : std::nullopt;
}

bool Ground::isWritten(const std::string& pointer) const
{
    const nlohmann::json* value = valueAt(workspace.dsConfig, pointer);
    return value && !value->is_null() && !(value->is_string() && value->get<std::string>() == "auto");
}

bool Ground::isNumber(const std::string& pointer) const
{
    const nlohmann::json* value = valueAt(workspace.dsConfig, pointer);
    return value && value->is_number();
}

bool Ground::told(std::string_view rule) const
{
    return std::any_of(findings.begin(), findings.end(), [&](const CheckFinding& finding) { return finding.rule == rule; });
}

void Ground::tell(const std::string& rule, CheckSeverity severity, const std::string& pointer, const rules::MessageArguments& arguments, const std::string& fix)
{
    CheckFinding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.effect = CheckEffect::Unwise;
    finding.level = CheckLevel::Engine;
    finding.pointer = pointer;
    finding.message = rules::messageText(language, rule, arguments);
    finding.fix = fix;
    findings.push_back(std::move(finding));
}

std::string Ground::zeroPatch(const std::vector<std::pair<std::string, std::string>>& values) const
{
    nlohmann::json steps = nlohmann::json::array();
    const nlohmann::json* zero = valueAt(workspace.dsConfig, "/zero_optimization");
    if (!zero || !zero->is_object()) steps.push_back({{"op", "add"}, {"path", "/zero_optimization"}, {"value", nlohmann::json::object()}});
    for (const auto& [key, value] : values) {
        const std::string path = "/zero_optimization/" + key;
        const bool there = zero && zero->is_object() && zero->contains(key);
        if (value.empty()) {
            if (there) steps.push_back({{"op", "remove"}, {"path", path}});
        } else {
            steps.push_back({{"op", there ? "replace" : "add"}, {"path", path}, {"value", nlohmann::json::parse(value)}});
        }
    }
    return steps.dump();
}

std::string seconds(double value)
{
    return value < 1 ? fmt::format("{:.3g} ms", value * 1e3) : fmt::format("{:.3g} s", value);
}

std::string percent(double saved, double whole)
{
    return fmt::format("{:.0f} %", 100 * saved / std::max(whole, 1e-12));
}

std::string roundNumber(double value)
{
    if (value < 10) return "1";
    const double power = std::floor(std::log10(value));
    return fmt::format("{:.0f}", std::floor(value / std::pow(10, power)) * std::pow(10, power));
}

}  // namespace advice

namespace advice {

Workspace meantWorkspace(const Workspace& w, const PlanContext& context)
{
    Workspace meant = machineIsMeant(w, context) ? onThisMachine(w, context) : w;
    if (const auto divided = configLayout(meant)) meant.layout = divided->layout;
    return meant;
}

std::optional<Ground> groundOf(const Workspace& w, const PlanContext& context, const std::string& language)
{
    const DeviceSheet* device = findDevice(w.hardware.device);
    const bool onCpu = device && device->id == "cpu";
    // Our own engine on a CPU has a ledger of its own, which DeepSpeed's does not stand for.
    const bool ours = w.framework.name == "stagecraft";
    if (!device || !w.dsConfig.is_object() || (!ours && w.framework.name != "deepspeed") || (ours && onCpu)) return std::nullopt;
    std::vector<PlanFinding> unread;
    const CountedModel model = countWorkspaceModel(w, unread);
    if (!model.shape || !layoutIsPossible(w, unread)) return std::nullopt;
    DsSettings settings = readDsSettings(w, model.shape->hidden, unread);
    (void)useMeasuredDisk(w, context, settings);
    const auto job = jobOf(w, *model.shape, settings, unread);
    // A batch that does not add up is refused anyway, and its numbers say nothing.
    const bool refused = std::any_of(unread.begin(), unread.end(), [](const PlanFinding& finding) { return finding.severity == "error"; });
    if (!job || refused) return std::nullopt;
    // What is refused has no time and no bytes to speak of.
    if (tellLayoutFaults(*job, unread)) return std::nullopt;
    if (ours && (!w.model.spec || job->tp > 1 || job->pp > 1 || job->cp > 1 || !engineNeed(w, *job))) return std::nullopt;

    Ground ground{w, context, language, *job, *device, device->usableBytes, static_cast<double>(job->dp * job->cp), {}, 0, 2, {}, {}};
    if (onCpu) ground.usable = hostMemoryOf(w, context).value_or(0) / std::max(1, w.hardware.devicesPerNode);
    const std::int64_t layers = layersOfStages(*job).front();
    ground.stage = stageParameters(*job, 0, layers);
    ground.bytes = job->precision == Precision::Fp32 ? 4 : 2;
    ground.trainable = trainedElements(parameterGroups(*job, 0, layers)).held;
    ground.now = ground.with([](TrainingCase&) {});
    return ground;
}

void adviseAll(Ground& ground)
{
    adviseStage(ground);
    adviseOffload(ground);
    advisePrecision(ground);
    adviseBatch(ground);
    adviseBuckets(ground);
    adviseStage3Sizes(ground);
    adviseTraffic(ground);
    adviseTensorParallel(ground);
}

}  // namespace advice

std::vector<CheckFinding> adviseConfig(const Workspace& w, const PlanContext& context, const std::string& language)
{
    const Workspace meant = advice::meantWorkspace(w, context);
    auto ground = advice::groundOf(meant, context, language);
    if (!ground) return {};
    advice::adviseAll(*ground);
    placeFindings(w.dsConfigText, ground->findings);
    std::stable_sort(ground->findings.begin(), ground->findings.end(), [](const CheckFinding& a, const CheckFinding& b) { return std::tie(a.line, a.column) < std::tie(b.line, b.column); });
    return std::move(ground->findings);
}

std::vector<CheckFinding> adviseOrPlan(const Workspace& w, const PlanContext& context, const std::string& language)
{
    const bool readsConfig = w.framework.name == "deepspeed" || w.framework.name == "stagecraft";
    const Workspace meant = advice::meantWorkspace(w, context);
    if (!readsConfig || advice::groundOf(meant, context, language)) return adviseConfig(w, context, language);
    std::vector<CheckFinding> told;
    const auto tell = [&](const std::string& rule, CheckSeverity severity, const std::string& reason) {
        CheckFinding finding;
        finding.rule = rule;
        finding.severity = severity;
        finding.effect = CheckEffect::Unwise;
        finding.level = CheckLevel::Engine;
        finding.message = rules::messageText(language, "plan.workspace", {{"reason", reason}});
        told.push_back(std::move(finding));
    };
    const auto plan = makePlan(w, context);
    if (!plan.hasValue()) {
        tell("plan.workspace", CheckSeverity::Warning, plan.error().message);
        return told;
    }
    for (const PlanFinding& finding : plan->findings) {
        if (finding.severity == "info" && finding.rule != "plan.states_only") continue;  // told beside numbers, of which there are none here
        tell(finding.rule, finding.severity == "info" ? CheckSeverity::Info : CheckSeverity::Warning, finding.message);
    }
    return told;
}

namespace {

/// What transformers reads as the model's hidden size, also of a model our engine cannot train.
std::optional<std::int64_t> hiddenSizeOf(const ModelSection& model)
{
    if (model.spec) return model.spec->hidden;
    for (const char* pointer : {"/hidden_size", "/n_embd", "/d_model", "/text_config/hidden_size"}) {
        const nlohmann::json::json_pointer at(pointer);
        if (model.huggingFaceConfig.contains(at) && model.huggingFaceConfig[at].is_number_integer()) return model.huggingFaceConfig[at].get<std::int64_t>();
    }
    return std::nullopt;
}

const nlohmann::json::json_pointer kLauncher("/launch/launcher");
const nlohmann::json::json_pointer kOptimizer("/launch/optimizer");
const nlohmann::json::json_pointer kArguments("/launch/trainer");

/// Bytes that are no UTF-8 come from a text somebody is typing: they are no reason to stop.
std::string printed(const nlohmann::json& document) { return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

}  // namespace

void surroundWith(const Workspace& workspace, CheckContext& context)
{
    context.world = static_cast<int>(batchRanks(workspace));
    context.ranks.reset();
    if (!workspace.document.is_object() || workspace.document.contains("hardware") || workspace.document.contains("layout"))
        context.ranks = static_cast<int>(workspace.layout.ranks());   // else the one device is a default that nobody wrote
    context.device = workspace.hardware.device == "cpu" ? "cpu" : "cuda";
    // DeepSpeed has no other way to stages than a PipelineModule.
    context.pipelineModel = workspace.framework.name == "deepspeed" && workspace.layout.pp > 1;
    context.pipeStages = context.pipelineModel ? std::optional(workspace.layout.pp) : std::nullopt;
    context.hiddenSize = hiddenSizeOf(workspace.model);
    context.launcher = workspace.launch.launcher;
    context.trainer.clear();
    if (fillsAuto(context.launcher) && workspace.document.is_object() && workspace.document.contains(kArguments)) {
        std::vector<std::string> unknown;
        if (const auto said = readCheckContext(printed({{"trainer", workspace.document.at(kArguments)}}), unknown); said.hasValue()) context.trainer = said->trainer;
    }
    const bool scripts = workspace.document.is_object() && workspace.document.contains(kOptimizer) && workspace.document.at(kOptimizer).is_string();
    context.optimizer = scripts ? workspace.document.at(kOptimizer).get<std::string>() : std::string();
}

Result<Workspace> readAroundConfig(const std::string& text, const std::filesystem::path& folder)
{
    // A text that is no strict JSON inside its ds_config still says on how many ranks it runs.
    const auto document = JsonDocument::parse(text);
    if (!document.hasValue()) return document.error();
    nlohmann::json whole = document->toJson();
    if (!whole.is_object()) return parseWorkspace(text, folder);
    whole["dsConfig"] = nlohmann::json::object();
    auto read = parseWorkspace(printed(whole), folder);
    if (read.hasValue()) return read;
    // Ranks that do not spread over the hardware leave the hardware, which says how many there are otherwise.
    for (const std::initializer_list<const char*> sections : {std::initializer_list<const char*>{"hardware", "layout"}, {"hardware"}, {"layout"}}) {
        nlohmann::json machines = {{"stagecraft", 1}, {"model", {{"params", 1}}}};
        for (const char* section : sections) {
            if (whole.contains(section)) machines[section] = whole[section];
        }
        if (whole.contains(kLauncher) && whole.at(kLauncher).is_string() && checkLauncherFromName(whole.at(kLauncher).get<std::string>())) machines["launch"]["launcher"] = whole.at(kLauncher);
        if (whole.contains(kArguments)) machines["launch"]["trainer"] = whole.at(kArguments);
        if (whole.contains(kOptimizer) && whole.at(kOptimizer).is_string()) machines["launch"]["optimizer"] = whole.at(kOptimizer);
        if (auto readable = parseWorkspace(printed(machines), folder); readable.hasValue()) return readable;
    }
    return read;
}

}  // namespace stagecraft
