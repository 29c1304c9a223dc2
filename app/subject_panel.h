// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/choice_effects.h"
#include "app/hardware_choice.h"
#include "app/model_choice.h"
#include "app/plan_service.h"
#include "widgets/side_panel.h"

#include <memory>
#include <tuple>

class QCheckBox;
class QPushButton;
class QTabWidget;

namespace stagecraft {
class PanelHeader;
}

namespace stagecraft::app {

class WorkspaceDocument;

/// "Model and hardware" in the inspector's place: what is planned, and on what. Every choice is one undo step of the workspace, and
/// each row says before the click whether the job then fits.
class SubjectPanel : public SidePanel {
    Q_OBJECT
public:
    SubjectPanel(WorkspaceDocument& document, PlanService& plans, QWidget* parent);

    enum class Part { Model, Hardware, HostMemory };
    /// Shows the part, the focus in the search field of the models, in the number of the devices, or in the host's memory.
    void start(Part part);
    /// Whether each choice also takes the ZeRO stage that the tree decides: in a plan that is new, until its stage is chosen.
    void setStageFollows(bool follows);
    [[nodiscard]] bool stageFollows() const;
    [[nodiscard]] ModelChoice& model() const { return *m_model; }
    [[nodiscard]] HardwareChoicePage& hardware() const { return *m_hardware; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] QCheckBox* follow() const { return m_follow; }
    [[nodiscard]] QPushButton* closeButton() const { return m_close; }
    [[nodiscard]] ChoiceEffects& effects() const { return *m_effects; }

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] SubjectGround ground() const;
    QString apply(const SubjectGround& ground, const Result<std::vector<WorkspaceEdit>>& edits, const QString& name);
    void refresh();
    void watchStage();
    void requestEffects();
    void showEffect(const QString& id, const SubjectEffect& effect);
    void retranslate();

    WorkspaceDocument& m_document;
    PlanService& m_plans;
    std::shared_ptr<const PlanSet> m_plan;
    std::tuple<int, OffloadDevice, OffloadDevice> m_stage{};   ///< of m_plan: where its states lie
    ChoiceEffects* m_effects;
    PanelHeader* m_header;
    QTabWidget* m_tabs;
    ModelChoice* m_model;
    HardwareChoicePage* m_hardware;
    QCheckBox* m_follow;
    QPushButton* m_close;
};

}  // namespace stagecraft::app
