# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden rows for tst_trained_parts: what PEFT trains of a model, and what is left of one that is partly frozen, counted on the meta device.

    python tests/oracle/count_trained_parts.py tests/data/parameter_counts.jsonl > tests/data/trained_part_counts.jsonl

With "sparse" behind it, the rows of models with experts alone.

Each row: {"architecture", "model_type", "config", "adapter" or "freeze" as a workspace says them, "trainable", "params"}; adapters' targets, copies, ranks
and biases are drawn at random from the modules that the model has, now and then with a name that it has not.
Made with peft 0.21, transformers 5.23 and torch 2.11 (CPU).
"""
import json, random, sys

import torch
import transformers
from peft import LoraConfig, get_peft_model
from transformers.pytorch_utils import Conv1D

SEED, ADAPTERS, FROZEN, SPARSE = 12, 110, 50, 60
random.seed(SEED)


def build(name, config):
    cls = getattr(transformers, name)
    with torch.device("meta"):
        return cls(cls.config_class(**{k: v for k, v in config.items() if k != "model_type"}))


def numbered(key):
    return [part for part in key.split(".") if part.isdigit()]


def adapter_of(model, config):
    """A random adapter section, and the same as PEFT's arguments."""
    fitting = [k for k, m in model.named_modules() if isinstance(m, (torch.nn.Linear, Conv1D, torch.nn.Embedding))]
    leaves = sorted({k.split(".")[-1] for k in fitting})
    rank = random.choice([1, 2, 4, 8, 16, 64])
    section, peft = {"rank": rank}, {"r": rank}
    kind = random.random()
    if kind < 0.15:
        section["targets"] = "default"
    else:
        names = random.sample(leaves, random.randint(1, min(4, len(leaves))))
        if random.random() < 0.3:   # longer names, of one layer or of all
            key = random.choice([k for k in fitting if numbered(k)])
            parts = key.split(".")
            names.append(".".join(parts[-random.randint(2, len(parts)):]))
        if random.random() < 0.1:
            names.append("no_such_module")
        section["targets"] = peft["target_modules"] = names
    if random.random() < 0.3:
        saved = random.sample([m for m in ("embed_tokens", "lm_head", "wte", "embed_in", "embed_out", "norm", "ln_f", "score") if any(k.endswith(m) for k, _ in model.named_modules())] or ["lm_head"], 1)
        section["modulesToSave"] = peft["modules_to_save"] = saved
    if random.random() < 0.3:
        section["bias"] = peft["bias"] = random.choice(["all", "lora_only"])
    if random.random() < 0.3 and "target_modules" in peft:
        name = random.choice(peft["target_modules"])
        section["rankPattern"] = peft["rank_pattern"] = {name: random.choice([1, 3, 32])}
    if random.random() < 0.15:
        section["dora"] = peft["use_dora"] = True
    return section, peft


def sparse_adapter_of(model):
    """A random adapter section of a model with experts, of the names that they had before they were packed among others."""
    attention = sorted({k.split(".")[-1] for k, m in model.named_modules() if isinstance(m, torch.nn.Linear) and "attn" in k})
    names = {"mixtral": ["gate", "w1", "w2", "w3"]}.get(model.config.model_type, ["gate", "gate_proj", "up_proj", "down_proj"])
    section = {"rank": random.choice([1, 2, 4, 8, 16])}
    kind = random.random()
    if kind < 0.2:
        section["targets"] = "all-linear"
        targets = "all-linear"
    else:
        pair = names[1:3] if names[1] != "w1" else ["w1", "w3"]
        targets = random.sample(attention, random.randint(0, 2)) + [n for n in names if n not in pair and random.random() < 0.5] + (pair if random.random() < 0.5 else [])
        if random.random() < 0.3:
            targets.append(random.choice(["shared_expert_gate", "lm_head", "model.layers.0.mlp.gate", "self_attn.o_proj", "shared_experts." + names[-1], "mlp.experts." + names[-1]]))
        section["targets"] = targets = targets or ["gate"]
    peft = {"r": section["rank"], "target_modules": targets}
    if random.random() < 0.3:
        section["rankPattern"] = {random.choice(["down_proj", "q_proj", "o_proj", "experts.down_proj"]): random.choice([1, 3, 32])}
        peft["rank_pattern"] = dict(section["rankPattern"])  # PEFT adds its own
    if random.random() < 0.2:
        section["modulesToSave"] = peft["modules_to_save"] = ["lm_head"]
    return section, peft


