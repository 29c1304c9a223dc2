// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"

#include <optional>
#include <string_view>

namespace stagecraft {

/// A number of ranks for which DeepSpeed does not refuse what it refuses for the one that is assumed where nobody gave a number.
struct FittingRanks {
    int ranks = 1;
    CheckAnswer answer;   ///< for so many; where it is ok, the file is at fault in nothing
};

/// The surroundings with a number of ranks that is known.
[[nodiscard]] CheckContext onRanks(const CheckContext& context, int ranks);

/// Whether a finding refuses the file for the number of ranks: none such is left for the ranks that fit.
[[nodiscard]] bool refusesRanks(const CheckFinding& finding);

/// Whether nobody said on how many ranks a file runs: then it is judged for one, which no file can be blamed for.
[[nodiscard]] inline bool ranksAreAssumed(const CheckContext& context) { return !context.ranks && context.world == 1; }

/// The count at which the file's three batch sizes agree, else the least of the usual ones that groups and multiples ask for.
/// Nothing where the ranks were given, where their number refuses nothing, and where no number is known that mends it.
/// @param answer  of checkConfig(text, context)
[[nodiscard]] std::optional<FittingRanks> fittingRanks(std::string_view text, const CheckContext& context, const CheckAnswer& answer);

/// checkAnswerJson() with "fittingRanks", where there are some, and "textFix" of each finding that a change of the text alone mends.
/// @param text  that the answer is about
[[nodiscard]] std::string checkAnswerJson(const CheckAnswer& answer, const std::optional<FittingRanks>& fit, std::string_view text);

}  // namespace stagecraft
