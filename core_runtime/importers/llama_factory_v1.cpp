// SPDX-License-Identifier: GPL-3.0-or-later
// The YAML of LLaMA-Factory's v1 trainer, which hands a ds_config to accelerate. Source: LLaMA-Factory, src/llamafactory/v1
// (core/utils/batching.py, plugins/trainer_plugins/distributed/deepspeed.py, plugins/model_plugins/deepspeed_utils.py).
#include "importers/readers.h"

#include "config/hjson_reader.h"
#include "importers/config_text.h"

#include <algorithm>
#include <set>

namespace stagecraft {

namespace {

std::optional<std::int64_t> count(const ConfigValue& value)
{
    const auto read = trainerValue({"", ArgumentType::Int, ""}, value);
    return read.has_value() && std::get<std::int64_t>(*read) > 0 ? std::optional(std::get<std::int64_t>(*read)) : std::nullopt;
}

/// On, off, or left to the trainer ("auto" or nothing).
std::optional<bool> precision(const ConfigValue& config, const char* name)
{
    const ConfigValue* enabled = valueAt(config, std::string("/") + name + "/enabled");
    if (enabled == nullptr || enabled->isString("auto")) return std::nullopt;
    return pythonTruth(*enabled) && !enabled->isString("false") && !enabled->isString("False");
}

}  // namespace

Result<void> readLlamaFactoryV1(ImportDraft& draft, const ConfigValue& root)
{
    draft.accelerate = true;
    draft.certainBatch = true;
    const ConfigMember* sharding = root.findMember("dist_config");
    const ConfigValue* name = sharding->value.find("name");
    const ConfigValue* file = sharding->value.find("config_file");
    const int line = sharding->keyPlace.line;
    if (name == nullptr || !name->isString("deepspeed")) {
        return draft.refuse(ErrorCode::InvalidInput, line, "\"dist_config\" names {0}, which takes no ds_config; only its \"deepspeed\" does", "\"dist_config\" 指定 {0}，它不使用 ds_config；只有 \"deepspeed\" 使用", {name == nullptr ? std::string("nothing") : toJson(*name)});
    }
    if (file == nullptr || !file->isString() || file->text.empty()) return draft.refuse(ErrorCode::Refused, line, "\"dist_config\" has no \"config_file\", which LLaMA-Factory refuses (ValueError); write the path of the ds_config there", "\"dist_config\" 没有 \"config_file\"，LLaMA-Factory 会拒绝（ValueError）；在其中写出 ds_config 的路径");
    if (auto took = draft.takeDeepSpeed("dist_config.config_file", file->place.line, *file); !took.hasValue()) return took;

    const ConfigValue config = readHjson(draft.result.dsConfigSource).root;
    for (const char* section : {"optimizer", "scheduler"}) {
        if (config.find(section) != nullptr) return draft.refuse(ErrorCode::Refused, line, "the ds_config has a \"{0}\" section, and LLaMA-Factory hands accelerate one of its own: accelerate refuses both (ValueError); take the section out", "ds_config 含有 \"{0}\" 段，而 LLaMA-Factory 会把自己创建的交给 accelerate：二者并存时 accelerate 会拒绝（ValueError）；去掉该段", {section});
    }
    const auto half = precision(config, "fp16"), brain = precision(config, "bf16");
    if (half == true) return draft.refuse(ErrorCode::Refused, line, "the ds_config enables fp16, which LLaMA-Factory's v1 refuses (ValueError); use bf16", "ds_config 启用了 fp16，LLaMA-Factory v1 会拒绝（ValueError）；使用 bf16");
    if (!brain.has_value()) {
        draft.launchPrecision = ConfigValue::ofString(half == false ? "no" : "bf16");
        draft.launchPrecision.place.line = line;
    }

    std::int64_t micro = 1;
    std::optional<std::int64_t> global;
    for (const ConfigMember& member : root.members) {
        const int at = member.keyPlace.line;
        if (&member == sharding || member.value.isNull()) continue;
        const bool whole = member.key == "global_batch_size";
        if (whole || member.key == "micro_batch_size") {
            const auto number = count(member.value);
            if (!number.has_value()) return draft.refuse(ErrorCode::InvalidInput, at, "\"{0}\" is {1}; write {2} or the like", "“{0}”的值为 {1}；写成类似 {2} 的值", {member.key, toJson(member.value), "1"});
            if (whole) global = number;
            else micro = *number;
            draft.taken(member.key, at, member.value, whole ? "trainer.gradient_accumulation_steps" : "trainer.per_device_train_batch_size");
            continue;
        }
        const bool model = member.key == "model" && member.value.isString();
        static const std::set<std::string> kUsed{"cutoff_len", "max_steps", "num_train_epochs", "seed"};
        if (model || kUsed.count(member.key) > 0) {
            auto took = draft.takeArgument(model ? "model_name_or_path" : member.key, member.key, at, member.value);
            if (!took.hasValue()) return took.error();
            continue;
        }
        if (member.key == "enable_activation_checkpointing") {
            if (pythonTruth(member.value)) draft.setWorkspace("/layout/recompute", ConfigValue::ofString("full"));
            draft.taken(member.key, at, member.value, "/layout/recompute");
        } else if (member.key == "learning_rate" || member.key == "optim_config" || member.key == "lr_scheduler_config") {
            draft.dropped(member.key, at, member.value, draft.say("Of the optimizer or schedule that LLaMA-Factory makes itself: no section of the ds_config says it.", "属于 LLaMA-Factory 自己创建的优化器或调度：ds_config 中没有对应的段。"));
        } else {
            draft.dropped(member.key, at, member.value, draft.say("Says nothing about sharding, batch or steps.", "与分片、batch、步数无关。"));
        }
    }
    draft.arguments["per_device_train_batch_size"] = micro;
    const std::int64_t ranks = draft.options.ranks > 0 ? draft.options.ranks : draft.ranks > 0 ? draft.ranks : draft.options.workspaceRanks > 0 ? draft.options.workspaceRanks : 1;
    std::int64_t each = 0;
    if (global.has_value() && (__builtin_mul_overflow(micro, ranks, &each) || *global % each != 0)) {
        return draft.refuse(ErrorCode::Refused, root.findMember("global_batch_size")->keyPlace.line, "\"global_batch_size\" {0} is no multiple of {1} ranks x micro_batch_size {2}, which LLaMA-Factory refuses (ValueError); give the number of ranks, or change one of them", "\"global_batch_size\" {0} 不是 {1} 个 rank × micro_batch_size {2} 的整数倍，LLaMA-Factory 会拒绝（ValueError）；给出 rank 数，或修改其中之一", {std::to_string(*global), std::to_string(ranks), std::to_string(micro)});
    }
    draft.arguments["gradient_accumulation_steps"] = global.has_value() ? *global / each : std::int64_t{1};
    return {};
}

}  // namespace stagecraft
