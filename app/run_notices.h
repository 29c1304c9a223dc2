// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_notice.h"
#include "app/session/run_states.h"

#include <QCoreApplication>
#include <QStringList>

namespace stagecraft::app {

class RunModel;

/// What the Run page says above the charts, by the state of the run: which ranks are up, who failed and why, what was kept
/// and what to do.
class RunNotices {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::RunNotices)
public:
    struct Situation {
        RunState state = RunState::None;
        bool hasFolder = false;     ///< some run is meant to be shown
        QString problem;            ///< why its folder cannot be read
        QString refusal;            ///< what the supervisor said when it refused to start
        bool canLaunch = false;
        bool canReattach = false;
        bool canContinue = false;   ///< the run on the page can be started again from its checkpoint
        bool folderGone = false;    ///< the run on the page was deleted
        bool checkpointGone = false; ///< the newest checkpoint that the record tells of is not in the folder
        bool refusedAgain = false;  ///< that was tried, and the supervisor refused
        bool unattached = false;    ///< the run on the page is not the one this window controls
        QStringList live;           ///< names of runs that train now, while this window controls none
    };
    /// Buttons carry the ids "launch", "continue", "reattach" (asks which), "attach" (the run on the page) and "showError". Empty while there is nothing to say.
    [[nodiscard]] static NoticeContent contentFor(const RunModel& model, const Situation& now);
    /// "NAME is live.", or how many are and which is the newest. @param names  not empty, newest first
    [[nodiscard]] static QString liveSentence(const QStringList& names);
};

}  // namespace stagecraft::app
