// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/launcher.h"

#include <QString>

#include <functional>

class QWidget;

namespace stagecraft::app {

/// Asked where Launch meets a plan of another framework's behaviour, which this window does not start: says who does, and offers what
/// can be done. One question at a time.
struct LaunchQuestion {
    QString framework;                ///< as a workspace names it
    QString configRefusal;            ///< why the framework refuses the ds_config as it stands; empty when it takes it
    QString refusal;                  ///< why our engine would not train the job as it stands; empty when it would
    std::function<void()> train;      ///< make it our engine's plan and launch
    std::function<void()> writeScript;///< show the launch script to export
    CheckLauncher launcher = CheckLauncher::DeepSpeed;   ///< who starts the ds_config, as the user has said
    void ask(QWidget* window) const;
};

}  // namespace stagecraft::app
