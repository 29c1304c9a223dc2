// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked up rather than worked on: published claims, and what the frameworks have.
#include "app/actions.h"
#include "app/claims_dialog.h"
#include "app/config_refusal.h"
#include "app/core_errors.h"
#include "app/features_dialog.h"
#include "app/file_flow.h"
#include "app/hardware_choice.h"
#include "app/layout_edits.h"
#include "app/main_window.h"
#include "app/plan_service.h"
#include "app/start_page.h"
#include "app/subject_flow.h"
#include "exporters/workspace_export.h"
#include "planner/behaviour.h"
#include "widgets/config_model.h"

#include <QAction>

namespace stagecraft::app {

void MainWindow::connectReference()
{
    connect(m_start, &StartPage::claimsRequested, m_actions->claims, &QAction::trigger);
    m_actions->whenTaken(m_actions->claims, this, [this] {
        auto* dialog = new ClaimsDialog(this);
        connect(dialog, &ClaimsDialog::openRequested, m_files, &FileFlow::openUnsaved);
        connect(dialog, &ClaimsDialog::saveRequested, m_files, [this](const std::string& text, const QString& name) { m_files->saveFiles({{name.toStdString() + ".json", text}}, name); });
        dialog->open();
    });
    connect(m_actions->sheets, &QAction::triggered, this, [this] {
        // The panel knows the device only once it was open.
        const auto plan = m_plans->current();
        m_subject->panel().hardware().openSheets(plan && plan->workspace ? QString::fromStdString(plan->workspace->hardware.device) : QString());
    });
    connect(m_actions->features, &QAction::triggered, this, [this] {
        auto* dialog = new FeaturesDialog(this);
        dialog->setExportable(m_plans->current() && m_plans->current()->workspace);
        connect(dialog, &FeaturesDialog::exportRequested, this, &MainWindow::exportAs);
        dialog->open();
    });
}

void MainWindow::exportAs(const QString& framework)
{
    const auto plan = m_plans->current();
    if (!plan || !plan->workspace)
        return;
    // Both are made of a ds_config: what another framework's arguments say is put into it first.
    const auto read = parseWorkspace(withEdits(plan->text, readsDsConfig(*plan) ? std::vector<WorkspaceEdit>() : behaviourEdits(*plan->workspace, "deepspeed")), plan->folder);
    const auto made = read.hasValue() ? exportWorkspace(*read, framework == QLatin1String("fsdp2") ? "accelerate-fsdp" : "ds_config", {}, {}, contentLanguage().toStdString()) : Result<WorkspaceExport>(read.error());
    if (made.hasValue())
        m_files->saveFiles(made->files, framework == QLatin1String("fsdp2") ? QStringLiteral("FSDP") : QStringLiteral("DeepSpeed"));
    else
        noteFailure(errorText(made.error()));
}

}  // namespace stagecraft::app
