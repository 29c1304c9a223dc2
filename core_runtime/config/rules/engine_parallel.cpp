// SPDX-License-Identifier: GPL-3.0-or-later
// Engine rules about who works with whom: a mesh of data and sequence ranks (R9), tensor parallelism (R66-R68), expert parallelism (R69), elasticity with an mpu (R87).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace stagecraft::rules {

namespace {

int jobRanks(const Judge& judge)
{
    return judge.context.ranks.value_or(judge.context.world);
}

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

const std::string kStage = "/zero_optimization/stage";

std::int64_t autoTpSize(const Judge& judge)
{
    const ConfigValue* size = judge.parsed.tensorParallel.find("autotp_size");
    return size == nullptr ? 0 : size->asInt();
}

/// The two sizes from which DeepSpeed makes a mesh of ranks; null where it makes none.
struct Mesh {
    const ConfigValue* data = nullptr;
    const ConfigValue* sequence = nullptr;
};

Mesh meshOf(const Judge& judge)
{
    const Mesh mesh{judge.root.find("data_parallel_size"), judge.root.find("sequence_parallel_size")};
    return mesh.data != nullptr && mesh.sequence != nullptr && judge.facts.atLeast(0, 16, 0) ? mesh : Mesh();
}

/// Ranks of the whole job; nothing where only those of one pipeline stage are known.
std::optional<std::int64_t> ranksOfAll(const Judge& judge)
{
    if (!judge.context.pipelineModel || judge.context.ranks.has_value()) {
        return jobRanks(judge);
    }
    return judge.context.pipeStages.has_value() ? std::optional(std::int64_t{judge.context.world} * *judge.context.pipeStages) : std::nullopt;
}

/// torch makes the mesh before DeepSpeed reads the rest of the config (deepspeed/__init__.py).
void checkMesh(Judge& judge)
{
    const Mesh mesh = meshOf(judge);
    if (mesh.data == nullptr) {
        return;
    }
    bool sizes = true;
    for (const auto& [key, value] : {std::pair{"data_parallel_size", mesh.data}, std::pair{"sequence_parallel_size", mesh.sequence}}) {
        const bool flag = value == mesh.data && value->isBool();  // torch's view() takes a shape by its first number
        if (!value->isIntLike() || value->asInt() < 1 || flag) {
            judge.refuse(CheckLevel::Engine, "R9", "R9.mesh.value", "/" + std::string(key), {{"key", key}, {"value", toJson(*value)}});
            sizes = false;
        }
    }
    const auto ranks = ranksOfAll(judge);
    if (!sizes || !ranks.has_value()) {
        return;
    }
    const double product = mesh.data->asDouble() * mesh.sequence->asDouble();
    const MessageArguments all{{"data", toJson(*mesh.data)}, {"sequence", toJson(*mesh.sequence)}, {"product", shortNumber(product)}, {"ranks", std::to_string(*ranks)}};
    if (product > static_cast<double>(*ranks)) {
        judge.refuse(CheckLevel::Engine, "R9", "R9.mesh.large", "/data_parallel_size", all);
        return;
    }
    if (product < static_cast<double>(*ranks)) {
        judge.refuse(CheckLevel::Engine, "R9", "R9.mesh.small", "/data_parallel_size", all);
    }
    // parameters are shared out among all ranks, gradients among those of the mesh's first dimension
    if (judge.parsed.stage() == 3 && mesh.data->asDouble() < static_cast<double>(*ranks) && !judge.facts.atLeast(0, 19, 0)) {
        MessageArguments more = all;
        more.emplace_back("release", judge.facts.version);
        const bool before = judge.stepping;
        judge.stepping = true;
        judge.refuse(CheckLevel::Engine, "R9", "R9.mesh.stage3", kStage, more, patchReplace(kStage, "2"));
        judge.stepping = before;
    }
}

/// One entry of tensor_parallel.partition_config.layer_specs.
void checkLayerSpec(Judge& judge, const ConfigValue& spec, const std::string& at)
{
    if (const ConfigValue* type = spec.find("partition_type"); type != nullptr && type->isString()) {
        const std::string word = lowerCase(type->text);
        if (word != "row" && word != "column" && word != "skip") {
            judge.refuse(CheckLevel::Engine, "R67", "R67.type", at + "/partition_type", {{"value", toJson(*type)}});
        }
    }
    const ConfigValue* dim = spec.find("partition_dim");
    const ConfigValue* shape = spec.find("shape");
    if (dim != nullptr && dim->isIntLike() && shape != nullptr && shape->isList()) {
        const auto rank = static_cast<std::int64_t>(shape->items.size());
        if (dim->asInt() < 0 || dim->asInt() >= rank) {
            judge.refuse(CheckLevel::Engine, "R67", "R67.dim", at + "/partition_dim", {{"value", toJson(*dim)}, {"rank", std::to_string(rank)}});
        }
    }
}

void checkPartitioning(Judge& judge)
{
    const ConfigValue* section = judge.root.find("tensor_parallel");
    if (section == nullptr) {
        return;
    }
    if (const ConfigValue* preset = section->find("preset_model"); preset != nullptr && preset->isString() && judge.facts.atLeast(0, 18, 0)) {
        static constexpr std::array kPresets{"llama", "bloom", "chatglm", "mixtral", "deepseek_v2", "qwen2", "phi3"};
        const std::string word = lowerCase(preset->text);
        if (!preset->isString("auto") && std::none_of(kPresets.begin(), kPresets.end(), [&](const char* p) { return word == p; })) {
            judge.ignore("R67", "R67.preset", "/tensor_parallel/preset_model", {{"value", toJson(*preset)}}, patchRemove("/tensor_parallel/preset_model"));
        }
    }
    const ConfigValue* partition = section->find("partition_config");
    const ConfigValue* specs = partition == nullptr ? nullptr : partition->find("layer_specs");
    if (specs == nullptr || !specs->isList()) {
        return;
    }
    for (std::size_t i = 0; i < specs->items.size(); ++i) {
        checkLayerSpec(judge, specs->items[i], "/tensor_parallel/partition_config/layer_specs/" + std::to_string(i));
    }
}

/// deepspeed.initialize compares what is written with what the script gave (merge_tp_model_init_into_config), before anything is parsed.
void checkWrittenSizes(Judge& judge, const ConfigValue& section, int size)
{
    const std::string made = std::to_string(size);
    const ConfigValue* inner = section.find("tp");
    for (const auto& [key, value] : {std::pair{"autotp_size", section.find("autotp_size")}, std::pair{"tp.tp_size", inner == nullptr ? nullptr : inner->find("tp_size")}}) {
        if (value == nullptr || value->isNull() || (value->isNumber() && value->asDouble() == size)) {
            continue;
        }
        const bool outer = value == section.find("autotp_size");
        const std::string at = outer ? "/tensor_parallel/autotp_size" : "/tensor_parallel/tp/tp_size";
        judge.takeBackChange(at, false);
        judge.refuse(CheckLevel::Engine, "R68", "R68", at, {{"key", key}, {"value", toJson(*value)}, {"size", made}}, outer ? patchReplace(at, made) : patchRemove(at));
    }
}

/// And then with 0: text fails there, though the parser would read it.
void checkWrittenSize(Judge& judge, const ConfigValue& section)
{
    const ConfigValue* written = section.find("autotp_size");
    if (written == nullptr || !written->isString() || written->text.empty()) {
        return;
    }
    static const std::string kAt = "/tensor_parallel/autotp_size";
    const bool word = written->isString("auto");  // dropped by the parser
    const std::string number = word ? std::string() : std::to_string(autoTpSize(judge));
    judge.takeBackChange(kAt, false);
    if (CheckFinding* finding = judge.refuse(CheckLevel::Engine, "R66", word ? "R66.auto" : "R66.text", kAt, {{"value", toJson(*written)}, {"becomes", number}, {"release", judge.facts.version}},
                                             word ? patchRemove(kAt) : patchReplace(kAt, number))) {
        finding->safe = !word;  // the same number
    }
}

/// The script's tp_model_init makes groups of ranks, whatever the config says: in its own call up to 0.17, in deepspeed.initialize since.
void checkScriptsSize(Judge& judge)
{
    const int size = judge.context.tpModelInit.value_or(1);
    const int ranks = jobRanks(judge);
    if (size > 1 && ranks % size != 0 && judge.facts.atLeast(0, 16, 0) && !judge.context.pipelineModel) {
        const std::string at = judge.root.find("tensor_parallel") == nullptr ? std::string() : "/tensor_parallel";
        judge.refuse(CheckLevel::Engine, "R66", "R66.script", at, {{"size", std::to_string(size)}, {"ranks", std::to_string(ranks)}});
    }
}

void checkTensorParallel(Judge& judge)
{
    const ConfigValue* written = judge.facts.atLeast(0, 18, 0) ? judge.root.find("tensor_parallel") : nullptr;
    const ConfigValue* inner = judge.parsed.tensorParallel.find("tensor_parallel");
    const ConfigValue* innerSize = inner == nullptr ? nullptr : inner->find("tp_size");
    const std::int64_t size = autoTpSize(judge);
    if (written != nullptr) {
        judge.context.tpModelInit.has_value() ? checkWrittenSizes(judge, *written, *judge.context.tpModelInit) : checkWrittenSize(judge, *written);
    } else if (judge.context.tpModelInit.has_value()) {  // the script has split the model already
        const std::string made = std::to_string(*judge.context.tpModelInit);
        if (size > 1 && size != *judge.context.tpModelInit) {
            judge.refuse(CheckLevel::Engine, "R68", "R68", "/tensor_parallel/autotp_size", {{"key", "autotp_size"}, {"value", std::to_string(size)}, {"size", made}},
                         patchReplace("/tensor_parallel/autotp_size", made));
        } else if (innerSize != nullptr && innerSize->asInt() != 1 && innerSize->asInt() != *judge.context.tpModelInit) {
            judge.refuse(CheckLevel::Engine, "R68", "R68", "/tensor_parallel/tp/tp_size", {{"key", "tp.tp_size"}, {"value", toJson(*innerSize)}, {"size", made}},
                         patchRemove("/tensor_parallel/tp/tp_size"));
        }
    }
    // from 0.18 on, what the script gave tp_model_init is written into the config
    const bool split = size > 1 || (judge.context.tpModelInit.value_or(1) > 1 && judge.facts.atLeast(0, 18, 0) && judge.parsed.tensorParallel.find("autotp_size") != nullptr);
    if (split && judge.parsed.stage() == 3 && !judge.facts.atLeast(0, 19, 0)) {
        judge.refuse(CheckLevel::Engine, "R66", "R66.stage3", kStage, {{"size", std::to_string(size > 1 ? size : *judge.context.tpModelInit)}, {"release", judge.facts.version}}, patchReplace(kStage, "2"));
    }
    checkScriptsSize(judge);
    if (size <= 1) {
        const ConfigValue* section = judge.root.find("tensor_parallel");
        if (innerSize != nullptr && innerSize->asInt() > 1 && !judge.context.tpModelInit.has_value() && section != nullptr) {  // asked for by autotp_size alone (engine.py)
            const std::string at = std::string("/tensor_parallel/") + (section->find("tp") != nullptr ? "tp" : "tensor_parallel") + "/tp_size", value = toJson(*innerSize);
            if (CheckFinding* finding = judge.ignore("R66", "R66.off", at, {{"value", value}}, patchAdd("/tensor_parallel/autotp_size", value))) {
                finding->safe = false;
            }
        }
        return;
    }
    if (innerSize != nullptr && innerSize->asInt() != 1 && innerSize->asInt() != size) {
        judge.refuse(CheckLevel::Engine, "R66", "R66", "/tensor_parallel/tp/tp_size", {{"value", toJson(*innerSize)}, {"size", std::to_string(size)}},
                     patchRemove("/tensor_parallel/tp/tp_size"));
    }
    const int ranks = jobRanks(judge);
    if (!judge.context.pipelineModel && ranks % size != 0 && size != judge.context.tpModelInit.value_or(0)) {  // that is told of the script
        judge.refuse(CheckLevel::Engine, "R66", "R66.world", "/tensor_parallel/autotp_size", {{"size", std::to_string(size)}, {"ranks", std::to_string(ranks)}});
    }
    checkPartitioning(judge);
}

const std::string kExpert = "/expert_parallel";

void checkExpertWords(Judge& judge, const ConfigValue& section)
{
    struct Words {
        const char* key;
        std::array<const char*, 4> words;
        int patch;  ///< first 0.19 release that checks it
    };
    static constexpr std::array kWords{
        Words{"score_func", {"auto", "softmax", "sigmoid", nullptr}, 0},
        Words{"score_apply", {"auto", "pre", "post", nullptr}, 0},
        Words{"comm_backend", {"comm", "deepep", nullptr, nullptr}, 7},
        Words{"row_weighting_impl", {"auto", "eager", "fused", nullptr}, 7},
        Words{"gate_up_impl", {"separate", "fused", nullptr, nullptr}, 7}};
    const auto refuse = [&](const char* key, const ConfigValue& value, const std::string& words) {
        const std::string at = kExpert + "/" + key;
        judge.refuse(CheckLevel::Engine, "R69", "R69.word", at, {{"key", key}, {"value", toJson(value)}, {"words", words}}, patchRemove(at));
    };
    for (const Words& each : kWords) {
        const ConfigValue* value = section.find(each.key);
        if (value == nullptr || !judge.facts.atLeast(0, 19, each.patch) ||
            std::any_of(each.words.begin(), each.words.end(), [&](const char* w) { return w != nullptr && value->isString(w); })) {
            continue;
        }
        std::string words;
        for (const char* word : each.words) {
            words += word == nullptr ? std::string() : (words.empty() ? "" : ", ") + std::string(word);
        }
        refuse(each.key, *value, words);
    }
    if (const ConfigValue* combine = section.find("combine_impl")) {
        const bool fused = judge.facts.atLeast(0, 19, 7);
        if (!combine->isString("auto") && !combine->isString("weighted_sum") && !combine->isString("legacy_bmm") && !(fused && combine->isString("fused_weighted_sum"))) {
            refuse("combine_impl", *combine, fused ? "auto, weighted_sum, fused_weighted_sum, legacy_bmm" : "auto, weighted_sum, legacy_bmm");
        }
    }
}

/// Names of models whose layers of experts DeepSpeed knows (module_inject/auto_ep_presets).
void checkExpertPreset(Judge& judge, const ConfigValue& section)
{
    struct Preset {
        std::string_view name;
        int patch;  ///< first 0.19 release that has it
    };
    static constexpr std::array kPresets{Preset{"mixtral", 0}, Preset{"qwen3_moe", 0}, Preset{"qwen3_5_moe", 0}, Preset{"deepseek_v2", 0}, Preset{"deepseek_v3", 0}, Preset{"minimax_m3", 7}};
    const ConfigValue* preset = section.find("preset_model");
    if (preset == nullptr || preset->isNull()) {
        return;
    }
    static const std::string kAt = kExpert + "/preset_model";
    std::string words;
    std::vector<std::string> names;
    for (const Preset& each : kPresets) {
        if (judge.facts.atLeast(0, 19, each.patch)) {
            words += (words.empty() ? "" : ", ") + std::string(each.name);
            names.emplace_back(each.name);
        }
    }
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return preset->isString(name); })) {
        const std::string lower = preset->isString() ? lowerCase(preset->text) : std::string();
        const bool spelt = std::find(names.begin(), names.end(), lower) != names.end();
        judge.refuse(CheckLevel::Engine, "R69", "R69.preset", kAt, {{"value", toJson(*preset)}, {"words", words}}, spelt ? patchReplace(kAt, toJson(ConfigValue::ofString(lower))) : patchRemove(kAt));
    }
    const ConfigValue* other = judge.parsed.tensorParallel.find("preset_model");
    if (other != nullptr && !other->isNull() && toJson(*other) != toJson(*preset)) {
        judge.refuse(CheckLevel::Engine, "R69", "R69.presets", kAt, {{"value", toJson(*preset)}, {"other", toJson(*other)}});
    }
}

