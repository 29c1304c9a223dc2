// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/doctor.h"

#include "base/atomic_file.h"
#include "base/units.h"
#include "launch/prepare.h"
#include "record/run_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace stagecraft::cli {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

std::string onPath(const std::string& program)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (folder.empty()) continue;
        const fs::path file = fs::path(folder) / program;
        std::error_code ignored;
        if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, ignored)) return file.string();
    }
    return {};
}

/// A quoted version out of the wheel's version.py: `__version__ = '2.11.0+cpu'`.
std::string torchVersionIn(const fs::path& torch)
{
    const auto text = readFile(torch / "version.py", 65536);
    if (!text.hasValue()) return "version unknown";
    const std::size_t at = text.value().find("__version__ =");
    const std::size_t from = at == std::string::npos ? at : text.value().find_first_of("'\"", at);
    const std::size_t to = from == std::string::npos ? from : text.value().find_first_of("'\"", from + 1);
    return to == std::string::npos ? "version unknown" : text.value().substr(from + 1, to - from - 1);
}

/// $LIBTORCH_ROOT, then what the worker was built with, then the newest kept by hash in the cache folder.
fs::path findTorch()
{
    std::error_code ignored;
    const char* given = std::getenv("LIBTORCH_ROOT");
    for (const std::string root : {given != nullptr ? given : "", STAGECRAFT_LIBTORCH})
        if (root.starts_with('/') && fs::exists(fs::path(root) / "torch" / "lib" / "libtorch_cpu.so", ignored)) return fs::path(root) / "torch";
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    const fs::path folder = (cache != nullptr && cache[0] == '/' ? fs::path(cache) : fs::path(home != nullptr ? home : "/") / ".cache") / "stagecraft";
    fs::path newest;
    for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
        const fs::path torch = it->path() / "torch";
        if (it->path().filename().string().starts_with("torch-") && fs::exists(torch / "lib" / "libtorch_cpu.so", ignored) && torch > newest) newest = torch;
    }
    return newest;
}

// A measurement beyond these says what other programs took, not what the machine can.
constexpr double kMostNoise = 0.15, kMostDisturbed = 0.1;

/// Part of the readings whose quartiles lie further apart than half of themselves.
double disturbedShare(const MachineMeasure& m)
{
    std::size_t disturbed = 0, all = 0;
    const auto countIn = [&](const auto& readings) {
        for (const auto& reading : readings) disturbed += reading.spread > 0.5 ? 1 : 0;
        all += readings.size();
    };
    countIn(m.gemms);
    countIn(m.kernelRates);
    countIn(m.collectives);
    countIn(m.steps);
    return all > 0 ? static_cast<double>(disturbed) / static_cast<double>(all) : 0.0;
}

}  // namespace

