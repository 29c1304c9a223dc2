// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/file_flow.h"

#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/pending_edit.h"
#include "app/plan_service.h"
#include "app/formats.h"
#include "app/session/workspace_document.h"
#include "app/settings_store.h"
#include "app/subject_edits.h"
#include "base/atomic_file.h"
#include "config/json_edit.h"
#include "exporters/workspace_export.h"
#include "importers/foreign_config.h"
#include "visualizers/list_text.h"
#include "widgets/step_name.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontMetrics>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>

#include <array>

static void keepDemoResources()
{
    Q_INIT_RESOURCE(demo);
}

namespace stagecraft::app {

namespace {

std::filesystem::path toPath(const QString& path)
{
    return std::filesystem::path(path.toStdString());
}

template <typename Paths>
QString fileNames(const Paths& files)
{
    QStringList names;
    for (const auto& file : files)
        names << QString::fromStdString(file.filename().string());
    return listText(names);
}

QMessageBox* question(QWidget* window, QMessageBox::Icon icon, const QString& title, const QString& sentence, const QString& detail)
{
    auto* box = new QMessageBox(icon, title, sentence, QMessageBox::NoButton, window);
    box->setTextFormat(Qt::PlainText);   // names of files may look like tags
    box->setInformativeText(detail);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::WindowModal);
    return box;
}

/// Where a file is, for a sentence: from the home folder on as ~, and of a long way its beginning and end.
QString shownFolder(const std::filesystem::path& file, const QFontMetrics& metrics)
{
    constexpr int kWidth = 420;   // px
    QString folder = QDir::cleanPath(QString::fromStdString(file.parent_path().string()));
    const QString home = QDir::cleanPath(QDir::homePath());
    if (folder == home || folder.startsWith(home + QLatin1Char('/')))
        folder.replace(0, home.size(), QLatin1Char('~'));
    return metrics.elidedText(QDir::toNativeSeparators(folder), Qt::ElideMiddle, kWidth);
}

}  // namespace

FileKind fileKind(const QString& path)
{
    const QFileInfo info(path);
    if (info.isDir())
        return QFileInfo::exists(QDir(path).filePath(QStringLiteral("config.json"))) ? FileKind::ModelFolder : FileKind::Unknown;
    const auto bytes = readFile(toPath(path), std::size_t{2} << 20);
    if (!bytes.hasValue())
        return FileKind::Unknown;
    const auto parsed = JsonDocument::parse(*bytes);
    const bool object = parsed.hasValue() && parsed->node(parsed->root()).kind == JsonKind::Object;
    if (object && info.fileName() == QLatin1String("config.json") && (parsed->find("/model_type") >= 0 || parsed->find("/architectures") >= 0))
        return FileKind::ModelFolder;
    if (object && parsed->find("/stagecraft") >= 0)
        return FileKind::Workspace;
    // Real ones have a few kilobytes; what is larger is looked at only when it is imported by name.
    if (constexpr std::size_t kMostLookedAt = std::size_t{1} << 19; bytes->size() <= kMostLookedAt) {
        const auto format = detectForeignFormat({info.fileName().toStdString(), *bytes});
        if (format.hasValue() && *format != ForeignFormat::DsConfig)
            return FileKind::Foreign;
    }
    // Broken JSON can be mended in the window; which of the two it is, its words tell.
    if (!parsed.hasValue() && bytes->find("\"stagecraft\"") != std::string::npos)
        return FileKind::Workspace;
    // JSON that is nothing else is a ds_config, whatever its keys: who misspelt all of them needs the findings most.
    if (info.suffix().toLower() == QLatin1String("json"))
        return FileKind::DsConfig;
    constexpr std::array kConfigKeys{"/train_batch_size", "/train_micro_batch_size_per_gpu", "/gradient_accumulation_steps", "/zero_optimization", "/optimizer",
                                     "/scheduler", "/bf16", "/fp16", "/gradient_clipping"};
    for (const char* key : kConfigKeys)
        if (object && parsed->find(key) >= 0)
            return FileKind::DsConfig;
    return FileKind::Unknown;
}

