// SPDX-License-Identifier: GPL-3.0-or-later
// The first start of the window: language and theme are the system's; what a person chooses then is kept at the next ones.
// The system is a session bus of our own with a desktop portal on it, and the environment's locale.
#include "app/actions.h"
#include "app/desktop_notice.h"
#include "app/page.h"
#include "app/settings.h"
#include "window_fixture.h"

#include <QAction>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QDBusVirtualObject>
#include <QProcess>
#include <QSignalSpy>
#include <QSplitter>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

/// What a desktop answers: its colour scheme, and where notifications go.
class Desktop : public QDBusVirtualObject {
public:
    uint scheme = 1;   // prefers dark
    QStringList notices;

    QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& bus) override
    {
        if (message.member() == QLatin1String("Read")) {
            bus.send(message.createReply(QVariant::fromValue(QDBusVariant(QVariant::fromValue(QDBusVariant(scheme))))));
            return true;
        }
        if (message.member() == QLatin1String("Notify")) {
            notices << message.arguments().value(3).toString() + QStringLiteral("|") + message.arguments().value(4).toString();
            bus.send(message.createReply(QVariant::fromValue(1u)));
            return true;
        }
        return false;
    }
    void change(QDBusConnection& bus, uint to)
    {
        scheme = to;
        QDBusMessage signal = QDBusMessage::createSignal(QStringLiteral("/org/freedesktop/portal/desktop"), QStringLiteral("org.freedesktop.portal.Settings"), QStringLiteral("SettingChanged"));
        signal << QStringLiteral("org.freedesktop.appearance") << QStringLiteral("color-scheme") << QVariant::fromValue(QDBusVariant(to));
        QVERIFY(bus.send(signal));
    }
};

}  // namespace

class TstFirstStart : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanupTestCase() { QDBusConnection::disconnectFromBus(QStringLiteral("desktop")); }
    void languageIsTheSystemsAndAChosenOneIsKept();
    void windowFitsItsScreen();
    void aFileThatNeverWasIsNotMissed();
    void themeFollowsTheDesktopUntilOneIsChosen();
    void aNoticeReachesTheDesktop();
    void panelSizesAreKept();

private:
    [[nodiscard]] std::unique_ptr<MainWindow> window() const;

    QTemporaryDir m_scratch;
    Desktop m_desktop;
    std::unique_ptr<QDBusConnection> m_bus;
};

void TstFirstStart::initTestCase()
{
    m_bus = std::make_unique<QDBusConnection>(QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("desktop")));
    if (m_bus->isConnected()) {
        QVERIFY(m_bus->registerService(QStringLiteral("org.freedesktop.portal.Desktop")));
        QVERIFY(m_bus->registerService(QStringLiteral("org.freedesktop.Notifications")));
        QVERIFY(m_bus->registerVirtualObject(QStringLiteral("/org/freedesktop"), &m_desktop, QDBusConnection::SubPath));
    }
    theme::Theme::install(*qApp);
}

std::unique_ptr<MainWindow> TstFirstStart::window() const
{
    auto made = std::make_unique<MainWindow>(optionsIn(m_scratch));
    made->resize(1440, 900);
    made->show();
    return made;
}

void TstFirstStart::windowFitsItsScreen()
{
    MainWindow window(optionsIn(m_scratch));
    const QSize usual = window.size();
    window.fitInto({2560, 1440});
    QCOMPARE(window.size(), usual);
    window.fitInto({1366, 740});
    QVERIFY2(window.width() < 1366 && window.height() < 740, qPrintable(QStringLiteral("%1x%2").arg(window.width()).arg(window.height())));
    window.fitInto({300, 200});   // what the window needs it needs
    QCOMPARE(window.size(), window.minimumSize());
}

void TstFirstStart::aFileThatNeverWasIsNotMissed()
{
    const auto first = window();
    first->setLanguage(Language::English);
    QSignalSpy failed(&first->files(), &FileFlow::failed);
    const QString path = m_scratch.filePath(QStringLiteral("never.json"));
    first->files().openPath(path);
    QCOMPARE(failed.count(), 1);
    QVERIFY2(failed[0][0].toString().contains(QStringLiteral("there is no such file")), qPrintable(failed[0][0].toString()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray::fromStdString(FileFlow::demoText())) > 0);
    file.close();
    first->files().openPath(path);
    QVERIFY(first->document().isOpen());
    first->document().close();
    QVERIFY(QFile::remove(path));
    first->files().openPath(path);
    QVERIFY(failed.last()[0].toString().contains(QStringLiteral("any more")));
}

