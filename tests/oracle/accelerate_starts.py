#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `Accelerator().prepare()` makes of a ds_config file, and whether two steps of training come out of it, by running it.

    DS_ACCELERATOR=cpu accelerate_starts.py [--count 120] [--seed 1] > rows.jsonl

Needs accelerate, deepspeed, transformers and a C++ compiler. Each case runs in processes of its own, as many as it has ranks. A row holds
the file ("text"), "world", what only the script and the launch options know ("context", as `stagecraft check --context` takes it), and
"config" (what deepspeed.initialize is given) or "error"; "by" says who refuses: load (reading the file), accelerate, or deepspeed.
The rows in tests/data/launchers/accelerate_starts.jsonl were made with accelerate 1.15.0, deepspeed 0.19.8 and transformers 5.23.0.
"""
import argparse
import copy
import json
import os
import random
import sys
import tempfile
import traceback

os.environ.setdefault("DS_ACCELERATOR", "cpu")
HIDDEN = 16
# What `accelerate launch` hands over of its options (utils/launch.py, prepare_deepspeed_cmd_env).
OPTIONS = {"zero_stage": "DEEPSPEED_ZERO_STAGE", "gradient_accumulation_steps": "GRADIENT_ACCUMULATION_STEPS", "gradient_clipping": "GRADIENT_CLIPPING",
           "offload_optimizer_device": "DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE", "offload_param_device": "DEEPSPEED_OFFLOAD_PARAM_DEVICE",
           "zero3_save_16bit_model": "DEEPSPEED_ZERO3_SAVE_16BIT_MODEL", "mixed_precision": "MIXED_PRECISION"}


def finite(config):
    """Without accelerate's steps_per_print = inf, which is no JSON."""
    config = copy.deepcopy(config)
    config.pop("steps_per_print", None)
    return config


def train(path, context, heard):
    """One rank. `heard` takes what deepspeed.initialize is given."""
    import deepspeed
    import torch
    from accelerate import Accelerator, PartialState
    from accelerate.utils import DistributedType, DummyOptim, DummyScheduler

    arguments = context.get("trainer", {})
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        written = json.loads(text)
    except ValueError:
        written = {}
    heard["by"] = "load"
    json.loads(text)
    heard["by"] = "accelerate"
    # Without a GPU accelerate looks for no other ranks; these meet through gloo, as those of GPUs would through nccl.
    PartialState._prepare_backend = lambda *_, **__: ("gloo", DistributedType.MULTI_GPU)
    accelerator = Accelerator()

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.Linear(HIDDEN, 1)
            if "hidden_size" in context:
                self.config = type("Config", (), {"hidden_size": context["hidden_size"]})()

        def forward(self, x):
            return self.b(torch.relu(self.a(x)))

    model = Net()
    data = torch.utils.data.TensorDataset(torch.randn(64, HIDDEN))
    loader = torch.utils.data.DataLoader(data, batch_size=arguments.get("per_device_train_batch_size", 1))
    given = [model, loader]
    name = context.get("optimizer") or ("DummyOptim" if "optimizer" in written else "AdamW")
    rates = {key: arguments[field] for key, field in (("lr", "learning_rate"), ("weight_decay", "weight_decay")) if field in arguments}
    if name == "DummyOptim":
        optimizer = DummyOptim(model.parameters(), **rates)
    else:
        optimizer = getattr(torch.optim, name)(model.parameters(), **rates)
    given.append(optimizer)
    schedule = context.get("scheduler") or ("DummyScheduler" if "scheduler" in written else "")
    if schedule == "DummyScheduler":
        steps = {key: arguments[field] for key, field in (("total_num_steps", "max_steps"), ("warmup_num_steps", "warmup_steps")) if field in arguments}
        given.append(DummyScheduler(optimizer, **steps))
    elif schedule:
        given.append(torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0))
    real = deepspeed.initialize

    def initialize(**kwargs):
        heard["config"] = finite(kwargs["config_params"])
        heard["by"] = "deepspeed"
        return real(**kwargs)

    deepspeed.initialize = initialize
    model, loader = accelerator.prepare(*given)[:2]
    for index, (x,) in enumerate(loader):
        with accelerator.accumulate(model):
            half = next(model.parameters()).dtype
            accelerator.backward(model(x.to(half)).float().mean())
        if index + 1 == 2 * accelerator.gradient_accumulation_steps:
            break
    del heard["by"]


