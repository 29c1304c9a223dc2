// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/machine_probe.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;

class TstMachineProbe : public QObject {
    Q_OBJECT
private slots:
    void readsKernelText()
    {
        QCOMPARE(coresOfCpuMax("150000 100000\n").value(), 1.5);
        QVERIFY(!coresOfCpuMax("max 100000\n"));
        QVERIFY(!coresOfCpuMax(""));
        QVERIFY(!coresOfCpuMax("5 0"));
        const std::string meminfo = "MemTotal:       24662040 kB\nMemAvailable:   123 kB\n";
        QCOMPARE(meminfoBytes(meminfo, "MemAvailable").value(), std::int64_t{123 * 1024});
        QVERIFY(!meminfoBytes(meminfo, "Mem"));
    }

    void sheetsOfGpus_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("mebibytes");
        QTest::addColumn<QString>("sheet");
        // Names as drivers print them, with the memory they report.
        QTest::newRow("Hopper by its memory type") << QString("NVIDIA H100 80GB HBM3") << 81559 << QString("H100-SXM-80GB");
        QTest::newRow("a card") << QString("NVIDIA H100 PCIe") << 81559 << QString("H100-PCIe-80GB");
        QTest::newRow("a bridged pair") << QString("NVIDIA H100 NVL") << 95830 << QString("H100-NVL-94GB");
        QTest::newRow("H200") << QString("NVIDIA H200") << 143771 << QString("H200-SXM-141GB");
        QTest::newRow("B200") << QString("NVIDIA B200") << 183359 << QString("B200-SXM-180GB");
        QTest::newRow("A100 of 80 GB") << QString("NVIDIA A100-SXM4-80GB") << 81920 << QString("A100-SXM-80GB");
        QTest::newRow("A100 of 40 GB") << QString("NVIDIA A100-SXM4-40GB") << 40960 << QString("A100-SXM-40GB");
        QTest::newRow("A100 card") << QString("NVIDIA A100 80GB PCIe") << 81920 << QString("A100-PCIe-80GB");
        QTest::newRow("Volta") << QString("Tesla V100-SXM2-16GB") << 16160 << QString("V100-SXM2-16GB");
        QTest::newRow("a game card") << QString("NVIDIA GeForce RTX 4070 Ti") << 12282 << QString("RTX-4070Ti");
        QTest::newRow("a workstation card") << QString("NVIDIA RTX 6000 Ada Generation") << 49140 << QString("RTX-6000-Ada");
        QTest::newRow("a part of one") << QString("NVIDIA A100-SXM4-80GB MIG 1g.10gb") << 9728 << QString();
        QTest::newRow("one with less memory than any sheet says") << QString("NVIDIA A100-SXM4-80GB") << 20000 << QString();
        QTest::newRow("a cloud's own card") << QString("NVIDIA A10G") << 23028 << QString("A10G");
        QTest::newRow("its relative") << QString("NVIDIA A10") << 23028 << QString("A10");
        QTest::newRow("a card of another line") << QString("NVIDIA TITAN RTX") << 24220 << QString("TITAN-RTX");
        QTest::newRow("one without a sheet") << QString("NVIDIA RTX A4000") << 16376 << QString();
        QTest::newRow("no name") << QString() << 81920 << QString();
    }
    void sheetsOfGpus()
    {
        QFETCH(QString, name);
        QFETCH(int, mebibytes);
        QFETCH(QString, sheet);
        const GpuFacts gpu{0, name.toStdString(), std::int64_t{mebibytes} << 20, 0, 9, 0};
        QCOMPARE(QString::fromStdString(sheetOfGpus({gpu})), sheet);
        QCOMPARE(QString::fromStdString(sheetOfGpus({gpu, gpu})), sheet);
        // Of two kinds none can be meant.
        const GpuFacts other{1, "Tesla T4", std::int64_t{15360} << 20, 0, 7, 5};
        QVERIFY(sheetOfGpus({gpu, other}).empty());
        QVERIFY(sheetOfGpus({}).empty());
    }

    void thisMachineAddsUp()
    {
        const CpuFacts cpu = probeCpu();
        QVERIFY(cpu.logicalCores >= 1);
        QVERIFY(cpu.usableCores > 0 && cpu.usableCores <= cpu.logicalCores);
        const MemoryFacts memory = probeMemory();
        QVERIFY(memory.total > 0);
        QVERIFY(memory.available >= 0 && memory.available <= memory.total);
    }

    void disksOfPathsNotThereYet()
    {
        const QTemporaryDir folder;
        const DiskFacts disk = probeDisk((folder.path() + "/not/there/yet").toStdString());
        QVERIFY(disk.total > 0);
        QVERIFY(disk.free <= disk.total);
        QVERIFY(disk.writable);
        QVERIFY(!disk.fileSystem.empty());
        QVERIFY(!probeDisk("/proc/1/no").writable);
    }

    void noGpuIsSaidWhy()
    {
        const GpuProbe probe = probeGpus();
        QCOMPARE(probe.gpus.empty(), !probe.reason.empty());
    }
};

QTEST_APPLESS_MAIN(TstMachineProbe)
#include "tst_machine_probe.moc"
