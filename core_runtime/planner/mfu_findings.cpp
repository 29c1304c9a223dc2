// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/mfu_findings.h"

#include "planner/findings.h"
#include "planner/forecast_figures.h"
#include "planner/step_time.h"

#include <fmt/format.h>

namespace stagecraft {

void tellMfu(const TrainingCase& job, Plan& plan)
{
    const StepForecast& f = *plan.forecast;
    const double skipped = f.modelFlops > 0 ? skippedFlopsPerStep(job) / f.modelFlops : 0;
    if (f.mfu > 1) {
        plan.findings.push_back(makeFinding("plan.mfu_counts", "info", "/model/seq", "MFU is above 100 % because it counts attention over the full square of the sequence, as published figures do, of which a causal kernel computes half: of what is computed the devices reach {} % of their peak",
                                            {fmt::format("{:.0f}", 100 * f.mfu * (1 - skipped))}));
        return;
    }
    // Products in fp8 have a peak of their own, above the one that MFU is a share of.
    if (job.float8 || !(skipped > 0) || intervalOfRate(f, f.mfu)[1] <= 1.005) return;
    plan.findings.push_back(makeFinding("plan.mfu_interval", "info", "/model/seq", "MFU's interval reaches above 100 % because MFU counts attention over the full square of the sequence, as published figures do, of which a causal kernel computes half: devices that compute at their peak all the time would come to {} %",
                                        {fmt::format("{:.0f}", 100 / (1 - skipped))}));
}

}  // namespace stagecraft
