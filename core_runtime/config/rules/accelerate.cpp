// SPDX-License-Identifier: GPL-3.0-or-later
// What accelerate does to a config before DeepSpeed sees it, in a loop of the script's own (R103-R108): DeepSpeedPlugin fills from the
// options of `accelerate launch`, Accelerator.prepare() from what the script hands it, and an "auto" that is left then is refused.
// Source: accelerate 1.15, utils/dataclasses.py (DeepSpeedPlugin) and accelerator.py (_prepare_deepspeed).
#include "config/rules/config_fill.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace stagecraft::rules {

namespace {

/// The rate of DummyOptim and of torch's AdamW where the script gives none.
constexpr double kDefaultRate = 1e-3;
/// Batch size of a DataLoader where the script gives none.
constexpr std::int64_t kDefaultBatch = 1;
/// Stands for a length of training that only the script knows; long, so that no warm-up outlasts it.
constexpr std::int64_t kSomeSteps = 1'000'000;

constexpr const char* kDummyOptim = "DummyOptim";
constexpr const char* kDummyScheduler = "DummyScheduler";

class AccelerateFill : private ConfigFill {
public:
    AccelerateFill(Judge& judge, ConfigValue& document, CheckContext& context) : ConfigFill(judge, document, context) {}

    void run()
    {
        plugin();
        precision();
        batch();
        option({"gradient_clipping"}, "gradient_clipping", ConfigValue::ofFloat(1.0));
        bringers();
        sizes();
        optimizerAndSchedule();
        printing();
        refuseTheRest();
        handOver();
    }

private:
    [[nodiscard]] bool isAuto(Path path)
    {
        const ConfigValue* value = find(path);
        return value != nullptr && value->isString("auto");
    }

    /// Puts `value` in the place of an "auto" at `path`, and says whose it is. @param source  as the script or the command line spells it
    void fill(Path path, ConfigValue value, const std::string& source, bool given)
    {
        if (!isAuto(path)) {
            return;
        }
        m_judge.change(CheckLevel::Parse, "R103", given ? "R103.accelerate" : "R103.accelerate.default", pointer(path), toJson(value), {{"source", source}}, CheckSeverity::Info);
        put(path, std::move(value));
    }

    void put(Path path, ConfigValue value)
    {
        ConfigValue* at = find(path);
        value.place = at->place;
        *at = std::move(value);
    }

    /// An option of `accelerate launch`, or what it is without.
    void option(Path path, const char* name, ConfigValue otherwise)
    {
        const TrainerValue* given = argument(name);
        ConfigValue value = std::move(otherwise);
        if (given != nullptr) {
            if (const auto* whole = std::get_if<std::int64_t>(given)) {
                value = ConfigValue::ofInt(*whole);
            } else if (const auto* real = std::get_if<double>(given)) {
                value = ConfigValue::ofFloat(*real);
            } else if (const auto* on = std::get_if<bool>(given)) {
                value = ConfigValue::ofBool(*on);
            } else if (const auto* text = std::get_if<std::string>(given)) {
                value = ConfigValue::ofString(*text);
            }
        }
        fill(path, std::move(value), std::string("--") + name, given != nullptr);
    }

    /// DeepSpeedPlugin.__post_init__
    void plugin()
    {
        lookUpZero();
        const std::int64_t steps = integer("gradient_accumulation_steps", 1);
        const ConfigValue* written = m_document.find("gradient_accumulation_steps");
        if (written == nullptr) {
            if (steps != 1) {
                m_judge.unwise("R105", "R105.accumulation.accelerate", "", {{"steps", std::to_string(steps)}}, patchAdd("/gradient_accumulation_steps", "\"auto\""));
            }
            m_document.set("gradient_accumulation_steps", ConfigValue::ofInt(1));
        } else if (argument("gradient_accumulation_steps") != nullptr && written->isIntLike() && written->asInt() != steps) {
            m_judge.unwise("R105", "R105.steps.accelerate", "/gradient_accumulation_steps", {{"value", toJson(*written)}, {"steps", std::to_string(steps)}}, patchReplace("/gradient_accumulation_steps", "\"auto\""));
        }
        fill({"gradient_accumulation_steps"}, ConfigValue::ofInt(steps), "Accelerator(gradient_accumulation_steps)", argument("gradient_accumulation_steps") != nullptr);
        option({"zero_optimization", "stage"}, "zero_stage", ConfigValue::ofInt(2));
        option({"zero_optimization", "offload_optimizer", "device"}, "offload_optimizer_device", ConfigValue::ofString("none"));
        option({"zero_optimization", "offload_param", "device"}, "offload_param_device", ConfigValue::ofString("none"));
        // `accelerate launch` hands no folder over.
        fill({"zero_optimization", "offload_optimizer", "nvme_path"}, ConfigValue::ofString("none"), "DeepSpeedPlugin(offload_optimizer_nvme_path)", false);
        fill({"zero_optimization", "offload_param", "nvme_path"}, ConfigValue::ofString("none"), "DeepSpeedPlugin(offload_param_nvme_path)", false);
        option({"zero_optimization", "stage3_gather_16bit_weights_on_model_save"}, "zero3_save_16bit_model", ConfigValue::ofBool(false));
    }

