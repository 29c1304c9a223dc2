// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/trained_section.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What PEFT makes of targets in a model whose experts Transformers 5 packs into tensors: names that experts' projections and routers had
/// before become "target_parameters", beside which no module has an adapter; whatever else has such a name has none either.
struct ExpertTargets {
    bool converts = false;             ///< PEFT knows the family
    bool router = false, gateUp = false, down = false;  ///< parameters that have adapters
    std::vector<std::string> modules;  ///< what is left of the names
    std::vector<std::string> present, missing;  ///< names of a packed pair of which only a part was named: PEFT refuses
    [[nodiscard]] bool any() const { return router || gateUp || down; }
};

/// @param modelType  config.json's
/// @param adapter    its words "all-linear" and "mlp" stand for all of an expert's projections and the router
/// @param names      of modules, where targets are said by names; empty otherwise
/// Source: peft 0.21, utils/transformers_weight_conversion.py, _convert_peft_config_moe
[[nodiscard]] ExpertTargets expertTargets(std::string_view modelType, const AdapterSection& adapter, const std::vector<std::string>& names);

/// Whether a quantised base packs the experts too: before Transformers 5 (January 2026) each of these families' experts was three linear
/// layers; since then they are one tensor, which stays in 16 bits.
/// @param release  year and month of the code; empty = the newest
[[nodiscard]] bool packsExperts(std::string_view modelType, std::string_view release);

/// The names that PEFT takes for projections of experts and for routers in a model of this type; none where it knows no such family.
[[nodiscard]] std::vector<std::string_view> expertNames(std::string_view modelType);

}  // namespace stagecraft
