// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of fixes share: the answer for a config that is at hand as JSON, and the config with a fix applied.
#pragma once

#include "config/check.h"

#include <nlohmann/json.hpp>

#include <QtGlobal>

#include <optional>
#include <utility>

namespace stagecraft {

inline CheckAnswer answerFor(const nlohmann::ordered_json& config, const CheckContext& context)
{
    auto answer = checkConfig(config.dump(), context);
    if (!answer.hasValue()) {
        qFatal("%s", answer.error().message.c_str());
    }
    return std::move(answer.value());
}

/// Nothing where a step of the patch does not apply.
inline std::optional<nlohmann::ordered_json> patched(const nlohmann::ordered_json& config, const nlohmann::ordered_json& patch)
{
    try {
        return config.patch(patch);
    } catch (const nlohmann::ordered_json::exception&) {
        return std::nullopt;
    }
}

}  // namespace stagecraft
