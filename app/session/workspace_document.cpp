// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/workspace_document.h"

#include "app/session/recovery_journal.h"
#include "base/atomic_file.h"
#include "config/json_edit.h"

#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QTimer>
#include <QUndoCommand>
#include <nlohmann/json.hpp>

namespace stagecraft::app {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{2} << 20;  // what a workspace reader takes at most

QString toQString(const fs::path& path) { return QString::fromStdString(path.string()); }

/// Where a text cannot be read, in bytes.
std::size_t offsetOf(const Error& error)
{
    const auto found = error.context.find("offset");
    return found == error.context.end() ? 0 : static_cast<std::size_t>(std::stoull(found->second));
}

bool reachesConfig(const std::string& pointer) { return pointer == "/dsConfig" || pointer.starts_with("/dsConfig/"); }

}  // namespace

/// One step: an edit and what it replaced.
class WorkspaceDocument::EditCommand : public QUndoCommand {
public:
    EditCommand(WorkspaceDocument& document, Part part, TextEdit edit, std::string before, const QString& name, int mergeId)
        : QUndoCommand(name), m_document(document), m_part(part), m_mergeId(mergeId), m_configBefore(document.m_configRange), m_brokenBefore(document.m_broken)
    {
        m_edits.push_back({std::move(edit), std::move(before)});
    }

    int id() const override { return m_mergeId < 0 ? -1 : m_mergeId; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const EditCommand&>(*other);  // same id(): pushed by us
        if (next.m_part != m_part) return false;
        m_edits.insert(m_edits.end(), next.m_edits.begin(), next.m_edits.end());
        setText(next.text());   // a drag's name says where it ended
        return true;
    }
    void redo() override
    {
        for (const Step& step : m_edits) m_document.replace(m_part, step.edit);
        emit m_document.textChanged();
    }
    void undo() override
    {
        for (auto step = m_edits.rbegin(); step != m_edits.rend(); ++step) {
            m_document.replace(m_part, {step->edit.begin, step->edit.begin + step->edit.replacement.size(), step->before});
        }
        // A ds_config that was broken while it was typed in: steps below this one count in its bytes.
        if (m_part == Part::Workspace && m_document.m_broken && !m_brokenBefore) {
            m_document.m_broken = false;
            m_document.m_configRange = m_configBefore;
        }
        emit m_document.textChanged();
    }

private:
    struct Step {
        TextEdit edit;
        std::string before;
    };
    WorkspaceDocument& m_document;
    Part m_part;
    int m_mergeId;
    ByteRange m_configBefore;
    bool m_brokenBefore;
    std::vector<Step> m_edits;
};

WorkspaceDocument::WorkspaceDocument(QObject* parent) : QObject(parent), m_watcher(new QFileSystemWatcher(this))
{
    connect(&m_undo, &QUndoStack::indexChanged, this, [this] {
        if (isModified() != std::exchange(m_wasModified, isModified())) emit modifiedChanged(m_wasModified);
    });
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this] {
        if (isModified() != std::exchange(m_wasModified, isModified())) emit modifiedChanged(m_wasModified);
    });
    // Editors save by several small operations: look once they are over.
    auto* settle = new QTimer(this);
    settle->setSingleShot(true);
    settle->setInterval(150);
    connect(settle, &QTimer::timeout, this, &WorkspaceDocument::checkOutside);
    connect(m_watcher, &QFileSystemWatcher::fileChanged, settle, qOverload<>(&QTimer::start));
    connect(m_watcher, &QFileSystemWatcher::directoryChanged, settle, qOverload<>(&QTimer::start));
}

WorkspaceDocument::~WorkspaceDocument() = default;

void WorkspaceDocument::reset()
{
    m_undo.clear();
    m_recovered = false;
    m_path.clear();
    m_title.clear();
    m_text.clear();
    m_configRange = {};
    m_broken = false;
    m_configPath.clear();
    m_configFileText.clear();
    m_otherConfigs.clear();
    m_disk = {};
}

Result<void> WorkspaceDocument::open(const fs::path& path)
{
    auto text = readFile(path, kMaxBytes);
    if (!text.hasValue()) return text.error();
    reset();
    m_open = true;
    m_path = fs::absolute(path).lexically_normal();
    m_text = std::move(text).value();
    findConfig();
    m_disk = {m_text, m_configFileText};
    watch();
    emit pathChanged();
    emit opened();
    emit textChanged();
    return {};
}

void WorkspaceDocument::openText(std::string text, const QString& title)
{
    reset();
    m_open = true;
    m_title = title;
    m_text = std::move(text);
    findConfig();
    watch();
    emit pathChanged();
    emit opened();
    emit textChanged();
}

