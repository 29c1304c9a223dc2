// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_page.h"
#include "window_fixture.h"

#include <QPushButton>

#include <algorithm>

namespace stagecraft::app {

/// A window with a Run page, a folder of runs, and a program to launch that only says what it was asked for.
class RunWindowTest : public WindowTest {
protected:
    std::filesystem::path runs(const char* name) const { return m_options.runsRoot / name; }
    RunPage* page() { return m_window->findChild<RunPage*>(); }
    QPushButton* launchButton() { return m_window->findChild<QPushButton*>(QStringLiteral("launchButton")); }
    void showRunPage()
    {
        const auto& pages = m_window->pages();
        m_window->showPage(static_cast<int>(std::find(pages.begin(), pages.end(), page()) - pages.begin()));
        page()->frameTick();
    }

    /// A supervisor that says what it was called with and refuses.
    void makeRefusingProgram()
    {
        const QString program = fileWith(QStringLiteral("stagecraft"), "#!/bin/sh\nhere=$(dirname \"$0\")\nprintf '%s\\n' \"$@\" > \"$here/arguments\"\ncp \"$2\" \"$here/given.json\"\n"
                                                                       "echo 'stagecraft: Cannot run: nothing to train here; choose another.' >&2\nexit 1\n");
        QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    /// What the program left: "arguments", one a line, and "given.json", the workspace.
    QByteArray given(const char* name)
    {
        QFile file(m_scratch->filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

}  // namespace stagecraft::app
