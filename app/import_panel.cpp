// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/import_panel.h"

#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/effect_words.h"
#include "app/formats.h"
#include "app/session/workspace_document.h"
#include "app/transfer_list.h"
#include "app/wizard_effect.h"
#include "base/atomic_file.h"
#include "config/json_edit.h"
#include "importers/workspace_import.h"
#include "planner/config_advice.h"
#include "widgets/config_model.h"
#include "widgets/panel.h"
#include "widgets/step_name.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"
#include "workspace/workspace.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QIntValidator>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <memory>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr std::array kFormats{ForeignFormat::DsConfig, ForeignFormat::Accelerate, ForeignFormat::TrainerArguments, ForeignFormat::LlamaFactory, ForeignFormat::Axolotl, ForeignFormat::CommandLine};

QPlainTextEdit* textView(QWidget* parent)
{
    auto* view = new QPlainTextEdit(parent);
    view->setReadOnly(true);
    view->setFont(theme::font(Role::Fixed));
    view->setLineWrapMode(QPlainTextEdit::NoWrap);
    view->setFrameShape(QFrame::NoFrame);
    view->setTabChangesFocus(true);
    return view;
}

/// Whether it names a model that is not here: the workspace's own stays, and numbers of that are none of what is imported.
bool namesAbsentModel(const ImportedConfig& imported)
{
    return std::any_of(imported.notes.begin(), imported.notes.end(), [](const TransferNote& note) { return note.target == "/launch/trainer/model_name_or_path"; });
}

}  // namespace

QString foreignFormatTitle(ForeignFormat format)
{
    switch (format) {
    case ForeignFormat::DsConfig: return ImportPanel::tr("ds_config");
    case ForeignFormat::Accelerate: return ImportPanel::tr("accelerate config");
    case ForeignFormat::TrainerArguments: return ImportPanel::tr("TrainingArguments of the HF Trainer");
    case ForeignFormat::LlamaFactory: return ImportPanel::tr("LLaMA-Factory training file");
    case ForeignFormat::Axolotl: return ImportPanel::tr("axolotl training file");
    case ForeignFormat::CommandLine: return ImportPanel::tr("launch command or script");
    }
    return {};
}

