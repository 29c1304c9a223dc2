// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace stagecraft {

class JsonDocument;

/// Whether DeepSpeed acts on the key in ZeRO stage 3 alone, and the config has another one.
[[nodiscard]] bool waitsForStage3(std::string_view pointer, const JsonDocument& config);

}  // namespace stagecraft
