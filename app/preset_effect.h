// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/wizard_effect.h"

#include <QObject>
#include <QTimer>

namespace stagecraft {
class ConfigPresets;
}

namespace stagecraft::app {

class WorkspaceDocument;

/// What the preset that is looked at does to memory and step time, below its verdict and before it is applied: planned off the GUI
/// thread.
class PresetEffect : public QObject {
    Q_OBJECT
public:
    PresetEffect(WorkspaceDocument& document, ConfigPresets& presets, QObject* parent);

    /// The release of DeepSpeed whose check says what is refused.
    void setRelease(const std::string& release);

private:
    void request();
    /// @param same  the preset changes nothing
    void show(const WizardEffects& effects, bool same);

    WorkspaceDocument& m_document;
    ConfigPresets& m_presets;
    std::string m_release;
    std::optional<std::string> m_merged;   ///< the ds_config with the preset in it; empty while none is looked at
    quint64 m_job = 0;
    QTimer m_rest;   ///< while arrows go down the list only the last one is planned
};

}  // namespace stagecraft::app
