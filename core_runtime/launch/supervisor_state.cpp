// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/supervisor_state.h"

#include "base/atomic_file.h"
#include "record/record_lines.h"
#include "record/reserve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>

namespace stagecraft {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kMaxMessage = std::size_t{4} << 20;
constexpr auto kSettle = 400ms;          // for the culprit's own end to be seen when a victim speaks first
constexpr auto kDying = 2s;              // the same when a rank is seen to go down on a busy machine
constexpr auto kSilence = 5s;            // ten heartbeats missed: the process itself stands still

constexpr auto kHeartbeatGrain = 1s;     // two heartbeats

/// Whether an op, as heartbeats name it, can only end when other ranks come too.
bool waitsForPeers(std::string_view op)
{
    return op.ends_with(kWaitsForOthers) || op.starts_with("Gather") || op.starts_with("ReduceScatter") || op.starts_with("AllReduce") || op.starts_with("Send") || op.starts_with("Recv");
}

std::int64_t residentBytes(int pid)
{
    std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
    std::int64_t size = 0, resident = 0;
    return statm >> size >> resident ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

std::int64_t nsOf(Clock::time_point time)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

Result<void> Supervisor::State::begin()
{
    folder.root = options.runFolder;
    lock = std::move(options.lock);
    if (!lock) {
        auto held = RunLock::acquire(folder.root);
        if (!held.hasValue()) return held.error();
        lock = std::make_shared<RunLock>(std::move(held.value()));
    }
    auto begun = beginHeld();
    if (!begun.hasValue()) {
        for (Rank& rank : ranks) rank.process = {};  // kills and collects what was started
        info.status = RunStatus::Failed;
        info.endedNs = wallClockNs();
        info.failure = RunFailure{failedToStart, "start", begun.error().message, {}, info.endedNs};
        (void)writeRunInfo(folder.root, info);
        std::error_code ignored;
        std::filesystem::remove(folder.reserve(), ignored);
    }
    return begun;
}

Result<void> Supervisor::State::beginHeld()
{
    info = options.info;
    info.status = RunStatus::Starting;
    info.startedNs = wallClockNs();
    info.endedNs = 0;
    info.supervisorPid = ::getpid();
    info.failure.reset();
    info.resumedFrom = options.resumeStep.value_or(0);
    info.doneSteps = savedStep = info.resumedFrom;
    info.ranks.assign(static_cast<std::size_t>(info.world), RankProcess{0, std::nullopt, std::nullopt, "starting"});
    for (int rank = 0; rank < info.world; ++rank) info.ranks[static_cast<std::size_t>(rank)].localRank = rank;
    for (int rank = 0; rank < info.world; ++rank)
        if (auto made = makeFolder(folder.rank(rank)); !made.hasValue()) return made;
    std::error_code ignored;
    // Rendezvous files of starts that were killed: nobody holds this folder but us.
    for (int attempt = 0; attempt <= info.attempt; ++attempt) std::filesystem::remove_all(folder.attempt(attempt), ignored);
    if (auto made = makeFolder(folder.attempt(info.attempt)); !made.hasValue()) return made;
    auto opened = AppendFile::openLines(folder.events());
    if (!opened.hasValue()) return opened.error();
    events = std::move(opened.value());
    if (auto written = writeRunInfo(folder.root, info); !written.hasValue()) return written;
    infoWritten = Clock::now();
    keepReserve(folder.reserve());

    EventRecord started{info.startedNs, -1, "run_started", {}};
    setField(started, "attempt", std::int64_t{info.attempt});
    setField(started, "resumedFrom", info.resumedFrom);
    if (info.resumedAttempt) setField(started, "resumedAttempt", std::int64_t{*info.resumedAttempt});
    setField(started, "world", std::int64_t{info.world});
    emit(std::move(started));
    for (const std::string& warning : options.warnings) {
        EventRecord event{0, -1, "log", {}};
        setField(event, "level", "warning");
        setField(event, "stream", "preflight");
        setField(event, "text", warning);
        emit(std::move(event));
    }
    if (recordProblem) return *recordProblem;

    logs.emplace(folder.root, info.world);
    ranks.resize(static_cast<std::size_t>(info.world));
    views.resize(ranks.size());
    for (int rank = 0; rank < info.world; ++rank) {
        if (auto spawned = spawn(rank); !spawned.hasValue()) {
            failedToStart = rank;
            return spawned;
        }
    }
    writeInfo();
    return {};
}

Result<void> Supervisor::State::spawn(int rank)
{
    RankProcessHandle::Command command;
    command.arguments = options.worker;
    const auto add = [&](const char* flag, std::string value) {
        command.arguments.emplace_back(flag);
        command.arguments.push_back(std::move(value));
    };
    add("--run-dir", folder.root.string());
    add("--rank", std::to_string(rank));
    add("--world", std::to_string(info.world));
    add("--attempt", std::to_string(info.attempt));
    if (options.resumeStep) add("--resume", std::to_string(*options.resumeStep));
    command.environment = options.environment;
    // Launchers' own words, for hooks and libraries that look for them; our ranks meet through a file, so there is no MASTER_PORT.
    const RankProcess& place = info.ranks[static_cast<std::size_t>(rank)];
    for (const std::string& variable : {fmt::format("RANK={}", rank), fmt::format("LOCAL_RANK={}", place.localRank), fmt::format("NODE_RANK={}", place.nodeRank), fmt::format("WORLD_SIZE={}", info.world), "MASTER_ADDR=" + info.master})
        command.environment.push_back(variable);
    command.standardOutput = folder.standardOutput(rank);
    command.standardError = folder.standardError(rank);
    command.controlFlag = "--control-fd";
    auto process = RankProcessHandle::spawn(command);
    if (!process.hasValue()) return process.error();

    const auto index = static_cast<std::size_t>(rank);
    Rank& r = ranks[index];
    r.process = std::move(process.value());
    r.evidence.rank = rank;
    r.heard = r.progress = Clock::now();
    info.ranks[index].pid = r.process.pid();
    views[index] = {rank, "starting", info.doneSteps, {}, r.process.pid(), 0};
    setRankState(index, "starting");
    return {};
}

bool Supervisor::State::anyRunning() const
{
    return std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return !rank.endHandled; });
}