    /// DeepSpeedPlugin.set_mixed_precision
    void precision()
    {
        const std::string asked = word("mixed_precision");
        const bool half = asked == "fp16", brain = asked == "bf16" || asked == "fp8";
        if (half || brain) {
            const char* const on = half ? "fp16" : "bf16";
            const char* const other = half ? "bf16" : "fp16";
            const ConfigValue* against = find({other, "enabled"});
            if (against != nullptr && ((against->isBool() && against->boolean) || against->isString("true") || against->isString("True"))) {
                m_judge.refuse(CheckLevel::Parse, "R107", "R107.precision", pointer({other, "enabled"}), {{"asked", asked}, {"key", other}});
            }
            if (m_document.find(on) == nullptr) {
                m_judge.change(CheckLevel::Parse, "R103", "R103.added", pointer({on, "enabled"}), "true", {{"key", on}, {"asked", asked}}, CheckSeverity::Info);
            }
        }
        addFormat("fp16", half);
        addFormat("bf16", brain);
        fill({"fp16", "enabled"}, ConfigValue::ofBool(half), "--mixed_precision", !asked.empty());
        fill({"bf16", "enabled"}, ConfigValue::ofBool(brain), "--mixed_precision", !asked.empty());
    }

    void batch()
    {
        const bool given = argument("per_device_train_batch_size") != nullptr;
        const ConfigValue* steps = m_document.find("gradient_accumulation_steps");
        const std::int64_t accumulated = steps != nullptr && steps->isIntLike() && steps->asInt() > 0 ? steps->asInt() : 1;
        if (isAuto({"train_micro_batch_size_per_gpu"})) {
            if (given) {
                fill({"train_micro_batch_size_per_gpu"}, ConfigValue::ofInt(integer("per_device_train_batch_size", kDefaultBatch)), "DataLoader(batch_size)", true);
            } else {
                standInForTheLoader(accumulated);
            }
        } else if (const ConfigValue* micro = m_document.find("train_micro_batch_size_per_gpu"); given && micro != nullptr && micro->isIntLike() && micro->asInt() != integer("per_device_train_batch_size", 0)) {
            m_judge.unwise("R105", "R105.loader", "/train_micro_batch_size_per_gpu", {{"value", toJson(*micro)}, {"wanted", std::to_string(integer("per_device_train_batch_size", 0))}},
                           patchReplace("/train_micro_batch_size_per_gpu", "\"auto\""));
        }
        if (!isAuto({"train_batch_size"})) {
            return;
        }
        const ConfigValue* micro = m_document.find("train_micro_batch_size_per_gpu");
        if (micro == nullptr || micro->isNull()) {
            m_judge.refuse(CheckLevel::Parse, "R107", "R107.whole", "/train_batch_size", {}, micro == nullptr ? patchAdd("/train_micro_batch_size_per_gpu", "\"auto\"") : patchReplace("/train_micro_batch_size_per_gpu", "\"auto\""));
            drop({"train_batch_size"});
            return;
        }
        std::int64_t whole = 0;
        if (!micro->isIntLike() || __builtin_mul_overflow(micro->asInt(), accumulated, &whole) || __builtin_mul_overflow(whole, std::int64_t{m_context.world}, &whole)) {
            drop({"train_batch_size"});  // what is wrong with the other is told of that
            return;
        }
        fill({"train_batch_size"}, ConfigValue::ofInt(whole), "num_processes x train_micro_batch_size_per_gpu x gradient_accumulation_steps", true);
    }

