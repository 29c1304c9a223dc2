// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/launch_hosts.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::size_t kMostHosts = 100'000;
constexpr std::int64_t kMostRanks = 1'000'000;

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMostRanks ? std::nullopt : std::optional(value);
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t from = std::min(text.find_first_not_of(" \t\r"), text.size());
    return text.substr(from, text.find_last_not_of(" \t\r") + 1 - std::min(from, text.find_last_not_of(" \t\r") + 1));
}

std::vector<std::string_view> split(std::string_view text, char mark)
{
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(mark, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

using Hosts = std::vector<std::pair<std::string, std::set<std::int64_t>>>;  ///< with their slots

/// Lines "HOST slots=N".
std::optional<Hosts> hostsOf(std::string_view text)
{
    Hosts hosts;
    std::set<std::string_view> names;
    for (std::string_view line : split(text, '\n')) {
        line = trimmed(line);
        if (line.empty() || line.front() == '#') continue;
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        std::string_view rest = trimmed(line.substr(end));
        if (!rest.starts_with("slots=") || hosts.size() >= kMostHosts || !names.insert(line.substr(0, end)).second) return std::nullopt;
        rest.remove_prefix(6);
        const auto slots = wholeNumber(rest.substr(0, rest.find_first_not_of("0123456789")));
        if (!slots.has_value() || *slots > 10'000) return std::nullopt;
        std::set<std::int64_t> all;
        for (std::int64_t slot = 0; slot < *slots; ++slot) all.insert(slot);
        hosts.emplace_back(line.substr(0, end), std::move(all));
    }
    return hosts.empty() ? std::nullopt : std::optional(hosts);
}

/// HOST[:SLOT,SLOT...]@HOST...; a host without slots means all of them.
std::optional<Hosts> filterOf(std::string_view text)
{
    Hosts hosts;
    for (const std::string_view part : split(text, '@')) {
        const std::size_t colon = part.find(':');
        const std::string name(part.substr(0, colon));
        auto there = std::find_if(hosts.begin(), hosts.end(), [&](const auto& host) { return host.first == name; });
        if (there == hosts.end()) there = hosts.insert(hosts.end(), {name, {}});
        if (name.empty() || hosts.size() > 10'000) return std::nullopt;
        if (colon == std::string_view::npos) continue;
        for (const std::string_view slot : split(part.substr(colon + 1), ',')) {
            const auto number = wholeNumber(trimmed(slot));
            if (!number.has_value()) return std::nullopt;
            there->second.insert(*number);
        }
    }
    return hosts;
}

}  // namespace

std::optional<std::vector<std::int64_t>> ranksOfHosts(const HostChoice& choice)
{
    const bool filters = !choice.include.empty() || !choice.exclude.empty();
    if ((!choice.include.empty() && !choice.exclude.empty()) || (filters && (choice.nodes > 0 || choice.perNode > 0))) return std::nullopt;
    const auto pool = choice.hostFile.has_value() ? hostsOf(*choice.hostFile) : std::nullopt;
    if (choice.hostFile.has_value() && !pool.has_value()) return std::nullopt;
    std::map<std::string, std::set<std::int64_t>> there;
    if (pool.has_value()) there.insert(pool->begin(), pool->end());
    Hosts hosts;
    if (filters) {
        const auto filter = filterOf(choice.include.empty() ? choice.exclude : choice.include);
        if (!filter.has_value() || (!pool.has_value() && choice.include.empty())) return std::nullopt;
        for (const auto& [name, slots] : *filter) {
            const auto host = there.find(name);
            if (pool.has_value() && (host == there.end() || !std::includes(host->second.begin(), host->second.end(), slots.begin(), slots.end()))) return std::nullopt;
            if (!pool.has_value() && slots.empty()) return std::nullopt;
            if (!choice.include.empty()) {
                hosts.emplace_back(name, slots.empty() ? host->second : slots);
                continue;
            }
            for (const std::int64_t slot : slots) host->second.erase(slot);
            if (slots.empty()) host->second.clear();
        }
        if (choice.include.empty()) hosts.assign(there.begin(), there.end());
    } else if (pool.has_value()) {
        hosts = *pool;
        if (choice.nodes > 0 && static_cast<std::size_t>(choice.nodes) < hosts.size()) hosts.resize(static_cast<std::size_t>(choice.nodes));
    }
    std::vector<std::int64_t> ranks;
    for (const auto& [name, slots] : hosts) {
        const auto count = choice.perNode > 0 ? choice.perNode : static_cast<std::int64_t>(slots.size());
        if (count > 0) ranks.push_back(count);
    }
    return ranks.empty() ? std::nullopt : std::optional(ranks);
}

std::map<std::string, std::int64_t> slurmVariables(std::string_view script)
{
    std::map<std::string, std::int64_t> said;
    for (std::string_view line : split(script.substr(0, std::size_t{64} << 10), '\n')) {
        line = trimmed(line);
        if (!line.empty() && line.front() != '#') break;  // sbatch reads no further either
        if (!line.starts_with("#SBATCH")) continue;
        line.remove_prefix(7);
        line = line.substr(0, line.find(" #"));
        const std::vector<std::string_view> words = [&] {
            std::vector<std::string_view> found;
            for (const std::string_view word : split(line, ' ')) {
                if (!trimmed(word).empty()) found.push_back(trimmed(word));
            }
            return found;
        }();
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string_view word = words[i];
            const std::size_t equals = word.find('=');
            const bool brief = word.size() > 2 && word[0] == '-' && word[1] != '-';  // -N4
            const std::string_view name = brief ? word.substr(0, 2) : word.substr(0, equals);
            std::string_view value = brief ? word.substr(2) : equals != std::string_view::npos ? word.substr(equals + 1) : i + 1 < words.size() ? words[i + 1] : std::string_view();
            if (name == "--gres" || name == "--gpus-per-node") {
                if (name == "--gres" && !value.starts_with("gpu")) continue;
                value = value.substr(0, value.find(','));
                value = value.substr(value.find_last_of(':') + 1);  // gpu:a100:4
            }
            const auto number = wholeNumber(value);
            if (!number.has_value() || *number < 1) continue;
            if (name == "-N" || name == "--nodes") said["SLURM_NNODES"] = *number;
            else if (name == "-n" || name == "--ntasks") said["SLURM_NTASKS"] = *number;
            else if (name == "--ntasks-per-node") said["SLURM_NTASKS_PER_NODE"] = *number;
            else if (name == "--gres" || name == "--gpus-per-node") said["SLURM_GPUS_ON_NODE"] = *number;
        }
    }
    const auto given = [&](const char* name) { return said.count(name) > 0; };
    if (!given("SLURM_NTASKS") && given("SLURM_NNODES") && given("SLURM_NTASKS_PER_NODE") && said["SLURM_NNODES"] * said["SLURM_NTASKS_PER_NODE"] <= kMostRanks) said["SLURM_NTASKS"] = said["SLURM_NNODES"] * said["SLURM_NTASKS_PER_NODE"];
    if (given("SLURM_NNODES")) said["SLURM_JOB_NUM_NODES"] = said["SLURM_NNODES"];
    if (given("SLURM_NTASKS")) said["SLURM_NPROCS"] = said["SLURM_NTASKS"];
    if (given("SLURM_GPUS_ON_NODE")) said["SLURM_GPUS_PER_NODE"] = said["SLURM_GPUS_ON_NODE"];
    return said;
}

}  // namespace stagecraft
