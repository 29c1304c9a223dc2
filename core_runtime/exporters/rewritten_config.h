// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/present_form.h"
#include "exporters/batch_parts.h"
#include "exporters/foreign_export.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace stagecraft {

/// A ds_config on its way into another tool's file, and what is told of it. What the tools have in common: each of them takes it further.
class RewrittenConfig {
protected:
    /// @param batch  of the same config without its "auto", as DeepSpeed works it out
    RewrittenConfig(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, TransferNotes notes);

    [[nodiscard]] std::string say(std::string_view english, std::string_view chinese, std::initializer_list<std::string> words = {}) const { return m_notes.say(english, chinese, words); }
    void note(TransferKind kind, const std::string& key, const ConfigValue& value, const std::string& target, std::string reason);
    void taken(const std::string& key, const ConfigValue& value, const std::string& target);
    [[nodiscard]] bool isAuto(std::string_view pointer) const;
    /// Why a part of the batch that the file does not say is `value`.
    [[nodiscard]] std::string followsFrom(std::int64_t value) const;
    /// What accelerate would add or refuse is written out, so that it changes nothing.
    void completeForAccelerate();

    const ExportSource& m_source;
    ConfigValue m_config;
    BatchParts m_batch;
    TransferNotes m_notes;
};

/// A ds_config with "auto" and the Trainer's arguments that fill it, in a file of the Trainer's own, LLaMA-Factory's or axolotl's.
/// @param target  one of those three
[[nodiscard]] ForeignExport exportForTrainer(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, ForeignTarget target, TransferNotes notes);

}  // namespace stagecraft
