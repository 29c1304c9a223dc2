// SPDX-License-Identifier: GPL-3.0-or-later
// Muon for the matrices, and the Adam beside it for everything else: each takes its share of one set of parameters (R38, R56).
#include "config/rules/judge.h"
#include "config/rules/misnomers.h"

#include <algorithm>

namespace stagecraft::rules {

namespace {

const std::string kParams = "/optimizer/params/";

}  // namespace

void checkMuonParameters(Judge& judge, const EnginePlan& plan, const ConfigValue& params)
{
    const ConfigValue* method = params.find("ns_method");
    // 0.18 has one method and passes no word on
    if (method != nullptr && judge.facts.atLeast(0, 19, 0) && !method->isString("gram") && !method->isString("standard")) {
        judge.refuse(CheckLevel::Engine, "R38", "R38.method", kParams + "ns_method", {{"value", toJson(*method)}}, patchRemove(kParams + "ns_method"));
    }
    const bool both = params.find("muon_lr") != nullptr && params.find("adam_lr") != nullptr;  // each half then has its own rate
    for (const char* key : {"lr", "muon_lr", "adam_lr", "momentum", "weight_decay", "eps"}) {
        const ConfigValue* value = params.find(key);
        const bool rate = std::string_view(key).ends_with("lr");
        // Older releases orthogonalize in ZeRO alone, 0.18 only where the optimizer is not offloaded; nothing else asks for the momentum.
        const bool outside = judge.parsed.stage() == 0 ? !judge.facts.atLeast(0, 19, 7) : plan.cpuOffload && !judge.facts.atLeast(0, 19, 0);
        const bool unused = std::string_view(key) == "momentum" && outside;
        if (value == nullptr || value->isNumber() || unused) {
            continue;
        }
        if (rate && plan.rateWritten) {
            judge.unwise("R56", "R56.written", kParams + key, {{"key", key}, {"value", toJson(*value)}, {"scheduler", judge.parsed.schedulerName}}, patchRemove(kParams + key));
        } else if (!both || std::string_view(key) != "lr") {
            refuseOptimizerValue(judge, plan, key, *value);
        }
    }
    const ConfigValue* betas = params.find("betas");
    const auto number = [](const ConfigValue& value) { return value.isNumber(); };
    if (betas != nullptr && !(betas->isList() && betas->items.size() == 2 && std::all_of(betas->items.begin(), betas->items.end(), number))) {
        judge.refuse(CheckLevel::Engine, "R56", betas->isString("auto") ? "R56.auto.pair" : "R56.betas", kParams + "betas",
                     {{"key", "betas"}, {"value", toJson(*betas)}, {"optimizer", plan.shownName}}, replaceBetas(kParams + "betas", *betas));
    }
}

}  // namespace stagecraft::rules
