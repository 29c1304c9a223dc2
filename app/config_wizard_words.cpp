// SPDX-License-Identifier: GPL-3.0-or-later
// What the wizard says of its answers: each one's effect beside it, and below them what all are compared with.
#include "app/config_wizard.h"

#include "app/config_alone.h"
#include "app/effect_words.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <algorithm>

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
        return tr("%1 refuses it: %2").arg(effect.refuser, effect.refused);
    const bool compares = m_base && m_base->error.isEmpty();
    const bool ofExperts = m_at < m_questions.size() && m_questions[m_at].pointer.starts_with(kExperts);
    if (ofExperts && compares && &effect != &*m_base && !effect.unchanged && effect.peak == m_base->peak && effect.stepTime == m_base->stepTime)
        return tr("not in the forecast, which goes by the experts that the model itself has: choose one with experts under Model and hardware");
    QStringList parts;
    if (const QString numbers = effectNumbers(effect, compares ? &*m_base : nullptr); !numbers.isEmpty())
        parts << numbers;
    const bool refused = !effect.refused.isEmpty();
    if (refused) {
        if (!allRefusedAlike())
            parts << tr("still refused");
    } else if (const QString fit = effectFit(effect); !fit.isEmpty()) {
        parts << fit;
    }
    if (parts.isEmpty())
        return effect.unknown.isEmpty() ? tr("no forecast for this workspace") : tr("no forecast: %1").arg(effect.unknown);
    if (m_base && effect.subject != m_base->subject)
        parts << effect.subject;
    if (!effect.notByEngine.isEmpty())
        parts << tr("not by our engine");
    return parts.join(QStringLiteral(" · "));
}

QString ConfigWizard::baseWords()
{
    if (m_base->refused.isEmpty() || !m_base->error.isEmpty())
        return effectWords(*m_base);
    // Said in full where it first stands in the way, and at the end: on every page it would be all that is read.
    if (m_toldRefusal != m_base->refused) {
        m_toldRefusal = m_base->refused;
        m_toldAt = m_at;
    }
    return m_toldAt == m_at || m_at >= m_questions.size() ? effectWords(*m_base) : tr("%1 still refuses it, for what question %2 says.").arg(m_base->refuser).arg(m_toldAt + 1);
}

bool ConfigWizard::allRefusedAlike() const
{
    return m_base && !m_base->refused.isEmpty() && !m_effects.empty()
        && std::all_of(m_effects.begin(), m_effects.end(), [this](const auto& effect) { return effect && effect->refused == m_base->refused; });
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
        // Numbers of another trainer than on the page before would pass for a change.
        const bool deepSpeeds = m_shown && m_shown->asDeepSpeed;
        const QString form = m_baseText == m_text ? (deepSpeeds ? tr("As it is, trained by DeepSpeed: %1") : tr("As it is: %1"))
                                                  : (deepSpeeds ? tr("With the other answers, trained by DeepSpeed: %1") : tr("With the other answers: %1"));
        const QString base = m_base ? form.arg(baseWords()) : QString();
        // A field in which nobody has typed yet is no answer.
        const bool answered = allRefusedAlike() && !(m_field && m_effects.front()->unchanged);
        m_baseLabel->setText(answered ? tr("%1 The answers here do not change that.").arg(base) : base);
        m_baseLabel->setToken(allRefusedAlike() ? Token::Error : Token::Text2);
    }
    if (m_groundLabel)
        m_groundLabel->setText(m_shown ? effectGround(*m_shown, assumedOf(m_document)) : QString());
}

}  // namespace stagecraft::app
