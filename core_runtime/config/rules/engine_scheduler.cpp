// SPDX-License-Identifier: GPL-3.0-or-later
// The learning-rate schedule the engine builds (R58, R59).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/misnomers.h"
#include "config/rules/misplaced.h"

#include <algorithm>
#include <array>
#include <optional>

namespace stagecraft::rules {

namespace {

const std::string kParams = "/scheduler/params";

constexpr std::array kOwn{"WarmupLR", "WarmupDecayLR", "WarmupCosineLR", "OneCycle", "LRRangeTest"};

/// Torch's schedules of functions, or of other schedules: whatever JSON gives them is none.
constexpr std::array kOfPython{"LambdaLR", "MultiplicativeLR", "SequentialLR"};

/// A learning rate, momentum or ratio: a number, or a list with one number for the one parameter group.
bool isRate(const ConfigValue& value)
{
    return value.isNumber() || (value.isList() && value.items.size() == 1 && value.items[0].isNumber());
}

/// What says that a warm-up of one step acts as two, and where the longer one is given.
constexpr const char* oneStep(CheckLauncher launcher)
{
    return launcher == CheckLauncher::Transformers ? "R59.one.trainer" : launcher == CheckLauncher::Accelerate ? "R59.one.accelerate" : "R59.one";
}

/// What a parameter of a torch schedule must be so that it can be made and stepped twice.
enum class Wants { Number, NonZero, BelowOne, Share, OpenShare, Fraction, Count, Rate, Start, Nothing };

struct TorchParameter {
    std::string_view schedule;  ///< empty = any
    std::string_view key;
    Wants wants;
};

constexpr std::array kTorchParameters{
    TorchParameter{"", "last_epoch", Wants::Start},
    TorchParameter{"ConstantLR", "factor", Wants::Share},
    TorchParameter{"CosineAnnealingLR", "T_max", Wants::NonZero},
    TorchParameter{"CosineAnnealingLR", "eta_min", Wants::Number},
    TorchParameter{"CosineAnnealingWarmRestarts", "T_0", Wants::Count},
    TorchParameter{"CosineAnnealingWarmRestarts", "T_mult", Wants::Count},
    TorchParameter{"CosineAnnealingWarmRestarts", "eta_min", Wants::Number},
    TorchParameter{"CyclicLR", "base_lr", Wants::Rate},
    TorchParameter{"CyclicLR", "max_lr", Wants::Rate},
    TorchParameter{"CyclicLR", "base_momentum", Wants::Rate},
    TorchParameter{"CyclicLR", "max_momentum", Wants::Rate},
    TorchParameter{"CyclicLR", "scale_fn", Wants::Nothing},
    TorchParameter{"ExponentialLR", "gamma", Wants::Number},
    TorchParameter{"LinearLR", "start_factor", Wants::OpenShare},
    TorchParameter{"LinearLR", "end_factor", Wants::Share},
    TorchParameter{"LinearLR", "total_iters", Wants::Number},
    TorchParameter{"OneCycleLR", "max_lr", Wants::Rate},
    TorchParameter{"OneCycleLR", "pct_start", Wants::Fraction},
    TorchParameter{"OneCycleLR", "base_momentum", Wants::Rate},
    TorchParameter{"OneCycleLR", "max_momentum", Wants::Rate},
    TorchParameter{"OneCycleLR", "div_factor", Wants::NonZero},
    TorchParameter{"OneCycleLR", "final_div_factor", Wants::NonZero},
    TorchParameter{"PolynomialLR", "total_iters", Wants::Number},
    TorchParameter{"PolynomialLR", "power", Wants::Number},
    TorchParameter{"ReduceLROnPlateau", "factor", Wants::BelowOne},
    TorchParameter{"StepLR", "step_size", Wants::NonZero},
};

/// What `value` should be instead; empty when it will do.
std::string_view unmet(Wants wants, const ConfigValue& value)
{
    const double number = value.isNumber() ? value.asDouble() : 0.0;
    switch (wants) {
    case Wants::Number: return value.isNumber() ? "" : "a number";
    case Wants::NonZero: return value.isNumber() && number != 0.0 ? "" : "a number other than 0";
    case Wants::BelowOne: return value.isNumber() && number < 1.0 ? "" : "a number below 1";
    case Wants::Share: return value.isNumber() && number >= 0.0 && number <= 1.0 ? "" : "a number from 0 to 1";
    case Wants::OpenShare: return value.isNumber() && number > 0.0 && number <= 1.0 ? "" : "a number above 0, at most 1";
    case Wants::Fraction: return value.kind == ConfigValue::Kind::Float && number >= 0.0 && number <= 1.0 ? "" : "a fraction from 0.0 to 1.0";
    case Wants::Count: return value.isIntLike() && number >= 1.0 ? "" : "an integer of 1 or more";
    case Wants::Rate: return isRate(value) ? "" : "a number";
    case Wants::Start: return value.isNumber() && number == -1.0 ? "" : "-1";
    case Wants::Nothing: return value.isNull() ? "" : "null";
    }
    return "";
}

class SchedulerCheck {
public:
    SchedulerCheck(Judge& judge, const EnginePlan& plan, std::string name, const ConfigValue& params) : m_judge(judge), m_plan(plan), m_name(std::move(name)), m_params(params) {}

