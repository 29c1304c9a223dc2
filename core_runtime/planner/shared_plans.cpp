// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/shared_plans.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

// Every field by its place: one more in a section does not compile until it is named here.
auto fieldsOf(const HardwareSection& section)
{
    const auto& [nodes, devicesPerNode, device, hostMemory] = section;
    return std::tie(nodes, devicesPerNode, device, hostMemory);
}

auto fieldsOf(const LayoutSection& section)
{
    const auto& [dp, tp, pp, cp, ep, sequenceParallel, schedule, chunks, recompute, lossChunks] = section;
    return std::tie(dp, tp, pp, cp, ep, sequenceParallel, schedule, chunks, recompute, lossChunks);
}

auto fieldsOf(const FrameworkSection& section)
{
    const auto& [name, arguments] = section;
    return std::tie(name, arguments);
}

// A branch is made by editing the text or the sections read from it. What can be edited either way is compared as it was read; of all else,
// the model before all, the document decides.
bool sameDocument(const json& a, const json& b)
{
    constexpr std::array<std::string_view, 4> kRead{"layout", "dsConfig", "framework", "hardware"};
    const auto isRead = [&](const std::string& key) { return std::find(kRead.begin(), kRead.end(), key) != kRead.end(); };
    if (!a.is_object() || !b.is_object()) return a == b;
    const auto covers = [&](const json& whole, const json& part) {
        return std::all_of(part.items().begin(), part.items().end(), [&](const auto& item) { return isRead(item.key()) || (whole.contains(item.key()) && whole[item.key()] == item.value()); });
    };
    return covers(a, b) && covers(b, a);
}

bool planAlike(const Workspace& a, const Workspace& b)
{
    return fieldsOf(a.layout) == fieldsOf(b.layout) && a.dsConfig == b.dsConfig && fieldsOf(a.framework) == fieldsOf(b.framework) && fieldsOf(a.hardware) == fieldsOf(b.hardware)
           && a.folder == b.folder && sameDocument(a.document, b.document);
}

}  // namespace

std::shared_ptr<const Result<Plan>> SharedPlans::of(const Workspace& workspace)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto known = std::find_if(m_made.begin(), m_made.end(), [&](const Made& made) { return planAlike(made.workspace, workspace); });
        if (known != m_made.end()) return known->plan;
    }
    auto plan = std::make_shared<const Result<Plan>>(makePlan(workspace, m_context));
    const std::lock_guard lock(m_mutex);
    m_made.push_back({workspace, plan});
    return plan;
}

std::size_t SharedPlans::made() const
{
    const std::lock_guard lock(m_mutex);
    return m_made.size();
}

}  // namespace stagecraft
