// SPDX-License-Identifier: GPL-3.0-or-later
// What the Hugging Face Trainer, which runs on accelerate, does to a config before DeepSpeed sees it (R103-R108): "auto" is filled from
// the Trainer's arguments, and concrete values must agree with them.
#include "config/rules/config_fill.h"

#include "config/wrapped_config.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft::rules {

namespace {

class TrainerFill : private ConfigFill {
public:
    TrainerFill(Judge& judge, ConfigValue& document, CheckContext& context) : ConfigFill(judge, document, context) {}

    void run()
    {
        const std::int64_t micro = integer("per_device_train_batch_size", 8);
        const std::int64_t steps = integer("gradient_accumulation_steps", 1);
        const bool findBatch = flag("auto_find_batch_size");
        match({"train_micro_batch_size_per_gpu"}, ConfigValue::ofInt(micro), "per_device_train_batch_size", !findBatch);
        match({"gradient_accumulation_steps"}, ConfigValue::ofInt(steps), "gradient_accumulation_steps");
        match({"train_batch_size"}, ConfigValue::ofInt(micro * steps * m_context.world), "world x per_device_train_batch_size x gradient_accumulation_steps",
              !findBatch);
        match({"gradient_clipping"}, number("max_grad_norm", 1.0), "max_grad_norm");
        match({"optimizer", "params", "lr"}, number("learning_rate", 5e-5), "learning_rate");
        ConfigValue betas;
        betas.kind = ConfigValue::Kind::List;
        betas.items = {number("adam_beta1", 0.9), number("adam_beta2", 0.999)};
        match({"optimizer", "params", "betas"}, betas, "adam_beta1, adam_beta2");
        match({"optimizer", "params", "eps"}, number("adam_epsilon", 1e-8), "adam_epsilon");
        match({"optimizer", "params", "weight_decay"}, number("weight_decay", 0.0), "weight_decay");
        match({"scheduler", "params", "warmup_min_lr"}, ConfigValue::ofInt(0), "", false);
        match({"scheduler", "params", "warmup_max_lr"}, number("learning_rate", 5e-5), "learning_rate");
        const bool both = (flag("fp16") && flag("bf16")) || (flag("fp16_full_eval") && flag("bf16_full_eval"));  // refused before the file is looked at
        if (both) {
            m_judge.refuse(CheckLevel::Parse, "R105", "R105.formats", "");
        }
        const bool bf16 = flag("bf16") || flag("bf16_full_eval");
        const bool fp16 = !both && (flag("fp16") || flag("fp16_full_eval"));
        match({"fp16", "enabled"}, ConfigValue::ofBool(fp16), "fp16", !both);
        match({"bf16", "enabled"}, ConfigValue::ofBool(bf16), "bf16", !both);
        sizes();
        schedule();
        plugin(fp16, bf16);
        optimizer();
        if (m_context.trainer.empty() && m_asked) {
            m_judge.unwise("R103", "R103.defaults", "");
        }
    }

private:
    /// Python's ==, where 1 is True and 2.0 is 2.
    static bool same(const ConfigValue& a, const ConfigValue& b)
    {
        if (a.isNumber() && b.isNumber()) {
            return a.asDouble() == b.asDouble();
        }
        if (a.isList() && b.isList() && a.items.size() == b.items.size()) {
            for (std::size_t i = 0; i < a.items.size(); ++i) {
                if (!same(a.items[i], b.items[i])) {
                    return false;
                }
            }
            return true;
        }
        return a.kind == b.kind && a.text == b.text && a.isString();
    }

    /// @param argumentName  whose value it is; empty where it is always the same, or where `from` tells of another source
    void match(Path path, ConfigValue wanted, const std::string& argumentName, bool must = true, bool told = true, const MessageArguments& from = {})
    {
        ConfigValue* value = find(path);
        if (value == nullptr) {
            return;
        }
        m_asked = m_asked || must;
        if (value->isString("auto")) {
            m_asked = true;
            if (told) {
                const MessageArguments source = !from.empty() ? from : MessageArguments{{"argument", argumentName}};
                m_judge.change(CheckLevel::Parse, "R103", !from.empty() ? "R103.model" : argumentName.empty() ? "R103.fixed" : "R103", pointer(path), toJson(wanted), source, CheckSeverity::Info);
            }
            wanted.place = value->place;
            *value = std::move(wanted);
        } else if (must && !value->isNull() && !same(*value, wanted)) {
            MessageArguments arguments{{"key", *(path.end() - 1)}, {"value", toJson(*value)}, {"argument", argumentName}, {"wanted", toJson(wanted)}};
            if (std::string_view(*(path.end() - 1)) == "train_batch_size") {
                arguments.emplace_back("world", std::to_string(m_context.world));
            }
            m_judge.refuse(CheckLevel::Parse, "R105", "R105", pointer(path), arguments, patchReplace(pointer(path), "\"auto\""));
        }
    }

