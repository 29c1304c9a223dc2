// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/json_document.h"

#include <QObject>
#include <QUndoStack>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QFileSystemWatcher;

namespace stagecraft::app {

struct RecoveredSession;

/// The texts of one workspace: the document itself and, where its dsConfig names a file, that file. They are kept byte for
/// byte; every edit, from whichever page, is a text edit on the one undo stack.
///
/// The ds_config may be broken while somebody types in it; the range it takes in the document is then remembered rather
/// than found by parsing.
class WorkspaceDocument : public QObject {
    Q_OBJECT
public:
    enum class Part { Workspace, DsConfig };
    static constexpr std::size_t kMaxBytes = std::size_t{2} << 20;  ///< of a file: what a workspace reader takes at most

    explicit WorkspaceDocument(QObject* parent = nullptr);
    ~WorkspaceDocument() override;

    /// Replaces what is held by the content of `path`. What was held before is lost: ask first.
    /// @error NotFound, Io, InvalidInput (larger than 2 MiB); broken JSON is no error here, it can be edited
    [[nodiscard]] Result<void> open(const std::filesystem::path& path);
    /// Replaces what is held by `text` without a file. @param title  shown until it is saved
    void openText(std::string text, const QString& title);
    /// What it is called while it has no file.
    void setTitle(const QString& title);
    /// What a dead window held counts as an unsaved edit of its file. Where the files are not what that window knew, another
    /// program wrote them since: fileChangedOutside() is emitted, and a save refuses until it is decided.
    void recover(const RecoveredSession& session);
    /// The files that another program wrote since the window of `session` died: of the workspace and its ds_config. Reads them.
    [[nodiscard]] static std::vector<std::filesystem::path> writtenSince(const RecoveredSession& session);
    /// The file that the window of `session` had open, as mainFile(); empty where it had none.
    [[nodiscard]] static std::filesystem::path mainFileOf(const RecoveredSession& session);
    void close();

    [[nodiscard]] bool isOpen() const { return m_open; }
    [[nodiscard]] bool isModified() const;
    /// Files of it that were read or written here and are not there any more, as last looked at: what is held of them is unsaved.
    [[nodiscard]] const std::set<std::filesystem::path>& gone() const { return m_gone; }
    /// It has a file, and the files on disk hold what is held here. Reads them.
    [[nodiscard]] bool isAsOnDisk() const;
    /// The document is no strict JSON object, for a reason outside of its ds_config: all of it stands where its ds_config
    /// stands, to be mended there.
    [[nodiscard]] bool isBroken() const { return m_open && m_broken; }
    /// Why the document cannot be read as a workspace, "offset" in the context counting in configText(); nothing when it can be,
    /// or when the reason is no matter of its text.
    [[nodiscard]] std::optional<Error> textProblem() const;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }      ///< empty when never saved
    [[nodiscard]] std::filesystem::path folder() const;                             ///< what relative paths start at
    /// A ds_config file is held, and no workspace file is around it: that file is what is edited, named and saved.
    [[nodiscard]] bool isConfigAlone() const { return m_open && m_path.empty() && !m_configPath.empty() && !m_broken; }
    /// The file that a save writes; empty when one is still to be named.
    [[nodiscard]] const std::filesystem::path& mainFile() const { return isConfigAlone() ? m_configPath : m_path; }
    /// The ds_config file does not hold what is held of it here.
    [[nodiscard]] bool isConfigUnsaved() const;
    /// What is held around a ds_config alone is neither as it was opened nor as it was at the last save: no file holds it.
    [[nodiscard]] bool isAroundUnsaved() const { return isConfigAlone() && m_text != m_disk.text; }
    [[nodiscard]] QString title() const;
    [[nodiscard]] const std::string& text() const { return m_text; }
    /// The text as a save writes it: its relative paths start at the file's own folder. The same as text() unless steps from before
    /// a save elsewhere were undone.
    [[nodiscard]] std::string fileText() const;
    /// The ds_config as written: the file's text, else the document's own without the indentation it has there (InlineText); empty when
    /// there is none.
    [[nodiscard]] std::string configText() const;
    [[nodiscard]] const std::filesystem::path& configPath() const { return m_configPath; }  ///< empty when inside the document
    /// The byte of configText() that byte `at` of text() stands at; nothing where that is not in the ds_config.
    [[nodiscard]] std::optional<std::size_t> configOffset(std::size_t at) const;
    /// Unsaved text of the ds_config file; nothing when it stands inside the document, or cannot be read.
    [[nodiscard]] std::optional<std::string> configFileText() const;
    /// Why the ds_config file that is named could not be read. One that is not there is made by the first edit; any other stays as it
    /// is: it is neither edited nor written.
    [[nodiscard]] const std::optional<Error>& configProblem() const { return m_configProblem; }
    /// What the files held when they were last read or written here; without a file the text as it was then.
    [[nodiscard]] const std::string& knownText() const { return m_disk.text; }
    [[nodiscard]] const std::string& knownConfigText() const { return m_disk.config; }
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