/// Experts and tensors split over the same ranks ("folding", module_inject/auto_ep_folding.py): what that does not go with yet.
void checkFolding(Judge& judge, const ConfigValue& section, std::int64_t tp, std::int64_t size)
{
    const ConfigValue* combine = section.find("combine_impl");
    const bool fused = combine != nullptr && combine->isString("fused_weighted_sum") && judge.facts.atLeast(0, 19, 7);
    if (fused && size > 1 && section.find("comm_backend") != nullptr && section.find("comm_backend")->isString("deepep")) {
        judge.refuse(CheckLevel::Engine, "R69", "R69.combine", kExpert + "/combine_impl", {}, patchRemove(kExpert + "/combine_impl"));
    }
    if (tp <= 1) {
        return;
    }
    const auto with = [&](const std::string& at, const std::string& what) {
        judge.refuse(CheckLevel::Engine, "R69", "R69.folding", at, {{"what", what}, {"tp", std::to_string(tp)}}, patchRemove(at));
    };
    const ConfigValue* plan = judge.facts.reads(kExpert, "async_split_plan") ? section.find("async_split_plan") : nullptr;
    if (plan != nullptr && plan->isBool() && plan->boolean && size > 1) {
        with(kExpert + "/async_split_plan", "\"async_split_plan\"");
    }
    if (fused) {
        with(kExpert + "/combine_impl", "\"combine_impl\": \"fused_weighted_sum\"");
    }
    if (judge.parsed.flag(judge.parsed.compile, "deepcompile")) {
        with("/compile/deepcompile", "\"deepcompile\"");
    }
    const ConfigValue* first = judge.root.find("use_data_before_expert_parallelism");
    if (first != nullptr && pythonTruth(*first)) {
        with("/use_data_before_expert_parallelism", "\"use_data_before_expert_parallelism\"");
    }
    const ConfigValue* sequence = meshOf(judge).sequence;
    if (sequence != nullptr && sequence->isIntLike() && sequence->asInt() > 1) {
        with("/sequence_parallel_size", "\"sequence_parallel_size\" above 1");
    }
    for (const char* block : {"offload_optimizer", "offload_param"}) {  // the section counts, also with the device none
        const ConfigValue* offload = judge.parsed.zero.find(block);
        if (offload != nullptr && offload->isObject()) {
            with("/zero_optimization/" + std::string(block), "\"" + std::string(block) + "\"");
        }
    }
    if (judge.parsed.stage() == 3 && !judge.facts.atLeast(0, 19, 7)) {
        judge.refuse(CheckLevel::Engine, "R69", "R69.folding.stage", kStage, {{"release", judge.facts.version}, {"tp", std::to_string(tp)}}, patchReplace(kStage, "2"));
    }
}

