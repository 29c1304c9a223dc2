// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/rules/judge.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::rules {

/// A key that DeepSpeed does not read where it stands.
struct UnknownKey {
    std::string section;                 ///< pointer; "" = the top
    const ConfigMember* member = nullptr;
    const char* rule = "";               ///< R10, R11, R12, R56; its messages begin with those of `rule`.head
    std::optional<CheckLevel> refusedAt; ///< empty = skipped in silence
    std::string owner;                   ///< the optimizer or schedule that has no such parameter
    std::vector<std::string> takes;      ///< keys the section has
};

/// Says what somebody means who writes `unknown`, if it is another tool's name for a setting that this release reads.
/// @return false where it is none
bool tellOtherName(Judge& judge, const UnknownKey& unknown);

/// The rest of the keys nobody reads: one that is made of the same parts as a known one, a comment, a setting of the script or the launcher, and what has no
/// meaning that could be named. What is written is taken out by a fix only where it asks for nothing.
void tellUnknown(Judge& judge, const UnknownKey& unknown);

/// Whether something other than DeepSpeed reads a key, nobody here can tell: it is taken out only when somebody asks for that.
void keepUnasked(CheckFinding* finding);

/// Whether a value asks for nothing, whatever its key means: null, false, an empty text or section, one that is switched off.
[[nodiscard]] bool asksForNothing(const ConfigValue& value);

/// Whether `value` can go where `held` counts already: it asks for nothing, and is not the other answer to what `held` answers ("off" beside "on").
[[nodiscard]] bool yieldsTo(const ConfigValue& value, const ConfigValue& held);

}  // namespace stagecraft::rules
