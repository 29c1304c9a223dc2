// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/engine_reader.h"
#include "config/json_document.h"
#include "config/release_facts.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace stagecraft {

using nlohmann::json;

namespace {

const std::string kZero = "/zero_optimization";

/// Keys of zero_optimization that DeepSpeed 0.19.8 knows and that change nothing here, each with the reason.
const std::map<std::string, const char*>& zeroKeysWithoutEffect()
{
    static const std::map<std::string, const char*> kKeys{
        {"contiguous_gradients", "the gradients of a unit always lie in one flat buffer"},
        {"reduce_scatter", "stages 1 to 3 always reduce-scatter; the sums are the same"},
        {"use_multi_rank_bucket_allreduce", "gradients are reduce-scattered straight to their owners"},
        {"allgather_partitions", "parameters are always gathered by all-gather"},
        {"allgather_bucket_size", "a gather moves one unit of the model at a time"},
        {"compute_grad_norm", "the gradient norm is always computed and recorded"},
        {"load_from_fp32_weights", "checkpoints always hold the fp32 weights"},
        {"elastic_checkpoint", "any number of ranks can read any checkpoint"},
        {"sub_group_size", "the optimizer steps one unit of the model at a time"},
        {"cpu_offload_use_pin_memory", "nothing is offloaded"},
        {"model_persistence_threshold", "the threshold per parameter decides"},
        {"stage3_model_persistence_threshold", "the threshold per parameter decides"},
        {"max_reuse_distance", "a unit's full weights go back to the pool right after use"},
        {"stage3_max_reuse_distance", "a unit's full weights go back to the pool right after use"},
        {"gather_16bit_weights_on_model_save", "a checkpoint maps names to slices, so no rank gathers the model to save it"},
        {"stage3_gather_16bit_weights_on_model_save", "a checkpoint maps names to slices, so no rank gathers the model to save it"},
        {"stage3_gather_fp16_weights_on_model_save", "a checkpoint maps names to slices, so no rank gathers the model to save it"},
        {"module_granularity_threshold", "a unit is a whole transformer block"},
        {"stage3_module_granularity_threshold", "a unit is a whole transformer block"},
        {"use_all_reduce_for_fetch_params", "parameters are always gathered by all-gather"},
        {"stage3_use_all_reduce_for_fetch_params", "parameters are always gathered by all-gather"},
        {"allgather_sequential", "a unit is gathered by one call"},
        {"stage3_allgather_sequential", "a unit is gathered by one call"},
        {"ignore_unused_parameters", "every parameter of a unit takes part in every step"},
        {"round_robin_gradients", "every rank owns an equal slice of each unit"},
        {"parameter_alignment", "parameters are always aligned to 64 bytes"},
        {"zero_hpz_partition_size", "shards spread over all data-parallel ranks"},
        {"zero_quantized_weights", "weights travel unquantised"},
        {"zero_quantized_nontrainable_weights", "weights travel unquantised"},
        {"zero_quantized_gradients", "gradients travel unquantised"},
        {"memory_efficient_linear", "the engine's linear layers never keep gathered weights"},
        {"pipeline_loading_checkpoint", "a rank reads only its own slices of a checkpoint"},
        {"override_module_apply", "there are no Python modules"},
        {"log_trace_cache_warnings", "the schedule is compiled beforehand; there is no trace to miss"},
        {"enable_sanity_checks", "the schedule is validated before the run"},
        {"save_muon_momentum_buffer_in_memory", "the optimizer is Adam"},
        {"leaf_module", "a unit is always gathered as a whole"},
    };
    return kKeys;
}

/// The newest release's facts: what the check holds a ds_config against where nothing else is asked for.
const ReleaseFacts& newestRelease()
{
    bool exact = false;
    static const ReleaseFacts* const kFacts = findRelease({}, exact).value();
    return *kFacts;
}

/// Refuses what DeepSpeed's own class of the section refuses: keys that it does not have, at any depth. Its own classes drop
/// "auto" before they look at the keys, unless "strict" says otherwise, which is no key but an argument.
void refuseUnknownKeys(const json& section, const std::string& pointer, const ModelFacts& model, EngineReader& reader)
{
    const bool own = model.validators.count("plain_model") == 0;
    const bool dropsAuto = own && !reader.truth(section, "strict", false);
    for (const auto& [key, value] : section.items()) {
        const FieldFacts* field = model.findField(key);
        if (field == nullptr && ((own && key == "strict") || (dropsAuto && value == "auto"))) continue;
        if (field == nullptr) {
            reader.invalid(pointer + "/" + pointerToken(key), fmt::format("\"{}\" has no key {}; DeepSpeed refuses unknown keys there, so remove it", dottedConfigName(pointer), shownConfigValue(json(key))));
        } else if (const ModelFacts* inner = newestRelease().modelOf(field->type); inner != nullptr && value.is_object()) {
            refuseUnknownKeys(value, pointer + "/" + pointerToken(key), *inner, reader);
        }
    }
}

void refuseUnknownKeys(const json& section, const std::string& pointer, std::string_view name, EngineReader& reader)
{
    if (const ModelFacts* model = newestRelease().sectionModel(name)) refuseUnknownKeys(section, pointer, *model, reader);
}

OffloadDevice readOffload(const json& zero, const char* key, const char* oldKey, EngineReader& reader)
{
    const std::string pointer = kZero + "/" + key;
    if (const auto it = zero.find(oldKey); it != zero.end() && !it->is_null()) {
        if (zero.contains(key)) reader.invalid(kZero + "/" + oldKey, fmt::format("\"{}\" stands beside \"{}\"; DeepSpeed takes only the second", oldKey, key));
        return reader.boolean(zero, kZero, oldKey, false) ? OffloadDevice::Cpu : OffloadDevice::None;
    }
    const auto it = zero.find(key);
    if (it == zero.end() || it->is_null() || (it->is_string() && it->get_ref<const std::string&>() == "auto")) return OffloadDevice::None;
    if (!it->is_object()) {
        reader.invalid(pointer, fmt::format("\"{}\" is {}; use an object such as {{\"device\": \"cpu\"}}", dottedConfigName(pointer), shownConfigValue(*it)));
        return OffloadDevice::None;
    }
    const json device = it->value("device", json("none"));
    const std::string word = device.is_string() ? device.get<std::string>() : "";
    if (word == "cpu") return OffloadDevice::Cpu;
    if (word == "nvme") return OffloadDevice::Nvme;
    if (word != "none" && word != "auto") {
        reader.invalid(pointer + "/device", fmt::format("\"{}.device\" is {}; use \"none\", \"cpu\" or \"nvme\"", dottedConfigName(pointer), shownConfigValue(device)));
    }
    return OffloadDevice::None;
}

/// One knob under its field name or its alias, which DeepSpeed takes alone but not together.
std::int64_t aliasedInteger(const json& zero, const char* name, const char* alias, std::int64_t fallback, EngineReader& reader)
{
    if (zero.contains(name) && zero.contains(alias)) {
        reader.invalid(kZero + "/" + alias, fmt::format("\"{}\" and \"{}\" are two names of one key; keep one", name, alias));
    }
    const char* used = zero.contains(alias) ? alias : name;
    if (zero.contains(used) && reader.config().zeroStage != 3) reader.withoutEffect(kZero + "/" + used, "it acts in stage 3 only");
    return reader.integer(zero, kZero, used, fallback, 0);
}

}  // namespace

