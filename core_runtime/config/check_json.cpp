// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/check.h"

#include "config/finding_text.h"
#include "config/fitting_ranks.h"
#include "config/json_document.h"
#include "config/text_fixes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace {

using Json = nlohmann::ordered_json;

/// Stands before the digits of a number that the JSON library has no type for, until the text is made.
constexpr std::string_view kWide = "\x01wide:";

Json toNumber(const BatchNumber& number)
{
    if (const WideNumber* wide = std::get_if<WideNumber>(&number)) {
        return std::string(kWide) + wide->digits;
    }
    if (const bool* flag = std::get_if<bool>(&number)) {
        return *flag;
    }
    return std::holds_alternative<double>(number) ? Json(std::get<double>(number)) : Json(std::get<std::int64_t>(number));
}

/// The value of a JSON text, with wide integers as texts that hold their digits.
Json withDigits(const std::string& json)
{
    std::string marked;
    bool quoted = false;
    for (std::size_t at = 0; at < json.size();) {
        const std::size_t end = quoted ? at : std::min(json.find_first_not_of("-+.0123456789eE", at), json.size());
        const std::string token = json.substr(at, end - at);
        const bool wide = token.size() > std::numeric_limits<std::int64_t>::digits10 && token.find_first_not_of("-0123456789") == std::string::npos;
        if (end > at) {
            marked += wide ? "\"\\u0001wide:" + token + '"' : token;
            at = end;
            continue;
        }
        quoted = quoted != (json[at] == '"');
        marked += json[at++];
        if (quoted && json[at - 1] == '\\' && at < json.size()) {
            marked += json[at++];
        }
    }
    return Json::parse(marked, nullptr, false);
}

/// Puts the digits of wide numbers in the place of the texts that hold them.
std::string withWide(std::string text)
{
    static const std::string kQuoted = "\"\\u0001wide:";
    for (std::size_t at = text.find(kQuoted); at != std::string::npos; at = text.find(kQuoted, at)) {
        const std::size_t from = at + kQuoted.size(), end = text.find_first_not_of("-0123456789", from);
        if (end == std::string::npos || end == from || text[end] != '"') {  // a text of the file's own
            at = from;
            continue;
        }
        text.erase(end, 1);
        text.erase(at, kQuoted.size());
    }
    return text;
}

