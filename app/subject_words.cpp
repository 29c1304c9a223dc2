// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/subject_words.h"

#include "app/formats.h"
#include "planner/plan.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

namespace stagecraft::app {

namespace {

struct SubjectWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::SubjectWords)
};

}  // namespace

QString modelWords(const Workspace& workspace, const Plan* plan)
{
    const ModelSection& model = workspace.model;
    if (model.form == ModelSection::Form::ParameterCount)
        return SubjectWords::tr("%1 parameters").arg(shortCount(model.parameterCount));
    QString name = model.preset.empty() ? QString::fromStdString(workspace.name) : QString::fromStdString(model.preset);
    if (model.form == ModelSection::Form::Fields && model.spec)
        name = model.spec->family == Family::Llama ? QStringLiteral("LLaMA") : QStringLiteral("GPT-2");
    if (model.form == ModelSection::Form::HuggingFace)
        name = QString::fromStdString(model.huggingFaceFolder.filename().string());
    return plan && plan->params ? QStringLiteral("%1 %2").arg(name, shortCount(static_cast<double>(*plan->params))) : name;
}

bool isDense(const Workspace& workspace)
{
    const ModelSection& model = workspace.model;
    if (model.form == ModelSection::Form::Fields)
        return model.spec.has_value();   // families without experts are all that can be written so
    if (!model.huggingFaceConfig.is_object())
        return false;
    // num_experts, num_local_experts, n_routed_experts: each family of sparse models has its own name for them.
    const auto& config = model.huggingFaceConfig.contains("text_config") ? model.huggingFaceConfig["text_config"] : model.huggingFaceConfig;
    for (const auto& [name, value] : config.items())
        if (name.find("expert") != std::string::npos && value.is_number() && value.get<double>() > 1)
            return false;
    return true;
}

QString devicesWords(std::int64_t ranks, const std::string& device)
{
    return QStringLiteral("%1 × %2").arg(ranks).arg(device == "cpu" ? SubjectWords::tr("CPU rank") : QString::fromStdString(device));
}

QString subjectWords(const Workspace& workspace, const Plan& plan)
{
    return QStringLiteral("%1, %2").arg(modelWords(workspace, &plan), devicesWords(workspace.layout.ranks(), workspace.hardware.device));
}

}  // namespace stagecraft::app
