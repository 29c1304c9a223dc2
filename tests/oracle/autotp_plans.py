# SPDX-License-Identifier: GPL-3.0-or-later
"""What DeepSpeed's AutoTP answers to Transformers' models, one JSON line each.

    python tests/oracle/autotp_plans.py tests/data/autotp_plans.jsonl

Each model is built on meta with two layers, and asked as runtime/engine.py, _apply_autotp_partitioning does: its own plan is
converted, or, where it has none, the names of its layers are read. "divides", "refuses_plan" or "refuses_model".
"""
import json
import sys

import deepspeed
import torch
import transformers
from deepspeed.module_inject.auto_tp import AutoTP
from deepspeed.module_inject.tp_plan_converter import TPPlanConverter
from deepspeed.runtime.tensor_parallel.config import _get_hf_tp_plan
from transformers import AutoConfig, AutoModelForCausalLM

TYPES = """llama mistral mixtral qwen2 qwen2_moe qwen3 qwen3_moe gemma gemma2 gemma3_text gpt2 gpt_neo gpt_neox gptj opt bloom falcon phi phi3 mpt olmo olmo2 olmoe
granite granitemoe starcoder2 stablelm deepseek_v2 deepseek_v3 cohere cohere2 gpt_bigcode codegen glm glm4 gpt_oss llama4_text minimax phimoe persimmon smollm3 ernie4_5
exaone4 helium jamba""".split()


def answer(model):
    plan = _get_hf_tp_plan(model)
    try:
        if plan:
            TPPlanConverter.convert(plan)
        else:
            AutoTP.tp_parser(model)
    except ValueError:
        return "refuses_plan"
    except AssertionError:
        return "refuses_model"
    return "divides"


with open(sys.argv[1], "w") as out:
    for kind in TYPES:
        config = AutoConfig.for_model(kind)
        for name in ("num_hidden_layers", "n_layer", "num_layers", "n_layers"):
            if hasattr(config, name):
                setattr(config, name, 2)
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config)
        out.write(json.dumps({"model_type": kind, "answer": answer(model), "deepspeed": deepspeed.__version__, "transformers": transformers.__version__}) + "\n")
