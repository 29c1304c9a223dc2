// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/coercion.h"

#include "config/rules/misnomers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>
#include <string_view>
#include <iterator>

namespace stagecraft::rules {

namespace {

std::string_view stripped(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Digits without underscores between them; nothing when an underscore stands elsewhere.
std::optional<std::string> withoutUnderscores(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            out += text[i];
            continue;
        }
        const auto digit = [&](std::size_t k) { return k < text.size() && text[k] >= '0' && text[k] <= '9'; };
        if (i == 0 || !digit(i - 1) || !digit(i + 1)) {
            return std::nullopt;
        }
    }
    return out;
}

/// str(Path(text)): no "." between slashes, no slash at the end, no two in a row but exactly two at the start.
std::string purePath(const std::string& text)
{
    const std::size_t slashes = std::min(text.find_first_not_of('/'), text.size());
    const std::string root = slashes == 2 ? "//" : slashes > 0 ? "/" : "";
    std::string out = root;
    for (std::size_t from = slashes; from < text.size();) {
        const std::size_t to = std::min(text.find('/', from), text.size());
        const std::string part = text.substr(from, to - from);
        if (!part.empty() && part != ".") {
            out += (out == root ? "" : "/") + part;
        }
        from = to + 1;
    }
    return out.empty() ? "." : out;
}

/// int(text); pydantic 2 also lets ".0" follow.
std::optional<std::int64_t> pythonInt(std::string_view text, bool wholeFractions)
{
    auto digits = withoutUnderscores(stripped(text));
    if (!digits.has_value() || digits->empty()) {
        return std::nullopt;
    }
    std::string_view view = *digits;
    if (view.front() == '+') {
        view.remove_prefix(1);
        if (view.empty() || view.front() == '-') {
            return std::nullopt;
        }
    }
    if (wholeFractions) {
        if (const std::size_t dot = view.find('.'); dot != std::string_view::npos) {
            if (view.find_first_not_of('0', dot + 1) != std::string_view::npos || dot == 0 || dot + 1 == view.size()) {
                return std::nullopt;
            }
            view = view.substr(0, dot);
        }
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    return error == std::errc() && end == view.data() + view.size() ? std::optional(value) : std::nullopt;
}

bool inRange(const TypeFacts& type, double value)
{
    return !(type.ge.has_value() && !(value >= *type.ge)) && !(type.gt.has_value() && !(value > *type.gt)) &&
           !(type.le.has_value() && !(value <= *type.le)) && !(type.lt.has_value() && !(value < *type.lt));
}

Coerced fits(ConfigValue value, const ConfigValue& from)
{
    value.place = from.place;
    return {Coerced::Outcome::Fits, std::move(value)};
}

Coerced coerceBool(const ConfigValue& from)
{
    static constexpr std::array kTrue{"1", "on", "t", "true", "y", "yes"};
    static constexpr std::array kFalse{"0", "off", "f", "false", "n", "no"};
    if (from.isBool()) {
        return fits(from, from);
    }
    if (from.isNumber() && !from.wide && (from.asDouble() == 0.0 || from.asDouble() == 1.0)) {
        return fits(ConfigValue::ofBool(from.asDouble() == 1.0), from);
    }
    if (from.isString()) {
        std::string lower = from.text;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (std::find(kTrue.begin(), kTrue.end(), lower) != kTrue.end()) {
            return fits(ConfigValue::ofBool(true), from);
        }
        if (std::find(kFalse.begin(), kFalse.end(), lower) != kFalse.end()) {
            return fits(ConfigValue::ofBool(false), from);
        }
    }
    return {};
}

Coerced coerceInt(const TypeFacts& type, const ConfigValue& from, int pydantic)
{
    ConfigValue value;
    if (from.kind == ConfigValue::Kind::Int) {
        value = from;
    } else if (from.isBool()) {
        value = ConfigValue::ofInt(from.boolean ? 1 : 0);
    } else if (from.kind == ConfigValue::Kind::Float) {
        const bool whole = std::trunc(from.number) == from.number;
        const bool wide = std::fabs(from.number) > 9.2233720368547748e18;
        if (!std::isfinite(from.number) || (pydantic >= 2 && (wide || !whole))) {
            return {};
        }
        if (wide) {  // pydantic 1 calls int(), which has no end
            if (!inRange(type, from.number)) {
                return {Coerced::Outcome::OutOfRange, {}};
            }
            return fits(ConfigValue::ofFloat(from.number), from);
        }
        value = ConfigValue::ofInt(static_cast<std::int64_t>(from.number));  // pydantic 1 cuts the fraction off
    } else if (from.isString()) {
        const auto read = pythonInt(from.text, pydantic >= 2);
        if (!read.has_value()) {
            return {};
        }
        value = ConfigValue::ofInt(*read);
    } else {
        return {};
    }
    if (!inRange(type, value.asDouble())) {
        return {Coerced::Outcome::OutOfRange, {}};
    }
    return fits(std::move(value), from);
}

Coerced coerceFloat(const TypeFacts& type, const ConfigValue& from)
{
    std::optional<double> number;
    if (from.isNumber()) {
        number = from.asDouble();
    } else if (from.isString()) {
        number = pythonFloat(from.text);
    }
    if (!number.has_value()) {
        return {};
    }
    if (!inRange(type, *number)) {
        return {Coerced::Outcome::OutOfRange, {}};
    }
    return fits(ConfigValue::ofFloat(*number), from);
}

Coerced coerceEnum(const TypeFacts& type, const ConfigValue& from, int pydantic)
{
    ConfigValue wanted = from;
    if (type.intEnum && pydantic >= 2 && from.isString()) {
        const auto read = pythonInt(from.text, true);
        if (!read.has_value()) {
            return {};
        }
        wanted = ConfigValue::ofInt(*read);
    }
    for (const ConfigValue& value : type.values) {
        const bool same = value.isString() ? wanted.isString(value.text) : wanted.isNumber() && !wanted.wide && wanted.asDouble() == value.asDouble();
        if (same) {
            return fits(value, from);
        }
    }
    return {};
}

}  // namespace

std::optional<double> pythonFloat(std::string_view text)
{
    auto digits = withoutUnderscores(stripped(text));
    if (!digits.has_value() || digits->empty()) {
        return std::nullopt;
    }
    std::string_view view = *digits;
    if (view.front() == '+') {
        view.remove_prefix(1);
        if (view.empty() || view.front() == '-') {
            return std::nullopt;
        }
    }
    double number = 0.0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
    if (end != view.data() + view.size()) {
        return std::nullopt;
    }
    if (error == std::errc::result_out_of_range) {
        return HUGE_VAL;
    }
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::string shortNumber(double number)
{
    char buffer[32];
    return shortExponent({buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr});
}

Coerced coerce(const TypeFacts& type, const ConfigValue& from, int pydantic)
{
    switch (type.kind) {
    case TypeFacts::Kind::Bool: return coerceBool(from);
    case TypeFacts::Kind::Int: return coerceInt(type, from, pydantic);
    case TypeFacts::Kind::Float: return coerceFloat(type, from);
    case TypeFacts::Kind::Str:
        if (pydantic == 1 && from.isNumber()) {
            return fits(ConfigValue::ofString(toJson(from)), from);
        }
        return from.isString() ? fits(from, from) : Coerced{};
    case TypeFacts::Kind::Path: return from.isString() ? fits(ConfigValue::ofString(purePath(from.text)), from) : Coerced{};
    case TypeFacts::Kind::Enum: return coerceEnum(type, from, pydantic);
    case TypeFacts::Kind::Literal:
        for (const ConfigValue& value : type.values) {
            if (value.isString() && from.isString(value.text)) {
                return fits(value, from);
            }
        }
        return {};
    case TypeFacts::Kind::Dict: return from.isObject() ? fits(from, from) : Coerced{};
    case TypeFacts::Kind::Tuple: return from.isList() ? fits(from, from) : Coerced{};
    default: return {};
    }
}

namespace {

/// Whether two names differ in letter case, hyphens and underscores alone.
bool sameLetters(std::string_view a, std::string_view b)
{
    const auto mark = [](char c) { return c == '_' || c == '-'; };
    std::size_t i = 0, k = 0;
    for (;; ++i, ++k) {
        for (; i < a.size() && mark(a[i]); ++i) {}
        for (; k < b.size() && mark(b[k]); ++k) {}
        if (i == a.size() || k == b.size()) {
            return i == a.size() && k == b.size();
        }
        if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[k]))) {
            return false;
        }
    }
}

}  // namespace