    void own()
    {
        arguments(m_name);
        for (const char* key : {"warmup_min_lr", "warmup_max_lr", "lr_range_test_min_lr", "lr_range_test_step_rate",
                                "cycle_min_lr", "cycle_max_lr", "decay_lr_rate", "cycle_min_mom", "cycle_max_mom", "decay_mom_rate"}) {
            rate(key);
        }
        cosineStart();
        cosineFloor();
        steps("warmup_num_steps");
        steps("lr_range_test_step_size");
        total();
        warmupType();
        peak();
        ownRates();
        if (m_name == "OneCycle") {
            cycle();
        }
    }

    void torch()
    {
        arguments("torch.lr_scheduler." + m_name);
        for (const TorchParameter& each : kTorchParameters) {
            const ConfigValue* value = each.schedule.empty() || each.schedule == m_name ? m_params.find(each.key) : nullptr;
            const std::string_view expected = value == nullptr ? "" : unmet(each.wants, *value);
            if (!expected.empty()) {
                refuseValue(std::string(each.key), *value, std::string(expected));
            }
        }
        const ConfigValue* total = m_params.find("total_steps");
        const ConfigValue* epochs = m_params.find("epochs");
        const ConfigValue* perEpoch = m_params.find("steps_per_epoch");
        const auto given = [](const ConfigValue* value) { return value != nullptr && !value->isNull(); };
        if (m_name == "OneCycleLR" && given(total) && !(total->isIntLike() && total->asInt() >= 2)) {
            refuseValue("total_steps", *total, "an integer of 2 or more");
        } else if (m_name == "OneCycleLR" && !given(total) && !(given(epochs) && given(perEpoch))) {
            m_judge.refuse(CheckLevel::Engine, "R59", "R59.missing", kParams, {{"key", "total_steps"}, {"scheduler", m_name}}, {}, Judge::At::Key);
        }
        ownRates();
        if (m_name == "OneCycleLR") {
            oneCycleLength(given(total) ? total : nullptr, epochs, perEpoch);
        }
        word("ReduceLROnPlateau", "mode", {"min", "max"}, "min, max");
        word("ReduceLROnPlateau", "threshold_mode", {"rel", "abs"}, "rel, abs");
        const ConfigValue* least = m_name == "ReduceLROnPlateau" ? m_params.find("min_lr") : nullptr;
        if (least != nullptr && least->isList() && least->items.size() != 1) {
            refuseValue("min_lr", *least, "a number, or a list with one number per parameter group");
        }
        word("CyclicLR", "mode", {"triangular", "triangular2", "exp_range"}, "triangular, triangular2, exp_range");
        word("OneCycleLR", "anneal_strategy", {"cos", "linear"}, "cos, linear");
        const ConfigValue* up = m_name == "CyclicLR" ? m_params.find("step_size_up") : nullptr;
        if (up != nullptr && !(up->isNumber() ? up->asDouble() != 0.0 : up->isString() && pythonFloat(up->text).value_or(0.0) != 0.0)) {
            refuseValue("step_size_up", *up, "a number other than 0");
        }
        const ConfigValue* milestones = m_name == "MultiStepLR" ? m_params.find("milestones") : nullptr;
        if (milestones != nullptr && milestones->isNumber()) {
            refuseValue("milestones", *milestones, "[10, 20]");
        }
    }

