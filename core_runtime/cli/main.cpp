// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "hardware/cpu_sheet.h"
#include "hardware/user_sheets.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

/// A closed stdin, stdout or stderr would give its number to the next file that is opened, a run's record for one, and
/// what is printed would go there.
void openStandardStreams()
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) (void)::open("/dev/null", O_RDWR);
}

/// CLI11 answers a command that it does not know as if none had been given: what is wrong where `app`, or the last command of it that was
/// given, asks for one more; nothing where something else is required.
std::optional<std::string> missingCommand(const CLI::App& app, std::span<const char* const> arguments)
{
    const CLI::App* last = &app;
    auto next = arguments.begin();
    while (true) {
        next = std::find_if(next, arguments.end(), [](const char* argument) { return argument[0] != '-'; });
        const auto& given = last->get_subcommands();
        if (given.empty()) break;
        last = given.front();
        ++next;
    }
    if (last->get_require_subcommand_min() == 0) return std::nullopt;
    std::string choices;
    for (const CLI::App* each : last->get_subcommands([](const CLI::App*) { return true; })) choices += (choices.empty() ? "" : ", ") + each->get_name();
    if (next == arguments.end()) return fmt::format("A command is missing: one of {}", choices);
    return fmt::format("There is no command \"{}\"{}: use one of {}", *next, last == &app ? "" : " in " + last->get_name(), choices);
}

}  // namespace

int main(int argc, char** argv)
{
    using namespace stagecraft::cli;
    openStandardStreams();
    CLI::App app{"Plan, configure, run and watch sharded training, from a terminal.", "stagecraft"};
    app.set_version_flag("--version", "stagecraft " STAGECRAFT_VERSION " (GPL-3.0-or-later; third-party notices: resources/third_party.txt, and Help > About in the window)");
    app.require_subcommand(1);

    stagecraft::useSheetOfThisCpu();
    for (const stagecraft::Error& problem : stagecraft::loadUserDeviceSheets(stagecraft::userDeviceSheetFile())) tell("stagecraft: warning: {}\n", problem.message);
    int exitCode = kDone;
    for (const AddCommand add : kCommands) add(app, exitCode);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // --help and --version arrive here too, with 0. CLI11 uses many exit codes; ours has one for wrong usage.
        if (error.get_exit_code() == 0) return app.exit(error);
        const std::string what = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ? missingCommand(app, {argv + 1, argv + argc}).value_or(error.what()) : std::string(error.what());
        const bool json = std::any_of(argv + 1, argv + argc, [](const char* argument) { return std::string_view(argument) == "--json"; });
        (void)reportError({stagecraft::ErrorCode::InvalidArgument, fmt::format("{}; see stagecraft --help, or --help behind the command", what), {}}, json);
        return kUsage;
    } catch (const std::filesystem::filesystem_error& error) {
        // The one way to get here: a relative path, and no folder that it starts from.
        const bool json = std::any_of(argv + 1, argv + argc, [](const char* argument) { return std::string_view(argument) == "--json"; });
        std::error_code gone;
        (void)std::filesystem::current_path(gone);
        (void)reportError({stagecraft::ErrorCode::Io, gone ? "Cannot find the folder this was started in: it is not there any more; change into another" : fmt::format("Cannot use a path: {}", error.what()), {}}, json);
        return kAnswerIsNo;
    } catch (const std::exception& error) {
        if (std::ferror(stdout) != 0) tell("stagecraft: Cannot write the answer: {}\n", error.what());
        else tell("stagecraft: unexpected failure: {}; this is a defect, report it with the command line\n", error.what());
        return kAnswerIsNo;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        tell("stagecraft: Cannot write the answer: {}\n", std::strerror(errno));
        return exitCode == kDone ? kAnswerIsNo : exitCode;
    }
    return exitCode;
}