std::vector<std::string> nearestWords(const std::string& word, const std::vector<std::string>& words, std::size_t slack)
{
    // Letter case, hyphens and underscores alone are always the likeliest slip: stage3PrefetchBucketSize.
    if (const auto same = std::find_if(words.begin(), words.end(), [&](const std::string& candidate) { return sameLetters(word, candidate); }); same != words.end()) {
        return {*same};
    }
    if (std::find(words.begin(), words.end(), word + "es") != words.end()) {  // one class, several classes: more than a slip's length, and no doubt
        return {word + "es"};
    }
    const std::size_t most = word.size() >= 8 ? 2 : 1;
    if (word.size() < 3 || word.size() > 64) {
        return {};
    }
    std::vector<std::pair<std::size_t, const std::string*>> near;
    std::size_t least = most + 1;
    for (const std::string& candidate : words) {
        if (candidate.size() > word.size() + most + slack || word.size() > candidate.size() + most + slack) {
            continue;
        }
        std::array<std::size_t, 70> row{}, above{}, second{};  // of the table of edits: this one, the one above, and the one above that
        for (std::size_t k = 0; k <= candidate.size(); ++k) {
            row[k] = k;
        }
        for (std::size_t i = 0; i < word.size(); ++i) {
            second = std::exchange(above, row);
            row[0] = i + 1;
            std::size_t smallest = row[0];
            for (std::size_t k = 0; k < candidate.size(); ++k) {
                row[k + 1] = std::min({row[k] + 1, above[k + 1] + 1, above[k] + (word[i] == candidate[k] ? 0 : 1)});
                if (i > 0 && k > 0 && word[i] == candidate[k - 1] && word[i - 1] == candidate[k]) {
                    row[k + 1] = std::min(row[k + 1], second[k - 1] + 1);  // two letters swapped are one slip
                }
                smallest = std::min(smallest, row[k + 1]);
            }
            if (smallest > least + slack) {
                row[candidate.size()] = smallest;  // cannot get nearer any more
                break;
            }
        }
        least = std::min(least, row[candidate.size()]);
        near.emplace_back(row[candidate.size()], &candidate);
    }
    std::vector<std::string> out;
    for (const auto& [edits, candidate] : near) {
        if (least <= most && edits <= least + slack) {
            out.push_back(*candidate);
        }
    }
    return out;
}

