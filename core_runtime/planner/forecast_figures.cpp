// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/forecast_figures.h"

#include "hardware/device_sheet.h"
#include "planner/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {

namespace {

struct Words {
    Phrase formula, numbers, source;
};

std::string figure(double value) { return fmt::format("{:.4g}", value); }
std::string whole(double value) { return fmt::format("{:.0f}", value); }

/// Whose waiting is looked at: all that run the step, and the seconds that each computes.
struct Crowd {
    std::int64_t devices = 1;
    double compute = 0;
};

/// How late the slowest of so many is, in deviations of one from another.
double behind(std::int64_t devices) { return std::sqrt(2 * std::log(static_cast<double>(std::max<std::int64_t>(devices, 1)))); }

// How each part of the split came about, by the data sheet and the shares of it that are reached.
Words wordsOf(const std::string& part, const DeviceSheet& device, const StepTerms& t, double seconds, const Crowd& crowd)
{
    const std::string sheet = fmt::format("{}: {}", device.id, device.source);
    const Phrase ring{"ring of n: (n - 1) / n of the bytes at {} GB/s inside a node, {} GB/s a device between nodes, as reached; {}", {figure(t.link / 1e9), figure(t.network / 1e9), sheet}};
    const auto times = [&](double each) { return Phrase{"{} · {} s", {whole(t.micro), figure(each)}}; };
    if (part == "compute") {
        const Phrase formula{"m · (L · (F + B + R) + head)"}, numbers{"{} · ({} · ({} + {} + {} s) + {} s)", {whole(t.micro), whole(t.layers), figure(t.layerForward), figure(t.layerBackward), figure(t.layerAgain), figure(t.head)}};
        if (t.launch > 0) return {formula, numbers, {"the host sets the pace: {} us for each kernel, and Python around modules and divided tensors; with more tokens a micro-batch the device does. {}", {figure(t.launch * 1e6), sheet}}};
        const std::vector<std::string> rates{figure(t.matrixShare), figure(t.peak / 1e12), t.peakType, figure(t.memory / 1e9), sheet};
        if (device.vendor == "AMD") return {formula, numbers, {"products at {} of {} TFLOP/s {}, element-wise kernels at {} GB/s; {}; shares reached: measurements of AMD's cards beside Nvidia's, training among them (AMD, Azure, MosaicML, alpharomercoma)", rates}};
        return {formula, numbers, {"products at {} of {} TFLOP/s {}, element-wise kernels at {} GB/s; {}; shares reached: the calibration half of the published measurements", rates}};
    }
    if (part == "communication_exposed.tensor") {
        const Phrase inNode{"ring of n: (n - 1) / n of the bytes at {} GB/s inside a node, {} GB/s a device between nodes, as reached; {}", {figure(t.tensorLink / 1e9), figure(t.network / 1e9), sheet}};
        if (!(t.tensorCopies > 0)) return {{"m · collectives of the stage's layers"}, times(t.tensor), inNode};
        return {{"m · (collectives of the stage's layers + the parts of the sequence put together on the device)"}, {"{} · ({} + {} s)", {whole(t.micro), figure(t.tensor - t.tensorCopies), figure(t.tensorCopies)}}, inNode};
    }
    if (part == "communication_exposed.experts") return {{"m · all-to-alls of the stage's sparse layers that are waited for"}, times(t.experts), ring};
    if (part == "communication_exposed.context") return {{"m · exchange of the divided sequence that attention does not hide"}, times(t.context), ring};
    if (part == "communication_exposed.weights") return {{"m · gathers and scatters that computing does not hide"}, times(t.weights), ring};
    if (part == "communication_exposed.pipeline") return {{"m · transfers between stages that are waited for"}, times(t.handed), ring};
    if (part == "communication_exposed.gradients") return {{"T_reduce - hidden under backward passes"}, {"{} - {} s", {figure(t.reduce), figure(t.reduceHidden)}}, ring};
    if (part == "bubble") return {{"one micro-batch on the other stages, by the schedule"}, {"{} s on the others", {figure(t.others)}}, {"Narayanan et al. 2021, section 2.2: (p - 1) (F + B) / chunks"}};
    if (part == "waiting") {
        const double late = behind(crowd.devices) - behind(8);
        return {{"σ · (√(2 ln N) - √(2 ln 8)) · compute"}, {"{} · ({} - {}) · {} s", {figure(seconds / (late * crowd.compute)), figure(behind(crowd.devices)), figure(behind(8)), figure(crowd.compute)}}, {"the slowest of N devices whose speeds deviate by σ = 0.02: DGX Cloud's jobs on 8 to 2048 H100"}};
    }
    if (part == "offload" && t.shards > 0) {
        const double others = seconds - t.shards - t.sums + t.shardsHidden;
        return {{"T_shards + T_sums - hidden under both passes + others"}, {"{} + {} - {} + {} s", {figure(t.shards), figure(t.sums), figure(t.shardsHidden), figure(others)}}, {"host link at 0.8 of its rate, what the host adds up at {} GB/s of its memory; {}", {figure(t.hostMemory / 1e9), sheet}}};
    }
    if (part == "offload" && t.activations > 0) {
        return {{"T_activations - hidden under both passes + others"}, {"{} - {} + {} s", {figure(t.activations), figure(t.activationsHidden), figure(seconds - t.activations + t.activationsHidden)}}, {"host link at 0.8 of its rate; {}", {sheet}}};
    }
    if (part == "offload" && t.files > 0) {
        const std::vector<std::string> disks{figure(t.disks.read / 1e9), figure(t.disks.write / 1e9), sheet};
        const Phrase measured{"a device's share of its node's disks: {} GB/s read, {} GB/s written, measured; host link at 0.8 of its rate; {}", disks}, assumed{"a device's share of its node's disks: {} GB/s read, {} GB/s written, assumed (6 GB/s a node); host link at 0.8 of its rate; {}", disks};
        return {{"bytes / rate + files / disks"}, {"{} GB at {} GB/s + {} s", {figure((seconds - t.files) * t.pcie / 1e9), figure(t.pcie / 1e9), figure(t.files)}}, t.disksMeasured ? measured : assumed};
    }
    if (part == "offload" && device.id == "cpu") return {{"bytes / rate"}, {"{} GB at {} GB/s", {figure(seconds * t.pcie / 1e9), figure(t.pcie / 1e9)}}, {"a copy reads and writes the one memory there is, at half of its rate; {}", {sheet}}};
    if (part == "offload") return {{"bytes / rate"}, {"{} GB at {} GB/s", {figure(seconds * t.pcie / 1e9), figure(t.pcie / 1e9)}}, {"host link at 0.8 of its rate; {}", {sheet}}};
    if (part == "optimizer") {
        const std::string each = figure(t.optimizer.bytes), updated = figure(t.updated), memory = figure(t.memory / 1e9);
        if (t.onHost) return {{"{} · Φ_updated · ratio · ranks of a node / host memory + rest on the device", {each}}, {"{} · {} · {} · {} / {} GB/s + {} s", {each, updated, figure(t.hostShare), whole(t.hostRanks), figure(t.hostMemory / 1e9), figure(t.restOnDevice)}}, {"\"{}\" on the host, with what is read, scaled and copied beside it; rate by Ren et al. 2021, Table 4", {t.optimizer.optimizer}}};
        const Phrase formula{"{} · Φ_updated / memory", {each}}, numbers{"{} · {} / {} GB/s", {each, updated, memory}};
        switch (t.optimizer.way) {
        case OptimizerWork::Way::Apart: return {formula, numbers, {"\"{}\" of torch.optim, a kernel for each operation: what every one reads and writes; {}", {t.optimizer.optimizer, sheet}}};
        case OptimizerWork::Way::Twice: return {formula, numbers, {"\"{}\": gradients, weights and moments read and moments written, then weights and moments read and weights written; {}", {t.optimizer.optimizer, sheet}}};
        case OptimizerWork::Way::Newton:
            return {{"{} · Φ_updated / memory + {} · Φ_updated / products", {each, figure(t.optimizer.flops)}},
                    {"{} · {} / {} GB/s + {} · {} / {} TFLOP/s", {each, updated, memory, figure(t.optimizer.flops), updated, figure(t.matrixPeak / 1e12)}},
                    {"\"{}\": 56 B of a layer's matrices, 28 of the rest, and five Newton-Schulz steps over each matrix (deepspeed/runtime/zero/muon/original_muon.py, gram); {}", {t.optimizer.optimizer, sheet}}};
        case OptimizerWork::Way::Fused: break;
        }
        return {formula, numbers, {"\"{}\" in one kernel: gradients read once, weights and states read and written once; {}", {t.optimizer.optimizer, sheet}}};
    }
    return {{"2 ms"}, {"{} s", {figure(seconds)}}, {"between two steps: data, logging, what no kernel does; assumed"}};
}

}  // namespace

