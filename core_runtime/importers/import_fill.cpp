// SPDX-License-Identifier: GPL-3.0-or-later
// What "auto" becomes: the launcher's options, the Trainer's arguments, or what accelerate puts there of itself.
#include "importers/import_draft.h"

#include "config/json_edit.h"
#include "importers/config_text.h"

#include <algorithm>
#include <iterator>

namespace stagecraft {

bool ImportDraft::replace(const std::string& pointer, const std::string& json)
{
    auto document = JsonDocument::parse(result.dsConfigText);
    if (!document.hasValue()) return false;
    const auto edit = setEdit(document.value(), pointer, json);
    if (!edit.hasValue()) return false;
    result.dsConfigText = applyEdits(result.dsConfigText, {edit.value()});
    return true;
}

std::optional<Error> ImportDraft::fillByLaunch()
{
    for (const auto& [pointer, given] : launchValues) {
        const std::string& option = given.items.front().text;
        ConfigValue value = given;
        value.items.clear();
        const ConfigValue* there = valueAt(m_config, pointer);
        if (there != nullptr && there->isString("auto") && replace(pointer, toJson(value))) {
            setAt(m_config, pointer, value);
            note(TransferKind::Changed, option, given.place.line, value, "/dsConfig" + pointer, say("accelerate puts it in the place of \"auto\".", "accelerate 用它替换 \"auto\"。"));
        } else {
            dropped(option, given.place.line, value, say("accelerate fills only an \"auto\" from it, and the ds_config has none there.", "accelerate 只用它替换 \"auto\"，而 ds_config 该处没有 \"auto\"。"));
        }
    }
    if (launchPrecision.isNull()) return std::nullopt;
    const int line = launchPrecision.place.line;
    if (trainer && (trainerFlag(arguments, "bf16") || trainerFlag(arguments, "fp16"))) {  // TrainingArguments sets ACCELERATE_MIXED_PRECISION anew
        dropped("mixed_precision", line, launchPrecision, say("The TrainingArguments name a precision, which replaces this one.", "TrainingArguments 指定了精度，会取代这里的值。"));
        return std::nullopt;
    }
    // DeepSpeedPlugin.set_mixed_precision
    const bool half = launchPrecision.text == "fp16";
    const bool off = launchPrecision.text == "no";
    const std::string on = half ? "fp16" : "bf16", other = half ? "bf16" : "fp16";
    const ConfigValue* against = valueAt(m_config, "/" + other + "/enabled");
    if (!off && against != nullptr && (against->isString("true") || against->isString("True") || (against->isBool() && against->boolean))) {
        return refuse(ErrorCode::Refused, line, "--mixed_precision is {0} and the ds_config enables {1}, which accelerate refuses (ValueError); take one of the two out", "--mixed_precision 为 {0}，而 ds_config 启用了 {1}，accelerate 会拒绝（ValueError）；去掉其中一个", {launchPrecision.text, other});
    }
    std::string target;
    const auto fill = [&](const std::string& pointer, const ConfigValue& value) {
        if (!replace(pointer, prettyJson(value))) return;
        setAt(m_config, pointer, value);
        if (target.empty() || pointer.find(on) != std::string::npos) target = "/dsConfig" + pointer;
    };
    if (!off && m_config.find(on) == nullptr) {
        ConfigValue section = ConfigValue::ofObject();
        section.set("enabled", ConfigValue::ofBool(true));
        if (half) section.set("auto_cast", ConfigValue::ofBool(true));
        fill("/" + on, section);
    }
    for (const std::string& name : {on, other}) {
        const ConfigValue* enabled = valueAt(m_config, "/" + name + "/enabled");
        if (enabled != nullptr && enabled->isString("auto")) fill("/" + name + "/enabled", ConfigValue::ofBool(!off && name == on));
    }
    if (!target.empty()) note(TransferKind::Changed, "mixed_precision", line, launchPrecision, target, say("accelerate writes it where the ds_config says \"auto\" or nothing.", "ds_config 写 \"auto\" 或未写时，accelerate 填入该值。"));
    else dropped("mixed_precision", line, launchPrecision, say("The ds_config says it itself; accelerate fills only \"auto\" and a missing section.", "ds_config 已有取值；accelerate 只填 \"auto\" 和缺少的段。"));
    return std::nullopt;
}

/// The arguments behind a value that nobody gave: TrainingArguments' own defaults count.
std::string ImportDraft::notGiven(const std::string& argument) const
{
    std::string missing;
    if (argument == "warmup_steps, warmup_ratio") return arguments.count("warmup_steps") + arguments.count("warmup_ratio") == 0 ? argument : std::string();  // either is enough
    for (const char* name : {"per_device_train_batch_size", "gradient_accumulation_steps", "max_grad_norm", "learning_rate", "adam_beta1", "adam_beta2", "adam_epsilon", "weight_decay", "fp16", "bf16"}) {
        if (argument.find(name) != std::string::npos && arguments.count(name) == 0) missing += (missing.empty() ? "" : ", ") + std::string(name);
    }
    return missing;
}

/// The argument behind an "auto" that is given with a value that only the running script knows; empty when there is none.
std::string ImportDraft::openBehind(const std::string& pointer) const
{
    if (const auto option = openPointers.find(pointer); option != openPointers.end()) return option->second;
    std::string behind = argumentBehind(pointer);
    if (pointer == "/scheduler/params/warmup_num_steps" || pointer == "/scheduler/params/total_num_steps") behind += ", max_steps, num_train_epochs";
    for (const std::string& name : knownLater) {
        for (std::size_t at = behind.find(name); at != std::string::npos; at = behind.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            if ((at == 0 || behind[at - 1] == ' ') && (end == behind.size() || behind[end] == ',' || behind[end] == ' ')) return name;
        }
    }
    return {};
}

/// Says of an "auto" that it stays, where nobody knows its argument yet.
bool ImportDraft::tellOpen(const std::string& pointer)
{
    const std::string later = openBehind(pointer);
    if (later.empty()) return false;
    note(TransferKind::Warning, pointer, 0, ConfigValue::ofString("auto"), "/dsConfig" + pointer, say("Stays \"auto\": {1} fills it from {0}, which is known only when the script runs.", "保持 \"auto\"：{1} 由 {0} 填入，而它只有脚本运行时才知道。", {later, trainer ? say("the Trainer", "Trainer") : "accelerate"}));
    return true;
}

/// The train_batch_size of a ds_config that fixes one of its two factors otherwise than the arguments do, which the Trainer refuses; empty = it does not.
std::string ImportDraft::productOfTheFile() const
{
    std::int64_t whole = result.context.world;
    bool otherwise = false;
    for (const auto& [key, argument] : {std::pair{"train_micro_batch_size_per_gpu", "per_device_train_batch_size"}, std::pair{"gradient_accumulation_steps", "gradient_accumulation_steps"}}) {
        const ConfigValue* value = m_config.find(key);
        const auto said = static_cast<std::int64_t>(trainerNumber(arguments, argument));
        const bool fixed = value != nullptr && value->kind == ConfigValue::Kind::Int && !value->wide && value->integer > 0;
        otherwise = otherwise || (fixed && value->integer != said);
        if (__builtin_mul_overflow(whole, fixed ? value->integer : said, &whole)) return {};
    }
    return otherwise && whole > 0 ? std::to_string(whole) : std::string();
}

void ImportDraft::fillByTrainer()
{
    std::vector<std::string> autos = autoPointers(m_config);
    if (autos.size() > 500) autos.resize(500);  // as many as there are notes; a real file has twenty
    CheckContext context = result.context;
    context.language = "en";
    const auto answer = checkConfig(prettyJson(m_config), context);  // strict: the source may have comments
    if (!answer.hasValue()) return;
    for (const std::string& pointer : autos) {
        const auto changed = std::find_if(answer->changed.begin(), answer->changed.end(), [&](const ChangedValue& change) { return change.pointer == pointer; });
        const bool filled = std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) { return finding.rule == "R103" && finding.pointer == pointer; });
        // DeepSpeed's scheduler makes two of one step, which `changed` then tells; what the Trainer writes is the one.
        const bool one = std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) { return finding.rule == "R59" && finding.effect == CheckEffect::Changed && finding.pointer == pointer; });
        // And ZenFlow puts its update interval in the place of the accumulation that the Trainer writes.
        const bool zenflow = pointer == "/gradient_accumulation_steps" && std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) { return finding.rule == "R39" && finding.effect == CheckEffect::Changed && finding.pointer == pointer; });
        const std::string whole = pointer == "/train_batch_size" ? productOfTheFile() : std::string();
        const std::string becomes = !whole.empty() ? whole : one ? "1" : zenflow ? toJson(ConfigValue::ofInt(static_cast<std::int64_t>(trainerNumber(arguments, "gradient_accumulation_steps")))) : changed != answer->changed.end() ? changed->json : std::string();
        const std::string argument = argumentBehind(pointer);
        const ConfigValue word = ConfigValue::ofString("auto");
        const std::string missing = notGiven(argument);
        if (tellOpen(pointer)) continue;
        if (filled && !becomes.empty() && replace(pointer, becomes)) {
            note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer,
                 missing.find(',') != std::string::npos ? say("Becomes {0}, from {1}: {2} are not given, so that the defaults of TrainingArguments count.", "变为 {0}，来自 {1}：未给出 {2}，因此采用 TrainingArguments 的默认值。", {becomes, argument, missing})
                 : !missing.empty() ? say("Becomes {0}, from {1}: {2} is not given, so that the default of TrainingArguments counts.", "变为 {0}，来自 {1}：未给出 {2}，因此采用 TrainingArguments 的默认值。", {becomes, argument, missing})
                 : argument.empty() ? say("Becomes {0}, which the Trainer or accelerate fills in.", "变为 {0}，由 Trainer 或 accelerate 填入。", {becomes})
                                  : say("Becomes {0}, from {1}.", "变为 {0}，来自 {1}。", {becomes, argument}));
        } else if (argument == "hidden_size") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": the Trainer takes it from the model's hidden size, which is not known here.", "保持 \"auto\"：Trainer 由模型的 hidden_size 计算，此处未知。"));
        } else if (argument == "max_steps" || argument == "warmup_steps, warmup_ratio") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": the Trainer takes it from the number of steps, which max_steps would fix.", "保持 \"auto\"：Trainer 由总步数计算，给出 max_steps 后即可确定。"));
        } else {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": nobody fills this key, so that DeepSpeed sees the word itself.", "保持 \"auto\"：没有人会填写这个键，DeepSpeed 会直接看到这个词。"));
        }
    }
    for (const CheckFinding& finding : answer->findings) {
        if (finding.severity != CheckSeverity::Error || (finding.rule != "R105" && finding.rule != "R107")) continue;
        CheckContext own = result.context;
        const auto inLanguage = checkConfig(prettyJson(m_config), own);
        for (const CheckFinding& said : inLanguage->findings) {
            if (said.rule == finding.rule && said.pointer == finding.pointer) notes.add({TransferKind::Warning, said.pointer, 0, "", "/dsConfig" + said.pointer, said.message});
        }
    }
}

