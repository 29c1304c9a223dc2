// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/fsdp_export.h"

#include "exporters/accelerate_file.h"
#include "exporters/batch_parts.h"
#include "importers/config_text.h"

#include <set>
#include <string>
#include <utility>

namespace stagecraft {

namespace {

class FsdpExporter {
public:
    FsdpExporter(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, TransferNotes notes)
        : m_source(source), m_config(form.config), m_batch(batchParts(form.config, batch, source.dataParallel)), m_notes(std::move(notes))
    {
        notePresentForm(form, m_notes);
    }

    ForeignExport make()
    {
        sharding();
        offload();
        save();
        if (m_source.recompute) m_fields.set("fsdp_activation_checkpointing", ConfigValue::ofBool(true));
        precision();
        script();
        rest(m_config, "");

        const bool sharded = m_stage > 0;
        ConfigValue own = ConfigValue::ofObject();
        own.set("distributed_type", ConfigValue::ofString(sharded ? "FSDP" : m_source.cpu ? "MULTI_CPU" : "MULTI_GPU"));
        if (sharded) {
            m_fields.set("fsdp_auto_wrap_policy", ConfigValue::ofString("TRANSFORMER_BASED_WRAP"));
            m_fields.set("fsdp_version", ConfigValue::ofInt(2));
            own.set("fsdp_config", m_fields);
        }
        own.set("mixed_precision", ConfigValue::ofString(m_precision));
        ForeignExport result;
        result.files.push_back(accelerateFile(m_source, std::move(own), m_notes));
        result.notes = m_notes.take();
        return result;
    }

private:
    [[nodiscard]] std::string say(std::string_view english, std::string_view chinese, std::initializer_list<std::string> words = {}) const { return m_notes.say(english, chinese, words); }
    void note(TransferKind kind, const std::string& key, const ConfigValue& value, const std::string& target, std::string reason)
    {
        m_told.insert(key);
        m_notes.add({kind, key, 0, toJson(value), target, std::move(reason)});
    }
    [[nodiscard]] const ConfigValue* at(std::string_view pointer) const { return valueAt(m_config, pointer); }
    [[nodiscard]] bool isTrue(std::string_view pointer) const { return isSwitchedOn(m_config, pointer); }

    void sharding()
    {
        const ConfigValue* value = at("/zero_optimization/stage");
        m_stage = value != nullptr && value->isString("auto") ? 2 : zeroStageOf(m_config);  // as DeepSpeedPlugin fills it
        const std::string key = "/zero_optimization/stage";
        const ConfigValue now = value != nullptr ? *value : ConfigValue();
        const char* target = "fsdp_config.fsdp_reshard_after_forward";
        if (m_stage > 0) m_fields.set("fsdp_reshard_after_forward", ConfigValue::ofBool(m_stage == 3));
        if (m_stage == 0) {
            note(TransferKind::Changed, key, now, "distributed_type", say("Becomes plain data parallelism: FSDP's NO_SHARD is given up, and shards nothing either.", "变为普通数据并行：FSDP 的 NO_SHARD 已弃用，它同样不分片。"));
        } else if (m_stage == 1) {
            note(TransferKind::Changed, key, now, target, say("Becomes SHARD_GRAD_OP: FSDP has no stage that keeps whole gradients. Lost: gradients are reduced in every micro-step unless the script uses no_sync.", "变为 SHARD_GRAD_OP：FSDP 没有保留完整梯度的阶段。差别：除非脚本使用 no_sync，每个 micro step 都会归约梯度。"));
        } else if (m_stage == 2) {
            note(TransferKind::Changed, key, now, target, say("Becomes SHARD_GRAD_OP (false). Lost: FSDP keeps the weights sharded between steps and gathers them once a step; stage 2 keeps whole weights all the time.", "变为 SHARD_GRAD_OP（false）。差别：FSDP 在两步之间仍分片权重、每步收集一次；stage 2 始终保留完整权重。"));
        } else {
            note(TransferKind::Changed, key, now, target, say("Becomes FULL_SHARD (true): weights, gradients and states are sharded, weights are gathered block by block.", "变为 FULL_SHARD（true）：权重、梯度和优化器状态都分片，按块收集权重。"));
        }
    }

