// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>

namespace stagecraft::app {

enum class Language : std::uint8_t { English, SimplifiedChinese };

/// Everything the window remembers between starts. Windows share one file: they change it by SettingsStore.
struct Settings {
    static constexpr int kVersion = 1;

    theme::Mode theme = theme::Mode::System;
    std::optional<Language> language;   ///< unset = follow the system
    QStringList recentFiles;            ///< newest first, absolute paths, at most ten
    QByteArray windowGeometry;
    QByteArray windowState;
    bool inspectorOpen = true;
    int inspectorWidth = 312;           ///< px
    QMap<QString, QByteArray> panelSizes;   ///< "PlanPage/0" -> QSplitter state (LayoutMemory)
    bool wrapText = false;              ///< long lines of the ds_config's text
    QString lastFolder;                 ///< where the file dialog starts

    void addRecent(const QString& path);

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// The file: $XDG_CONFIG_HOME/stagecraft/settings.json.
[[nodiscard]] QString settingsPath();
/// $XDG_STATE_HOME/stagecraft (default ~/.local/state/stagecraft): recovery journals.
[[nodiscard]] QString stateFolder();
/// Reads the file; a missing, broken or newer one gives defaults (a newer one is left as it is on disk).
[[nodiscard]] Settings loadSettings(const QString& path = settingsPath());
/// Writes it atomically. @return false when the disk refuses; a window must not fail over its own size
bool saveSettings(const Settings& settings, const QString& path = settingsPath());

}  // namespace stagecraft::app
