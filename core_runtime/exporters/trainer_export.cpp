// SPDX-License-Identifier: GPL-3.0-or-later
// The ds_config for what runs the Hugging Face Trainer: "auto" wherever an argument says it, and the file of those arguments.
#include "exporters/rewritten_config.h"

#include "exporters/launch_arguments.h"
#include "exporters/yaml_text.h"
#include "importers/config_text.h"
#include "importers/ranks_comment.h"
#include "importers/trainer_arguments.h"

#include <utility>

namespace stagecraft {

namespace {

class TrainerExport : RewrittenConfig {
public:
    TrainerExport(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, TransferNotes notes) : RewrittenConfig(source, form, batch, std::move(notes)) {}

    ForeignExport make(ForeignTarget target)
    {
        ConfigValue arguments = ConfigValue::ofObject();
        toAuto(arguments);
        const bool axolotl = target == ForeignTarget::Axolotl;
        const ConfigValue* steps = arguments.find("max_steps");
        const ArgumentValues given = withOneWarmUp(m_source.arguments, steps != nullptr ? steps->asDouble() : trainerNumber(m_source.arguments, "max_steps"), axolotl ? WarmUpShare::AsRatio : WarmUpShare::AsSteps);
        addLaunchArguments(m_config, arguments, given, m_notes);
        if (axolotl) completeForAxolotl(arguments);
        if (const ConfigValue* share = arguments.find("warmup_steps"); share != nullptr && share->asDouble() > 0 && share->asDouble() < 1)
            (void)m_notes.warned("warmup_steps", "warmup_steps", say("A share of the steps, as transformers takes it there from 5 on, which has no warmup_ratio any more. 4 would take it for a number of steps: write warmup_ratio for that.", "这是占总步数的比例：transformers 从 5 起在此处接受比例，并且不再有 warmup_ratio。4 会把它当作步数：用 4 时改写为 warmup_ratio。"));
        if (target == ForeignTarget::LlamaFactory) note(TransferKind::Warning, "stage, finetuning_type", {}, "stage, finetuning_type", say("Written as sft and full, for a workspace keeps neither: write your own where another stage (pt, dpo) or LoRA is meant, and the dataset and template.", "写为 sft 和 full，因为工作区不保存它们：若要其他阶段（pt、dpo）或 LoRA，请自行改写，并填写 dataset 和 template。"));
        tellOpen(arguments);
        completeForAccelerate();
        ForeignExport result;
        result.files.push_back({"ds_config.json", prettyJson(m_config) + "\n"});
        if (target == ForeignTarget::Trainer) result.files.push_back({"training_arguments.yaml", trainerText(arguments)});
        if (target == ForeignTarget::LlamaFactory) result.files.push_back({"llama_factory.yaml", llamaFactoryText(arguments)});
        if (target == ForeignTarget::Axolotl) result.files.push_back({"axolotl.yaml", axolotlText(arguments)});
        if (target == ForeignTarget::Trainer) result.arguments = argumentsOf(arguments);
        result.notes = m_notes.take();
        return result;
    }

private:
    [[nodiscard]] static ArgumentValues argumentsOf(const ConfigValue& written)
    {
        ArgumentValues arguments;
        for (const ConfigMember& member : written.members) {
            const TrainerArgument* argument = findTrainerArgument(member.key);
            const auto value = argument == nullptr ? std::nullopt : trainerValue(*argument, member.value);
            if (value.has_value()) arguments[member.key] = *value;
        }
        return arguments;
    }

    /// Moves `pointer`'s value to the argument and leaves "auto"; nothing where the key is missing or no plain value.
    void move(ConfigValue& arguments, const char* pointer, const char* argument)
    {
        const ConfigValue* found = valueAt(m_config, pointer);
        if (found == nullptr || found->isNull() || found->isObject() || found->isString("auto")) return;
        const auto read = findTrainerArgument(argument) == nullptr ? std::nullopt : trainerValue(*findTrainerArgument(argument), *found);
        if (!read.has_value()) return;
        arguments.set(argument, configValue(*read));
        taken(pointer, *found, argument);
        setAt(m_config, pointer, ConfigValue::ofString("auto"));
    }

    /// A number that DeepSpeed works out reaches the argument too; what is open waits for it.
    void batchArgument(ConfigValue& arguments, const char* pointer, const char* argument, const BatchPart& part)
    {
        const ConfigValue* found = valueAt(m_config, pointer);
        if (part.from == BatchPart::From::File) taken(pointer, ConfigValue::ofInt(part.value), argument);
        else if (part.known()) note(TransferKind::Changed, pointer, found == nullptr ? ConfigValue() : *found, argument, followsFrom(part.value));
        if (part.known()) arguments.set(argument, ConfigValue::ofInt(part.value));
        setAt(m_config, pointer, ConfigValue::ofString("auto"));
    }