    void offload()
    {
        const auto deviceOf = [this](const char* block) {
            const ConfigValue* device = at(std::string("/zero_optimization/") + block + "/device");
            return device != nullptr && device->isString() && !device->isString("auto") ? device->text : std::string("none");
        };
        const std::string states = deviceOf("offload_optimizer");
        const std::string weights = m_stage == 3 ? deviceOf("offload_param") : "none";
        const bool written = states != "none" || weights != "none";
        const bool any = m_stage > 0 && (written || !m_source.hostShards.empty());
        if (m_stage > 0) m_fields.set("fsdp_offload_params", ConfigValue::ofBool(any));
        for (const char* told : {"/zero_optimization/offload_optimizer/device", "/zero_optimization/offload_param/device"}) m_told.insert(told);
        if (!any) return;
        const char* target = "fsdp_config.fsdp_offload_params";
        const char* together[]{"FSDP keeps weights, gradients and states on the CPU together.", "FSDP 把权重、梯度和状态一起放在 CPU。"};
        if (!written) return note(TransferKind::Taken, "/framework/arguments/" + m_source.hostShards, ConfigValue::ofBool(true), target, say(together[0], together[1]));
        const std::string block = states != "none" ? "/zero_optimization/offload_optimizer/device" : "/zero_optimization/offload_param/device";
        if (states == "nvme" || weights == "nvme") {
            note(TransferKind::Changed, block, ConfigValue::ofString("nvme"), target, say("Becomes offload to the CPU: FSDP has none to NVMe. Lost: the hosts need memory for what lay on disks.", "变为卸载到 CPU：FSDP 没有 NVMe 卸载。差别：原先在磁盘上的内容需要主机内存。"));
        } else if (states != "none" && weights != "none") {
            note(TransferKind::Taken, block, ConfigValue::ofString(states), target, say(together[0], together[1]));
        } else {
            note(TransferKind::Changed, block, ConfigValue::ofString(states != "none" ? states : weights), target, say("Weights, gradients and states go to the CPU together: FSDP has one switch for all.", "权重、梯度和状态一起放到 CPU：FSDP 只有一个开关。"));
        }
    }

    void save()
    {
        const char* key = "/zero_optimization/stage3_gather_16bit_weights_on_model_save";
        const char* alias = "/zero_optimization/gather_16bit_weights_on_model_save";
        const bool whole = isTrue(key) || isTrue(alias);
        if (m_stage > 0) m_fields.set("fsdp_state_dict_type", ConfigValue::ofString(whole ? "FULL_STATE_DICT" : "SHARDED_STATE_DICT"));
        if (whole && m_stage > 0) note(TransferKind::Changed, at(key) != nullptr ? key : alias, ConfigValue::ofBool(true), "fsdp_config.fsdp_state_dict_type", say("Becomes FULL_STATE_DICT: rank 0 gathers the whole weights on save.", "变为 FULL_STATE_DICT：保存时由 rank 0 聚合完整权重。"));
    }

