// SPDX-License-Identifier: GPL-3.0-or-later
// Elastic batch sizes (R79-R87): which GPU counts a config allows, and the batch DeepSpeed then uses.
#include "config/rules/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stagecraft::rules {

namespace {

using Numbers = std::vector<std::int64_t>;

/// Highly composite numbers: a batch that is a multiple of one divides among many GPU counts.
constexpr std::array<std::int64_t, 38> kComposite{1,     2,     4,     6,     12,    24,    36,     48,     60,     120,    180,    240,    360,
                                                  720,   840,   1260,  1680,  2520,  5040,  7560,   10080,  15120,  20160,  25200,  27720,  45360,
                                                  50400, 55440, 83160, 110880, 166320, 221760, 277200, 332640, 498960, 554400, 665280, 720720};
constexpr std::int64_t kMostCounts = 1'000'000;  // keeps the divisor search short on absurd input
constexpr std::int64_t kMostMultiple = 1'000'000'000'000;  // the same for the common multiple

constexpr std::size_t kMostMicros = 2048;  // sizes of micro batches that are gone through: real lists have a handful, and DeepSpeed takes minutes for hundreds

Numbers validCounts(std::int64_t batch, const Numbers& micros, std::int64_t least, std::int64_t most)
{
    std::set<std::int64_t> counts;
    // Beyond the square root and beyond `most` there is nothing new: the other factor was met, or is too large itself.
    for (std::int64_t divisor = 1; divisor <= batch / divisor && divisor <= std::min(most, kMostCounts); ++divisor) {
        if (batch % divisor != 0) {
            continue;
        }
        for (const std::int64_t count : {divisor, batch / divisor}) {
            const auto fits = [&](std::int64_t micro) { return batch / count % micro == 0; };
            if (count >= least && count <= most && std::any_of(micros.begin(), micros.end(), fits)) {
                counts.insert(count);
            }
        }
    }
    return {counts.begin(), counts.end()};
}

struct Elastic {
    std::int64_t batch = 0;
    Numbers counts;
    bool failed = false;  ///< the search found no GPU count at all; DeepSpeed then trips over None
};

/// DeepSpeed's version 0.1 search. `offersAboveMost`: a common multiple above the maximum is a candidate, as before 0.19.
Elastic search(const Numbers& micros, std::int64_t most, std::int64_t least, std::int64_t mostGpus, bool larger, bool offersAboveMost)
{
    Elastic best;
    const std::int64_t smallest = *std::min_element(micros.begin(), micros.end());
    least = least == 0 ? 1 : least;
    mostGpus = mostGpus == 0 ? most / smallest : mostGpus;
    std::int64_t multiple = 1;
    for (const std::int64_t micro : micros) {
        multiple = std::lcm(multiple, micro);
        if (multiple > kMostMultiple) {
            break;
        }
    }
    Numbers bases = micros;
    bases.push_back(multiple);
    std::set<std::int64_t> candidates;
    for (const std::int64_t base : bases) {
        if (base >= most) {
            if (base == most || offersAboveMost) {
                candidates.insert(base);
            }
            continue;
        }
        const auto above = std::upper_bound(kComposite.begin(), kComposite.end(), most / base);
        // Above the whole list numpy's argmax is 0 and the index wraps to the last entry: the same number either way.
        candidates.insert(*(above - 1) * base);
    }
    best.batch = smallest;
    best.failed = true;
    std::size_t most_counts = 0;
    for (const std::int64_t candidate : candidates) {
        Numbers counts = validCounts(candidate, micros, least, mostGpus);
        if (counts.size() > most_counts || (counts.size() == most_counts && (larger ? candidate > best.batch : candidate < best.batch))) {
            most_counts = counts.size();
            best.counts = std::move(counts);
            best.batch = candidate;
            best.failed = false;
        }
    }
    return best;
}

class ElasticityCheck {
public:
    ElasticityCheck(Judge& judge, const ConfigValue& section) : m_judge(judge), m_section(section) {}

