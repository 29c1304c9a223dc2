// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/workspace_document.h"

#include "app/session/edit_command.h"
#include "app/session/recovery_journal.h"
#include "base/atomic_file.h"
#include "config/inline_text.h"
#include "config/json_edit.h"
#include "workspace/workspace.h"

#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QTimer>
#include <nlohmann/json.hpp>

#include <memory>

namespace stagecraft::app {

namespace fs = std::filesystem;

namespace {

/// Where a text cannot be read, in bytes.
std::size_t offsetOf(const Error& error)
{
    const auto found = error.context.find("offset");
    return found == error.context.end() ? 0 : static_cast<std::size_t>(std::stoull(found->second));
}

/// Stands for a ds_config that is still to be typed.
constexpr std::string_view kPlaceholder = "{}";

bool reachesConfig(const std::string& pointer) { return pointer == "/dsConfig" || pointer.starts_with("/dsConfig/"); }

}  // namespace

WorkspaceDocument::WorkspaceDocument(QObject* parent) : QObject(parent), m_watcher(new QFileSystemWatcher(this))
{
    connect(&m_undo, &QUndoStack::indexChanged, this, &WorkspaceDocument::tellModified);
    connect(&m_undo, &QUndoStack::cleanChanged, this, &WorkspaceDocument::tellModified);
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
    m_recovered = false;
    m_gone.clear();
    m_undo.clear();
    m_path.clear();
    m_title.clear();
    m_text.clear();
    m_configRange = {};
    m_broken = false;
    m_configPath.clear();
    m_configFileText.clear();
    m_configProblem.reset();
    m_seen.clear();
    m_given.clear();
    m_otherConfigs.clear();
    m_standIns.clear();
    m_base.clear();
    m_disk = {};
}

Result<void> WorkspaceDocument::open(const fs::path& path)
{
    auto text = readFile(path, kMaxBytes);
    if (!text.hasValue()) return text.error();
    std::error_code gone;
    const fs::path file = fs::absolute(path, gone).lexically_normal();
    reset();
    m_open = true;
    m_path = gone ? path : file;
    m_text = std::move(text).value();
    m_seen.insert(m_path);
    findConfig();
    m_disk = {m_text, m_configFileText};
    watch();
    tellModified();
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
    m_disk = {m_text, m_configFileText};
    watch();
    tellModified();
    emit pathChanged();
    emit opened();
    emit textChanged();
}

void WorkspaceDocument::setTitle(const QString& title)
{
    if (title == std::exchange(m_title, title) || !m_path.empty()) return;
    emit pathChanged();
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
    if (!m_path.empty()) m_seen.insert(m_path);
    if (session.configFileText && !m_configPath.empty()) {
        m_configFileText = *session.configFileText;
        m_configProblem.reset();
        if (!session.knownConfigText.empty()) m_seen.insert(m_configPath);
    }
    m_wasModified = true;
    watch();
    emit pathChanged();
    emit opened();
    emit textChanged();
    emit modifiedChanged(true);
    if (!changedOnDisk().empty()) emit fileChangedOutside();
}

void WorkspaceDocument::close()
{
    reset();
    m_open = false;
    watch();
    tellModified();
    emit opened();
    emit pathChanged();
}

bool WorkspaceDocument::isModified() const { return m_open && (m_recovered || !m_gone.empty() || !m_undo.isClean()); }

void WorkspaceDocument::tellModified()
{
    if (isModified() != std::exchange(m_wasModified, isModified())) emit modifiedChanged(m_wasModified);
}

fs::path WorkspaceDocument::folder() const
{
    if (!m_base.empty()) return m_base;
    if (!m_path.empty()) return m_path.parent_path();
    std::error_code gone;   // the folder that the program was started in
    const fs::path current = fs::current_path(gone);
    return gone ? fs::path("/") : current;
}

fs::path WorkspaceDocument::standIn(fs::path config) const
{
    for (auto found = m_standIns.find(config); found != m_standIns.end(); found = m_standIns.find(config)) config = found->second;
    return config;
}

QString WorkspaceDocument::title() const { return mainFile().empty() ? m_title : QString::fromStdString(mainFile().filename().string()); }

std::string WorkspaceDocument::configText() const
{
    if (!m_configPath.empty() && !m_broken) return m_configFileText;
    return m_broken ? m_text : InlineText(m_text, m_configRange).shown();
}

std::optional<std::size_t> WorkspaceDocument::configOffset(std::size_t at) const
{
    if (m_broken || !m_configPath.empty() || at < m_configRange.begin || at > m_configRange.end) return std::nullopt;
    return InlineText(m_text, m_configRange).shownOffset(at - m_configRange.begin);
}

std::optional<Error> WorkspaceDocument::textProblem() const
{
    const auto unread = whyUnread(m_text);
    if (!m_open || !unread) return std::nullopt;
    Error error = *unread;
    const std::size_t at = offsetOf(error);
    // The ds_config is read as DeepSpeed reads it.
    if (!m_broken && m_configPath.empty() && at >= m_configRange.begin && at < m_configRange.end && parseWorkspace(m_text, folder()).hasValue()) return std::nullopt;
    const std::size_t begin = m_configPath.empty() || m_broken ? m_configRange.begin : 0;
    const std::size_t inside = at >= begin ? at - begin : 0;
    error.context["offset"] = std::to_string(m_configPath.empty() && !m_broken ? InlineText(m_text, m_configRange).shownOffset(inside) : inside);
    return error;
}

std::optional<std::string> WorkspaceDocument::configFileText() const
{
    return m_configPath.empty() || m_configProblem ? std::nullopt : std::optional(m_configFileText);
}

/// Looks up where the ds_config stands. Where a broken document has it cannot be known: then all of it is shown in its
/// place, to be mended there. A file it named before may be named again.
void WorkspaceDocument::findConfig()
{
    // ds_configs are relaxed JSON, what stands around them is not: what only the relaxed reader takes there is mended where it stands.
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
void WorkspaceDocument::useConfigFile(const fs::path& named)
{
    const fs::path file = standIn(named);
    if (file == m_configPath) return;
    if (!m_configPath.empty() && !m_configProblem) m_otherConfigs[m_configPath] = {std::move(m_configFileText), std::move(m_disk.config)};
    m_configPath = file;
    m_configFileText.clear();
    m_configProblem.reset();
    m_disk.config.clear();
    if (file.empty()) return;
    if (const auto known = m_otherConfigs.find(file); known != m_otherConfigs.end()) {
        m_configFileText = std::move(known->second.text);
        m_disk.config = std::move(known->second.config);
        m_otherConfigs.erase(known);
        return;
    }
    readConfigFile();
}

void WorkspaceDocument::readConfigFile()
{
    auto content = readFile(m_configPath, kMaxBytes);
    m_configProblem = content.hasValue() ? std::nullopt : std::optional(content.error());
    if (content.hasValue()) m_seen.insert(m_configPath);
    m_configFileText = content.hasValue() ? std::move(content).value() : std::string();
    m_disk.config = m_configFileText;
}

void WorkspaceDocument::replace(Part part, const TextEdit& edit)
{
    if (part == Part::DsConfig && !m_configPath.empty()) {
        m_configFileText.replace(edit.begin, edit.end - edit.begin, edit.replacement);
        m_configProblem.reset();  // it was not there, and is made by this
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

Result<void> WorkspaceDocument::applyEdit(Part part, const TextEdit& wanted, const QString& name, int mergeId)
{
    if (part == Part::DsConfig && m_broken) part = Part::Workspace;  // all of it is what is edited
    if (part == Part::DsConfig && m_configProblem && m_configProblem->code != ErrorCode::NotFound) return *m_configProblem;
    if (wanted.begin > wanted.end || wanted.end > (part == Part::Workspace ? m_text : configText()).size()) {
        return Error{ErrorCode::InvalidArgument, "Cannot apply an edit outside the text.", {}};
    }
    const bool inDocument = part == Part::DsConfig && m_configPath.empty();
    const TextEdit edit = inDocument ? InlineText(m_text, m_configRange).within(wanted) : wanted;
    const std::string text = inDocument ? m_text.substr(m_configRange.begin, m_configRange.size()) : part == Part::Workspace ? m_text : m_configFileText;
    std::string before = text.substr(edit.begin, edit.end - edit.begin);
    if (before == edit.replacement) return {};
    auto command = std::make_unique<EditCommand>(*this, part, edit, std::move(before), name, mergeId);
    // One that was emptied still has its place; at the start of the text none can have it.
    if (part == Part::DsConfig && m_configPath.empty() && m_configRange.end == 0) {
        const auto document = JsonDocument::parse(m_text);
        auto member = document.hasValue() ? setEdit(*document, "/dsConfig", kPlaceholder) : Result<TextEdit>(document.error());
        if (!member.hasValue()) return member.error();
        const std::size_t inside = member->replacement.rfind(kPlaceholder);
        member->replacement.erase(inside, kPlaceholder.size());
        const std::size_t value = member->begin + inside;
        command->makeRoom(std::move(member).value(), value);
    }
    m_undo.push(command.release());
    return {};
}

Result<void> WorkspaceDocument::applyTexts(const std::string& text, const std::optional<std::string>& config, const QString& name, int mergeId)
{
    if (!config || m_configPath.empty() || *config == m_configFileText) return applyEdit(Part::Workspace, editBetween(m_text, text), name, mergeId);
    if (text == m_text) return applyEdit(Part::DsConfig, editBetween(m_configFileText, *config), name, mergeId);
    if (m_configProblem && m_configProblem->code != ErrorCode::NotFound) return *m_configProblem;
    const auto replaced = [](const std::string& before, const TextEdit& edit) { return before.substr(edit.begin, edit.end - edit.begin); };
    // The file first: the document's new text may name another one, or none.
    TextEdit edit = editBetween(m_configFileText, *config);
    std::string before = replaced(m_configFileText, edit);
    auto step = std::make_unique<EditCommand>(*this, Part::DsConfig, std::move(edit), std::move(before), name, mergeId);
    edit = editBetween(m_text, text);
    before = replaced(m_text, edit);
    step->add(Part::Workspace, std::move(edit), std::move(before));
    m_undo.push(step.release());
    return {};
}

Result<std::pair<WorkspaceDocument::Part, TextEdit>> WorkspaceDocument::located(const std::string& pointer, const std::string* valueText) const
{
    const bool inConfigFile = reachesConfig(pointer) && !m_configPath.empty() && pointer != "/dsConfig";
    const Part part = inConfigFile ? Part::DsConfig : Part::Workspace;
    if (inConfigFile && m_configProblem) return *m_configProblem;
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

}  // namespace stagecraft::app
