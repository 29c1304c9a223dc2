#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints what projects publish and what people get wrong in it, one JSON case a line: whole files (published_files.py), settings of one feature each, and slips.

    published_configs.py > cases.jsonl

Nothing here is drawn at random and nothing comes from our rules or rows; the other generators do that. The same cases come out each time.
"""
import copy
import json

from published_files import A, ADAMW, CPU, FILES, FP16

SMALL = {"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}}
Z1 = {**SMALL, "bf16": {"enabled": True}, "zero_optimization": {"stage": 1}}
Z2 = {**SMALL, "bf16": {"enabled": True}, "zero_optimization": {"stage": 2}}
Z3 = {**SMALL, "bf16": {"enabled": True}, "zero_optimization": {"stage": 3}}
HALF = {**SMALL, "fp16": FP16}
PLAIN = {"train_batch_size": 16}

# changes of a base by dotted path; None as a value is JSON's null, GONE takes the key out
GONE = object()
FEATURES = {
    # ZeRO
    "stage-4": (Z2, {"zero_optimization.stage": 4}), "stage-text": (Z2, {"zero_optimization.stage": "2"}), "stage-word": (Z2, {"zero_optimization.stage": "two"}), "stage-float": (Z2, {"zero_optimization.stage": 2.0}),
    "stage-half": (Z2, {"zero_optimization.stage": 2.5}), "stage-true": (Z2, {"zero_optimization.stage": True}), "stage-null": (Z2, {"zero_optimization.stage": None}), "stage-auto": (Z2, {"zero_optimization.stage": A}),
    "zero-bool": (Z2, {"zero_optimization": True}), "zero-false": (Z2, {"zero_optimization": False}), "zero-number": (Z2, {"zero_optimization": 2}), "zero-list": (Z2, {"zero_optimization": []}), "zero-null": (Z2, {"zero_optimization": None}),
    "zero-enabled": (Z2, {"zero_optimization.enabled": True}), "zero-misspelt": (Z2, {"zero_optimisation": {"stage": 3}}), "zero-under-fp16": (HALF, {"fp16.zero_optimization": {"stage": 2}}),
    "bucket-text": (Z2, {"zero_optimization.reduce_bucket_size": "5e8"}), "bucket-digits": (Z2, {"zero_optimization.reduce_bucket_size": "500000000"}), "bucket-auto": (Z2, {"zero_optimization.reduce_bucket_size": A}),
    "bucket-negative": (Z2, {"zero_optimization.reduce_bucket_size": -1}), "bucket-fraction": (Z2, {"zero_optimization.reduce_bucket_size": 1.5}), "bucket-zero": (Z2, {"zero_optimization.reduce_bucket_size": 0}),
    "bucket-huge": (Z2, {"zero_optimization.allgather_bucket_size": 1e20}), "gather-auto": (Z3, {"zero_optimization.stage3_gather_16bit_weights_on_model_save": A}), "live-auto": (Z3, {"zero_optimization.stage3_max_live_parameters": A}),
    "sub-group-auto": (Z3, {"zero_optimization.sub_group_size": A}), "prefetch-auto": (Z3, {"zero_optimization.stage3_prefetch_bucket_size": A}), "persist-auto": (Z3, {"zero_optimization.stage3_param_persistence_threshold": A}),
    "prefetch-float": (Z3, {"zero_optimization.stage3_prefetch_bucket_size": 15099494.4}), "prefetch-float16": (Z3, {"zero_optimization.stage3_prefetch_bucket_size": 0.9e8}), "persist-1e400": (Z3, {"zero_optimization.stage3_param_persistence_threshold": "1e400"}),
    "old-16bit": (Z3, {"zero_optimization.stage3_gather_fp16_weights_on_model_save": True}), "both-16bit": (Z3, {"zero_optimization.stage3_gather_fp16_weights_on_model_save": True, "zero_optimization.stage3_gather_16bit_weights_on_model_save": False}),
    "gather-without-prefix": (Z3, {"zero_optimization.gather_16bit_weights_on_model_save": True}), "overlap-text": (Z2, {"zero_optimization.overlap_comm": "true"}), "overlap-yes": (Z2, {"zero_optimization.overlap_comm": "yes"}),
    "overlap-number": (Z2, {"zero_optimization.overlap_comm": 1}), "overlap-two": (Z2, {"zero_optimization.overlap_comm": 2}), "overlap-null": (Z3, {"zero_optimization.overlap_comm": None}), "contiguous-auto": (Z2, {"zero_optimization.contiguous_gradients": A}),
    "cpu-offload-2": (Z2, {"zero_optimization.cpu_offload": True}), "cpu-offload-both": (Z2, {"zero_optimization.cpu_offload": True, "zero_optimization.offload_optimizer": CPU}), "cpu-offload-params-2": (Z2, {"zero_optimization.cpu_offload_params": True}),
    "cpu-offload-param": (Z3, {"zero_optimization.cpu_offload_param": True}), "offload-param-2": (Z2, {"zero_optimization.offload_param": {"device": "cpu"}}), "offload-param-1": (Z1, {"zero_optimization.offload_param": CPU}),
    "offload-opt-0": (SMALL, {"zero_optimization": {"stage": 0, "offload_optimizer": CPU}}), "offload-opt-1": (Z1, {"zero_optimization.offload_optimizer": CPU}), "offload-true": (Z2, {"zero_optimization.offload_optimizer": True}),
    "offload-word": (Z2, {"zero_optimization.offload_optimizer": "cpu"}), "offload-null": (Z2, {"zero_optimization.offload_optimizer": None}), "offload-empty": (Z2, {"zero_optimization.offload_optimizer": {}}), "offload-gpu": (Z2, {"zero_optimization.offload_optimizer.device": "gpu"}),
    "offload-cuda": (Z3, {"zero_optimization.offload_param": {"device": "cuda"}}), "offload-CPU": (Z2, {"zero_optimization.offload_optimizer": {"device": "CPU"}}), "offload-None": (Z2, {"zero_optimization.offload_optimizer": {"device": "None"}}),
    "offload-device-null": (Z2, {"zero_optimization.offload_optimizer": {"device": None}}), "offload-auto": (Z2, {"zero_optimization.offload_optimizer": {"device": A, "pin_memory": A}}), "offload-pin": (Z3, {"zero_optimization.offload_param": {"device": "cpu", "pin_memory": "True"}}),
    "offload-pinned": (Z2, {"zero_optimization.offload_optimizer": {"device": "cpu", "pinned_memory": True}}), "ratio-big": (Z3, {"zero_optimization.offload_optimizer": {"device": "cpu", "ratio": 1.5}}), "ratio-0.3": (Z3, {"zero_optimization.offload_optimizer": {"device": "cpu", "ratio": 0.3}}),
    "ratio-text": (Z3, {"zero_optimization.offload_optimizer": {"device": "cpu", "ratio": "0.5"}}), "nvme-2": (Z2, {"zero_optimization.offload_optimizer": {"device": "nvme", "nvme_path": "/tmp"}}), "nvme-no-path": (Z3, {"zero_optimization.offload_param": {"device": "nvme"}}),
    "nvme-buffer-text": (Z3, {"zero_optimization.offload_param": {"device": "cpu", "buffer_count": "5", "buffer_size": "1e8"}}), "pipeline-read": (Z3, {"zero_optimization.offload_optimizer": {"device": "cpu", "pipeline_read": True, "pipeline_write": True}}),
    "elastic-ckpt": (Z1, {"zero_optimization.elastic_checkpoint": True}), "load-fp32": (Z2, {"zero_optimization.load_from_fp32_weights": "false"}), "round-robin": (Z2, {"zero_optimization.round_robin_gradients": True}), "ignore-unused": (Z3, {"zero_optimization.ignore_unused_parameters": False}),
    "legacy-1": (Z1, {"zero_optimization.legacy_stage1": True}), "param-names": (Z3, {"zero_optimization.param_names": ["a"]}), "log-trace": (Z3, {"zero_optimization.log_trace_cache_warnings": True}), "leaf": (Z3, {"zero_optimization.leaf_module": {"classes": ["Linear"]}}),
    "use-multi": (Z2, {"zero_optimization.use_multi_rank_bucket_allreduce": False}), "module-granularity": (Z3, {"zero_optimization.stage3_module_granularity_threshold": 0}), "reuse-module": (Z3, {"zero_optimization.stage3_use_all_reduce_for_fetch_params": True}),
    "hpz-8": (Z3, {"zero_optimization.zero_hpz_partition_size": 8}), "hpz-2": (Z2, {"zero_optimization.zero_hpz_partition_size": 2}), "hpz-text": (Z3, {"zero_optimization.zero_hpz_partition_size": "8"}), "hpz-0": (Z3, {"zero_optimization.zero_hpz_partition_size": 0}),
    "hpz-auto": (Z3, {"zero_optimization.zero_hpz_partition_size": A}), "qwz": (Z3, {"zero_optimization.zero_quantized_weights": True}), "qwz-2": (Z2, {"zero_optimization.zero_quantized_weights": True}), "qgz": (Z3, {"zero_optimization.zero_quantized_gradients": True}),
    "qgz-2": (Z2, {"zero_optimization.zero_quantized_gradients": True}), "qntz": (Z3, {"zero_optimization.zero_quantized_nontrainable_weights": True}), "loco": (Z3, {"zero_optimization.zeropp_loco_param": {"err_beta": 0.8, "reset_T": 1024}}),
    "loco-qgz": (Z3, {"zero_optimization.zeropp_loco_param": {"err_beta": 0.8, "reset_T": 1024}, "zero_optimization.zero_quantized_gradients": True}), "mics-1": (Z3, {"zero_optimization.mics_shard_size": 1}), "mics-2": (Z2, {"zero_optimization.mics_shard_size": 2}),
    "mics-text": (Z3, {"zero_optimization.mics_shard_size": "4"}), "mics-hier": (Z3, {"zero_optimization.mics_shard_size": 1, "zero_optimization.mics_hierarchical_params_gather": True}), "mics-hpz": (Z3, {"zero_optimization.mics_shard_size": 1, "zero_optimization.zero_hpz_partition_size": 1}),
    "super-2": (Z2, {"zero_optimization.offload_optimizer": {"device": "cpu", "super_offload": True}}), "super-3": (Z3, {"zero_optimization.offload_optimizer": {"device": "cpu", "super_offload": True, "cpuadam_cores_perc": 1.2}}),
    "zenflow-none": (Z2, {"zero_optimization.zenflow": None}), "zenflow-true": (Z2, {"zero_optimization.zenflow": True}), "zenflow-empty": (Z2, {"zero_optimization.zenflow": {}, "zero_optimization.offload_optimizer": CPU}),
    "zenflow-step": (Z2, {"zero_optimization.zenflow": {"topk_ratio": 0.1, "select_strategy": "step", "select_interval": 1, "update_interval": 2}, "zero_optimization.offload_optimizer": CPU}),
    "zenflow-epoch": (Z2, {"zero_optimization.zenflow": {"topk_ratio": 0.1, "select_strategy": "epoch", "select_interval": 1, "update_interval": 2}, "zero_optimization.offload_optimizer": CPU}),
    "zenflow-no-offload": (Z2, {"zero_optimization.zenflow": {"topk_ratio": 0.1, "update_interval": 4}}), "zenflow-big": (Z2, {"zero_optimization.zenflow": {"topk_ratio": 10}, "zero_optimization.offload_optimizer": CPU}),
    "zenflow-typo": (Z2, {"zero_optimization.zenflow": {"top_k_ratio": 0.1}, "zero_optimization.offload_optimizer": CPU}), "zenflow-1": (Z1, {"zero_optimization.zenflow": {"topk_ratio": 0.1}}),
    "deepspeed-io": (Z3, {"aio": {"block_size": "1M", "queue_depth": 8}}), "aio-null": (Z3, {"aio": None}), "aio-list": (Z3, {"aio": []}), "aio-gds": (Z3, {"aio": {"use_gds": True}}), "aio-text": (Z3, {"aio": {"thread_count": "2"}}),
    # precision
    "bf16-true": (SMALL, {"bf16": True}), "bf16-text": (SMALL, {"bf16": {"enabled": "true"}}), "bf16-auto": (SMALL, {"bf16": {"enabled": A}}), "bf16-null": (SMALL, {"bf16": None}), "bfloat16": (SMALL, {"bfloat16": {"enabled": True}}),
    "bfloat16-both": (SMALL, {"bfloat16": {"enabled": True}, "bf16": {"enabled": False}}), "fp16-and-bf16": (HALF, {"bf16": {"enabled": True}}), "fp16-auto": (SMALL, {"fp16": {"enabled": A, "loss_scale": 0}}), "fp16-true": (SMALL, {"fp16": True}),
    "fp16-amp": (HALF, {"amp": {"enabled": True}}), "bf16-scale": (SMALL, {"bf16": {"enabled": True, "loss_scale": 0, "initial_scale_power": 16}}), "bf16-immediate": (SMALL, {"bf16": {"enabled": True, "immediate_grad_update": True}}),
    "bf16-master": (Z3, {"bf16.bf16_master_weights_and_grads": True}), "bf16-states": (Z2, {"bf16.bf16_master_weights_and_grads": True, "bf16.bf16_optimizer_states": True, "zero_optimization.offload_optimizer": CPU}),
    "fp16-static": (HALF, {"fp16.loss_scale": 128}), "fp16-scale-text": (HALF, {"fp16.loss_scale": "dynamic"}), "fp16-negative": (HALF, {"fp16.loss_scale": -1}), "fp16-power": (HALF, {"fp16.initial_scale_power": 16.5}), "fp16-dynamic": (HALF, {"fp16.dynamic_loss_scale": True}),
    "fp16-window-float": (HALF, {"fp16.loss_scale_window": 1e3}), "fp16-hyst": (HALF, {"fp16.consecutive_hysteresis": True, "fp16.hysteresis": 0}), "fp16-cast": (HALF, {"fp16.auto_cast": A}), "fp16-master": (HALF, {"fp16.fp16_master_weights_and_grads": True}),
    "fp16-master-2": (HALF, {"fp16.fp16_master_weights_and_grads": True, "zero_optimization": {"stage": 2, "offload_optimizer": CPU}}), "fp16-backend": (HALF, {"fp16.backend": "apex", "fp16.opt_level": "O2"}), "fp16-min": (HALF, {"fp16.min_loss_scale": 0}),
    "fp16-misspelt": (SMALL, {"fp_16": {"enabled": True}}), "fp32": (SMALL, {"fp32": {"enabled": True}}), "fp8": (SMALL, {"fp8": {"enabled": True, "fp8_format": "hybrid"}}), "dtype-word": (SMALL, {"torch_dtype": "bfloat16"}),
    "autocast": (SMALL, {"torch_autocast": {"enabled": True, "dtype": "bfloat16"}}), "autocast-modules": (Z2, {"torch_autocast": {"enabled": True, "dtype": "bfloat16", "lower_precision_safe_modules": ["torch.nn.Linear"]}, "bf16.enabled": False}),
    "autocast-dtype": (SMALL, {"torch_autocast": {"enabled": True, "dtype": "bf16"}}), "autocast-int8": (SMALL, {"torch_autocast": {"enabled": True, "dtype": "int8"}}), "autocast-and-bf16": (Z2, {"torch_autocast": {"enabled": True}}),
    "data-types": (Z2, {"data_types": {"grad_accum_dtype": "bf16"}}), "data-types-bad": (Z2, {"data_types": {"grad_accum_dtype": "float64"}}), "data-types-fp16": (Z1, {"data_types": {"grad_accum_dtype": "fp16"}}), "data-types-null": (Z1, {"data_types": None}),
    "comm-type": (Z2, {"communication_data_type": "fp32"}), "comm-type-bad": (Z2, {"communication_data_type": "float32"}), "comm-type-null": (Z2, {"communication_data_type": None}), "comm-type-bool": (Z2, {"communication_data_type": True}),
    "comm-block": (Z3, {"communication_data_type": "bfp16"}), "fp32-allreduce": (Z2, {"fp32_allreduce": True}), "sp-type": (Z2, {"seq_parallel_communication_data_type": "fp64"}),
    # batch
    "batch-none": ({"optimizer": ADAMW}, {}), "batch-zero": (PLAIN, {"train_batch_size": 0}), "batch-negative": (PLAIN, {"train_batch_size": -4}), "batch-text": (PLAIN, {"train_batch_size": "16"}), "batch-float": (PLAIN, {"train_batch_size": 16.0}),
    "batch-fraction": (PLAIN, {"train_batch_size": 16.5}), "batch-true": (PLAIN, {"train_batch_size": True}), "batch-null": (PLAIN, {"train_batch_size": None}), "batch-list": (PLAIN, {"train_batch_size": [16]}), "batch-auto": (PLAIN, {"train_batch_size": A}),
    "micro-auto": (SMALL, {"train_micro_batch_size_per_gpu": A}), "micro-float": (SMALL, {"train_micro_batch_size_per_gpu": 2.0}), "micro-text": (SMALL, {"train_micro_batch_size_per_gpu": "2"}), "gas-0": (SMALL, {"gradient_accumulation_steps": 0}),
    "gas-text": (SMALL, {"gradient_accumulation_steps": "4"}), "gas-auto": (SMALL, {"gradient_accumulation_steps": A}), "gas-null": (SMALL, {"gradient_accumulation_steps": None}), "gas-float": (SMALL, {"gradient_accumulation_steps": 4.0}),
    "gas-only": ({"optimizer": ADAMW}, {"gradient_accumulation_steps": 4}), "batch-micro-off": (SMALL, {"train_batch_size": 7, "gradient_accumulation_steps": 4}), "batch-1e400": (PLAIN, {"train_batch_size": "1e400"}), "batch-old-name": (SMALL, {"train_batch_size_per_gpu": 4}),
    "micro-per-device": ({"optimizer": ADAMW}, {"per_device_train_batch_size": 4}), "batch-nested": ({"optimizer": ADAMW}, {"training": {"train_batch_size": 16}}),
    # optimizer and schedule
    "adam-torch": (SMALL, {"optimizer.params.torch_adam": True}), "adam-mode": (SMALL, {"optimizer.type": "Adam", "optimizer.params.adam_w_mode": False}), "adam-case": (SMALL, {"optimizer.type": "adam"}), "adam-ADAMW": (SMALL, {"optimizer.type": "ADAMW"}),
    "adam-8bit": (SMALL, {"optimizer.type": "AdamW8bit"}), "adafactor": (SMALL, {"optimizer.type": "Adafactor"}), "sgd": (SMALL, {"optimizer": {"type": "SGD", "params": {"lr": 0.1, "momentum": 0.9}}}), "sgd-z2": (Z2, {"optimizer": {"type": "SGD", "params": {"lr": 0.1}}}),
    "sgd-z2-tested": (Z2, {"optimizer": {"type": "SGD", "params": {"lr": 0.1}}, "zero_allow_untested_optimizer": True}), "fused-adam": (SMALL, {"optimizer.type": "FusedAdam"}), "cpu-adam": (Z2, {"optimizer.type": "DeepSpeedCPUAdam"}), "lion": (SMALL, {"optimizer.type": "Lion"}),
    "lion-betas": (Z2, {"optimizer": {"type": "Lion", "params": {"lr": 1e-5, "betas": [0.95, 0.98], "weight_decay": 0.1}}}), "adagrad": (Z2, {"optimizer": {"type": "Adagrad", "params": {"lr": 1e-3}}}), "adagrad-offload": (Z2, {"optimizer": {"type": "Adagrad", "params": {"lr": 1e-3}}, "zero_optimization.offload_optimizer": CPU}),
    "lamb-z2": (Z2, {"optimizer": {"type": "Lamb", "params": {"lr": 1e-3}}}), "onebit-z1": (Z1, {"optimizer": {"type": "OneBitAdam", "params": {"lr": 1e-3, "freeze_step": 100}}}), "radam": (SMALL, {"optimizer": {"type": "RAdam", "params": {"lr": 1e-3}}}),
    "rmsprop": (SMALL, {"optimizer": {"type": "RMSprop", "params": {"lr": 1e-3, "alpha": 0.9}}}), "nadam-extra": (SMALL, {"optimizer": {"type": "NAdam", "params": {"lr": 1e-3, "adam_w_mode": True}}}), "opt-auto": (SMALL, {"optimizer.params": {"lr": A, "betas": A, "eps": A, "weight_decay": A}}),
    "opt-lr-text": (SMALL, {"optimizer.params.lr": "1e-4"}), "opt-lr-null": (SMALL, {"optimizer.params.lr": None}), "opt-lr-0": (SMALL, {"optimizer.params.lr": 0}), "opt-lr-negative": (SMALL, {"optimizer.params.lr": -1e-4}), "opt-betas-3": (SMALL, {"optimizer.params.betas": [0.9, 0.99, 0.999]}),
    "opt-betas-1": (SMALL, {"optimizer.params.betas": [0.9]}), "opt-betas-text": (SMALL, {"optimizer.params.betas": "[0.9, 0.999]"}), "opt-betas-big": (Z2, {"optimizer.params.betas": [0.9, 1.0]}), "opt-beta1": (SMALL, {"optimizer.params.beta1": 0.9}), "opt-eps-text": (SMALL, {"optimizer.params.eps": "1e-8"}),
    "opt-wd-negative": (SMALL, {"optimizer.params.weight_decay": -0.1}), "opt-wd-text": (SMALL, {"optimizer.params.weight_decay": "0.01"}), "opt-no-params": (SMALL, {"optimizer.params": GONE}), "opt-params-null": (SMALL, {"optimizer.params": None}), "opt-params-list": (SMALL, {"optimizer.params": [1e-4]}),
    "opt-no-type": (SMALL, {"optimizer.type": GONE}), "opt-word": (SMALL, {"optimizer": "AdamW"}), "opt-null": (SMALL, {"optimizer": None}), "opt-empty": (SMALL, {"optimizer": {}}), "opt-lr-outside": (SMALL, {"optimizer": {"type": "AdamW", "lr": 1e-4}}), "opt-learning-rate": (SMALL, {"optimizer.params": {"learning_rate": 1e-4}}),
    "opt-grad-norm": (SMALL, {"optimizer.params.max_grad_norm": 1.0}), "opt-fusion": (SMALL, {"optimizer.legacy_fusion": True}), "opt-amsgrad": (SMALL, {"optimizer.params.amsgrad": True}), "opt-wd-in-type": (SMALL, {"optimizer.type": "AdamW", "optimizer.params.decay": 0.1}), "opt-none-params": (SMALL, {"optimizer.params": {}}),
    "muon-1": (Z1, {"optimizer": {"type": "Muon", "params": {"lr": 0.02}}}), "muon-3": (Z3, {"optimizer": {"type": "muon", "params": {"lr": 0.02, "ns_method": "gram"}}}), "muon-offload": (Z2, {"optimizer": {"type": "Muon", "params": {"lr": 0.02}}, "zero_optimization.offload_optimizer": CPU}),
    "muon-betas": (Z2, {"optimizer": {"type": "Muon", "params": {"lr": 0.02, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.1}}}), "muon-none": (SMALL, {"optimizer": {"type": "Muon", "params": {"lr": 0.02}}}),
    "sched-linear": (SMALL, {"scheduler": {"type": "linear", "params": {}}}), "sched-cosine": (SMALL, {"scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 1000, "warmup_num_steps": 100}}}), "sched-cosine-hf": (SMALL, {"scheduler": {"type": "CosineAnnealingLR", "params": {"T_max": 100}}}),
    "sched-cosine-ratio": (SMALL, {"scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 1000, "warmup_ratio": 0.1, "warmup_type": "linear", "cos_min_ratio": 0.01}}}), "sched-decay-auto": (SMALL, {"scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": A, "warmup_min_lr": A, "warmup_max_lr": A, "warmup_num_steps": A}}}),
    "sched-decay-missing": (SMALL, {"scheduler": {"type": "WarmupDecayLR", "params": {"warmup_num_steps": 10}}}), "sched-decay-short": (SMALL, {"scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": 5, "warmup_num_steps": 10}}}), "sched-zero-warm": (SMALL, {"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 0}}}),
    "sched-warm-type": (SMALL, {"scheduler": {"type": "WarmupLR", "params": {"warmup_type": "cosine"}}}), "sched-warm-text": (SMALL, {"scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": "1e-4"}}}), "sched-warm-float": (SMALL, {"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 10.0}}}),
    "sched-one-cycle": (SMALL, {"scheduler": {"type": "OneCycle", "params": {"cycle_min_lr": 1e-5, "cycle_max_lr": 1e-3, "cycle_first_step_size": 100}}}), "sched-one-cycle-bare": (SMALL, {"scheduler": {"type": "OneCycle", "params": {"cycle_first_step_size": 100}}}), "sched-range": (SMALL, {"scheduler": {"type": "LRRangeTest", "params": {"lr_range_test_min_lr": 1e-5}}}),
    "sched-no-type": (SMALL, {"scheduler": {"params": {"warmup_num_steps": 10}}}), "sched-null": (SMALL, {"scheduler": None}), "sched-warmup-ratio": (SMALL, {"scheduler": {"type": "WarmupLR", "params": {"warmup_ratio": 0.1}}}), "sched-misspelt": (SMALL, {"scheduler": {"type": "WarmUpLR", "params": {}}}), "sched-no-params": (SMALL, {"scheduler": {"type": "WarmupLR"}}),
    "sched-without-opt": (PLAIN, {"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 10}}}), "lr-scheduler": (SMALL, {"lr_scheduler": {"type": "WarmupLR", "params": {}}}), "clip-text": (SMALL, {"gradient_clipping": "1.0"}), "clip-auto": (SMALL, {"gradient_clipping": A}), "clip-true": (SMALL, {"gradient_clipping": True}),
    "clip-null": (SMALL, {"gradient_clipping": None}), "clip-negative": (SMALL, {"gradient_clipping": -1}), "clip-dict": (SMALL, {"gradient_clipping": {"enabled": True, "value": 1.0}}), "clip-norm": (SMALL, {"max_grad_norm": 1.0}), "predivide": (SMALL, {"gradient_predivide_factor": 2.0, "prescale_gradients": True}),
    "prescale-text": (SMALL, {"prescale_gradients": "true"}), "sparse-z2": (Z2, {"sparse_gradients": True}), "sparse": (SMALL, {"sparse_gradients": True}), "predivide-text": (SMALL, {"gradient_predivide_factor": "2"}),
    # other sections
    "print-0": (SMALL, {"steps_per_print": 0}), "print-null": (SMALL, {"steps_per_print": None}), "print-inf": (SMALL, {"steps_per_print": "inf"}), "print-auto": (SMALL, {"steps_per_print": A}), "print-text": (SMALL, {"steps_per_print": "10"}), "wall-null": (SMALL, {"wall_clock_breakdown": None}), "wall-text": (SMALL, {"wall_clock_breakdown": "false"}),
    "dump": (SMALL, {"dump_state": True}), "memory": (SMALL, {"memory_breakdown": True}), "lm-head": (SMALL, {"dataloader_drop_last": True}), "graph": (SMALL, {"graph_harvesting": True}), "disable-allgather": (SMALL, {"disable_allgather": True}), "timers": (SMALL, {"timers": {"throughput": {"enabled": False, "synchronized": False}}}),
    "timers-true": (SMALL, {"timers": True}), "act-true": (SMALL, {"activation_checkpointing": True}), "act-number": (SMALL, {"activation_checkpointing": {"number_checkpoints": "4"}}), "act-typo": (SMALL, {"activation_checkpointing": {"cpu_checkpoint": True}}), "act-null": (SMALL, {"activation_checkpointing": None}),
    "flops-bad": (SMALL, {"flops_profiler": {"enabled": True, "profile_step": "1"}}), "flops-true": (SMALL, {"flops_profiler": True}), "flops-ops": (SMALL, {"flops_profiler": {"enabled": False, "recompute_fwd_factor": 1.0, "foo": 1}}), "comms-list": (SMALL, {"comms_logger": {"enabled": True, "prof_all": False, "prof_ops": ["all_reduce"]}}),
    "comms-word": (SMALL, {"comms_logger": {"enabled": True, "prof_ops": "all_reduce"}}), "comms-true": (SMALL, {"comms_logger": True}), "comms-typo": (SMALL, {"comms_logger": {"enable": True}}), "wandb-typo": (SMALL, {"wandb": {"enabled": False, "entity": "me"}}), "tb-null": (SMALL, {"tensorboard": None}), "tb-path": (SMALL, {"tensorboard": {"enabled": False, "output_path": None}}),
    "tb-text": (SMALL, {"tensorboard": {"enabled": "no"}}), "csv-true": (SMALL, {"csv_monitor": True}), "monitor-config": (SMALL, {"monitor_config": {"tensorboard": {"enabled": True}}}), "pipe-auto": (SMALL, {"pipeline": A}), "pipe-stages": (SMALL, {"pipeline": {"stages": 2, "partition": "best", "pipe_partitioned": True}}), "pipe-null": (SMALL, {"pipeline": None}),
    "ckpt-tag": (SMALL, {"checkpoint": {"tag_validation": "warning"}}), "ckpt-lower": (SMALL, {"checkpoint": {"tag_validation": "fail"}}), "ckpt-null": (SMALL, {"checkpoint": None}), "ckpt-writer": (SMALL, {"checkpoint": {"writer": {"type": "FAST"}}}), "ckpt-write": (SMALL, {"checkpoint": {"parallel_write": True}}), "ckpt-engine": (SMALL, {"checkpoint_engine": {"type": "torch"}}),
    "hybrid-true": (SMALL, {"hybrid_engine": True}), "hybrid-typo": (SMALL, {"hybrid_engine": {"enabled": False, "max_tokens": 5}}), "hybrid-text": (SMALL, {"hybrid_engine": {"enabled": False, "max_out_tokens": "512"}}), "compile-true": (SMALL, {"compile": True}), "compile-old": (SMALL, {"compile": {"enabled": True, "backend": "inductor", "kwargs": {}}}),
    "compile-deep-0": (SMALL, {"compile": {"deepcompile": True}}), "compile-passes": (Z3, {"compile": {"deepcompile": False, "passes": ["z3", "autosp"]}}), "tp-2": (Z1, {"tensor_parallel": {"autotp_size": 2}}), "tp-0": (Z1, {"tensor_parallel": {"autotp_size": 0}}), "tp-true": (Z1, {"tensor_parallel": True}), "tp-inference": (Z1, {"tensor_parallel": {"tp_size": 2}}),
    "tp-dtype": (Z1, {"tensor_parallel": {"autotp_size": 1, "dtype": "bf16"}}), "tp-preset": (Z1, {"tensor_parallel": {"autotp_size": 1, "preset_model": "llama"}}), "sp-2": (Z3, {"sequence_parallel_size": 2}), "sp-1": (Z3, {"sequence_parallel_size": 1, "data_parallel_size": 1}), "dp-only": (Z3, {"data_parallel_size": 4}), "sp-text": (Z3, {"sequence_parallel_size": "2"}),
    "curriculum": (SMALL, {"curriculum_learning": {"enabled": True, "curriculum_type": "seqlen", "min_difficulty": 8, "max_difficulty": 64, "schedule_type": "fixed_discrete", "schedule_config": {"difficulty": [8, 16, 64], "max_step": [5, 10]}}}), "curriculum-null": (SMALL, {"curriculum_learning": None}), "curriculum-bare": (SMALL, {"curriculum_learning": {"enabled": True}}),
    "eff-off": (SMALL, {"data_efficiency": {"enabled": False, "data_routing": {"enabled": True}}}), "eff-true": (SMALL, {"data_efficiency": True}), "eff-ltd-bare": (SMALL, {"data_efficiency": {"enabled": True, "data_routing": {"enabled": True, "random_ltd": {"enabled": True}}}}), "elastic-off": (SMALL, {"elasticity": {"enabled": False}}),
    "elastic-bare": (PLAIN, {"elasticity": {"enabled": True}}), "elastic-clash": (SMALL, {"elasticity": {"enabled": True, "max_train_batch_size": 64, "micro_batch_sizes": [2], "version": 0.1}}), "autotuning-true": (SMALL, {"autotuning": {"enabled": True}}), "autotuning-bool": (SMALL, {"autotuning": True}), "autotuning-metric": (SMALL, {"autotuning": {"enabled": False, "metric": "speed"}}),
    "compress-bare": (SMALL, {"compression_training": {"weight_quantization": {"shared_parameters": {"enabled": True}}}}), "compress-null": (SMALL, {"compression_training": None}), "compress-empty": (SMALL, {"compression_training": {}}), "compress-channel": (SMALL, {"compression_training": {"channel_pruning": {"shared_parameters": {"enabled": True, "method": "topk"}, "different_groups": {"c": {"params": {"dense_ratio": 0.5}, "modules": ["a"], "related_modules": [["b"]]}}}}}),
    "compress-layers": (SMALL, {"compression_training": {"layer_reduction": {"enabled": True, "keep_number_layer": 4}}}), "weight-quant": (SMALL, {"weight_quantization": {"post_init_quant": {"fc": {"num_bits": 4, "group_size": 64, "group_dim": 0, "symmetric": False}}}}), "pld-text": (SMALL, {"progressive_layer_drop": {"enabled": "true"}}), "pld-off": (SMALL, {"progressive_layer_drop": {"enabled": False, "theta": 2}}),
    "eigen": (SMALL, {"eigenvalue": {"enabled": False, "tol": "1e-2"}}), "sparse-attn-mode": (SMALL, {"sparse_attention": {"mode": "dense"}}), "sparse-attn-bad": (SMALL, {"sparse_attention": {"mode": "longformer"}}), "sparse-attn-empty": (SMALL, {"sparse_attention": {}}), "moe": (SMALL, {"moe": {"enabled": True}, "moe_param_group": True}), "ep": (SMALL, {"expert_parallel": {"enabled": False}}),
    "amp-true": (SMALL, {"amp": True}), "amp-off": (SMALL, {"amp": {"enabled": False}}), "nebula-true": (SMALL, {"nebula": True}), "nebula-bare": (SMALL, {"nebula": {"enabled": True}}), "datastates": (SMALL, {"datastates_ckpt": {"host_cache_size": 16}}), "untested-text": (Z2, {"zero_allow_untested_optimizer": "true"}), "force-cpu": (Z2, {"zero_force_ds_cpu_optimizer": False, "zero_optimization.offload_optimizer": CPU}),
    "force-cpu-text": (Z2, {"zero_force_ds_cpu_optimizer": "false"}), "mp-size": (SMALL, {"mp_size": 2}), "mpu": (SMALL, {"mpu": None, "local_rank": 0}), "zero-inside": (SMALL, {"deepspeed": {"zero_optimization": {"stage": 2}}}), "hf-args": (SMALL, {"gradient_checkpointing": True, "bf16_full_eval": False}), "comment-key": (Z2, {"_comment": "ZeRO-2 for 8 GPUs", "//": "x"}),
    "unused-names": (Z2, {"zero_optimization.offload_optimiser": CPU, "zero_optimization.reduce_bucketsize": 5e8}), "torch-compile": (Z2, {"torch_compile": True}), "sequence-parallel": (Z2, {"sequence_parallel": True}), "use-node": (Z2, {"use_node_local_storage": True}), "use-data-before": (SMALL, {"use_data_before_expert_parallelism": True}), "weights-seed": (SMALL, {"seed": 42}),
}

# texts no JSON printer writes
TEXTS = {
    "trailing-comma": '{"train_batch_size": 16, "fp16": {"enabled": true,},}', "comments": '{\n  // 8 GPUs\n  "train_batch_size": 16, # total\n  /* later */ "steps_per_print": 10\n}', "single-quotes": "{'train_batch_size': 16, 'bf16': {'enabled': true}}", "python-words": '{"train_batch_size": 16, "bf16": {"enabled": True}, "scheduler": None}',
    "no-commas": '{\n  "train_batch_size": 16\n  "steps_per_print": 10\n}', "no-quotes": "{\n  train_batch_size: 16\n  bf16: {enabled: true}\n}", "no-braces": '"train_batch_size": 16,\n"steps_per_print": 10\n', "nan": '{"train_batch_size": 16, "gradient_clipping": NaN}', "infinity": '{"train_batch_size": 16, "steps_per_print": Infinity}',
    "1e400": '{"train_batch_size": 1e400}', "1e400-bucket": '{"train_batch_size": 16, "zero_optimization": {"stage": 2, "reduce_bucket_size": 1e400}}', "minus-zero": '{"train_batch_size": -0}', "hex": '{"train_batch_size": 0x10}', "underscore": '{"train_batch_size": 1_000}', "plus": '{"train_batch_size": +16}', "leading-zero": '{"train_batch_size": 016}', "point": '{"train_batch_size": 16.}',
    "duplicate": '{"train_batch_size": 16, "train_batch_size": 32}', "duplicate-deep": '{"train_batch_size": 16, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu", "device": "none"}}}', "duplicate-section": '{"train_batch_size": 16, "fp16": {"enabled": true}, "fp16": {"enabled": false}}', "list": '[{"train_batch_size": 16}]', "empty": "", "spaces": "  \n\t", "word": "train", "number": "16",
    "null": "null", "open": '{"train_batch_size": 16, "zero_optimization": {"stage": 2', "extra-brace": '{"train_batch_size": 16}}', "two-objects": '{"train_batch_size": 16}\n{"steps_per_print": 1}', "bom": '\ufeff{"train_batch_size": 16}', "string-newline": '{"train_batch_size": 16, "wandb": {"enabled": false, "project": "a\nb"}}', "escape": '{"train_batch_size": 16, "tensorboard": {"output_path": "C:\\logs"}}',
    "triple": "{\"train_batch_size\": 16, \"csv_monitor\": {\"output_path\": '''a'''}}", "yaml": "train_batch_size: 16\nzero_optimization:\n  stage: 2\n", "template": '{"train_batch_size": ${BATCH}, "zero_optimization": {"stage": {{stage}}}}', "shell": '{"train_batch_size": $BATCH_SIZE, "steps_per_print": 10}', "semicolon": '{"train_batch_size": 16; "steps_per_print": 10}', "equals": '{"train_batch_size" = 16}',
    "unicode-quotes": '{\u201ctrain_batch_size\u201d: 16}', "fullwidth-colon": '{"train_batch_size"\uff1a 16}', "key-empty": '{"": 1, "train_batch_size": 16}', "key-dotted": '{"train_batch_size": 16, "zero_optimization.stage": 2}', "nested-list": '{"train_batch_size": 16, "zero_optimization": [{"stage": 2}]}', "big-int": '{"train_batch_size": 99999999999999999999}', "float-batch": '{"train_batch_size": 1.6e1}',
    "comma-first": '{\n  "train_batch_size": 16\n  , "steps_per_print": 10\n}', "true-batch": '{"train_batch_size": true, "gradient_accumulation_steps": true}', "wrapped": '{"deepspeed_config": {"train_batch_size": 16}}', "unquoted-text": '{"train_batch_size": 16, "optimizer": {"type": AdamW, "params": {"lr": 1e-4}}}',
}

TRIANGLES = [(32, None, None), (32, 4, None), (32, None, 4), (None, 4, 2), (None, None, 2), (32, 4, 1), (24, 2, 2), (7, None, None), (1, None, None), (48, 3, None), (30, 5, 2), (96, 2, None), (16, 16, None), (64, 1, 64), (2.0, None, None), (32, "4", None), (32, 4, 0), (21, None, 3)]
# what a script passes itself
CLIENTS = [("AdamW", None), ("SGD", None), ("FusedAdam", None), ("DeepSpeedCPUAdam", None), ("Adam", "ConstantLR")]


def changed(base, edits):
    config = copy.deepcopy(base)
    for path, value in edits.items():
        *parents, last = path.split(".")
        node = config
        for key in parents:
            node = node.setdefault(key, {})
        if value is GONE:
            node.pop(last, None)
        else:
            node[last] = copy.deepcopy(value)
    return config


def cases():
    for name, config in FILES.items():
        text = config if isinstance(config, str) else json.dumps(config, indent=2)
        yield {"id": f"file-{name}", "text": text, "world": 1, "context": {}}
        yield {"id": f"file-{name}-8", "text": text, "world": 8, "context": {}}
        if not isinstance(config, str) and "optimizer" not in config:
            yield {"id": f"file-{name}-client", "text": text, "world": 1, "context": {"optimizer": "AdamW"}}
    for name, (base, edits) in FEATURES.items():
        yield {"id": f"feature-{name}", "text": json.dumps(changed(base, edits)), "world": 1, "context": {}}
    for name, text in TEXTS.items():
        yield {"id": f"text-{name}", "text": text, "world": 1, "context": {}}
    for index, (whole, micro, steps) in enumerate(TRIANGLES):
        sizes = {"train_batch_size": whole, "train_micro_batch_size_per_gpu": micro, "gradient_accumulation_steps": steps}
        text = json.dumps({key: value for key, value in sizes.items() if value is not None})
        for world in (1, 3, 6, 7, 8, 16):
            yield {"id": f"triangle-{index}-{world}", "text": text, "world": world, "context": {}}
    for optimizer, scheduler in CLIENTS:
        for stage in (0, 1, 2, 3):
            for section in ({"bf16": {"enabled": True}}, {"fp16": {"enabled": True}}, {"bf16": {"enabled": True}, "offload": True}):
                offload = {"offload_optimizer": {"device": "cpu"}} if "offload" in section else {}
                config = {"train_micro_batch_size_per_gpu": 1, **{key: value for key, value in section.items() if key != "offload"}, "zero_optimization": {"stage": stage, **offload}}
                context = {"optimizer": optimizer, **({"scheduler": scheduler} if scheduler else {})}
                yield {"id": f"client-{optimizer}-{stage}-{'-'.join(section)}", "text": json.dumps(config), "world": 1, "context": context}
    for name in ("alexnet-pipe", "bloom-176b", "megatron-rescaled", "sft-zero2", "llava-zero3", "universal", "cifar", "bert-lamb", "moe-cifar", "whisper", "neox-style", "flops"):
        config = {**FILES[name], "train_batch_size": 8}
        config.pop("train_micro_batch_size_per_gpu", None)
        config.pop("gradient_accumulation_steps", None)
        yield {"id": f"pipe-{name}", "text": json.dumps(config), "world": 1, "context": {"pipeline_model": True}}
    for name in ("sft-zero2", "rlhf-critic", "cifar", "zenflow-blog", "superoffload-blog", "muon-blog", "rlhf-actor", "moss-sft", "gpt-j", "bert-lamb"):
        yield {"id": f"cpu-{name}", "text": json.dumps(FILES[name]), "world": 1, "context": {"device": "cpu"}}


if __name__ == "__main__":
    for case in cases():
        print(json.dumps(case))
