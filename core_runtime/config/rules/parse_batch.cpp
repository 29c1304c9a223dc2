// SPDX-License-Identifier: GPL-3.0-or-later
// The batch triangle (R4-R9), with Python's numbers: ints stay ints, floats stay floats, divisions are floor divisions.
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/misnomers.h"
#include "config/wrapped_config.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

namespace stagecraft::rules {

namespace {

struct Number {
    bool isFloat = false;
    std::int64_t integer = 0;
    double real = 0.0;

    [[nodiscard]] double value() const { return isFloat ? real : static_cast<double>(integer); }
};

Number ofInt(std::int64_t value)
{
    return {false, value, 0.0};
}

Number multiply(const Number& a, const Number& b)
{
    if (!a.isFloat && !b.isFloat) {
        std::int64_t product = 0;
        if (!__builtin_mul_overflow(a.integer, b.integer, &product)) {
            return ofInt(product);
        }
    }
    return {true, 0, a.value() * b.value()};
}

/// a // b; `byZero` when Python raises ZeroDivisionError.
Number floorDivide(const Number& a, const Number& b, bool& byZero)
{
    if (b.value() == 0.0) {
        byZero = true;
        return ofInt(0);
    }
    const bool fits = b.integer != -1 || a.integer != std::numeric_limits<std::int64_t>::min();  // Python's ints have no end, ours do
    if (!a.isFloat && !b.isFloat && fits) {
        std::int64_t quotient = a.integer / b.integer;
        if (a.integer % b.integer != 0 && (a.integer < 0) != (b.integer < 0)) {
            --quotient;
        }
        return ofInt(quotient);
    }
    // as Python does it: 4 // 0.4 is 9, because 0.4 is a little more than that
    const double rest = std::fmod(a.value(), b.value());
    double quotient = (a.value() - rest) / b.value();
    if (rest != 0.0 && (b.value() < 0.0) != (rest < 0.0)) {
        quotient -= 1.0;
    }
    const double whole = std::floor(quotient);
    return {true, 0, quotient - whole > 0.5 ? whole + 1.0 : whole};
}

BatchNumber batchNumber(const Number& number)
{
    return number.isFloat ? BatchNumber(number.real) : BatchNumber(number.integer);
}

/// As Python prints it: JSON has no word for what is beyond a float.
std::string text(const Number& number)
{
    if (number.isFloat && !std::isfinite(number.real)) {
        return std::isnan(number.real) ? "nan" : number.real < 0.0 ? "-inf" : "inf";
    }
    return toJson(number.isFloat ? ConfigValue::ofFloat(number.real) : ConfigValue::ofInt(number.integer));
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
        judge.refuse(CheckLevel::Parse, "R9", "R9", "/sequence_parallel_size", {{"value", toJson(*sequence)}});
        return std::nullopt;
    }
    // DeepSpeed divides without looking whether it comes out even: batch sizes of half a rank follow from that.
    if (sequence->isIntLike() && sequence->asInt() > 1 && judge.context.world % sequence->asInt() != 0) {
        judge.unwise("R9", "R9.part", "/sequence_parallel_size", {{"value", toJson(*sequence)}, {"ranks", std::to_string(judge.context.world)}});
    }
    return Number{true, 0, ranks.value() / sequence->asDouble()};
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
        const auto quoted = value->isString() ? pythonFloat(value->text) : std::nullopt;
        const bool whole = quoted.has_value() && *quoted >= 1.0 && *quoted < 1e15 && *quoted == std::trunc(*quoted);
        if (CheckFinding* finding = judge.refuse(CheckLevel::Parse, value->isString("auto") ? "R16" : "R8", value->isString("auto") ? "R8.auto" : "R8", at,
                                                 {{"key", key}, {"value", toJson(*value)}}, whole ? patchReplace(at, shortNumber(*quoted)) : std::string())) {
            finding->safe = whole;
        }
        return std::nullopt;
    }
    if (value->wide && !std::isfinite(value->number)) {  // Python divides it all the same
        bad = true;
        judge.parsed.batchKnown = false;
        judge.unwise("R8", "R8.huge", "/" + std::string(key), {{"key", key}, {"digits", std::to_string(value->text.size())}});
        return std::nullopt;
    }
    if (value->kind == ConfigValue::Kind::Float || value->wide) {
        return Number{true, 0, value->asDouble()};
    }
    return ofInt(value->asInt());
}

