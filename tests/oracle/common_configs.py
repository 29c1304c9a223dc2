#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints configs built the way public projects build theirs, one JSON case a line.

    common_configs.py --count 300 --seed 1 [--mistakes 0.5] > cases.jsonl

Each case picks a project style (Trainer preset, RLHF trainer, Megatron job, tutorial, benchmark, notebook ...), fills its
sections in one of the ways seen there, and with the given probability adds one mistake people make. The same seed gives
the same cases. generate_configs.py mutates values at random instead; together they cover both kinds of unseen config.
"""
import argparse
import copy
import json
import random

from common_sections import A, EXTRAS, any_zero, batch, hybrid, optimizer, precision, scheduler, trimmings, zero2, zero3


def trainer(r):
    config = {}
    precision(r, config)
    if r.random() < 0.7:
        config["optimizer"] = optimizer(r, True)
    if r.random() < 0.6:
        config["scheduler"] = scheduler(r, True)
    config["zero_optimization"] = r.choice([zero2, zero3])(r)
    config.update({"gradient_accumulation_steps": A, "gradient_clipping": A, "steps_per_print": 2000, "train_batch_size": A, "train_micro_batch_size_per_gpu": A, "wall_clock_breakdown": False})
    return config


def filled_trainer(r):
    config = trainer(r)
    config.update({"train_batch_size": 32, "gradient_accumulation_steps": 4, "train_micro_batch_size_per_gpu": 8, "gradient_clipping": 1.0})
    if r.random() < 0.6:
        for key in ("optimizer", "scheduler"):
            config.pop(key, None)
        if r.random() < 0.8:
            config["optimizer"] = optimizer(r, False)
    return config


def rlhf(r):
    stage = r.choice([0, 2, 3])
    device = r.choice(["cpu", "none"])
    zero = {"stage": stage, "offload_param": {"device": device}, "offload_optimizer": {"device": r.choice(["cpu", "none"]), "pin_memory": True}, "sub_group_size": A, "stage3_max_live_parameters": A,
            "stage3_max_reuse_distance": A, "stage3_param_persistence_threshold": A, "stage3_prefetch_bucket_size": A, "reduce_bucket_size": A, "zero_hpz_partition_size": r.choice([1, 8]),
            "zero_quantized_weights": False, "zero_quantized_gradients": False}
    config = {"steps_per_print": 100, "zero_optimization": zero, "bf16": {"enabled": True}, "gradient_clipping": 1.0, "prescale_gradients": False, "wall_clock_breakdown": False,
              "data_types": {"grad_accum_dtype": r.choice(["fp32", None, "bf16"])}, "checkpoint": {"load_universal": False}, "compile": {"deepcompile": False}, "tensor_parallel": {"autotp_size": 1},
              "train_micro_batch_size_per_gpu": 2, "train_batch_size": 16}
    for key in ("checkpoint", "compile", "tensor_parallel", "data_types"):
        if r.random() < 0.4:
            config.pop(key)
    return config


def chat(r):
    device = r.choice(["cpu", "none"])
    config = {"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "steps_per_print": 10,
              "zero_optimization": {"stage": r.choice([0, 2, 3]), "overlap_comm": True, "offload_param": {"device": device}, "offload_optimizer": {"device": device},
                                    "stage3_param_persistence_threshold": 1e4, "stage3_max_live_parameters": 3e7, "stage3_prefetch_bucket_size": 3e7, "memory_efficient_linear": False},
              "gradient_clipping": 1.0, "prescale_gradients": False, "wall_clock_breakdown": False}
    config[r.choice(["fp16", "bf16"])] = {"enabled": True}
    if "fp16" in config:
        config["fp16"]["loss_scale_window"] = 100
    hybrid(r, config)
    if r.random() < 0.5:
        config["tensorboard"] = {"enabled": False, "output_path": "step1_tensorboard/ds_tensorboard_logs/", "job_name": "step1_model_tensorboard"}
    return config


def megatron(r):
    config = {"train_batch_size": 256, "train_micro_batch_size_per_gpu": 4, "steps_per_print": 1, "zero_optimization": r.choice([{"stage": 0}, {"stage": 1}, zero3(r), {"stage": 2}]),
              "gradient_clipping": 1.0, "prescale_gradients": r.choice([True, False]), "fp16": {"enabled": True, "loss_scale": 0, "loss_scale_window": 500, "hysteresis": 2, "min_loss_scale": 1,
                                                                                                 "initial_scale_power": 11}, "wall_clock_breakdown": False}
    if r.random() < 0.5:
        config["bf16"] = {"enabled": False}
    config["#world"] = r.choice([8, 16, 64])
    if r.random() < 0.3:
        config["curriculum_learning"] = {"enabled": r.choice([True, False]), "curriculum_type": "seqlen", "min_difficulty": 64, "max_difficulty": 2048, "schedule_type": "fixed_linear",
                                         "schedule_config": {"total_curriculum_step": 60000, "difficulty_step": 8}}
    return config


def tutorial(r):
    config = {}
    batch(r, config, False)
    trimmings(r, config)
    precision(r, config)
    if r.random() < 0.85:
        config["optimizer"] = optimizer(r, False if r.random() < 0.85 else True)
    if r.random() < 0.4:
        config["scheduler"] = scheduler(r, False)
    if r.random() < 0.85:
        config["zero_optimization"] = any_zero(r)
    return config


def cifar(r):
    return {"train_batch_size": 16, "steps_per_print": 2000, "optimizer": {"type": "Adam", "params": {"lr": 0.001, "betas": [0.8, 0.999], "eps": 1e-8, "weight_decay": 3e-7}},
            "scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 0.001, "warmup_num_steps": 1000}}, "gradient_clipping": 1.0, "prescale_gradients": False,
            "bf16": {"enabled": r.choice([True, False])}, "fp16": {"enabled": r.choice([True, False]), "fp16_master_weights_and_grads": False, "loss_scale": 0, "loss_scale_window": 500, "hysteresis": 2,
                                                                    "min_loss_scale": 1, "initial_scale_power": 15}, "wall_clock_breakdown": False,
            "zero_optimization": {"stage": r.choice([0, 1, 2, 3]), "allgather_partitions": True, "reduce_scatter": True, "allgather_bucket_size": 50000000, "reduce_bucket_size": 50000000,
                                  "overlap_comm": True, "contiguous_gradients": True, "cpu_offload": r.choice([False, False, True])}}


def fragment(r):
    """A block quoted in an article: one section, sometimes with a batch size put before it."""
    config = {"train_micro_batch_size_per_gpu": 1} if r.random() < 0.8 else {}
    r.choice(EXTRAS)(r, config)
    if r.random() < 0.5:
        r.choice(EXTRAS)(r, config)
    if r.random() < 0.5:
        config["optimizer"] = optimizer(r, False)
    return config


STYLES = [trainer, filled_trainer, filled_trainer, rlhf, chat, megatron, tutorial, tutorial, tutorial, tutorial, cifar, fragment, fragment]


def holders(config):
    yield config
    for value in config.values():
        if isinstance(value, dict):
            yield from holders(value)


def mistake(r, config):
    zero = config.get("zero_optimization")
    kind = r.randrange(14)
    if kind == 0 and isinstance(zero, dict):
        zero[r.choice(["aio", "stage3_max_live_params", "offload", "device", "gather_fp16_weights_on_model_save", "cpu_offload_param", "zero_stage", "offload_optimizer_device", "prefetch_bucket_size",
                       "reduce_bucket_size_mb", "enabled", "max_in_cpu", "sub_group_size_mb", "stage3_use_all_reduce_for_fetch_params", "zero_quantized_nontrainable_weights", "legacy_stage1",
                       "allgather_bucket", "overlap_communication", "param_persistence_threshold", "log_trace_cache_warnings", "zeropp_loco_param", "stage3_gather_fp16_weights_on_model_save"])] = r.choice(
                           [True, False, 1e5, 100, {}, "cpu", None])
    elif kind == 1:
        config[r.choice(["zero_stage", "gradient_accumulation_step", "lr", "train_micro_batch_size", "micro_batch_size", "num_gpus", "offload_optimizer", "zero", "max_grad_norm", "clip_grad", "bf16_enabled",
                         "activation_checkpoint", "hostfile", "gradient_checkpointing", "zero_reduce_scatter", "train_batch_size_per_gpu", "allreduce_always_fp32", "model_parallel_size", "num_train_epochs",
                         "tensorboard_config", "distributed", "logging", "zero_optimisation", "flops_profile", "schedulers", "Optimizer"])] = r.choice([1, True, "x", {"enabled": True}, {"a": {"b": 1}}])
    elif kind == 2:
        keys = [(h, k) for h in holders(config) for k, v in h.items() if isinstance(v, (int, float)) and not isinstance(v, bool)]
        if keys:
            holder, key = r.choice(keys)
            holder[key] = r.choice([str(holder[key]), A, None, float(holder[key]), -1, 0])
    elif kind == 3:
        keys = [(h, k) for h in holders(config) for k, v in h.items() if isinstance(v, bool)]
        if keys:
            holder, key = r.choice(keys)
            holder[key] = r.choice([str(holder[key]).lower(), str(holder[key]), 1, 0, A, None, "yes"])
    elif kind == 4 and isinstance(zero, dict):
        zero["stage"] = r.choice(["2", "3", A, 4, 2.0, None, True, "zero3"])
    elif kind == 5:
        config[r.choice(["fp16", "bf16", "zero_optimization", "optimizer", "scheduler", "activation_checkpointing", "aio", "tensorboard", "flops_profiler", "comms_logger"])] = r.choice([True, False, None, {}, [], A])
    elif kind == 6:
        config["fp16"] = {"enabled": True}
        config["bf16"] = {"enabled": True}
    elif kind == 7:
        r.choice(EXTRAS)(r, config)
        r.choice(EXTRAS)(r, config)
    elif kind == 8 and isinstance(config.get("optimizer"), dict):
        config["optimizer"][r.choice(["params", "type", "param", "legacy_fusion", "lr"])] = r.choice([{"learning_rate": 1e-4}, {"lr": "1e-4"}, "Adam", None, {}, {"lr": 1e-4, "beta": [0.9, 0.99]}])
    elif kind == 9 and isinstance(config.get("scheduler"), dict) and isinstance(config["scheduler"].get("params"), dict):
        config["scheduler"]["params"][r.choice(["warmup_steps", "warmup_ratio", "total_steps", "num_training_steps", "lr", "min_lr", "warmup_num_steps", "warmup_max_lr"])] = r.choice([100, 0.1, "100", A, 100.0, None])
    elif kind == 10:
        for key in ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"):
            if r.random() < 0.5:
                config[key] = r.choice([1, 2, 4, 8, 32, 7, "8", A, 0, 8.0])
    elif kind == 11 and isinstance(zero, dict):
        zero[r.choice(["offload_optimizer", "offload_param"])] = r.choice([{"device": "gpu"}, {"device": "CPU"}, {"device": "cuda"}, "cpu", True, None, {"device": "nvme"}, {"pin_memory": True},
                                                                          {"device": "cpu", "pin_memory": "true"}, {"device": "cpu", "fast_init": True}, {"device": A, "pin_memory": A}, {"device": "disk"}])
    elif kind == 12:
        config.pop(r.choice(list(config)), None)
    else:
        r.choice(EXTRAS)(r, config)


def text_of(r, config):
    text = json.dumps(config, indent=r.choice([2, 4, 4, None]))
    kind = r.random()
    if kind < 0.02:
        return "// DeepSpeed\n" + text
    if kind < 0.04:
        return text.rstrip()[:-1].rstrip() + ",\n}"
    if kind < 0.05:
        return text.replace("true", "True").replace("false", "False")
    if kind < 0.06:
        return text.replace('"', "'")
    if kind < 0.07:
        return text[:-1]
    if kind < 0.08 and isinstance(config.get("zero_optimization"), dict):
        return text[:-1].rstrip() + ', "zero_optimization": {"stage": 1}}'
    if kind < 0.09:
        return text.replace("{", "{ # note\n", 1)
    if kind < 0.10:
        return text.replace(",", "", 1)
    return text


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--mistakes", type=float, default=0.5)
    options.add_argument("--single", action="store_true", help="one rank, no syntax tricks: for runs through the engine")
    options = options.parse_args()
    r = random.Random(options.seed)
    for number in range(options.count):
        config = copy.deepcopy(r.choice(STYLES)(r))
        if r.random() < 0.45:
            r.choice(EXTRAS)(r, config)
        world = config.pop("#world", r.choice([1, 1, 2, 4, 8]))
        context = {"pipeline_model": True} if config.pop("#pipe", False) else {}
        if r.random() < options.mistakes:
            mistake(r, config)
        config = {key: value for key, value in config.items() if key[0] != "#"}
        if r.random() < 0.25:
            context["optimizer"] = r.choice(["AdamW", "DeepSpeedCPUAdam", "FusedAdam", "SGD", "Adam"])
        if options.single:
            world = 1
            if isinstance(config.get("train_batch_size"), int) and isinstance(config.get("train_micro_batch_size_per_gpu"), int) and r.random() < 0.85:
                config.pop("gradient_accumulation_steps", None)
                config["train_batch_size"] = 4 * config["train_micro_batch_size_per_gpu"]
        text = json.dumps(config, indent=2) if options.single else text_of(r, config)
        print(json.dumps({"id": f"c{options.seed}-{number}", "text": text, "world": world, "context": context}))


if __name__ == "__main__":
    main()
