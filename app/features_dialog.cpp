// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/features_dialog.h"

#include "planner/framework_features.h"
#include "widgets/config_model.h"
#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QDialogButtonBox>
#include <QEvent>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

struct Mark {
    const char* icon;
    Token token;
};

Mark markOf(const std::string& verdict)
{
    if (verdict == "yes")
        return {"emblem-ok", Token::Ok};
    if (verdict == "no")
        return {"window-close", Token::Error};
    return {verdict == "partly" ? "dialog-warning" : "dialog-information", verdict == "partly" ? Token::Warn : Token::Text2};
}

QString inLanguage(const std::string& en, const std::string& zh)
{
    return QString::fromStdString(contentLanguage() == QLatin1String("zh") ? zh : en);
}

}  // namespace

FeaturesDialog::FeaturesDialog(QWidget* parent)
    : QDialog(parent), m_table(new QTreeWidget(this)), m_sources(new ToneLabel(Role::Small, Token::Text2, this)), m_checked(new ToneLabel(Role::Small, Token::Text2, this)), m_deepspeed(new QPushButton(this)), m_fsdp(new QPushButton(this))
{
    setObjectName(QStringLiteral("featuresDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 12);
    column->setSpacing(8);
    m_table->setColumnCount(3);
    m_table->setRootIsDecorated(false);
    m_table->setAlternatingRowColors(true);
    m_table->setWordWrap(true);
    m_table->setAllColumnsShowFocus(true);
    column->addWidget(m_table, 1);
    m_sources->setWordWrap(true);
    m_sources->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sources->setMinimumHeight(64);
    m_sources->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_sources);
    column->addWidget(m_checked);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_deepspeed, QDialogButtonBox::ActionRole);
    buttons->addButton(m_fsdp, QDialogButtonBox::ActionRole);
    connect(m_deepspeed, &QPushButton::clicked, this, [this] { emit exportRequested(QStringLiteral("deepspeed")); });
    connect(m_fsdp, &QPushButton::clicked, this, [this] { emit exportRequested(QStringLiteral("fsdp2")); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    column->addWidget(buttons);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &FeaturesDialog::showSources);
    m_table->header()->setStretchLastSection(false);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    retranslate();
    resize(980, 660);
}

void FeaturesDialog::layOutRows()
{
    const int width = std::max(600, m_table->viewport()->width());
    m_table->header()->resizeSection(0, width * 22 / 100);
    m_table->header()->resizeSection(1, width * 40 / 100);
    m_table->header()->resizeSection(2, width - width * 22 / 100 - width * 40 / 100);
    // Whatever a cell says is read whole: rows are as high as their longest words need in their column.
    const QFontMetrics metrics(m_table->font());
    for (int i = 0; i < m_table->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = m_table->topLevelItem(i);
        int height = metrics.height();
        for (int c = 0; c < m_table->columnCount(); ++c) {
            const int beside = c == 0 ? 12 : 36;   // margins, and the mark
            const QRect room(0, 0, std::max(60, m_table->columnWidth(c) - beside), 10'000);
            height = std::max(height, metrics.boundingRect(room, Qt::TextWordWrap, item->text(c)).height());
        }
        item->setSizeHint(0, QSize(0, height + 8));
    }
    m_table->doItemsLayout();
}

void FeaturesDialog::setExportable(bool exportable)
{
    m_deepspeed->setEnabled(exportable);
    m_fsdp->setEnabled(exportable);
}

void FeaturesDialog::retranslate()
{
    m_deepspeed->setText(tr("Export for DeepSpeed…"));
    m_deepspeed->setToolTip(tr("The open job as a ds_config"));
    m_fsdp->setText(tr("Export for FSDP…"));
    m_fsdp->setToolTip(tr("The open job as accelerate's config for FSDP2"));
    setWindowTitle(tr("DeepSpeed and FSDP2, feature by feature"));
    m_table->setAccessibleName(windowTitle());
    m_table->setHeaderLabels({tr("Feature"), QStringLiteral("DeepSpeed"), QStringLiteral("FSDP2")});
    const int row = m_table->indexOfTopLevelItem(m_table->currentItem());
    m_table->clear();
    for (const FeatureRow& feature : frameworkFeatures().rows) {
        auto* item = new QTreeWidgetItem(m_table, {inLanguage(feature.en, feature.zh)});
        item->setToolTip(0, item->text(0));
        int at = 0;
        for (const FeatureCell* cell : {&feature.deepspeed, &feature.fsdp2}) {
            ++at;
            const Mark mark = markOf(cell->verdict);
            const QString word = cell->verdict == "yes" ? tr("yes") : cell->verdict == "no" ? tr("no") : cell->verdict == "partly" ? tr("partly") : tr("note");
            const QString text = inLanguage(cell->en, cell->zh);
            item->setIcon(at, theme::icon(QString::fromLatin1(mark.icon), mark.token));
            item->setText(at, text);
            item->setToolTip(at, QStringLiteral("%1: %2").arg(word, text));
            item->setData(at, Qt::AccessibleTextRole, item->toolTip(at));
        }
    }
    m_table->setCurrentItem(m_table->topLevelItem(row < 0 ? 0 : row));
    layOutRows();
    m_checked->setText(tr("Every cell was checked on %1.").arg(QString::fromStdString(frameworkFeatures().checked)));
    showSources();
}

void FeaturesDialog::showSources()
{
    const int row = m_table->indexOfTopLevelItem(m_table->currentItem());
    const auto& rows = frameworkFeatures().rows;
    if (row < 0 || row >= static_cast<int>(rows.size()))
        return;
    const FeatureRow& feature = rows[static_cast<std::size_t>(row)];
    const auto line = [](const char* name, const FeatureCell& cell) { return QStringLiteral("%1: %2 (%3)").arg(QLatin1String(name), inLanguage(cell.en, cell.zh), QString::fromStdString(cell.source)); };
    const auto told = [](const std::string& word) { return word == "yes" ? tr("yes") : word == "no" ? tr("no") : QString::fromStdString(word); };
    m_sources->setText(QStringList{line("DeepSpeed", feature.deepspeed), line("FSDP2", feature.fsdp2), tr("As tutorials have it: DeepSpeed %1, FSDP %2").arg(told(feature.toldDeepSpeed), told(feature.toldFsdp))}.join(QLatin1Char('\n')));
}

void FeaturesDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    layOutRows();
}

void FeaturesDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    layOutRows();
}

void FeaturesDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QDialog::changeEvent(event);
}

}  // namespace stagecraft::app
