// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/training_case.h"

#include "hardware/device_sheet.h"
#include "planner/autotp_plans.h"
#include "planner/batch_faults.h"
#include "planner/case_arguments.h"
#include "planner/expert_targets.h"
#include "planner/findings.h"
#include "planner/layout_faults.h"
#include "planner/litgpt_script.h"
#include "planner/loss_kernel.h"
#include "planner/optimizer_states.h"
#include "planner/pipeline_batch.h"
#include "planner/transformers_block.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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
}

// Transformers' own word for the kernel of attention; where nothing is said, sdpa if the family has it (modeling_utils.py,
// get_correct_attn_implementation). It raises an error where a family is asked for what it has not.
void readAttention(CaseArguments& a, TrainingCase& c, std::vector<PlanFinding>& findings)
{
    const BlockCode& code = c.model.code;
    const bool eager = code.attention == BlockCode::Attention::Eager;
    const std::string kernel = a.word("attn_implementation", eager ? "eager" : "sdpa");
    c.flashAttention = kernel != "eager";
    c.eagerScores = kernel == "eager";
    c.flashLibrary = kernel.starts_with("flash_attention");
    c.hiddenDropout = a.fraction("hidden_dropout", code.dropout);
    c.attentionDropout = a.fraction("attention_dropout", code.attentionDropout);
    // A name with "/" is of a kernel on the Hub; what else Transformers does not know it refuses (modeling_utils.py, ALL_ATTENTION_FUNCTIONS).
    const bool known = kernel == "eager" || kernel == "sdpa" || kernel == "flex_attention" || c.flashLibrary || kernel.find('/') != std::string::npos;
    if (!known || (kernel == "sdpa" && !code.hasSdpa) || (c.flashLibrary && !code.hasFlash)) {
        a.complain("plan.argument.attention", "attn_implementation", "is \"{}\", which Transformers has not for {}; use {}", {kernel, code.family, code.hasSdpa ? "sdpa" : code.hasFlash ? "eager or flash_attention_2" : "eager"});
    } else if (eager && c.eagerScores && !a.has("attn_implementation")) {
        findings.push_back(makeFinding("plan.attention_eager", "info", "/framework/arguments", "Attention is taken as eager, as Transformers chooses for {}: every layer keeps all its scores for the backward pass", {code.family}));
    }
}

// sdpa falls back to a kernel of its own where no fused one takes the heads.
void settleMathKernel(TrainingCase& c, std::vector<PlanFinding>& findings)
{
    if (c.statesOnly || !c.model.isKnown() || !sdpaNeedsMath(c)) return;
    c.mathScores = c.eagerScores = true;
    c.flashAttention = false;
    findings.push_back(makeFinding("plan.attention_math", "warning", "/framework/arguments", "No fused kernel of sdpa takes {} query heads over {} key heads in this type on {}: PyTorch makes and keeps all scores in fp32; use 16 bits on a device with bf16, or flash_attention_2",
                                   {std::to_string(c.model.heads), std::to_string(c.model.kvHeads), c.sheet ? c.sheet->id : c.device}));
}

// Where nothing is said sdpa is assumed; in older code the same job is eager, which is worth a word where its scores take more than a GiB.
void tellAssumedAttention(const CaseArguments& a, const TrainingCase& c, std::vector<PlanFinding>& findings)
{
    if (a.names("attn_implementation") || !c.model.code.hasSdpa || !c.flashAttention || c.flashLibrary) return;
    const double scores = 6.0 * static_cast<double>(c.microBatch * c.model.layers * c.model.heads) * static_cast<double>(c.model.seq) * static_cast<double>(c.model.seq);
    if (scores <= static_cast<double>(std::int64_t{1} << 30)) return;
    findings.push_back(makeFinding("plan.attention_sdpa", "info", "/framework/arguments", "Attention is taken as sdpa, Transformers' default since December 2023 (4.36), which keeps no scores; say \"attn_implementation\": \"eager\" for older code or models that ask for it"));
}

