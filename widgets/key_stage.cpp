// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/key_stage.h"

#include "config/json_document.h"

namespace stagecraft {

bool waitsForStage3(std::string_view pointer, const JsonDocument& config)
{
    if (pointer.find("/stage3_") == std::string_view::npos && !pointer.starts_with("/zero_optimization/offload_param") && !pointer.ends_with("/sub_group_size"))
        return false;
    const int stage = config.find("/zero_optimization/stage");
    return stage < 0 || config.spelling(stage) != "3";
}

}  // namespace stagecraft