    void run()
    {
        if (!readSizes() || !readLimits() || !readVersion()) {
            return;
        }
        const std::int64_t biggest = *std::max_element(m_micros.begin(), m_micros.end());
        const std::int64_t world = m_judge.context.world;
        const bool offersAboveMost = !m_judge.facts.atLeast(0, 19, 0);
        Elastic found;
        if (m_version == 0.1) {
            if (biggest > m_most) {
                return refuse("/micro_batch_sizes", "a micro batch above max_train_batch_size");
            }
            found = search(m_micros, m_most, m_minGpus, m_maxGpus, m_larger, offersAboveMost);
        } else {
            const std::int64_t perNode = m_perNode / m_modelParallel;
            if (m_perNode % m_modelParallel != 0 || perNode == 0) {
                return refuse("/num_gpus_per_node", "num_gpus_per_node must be a multiple of model_parallel_size");
            }
            if (biggest > m_most / perNode) {
                return refuse("/micro_batch_sizes", "a micro batch above max_train_batch_size of one node's share");
            }
            found = search(m_micros, m_most / perNode, m_minGpus / m_perNode, m_maxGpus / m_perNode, m_larger, offersAboveMost);
            found.batch *= perNode;
            for (std::int64_t& count : found.counts) {
                count *= perNode;
            }
            if (std::find(found.counts.begin(), found.counts.end(), world / m_modelParallel) == found.counts.end()) {
                const double current = static_cast<double>(world) / static_cast<double>(m_perNode) * static_cast<double>(perNode);
                double chosen = 0.0;
                for (std::size_t i = 0; i < m_micros.size(); ++i) {
                    const double least = static_cast<double>(m_micros[i]) * current;
                    const double batch = std::floor(static_cast<double>(m_most) / least) * least;
                    chosen = i == 0 ? batch : m_larger ? std::max(chosen, batch) : std::min(chosen, batch);
                }
                found.batch = static_cast<std::int64_t>(chosen);
                found.counts = {static_cast<std::int64_t>(current)};
                found.failed = false;
            }
        }
        finish(found, world);
    }

private:
    void refuse(const std::string& key, const std::string& what)
    {
        m_judge.refuse(CheckLevel::Parse, "R80", "R80", "/elasticity" + key, {{"what", what}});
    }

    bool readSizes()
    {
        const ConfigValue* most = m_section.find("max_train_batch_size");
        const ConfigValue* micros = m_section.find("micro_batch_sizes");
        if (most == nullptr || micros == nullptr) {
            refuse("", most == nullptr ? "max_train_batch_size is missing" : "micro_batch_sizes is missing");
            return false;
        }
        const bool whole = micros->isList() && !micros->items.empty() &&
                           std::all_of(micros->items.begin(), micros->items.end(), [](const ConfigValue& v) { return v.isIntLike() && v.asInt() > 0; });
        if (!whole) {
            refuse("/micro_batch_sizes", "micro_batch_sizes must be a list of positive integers");
            return false;
        }
        if (!most->isNumber()) {
            refuse("/max_train_batch_size", "max_train_batch_size must be an integer");
            return false;
        }
        if (most->wide && most->kind != ConfigValue::Kind::Float) {  // numpy compares it with its own integers
            refuse("/max_train_batch_size", "max_train_batch_size must be below 2^63");
            return false;
        }
        m_most = most->kind == ConfigValue::Kind::Float ? clamped(most->asDouble()) : most->asInt();
        for (const ConfigValue& micro : micros->items) {
            m_micros.push_back(micro.asInt());
        }
        if (std::set<std::int64_t>(m_micros.begin(), m_micros.end()).size() > kMostMicros) {
            m_judge.refuse(CheckLevel::Parse, "R80", "R80.many", "/elasticity/micro_batch_sizes", {{"count", std::to_string(m_micros.size())}, {"most", std::to_string(kMostMicros)}});
            return false;
        }
        return true;
    }

    /// A number beyond every count of devices stays that.
    static std::int64_t clamped(double number) { return static_cast<std::int64_t>(std::clamp(number, -4e18, 4e18)); }

    bool number(const char* key, std::int64_t fallback, std::int64_t least, std::int64_t& into)
    {
        const ConfigValue* value = m_section.find(key);
        into = value == nullptr ? fallback : value->kind == ConfigValue::Kind::Float || value->wide ? clamped(value->asDouble()) : value->asInt();
        if (value != nullptr && (!value->isNumber() || value->asDouble() < static_cast<double>(least))) {
            refuse("/" + std::string(key), std::string(key) + " must be " + std::to_string(least) + " or more");
            return false;
        }
        return true;
    }

    bool readLimits()
    {
        std::int64_t minTime = 0;
        if (!number("min_gpus", 1, 1, m_minGpus) || !number("max_gpus", 10000, 1, m_maxGpus) || !number("model_parallel_size", 1, 1, m_modelParallel) ||
            !number("num_gpus_per_node", 1, 1, m_perNode) || !number("min_time", 0, 0, minTime)) {
            return false;
        }
        if (m_maxGpus < m_minGpus) {
            refuse("/max_gpus", "min_gpus is larger than max_gpus");
            return false;
        }
        const ConfigValue* larger = m_section.find("prefer_larger_batch");
        m_larger = larger == nullptr || pythonTruth(*larger);
        return true;
    }