FileFlow::FileFlow(WorkspaceDocument& document, RecoveryJournal& journal, SettingsStore& settings, QWidget* window)
    : QObject(window), m_document(document), m_journal(journal), m_settings(settings), m_window(window)
{
    connect(&document, &WorkspaceDocument::filesGone, this, [this] {
        emit failed(tr("%1 was removed by another program: what this window holds of it is unsaved now. Save writes it anew.").arg(fileNames(m_document.gone())));
    });
}

std::string FileFlow::demoText()
{
    keepDemoResources();
    QFile file(QStringLiteral(":/demo/demo.json"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

void FileFlow::newWorkspace()
{
    whenSafe([this] {
        openUntitled(newPlanText({}), [] { return tr("untitled"); });
        emit planBegun();
    });
}

void FileFlow::openUntitled(std::string text, const std::function<QString()>& name)
{
    m_name = name;
    m_named = name();
    m_document.openText(std::move(text), m_named);
}

void FileFlow::retranslate()
{
    if (!m_name || !m_document.isOpen() || !m_document.path().empty() || (m_document.title() != m_named && !m_document.isConfigAlone()))
        return;
    m_named = m_name();
    m_document.setTitle(m_named);
}

void FileFlow::openDemo()
{
    whenSafe([this] { m_document.openText(demoText(), QStringLiteral("demo")); });
}

void FileFlow::openUnsaved(const std::string& text, const QString& name)
{
    whenSafe([this, text, name] { m_document.openText(text, name); });
}

void FileFlow::open()
{
    auto* dialog = new QFileDialog(m_window, tr("Open a workspace or a config"), folder());
    dialog->setObjectName(QStringLiteral("openDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Workspaces and configs (*.json *.yaml *.yml)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &FileFlow::openPath);
    dialog->open();
}

void FileFlow::openPath(const QString& path)
{
    // Nothing is lost by looking at what another tool's file would change.
    if (fileKind(path) == FileKind::Foreign)
        emit importRequested(QFileInfo(path).absoluteFilePath());
    else
        whenSafe([this, path] { openNow(path); });
}

void FileFlow::openNow(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const QString shown = QDir::toNativeSeparators(absolute);
    if (!QFileInfo::exists(absolute)) {
        m_settings.refreshRecent();
        const bool known = m_settings.now().recentFiles.contains(absolute);
        if (known)
            m_settings.change([&absolute](Settings& settings) { settings.recentFiles.removeAll(absolute); });
        emit recentChanged();
        emit failed(known ? tr("Cannot open \"%1\": it is not there any more.").arg(shown) : tr("Cannot open \"%1\": there is no such file.").arg(shown));
        return;
    }
    const FileKind kind = fileKind(absolute);
    if (kind == FileKind::Unknown) {
        // One that cannot be read is of no kind, and says why.
        const auto bytes = QFileInfo(absolute).isDir() ? Result<std::string>(std::string()) : readFile(toPath(absolute), WorkspaceDocument::kMaxBytes);
        if (QFileInfo(absolute).isFile() && QFileInfo(absolute).size() > static_cast<qint64>(WorkspaceDocument::kMaxBytes)) {
            emit failed(tr("Cannot open \"%1\": it has %2, and what is larger than %3 is no ds_config or workspace that anybody trains with. Is this the right file?")
                            .arg(shown, app::bytes(QFileInfo(absolute).size()).text(), app::bytes(static_cast<std::int64_t>(WorkspaceDocument::kMaxBytes)).text()));
            return;
        }
        emit failed(!bytes.hasValue() ? errorText(bytes.error()) : tr("Cannot open \"%1\": it is no workspace, ds_config, Hugging Face model folder or file of another training tool.").arg(shown));
        return;
    }
    if (kind == FileKind::Workspace) {
        if (const auto opened = m_document.open(toPath(absolute)); !opened.hasValue()) {
            emit failed(errorText(opened.error()));
            return;
        }
    } else if (kind == FileKind::ModelFolder) {
        const QString folder = QFileInfo(absolute).isDir() ? absolute : QFileInfo(absolute).path();
        m_document.openText(newPlanText({}, "{\"hf\": " + quoteJson(folder.toStdString()) + "}"), QFileInfo(folder).fileName());
        emit planBegun();
        return;
    } else {
        openUntitled(withValue(workspaceAroundConfig(), "/dsConfig", quoteJson(absolute.toStdString())), [name = QFileInfo(absolute).fileName()] { return tr("untitled, with %1").arg(name); });
        emit configOpened();
    }
    addRecent(absolute);
}

QString FileFlow::folder() const
{
    const std::filesystem::path& file = m_document.mainFile();
    return file.empty() ? m_settings.now().lastFolder : QString::fromStdString(file.parent_path().string());
}

void FileFlow::addRecent(const QString& path)
{
    m_settings.change([&path](Settings& settings) {
        settings.addRecent(path);
        settings.lastFolder = QFileInfo(path).path();
    });
    emit recentChanged();
}

void FileFlow::saved(const Result<void>& result, const QString& said, const std::function<void()>& then)
{
    if (!result.hasValue()) {
        emit failed(errorText(result.error()));
        m_document.checkOutside();   // where another program's write is the reason, it is asked about
        return;
    }
    addRecent(QString::fromStdString(m_document.mainFile().string()));
    emit noted(said.arg(m_document.title()));
    if (then)
        then();
}

void FileFlow::save()
{
    if (m_document.isOpen())
        saveThen({});
}

void FileFlow::saveThen(const std::function<void()>& then)
{
    m_document.lookWhatIsGone();
    // All that is unsaved around a ds_config alone is in no file, until a workspace is made of it.
    const bool around = m_document.isAroundUnsaved();
    if (m_document.mainFile().empty() || (around && !m_document.isConfigUnsaved()))
        askSaveName(then);
    else if (!m_document.isModified())
        emit noted(tr("Nothing to save: %1 holds all of it").arg(m_document.title()));
    else
        saved(m_document.save(), around ? tr("Saved %1. Model, hardware and layout are in no file: Save workspace as keeps them") : tr("Saved %1"), then);
}

void FileFlow::saveAs()
{
    if (m_document.isOpen())
        askSaveName({});
}

void FileFlow::askSaveName(const std::function<void()>& then)
{
    auto* dialog = new QFileDialog(m_window, tr("Save the workspace"), folder());
    dialog->setObjectName(QStringLiteral("saveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Workspaces (*.json)"), tr("All files (*)")});
    dialog->setDefaultSuffix(QStringLiteral("json"));
    const QString stem = m_document.isConfigAlone() ? QFileInfo(m_document.title()).completeBaseName() + QLatin1Char('.') : QString();
    dialog->selectFile(m_document.path().empty() ? stem + QStringLiteral("workspace.json") : m_document.title());
    connect(dialog, &QFileDialog::fileSelected, this, [this, then](const QString& path) {
        if (m_document.isConfigAlone() && QFileInfo(path) == QFileInfo(QString::fromStdString(m_document.configPath().string()))) {
            saved(m_document.save(), tr("Saved %1"), then);   // its own name: it is what is to be saved
            return;
        }
        takeNameOf(path);
        const bool both = m_document.isConfigUnsaved();
        const auto done = m_document.saveAs(toPath(path));
        saved(done, both ? tr("Saved %1, and its ds_config in %2").arg(QStringLiteral("%1"), QString::fromStdString(m_document.configPath().filename().string())) : tr("Saved %1"), then);
    });
    dialog->open();
}

void FileFlow::takeNameOf(const QString& path)
{
    const auto document = JsonDocument::parse(m_document.text());
    const int at = document.hasValue() ? document->find("/name") : -1;
    if (at < 0 || document->spelling(at) != R"("untitled")")
        return;   // somebody has named it
    QString name = QFileInfo(path).completeBaseName();
    if (name.endsWith(QStringLiteral(".workspace")))
        name.chop(10);
    if (!name.isEmpty())
        (void)m_document.setValue("/name", quoteJson(name.toStdString()), stepName([name] { return tr("Name %1").arg(name); }));
}

void FileFlow::closeWorkspace()
{
    if (m_document.isOpen())
        whenSafe([this] { m_document.close(); });
}

void FileFlow::askForImport()
{
    auto* dialog = new QFileDialog(m_window, tr("Import a file of another tool"), folder());
    dialog->setObjectName(QStringLiteral("importDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Training configs and scripts (*.yaml *.yml *.json *.py *.sh)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_settings.change([&path](Settings& settings) { settings.lastFolder = QFileInfo(path).absolutePath(); });
        emit importRequested(QFileInfo(path).absoluteFilePath());
    });
    dialog->open();
}

void FileFlow::newWorkspaceFor(const QString& path)
{
    openUntitled(workspaceAroundConfig(), [name = QFileInfo(path).fileName()] { return tr("untitled, with %1").arg(name); });
}

void FileFlow::saveFiles(const std::vector<ExportedFile>& files, const QString& title)
{
    if (files.empty())
        return;
    const bool one = files.size() == 1;
    auto* dialog = new QFileDialog(m_window, one ? tr("Export: %1").arg(title) : tr("Export into a folder: %1").arg(title), folder());
    dialog->setObjectName(QStringLiteral("exportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (one) {
        const QString name = QString::fromStdString(files.front().name);
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(QFileInfo(name).suffix());
        dialog->setNameFilters({QStringLiteral("%1 (*.%2)").arg(name, QFileInfo(name).suffix()), tr("All files (*)")});
        dialog->selectFile(name);
        connect(dialog, &QFileDialog::fileSelected, this, [this, text = files.front().text](const QString& path) {
            if (const auto written = writeFileAtomically(toPath(path), text); written.hasValue())
                emit noted(tr("Exported %1").arg(QDir::toNativeSeparators(path)));
            else
                emit failed(errorText(written.error()));
        });
    } else {
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
        connect(dialog, &QFileDialog::fileSelected, this, [this, files](const QString& folder) {
            QStringList there;
            for (const ExportedFile& file : files)
                if (const QString name = QString::fromStdString(file.name); QFileInfo::exists(QDir(folder).filePath(name)))
                    there << name;
            if (there.isEmpty()) {
                writeInto(files, folder);
                return;
            }
            auto* box = question(m_window, QMessageBox::Warning, tr("Replace files"), tr("%1 has %2 already.").arg(QDir::toNativeSeparators(folder), there.join(tr(", "))),
                                 tr("Replacing loses what these files hold."));
            box->setObjectName(QStringLiteral("replaceQuestion"));
            QPushButton* replace = box->addButton(tr("Replace"), QMessageBox::DestructiveRole);
            replace->setObjectName(QStringLiteral("replaceButton"));
            replace->setProperty("danger", true);
            box->setDefaultButton(box->addButton(tr("Cancel"), QMessageBox::RejectRole));
            connect(replace, &QPushButton::clicked, this, [this, files, folder] { writeInto(files, folder); });
            box->open();
        });
    }
    dialog->open();
}

void FileFlow::writeInto(const std::vector<ExportedFile>& files, const QString& folder)
{
    if (const auto written = writeExport(files, folder.toStdString()); written.hasValue())
        emit noted(tr("Exported %n files to %1", nullptr, static_cast<int>(files.size())).arg(QDir::toNativeSeparators(folder)));
    else
        emit failed(errorText(written.error()));
}

void FileFlow::whenSafe(const std::function<void()>& next)
{
    takePendingEdit(*m_window);
    m_document.lookWhatIsGone();
    if (!m_document.isModified()) {
        next();
        return;
    }
    const bool gone = !m_document.gone().empty();
    const bool around = m_document.isAroundUnsaved(), onlyAround = around && !m_document.isConfigUnsaved();
    const QString lost = gone ? tr("What this window holds of it may be the last copy. Without saving it is lost.") : tr("Without saving they are lost.");
    auto* box = question(m_window, QMessageBox::Warning, tr("Unsaved changes"),
                         gone         ? tr("%1 was removed by another program.").arg(fileNames(m_document.gone()))
                         : onlyAround ? tr("What was chosen around %1 is in no file.").arg(m_document.title())
                                      : tr("%1 has unsaved changes.").arg(m_document.title()),
                         onlyAround ? tr("Model, hardware and layout are kept in a workspace. Without one they are lost.")
                         : around   ? lost + QStringLiteral("\n\n") + tr("Save writes this file alone. Model, hardware and layout are kept in a workspace: Cancel, then Save workspace as.")
                                    : lost);
    box->setObjectName(QStringLiteral("unsavedQuestion"));
    QPushButton* saveButton = box->addButton(onlyAround ? tr("Save workspace as…") : tr("Save"), QMessageBox::AcceptRole);
    QPushButton* discard = box->addButton(tr("Discard changes"), QMessageBox::DestructiveRole);
    discard->setProperty("danger", true);
    box->addButton(tr("Cancel"), QMessageBox::RejectRole);
    box->setDefaultButton(saveButton);
    saveButton->setObjectName(QStringLiteral("saveButton"));
    discard->setObjectName(QStringLiteral("discardButton"));
    connect(saveButton, &QPushButton::clicked, this, [this, next] { saveThen(next); });
    connect(discard, &QPushButton::clicked, this, [next] { next(); });
    // Another answer may come first: the file of another program was taken, and nothing is unsaved any more.
    connect(&m_document, &WorkspaceDocument::modifiedChanged, box, [box](bool modified) {
        if (!modified)
            box->reject();
    });
    box->open();
}

void FileFlow::offerRecovery()
{
    const QList<RecoveredSession> sessions = m_journal.abandoned();
    if (sessions.isEmpty())
        return;
    const RecoveredSession& session = sessions.first();
    const std::filesystem::path file = WorkspaceDocument::mainFileOf(session);
    const QString name = !file.empty() ? QString::fromStdString(file.filename().string()) : session.title.isEmpty() ? tr("a workspace without a file") : session.title;
    QString detail = tr("Last edit: %1").arg(QLocale().toString(session.written.toLocalTime(), QLocale::ShortFormat));
    // Both hold work that the other does not: what becomes of it is said before a button is chosen.
    const QString files = fileNames(WorkspaceDocument::writtenSince(session));
    if (!files.isEmpty())
        detail += QStringLiteral("\n\n")
            + QStringList{tr("Since then another program has changed %1.").arg(files),
                          tr("Recover brings the unsaved changes back, then asks which of the two is to stay. Nothing is written before that is answered."),
                          tr("Discard gives the unsaved changes up for good. What the other program wrote stays as it is.")}.join(QStringLiteral("\n\n"));
    if (sessions.size() > 1)
        detail += QStringLiteral("\n\n") + tr("%n other windows held unsaved work too: it stays kept, and the next window that is opened offers it.", nullptr, static_cast<int>(sessions.size()) - 1);
    // Most are called ds_config.json: the folder tells which one it is.
    const QString held = file.empty() ? tr("A window that ended unexpectedly held unsaved changes of %1.").arg(name)
                                      : tr("A window that ended unexpectedly held unsaved changes of %1 in %2.").arg(name, shownFolder(file, m_window->fontMetrics()));
    auto* box = question(m_window, QMessageBox::Question, tr("Unsaved work found"), held, detail);
    box->setObjectName(QStringLiteral("recoveryQuestion"));
    QPushButton* recover = box->addButton(tr("Recover"), QMessageBox::AcceptRole);
    QPushButton* discard = box->addButton(tr("Discard"), QMessageBox::DestructiveRole);
    discard->setProperty("danger", true);
    QPushButton* later = box->addButton(tr("Later"), QMessageBox::RejectRole);   // as Escape
    later->setObjectName(QStringLiteral("laterButton"));
    later->setToolTip(tr("Keeps the unsaved work; the next window that is opened offers it again"));
    recover->setObjectName(QStringLiteral("recoverButton"));
    discard->setObjectName(QStringLiteral("discardButton"));
    box->setDefaultButton(recover);
    connect(recover, &QPushButton::clicked, this, [this, session] {
        m_document.recover(session);
        m_journal.flush();
        if (!session.path.empty())
            addRecent(QString::fromStdString(session.path.string()));
        // Until this window keeps a copy of it, the dead one's is the only one.
        if (!m_journal.problem())
            m_journal.discard(session.id);
        m_journal.release();
        emit recovered(session);
    });
    connect(later, &QPushButton::clicked, this, [this] { m_journal.release(); });
    connect(discard, &QPushButton::clicked, this, [this, session] {
        m_journal.discard(session.id);
        offerRecovery();
    });
    box->open();
}

}  // namespace stagecraft::app