void ImportDraft::fillByAccelerate()
{
    // accelerator.prepare() of accelerate 1.x: what it fills without being asked. The numbers of Accelerator(...) and of the DataLoader
    // are the script's, and its arguments only suggest them.
    const std::pair<const char*, const char*> kFilled[]{
        {"/gradient_clipping", "1.0"}, {"/zero_optimization/stage", "2"},
        {"/zero_optimization/stage3_gather_16bit_weights_on_model_save", "false"}, {"/bf16/enabled", "false"}, {"/fp16/enabled", "false"},
        {"/zero_optimization/offload_optimizer/device", "\"none\""}, {"/zero_optimization/offload_param/device", "\"none\""},
        {"/zero_optimization/offload_optimizer/nvme_path", "\"none\""}, {"/zero_optimization/offload_param/nvme_path", "\"none\""}};
    const char* const kOfTheScript[]{"/optimizer/params/lr", "/optimizer/params/weight_decay", "/scheduler/params/warmup_min_lr", "/scheduler/params/warmup_max_lr", "/scheduler/params/warmup_num_steps", "/scheduler/params/total_num_steps"};
    const ConfigValue word = ConfigValue::ofString("auto");
    const std::vector<std::string> autos = autoPointers(m_config);
    const auto isAuto = [&](const char* pointer) { return std::find(autos.begin(), autos.end(), pointer) != autos.end(); };
    const auto given = [&](const char* name) { return arguments.count(name) > 0 ? static_cast<std::int64_t>(trainerNumber(arguments, name)) : std::int64_t{0}; };
    const std::int64_t micro = given("per_device_train_batch_size"), accumulation = given("gradient_accumulation_steps");
    const auto number = [&](const char* pointer, std::int64_t otherwise) {
        const ConfigValue* value = valueAt(m_config, pointer);
        return value != nullptr && value->kind == ConfigValue::Kind::Int && !value->wide && value->integer > 0 ? value->integer : otherwise;
    };
    // Accelerator._prepare_deepspeed: sizes in elements
    const auto bucketOf = [&](const std::string& pointer) {
        const std::int64_t hidden = result.context.hiddenSize.value_or(0);
        if (hidden < 1 || hidden > 1'000'000) return std::string();
        if (pointer == "/zero_optimization/reduce_bucket_size") return std::to_string(hidden * hidden);
        if (pointer == "/zero_optimization/stage3_prefetch_bucket_size") return std::to_string(static_cast<std::int64_t>(0.9 * static_cast<double>(hidden) * static_cast<double>(hidden)));
        return pointer == "/zero_optimization/stage3_param_persistence_threshold" ? std::to_string(10 * hidden) : std::string();
    };
    const auto suggested = [&](const std::string& pointer, const char* argument, std::int64_t value) {
        if (value < 1 || !replace(pointer, std::to_string(value))) return false;
        setAt(m_config, pointer, ConfigValue::ofInt(value));
        if (certainBatch) note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, which accelerate fills in.", "变为 {0}，由 accelerate 填入。", {std::to_string(value)}));
        else note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, from {1}: so it is where the script hands that argument on, as the examples of accelerate do; only the script says.", "变为 {0}，来自 {1}：前提是脚本把该参数传给 accelerate（官方示例如此）；只有脚本能确定。", {std::to_string(value), argument}));
        return true;
    };
    for (const std::string& pointer : autos) {
        if (tellOpen(pointer)) continue;
        const auto filled = std::find_if(std::begin(kFilled), std::end(kFilled), [&](const auto& entry) { return pointer == entry.first; });
        if (filled != std::end(kFilled) && replace(pointer, filled->second)) {
            note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, which accelerate fills in.", "变为 {0}，由 accelerate 填入。", {filled->second}));
        } else if (const std::string bucket = bucketOf(pointer); !bucket.empty() && replace(pointer, bucket)) {
            note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, from the model's hidden size {1}.", "变为 {0}，由模型的 hidden_size {1} 得出。", {bucket, std::to_string(*result.context.hiddenSize)}));
        } else if (argumentBehind(pointer) == "hidden_size") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate takes it from the model's hidden size, which is not known here.", "保持 \"auto\"：accelerate 由模型的 hidden_size 计算，此处未知。"));
        } else if (pointer == "/gradient_accumulation_steps") {
            if (suggested(pointer, "gradient_accumulation_steps", accumulation)) continue;
            // A fixed train_batch_size leaves one number, which the script has to say: with another DeepSpeed refuses the three.
            const std::int64_t train = number("/train_batch_size", 0);
            std::int64_t step = 0;
            const bool known = (ranks > 0 || options.workspaceRanks > 0) && !__builtin_mul_overflow(number("/train_micro_batch_size_per_gpu", micro), std::int64_t{result.context.world}, &step);
            if (known && step > 0 && train > step && train % step == 0 && replace(pointer, std::to_string(train / step))) {
                setAt(m_config, pointer, ConfigValue::ofInt(train / step));
                note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, which train_batch_size {1} asks for: the script has to make Accelerator(gradient_accumulation_steps={0}), whose default is 1.", "变为 {0}，这是 train_batch_size {1} 所要求的：脚本需写 Accelerator(gradient_accumulation_steps={0})，其默认值为 1。", {std::to_string(train / step), std::to_string(train)}));
                continue;
            }
            (void)replace(pointer, "1");
            setAt(m_config, pointer, ConfigValue::ofInt(1));
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Becomes 1, the default of Accelerator(): a script that gives it gradient_accumulation_steps runs with that number.", "变为 1，即 Accelerator() 的默认值：若脚本传入 gradient_accumulation_steps，则以脚本为准。"));
        } else if (pointer == "/train_micro_batch_size_per_gpu" && suggested(pointer, "per_device_train_batch_size", micro)) {
        } else if (pointer == "/train_batch_size" && micro > 0) {
            continue;  // below, from the two others
        } else if (pointer == "/train_batch_size" || pointer == "/train_micro_batch_size_per_gpu") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate takes it from the script's DataLoader. Give per_device_train_batch_size, or write the number.", "保持 \"auto\"：accelerate 取自脚本的 DataLoader。给出 per_device_train_batch_size，或直接写数字。"));
        } else if (std::find(std::begin(kOfTheScript), std::end(kOfTheScript), pointer) != std::end(kOfTheScript)) {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate fills it from what the script passes to prepare().", "保持 \"auto\"：由脚本传给 prepare() 的对象决定。"));
        } else {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate has no value for it, and refuses it (ValueError). Write a value, or leave the key out.", "保持 \"auto\"：accelerate 没有它的值，会拒绝（ValueError）。写出取值，或删除这个键。"));
        }
    }
    if (micro > 0 && isAuto("/train_batch_size") && openBehind("/train_batch_size").empty()) {
        std::int64_t whole = 0;
        if (!__builtin_mul_overflow(number("/train_micro_batch_size_per_gpu", micro), number("/gradient_accumulation_steps", 1), &whole) && !__builtin_mul_overflow(whole, std::int64_t{result.context.world}, &whole))
            (void)suggested("/train_batch_size", "per_device_train_batch_size", whole);
    }
}

}  // namespace stagecraft
