# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of a ds_config, each filled in one of the ways seen in public projects. Used by common_configs.py."""
import copy

A = "auto"


def zero2(r):
    zero = {"stage": 2, "allgather_partitions": True, "allgather_bucket_size": r.choice([2e8, 5e8, 500000000]), "overlap_comm": r.choice([True, False]),
            "reduce_scatter": True, "reduce_bucket_size": r.choice([2e8, 5e8, A]), "contiguous_gradients": True}
    if r.random() < 0.3:
        zero["round_robin_gradients"] = True
    if r.random() < 0.3:
        zero["offload_optimizer"] = r.choice([{"device": "cpu", "pin_memory": True}, {"device": "none"}, {"device": "cpu"}, {"device": "none", "pin_memory": True}])
    if r.random() < 0.15:
        zero["offload_param"] = {"device": r.choice(["cpu", "none"]), "pin_memory": True}
    if r.random() < 0.15:
        zero["stage3_gather_16bit_weights_on_model_save"] = True
    if r.random() < 0.1:
        zero["cpu_offload"] = r.choice([True, False])
    if r.random() < 0.15:
        zero["sub_group_size"] = 1e9
    return zero


def zero3(r):
    auto = r.random() < 0.5
    zero = {"stage": 3, "overlap_comm": True, "contiguous_gradients": True, "sub_group_size": r.choice([1e9, 1e8, 1000000000.0, 1e14, A]),
            "reduce_bucket_size": A if auto else r.choice([5e8, 1e7, 1e6, 500000000]),
            "stage3_prefetch_bucket_size": A if auto else r.choice([5e8, 5e7, 1e6, 0, 15099494.4]),
            "stage3_param_persistence_threshold": A if auto else r.choice([1e6, 1e5, 1e4, 0]),
            "stage3_max_live_parameters": r.choice([1e9, 3e7, 2e10, 0, A]), "stage3_max_reuse_distance": r.choice([1e9, 3e9, 0]),
            r.choice(["stage3_gather_16bit_weights_on_model_save"] * 4 + ["stage3_gather_fp16_weights_on_model_save", "gather_16bit_weights_on_model_save"]):
                r.choice([True, True, False, A])}
    for key in ("sub_group_size", "stage3_max_live_parameters", "stage3_max_reuse_distance", "contiguous_gradients"):
        if r.random() < 0.2:
            zero.pop(key)
    if r.random() < 0.4:
        zero["offload_optimizer"] = offload(r, False)
    if r.random() < 0.4:
        zero["offload_param"] = offload(r, True)
    if r.random() < 0.2:
        zero.update({"zero_hpz_partition_size": r.choice([1, 1, 4, 8, 16]), "zero_quantized_weights": r.choice([False, False, True]),
                     "zero_quantized_gradients": r.choice([False, False, True])})
    if r.random() < 0.15:
        zero["memory_efficient_linear"] = r.choice([True, False])
    if r.random() < 0.1:
        zero["round_robin_gradients"] = True
    if r.random() < 0.1:
        zero["mics_shard_size"] = r.choice([-1, 1])
        zero["mics_hierarchical_params_gather"] = False
    if r.random() < 0.1:
        zero["ignore_unused_parameters"] = True
    if r.random() < 0.1:
        zero["elastic_checkpoint"] = r.choice([True, False])
    return zero


def offload(r, param):
    kind = r.random()
    if kind < 0.5:
        block = {"device": "cpu", "pin_memory": r.choice([True, False])}
    elif kind < 0.65:
        block = {"device": "none"}
    elif kind < 0.75:
        block = {"device": "none", "nvme_path": None}
    else:
        block = {"device": "nvme", "nvme_path": r.choice(["/local_nvme", "/mnt/nvme0/offload", "/tmp/ds"]), "pin_memory": True}
        block.update({"buffer_count": 5, "buffer_size": r.choice([1e8, 1e9, 100000000]), "max_in_cpu": 1e9} if param else
                     {"buffer_count": 4, "fast_init": False, "pipeline_read": r.choice([True, False]), "pipeline_write": False})
    if r.random() < 0.1:
        block["ratio" if not param else "max_in_cpu"] = r.choice([0.3, 1.0]) if not param else 1e9
    if r.random() < 0.08:
        block["buffer_size" if not param else "fast_init"] = 1e8 if not param else False
    return block


