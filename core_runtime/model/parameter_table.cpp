// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"

#include "model/parameter_builder.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace stagecraft {

namespace {

using Table = bool (*)(ConfigReader&, HeadKind, ParameterBuilder&);

/// A family: the prefix of its class names, its model_type, the head taken when config.json names no class, its table.
struct Family {
    std::string_view prefix;
    std::string_view modelType;
    HeadKind usual;
    std::string_view usualSuffix;
    Table table;
};

template <int Index>
bool llamaLike(ConfigReader& c, HeadKind h, ParameterBuilder& t)
{
    constexpr std::array<const char*, 11> kNames{"llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen3",
                                                 "qwen3_moe", "gemma", "gemma2", "gemma3_text", "phi3"};
    return addLlamaLike(c, h, t, kNames[Index]);
}

constexpr auto kCausal = HeadKind::LanguageModel;

// Longer prefixes first: "Qwen2Moe" must not be read as "Qwen2".
constexpr std::array kFamilies{
    Family{"Qwen2Moe", "qwen2_moe", kCausal, "ForCausalLM", llamaLike<4>},
    Family{"Qwen3Moe", "qwen3_moe", kCausal, "ForCausalLM", llamaLike<6>},
    Family{"Qwen2", "qwen2", kCausal, "ForCausalLM", llamaLike<3>},
    Family{"Qwen3", "qwen3", kCausal, "ForCausalLM", llamaLike<5>},
    Family{"Llama", "llama", kCausal, "ForCausalLM", llamaLike<0>},
    Family{"Mistral", "mistral", kCausal, "ForCausalLM", llamaLike<1>},
    Family{"Mixtral", "mixtral", kCausal, "ForCausalLM", llamaLike<2>},
    Family{"Gemma3Text", "gemma3_text", kCausal, "ForCausalLM", llamaLike<9>},
    Family{"Gemma3", "gemma3", kCausal, "ForConditionalGeneration", addGemma3Multimodal},
    Family{"Gemma2", "gemma2", kCausal, "ForCausalLM", llamaLike<8>},
    Family{"Gemma", "gemma", kCausal, "ForCausalLM", llamaLike<7>},
    Family{"Phi3", "phi3", kCausal, "ForCausalLM", llamaLike<10>},
    Family{"Phi", "phi", kCausal, "ForCausalLM", addPhi},
    Family{"DeepseekV2", "deepseek_v2", kCausal, "ForCausalLM",
           [](ConfigReader& c, HeadKind h, ParameterBuilder& t) { return addDeepSeek(c, h, t, false); }},
    Family{"DeepseekV3", "deepseek_v3", kCausal, "ForCausalLM",
           [](ConfigReader& c, HeadKind h, ParameterBuilder& t) { return addDeepSeek(c, h, t, true); }},
    Family{"GPT2", "gpt2", kCausal, "LMHeadModel", addGpt2},
    Family{"GPTNeoX", "gpt_neox", kCausal, "ForCausalLM", addGptNeoX},
    Family{"GPTJ", "gptj", kCausal, "ForCausalLM", addGptJ},
    Family{"OPT", "opt", kCausal, "ForCausalLM", addOpt},
    Family{"Bloom", "bloom", kCausal, "ForCausalLM", addBloom},
    Family{"Falcon", "falcon", kCausal, "ForCausalLM", addFalcon},
    Family{"MT5", "mt5", kCausal, "ForConditionalGeneration",
           [](ConfigReader& c, HeadKind h, ParameterBuilder& t) { return addT5(c, h, t, true); }},
    Family{"T5", "t5", kCausal, "ForConditionalGeneration",
           [](ConfigReader& c, HeadKind h, ParameterBuilder& t) { return addT5(c, h, t, false); }},
    Family{"XLMRoberta", "xlm-roberta", HeadKind::MaskedLanguageModel, "ForMaskedLM",
           [](ConfigReader& c, HeadKind h, ParameterBuilder& t) { return addBert(c, h, t, true); }},
    Family{"Roberta", "roberta", HeadKind::MaskedLanguageModel, "ForMaskedLM",
           [](ConfigReader& c, HeadKind h, ParameterBuilder& t) { return addBert(c, h, t, true); }},
    Family{"DistilBert", "distilbert", HeadKind::MaskedLanguageModel, "ForMaskedLM", addDistilBert},
    Family{"Bert", "bert", HeadKind::MaskedLanguageModel, "ForMaskedLM",
           [](ConfigReader& c, HeadKind h, ParameterBuilder& t) { return addBert(c, h, t, false); }},
};

struct Suffix {
    std::string_view text;
    HeadKind head;
};

constexpr std::array kSuffixes{
    Suffix{"ForCausalLM", HeadKind::LanguageModel},
    Suffix{"LMHeadModel", HeadKind::LanguageModel},
    Suffix{"ForConditionalGeneration", HeadKind::LanguageModel},
    Suffix{"ForMaskedLM", HeadKind::MaskedLanguageModel},
    Suffix{"ForPreTraining", HeadKind::PreTraining},
    Suffix{"ForNextSentencePrediction", HeadKind::NextSentence},
    Suffix{"ForSequenceClassification", HeadKind::SequenceClassification},
    Suffix{"ForTokenClassification", HeadKind::TokenClassification},
    Suffix{"ForQuestionAnswering", HeadKind::QuestionAnswering},
    Suffix{"ForMultipleChoice", HeadKind::MultipleChoice},
    Suffix{"DoubleHeadsModel", HeadKind::DoubleHeads},
    Suffix{"EncoderModel", HeadKind::EncoderOnly},
    Suffix{"Model", HeadKind::Base},
};

struct Choice {
    const Family* family;
    HeadKind head;
};

std::optional<Choice> classByName(std::string_view name)
{
    for (const Family& family : kFamilies) {
        if (!name.starts_with(family.prefix)) continue;
        const std::string_view rest = name.substr(family.prefix.size());
        for (const Suffix& suffix : kSuffixes) {
            // T5 has no class "...ForCausalLM" and the decoders none "...ForConditionalGeneration".
            if (rest != suffix.text) continue;
            const bool generation = suffix.text == "ForConditionalGeneration";
            if (suffix.head == HeadKind::LanguageModel && generation != (family.usualSuffix == "ForConditionalGeneration") &&
                family.prefix != "Gemma3") {
                continue;
            }
            return Choice{&family, suffix.head};
        }
    }
    return std::nullopt;
}

Error unknown(const std::string& what)
{
    return {ErrorCode::NotFound,
            fmt::format("Cannot count parameters: {} is not known; put the safetensors files beside config.json to count from their headers", what),
            {{"class", what}}};
}

}  // namespace