void WorkspaceDocument::recover(const RecoveredSession& session)
{
    reset();
    m_open = true;
    m_recovered = true;
    m_title = session.title;
    m_path = session.path;
    m_text = session.text;
    findConfig();
    // Not what the files hold now: that may be another program's, and nobody has seen it yet.
    m_disk = {session.knownText, session.knownConfigText};
    if (session.configFileText && !m_configPath.empty()) m_configFileText = *session.configFileText;
    m_wasModified = true;
    watch();
    emit pathChanged();
    emit opened();
    emit textChanged();
    emit modifiedChanged(true);
    if (changedOnDisk()) emit fileChangedOutside();
}

void WorkspaceDocument::close()
{
    reset();
    m_open = false;
    watch();
    emit opened();
    emit pathChanged();
}

bool WorkspaceDocument::isModified() const { return m_open && (m_recovered || !m_undo.isClean()); }

fs::path WorkspaceDocument::folder() const { return m_path.empty() ? fs::current_path() : m_path.parent_path(); }

QString WorkspaceDocument::title() const { return m_path.empty() ? m_title : toQString(m_path.filename()); }

std::string WorkspaceDocument::configText() const
{
    if (!m_configPath.empty() && !m_broken) return m_configFileText;
    return m_text.substr(m_configRange.begin, m_configRange.size());
}

std::optional<Error> WorkspaceDocument::textProblem() const
{
    const auto strict = JsonDocument::parse(m_text, JsonSyntax::Strict);
    if (!m_open || strict.hasValue()) return std::nullopt;
    Error error = strict.error();
    const std::size_t at = offsetOf(error), begin = m_configPath.empty() || m_broken ? m_configRange.begin : 0;
    error.context["offset"] = std::to_string(at >= begin ? at - begin : 0);
    return error;
}

std::optional<std::string> WorkspaceDocument::configFileText() const
{
    return m_configPath.empty() ? std::nullopt : std::optional(m_configFileText);
}

/// Looks up where the ds_config stands. Where a broken document has it cannot be known: then all of it is shown in its
/// place, to be mended there. A file it named before may be named again.
void WorkspaceDocument::findConfig()
{
    // ds_configs are relaxed JSON, workspaces are not: what only the relaxed reader takes is mended where it stands.
    auto document = JsonDocument::parse(m_text, JsonSyntax::Strict);
    std::optional<std::size_t> refused;
    if (!document.hasValue()) {
        refused = offsetOf(document.error());
        document = JsonDocument::parse(m_text);
    }
    const int root = document.hasValue() ? document->find("") : -1;
    const auto config = root < 0 ? std::nullopt : document->locate("/dsConfig");
    const bool outside = refused && (!config || *refused < config->value.begin || *refused > config->value.end);
    m_broken = outside || root < 0 || document->node(root).kind != JsonKind::Object || m_text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (m_broken) {
        m_configRange = {0, m_text.size()};
        return;
    }
    const int node = config ? config->node : -1;
    const bool isFile = node >= 0 && document->node(node).kind == JsonKind::String;
    m_configRange = config && !isFile ? config->value : ByteRange{};
    useConfigFile(isFile ? (folder() / document->stringValue(node)).lexically_normal() : fs::path());
}

/// Changes to another ds_config file, or to none. What was unsaved in the one before is kept: the steps that made it are
/// still on the undo stack and count in its bytes.
void WorkspaceDocument::useConfigFile(const fs::path& file)
{
    if (file == m_configPath) return;
    if (!m_configPath.empty()) m_otherConfigs[m_configPath] = {std::move(m_configFileText), std::move(m_disk.config)};
    m_configPath = file;
    m_configFileText.clear();
    m_disk.config.clear();
    if (file.empty()) return;
    if (const auto known = m_otherConfigs.find(file); known != m_otherConfigs.end()) {
        m_configFileText = std::move(known->second.text);
        m_disk.config = std::move(known->second.config);
        m_otherConfigs.erase(known);
        return;
    }
    auto content = readFile(file, kMaxBytes);
    m_configFileText = content.hasValue() ? std::move(content).value() : std::string();
    m_disk.config = m_configFileText;
}

void WorkspaceDocument::replace(Part part, const TextEdit& edit)
{
    if (part == Part::DsConfig && !m_configPath.empty()) {
        m_configFileText.replace(edit.begin, edit.end - edit.begin, edit.replacement);
        return;
    }
    if (part == Part::Workspace) {
        m_text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
        findConfig();
        return;
    }
    // Inside the ds_config the range grows and shrinks with the edit, whether or not the text is JSON at the moment.
    m_text.replace(m_configRange.begin + edit.begin, edit.end - edit.begin, edit.replacement);
    m_configRange.end = m_configRange.end - (edit.end - edit.begin) + edit.replacement.size();
}

