// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/rewritten_config.h"

#include "exporters/accelerate_file.h"
#include "importers/config_text.h"

#include <utility>

namespace stagecraft {

RewrittenConfig::RewrittenConfig(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, TransferNotes notes)
    : m_source(source), m_config(form.config), m_batch(batchParts(form.config, batch, source.dataParallel)), m_notes(std::move(notes))
{
    notePresentForm(form, m_notes);
}

void RewrittenConfig::note(TransferKind kind, const std::string& key, const ConfigValue& value, const std::string& target, std::string reason)
{
    m_notes.add({kind, key, 0, toJson(value), target, std::move(reason)});
}

void RewrittenConfig::taken(const std::string& key, const ConfigValue& value, const std::string& target) { note(TransferKind::Taken, key, value, target, say("Taken over as it is.", "原样采用。")); }

bool RewrittenConfig::isAuto(std::string_view pointer) const
{
    const ConfigValue* value = valueAt(m_config, pointer);
    return value != nullptr && value->isString("auto");
}

std::string RewrittenConfig::followsFrom(std::int64_t value) const
{
    return m_batch.train.has_value() ? say("Written as {0}: with train_batch_size {1} no other value is possible.", "写为 {0}：train_batch_size 为 {1} 时只可能是这个值。", {std::to_string(value), std::to_string(*m_batch.train)})
                                     : say("Written as {0}, which is what counts where nothing is said.", "写为 {0}，即未写时采用的值。", {std::to_string(value)});
}

void RewrittenConfig::completeForAccelerate()
{
    if (m_config.find("zero_optimization") == nullptr) {
        setAt(m_config, "/zero_optimization/stage", ConfigValue::ofInt(0));
        note(TransferKind::Changed, "/zero_optimization", {}, "/zero_optimization/stage", say("Written as stage 0, because accelerate refuses a config without the section.", "写为 stage 0，因为 accelerate 拒绝没有这一段的配置。"));
    }
    if (m_config.find("gradient_accumulation_steps") == nullptr) {
        const ConfigValue steps = ConfigValue::ofInt(m_batch.accumulation.value);
        m_config.set("gradient_accumulation_steps", steps);
        note(TransferKind::Changed, "/gradient_accumulation_steps", steps, "/gradient_accumulation_steps", say("Written out, because accelerate would take 1 where it is missing.", "写出数值，因为缺省时 accelerate 取 1。"));
    }
    if (m_config.find("steps_per_print") != nullptr) note(TransferKind::Warning, "/steps_per_print", *m_config.find("steps_per_print"), "/steps_per_print", say("accelerate replaces it by infinity: DeepSpeed prints no step lines.", "accelerate 会把它改为无穷大：DeepSpeed 不打印每步日志。"));
}

}  // namespace stagecraft
