// SPDX-License-Identifier: GPL-3.0-or-later
// A program of its own: the sheets it takes in are those of the process.
#include "hardware/own_sheets.h"
#include "hardware/user_sheets.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using nlohmann::json;
using nlohmann::ordered_json;

class TstOwnSheets : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        QFile::remove(QString::fromStdString(file().string()));
        (void)loadUserDeviceSheets(file());
    }

    // A folder that is not there is made, and what was saved is planned with at once.
    void theFirstSheetMakesTheFile()
    {
        const std::filesystem::path deep = std::filesystem::path(m_folder.path().toStdString()) / "a" / "b" / "devices.json";
        QVERIFY(readOwnSheets(deep).hasValue() && readOwnSheets(deep)->empty());
        QVERIFY(saveOwnSheet(deep, std::nullopt, sheet("Mine")).hasValue());
        QVERIFY(loadUserDeviceSheets(deep).empty());
        QVERIFY(findDevice("mine"));
        const auto own = readOwnSheets(deep);
        QVERIFY(own.hasValue() && own->size() == 1);
        QCOMPARE(own->front().id, std::string("Mine"));
        QVERIFY(!own->front().problem);
    }

    // What others wrote stays to the byte, whatever of theirs is wrong, odd or unknown.
    void theOthersStayToTheByte_data()
    {
        QTest::addColumn<int>("place");   // of the sheet that is changed, -1 a new one
        QTest::newRow("the first") << 0;
        QTest::newRow("one between") << 2;
        QTest::newRow("the last") << 4;
        QTest::newRow("a new one") << -1;
    }
    void theOthersStayToTheByte()
    {
        QFETCH(int, place);
        const std::vector<std::string> entries{sheet("A").dump(), "{ \"id\":\"Odd\",   \"memoryNominalGB\": 1.50e+2, \"who\": [1,\t2] }", sheet("B").dump(3), "\"no object\"", sheet("C").dump(1)};
        std::string text = " [";
        for (std::size_t i = 0; i < entries.size(); ++i) text += (i ? "\t,\n\n " : "") + entries[i];
        put(text + " \r\n]  \n");
        std::optional<ordered_json> before;
        if (place >= 0) before = ordered_json::parse(entries[static_cast<std::size_t>(place)]);
        ordered_json changed = before ? *before : sheet("New");
        changed["memoryBandwidthGBs"] = 1234;
        changed["keptBesides"] = {1, 2};
        const auto saved = saveOwnSheet(file(), before, changed);
        QVERIFY2(saved.hasValue(), saved.hasValue() ? "" : saved.error().message.c_str());
        const std::string now = textOf();
        for (int i = 0; i < int(entries.size()); ++i)
            if (i != place) QVERIFY2(now.find(entries[static_cast<std::size_t>(i)]) != std::string::npos, now.c_str());
        const json all = json::parse(now);
        QCOMPARE(all.size(), entries.size() + (place < 0 ? 1 : 0));
        QCOMPARE(all[place < 0 ? entries.size() : static_cast<std::size_t>(place)].dump(), json(changed).dump());
        QVERIFY(now.starts_with(" [") && now.ends_with("]  \n"));
        // And when it goes, they still stay.
        QVERIFY(removeOwnSheet(file(), changed).hasValue());
        const std::string left = textOf();
        QCOMPARE(json::parse(left).size(), entries.size() - (place < 0 ? 0 : 1));
        for (int i = 0; i < int(entries.size()); ++i)
            if (i != place) QVERIFY2(left.find(entries[static_cast<std::size_t>(i)]) != std::string::npos, left.c_str());
    }

    void theOnlyOneLeavesAListBehind()
    {
        QVERIFY(saveOwnSheet(file(), std::nullopt, sheet("Mine")).hasValue());
        QVERIFY(loadUserDeviceSheets(file()).empty() && findDevice("Mine"));
        QVERIFY(removeOwnSheet(file(), readOwnSheets(file())->front().entry).hasValue());
        QVERIFY(json::parse(textOf()).empty() && json::parse(textOf()).is_array());
        QVERIFY(loadUserDeviceSheets(file()).empty() && !findDevice("Mine"));
    }

    // A sheet that goes leaves the built-in one that it stood for; who holds the old one may go on reading it.
    void theBuiltInOneComesBack()
    {
        const DeviceSheet* builtIn = findDevice("H100-SXM-80GB");
        const double bandwidth = builtIn->memoryBytesPerSecond;
        ordered_json mine = sheet("h100-sxm-80gb");
        mine["memoryBandwidthGBs"] = 1000;
        QVERIFY(saveOwnSheet(file(), std::nullopt, mine).hasValue());
        (void)loadUserDeviceSheets(file());
        const DeviceSheet* own = findDevice("H100-SXM-80GB");
        QCOMPARE(own->memoryBytesPerSecond, 1000e9);
        QCOMPARE(builtIn->memoryBytesPerSecond, bandwidth);
        QVERIFY(removeOwnSheet(file(), mine).hasValue());
        (void)loadUserDeviceSheets(file());
        QCOMPARE(findDevice("H100-SXM-80GB")->memoryBytesPerSecond, bandwidth);
        QCOMPARE(own->memoryBytesPerSecond, 1000e9);
    }

    // A file that cannot be read is told, and stays as it is.
    void aBadFileIsNeverOverwritten_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("no json") << QByteArray("[{");
        QTest::newRow("an object") << QByteArray("{}");
        QTest::newRow("a key twice") << QByteArray("[{\"id\": \"A\", \"id\": \"B\"}]");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("too long") << QByteArray(2 << 20, ' ');
    }
    void aBadFileIsNeverOverwritten()
    {
        QFETCH(QByteArray, text);
        put(text.toStdString());
        QVERIFY(!readOwnSheets(file()).hasValue());
        QVERIFY(!saveOwnSheet(file(), std::nullopt, sheet("Mine")).hasValue());
        QVERIFY(!saveOwnSheet(file(), sheet("A"), sheet("Mine")).hasValue());
        QVERIFY(!removeOwnSheet(file(), sheet("A")).hasValue());
        QCOMPARE(textOf(), text.toStdString());
    }

    // What is no sheet is not saved; neither is one over another, nor over what changed meanwhile.
    void whatWouldHarmIsRefused()
    {
        ordered_json wrong = sheet("Mine");
        wrong["memoryBandwidthGBs"] = -1;
        const auto refused = saveOwnSheet(file(), std::nullopt, wrong);
        QVERIFY(!refused.hasValue());
        QCOMPARE(refused.error().context.at("field"), std::string("memoryBandwidthGBs"));
        QVERIFY(!std::filesystem::exists(file()));
        QVERIFY(saveOwnSheet(file(), std::nullopt, sheet("Mine")).hasValue());
        QVERIFY(saveOwnSheet(file(), std::nullopt, sheet("Other")).hasValue());
        const std::string before = textOf();
        QCOMPARE(saveOwnSheet(file(), std::nullopt, sheet("MINE")).error().code, ErrorCode::Refused);
        QCOMPARE(saveOwnSheet(file(), sheet("Other"), sheet("mine")).error().code, ErrorCode::Refused);
        ordered_json old = sheet("Mine");
        old["year"] = 1999;
        QCOMPARE(saveOwnSheet(file(), old, sheet("Mine")).error().code, ErrorCode::Refused);
        QCOMPARE(removeOwnSheet(file(), old).error().code, ErrorCode::Refused);
        QCOMPARE(textOf(), before);
    }

    // One that is wrong is read with why, so that it can be corrected.
    void aWrongOneCanBeCorrected()
    {
        ordered_json wrong = sheet("Wrong");
        wrong["pcie"] = nullptr;
        ordered_json nameless = sheet("x");
        nameless.erase("id");
        put(ordered_json::array({wrong, 5, nameless}).dump());
        const auto own = readOwnSheets(file());
        QVERIFY(own.hasValue() && own->size() == 2);
        QCOMPARE((*own)[0].id, std::string("Wrong"));
        QCOMPARE((*own)[0].problem->context.at("field"), std::string("pcie"));
        QCOMPARE((*own)[1].id, std::string("#3"));
        QVERIFY(saveOwnSheet(file(), (*own)[0].entry, sheet("Wrong")).hasValue());
        QVERIFY(!readOwnSheets(file())->front().problem);
    }

private:
    [[nodiscard]] static ordered_json sheet(const char* id)
    {
        ordered_json out = deviceSheetToJson(*findDevice("L40S"));
        out["id"] = id;
        return out;
    }
    [[nodiscard]] std::filesystem::path file() const { return std::filesystem::path(m_folder.path().toStdString()) / "devices.json"; }
    void put(const std::string& text) const
    {
        QFile out(QString::fromStdString(file().string()));
        if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), qsizetype(text.size())) != qsizetype(text.size())) qFatal("cannot write");
    }
    [[nodiscard]] std::string textOf() const
    {
        QFile in(QString::fromStdString(file().string()));
        return in.open(QIODevice::ReadOnly) ? in.readAll().toStdString() : std::string("no file");
    }
    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TstOwnSheets)
#include "tst_own_sheets.moc"
