// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/model_shape.h"

#include "model/config_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>

namespace stagecraft {

namespace {

std::int64_t countOf(const ParameterRow& row)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : row.shape) count *= extent;
    return count;
}

bool isMatrix(const ParameterRow& row) { return row.shape.size() >= 2; }

bool isLayered(const ParameterRow& row) { return row.name.find("{}") != std::string::npos; }

// Of a linear module's weight, or of none: routers and experts are parameters of modules of their own. A shared expert's gate is one.
ModelTensor::Linear linearOf(const ParameterRow& row)
{
    if (row.shape.size() != 2 || !row.name.ends_with(".weight") || !isLayered(row)) return ModelTensor::Linear::None;
    if (row.kind == ParameterKind::Attention) return ModelTensor::Linear::Attention;
    const bool mlp = row.kind == ParameterKind::Mlp || row.kind == ParameterKind::SharedExpert || row.name.ends_with(".shared_expert_gate.weight");
    return mlp ? ModelTensor::Linear::Mlp : ModelTensor::Linear::None;
}

// Experts are counted one by one, as modules of their own: packed into one tensor they would be larger.
ModelTensor tensorOf(const ModelShape& s, const ParameterRow& row)
{
    ModelTensor t;
    const bool layered = isLayered(row);
    const bool table = row.kind == ParameterKind::Embedding || row.kind == ParameterKind::Position;
    t.where = layered ? ModelTensor::Where::Layer : table ? ModelTensor::Where::Embedding : ModelTensor::Where::Output;
    t.expert = row.kind == ParameterKind::Expert;
    t.each = t.expert ? row.shape[0] : 1;
    t.rows = row.shape.empty() ? 1 : row.shape[t.expert && row.shape.size() > 1 ? 1 : 0];
    t.columns = std::max<std::int64_t>(1, countOf(row) / std::max<std::int64_t>(1, t.each * t.rows));
    t.layers = layered ? row.copies : 1;
    // A sparse model's first layers are dense: what not all layers have is theirs where it is a plain MLP, and of the others where not.
    // Of an encoder-decoder the encoder's come first.
    const bool after = s.encoderLayers > 0 ? row.name.starts_with("decoder.") : row.kind != ParameterKind::Mlp;
    t.firstLayer = layered && after ? s.layers - row.copies : 0;
    t.linear = linearOf(row);
    return t;
}

// Encoders and encoder-decoders whose classifiers have no plan.
bool isOther(std::string_view className) { return className.starts_with("T5") || className.starts_with("MT5") || className.starts_with("DistilBert"); }

// RoBERTa's modelling code is BERT's.
bool isEncoder(std::string_view className) { return className.starts_with("Bert") || className.starts_with("Roberta") || className.starts_with("XLMRoberta"); }

// T5: both stacks are the layers of one model, the encoder's first. Sizes stand in the table, whatever config.json leaves to defaults.
void readEncoderDecoder(const ParameterCounts& counts, ModelShape& s)
{
    s.encoderLayers = s.layers = 0;
    for (const ParameterRow& row : counts.rows) {
        if (row.name == "encoder.block.{}.layer.0.layer_norm.weight") s.encoderLayers = row.copies;
        if (row.name.ends_with(".layer.0.layer_norm.weight")) s.layers += row.copies;
        if (row.name.ends_with("relative_attention_bias.weight")) s.heads = row.shape[1];
        if (row.name.find(".DenseReluDense.wi") != std::string::npos) s.ffn = row.shape[0];
        if (row.name.starts_with("decoder.block.{}.layer.1.")) s.crossLayer += countOf(row);
    }
    s.gated = std::any_of(counts.rows.begin(), counts.rows.end(), [](const ParameterRow& row) { return row.name.ends_with(".DenseReluDense.wi_1.weight"); });
}

}  // namespace

