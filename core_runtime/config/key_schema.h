// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/key_catalog.h"

#include <nlohmann/json_fwd.hpp>

namespace stagecraft {

/// The catalog as a standard JSON Schema (draft 2020-12) that other editors can use: types, known values, ranges, defaults,
/// descriptions in `language`; sections where DeepSpeed refuses unknown keys are closed, the parameters of an optimizer or
/// scheduler depend on its type. Where an optimizer is named and no schedule writes its rate, what its class refuses is refused.
[[nodiscard]] nlohmann::ordered_json dsConfigSchema(const KeyCatalog& catalog, std::string_view language = "en");

/// The same of one release of DeepSpeed ("0.16.9", "0.18").
/// @error InvalidArgument for text that is no version
[[nodiscard]] Result<nlohmann::ordered_json> dsConfigSchemaOf(std::string_view release, const KeyCatalog& catalog, std::string_view language = "en");

}  // namespace stagecraft
