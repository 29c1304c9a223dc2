// SPDX-License-Identifier: GPL-3.0-or-later
// Encoders and encoder-decoders: BERT, RoBERTa, DistilBERT, T5.
#include "model/parameter_builder.h"

namespace stagecraft {

namespace {

using enum ParameterKind;

void addT5Stack(ParameterBuilder& table, const std::string& stack, std::int64_t model, std::int64_t inner, std::int64_t ffn, bool gated,
                std::int64_t buckets, std::int64_t heads, std::int64_t layers, bool decoder)
{
    const std::string block = stack + ".block.{}.";
    const auto attention = [&](const std::string& name) {
        for (const char* part : {".q", ".k", ".v"}) table.linear(name + part, inner, model, false, Attention, layers);
        table.linear(name + ".o", model, inner, false, Attention, layers);
    };
    attention(block + "layer.0.SelfAttention");
    // Only the first block has the bias; the others reuse what it computed.
    table.add(stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight", {buckets, heads}, Attention, layers > 0 ? 1 : 0);
    table.rmsNorm(block + "layer.0.layer_norm", model, layers);
    if (decoder) {
        attention(block + "layer.1.EncDecAttention");
        table.rmsNorm(block + "layer.1.layer_norm", model, layers);
    }
    const std::string feed = block + (decoder ? "layer.2" : "layer.1");
    table.linear(feed + ".DenseReluDense" + (gated ? ".wi_0" : ".wi"), ffn, model, false, Mlp, layers);
    if (gated) table.linear(feed + ".DenseReluDense.wi_1", ffn, model, false, Mlp, layers);
    table.linear(feed + ".DenseReluDense.wo", model, ffn, false, Mlp, layers);
    table.rmsNorm(feed + ".layer_norm", model, layers);
    table.rmsNorm(stack + ".final_layer_norm", model);
}

}  // namespace

bool addT5(ConfigReader& config, HeadKind head, ParameterBuilder& table, bool multilingual)
{
    const std::int64_t vocab = config.size({"vocab_size"}, multilingual ? 250112 : 32128);
    const std::int64_t model = config.size({"d_model", "hidden_size"}, 512);
    const std::int64_t perHead = config.size({"d_kv", "head_dim"}, 64);
    const std::int64_t ffn = config.size({"d_ff"}, multilingual ? 1024 : 2048);
    const std::int64_t layers = config.size({"num_layers", "num_hidden_layers"}, multilingual ? 8 : 6, multilingual ? 8 : 6, 0);
    const std::int64_t decoderLayers = config.size({"num_decoder_layers"}, layers, layers, 0);
    const std::int64_t heads = config.size({"num_heads", "num_attention_heads"}, multilingual ? 6 : 8);
    const std::int64_t buckets = config.size({"relative_attention_num_buckets"}, 32);
    const bool gated = config.text("feed_forward_proj", multilingual ? "gated-gelu" : "relu").starts_with("gated-");
    const std::int64_t inner = heads * perHead;

    // Heads of the whole sequence or of each token stand beside a model of their own.
    const std::string prefix = head == HeadKind::TokenClassification || head == HeadKind::SequenceClassification ? "transformer." : "";
    table.add(prefix + "shared.weight", {vocab, model}, Embedding);
    addT5Stack(table, prefix + "encoder", model, inner, ffn, gated, buckets, heads, layers, false);
    const bool encoderOnly = head == HeadKind::EncoderOnly || head == HeadKind::TokenClassification;
    if (!encoderOnly) addT5Stack(table, prefix + "decoder", model, inner, ffn, gated, buckets, heads, decoderLayers, true);
    switch (head) {
    case HeadKind::Base:
    case HeadKind::EncoderOnly:
    case HeadKind::LanguageModel: return true;  // the output is tied to `shared`, always (see the header)
    case HeadKind::TokenClassification: table.linear("classifier", config.labels(), model, true, Head); return true;
    case HeadKind::QuestionAnswering: table.linear("qa_outputs", config.labels(), model, true, Head); return true;
    case HeadKind::SequenceClassification:
        table.linear("classification_head.dense", model, model, true, Head);
        table.linear("classification_head.out_proj", config.labels(), model, true, Head);
        return true;
    default: return false;
    }
}

bool addBert(ConfigReader& config, HeadKind head, ParameterBuilder& table, bool roberta)
{
    const std::int64_t vocab = config.size({"vocab_size"}, roberta ? 50265 : 30522);
    const std::int64_t hidden = config.size({"hidden_size"}, 768);
    const std::int64_t layers = config.size({"num_hidden_layers"}, 12, 12, 0);
    const std::int64_t heads = config.size({"num_attention_heads"}, 12);
    const std::int64_t ffn = config.size({"intermediate_size"}, 3072);
    const std::int64_t positions = config.size({"max_position_embeddings"}, 512);
    const std::int64_t types = config.size({"type_vocab_size"}, 2);
    const bool tied = config.flag("tie_word_embeddings", true);
    config.requireDivisible("hidden_size", hidden, "num_attention_heads", heads);

    // XLM-RoBERTa's classes call it "roberta" too.
    const std::string prefix = head == HeadKind::Base ? "" : roberta ? "roberta." : "bert.";
    const std::string layer = prefix + "encoder.layer.{}.";
    table.add(prefix + "embeddings.word_embeddings.weight", {vocab, hidden}, Embedding);
    table.add(prefix + "embeddings.position_embeddings.weight", {positions, hidden}, Position);
    table.add(prefix + "embeddings.token_type_embeddings.weight", {types, hidden}, Embedding);
    table.layerNorm(prefix + "embeddings.LayerNorm", hidden);
    const auto attention = [&](const std::string& name) {
        for (const char* part : {"self.query", "self.key", "self.value", "output.dense"}) {
            table.linear(layer + name + "." + part, hidden, hidden, true, Attention, layers);
        }
        table.layerNorm(layer + name + ".output.LayerNorm", hidden, layers);
    };
    attention("attention");
    if (config.flag("add_cross_attention", false)) attention("crossattention");
    table.linear(layer + "intermediate.dense", ffn, hidden, true, Mlp, layers);
    table.linear(layer + "output.dense", hidden, ffn, true, Mlp, layers);
    table.layerNorm(layer + "output.LayerNorm", hidden, layers);

    const auto pooler = [&] { table.linear(prefix + "pooler.dense", hidden, hidden, true, Head); };
    const auto masked = [&] {
        const std::string output = roberta ? "lm_head" : "cls.predictions", transform = roberta ? output : output + ".transform";
        table.linear(transform + ".dense", hidden, hidden, true, Head);
        table.layerNorm(transform + (roberta ? ".layer_norm" : ".LayerNorm"), hidden);
        table.add(output + ".bias", {vocab}, Head);
        // Untied, the decoder has a weight and a bias of its own beside that one.
        if (!tied) table.linear(output + ".decoder", vocab, hidden, true, Head);
    };
    switch (head) {
    case HeadKind::Base: pooler(); return true;
    case HeadKind::LanguageModel:
    case HeadKind::MaskedLanguageModel: masked(); return true;
    case HeadKind::PreTraining:
        if (roberta) return false;
        pooler();
        masked();
        table.linear("cls.seq_relationship", 2, hidden, true, Head);
        return true;
    case HeadKind::NextSentence:
        if (roberta) return false;
        pooler();
        table.linear("cls.seq_relationship", 2, hidden, true, Head);
        return true;
    case HeadKind::SequenceClassification:
        // RoBERTa classifies from the first token through its own dense layer, which is as large as a pooler.
        if (roberta) table.linear("classifier.dense", hidden, hidden, true, Head);
        else pooler();
        table.linear(roberta ? "classifier.out_proj" : "classifier", config.labels(), hidden, true, Head);
        return true;
    case HeadKind::MultipleChoice:
        pooler();
        table.linear("classifier", 1, hidden, true, Head);
        return true;
    case HeadKind::TokenClassification: table.linear("classifier", config.labels(), hidden, true, Head); return true;
    case HeadKind::QuestionAnswering: table.linear("qa_outputs", config.labels(), hidden, true, Head); return true;
    default: return false;
    }
}

bool addDistilBert(ConfigReader& config, HeadKind head, ParameterBuilder& table)
{
    const std::int64_t vocab = config.size({"vocab_size"}, 30522);
    const std::int64_t hidden = config.size({"dim", "hidden_size"}, 768);
    const std::int64_t layers = config.size({"n_layers", "num_hidden_layers"}, 6, 6, 0);
    const std::int64_t heads = config.size({"n_heads", "num_attention_heads"}, 12);
    const std::int64_t ffn = config.size({"hidden_dim"}, 4 * 768);
    const std::int64_t positions = config.size({"max_position_embeddings"}, 512);
    config.requireDivisible("dim", hidden, "n_heads", heads);
    const std::string prefix = head == HeadKind::Base ? "" : "distilbert.";
    const std::string layer = prefix + "transformer.layer.{}.";
    table.add(prefix + "embeddings.word_embeddings.weight", {vocab, hidden}, Embedding);
    table.add(prefix + "embeddings.position_embeddings.weight", {positions, hidden}, Position);
    table.layerNorm(prefix + "embeddings.LayerNorm", hidden);
    for (const char* name : {"q_lin", "k_lin", "v_lin", "out_lin"}) table.linear(layer + "attention." + name, hidden, hidden, true, Attention, layers);
    table.layerNorm(layer + "sa_layer_norm", hidden, layers);
    table.linear(layer + "ffn.lin1", ffn, hidden, true, Mlp, layers);
    table.linear(layer + "ffn.lin2", hidden, ffn, true, Mlp, layers);
    table.layerNorm(layer + "output_layer_norm", hidden, layers);
    switch (head) {
    case HeadKind::Base: return true;
    case HeadKind::MaskedLanguageModel:
        table.linear("vocab_transform", hidden, hidden, true, Head);
        table.layerNorm("vocab_layer_norm", hidden);
        if (!config.flag("tie_word_embeddings", true)) table.add("vocab_projector.weight", {vocab, hidden}, Head);
        table.add("vocab_projector.bias", {vocab}, Head);
        return true;
    case HeadKind::SequenceClassification:
    case HeadKind::MultipleChoice:
        table.linear("pre_classifier", hidden, hidden, true, Head);
        table.linear("classifier", head == HeadKind::MultipleChoice ? 1 : config.labels(), hidden, true, Head);
        return true;
    case HeadKind::TokenClassification: table.linear("classifier", config.labels(), hidden, true, Head); return true;
    case HeadKind::QuestionAnswering: table.linear("qa_outputs", config.labels(), hidden, true, Head); return true;
    default: return false;
    }
}

}  // namespace stagecraft