    void arguments(const std::string& signatureName)
    {
        const auto found = m_judge.facts.signatures.find(signatureName);
        if (found == m_judge.facts.signatures.end()) {
            return;
        }
        const SignatureFacts& signature = found->second;
        for (const ConfigMember& member : m_params.members) {
            if (signature.takesMore || std::find(signature.takes.begin(), signature.takes.end(), member.key) != signature.takes.end()) {
                continue;
            }
            refuseUnknownParameter(m_judge, kParams, m_params, member, signature, m_name);
        }
        for (const std::string& needed : signature.needs) {
            if (m_params.find(needed) == nullptr) {
                const bool filled = needed == "total_num_steps" && m_judge.context.launcher == CheckLauncher::Transformers;
                m_judge.refuse(CheckLevel::Engine, "R59", filled ? "R59.missing.auto" : "R59.missing", kParams, {{"key", needed}, {"scheduler", m_name}}, filled ? patchAdd(kParams + "/" + needed, "\"auto\"") : std::string(), Judge::At::Key);
            }
        }
    }

private:
    /// Two steps must fit, and the rise must not end at the very first one, over whose length torch divides.
    void oneCycleLength(const ConfigValue* total, const ConfigValue* epochs, const ConfigValue* perEpoch)
    {
        const auto counts = [](const ConfigValue* value) { return value != nullptr && value->isIntLike() && value->asInt() > 0; };
        const bool product = total == nullptr && counts(epochs) && counts(perEpoch);
        if (!product && !counts(total)) {
            return;
        }
        const double steps = product ? epochs->asDouble() * perEpoch->asDouble() : total->asDouble();
        if (product && steps < 2.0) {
            refuseValue("steps_per_epoch", *perEpoch, "2 or more steps in all epochs together");
        }
        const ConfigValue* rise = m_params.find("pct_start");
        const double share = rise == nullptr ? 0.3 : rise->kind == ConfigValue::Kind::Float ? rise->number : -1.0;
        if (steps >= 2.0 && share * steps == 1.0) {
            refuseValue(rise == nullptr ? "total_steps" : "pct_start", rise == nullptr ? *(product ? perEpoch : total) : *rise, "a share of the steps other than 1 / total_steps");
        }
    }

    void refuseValue(const std::string& key, const ConfigValue& value, const std::string& expected)
    {
        m_judge.refuse(CheckLevel::Engine, "R59", "R59.torch", kParams + "/" + key,
                       {{"key", key}, {"value", toJson(value)}, {"scheduler", m_name}, {"expected", expected}});
    }

    void word(std::string_view schedule, const char* key, std::initializer_list<std::string_view> words, const char* all)
    {
        const ConfigValue* value = m_name == schedule ? m_params.find(key) : nullptr;
        if (value != nullptr && std::none_of(words.begin(), words.end(), [&](std::string_view w) { return value->isString(w); })) {
            refuseValue(key, *value, all);
        }
    }

    /// OneCycle calculates with the rates of its decay as they are, and before 0.19 with all of its values, in spite of its own description of them.
    [[nodiscard]] bool takesNoList(std::string_view key) const
    {
        const ConfigValue* cycled = m_params.find("cycle_momentum");
        const std::string& optimizer = m_plan.optimizerClass;  // momentum is cycled where there are betas
        const bool betas = (cycled == nullptr || pythonTruth(*cycled)) && (optimizer.find("Adam") != std::string::npos || optimizer.find("Lamb") != std::string::npos || optimizer.find("Lion") != std::string::npos);
        const bool momentum = key.ends_with("_mom") || key == "decay_mom_rate", decay = key.starts_with("decay_");
        return m_name == "OneCycle" && (decay || !m_judge.facts.atLeast(0, 19, 0)) && (momentum ? betas : decay || key.starts_with("cycle_"));
    }

