# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden rows for tst_tensor_shares: what DeepSpeed's AutoTP leaves on each rank of a tensor-parallel group.

    python tests/oracle/autotp_shards.py tests/data/autotp_shards.jsonl

One row per model and size: {"config", "tp", "ranks"}, parameters of every rank. Sizes come from DeepSpeed's own get_shard_size, for the
modules that its conversion of the model's tensor-parallel plan divides: columns by their outputs, rows by their inputs, and their
biases with the columns; a tied table only where the embedding is a plain look-up. Checked against an engine that was started on the
small rows (deepspeed.initialize with autotp_size, gloo): the same parameters on every rank.
Made with deepspeed 0.19.8, transformers 5.23 and torch 2.11 (CPU).
"""
import json, sys

import torch
import transformers
from deepspeed.module_inject.tp_plan_converter import TPPlanConverter
from deepspeed.module_inject.autotp_config import AutoTPConfig, PartitionType
from deepspeed.module_inject.tp_shard import AutoTPMeta, get_shard_size
from deepspeed.runtime.tensor_parallel.config import _get_hf_tp_plan

QWEN3B = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36,
          "num_attention_heads": 16, "num_key_value_heads": 2, "tie_word_embeddings": True}
LLAMA8B = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
           "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": False}
LLAMA3B = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 128256, "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 28,
           "num_attention_heads": 24, "num_key_value_heads": 8, "tie_word_embeddings": True}
GEMMA = {"model_type": "gemma", "architectures": ["GemmaForCausalLM"], "vocab_size": 256000, "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18,
         "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256, "tie_word_embeddings": True}
QWEN7B = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "vocab_size": 152064, "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
          "num_attention_heads": 28, "num_key_value_heads": 4, "tie_word_embeddings": False}
NEOX = {"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "vocab_size": 50432, "hidden_size": 6144, "intermediate_size": 24576, "num_hidden_layers": 44,
        "num_attention_heads": 64, "tie_word_embeddings": False}
SMALL = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "vocab_size": 96, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1,
         "num_attention_heads": 8, "num_key_value_heads": 2, "tie_word_embeddings": False}
CASES = [(QWEN3B, 2), (QWEN3B, 4), (QWEN3B, 8), (LLAMA8B, 4), (LLAMA8B, 8), (LLAMA8B, 16), (LLAMA8B, 32), (LLAMA3B, 3), (LLAMA3B, 6), (LLAMA3B, 12), (GEMMA, 2), (GEMMA, 8), (QWEN7B, 2), (QWEN7B, 7), (QWEN7B, 14),
         (NEOX, 8), (SMALL, 2), (SMALL, 4), (SMALL, 8)]


def ranks_of(config, tp):
    settings = {k: v for k, v in config.items() if k not in ("model_type", "architectures")}
    with torch.device("meta"):
        model = getattr(transformers, config["architectures"][0])(transformers.AutoConfig.for_model(config["model_type"], **settings))
    meta = AutoTPMeta.from_model_config(model.config)
    plan = AutoTPConfig(tp_size=tp, layer_specs=TPPlanConverter.convert(_get_hf_tp_plan(model)))
    table, output = model.get_input_embeddings(), model.get_output_embeddings()
    tied = output.weight is table.weight
    divided = tied and type(table).forward is torch.nn.Embedding.forward
    ranks = [0] * tp
    seen = set()
    for name, module in model.named_modules():
        for key, parameter in module.named_parameters(recurse=False):
            if id(parameter) in seen:
                continue
            seen.add(id(parameter))
            spec = plan.find_matching_spec(name + ".weight", model.config.model_type)
            whole, of = parameter.numel(), None
            if parameter is table.weight and tied:
                of = (parameter.shape[0], "lm_head") if divided else None
            elif spec is not None and spec.partition_type == PartitionType.COLUMN:
                of = (parameter.shape[0], name)
            elif spec is not None and spec.partition_type == PartitionType.ROW and key == "weight":
                of = (parameter.shape[1], name)
            for rank in range(tp):
                ranks[rank] += whole if of is None else whole // of[0] * get_shard_size(of[0], tp, meta, of[1], rank=rank)
    return ranks


with open(sys.argv[1], "w") as out:  # DeepSpeed says things on stdout
    for config, tp in CASES:
        print(json.dumps({"config": config, "tp": tp, "ranks": ranks_of(config, tp)}), file=out)