    void batch(ConfigValue& arguments)
    {
        batchArgument(arguments, "/train_micro_batch_size_per_gpu", "per_device_train_batch_size", m_batch.micro);
        batchArgument(arguments, "/gradient_accumulation_steps", "gradient_accumulation_steps", m_batch.accumulation);
        const char* key = "/train_batch_size";
        if (m_batch.train.has_value() && !m_batch.micro.known()) {
            note(TransferKind::Warning, key, ConfigValue::ofInt(*m_batch.train), key, say("Kept: the Trainer starts only if per_device_train_batch_size times gradient_accumulation_steps is {0}.", "保留：只有 per_device_train_batch_size 乘以 gradient_accumulation_steps 等于 {0}，Trainer 才会启动。", {std::to_string(m_batch.perRank)}));
            return;
        }
        if (m_batch.train.has_value()) note(TransferKind::Changed, key, ConfigValue::ofInt(*m_batch.train), "per_device_train_batch_size, gradient_accumulation_steps", say("Becomes \"auto\": the Trainer multiplies both and {0} processes to {1} again.", "变为 \"auto\"：Trainer 用两者与 {0} 个进程相乘，结果仍为 {1}。", {std::to_string(m_source.dataParallel), std::to_string(*m_batch.train)}));
        setAt(m_config, key, ConfigValue::ofString("auto"));
    }

    /// Each "auto" that no argument fills from here: what the Trainer would put there.
    void tellOpen(const ConfigValue& arguments)
    {
        for (const std::string& pointer : autoPointers(m_config)) {
            const std::string behind = argumentBehind(pointer);
            const TrainerArgument* argument = findTrainerArgument(behind.substr(0, behind.find(',')));
            if (argument == nullptr || anyOf(behind, arguments)) continue;
            note(TransferKind::Warning, pointer, ConfigValue::ofString("auto"), behind, say("Stays \"auto\": give {0}, or the default of TrainingArguments counts, which is {1}.", "保持 \"auto\"：给出 {0}，否则采用 TrainingArguments 的默认值 {1}。", {behind, argument->defaultJson}));
        }
    }

    void toAuto(ConfigValue& arguments)
    {
        batch(arguments);
        move(arguments, "/gradient_clipping", "max_grad_norm");
        optimizer(arguments);
        scheduler(arguments);
        for (const char* precision : {"bf16", "fp16"}) {
            move(arguments, (std::string("/") + precision + "/enabled").c_str(), precision);
        }
        if (m_source.steps.has_value() && arguments.find("max_steps") == nullptr) arguments.set("max_steps", ConfigValue::ofInt(*m_source.steps));
        if (m_source.epochs.has_value() && arguments.find("max_steps") == nullptr) arguments.set("num_train_epochs", ConfigValue::ofFloat(*m_source.epochs));
        if (m_source.seed.has_value()) arguments.set("seed", ConfigValue::ofInt(*m_source.seed));
        if (m_source.recompute) arguments.set("gradient_checkpointing", ConfigValue::ofBool(true));
    }

