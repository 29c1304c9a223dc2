// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/subject_edits.h"

#include "app/core_errors.h"
#include "app/plan_service.h"
#include "app/plan_strip.h"
#include "app/plan_variants.h"
#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/resource_path.h"
#include "config/engine_config.h"
#include "config/json_document.h"
#include "hardware/device_sheet.h"
#include "model/parameter_table.h"
#include "planner/behaviour.h"
#include "planner/ds_settings.h"
#include "workspace/autotp_layout.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

namespace stagecraft::app {

namespace {

using nlohmann::json;

constexpr const char* kFirstModel = R"({"preset": "llama-3-8b"})";
constexpr const char* kNewPlan = R"({
  "stagecraft": 1,
  "name": "untitled",
  "model": {},
  "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "H100-SXM-80GB"},
  "layout": {"dp": 8, "tp": 1, "pp": 1, "cp": 1, "ep": 1, "recompute": "none"},
  "training": {"steps": 1000},
  "dsConfig": {
    "train_micro_batch_size_per_gpu": 1,
    "gradient_accumulation_steps": 1,
    "gradient_clipping": 1.0,
    "bf16": {"enabled": true},
    "optimizer": {"type": "AdamW", "params": {"lr": 3e-4, "betas": [0.9, 0.95], "weight_decay": 0.1}},
    "zero_optimization": {"stage": 2}
  },
  "framework": {"name": "deepspeed"}
}
)";

/// As people write it: a space after each colon and comma.
std::string spaced(const json& value)
{
    if (!value.is_object())
        return value.dump();
    std::string text;
    for (const auto& [key, member] : value.items())
        text += (text.empty() ? "" : ", ") + json(key).dump() + ": " + spaced(member);
    return "{" + text + "}";
}

/// Only what differs, where both have the same fields: the rest stays as somebody wrote it.
std::vector<WorkspaceEdit> changeModel(const json& written, const json& next)
{
    std::vector<WorkspaceEdit> edits;
    const auto plain = [](const std::string& key) { return key.find_first_of("/~") == std::string::npos; };
    bool alike = written.is_object() && next.is_object() && written.size() == next.size();
    for (const auto& [key, value] : next.items()) {
        alike = alike && plain(key) && written.contains(key);
        if (alike && written[key] != value)
            edits.push_back({"/model/" + key, spaced(value)});
    }
    return alike && !edits.empty() ? edits : std::vector<WorkspaceEdit>{{"/model", spaced(next)}};
}

Result<json> readText(const std::string& text)
{
    const auto parsed = JsonDocument::parse(text);
    if (!parsed.hasValue())
        return parsed.error();
    return parsed->toJson(0, true);
}

bool isAbout(const Error& error, const char* section)
{
    const auto pointer = error.context.find("pointer");
    return pointer == error.context.end() || pointer->second.starts_with(section);
}

bool readsDsConfig(const Workspace& w)
{
    return w.framework.name != "megatron" && w.framework.name != "fsdp2";
}

bool isOn(const json& dsConfig, const char* section)
{
    if (!dsConfig.is_object() || !dsConfig.contains(section) || !dsConfig[section].is_object())
        return false;
    const json& part = dsConfig[section];
    return !part.contains("enabled") || part["enabled"] != json(false);
}

void add(std::vector<WorkspaceEdit>& edits, std::vector<WorkspaceEdit> more)
{
    edits.insert(edits.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

QString familyOf(const json& config)
{
    const std::string type = config.value("model_type", std::string());
    constexpr std::pair<const char*, const char*> kNames[] = {{"gpt2", "GPT-2"}, {"llama", "LLaMA"}, {"mistral", "Mistral"}, {"mixtral", "Mixtral"}, {"qwen2", "Qwen2"}};
    for (const auto& [known, name] : kNames)
        if (type == known)
            return QString::fromUtf8(name);
    return QString::fromStdString(type);
}

std::int64_t sizeOf(const json& config, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (config.contains(key) && config[key].is_number_integer())
            return config[key].get<std::int64_t>();
    return 0;
}

}  // namespace

const std::vector<ModelPreset>& modelPresets()
{
    static const std::vector<ModelPreset> presets = [] {
        std::vector<ModelPreset> all;
        const auto folder = resourcePath("configs/models");
        if (!folder.hasValue())
            return all;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(*folder, ignored)) {
            if (entry.path().extension() != ".json")
                continue;
            const auto text = readFile(entry.path(), std::size_t{1} << 20);
            const auto config = text.hasValue() ? parseJson(*text) : Result<json>(text.error());
            if (!config.hasValue() || !config->is_object())
                continue;
            const auto counted = countParameters(*config);
            if (!counted.hasValue())
                continue;
            all.push_back({entry.path().stem().string(), familyOf(*config), counted->params, sizeOf(*config, {"num_hidden_layers", "n_layer"}), sizeOf(*config, {"hidden_size", "n_embd"}),
                           sizeOf(*config, {"max_position_embeddings", "n_positions"})});
        }
        std::sort(all.begin(), all.end(), [](const ModelPreset& a, const ModelPreset& b) {
            return std::tuple(a.family.toLower(), a.params, a.id) < std::tuple(b.family.toLower(), b.params, b.id);
        });
        return all;
    }();
    return presets;
}

