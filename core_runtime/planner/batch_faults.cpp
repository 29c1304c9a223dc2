// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/batch_faults.h"

#include "planner/ds_settings.h"
#include "planner/findings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace stagecraft {

namespace {

using nlohmann::json;

bool isImpossible(const json& dsConfig, const char* key)
{
    if (!dsConfig.is_object()) return false;
    const auto value = dsConfig.find(key);
    return value != dsConfig.end() && !value->is_null() && *value != "auto" && !batchSizeOf(*value);
}

// Where FSDP2's or Megatron-LM's own arguments say the batch, the ds_config's is not read.
bool readsBatch(const Workspace& w)
{
    if (w.framework.name != "fsdp2" && w.framework.name != "megatron") return true;
    constexpr std::array kOwn{"local_batch", "micro-batch-size", "micro_batch_size"};
    const json& arguments = w.framework.arguments;
    return !arguments.is_object() || std::none_of(kOwn.begin(), kOwn.end(), [&](const char* name) { return arguments.contains(name); });
}

}  // namespace

std::optional<std::int64_t> batchSizeOf(const json& value)
{
    const double read = value == true ? 1.0 : value.is_number() ? value.get<double>() : value.is_string() ? numberOfText(value.get<std::string>()) : NAN;
    if (!(read >= 1) || !(read <= static_cast<double>(kMostSamples)) || read != std::floor(read)) return std::nullopt;
    return std::llround(read);
}

bool batchIsImpossible(const Workspace& w)
{
    return readsBatch(w) && std::any_of(kBatchSizes.begin(), kBatchSizes.end(), [&](const char* key) { return isImpossible(w.dsConfig, key); });
}

Workspace withoutBatch(Workspace w)
{
    if (w.dsConfig.is_object())
        for (const char* key : kBatchSizes) w.dsConfig.erase(key);
    return w;
}

bool tellImpossibleBatch(const json& dsConfig, std::vector<PlanFinding>& findings)
{
    const std::size_t before = findings.size();
    for (const char* key : kBatchSizes) {
        if (!isImpossible(dsConfig, key)) continue;
        findings.push_back(makeFinding("plan.batch_impossible", "error", std::string("/dsConfig/") + key, "\"{}\" is {}, no whole number from 1 to {}: step time, memory and fit of such a job are not forecast; write one", {key, dsConfig[key].dump(), std::to_string(kMostSamples)}));
    }
    return findings.size() > before;
}

}  // namespace stagecraft
