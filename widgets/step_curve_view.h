// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/step_curve.h"

#include <QWidget>

namespace stagecraft {

/// A schedule over the steps of a run, from 0. Mouse, left and right move a cursor that reads it out.
class StepCurveView : public QWidget {
    Q_OBJECT
public:
    /// @param runSteps  where the run ends, marked when it lies within the curve; 0 = not known
    StepCurveView(StepCurve curve, std::int64_t runSteps, QWidget* parent);

    [[nodiscard]] QSize sizeHint() const override { return {280, 122}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 122}; }
    /// What is read out at the cursor: "step 250 → 2.67e-5".
    [[nodiscard]] QString readout() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] QRectF box() const;
    [[nodiscard]] QString shown(double value) const;
    void setCursorAt(int index);

    StepCurve m_curve;
    std::int64_t m_runSteps;
    int m_cursor = -1;
};

}  // namespace stagecraft