const char* parameterKindName(ParameterKind kind)
{
    switch (kind) {
    case ParameterKind::Embedding: return "embedding";
    case ParameterKind::Position: return "position";
    case ParameterKind::Attention: return "attention";
    case ParameterKind::Mlp: return "mlp";
    case ParameterKind::Router: return "router";
    case ParameterKind::Expert: return "expert";
    case ParameterKind::SharedExpert: return "shared_expert";
    case ParameterKind::Norm: return "norm";
    case ParameterKind::Head: return "head";
    case ParameterKind::Vision: return "vision";
    }
    return "mlp";
}

Result<ParameterCounts> ParameterBuilder::finish(std::string className) &&
{
    WideCount total = 0;
    WideCount experts = 0;
    for (const ParameterRow& row : m_rows) {
        WideCount count = row.copies;
        for (const std::int64_t extent : row.shape) {
            count *= extent;
            if (count > kMostParameters) break;
        }
        total += count;
        if (row.kind == ParameterKind::Expert) experts += count;
        if (total > kMostParameters) {
            return Error{ErrorCode::InvalidInput,
                         fmt::format("Cannot count parameters: \"{}\" makes more than 2^62 of them; correct config.json", row.name),
                         {{"key", row.name}}};
        }
    }
    if (m_experts > 1 && m_perToken > m_experts) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot count parameters: each token goes to {} of {} experts; correct config.json", m_perToken, m_experts), {{"key", "num_experts_per_tok"}}};
    }
    ParameterCounts counts;
    counts.params = static_cast<std::int64_t>(total);
    counts.trainable = counts.params;
    counts.active = static_cast<std::int64_t>(total - experts + (m_experts > 0 ? experts / m_experts * std::min(m_perToken, m_experts) : 0));
    counts.className = std::move(className);
    counts.rows = std::move(m_rows);
    return counts;
}

Result<ParameterCounts> countParameters(const nlohmann::json& hfConfig)
{
    if (!hfConfig.is_object()) return Error{ErrorCode::InvalidInput, "Cannot count parameters: config.json holds no object; give a model's config.json", {}};

    std::string name;
    std::optional<Choice> choice;
    const auto architectures = hfConfig.find("architectures");
    if (architectures != hfConfig.end() && architectures->is_array() && !architectures->empty() && architectures->front().is_string()) {
        name = architectures->front().get<std::string>();
        choice = classByName(name);
        if (!choice) return unknown(fmt::format("the class \"{}\"", name));
    }
    const bool assumed = !choice;
    if (assumed) {
        const auto type = hfConfig.find("model_type");
        if (type == hfConfig.end() || !type->is_string()) return unknown("a config.json without \"architectures\" and \"model_type\"");
        for (const Family& family : kFamilies) {
            if (type->get<std::string>() != family.modelType) continue;
            choice = Choice{&family, family.usual};
            name = std::string(family.prefix) + std::string(family.usualSuffix);
        }
        if (!choice) return unknown(fmt::format("the family \"{}\"", type->get<std::string>()));
    }

    ConfigReader reader(hfConfig);
    ParameterBuilder builder;
    // Gemma 3's causal language model and text model are built from the text part alone.
    const bool gemmaText = name == "Gemma3ForCausalLM";
    const bool known = gemmaText ? addLlamaLike(reader, HeadKind::LanguageModel, builder, "gemma3_text")
                                 : choice->family->table(reader, choice->head, builder);
    if (reader.error()) return *reader.error();
    if (!known) return unknown(fmt::format("the class \"{}\"", name));
    auto counts = std::move(builder).finish(name);
    if (counts.hasValue()) counts.value().assumedClass = assumed;
    return counts;
}

}  // namespace stagecraft
