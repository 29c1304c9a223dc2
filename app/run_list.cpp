// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_list.h"

#include "app/formats.h"
#include "app/run_flow.h"
#include "visualizers/list_text.h"

#include <QCoreApplication>

namespace stagecraft::app {

std::vector<RecordedRun> recordedRuns(const std::vector<RunEntry>& runs)
{
    std::vector<RecordedRun> rows;
    for (const RunEntry& run : runs) {
        RecordedRun row;
        row.folder = QString::fromStdString(run.folder.string());
        row.name = QString::fromStdString(run.folder.filename().string());
        row.live = run.status == RunStatus::Starting || run.status == RunStatus::Running;
        QStringList words{RunFlow::stateText(runStateOf(run.status)),
                          QCoreApplication::translate("stagecraft::app::RunList", "ZeRO %1, %2 of %3 steps")
                              .arg(QString::number(run.zeroStage), count(run.doneSteps), count(run.plannedSteps))};
        if (run.loss)
            words << QCoreApplication::translate("stagecraft::app::RunList", "loss %1").arg(fixed(*run.loss, 3));
        row.text = clauseText(words);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace stagecraft::app