    void rate(const char* key)
    {
        const ConfigValue* value = m_params.find(key);
        if (value != nullptr && value->isList() && takesNoList(key)) {
            const std::string at = kParams + "/" + key, fix = value->items.size() == 1 && value->items[0].isNumber() ? patchReplace(at, toJson(value->items[0])) : std::string();
            m_judge.refuse(CheckLevel::Engine, "R59", std::string_view(key).starts_with("decay_") ? "R59.list.none" : "R59.list.one", at, {{"key", key}, {"release", m_judge.facts.version}}, fix);
            return;
        }
        const bool one = std::string_view(key) == "warmup_min_ratio" || std::string_view(key) == "cos_min_ratio";  // calculated with as they are
        if (value == nullptr || (one ? value->isNumber() : isRate(*value))) return;
        if (value->isNull() && std::string_view(key) == "warmup_max_lr" && m_judge.facts.atLeast(0, 17, 0)) {
            return;  // taken from the optimizer
        }
        const std::string at = kParams + "/" + key;
        if (value->isList() && !one) {
            m_judge.refuse(CheckLevel::Engine, "R59", "R59.list", at, {{"key", key}});
        } else {
            m_judge.refuse(CheckLevel::Engine, "R59", value->isString("auto") ? "R56.auto" : "R56.value", at,
                           {{"key", key}, {"value", toJson(*value)}, {"optimizer", m_name}});
        }
    }

    /// The ratio that the warm-up begins at is met in the first step. DeepSpeed catches a TypeError there and asks for the step whose number is the batch
    /// size: where the warm-up is over by then, the schedule goes on from it.
    void cosineStart()
    {
        const ConfigValue* value = m_params.find("warmup_min_ratio");
        if (value == nullptr || value->isNumber()) return;
        const ConfigValue* warmup = m_params.find("warmup_num_steps");
        const double rise = warmup == nullptr ? 1000.0 : warmup->isNumber() ? std::max(2.0, warmup->asDouble()) : 0.0;
        const double batch = m_judge.parsed.batchKnown ? batchNumberValue(m_judge.parsed.batch.trainBatchSize) : 0.0;
        if (m_name != "WarmupCosineLR" || m_params.find("last_batch_iteration") != nullptr || rise == 0.0 || batch < rise) {
            rate("warmup_min_ratio");
            return;
        }
        const std::string at = kParams + "/warmup_min_ratio";
        const auto quoted = value->isString() ? pythonFloat(value->text) : std::nullopt;
        m_judge.warn(CheckLevel::Engine, "R59", "R59.jump", at, {{"value", toJson(*value)}, {"batch", shortNumber(batch)}, {"steps", shortNumber(rise)}},
                     quoted && *quoted >= 0.0 && *quoted <= 1.0 ? patchReplace(at, shortNumber(*quoted)) : std::string());
    }

    /// The ratio that the cosine ends at counts once the warm-up is over, which takes two steps at least.
    void cosineFloor()
    {
        const ConfigValue* value = m_name == "WarmupCosineLR" ? m_params.find("cos_min_ratio") : nullptr;
        if (value == nullptr || value->isNumber()) return;
        const ConfigValue* last = m_params.find("last_batch_iteration");
        const ConfigValue* warmup = m_params.find("warmup_num_steps");
        const double rise = warmup == nullptr || !warmup->isNumber() ? 1000.0 : std::max(2.0, warmup->asDouble());
        if (last != nullptr && last->isNumber() && last->asDouble() + 2.0 >= rise) {  // goes on where the rise is over
            rate("cos_min_ratio");
            return;
        }
        const double quoted = value->isString() ? pythonFloat(value->text).value_or(-1.0) : -1.0;
        const std::string at = kParams + "/cos_min_ratio";
        m_judge.warn(CheckLevel::Engine, "R59", "R59.floor", at, {{"value", toJson(*value)}, {"steps", shortNumber(rise)}},
                     quoted >= 0.0 && quoted <= 1.0 ? patchReplace(at, shortNumber(quoted)) : std::string());
    }

    void steps(const char* key)
    {
        const ConfigValue* value = m_params.find(key);
        if (value == nullptr) return;
        const std::string at = kParams + "/" + key;
        const bool strict = m_judge.facts.atLeast(0, 19, 0);
        const bool whole = value->isIntLike() && value->asInt() > 0;
        const bool divides = std::string_view(key) == "lr_range_test_step_size" && value->isNumber() && value->asDouble() == 0.0;
        if (strict ? !whole : !value->isNumber() || divides) {
            m_judge.refuse(CheckLevel::Engine, "R59", value->isString("auto") ? "R56.auto" : "R59.steps", at,
                           {{"key", key}, {"value", toJson(*value)}, {"optimizer", m_name}});
        } else if (std::string_view(key) == "warmup_num_steps" && value->asDouble() < 2.0) {
            m_judge.change(CheckLevel::Engine, "R59", oneStep(m_judge.context.launcher), at, "2", {{"value", toJson(*value)}}, CheckSeverity::Info);
        }
    }