void Supervisor::State::emit(EventRecord event)
{
    if (event.timeNs == 0) event.timeNs = wallClockNs();
    event.attempt = info.attempt;
    if (events.append(toLine(event) + '\n')) {
        if (recordProblem && recordProblem->context.contains("events")) recordProblem.reset();
    } else if (!recordProblem) {
        recordProblem = Error{ErrorCode::Io, fmt::format("Cannot write \"{}\": {}; free space, what waits is written then", events.path().string(), std::strerror(events.lastErrno())),
                              {{"path", events.path().string()}, {"events", "1"}}};
    }
    if (sink) sink(event);
}

void Supervisor::State::writeInfo()
{
    infoWritten = Clock::now();
    if (auto written = writeRunInfo(folder.root, info); written.hasValue()) {
        infoDirty = infoUrgent = false;
        if (recordProblem && !recordProblem->context.contains("events")) recordProblem.reset();
    } else {
        infoDirty = true;
        if (!recordProblem) recordProblem = written.error();
    }
}

void Supervisor::State::setRankState(std::size_t rank, const char* state)
{
    views[rank].state = state;
    info.ranks[rank].state = state;
    infoDirty = infoUrgent = true;
    EventRecord event{0, static_cast<int>(rank), "rank_state", {}};
    setField(event, "state", state);
    if (info.ranks[rank].exitCode) setField(event, "exitCode", std::int64_t{*info.ranks[rank].exitCode});
    if (info.ranks[rank].signal) setField(event, "signal", std::int64_t{*info.ranks[rank].signal});
    emit(std::move(event));
}

void Supervisor::State::progressed(std::size_t rank, std::int64_t step, const std::string& op)
{
    if (views[rank].step == step && views[rank].op == op) return;
    views[rank].step = step;
    views[rank].op = op;
    ranks[rank].progress = Clock::now();
    ranks[rank].evidence.lastOp = op;
    if (views[rank].state == "ready" && (step > info.resumedFrom || !op.empty())) setRankState(rank, "running");
}

