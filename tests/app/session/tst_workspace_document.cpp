// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/workspace_document.h"

#include "base/atomic_file.h"
#include "scratch_folder.h"
#include "workspace/workspace.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

using namespace stagecraft;
using app::WorkspaceDocument;
namespace fs = std::filesystem;

namespace {

const std::string kText = R"({ "stagecraft": 1,
  "model": {"family": "llama", "hidden": 64, "layers": 2, "heads": 4, "ffn": 128, "vocab": 256, "seq": 32},
  "layout": {"dp": 2},   "hardware": {"devicesPerNode": 2},
  "dsConfig": {"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 1}} }
)";

using Folder = ScratchFolder;

}  // namespace

class TstWorkspaceDocument : public QObject {
    Q_OBJECT
private slots:
    void anEditTouchesOnlyItsBytesAndUndoes()
    {
        const Folder folder;
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", kText)).hasValue());
        QVERIFY(document.setValue("/dsConfig/zero_optimization/stage", "3", "ZeRO stage 1 → 3").hasValue());
        std::string expected = kText;
        expected.replace(expected.find("\"stage\": 1"), 10, "\"stage\": 3");
        QCOMPARE(document.text(), expected);
        QVERIFY(document.isModified());
        QCOMPARE(document.undoStack().undoText(), QString("ZeRO stage 1 → 3"));
        document.undoStack().undo();
        QCOMPARE(document.text(), kText);
        QVERIFY(!document.isModified());
        document.undoStack().redo();
        QCOMPARE(document.text(), expected);
    }

    void theConfigMayBeBrokenWhileItIsTyped()
    {
        WorkspaceDocument document;
        document.openText(kText, "demo");
        const std::string before = document.configText();
        QVERIFY(document.applyEdit(WorkspaceDocument::Part::DsConfig, {1, 1, "\"fp16\": {"}, "type").hasValue());
        QCOMPARE(document.configText(), before.substr(0, 1) + "\"fp16\": {" + before.substr(1));
        QVERIFY(document.applyEdit(WorkspaceDocument::Part::DsConfig, {10, 10, "\"enabled\": true}, "}, "type").hasValue());
        QVERIFY(parseWorkspace(document.text(), {}).hasValue());
        QCOMPARE(document.configText().substr(0, 27), std::string("{\"fp16\": {\"enabled\": true}, ").substr(0, 27));
        document.undoStack().undo();
        document.undoStack().undo();
        QCOMPARE(document.text(), kText);
        QCOMPARE(document.configText(), before);
    }

    void aDragIsOneStep()
    {
        WorkspaceDocument document;
        document.openText(kText, "demo");
        for (const char* value : {"3", "4", "8"}) QVERIFY(document.setValue("/layout/dp", value, "Ranks", 7).hasValue());
        QVERIFY(document.setValue("/layout/dp", "16", "Ranks", 8).hasValue());
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().undo();
        QVERIFY(document.text().find("\"dp\": 8") != std::string::npos);
        document.undoStack().undo();
        QCOMPARE(document.text(), kText);
    }

    void aConfigInItsOwnFileIsEditedThere()
    {
        const Folder folder;
        const std::string config = "{\n  // by hand\n  \"train_batch_size\": 8\n}\n";
        (void)folder.write("ds.json", config);
        const fs::path file = folder.write("a.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "ds.json"})");
        WorkspaceDocument document;
        QVERIFY(document.open(file).hasValue());
        QCOMPARE(document.configText(), config);
        QVERIFY(document.setValue("/dsConfig/train_batch_size", "16", "Batch").hasValue());
        QVERIFY(document.configText().find("// by hand") != std::string::npos);
        QVERIFY(document.configText().find("16") != std::string::npos);
        QVERIFY(document.save().hasValue());
        QCOMPARE(readFile(folder / "ds.json").value(), document.configText());
        QVERIFY(!document.isModified());

        const QTemporaryDir elsewhere;
        QVERIFY(document.saveAs(fs::path(elsewhere.path().toStdString()) / "b.json").hasValue());
        WorkspaceDocument again;
        QVERIFY(again.open(fs::path(elsewhere.path().toStdString()) / "b.json").hasValue());
        QCOMPARE(again.configText(), document.configText());
    }

