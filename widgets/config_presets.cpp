// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_presets.h"

#include "widgets/config_cells.h"

#include "config/preset_catalog.h"
#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/panel.h"
#include "widgets/plain_table.h"
#include "widgets/step_name.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QListWidget>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

/// What of the file does not stay.
QString changeWords(const std::vector<PresetChange>& changes)
{
    constexpr qsizetype kMostNames = 4;
    int changed = 0;
    QStringList gone;
    for (const PresetChange& change : changes) {
        if (!change.changes())
            continue;
        if (change.after.empty())
            gone << QString::fromStdString(change.pointer).mid(1).replace(QLatin1Char('/'), QLatin1Char('.'));
        else
            ++changed;
    }
    if (gone.isEmpty())
        return changed == 1 ? ConfigPresets::tr("Changes 1 value; all other keys stay.") : ConfigPresets::tr("Changes %1 values; all other keys stay.").arg(changed);
    const qsizetype more = gone.size() - kMostNames;
    const QString names = more > 0 ? ConfigPresets::tr("%1 and %2 more").arg(gone.mid(0, kMostNames).join(ConfigPresets::tr(", "))).arg(more) : gone.join(ConfigPresets::tr(", "));
    return changed == 0   ? ConfigPresets::tr("Takes out %1; all other keys stay.").arg(names)
           : changed == 1 ? ConfigPresets::tr("Changes 1 value and takes out %1; all other keys stay.").arg(names)
                          : ConfigPresets::tr("Changes %1 values and takes out %2; all other keys stay.").arg(changed).arg(names);
}

}  // namespace

ConfigPresets::ConfigPresets(ConfigModel& config, QWidget* parent)
    : SidePanel(parent), m_config(config), m_header(new PanelHeader(QString(), this)), m_list(new QListWidget(this)),
      m_when(new ToneLabel(Role::Body, Token::Text, this)), m_summary(new ToneLabel(Role::Small, Token::Text2, this)),
      m_verdict(new ToneLabel(Role::Small, Token::Text2, this)),
      m_effect(new ToneLabel(Role::Small, Token::Text, this)), m_ground(new ToneLabel(Role::Small, Token::Text2, this)), m_drop(new QCheckBox(this)), m_preview(new QTableWidget(this)), m_apply(new QPushButton(this)), m_close(new QPushButton(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setItemDelegate(new InsetDelegate(12, m_list));
    m_preview->setItemDelegate(new InsetDelegate(8, m_preview, Qt::ElideLeft));
    column->addWidget(m_list, 3);
    m_when->setWordWrap(true);
    m_when->setContentsMargins(12, 10, 12, 6);
    column->addWidget(m_when);
    m_summary->setContentsMargins(12, 0, 12, 6);
    m_summary->setWordWrap(true);
    column->addWidget(m_summary);
    m_verdict->setWordWrap(true);
    m_verdict->setContentsMargins(12, 0, 12, 6);
    column->addWidget(m_verdict);
    for (ToneLabel* label : {m_effect, m_ground}) {
        label->setWordWrap(true);
        label->setContentsMargins(12, 0, 12, 6);
        label->hide();
        column->addWidget(label);
    }
    m_drop->setChecked(true);
    auto* drop = new QHBoxLayout;
    drop->setContentsMargins(12, 0, 12, 6);
    drop->addWidget(m_drop);
    column->addLayout(drop);
    m_preview->setColumnCount(3);
    makePlainTable(*m_preview, 22, QAbstractItemView::NoSelection);
    m_preview->setFocusPolicy(Qt::TabFocus);
    m_preview->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_preview->setColumnWidth(1, 62);
    m_preview->setColumnWidth(2, 62);
    column->addWidget(m_preview, 4);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 8, 12, 8);
    buttons->setSpacing(8);
    buttons->addWidget(m_close);
    buttons->addStretch(1);
    buttons->addWidget(m_apply);
    column->addLayout(buttons);

    for (const ConfigPreset& preset : configPresets()) {
        auto* item = new QListWidgetItem(m_list);
        item->setData(Qt::UserRole, QString::fromStdString(preset.id));
        item->setSizeHint({100, 24});
    }
    retranslate();
    m_list->setCurrentRow(0);
    m_list->installEventFilter(this);
    connect(m_list, &QListWidget::currentRowChanged, this, &ConfigPresets::showPreview);
    connect(m_list, &QListWidget::itemActivated, this, &ConfigPresets::apply);
    connect(&config, &ConfigModel::changed, this, [this] {
        if (isVisible() || m_outcome)   // a merge at each key typed is for somebody who looks at it; else it is made when the panel is shown
            showPreview();
    });
    connect(m_drop, &QCheckBox::toggled, this, &ConfigPresets::showPreview);
    connect(m_apply, &QPushButton::clicked, this, &ConfigPresets::apply);
    connect(m_close, &QPushButton::clicked, this, &ConfigPresets::dismiss);
    showPreview();
}