ModelShape shapeOf(const ModelSpec& spec)
{
    ModelShape s;
    s.hidden = spec.hidden;
    s.layers = spec.layers;
    s.heads = spec.heads;
    s.kvHeads = spec.kvHeads;
    s.headSize = s.valueSize = spec.headSize;
    s.ffn = spec.ffn;
    s.vocab = spec.vocab;
    s.seq = spec.seq;
    s.positions = spec.family == Family::Gpt2 ? spec.positions : 0;
    s.gated = s.rmsNorm = spec.family == Family::Llama;
    s.composedGelu = spec.family == Family::Gpt2;
    s.code = blockCodeOf(spec.family == Family::Gpt2 ? "gpt2" : "llama");
    s.code.dropout = spec.residualDropout;
    s.code.attentionDropout = spec.attentionDropout;
    s.tied = spec.tieEmbeddings;
    s.dropout = spec.residualDropout;
    for (const UnitInfo& unit : unitsOf(spec)) {
        s.params += unit.count;
        std::int64_t matrices = 0;
        const bool seen = unit.kind == UnitKind::Block && s.perLayer > 0;  // all blocks are alike
        for (const ParameterInfo& p : unit.parameters) {
            const bool attention = p.name.find("attn.") != std::string::npos;
            if (!seen) {
                ModelTensor t;
                t.where = unit.kind == UnitKind::Embedding ? ModelTensor::Where::Embedding : unit.kind == UnitKind::Block ? ModelTensor::Where::Layer : ModelTensor::Where::Output;
                t.rows = p.shape.empty() ? 1 : p.shape[0];
                t.columns = std::max<std::int64_t>(1, p.count / std::max<std::int64_t>(1, t.rows));
                t.layers = unit.kind == UnitKind::Block ? spec.layers : 1;
                if (unit.kind == UnitKind::Block && p.shape.size() >= 2) t.linear = attention ? ModelTensor::Linear::Attention : ModelTensor::Linear::Mlp;
                s.tensors.push_back(t);
            }
            if (p.shape.size() >= 2) {
                matrices += p.count;
                s.largestTensor = std::max(s.largestTensor, p.count);
            } else if (unit.kind == UnitKind::Head) {
                s.finalNorm += p.count;
            }
        }
        if (unit.kind == UnitKind::Embedding) s.embedding = unit.count;
        if (unit.kind == UnitKind::Head) s.head = matrices;
        if (unit.kind == UnitKind::Block) {
            s.perLayer = unit.count;
            s.layerMatrices = s.layerActive = matrices;
        }
    }
    return s;
}