constexpr const char* kSwitch = "true, false";
constexpr std::array kActivations{"swiglu", "geglu_tanh", "swiglu_clamped", "swiglu_oai"};

/// Names of attributes, counts and switches of a section that is on.
void checkExpertValues(Judge& judge, const ConfigValue& section)
{
    const auto refuse = [&](const char* key, const char* message, const std::string& words) {
        const std::string at = kExpert + "/" + key, meant = words == kSwitch ? switchMeant(*section.find(key)) : std::string();
        judge.refuse(CheckLevel::Engine, "R69", message, at, {{"key", key}, {"value", toJson(*section.find(key))}, {"words", words}}, meant.empty() ? patchRemove(at) : patchReplace(at, meant));
    };
    const auto given = [&](const char* key) {
        const ConfigValue* value = section.find(key);
        return value == nullptr || value->isNull() ? nullptr : value;
    };
    for (const char* key : {"expert_w1", "expert_w2", "expert_w3", "num_experts_attr", "top_k_attr", "router_pattern", "expert_pattern", "shared_experts_pattern", "shared_experts_gate_pattern"}) {
        const ConfigValue* value = given(key);
        if (value != nullptr && (!value->isString() || value->text.empty() || value->text.find('.') != std::string::npos)) {
            refuse(key, "R69.name", {});
        }
    }
    if (const ConfigValue* shared = given("has_shared_experts"); shared != nullptr && !shared->isBool()) {
        refuse("has_shared_experts", "R69.word", kSwitch);
    }
    for (const char* key : {"validate_folding_routing", "async_split_plan"}) {
        const ConfigValue* value = judge.facts.reads(kExpert, key) ? section.find(key) : nullptr;
        if (value != nullptr && !value->isBool()) {
            refuse(key, "R69.word", kSwitch);
        }
    }
    if (const ConfigValue* factor = section.find("routed_scaling_factor"); factor != nullptr && !factor->isNumber() && !factor->isString("auto")) {
        refuse("routed_scaling_factor", "R69.word", "auto, 1.0 ...");
    }
    const ConfigValue* groups = given("num_expert_groups");
    for (const char* key : {"num_expert_groups", "num_limited_groups"}) {
        const ConfigValue* value = given(key);
        if (value != nullptr && !(value->isNumber() && value->asDouble() >= 1.0)) {
            refuse(key, "R69.word", "1, 2, 3 ...");
        } else if (value != nullptr && std::string_view(key) == "num_limited_groups" && groups != nullptr && groups->isNumber() && groups->asDouble() >= 1.0 && value->asDouble() > groups->asDouble()) {
            refuse(key, "R69.word", "1 ... " + toJson(*groups));
        }
    }
    if (!judge.facts.atLeast(0, 19, 7)) {
        return;
    }
    for (const auto& [key, least] : {std::pair{"comm_num_sm", 1}, std::pair{"comm_qp_margin", 0}, std::pair{"comm_max_tokens_per_rank", 0}}) {
        const ConfigValue* value = section.find(key);
        if (value != nullptr && !(value->isIntLike() && value->asInt() >= least)) {
            refuse(key, "R69.word", least == 1 ? "1, 2, 3 ..." : "0, 1, 2 ...");
        }
    }
    const ConfigValue* activation = given("expert_activation");
    if (activation != nullptr && std::none_of(kActivations.begin(), kActivations.end(), [&](const char* word) { return activation->isString(word); })) {
        refuse("expert_activation", "R69.word", "swiglu, geglu_tanh, swiglu_clamped, swiglu_oai");
    }
    const auto is = [&](const char* key, const char* word) { return section.find(key) != nullptr && section.find(key)->isString(word); };
    const bool deep = is("comm_backend", "deepep");
    const ConfigValue* tokens = section.find("comm_max_tokens_per_rank");
    if (deep && (tokens == nullptr || (tokens->isIntLike() && tokens->asInt() == 0))) {
        judge.refuse(CheckLevel::Engine, "R69", "R69.tokens", kExpert + (tokens == nullptr ? "/comm_backend" : "/comm_max_tokens_per_rank"));
    }
    const ConfigValue* size = section.find("autoep_size");
    if (is("row_weighting_impl", "fused") && (!deep || size == nullptr || size->asInt() == 1)) {
        refuse("row_weighting_impl", "R69.fused", {});
    }
    const ConfigValue* grouped = section.find("use_grouped_mm");
    if (is("gate_up_impl", "fused") && grouped != nullptr && !pythonTruth(*grouped)) {
        refuse("gate_up_impl", "R69.grouped", {});
    }
}

