// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "widgets/inspector.h"

#include <QCoreApplication>

namespace stagecraft::app {

/// What the explanations of a plan are made of, wherever they stand. Free functions have no tr() of their own.
struct PlanWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::PlanWords)
};

/// "3.4 – 7.0"
[[nodiscard]] QString intervalText(const QString& low, const QString& high);
/// "Source: ...", over the whole width: a column beside its heading is too narrow for a sentence.
[[nodiscard]] QString sourceLine(const QString& source);
/// The peak of one role: its three totals and their interval, or, of a model known by its size, its states alone.
[[nodiscard]] InspectorSection memorySection(const Plan& plan, const LedgerRole& role);
/// A step's time and what it is made of.
[[nodiscard]] InspectorSection timeSection(const StepForecast& forecast);

}  // namespace stagecraft::app
