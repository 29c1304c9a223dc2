// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/step_curve.h"
#include "widgets/cursor_chart.h"

namespace stagecraft {

/// A schedule over the steps of a run, from 0.
class StepCurveView : public CursorChart {
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
    [[nodiscard]] int pointCount() const override { return static_cast<int>(m_curve.steps.size()); }
    [[nodiscard]] int pointAt(double x) const override;

private:
    [[nodiscard]] QRectF box() const;
    [[nodiscard]] QString shown(double value) const;

    StepCurve m_curve;
    std::int64_t m_runSteps;
};

}  // namespace stagecraft
