// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/run_states.h"

#include <array>

namespace stagecraft::app {

namespace {

using S = RunState;

// One row a state, one column an event, in the order of the enums.
// clang-format off
constexpr std::array<std::array<S, kRunEventCount>, kRunStateCount> kTable{{
    //               LaunchAsked   AttachAsked  StopAsked    KillAsked   SawStarting  SawRunning   SawFinished  SawFailed  SawStopped  SawLost    SupervisorGone Detached
    /* None      */ {S::Launching, S::None,     S::None,     S::None,    S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::None,       S::None},
    /* Launching */ {S::Launching, S::Launching,S::Killing,  S::Killing, S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Failed,     S::None},
    /* Starting  */ {S::Starting,  S::None,     S::Stopping, S::Killing, S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Lost,       S::None},
    /* Running   */ {S::Running,   S::None,     S::Stopping, S::Killing, S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Lost,       S::None},
    /* Stopping  */ {S::Stopping,  S::None,     S::Stopping, S::Killing, S::Stopping, S::Stopping, S::Finished, S::Failed, S::Stopped, S::Lost,   S::Lost,       S::None},
    /* Killing   */ {S::Killing,   S::None,     S::Killing,  S::Killing, S::Killing,  S::Killing,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Stopped,    S::None},
    /* Finished  */ {S::Launching, S::None,     S::Finished, S::Finished,S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Finished,   S::None},
    /* Failed    */ {S::Launching, S::None,     S::Failed,   S::Failed,  S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Failed,     S::None},
    /* Stopped   */ {S::Launching, S::None,     S::Stopped,  S::Stopped, S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Stopped,    S::None},
    /* Lost      */ {S::Launching, S::None,     S::Lost,     S::Lost,    S::Starting, S::Running,  S::Finished, S::Failed, S::Stopped, S::Lost,   S::Lost,       S::None},
}};
// clang-format on

}  // namespace

RunState after(RunState state, RunEvent event) { return kTable[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)]; }

bool isLive(RunState state)
{
    switch (state) {
    case RunState::Launching:
    case RunState::Starting:
    case RunState::Running:
    case RunState::Stopping:
    case RunState::Killing: return true;
    default: return false;
    }
}

RunState runStateOf(RunStatus status)
{
    switch (status) {
    case RunStatus::Starting: return RunState::Starting;
    case RunStatus::Running: return RunState::Running;
    case RunStatus::Finished: return RunState::Finished;
    case RunStatus::Failed: return RunState::Failed;
    case RunStatus::Stopped: return RunState::Stopped;
    case RunStatus::Lost: return RunState::Lost;
    }
    return RunState::None;
}

RunEvent eventFor(RunStatus status, bool supervisorLives)
{
    switch (status) {
    case RunStatus::Starting: return supervisorLives ? RunEvent::SawStarting : RunEvent::SawLost;
    case RunStatus::Running: return supervisorLives ? RunEvent::SawRunning : RunEvent::SawLost;
    case RunStatus::Finished: return RunEvent::SawFinished;
    case RunStatus::Failed: return RunEvent::SawFailed;
    case RunStatus::Stopped: return RunEvent::SawStopped;
    case RunStatus::Lost: return RunEvent::SawLost;
    }
    return RunEvent::SawLost;
}

}  // namespace stagecraft::app
