// SPDX-License-Identifier: GPL-3.0-or-later
// Data sheets of devices, read, made, corrected and removed in the window.
#include "app/actions.h"
#include "app/choice_list.h"
#include "app/device_sheets_dialog.h"
#include "app/hardware_choice.h"
#include "app/sheet_form.h"
#include "hardware/user_sheets.h"
#include "subject_fixture.h"

#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>

#include <nlohmann/json.hpp>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::app;
using nlohmann::json;

class TstDeviceSheets : public SubjectTest {
    Q_OBJECT
private slots:
    void init() override
    {
        freshFolder();
        qputenv("XDG_CONFIG_HOME", m_scratch->filePath(QStringLiteral("config")).toUtf8());
        (void)loadUserDeviceSheets(userDeviceSheetFile());
        openWindow();
    }
    void cleanup() override
    {
        closeWindow();
        (void)loadUserDeviceSheets("/nowhere/devices.json");
    }
    void everyFigureIsShown();
    void theMenuOpensOnThePlansDevice();
    void searched();
    void aCopyIsMadeChosenAndPlannedWith();
    void theArrowsMoveAndEscCloses();
    void whatIsWrongIsToldAtItsField_data();
    void whatIsWrongIsToldAtItsField();
    void whatWasTypedIsNotLostUnasked();
    void othersStayAndAWrongOneIsMended();
    void removedAfterAQuestion();
    void aBadFileIsToldAndStays();
    void chinese();

private:
    DeviceSheetsDialog* openSheets()
    {
        QPushButton* button = panel().hardware().sheets();
        panel().start(SubjectPanel::Part::Hardware);
        QTest::mouseClick(button, Qt::LeftButton);
        auto* dialog = m_window->findChild<DeviceSheetsDialog*>();
        if (!dialog || !QTest::qWaitForWindowExposed(dialog))
            qFatal("no dialog");
        return dialog;
    }
    static void press(DeviceSheetsDialog* dialog, const char* name)
    {
        auto* button = dialog->findChild<QPushButton*>(QLatin1String(name));
        QVERIFY2(button && button->isVisible() && button->isEnabled(), name);
        QTest::mouseClick(button, Qt::LeftButton);
    }
    static void write(DeviceSheetsDialog* dialog, const char* key, const char* text)
    {
        QLineEdit* field = dialog->form()->field(QLatin1String(key));
        QVERIFY2(field, key);
        field->setFocus();
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, QString::fromUtf8(text));
    }
    static void put(const std::string& text)
    {
        std::filesystem::create_directories(userDeviceSheetFile().parent_path());
        QFile file(QString::fromStdString(userDeviceSheetFile().string()));
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qsizetype(text.size())) != qsizetype(text.size()))
            qFatal("cannot write");
        file.close();
        (void)loadUserDeviceSheets(userDeviceSheetFile());
    }
    static std::string text()
    {
        QFile file(QString::fromStdString(userDeviceSheetFile().string()));
        return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
    }
    static json sheetOf(const char* device, const char* id)
    {
        json sheet = deviceSheetToJson(*findDevice(device));
        sheet["id"] = id;
        return sheet;
    }
};

// Also before the panel of the hardware was ever open.
void TstDeviceSheets::theMenuOpensOnThePlansDevice()
{
    begin();
    m_window->actions().sheets->trigger();
    auto* dialog = m_window->findChild<DeviceSheetsDialog*>();
    QVERIFY(dialog);
    QCOMPARE(dialog->sheets()->current(), QString::fromStdString(plan().workspace->hardware.device));
}

// All that a sheet has stands there, with unit, meaning and source.
void TstDeviceSheets::everyFigureIsShown()
{
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    const json all = deviceSheetToJson(*findDevice("H800-SXM-80GB"));
    dialog->choose(QStringLiteral("h800-sxm-80gb"));
    int figures = 0;
    const json flat = all.flatten();
    for (const auto& [path, value] : flat.items()) {
        const QString key = QString::fromStdString(path).mid(1).replace(QLatin1Char('/'), QLatin1Char('.'));
        QLineEdit* field = dialog->form()->field(key);
        QVERIFY2(field, qPrintable(key));
        QVERIFY(field->isReadOnly());
        if (value.is_number()) {
            QVERIFY2(std::abs(field->text().toDouble() / value.get<double>() - 1) < 1e-9, qPrintable(key));
            ++figures;
        } else {
            QCOMPARE(field->text(), QString::fromStdString(value.get<std::string>()));
        }
    }
    QVERIFY(figures >= 12);
    QCOMPARE(dialog->form()->field(QStringLiteral("peakTflops.bf16"))->text(), QStringLiteral("989.4"));
    QCOMPARE(dialog->form()->field(QStringLiteral("memoryBandwidthGBs"))->accessibleName(), QStringLiteral("Memory bandwidth, GB/s"));
    auto* links = dialog->form()->findChild<QLabel*>(QStringLiteral("sourceLinks"));
    QVERIFY(links->isVisible() && links->text().contains(QLatin1String("https://arxiv.org/abs/2412.19437")));
    dialog->close();
}

