// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_axis.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <vector>

namespace stagecraft {

/// A choice that costs time and memory.
struct ParetoPoint {
    double seconds = 0;
    double bytes = 0;
    bool fits = true;
    QString name;          ///< "dp 8 · tp 2 · stage 1"; empty for points that only fill the picture
};

struct ParetoData {
    std::vector<ParetoPoint> dots;     ///< the crowd: drawn small, cannot be chosen
    std::vector<ParetoPoint> points;   ///< can be chosen
    std::vector<std::size_t> front;    ///< indices into points, fastest first
    double limitBytes = 0;             ///< 0 = none
    QString limitLabel;
    ParetoPoint now;                   ///< the choice made already; seconds 0 = none
};

struct ParetoGeometry {
    struct Spot {
        std::size_t index = 0;         ///< into dots or points
        QPointF at;
    };
    struct Tick {
        double at = 0;                 ///< x or y, pixels
        double value = 0;              ///< in the axis' unit
    };
    QRectF plot;
    std::vector<Tick> xTicks, yTicks;  ///< seconds x timeFactor; bytes / bytesPerUnit
    double xStep = 1, yStep = 1;
    bool logTime = false;              ///< the time axis is logarithmic: it reaches over more than a factor of four
    double timeFactor = 1;             ///< 1e3 when the axis counts ms, 1e6 for us
    double bytesPerUnit = 1;
    QString timeUnit, byteUnit;
    std::vector<Spot> dots, points;    ///< those inside the plot
    std::vector<QPointF> front;        ///< corners of the staircase that bounds what is possible
    double limitY = -1;                ///< -1: no limit, or beyond the axis
    bool limitBeyond = false;          ///< the limit lies far above everything: on the axis it would press all layouts to the ground
    QPointF now;
    bool hasNow = false;
    std::size_t hidden = 0;            ///< dots slower or larger than the axes reach
};

/// Time to the right (logarithmic where it reaches far), memory upwards from 0. The time axis reaches over the front and the points, and three times the
/// fastest at most beyond them: one absurdly slow layout must not squeeze the rest; what lies beyond is counted.
///
/// @param size  of the widget, logical pixels; too small a size gives an empty geometry
[[nodiscard]] ParetoGeometry layoutPareto(const ParetoData& data, const QSizeF& size);

/// Index into `points` of the nearest point within `reach` pixels, one on the front before others; -1 for none.
[[nodiscard]] int pointAt(const ParetoData& data, const ParetoGeometry& geometry, const QPointF& position, double reach = 9);

}  // namespace stagecraft
