// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_document_page.h"

#include "app/checklist_panel.h"
#include "app/config_alone.h"
#include "app/config_launcher.h"
#include "app/config_wizard.h"
#include "app/core_errors.h"
#include "app/export_panel.h"
#include "app/formats.h"
#include "app/import_panel.h"
#include "app/key_curve.h"
#include "app/layout_edits.h"
#include "app/preset_effect.h"
#include "app/session/workspace_document.h"
#include "config/check.h"
#include "config/inline_text.h"
#include "config/json_document.h"
#include "importers/foreign_config.h"
#include "importers/workspace_import.h"
#include "planner/behaviour.h"
#include "planner/config_advice.h"
#include "app/plan_service.h"
#include "widgets/config_diff.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "workspace/workspace.h"

#include <QAction>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <utility>

namespace stagecraft::app {

namespace {

constexpr int kFirstTypingStep = 2'000'000;  // behind the numbers of drags

}  // namespace

ConfigDocumentPage::ConfigDocumentPage(WorkspaceDocument& document, QWidget* parent) : Page(parent), m_document(document), m_view(new ConfigPage(this)), m_wizard(new ConfigWizard(document, this)),
      m_checklist(new ChecklistPanel(document, this)),
      m_import(new ImportPanel(document, this)), m_export(new ExportPanel(document, this)),
      m_curves(new KeyCurveService(this)), m_presetEffect(new PresetEffect(document, *m_view->presets(), this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    // Ctrl+F belongs to the window's own action, which asks the page; two owners of one key would silence both.
    for (QAction* action : m_view->actions())
        if (action->shortcut() == QKeySequence(QKeySequence::Find))
            action->setShortcut({});
    connect(m_view, &ConfigPage::editRequested, this, [this](const TextEdit& edit, const QString& name, bool typing) {
        const auto done = m_document.applyEdit(WorkspaceDocument::Part::DsConfig, edit, name, typing ? typingStep(edit) : -1);
        m_typedIndex = m_document.undoStack().index();
        if (!done.hasValue()) {
            // What was typed is nowhere: it does not stay in sight as if it were.
            documentChanged();
            emit noted(errorText(done.error()));
        }
    });
    connect(m_view, &ConfigPage::messageChanged, this, &Page::noted);
    connect(m_view, &ConfigPage::checked, this, &Page::factsChanged);
    connect(m_view, &ConfigPage::checked, this, [this] {
        m_wizard->setRelease(m_view->model().context().release);
        m_presetEffect->setRelease(m_view->model().context().release);
        m_import->setRelease(m_view->model().context().release);
    });
    connect(m_view, &ConfigPage::checked, this, &Page::commandChanged);  // another release is another command
    connect(m_view, &ConfigPage::positionChanged, this, [this](int line, int place) {
        m_line = line;
        m_column = place;
        emit factsChanged();
    });
    connect(&m_view->model(), &ConfigModel::currentChanged, this, &ConfigDocumentPage::requestCurve);
    connect(m_curves, &KeyCurveService::ready, m_view->keyHelp(), &KeyHelp::setCurve);
    m_view->offer(true, true);
    for (QWidget* panel : {static_cast<QWidget*>(m_wizard), static_cast<QWidget*>(m_checklist), static_cast<QWidget*>(m_import), static_cast<QWidget*>(m_export)})
        m_view->addSidePanel(panel);
    const auto backToHelp = [this] {
        m_view->showSidePanel(nullptr);
        emit commandChanged();
    };
    connect(m_view, &ConfigPage::importRequested, this, &ConfigDocumentPage::importRequested);
    connect(m_import, &ImportPanel::closed, this, backToHelp);
    connect(m_import, &ImportPanel::noted, this, &Page::stepNoted);
    connect(m_import, &ImportPanel::copyRequested, this, &ConfigDocumentPage::copyRequested);
    connect(m_import, &ImportPanel::commandChanged, this, &Page::commandChanged);
    connect(m_export, &ExportPanel::closed, this, backToHelp);
    connect(m_export, &ExportPanel::copyRequested, this, &ConfigDocumentPage::copyRequested);
    connect(m_export, &ExportPanel::commandChanged, this, &Page::commandChanged);
    connect(m_view, &ConfigPage::surroundingsRequested, this, &ConfigDocumentPage::subjectRequested);
    connect(m_view, &ConfigPage::launcherRequested, this, &ConfigDocumentPage::setLauncher);
    connect(m_view, &ConfigPage::optimizerRequested, this, [this](bool byScript) {
        if (const auto done = setScriptsOptimizer(m_document, byScript); !done.hasValue())
            emit noted(errorText(done.error()));
    });
    connect(m_view, &ConfigPage::ranksRequested, this, [this](int ranks) { (void)setRanks(m_document, ranks); });
    connect(m_view, &ConfigPage::deepSpeedRequested, this, &ConfigDocumentPage::planWithDeepSpeed);
    connect(m_view, &ConfigPage::wizardRequested, this, &ConfigDocumentPage::showWizard);
    connect(m_view, &ConfigPage::checklistRequested, this, &ConfigDocumentPage::showChecklist);
    connect(m_checklist, &ChecklistPanel::closed, this, backToHelp);
    connect(m_checklist, &ChecklistPanel::subjectRequested, this, &ConfigDocumentPage::assumedRequested);
    connect(m_view, &ConfigPage::checked, this, [this] { m_checklist->setAnswer(m_view->model().answer()); });
    connect(m_checklist, &ChecklistPanel::fixRequested, &m_view->model(), &ConfigModel::applyPatch);
    connect(m_checklist, &ChecklistPanel::keyRequested, m_view, &ConfigPage::showKey);
    connect(m_wizard, &ConfigWizard::noted, this, &Page::noted);
    connect(m_wizard, &ConfigWizard::closed, this, [this] { m_view->showSidePanel(nullptr); });
    m_view->diff()->setForeignSource([](const QString& path, const QByteArray& text) -> std::optional<Result<QByteArray>> {
        const ForeignFile file{QFileInfo(path).fileName().toStdString(), text.toStdString()};
        if (isWorkspaceText(file.text)) {
            const auto workspace = parseWorkspace(file.text, QFileInfo(path).path().toStdString());
            if (!workspace.hasValue())
                return Error{workspace.error().code, errorText(workspace.error()).toStdString(), {}};
            return QByteArray::fromStdString(workspace->dsConfigText);
        }
        // Whatever is no other tool's is compared as it is, broken or not.
        if (const auto format = detectForeignFormat(file); !format.hasValue() || *format == ForeignFormat::DsConfig)
            return std::nullopt;
        ImportOptions options;
        options.readFile = readerBeside(path.toStdString());
        options.language = checkLanguage();
        const auto imported = importForeignConfig(file, options);
        if (!imported.hasValue())
            return Error{imported.error().code, errorText(imported.error()).toStdString(), {}};
        return QByteArray::fromStdString(imported->dsConfigSource);
    });
    connect(&document, &WorkspaceDocument::opened, this, &ConfigDocumentPage::documentOpened);
    connect(&document, &WorkspaceDocument::pathChanged, this, &ConfigDocumentPage::showSubject);
    connect(&document, &WorkspaceDocument::pathChanged, this, &Page::commandChanged);
    connect(&document, &WorkspaceDocument::diskMatched, this, [this] {
        if (std::exchange(m_comparesWithDisk, false))
            m_view->diff()->compareWith({}, {});   // there is one text again
    });
    connect(&document, &WorkspaceDocument::diskMatched, this, [this] { m_view->setSavedText(QByteArray::fromStdString(m_document.configText())); });
    // Nobody sees this page while a slider of another moves: it catches up when the text rests, or when it is shown.
    m_rest.setSingleShot(true);
    m_rest.setInterval(120);
    connect(&m_rest, &QTimer::timeout, this, &ConfigDocumentPage::documentChanged);
    connect(&document, &WorkspaceDocument::textChanged, this, [this] {
        if (isVisible())
            documentChanged();
        else
            m_rest.start();
    });
}

int ConfigDocumentPage::typingStep(const TextEdit& edit)
{
    // A selection that is typed over takes a text away, which has to come back as it was: more than a key's one character, of four bytes at most.
    constexpr std::size_t kOneCharacter = 4;
    const bool replaces = edit.end - edit.begin > (edit.replacement.empty() ? kOneCharacter : 0);
    const bool follows = !replaces && m_typedIndex == m_document.undoStack().index() && edit.begin <= m_typedTo && edit.end >= m_typedTo;
    if (!follows || edit.replacement.find('\n') != std::string::npos)
        m_typingStep = (m_typingStep + 1) % 1'000'000;
    m_typedTo = edit.begin + edit.replacement.size();
    return kFirstTypingStep + m_typingStep;
}

QString ConfigDocumentPage::name() const
{
    return tr("Config");
}

QString ConfigDocumentPage::command() const
{
    if (!m_document.isOpen())
        return {};
    if (m_view->shownPanel() == m_import)
        return m_import->command();
    if (m_view->shownPanel() == m_export)
        return m_export->command();
    if (m_view->shownPanel() == m_checklist && !m_document.path().empty())   // else there is no workspace that a command could name
        return m_checklist->command();
    const CheckContext& context = m_view->model().context();
    const std::vector<std::string> releases = knownDeepSpeedReleases();
    const bool newest = context.release.empty() || releases.empty() || context.release == releases.back();
    const QString release = newest ? QString() : QStringLiteral(" --deepspeed ") + shellQuoted(QString::fromStdString(context.release));
    const auto named = [](const std::filesystem::path& path) { return shellQuoted(QString::fromStdString(path.string())); };
    // A ds_config inside the workspace is checked where it stands; ranks, device and advice come from there too.
    if (m_document.configPath().empty())
        return m_document.path().empty() ? QString() : QStringLiteral("stagecraft check %1%2 --json").arg(named(m_document.path()), release);
    if (!m_document.path().empty())
        return QStringLiteral("stagecraft check %1 --workspace %2%3 --json").arg(named(m_document.configPath()), named(m_document.path()), release);
    QString around = context.world != CheckContext().world || context.ranks == 1 ? QStringLiteral(" --world %1").arg(context.world) : QString();
    if (context.ranks && *context.ranks != context.world)
        around += QStringLiteral(" --ranks %1").arg(*context.ranks);
    if (context.launcher != CheckContext().launcher)
        around += QStringLiteral(" --launcher ") + QLatin1String(checkLauncherName(context.launcher));
    for (const auto& [name, value] : context.trainer)
        if (const std::string word = launcherArgumentWord(name, value, context.launcher); fillsAuto(context.launcher) && !word.empty())
            around += QStringLiteral(" --argument ") + shellQuoted(QString::fromStdString(word));
    if (!context.optimizer.empty())
        around += QStringLiteral(" --optimizer ") + shellQuoted(QString::fromStdString(context.optimizer));
    if (context.device != CheckContext().device)
        around += QStringLiteral(" --device ") + QString::fromStdString(context.device);
    return QStringLiteral("stagecraft check %1%2%3 --json").arg(named(m_document.configPath()), around, release);
}

bool ConfigDocumentPage::find()
{
    m_view->find();
    return true;
}

bool ConfigDocumentPage::help()
{
    if (!m_view->showHelpHere())
        return false;
    emit commandChanged();   // another panel may have stood there
    return true;
}

QStringList ConfigDocumentPage::facts() const
{
    const CheckAnswer& answer = m_view->model().answer();
    const QString place = tr("Line %1, column %2").arg(m_line).arg(m_column);
    if (answer.release.empty())
        return {place};   // it could not be read, and was not checked
    return {place, tr("Checked as DeepSpeed %1 in %2").arg(QString::fromStdString(answer.release), seconds(m_view->model().checkMilliseconds() / 1e3).text())};
}

void ConfigDocumentPage::showKey(const QString& pointer)
{
    if (m_rest.isActive())
        documentChanged();
    m_view->showKey(pointer);
}

void ConfigDocumentPage::showWizard()
{
    m_view->showSidePanel(m_wizard);
    m_wizard->setFocus();   // which its first question takes over
    m_wizard->resume();
}

void ConfigDocumentPage::showChecklist()
{
    m_view->showSidePanel(m_checklist);
    m_checklist->start();
    emit commandChanged();
}

void ConfigDocumentPage::showImport(const QString& path, bool opened)
{
    m_view->showSidePanel(m_import);
    m_import->start(path, opened);
}

void ConfigDocumentPage::showExport(const QString& target)
{
    m_view->showSidePanel(m_export);
    m_export->start(target);
}

void ConfigDocumentPage::documentOpened()
{
    m_view->setSavedText(QByteArray::fromStdString(m_document.configText()));
    if (m_view->shownPanel() == m_import)
        m_view->showSidePanel(nullptr);  // it was shown for another workspace
    m_view->setContext({});              // and so was this
    m_view->setText("{}");               // nothing of the file before is left in sight where this one cannot be read
    documentChanged();
    m_view->showStart();
}

void ConfigDocumentPage::showSubject()
{
    m_view->setFileName(m_document.isBroken()                ? tr("all of %1").arg(m_document.title())
                        : !m_document.configPath().empty() ? QString::fromStdString(m_document.configPath().filename().string())
                        : m_document.path().empty()        ? tr("ds_config, in no file yet")
                                                           : tr("dsConfig in %1").arg(m_document.title()));
    m_view->diff()->setFolder(QString::fromStdString((m_document.configPath().empty() ? m_document.path() : m_document.configPath()).parent_path().string()));
}

void ConfigDocumentPage::showProblem()
{
    if (m_rest.isActive())
        documentChanged();
    const auto problem = m_document.textProblem();
    m_view->showProblem(problem && problem->context.count("offset") ? std::stoi(problem->context.at("offset")) : -1);
}

void ConfigDocumentPage::documentChanged()
{
    m_rest.stop();
    if (!m_document.isOpen())
        return;
    // The check starts from what the workspace says of ranks and device, whatever state the ds_config itself is in; while the workspace
    // cannot be read the last context stays.
    const auto workspace = readAroundConfig(m_document.text(), m_document.folder());
    if (workspace.hasValue()) {
        CheckContext context = m_view->model().givenContext();
        surroundWithChosen(m_document.text(), *workspace, context);
        m_view->setContext(context);
        m_view->keyHelp()->setRunSteps(workspace->training.epochs ? 0 : workspace->training.steps);
    }
    // Of a workspace that cannot be read all is shown, to be mended: it is not judged, or fixed, as if it were the ds_config.
    std::optional<Error> broken = m_document.configProblem();
    if (m_document.isBroken())
        broken = m_document.textProblem().value_or(Error{ErrorCode::InvalidInput, "This is no workspace: it is not one JSON object.", {}});
    if (broken)
        broken->message = errorText(*broken).toStdString();
    const bool wasWhole = std::exchange(m_whole, m_document.isBroken());
    const bool leaves = wasWhole != m_whole && m_view->editor()->hasFocus() && !keepCaret();
    m_view->setText(QByteArray::fromStdString(m_document.configText()), broken);
    if (leaves) {
        m_view->form()->view()->setFocus();   // at once: the next key would fall into another text
        emit noted(tr("The workspace can be read again: Text has its ds_config"));
    }
    showSubject();
    requestCurve();
    emit commandChanged();
}

// The key that makes a workspace readable, or takes that back, changes what the text shows: what is typed next belongs where it was typed.
bool ConfigDocumentPage::keepCaret()
{
    ConfigEditor* editor = m_view->editor();
    if (m_whole) {   // an undo, or a slip: what has to be mended is where it happened
        const auto problem = m_document.textProblem();
        if (problem && problem->context.contains("offset"))
            editor->setAdoptedCaret(std::stoi(problem->context.at("offset")));
        return true;
    }
    const auto place = m_document.configOffset(static_cast<std::size_t>(editor->cursorOffset()));
    if (place)
        editor->setAdoptedCaret(static_cast<int>(*place));
    return place.has_value();
}

void ConfigDocumentPage::compareWithFile()
{
    const bool inside = m_document.configPath().empty();
    QFile file(QString::fromStdString((inside ? m_document.path() : m_document.configPath()).string()));
    if (!file.open(QIODevice::ReadOnly)) {
        emit noted(tr("Cannot read %1: %2").arg(file.fileName(), file.errorString()));
        return;
    }
    QByteArray theirs = file.readAll();
    if (const auto workspace = inside ? JsonDocument::parse(theirs.toStdString()) : Result<JsonDocument>(Error{}); workspace.hasValue()) {
        const auto config = workspace->locate("/dsConfig");
        theirs = !config ? QByteArray() : QByteArray::fromStdString(InlineText(workspace->text(), config->value).shown());
    }
    m_view->views()->setCurrentWidget(m_view->diff());
    m_comparesWithDisk = true;
    m_view->diff()->compareWith(theirs, tr("%1 on disk").arg(QFileInfo(file).fileName()));
}

void ConfigDocumentPage::showDiff()
{
    m_comparesWithDisk = false;
    m_view->views()->setCurrentWidget(m_view->diff());
    m_view->diff()->compareWith({}, {});
    m_view->diff()->table()->setFocus();
}

void ConfigDocumentPage::chooseFileToCompare()
{
    m_view->views()->setCurrentWidget(m_view->diff());
    m_view->diff()->chooseFile();
}

void ConfigDocumentPage::setEngineRefusal(const QString& sentence, bool byDeepSpeed)
{
    m_view->findings()->setOtherRefusal(sentence, byDeepSpeed);
}

void ConfigDocumentPage::planWithDeepSpeed()
{
    const auto text = selfContained(m_document.text(), m_document.configFileText());
    const auto workspace = text.hasValue() ? parseWorkspace(*text, m_document.folder()) : Result<Workspace>(text.error());
    if (!workspace.hasValue()) {
        emit noted(errorText(workspace.error()));
        return;
    }
    applyAsOneStep(m_document, changeBehaviour(*workspace, "deepspeed").edits, stepName([from = QString::fromStdString(workspace->framework.name)] {
        return tr("Behaviour of %1 → %2").arg(behaviourName(from), behaviourName(QStringLiteral("deepspeed")));
    }));
}

void ConfigDocumentPage::setLauncher(CheckLauncher launcher)
{
    if (const auto done = app::setLauncher(m_document, launcher); !done.hasValue())
        emit noted(errorText(done.error()));
}

void ConfigDocumentPage::requestCurve()
{
    const auto text = selfContained(m_document.text(), m_document.configFileText());
    if (m_document.isOpen() && text.hasValue() && isVisible())
        m_curves->request(*text, m_document.folder(), m_view->model().current(), m_view->model().context().release);
}

void ConfigDocumentPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_rest.isActive())
        documentChanged();
    requestCurve();
}

void ConfigDocumentPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        documentChanged();
        emit titleChanged();
    }
    Page::changeEvent(event);
}

}  // namespace stagecraft::app
