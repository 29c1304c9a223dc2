// SPDX-License-Identifier: GPL-3.0-or-later
// Where the arguments and the ds_config speak of the same: those that never reach DeepSpeed, because the ds_config says it itself or
// has no place for them, and those that nobody gave beside a value that the ds_config fixes. Source: transformers,
// integrations/deepspeed.py (trainer_config_process fills "auto" alone), and accelerate, utils/dataclasses.py (DeepSpeedPlugin).
#include "importers/import_draft.h"

#include "importers/config_text.h"

#include <algorithm>
#include <vector>

namespace stagecraft {

namespace {

struct Destination {
    const char* argument;
    std::vector<const char*> places;  ///< each takes the argument where it says "auto"
    const char* section;              ///< the section that makes the argument idle by being there; empty = the whole config
    bool mustMatch;                   ///< the Trainer refuses another value beside it
};

const std::vector<Destination>& destinations()
{
    static const std::vector<Destination> kDestinations{
        {"per_device_train_batch_size", {"/train_micro_batch_size_per_gpu"}, "", true},
        {"gradient_accumulation_steps", {"/gradient_accumulation_steps"}, "", true},
        {"max_grad_norm", {"/gradient_clipping"}, "", true},
        {"learning_rate", {"/optimizer/params/lr", "/scheduler/params/warmup_max_lr"}, "/optimizer", true},
        {"adam_beta1", {"/optimizer/params/betas/0"}, "/optimizer", true},
        {"adam_beta2", {"/optimizer/params/betas/1"}, "/optimizer", true},
        {"adam_epsilon", {"/optimizer/params/eps"}, "/optimizer", true},
        {"weight_decay", {"/optimizer/params/weight_decay"}, "/optimizer", true},
        {"optim", {}, "/optimizer", false},
        {"warmup_steps", {"/scheduler/params/warmup_num_steps"}, "/scheduler", false},
        {"warmup_ratio", {"/scheduler/params/warmup_num_steps"}, "/scheduler", false},
        {"lr_scheduler_type", {}, "/scheduler", false},
        {"fp16", {"/fp16/enabled"}, "/fp16", true},
        {"bf16", {"/bf16/enabled"}, "/bf16", true},
    };
    return kDestinations;
}

/// What stands at `pointer`, an "auto" for a whole list standing for each of its items.
const ConfigValue* standing(const ConfigValue& config, const std::string& pointer)
{
    const std::size_t last = pointer.rfind('/');
    const ConfigValue* whole = valueAt(config, pointer.substr(0, last));
    if (whole == nullptr || whole->isObject()) return valueAt(config, pointer);
    const auto index = static_cast<std::size_t>(pointer[last + 1] - '0');
    return whole->isList() && index < whole->items.size() ? &whole->items[index] : whole;
}

bool same(const ConfigValue& a, const ConfigValue& b)
{
    return a.isNumber() && b.isNumber() ? a.asDouble() == b.asDouble() : toJson(a) == toJson(b);
}

}  // namespace

void ImportDraft::tellOverruled()
{
    const ConfigValue* whole = valueAt(m_config, "/train_batch_size");
    const bool wholeIsAuto = whole != nullptr && whole->isString("auto");
    for (const Destination& to : destinations()) {
        const auto given = arguments.find(to.argument);
        const ConfigValue* section = *to.section == '\0' ? &m_config : valueAt(m_config, to.section);
        if (given == arguments.end() || section == nullptr) continue;
        const ConfigValue value = configValue(given->second);
        const std::string argument = to.argument;
        std::string reason;
        if (to.places.empty()) {
            const ConfigValue* type = section->find("type");
            const std::string own = type != nullptr && type->isString() ? " " + type->text : say(" own", "值");
            reason = say("Not used: the ds_config has its own \"{0}\" section, and its{1} counts.", "未采用：ds_config 有自己的 \"{0}\" 段，以其中的{1}为准。", {std::string(to.section + 1), own});
        } else {
            const ConfigValue* other = nullptr;
            std::string where;
            bool used = argument != "max_grad_norm" && *to.section == '\0' && wholeIsAuto && standing(m_config, to.places.front()) == nullptr;
            for (const char* place : to.places) {
                const ConfigValue* there = standing(m_config, place);
                used = used || (there != nullptr && (there->isString("auto") || same(*there, value)));
                if (other == nullptr && there != nullptr) {
                    other = there;
                    where = place;
                }
            }
            if (used) continue;
            if (other != nullptr && to.mustMatch) {
                reason = say("Not used: the ds_config says {0} itself at {1}, and the Trainer refuses two values that differ (ValueError). Write \"auto\" there, or the same number in both.", "未采用：ds_config 在 {1} 处自己写了 {0}，两者不同时 Trainer 会拒绝（ValueError）。在该处写 \"auto\"，或两处写相同的值。", {toJson(*other), where});
            } else if (other != nullptr) {
                reason = say("Not used: the ds_config says {0} itself at {1}, which counts.", "未采用：ds_config 在 {1} 处自己写了 {0}，以它为准。", {toJson(*other), where});
            } else if (argument == "gradient_accumulation_steps") {
                reason = say("Not used: the ds_config has no {0}, and accelerate then gives DeepSpeed 1. Write \"auto\" there.", "未采用：ds_config 没有 {0}，accelerate 会让 DeepSpeed 使用 1。在该处写 \"auto\"。", {to.places.front()});
            } else {
                reason = say("Not used: the ds_config has no {0}, so that DeepSpeed's own value holds. Write \"auto\" there.", "未采用：ds_config 没有 {0}，因此采用 DeepSpeed 自己的值。在该处写 \"auto\"。", {to.places.front()});
            }
        }
        notes.dropped("trainer." + argument, reason);
        if (options.arguments.count(argument) > 0) note(TransferKind::Dropped, argument, 0, value, {}, reason);
    }
}

void ImportDraft::assumeAsInTheFile()
{
    // A file of arguments is whole, and what it does not say has its default. A command is not: the script has a say too, and so has who names some arguments alone.
    const bool apart = result.format == ForeignFormat::DsConfig || result.format == ForeignFormat::Accelerate;
    if (apart ? options.arguments.empty() : result.format != ForeignFormat::CommandLine) return;
    const auto open = [&](const std::string& argument) { return arguments.count(argument) + knownLater.count(argument) == 0; };
    const auto assume = [&](const std::string& name, const ConfigValue& value, const std::string& pointer) {
        const TrainerArgument* argument = findTrainerArgument(name);
        const auto read = trainerValue(*argument, value);
        if (!read.has_value() || (argument->type == ArgumentType::Int && std::get<std::int64_t>(*read) < 1)) return;
        if (!apart && same(configValue(*read), configValue(trainerValue(*argument, ConfigValue::ofString(argument->defaultJson)).value_or(TrainerValue{})))) return;
        arguments[name] = *read;
        const std::string now = toJson(value);
        if (apart) note(TransferKind::Changed, "trainer." + name, 0, value, "", say("Taken as {0}, as the ds_config has it: the Trainer refuses another value.", "取 {0}，与 ds_config 一致：Trainer 拒绝其他值。", {now}));
        else note(TransferKind::Warning, pointer, 0, value, "trainer." + name, say("{0} is not given: taken as {1}, which this asks for. With its default, {2}, the Trainer refuses the file (ValueError): give it, or write \"auto\" here.", "未给出 {0}：取 {1}，这是此处的值所要求的。按默认值 {2}，Trainer 会拒绝该文件（ValueError）：给出它，或在此处写 \"auto\"。", {name, now, argument->defaultJson}));
    };
    for (const Destination& to : destinations()) {
        const std::string name = to.argument;
        const bool otherFormat = (name == "bf16" && trainerFlag(arguments, "fp16")) || (name == "fp16" && trainerFlag(arguments, "bf16"));
        if (!to.mustMatch || !open(name) || otherFormat) continue;
        const auto place = std::find_if(to.places.begin(), to.places.end(), [&](const char* pointer) {
            const ConfigValue* there = standing(m_config, pointer);
            return there != nullptr && (there->isNumber() || there->isBool());
        });
        if (place != to.places.end()) assume(name, *standing(m_config, *place), *place);
    }
    // Of a fixed train_batch_size the factor follows that is neither given nor fixed.
    const char* const micro = "per_device_train_batch_size";
    const char* const steps = "gradient_accumulation_steps";
    const ConfigValue* train = m_config.find("train_batch_size");
    const ConfigValue* stepsThere = m_config.find(steps);
    const std::int64_t world = result.context.world;
    if ((ranks < 1 && options.workspaceRanks < 1) || train == nullptr || train->kind != ConfigValue::Kind::Int || train->wide || train->integer < 1 || train->integer % world != 0) return;
    const std::int64_t perRank = train->integer / world;
    const auto number = [&](const char* name) { return static_cast<std::int64_t>(trainerNumber(arguments, name)); };
    const bool stepsOpen = open(steps) && stepsThere != nullptr && stepsThere->isString("auto");
    if (stepsOpen && number(micro) > 0 && perRank % number(micro) == 0) assume(steps, ConfigValue::ofInt(perRank / number(micro)), "/train_batch_size");
    else if (open(micro) && number(steps) > 0 && perRank % number(steps) == 0) assume(micro, ConfigValue::ofInt(perRank / number(steps)), "/train_batch_size");
}

}  // namespace stagecraft
