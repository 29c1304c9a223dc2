// SPDX-License-Identifier: GPL-3.0-or-later
// FSDP2's arguments, in the words of torchtitan, torchtune, Accelerate and Transformers' Trainer.
#include "planner/case_arguments.h"
#include "planner/findings.h"
#include "planner/loss_kernel.h"
#include "planner/optimizer_states.h"
#include "planner/pipeline_batch.h"
#include "workspace/host_shards.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace stagecraft {

namespace {

// torchtitan's fsdp_reshard_after_forward: default | always | never; fully_shard's own argument is true or false. By default a pipeline
// keeps what it has gathered, for its next micro-batch.
void readResharding(CaseArguments& a, TrainingCase& c)
{
    const std::string said = a.word("fsdp_reshard_after_forward", "default");
    if (said == "always" || said == "never") c.reshardAsked = said == "always";
    else if (said != "default") a.complain("plan.argument.reshard", "fsdp_reshard_after_forward", "is \"{}\"; use default, always or never", {said});
    if (a.has("reshard_after_forward")) c.reshardAsked = a.flag("reshard_after_forward");
    c.reshardAfterForward = c.reshardAsked.value_or(c.pp == 1);
}

// torchtitan's mesh is of all ranks that are started: sizes that leave some over stop it (torchtitan/distributed/parallel_dims.py,
// ParallelDims._validate). Where their product divides the devices, as many are meant.
void tellOddMesh(CaseArguments& a, const TrainingCase& c, std::int64_t devices)
{
    const char* named = nullptr;
    for (const char* name : {"fsdp", "tp", "pp", "cp"})
        if (!named && a.has(name)) named = name;
    const double made = static_cast<double>(c.dp) * static_cast<double>(c.tp) * static_cast<double>(c.pp) * static_cast<double>(c.cp);
    if (!named || made > static_cast<double>(devices) || devices % static_cast<std::int64_t>(made) == 0) return;
    const std::int64_t own = *named == 'f' ? c.dp : *named == 't' ? c.tp : *named == 'p' ? c.pp : c.cp;
    a.complain("plan.argument.mesh", named, "is {}: fsdp {} x tp {} x pp {} x cp {} makes {} ranks, which does not divide the {} devices; use sizes whose product does",
               {std::to_string(own), std::to_string(c.dp), std::to_string(c.tp), std::to_string(c.pp), std::to_string(c.cp), std::to_string(static_cast<std::int64_t>(made)), std::to_string(devices)});
}

// A type as torchtitan, FSDP2's MixedPrecisionPolicy and Accelerate write it; `none` is what their "no" and a null stand for.
std::optional<Precision> typeOf(CaseArguments& a, const char* name, Precision none)
{
    if (!a.has(name)) return std::nullopt;
    const std::string said = a.word(name, a.flag(name) ? a.find(name)->dump() : "no");
    std::string word = said;
    if (word.starts_with("torch.")) word.erase(0, 6);
    if (word == "no" || word == "none") return none;
    if (word == "bfloat16" || word == "bf16") return Precision::Bf16;
    if (word == "float16" || word == "fp16" || word == "half") return Precision::Fp16;
    if (word == "float32" || word == "fp32" || word == "float") return Precision::Fp32;
    a.complain("plan.argument.type", name, "is \"{}\"; use bfloat16, float16 or float32", {said});
    return std::nullopt;
}

// What parameters are gathered and multiplied in, and what gradients are reduced in. torchtitan's defaults are bf16 and fp32; Accelerate's one
// word is for both, and its "no" leaves the weights' own type (accelerate/utils/dataclasses.py, FullyShardedDataParallelPlugin.set_mixed_precision).
void readTypes(CaseArguments& a, TrainingCase& c)
{
    // As torchtitan: training.dtype.
    const std::string dtype = a.word("dtype", "float32");
    if (dtype == "bfloat16") c.bf16States = true;
    else if (dtype != "float32") a.complain("plan.argument.dtype", "dtype", "is \"{}\"; use float32 or bfloat16", {dtype});
    const Precision weights = c.bf16States ? Precision::Bf16 : Precision::Fp32;
    const std::optional<Precision> both = typeOf(a, "mixed_precision", weights);
    c.precision = both.value_or(Precision::Bf16);
    c.fp32Gradients = !both || *both == Precision::Fp32;
    for (const char* name : {"mixed_precision_param", "param_dtype"}) c.precision = typeOf(a, name, weights).value_or(c.precision);
    for (const char* name : {"mixed_precision_reduce", "reduce_dtype"})
        if (const auto reduced = typeOf(a, name, c.precision)) c.fp32Gradients = *reduced == Precision::Fp32;
}

// What autograd saves goes to the host as it is saved: torchtune's word for it, and that of TRL, Axolotl and Unsloth, whose code is torchtune's.
void readHostActivations(CaseArguments& a, TrainingCase& c)
{
    const bool away = a.flag("activation_offloading") || a.flag("enable_activation_offloading");
    if (away && a.word("activation_offloading", "") == "disk") a.complain("plan.argument.host_files", "activation_offloading", "is \"disk\", and activations in files are not planned; use true");
    c.hostLayers = away ? std::max<std::int64_t>(1, c.model.layers) : 0;
}

}  // namespace