std::string newPlanText(const std::filesystem::path& folder, const std::string& model)
{
    SubjectGround ground{withValue(kNewPlan, "/model", model.empty() ? kFirstModel : model), folder, std::nullopt, true};
    return withEdits(ground.text, withStage(ground, {}));
}

std::vector<WorkspaceEdit> withStage(const SubjectGround& ground, std::vector<WorkspaceEdit> edits)
{
    const std::string text = withEdits(ground.text, edits);
    const auto workspace = ground.stageFollows ? parseWorkspace(text, ground.folder) : Result<Workspace>(Error{});
    if (!workspace.hasValue() || !readsDsConfig(*workspace))
        return edits;
    // As the tree asks: the first that fits is the answer, else the likeliest. Where nothing can fit, all shards are the nearest to it.
    std::vector<PlanVariant> variants = variantsOf(*workspace);
    const PlanVariant* answer = nullptr;
    double likeliest = 0;
    for (const PlanVariant& variant : variants) {
        const auto then = parseWorkspace(withEdits(text, variant.edits), ground.folder);
        const auto plan = then.hasValue() ? makePlan(*then, machineContext()) : Result<Plan>(then.error());
        // Of a model whose size alone is known nobody can say more than that its states fit.
        const bool mayDo = plan.hasValue() && plan->fit && plan->fit->statesOnly && plan->fit->verdict == Fit::Verdict::Unsure;
        if (plan.hasValue() && plan->fit && (plan->fit->verdict == Fit::Verdict::Yes || mayDo)) {
            answer = &variant;
            break;
        }
        const bool mayFit = plan.hasValue() && plan->ledger && plan->fit && plan->fit->verdict == Fit::Verdict::Unsure;
        if (mayFit && plan->fit->probability > likeliest + (likeliest > 0 ? 0.005 : 0)) {
            likeliest = plan->fit->probability;
            answer = &variant;
        } else if (likeliest == 0 && variant.id == PlanVariant::Id::Stage3) {
            answer = &variant;
        }
    }
    if (answer)
        add(edits, answer->edits);
    return edits;
}

Result<std::vector<WorkspaceEdit>> modelEdits(const SubjectGround& ground, const json& model)
{
    const auto now = readText(ground.text);
    if (!now.hasValue())
        return now.error();
    json before = now->is_object() && now->contains("model") && (*now)["model"].is_object() ? (*now)["model"] : json::object();
    const json written = before;
    // Megatron's own argument for the sequence goes with the model it describes; what it says stays.
    const json::json_pointer framework("/framework/name"), sequence("/framework/arguments/seq-length");
    if (now->is_object() && now->contains(framework) && (*now)[framework] == "megatron" && now->contains(sequence) && (*now)[sequence].is_number_integer())
        before["seq"] = (*now)[sequence];
    json whole = model;
    if (!model.contains("params"))
        for (const char* stays : {"seq", "adapter", "freeze"})
            if (before.contains(stays) && !whole.contains(stays))
                whole[stays] = before[stays];
    // What stays may be more than the other model takes: a sequence beyond its positions.
    json shorter = whole;
    if (!model.contains("seq"))
        shorter.erase("seq");
    Error refused;
    for (const json& next : {whole, shorter, model}) {
        std::vector<WorkspaceEdit> edits = changeModel(written, next);
        const auto workspace = parseWorkspace(withEdits(ground.text, edits), ground.folder);
        if (!workspace.hasValue()) {
            refused = workspace.error();
            if (!isAbout(refused, "/model"))
                return edits;   // another place is wrong, and stays as wrong as it was
            continue;
        }
        if (workspace->framework.name == "stagecraft" && (!workspace->model.spec || workspace->model.trainsPart()))
            add(edits, behaviourEdits(*workspace, "deepspeed"));
        add(edits, modelArgumentEdits(*workspace, *workspace));
        return withStage(ground, std::move(edits));
    }
    return refused;
}