    void precision()
    {
        const bool bf16 = isTrue("/bf16/enabled") || isTrue("/bfloat16/enabled"), fp16 = isTrue("/fp16/enabled");
        m_precision = bf16 ? "bf16" : fp16 ? "fp16" : "no";
        for (const char* told : {"/bf16/enabled", "/bfloat16/enabled", "/fp16/enabled"}) m_told.insert(told);
        for (const char* key : {"/bf16/enabled", "/fp16/enabled"}) {
            if (const ConfigValue* asked = at(key); asked != nullptr && asked->isString("auto")) note(TransferKind::Warning, key, *asked, "mixed_precision", say("\"auto\" is off to DeepSpeed itself, so mixed_precision is {0}; set it if the script meant more.", "对 DeepSpeed 自身而言 \"auto\" 即关闭，因此 mixed_precision 为 {0}；若脚本另有打算，自行设置。", {m_precision}));
        }
        if (m_source.bf16Shards) {
            m_precision = "no";
            note(TransferKind::Warning, "/framework/arguments/dtype", ConfigValue::ofString("bfloat16"), "mixed_precision", say("Becomes \"no\", beside which weights, gradients and states keep the type in which the script loads the model: load it with dtype=torch.bfloat16. With \"bf16\" accelerate would make them fp32.", "变为 \"no\"：权重、梯度和状态保持脚本加载模型时的类型，请以 dtype=torch.bfloat16 加载；若写 \"bf16\"，accelerate 会把它们变为 fp32。"));
        } else if (bf16 || fp16) note(TransferKind::Taken, bf16 ? "/bf16/enabled" : "/fp16/enabled", ConfigValue::ofBool(true), "mixed_precision", say("Taken over; weights and states stay in fp32 beside the 16-bit copies, as in DeepSpeed.", "原样采用；与 DeepSpeed 一样，16 位副本之外权重与状态保持 fp32。"));
    }

    /// What accelerate leaves to the training script.
    void script()
    {
        const auto inScript = [this](const std::string& key, const ConfigValue& value, const std::string& target) {
            note(TransferKind::Warning, key, value, target, say("The script sets it: there is no field for it.", "由脚本设置：没有对应的字段。"));
        };
        const auto size = [this](const BatchPart& part, const char* argument) {
            const auto given = m_source.arguments.find(argument);
            return part.known() ? ConfigValue::ofInt(part.value) : given != m_source.arguments.end() ? configValue(given->second) : ConfigValue::ofString("auto");
        };
        inScript("/train_micro_batch_size_per_gpu", size(m_batch.micro, "per_device_train_batch_size"), "DataLoader(batch_size=...)");
        inScript("/gradient_accumulation_steps", size(m_batch.accumulation, "gradient_accumulation_steps"), "Accelerator(gradient_accumulation_steps=...)");
        m_told.insert("/train_batch_size");
        if (const ConfigValue* clip = at("/gradient_clipping")) inScript("/gradient_clipping", *clip, "accelerator.clip_grad_norm_(...)");
        for (const char* section : {"/optimizer", "/scheduler"})
            if (const ConfigValue* value = at(section)) {
                const ConfigValue* type = value->isObject() ? value->find("type") : nullptr;
                inScript(section, type != nullptr ? *type : ConfigValue(), section == std::string("/optimizer") ? "torch.optim" : "torch.optim.lr_scheduler");
            }
    }

    /// Everything that has not been told: FSDP has no place for it.
    void rest(const ConfigValue& section, const std::string& pointer)
    {
        for (const ConfigMember& member : section.members) {
            const std::string key = pointer + "/" + member.key;
            if (m_told.contains(key)) continue;
            if (member.value.isObject() && !member.value.members.empty()) {
                rest(member.value, key);
                continue;
            }
            note(TransferKind::Dropped, key, member.value, {}, key.starts_with("/zero_optimization/") ? say("FSDP has no such setting: it communicates one wrapped block at a time.", "FSDP 没有这种设置：它按包装的块逐一通信。")
                                                                                                : say("It is DeepSpeed's alone.", "这是 DeepSpeed 独有的。"));
        }
    }

    const ExportSource& m_source;
    const ConfigValue& m_config;
    BatchParts m_batch;
    TransferNotes m_notes;
    ConfigValue m_fields = ConfigValue::ofObject();
    std::set<std::string> m_told;
    std::string m_precision = "no";
    int m_stage = 0;
};

}  // namespace

ForeignExport exportFsdp(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, TransferNotes notes)
{
    return FsdpExporter(source, form, batch, std::move(notes)).make();
}

}  // namespace stagecraft
