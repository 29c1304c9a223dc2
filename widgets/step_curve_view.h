// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/step_curve.h"
#include "widgets/cursor_chart.h"
#include "widgets/recorded_curve.h"

namespace stagecraft {

/// A schedule over the steps of a run, from 0; a run's own values over it, where there are any, with a line of legend for each.
class StepCurveView : public CursorChart {
    Q_OBJECT
public:
    /// @param runSteps  where the run ends, marked when it lies within the curve; 0 = not known
    StepCurveView(StepCurve curve, std::int64_t runSteps, QWidget* parent);

    /// Another curve for the same key, and what a run has recorded of it: the cursor stays at its step.
    void setCurve(StepCurve curve, RecordedCurve recorded);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }
    /// What is read out at the cursor: "step 250 → 2.67e-5", and what the run has there.
    [[nodiscard]] QString readout() const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] int pointCount() const override { return static_cast<int>(m_curve.steps.size()); }
    [[nodiscard]] int pointAt(double x) const override;

private:
    [[nodiscard]] QRectF box() const;
    [[nodiscard]] int legendHeight() const;
    [[nodiscard]] QString shown(double value) const;
    [[nodiscard]] QString stepWords() const;
    [[nodiscard]] QString plannedWords() const;
    [[nodiscard]] QString recordedWords() const;
    void describe();
    void paintLegend(QPainter& painter) const;

    StepCurve m_curve;
    RecordedCurve m_recorded;
    std::vector<double> m_run;   ///< recorded, one for each step of the curve; NaN = none
    std::int64_t m_runSteps;
};

}  // namespace stagecraft
