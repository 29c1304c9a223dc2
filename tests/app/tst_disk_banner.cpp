// SPDX-License-Identifier: GPL-3.0-or-later
// Another program writes the open files: what nobody edited follows them, what somebody did is asked about beside the work.
#include "app/actions.h"
#include "app/disk_banner.h"
#include "widgets/config_diff.h"
#include "widgets/config_page.h"
#include "window_fixture.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QTableWidget>
#include <QUndoStack>

using namespace stagecraft;
using namespace stagecraft::app;

class TstDiskBanner : public WindowTest {
    Q_OBJECT
private slots:
    void init() override
    {
        freshFolder();
        openWindow();
    }
    void anotherProgramsWriteIsTakenOrAskedAbout();
    void changedFileIsNamed();
};

void TstDiskBanner::anotherProgramsWriteIsTakenOrAskedAbout()
{
    QByteArray text = QByteArray::fromStdString(FileFlow::demoText());
    const QString path = fileWith(QStringLiteral("w.json"), text);
    openFile(path);
    // Nothing is unsaved: what the file holds is shown, and can be undone from the line that says so.
    auto* banner = m_window->findChild<DiskBanner*>();
    text.replace("\"stage\": 2", "\"stage\": 1");
    fileWith(QStringLiteral("w.json"), text);
    QTRY_VERIFY(banner->isVisible() && !banner->asks());
    QVERIFY(banner->sentence().contains(QStringLiteral("w.json")));
    waitForPlan();
    QTRY_COMPARE(m_window->plans().current()->engine->zeroStage, 1);
    QVERIFY(!m_window->document().isModified());
    banner->button()->click();
    QVERIFY(!banner->isVisible());
    waitForPlan();
    QTRY_COMPARE(m_window->plans().current()->engine->zeroStage, 2);
    // Now there is work that the file does not hold: it is asked about, beside the work and not over it.
    QVERIFY(m_window->document().isModified());
    text.replace("\"stage\": 1", "\"stage\": 3");
    fileWith(QStringLiteral("w.json"), text);
    QTRY_VERIFY(banner->asks() && banner->isVisible());
    QCOMPARE(QApplication::activeModalWidget(), nullptr);
    QVERIFY(m_window->document().text().find("\"stage\": 2") != std::string::npos);
    banner->button()->click();
    auto* config = m_window->findChild<ConfigPage*>();
    QTRY_VERIFY(config->diff()->isVisible());
    const auto stage = config->diff()->table()->findItems(QStringLiteral("zero_optimization.stage"), Qt::MatchExactly);
    QCOMPARE(stage.size(), 1);
    QCOMPARE(config->diff()->table()->item(stage.front()->row(), 1)->text(), QStringLiteral("3"));
    banner->findChild<QPushButton*>(QStringLiteral("takeButton"))->click();
    QVERIFY(!banner->isVisible() && !m_window->document().isModified());
    QVERIFY(m_window->document().text().find("\"stage\": 3") != std::string::npos);
    QCOMPARE(config->diff()->table()->rowCount(), 0);
}

void TstDiskBanner::changedFileIsNamed()
{
    QByteArray text = QByteArray::fromStdString(FileFlow::demoText());
    auto workspace = QJsonDocument::fromJson(text).object();
    const QByteArray config = QJsonDocument(workspace[QStringLiteral("dsConfig")].toObject()).toJson();
    workspace[QStringLiteral("dsConfig")] = QStringLiteral("ds.json");
    fileWith(QStringLiteral("ds.json"), config);
    openFile(fileWith(QStringLiteral("w.json"), QJsonDocument(workspace).toJson()));
    fileWith(QStringLiteral("ds.json"), config + " ");
    auto* banner = m_window->findChild<DiskBanner*>();
    QTRY_VERIFY(banner->isVisible());
    QCOMPARE(banner->sentence(), QStringLiteral("Another program changed ds.json: its content is shown now."));
}

QTEST_MAIN(TstDiskBanner)
#include "tst_disk_banner.moc"
