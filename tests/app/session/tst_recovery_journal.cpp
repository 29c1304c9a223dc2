// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/recovery_journal.h"

#include "app/session/workspace_document.h"
#include "base/atomic_file.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::app;
namespace fs = std::filesystem;

namespace {
const std::string kText = R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 2}})";

/// A window on `file` that is killed; with unsaved edits unless `ranks` is empty.
void killAWindow(const fs::path& recovery, const fs::path& file, const std::string& ranks)
{
    const pid_t window = ::fork();
    QVERIFY(window >= 0);
    if (window == 0) {
        WorkspaceDocument document;
        RecoveryJournal journal(recovery, document);
        if (!document.open(file).hasValue() || (!ranks.empty() && !document.setValue("/layout/dp", ranks, "Ranks").hasValue())) ::_exit(1);
        journal.flush();
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    QCOMPARE(::waitpid(window, &status, 0), window);
    QVERIFY(WIFSIGNALED(status));
}

QStringList filesIn(const fs::path& folder) { return QDir(QString::fromStdString(folder.string())).entryList(QDir::Files | QDir::Hidden); }
}

class TstRecoveryJournal : public QObject {
    Q_OBJECT
private slots:
    void aKilledWindowsEditsAreFoundAgain()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        const fs::path file = folder / "a.json";
        QVERIFY(writeFileAtomically(file, kText).hasValue());
        const pid_t window = ::fork();
        QVERIFY(window >= 0);
        if (window == 0) {
            WorkspaceDocument document;
            RecoveryJournal journal(folder / "recovery", document);
            if (!document.open(file).hasValue() || !document.setValue("/layout/dp", "64", "Ranks").hasValue()) ::_exit(1);
            journal.flush();
            ::kill(::getpid(), SIGKILL);
        }
        int status = 0;
        QCOMPARE(::waitpid(window, &status, 0), window);
        QVERIFY(WIFSIGNALED(status));

