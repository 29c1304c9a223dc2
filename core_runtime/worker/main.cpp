// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gemm.h"
#include "worker/arguments.h"
#include "worker/control_link.h"
#include "worker/measure.h"
#include "worker/session.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

stagecraft::ControlLink* g_link = nullptr;  // for the signal handler

constexpr int kFinished = 0, kFailed = 1, kUsage = 2, kStopped = 3;

/// Tells why and ends the process at once: taking the engine down in order would wait for collectives that may never end.
[[noreturn]] void fail(stagecraft::Session& session, stagecraft::ControlLink& link, const stagecraft::Error& error, const std::string& lastOp)
{
    const auto op = error.context.find("lastOp");
    stagecraft::FailureMessage failure;
    failure.message = error.message;
    failure.lastOp = op != error.context.end() ? op->second : lastOp;
    failure.peerLost = error.context.contains("peerLost");
    link.send(failure);
    link.send(stagecraft::ByeMessage{"failed"});
    std::fprintf(stderr, "stagecraft-worker: %s (at %s)\n", failure.message.c_str(), failure.lastOp.c_str());
    session.flushRecord(link);
    std::fflush(nullptr);
    std::_Exit(kFailed);
}

int run(const stagecraft::WorkerArguments& arguments)
{
    if (arguments.controlFd >= 0) prctl(PR_SET_PDEATHSIG, SIGKILL);  // the supervisor's death is ours, even mid-collective
    stagecraft::Session session(arguments);
    stagecraft::ControlLink link(arguments.controlFd, arguments.rank, stagecraft::torchVersion(), [&] { return session.lastOp(); });
    g_link = &link;
    if (!link.connected())  // under another launcher a stop comes as a signal
        for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { g_link->requestStop(); });
    if (const auto opened = session.open(link); !opened.hasValue()) fail(session, link, opened.error(), session.lastOp());
    const auto end = session.train(link);
    if (!end.hasValue()) fail(session, link, end.error(), session.lastOp());
    if (const auto closed = session.close(); !closed.hasValue()) fail(session, link, closed.error(), session.lastOp());
    const bool stopped = *end == stagecraft::Session::End::Stopped;
    link.send(stagecraft::ByeMessage{stopped ? "stopped" : "finished"});
    return stopped ? kStopped : kFinished;
}

/// Times this machine and writes lines of JSON: {"done", "doing"} as it goes on, then {"measure"} or {"error"}.
int measure(const stagecraft::WorkerArguments& arguments)
{
    const int fd = arguments.controlFd >= 0 ? arguments.controlFd : STDOUT_FILENO;
    const auto write = [fd](const nlohmann::ordered_json& line) {
        const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t wrote = ::write(fd, text.data() + sent, text.size() - sent);
            if (wrote <= 0 && errno != EINTR) std::_Exit(kFailed);  // nobody listens
            if (wrote > 0) sent += static_cast<std::size_t>(wrote);
        }
    };
    double told = -1;
    const stagecraft::MeasureOptions options{arguments.measureSeconds, arguments.measureCores, arguments.measureFolder, STAGECRAFT_VERSION};
    const auto measured = stagecraft::measureMachine(options, [&](double done, const std::string& doing) {
        if (done < told + 0.01 && done < 1) return;
        told = done;
        write({{"done", done}, {"doing", doing}});
    });
    if (!measured.hasValue()) {
        write({{"error", measured.error().message}});
        return kFailed;
    }
    write({{"measure", stagecraft::machineMeasureToJson(*measured)}});
    return kFinished;
}

}  // namespace

int main(int argc, char** argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // lines appear as they are made, also in a file
    const auto arguments = stagecraft::parseWorkerArguments({argv + 1, argv + argc}, [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    });
    if (!arguments.hasValue()) {
        std::fprintf(stderr, "stagecraft-worker: %s\n", arguments.error().message.c_str());
        return kUsage;
    }
    if (arguments->showHelp || arguments->showVersion) {
        std::printf("%s", arguments->showHelp ? stagecraft::workerUsage().c_str() : ("stagecraft-worker " STAGECRAFT_VERSION ", LibTorch " + std::string(stagecraft::torchVersion()) + "\n").c_str());
        return kFinished;
    }
    std::signal(SIGPIPE, SIG_IGN);  // a peer that is gone is an error of the collective, told in words
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of write(), as a full disk is
    if (!arguments->measureFolder.empty()) return measure(*arguments);
    return run(*arguments);
}
