// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/fitting_ranks.h"

#include "config/json_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace stagecraft {

namespace {

/// Rules that refuse a config for the number of ranks it is started on (batch sizes, sizes of groups, counts of an elastic config).
constexpr std::array<std::string_view, 8> kOfRanks{"R6", "R7", "R9", "R37", "R64", "R66", "R69", "R84"};
constexpr std::array<int, 9> kUsualRanks{2, 4, 8, 16, 32, 64, 3, 6, 12};
constexpr std::int64_t kMostRanks = 100'000;

/// A whole number above 0 at a key, also one written 192.0; 0 for anything else.
std::int64_t numberAt(const JsonDocument& document, const char* pointer)
{
    const int id = document.find(pointer);
    const std::string_view spelling = id < 0 ? std::string_view() : document.spelling(id);
    double number = 0;
    const auto [end, problem] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), number);
    const bool whole = problem == std::errc() && end == spelling.data() + spelling.size() && number == std::trunc(number);
    return whole && number > 0 && number < 1e15 ? static_cast<std::int64_t>(number) : 0;
}

/// What may be meant, the likeliest first.
std::vector<int> candidates(const JsonDocument& document)
{
    std::vector<int> counts;
    const std::int64_t data = numberAt(document, "/data_parallel_size"), sequence = numberAt(document, "/sequence_parallel_size");
    if (data > 0 && sequence > 0 && data <= kMostRanks && sequence <= kMostRanks / data) {
        counts.push_back(static_cast<int>(data * sequence));  // their mesh
    }
    const std::int64_t train = numberAt(document, "/train_batch_size"), micro = numberAt(document, "/train_micro_batch_size_per_gpu"), steps = numberAt(document, "/gradient_accumulation_steps");
    if (train > 0 && micro > 0 && steps > 0 && train / micro / steps <= kMostRanks) {
        const std::int64_t along = std::clamp<std::int64_t>(sequence, 1, kMostRanks);
        for (const std::int64_t times : {std::int64_t{1}, along}) {
            counts.push_back(static_cast<int>(std::min(train / micro / steps * times, kMostRanks)));
        }
    }
    counts.insert(counts.end(), kUsualRanks.begin(), kUsualRanks.end());
    return counts;
}

}  // namespace

CheckContext onRanks(const CheckContext& context, int ranks)
{
    CheckContext stated = context;
    stated.world = ranks;
    stated.ranks = ranks;
    return stated;
}

bool refusesRanks(const CheckFinding& finding)
{
    return finding.effect == CheckEffect::Refused && std::find(kOfRanks.begin(), kOfRanks.end(), finding.rule) != kOfRanks.end();
}

std::optional<FittingRanks> fittingRanks(std::string_view text, const CheckContext& context, const CheckAnswer& answer)
{
    if (!ranksAreAssumed(context) || std::none_of(answer.findings.begin(), answer.findings.end(), refusesRanks)) {
        return std::nullopt;
    }
    const auto document = JsonDocument::parse(std::string(text));
    if (!document.hasValue()) {
        return std::nullopt;
    }
    for (const int ranks : candidates(*document)) {
        auto there = ranks > 1 ? checkConfig(text, onRanks(context, ranks)) : Result<CheckAnswer>(Error{});
        if (there.hasValue() && std::none_of(there->findings.begin(), there->findings.end(), refusesRanks)) {
            return FittingRanks{ranks, std::move(there).value()};
        }
    }
    return std::nullopt;
}

}  // namespace stagecraft
