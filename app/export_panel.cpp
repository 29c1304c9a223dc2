// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_panel.h"

#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/formats.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "app/transfer_list.h"
#include "widgets/config_cells.h"
#include "widgets/config_model.h"
#include "widgets/panel.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"
#include "workspace/workspace.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

/// The workspace as it is in the window, unsaved text included.
Result<Workspace> workspaceOf(const WorkspaceDocument& document)
{
    const auto text = selfContained(document.text(), document.configFileText());
    if (!text.hasValue())
        return text.error();
    auto workspace = parseWorkspace(*text, document.folder());
    if (workspace.hasValue() && !document.configText().empty())
        workspace->dsConfigText = document.configText();
    return workspace;
}

}  // namespace

ExportPanel::ExportPanel(WorkspaceDocument& document, QWidget* parent)
    : SidePanel(parent), m_document(document), m_header(new PanelHeader(QString(), this)), m_list(new QListWidget(this)), m_what(new ToneLabel(Role::Body, Token::Text, this)),
      m_problem(new ToneLabel(Role::Body, Token::Error, this)), m_tabs(new QTabWidget(this)), m_notes(new TransferList(this)), m_hint(new ToneLabel(Role::Small, Token::Text2, this)),
      m_close(new QPushButton(this)), m_copy(new QPushButton(this)), m_save(new QPushButton(this))
{
    setObjectName(QStringLiteral("exportPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setItemDelegate(new InsetDelegate(12, m_list));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (const std::string& target : workspaceExportTargets()) {
        auto* item = new QListWidgetItem(m_list);
        item->setData(Qt::UserRole, QString::fromStdString(target));
        item->setSizeHint({100, 24});
    }
    // In a low window the list scrolls, so that the text keeps most of the room.
    m_list->setMinimumHeight(24 * 8);
    m_list->setMaximumHeight(24 * m_list->count() + 4);
    column->addWidget(m_list, 1);
    for (ToneLabel* label : {m_what, m_problem, m_hint}) {
        label->setWordWrap(true);
        label->setContentsMargins(12, 6, 12, 6);
    }
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_what);
    column->addWidget(m_problem);
    m_tabs->setDocumentMode(true);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setElideMode(Qt::ElideMiddle);
    column->addWidget(m_tabs, 3);
    column->addStretch(0);
    column->addWidget(m_hint);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 8, 12, 8);
    buttons->setSpacing(8);
    buttons->addWidget(m_close);
    buttons->addStretch(1);
    buttons->addWidget(m_copy);
    buttons->addWidget(m_save);
    column->addLayout(buttons);
    m_notes->hide();

    retranslate();
    m_list->setCurrentRow(0);
    connect(m_list, &QListWidget::currentRowChanged, this, &ExportPanel::refresh);
    connect(m_list, &QListWidget::itemActivated, m_save, &QPushButton::click);
    connect(m_close, &QPushButton::clicked, this, &ExportPanel::dismiss);
    connect(m_copy, &QPushButton::clicked, this, [this] { emit copyRequested(command()); });
    connect(m_save, &QPushButton::clicked, this, [this] {
        if (m_made)
            emit saveRequested(m_made->files, m_list->currentItem()->text());
    });
    const auto follow = [this] {
        if (isVisible())
            refresh();
    };
    connect(&document, &WorkspaceDocument::textChanged, this, follow);
    connect(&document, &WorkspaceDocument::diskMatched, this, follow);
    connect(&document, &WorkspaceDocument::pathChanged, this, follow);
}

void ExportPanel::start(const QString& target)
{
    for (int row = 0; row < m_list->count(); ++row)
        if (m_list->item(row)->data(Qt::UserRole).toString() == target)
            m_list->setCurrentRow(row);
    refresh();
    m_list->setFocus();
}

QString ExportPanel::target() const
{
    return m_list->currentItem() ? m_list->currentItem()->data(Qt::UserRole).toString() : QString();
}

QString ExportPanel::problem() const
{
    return m_problem->text();
}

QString ExportPanel::command() const
{
    if (!m_document.isOpen() || m_document.path().empty())
        return {};   // the command line reads a file
    // A folder of its own, so that the line never writes over what lies beside the workspace.
    const std::filesystem::path& file = m_document.path();
    const std::filesystem::path folder = file.parent_path() / (file.stem().string() + "-" + target().toStdString());
    QString line = QStringLiteral("stagecraft export %1 --to %2 --out %3").arg(shellQuoted(QString::fromStdString(file.string())), target(), shellQuoted(QString::fromStdString(folder.string())));
    if (contentLanguage() == QLatin1String("zh"))
        line += QStringLiteral(" --language zh");
    return line;
}

QString ExportPanel::preview(const QString& fileName) const
{
    const auto* view = m_tabs->findChild<QPlainTextEdit*>(fileName);
    return view ? view->toPlainText() : QString();
}

