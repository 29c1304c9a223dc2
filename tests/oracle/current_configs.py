#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files as the trainers and tutorials of 2026 have them, each with slips of the kind that people make in it.

    current_configs.py > cases.jsonl            for deepspeed_verdicts.py
    current_configs.py --trainer > cases.jsonl  for trainer_verdicts.py

A slip is written as what becomes of a pointer: a value, GONE, or To(another pointer) for what stands in another place or under another name.
"""
import copy
import json
import sys

A, GONE = "auto", object()


class To(str):
    """Where the value goes."""


def changed(config, slips):
    config = copy.deepcopy(config)
    for pointer, value in slips.items():
        *above, leaf = pointer.strip("/").split("/")
        section = config
        for key in above:
            section = section.setdefault(key, {})
        if isinstance(value, To):
            held = section.pop(leaf)
            *above, leaf = value.strip("/").split("/")
            section = config
            for key in above:
                section = section.setdefault(key, {})
            section[leaf] = held
        elif value is GONE:
            section.pop(leaf, None)
        else:
            section[leaf] = value
    return config


BF16, FP16 = {"enabled": True}, {"enabled": True, "loss_scale": 0, "loss_scale_window": 1000, "initial_scale_power": 16, "hysteresis": 2, "min_loss_scale": 1}
CPU = {"device": "cpu", "pin_memory": True}
ADAMW = {"type": "AdamW", "params": {"lr": 1e-5, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.0}}
AUTO_ADAMW = {"type": "AdamW", "params": {"lr": A, "betas": A, "eps": A, "weight_decay": A}}
STAGE3_AUTO = {"stage": 3, "overlap_comm": True, "contiguous_gradients": True, "sub_group_size": 1e9, "reduce_bucket_size": A, "stage3_prefetch_bucket_size": A, "stage3_param_persistence_threshold": A,
               "stage3_max_live_parameters": 1e9, "stage3_max_reuse_distance": 1e9, "stage3_gather_16bit_weights_on_model_save": True}
OPENRLHF = {"steps_per_print": 100, "zero_optimization": {"stage": 3, "offload_param": {"device": "none"}, "offload_optimizer": {"device": "none", "pin_memory": True}, "sub_group_size": A, "stage3_max_live_parameters": A,
            "stage3_max_reuse_distance": A, "stage3_param_persistence_threshold": A, "stage3_prefetch_bucket_size": A, "reduce_bucket_size": A, "zero_hpz_partition_size": 1, "zero_quantized_weights": False,
            "zero_quantized_gradients": False}, "bf16": BF16, "gradient_clipping": 1.0, "prescale_gradients": False, "wall_clock_breakdown": False, "data_types": {"grad_accum_dtype": "fp32"},
            "train_micro_batch_size_per_gpu": 2, "train_batch_size": 16}
OPENRLHF_REF = {"steps_per_print": 100, "zero_optimization": {"stage": 3, "stage3_max_live_parameters": A, "stage3_max_reuse_distance": A, "stage3_param_persistence_threshold": A, "stage3_prefetch_bucket_size": A,
                "offload_param": CPU}, "bf16": BF16, "gradient_clipping": 1.0, "prescale_gradients": False, "wall_clock_breakdown": False, "train_micro_batch_size_per_gpu": 2, "train_batch_size": 2}
VERL = {"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 16, "zero_optimization": {"stage": 2, "reduce_bucket_size": 5e8, "allgather_bucket_size": 5e8, "overlap_comm": True,
        "contiguous_gradients": True, "round_robin_gradients": True}, "bf16": BF16, "gradient_clipping": 1.0, "zero_allow_untested_optimizer": True, "optimizer": ADAMW,
        "scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 1000, "warmup_num_steps": 50, "warmup_min_ratio": 0.0, "cos_min_ratio": 0.1}}}
FACTORY2 = {"train_batch_size": A, "train_micro_batch_size_per_gpu": A, "gradient_accumulation_steps": A, "gradient_clipping": A, "zero_allow_untested_optimizer": True,
            "fp16": {"enabled": A, "loss_scale": 0, "loss_scale_window": 1000, "initial_scale_power": 16, "hysteresis": 2, "min_loss_scale": 1}, "bf16": {"enabled": A},
            "zero_optimization": {"stage": 2, "allgather_partitions": True, "allgather_bucket_size": 5e8, "overlap_comm": False, "reduce_scatter": True, "reduce_bucket_size": 5e8, "contiguous_gradients": True, "round_robin_gradients": True}}
FACTORY3 = changed(FACTORY2, {"/zero_optimization": {**STAGE3_AUTO, "overlap_comm": False}})
SWIFT3 = {"fp16": {"enabled": A, "loss_scale": 0, "loss_scale_window": 1000, "initial_scale_power": 16, "hysteresis": 2, "min_loss_scale": 1}, "bf16": {"enabled": A},
          "zero_optimization": {"stage": 3, "offload_optimizer": CPU, "offload_param": CPU, "overlap_comm": False, "contiguous_gradients": True, "sub_group_size": 1e9, "reduce_bucket_size": A, "zero_quantized_weights": False,
          "zero_quantized_gradients": False, "stage3_prefetch_bucket_size": A, "stage3_param_persistence_threshold": A, "stage3_max_live_parameters": 1e9, "stage3_max_reuse_distance": 1e9,
          "stage3_gather_16bit_weights_on_model_save": True}, "gradient_accumulation_steps": A, "gradient_clipping": A, "steps_per_print": 2000, "train_batch_size": A, "train_micro_batch_size_per_gpu": A, "wall_clock_breakdown": False}
AXOLOTL1C = {"zero_optimization": {"stage": 1, "overlap_comm": True}, "bf16": {"enabled": A}, "fp16": {"enabled": A, "auto_cast": False, "loss_scale": 0, "initial_scale_power": 32, "loss_scale_window": 1000, "hysteresis": 2, "min_loss_scale": 1},
             "compile": {"disable": False, "backend": "inductor"}, "gradient_accumulation_steps": A, "gradient_clipping": A, "train_batch_size": A, "train_micro_batch_size_per_gpu": A, "wall_clock_breakdown": False}
CHAT = {"train_batch_size": 32, "train_micro_batch_size_per_gpu": 16, "steps_per_print": 10, "zero_optimization": {"stage": 3, "overlap_comm": True, "offload_param": {"device": "none"}, "offload_optimizer": {"device": "none"},
        "stage3_param_persistence_threshold": 1e4, "stage3_max_live_parameters": 3e7, "stage3_prefetch_bucket_size": 3e7, "memory_efficient_linear": False}, "fp16": {"enabled": True, "loss_scale_window": 100},
        "gradient_clipping": 1.0, "prescale_gradients": False, "wall_clock_breakdown": False, "hybrid_engine": {"enabled": False, "max_out_tokens": 512, "inference_tp_size": 1, "release_inference_cache": False, "pin_parameters": True,
        "tp_gather_partition_size": 8}, "tensorboard": {"enabled": False, "output_path": "step3_tensorboard/ds_tensorboard_logs/", "job_name": "step3_actor_tensorboard"}}
SUPER = {"train_batch_size": 4, "train_micro_batch_size_per_gpu": 4, "bf16": BF16, "zero_optimization": {"stage": 3, "overlap_comm": False, "reduce_bucket_size": 4e8, "sub_group_size": 4e8, "offload_optimizer": {**CPU, "ratio": 0.9,
         "super_offload": True, "cpuadam_cores_perc": 0.9}}, "optimizer": ADAMW, "wall_clock_breakdown": True}
ZENFLOW = {"train_batch_size": 8, "bf16": BF16, "zero_optimization": {"stage": 2, "offload_optimizer": CPU, "zenflow": {"topk_ratio": 0.05, "select_strategy": "auto", "select_interval": "auto", "update_interval": 4, "full_warm_up_rounds": 0,
           "overlap_step": False}, "overlap_comm": True}, "optimizer": ADAMW, "gradient_accumulation_steps": 4, "gradient_clipping": 1.0, "zero_allow_untested_optimizer": True}
MUON = {"train_batch_size": 8, "bf16": BF16, "optimizer": {"type": "Muon", "params": {"lr": 0.02, "momentum": 0.95, "weight_decay": 0.01}}, "zero_optimization": {"stage": 2, "reduce_scatter": False}, "gradient_clipping": 1.0}
AUTOTP = {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 8, "bf16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 2, "gather_16bit_weights_on_model_save": True}, "tensor_parallel": {"autotp_size": 4}, "gradient_clipping": 1.0}
AUTOTP = changed(AUTOTP, {"/zero_optimization/gather_16bit_weights_on_model_save": To("/zero_optimization/stage3_gather_16bit_weights_on_model_save")})
ALST = {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1, "sequence_parallel_size": 8, "seq_parallel_communication_data_type": "bf16", "bf16": BF16, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"},
        "overlap_comm": True, "stage3_param_persistence_threshold": 0}, "activation_checkpointing": {"partition_activations": False, "cpu_checkpointing": True}, "gradient_clipping": 1.0, "optimizer": ADAMW}
ARCTIC = {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 2, "steps_per_print": 1000, "bf16": BF16, "optimizer": {"type": "FusedAdam", "params": {"lr": 1e-5}}, "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 1e4,
          "stage3_max_live_parameters": 3e7, "stage3_prefetch_bucket_size": 3e7, "memory_efficient_linear": False}, "gradient_clipping": 1.0, "prescale_gradients": False, "wall_clock_breakdown": False}
MOE = {"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "bf16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 1}, "expert_parallel": {"enabled": True, "autoep_size": 8, "preset_model": "qwen3_moe"}, "gradient_clipping": 1.0}
UNIVERSAL = {"train_batch_size": 16, "train_micro_batch_size_per_gpu": 4, "bf16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 1}, "checkpoint": {"tag_validation": "Warn", "load_universal": True, "use_node_local_storage": False,
             "parallel_write": {"pipeline_stage": False}}, "data_types": {"grad_accum_dtype": "fp32"}}
AUTOCAST = {"train_batch_size": 8, "optimizer": ADAMW, "zero_optimization": {"stage": 3}, "torch_autocast": {"enabled": True, "dtype": "bfloat16", "lower_precision_safe_modules": ["torch.nn.Linear", "torch.nn.Conv2d"]}, "gradient_clipping": 1.0}
DEEPCOMPILE = {"train_batch_size": 8, "bf16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 3, "sub_group_size": 1e8}, "compile": {"deepcompile": True, "offload_activation": False, "offload_opt_states": False, "double_buffer": True,
               "symmetric_memory": False, "free_activation": False, "debug_log": False}, "gradient_clipping": 1.0}
RANDOM_LTD = {"train_batch_size": 16, "fp16": FP16, "optimizer": ADAMW, "data_efficiency": {"enabled": True, "seed": 42, "data_routing": {"enabled": True, "random_ltd": {"enabled": True, "total_layer_num": 24, "random_ltd_layer_num": 22,
              "random_ltd_layer_id": list(range(1, 23)), "model_mask_name": "attention_mask", "model_type": "decoder", "hidden_state_order": "batch_seq_dim", "random_ltd_schedule": {"min_value": 128, "max_value": 1024,
              "schedule_type": "fixed_linear", "schedule_config": {"require_steps": 2000, "seq_per_step": 16}}}}}}
SAMPLING = {"train_batch_size": 16, "optimizer": ADAMW, "bf16": BF16, "data_efficiency": {"enabled": True, "data_sampling": {"enabled": True, "num_workers": 0, "curriculum_learning": {"enabled": True, "data_cluster_path": "/data/clusters",
            "curriculum_metrics": {"seqlen": {"index_to_sample_path": "/data/i2s", "index_to_metric_path": "/data/i2m", "difficulty_type": "value", "clustering_type": "single_cluster", "min_difficulty": 80, "max_difficulty": 2048,
            "schedule_type": "fixed_root", "schedule_config": {"total_curriculum_step": 110000, "difficulty_step": 8, "root_degree": 2}}}}}}}
CURRICULUM = {"train_batch_size": 8, "optimizer": {"type": "Adam", "params": {"lr": 1e-4}}, "fp16": FP16, "curriculum_learning": {"enabled": True, "curriculum_type": "seqlen", "min_difficulty": 64, "max_difficulty": 2048,
              "schedule_type": "fixed_linear", "schedule_config": {"total_curriculum_step": 20000, "difficulty_step": 64}}}
ONEBIT = {"train_batch_size": 32, "train_micro_batch_size_per_gpu": 8, "optimizer": {"type": "OneBitAdam", "params": {"lr": 4e-4, "freeze_step": 1000, "cuda_aware": False, "comm_backend_name": "nccl"}}, "fp16": FP16, "gradient_clipping": 1.0}
ELASTIC = {"optimizer": ADAMW, "bf16": BF16, "zero_optimization": {"stage": 1}, "elasticity": {"enabled": True, "max_train_batch_size": 960, "micro_batch_sizes": [2, 4, 6], "min_gpus": 1, "max_gpus": 64, "min_time": 20, "version": 0.1}}
ZEROPP = {"train_batch_size": 16, "train_micro_batch_size_per_gpu": 2, "bf16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 3, "reduce_scatter": True, "reduce_bucket_size": 5e8, "contiguous_gradients": True, "overlap_comm": True,
          "zero_quantized_weights": True, "zero_hpz_partition_size": 8, "zero_quantized_gradients": True, "zeropp_loco_param": {"err_beta": 0.8, "reset_T": 1024}}, "gradient_clipping": 1.0}
MICS = {"train_batch_size": 16, "train_micro_batch_size_per_gpu": 2, "bf16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 3, "mics_shard_size": 8, "mics_hierarchical_params_gather": True}}
INFINITY = {"train_batch_size": 16, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 16, "bf16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 3, "offload_param": {"device": "nvme", "nvme_path": "/tmp/nvme", "pin_memory": True,
            "buffer_count": 6, "buffer_size": 1e8, "max_in_cpu": 1e9}, "offload_optimizer": {"device": "nvme", "nvme_path": "/tmp/nvme", "pin_memory": True, "buffer_count": 5, "fast_init": False}}, "aio": {"block_size": 1048576,
            "queue_depth": 8, "thread_count": 1, "single_submit": False, "overlap_events": True, "use_gds": False}}
LOWMEM = {"train_batch_size": 8, "bf16": {"enabled": True, "bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5, "torch_adam": True}}, "zero_optimization": {"stage": 3}}
MONITOR = {"train_batch_size": 8, "bf16": BF16, "optimizer": ADAMW, "csv_monitor": {"enabled": True, "output_path": "logs/", "job_name": "run7"}, "wandb": {"enabled": False, "project": "sft", "team": "lab", "group": "a"},
           "comet": {"enabled": False, "project": "sft", "samples_log_interval": 100}, "flops_profiler": {"enabled": False, "profile_step": 5, "module_depth": -1, "top_modules": 3, "detailed": True, "output_file": None},
           "comms_logger": {"enabled": True, "verbose": False, "prof_all": True, "debug": False, "prof_ops": []}, "steps_per_print": 10}
PIPE = {"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "bf16": BF16, "zero_optimization": {"stage": 1}, "optimizer": ADAMW, "gradient_clipping": 1.0, "pipeline": {"activation_checkpoint_interval": 1, "partition_method": "uniform"},
        "data_types": {"grad_accum_dtype": "fp32"}}
TUNING = {"train_micro_batch_size_per_gpu": A, "fp16": BF16, "optimizer": ADAMW, "zero_optimization": {"stage": 2}, "autotuning": {"enabled": True, "fast": True, "metric": "throughput", "arg_mappings": {"train_micro_batch_size_per_gpu":
          "--per_device_train_batch_size", "gradient_accumulation_steps ": "--gradient_accumulation_steps"}, "start_profile_step": 3, "end_profile_step": 5, "max_train_batch_size": 1024}}

# name, file, worlds, context, {slip: what becomes of pointers}
FILES = [
    ("openrlhf-actor", OPENRLHF, (1, 8, 6), {"optimizer": "FusedAdam"}, {
        "offloaded": {"/zero_optimization/offload_optimizer/device": "cpu"}, "offloaded-own-adam": {"/zero_optimization/offload_optimizer/device": "cpu", "/optimizer": ADAMW},
        "hpz-eight": {"/zero_optimization/zero_hpz_partition_size": 8}, "micro-in-quotes": {"/train_micro_batch_size_per_gpu": "2"}, "no-whole": {"/train_batch_size": GONE}, "bf16-true": {"/bf16": True},
        "grads-bf16": {"/data_types/grad_accum_dtype": "bfloat16"}, "grads-fp23": {"/data_types/grad_accum_dtype": "fp23"}, "clip-word": {"/gradient_clipping": "1.0"}, "stage-in-quotes": {"/zero_optimization/stage": "3"},
        "clip-name": {"/gradient_clipping": To("/max_norm")}, "tensor-2": {"/tensor_parallel/autotp_size": 2}, "tensor-2-cast": {"/tensor_parallel": {"autotp_size": 2, "dtype": "bfloat16"}}}),
    ("openrlhf-reference", OPENRLHF_REF, (1, 2), {}, {"no-offload": {"/zero_optimization/offload_param": GONE}, "offload-none": {"/zero_optimization/offload_param/device": "none"}, "nvme": {"/zero_optimization/offload_param/device": "nvme"},
        "nvme-path": {"/zero_optimization/offload_param": {"device": "nvme", "nvme_path": "/tmp"}}, "stage-2": {"/zero_optimization/stage": 2}, "optimizer-cpu": {"/zero_optimization/offload_optimizer": CPU}, "fp32": {"/bf16/enabled": False},
        "fp16": {"/bf16": GONE, "/fp16": {"enabled": True}}}),
    ("verl", VERL, (1, 4, 8, 3), {}, {"micro-8": {"/train_micro_batch_size_per_gpu": 8}, "steps-zero": {"/scheduler/params/total_num_steps": 0}, "steps-string": {"/scheduler/params/total_num_steps": "1000"}, "ratio-string": {"/scheduler/params/cos_min_ratio": "0.1"},
        "warmup-float": {"/scheduler/params/warmup_num_steps": 0.05}, "warmup-zero": {"/scheduler/params/warmup_num_steps": 0}, "cosine-lr": {"/scheduler/params/warmup_max_lr": 1e-5}, "clip-true": {"/gradient_clipping": True}, "grad-clip": {"/gradient_clipping": To("/grad_clip")},
        "bucket-text": {"/zero_optimization/reduce_bucket_size": "5e8"}, "bucket-500M": {"/zero_optimization/reduce_bucket_size": "500M"}, "bucket-fraction": {"/zero_optimization/allgather_bucket_size": 0.5}, "both-halves": {"/fp16": {"enabled": True}},
        "round-robin-text": {"/zero_optimization/round_robin_gradients": "True"}, "eps-text": {"/optimizer/params/eps": "1e-8"}, "betas-text": {"/optimizer/params/betas": "[0.9, 0.95]"}, "decay-none": {"/optimizer/params/weight_decay": None},
        "foreach": {"/optimizer/params/foreach": False}, "fused": {"/optimizer/params/fused": True}, "type-small": {"/optimizer/type": "adamw"}, "type-torch": {"/optimizer/type": "torch.optim.AdamW"}, "type-8bit": {"/optimizer/type": "AdamW8bit"}}),
    ("factory-z2", FACTORY2, (1, 4), {"optimizer": "AdamW"}, {"batches-told": {"/train_batch_size": 8, "/train_micro_batch_size_per_gpu": 1, "/gradient_accumulation_steps": 8}, "half-told": {"/train_micro_batch_size_per_gpu": 1, "/train_batch_size": GONE, "/gradient_accumulation_steps": 8}}),
    ("factory-z3", changed(FACTORY3, {"/train_batch_size": GONE, "/train_micro_batch_size_per_gpu": 1, "/gradient_accumulation_steps": 2, "/gradient_clipping": 1.0}), (1, 16), {"optimizer": "AdamW"}, {
        "offload": {"/zero_optimization/offload_optimizer": CPU, "/zero_optimization/offload_param": CPU}, "offload-forced-not": {"/zero_optimization/offload_optimizer": CPU, "/zero_force_ds_cpu_optimizer": False},
        "halves-off": {"/bf16/enabled": False, "/fp16/enabled": False}, "bf16-on": {"/bf16/enabled": True, "/fp16/enabled": False}, "prefetch-name": {"/zero_optimization/stage3_prefetch_bucket_size": To("/zero_optimization/prefetch_bucket_size")},
        "gather-old": {"/zero_optimization/stage3_gather_16bit_weights_on_model_save": To("/zero_optimization/stage3_gather_fp16_weights_on_model_save")}, "gather-text": {"/zero_optimization/stage3_gather_16bit_weights_on_model_save": "true"}}),
    ("swift-z3", changed(SWIFT3, {"/train_batch_size": 4, "/train_micro_batch_size_per_gpu": 1, "/gradient_accumulation_steps": 4, "/gradient_clipping": 1.0, "/bf16/enabled": True, "/fp16": GONE, "/optimizer": ADAMW}), (1, 2), {}, {
        "pin-number": {"/zero_optimization/offload_param/pin_memory": 1}, "device-gpu": {"/zero_optimization/offload_param/device": "cuda"}, "device-upper": {"/zero_optimization/offload_optimizer/device": "CPU"},
        "offload-true": {"/zero_optimization/offload_optimizer": True}, "offload-word": {"/zero_optimization/offload_param": "cpu"}, "cpu-offload-old": {"/zero_optimization/cpu_offload": True}, "params-old": {"/zero_optimization/offload_param": GONE, "/zero_optimization/cpu_offload_params": True},
        "sub-group-text": {"/zero_optimization/sub_group_size": "1e9"}, "persist-name": {"/zero_optimization/stage3_param_persistence_threshold": To("/zero_optimization/param_persistence_threshold")}, "live-name": {"/zero_optimization/stage3_max_live_parameters": To("/zero_optimization/stage3_max_live_params")},
        "stage-name": {"/zero_optimization": To("/zero_optimisation")}, "zero3": {"/zero_optimization": To("/zero3_optimization")}, "stage-4": {"/zero_optimization/stage": 4}}),
    ("axolotl-z1-compile", changed(AXOLOTL1C, {"/train_batch_size": GONE, "/gradient_accumulation_steps": 1, "/train_micro_batch_size_per_gpu": 2, "/gradient_clipping": 1.0, "/optimizer": ADAMW}), (1, 8), {}, {
        "bf16": {"/bf16/enabled": True, "/fp16": GONE}, "compile-true": {"/compile": True}, "compile-enabled": {"/compile": {"enabled": True}}, "scale-power-text": {"/fp16/enabled": True, "/bf16": GONE, "/fp16/initial_scale_power": "16"}}),
    ("chat-actor", CHAT, (1, 2, 4), {"optimizer": "FusedAdam"}, {"hybrid": {"/hybrid_engine/enabled": True}, "hybrid-text": {"/hybrid_engine/max_out_tokens": "512"}, "hybrid-tp": {"/hybrid_engine/inference_tp_size": 2, "/hybrid_engine/enabled": True},
        "board": {"/tensorboard/enabled": True, "/tensorboard/output_path": "/tmp/tb"}, "window-zero": {"/fp16/loss_scale_window": 0}, "efficient-text": {"/zero_optimization/memory_efficient_linear": "no"}, "static": {"/fp16/loss_scale": 1024}, "static-text": {"/fp16/loss_scale": "dynamic"}}),
    ("super", SUPER, (1, 4), {}, {"no-ratio": {"/zero_optimization/offload_optimizer/ratio": GONE}, "ratio-90": {"/zero_optimization/offload_optimizer/ratio": 90}, "cores-2": {"/zero_optimization/offload_optimizer/cpuadam_cores_perc": 2}, "stage-2": {"/zero_optimization/stage": 2},
        "name": {"/zero_optimization/offload_optimizer/super_offload": To("/zero_optimization/offload_optimizer/superoffload")}, "at-zero": {"/zero_optimization/offload_optimizer/super_offload": To("/zero_optimization/super_offload")}, "text": {"/zero_optimization/offload_optimizer/super_offload": "true"}}),
    ("zenflow", ZENFLOW, (1, 2), {}, {"untested": {"/zero_allow_untested_optimizer": GONE}, "topk-5": {"/zero_optimization/zenflow/topk_ratio": 5}, "topk-text": {"/zero_optimization/zenflow/topk_ratio": "0.05"}, "interval-1": {"/zero_optimization/zenflow/update_interval": 1},
        "select-8": {"/zero_optimization/zenflow/select_interval": 8, "/zero_optimization/zenflow/select_strategy": "step"}, "top": {"/zero_optimization/zenflow": To("/zenflow")}, "no-offload": {"/zero_optimization/offload_optimizer": GONE}, "stage-3": {"/zero_optimization/stage": 3},
        "stage-1": {"/zero_optimization/stage": 1}, "true": {"/zero_optimization/zenflow": True}, "rounds": {"/zero_optimization/zenflow/full_warm_up_rounds": -1}, "adam": {"/optimizer/type": "Adam"}}),
    ("muon", MUON, (1, 8), {}, {"small": {"/optimizer/type": "muon"}, "two-rates": {"/optimizer/params": {"muon_lr": 0.02, "adam_lr": 3e-4, "momentum": 0.95, "weight_decay": 0.0}}, "betas": {"/optimizer/params/betas": [0.9, 0.95]}, "nesterov": {"/optimizer/params/nesterov": True},
        "ns-steps": {"/optimizer/params/ns_steps": 5}, "stage-3": {"/zero_optimization/stage": 3}, "stage-1": {"/zero_optimization/stage": 1}, "scatter": {"/zero_optimization/reduce_scatter": True}, "offload": {"/zero_optimization/offload_optimizer": CPU},
        "save-memory": {"/zero_optimization/save_muon_momentum_buffer_in_memory": True}, "momentum-text": {"/optimizer/params/momentum": "0.95"}, "auto": {"/optimizer/params/lr": A}}),
    ("autotp", AUTOTP, (4, 8, 1, 6), {}, {"one": {"/tensor_parallel/autotp_size": 1}, "tp-name": {"/tensor_parallel": {"tp_size": 4}}, "top": {"/tensor_parallel": GONE, "/autotp_size": 4}, "stage-3": {"/zero_optimization/stage": 3}, "preset": {"/tensor_parallel/preset_model": "llama"},
        "preset-odd": {"/tensor_parallel/preset_model": "llama4"}, "overlap": {"/tensor_parallel/tp_overlap_comm": True}, "whole": {"/train_batch_size": 32}, "text": {"/tensor_parallel/autotp_size": "4"}}),
    ("alst", ALST, (8, 16, 1, 6), {}, {"one": {"/sequence_parallel_size": 1}, "data-too": {"/data_parallel_size": 1}, "ulysses": {"/sequence_parallel_size": To("/ulysses_sequence_parallel_size")}, "type-odd": {"/seq_parallel_communication_data_type": "float16"},
        "type-mixed": {"/seq_parallel_communication_data_type": "fp8"}, "parallel-text": {"/sequence_parallel_size": "8"}, "partition": {"/activation_checkpointing/partition_activations": True}, "checkpoint-name": {"/activation_checkpointing/cpu_checkpointing": To("/activation_checkpointing/cpu_checkpoint")}}),
    ("arctic", ARCTIC, (1, 3), {}, {"adam": {"/optimizer/type": "Adam"}, "clip-max": {"/optimizer/params/max_grad_norm": 1.0}, "cpu-adam": {"/optimizer/type": "DeepSpeedCPUAdam"}, "list": {"/optimizer": [{"type": "Adam"}]}}),
    ("moe", MOE, (8, 16, 1), {}, {"size-one": {"/expert_parallel/autoep_size": 1}, "name": {"/expert_parallel/autoep_size": To("/expert_parallel/ep_size")}, "older": {"/expert_parallel": GONE, "/moe": {"enabled": True, "ep_size": 8, "num_experts": [64]}}, "stage-3": {"/zero_optimization/stage": 3},
        "preset-odd": {"/expert_parallel/preset_model": "qwen4"}, "top-k": {"/expert_parallel/top_k": "2"}, "off": {"/expert_parallel/enabled": False}}),
    ("universal", UNIVERSAL, (1, 4), {}, {"tag-odd": {"/checkpoint/tag_validation": "warning"}, "tag-upper": {"/checkpoint/tag_validation": "FAIL"}, "tag-true": {"/checkpoint/tag_validation": True}, "load-top": {"/checkpoint/load_universal": To("/load_universal_checkpoint")},
        "load-name": {"/checkpoint/load_universal": To("/checkpoint/load_universal_checkpoint")}, "grads-bf16": {"/data_types/grad_accum_dtype": "bf16"}, "grads-auto": {"/data_types/grad_accum_dtype": A}, "types-word": {"/data_types": "fp32"}, "stage-0": {"/zero_optimization/stage": 0},
        "writer": {"/checkpoint/writer": {"type": "fast", "io_buffer_size": 1 << 20}}, "list": {"/checkpoint": [True]}}),
    ("autocast", AUTOCAST, (1,), {}, {"bf16-too": {"/bf16": BF16}, "dtype-short": {"/torch_autocast/dtype": "bf16"}, "dtype-fp16": {"/torch_autocast/dtype": "float16"}, "dtype-torch": {"/torch_autocast/dtype": "torch.bfloat16"}, "module-odd": {"/torch_autocast/lower_precision_safe_modules": ["Linear"]},
        "stage-1": {"/zero_optimization/stage": 1}, "stage-0": {"/zero_optimization/stage": 0}, "true": {"/torch_autocast": True}, "text": {"/torch_autocast/enabled": "true"}, "modules-word": {"/torch_autocast/lower_precision_safe_modules": "torch.nn.Linear"}}),
    ("deepcompile", DEEPCOMPILE, (1, 2), {}, {"stage-2": {"/zero_optimization/stage": 2}, "name": {"/compile/deepcompile": To("/compile/deep_compile")}, "top": {"/compile/deepcompile": To("/deepcompile")}, "passes": {"/compile/passes": ["prefetch", "selective_gather"]},
        "passes-odd": {"/compile/passes": ["fusion"]}, "passes-word": {"/compile/passes": "prefetch"}, "text": {"/compile/debug_log": "off"}, "cast-too": {"/bf16": GONE, "/torch_autocast": {"enabled": True}}, "offload": {"/zero_optimization/offload_optimizer": CPU}}),
    ("random-ltd", RANDOM_LTD, (1, 4), {}, {"routing-off": {"/data_efficiency/data_routing/enabled": False}, "no-schedule": {"/data_efficiency/data_routing/random_ltd/random_ltd_schedule": GONE}, "no-mask": {"/data_efficiency/data_routing/random_ltd/model_mask_name": GONE},
        "flat": {"/data_efficiency/data_routing/random_ltd": To("/random_ltd")}, "steps-text": {"/data_efficiency/data_routing/random_ltd/random_ltd_schedule/schedule_config/require_steps": "2000"}, "no-layers": {"/data_efficiency/data_routing/random_ltd/total_layer_num": GONE}}),
    ("sampling", SAMPLING, (1,), {}, {"off": {"/data_efficiency/enabled": False}, "no-metrics": {"/data_efficiency/data_sampling/curriculum_learning/curriculum_metrics": GONE}, "metrics-list": {"/data_efficiency/data_sampling/curriculum_learning/curriculum_metrics": ["seqlen"]}}),
    ("curriculum", CURRICULUM, (1, 8), {}, {"step-odd": {"/curriculum_learning/schedule_config/difficulty_step": 7}, "custom": {"/curriculum_learning/schedule_type": "custom"}, "no-config": {"/curriculum_learning/schedule_config": GONE}, "discrete": {"/curriculum_learning/schedule_type": "fixed_discrete"},
        "true": {"/curriculum_learning": True}, "off": {"/curriculum_learning/enabled": False}, "no-max": {"/curriculum_learning/max_difficulty": GONE}}),
    ("onebit", ONEBIT, (1, 4, 3), {}, {"stage-1": {"/zero_optimization/stage": 1}, "bf16": {"/fp16": GONE, "/bf16": BF16}, "freeze-text": {"/optimizer/params/freeze_step": "1000"}, "lamb": {"/optimizer/type": "OneBitLamb"}, "zero-one": {"/optimizer/type": "ZeroOneAdam", "/optimizer/params/freeze_step": To("/optimizer/params/var_freeze_step")},
        "small": {"/optimizer/type": "onebitadam"}, "name": {"/optimizer/type": "1bitAdam"}}),
    ("elastic", ELASTIC, (1, 2, 6, 8, 16), {}, {"whole-too": {"/train_batch_size": 960}, "ignored": {"/train_batch_size": 960, "/elasticity/ignore_non_elastic_batch_info": True}, "no-micro": {"/elasticity/micro_batch_sizes": GONE}, "version-2": {"/elasticity/version": 0.2}, "micro-text": {"/elasticity/micro_batch_sizes": "2,4,6"},
        "max-gpus": {"/elasticity/max_gpus": 4}, "off": {"/elasticity/enabled": False}}),
    ("zeropp", ZEROPP, (8, 1, 16), {}, {"hpz-3": {"/zero_optimization/zero_hpz_partition_size": 3}, "stage-2": {"/zero_optimization/stage": 2}, "no-loco": {"/zero_optimization/zeropp_loco_param": GONE}, "loco-true": {"/zero_optimization/zeropp_loco_param": True}, "weights-only": {"/zero_optimization/zero_quantized_gradients": False},
        "nontrainable": {"/zero_optimization/zero_quantized_nontrainable_weights": True}, "hpz-name": {"/zero_optimization/zero_hpz_partition_size": To("/zero_optimization/hpz_partition_size")}}),
    ("mics", MICS, (8, 16, 1), {}, {"size-one": {"/zero_optimization/mics_shard_size": 1}, "stage-2": {"/zero_optimization/stage": 2}, "offload": {"/zero_optimization/offload_optimizer": CPU}}),
    ("infinity", INFINITY, (1, 2), {}, {"no-path": {"/zero_optimization/offload_param/nvme_path": GONE}, "cpu-params": {"/zero_optimization/offload_param": CPU}, "stage-2": {"/zero_optimization/stage": 2}, "block-text": {"/aio/block_size": "1M"}, "block-float": {"/aio/block_size": 1e6}, "gds": {"/aio/use_gds": True},
        "aio-inside": {"/aio": To("/zero_optimization/aio")}, "count-text": {"/zero_optimization/offload_param/buffer_count": "6"}}),
    ("low-memory", LOWMEM, (1, 4), {}, {"no-torch-adam": {"/optimizer/params/torch_adam": GONE}, "no-master": {"/bf16/bf16_master_weights_and_grads": False}, "stage-1": {"/zero_optimization/stage": 1}, "offload": {"/zero_optimization/offload_optimizer": CPU}, "fp32-grads": {"/data_types/grad_accum_dtype": "fp32"},
        "update": {"/bf16/immediate_grad_update": False}, "overflow": {"/bf16/check_grad_overflow": False}}),
    ("monitor", MONITOR, (1, 2), {}, {"csv-path": {"/csv_monitor/output_path": None}, "wandb-entity": {"/wandb/team": To("/wandb/entity")}, "depth-text": {"/flops_profiler/module_depth": "-1"}, "profiler": {"/flops_profiler/enabled": True, "/flops_profiler/profile_step": 1}, "profile-true": {"/flops_profiler": True},
        "comms-ops": {"/comms_logger/prof_ops": "all_reduce"}, "print-text": {"/steps_per_print": "10"}, "print-zero": {"/steps_per_print": 0}, "print-inf": {"/steps_per_print": float("inf")}, "log-level": {"/log_level": "warn"}}),
    ("pipe", PIPE, (1, 2, 4), {"pipeline_model": True}, {"stage-2": {"/zero_optimization/stage": 2}, "stages": {"/pipeline/stages": 4}, "offload": {"/zero_optimization/offload_optimizer": CPU}, "gas-given": {"/gradient_accumulation_steps": 4}, "parts": {"/pipeline/partition_method": "type:transformer"}, "fp16": {"/bf16": GONE, "/fp16": FP16}}),
    ("tuning", TUNING, (1,), {}, {"told": {"/train_micro_batch_size_per_gpu": 2}, "off": {"/train_micro_batch_size_per_gpu": 2, "/autotuning/enabled": False}, "steps": {"/train_micro_batch_size_per_gpu": 2, "/autotuning/start_profile_step": 6}, "true": {"/train_micro_batch_size_per_gpu": 2, "/autotuning": True}}),
]

ARGUMENTS = {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "learning_rate": 2e-5, "bf16": True, "max_steps": 500, "warmup_steps": 20, "weight_decay": 0.1, "max_grad_norm": 1.0}
TRAINER = [
    ("factory-z2", FACTORY2, {"micro-2": {"/train_micro_batch_size_per_gpu": 2}, "micro-3": {"/train_micro_batch_size_per_gpu": 3}, "whole-8": {"/train_batch_size": 8}, "whole-16": {"/train_batch_size": 16}, "no-batches": {"/train_batch_size": GONE, "/train_micro_batch_size_per_gpu": GONE, "/gradient_accumulation_steps": GONE},
        "clip-2": {"/gradient_clipping": 2.0}, "fp16-on": {"/fp16/enabled": True}, "bf16-off": {"/bf16/enabled": False}, "bf16-gone": {"/bf16": GONE}, "stage-auto": {"/zero_optimization/stage": A}}),
    ("factory-z3", FACTORY3, {"optimizer": {"/optimizer": AUTO_ADAMW}, "optimizer-told": {"/optimizer": ADAMW}, "rate-same": {"/optimizer": {"type": "AdamW", "params": {"lr": 2e-5, "weight_decay": A}}}, "schedule": {"/optimizer": AUTO_ADAMW, "/scheduler": {"type": "WarmupDecayLR",
        "params": {"total_num_steps": A, "warmup_min_lr": A, "warmup_max_lr": A, "warmup_num_steps": A}}}, "schedule-alone": {"/scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": A, "warmup_max_lr": A, "warmup_num_steps": A}}}, "cosine": {"/optimizer": AUTO_ADAMW,
        "/scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": A, "warmup_num_steps": A, "cos_min_ratio": 0.1}}}, "cosine-rate": {"/optimizer": AUTO_ADAMW, "/scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": A, "warmup_num_steps": A, "warmup_max_lr": A}}}}),
    ("swift-z3", SWIFT3, {"no-param": {"/zero_optimization/offload_param": GONE}, "force-not": {"/zero_force_ds_cpu_optimizer": False}, "own": {"/optimizer": AUTO_ADAMW}, "device-auto": {"/zero_optimization/offload_optimizer/device": A}, "sub-group-auto": {"/zero_optimization/sub_group_size": A},
        "live-auto": {"/zero_optimization/stage3_max_live_parameters": A}}),
    ("axolotl-z1-compile", AXOLOTL1C, {"no-fp16": {"/fp16": GONE}, "steps": {"/gradient_accumulation_steps": 8}, "compile-off": {"/compile/disable": True}}),
    ("trl-z3", {"bf16": {"enabled": True}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "none"}, "offload_param": {"device": "none"}, "stage3_gather_16bit_weights_on_model_save": True}, "gradient_accumulation_steps": A,
     "train_batch_size": A, "train_micro_batch_size_per_gpu": A}, {"muon": {"/optimizer": {"type": "Muon", "params": {"lr": A, "momentum": 0.95}}}, "sgd": {"/optimizer": {"type": "SGD", "params": {"lr": A, "momentum": 0.9}}}, "lion": {"/optimizer": {"type": "Lion", "params": {"lr": A, "betas": A}}},
     "eps": {"/optimizer": {"type": "Lion", "params": {"lr": A, "eps": A}}}}),
]


def cases():
    for name, config, worlds, context, slips in FILES:
        for world in worlds:
            yield f"{name}-{world}", config, world, context
        for at, (slip, change) in enumerate(slips.items()):
            for world in sorted({worlds[0], worlds[(at + 1) % len(worlds)], 1}):
                yield f"{name}-{slip}-{world}", changed(config, change), world, context


def trainer_cases():
    for name, config, slips in TRAINER:
        for at, (slip, change) in enumerate({"as-published": {}, **slips}.items()):
            for world in (1, (2, 4, 8)[at % 3]):
                yield f"{name}-{slip}-{world}", changed(config, change), world, {"trainer": ARGUMENTS, "hidden_size": 16}


if __name__ == "__main__":
    for name, config, world, context in trainer_cases() if "--trainer" in sys.argv else cases():
        print(json.dumps({"id": f"current-{name}", "text": json.dumps(config, indent=2), "world": world, "context": context}))
