// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/doctor.h"

#include "base/units.h"
#include "hardware/disk_measure.h"
#include "hardware/user_sheets.h"
#include "launch/machine_measuring.h"
#include "launch/prepare.h"
#include "record/run_folder.h"
#include "record/step_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace stagecraft::cli {

namespace {

struct Options {
    bool json = false, measure = false, forget = false, devices = false;
    double seconds = 50;
    std::string disk;   ///< folder whose disk is measured
};

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
    return out.empty() ? "none" : out;
}

void printForPeople(const DoctorReport& report)
{
    fmt::print("CPU       {}: {} logical, {} physical cores, {:g} usable here; {}\n", report.cpu.model, report.cpu.logicalCores, report.cpu.physicalCores, report.cpu.usableCores, joined(report.cpu.simd));
    fmt::print("Memory    {} of {} available{}; swap {}; /dev/shm {} free\n", formatBytes(report.memory.available), formatBytes(report.memory.total), report.memory.limitedByContainer ? " (limited by the container)" : "", formatBytes(report.memory.swap), formatBytes(report.memory.sharedFree));
    for (const auto& [use, disk] : report.disks) fmt::print("Disk      {}: {} of {} free, {}, {}\n", disk.path.string(), formatBytes(disk.free), formatBytes(disk.total), disk.fileSystem, use);
    if (report.gpus.gpus.empty()) fmt::print("GPU       none: {}\n", report.gpus.reason);
    for (const GpuFacts& gpu : report.gpus.gpus) fmt::print("GPU {}     {}: {} of {} free, compute {}.{}, driver {}\n", gpu.index, gpu.name, formatBytes(gpu.memoryFree), formatBytes(gpu.memoryTotal), gpu.computeMajor, gpu.computeMinor, report.gpus.driverVersion);
    for (const ProgramFacts& program : report.programs) fmt::print("{:<9} {:<18} {}\n", program.kind, program.name, program.path.empty() ? "not found" : program.path);
    fmt::print("LibTorch  {}\n", report.torchFolder.empty() ? "not found" : fmt::format("{} ({})", report.torchFolder, report.torchVersion));
    if (report.measure) {
        fmt::print("Measured  {} with release {} in {:.0f} s; the same work measured twice differed by {:.1f} %\n", report.measure->measuredAt, report.measure->host.version, report.measure->seconds, report.measure->noise * 100);
        for (const MeasuredFigure& f : figuresOf(*report.measure)) fmt::print("  {:<28} {:>14} ± {:<5} {}\n", f.id, f.unit == "s" ? formatDuration(std::llround(f.value * 1e9)) : f.unit == "FLOP/s" ? formatFlops(f.value) : formatBytes(std::llround(f.value)) + "/s", fmt::format("{:.0f} %", f.spread * 100), f.how);
    }
    for (const DiskMeasure& disk : report.measuredDisks) fmt::print("Swapping  {}: {}/s read, {}/s written ± {:.0f} %, measured {}\n", disk.folder.string(), formatBytes(std::llround(disk.readBytes)), formatBytes(std::llround(disk.writeBytes)), disk.spread * 100, disk.measuredAt);
    for (const DoctorFinding& finding : report.findings) fmt::print("{:<9} {}; {}\n", finding.severity, finding.message, finding.fix);
    if (report.findings.empty()) fmt::print("Nothing is missing for training on this machine's CPUs.\n");
}

// A signal handler can reach only what is global.
std::atomic<bool> g_stop{false};
extern "C" void onStop(int) { g_stop.store(true); }