    /// The batch size of a DataLoader that is not known: the one that agrees with a train_batch_size that is a number, else torch's default.
    void standInForTheLoader(std::int64_t accumulated)
    {
        const ConfigValue* whole = m_document.find("train_batch_size");
        const std::int64_t divisor = accumulated > INT32_MAX ? 0 : accumulated * m_context.world;
        const bool agrees = whole != nullptr && whole->isIntLike() && divisor > 0 && whole->asInt() >= divisor && whole->asInt() % divisor == 0;
        const std::int64_t size = agrees ? whole->asInt() / divisor : kDefaultBatch;
        m_judge.change(CheckLevel::Parse, "R104", agrees ? "R104.loader.whole" : "R104.loader", "/train_micro_batch_size_per_gpu", std::to_string(size), {{"key", "train_micro_batch_size_per_gpu"}}, CheckSeverity::Info);
        put({"train_micro_batch_size_per_gpu"}, ConfigValue::ofInt(size));
    }

    /// Who brings the optimizer and the schedule: one of the file and the script, and with a stand-in of accelerate's where it is the file.
    void bringers()
    {
        const bool inFile = m_document.find("optimizer") != nullptr, scheduleInFile = m_document.find("scheduler") != nullptr;
        const std::string &own = m_context.optimizer, &schedule = m_context.scheduler;
        const MessageArguments arguments{{"optimizer", own}, {"scheduler", schedule}};
        if (inFile && !own.empty() && own != kDummyOptim) {
            m_judge.refuse(CheckLevel::Parse, "R107", "R107.optimizer", "/optimizer", arguments, patchRemove("/optimizer"), Judge::At::Key);
        } else if (!inFile && own == kDummyOptim) {
            m_judge.refuse(CheckLevel::Parse, "R107", "R107.dummy", "", arguments, patchAdd("/optimizer", R"({"type": "AdamW", "params": {"lr": "auto", "weight_decay": "auto"}})"));
        }
        if (scheduleInFile && !schedule.empty() && schedule != kDummyScheduler) {
            m_judge.refuse(CheckLevel::Parse, "R107", "R107.scheduler", "/scheduler", arguments, patchRemove("/scheduler"), Judge::At::Key);
        } else if (!scheduleInFile && schedule == kDummyScheduler) {
            m_judge.refuse(CheckLevel::Parse, "R107", "R107.scheduler.dummy", "", arguments,
                           patchAdd("/scheduler", R"({"type": "WarmupLR", "params": {"warmup_min_lr": "auto", "warmup_max_lr": "auto", "warmup_num_steps": "auto"}})"));
        } else if (inFile && !scheduleInFile && !schedule.empty()) {
            m_judge.refuse(CheckLevel::Parse, "R107", "R107.scheduler.own", "/optimizer", arguments, {}, Judge::At::Key);
        }
    }

    /// From the model's width, at every stage; of a model without one accelerate refuses them.
    void sizes()
    {
        const auto size = [&](const char* key, double value, const char* formula) {
            if (!isAuto({"zero_optimization", key})) {
                return;
            }
            if (!m_context.hiddenSize.has_value()) {
                m_judge.unwise("R104", "R104.accelerate", pointer({"zero_optimization", key}), {{"key", key}});
                drop({"zero_optimization", key});
                return;
            }
            const ConfigValue whole = ConfigValue::ofInt(static_cast<std::int64_t>(value));
            m_judge.change(CheckLevel::Parse, "R103", "R103.model.accelerate", pointer({"zero_optimization", key}), toJson(whole), {{"hidden", std::to_string(*m_context.hiddenSize)}, {"formula", formula}}, CheckSeverity::Info);
            put({"zero_optimization", key}, whole);
        };
        const double hidden = static_cast<double>(m_context.hiddenSize.value_or(0));
        size("reduce_bucket_size", hidden * hidden, "h x h");
        size("stage3_prefetch_bucket_size", std::floor(0.9 * hidden * hidden), "0.9 x h x h");
        size("stage3_param_persistence_threshold", 10.0 * hidden, "10 x h");
    }

