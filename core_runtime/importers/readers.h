// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/import_draft.h"

namespace stagecraft {

// One reader a format; each fills the draft and leaves the rest to ImportDraft::finish().

/// accelerate's ClusterConfig: DeepSpeed by fields or by file, or FSDP, which is translated.
/// @param own  what the file itself says in `deepspeed_config` where `root` also holds options of a command (at negative lines)
[[nodiscard]] Result<void> readAccelerate(ImportDraft& draft, const ConfigValue& root, const ConfigValue* own = nullptr);
/// The FSDP part of an accelerate config as the ZeRO stage that shards the same.
[[nodiscard]] Result<void> readFsdp(ImportDraft& draft, const ConfigValue& root);
/// A flat map of arguments: TrainingArguments or LLaMA-Factory.
[[nodiscard]] Result<void> readTrainingArguments(ImportDraft& draft, const ConfigValue& root);
/// LLaMA-Factory's v1: a map with a "dist_config".
[[nodiscard]] Result<void> readLlamaFactoryV1(ImportDraft& draft, const ConfigValue& root);
[[nodiscard]] Result<void> readAxolotl(ImportDraft& draft, const ConfigValue& root);
/// The TrainingArguments' name of axolotl's key.
[[nodiscard]] std::string axolotlArgument(const std::string& key);
/// `TrainingArguments(...)` in Python source.
[[nodiscard]] Result<void> readPythonArguments(ImportDraft& draft);
/// A command line or shell script.
[[nodiscard]] Result<void> readCommandLine(ImportDraft& draft);

/// True when the text holds a call of a TrainingArguments class.
[[nodiscard]] bool hasPythonArguments(std::string_view text);
/// True when the text starts a launcher.
[[nodiscard]] bool hasLauncherCommand(std::string_view text);

}  // namespace stagecraft