void checkExperts(Judge& judge)
{
    const ConfigValue* section = judge.root.find("expert_parallel");
    const ConfigValue* on = section == nullptr || !judge.facts.reads("", "expert_parallel") ? nullptr : section->find("enabled");
    if (on == nullptr || !pythonTruth(*on)) {
        return;
    }
    const ConfigValue* written = section->find("autoep_size");
    const ConfigValue* inner = section->find("expert_tensor_parallel_size");
    const std::int64_t size = written == nullptr ? 1 : written->asInt();
    const std::int64_t tp = autoTpSize(judge);
    const int ranks = jobRanks(judge);
    const auto refuse = [&](const char* key, const char* message, const MessageArguments& arguments, std::string fix = {}) {
        judge.refuse(CheckLevel::Engine, "R69", message, kExpert + key, arguments, std::move(fix));
    };
    if (written != nullptr && (!written->isIntLike() || size < 1)) {
        refuse("/autoep_size", "R69.positive", {{"value", toJson(*written)}});
    } else if (ranks % size != 0) {
        refuse("/autoep_size", "R69.world", {{"value", std::to_string(size)}, {"ranks", std::to_string(ranks)}});
    } else if (size == 1 && tp > 1) {
        refuse("/autoep_size", "R69.tp", {});
    } else if (size == 1) {
        judge.warn(CheckLevel::Engine, "R69", "R69.one", kExpert + (written == nullptr ? "" : "/autoep_size"));
    }
    if (inner != nullptr && !(inner->isNumber() && inner->asDouble() == 1.0)) {
        refuse("/expert_tensor_parallel_size", "R69.inner", {{"value", toJson(*inner)}}, patchRemove(kExpert + "/expert_tensor_parallel_size"));
    }
    checkExpertPreset(judge, *section);
    checkFolding(judge, *section, tp, size);
    checkExpertWords(judge, *section);
    checkExpertValues(judge, *section);
    if (judge.parsed.stage() != 3) {
        return;
    }
    const auto with = [&](const std::string& at, const char* what) {
        judge.refuse(CheckLevel::Engine, "R69", "R69.stage3", at, {{"what", what}});
    };
    const ConfigValue* hpz = judge.parsed.zero.find("zero_hpz_partition_size");
    if (hpz != nullptr && hpz->asInt() > 1) {
        with("/zero_optimization/zero_hpz_partition_size", "zero_hpz_partition_size");
    }
    if (judge.parsed.flag(judge.parsed.zero, "zero_quantized_gradients")) {
        with("/zero_optimization/zero_quantized_gradients", "zero_quantized_gradients");
    }
    const ConfigValue* sequence = meshOf(judge).sequence;
    if (sequence != nullptr && sequence->isNumber() && sequence->asDouble() > 1.0) {
        with("/sequence_parallel_size", "sequence_parallel_size");
    }
}

/// The engine takes elasticity with model parallelism only where nodes hold whole model replicas.
void checkElasticNodes(Judge& judge)
{
    const ConfigValue* elasticity = judge.root.find("elasticity");
    if (!judge.parsed.elastic || elasticity == nullptr || !(judge.context.mpu || judge.context.pipelineModel)) {
        return;
    }
    const ConfigValue* perNode = elasticity->find("num_gpus_per_node");
    const ConfigValue* parallel = elasticity->find("model_parallel_size");
    const std::int64_t gpus = perNode == nullptr ? 1 : perNode->asInt();
    const std::int64_t size = parallel == nullptr ? 1 : parallel->asInt();
    if (size > 0 && gpus % size != 0) {
        judge.refuse(CheckLevel::Engine, "R87", "R87", "/elasticity/" + std::string(perNode == nullptr ? "model_parallel_size" : "num_gpus_per_node"),
                     {{"gpus", std::to_string(gpus)}, {"size", std::to_string(size)}});
    }
}

}  // namespace

void checkEngineParallel(Judge& judge)
{
    checkMesh(judge);
    checkTensorParallel(judge);
    checkExperts(judge);
    checkElasticNodes(judge);
}

}  // namespace stagecraft::rules