    void total()
    {
        const ConfigValue* total = m_params.find("total_num_steps");
        if (total == nullptr || (m_name != "WarmupDecayLR" && m_name != "WarmupCosineLR")) return;
        if (!total->isNumber()) {
            m_judge.refuse(CheckLevel::Engine, "R59", total->isString("auto") ? "R56.auto" : "R56.value", kParams + "/total_num_steps",
                           {{"key", "total_num_steps"}, {"value", toJson(*total)}, {"optimizer", m_name}});
            return;
        }
        const ConfigValue* warmup = m_params.find("warmup_num_steps");
        const double rise = warmup != nullptr && warmup->isNumber() ? std::max(2.0, warmup->asDouble()) : 1000.0, steps = total->asDouble();
        const bool cosine = m_name == "WarmupCosineLR", clamped = m_judge.facts.atLeast(0, 19, 0);
        const std::string words = !cosine ? "R59.total" : clamped ? "R59.total.floor" : steps == rise ? "R59.total.divide" : "R59.total.swing";
        if (steps < rise || (steps == rise && cosine && !clamped)) {
            m_judge.warn(CheckLevel::Engine, "R59", words, kParams + "/total_num_steps", {{"total", shortNumber(steps)}, {"warmup", shortNumber(rise)}});
        }
    }

    void warmupType()
    {
        const ConfigValue* type = m_params.find("warmup_type");
        if (type != nullptr && !type->isString("log") && !type->isString("linear") && m_name != "OneCycle" && m_name != "LRRangeTest") {
            if (m_name == "WarmupCosineLR" && !m_judge.facts.atLeast(0, 19, 0)) {  // it had no branch for other words, nor a way round them
                m_judge.refuse(CheckLevel::Engine, "R59", "R59.branch", kParams + "/warmup_type", {{"value", toJson(*type)}}, patchReplace(kParams + "/warmup_type", "\"linear\""));
                return;
            }
            CheckFinding* const finding = m_judge.change(CheckLevel::Engine, "R59", "R59.type", kParams + "/warmup_type", "\"log\"", {{"value", toJson(*type)}});
            const std::string near = type->isString() ? nearestWord(type->text, {"linear", "log"}) : std::string();
            if (finding != nullptr && !near.empty()) {
                finding->fix = patchReplace(kParams + "/warmup_type", "\"" + near + "\"");
                finding->safe = near == "log";  // as which it acts
            }
        }
    }

    /// The rate a warm-up ends at is the schedule's, whatever the optimizer's "lr" is: the schedule writes over it in every step.
    void peak()
    {
        const bool decays = m_name == "WarmupDecayLR";
        if (!decays && m_name != "WarmupLR") {
            return;
        }
        const ConfigValue* params = m_judge.context.optimizer.empty() ? m_judge.parsed.optimizerParams : nullptr;
        const ConfigValue* rate = params == nullptr ? nullptr : params->find("lr");
        const bool rateKnown = rate != nullptr && rate->isNumber();
        const ConfigValue* most = m_params.find("warmup_max_lr");
        const bool asksOptimizer = m_judge.facts.atLeast(0, 17, 0);  // for what is null, and WarmupLR for what is missing
        if (most == nullptr ? asksOptimizer && !decays : most->isNull()) {
            return;
        }
        const double reached = most == nullptr ? 0.001 : most->isList() && !most->items.empty() ? most->items[0].asDouble() : most->asDouble();
        if ((most != nullptr && !isRate(*most)) || (rateKnown && rate->asDouble() == reached) || (most != nullptr && !rateKnown) || (!rateKnown && m_judge.context.optimizer.empty())) {
            return;
        }
        if (most != nullptr) {
            m_judge.overrule("R59", "R59.peak", kParams + "/warmup_max_lr", CheckSeverity::Info, {{"lr", toJson(*rate)}, {"peak", toJson(*most)}, {"scheduler", m_name}});
        } else if (rateKnown) {
            m_judge.overrule("R59", "R59.peak.missing", kParams, CheckSeverity::Warning, {{"lr", toJson(*rate)}, {"scheduler", m_name}, {"release", m_judge.facts.version}},
                             patchAdd(kParams + "/warmup_max_lr", toJson(*rate)));
        } else {
            m_judge.overrule("R59", "R59.peak.client", kParams, CheckSeverity::Warning, {{"optimizer", m_judge.context.optimizer}, {"scheduler", m_name}, {"release", m_judge.facts.version}});
        }
    }