def freeze(model, tables):
    """A random freeze section, carried out."""
    section = {}
    parameters = dict(model.named_parameters())
    if random.random() < 0.5:
        section["embeddings"] = True
        for table in tables(model):
            table.requires_grad_(False)
    layers = max(int(n) for k in parameters for n in numbered(k)[:1]) + 1
    if random.random() < 0.6:
        section["firstLayers"] = random.randint(0, layers - 1)
        for key, p in parameters.items():
            if numbered(key) and int(numbered(key)[0]) < section["firstLayers"]:
                p.requires_grad_(False)
    if random.random() < 0.7 or not section:
        keys = list(parameters)
        names = []
        for _ in range(random.randint(1, 3)):
            parts = random.choice(keys).split(".")
            end = random.randint(1, len(parts))
            start = random.randint(0, end - 1)
            name = ".".join(parts[start:end])
            if not all(p.isdigit() for p in name.split(".")) and name.split(".")[-1] not in ("weight", "bias", "model", "transformer", "layers", "h", "decoder", "gpt_neox"):
                names.append(name)
        if names:
            section["modules"] = names
            # Modules' own parameters, tied ones with them.
            for key, module in model.named_modules():
                if any(key == n or key.endswith("." + n) for n in names):
                    module.requires_grad_(False)
            for key, p in parameters.items():
                if any(key == n or key.endswith("." + n) for n in names):
                    p.requires_grad_(False)
    return section


def tables_of(model):
    return [p for m in model.modules() if isinstance(m, torch.nn.Embedding) for p in m.parameters()]


def main():
    rows = [json.loads(line) for line in open(sys.argv[1])]
    if "sparse" in sys.argv[2:]:
        return sparse(rows)
    decoders = [(r["architecture"], r["config"]) for r in rows if r["architecture"].endswith(("ForCausalLM", "LMHeadModel")) and not r["architecture"].startswith(("Bert", "Roberta", "Deepseek", "XLM", "Mixtral", "Qwen2Moe", "Qwen3Moe"))]   # PEFT rewrites the targets of models with experts
    decoders = [(n, c) for n, c in decoders if not any("expert" in k for k, _ in build(n, c).named_modules())]
    by_family = {}
    for n, c in decoders:
        by_family.setdefault(n, []).append(c)
    made = 0
    while made < ADAPTERS:
        name = random.choice(sorted(by_family))
        config = random.choice(by_family[name])
        model = build(name, config)
        section, peft = adapter_of(model, config)
        try:
            with torch.device("meta"):
                adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **peft), low_cpu_mem_usage=True)
        except (ValueError, NotImplementedError, RuntimeError, KeyError) as refused:
            print(name, section, str(refused)[:200], file=sys.stderr)
            continue
        print(json.dumps({"architecture": name, "model_type": model.config.model_type, "config": config, "adapter": section, "trainable": sum(p.numel() for p in adapted.parameters() if p.requires_grad), "params": sum(p.numel() for p in adapted.parameters())}))
        made += 1
    made = 0
    while made < FROZEN:
        name = random.choice(sorted(by_family))
        config = random.choice(by_family[name])
        model = build(name, config)
        section = freeze(model, tables_of)
        print(json.dumps({"architecture": name, "model_type": model.config.model_type, "config": config, "freeze": section, "trainable": sum(p.numel() for p in model.parameters() if p.requires_grad), "params": sum(p.numel() for p in model.parameters())}))
        made += 1
    sparse(rows)


def sparse(rows):
    """Models with packed experts: PEFT makes parameters of their names."""
    random.seed(SEED + 1)
    kinds = {}
    for r in rows:
        if r["architecture"] in ("MixtralForCausalLM", "Qwen2MoeForCausalLM", "Qwen3MoeForCausalLM", "DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM"):
            kinds.setdefault(r["architecture"], []).append(r["config"])
    made = 0
    while made < SPARSE:
        name = random.choice(sorted(kinds))
        config = random.choice(kinds[name])
        model = build(name, config)
        section, peft = sparse_adapter_of(model)
        try:
            with torch.device("meta"):
                adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **peft), low_cpu_mem_usage=True)
        except (ValueError, NotImplementedError, RuntimeError, KeyError) as refused:
            print(name, section, str(refused)[:200], file=sys.stderr)
            continue
        print(json.dumps({"architecture": name, "model_type": model.config.model_type, "config": config, "adapter": section, "trainable": sum(p.numel() for p in adapted.parameters() if p.requires_grad), "params": sum(p.numel() for p in adapted.parameters())}), flush=True)
        made += 1


main()