def zero1(r):
    zero = {"stage": r.choice([0, 1, 1])}
    for key, value in (("reduce_bucket_size", 5e8), ("allgather_bucket_size", 5e8), ("overlap_comm", True), ("contiguous_gradients", True),
                       ("reduce_scatter", True), ("allgather_partitions", True), ("cpu_offload", False), ("round_robin_gradients", True)):
        if r.random() < 0.35:
            zero[key] = value
    return zero


def any_zero(r):
    return r.choice([zero1, zero2, zero2, zero3, zero3])(r)


def fp16(r, on=None):
    section = {"enabled": r.choice([True, A, False]) if on is None else on, "loss_scale": r.choice([0, 0, 0, 128, 0.0]), "loss_scale_window": r.choice([1000, 500, 100]),
               "initial_scale_power": r.choice([16, 12, 32, 8]), "hysteresis": 2, "min_loss_scale": r.choice([1, 1e-10, 0.5, 1])}
    for key in list(section)[1:]:
        if r.random() < 0.3:
            section.pop(key)
    if r.random() < 0.25:
        section["auto_cast"] = r.choice([False, True])
    if r.random() < 0.08:
        section["opt_level"] = "O2"
    if r.random() < 0.08:
        section["fp16_master_weights_and_grads"] = r.choice([True, False])
    return section


def precision(r, config):
    kind = r.random()
    if kind < 0.35:
        config["bf16"] = {"enabled": r.choice([True, True, A])}
    elif kind < 0.65:
        config["fp16"] = fp16(r, True)
    elif kind < 0.9:
        config["fp16"] = fp16(r)
        config["bf16"] = {"enabled": r.choice([A, False, True])}
    elif kind < 0.94:
        config["bfloat16"] = {"enabled": r.choice([True, A])}
    elif kind < 0.97:
        config["bf16"] = {"enabled": True, "loss_scale": 1.0, "initial_scale_power": 16}
    if r.random() < 0.05:
        config["amp"] = {"enabled": r.choice([False, A]), "opt_level": r.choice([A, "O1"])}
    if r.random() < 0.05:
        config["torch_autocast"] = {"enabled": True, "dtype": "bfloat16"}


def optimizer(r, auto=None):
    auto = r.random() < 0.4 if auto is None else auto
    kind = r.choice(["AdamW"] * 8 + ["Adam"] * 5 + ["adamw", "Adam", "SGD", "Lamb", "OneBitAdam", "Adagrad", "Lion", "RMSprop", "FusedAdam", "AdamW8bit", "CPUAdam",
                                                     "ZeroOneAdam", "Muon", "Adafactor", "OneBitLamb"])
    if auto:
        params = {"lr": A, "betas": A, "eps": A, "weight_decay": A}
        if r.random() < 0.2:
            params["torch_adam"] = True
            params["adam_w_mode"] = True
        return {"type": kind, "params": params}
    params = {"lr": r.choice([3e-5, 1e-4, 2e-5, 5e-6, 0.001, 1e-3, 9.65e-6])}
    low = kind.lower()
    if "adam" in low or low in ("lamb", "lion"):
        if r.random() < 0.6:
            params["betas"] = r.choice([[0.9, 0.999], [0.8, 0.999], [0.9, 0.95], [0.9, 0.98]])
        if r.random() < 0.6 and low != "lion":
            params["eps"] = r.choice([1e-8, 1e-6])
    if r.random() < 0.6:
        params["weight_decay"] = r.choice([0.01, 0.1, 0.0, 3e-7, 0])
    if low == "sgd" and r.random() < 0.6:
        params["momentum"] = 0.9
    if low == "adam" and r.random() < 0.3:
        params[r.choice(["adam_w_mode", "torch_adam", "bias_correction"])] = r.choice([True, False])
    if low.startswith("onebit") or low == "zerooneadam":
        params.update({"freeze_step": 400, "cuda_aware": False, "comm_backend_name": r.choice(["nccl", "mpi"])} if low != "zerooneadam" else
                      {"var_freeze_step": 1000, "var_update_scaler": 16, "local_step_scaler": 1000, "local_step_clipper": 16, "cuda_aware": False, "comm_backend_name": "nccl"})
    if low == "lamb" and r.random() < 0.5:
        params.update({"bias_correction": False, "max_coeff": 0.3, "min_coeff": 0.01})
    if r.random() < 0.06:
        params[r.choice(["max_grad_norm", "amsgrad", "momentum", "warmup_steps", "correct_bias", "fused"])] = r.choice([1.0, True, False])
    return {"type": kind, "params": params}


