// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What became of one value on its way from one tool's file into another's; what asks more of the owner comes later.
enum class TransferKind {
    Taken,    ///< arrived as it is
    Changed,  ///< arrived as another value, or was added
    Dropped,  ///< has no place at the other end
    Warning,  ///< arrived, and the owner should look at it
};

/// "taken", "changed", "dropped", "warning".
[[nodiscard]] const char* transferKindName(TransferKind kind);
/// The same for people, in the language of the notes ("en" or "zh").
[[nodiscard]] const char* transferKindWord(TransferKind kind, std::string_view language);

struct TransferNote {
    TransferKind kind = TransferKind::Taken;
    std::string key;     ///< where it stood: a key of the other file ("deepspeed_config.zero_stage"), or a JSON Pointer
    int line = 0;        ///< 1-based, in the file that was read; 0 = no place
    std::string value;   ///< as JSON text; empty = none
    std::string target;  ///< where it went; empty where it went nowhere
    std::string reason;  ///< one sentence
    std::string file = {};  ///< the file it stood in, where that is not the one imported but one which that names
};

/// Collects notes; says each in the language asked for. At most a few hundred are kept, the rest is counted.
class TransferNotes {
public:
    explicit TransferNotes(std::string_view language) : m_chinese(language.starts_with("zh")) {}

    /// One sentence in the language of the notes; {0}, {1}, ... stand for `arguments`.
    [[nodiscard]] std::string say(std::string_view english, std::string_view chinese, std::initializer_list<std::string> arguments = {}) const;
    void add(TransferNote note);
    /// Values that arrived at `target` or below it are gone: what `by` says holds in their place.
    void replaced(std::string_view target, const std::string& by);

    /// The same, where nothing else holds in their place. @param reason  one sentence
    void dropped(std::string_view target, const std::string& reason);

    /// Of what arrived at `target` something is to be looked at: it is told there, and not a second time. @return whether anything arrived there
    bool warned(std::string_view target, const std::string& goesTo, const std::string& reason);

    /// What asks for something first: warnings, what was dropped, what was changed, what is as it was; each kind in the order of adding. When some
    /// were left out, the last one says how many.
    [[nodiscard]] std::vector<TransferNote> take();

private:
    bool m_chinese;
    std::size_t m_left = 0;
    std::vector<TransferNote> m_notes;
};

}  // namespace stagecraft
