// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/import_draft.h"
#include "importers/shell_words.h"

#include <string>
#include <vector>

namespace stagecraft {

// What an import says of a script's words that are not certain.

/// Why a word is not known, as a part of a sentence: " (GAS is 4 (line 3) or 8 (line 6))". Empty where there is nothing to say.
[[nodiscard]] std::string whyUnknown(const ImportDraft& draft, const ShellWord& word);

/// The word with $NAME where it is not known.
[[nodiscard]] ConfigValue shownValue(const ShellWord& word);

/// The names of what is not known in it: "$A, $(...)".
[[nodiscard]] std::string unknownNames(const ShellWord& word);

/// True where no part of a word is known: it may be any number of words.
[[nodiscard]] bool isOpen(const ShellWord& word);

/// An argument is given with a value that only the running script knows: it stays open, whatever was said of it before.
void leaveOpen(ImportDraft& draft, const std::string& name, const std::string& option, const ShellWord& value);

/// Words that only the running script knows stand in a command. The options that they may hold stay open.
void tellOpenWords(ImportDraft& draft, const ShellWord& word);

/// Says which words of a command hold by defaults of the script. @return the words without those that then are not there
[[nodiscard]] std::vector<ShellWord> withDefaultsTold(ImportDraft& draft, const std::vector<ShellWord>& words);
/// The same for one word. @param key  of the note
void tellDefaults(ImportDraft& draft, const std::string& key, const ShellWord& word);

/// An option's name with _ for -, without what stands behind its "=".
[[nodiscard]] std::string optionName(const std::string& option);

/// The value of the option at `at`: behind its "=", or the next word. `at` moves onto the last word used.
[[nodiscard]] ShellWord optionValue(const std::vector<ShellWord>& words, std::size_t& at);

}  // namespace stagecraft
