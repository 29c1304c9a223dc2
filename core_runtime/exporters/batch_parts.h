// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/config_value.h"

#include <cstdint>
#include <optional>

namespace stagecraft {

/// One of the two factors of the batch, as another tool would get it.
struct BatchPart {
    enum class From {
        File,     ///< a number of the ds_config
        Follows,  ///< not in the ds_config, and only this number fits it
        Open,     ///< the training script decides
    };
    From from = From::Open;
    std::int64_t value = 0;  ///< samples of one rank, or micro-steps; 0 where it is open
    [[nodiscard]] bool known() const { return from != From::Open; }
};

/// What a ds_config says about the batch, with "auto" for what the script says.
struct BatchParts {
    BatchPart micro;
    BatchPart accumulation;
    std::optional<std::int64_t> train;  ///< samples of all ranks; none where it is missing or "auto"
    std::int64_t perRank = 0;           ///< of `train`; 0 where that is none
};

/// A batch size in whole samples or steps, as far as 64 bits go.
[[nodiscard]] std::int64_t wholeOf(const BatchNumber& number);

/// @param resolved  the batch of the same config without its "auto", as DeepSpeed works it out
/// @param ranks  that the batch rule counts, >= 1
/// Source: DeepSpeedConfig._set_batch_related_parameters; accelerate takes 1 accumulation step where the key is missing
/// (DeepSpeedPlugin.__post_init__).
[[nodiscard]] BatchParts batchParts(const ConfigValue& dsConfig, const ResolvedBatch& resolved, int ranks);

}  // namespace stagecraft
