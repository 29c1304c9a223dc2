// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace stagecraft::app {

namespace {

constexpr std::array kModes{"system", "light", "dark"};
constexpr std::array kLanguages{"en", "zh_CN"};

QJsonObject toJson(const Settings& settings)
{
    QJsonObject json;
    json[u"version"] = Settings::kVersion;
    json[u"theme"] = QLatin1String(kModes.at(static_cast<std::size_t>(settings.theme)));
    if (settings.language)
        json[u"language"] = QLatin1String(kLanguages.at(static_cast<std::size_t>(*settings.language)));
    json[u"recentFiles"] = QJsonArray::fromStringList(settings.recentFiles);
    json[u"windowGeometry"] = QString::fromLatin1(settings.windowGeometry.toBase64());
    json[u"windowState"] = QString::fromLatin1(settings.windowState.toBase64());
    json[u"inspectorOpen"] = settings.inspectorOpen;
    json[u"inspectorWidth"] = settings.inspectorWidth;
    QJsonObject sizes;
    for (auto it = settings.panelSizes.begin(); it != settings.panelSizes.end(); ++it)
        sizes[it.key()] = QString::fromLatin1(it.value().toBase64());
    json[u"panelSizes"] = sizes;
    json[u"wrapText"] = settings.wrapText;
    json[u"lastFolder"] = settings.lastFolder;
    return json;
}

}  // namespace

void Settings::addRecent(const QString& path)
{
    recentFiles.removeAll(path);
    recentFiles.prepend(path);
    while (recentFiles.size() > 10)
        recentFiles.removeLast();
}

QString settingsPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/stagecraft/settings.json");
}

QString stateFolder()
{
    QString root = qEnvironmentVariable("XDG_STATE_HOME");
    if (root.isEmpty() || QDir::isRelativePath(root))
        root = QDir::homePath() + QStringLiteral("/.local/state");
    return root + QStringLiteral("/stagecraft");
}

Settings loadSettings(const QString& path)
{
    Settings settings;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > 1 << 20)
        return settings;
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    const int version = json[u"version"].toInt();
    if (version < 1 || version > Settings::kVersion)
        return settings;
    // Steps from older versions go here, one function each, once there are any.
    for (std::size_t i = 0; i < kModes.size(); ++i)
        if (json[u"theme"].toString() == QLatin1String(kModes[i]))
            settings.theme = static_cast<theme::Mode>(i);
    for (std::size_t i = 0; i < kLanguages.size(); ++i)
        if (json[u"language"].toString() == QLatin1String(kLanguages[i]))
            settings.language = static_cast<Language>(i);
    for (const QJsonValue& value : json[u"recentFiles"].toArray())
        if (value.isString() && settings.recentFiles.size() < 10)
            settings.recentFiles << value.toString();
    settings.windowGeometry = QByteArray::fromBase64(json[u"windowGeometry"].toString().toLatin1());
    settings.windowState = QByteArray::fromBase64(json[u"windowState"].toString().toLatin1());
    settings.inspectorOpen = json[u"inspectorOpen"].toBool(true);
    settings.inspectorWidth = std::clamp(json[u"inspectorWidth"].toInt(settings.inspectorWidth), 240, 800);
    settings.wrapText = json[u"wrapText"].toBool();
    const QJsonObject sizes = json[u"panelSizes"].toObject();
    for (auto it = sizes.begin(); it != sizes.end() && settings.panelSizes.size() < 100; ++it)
        settings.panelSizes[it.key()] = QByteArray::fromBase64(it.value().toString().toLatin1());
    settings.lastFolder = json[u"lastFolder"].toString();
    return settings;
}

bool saveSettings(const Settings& settings, const QString& path)
{
    {
        QFile present(path);
        if (present.open(QIODevice::ReadOnly) && QJsonDocument::fromJson(present.read(1 << 20)).object()[u"version"].toInt() > Settings::kVersion)
            return false;
    }
    QDir().mkpath(QFileInfo(path).path());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    file.write(QJsonDocument(toJson(settings)).toJson());
    return file.commit();
}

}  // namespace stagecraft::app
