// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout_edits.h"

#include "app/plan_service.h"
#include "app/session/workspace_document.h"

#include <QCoreApplication>
#include <QUndoStack>

namespace stagecraft::app {

namespace {

struct LayoutWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::LayoutWords)
};

}  // namespace

std::string withEdits(std::string text, const std::vector<WorkspaceEdit>& edits)
{
    for (const WorkspaceEdit& edit : edits)
        text = withValue(text, edit.pointer, edit.json);
    return text;
}

void applyAsOneStep(WorkspaceDocument& document, const std::vector<WorkspaceEdit>& edits, const QString& name, int mergeId, bool settled)
{
    if (document.configPath().empty()) {
        // One edit of the text, whatever must follow the value included: the text in between would be no valid workspace.
        const std::string after = withEdits(document.text(), edits);
        if (after != document.text())
            (void)document.applyEdit(WorkspaceDocument::Part::Workspace, editBetween(document.text(), after), name, mergeId);
    } else if (edits.size() == 1 && !edits.front().json.empty()) {
        (void)document.setValue(edits.front().pointer, edits.front().json, name, mergeId);
    } else if (settled) {
        document.undoStack().beginMacro(name);
        for (const WorkspaceEdit& edit : edits) {
            if (edit.json.empty())
                (void)document.removeValue(edit.pointer, name);
            else
                (void)document.setValue(edit.pointer, edit.json, name);
        }
        document.undoStack().endMacro();
    }
}

QString layoutName(const ScoredLayout& l)
{
    QStringList parts{QStringLiteral("dp %1").arg(l.dp)};
    const auto add = [&parts](const char* name, std::int64_t value) {
        if (value > 1)
            parts << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(value);
    };
    add("tp", l.tp);
    add("pp", l.pp);
    add("cp", l.cp);
    add("ep", l.ep);
    parts << LayoutWords::tr("stage %1").arg(l.stage);
    if (l.offloadOptimizer != OffloadDevice::None)
        parts << offloadName(l.offloadOptimizer, l.offloadParam);
    if (l.policy != ActivationPolicy::None)
        parts << recomputeName(l.policy);
    parts << LayoutWords::tr("micro-batch %1 × %2").arg(l.microBatch).arg(l.accumulation);
    return parts.join(QStringLiteral(" · "));
}

QString offloadName(OffloadDevice optimizer, OffloadDevice param)
{
    if (optimizer == OffloadDevice::None)
        return LayoutWords::tr("none");
    const QString place = optimizer == OffloadDevice::Nvme ? QStringLiteral("NVMe") : QStringLiteral("CPU");
    return param == OffloadDevice::None ? LayoutWords::tr("optimizer to %1").arg(place) : LayoutWords::tr("all to %1").arg(place);
}

QString recomputeName(ActivationPolicy policy)
{
    switch (policy) {
    case ActivationPolicy::None: return LayoutWords::tr("none");
    case ActivationPolicy::Full: return LayoutWords::tr("full recompute");
    default: return LayoutWords::tr("selective recompute");
    }
}

QString behaviourName(const QString& framework)
{
    return framework == QLatin1String("deepspeed")  ? QStringLiteral("DeepSpeed 0.19")
           : framework == QLatin1String("fsdp2")    ? QStringLiteral("PyTorch FSDP2")
           : framework == QLatin1String("megatron") ? QStringLiteral("Megatron-Core")
                                                    : LayoutWords::tr("our engine");
}

}  // namespace stagecraft::app
