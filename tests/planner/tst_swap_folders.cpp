// SPDX-License-Identifier: GPL-3.0-or-later
// The folders that model states are swapped to: what they take, and what a look at them shows.
#include "plan_documents.h"

#include "planner/advisor.h"
#include "planner/swap_folders.h"
#include "planner/workspace_search.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

json swapping(const std::string& optimizer, const std::string& weights, const char* device = "cpu")
{
    json w = with(document("gpt2", "deepspeed", 3, 1, 2, 1), "/hardware/device", device);
    w["layout"] = {{"dp", 2}};
    w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "nvme"}, {"nvme_path", optimizer}};
    w["dsConfig"]["zero_optimization"]["offload_param"] = {{"device", "nvme"}, {"nvme_path", weights}, {"max_in_cpu", 0}};
    return w;
}

bool tells(const std::vector<PlanFinding>& findings, const std::string& id)
{
    return std::any_of(findings.begin(), findings.end(), [&](const PlanFinding& finding) { return finding.id == id; });
}

FolderFacts folderOn(const char* fileSystem)
{
    FolderFacts facts;
    facts.exists = facts.isFolder = true;
    facts.nearest = "/tmp";
    facts.disk = {"/tmp", 100 * kGiB, 50 * kGiB, fileSystem, "/tmp", true};
    return facts;
}

}  // namespace

class TstSwapFolders : public QObject {
    Q_OBJECT
private slots:
    // Two ranks of one node share 2 bytes of weights, 16 of optimizer states and gradients for each parameter.
    void filesOfANodeAreCounted()
    {
        const json w = swapping("/a", "/b");
        const Plan plan = planOf(w);
        const auto folders = swapFolders(workspaceOf(w), *plan.ledger);
        QCOMPARE(folders.size(), std::size_t{2});
        QVERIFY(near(static_cast<double>(folders[0].bytesPerNode), 16.0 * 124'439'808, 1e-3) && folders[0].path == "/a");
        QCOMPARE(folders[0].pointer, std::string("/dsConfig/zero_optimization/offload_optimizer/nvme_path"));
        QCOMPARE(folders[0].bytesPerNode + folders[1].bytesPerNode, swapBytesPerNode(*plan.ledger, 2));
        const json same = swapping("/a/", "/a/../a");
        const auto shared = swapFolders(workspaceOf(same), *planOf(same).ledger);
        QVERIFY(shared.size() == 1 && shared[0].path == "/a" && shared[0].bytesPerNode == swapBytesPerNode(*plan.ledger, 2));
        const json one = swapping("/a", "/a");
        QCOMPARE(swapFolders(workspaceOf(one), *planOf(one).ledger).size(), std::size_t{1});
        // What is not swapped has no folder, whatever is named.
        QVERIFY(swapFolders(workspaceOf(with(w, "/dsConfig/zero_optimization/stage", 1)), *planOf(with(w, "/dsConfig/zero_optimization/stage", 1)).ledger).empty());
    }

    void kindsOfFileSystems_data()
    {
        QTest::addColumn<QString>("fileSystem");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("severity");
        for (const char* disk : {"ext4", "xfs", "btrfs", "zfs", "f2fs", "fuse.ntfs-3g", ""}) QTest::newRow(*disk ? disk : "unknown") << QString(disk) << QString() << QString();
        for (const char* kernel : {"proc", "sysfs", "cgroup2", "devtmpfs"}) QTest::newRow(kernel) << QString(kernel) << QString("plan.swap.kernel") << QString("error");
        for (const char* memory : {"tmpfs", "ramfs"}) QTest::newRow(memory) << QString(memory) << QString("plan.swap.memory") << QString("warning");
        QTest::newRow("overlay") << QString("overlay") << QString("plan.swap.overlay") << QString("warning");
        for (const char* net : {"nfs4", "lustre", "ceph", "9p", "fuse.sshfs", "cifs"}) QTest::newRow(net) << QString(net) << QString("plan.swap.network") << QString("warning");
    }
    void kindsOfFileSystems()
    {
        QFETCH(QString, fileSystem);
        QFETCH(QString, id);
        QFETCH(QString, severity);
        const auto findings = judgeSwapFolder({"/x", "/tmp/s", kGiB}, folderOn(fileSystem.toLatin1().constData()));
        QCOMPARE(findings.size(), std::size_t(id.isEmpty() ? 0 : 1));
        if (id.isEmpty()) return;
        QCOMPARE(QString::fromStdString(findings[0].id), id);
        QCOMPARE(QString::fromStdString(findings[0].severity), severity);
        QVERIFY(findings[0].message.find("/tmp/s") != std::string::npos && findings[0].message.find(fileSystem.toStdString()) != std::string::npos);
    }