DoctorReport examineMachine()
{
    DoctorReport report;
    report.cpu = probeCpu();
    report.memory = probeMemory();
    report.disks = {{"run records", probeDisk(defaultRunsRoot())}, {"temporary files", probeDisk("/tmp")}};
    report.gpus = probeGpus();
    for (const char* name : {"g++", "clang++", "cmake", "ninja", "nvcc"}) report.programs.push_back({std::string_view(name) == "cmake" || std::string_view(name) == "ninja" ? "tool" : "compiler", name, onPath(name)});
    for (const char* name : {"deepspeed", "torchrun", "accelerate", "srun", "mpirun", "ssh", "pdsh"}) report.programs.push_back({"launcher", name, onPath(name)});
    const auto worker = findWorker();
    report.programs.push_back({"worker", "stagecraft-worker", worker.hasValue() ? worker.value().string() : std::string()});
    if (const fs::path torch = findTorch(); !torch.empty()) {
        report.torchFolder = torch.string();
        report.torchVersion = torchVersionIn(torch);
    }

    report.measureFile = machineMeasureFile(defaultRunsRoot());
    report.measure = usableMachineMeasure(report.measureFile, thisHost(STAGECRAFT_VERSION), &report.measureProblem);

    auto disks = loadDiskMeasures(diskMeasureFile(defaultRunsRoot()));

    const auto add = [&](const char* severity, std::string message, std::string fix) { report.findings.push_back({severity, std::move(message), std::move(fix)}); };
    if (!report.cpu.supported) add("error", "this CPU has no AVX2 and FMA", "train on an x86-64 machine from 2013 or later; planning and reading work here");
    if (!worker.hasValue()) add("error", "the worker program is not beside this one", "run ./workbench build");
    if (report.torchFolder.empty()) add("error", "LibTorch is not there", "run ./workbench build, which fetches it");
    if (disks.hasValue()) report.measuredDisks = std::move(disks).value();
    else add("warning", disks.error().message, "measure again, or remove it with stagecraft doctor --forget-measure");
    if (!report.disks[0].second.writable) add("error", fmt::format("the folder for runs, {}, cannot be written", report.disks[0].second.path.string()), "set XDG_DATA_HOME, or give --run-dir to each run");
    else if (report.disks[0].second.free < kGiB) add("warning", fmt::format("only {} are free for run records and checkpoints", formatBytes(report.disks[0].second.free)), "free space, or record elsewhere with --run-dir");
    if (report.memory.available < kGiB) add("warning", fmt::format("only {} of memory are available", formatBytes(report.memory.available)), "close other programs before training");
    if (report.memory.sharedFree < 64 * kMiB) add("warning", fmt::format("/dev/shm has only {} free", formatBytes(report.memory.sharedFree)), "in a container, start it with --shm-size=1g");
    const auto missing = [&](const char* name) { return std::any_of(report.programs.begin(), report.programs.end(), [&](const ProgramFacts& program) { return program.name == name && program.path.empty(); }); };
    if (missing("g++") && missing("clang++")) add("warning", "no C++ compiler is on PATH", "install one to build from source: apt install g++");
    if (missing("deepspeed")) add("info", "the deepspeed launcher is not on PATH", "only needed to start DeepSpeed scripts: pip install deepspeed");
    if (missing("torchrun")) add("info", "torchrun is not on PATH", "only needed to start PyTorch scripts: pip install torch");
    if (!report.measureProblem.empty()) add("warning", "the kept measurement cannot be used: " + report.measureProblem, "measure again, or remove it with stagecraft doctor --forget-measure");
    else if (report.measure && report.measure->noise > kMostNoise) add("warning", fmt::format("this machine was busy while it was measured: the same work measured twice differed by {:.0f} %", report.measure->noise * 100), "close other programs and measure again: stagecraft doctor --measure");
    else if (const double busy = report.measure ? disturbedShare(*report.measure) : 0.0; busy > kMostDisturbed) add("warning", fmt::format("this machine was busy while it was measured: {:.0f} % of the readings vary by more than half of themselves", busy * 100), "close other programs and measure again: stagecraft doctor --measure");
    else if (!report.measure) add("info", "this machine was not measured", "stagecraft doctor --measure makes step times on \"cpu\" exact in about a minute");
    if (report.gpus.gpus.empty()) add("info", report.gpus.reason, "nothing to do for training on CPUs; plans for GPUs work without one");
    return report;
}

std::vector<MeasuredFigure> figuresOf(const MachineMeasure& m)
{
    std::vector<MeasuredFigure> figures;
    for (const char* type : {"fp32", "bf16"})
        for (const bool all : {false, true}) {
            const GemmRate* best = nullptr;
            for (const GemmRate& g : m.gemms)
                if (g.type == type && g.threads == 1 && (g.copies > 1) == all && (best == nullptr || g.flopsPerSecond() > best->flopsPerSecond())) best = &g;
            if (best == nullptr) continue;
            figures.push_back({fmt::format("gemm.{}.{}", type, all ? "all" : "1"), best->flopsPerSecond() * best->copies, "FLOP/s", best->spread,
                               fmt::format("the fastest of the products measured, {} x {} x {}, {}", best->m, best->n, best->k, all ? fmt::format("{} at once", best->copies) : "one thread")});
        }
    for (const MachineRate& rate : m.rates) figures.push_back({rate.id, rate.value, rate.unit, rate.spread, rate.how});
    for (const CollectiveRate& c : m.collectives) {
        const bool largest = std::none_of(m.collectives.begin(), m.collectives.end(), [&](const CollectiveRate& other) { return other.kind == c.kind && other.world == c.world && other.shardBytes > c.shardBytes; });
        if (!largest) continue;
        const double bytes = static_cast<double>(c.shardBytes) * (c.world - 1);
        if (c.kind == "all_reduce_scalars") figures.push_back({fmt::format("collective.scalars.{}", c.world), c.seconds, "s", c.spread, fmt::format("five scalars summed over {} ranks", c.world)});
        else figures.push_back({fmt::format("collective.{}.{}", c.kind, c.world), bytes / c.seconds, "B/s", c.spread, fmt::format("{} from each of {} ranks", formatBytes(c.shardBytes), c.world)});
    }
    return figures;
}

