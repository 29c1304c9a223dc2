// SPDX-License-Identifier: GPL-3.0-or-later
// Decoders from before LLaMA, each with its own layout.
#include "model/parameter_builder.h"

namespace stagecraft {

namespace {

using enum ParameterKind;

// A plain two-layer MLP.
void addMlp(ParameterBuilder& table, const std::string& up, const std::string& down, std::int64_t hidden, std::int64_t ffn, bool bias, std::int64_t copies)
{
    table.linear(up, ffn, hidden, bias, Mlp, copies);
    table.linear(down, hidden, ffn, bias, Mlp, copies);
}

// Families from before Transformers' generic heads call the one of each token otherwise.
bool addOlderHead(ConfigReader& config, HeadKind head, ParameterBuilder& table, std::int64_t width, std::int64_t vocab, bool tied)
{
    if (head != HeadKind::TokenClassification) return addDecoderHead(config, head, table, width, vocab, tied);
    table.linear("classifier", config.labels(), width, true, Head);
    return true;
}

}  // namespace

bool addGpt2(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 50257);
    const std::int64_t hidden = config.size({"n_embd", "hidden_size"}, 768);
    const std::int64_t layers = config.size({"n_layer", "num_hidden_layers"}, 12, 12, 0);
    const std::int64_t heads = config.size({"n_head", "num_attention_heads"}, 12);
    const std::int64_t positions = config.size({"n_positions", "max_position_embeddings"}, 1024);
    const std::int64_t ffn = config.size({"n_inner"}, 4 * hidden);
    config.requireDivisible("n_embd", hidden, "n_head", heads);

    // Conv1D keeps its weight as [in, out]; the counts are those of a linear layer with bias.
    const std::string layer = "transformer.h.{}.";
    const auto conv = [&](const std::string& name, std::int64_t in, std::int64_t out, ParameterKind kind) {
        table.add(name + ".weight", {in, out}, kind, layers);
        table.add(name + ".bias", {out}, kind, layers);
    };
    table.add("transformer.wte.weight", {vocab, hidden}, Embedding);
    table.add("transformer.wpe.weight", {positions, hidden}, Position);
    table.layerNorm(layer + "ln_1", hidden, layers);
    conv(layer + "attn.c_attn", hidden, 3 * hidden, Attention);
    conv(layer + "attn.c_proj", hidden, hidden, Attention);
    table.layerNorm(layer + "ln_2", hidden, layers);
    if (config.flag("add_cross_attention", false)) {
        conv(layer + "crossattention.c_attn", hidden, 2 * hidden, Attention);
        conv(layer + "crossattention.q_attn", hidden, hidden, Attention);
        conv(layer + "crossattention.c_proj", hidden, hidden, Attention);
        table.layerNorm(layer + "ln_cross_attn", hidden, layers);
    }
    conv(layer + "mlp.c_fc", hidden, ffn, Mlp);
    conv(layer + "mlp.c_proj", ffn, hidden, Mlp);
    table.layerNorm("transformer.ln_f", hidden);

    const bool tied = config.flag("tie_word_embeddings", true);
    if (head == HeadKind::DoubleHeads) {
        if (!tied) table.add("lm_head.weight", {vocab, hidden}, Head);
        if (config.flag("summary_use_proj", true)) {
            // The class sets num_labels to 1 before it builds this head.
            table.linear("multiple_choice_head.summary", config.flag("summary_proj_to_labels", true) ? 1 : hidden, hidden, true, Head);
        }
        return true;
    }
    return addOlderHead(config, head, table, hidden, vocab, tied);
}

bool addGptJ(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 50400);
    const std::int64_t hidden = config.size({"n_embd", "hidden_size"}, 4096);
    const std::int64_t layers = config.size({"n_layer", "num_hidden_layers"}, 28, 28, 0);
    const std::int64_t heads = config.size({"n_head", "num_attention_heads"}, 16);
    const std::int64_t ffn = config.size({"n_inner"}, 4 * hidden);
    config.requireDivisible("n_embd", hidden, "n_head", heads);
    const std::string layer = "transformer.h.{}.";
    table.add("transformer.wte.weight", {vocab, hidden}, Embedding);
    table.layerNorm(layer + "ln_1", hidden, layers);
    for (const char* name : {"q_proj", "k_proj", "v_proj", "out_proj"}) table.linear(layer + "attn." + name, hidden, hidden, false, Attention, layers);
    addMlp(table, layer + "mlp.fc_in", layer + "mlp.fc_out", hidden, ffn, true, layers);
    table.layerNorm("transformer.ln_f", hidden);
    if (head == HeadKind::TokenClassification) return false;
    if (head == HeadKind::QuestionAnswering) {
        table.linear("qa_outputs", config.labels(), hidden, true, Head);
        return true;
    }
    return addDecoderHead(config, head, table, hidden, vocab, config.flag("tie_word_embeddings", false), head == HeadKind::LanguageModel);
}

