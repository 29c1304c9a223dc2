// SPDX-License-Identifier: GPL-3.0-or-later
// What the optimizers of torch make of their parameters when they are built and stepped twice (R56).
#include "config/rules/judge.h"
#include "config/rules/misnomers.h"

#include <algorithm>
#include <array>

namespace stagecraft::rules {

namespace {

const std::string kParams = "/optimizer/params/";

enum class Wants { Number, Positive, Share, NotAbove0, AtLeast1, Etas, Steps, Epsilons, Betas, False, CapturableDevice };

struct TorchParameter {
    std::string_view optimizer;  ///< empty = any that has no row of its own
    std::string_view key;
    Wants wants;
};

constexpr std::array kParameters{
    TorchParameter{"Adafactor", "eps", Wants::Epsilons},
    TorchParameter{"Adafactor", "beta2_decay", Wants::NotAbove0},
    TorchParameter{"Adafactor", "d", Wants::AtLeast1},
    TorchParameter{"ASGD", "alpha", Wants::Number},
    TorchParameter{"ASGD", "lambd", Wants::Number},
    TorchParameter{"ASGD", "t0", Wants::Number},
    TorchParameter{"Adadelta", "rho", Wants::Share},
    TorchParameter{"Adagrad", "initial_accumulator_value", Wants::Positive},
    TorchParameter{"Adagrad", "lr_decay", Wants::Positive},
    TorchParameter{"NAdam", "momentum_decay", Wants::Positive},
    TorchParameter{"RMSprop", "alpha", Wants::Positive},
    TorchParameter{"Rprop", "etas", Wants::Etas},
    TorchParameter{"Rprop", "step_sizes", Wants::Steps},
    TorchParameter{"SGD", "dampening", Wants::Number},
    TorchParameter{"", "lr", Wants::Positive},
    TorchParameter{"", "eps", Wants::Positive},
    TorchParameter{"", "weight_decay", Wants::Positive},
    TorchParameter{"", "momentum", Wants::Positive},
    TorchParameter{"", "betas", Wants::Betas},
    TorchParameter{"", "differentiable", Wants::False},
    TorchParameter{"", "capturable", Wants::CapturableDevice},
};

bool isPair(const ConfigValue& value, bool firstMayBeNull = false)
{
    return value.isList() && value.items.size() == 2 && (value.items[0].isNumber() || (firstMayBeNull && value.items[0].isNull())) && value.items[1].isNumber();
}

class TorchCheck {
public:
    TorchCheck(Judge& judge, const EnginePlan& plan, const ConfigValue& params)
        : m_judge(judge), m_plan(plan), m_params(params), m_class(plan.optimizerClass.substr(plan.optimizerClass.rfind('.') + 1))
    {
    }

    void all()
    {
        for (const TorchParameter& row : kParameters) {
            const bool own = std::any_of(kParameters.begin(), kParameters.end(), [&](const TorchParameter& other) { return other.optimizer == m_class && other.key == row.key; });
            const ConfigValue* value = row.optimizer == m_class || (row.optimizer.empty() && !own) ? m_params.find(row.key) : nullptr;
            if (value != nullptr) {
                check(std::string(row.key), *value, row.wants);
            }
        }
        if (truth("fused") && truth("foreach")) {
            m_judge.refuse(CheckLevel::Engine, "R56", "R56.both", kParams + "fused", {{"optimizer", m_plan.shownName}}, patchRemove(kParams + "foreach"));
        }
        if (m_class == "SGD" && truth("nesterov") && (!truth("momentum") || truth("dampening"))) {
            m_judge.refuse(CheckLevel::Engine, "R56", truth("momentum") ? "R56.nesterov.dampening" : "R56.nesterov", kParams + "nesterov", {{"optimizer", m_plan.shownName}},
                           truth("momentum") ? patchRemove(kParams + "dampening") : patchAdd(kParams + "momentum", "0.9"));
        }
    }

private:
    [[nodiscard]] bool truth(std::string_view key) const
    {
        const ConfigValue* value = m_params.find(key);
        return value != nullptr && pythonTruth(*value);
    }

