// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_selector.h"

#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QSignalBlocker>

#include <algorithm>

namespace stagecraft::app {

namespace {

constexpr std::size_t kMostListed = 200;
constexpr int kFolderRole = Qt::UserRole, kLiveRole = Qt::UserRole + 1;

QString pathText(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

}  // namespace

RunSelector::RunSelector(QWidget* parent) : QComboBox(parent)
{
    setMinimumWidth(150);
    setMaximumWidth(280);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(24);
    setObjectName(QStringLiteral("runSelector"));
    retranslate();
}

void RunSelector::setRuns(const std::vector<RunEntry>& runs, const std::filesystem::path& shown)
{
    struct Row {
        QString folder;
        bool live;
    };
    std::vector<Row> rows;
    for (const RunEntry& run : runs)
        if (rows.size() < kMostListed)
            rows.push_back({pathText(run.folder), !isOver(run.status)});
    const QString chosen = pathText(shown);
    const auto is = [](const QString& folder) { return [&folder](const Row& row) { return row.folder == folder; }; };
    if (!shown.empty() && std::none_of(rows.begin(), rows.end(), is(chosen)))
        rows.insert(rows.begin(), {chosen, false});

    // Row by row: an open list is somebody's, who is about to choose.
    const QSignalBlocker block(this);
    for (int row = count() - 1; row >= 0; --row)
        if (const QString folder = folderAt(row); std::none_of(rows.begin(), rows.end(), is(folder)))
            removeItem(row);
    for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
        const Row& wanted = rows[static_cast<std::size_t>(row)];
        if (folderAt(row) != wanted.folder) {
            if (const int elsewhere = findData(wanted.folder, kFolderRole); elsewhere >= 0)
                removeItem(elsewhere);
            insertItem(row, QString());
            setItemData(row, wanted.folder, kFolderRole);
            setItemData(row, wanted.folder, Qt::ToolTipRole);
        }
        setItemData(row, wanted.live, kLiveRole);
        nameRow(row);
    }
    setCurrentIndex(shown.empty() ? -1 : findData(chosen, kFolderRole));
    setEnabled(count() > 0);
    retranslate();
}

QString RunSelector::folderAt(int row) const
{
    return row >= 0 && row < count() ? itemData(row, kFolderRole).toString() : QString();
}

bool RunSelector::isLiveAt(int row) const
{
    return row >= 0 && row < count() && itemData(row, kLiveRole).toBool();
}

void RunSelector::nameRow(int row)
{
    const QString name = pathText(std::filesystem::path(folderAt(row).toStdString()).filename());
    const QString text = isLiveAt(row) ? tr("%1, live").arg(name) : name;
    if (itemText(row) == text)
        return;
    setItemText(row, text);
    setItemIcon(row, isLiveAt(row) ? theme::icon(QStringLiteral("run"), theme::Token::Ok) : QIcon());
}

void RunSelector::showPopup()
{
    emit opening();
    QComboBox::showPopup();
}

void RunSelector::retranslate()
{
    setAccessibleName(tr("Run shown"));
    setToolTip(tr("Recorded runs, newest first"));
    setPlaceholderText(count() > 0 ? tr("Choose a run") : tr("No run recorded"));
    for (int row = 0; row < count(); ++row)
        nameRow(row);
}

void RunSelector::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QComboBox::changeEvent(event);
}

}  // namespace stagecraft::app
