// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace stagecraft::app {

class Actions;
class MainWindow;
class SettingsStore;

/// Each opens without blocking and deletes itself when closed.
void showSettings(MainWindow& window, const SettingsStore& settings);
void showShortcuts(MainWindow& window, const Actions& actions);
void showAbout(MainWindow& window);
/// What the focused part is for, by its own name and description.
void showHelp(MainWindow& window);

}  // namespace stagecraft::app
