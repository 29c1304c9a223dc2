// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_calibrations.h"

#include "base/units.h"
#include "cli/command.h"
#include "planner/calibration_store.h"
#include "planner/machine_context.h"
#include "planner/observed_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagecraft::cli {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

void printForEyes(const Calibration& c, const std::string& mismatch)
{
    const CalibratedLayout& l = c.layout;
    fmt::print("{}  {}\n", c.id, describeCalibration(c));
    if (!mismatch.empty()) fmt::print("  not used here: {}\n", mismatch);
    fmt::print("  run      {}\n", fs::path(c.folder).filename().string());
    fmt::print("  model    {}\n", c.model);
    fmt::print("  layout   {} ranks of {} threads, stage {}, micro-batch {}, accumulation {}, {}, recompute {}\n", l.world, l.threads, l.stage, l.microBatch, l.accumulation, l.precision, l.recompute);
    fmt::print("  machine  {}, {:g} cores\n", c.machine.cpu, c.machine.usableCores);
    fmt::print("  step     {:.4g} s median, {:.4g} to {:.4g} the middle 80 % of {} steps\n", c.step.median, c.step.low, c.step.high, c.steps);
    double together = 0;
    for (const CalibratedPart& part : c.parts) together += part.measured;
    for (const CalibratedPart& part : c.parts)
        fmt::print("    {:<14} {:>9.4g} s{}\n", part.name, part.measured, part.forecast > 0 ? fmt::format(", {:.3g} times the {:.4g} s forecast without it", part.factor(), part.forecast) : "");
    if (!c.parts.empty()) fmt::print("    {:<14} {:>9.4g} s, each part the median of its own steps; forecasts take {:.3g} times of each, so that they make the step's\n", "together", together, together > 0 ? c.step.median / together : 1.0);
    fmt::print("  memory   {} a process, {} of it buffers\n", formatBytes(c.processBytes), formatBytes(c.allocatedBytes));
    fmt::print("  record   {}\n", c.folder);
}

}  // namespace

int calibrateFromRun(const fs::path& runFolder, const fs::path& runsRoot, bool json)
{
    auto run = observeRun(runFolder);
    if (!run.hasValue()) return reportError(run.error(), json);
    PlanContext context = contextOfThisMachine(runsRoot, STAGECRAFT_VERSION);
    context.calibrations.clear();
    const auto plain = makePlan(run->workspace, context);
    const auto learned = calibrate(*run, plain.hasValue() && plain->forecast ? &*plain->forecast : nullptr);
    if (!learned.hasValue()) return reportError(learned.error(), json);
    const fs::path folder = calibrationsFolder(runsRoot);
    if (auto kept = keepCalibration(folder, *learned); !kept.hasValue()) return reportError(kept.error(), json);
    const std::string mismatch = hostMismatch(learned->machine, thisHost(STAGECRAFT_VERSION));
    if (json) {
        printJson(ordered_json{{"calibration", calibrationToJson(*learned)}, {"file", (folder / (learned->id + ".json")).string()}, {"usedHere", mismatch.empty()}});
    } else {
        printForEyes(*learned, mismatch);
        fmt::print("Plans of this model use it from now on; `stagecraft runs calibrations --remove {}` forgets it.\n", learned->id.substr(0, 8));
    }
    return kDone;
}

int showCalibrations(const fs::path& runsRoot, const std::vector<std::string>& removed, bool json)
{
    const fs::path folder = calibrationsFolder(runsRoot);
    KeptCalibrations kept = loadCalibrations(folder);
    ordered_json gone = ordered_json::array();
    for (const std::string& name : removed) {
        const auto id = findCalibration(kept, name);
        if (!id.hasValue()) return reportError(id.error(), json);
        if (auto done = removeCalibration(folder, *id); !done.hasValue()) return reportError(done.error(), json);
        gone.push_back(*id);
    }
    if (!removed.empty()) kept = loadCalibrations(folder);
    const MachineHost here = thisHost(STAGECRAFT_VERSION);
    if (json) {
        ordered_json all = ordered_json::array();
        for (const Calibration& c : kept.calibrations) {
            const std::string mismatch = hostMismatch(c.machine, here);
            ordered_json one = calibrationToJson(c);
            one["usedHere"] = mismatch.empty();
            one["notUsedBecause"] = mismatch.empty() ? ordered_json() : ordered_json(mismatch);
            all.push_back(std::move(one));
        }
        printJson(ordered_json{{"calibrations", all}, {"removed", gone}, {"problem", kept.problem.empty() ? ordered_json() : ordered_json(kept.problem)}});
        return kDone;
    }
    for (const auto& id : gone) fmt::print("removed {}\n", id.get<std::string>());
    if (kept.calibrations.empty() && removed.empty()) fmt::print("no calibrations yet; keep one with `stagecraft runs calibrate RUN`\n");
    if (removed.empty()) for (const Calibration& c : kept.calibrations) printForEyes(c, hostMismatch(c.machine, here));
    if (!kept.problem.empty()) tell("stagecraft: warning: {}\n", kept.problem);
    return kDone;
}

}  // namespace stagecraft::cli
