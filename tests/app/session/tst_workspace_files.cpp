// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a workspace and its ds_config file while others write, remove or replace them.
#include "app/session/workspace_document.h"
#include "scratch_folder.h"

#include <QSignalSpy>
#include <QtTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace stagecraft;
using app::WorkspaceDocument;
namespace fs = std::filesystem;

namespace {

std::string textNaming(const std::filesystem::path& config)
{
    return "{\"stagecraft\": 1, \"model\": {\"params\": 1e9}, \"dsConfig\": \"" + config.string() + "\"}";
}

const std::string kText = R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "ds.json", "training": {"steps": 9}})";
const std::string kConfig = R"({"train_batch_size": 8})";

void putMuchText(const fs::path& place)
{
    if (!writeFileAtomically(place, std::string(3'000'000, 'x')).hasValue()) qFatal("cannot write");
}

void putFolder(const fs::path& place)
{
    fs::remove(place);
    fs::create_directory(place);
}

void putPipe(const fs::path& place)
{
    fs::remove(place);
    if (::mkfifo(place.c_str(), 0600) != 0) qFatal("cannot make a pipe");
}

}  // namespace

class TstWorkspaceFiles : public QObject {
    Q_OBJECT
private slots:
    void keptTextIsWrittenOrRefused_data()
    {
        QTest::addColumn<int>("stranger");
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("replaced");
        for (const char* file : {"ds.json", "a.json"}) {
            QTest::addRow("more than a config holds, in place of %s", file) << 0 << QString(file) << true;
            QTest::addRow("a folder in place of %s", file) << 1 << QString(file) << false;
            QTest::addRow("a pipe in place of %s", file) << 2 << QString(file) << false;
        }
    }

    /// "Keep mine", nothing else edited: a save that says it saved has written what the window holds.
    void keptTextIsWrittenOrRefused()
    {
        QFETCH(const int, stranger);
        QFETCH(const QString, file);
        QFETCH(const bool, replaced);
        constexpr void (*kPut[])(const fs::path&) = {putMuchText, putFolder, putPipe};
        const ScratchFolder folder;
        (void)folder.write("ds.json", kConfig);
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", kText)).hasValue());
        const fs::path place = folder / qPrintable(file);
        kPut[stranger](place);
        QVERIFY(document.changedOnDisk() == std::vector<fs::path>{place});
        QCOMPARE(document.save().error().code, ErrorCode::Refused);
        document.keepMine();
        QVERIFY(document.isModified() && document.changedOnDisk().empty());
        const auto saved = document.save();
        QCOMPARE(saved.hasValue(), replaced);
        QCOMPARE(document.isModified(), !replaced);
        if (replaced) {
            QCOMPARE(readFile(folder / "a.json").value(), kText);
            QCOMPARE(readFile(folder / "ds.json").value(), kConfig);
            QVERIFY(document.changedOnDisk().empty());
            return;
        }
        QVERIFY2(saved.error().message.find("Cannot write \"" + place.string() + "\"") == 0, saved.error().message.c_str());
        // Save as takes all of it along.
        const fs::path other = folder / "other/b.json";
        fs::create_directory(other.parent_path());
        const auto elsewhere = document.saveAs(other);
        QVERIFY2(elsewhere.hasValue(), elsewhere.hasValue() ? "" : elsewhere.error().message.c_str());
        QVERIFY(!document.isModified());
        WorkspaceDocument again;
        QVERIFY(again.open(other).hasValue());
        QVERIFY(!again.configProblem());
        QCOMPARE(again.configText(), kConfig);
    }

    /// What was given up unseen is no leave to overwrite what somebody writes there afterwards.
    void whatIsWrittenAfterKeepingMineIsAskedAbout()
    {
        const ScratchFolder folder;
        (void)folder.write("ds.json", kConfig);
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", kText)).hasValue());
        putMuchText(folder / "ds.json");
        document.keepMine();
        const std::string later = R"({"train_batch_size": 64})";
        (void)folder.write("ds.json", later);
        QCOMPARE(document.save().error().code, ErrorCode::Refused);
        QCOMPARE(readFile(folder / "ds.json").value(), later);
        QVERIFY(document.takeTheirs().hasValue());
        QCOMPARE(document.configText(), later);
        QVERIFY(!document.isModified());
    }

    /// "Take the file" of a file that cannot be read: the reason, and what is held counts as the last copy.
    void aFileThatCannotBeReadIsNotTaken()
    {
        for (void (*put)(const fs::path&) : {putMuchText, putFolder, putPipe}) {
            for (const char* file : {"ds.json", "a.json"}) {
                const ScratchFolder folder;
                (void)folder.write("ds.json", kConfig);
                WorkspaceDocument document;
                QVERIFY(document.open(folder.write("a.json", kText)).hasValue());
                put(folder / file);
                const auto taken = document.takeTheirs();
                QVERIFY(!taken.hasValue());
                QVERIFY(taken.error().message.find((folder / file).string()) != std::string::npos);
                QVERIFY(document.isModified());
                QCOMPARE(document.undoStack().count(), 0);
                QCOMPARE(document.text(), kText);
                QCOMPARE(document.configText(), kConfig);
                QVERIFY(document.changedOnDisk() == std::vector<fs::path>{folder / file});
            }
        }
    }

