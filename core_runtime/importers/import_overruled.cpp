// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments that never reach DeepSpeed, because the ds_config says it itself or has no place for them. Source: transformers,
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

}  // namespace stagecraft
