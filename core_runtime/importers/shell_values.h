// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/shell_words.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

/// The value of a variable: one word, or the elements of an array. Where a part is in doubt a mark stands in the text.
struct ShellValue {
    std::vector<std::string> words;
    int line = 0;  ///< of the assignment

    [[nodiscard]] std::string joined() const;
};

/// What became of a shell's commands or of a branch: the new values, none = unset.
using ShellChanges = std::map<std::string, std::optional<ShellValue>>;

/// What ended a shell, a function or a branch before its last command; nothing behind it sees what it did.
enum class ShellEnd { None, Returned, Exited };

struct ShellBranch {
    ShellChanges changes;
    ShellEnd ended = ShellEnd::None;
};

/// The variables of a script while it is read, and the doubts about their values.
///
/// A doubt is a mark in the text: it moves with the text through quotes, word splitting and further variables.
class ShellValues {
public:
    /// The mark of a doubt. Of a Default its text follows; the others stand in the place of a text that is not known.
    [[nodiscard]] std::string mark(ShellDoubt doubt);
    /// The doubts of all marks in a text, each once.
    [[nodiscard]] std::vector<const ShellDoubt*> doubts(std::string_view text) const;
    /// False with a mark other than a Default's.
    [[nodiscard]] bool known(std::string_view text) const;
    /// The marks alone; @param unknown  without those of Defaults
    [[nodiscard]] std::string marks(std::string_view text, bool unknown) const;
    /// The text without its marks.
    [[nodiscard]] static std::string plain(std::string_view text);
    /// The text for people: $NAME in the place of a mark.
    [[nodiscard]] std::string shown(std::string_view text) const;
    /// Marks off: the word as the script's readers see it.
    [[nodiscard]] ShellWord word(const std::string& marked, int line) const;

    [[nodiscard]] const ShellValue* find(const std::string& name) const;
    void set(const std::string& name, std::optional<ShellValue> value);

    /// From here to close() what is set can be taken back.
    void open() { m_open.emplace_back(); }
    /// Takes back what was set since open(). @return what it was
    [[nodiscard]] ShellChanges close();
    void apply(const ShellChanges& changes);
    /// Only one of the branches runs. @param chosen  the one that a plain start takes, `assumption` being what it then lacks; none = nobody knows
    void merge(const std::vector<ShellBranch>& branches, std::optional<std::size_t> chosen, const std::string& assumption);

private:
    [[nodiscard]] ShellAlternative alternative(const std::optional<ShellValue>& value, std::size_t from, std::size_t back) const;
    [[nodiscard]] const ShellDoubt* onlyBranch(const std::optional<ShellValue>& value, std::size_t from, std::size_t back) const;
    [[nodiscard]] ShellValue merged(const std::string& name, const std::vector<std::optional<ShellValue>>& values, std::optional<std::size_t> chosen, const std::string& assumption);

    std::map<std::string, ShellValue> m_values;
    std::vector<ShellChanges> m_open;  ///< the values before, innermost last
    std::vector<ShellDoubt> m_doubts;
};

}  // namespace stagecraft