    /// What is unsaved in a ds_config file goes with the new workspace; the one it came from keeps its file.
    void saveAsLeavesTheOtherWorkspacesConfigAlone()
    {
        const Folder folder;
        const std::string config = R"({"train_batch_size": 8})";
        (void)folder.write("ds.json", config);
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", R"({"stagecraft": 1, "dsConfig": "ds.json", "model": {"params": 1e9}})")).hasValue());
        QVERIFY(document.setValue("/dsConfig/train_batch_size", "16", "Batch").hasValue());
        const std::string edited = document.configText();
        const QTemporaryDir elsewhere;
        for (const fs::path& target : {fs::path(elsewhere.path().toStdString()) / "b.json", folder / "c.json"}) {
            QVERIFY(document.open(folder / "a.json").hasValue());
            QVERIFY(document.setValue("/dsConfig/train_batch_size", "16", "Batch").hasValue());
            QVERIFY(document.saveAs(target).hasValue());
            QVERIFY(!document.isModified());
            QCOMPARE(readFile(folder / "ds.json").value(), config);
            QVERIFY(document.configPath().parent_path() == target.parent_path());
            WorkspaceDocument again;
            QVERIFY(again.open(target).hasValue());
            QCOMPARE(again.configText(), edited);
        }
    }

    void undoAfterSaveAsElsewhereHarmsNothing()
    {
        const Folder folder;
        (void)folder.write("ds.json", "{\"train_batch_size\": 8}");
        (void)folder.write("text.txt", "words");
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", R"({"stagecraft": 1, "dsConfig": "ds.json", "data": {"source": "text.txt"}, "model": {"params": 1e9}, "training": {"steps": 32}})")).hasValue());
        QVERIFY(document.setValue("/training/steps", "64", "Steps").hasValue());
        const QTemporaryDir elsewhere;
        const fs::path there = fs::path(elsewhere.path().toStdString()) / "b.json";
        // A save that fails leaves everything as it was, the undo steps too.
        const std::string before = document.text();
        QVERIFY(!document.saveAs("/proc/nowhere/b.json").hasValue());
        QCOMPARE(document.text(), before);
        QVERIFY(document.undoStack().canUndo() && document.isModified());

        QVERIFY(document.saveAs(there).hasValue());
        const std::string saved = document.text();
        QCOMPARE(readFile(there).value(), saved);
        QVERIFY(!document.isModified());
        WorkspaceDocument again;
        QVERIFY(again.open(there).hasValue());
        QCOMPARE(again.configText(), document.configText());
        const auto parsed = nlohmann::json::parse(saved);
        QCOMPARE(parsed["training"]["steps"].get<int>(), 64);
        QCOMPARE(readFile(there.parent_path() / parsed["data"]["source"].get<std::string>()).value(), std::string("words"));
        // In the same folder nothing is rewritten and undo goes on.
        QVERIFY(document.setValue("/training/steps", "128", "Steps").hasValue());
        const int steps = document.undoStack().count();
        QVERIFY(document.saveAs(there.parent_path() / "c.json").hasValue());
        QCOMPARE(document.undoStack().count(), steps);
        document.undoStack().undo();
        QCOMPARE(document.text(), saved);
    }