void ConfigPresets::retranslate()
{
    m_header->setTitle(tr("Presets"));
    m_header->setSubtitle(tr("merged key by key"));
    setAccessibleName(tr("Presets"));
    m_list->setAccessibleName(tr("Presets"));
    m_preview->setAccessibleName(tr("What the preset changes"));
    m_preview->setHorizontalHeaderLabels({tr("Key"), tr("Now"), tr("Then")});
    m_apply->setText(tr("Apply"));
    m_close->setText(tr("Close"));
    for (int i = 0; i < m_list->count(); ++i)
        m_list->item(i)->setText(catalogText(configPresets()[static_cast<std::size_t>(i)].title));
}

void ConfigPresets::showPreview()
{
    for (int i = 0; i < m_list->count(); ++i)
        m_list->setRowHidden(i, !isOfferedIn(configPresets()[static_cast<std::size_t>(i)], m_config.context().release));
    const int at = m_list->currentRow();
    if (at < 0)
        return;
    if (m_list->isRowHidden(at)) {
        m_list->setCurrentRow(0);  // shows its own
        return;
    }
    const ConfigPreset& preset = configPresets()[static_cast<std::size_t>(at)];
    m_when->setText(catalogText(preset.when));
    m_outcome.reset();
    // A check of the file after each key typed is for somebody who looks at it.
    if (isVisible() && !m_config.syntaxError())
        if (auto outcome = presetOutcome(m_config.document(), preset, m_config.context()); outcome.hasValue())
            m_outcome = std::move(outcome).value();
    const Result<std::string> merged = result();
    std::vector<PresetChange> changes = merged.hasValue() ? presetChangesInto(m_config.document(), preset, *merged) : presetChanges(m_config.document(), preset, m_config.context());
    const auto same = std::stable_partition(changes.begin(), changes.end(), [](const PresetChange& change) { return change.changes(); });
    const auto changed = std::distance(changes.begin(), same);
    m_preview->setRowCount(static_cast<int>(changes.size()));
    for (int row = 0; row < static_cast<int>(changes.size()); ++row) {
        const PresetChange& change = changes[static_cast<std::size_t>(row)];
        const QString pointer = QString::fromStdString(change.pointer);
        const QString cells[] = {pointer.mid(1).replace(QLatin1Char('/'), QLatin1Char('.')),
            change.before.empty() ? QStringLiteral("–") : briefValue(QByteArray::fromStdString(change.before)).simplified(),
            change.after.empty() ? tr("removed") : briefValue(QByteArray::fromStdString(change.after))};
        for (int column = 0; column < 3; ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setToolTip(column == 0 ? pointer : cells[column]);
            item->setFont(theme::font(Role::FixedSmall));
            item->setForeground(theme::color(!change.changes() ? Token::Disabled : column == 1 ? Token::Text2 : Token::Text));
            m_preview->setItem(row, column, item);
        }
    }
    giveRoom();
    const bool readable = !m_config.syntaxError();
    m_summary->setText(!readable ? m_config.syntaxError()->context.count("rule") != 0 ? m_config.syntaxMessage() : tr("The text cannot be read; repair it first.")
                       : changed == 0 ? tr("The file has all of it already.")
                                      : changeWords(changes));
    m_apply->setEnabled(readable && changed > 0);
    showOutcome();
    emit outcomeShown(!m_outcome ? std::nullopt : std::optional(drops() ? m_outcome->withoutMisfits : m_outcome->text));
}

void ConfigPresets::giveRoom()
{
    // Values as wide as they are, as long as half of the width is left for the end of the keys.
    const QFontMetrics metrics(theme::font(Role::FixedSmall));
    int widths[3] = {0, 62, 62};
    for (int row = 0; row < m_preview->rowCount(); ++row)
        for (int column = 0; column < 3; ++column)
            widths[column] = std::max(widths[column], metrics.horizontalAdvance(m_preview->item(row, column)->text()) + 20);
    const int most = m_preview->viewport()->width() - std::min(widths[0], m_preview->viewport()->width() / 2);
    const int now = std::min(widths[1], std::max(62, most - std::min(widths[2], most / 2)));
    m_preview->setColumnWidth(1, now);
    m_preview->setColumnWidth(2, std::min(widths[2], std::max(62, most - now)));
}

