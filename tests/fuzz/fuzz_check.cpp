// SPDX-License-Identifier: GPL-3.0-or-later
// Any text as a ds_config, for any release and launcher: one answer, in JSON, and every patch it offers is one.
#include "config/check.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <string>

using namespace stagecraft;

namespace {

void require(bool holds)
{
    if (!holds) std::abort();
}

/// The first byte of an input says who asks.
CheckContext contextOf(std::uint8_t byte)
{
    static constexpr std::array kReleases{"0.14.5", "0.16.9", "0.18.9", "0.19.6", "0.19.8"};
    static constexpr std::array kLaunchers{CheckLauncher::DeepSpeed, CheckLauncher::Transformers, CheckLauncher::Accelerate};
    CheckContext context;
    context.release = kReleases[byte % kReleases.size()];
    context.launcher = kLaunchers[byte / 8U % kLaunchers.size()];
    context.world = (byte & 64U) != 0 ? 6 : 1;
    context.pipelineModel = (byte & 128U) != 0;
    context.language = (byte & 32U) != 0 ? "zh" : "en";
    return context;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0 || size > 16384) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto answer = checkConfig(text, contextOf(data[0]));
    require(answer.hasValue());
    require(answer->ok == !answer->level.has_value() && (answer->ok || !answer->findings.empty()));
    for (const CheckFinding& finding : answer->findings) {
        require(!finding.message.empty() && !finding.rule.empty());
        const auto patch = nlohmann::json::parse(finding.fix.empty() ? "[]" : finding.fix, nullptr, false);
        require(patch.is_array());
        for (const auto& step : patch) require(step.is_object() && step.contains("op") && step.contains("path"));
    }
    require(nlohmann::json::accept(checkAnswerJson(*answer)));
    return 0;
}