    /// Steps from before a save elsewhere count in the text as it was there: they are undone all the same, and what a save writes
    /// then names the same files from the new folder.
    void saveAsElsewhereKeepsTheUndoHistory_data()
    {
        QTest::addColumn<bool>("unsavedConfig");
        QTest::newRow("a ds_config file as it is on disk") << false;
        QTest::newRow("a ds_config file with unsaved text, which moves") << true;
    }
    void saveAsElsewhereKeepsTheUndoHistory()
    {
        QFETCH(bool, unsavedConfig);
        const Folder folder;
        const std::string config = R"({"train_batch_size": 8})", original = R"({"stagecraft": 1, "dsConfig": "ds.json", "data": {"source": "text.txt"}, "model": {"params": 1e9}, "training": {"steps": 32}})";
        (void)folder.write("ds.json", config);
        (void)folder.write("text.txt", "words");
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", original)).hasValue());
        QVERIFY(document.setValue("/training/steps", "64", "Steps").hasValue());
        if (unsavedConfig) QVERIFY(document.setValue("/dsConfig/train_batch_size", "16", "Batch").hasValue());
        const std::string edited = document.configText();
        const QTemporaryDir elsewhere;
        const fs::path there = fs::path(elsewhere.path().toStdString()) / "b.json";
        QVERIFY(document.saveAs(there).hasValue());
        QVERIFY(!document.isModified());
        const std::string saved = document.text();
        while (document.undoStack().canUndo()) document.undoStack().undo();
        QVERIFY(document.isModified());
        QCOMPARE(document.text(), original);
        QCOMPARE(document.configText(), config);
        // What is held and what is written name the same files.
        QVERIFY(document.folder() == fs::path(folder.dir.path().toStdString()));
        QVERIFY(document.save().hasValue());
        QVERIFY(!document.isModified());
        auto written = nlohmann::json::parse(readFile(there).value());
        QCOMPARE(written["training"]["steps"].get<int>(), 32);
        QCOMPARE(readFile(there.parent_path() / written["data"]["source"].get<std::string>()).value(), std::string("words"));
        QCOMPARE(readFile((there.parent_path() / written["dsConfig"].get<std::string>()).lexically_normal()).value(), config);
        QCOMPARE(document.fileText(), readFile(there).value());
        // The workspace it came from has its files as they were, whatever is undone, redone and saved.
        while (document.undoStack().canRedo()) document.undoStack().redo();
        QCOMPARE(document.text(), saved);
        QCOMPARE(document.configText(), edited);
        QVERIFY(document.folder() == there.parent_path());
        document.undoStack().undo();
        document.undoStack().undo();
        QVERIFY(document.setValue("/dsConfig/train_batch_size", "24", "Batch").hasValue());
        if (unsavedConfig) {
            QVERIFY(document.save().hasValue());
            QCOMPARE(readFile(fs::path(folder.dir.path().toStdString()) / "ds.json").value(), config);
            written = nlohmann::json::parse(readFile(there).value());
            QCOMPARE(nlohmann::json::parse(readFile(there.parent_path() / written["dsConfig"].get<std::string>()).value())["train_batch_size"].get<int>(), 24);
        }
        QCOMPARE(readFile(fs::path(folder.dir.path().toStdString()) / "a.json").value(), original);
        WorkspaceDocument again;
        QVERIFY(again.open(there).hasValue());
        if (unsavedConfig) QCOMPARE(again.configText(), document.configText());
    }

