// SPDX-License-Identifier: GPL-3.0-or-later
// Files that hold TrainingArguments: transformers' own, LLaMA-Factory's, axolotl's.
// Source of axolotl's names and defaults: axolotl 0.8+, utils/schemas/training.py and core/builders/base.py.
#include "importers/readers.h"

#include "config/hjson_reader.h"
#include "importers/config_text.h"
#include "importers/ranks_comment.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft {

namespace {

std::string notOurs(const ImportDraft& draft) { return draft.say("Says nothing about sharding, batch or steps.", "与分片、batch、步数无关。"); }

/// What our own export of such a file says of the ranks.
void ranksFromComment(ImportDraft& draft)
{
    if (const auto comment = readRanksComment(draft.file.text); comment.has_value() && draft.options.ranks == 0) {
        draft.ranks = comment->ranks;
        draft.nodes = comment->nodes;
        draft.taken("ranks", comment->line, ConfigValue::ofInt(comment->ranks), "/layout/dp");
    }
}

void ranksFromArguments(ImportDraft& draft, const ConfigValue& root)
{
    for (const char* key : {"num_processes", "world_size", "nproc_per_node"}) {
        const ConfigValue* value = root.find(key);
        if (value != nullptr && value->kind == ConfigValue::Kind::Int && !value->wide && value->integer > 0 && value->integer < 1'000'000) draft.ranks = static_cast<int>(value->integer);
    }
}

}  // namespace

Result<void> readTrainingArguments(ImportDraft& draft, const ConfigValue& root)
{
    draft.trainer = true;
    ranksFromComment(draft);
    ranksFromArguments(draft, root);
    for (const ConfigMember& member : root.members) {
        if (member.key == "fsdp" && pythonTruth(member.value)) {
            return draft.refuse(ErrorCode::InvalidInput, member.keyPlace.line, "\"{0}\" is set: this training is sharded by FSDP and has no ds_config; import an accelerate config with its fsdp_config, which is translated", "设置了“{0}”：该训练由 FSDP 分片，没有 ds_config；导入带 fsdp_config 的 accelerate 配置，它会被转换", {member.key});
        }
        auto took = draft.takeArgument(member.key, member.key, member.keyPlace.line, member.value);
        if (!took.hasValue()) return took.error();
        // LLaMA-Factory's: weights in 16 bits and no others, which no ds_config says.
        if (!took.value() && member.key == "pure_bf16" && pythonTruth(member.value)) draft.note(TransferKind::Warning, member.key, member.keyPlace.line, member.value, "", draft.say("Trains the weights in bf16 themselves, without fp32 ones beside them: no key of a ds_config says so, and what is planned from it has them in fp32. For mixed precision write bf16: true.", "直接以 bf16 训练权重，没有 fp32 主权重：ds_config 中没有对应的键，按它做的计划会按 fp32 权重计算。要混合精度，写 bf16: true。"));
        else if (!took.value()) draft.dropped(member.key, member.keyPlace.line, member.value, notOurs(draft));
    }
    return {};
}

std::string axolotlArgument(const std::string& key)
{
    static const std::map<std::string, std::string> kNames{
        {"micro_batch_size", "per_device_train_batch_size"}, {"num_epochs", "num_train_epochs"}, {"lr_scheduler", "lr_scheduler_type"},
        {"optimizer", "optim"}, {"bfloat16", "bf16"}, {"float16", "fp16"}};
    const auto renamed = kNames.find(key);
    return renamed == kNames.end() ? key : renamed->second;
}