Result<void> WorkspaceDocument::applyEdit(Part part, const TextEdit& edit, const QString& name, int mergeId)
{
    if (part == Part::DsConfig && m_broken) part = Part::Workspace;  // all of it is what is edited
    if (part == Part::DsConfig && m_configPath.empty() && m_configRange.size() == 0) {
        return Error{ErrorCode::Refused, "Cannot edit the ds_config: this workspace has none.", {}};
    }
    const std::string text = part == Part::Workspace ? m_text : configText();
    if (edit.begin > edit.end || edit.end > text.size()) {
        return Error{ErrorCode::InvalidArgument, "Cannot apply an edit outside the text.", {}};
    }
    std::string before = text.substr(edit.begin, edit.end - edit.begin);
    if (before == edit.replacement) return {};
    m_undo.push(new EditCommand(*this, part, edit, std::move(before), name, mergeId));
    return {};
}

Result<std::pair<WorkspaceDocument::Part, TextEdit>> WorkspaceDocument::located(const std::string& pointer, const std::string* valueText) const
{
    const bool inConfigFile = reachesConfig(pointer) && !m_configPath.empty() && pointer != "/dsConfig";
    const Part part = inConfigFile ? Part::DsConfig : Part::Workspace;
    const auto document = JsonDocument::parse(inConfigFile ? m_configFileText : m_text);
    if (!document.hasValue()) return document.error();
    const std::string inside = inConfigFile ? pointer.substr(std::string("/dsConfig").size()) : pointer;
    auto edit = valueText ? setEdit(*document, inside, *valueText) : removeEdit(*document, inside);
    if (!edit.hasValue()) return edit.error();
    return std::pair(part, std::move(edit).value());
}

Result<void> WorkspaceDocument::setValue(const std::string& pointer, const std::string& valueText, const QString& name, int mergeId)
{
    const auto edit = located(pointer, &valueText);
    if (!edit.hasValue()) return edit.error();
    return applyEdit(edit->first, edit->second, name, mergeId);
}

Result<void> WorkspaceDocument::removeValue(const std::string& pointer, const QString& name)
{
    const auto edit = located(pointer, nullptr);
    if (!edit.hasValue()) return edit.error();
    return applyEdit(edit->first, edit->second, name);
}

Result<void> WorkspaceDocument::save()
{
    if (m_path.empty()) return Error{ErrorCode::InvalidArgument, "Cannot save: this workspace has no file yet; name one.", {}};
    if (changedOnDisk()) {
        return Error{ErrorCode::Refused, "Cannot save \"" + m_path.string() + "\": another program changed it meanwhile.", {{"path", m_path.string()}}};
    }
    if (!m_configPath.empty() && m_configFileText != m_disk.config) {
        if (auto stored = writeFileAtomically(m_configPath, m_configFileText); !stored.hasValue()) return stored;
        m_disk.config = m_configFileText;
    }
    if (auto stored = writeFileAtomically(m_path, m_text); !stored.hasValue()) return stored;
    m_disk.text = m_text;
    m_recovered = false;
    m_undo.setClean();
    if (isModified() != std::exchange(m_wasModified, isModified())) emit modifiedChanged(m_wasModified);
    watch();
    emit saved();
    emit diskMatched();
    return {};
}

/// A name beside `workspace` that nothing has yet.
fs::path WorkspaceDocument::freshConfigFile(const fs::path& workspace)
{
    const std::string stem = workspace.stem().string() + ".ds_config";
    fs::path file = workspace.parent_path() / (stem + ".json");
    for (int number = 2; fs::exists(file) && number < 1000; ++number) file.replace_filename(stem + "-" + std::to_string(number) + ".json");
    return file;
}

