// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/terminal_block.h"
#include "launch/supervisor.h"
#include "record/step_lines.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace stagecraft::cli {

/// Live progress of a run on stderr: on a terminal a block that is drawn over, one line a rank; else a line every few
/// seconds, so that a log stays readable.
class RunProgress {
public:
    /// @param ranksPrint  the ds_config's steps_per_print decides which steps get a line that stays
    RunProgress(bool terminal, const StepScale& scale, bool ranksPrint);

    void tick(const Supervisor& supervisor);
    /// Prints a line that stays, above the block.
    void say(const std::string& line);
    /// What an event has to say to a person; most say nothing.
    void event(const EventRecord& event);
    /// Ends the block, leaving its last state on the screen.
    void end(const Supervisor& supervisor);

private:
    void draw(const Supervisor& supervisor);

    bool m_terminal;
    StepScale m_scale;
    bool m_ranksPrint;
    TerminalBlock m_block;
    std::int64_t m_shownStep = -1;
    std::chrono::steady_clock::time_point m_drawn{};
};

}  // namespace stagecraft::cli