    /// What axolotl does not start without (its schema: learning_rate, and two of the batch's three sizes), and its bf16, which is "auto" where it
    /// is not written: true on every card since Ampere.
    void completeForAxolotl(ConfigValue& arguments)
    {
        const auto need = [&](const char* pointer, const char* argument, const char* written, const ConfigValue& value) {
            if (arguments.find(argument) != nullptr) return;
            arguments.set(argument, value);
            const ConfigValue* found = valueAt(m_config, pointer);
            note(TransferKind::Changed, pointer, found == nullptr ? ConfigValue() : *found, written, say("Written as {0}: axolotl does not start without a number. Write the one that is meant.", "写为 {0}：没有数值 axolotl 不会启动。改成要用的值。", {toJson(value)}));
        };
        need("/train_micro_batch_size_per_gpu", "per_device_train_batch_size", "micro_batch_size", ConfigValue::ofInt(1));
        need("/gradient_accumulation_steps", "gradient_accumulation_steps", "gradient_accumulation_steps", ConfigValue::ofInt(m_batch.train.has_value() && !m_batch.micro.known() && m_batch.perRank > 0 ? m_batch.perRank : 1));
        need("/optimizer/params/lr", "learning_rate", "learning_rate", ConfigValue::ofFloat(5e-5));
        // Where nothing is said it warms up for 3 % of the steps, and the Trainer not at all.
        const bool scheduler = m_config.find("scheduler") != nullptr;
        if (m_source.trainerRuns && (!scheduler || isAuto("/scheduler/params/warmup_num_steps")) && !anyOf("warmup_steps, warmup_ratio", arguments)) arguments.set("warmup_steps", ConfigValue::ofInt(0));
        if (const ConfigValue* steps = arguments.find("warmup_steps"); !scheduler && steps != nullptr && steps->asDouble() == 1.0) {  // DeepSpeed's own schedulers make two of one too
            note(TransferKind::Changed, "launch.trainer.warmup_steps", *steps, "warmup_steps", say("Written as 2: axolotl never warms up for one step alone.", "写为 2：axolotl 的 warmup 不会只有一步。"));
            arguments.set("warmup_steps", ConfigValue::ofInt(2));
        }
        if (m_source.trainerRuns && !anyOf("max_steps, num_train_epochs", arguments)) {
            arguments.set("num_train_epochs", ConfigValue::ofFloat(3.0));
            note(TransferKind::Changed, "training.epochs", {}, "num_epochs", say("Written as 3, the Trainer's own where nobody says how long: axolotl would train for 1.", "写为 3，即未说明时长时 Trainer 的默认值：axolotl 默认只训练 1 个 epoch。"));
        }
        if (arguments.find("optim") == nullptr) arguments.set("optim", ConfigValue::ofString("adamw_torch"));
        if (arguments.find("bf16") != nullptr) return;
        const bool open = isAuto("/bf16/enabled");
        arguments.set("bf16", open ? ConfigValue::ofString("auto") : ConfigValue::ofBool(false));
        note(TransferKind::Changed, "/bf16/enabled", open ? ConfigValue::ofString("auto") : ConfigValue(), "bf16", open ? say("Written as auto: axolotl takes bf16 where the device has it.", "写为 auto：axolotl 在设备支持时使用 bf16。") : say("Written as false: axolotl would take bf16 where nothing is said.", "写为 false：不写时 axolotl 会使用 bf16。"));
    }

    void optimizer(ConfigValue& arguments)
    {
        if (m_config.find("optimizer") == nullptr) {
            const std::string made = m_source.arguments.contains("optim") ? trainerWord(m_source.arguments, "optim") : "AdamW";
            note(TransferKind::Warning, "/optimizer", {}, "optim", say("There is no \"optimizer\" section: the Trainer makes its own {0} from learning_rate, weight_decay and the rest.", "没有 \"optimizer\" 段：Trainer 会用 learning_rate、weight_decay 等自己创建 {0}。", {made}));
            return;
        }
        // The scheduler sets the rate at every step: where both are given, its peak is the one that counts.
        const ConfigValue* rate = valueAt(m_config, "/optimizer/params/lr");
        const ConfigValue* peak = valueAt(m_config, "/scheduler/params/warmup_max_lr");
        if (rate != nullptr && peak != nullptr && rate->isNumber() && peak->isNumber() && rate->asDouble() != peak->asDouble()) {
            note(TransferKind::Changed, "/optimizer/params/lr", *rate, "learning_rate", say("Becomes {0}, the scheduler's warmup_max_lr: the Trainer has one learning rate for both, and the scheduler's is the one that acts.", "变为 {0}，即调度器的 warmup_max_lr：Trainer 两处共用一个学习率，起作用的是调度器的值。", {toJson(*peak)}));
            setAt(m_config, "/optimizer/params/lr", *peak);
        }
        move(arguments, "/optimizer/params/lr", "learning_rate");
        if (valueAt(m_config, "/scheduler/params/warmup_max_lr") != nullptr) move(arguments, "/scheduler/params/warmup_max_lr", "learning_rate");
        const ConfigValue* betas = valueAt(m_config, "/optimizer/params/betas");
        if (betas != nullptr && betas->isList() && betas->items.size() == 2 && betas->items[0].isNumber() && betas->items[1].isNumber()) {
            arguments.set("adam_beta1", betas->items[0]);
            arguments.set("adam_beta2", betas->items[1]);
            taken("/optimizer/params/betas", *betas, "adam_beta1, adam_beta2");
            setAt(m_config, "/optimizer/params/betas", ConfigValue::ofString("auto"));
        }
        move(arguments, "/optimizer/params/eps", "adam_epsilon");
        move(arguments, "/optimizer/params/weight_decay", "weight_decay");
    }