void readFsdp2(CaseArguments& a, TrainingCase& c, std::vector<PlanFinding>& findings)
{
    c.tp = a.size("tp", c.tp);
    c.pp = a.size("pp", c.pp);
    c.cp = a.size("cp", c.cp);
    c.ep = a.size("ep", c.ep);
    const std::int64_t devices = c.nodes * c.devicesPerNode;
    c.dp = a.size("fsdp", a.has("tp") || a.has("pp") || a.has("cp") ? std::max<std::int64_t>(1, devices / (c.tp * c.pp * c.cp)) : c.dp);
    tellOddMesh(a, c, devices);
    c.model.seq = a.size("seq", c.model.seq);
    const std::int64_t batch = a.size("local_batch", c.microBatch);
    c.microBatch = batch;
    c.microBatches = std::max<std::int64_t>(1, c.microBatches);
    // As torchtitan: accumulation is what the global batch leaves over.
    if (a.has("global_batch")) {
        const std::int64_t global = a.size("global_batch", batch * c.dp);
        if (global % (batch * c.dp) != 0) a.complain("plan.argument.local_batch", "global_batch", "is {}, no multiple of local batch {} x {} ranks", {std::to_string(global), std::to_string(batch), std::to_string(c.dp)});
        else c.microBatches = global / (batch * c.dp);
    }
    // torch.distributed.pipelining's own names.
    const std::string named = a.word("pp_schedule", "");
    const bool zeroBubble = named.find("zerobubble") != std::string::npos;
    const std::string schedule = named.empty() ? c.schedule : named.starts_with("zbv") ? "zb_v" : named == "loopedbfs" ? "looped_bfs" : zeroBubble ? "interleaved_zb1p"
                                 : named.find("interleaved") != std::string::npos ? "interleaved_1f1b" : named;
    if (c.pp > 1) {
        if (saysLocalBatch(a)) cutLocalBatch(a, c, batch, findings);
        c.schedule = schedule;
        if (schedule.find("interleaved") != std::string::npos) c.chunks = a.size("pp_chunks", std::max<std::int64_t>(2, c.chunks));
    }
    readResharding(a, c);
    c.sequenceParallel = c.tp > 1;
    readTypes(a, c);
    c.distributedOptimizer = true;
    // Accelerate's word for how modules become units; without a policy FSDP's root holds all parameters, and keeps them gathered until the
    // backward pass is over (FullyShardedDataParallel, auto_wrap_policy=None; fully_shard on the model alone).
    const std::string wrapped = a.word("fsdp_auto_wrap_policy", "transformer_based_wrap");
    c.oneUnit = wrapped == "no_wrap" || wrapped == "none";
    if (!c.oneUnit && wrapped != "transformer_based_wrap") a.complain("plan.argument.wrap", "fsdp_auto_wrap_policy", "is \"{}\"; use TRANSFORMER_BASED_WRAP, whose blocks are units, or NO_WRAP, with which the whole model is one", {wrapped});
    if (c.oneUnit) {
        c.reshardAsked = c.reshardAfterForward = false;
        findings.push_back(makeFinding("plan.one_unit", "warning", "/framework/arguments/fsdp_auto_wrap_policy", "Without a wrap policy the whole model is one unit: every rank gathers all weights and has whole gradients, and no exchange hides behind computing; use TRANSFORMER_BASED_WRAP"));
    }
    const std::string ac = a.word("ac", c.policy == ActivationPolicy::Full ? "full" : c.policy == ActivationPolicy::None ? "none" : "selective op");
    c.policy = ActivationPolicy::None;
    if (ac == "full") c.policy = ActivationPolicy::Full;
    else if (ac.find("op") != std::string::npos) c.policy = ActivationPolicy::SelectiveOp;
    else if (ac.find("layer") != std::string::npos || ac.find("selective") != std::string::npos) {
        c.policy = ActivationPolicy::SelectiveLayer;
        c.policyLayers = a.size("ac_every", 2);
    } else if (ac != "none") a.complain("plan.argument.ac", "ac", "is \"{}\"; use none, full, selective op or selective layer", {ac});
    readHostActivations(a, c);
    // It takes no zero_optimization. On CPUs its shards lie on the host as they are.
    bool away = false;
    for (const char* name : kHostShardNames) away = a.plainSwitch(name) || away;
    c.settings.offloadOptimizer = c.settings.offloadParam = away && c.device != "cpu" ? OffloadDevice::Cpu : OffloadDevice::None;
    c.compiled = a.flag("compile");
    c.float8 = a.flag("float8");
    c.olderAttention = a.word("attention", "") == "flash1";
    // torchtitan compiles the loss with the model since April 2025 (pull request 1033); before, compiling it was switched off.
    // Nothing said, options that only later releases have tell which it is.
    const bool options = a.flag("float8_recompute_weight") || a.flag("force_recompute_fp8_weight_in_bwd") || a.has("float8_recipe");
    const bool later = a.word("release", options ? "2025-04" : "") >= "2025-04";
    c.compiledLoss = a.has("compile_loss") ? a.flag("compile_loss") : c.compiled && later;
    c.lossStated = a.has("compile_loss") || later;
    readLoss(a, c);
    c.asyncTensor = a.flag("async_tp");
    // As torchtitan: data_parallel_replicate_degree, disable_loss_parallel.
    c.accumulateUnsharded = a.flag("accumulate_unsharded") && c.microBatches > 1 && c.pp == 1;
    c.fp32Loss = a.word("loss_dtype", "float32") != "bfloat16";
    c.lossParallel = !a.flag("disable_loss_parallel");
    c.logitsKept = a.flag("keep_logits");
    c.floatLogits = a.word("logits_dtype", "bfloat16") == "float32";
    // Schedules can be told not to since October 2025 (pytorch/pytorch, pull request 165822).
    c.outputsKept = a.flag("return_outputs", a.word("release", "") < "2025-11");
    c.embeddingParallel = !a.flag("replicate_embedding");
    c.laterProducts = a.word("release", "") >= "2025";
    const std::string release = a.word("release", "");
    c.wholeRecompute = !release.empty() && release < "2023-10";
    c.float8Gather = c.float8 && (a.flag("float8_all_gather") || a.flag("enable_fsdp_float8_all_gather"));
    // Parameters are sharded one by one since PyTorch 2.4's nightlies (April 2024); FSDP before had a flat one for each block.
    // Accelerate's fsdp_version 1 is the older one, whatever the release; there PEFT's policy makes a unit of each matrix of an adapter
    // (peft/utils/other.py, fsdp_auto_wrap_policy).
    const std::int64_t version = a.size("fsdp_version", !release.empty() && release < "2024-04" ? 1 : 2);
    if (version > 2) a.complain("plan.argument.fsdp_version", "fsdp_version", "is {}; use 1 for FullyShardedDataParallel, or 2 for fully_shard", {std::to_string(version)});
    c.flatShards = version == 1;
    c.adapterUnits = a.has("fsdp_version") && c.flatShards && c.model.part.adapted();
    // torchtitan since August 2025 (pull request 1094); other trainers leave it to the root.
    c.embeddingApart = a.word("embedding_group", release >= "2025-08" ? "own" : "root") == "own";
    // The root does not reshard after the forward pass, whatever it is told (torch/distributed/fsdp/_fully_shard/_fsdp_state.py, _lazy_init; FSDP1's
    // _post_forward_reshard); since June 2025 (PyTorch 2.8, _auto_reshard_after_forward) it does where it is told to, as trainers do.
    c.rootStays = c.flatShards || release < "2025-06";
    // From November 2025 (issue 1940) to March 2026 (pull request 2741) torchtitan compiles the parts of a block of experts, not what stands between them.
    c.looseRouting = c.model.experts > 0 && (!c.compiled || (release >= "2025-11" && release < "2026-04"));
    // Until March 2025 the partitioner kept what it had made of a weight rather than the weight (pytorch/pytorch, pull request 148922).
    c.float8Kept = c.float8 && c.compiled && !release.empty() && release < "2025-04" && !a.flag("float8_recompute_weight") && !a.flag("force_recompute_fp8_weight_in_bwd");
    c.float8Activations = c.float8 && a.word("float8_recipe", "tensorwise") == "tensorwise";
    c.gatherEachProjection = a.flag("gather_each_projection");
    c.cudnnAttention = a.word("attention", "") == "cudnn";
    c.replicate = a.size("replicate", 1);
    if (c.dp % c.replicate != 0) a.complain("plan.argument.replicate", "replicate", "is {}, no divisor of the {} data-parallel ranks", {std::to_string(c.replicate), std::to_string(c.dp)});
    // The Trainer's word for it, whose "adamw_torch" is torch.optim.AdamW: kernels over lists of tensors, unless it is told otherwise.
    const std::string optim = a.has("optimizer") ? std::string() : a.word("optim", "");
    const std::string optimizer = optim == "adamw_torch" ? "adamw_foreach" : a.word("optimizer", optim.empty() ? c.optimizer : ofTrainersWord(optim));
    // How the update is run, not what it keeps: "adamw_foreach", "fused adamw". Others that are called after Adam keep other states.
    std::string kind = optimizer;
    for (const char* way : {"foreach", "fused", "for-loop", "_", "-", " "})
        for (std::size_t at = kind.find(way); at != std::string::npos; at = kind.find(way)) kind.erase(at, std::string_view(way).size());
    c.optimizer = kind == "adam" || kind == "adamw" ? "adamw" : ofTrainersWord(optimizer);
    c.foreachOptimizer = optimizer.find("foreach") != std::string::npos;
    // torchtitan's word, the Trainer's and torchtune's. Nothing said, the first two clip at 1; torchtune, which trains whole models in bf16
    // shards, does not (recipes/configs: clip_grad_norm: null).
    c.clips = c.settings.clipping > 0 || !c.bf16States;
    for (const char* name : {"max_norm", "max_grad_norm", "clip_grad_norm"})
        if (a.has(name)) c.clips = a.real(name, 0) > 0;
}

}  // namespace stagecraft
