// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/field_reader.h"
#include "workspace/workspace.h"

namespace stagecraft {

/// Reads "model" in each of its four forms: sizes, {"hf": DIR}, {"params": N}, {"preset": NAME}.
[[nodiscard]] ModelSection readModelSection(const nlohmann::json& section, const std::filesystem::path& folder, ReadLog& log);

/// The first file of weights in `folder` that is not safetensors (pytorch_model.bin, consolidated.00.pth, GGUF ...); empty when it
/// has none, or safetensors as well.
[[nodiscard]] std::filesystem::path weightsOfAnotherFormat(const std::filesystem::path& folder);

}  // namespace stagecraft
