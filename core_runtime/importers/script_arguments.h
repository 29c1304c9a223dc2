// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/import_draft.h"
#include "importers/shell_words.h"

#include <string>
#include <vector>

namespace stagecraft {

/// The arguments that a command hands to the training script: TrainingArguments, files of them, the ds_config.
class ScriptArguments {
public:
    ScriptArguments(ImportDraft& draft, const ShellScript& script) : m_draft(draft), m_script(script) {}

    /// @param at  the first word behind the script
    [[nodiscard]] Result<void> read(const std::vector<ShellWord>& words, std::size_t at);

    /// A file that the command names: one that the script writes, else one that can be read.
    [[nodiscard]] Result<std::string> fileText(const std::string& path);

    bool trainerNames = false;  ///< an argument that only TrainingArguments has
    bool ownConfig = false;     ///< DeepSpeed's own --deepspeed or --deepspeed_config

private:
    Result<void> argumentFile(const ShellWord& word);
    Result<void> configFile(const std::vector<ShellWord>& words, std::size_t at);
    Result<void> overriding(const ShellWord& word, std::size_t equals);
    Result<void> option(const std::string& name, const std::string& option, const ShellWord& value, bool given);
    Result<void> writtenConfig(const std::string& option, const ShellWord& value, const ShellWord& text);
    void unknownConfig(const std::string& option, const ShellWord& value);

    ImportDraft& m_draft;
    const ShellScript& m_script;
    bool m_argumentsRead = false;  ///< from a file that the command names
};

}  // namespace stagecraft