/// Sizes that are written as 0 or less, and a number of ranks that is: from them DeepSpeed works out the others, or divides by them.
bool refuseGiven(Judge& judge, const Number& world, std::initializer_list<std::pair<const char*, std::optional<Number>>> sizes)
{
    bool refused = false, any = false;
    const bool divides = std::count_if(sizes.begin(), sizes.end(), [](const auto& size) { return size.second.has_value(); }) == 2 && sizes.begin()->second.has_value();
    for (const auto& [key, number] : sizes) {
        any = any || number.has_value();
        if (number.has_value() && !(number->value() > 0.0)) {
            const bool zero = divides && number->value() == 0.0 && std::string_view(key) != kTrain;
            const std::string at = "/" + std::string(key);
            judge.refuse(CheckLevel::Parse, "R6", zero ? "R6.zero" : "R6", at, {{"key", key}, {"value", text(*number)}}, zero ? patchReplace(at, "1") : std::string());
            refused = true;
        }
    }
    if (any && !refused && !(world.value() > 0.0)) {
        const bool mesh = judge.root.find("data_parallel_size") != nullptr;
        const std::string key = mesh ? "data_parallel_size" : "sequence_parallel_size";
        judge.refuse(CheckLevel::Parse, "R6", "R6.ranks", "/" + key, {{"key", key}, {"value", toJson(*judge.root.find(key))}, {"along", text(world)}});
        refused = true;
    }
    return refused;
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
    bool byZero = false;
    const char* inferred = nullptr;
    if (train.has_value() && micro.has_value() && steps.has_value()) {
    } else if (train.has_value() && micro.has_value()) {
        steps = floorDivide(floorDivide(*train, *micro, byZero), *world, byZero);
        inferred = kSteps;
    } else if (train.has_value() && steps.has_value()) {
        micro = floorDivide(floorDivide(*train, *world, byZero), *steps, byZero);
        inferred = kMicro;
    } else if (micro.has_value() && steps.has_value()) {
        train = multiply(multiply(*micro, *steps), *world);
        inferred = kTrain;
    } else if (train.has_value()) {
        steps = ofInt(1);
        micro = floorDivide(*train, *world, byZero);
        inferred = kMicro;
    } else if (micro.has_value()) {
        train = multiply(*micro, *world);
        steps = ofInt(1);
        inferred = kTrain;
    } else if (const auto wrapped = wrappedConfig(judge.root)) {
        const std::string key = wrapped->pointer.substr(wrapped->pointer.rfind('/') + 1);
        CheckFinding* const finding = judge.refuse(CheckLevel::Parse, "R5", "R5.wrapped", wrapped->pointer, {{"key", unescaped(key)}}, unwrappingPatch(judge.root, *wrapped), Judge::At::Key);
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
        judge.refuse(CheckLevel::Parse, "R5", "R5", "", {}, named ? std::string() : patchAdd("/train_micro_batch_size_per_gpu", "1"));
        return;
    }
    const std::pair<const char*, const Number*> all[] = {{kTrain, &*train}, {kMicro, &*micro}, {kSteps, &*steps}};
    for (const auto& [key, number] : all) {
        if (!(number->value() > 0.0)) {
            // what is given is above 0: the batch is too small to be shared out
            judge.refuse(CheckLevel::Parse, "R6", "R6.inferred", "/" + std::string(kTrain), {{"key", key}, {"value", text(*number)}, {"T", text(*train)}, {"world", worldText}});
            return;
        }
    }
    const Number product = multiply(multiply(*micro, *steps), *world);
    const bool equal = !train->isFloat && !product.isFloat ? train->integer == product.integer : train->value() == product.value();
    if (!equal) {
        std::string fix;
        const bool allGiven = inferred == nullptr;
        if (allGiven && !product.isFloat) {
            fix = patchReplace("/train_batch_size", text(product));
        }
        // Most such files were written for another number of ranks.
        const Number forOne = multiply(*micro, *steps);
        const bool fits = allGiven && !train->isFloat && !forOne.isFloat && train->integer % forOne.integer == 0;
        const double along = judge.context.world / world->value();  // ranks that share a sequence count once
        CheckFinding* finding = judge.refuse(CheckLevel::Parse, "R7", fits ? "R7.fits" : allGiven ? "R7" : "R7.inferred", "/train_batch_size",
                     {{"T", text(*train)}, {"M", text(*micro)}, {"G", text(*steps)}, {"world", worldText}, {"product", text(product)},
                      {"key", inferred == nullptr ? "" : inferred}, {"fits", fits ? shortNumber(std::round(static_cast<double>(train->integer / forOne.integer) * along)) : std::string()}},
                     fix);
        if (finding != nullptr && !fix.empty() && finding->fix.empty() && train->integer % micro->integer == 0) {
            finding->fix = patchRemove("/gradient_accumulation_steps");  // the ranks are only assumed: this keeps both batch sizes for any number
        }
        return;
    }
    judge.parsed.batch = {batchNumber(*train), batchNumber(*micro), batchNumber(*steps)};
}

}  // namespace stagecraft::rules