Result<void> WorkspaceDocument::saveAs(const fs::path& path)
{
    const fs::path target = fs::absolute(path).lexically_normal();
    std::error_code unlike;
    if (!m_configPath.empty() && (target == m_configPath || fs::equivalent(target, m_configPath, unlike)))
        return Error{ErrorCode::Refused, "Cannot save the workspace as \"" + target.string() + "\": that is its own ds_config file; choose another name.", {{"path", target.string()}}};
    const fs::path pathBefore = m_path, configBefore = m_configPath;
    const std::string textBefore = m_text;
    const Texts diskBefore = m_disk;
    m_text = textFor(target.parent_path());
    if (!m_configPath.empty() && !m_path.empty() && target != m_path && m_configFileText != m_disk.config) {
        // What is unsaved in the ds_config file belongs to the new workspace: the one it came from keeps its file as it is.
        m_configPath = freshConfigFile(target);
        m_disk.config.clear();
        const auto document = JsonDocument::parse(m_text);
        const auto edit = document.hasValue() ? setEdit(*document, "/dsConfig", quoteJson(m_configPath.filename().string())) : Result<TextEdit>(document.error());
        if (edit.hasValue()) m_text = applyEdits(std::move(m_text), {edit.value()});
    }
    m_path = target;
    m_disk.text = readFile(target, kMaxBytes).hasValue() ? readFile(target, kMaxBytes).value() : std::string();
    auto stored = save();
    if (!stored.hasValue()) {
        m_path = pathBefore;
        m_configPath = configBefore;
        m_text = textBefore;
        m_disk = diskBefore;
        return stored;
    }
    if (m_text != textBefore) {
        // The steps so far count in the bytes of the other text, and name files as the other folder sees them.
        m_undo.clear();
        m_otherConfigs.clear();
        emit textChanged();
    }
    emit pathChanged();
    return {};
}

/// The text with its relative paths written so that they name the same files from `target`.
std::string WorkspaceDocument::textFor(const fs::path& target) const
{
    std::string text = m_text;
    if (target == folder()) return text;
    for (const char* pointer : {"/dsConfig", "/data/source", "/model/hf", "/model/init"}) {
        const auto document = JsonDocument::parse(text);
        const int node = document.hasValue() ? document->find(pointer) : -1;
        if (node < 0 || document->node(node).kind != JsonKind::String) continue;
        const std::string value = document->stringValue(node);
        if (value.empty() || value.starts_with("builtin:") || value == "random" || fs::path(value).is_absolute()) continue;
        const fs::path file = (folder() / value).lexically_normal(), name = file.lexically_relative(target);
        const auto edit = setEdit(*document, pointer, quoteJson((name.empty() ? file : name).generic_string()));
        if (edit.hasValue()) text = applyEdits(std::move(text), {edit.value()});
    }
    return text;
}

bool WorkspaceDocument::changedOnDisk() const
{
    const auto differs = [](const fs::path& path, const std::string& known) {
        if (path.empty()) return false;
        const auto content = readFile(path, kMaxBytes);
        // A file that is gone is written anew by the next save; nothing of somebody else's is lost by that.
        return content.hasValue() && content.value() != known;
    };
    return differs(m_path, m_disk.text) || differs(m_configPath, m_disk.config);
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
    if (const auto content = readFile(m_path, kMaxBytes); content.hasValue()) m_disk.text = content.value();
    if (const auto content = readFile(m_configPath, kMaxBytes); content.hasValue()) m_disk.config = content.value();
    m_recovered = m_recovered || m_undo.isClean();  // what is held differs from the file: it is unsaved
    if (isModified() != std::exchange(m_wasModified, isModified())) emit modifiedChanged(m_wasModified);
}

Result<void> WorkspaceDocument::takeTheirs()
{
    auto text = readFile(m_path, kMaxBytes);
    if (!text.hasValue()) return text.error();
    const QString name = tr("Take the file's content");
    const auto take = [&](Part part, const std::string& before, const std::string& after) {
        const TextEdit edit = editBetween(before, after);
        if (before != after) m_undo.push(new EditCommand(*this, part, edit, before.substr(edit.begin, edit.end - edit.begin), name, -1));
    };
    m_undo.beginMacro(name);
    // The ds_config file first: the document's new text may name another one, or none.
    if (!m_configPath.empty()) {
        if (const auto config = readFile(m_configPath, kMaxBytes); config.hasValue()) take(Part::DsConfig, m_configFileText, config.value());
    }
    take(Part::Workspace, m_text, text.value());
    m_undo.endMacro();
    m_disk = {m_text, m_configFileText};
    m_recovered = false;
    m_undo.setClean();
    watch();
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
        for (const QString& name : {toQString(path), toQString(path.parent_path()), toQString(real.parent_path())}) {
            if (QFileInfo::exists(name)) m_watcher->addPath(name);
        }
    }
}

void WorkspaceDocument::checkOutside()
{
    if (!m_open) return;
    watch();
    if (changedOnDisk()) emit fileChangedOutside();
}

Result<fs::path> WorkspaceDocument::writeLaunchCopy(const fs::path& target) const
{
    auto parsed = JsonDocument::parse(m_text);
    if (!parsed.hasValue()) return parsed.error();
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
    for (const char* pointer : {"/data/source", "/model/hf", "/model/init"}) makeAbsolute(pointer);
    if (auto made = makeFolder(target); !made.hasValue()) return made.error();
    const std::string stem = m_path.empty() ? std::string("workspace") : m_path.stem().string();
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
