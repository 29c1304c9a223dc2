// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model_states.h"
#include "app/plan_page.h"
#include "window_fixture.h"

/// A window of its own for each test of the Plan page, and workspaces to open in it.
namespace stagecraft::app {

inline QByteArray workspaceOf(const char* model, int nodes, int perNode, const char* framework, const char* arguments = "{}")
{
    return QStringLiteral(R"({
  "stagecraft": 1,
  "model": {"preset": "%1", "seq": 4096},
  "hardware": {"nodes": %2, "devicesPerNode": %3, "device": "H100-SXM-80GB"},
  "layout": {"dp": %4},
  "dsConfig": {
    "train_micro_batch_size_per_gpu": 1,
    "gradient_accumulation_steps": 4,
    "bf16": {"enabled": true},
    "zero_optimization": {"stage": 2, "reduce_bucket_size": 200000000}
  },
  "framework": {"name": "%5", "arguments": %6}
})")
        .arg(QLatin1String(model))
        .arg(nodes)
        .arg(perNode)
        .arg(nodes * perNode)
        .arg(QLatin1String(framework), QLatin1String(arguments))
        .toUtf8();
}

inline std::int64_t peakOf(const PlanSet& plan)
{
    const LedgerRole* role = plan.plan ? fullestRole(*plan.plan) : nullptr;
    return role ? role->peak.process : -1;
}

class PlanPageTest : public WindowTest {
    Q_OBJECT
private slots:
    void init() override
    {
        freshFolder();
        openWindow();
    }

protected:
    [[nodiscard]] PlanPage& page() const { return *m_window->findChild<PlanPage*>(); }
};

}  // namespace stagecraft::app