    /// Schedules that run through rates of their own: OneCycle and the range test of DeepSpeed, the two cycles of torch.
    void ownRates()
    {
        const ConfigValue* params = m_judge.context.optimizer.empty() ? m_judge.parsed.optimizerParams : nullptr;
        const ConfigValue* rate = params == nullptr ? nullptr : params->find("lr");
        if (rate == nullptr || !rate->isNumber()) {
            return;
        }
        const auto first = [&](const char* key) -> const ConfigValue* {
            const ConfigValue* value = m_params.find(key);
            value = value != nullptr && value->isList() && value->items.size() == 1 ? &value->items[0] : value;
            return value != nullptr && value->isNumber() ? value : nullptr;
        };
        if (m_name == "LRRangeTest") {
            const ConfigValue* least = first("lr_range_test_min_lr");
            const ConfigValue* size = first("lr_range_test_step_size");
            const ConfigValue* growth = first("lr_range_test_step_rate");
            if (least == nullptr || least->asDouble() != rate->asDouble()) {
                m_judge.overrule("R59", "R59.range", least == nullptr ? kParams : kParams + "/lr_range_test_min_lr", CheckSeverity::Info,
                                 {{"lr", toJson(*rate)}, {"start", least == nullptr ? "0.001" : toJson(*least)}, {"rate", growth == nullptr ? "1" : toJson(*growth)}, {"steps", size == nullptr ? "2000" : toJson(*size)}});
            }
            return;
        }
        const bool own = m_name == "OneCycle";
        const ConfigValue* peak = own ? first("cycle_max_lr") : m_name == "OneCycleLR" || m_name == "CyclicLR" ? first("max_lr") : nullptr;
        if (peak != nullptr && peak->asDouble() != rate->asDouble()) {
            m_judge.overrule("R59", "R59.peak", kParams + (own ? "/cycle_max_lr" : "/max_lr"), CheckSeverity::Info, {{"lr", toJson(*rate)}, {"peak", toJson(*peak)}, {"scheduler", m_name}});
        }
    }

    void cycle()
    {
        const ConfigValue* first = m_params.find("cycle_first_step_size");
        const ConfigValue* second = m_params.find("cycle_second_step_size");
        const bool strict = m_judge.facts.atLeast(0, 19, 0);
        // both go through float(), which reads numbers in quotes
        const auto read = [](const ConfigValue& value) { return value.isNumber() ? std::optional(value.asDouble()) : value.isString() ? pythonFloat(value.text) : std::nullopt; };
        const auto length = [&](const ConfigValue* value, double fallback) { return value == nullptr ? fallback : read(*value).value_or(fallback); };
        const double firstLength = length(first, 2000.0);
        const double whole = firstLength + length(second, firstLength);
        if (first != nullptr && (!read(*first) || (strict ? firstLength <= 0.0 : whole == 0.0))) {
            m_judge.refuse(CheckLevel::Engine, "R59", "R59.cycle", kParams + "/cycle_first_step_size",
                           {{"key", "cycle_first_step_size"}, {"value", toJson(*first)}, {"expected", "> 0"}});
        }
        // counted with as they are: the first stairs in the first step, the interval of the decay at once
        for (const char* key : {"cycle_first_stair_count", "decay_step_size"}) {
            const ConfigValue* number = m_params.find(key);
            if (number != nullptr && !number->isNumber() && (strict || std::string_view(key) == "decay_step_size")) {
                m_judge.refuse(CheckLevel::Engine, "R59", number->isString("auto") ? "R56.auto" : "R56.value", kParams + "/" + key, {{"key", key}, {"value", toJson(*number)}, {"optimizer", m_name}});
            }
        }
        if (second != nullptr && !second->isNull() && (!read(*second) || (strict && *read(*second) < 0.0) || whole == 0.0)) {
            m_judge.refuse(CheckLevel::Engine, "R59", "R59.cycle", kParams + "/cycle_second_step_size",
                           {{"key", "cycle_second_step_size"}, {"value", toJson(*second)}, {"expected", ">= 0"}});
        }
    }

