// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/block_code.h"

#include "model/config_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {

namespace {

using Norm = BlockCode::Norm;
using Qkv = BlockCode::Qkv;

// Class names begin with these. Longer ones first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kClasses{{
    {"Qwen2Moe", "qwen2_moe"}, {"Qwen3Moe", "qwen3_moe"}, {"Qwen2", "qwen2"}, {"Qwen3", "qwen3"}, {"Llama", "llama"}, {"Mistral", "mistral"}, {"Mixtral", "mixtral"},
    {"Gemma3Text", "gemma3_text"}, {"Gemma3", "gemma3_text"}, {"Gemma2", "gemma2"}, {"Gemma", "gemma"}, {"Phi3", "phi3"}, {"Phi", "phi"}, {"DeepseekV2", "deepseek_v2"}, {"DeepseekV3", "deepseek_v3"},
    {"GPT2", "gpt2"}, {"GPTNeoX", "gpt_neox"}, {"GPTJ", "gptj"}, {"OPT", "opt"}, {"Falcon", "falcon"},
}};

std::string_view familyOf(std::string_view className)
{
    if (className.starts_with("Bloom")) return "bloom";
    if (className.starts_with("Bert") || className.starts_with("Roberta") || className.starts_with("XLMRoberta")) return "bert";
    if (className.starts_with("T5") || className.starts_with("MT5")) return className.front() == 'M' ? "mt5" : "t5";
    const auto* found = std::find_if(kClasses.begin(), kClasses.end(), [&](const auto& each) { return className.starts_with(each.first); });
    return found == kClasses.end() ? std::string_view{} : found->second;
}

// Tensors that a non-linearity keeps besides its output, which the next product keeps: transformers/activations.py, ACT2FN. Formulas
// written out in Python keep what each of their kernels took.
int keptBy(std::string_view name)
{
    if (name == "relu" || name == "tanh") return 0;
    if (name == "gelu_new" || name == "gelu_accurate") return 4;
    if (name == "gelu_fast") return 7;
    if (name == "gelu_python") return 3;
    if (name == "quick_gelu" || name == "gelu_10") return 2;
    return 1;  // one kernel: its input
}

// The family's own norm, projections, attention and MLP, whatever its sizes.
BlockCode codeOf(std::string_view family)
{
    BlockCode code;
    code.family = family;
    const auto isOne = [&](std::initializer_list<std::string_view> names) { return std::find(names.begin(), names.end(), family) != names.end(); };
    if (isOne({"gpt2", "bloom", "opt", "gpt_neox", "gptj", "falcon", "phi", "bert"})) code.norm = Norm::Layer;
    if (isOne({"gemma", "gemma2", "gemma3_text"})) code.norm = Norm::RmsFloat;
    if (isOne({"gemma2", "gemma3_text"})) code.norms = code.normInputs = 4;
    if (isOne({"qwen3", "qwen3_moe", "gemma3_text"})) code.headNorms = true;
    if (isOne({"gpt2", "bloom"})) code.qkv = Qkv::Fused;
    if (isOne({"gpt_neox", "phi3"})) code.qkv = Qkv::FusedRotated;
    // One norm for attention and MLP, which stand beside each other.
    if (isOne({"gptj", "phi"})) code.norms = code.normInputs = code.normOutputs = 1;
    code.queriesByHead = isOne({"gpt_neox", "phi", "phi3"});
    code.floatQueries = family == "gptj";
    code.floatSoftmax = !isOne({"gpt2", "falcon", "bert", "t5", "mt5"});
    // `_supports_sdpa` and `_supports_flash_attn` of the families' classes. Gemma-2's scores are capped, BLOOM adds its positions to them.
    code.hasSdpa = !isOne({"bloom", "gptj", "gemma2"});
    code.hasFlash = !isOne({"bloom", "t5", "mt5"});
    code.bidirectional = isOne({"bert", "t5", "mt5"});
    code.positionBias = code.masked = code.keepsNormInput = code.mlpDropout = isOne({"t5", "mt5"});
    if (!code.hasSdpa) code.attention = BlockCode::Attention::Eager;
    code.floatRouter = isOne({"deepseek_v2", "deepseek_v3"});
    code.weightedShared = family == "qwen2_moe";
    if (isOne({"gpt2", "gptj"})) code.activation = keptBy("gelu_new");
    if (family == "gpt2") code.dropout = code.attentionDropout = 0.1;
    if (family == "opt") code.dropout = 0.1;
    if (code.bidirectional) code.dropout = code.attentionDropout = 0.1;
    return code;
}

// Which layers see a window only (configuration_*.py: layer_types, sliding_window, use_sliding_window, max_window_layers).
void readWindow(ConfigReader& c, const nlohmann::json& config, std::int64_t layers, BlockCode& code)
{
    const bool gemma3 = code.family == "gemma3_text";
    const std::int64_t usual = gemma3 || code.family == "gemma2" ? 4096 : code.family == "mistral" ? 4096 : 0;
    const auto said = config.find("sliding_window");
    const std::int64_t window = said == config.end() ? usual : said->is_number_integer() ? said->get<std::int64_t>() : 0;
    const bool qwen = code.family.starts_with("qwen");
    if (window <= 0 || code.norm == Norm::Layer || (qwen && !c.flag("use_sliding_window", false)) || code.family == "llama" || code.family == "gemma") return;
    code.window = window;
    const double all = static_cast<double>(std::max<std::int64_t>(1, layers));
    std::int64_t windowed = 0;
    if (const auto types = config.find("layer_types"); types != config.end() && types->is_array() && !types->empty()) {
        windowed = std::count(types->begin(), types->end(), nlohmann::json("sliding_attention"));
        code.windowed = static_cast<double>(windowed) / static_cast<double>(types->size());
        return;
    }
    if (gemma3) {
        const std::int64_t every = std::max<std::int64_t>(1, c.size({"sliding_window_pattern", "_sliding_window_pattern"}, 6, 1));
        windowed = layers - layers / every;
    } else {
        windowed = qwen ? layers - std::min(layers, c.size({"max_window_layers"}, 28, 0, 0)) : layers;
    }
    code.windowed = static_cast<double>(windowed) / all;
}

}  // namespace