Result<void> readAxolotl(ImportDraft& draft, const ConfigValue& root)
{
    draft.trainer = true;
    ranksFromComment(draft);
    // axolotl's own defaults where transformers has others.
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, TrainerValue>>{
             {"per_device_train_batch_size", std::int64_t{1}}, {"num_train_epochs", 1.0}, {"lr_scheduler_type", std::string("cosine")}}) {
        draft.arguments[name] = value;
    }
    bool warmup = false, stepsGiven = false;
    std::optional<std::int64_t> batch;
    for (const ConfigMember& member : root.members) {
        const int line = member.keyPlace.line;
        if ((member.key == "fsdp" || member.key == "fsdp_config") && pythonTruth(member.value)) {
            return draft.refuse(ErrorCode::InvalidInput, line, "\"{0}\" is set: this training is sharded by FSDP and has no ds_config; import an accelerate config with its fsdp_config, which is translated", "设置了“{0}”：该训练由 FSDP 分片，没有 ds_config；导入带 fsdp_config 的 accelerate 配置，它会被转换", {member.key});
        }
        if (member.key == "batch_size" && member.value.kind == ConfigValue::Kind::Int) batch = member.value.integer;
        warmup = warmup || ((member.key == "warmup_steps" || member.key == "warmup_ratio") && !member.value.isNull());  // 0 is an answer (axolotl pull request 3254)
        stepsGiven = stepsGiven || (member.key == "warmup_steps" && !member.value.isNull());
        const std::string name = axolotlArgument(member.key);
        if ((name == "bf16" || name == "fp16") && member.value.isString()) {
            const bool on = member.value.text == "auto" || member.value.text == "full";
            draft.arguments[name] = on && name == "bf16";
            draft.note(TransferKind::Changed, member.key, line, member.value, "trainer." + name, member.value.text == "auto" ? draft.say("Becomes true: axolotl takes bf16 where the device has it, which every card since Ampere does.", "变为 true：axolotl 在设备支持时使用 bf16，Ampere 以来的显卡都支持。") : draft.say("Becomes {0}.", "变为 {0}。", {on ? "true" : "false"}));
            continue;
        }
        if (member.key == "deepspeed" && member.value.isNull()) continue;
        static const std::set<std::string> kSplits{"tensor_parallel_size", "context_parallel_size", "sequence_parallel_degree", "dp_shard_size", "dp_replicate_size", "expert_parallel_size"};
        if (const auto parts = trainerValue({"", ArgumentType::Int, ""}, member.value); kSplits.count(member.key) > 0 && parts.has_value() && std::get<std::int64_t>(*parts) > 1) {
            draft.note(TransferKind::Warning, member.key, line, member.value, "", draft.say("Divides the ranks otherwise than the ds_config says: here all of them count as data-parallel. Set the workspace's layout.", "它以 ds_config 之外的方式划分 rank：此处全部按数据并行计。设置工作区的 layout。"));
            continue;
        }
        auto took = draft.takeArgument(name, member.key, line, member.value);
        if (!took.hasValue()) return took.error();
        if (!took.value() && !member.value.isNull()) draft.dropped(member.key, line, member.value, notOurs(draft));
    }
    if (draft.arguments.count("bf16") == 0 && !trainerFlag(draft.arguments, "fp16") && draft.knownLater.count("bf16") + draft.knownLater.count("fp16") == 0) {
        draft.arguments["bf16"] = true;
        draft.note(TransferKind::Changed, "bf16", 0, {}, "trainer.bf16", draft.say("Not in the file: axolotl's own is auto, which is bf16 where the device has it, as every card since Ampere does.", "文件中没有：axolotl 自己的默认值是 auto，即在设备支持时使用 bf16，Ampere 以来的显卡都支持。"));
    }
    if (batch.has_value() && root.find("gradient_accumulation_steps") == nullptr) {
        const auto micro = static_cast<std::int64_t>(trainerNumber(draft.arguments, "per_device_train_batch_size"));
        const int line = root.findMember("batch_size")->keyPlace.line;
        const ConfigValue written = ConfigValue::ofInt(*batch);
        // normalize_config: of one rank, rounded down
        const std::int64_t steps = micro > 0 ? *batch / micro : 0;
        if (steps > 0) draft.arguments["gradient_accumulation_steps"] = steps;
        const std::initializer_list<std::string> numbers{std::to_string(steps), std::to_string(*batch), std::to_string(micro)};
        if (steps < 1) draft.note(TransferKind::Warning, "batch_size", line, written, "trainer.gradient_accumulation_steps", draft.say("axolotl divides it by micro_batch_size, {2}, to get gradient_accumulation_steps, and that is less than one. Write gradient_accumulation_steps.", "axolotl 用它除以 micro_batch_size {2} 得到 gradient_accumulation_steps，结果不到 1。写出 gradient_accumulation_steps。", numbers));
        else if (*batch % micro != 0) draft.note(TransferKind::Warning, "batch_size", line, written, "trainer.gradient_accumulation_steps", draft.say("Becomes {0} gradient_accumulation_steps: {1} / {2} is no whole number, and axolotl rounds it down. Write gradient_accumulation_steps, or a multiple of micro_batch_size.", "变为 gradient_accumulation_steps {0}：{1} / {2} 不是整数，axolotl 向下取整。写出 gradient_accumulation_steps，或写 micro_batch_size 的倍数。", numbers));
        else draft.note(TransferKind::Changed, "batch_size", line, written, "trainer.gradient_accumulation_steps", draft.say("Becomes {0} gradient_accumulation_steps: batch_size / micro_batch_size, on each rank.", "变为 gradient_accumulation_steps {0}：batch_size / micro_batch_size，每个 rank 上。", numbers));
    }
    // _configure_warmup_and_logging: a share of known steps becomes a number, rounded down, and one step becomes two.
    const double total = trainerNumber(draft.arguments, "max_steps"), share = trainerNumber(draft.arguments, "warmup_ratio"), asked = trainerNumber(draft.arguments, "warmup_steps");
    if (stepsGiven && share > 0) {
        draft.arguments["warmup_ratio"] = 0.0;
        draft.note(TransferKind::Changed, "warmup_ratio", root.findMember("warmup_ratio")->keyPlace.line, ConfigValue::ofFloat(share), "trainer.warmup_ratio", draft.say("Has no effect: axolotl takes warmup_steps where both are given.", "没有作用：两者都给出时，axolotl 使用 warmup_steps。"));
    }
    if (warmup && !stepsGiven && share > 0 && total > 0 && draft.knownLater.count("max_steps") == 0) {
        const auto steps = static_cast<std::int64_t>(share * total);
        draft.arguments["warmup_steps"] = steps == 1 ? std::int64_t{2} : steps;
        if (steps == 0) draft.arguments["warmup_ratio"] = 0.0;
        draft.note(TransferKind::Changed, "warmup_ratio", root.findMember("warmup_ratio") != nullptr ? root.findMember("warmup_ratio")->keyPlace.line : 0, ConfigValue::ofFloat(share), "trainer.warmup_steps", draft.say("Becomes {0} warmup_steps: axolotl takes the share of max_steps, rounded down, and never one step alone.", "变为 warmup_steps {0}：axolotl 按 max_steps 的比例向下取整，且不会只取一步。", {std::to_string(steps == 1 ? 2 : steps)}));
    } else if (asked == 1 && valueAt(readHjson(draft.result.dsConfigSource).root, "/scheduler/params/warmup_num_steps") == nullptr) {  // DeepSpeed's own schedulers make two of one too: there it stays as it is written
        draft.arguments["warmup_steps"] = std::int64_t{2};
        draft.note(TransferKind::Changed, "warmup_steps", root.findMember("warmup_steps") != nullptr ? root.findMember("warmup_steps")->keyPlace.line : 0, ConfigValue::ofInt(1), "trainer.warmup_steps", draft.say("Becomes 2: axolotl never warms up for one step alone.", "变为 2：axolotl 的 warmup 不会只有一步。"));
    }
    if (!warmup && trainerNumber(draft.arguments, "max_steps") > 0) {
        const auto steps = static_cast<std::int64_t>(std::min(0.03 * trainerNumber(draft.arguments, "max_steps"), 100.0));
        draft.arguments["warmup_steps"] = steps == 1 ? std::int64_t{2} : steps;
        draft.note(TransferKind::Changed, "warmup_steps", 0, ConfigValue::ofInt(steps), "trainer.warmup_steps", draft.say("Not in the file: axolotl warms up for 3 % of the steps, at most 100.", "文件中没有：axolotl 取总步数的 3% 作为 warmup，最多 100 步。"));
    } else if (!warmup) {
        draft.arguments["warmup_ratio"] = 0.03;  // the share; how many steps that is only the data or max_steps tells
        draft.note(TransferKind::Warning, "warmup_steps", 0, ConfigValue(), "trainer.warmup_ratio", draft.say("Not in the file: axolotl warms up for 3 % of the steps, at most 100, and the number of steps is not known. Give max_steps, or write warmup_steps.", "文件中没有：axolotl 取总步数的 3% 作为 warmup，最多 100 步，而总步数未知。给出 max_steps，或写 warmup_steps。"));
    }
    if (trainerFlag(draft.arguments, "bf16")) draft.arguments["fp16"] = false;  // (cfg.fp16 and not cfg.bf16)
    return {};
}

}  // namespace stagecraft
