// SPDX-License-Identifier: GPL-3.0-or-later
// Several windows share one settings file and may hold the same workspace: none undoes what another chose, and none lets the
// last copy of a file go.
#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/settings_store.h"
#include "base/file_lock.h"
#include "widgets/config_editor.h"
#include "widgets/config_form.h"
#include "widgets/config_page.h"
#include "widgets/text_tools.h"
#include "window_fixture.h"

#include <QAction>
#include <QDir>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QThread>
#include <QToolButton>

#include <barrier>

using namespace stagecraft;
using namespace stagecraft::app;

class TstKeptSettings : public WindowTest {
    Q_OBJECT
private slots:
    void aChangeLeavesWhatOthersChose();
    void recentFilesAreUniqueAndBounded();
    void sizesAreMergedPanelByPanel();
    void whatCannotBeWrittenHoldsForTheWindow();
    void writersAtTheSameTimeLoseNothing();
    void aHungHolderDoesNotHoldTheWindow();
    void windowsKeepOneAnothersChoices();
    void wrappingIsKept();
    void recoveredWorkIsRecent();
    void aRemovedWorkspaceIsToldAndSavedAnew_data();
    void aRemovedWorkspaceIsToldAndSavedAnew();
    void closingAsksForTheLastCopy();
    void whatIsBeingTypedIsSavedToo_data();
    void whatIsBeingTypedIsSavedToo();

private:
    [[nodiscard]] Settings kept() const { return loadSettings(m_options.settingsFile); }
    [[nodiscard]] QString workspace(const char* name) const { return fileWith(QLatin1String(name), QByteArray::fromStdString(FileFlow::demoText())); }
};

void TstKeptSettings::aChangeLeavesWhatOthersChose()
{
    SettingsStore one(m_options.settingsFile), other(m_options.settingsFile);
    one.change([](Settings& settings) { settings.theme = theme::Mode::Dark; });
    other.change([](Settings& settings) { settings.language = Language::SimplifiedChinese; });
    one.change([](Settings& settings) { settings.addRecent(QStringLiteral("/a.json")); });
    other.change([](Settings& settings) { settings.addRecent(QStringLiteral("/b.json")); });
    QCOMPARE(kept().theme, theme::Mode::Dark);
    QCOMPARE(kept().language, std::optional(Language::SimplifiedChinese));
    QCOMPARE(kept().recentFiles, QStringList({QStringLiteral("/b.json"), QStringLiteral("/a.json")}));
    // The looks of a window stay its own; files that were opened are everybody's.
    QCOMPARE(other.now().theme, theme::Mode::System);
    QCOMPARE(other.now().recentFiles, kept().recentFiles);
    QCOMPARE(one.now().recentFiles, QStringList({QStringLiteral("/a.json")}));
    one.refreshRecent();
    QCOMPARE(one.now().recentFiles, kept().recentFiles);
    // A choice counts even where this window had it all the time, and a file taken out stays out.
    other.change([](Settings& settings) { settings.theme = theme::Mode::System; });
    one.change([](Settings& settings) { settings.recentFiles.removeAll(QStringLiteral("/b.json")); });
    other.change([](Settings& settings) { settings.lastFolder = QStringLiteral("/there"); });
    QCOMPARE(kept().theme, theme::Mode::System);
    QCOMPARE(kept().recentFiles, QStringList({QStringLiteral("/a.json")}));
}

void TstKeptSettings::recentFilesAreUniqueAndBounded()
{
    Settings settings;
    for (int i = 0; i < 12; ++i)
        settings.addRecent(QStringLiteral("/f%1").arg(i));
    settings.addRecent(QStringLiteral("/f5"));
    QCOMPARE(settings.recentFiles.size(), 10);
    QCOMPARE(settings.recentFiles.first(), QStringLiteral("/f5"));
    QCOMPARE(settings.recentFiles.count(QStringLiteral("/f5")), 1);
}

void TstKeptSettings::sizesAreMergedPanelByPanel()
{
    SettingsStore one(m_options.settingsFile), other(m_options.settingsFile);
    one.change([](Settings& settings) { settings.panelSizes[QStringLiteral("PlanPage/0")] = "one"; });
    other.change([](Settings& settings) { settings.panelSizes[QStringLiteral("RunPage/0")] = "other"; });
    QCOMPARE(kept().panelSizes.value(QStringLiteral("PlanPage/0")), QByteArray("one"));
    QCOMPARE(kept().panelSizes.value(QStringLiteral("RunPage/0")), QByteArray("other"));
}

