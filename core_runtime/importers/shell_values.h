// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/shell_words.h"

#include <functional>
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
enum class ShellEnd { None, Broke, Returned, Exited };

struct ShellBranch {
    ShellChanges changes;
    ShellEnd ended = ShellEnd::None;
};

/// The variables of a script while it is read, and the doubts about their values.
///
/// A doubt is a mark in the text: it moves with the text through quotes, word splitting and further variables. What is computed
/// of a text gets marks of its own (reasons(), derived()). The arguments $1 ... are the words of the variable "@".
class ShellValues {
public:
    /// The mark of a doubt. Of a Default its text follows; the others stand in the place of a text that is not known.
    [[nodiscard]] std::string mark(ShellDoubt doubt);
    /// The doubts of all marks in a text, each once.
    [[nodiscard]] std::vector<const ShellDoubt*> doubts(std::string_view text) const;
    /// False with a mark other than a Default's.
    [[nodiscard]] bool known(std::string_view text) const;
    /// Marks of why something that is made of the text is not known. None of them stands for a value of the text.
    [[nodiscard]] std::string reasons(std::string_view text);
    /// What `make` makes of a known text, with a mark for each of the text's Defaults: its other values are what `make` makes of those.
    /// @param make  gets text(marked): the plain text of any marked one, with one of the other values in its place
    [[nodiscard]] std::optional<std::string> derived(const std::string& marked, const std::function<std::optional<std::string>(const std::function<std::string(const std::string& marked)>& text)>& make);
    /// The text without its marks.
    [[nodiscard]] static std::string plain(std::string_view text);
    /// The text for people: $NAME in the place of a mark.
    [[nodiscard]] std::string shown(std::string_view text) const;
    /// Marks off: the word as the script's readers see it.
    [[nodiscard]] ShellWord word(const std::string& marked, int line) const;

    [[nodiscard]] const ShellValue* find(const std::string& name) const;
    void set(const std::string& name, std::optional<ShellValue> value);
    /// The alternatives that the value of a variable stands for; nothing where it is not set.
    [[nodiscard]] std::vector<ShellAlternative> alternatives(const std::string& name, const std::optional<ShellValue>& value) const;

    /// From here to close() what is set can be taken back.
    void open() { m_open.emplace_back(); }
    /// Takes back what was set since open(). @return what it was
    [[nodiscard]] ShellChanges close();
    void apply(const ShellChanges& changes);
    /// Only one of the branches runs. @param chosen  the one that a plain start takes, `assumption` being what it then lacks; none = nobody knows
    void merge(const std::vector<ShellBranch>& branches, std::optional<std::size_t> chosen, const std::string& assumption);

private:
    [[nodiscard]] std::vector<std::size_t> numbers(std::string_view text) const;
    [[nodiscard]] std::optional<std::string> replaced(std::string_view text, std::size_t number, const std::string& other) const;
    [[nodiscard]] bool onePlace(std::string_view text) const;
    [[nodiscard]] std::vector<ShellAlternative> whole(std::string_view text, std::size_t number) const;
    void addAlternatives(const std::string& name, std::string_view text, int line, std::vector<ShellAlternative>& values) const;
    [[nodiscard]] ShellValue merged(const std::string& name, const std::vector<std::optional<ShellValue>>& values, std::optional<std::size_t> chosen, const std::string& assumption);

    std::map<std::string, ShellValue> m_values;
    std::vector<ShellChanges> m_open;  ///< the values before, innermost last
    std::vector<ShellDoubt> m_doubts;
};

}  // namespace stagecraft
