// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/recovery_journal.h"

#include "app/session/workspace_document.h"
#include "base/atomic_file.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
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
    // Told once somebody listens.
    if (!lock().hasValue()) QTimer::singleShot(0, this, &RecoveryJournal::flush);
    m_delay->setSingleShot(true);
    m_delay->setInterval(kDelayMs);
    connect(m_delay, &QTimer::timeout, this, &RecoveryJournal::flush);
    connect(&document, &WorkspaceDocument::textChanged, m_delay, [this] { if (!m_delay->isActive()) m_delay->start(); });
    connect(&document, &WorkspaceDocument::saved, this, &RecoveryJournal::flush);
    connect(&document, &WorkspaceDocument::modifiedChanged, this, [this](bool modified) {
        if (!modified) flush();
        else if (!m_delay->isActive()) m_delay->start();   // its file may have been removed: then no edit follows
    });
}

RecoveryJournal::~RecoveryJournal()
{
    // A window that closes has asked about its edits: nothing is left to recover.
    if (!m_lock) return;
    std::error_code ignored;
    fs::remove(entry(m_id), ignored);
    fs::remove(lockFile(m_id), ignored);
}

fs::path RecoveryJournal::entry(const QString& id) const { return m_folder / (id.toStdString() + ".json"); }

fs::path RecoveryJournal::lockFile(const QString& id) const { return m_folder / (id.toStdString() + ".lock"); }

Result<void> RecoveryJournal::lock()
{
    if (m_lock && m_lock->isAt(lockFile(m_id))) return {};
    m_lock.reset();
    if (auto made = makeFolder(m_folder); !made.hasValue()) return made;
    auto taken = FileLock::take(lockFile(m_id));
    if (!taken.hasValue()) return taken.error();
    m_lock = std::move(taken.value());
    return {};
}

void RecoveryJournal::flush()
{
    m_delay->stop();
    const auto stored = write();
    const bool could = !m_problem;
    m_problem = stored.hasValue() ? std::nullopt : std::optional(stored.error());
    if (could != !m_problem) emit problemChanged();
}

Result<void> RecoveryJournal::write()
{
    // What kept it from being locked at the start may have been mended since.
    if (auto locked = lock(); !locked.hasValue()) return locked;
    if (!m_document.isModified()) {
        std::error_code ignored;
        fs::remove(entry(m_id), ignored);
        return {};
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
    return writeFileAtomically(entry(m_id), QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString());
}

QList<RecoveredSession> RecoveryJournal::abandoned()
{
    release();
    // Every file of a window begins with its id: its entry, its lock, and what a kill in the midst of a write leaves.
    QMap<QString, QStringList> files;
    const QDir folder(QString::fromStdString(m_folder.string()));
    for (const QString& file : folder.entryList(QDir::Files | QDir::Hidden)) {
        const QString id = file.section(QLatin1Char('.'), 0, 0), rest = file.mid(id.size());
        if (id != m_id && (rest.startsWith(QLatin1String(".json")) || rest.startsWith(QLatin1String(".lock")))) files[id] << file;
    }
    QList<RecoveredSession> sessions;
    for (auto window = files.cbegin(); window != files.cend(); ++window) {
        const QString& id = window.key();
        auto lock = FileLock::take(lockFile(id));
        if (!lock.hasValue()) continue;  // its window lives, or another one offers it
        const auto drop = [&] {
            std::error_code ignored;
            fs::remove(entry(id), ignored);
            fs::remove(lockFile(id), ignored);
        };
        for (const QString& file : window.value())
            if (file.startsWith(id + ".json.")) QFile::remove(folder.filePath(file));
        const auto content = readFile(entry(id));
        if (!content.hasValue() && fs::exists(entry(id))) continue;  // it may be readable another time
        const QJsonObject object = content.hasValue() ? QJsonDocument::fromJson(QByteArray::fromStdString(content.value())).object() : QJsonObject();
        if (!object.contains("text")) {
            drop();
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
        m_claimed.emplace(id, std::move(lock.value()));
    }
    std::sort(sessions.begin(), sessions.end(), [](const auto& a, const auto& b) { return a.written > b.written; });
    return sessions;
}

void RecoveryJournal::discard(const QString& id)
{
    const auto claimed = m_claimed.find(id);
    if (claimed == m_claimed.end()) return;
    std::error_code ignored;
    fs::remove(entry(id), ignored);
    fs::remove(lockFile(id), ignored);
    m_claimed.erase(claimed);
}

void RecoveryJournal::release() { m_claimed.clear(); }

}  // namespace stagecraft::app
