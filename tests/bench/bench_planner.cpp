// SPDX-License-Identifier: GPL-3.0-or-later
// The planner: layouts scored a second, explaining one, stopping a search, and how far forecasts lie from published measurements.
#include "bench_row.h"

#include "../model/sample_models.h"
#include "../planner/published_points.h"
#include "hardware/device_sheet.h"
#include "planner/batch_sweep.h"
#include "planner/search.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

using namespace stagecraft;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kRounds = 5;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

TrainingCase base(std::int64_t nodes)
{
    TrainingCase c;
    c.framework = Framework::DeepSpeed;
    c.model = shapeOf(testing::llama3Of8B());
    c.device = "H100-SXM-80GB";
    c.sheet = findDevice(c.device);
    c.nodes = nodes;
    c.devicesPerNode = 8;
    c.dp = nodes * 8;
    return c;
}

void layouts()
{
    SearchLimits limits;
    limits.globalBatch = 1 << 16;
    std::vector<double> ratios;
    for (int i = 0; i < kRounds; ++i) {
        const auto start = Clock::now();
        const SearchResult result = searchLayouts(base(512), limits);
        ratios.push_back(static_cast<double>(result.scored) / since(start) / 1e5);
    }
    bench::printRow("planner/layouts", ratios, 1, "higher", "layouts scored a second and core, over 100,000");
}

void explanation()
{
    Workspace w;
    w.framework.name = "deepspeed";
    w.model.spec = testing::llama3Of8B();
    w.hardware = {8, 8, "H100-SXM-80GB"};
    w.layout.dp = 64;
    w.dsConfig = {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 3}}}};
    std::vector<double> ratios;
    for (int i = 0; i < kRounds; ++i) {
        const auto start = Clock::now();
        const std::string text = planToJson(makePlan(w).value()).dump();
        ratios.push_back(text.empty() ? 1e9 : since(start) / 0.016);
    }
    bench::printRow("planner/explanation", ratios, 1, "lower", "a plan with all its words, to 16 ms");
}

void cancel()
{
    // Every batch of a range on 11,520 devices: over a million layouts, of which none but the best and the front are held.
    constexpr std::int64_t kBatch = 11520 * 720;
    TrainingCase large = base(1440);
    large.framework = Framework::Fsdp2;
    SearchLimits limits;
    limits.globalBatch = kBatch;
    std::atomic<std::int64_t> total = 0, scored = 0;
    limits.progress = [&](const SearchResult& soFar) {
        total = soFar.total;
        scored = soFar.scored;
    };
    std::vector<double> ratios;
    for (int i = 0; i < kRounds; ++i) {
        std::stop_source stop;
        SearchResult result;
        scored = 0;
        std::thread worker([&] { result = searchBatches(large, limits, kBatch + 2880, stop.get_token()); });
        while (scored < 5000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const auto start = Clock::now();
        stop.request_stop();
        worker.join();
        const double seconds = since(start);
        ratios.push_back(result.cancelled && total >= 1'000'000 ? seconds / 0.1 : 1e9);
    }
    bench::printRow("planner/cancel", ratios, 1, "lower", "from the stop to the answer of a search of over a million layouts, to 100 ms");
}

void publishedErrors(const std::string& source)
{
    std::map<std::string, published::Errors> memory, time;
    for (const auto& entry : std::filesystem::directory_iterator(source + "/tests/data/published")) {
        const json publication = published::readJson(entry.path().string());
        if (!publication.is_object()) continue;
        const std::string half = publication["half"];
        for (const json& point : publication["points"]) {
            const auto plan = makePlan(published::workspaceOf(point, source));
            if (!plan.hasValue() || !plan->ledger) continue;
            if (const auto peak = published::measuredPeak(point, *plan); peak && !published::lengthsVary(point)) memory[half].values.push_back(peak->forecast / peak->truth - 1);
            if (const double truth = published::measuredStep(point, *plan); truth > 0 && plan->forecast) time[half].values.push_back(plan->forecast->stepTime / truth - 1);
        }
    }
    struct Target {
        const char* name;
        double quantile, percent;
    };
    const auto rows = [&](const char* what, const char* half, const published::Errors& errors, std::initializer_list<Target> targets) {
        if (errors.values.empty()) return;
        for (const Target& target : targets) {
            const double percent = 100 * errors.quantile(target.quantile);
            char name[96], note[96];
            std::snprintf(name, sizeof name, "planner/published/%s/%s/%s", half, what, target.name);
            std::snprintf(note, sizeof note, "%.1f %% of %zu points, to %.0f %%", percent, errors.values.size(), target.percent);
            bench::printRow(name, {percent / target.percent}, 1, "lower", note);
        }
    };
    for (const char* half : {"calibration", "check"}) {
        rows("memory", half, memory[half], {{"median", 0.5, 3}, {"p90", 0.9, 8}, {"worst", 1, 15}});
        rows("time", half, time[half], {{"median", 0.5, 8}, {"p90", 0.9, 20}});
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string wanted = argc > 1 ? argv[1] : "";
    const auto runs = [&](const std::string& name) { return wanted.empty() || name.find(wanted) != std::string::npos || wanted.starts_with(name); };
    if (runs("planner/layouts")) layouts();
    if (runs("planner/explanation")) explanation();
    if (runs("planner/cancel")) cancel();
    if (runs("planner/published")) publishedErrors(STAGECRAFT_SOURCE_FOLDER);
    return 0;
}
