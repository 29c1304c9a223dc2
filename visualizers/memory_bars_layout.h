// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "visualizers/chart_colors.h"

#include <QRectF>
#include <QSizeF>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

/// One owner of bytes in a bar.
struct MemorySegment {
    QString id;            ///< ledger id
    QString name;          ///< for eyes
    MemoryKind kind = MemoryKind::Rounding;
    std::int64_t bytes = 0;
    QString tip;           ///< formula, numbers, source; may be empty
};

/// One bar: what one rank holds.
struct MemoryBarRow {
    QString label;
    QString note;          ///< small, before the total; may be empty
    std::vector<MemorySegment> segments;
    int id = -1;           ///< for whoever made it
    bool chosen = false;   ///< bold, on the selection's ground
    [[nodiscard]] std::int64_t total() const;
};

struct MemoryBarsData {
    std::vector<MemoryBarRow> rows;
    std::optional<MemoryBarRow> preview;   ///< of a change not made yet: hollow, under the chosen row
    std::int64_t limitBytes = 0;   ///< 0 = none
    QString limitLabel;            ///< "usable 79.6 GiB"
    double bytesPerUnit = 1;       ///< of axis and totals, e.g. 2^30
    QString unit;                  ///< "GiB"
};

struct MemoryBarsMetrics {
    double labelWidth = 92;
    double totalWidth = 76;        ///< column of the totals at the right
    double noteWidth = 0;          ///< column of the notes, 0 = none
    double barHeight = 24;
    double inset = 12;
    double textHeight = 16;        ///< of a label; rows are no lower than this as long as the size is the least or more
};

struct SegmentBox {
    int row = 0;
    int segment = 0;
    QRectF rect;
    bool labelled = false;         ///< wide enough for its value
};

struct ByteTick {
    double x = 0;
    double value = 0;              ///< in units
};

/// Where everything stands, in logical pixels.
struct MemoryBarsLayout {
    std::vector<QRectF> rows;      ///< full width, one a bar
    std::vector<QRectF> bars;      ///< the bar's own rectangle
    std::vector<bool> cut;         ///< of each bar, that it goes on beyond the axis
    std::vector<QRectF> preview;   ///< hollow boxes of the preview's segments, none for those of no bytes
    std::vector<SegmentBox> boxes; ///< in reading order; segments of no bytes have none, nor those beyond the axis
    std::vector<ByteTick> ticks;
    QRectF plot;                   ///< what the axis spans
    double limitX = -1;            ///< -1 when there is no limit or it lies beyond the axis
    bool limitBeyond = false;
    double axisEnd = 1;            ///< in units

    /// Where in a box a text of `width` stands centred clear of the limit's line: the box, else its wider side; empty where neither has room.
    [[nodiscard]] QRectF besideLimit(const QRectF& box, double width) const;
};

/// Bytes that the axis has to show: of the largest bar and the limit. Where bars are many times the limit and others are near it, of
/// these alone, which would be slivers otherwise. The preview counts.
[[nodiscard]] std::int64_t memoryBarsReach(const MemoryBarsData& data);

/// Rows share one zero-based axis. It reaches to the limit as long as the largest bar takes at least a third of it; else the
/// bars would be slivers, and the limit is said in words. Bars beyond memoryBarsReach() are cut at its end.
///
/// @param size  of the widget, logical pixels; an empty size gives an empty layout
[[nodiscard]] MemoryBarsLayout layoutMemoryBars(const MemoryBarsData& data, const QSizeF& size, const MemoryBarsMetrics& metrics);

/// The height from which on no label touches the next, logical pixels.
[[nodiscard]] double leastMemoryBarsHeight(std::size_t rows, const MemoryBarsMetrics& metrics);

/// Which of the values written along the axis have room beside each other: the last, which names the unit, then from the first on.
///
/// @param widths  of the texts, one a tick
/// @return for each tick the left edge of its text, none where it would touch another
[[nodiscard]] std::vector<std::optional<double>> placeTickTexts(const std::vector<ByteTick>& ticks, const std::vector<double>& widths, double right);

/// The box at a place, or -1.
[[nodiscard]] int boxAt(const MemoryBarsLayout& layout, const QPointF& position);

}  // namespace stagecraft