void TstDeviceSheets::searched()
{
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    QTest::keyClicks(dialog->sheets()->search(), QStringLiteral("mi300"));
    QVERIFY(!dialog->sheets()->item(QStringLiteral("MI300X"))->isHidden());
    QVERIFY(dialog->sheets()->item(QStringLiteral("H100-SXM-80GB"))->isHidden());
    dialog->close();
}

// From a built-in sheet to a plan with an own one, by mouse and keyboard.
void TstDeviceSheets::aCopyIsMadeChosenAndPlannedWith()
{
    begin();
    click(panel().hardware().devices(), QStringLiteral("H100-SXM-80GB"));
    DeviceSheetsDialog* dialog = openSheets();
    QCOMPARE(dialog->form()->field(QStringLiteral("id"))->text(), QStringLiteral("H100-SXM-80GB"));   // that of the plan
    press(dialog, "copySheet");
    QVERIFY(dialog->isEditing());
    QCOMPARE(dialog->form()->field(QStringLiteral("id"))->text(), QStringLiteral("H100-SXM-80GB-mine"));
    // What is changed in it is not NVIDIA's.
    QVERIFY(dialog->form()->field(QStringLiteral("source"))->text().startsWith(QStringLiteral("own figures, begun from H100-SXM-80GB: ")));
    QVERIFY2(factsOf(*findDevice("cpu")).startsWith(QStringLiteral("the host's memory · ")) && !factsOf(*findDevice("cpu")).contains(QStringLiteral(" 0.0 ")), qPrintable(factsOf(*findDevice("cpu"))));
    write(dialog, "id", "Lab-H100");
    write(dialog, "memoryUsableGiB", "61.5");
    write(dialog, "peakTflops.fp4", "2000");
    write(dialog, "source", "measured here");
    QVERIFY2(dialog->told().isEmpty(), qPrintable(dialog->told()));
    QTest::keyClick(dialog->form()->field(QStringLiteral("source")), Qt::Key_Return);
    QVERIFY(!dialog->isEditing());
    const json written = json::parse(text());
    QCOMPARE(written.size(), std::size_t{1});
    QVERIFY(written[0]["id"] == json("Lab-H100"));
    QVERIFY(written[0]["memoryUsableGiB"] == json(61.5));
    QVERIFY(written[0]["peakTflops"]["bf16"] == json(989.4));
    QVERIFY(written[0]["peakTflops"]["fp4"] == json(2000));
    dialog->close();
    click(panel().hardware().devices(), QStringLiteral("Lab-H100"));
    QCOMPARE(workspace().hardware.device, std::string("Lab-H100"));
    QCOMPARE(plan().plan->fit->usable, static_cast<std::int64_t>(61.5 * (1 << 30)));
    // Corrected, the plan follows at once: nothing is chosen again.
    dialog = openSheets();
    press(dialog, "editSheet");
    write(dialog, "memoryUsableGiB", "30");
    press(dialog, "saveSheet");
    waitForPlan();
    QTRY_COMPARE(plan().plan->fit->usable, std::int64_t{30} << 30);
    dialog->close();
}

void TstDeviceSheets::theArrowsMoveAndEscCloses()
{
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    dialog->choose(QStringLiteral("V100-SXM2-16GB"));
    dialog->sheets()->list()->setFocus();
    QTest::keyClick(dialog->sheets()->list(), Qt::Key_Down);
    QCOMPARE(dialog->form()->field(QStringLiteral("id"))->text(), QStringLiteral("V100-SXM2-32GB"));
    QSignalSpy gone(dialog, &QObject::destroyed);
    QTest::keyClick(dialog, Qt::Key_Escape);
    QTRY_COMPARE(gone.size(), 1);
}