ImportPanel::ImportPanel(WorkspaceDocument& document, QWidget* parent)
    : SidePanel(parent), m_document(document), m_header(new PanelHeader(QString(), this)), m_format(new QComboBox(this)), m_ranks(new QLineEdit(this)), m_hidden(new QLineEdit(this)),
      m_arguments(new QLineEdit(this)), m_keepAuto(new QCheckBox(this)), m_ranksLabel(new ToneLabel(Role::Body, Token::Text2, this)), m_hiddenLabel(new ToneLabel(Role::Body, Token::Text2, this)),
      m_argumentsLabel(new ToneLabel(Role::Body, Token::Text2, this)), m_problem(new ToneLabel(Role::Body, Token::Error, this)), m_summary(new ToneLabel(Role::Body, Token::Text, this)),
      m_effect(new ToneLabel(Role::Small, Token::Text2, this)),
      m_tabs(new QTabWidget(this)), m_notes(new TransferList(this)), m_text(textView(this)), m_rest(textView(this)), m_close(new QPushButton(this)), m_new(new QPushButton(this)), m_take(new QPushButton(this))
{
    setObjectName(QStringLiteral("importPanel"));
    m_copy = m_header->addTool(QStringLiteral("edit-copy"), QString());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    auto* fields = new QGridLayout;
    fields->setContentsMargins(12, 8, 12, 8);
    fields->setHorizontalSpacing(8);
    fields->setVerticalSpacing(6);
    fields->addWidget(m_format, 0, 0, 1, 4);
    fields->addWidget(m_ranksLabel, 1, 0);
    fields->addWidget(m_ranks, 1, 1);
    fields->addWidget(m_hiddenLabel, 1, 2);
    fields->addWidget(m_hidden, 1, 3);
    fields->addWidget(m_argumentsLabel, 2, 0);
    fields->addWidget(m_arguments, 2, 1, 1, 3);
    fields->addWidget(m_keepAuto, 3, 0, 1, 4);
    fields->setColumnStretch(1, 1);
    fields->setColumnStretch(3, 1);
    column->addLayout(fields);
    m_ranks->setValidator(new QIntValidator(1, 1'000'000, this));
    m_hidden->setValidator(new QIntValidator(1, 10'000'000, this));
    m_ranksLabel->setBuddy(m_ranks);
    m_hiddenLabel->setBuddy(m_hidden);
    m_argumentsLabel->setBuddy(m_arguments);
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(12, 4, 12, 8);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_problem);
    m_summary->setContentsMargins(12, 0, 12, 8);
    m_summary->setWordWrap(true);
    column->addWidget(m_summary);
    m_effect->setContentsMargins(12, 0, 12, 8);
    m_effect->setWordWrap(true);
    m_effect->hide();
    column->addWidget(m_effect);
    m_tabs->setDocumentMode(true);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setElideMode(Qt::ElideRight);
    m_tabs->addTab(m_notes, QString());
    m_tabs->addTab(m_text, QStringLiteral("ds_config"));
    m_tabs->addTab(m_rest, QString());
    column->addWidget(m_tabs, 1);
    column->addStretch(0);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 8, 12, 8);
    buttons->setSpacing(8);
    buttons->addWidget(m_close);
    buttons->addStretch(1);
    buttons->addWidget(m_new);
    buttons->addWidget(m_take);
    column->addLayout(buttons);

    m_format->addItem(QString());
    for (const ForeignFormat format : kFormats)
        m_format->addItem(QString(), static_cast<int>(format));
    connect(m_format, &QComboBox::activated, this, &ImportPanel::read);
    connect(m_keepAuto, &QCheckBox::clicked, this, &ImportPanel::read);
    for (QLineEdit* field : {m_ranks, m_hidden, m_arguments})
        connect(field, &QLineEdit::editingFinished, this, [this, field] {
            if (field->isModified())
                read();
            field->setModified(false);
        });
    connect(m_close, &QPushButton::clicked, this, &ImportPanel::dismiss);
    connect(m_take, &QPushButton::clicked, this, [this] { (void)takeOver(); });
    connect(m_new, &QPushButton::clicked, this, [this] { emit newWorkspaceRequested(m_path); });
    connect(m_copy, &QToolButton::clicked, this, [this] { emit copyRequested(command()); });
    retranslate();
}

void ImportPanel::start(const QString& path, bool opened)
{
    m_path = path;
    m_opened = opened;
    m_format->setCurrentIndex(0);
    for (QLineEdit* field : {m_ranks, m_hidden, m_arguments})
        field->clear();
    m_keepAuto->setChecked(false);
    m_tabs->setCurrentIndex(0);
    m_imported.reset();
    m_take->setEnabled(false);
    m_new->setEnabled(false);
    m_takeWhenRead = false;
    m_fresh = true;
    m_problem->clear();
    read();
}

Result<ImportOptions> ImportPanel::options() const
{
    ImportOptions options;
    if (m_format->currentIndex() > 0)
        options.format = static_cast<ForeignFormat>(m_format->currentData().toInt());
    options.ranks = m_ranks->text().toInt();
    if (const int hidden = m_hidden->text().toInt(); hidden > 0)
        options.hiddenSize = hidden;
    options.keepAuto = m_keepAuto->isChecked();
    options.language = checkLanguage();
    for (const QString& word : QProcess::splitCommand(m_arguments->text())) {
        auto argument = trainerArgumentFromWord(word.toStdString(), options.language);
        if (!argument.hasValue())
            return argument.error();
        options.arguments.insert_or_assign(argument->first, argument->second);
    }
    return options;
}

