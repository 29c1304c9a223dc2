// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/launcher_row.h"

#include "widgets/config_model.h"

#include <QPushButton>

namespace stagecraft {

LauncherRow::LauncherRow(ConfigModel& config, QWidget* parent)
    : NoticeRow(QStringLiteral("dialog-information"), theme::Token::Info, parent), m_config(config), m_trainer(addButton(QStringLiteral("trainerStarts"))),
      m_accelerate(addButton(QStringLiteral("accelerateStarts"))), m_import(addButton(QStringLiteral("importArguments")))
{
    // A second click on the one that starts it says that it does not.
    const auto toggle = [this](CheckLauncher launcher) { emit launcherRequested(m_config.context().launcher == launcher ? CheckLauncher::DeepSpeed : launcher); };
    connect(m_trainer, &QPushButton::clicked, this, [toggle] { toggle(CheckLauncher::Transformers); });
    connect(m_accelerate, &QPushButton::clicked, this, [toggle] { toggle(CheckLauncher::Accelerate); });
    connect(m_import, &QPushButton::clicked, this, &LauncherRow::importRequested);
    connect(&config, &ConfigModel::changed, this, &LauncherRow::refresh);
    refresh();
}

QString LauncherRow::sentence() const
{
    // What a launcher would say depends on its arguments: those nobody has given are the ones it has by itself.
    const bool given = !m_config.context().trainer.empty();
    const QString release = QString::fromStdString(m_config.answer().release);
    switch (m_config.context().launcher) {
    case CheckLauncher::Transformers:
        return given ? tr("Judged as the Hugging Face Trainer starts it: \"auto\" becomes the Trainer's own arguments, here those that were imported; the others have their defaults.")
                     : tr("Judged as the Hugging Face Trainer starts it: \"auto\" becomes the Trainer's own arguments, here their defaults.");
    case CheckLauncher::Accelerate:
        return given ? tr("Judged as accelerate starts it: \"auto\" becomes its options and what the script hands it, here as imported; the others have their defaults.")
                     : tr("Judged as accelerate starts it: \"auto\" becomes its options and what the script hands it, here their defaults.");
    case CheckLauncher::DeepSpeed: break;
    }
    return m_config.trainerTakesIt().value_or(true) ? tr("Who fills in \"auto\"? With the Trainer's defaults DeepSpeed %1 accepts the file.").arg(release)
                                                    : tr("Who fills in \"auto\"? With the Trainer's defaults DeepSpeed %1 refuses the file; import its arguments to judge with yours.").arg(release);
}

void LauncherRow::refresh()
{
    const CheckLauncher launcher = m_config.context().launcher;
    const bool shown = !m_config.syntaxError() && (fillsAuto(launcher) || m_config.trainerTakesIt());
    setVisible(shown);
    if (!shown)
        return;
    setWords(sentence());
    const bool trainer = launcher == CheckLauncher::Transformers, accelerate = launcher == CheckLauncher::Accelerate;
    const QString byItself = tr("Judges the file as DeepSpeed's own launcher starts it, which does not fill in \"auto\"; one undo step");
    m_trainer->setVisible(!accelerate);
    m_trainer->setText(trainer ? tr("The Trainer does not start it") : tr("The Trainer"));
    m_trainer->setToolTip(trainer ? byItself : tr("Judges the file as the Trainer starts it: \"auto\" stays in the file and becomes the Trainer's arguments at the start. Kept in the workspace as launch.launcher; one undo step"));
    m_accelerate->setVisible(!trainer);
    m_accelerate->setText(accelerate ? tr("accelerate does not start it") : tr("accelerate"));
    m_accelerate->setToolTip(accelerate ? byItself : tr("Judges the file as accelerate starts it: \"auto\" stays in the file and is filled in at the start, and the script's own optimizer is handed over where the file has none. Kept in the workspace as launch.launcher; one undo step"));
    m_import->setText(tr("Import its arguments…"));
    m_import->setToolTip(tr("From a launch script, a YAML or JSON of TrainingArguments: \"auto\" is replaced by what they say, after a look at it"));
}

}  // namespace stagecraft