/// ", about 40 s left": by the time that was asked for at first, and by the pace so far the more of it is done. Empty when it is over.
std::string timeLeft(double elapsed, double done, double asked)
{
    const double left = (1 - done) * ((1 - done) * asked + elapsed);
    if (!(left >= 0.5)) return {};
    return fmt::format(", about {} left", left < 99.5 ? fmt::format("{:.0f} s", left) : formatDuration(std::llround(left) * 1'000'000'000));
}

Result<MachineMeasure> measure(const Options& options)
{
    const auto worker = findWorker();
    if (!worker.hasValue()) return worker.error();
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        action.sa_handler = onStop;
        ::sigaction(number, &action, nullptr);
    }
    const bool terminal = ::isatty(2) == 1;
    const auto begun = std::chrono::steady_clock::now();
    std::string before;
    auto measured = measureThisMachine({options.seconds, defaultRunsRoot(), worker.value(), STAGECRAFT_VERSION}, [&](double done, const std::string& doing) {
        const std::string left = timeLeft(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(), done, options.seconds);
        if (terminal) tell("\r\033[K{:3.0f} %  {}{}", done * 100, doing, left);
        else if (doing != before) tell("{:3.0f} %  {}{}\n", done * 100, doing, left);
        before = doing;
    }, g_stop);
    if (terminal) tell("\r\033[K");
    return measured;
}

// What plans can be made for. As JSON it is what a file of own sheets holds.
int listDevices(bool asJson)
{
    if (asJson) {
        nlohmann::json all = nlohmann::json::array();
        for (const DeviceSheet& sheet : deviceSheets()) all.push_back(deviceSheetToJson(sheet));
        printJson(all);
        return kDone;
    }
    fmt::print("{:<22} {:>10} {:>14} {:>12}  {:<22} {}\n", "device", "usable", "bf16 TFLOP/s", "memory", "link", "source");
    for (const DeviceSheet& sheet : deviceSheets()) {
        fmt::print("{:<22} {:>10} {:>14.4g} {:>12}  {:<22} {}\n", sheet.id, sheet.usableBytes > 0 ? formatBytes(sheet.usableBytes) : "the host's", sheet.peakFor("bf16") / 1e12, fmt::format("{:.4g} TB/s", sheet.memoryBytesPerSecond / 1e12),
                   sheet.link ? fmt::format("{}, {} GB/s", sheet.link->kind, sheet.link->bytesPerSecond / 1e9) : "PCIe", sheet.source);
    }
    fmt::print("\nYour own or corrected ones: a list of objects as --devices --json prints them, in {}\n", userDeviceSheetFile().string());
    return kDone;
}

int examine(const Options& options)
{
    if (options.devices) return listDevices(options.json);
    if (options.forget) {
        for (const auto& file : {machineMeasureFile(defaultRunsRoot()), diskMeasureFile(defaultRunsRoot())}) {
            std::error_code failed;
            std::filesystem::remove(file, failed);
            if (!failed) continue;
            return reportError(Error{ErrorCode::Io, fmt::format("Cannot remove \"{}\": {}.", file.string(), failed.message()), {{"path", file.string()}}}, options.json);
        }
    }
    if (!options.disk.empty()) {
        constexpr std::int64_t kBytes = std::int64_t{256} << 20;
        const auto measured = measureDisk(options.disk, kBytes);
        const auto kept = measured.hasValue() ? keepDiskMeasure(diskMeasureFile(defaultRunsRoot()), *measured) : Result<void>(measured.error());
        if (!kept.hasValue()) {
            (void)reportError(kept.error(), options.json);
            return kAnswerIsNo;
        }
    }
    if (options.measure) {
        const auto measured = measure(options);
        if (!measured.hasValue()) {
            (void)reportError(measured.error(), options.json);
            return measured.error().code == ErrorCode::Cancelled ? kInterrupted : kAnswerIsNo;
        }
    }
    DoctorReport report = examineMachine();
    // Told once, by whoever asked for so many seconds; the time itself is kept.
    if (options.measure && report.measure && report.measure->seconds > 1.5 * options.seconds + 5)
        report.findings.push_back({"warning", fmt::format("measuring took {:.0f} s where {:.0f} s were asked for: this machine is slow or was busy, and its largest products and models may be left out", report.measure->seconds, options.seconds), "close other programs and measure again: stagecraft doctor --measure"});
    if (options.json) printJson(doctorToJson(report));
    else printForPeople(report);
    const bool ready = std::none_of(report.findings.begin(), report.findings.end(), [](const DoctorFinding& finding) { return finding.severity == "error"; });
    return ready ? kDone : kAnswerIsNo;
}

}  // namespace

void addDoctorCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("doctor", "What this machine has for training, what is missing, and what to do about it");
    auto* measure = command->add_flag("--measure", options->measure, "First time this machine for about a minute: matrix products, kernels, memory, collectives and disk. Plans of our own engine (framework stagecraft) on \"cpu\" then forecast step times from it");
    command->add_option("--seconds", options->seconds, "With --measure: about so long, longer on a busy machine; below 15 fewer sizes are measured and forecasts are coarser")->check(between(1.0, 600.0))->needs(measure)->capture_default_str();
    auto* disk = command->add_option("--disk", options->disk, "First time how fast FOLDER is read and written (three times 256 MiB): plans for this machine that swap to it with nvme_path then count with that instead of 6 GB/s");
    disk->type_name("FOLDER")->check([](const std::string& folder) { return folder.empty() ? std::string("names no folder") : std::string(); });
    command->add_flag("--forget-measure", options->forget, "Remove what --measure and --disk have kept: plans go back to data sheets")->excludes(measure)->excludes(disk);
    command->add_flag("--devices", options->devices, "List the devices that plans can be made for, with their data sheets; own ones too")->excludes(measure);
    command->add_flag("--json", options->json, "Print one JSON document");
    command->footer("Close other programs before --measure: what they take is missing in the figures. Ctrl-C cancels it and keeps what was measured before.\n"
                    "The measurement is kept in " + machineMeasureFile(defaultRunsRoot()).string() + ".\n"
                    "Own or corrected data sheets of devices lie in " + userDeviceSheetFile().string() + ".\n"
                    "Exit: 0 this machine can train; 1 something it needs is missing, or measuring failed; 130 cancelled.");
    command->callback([options, &exitCode] { exitCode = examine(*options); });
}

}  // namespace stagecraft::cli
