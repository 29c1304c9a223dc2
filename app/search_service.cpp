// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/search_service.h"

#include "app/core_words.h"
#include "planner/workspace_search.h"
#include "workspace/host_shards.h"

#include <QCoreApplication>
#include <QPointer>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace stagecraft::app {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

bool faster(const ScoredLayout& a, const ScoredLayout& b)
{
    if (a.fits != b.fits)
        return a.fits;
    if (a.mayFit != b.mayFit)
        return a.mayFit;
    return a.mayFit ? a.stepTime < b.stepTime : a.memory < b.memory;
}

// What is known while a search runs, in the order of the finished one.
std::shared_ptr<const SearchResult> snapshotOf(const SearchResult& soFar, std::size_t keep)
{
    auto copy = std::make_shared<SearchResult>(soFar);
    std::sort(copy->best.begin(), copy->best.end(), faster);
    if (copy->best.size() > keep)
        copy->best.resize(keep);
    for (const ScoredLayout& point : copy->front)
        if (std::find(copy->best.begin(), copy->best.end(), point) == copy->best.end())
            copy->best.push_back(point);
    std::sort(copy->best.begin(), copy->best.end(), faster);
    for (std::size_t i = copy->best.size(); i-- > 0;)
        if (std::find(copy->front.begin(), copy->front.end(), copy->best[i]) != copy->front.end())
            copy->pareto.push_back(i);
    return copy;
}

}  // namespace

Result<SearchJob> searchJobOf(const PlanSet& plan, const SearchLimits& limits)
{
    if (!plan.workspace)
        return plan.problem ? *plan.problem : Error{ErrorCode::InvalidInput, SearchService::tr("There is no workspace to search with").toStdString(), {}};
    std::vector<PlanFinding> findings;
    auto search = searchOfWorkspace(*plan.workspace, limits, machineContext(), findings);
    if (!search)
        return Error{ErrorCode::InvalidInput, findingText(findings.back()).toStdString(), {}};
    return SearchJob{std::move(search->base), std::move(search->limits)};
}

std::string searchKey(const PlanSet& plan)
{
    if (!plan.workspace)
        return {};
    const Workspace& w = *plan.workspace;
    json key = w.document;
    // What a row sets is left out, as layoutEdits() has it, and what no layout depends on. All else changes the rows.
    for (const char* section : {"layout", "training", "launch", "data", "name", "dsConfig", "framework"})
        key.erase(section);
    json ds = w.dsConfig;
    for (const char* name : {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"})
        ds.erase(name);
    if (ds.contains("zero_optimization") && ds["zero_optimization"].is_object()) {
        for (const char* name : {"stage", "offload_optimizer", "offload_param", "cpu_offload", "cpu_offload_param"})
            ds["zero_optimization"].erase(name);
        if (ds["zero_optimization"].empty())
            ds.erase("zero_optimization");
    }
    if (ds.contains("tensor_parallel") && ds["tensor_parallel"].is_object()) {
        ds["tensor_parallel"].erase("autotp_size");
        if (ds["tensor_parallel"].empty())
            ds.erase("tensor_parallel");
    }
    json arguments = w.framework.arguments.is_object() ? w.framework.arguments : json::object();
    const bool megatron = w.framework.name == "megatron";
    const bool fsdp2 = w.framework.name == "fsdp2";
    if (megatron)
        for (const char* name : {"tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size", "expert-model-parallel-size", "micro-batch-size", "global-batch-size",
                                 "use-distributed-optimizer", "sequence-parallel", "account-for-embedding-in-pipeline-split", "account-for-loss-in-pipeline-split",
                                 "recompute-activations", "recompute-method", "recompute-num-layers", "recompute-granularity"})
            arguments.erase(name);
    if (fsdp2)
        for (const char* name : {"tp", "pp", "cp", "fsdp", "local_batch", "global_batch", "pp_microbatches", "pp_microbatch_size", "pipeline_parallel_microbatch_size", "ac"})
            arguments.erase(name);
    if (fsdp2)
        for (const char* name : kHostShardNames)
            arguments.erase(name);
    key["dsConfig"] = ds;
    key["machine"] = machineContextNumber();   // measured rates and calibrations change every time
    key["framework"] = {{"name", w.framework.name}, {"arguments", arguments}};
    key["layout"] = {{"schedule", w.layout.schedule}, {"chunks", w.layout.chunks}, {"lossChunks", w.layout.lossChunks}};
    if (plan.settings)
        key["offload"] = {plan.settings->offloadRatio, plan.settings->pinMemory};
    if (plan.job)
        key["batch"] = plan.job->microBatch * plan.job->microBatches * plan.job->dp;
    return key.dump();
}

SearchService::SearchService(QObject* parent) : QObject(parent) {}

SearchService::~SearchService()
{
    ++m_job;
    m_thread.request_stop();
}

void SearchService::start(SearchJob job)
{
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
    ++m_job;
    m_running = true;
    m_result = std::make_shared<SearchResult>();
    const QPointer<SearchService> self(this);
    m_thread = std::jthread([self, id = m_job, job = std::move(job)](const std::stop_token& stop) {
        // The queued calls go to the application, which outlives every service; `self` is looked at on its thread.
        const auto tell = [&self, id](std::shared_ptr<const SearchResult> result, bool done, double seconds) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [self, id, result, done, seconds] {
                    if (self)
                        self->take(id, result, done, seconds);
                },
                Qt::QueuedConnection);
        };
        const auto begun = Clock::now();
        auto told = begun;
        SearchLimits limits = job.limits;
        limits.progress = [&](const SearchResult& soFar) {
            const auto now = Clock::now();
            if (now - told < std::chrono::milliseconds(100))
                return;
            told = now;
            tell(snapshotOf(soFar, limits.keep), false, 0);
        };
        auto result = std::make_shared<const SearchResult>(searchLayouts(job.base, limits, stop));
        tell(result, true, std::chrono::duration<double>(Clock::now() - begun).count());
    });
    emit progressed();
}

void SearchService::cancel()
{
    m_thread.request_stop();
}

void SearchService::take(quint64 job, std::shared_ptr<const SearchResult> result, bool done, double seconds)
{
    if (job != m_job)
        return;
    m_result = std::move(result);
    if (!done) {
        emit progressed();
        return;
    }
    m_running = false;
    m_seconds = seconds;
    emit finished();
}

}  // namespace stagecraft::app