    Judge& m_judge;
    const EnginePlan& m_plan;
    std::string m_name;
    const ConfigValue& m_params;
};

}  // namespace

void checkEngineScheduler(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const ConfigValue* section = judge.root.find("scheduler");
    const ConfigValue* type = section == nullptr ? nullptr : section->find("type");
    const bool named = !parsed.schedulerName.empty() || (type != nullptr && type->isString());  // "" is a name as well, of no schedule
    if (!plan.hasOptimizer || !named || !judge.context.scheduler.empty()) {
        return;
    }
    const std::string& name = parsed.schedulerName;
    const bool own = std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
    if (!own && (judge.facts.torchSchedulers.count(name) == 0 || name == "LRScheduler")) {  // torch's base class cannot be stepped
        std::vector<std::string> words(kOwn.begin(), kOwn.end());
        std::string near;
        for (const std::string& word : words) {
            if (word.size() == name.size() && std::equal(word.begin(), word.end(), name.begin(), [](char a, char b) { return std::tolower(a) == std::tolower(b); })) {
                near = word;
            }
        }
        near = near.empty() ? nearestWord(name, words) : near;
        judge.refuse(CheckLevel::Engine, "R58", near.empty() ? "R58" : "R58.near", "/scheduler/type", {{"value", name}, {"near", near}},
                     near.empty() ? std::string() : patchReplace("/scheduler/type", "\"" + near + "\""));
        return;
    }
    if (parsed.schedulerParams == nullptr || !parsed.schedulerParams->isObject()) {
        // Empty parameters are offered where the schedule needs none.
        const auto signature = judge.facts.signatures.find(own ? name : "torch.lr_scheduler." + name);
        const bool elsewhere = std::any_of(section->members.begin(), section->members.end(), [](const ConfigMember& member) {
            const auto others = otherNames("/scheduler", member.key);
            return !others.empty() && others.front()->place == "/scheduler/params";
        });
        const bool empty = !elsewhere && signature != judge.facts.signatures.end() && signature->second.needs.empty();
        // Older releases warm up to a rate of their own where none is written; the optimizer's stays.
        const ConfigValue* rate = parsed.optimizerParams == nullptr ? nullptr : parsed.optimizerParams->find("lr");
        const bool asksNobody = name == "WarmupLR" && !judge.facts.atLeast(0, 17, 0) && rate != nullptr && rate->isNumber();
        const std::string params = asksNobody ? R"({"warmup_max_lr": )" + toJson(*rate) + "}" : "{}";
        judge.refuse(CheckLevel::Engine, "R58", "R58.params", "/scheduler", {},
                     !empty ? std::string() : parsed.schedulerParams == nullptr ? patchAdd("/scheduler/params", params) : patchReplace("/scheduler/params", params));
        return;
    }
    if (!own && std::find(kOfPython.begin(), kOfPython.end(), name) != kOfPython.end()) {
        judge.refuse(CheckLevel::Engine, "R58", "R58.python", "/scheduler/type", {{"scheduler", name}});
        return;
    }
    SchedulerCheck check(judge, plan, name, *parsed.schedulerParams);
    if (own) {
        check.own();
        return;
    }
    check.torch();
    static constexpr std::array kNoMomentum{"torch.optim.Adagrad", "torch.optim.Adadelta", "torch.optim.ASGD", "torch.optim.Rprop", "torch.optim.Adafactor"};
    const ConfigValue* cycled = parsed.schedulerParams->find("cycle_momentum");
    if ((name == "CyclicLR" || name == "OneCycleLR") && (cycled == nullptr || pythonTruth(*cycled)) &&
        std::find(kNoMomentum.begin(), kNoMomentum.end(), plan.optimizerClass) != kNoMomentum.end()) {
        const std::string at = kParams + "/cycle_momentum";
        judge.refuse(CheckLevel::Engine, "R59", "R59.momentum", cycled == nullptr ? "/scheduler/type" : at, {{"scheduler", name}, {"optimizer", plan.shownName}},
                     cycled == nullptr ? patchAdd(at, "false") : patchReplace(at, "false"));
    }
    const bool wrapped = parsed.stage() > 0 || parsed.flag(parsed.fp16, "enabled") || parsed.flag(parsed.bf16, "enabled");
    if (wrapped) {
        judge.refuse(CheckLevel::Engine, "R58", "R58.torch", "/scheduler/type", {{"scheduler", name}});
    }
}

}  // namespace stagecraft::rules
