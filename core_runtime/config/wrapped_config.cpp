// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/wrapped_config.h"

#include "config/finding_text.h"
#include "config/json_document.h"
#include "config/key_catalog.h"

#include <algorithm>
#include <array>

namespace stagecraft {

namespace {

/// Objects in objects that are looked into, and members of one.
constexpr int kMostLevels = 3;
constexpr std::size_t kMostMembers = 100;

bool isDeepSpeeds(const std::string& key) { return KeyCatalog::standard().find("/" + pointerToken(key)) >= 0; }

/// By a key that no other tool's file has, and by most of its keys.
bool isConfig(const ConfigValue& value)
{
    static constexpr std::array kMarks{"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization"};
    const auto known = static_cast<std::size_t>(std::count_if(value.members.begin(), value.members.end(), [](const ConfigMember& each) { return isDeepSpeeds(each.key); }));
    return 2 * known > value.members.size() && std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) { return value.find(mark) != nullptr; });
}

/// Adds the configs below `value` to `found`; false where it has a key of DeepSpeed's own, or is too large for a record.
bool collect(const ConfigValue& value, const std::string& at, int level, std::vector<WrappedConfig>& found)
{
    if (value.members.size() > kMostMembers || std::any_of(value.members.begin(), value.members.end(), [](const ConfigMember& each) { return isDeepSpeeds(each.key); })) {
        return false;
    }
    for (const ConfigMember& member : value.members) {
        const std::string pointer = at + "/" + pointerToken(member.key);
        if (isConfig(member.value)) {
            const auto& keys = member.value.members;
            found.push_back({pointer, &member.value, std::all_of(keys.begin(), keys.end(), [](const ConfigMember& each) { return isDeepSpeeds(each.key); })});
        } else if (level < kMostLevels && member.value.isObject()) {
            (void)collect(member.value, pointer, level + 1, found);
        }
    }
    return true;
}

}  // namespace

std::optional<WrappedConfig> wrappedConfig(const ConfigValue& root)
{
    std::vector<WrappedConfig> found;
    return root.isObject() && collect(root, "", 1, found) && found.size() == 1 ? std::optional(std::move(found.front())) : std::nullopt;
}

std::string unwrappingPatch(const ConfigValue& root, const WrappedConfig& wrapped)
{
    std::string fix = "[";
    bool all = true;
    for (const ConfigMember& member : wrapped.config->members) {
        if (root.find(member.key) != nullptr) {  // none of DeepSpeed's: it stays
            all = false;
            continue;
        }
        const std::string key = "/" + pointerToken(member.key);
        const std::string move = rules::patchMove(wrapped.pointer + key, key);
        fix += move.substr(1, move.size() - 2) + ", ";
    }
    return all ? fix + rules::patchRemove(wrapped.pointer).substr(1) : fix.substr(0, fix.size() - 2) + "]";
}

}  // namespace stagecraft