def scheduler(r, auto=None):
    auto = r.random() < 0.35 if auto is None else auto
    kind = r.choice(["WarmupLR"] * 4 + ["WarmupDecayLR"] * 4 + ["WarmupCosineLR", "OneCycle", "LRRangeTest", "CosineAnnealingLR", "cosine", "WarmupCosine", "StepLR"])
    if auto:
        params = {"warmup_min_lr": A, "warmup_max_lr": A, "warmup_num_steps": A}
        if kind == "WarmupDecayLR":
            params["total_num_steps"] = A
        return {"type": kind, "params": params}
    params = {"warmup_min_lr": r.choice([0, 0.0, 1e-7]), "warmup_max_lr": r.choice([3e-5, 0.001, 1e-4]), "warmup_num_steps": r.choice([500, 1000, 100, 0, 10, 1])}
    if kind == "WarmupDecayLR":
        if r.random() < 0.85:
            params["total_num_steps"] = r.choice([10000, 50000, 100, 1e5])
        if r.random() < 0.2:
            params["warmup_type"] = r.choice(["linear", "log", "cosine"])
    elif kind == "WarmupCosineLR":
        params = {"total_num_steps": 10000, "warmup_num_steps": r.choice([100, 500]), "cos_min_ratio": r.choice([0.1, 0.0001]), "warmup_min_ratio": 0.0}
        if r.random() < 0.3:
            params["warmup_max_lr"] = 1e-4
    elif kind == "OneCycle":
        params = {"cycle_first_step_size": 1000, "cycle_first_stair_count": 500, "cycle_second_step_size": 1000, "cycle_second_stair_count": 500,
                  "decay_step_size": 1000, "cycle_min_lr": 0.0001, "cycle_max_lr": 0.0010, "decay_lr_rate": 0.001, "cycle_min_mom": 0.85, "cycle_max_mom": 0.99, "decay_mom_rate": 0.0}
    elif kind == "LRRangeTest":
        params = {"lr_range_test_min_lr": 0.0001, "lr_range_test_step_size": 200, "lr_range_test_step_rate": 5, "lr_range_test_staircase": False}
    elif kind == "CosineAnnealingLR":
        params = {"T_max": 1000, "eta_min": 1e-6}
    elif kind == "StepLR":
        params = {"step_size": 30, "gamma": 0.1}
    return {"type": kind, "params": params}


def batch(r, config, auto):
    if auto:
        config.update({"train_batch_size": A, "train_micro_batch_size_per_gpu": A, "gradient_accumulation_steps": A})
        return
    micro, steps, world = r.choice([1, 2, 4, 8]), r.choice([1, 2, 4, 8, 16]), r.choice([1, 1, 2, 4, 8])
    config["#world"] = world
    kind = r.random()
    if kind < 0.25:
        config["train_batch_size"] = micro * steps * world
    elif kind < 0.5:
        config.update({"train_batch_size": micro * steps * world, "train_micro_batch_size_per_gpu": micro})
    elif kind < 0.7:
        config.update({"train_batch_size": micro * steps * world, "train_micro_batch_size_per_gpu": micro, "gradient_accumulation_steps": steps})
    elif kind < 0.85:
        config.update({"train_micro_batch_size_per_gpu": micro, "gradient_accumulation_steps": steps})
    elif kind < 0.92:
        config["train_micro_batch_size_per_gpu"] = micro
    else:
        config.update({"train_batch_size": r.choice([16, 24, 30, 100, 256]), "train_micro_batch_size_per_gpu": r.choice([3, 4, 16]),
                       "gradient_accumulation_steps": r.choice([1, 2, 4])})