namespace {

/// Whether one is the other's opposite or another of a series, not a slip: a ceiling is no floor, and stage 2 not stage 3.
bool differsInMeaning(const std::string& word, const std::string& other)
{
    const auto digits = [](const std::string& text) {
        std::string out;
        std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](unsigned char c) { return std::isdigit(c) != 0; });
        return out;
    };
    const auto names = [](const std::string& text, std::string_view part) { return ("_" + text + "_").find("_" + std::string(part) + "_") != std::string::npos; };
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOpposites{{{"max", "min"}, {"in", "out"}, {"read", "write"}}};
    return digits(word) != digits(other) || std::any_of(kOpposites.begin(), kOpposites.end(), [&](const auto& pair) {
        return (names(word, pair.first) && names(other, pair.second) && !names(word, pair.second)) || (names(word, pair.second) && names(other, pair.first) && !names(word, pair.first));
    });
}

/// Whether one letter is a large part of a short name: "lamp" and "camp" are no slips of "amp", and "pam" may be one.
bool hasLittleInCommon(const std::string& word, const std::string& other)
{
    constexpr std::size_t kShort = 5;
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return std::min(word.size(), other.size()) < kShort && !same(static_cast<unsigned char>(word.front()), static_cast<unsigned char>(other.front())) &&
           !std::is_permutation(word.begin(), word.end(), other.begin(), other.end(), same);
}