void TstKeptSettings::whatCannotBeWrittenHoldsForTheWindow()
{
    const QByteArray newer = R"({"version": 99, "recentFiles": ["/new.json"]})";
    (void)fileWith(QStringLiteral("settings.json"), newer);
    SettingsStore store(m_options.settingsFile);
    store.change([](Settings& settings) { settings.addRecent(QStringLiteral("/a.json")); });
    store.change([](Settings& settings) { settings.addRecent(QStringLiteral("/b.json")); });
    store.refreshRecent();
    QCOMPARE(store.now().recentFiles, QStringList({QStringLiteral("/b.json"), QStringLiteral("/a.json")}));
    QFile file(m_options.settingsFile);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), newer);
    SettingsStore none{QString()};
    none.change([](Settings& settings) { settings.addRecent(QStringLiteral("/a.json")); });
    QCOMPARE(none.now().recentFiles, QStringList({QStringLiteral("/a.json")}));
}

void TstKeptSettings::writersAtTheSameTimeLoseNothing()
{
    constexpr int kEach = 20;
    std::barrier together(2);   // each change meets one of the other: whoever is faster must not starve the other
    const auto write = [&together, file = m_options.settingsFile](const QString& name) {
        SettingsStore store(file);
        for (int i = 0; i < kEach; ++i) {
            together.arrive_and_wait();
            store.change([&](Settings& settings) { settings.panelSizes[name + QString::number(i)] = "x"; });
        }
    };
    std::unique_ptr<QThread> one(QThread::create([&] { write(QStringLiteral("a")); })), other(QThread::create([&] { write(QStringLiteral("b")); }));
    one->start();
    other->start();
    QVERIFY(one->wait() && other->wait());
    QCOMPARE(kept().panelSizes.size(), 2 * kEach);
}

void TstKeptSettings::aHungHolderDoesNotHoldTheWindow()
{
    const auto held = FileLock::take((m_options.settingsFile + QStringLiteral(".lock")).toStdString());
    QVERIFY(held.hasValue());
    SettingsStore store(m_options.settingsFile);
    store.change([](Settings& settings) { settings.theme = theme::Mode::Light; });
    QCOMPARE(kept().theme, theme::Mode::Light);
}

void TstKeptSettings::windowsKeepOneAnothersChoices()
{
    openWindow();
    MainWindow other(m_options);
    other.show();
    const QString file = workspace("a.json");
    other.files().openPath(file);
    QCOMPARE(kept().recentFiles, QStringList({file}));
    // Opening and leaving in one window takes nothing from the other.
    m_window->actions().newWorkspace->trigger();
    QCOMPARE(kept().recentFiles, QStringList({file}));
    m_window->setThemeMode(theme::Mode::Dark);
    m_window->setLanguage(Language::SimplifiedChinese);
    QVERIFY(other.close());
    QCOMPARE(kept().theme, theme::Mode::Dark);
    QCOMPARE(kept().language, std::optional(Language::SimplifiedChinese));
    QCOMPARE(kept().recentFiles, QStringList({file}));
    QVERIFY(m_window->close());
    QCOMPARE(kept().recentFiles, QStringList({file}));
    m_window->setThemeMode(theme::Mode::System);
}

void TstKeptSettings::wrappingIsKept()
{
    const auto tools = [this] { return m_window->findChild<TextTools*>(); };
    openWindow();
    QVERIFY(!tools()->wrapButton()->isChecked());
    tools()->wrapButton()->click();
    QVERIFY(kept().wrapText);
    closeWindow();
    openWindow();
    QVERIFY(tools()->wrapButton()->isChecked());
}

void TstKeptSettings::recoveredWorkIsRecent()
{
    const QString file = workspace("a.json");
    {
        // A window that died: its entry stays, its lock is let go.
        WorkspaceDocument document;
        QVERIFY(document.open(file.toStdString()).hasValue());
        QVERIFY(document.setValue("/training/steps", "77", QStringLiteral("Steps")).hasValue());
        RecoveryJournal journal(m_options.recovery, document);
        journal.flush();
        const auto folder = m_scratch->filePath(QStringLiteral("recovery"));
        const QStringList entries = QDir(folder).entryList({QStringLiteral("*.json")});
        QCOMPARE(entries.size(), 1);
        QVERIFY(QFile::copy(QDir(folder).filePath(entries[0]), QDir(folder).filePath(QStringLiteral("dead.json"))));
    }
    openWindow();
    const auto recover = [this] { return m_window->findChild<QPushButton*>(QStringLiteral("recoverButton")); };
    QTRY_VERIFY(recover() != nullptr);
    // Who cannot say now is asked again by the next window.
    QTest::keyClick(recover()->window(), Qt::Key_Escape);
    QTRY_VERIFY(recover() == nullptr);
    QVERIFY(!m_window->document().isModified());
    openWindow();
    QTRY_VERIFY(recover() != nullptr);
    recover()->click();
    QVERIFY(m_window->document().isModified());
    QCOMPARE(kept().recentFiles, QStringList({file}));
}