def rank_of(case, rank, port, out):
    """One rank in the forked process; what it heard goes to the file `out`."""
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(case["world"]), LOCAL_WORLD_SIZE=str(case["world"]), MASTER_ADDR="127.0.0.1",
                      MASTER_PORT=str(port), ACCELERATE_USE_DEEPSPEED="true", ACCELERATE_TORCH_DEVICE="cpu", ACCELERATE_DEEPSPEED_CONFIG_FILE=case["path"])
    for option, value in case["context"].get("trainer", {}).items():
        if option in OPTIONS:
            os.environ["ACCELERATE_" + OPTIONS[option]] = str(value).lower()
    heard = {}
    try:
        train(case["path"], case["context"], heard)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
        heard["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        if os.environ.get("TRACE"):
            traceback.print_exc()
    with open(out, "w") as file:
        json.dump(heard, file)


def run(case, port):
    with tempfile.TemporaryDirectory() as folder:
        case["path"] = os.path.join(folder, "ds.json")
        with open(case["path"], "w", encoding="utf-8") as file:
            file.write(case["text"])
        children = []
        for rank in range(case["world"]):
            child = os.fork()
            if child == 0:
                rank_of(case, rank, port, os.path.join(folder, str(rank)))
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        with open(os.path.join(folder, "0")) as file:
            return json.load(file)


AUTO = "auto"
ADAM = {"type": "AdamW", "params": {"lr": AUTO, "weight_decay": AUTO}}
WARMUP = {"type": "WarmupLR", "params": {"warmup_min_lr": AUTO, "warmup_max_lr": AUTO, "warmup_num_steps": AUTO}}
DECAY = {"type": "WarmupDecayLR", "params": {**WARMUP["params"], "total_num_steps": AUTO}}
BATCH = {"train_batch_size": AUTO, "train_micro_batch_size_per_gpu": AUTO, "gradient_accumulation_steps": AUTO}
ZERO = {"zero_optimization": {"stage": 2}}


def named():
    """Cases that each ask one thing."""
    base = {**BATCH, **ZERO}

    def case(name, config, world=1, **context):
        text = config if isinstance(config, str) else json.dumps(config)
        trainer = {key: context.pop(key) for key in list(context) if key not in ("optimizer", "scheduler", "hidden_size")}
        return {"name": name, "text": text, "world": world, "context": {"device": "cpu", **context, **({"trainer": trainer} if trainer else {})}}

    yield case("auto batch, no optimizer", base, per_device_train_batch_size=4)
    yield case("auto batch, nothing said", base)
    yield case("two ranks", base, world=2, per_device_train_batch_size=4, gradient_accumulation_steps=2)
    yield case("optimizer in the file", {**base, "optimizer": ADAM}, per_device_train_batch_size=4, learning_rate=1e-4, weight_decay=0.1)
    yield case("optimizer in the file, DummyOptim's defaults", {**base, "optimizer": ADAM})
    yield case("optimizer in the file and in the script", {**base, "optimizer": ADAM}, optimizer="AdamW")
    yield case("a whole optimizer in the file and in the script", {**base, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}}, optimizer="AdamW")
    yield case("DummyOptim, none in the file", base, optimizer="DummyOptim")
    yield case("betas are nobody's", {**base, "optimizer": {"type": "AdamW", "params": {"lr": AUTO, "betas": AUTO}}})
    yield case("eps is nobody's", {**base, "optimizer": {"type": "AdamW", "params": {"lr": AUTO, "eps": AUTO}}})
    yield case("warm-up", {**base, "optimizer": ADAM, "scheduler": WARMUP}, warmup_steps=10, learning_rate=1e-4)
    yield case("warm-up, DummyScheduler's defaults", {**base, "optimizer": ADAM, "scheduler": WARMUP})
    yield case("decay", {**base, "optimizer": ADAM, "scheduler": DECAY}, max_steps=101, warmup_steps=10)
    yield case("decay on two ranks", {**base, "optimizer": ADAM, "scheduler": DECAY}, world=2, max_steps=101, warmup_steps=10)
    yield case("decay without a total", {**base, "optimizer": ADAM, "scheduler": DECAY}, warmup_steps=10)
    yield case("scheduler in the file, optimizer in the script", {**base, "scheduler": WARMUP}, learning_rate=3e-4)
    yield case("scheduler in the file and in the script", {**base, "scheduler": WARMUP}, scheduler="LambdaLR")
    yield case("scheduler in the script alone", base, scheduler="LambdaLR")
    yield case("optimizer in the file, scheduler in the script", {**base, "optimizer": ADAM}, scheduler="LambdaLR")
    yield case("DummyScheduler, none in the file", base, scheduler="DummyScheduler")
    yield case("no zero_optimization", dict(BATCH))
    yield case("stage auto", {**BATCH, "zero_optimization": {"stage": AUTO}})
    yield case("stage auto and an option", {**BATCH, "zero_optimization": {"stage": AUTO}}, zero_stage=1)
    yield case("stage and another option", {**BATCH, "zero_optimization": {"stage": 1}}, zero_stage=2)
    yield case("clipping auto", {**base, "gradient_clipping": AUTO})
    yield case("clipping auto and an option", {**base, "gradient_clipping": AUTO}, gradient_clipping=0.5)
    yield case("clipping and another option", {**base, "gradient_clipping": 1.0}, gradient_clipping=0.5)
    yield case("accumulation differs from the Accelerator's", {**base, "gradient_accumulation_steps": 4}, gradient_accumulation_steps=2)
    yield case("accumulation missing", {"train_batch_size": AUTO, "train_micro_batch_size_per_gpu": AUTO, **ZERO}, gradient_accumulation_steps=2)
    yield case("micro missing, whole batch auto", {"train_batch_size": AUTO, **ZERO})
    yield case("micro missing, whole batch a number", {"train_batch_size": 4, "gradient_accumulation_steps": AUTO, **ZERO}, gradient_accumulation_steps=2)
    yield case("no batch at all", {**ZERO, "gradient_accumulation_steps": AUTO})
    yield case("micro auto alone", {"train_micro_batch_size_per_gpu": AUTO, **ZERO}, per_device_train_batch_size=4)
    yield case("micro a number, the loader's another", {**base, "train_micro_batch_size_per_gpu": 2}, per_device_train_batch_size=4)
    yield case("whole batch that fits", {**base, "train_batch_size": 8}, per_device_train_batch_size=4, gradient_accumulation_steps=2)
    yield case("whole batch that does not fit", {**base, "train_batch_size": 8}, per_device_train_batch_size=3)
    yield case("bf16 auto", {**base, "bf16": {"enabled": AUTO}})
    yield case("bf16 auto, mixed precision bf16", {**base, "bf16": {"enabled": AUTO}}, mixed_precision="bf16")
    yield case("bf16 in the file alone", {**base, "bf16": {"enabled": True}})
    yield case("no section, mixed precision bf16", base, mixed_precision="bf16")
    yield case("bf16 against fp16", {**base, "bf16": {"enabled": True}}, mixed_precision="fp16")
    yield case("bf16 in quotes against fp16", {**base, "bf16": {"enabled": "true"}}, mixed_precision="fp16")
    yield case("fp16 against bf16", {**base, "fp16": {"enabled": True}}, mixed_precision="bf16")
    yield case("fp16 off beside mixed precision bf16", {**base, "fp16": {"enabled": False}}, mixed_precision="bf16")
    yield case("bf16 off, mixed precision bf16", {**base, "bf16": {"enabled": False}}, mixed_precision="bf16")
    yield case("both auto", {**base, "bf16": {"enabled": AUTO}, "fp16": {"enabled": AUTO}}, mixed_precision="bf16")
    yield case("amp is nobody's", {**base, "amp": {"enabled": AUTO}})
    yield case("offload auto", {**BATCH, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": AUTO}}})
    yield case("offload auto and an option", {**BATCH, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": AUTO}}}, offload_optimizer_device="cpu")
    yield case("offload in the file, the script's own optimizer", {**BATCH, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}})
    yield case("the same with force off", {**BATCH, "zero_force_ds_cpu_optimizer": False, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}})
    yield case("gather auto", {**BATCH, "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": AUTO}})
    yield case("gather auto and an option", {**BATCH, "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": AUTO}}, zero3_save_16bit_model=True)
    sizes = {"reduce_bucket_size": AUTO, "stage3_prefetch_bucket_size": AUTO, "stage3_param_persistence_threshold": AUTO}
    yield case("sizes at stage 3", {**BATCH, "zero_optimization": {"stage": 3, **sizes}}, hidden_size=HIDDEN)
    yield case("sizes at stage 2", {**BATCH, "zero_optimization": {"stage": 2, **sizes}}, hidden_size=HIDDEN)
    yield case("sizes of a model without a config", {**BATCH, "zero_optimization": {"stage": 3, **sizes}})
    yield case("overlap_comm is nobody's", {**BATCH, "zero_optimization": {"stage": 2, "overlap_comm": AUTO}})
    yield case("allgather_bucket_size is nobody's", {**BATCH, "zero_optimization": {"stage": 2, "allgather_bucket_size": AUTO}})
    yield case("steps_per_print is nobody's", {**base, "steps_per_print": AUTO})
    yield case("a key nobody knows", {**base, "my_own": {"word": AUTO}})
    yield case("auto inside a list", {**base, "my_own": [AUTO]})
    yield case("communication_data_type is nobody's", {**base, "communication_data_type": AUTO})
    yield case("a comment", json.dumps(base)[:-1] + "\n // a note\n}")
    yield case("a trailing comma", json.dumps(base)[:-1] + ",}")
    yield case("a key twice", json.dumps(base)[:-1] + ', "gradient_accumulation_steps": 2}')
    yield case("a list", "[1]")
    yield case("Adagrad of the script, which DeepSpeed has not tested", base, optimizer="Adagrad")
    yield case("the rate misspelt", {**base, "optimizer": {"type": "AdamW", "params": {"learning_rate": AUTO}}})
    yield case("a type nobody has", {**base, "optimizer": {"type": "Foo", "params": {"lr": AUTO}}})


