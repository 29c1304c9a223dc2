// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/ds_settings.h"

#include "config/engine_reader.h"
#include "config/release_facts.h"
#include "planner/batch_faults.h"
#include "planner/findings.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace stagecraft {

double numberOfText(const std::string& text)
{
    try {
        std::size_t end = 0;
        const double read = std::stod(text, &end);
        return text.find_first_not_of(" \t\n", end) == std::string::npos ? read : NAN;
    } catch (const std::exception&) {
        return NAN;
    }
}

namespace {

using nlohmann::json;

class Reader {
public:
    Reader(const json& config, std::vector<PlanFinding>& findings) : m_config(config), m_findings(findings) {}

    const json& config() const { return m_config; }

    const json* find(const std::string& pointer) const
    {
        const json* at = &m_config;
        std::size_t start = 1;
        while (start <= pointer.size()) {
            const std::size_t end = std::min(pointer.find('/', start), pointer.size());
            if (!at->is_object()) return nullptr;
            const auto next = at->find(pointer.substr(start, end - start));
            if (next == at->end() || next->is_null()) return nullptr;
            at = &*next;
            start = end + 1;
        }
        return at;
    }

    bool isAuto(const std::string& pointer) const
    {
        const json* value = find(pointer);
        return value && value->is_string() && *value == "auto";
    }

    double number(const std::string& pointer, double otherwise, double least, double most)
    {
        const json* value = find(pointer);
        if (!value || isAuto(pointer)) return otherwise;
        const std::string instead = fmt::format("{}", otherwise);
        // DeepSpeed takes "5e8" as text too: its models are read by a tolerant validator.
        double read = NAN;
        if (value->is_number()) read = value->get<double>();
        else if (value->is_string()) read = numberOfText(value->get<std::string>());
        if (std::isnan(read)) {
            ignore("plan.ds_config.number", pointer, "is {}, not a number", {value->dump()}, instead);
            return otherwise;
        }
        // Of what counts elements too many are many: a buffer of that size is asked for, and is what does not fit.
        if (read > most && most >= 1e12) {
            ignore("plan.ds_config.range", pointer, "is {}, outside {} to {}", {value->dump(), fmt::format("{}", least), fmt::format("{}", most)}, fmt::format("{}", most));
            return most;
        }
        if (!(read >= least) || !(read <= most)) {
            ignore("plan.ds_config.range", pointer, "is {}, outside {} to {}", {value->dump(), fmt::format("{}", least), fmt::format("{}", most)}, instead);
            return otherwise;
        }
        return read;
    }

    std::int64_t integer(const std::string& pointer, std::int64_t otherwise, std::int64_t least, std::int64_t most)
    {
        const double read = number(pointer, static_cast<double>(otherwise), static_cast<double>(least), static_cast<double>(most));
        if (read == std::floor(read)) return std::llround(read);
        ignore("plan.ds_config.whole", pointer, "is {}, not a whole number", {find(pointer)->dump()}, std::to_string(otherwise));
        return otherwise;
    }

    bool flag(const std::string& pointer, bool otherwise)
    {
        const json* value = find(pointer);
        if (!value || isAuto(pointer)) return otherwise;
        // As DeepSpeed's models read it, and `check` says: 1, "true", "yes" and "on" are true.
        if (const auto read = coercedBoolean(*value)) return *read;
        ignore("plan.ds_config.flag", pointer, "is {}, not true or false", {value->dump()}, otherwise ? "true" : "false");
        return otherwise;
    }

    std::string word(const std::string& pointer, const std::string& otherwise)
    {
        const json* value = find(pointer);
        if (!value || !value->is_string() || isAuto(pointer)) return otherwise;
        std::string text = value->get<std::string>();
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    }

    /// A batch size; 0 where none is written.
    std::int64_t samples(const std::string& pointer) const
    {
        const json* value = find(pointer);
        return value ? batchSizeOf(*value).value_or(0) : 0;
    }

