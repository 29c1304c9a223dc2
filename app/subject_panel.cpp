// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/subject_panel.h"

#include "app/choice_list.h"
#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/formats.h"
#include "app/number_row.h"
#include "app/plan_tree.h"
#include "app/session/workspace_document.h"
#include "app/what_if.h"
#include "base/json_text.h"
#include "hardware/device_sheet.h"
#include "widgets/step_name.h"
#include "widgets/panel.h"
#include "widgets/tone_label.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include <utility>

namespace stagecraft::app {

using theme::Token;

namespace {

/// The batch is the recipe: where it has to follow the ranks the step's name tells it.
QString hardwareStep(const SubjectGround& from, const HardwareChoice& choice, const Result<std::vector<WorkspaceEdit>>& edits)
{
    static const nlohmann::json::json_pointer kBatch("/dsConfig/train_batch_size");
    const auto before = parseJson(from.text), after = parseJson(edits.hasValue() ? withEdits(from.text, *edits) : from.text);
    if (!before.hasValue() || !after.hasValue() || !before->contains(kBatch) || !after->contains(kBatch) || before->at(kBatch) == after->at(kBatch))
        return HardwareChoicePage::nameOf(choice);
    return stepName([choice, was = QString::fromStdString(before->at(kBatch).dump()), is = QString::fromStdString(after->at(kBatch).dump())] {
        return SubjectPanel::tr("%1, train batch %2 → %3").arg(HardwareChoicePage::nameOf(choice), was, is);
    });
}

}  // namespace

SubjectPanel::SubjectPanel(WorkspaceDocument& document, PlanService& plans, QWidget* parent)
    : SidePanel(parent), m_document(document), m_plans(plans), m_effects(new ChoiceEffects(this)), m_header(new PanelHeader(QString(), this)), m_tabs(new QTabWidget(this)), m_model(nullptr),
      m_hardware(nullptr), m_follow(new QCheckBox(this)), m_close(new QPushButton(this))
{
    setObjectName(QStringLiteral("subjectPanel"));
    const auto takeModel = [this](const std::string& json, const QString& name) {
        const auto model = parseJson(json);
        const SubjectGround from = ground();
        return apply(from, model.hasValue() ? modelEdits(from, *model) : Result<std::vector<WorkspaceEdit>>(model.error()), name);
    };
    const auto takeSequence = [this](const std::string& json, const QString& name) {
        if (!m_plan)
            return QString();
        const SubjectGround from = ground();
        return apply(from, withStage(from, knobEdits(from.text, *m_plan, Knob::Sequence, std::stoll(json))), name);
    };
    const auto takeAdapter = [this](const std::string& json, const QString& name) {
        const SubjectGround from = ground();
        const auto fields = parseJson(json);
        std::vector<WorkspaceEdit> edits;
        const bool given = fields.hasValue() && fields->is_object();
        if (given)
            for (const auto& [field, value] : fields->items())
                edits.push_back({"/model/adapter/" + field, value.dump()});
        else
            edits.push_back({"/model/adapter", {}});
        // An adapter freezes the whole model: what was frozen before has no place beside it.
        if (given && m_plan && m_plan->workspace && m_plan->workspace->model.freeze)
            edits.insert(edits.begin(), {"/model/freeze", {}});
        return apply(from, withStage(from, std::move(edits)), name);
    };
    const auto takeFreeze = [this](const std::string& json, const QString& name) {
        const SubjectGround from = ground();
        return apply(from, withStage(from, {{"/model/freeze", json}}), name);
    };
    m_model = new ModelChoice(takeModel, takeSequence, takeAdapter, takeFreeze, m_tabs);
    m_hardware = new HardwareChoicePage(
        [this](const HardwareChoice& choice) {
            const SubjectGround from = ground();
            const auto edits = hardwareEdits(from, choice);
            return apply(from, edits, hardwareStep(from, choice, edits));
        },
        [this](const std::string& json, const QString& name) {
            const SubjectGround from = ground();
            return apply(from, withStage(from, {{"/hardware/hostMemoryGiB", json}}), name);
        },
        m_tabs);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_model, QString());
    m_tabs->addTab(m_hardware, QString());
    column->addWidget(m_tabs, 1);
    auto* foot = new QVBoxLayout;   // the words have a line of their own: beside a button a narrow panel cuts them
    foot->setContentsMargins(12, 6, 12, 8);
    foot->setSpacing(6);
    m_follow->setObjectName(QStringLiteral("stageFollows"));
    foot->addWidget(m_follow);
    foot->addWidget(m_close, 0, Qt::AlignRight);
    column->addLayout(foot);
    connect(m_close, &QPushButton::clicked, this, &SubjectPanel::dismiss);
    connect(m_tabs, &QTabWidget::currentChanged, this, &SubjectPanel::requestEffects);
    connect(m_model, &ModelChoice::sourceChanged, this, &SubjectPanel::requestEffects);
    connect(m_follow, &QCheckBox::clicked, this, [this](bool on) {
        if (on) {
            const SubjectGround from = ground();
            (void)apply(from, withStage(from, {}), stepName([] { return tr("ZeRO stage as the tree decides"); }));
        }
        requestEffects();
    });
    connect(m_hardware, &HardwareChoicePage::sheetsChanged, &plans, [&plans] {
        // What was planned or searched with the old sheets is not taken for this.
        setMachineContext(PlanContext(machineContext()));
        plans.again();
    });
    connect(m_effects, &ChoiceEffects::planned, this, &SubjectPanel::showEffect);
    connect(&plans, &PlanService::planned, this, [this] {
        if (isVisible())
            refresh();
    });
    connect(&document, &WorkspaceDocument::opened, this, [this] { setStageFollows(false); });
    retranslate();
}

