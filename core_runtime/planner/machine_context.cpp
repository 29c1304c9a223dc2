// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/machine_context.h"

#include "hardware/machine_probe.h"
#include "planner/calibration_store.h"
#include "planner/engine_time.h"

namespace stagecraft {

PlanContext contextOfThisMachine(const std::filesystem::path& runsRoot, const std::string& version, std::string* problem)
{
    const MachineHost now = thisHost(version);
    PlanContext context;
    context.hostMemoryBytes = now.memoryBytes;
    if (now.usableCores > 0) context.usableCores = now.usableCores;
    context.gpu = sheetOfGpus(probeGpus().gpus);
    context.machine = usableMachineMeasure(machineMeasureFile(runsRoot), now, problem);
    if (context.machine) context.prepared = std::make_shared<const MeasuredMachine>(*context.machine);
    auto disks = loadDiskMeasures(diskMeasureFile(runsRoot));
    if (disks.hasValue()) context.disks = std::move(disks).value();
    else if (problem && problem->empty()) *problem = disks.error().message;
    const KeptCalibrations kept = loadCalibrations(calibrationsFolder(runsRoot));
    context.calibrations = calibrationsOf(kept, now);
    if (problem && problem->empty()) *problem = kept.problem;
    return context;
}

}  // namespace stagecraft