def trimmings(r, config):
    if r.random() < 0.6:
        config["steps_per_print"] = r.choice([10, 100, 2000, 1, 1e5, "inf", 200])
        if config["steps_per_print"] == "inf" and r.random() < 0.7:
            config["steps_per_print"] = 50
    if r.random() < 0.5:
        config["wall_clock_breakdown"] = r.choice([False, False, True])
    if r.random() < 0.5:
        config["gradient_clipping"] = r.choice([1.0, 1, 0.3, A, 0.0, 2.0])
    if r.random() < 0.2:
        config["prescale_gradients"] = r.choice([False, False, True])
    if r.random() < 0.2:
        config["zero_allow_untested_optimizer"] = r.choice([True, False])
    if r.random() < 0.1:
        config["zero_force_ds_cpu_optimizer"] = False
    if r.random() < 0.12:
        config["communication_data_type"] = r.choice(["fp16", "bf16", "fp32", "bfp16", "float16"])
    if r.random() < 0.1:
        config["dump_state"] = r.choice([True, False])
    if r.random() < 0.1:
        config["memory_breakdown"] = r.choice([True, False])
    if r.random() < 0.08:
        config["data_types"] = {"grad_accum_dtype": r.choice(["fp32", "bf16", None, "fp16"])}
    if r.random() < 0.06:
        config["seed"] = 1234
    if r.random() < 0.06:
        config["sparse_gradients"] = r.choice([False, True])
    if r.random() < 0.05:
        config["fp32_allreduce"] = r.choice([True, False])
    if r.random() < 0.05:
        config["gradient_predivide_factor"] = r.choice([1.0, 8.0])
    if r.random() < 0.05:
        config["local_rank"] = 0
    if r.random() < 0.04:
        config["disable_allgather"] = True
    if r.random() < 0.05:
        config["dataloader_drop_last"] = r.choice([True, False])


def activation(r, config):
    section = {"partition_activations": r.choice([True, False]), "cpu_checkpointing": r.choice([True, False]),
               "contiguous_memory_optimization": r.choice([True, False]), "number_checkpoints": r.choice([None, 4, 100]),
               "synchronize_checkpoint_boundary": False, "profile": r.choice([True, False])}
    for key in list(section):
        if r.random() < 0.25:
            section.pop(key)
    if r.random() < 0.15:
        section[r.choice(["enabled", "checkpoint_in_cpu", "contiguous_checkpointing", "num_layers", "partition_grad"])] = True
    config["activation_checkpointing"] = section


def aio(r, config):
    config["aio"] = {"block_size": r.choice([262144, 1048576, 2097152, 1e6]), "queue_depth": r.choice([8, 16, 32]), "thread_count": r.choice([1, 2]),
                     "single_submit": False, "overlap_events": True}
    if r.random() < 0.2:
        config["aio"]["intra_op_parallelism"] = config["aio"].pop("thread_count")
    if r.random() < 0.1:
        config["aio"]["use_gds"] = False


def monitors(r, config):
    for name, extra in (("tensorboard", {}), ("csv_monitor", {}), ("wandb", {"group": "my_group", "team": "my_team", "project": "my_project"})):
        if r.random() < 0.5:
            section = {"enabled": r.choice([True, False])}
            if name != "wandb":
                section.update({"output_path": r.choice(["output/ds_logs/", "", "runs", None] if r.random() < 0.3 else ["logs/"]), "job_name": "train_bert"})
            section.update(extra)
            if r.random() < 0.1:
                section[r.choice(["log_dir", "entity", "name", "project"])] = "x"
            config[name] = section
    if r.random() < 0.15:
        config["comet"] = {"enabled": False, "project": "p", "workspace": "w", "samples_log_interval": 100}


def comms(r, config):
    config["comms_logger"] = r.choice([{"enabled": True, "verbose": False, "prof_all": True, "debug": False},
                                       {"enabled": True, "verbose": False, "prof_all": False, "prof_ops": ["all_reduce", "all_gather"], "debug": False},
                                       {"enabled": False}, {"enabled": True, "prof_all": True, "prof_ops": ["all_reduce"]}, {"enabled": "true", "verbose": "false"},
                                       {"enabled": True, "prof_ops": "all_reduce"}])


def flops(r, config):
    config["flops_profiler"] = {"enabled": r.choice([True, False]), "profile_step": r.choice([1, 5]), "module_depth": -1, "top_modules": r.choice([1, 3]),
                                "detailed": True, "output_file": r.choice([None, "/tmp/flops.txt"])}
    if r.random() < 0.2:
        config["flops_profiler"].pop("output_file")
    if r.random() < 0.1:
        config["flops_profiler"]["recompute_fwd_factor"] = 0.0
    if r.random() < 0.1:
        config["flops_profiler"]["profile_steps"] = 2


