// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/launcher_row.h"

#include "widgets/config_model.h"
#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace stagecraft {

using theme::Role;
using theme::Token;

LauncherRow::LauncherRow(ConfigModel& config, QWidget* parent)
    : QWidget(parent), m_config(config), m_mark(new QLabel(this)), m_words(new ToneLabel(Role::Body, Token::Text, this)), m_choose(new QPushButton(this)), m_import(new QPushButton(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_mark);
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_words, 1);
    for (QPushButton* button : {m_choose, m_import}) {
        button->setProperty("compact", true);
        row->addWidget(button);
    }
    m_choose->setObjectName(QStringLiteral("trainerStarts"));
    m_import->setObjectName(QStringLiteral("importArguments"));
    connect(m_choose, &QPushButton::clicked, this, [this] { emit launcherRequested(m_config.context().launcher == CheckLauncher::DeepSpeed); });
    connect(m_import, &QPushButton::clicked, this, &LauncherRow::importRequested);
    connect(&config, &ConfigModel::changed, this, &LauncherRow::refresh);
    showMark();
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
    m_words->setText(trainer  ? tr("Judged as the Hugging Face Trainer starts it: \"auto\" becomes the Trainer's own arguments, here their defaults.")
                     : *taken ? tr("\"auto\" is the Hugging Face Trainer's to fill in, from its own arguments. Started by it, DeepSpeed %1 accepts the file.").arg(release)
                              : tr("\"auto\" is the Hugging Face Trainer's to fill in, from its own arguments. Started by it, DeepSpeed %1 still refuses the file.").arg(release));
    m_choose->setText(trainer ? tr("The Trainer does not start it") : tr("The Trainer starts this"));
    m_choose->setToolTip(trainer ? tr("Judges the file as DeepSpeed's own launcher starts it, which does not fill in \"auto\"; one undo step")
                                 : tr("Judges the file as the Trainer starts it: \"auto\" stays in the file and becomes the Trainer's arguments at the start. Kept in the workspace as launch.launcher; one undo step"));
    m_import->setText(tr("Import its arguments…"));
    m_import->setToolTip(tr("From a launch script, a YAML or JSON of TrainingArguments: \"auto\" is replaced by what they say, after a look at it"));
}

void LauncherRow::showMark()
{
    m_mark->setPixmap(theme::iconPixmap(QStringLiteral("dialog-information"), theme::color(Token::Info), 14, devicePixelRatioF()));
}

void LauncherRow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showMark();
    if (event->type() == QEvent::LanguageChange)
        refresh();
}

}  // namespace stagecraft
