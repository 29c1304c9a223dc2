// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_info.h"

#include <cstdint>

namespace stagecraft::app {

/// What the window knows of the run it watches.
enum class RunState : std::uint8_t {
    None,      ///< no run is watched
    Launching, ///< the supervisor was started and has not written run.json yet
    Starting,  ///< ranks are coming up
    Running,
    Stopping,  ///< asked to stop after the current step
    Killing,   ///< asked to end now
    Finished,
    Failed,    ///< the run failed, or was refused before it started
    Stopped,
    Lost,      ///< run.json says it runs and nobody holds the folder
};
inline constexpr int kRunStateCount = 10;

enum class RunEvent : std::uint8_t {
    LaunchAsked,
    AttachAsked,
    StopAsked,
    KillAsked,
    SawStarting,       ///< run.json: starting, and a live supervisor
    SawRunning,
    SawFinished,
    SawFailed,
    SawStopped,
    SawLost,           ///< no live supervisor, and run.json says otherwise
    SupervisorGone,    ///< ended without a run.json: it refused
    Detached,
};
inline constexpr int kRunEventCount = 12;

/// The state after `event`; the same state where the event means nothing there.
[[nodiscard]] RunState after(RunState state, RunEvent event);

/// Whether a supervisor is, as far as known, at work.
[[nodiscard]] bool isLive(RunState state);

/// What a record that nobody watches says of itself.
[[nodiscard]] RunState runStateOf(RunStatus status);

/// What a look at the folder means.
[[nodiscard]] RunEvent eventFor(RunStatus status, bool supervisorLives);

}  // namespace stagecraft::app