def autotuning(r, config):
    config["autotuning"] = {"enabled": r.choice([True, False]), "results_dir": r.choice(["autotuning_results", "results", None]), "exps_dir": "autotuning_exps", "overwrite": False,
                            "metric": r.choice(["throughput", "latency", "flops"]), "start_profile_step": 3, "end_profile_step": 5, "fast": r.choice([True, False]),
                            "max_train_batch_size": r.choice([None, 4096]), "mp_size": 1, "num_tuning_micro_batch_sizes": 3, "tuner_type": r.choice(["model_based", "gridsearch", "random"]),
                            "tuner_early_stopping": 5, "tuner_num_trials": 50,
                            "arg_mappings": r.choice([None, {"train_micro_batch_size_per_gpu": "--per_device_train_batch_size", "gradient_accumulation_steps ": "--gradient_accumulation_steps"}])}
    for key in list(config["autotuning"])[1:]:
        if r.random() < 0.4:
            config["autotuning"].pop(key)
    if r.random() < 0.2:
        config["autotuning"].update({"num_nodes": None, "num_gpus": None})
    if r.random() < 0.2:
        config["autotuning"]["start_step"] = 3
    if r.random() < 0.15:
        config["autotuning"]["model_info"] = {"profile": True}


def elasticity(r, config):
    config["elasticity"] = {"enabled": r.choice([True, True, False]), r.choice(["max_train_batch_size"] * 5 + ["max_acceptable_batch_size"]): r.choice([2000, 512, 10000]),
                            "micro_batch_sizes": r.choice([[2, 4, 6], [1, 2, 4], [8, 12, 16, 17], [4]]),
                            "min_gpus": r.choice([1, 2]), "max_gpus": r.choice([10000, 64, 8]), "min_time": r.choice([0, 20]), "version": r.choice([0.1, 0.2, 0.1]),
                            "ignore_non_elastic_batch_info": r.choice([True, False])}
    if config["elasticity"]["version"] == 0.2:
        config["elasticity"].update({"model_parallel_size": r.choice([1, 2, 4]), "num_gpus_per_node": r.choice([4, 8])})
    for key in ("min_gpus", "max_gpus", "min_time", "ignore_non_elastic_batch_info"):
        if r.random() < 0.3:
            config["elasticity"].pop(key)
    if r.random() < 0.3:
        config["elasticity"]["prefer_larger_batch"] = r.choice([True, False])
    if r.random() < 0.7:
        for key in ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"):
            config.pop(key, None)


def curriculum(r, config):
    kind = r.choice(["fixed_linear", "fixed_root", "fixed_discrete", "custom"])
    schedule = {"fixed_linear": {"total_curriculum_step": 15000, "difficulty_step": 8}, "fixed_root": {"total_curriculum_step": 15000, "difficulty_step": 8, "root_degree": 2},
                "fixed_discrete": {"difficulty": [64, 128, 256], "max_step": [5000, 10000]}, "custom": {}}[kind]
    config["curriculum_learning"] = {"enabled": r.choice([True, True, False]), "curriculum_type": "seqlen", "min_difficulty": 8, "max_difficulty": 1024, "schedule_type": kind, "schedule_config": schedule}
    if r.random() < 0.25:
        config["curriculum_learning"].pop(r.choice(list(config["curriculum_learning"])))