    /// A ds_config opened alone: the workspace around it has no file to be taken.
    void aConfigOpenedAloneIsTaken()
    {
        const ScratchFolder folder;
        const fs::path config = folder.write("ds.json", kConfig);
        WorkspaceDocument document;
        document.openText(textNaming(config), "untitled");
        const std::string theirs = R"({"train_batch_size": 64})";
        (void)folder.write("ds.json", theirs);
        const auto taken = document.takeTheirs();
        QVERIFY2(taken.hasValue(), taken.hasValue() ? "" : taken.error().message.c_str());
        QCOMPARE(document.configText(), theirs);
        QVERIFY(!document.isModified());
        QVERIFY(document.setValue("/model/params", "2e9", "Model").hasValue());
        (void)folder.write("ds.json", kConfig);
        QVERIFY(document.takeTheirs().hasValue());
        QCOMPARE(document.configText(), kConfig);
        QVERIFY(document.isModified());   // the model is in no file
    }

    void aPipeIsNotOpenedAsAWorkspace()
    {
        const ScratchFolder folder;
        putPipe(folder / "a.json");
        WorkspaceDocument document;
        QCOMPARE(document.open(folder / "a.json").error().code, ErrorCode::InvalidInput);
        putPipe(folder / "ds.json");
        fs::remove(folder / "a.json");
        QVERIFY(document.open(folder.write("a.json", kText)).hasValue());
        QVERIFY(document.configProblem().has_value());
    }

    /// The folder and all that is in it: a branch was switched, a drive is gone.
    void aRemovedFolderIsMadeAgain()
    {
        const ScratchFolder folder;
        (void)folder.write("one/two/ds.json", kConfig);
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("one/two/a.json", kText)).hasValue());
        QSignalSpy gone(&document, &WorkspaceDocument::filesGone);
        fs::remove_all(folder / "one");
        QTRY_VERIFY(document.gone().size() == 2);
        QVERIFY(gone.count() >= 1 && document.isModified());
        const auto saved = document.save();
        QVERIFY2(saved.hasValue(), saved.hasValue() ? "" : saved.error().message.c_str());
        QCOMPARE(readFile(folder / "one/two/a.json").value(), kText);
        QCOMPARE(readFile(folder / "one/two/ds.json").value(), kConfig);
        QVERIFY(!document.isModified() && document.gone().empty());
    }

    void aFolderThatComesBackIsNoticed()
    {
        const ScratchFolder folder;
        (void)folder.write("one/two/ds.json", kConfig);
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("one/two/a.json", kText)).hasValue());
        fs::remove_all(folder / "one");
        QTRY_VERIFY(document.gone().size() == 2);
        (void)folder.write("one/two/ds.json", kConfig);
        (void)folder.write("one/two/a.json", kText);
        QTRY_VERIFY(document.gone().empty());
        QVERIFY(!document.isModified());
    }

    void aFolderThatCannotBeMadeIsTold()
    {
        const ScratchFolder folder;
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("one/a.json", R"({"stagecraft": 1, "model": {"params": 1e9}})")).hasValue());
        fs::remove_all(folder / "one");
        (void)folder.write("one", "a file where the folder was");
        const auto saved = document.save();
        QVERIFY(!saved.hasValue());
        QVERIFY2(saved.error().message.find("Save as") != std::string::npos, saved.error().message.c_str());
        QVERIFY(document.saveAs(folder / "b.json").hasValue());
        QVERIFY(fs::is_regular_file(folder / "b.json"));
    }

    void saveAsFromARemovedFolderTakesTheConfigAlong()
    {
        for (const bool edited : {false, true}) {
            const ScratchFolder folder;
            (void)folder.write("one/ds.json", kConfig);
            fs::create_directory(folder / "other");
            WorkspaceDocument document;
            QVERIFY(document.open(folder.write("one/a.json", kText)).hasValue());
            if (edited) QVERIFY(document.setValue("/dsConfig/train_batch_size", "16", "Batch").hasValue());
            const std::string held = document.configText();
            fs::remove_all(folder / "one");
            document.lookWhatIsGone();
            const auto saved = document.saveAs(folder / "other/b.json");
            QVERIFY2(saved.hasValue(), saved.hasValue() ? "" : saved.error().message.c_str());
            QVERIFY(!document.isModified() && !fs::exists(folder / "one"));
            QVERIFY(document.configPath().parent_path() == folder / "other");
            WorkspaceDocument again;
            QVERIFY(again.open(folder / "other/b.json").hasValue());
            QCOMPARE(again.configText(), held);
        }
    }

    /// A ds_config opened alone, in a workspace without a file: it has no place but beside the workspace.
    void aConfigOpenedAloneOutlivesItsFolder()
    {
        const ScratchFolder folder;
        const fs::path config = folder.write("one/ds.json", kConfig);
        WorkspaceDocument document;
        document.openText(textNaming(config), "untitled");
        QCOMPARE(document.configText(), kConfig);
        fs::remove_all(folder / "one");
        QVERIFY(document.saveAs(folder / "b.json").hasValue());
        WorkspaceDocument again;
        QVERIFY(again.open(folder / "b.json").hasValue());
        QCOMPARE(again.configText(), kConfig);
    }

    /// The folder that the program was started in.
    void aRemovedWorkingFolderEndsNothing()
    {
        const fs::path before = fs::current_path();
        const ScratchFolder folder;
        fs::create_directory(folder / "started");
        fs::current_path(folder / "started");
        fs::remove_all(folder / "started");
        WorkspaceDocument document;
        document.openText(kText, "untitled");
        QVERIFY(document.setValue("/training/steps", "10", "Steps").hasValue());
        QVERIFY(!document.open("a.json").hasValue());
        QVERIFY(document.saveAs(folder / "b.json").hasValue());
        fs::current_path(before);
        QVERIFY(fs::is_regular_file(folder / "b.json"));
    }
};

QTEST_GUILESS_MAIN(TstWorkspaceFiles)
#include "tst_workspace_files.moc"