Result<std::vector<WorkspaceEdit>> hardwareEdits(const SubjectGround& ground, const HardwareChoice& choice)
{
    std::vector<WorkspaceEdit> edits{{"/hardware/device", json(choice.device).dump()}, {"/hardware/nodes", std::to_string(choice.nodes)}, {"/hardware/devicesPerNode", std::to_string(choice.perNode)}};
    const auto read = parseWorkspace(ground.text, ground.folder);
    const std::int64_t world = choice.nodes * choice.perNode;
    if (!read.hasValue()) {
        edits.push_back({"/layout/dp", std::to_string(world)});
        return edits;
    }
    const Workspace& w = *read;
    const bool ds = readsDsConfig(w);
    ScoredLayout before = ground.now.value_or(ScoredLayout());
    if (ds || !ground.now) {
        before.dp = w.layout.dp;
        before.tp = w.layout.tp;
        before.pp = w.layout.pp;
        before.cp = w.layout.cp;
        before.ep = w.layout.ep;
    }
    ScoredLayout after = before;
    after.tp = std::gcd(before.tp, world);
    after.pp = std::gcd(before.pp, world / after.tp);
    after.cp = std::gcd(before.cp, world / after.tp / after.pp);
    after.dp = world / after.tp / after.pp / after.cp;
    after.ep = std::gcd(before.ep, after.dp * after.cp);
    if (!ds && ground.now) {
        add(edits, layoutEdits(w, after));
    } else {
        edits.push_back({"/layout/dp", std::to_string(after.dp)});
        const std::tuple<const char*, std::int64_t, std::int64_t> sizes[] = {{"/layout/tp", before.tp, after.tp}, {"/layout/pp", before.pp, after.pp}, {"/layout/cp", before.cp, after.cp}, {"/layout/ep", before.ep, after.ep}};
        for (const auto& [pointer, then, size] : sizes)
            if (then != size)
                edits.push_back({pointer, std::to_string(size)});
        if (after.tp != before.tp && autoTpSize(w))
            edits.push_back({"/dsConfig/tensor_parallel/autotp_size", std::to_string(after.tp)});
        // DeepSpeed: train_batch_size = micro * accumulation * ranks. What the file says of it has to follow, unless it leaves the
        // accumulation open and that can make up for the other ranks: then the batch is what somebody wrote. So it is where the three
        // did not agree before: which of them is wrong is not for the hardware to say.
        if (w.dsConfig.is_object() && w.dsConfig.contains("train_batch_size") && w.dsConfig["train_batch_size"].is_number_integer()) {
            std::vector<PlanFinding> unread;
            const DsSettings settings = readDsSettings(w, 0, unread);
            const bool agreed = settings.microBatch * settings.accumulation * batchRanks(w) == settings.trainBatch;
            const std::int64_t ranks = batchRanks(w, after.dp, after.tp, after.pp), least = ranks * (w.dsConfig.contains("train_micro_batch_size_per_gpu") ? settings.microBatch : 1);
            if (agreed && (w.dsConfig.contains("gradient_accumulation_steps") || least <= 0 || w.dsConfig["train_batch_size"].get<std::int64_t>() % least != 0)) {
                edits.push_back({"/dsConfig/train_batch_size", std::to_string(settings.microBatch * settings.accumulation * ranks)});
                edits.push_back({"/dsConfig/train_micro_batch_size_per_gpu", std::to_string(settings.microBatch)});
            }
        }
    }
    const bool cpu = choice.device == "cpu";
    if (!cpu && w.framework.name == "stagecraft") {
        add(edits, behaviourEdits(w, "deepspeed"));
        if (!isOn(w.dsConfig, "bf16") && !isOn(w.dsConfig, "fp16")) {
            const DeviceSheet* sheet = findDevice(choice.device);
            edits.push_back({sheet && !sheet->peak.contains("bf16") && sheet->peak.contains("fp16") ? "/dsConfig/fp16/enabled" : "/dsConfig/bf16/enabled", "true"});
        }
    } else if (cpu && w.framework.name == "deepspeed" && w.hardware.device != "cpu" && w.model.spec && !w.model.trainsPart() && resolveForEngine(w.dsConfig, static_cast<int>(after.dp)).hasValue()) {
        add(edits, behaviourEdits(w, "stagecraft"));
    }
    return withStage(ground, std::move(edits));
}

SubjectEffect subjectEffect(const SubjectGround& ground, const Result<std::vector<WorkspaceEdit>>& edits)
{
    SubjectEffect effect;
    const auto workspace = edits.hasValue() ? parseWorkspace(withEdits(ground.text, *edits), ground.folder) : Result<Workspace>(edits.error());
    const auto plan = workspace.hasValue() ? makePlan(*workspace, machineContext()) : Result<Plan>(workspace.error());
    if (!plan.hasValue()) {
        effect.problem = errorText(plan.error());
        return effect;
    }
    if (!plan->fit)
        return effect;
    effect.verdict = plan->fit->verdict;
    effect.usable = plan->fit->usable;
    effect.peak = peakBytes(*plan);
    if (ground.stageFollows && readsDsConfig(*workspace))
        for (const PlanVariant& variant : variantsOf(*workspace))
            if (variant.chosen)
                effect.stage = variantName(variant.id);
    return effect;
}

std::optional<double> readCount(const QString& text)
{
    QString number = text.trimmed();
    for (const QChar separator : {QChar(u','), QChar(u'_'), QChar(u' '), QChar(0xa0), QChar(0x2009), QChar(0x202f)})
        number.remove(separator);
    double factor = 1;
    if (!number.isEmpty()) {
        constexpr std::pair<char, double> kUnits[] = {{'k', 1e3}, {'m', 1e6}, {'b', 1e9}, {'g', 1e9}, {'t', 1e12}};
        for (const auto& [letter, times] : kUnits)
            if (number.back().toLower() == QLatin1Char(letter))
                factor = times;
        if (factor != 1)
            number.chop(1);
    }
    if (number.isEmpty() || !(number.front().isDigit() || number.front() == QLatin1Char('.')) || !number.back().isDigit())
        return std::nullopt;
    bool good = false;
    const double value = number.toDouble(&good) * factor;
    return good && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace stagecraft::app