void TstDeviceSheets::whatIsWrongIsToldAtItsField_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("typed");
    QTest::addColumn<QString>("told");
    QTest::newRow("no number") << QByteArray("memoryBandwidthGBs") << QByteArray("fast") << QStringLiteral("Memory bandwidth: Must be a number from 0.1 to 1000000.");
    QTest::newRow("more usable than sold") << QByteArray("memoryUsableGiB") << QByteArray("81") << QStringLiteral("Usable memory: Must be a number from 0.1 to 80.");
    QTest::newRow("no fp32") << QByteArray("peakTflops.fp32") << QByteArray("") << QStringLiteral("fp32: Has no usable value");
    QTest::newRow("a negative peak") << QByteArray("peakTflops.bf16") << QByteArray("-1") << QStringLiteral("bf16: Must be a number");
    QTest::newRow("half a device") << QByteArray("link.maxDevices") << QByteArray("2.5") << QStringLiteral("Devices on one link: Must be a whole number from 2 to 65536.");
    QTest::newRow("half a link") << QByteArray("link.perDirectionGBs") << QByteArray("") << QStringLiteral("Link, per direction: Must be a number");
    QTest::newRow("no way to the host") << QByteArray("pcie.perDirectionGBs") << QByteArray("") << QStringLiteral("Host link, per direction: Must be a number");
    QTest::newRow("no source") << QByteArray("source") << QByteArray("") << QStringLiteral("Source of the figures: Has no usable value");
    QTest::newRow("no id") << QByteArray("id") << QByteArray("") << QStringLiteral("Id: Has no usable value");
    QTest::newRow("infinite power") << QByteArray("powerWatts") << QByteArray("inf") << QStringLiteral("Rated power: Must be a number");
    QTest::newRow("a year of text") << QByteArray("year") << QByteArray("soon") << QStringLiteral("Year: Must be a whole number");
}
void TstDeviceSheets::whatIsWrongIsToldAtItsField()
{
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, typed);
    QFETCH(QString, told);
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    dialog->choose(QStringLiteral("H100-SXM-80GB"));
    press(dialog, "copySheet");
    write(dialog, key.constData(), typed.constData());
    QVERIFY2(dialog->told().startsWith(told), qPrintable(dialog->told()));
    QVERIFY(dialog->form()->field(QString::fromLatin1(key))->property("invalid").toBool());
    auto* save = dialog->findChild<QPushButton*>(QStringLiteral("saveSheet"));
    QVERIFY(!save->isEnabled());
    QTest::keyClick(dialog->form()->field(QString::fromLatin1(key)), Qt::Key_Return);
    QVERIFY(text().empty() && dialog->isEditing());
    press(dialog, "cancelSheet");
    QVERIFY(!dialog->isEditing() && dialog->told().isEmpty());
    dialog->close();
}

void TstDeviceSheets::whatWasTypedIsNotLostUnasked()
{
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    press(dialog, "copySheet");
    write(dialog, "note", "half done");
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(dialog->isVisible() && dialog->isEditing());
    QVERIFY2(dialog->told().contains(QLatin1String("not saved")), qPrintable(dialog->told()));
    dialog->close();
    QVERIFY(dialog->isVisible() && dialog->isEditing());
    press(dialog, "cancelSheet");
    dialog->close();
    QVERIFY(!dialog->isVisible());
}

// What others wrote stays to the byte; a sheet that is not used says why, and is mended.
void TstDeviceSheets::othersStayAndAWrongOneIsMended()
{
    json wrong = sheetOf("L40S", "Wrong");
    wrong["pcie"] = nullptr;
    wrong["owner"] = "rack 4";
    const std::string other = "{ \"who\": \"knows\",\t\"id\": 7 }", good = sheetOf("A40", "Good").dump(3);
    put("[" + other + ",\n" + wrong.dump() + " , " + good + "]\n");
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    // One that has no id at all can be copied as well.
    dialog->choose(QStringLiteral("#1"));
    press(dialog, "copySheet");
    QCOMPARE(dialog->form()->field(QStringLiteral("id"))->text(), QStringLiteral("device-mine"));
    press(dialog, "cancelSheet");
    dialog->choose(QStringLiteral("Wrong"));
    QVERIFY2(dialog->told().startsWith(QLatin1String("Not used. Host link, per direction:")), qPrintable(dialog->told()));
    press(dialog, "editSheet");
    write(dialog, "pcie.perDirectionGBs", "64");
    press(dialog, "saveSheet");
    QVERIFY2(dialog->told().isEmpty(), qPrintable(dialog->told()));
    QVERIFY(findDevice("Wrong") && findDevice("Good"));
    const json now = json::parse(text());
    QVERIFY(now[1]["pcie"]["perDirectionGBs"] == json(64));
    QVERIFY(now[1]["owner"] == json("rack 4"));
    QVERIFY(text().find(other) != std::string::npos && text().find(good) != std::string::npos);
    // Changed behind its back: what is there now is not overwritten.
    press(dialog, "editSheet");
    write(dialog, "powerWatts", "77");
    const std::string meanwhile = "[" + good + "]";
    put(meanwhile);
    press(dialog, "saveSheet");
    QVERIFY2(dialog->told().contains(QLatin1String("has changed")), qPrintable(dialog->told()));
    QCOMPARE(text(), meanwhile);
    press(dialog, "cancelSheet");
    dialog->close();
}

