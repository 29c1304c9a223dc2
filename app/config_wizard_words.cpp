// SPDX-License-Identifier: GPL-3.0-or-later
// What the wizard says of its answers: each one's effect beside it, and below them what all are compared with.
#include "app/config_wizard.h"

#include "app/config_alone.h"
#include "app/formats.h"
#include "app/plan_strip.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::app {

using theme::Token;

namespace {

constexpr std::string_view kExperts = "/dsConfig/expert_parallel/";

}  // namespace

QString ConfigWizard::effectWords(const WizardEffect& effect) const
{
    // What stands in the way of every answer is said once, below them.
    if (!effect.error.isEmpty())
        return m_base && &effect != &*m_base && m_base->error == effect.error ? tr("cannot be planned") : tr("cannot be planned: %1").arg(effect.error);
    // What the check refuses does not run, however well it would fit. A refusal that every answer meets is said once, below.
    if (!effect.refused.isEmpty() && !(m_base && &effect != &*m_base && m_base->refused == effect.refused))
        return tr("DeepSpeed refuses it: %1").arg(effect.refused);
    const bool compares = m_base && m_base->error.isEmpty();
    const bool ofExperts = m_at < m_questions.size() && m_questions[m_at].pointer.starts_with(kExperts);
    if (ofExperts && compares && effect.refused.isEmpty() && &effect != &*m_base && !effect.unchanged && effect.peak == m_base->peak && effect.stepTime == m_base->stepTime)
        return tr("not in the forecast, which goes by the experts that the model itself has");
    QStringList parts;
    if (effect.peak > 0) {
        const QString shown = bytes(effect.peak).text();
        const std::int64_t delta = compares && m_base->peak > 0 ? effect.peak - m_base->peak : 0;
        parts << (delta == 0 ? shown : tr("%1 (%2)").arg(shown, bytesDelta(delta)));
    }
    if (effect.stepTime > 0) {
        const QString shown = seconds(effect.stepTime).text();
        const double delta = compares && m_base->stepTime > 0 ? effect.stepTime - m_base->stepTime : 0;
        // A change below a thousandth of the step is no statement about it.
        parts << (std::abs(delta) < effect.stepTime * 1e-3 ? shown : tr("%1 (%2)").arg(shown, secondsDelta(delta)));
    }
    const bool refused = !effect.refused.isEmpty();
    if (refused) {
        if (!allRefusedAlike())
            parts << tr("still refused");
    } else if (effect.fit) {
        parts << (*effect.fit == Fit::Verdict::Yes ? tr("fits") : *effect.fit == Fit::Verdict::No ? tr("does not fit") : tr("unsure whether it fits"));
    }
    if (parts.isEmpty())
        return effect.unknown.isEmpty() ? tr("no forecast for this workspace") : tr("no forecast: %1").arg(effect.unknown);
    if (m_base && effect.subject != m_base->subject)
        parts << effect.subject;
    if (!effect.notByEngine.isEmpty())
        parts << tr("not by our engine");
    return parts.join(QStringLiteral(" · "));
}

bool ConfigWizard::allRefusedAlike() const
{
    return m_base && !m_base->refused.isEmpty() && !m_effects.empty()
        && std::all_of(m_effects.begin(), m_effects.end(), [this](const auto& effect) { return effect && effect->refused == m_base->refused; });
}

QString ConfigWizard::groundWords() const
{
    if (!m_shown || m_shown->base.subject.isEmpty())
        return {};
    const QString name = behaviourName(m_shown->framework);
    const bool others = std::any_of(m_shown->answers.begin(), m_shown->answers.end(), [this](const WizardEffect& effect) { return !effect.subject.isEmpty() && effect.subject != m_shown->base.subject; });
    QString of = others ? tr("Where an answer names no other, the numbers are of %1, trained by %2.").arg(m_shown->base.subject, name) : tr("The numbers are of %1, trained by %2.").arg(m_shown->base.subject, name);
    if (const Assumed assumed = assumedOf(m_document); assumed.any())
        of = (assumed.model && assumed.hardware ? tr("%1 Model and hardware are assumed: nobody has chosen them.") : assumed.model ? tr("%1 The model is assumed: nobody has chosen it.") : tr("%1 The hardware is assumed: nobody has chosen it.")).arg(of);
    return m_shown->asDeepSpeed ? tr("%1 Our engine does not train every answer: %2").arg(of, m_shown->notByEngine) : of;
}

void ConfigWizard::showEffects()
{
    for (std::size_t i = 0; i < m_effectLabels.size() && i < m_effects.size(); ++i) {
        ToneLabel* label = m_effectLabels[i];
        const auto& effect = m_effects[i];
        label->setText(effect ? effectWords(*effect) : tr("computing…"));
        const bool refused = effect && !effect->refused.isEmpty();
        const bool bad = effect && (!effect->error.isEmpty() || (refused && !allRefusedAlike()) || effect->fit == Fit::Verdict::No);
        label->setToken(bad ? Token::Error : Token::Text2);
    }
    if (m_baseLabel) {
        const QString base = !m_base ? QString() : m_baseText == m_text ? tr("As it is: %1").arg(effectWords(*m_base)) : tr("With the other answers: %1").arg(effectWords(*m_base));
        // A field in which nobody has typed yet is no answer.
        const bool answered = allRefusedAlike() && !(m_field && m_effects.front()->unchanged);
        m_baseLabel->setText(answered ? tr("%1 The answers here do not change that.").arg(base) : base);
        m_baseLabel->setToken(allRefusedAlike() ? Token::Error : Token::Text2);
    }
    if (m_groundLabel)
        m_groundLabel->setText(groundWords());
}

}  // namespace stagecraft::app
