// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/recovery_journal.h"

#include "app/session/workspace_document.h"
#include "base/atomic_file.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>
#include <QTimer>
#include <QUuid>

namespace stagecraft::app {

namespace fs = std::filesystem;

fs::path RecoveryJournal::defaultFolder()
{
    const QByteArray state = qgetenv("XDG_STATE_HOME");
    const QString root = state.isEmpty() ? QDir::homePath() + "/.local/state" : QString::fromLocal8Bit(state);
    return fs::path(root.toStdString()) / "stagecraft" / "recovery";
}

RecoveryJournal::RecoveryJournal(const fs::path& folder, WorkspaceDocument& document, QObject* parent)
    : QObject(parent), m_folder(folder), m_document(document), m_id(QUuid::createUuid().toString(QUuid::WithoutBraces)), m_delay(new QTimer(this))
{
    if (auto made = makeFolder(m_folder); !made.hasValue()) m_problem = made.error();
    m_lock = std::make_unique<QLockFile>(QString::fromStdString((m_folder / (m_id + ".lock").toStdString()).string()));
    m_lock->setStaleLockTime(0);  // stale only when its process is gone, never by age
    m_lock->tryLock();
    m_delay->setSingleShot(true);
    m_delay->setInterval(kDelayMs);
    connect(m_delay, &QTimer::timeout, this, &RecoveryJournal::flush);
    connect(&document, &WorkspaceDocument::textChanged, m_delay, [this] { if (!m_delay->isActive()) m_delay->start(); });
    connect(&document, &WorkspaceDocument::saved, this, &RecoveryJournal::flush);
    connect(&document, &WorkspaceDocument::modifiedChanged, this, [this](bool modified) { if (!modified) flush(); });
}

RecoveryJournal::~RecoveryJournal()
{
    // A window that closes has asked about its edits: nothing is left to recover.
    std::error_code ignored;
    fs::remove(entry(m_id), ignored);
}

fs::path RecoveryJournal::entry(const QString& id) const { return m_folder / (id.toStdString() + ".json"); }

void RecoveryJournal::flush()
{
    m_delay->stop();
    if (!m_document.isModified()) {
        std::error_code ignored;
        fs::remove(entry(m_id), ignored);
        return;
    }
    const auto kept = [](const std::string& text) { return QString::fromLatin1(QByteArray::fromStdString(text).toBase64()); };
    QJsonObject object{{"path", QString::fromStdString(m_document.path().string())},
                       {"text", kept(m_document.fileText())},
                       {"knownText", kept(m_document.knownText())},
                       {"title", m_document.title()},
                       {"written", QDateTime::currentDateTimeUtc().toString(Qt::ISODate)}};
    if (const auto config = m_document.configFileText()) {
        object["config"] = kept(*config);
        object["knownConfig"] = kept(m_document.knownConfigText());
    }
    auto stored = writeFileAtomically(entry(m_id), QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString());
    const bool could = !m_problem;
    m_problem = stored.hasValue() ? std::nullopt : std::optional(stored.error());
    if (could != !m_problem) emit problemChanged();
}

QList<RecoveredSession> RecoveryJournal::abandoned() const
{
    QList<RecoveredSession> sessions;
    const QDir folder(QString::fromStdString(m_folder.string()));
    for (const QFileInfo& file : folder.entryInfoList({"*.json"}, QDir::Files)) {
        const QString id = file.completeBaseName();
        if (id == m_id) continue;
        QLockFile lock(folder.filePath(id + ".lock"));
        lock.setStaleLockTime(0);
        if (!lock.tryLock()) continue;  // its window lives
        const auto content = readFile(file.filePath().toStdString(), std::size_t{16} << 20);
        const QJsonObject object = content.hasValue() ? QJsonDocument::fromJson(QByteArray::fromStdString(content.value())).object() : QJsonObject();
        if (!object.contains("text")) {
            QFile::remove(file.filePath());
            continue;
        }
        RecoveredSession session;
        session.id = id;
        session.path = object["path"].toString().toStdString();
        session.title = object["title"].toString();
        const auto kept = [&object](const char* key) { return QByteArray::fromBase64(object[QLatin1String(key)].toString().toLatin1()).toStdString(); };
        session.text = kept("text");
        session.knownText = kept("knownText");
        if (object.contains("config")) session.configFileText = kept("config");
        session.knownConfigText = kept("knownConfig");
        session.written = QDateTime::fromString(object["written"].toString(), Qt::ISODate);
        sessions.append(session);
    }
    std::sort(sessions.begin(), sessions.end(), [](const auto& a, const auto& b) { return a.written > b.written; });
    return sessions;
}

void RecoveryJournal::discard(const QString& id)
{
    std::error_code ignored;
    fs::remove(entry(id), ignored);
    fs::remove(m_folder / (id.toStdString() + ".lock"), ignored);
}

}  // namespace stagecraft::app
