// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/report_html.h"

#include "base/atomic_file.h"
#include "base/units.h"
#include "exporters/report_words.h"
#include "exporters/run_curves.h"
#include "exporters/svg_chart.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/step_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace stagecraft {

using nlohmann::json;

namespace {

constexpr const char* kStyle = R"css(
:root{--base:#fff;--window:#eceef0;--head:#e4e6e9;--line:#c9cdd3;--text:#1d2024;--text2:#525963;--grid:#e3e6e9;--ok:#17743a;--okb:#e2f3e8;--warn:#8a5700;--warnb:#fcf1d8;--error:#b92a25;--errorb:#fce6e4;--info:#1660b4;--infob:#e3eefb;
--s1:#1f88e0;--s2:#914801;--s3:#137868;--s4:#8a3f90;--s5:#d2583c;--s6:#9c8206;--s7:#3a4cb8;--s8:#3d4147;
--data:#5a3f9c;--forward:#2f8fe6;--backward:#17826a;--communication:#ad3c0e;--optimizer:#cf66a8;--wait:#c3c8ce;--rest:#bac1ca}
@media (prefers-color-scheme:dark){:root{--base:#1d1f22;--window:#2a2c30;--head:#303338;--line:#43464d;--text:#e6e8eb;--text2:#adb3bc;--grid:#33363b;--ok:#5fc47f;--okb:#20352a;--warn:#e3ac44;--warnb:#3b311c;--error:#f78f88;--errorb:#442a2a;--info:#6cb0f5;--infob:#223448;
--s1:#6fbcf8;--s2:#e39a14;--s3:#2a9270;--s4:#b074b4;--s5:#cd5b2c;--s6:#eed383;--s7:#8a7df0;--s8:#bbc1c8;
--data:#c6c9f2;--forward:#2a86d6;--backward:#5fd9a6;--communication:#cc5430;--optimizer:#a2608a;--wait:#50545b;--rest:#9a9da2}}
*{box-sizing:border-box}body{margin:0;background:var(--window);color:var(--text);font:14px/1.5 system-ui,"Noto Sans","Noto Sans CJK SC",sans-serif}
main{max-width:1360px;margin:0 auto;padding:20px}h1{font-size:22px;margin:0 0 2px;overflow-wrap:anywhere}h2{font-size:14px;margin:0;padding:6px 12px;background:var(--head)}
.sub{color:var(--text2);margin:0 0 14px}.figures{display:flex;flex-wrap:wrap;gap:10px;margin:14px 0}.figure,.panel{background:var(--base);border:1px solid var(--line)}
.figure{padding:8px 16px}.figure b{display:block;font-size:20px;font-weight:500}.figure span{color:var(--text2);font-size:12px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:10px}.panel svg{display:block;width:100%;height:auto;padding:4px 8px}
.note{padding:10px 14px;margin:14px 0;border-left:4px solid}.state{display:inline-block;padding:0 10px}.ok{color:var(--ok);background:var(--okb);border-color:var(--ok)}.warn{color:var(--warn);background:var(--warnb);border-color:var(--warn)}
.error{color:var(--error);background:var(--errorb);border-color:var(--error)}.info{color:var(--info);background:var(--infob);border-color:var(--info)}
svg text{font-size:12px;fill:var(--text2)}svg .grid{stroke:var(--grid);stroke-width:1}svg .line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}svg .dot{fill:var(--base);stroke-width:1.6}
svg .limit{stroke:var(--error);stroke-width:1.4;stroke-dasharray:5 4}
table{border-collapse:collapse;width:100%;background:var(--base)}.scroll{overflow-x:auto}th,td{padding:4px 12px;text-align:right;border-top:1px solid var(--line);white-space:nowrap;font-variant-numeric:tabular-nums}
th{color:var(--text2);font-weight:500;border-top:0}th:first-child,td:first-child,.l{text-align:left!important}section{margin:14px 0}
pre{margin:0;padding:10px 14px;overflow:auto;background:var(--base);border:1px solid var(--line);font:12px/1.5 ui-monospace,"Noto Sans Mono",monospace}summary{cursor:pointer;padding:6px 0;color:var(--info)}
footer{color:var(--text2);font-size:12px;margin-top:20px}
@media print{body{background:#fff}main{padding:0;max-width:none}.panel,section{break-inside:avoid}}
)css";

std::string colourRules()
{
    std::string rules;
    for (const char* name : {"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "data", "forward", "backward", "communication", "optimizer", "wait", "rest"})
        rules += fmt::format("svg .line.{0},svg .dot.{0}{{stroke:var(--{0})}}svg .fill.{0}{{fill:var(--{0})}}\n", name);
    // Waiting is told by its shape, not by its colour alone.
    return rules + "svg .fill.wait{fill:url(#hatch)}svg #hatch path{stroke:var(--wait);stroke-width:2}\n";
}

std::string localTime(std::int64_t ns)
{
    const std::time_t seconds = static_cast<std::time_t>(ns / 1'000'000'000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[40] = {};
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local);
    return text;
}

std::string seconds(double value)
{
    return std::isfinite(value) ? formatDuration(static_cast<std::int64_t>(value * 1e9)) : "–";
}

/// `english` in the report's language with its values put in.
template <class... Values>
std::string said(const ReportWords& say, const char* english, const Values&... values)
{
    return fmt::format(fmt::runtime(say(english)), values...);
}

std::string figure(const std::string& name, const std::string& value)
{
    return fmt::format("<div class=\"figure\"><span>{}</span><b>{}</b></div>", htmlEscaped(name), htmlEscaped(value));
}

std::string panel(const std::string& title, const std::string& svg)
{
    return fmt::format("<div class=\"panel\"><h2>{}</h2>{}</div>\n", htmlEscaped(title), svg);
}

const char* stateClass(RunStatus status)
{
    switch (status) {
    case RunStatus::Finished: return "ok";
    case RunStatus::Failed:
    case RunStatus::Lost: return "error";
    case RunStatus::Stopped: return "warn";
    default: return "info";
    }
}

std::string rankTable(const RunRecord& record, const PlannedMemory& planned, const ReportWords& say)
{
    std::string rows;
    for (std::size_t rank = 0; rank < rankCount(record); ++rank) {
        const auto steps = stepsOfLastStart(record, rank);
        std::int64_t rss = 0, allocated = 0;
        for (const StepMetrics& step : steps) { rss = std::max(rss, step.peakRssBytes); allocated = std::max(allocated, step.peakAllocatedBytes); }
        const RankProcess process = rank < record.info.ranks.size() ? record.info.ranks[rank] : RankProcess{};
        const std::string end = process.signal ? said(say, "signal {}", *process.signal) : process.exitCode ? said(say, "exit {}", *process.exitCode) : "–";
        rows += fmt::format("<tr><td>{}</td><td class=\"l\">{}</td><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", rank, htmlEscaped(say(process.state)), end, process.pid, steps.empty() ? 0 : steps.back().step,
                            seconds(medianStepSeconds(steps)), formatBytes(rss), formatBytes(allocated), steps.empty() ? 0 : steps.back().droppedSpans);
    }
    std::string note;
    if (std::isfinite(planned.process)) note = fmt::format("<p class=\"sub\">{}</p>", said(say, "Planned for the fullest rank: process {}, tensors {}.", formatBytes(static_cast<std::int64_t>(planned.process)), formatBytes(static_cast<std::int64_t>(std::isfinite(planned.allocated) ? planned.allocated : 0))));
    std::string heads;
    for (const char* head : {"rank", "state", "ended", "process", "last step", "median step", "peak memory", "peak tensors", "dropped spans"})
        heads += fmt::format("<th{}>{}</th>", std::string_view(head) == "state" || std::string_view(head) == "ended" ? " class=\"l\"" : "", say(head));
    return fmt::format("<section><h2>{}</h2><div class=\"scroll\"><table><tr>{}</tr>\n{}</table></div>{}</section>\n", say("Ranks"), heads, rows, note);
}

std::string failureNote(const RunRecord& record, const ReportWords& say)
{
    const RunInfo& info = record.info;
    if (info.status == RunStatus::Lost)
        return fmt::format("<div class=\"note error\"><b>{}</b> {}</div>\n", say("Lost."), say("The supervisor of this run is gone without a word: it was killed, or the machine went down. What was recorded until then is below."));
    std::string warnings;
    for (const FailedSave& save : failedSaves(record))
        if (!info.failure || info.failure->kind != "checkpoint" || save.step < info.doneSteps)
            warnings += fmt::format("<div class=\"note warn\">{}</div>\n", said(say, "The checkpoint of step {} was not written: {}", save.step, htmlEscaped(save.message)));
    if (!info.failure) return warnings;
    std::string note = fmt::format("<div class=\"note error\"><b>{}</b> {}", say("Failed:"), htmlEscaped(info.failure->message));
    if (!info.failure->lastOp.empty()) note += "<br>" + said(say, "Last op of rank {}: {}", info.failure->rank, htmlEscaped(info.failure->lastOp));
    return note + "</div>\n" + warnings;
}

std::string logTail(const RunRecord& record, const ReportWords& say)
{
    std::vector<const EventRecord*> lines;
    for (const EventRecord& event : record.events)
        if (event.kind == "log") lines.push_back(&event);
    if (lines.empty()) return {};
    std::string text;
    for (std::size_t i = lines.size() > 200 ? lines.size() - 200 : 0; i < lines.size(); ++i)
        text += fmt::format("{:>4}  {:<8} {}\n", lines[i]->rank, fieldText(*lines[i], "level"), fieldText(*lines[i], "text"));
    return fmt::format("<section><details{}><summary>{}</summary><pre>{}</pre></details></section>\n", record.info.failure ? " open" : "", said(say, "Log, last {} of {} lines", std::min<std::size_t>(lines.size(), 200), lines.size()), htmlEscaped(text));
}

}  // namespace

json readPlanJson(const std::filesystem::path& runFolder)
{
    auto text = readFile(RunFolder{runFolder}.planJson(), std::size_t{256} << 20);
    if (!text.hasValue()) return nullptr;
    json plan = json::parse(text.value(), nullptr, false);
    return plan.is_discarded() ? json() : plan;
}

std::string reportHtml(const RunRecord& record, const json& plan, const std::string& language)
{
    const ReportWords say(language);
    const RunInfo& info = record.info;
    static const std::vector<StepMetrics> kNone;
    const auto& steps = record.ranks.empty() ? kNone : record.ranks[0];
    const PlannedMemory planned = plannedMemory(plan);

    std::string html = fmt::format("<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\n", say.code());
    html += fmt::format("<title>{}</title><style>{}{}</style></head><body>"
                        "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 7L7 -1M-1 1L1 -1M5 7L7 5\"/></pattern></defs></svg><main>\n", said(say, "{} – run report", htmlEscaped(info.name)), kStyle, colourRules());
    html += fmt::format("<h1>{}</h1><p class=\"sub\"><span class=\"state {}\">{}</span> · {} · ZeRO stage {} · {}", htmlEscaped(info.name), stateClass(info.status), say(runStatusName(info.status)), info.world == 1 ? say("1 rank") : said(say, "{} ranks", info.world), info.zeroStage, said(say, "started {}", localTime(info.startedNs)));
    if (info.endedNs > info.startedNs) html += " · " + said(say, "took {}", formatDuration(info.endedNs - info.startedNs));
    if (info.resumedFrom > 0) html += " · " + said(say, "continued from step {}", info.resumedFrom);
    html += "</p>\n" + failureNote(record, say);

    html += "<div class=\"figures\">";
    html += figure(say("steps"), said(say, "{} of {}", steps.empty() ? info.doneSteps : steps.back().step, info.plannedSteps));
    if (!steps.empty()) {
        html += figure(say("loss, first and last"), fmt::format("{:.4f} → {:.4f}", steps.front().loss, steps.back().loss));
        // Speed is of the last start alone: an earlier one may have run on other ranks.
        const std::vector<StepMetrics> last = stepsOfLastStart(record, 0);
        html += figure(say("step time, median"), seconds(medianStepSeconds(last)));
        const double tokens = medianTokensPerSecond(last);
        html += figure(say("tokens/s, median"), std::isfinite(tokens) ? formatCount(std::llround(tokens)) : "–");
        if (const double samples = samplesPerSecond(tokens, scaleOf(info)); std::isfinite(samples)) html += figure(say("samples/s, median"), fmt::format("{:.4g}", samples));
        if (const double flops = flopsPerRank(tokens, scaleOf(info)); std::isfinite(flops)) html += figure(say("model FLOP/s per rank"), formatFlops(flops));
    }
    if (const auto eval = validationLosses(record); !eval.empty()) html += figure(say("validation loss, last"), fmt::format("{:.4f}", eval.back().second));
    html += figure(say("parameters"), formatCount(info.params));
    html += "</div>\n<div class=\"grid\">\n";
    for (const RunCurve& curve : runCurves(record, plan, language)) html += panel(curve.title, curve.svg);
    html += "</div>\n" + rankTable(record, planned, say) + logTail(record, say);

    const auto dump = [](const json& document) { return htmlEscaped(document.dump(2, ' ', false, json::error_handler_t::replace)); };
    if (info.workspace.is_object()) {
        if (info.workspace.contains("dsConfig")) html += fmt::format("<section><details open><summary>ds_config</summary><pre>{}</pre></details></section>\n", dump(info.workspace["dsConfig"]));
        html += fmt::format("<section><details><summary>{}</summary><pre>{}</pre></details></section>\n", say("Workspace"), dump(info.workspace));
    }
    std::string versions;
    for (const auto& [name, version] : info.versions) versions += fmt::format("{}{} {}", versions.empty() ? "" : " · ", htmlEscaped(name), htmlEscaped(version));
    if (record.badRecords > 0) html += fmt::format("<p class=\"sub\">{}</p>\n", said(say, "{} damaged records were left out.", record.badRecords));
    html += fmt::format("<footer>{}<br>{}</footer>\n</main></body></html>\n", versions, htmlEscaped(record.folder.string()));
    return html;
}

}  // namespace stagecraft
