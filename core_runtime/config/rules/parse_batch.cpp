// SPDX-License-Identifier: GPL-3.0-or-later
// The batch triangle (R4-R9), with Python's numbers: ints stay ints, floats stay floats, divisions are floor divisions.
#include "config/rules/judge.h"

#include "config/bare_text.h"
#include "config/rules/coercion.h"
#include "config/rules/misnomers.h"
#include "config/rules/whole_number.h"
#include "config/wrapped_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

namespace stagecraft::rules {

namespace {

/// A number as Python holds it. Below 0 only the sign counts: sizes there are refused before anything is calculated.
struct Number {
    bool isFloat = false;
    bool isTrue = false;    ///< written as true: 1, and kept as True where it is not calculated
    bool negative = false;  ///< of an integer
    WholeNumber whole;      ///< of an integer, without its sign
    double real = 0.0;

    [[nodiscard]] double value() const { return isFloat ? real : negative ? -whole.asDouble() : whole.asDouble(); }
};

/// What Python raises in the middle of the calculation.
struct Raised {
    bool byZero = false;
    bool tooLarge = false;  ///< an integer beyond the largest float meets a float
};

Number ofInt(std::int64_t value)
{
    Number number;
    number.negative = value < 0;
    number.whole = WholeNumber(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
    return number;
}

Number ofWhole(WholeNumber value)
{
    Number number;
    number.whole = std::move(value);
    return number;
}

Number ofFloat(double value)
{
    Number number;
    number.isFloat = true;
    number.real = value;
    return number;
}

/// Whether the two are calculated as floats; `raised` where one has no float.
bool asFloats(const Number& a, const Number& b, Raised& raised)
{
    const bool floats = a.isFloat || b.isFloat;
    raised.tooLarge = raised.tooLarge || (floats && ((!a.isFloat && std::isinf(a.value())) || (!b.isFloat && std::isinf(b.value()))));
    return floats;
}

Number multiply(const Number& a, const Number& b, Raised& raised)
{
    return asFloats(a, b, raised) ? ofFloat(a.value() * b.value()) : ofWhole(a.whole.times(b.whole));
}

/// a // b
Number floorDivide(const Number& a, const Number& b, Raised& raised)
{
    if (b.isFloat ? b.real == 0.0 : b.whole.isZero()) {
        raised.byZero = true;
        return ofInt(0);
    }
    if (!asFloats(a, b, raised)) {
        return ofWhole(a.whole.dividedBy(b.whole).first);
    }
    // as Python does it: 4 // 0.4 is 9, because 0.4 is a little more than that
    const double rest = std::fmod(a.value(), b.value());
    double quotient = (a.value() - rest) / b.value();
    if (rest != 0.0 && (b.value() < 0.0) != (rest < 0.0)) {
        quotient -= 1.0;
    }
    const double whole = std::floor(quotient);
    return ofFloat(quotient - whole > 0.5 ? whole + 1.0 : whole);
}

/// Python compares an integer with a float by their exact values.
bool equal(const Number& a, const Number& b)
{
    if (a.isFloat == b.isFloat) {
        return a.isFloat ? a.real == b.real : a.whole == b.whole;
    }
    const Number& real = a.isFloat ? a : b;
    return std::isfinite(real.real) && std::trunc(real.real) == real.real && WholeNumber::ofFloat(real.real) == (a.isFloat ? b : a).whole;
}

bool isAboveZero(const Number& number)
{
    return number.isFloat ? number.real > 0.0 : !number.negative && !number.whole.isZero();
}

BatchNumber batchNumber(const Number& number)
{
    if (number.isTrue) {
        return true;
    }
    if (number.isFloat) {
        return number.real;
    }
    static const WholeNumber kMost(static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    const std::string digits = number.whole.digits();
    return number.whole <= kMost ? BatchNumber(static_cast<std::int64_t>(std::stoll(digits))) : BatchNumber(WideNumber{digits});
}

/// As Python prints it: JSON has no word for what is beyond a float.
std::string text(const Number& number)
{
    if (number.isFloat && !std::isfinite(number.real)) {
        return std::isnan(number.real) ? "nan" : number.real < 0.0 ? "-inf" : "inf";
    }
    return number.isFloat ? toJson(ConfigValue::ofFloat(number.real)) : (number.negative ? "-" : "") + number.whole.digits();
}

/// In a sentence: of hundreds of digits the first and the number of them.
std::string shown(const Number& number)
{
    constexpr std::size_t kMost = 60, kFirst = 20;
    const std::string whole = text(number);
    return whole.size() <= kMost ? whole : whole.substr(0, kFirst) + "... (" + std::to_string(whole.size()) + ")";
}

constexpr const char* kTrain = "train_batch_size";
constexpr const char* kMicro = "train_micro_batch_size_per_gpu";
constexpr const char* kSteps = "gradient_accumulation_steps";

/// World size of the batch rule (R9); nothing when DeepSpeed fails computing it.
std::optional<Number> worldSize(Judge& judge)
{
    const Number ranks = ofInt(judge.context.world);
    const ConfigValue* sequence = judge.root.find("sequence_parallel_size");
    if (sequence == nullptr || judge.context.mpu || judge.context.pipelineModel || !judge.facts.atLeast(0, 16, 0)) {
        return ranks;
    }
    if (const ConfigValue* data = judge.root.find("data_parallel_size"); data != nullptr && data->isIntLike() && sequence->isIntLike()) {
        return ofInt(data->asInt());
    }
    if (!judge.facts.atLeast(0, 17, 0)) {
        return ranks;  // the sequence size alone was not looked at
    }
    if (!sequence->isNumber() || sequence->asDouble() == 0.0) {
        if (!judge.facts.atLeast(0, 19, 0)) {  // any failure here stood for "not distributed"
            judge.warn(CheckLevel::Parse, "R9", "R9.one", "/sequence_parallel_size", {{"value", toJson(*sequence)}, {"release", judge.facts.version}});
            return ofInt(1);
        }
        const std::string digits = sequence->isString() ? jsonNumber(sequence->text) : std::string();
        const bool quoted = !digits.empty() && digits.size() < 10 && digits != "0" && digits.find_first_not_of("0123456789") == std::string::npos;
        CheckFinding* const told = judge.refuse(CheckLevel::Parse, "R9", quoted ? "R9.quoted" : "R9", "/sequence_parallel_size", {{"value", toJson(*sequence)}, {"becomes", digits}}, quoted ? patchReplace("/sequence_parallel_size", digits) : std::string());
        if (told != nullptr) {
            told->safe = quoted;   // the same number
        }
        return std::nullopt;
    }
    // DeepSpeed divides without looking whether it comes out even: batch sizes of half a rank follow from that.
    if (sequence->isIntLike() && sequence->asInt() > 1 && judge.context.world % sequence->asInt() != 0) {
        judge.unwise("R9", "R9.part", "/sequence_parallel_size", {{"value", toJson(*sequence)}, {"ranks", std::to_string(judge.context.world)}});
    }
    return ofFloat(ranks.value() / sequence->asDouble());
}

/// Whether DeepSpeed works `key`, one of the three batch sizes, out from the numbers that the others are.
bool followsFromOthers(const ConfigValue& root, std::string_view key)
{
    const auto given = [&](std::string_view other) {
        const ConfigValue* value = other == key ? nullptr : root.find(other);
        return value != nullptr && value->isNumber();
    };
    return given("train_batch_size") || given("train_micro_batch_size_per_gpu");
}

std::optional<Number> readNumber(Judge& judge, const char* key, bool& bad)
{
    const ConfigValue* value = judge.root.find(key);
    if (value == nullptr || value->isNull()) {
        return std::nullopt;
    }
    if (!value->isNumber()) {
        bad = true;
        const std::string at = "/" + std::string(key);
        if (judge.settled(at)) {
            return std::nullopt;  // a launcher that compares it refuses it before
        }
        const auto quoted = value->isString() ? pythonFloat(value->text) : std::nullopt;
        const bool whole = quoted.has_value() && *quoted >= 1.0 && *quoted < 1e15 && *quoted == std::trunc(*quoted);
        const bool left = value->isString("auto"), follows = left && followsFromOthers(judge.root, key);
        if (CheckFinding* finding = judge.refuse(CheckLevel::Parse, left ? "R16" : "R8", follows ? "R8.auto.follows" : left ? "R8.auto" : "R8", at, {{"key", key}, {"value", toJson(*value)}},
                                                 whole ? patchReplace(at, shortNumber(*quoted)) : follows ? patchRemove(at) : std::string())) {
            finding->safe = whole;
        }
        return std::nullopt;
    }
    if (value->kind == ConfigValue::Kind::Float) {
        return ofFloat(value->asDouble());
    }
    Number number = ofInt(value->asInt());
    if (value->wide) {
        number.negative = value->text.starts_with('-');
        number.whole = WholeNumber::ofDigits(std::string_view(value->text).substr(number.negative ? 1 : 0));
    }
    number.isTrue = value->isBool() && value->boolean;
    return number;
}

/// Sizes that are written as 0 or less, and a number of ranks that is: from them DeepSpeed works out the others, or divides by them.
bool refuseGiven(Judge& judge, const Number& world, std::initializer_list<std::pair<const char*, std::optional<Number>>> sizes)
{
    bool refused = false, any = false;
    const bool divides = std::count_if(sizes.begin(), sizes.end(), [](const auto& size) { return size.second.has_value(); }) == 2 && sizes.begin()->second.has_value();
    for (const auto& [key, number] : sizes) {
        any = any || number.has_value();
        if (number.has_value() && !isAboveZero(*number)) {
            const bool zero = divides && number->value() == 0.0 && std::string_view(key) != kTrain;
            const std::string at = "/" + std::string(key);
            judge.refuse(CheckLevel::Parse, "R6", zero ? "R6.zero" : "R6", at, {{"key", key}, {"value", shown(*number)}}, zero ? patchReplace(at, "1") : std::string());
            refused = true;
        }
    }
    if (any && !refused && !isAboveZero(world)) {
        const bool mesh = judge.root.find("data_parallel_size") != nullptr;
        const std::string key = mesh ? "data_parallel_size" : "sequence_parallel_size";
        judge.refuse(CheckLevel::Parse, "R6", "R6.ranks", "/" + key, {{"key", key}, {"value", toJson(*judge.root.find(key))}, {"along", text(world)}});
        refused = true;
    }
    return refused;
}

/// The keys of a config for deepspeed.init_inference, which nothing of a training config goes with; empty of any other.
/// Source: deepspeed/inference/config.py
std::string keysOfInference(const ConfigValue& root)
{
    static constexpr std::array kOfInference{"replace_with_kernel_inject", "kernel_inject", "replace_method", "injection_policy", "injection_dict", "injection_policy_tuple", "max_out_tokens", "max_tokens", "min_out_tokens",
                                             "min_tokens", "enable_cuda_graph", "triangular_masking", "keep_module_on_host", "set_empty_params", "save_mp_checkpoint_path", "return_tuple", "training_mp_size", "mp_size", "use_triton"};
    static constexpr std::array kOfTraining{"optimizer", "scheduler", "zero_optimization", "gradient_clipping", "gradient_accumulation_steps", "fp16", "bf16", "steps_per_print", "activation_checkpointing"};
    if (std::any_of(kOfTraining.begin(), kOfTraining.end(), [&](const char* key) { return root.find(key) != nullptr; })) {
        return {};
    }
    std::string keys;
    for (const char* key : kOfInference) {
        if (root.find(key) != nullptr) {
            keys += (keys.empty() ? "\"" : ", \"") + std::string(key) + "\"";
        }
    }
    return keys;
}

}  // namespace

void checkBatch(Judge& judge)
{
    if (judge.parsed.elastic) {
        return;
    }
    bool bad = false;
    std::optional<Number> train = readNumber(judge, kTrain, bad);
    std::optional<Number> micro = readNumber(judge, kMicro, bad);
    std::optional<Number> steps = readNumber(judge, kSteps, bad);
    const auto world = worldSize(judge);
    if (bad || !world.has_value()) {
        return;
    }
    const std::string worldText = text(*world);
    if (refuseGiven(judge, *world, {{kTrain, train}, {kMicro, micro}, {kSteps, steps}})) {
        return;
    }
    Raised raised;
    const char* inferred = nullptr;
    if (train.has_value() && micro.has_value() && steps.has_value()) {
    } else if (train.has_value() && micro.has_value()) {
        steps = floorDivide(floorDivide(*train, *micro, raised), *world, raised);
        inferred = kSteps;
    } else if (train.has_value() && steps.has_value()) {
        micro = floorDivide(floorDivide(*train, *world, raised), *steps, raised);
        inferred = kMicro;
    } else if (micro.has_value() && steps.has_value()) {
        train = multiply(multiply(*micro, *steps, raised), *world, raised);
        inferred = kTrain;
    } else if (train.has_value()) {
        steps = ofInt(1);
        micro = floorDivide(*train, *world, raised);
        inferred = kMicro;
    } else if (micro.has_value()) {
        train = multiply(*micro, *world, raised);
        steps = ofInt(1);
        inferred = kTrain;
    } else if (const auto wrapped = wrappedConfig(judge.root)) {
        const std::string key = wrapped->pointer.substr(wrapped->pointer.rfind('/') + 1);
        const bool workspace = judge.root.find("stagecraft") != nullptr;   // of ours: what stands around the config is no less wanted
        CheckFinding* const finding = judge.refuse(CheckLevel::Parse, "R5", "R5.wrapped", wrapped->pointer, {{"key", unescaped(key)}}, workspace ? std::string() : unwrappingPatch(judge.root, *wrapped), Judge::At::Key);
        if (finding != nullptr) {
            finding->safe = wrapped->certain;
        }
        return;
    } else {
        // Where a key of the file is told as one of them, its own fix is the one that is meant.
        const bool named = std::any_of(judge.root.members.begin(), judge.root.members.end(), [](const ConfigMember& member) {
            const std::string name = inPlainLetters(member.key);
            const auto other = otherNames("", name);
            const std::vector<std::string> sizes{kTrain, kMicro};
            const bool like = foreignKey(name) == ForeignKey::None && (!likeByParts(name, sizes, false).empty() || !nearestWords(name, sizes, 0).empty());
            return like || std::any_of(other.begin(), other.end(), [](const OtherName* each) { return each->place.find(kTrain) != std::string::npos || each->place.find(kMicro) != std::string::npos; });
        });
        // What fills "auto" has its own micro batch, and refuses another one.
        const bool filled = fillsAuto(judge.context.launcher);
        const std::string served = keysOfInference(judge.root);
        CheckFinding* const finding = judge.refuse(CheckLevel::Parse, "R5", filled ? "R5.auto" : "R5", "", {}, named || !served.empty() ? std::string() : patchAdd("/train_micro_batch_size_per_gpu", filled ? "\"auto\"" : "1"));
        if (finding != nullptr && !served.empty()) {
            finding->message += messageText(judge.context.language, "R5.inference", {{"keys", served}});
        }
        return;
    }
    const std::pair<const char*, const Number*> all[] = {{kTrain, &*train}, {kMicro, &*micro}, {kSteps, &*steps}};
    for (const auto& [key, number] : all) {
        if (!raised.tooLarge && !isAboveZero(*number)) {
            // what is given is above 0: the batch is too small to be shared out
            judge.refuse(CheckLevel::Parse, "R6", "R6.inferred", "/" + std::string(kTrain), {{"key", key}, {"value", shown(*number)}, {"T", shown(*train)}, {"world", worldText}});
            return;
        }
    }
    const Number product = multiply(multiply(*micro, *steps, raised), *world, raised);
    if (raised.tooLarge) {
        const auto* largest = &all[0];
        for (const auto& each : all) {
            const bool written = judge.root.find(each.first) != nullptr && !each.second->isFloat;
            largest = written && (judge.root.find(largest->first) == nullptr || largest->second->isFloat || each.second->whole > largest->second->whole) ? &each : largest;
        }
        judge.refuse(CheckLevel::Parse, "R8", "R8.huge", "/" + std::string(largest->first), {{"key", largest->first}, {"digits", std::to_string(largest->second->whole.digits().size())}, {"world", worldText}});
        return;
    }
    if (!equal(*train, product)) {
        // One that the Trainer refuses already, for being another than its own, is the one to mend.
        if (judge.settled("/" + std::string(kTrain)) || judge.settled("/" + std::string(kMicro)) || judge.settled("/" + std::string(kSteps))) {
            return;
        }
        std::string fix;
        const bool allGiven = inferred == nullptr;
        if (allGiven && !product.isFloat) {
            fix = patchReplace("/train_batch_size", text(product));
        }
        // Most such files were written for another number of ranks.
        const Number forOne = multiply(*micro, *steps, raised);
        const auto divides = [&](const Number& number) { return !train->isFloat && !number.isFloat && train->whole.dividedBy(number.whole).second.isZero(); };
        const bool fits = allGiven && divides(forOne);
        const double along = judge.context.world / world->value();  // ranks that share a sequence count once
        CheckFinding* finding = judge.refuse(CheckLevel::Parse, "R7", fits ? "R7.fits" : allGiven ? "R7" : "R7.inferred", "/train_batch_size",
                     {{"T", shown(*train)}, {"M", shown(*micro)}, {"G", shown(*steps)}, {"world", worldText}, {"product", shown(product)},
                      {"key", inferred == nullptr ? "" : inferred}, {"fits", fits ? shortNumber(std::round(train->whole.dividedBy(forOne.whole).first.asDouble() * along)) : std::string()}},
                     fix);
        if (finding != nullptr && !fix.empty() && finding->fix.empty() && divides(*micro)) {
            finding->fix = patchRemove("/gradient_accumulation_steps");  // the ranks are only assumed: this keeps both batch sizes for any number
        }
        return;
    }
    if (judge.root.find(kSteps) != nullptr && steps->isFloat && std::trunc(steps->real) != steps->real) {
        judge.unwise("R8", "R8.fraction", "/" + std::string(kSteps), {{"value", shown(*steps)}});
    }
    judge.parsed.batch = {batchNumber(*train), batchNumber(*micro), batchNumber(*steps)};
}

}  // namespace stagecraft::rules
