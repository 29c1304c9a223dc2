#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What transformers and accelerate make of a ds_config before DeepSpeed sees it, by running their own classes.

    launcher_configs.py trainer [--count 200] [--seed 1] > rows.jsonl
    launcher_configs.py accelerate [--count 60] [--seed 1] > rows.jsonl
    launcher_configs.py read-accelerate FILE.yaml      the ds_config of one accelerate file

Needs transformers, accelerate and deepspeed. A row holds the input, and "config" (what DeepSpeed gets) or "error".
The rows in tests/data/launchers were made with transformers 5.23.0, accelerate 1.15.0 and deepspeed 0.19.8.
"""
import argparse
import copy
import json
import os
import random
import sys
import types

os.environ.setdefault("ACCELERATE_USE_CPU", "true")
os.environ.setdefault("DS_ACCELERATOR", "cpu")

DEFAULTS = dict(per_device_train_batch_size=8, gradient_accumulation_steps=1, max_grad_norm=1.0, learning_rate=5e-5, adam_beta1=0.9, adam_beta2=0.999,
                adam_epsilon=1e-8, weight_decay=0.0, save_on_each_node=False, fp16=False, fp16_full_eval=False, bf16=False, bf16_full_eval=False,
                max_steps=-1, warmup_steps=0)


def finite(config):
    """Without accelerate's steps_per_print = inf, which is no JSON."""
    config = copy.deepcopy(config)
    if config.get("steps_per_print") == float("inf"):
        del config["steps_per_print"]
    return config


def by_trainer(config, arguments, world, hidden):
    """What the Trainer hands to DeepSpeed. @error ValueError where it refuses the file"""
    from accelerate.utils import DeepSpeedPlugin
    from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig
    from transformers.training_args import TrainingArguments

    args = types.SimpleNamespace(**{**DEFAULTS, **arguments}, world_size=world)
    args.get_warmup_steps = types.MethodType(TrainingArguments.get_warmup_steps, args)
    if args.fp16 and args.bf16:
        raise ValueError("At most one of fp16 and bf16 can be True, but not both")  # TrainingArguments.__post_init__
    model = types.SimpleNamespace(config=types.SimpleNamespace(**({"hidden_size": hidden} if hidden else {})))
    filled = HfTrainerDeepSpeedConfig(config)
    filled.trainer_config_process(args)
    plugin = DeepSpeedPlugin(hf_ds_config=filled)
    plugin.set_mixed_precision("bf16" if args.bf16 else "fp16" if args.fp16 else "no")
    # Without max_steps the number of steps comes from the data, which no row has: 777 stands for it.
    filled.trainer_config_finalize(args, model, args.max_steps if args.max_steps > 0 else 777)
    return finite(plugin.deepspeed_config)


def trainer_row(config, arguments, world, hidden):
    row = {"text": json.dumps(config), "world": world, "context": {"trainer": arguments, **({"hidden_size": hidden} if hidden else {})}}
    try:
        row["config"] = by_trainer(config, arguments, world, hidden)
    except ValueError as error:
        row["error"] = str(error).splitlines()
    return row