void TstDeviceSheets::removedAfterAQuestion()
{
    put(json::array({sheetOf("L40S", "Mine"), sheetOf("A40", "H100-SXM-80GB")}).dump(2));
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    dialog->choose(QStringLiteral("Mine"));
    press(dialog, "removeSheet");
    auto* box = dialog->findChild<QMessageBox*>(QStringLiteral("removeQuestion"));
    QVERIFY(box && box->text().contains(QLatin1String("Mine")));
    QTest::keyClick(box, Qt::Key_Escape);
    QVERIFY(findDevice("Mine"));
    press(dialog, "removeSheet");
    QTRY_VERIFY(dialog->findChild<QMessageBox*>(QStringLiteral("removeQuestion")));
    QPushButton* yes = nullptr;
    QTRY_VERIFY((yes = dialog->findChild<QPushButton*>(QStringLiteral("removeButton"))) && yes->isVisible());
    QTest::mouseClick(yes, Qt::LeftButton);
    QVERIFY(!findDevice("Mine"));
    QVERIFY(!panel().hardware().devices()->item(QStringLiteral("Mine")));
    // One that stood for a built-in sheet gives way to it.
    QCOMPARE(findDevice("H100-SXM-80GB")->name, findDevice("A40")->name);
    QTRY_VERIFY(!dialog->findChild<QMessageBox*>(QStringLiteral("removeQuestion")));
    dialog->choose(QStringLiteral("H100-SXM-80GB"));
    press(dialog, "removeSheet");
    QTRY_VERIFY((yes = dialog->findChild<QPushButton*>(QStringLiteral("removeButton"))) && yes->isVisible());
    QTest::mouseClick(yes, Qt::LeftButton);
    QVERIFY(findDevice("H100-SXM-80GB")->name != findDevice("A40")->name);
    QVERIFY(json::parse(text()).empty());
    dialog->close();
}

void TstDeviceSheets::aBadFileIsToldAndStays()
{
    put("[{\"id\": \"half");
    begin();
    DeviceSheetsDialog* dialog = openSheets();
    QVERIFY2(dialog->told().contains(QLatin1String("devices.json")), qPrintable(dialog->told()));
    QVERIFY(!dialog->findChild<QPushButton*>(QStringLiteral("copySheet"))->isEnabled());
    QVERIFY(!dialog->form()->field(QStringLiteral("id"))->text().isEmpty());   // the built-in ones are still read
    QCOMPARE(text(), std::string("[{\"id\": \"half"));
    dialog->close();
}

void TstDeviceSheets::chinese()
{
    put("{}");
    begin();
    m_window->setLanguage(Language::SimplifiedChinese);
    DeviceSheetsDialog* dialog = openSheets();
    const auto hasHan = [](const QString& words) { return words.contains(QRegularExpression(QStringLiteral("\\p{Han}"))); };
    QVERIFY2(hasHan(dialog->told()), qPrintable(dialog->told()));
    put("[]");
    dialog->close();
    QTRY_VERIFY(!m_window->findChild<DeviceSheetsDialog*>());
    dialog = openSheets();
    press(dialog, "copySheet");
    write(dialog, "memoryBandwidthGBs", "x");
    QVERIFY2(hasHan(dialog->told()), qPrintable(dialog->told()));
    // Changed while something is typed: it stays.
    m_window->setLanguage(Language::English);
    QCoreApplication::processEvents();
    QCOMPARE(dialog->form()->field(QStringLiteral("memoryBandwidthGBs"))->text(), QStringLiteral("x"));
    QVERIFY2(!hasHan(dialog->told()), qPrintable(dialog->told()));
    press(dialog, "cancelSheet");
    dialog->close();
}

QTEST_MAIN(TstDeviceSheets)
#include "tst_device_sheets.moc"
