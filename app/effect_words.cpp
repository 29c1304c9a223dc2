// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/effect_words.h"

#include "app/config_alone.h"
#include "app/config_wizard.h"
#include "app/formats.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::app {

QString effectNumbers(const WizardEffect& effect, const WizardEffect* base)
{
    QStringList parts;
    if (effect.peak > 0) {
        const QString shown = bytes(effect.peak).text();
        const std::int64_t delta = base && base->peak > 0 ? effect.peak - base->peak : 0;
        parts << (delta == 0 ? shown : ConfigWizard::tr("%1 (%2)").arg(shown, bytesDelta(delta)));
    }
    if (effect.stepTime > 0) {
        const QString shown = seconds(effect.stepTime).text();
        const double delta = base && base->stepTime > 0 ? effect.stepTime - base->stepTime : 0;
        // Steps of more or fewer tokens are compared by the tokens of a second.
        const double tokens = base ? base->stepTime * base->tokensPerSecond : 0;
        const bool otherStep = tokens > 0 && std::abs(effect.stepTime * effect.tokensPerSecond / tokens - 1) > 1e-3;
        // A change below a thousandth of the step is no statement about it.
        parts << (otherStep || std::abs(delta) < effect.stepTime * 1e-3 ? shown : ConfigWizard::tr("%1 (%2)").arg(shown, secondsDelta(delta)));
        if (otherStep) {
            const double change = effect.tokensPerSecond / base->tokensPerSecond - 1;
            parts << ConfigWizard::tr("%1 (%2)").arg(ConfigWizard::tr("%1 tokens/s").arg(shortCount(effect.tokensPerSecond)), QString(change < 0 ? QChar(0x2212) : QLatin1Char('+')) + percent(std::abs(change)));
        }
    }
    return parts.join(QStringLiteral(" · "));
}

QString effectFit(const WizardEffect& effect)
{
    if (!effect.fit)
        return {};
    return *effect.fit == Fit::Verdict::Yes ? ConfigWizard::tr("fits") : *effect.fit == Fit::Verdict::No ? ConfigWizard::tr("does not fit") : ConfigWizard::tr("unsure whether it fits");
}

QString effectGround(const WizardEffects& effects, const Assumed& assumed)
{
    if (effects.base.subject.isEmpty())
        return {};
    // Which release judges the ds_config is said beside it, to the last digit.
    const QString name = effects.framework == QLatin1String("deepspeed") ? QStringLiteral("DeepSpeed") : behaviourName(effects.framework);
    const bool others = std::any_of(effects.answers.begin(), effects.answers.end(), [&effects](const WizardEffect& effect) { return !effect.subject.isEmpty() && effect.subject != effects.base.subject; });
    QString of = others ? ConfigWizard::tr("Where an answer names no other, the numbers are of %1, trained by %2.").arg(effects.base.subject, name) : ConfigWizard::tr("The numbers are of %1, trained by %2.").arg(effects.base.subject, name);
    if (assumed.any())
        of = (assumed.model && assumed.hardware ? ConfigWizard::tr("%1 Model and hardware are assumed: nobody has chosen them.") : assumed.model ? ConfigWizard::tr("%1 The model is assumed: nobody has chosen it.") : ConfigWizard::tr("%1 The hardware is assumed: nobody has chosen it.")).arg(of);
    return effects.asDeepSpeed ? ConfigWizard::tr("%1 Our engine does not train every answer: %2").arg(of, effects.notByEngine) : of;
}

}  // namespace stagecraft::app
