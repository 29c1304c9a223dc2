// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_tree_layout.h"

#include <algorithm>

namespace stagecraft {

namespace {
constexpr double kTop = 10;
constexpr double kRowMin = 56, kRowMax = 66;
constexpr double kLeft = 24;
constexpr double kText = 44;
constexpr double kBoxMin = 172, kBoxMax = 200, kBoxHeight = 46;
constexpr double kInset = 12;
constexpr double kPadding = 10, kGap = 8;   // inside a box
}  // namespace

StageTreeGeometry layoutStageTree(const std::vector<TreeStep>& steps, const QSizeF& size, const TextWidth& questionWidth, const TextWidth& titleWidth, const TextWidth& stateWidth)
{
    StageTreeGeometry out;
    if (steps.empty()) return out;
    const double rowHeight = std::clamp((size.height() - 2 * kTop) / static_cast<double>(steps.size()), kRowMin, kRowMax);
    const double usual = std::clamp(size.width() * 0.34, kBoxMin, kBoxMax);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double top = kTop + static_cast<double>(i) * rowHeight;
        const double needed = titleWidth(steps[i].title) + kGap + stateWidth(steps[i].state) + 2 * kPadding;
        const double boxWidth = std::max(usual, std::min(needed, size.width() * 0.5));
        const double boxLeft = size.width() - kInset - boxWidth;
        StageTreeGeometry::Step step;
        step.band = QRectF(0, top, size.width(), rowHeight);
        step.node = QPointF(kLeft, top + 10);
        const double textWidth = std::max(boxLeft - kText - 8, 20.0);
        step.question = QRectF(kText, top, textWidth, 20);
        step.numbers = QRectF(kText, top + 20, textWidth, 16);
        step.answer = QRectF(kText, top + 36, textWidth, 16);
        step.box = QRectF(boxLeft, top + 2, boxWidth, kBoxHeight);
        const QRectF inside = step.box.adjusted(kPadding, 4, -kPadding, -4);
        const double line = inside.height() / 2;
        // The state is the shorter one: the title gives way, down to half the line.
        const double state = std::min(stateWidth(steps[i].state), std::max(inside.width() - titleWidth(steps[i].title) - kGap, inside.width() / 2 - kGap));
        step.state = QRectF(inside.right() - state, inside.top(), state, line);
        step.title = QRectF(inside.left(), inside.top(), std::max(inside.width() - state - kGap, 0.0), line);
        step.detail = QRectF(inside.left(), inside.top() + line, inside.width(), line);
        step.branchFrom = QPointF(std::min(kText + questionWidth(steps[i].question) + 8, boxLeft - 4), top + 10);
        step.branchTo = QPointF(boxLeft, top + 10);
        out.steps.push_back(step);
    }
    out.contentHeight = 2 * kTop + rowHeight * static_cast<double>(steps.size());
    return out;
}

int stepAt(const StageTreeGeometry& geometry, const QPointF& position)
{
    for (std::size_t i = 0; i < geometry.steps.size(); ++i) {
        const auto& step = geometry.steps[i];
        if (step.box.contains(position) || step.question.united(step.answer).contains(position)) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace stagecraft