    void unsavedStepsInAConfigFileSurviveAnotherFile()
    {
        const Folder folder;
        (void)folder.write("ds.json", R"({"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}})");
        (void)folder.write("ds2.json", R"({"a": 1})");
        const fs::path file = folder.write("a.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "ds.json"})");
        WorkspaceDocument document;
        QVERIFY(document.open(file).hasValue());
        const std::string first = document.configText();
        QVERIFY(document.setValue("/dsConfig/train_micro_batch_size_per_gpu", "16", "Micro").hasValue());
        QVERIFY(document.setValue("/dsConfig/zero_optimization/stage", "3", "Stage").hasValue());
        const std::string edited = document.configText();
        (void)folder.write("a.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "ds2.json"})");
        QVERIFY(document.takeTheirs().hasValue());
        QCOMPARE(document.configText(), std::string(R"({"a": 1})"));
        QVERIFY(document.setValue("/dsConfig/a", "22", "A").hasValue());
        document.undoStack().undo();
        document.undoStack().undo();
        QCOMPARE(document.configText(), edited);
        document.undoStack().undo();
        document.undoStack().undo();
        QCOMPARE(document.configText(), first);
        for (int i = 0; i < 3; ++i) document.undoStack().redo();
        QCOMPARE(document.configText(), std::string(R"({"a": 1})"));
        document.undoStack().redo();
        QCOMPARE(document.configText(), std::string(R"({"a": 22})"));
    }

    void anotherProgramsChangeIsSeenAndNotOverwritten()
    {
        const Folder folder;
        const fs::path file = folder.write("a.json", kText);
        WorkspaceDocument document;
        QVERIFY(document.open(file).hasValue());
        QVERIFY(document.setValue("/layout/dp", "4", "Ranks").hasValue());
        QSignalSpy changed(&document, &WorkspaceDocument::fileChangedOutside);
        std::string theirs = kText;
        theirs.insert(1, " ");
        (void)folder.write("a.json", theirs);
        QTRY_VERIFY(changed.count() >= 1);
        const auto refused = document.save();
        QVERIFY(!refused.hasValue());
        QCOMPARE(refused.error().code, ErrorCode::Refused);
        QCOMPARE(readFile(file).value(), theirs);

        QVERIFY(document.takeTheirs().hasValue());
        QCOMPARE(document.text(), theirs);
        QVERIFY(!document.isModified());
        document.undoStack().undo();
        QVERIFY(document.text().find("\"dp\": 4") != std::string::npos);
    }

    /// An editor that empties a file before it writes it: what it leaves is shown as it is, and one undo brings back ours.
    void aBrokenFileCanBeTakenAndUndone()
    {
        for (const char* typed : {"", "{\"broken"}) {  // and once with a ds_config that is being typed
            const Folder folder;
            const fs::path file = folder.write("a.json", kText);
            WorkspaceDocument document;
            QVERIFY(document.open(file).hasValue());
            const std::string first = document.configText();
            if (*typed != 0) QVERIFY(document.applyEdit(WorkspaceDocument::Part::DsConfig, {0, first.size(), typed}, "Type").hasValue());
            const std::string mine = document.text(), config = document.configText();
            (void)folder.write("a.json", "{");
            QVERIFY(document.takeTheirs().hasValue());
            QCOMPARE(document.text(), std::string("{"));
            QCOMPARE(document.configText(), std::string("{"));  // where the ds_config is cannot be known: all of it
            document.undoStack().undo();
            QCOMPARE(document.text(), mine);
            QCOMPARE(document.configText(), config);
            while (document.undoStack().canUndo()) document.undoStack().undo();
            QCOMPARE(document.text(), kText);
            QCOMPARE(document.configText(), first);
            while (document.undoStack().canRedo()) document.undoStack().redo();
            QCOMPARE(document.text(), std::string("{"));
        }
    }

    /// Recovered, or opened, while it is no JSON: all of it is there to be mended, and then the ds_config alone.
    void aBrokenWorkspaceIsMendedInPlaceOfItsConfig()
    {
        const Folder folder;
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", kText + "}")).hasValue());
        QCOMPARE(document.configText(), kText + "}");
        QVERIFY(document.applyEdit(WorkspaceDocument::Part::DsConfig, {kText.size(), kText.size() + 1, ""}, "Mend").hasValue());
        QCOMPARE(document.text(), kText);
        const std::string config = document.configText();
        QVERIFY(config.size() < kText.size() && config.starts_with('{'));
        document.undoStack().undo();
        QCOMPARE(document.configText(), kText + "}");
        document.undoStack().redo();
        QCOMPARE(document.configText(), config);
        QVERIFY(document.open(folder.write("b.json", "")).hasValue());
        const auto written = document.applyEdit(WorkspaceDocument::Part::DsConfig, {0, 0, kText}, "Write");
        QVERIFY2(written.hasValue(), written.hasValue() ? "" : written.error().message.c_str());
        QCOMPARE(document.configText(), config);
    }

    // A ds_config may have what DeepSpeed reads; the rest of the workspace may not.
    void aCommentInTheConfigIsNoProblem()
    {
        const Folder folder;
        WorkspaceDocument document;
        const std::string commented = R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": {"train_batch_size": 8, /* mine */}})";
        QVERIFY(document.open(folder.write("c.json", commented)).hasValue());
        QVERIFY(!document.isBroken() && !document.textProblem());
        QCOMPARE(document.configText(), std::string(R"({"train_batch_size": 8, /* mine */})"));
        const std::string around = R"({"stagecraft": 1, /* mine */ "model": {"params": 1e9}, "dsConfig": {"train_batch_size": 8}})";
        QVERIFY(document.open(folder.write("d.json", around)).hasValue());
        QVERIFY(document.isBroken() && document.textProblem());
    }

    void aWorkspaceIsNotSavedOverItsOwnConfig()
    {
        const Folder folder;
        (void)folder.write("ds.json", "{}");
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", R"({"stagecraft": 1, "dsConfig": "ds.json"})")).hasValue());
        QCOMPARE(document.saveAs(document.configPath()).error().code, ErrorCode::Refused);
        QCOMPARE(readFile(document.configPath()).value(), std::string("{}"));
    }

    void keepingMineLetsTheNextSaveReplaceTheFile()
    {
        const Folder folder;
        const fs::path file = folder.write("a.json", kText);
        WorkspaceDocument document;
        QVERIFY(document.open(file).hasValue());
        (void)folder.write("a.json", "{}");
        document.keepMine();
        QVERIFY(document.isModified());
        QVERIFY(document.save().hasValue());
        QCOMPARE(readFile(file).value(), kText);
        QVERIFY(!document.isModified());
    }

    void ourOwnSaveIsNoChangeFromOutside()
    {
        const Folder folder;
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", kText)).hasValue());
        QSignalSpy changed(&document, &WorkspaceDocument::fileChangedOutside);
        QVERIFY(document.setValue("/layout/dp", "4", "Ranks").hasValue());
        QVERIFY(document.save().hasValue());
        QTest::qWait(400);
        QCOMPARE(changed.count(), 0);
    }

    void aDamagedFileOpensAsText()
    {
        const Folder folder;
        const std::string broken = "{ \"stagecraft\": 1, \"model\": ";
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", broken)).hasValue());
        QCOMPARE(document.text(), broken);
        QVERIFY(!document.setValue("/layout/dp", "2", "Ranks").hasValue());
        QCOMPARE(document.text(), broken);
    }

    /// The only copy is here then: it counts as unsaved until it is written again or the file is back.
    void aRemovedFileIsUnsaved()
    {
        const Folder folder;
        const std::string config = R"({"train_batch_size": 8})";
        (void)folder.write("ds.json", config);
        const std::string text = R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "ds.json", "training": {"steps": 9}})";
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", text)).hasValue());
        QSignalSpy gone(&document, &WorkspaceDocument::filesGone), modified(&document, &WorkspaceDocument::modifiedChanged), changed(&document, &WorkspaceDocument::fileChangedOutside);
        fs::remove(folder / "a.json");
        QTRY_COMPARE(gone.count(), 1);
        QVERIFY(document.isModified() && modified.count() == 1 && document.gone().count(folder / "a.json") == 1);
        fs::remove(folder / "ds.json");
        QTRY_COMPARE(gone.count(), 2);
        // Back with the same content: nothing is unsaved.
        (void)folder.write("a.json", text);
        (void)folder.write("ds.json", config);
        QTRY_VERIFY(!document.isModified());
        QCOMPARE(changed.count(), 0);

        // An edit elsewhere: the save writes both, also what nobody had looked for.
        QVERIFY(document.setValue("/training/steps", "10", "Steps").hasValue());
        fs::remove(folder / "ds.json");
        QVERIFY(document.save().hasValue());
        QCOMPARE(readFile(folder / "ds.json").value(), config);
        QVERIFY(!document.isModified() && document.gone().empty());

        // Another document holds nothing of it.
        fs::remove(folder / "a.json");
        document.lookWhatIsGone();
        QVERIFY(document.isModified());
        document.close();
        QVERIFY(!document.isModified());
        QCOMPARE(modified.last()[0].toBool(), false);
        document.lookWhatIsGone();
        QVERIFY(document.gone().empty());
    }

    /// One that was never there is made by the first edit, and is not missed before.
    void aFileThatNeverWasIsNotGone()
    {
        const Folder folder;
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("a.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "ds.json"})")).hasValue());
        document.lookWhatIsGone();
        QVERIFY(!document.isModified());
        QVERIFY(document.save().hasValue());
        QVERIFY(!fs::exists(folder / "ds.json"));
        document.openText(kText, "demo");
        document.lookWhatIsGone();
        QVERIFY(!document.isModified());
    }

    /// What was removed while another program wrote its neighbour stays ours, whichever is taken.
    void aRemovedFileBesideAWrittenOneIsKept()
    {
        const Folder folder;
        const std::string text = R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "ds.json"})", theirs = R"({"train_batch_size": 16})";
        (void)folder.write("ds.json", R"({"train_batch_size": 8})");
        for (const bool take : {true, false}) {
            WorkspaceDocument document;
            QVERIFY(document.open(folder.write("a.json", text)).hasValue());
            const std::string mine = document.configText();
            (void)folder.write("ds.json", take ? theirs : theirs + " ");
            fs::remove(folder / "a.json");
            QVERIFY(!document.changedOnDisk().empty());
            if (take) QVERIFY(document.takeTheirs().hasValue());
            else document.keepMine();
            document.lookWhatIsGone();
            QVERIFY(document.isModified());
            QCOMPARE(document.configText(), take ? theirs : mine);
            QVERIFY(document.save().hasValue());
            QCOMPARE(readFile(folder / "a.json").value(), text);
            // A stranger put in its place later is no file that was given up.
            (void)folder.write("a.json", text + "  ");
            QVERIFY(!document.save().hasValue());
        }
    }

    void refusesEditsOutsideTheText()
    {
        WorkspaceDocument document;
        document.openText(kText, "demo");
        QVERIFY(!document.applyEdit(WorkspaceDocument::Part::Workspace, {0, kText.size() + 1, ""}, "x").hasValue());
        QVERIFY(!document.applyEdit(WorkspaceDocument::Part::DsConfig, {0, kText.size(), ""}, "x").hasValue());
        QCOMPARE(document.undoStack().count(), 0);
    }

    void aLaunchCopyOfAFileCalledAsAConfigKeepsBoth()
    {
        const Folder folder;
        (void)folder.write("other.json", R"({"train_batch_size": 8})");
        WorkspaceDocument document;
        QVERIFY(document.open(folder.write("ds_config.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": "other.json"})")).hasValue());
        const auto copy = document.writeLaunchCopy(folder / "copy");
        QVERIFY(copy.hasValue());
        const auto workspace = loadWorkspace(*copy);
        QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
        QCOMPARE(workspace->dsConfig["train_batch_size"].get<int>(), 8);
    }

    void aLaunchCopyMeansTheSameFiles()
    {
        const Folder folder;
        (void)folder.write("text.txt", "hello");
        (void)folder.write("ds.json", "{\"train_batch_size\": 8,}");
        const fs::path file = folder.write("a.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "data": {"source": "text.txt"}, "dsConfig": "ds.json"})");
        WorkspaceDocument document;
        QVERIFY(document.open(file).hasValue());
        QVERIFY(document.setValue("/dsConfig/train_batch_size", "4", "Batch").hasValue());  // unsaved
        const QTemporaryDir target;
        const auto copy = document.writeLaunchCopy(target.path().toStdString());
        QVERIFY2(copy.hasValue(), copy.hasValue() ? "" : copy.error().message.c_str());
        const auto workspace = loadWorkspace(copy.value());
        QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
        QCOMPARE(workspace->data.source, (folder / "text.txt").string());
        QCOMPARE(workspace->dsConfig["train_batch_size"].get<int>(), 4);
        QCOMPARE(readFile(folder / "ds.json").value(), std::string("{\"train_batch_size\": 8,}"));
    }
};

QTEST_GUILESS_MAIN(TstWorkspaceDocument)
#include "tst_workspace_document.moc"
