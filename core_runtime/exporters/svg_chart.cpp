// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

namespace {

constexpr double kWidth = 640, kHeight = 250, kLeft = 62, kRight = 14, kTop = 30, kBottom = 34;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kHeight - kTop - kBottom;

struct Scale {
    double low = 0, high = 1, from = 0, to = 1;
    [[nodiscard]] double operator()(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

/// A range that is never empty, with a little room above.
void widen(double& low, double& high)
{
    if (!(low <= high)) { low = 0; high = 1; }
    if (high - low < 1e-12 * std::max(std::abs(low), std::abs(high)) || high == low) {
        const double room = high == 0 ? 1 : std::abs(high) * 0.1;
        low -= room;
        high += room;
    }
}

std::string number(double value, double step)
{
    if (std::abs(value) < step * 1e-6) return "0";  // never "-0.0"
    const double size = std::abs(value);
    if (size != 0 && (size >= 1e6 || size < 1e-3)) return fmt::format("{:.3g}", value);
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (decimals == 0)
        for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

std::string frame(const std::string& title, const std::string& yLabel, const std::string& xLabel, const std::string& body)
{
    return fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title><text class="t2" x="{}" y="20">{}</text><text class="t2" x="{}" y="{}" text-anchor="end">{}</text>{}</svg>)",
                       kWidth, kHeight, htmlEscaped(title), htmlEscaped(title), 4, htmlEscaped(yLabel), kWidth - kRight, kHeight - 4, htmlEscaped(xLabel), body);
}

std::string yAxis(const Scale& y)
{
    std::string out;
    const auto ticks = niceTicks(y.low, y.high, 6);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    for (const double tick : ticks)
        out += fmt::format(R"(<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/><text class="t2" x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft, kWidth - kRight, y(tick), y(tick), kLeft - 6, y(tick) + 4, number(tick, step));
    return out;
}

/// The least and the most of each pixel column, in the order they come.
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& points, const Scale& x)
{
    if (points.size() <= 2 * static_cast<std::size_t>(kPlotWidth)) return points;
    std::vector<std::pair<double, double>> out;
    for (std::size_t i = 0; i < points.size();) {
        const double column = std::floor(x(points[i].first));
        std::size_t least = i, most = i, end = i;
        bool broken = false;
        for (; end < points.size() && std::floor(x(points[end].first)) == column; ++end) {
            if (!std::isfinite(points[end].second)) { broken = true; continue; }
            if (!(points[end].second >= points[least].second)) least = end;
            if (!(points[end].second <= points[most].second)) most = end;
        }
        out.push_back(points[std::min(least, most)]);
        if (least != most) out.push_back(points[std::max(least, most)]);
        if (broken) out.emplace_back(points[end - 1].first, std::numeric_limits<double>::quiet_NaN());
        i = end;
    }
    return out;
}

std::string curve(const ChartSeries& series, const Scale& x, const Scale& y, const std::string& along)
{
    std::string path;
    bool pen = false;
    std::string dots;
    for (const auto& [px, py] : thinned(series.points, x)) {
        if (!std::isfinite(py)) { pen = false; continue; }
        path += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", x(px), y(py));
        if (!pen) path += fmt::format("h0.01");  // a single point between two gaps is still seen
        pen = true;
        if (series.markers) dots += fmt::format(R"(<path class="dot {}" d="M{:.1f} {:.1f}m0 -5l5 5l-5 5l-5 -5z"><title>{} {:g}: {:.6g}</title></path>)", series.style, x(px), y(py), along, px, py);
    }
    return fmt::format(R"(<path class="line {}"{} d="{}"/>{})", series.style, series.dashed ? " stroke-dasharray=\"5 4\"" : "", path, dots);
}

std::string legend(const std::vector<std::pair<std::string, std::string>>& entries)
{
    if (entries.size() < 2) return {};
    std::string out;
    double right = kWidth - kRight;
    for (auto it = entries.rbegin(); it != entries.rend(); ++it) {
        const double width = 20 + 7.0 * static_cast<double>(it->first.size());
        right -= width;
        out += fmt::format(R"(<rect class="fill {}" x="{:.1f}" y="11" width="10" height="10"/><text class="t2" x="{:.1f}" y="20">{}</text>)", it->second, right, right + 14, htmlEscaped(it->first));
    }
    return out;
}

}  // namespace

std::string htmlEscaped(const std::string& text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x80) {
            ++i;
            if (c == '&') out += "&amp;";
            else if (c == '<') out += "&lt;";
            else if (c == '>') out += "&gt;";
            else if (c == '"') out += "&quot;";
            else if (c == '\'') out += "&#39;";
            else if (c < 0x20 && c != '\n' && c != '\t') out += "\xef\xbf\xbd";
            else out += static_cast<char>(c);
            continue;
        }
        const std::size_t length = c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0U) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
        bool good = length > 0 && i + length <= text.size();
        for (std::size_t k = 1; good && k < length; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xc0U) == 0x80U;
        if (good) out.append(text, i, length);
        else out += "\xef\xbf\xbd";
        i += good ? length : 1;
    }
    return out;
}

