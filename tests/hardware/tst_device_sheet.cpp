// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/device_sheet.h"
#include "hardware/user_sheets.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QtTest>
#include <set>

using namespace stagecraft;

class TstDeviceSheet : public QObject {
    Q_OBJECT
private slots:
    void everyFileIsCompiledIn()
    {
        const QDir folder(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/configs/devices");
        std::size_t count = 0;
        for (const QString& name : folder.entryList({"*.json"})) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const auto sheets = parseDeviceSheets(file.readAll().toStdString());
            QVERIFY2(sheets.hasValue(), sheets.hasValue() ? "" : sheets.error().message.c_str());
            count += sheets->size();
        }
        QCOMPARE(deviceSheets().size(), count);
        QVERIFY(count >= 45);
    }

    void sheetsAreSane()
    {
        std::set<std::string> ids;
        for (const DeviceSheet& sheet : deviceSheets()) {
            QVERIFY2(ids.insert(sheet.id).second, sheet.id.c_str());
            QVERIFY2(sheet.usableBytes <= static_cast<std::int64_t>(sheet.nominalBytes * 1.0738), sheet.id.c_str());
            QVERIFY2(sheet.id == "cpu" || sheet.usableBytes > 8'000'000'000, sheet.id.c_str());
            QVERIFY2(sheet.peakFor("bf16") >= sheet.peakFor("fp32") * 0.99, sheet.id.c_str());
            QVERIFY2(sheet.peakFor("fp8") >= sheet.peakFor("bf16"), sheet.id.c_str());
        }
    }

    // Rates per direction, halved from the sums that data sheets print.
    void linksArePerDirection()
    {
        QCOMPARE(findDevice("H100-SXM-80GB")->link->bytesPerSecond, 450e9);
        QCOMPARE(findDevice("H100-SXM-80GB")->pcieBytesPerSecond, 64e9);
        QCOMPARE(findDevice("A100-SXM-80GB")->link->bytesPerSecond, 300e9);
        QVERIFY(!findDevice("L40S")->link);
    }

    // GeForce cards copy to each other through the host: no sheet of one leaves open what that reaches, and none says more than PCIe's rate.
    void cardsWithoutPeerCopiesSayWhatTheyReach()
    {
        for (const DeviceSheet& sheet : deviceSheets()) {
            const bool consumer = sheet.name.starts_with("GeForce") || sheet.name.starts_with("TITAN");
            QVERIFY2((sheet.peerBytesPerSecond > 0) == consumer && sheet.peerBytesPerSecond < 0.6 * std::max(sheet.pcieBytesPerSecond, 1.0), sheet.id.c_str());
            QCOMPARE(parseDeviceSheets("[" + deviceSheetToJson(sheet).dump() + "]")->front().peerBytesPerSecond, sheet.peerBytesPerSecond);
        }
    }

    void findsByOtherNames()
    {
        QCOMPARE(findDevice("h100-sxm-80gb"), findDevice("dgx_h100"));
        QVERIFY(findDevice("cuda"));
        QVERIFY(!findDevice("TPU-v5"));
        QVERIFY(!findDevice(""));
    }

    void olderCardsFallBack()
    {
        const DeviceSheet* v100 = findDevice("V100-SXM2-32GB");
        QCOMPARE(v100->peakFor("bf16"), v100->peakFor("fp32"));
        QCOMPARE(v100->peakFor("fp16"), 125e12);
    }

    void refusesBrokenSheets_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("no list") << QString("{}");
        QTest::newRow("cut off") << QString("[{\"id\":");
        QTest::newRow("no source") << QString(R"([{"id":"x","memoryNominalGB":8,"memoryUsableGiB":7,"memoryBandwidthGBs":9,"peakTflops":{"fp32":1}}])");
        QTest::newRow("negative memory") << QString(R"([{"id":"x","source":"s","memoryNominalGB":-8,"memoryUsableGiB":7,"memoryBandwidthGBs":9,"peakTflops":{"fp32":1}}])");
        QTest::newRow("no bandwidth") << QString(R"([{"id":"x","source":"s","memoryNominalGB":8,"memoryUsableGiB":7,"memoryBandwidthGBs":0,"peakTflops":{"fp32":1}}])");
        QTest::newRow("endless peak") << QString(R"([{"id":"x","source":"s","memoryNominalGB":8,"memoryUsableGiB":7,"memoryBandwidthGBs":9,"peakTflops":{"fp32":1e99}}])");
    }
    void refusesBrokenSheets()
    {
        QFETCH(QString, text);
        QVERIFY(!parseDeviceSheets(text.toStdString()).hasValue());
    }
};

QTEST_APPLESS_MAIN(TstDeviceSheet)
#include "tst_device_sheet.moc"
