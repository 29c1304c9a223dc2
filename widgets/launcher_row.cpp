// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/launcher_row.h"

#include "widgets/config_model.h"

#include <QPushButton>

namespace stagecraft {

LauncherRow::LauncherRow(ConfigModel& config, QWidget* parent)
    : NoticeRow(QStringLiteral("dialog-information"), theme::Token::Info, parent), m_config(config), m_choose(addButton(QStringLiteral("trainerStarts"))), m_import(addButton(QStringLiteral("importArguments")))
{
    connect(m_choose, &QPushButton::clicked, this, [this] { emit launcherRequested(m_config.context().launcher == CheckLauncher::DeepSpeed); });
    connect(m_import, &QPushButton::clicked, this, &LauncherRow::importRequested);
    connect(&config, &ConfigModel::changed, this, &LauncherRow::refresh);
    refresh();
}

void LauncherRow::refresh()
{
    const bool trainer = m_config.context().launcher == CheckLauncher::Transformers;
    const std::optional<bool> taken = m_config.trainerTakesIt();
    const bool shown = !m_config.syntaxError() && (trainer || taken);
    setVisible(shown);
    if (!shown)
        return;
    const QString release = QString::fromStdString(m_config.answer().release);
    // What the Trainer would say depends on its arguments: those nobody has given are the ones it has by itself.
    setWords(trainer && !m_config.context().trainer.empty() ? tr("Judged as the Hugging Face Trainer starts it: \"auto\" becomes the Trainer's own arguments, here those that were imported; the others have their defaults.")
             : trainer ? tr("Judged as the Hugging Face Trainer starts it: \"auto\" becomes the Trainer's own arguments, here their defaults.")
             : *taken ? tr("\"auto\" is the Hugging Face Trainer's to fill in, from its own arguments. With their defaults DeepSpeed %1 accepts the file.").arg(release)
                      : tr("\"auto\" is the Hugging Face Trainer's to fill in, from its own arguments. With their defaults DeepSpeed %1 refuses the file; import yours to judge it with them.").arg(release));
    m_choose->setText(trainer ? tr("The Trainer does not start it") : tr("The Trainer starts this"));
    m_choose->setToolTip(trainer ? tr("Judges the file as DeepSpeed's own launcher starts it, which does not fill in \"auto\"; one undo step")
                                 : tr("Judges the file as the Trainer starts it: \"auto\" stays in the file and becomes the Trainer's arguments at the start. Kept in the workspace as launch.launcher; one undo step"));
    m_import->setText(tr("Import its arguments…"));
    m_import->setToolTip(tr("From a launch script, a YAML or JSON of TrainingArguments: \"auto\" is replaced by what they say, after a look at it"));
}

}  // namespace stagecraft
