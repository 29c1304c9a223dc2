// SPDX-License-Identifier: GPL-3.0-or-later
#include "pareto_layout.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace stagecraft {

namespace {

constexpr double kLeft = 52, kRight = 14, kTop = 22, kBottom = 34;

// 1, 2 and 5 times the powers of ten inside the range; every whole number of the first decade where these are too few.
std::vector<double> logTicks(double begin, double end)
{
    std::vector<double> ticks;
    for (const std::initializer_list<double> steps : {std::initializer_list<double>{1, 2, 5}, std::initializer_list<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
        ticks.clear();
        for (double decade = std::pow(10, std::floor(std::log10(begin))); decade <= end; decade *= 10)
            for (const double step : steps)
                if (step * decade >= begin && step * decade <= end) ticks.push_back(step * decade);
        if (ticks.size() >= 3) break;
    }
    return ticks;
}

// Pixels from one tick to the next that their labels need: digits, the signs between thousands, a gap.
double labelRoom(double tick)
{
    const double digits = tick >= 1 ? std::floor(std::log10(tick)) + 1 : 4;
    return 7 * (digits + std::floor((digits - 1) / 3)) + 12;
}

bool isDrawable(const ParetoPoint& p)
{
    return std::isfinite(p.seconds) && std::isfinite(p.bytes) && p.seconds > 0 && p.bytes >= 0;
}

}  // namespace

ParetoGeometry layoutPareto(const ParetoData& data, const QSizeF& size)
{
    ParetoGeometry g;
    g.plot = QRectF(kLeft, kTop, size.width() - kLeft - kRight, size.height() - kTop - kBottom);
    if (g.plot.width() < 60 || g.plot.height() < 40) return {};
    double fastest = std::numeric_limits<double>::infinity(), slowest = 0, frontEnd = 0, largest = 0;
    for (const auto* list : {&data.points, &data.dots}) {
        for (const ParetoPoint& p : *list) {
            if (!isDrawable(p)) continue;
            fastest = std::min(fastest, p.seconds);
            slowest = std::max(slowest, p.seconds);
            largest = std::max(largest, p.bytes);
        }
    }
    if (!(slowest > 0)) return {};
    for (const std::size_t i : data.front) frontEnd = std::max(frontEnd, data.points[i].seconds);
    double last = std::min(slowest, std::max(3 * fastest, 1.05 * frontEnd));
    if (isDrawable(data.now)) {
        fastest = std::min(fastest, data.now.seconds);
        last = std::max(last, std::min(data.now.seconds, 6 * fastest));
        largest = std::max(largest, data.now.bytes);
    }
    // Twice the limit shows enough of what does not fit.
    g.limitBeyond = data.limitBytes > 3 * largest;
    const double top = g.limitBeyond ? 1.15 * largest : data.limitBytes > 0 ? std::min(std::max(largest, 1.08 * data.limitBytes), 2 * data.limitBytes) : largest;

    g.timeFactor = last < 1e-3 ? 1e6 : last < 1 ? 1e3 : last < 600 ? 1 : last < 36000 ? 1.0 / 60 : 1.0 / 3600;
    g.timeUnit = last < 1e-3 ? QStringLiteral("µs") : last < 1 ? QStringLiteral("ms") : last < 600 ? QStringLiteral("s") : last < 36000 ? QStringLiteral("min") : QStringLiteral("h");
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (unit < 4 && top / g.bytesPerUnit >= 1024) {
        g.bytesPerUnit *= 1024;
        ++unit;
    }
    g.byteUnit = QString::fromLatin1(units[unit]);
    NiceAxis x = niceAxis(fastest * g.timeFactor, last * g.timeFactor);
    // The front's long tail of small and slow layouts would press all fast ones against the axis.
    g.logTime = last > 4 * fastest;
    if (g.logTime) {
        x.begin = fastest * g.timeFactor / 1.06;
        x.end = last * g.timeFactor * 1.06;
        x.ticks = logTicks(x.begin, x.end);
        x.step = x.ticks.size() > 1 ? x.ticks[1] - x.ticks[0] : x.begin;
    }
    const double yEnd = std::max(top / g.bytesPerUnit, 1e-9) * 1.02;
    const std::vector<double> yTicks = niceTicksWithin(0, yEnd, 5, false);
    g.xStep = x.step;
    g.yStep = yTicks.size() > 1 ? yTicks[1] - yTicks[0] : 1;
    const auto xOf = [&](double seconds) {
        const double at = seconds * g.timeFactor;
        const double share = g.logTime ? std::log(at / x.begin) / std::log(x.end / x.begin) : (at - x.begin) / (x.end - x.begin);
        return g.plot.left() + share * g.plot.width();
    };
    const auto yOf = [&](double bytes) { return g.plot.bottom() - bytes / g.bytesPerUnit / yEnd * g.plot.height(); };
    // Labels do not run into each other.
    for (const double tick : x.ticks)
        if (const double at = xOf(tick / g.timeFactor); g.xTicks.empty() || at - g.xTicks.back().at >= labelRoom(tick)) g.xTicks.push_back({at, tick});
    if (g.xTicks.size() == 1 && x.ticks.size() > 1) g.xTicks.push_back({xOf(x.ticks.back() / g.timeFactor), x.ticks.back()});
    for (const double tick : yTicks) g.yTicks.push_back({yOf(tick * g.bytesPerUnit), tick});

    const QRectF reach = g.plot.adjusted(-0.5, -0.5, 0.5, 0.5);
    const auto place = [&](const std::vector<ParetoPoint>& from, std::vector<ParetoGeometry::Spot>& to) {
        std::size_t left = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (!isDrawable(from[i])) continue;
            const QPointF at(xOf(from[i].seconds), yOf(from[i].bytes));
            if (reach.contains(at)) to.push_back({i, at});
            else ++left;
        }
        return left;
    };
    place(data.points, g.points);
    g.hidden = place(data.dots, g.dots);
    // Between two layouts of the front nothing better exists: the slower one's memory is only had at its time.
    for (std::size_t i = 0; i < data.front.size(); ++i) {
        const ParetoPoint& p = data.points[data.front[i]];
        const QPointF at(std::min(xOf(p.seconds), g.plot.right()), yOf(p.bytes));
        if (i > 0) g.front.push_back({at.x(), g.front.back().y()});
        g.front.push_back(at);
    }
    if (data.limitBytes > 0 && !g.limitBeyond && yOf(data.limitBytes) >= g.plot.top()) g.limitY = yOf(data.limitBytes);
    if (isDrawable(data.now)) {
        g.now = {xOf(data.now.seconds), yOf(data.now.bytes)};
        g.hasNow = reach.contains(g.now);
    }
    return g;
}

int pointAt(const ParetoData& data, const ParetoGeometry& geometry, const QPointF& position, double reach)
{
    int best = -1;
    double nearest = reach * reach;
    bool bestOnFront = false;
    for (const ParetoGeometry::Spot& spot : geometry.points) {
        const QPointF d = spot.at - position;
        const double distance = QPointF::dotProduct(d, d);
        if (distance > reach * reach) continue;
        const bool onFront = std::find(data.front.begin(), data.front.end(), spot.index) != data.front.end();
        if (best < 0 || (onFront && !bestOnFront) || (onFront == bestOnFront && distance < nearest)) {
            best = static_cast<int>(spot.index);
            nearest = distance;
            bestOnFront = onFront;
        }
    }
    return best;
}

}  // namespace stagecraft