    void ignore(const char* id, const std::string& pointer, const char* why, std::vector<std::string> args, const std::string& instead)
    {
        args.insert(args.begin(), pointer);
        const std::string start = std::string("\"{}\" ") + why;
        args.push_back(instead);
        m_findings.push_back(makeFinding(id, "warning", "/dsConfig" + pointer, start + "; the plan uses {}, DeepSpeed may refuse the file", std::move(args)));
    }

private:
    const json& m_config;
    std::vector<PlanFinding>& m_findings;
};

// The config under the names that are read here: where DeepSpeed takes a key under its field's name, an alias or an older word, the
// facts of its newest release say so. "cpu_offload": true is "offload_optimizer": {"device": "cpu"}.
json inPresentNames(const json& config)
{
    bool exact = false;
    const auto facts = findRelease("", exact);
    json out = config;
    if (!facts.hasValue()) return out;
    for (const auto& [name, model] : (*facts)->sections) {
        const std::string pointer = name.starts_with('/') ? name : "/" + name;
        const json::json_pointer place(pointer);
        if (!out.contains(place) || !out[place].is_object()) continue;
        const ModelFacts* fields = (*facts)->sectionModel(name);
        if (!fields) continue;
        json& section = out[place];
        const json written = section;
        for (const FieldFacts& field : fields->fields) {
            if (!field.alias.empty() && written.contains(field.name) && !written.contains(field.alias)) section[field.alias] = written[field.name];
            if (!field.setsReplacement || !written.contains(field.name) || field.replacedBy.find('.') != std::string::npos) continue;
            const bool offload = field.replacedBy.starts_with("offload_");
            if (!offload && !written.contains(field.replacedBy)) section[field.replacedBy] = written[field.name];
            if (offload && !written.contains(field.replacedBy) && written[field.name] == json(true)) section[field.replacedBy] = {{"device", "cpu"}};
        }
    }
    return out;
}

// "auto" is the word of Transformers' Trainer and of accelerate. Where neither starts the job DeepSpeed drops it, and its default holds.
void tellAutomaticPrecision(const Reader& reader, std::vector<PlanFinding>& findings)
{
    for (const char* section : {"/bf16/enabled", "/bfloat16/enabled", "/fp16/enabled"}) {
        if (!reader.isAuto(section)) continue;
        findings.push_back(makeFinding("plan.precision_auto", "warning", std::string("/dsConfig") + section,
                                       "\"auto\" means false here: DeepSpeed drops the word, so the plan takes fp32, as the check does. If Transformers' Trainer or accelerate starts the job, name it in launch.launcher; else write true"));
        return;
    }
}

// Without a dtype torch.autocast takes CUDA's own, fp16. A list of modules names those whose weights travel in the lower type; what is computed
// in it is torch's to say. Sources: deepspeed/runtime/torch_autocast.py; torch/amp/autocast_mode.py.
void readAutocast(Reader& reader, DsSettings& out)
{
    if (!reader.flag("/torch_autocast/enabled", false)) return;
    const std::string type = reader.word("/torch_autocast/dtype", "float16");
    if (type.find("bf16") != std::string::npos || type.find("bfloat16") != std::string::npos) out.autocast = Precision::Bf16;
    else if (type.find("16") != std::string::npos || type == "half") out.autocast = Precision::Fp16;
    if (const json* modules = reader.find("/torch_autocast/lower_precision_safe_modules"); modules && modules->is_array())
        out.autocastSends = std::any_of(modules->begin(), modules->end(), [](const json& name) { return name.is_string() && name.get_ref<const std::string&>().ends_with(".Linear"); });
}

OffloadDevice deviceOf(Reader& reader, const std::string& section)
{
    const std::string device = reader.word(section + "/device", "none");
    if (device == "cpu") return OffloadDevice::Cpu;
    if (device == "nvme") return OffloadDevice::Nvme;
    if (device != "none") reader.ignore("plan.ds_config.device", section + "/device", "is \"{}\"", {device}, "none");
    return OffloadDevice::None;
}

// DeepSpeed's batch triangle: any one of the three follows from the others.
void resolveBatch(Reader& reader, std::int64_t ranks, DsSettings& out, std::vector<PlanFinding>& findings)
{
    if (tellImpossibleBatch(reader.config(), findings)) return;
    constexpr std::int64_t kMost = kMostSamples;
    std::int64_t train = reader.samples("/train_batch_size");
    std::int64_t micro = reader.samples("/train_micro_batch_size_per_gpu");
    std::int64_t steps = reader.samples("/gradient_accumulation_steps");
    if (train == 0 && micro == 0) {
        micro = 1;
        findings.push_back(makeFinding("plan.batch_assumed", "warning", "/dsConfig", "The ds_config sets neither a train batch nor a micro batch; the plan uses a micro batch of 1"));
    }
    if (train == 0) {
        steps = std::max<std::int64_t>(steps, 1);
        train = micro > kMost / ranks / steps ? kMost : micro * steps * ranks;
    } else if (micro == 0) {
        steps = std::max<std::int64_t>(steps, 1);
        micro = std::max<std::int64_t>(train / ranks / steps, 1);
    } else if (steps == 0) {
        steps = std::max<std::int64_t>(train / ranks / micro, 1);
    }
    if (micro > kMost / ranks / steps || micro * steps * ranks != train) {
        findings.push_back(makeFinding("plan.batch_triangle", "error", "/dsConfig/train_batch_size",
                                       "The batch does not add up: {} is not micro batch {} x accumulation {} x {} ranks; correct one of them",
                                       {std::to_string(train), std::to_string(micro), std::to_string(steps), std::to_string(ranks)}));
    }
    out.trainBatch = train;
    out.microBatch = micro;
    out.accumulation = steps;
}

}  // namespace