void ExportPanel::refresh()
{
    const QString chosen = target();
    m_made.reset();
    m_problem->clear();
    std::vector<TransferNote> notes;
    if (m_document.isOpen()) {
        const auto workspace = workspaceOf(m_document);
        auto made = workspace.hasValue() ? exportWorkspace(*workspace, chosen.toStdString(), m_document.path().string(), {}, contentLanguage().toStdString(), areRanksAssumed(m_document))
                                         : Result<WorkspaceExport>(workspace.error());
        if (made.hasValue())
            m_made = std::move(made).value();
        else
            m_problem->setText(errorText(made.error()));
    }
    if (m_made) {
        notes = m_made->notes;
        for (const std::string& warning : m_made->warnings)
            notes.push_back({TransferKind::Warning, {}, 0, {}, {}, warning});
    }
    // What does not arrive is what the choice hangs on: its tab is first to the eye by its count, the text first to read.
    // A warning takes nothing away.
    const auto countOf = [&notes](TransferKind kind) { return std::count_if(notes.begin(), notes.end(), [kind](const TransferNote& note) { return note.kind == kind; }); };
    const auto lost = countOf(TransferKind::Dropped), warned = countOf(TransferKind::Warning);
    const int at = m_tabs->currentIndex();
    const QSignalBlocker quiet(m_tabs);
    m_notes->setParent(this);
    m_notes->hide();
    while (m_tabs->count() > 0) {
        QWidget* page = m_tabs->widget(0);
        m_tabs->removeTab(0);
        delete page;
    }
    if (m_made)
        for (const ExportedFile& file : m_made->files) {
            auto* view = new QPlainTextEdit(m_tabs);
            view->setObjectName(QString::fromStdString(file.name));
            view->setAccessibleName(tr("Text of %1").arg(QString::fromStdString(file.name)));
            view->setReadOnly(true);
            view->setFont(theme::font(Role::Fixed));
            view->setLineWrapMode(QPlainTextEdit::NoWrap);
            view->setFrameShape(QFrame::NoFrame);
            view->setTabChangesFocus(true);
            view->setPlainText(QString::fromStdString(file.text));
            m_tabs->addTab(view, QString::fromStdString(file.name));
        }
    m_notes->setNotes(notes);
    if (!notes.empty())
        m_tabs->addTab(m_notes, lost > 0 ? tr("What is lost (%1)").arg(lost) : warned > 0 ? tr("Warnings (%1)").arg(warned) : tr("What happens"));
    m_tabs->setCurrentIndex(std::clamp(at, 0, std::max(0, m_tabs->count() - 1)));
    m_tabs->setVisible(m_made.has_value());
    m_problem->setVisible(!m_problem->text().isEmpty());
    m_save->setEnabled(m_made.has_value());
    m_copy->setEnabled(m_made.has_value() && !m_document.path().empty());
    retranslate();
    emit commandChanged();
}

void ExportPanel::retranslate()
{
    struct Words {
        const char* target;
        QString title;
        QString what;
    };
    const Words all[] = {
        {"ds_config", tr("ds_config.json"), tr("The ds_config, byte for byte as it stands in Text.")},
        {"accelerate", tr("accelerate, by fields"), tr("default_config.yaml with the few values that accelerate has fields for; the rest is lost.")},
        {"accelerate-file", tr("accelerate, with a ds_config"), tr("default_config.yaml that names a ds_config.json, which holds everything.")},
        {"accelerate-fsdp", tr("accelerate, with FSDP"), tr("default_config.yaml for PyTorch's FSDP in place of DeepSpeed: the same sharding as near as it comes.")},
        {"trainer", tr("HF Trainer"), tr("ds_config.json with \"auto\" and the TrainingArguments that fill it with the same values.")},
        {"llama-factory", tr("LLaMA-Factory"), tr("A training YAML and the ds_config.json it names, with \"auto\" where the YAML says the value.")},
        {"axolotl", tr("axolotl"), tr("A training YAML and the ds_config.json it names, with \"auto\" where the YAML says the value.")},
        {"command", tr("Launch script"), tr("launch.sh with the command lines that start this workspace, and the ds_config.json they name.")},
        {"python", tr("Python function"), tr("ds_config.py: a function that returns the ds_config, with what changes between runs as arguments.")},
        {"evaluation", tr("Evaluation only"), tr("The shorter ds_config of an engine that only evaluates.")},
        {"schema", tr("JSON Schema of ds_config"), tr("With it other editors check and complete a ds_config.")},
    };
    m_header->setTitle(tr("Export"));
    m_header->setSubtitle(m_document.title());
    setAccessibleName(tr("Export"));
    m_list->setAccessibleName(tr("Export to"));
    for (int row = 0; row < m_list->count(); ++row)
        for (const Words& words : all)
            if (m_list->item(row)->data(Qt::UserRole).toString() == QLatin1String(words.target)) {
                m_list->item(row)->setText(words.title);
                m_list->item(row)->setToolTip(words.what);
                if (row == m_list->currentRow())
                    m_what->setText(words.what);
            }
    const bool differs = m_document.path().empty() || m_document.isModified();
    m_hint->setText(m_document.path().empty() ? tr("The command line reads a workspace: save one, and the command is here.")
                                              : tr("The command line reads the file: save the changes before it is used."));
    m_hint->setVisible(differs && m_made.has_value());
    m_close->setText(tr("Close"));
    m_copy->setText(tr("Copy command"));
    m_copy->setToolTip(command());
    m_save->setText(tr("Save…"));
}

void ExportPanel::changeEvent(QEvent* event)
{
    SidePanel::changeEvent(event);
    if (event->type() != QEvent::LanguageChange)
        return;
    if (isVisible())
        refresh();
    else
        retranslate();
}

void ExportPanel::showEvent(QShowEvent* event)
{
    SidePanel::showEvent(event);
    refresh();
}

}  // namespace stagecraft::app
