// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/python_export.h"

#include "base/json_text.h"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <set>
#include <vector>

namespace stagecraft {

namespace {

using Json = nlohmann::ordered_json;

struct Argument {
    const char* name;
    const char* pointer;
};

/// What scripts make arguments of; the name is the key's own, or says whose it is.
constexpr std::array kArguments{Argument{"train_batch_size", "/train_batch_size"},
                                Argument{"train_micro_batch_size_per_gpu", "/train_micro_batch_size_per_gpu"},
                                Argument{"gradient_accumulation_steps", "/gradient_accumulation_steps"},
                                Argument{"lr", "/optimizer/params/lr"},
                                Argument{"stage", "/zero_optimization/stage"},
                                Argument{"offload_optimizer", "/zero_optimization/offload_optimizer/device"},
                                Argument{"offload_param", "/zero_optimization/offload_param/device"}};

using Arguments = std::map<std::string, std::string>;  // pointer -> what stands there: a name, or a term of names

std::string scalar(const Json& value)
{
    if (value.is_null()) return "None";
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    return value.dump(-1, ' ', true, Json::error_handler_t::replace);  // numbers and ASCII strings read the same in Python
}

void write(const Json& value, const std::string& pointer, const Arguments& arguments, int indent, std::string& out)
{
    if (const auto argument = arguments.find(pointer); argument != arguments.end()) {
        out += argument->second;
    } else if (value.is_object() && !value.empty()) {
        const std::string inside(static_cast<std::size_t>(indent) + 4, ' ');
        out += "{\n";
        for (const auto& [key, child] : value.items()) {
            out += inside + scalar(Json(key)) + ": ";
            write(child, childPointer(pointer, key), arguments, indent + 4, out);
            out += ",\n";
        }
        out += std::string(static_cast<std::size_t>(indent), ' ') + "}";
    } else if (value.is_array()) {
        out += "[";
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (i > 0) out += ", ";
            write(value[i], pointer + "/" + std::to_string(i), arguments, indent, out);
        }
        out += "]";
    } else if (value.is_object()) {
        out += "{}";
    } else {
        out += scalar(value);
    }
}

/// The ranks that the three batch sizes are of, where all are given and agree; else 0.
std::int64_t ranksOf(const Json& config)
{
    std::array<std::int64_t, 3> sizes{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto at = config.find(kArguments[i].name);
        if (at == config.end() || !at->is_number_integer()) return 0;
        sizes[i] = at->get<std::int64_t>();
        if (sizes[i] < 1 || sizes[i] > (std::int64_t{1} << 31)) return 0;
    }
    const std::int64_t perRank = sizes[1] * sizes[2];
    return sizes[0] % perRank == 0 ? sizes[0] / perRank : 0;
}

std::string function(const Json& config, const char* name, const char* says)
{
    Arguments arguments;
    std::string head = std::string("def ") + name + "(";
    const std::string under(head.size(), ' ');
    auto take = [&, first = true](const std::string& argument, const std::string& value) mutable {
        head += (first ? "" : ",\n" + under) + argument + "=" + value;
        first = false;
    };
    // Three sizes of which each follows from the others: one that is changed alone would be refused.
    const std::int64_t ranks = ranksOf(config);
    if (ranks > 0) {
        arguments["/train_batch_size"] = "train_micro_batch_size_per_gpu * gradient_accumulation_steps * ranks";
        take("ranks", std::to_string(ranks));
    }
    for (const Argument& argument : kArguments) {
        const Json::json_pointer at(argument.pointer);
        if (!config.contains(at) || config.at(at).is_structured() || arguments.contains(argument.pointer)) continue;
        arguments[argument.pointer] = argument.name;
        take(argument.name, scalar(config.at(at)));
    }
    // A schedule sets the rate itself: its peak, where it is the optimizer's, stays the optimizer's.
    const Json::json_pointer rate("/optimizer/params/lr"), peak("/scheduler/params/warmup_max_lr");
    if (arguments.contains(rate.to_string()) && config.contains(peak) && config.at(peak).is_number() && config.at(peak) == config.at(rate)) arguments[peak.to_string()] = "lr";
    std::string text = head + "):\n    \"\"\"" + says + "\"\"\"\n    return ";
    write(config, "", arguments, 4, text);
    return text + "\n";
}

}  // namespace

Json evaluationConfig(const Json& dsConfig, std::optional<std::int64_t> micro)
{
    static const std::set<std::string> kKept{"train_batch_size", "train_micro_batch_size_per_gpu", "steps_per_print", "fp16", "bf16", "torch_autocast",
                                             "wall_clock_breakdown", "zero_optimization", "tensor_parallel", "hybrid_engine", "activation_checkpointing"};
    static const std::set<std::string> kZeroKept{"stage", "offload_param", "stage3_max_live_parameters", "stage3_max_reuse_distance", "stage3_prefetch_bucket_size",
                                                 "stage3_param_persistence_threshold", "memory_efficient_linear"};
    Json out = Json::object();
    for (const auto& [key, value] : dsConfig.items()) {
        if (kKept.contains(key)) out[key] = value;
    }
    for (const char* precision : {"fp16", "bf16"}) {
        if (!out.contains(precision) || !out[precision].is_object()) continue;
        Json kept = Json::object();
        for (const char* key : {"enabled", "auto_cast"}) {
            if (out[precision].contains(key)) kept[key] = out[precision][key];
        }
        out[precision] = std::move(kept);
    }
    // There is nothing to accumulate: what one rank takes at a time tells all.
    if (micro.has_value() && !out.contains("train_micro_batch_size_per_gpu")) {
        Json first = Json::object();
        first["train_micro_batch_size_per_gpu"] = *micro;
        first.update(out);
        out = std::move(first);
    }
    if (out.contains("train_micro_batch_size_per_gpu")) out.erase("train_batch_size");
    if (!out.contains("zero_optimization") || !out["zero_optimization"].is_object()) return out;
    Json zero = Json::object();
    const bool divided = out["zero_optimization"].value("stage", Json(0)) == 3;
    if (divided) {
        for (const auto& [key, value] : out["zero_optimization"].items()) {
            if (kZeroKept.contains(key)) zero[key] = value;
        }
    } else {
        zero["stage"] = 0;
    }
    out["zero_optimization"] = std::move(zero);
    return out;
}

std::string dsConfigPython(const Json& dsConfig, const Json& evaluation, const std::string& name)
{
    std::string shown;
    for (const char c : name) shown += c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return "\"\"\"The DeepSpeed configs of " + (shown.empty() ? std::string("this workspace") : shown) + ", as functions of what changes between runs.\"\"\"\n\n\n" +
           function(dsConfig, "train_config", "The ds_config to train with.") + "\n\n" +
           function(evaluation, "evaluation_config", "The ds_config of an engine that only evaluates.");
}

}  // namespace stagecraft