namespace {

/// @param ours  read by our own engine: no launcher fills anything in, and there is no autocast
DsSettings readSettings(const json& written, std::int64_t dataParallel, std::int64_t hidden, std::vector<PlanFinding>& findings, bool ours)
{
    const json dsConfig = inPresentNames(written);
    constexpr std::int64_t kMost = std::int64_t{1} << 50;
    const json empty = json::object();
    Reader reader(dsConfig.is_object() ? dsConfig : empty, findings);
    DsSettings out;
    resolveBatch(reader, std::max<std::int64_t>(dataParallel, 1), out, findings);

    const std::string zero = "/zero_optimization";
    // "zero_optimization": true is the old way of saying stage 1 (deepspeed/runtime/zero/config.py, read_zero_config_deprecated).
    const bool oldWay = dsConfig.is_object() && dsConfig.contains("zero_optimization") && dsConfig["zero_optimization"] == json(true);
    out.stage = static_cast<int>(reader.integer(zero + "/stage", oldWay ? 1 : 0, 0, 3));
    const bool bf16 = reader.flag("/bf16/enabled", false) || reader.flag("/bfloat16/enabled", false);
    const bool fp16 = reader.flag("/fp16/enabled", false);
    out.precision = bf16 ? Precision::Bf16 : fp16 ? Precision::Fp16 : Precision::Fp32;
    if (out.precision == Precision::Fp32 && !ours) tellAutomaticPrecision(reader, findings);
    const std::string gradients = reader.word("/data_types/grad_accum_dtype", "");
    if (out.precision == Precision::Fp32 && !ours) readAutocast(reader, out);
    out.fp32Gradients = gradients == "fp32" || gradients == "float32" || gradients == "float";
    out.optimizer = reader.word("/optimizer/type", "adamw");
    const bool momentum = reader.number("/optimizer/params/momentum", 0.0, 0.0, 1.0) > 0;
    out.stateBytes = optimizerStateBytes(out.optimizer) + (momentum && (out.optimizer == "sgd" || out.optimizer == "musgd" || out.optimizer == "rmsprop") ? 4 : 0);
    if (!knownOptimizer(out.optimizer)) {
        findings.push_back(makeFinding("plan.optimizer", "warning", "/dsConfig/optimizer/type", "The states of the optimizer \"{}\" are not known: they are counted as Adam's, 8 bytes a parameter", {out.optimizer}));
    }
    // Master weights and their gradients in 16 bits; the moments stay fp32 on the host unless they are told to follow.
    const char* half = out.precision == Precision::Bf16 ? "/bf16/bf16_master_weights_and_grads" : "/fp16/fp16_master_weights_and_grads";
    if (out.precision != Precision::Fp32 && reader.flag(half, false)) {
        out.masterBytes = 2;
        if (out.precision == Precision::Bf16 && reader.flag("/bf16/bf16_optimizer_states", false)) out.stateBytes /= 2;
    }
    out.clipping = reader.number("/gradient_clipping", 0.0, 0.0, 1e30);
    out.offloadOptimizer = deviceOf(reader, zero + "/offload_optimizer");
    out.offloadParam = deviceOf(reader, zero + "/offload_param");
    // deepspeed/runtime/zero/stage_1_and_2.py knows one kind of offload alone.
    if (out.offloadOptimizer == OffloadDevice::Nvme && (out.stage == 1 || out.stage == 2)) {
        out.offloadOptimizer = OffloadDevice::Cpu;
        findings.push_back(makeFinding("plan.offload_nvme", "warning", "/dsConfig" + zero + "/offload_optimizer/device", "In stage {} \"nvme\" acts as \"cpu\": the optimizer states lie in host memory, in no file; use stage 3 for files", {std::to_string(out.stage)}));
    }
    out.offloadRatio = reader.number(zero + "/offload_optimizer/ratio", 1.0, 0.0, 1.0);
    out.pinMemory = reader.flag(zero + "/offload_optimizer/pin_memory", false) || reader.flag(zero + "/offload_param/pin_memory", false);

    // Hugging Face's integration sets these three from the width when they are "auto"; DeepSpeed by itself drops the word, and allgather_bucket_size's in any case
    // (runtime/config_utils.py), so that its default holds.
    const auto automatic = [&](const std::string& key, std::int64_t otherwise, double fromWidth) {
        if (hidden > 0 && reader.isAuto(zero + key)) return std::max<std::int64_t>(1, static_cast<std::int64_t>(fromWidth));
        return reader.integer(zero + key, otherwise, 0, kMost);
    };
    const double width = static_cast<double>(hidden);
    out.reduceBucket = std::max<std::int64_t>(1, automatic("/reduce_bucket_size", out.reduceBucket, width * width));
    out.prefetchBucket = automatic("/stage3_prefetch_bucket_size", out.prefetchBucket, 0.9 * width * width);
    out.persistence = automatic("/stage3_param_persistence_threshold", out.persistence, 10 * width);
    // By default sys.maxsize, which people write out.
    const double everything = static_cast<double>(out.modelPersistence);
    out.modelPersistence = std::llround(std::min(everything, reader.number(zero + "/stage3_model_persistence_threshold", everything, 0, 1e19)));
    const std::string sent = reader.word("/communication_data_type", "");
    out.sentBytes = sent == "fp32" || sent == "float32" ? 4 : sent == "fp16" || sent == "half" || sent == "float16" || sent == "bf16" || sent == "bfloat16" ? 2 : 0;
    out.allgatherBucket = std::max<std::int64_t>(1, reader.integer(zero + "/allgather_bucket_size", out.allgatherBucket, 0, kMost));
    out.maxLive = reader.integer(zero + "/stage3_max_live_parameters", out.maxLive, 0, kMost);
    out.maxReuse = reader.integer(zero + "/stage3_max_reuse_distance", out.maxReuse, 0, kMost);
    out.subGroup = std::max<std::int64_t>(1, reader.integer(zero + "/sub_group_size", out.subGroup, 0, kMost));
    out.paramBufferCount = reader.integer(zero + "/offload_param/buffer_count", out.paramBufferCount, 0, 1'000'000);
    out.paramBufferSize = reader.integer(zero + "/offload_param/buffer_size", out.paramBufferSize, 0, kMost);
    out.leastFile = std::max(out.leastFile, reader.integer("/aio/block_size", out.leastFile, 1, kMost));
    out.maxInCpu = reader.integer(zero + "/offload_param/max_in_cpu", out.maxInCpu, 0, kMost);
    out.optimizerBufferCount = reader.integer(zero + "/offload_optimizer/buffer_count", out.optimizerBufferCount, 0, 1'000'000);
    out.contiguousGradients = reader.flag(zero + "/contiguous_gradients", true);
    out.reduceScatter = reader.flag(zero + "/reduce_scatter", true);
    // Written as true. Stage 3 overlaps by itself unless forbidden, whatever stage these settings are tried at.
    out.overlapComm = reader.flag(zero + "/overlap_comm", false);
    const json* overlap = reader.find(zero + "/overlap_comm");
    out.overlapForbidden = overlap && coercedBoolean(*overlap) == false;
    out.hpzPartition = reader.integer(zero + "/zero_hpz_partition_size", 1, 1, 1'000'000);
    out.micsShard = std::max<std::int64_t>(0, reader.integer(zero + "/mics_shard_size", -1, -1, 1'000'000));
    out.gatherOnSave = reader.flag(zero + "/stage3_gather_16bit_weights_on_model_save", reader.flag(zero + "/gather_16bit_weights_on_model_save", false));
    out.partitionActivations = reader.flag("/activation_checkpointing/partition_activations", false);
    out.cpuCheckpointing = reader.flag("/activation_checkpointing/cpu_checkpointing", false);
    out.quantizedWeights = reader.flag(zero + "/zero_quantized_weights", false);
    out.quantizedGradients = reader.flag(zero + "/zero_quantized_gradients", false);
    return out;
}

}  // namespace