void SubjectPanel::start(Part part)
{
    m_tabs->setCurrentIndex(part == Part::Model ? 0 : 1);
    if (part != Part::Model) {
        QLineEdit* field = (part == Part::HostMemory ? m_hardware->host() : m_hardware->perNode())->field();
        field->setFocus(Qt::OtherFocusReason);
        field->selectAll();
    } else if (m_model->source()->currentIndex() == ModelChoice::Presets) {
        m_model->presets()->search()->setFocus(Qt::OtherFocusReason);
    } else {
        m_model->source()->setFocus(Qt::OtherFocusReason);
    }
}

void SubjectPanel::setStageFollows(bool follows)
{
    m_follow->setChecked(follows);
    requestEffects();
}

bool SubjectPanel::stageFollows() const
{
    return m_follow->isChecked();
}

SubjectGround SubjectPanel::ground() const
{
    // The text as it is now: the plan may be one of a moment ago.
    const auto text = selfContained(m_document.text(), m_document.configFileText());
    return {text.hasValue() ? *text : m_document.text(), m_document.folder(), m_plan ? m_plan->now : std::nullopt, stageFollows() && m_follow->isEnabled()};
}

QString SubjectPanel::apply(const SubjectGround& from, const Result<std::vector<WorkspaceEdit>>& edits, const QString& name)
{
    if (!edits.hasValue())
        return errorText(edits.error());
    const bool read = parseWorkspace(from.text, from.folder).hasValue();
    const auto then = parseWorkspace(withEdits(from.text, *edits), from.folder);
    // What cannot be read already is not made worse; what can be stays readable.
    if (read && !then.hasValue())
        return errorText(then.error());
    // What says the same already is no edit: choosing what is chosen is no step.
    std::vector<WorkspaceEdit> needed;
    std::string text = from.text;
    for (const WorkspaceEdit& edit : *edits)
        if (std::string next = withValue(text, edit.pointer, edit.json); next != text) {
            text = std::move(next);
            needed.push_back(edit);
        }
    if (!needed.empty())
        applyAsOneStep(m_document, needed, name);
    return {};
}

