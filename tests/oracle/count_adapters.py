# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden rows for tst_adapters: how many parameters PEFT trains beside a frozen decoder, counted on the meta device.

    python tests/oracle/count_adapters.py tests/data/parameter_counts.jsonl > tests/data/adapter_counts.jsonl

For every fourth decoder of the parameter counts, and a few released ones: {"architecture", "config", "all", "attention", "mlp"},
trainable parameters at rank 8 of target_modules "all-linear", and of the same modules inside attention and outside it.
Made with peft 0.21, transformers 5.23 and torch 2.11 (CPU).
"""
import json, sys

import torch
import transformers
from peft import LoraConfig, get_peft_model
from transformers.pytorch_utils import Conv1D

RELEASED = [
    ("GPT2LMHeadModel", {"model_type": "gpt2"}),
    ("BloomForCausalLM", {"model_type": "bloom", "hidden_size": 1024, "n_layer": 24, "n_head": 16, "vocab_size": 250880}),
    ("GPTNeoXForCausalLM", {"model_type": "gpt_neox"}),
    ("Phi3ForCausalLM", {"model_type": "phi3"}),
    ("FalconForCausalLM", {"model_type": "falcon"}),
    ("OPTForCausalLM", {"model_type": "opt", "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096, "word_embed_proj_dim": 512, "do_layer_norm_before": False}),
    ("DeepseekV2ForCausalLM", {"model_type": "deepseek_v2", "vocab_size": 102400, "hidden_size": 2048, "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 27,
                               "num_attention_heads": 16, "num_key_value_heads": 16, "n_shared_experts": 2, "n_routed_experts": 64, "kv_lora_rank": 512, "q_lora_rank": None,
                               "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_nope_head_dim": 128, "num_experts_per_tok": 6, "first_k_dense_replace": 1}),
    ("LlamaForCausalLM", {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}),
]


def in_attention(name):
    return any("attn" in part or "attention" in part for part in name.split(".")[:-1])


def linear_modules(model):
    """What PEFT documents as "all-linear": every Linear and Conv1D but the output layer."""
    for key, module in model.named_modules():
        if module is model.get_output_embeddings():
            continue
        if isinstance(module, torch.nn.Linear):
            yield key, module.in_features + module.out_features
        elif isinstance(module, Conv1D):
            yield key, sum(module.weight.shape)


def count(name, config):
    cls = getattr(transformers, name)
    with torch.device("meta"):
        model = cls(cls.config_class(**{k: v for k, v in config.items() if k != "model_type"}))
    out = {"all": 0, "attention": 0, "mlp": 0}
    for key, sizes in linear_modules(model):
        out["all"] += 8 * sizes
        if in_attention(key):
            out["attention"] += 8 * sizes
        elif any(part.isdigit() for part in key.split(".")):
            out["mlp"] += 8 * sizes
    # For models with experts PEFT rewrites "all-linear" into names and parameters of its own: only the others can be compared.
    if not any("expert" in key for key, _ in model.named_modules()) and "Deepseek" not in name:
        with torch.device("meta"):
            adapted = get_peft_model(model, LoraConfig(r=8, target_modules="all-linear", task_type="CAUSAL_LM"), low_cpu_mem_usage=True)
        assert sum(p.numel() for p in adapted.parameters() if p.requires_grad) == out["all"], name
    return out


rows = [json.loads(line) for line in open(sys.argv[1])]
decoders = [(r["architecture"], r["config"]) for r in rows if r["architecture"].endswith(("ForCausalLM", "LMHeadModel")) and not r["architecture"].startswith(("Bert", "Roberta"))]
decoders.sort(key=lambda d: d[0])
for name, config in RELEASED + decoders[::4]:
    print(json.dumps({"architecture": name, "config": config, **count(name, config)}))