    void optimizerAndSchedule()
    {
        const bool rate = argument("learning_rate") != nullptr;
        fill({"optimizer", "params", "lr"}, number("learning_rate", kDefaultRate), "DummyOptim(lr)", rate);
        fill({"optimizer", "params", "weight_decay"}, number("weight_decay", 0.0), "DummyOptim(weight_decay)", argument("weight_decay") != nullptr);
        fill({"scheduler", "params", "warmup_min_lr"}, ConfigValue::ofInt(0), "DummyScheduler", true);
        fill({"scheduler", "params", "warmup_max_lr"}, number("learning_rate", kDefaultRate), m_document.find("optimizer") != nullptr ? "DummyOptim(lr)" : "optimizer.defaults[\"lr\"]", rate);
        fill({"scheduler", "params", "warmup_num_steps"}, ConfigValue::ofInt(std::max<std::int64_t>(1, integer("warmup_steps", 0))), "DummyScheduler(warmup_num_steps)", argument("warmup_steps") != nullptr);
        if (!isAuto({"scheduler", "params", "total_num_steps"})) {
            return;
        }
        if (const std::int64_t total = integer("max_steps", -1); total > 0) {
            const std::int64_t each = total / m_context.world + (total % m_context.world == 0 ? 0 : 1);
            fill({"scheduler", "params", "total_num_steps"}, ConfigValue::ofInt(each), "ceil(DummyScheduler(total_num_steps) / num_processes)", true);
            return;
        }
        m_judge.unwise("R104", "R104.steps.accelerate", pointer({"scheduler", "params", "total_num_steps"}), {{"key", "total_num_steps"}, {"steps", std::to_string(kSomeSteps)}});
        put({"scheduler", "params", "total_num_steps"}, ConfigValue::ofInt(kSomeSteps));
    }

    /// accelerate writes infinity there, whatever it is.
    void printing()
    {
        if (m_document.find("steps_per_print") != nullptr) {
            m_judge.unwise("R105", "R105.print", "/steps_per_print", {});
            drop({"steps_per_print"});
        }
    }

    /// Every other "auto", wherever it stands but in a list (deepspeed_config_process).
    void refuseTheRest()
    {
        std::vector<std::pair<std::string, std::string>> left;
        takeAutos(m_document, "", left);
        for (const auto& [at, key] : left) {
            m_judge.refuse(CheckLevel::Parse, "R107", "R107.auto", at, {{"key", key}}, patchRemove(at));
        }
        dropAutos(m_document);  // what DeepSpeed would make of them is of no matter
    }

    void takeAutos(const ConfigValue& object, const std::string& at, std::vector<std::pair<std::string, std::string>>& left) const
    {
        std::set<std::string_view> seen;  // of a key that stands there twice json.load keeps the last
        std::vector<const ConfigMember*> kept;
        for (auto member = object.members.rbegin(); member != object.members.rend(); ++member) {
            if (seen.insert(member->key).second) {
                kept.push_back(&*member);
            }
        }
        for (auto member = kept.rbegin(); member != kept.rend(); ++member) {
            const std::string pointer = at + "/" + pointerToken((*member)->key);
            if ((*member)->value.isString("auto")) {
                left.emplace_back(pointer, (*member)->key);
            } else if ((*member)->value.isObject()) {
                takeAutos((*member)->value, pointer, left);
            }
        }
    }

    static void dropAutos(ConfigValue& object)
    {
        std::erase_if(object.members, [](const ConfigMember& member) { return member.value.isString("auto"); });
        for (ConfigMember& member : object.members) {
            if (member.value.isObject()) {
                dropAutos(member.value);
            }
        }
    }

    /// What deepspeed.initialize is given beside the config.
    void handOver()
    {
        if (m_document.find("optimizer") != nullptr) {
            m_context.optimizer.clear();
        } else {
            const bool refused = m_context.optimizer == kDummyOptim;
            m_context.optimizer = m_context.optimizer.empty() || refused ? "AdamW" : m_context.optimizer;
            if (!refused) {
                m_judge.unwise("R108", "R108.accelerate", "", {{"optimizer", m_context.optimizer}});
            }
            m_document.set("zero_allow_untested_optimizer", ConfigValue::ofBool(true));
            const ConfigValue* device = find({"zero_optimization", "offload_optimizer", "device"});
            const ConfigValue* force = m_document.find("zero_force_ds_cpu_optimizer");
            if (device != nullptr && !device->isString("none") && (force == nullptr || pythonTruth(*force))) {
                // map_pytorch_optim_to_deepspeed
                m_context.optimizer = m_context.optimizer == "Adagrad" ? "DeepSpeedCPUAdagrad" : "DeepSpeedCPUAdam";
            }
        }
        if (m_context.scheduler == kDummyScheduler) {
            m_context.scheduler.clear();
        }
    }
};

}  // namespace

void fillByAccelerate(Judge& judge, ConfigValue& document, CheckContext& context) { AccelerateFill(judge, document, context).run(); }

}  // namespace stagecraft::rules