void readDeepSpeed(CaseArguments& a, const Workspace& w, TrainingCase& c, std::vector<PlanFinding>& findings)
{
    const std::string code = a.word("model_code", "transformers");
    c.looseLayers = code == "gpt-neox" || code == "neox";
    c.megatronCode = code == "megatron" || c.looseLayers;
    if (code == "litgpt") readLitGpt(a, c);
    if (!c.megatronCode) settleAutoTpTables(w, c);
    // A script's own tables, each rank with its part of the vocabulary.
    if (a.flag("vocab_parallel")) c.lossParallel = c.embeddingParallel = true;
    c.compiled = a.flag("torch_compile");
    if (c.compiled) findings.push_back(makeFinding("plan.compile_memory", "info", "/framework/arguments/torch_compile", "torch.compile shortens the planned step; memory is planned as without it, of which compiled blocks mostly need less"));
    // Of a ds_config without an optimizer the Trainer makes its own.
    if (const std::string optim = a.word("optim", ""); !optim.empty() && !(w.dsConfig.is_object() && w.dsConfig.contains("optimizer"))) {
        c.optimizer = c.settings.optimizer = ofTrainersWord(optim);
        c.settings.stateBytes = optimizerStateBytes(c.optimizer);
        if (!knownOptimizer(c.optimizer)) findings.push_back(makeFinding("plan.optimizer", "warning", "/framework/arguments/optim", "The states of the optimizer \"{}\" are not known: they are counted as Adam's, 8 bytes a parameter", {c.optimizer}));
    }
    if (c.model.part.packed() && c.model.experts > 0 && packsExperts(c.model.code.family, a.word("release", ""))) c.model.part.packedMatrices = c.model.layerMatrices;
    // Decoders turn their logits to fp32 (loss/loss_utils.py, ForCausalLMLoss), encoders and encoder-decoders do not.
    c.fp32Loss = a.word("loss_dtype", c.model.code.bidirectional ? "bfloat16" : "float32") != "bfloat16";
    // Accelerate's word for it; Transformers' Trainer makes the model inside.
    c.weightsKept = !a.flag("zero3_init_flag", true);
    if (!c.megatronCode) {
        readLoss(a, c);
        readAttention(a, c, findings);
    } else {
        // Megatron's is unfused but for the softmax.
        const std::string kernel = a.word("attn_implementation", "megatron");
        c.flashAttention = kernel != "eager" && kernel != "megatron";
        c.eagerScores = kernel == "eager";
    }
    // Megatron-DeepSpeed's releases of 2021-22 stand on PyTorch 1.12 and older; from 1.13 (October 2022) on PyTorch asks for lazy loading.
    const std::string release = a.word("release", c.megatronCode ? "2021" : "");
    c.lazyKernels = release.empty() || release >= "2022-11";
    if (c.megatronCode) {
        c.transformerEngine = false;
        c.embeddingNorm = a.flag("embed_layernorm");
        c.attentionDropout = a.fraction("attention_dropout", 0.1);
        c.hiddenDropout = a.fraction("hidden_dropout", 0.1);
    }
    // The pipeline module's partition that counts an embedding as a layer: the first and the last stage have one layer less.
    const std::string partition = a.word("partition_method", "");
    if (c.pp > 1 && partition.find("embed") != std::string::npos && (c.model.layers + 2) % c.pp == 0 && (c.model.layers + 2) / c.pp > 1) {
        c.firstStageLayers = c.lastStageLayers = (c.model.layers + 2) / c.pp - 1;
    }
}

/// Words of Transformers' Trainer and of Accelerate: who says one trains Transformers' own models.
bool saysTrainer(CaseArguments& a)
{
    return a.has("attn_implementation") || a.has("optim") || a.has("fsdp_auto_wrap_policy") || a.has("use_liger_kernel");
}

