#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a real DeepSpeed release makes of configs: the yardstick `stagecraft check` is held to.

Run by hand, with the release importable, never by CI (which replays the rows kept in tests/data/verdicts):

    DS_ACCELERATOR=cpu python deepspeed_verdicts.py [--engine] < cases.jsonl > answers.jsonl

A case is {"id", "text", "world": 1, "context": {...}}; an answer {"id", "verdict", "level", "parse_verdict", "resolved",
"ignored", "changed", "error"}. Loading and parsing run for any world size in one process (deepspeed.comm is told the rank
count). With --engine each config that parses with one rank also runs deepspeed.initialize and two optimizer steps of a tiny
model on gloo, in a child process of its own. On a CPU the context's device "cuda" is imitated: fp16 counts as supported, and on the device "cpu" as not.
With TORCH_EXTENSIONS_DIR set CPU Adam is compiled there and runs, which ZenFlow's overlap_step needs; the other ops are imitated always.
It cannot tell what needs MoE layers, calls that gloo does not have, or a large model: a threshold of stage 3 for small modules is held to none here.
"""
import argparse
import copy
import importlib
import inspect
import json
import logging
import os
import signal
import sys
import tempfile
import traceback

os.environ.setdefault("DS_ACCELERATOR", "cpu")
real_stdout = os.dup(1)
os.dup2(2, 1)
logging.disable(logging.WARNING)

import hjson  # noqa: E402
import torch  # noqa: E402
import deepspeed  # noqa: E402
from deepspeed.runtime import config as ds_config  # noqa: E402
from deepspeed.runtime.config_utils import dict_raise_error_on_duplicate_keys  # noqa: E402

VERSION = tuple(int(p) for p in deepspeed.__version__.strip().split("+")[0].split(".")[:3])
PYDANTIC = {"fp16": "float16_config", "bf16": "bfloat16_config", "zero_optimization": "zero_config",
            "tensor_parallel": "tensor_parallel_config", "hybrid_engine": "hybrid_engine", "compile": "compile_config"}
MONITORS = ("tensorboard", "wandb", "csv_monitor", "comet")


class Watched(dict):
    """Notes which keys are looked up."""

    def __init__(self, content, path, seen):
        super().__init__()
        self.path, self.seen = path, seen
        for key, value in content.items():
            dict.__setitem__(self, key, Watched(value, f"{path}/{token(key)}", seen) if isinstance(value, dict) else value)

    def note(self, key):
        self.seen.add(f"{self.path}/{token(key)}")

    def get(self, key, default=None):
        self.note(key)
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
        owner = self

        class Keys:
            def __contains__(self, key):
                return key in owner

            def __iter__(self):
                for key in dict.keys(owner):
                    owner.note(key)
                    yield key

            def __len__(self):
                return len(owner)

        return Keys()

    def items(self):
        for key in dict.keys(self):
            self.note(key)
        return dict.items(self)

    def __copy__(self):
        twin = Watched({}, self.path, self.seen)
        dict.update(twin, self)
        return twin

    def __deepcopy__(self, memo):
        return {k: copy.deepcopy(v, memo) for k, v in dict.items(self)}


def token(key):
    """A key as a JSON Pointer spells it."""
    return str(key).replace("~", "~0").replace("/", "~1")


def leaves(value, path=""):
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, f"{path}/{key}")
    else:
        yield path, value


def every(value, path=""):
    if isinstance(value, dict):
        for key, item in value.items():
            at = f"{path}/{token(key)}"
            yield at
            yield from every(item, at)


def plain(value):
    if hasattr(value, "model_dump") or hasattr(value, "__fields__"):
        return "<object>"
    if isinstance(value, tuple):
        return list(value)  # JSON has no other word for it
    if isinstance(value, (str, int, float, bool, list, dict)) or value is None:
        return value
    return str(value)


def changed_values(document, config):
    """Leaves of pydantic sections whose value is another one in the config object."""
    changed = {}
    for path, value in leaves(document):
        keys = path.split("/")[1:]
        if keys[0] == "bfloat16" and "bf16" in document:
            continue  # the old name is not read beside the new one
        section = "bf16" if keys[0] == "bfloat16" else keys[0]
        node = getattr(config, PYDANTIC[section], None) if section in PYDANTIC else None
        if section in MONITORS:
            node = getattr(config.monitor_config, section, None)
        if node is None or len(keys) < 2:
            continue
        try:
            for key in keys[1:]:
                fields = type(node).model_fields if hasattr(type(node), "model_fields") else type(node).__fields__
                name = next((n for n, f in fields.items() if n == key or f.alias == key), key)
                node = getattr(node, name)
        except AttributeError:
            continue
        node = getattr(node, "value", node)
        if plain(node) != value and plain(node) != "<object>":
            changed[path] = plain(node)
    return changed


class FakeWorld:
    def __init__(self, world):
        self.world = world

    def __enter__(self):
        self.old = (ds_config.dist.get_world_size, ds_config.dist.get_rank)
        ds_config.dist.get_world_size = lambda group=None: self.world if group is None else group.size
        ds_config.dist.get_rank = lambda group=None: 0

    def __exit__(self, *_):
        ds_config.dist.get_world_size, ds_config.dist.get_rank = self.old


class Mesh:
    """The device mesh deepspeed.initialize makes, before it reads the config, of the two sizes in it."""

    def __init__(self, size):
        self.size = size

    def get_group(self, mesh_dim=None):
        return self


def mesh_arguments(document, pipeline):
    sizes = [document.get(key) for key in ("data_parallel_size", "sequence_parallel_size")]
    if pipeline or not all(isinstance(size, int) for size in sizes) or "mesh_device" not in inspect.signature(ds_config.DeepSpeedConfig).parameters:
        return {}
    return {"mesh_device": Mesh(sizes[0])}


def failure(level, problem, answer):
    answer.update(verdict="error", level=level, error=f"{type(problem).__name__}: {str(problem)[:300]}")
    return answer


def judge(case):
    answer = {"id": case["id"], "verdict": "ok", "level": None, "parse_verdict": "error", "resolved": None, "ignored": [], "changed": {}}
    with tempfile.NamedTemporaryFile("wb", suffix=".json") as file:
        file.write(case["text"].encode("utf-8", "surrogateescape"))
        file.flush()
        try:
            with open(file.name) as stream:
                document = hjson.load(stream, object_pairs_hook=dict_raise_error_on_duplicate_keys)
        except Exception as problem:
            return failure("load", problem, answer), None
    seen = set()
    try:
        watched = Watched(document, "", seen) if isinstance(document, dict) else document
        with FakeWorld(case.get("world", 1)):
            if isinstance(watched, dict):
                pipeline = case.get("pipeline") or (case.get("context") or {}).get("pipeline_model")
                config = ds_config.DeepSpeedConfig(watched, **mesh_arguments(watched, pipeline))
            else:
                config = ds_config.DeepSpeedConfig(document)
    except Exception as problem:
        return failure("parse", problem, answer), None
    answer["parse_verdict"] = "ok"
    answer["resolved"] = {"train_batch_size": config.train_batch_size, "micro": config.train_micro_batch_size_per_gpu,
                          "gas": config.gradient_accumulation_steps}
    pydantic = tuple(f"/{s}" for s in list(PYDANTIC) + list(MONITORS) + ["bfloat16", "comms_logger", "timers", "weight_quantization"]
                     if s not in ("bf16", "bfloat16") or hasattr(config, "bfloat16_config"))  # older releases look their keys up
    answer["ignored"] = [p for p in every(document) if p not in seen and not any(p.startswith(s + "/") for s in pydantic)
                         and not p.startswith(("/optimizer/params/", "/scheduler/params/", "/amp/", "/curriculum_learning/", "/progressive_layer_drop/",
                                                "/compression_training/", "/autotuning/arg_mappings/", "/datastates_ckpt/", "/optimizer/legacy_fusion/",
                                                "/data_efficiency/data_sampling/curriculum_learning/curriculum_metrics/",
                                                "/data_efficiency/data_routing/random_ltd/random_ltd_schedule/",
                                                "/data_efficiency/data_routing/random_ltd/layer_token_lr_schedule/"))
                         and p != "/data_efficiency/data_sampling/curriculum_learning/curriculum_metrics"]
    answer["changed"] = changed_values(document, config)
    return answer, document


class OnHost:
    """torch for code that names a CUDA device itself."""

    def __init__(self, real):
        self.real = real

    def __getattr__(self, name):
        found = getattr(self.real, name)
        if name not in ("zeros", "tensor", "empty"):
            return found
        return lambda *a, **k: found(*a, **{key: value for key, value in k.items() if key != "device" or value != "cuda"})


def imitate(context):
    """Makes this process look like the context's device and stops compiled parts from being needed."""
    accelerator = deepspeed.get_accelerator()
    # a CPU stands for one without fp16, which most are
    accelerator.is_fp16_supported = lambda: context.get("device", "cuda") == "cuda"
    if context.get("device", "cuda") == "cuda":
        accelerator.supported_dtypes = lambda: [torch.float, torch.half, torch.bfloat16]

    torch_backend = sys.modules.get("deepspeed.comm.torch")  # as an attribute, deepspeed.comm.torch may be torch itself
    if hasattr(torch_backend, "build_shm_op"):
        torch_backend.build_shm_op = lambda *a, **k: None  # only speeds one host up; building it takes longer than the case

    # a CPU's is a number in a text before 0.17, which torch takes for no device
    accelerator.current_device = lambda: "cpu"
    pieces = getattr(importlib.import_module("deepspeed.runtime.zero.parameter_offload"), "DeepSpeedZeRoOffload")
    if hasattr(pieces, "_get_granularity_recursively"):
        ask = pieces._get_granularity_recursively

        def asLarge(self, module):
            """Stage 3's models have more than 1e9 parameters, which no threshold below sys.maxsize takes for a small piece."""
            found = ask(self, module)
            module.ds_model_granularity = sys.maxsize
            return found

        pieces._get_granularity_recursively = asLarge

    import deepspeed.ops.adam.cpu_adam as cpu_adam
    import deepspeed.ops.adam.fused_adam as fused_adam
    import deepspeed.ops.adagrad.cpu_adagrad as cpu_adagrad
    import deepspeed.ops.lion.cpu_lion as cpu_lion

    def loader(cls):
        builder = type("Builder", (), {"load": lambda self, *a, **k: Kernel(), "is_compatible": lambda self, *a, **k: True})
        return builder

    class Kernel:
        """Stands for a compiled op: takes its numbers as C++ would and changes nothing."""

        def check(self, *numbers):
            for number in numbers:
                if isinstance(number, bool):
                    continue
                if not isinstance(number, (int, float)):
                    raise TypeError(f"incompatible function arguments: {number!r}")

        def switch(self, value):
            if isinstance(value, (str, list, dict)):
                raise TypeError(f"incompatible function arguments: {value!r}")

        def create_adam(self, opt_id, lr, beta1, beta2, eps, weight_decay, adamw, log):
            self.check(lr, beta1, beta2, eps, weight_decay)

        def create_adagrad(self, opt_id, lr, eps, weight_decay, log):
            self.check(lr, eps, weight_decay)

        def create_lion(self, opt_id, lr, beta1, beta2, weight_decay, log):
            self.check(lr, beta1, beta2, weight_decay)

        def adam_update(self, opt_id, step, lr, beta1, beta2, eps, weight_decay, bias, *tensors):
            self.check(lr, beta1, beta2, eps, weight_decay)
            self.switch(bias)

        def adagrad_update(self, opt_id, step, lr, eps, weight_decay, *tensors):
            self.check(lr, eps, weight_decay)

        def lion_update(self, opt_id, step, lr, beta1, beta2, weight_decay, *tensors):
            self.check(lr, beta1, beta2, weight_decay)

        def multi_tensor_adam(self, chunk, flag, tensors, lr, beta1, beta2, eps, step, mode, bias, decay, *rest):
            self.check(lr, beta1, beta2, eps, decay)

        def __getattr__(self, name):
            return lambda *a, **k: None

    compiled = (cpu_adam,) if "TORCH_EXTENSIONS_DIR" in os.environ else ()
    for module in {cpu_adam, fused_adam, cpu_adagrad, cpu_lion}.difference(compiled):
        for name in list(vars(module)):
            if name.endswith("Builder"):
                setattr(module, name, loader(name))
    if context.get("device", "cuda") == "cuda":
        import deepspeed.ops.lamb.fused_lamb as fused_lamb
        import deepspeed.ops.lion.fused_lion as fused_lion
        for module in (fused_lamb, fused_lion):
            for name in list(vars(module)):
                if name.endswith("Builder"):
                    setattr(module, name, loader(name))
    try:
        import deepspeed.runtime.zenflow.engine_stage3 as zenflow
        zenflow.torch = OnHost(torch)
    except ImportError:  # releases without ZenFlow
        pass
    # applies kernels through a helper that would need a C++ op
    for module in (fused_adam,):
        if hasattr(module, "multi_tensor_applier"):
            module.multi_tensor_applier = lambda op, flag, tensors, *args: op(0, flag, tensors, *args)


