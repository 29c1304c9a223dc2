// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan is about, in the title row; clicking it leads to where it is chosen.
#include "app/plan_page.h"

#include "app/config_refusal.h"
#include "app/formats.h"
#include "app/plan_service.h"
#include "app/subject_words.h"
#include "planner/behaviour.h"

namespace stagecraft::app {

QString PlanPage::subject() const
{
    if (!m_plan || !m_plan->workspace)
        return {};
    const Workspace& w = *m_plan->workspace;
    QStringList parts;
    QString model = modelWords(w, m_plan->plan ? &*m_plan->plan : nullptr);
    const TrainingCase* job = m_plan->job && !readsDsConfig(*m_plan) ? &*m_plan->job : nullptr;
    const bool described = modelIsInArguments(w);
    if (described) {
        model = job ? tr("Megatron model, %1 layers × %2").arg(count(job->model.layers), count(job->model.hidden)) : tr("Megatron model");
        if (m_plan->plan && m_plan->plan->params)
            model += QStringLiteral(" ") + shortCount(static_cast<double>(*m_plan->plan->params));
    }
    parts << model;
    parts << devicesWords(job ? job->ranks() : w.layout.ranks(), job ? job->device : w.hardware.device);
    const auto precisionName = [](Precision precision) { return precision == Precision::Bf16 ? QStringLiteral("bf16") : precision == Precision::Fp16 ? QStringLiteral("fp16") : QStringLiteral("fp32"); };
    if (m_plan->engine) {
        parts << precisionName(m_plan->engine->precision) + QStringLiteral(", ") + (m_plan->engine->optimizer.kind == OptimizerKind::AdamW ? QStringLiteral("AdamW") : QStringLiteral("Adam"));
        if (w.layout.recompute == "full")
            parts << tr("full recompute");
        parts << tr("global batch %1").arg(count(m_plan->engine->trainBatch));
    } else if (job) {
        parts << precisionName(job->precision);
        if (job->policy == ActivationPolicy::Full)
            parts << tr("full recompute");
        parts << tr("global batch %1").arg(count(job->microBatch * job->microBatches * job->dp));
    }
    return parts.join(QStringLiteral("  ·  "));
}

QString PlanPage::subjectTip() const
{
    return tr("Choose model and hardware");
}

void PlanPage::activateSubject()
{
    emit subjectRequested();
}

}  // namespace stagecraft::app
