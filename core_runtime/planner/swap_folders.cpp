// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/swap_folders.h"

#include "base/units.h"
#include "planner/findings.h"
#include "planner/fit.h"
#include "planner/ledger.h"
#include "planner/workspace_model.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <system_error>

namespace stagecraft {

namespace {

namespace fs = std::filesystem;

enum class Kind { Disk, Kernel, Memory, Overlay, Network };

// By the names of /proc/self/mounts.
Kind kindOf(std::string_view fileSystem)
{
    static constexpr std::string_view kKernel[] = {"proc", "sysfs", "cgroup", "cgroup2", "devtmpfs", "devpts", "securityfs", "debugfs", "tracefs", "configfs", "pstore", "bpf", "mqueue", "hugetlbfs", "efivarfs", "binfmt_misc", "fusectl", "nsfs"};
    static constexpr std::string_view kMemory[] = {"tmpfs", "ramfs"};
    static constexpr std::string_view kOverlay[] = {"overlay", "aufs", "fuse.fuse-overlayfs"};
    static constexpr std::string_view kNetwork[] = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "ceph", "beegfs", "glusterfs", "afs", "9p", "wekafs", "pvfs2", "orangefs"};
    const auto isOneOf = [&](const auto& names) { return std::find(std::begin(names), std::end(names), fileSystem) != std::end(names); };
    if (isOneOf(kKernel)) return Kind::Kernel;
    if (isOneOf(kMemory)) return Kind::Memory;
    if (isOneOf(kOverlay)) return Kind::Overlay;
    // What a program of the user serves is rarely a disk: sshfs, s3fs, gcsfuse, rclone. NTFS and exFAT are.
    return isOneOf(kNetwork) || (fileSystem.starts_with("fuse.") && fileSystem != "fuse.ntfs-3g" && fileSystem != "fuse.exfat") ? Kind::Network : Kind::Disk;
}

// Those that offload_param swaps; all others are the optimizer's.
bool isOfWeights(const LedgerItem& item) { return item.what == "weights" || item.what == "frozen_weights"; }

template <class Which>
std::int64_t filesPerNode(const std::vector<LedgerRole>& ledger, std::int64_t devicesPerNode, Which which)
{
    std::vector<RanksOnHost> stages;
    for (const LedgerRole& role : ledger) {
        double bytes = 0;
        for (const LedgerItem& item : role.items) bytes += item.where == Place::Nvme && which(item) ? static_cast<double>(item.bytes) : 0;
        stages.push_back({role.ranks, toBytes(bytes)});
    }
    return fullestNode(stages, devicesPerNode);
}

}  // namespace

std::int64_t swapBytesPerNode(const std::vector<LedgerRole>& ledger, std::int64_t devicesPerNode)
{
    return filesPerNode(ledger, devicesPerNode, [](const LedgerItem&) { return true; });
}

std::vector<SwapFolder> swapFolders(const Workspace& w, const std::vector<LedgerRole>& ledger)
{
    std::vector<SwapFolder> folders;
    if (!w.dsConfig.is_object()) return folders;
    for (const bool weights : {false, true}) {
        const std::string pointer = weights ? "/zero_optimization/offload_param/nvme_path" : "/zero_optimization/offload_optimizer/nvme_path";
        const nlohmann::json::json_pointer place(pointer);
        const std::int64_t bytes = filesPerNode(ledger, w.hardware.devicesPerNode, [&](const LedgerItem& item) { return isOfWeights(item) == weights; });
        if (bytes <= 0 || !w.dsConfig.contains(place) || !w.dsConfig[place].is_string()) continue;
        fs::path path = fs::path(w.dsConfig[place].get<std::string>()).lexically_normal();
        if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();   // "/a/" is "/a"
        const auto same = std::find_if(folders.begin(), folders.end(), [&](const SwapFolder& known) { return known.path == path; });
        if (same == folders.end()) folders.push_back({"/dsConfig" + pointer, path, bytes});
        else same->bytesPerNode += bytes;
    }
    return folders;
}

bool runsHere(const Workspace& w, const PlanContext& context)
{
    return w.hardware.nodes == 1 && (w.hardware.device == "cpu" || machineIsMeant(w, context) || (!context.gpu.empty() && w.hardware.device == context.gpu));
}

std::optional<fs::path> useMeasuredDisk(const Workspace& w, const PlanContext& context, DsSettings& settings)
{
    if (context.disks.empty() || !runsHere(w, context) || !w.dsConfig.is_object()) return std::nullopt;
    const DiskMeasure* slowest = nullptr;
    for (const auto& [section, device] : {std::pair{"offload_param", settings.offloadParam}, {"offload_optimizer", settings.offloadOptimizer}}) {
        const nlohmann::json::json_pointer place(fmt::format("/zero_optimization/{}/nvme_path", section));
        if (device != OffloadDevice::Nvme || !w.dsConfig.contains(place) || !w.dsConfig[place].is_string()) continue;
        const DiskMeasure* here = diskMeasureOf(context.disks, fs::path(w.dsConfig[place].get<std::string>()).lexically_normal());
        if (here == nullptr) return std::nullopt;   // what is known of one folder says nothing of the other
        if (slowest == nullptr || here->rate() < slowest->rate()) slowest = here;
    }
    if (slowest == nullptr) return std::nullopt;
    settings.diskRead = slowest->readBytes;
    settings.diskWrite = slowest->writeBytes;
    return slowest->folder;
}