def run_engine(case, document, rank=0, ranks=1, folder=None):
    """deepspeed.initialize and two optimizer steps in this process. @param folder  the same for all ranks"""
    context = case.get("context") or {}
    imitate(context)
    # what DeepSpeed's own launcher sets
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", CROSS_RANK="0", CROSS_SIZE="1", LOCAL_SIZE=str(ranks))
    torch._dynamo.config.disable = True  # Muon compiles its step, which takes longer than the case
    folder = folder or tempfile.mkdtemp()
    os.chdir(folder)
    store = torch.distributed.FileStore(os.path.join(folder, "store"), ranks)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=ranks)
    deepspeed.init_distributed("gloo", auto_mpi_discovery=False, verbose=False)
    width = 16

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(width, width)
            self.second = torch.nn.Linear(width, width)
            self.scale = torch.nn.Parameter(torch.ones(width))  # the hybrid engine freezes linear layers; a real model has others

        def forward(self, x, **unused):  # DeepSpeed adds arguments, such as curriculum_seqlen
            return (self.second(torch.relu(self.first(x))) * self.scale).float().pow(2).mean()

    net = Net()
    if case.get("context", {}).get("pipeline_model") or case.get("pipeline"):
        from deepspeed.pipe import PipelineModule
        net = PipelineModule(layers=[torch.nn.Linear(width, width), torch.nn.Linear(width, width)], num_stages=1,
                             loss_fn=lambda out, label: (out.float() - label.float()).pow(2).mean())
    arguments = {}
    client = context.get("optimizer")
    if client:
        known = {"DeepSpeedCPUAdam": "deepspeed.ops.adam", "FusedAdam": "deepspeed.ops.adam", "DeepSpeedCPULion": "deepspeed.ops.lion"}
        cls = getattr(__import__(known[client], fromlist=[client]), client) if client in known else getattr(torch.optim, client)
        arguments["optimizer"] = cls(net.parameters(), lr=1e-3)
    if context.get("scheduler"):
        arguments["lr_scheduler"] = torch.optim.lr_scheduler.ConstantLR(arguments["optimizer"])
    engine, *_ = deepspeed.initialize(model=net, model_parameters=None if client else list(net.parameters()), config=document, **arguments)
    dtype = torch.float32
    if engine.fp16_enabled():
        dtype = torch.float16
    elif engine.bfloat16_enabled():
        dtype = torch.bfloat16
    micro = int(engine.train_micro_batch_size_per_gpu())
    micro = micro if micro < 64 else 64
    if hasattr(engine, "train_batch") and engine.pipeline_parallelism:
        def batches():
            while True:
                yield torch.randn(micro, width, dtype=dtype), torch.randn(micro, width, dtype=dtype)
        for _ in range(2):
            engine.train_batch(batches())
        return
    steps = max(1, int(engine.gradient_accumulation_steps()))  # ZenFlow makes 0 or less of it
    if steps > 64:
        steps = 64
        engine.set_gradient_accumulation_steps(steps) if hasattr(engine, "set_gradient_accumulation_steps") else None
    for _ in range(2 * steps):
        loss = engine(torch.randn(micro, width, dtype=dtype))
        engine.backward(loss)
        engine.step()


