// SPDX-License-Identifier: GPL-3.0-or-later
// How fast a folder's disk is: measured without leaving anything, kept by folder, found by the path that lies in it.
#include "hardware/disk_measure.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
namespace fs = std::filesystem;

class TstDiskMeasure : public QObject {
    Q_OBJECT
private slots:
    void leavesNothingBehind()
    {
        const QTemporaryDir folder;
        const auto m = measureDisk(folder.path().toStdString() + "/", 3 << 20);
        QVERIFY2(m.hasValue(), m.hasValue() ? "" : m.error().message.c_str());
        QVERIFY(m->readBytes > 0 && m->writeBytes > 0 && m->spread >= 0);
        QVERIFY(m->rate() >= std::min(m->readBytes, m->writeBytes) && m->rate() <= std::max(m->readBytes, m->writeBytes));
        QCOMPARE(m->folder, fs::path(folder.path().toStdString()));
        QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
        const auto none = measureDisk(folder.path().toStdString() + "/none", 1 << 20);
        QVERIFY(!none.hasValue() && none.error().message.find("/none") != std::string::npos);
    }

    void aFolderIsKeptOnce()
    {
        const QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "data" / "disks.json";
        QVERIFY(loadDiskMeasures(file)->empty());
        for (const double rate : {1e9, 2e9}) QVERIFY(keepDiskMeasure(file, {"/local_nvme", rate, rate / 2, 0.1, "2026-11-28T12:00:00Z"}).hasValue());
        QVERIFY(keepDiskMeasure(file, {"/data", 5e8, 4e8, 0.1, "2026-11-28T12:00:00Z"}).hasValue());
        const auto kept = loadDiskMeasures(file);
        QVERIFY(kept.hasValue());
        QCOMPARE(kept->size(), std::size_t{2});
        QCOMPARE(kept->front().readBytes, 2e9);
        QCOMPARE(kept->front().writeBytes, 1e9);
        // What cannot be read is told, and gives way to what is measured next.
        for (const char* broken : {"[]", "{\"disks\": 3}", "{\"disks\": [{\"folder\": \"/a\", \"readBytesPerSecond\": -1}]}", "\xff"}) {
            QFile text(QString::fromStdString(file.string()));
            QVERIFY(text.open(QIODevice::WriteOnly | QIODevice::Truncate));
            text.write(broken);
            text.close();
            QVERIFY2(!loadDiskMeasures(file).hasValue() && loadDiskMeasures(file).error().message.find(file.string()) != std::string::npos, broken);
        }
        QVERIFY(keepDiskMeasure(file, {"/data", 5e8, 4e8, 0.1, "2026-11-28T12:00:00Z"}).hasValue());
        QCOMPARE(loadDiskMeasures(file)->size(), std::size_t{1});
    }

    void theInnermostFolderCounts()
    {
        const std::vector<DiskMeasure> all{{"/a", 1, 1, 0, ""}, {"/a/b", 2, 2, 0, ""}, {"/c/d", 3, 3, 0, ""}};
        const auto rateOf = [&](const char* path) {
            const DiskMeasure* m = diskMeasureOf(all, path);
            return m ? m->readBytes : 0.0;
        };
        QCOMPARE(rateOf("/a"), 1.0);
        QCOMPARE(rateOf("/a/x/y"), 1.0);
        QCOMPARE(rateOf("/a/b/y"), 2.0);
        QCOMPARE(rateOf("/ab"), 0.0);
        QCOMPARE(rateOf("/c"), 0.0);
        QCOMPARE(rateOf("c/d"), 0.0);
    }
};

QTEST_APPLESS_MAIN(TstDiskMeasure)
#include "tst_disk_measure.moc"