void ConfigPresets::setEffect(const QString& sentence, Token token, const QString& ground)
{
    m_effect->setText(sentence);
    m_effect->setToken(token);
    m_effect->setVisible(!sentence.isEmpty());
    m_ground->setText(ground);
    m_ground->setVisible(!ground.isEmpty());
}

bool ConfigPresets::drops() const
{
    return m_outcome && !m_outcome->withoutMisfits.empty() && m_drop->isChecked();
}

Result<std::string> ConfigPresets::result() const
{
    if (m_outcome)
        return drops() ? m_outcome->withoutMisfits : m_outcome->text;
    return mergePreset(m_config.document(), configPresets()[static_cast<std::size_t>(m_list->currentRow())], m_config.context());
}

void ConfigPresets::showOutcome()
{
    m_verdict->setVisible(m_outcome.has_value());
    m_drop->setVisible(m_outcome && !m_outcome->withoutMisfits.empty());
    if (!m_outcome)
        return;
    const QString release = QString::fromStdString(m_outcome->release), refuser = QString::fromStdString(m_outcome->refuser);
    const auto& refusal = drops() ? m_outcome->refusalLeft : m_outcome->refusal;
    const bool before = drops() || m_outcome->refusedBefore;   // what is left then is no work of the preset's
    m_verdict->setText(refusal && before ? tr("The preset adds no error. %1 still refuses the file, as it does without the preset: %2").arg(refuser, QString::fromStdString(refusal->message))
                       : refusal ? tr("%1 refuses the result: %2").arg(refuser, QString::fromStdString(refusal->message)) : m_outcome->inference ? tr("DeepSpeed %1 accepts the result for inference; training with it would need an optimizer.").arg(release)
                                                                 : tr("DeepSpeed %1 accepts the result.").arg(release));
    const int unread = refusal || drops() ? 0 : static_cast<int>(m_outcome->unread.size());
    if (unread > 0) {
        QStringList keys;
        for (const std::string& pointer : m_outcome->unread)
            keys << QString::fromStdString(pointer).section(QLatin1Char('/'), -1);
        m_verdict->setText((unread == 1 ? tr("%1 One key that stays in the file is then never read: %2.") : tr("%1 Keys that stay in the file are then never read: %2.")).arg(m_verdict->text(), keys.join(tr(", "))));
    }
    m_verdict->setToken(refusal ? (before ? Token::Warn : Token::Error) : unread > 0 ? Token::Warn : Token::Ok);
    QStringList names;
    for (const std::string& pointer : m_outcome->misfits)
        names << QString::fromStdString(pointer).section(QLatin1Char('/'), -1);
    m_drop->setText(names.size() == 1 ? tr("Also take out %1").arg(names.front()) : tr("Also take out %1 values that no longer fit").arg(names.size()));
    m_drop->setToolTip(m_outcome->refusal ? tr("%1: %2").arg(names.join(tr(", ")), QString::fromStdString(m_outcome->refusal->message)) : QString());
}

bool ConfigPresets::eventFilter(QObject* watched, QEvent* event)
{
    // Below a longer sentence the list is shorter: the chosen row stays in sight.
    if (event->type() == QEvent::Resize && m_list->currentItem())
        QTimer::singleShot(0, m_list, [list = m_list] { list->scrollToItem(list->currentItem()); });   // once it has its new height
    return SidePanel::eventFilter(watched, event);
}

void ConfigPresets::showEvent(QShowEvent* event)
{
    SidePanel::showEvent(event);
    showPreview();
}

void ConfigPresets::resizeEvent(QResizeEvent* event)
{
    SidePanel::resizeEvent(event);
    giveRoom();
}

void ConfigPresets::apply()
{
    if (!m_apply->isEnabled())
        return;
    const ConfigPreset& preset = configPresets()[static_cast<std::size_t>(m_list->currentRow())];
    const Result<std::string> merged = result();
    if (!merged.hasValue()) {
        emit m_config.messageChanged(QString::fromStdString(merged.error().message));
        return;
    }
    m_config.replaceText(QByteArray::fromStdString(*merged), stepName([title = preset.title] { return tr("Preset %1").arg(catalogText(title)); }));
}

void ConfigPresets::changeEvent(QEvent* event)
{
    SidePanel::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        showPreview();
}

}  // namespace stagecraft