def outcome(case, document, *where):
    """"ok", or what the engine raised and where."""
    try:
        run_engine(case, document, *where)
        return "ok"
    except BaseException as problem:
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        return f"{type(problem).__name__}: {str(problem)[:300]} ({os.path.basename(frame.filename)}:{frame.lineno})"


def in_child(case, document, answer, seconds):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.setpgid(0, 0)
        signal.alarm(seconds)
        os.write(write, outcome(case, document).encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    try:
        os.killpg(child, signal.SIGKILL)  # ZenFlow's optimizer is a process of its own, which would hold the pipe open
    except ProcessLookupError:
        pass
    text = b""
    while chunk := os.read(read, 4096):
        text += chunk
    os.close(read)
    text = text.decode() or "crashed or timed out"
    if text != "ok":
        pipe = case.get("pipeline") or (case.get("context") or {}).get("pipeline_model")
        answer.update(verdict="error", level="pipe" if pipe else "engine", error=text)


def import_what_engines_need(seconds):
    """Imports here what a first engine would import in its child, so that each child starts with it: seconds saved a case."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(seconds)
        known = set(sys.modules)
        case = {"id": "first", "text": json.dumps({"train_batch_size": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 3}})}
        try:
            run_engine(case, json.loads(case["text"]))
        except BaseException as problem:
            print("the first engine failed:", problem, file=sys.stderr)
        names = "\n".join(name for name in sys.modules if name not in known)
        with os.fdopen(write, "w") as out:
            out.write(names)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as names:
        for name in names.read().split("\n"):
            try:
                importlib.import_module(name)
            except Exception:  # a name that only existed inside the child
                pass
    os.waitpid(child, 0)


def answer_lines(answer_for, always_engine=True):
    """Answers the cases of the standard input, one JSON object a line, as the command line says.

    @param answer_for  takes a case and the seconds its engine may take, 0 = build none
    @param always_engine  engines are built without --engine too
    """
    parser = argparse.ArgumentParser()
    if not always_engine:
        parser.add_argument("--engine", action="store_true")
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    seconds = options.seconds if always_engine or options.engine else 0
    torch.set_num_threads(1)
    if seconds:
        import_what_engines_need(4 * seconds)  # once, for all of them
    with os.fdopen(real_stdout, "w") as out:
        for line in sys.stdin:
            out.write(json.dumps(answer_for(json.loads(line), seconds), default=str) + "\n")
            out.flush()


def answer_one(case, seconds):
    answer, document = judge(case)
    if seconds and document is not None and case.get("world", 1) == 1:
        in_child(case, document, answer, seconds)
    return answer


if __name__ == "__main__":
    answer_lines(answer_one, always_engine=False)