    /// One undo step. `edit` counts in bytes of the part's text, as text() and configText() have it. Edits with the same `mergeId` (>= 0) that follow each other
    /// become one step: a slider drag, typing in one place.
    /// @error InvalidArgument when the range is outside the text, Refused when there is no ds_config to edit; as configProblem()
    Result<void> applyEdit(Part part, const TextEdit& edit, const QString& name, int mergeId = -1);
    /// One undo step of both texts: the document's becomes `text`, and that of its ds_config file `config`. Merges as applyEdit() does.
    /// @param config  nothing where the file stays as it is, or where there is none
    /// @error as applyEdit; nothing is changed then
    Result<void> applyTexts(const std::string& text, const std::optional<std::string>& config, const QString& name, int mergeId = -1);
    /// Sets the value at a JSON Pointer of the workspace; a pointer below /dsConfig reaches into the file where there is one.
    /// @error as setEdit
    Result<void> setValue(const std::string& pointer, const std::string& valueText, const QString& name, int mergeId = -1);
    /// Takes a value out. @error as removeEdit
    Result<void> removeValue(const std::string& pointer, const QString& name);

    /// Writes what was changed, what keepMine() decided and what was removed, folders included. Of a ds_config alone its file: what
    /// is held around it stays in no file.
    /// @error Refused when another program changed the file meanwhile or it cannot be read any more, Io
    [[nodiscard]] Result<void> save();
    /// Writes to `path` from now on; relative paths in the document keep meaning the same files, and what was done before can
    /// still be undone. A ds_config file that is unsaved, or was removed, is written beside it.
    [[nodiscard]] Result<void> saveAs(const std::filesystem::path& path);
    /// The files of this document that another program wrote: the workspace, its ds_config's.
    [[nodiscard]] std::vector<std::filesystem::path> changedOnDisk() const;
    /// Looks whether another program wrote or removed the files, and says so by fileChangedOutside() and filesGone(). The watcher
    /// calls it; call it where a save was refused, since not every file system can be watched.
    void checkOutside();
    /// Looks only whether files were removed: call it before what is held is given up.
    void lookWhatIsGone();
    /// Another program's content counts as seen: the next save replaces it.
    void keepMine();
    /// Takes another program's content, as one undo step.
    /// @error as open, of the file that cannot be read: nothing is taken then, and what is held counts as unsaved
    [[nodiscard]] Result<void> takeTheirs();

    /// Writes a copy for a launch into `folder`: workspace.json with absolute paths and, where the ds_config is a file, its
    /// unsaved text beside it. @return the path of the copy
    /// @error InvalidInput when the document is no JSON, Io
    [[nodiscard]] Result<std::filesystem::path> writeLaunchCopy(const std::filesystem::path& folder) const;

signals:
    void opened();                  ///< another document is held, or none
    void textChanged();             ///< any part; one a step of the undo stack
    void modifiedChanged(bool modified);
    void pathChanged();
    void saved();
    void diskMatched();             ///< what is held is what the files hold: saved, or their content was taken
    void fileChangedOutside();      ///< the file on disk is neither what was read nor what was written
    void filesGone();               ///< gone() has a file more

private:
    class EditCommand;
    struct Texts {                  ///< of a file as it was last read or written
        std::string text;
        std::string config;
    };

    void reset();
    void tellModified();
    void findConfig();
    void useConfigFile(const std::filesystem::path& named);
    void readConfigFile();
    /// Whether a file that was there was removed. One look at the disk.
    [[nodiscard]] bool isGone(const std::filesystem::path& path) const;
    /// Whether a file holds what nobody here has seen: another program's text, or something that cannot be read.
    [[nodiscard]] bool differsOnDisk(const std::filesystem::path& path, const std::string& known) const;
    [[nodiscard]] std::filesystem::path standIn(std::filesystem::path config) const;
    [[nodiscard]] Result<void> write(const std::filesystem::path& file, const std::string& text, const std::filesystem::path& configFile);
    void settleOnDisk(const std::string& text);
    [[nodiscard]] std::string textFor(const std::filesystem::path& folder) const;
    [[nodiscard]] static Result<void> store(const std::filesystem::path& file, const std::string& text);
    [[nodiscard]] static std::filesystem::path freshConfigFile(const std::filesystem::path& workspace);
    void replace(Part part, const TextEdit& edit);
    [[nodiscard]] Result<std::pair<Part, TextEdit>> located(const std::string& pointer, const std::string* valueText) const;
    void watch();

    bool m_open = false;
    bool m_recovered = false;       ///< modified although the undo stack is clean
    std::filesystem::path m_path;
    QString m_title;
    std::string m_text;
    ByteRange m_configRange{};      ///< of the inline ds_config in m_text; empty when there is none; all of a broken text
    bool m_broken = false;          ///< m_text was no JSON when it was last looked at
    std::filesystem::path m_configPath;
    std::string m_configFileText;
    std::optional<Error> m_configProblem;
    Texts m_disk;
    std::set<std::filesystem::path> m_seen;    ///< files that were there: read or written here
    std::set<std::filesystem::path> m_gone;    ///< those of them that are this document's and were removed
    std::set<std::filesystem::path> m_given;   ///< files that cannot be read any more and that the user gave up by keepMine()
    std::map<std::filesystem::path, Texts> m_otherConfigs;   ///< files named before, as they were left: undo comes back to them
    std::filesystem::path m_base;   ///< what relative paths in m_text start at; empty: the folder of m_path
    /// ds_config files whose unsaved text went into another file with a save elsewhere that is undone now: the steps before it are
    /// of that other file, and the first stays as it is.
    std::map<std::filesystem::path, std::filesystem::path> m_standIns;
    bool m_wasModified = false;
    QUndoStack m_undo;
    QFileSystemWatcher* m_watcher;
};

}  // namespace stagecraft::app