    void sizes()
    {
        const auto fill = [&](const char* key, double value, const char* formula) {
            ConfigValue* at = find({"zero_optimization", key});
            if (at == nullptr || !at->isString("auto")) {
                return;
            }
            if (m_context.hiddenSize.has_value()) {
                match({"zero_optimization", key}, ConfigValue::ofInt(static_cast<std::int64_t>(value)), "", false, true, {{"hidden", std::to_string(*m_context.hiddenSize)}, {"formula", formula}});
            } else {
                m_judge.unwise("R104", "R104", pointer({"zero_optimization", key}), {{"key", key}});
                drop({"zero_optimization", key});
            }
        };
        const double hidden = static_cast<double>(m_context.hiddenSize.value_or(0));
        fill("reduce_bucket_size", hidden * hidden, "h x h");
        const ConfigValue* stage = find({"zero_optimization", "stage"});
        if (stage == nullptr || !stage->isNumber() || stage->asDouble() != 3.0) {
            return;  // below stage 3 these two stay "auto", which DeepSpeed reads as its default
        }
        fill("stage3_prefetch_bucket_size", std::floor(0.9 * hidden * hidden), "0.9 x h x h");
        fill("stage3_param_persistence_threshold", 10.0 * hidden, "10 x h");
    }

    void schedule()
    {
        if (const ConfigValue* params = find({"scheduler", "params"}); params != nullptr && !params->isNull() && !params->isObject()) {
            refuseNoSection({"scheduler", "params"}, patchReplace("/scheduler/params", "{}"));
            return;
        }
        const std::int64_t total = integer("max_steps", -1);
        // transformers 5: warmup_steps below 1 is a share of the steps, as warmup_ratio was in 4; never 0, which DeepSpeed refuses.
        const double asked = number("warmup_steps", 0.0).asDouble();
        const double share = asked < 1.0 && asked > 0.0 ? asked : number("warmup_ratio", 0.0).asDouble();
        if (total > 0) {
            match({"scheduler", "params", "total_num_steps"}, ConfigValue::ofInt(total), "max_steps");
        } else {  // known only once the data is
            standIn("total_num_steps", 1'000'000);
        }
        if (asked >= 1.0 || share == 0.0) {
            match({"scheduler", "params", "warmup_num_steps"}, ConfigValue::ofInt(std::max<std::int64_t>(1, static_cast<std::int64_t>(asked))), "warmup_steps");
        } else if (total > 0) {
            const double steps = std::ceil(static_cast<double>(total) * share);
            match({"scheduler", "params", "warmup_num_steps"}, ConfigValue::ofInt(std::max<std::int64_t>(1, static_cast<std::int64_t>(steps))),
                  asked > 0.0 ? "warmup_steps" : "warmup_ratio");
        } else {
            standIn("warmup_num_steps", 100);
        }
    }

    /// A number of steps that follows from the length of the training, which is not known here, is judged as `steps`; says so.
    void standIn(const char* key, std::int64_t steps)
    {
        const ConfigValue* const value = find({"scheduler", "params", key});
        if (value != nullptr && value->isString("auto")) {
            m_judge.unwise("R104", "R104.steps", pointer({"scheduler", "params", key}), {{"key", key}, {"steps", std::to_string(steps)}});
        }
        match({"scheduler", "params", key}, ConfigValue::ofInt(steps), "", false, false);
    }

    /// What accelerate's plugin adds and fills.
    void plugin(bool fp16, bool bf16)
    {
        lookUpZero();
        if (m_document.find("gradient_accumulation_steps") == nullptr) {
            if (const std::int64_t steps = integer("gradient_accumulation_steps", 1); steps != 1) {
                m_judge.unwise("R105", "R105.accumulation", "", {{"steps", std::to_string(steps)}}, patchAdd("/gradient_accumulation_steps", "\"auto\""));
            }
            m_document.set("gradient_accumulation_steps", ConfigValue::ofInt(1));
        }
        match({"zero_optimization", "stage"}, ConfigValue::ofInt(2), "", false);
        for (const char* block : {"offload_optimizer", "offload_param"}) {
            match({"zero_optimization", block, "device"}, ConfigValue::ofString("none"), "", false);
            match({"zero_optimization", block, "nvme_path"}, ConfigValue::ofString("none"), "", false);
        }
        match({"zero_optimization", "stage3_gather_16bit_weights_on_model_save"}, ConfigValue::ofBool(false), "", false);
        addFormat("bf16", bf16);
        addFormat("fp16", fp16);
        if (m_document.find("steps_per_print") != nullptr) {   // infinity is written there (DeepSpeedPlugin.__post_init__)
            m_judge.unwise("R105", "R105.print", "/steps_per_print", {});
            drop({"steps_per_print"});
        }
    }