void Supervisor::State::heard(std::size_t rank, ControlMessage message)
{
    Rank& r = ranks[rank];
    if (std::holds_alternative<HelloMessage>(message)) {
        r.hello = true;
        r.progress = Clock::now();
        const std::string& torch = std::get<HelloMessage>(message).torch;
        if (!torch.empty()) info.versions["torch"] = torch;
        if (views[rank].state == "starting") setRankState(rank, "ready");
        if (info.status == RunStatus::Starting && std::all_of(ranks.begin(), ranks.end(), [](const Rank& other) { return other.hello; }))
            info.status = RunStatus::Running;
    } else if (const auto* beat = std::get_if<HeartbeatMessage>(&message)) {
        progressed(rank, beat->step, beat->op);
    } else if (auto* told = std::get_if<EventMessage>(&message)) {
        told->event.rank = static_cast<int>(rank);
        r.progress = Clock::now();
        noteCheckpoint(told->event);
        emit(std::move(told->event));
    } else if (auto* step = std::get_if<StepMessage>(&message)) {
        step->metrics.rank = static_cast<int>(rank);
        progressed(rank, step->metrics.step, views[rank].op);
        if (rank != 0) return;
        lastStep = step->metrics;
        info.doneSteps = std::max(info.doneSteps, step->metrics.step);
        infoDirty = true;
        EventRecord event{step->metrics.timeNs, 0, "step_finished", {}};
        setField(event, "step", step->metrics.step);
        setField(event, "loss", step->metrics.loss);
        setField(event, "stepTime", step->metrics.stepSeconds);
        emit(std::move(event));
    } else if (const auto* failure = std::get_if<FailureMessage>(&message)) {
        if (!r.evidence.failureMessage.empty()) return;
        r.evidence.failureMessage = failure->message.empty() ? "it gave no reason" : failure->message;
        r.evidence.peerLost = failure->peerLost;
        r.evidence.failureNs = nsOf(Clock::now());
        if (!failure->lastOp.empty()) r.evidence.lastOp = failure->lastOp;
    } else if (const auto* bye = std::get_if<ByeMessage>(&message)) {
        r.bye = true;
        r.byeStatus = bye->status;
    }
}

void Supervisor::State::drain(std::size_t rank)
{
    Rank& r = ranks[rank];
    char bytes[16384];
    // A share per turn, so that a rank that floods does not silence the others.
    for (std::size_t turn = 0; turn < 16 && r.process.controlFd() >= 0; ++turn) {
        const ssize_t got = ::recv(r.process.controlFd(), bytes, sizeof bytes, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (got <= 0) {
            r.process.closeControl();
            return;
        }
        r.heard = Clock::now();
        r.incoming.append({bytes, static_cast<std::size_t>(got)});
        while (auto line = r.incoming.next())
            if (auto message = controlMessageFromLine(*line)) heard(rank, std::move(*message));
        if (r.incoming.waiting() > kMaxMessage) r.incoming = {};  // not our worker's words
    }
}

void Supervisor::State::ended(std::size_t rank)
{
    Rank& r = ranks[rank];
    const ProcessEnd& end = r.process.end();
    r.endHandled = true;
    r.progress = Clock::now();  // who waited for it has its whole time from here
    if (end.bySignal) info.ranks[rank].signal = end.code;
    else info.ranks[rank].exitCode = end.code;
    r.process.signal(SIGKILL);  // what the rank itself started and left behind
    const bool well = !end.bySignal && ((end.code == 0 && (r.bye || r.endedByUs)) || (end.code == 3 && (r.bye || r.endedByUs)));
    r.evidence.endedWell = well;
    if (!r.endedByUs) {
        r.evidence.end = end;
        r.evidence.endNs = nsOf(Clock::now());
    }
    if (well) setRankState(rank, end.code == 0 && r.byeStatus != "stopped" ? "finished" : "stopped");
    else if (info.failure && info.failure->rank == static_cast<int>(rank)) setRankState(rank, "failed");  // it hung, and was ended for that
    else if (info.failure && info.failure->rank < 0 && !r.evidence.failureMessage.empty()) setRankState(rank, "failed");  // as every rank
    // One that only missed a peer has not failed itself; fail() says so when it is the one to name after all.
    else setRankState(rank, r.endedByUs || r.evidence.peerLost ? "stopped" : "failed");
}

void Supervisor::State::listen()
{
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        drain(rank);
        if (!ranks[rank].endHandled && ranks[rank].process.reap()) {
            // All it said before it ended is in the socket still; a bounded number of turns, as a grandchild may hold it open.
            for (int turn = 0; turn < 256 && ranks[rank].process.controlFd() >= 0; ++turn) drain(rank);
            ranks[rank].process.closeControl();
            ended(rank);
        }
    }
}

