// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_rank_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft {

namespace {

constexpr double kMargin = 12, kRow = 17, kBarsBottom = 54, kHeader = 16;

double known(const std::optional<double>& bytes) { return bytes && std::isfinite(*bytes) ? std::max(*bytes, 0.0) : 0; }

}  // namespace

MemoryRankWords placeMemoryRankWords(double width, std::optional<double> limitX, double captionWidth, double limitWidth)
{
    constexpr double kTop = 2, kHeight = 14, kBeside = 4, kGap = 10;
    const double left = kMargin, right = std::max(left, width - kMargin);
    MemoryRankWords words;
    words.caption = QRectF(left, kTop, std::min(captionWidth, right - left), kHeight);
    if (!limitX)
        return words;
    const double wide = std::min(limitWidth, right - left), free = words.caption.right() + kGap;
    const double before = *limitX - kBeside - wide, after = *limitX + kBeside;
    const bool fitsAfter = after + wide <= right;
    double at = before;
    if (before < free && fitsAfter && after >= free)
        at = after;
    if (at < free) {
        words.caption = {};
        at = before >= left ? before : fitsAfter ? after : std::clamp(before, left, right - wide);
    }
    words.limit = QRectF(at, kTop, wide, kHeight);
    return words;
}

MemoryRankGeometry layOutMemoryRank(const MemoryRankInput& input)
{
    MemoryRankGeometry geometry;
    double plannedSum = 0, measuredSum = 0, largest = 0;
    for (const MemoryRow& item : input.items) {
        plannedSum += known(item.planned);
        measuredSum += known(item.measured);
    }
    for (const MemoryRow& sum : input.sums)
        largest = std::max({largest, known(sum.planned), known(sum.measured)});
    largest = std::max({largest, plannedSum, measuredSum});
    const double kMi = 1024.0 * 1024.0;
    geometry.unitBytes = largest >= 1024 * kMi ? 1024 * kMi : kMi;
    geometry.unit = largest >= 1024 * kMi ? QStringLiteral("GiB") : QStringLiteral("MiB");

    geometry.decimals = largest < 10 * geometry.unitBytes ? 2 : 1;

    // The limit belongs on the axis only while the bars stay readable beside it.
    const double limit = known(input.limit);
    const bool showLimit = limit > 0 && limit <= largest * 6;
    const double end = std::max(showLimit ? limit : 0, largest) * 1.05;
    const double scale = end > 0 ? std::max(0.0, input.width - 2 * kMargin) / end : 0;
    if (showLimit)
        geometry.limitX = kMargin + limit * scale;

    const auto bar = [&](double top, double height, auto value, std::vector<MemoryRankGeometry::Segment>& out) {
        double at = 0;
        for (std::size_t i = 0; i < input.items.size(); ++i) {
            const double bytes = known(value(input.items[i]));
            if (bytes <= 0)
                continue;
            out.push_back({QRectF(kMargin + at * scale, top, std::max(bytes * scale - 1, 1.0), height), static_cast<int>(i), -1});
            at += bytes;
        }
        // What sums know beyond the items: tensors whose owners were not measured, then the rest of the process.
        for (std::size_t s = 0; s < input.sums.size(); ++s) {
            const double bytes = known(value(input.sums[s]));
            if ((bytes - at) * scale < 0.5)
                continue;
            out.push_back({QRectF(kMargin + at * scale, top, std::max((bytes - at) * scale - 1, 1.0), height), -1, static_cast<int>(s)});
            at = bytes;
        }
    };
    bar(20, 7, [](const MemoryRow& row) { return row.planned; }, geometry.planned);
    bar(30, 20, [](const MemoryRow& row) { return row.measured; }, geometry.measured);

    geometry.differenceRight = input.width - kMargin;
    geometry.measuredRight = geometry.differenceRight - 54;
    geometry.plannedRight = geometry.measuredRight - 60;
    geometry.header = QRectF(kMargin, kBarsBottom + 4, std::max(0.0, input.width - 2 * kMargin), kHeader);
    const double below = geometry.header.bottom() + 2;
    const auto sums = static_cast<int>(input.sums.size());
    const int room = std::max(0, static_cast<int>((input.height - below - 2) / kRow));
    geometry.shownItems = std::clamp(room - sums, 0, static_cast<int>(input.items.size()));

    std::vector<int> bySize(input.items.size());
    std::iota(bySize.begin(), bySize.end(), 0);
    std::stable_sort(bySize.begin(), bySize.end(), [&](int a, int b) {
        const MemoryRow &left = input.items[static_cast<std::size_t>(a)], &right = input.items[static_cast<std::size_t>(b)];
        return std::max(known(left.planned), known(left.measured)) > std::max(known(right.planned), known(right.measured));
    });
    bySize.resize(static_cast<std::size_t>(geometry.shownItems));
    std::sort(bySize.begin(), bySize.end());
    geometry.order = bySize;
    for (int row = 0; row < std::min(room, geometry.shownItems + sums); ++row)
        geometry.rows.push_back(QRectF(kMargin, below + row * kRow, geometry.header.width(), kRow));
    return geometry;
}

}  // namespace stagecraft
