// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/file_flow.h"
#include "app/main_window.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

namespace stagecraft::app {

/// What a window reads and keeps, all of it in this folder: no tester's own settings, runs or recovered work. There is
/// no program there to launch, until a test makes one.
inline WindowOptions optionsIn(const QTemporaryDir& folder)
{
    WindowOptions options;
    options.program = folder.filePath(QStringLiteral("stagecraft")).toStdString();
    options.runsRoot = folder.filePath(QStringLiteral("runs")).toStdString();
    options.recovery = folder.filePath(QStringLiteral("recovery")).toStdString();
    options.settingsFile = folder.filePath(QStringLiteral("settings.json"));
    return options;
}

/// A folder for each test, and in it whatever windows it opens.
class WindowTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    virtual void init() { freshFolder(); }
    virtual void cleanup() { closeWindow(); }

protected:
    void freshFolder()
    {
        m_scratch = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_scratch->filePath(QStringLiteral("state")).toUtf8());
        m_options = optionsIn(*m_scratch);
    }

    void openWindow()
    {
        m_window = std::make_unique<MainWindow>(m_options);
        m_window->setLanguage(Language::English);
        m_window->show();
    }

    void closeWindow()
    {
        m_window.reset();
        // Answers of background work that was under way belong to a window that is gone; they must not crash anything.
        QCoreApplication::processEvents();
    }

    /// The path of a new file in the test's folder.
    QString fileWith(const QString& name, const QByteArray& bytes) const
    {
        const QString path = m_scratch->filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(path));
        return path;
    }

    void openFile(const QString& path)
    {
        m_window->files().openPath(path);
        waitForPlan();
    }

    void openText(const QByteArray& text)
    {
        m_window->document().openText(text.toStdString(), QStringLiteral("test"));
        waitForPlan();
    }

    void waitForPlan() { QTRY_VERIFY(m_window->plans().current() != nullptr && !m_window->plans().isBusy()); }
    [[nodiscard]] const PlanSet& plan() const { return *m_window->plans().current(); }

    std::unique_ptr<QTemporaryDir> m_scratch;
    WindowOptions m_options;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace stagecraft::app
