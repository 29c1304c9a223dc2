// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"
#include "config/present_form.h"
#include "exporters/foreign_export.h"

namespace stagecraft {

/// accelerate's default_config.yaml for this job on its nodes and ranks.
/// @param own    fields that only this kind of training has: distributed_type and its section
/// @param notes  gets what each node has to set for itself
[[nodiscard]] ExportedFile accelerateFile(const ExportSource& source, ConfigValue own, TransferNotes& notes);

/// Tells of the sections that accelerate hands over for placeholders alone: it stops where the script prepares a real optimizer or
/// scheduler beside them.
void notePlaceholders(const ConfigValue& dsConfig, TransferNotes& notes);

/// Tells of every key that is read under another name or in another form than the file has it in.
void notePresentForm(const PresentForm& form, TransferNotes& notes);

/// The ZeRO stage a config in its present form asks for; 0 where it says none.
[[nodiscard]] int zeroStageOf(const ConfigValue& dsConfig);

/// Whether DeepSpeed reads the value there as true. "auto" is none yet.
[[nodiscard]] bool isSwitchedOn(const ConfigValue& dsConfig, std::string_view pointer);

}  // namespace stagecraft
