// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace stagecraft {

/// What stands in a workspace although nobody chose it: the demo's model on one GPU, which is put round a ds_config that is opened alone.
/// Saved or not, no number is made of it.
struct AssumedSizes {
    bool model = false;
    bool hardware = false;
    bool ranks = false;   ///< hardware and layout: nobody has said on how many ranks the ds_config runs
};

/// @param workspace  the document; whatever else it is, nothing is assumed in it
[[nodiscard]] AssumedSizes assumedSizes(const nlohmann::json& workspace);

}  // namespace stagecraft