ForecastFigure forecastFigure(std::string what, double value, Phrase formula, Phrase numbers, Phrase source)
{
    const auto text = [](const Phrase& phrase) { return fillPattern(phrase.pattern, phrase.args); };
    return {std::move(what), value, text(formula), text(numbers), text(source), std::move(formula), std::move(numbers), std::move(source)};
}

std::string figureNumber(double value) { return figure(value); }

void explainForecast(const DeviceSheet& device, const StepTerms& terms, std::int64_t devices, StepForecast& forecast)
{
    if (forecast.basis == ForecastBasis::DataSheet) {
        forecast.figures.clear();
        const auto compute = std::find_if(forecast.split.begin(), forecast.split.end(), [](const auto& each) { return each.first == "compute"; });
        const Crowd crowd{devices, compute == forecast.split.end() ? 0.0 : compute->second};
        for (const auto& [part, seconds] : forecast.split) {
            if (!(seconds > 0)) continue;
            Words words = wordsOf(part, device, terms, seconds, crowd);
            forecast.figures.push_back(forecastFigure(part, seconds, std::move(words.formula), std::move(words.numbers), std::move(words.source)));
        }
    }
    if (!(forecast.devicePeak > 0)) return;
    Phrase counted{"Chowdhery et al. 2022 (PaLM), appendix B: 6 FLOPs a weight and token (4 where it is frozen), attention over the full square, recomputation not counted; peak: {}", {device.source}};
    if (forecast.basis == ForecastBasis::DataSheet && terms.mfuMost > 1.005 && intervalOfRate(forecast, forecast.mfu)[1] > 1)
        counted = {"Chowdhery et al. 2022 (PaLM), appendix B: 6 FLOPs a weight and token (4 where it is frozen), attention over the full square, of which a causal kernel computes half, recomputation not counted: so counted, devices that compute at their peak all the time come to {} %, the most that the interval may reach; peak: {}", {fmt::format("{:.0f}", 100 * terms.mfuMost), device.source}};
    forecast.figures.push_back(forecastFigure("mfu", forecast.mfu,
                                              {"model FLOPs / (step time · peak · devices)"},
                                              {"{} / ({} s · {} TFLOP/s {} · {})", {fmt::format("{:.6g}", forecast.modelFlops), fmt::format("{:.6g}", forecast.stepTime), fmt::format("{:.6g}", forecast.devicePeak / 1e12), forecast.peakType, fmt::format("{}", devices)}},
                                              std::move(counted)));
}

std::array<double, 2> intervalOfRate(const StepForecast& forecast, double value)
{
    const auto& [least, most] = forecast.interval90;
    return {most > 0 ? value * forecast.stepTime / most : 0, least > 0 ? value * forecast.stepTime / least : value};
}

std::array<double, 2> intervalOfTime(const StepForecast& forecast, double value)
{
    if (!(forecast.stepTime > 0)) return {value, value};
    return {value * forecast.interval90[0] / forecast.stepTime, value * forecast.interval90[1] / forecast.stepTime};
}

std::array<double, 2> figureInterval90(const StepForecast& forecast, const ForecastFigure& figure)
{
    if (figure.what == "mfu") return intervalOfRate(forecast, figure.value);
    double squares = 0;
    for (const auto& [part, seconds] : forecast.split) squares += seconds * seconds;
    if (!(squares > 0)) return {figure.value, figure.value};
    // Σ (p r)² = (T R)²: one relative width r for all parts.
    const double share = figure.value / std::sqrt(squares);
    return {std::max(0.0, figure.value - share * (forecast.stepTime - forecast.interval90[0])), figure.value + share * (forecast.interval90[1] - forecast.stepTime)};
}

}  // namespace stagecraft
