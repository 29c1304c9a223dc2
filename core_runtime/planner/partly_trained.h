// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "model/parameter_table.h"
#include "planner/model_shape.h"
#include "workspace/trained_section.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// The table of a model that our engine trains, as countParameters() gives those of Transformers.
[[nodiscard]] std::vector<ParameterRow> parameterRows(const ModelSpec& spec);

/// Puts adapters beside the modules of `shape` that the section names, copies beside those to save, and freezes the rest.
///
/// Counts are those of PEFT 0.21 with Transformers 5, to the unit: rank times inputs and outputs of each matrix, tables by their rows and
/// width; of experts packed into one tensor a rank for each of them, twice of gate and up together, and of their routers. PEFT 0.18 and
/// older adapt neither experts nor routers.
/// Bytes of a packed element: NF4 half a byte and a constant for each 64, in fp32, or with double quantisation in 8 bits and an fp32
/// one for each 256 of these (Dettmers et al. 2023, QLoRA, section 3: 0.127 bits an element); int8 one byte and an fp32 constant a row.
/// @param rows       the model's parameters, the tied output matrix not among them
/// @param modelType  config.json's, for the modules that PEFT takes where none are named
/// @param findings   gets what no module of the model is called; an error where nothing would be trained
/// @return parameters that are trained in all
std::int64_t addAdapters(ModelShape& shape, const std::vector<ParameterRow>& rows, const AdapterSection& adapter, std::string_view modelType, std::vector<PlanFinding>& findings);

/// Freezes what the section names; @return parameters that are left to train.
std::int64_t freezeParts(ModelShape& shape, const std::vector<ParameterRow>& rows, const FreezeSection& freeze, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
