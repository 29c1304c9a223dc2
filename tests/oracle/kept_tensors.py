# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/kept_tensors.jsonl: bytes a token and layer that autograd keeps of small Transformers models.

With "adapter" or "freeze", as a workspace says them, it is of the same model with PEFT's adapters, or partly frozen.
A row is (kept with L + n layers - kept with L layers) / n / tokens: each storage once, parameters and buffers left out, use_cache off.
It stands for a CUDA device, though it is measured on a CPU:
- dropout is torch.native_dropout, CUDA's own, with a mask of one byte (a CPU's keeps the scaled mask in the model's type);
- fused attention keeps queries, keys, values, output and an fp32 log-sum-exp, as CUDA's kernels do (tools/autograd/derivatives.yaml);
  FlashAttention's output has its queries' strides (flash_api.cpp, empty_like), the memory-efficient kernel's those of the tokens
  (attention.cu); a mask of true and false becomes one in the model's type in each layer (attention.cpp, convert_boolean_attn_mask);
- where no fused kernel of CUDA takes the heads (keys of one head beside many, without enable_gqa; grouped keys in fp32) the CPU's math
  path runs, whose code is CUDA's too. A CPU takes that path also for heads of two sizes (DeepSeek's); CUDA's memory-efficient kernel takes those.

Usage: kept_tensors.py > tests/data/kept_tensors.jsonl   (transformers 5.23, torch 2.11, peft 0.21)
       kept_tensors.py encoder_parts                     (those of encoders alone)
       kept_tensors.py parts                             (rows with "adapter" or "freeze" alone)
       kept_tensors.py encoders                          (BERT's and T5's alone)
       kept_tensors.py heads                             (classifiers alone)
"""
import gc
import json
import sys
import warnings

import torch
import torch.nn.functional as functional
import transformers
from peft import LoraConfig, get_peft_model
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import (AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForQuestionAnswering, AutoModelForSeq2SeqLM,
                          AutoModelForSequenceClassification, AutoModelForTokenClassification)

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
torch_sdpa = functional.scaled_dot_product_attention


class FusedAttention(torch.autograd.Function):
    """Keeps what CUDA's fused kernels keep; computes nothing."""

    @staticmethod
    def forward(ctx, query, key, value, mask):
        batch, heads, seq, size = query.shape
        flash = mask is None and value.shape[-1] == size and query.dtype != torch.float32
        if flash:
            output = torch.empty_like(query.transpose(1, 2)).transpose(1, 2)
        else:
            output = torch.empty(batch, seq, heads, value.shape[-1], dtype=query.dtype).transpose(1, 2)
        if mask is not None and mask.dtype == torch.bool:
            mask = mask.to(query.dtype)
        kept = [query, key, value, output.zero_(), torch.zeros(batch, heads, seq)]
        ctx.save_for_backward(*kept, *([] if mask is None else [mask]))
        return output