FolderFacts lookAtFolder(const fs::path& path)
{
    FolderFacts facts;
    std::error_code ignored;
    facts.exists = fs::exists(path, ignored);
    facts.isFolder = fs::is_directory(path, ignored);
    facts.nearest = path;
    while (!fs::exists(facts.nearest, ignored) && facts.nearest.has_parent_path() && facts.nearest != facts.nearest.parent_path()) facts.nearest = facts.nearest.parent_path();
    facts.disk = probeDisk(path);
    return facts;
}

std::vector<PlanFinding> judgeSwapFolder(const SwapFolder& folder, const FolderFacts& facts)
{
    std::vector<PlanFinding> findings;
    const auto tell = [&](const char* id, const char* severity, std::string_view pattern, std::vector<std::string> args) { findings.push_back(makeFinding(id, severity, folder.pointer, pattern, std::move(args))); };
    const std::string path = folder.path.string(), nearest = facts.nearest.string();
    std::error_code ignored;
    const Kind kind = kindOf(facts.disk.fileSystem);
    if (kind == Kind::Kernel) {
        tell("plan.swap.kernel", "error", "\"{}\" lies on {}, which the kernel makes up: no file can be swapped to it; name a folder on an NVMe disk", {path, facts.disk.fileSystem});
        return findings;
    }
    if (facts.exists && !facts.isFolder) {
        tell("plan.swap.file", "error", "\"{}\" is a file, and DeepSpeed makes folders in it; name a folder on an NVMe disk", {path});
        return findings;
    }
    if (!facts.exists && !fs::is_directory(facts.nearest, ignored)) {
        tell("plan.swap.file", "error", "\"{}\" is a file, and DeepSpeed makes folders in it; name a folder on an NVMe disk", {nearest});
        return findings;
    }
    if (!facts.disk.writable) {
        tell("plan.swap.unwritable", "error", "Nothing can be written in \"{}\": DeepSpeed cannot make its swap files; give write access, or name another folder", {nearest});
        return findings;
    }
    if (folder.bytesPerNode > facts.disk.free) {
        tell("plan.swap.full", "error", "The files of this plan take {} on a node, and where \"{}\" lies {} are free; make room, or name a folder on a larger disk", {formatBytes(folder.bytesPerNode), path, formatBytes(facts.disk.free)});
    }
    if (kind == Kind::Memory) tell("plan.swap.memory", "warning", "\"{}\" lies in host memory ({}): what is swapped to it takes the memory that swapping is to save; name a folder on an NVMe disk", {path, facts.disk.fileSystem});
    if (kind == Kind::Overlay) tell("plan.swap.overlay", "warning", "\"{}\" lies in the container's own layer ({}), on the disk of the images: mount an NVMe disk, and name a folder on it", {path, facts.disk.fileSystem});
    if (kind == Kind::Network) tell("plan.swap.network", "warning", "\"{}\" lies on a file system over a network or of a user's program ({}): it is slower than the NVMe disk that the plan counts on; name a folder on one", {path, facts.disk.fileSystem});
    if (!facts.exists && findings.empty()) tell("plan.swap.missing", "info", "\"{}\" is not there: DeepSpeed makes it, in \"{}\"", {path, nearest});
    return findings;
}

namespace {

bool isImpossible(const PlanFinding& finding) { return finding.severity == "error"; }

// What speaks against each folder of the ledger's files.
std::vector<PlanFinding> judgeFolders(const Workspace& w, const std::vector<LedgerRole>& ledger)
{
    std::vector<PlanFinding> findings;
    const std::vector<SwapFolder> folders = swapFolders(w, ledger);
    for (std::size_t i = 0; i < folders.size(); ++i) {
        SwapFolder folder = folders[i];
        // Where DeepSpeed is started, and with it what a relative path is of, nobody has said.
        if (folder.path.is_relative()) {
            findings.push_back(makeFinding("plan.swap.relative", "info", folder.pointer, "\"{}\" is a folder of where DeepSpeed is started: its disk is neither looked at nor measured; write the path from / on", {folder.path.string()}));
            continue;
        }
        const FolderFacts facts = lookAtFolder(folder.path);
        // Two folders of one disk share its room.
        for (std::size_t j = 0; j < folders.size(); ++j) {
            if (j == i || folders[j].path.is_relative()) continue;
            const DiskFacts other = lookAtFolder(folders[j].path).disk;
            if (other.mountPoint == facts.disk.mountPoint) folder.bytesPerNode += folders[j].bytesPerNode;
        }
        for (PlanFinding& finding : judgeSwapFolder(folder, facts)) findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

bool filesCanBeWritten(const Workspace& w, const std::vector<LedgerRole>& ledger)
{
    const std::vector<PlanFinding> findings = judgeFolders(w, ledger);
    return std::none_of(findings.begin(), findings.end(), isImpossible);
}

void addSwapFolders(const Workspace& w, const PlanContext& context, Plan& plan)
{
    if (!plan.ledger || !runsHere(w, context)) return;
    bool impossible = false;
    for (PlanFinding& finding : judgeFolders(w, *plan.ledger)) {
        impossible = impossible || isImpossible(finding);
        plan.findings.push_back(std::move(finding));
    }
    if (!impossible || !plan.fit) return;
    plan.fit->probability = 0;
    plan.fit->verdict = verdictOf(0);
}

}  // namespace stagecraft
