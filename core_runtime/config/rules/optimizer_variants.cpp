// SPDX-License-Identifier: GPL-3.0-or-later
// One type of optimizer becomes one of several classes, and each takes parameters of its own (R56).
#include "config/rules/optimizer_variants.h"

#include "config/rules/coercion.h"

#include <algorithm>
#include <cctype>

namespace stagecraft::rules {

namespace {

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// How a type is made: by torch's class, and on the CPU.
struct Variant {
    bool torchAdam = false;
    bool offloaded = false;
};

bool isAdam(const std::string& name) { return name == "adam" || name == "adamw"; }

bool takesIt(const Judge& judge, const std::string& name, Variant variant, const std::string& key)
{
    if (isAdam(name) && (key == "adam_w_mode" || key == "torch_adam")) {  // taken out before the class is made
        return true;
    }
    const std::string made = optimizerClass(judge, name, variant.torchAdam, variant.offloaded);
    const auto signature = judge.facts.signatures.find(made);
    if (signature == judge.facts.signatures.end()) {
        return !made.empty();  // Muon looks its parameters up by name: the catalog knows which
    }
    if (made == "DeepSpeedCPUAdam" && key == "adamw_mode") {  // DeepSpeed gives that itself
        return false;
    }
    if (key == "amsgrad" && !made.starts_with("torch.optim.")) {  // a parameter of them all, refused when it is on, or used nowhere
        return false;
    }
    const std::vector<std::string>& takes = signature->second.takes;
    return std::find(takes.begin(), takes.end(), key) != takes.end();
}

/// The name by which a release knows the type `written`; empty where it does not.
std::string nameOf(const ReleaseFacts& facts, const std::string& written)
{
    const std::string lower = lowerCase(written);
    return facts.optimizers.count(lower) > 0 ? lower : facts.torchOptimizers.count(written) > 0 ? written : std::string();
}

}  // namespace

std::string optimizerClass(const Judge& judge, const std::string& name, bool torchAdam, bool cpuOffload)
{
    static const std::string kTorch = "torch.optim.";
    if (isAdam(name)) {
        if (torchAdam) {
            const ConfigValue* params = judge.parsed.optimizerParams;
            const ConfigValue* decoupled = params == nullptr ? nullptr : params->find("adam_w_mode");
            return kTorch + (name == "adamw" || decoupled == nullptr || pythonTruth(*decoupled) ? "AdamW" : "Adam");
        }
        return cpuOffload ? "DeepSpeedCPUAdam" : "FusedAdam";
    }
    if (name == "adagrad") {
        return cpuOffload ? "DeepSpeedCPUAdagrad" : "torch.optim.Adagrad";
    }
    if (name == "lion") {
        return cpuOffload ? "DeepSpeedCPULion" : "FusedLion";
    }
    if (name == "lamb") {
        return "FusedLamb";
    }
    if (name == "onebitadam") {
        return "OnebitAdam";
    }
    if (name == "onebitlamb") {
        return "OnebitLamb";
    }
    if (name == "zerooneadam") {
        return "ZeroOneAdam";
    }
    if (name == "muon") {
        return "MuonWithAuxAdam";
    }
    return judge.facts.torchOptimizers.count(name) > 0 ? kTorch + name : std::string();
}

ParameterTakers takersOf(const Judge& judge, const std::string& key, const std::string& owner, std::vector<std::string> types)
{
    ParameterTakers out;
    const bool uncatalogued = types.empty();
    for (const char* own : {"Adam", "AdamW", "Adagrad", "Lamb", "Lion"}) {
        if (std::none_of(types.begin(), types.end(), [&](const std::string& type) { return lowerCase(type) == lowerCase(own); })) {
            types.emplace_back(own);
        }
    }
    for (const std::string& own : uncatalogued ? judge.facts.torchOptimizers : std::set<std::string, std::less<>>()) {
        const auto signature = judge.facts.signatures.find("torch.optim." + own);
        const bool has = signature != judge.facts.signatures.end() && std::find(signature->second.takes.begin(), signature->second.takes.end(), key) != signature->second.takes.end();
        if (has && std::find(types.begin(), types.end(), own) == types.end() && own != "LBFGS" && own != "SparseAdam" && own != "Muon") {  // which DeepSpeed cannot step
            types.push_back(own);
        }
    }
    std::sort(types.begin(), types.end());
    const std::string asked = nameOf(judge.facts, owner);
    const auto words = [&](const char* message) { return messageText(judge.context.language, message, {}); };
    for (const std::string& type : types) {
        const std::string name = nameOf(judge.facts, type);
        const bool device = takesIt(judge, name, {false, false}, key), host = takesIt(judge, name, {false, true}, key), torch = isAdam(name) && takesIt(judge, name, {true, false}, key);
        if (name.empty() || (!device && !host && !torch)) {
            continue;
        }
        if (name == asked) {
            const ConfigValue* params = judge.parsed.optimizerParams;
            const ConfigValue* switched = params == nullptr || !isAdam(name) ? nullptr : params->find("torch_adam");
            const bool byTorch = switched != nullptr && pythonTruth(*switched);
            const bool both = device && host;
            out.ownMessage = torch ? "meant.torch" : byTorch ? (both ? "meant.own" : device ? "meant.own.device" : "meant.own.host") : device ? "meant.device" : "meant.host";
            continue;
        }
        out.others.push_back(type + (device && host ? "" : device ? words("meant.if.device") : host ? words("meant.if.host") : words("meant.if.torch")));
    }
    return out;
}

}  // namespace stagecraft::rules