def sdpa(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    grouped = key.shape[1] != query.shape[1]
    if grouped and (not enable_gqa or query.dtype == torch.float32):
        with sdpa_kernel(SDPBackend.MATH):
            return torch_sdpa(query, key, value, attn_mask=attn_mask, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
    return FusedAttention.apply(query, key, value, attn_mask)


def dropout(x, p=0.5, training=True, inplace=False):
    return torch.native_dropout(x, p, True)[0] if training and p > 0 else x


functional.scaled_dot_product_attention = torch.nn.functional.scaled_dot_product_attention = sdpa
functional.dropout = torch.nn.functional.dropout = dropout


class Kept:
    """A saved tensor, for as long as its graph lives: what DoRA makes of weights has one that is soon let go."""

    def __init__(self, tensor, counts):
        self.tensor, self.counts = tensor, counts
        storage = tensor.untyped_storage()
        self.key, size = storage.data_ptr(), storage.nbytes()
        counts[self.key] = (counts.get(self.key, (0, 0))[0] + 1, size)

    def __del__(self):
        times, size = self.counts[self.key]
        if times > 1:
            self.counts[self.key] = (times - 1, size)
        else:
            del self.counts[self.key]


def adapted(model, section):
    """PEFT's model of what a workspace calls model.adapter."""
    targets = section.get("targets", "all-linear")
    return get_peft_model(model, LoraConfig(task_type="CAUSAL_LM" if hasattr(model, "prepare_inputs_for_generation") and not model.config.is_encoder_decoder else None, r=section["rank"], target_modules=None if targets == "default" else targets, lora_dropout=section.get("dropout", 0.0), use_dora=section.get("dora", False)))


def kept(config, layers, seq, micro, attention, dtype, adapter=None, freeze=None):
    """Bytes of all storages that a forward pass saves; the attention and experts that the model came up with."""
    config = dict(config)
    family = config.pop("model_type")
    name = config.pop("architectures")[0]
    stacks = family in ("t5", "mt5")  # both grow: a layer is the mean of an encoder's and a decoder's
    if stacks:
        config["num_layers"] = config["num_decoder_layers"] = layers // 2
    else:
        config["n_layer" if family in ("gpt2", "gptj", "bloom") else "num_hidden_layers"] = layers
    read = AutoConfig.for_model(family, **config)
    read.use_cache = False
    heads = {"SequenceClassification": AutoModelForSequenceClassification, "TokenClassification": AutoModelForTokenClassification, "QuestionAnswering": AutoModelForQuestionAnswering}
    classifier = next((kind for head, kind in heads.items() if name.endswith("For" + head)), None)
    kind = classifier if classifier else AutoModelForSeq2SeqLM if stacks else AutoModelForMaskedLM if family in ("bert", "roberta", "xlm-roberta") else AutoModelForCausalLM
    model = kind.from_config(read, dtype=dtype, **({"attn_implementation": attention} if attention else {})).train()
    if adapter:
        model = adapted(model, adapter).to(dtype).train()
    for name in freeze or ():
        for key, part in [*model.named_modules(), *model.named_parameters()]:
            if f".{key}".endswith("." + name) or f".{key}".endswith(f".{name}.weight"):
                part.requires_grad_(False)
    own = {t.untyped_storage().data_ptr() for t in [*model.parameters(), *model.buffers()]}
    seen = {}

    def pack(tensor):
        return Kept(tensor, seen) if tensor.untyped_storage().data_ptr() not in own else tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor if isinstance(saved, Kept) else saved):
        inputs = {"input_ids": torch.randint(0, 500, (micro, seq))}
        if stacks:
            inputs["decoder_input_ids"] = torch.randint(0, 500, (micro, seq))
            if micro > 1:  # sequences of several lengths: those that are shorter are padded
                inputs["attention_mask"] = torch.ones(micro, seq, dtype=torch.long).index_put((torch.tensor(0), torch.tensor(seq - 1)), torch.tensor(0))
                inputs["decoder_attention_mask"] = inputs["attention_mask"]
        output = model(**inputs)
    gc.collect()
    bytes_kept = sum(size for _, size in seen.values())
    del output
    return bytes_kept, model.config._attn_implementation


def families():
    """(class, config) of each family at one size; `wide` makes another of it."""
    small = dict(hidden_size=512, num_attention_heads=8, num_hidden_layers=12, vocab_size=512, max_position_embeddings=2048)
    gated = dict(small, num_key_value_heads=2, intermediate_size=1408)
    plain = dict(small, intermediate_size=2048)
    latent = dict(small, num_key_value_heads=8, kv_lora_rank=64, qk_nope_head_dim=64, qk_rope_head_dim=32, v_head_dim=64, intermediate_size=1408,
                  moe_intermediate_size=160, n_routed_experts=32, num_experts_per_tok=8, n_shared_experts=1, first_k_dense_replace=0)
    yield "LlamaForCausalLM", dict(gated, model_type="llama")
    yield "LlamaForCausalLM", dict(gated, model_type="llama", num_key_value_heads=8)
    yield "MistralForCausalLM", dict(gated, model_type="mistral", sliding_window=None)
    yield "MistralForCausalLM", dict(gated, model_type="mistral", sliding_window=256)
    yield "Qwen2ForCausalLM", dict(gated, model_type="qwen2")
    yield "Qwen3ForCausalLM", dict(gated, model_type="qwen3", head_dim=128)
    yield "GemmaForCausalLM", dict(gated, model_type="gemma", num_key_value_heads=1, head_dim=128)
    yield "Gemma2ForCausalLM", dict(gated, model_type="gemma2", head_dim=128)
    yield "Gemma2ForCausalLM", dict(gated, model_type="gemma2", head_dim=64, attn_logit_softcapping=None)
    yield "Gemma3ForCausalLM", dict(gated, model_type="gemma3_text", head_dim=128, sliding_window=256)
    yield "MixtralForCausalLM", dict(gated, model_type="mixtral", num_local_experts=8, num_experts_per_tok=2)
    yield "Qwen2MoeForCausalLM", dict(gated, model_type="qwen2_moe", moe_intermediate_size=192, shared_expert_intermediate_size=704, num_experts=32, num_experts_per_tok=4)
    yield "Qwen3MoeForCausalLM", dict(gated, model_type="qwen3_moe", head_dim=64, moe_intermediate_size=192, num_experts=32, num_experts_per_tok=8, norm_topk_prob=True)
    yield "DeepseekV2ForCausalLM", dict(latent, model_type="deepseek_v2", q_lora_rank=None, n_group=1, topk_group=1)
    yield "DeepseekV3ForCausalLM", dict(latent, model_type="deepseek_v3", q_lora_rank=192, n_group=4, topk_group=2)
    yield "Phi3ForCausalLM", dict(gated, model_type="phi3", pad_token_id=0)
    yield "Phi3ForCausalLM", dict(gated, model_type="phi3", pad_token_id=0, num_key_value_heads=8, sliding_window=255)
    yield "PhiForCausalLM", dict(plain, model_type="phi")
    yield "PhiForCausalLM", dict(plain, model_type="phi", qk_layernorm=True)
    yield "GPT2LMHeadModel", dict(model_type="gpt2", n_embd=512, n_head=8, n_layer=12, n_positions=2048, vocab_size=512)
    yield "GPT2LMHeadModel", dict(model_type="gpt2", n_embd=512, n_head=8, n_layer=12, n_positions=2048, vocab_size=512, resid_pdrop=0.0, attn_pdrop=0.0, activation_function="gelu")
    yield "GPTJForCausalLM", dict(model_type="gptj", n_embd=512, n_head=8, n_layer=12, n_positions=2048, vocab_size=512, rotary_dim=32)
    yield "OPTForCausalLM", dict(small, model_type="opt", ffn_dim=2048, word_embed_proj_dim=512)
    yield "OPTForCausalLM", dict(small, model_type="opt", ffn_dim=2048, word_embed_proj_dim=512, dropout=0.0, attention_dropout=0.1, activation_function="gelu")
    yield "BloomForCausalLM", dict(model_type="bloom", hidden_size=512, n_head=8, n_layer=12, vocab_size=512)
    yield "BloomForCausalLM", dict(model_type="bloom", hidden_size=512, n_head=8, n_layer=12, vocab_size=512, hidden_dropout=0.1, attention_dropout=0.1)
    yield "GPTNeoXForCausalLM", dict(plain, model_type="gpt_neox")
    yield "GPTNeoXForCausalLM", dict(plain, model_type="gpt_neox", use_parallel_residual=False)
    yield "FalconForCausalLM", dict(small, model_type="falcon", multi_query=True, new_decoder_architecture=False, parallel_attn=True, bias=False, alibi=False)
    yield "FalconForCausalLM", dict(small, model_type="falcon", new_decoder_architecture=True, num_kv_heads=2, bias=False, alibi=False)
    yield "FalconForCausalLM", dict(small, model_type="falcon", multi_query=False, new_decoder_architecture=False, parallel_attn=False, alibi=True)


def encoders():
    """The same of encoders and encoder-decoders, whose sizes have other names."""
    small = dict(hidden_size=512, num_attention_heads=8, num_hidden_layers=12, intermediate_size=2048, vocab_size=512, max_position_embeddings=2048)
    stacks = dict(d_model=512, num_heads=8, d_kv=64, num_layers=6, num_decoder_layers=6, d_ff=1408, vocab_size=512)
    yield "BertForMaskedLM", dict(small, model_type="bert")
    yield "BertForPreTraining", dict(small, model_type="bert", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, hidden_act="gelu_new")
    yield "RobertaForMaskedLM", dict(small, model_type="roberta")
    yield "T5ForConditionalGeneration", dict(stacks, model_type="t5")
    yield "T5ForConditionalGeneration", dict(stacks, model_type="t5", num_heads=12, d_kv=32, d_ff=2048, feed_forward_proj="gated-gelu", tie_word_embeddings=False)
    yield "T5ForConditionalGeneration", dict(stacks, model_type="t5", dropout_rate=0.0, feed_forward_proj="gated-silu")
    yield "T5ForConditionalGeneration", dict(stacks, model_type="t5", feed_forward_proj="gelu")
    yield "MT5ForConditionalGeneration", dict(stacks, model_type="mt5")


def wide(config):
    """Other widths, heads and numbers of experts, so that no term can stand for another."""
    other = dict(config)
    changes = dict(hidden_size=768, n_embd=768, num_attention_heads=12, n_head=12, intermediate_size=2304, ffn_dim=2304, word_embed_proj_dim=768, moe_intermediate_size=96,
                   num_experts=48, num_local_experts=4, n_routed_experts=48, num_experts_per_tok=3, kv_lora_rank=128)
    other.update({key: value for key, value in changes.items() if key in config})
    if config.get("num_key_value_heads", 0) == config.get("num_attention_heads"):
        other["num_key_value_heads"] = other["num_attention_heads"]
    return other


def rows():
    for name, config in families():
        shapes = [(config, 256, 1, None), (wide(config), 512, 1, None), (wide(config), 256, 2, "eager")]
        for shape, seq, micro, attention in shapes:
            yield name, shape, seq, micro, attention, "bf16"
    for name, config in list(families())[:2]:
        yield name, config, 256, 1, None, "fp32"
    # Keys of one head, of several sequences.
    for name, config in families():
        if config.get("multi_query"):
            yield name, config, 256, 2, None, "bf16"
            yield name, wide(config), 128, 3, None, "bf16"


def encoder_rows():
    for name, config in encoders():
        shapes = [(256, 1, None, "bf16"), (128, 3, None, "bf16"), (256, 2, "eager", "bf16"), (256, 1, None, "fp32")]
        for seq, micro, attention, precision in shapes:
            yield name, config, seq, micro, attention, precision


def parts():
    """Rows with adapters or frozen parts."""
    every = ["q_proj", "k_proj", "v_proj", "o_proj"]
    seen = set()
    for name, config in families():
        kind = config["model_type"]
        sparse = any("expert" in key for key in config)
        if kind in seen and not (kind == "falcon" or config.get("qk_layernorm")):
            continue
        seen.add(kind)
        moe = dict(config, num_experts=4, num_experts_per_tok=2) if "num_experts" in config else dict(config, n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1) if "n_routed_experts" in config else config
        sections = [{"rank": 16}, {"rank": 8, "targets": "attention"}]
        if kind in ("llama", "mistral", "gemma", "gemma2", "gemma3_text", "qwen2", "qwen3", "opt", "gptj", "gpt2", "bloom", "gpt_neox", "falcon", "phi"):
            sections.append({"rank": 8, "targets": "default"})
        if kind in ("llama", "gemma2", "gpt2", "phi"):
            sections.append({"rank": 16, "dropout": 0.1})
        # Not of GPT-2: PEFT makes a Parameter of a Conv1D's transposed weight, so that DoRA's norm has a graph, which a hook that is handed the
        # detached norm keeps alive with the sum it holds. Without hooks it is let go: six Conv1D of 34 MiB leave no such sum in a process.
        if kind in ("llama", "gemma2", "phi"):
            sections += [{"rank": 16, "dora": True}, {"rank": 8, "dropout": 0.05, "dora": True}]
        if kind in ("llama", "qwen3"):
            sections += [{"rank": 8, "targets": ["down_proj"]}, {"rank": 8, "targets": ["o_proj", "up_proj"]}]
        if kind in ("mixtral", "qwen3_moe", "qwen2_moe"):
            sections += [{"rank": 8, "targets": every, "dropout": 0.1}, {"rank": 8, "targets": ["q_proj", "w2" if kind == "mixtral" else "down_proj"]}]
        if kind in ("mixtral", "qwen3_moe"):  # PEFT converts nothing of Qwen2-MoE
            sections.append({"rank": 8, "targets": ["gate"]})
        if kind == "qwen2_moe":
            sections.append({"rank": 8, "targets": ["shared_expert_gate"]})
        if kind.startswith("deepseek"):
            sections += [{"rank": 8, "targets": ["kv_b_proj"]}, {"rank": 8, "targets": ["o_proj", "down_proj"]}]
        for section in sections:
            if section.get("targets") == "attention":
                if not config.get("num_key_value_heads") or kind in ("phi3", "falcon") or kind.startswith("deepseek"):
                    continue
                section = dict(section, targets=every)
            whole = section.get("targets", "all-linear") == "all-linear" or not set(section["targets"]).isdisjoint({"gate", "w2", "down_proj"})
            yield name, moe if sparse and whole else config, {"adapter": section}
        for frozen in {"llama": (["input_layernorm"], ["mlp"], ["o_proj"]), "qwen3": (["q_norm", "k_norm"], ["self_attn"]), "gemma2": (["post_feedforward_layernorm", "input_layernorm"],), "mixtral": (["experts"], ["gate"], ["mlp"]), "qwen2_moe": (["shared_expert"], ["experts"]),
                       "deepseek_v3": (["kv_a_layernorm"], ["experts", "gate"]), "gpt_neox": (["dense"], ["mlp"])}.get(kind, ()):
            yield name, config, {"freeze": frozen}


def heads():
    """Classifiers on decoders and encoders: their blocks are those of the models that predict words."""
    prefixes = {"LlamaForCausalLM": ("Llama", ("SequenceClassification", "TokenClassification", "QuestionAnswering")), "Qwen2ForCausalLM": ("Qwen2", ("SequenceClassification",)),
                "GPT2LMHeadModel": ("GPT2", ("SequenceClassification", "TokenClassification")), "OPTForCausalLM": ("OPT", ("SequenceClassification",)), "BloomForCausalLM": ("Bloom", ("TokenClassification",)),
                "Gemma2ForCausalLM": ("Gemma2", ("SequenceClassification",)), "MixtralForCausalLM": ("Mixtral", ("SequenceClassification",)),
                "BertForMaskedLM": ("Bert", ("SequenceClassification", "TokenClassification", "QuestionAnswering")), "RobertaForMaskedLM": ("Roberta", ("SequenceClassification", "QuestionAnswering"))}
    for name, config in [*families(), *encoders()]:
        family, kinds = prefixes.pop(name, ("", ()))
        for kind in kinds:
            yield f"{family}For{kind}", dict(config, pad_token_id=0)


def encoder_parts():
    """The same of encoders and encoder-decoders."""
    for name, config in list(encoders())[:5]:
        stacks = "d_model" in config
        lists = (["q", "v"], ["k", "o"], ["wo"]) if stacks else (["query", "value"], ["attention.output.dense", "intermediate.dense"], ["output.dense"])
        for targets in ("all-linear", *lists):
            yield name, config, {"adapter": {"rank": 8, "targets": targets}}
        yield name, config, {"adapter": {"rank": 8, "targets": lists[0], "dropout": 0.1}}
        for frozen in ((["SelfAttention"], ["DenseReluDense"]) if stacks else (["attention"], ["intermediate", "output.dense"])):
            yield name, config, {"freeze": frozen}


if __name__ == "__main__":
    only = sys.argv[1:]
    def asked(kind):
        return not only or only == [kind]

    jobs = [(*row, {}) for row in rows()] if not only else []
    jobs += [(*row, {}) for row in encoder_rows()] if asked("encoders") else []
    jobs += [(name, config, 256, 1, None, "bf16", part) for name, config, part in encoder_parts()] if asked("encoder_parts") else []
    jobs += [(name, config, 256, 1, None, "bf16", part) for name, config, part in parts()] if asked("parts") else []
    jobs += [(name, config, 256, 2, None, "bf16", {}) for name, config in heads()] if asked("heads") else []
    if not only:
        print(json.dumps({"transformers": transformers.__version__, "torch": torch.__version__}))
    for name, config, seq, micro, attention, precision, part in jobs:
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        config = dict(config, architectures=[name])
        # Below the first adapter nothing is kept of attention: with one layer alone not even the rotation that all share.
        # Gemma-3's windows come back every six layers.
        few, many = (6, 12) if config["model_type"] == "gemma3_text" else (2, 4) if part or "d_model" in config else (1, 3)
        less, default = kept(config, few, seq, micro, attention, dtype, **part)
        more, _ = kept(config, many, seq, micro, attention, dtype, **part)
        print(json.dumps({"config": config, "seq": seq, "micro": micro, "attention": attention, "came": default, "precision": precision,
                          **part, "bytes": (more - less) / (many - few) / seq / micro}), flush=True)
        print(config["model_type"], seq, attention, part, file=sys.stderr)
