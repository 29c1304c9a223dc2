// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/disk_measure.h"
#include "hardware/machine_measure.h"
#include "hardware/machine_probe.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::cli {

struct ProgramFacts {
    std::string kind;    ///< "compiler", "launcher", "tool", "worker"
    std::string name;
    std::string path;    ///< empty when it is not on PATH
};

struct DoctorFinding {
    std::string severity;   ///< error: training here will not work; warning; info
    std::string message;    ///< what is missing
    std::string fix;        ///< what to do
};

struct DoctorReport {
    CpuFacts cpu;
    MemoryFacts memory;
    std::vector<std::pair<std::string, DiskFacts>> disks;   ///< what each is used for
    GpuProbe gpus;
    std::vector<ProgramFacts> programs;
    std::string torchFolder, torchVersion;                  ///< empty when there is none
    std::filesystem::path measureFile;                      ///< where a measurement is kept, there or not
    std::optional<MachineMeasure> measure;                  ///< of this machine, when it still holds
    std::string measureProblem;                             ///< why the one that is there cannot be used
    std::vector<DiskMeasure> measuredDisks;                 ///< folders that states may be swapped to
    std::vector<DoctorFinding> findings;
};

/// Best of each group of a measurement, for eyes: what was measured, value with its unit, spread.
struct MeasuredFigure {
    std::string id;                 ///< "gemm.fp32.1"
    double value = 0;
    std::string unit;               ///< "FLOP/s", "B/s", "s"
    double spread = 0;
    std::string how;
};
[[nodiscard]] std::vector<MeasuredFigure> figuresOf(const MachineMeasure& measure);

/// Looks at this machine; starts no program and changes nothing.
[[nodiscard]] DoctorReport examineMachine();

[[nodiscard]] nlohmann::ordered_json doctorToJson(const DoctorReport& report);

}  // namespace stagecraft::cli
