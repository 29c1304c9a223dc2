// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/accelerate_file.h"

#include "exporters/yaml_text.h"
#include "importers/config_text.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

ExportedFile accelerateFile(const ExportSource& source, ConfigValue own, TransferNotes& notes)
{
    own.set("compute_environment", ConfigValue::ofString("LOCAL_MACHINE"));
    own.set("debug", ConfigValue::ofBool(false));
    own.set("machine_rank", ConfigValue::ofInt(0));
    own.set("main_training_function", ConfigValue::ofString("main"));
    own.set("num_machines", ConfigValue::ofInt(source.nodes));
    own.set("num_processes", ConfigValue::ofInt(source.ranks));
    own.set("use_cpu", ConfigValue::ofBool(source.cpu));
    // As accelerate writes its own.
    std::sort(own.members.begin(), own.members.end(), [](const ConfigMember& a, const ConfigMember& b) { return a.key < b.key; });
    if (source.nodes > 1) {
        notes.add({TransferKind::Warning, "hardware.nodes", 0, toJson(ConfigValue()), "machine_rank",
                   notes.say("Set machine_rank on each node, and main_process_ip and main_process_port on all.", "在每个节点设置 machine_rank，并在所有节点设置 main_process_ip 和 main_process_port。")});
    }
    return {"default_config.yaml", "# accelerate launch --config_file default_config.yaml train.py\n" + yamlLines(own)};
}

void notePlaceholders(const ConfigValue& dsConfig, TransferNotes& notes)
{
    for (const auto& [section, placeholder] : {std::pair{"optimizer", "DummyOptim"}, std::pair{"scheduler", "DummyScheduler"}}) {
        const ConfigValue* written = dsConfig.find(section);
        if (written == nullptr || !written->isObject()) continue;
        const std::string pointer = std::string("/") + section;
        notes.add({TransferKind::Warning, pointer, 0, {}, pointer,
                   notes.say("The script has to prepare accelerate.utils.{0} for this section: with a real one beside it accelerate stops (ValueError). Where the script makes its own, remove the section.",
                             "脚本必须为这一节 prepare accelerate.utils.{0}：若同时使用真正的对象，accelerate 会停止（ValueError）。脚本自己创建时，删除这一节。", {placeholder})});
    }
}

void notePresentForm(const PresentForm& form, TransferNotes& notes)
{
    for (const PresentForm::Change& change : form.changes) {
        if (change.present.empty()) {
            notes.add({TransferKind::Dropped, change.pointer, 0, toJson(change.value), {}, notes.say("DeepSpeed itself takes nothing from it.", "DeepSpeed 本身不使用它。")});
        } else {
            notes.add({TransferKind::Changed, change.pointer, 0, toJson(change.value), change.present,
                       notes.say("Read as {0}: the key's name and form of today, which means the same.", "按 {0} 读取：这是该键现在的名称和写法，含义不变。", {change.present})});
        }
    }
}

int zeroStageOf(const ConfigValue& dsConfig)
{
    const ConfigValue* value = valueAt(dsConfig, "/zero_optimization/stage");
    if (value == nullptr) return 0;
    if (value->isIntLike()) return static_cast<int>(value->asInt());
    return value->isString() && value->text.size() == 1 ? value->text[0] - '0' : 0;
}

bool isSwitchedOn(const ConfigValue& dsConfig, std::string_view pointer)
{
    const ConfigValue* value = valueAt(dsConfig, pointer);
    return value != nullptr && pythonTruth(*value) && !value->isString("auto") && !value->isString("false") && !value->isString("False");
}

}  // namespace stagecraft
