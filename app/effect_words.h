// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace stagecraft::app {

struct Assumed;
struct WizardEffect;
struct WizardEffects;

/// Peak memory and step time of `effect`, each with what it differs by from `base`; empty where neither is known.
/// @param base  null: it is compared with nothing
[[nodiscard]] QString effectNumbers(const WizardEffect& effect, const WizardEffect* base);
/// Whether it fits; empty where that is not known.
[[nodiscard]] QString effectFit(const WizardEffect& effect);
/// The model, the devices and the framework that the numbers are of; empty where there are none.
[[nodiscard]] QString effectGround(const WizardEffects& effects, const Assumed& assumed);

}  // namespace stagecraft::app
