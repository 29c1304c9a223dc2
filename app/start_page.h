// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/machine_report.h"
#include "app/plan_service.h"

#include <QDateTime>
#include <QScrollArea>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {
class ChoiceRow;
class MemoryBarsView;
}

namespace stagecraft::app {

/// A recorded run in the list.
struct RecordedRun {
    QString folder;
    QString name;
    QString text;
    bool live = false;
    friend bool operator==(const RecordedRun&, const RecordedRun&) = default;
};

/// Shown while no workspace is open: the ways in, what can be dropped, the demo as planned, this machine, recorded runs.
class StartPage : public QScrollArea {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);

    void setRecentFiles(const QStringList& files);
    void setRuns(const std::vector<RecordedRun>& runs);
    void setMachine(const MachineReport& report);
    /// When `stagecraft doctor --measure` took this machine's rates, as a plan for its CPU uses them; not valid: never.
    void setMeasured(const QDateTime& when);
    void setDemoPlan(const std::shared_ptr<const PlanSet>& plan);
    void focusDemo();

signals:
    void demoRunRequested();
    void newRequested();
    void openRequested();
    void claimsRequested();
    void fileRequested(const QString& path);
    void runRequested(const QString& folder);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void scheduleRebuild();
    [[nodiscard]] QWidget* waysIn(QWidget* parent);
    [[nodiscard]] QWidget* dropBox(QWidget* parent);
    [[nodiscard]] QWidget* demoPanel(QWidget* parent);
    [[nodiscard]] QWidget* machinePanel(QWidget* parent);
    [[nodiscard]] QWidget* runsPanel(QWidget* parent);
    [[nodiscard]] QWidget* recentPanel(QWidget* parent);

    QStringList m_recent;
    std::vector<RecordedRun> m_runs;
    QDateTime m_measured;
    std::optional<MachineReport> m_machine;
    std::shared_ptr<const PlanSet> m_demo;
    ChoiceRow* m_demoRow = nullptr;
    bool m_pending = false;
};

}  // namespace stagecraft::app