DsSettings readDsSettings(const json& dsConfig, std::int64_t dataParallel, std::int64_t hidden, std::vector<PlanFinding>& findings)
{
    return readSettings(dsConfig, dataParallel, hidden, findings, false);
}

namespace {

/// Puts `value` in the place of an "auto".
void fillIn(json& config, const json::json_pointer& at, const json& value)
{
    if (config.contains(at) && config.at(at) == "auto") config[at] = value;
}

/// What `accelerate launch` and Accelerator.prepare() put there: config/rules/accelerate.cpp has the sources.
void fillAsAccelerate(json& config, const json& said, std::vector<PlanFinding>& findings)
{
    const auto whole = [](const json& value, std::int64_t otherwise) { return value.is_number_integer() && value.get<std::int64_t>() > 0 ? value.get<std::int64_t>() : otherwise; };
    const auto number = [&said](const char* name, const json& otherwise) { return said.value(name, json()).is_number() ? said.at(name) : otherwise; };
    const auto device = [&said](const char* name) { return said.value(name, json()).is_string() && isAccelerateWord(name, said.at(name).get<std::string>()) ? said.at(name) : json("none"); };
    fillIn(config, json::json_pointer("/gradient_accumulation_steps"), whole(said.value("gradient_accumulation_steps", json()), 1));
    // Where the script's DataLoader is not known, the two others and the ranks say the micro batch, else torch's default does.
    const bool open = !said.contains("per_device_train_batch_size") && config.contains("train_batch_size") && config["train_batch_size"].is_number_integer();
    if (open && config.value("train_micro_batch_size_per_gpu", json()) == "auto") config.erase("train_micro_batch_size_per_gpu");
    fillIn(config, json::json_pointer("/train_micro_batch_size_per_gpu"), whole(said.value("per_device_train_batch_size", json()), 1));
    fillIn(config, json::json_pointer("/train_batch_size"), json());
    fillIn(config, json::json_pointer("/gradient_clipping"), number("gradient_clipping", 1.0));
    fillIn(config, json::json_pointer("/zero_optimization/stage"), number("zero_stage", 2));
    fillIn(config, json::json_pointer("/zero_optimization/offload_optimizer/device"), device("offload_optimizer_device"));
    fillIn(config, json::json_pointer("/zero_optimization/offload_param/device"), device("offload_param_device"));
    const json precision = said.value("mixed_precision", json());
    const char* asked = precision == "fp16" ? "fp16" : precision == "bf16" || precision == "fp8" ? "bf16" : nullptr;
    if (asked != nullptr && !config.contains(asked)) config[asked] = {{"enabled", true}};
    for (const auto& [section, pointer] : {std::pair{"fp16", "/dsConfig/fp16/enabled"}, {"bf16", "/dsConfig/bf16/enabled"}}) {
        const json::json_pointer at = json::json_pointer("/" + std::string(section) + "/enabled");
        if (!config.contains(at) || config.at(at) != "auto") continue;
        config[at] = asked != nullptr && std::string_view(asked) == section;
        if (precision.is_null())
            findings.push_back(makeFinding("plan.precision_accelerate", "info", pointer, "\"auto\" is filled in by accelerate from --mixed_precision, which nobody gives here: the plan takes fp32, as the check does; write true where it is given", {}));
    }
}

// The batch and precision that `check` judges by as well: those of the launcher's arguments that the workspace has (launch.trainer), else
// their defaults.
json asTheLauncherFills(const Workspace& w, std::vector<PlanFinding>& findings)
{
    json config = w.dsConfig;
    const json::json_pointer given("/launch/trainer");
    if (!fillsAuto(w.launch.launcher) && w.document.is_object() && w.document.contains(given) && !w.document.at(given).empty())
        findings.push_back(makeFinding("plan.trainer_unused", "warning", "/launch/trainer", "launch.trainer has no effect: only transformers and accelerate fill \"auto\" from such arguments; name the one that starts the job in launch.launcher", {}));
    if (!config.is_object() || !fillsAuto(w.launch.launcher)) return config;
    const json said = w.document.is_object() && w.document.contains(given) && w.document.at(given).is_object() ? w.document.at(given) : json::object();
    if (w.launch.launcher == CheckLauncher::Accelerate) {
        fillAsAccelerate(config, said, findings);
        return config;
    }
    const auto size = [&](const char* name, int otherwise) {
        const json value = said.value(name, json(otherwise));
        return value.is_number_integer() && value.get<std::int64_t>() > 0 ? value : json(otherwise);
    };
    for (const auto& [key, value] : {std::pair{"train_micro_batch_size_per_gpu", size("per_device_train_batch_size", 8)}, {"gradient_accumulation_steps", size("gradient_accumulation_steps", 1)}, {"train_batch_size", json()}})
        if (config.contains(key) && config[key] == "auto") config[key] = value;
    const char* open = nullptr;
    for (const auto& [section, pointer] : {std::pair{"fp16", "/dsConfig/fp16/enabled"}, {"bf16", "/dsConfig/bf16/enabled"}}) {
        if (!config.contains(section) || !config[section].is_object() || config[section].value("enabled", json()) != "auto") continue;
        const bool asked = said.value(section, json()) == true;
        config[section]["enabled"] = asked;
        if (!asked && !said.contains("bf16") && !said.contains("fp16")) open = pointer;
    }
    if (open != nullptr)
        findings.push_back(makeFinding("plan.precision_default", "info", open, "\"auto\" is filled in by Transformers' Trainer, whose default is neither bf16 nor fp16: the plan takes fp32, as the check does; write true where the Trainer is given one of them", {}));
    return config;
}

}  // namespace

