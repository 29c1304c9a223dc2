# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/block_gradients.jsonl: bytes a token that the backward pass of one block holds beyond what the block keeps.

Live storages of one layer, its head and last norm taken off, are counted operator by operator: a row is the most that is alive in the
backward pass, less what was alive when it began. Storages of parameters, their gradients and what is shaped like these are left out.
It stands for a CUDA device as kept_tensors.py says; fused attention gives zeros of its inputs' sizes back.

Usage: block_gradients.py > tests/data/block_gradients.jsonl   (transformers 5.23, torch 2.11)
"""
import gc
import json
import sys
import weakref

import torch
import transformers
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoConfig, AutoModel

import kept_tensors


class FusedAttention(kept_tensors.FusedAttention):
    @staticmethod
    def backward(ctx, gradient):
        return *(torch.zeros_like(tensor) for tensor in ctx.saved_tensors[:3]), None


kept_tensors.FusedAttention = FusedAttention


class Live(TorchDispatchMode):
    """Bytes of the storages that are alive, and the most there were."""

    def __init__(self, own, shapes):
        super().__init__()
        self.now = self.most = 0
        self.seen = {storage._cdata: 0 for storage in own}
        self.shapes = shapes

    def add(self, tensor):
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key in self.seen or tuple(tensor.shape) in self.shapes:
            return
        self.seen[key] = size
        self.now += size
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self.free, key)

    def free(self, key):
        self.now -= self.seen.pop(key, 0)

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        out = operator(*args, **(kwargs or {}))
        _pytree.tree_map_only(torch.Tensor, self.add, out)
        return out


class Sink(torch.autograd.Function):
    """Keeps nothing of the block's output, and makes its gradient."""

    @staticmethod
    def forward(ctx, output):
        ctx.like = output.shape, output.dtype
        return output.new_zeros(())

    @staticmethod
    def backward(ctx, gradient):
        return torch.zeros(ctx.like[0], dtype=ctx.like[1])


def gradients(config, seq, micro, attention, dtype):
    config = dict(config)
    family = config.pop("model_type")
    config.pop("architectures")
    config["n_layer" if family in ("gpt2", "gptj", "bloom") else "num_hidden_layers"] = 1
    read = AutoConfig.for_model(family, **config)
    read.use_cache = False
    model = AutoModel.from_config(read, dtype=dtype, **({"attn_implementation": attention} if attention else {})).train()
    for name in ("norm", "ln_f", "final_layer_norm", "final_layernorm"):
        for holder in (model, getattr(model, "decoder", model)):
            if isinstance(getattr(holder, name, None), torch.nn.Module):
                setattr(holder, name, torch.nn.Identity())
    shapes, own = set(), [buffer.untyped_storage() for buffer in model.buffers()]
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
        own += [parameter.untyped_storage(), parameter.grad.untyped_storage()]
        shape = tuple(parameter.shape)
        shapes |= {shape, (*shape[:-2], *reversed(shape[-2:]))} if len(shape) > 1 else {shape}
    live = Live(own, shapes)
    with live:
        output = model(input_ids=torch.randint(0, 500, (micro, seq)))
        loss = Sink.apply(output[0])
        del output
        gc.collect()
        kept = live.most = live.now
        loss.backward()
    return (live.most - kept) / seq / micro


if __name__ == "__main__":
    print(json.dumps({"transformers": transformers.__version__, "torch": torch.__version__}))
    rows = list(kept_tensors.rows())
    # Experts as wide as Mixtral's own, so that their non-linearity is the widest point.
    wide = next(config for name, config in kept_tensors.families() if config["model_type"] == "mixtral")
    rows.append(("MixtralForCausalLM", dict(wide, intermediate_size=4096), 256, 1, None, "bf16"))
    # So long that the scores are.
    rows += [(name, config, 2048, 1, "eager", "bf16") for name, config in kept_tensors.families() if config["model_type"] in ("llama", "gpt2", "gpt_neox", "opt")]
    for name, config, seq, micro, attention, precision in rows:
        # Few are the first of six layers of Gemma-3, which has a window; no number of tokens is a width.
        seq = 328 if seq < 2048 else 1640
        config = dict(config, architectures=[name], **({"sliding_window": 4096} if config["model_type"] == "gemma3_text" else {}))
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        print(json.dumps({"config": config, "seq": seq, "micro": micro, "attention": attention, "precision": precision,
                          "bytes": gradients(config, seq, micro, attention, dtype)}), flush=True)
        print(config["model_type"], seq, attention, file=sys.stderr)
