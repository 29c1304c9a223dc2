// SPDX-License-Identifier: GPL-3.0-or-later
// Workspaces for tests of whole plans, varied a field at a time, and what is asked of the plans.
#pragma once

#include "planner/plan.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QtGlobal>
#include <cmath>
#include <string>

namespace stagecraft::test {

using nlohmann::json;

/// A preset model on H100s in bf16, a micro-batch of one.
inline json document(const char* preset, const char* framework, int stage, int nodes, int devices, int accumulation)
{
    return {{"stagecraft", 1}, {"model", {{"preset", preset}}}, {"hardware", {{"nodes", nodes}, {"devicesPerNode", devices}, {"device", "H100-SXM-80GB"}}}, {"framework", {{"name", framework}}},
            {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", accumulation}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}}}};
}

inline json with(json w, const char* pointer, const json& value)
{
    w[json::json_pointer(pointer)] = value;
    return w;
}

inline Workspace workspaceOf(const json& w)
{
    const auto read = parseWorkspace(w.dump(), {});
    if (!read.hasValue()) qFatal("%s", read.error().message.c_str());
    return *read;
}

inline Plan planOf(const json& w, const PlanContext& context = {}) { return makePlan(workspaceOf(w), context).value(); }

/// Bytes of the fullest role's items of that kind, over all phases.
inline double itemOf(const Plan& plan, const std::string& what)
{
    double sum = 0;
    for (const LedgerItem& item : plan.ledger->front().items) sum += item.what == what ? static_cast<double>(item.bytes) : 0;
    return sum;
}

/// Null when the plan does not say so.
inline const PlanFinding* findingOf(const Plan& plan, const std::string& id)
{
    for (const PlanFinding& finding : plan.findings)
        if (finding.id == id) return &finding;
    return nullptr;
}

inline bool near(double a, double b, double relative = 1e-6) { return std::abs(a - b) <= relative * std::abs(b); }

}  // namespace stagecraft::test