DsSettings readDsSettings(const Workspace& w, std::int64_t hidden, std::vector<PlanFinding>& findings)
{
    // Our own engine reads the file as it stands, whoever is named as its launcher.
    if (w.framework.name == "stagecraft") return readSettings(w.dsConfig, batchRanks(w), 0, findings, true);
    return readSettings(asTheLauncherFills(w, findings), batchRanks(w), fillsAuto(w.launch.launcher) ? hidden : 0, findings, false);
}

EngineConfig engineConfigOf(const DsSettings& s)
{
    EngineConfig config;
    config.trainBatch = s.trainBatch;
    config.microBatch = s.microBatch;
    config.accumulation = s.accumulation;
    config.zeroStage = s.stage;
    config.precision = s.precision;
    config.gradientClipping = s.clipping;
    config.offloadOptimizer = s.offloadOptimizer;
    config.offloadParam = s.offloadParam;
    config.reduceBucketElements = s.reduceBucket;
    config.prefetchElements = s.prefetchBucket;
    config.maxLiveElements = s.maxLive;
    config.persistenceThreshold = s.persistence;
    config.overlapComm = s.overlapComm || (s.stage == 3 && !s.overlapForbidden);
    config.overlapForbidden = s.overlapForbidden;
    return config;
}

namespace {

// Bytes of fp32 state beside the master copy. Sources: torch.optim; deepspeed/ops (fused and CPU Adam, Lamb, Lion, Adagrad);
// bitsandbytes (means of large tensors, see optimizer_states.h);
// deepspeed/runtime/fp16/onebit: two moments and the worker's error, and for Lamb a fresh variance, for 0/1 Adam an accumulator.
constexpr std::pair<std::string_view, double> kStates[] = {
    {"adam", 8}, {"adamw", 8}, {"fusedadam", 8}, {"cpuadam", 8}, {"deepspeedcpuadam", 8}, {"muadam", 8}, {"muadamw", 8}, {"adamax", 8}, {"nadam", 8}, {"radam", 8}, {"adadelta", 8}, {"rprop", 8},
    {"lamb", 8}, {"fusedlamb", 8}, {"sgd", 0}, {"musgd", 0}, {"momentum", 4}, {"rmsprop", 4}, {"asgd", 4}, {"adagrad", 4}, {"lion", 4}, {"muon", 4}, {"dist_muon", 4},
    {"adafactor", 4}, {"adam8bit", 2.03125}, {"adamw8bit", 2.03125}, {"pagedadam8bit", 2.03125}, {"pagedadamw8bit", 2.03125}, {"adamw_8bit", 2.03125}, {"paged_adamw_8bit", 2.03125}, {"lion8bit", 1.015625},
    {"pagedlion8bit", 1.015625}, {"lion_8bit", 1.015625}, {"paged_lion_8bit", 1.015625}, {"rmsprop_bnb_8bit", 1.015625}, {"pagedadam", 8}, {"pagedadamw", 8}, {"paged_adamw", 8}, {"pagedlion", 4},
    {"onebitadam", 12}, {"onebitlamb", 16}, {"zerooneadam", 16},
};

}  // namespace

bool knownOptimizer(const std::string& optimizer)
{
    return std::any_of(std::begin(kStates), std::end(kStates), [&](const auto& state) { return state.first == optimizer; });
}

double optimizerStateBytes(const std::string& optimizer)
{
    for (const auto& [name, bytes] : kStates)
        if (name == optimizer) return bytes;
    return 8.0;
}

}  // namespace stagecraft