    void roomIsCompared()
    {
        QVERIFY(judgeSwapFolder({"/x", "/tmp/s", 50 * kGiB}, folderOn("ext4")).empty());
        const auto full = judgeSwapFolder({"/x", "/tmp/s", 50 * kGiB + 1}, folderOn("ext4"));
        QVERIFY(full.size() == 1 && full[0].id == "plan.swap.full" && full[0].severity == "error");
        FolderFacts closed = folderOn("ext4");
        closed.disk.writable = false;
        QVERIFY(tells(judgeSwapFolder({"/x", "/tmp/s", 1}, closed), "plan.swap.unwritable"));
    }

    // The folders of this machine, as they are.
    void foldersAreLookedAt()
    {
        const QTemporaryDir folder;
        const std::string there = folder.path().toStdString(), file = there + "/file";
        QFile made(QString::fromStdString(file));
        QVERIFY(made.open(QIODevice::WriteOnly));
        made.close();
        const auto said = [](const std::string& path) { return judgeSwapFolder({"/x", path, 1}, lookAtFolder(path)); };
        QVERIFY(tells(said("/proc/x"), "plan.swap.kernel"));
        QVERIFY(tells(said(file), "plan.swap.file") && tells(said(file + "/below"), "plan.swap.file"));
        QVERIFY(!tells(said(there), "plan.swap.missing") && !tells(said(there), "plan.swap.file"));
        const FolderFacts missing = lookAtFolder(there + "/a/b");
        QVERIFY(!missing.exists && missing.nearest == there && missing.disk.free > 0 && !missing.disk.mountPoint.empty());
    }

    // Only where the ranks run here; then what cannot be written takes the verdict back.
    void onlyHere()
    {
        const json here = swapping("/proc/x", "/proc/x");
        const PlanContext context{.hostMemoryBytes = 512 * kGiB};
        Plan plan = planOf(here, context);
        QVERIFY(plan.fit && plan.fit->verdict == Fit::Verdict::Yes);
        addSwapFolders(workspaceOf(here), context, plan);
        QVERIFY(tells(plan.findings, "plan.swap.kernel") && plan.fit->verdict == Fit::Verdict::No);
        for (const json& elsewhere : {with(with(here, "/hardware/nodes", 2), "/hardware/devicesPerNode", 1), with(here, "/hardware/device", "H100-SXM-80GB")}) {
            Plan other = planOf(elsewhere, context);
            const auto before = other.findings.size();
            addSwapFolders(workspaceOf(elsewhere), context, other);
            QCOMPARE(other.findings.size(), before);
        }
        // A path that is relative to where DeepSpeed is started is of a folder that nobody has named.
        const json near = swapping("swap", "swap");
        Plan relative = planOf(near, context);
        addSwapFolders(workspaceOf(near), context, relative);
        QVERIFY(tells(relative.findings, "plan.swap.relative") && relative.fit->verdict == Fit::Verdict::Yes);
        QVERIFY(runsHere(workspaceOf(with(here, "/hardware/device", "H100-SXM-80GB")), {.gpu = "H100-SXM-80GB"}));
    }

    // Branches and rows that need such a folder do not fit either, and say why.
    void branchesAndRowsLookToo()
    {
        json w = swapping("/proc/x", "/proc/x", "H100-SXM-80GB");
        const PlanContext context{.hostMemoryBytes = 512 * kGiB, .gpu = "H100-SXM-80GB"};
        for (const bool writable : {false, true}) {
            const QTemporaryDir folder;
            const std::string path = writable ? folder.path().toStdString() : "/proc/x";
            w = with(with(w, "/dsConfig/zero_optimization/offload_optimizer/nvme_path", path), "/dsConfig/zero_optimization/offload_param/nvme_path", path);
            const Advice advice = advise(workspaceOf(w), context, {}, AdviceDepth::Tree).value();
            const auto files = std::find_if(advice.options.begin(), advice.options.end(), [](const StageOption& o) { return o.id == "z3_nvme"; });
            QVERIFY(files != advice.options.end());
            QCOMPARE(files->mayFit, writable);
            QCOMPARE(files->message.find("the kernel makes up") == std::string::npos, writable);
            std::vector<PlanFinding> findings;
            SearchLimits limits;
            limits.keep = 100'000;
            const auto search = searchOfWorkspace(workspaceOf(w), limits, context, findings);
            QVERIFY(search);
            int rows = 0;
            for (const ScoredLayout& row : searchLayouts(search->base, search->limits).best) {
                if (row.offloadOptimizer != OffloadDevice::Nvme) continue;
                ++rows;
                QVERIFY(writable || !row.mayFit);
            }
            QVERIFY(rows > 0);
        }
    }
};

QTEST_APPLESS_MAIN(TstSwapFolders)
#include "tst_swap_folders.moc"