void Supervisor::State::pollLogs()
{
    logsPolled = Clock::now();
    logs->poll(wallClockNs(), [this](EventRecord event) { emit(std::move(event)); });
}

void Supervisor::State::housekeeping()
{
    const auto now = Clock::now();
    if (now - logsPolled > 200ms) pollLogs();
    if (now - memoryRead > 500ms) {
        memoryRead = now;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            if (!ranks[rank].endHandled)
                if (const std::int64_t bytes = residentBytes(ranks[rank].process.pid()); bytes > 0) views[rank].rssBytes = bytes;
        events.retry();
        if (events.waiting() == 0 && recordProblem && recordProblem->context.contains("events")) recordProblem.reset();
        // Watchers read the record; what keeps it from growing has to reach them another way.
        if (std::string problem = recordProblem ? recordProblem->message : std::string(); problem != problemNoted && noteInReserve(folder.reserve(), problem)) problemNoted = std::move(problem);
    }
    followFolder();  // before a run.json would be written into another folder of that name
    if (infoDirty && (infoUrgent || now - infoWritten > 2s) && now - infoWritten > 100ms) writeInfo();
}

void Supervisor::State::sendToAll(const ControlMessage& message)
{
    const std::string line = toControlLine(message);
    for (const Rank& rank : ranks)
        if (!rank.endHandled) rank.process.send(line);
}

void Supervisor::State::stopAsked()
{
    ++stopsAsked;
    EventRecord event{0, -1, "log", {}};
    setField(event, "level", "info");
    setField(event, "stream", "supervisor");
    setField(event, "text", stopsAsked == 1 ? "stop asked: the ranks finish their step" : "kill asked: the ranks end now");
    emit(std::move(event));
    if (stopsAsked == 1) {
        sendToAll(StopMessage{});
        // A rank that is still starting does not listen yet, and has nothing to lose.
        if (info.status == RunStatus::Starting) endOthers();
        return;
    }
    for (Rank& rank : ranks) {
        if (rank.endHandled) continue;
        rank.endedByUs = true;
        rank.process.signal(SIGKILL);
    }
    killSent = true;
}

void Supervisor::State::endOthers()
{
    termSent = Clock::now();
    for (Rank& rank : ranks) {
        if (rank.endHandled) continue;
        rank.endedByUs = true;
        rank.process.signal(SIGTERM);
    }
}

void Supervisor::State::fail(const Blame& blame)
{
    info.failure = RunFailure{blame.rank, blame.kind, blame.message, blame.lastOp, wallClockNs()};
    EventRecord event{info.failure->timeNs, blame.rank, "failure", {}};
    setField(event, "failureKind", blame.kind);
    setField(event, "message", blame.message);
    setField(event, "lastOp", blame.lastOp);
    emit(std::move(event));
    if (const auto rank = static_cast<std::size_t>(blame.rank); rank < ranks.size() && ranks[rank].endHandled && views[rank].state == "stopped") setRankState(rank, "failed");
    endOthers();
    writeInfo();
}

