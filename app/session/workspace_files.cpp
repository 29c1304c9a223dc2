// SPDX-License-Identifier: GPL-3.0-or-later
// The document and its files: saving, another program's writes, copies for a launch.
#include "app/session/edit_command.h"

#include "base/atomic_file.h"
#include "config/json_edit.h"

#include <QFileInfo>
#include <QFileSystemWatcher>

#include <algorithm>
#include <memory>
#include <string_view>

namespace stagecraft::app {

namespace fs = std::filesystem;

namespace {

// Names of steps that this library makes; the window puts them into words.
constexpr const char* kSavedElsewhere = "Saved in another place";
constexpr const char* kTheirs = "Take the file's content";

QString toQString(const fs::path& path) { return QString::fromStdString(path.string()); }

}  // namespace

bool WorkspaceDocument::isGone(const fs::path& path) const
{
    std::error_code ignored;
    return m_seen.count(path) > 0 && fs::status(path, ignored).type() == fs::file_type::not_found;
}

void WorkspaceDocument::lookWhatIsGone()
{
    std::set<fs::path> gone;
    if (m_open && isGone(m_path)) gone.insert(m_path);
    if (m_open && !m_configProblem && isGone(m_configPath)) gone.insert(m_configPath);
    const bool more = !std::includes(m_gone.begin(), m_gone.end(), gone.begin(), gone.end());
    m_gone = std::move(gone);
    tellModified();
    if (more) emit filesGone();
}

bool WorkspaceDocument::differsOnDisk(const fs::path& path, const std::string& known) const
{
    if (path.empty()) return false;
    const auto content = readFile(path, kMaxBytes);
    // A file that is gone is written anew by the next save; nothing of somebody else's is lost by that.
    return content.hasValue() ? content.value() != known : content.error().code != ErrorCode::NotFound && !isGone(path) && m_given.count(path) == 0;
}

Result<void> WorkspaceDocument::save()
{
    if (mainFile().empty()) return Error{ErrorCode::InvalidArgument, "Cannot save: this workspace has no file yet; name one.", {}};
    if (isConfigAlone() && m_configProblem) return *m_configProblem;
    if (const auto changed = changedOnDisk(); !changed.empty())
        return Error{ErrorCode::Refused, "Cannot save \"" + changed.front().string() + "\": another program changed it meanwhile.", {{"path", changed.front().string()}}};
    const std::string text = fileText();
    auto stored = isConfigAlone() ? store(m_configPath, m_configFileText) : write(m_path, text, m_configPath);
    if (!stored.hasValue()) return stored;
    m_seen.insert(mainFile());
    settleOnDisk(text);
    return {};
}

bool WorkspaceDocument::isConfigUnsaved() const
{
    return !m_configPath.empty() && (m_configFileText != m_disk.config || (!m_configProblem && isGone(m_configPath)) || m_given.count(m_configPath) > 0);
}

Result<void> WorkspaceDocument::write(const fs::path& file, const std::string& text, const fs::path& configFile)
{
    const bool decided = m_given.count(configFile) > 0;   // what stands there is to be replaced, though nobody could read it
    if (!configFile.empty() && (m_configFileText != m_disk.config || decided || configFile != m_configPath || (!m_configProblem && isGone(configFile)))) {
        if (auto stored = store(configFile, m_configFileText); !stored.hasValue()) return stored;
        m_seen.insert(configFile);
        if (configFile == m_configPath) m_disk.config = m_configFileText;
    }
    auto stored = store(file, text);
    if (stored.hasValue()) m_seen.insert(file);
    return stored;
}

/// Also where the folder was removed, with all that was in it: the window may hold the last copy.
Result<void> WorkspaceDocument::store(const fs::path& file, const std::string& text)
{
    std::error_code error;
    if (const auto kind = fs::status(file, error).type(); kind == fs::file_type::fifo || kind == fs::file_type::character || kind == fs::file_type::block || kind == fs::file_type::socket)
        return Error{ErrorCode::Refused, "Cannot write \"" + file.string() + "\": it is a pipe or a device, not a file; choose another name with Save as.", {{"path", file.string()}}};
    if (const fs::path folder = file.parent_path(); !folder.empty() && !fs::is_directory(folder, error)) {
        fs::create_directories(folder, error);
        if (error)
            return Error{ErrorCode::Io, "Cannot write \"" + file.string() + "\": its folder is gone and cannot be made (" + error.message() + "); choose another place with Save as.", {{"path", file.string()}}};
    }
    return writeFileAtomically(file, text);
}

/// What is held is what the files hold.
void WorkspaceDocument::settleOnDisk(const std::string& text)
{
    m_disk = {text, m_configFileText};
    std::erase_if(m_given, [](const fs::path& file) { return readFile(file, kMaxBytes).hasValue(); });   // the rest is unreadable by its rights
    m_gone.clear();
    m_recovered = false;
    m_undo.setClean();
    tellModified();
    watch();
    emit saved();
    emit diskMatched();
}

/// A name beside `workspace` that nothing has yet.
fs::path WorkspaceDocument::freshConfigFile(const fs::path& workspace)
{
    const std::string stem = workspace.stem().string() + ".ds_config";
    fs::path file = workspace.parent_path() / (stem + ".json");
    std::error_code ignored;
    for (int number = 2; fs::symlink_status(file, ignored).type() != fs::file_type::not_found && number < 1000; ++number) file.replace_filename(stem + "-" + std::to_string(number) + ".json");
    return file;
}

Result<void> WorkspaceDocument::saveAs(const fs::path& path)
{
    std::error_code unlike;
    const fs::path target = (path.is_absolute() ? path : folder() / path).lexically_normal();
    if (!m_configPath.empty() && (target == m_configPath || fs::equivalent(target, m_configPath, unlike)))
        return Error{ErrorCode::Refused, "Cannot save the workspace as \"" + target.string() + "\": that is its own ds_config file; choose another name.", {{"path", target.string()}}};
    std::string text = textFor(target.parent_path());
    fs::path config = m_configPath;
    const bool removed = !m_configProblem && isGone(m_configPath);
    const bool unsavedConfig = isConfigUnsaved();
    if (unsavedConfig && ((!m_path.empty() && target != m_path) || (removed && !fs::exists(m_configPath.parent_path(), unlike)))) {
        // What is unsaved in the ds_config file belongs to the new workspace: the one it came from keeps its file as it is. One whose
        // folder went has no other place.
        const auto document = JsonDocument::parse(text);
        const fs::path copy = freshConfigFile(target);
        const auto edit = document.hasValue() ? setEdit(*document, "/dsConfig", quoteJson(copy.filename().string())) : Result<TextEdit>(document.error());
        if (edit.hasValue()) {
            text = applyEdits(std::move(text), {edit.value()});
            config = copy;
        }
    }
    if (unsavedConfig && config == m_configPath && differsOnDisk(m_configPath, m_disk.config))
        return Error{ErrorCode::Refused, "Cannot save \"" + m_configPath.string() + "\": another program changed it meanwhile.", {{"path", m_configPath.string()}}};
    if (auto stored = write(target, text, config); !stored.hasValue()) {
        std::error_code ignored;
        if (config != m_configPath) fs::remove(config, ignored);
        return stored;
    }
    m_base = folder();
    m_path = target;
    if (text != m_text) {
        // The steps so far count in the bytes of the text as it was, and name files as the other folder sees them: what the new
        // folder changes is a step of its own after them, so that all of them can still be undone.
        const fs::path left = m_configPath;
        const TextEdit edit = editBetween(m_text, text);
        auto step = std::make_unique<EditCommand>(*this, Part::Workspace, edit, m_text.substr(edit.begin, edit.end - edit.begin), QString::fromUtf8(kSavedElsewhere), -1);
        step->moveTo(target.parent_path(), config);
        m_undo.push(step.release());
        if (left != m_configPath) m_otherConfigs.erase(left);  // its unsaved text has moved
    } else {
        m_base = target.parent_path();
    }
    settleOnDisk(text);
    emit pathChanged();
    return {};
}

std::string WorkspaceDocument::fileText() const { return m_path.empty() ? m_text : textFor(m_path.parent_path()); }

/// The text with its relative paths written so that they name the same files from `target`.
std::string WorkspaceDocument::textFor(const fs::path& target) const
{
    std::string text = m_text;
    for (const char* pointer : {"/dsConfig", "/data/source", "/model/hf", "/model/init"}) {
        const auto document = JsonDocument::parse(text);
        const int node = document.hasValue() ? document->find(pointer) : -1;
        if (node < 0 || document->node(node).kind != JsonKind::String) continue;
        const std::string value = document->stringValue(node);
        const bool config = std::string_view(pointer) == "/dsConfig";
        if (value.empty() || value.starts_with("builtin:") || value == "random" || (fs::path(value).is_absolute() && !config)) continue;
        const fs::path named = (folder() / value).lexically_normal();
        const fs::path file = config ? standIn(named) : named;
        const fs::path name = file.lexically_relative(target);
        // A ds_config opened alone is named by its whole path until the workspace around it has a folder: beside it, or above it,
        // both may be moved together. A path that somebody wrote stays as written.
        const bool ours = config && m_path.empty() && !name.empty() && *name.begin() != "..";
        if (file == named && !ours && (target == folder() || fs::path(value).is_absolute())) continue;
        const auto edit = setEdit(*document, pointer, quoteJson((name.empty() ? file : name).generic_string()));
        if (edit.hasValue()) text = applyEdits(std::move(text), {edit.value()});
    }
    return text;
}

std::vector<fs::path> WorkspaceDocument::changedOnDisk() const
{
    std::vector<fs::path> changed;
    if (differsOnDisk(m_path, m_disk.text)) changed.push_back(m_path);
    if (!m_configProblem && differsOnDisk(m_configPath, m_disk.config)) changed.push_back(m_configPath);
    return changed;
}

std::vector<fs::path> WorkspaceDocument::writtenSince(const RecoveredSession& session)
{
    WorkspaceDocument held;   // which file the ds_config is in, the text says
    held.recover(session);
    return held.changedOnDisk();
}

fs::path WorkspaceDocument::mainFileOf(const RecoveredSession& session)
{
    WorkspaceDocument held;
    held.recover(session);
    return held.mainFile();
}

bool WorkspaceDocument::isAsOnDisk() const
{
    const auto holds = [](const fs::path& path, const std::string& text) {
        const auto content = readFile(path, kMaxBytes);
        return content.hasValue() && content.value() == text;
    };
    return m_open && !m_path.empty() && !isModified() && holds(m_path, m_text) && (m_configPath.empty() || holds(m_configPath, m_configFileText));
}

void WorkspaceDocument::keepMine()
{
    for (const auto& [file, known] : {std::pair(m_path, &m_disk.text), std::pair(m_configPath, &m_disk.config)}) {
        if (file.empty() || (known == &m_disk.config && m_configProblem)) continue;
        if (auto content = readFile(file, kMaxBytes); content.hasValue()) *known = std::move(content).value();
        else if (content.error().code != ErrorCode::NotFound) m_given.insert(file);
    }
    m_recovered = m_recovered || m_undo.isClean();  // what is held differs from the file: it is unsaved
    tellModified();
}

Result<void> WorkspaceDocument::takeTheirs()
{
    auto text = m_path.empty() ? Result<std::string>(m_text) : readFile(m_path, kMaxBytes);
    if (!text.hasValue() && isGone(m_path)) text = m_text;   // the ds_config file is what was written
    // The ds_config file first: the document's new text may name another one, or none.
    auto config = m_configPath.empty() || m_configProblem ? Result<std::string>(m_configFileText) : readFile(m_configPath, kMaxBytes);
    if (!config.hasValue() && isGone(m_configPath)) config = m_configFileText;
    if (!text.hasValue() || !config.hasValue()) {
        m_recovered = m_recovered || m_undo.isClean();   // no file holds what is held here any more
        tellModified();
        return text.hasValue() ? config.error() : text.error();
    }
    const bool alsoOurs = isAroundUnsaved();   // that is in no file which could be taken
    const QString name = QString::fromUtf8(kTheirs);
    const auto take = [&](Part part, const std::string& before, const std::string& after) {
        const TextEdit edit = editBetween(before, after);
        if (before == after) return;
        auto step = std::make_unique<EditCommand>(*this, part, edit, before.substr(edit.begin, edit.end - edit.begin), name, -1);
        if (part == Part::Workspace && m_path.parent_path() != folder()) step->moveTo(m_path.parent_path(), m_configPath);
        m_undo.push(step.release());
    };
    m_undo.beginMacro(name);
    if (!m_configPath.empty() && !m_configProblem) take(Part::DsConfig, m_configFileText, config.value());
    take(Part::Workspace, m_text, text.value());
    m_undo.endMacro();
    m_disk = {m_path.empty() ? m_disk.text : m_text, m_configFileText};
    m_given.clear();
    m_recovered = alsoOurs;
    m_undo.setClean();
    watch();
    lookWhatIsGone();
    emit diskMatched();
    return {};
}

void WorkspaceDocument::watch()
{
    if (const QStringList old = m_watcher->files() + m_watcher->directories(); !old.isEmpty()) m_watcher->removePaths(old);
    for (const fs::path& path : {m_path, m_configPath}) {
        if (path.empty()) continue;
        // The folder too, of what a link names as well: a file replaced by rename is no longer the file that was watched.
        std::error_code ignored;
        const fs::path real = fs::weakly_canonical(path, ignored);
        // Of a folder that is gone the one above, in which it may come back.
        fs::path folder = path.parent_path();
        while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
        for (const QString& name : {toQString(path), toQString(folder), toQString(real.parent_path())}) {
            if (QFileInfo::exists(name)) m_watcher->addPath(name);
        }
    }
}

void WorkspaceDocument::checkOutside()
{
    if (!m_open) return;
    watch();
    std::error_code ignored;
    if (m_configProblem && fs::exists(m_configPath, ignored)) {
        readConfigFile();  // nothing of it is held yet
        if (!m_configProblem) emit textChanged();
        if (!m_configProblem && !isModified()) emit diskMatched();
    }
    lookWhatIsGone();
    if (!changedOnDisk().empty()) emit fileChangedOutside();
}

Result<fs::path> WorkspaceDocument::writeLaunchCopy(const fs::path& target) const
{
    auto parsed = JsonDocument::parse(m_text);
    if (!parsed.hasValue()) return parsed.error();
    if (m_configProblem) return *m_configProblem;
    std::string text = m_text;
    const auto makeAbsolute = [&](const char* pointer) {
        const auto document = JsonDocument::parse(text);
        const int node = document.hasValue() ? document->find(pointer) : -1;
        if (node < 0 || document->node(node).kind != JsonKind::String) return;
        const std::string value = document->stringValue(node);
        if (value.empty() || value.starts_with("builtin:") || fs::path(value).is_absolute() || value == "random") return;
        const auto edit = setEdit(*document, pointer, quoteJson((folder() / value).lexically_normal().generic_string()));
        if (edit.hasValue()) text = applyEdits(std::move(text), {edit.value()});
    };
    const std::string stem = m_path.empty() ? std::string("workspace") : m_path.stem().string();
    for (const char* pointer : {"/data/source", "/model/hf", "/model/init"}) makeAbsolute(pointer);
    if (auto made = makeFolder(target); !made.hasValue()) return made.error();
    if (!m_configPath.empty()) {
        const fs::path config = target / (stem + ".ds_config.json");   // never the name of the copy itself
        if (auto stored = writeFileAtomically(config, m_configFileText); !stored.hasValue()) return stored.error();
        const auto document = JsonDocument::parse(text);
        const auto edit = setEdit(document.value(), "/dsConfig", quoteJson(config.generic_string()));
        if (!edit.hasValue()) return edit.error();
        text = applyEdits(std::move(text), {edit.value()});
    }
    const fs::path copy = target / (stem + ".json");
    if (auto stored = writeFileAtomically(copy, text); !stored.hasValue()) return stored.error();
    return copy;
}

}  // namespace stagecraft::app
