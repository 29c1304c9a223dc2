// SPDX-License-Identifier: GPL-3.0-or-later
#include "visualizers/memory_bars_layout.h"

#include "visualizers/chart_axis.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double kTop = 20;          // the limit's label stands here
constexpr double kAxisHeight = 20;
constexpr double kLeastLabelled = 30;
constexpr double kGap = 1;
constexpr double kPreviewHeight = 7;
constexpr std::int64_t kFarBeyond = 3, kNear = 2;   // times the limit

}  // namespace

std::int64_t MemoryBarRow::total() const
{
    std::int64_t sum = 0;
    for (const MemorySegment& segment : segments)
        sum += segment.bytes;
    return sum;
}

std::int64_t memoryBarsReach(const MemoryBarsData& data)
{
    std::int64_t largest = 1, near = 0;
    const auto look = [&](std::int64_t total) {
        largest = std::max(largest, total);
        if (total / kNear <= data.limitBytes)
            near = std::max(near, total);
    };
    for (const MemoryBarRow& row : data.rows)
        look(row.total());
    if (data.preview)
        look(data.preview->total());
    if (data.limitBytes <= 0 || largest < data.limitBytes / 3)
        return largest;
    if (near == 0 || largest / kFarBeyond <= data.limitBytes)
        return std::max(largest, data.limitBytes);
    return std::max(near, data.limitBytes + data.limitBytes / 8);   // what is cut is seen to pass the limit
}

MemoryBarsLayout layoutMemoryBars(const MemoryBarsData& data, const QSizeF& size, const MemoryBarsMetrics& metrics)
{
    MemoryBarsLayout layout;
    if (data.rows.empty() || size.isEmpty())
        return layout;

    const std::int64_t reach = memoryBarsReach(data);
    layout.limitBeyond = data.limitBytes > reach;
    const NiceAxis axis = niceAxis(0, static_cast<double>(reach) / data.bytesPerUnit);
    layout.axisEnd = axis.end;

    const double left = metrics.inset + metrics.labelWidth;
    const double right = std::max(left + 1, size.width() - metrics.inset - metrics.totalWidth - metrics.noteWidth);
    const double bottom = std::max(kTop + 1, size.height() - kAxisHeight);
    layout.plot = QRectF(left, kTop, right - left, bottom - kTop);
    const double pitch = std::min(layout.plot.height() / static_cast<double>(data.rows.size()), metrics.barHeight + 20);
    const double barHeight = std::clamp(pitch - 8, 4.0, metrics.barHeight);
    layout.plot.setHeight(pitch * static_cast<double>(data.rows.size()));
    const double scale = layout.plot.width() / (axis.end * data.bytesPerUnit);
    const auto placeOf = [&](std::int64_t bytes) { return std::min(left + static_cast<double>(bytes) * scale, layout.plot.right()); };

    for (const double value : axis.ticks)
        layout.ticks.push_back({left + value * data.bytesPerUnit * scale, value});
    if (data.limitBytes > 0 && !layout.limitBeyond)
        layout.limitX = left + static_cast<double>(data.limitBytes) * scale;

    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        const double top = kTop + pitch * static_cast<double>(i);
        layout.rows.emplace_back(0, top, size.width(), pitch);
        const double y = top + (pitch - barHeight) / 2;
        std::int64_t before = 0;
        const std::vector<MemorySegment>& segments = data.rows[i].segments;
        for (std::size_t k = 0; k < segments.size(); ++k) {
            const std::int64_t bytes = segments[k].bytes;
            if (bytes <= 0)
                continue;
            // Parts of one kind are one block to the eye, and the next begins under the end of this, so that no seam shows.
            const auto next = std::find_if(segments.begin() + static_cast<std::ptrdiff_t>(k) + 1, segments.end(), [](const MemorySegment& segment) { return segment.bytes > 0; });
            const bool joined = next != segments.end() && next->kind == segments[k].kind;
            const double x0 = placeOf(before);
            before += bytes;
            const double x1 = placeOf(before);
            if (x0 >= layout.plot.right())
                continue;
            // The gap is taken from the segment, so that sums stay where the axis says.
            const double width = joined ? x1 - x0 + 0.5 : std::max(x1 - x0 - kGap, std::min(x1 - x0, 0.5));
            layout.boxes.push_back({static_cast<int>(i), static_cast<int>(k), QRectF(x0, y, width, barHeight), width >= kLeastLabelled && barHeight >= 14});
        }
        layout.bars.emplace_back(left, y, placeOf(before) - left, barHeight);
        layout.cut.push_back(left + static_cast<double>(before) * scale > layout.plot.right() + 0.5);
        if (!data.preview || !data.rows[i].chosen || !layout.preview.empty())
            continue;
        std::int64_t sum = 0;
        for (const MemorySegment& segment : data.preview->segments) {
            if (segment.bytes <= 0)
                continue;
            const double x0 = placeOf(sum);
            sum += segment.bytes;
            const double height = std::min(kPreviewHeight, std::max(3.0, (pitch - barHeight) / 2 - 1));
            layout.preview.emplace_back(x0, y + barHeight + 1, std::max(placeOf(sum) - x0 - kGap, 0.5), height);
        }
    }
    return layout;
}

QRectF MemoryBarsLayout::besideLimit(const QRectF& box, double width) const
{
    constexpr double kLine = 2;
    const QRectF text(box.center().x() - width / 2, box.top(), width, box.height());
    if (limitX + kLine < text.left() || limitX - kLine > text.right())
        return width <= box.width() ? box : QRectF();
    const QRectF before(box.left(), box.top(), limitX - kLine - box.left(), box.height()), behind(limitX + kLine, box.top(), box.right() - limitX - kLine, box.height());
    const QRectF& wider = before.width() >= behind.width() ? before : behind;
    return width <= wider.width() ? wider : QRectF();
}

double leastMemoryBarsHeight(std::size_t rows, const MemoryBarsMetrics& metrics)
{
    return kTop + kAxisHeight + static_cast<double>(rows) * metrics.textHeight;
}

std::vector<std::optional<double>> placeTickTexts(const std::vector<ByteTick>& ticks, const std::vector<double>& widths, double right)
{
    constexpr double kApart = 6;
    std::vector<std::optional<double>> lefts(ticks.size());
    if (ticks.empty())
        return lefts;
    const double last = std::min(ticks.back().x - widths.back() / 2, right - widths.back());
    lefts.back() = last;
    double reached = -kApart;
    for (std::size_t i = 0; i + 1 < ticks.size(); ++i) {
        const double left = ticks[i].x - widths[i] / 2;
        if (left < reached + kApart || left + widths[i] + kApart > last)
            continue;
        lefts[i] = left;
        reached = left + widths[i];
    }
    return lefts;
}

int boxAt(const MemoryBarsLayout& layout, const QPointF& position)
{
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        // A sliver of less than 3 px is still to be hit.
        const QRectF& rect = layout.boxes[i].rect;
        const double widen = std::max(0.0, 3 - rect.width()) / 2;
        if (rect.adjusted(-widen, 0, widen, 0).contains(position))
            return static_cast<int>(i);
    }
    return -1;
}

}  // namespace stagecraft