void TstKeptSettings::aRemovedWorkspaceIsToldAndSavedAnew_data()
{
    QTest::addColumn<QString>("removed");
    QTest::newRow("the workspace") << QString("w.json");
    QTest::newRow("its ds_config") << QString("ds.json");
}

void TstKeptSettings::aRemovedWorkspaceIsToldAndSavedAnew()
{
    QFETCH(QString, removed);
    const QByteArray config = R"({"train_micro_batch_size_per_gpu": 4})";
    (void)fileWith(QStringLiteral("ds.json"), config);
    const QByteArray text = QByteArray::fromStdString(withValue(FileFlow::demoText(), "/dsConfig", "\"ds.json\""));
    const QString file = fileWith(QStringLiteral("w.json"), text);
    openWindow();
    QSignalSpy failed(&m_window->files(), &FileFlow::failed);
    openFile(file);
    QVERIFY(!m_window->isWindowModified());
    const QString path = m_scratch->filePath(removed);
    QVERIFY(QFile::remove(path));
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY2(failed[0][0].toString().contains(removed), qPrintable(failed[0][0].toString()));
    QVERIFY(m_window->isWindowModified() && m_window->actions().save->isEnabled());
    m_window->actions().save->trigger();
    QFile again(path);
    QVERIFY(again.open(QIODevice::ReadOnly));
    QCOMPARE(again.readAll(), removed == QLatin1String("ds.json") ? config : text);
    QVERIFY(!m_window->isWindowModified() && !m_window->document().isModified());
    QCOMPARE(failed.count(), 1);
}

void TstKeptSettings::closingAsksForTheLastCopy()
{
    const QString file = workspace("a.json");
    openWindow();
    openFile(file);
    // Before anything else has been seen of it.
    QVERIFY(QFile::remove(file));
    QVERIFY(!m_window->close());
    auto* box = m_window->findChild<QMessageBox*>(QStringLiteral("unsavedQuestion"));
    QVERIFY(box != nullptr);
    QVERIFY2(box->text().contains(QStringLiteral("a.json was removed")), qPrintable(box->text()));
    box->findChild<QPushButton*>(QStringLiteral("saveButton"))->click();
    QVERIFY(QFile::exists(file));
    QTRY_VERIFY(m_window->isHidden());
}

void TstKeptSettings::whatIsBeingTypedIsSavedToo_data()
{
    QTest::addColumn<bool>("form");
    QTest::newRow("in a field of the form") << true;
    QTest::newRow("in the text") << false;
}

void TstKeptSettings::whatIsBeingTypedIsSavedToo()
{
    QFETCH(bool, form);
    const QString file = workspace("w.json");
    openWindow();
    openFile(file);
    m_window->showPage(1);
    ConfigPage& view = m_window->findChild<ConfigDocumentPage*>()->view();
    const auto type = [&](char digit) {
        if (!form) {
            ConfigEditor& editor = *view.editor();
            editor.setFocus();
            const qsizetype at = editor.bytes().indexOf("\"gradient_accumulation_steps\": ") + qsizetype(sizeof("\"gradient_accumulation_steps\": ") - 1);
            editor.setCursorOffset(static_cast<int>(at));
            QTest::keyClick(&editor, digit);
            return;
        }
        view.showKey(QStringLiteral("/gradient_accumulation_steps"));
        ConfigFormView* rows = view.form()->view();
        rows->setFocus();
        QTest::keyClick(rows, Qt::Key_Return);
        auto* field = rows->viewport()->findChild<QLineEdit*>();
        QVERIFY(field);
        field->setFocus();
        field->selectAll();
        QTest::keyClick(field, digit);   // and no Return
    };
    type('2');
    QTest::keyClick(m_window->focusWidget(), Qt::Key_S, Qt::ControlModifier);
    QFile saved(file);
    QVERIFY(saved.open(QIODevice::ReadOnly));
    const QByteArray text = saved.readAll();
    QVERIFY2(text.contains("\"gradient_accumulation_steps\": 2"), text.constData());
    QVERIFY(!m_window->isWindowModified());
    // Closing asks about it, too.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);   // the field that was left
    type('3');
    m_window->close();
    auto* box = m_window->findChild<QMessageBox*>(QStringLiteral("unsavedQuestion"));
    QVERIFY(box != nullptr);
    box->findChild<QPushButton*>(QStringLiteral("discardButton"))->click();
}

QTEST_MAIN(TstKeptSettings)
#include "tst_kept_settings.moc"
