#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes configs/ds_config/releases/VERSION.json from an installed DeepSpeed release.

Run by hand, once per release, with that release importable (PYTHONPATH or a virtual environment):

    DS_ACCELERATOR=cpu python tests/oracle/deepspeed_facts.py > configs/ds_config/releases/0.19.8.json

Two kinds of facts are taken from the release itself, not from its documentation:
- `models`: the pydantic classes, field by field: alias, type, default, bounds, deprecation, validators;
- `read` and `defaults`: which keys of the hand-read sections the code looks up and what it takes where they are missing,
  found by handing it dictionaries that note each look-up.
"""
import copy
import enum
import inspect
import json
import logging
import os
import pathlib
import re
import sys
import typing

os.environ.setdefault("DS_ACCELERATOR", "cpu")
logging.disable(logging.CRITICAL)
real_stdout, sys.stdout = sys.stdout, sys.stderr

import deepspeed  # noqa: E402
import torch  # noqa: E402
from deepspeed.runtime import config as ds_config  # noqa: E402
from deepspeed.runtime.config_utils import DeepSpeedConfigModel  # noqa: E402

MODELS = {}


def describe(annotation, metadata=()):
    bounds = {}
    for entry in metadata:
        for name in ("ge", "gt", "le", "lt"):
            if getattr(entry, name, None) is not None:
                bounds[name] = getattr(entry, name)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is typing.Any or annotation is object:
        return {"t": "any"}
    if origin is typing.Union:
        inner = [a for a in args if a is not type(None)]
        described = describe(inner[0], metadata) if len(inner) == 1 else {"t": "union", "of": [describe(a) for a in inner]}
        return {"t": "optional", "of": described} if type(None) in args else described
    if origin is typing.Literal:
        return {"t": "literal", "values": list(args)}
    if annotation in (list, typing.List) or origin is list:
        return {"t": "list", "of": describe(args[0]) if args else {"t": "any"}}
    if annotation in (dict, typing.Dict) or origin is dict:
        return {"t": "dict"}
    if annotation in (tuple, typing.Tuple) or origin is tuple:
        return {"t": "tuple"}
    if inspect.isclass(annotation):
        if issubclass(annotation, DeepSpeedConfigModel):
            return {"t": "model", "model": model(annotation)}
        if issubclass(annotation, enum.Enum):
            base = "int" if issubclass(annotation, int) else "str"
            return {"t": "enum", "of": base, "values": [m.value for m in annotation if isinstance(m.value, (int, str))]}
        if annotation is bool:
            return {"t": "bool"}
        if annotation is int:
            return {"t": "int", **bounds}
        if annotation is float:
            return {"t": "float", **bounds}
        if annotation is str:
            return {"t": "str"}
        if issubclass(annotation, pathlib.Path):
            return {"t": "path"}
        if annotation is torch.dtype:
            return {"t": "object"}
    return {"t": "object", "python": str(annotation)}


def plain(value):
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, DeepSpeedConfigModel) or isinstance(value, torch.dtype):
        return None
    if isinstance(value, bool) or value is None or isinstance(value, (str, float)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return None


def own_or_plain(cls):
    """A class that is not one of DeepSpeed's own models does not drop "auto" and knows no "strict"."""
    return [] if issubclass(cls, DeepSpeedConfigModel) else ["plain_model"]


def model_v1(cls, name):
    """The same facts of a class built on pydantic 1, which releases before 0.15 use."""
    MODELS[name] = entry = {"fields": {}, "extra": getattr(cls.__config__.extra, "value", "ignore"), "validators": []}
    entry["validators"] = sorted([v.__name__ for _, v in cls.__post_root_validators__] +
                                 [v.func.__name__ for vs in cls.__validators__.values() for v in vs] + own_or_plain(cls))
    for field_name, field in cls.__fields__.items():
        annotation = field.outer_type_
        bounds = {b: getattr(annotation, b) for b in ("ge", "gt", "le", "lt") if getattr(annotation, b, None) is not None}
        if inspect.isclass(annotation) and issubclass(annotation, int) and not issubclass(annotation, (bool, enum.Enum)):
            described = {"t": "int", **bounds}
        elif inspect.isclass(annotation) and issubclass(annotation, float):
            described = {"t": "float", **bounds}
        else:
            described = describe(annotation)
        facts = {"type": {"t": "optional", "of": described} if field.allow_none else described}
        if field.alias != field_name:
            facts["alias"] = field.alias
        facts["default"] = plain(field.get_default())
        extra = field.field_info.extra
        if extra.get("deprecated"):
            facts["deprecated"] = {"new": extra.get("new_param", ""), "sets": bool(extra.get("new_param")) and
                                   extra.get("set_new_param", True)}
        entry["fields"][field_name] = facts
    return name


