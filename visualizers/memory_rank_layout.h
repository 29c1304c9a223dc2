// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_axis.h"
#include "chart_colors.h"

#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

/// One owner of bytes on a rank, planned and as far as it was measured.
struct MemoryRow {
    QString name;
    MemoryKind kind = MemoryKind::Context;
    std::optional<double> planned;     ///< bytes
    std::optional<double> measured;    ///< bytes; nothing when only the sum is known
    QString why;                       ///< for the tip
};

struct MemoryRankInput {
    std::vector<MemoryRow> items;      ///< parts of the sum, in stacking order
    std::vector<MemoryRow> sums;       ///< shown in bold below: tensors, process, ...; the first is the sum of `items`
    std::optional<double> limit;       ///< bytes one rank may use
    double width = 0, height = 0;
};

struct MemoryRankGeometry {
    double unitBytes = 1;              ///< values are shown divided by this: GiB or MiB
    QString unit;
    int decimals = 1;                  ///< of a value in the table
    struct Segment {
        QRectF rect;
        int item = -1;                 ///< index into items, -1 = a sum that is not split
        int sum = -1;
    };
    std::vector<Segment> planned;      ///< thin, hollow
    std::vector<Segment> measured;     ///< thick, solid
    std::optional<double> limitX;
    QRectF header;                     ///< row of the column names
    std::vector<QRectF> rows;          ///< one per shown item, then one per sum
    int shownItems = 0;                ///< the largest ones keep their order; the rest is hidden, "n more"
    std::vector<int> order;            ///< indices of the shown items
    double plannedRight = 0, measuredRight = 0, differenceRight = 0;   ///< right edges of the columns
};

/// Where the words above the bars stand. They never meet: the limit's are beside its line, on the side that has room, and the caption
/// gives way where both have none.
struct MemoryRankWords {
    QRectF caption;    ///< empty: there is no room for it
    QRectF limit;
};

/// @param limitX  of the limit's line, if it is on the axis  @param captionWidth, limitWidth  of the words, px
[[nodiscard]] MemoryRankWords placeMemoryRankWords(double width, std::optional<double> limitX, double captionWidth, double limitWidth);

/// (rows, size) -> geometry: both bars on one zero-based axis that ends past the largest of sums and limit.
/// When not all items fit, the smallest go first.
[[nodiscard]] MemoryRankGeometry layOutMemoryRank(const MemoryRankInput& input);

}  // namespace stagecraft
