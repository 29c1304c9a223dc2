// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fit_words.h"

#include "app/formats.h"
#include "planner/fit.h"

#include <QCoreApplication>

namespace stagecraft::app {

namespace {

struct FitWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::FitWords)
};

}  // namespace

QString fitOdds(const Fit& fit)
{
    // A probability of something nobody knows would be a number out of the air.
    if (fit.verdict == Fit::Verdict::Unsure && fit.statesOnly)
        return FitWords::tr("model states alone");
    if (fit.verdict == Fit::Verdict::Unsure && fit.hostNeed > 0 && fit.hostUsable == 0)
        return FitWords::tr("needs %1 of host").arg(bytes(fit.hostNeed).text());
    return fitOdds(fit.probability);
}

QString fitOdds(double probability)
{
    if (probability > 0.99)
        return QStringLiteral("p > 0.99");
    return probability < 0.01 ? QStringLiteral("p < 0.01") : QStringLiteral("p = %1").arg(fixed(shownProbability(probability), 2));
}

}  // namespace stagecraft::app
