// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_levers.h"

#include "app/fit_words.h"
#include "app/formats.h"
#include "app/phrase_words.h"
#include "app/what_if_panel.h"
#include "planner/fit.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace stagecraft::app {

namespace {

struct LeverWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::LeverWords)
};

constexpr std::size_t kMostCards = 4;

bool mayFit(const std::optional<Fit>& fit)
{
    return fit && fit->verdict != Fit::Verdict::No;
}

bool fits(const std::optional<Fit>& fit)
{
    return fit && fit->verdict == Fit::Verdict::Yes;
}

QString outcome(const PlanSet& plan, const Lever& lever)
{
    if (!lever.stepTime)
        return LeverWords::tr("Peak %1.").arg(bytes(lever.memory).text());
    const double now = plan.plan->forecast ? plan.plan->forecast->stepTime : 0;
    const double share = now > 0 ? lever.timeChange / now : 0;
    const QString step = seconds(*lever.stepTime).text();
    if (std::abs(share) < 0.0005)
        return LeverWords::tr("Peak %1, step %2 as now.").arg(bytes(lever.memory).text(), step);
    return LeverWords::tr("Peak %1, step %2 (%3).").arg(bytes(lever.memory).text(), step, QString(share > 0 ? QLatin1Char('+') : QChar(0x2212)) + percent(std::abs(share)));
}

QString consequence(const PlanSet& plan, const Lever& lever)
{
    // What is less likely than not is no hope to hold out.
    const bool improbable = lever.fit && lever.fit->probability < kEvenOdds;
    // As likely as now is no change, and no words.
    const bool asLikely = plan.plan->fit && lever.fit && mayFit(lever.fit) && !fits(lever.fit) && !fits(plan.plan->fit) && fitOdds(*plan.plan->fit) == fitOdds(*lever.fit);
    if (!asLikely && plan.plan->fit && !fits(plan.plan->fit)) {
        if (fits(lever.fit) || !mayFit(lever.fit))
            return fits(lever.fit) ? LeverWords::tr("Then it fits.") : LeverWords::tr("It still does not fit.");
        return (improbable ? LeverWords::tr("Then it probably still does not fit: %1.") : LeverWords::tr("Then it may fit: %1.")).arg(fitOdds(*lever.fit));
    }
    if (!asLikely && plan.plan->fit && !fits(lever.fit)) {
        if (!mayFit(lever.fit))
            return LeverWords::tr("Then it no longer fits.");
        return (improbable ? LeverWords::tr("Then it probably no longer fits: %1.") : LeverWords::tr("Then it no longer surely fits: %1.")).arg(fitOdds(*lever.fit));
    }
    if (!lever.then)
        return {};
    return lever.then->stepTime ? LeverWords::tr("Then stage %1 fits: %2, %3.").arg(lever.then->stage).arg(bytes(lever.then->memory).text(), seconds(*lever.then->stepTime).text())
                                : LeverWords::tr("Then stage %1 fits: %2.").arg(lever.then->stage).arg(bytes(lever.then->memory).text());
}

}  // namespace

QString leverName(const Lever& lever)
{
    if (lever.id == "stage")
        return WhatIfPanel::turnName(Knob::Stage, lever.before, lever.after);
    const QString name = phraseText(leverPhrase(lever));
    return name.left(1).toUpper() + name.mid(1);
}

std::vector<WorkspaceEdit> leverEdits(const Lever& lever)
{
    std::vector<WorkspaceEdit> edits;
    for (const auto& [pointer, value] : lever.changes)
        edits.push_back({pointer, value.is_null() ? std::string() : value.dump()});
    return edits;
}

std::vector<InspectorSection> leverCards(const PlanSet& plan, const std::function<void(const Lever&)>& preview, const std::function<void(const Lever&)>& apply)
{
    std::vector<InspectorSection> cards;
    if (!plan.plan)
        return cards;
    for (std::size_t i = 0; i < std::min(plan.levers.size(), kMostCards); ++i) {
        const Lever& lever = plan.levers[i];
        InspectorSection card;
        const bool saves = lever.memoryChange < 0;
        const QString effect = saves || !lever.stepTime ? bytesDelta(lever.memoryChange) : secondsDelta(lever.timeChange);
        // A plan that surely fits has nothing to try but what makes it faster.
        const bool wanted = i == 0 && (!fits(plan.plan->fit) || (lever.stepTime && lever.timeChange < 0));
        card.heading = wanted ? LeverWords::tr("First to try: %1").arg(effect) : effect;
        card.edge = plan.plan->fit && !fits(lever.fit) ? theme::Token::Warn : wanted ? theme::Token::Ok : theme::Token::Accent;
        QStringList lines{leverName(lever), outcome(plan, lever)};
        if (const QString then = consequence(plan, lever); !then.isEmpty())
            lines << then;
        card.text = lines.join(QLatin1Char('\n'));
        card.buttons = {{LeverWords::tr("Preview"), [preview, lever] { preview(lever); }}, {LeverWords::tr("Apply"), [apply, lever] { apply(lever); }}};
        cards.push_back(std::move(card));
    }
    if (plan.levers.size() > kMostCards) {
        InspectorSection rest;
        rest.text = LeverWords::tr("%1 more with less effect.").arg(plan.levers.size() - kMostCards);
        cards.push_back(std::move(rest));
    }
    return cards;
}

}  // namespace stagecraft::app
