// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/cpu_sheet.h"
#include "hardware/user_sheets.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace stagecraft;

class TstCpuSheet : public QObject {
    Q_OBJECT
private slots:
    void peaksComeFromInstructionSetsAndClock_data()
    {
        QTest::addColumn<QStringList>("simd");
        QTest::addColumn<double>("gigahertz");
        QTest::addColumn<double>("fp32");  // GFLOP/s
        QTest::addColumn<double>("bf16");
        QTest::addColumn<QString>("told");
        QTest::newRow("AVX2") << QStringList{"avx2", "fma"} << 3.0 << 96.0 << 24.0 << QString("AVX2");
        QTest::newRow("AVX-512") << QStringList{"avx2", "fma", "avx512f", "avx512_vnni"} << 2.5 << 160.0 << 40.0 << QString("half of that on cores with one unit");
        QTest::newRow("AVX-512 with bf16") << QStringList{"avx2", "fma", "avx512f", "avx512_bf16"} << 2.0 << 128.0 << 256.0 << QString("AVX-512 BF16");
        QTest::newRow("AMX") << QStringList{"avx2", "fma", "avx512f", "avx512_bf16", "amx_tile", "amx_bf16"} << 2.0 << 128.0 << 2048.0 << QString("by AMX");
        QTest::newRow("no clock named") << QStringList{"avx2", "fma"} << 0.0 << 83.2 << 20.8 << QString("names no clock");
    }
    void peaksComeFromInstructionSetsAndClock()
    {
        QFETCH(QStringList, simd);
        QFETCH(double, gigahertz);
        QFETCH(double, fp32);
        QFETCH(double, bf16);
        QFETCH(QString, told);
        CpuFacts cpu;
        cpu.model = "Some CPU";
        cpu.supported = true;
        cpu.clockHz = gigahertz * 1e9;
        cpu.clockSource = "in the name of the CPU";
        for (const QString& flag : simd) cpu.simd.push_back(flag.toStdString());
        const DeviceSheet sheet = cpuSheetOf(cpu, *findDevice("cpu"));
        QCOMPARE(sheet.id, std::string("cpu"));
        QVERIFY(qAbs(sheet.peakFor("fp32") / 1e9 - fp32) < 1e-6);
        QVERIFY(qAbs(sheet.peakFor("bf16") / 1e9 - bf16) < 1e-6);
        QVERIFY2(sheet.source.find(told.toStdString()) != std::string::npos, sheet.source.c_str());
        QVERIFY(sheet.name.find("Some CPU") != std::string::npos);
        // It can be written out and read back, as a person's own sheet is.
        const auto read = parseDeviceSheets(nlohmann::json::array({deviceSheetToJson(sheet)}).dump());
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QVERIFY(qAbs(read->front().peakFor("bf16") / sheet.peakFor("bf16") - 1) < 1e-9);
    }

    void otherProcessorsKeepTheGenericSheet()
    {
        const DeviceSheet generic = *findDevice("cpu");
        const DeviceSheet sheet = cpuSheetOf({}, generic);
        QCOMPARE(sheet.source, generic.source);
        QCOMPARE(sheet.peakFor("fp32"), generic.peakFor("fp32"));
    }

    void clocksInNames_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("hertz");  // 0 = none
        QTest::newRow("Intel's") << QString("Intel(R) Xeon(R) Processor @ 2.50GHz") << 2.5e9;
        QTest::newRow("in MHz") << QString("Old CPU @ 800MHz") << 800e6;
        QTest::newRow("with a space") << QString("CPU @ 3.2 GHz") << 3.2e9;
        QTest::newRow("AMD's") << QString("AMD EPYC 9654 96-Core Processor") << 0.0;
        QTest::newRow("nothing") << QString() << 0.0;
        QTest::newRow("no number") << QString("CPU @ fastGHz") << 0.0;
        QTest::newRow("negative") << QString("CPU @ -2GHz") << 0.0;
        QTest::newRow("no unit") << QString("CPU @ 2.5") << 0.0;
        QTest::newRow("endless") << QString("CPU @ 1e300GHz") << 0.0;
    }
    void clocksInNames()
    {
        QFETCH(QString, name);
        QFETCH(double, hertz);
        QVERIFY(qAbs(clockOfName(name.toStdString()).value_or(0) - hertz) < 1);
    }

    // Last: sheets are the whole program's.
    void thisMachinesCoresAreWhatCpuMeans()
    {
        const DeviceSheet generic = *findDevice("cpu");
        const CpuFacts cpu = probeCpu();
        useSheetOfThisCpu();
        QCOMPARE(findDevice("cpu")->source, cpuSheetOf(cpu, generic).source);
        QCOMPARE(findDevice("cpu")->peakFor("fp32"), cpuSheetOf(cpu, generic).peakFor("fp32"));
        if (cpu.supported) QVERIFY(cpu.clockHz == 0 || (cpu.clockHz > 3e8 && cpu.clockHz < 1e10 && !cpu.clockSource.empty()));
    }
};

QTEST_APPLESS_MAIN(TstCpuSheet)
#include "tst_cpu_sheet.moc"