def drawn(rng):
    config, trainer, context = {}, {}, {"device": "cpu"}

    def maybe(into, key, *values, share=0.7):
        if rng.random() < share:
            into[key] = rng.choice(values)

    maybe(config, "train_batch_size", AUTO, AUTO, AUTO, 8)
    maybe(config, "train_micro_batch_size_per_gpu", AUTO, AUTO, AUTO, 4)
    maybe(config, "gradient_accumulation_steps", AUTO, AUTO, 2, 1)
    maybe(config, "gradient_clipping", AUTO, AUTO, 0.5)
    maybe(config, "bf16", {"enabled": AUTO}, {"enabled": False}, {"enabled": True}, share=0.3)
    if rng.random() < 0.5:
        params = {}
        for key, values in (("lr", [AUTO, AUTO, 1e-4]), ("weight_decay", [AUTO, 0.01]), ("betas", [[0.9, 0.99], [0.9, 0.99], AUTO]), ("eps", [1e-8, 1e-8, AUTO])):
            maybe(params, key, *values, share=0.5)
        config["optimizer"] = {"type": rng.choice(["AdamW", "Adam"]), "params": params}
    if rng.random() < 0.4:
        config["scheduler"] = copy.deepcopy(rng.choice([WARMUP, DECAY]))
    if rng.random() < 0.95:
        zero = {"stage": rng.choice([0, 1, 2, 3, AUTO])}
        for key in ("reduce_bucket_size", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"):
            maybe(zero, key, AUTO, 1000000, share=0.2)
        maybe(zero, "stage3_gather_16bit_weights_on_model_save", AUTO, True, share=0.2)
        maybe(zero, "offload_optimizer", {"device": AUTO}, {"device": "none"}, {"device": "cpu"}, share=0.2)
        maybe(zero, "overlap_comm", AUTO, False, share=0.1)
        config["zero_optimization"] = zero
    maybe(trainer, "per_device_train_batch_size", 1, 2, 4)
    maybe(trainer, "gradient_accumulation_steps", 1, 2, share=0.4)
    maybe(trainer, "learning_rate", 1e-3, 2e-5, share=0.4)
    maybe(trainer, "weight_decay", 0.0, 0.1, share=0.3)
    maybe(trainer, "warmup_steps", 0, 1, 5, share=0.5)
    maybe(trainer, "max_steps", 100, share=0.8 if "scheduler" in config else 0.1)
    maybe(trainer, "mixed_precision", "no", "bf16", "bf16", "fp16", share=0.3)
    maybe(trainer, "zero_stage", 1, 3, share=0.2)
    maybe(trainer, "gradient_clipping", 0.25, share=0.2)
    maybe(trainer, "offload_optimizer_device", "cpu", "none", share=0.2)
    maybe(context, "hidden_size", HIDDEN, share=0.8)
    maybe(context, "optimizer", "AdamW", "DummyOptim", "Adagrad", share=0.1)
    maybe(context, "scheduler", "LambdaLR", "DummyScheduler", share=0.1)
    if trainer:
        context["trainer"] = trainer
    return {"name": "drawn", "text": json.dumps(config), "world": rng.choice([1, 1, 2]), "context": context}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=120, help="drawn cases, beside the named ones")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="")
    options = options.parse_args()
    rng = random.Random(options.seed)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the libraries print to stdout
    # What every case would import by itself, seconds each: once, before the processes part.
    import accelerate  # noqa: F401
    import deepspeed.ops.adam  # noqa: F401
    import deepspeed.runtime.zero.muon.muon_optimizer  # noqa: F401
    import torch
    import torch._dynamo  # noqa: F401
    import torch._inductor.compile_fx  # noqa: F401
    import transformers.integrations.deepspeed  # noqa: F401

    torch.set_num_threads(1)
    cases = list(named()) + [drawn(rng) for _ in range(options.count)]
    for index, case in enumerate(cases):
        if options.only in case["name"]:
            answer = run(case, 29600 + index)
            print(json.dumps({"id": index, **{key: case[key] for key in ("name", "text", "world", "context")}, **answer}), file=out, flush=True)


if __name__ == "__main__":
    sys.exit(main())
