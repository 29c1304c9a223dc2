// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "planner/training_case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

/// What one owner of bytes holds in one ledger beyond what it holds in another.
struct OwnerDifference {
    std::string what;        ///< as LedgerItem::what
    std::int64_t bytes = 0;  ///< on the device at each ledger's peak: after - before
    std::string formula;     ///< of the larger side's largest item
};

/// Two roles' ledgers owner by owner, at the peak of each, on the device: largest difference first, equal owners left out.
/// The differences add up to that of the peaks' `allocated`.
[[nodiscard]] std::vector<OwnerDifference> differenceByOwner(const LedgerRole& before, const LedgerRole& after);

/// Adds to a plan where FSDP2 or Megatron divides the states otherwise than the ds_config's stage and offloads nothing that it offloads, and
/// which owners make the ledger, or that of our own engine, differ from DeepSpeed's own for the same job. Nothing where the ds_config has
/// no zero_optimization. It takes a second ledger: for the plan that a person reads, not for those of a search.
/// @param workspace, context  those that the plan was made of
void tellOtherBehaviour(const Workspace& workspace, const PlanContext& context, Plan& plan);

}  // namespace stagecraft
