// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/run_files.h"

#include "exporters/run_curves.h"
#include "exporters/svg_chart.h"
#include "record/record_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

namespace stagecraft {

using nlohmann::json;

namespace {

// The light palette of the report, for paper and slides.
struct Colour {
    const char* name;
    const char* value;
};
constexpr std::array<Colour, 15> kColours{{{"s1", "#1f88e0"}, {"s2", "#914801"}, {"s3", "#137868"}, {"s4", "#8a3f90"}, {"s5", "#d2583c"}, {"s6", "#9c8206"},
                                           {"s7", "#3a4cb8"}, {"s8", "#3d4147"}, {"data", "#5a3f9c"}, {"forward", "#2f8fe6"}, {"backward", "#17826a"},
                                           {"communication", "#ad3c0e"}, {"optimizer", "#cf66a8"}, {"wait", "#c3c8ce"}, {"rest", "#bac1ca"}}};

/// What a class of svg_chart.h stands for, as attributes.
std::string attributesOf(std::string_view classes)
{
    const std::size_t space = classes.find(' ');
    const std::string_view kind = classes.substr(0, space);
    std::string_view colour = "#525963";
    if (space != std::string_view::npos)
        for (const Colour& known : kColours)
            if (known.name == classes.substr(space + 1)) colour = known.value;
    if (kind == "grid") return R"(stroke="#e3e6e9" stroke-width="1")";
    if (kind == "line") return fmt::format(R"(fill="none" stroke="{}" stroke-width="1.8" stroke-linejoin="round" stroke-linecap="round")", colour);
    if (kind == "dot") return fmt::format(R"(fill="#ffffff" stroke="{}" stroke-width="1.6")", colour);
    if (kind == "fill") return fmt::format(R"(fill="{}")", colour);
    if (kind == "limit") return R"(stroke="#b92a25" stroke-width="1.4" stroke-dasharray="5 4")";
    return R"(fill="#525963" font-family="sans-serif" font-size="12")";
}

/// An inline chart as a group: its own <svg> taken off, classes replaced.
std::string asGroup(const std::string& svg, double x, double y)
{
    const std::size_t begin = svg.find('>') + 1, end = svg.rfind("</svg>");
    std::string out = fmt::format("<g transform=\"translate({},{})\">", x, y);
    for (std::size_t at = begin; at < end;) {
        const std::size_t found = svg.find("class=\"", at);
        if (found == std::string::npos || found >= end) {
            out.append(svg, at, end - at);
            break;
        }
        const std::size_t close = svg.find('"', found + 7);
        out.append(svg, at, found - at);
        out += attributesOf(std::string_view(svg).substr(found + 7, close - found - 7));
        at = close + 1;
    }
    return out + "</g>\n";
}

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

}  // namespace

std::string metricsCsv(const RunRecord& record)
{
    struct Row {
        const StepMetrics* any = nullptr;
        double slowest = NAN;
        std::array<double, kPhaseCount> phases{};
        std::int64_t rss = 0, allocated = 0, ranks = 0;
    };
    std::map<std::int64_t, Row> rows;
    for (const auto& rank : record.ranks)
        for (const StepMetrics& step : rank) {
            Row& row = rows[step.step];
            if (row.any == nullptr) row.any = &step;
            if (!(row.slowest >= step.stepSeconds)) row.slowest = step.stepSeconds;
            for (std::size_t p = 0; p < row.phases.size(); ++p) row.phases[p] += step.phaseSeconds[p];
            row.rss = std::max(row.rss, step.peakRssBytes);
            row.allocated = std::max(row.allocated, step.peakAllocatedBytes);
            ++row.ranks;
        }
    std::map<std::int64_t, double> evals;
    for (const auto& [step, loss] : validationLosses(record)) evals[step] = loss;

    std::string csv = "step,loss,eval_loss,learning_rate,grad_norm,step_seconds,tokens_per_second";
    for (int p = 0; p < kPhaseCount; ++p) csv += fmt::format(",{}_seconds", phaseName(static_cast<Phase>(p)));
    csv += ",peak_rss_bytes,peak_allocated_bytes\r\n";
    for (const auto& [step, row] : rows) {
        const auto eval = evals.find(step);
        csv += fmt::format("{},{},{},{},{},{},{}", step, cell(row.any->loss), eval == evals.end() ? std::string() : cell(eval->second), cell(row.any->learningRate), cell(row.any->gradNorm), cell(row.slowest),
                           cell(row.any->tokensPerSecond));
        for (const double seconds : row.phases) csv += ',' + cell(seconds / static_cast<double>(row.ranks));
        csv += fmt::format(",{},{}\r\n", row.rss, row.allocated);
    }
    return csv;
}

nlohmann::ordered_json runSummary(const RunRecord& record)
{
    nlohmann::ordered_json summary = runAnswer(record);
    const auto finite = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
    const auto steps = stepsOfLastStart(record, 0);
    const auto evals = validationLosses(record);
    summary.erase("losses");
    summary.erase("gradNorms");
    summary["firstLoss"] = steps.empty() ? json(nullptr) : finite(steps.front().loss);
    summary["lastLoss"] = steps.empty() ? json(nullptr) : finite(steps.back().loss);
    summary["lastEvalLoss"] = evals.empty() ? json(nullptr) : finite(evals.back().second);
    summary["name"] = record.info.name;
    summary["id"] = record.info.id;
    summary["ranks"] = record.info.world;
    summary["zeroStage"] = record.info.zeroStage;
    summary["plannedSteps"] = record.info.plannedSteps;
    summary["resumedFrom"] = record.info.resumedFrom;
    summary["startedNs"] = record.info.startedNs;
    summary["endedNs"] = record.info.endedNs;
    summary["versions"] = record.info.versions;
    return summary;
}

json resolvedDsConfig(const RunRecord& record, const json& plan)
{
    if (plan.is_object() && plan.contains("config") && plan["config"].is_object() && !plan["config"].empty()) return plan["config"];
    const json& workspace = record.info.workspace;
    return workspace.is_object() && workspace.contains("dsConfig") ? workspace["dsConfig"] : json::object();
}

std::string curveSheet(const RunRecord& record, const json& plan)
{
    constexpr double kWidth = 640, kHeight = 250, kTitle = 24, kGap = 16, kHead = 44;
    const auto curves = runCurves(record, plan);
    const auto rows = static_cast<double>((curves.size() + 1) / 2);
    const double width = 2 * kWidth + 3 * kGap, height = kHead + rows * (kTitle + kHeight + kGap);
    std::string sheet = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n", width, height);
    sheet += fmt::format(R"(<text x="{}" y="30" font-family="sans-serif" font-size="18" font-weight="bold" fill="#1d2024">{}</text>)", kGap, htmlEscaped(record.info.name));
    sheet += fmt::format(R"(<text x="{}" y="30" text-anchor="end" font-family="sans-serif" font-size="12" fill="#525963">{} ranks, ZeRO stage {}, {}</text>)", width - kGap, record.info.world, record.info.zeroStage, runStatusName(record.info.status));
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const double x = kGap + static_cast<double>(i % 2) * (kWidth + kGap), y = kHead + static_cast<double>(i / 2) * (kTitle + kHeight + kGap);
        sheet += fmt::format(R"(<text x="{}" y="{}" font-family="sans-serif" font-size="14" font-weight="bold" fill="#1d2024">{}</text>)", x + 4, y + 16, htmlEscaped(curves[i].title)) + '\n';
        sheet += asGroup(curves[i].svg, x, y + kTitle);
    }
    return sheet + "</svg>\n";
}

}  // namespace stagecraft