    void refuse(const std::string& key, const ConfigValue& value, const std::string& expected)
    {
        m_judge.refuse(CheckLevel::Engine, "R56", "R56.range", kParams + key,
                       {{"key", key}, {"value", toJson(value)}, {"optimizer", m_plan.shownName}, {"expected", expected}});
    }

    void number(const std::string& key, const ConfigValue& value, bool inRange, const std::string& expected)
    {
        if (!value.isNumber()) {
            refuseOptimizerValue(m_judge, m_plan, key, value);
        } else if (!inRange) {
            refuse(key, value, expected);
        }
    }

    void pair(const std::string& key, const ConfigValue& value, bool fits, const std::string& expected)
    {
        if (!fits) {
            m_judge.refuse(CheckLevel::Engine, "R56", value.isString("auto") ? "R56.auto.pair" : "R56.pair", kParams + key,
                           {{"key", key}, {"value", toJson(value)}, {"optimizer", m_plan.shownName}, {"expected", expected}});
        }
    }

    void check(const std::string& key, const ConfigValue& value, Wants wants)
    {
        const double is = value.isNumber() ? value.asDouble() : 0.0;
        switch (wants) {
        case Wants::Number: number(key, value, true, {}); break;
        case Wants::Positive: number(key, value, is >= 0.0 && !(key == "weight_decay" && addsDecay() && value.isBool() && value.boolean), ">= 0"); break;
        case Wants::Share: number(key, value, is >= 0.0 && is <= 1.0, "0 .. 1"); break;
        case Wants::NotAbove0: number(key, value, is <= 0.0, "<= 0"); break;
        case Wants::AtLeast1: number(key, value, is >= 1.0, ">= 1"); break;
        case Wants::Etas:
            pair(key, value, isPair(value) && value.items[0].asDouble() > 0.0 && value.items[0].asDouble() < 1.0 && value.items[1].asDouble() > 1.0, "0 < eta- < 1 < eta+: [0.5, 1.2]");
            break;
        case Wants::Steps: pair(key, value, isPair(value), "[1e-6, 50]"); break;
        case Wants::Epsilons:
            pair(key, value, isPair(value, true) && (value.items[0].isNull() || value.items[0].asDouble() >= 0.0) && value.items[1].asDouble() >= 0.0, "[null, 0.001]");
            break;
        case Wants::Betas: betas(value); break;
        case Wants::False:  // 0 is refused as well: torch wants the switch itself
            if (!value.isBool() || value.boolean) refuse(key, value, "false");
            break;
        case Wants::CapturableDevice:
            if (m_judge.context.device == "cpu" && pythonTruth(value)) refuse(key, value, "false");
            break;
        }
    }

    /// Decay that is added with alpha=weight_decay, which torch does not take for true.
    [[nodiscard]] bool addsDecay() const { return m_class != "AdamW" && m_class != "Adafactor" && !truth("decoupled_weight_decay"); }

    void betas(const ConfigValue& value)
    {
        if (!isPair(value)) {
            m_judge.refuse(CheckLevel::Engine, "R56", value.isString("auto") ? "R56.auto.pair" : "R56.betas", kParams + "betas",
                           {{"key", "betas"}, {"value", toJson(value)}, {"optimizer", m_plan.shownName}}, replaceBetas(kParams + "betas", value));
            return;
        }
        const bool floats = m_class != "Adam" && m_class != "AdamW";  // these two look at the type
        if (std::any_of(value.items.begin(), value.items.end(), [&](const ConfigValue& beta) {
                return beta.asDouble() < 0.0 || beta.asDouble() >= 1.0 || (!floats && beta.kind != ConfigValue::Kind::Float);
            })) {
            refuse("betas", value, floats ? "0 <= beta < 1" : "0.0 <= beta < 1.0");
        }
    }

    Judge& m_judge;
    const EnginePlan& m_plan;
    const ConfigValue& m_params;
    std::string m_class;
};

}  // namespace

void checkTorchOptimizer(Judge& judge, const EnginePlan& plan, const ConfigValue& params)
{
    TorchCheck(judge, plan, params).all();
}

}  // namespace stagecraft::rules