def trainer_case(rng):
    config = {}

    def maybe(key, *values, share=0.7):
        if rng.random() < share:
            config[key] = rng.choice(values)

    auto = "auto"
    maybe("train_batch_size", auto, auto, auto, 32)
    maybe("train_micro_batch_size_per_gpu", auto, auto, auto, 4)
    maybe("gradient_accumulation_steps", auto, auto, auto, 2)
    maybe("gradient_clipping", auto, auto, 1.0, 0.5)
    for precision in ("bf16", "fp16"):
        maybe(precision, {"enabled": auto}, {"enabled": auto}, {"enabled": False}, {"enabled": True}, share=0.5)
    if rng.random() < 0.6:
        params = {}
        for key, value in (("lr", 2e-5), ("betas", [0.9, 0.999]), ("eps", 1e-8), ("weight_decay", 0.0)):
            if rng.random() < 0.8:
                params[key] = rng.choice([auto, auto, auto, value])
        config["optimizer"] = {"type": "AdamW", "params": params}
    if rng.random() < 0.6:
        params = {}
        for key, value in (("warmup_min_lr", 0), ("warmup_max_lr", 2e-5), ("warmup_num_steps", 100), ("total_num_steps", 1000)):
            if rng.random() < 0.8:
                params[key] = rng.choice([auto, auto, auto, value])
        config["scheduler"] = {"type": "WarmupDecayLR", "params": params}
    if rng.random() < 0.95:
        stage = rng.choice([0, 1, 2, 3, 3, auto])
        zero = {"stage": stage}
        for key in ("reduce_bucket_size", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"):
            if rng.random() < 0.5:
                zero[key] = rng.choice([auto, auto, 1000000])
        if rng.random() < 0.3:
            zero["stage3_gather_16bit_weights_on_model_save"] = rng.choice([auto, True])
        if rng.random() < 0.3:
            zero["offload_optimizer"] = {"device": rng.choice([auto, "none", "cpu"]), "pin_memory": True}
        config["zero_optimization"] = zero
    arguments = {}
    for key, values in (("per_device_train_batch_size", [1, 4, 8]), ("gradient_accumulation_steps", [1, 2, 4]), ("learning_rate", [2e-5, 1e-4]), ("weight_decay", [0.0, 0.1]),
                        ("adam_beta2", [0.95, 0.999]), ("adam_epsilon", [1e-8, 1e-6]), ("max_grad_norm", [1.0, 0.5]), ("max_steps", [1000, 1000, -1]),
                        ("warmup_steps", [0, 100, 0.1, 0.03]), ("bf16", [True, False]), ("fp16", [False, False, True])):
        if rng.random() < 0.6:
            arguments[key] = rng.choice(values)
    if arguments.get("bf16") and arguments.get("fp16"):
        del arguments["fp16"]
    params = config.get("scheduler", {}).get("params", {})
    if arguments.get("max_steps", -1) <= 0 and "total_num_steps" in params:
        params["total_num_steps"] = auto
    return config, arguments, rng.choice([1, 2, 4, 8]), rng.choice([64, 1000, 4096])


def read_accelerate(path):
    """The ds_config that `accelerate launch --config_file path` leads to, and the number of ranks."""
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.utils import DeepSpeedPlugin

    defaults = load_config_from_file(path)
    fields = dict(defaults.deepspeed_config)
    names = list(fields)
    if defaults.mixed_precision is not None:
        names.append("mixed_precision")
    for key in [key for key in os.environ if key.startswith("ACCELERATE_") and key != "ACCELERATE_USE_CPU"]:
        del os.environ[key]
    os.environ["ACCELERATE_CONFIG_DS_FIELDS"] = ",".join(names).lower()
    for key, variable in (("zero_stage", "DEEPSPEED_ZERO_STAGE"), ("gradient_accumulation_steps", "GRADIENT_ACCUMULATION_STEPS"), ("gradient_clipping", "GRADIENT_CLIPPING"),
                          ("offload_optimizer_device", "DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE"), ("offload_param_device", "DEEPSPEED_OFFLOAD_PARAM_DEVICE"),
                          ("zero3_init_flag", "DEEPSPEED_ZERO3_INIT"), ("zero3_save_16bit_model", "DEEPSPEED_ZERO3_SAVE_16BIT_MODEL"),
                          ("offload_optimizer_nvme_path", "DEEPSPEED_OFFLOAD_OPTIMIZER_NVME_PATH"), ("offload_param_nvme_path", "DEEPSPEED_OFFLOAD_PARAM_NVME_PATH"),
                          ("deepspeed_config_file", "DEEPSPEED_CONFIG_FILE")):
        if fields.get(key) is not None:
            value = str(fields[key])
            os.environ["ACCELERATE_" + variable] = value if key.endswith(("path", "file")) else value.lower()
    plugin = DeepSpeedPlugin()
    precision = (defaults.mixed_precision or "no").lower()
    plugin.set_mixed_precision(precision)
    config = finite(plugin.deepspeed_config)
    for block in ("offload_optimizer", "offload_param"):  # nvme_path: None is the same as none given
        section = config.get("zero_optimization", {}).get(block, {})
        if section.get("nvme_path", 0) is None:
            del section["nvme_path"]
    return config, defaults.num_processes


def accelerate_case(rng):
    import yaml

    fields = {}
    for key, values in (("zero_stage", [0, 1, 2, 3]), ("gradient_accumulation_steps", [1, 4, "auto"]), ("gradient_clipping", [1.0, 0.5, "auto", 0.0]),
                        ("offload_optimizer_device", ["none", "cpu", "nvme"]), ("offload_param_device", ["none", "cpu", "nvme"]),
                        ("zero3_init_flag", [True, False]), ("zero3_save_16bit_model", [True, False])):
        if rng.random() < 0.8:
            fields[key] = rng.choice(values)
    for what in ("optimizer", "param"):
        if fields.get(f"offload_{what}_device") == "nvme" and rng.random() < 0.8:
            fields[f"offload_{what}_nvme_path"] = "/local_nvme"
    root = {"compute_environment": "LOCAL_MACHINE", "distributed_type": "DEEPSPEED", "num_machines": rng.choice([1, 2]), "num_processes": rng.choice([2, 8, 16]), "deepspeed_config": fields}
    if rng.random() < 0.8:
        root["mixed_precision"] = rng.choice(["no", "bf16", "fp16"])
    return yaml.safe_dump(root)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("what", choices=["trainer", "accelerate", "read-accelerate"])
    options.add_argument("file", nargs="?")
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    rng = random.Random(options.seed)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the libraries print to stdout
    if options.what == "read-accelerate":
        print(json.dumps(read_accelerate(options.file)[0]), file=out)
        return
    for index in range(options.count):
        if options.what == "trainer":
            row = trainer_row(*trainer_case(rng))
        else:
            text = accelerate_case(rng)
            path = f"/tmp/launcher_configs_{os.getpid()}.yaml"
            with open(path, "w") as file:
                file.write(text)
            config, ranks = read_accelerate(path)
            os.unlink(path)
            row = {"text": text, "config": config, "ranks": ranks}
        print(json.dumps({"id": index, **row}), file=out)


if __name__ == "__main__":
    sys.exit(main())