bool addGptNeoX(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 50432);
    const std::int64_t hidden = config.size({"hidden_size"}, 6144);
    const std::int64_t layers = config.size({"num_hidden_layers"}, 44, 44, 0);
    const std::int64_t heads = config.size({"num_attention_heads"}, 64);
    const std::int64_t ffn = config.size({"intermediate_size"}, 24576);
    const bool bias = config.flag("attention_bias", true);
    config.requireDivisible("hidden_size", hidden, "num_attention_heads", heads);
    const std::string layer = "gpt_neox.layers.{}.";
    table.add("gpt_neox.embed_in.weight", {vocab, hidden}, Embedding);
    table.layerNorm(layer + "input_layernorm", hidden, layers);
    table.layerNorm(layer + "post_attention_layernorm", hidden, layers);
    table.linear(layer + "attention.query_key_value", 3 * hidden, hidden, bias, Attention, layers);
    table.linear(layer + "attention.dense", hidden, hidden, bias, Attention, layers);
    addMlp(table, layer + "mlp.dense_h_to_4h", layer + "mlp.dense_4h_to_h", hidden, ffn, true, layers);
    table.layerNorm("gpt_neox.final_layer_norm", hidden);
    return addOlderHead(config, head, table, hidden, vocab, config.flag("tie_word_embeddings", false));
}

bool addOpt(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 50272);
    const std::int64_t hidden = config.size({"hidden_size"}, 768);
    const std::int64_t layers = config.size({"num_hidden_layers"}, 12, 12, 0);
    const std::int64_t heads = config.size({"num_attention_heads"}, 12);
    const std::int64_t ffn = config.size({"ffn_dim"}, 3072);
    const std::int64_t width = config.size({"word_embed_proj_dim"}, hidden);
    const std::int64_t positions = config.size({"max_position_embeddings"}, 2048);
    const bool bias = config.flag("enable_bias", true);
    const bool affine = config.flag("layer_norm_elementwise_affine", true);
    config.requireDivisible("hidden_size", hidden, "num_attention_heads", heads);
    const std::string layer = "model.decoder.layers.{}.";
    table.add("model.decoder.embed_tokens.weight", {vocab, width}, Embedding);
    // Two rows more than there are positions: OPT's table starts at offset 2.
    table.add("model.decoder.embed_positions.weight", {positions + 2, hidden}, Position);
    if (width != hidden) {
        table.linear("model.decoder.project_out", width, hidden, false, Embedding);
        table.linear("model.decoder.project_in", hidden, width, false, Embedding);
    }
    for (const char* name : {"k_proj", "v_proj", "q_proj", "out_proj"}) table.linear(layer + "self_attn." + name, hidden, hidden, bias, Attention, layers);
    addMlp(table, layer + "fc1", layer + "fc2", hidden, ffn, bias, layers);
    if (affine) {
        table.layerNorm(layer + "self_attn_layer_norm", hidden, layers);
        table.layerNorm(layer + "final_layer_norm", hidden, layers);
        if (config.flag("do_layer_norm_before", true) && !config.flag("_remove_final_layer_norm", false)) {
            table.layerNorm("model.decoder.final_layer_norm", hidden);
        }
    }
    if (head == HeadKind::TokenClassification) return false;
    return addDecoderHead(config, head, table, width, vocab, config.flag("tie_word_embeddings", true));
}

bool addBloom(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 250880);
    const std::int64_t hidden = config.size({"n_embed", "hidden_size"}, 64);
    const std::int64_t layers = config.size({"n_layer", "num_hidden_layers"}, 2, 2, 0);
    const std::int64_t heads = config.size({"n_head", "num_attention_heads"}, 8);
    config.requireDivisible("hidden_size", hidden, "n_head", heads);
    const std::string layer = "transformer.h.{}.";
    table.add("transformer.word_embeddings.weight", {vocab, hidden}, Embedding);
    table.layerNorm("transformer.word_embeddings_layernorm", hidden);
    table.layerNorm(layer + "input_layernorm", hidden, layers);
    table.linear(layer + "self_attention.query_key_value", 3 * hidden, hidden, true, Attention, layers);
    table.linear(layer + "self_attention.dense", hidden, hidden, true, Attention, layers);
    table.layerNorm(layer + "post_attention_layernorm", hidden, layers);
    addMlp(table, layer + "mlp.dense_h_to_4h", layer + "mlp.dense_4h_to_h", hidden, 4 * hidden, true, layers);
    table.layerNorm("transformer.ln_f", hidden);
    return addOlderHead(config, head, table, hidden, vocab, config.flag("tie_word_embeddings", true));
}