void ImportPanel::read()
{
    retranslate();
    const quint64 job = ++m_job;
    auto wanted = options();
    if (!wanted.hasValue()) {
        showResult(wanted.error(), false);
        return;
    }
    // The file may be large or lie on a slow disk, and it may name others. The buttons stay as they are: the reading may have
    // been started by the very press of one of them, which a button that goes grey before the release would swallow.
    m_reading = true;
    const QPointer<ImportPanel> self(this);
    m_target = m_document.text();
    QThreadPool::globalInstance()->start([self, job, path = m_path.toStdString(), target = m_target, folder = m_document.folder(), options = std::move(*wanted)]() mutable {
        options.readFile = readerBeside(path);
        if (const auto workspace = readAroundConfig(target, folder); workspace.hasValue()) {
            CheckContext around;
            surroundWithChosen(target, *workspace, around);
            options.workspaceRanks = around.ranks ? around.world : 0;
            options.workspaceSplit = {{"tp", workspace->layout.tp}, {"pp", workspace->layout.pp}, {"cp", workspace->layout.cp}, {"ep", workspace->layout.ep}};
            options.workspaceAutoTp = workspace->framework.name == "deepspeed";
            options.workspaceHidden = around.hiddenSize;
        }
        auto text = readFile(path, kMaxForeignBytes);
        auto result = std::make_shared<Result<ImportedConfig>>(text.hasValue() ? importForeignConfig({std::filesystem::path(path).filename().string(), std::move(text).value()}, options)
                                                                             : Result<ImportedConfig>(text.error()));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, job, result, ranksKnown = options.ranks > 0 || options.workspaceRanks > 0] {
                if (self && job == self->m_job)
                    self->showResult(*result, ranksKnown);
            },
            Qt::QueuedConnection);
    });
}

void ImportPanel::showResult(const Result<ImportedConfig>& result, bool ranksKnown)
{
    m_reading = false;
    m_imported = result.hasValue() ? std::optional(*result) : std::nullopt;
    m_ranksAssumed = m_imported && m_imported->context.world == 1 && !ranksKnown;
    m_problem->setText(result.hasValue() ? QString() : errorText(result.error()));
    m_notes->setNotes(m_imported ? m_imported->notes : std::vector<TransferNote>());
    m_text->setPlainText(m_imported ? QString::fromStdString(m_imported->dsConfigText) : QString());
    QStringList rest;
    if (m_imported)
        for (const WorkspaceValue& value : m_imported->workspace)
            rest << (value.json == "null" ? tr("%1 is taken out").arg(QString::fromStdString(value.pointer)) : QString::fromStdString(value.pointer + " = " + value.json));
    m_rest->setPlainText(rest.join(QLatin1Char('\n')));
    m_tabs->setTabVisible(2, !rest.isEmpty());
    m_take->setEnabled(m_imported.has_value());
    m_new->setEnabled(m_imported.has_value());
    retranslate();
    requestEffect();
    // Who chose the file by keyboard takes it over with Enter, or says what it is; a button that waits for the reading takes no focus.
    if (std::exchange(m_fresh, false))
        (m_imported ? static_cast<QWidget*>(m_take) : m_format)->setFocus();
    emit shown();
    emit commandChanged();
    if (std::exchange(m_takeWhenRead, false))
        (void)takeOver();
}

void ImportPanel::requestEffect()
{
    const quint64 job = ++m_effectJob;
    const auto base = m_imported && !m_opened ? selfContained(m_document.text(), m_document.configFileText()) : Result<std::string>(Error{});
    m_effect->setVisible(base.hasValue());   // a workspace that is made for it has nothing to compare with
    if (!base.hasValue())
        return;
    m_effect->setText(tr("Memory and step time: computing…"));
    m_effect->setToken(Token::Text2);
    const bool alone = m_document.isConfigAlone();
    const QPointer<ImportPanel> self(this);
    QThreadPool::globalInstance()->start([self, job, alone, base = *base, now = m_document.text(), imported = *m_imported, folder = m_document.folder(), check = WizardCheck{m_release, true}] {
        auto text = alone ? importAroundConfig(now, imported, {}) : importIntoWorkspace(now, imported, {});
        if (text.hasValue())
            text = selfContained(*text, alone ? std::optional(imported.dsConfigText) : std::nullopt);
        const WizardEffects effects = effectsOf(base, {text}, folder, check);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, job, effects] {
                if (self && job == self->m_effectJob)
                    self->showEffect(effects);
            },
            Qt::QueuedConnection);
    });
}