    void optimizer()
    {
        const std::string optim = word("optim");
        const bool adafactor = optim == "adafactor";
        if (m_document.find("optimizer") != nullptr) {
            // The section wins (integrations/deepspeed.py, deepspeed_optim_sched); Transformers 4 raised for Adafactor, 5 is silent.
            if (!optim.empty() && !optim.starts_with("adamw_torch") && optim != "adamw_hf") {
                m_judge.unwise("R105", "R105.optim", "/optimizer", {{"optim", optim}});
            }
            m_context.optimizer.clear();
            return;
        }
        const bool named = !optim.empty() && !optim.starts_with("adamw_torch") && optim != "adamw_hf";
        m_judge.unwise("R108", "R108", "", {{"optimizer", adafactor ? "Adafactor" : named ? "\"" + optim + "\"" : "AdamW"}});
        if (m_context.optimizer.empty()) {
            m_context.optimizer = adafactor ? "Adafactor" : "AdamW";
        }
        m_document.set("zero_allow_untested_optimizer", ConfigValue::ofBool(true));
        const ConfigValue* device = find({"zero_optimization", "offload_optimizer", "device"});
        const ConfigValue* force = m_document.find("zero_force_ds_cpu_optimizer");
        if (device != nullptr && !device->isString("none") && (force == nullptr || pythonTruth(*force))) {
            m_context.optimizer = "DeepSpeedCPUAdam";  // accelerate exchanges it
        }
    }

    bool m_asked = false;  ///< something in the config depends on the arguments
};

}  // namespace

bool trainerFills(const Judge& judge, std::string_view pointer)
{
    static constexpr std::array kFilled{
        std::string_view("/train_micro_batch_size_per_gpu"), std::string_view("/gradient_accumulation_steps"), std::string_view("/train_batch_size"),
        std::string_view("/gradient_clipping"), std::string_view("/optimizer/params/lr"), std::string_view("/optimizer/params/betas"),
        std::string_view("/optimizer/params/eps"), std::string_view("/optimizer/params/weight_decay"), std::string_view("/scheduler/params/warmup_min_lr"),
        std::string_view("/scheduler/params/warmup_max_lr"), std::string_view("/scheduler/params/total_num_steps"), std::string_view("/scheduler/params/warmup_num_steps"),
        std::string_view("/fp16/enabled"), std::string_view("/bf16/enabled"),
        std::string_view("/zero_optimization/stage"), std::string_view("/zero_optimization/reduce_bucket_size"),
        std::string_view("/zero_optimization/offload_optimizer/device"), std::string_view("/zero_optimization/offload_optimizer/nvme_path"),
        std::string_view("/zero_optimization/offload_param/device"), std::string_view("/zero_optimization/offload_param/nvme_path"),
        std::string_view("/zero_optimization/stage3_gather_16bit_weights_on_model_save")};
    if (pointer == "/zero_optimization/stage3_prefetch_bucket_size" || pointer == "/zero_optimization/stage3_param_persistence_threshold") {
        const ConfigValue* zero = judge.root.find("zero_optimization");
        const ConfigValue* stage = zero == nullptr ? nullptr : zero->find("stage");
        return stage != nullptr && stage->isNumber() && stage->asDouble() == 3.0;
    }
    return std::find(kFilled.begin(), kFilled.end(), pointer) != kFilled.end();
}

void fillByTrainer(Judge& judge, ConfigValue& document, CheckContext& context) { TrainerFill(judge, document, context).run(); }

void fillAuto(Judge& judge, ConfigValue& document, CheckContext& context)
{
    if (wrappedConfig(document)) {
        return;  // where nothing is read nothing is filled: that is told, and all else follows from it
    }
    (context.launcher == CheckLauncher::Accelerate ? fillByAccelerate : fillByTrainer)(judge, document, context);
}

}  // namespace stagecraft::rules