    bool readVersion()
    {
        const ConfigValue* version = m_section.find("version");
        m_version = version == nullptr ? 0.2 : version->isNumber() ? version->asDouble() : -1.0;
        if (version != nullptr && version->isString()) {
            m_version = version->text == "0.1" ? 0.1 : version->text == "0.2" ? 0.2 : -1.0;
        }
        if (m_version != 0.1 && m_version != 0.2) {
            m_judge.refuse(CheckLevel::Parse, "R82", "R80", "/elasticity/version", {{"what", "version must be 0.1 or 0.2"}});
            return false;
        }
        if (m_modelParallel > 1 && m_version != 0.2) {
            m_judge.refuse(CheckLevel::Parse, "R82", "R80", "/elasticity/model_parallel_size", {{"what", "model_parallel_size needs version 0.2"}});
            return false;
        }
        return true;
    }

    void finish(const Elastic& found, std::int64_t world)
    {
        if (found.failed || std::find(found.counts.begin(), found.counts.end(), world) == found.counts.end()) {
            std::string counts;
            for (std::size_t i = 0; i < found.counts.size() && i < 12; ++i) {
                counts += (i == 0 ? "" : ", ") + std::to_string(found.counts[i]);
            }
            m_judge.refuse(CheckLevel::Parse, "R84", "R84", "/elasticity", {{"world", std::to_string(world)}, {"counts", counts}});
            return;
        }
        Numbers micros = m_micros;
        std::sort(micros.rbegin(), micros.rend());
        const auto micro = std::find_if(micros.begin(), micros.end(), [&](std::int64_t m) { return found.batch / world % m == 0; });
        if (micro == micros.end()) {
            return refuse("/micro_batch_sizes", "no micro batch divides the batch of this many ranks");
        }
        static constexpr std::array kKeys{"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"};
        const bool given = std::any_of(kKeys.begin(), kKeys.end(), [&](const char* key) { return m_judge.root.find(key) != nullptr; });
        const ConfigValue* allowed = m_section.find("ignore_non_elastic_batch_info");
        if (given && (allowed == nullptr || !pythonTruth(*allowed))) {
            m_judge.refuse(CheckLevel::Parse, "R81", "R81", "/elasticity", {}, patchAdd("/elasticity/ignore_non_elastic_batch_info", "true"));
            return;
        }
        const std::array<std::int64_t, 3> values{found.batch, *micro, found.batch / (*micro * world)};
        for (std::size_t i = 0; i < kKeys.size(); ++i) {
            if (m_judge.root.find(kKeys[i]) != nullptr) {
                m_judge.change(CheckLevel::Parse, "R81", "R81.changed", "/" + std::string(kKeys[i]), std::to_string(values[i]), {{"key", kKeys[i]}});
            }
        }
        m_judge.warn(CheckLevel::Parse, "R86", "R86", "/elasticity");
        if (values[0] != values[1] * values[2] * world || values[2] == 0) {
            return refuse("", "the elastic batch does not divide among the ranks");
        }
        m_judge.parsed.batch = {values[0], values[1], values[2]};
    }

    Judge& m_judge;
    const ConfigValue& m_section;
    Numbers m_micros;
    std::int64_t m_most = 0;
    std::int64_t m_minGpus = 1;
    std::int64_t m_maxGpus = 10000;
    std::int64_t m_modelParallel = 1;
    std::int64_t m_perNode = 1;
    double m_version = 0.2;
    bool m_larger = true;
};

}  // namespace

void checkElasticity(Judge& judge)
{
    const ConfigValue* section = judge.root.find("elasticity");
    if (section == nullptr || judge.facts.removedTop.count("elasticity") > 0 || !judge.facts.reads("", "elasticity")) {
        return;
    }
    if (!section->isObject()) {
        judge.refuse(CheckLevel::Parse, "R14", "R14.object", "/elasticity", {{"key", "elasticity"}, {"kind", kindName(*section)}});
        return;
    }
    const ConfigValue* on = section->find("enabled");
    if (on == nullptr || !pythonTruth(*on)) {
        bool told = false;  // once for the section
        for (const ConfigMember& member : section->members) {
            const std::string at = "/elasticity/" + pointerToken(member.key);
            if (member.key != "enabled" && !told) {
                told = true;
                judge.ignoreSection("R79", "R79", at, member.value);
            } else if (member.key != "enabled") {
                judge.ignoreQuietly(at, member.value);
            }
        }
        return;
    }
    static constexpr std::array kKnown{"enabled", "max_train_batch_size", "micro_batch_sizes", "min_gpus", "max_gpus", "min_time", "version",
                                       "prefer_larger_batch", "ignore_non_elastic_batch_info", "model_parallel_size", "num_gpus_per_node"};
    for (const ConfigMember& member : section->members) {
        if (std::find(kKnown.begin(), kKnown.end(), member.key) == kKnown.end()) {
            const std::string at = "/elasticity/" + pointerToken(member.key);
            if (CheckFinding* finding = judge.ignoreSection("R12", "R12", at, member.value, {{"key", member.key}, {"section", "elasticity"}}, patchRemove(at))) {
                finding->safe = false;
            }
        }
    }
    judge.parsed.elastic = true;
    ElasticityCheck(judge, *section).run();
}

}  // namespace stagecraft::rules