/// The one of `words` that begins with `word` and goes on for an ending ("ism", "s"): a long name that was cut. Empty where none does, or several.
std::string cutFrom(const std::string& word, const std::vector<std::string>& words)
{
    constexpr std::size_t kLong = 12, kEnding = 4;
    const std::string begin = word.substr(0, word.find_last_not_of('_') + 1);
    std::string found;
    for (const std::string& each : words) {
        if (begin.size() >= kLong && each.size() > begin.size() && each.size() <= begin.size() + kEnding && each.starts_with(begin)) {
            if (!found.empty()) {
                return {};
            }
            found = each;
        }
    }
    return found;
}

}  // namespace

std::string nearestWord(const std::string& word, const std::vector<std::string>& words)
{
    if (std::string whole = cutFrom(word, words); !whole.empty() && !differsInMeaning(word, whole)) {
        return whole;
    }
    std::vector<std::string> near = nearestWords(word, words, 0);
    std::erase_if(near, [&](const std::string& each) { return differsInMeaning(word, each) || hasLittleInCommon(word, each); });
    const bool same = near.size() == 1 && near.front().size() == word.size() && std::equal(word.begin(), word.end(), near.front().begin(), [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    return near.size() == 1 && (same || word.size() >= 4) ? near.front() : std::string();
}

std::string switchMeant(const ConfigValue& value)
{
    static constexpr std::array kOn{"true", "yes", "on", "1", "t", "y", "enable", "enabled"};
    static constexpr std::array kOff{"false", "no", "off", "0", "f", "n", "none", "null", "disable", "disabled", ""};
    if (value.isNull() || value.isBool() || value.isNumber()) {
        return pythonTruth(value) ? "true" : "false";
    }
    if (!value.isString()) {
        return {};
    }
    std::string word = value.text;
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto among = [&](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (among(kOn) || among(kOff)) {
        return among(kOn) ? "true" : "false";
    }
    const std::string_view misspelt = literalMisspelt(word);
    return misspelt == "true" ? "true" : misspelt.empty() ? "" : "false";
}

const Misplaced* findMisplaced(std::string_view section, std::string_view key)
{
    static constexpr std::array kMisplaced{
        Misplaced{"zero_optimization", "aio", "R70", "R11.misplaced", "/aio", "/aio"},
        Misplaced{"zero_optimization", "device", "R11", "R11.misplaced", "", "offload_optimizer, offload_param"},
        Misplaced{"zero_optimization", "pin_memory", "R11", "R11.misplaced", "", "offload_optimizer, offload_param"},
        Misplaced{"zero_optimization", "nvme_path", "R11", "R11.misplaced", "", "offload_optimizer, offload_param"},
        Misplaced{"zero_optimization", "gradient_clipping", "R11", "R11.misplaced", "/gradient_clipping", "/gradient_clipping"},
        Misplaced{"zero_optimization", "gradient_accumulation_steps", "R11", "R11.misplaced", "/gradient_accumulation_steps", "/gradient_accumulation_steps"},
        Misplaced{"zero_optimization", "zero_allow_untested_optimizer", "R11", "R11.misplaced", "/zero_allow_untested_optimizer", "/zero_allow_untested_optimizer"},
        Misplaced{"zero_optimization", "zero_force_ds_cpu_optimizer", "R11", "R11.misplaced", "/zero_force_ds_cpu_optimizer", "/zero_force_ds_cpu_optimizer"},
        Misplaced{"zero_optimization", "activation_checkpointing", "R11", "R11.misplaced", "/activation_checkpointing", "/activation_checkpointing"},
        Misplaced{"zero_optimization", "communication_data_type", "R11", "R11.misplaced", "/communication_data_type", "/communication_data_type"},
        Misplaced{"zero_optimization", "grad_hooks", "R11", "R11.gone", "", ""},
        Misplaced{"zero_optimization", "max_elements_per_comm", "R11", "R11.renamed", "/zero_optimization/reduce_bucket_size", "reduce_bucket_size"},
        Misplaced{"zero_optimization", "stage3_max_live_params", "R11", "R11.renamed", "/zero_optimization/stage3_max_live_parameters", "stage3_max_live_parameters"},
        Misplaced{"zero_optimization", "max_live_params", "R11", "R11.renamed", "/zero_optimization/stage3_max_live_parameters", "stage3_max_live_parameters"},
        Misplaced{"zero_optimization", "offload_params", "R11", "R11.renamed", "/zero_optimization/offload_param", "offload_param"},
        Misplaced{"zero_optimization", "offload_optimizer_device", "R11", "R11.renamed", "/zero_optimization/offload_optimizer/device", "offload_optimizer.device"},
        Misplaced{"zero_optimization/offload_optimizer", "max_in_cpu", "R11", "R11.misplaced", "/zero_optimization/offload_param/max_in_cpu", "offload_param"},
        Misplaced{"zero_optimization/offload_optimizer", "buffer_size", "R11", "R11.misplaced", "/zero_optimization/offload_param/buffer_size", "offload_param"},
        Misplaced{"zero_optimization/offload_optimizer", "pipeline", "R11", "R11.renamed", "", "pipeline_read\", \"pipeline_write"},
        Misplaced{"zero_optimization/offload_param", "fast_init", "R11", "R11.misplaced", "/zero_optimization/offload_optimizer/fast_init", "offload_optimizer"},
        Misplaced{"zero_optimization/offload_param", "ratio", "R11", "R11.misplaced", "/zero_optimization/offload_optimizer/ratio", "offload_optimizer"},
        Misplaced{"wandb", "entity", "R11", "R11.renamed", "/wandb/team", "team"},
        Misplaced{"fp16", "opt_level", "R11", "R11.gone", "", ""},
        Misplaced{"bf16", "loss_scale", "R11", "R11.bf16scale", "", ""},
        Misplaced{"bf16", "initial_scale_power", "R11", "R11.bf16scale", "", ""},
        Misplaced{"bf16", "loss_scale_window", "R11", "R11.bf16scale", "", ""},
        Misplaced{"bf16", "hysteresis", "R11", "R11.bf16scale", "", ""},
        Misplaced{"bf16", "min_loss_scale", "R11", "R11.bf16scale", "", ""},
        Misplaced{"bf16", "auto_cast", "R11", "R11.bf16cast", "", ""},
        Misplaced{"tensor_parallel", "enabled", "R65", "R65", "", "autotp_size"},
        Misplaced{"tensor_parallel", "tp_size", "R65", "R65", "/tensor_parallel/autotp_size", "autotp_size"},
        Misplaced{"tensor_parallel", "tp_grain_size", "R65", "R11.misplaced", "/tensor_parallel/tp/tp_grain_size", "tensor_parallel.tp"},
        Misplaced{"tensor_parallel", "tp_group_size", "R65", "R65", "", "autotp_size"},
        Misplaced{"compile", "enabled", "R11", "R11.gone", "", ""},
        Misplaced{"compile", "backend", "R11", "R11.gone", "", ""},
        Misplaced{"compile", "kwargs", "R11", "R11.gone", "", ""},
    };
    for (const Misplaced& each : kMisplaced) {
        if (each.section == section && each.key == key) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace stagecraft::rules
