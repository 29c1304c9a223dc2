# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/kept_autocast.jsonl: what autograd keeps of small Transformers models in fp32 under torch.autocast in bf16.

Of each model two numbers: bytes a token and layer, and bytes of a layer whatever the tokens, which are the 16-bit copies of its weights.
They are the slope and the rest of two numbers of sequences. As kept_tensors.py says, it stands for a CUDA device: pow, softmax
and layer_norm, which CUDA's list turns to fp32 and a CPU's does not all, are turned so here, and fused attention takes what autocast makes of its inputs.
With "zero3" F.linear is DeepSpeed's own (deepspeed/runtime/zero/linear.py), which keeps what it is called with.

Usage: kept_autocast.py > tests/data/kept_autocast.jsonl   (transformers 5.23, torch 2.11, peft 0.21)
"""
import json
import sys

import torch
import torch.nn.functional as functional

import kept_tensors as plain

torch_pow, torch_norm, torch_softmax, torch_linear, fused = torch.pow, functional.layer_norm, functional.softmax, functional.linear, plain.sdpa


def casts():
    return torch.is_autocast_enabled("cpu")


def pow32(x, exponent):
    return torch_pow(x.float(), exponent) if casts() and isinstance(x, torch.Tensor) else torch_pow(x, exponent)


def norm32(x, *arguments, **named):
    return torch_norm(x.float() if casts() else x, *arguments, **named)


def softmax32(x, *arguments, **named):
    return torch_softmax(x.float() if casts() else x, *arguments, **named)


def sdpa16(query, key, value, attn_mask=None, **named):
    if casts():
        query, key, value = (t.to(torch.bfloat16) for t in (query, key, value))
        attn_mask = attn_mask.to(torch.bfloat16) if attn_mask is not None and attn_mask.is_floating_point() else attn_mask
    return fused(query, key, value, attn_mask=attn_mask, **named)


class KeptAsCalled(torch.autograd.Function):
    """Keeps what DeepSpeed's linear function keeps; its backward pass is never called."""

    @staticmethod
    def forward(x, weight, bias=None):
        return torch_linear(x, weight, bias)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])


torch.pow = pow32
functional.layer_norm = torch.nn.functional.layer_norm = norm32
functional.softmax = torch.nn.functional.softmax = softmax32
functional.scaled_dot_product_attention = torch.nn.functional.scaled_dot_product_attention = sdpa16


def of_layers(config, few, many, seq, attention, part):
    """Bytes a token and layer, and bytes a layer."""
    at = []
    for micro in (2, 4):
        less, came = plain.kept(config, few, seq, micro, attention, torch.float32, **part)
        more, _ = plain.kept(config, many, seq, micro, attention, torch.float32, **part)
        at.append((more - less) / (many - few))
    slope = (at[1] - at[0]) / (2 * seq)
    return slope, at[0] - 2 * seq * slope, came


def jobs():
    for name, config in plain.families():
        yield name, config, None, False, {}
        yield name, plain.wide(config), "eager", False, {}
    for name, config in plain.families():
        if config["model_type"] in ("llama", "qwen3", "gpt2", "gpt_neox"):
            yield name, config, None, True, {}
    for name, config in plain.families():
        if config["model_type"] in ("llama", "qwen3", "phi"):
            for section in ({"rank": 16}, {"rank": 8, "targets": ["q_proj", "v_proj"]}, {"rank": 16, "dropout": 0.1}):
                yield name, config, None, False, {"adapter": section}


if __name__ == "__main__":
    print(json.dumps({"transformers": plain.transformers.__version__, "torch": torch.__version__}))
    for name, config, attention, zero3, part in jobs():
        if len(sys.argv) > 1 and config["model_type"] not in sys.argv[1:]:
            continue
        config = dict(config, architectures=[name])
        functional.linear = torch.nn.functional.linear = KeptAsCalled.apply if zero3 else torch_linear
        few, many = (6, 12) if config["model_type"] == "gemma3_text" else (2, 4)
        with torch.autocast("cpu", torch.bfloat16):
            each, weights, came = of_layers(config, few, many, 128, attention, part)
        print(json.dumps({"config": config, "seq": 128, "micro": 2, "attention": attention, "came": came, "zero3": zero3, **part, "bytes": each, "weights": weights}), flush=True)