def model(cls):
    name = cls.__name__
    if name in MODELS:
        return name
    if not hasattr(cls, "model_config"):
        return model_v1(cls, name)
    if name in MODELS:
        return name
    MODELS[name] = entry = {"fields": {}, "extra": cls.model_config.get("extra", "ignore"), "validators": []}
    decorators = cls.__pydantic_decorators__
    entry["validators"] = sorted(list(decorators.model_validators) + list(decorators.field_validators) +
                                 list(decorators.root_validators) + list(decorators.validators) + own_or_plain(cls))
    for field_name, field in cls.model_fields.items():
        facts = {"type": describe(field.annotation, field.metadata)}
        if field.alias:
            facts["alias"] = field.alias
        facts["default"] = plain(field.get_default(call_default_factory=True)) if not field.is_required() else None
        extra = field.json_schema_extra or {}
        if callable(extra):
            extra = {}
        if extra.get("deprecated"):
            facts["deprecated"] = {"new": extra.get("new_param", ""), "sets": bool(extra.get("new_param")) and
                                   extra.get("set_new_param", True)}
        entry["fields"][field_name] = facts
    return name


class Watched(dict):
    """A dictionary that notes every key looked up, and hands out watched dictionaries."""
    seen = {}
    defaults = {}  # what is taken where the key is missing; the first look-up that names a value tells it

    def __init__(self, content, path):
        super().__init__()
        self.path = path
        Watched.seen.setdefault(path, set())
        for key, value in content.items():
            dict.__setitem__(self, key, Watched(value, f"{path}/{key}") if isinstance(value, dict) else value)

    def note(self, key):
        if isinstance(key, str):
            Watched.seen[self.path].add(key)

    def get(self, key, default=None):
        self.note(key)
        if isinstance(key, str) and isinstance(default, (bool, int, float, str)):
            Watched.defaults.setdefault(f"{self.path}/{key}", plain(default))
        return dict.get(self, key, default)

    def pop(self, key, *default):
        self.note(key)
        return dict.pop(self, key, *default)

    def __getitem__(self, key):
        self.note(key)
        return dict.__getitem__(self, key)

    def __contains__(self, key):
        self.note(key)
        return dict.__contains__(self, key)

    def keys(self):
        return WatchedKeys(self)

    def __copy__(self):
        twin = Watched({}, self.path)
        dict.update(twin, self)
        return twin


class WatchedKeys:

    def __init__(self, owner):
        self.owner = owner

    def __contains__(self, key):
        self.owner.note(key)
        return dict.__contains__(self.owner, key)

    def __iter__(self):
        return iter(dict.keys(self.owner))


def probe(config):
    try:
        ds_config.DeepSpeedConfig(Watched({"train_batch_size": 1, **config}, ""))
    except Exception as problem:  # a probe that the release refuses still noted what it looked up before
        print(f"probe {config}: {type(problem).__name__}: {problem}", file=sys.stderr)


PROBES = [
    {}, {"optimizer": {"type": "Adam", "params": {"lr": 1e-3}}}, {"scheduler": {"type": "WarmupLR", "params": {}}},
    {"activation_checkpointing": {}}, {"flops_profiler": {}}, {"autotuning": {}}, {"autotuning": {"model_info": {}}},
    {"aio": {}}, {"checkpoint": {"parallel_write": {}}}, {"checkpoint": {"writer": {}}}, {"data_types": {}},
    {"timers": {"throughput": {}}}, {"nebula": {}}, {"nebula": {"enabled": True}}, {"amp": {"enabled": False}},
    {"torch_autocast": {"enabled": True, "dtype": "bfloat16", "lower_precision_safe_modules": []}},
    {"progressive_layer_drop": {"enabled": True}}, {"curriculum_learning": {"enabled": True}},
    {"data_efficiency": {"enabled": True, "data_sampling": {"enabled": True, "dynamic_batching": {"enabled": True, "max_tokens": 8}},
                         "data_routing": {"enabled": True}}},
    {"elasticity": {"enabled": False}}, {"sparse_gradients": True}, {"zero_optimization": True}, {"vocabulary_size": 8},
    {"fp16": {"enabled": True, "fp16_master_weights_and_grads": False}}, {"bf16": {"enabled": True}}, {"compile": {}},
    {"fp16": {"enabled": True, "loss_scale": 0, "initial_scale_power": 16, "loss_scale_window": 9, "hysteresis": 2, "min_loss_scale": 1}},
    {"expert_parallel": {"enabled": True}}, {"expert_parallel": {}}, {"sequence_parallel_size": 1, "data_parallel_size": 1}, {"quantize_training": {}},
    {"eigenvalue": {}}, {"sparse_attention": {"mode": "dense"}}, {"sparse_attention": {"mode": "fixed"}},
    {"sparse_attention": {"mode": "variable"}}, {"sparse_attention": {"mode": "bigbird"}},
    {"sparse_attention": {"mode": "bslongformer"}}, {"graph_harvesting": False}, {"compression_training": {}},
]
for config in PROBES:
    probe(config)

roots = {}
probe_config = ds_config.DeepSpeedConfig({"train_batch_size": 1})


