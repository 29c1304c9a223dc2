// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_service.h"

#include "app/config_refusal.h"
#include "config/json_document.h"
#include "config/json_edit.h"
#include "hardware/machine_probe.h"
#include "planner/config_advice.h"
#include "planner/other_behaviour.h"
#include "planner/shared_plans.h"
#include "planner/swap_folders.h"
#include "planner/workspace_model.h"
#include "widgets/config_model.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPointer>
#include <QThreadPool>

#include <nlohmann/json.hpp>

#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <utility>

namespace stagecraft::app {

std::string withValue(const std::string& text, const std::string& pointer, const std::string& json)
{
    const auto parsed = JsonDocument::parse(text);
    if (!parsed.hasValue())
        return text;
    const auto edit = json.empty() ? removeEdit(*parsed, pointer) : setEdit(*parsed, pointer, json);
    return edit.hasValue() ? applyEdits(text, {*edit}) : text;
}

namespace {

std::atomic<const PlanContext*> g_machine{nullptr};
std::atomic<quint64> g_machineNumber{0};

}  // namespace

const PlanContext& machineContext()
{
    static const PlanContext memoryAlone{.hostMemoryBytes = probeMemory().total};
    const PlanContext* known = g_machine.load(std::memory_order_acquire);
    return known ? *known : memoryAlone;
}

void setMachineContext(PlanContext context)
{
    // Earlier ones are never freed: a plan in the making reads them. There is one for each run a person keeps or forgets.
    static std::mutex mutex;
    static std::deque<PlanContext> all;
    const std::lock_guard lock(mutex);
    g_machine.store(&all.emplace_back(std::move(context)), std::memory_order_release);
    ++g_machineNumber;
}

quint64 machineContextNumber()
{
    return g_machineNumber.load();
}

PlanSet planText(const std::string& text, const std::filesystem::path& folder, PlanDepth depth)
{
    PlanSet set;
    set.text = text;
    set.folder = folder;
    QElapsedTimer timer;
    timer.start();
    auto workspace = parseWorkspace(text, folder);
    if (!workspace.hasValue()) {
        set.problem = workspace.error();
        return set;
    }
    set.workspace = std::move(workspace).value();
    const Workspace& w = *set.workspace;
    if (readsDsConfig(set)) {
        if (auto engine = resolveForEngine(w.dsConfig, w.layout.dp); engine.hasValue())
            set.engine = std::move(engine).value();
        else
            set.engineProblem = engine.error();
    }
    auto plan = makePlan(w, machineContext());
    if (!plan.hasValue()) {
        set.problem = plan.error();
        return set;
    }
    set.plan = std::move(plan).value();
    addSwapFolders(w, machineContext(), *set.plan);
    tellOtherBehaviour(w, machineContext(), *set.plan);
    set.milliseconds = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    for (PlanFinding& finding : unknownFieldFindings(w))
        set.plan->findings.push_back(std::move(finding));
    set.configAdvice = adviseConfig(w, machineContext(), contentLanguage().toStdString());
    std::vector<PlanFinding> told;
    set.shape = countWorkspaceModel(w, told).shape;
    set.settings = readDsSettings(w, set.shape ? set.shape->hidden : 0, told);
    Workspace neutral = w;
    if (neutral.framework.name == "stagecraft")
        neutral.framework.name = "deepspeed";
    if (const auto job = readTrainingCase(neutral, set.shape, *set.settings, told)) {
        ScoredLayout now{job->dp, job->tp, job->pp, job->cp, job->ep, job->settings.stage, job->settings.offloadOptimizer, job->settings.offloadParam, job->policy, job->microBatch, job->microBatches, job->embeddingPlace, job->lossPlace};
        if (job->framework != Framework::DeepSpeed)
            now.stage = job->framework == Framework::Fsdp2 ? 3 : job->distributedOptimizer ? 1 : 0;
        set.now = now;
        set.job = *job;
    }
    if (depth == PlanDepth::One)
        return set;
    // Two walks of plans, a core each: a dragged slider waits for the longer one. The advice goes the tree's branches again.
    SharedPlans plans(machineContext());
    auto levers = std::async(std::launch::async, [&] { return planLevers(w, *set.plan, plans); });
    set.variants = variantsOf(w);
    planVariants(set.variants, text, folder, *set.plan, plans);
    for (const PlanVariant& variant : set.variants)
        if (variant.id <= PlanVariant::Id::Stage3 && variant.plan && variant.plan->ledger)
            set.stages.at(static_cast<std::size_t>(variant.id)) = variant.plan;
    if (auto made = advise(w, plans, {}, AdviceDepth::Tree); made.hasValue()) {
        set.advice = std::move(made).value();
        relieveVariants(set.variants, *set.advice, w, text, folder, plans);
    }
    set.levers = levers.get();
    return set;
}

namespace {

/// Why a text is not planned although it can be read: nobody trains with that many values, and each plan would take seconds.
std::optional<Error> tooManyValues(const std::string& text)
{
    if (text.size() < ConfigModel::kMostValues)
        return std::nullopt;
    const auto parsed = JsonDocument::parse(text);
    if (!parsed.hasValue() || parsed->nodes().size() <= ConfigModel::kMostValues)
        return std::nullopt;
    return Error{ErrorCode::InvalidInput, PlanService::tr("There are more than %L1 values, so that nothing is planned. Is this the right file?").arg(static_cast<int>(ConfigModel::kMostValues)).toStdString(), {{"pointer", "/dsConfig"}, {"rule", "window.too_many"}}};
}

Result<std::string> putTogether(const std::string& text, const std::optional<std::string>& configFileText)
{
    if (auto many = tooManyValues(configFileText ? *configFileText : text))
        return *many;
    if (!configFileText)
        return text;
    const auto parsed = JsonDocument::parse(text);
    if (!parsed.hasValue())
        return parsed.error();
    const auto config = JsonDocument::parse(*configFileText);
    if (!config.hasValue())
        return config.error();
    const auto edit = setEdit(*parsed, "/dsConfig", config->toJson(0, true).dump());
    if (!edit.hasValue())
        return edit.error();
    return applyEdits(text, {*edit});
}

}  // namespace

Result<std::string> selfContained(const std::string& text, const std::optional<std::string>& configFileText)
{
    // Every panel asks for the same texts after each change: of a large file each answer takes a third of a second.
    struct Last {
        std::string text;
        std::optional<std::string> config;
        Result<std::string> whole;
    };
    thread_local std::optional<Last> last;
    if (!last || !last->whole.hasValue() || last->text != text || last->config != configFileText)   // why not is said in the language of now
        last = Last{text, configFileText, putTogether(text, configFileText)};
    return last->whole;
}

PlanService::PlanService(QObject* parent) : QObject(parent) {}

void PlanService::request(const std::string& text, const std::filesystem::path& folder, const std::optional<std::string>& configFileText)
{
    const auto whole = selfContained(text, configFileText);
    m_textProblem.reset();
    if (whole.hasValue())
        m_text = *whole;
    else
        m_textProblem = whole.error();
    m_folder = folder;
    ++m_wanted;
    if (m_textProblem) {
        startOver();
        auto set = std::make_shared<PlanSet>();
        set->problem = m_textProblem;
        m_current = std::move(set);
        emit planned();
    } else if (!m_busy) {
        start();
    }
}

void PlanService::again()
{
    if (m_text.empty() || m_textProblem)
        return;
    ++m_wanted;
    if (!m_busy)
        start();
}

void PlanService::clear()
{
    ++m_wanted;
    startOver();
    m_text.clear();
    m_textProblem.reset();
    m_current.reset();
    emit planned();
}

void PlanService::start()
{
    m_busy = true;
    const QPointer<PlanService> self(this);
    QThreadPool::globalInstance()->start([self, job = m_wanted, text = m_text, folder = m_folder] {
        auto made = std::make_shared<const PlanSet>(planText(text, folder));
        // The queued call goes to the application, which outlives every service; `self` is looked at on its thread.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, job, made] {
                if (!self)
                    return;
                self->m_busy = false;
                // The next one is on its way before this one is drawn.
                if (job != self->m_wanted && !self->m_text.empty() && !self->m_textProblem)
                    self->start();
                if (job <= self->m_oldest)
                    return;
                self->m_current = made;
                emit self->planned();
            },
            Qt::QueuedConnection);
    });
}

}  // namespace stagecraft::app