void SubjectPanel::refresh()
{
    m_plan = m_plans.current();
    if (!m_document.isOpen() || !m_plan)
        return;
    const Workspace* w = m_plan->workspace ? &*m_plan->workspace : nullptr;
    m_follow->setEnabled(w && (w->framework.name == "deepspeed" || w->framework.name == "stagecraft"));
    watchStage();
    m_model->show(*m_plan, false);
    m_hardware->show(*m_plan, assumedOf(m_document).hardware);
    requestEffects();
}

void SubjectPanel::watchStage()
{
    if (m_plans.isBusy() || !m_plan->settings)
        return;
    const std::tuple now{m_plan->settings->stage, m_plan->settings->offloadOptimizer, m_plan->settings->offloadParam};
    if (std::exchange(m_stage, now) == now || !stageFollows())
        return;
    // A stage that is not the tree's was chosen by a person: it stays through the choices that follow.
    const int answer = firstFitting(*m_plan);
    const int chosen = chosenVariant(*m_plan);
    if (answer >= 0 && answer != chosen)
        m_follow->setChecked(false);
}

void SubjectPanel::requestEffects()
{
    m_effects->cancel();
    if (!isVisible() || !m_plan || !m_plan->workspace || m_plans.isBusy())
        return;
    std::vector<std::pair<std::string, ChoiceEffects::Edits>> rows;
    if (m_tabs->currentWidget() == m_hardware) {
        for (const DeviceSheet& sheet : deviceSheets())
            rows.emplace_back(sheet.id, [choice = m_hardware->withDevice(sheet.id)](const SubjectGround& from) { return hardwareEdits(from, choice); });
    } else if (m_model->source()->currentIndex() == ModelChoice::Presets) {
        for (const ModelPreset& preset : modelPresets())
            rows.emplace_back(preset.id, [id = preset.id](const SubjectGround& from) { return modelEdits(from, nlohmann::json{{"preset", id}}); });
    }
    if (!rows.empty())
        m_effects->request(ground(), std::move(rows));
}

void SubjectPanel::showEffect(const QString& id, const SubjectEffect& effect)
{
    ChoiceList* list = m_tabs->currentWidget() == m_hardware ? m_hardware->devices() : m_model->presets();
    const QString numbers = effect.usable > 0 ? tr("Peak %1 of %2").arg(bytes(effect.peak).text(), bytes(effect.usable).text()) : effect.problem;
    if (!effect.verdict) {
        list->setEffect(id, tr("no plan"), numbers, Token::Text2, {});
        return;
    }
    const auto named = [&effect](const QString& word) { return effect.stage.isEmpty() ? word : QStringLiteral("%1 · %2").arg(word, effect.stage); };
    switch (*effect.verdict) {
    case Fit::Verdict::Yes: list->setEffect(id, named(tr("fits")), numbers, Token::Ok, QStringLiteral("emblem-ok")); break;
    case Fit::Verdict::No: list->setEffect(id, tr("does not fit"), numbers, Token::Error, QStringLiteral("dialog-error")); break;
    case Fit::Verdict::Unsure: list->setEffect(id, named(tr("unsure")), numbers, Token::Warn, QStringLiteral("dialog-warning")); break;
    }
}

void SubjectPanel::retranslate()
{
    m_header->setTitle(tr("Model and hardware"));
    setAccessibleName(tr("Model and hardware"));
    m_tabs->setAccessibleName(tr("Model and hardware"));
    m_tabs->setTabText(0, tr("Model"));
    m_tabs->setTabText(1, tr("Hardware"));
    m_follow->setText(tr("ZeRO stage by the tree"));
    m_follow->setToolTip(tr("Each choice also takes the ZeRO stage, with offload where it is needed, that the decision tree answers with"));
    m_close->setText(tr("Close"));
}

void SubjectPanel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        m_model->retranslate();
        m_hardware->retranslate();
        if (isVisible())
            refresh();
    }
    SidePanel::changeEvent(event);
}

void SubjectPanel::showEvent(QShowEvent* event)
{
    SidePanel::showEvent(event);
    refresh();
}

void SubjectPanel::hideEvent(QHideEvent* event)
{
    SidePanel::hideEvent(event);
    m_effects->cancel();
}

}  // namespace stagecraft::app