void Supervisor::State::judge()
{
    const auto now = Clock::now();
    if (!info.failure && termSent == Clock::time_point{} && !killSent) {
        std::vector<RankEvidence> evidence;
        for (Rank& rank : ranks) {
            // Its socket closed without a word: it is going down, and the end of the process follows.
            if (rank.evidence.silentNs == 0 && !rank.endHandled && !rank.bye && rank.evidence.failureMessage.empty() && rank.process.controlFd() < 0)
                rank.evidence.silentNs = nsOf(now);
            evidence.push_back(rank.evidence);
        }
        if (blameOf(evidence)) {
            if (firstSign == Clock::time_point{}) firstSign = now;
            // Its last words tell a culprit from a victim that an uncaught "connection closed" made abort: read them first.
            pollLogs();
            bool dying = false;
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                evidence[rank].lastErrorLine = ranks[rank].evidence.lastErrorLine = logs->lastErrorLine(static_cast<int>(rank));
                evidence[rank].lastPeerLine = ranks[rank].evidence.lastPeerLine = logs->lastPeerLine(static_cast<int>(rank));
                dying = dying || (evidence[rank].silentNs != 0 && !evidence[rank].end);
            }
            // Of a rank that is going down the end says how, and comes when the system gets to it.
            if (!mayHaveACulprit(evidence) || now - firstSign > (dying ? kDying : kSettle) || !anyRunning())
                if (const auto blame = blameOf(evidence)) fail(*blame);
        } else {
            checkHangs();
        }
    }
    if (termSent != Clock::time_point{} && !killSent && now - termSent > options.killGrace) {
        for (const Rank& rank : ranks)
            if (!rank.endHandled) rank.process.signal(SIGKILL);
        killSent = true;
    }
}

void Supervisor::State::checkHangs()
{
    const auto now = Clock::now();
    bool over = false;
    auto earliest = Clock::time_point::max(), latest = Clock::time_point::min();
    for (const Rank& rank : ranks) latest = std::max(latest, rank.progress);
    for (const Rank& rank : ranks) {
        if (rank.endHandled) continue;
        const auto limit = rank.hello ? options.hangTimeout : options.startTimeout;
        // Who waits for a rank that gets on, with a long save for instance, does not hang.
        const bool excused = rank.hello && now - latest <= limit && waitsForPeers(views[static_cast<std::size_t>(rank.evidence.rank)].op);
        if ((now - rank.progress > limit && !excused) || (rank.hello && now - rank.heard > limit)) over = true;
        earliest = std::min(earliest, rank.progress);
    }
    if (!over) return;
    // Who made the others wait: a process that stands still; else, of those whose progress ended within the grain of the
    // heartbeats, the one behind in steps, or the one that is not itself inside a collective.
    const auto standsStill = [&](const Rank& rank) { return now - rank.heard > kSilence; };
    const auto key = [&](const Rank& rank) {
        const RankView& view = views[static_cast<std::size_t>(rank.evidence.rank)];
        const bool within = rank.progress - earliest < kHeartbeatGrain;
        return std::tuple(!standsStill(rank), !within, within ? view.step : 0, within && waitsForPeers(view.op), rank.progress);
    };
    const Rank* worst = nullptr;
    for (const Rank& rank : ranks)
        if (!rank.endHandled && (worst == nullptr || key(rank) < key(*worst))) worst = &rank;
    if (worst == nullptr) return;
    const double seconds = std::chrono::duration<double>(now - worst->progress).count();
    const int rank = worst->evidence.rank;
    Blame blame{rank, "hang", {}, worst->evidence.lastOp};
    if (!worst->hello) blame.message = fmt::format("rank {} did not report within {:.1f} s of its start", rank, seconds);
    else if (standsStill(*worst)) blame.message = fmt::format("rank {} stands still: no sign of life for {:.1f} s", rank, std::chrono::duration<double>(now - worst->heard).count());
    else blame.message = fmt::format("rank {} hangs: no progress for {:.1f} s", rank, seconds);
    if (!blame.lastOp.empty()) blame.message += fmt::format(", last in {}", blame.lastOp);
    fail(blame);
}

}  // namespace stagecraft
