// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/rules/judge.h"

#include <string>
#include <string_view>

namespace stagecraft::rules {

/// Where DeepSpeed reads a key that it does not read in `section` ("" = the top): "/optimizer/params/lr" for "lr" beside "params".
/// Empty where no place takes it, or more than one.
[[nodiscard]] std::string placeThatReads(const Judge& judge, std::string_view section, const std::string& key);

/// Whether the optimizer or schedule that the document names takes the parameter `key` at `parent` ("/optimizer/params" or "/scheduler/params"); where it
/// names none, whether any does.
[[nodiscard]] bool takesParameter(const Judge& judge, std::string_view parent, const std::string& key);

/// How a value gets to the place that was meant by it.
struct Relocation {
    std::string patch;
    bool same = false;                     ///< that place holds the same value already: this one can go
    const ConfigValue* counts = nullptr;   ///< what holds that place already, and counts; null = nothing
    const ConfigValue* instead = nullptr;  ///< what stands above that place and takes no keys; null = nothing
    std::string insteadAt;                 ///< its pointer
};

/// The patch that takes the value at `at` to `to`, making the sections above it; that takes it out where `to` holds the same already.
/// Empty where `to` holds another value, and where nobody can tell what becomes of what stands in the place of a section.
[[nodiscard]] Relocation relocate(const Judge& judge, const std::string& at, const ConfigValue& value, const std::string& to);

/// Says that the key at `at` is not read where it stands and that `to` is where it acts: messages `message`, or `message`.taken and
/// `message`.blocked. What was meant by somebody is never taken out as a safe fix.
/// @return the finding, for the rule to add to at once; null when there is none
CheckFinding* ignoreForPlace(Judge& judge, const char* rule, const std::string& message, const std::string& at, const ConfigValue& value, const std::string& to, MessageArguments arguments);

/// The same of a key that DeepSpeed refuses where it stands, at `level`.
void refuseForPlace(Judge& judge, CheckLevel level, const char* rule, const std::string& message, const std::string& at, const ConfigValue& value, const std::string& to,
                    MessageArguments arguments);

/// Refuses the parameter `member` of the optimizer or schedule `owner`, which has none of that name (R56): says where it is read, or what it
/// is called there. @param at  pointer of the parameters, which are `params`
void refuseUnknownParameter(Judge& judge, const std::string& at, const ConfigValue& params, const ConfigMember& member, const SignatureFacts& signature, const std::string& owner);

/// What becomes of "cpu_offload_use_pin_memory" at `at` in the section `zero`, which nobody reads: it goes to the block it is meant for where there is one
/// alone, and out where it says nothing more; else a person decides, and the patch is empty.
[[nodiscard]] std::string pinnedFix(const ConfigValue& zero, const std::string& at);

/// Whether an old switch says nothing that `held`, what has taken its place, does not say as well.
[[nodiscard]] bool saysNoMore(const ConfigValue& old, const ConfigValue& held);

/// The patch that gives the section at `at` ("/optimizer" or "/scheduler") the type it lacks: what it has as "name", else AdamW, else the
/// first schedule that takes its parameters. Empty where there is none, or the section is no object.
[[nodiscard]] std::string typePatch(const Judge& judge, const std::string& at);

/// "/optimizer/params/lr" as people write it: optimizer.params.lr
[[nodiscard]] std::string dotted(std::string_view pointer);

}  // namespace stagecraft::rules
