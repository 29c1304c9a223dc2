// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/page.h"
#include "app/plan_tree.h"
#include "app/what_if.h"

#include <array>
#include <memory>

class QComboBox;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace stagecraft {
class MemoryBarsView;
class Panel;
class StageTreeView;
class ToneLabel;
}  // namespace stagecraft

namespace stagecraft::app {

class LedgerPanel;
class MemoryLegend;
class PlanSearch;
class PlanService;
class PreviewKeys;
class TrafficView;
class WhatIfPanel;
class WorkspaceDocument;

/// Which stage, does it fit, why: the decision tree, memory bars, the ledger and what-if sliders, all on one plan; and the search
/// for a layout, and what a step moves.
class PlanPage : public Page {
    Q_OBJECT
public:
    PlanPage(WorkspaceDocument& document, PlanService& plans, QWidget* parent);

    [[nodiscard]] QString name() const override;
    [[nodiscard]] QString subject() const override;
    [[nodiscard]] QString subjectTip() const override;
    void activateSubject() override;
    [[nodiscard]] QString command() const override;
    [[nodiscard]] QWidget* titleControls() override { return m_controls; }
    [[nodiscard]] InspectorContent overview() const override;
    /// Explains a figure of the strip in the inspector ("memory", "time", ...).
    void explain(const QString& figure);
    void resetLayout();
    /// Sets the ZeRO stage as one named step.
    void setStage(int stage);
    /// Chooses a box of the tree as one named step; one that cannot be chosen is only explained.
    void chooseBranch(int step);
    /// Forecasts another framework's behaviour for the same job, as one named step.
    void setBehaviour(const QString& framework);
    void showSearch(bool search);
    void showTraffic();
    [[nodiscard]] TrafficView& traffic() const { return *m_traffic; }
    [[nodiscard]] PlanSearch& search() const { return *m_search; }
    void turnKnob(Knob knob, std::int64_t value, bool settled);
    /// The loss of a micro-batch in so many pieces, as one named step; 1 = all at once.
    void setLossChunks(int chunks);
    /// Puts a lever into the workspace as one named step.
    void applyLever(const Lever& lever);
    /// Shows what a lever would do, hollow on the bars and in the strip, until Esc, Enter (which applies it), the next edit or another page.
    void previewLever(const Lever& lever);
    void endPreview();
    /// What the sliders changed since the last save goes back, as one step.
    void resetKnobs();
    void tellReset();
    [[nodiscard]] WhatIfPanel& whatIf() const { return *m_whatIfPanel; }
    void judgeBy(const CheckContext& given) { m_whatIf->setGiven(given); }

signals:
    /// Model and hardware are to be chosen.
    void subjectRequested();
    /// The run that calibrated the step time is not wanted any more.
    void forgetRequested(const QString& calibration);
    /// A plan to hold beside the one shown; null when the preview ends.
    /// @param enterApplies  Enter puts it into the workspace from where the focus is
    void previewed(const std::shared_ptr<const stagecraft::app::PlanSet>& plan, bool enterApplies);

protected:
    void changeEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeControls();
    void markSaved();
    void showTree();
    /// Scrolls to where the walk ends, after each change of that, until somebody scrolls.
    void seekAnswer();
    void bringAnswerIntoSight();
    void planned();
    void showKnobs();
    void retranslate();
    void recolour();
    void showItem(const LedgerRole& role, const LedgerItem& item, const QString& where);
    void tellPreview();

    WorkspaceDocument& m_document;
    PlanService& m_plans;
    WhatIfService* m_whatIf;
    std::shared_ptr<const PlanSet> m_plan;
    DecisionTree m_decision;
    int m_answer = -1;             ///< step of the tree where the walk ends
    bool m_seeksAnswer = false;

    QWidget* m_controls;
    QPushButton* m_choose;
    ToneLabel* m_behaviourName;
    QComboBox* m_behaviour;
    QPushButton* m_treeTab;
    QPushButton* m_searchTab;
    QPushButton* m_trafficTab;
    QStackedWidget* m_tabs;
    PlanSearch* m_search;
    TrafficView* m_traffic;
    QSplitter* m_rows;
    QSplitter* m_top;
    QSplitter* m_bottom;
    Panel* m_treePanel;
    StageTreeView* m_tree;
    QScrollArea* m_treeScroll;
    ToneLabel* m_rule;
    Panel* m_barsPanel;
    MemoryBarsView* m_bars;
    QScrollArea* m_barsScroll;
    MemoryLegend* m_legend;
    Panel* m_ledgerPanel;
    LedgerPanel* m_ledger;
    QToolButton* m_copyLedger;
    WhatIfPanel* m_whatIfPanel;
    PreviewKeys* m_previewKeys;
    std::optional<Lever> m_preview;
    std::shared_ptr<const PlanSet> m_previewed;   ///< its plan, once it is made
    quint64 m_previews = 0;      ///< drops the plan of a preview that is over
    std::string m_savedText;     ///< self-contained: what reset goes back to
    std::shared_ptr<const PlanSet> m_ground;   ///< what the sliders start from: the plan shown, or the last one before a value that cannot be planned
    KnobValues m_turnedTo{};      ///< since m_ground was asked for
    std::string m_turnedText;     ///< the workspace they were turned in
    int m_drag = 0;   ///< merges the steps of one drag
    std::array<std::optional<std::optional<std::int64_t>>, kKnobCount> m_turnedFrom{};   ///< where the drag under way began
};

}  // namespace stagecraft::app
