// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/forecast_figures.h"

#include "hardware/device_sheet.h"

#include <fmt/format.h>

namespace stagecraft {

namespace {

struct Words {
    std::string formula, numbers, source;
};

// How each part of the split came about, by the data sheet and the shares of it that are reached.
Words wordsOf(const std::string& part, const DeviceSheet& device, const StepTerms& t, double seconds)
{
    const std::string sheet = fmt::format("{}: {}", device.id, device.source);
    const std::string ring = fmt::format("ring of n: (n - 1) / n of the bytes at {:.4g} GB/s inside a node, {:.4g} GB/s a device between nodes, as reached; {}", t.link / 1e9, t.network / 1e9, sheet);
    if (part == "compute") {
        return {"m · (L · (F + B + R) + head)", fmt::format("{:.0f} · ({:.0f} · ({:.4g} + {:.4g} + {:.4g} s) + {:.4g} s)", t.micro, t.layers, t.layerForward, t.layerBackward, t.layerAgain, t.head),
                fmt::format("products at {:.4g} of {:.4g} TFLOP/s {}, element-wise kernels at {:.4g} GB/s; {}; shares reached: the calibration half of the published measurements", t.matrixShare, t.peak / 1e12, t.peakType, t.memory / 1e9, sheet)};
    }
    if (part == "communication_exposed.tensor") return {"m · collectives of the stage's layers", fmt::format("{:.0f} · {:.4g} s", t.micro, t.tensor), ring};
    if (part == "communication_exposed.experts") return {"m · all-to-alls of the stage's sparse layers", fmt::format("{:.0f} · {:.4g} s", t.micro, t.experts), ring};
    if (part == "communication_exposed.weights") return {"m · gathers and scatters that computing does not hide", fmt::format("{:.0f} · {:.4g} s", t.micro, t.weights), ring};
    if (part == "communication_exposed.pipeline") return {"m · transfers between stages that are waited for", fmt::format("{:.0f} · {:.4g} s", t.micro, t.handed), ring};
    if (part == "communication_exposed.gradients") return {"T_reduce - hidden under the last backward pass", fmt::format("{:.4g} - {:.4g} s", t.reduce, t.reduceHidden), ring};
    if (part == "bubble") return {"one micro-batch on the other stages, by the schedule", fmt::format("{:.4g} s on the others", t.others), "Narayanan et al. 2021, section 2.2: (p - 1) (F + B) / chunks"};
    if (part == "offload") return {"bytes / rate", fmt::format("{:.4g} GB at {:.4g} GB/s", seconds * t.pcie / 1e9, t.pcie / 1e9), fmt::format("host link at 0.8 of its rate; {}", sheet)};
    if (part == "optimizer") {
        return t.onHost ? Words{"50 · Φ_updated · ratio · ranks of a node / host memory", fmt::format("50 · {:.4g} at {:.4g} GB/s a node", t.updated, t.hostMemory / 1e9), "Ren et al. 2021, Table 4: CPU Adam"}
                        : Words{"28 · Φ_updated / memory", fmt::format("28 · {:.4g} / {:.4g} GB/s", t.updated, t.memory / 1e9), fmt::format("fused Adam reads and writes weights, gradients and moments once; {}", sheet)};
    }
    return {"2 ms", fmt::format("{:.4g} s", seconds), "between two steps: data, logging, what no kernel does; assumed"};
}

}  // namespace

void explainForecast(const DeviceSheet& device, const StepTerms& terms, std::int64_t devices, StepForecast& forecast)
{
    forecast.figures.clear();
    for (const auto& [part, seconds] : forecast.split) {
        if (!(seconds > 0)) continue;
        const Words words = forecast.basis == ForecastBasis::DataSheet ? wordsOf(part, device, terms, seconds) : Words{"Σ units of the step", fmt::format("{:.4g} s", seconds), forecast.source};
        forecast.figures.push_back({part, seconds, words.formula, words.numbers, words.source});
    }
    if (!(forecast.devicePeak > 0)) return;
    forecast.figures.push_back({"mfu", forecast.mfu, "model FLOPs / (step time · peak · devices)",
                                fmt::format("{:.6g} / ({:.6g} s · {:.6g} TFLOP/s {} · {})", forecast.modelFlops, forecast.stepTime, forecast.devicePeak / 1e12, forecast.peakType, devices),
                                fmt::format("Chowdhery et al. 2022 (PaLM), appendix B: 6 FLOPs a weight and token, attention over the full square, recomputation not counted; peak: {}", device.source)});
}

}  // namespace stagecraft
