// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/mesh_json.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace stagecraft {

nlohmann::json meshToJson(const LayoutSection& layout, const HardwareSection& hardware)
{
    using nlohmann::json;
    const std::int64_t ranks = layout.ranks();
    const std::int64_t perNode = hardware.devicesPerNode;
    json axes = json::object();
    std::int64_t stride = 1;
    const std::pair<const char*, std::int64_t> order[] = {{"tp", layout.tp}, {"cp", layout.cp}, {"dp", layout.dp}, {"pp", layout.pp}};
    for (const auto& [axis, size] : order) {
        // The members of a group are `stride` apart: it stays in a node when its first and last member do.
        const std::int64_t span = stride * (size - 1);
        const std::int64_t groups = ranks / size;
        std::int64_t inside = 0;
        if (span == 0) {
            inside = groups;
        } else if (span < perNode && perNode % (stride * size) == 0) {
            inside = groups;  // whole blocks fill each node
        } else if (span < perNode && ranks <= 1'000'000) {
            for (std::int64_t block = 0; block < ranks; block += stride * size) {
                for (std::int64_t first = block; first < block + stride; ++first) inside += first / perNode == (first + span) / perNode ? 1 : 0;
            }
        }
        json& of = axes[axis] = json::object();   // member by member: a tree plans twenty layouts a frame, and initializer lists copy each value twice
        of["size"] = size;
        of["groups"] = groups;
        of["insideOneNode"] = inside;
        of["acrossNodes"] = groups - inside;
        stride *= size;
    }
    json mesh = json::object();
    mesh["ranks"] = ranks;
    mesh["nodes"] = hardware.nodes;
    mesh["devicesPerNode"] = perNode;
    for (const auto& [axis, size] : order) mesh["order"].push_back(axis);
    for (const auto& [axis, size] : order) mesh[axis] = size;
    mesh["ep"] = layout.ep;
    mesh["groups"] = std::move(axes);
    return mesh;
}

}  // namespace stagecraft
