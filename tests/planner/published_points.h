// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

// The points of tests/data/published, for the test and the bench that compare forecasts with them.
namespace published {

using namespace stagecraft;
using nlohmann::json;

/// null where the file is missing or no JSON
inline json readJson(const std::string& path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return json::parse(text.str(), nullptr, false);
}

/// @param source  the folder of the source tree, for presets
inline Workspace workspaceOf(const json& point, const std::string& source)
{
    Workspace w;
    w.framework.name = point["framework"].get<std::string>();
    w.framework.arguments = point["arguments"];
    w.hardware.device = point["hardware"]["device"].get<std::string>();
    w.hardware.devicesPerNode = point["hardware"]["devicesPerNode"].get<int>();
    w.hardware.nodes = point["hardware"]["nodes"].get<int>();
    w.layout.dp = w.hardware.nodes * w.hardware.devicesPerNode;
    w.dsConfig = point.value("dsConfig", json::object());
    if (const json layout = point.value("layout", json::object()); !layout.empty()) {
        w.layout.dp = layout.value("dp", w.layout.dp);
        w.layout.tp = layout.value("tp", 1);
        w.layout.pp = layout.value("pp", 1);
        w.layout.cp = layout.value("cp", 1);
        w.layout.ep = layout.value("ep", 1);
        w.layout.lossChunks = layout.value("lossChunks", 1);
        w.layout.recompute = layout.value("recompute", std::string("none"));
    }
    if (point.contains("model") && point["model"].contains("preset")) {
        w.model.form = ModelSection::Form::Preset;
        w.model.huggingFaceConfig = readJson(source + "/configs/models/" + point["model"]["preset"].get<std::string>() + ".json");
        // The sequence that was trained, where it is not the model's own.
        if (point["model"].contains("seq")) w.model.seq = point["model"]["seq"].get<int>();
    } else if (point.contains("model") && point["model"].contains("huggingFace")) {
        w.model.form = ModelSection::Form::HuggingFace;
        w.model.huggingFaceConfig = point["model"]["huggingFace"];
        if (point["model"].contains("seq")) w.model.seq = point["model"]["seq"].get<int>();
    } else if (point.contains("model") && point["model"].contains("hidden")) {
        const json& m = point["model"];
        ModelSpec spec;
        spec.family = m["family"] == "gpt2" ? Family::Gpt2 : Family::Llama;
        spec.hidden = m["hidden"].get<std::int64_t>();
        spec.layers = m["layers"].get<std::int64_t>();
        spec.heads = m["heads"].get<std::int64_t>();
        spec.kvHeads = m.value("kvHeads", spec.heads);
        spec.headSize = spec.hidden / spec.heads;
        spec.vocab = m["vocab"].get<std::int64_t>();
        spec.seq = m["seq"].get<std::int64_t>();
        spec.ffn = m.value("ffn", 4 * spec.hidden);
        spec.positions = spec.family == Family::Gpt2 ? spec.seq : 0;
        spec.tieEmbeddings = m.value("tied", true);
        w.model.spec = spec;
    } else {
        w.model.form = ModelSection::Form::ParameterCount;
        w.model.parameterCount = 1e9;
    }
    if (const json adapter = point.value("model", json::object()).value("adapter", json()); adapter.is_object()) {
        AdapterSection section;
        section.rank = adapter.value("rank", section.rank);
        const json named = adapter.value("targets", json("all-linear"));
        if (named.is_array()) section.modules = named.get<std::vector<std::string>>();
        const std::string targets = named.is_string() ? named.get<std::string>() : "all-linear", base = adapter.value("base", std::string("16bit"));
        section.attention = targets != "mlp";
        section.mlp = targets != "attention";
        section.base = base == "nf4" ? AdapterSection::Base::Nf4 : base == "int8" ? AdapterSection::Base::Int8 : AdapterSection::Base::SixteenBit;
        section.dropout = adapter.value("dropout", 0.0);
        section.doubleQuantization = adapter.value("doubleQuantization", false);
        w.model.adapter = section;
    }
    return w;
}

/// Relative errors of forecasts.
struct Errors {
    std::vector<double> values;
    [[nodiscard]] double quantile(double q) const
    {
        if (values.empty()) return 0;
        std::vector<double> sorted;
        for (const double v : values) sorted.push_back(std::abs(v));
        std::sort(sorted.begin(), sorted.end());
        return sorted[static_cast<std::size_t>(std::min(std::ceil(q * static_cast<double>(sorted.size())) - (q > 0 ? 1 : 0), static_cast<double>(sorted.size() - 1)))];
    }
};

/// A published peak and its forecast.
struct Peak {
    const char* kind;       ///< "allocated", "reserved" or "process"
    double truth, forecast; ///< bytes
};

/// Nothing where the point has no memory.
inline std::optional<Peak> measuredPeak(const json& point, const Plan& plan)
{
    const json& m = point["measured"];
    for (const auto& [key, kind, field] : {std::tuple{"peakAllocatedGiB", "allocated", &LedgerPeak::allocated}, {"peakReservedGiB", "reserved", &LedgerPeak::reserved}, {"peakProcessGiB", "process", &LedgerPeak::process}}) {
        if (!m.contains(key) || !plan.ledger) continue;
        // Megatron reports its last rank, the others the fullest.
        std::int64_t peak = plan.ledger->back().peak.*field;
        if (m.value("rank", std::string("max")) != "last") for (const LedgerRole& role : *plan.ledger) peak = std::max(peak, role.peak.*field);
        return Peak{kind, m[key].get<double>() * 1073741824.0, static_cast<double>(peak)};
    }
    return std::nullopt;
}

/// The job was seen to end for want of memory.
inline bool ranOutOfMemory(const json& point) { return point["measured"].value("outOfMemory", false); }

/// Samples are not of one length, nor padded to one: what is reserved holds blocks for every length that was met, and they are given
/// back before an allocation fails. It says nothing of what the job needs.
inline bool lengthsVary(const json& point) { return point.value("lengths", std::string()) == "varied"; }

/// Seconds of a step that a throughput means.
inline double measuredStep(const json& point, const Plan& plan)
{
    const json& m = point["measured"];
    if (m.contains("stepSeconds")) return m["stepSeconds"].get<double>();
    if (m.contains("tokensPerSecondPerDevice") && plan.forecast) {
        const double devices = point["hardware"]["devicesPerNode"].get<double>() * point["hardware"]["nodes"].get<double>();
        return plan.forecast->stepTime * plan.forecast->tokensPerSecond / (m["tokensPerSecondPerDevice"].get<double>() * devices);
    }
    if (m.contains("hardwareTflopsPerDevice")) {
        // The publication's own formula: a recomputed forward pass counts.
        const json& a = point["arguments"];
        const double s = a["seq-length"].get<double>(), l = a["num-layers"].get<double>(), h = a["hidden-size"].get<double>(), v = a["vocab-size"].get<double>();
        const double devices = point["hardware"]["devicesPerNode"].get<double>() * point["hardware"]["nodes"].get<double>();
        return 96 * a["global-batch-size"].get<double>() * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h)) / (devices * m["hardwareTflopsPerDevice"].get<double>() * 1e12);
    }
    return 0;
}

}  // namespace published