ordered_json doctorToJson(const DoctorReport& report)
{
    ordered_json disks = ordered_json::array(), gpus = ordered_json::array(), findings = ordered_json::array();
    ordered_json programs = ordered_json::object();
    for (const auto& [use, disk] : report.disks)
        disks.push_back({{"use", use}, {"path", disk.path.string()}, {"total", disk.total}, {"free", disk.free}, {"fileSystem", disk.fileSystem}, {"writable", disk.writable}});
    for (const GpuFacts& gpu : report.gpus.gpus)
        gpus.push_back({{"index", gpu.index}, {"name", gpu.name}, {"memoryTotal", gpu.memoryTotal}, {"memoryFree", gpu.memoryFree}, {"compute", fmt::format("{}.{}", gpu.computeMajor, gpu.computeMinor)}});
    for (const ProgramFacts& program : report.programs)
        programs[program.kind][program.name] = program.path.empty() ? ordered_json() : ordered_json(program.path);
    for (const DoctorFinding& finding : report.findings) findings.push_back({{"severity", finding.severity}, {"message", finding.message}, {"fix", finding.fix}});
    ordered_json measuredDisks = ordered_json::array();
    for (const DiskMeasure& disk : report.measuredDisks) measuredDisks.push_back(diskMeasureToJson(disk));
    ordered_json measurement;
    if (report.measure) {
        ordered_json figures = ordered_json::array();
        for (const MeasuredFigure& f : figuresOf(*report.measure)) figures.push_back({{"id", f.id}, {"value", f.value}, {"unit", f.unit}, {"spread", f.spread}, {"how", f.how}});
        measurement = {{"holds", true}, {"measuredAt", report.measure->measuredAt}, {"seconds", report.measure->seconds}, {"noise", report.measure->noise}, {"version", report.measure->host.version},
                       {"kernels", report.measure->kernels}, {"samples", report.measure->gemms.size() + report.measure->kernelRates.size() + report.measure->collectives.size()}, {"figures", figures}};
    } else if (!report.measureProblem.empty()) {
        measurement = {{"holds", false}, {"problem", report.measureProblem}};
    }
    const bool ready = std::none_of(report.findings.begin(), report.findings.end(), [](const DoctorFinding& finding) { return finding.severity == "error"; });
    return {{"ready", ready},
            {"cpu", {{"model", report.cpu.model}, {"logicalCores", report.cpu.logicalCores}, {"physicalCores", report.cpu.physicalCores}, {"usableCores", report.cpu.usableCores}, {"simd", report.cpu.simd}, {"supported", report.cpu.supported}}},
            {"memory", {{"total", report.memory.total}, {"available", report.memory.available}, {"swap", report.memory.swap}, {"sharedFree", report.memory.sharedFree}, {"limitedByContainer", report.memory.limitedByContainer}}},
            {"disks", disks},
            {"gpu", {{"driver", report.gpus.driver ? ordered_json(report.gpus.driverVersion) : ordered_json()}, {"reason", report.gpus.reason.empty() ? ordered_json() : ordered_json(report.gpus.reason)}, {"devices", gpus}}},
            {"programs", programs},
            {"libtorch", {{"folder", report.torchFolder.empty() ? ordered_json() : ordered_json(report.torchFolder)}, {"version", report.torchVersion.empty() ? ordered_json() : ordered_json(report.torchVersion)}}},
            {"measuredDisks", measuredDisks},
            {"measurement", measurement},
            {"measurementFile", report.measureFile.string()},
            {"findings", findings}};
}

}  // namespace stagecraft::cli
