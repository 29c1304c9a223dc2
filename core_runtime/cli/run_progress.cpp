// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run_progress.h"

#include "base/units.h"
#include "cli/command.h"
#include "record/record_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stagecraft::cli {

using namespace std::chrono_literals;

namespace {
constexpr std::size_t kMostRankLines = 16;
}

RunProgress::RunProgress(bool terminal, const StepScale& scale, bool ranksPrint)
    : m_terminal(terminal), m_scale(scale), m_ranksPrint(ranksPrint), m_block([](std::string_view text) { tell("{}", text); }, [] { return terminalSize(2); })
{
}

void RunProgress::say(const std::string& line)
{
    m_block.clear();
    tell("{}\n", line);
}

void RunProgress::draw(const Supervisor& supervisor)
{
    const int columns = terminalSize(2).columns;
    std::vector<std::string> lines{"starting the ranks"};
    if (const auto& step = supervisor.lastStep()) lines = foldFields(stepLine(*step, m_scale), columns);
    const auto& ranks = supervisor.ranks();
    for (std::size_t i = 0; i < std::min(ranks.size(), kMostRankLines); ++i) {
        const std::string begin = fmt::format("  rank {:<3} {:<9} step {:<7} ", ranks[i].rank, ranks[i].state, ranks[i].step), memory = formatBytes(ranks[i].rssBytes);
        // The op gives way to the memory behind it.
        const int room = std::clamp(columns - columnsOf(begin) - 11, 0, 40);
        const std::string op = cutToColumns(ranks[i].op, room);
        lines.push_back(fmt::format("{}{}{} {:>9}", begin, op, std::string(static_cast<std::size_t>(std::max(0, std::min(28, room) - columnsOf(op))), ' '), memory));
    }
    if (ranks.size() > kMostRankLines) {
        std::int64_t slowest = ranks[kMostRankLines].step, most = 0;
        for (std::size_t i = kMostRankLines; i < ranks.size(); ++i) {
            slowest = std::min(slowest, ranks[i].step);
            most = std::max(most, ranks[i].rssBytes);
        }
        lines.push_back(fmt::format("  and {} more, the slowest at step {}, at most {} each", ranks.size() - kMostRankLines, slowest, formatBytes(most)));
    }
    m_block.draw(lines);
    std::fflush(stderr);
}

void RunProgress::tick(const Supervisor& supervisor)
{
    const auto now = std::chrono::steady_clock::now();
    if (m_terminal) {
        if (now - m_drawn < 200ms) return;
        m_drawn = now;
        draw(supervisor);
        return;
    }
    const auto& step = supervisor.lastStep();
    if (m_ranksPrint || !step || step->step == m_shownStep) return;
    if (m_shownStep >= 0 && step->step != m_scale.plannedSteps && now - m_drawn < 5s) return;
    m_drawn = now;
    m_shownStep = step->step;
    std::string line = stepLine(*step, m_scale) + " ";
    for (std::size_t i = 0; i < std::min<std::size_t>(supervisor.ranks().size(), 8); ++i)
        line += fmt::format(" rank {} {}", supervisor.ranks()[i].rank, formatBytes(supervisor.ranks()[i].rssBytes));
    tell("{}\n", line);
    std::fflush(stderr);
}

void RunProgress::event(const EventRecord& event)
{
    if (event.kind == "eval") say(fmt::format("step {}: validation loss {:.4f}", fieldText(event, "step"), fieldNumber(event, "loss").value_or(NAN)));
    else if (event.kind == "checkpoint_saved") say(fmt::format("step {}: checkpoint saved {}", fieldText(event, "step"), fieldText(event, "path")));
    else if (event.kind == "failure") {
        std::string message = fieldText(event, "message");
        if (message.ends_with('.')) message.pop_back();
        say(fmt::format("stagecraft: {}{}", message, event.rank < 0 || m_scale.world < 2 ? "" : "; the other ranks are stopped"));
    }
    if (event.kind != "log") return;
    const std::string stream = fieldText(event, "stream"), level = fieldText(event, "level");
    if (stream == "supervisor" || stream == kStepLineStream) say(fieldText(event, "text"));
    else if (stream == "worker" && (level == "error" || level == "warning")) say(fmt::format("stagecraft: {}: rank {}: {}", level, event.rank, fieldText(event, "text")));
}

void RunProgress::end(const Supervisor& supervisor)
{
    if (m_terminal) draw(supervisor);
    m_block.leave();
}

}  // namespace stagecraft::cli