void ImportPanel::showEffect(const WizardEffects& effects)
{
    const WizardEffect& then = effects.answers.front();
    const bool absent = m_imported && namesAbsentModel(*m_imported);
    const QString numbers = absent ? QString() : effectNumbers(then, effects.base.error.isEmpty() ? &effects.base : nullptr);
    const QString why = absent ? tr("its model is not here") : !then.error.isEmpty() ? then.error : then.unknown;
    QStringList parts{numbers.isEmpty() ? why.isEmpty() ? tr("memory and step time are not known") : tr("memory and step time are not known: %1").arg(why) : numbers};
    const bool fails = !then.refused.isEmpty() || (!absent && then.fit && *then.fit == Fit::Verdict::No);
    if (!then.refused.isEmpty())
        parts << tr("%1 refuses it: %2").arg(then.refuser, then.refused);
    else if (const QString fit = absent ? QString() : effectFit(then); !fit.isEmpty())
        parts << fit;
    // Our engine does not train what is imported, and the numbers are another's.
    if (!numbers.isEmpty() && effects.asDeepSpeed && !then.notByEngine.isEmpty())
        parts << tr("as DeepSpeed trains it, our engine does not: %1").arg(then.notByEngine);
    m_effect->setText(tr("Taken over: %1").arg(parts.join(QStringLiteral(" · "))));
    m_effect->setToken(fails ? Token::Error : Token::Text);
    emit effectShown();
}

bool ImportPanel::takeOver()
{
    if (!m_imported)
        return false;
    const bool other = m_document.text() != m_target;  // another workspace than it was read for, or one that was edited since
    if (other || m_reading) {  // a reading under way has what is in the fields now
        m_takeWhenRead = true;
        if (other)
            read();
        return true;
    }
    // A ds_config that was opened alone stays the file that is edited, and becomes what was imported.
    const bool alone = m_document.isConfigAlone();
    const std::string title = m_document.title().toStdString();
    const auto text = alone ? importAroundConfig(m_document.text(), *m_imported, title) : importIntoWorkspace(m_document.text(), *m_imported, title);
    const QString name = stepName([file = QFileInfo(m_path).fileName()] { return tr("Import %1").arg(file); });
    if (!text.hasValue()) {
        m_problem->setText(errorText(text.error()));
        m_problem->show();
        return false;
    }
    if (auto done = m_document.applyTexts(*text, alone ? std::optional(m_imported->dsConfigText) : std::nullopt, name); !done.hasValue()) {
        m_problem->setText(errorText(done.error()));
        m_problem->show();
        return false;
    }
    const QString summary = TransferList::summary(m_imported->notes), file = QFileInfo(m_path).fileName();
    emit noted(summary.isEmpty() ? tr("Imported %1 as it is.").arg(file) : tr("Imported %1: %2.").arg(file, summary));
    emit closed();
    return true;
}

void ImportPanel::dismiss()
{
    ++m_job;
    m_reading = false;
    m_takeWhenRead = false;
    const bool opened = std::exchange(m_opened, false) && !m_document.isModified();
    emit closed();
    if (opened)
        emit givenUp();
}

QString ImportPanel::problem() const
{
    return m_problem->text();
}

QString ImportPanel::command() const
{
    if (m_path.isEmpty())
        return {};
    QString line = QStringLiteral("stagecraft import %1").arg(shellQuoted(m_path));
    if (m_format->currentIndex() > 0)
        line += QStringLiteral(" --from ") + QLatin1String(foreignFormatName(static_cast<ForeignFormat>(m_format->currentData().toInt())));
    for (const QString& word : QProcess::splitCommand(m_arguments->text()))
        line += QStringLiteral(" --argument ") + shellQuoted(word);
    // Without a file of the workspace to look into, its numbers stand in the line.
    const bool said = m_document.path().empty() && m_imported.has_value();
    if (const QString ranks = said && m_ranks->text().isEmpty() && !m_ranksAssumed ? QString::number(m_imported->context.world) : m_ranks->text(); !ranks.isEmpty())
        line += QStringLiteral(" --world ") + ranks;
    if (const auto size = said ? m_imported->context.hiddenSize : std::nullopt; size && m_hidden->text().isEmpty())
        line += QStringLiteral(" --hidden-size ") + QString::number(*size);
    else if (!m_hidden->text().isEmpty())
        line += QStringLiteral(" --hidden-size ") + m_hidden->text();
    if (m_keepAuto->isChecked())
        line += QStringLiteral(" --keep-auto");
    // A workspace without a file has no name to change it by: the ds_config is printed then.
    if (!m_document.path().empty())
        line += QStringLiteral(" --into ") + shellQuoted(QString::fromStdString(m_document.path().string()));
    return line;
}

