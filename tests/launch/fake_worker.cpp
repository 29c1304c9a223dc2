// SPDX-License-Identifier: GPL-3.0-or-later
// A process that speaks the worker's side of the control protocol, writes a real record, and dies, hangs or floods on
// request, so that the supervisor meets real processes without a training engine.
//
// FAKE_WORKER={"steps": 5, "stepMs": 10, "saveEvery": 0, "failSaves": [4], "faults": [{"rank": 1, "step": 3, "do": "kill", "afterMs": 0}]}
// do: save (seconds, moves) | wait (seconds) | kill | segv | abort (words) | vanish (lingerMs) | exit (code) | fail (message, peerLost) | hang | freeze | ignore_term | flood | garbage | child | silent | print
#include "checkpoint/checkpoint_writer.h"
#include "checkpoint/history.h"
#include "record/control_message.h"
#include "record/rank_writer.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "workspace/workspace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace stagecraft;
using nlohmann::json;

namespace {

int g_control = -1;
std::mutex g_sending;
std::atomic<std::int64_t> g_step{0};
std::atomic<bool> g_stop{false};
std::atomic<bool> g_save{false};
std::atomic<bool> g_vanished{false};
std::mutex g_wording;
std::string g_words;  // of a heartbeat; empty = an op of the step

void sendLine(const std::string& line)
{
    const std::lock_guard lock(g_sending);
    for (std::size_t at = 0; at < line.size();) {
        const ssize_t sent = ::send(g_control, line.data() + at, line.size() - at, MSG_NOSIGNAL);
        if (sent < 0 && g_vanished) return;
        if (sent < 0) ::_exit(1);  // the supervisor is gone
        at += static_cast<std::size_t>(sent);
    }
}

void sleepMs(std::int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void hearSupervisor()
{
    LineBuffer buffer;
    char bytes[4096];
    for (;;) {
        const ssize_t got = ::recv(g_control, bytes, sizeof bytes, 0);
        if (got <= 0 && g_vanished) return;
        if (got <= 0) ::_exit(1);
        buffer.append({bytes, static_cast<std::size_t>(got)});
        while (auto line = buffer.next())
            if (auto message = controlMessageFromLine(*line)) {
                if (std::holds_alternative<StopMessage>(*message)) g_stop = true;
                if (std::holds_alternative<SaveMessage>(*message)) g_save = true;
            }
    }
}

void beatForever()
{
    for (;;) {
        std::string words = fmt::format("Forward block.{}", g_step % 4);
        {
            const std::lock_guard lock(g_wording);
            if (!g_words.empty()) words = g_words;
        }
        sendLine(toControlLine(HeartbeatMessage{g_step, words}));
        sleepMs(50);
    }
}

/// A whole checkpoint of the run's model, all zeros; of one small parameter when the folder holds no workspace.
void saveSomething(const RunFolder& run, std::int64_t step, const TrainingHistory& history)
{
    std::map<std::string, std::vector<std::int64_t>> shapes;
    if (const auto workspace = loadWorkspace(run.workspaceJson()); workspace.hasValue() && workspace.value().model.spec)
        for (const UnitInfo& unit : unitsOf(*workspace.value().model.spec))
            for (const ParameterInfo& parameter : unit.parameters) shapes[parameter.name] = parameter.shape;
    if (shapes.empty()) shapes["w"] = {4};
    auto writer = CheckpointWriter::begin(run.checkpoints(), step, 0);
    bool whole = writer.hasValue();
    for (const auto& [name, shape] : shapes) {
        const std::vector<float> zeros(static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
        whole = whole && writer.value().add("weight", name, 0, static_cast<std::int64_t>(zeros.size()), ElementType::F32, std::as_bytes(std::span(zeros))).hasValue();
    }
    if (!whole || !writer.value().finish().hasValue() || !completeCheckpoint(run.checkpoints(), step, 1, shapes, {{"history", historyToJson(history)}}).hasValue()) fmt::print(stderr, "no checkpoint\n");
}

void doFault(const json& fault, std::int64_t step)
{
    const std::string what = fault.value("do", "");
    sleepMs(fault.value("afterMs", 0));
    if (what == "kill") ::raise(SIGKILL);
    if (what == "segv") { ::signal(SIGSEGV, SIG_DFL); ::raise(SIGSEGV); }
    if (what == "abort") {
        fmt::print(stderr, "{}", fault.value("words", ""));
        std::fflush(stderr);
        std::abort();
    }
    if (what == "vanish") {  // as a process that is torn down slowly: its sockets are closed, its end is not seen yet
        g_vanished = true;
        ::shutdown(g_control, SHUT_RDWR);
        sleepMs(fault.value("lingerMs", 1000));
        ::raise(SIGKILL);
    }
    if (what == "exit") {
        fmt::print(stderr, "the last words of the rank\n");
        std::fflush(stderr);
        ::_exit(fault.value("code", 1));
    }
    if (what == "fail") {
        sendLine(toControlLine(FailureMessage{fault.value("message", "it broke"), fmt::format("ReduceScatter block.{}", step), fault.value("peerLost", false)}));
        sleepMs(fault.value("lingerMs", 0));
        ::_exit(1);
    }
    if (what == "hang") for (;;) sleepMs(1000);
    if (what == "save" || what == "wait") {
        const int pieces = fault.value("seconds", 1) * 10;
        for (int piece = 0; piece < pieces; ++piece) {
            {
                const std::lock_guard lock(g_wording);
                g_words = what == "wait" ? "Save step 3: " + std::string(kWaitsForOthers) : fmt::format("Save step 3: {} of {} MiB", fault.value("moves", true) ? piece : 0, pieces);
            }
            sleepMs(100);
        }
        const std::lock_guard lock(g_wording);
        g_words.clear();
    }
    if (what == "freeze") ::raise(SIGSTOP);
    if (what == "ignore_term") ::signal(SIGTERM, SIG_IGN);
    if (what == "garbage") sendLine(std::string("\xff\xfe{\"type\":\"step\"\n{\"type\":42}\n[[[[[\n") + std::string(10'000, '\0') + "\n");
    if (what == "flood")
        for (int i = 0; i < fault.value("count", 10'000); ++i) {
            EventRecord event{wallClockNs(), 0, "log", {}};
            setField(event, "text", "flood");
            sendLine(toControlLine(EventMessage{event}));
        }
    if (what == "child" && ::fork() == 0) {
        ::execl("/bin/sleep", "sleep", fault.value("seconds", "1000").c_str(), nullptr);
        ::_exit(1);
    }
    if (what == "print")
        for (int i = 0; i < fault.value("count", 1); ++i) fmt::print("printed {}\n", i);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    std::string runDir;
    int rank = 0, world = 1, attempt = 0;
    std::int64_t from = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string flag = argv[i];
        if (flag == "--run-dir") runDir = argv[i + 1];
        if (flag == "--rank") rank = std::atoi(argv[i + 1]);
        if (flag == "--attempt") attempt = std::atoi(argv[i + 1]);
        if (flag == "--world") world = std::atoi(argv[i + 1]);
        if (flag == "--control-fd") g_control = std::atoi(argv[i + 1]);
        if (flag == "--resume") from = std::atoll(argv[i + 1]);
    }
    const char* text = std::getenv("FAKE_WORKER");
    const json script = json::parse(text != nullptr ? text : "{}", nullptr, false);
    const std::int64_t steps = script.value("steps", 5);
    const auto faultsAt = [&](std::int64_t step) {
        for (const json& fault : script.value("faults", json::array()))
            if (fault.value("rank", 0) == rank && fault.value("step", 0) == step) doFault(fault, step);
    };
    for (const json& fault : script.value("faults", json::array()))
        if (fault.value("rank", 0) == rank && fault.value("do", "") == "silent") for (;;) sleepMs(1000);

    sendLine(toControlLine(HelloMessage{rank, ::getpid(), "9.9-fake"}));
    std::thread(hearSupervisor).detach();
    g_step = from;
    std::thread(beatForever).detach();
    auto opened = RankWriter::open(runDir, rank);
    if (!opened.hasValue()) {
        sendLine(toControlLine(FailureMessage{opened.error().message, "", false}));
        return 1;
    }
    auto writer = std::move(opened.value());
    const TrainingHistory before = from > 0 ? historyOf(RunFolder{runDir}.checkpoints(), from).value_or(TrainingHistory{}) : TrainingHistory{};
    const TrainingHistory history = before.continuedBy({std::to_string(::getpid()) + "." + std::to_string(attempt), attempt, from});
    faultsAt(0);
    for (std::int64_t step = from + 1; step <= steps && !g_stop; ++step) {
        const std::int64_t begun = spanClockNs();
        sleepMs(script.value("stepMs", 5));
        faultsAt(step);
        writer->writeSpan({begun, spanClockNs(), static_cast<std::int32_t>(step), 0, 0, 0});
        StepMetrics m;
        m.timeNs = wallClockNs();
        m.rank = rank;
        m.step = step;
        m.attempt = attempt;
        m.loss = 5.0 / std::sqrt(static_cast<double>(step));
        m.learningRate = 1e-3;
        m.gradNorm = 1.0 / static_cast<double>(step + 2);
        m.stepSeconds = static_cast<double>(spanClockNs() - begun) * 1e-9;
        m.tokensPerSecond = 1000.0 * world / m.stepSeconds;
        m.phaseSeconds = {0, m.stepSeconds * 0.3, m.stepSeconds * 0.5, m.stepSeconds * 0.1, m.stepSeconds * 0.1, 0};
        m.rssBytes = m.peakRssBytes = (rank + 1) * 1'000'000 + step;
        writer->writeStep(m);
        g_step = step;
        if (rank == 0) {
            sendLine(toControlLine(StepMessage{m}));
            EventRecord eval{wallClockNs(), 0, "eval", {}};
            setField(eval, "step", step);
            setField(eval, "loss", m.loss + 0.1);
            if (step % 2 == 0) sendLine(toControlLine(EventMessage{eval}));
            const std::int64_t saveEvery = script.value("saveEvery", 0);
            if (g_save.exchange(false) || (saveEvery > 0 && step % saveEvery == 0)) {
                const json refused = script.value("failSaves", json::array());
                const bool fails = std::find(refused.begin(), refused.end(), json(step)) != refused.end();
                if (!fails) saveSomething(RunFolder{runDir}, step, history);
                EventRecord saved{wallClockNs(), 0, fails ? "checkpoint_failed" : "checkpoint_saved", {}};
                setField(saved, "step", step);
                if (fails) setField(saved, "message", "No space left on device.");
                if (fails) saved.fields["last"] = saveEvery > 0 && step == steps ? "true" : "false";
                sendLine(toControlLine(EventMessage{saved}));
            }
        }
    }
    writer.reset();
    sendLine(toControlLine(ByeMessage{g_stop ? "stopped" : "finished"}));
    std::fflush(stdout);
    ::_exit(g_stop ? 3 : 0);
}