    void scheduler(ConfigValue& arguments)
    {
        if (m_config.find("scheduler") == nullptr) {
            if (m_source.arguments.contains("lr_scheduler_type")) return;
            if (m_source.trainerRuns) {
                arguments.set("lr_scheduler_type", ConfigValue::ofString("linear"));
                note(TransferKind::Changed, "/scheduler", {}, "lr_scheduler_type", say("Written as linear: there is no scheduler, and the Trainer, which launch.launcher names, then makes this one. Write constant for a rate that stays.", "写为 linear：没有调度器，而 launch.launcher 指定的 Trainer 此时会创建它。要学习率不变，写 constant。"));
                return;
            }
            arguments.set("lr_scheduler_type", ConfigValue::ofString("constant"));
            note(TransferKind::Changed, "/scheduler", {}, "lr_scheduler_type", say("Written as constant: without a scheduler the rate stays the same, and the Trainer's own default is a linear one.", "写为 constant：没有调度器时学习率不变，而 Trainer 默认是 linear。"));
            return;
        }
        if (m_config.find("optimizer") == nullptr) move(arguments, "/scheduler/params/warmup_max_lr", "learning_rate");
        const ConfigValue* total = valueAt(m_config, "/scheduler/params/total_num_steps");
        if (total != nullptr && m_source.steps.has_value() && total->isNumber() && total->asDouble() != static_cast<double>(*m_source.steps)) {
            note(TransferKind::Changed, "training.steps", ConfigValue::ofInt(*m_source.steps), "max_steps", say("Becomes {0}, the scheduler's total_num_steps: the Trainer refuses a schedule of another length than the training.", "变为 {0}，即调度器的 total_num_steps：Trainer 不接受与训练步数不同的调度长度。", {toJson(*total)}));
        }
        move(arguments, "/scheduler/params/total_num_steps", "max_steps");
        move(arguments, "/scheduler/params/warmup_num_steps", "warmup_steps");
    }

    [[nodiscard]] std::string model() const { return m_source.modelName.empty() ? std::string("# the model's folder or its name on the hub") : yamlWord(ConfigValue::ofString(m_source.modelName)); }

    /// The ranks, for whom these files have no key: the import reads the line back.
    [[nodiscard]] std::string ranksLine() const { return ranksComment(m_source.ranks, m_source.nodes); }

    /// TrainingArguments' word for a training without GPUs; axolotl has none.
    [[nodiscard]] std::string deviceLine() const { return m_source.cpu ? "use_cpu: true\n" : ""; }

    [[nodiscard]] std::string trainerText(const ConfigValue& arguments) const
    {
        return "# TrainingArguments for HfArgumentParser.parse_yaml_file; they fill every \"auto\" of ds_config.json.\n" + ranksLine() +
               "output_dir: output\ndeepspeed: ds_config.json\n" + deviceLine() + yamlLines(arguments);
    }

    [[nodiscard]] std::string llamaFactoryText(const ConfigValue& arguments) const
    {
        return "# llamafactory-cli train llama_factory.yaml\n" + ranksLine() +
               "model_name_or_path: " + model() + "\nstage: sft\ndo_train: true\nfinetuning_type: full\n"
               "# dataset: NAME of dataset_info.json\n# template: the model's chat template\n"
               "output_dir: output\n" + (m_source.seq.has_value() ? "cutoff_len: " + std::to_string(*m_source.seq) + "\n" : "") + "deepspeed: ds_config.json\n" + deviceLine() + yamlLines(arguments);
    }

    [[nodiscard]] std::string axolotlText(ConfigValue arguments) const
    {
        ConfigValue renamed = ConfigValue::ofObject();
        for (const ConfigMember& member : arguments.members) {
            const std::string& key = member.key;
            renamed.set(key == "per_device_train_batch_size" ? "micro_batch_size" : key == "num_train_epochs" ? "num_epochs" : key == "lr_scheduler_type" ? "lr_scheduler" : key == "optim" ? "optimizer" : key, member.value);
        }
        return "# axolotl train axolotl.yaml\n" + ranksLine() +
               "base_model: " + model() + "\n# datasets:\n#   - path: NAME\n#     type: alpaca\n"
               "output_dir: output\n" + (m_source.seq.has_value() ? "sequence_len: " + std::to_string(*m_source.seq) + "\n" : "") + "deepspeed: ds_config.json\n" + yamlLines(renamed);
    }
};

}  // namespace

ForeignExport exportForTrainer(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, ForeignTarget target, TransferNotes notes)
{
    return TrainerExport(source, form, batch, std::move(notes)).make(target);
}

}  // namespace stagecraft
