// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/config_refusal.h"
#include "app/finding_rows.h"
#include "app/plan_service.h"
#include "widgets/figure_strip.h"

#include <memory>
#include <optional>
#include <string>

namespace stagecraft::app {

/// The planning strip: verdict, peak memory, step time, throughput, MFU, findings, and what changed since the last save.
class PlanStrip : public FigureStrip {
    Q_OBJECT
public:
    explicit PlanStrip(QWidget* parent = nullptr);

    /// While the text cannot be planned the figures of the last one that could stay, in grey.
    void show(const std::shared_ptr<const PlanSet>& plan);
    /// Another document is open: nothing of the one before stays.
    void forget();
    /// What the Findings cell counts: everything that is found about the workspace, by whomever.
    void setFindings(const FindingCounts& counts);
    /// The verdict waits for what nobody has said: how much memory a node's host has for what is offloaded. Its cell then leads there.
    [[nodiscard]] bool asksHostMemory() const;
    /// Who refuses the ds_config stands in the place of the verdict.
    void setRefusal(const std::optional<ConfigRefusal>& refusal);
    /// What is planned although nobody chose it, in words; empty when somebody did. Its cell, "assumed", leads to where it is chosen.
    void setAssumed(const QString& subject);
    /// The plan of `text` (self-contained, as the plan service has it) becomes what "since last save" compares with, now or
    /// when it has been made. Empty: there is nothing to compare with.
    void markSaved(const std::string& text);
    /// A change that is only tried: its effect stands where "since last save" does. Null ends it.
    /// @param enterApplies  so that no key is promised that something else has
    void preview(const std::shared_ptr<const PlanSet>& plan, bool enterApplies);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();

    std::shared_ptr<const PlanSet> m_plan;
    std::shared_ptr<const PlanSet> m_last;   ///< the newest that has a plan
    std::shared_ptr<const PlanSet> m_saved;
    std::shared_ptr<const PlanSet> m_preview;
    bool m_enterApplies = false;
    std::string m_savedText;
    FindingCounts m_findings;
    std::optional<ConfigRefusal> m_refusal;
    QString m_assumed;
};

/// The peak of the fullest rank in bytes as the limit counts it; 0 when there is no ledger.
[[nodiscard]] std::int64_t peakBytes(const Plan& plan);
/// Whether what the allocator keeps fills the device to the last MiB, while less is needed (Fit::least).
[[nodiscard]] bool fillsDevice(std::int64_t peak, const Fit& fit);
/// Whether one rank is a GPU (else a CPU process): decides "per GPU" or "per rank".
[[nodiscard]] bool onGpus(const Workspace& workspace);

}  // namespace stagecraft::app
