// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/launch_question.h"

#include "app/layout_edits.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace stagecraft::app {

namespace {

struct LaunchWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::LaunchWords)
};

}  // namespace

void LaunchQuestion::ask(QWidget* window) const
{
    if (window->findChild<QMessageBox*>(QStringLiteral("launchQuestion")) != nullptr)
        return;
    const QString name = behaviourName(framework);
    // The launch script has lines for what reads a ds_config; Megatron's own command line is the user's.
    const bool scripted = framework != QLatin1String("megatron");
    QString detail = refusal.isEmpty() ? LaunchWords::tr("Our engine can train this job here: the plan then follows our engine's behaviour. It is one step, and can be undone.")
                                       : LaunchWords::tr("Our engine would not train it as it stands. %1").arg(refusal);
    if (scripted)
        detail += QStringLiteral("\n\n") + (launcher == CheckLauncher::Accelerate ? LaunchWords::tr("The launch script starts a training script of your own through accelerate launch, with this ds_config.")
                                                                                  : LaunchWords::tr("The launch script starts a training script of your own through deepspeed or torchrun, with this ds_config."));
    if (!configRefusal.isEmpty())
        detail = LaunchWords::tr("The ds_config is refused as it stands. %1").arg(configRefusal) + QStringLiteral("\n\n") + detail;
    const QString whose = launcher == CheckLauncher::Transformers ? LaunchWords::tr("This is a plan for %1, which the Trainer's script starts.")
                          : launcher == CheckLauncher::Accelerate ? LaunchWords::tr("This is a plan for %1, which accelerate starts.")
                                                                  : LaunchWords::tr("This is a plan for %1, which its own launcher starts.");
    auto* box = new QMessageBox(QMessageBox::Question, LaunchWords::tr("Launch"), whose.arg(name), QMessageBox::NoButton, window);
    box->setInformativeText(detail);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::WindowModal);
    box->setObjectName(QStringLiteral("launchQuestion"));
    QPushButton* own = box->addButton(LaunchWords::tr("Train with our engine"), QMessageBox::AcceptRole);
    own->setObjectName(QStringLiteral("ownEngineButton"));
    own->setEnabled(refusal.isEmpty());
    QObject::connect(own, &QPushButton::clicked, window, train);
    QPushButton* script = nullptr;
    if (scripted) {
        script = box->addButton(LaunchWords::tr("Export the launch script"), QMessageBox::ActionRole);
        script->setObjectName(QStringLiteral("scriptButton"));
        QObject::connect(script, &QPushButton::clicked, window, writeScript);
    }
    QPushButton* cancel = box->addButton(LaunchWords::tr("Cancel"), QMessageBox::RejectRole);
    box->setDefaultButton(refusal.isEmpty() ? own : script != nullptr && configRefusal.isEmpty() ? script : cancel);
    box->open();
}

}  // namespace stagecraft::app
