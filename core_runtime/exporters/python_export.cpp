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

using Arguments = std::map<std::string, std::string>;  // pointer -> name

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

std::string function(const Json& config, const char* name, const char* says)
{
    Arguments arguments;
    std::string head = std::string("def ") + name + "(";
    const std::string under(head.size(), ' ');
    bool first = true;
    for (const Argument& argument : kArguments) {
        const Json::json_pointer at(argument.pointer);
        if (!config.contains(at) || config.at(at).is_structured()) continue;
        arguments[argument.pointer] = argument.name;
        head += (first ? "" : ",\n" + under) + argument.name + "=" + scalar(config.at(at));
        first = false;
    }
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
