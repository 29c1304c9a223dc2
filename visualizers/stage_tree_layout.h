// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_axis.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <vector>

namespace stagecraft {

/// One question of a decision walked from the top, and the answer beside it that stopping here would mean.
struct TreeStep {
    enum class Mark { Rejected, Chosen, Open, Unknown };
    QString question;   ///< "Shard the optimizer states?"
    QString numbers;    ///< "52.4 + 31.1 = 83.4 GiB of 79.6", in the fixed font
    QString shortNumbers;   ///< "83.4 GiB of 79.6", where those have no room; empty = they are cut
    QString answer;     ///< "No: go on"
    QString title;      ///< of the box: "Stage 1"
    QString state;      ///< "rejected"
    QString detail;     ///< "short by 3.8 GiB"
    Mark mark = Mark::Open;
    enum class Tone { Good, Doubtful, Bad };
    Tone tone = Tone::Good;   ///< of a chosen step and of the answer: whether it is a good choice
    bool passed = false;      ///< the walk goes on below it
    bool isAnswer = false;    ///< the walk ends here, whatever is chosen
};

struct StageTreeGeometry {
    struct Step {
        QRectF band;      ///< the whole row
        QPointF node;     ///< centre of the circle
        QRectF question, numbers, answer;
        QRectF box;
        QRectF title, state, detail;   ///< inside the box; title and state share a line and never overlap
        QPointF branchFrom, branchTo;
    };
    std::vector<Step> steps;
    double radius = 10;
    double contentHeight = 0;
};

/// Questions in a column at the left joined by a line, boxes in a column at the right: of one width, but for those whose title and
/// state need more beside each other; they get up to half the view. What does not fit then is cut by whoever paints it.
/// @param titleWidth, stateWidth  in the fonts they are painted in
[[nodiscard]] StageTreeGeometry layoutStageTree(const std::vector<TreeStep>& steps, const QSizeF& size, const TextWidth& questionWidth, const TextWidth& titleWidth, const TextWidth& stateWidth);

/// The step whose box or question is at `position`, or -1.
[[nodiscard]] int stepAt(const StageTreeGeometry& geometry, const QPointF& position);

}  // namespace stagecraft