/// Writes the pointers of keys that nobody reads into the empty list of theirs: those of a hostile file are tens of megabytes, and are not held twice.
void putIgnored(std::string& text, const std::vector<std::string>& pointers)
{
    static constexpr std::string_view kEmpty = "\n  \"ignored\": []";
    const std::size_t at = pointers.empty() ? std::string::npos : text.find(kEmpty);
    if (at == std::string::npos) {
        return;
    }
    const std::string end = text.substr(at + kEmpty.size() - 1);
    text.resize(at + kEmpty.size() - 1);
    std::size_t bytes = text.size() + end.size() + 4;
    for (const std::string& pointer : pointers) {
        bytes += pointer.size() + 8;
    }
    text.reserve(bytes);
    for (const std::string& pointer : pointers) {
        text += (&pointer == &pointers.front() ? "\n    " : ",\n    ") + Json(pointer).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    text += "\n  " + end;
}

/// Bytes of text up to which text fixes are tried: each reads the text anew, and a hostile one has findings by the hundred.
constexpr std::size_t kMostTried = 4U << 20U;

/// What mends a finding of the text, which no JSON Patch can say: the bytes [from, to) of the file give way to "with".
Json textFixJson(std::string_view text, const CheckFinding& finding, std::size_t& tried)
{
    const auto fix = (finding.level == CheckLevel::Load || finding.rule.starts_with("text.")) && finding.fix.empty() && tried + text.size() <= kMostTried ? textFixOf(text, finding) : std::nullopt;
    if (!fix) {
        return nullptr;
    }
    tried += text.size();
    const auto mended = mendedText(text, finding, *fix);
    if (!mended) {
        return nullptr;
    }
    const TextEdit edit = editBetween(text, *mended);
    return Json::array({{{"from", edit.begin}, {"to", edit.end}, {"with", edit.replacement}}});
}

Error wrongType(const std::string& key, const char* wanted)
{
    return {ErrorCode::InvalidInput, "Cannot use the context: \"" + key + "\" must be " + wanted + ".", {{"pointer", "/" + key}}};
}

/// Arguments that hold a number, and what to write; null for another field.
const char* trainerNumber(const std::string& field)
{
    static const std::map<std::string, const char*, std::less<>> kNumbers{
        {"per_device_train_batch_size", "an integer of 1 or more"}, {"per_gpu_train_batch_size", "an integer of 1 or more"},
        {"gradient_accumulation_steps", "an integer of 1 or more"}, {"num_training_steps", "an integer of 0 or more"},
        {"warmup_steps", "a number of 0 or more"}, {"max_steps", "an integer"}, {"learning_rate", "a number"}, {"weight_decay", "a number"},
        {"adam_beta1", "a number"}, {"adam_beta2", "a number"}, {"adam_epsilon", "a number"}, {"max_grad_norm", "a number"},
        {"warmup_ratio", "a number"}, {"zero_stage", "an integer of 0 or more"}, {"gradient_clipping", "a number"}};
    const auto found = kNumbers.find(field);
    return found == kNumbers.end() ? nullptr : found->second;
}

bool isTrainerNumber(const std::string& field, const nlohmann::json& value)
{
    const std::string_view wanted = trainerNumber(field);
    if (!value.is_number() || (wanted.starts_with("an integer") && !value.is_number_integer())) {
        return false;
    }
    return wanted.ends_with("of 1 or more") ? value >= 1 : !wanted.ends_with("of 0 or more") || value >= 0;
}

}  // namespace

bool looksBeyond(const CheckAnswer& answer)
{
    const auto tells = [&](std::string_view rule) { return std::any_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.rule == rule; }); };
    // What stands round a config, and a key that is written twice, hide nothing of what stands inside.
    const bool unread = std::any_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) {
        return finding.level == CheckLevel::Load && finding.effect == CheckEffect::Refused && finding.rule != "R1" && finding.rule != "text.around";
    });
    return !tells("findings.beyond") && !tells("findings.more") && !unread;
}

std::string checkAnswerJson(const CheckAnswer& answer, const std::optional<FittingRanks>& fit, std::string_view text)
{
    Json out;
    out["verdict"] = answer.ok ? "ok" : "error";
    out["level"] = answer.level.has_value() ? Json(checkLevelName(*answer.level)) : Json(nullptr);
    out["parse_verdict"] = answer.parseOk ? "ok" : "error";
    out["resolved"] = nullptr;
    if (answer.resolved.has_value()) {
        out["resolved"] = {{"train_batch_size", toNumber(answer.resolved->trainBatchSize)},
                           {"micro", toNumber(answer.resolved->micro)},
                           {"gas", toNumber(answer.resolved->gas)}};
    }
    out["findings"] = Json::array();
    std::size_t tried = 0;
    for (const CheckFinding& finding : answer.findings) {
        out["findings"].push_back({{"rule", finding.rule},
                                   {"severity", checkSeverityName(finding.severity)},
                                   {"effect", checkEffectName(finding.effect)},
                                   {"level", checkLevelName(finding.level)},
                                   {"path", finding.pointer},
                                   {"line", finding.line},
                                   {"column", finding.column},
                                   {"message", finding.message},
                                   {"fix", finding.fix.empty() ? Json(nullptr) : withDigits(finding.fix)},
                                   {"safe", finding.safe && !finding.fix.empty()}});
        if (Json textFix = textFixJson(text, finding, tried); !textFix.is_null()) {
            out["findings"].back()["textFix"] = std::move(textFix);
        }
    }
    out["ignored"] = Json::array();
    out["changed"] = Json::object();
    for (const ChangedValue& changed : answer.changed) {
        if (!changed.kept) {
            out["changed"][changed.pointer] = withDigits(changed.json);
        }
    }
    out["beyond"] = nullptr;
    if (answer.level.has_value() && *answer.level < CheckLevel::Engine) {
        out["beyond"] = looksBeyond(answer) ? "checked" : "not checked";
    }
    out["release"] = answer.release;
    if (fit) {
        out["fittingRanks"] = fit->ranks;
    }
    std::string json = withWide(out.dump(2, ' ', false, Json::error_handler_t::replace));
    putIgnored(json, answer.ignored);
    return json;
}