def efficiency(r, config):
    metric = {"index_to_sample_path": "/data/i2s", "index_to_metric_path": "/data/i2m", "difficulty_type": "percentile", "clustering_type": "schedule_based", "min_difficulty": 1,
              "max_difficulty": 100, "schedule_type": "fixed_root", "schedule_config": {"total_curriculum_step": 110000, "difficulty_step": 1, "root_degree": 2}}
    ltd = {"enabled": r.choice([True, False]), "total_layer_num": 24, "random_ltd_layer_num": 22, "random_ltd_layer_id": list(range(1, 23)), "model_mask_name": "attention_mask", "model_type": "decoder",
           "hidden_state_order": "seq_batch_dim", "random_ltd_schedule": {"min_value": 128, "max_value": 2048, "schedule_type": "fixed_linear",
                                                                          "schedule_config": {"require_steps": 200000, "seq_per_step": 16}}}
    if r.random() < 0.3:
        ltd["layer_token_lr_schedule"] = {"enabled": r.choice([True, False])}
    if r.random() < 0.2:
        ltd.pop(r.choice(list(ltd)[1:]))
    config["data_efficiency"] = {"enabled": r.choice([True, True, False]), "seed": 1234}
    if r.random() < 0.5:
        config["data_efficiency"]["data_routing"] = {"enabled": r.choice([True, True, False]), "random_ltd": ltd}
    if r.random() < 0.6:
        sampling = {"enabled": r.choice([True, False]), "num_epochs": 1, "num_workers": 0,
                    "curriculum_learning": {"enabled": r.choice([False, False, True]), "data_cluster_path": "/data/clusters", "curriculum_metrics": {"vocabularyrarity": metric}}}
        if r.random() < 0.3:
            sampling["dynamic_batching"] = {"enabled": r.choice([True, False]), "metrics_path": "/data/m", "lr_scaling_method": "linear", "min_batch_size": 1, "max_batch_size": 10, "max_tokens": 4096,
                                            "sequence_picking_order": "dataloader", "verbose": False}
        if r.random() < 0.2:
            sampling["curriculum_learning"].pop("curriculum_metrics")
        config["data_efficiency"]["data_sampling"] = sampling


def compression(r, config):
    quant = {"shared_parameters": {"enabled": r.choice([True, False]), "quantizer_kernel": False, "schedule_offset": 0, "quantize_groups": 1, "quantize_verbose": True,
                                   "quantization_type": "symmetric", "quantize_weight_in_forward": r.choice([True, False]), "rounding": "nearest",
                                   "fp16_mixed_quantize": {"enabled": False, "quantize_change_ratio": 0.1}},
             "different_groups": {"wq1": {"params": {"start_bits": 8, "target_bits": 8, "quantization_period": 50}, "modules": ["attention.self", "intermediate"]}}}
    act = {"shared_parameters": {"enabled": r.choice([True, False]), "quantization_type": "asymmetric", "range_calibration": "dynamic", "schedule_offset": 50},
           "different_groups": {"aq1": {"params": {"bits": 8}, "modules": ["attention.output"]}}}
    sparse = {"shared_parameters": {"enabled": True, "schedule_offset": 30, "method": r.choice(["l1", "topk"])},
              "different_groups": {"sp1": {"params": {"dense_ratio": 0.5}, "modules": ["attention.self"]}}}
    head = {"shared_parameters": {"enabled": True, "schedule_offset": 10, "method": "topk", "num_heads": 12},
            "different_groups": {"rp1": {"params": {"dense_ratio": 0.5}, "modules": ["attention.output.dense"], "related_modules": [["self.query", "self.key"]]}}}
    section = {}
    for name, value in (("weight_quantization", quant), ("activation_quantization", act), ("sparse_pruning", sparse), ("head_pruning", head)):
        if r.random() < 0.4:
            section[name] = copy.deepcopy(value)
            if r.random() < 0.2:
                section[name].pop(r.choice(list(section[name])))
    if r.random() < 0.4:
        section["layer_reduction"] = {"enabled": True, "keep_number_layer": 5, "module_name_prefix": "bert.encoder.layer", "teacher_layer": [2, 4, 6, 8, 10], "other_module_name": ["bert.pooler"]}
    config["compression_training"] = section


def pipeline(r, config):
    config["pipeline"] = r.choice([{"stages": 4, "partition": "best", "seed_layers": False, "activation_checkpoint_interval": 0}, {"pipe_partitioned": True, "grad_partitioned": True},
                                   {"activation_checkpoint_interval": 1}, {"enabled": True, "num_stages": 2}, {"stages": "auto", "partition": "type:transformer", "micro_batch_size": 1},
                                   {"pipe_partitioned": "true"}, {"use_reentrant": False}])
    config["#pipe"] = r.random() < 0.6


def moe(r, config):
    config.update(r.choice([{"moe": {"enabled": True, "num_experts": 8, "ep_size": 4, "k": 1}}, {"moe": {"ep_size": 1, "moe_expert_parallel_size": 2}},
                            {"expert_parallel": {"enabled": True, "autoep_size": 1}}, {"expert_parallel": {"enabled": True, "autoep_size": 2, "preset_model": "mixtral"}}]))


