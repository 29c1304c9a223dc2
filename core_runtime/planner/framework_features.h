// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace stagecraft {

/// What one framework does about a feature.
struct FeatureCell {
    std::string verdict;   ///< yes | partly | no | note
    std::string en, zh;    ///< how
    std::string source;    ///< with the release it was read in
};

struct FeatureRow {
    std::string id, en, zh;
    std::string toldDeepSpeed, toldFsdp;   ///< what the tutorial says: yes, no, or words
    FeatureCell deepspeed, fsdp2;
};

/// DeepSpeed and PyTorch's FSDP2 side by side.
struct FeatureTable {
    std::string checked;   ///< the date at which every cell was checked, "2026-11-21"
    std::vector<FeatureRow> rows;
};

/// The table in configs/frameworks, compiled in.
[[nodiscard]] const FeatureTable& frameworkFeatures();
[[nodiscard]] nlohmann::json featuresToJson(const FeatureTable& table);

}  // namespace stagecraft
