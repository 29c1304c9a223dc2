// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"

#include <functional>

namespace stagecraft::app {

/// The settings as one window holds them, and the file that all windows share. What was read at the start is never written back:
/// a change is made to what this window holds and to what the file says at that moment, so that what other windows chose stays.
class SettingsStore {
public:
    using Change = std::function<void(Settings&)>;

    /// @param file  empty: settings are neither read nor kept
    explicit SettingsStore(const QString& file);

    /// What this window goes by. Its theme, language and sizes are its own; its recent files are those of the file.
    [[nodiscard]] const Settings& now() const { return m_now; }
    /// Where they are kept; empty when they are not.
    [[nodiscard]] const QString& file() const { return m_file; }

    /// Applies `change` here and to the newest content of the file. It sets what the user changed and nothing else, and may be
    /// called more than once. Where the disk refuses, the change holds for this window.
    void change(const Change& change);
    /// Takes over the recent files of the other windows.
    void refreshRecent();

private:
    QString m_file;
    Settings m_now;
    bool m_written = true;   ///< false: the file does not have what was changed here
};

}  // namespace stagecraft::app
