// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preset_effect.h"

#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/effect_words.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "config/preset_catalog.h"
#include "widgets/config_presets.h"
#include "widgets/tone_label.h"

#include <QCoreApplication>
#include <QListWidget>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace stagecraft::app {

using theme::Token;

namespace {

bool contains(const std::vector<std::string>& list, const char* what)
{
    return std::find(list.begin(), list.end(), what) != list.end();
}

}  // namespace

PresetEffect::PresetEffect(WorkspaceDocument& document, ConfigPresets& presets, QObject* parent) : QObject(parent), m_document(document), m_presets(presets)
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(40);
    connect(&m_rest, &QTimer::timeout, this, &PresetEffect::request);
    // Another model or other devices, with the same ds_config.
    connect(&document, &WorkspaceDocument::textChanged, this, [this] {
        if (m_merged)
            m_rest.start();
    });
    connect(&presets, &ConfigPresets::outcomeShown, this, [this](const std::optional<std::string>& merged) {
        m_merged = merged;
        ++m_job;   // what is being planned is of another text
        m_presets.setEffect(m_merged ? tr("Memory and step time: computing…") : QString(), Token::Text2, m_merged ? m_presets.effectGround()->text() : QString());   // which is mostly the same
        if (m_merged)
            m_rest.start();
        else
            m_rest.stop();
    });
}

void PresetEffect::setRelease(const std::string& release)
{
    m_release = release;   // the panel shows its outcome anew
}

void PresetEffect::request()
{
    // What is around the ds_config stays as it is.
    const auto base = selfContained(m_document.text(), m_document.configFileText());
    if (!m_merged || !base.hasValue()) {
        m_presets.setEffect(base.hasValue() ? QString() : tr("Memory and step time are not known: %1").arg(errorText(base.error())), Token::Text2);
        return;
    }
    const QPointer<PresetEffect> self(this);
    QThreadPool::globalInstance()->start([self, job = ++m_job, same = *m_merged == m_document.configText(), base = *base, merged = *m_merged, folder = m_document.folder(), check = WizardCheck{m_release, true}] {
        const WizardEffects effects = effectsOf(base, {selfContained(base, merged)}, folder, check);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, job, same, effects] {
                if (self && job == self->m_job)
                    self->show(effects, same);
            },
            Qt::QueuedConnection);
    });
}

void PresetEffect::show(const WizardEffects& effects, bool same)
{
    const WizardEffect& then = effects.answers.front();
    // What takes the optimizer out is not there to train.
    const auto& presets = configPresets();
    const int row = m_presets.list()->currentRow();
    if (row >= 0 && row < static_cast<int>(presets.size()) && contains(presets[static_cast<std::size_t>(row)].removed, "/optimizer")) {
        m_presets.setEffect(tr("Nothing is trained with it: there is no step whose memory and time could be forecast."), Token::Text2);
        return;
    }
    // What the verdict above says of a refusal is not said again.
    const QString numbers = effectNumbers(then, effects.base.error.isEmpty() ? &effects.base : nullptr);
    if (!then.error.isEmpty() || numbers.isEmpty()) {
        const QString why = !then.error.isEmpty() ? then.error : then.unknown;
        m_presets.setEffect(why.isEmpty() ? tr("Memory and step time are not known: there is no forecast for this workspace.") : tr("Memory and step time are not known: %1").arg(why), Token::Text2);
        return;
    }
    const QString fit = then.refused.isEmpty() ? effectFit(then) : QString();
    const QString ground = effectGround(effects, assumedOf(m_document));
    QString line = fit.isEmpty() ? numbers : numbers + QStringLiteral(" · ") + fit;
    if (!same && effects.base.error.isEmpty() && numbers == effectNumbers(effects.base, nullptr))
        line = tr("%1 · no change").arg(line);
    m_presets.setEffect(same ? tr("Now: %1").arg(line) : tr("With the preset: %1").arg(line), fit.isEmpty() || then.fit != Fit::Verdict::No ? Token::Text : Token::Error, ground);
}

}  // namespace stagecraft::app
