// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings_store.h"

#include "base/file_lock.h"

#include <QDir>
#include <QFileInfo>
#include <QThread>

#include <optional>

namespace stagecraft::app {

namespace {

/// One window at a time reads, changes and writes, which takes a few milliseconds. A holder that hangs must not keep this window
/// from its settings: after a second it goes on without.
std::optional<FileLock> turnAt(const QString& file)
{
    constexpr int kTries = 500;
    constexpr unsigned long kPauseMs = 2;
    const std::filesystem::path lock = (file + QStringLiteral(".lock")).toStdString();
    for (int i = 0; i < kTries; ++i) {
        auto taken = FileLock::take(lock);
        if (taken.hasValue())
            return std::move(taken.value());
        if (taken.error().code != ErrorCode::Refused)
            break;
        QThread::msleep(kPauseMs);
    }
    return std::nullopt;
}

}  // namespace

SettingsStore::SettingsStore(const QString& file) : m_file(file), m_now(file.isEmpty() ? Settings() : loadSettings(file)) {}

void SettingsStore::change(const Change& change)
{
    change(m_now);
    if (m_file.isEmpty())
        return;
    QDir().mkpath(QFileInfo(m_file).path());
    const auto turn = turnAt(m_file);
    Settings newest = loadSettings(m_file);
    change(newest);
    m_written = saveSettings(newest, m_file);
    if (m_written)
        m_now.recentFiles = newest.recentFiles;
}

void SettingsStore::refreshRecent()
{
    if (!m_file.isEmpty() && m_written)
        m_now.recentFiles = loadSettings(m_file).recentFiles;
}

}  // namespace stagecraft::app
