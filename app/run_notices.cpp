// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_notices.h"

#include "app/failure_words.h"
#include "app/run_header.h"
#include "app/run_model.h"
#include "visualizers/rank_strip_view.h"

#include <QDateTime>
#include <QLocale>

namespace stagecraft::app {

using theme::Token;

/// Ranks other than `rank` that failed themselves, rather than being stopped for it.
static int alsoFailed(const RunModel& model, int rank)
{
    int others = 0;
    for (std::size_t r = 0; r < model.ranks().size(); ++r)
        others += static_cast<int>(r) != rank && model.ranks()[r].state == RankState::Failed ? 1 : 0;
    return others;
}

QString RunNotices::liveSentence(const QStringList& names)
{
    return names.size() == 1 ? tr("%1 is live.").arg(names.first()) : tr("%n runs are live, the newest is %1.", nullptr, static_cast<int>(names.size())).arg(names.first());
}

NoticeContent RunNotices::contentFor(const RunModel& model, const Situation& now)
{
    NoticeContent notice;
    const RunInfo& info = model.info();
    const auto stepText = [](std::int64_t step) { return QLocale().toString(static_cast<qlonglong>(step)); };
    const RunState state = now.state;
    const auto offerToContinue = [&] {
        if (!now.canContinue || !model.checkpoint())
            return;
        const QString text = now.checkpointGone ? tr("Continue…") : tr("Continue from step %1").arg(stepText(model.checkpoint()->step));
        notice.buttons.push_back({QStringLiteral("continue"), text, !now.checkpointGone});
    };
    const auto sayWhatIsKept = [&] {
        if (now.checkpointGone)
            notice.lines.push_back({QStringLiteral("dialog-warning"), Token::Warn, tr("The checkpoint of step %1, which was saved last, is not in the folder of the run any more.").arg(stepText(model.checkpoint()->step))});
        else
            notice.lines.push_back({QStringLiteral("checkpoint"), Token::Text2, tr("Kept: the checkpoint of step %1. A start with --resume auto continues from it.").arg(stepText(model.checkpoint()->step))});
    };
    if (now.folderGone) {
        // Whatever it was going to be, nothing can be done with it any more.
        notice.edge = Token::Warn;
        notice.title = tr("This run was deleted.");
        notice.lines.push_back({QStringLiteral("dialog-warning"), Token::Warn, tr("Its folder is not there any more. What is shown was read before.")});
        return notice;
    }
    switch (state) {
    case RunState::None:
        if (!now.problem.isEmpty() && now.hasFolder) {
            notice.edge = Token::Error;
            notice.title = tr("This run cannot be read.");
            notice.lines.push_back({QStringLiteral("dialog-error"), Token::Error, now.problem});
            break;
        }
        if (!now.hasFolder && !now.live.isEmpty()) {
            notice.title = liveSentence(now.live);
            notice.lines.push_back({{}, Token::Text2, now.live.size() == 1 ? tr("It trains without this window. Re-attach shows it here, where it can be stopped and killed.")
                                                                              : tr("They train without this window. Re-attach asks which of them to show here.")});
            if (now.canReattach)
                notice.buttons.push_back({QStringLiteral("reattach"), tr("Re-attach") + QStringLiteral("  F6"), true});
            if (now.canLaunch)
                notice.buttons.push_back({QStringLiteral("launch"), tr("Launch another"), false});
            break;
        }
        notice.title = !now.hasFolder ? tr("No run yet.") : tr("Reading the run.");
        if (!now.hasFolder) {
            notice.lines.push_back({{}, Token::Text2, tr("A run that is launched here, or chosen above, shows its loss, throughput, phases, memory and log on this page while it trains.")});
            if (now.canLaunch)
                notice.buttons.push_back({QStringLiteral("launch"), tr("Launch"), true});
        }
        break;
    case RunState::Launching:
        notice.title = tr("The supervisor is starting.");
        notice.lines.push_back({{}, Token::Text2, tr("It checks memory, disk and devices, then starts the ranks.")});
        break;
    case RunState::Starting: {
        int ready = 0;
        for (const RunModel::Rank& rank : model.ranks())
            ready += rank.state == RankState::Ready || rank.state == RankState::Running ? 1 : 0;
        notice.title = tr("Starting: %1 of %n ranks are ready.", nullptr, info.world).arg(ready);
        for (std::size_t r = 0; r < model.ranks().size() && r < 8; ++r) {
            const RankState rank = model.ranks()[r].state;
            const bool up = rank == RankState::Ready || rank == RankState::Running;
            notice.lines.push_back({up ? QStringLiteral("emblem-ok") : QStringLiteral("clock"), up ? Token::Ok : Token::Text2, tr("Rank %1: %2").arg(r).arg(RankStripView::stateText(rank))});
        }
        if (model.ranks().size() > 8)
            notice.lines.push_back({{}, Token::Text2, tr("%n more ranks", nullptr, static_cast<int>(model.ranks().size()) - 8)});
        break;
    }
    case RunState::Failed: {
        notice.edge = Token::Error;
        const auto& failure = info.failure;
        const std::int64_t step = model.newest() ? model.newest()->step : info.doneSteps;
        if (now.refusedAgain) {
            notice.title = tr("The run was not continued.");
            notice.lines.push_back({QStringLiteral("dialog-error"), Token::Error, now.refusal.isEmpty() ? tr("The supervisor ended without saying why.") : now.refusal});
        } else if (failure && model.hasRun()) {
            notice.title = failure->rank >= 0 ? tr("Rank %1 failed after step %2.").arg(failure->rank).arg(stepText(step)) : tr("The run failed after step %1.").arg(stepText(step));
            notice.lines.push_back({QStringLiteral("dialog-error"), Token::Error, failureText(*failure)});
            if (!failure->lastOp.empty())
                notice.lines.push_back({QStringLiteral("go-next"), Token::Text2, tr("Its last operation was %1.").arg(QString::fromStdString(failure->lastOp))});
            if (const int others = alsoFailed(model, failure->rank); failure->rank >= 0 && info.world > 1)
                notice.lines.push_back({QStringLiteral("go-next"), Token::Text2,
                                        others == 0 ? tr("The other ranks did not fail: the supervisor stopped them. The record up to step %1 is complete.").arg(stepText(step))
                                                    : tr("%n other ranks failed too. The record up to step %1 is complete.", nullptr, others).arg(stepText(step))});
            if (failedAlike(*failure))
                notice.lines.push_back({QStringLiteral("go-next"), Token::Text2, tr("All ranks gave this reason: it lies in the job, not in one of them. The record up to step %1 is complete.").arg(stepText(step))});
        } else {
            notice.title = tr("The run did not start.");
            notice.lines.push_back({QStringLiteral("dialog-error"), Token::Error, now.refusal.isEmpty() ? tr("The supervisor ended without saying why.") : now.refusal});
        }
        if (model.checkpoint())
            sayWhatIsKept();
        else if (model.hasRun())
            notice.lines.push_back({QStringLiteral("checkpoint"), Token::Text2,
                                    now.canLaunch ? tr("No checkpoint was saved yet: a new start begins at step 0. training.saveEvery says how often one is kept.")
                                                  : tr("No checkpoint was saved. training.saveEvery says how often one is kept.")});
        if (model.log()->hasErrors())
            notice.buttons.push_back({QStringLiteral("showError"), tr("Show the first error"), false});
        offerToContinue();
        if (now.canLaunch)
            notice.buttons.push_back({QStringLiteral("launch"), tr("Launch again"), !now.canContinue || !model.checkpoint() || now.checkpointGone});
        break;
    }
    case RunState::Lost: {
        notice.edge = Token::Warn;
        notice.title = tr("Contact with this run is lost.");
        const double age = model.lastRecordNs() > 0 ? static_cast<double>(QDateTime::currentMSecsSinceEpoch() * 1'000'000 - model.lastRecordNs()) * 1e-9 : -1;
        if (age >= 0)
            notice.lines.push_back({QStringLiteral("dialog-warning"), Token::Warn, tr("Its last record is %1 old, and no supervisor holds its folder. What was recorded is shown in grey.").arg(RunHeader::durationText(age))});
        else
            notice.lines.push_back({QStringLiteral("dialog-warning"), Token::Warn, tr("Nothing was recorded, and no supervisor holds its folder.")});
        if (model.checkpoint())
            sayWhatIsKept();
        offerToContinue();
        if (now.canReattach)
            notice.buttons.push_back({QStringLiteral("reattach"), tr("Re-attach"), false});
        break;
    }
    case RunState::Stopped:
        // Stopped to go on later, as a rule; a run that was stopped before it had anything to keep has nothing to say.
        if (model.checkpoint() && model.newest()) {
            notice.edge = Token::Text2;
            notice.title = tr("The run was stopped after step %1.").arg(stepText(model.newest()->step));
            sayWhatIsKept();
            offerToContinue();
        }
        break;
    default:
        if (!model.recordProblem().isEmpty()) {
            notice.edge = Token::Warn;
            notice.title = tr("The run goes on, but is not being recorded.");
            notice.lines.push_back({QStringLiteral("dialog-warning"), Token::Warn, model.recordProblem()});
            if (model.newest())
                notice.lines.push_back({{}, Token::Text2, tr("What is shown here ends at step %1.").arg(stepText(model.newest()->step))});
        }
        break;
    }
    if (now.unattached && isLive(state)) {
        if (notice.title.isEmpty())
            notice.title = tr("This run is live, and this window only looks at it.");
        notice.buttons.push_back({QStringLiteral("attach"), tr("Attach"), true});
    }
    if (model.badRecords() > 0 && !isLive(state) && state != RunState::None)
        notice.lines.push_back({QStringLiteral("dialog-warning"), Token::Warn, tr("%n records are damaged and left out.", nullptr, static_cast<int>(model.badRecords()))});
    return notice;
}

}  // namespace stagecraft::app
