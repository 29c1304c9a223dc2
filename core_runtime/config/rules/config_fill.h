// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/rules/judge.h"

#include <initializer_list>
#include <string>

namespace stagecraft::rules {

/// What those who fill "auto" share: the arguments of the context, and places of the document that is filled.
class ConfigFill {
protected:
    using Path = std::initializer_list<const char*>;

    ConfigFill(Judge& judge, ConfigValue& document, CheckContext& context) : m_judge(judge), m_document(document), m_context(context) {}

    /// The argument of that name; null when it is not given.
    [[nodiscard]] const TrainerValue* argument(const char* name) const;
    [[nodiscard]] std::int64_t integer(const char* name, std::int64_t fallback) const;
    [[nodiscard]] bool flag(const char* name) const;
    [[nodiscard]] ConfigValue number(const char* name, double fallback) const;
    /// The argument as text; empty when it is not given, or is none.
    [[nodiscard]] std::string word(const char* name) const;

    /// The value at a path of keys; null when there is none.
    [[nodiscard]] ConfigValue* find(Path path);
    /// Where the section of a number format is missing, accelerate writes one: DeepSpeedPlugin.set_mixed_precision.
    void addFormat(const char* name, bool on);
    /// accelerate's HfDeepSpeedConfig looks up the stage and the offload devices in any file: refuses what is no section there. Left in the document is what it would be mended to.
    void lookUpZero();
    /// Takes what stands at a path out of the document, where it stands there.
    void drop(Path path);
    /// Refuses what stands at a path, as keys are looked up in it.
    void refuseNoSection(Path path, const std::string& fix);
    [[nodiscard]] static std::string pointer(Path path);
    [[nodiscard]] static const char* lastKey(Path path) { return *(path.end() - 1); }

    Judge& m_judge;
    ConfigValue& m_document;
    CheckContext& m_context;
};

}  // namespace stagecraft::rules