void ImportPanel::retranslate()
{
    m_header->setTitle(tr("Import"));
    m_header->setSubtitle(QFileInfo(m_path).fileName());
    setAccessibleName(tr("Import"));
    m_format->setAccessibleName(tr("What the file is"));
    m_format->setItemText(0, m_imported && m_format->currentIndex() == 0 ? tr("Found: %1").arg(foreignFormatTitle(m_imported->format)) : tr("Find out what it is"));
    for (int i = 0; i < static_cast<int>(kFormats.size()); ++i)
        m_format->setItemText(i + 1, foreignFormatTitle(kFormats[static_cast<std::size_t>(i)]));
    m_ranksLabel->setText(tr("Ranks"));
    m_hiddenLabel->setText(tr("Hidden size"));
    m_argumentsLabel->setText(tr("Arguments"));
    const bool known = m_imported.has_value();
    m_ranks->setPlaceholderText(known ? m_ranksAssumed ? tr("not known") : QLocale().toString(m_imported->context.world) : tr("as the file says"));
    m_hidden->setPlaceholderText(known && m_imported->context.hiddenSize ? QLocale().toString(static_cast<qlonglong>(*m_imported->context.hiddenSize)) : tr("not known"));
    m_arguments->setPlaceholderText(tr("none, such as learning_rate=2e-5"));
    m_ranks->setAccessibleName(tr("Ranks of the job"));
    m_hidden->setAccessibleName(tr("Hidden size of the model"));
    m_arguments->setAccessibleName(tr("TrainingArguments that the file does not hold"));
    m_ranks->setToolTip(tr("Ranks of the job; empty: as the file says, else the workspace's"));
    m_hidden->setToolTip(tr("Hidden size of the model, which some \"auto\" values are made of; empty: of the model the file names, else the workspace's"));
    m_arguments->setToolTip(tr("TrainingArguments that the file does not hold, NAME=VALUE; they fill \"auto\" and win over the file's"));
    m_keepAuto->setText(tr("Leave \"auto\" where it stands"));
    m_copy->setToolTip(tr("Copy the command line that does the same"));
    m_copy->setAccessibleName(m_copy->toolTip());
    m_tabs->setTabText(0, tr("What happens"));
    m_tabs->setTabText(2, tr("Workspace"));
    m_text->setAccessibleName(tr("The ds_config that comes out"));
    m_rest->setAccessibleName(tr("Other values set in the workspace"));
    QString summary;
    if (m_imported) {
        summary = TransferList::summary(m_imported->notes);
        summary = summary.isEmpty() ? tr("Taken as it is.") : tr("%1.", "what was taken, changed and dropped, as a sentence").arg(summary);
        const QString file = QString::fromStdString(m_document.configPath().filename().string());
        if (m_document.isConfigAlone())
            summary += QLatin1Char(' ') + (m_imported->workspace.empty() ? tr("It goes into %1, in place of what is there.").arg(file)
                                                                         : tr("The ds_config goes into %1, in place of what is there. What else the file says is set around it, and kept in a workspace only: New workspace, or Save workspace as.").arg(file));
        else if (!file.isEmpty())
            summary += QLatin1Char(' ') + tr("It stands in the workspace instead of the name of %1; that file stays as it is.").arg(file);
    }
    m_summary->setText(summary);
    m_summary->setVisible(!summary.isEmpty());
    m_problem->setVisible(!m_problem->text().isEmpty());
    m_tabs->setVisible(m_imported.has_value());
    m_close->setText(tr("Close"));
    m_new->setText(tr("New workspace"));
    m_new->setToolTip(tr("Opens a new workspace with it; what the file does not say of model and hardware is assumed until you choose it"));
    m_take->setText(tr("Take over"));
    m_take->setToolTip(m_document.isConfigAlone() ? tr("Puts it into the file that is open, as one undo step") : tr("Sets it in this workspace, as one undo step"));
    m_new->setVisible(!m_opened);
}

void ImportPanel::changeEvent(QEvent* event)
{
    SidePanel::changeEvent(event);
    if (event->type() != QEvent::LanguageChange)
        return;
    retranslate();
    if (isVisible())
        read();  // the notes are in the language they were asked for in
}

}  // namespace stagecraft::app
