#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes configs of many sections at once, as people mix them, most with a slip or two: cases for the *_verdicts.py beside it.

    mixed_configs.py [--count 300] [--seed 1] [--world N] [--slips 1] [--trainer] > cases.jsonl

--slips is the mean number of mistakes in each; --trainer makes arguments of the Trainer, and writes "auto" where it fills.
"""
import argparse
import json
import random

YES_NO = [True, False]
OPTIMIZERS = [  # (how often, type, parameters with the values they may have)
    (8, "AdamW", {"lr": [1e-4, 2e-5, "auto", 3e-4], "betas": [[0.9, 0.95], [0.9, 0.999], "auto"], "eps": [1e-8, "auto"], "weight_decay": [0.1, 0.0, "auto"]}),
    (5, "AdamW", {"lr": [1e-4], "weight_decay": [0.01]}), (3, "Adam", {"lr": [1e-4], "betas": [[0.9, 0.95]], "torch_adam": YES_NO, "adam_w_mode": YES_NO}),
    (2, "Adam", {"lr": [3e-5], "weight_decay": [3e-7], "bias_correction": YES_NO}), (1, "adamw", {"lr": [1e-5]}), (1, "FusedAdam", {"lr": [1e-4]}), (1, "DeepSpeedCPUAdam", {"lr": [1e-4]}),
    (1, "Lamb", {"lr": [11e-3], "weight_decay": [0.01], "bias_correction": [False], "max_coeff": [0.3], "min_coeff": [0.01]}), (1, "LAMB", {"lr": [4e-4], "eps": [1e-6], "max_grad_norm": [1.0]}),
    (1, "OneBitAdam", {"lr": [2e-4], "freeze_step": [23000], "comm_backend_name": ["nccl", "mpi"], "cuda_aware": YES_NO}), (1, "OneBitLamb", {"lr": [11e-3], "freeze_step": [1000], "coeff_beta": [0.9]}),
    (1, "ZeroOneAdam", {"lr": [1e-3], "var_freeze_step": [1000], "local_step_scaler": [1000]}), (1, "Lion", {"lr": [1e-5], "betas": [[0.9, 0.99]], "weight_decay": [0.1]}),
    (1, "Adagrad", {"lr": [1e-2], "eps": [1e-10]}), (1, "SGD", {"lr": [0.1], "momentum": [0.9], "nesterov": YES_NO, "weight_decay": [5e-4]}), (1, "RMSprop", {"lr": [1e-3], "alpha": [0.99]}),
    (2, "Muon", {"lr": [0.02, 1e-3], "momentum": [0.95], "weight_decay": [0.1]}), (1, "Muon", {"muon_lr": [0.02], "adam_lr": [3e-4], "betas": [[0.9, 0.95]]}),
    (1, "Muon", {"lr": [1e-3], "ns_method": ["gram", "standard"]}), (1, "Adafactor", {"lr": [1e-3]}), (1, "NAdam", {"lr": [2e-3], "momentum_decay": [4e-3]}), (1, "Adadelta", {"lr": [1.0], "rho": [0.9]}),
    (1, "AdamW", {"lr": [1e-4], "fused": [True], "torch_adam": YES_NO}), (1, "AdamW", {"lr": [1e-4], "torch_adam": [True], "amsgrad": [True]}),
    (1, "AdamW", {"lr": [1e-4], "fp32_optimizer_states": YES_NO}), (1, "MuAdam", {"lr": [1e-3]}), (1, "AdamW8bit", {"lr": [1e-4]}),
]
SCHEDULES = [
    (6, "WarmupLR", {"warmup_min_lr": [0, "auto", 1e-7], "warmup_max_lr": [1e-4, "auto", 2e-5], "warmup_num_steps": [100, "auto", 0, 1000]}),
    (2, "WarmupLR", {"warmup_num_steps": [100], "warmup_type": ["log", "linear"]}),
    (5, "WarmupDecayLR", {"total_num_steps": [10000, "auto", 1000], "warmup_min_lr": [0], "warmup_max_lr": [1e-4], "warmup_num_steps": [100, 500, 2000]}),
    (3, "WarmupCosineLR", {"total_num_steps": [10000], "warmup_num_steps": [100, 0], "warmup_min_ratio": [0.0], "cos_min_ratio": [0.1, 0.01]}),
    (1, "OneCycle", {"cycle_first_step_size": [1000], "cycle_min_lr": [1e-4], "cycle_max_lr": [1e-3], "decay_lr_rate": [0.001], "cycle_min_mom": [0.85], "cycle_max_mom": [0.99]}),
    (1, "LRRangeTest", {"lr_range_test_min_lr": [1e-4], "lr_range_test_step_size": [200], "lr_range_test_step_rate": [5], "lr_range_test_staircase": [False]}),
    (1, "CosineAnnealingLR", {"T_max": [1000], "eta_min": [1e-6]}), (1, "StepLR", {"step_size": [30], "gamma": [0.1]}), (1, "cosine", {"T_max": [100]}), (1, "WarmupDecayLR", {"warmup_num_steps": [100]}),
    (1, "OneCycleLR", {"max_lr": [1e-3], "total_steps": [1000]}),
]
FORMATS = [  # sections, each with its keys and the values they may have
    (6, {"bf16": {"enabled": [True, True, "auto"]}}), (3, {"fp16": {"enabled": [True], "loss_scale": [0, 0, 1024, "auto"], "loss_scale_window": [1000, 100], "initial_scale_power": [16, 32], "min_loss_scale": [1, 0]}}),
    (3, {"fp16": {"enabled": ["auto", False, True], "auto_cast": YES_NO}, "bf16": {"enabled": ["auto", True, False]}}), (2, {"bf16": {"enabled": [True], "immediate_grad_update": YES_NO}}),
    (1, {"bf16": {"enabled": [True], "bf16_master_weights_and_grads": [True], "bf16_optimizer_states": YES_NO}}), (1, {"fp16": {"enabled": [True], "fp16_master_weights_and_grads": [True]}}),
    (1, {"torch_autocast": {"enabled": [True], "dtype": ["bfloat16", "float16", "bf16", "torch.bfloat16"], "lower_precision_safe_modules": [["torch.nn.Linear"], ["nn.Linear"], []]}}),
    (1, {"amp": {"enabled": YES_NO, "opt_level": ["O1"]}}), (1, {"bfloat16": {"enabled": [True]}}), (2, {"bf16": {"enabled": [True]}, "data_types": {"grad_accum_dtype": ["fp32", "bf16", None, "float32"]}}),
    (4, {}),
]
ZERO = {  # key: (how often, in which stages, values)
    "allgather_partitions": (.5, "0123", [True]), "allgather_bucket_size": (.5, "0123", [2e8, 5e8, "auto"]), "overlap_comm": (.5, "0123", YES_NO), "reduce_scatter": (.5, "0123", [True, True, False]),
    "reduce_bucket_size": (.5, "0123", [2e8, 5e8, "auto", 1e6]), "contiguous_gradients": (.5, "0123", [True]), "round_robin_gradients": (.4, "0123", YES_NO), "sub_group_size": (.5, "3", [1e9, "auto", 1e14]),
    "stage3_prefetch_bucket_size": (.5, "3", ["auto", 5e7, 0]), "stage3_param_persistence_threshold": (.5, "3", ["auto", 1e5, 0]), "stage3_max_live_parameters": (.4, "123", [1e9, 3e7]),
    "stage3_gather_16bit_weights_on_model_save": (.4, "0123", [True, "auto"]), "zero_quantized_weights": (.1, "3", [True]), "zero_hpz_partition_size": (.1, "3", [1, 2, 8]), "zero_quantized_gradients": (.1, "3", YES_NO),
    "mics_shard_size": (.05, "3", [1, 2, 4]), "cpu_offload": (.05, "0123", YES_NO), "elastic_checkpoint": (.04, "0123", YES_NO), "legacy_stage1": (.03, "0123", [True]), "memory_efficient_linear": (.05, "3", [False]),
    "stage3_module_granularity_threshold": (.05, "3", [0, 10000]), "leaf_module": (.04, "3", [{"classes": ["LlamaDecoderLayer"]}, {"names": ["mlp"]}, ["MixtralSparseMoeBlock"]]),
    "ignore_unused_parameters": (.08, "0123", YES_NO), "zeropp_loco_param": (.03, "3", [{"err_beta": 0.8, "reset_T": 1024}]), "load_from_fp32_weights": (.04, "0123", [False]), "compute_grad_norm": (.03, "0123", YES_NO),
    "offload_optimizer": (.35, "0123", [{"device": "cpu", "pin_memory": True}, {"device": "none"}, {"device": "cpu", "ratio": 0.3}, {"device": "nvme", "nvme_path": "/local_nvme", "buffer_count": 4}, {"device": "cpu", "super_offload": True}]),
    "offload_param": (.25, "3", [{"device": "cpu", "pin_memory": True}, {"device": "nvme", "nvme_path": "/local_nvme", "buffer_size": 1e8, "max_in_cpu": 1e9}, {"device": "none"}]),
    "zenflow": (.05, "123", [{"topk_ratio": 0.05, "update_interval": 4, "overlap_step": False}, {"select_strategy": "step", "select_interval": 8, "update_interval": 16}, {"select_strategy": "epoch", "update_interval": "auto"}]),
}
OTHERS = [
    {"activation_checkpointing": {"partition_activations": YES_NO, "cpu_checkpointing": [True], "contiguous_memory_optimization": YES_NO, "number_checkpoints": [None, 4], "profile": YES_NO}},
    {"flops_profiler": {"enabled": [True], "profile_step": [1, 10], "module_depth": [-1], "top_modules": [1, 3], "detailed": [True], "output_file": [None]}},
    {"comms_logger": {"enabled": [True], "verbose": [False], "prof_all": YES_NO, "debug": YES_NO, "prof_ops": [["all_reduce"]]}}, {"tensorboard": {"enabled": [False], "output_path": ["logs/"], "job_name": ["train"]}},
    {"csv_monitor": {"enabled": [True], "output_path": ["out/"], "job_name": ["train", ""]}}, {"wandb": {"enabled": [False], "group": ["g"], "team": ["t"], "project": ["p"]}},
    {"aio": {"block_size": [1048576, "1M"], "queue_depth": [8, 32], "intra_op_parallelism": [1, 8], "single_submit": [False], "overlap_events": [True, "true"]}},
    {"elasticity": {"enabled": YES_NO, "max_train_batch_size": [2000, 512], "micro_batch_sizes": [[2, 4, 6], [1, 2, 4, 8]], "min_gpus": [1], "max_gpus": [64], "version": [0.1, 0.2], "ignore_non_elastic_batch_info": YES_NO}},
    {"curriculum_learning": {"enabled": YES_NO, "curriculum_type": ["seqlen"], "min_difficulty": [8], "max_difficulty": [1024], "schedule_type": ["fixed_linear"], "schedule_config": [{"total_curriculum_step": 15000, "difficulty_step": 8}]}},
    {"autotuning": {"enabled": YES_NO, "fast": YES_NO, "metric": ["throughput"], "start_profile_step": [3], "end_profile_step": [5, 1]}}, {"tensor_parallel": {"autotp_size": [1, 2]}}, {"sequence_parallel_size": [1, 2]},
    {"hybrid_engine": {"enabled": YES_NO, "max_out_tokens": [512], "release_inference_cache": YES_NO, "pin_parameters": [True]}}, {"progressive_layer_drop": {"enabled": YES_NO, "theta": [0.5], "gamma": [0.001]}},
    {"checkpoint": {"tag_validation": ["Warn", "Ignore", "fail"], "load_universal": YES_NO, "parallel_write": [{"pipeline_stage": True}]}}, {"compile": [{"deepcompile": True}, {"deepcompile": False}, {"enabled": True}]},
    {"sparse_attention": {"mode": ["fixed", "bigbird", "dense"], "block": [16]}}, {"eigenvalue": {"enabled": YES_NO, "max_iter": [100], "layer_name": ["first"], "layer_num": [1]}}, {"communication_data_type": ["fp16", "bf16", "half", None]},
    {"gradient_clipping": [1.0, "auto", 0, "1.0"], "prescale_gradients": YES_NO, "gradient_predivide_factor": [1.0, 2.0], "wall_clock_breakdown": YES_NO, "steps_per_print": [10, "inf", None]},
    {"zero_allow_untested_optimizer": [True, "true", False], "zero_force_ds_cpu_optimizer": YES_NO}, {"timers": {"throughput": [{"enabled": True, "synchronized": False}]}}, {"sparse_gradients": YES_NO, "dump_state": YES_NO},
    {"expert_parallel": {"enabled": YES_NO, "autoep_size": [1, 2], "preset_model": ["mixtral", "qwen3_moe"]}}, {"moe": [{"enabled": True, "ep_size": 1}]}, {"pipeline": [{"activation_checkpoint_interval": 1}, {"stages": 2}]},
]
ARGUMENTS = {"per_device_train_batch_size": (.85, [1, 2, 4, 8]), "gradient_accumulation_steps": (.7, [1, 2, 4]), "learning_rate": (.7, [2e-5, 1e-4]), "weight_decay": (.4, [0.0, 0.1]), "max_grad_norm": (.3, [1.0, 0.5]),
             "max_steps": (.8, [500, 1000]), "warmup_steps": (.6, [0, 100, 0.03]), "adam_beta2": (.3, [0.95, 0.999]), "optim": (.15, ["adamw_torch_fused", "adafactor", "sgd", "adamw_bnb_8bit"]), "bf16": (.6, [True]), "fp16": (.2, [True])}
FILLED = {"lr", "betas", "eps", "weight_decay", "warmup_min_lr", "warmup_max_lr", "warmup_num_steps", "total_num_steps", "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps",
          "gradient_clipping", "reduce_bucket_size", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"}


class Maker:
    def __init__(self, seed, slips):
        self.rng, self.slips = random.Random(seed), slips

    def maybe(self, share):
        return self.rng.random() < share

    def one_of(self, table):
        return self.rng.choices(table, [row[0] for row in table])[0]

    def values(self, table):
        """A value for each key: lists are what to choose from, objects are sections."""
        return {key: self.values(value) if isinstance(value, dict) else self.rng.choice(value) for key, value in table.items()}

    def zero(self):
        stage = self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 3])
        return {"stage": stage, **{key: self.rng.choice(values) for key, (share, stages, values) in ZERO.items() if str(stage) in stages and self.maybe(share)}}

    def batch(self, world):
        micro, steps = self.rng.choice([1, 2, 4, 8]), self.rng.choice([1, 2, 4])
        sizes = {"train_batch_size": micro * steps * world, "train_micro_batch_size_per_gpu": micro, "gradient_accumulation_steps": steps}
        sizes = {key: size for key, size in sizes.items() if self.maybe(.7)}
        if self.maybe(.06) and sizes:
            sizes[self.rng.choice(list(sizes))] = self.rng.choice([7, True, 8.0, 0, -8, 0.5, "auto"])
        return sizes

    def slip(self, config):
        """A mistake in one value or name, or one that is in a wrong place."""
        def sections(section):
            yield section
            for value in section.values():
                if isinstance(value, dict):
                    yield from sections(value)
        places = [(section, key) for section in sections(config) for key in section if not isinstance(section[key], (dict, list))]
        if not places:
            return
        section, key = self.rng.choice(places)
        value, kind = section[key], self.rng.randrange(11)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind < 3:
            section[key] = str(value).lower() if isinstance(value, bool) else str(value)
        elif kind < 5:
            section[key] = "auto" if kind == 3 else None
        elif kind < 7 and number:
            section[key] = -value if kind == 5 else value + 0.5
        elif kind == 7:
            section[key + self.rng.choice(["s", "_size", "1"])] = section.pop(key)
        elif kind == 8:
            config[key] = value
        elif kind == 9:
            del section[key]
        else:
            section[key] = [value] if not isinstance(value, bool) else self.rng.choice([1, "yes", "True"])

    def config(self, world):
        config = {**self.batch(world), **self.values(self.one_of(FORMATS)[1])}
        if self.maybe(.82):
            _, name, parameters = self.one_of(OPTIMIZERS)
            config["optimizer"] = {"type": name, "params": self.values(parameters)}
        if self.maybe(.35):
            _, name, parameters = self.one_of(SCHEDULES)
            config["scheduler"] = {"type": name, "params": self.values(parameters)}
        if self.maybe(.88):
            config["zero_optimization"] = self.zero()
        for table in self.rng.sample(OTHERS, self.rng.choice([0, 1, 1, 2, 2, 3])):
            config.update(self.values(table))
        while self.maybe(self.slips / (1 + self.slips)):
            self.slip(config)
        items = list(config.items())
        self.rng.shuffle(items)
        return dict(items)

    def context(self, config):
        context = {}
        if self.maybe(.14):
            context["optimizer"] = self.rng.choice(["AdamW", "DeepSpeedCPUAdam", "FusedAdam", "SGD"])
        if "pipeline" in config:
            context["pipeline_model"] = True
        if self.maybe(.08):
            context["device"] = "cpu"
        return context

    def left_to_trainer(self, section, name=""):
        """Most of what the Trainer compares with its arguments: what differs is refused."""
        for key, value in section.items():
            if isinstance(value, dict):
                self.left_to_trainer(value, key)
            elif (key in FILLED or (key == "enabled" and name in ("bf16", "fp16"))) and self.maybe(.95):
                section[key] = "auto"

    def arguments(self):
        arguments = {name: self.rng.choice(values) for name, (share, values) in ARGUMENTS.items() if self.maybe(share)}
        if "bf16" in arguments and self.maybe(.9):
            arguments.pop("fp16", None)
        return arguments


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--world", type=int)
    options.add_argument("--slips", type=float, default=1)
    options.add_argument("--trainer", action="store_true")
    options = options.parse_args()
    maker = Maker(options.seed, options.slips)
    for index in range(options.count):
        world = options.world or maker.rng.choices([1, 2, 4, 8], [7, 1, 1, 1])[0]
        config = maker.config(world)
        context = maker.context(config)
        if options.trainer:
            maker.left_to_trainer(config)
            context = {"trainer": maker.arguments(), "hidden_size": 16}
        print(json.dumps({"id": f"mixed-{options.seed}-{index}", "text": json.dumps(config), "world": world, "context": context}))


if __name__ == "__main__":
    main()