void TstFirstStart::languageIsTheSystemsAndAChosenOneIsKept()
{
    {
        auto first = window();
        QCOMPARE(first->pages().front()->name(), QStringLiteral("规划"));
        QVERIFY(first->actions().chinese->isChecked());
        // Looking is no choice: a system that changes is followed at the next start.
        QVERIFY(first->close());
    }
    QVERIFY(!loadSettings(m_scratch.filePath(QStringLiteral("settings.json"))).language.has_value());
    {
        auto second = window();
        QCOMPARE(second->pages().front()->name(), QStringLiteral("规划"));
        second->actions().english->trigger();
        QCOMPARE(second->pages().front()->name(), QStringLiteral("Plan"));
        QVERIFY(second->close());
    }
    auto third = window();
    QCOMPARE(third->pages().front()->name(), QStringLiteral("Plan"));
    QVERIFY(third->actions().english->isChecked());
}

void TstFirstStart::themeFollowsTheDesktopUntilOneIsChosen()
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    QSKIP("Qt itself follows the desktop from 6.5 on");
#endif
    if (!m_bus->isConnected())
        QSKIP("no dbus-daemon here");
    const auto dark = [] { return theme::Theme::instance()->scheme() == theme::Scheme::Dark; };
    {
        auto first = window();
        QVERIFY(first->actions().themeSystem->isChecked());
        QTRY_VERIFY(dark());
        QVERIFY(first->palette().color(QPalette::Window).lightnessF() < 0.5);
        m_desktop.change(*m_bus, 2);
        QTRY_VERIFY(!dark());
        m_desktop.change(*m_bus, 1);
        QTRY_VERIFY(dark());
        first->actions().themeLight->trigger();
        QVERIFY(!dark());
        QVERIFY(first->close());
    }
    auto second = window();
    QVERIFY(second->actions().themeLight->isChecked());
    m_desktop.change(*m_bus, 1);
    QTest::qWait(50);   // the signal comes to a window that must not follow it; there is nothing to wait for
    QVERIFY(!dark());
    second->actions().themeSystem->trigger();
    QVERIFY(dark());
}

void TstFirstStart::aNoticeReachesTheDesktop()
{
    if (!m_bus->isConnected())
        QSKIP("no dbus-daemon here");
    notifyDesktop(QStringLiteral("demo: Failed"), QStringLiteral("Rank 1 ended."));
    QTRY_COMPARE(m_desktop.notices.size(), 1);
    QCOMPARE(m_desktop.notices.first(), QStringLiteral("demo: Failed|Rank 1 ended."));
}

void TstFirstStart::panelSizesAreKept()
{
    const auto sizes = [](MainWindow& shown) {
        QList<QList<int>> all;
        for (const QSplitter* splitter : shown.currentPage()->findChildren<QSplitter*>())
            all << splitter->sizes();
        return all;
    };
    QList<QList<int>> own, left;
    {
        auto first = window();
        first->actions().openDemo->trigger();
        own = sizes(*first);
        auto* splitter = first->currentPage()->findChild<QSplitter*>();
        QVERIFY(splitter);
        const int sum = splitter->sizes().value(0) + splitter->sizes().value(1);
        splitter->setSizes({sum * 3 / 5, sum - sum * 3 / 5});
        left = sizes(*first);
        QVERIFY(left != own);
        QVERIFY(first->close());
    }
    auto second = window();
    second->actions().openDemo->trigger();
    QCOMPARE(sizes(*second), left);
    second->actions().resetLayout->trigger();
    QVERIFY(sizes(*second) != left);
}

int main(int argc, char** argv)
{
    // Before anything asks: the locale is read at the first question, the bus at the first window.
    for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANGUAGE"})
        qunsetenv(variable);
    qputenv("LANG", "zh_CN.UTF-8");
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    QProcess daemon;
    daemon.start(QStringLiteral("dbus-daemon"), {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address=1")});
    if (daemon.waitForStarted() && daemon.waitForReadyRead(30'000))
        qputenv("DBUS_SESSION_BUS_ADDRESS", daemon.readLine().trimmed());
    int failed = 0;
    {
        QApplication application(argc, argv);
        TstFirstStart test;
        failed = QTest::qExec(&test, argc, argv);
    }
    daemon.kill();
    daemon.waitForFinished();
    return failed;
}

#include "tst_first_start.moc"