// Transformers' blocks, each a group of FSDP2's: where the script is Transformers', and of families torchtitan has no model of.
void readOtherModel(CaseArguments& a, TrainingCase& c, bool transformers, std::vector<PlanFinding>& findings)
{
    c.transformersBlock = true;
    c.transformersScript = transformers;
    if (!a.has("embedding_group")) c.embeddingApart = false;   // Accelerate's policy makes units of the blocks alone
    readAttention(a, c, findings);
    const bool titans = isTorchtitanFamily(c.model.code);
    if (!titans) findings.push_back(makeFinding("plan.fsdp2_model", "info", "/model", "torchtitan has no model of the family {}: Transformers' own blocks are planned, each sharded by FSDP2 as a group", {c.model.code.family}));
    if (c.policy != ActivationPolicy::SelectiveOp) return;
    c.policy = ActivationPolicy::None;
    // Unsaid, it is torchtitan's default, which nobody asked for here.
    if (!titans || a.has("ac")) findings.push_back(makeFinding("plan.fsdp2_selective", "warning", "/framework/arguments/ac", "\"selective op\" chooses among the products of torchtitan's blocks: for {} it is planned as \"none\"; use \"full\"", {c.model.code.family}));
}

}  // namespace

void settleSplit(TrainingCase& c)
{
    if (c.framework != Framework::Megatron) return;
    const std::int64_t wanted = c.layersPerChunk > 0 ? std::max<std::int64_t>(1, c.places() / c.pp / c.layersPerChunk) : c.chunksAsked;
    if (wanted > 0) c.chunks = c.pp > 1 ? wanted : 1;
    c.firstStageLayers = c.pp > 1 ? c.firstAsked : 0;
    c.lastStageLayers = c.pp > 1 ? c.lastAsked : 0;
    const std::int64_t parts = c.pp * c.chunks;
    if (c.pp == 1 || c.places() % parts != 0 || c.places() / c.pp < 2) return;
    if (c.embeddingPlace && c.firstStageLayers == 0) c.firstStageLayers = c.places() / c.pp - 1;
    if (c.lossPlace && c.lastStageLayers == 0) c.lastStageLayers = c.places() / c.pp - 1;
}

std::vector<std::int64_t> layersOfStages(std::int64_t layers, std::int64_t stages)
{
    std::vector<std::int64_t> out(static_cast<std::size_t>(stages), layers / stages);
    for (std::int64_t i = 0; i < layers % stages; ++i) ++out[static_cast<std::size_t>(i)];
    return out;
}

std::vector<std::int64_t> layersOfStages(const TrainingCase& c)
{
    const std::int64_t first = c.pp > 1 ? c.firstStageLayers : 0;
    const std::int64_t last = c.pp > 1 ? c.lastStageLayers : 0;
    const std::int64_t others = c.pp - (first > 0) - (last > 0);
    const std::int64_t rest = c.model.layers - first - last;
    if ((first == 0 && last == 0) || rest < others || (others == 0 && rest != 0)) return layersOfStages(c.model.layers, c.pp);
    std::vector<std::int64_t> out;
    if (first > 0) out.push_back(first);
    if (others > 0) for (const std::int64_t own : layersOfStages(rest, others)) out.push_back(own);
    if (last > 0) out.push_back(last);
    return out;
}

double layersInFlight(const TrainingCase& c, std::int64_t stage, std::int64_t stageLayers)
{
    const double layers = static_cast<double>(stageLayers);
    const double m = static_cast<double>(c.microBatchesOfFlush());
    const double p = static_cast<double>(c.pp);
    const double i = static_cast<double>(stage);
    if (c.pp == 1) return layers;
    if (c.schedule.starts_with("gpipe") || c.schedule == "looped_bfs") return layers * m;
    if (c.schedule == "dualpipev") return layers * std::min(m, p + 0.5);
    if (c.schedule == "zb_h2") return layers * std::min(m, 2 * (p - i) - 1);
    // A warm-up of half the length, and weight gradients that wait for `stage` micro-batches more (PyTorch, ScheduleInterleavedZeroBubble).
    if (c.schedule == "zb_v" || c.schedule == "interleaved_zb1p") return layers * std::min(m, p);
    if (c.chunks > 1) {
        const double v = static_cast<double>(c.chunks);
        // Warm-up plus the one in hand. Older Megatron took all of them as warm-up when m = p; newer ones do not.
        const double chunks = std::min(m * v, (p - i - 1) * 2 + (v - 1) * p + 1);
        return layers / v * chunks;
    }
    return layers * std::min(m, p - i);
}