std::optional<ModelShape> shapeOf(const nlohmann::json& hfConfig, const ParameterCounts& counts)
{
    // The classes that predict a word for every token.
    const auto isOne = [&](std::initializer_list<std::string_view> ends) { return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return counts.className.ends_with(end); }); };
    const bool encoderDecoder = counts.className == "T5ForConditionalGeneration" || counts.className == "MT5ForConditionalGeneration";
    ConfigReader c(hfConfig);
    const bool encoder = isEncoder(counts.className) && !c.flag("is_decoder", false) && !c.flag("add_cross_attention", false);
    // Of a classifier the first token, the last or each goes through a matrix of a few columns.
    const bool classifies = isOne({"ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering"});
    const bool decoder = (isOne({"ForCausalLM", "LMHeadModel"}) || (classifies && !isOther(counts.className))) && !isEncoder(counts.className);
    if ((!decoder && !encoderDecoder && !(encoder && (classifies || isOne({"ForMaskedLM", "ForPreTraining"})))) || counts.rows.empty()) return std::nullopt;

    ModelShape s;
    s.layers = c.size({"num_hidden_layers", "n_layer"}, 0, 0, 0);
    s.heads = c.size({"num_attention_heads", "n_head", "num_heads"}, 0, 0, 0);
    std::int64_t perExpertRows = 0;
    std::int64_t experts = 0, expertTotal = 0;
    bool projected = false;
    for (const ParameterRow& row : counts.rows) {
        const std::int64_t count = countOf(row);
        const bool layered = row.name.find("{}") != std::string::npos;
        s.params = counts.params;
        if (!layered && (row.kind == ParameterKind::Embedding || row.kind == ParameterKind::Position)) s.embedding += count;
        // OPT's and RoBERTa's tables begin with two rows that stand for no token.
        if (!layered && row.kind == ParameterKind::Position && !row.shape.empty()) s.positions = row.shape[0] - (counts.className.starts_with("OPT") || (encoder && !counts.className.starts_with("Bert")) ? 2 : 0);
        if (!layered && row.kind == ParameterKind::Head) s.head += count;
        if (!layered && (row.kind == ParameterKind::Norm || row.kind == ParameterKind::Attention)) s.finalNorm += count;
        if (row.name.ends_with("embed_tokens.weight") || row.name == "shared.weight" || row.name.ends_with("wte.weight") || row.name.ends_with("word_embeddings.weight") ||
            row.name.ends_with("embed_in.weight")) {
            s.vocab = row.shape[0];
            (projected ? s.tableWidth : s.hidden) = row.shape[1];
        }
        // OPT may have an embedding narrower than its blocks (word_embed_proj_dim), widened before the first of them.
        if (row.name.ends_with(".project_in.weight") && row.shape.size() == 2) {
            s.hidden = row.shape[0];
            s.tableWidth = row.shape[1];
            projected = true;
        }
        // A row of experts holds many modules; the largest one is a single expert's.
        s.largestTensor = std::max(s.largestTensor, row.kind == ParameterKind::Expert ? count / std::max<std::int64_t>(row.shape[0], 1) : count);
        if (layered) s.layers = std::max(s.layers, row.copies);
        if (row.kind == ParameterKind::Expert) {
            experts = row.shape[0];
            perExpertRows = row.copies;
            expertTotal += count * row.copies;
        }
    }
    if (s.layers <= 0 || s.hidden <= 0) return std::nullopt;
    s.seq = std::min<std::int64_t>(c.size({"max_position_embeddings", "n_positions", "n_ctx", "seq_length"}, 2048), 4096);
    if (s.heads == 0) s.heads = std::max<std::int64_t>(1, s.hidden / 64);
    if (encoderDecoder) readEncoderDecoder(counts, s);
    const bool multiQuery = counts.className.starts_with("Falcon") && c.flag("multi_query", true) && !c.flag("new_decoder_architecture", false);
    s.kvHeads = multiQuery ? 1 : c.size({"num_key_value_heads", "num_kv_heads"}, s.heads, s.heads);
    s.headSize = s.valueSize = c.size({encoderDecoder ? "d_kv" : "head_dim", "head_dim"}, encoderDecoder ? 64 : std::max<std::int64_t>(1, s.hidden / s.heads));
    if (c.hasValue("kv_lora_rank")) {
        s.headSize = c.size({"qk_nope_head_dim"}, 128) + c.size({"qk_rope_head_dim"}, 64);
        s.valueSize = c.size({"v_head_dim"}, 128);
        s.kvHeads = s.heads;
    }
    if (!encoderDecoder) s.ffn = c.size({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}, encoder ? 3072 : 4 * s.hidden, encoder ? 3072 : 4 * s.hidden);
    static constexpr std::array<std::string_view, 10> kPlain{"GPT2", "GPTJ", "GPTNeoX", "OPT", "Bloom", "Falcon", "PhiFor", "Bert", "Roberta", "XLMRoberta"};
    const bool plain = std::any_of(kPlain.begin(), kPlain.end(), [&](std::string_view family) { return counts.className.starts_with(family); });
    if (!encoderDecoder) s.gated = !plain;
    s.rmsNorm = !plain;
    s.code = blockCodeOf(hfConfig, counts.className, s.layers);
    s.composedGelu = !s.gated && s.code.activation > 1;
    s.dropout = s.code.dropout;
    if (classifies) {
        for (const ParameterRow& row : counts.rows)
            if (row.kind == ParameterKind::Head && row.shape.size() == 2 && !isLayered(row)) s.classes = s.classes < 0 ? row.shape[0] : std::min(s.classes, row.shape[0]);
        if (s.classes < 0) return std::nullopt;
    }
    // A tied output may still have a bias of its own (Phi).
    s.tied = !classifies && std::none_of(counts.rows.begin(), counts.rows.end(), [&](const ParameterRow& row) { return row.kind == ParameterKind::Head && isMatrix(row) && !isLayered(row) && (!encoder || row.shape[0] == s.vocab); });
    if (experts > 0) {
        s.experts = experts;
        // Families have defaults of their own where config.json says nothing: the counted active parameters know them.
        const std::int64_t unused = expertTotal > experts ? (counts.params - counts.active) / (expertTotal / experts) : 0;
        s.expertsPerToken = std::clamp<std::int64_t>(experts - unused, 1, experts);
        s.expertFfn = c.size({"moe_intermediate_size", "intermediate_size"}, s.ffn);
        s.sharedFfn = c.hasValue("shared_expert_intermediate_size") ? c.size({"shared_expert_intermediate_size"}, 0, 0, 0)
                                                                    : s.expertFfn * c.size({"n_shared_experts"}, 0, 0, 0);
        s.denseLayers = s.layers - perExpertRows;
    }
    for (const ParameterRow& row : counts.rows) {
        s.tensors.push_back(tensorOf(s, row));
        if (row.name.find("{}") == std::string::npos) continue;
        // In a sparse model the layer that counts is the sparse one; rows of its dense layers stand aside.
        // Of an encoder-decoder it is the decoder's.
        if (encoderDecoder && s.layers > s.encoderLayers && row.name.starts_with("encoder.")) continue;
        const bool denseOnly = s.experts > 0 && row.kind == ParameterKind::Mlp && row.copies == s.denseLayers && row.copies != s.layers;
        if (denseOnly) continue;
        const std::int64_t count = countOf(row);
        s.perLayer += count;
        if (isMatrix(row)) s.layerMatrices += count;
        if (row.kind == ParameterKind::Expert) {
            s.layerExperts += count;
            s.layerActive += count / s.experts * s.expertsPerToken;
        } else if (isMatrix(row)) {
            s.layerActive += count;
        }
    }
    // A token goes through the mean of both.
    if (encoderDecoder) s.layerActive -= std::llround((1 - s.crossShare()) * static_cast<double>(s.crossLayer));
    return s;
}

}  // namespace stagecraft
