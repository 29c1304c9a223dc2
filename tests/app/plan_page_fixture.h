// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/main_window.h"
#include "app/model_states.h"
#include "app/plan_page.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "widgets/theme.h"

#include <QTemporaryDir>
#include <QTest>

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

class PlanPageTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void init()
    {
        m_scratch = std::make_unique<QTemporaryDir>();
        WindowOptions options;
        options.program = m_scratch->filePath(QStringLiteral("stagecraft")).toStdString();
        options.runsRoot = m_scratch->filePath(QStringLiteral("runs")).toStdString();
        options.recovery = m_scratch->filePath(QStringLiteral("recovery")).toStdString();
        options.settingsFile = m_scratch->filePath(QStringLiteral("settings.json"));
        m_window = std::make_unique<MainWindow>(options);
        m_window->setLanguage(Language::English);
        m_window->show();
    }
    void cleanup()
    {
        m_window.reset();
        QCoreApplication::processEvents();
    }

protected:
    void openText(const QByteArray& text)
    {
        m_window->document().openText(text.toStdString(), QStringLiteral("test"));
        waitForPlan();
    }
    void waitForPlan() { QTRY_VERIFY(m_window->plans().current() != nullptr && !m_window->plans().isBusy()); }
    [[nodiscard]] const PlanSet& plan() const { return *m_window->plans().current(); }
    [[nodiscard]] PlanPage& page() const { return *m_window->findChild<PlanPage*>(); }

    std::unique_ptr<QTemporaryDir> m_scratch;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace stagecraft::app
