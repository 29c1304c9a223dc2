// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_launcher.h"

#include "app/layout_edits.h"
#include "app/session/workspace_document.h"
#include "widgets/step_name.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

#include <algorithm>

namespace stagecraft::app {

namespace {

struct LauncherWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::LauncherWords)
};

constexpr const char *kAt = "/launch/launcher", *kOptimizerAt = "/launch/optimizer";

}  // namespace

CheckLauncher launcherOf(const WorkspaceDocument& document)
{
    const auto read = JsonDocument::parse(document.text());
    const int at = read.hasValue() ? read->find(kAt) : -1;
    const bool said = at >= 0 && read->node(at).kind == JsonKind::String;
    return (said ? checkLauncherFromName(read->stringValue(at)) : std::nullopt).value_or(CheckLauncher::DeepSpeed);
}

Result<void> setLauncher(WorkspaceDocument& document, CheckLauncher launcher)
{
    switch (launcher) {
    case CheckLauncher::Transformers: return document.setValue(kAt, "\"transformers\"", stepName([] { return LauncherWords::tr("The Trainer starts it"); }));
    case CheckLauncher::Accelerate: return document.setValue(kAt, "\"accelerate\"", stepName([] { return LauncherWords::tr("accelerate starts it"); }));
    case CheckLauncher::DeepSpeed: break;
    }
    return document.removeValue(kAt, stepName([] { return LauncherWords::tr("DeepSpeed's launcher starts it"); }));
}

Result<void> setScriptsOptimizer(WorkspaceDocument& document, bool byScript)
{
    const QString name = byScript ? stepName([] { return LauncherWords::tr("The script gives the optimizer"); }) : stepName([] { return LauncherWords::tr("The script gives no optimizer"); });
    return byScript ? document.setValue(kOptimizerAt, "\"AdamW\"", name) : document.removeValue(kOptimizerAt, name);
}

bool setRanks(WorkspaceDocument& document, int ranks)
{
    int perNode = std::min(ranks, 8);
    while (ranks % perNode != 0)
        --perNode;
    return applyAsOneStep(document, {{"/hardware/nodes", std::to_string(ranks / perNode)}, {"/hardware/devicesPerNode", std::to_string(perNode)}, {"/layout/dp", std::to_string(ranks)}},
        stepName([ranks] { return LauncherWords::tr("Plan for %1 ranks").arg(ranks); }));
}

}  // namespace stagecraft::app
