// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout_edits.h"

#include "app/plan_service.h"
#include "app/session/workspace_document.h"

#include <QCoreApplication>

#include <optional>
#include <string_view>

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

bool applyAsOneStep(WorkspaceDocument& document, const std::vector<WorkspaceEdit>& edits, const QString& name, int mergeId)
{
    // One edit of each text, whatever must follow the value included: the texts in between would be no valid workspace.
    std::string text = document.text();
    std::optional<std::string> config = document.configPath().empty() ? std::nullopt : std::optional(document.configText());
    bool inFile = config.has_value();
    for (const WorkspaceEdit& edit : edits) {
        constexpr std::string_view kConfig = "/dsConfig";
        if (inFile && edit.pointer.starts_with("/dsConfig/")) {
            if (document.configProblem())
                return false;   // half of the edits would be another workspace than the one that was asked for
            config = withValue(*config, edit.pointer.substr(kConfig.size()), edit.json);
        } else {
            text = withValue(text, edit.pointer, edit.json);
            inFile = inFile && edit.pointer != kConfig;   // from here on it stands in the workspace
        }
    }
    return (text == document.text() && (!config || *config == document.configText())) || document.applyTexts(text, config, name, mergeId).hasValue();
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
    if (l.pp > 1 && (l.embeddingPlace || l.lossPlace))
        parts.back() += l.embeddingPlace && l.lossPlace ? LayoutWords::tr(" (embedding and loss count as layers)") : l.lossPlace ? LayoutWords::tr(" (the loss counts as a layer)") : LayoutWords::tr(" (the embedding counts as a layer)");
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