        WorkspaceDocument document;
        RecoveryJournal journal(folder / "recovery", document);
        const auto sessions = journal.abandoned();
        QCOMPARE(sessions.size(), 1);
        QCOMPARE(sessions[0].path, file);
        QVERIFY(WorkspaceDocument::writtenSince(sessions[0]).empty());
        document.recover(sessions[0]);
        QVERIFY(document.isModified());
        QVERIFY(document.text().find("\"dp\": 64") != std::string::npos);
        journal.discard(sessions[0].id);
        QVERIFY(journal.abandoned().isEmpty());
        QVERIFY(document.save().hasValue());
        QVERIFY(!document.isModified());
        QCOMPARE(readFile(file).value(), document.text());
    }

    void whatIsOfferedNamesItsFile()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        const fs::path config = folder / "exp1" / "ds_config.json";
        QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("exp1")));
        QVERIFY(writeFileAtomically(config, "{}").hasValue());
        RecoveredSession session;
        session.text = R"({"stagecraft": 1})";
        QVERIFY(WorkspaceDocument::mainFileOf(session).empty());
        session.text = QStringLiteral("{\"stagecraft\": 1, \"dsConfig\": \"%1\"}").arg(QString::fromStdString(config.string())).toStdString();   // opened alone: no workspace has a file
        QVERIFY(WorkspaceDocument::mainFileOf(session) == config);
        session.path = folder / "a.json";
        QVERIFY(WorkspaceDocument::mainFileOf(session) == session.path);
    }

    void anotherProgramsWriteInBetweenIsNotOverwritten_data()
    {
        QTest::addColumn<bool>("inConfig");
        QTest::newRow("in the workspace") << false;
        QTest::newRow("in the ds_config file") << true;
    }
    void anotherProgramsWriteInBetweenIsNotOverwritten()
    {
        QFETCH(bool, inConfig);
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        const fs::path file = folder / "a.json", config = folder / "ds.json";
        QVERIFY(writeFileAtomically(file, R"({"stagecraft": 1, "layout": {"dp": 2}, "dsConfig": "ds.json"})").hasValue());
        QVERIFY(writeFileAtomically(config, R"({"train_batch_size": 8})").hasValue());
        const pid_t window = ::fork();
        QVERIFY(window >= 0);
        if (window == 0) {
            WorkspaceDocument document;
            RecoveryJournal journal(folder / "recovery", document);
            if (!document.open(file).hasValue() || !document.setValue("/dsConfig/train_batch_size", "24", "Batch").hasValue()) ::_exit(1);
            journal.flush();
            ::kill(::getpid(), SIGKILL);
        }
        int status = 0;
        QCOMPARE(::waitpid(window, &status, 0), window);
        const fs::path touched = inConfig ? config : file;
        const std::string theirs = inConfig ? R"({"train_batch_size": 12})" : R"({"stagecraft": 1, "layout": {"dp": 7}, "dsConfig": "ds.json"})";
        QVERIFY(writeFileAtomically(touched, theirs).hasValue());

        WorkspaceDocument document;
        RecoveryJournal journal(folder / "recovery", document);
        const auto sessions = journal.abandoned();
        QCOMPARE(sessions.size(), 1);
        QVERIFY(WorkspaceDocument::writtenSince(sessions[0]) == std::vector{touched});
        const QSignalSpy asked(&document, &WorkspaceDocument::fileChangedOutside);
        document.recover(sessions[0]);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(document.configText(), std::string(R"({"train_batch_size": 24})"));
        // A second kill before it is decided changes nothing.
        journal.flush();
        QCOMPARE(document.save().error().code, ErrorCode::Refused);
        QCOMPARE(readFile(touched).value(), theirs);
        document.keepMine();
        QVERIFY(document.save().hasValue());
        QCOMPARE(readFile(config).value(), std::string(R"({"train_batch_size": 24})"));
    }

    void aWorkspaceWithoutAFileKeepsItsName()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        const pid_t window = ::fork();
        QVERIFY(window >= 0);
        if (window == 0) {
            WorkspaceDocument document;
            RecoveryJournal journal(folder / "recovery", document);
            document.openText(kText, "demo");
            if (!document.setValue("/layout/dp", "64", "Ranks").hasValue()) ::_exit(1);
            journal.flush();
            ::kill(::getpid(), SIGKILL);
        }
        int status = 0;
        QCOMPARE(::waitpid(window, &status, 0), window);
        WorkspaceDocument document;
        RecoveryJournal journal(folder / "recovery", document);
        const auto sessions = journal.abandoned();
        QCOMPARE(sessions.size(), 1);
        document.recover(sessions[0]);
        QCOMPARE(document.title(), QString("demo"));
        QVERIFY(document.isModified());
    }

    void aLivingWindowsEntryIsLeftAlone()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        WorkspaceDocument mine, theirs;
        RecoveryJournal journal(folder, mine), other(folder, theirs);
        theirs.openText(kText, "demo");
        QVERIFY(theirs.setValue("/layout/dp", "8", "Ranks").hasValue());
        other.flush();
        QVERIFY(journal.abandoned().isEmpty());
    }

    void twoWindowsOnOneWorkspaceAreBothRecovered()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString(), file = folder / "a.json", recovery = folder / "recovery";
        QVERIFY(writeFileAtomically(file, kText).hasValue());
        killAWindow(recovery, file, "8");
        killAWindow(recovery, file, "64");
        WorkspaceDocument document, other;
        RecoveryJournal journal(recovery, document);
        auto sessions = journal.abandoned();
        QCOMPARE(sessions.size(), 2);
        QVERIFY(sessions[0].text != sessions[1].text);
        {
            // Both would recover, save and remove the same work.
            RecoveryJournal second(recovery, other);
            QVERIFY(second.abandoned().isEmpty());
            second.discard(sessions[1].id);
        }
        document.recover(sessions[0]);
        journal.flush();
        journal.discard(sessions[0].id);
        journal.release();
        RecoveryJournal second(recovery, other);
        const auto left = second.abandoned();
        QCOMPARE(left.size(), 1);
        QCOMPARE(left[0].id, sessions[1].id);
        QCOMPARE(left[0].text, sessions[1].text);
    }

    void nothingOfDeadWindowsStays()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString(), file = folder / "a.json", recovery = folder / "recovery";
        QVERIFY(writeFileAtomically(file, kText).hasValue());
        killAWindow(recovery, file, "");
        killAWindow(recovery, file, "8");
        QCOMPARE(filesIn(recovery).size(), 3);
        const std::string torn = filesIn(recovery).filter(QStringLiteral(".json")).first().toStdString() + ".a1B2c3";
        QVERIFY(writeFileAtomically(recovery / torn, "{\"text\": ").hasValue());   // killed in the midst of a write
        QVERIFY(writeFileAtomically(recovery / "notes.txt", "a user's").hasValue());
        {
            WorkspaceDocument document;
            RecoveryJournal journal(recovery, document);
            const auto sessions = journal.abandoned();
            QCOMPARE(sessions.size(), 1);
            journal.discard(sessions[0].id);
        }
        QCOMPARE(filesIn(recovery), QStringList{QStringLiteral("notes.txt")});
    }

    void aDeadWindowIsKnownWhateverItsHostAndPid()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString(), file = folder / "a.json", recovery = folder / "recovery";
        QVERIFY(writeFileAtomically(file, kText).hasValue());
        killAWindow(recovery, file, "8");
        // As after a change of the host's name, or in a container where another process has the dead one's pid.
        const std::string lock = filesIn(recovery).filter(QStringLiteral(".lock")).first().toStdString();
        QVERIFY(writeFileAtomically(recovery / lock, std::to_string(::getpid()) + "\nstagecraft-gui\nanother-host\n").hasValue());
        WorkspaceDocument document;
        RecoveryJournal journal(recovery, document);
        QCOMPARE(journal.abandoned().size(), 1);
    }

    void aLivingWindowWhoseLockWasRemovedLocksAgain()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        WorkspaceDocument mine, theirs;
        RecoveryJournal journal(folder, mine);
        for (const QString& name : filesIn(folder)) QVERIFY(QFile::remove(dir.filePath(name)));
        mine.openText(kText, "demo");
        QVERIFY(mine.setValue("/layout/dp", "8", "Ranks").hasValue());
        journal.flush();
        RecoveryJournal other(folder, theirs);
        QVERIFY(other.abandoned().isEmpty());
        QCOMPARE(filesIn(folder).filter(QStringLiteral(".json")).size(), 1);
    }

    void anEntryOfAnySizeIsOffered()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        const std::string text(std::size_t{17} << 20, ' ');
        QVERIFY(writeFileAtomically(folder / "x.json", "{\"path\": \"\", \"title\": \"big\", \"text\": \"" + QByteArray::fromStdString(text).toBase64().toStdString() + "\"}").hasValue());
        WorkspaceDocument document;
        RecoveryJournal journal(folder, document);
        const auto sessions = journal.abandoned();
        QCOMPARE(sessions.size(), 1);
        QCOMPARE(sessions[0].text.size(), text.size());
    }

    void whatIsNotLockedIsNotWritten()
    {
        const QTemporaryDir dir;
        const fs::path recovery = fs::path(dir.path().toStdString()) / "recovery";
        QVERIFY(writeFileAtomically(recovery, "in the way").hasValue());
        WorkspaceDocument mine, theirs;
        RecoveryJournal journal(recovery, mine);
        const QSignalSpy told(&journal, &RecoveryJournal::problemChanged);
        QTRY_COMPARE(told.size(), 1);   // before anything could be lost
        QVERIFY(journal.problem());
        mine.openText(kText, "demo");
        QVERIFY(mine.setValue("/layout/dp", "8", "Ranks").hasValue());
        journal.flush();
        QVERIFY(journal.problem());
        // Once it can be kept it is, and no other window takes it for a dead one's.
        QVERIFY(fs::remove(recovery));
        journal.flush();
        QVERIFY(!journal.problem());
        QCOMPARE(told.size(), 2);
        RecoveryJournal other(recovery, theirs);
        QVERIFY(other.abandoned().isEmpty());
        QCOMPARE(filesIn(recovery).filter(QStringLiteral(".json")).size(), 1);
    }

    void editsAreKeptByThemselvesAndDroppedOnSave()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        QVERIFY(writeFileAtomically(folder / "a.json", kText).hasValue());
        WorkspaceDocument document;
        RecoveryJournal journal(folder / "recovery", document);
        const auto entries = [&] { return QDir(dir.path() + "/recovery").entryList({"*.json"}, QDir::Files).size(); };
        QVERIFY(document.open(folder / "a.json").hasValue());
        QVERIFY(document.setValue("/layout/dp", "8", "Ranks").hasValue());
        QTRY_COMPARE(entries(), 1);
        QVERIFY(document.save().hasValue());
        QTRY_COMPARE(entries(), 0);
    }

    void rubbishIsRemoved()
    {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        QVERIFY(writeFileAtomically(folder / "x.json", "not json").hasValue());
        WorkspaceDocument document;
        RecoveryJournal journal(folder, document);
        QVERIFY(journal.abandoned().isEmpty());
        QVERIFY(!fs::exists(folder / "x.json"));
    }
};

QTEST_GUILESS_MAIN(TstRecoveryJournal)
#include "tst_recovery_journal.moc"