void readZero(const json& dsConfig, EngineReader& reader)
{
    EngineConfig& config = reader.config();
    const auto section = dsConfig.find("zero_optimization");
    if (section == dsConfig.end()) return;
    if (section->is_boolean()) {
        config.zeroStage = section->get<bool>() ? 1 : 0;
        return;
    }
    if (!section->is_object()) {
        reader.invalid(kZero, fmt::format("\"zero_optimization\" is {}; use an object such as {{\"stage\": 2}}", shownConfigValue(*section)));
        return;
    }
    const json& zero = *section;
    refuseUnknownKeys(zero, kZero, "zero_optimization", reader);
    const std::int64_t stage = reader.integer(zero, kZero, "stage", 0, 0);
    if (stage > 3) reader.invalid(kZero + "/stage", fmt::format("\"zero_optimization.stage\" is {}; use 0, 1, 2 or 3", stage));
    if (reader.error()) return;
    config.zeroStage = static_cast<int>(stage);

    config.reduceBucketElements = reader.integer(zero, kZero, "reduce_bucket_size", 500'000'000, 1);
    config.prefetchElements = aliasedInteger(zero, "prefetch_bucket_size", "stage3_prefetch_bucket_size", 50'000'000, reader);
    config.persistenceThreshold = aliasedInteger(zero, "param_persistence_threshold", "stage3_param_persistence_threshold", 100'000, reader);
    config.maxLiveElements = aliasedInteger(zero, "max_live_parameters", "stage3_max_live_parameters", 1'000'000'000, reader);
    const bool overlapGiven = zero.contains("overlap_comm") && !zero["overlap_comm"].is_null();
    config.overlapComm = overlapGiven ? reader.boolean(zero, kZero, "overlap_comm", stage == 3) : stage == 3;
    config.overlapForbidden = overlapGiven && !config.overlapComm;

    config.offloadOptimizer = readOffload(zero, "offload_optimizer", "cpu_offload", reader);
    config.offloadParam = readOffload(zero, "offload_param", "cpu_offload_param", reader);
    if (config.offloadOptimizer != OffloadDevice::None) {
        reader.refuse(kZero + "/offload_optimizer", "\"zero_optimization.offload_optimizer\" asks for optimizer states outside the device; this engine keeps them there, so remove it");
    }
    if (config.offloadParam != OffloadDevice::None) {
        reader.refuse(kZero + "/offload_param", "\"zero_optimization.offload_param\" asks for parameters outside the device; this engine keeps them there, so remove it");
    }

    static const std::set<std::string> kRead{"stage", "reduce_bucket_size", "prefetch_bucket_size", "stage3_prefetch_bucket_size", "param_persistence_threshold",
                                             "stage3_param_persistence_threshold", "max_live_parameters", "stage3_max_live_parameters", "overlap_comm",
                                             "offload_optimizer", "offload_param", "cpu_offload", "cpu_offload_param"};
    for (const auto& [key, value] : zero.items()) {
        if (kRead.contains(key)) continue;
        const std::string pointer = kZero + "/" + key;
        if (key == "legacy_stage1") {
            if (stage > 0 && reader.boolean(zero, kZero, "legacy_stage1", false)) reader.invalid(pointer, "\"zero_optimization.legacy_stage1\" is true; DeepSpeed no longer has that stage 1, so remove it");
        } else if (key == "zenflow") {
            if (!value.is_null()) reader.refuse(pointer, "\"zero_optimization.zenflow\" asks for delayed updates; this engine updates every parameter at every step, so remove it");
        } else if (const auto reason = zeroKeysWithoutEffect().find(key); reason != zeroKeysWithoutEffect().end()) {
            reader.withoutEffect(pointer, reason->second);
        }
    }
}

void readPrecision(const json& dsConfig, EngineReader& reader)
{
    EngineConfig& config = reader.config();
    const auto section = [&](const char* key) -> const json* {
        const auto it = dsConfig.find(key);
        if (it == dsConfig.end() || it->is_null()) return nullptr;
        if (it->is_object()) return &*it;
        reader.invalid(std::string("/") + key, fmt::format("\"{}\" is {}; use an object such as {{\"enabled\": true}}", key, shownConfigValue(*it)));
        return nullptr;
    };
    // bf16 wins over its older name unless it is missing or null.
    const json* bf16 = section("bf16");
    const char* name = bf16 != nullptr ? "bf16" : "bfloat16";
    if (bf16 == nullptr) bf16 = section("bfloat16");
    const json* fp16 = section("fp16");
    const std::string pointer = std::string("/") + name;
    if (bf16 != nullptr) refuseUnknownKeys(*bf16, pointer, "bf16", reader);
    if (fp16 != nullptr) refuseUnknownKeys(*fp16, "/fp16", "fp16", reader);
    const bool useBf16 = bf16 != nullptr && reader.boolean(*bf16, pointer, "enabled", false);
    const bool useFp16 = fp16 != nullptr && reader.boolean(*fp16, "/fp16", "enabled", false);
    if (useBf16 && useFp16) {
        reader.invalid("/fp16/enabled", "fp16 and bf16 modes cannot be simultaneously enabled; switch one off");
    } else if (useFp16) {
        reader.refuse("/fp16/enabled", "\"fp16.enabled\" is true; this engine trains in fp32 and bf16, so use \"bf16\": {\"enabled\": true}");
    }
    config.precision = useBf16 ? Precision::Bf16 : Precision::Fp32;
    if (bf16 != nullptr) {
        for (const char* key : {"bf16_master_weights_and_grads", "bf16_optimizer_states"}) {
            if (reader.boolean(*bf16, pointer, key, false)) {
                reader.refuse(pointer + "/" + key, fmt::format("\"{}.{}\" is true; this engine keeps master weights, gradients and states in fp32, so remove it", name, key));
            }
        }
        if (bf16->contains("immediate_grad_update")) reader.withoutEffect(pointer + "/immediate_grad_update", "gradients always go into the fp32 buffer at once");
        if (bf16->contains("check_grad_overflow")) reader.withoutEffect(pointer + "/check_grad_overflow", "bf16 has the range of fp32; the norm shows an overflow");
    }
    if (const json* types = section("data_types")) {
        const auto it = types->find("grad_accum_dtype");
        if (it != types->end() && it->is_string()) {
            const auto& word = it->get_ref<const std::string&>();
            if (word != "fp32" && word != "float32") reader.withoutEffect("/data_types/grad_accum_dtype", "gradients always accumulate in fp32");
        }
    }
}

}  // namespace stagecraft
