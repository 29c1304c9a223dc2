// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/advisor.h"
#include "planner/plan.h"

#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace stagecraft {

/// Plans of workspaces that differ by a branch or a lever: the tree, the advice and the levers ask for many of them in turn, and each is
/// made once. May be asked from several threads; of two that ask for the same at the same moment both make it.
class SharedPlans {
public:
    /// @param context  of all plans; has to live as long
    explicit SharedPlans(const PlanContext& context) : m_context(context) {}
    [[nodiscard]] const PlanContext& context() const { return m_context; }
    /// What makePlan(workspace, context()) gives.
    [[nodiscard]] std::shared_ptr<const Result<Plan>> of(const Workspace& workspace);
    /// How many were made, each once.
    [[nodiscard]] std::size_t made() const;

private:
    struct Made {
        Workspace workspace;
        std::shared_ptr<const Result<Plan>> plan;
    };
    const PlanContext& m_context;
    mutable std::mutex m_mutex;
    std::vector<Made> m_made;
};

/// advise() and planLevers() of these plans.
[[nodiscard]] Result<Advice> advise(const Workspace& workspace, SharedPlans& plans, const std::stop_token& stop, AdviceDepth depth, const LayoutSearch& search = {});
[[nodiscard]] std::vector<Lever> planLevers(const Workspace& workspace, const Plan& now, SharedPlans& plans);

}  // namespace stagecraft
