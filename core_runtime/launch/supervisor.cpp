// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/supervisor.h"

#include "launch/supervisor_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace stagecraft {

using namespace std::chrono_literals;

Supervisor::Supervisor(std::unique_ptr<State> state) : m_state(std::move(state)), m_wakeFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Supervisor::~Supervisor()
{
    if (m_wakeFd >= 0) ::close(m_wakeFd);
}

void Supervisor::wake() noexcept
{
    const std::uint64_t one = 1;
    const int saved = errno;
    (void)!::write(m_wakeFd, &one, sizeof one);
    errno = saved;
}

const RunInfo& Supervisor::info() const { return m_state->info; }
const std::vector<RankView>& Supervisor::ranks() const { return m_state->views; }
const std::filesystem::path& Supervisor::folder() const { return m_state->folder.root; }
const std::optional<StepMetrics>& Supervisor::lastStep() const { return m_state->lastStep; }
std::optional<Error> Supervisor::recordProblem() const { return m_state->recordProblem; }

Result<std::unique_ptr<Supervisor>> Supervisor::start(SupervisorOptions options, EventSink sink, Tick tick)
{
    auto state = std::make_unique<State>();
    state->options = std::move(options);
    state->sink = std::move(sink);
    state->tick = std::move(tick);
    if (auto begun = state->begin(); !begun.hasValue()) return begun.error();
    return std::unique_ptr<Supervisor>(new Supervisor(std::move(state)));
}

RunInfo Supervisor::run()
{
    State& s = *m_state;
    int stops = 0, saves = 0;
    std::vector<pollfd> fds;
    while (s.anyRunning()) {
        fds.assign(1, {m_wakeFd, POLLIN, 0});
        for (const auto& rank : s.ranks)
            if (rank.process.controlFd() >= 0) fds.push_back({rank.process.controlFd(), POLLIN, 0});
        ::poll(fds.data(), fds.size(), 100);
        std::uint64_t ignored = 0;
        (void)!::read(m_wakeFd, &ignored, sizeof ignored);

        for (const int wanted = m_stopRequests.load(); stops < wanted; ++stops) s.stopAsked();
        for (const int wanted = m_saveRequests.load(); saves < wanted; ++saves) s.sendToAll(SaveMessage{});
        s.listen();
        s.housekeeping();
        s.judge();
        if (s.tick) s.tick(*this);
    }
    s.finish();
    if (s.tick) s.tick(*this);
    return s.info;
}

}  // namespace stagecraft