bool addFalcon(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 65024);
    const std::int64_t hidden = config.size({"n_embed", "hidden_size"}, 4544);
    const std::int64_t layers = config.size({"num_hidden_layers", "n_layer"}, 32, 32, 0);
    const std::int64_t heads = config.size({"num_attention_heads", "n_head"}, 71);
    const std::int64_t kvHeads = config.size({"num_kv_heads", "n_head_kv"}, heads);
    const std::int64_t ffn = config.size({"ffn_hidden_size"}, 4 * hidden);
    const bool bias = config.flag("bias", false);
    const bool newDecoder = config.flag("new_decoder_architecture", false);
    const bool multiQuery = config.flag("multi_query", true);
    const bool parallel = config.flag("parallel_attn", true);
    const std::int64_t norms = config.size({"num_ln_in_parallel_attn"}, newDecoder ? 2 : 1, newDecoder ? 2 : 1, 0);
    config.requireDivisible("hidden_size", hidden, "num_attention_heads", heads);
    const std::int64_t headSize = hidden / heads;
    const std::int64_t qkv = newDecoder ? (2 * kvHeads + heads) * headSize : multiQuery ? hidden + 2 * headSize : 3 * hidden;
    const std::string layer = "transformer.h.{}.";
    table.add("transformer.word_embeddings.weight", {vocab, hidden}, Embedding);
    table.linear(layer + "self_attention.query_key_value", qkv, hidden, bias, Attention, layers);
    table.linear(layer + "self_attention.dense", hidden, hidden, bias, Attention, layers);
    addMlp(table, layer + "mlp.dense_h_to_4h", layer + "mlp.dense_4h_to_h", hidden, ffn, bias, layers);
    if (!parallel) {
        table.layerNorm(layer + "input_layernorm", hidden, layers);
        table.layerNorm(layer + "post_attention_layernorm", hidden, layers);
    } else if (norms == 2) {
        table.layerNorm(layer + "ln_attn", hidden, layers);
        table.layerNorm(layer + "ln_mlp", hidden, layers);
    } else {
        table.layerNorm(layer + "input_layernorm", hidden, layers);
    }
    table.layerNorm("transformer.ln_f", hidden);
    return addOlderHead(config, head, table, hidden, vocab, config.flag("tie_word_embeddings", true));
}

bool addPhi(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 51200);
    const std::int64_t hidden = config.size({"hidden_size"}, 2048);
    const std::int64_t ffn = config.size({"intermediate_size"}, 8192);
    const std::int64_t layers = config.size({"num_hidden_layers"}, 24, 24, 0);
    const std::int64_t heads = config.size({"num_attention_heads"}, 32);
    const std::int64_t kvHeads = config.size({"num_key_value_heads"}, heads);
    const std::int64_t headSize = config.size({"head_dim"}, hidden / heads);
    config.requireDivisible("num_attention_heads", heads, "num_key_value_heads", kvHeads);
    const std::string layer = "model.layers.{}.";
    table.add("model.embed_tokens.weight", {vocab, hidden}, Embedding);
    table.linear(layer + "self_attn.q_proj", heads * headSize, hidden, true, Attention, layers);
    table.linear(layer + "self_attn.k_proj", kvHeads * headSize, hidden, true, Attention, layers);
    table.linear(layer + "self_attn.v_proj", kvHeads * headSize, hidden, true, Attention, layers);
    table.linear(layer + "self_attn.dense", hidden, heads * headSize, true, Attention, layers);
    if (config.flag("qk_layernorm", false)) {
        table.layerNorm(layer + "self_attn.q_layernorm", hidden / heads, layers);
        table.layerNorm(layer + "self_attn.k_layernorm", hidden / heads, layers);
    }
    addMlp(table, layer + "mlp.fc1", layer + "mlp.fc2", hidden, ffn, true, layers);
    table.layerNorm(layer + "input_layernorm", hidden, layers);
    table.layerNorm("model.final_layernorm", hidden);
    return addDecoderHead(config, head, table, hidden, vocab, config.flag("tie_word_embeddings", false), head == HeadKind::LanguageModel);
}

}  // namespace stagecraft