def tensor(r, config):
    config["tensor_parallel"] = r.choice([{"autotp_size": 1}, {"autotp_size": 2}, {"autotp_size": 4, "tp": {"tp_size": 4}}, {"enabled": True, "tp_size": 4}, {"tp": {"tp_size": 2}}, {"tp_size": 2},
                                          {"autotp_size": 2, "preset_model": "llama"}, {"autotp_size": 0}, {"autotp_size": 2, "partition_config": {"use_default_specs": True}},
                                          {"autotp_size": 1, "tp_overlap_comm": True}])


def hybrid(r, config):
    config["hybrid_engine"] = {"enabled": r.choice([True, False]), "max_out_tokens": r.choice([512, 256]), "inference_tp_size": r.choice([1, 2]), "release_inference_cache": r.choice([False, True]),
                               "pin_parameters": True, "tp_gather_partition_size": 8}


def checkpointing(r, config):
    config["checkpoint"] = r.choice([{"tag_validation": "Warn", "load_universal": False, "use_node_local_storage": False, "parallel_write": {"pipeline_stage": False}}, {"load_universal": True},
                                     {"tag_validation": "Fail"}, {"tag_validation": "error"}, {"async_io": True}, {"writer": {"type": "fast", "decoupled": True}}, {"use_node_local_storage": True},
                                     {"checkpoint_serialization": True}, {"save_latest": True}])


def old_extras(r, config):
    config.update(r.choice([{"sparse_attention": {"mode": "fixed", "block": 16, "different_layout_per_head": True, "num_local_blocks": 4, "num_global_blocks": 1, "attention": "bidirectional",
                                                  "horizontal_global_attention": False, "num_different_global_patterns": 4}},
                            {"sparse_attention": {"mode": "bigbird", "block": 16, "num_random_blocks": 1, "num_sliding_window_blocks": 3, "num_global_blocks": 1}},
                            {"progressive_layer_drop": {"enabled": True, "theta": 0.5, "gamma": 0.001}}, {"progressive_layer_drop": {"enabled": False}},
                            {"nebula": {"enabled": False, "persistent_storage_path": "/foo", "persistent_time_interval": 100, "num_of_version_in_retention": 2, "enable_nebula_load": True}},
                            {"eigenvalue": {"enabled": False, "verbose": True, "max_iter": 50, "tol": 1e-2, "stability": 0, "gas_boundary_resolution": 1, "layer_name": "bert.encoder.layer", "layer_num": 12}},
                            {"quantize_training": {"enabled": False, "quantize_verbose": True, "quantizer_kernel": True, "quantize_type": "symmetric", "quantize_bits": {"start_bits": 16, "target_bits": 8}}},
                            {"graph_harvesting": False}, {"amp": {"enabled": True, "opt_level": "O1"}}, {"memory_breakdown": False}, {"use_data_before_expert_parallelism": True},
                            {"checkpoint": {"tag_validation": "IGNORE"}}, {"timers": {"throughput": {"enabled": True, "synchronized": True}}}, {"load_universal_checkpoint": True}]))


def newer_extras(r, config):
    config.update(r.choice([{"compile": {"deepcompile": False}}, {"compile": {"deepcompile": True, "passes": ["z3"]}}, {"compile": {"enabled": True, "backend": "inductor"}}, {"sequence_parallel_size": 2},
                            {"seq_parallel_communication_data_type": "bf16"}, {"use_multi_rank_bucket_allreduce": False}, {"gradient_allreduce_op": "mean"}, {"zenflow": {"topk_ratio": 0.1}},
                            {"datastates_ckpt": {"host_cache_size": 16}}, {"weight_quantization": {"quantized_initialization": {"num_bits": 8, "group_size": 64}}},
                            {"checkpoint": {"writer": {"type": "vanilla"}}}, {"data_parallel_size": 2}, {"log_level": "info"}, {"torch_autocast": {"enabled": False}},
                            {"managed_gradient_accumulation": True}, {"timers": {"throughput": {"enabled": False}}}]))


EXTRAS = [activation, aio, monitors, comms, flops, autotuning, elasticity, curriculum, efficiency, compression, pipeline, moe, tensor, hybrid, checkpointing, old_extras, newer_extras]
