// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "exporters/report_html.h"
#include "record/run_folder.h"

#include "base/atomic_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace stagecraft::cli {

namespace {

struct Options {
    std::string run;
    std::string out;
    std::string language = "en";
    bool json = false;
};

int report(const Options& options)
{
    auto folder = findRunFolder(options.run, defaultRunsRoot());
    if (!folder.hasValue()) return reportError(folder.error(), options.json);
    auto record = loadRunRecord(folder.value());
    if (!record.hasValue()) return reportError(record.error(), options.json);
    const std::filesystem::path out = options.out.empty() ? RunFolder{folder.value()}.report() : std::filesystem::path(options.out);
    const std::string html = reportHtml(record.value(), readPlanJson(folder.value()), options.language);
    if (auto written = writeFileAtomically(out, html); !written.hasValue()) return reportError(written.error(), options.json);
    if (options.json) printJson(nlohmann::ordered_json{{"file", std::filesystem::absolute(out).string()}, {"bytes", html.size()}, {"status", runStatusName(record.value().info.status)}});
    else fmt::print("{}\n", std::filesystem::absolute(out).string());
    return kDone;
}

}  // namespace

void addReportCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("report", "Write a run as one self-contained HTML page with its charts");
    command->add_option("run", options->run, "A run folder, the name of one under " + defaultRunsRoot().string() + ", or \"latest\"")->required();
    command->add_option("--out", options->out, "The file to write; default report.html in the run folder");
    command->add_option("--language", options->language, "Of the page: en or zh")->check(CLI::IsMember({"en", "zh"}));
    command->add_flag("--json", options->json, "Print the answer as one JSON document");
    command->footer("Works for a run that is going on, finished, failed or lost. The page loads nothing from elsewhere.");
    command->callback([options, &exitCode] { exitCode = report(*options); });
}

}  // namespace stagecraft::cli