std::vector<double> niceTicks(double low, double high, int most)
{
    const double raw = (high - low) / std::max(most - 1, 1);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = power * 10;
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= raw) { step = power * factor; break; }
    std::vector<double> ticks;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.size() < 100; ++k) ticks.push_back(k * step);
    return ticks;
}

std::string svgOf(const LineChart& chart)
{
    double xLow = std::numeric_limits<double>::infinity(), xHigh = -xLow, yLow = xLow, yHigh = -xLow;
    for (const ChartSeries& series : chart.series)
        for (const auto& [px, py] : series.points) {
            if (!std::isfinite(px) || !std::isfinite(py)) continue;
            xLow = std::min(xLow, px);
            xHigh = std::max(xHigh, px);
            yLow = std::min(yLow, py);
            yHigh = std::max(yHigh, py);
        }
    if (!(xLow <= xHigh))
        return frame(chart.title, chart.yLabel, chart.xLabel, fmt::format(R"(<text class="t2" x="{}" y="{}" text-anchor="middle">{}</text>)", kWidth / 2, kHeight / 2, htmlEscaped(chart.nothing)));
    if (chart.fromZero) yLow = std::min(yLow, 0.0);
    widen(xLow, xHigh);
    widen(yLow, yHigh);
    if (!chart.fromZero) yLow -= (yHigh - yLow) * 0.04;
    yHigh += (yHigh - yLow) * 0.06;
    const Scale x{xLow, xHigh, kLeft, kWidth - kRight};
    const Scale y{yLow, yHigh, kHeight - kBottom, kTop};
    std::string body = yAxis(y);
    const auto ticks = niceTicks(xLow, xHigh, 9);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    for (const double tick : ticks) body += fmt::format(R"(<text class="t2" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x(tick), kHeight - kBottom + 15, number(tick, std::max(step, 1e-9)));
    std::vector<std::pair<std::string, std::string>> names;
    for (const ChartSeries& series : chart.series) {
        if (series.points.empty()) continue;
        body += curve(series, x, y, chart.xLabel);
        names.emplace_back(series.name, series.style);
    }
    return frame(chart.title, chart.yLabel, chart.xLabel, body + legend(names));
}

std::string svgOf(const StackChart& chart)
{
    double high = 0;
    for (const ChartStack& stack : chart.stacks) {
        double sum = 0;
        for (const double part : stack.parts) sum += std::isfinite(part) ? part : 0;
        high = std::max(high, sum);
    }
    for (const auto& [label, value] : chart.limits)
        if (std::isfinite(value)) high = std::max(high, value);
    if (chart.stacks.empty() || high <= 0)
        return frame(chart.title, chart.yLabel, chart.xLabel, fmt::format(R"(<text class="t2" x="{}" y="{}" text-anchor="middle">{}</text>)", kWidth / 2, kHeight / 2, htmlEscaped(chart.nothing)));
    const Scale y{0, high * 1.06, kHeight - kBottom, kTop};
    std::string body = yAxis(y);
    const double slot = kPlotWidth / static_cast<double>(chart.stacks.size());
    const double width = std::min(std::max(slot * 0.86, slot - 4), 60.0);
    const std::size_t labelEvery = std::max<std::size_t>(1, (chart.stacks.size() + 11) / 12);
    for (std::size_t i = 0; i < chart.stacks.size(); ++i) {
        const double left = kLeft + slot * (static_cast<double>(i) + 0.5) - width / 2;
        double bottom = 0;
        for (std::size_t part = 0; part < chart.stacks[i].parts.size() && part < chart.parts.size(); ++part) {
            const double value = chart.stacks[i].parts[part];
            if (!(value > 0) || !std::isfinite(value)) continue;
            body += fmt::format(R"(<rect class="fill {}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{} {}: {} {:.4g}</title></rect>)", chart.parts[part].second, left, y(bottom + value), width,
                                std::max(0.0, y(bottom) - y(bottom + value) - 0.4), htmlEscaped(chart.xLabel), htmlEscaped(chart.stacks[i].label), htmlEscaped(chart.parts[part].first), value);
            bottom += value;
        }
        if (i % labelEvery == 0)
            body += fmt::format(R"(<text class="t2" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", left + width / 2, kHeight - kBottom + 15, htmlEscaped(chart.stacks[i].label));
    }
    for (const auto& [label, value] : chart.limits)
        if (std::isfinite(value) && value > 0)
            body += fmt::format(R"(<line class="limit" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/><text class="t2" x="{}" y="{:.1f}">{}</text>)", kLeft, kWidth - kRight, y(value), y(value), kLeft + 4, y(value) - 4, htmlEscaped(label));
    return frame(chart.title, chart.yLabel, chart.xLabel, body + legend(chart.parts));
}

}  // namespace stagecraft