std::optional<TrainingCase> readTrainingCase(const Workspace& w, const std::optional<ModelShape>& shape, const DsSettings& settings,
                                             std::vector<PlanFinding>& findings)
{
    if (batchIsImpossible(w)) return std::nullopt;
    TrainingCase c;
    c.settings = settings;
    if (shape) c.model = *shape;
    c.statesOnly = shape && !shape->isKnown() && shape->params > 0;
    c.tp = w.layout.tp;
    c.pp = w.layout.pp;
    c.cp = w.layout.cp;
    c.ep = w.layout.ep;
    c.dp = w.layout.dp;
    c.chunks = w.layout.chunks;
    c.schedule = w.layout.schedule;
    c.lossChunks = w.layout.lossChunks;
    c.sequenceParallel = w.layout.sequenceParallel && c.tp > 1;
    c.microBatch = settings.microBatch;
    c.microBatches = settings.accumulation;
    c.precision = settings.precision;
    c.modules.core = true;
    c.policy = w.layout.recompute == "full" ? ActivationPolicy::Full : w.layout.recompute == "selective" ? ActivationPolicy::SelectiveCore : ActivationPolicy::None;
    c.fp32Gradients = settings.fp32Gradients || settings.precision == Precision::Fp32;
    c.optimizer = settings.optimizer;
    // With "torch_adam" DeepSpeed takes torch.optim's, which runs kernel by kernel (engine.py, _configure_basic_optimizer).
    const nlohmann::json::json_pointer torchAdam("/optimizer/params/torch_adam");
    c.foreachOptimizer = w.dsConfig.is_object() && w.dsConfig.contains(torchAdam) && w.dsConfig[torchAdam] == true;
    c.ownFusedAdam = (c.optimizer == "adam" || c.optimizer == "adamw") && !c.foreachOptimizer && w.dsConfig.is_object() && w.dsConfig.contains("optimizer");
    c.device = w.hardware.device;
    c.saves = w.training.saveEvery > 0;
    c.evaluates = w.training.evalEvery > 0;
    c.nodes = w.hardware.nodes;
    c.devicesPerNode = w.hardware.devicesPerNode;
    c.hiddenDropout = c.model.dropout;
    c.rotary = c.model.rmsNorm && !c.model.code.positionBias;
    c.biases = !c.model.gated;

    if (w.framework.name == "stagecraft") {
        // Our engine has one copy of each shard and sends nothing quantised.
        c.settings.hpzPartition = 1;
        c.settings.micsShard = 0;
        c.settings.quantizedWeights = c.settings.quantizedGradients = false;
        c.settings.sentBytes = 0;
    }
    CaseArguments arguments(w.framework.arguments, findings);
    arguments.checkRelease();
    if (w.framework.name == "megatron") {
        c.framework = Framework::Megatron;
        readMegatron(arguments, c, findings);
    } else if (w.framework.name == "fsdp2") {
        c.framework = Framework::Fsdp2;
        readFsdp2(arguments, c, findings);
        const bool transformers = arguments.word("model_code", saysTrainer(arguments) ? "transformers" : "") == "transformers";
        if (c.model.isKnown() && (transformers || !isTorchtitanFamily(c.model.code))) readOtherModel(arguments, c, transformers, findings);
        // torch.nn.RMSNorm, which torchtitan's blocks call, is one kernel on devices since PyTorch 2.9 (pytorch/pytorch, pull request 153666).
        else if (!arguments.has("fused_kernels")) c.normKernel = c.normKernel || arguments.word("release", "") >= "2025-10";
    } else if (w.framework.name == "deepspeed") {
        c.autoTpRefused = autoTpAnswer(w) != AutoTpAnswer::Divides;
        readDeepSpeed(arguments, w, c, findings);
    }
    // torch.backends.cuda.matmul.allow_tf32 is off by default, and neither DeepSpeed, Transformers nor Megatron's own layers set it.
    // Transformer Engine calls cuBLAS with CUBLAS_COMPUTE_32F_FAST_TF32 itself (common/gemm/cublaslt_gemm.cu).
    c.tensorFloat = arguments.flag("tf32", c.framework == Framework::Megatron && c.transformerEngine);
    c.launchBlocking = arguments.flag("cuda_launch_blocking");
    c.sheet = findDevice(c.device);
    if (!c.sheet) c.sheet = findDevice(w.hardware.device);
    // PyTorch for ROCm says that they are not supported, and goes on without (c10/cuda/CUDACachingAllocator.cpp: they need the CUDA driver's interface).
    c.expandableSegments = arguments.flag("expandable_segments", c.framework == Framework::Fsdp2 && !c.transformersBlock && !(c.sheet && c.sheet->vendor == "AMD"));
    c.networkBytes = 1e9 * arguments.real("network_gb_per_s", 0);
    if (c.framework == Framework::Fsdp2 && c.compiled && !c.compiledLoss && !c.lossStated && c.fp32Loss) {
        findings.push_back(makeFinding("plan.loss_eager", "info", "/framework/arguments", "The loss is taken as not compiled, with fp32 copies of the logits, as before April 2025; say \"compile_loss\": true, or \"release\": \"2025-06\", where it is compiled"));
    }
    if (c.framework == Framework::Fsdp2 && !c.transformersBlock && !arguments.has("release"))
        findings.push_back(makeFinding("plan.release_assumed", "info", "/framework/arguments", "Without a \"release\" what torchtitan keeps is planned as its code of 2024 kept it, which is the most; say the month of yours, as in \"release\": \"2026-04\". Where Transformers' own code is trained, as under Accelerate, say \"model_code\": \"transformers\""));
    if (c.framework == Framework::Fsdp2 && settings.precision != Precision::Bf16 && !namesType(w.framework.arguments)) {
        findings.push_back(makeFinding("plan.fsdp2_precision", "info", "/framework/arguments", "FSDP2 reads no ds_config: it is planned as torchtitan trains, with fp32 shards and bf16 for computing. Where it computes in another type, say \"mixed_precision_param\": \"float16\" or \"float32\" in framework.arguments"));
    }
    if (c.framework != Framework::DeepSpeed && !arguments.wrong() && !knownOptimizer(c.optimizer)) {
        findings.push_back(makeFinding("plan.optimizer", "warning", "/framework/arguments/optimizer", "The states of the optimizer \"{}\" are not known: they are counted as Adam's, 8 bytes a parameter", {c.optimizer}));
    }
    // Megatron's layers and FSDP2's policy have types of their own.
    if (c.framework != Framework::DeepSpeed || c.megatronCode) c.settings.autocast = Precision::Fp32;
    settleSchedule(c, findings);
    if (c.framework != Framework::DeepSpeed || dependsOnShapes(c.settings.optimizer)) c.settings.stateBytes = meanStateBytes(c);
    if (c.optimizerOffload > 0) findings.push_back(makeFinding("plan.optimizer_offload", "info", "/framework/arguments/optimizer-cpu-offload", "The optimizer of {} % of the parameters steps on the host: its cores and memory, which no data sheet of a device names, set the time of that update", {fmt::format("{:g}", 100 * c.optimizerOffload)}));
    if (c.optimizer.starts_with("paged") && knownOptimizer(c.optimizer)) findings.push_back(makeFinding("plan.optimizer_paged", "info", "/framework/arguments", "States of \"{}\" lie in memory that CUDA moves to the host where the device is full: they are planned on the device", {c.optimizer}));
    arguments.reportRest();
    if ((c.framework == Framework::DeepSpeed && !c.megatronCode) || c.transformersBlock) {
        settleMathKernel(c, findings);
        tellAssumedAttention(arguments, c, findings);
    }
    if (arguments.wrong()) return std::nullopt;
    const auto refuse = [&](const char* id, const char* pointer, const char* pattern, std::vector<std::string> args = {}) {
        findings.push_back(makeFinding(id, "error", pointer, pattern, std::move(args)));
        return std::optional<TrainingCase>{};
    };
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    if (c.statesOnly && c.model.isKnown()) c.statesOnly = false;
    const std::int64_t devices = c.nodes * c.devicesPerNode;
    if (c.ranks() > devices && c.ranks() > w.layout.ranks() && w.hardware.device != "cpu") {
        return refuse("plan.argument.devices", "/framework/arguments", "The arguments make {} ranks for {} devices; change them or the hardware", {number(c.ranks()), number(devices)});
    }
    const std::int64_t domain = c.sheet && c.sheet->link && c.sheet->link->maxDevices > 16 ? c.sheet->link->maxDevices : c.devicesPerNode;
    if (c.networkBytes > 0 && devices <= domain) {
        findings.push_back(makeFinding("plan.network_unused", "info", "/framework/arguments/network_gb_per_s", "network_gb_per_s has no effect: all {} devices reach each other without the network", {number(devices)}));
    }
    if (!c.statesOnly && c.products() == Precision::Fp32 && !c.tensorFloat && c.sheet && c.sheet->peak.contains("tf32")) {
        findings.push_back(makeFinding("plan.fp32_products", "info", c.framework == Framework::DeepSpeed ? "/dsConfig" : "/framework/arguments", "Products in fp32 run without tensor cores, as PyTorch has it unless told otherwise: at {} TFLOP/s, not at the {} of TF32; say \"tf32\": true in framework.arguments where the script allows it, or train in bf16",
                                       {fmt::format("{:.4g}", c.sheet->peakFor("fp32") / 1e12), fmt::format("{:.4g}", c.sheet->peakFor("tf32") / 1e12)}));
    }
    if (c.framework == Framework::DeepSpeed && c.model.part.packed() && c.settings.stage == 0 && c.precision != Precision::Fp32)
        findings.push_back(makeFinding("plan.adapter.kbit", "info", "/model/adapter/base", "A quantised base without ZeRO is mostly trained without DeepSpeed: then PEFT keeps embedding, norms, output and adapters in fp32, and autocast copies what they make. How much that adds nobody has measured for this plan, so its interval is wide; with \"torch_autocast\" in place of \"bf16\" or \"fp16\" such a job is planned"));
    // DeepSpeed's precision stands in the ds_config, whose advice says the same and how to write it.
    if (c.framework != Framework::DeepSpeed && c.precision == Precision::Bf16 && c.sheet && c.sheet->id != "cpu" && !c.sheet->peak.contains("bf16")) {
        const auto teraflops = [&](const char* type) { return fmt::format("{:.4g}", c.sheet->peakFor(type) / 1e12); };
        findings.push_back(makeFinding("plan.bf16_emulated", "warning", "/framework/arguments",
                                       "{} has no bf16 arithmetic: PyTorch emulates it, at no more than the {} TFLOP/s of fp32, where fp16 reaches {}; train in fp16 (FSDP2: \"param_dtype\": \"float16\", Megatron: \"fp16\"), or use another device", {c.sheet->id, teraflops("fp32"), teraflops("fp16")}));
    }
    if (c.framework == Framework::DeepSpeed && !c.megatronCode && c.policy == ActivationPolicy::SelectiveCore) {
        c.policy = ActivationPolicy::None;
        findings.push_back(makeFinding("plan.recompute_selective", "warning", "/layout/recompute", "Transformers' models make whole blocks again, or nothing: \"selective\" is planned as \"none\"; use \"full\", or framework.arguments \"model_code\": \"megatron\""));
    }
    // 2^62 is where sums of bytes end: no number that stands for more is shown.
    if (c.model.params > std::int64_t{1} << 56) return refuse("plan.layout.model", "/model", "The sizes are larger than any machine; use smaller ones");
    if (c.statesOnly) {
        if (c.tp > 4096 || c.pp > 4096 || c.cp > 65536 || c.ranks() > 100'000'000) return refuse("plan.layout.large", "/layout", "The layout is larger than any machine; use smaller sizes");
        return c;
    }
    if (!c.model.isKnown()) return refuse("plan.layout.unknown", "/model", "The sizes of this model are not known: no ledger or step time can be made");
    if (tellImpossibleSizes(c, findings)) return std::nullopt;
    if (c.tp > 4096 || c.pp > 4096 || c.cp > 65536 || c.ranks() > 100'000'000) return refuse("plan.layout.large", "/layout", "The layout is larger than any machine; use smaller sizes");
    const double kept = static_cast<double>(c.model.layers) * (static_cast<double>(c.model.hidden + c.model.ffn) + (c.flashAttention ? 0.0 : static_cast<double>(c.model.heads * c.model.seq)));
    if (c.tokens() * std::max(static_cast<double>(c.model.vocab), kept) > 2e16) return refuse("plan.layout.model", "/model", "The sizes are larger than any machine; use smaller ones");
    return c;
}

}  // namespace stagecraft
