// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// One key on which two configs differ, as JSON texts; numbers in one spelling (5e8 is 500000000).
struct MeaningDifference {
    struct Side {
        std::string written;  ///< what the file says; empty = the key is not there
        std::string acts;     ///< what DeepSpeed works with
        bool unread = false;  ///< it is written, and DeepSpeed never reads it
        [[nodiscard]] bool asWritten() const { return written == acts; }
    };
    std::string pointer;  ///< by the key's present name, whatever older name the files use
    Side before, after;
};

struct MeaningComparison {
    /// DeepSpeed parses both. Otherwise nothing acts: then `acts` repeats what the files say, and that is compared.
    bool beforeParses = false;
    bool afterParses = false;
    std::vector<MeaningDifference> differences;  ///< by pointer
};

/// Compares what two ds_configs come to, each on ranks that it is for where the context gives none (fittingRanks): batch sizes worked out, defaults filled in, older names and words carried over,
/// what DeepSpeed never reads left out unless it reads it in the other; with a section that goes, all that was set in it. @error InvalidInput for a text that cannot be read, with which one it is
[[nodiscard]] Result<MeaningComparison> compareMeaning(std::string_view before, std::string_view after, const CheckContext& context);

}  // namespace stagecraft