BlockCode blockCodeOf(std::string_view family) { return codeOf(family); }

std::string unknownActivation(const nlohmann::json& config, std::string_view className)
{
    static constexpr std::array<std::string_view, 24> kKnown{"gelu", "gelu_10", "gelu_fast", "gelu_new", "gelu_python", "gelu_pytorch_tanh", "gelu_python_tanh", "gelu_accurate", "hardswish", "laplace", "leaky_relu", "linear",
                                                             "mish", "quick_gelu", "relu", "relu2", "relu6", "sigmoid", "silu", "sqrtsoftplus", "swish", "tanh", "prelu", "xielu"};
    const std::string_view family = familyOf(className);
    if (!config.is_object() || family == "bloom") return {};
    const bool t5 = family == "t5" || family == "mt5";
    for (const char* key : {"activation_function", "hidden_activation", "hidden_act", "activation", "feed_forward_proj"}) {
        const auto said = config.find(key);
        if (t5 != (std::string_view(key) == "feed_forward_proj") || said == config.end() || said->is_null()) continue;
        const std::string name = said->is_string() ? said->get<std::string>() : std::string(), act = t5 ? name.substr(name.find_last_of('-') + 1) : name;
        if (said->is_string() && act.empty()) continue;
        constexpr std::size_t kMost = 60;
        const std::string written = said->dump(-1, ' ', true);
        return std::find(kKnown.begin(), kKnown.end(), act) != kKnown.end() ? std::string() : written.size() > kMost ? written.substr(0, kMost) + "..." : written;
    }
    return {};
}

BlockCode blockCodeOf(const nlohmann::json& config, std::string_view className, std::int64_t layers)
{
    BlockCode code = codeOf(familyOf(className));
    if (!config.is_object()) return code;
    ConfigReader c(config);
    const auto real = [&](std::initializer_list<const char*> names, double otherwise) {
        for (const char* name : names)
            if (const auto found = config.find(name); found != config.end() && found->is_number()) return found->get<double>();
        return otherwise;
    };
    code.dropout = real({"resid_pdrop", "hidden_dropout", "dropout"}, code.dropout);
    code.attentionDropout = real({"attn_pdrop", "attention_dropout"}, code.attentionDropout);
    // OPT, GPT-2 and GPT-J say activation_function, Gemma hidden_activation. BLOOM has its own, which keeps its input alone.
    const std::string activation = c.text("activation_function", c.text("hidden_activation", c.text("hidden_act", c.text("activation", ""))));
    const bool composed = code.family == "gpt2" || code.family == "gptj" || code.family == "phi";
    if (code.positionBias) {
        // configuration_t5.py: "gated-" before the name, and "gated-gelu" is the formula.
        const std::string said = c.text("feed_forward_proj", code.family == "mt5" ? "gated-gelu" : "relu");
        code.activation = keptBy(said == "gated-gelu" ? "gelu_new" : said.substr(said.find_last_of('-') + 1));
        code.dropout = code.attentionDropout = real({"dropout_rate"}, code.dropout);
        return code;
    }
    if (code.family == "bert") {
        code.dropout = real({"hidden_dropout_prob"}, code.dropout);
        code.attentionDropout = real({"attention_probs_dropout_prob"}, code.attentionDropout);
    }
    if (code.family == "bloom") code.activation = 1;
    else code.activation = keptBy(!activation.empty() ? activation : composed ? "gelu_new" : code.family == "opt" ? "relu" : "gelu");
    if (code.family == "gemma2") {
        const auto capped = config.find("attn_logit_softcapping");
        code.cappedScores = capped == config.end() || capped->is_number();
    }
    // Gemma-2 and Gemma-3 read it, the former with a cap unless the file says none.
    if (code.family == "gemma2" || code.family == "gemma3_text") {
        const auto capped = config.find("final_logit_softcapping");
        code.cappedLogits = capped == config.end() ? code.family == "gemma2" : capped->is_number();
    }
    if (c.hasValue("kv_lora_rank")) {
        code.keyRank = c.size({"kv_lora_rank"}, 512);
        code.queryRank = c.size({"q_lora_rank"}, 1536, 0);
        code.ropeSize = c.size({"qk_rope_head_dim"}, 64);
    }
    if (code.family == "phi") code.headNorms = c.flag("qk_layernorm", false);
    if (code.family == "gpt_neox" && !c.flag("use_parallel_residual", true)) return code;
    if (code.family == "gpt_neox") code.normInputs = 1;
    if (code.family == "falcon") {
        const bool grouped = c.flag("new_decoder_architecture", false), alibi = c.flag("alibi", false);
        const bool parallel = grouped || c.flag("parallel_attn", true);
        code.norms = grouped ? static_cast<int>(std::clamp<std::int64_t>(c.size({"num_ln_in_parallel_attn"}, 2, 1), 1, 2)) : parallel ? 1 : 2;
        code.normOutputs = code.norms;
        code.normInputs = parallel ? 1 : 2;
        code.masked = true;
        code.headMask = alibi;
        code.singleHead = !grouped && c.flag("multi_query", true);
        if (!grouped && !code.singleHead) code.qkv = alibi ? Qkv::Fused : Qkv::FusedRotated;
    }
    readWindow(c, config, layers, code);
    return code;
}

}  // namespace stagecraft
