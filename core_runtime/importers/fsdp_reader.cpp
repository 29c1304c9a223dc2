// SPDX-License-Identifier: GPL-3.0-or-later
// FSDP in words of ZeRO. Source: PyTorch's ShardingStrategy, and accelerate's own table in its guide "FSDP vs DeepSpeed".
#include "importers/config_text.h"
#include "importers/readers.h"

#include <algorithm>
#include <cctype>

namespace stagecraft {

namespace {

std::string lower(const ConfigValue& value)
{
    std::string text = value.isString() ? value.text : toJson(value);
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

Result<void> readFsdp(ImportDraft& draft, const ConfigValue& root)
{
    const ConfigValue* fields = root.find("fsdp_config");
    const ConfigValue none = ConfigValue::ofObject();
    const ConfigValue& fsdp = fields != nullptr && fields->isObject() ? *fields : none;
    const auto member = [&](const char* name) -> const ConfigMember* {
        const ConfigMember* found = fsdp.findMember(std::string("fsdp_") + name);
        return found != nullptr ? found : fsdp.findMember(name);
    };
    // FSDP1 names a strategy (older files by number), FSDP2 only says whether weights are given back after forward.
    static const char* const kByNumber[]{"full_shard", "shard_grad_op", "no_shard", "hybrid_shard", "hybrid_shard_zero2"};
    std::string strategy = "full_shard";
    const ConfigMember* from = member("sharding_strategy");
    if (const ConfigMember* reshard = member("reshard_after_forward"); reshard != nullptr && !reshard->value.isNull()) {
        from = reshard;
        strategy = lower(reshard->value);
        if (strategy == "true") strategy = "full_shard";
        if (strategy == "false") strategy = "shard_grad_op";
    } else if (from != nullptr) {
        strategy = lower(from->value);
        if (strategy.size() == 1 && strategy[0] >= '1' && strategy[0] <= '5') strategy = kByNumber[strategy[0] - '1'];
    }
    ConfigValue config = ConfigValue::ofObject();
    config.set("train_micro_batch_size_per_gpu", ConfigValue::ofString("auto"));
    const ConfigValue* precision = root.find("mixed_precision");
    const std::string mixed = precision == nullptr ? "" : lower(*precision);
    if (mixed == "fp16") setAt(config, "/fp16/enabled", ConfigValue::ofBool(true));
    if (mixed == "bf16" || mixed == "fp8") setAt(config, "/bf16/enabled", ConfigValue::ofBool(true));
    int stage = 3;
    std::string reason;
    if (strategy == "full_shard") {
        reason = draft.say("Becomes stage 3: weights, gradients and states are sharded, weights are gathered where they are used.", "变为 stage 3：权重、梯度和优化器状态都分片，使用时再收集权重。");
    } else if (strategy == "shard_grad_op") {
        stage = 2;
        reason = draft.say("Becomes stage 2. Lost: FSDP keeps the weights sharded between steps and gathers them once a step; stage 2 keeps whole weights all the time.", "变为 stage 2。差别：FSDP 在两步之间仍分片权重、每步收集一次；stage 2 始终保留完整权重。");
    } else if (strategy == "no_shard") {
        stage = 0;
        reason = draft.say("Becomes stage 0: nothing is sharded.", "变为 stage 0：不分片。");
    } else if (strategy == "hybrid_shard" || strategy == "hybrid_shard_zero2") {
        const int nodes = std::max(draft.nodes, 1);
        const int ranks = draft.options.ranks > 0 ? draft.options.ranks : draft.ranks;
        if (ranks > 0 && ranks % nodes == 0) setAt(config, "/zero_optimization/zero_hpz_partition_size", ConfigValue::ofInt(ranks / nodes));
        reason = draft.say("Becomes stage 3 with a second copy of the weights on each node (hpZ). Lost: FSDP also keeps gradients and states inside the node; ZeRO spreads them over all ranks.", "变为 stage 3 并在每个节点保留第二份权重（hpZ）。差别：FSDP 把梯度和状态也留在节点内；ZeRO 分散到所有 rank。");
    } else {
        return draft.refuse(ErrorCode::InvalidInput, from->value.place.line, "\"{0}\" is {1}; write FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD or HYBRID_SHARD_ZERO2 (FSDP2: true or false)", "“{0}”的值为 {1}；写 FULL_SHARD、SHARD_GRAD_OP、NO_SHARD、HYBRID_SHARD 或 HYBRID_SHARD_ZERO2（FSDP2：true 或 false）", {from->key, toJson(from->value)});
    }
    setAt(config, "/zero_optimization/stage", ConfigValue::ofInt(stage));
    const int line = from == nullptr ? 0 : from->keyPlace.line;
    draft.note(TransferKind::Changed, "fsdp_config." + (from == nullptr ? std::string("fsdp_sharding_strategy") : from->key), line, from == nullptr ? ConfigValue() : from->value, "/dsConfig/zero_optimization/stage", reason);
    for (const ConfigMember& field : fsdp.members) {
        const std::string name = field.key.rfind("fsdp_", 0) == 0 ? field.key.substr(5) : field.key;
        const std::string key = "fsdp_config." + field.key;
        if (&field == from || name == "version" || name == "sharding_strategy" || name == "reshard_after_forward") continue;
        if (name == "offload_params" && lower(field.value) == "true") {
            setAt(config, "/zero_optimization/offload_optimizer/device", ConfigValue::ofString("cpu"));
            if (stage == 3) setAt(config, "/zero_optimization/offload_param/device", ConfigValue::ofString("cpu"));
            draft.note(TransferKind::Changed, key, field.keyPlace.line, field.value, "/dsConfig/zero_optimization/offload_optimizer", draft.say("Becomes offload to the CPU: FSDP keeps weights, gradients and states there together; DeepSpeed has one switch for states and one (stage 3) for weights.", "变为卸载到 CPU：FSDP 把权重、梯度和状态一起放在 CPU；DeepSpeed 状态与权重（stage 3）各有开关。"));
        } else if ((name == "offload_params" || name == "activation_checkpointing") && lower(field.value) == "false") {
            draft.taken(key, field.keyPlace.line, field.value, name == "offload_params" ? "/dsConfig/zero_optimization/offload_optimizer" : "/layout/recompute");
        } else if (name == "activation_checkpointing" && lower(field.value) == "true") {
            draft.setWorkspace("/layout/recompute", ConfigValue::ofString("full"));
            draft.taken(key, field.keyPlace.line, field.value, "/layout/recompute");
        } else if (name == "backward_prefetch" || name == "forward_prefetch") {
            draft.dropped(key, field.keyPlace.line, field.value, draft.say("Stage 3 prefetches by stage3_prefetch_bucket_size and overlap_comm instead.", "stage 3 改用 stage3_prefetch_bucket_size 与 overlap_comm 控制预取。"));
        } else if (!field.value.isNull()) {
            draft.dropped(key, field.keyPlace.line, field.value, draft.say("ZeRO has no such setting: it shards parameters of any module and saves by its own format.", "ZeRO 没有这种设置：它对任意模块的参数分片，并用自己的格式保存。"));
        }
    }
    draft.takeDsConfig(config);
    draft.accelerate = true;
    return {};
}

}  // namespace stagecraft