std::string checkAnswerJson(const CheckAnswer& answer) { return checkAnswerJson(answer, std::nullopt, {}); }

Result<CheckContext> readCheckContext(std::string_view json, std::vector<std::string>& warnings)
{
    const auto parsed = nlohmann::json::parse(json, nullptr, false);
    if (!parsed.is_object()) {
        return Error{ErrorCode::InvalidInput, "Cannot use the context: it must be one JSON object, e.g. {\"device\": \"cuda\"}.", {}};
    }
    CheckContext context;
    for (const auto& [key, value] : parsed.items()) {
        if (value.is_null()) {
            continue;
        }
        if (key == "device" || key == "optimizer" || key == "scheduler") {
            if (!value.is_string()) {
                return wrongType(key, "a string");
            }
            (key == "device" ? context.device : key == "optimizer" ? context.optimizer : context.scheduler) = value.get<std::string>();
        } else if (key == "pipeline_model" || key == "mpu") {
            if (!value.is_boolean()) {
                return wrongType(key, "true or false");
            }
            (key == "mpu" ? context.mpu : context.pipelineModel) = value.get<bool>();
        } else if (key == "pipe_stages" || key == "ranks" || key == "hidden_size" || key == "tp_model_init") {
            constexpr std::int64_t kMost = std::numeric_limits<int>::max();
            if (!value.is_number_integer() || value < 1 || value > kMost) {
                return wrongType(key, "an integer from 1 to 2147483647");
            }
            if (key == "hidden_size") {
                context.hiddenSize = value.get<std::int64_t>();
            } else {
                (key == "ranks" ? context.ranks : key == "pipe_stages" ? context.pipeStages : context.tpModelInit) = value.get<int>();
            }
        } else if (key == "trainer") {
            if (!value.is_object()) {
                return wrongType(key, "an object of the launcher's arguments");
            }
            for (const auto& [field, given] : value.items()) {
                const std::string at = "trainer." + field;
                if (const char* wanted = trainerNumber(field); wanted != nullptr && !given.is_null() && !isTrainerNumber(field, given)) {
                    return wrongType(at, wanted);
                }
                const bool isSwitch = field == "fp16" || field == "bf16" || field == "fp16_full_eval" || field == "bf16_full_eval" || field == "zero3_save_16bit_model";
                if (isSwitch && !given.is_boolean() && !given.is_null()) {
                    return wrongType(at, "true or false");
                }
                if (!accelerateWords(field).empty() && !given.is_null() && !(given.is_string() && isAccelerateWord(field, given.get<std::string>()))) {
                    return wrongType(at, ("one of " + accelerateWords(field)).c_str());
                }
                TrainerValue& slot = context.trainer[field];
                if (given.is_boolean()) {
                    slot = given.get<bool>();
                } else if (given.is_number_integer()) {
                    slot = given.get<std::int64_t>();
                } else if (given.is_number()) {
                    slot = given.get<double>();
                } else if (given.is_string()) {
                    slot = given.get<std::string>();
                }
            }
        } else {
            warnings.push_back("The context key \"" + key + "\" is not known and is not used.");
        }
    }
    return context;
}

}  // namespace stagecraft
