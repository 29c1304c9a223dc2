// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/release_optimizers.h"

#include "config/check.h"
#include "config/release_facts.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace stagecraft {

namespace {

struct KnownOptimizer {
    std::string last;         ///< the newest release that has it
    bool isGone = false;
    bool compressed = false;
};

std::map<std::string, KnownOptimizer> readOptimizers()
{
    std::map<std::string, KnownOptimizer> known;
    // Oldest first: what is written last is what the newest release says.
    for (const std::string& version : knownDeepSpeedReleases()) {
        bool exact = false;
        const auto facts = findRelease(version, exact);
        if (!facts.hasValue()) continue;
        for (auto& [name, optimizer] : known) optimizer.isGone = true;
        for (const std::string& name : (*facts)->optimizers) known[name] = {version, false, false};
        for (const auto& [name, signature] : (*facts)->signatures) {
            std::string lower = name;
            std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            const auto at = known.find(lower);
            if (at != known.end() && at->second.last == version) at->second.compressed = std::find(signature.takes.begin(), signature.takes.end(), "comm_backend_name") != signature.takes.end();
        }
    }
    return known;
}

// Asked for each of many layouts.
const KnownOptimizer* findOptimizer(const std::string& name)
{
    static const std::map<std::string, KnownOptimizer> known = readOptimizers();
    const auto at = known.find(name);
    return at == known.end() ? nullptr : &at->second;
}

}  // namespace

std::string lastReleaseWith(const std::string& optimizer)
{
    const KnownOptimizer* known = findOptimizer(optimizer);
    return known && known->isGone ? known->last : std::string();
}

bool sendsCompressed(const std::string& optimizer)
{
    const KnownOptimizer* known = findOptimizer(optimizer);
    return known && known->compressed;
}

}  // namespace stagecraft
