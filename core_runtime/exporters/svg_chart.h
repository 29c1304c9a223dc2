// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

/// One curve of a chart. `style` is a CSS class of the page ("s1" to "s8").
struct ChartSeries {
    std::string name;
    std::string style;
    std::vector<std::pair<double, double>> points;   ///< by x ascending; a value that is not finite breaks the line
    bool markers = false;                            ///< points with diamonds, for few values
    bool dashed = false;
};

struct LineChart {
    std::string title;
    std::string yLabel;                              ///< with its unit
    std::string xLabel = "step";
    std::vector<ChartSeries> series;
    bool fromZero = false;
    std::string nothing = "nothing recorded";        ///< in its place when there are no values
};

/// One stack of a bar chart.
struct ChartStack {
    std::string label;
    std::vector<double> parts;                       ///< one for each of StackChart::parts, >= 0
};

struct StackChart {
    std::string title;
    std::string yLabel;
    std::string xLabel;
    std::vector<std::pair<std::string, std::string>> parts;   ///< name and CSS class, from the bottom up
    std::vector<ChartStack> stacks;
    std::vector<std::pair<std::string, double>> limits = {};  ///< horizontal lines with a label
    std::string nothing = "nothing recorded";                 ///< in its place when there are no values
};

/// An inline SVG. At most two points a pixel column are kept, the least and the most, so that no spike is lost.
[[nodiscard]] std::string svgOf(const LineChart& chart);
[[nodiscard]] std::string svgOf(const StackChart& chart);

/// `text` with the five characters escaped that mean something in HTML; control characters and bytes that are not UTF-8
/// become U+FFFD.
[[nodiscard]] std::string htmlEscaped(const std::string& text);

/// Round positions that cover [low, high], at most `most` of them. @pre low < high
[[nodiscard]] std::vector<double> niceTicks(double low, double high, int most);

}  // namespace stagecraft