def root(section, cls):
    if cls is not None:
        roots[section] = model(cls)


def find(path):
    module, _, name = path.rpartition(".")
    try:
        return getattr(__import__(module, fromlist=[name]), name)
    except (ImportError, AttributeError):
        return None


root("zero_optimization", type(probe_config.zero_config))
for section, paths in {
        "fp16": ["deepspeed.runtime.precision_config.DeepSpeedFP16Config"],
        "bf16": ["deepspeed.runtime.precision_config.DeepSpeedBF16Config"],
        "comms_logger": ["deepspeed.comm.config.CommsLoggerConfig"],
        "tensorboard": ["deepspeed.monitor.config.TensorBoardConfig"],
        "wandb": ["deepspeed.monitor.config.WandbConfig"],
        "csv_monitor": ["deepspeed.monitor.config.CSVConfig"],
        "comet": ["deepspeed.monitor.config.CometConfig"],
        "timers/throughput": ["deepspeed.utils.config.DeepSpeedThroughputTimerConfig"],
        "tensor_parallel": ["deepspeed.runtime.tensor_parallel.config.TPTrainingConfig"],
        "hybrid_engine": ["deepspeed.runtime.config.HybridEngineConfig"],
        "compile": ["deepspeed.compile.config.CompileConfig", "deepspeed.runtime.compiler.CompileConfig"],
        "weight_quantization": ["deepspeed.inference.config.WeightQuantConfig"],
}.items():
    for path in paths:
        if find(path) is not None:
            root(section, find(path))
            break



def signature(cls):
    """Keyword arguments of a class after self and the first (parameters or optimizer), and those without a default."""
    try:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[2:]
    except (TypeError, ValueError):
        return None
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return {"takes": [p.name for p in named], "needs": [p.name for p in named if p.default is p.empty],
            "more": any(p.kind == p.VAR_KEYWORD for p in parameters)}


signatures = {}
for path in ("deepspeed.ops.adam.FusedAdam", "deepspeed.ops.adam.DeepSpeedCPUAdam", "deepspeed.ops.lamb.FusedLamb", "deepspeed.ops.lion.FusedLion",
             "deepspeed.ops.lion.DeepSpeedCPULion", "deepspeed.ops.adagrad.DeepSpeedCPUAdagrad", "deepspeed.runtime.fp16.onebit.adam.OnebitAdam",
             "deepspeed.runtime.fp16.onebit.lamb.OnebitLamb", "deepspeed.runtime.fp16.onebit.zoadam.ZeroOneAdam"):
    if find(path) is not None:
        signatures[path.rpartition(".")[2]] = signature(find(path))
for name in ("LRRangeTest", "OneCycle", "WarmupLR", "WarmupDecayLR", "WarmupCosineLR"):
    if find("deepspeed.runtime.lr_schedules." + name) is not None:
        signatures[name] = signature(find("deepspeed.runtime.lr_schedules." + name))
for name in dir(torch.optim):
    if inspect.isclass(getattr(torch.optim, name)) and name != "Optimizer":
        signatures["torch.optim." + name] = signature(getattr(torch.optim, name))


def is_schedule(name):
    return ("LR" in name or name == "CosineAnnealingWarmRestarts") and not name.startswith("_")


for name in dir(torch.optim.lr_scheduler):
    if inspect.isclass(getattr(torch.optim.lr_scheduler, name)) and is_schedule(name):
        signatures["torch.lr_scheduler." + name] = signature(getattr(torch.optim.lr_scheduler, name))

facts = {
    "release": deepspeed.__version__.strip().split("+")[0],
    "pydantic": 2 if hasattr(DeepSpeedConfigModel, "model_config") else 1,
    "optimizers": list(ds_config.DEEPSPEED_OPTIMIZERS),
    "torchModules": sorted(n for n in dir(torch.nn) if inspect.isclass(getattr(torch.nn, n))),
    "torchOptimizers": sorted(n for n in dir(torch.optim) if inspect.isclass(getattr(torch.optim, n)) and n != "Optimizer"),
    "torchSchedulers": sorted(n for n in dir(torch.optim.lr_scheduler)
                              if inspect.isclass(getattr(torch.optim.lr_scheduler, n)) and is_schedule(n)),
    "signatures": {k: v for k, v in signatures.items() if v},
    "removedTop": list(getattr(ds_config, "_REMOVED_TOP_LEVEL_CONFIG_KEYS", {})),
    "removedZero": list(getattr(ds_config, "_REMOVED_ZERO_CONFIG_KEYS", {})),
    "gradientClippingDefault": probe_config.gradient_clipping,
    "defaults": dict(sorted(Watched.defaults.items())),
    "read": {path: sorted(keys) for path, keys in sorted(Watched.seen.items())},
    "sections": roots,
    "models": MODELS,
}
text = json.dumps(facts, indent=1)
real_stdout.write(re.sub(r"\[\s+((?:[^\[\]{}]|\s)*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text))
real_stdout.write("\n")
